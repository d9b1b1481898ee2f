-- Every kind of statement of PostgreSQL 18 that writes, defines, or works on the server. All are refused.
-- reads.sql tells the form of this file.
----
--! rows
--! rule=write_statement
INSERT INTO customers (id, name) VALUES (100, 'x')
----
--! rule=write_statement
INSERT INTO customers (id, name) VALUES (100, 'x'), (101, 'y') RETURNING *
----
--! rule=write_statement
INSERT INTO customers AS c (id, name) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET name = excluded.name WHERE c.id > 0
----
--! rule=write_statement
INSERT INTO customers (id, name) VALUES (1, 'x') ON CONFLICT ON CONSTRAINT customers_pkey DO NOTHING
----
--! rule=write_statement
INSERT INTO customers (id, name) VALUES (1, 'x') ON CONFLICT DO NOTHING
----
--! rule=write_statement
INSERT INTO customers (id, name) OVERRIDING SYSTEM VALUE VALUES (100, 'x')
----
--! rule=write_statement
INSERT INTO customers (id, name) OVERRIDING USER VALUE SELECT 100, 'x'
----
--! rule=write_statement
INSERT INTO customers DEFAULT VALUES
----
--! rule=write_statement
INSERT INTO customers TABLE customers
----
--! rule=write_statement
INSERT INTO customers (id, name) SELECT id + 1000, name FROM customers
----
--! rule=write_statement
INSERT INTO customers (id, name) VALUES ($1, $2)
----
--! rule=write_statement
INSERT INTO "Mixed Case" ("Key") VALUES (2)
----
--! rule=write_statement
INSERT INTO customers (tags[1], profile) VALUES ('x', DEFAULT)
----
--! rule=write_statement
INSERT INTO pg_catalog.pg_class SELECT * FROM pg_class
----
--! rule=write_statement
WITH x AS (SELECT 200 AS id) INSERT INTO customers (id, name) SELECT id, 'x' FROM x
----
--! rule=write_statement
INSERT INTO customers (id, name) WITH x AS (SELECT 200 AS id) SELECT id, 'x' FROM x
----
--! rule=write_statement
--! rule=write_statement,modifying_cte
INSERT INTO customers (id, name) WITH x AS (DELETE FROM orders RETURNING id) SELECT id, 'x' FROM x
----
--! rule=write_statement
UPDATE customers SET name = 'x'
----
--! rule=write_statement
UPDATE ONLY customers AS c SET name = 'x', country = DEFAULT WHERE c.id = 1
----
--! rule=write_statement
UPDATE customers SET (name, country) = ('x', 'NO') WHERE id = 1
----
--! rule=write_statement
UPDATE customers SET (name, country) = (SELECT 'x', 'NO') FROM orders o WHERE o.customer_id = customers.id RETURNING customers.*
----
--! rule=write_statement
UPDATE customers SET name = 'x' WHERE CURRENT OF c
----
--! rule=write_statement
UPDATE customers SET profile['vip'] = 'true'
----
--! rule=write_statement
UPDATE customers SET name = 'x' RETURNING OLD.name, NEW.name
----
--! rule=write_statement
UPDATE customers SET name = 'x' RETURNING WITH (OLD AS o, NEW AS n) o.name, n.name
----
--! rule=write_statement
update customers * set name = 'x'
----
--! rule=write_statement
WITH x AS (SELECT 1 AS id) UPDATE customers SET name = 'x' FROM x WHERE x.id = customers.id
----
--! rule=write_statement
DELETE FROM orders
----
--! rule=write_statement
DELETE FROM ONLY orders AS o USING customers c WHERE c.id = o.customer_id RETURNING o.*
----
--! rule=write_statement
DELETE FROM orders WHERE CURRENT OF c
----
--! rule=write_statement
delete from "public"."orders" where id in (select id from orders)
----
--! rule=write_statement
WITH x AS (SELECT 1 AS id) DELETE FROM orders USING x WHERE x.id = orders.id
----
--! rule=write_statement
MERGE INTO customers c USING products p ON c.id = p.id WHEN MATCHED THEN UPDATE SET name = p.name WHEN NOT MATCHED THEN INSERT (id, name) VALUES (p.id, p.name)
----
--! rule=write_statement
MERGE INTO customers c USING (SELECT 1 AS id) s ON c.id = s.id WHEN MATCHED AND c.id > 0 THEN DELETE WHEN NOT MATCHED THEN DO NOTHING
----
--! rule=write_statement
MERGE INTO ONLY customers c USING products p ON c.id = p.id WHEN NOT MATCHED BY SOURCE THEN DELETE RETURNING merge_action(), c.*
----
--! rule=write_statement
WITH s AS (SELECT 1 AS id) MERGE INTO customers c USING s ON c.id = s.id WHEN MATCHED THEN DO NOTHING
----
--! tables
--! rule=ddl
TRUNCATE orders
----
--! rule=ddl
TRUNCATE TABLE ONLY orders, customers RESTART IDENTITY CASCADE
----
--! rule=ddl
truncate "Mixed Case" continue identity restrict
----
--! rule=ddl
CREATE TABLE t (a int)
----
--! rule=ddl
CREATE TABLE IF NOT EXISTS t (a int PRIMARY KEY, b text DEFAULT 'x' NOT NULL, c int GENERATED ALWAYS AS IDENTITY, d int GENERATED ALWAYS AS (a * 2) STORED, CHECK (a > 0))
----
--! rule=ddl
CREATE TABLE t (a int, b int GENERATED ALWAYS AS (a * 2) VIRTUAL)
----
--! rule=ddl
CREATE UNLOGGED TABLE t (a int)
----
--! rule=ddl
CREATE TEMP TABLE t (a int) ON COMMIT DELETE ROWS
----
--! rule=ddl
CREATE GLOBAL TEMPORARY TABLE t (a int)
----
--! rule=ddl
CREATE TABLE t (LIKE customers INCLUDING ALL)
----
--! rule=ddl
CREATE TABLE t () INHERITS (customers)
----
--! rule=ddl
CREATE TABLE t (a int) PARTITION BY LIST (a)
----
--! rule=ddl
CREATE TABLE t PARTITION OF part FOR VALUES FROM ('2025-01-01') TO ('2026-01-01')
----
--! rule=ddl
CREATE TABLE t OF order_type
----
--! rule=ddl
CREATE TABLE t (a int) WITH (fillfactor = 70) TABLESPACE x
----
--! rule=ddl
CREATE TABLE t USING heap AS SELECT 1
----
--! rule=ddl
CREATE TABLE t AS SELECT * FROM customers
----
--! rule=ddl
CREATE TABLE t AS TABLE customers WITH NO DATA
----
--! rule=ddl
CREATE TABLE t AS VALUES (1)
----
--! rule=ddl
CREATE TABLE t AS WITH x AS (SELECT 1) SELECT * FROM x
----
--! rule=ddl
CREATE TEMP TABLE IF NOT EXISTS t ON COMMIT DROP AS SELECT 1
----
--! rule=ddl
ALTER TABLE customers ADD COLUMN x int
----
--! rule=ddl
ALTER TABLE customers DROP COLUMN IF EXISTS name CASCADE
----
--! rule=ddl
ALTER TABLE customers ALTER COLUMN name TYPE varchar(10) USING name::varchar
----
--! rule=ddl
ALTER TABLE customers ALTER name SET DEFAULT 'x', ALTER name DROP NOT NULL
----
--! rule=ddl
ALTER TABLE customers RENAME TO clients
----
--! rule=ddl
ALTER TABLE customers RENAME COLUMN name TO title
----
--! rule=ddl
ALTER TABLE customers RENAME CONSTRAINT customers_pkey TO pk
----
--! rule=ddl
ALTER TABLE customers ADD CONSTRAINT c CHECK (id > 0) NOT VALID
----
--! rule=ddl
ALTER TABLE customers VALIDATE CONSTRAINT c
----
--! rule=ddl
ALTER TABLE customers DISABLE TRIGGER ALL
----
--! rule=ddl
ALTER TABLE customers ENABLE ROW LEVEL SECURITY
----
--! rule=ddl
ALTER TABLE customers OWNER TO postgres
----
--! rule=ddl
ALTER TABLE customers SET SCHEMA pg_temp
----
--! rule=ddl
ALTER TABLE customers SET (autovacuum_enabled = false)
----
--! rule=ddl
ALTER TABLE customers CLUSTER ON customers_pkey
----
--! rule=ddl
ALTER TABLE customers REPLICA IDENTITY FULL
----
--! rule=ddl
ALTER TABLE part DETACH PARTITION part_2024 CONCURRENTLY
----
--! rule=ddl
ALTER TABLE part ATTACH PARTITION part_2024 DEFAULT
----
--! rule=ddl
ALTER TABLE ALL IN TABLESPACE a SET TABLESPACE b
----
--! rule=ddl
ALTER TABLE IF EXISTS ONLY customers INHERIT part
----
--! rule=ddl
DROP TABLE customers
----
--! rule=ddl
DROP TABLE IF EXISTS customers, orders CASCADE
----
--! rule=ddl
drop/**/table"orders"
----
--! indexes, views, sequences, statistics
--! rule=ddl
CREATE INDEX ON customers (name)
----
--! rule=ddl
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS i ON customers USING btree (lower(name) COLLATE "C" text_pattern_ops DESC NULLS LAST) INCLUDE (id) WITH (fillfactor = 70) WHERE id > 1
----
--! rule=ddl
ALTER INDEX customers_pkey RENAME TO pk
----
--! rule=ddl
ALTER INDEX customers_pkey SET (fillfactor = 70)
----
--! rule=ddl
ALTER INDEX customers_pkey ATTACH PARTITION x
----
--! rule=ddl
DROP INDEX CONCURRENTLY IF EXISTS customers_pkey
----
--! rule=ddl
CREATE VIEW v AS SELECT 1
----
--! rule=ddl
CREATE OR REPLACE VIEW open_orders WITH (security_barrier) AS SELECT * FROM orders WITH CHECK OPTION
----
--! rule=ddl
CREATE RECURSIVE VIEW v (n) AS VALUES (1) UNION ALL SELECT n + 1 FROM v
----
--! rule=ddl
CREATE TEMP VIEW v AS VALUES (1)
----
--! rule=ddl
ALTER VIEW open_orders RENAME TO x
----
--! rule=ddl
ALTER VIEW open_orders SET (security_invoker = true)
----
--! rule=ddl
DROP VIEW open_orders
----
--! rule=ddl
CREATE MATERIALIZED VIEW m AS SELECT 1
----
--! rule=ddl
CREATE MATERIALIZED VIEW IF NOT EXISTS m AS TABLE customers WITH NO DATA
----
--! rule=ddl
ALTER MATERIALIZED VIEW sales_by_day RENAME TO x
----
--! rule=ddl
DROP MATERIALIZED VIEW sales_by_day
----
--! rule=ddl
CREATE SEQUENCE s START 5 INCREMENT BY 2 CYCLE OWNED BY customers.id
----
--! rule=ddl
CREATE TEMP SEQUENCE IF NOT EXISTS s AS smallint
----
--! rule=ddl
ALTER SEQUENCE order_ids RESTART
----
--! rule=ddl
ALTER SEQUENCE order_ids OWNED BY NONE
----
--! rule=ddl
DROP SEQUENCE order_ids
----
--! rule=ddl
CREATE STATISTICS st (ndistinct) ON name, country FROM customers
----
--! rule=ddl
ALTER STATISTICS order_statistics SET STATISTICS 100
----
--! rule=ddl
DROP STATISTICS order_statistics
----
--! functions and triggers
--! rule=ddl
CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'
----
--! rule=ddl
CREATE OR REPLACE FUNCTION lower(text) RETURNS text LANGUAGE sql SECURITY DEFINER AS $$DELETE FROM orders RETURNING 'x'$$
----
--! rule=ddl
CREATE FUNCTION f(a int DEFAULT 1, OUT b int) LANGUAGE sql BEGIN ATOMIC SELECT 1; END
----
--! rule=ddl
CREATE FUNCTION f(int) RETURNS int LANGUAGE sql RETURN $1 + 1
----
--! rule=ddl
CREATE PROCEDURE p() LANGUAGE plpgsql AS $$BEGIN COMMIT; END$$
----
--! rule=ddl
ALTER FUNCTION add_one(int) VOLATILE
----
--! rule=ddl
ALTER FUNCTION add_one SET search_path = evil
----
--! rule=ddl
ALTER PROCEDURE p RENAME TO q
----
--! rule=ddl
ALTER ROUTINE p OWNER TO postgres
----
--! rule=ddl
DROP FUNCTION add_one(int)
----
--! rule=ddl
DROP PROCEDURE IF EXISTS p
----
--! rule=ddl
DROP ROUTINE p
----
--! rule=ddl
CREATE AGGREGATE a (int) (SFUNC = int4pl, STYPE = int)
----
--! rule=ddl
ALTER AGGREGATE a (int) RENAME TO b
----
--! rule=ddl
DROP AGGREGATE a (int)
----
--! rule=ddl
CREATE TRIGGER t BEFORE INSERT ON customers FOR EACH ROW EXECUTE FUNCTION touch_row()
----
--! rule=ddl
CREATE OR REPLACE TRIGGER t AFTER UPDATE OF name ON customers REFERENCING NEW TABLE AS n FOR EACH STATEMENT WHEN (true) EXECUTE PROCEDURE touch_row()
----
--! rule=ddl
CREATE CONSTRAINT TRIGGER t AFTER INSERT ON customers DEFERRABLE FOR EACH ROW EXECUTE FUNCTION touch_row()
----
--! rule=ddl
ALTER TRIGGER touched ON customers RENAME TO x
----
--! rule=ddl
DROP TRIGGER touched ON customers
----
--! rule=ddl
CREATE EVENT TRIGGER e ON ddl_command_start EXECUTE FUNCTION f()
----
--! rule=ddl
ALTER EVENT TRIGGER e DISABLE
----
--! rule=ddl
DROP EVENT TRIGGER e
----
--! rule=ddl
CREATE RULE r AS ON SELECT TO customers DO INSTEAD SELECT * FROM orders
----
--! rule=ddl
CREATE OR REPLACE RULE r AS ON INSERT TO customers DO ALSO DELETE FROM orders
----
--! rule=ddl
ALTER RULE r ON customers RENAME TO s
----
--! rule=ddl
DROP RULE r ON customers
----
--! rule=ddl
CREATE POLICY p ON customers FOR SELECT USING (true)
----
--! rule=ddl
ALTER POLICY p ON customers USING (false)
----
--! rule=ddl
DROP POLICY p ON customers
----
--! rule=ddl
CREATE LANGUAGE plperl
----
--! rule=ddl
CREATE TRUSTED PROCEDURAL LANGUAGE x HANDLER h
----
--! rule=ddl
ALTER LANGUAGE plpgsql OWNER TO postgres
----
--! rule=ddl
DROP LANGUAGE plpgsql
----
--! rule=ddl
CREATE TRANSFORM FOR int LANGUAGE sql (FROM SQL WITH FUNCTION f(internal))
----
--! rule=ddl
DROP TRANSFORM FOR int LANGUAGE sql
----
--! types, operators, casts, text search
--! rule=ddl
CREATE TYPE t AS (a int, b text)
----
--! rule=ddl
CREATE TYPE t AS ENUM ('a', 'b')
----
--! rule=ddl
CREATE TYPE t AS RANGE (SUBTYPE = float8)
----
--! rule=ddl
CREATE TYPE t (INPUT = f, OUTPUT = g)
----
--! rule=ddl
CREATE TYPE t
----
--! rule=ddl
ALTER TYPE order_status ADD VALUE IF NOT EXISTS 'x' BEFORE 'new'
----
--! rule=ddl
ALTER TYPE order_status RENAME VALUE 'new' TO 'old'
----
--! rule=ddl
ALTER TYPE t ADD ATTRIBUTE c int
----
--! rule=ddl
ALTER TYPE t SET (STORAGE = plain)
----
--! rule=ddl
DROP TYPE order_status CASCADE
----
--! rule=ddl
CREATE DOMAIN d AS int CHECK (VALUE > 0)
----
--! rule=ddl
ALTER DOMAIN d ADD CONSTRAINT c CHECK (VALUE < 9)
----
--! rule=ddl
DROP DOMAIN d
----
--! rule=ddl
CREATE OPERATOR + (LEFTARG = int, RIGHTARG = int, FUNCTION = add)
----
--! rule=ddl
CREATE OPERATOR public.@@@ (PROCEDURE = f, LEFTARG = text)
----
--! rule=ddl
ALTER OPERATOR + (int, int) SET (RESTRICT = NONE)
----
--! rule=ddl
DROP OPERATOR + (int, int)
----
--! rule=ddl
CREATE OPERATOR CLASS c FOR TYPE int USING btree AS OPERATOR 1 <
----
--! rule=ddl
CREATE OPERATOR FAMILY f USING btree
----
--! rule=ddl
ALTER OPERATOR FAMILY f USING btree ADD OPERATOR 1 < (int, int)
----
--! rule=ddl
ALTER OPERATOR CLASS c USING btree RENAME TO d
----
--! rule=ddl
DROP OPERATOR CLASS c USING btree
----
--! rule=ddl
DROP OPERATOR FAMILY f USING btree
----
--! rule=ddl
CREATE CAST (int AS text) WITH FUNCTION f(int) AS IMPLICIT
----
--! rule=ddl
CREATE CAST (text AS int) WITH INOUT
----
--! rule=ddl
DROP CAST (int AS text)
----
--! rule=ddl
CREATE COLLATION c (LOCALE = 'en_US')
----
--! rule=ddl
CREATE COLLATION c FROM "C"
----
--! rule=ddl
ALTER COLLATION c REFRESH VERSION
----
--! rule=ddl
DROP COLLATION c
----
--! rule=ddl
CREATE CONVERSION c FOR 'UTF8' TO 'LATIN1' FROM f
----
--! rule=ddl
ALTER CONVERSION c RENAME TO d
----
--! rule=ddl
DROP CONVERSION c
----
--! rule=ddl
CREATE TEXT SEARCH CONFIGURATION c (COPY = english)
----
--! rule=ddl
ALTER TEXT SEARCH CONFIGURATION c ADD MAPPING FOR word WITH simple
----
--! rule=ddl
ALTER TEXT SEARCH CONFIGURATION c DROP MAPPING FOR word
----
--! rule=ddl
CREATE TEXT SEARCH DICTIONARY d (TEMPLATE = simple)
----
--! rule=ddl
ALTER TEXT SEARCH DICTIONARY d (stopwords = 'x')
----
--! rule=ddl
CREATE TEXT SEARCH PARSER p (START = f, GETTOKEN = g, END = h, LEXTYPES = i)
----
--! rule=ddl
CREATE TEXT SEARCH TEMPLATE t (LEXIZE = f)
----
--! rule=ddl
ALTER TEXT SEARCH PARSER p RENAME TO q
----
--! rule=ddl
DROP TEXT SEARCH DICTIONARY d
----
--! rule=ddl
CREATE ACCESS METHOD m TYPE TABLE HANDLER h
----
--! rule=ddl
DROP ACCESS METHOD m
----
--! schemas, databases, tablespaces, extensions, foreign data, replication
--! rule=ddl
CREATE SCHEMA s
----
--! rule=ddl
CREATE SCHEMA IF NOT EXISTS AUTHORIZATION postgres
----
--! rule=ddl
CREATE SCHEMA s CREATE TABLE t (a int) CREATE VIEW v AS SELECT 1
----
--! rule=ddl
ALTER SCHEMA public RENAME TO x
----
--! rule=ddl
ALTER SCHEMA public OWNER TO postgres
----
--! rule=ddl
DROP SCHEMA public CASCADE
----
--! rule=ddl
CREATE DATABASE d TEMPLATE shop
----
--! rule=ddl
ALTER DATABASE shop CONNECTION LIMIT 0
----
--! rule=ddl
ALTER DATABASE shop SET search_path = x
----
--! rule=ddl
ALTER DATABASE shop RENAME TO x
----
--! rule=ddl
ALTER DATABASE shop SET TABLESPACE x
----
--! rule=ddl
ALTER DATABASE shop REFRESH COLLATION VERSION
----
--! rule=ddl
ALTER DATABASE shop OWNER TO postgres
----
--! rule=ddl
DROP DATABASE shop WITH (FORCE)
----
--! rule=ddl
CREATE TABLESPACE x LOCATION '/tmp/x'
----
--! rule=ddl
ALTER TABLESPACE x SET (random_page_cost = 1)
----
--! rule=ddl
ALTER TABLESPACE x RENAME TO y
----
--! rule=ddl
DROP TABLESPACE x
----
--! rule=ddl
CREATE EXTENSION dblink
----
--! rule=ddl
CREATE EXTENSION IF NOT EXISTS "uuid-ossp" WITH SCHEMA public VERSION '1.1' CASCADE
----
--! rule=ddl
ALTER EXTENSION dblink UPDATE TO '2'
----
--! rule=ddl
ALTER EXTENSION dblink ADD FUNCTION add_one(int)
----
--! rule=ddl
ALTER EXTENSION dblink SET SCHEMA public
----
--! rule=ddl
DROP EXTENSION dblink
----
--! rule=ddl
CREATE FOREIGN DATA WRAPPER w HANDLER h
----
--! rule=ddl
ALTER FOREIGN DATA WRAPPER w OPTIONS (ADD a 'b')
----
--! rule=ddl
DROP FOREIGN DATA WRAPPER w
----
--! rule=ddl
CREATE SERVER s FOREIGN DATA WRAPPER w OPTIONS (host 'x')
----
--! rule=ddl
ALTER SERVER s VERSION '2'
----
--! rule=ddl
DROP SERVER s
----
--! rule=ddl
--! rule=ddl,node_unknown
CREATE FOREIGN TABLE t (a int) SERVER s OPTIONS (program 'id')
----
--! rule=ddl
ALTER FOREIGN TABLE t ADD COLUMN b int
----
--! rule=ddl
DROP FOREIGN TABLE t
----
--! rule=ddl
CREATE USER MAPPING FOR CURRENT_USER SERVER s OPTIONS (user 'x', password 'y')
----
--! rule=ddl
ALTER USER MAPPING FOR PUBLIC SERVER s OPTIONS (SET user 'x')
----
--! rule=ddl
DROP USER MAPPING FOR CURRENT_USER SERVER s
----
--! rule=ddl
IMPORT FOREIGN SCHEMA x LIMIT TO (a, b) FROM SERVER s INTO public
----
--! rule=ddl
CREATE PUBLICATION p FOR ALL TABLES
----
--! rule=ddl
CREATE PUBLICATION p FOR TABLE customers (id) WHERE (id > 1), TABLES IN SCHEMA public
----
--! rule=ddl
ALTER PUBLICATION p ADD TABLE orders
----
--! rule=ddl
DROP PUBLICATION p
----
--! rule=ddl
CREATE SUBSCRIPTION s CONNECTION 'host=x' PUBLICATION p
----
--! rule=ddl
ALTER SUBSCRIPTION s REFRESH PUBLICATION
----
--! rule=ddl
ALTER SUBSCRIPTION s DISABLE
----
--! rule=ddl
DROP SUBSCRIPTION s
----
--! roles and rights
--! rule=ddl
CREATE ROLE r SUPERUSER LOGIN PASSWORD 'x'
----
--! rule=ddl
CREATE USER u IN ROLE r
----
--! rule=ddl
CREATE GROUP g
----
--! rule=ddl
ALTER ROLE r NOSUPERUSER VALID UNTIL 'infinity'
----
--! rule=ddl
ALTER ROLE r SET search_path = x
----
--! rule=ddl
ALTER USER u RENAME TO v
----
--! rule=ddl
ALTER USER u RESET ALL
----
--! rule=ddl
ALTER GROUP g ADD USER u
----
--! rule=ddl
DROP ROLE IF EXISTS r
----
--! rule=ddl
DROP USER u
----
--! rule=ddl
DROP OWNED BY r CASCADE
----
--! rule=ddl
REASSIGN OWNED BY r TO postgres
----
--! rule=ddl
GRANT SELECT ON customers TO PUBLIC
----
--! rule=ddl
GRANT ALL PRIVILEGES ON ALL TABLES IN SCHEMA public TO r WITH GRANT OPTION
----
--! rule=ddl
GRANT SELECT (id), UPDATE (name) ON customers TO r GRANTED BY CURRENT_USER
----
--! rule=ddl
GRANT r TO u WITH ADMIN OPTION
----
--! rule=ddl
GRANT r TO u WITH INHERIT TRUE, SET FALSE
----
--! rule=ddl
GRANT EXECUTE ON FUNCTION add_one(int) TO r
----
--! rule=ddl
GRANT SET ON PARAMETER default_transaction_read_only TO r
----
--! rule=ddl
GRANT SELECT ON LARGE OBJECT 1 TO r
----
--! rule=ddl
REVOKE ALL ON customers FROM PUBLIC CASCADE
----
--! rule=ddl
REVOKE GRANT OPTION FOR SELECT ON customers FROM r
----
--! rule=ddl
REVOKE ADMIN OPTION FOR r FROM u
----
--! rule=ddl
ALTER DEFAULT PRIVILEGES FOR ROLE r IN SCHEMA public GRANT SELECT ON TABLES TO PUBLIC
----
--! rule=ddl
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC
----
--! rule=ddl
ALTER LARGE OBJECT 1 OWNER TO postgres
----
--! rule=ddl
SECURITY LABEL ON COLUMN customers.name IS NULL
----
--! rule=ddl
COMMENT ON TABLE customers IS 'x'
----
--! rule=ddl
COMMENT ON COLUMN customers.name IS NULL
----
--! rule=ddl
COMMENT ON DATABASE shop IS 'x'
----
--! rule=ddl
COMMENT ON FUNCTION add_one(int) IS 'x'
----
--! the server and its upkeep
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
ALTER SYSTEM SET work_mem = '1GB'
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
ALTER SYSTEM RESET work_mem
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
CHECKPOINT
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
VACUUM
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
VACUUM FULL
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
VACUUM (FULL, ANALYZE, PARALLEL 2) customers (id), orders
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
VACUUM FREEZE VERBOSE ANALYZE customers
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
VACUUM (ONLY_DATABASE_STATS)
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
ANALYZE
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
ANALYZE (VERBOSE, SKIP_LOCKED) customers (name), orders
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
REINDEX INDEX customers_pkey
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
REINDEX TABLE CONCURRENTLY customers
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
REINDEX SCHEMA public
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
REINDEX SYSTEM shop
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
REINDEX (TABLESPACE x, VERBOSE) DATABASE shop
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
CLUSTER VERBOSE customers USING customers_pkey
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
CLUSTER (VERBOSE) customers
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
REFRESH MATERIALIZED VIEW CONCURRENTLY sales_by_day
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
LOAD 'auto_explain'
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
LOCK TABLE customers IN ROW EXCLUSIVE MODE
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
NOTIFY news, 'x'
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
DO $$BEGIN NULL; END$$
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
CALL p(1)
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
PREPARE TRANSACTION 'x'
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
COMMIT PREPARED 'x'
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
ROLLBACK PREPARED 'x'
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
COPY customers FROM STDIN
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
COPY customers (id, name) FROM '/tmp/x' WITH (FORMAT csv, HEADER match, FREEZE, ON_ERROR ignore)
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
COPY customers FROM PROGRAM 'cat' WHERE id > 1
----
--! rule=ddl,maintenance,lock,load,listen_notify,prepared_transaction,do_and_call,settings,copy
COPY customers TO '/tmp/pgsieve_never'
