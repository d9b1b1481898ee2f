CREATE SCHEMA x;
CREATE TYPE x.mt;
CREATE FUNCTION x.mt_in(cstring, oid, integer) RETURNS x.mt LANGUAGE internal IMMUTABLE STRICT
  AS 'int4in';
CREATE FUNCTION x.mt_out(x.mt) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'int4out';
CREATE FUNCTION x.mt_modifier(cstring[]) RETURNS integer LANGUAGE internal VOLATILE STRICT
  AS 'pg_try_advisory_lock_int8';
CREATE TYPE x.mt (INPUT = x.mt_in, OUTPUT = x.mt_out, TYPMOD_IN = x.mt_modifier, LIKE = integer);
CREATE FUNCTION x.f(x.mt) RETURNS integer LANGUAGE sql AS 'SELECT 1';
CREATE TABLE names (n text);
INSERT INTO names VALUES ('x.mt(5)');
CREATE VIEW names_read AS SELECT n::regtype AS t FROM names;
CREATE VIEW names_taken AS SELECT oid::regtype AS t FROM pg_type;
