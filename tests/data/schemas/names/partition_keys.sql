CREATE FUNCTION own_cmp(integer, integer) RETURNS integer LANGUAGE plpgsql AS
  'BEGIN PERFORM pg_advisory_lock(1); RETURN btint4cmp($1, $2); END';
CREATE OPERATOR CLASS own_ops FOR TYPE integer USING btree AS
  OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
  FUNCTION 1 own_cmp(integer, integer);
CREATE FUNCTION own_hash(integer, bigint) RETURNS bigint LANGUAGE plpgsql AS
  'BEGIN PERFORM pg_advisory_lock(1); RETURN 5; END';
CREATE FUNCTION own_hash(integer) RETURNS integer LANGUAGE plpgsql AS
  'BEGIN PERFORM pg_advisory_lock(1); RETURN 5; END';
CREATE OPERATOR CLASS own_hash_ops FOR TYPE integer USING hash AS
  OPERATOR 1 =, FUNCTION 1 own_hash(integer), FUNCTION 2 own_hash(integer, bigint);
CREATE TABLE split (id integer, name text) PARTITION BY RANGE (id own_ops);
CREATE TABLE split_low PARTITION OF split FOR VALUES FROM (0) TO (10);
CREATE TABLE split_high PARTITION OF split FOR VALUES FROM (10) TO (20);
CREATE VIEW over_split AS SELECT name FROM split;
CREATE TABLE listed (id integer, name text) PARTITION BY LIST (id own_ops);
CREATE TABLE listed_one PARTITION OF listed FOR VALUES IN (1, 2);
CREATE TABLE listed_rest PARTITION OF listed DEFAULT;
CREATE TABLE hashed (id integer, name text) PARTITION BY HASH (id own_hash_ops);
CREATE TABLE hashed_0 PARTITION OF hashed FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE hashed_1 PARTITION OF hashed FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE plain (id text);
CREATE TABLE plain_split (id text) PARTITION BY LIST (id);
CREATE TABLE plain_split_1 PARTITION OF plain_split FOR VALUES IN ('1', '2');
