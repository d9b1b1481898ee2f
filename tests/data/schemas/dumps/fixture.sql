-- A database with one thing of each kind that pg_dump writes. Run by the superuser.
CREATE SCHEMA shop AUTHORIZATION app;
CREATE SCHEMA "Odd Name";
COMMENT ON SCHEMA shop IS 'what the shop''s people see';

CREATE TYPE shop.mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE shop.pair AS (a integer, b text);
CREATE DOMAIN shop.positive AS integer DEFAULT 1 CHECK (VALUE > 0);
CREATE TYPE shop.span AS RANGE (subtype = float8);
CREATE COLLATION shop.plain (provider = libc, locale = 'C');
CREATE SEQUENCE shop.numbers START 5 INCREMENT 3 CYCLE;
SELECT nextval('shop.numbers');

CREATE FUNCTION shop.next(a integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT a + 1';
CREATE FUNCTION shop.touched() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE PROCEDURE shop.work(x integer) LANGUAGE sql AS 'SELECT 1';
CREATE AGGREGATE shop.total(integer) (SFUNC = int4pl, STYPE = integer, INITCOND = '0');
CREATE OPERATOR shop.=== (LEFTARG = integer, RIGHTARG = integer, FUNCTION = int4eq);
CREATE CAST (shop.pair AS text) WITH INOUT;
CREATE TEXT SEARCH CONFIGURATION shop.search (COPY = english);

CREATE TABLE shop.customers (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE shop.plain NOT NULL DEFAULT 'nobody',
  n integer CHECK (n > 0),
  twice integer GENERATED ALWAYS AS (n * 2) STORED,
  mood shop.mood,
  pair shop.pair,
  amount shop.positive,
  old_number serial,
  bytes bytea,
  tags text[],
  document jsonb,
  price numeric(12, 4),
  at timestamptz,
  span shop.span
);
INSERT INTO shop.customers (name, n, mood, pair, amount, bytes, tags, document, price, at, span)
SELECT 'name ' || i || E'\t\\', i, 'ok', ROW(i, E'b\n')::shop.pair, i, '\x00ff', ARRAY['a', NULL, E'"\\'], '{"a": [1, null]}',
       i * 1.0001, timestamptz '2020-01-01 00:00:00.000001+00' + i * interval '1 hour', '[1.5,2.5)'
FROM generate_series(1, 20000) i;
UPDATE shop.customers SET tags = NULL, document = NULL WHERE id % 7 = 0;
ALTER TABLE shop.customers ADD COLUMN dropped integer DEFAULT 7;
ALTER TABLE shop.customers DROP COLUMN dropped;
COMMENT ON TABLE shop.customers IS 'who buys';
COMMENT ON COLUMN shop.customers.n IS 'a column''s comment';
CREATE INDEX ON shop.customers (lower(name));
CREATE UNIQUE INDEX ON shop.customers (n) WHERE n > 5;
CREATE STATISTICS shop.related (dependencies) ON n, name FROM shop.customers;
CREATE TRIGGER touched BEFORE INSERT ON shop.customers FOR EACH ROW EXECUTE FUNCTION shop.touched();
GRANT SELECT ON shop.customers TO reader;
GRANT UPDATE (name) ON shop.customers TO reader WITH GRANT OPTION;
ALTER TABLE shop.customers OWNER TO app;

CREATE TABLE shop.orders (id integer PRIMARY KEY, customer integer REFERENCES shop.customers ON DELETE CASCADE);
INSERT INTO shop.orders SELECT i, 1 + i % 20000 FROM generate_series(1, 5000) i;
CREATE TABLE shop.events (id integer, at date) PARTITION BY RANGE (at);
CREATE TABLE shop.events_2023 PARTITION OF shop.events FOR VALUES FROM ('2023-01-01') TO ('2024-01-01');
CREATE TABLE shop.events_rest PARTITION OF shop.events DEFAULT;
INSERT INTO shop.events SELECT i, date '2023-01-01' + i FROM generate_series(1, 1000) i;
CREATE INDEX ON shop.events (at);
CREATE TABLE shop.whole (id integer);
CREATE TABLE shop.piece (extra text) INHERITS (shop.whole);
INSERT INTO shop.whole VALUES (1);
INSERT INTO shop.piece VALUES (2, 'of the whole');
CREATE RULE heard AS ON INSERT TO shop.whole DO ALSO NOTIFY heard;
CREATE UNLOGGED TABLE shop.fleeting (a integer);
INSERT INTO shop.fleeting VALUES (3);
CREATE TABLE shop.nothing ();
CREATE TABLE "Odd Name"."T ""q""" ("C 1" integer, "select" text);
INSERT INTO "Odd Name"."T ""q""" VALUES (1, E'tab\t\\'), (2, NULL), (3, '');

CREATE VIEW shop.names AS SELECT id, upper(name) AS name FROM shop.customers WHERE n > 3 WITH CHECK OPTION;
CREATE MATERIALIZED VIEW shop.counts AS SELECT count(*) FROM shop.customers;
CREATE TABLE shop.secrets (id integer, owner text);
INSERT INTO shop.secrets VALUES (1, 'app'), (2, 'reader');
ALTER TABLE shop.secrets ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON shop.secrets USING (owner = current_user);

ALTER DEFAULT PRIVILEGES IN SCHEMA shop GRANT SELECT ON TABLES TO reader;
CREATE PUBLICATION changes FOR TABLE shop.customers;
CREATE FUNCTION shop.noticed() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE EVENT TRIGGER noticed ON ddl_command_start WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION shop.noticed();
CREATE FOREIGN DATA WRAPPER nowhere;
CREATE SERVER away FOREIGN DATA WRAPPER nowhere OPTIONS (host 'away.example');
CREATE FOREIGN TABLE shop.distant (a integer) SERVER away;
ANALYZE shop.customers;
