-- A database of which a policy hides something. Whatever must not arrive has cAnArY in it.
CREATE SCHEMA shop;
CREATE SCHEMA plain;
CREATE TABLE shop.orders (id int, total numeric, note text);
INSERT INTO shop.orders VALUES (1, 10, 'one'), (2, 20, 'two');
CREATE TABLE shop.people (id int, name text, secret text);
INSERT INTO shop.people SELECT n, 'name ' || n, 'cAnArY ' || n FROM generate_series(1, 3) n;
CREATE TABLE shop.secrets (id int, text text);
INSERT INTO shop.secrets SELECT n, 'cAnArY ' || n FROM generate_series(1, 3) n;
CREATE TABLE plain.secrets (id int, text text);
INSERT INTO plain.secrets VALUES (1, 'plain');
CREATE TABLE plain.people (id int, name text, secret text);
CREATE SEQUENCE shop.secret_numbers;
SELECT setval('shop.secret_numbers', 77);
CREATE TABLE shop.events (id int, kind text, word text) PARTITION BY LIST (kind);
CREATE TABLE shop.events_open PARTITION OF shop.events FOR VALUES IN ('open');
CREATE TABLE shop.events_closed PARTITION OF shop.events FOR VALUES IN ('closed');
INSERT INTO shop.events VALUES (1, 'open', 'seen'), (2, 'closed', 'cAnArY');
CREATE TABLE shop.parent (id int, kind text, token text);
CREATE TABLE shop.child (extra text) INHERITS (shop.parent);
INSERT INTO shop.child VALUES (1, 'a', 'cAnArY', 'x');
CREATE TABLE shop.secret_parent (id int, word text);
CREATE TABLE shop.heir () INHERITS (shop.secret_parent);
INSERT INTO shop.heir VALUES (1, 'cAnArY');
CREATE VIEW shop.v_people AS SELECT id, left(secret, 2) AS start FROM shop.people;
CREATE VIEW shop.v_outer AS SELECT * FROM shop.v_people;
CREATE VIEW shop.v_orders AS SELECT id, total FROM shop.orders;
CREATE MATERIALIZED VIEW shop.m_people AS SELECT id, left(secret, 2) AS start FROM shop.people;
CREATE VIEW shop.secret_view AS SELECT text FROM shop.secrets;
CREATE MATERIALIZED VIEW shop.secret_mview AS SELECT text FROM shop.secrets;
CREATE FUNCTION shop.peek(int) RETURNS text STABLE LANGUAGE sql
  AS 'SELECT text FROM shop.secrets WHERE id = $1';
CREATE FUNCTION shop.peek_all() RETURNS SETOF shop.secrets STABLE LANGUAGE plpgsql
  AS 'BEGIN RETURN QUERY SELECT * FROM shop.secrets; END';
CREATE FUNCTION shop.peek_at(shop.orders) RETURNS text STABLE LANGUAGE sql
  AS 'SELECT text FROM shop.secrets WHERE id = $1.id';
CREATE FUNCTION shop.peek_two(int, int) RETURNS text STABLE LANGUAGE sql
  AS 'SELECT text FROM shop.secrets WHERE id = $1';
CREATE OPERATOR shop.<?> (FUNCTION = shop.peek_two, LEFTARG = int, RIGHTARG = int);
CREATE TYPE shop.boxed AS (word text);
CREATE FUNCTION shop.peek_cast(int) RETURNS shop.boxed STABLE LANGUAGE sql
  AS 'SELECT ROW(text)::shop.boxed FROM shop.secrets WHERE id = $1';
CREATE CAST (int AS shop.boxed) WITH FUNCTION shop.peek_cast(int);
CREATE FUNCTION shop.peek_state(text, int) RETURNS text STABLE LANGUAGE sql
  AS 'SELECT text FROM shop.secrets WHERE id = $2';
CREATE AGGREGATE shop.peek_last(int) (SFUNC = shop.peek_state, STYPE = text);
CREATE VIEW shop.v_peek AS SELECT left(shop.peek(1), 2) AS start;
SELECT lo_from_bytea(4711, 'cAnArY');
ALTER TABLE shop.people ADD COLUMN added text DEFAULT 'cAnArY';
ALTER TABLE shop.people DROP COLUMN added;
ANALYZE;
CREATE TABLE shop.last (id int);
GRANT USAGE ON SCHEMA shop, plain TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA shop, plain TO reader;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA shop TO reader;
