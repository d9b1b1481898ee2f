-- Clean themselves: but the planner puts one in the place of the other, and what it then finds in
-- the families of that one has an effect.
CREATE FUNCTION own_cmp(integer, integer) RETURNS integer LANGUAGE plpgsql AS
  'BEGIN PERFORM pg_advisory_lock(1); RETURN btint4cmp($1, $2); END';
CREATE FUNCTION lt(integer, integer) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT AS 'int4lt';
CREATE FUNCTION le(integer, integer) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT AS 'int4le';
CREATE FUNCTION eq(integer, integer) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT AS 'int4eq';
CREATE FUNCTION ne(integer, integer) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT AS 'int4ne';
CREATE FUNCTION ge(integer, integer) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT AS 'int4ge';
CREATE FUNCTION gt(integer, integer) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT AS 'int4gt';
CREATE OPERATOR >~ (LEFTARG = integer, RIGHTARG = integer, FUNCTION = gt);
CREATE OPERATOR <~ (LEFTARG = integer, RIGHTARG = integer, FUNCTION = lt, COMMUTATOR = >~);
CREATE OPERATOR <=~ (LEFTARG = integer, RIGHTARG = integer, FUNCTION = le, NEGATOR = >~);
CREATE OPERATOR >=~ (LEFTARG = integer, RIGHTARG = integer, FUNCTION = ge, NEGATOR = <~);
CREATE OPERATOR =~ (LEFTARG = integer, RIGHTARG = integer, FUNCTION = eq);
CREATE OPERATOR CLASS own_ops FOR TYPE integer USING btree AS
  OPERATOR 3 =~, OPERATOR 5 >~, FUNCTION 1 own_cmp(integer, integer);
CREATE TABLE numbered (v integer);
INSERT INTO numbered SELECT generate_series(1, 20000);
CREATE INDEX ON numbered (v own_ops);
CREATE FUNCTION own_hash(integer) RETURNS integer LANGUAGE plpgsql AS
  'BEGIN PERFORM pg_advisory_lock(1); RETURN 5; END';
CREATE OPERATOR ==! (LEFTARG = integer, RIGHTARG = integer, FUNCTION = eq, HASHES,
  COMMUTATOR = ==!, NEGATOR = <>!);
CREATE OPERATOR <>! (LEFTARG = integer, RIGHTARG = integer, FUNCTION = ne, NEGATOR = ==!);
CREATE OPERATOR CLASS own_hash_ops FOR TYPE integer USING hash AS
  OPERATOR 1 ==!, FUNCTION 1 own_hash(integer);
CREATE TABLE few (v integer);
INSERT INTO few VALUES (1), (20);
ANALYZE numbered, few;
