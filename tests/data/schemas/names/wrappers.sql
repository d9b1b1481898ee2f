CREATE FUNCTION own_handler() RETURNS fdw_handler LANGUAGE internal VOLATILE
  AS 'pg_advisory_unlock_all';
CREATE FOREIGN DATA WRAPPER own HANDLER own_handler;
CREATE SERVER own FOREIGN DATA WRAPPER own;
CREATE FOREIGN TABLE away (a integer) SERVER own;
CREATE TABLE t (a integer);
