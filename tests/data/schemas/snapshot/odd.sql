-- Names and rights of every kind. Roles are shared by all databases: their names begin with the
-- name of the database.
CREATE ROLE DATABASE_app;
CREATE ROLE DATABASE_reads;
CREATE ROLE DATABASE_middle IN ROLE DATABASE_app;
CREATE ROLE DATABASE_deep IN ROLE DATABASE_middle;
CREATE ROLE DATABASE_apart NOINHERIT IN ROLE DATABASE_app;
CREATE ROLE DATABASE_maker;
CREATE ROLE DATABASE_everything IN ROLE pg_read_all_data;
CREATE ROLE DATABASE_owner;
GRANT DATABASE_maker TO DATABASE_reads;

CREATE SCHEMA DATABASE_app;
CREATE SCHEMA odd;
CREATE SCHEMA "S 3";
CREATE SCHEMA "S2";
CREATE SCHEMA secret;
GRANT USAGE ON SCHEMA DATABASE_app, odd, "S 3" TO PUBLIC;
GRANT USAGE ON SCHEMA secret TO DATABASE_app;

CREATE TABLE odd.orders (id int PRIMARY KEY, total numeric(10, 2), note text);
GRANT SELECT (id) ON odd.orders TO DATABASE_app;
CREATE TABLE "S2"."Order" (LIKE odd.orders);
CREATE TABLE odd."select" (id int);
GRANT SELECT ON odd."select" TO PUBLIC;
CREATE TABLE odd.owned (id int);
ALTER TABLE odd.owned OWNER TO DATABASE_maker;
REVOKE ALL ON odd.owned FROM DATABASE_maker;
CREATE TABLE odd.makers (id int);
ALTER TABLE odd.makers OWNER TO DATABASE_maker;
CREATE SEQUENCE odd.numbers;
CREATE TABLE odd.events (at timestamptz, id int, UNIQUE (at, id)) PARTITION BY RANGE (at);
CREATE TABLE odd.events_1 PARTITION OF odd.events FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE INDEX ON odd.events (id);

CREATE TYPE odd.mood AS ENUM ('calm', 'stormy');
REVOKE USAGE ON TYPE odd.mood FROM PUBLIC;
GRANT USAGE ON TYPE odd.mood TO DATABASE_app;
CREATE DOMAIN odd.positive AS int CHECK (VALUE > 0);
CREATE TYPE odd.pair AS (a int, b odd.positive);
CREATE TYPE odd.span AS RANGE (SUBTYPE = float8);

CREATE FUNCTION odd.f(a int, b text DEFAULT 'x', VARIADIC c int[] DEFAULT '{}') RETURNS SETOF text
    LANGUAGE sql STABLE AS 'SELECT $2';
REVOKE EXECUTE ON FUNCTION odd.f FROM PUBLIC;
GRANT EXECUTE ON FUNCTION odd.f TO DATABASE_app;
CREATE FUNCTION odd."F"(odd.mood, odd.mood[], "char", bit, varbit, time, timetz, char, varchar, name,
    interval, numeric, date, json, oidvector, int2vector, float4, double precision) RETURNS int
    LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION odd.results(OUT a int, OUT b odd.pair) LANGUAGE sql SECURITY DEFINER
    SET work_mem = '4MB' AS 'SELECT 1, NULL::odd.pair';
CREATE FUNCTION odd.equal(int, odd.mood) RETURNS bool LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION odd.unlike(odd.mood) RETURNS bool LANGUAGE sql AS 'SELECT true';
CREATE PROCEDURE odd.run(INOUT x int) LANGUAGE sql AS 'SELECT 1';
CREATE AGGREGATE odd.most(int) (SFUNC = int4larger, STYPE = int);
-- The commutator is announced only.
CREATE OPERATOR odd.=== (LEFTARG = int, RIGHTARG = odd.mood, FUNCTION = odd.equal, COMMUTATOR = ====);
CREATE OPERATOR odd.!! (RIGHTARG = odd.mood, FUNCTION = odd.unlike);
CREATE CAST (odd.mood AS int) WITH INOUT AS IMPLICIT;

CREATE VIEW odd.seen AS SELECT id, odd.f(id) FROM odd.orders;
CREATE MATERIALIZED VIEW odd.kept AS SELECT 1 AS a;
ALTER TABLE odd.orders ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON odd.orders USING (odd.unlike(NULL));
