CREATE TYPE mt;
CREATE FUNCTION mt_in(cstring, oid, integer) RETURNS mt LANGUAGE internal IMMUTABLE STRICT
  AS 'int4in';
CREATE FUNCTION mt_out(mt) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'int4out';
CREATE FUNCTION mt_modifier(cstring[]) RETURNS integer LANGUAGE internal IMMUTABLE STRICT
  AS 'varchartypmodin';
CREATE FUNCTION mt_modifier_out(integer) RETURNS cstring LANGUAGE internal VOLATILE STRICT
  AS 'pg_export_snapshot';
CREATE TYPE mt (INPUT = mt_in, OUTPUT = mt_out, TYPMOD_IN = mt_modifier,
  TYPMOD_OUT = mt_modifier_out, LIKE = integer);
CREATE TABLE modified (a mt(5));
CREATE TYPE own;
CREATE FUNCTION own_in(cstring) RETURNS own LANGUAGE internal IMMUTABLE STRICT AS 'int8in';
CREATE FUNCTION own_out(own) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'int8out';
CREATE TYPE own (INPUT = own_in, OUTPUT = own_out, LIKE = bigint);
CREATE FUNCTION own_lt(own, own) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT AS 'int8lt';
CREATE FUNCTION own_eq(own, own) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT AS 'int8eq';
CREATE FUNCTION own_gt(own, own) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT AS 'int8gt';
CREATE FUNCTION own_cmp(own, own) RETURNS integer LANGUAGE internal IMMUTABLE STRICT
  AS 'btint8cmp';
CREATE OPERATOR < (LEFTARG = own, RIGHTARG = own, FUNCTION = own_lt);
CREATE OPERATOR = (LEFTARG = own, RIGHTARG = own, FUNCTION = own_eq);
CREATE OPERATOR > (LEFTARG = own, RIGHTARG = own, FUNCTION = own_gt);
CREATE OPERATOR CLASS own_ops DEFAULT FOR TYPE own USING btree AS
  OPERATOR 1 <, OPERATOR 3 =, OPERATOR 5 >, FUNCTION 1 own_cmp(own, own);
CREATE TABLE owned (a integer, p own DEFAULT '7', CHECK (p IS NULL OR NOT own_eq(p, '8')));
INSERT INTO owned SELECT n % 3, (n % 3)::text::own FROM generate_series(1, 1000) AS n;
CREATE STATISTICS own_stats (mcv) ON a, p FROM owned;
ANALYZE owned;
CREATE INDEX own_partial ON owned (a) WHERE own_eq(p, '5');
CREATE VIEW seen AS SELECT 1 AS one, own_eq(p, '7') AS p FROM owned;
CREATE FUNCTION with_default(integer, own DEFAULT '9') RETURNS integer LANGUAGE sql
  AS 'SELECT 1';
CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER own_trigger BEFORE INSERT ON owned FOR EACH ROW WHEN (own_eq(NEW.p, '3'))
  EXECUTE FUNCTION noted();
CREATE TABLE keyed (a integer, p own) PARTITION BY LIST (own_eq(p, '4'));
CREATE TABLE keyed_1 PARTITION OF keyed FOR VALUES IN (true);
DO $$ BEGIN
  IF current_setting('server_version_num')::integer >= 140000 THEN
    EXECUTE 'CREATE STATISTICS own_expr ON (own_eq(p, ''6'')), a FROM owned';
    EXECUTE 'CREATE FUNCTION with_body() RETURNS boolean LANGUAGE sql RETURN own_eq(''1'', ''2'')';
  END IF;
END $$;
CREATE OR REPLACE FUNCTION own_out(own) RETURNS cstring LANGUAGE internal VOLATILE STRICT
  AS 'pg_export_snapshot';
CREATE TABLE plain (a integer);
