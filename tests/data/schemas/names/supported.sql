CREATE FUNCTION sup(internal) RETURNS internal LANGUAGE internal VOLATILE STRICT
  AS 'pg_advisory_lock_int8';
CREATE FUNCTION supported(integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE SUPPORT sup
  AS 'BEGIN RETURN $1; END';
CREATE FUNCTION unsupported(integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE
  AS 'BEGIN RETURN $1; END';
CREATE FUNCTION supported_rows(integer) RETURNS SETOF integer LANGUAGE plpgsql IMMUTABLE
  SUPPORT sup AS 'BEGIN RETURN NEXT $1; END';
CREATE OPERATOR @@@ (RIGHTARG = integer, FUNCTION = supported);
CREATE TABLE t (a integer);
INSERT INTO t SELECT generate_series(1, 100);
CREATE VIEW supported_view AS SELECT supported(a) FROM t;
