-- More of hidden_schema.sql: tables that are not in this database. Run by a superuser after it, where the
-- server has the extensions. A program of a foreign table runs in the data directory of the server.
CREATE EXTENSION file_fdw;
CREATE EXTENSION postgres_fdw;
CREATE EXTENSION dblink;
CREATE SERVER programs FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE hidden.f_program (id integer) SERVER programs OPTIONS (program 'echo 1 | tee hidden_effect');
DO $$ BEGIN
  EXECUTE format('CREATE SERVER loopback FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host ''127.0.0.1'', port %L, dbname %L)',
                 current_setting('port'), current_database());
END $$;
CREATE USER MAPPING FOR PUBLIC SERVER loopback OPTIONS (user 'reader', password 'reader', password_required 'false');
CREATE FOREIGN TABLE hidden.f_lock (id integer, name text, is_free boolean) SERVER loopback OPTIONS (schema_name 'hidden', table_name 'v_lock');
CREATE FOREIGN TABLE hidden.f_try_lock (id integer, locked boolean) SERVER loopback OPTIONS (schema_name 'hidden', table_name 'v_try_lock');
CREATE TABLE hidden.f_parted (id integer, locked boolean) PARTITION BY LIST (id);
CREATE TABLE hidden.f_part PARTITION OF hidden.f_parted FOR VALUES IN (99);
CREATE FOREIGN TABLE hidden.f_part_away PARTITION OF hidden.f_parted DEFAULT SERVER loopback OPTIONS (schema_name 'hidden', table_name 'v_try_lock');
CREATE TABLE hidden.f_parent (id integer, locked boolean);
CREATE TABLE hidden.f_child (more text) INHERITS (hidden.f_parent);
CREATE FOREIGN TABLE hidden.f_child_away () INHERITS (hidden.f_parent) SERVER loopback OPTIONS (schema_name 'hidden', table_name 'v_try_lock');
CREATE VIEW hidden.v_program AS SELECT id FROM hidden.f_program;
CREATE VIEW hidden.v_away AS SELECT count(*) AS n FROM hidden.f_parted;
CREATE VIEW hidden.v_dblink AS SELECT * FROM public.dblink('loopback', 'SELECT nextval(''hidden.numbers'')') AS d(n bigint);
CREATE MATERIALIZED VIEW hidden.m_program AS SELECT 1 AS id;
GRANT SELECT ON ALL TABLES IN SCHEMA hidden TO PUBLIC;
