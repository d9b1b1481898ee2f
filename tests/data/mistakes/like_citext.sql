-- A type that is made as citext is: text takes no notice of it, and it is compared by its own.
CREATE TYPE cit;
CREATE FUNCTION cit_in(cstring) RETURNS cit LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION cit_out(cit) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
CREATE TYPE cit (INPUT = cit_in, OUTPUT = cit_out, LIKE = text, CATEGORY = 'S');
CREATE CAST (cit AS text) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (text AS cit) WITHOUT FUNCTION AS ASSIGNMENT;
CREATE FUNCTION cit_cmp(cit, cit) RETURNS integer LANGUAGE internal IMMUTABLE STRICT AS 'bttextcmp';
CREATE FUNCTION cit_eq(cit, cit) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT AS 'texteq';
CREATE OPERATOR = (LEFTARG = cit, RIGHTARG = cit, FUNCTION = cit_eq, COMMUTATOR = =, MERGES);
CREATE OPERATOR CLASS cit_ops DEFAULT FOR TYPE cit USING btree
    AS OPERATOR 3 =, FUNCTION 1 cit_cmp(cit, cit);
CREATE TABLE plain (id integer, name text);
CREATE TABLE people (id integer, email cit);
GRANT SELECT ON plain, people TO app;
