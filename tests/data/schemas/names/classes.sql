-- The default class of a type that has none, with an operator of the server in it.
CREATE FUNCTION at_lt(point, point) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
  'BEGIN RETURN $1[0] < $2[0]; END';
CREATE FUNCTION at_gt(point, point) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
  'BEGIN RETURN $1[0] > $2[0]; END';
CREATE FUNCTION at_cmp(point, point) RETURNS integer LANGUAGE plpgsql AS
  'BEGIN PERFORM pg_advisory_lock(1); RETURN btfloat8cmp($1[0], $2[0]); END';
CREATE OPERATOR <~ (LEFTARG = point, RIGHTARG = point, FUNCTION = at_lt);
CREATE OPERATOR >~ (LEFTARG = point, RIGHTARG = point, FUNCTION = at_gt);
CREATE OPERATOR CLASS at_ops DEFAULT FOR TYPE point USING btree AS
  OPERATOR 1 <~, OPERATOR 3 ~=, OPERATOR 5 >~, FUNCTION 1 at_cmp(point, point);
CREATE TABLE points (at point);
INSERT INTO points VALUES ('(1,2)'), ('(2,1)');
