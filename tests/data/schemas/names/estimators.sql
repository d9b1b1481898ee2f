CREATE FUNCTION rest(internal, oid, internal, integer) RETURNS float8 LANGUAGE internal VOLATILE
  STRICT AS 'pg_advisory_lock_int8';
CREATE FUNCTION joins(internal, oid, internal, smallint, internal) RETURNS float8
  LANGUAGE internal VOLATILE STRICT AS 'pg_advisory_lock_int8';
CREATE FUNCTION same(integer, integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
  'BEGIN RETURN $1 = $2; END';
CREATE FUNCTION other(integer, integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
  'BEGIN RETURN $1 <> $2; END';
CREATE OPERATOR ==? (LEFTARG = integer, RIGHTARG = integer, FUNCTION = same, NEGATOR = <>?,
  RESTRICT = rest);
CREATE OPERATOR <>? (LEFTARG = integer, RIGHTARG = integer, FUNCTION = other, NEGATOR = ==?);
CREATE OPERATOR ==?? (LEFTARG = integer, RIGHTARG = integer, FUNCTION = same, JOIN = joins);
CREATE TABLE t (a integer);
INSERT INTO t SELECT generate_series(1, 100);
