# Several statements in one Query message.
SELECT 1; SELECT 2
SELECT 1; SELECT 2;
;; SELECT 1 ;;; SELECT 'a;b' ;
SELECT 1; SELECT 1/0; SELECT 3
SELECT id FROM item WHERE id < 4 ORDER BY id; SELECT * FROM empty_table; SHOW search_path; SELECT
BEGIN; SELECT 1; COMMIT
BEGIN; SELECT 1; ROLLBACK; SELECT 2
BEGIN; SELECT 1
SELECT 2; COMMIT
BEGIN; SELECT 1/0; COMMIT
SELECT 1
COMMIT; SELECT 3
BEGIN; SAVEPOINT a; SELECT 1; RELEASE a; COMMIT
SELECT 1; BEGIN; SELECT 2; COMMIT; SELECT 3
SELECT 1; COMMIT; SELECT 2
SET DateStyle = 'ISO';SET extra_float_digits = 2;show transaction_isolation
SET client_min_messages TO warning;SET TIME ZONE INTERVAL '+00:00' HOUR TO MINUTE;
SET DateStyle=ISO; SET client_min_messages=notice; SELECT set_config('bytea_output','hex',false); SET client_encoding='utf-8';
SELECT pg_advisory_unlock_all(); CLOSE ALL; UNLISTEN *; RESET ALL;
BEGIN; DECLARE c CURSOR FOR SELECT id FROM item ORDER BY id; FETCH 3 FROM c; FETCH 2 FROM c; CLOSE c; END
SELECT 1; SELECT no_such_column FROM item; SELECT 2
COPY (SELECT 1) TO STDOUT; COPY (SELECT 2) TO STDOUT; SELECT 3
SELECT 'notice' ~~~> 'one'; SELECT 'warning' ~~~> 'two'
PREPARE s AS SELECT 5; EXECUTE s; DEALLOCATE s
SELECT 'after'
