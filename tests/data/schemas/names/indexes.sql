CREATE FUNCTION own_cmp(text, text) RETURNS integer LANGUAGE plpgsql AS
  'BEGIN PERFORM pg_advisory_lock(1); RETURN bttextcmp($1, $2); END';
CREATE OPERATOR CLASS own_ops FOR TYPE text USING btree AS
  OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
  FUNCTION 1 own_cmp(text, text);
CREATE TABLE worded (v text COLLATE "C");
INSERT INTO worded SELECT n::text FROM generate_series(1, 2000) AS n;
CREATE INDEX ON worded (v own_ops);
CREATE VIEW words_seen AS SELECT v FROM worded;
CREATE TABLE plain (v text COLLATE "C");
INSERT INTO plain SELECT n::text FROM generate_series(1, 2000) AS n;
CREATE INDEX ON plain (v);
ANALYZE worded, plain;
