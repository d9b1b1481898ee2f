-- Every family of backslash commands, and the ways psql has to run a query. Nothing in here writes, so what
-- psql prints must be the same through pgsieve as from the database itself.
\set VERBOSITY verbose
\set SHOW_CONTEXT always
\pset pager off
\echo lists
\d
\d+
\dt
\dt+
\dtvmsiE *.item*
\d item
\d+ item
\d part
\d "Mixed Case"
\d+ every_type
\d item_view
\d+ item_view
\d+ item_total
\d parted
\d+ parted
\d parted_low
\d item_name
\d+ item_name
\d counter
\d pair
\d+ pg_catalog.pg_class
\d no_such_table
\d "no such"
\dS pg_cl*
\di
\di+
\ds
\ds+
\dv
\dv+
\dm
\dm+
\dE
\dP
\dP+
\dPt
\dPi
\dn
\dn+
\dnS+
\df
\df+
\dfS lower
\df+ pg_catalog.lower
\dfn s*
\dfa sum
\dfp
\dft
\dfw rank
\df * text text
\da sum
\daS+ max
\dT
\dT+
\dTS+ int4
\dC
\dC+ integer
\dd
\dd *
\ddp
\dD
\dD+
\dDS+
\do
\doS =
\doS+ + integer integer
\dO
\dOS+ C
\dc
\dcS utf8*
\dL
\dLS+
\dx
\dx+
\dX
\dy
\dp
\dp item
\z part
\des
\deu
\det
\dew
\dew+
\dF
\dF+ simple
\dFd
\dFd+
\dFp
\dFp+
\dFt
\dFt+
\dA
\dA+
\dAc btree int4
\dAc+ hash text
\dAf btree int4
\dAf+ btree int4
\dAo btree integer_ops
\dAo+ btree integer_ops
\dAp btree integer_ops
\dAp+ btree integer_ops
\dRp
\dRp+
\dRs
\drds app
\dconfig enable_*
\dconfig+ work_mem
\du app
\du+ app
\dg reader
\l template0
\l+ template0
\db
\dl
\lo_list
\sf say
\sf+ say
\sf pg_catalog.lower(text)
\sf no_such_function
\sv item_view
\sv+ item_view
\sv no_such_view
\echo running
SELECT 1 AS one, 'two' AS two, NULL AS three;
SELECT 1 AS a \g
SELECT 1 AS a, 'x' AS b \gx
SELECT id, name FROM item WHERE id < 3 ORDER BY id \g (format=csv)
SELECT id, name, price, made, tags, state FROM item \gdesc
SELECT $1::int + 1, $2::date \gdesc
SELECT no_such_column \gdesc
SELECT 1 AS first, 'two words' AS second \gset prefix_
\echo :prefix_first :'prefix_second' :"prefix_second"
SELECT * FROM item WHERE id = :prefix_first;
SELECT format('SELECT %s AS n', n) FROM generate_series(1, 3) n \gexec
SELECT 'SELECT 1', 'SELECT 1/0', 'SELECT 2' \gexec
SELECT line, item_id % 3 AS mod, sum(amount) FROM part GROUP BY 1, 2 ORDER BY 1, 2 \crosstabview line mod sum
SELECT 1/0 \watch 1
\errverbose
\set ECHO_HIDDEN off
\echo formats
\x on
TABLE every_type;
\x auto
\pset format csv
TABLE "Mixed Case";
\pset format html
TABLE "Mixed Case";
\pset format latex
TABLE "Mixed Case";
\pset format unaligned
\pset fieldsep '|'
\t on
SELECT id, name FROM item ORDER BY id LIMIT 5;
\t off
\pset format wrapped
\pset columns 60
SELECT repeat('words and ', 20);
\pset format aligned
\pset null '(null)'
\pset border 2
SELECT a_bool, a_text FROM every_type;
\x off
\echo copy
\copy (SELECT id, name FROM item WHERE id < 4 ORDER BY id) to stdout
\copy (SELECT id, name FROM item WHERE id < 4 ORDER BY id) to pstdout with (format csv, header)
\copy other.item to stdout
\copy "Mixed Case" ("Key") to pstdout with (format csv, header)
\copy item_view to stdout
COPY parted_low TO STDOUT (FORMAT csv);
COPY (SELECT id, price FROM item WHERE id BETWEEN 9 AND 11 ORDER BY id) TO STDOUT (FORMAT csv);
\copy (SELECT 1/0) to stdout
\echo transactions
BEGIN;
SELECT count(*) FROM item;
SAVEPOINT a;
SELECT 1/0;
SELECT 'ignored';
ROLLBACK TO a;
SELECT 'back';
COMMIT;
\set ON_ERROR_ROLLBACK on
BEGIN;
SELECT no_such_column;
SELECT 'still here';
COMMIT;
\set ON_ERROR_ROLLBACK off
\set AUTOCOMMIT off
SELECT 'in a block';
SELECT 1/0;
ROLLBACK;
\set AUTOCOMMIT on
BEGIN TRANSACTION ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SHOW transaction_isolation;
END;
\echo cursors
\set FETCH_COUNT 7
SELECT id, name FROM item WHERE id <= 20 ORDER BY id;
SELECT 100 / (15 - id) FROM item ORDER BY id;
\set FETCH_COUNT 0
BEGIN;
DECLARE c CURSOR FOR SELECT id FROM item ORDER BY id;
FETCH 3 FROM c;
FETCH 3 FROM c;
CLOSE c;
COMMIT;
\echo prepared
PREPARE p(int) AS SELECT name FROM item WHERE id = $1;
EXECUTE p(5);
EXECUTE p('six');
DEALLOCATE p;
\echo settings
SET application_name = 'psql tests';
SHOW application_name;
SET TIME ZONE 'Asia/Tokyo';
SELECT timestamptz '2024-01-01 00:00+00';
SET search_path = other;
\dt
RESET ALL;
DISCARD ALL;
\encoding
\c -
SELECT current_database() = :'DBNAME' AS same;
\echo read write
BEGIN READ WRITE;
SELECT count(*) FROM item;
COMMIT AND CHAIN;
ROLLBACK;
START TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ WRITE;
SET TRANSACTION READ WRITE;
COMMIT;
\echo notices
SELECT 'notice' ~~~> 'a note', 'warning' ~~~> 'a warning';
SELECT 'P0042' !!!> 'an error with every field';
\set SHOW_CONTEXT never
\set VERBOSITY terse
SELECT 'P0042' !!!> 'an error with every field';
\set VERBOSITY sqlstate
SELECT 1/0;
SELECT count(*) FROM no_such_table;
SET statement_timeout = 50;
SELECT count(*) FROM generate_series(1, 100000000);
\set VERBOSITY default
\echo :ERROR :SQLSTATE :ROW_COUNT :LAST_ERROR_SQLSTATE
