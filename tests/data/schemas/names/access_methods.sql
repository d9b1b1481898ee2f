CREATE FUNCTION own_handler(internal) RETURNS index_am_handler LANGUAGE internal VOLATILE
  AS 'hashhandler';
CREATE ACCESS METHOD own TYPE INDEX HANDLER own_handler;
CREATE FUNCTION money_hash(money) RETURNS integer LANGUAGE internal IMMUTABLE STRICT
  AS 'hashint8';
CREATE OPERATOR CLASS money_own DEFAULT FOR TYPE money USING own AS
  OPERATOR 1 =, FUNCTION 1 money_hash(money);
CREATE TABLE indexed (a money);
CREATE INDEX indexed_own ON indexed USING own (a);
CREATE OR REPLACE FUNCTION own_handler(internal) RETURNS index_am_handler LANGUAGE internal
  VOLATILE AS 'pg_advisory_lock_int8';
CREATE FUNCTION own_table_handler(internal) RETURNS table_am_handler LANGUAGE internal VOLATILE
  AS 'heap_tableam_handler';
CREATE ACCESS METHOD own_table TYPE TABLE HANDLER own_table_handler;
CREATE TABLE kept (a integer) USING own_table;
CREATE OR REPLACE FUNCTION own_table_handler(internal) RETURNS table_am_handler
  LANGUAGE internal VOLATILE AS 'pg_advisory_lock_int8';
CREATE TABLE plain (a money, n integer);
INSERT INTO plain VALUES (1, 1);
