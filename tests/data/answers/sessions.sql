# Transactions.
BEGIN
SELECT 1
COMMIT

begin;
SELECT count(*) FROM item
BEGIN
END

START TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY, DEFERRABLE
SHOW transaction_isolation
SHOW transaction_deferrable
COMMIT AND CHAIN
SHOW transaction_isolation
ROLLBACK AND CHAIN
ABORT
ROLLBACK
COMMIT
END WORK

BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY
SELECT 1/0
SELECT 1
SHOW search_path
SAVEPOINT a
COMMIT
SELECT 'alive'

BEGIN READ ONLY
SELECT no_such_column
ROLLBACK
SELECT 'alive'

BEGIN
SAVEPOINT a
SELECT 1/0
ROLLBACK TO SAVEPOINT a
SELECT 2
SAVEPOINT b
RELEASE SAVEPOINT b
ROLLBACK TO b
ROLLBACK TO a
RELEASE a
SELECT 3
COMMIT

BEGIN
SAVEPOINT a
SAVEPOINT a
SELECT 'x'::int
ROLLBACK WORK TO SAVEPOINT a
RELEASE a
ROLLBACK TO a
COMMIT

SAVEPOINT outside
RELEASE SAVEPOINT outside
ROLLBACK TO SAVEPOINT outside
COMMIT AND CHAIN

BEGIN
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ
SELECT 1
SET TRANSACTION ISOLATION LEVEL SERIALIZABLE
ROLLBACK

SET TRANSACTION READ ONLY
SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ
SHOW transaction_isolation
RESET default_transaction_isolation
SHOW default_transaction_isolation

# Cursors.
BEGIN
DECLARE c CURSOR FOR SELECT id, name FROM item ORDER BY id
FETCH c
FETCH NEXT FROM c
FETCH 3 FROM c
FETCH FORWARD 2 IN c
MOVE 10 FROM c
FETCH ABSOLUTE 20 FROM c
DECLARE d SCROLL CURSOR FOR SELECT id FROM item ORDER BY id
FETCH LAST FROM d
FETCH PRIOR FROM d
FETCH BACKWARD 2 FROM d
MOVE BACKWARD ALL IN d
FETCH RELATIVE 0 FROM d
FETCH ALL FROM d
FETCH d
SELECT name, statement FROM pg_cursors WHERE name IN ('c', 'd') ORDER BY 1
CLOSE c
CLOSE ALL
COMMIT

DECLARE outside CURSOR FOR SELECT 1

BEGIN
DECLARE "Quoted C" NO SCROLL CURSOR WITHOUT HOLD FOR SELECT * FROM "Mixed Case"
FETCH "Quoted C"
FETCH BACKWARD FROM "Quoted C"
ROLLBACK

BEGIN
DECLARE c BINARY CURSOR FOR SELECT id, made, price FROM item ORDER BY id
FETCH 2 FROM c
DECLARE c CURSOR FOR SELECT 1
ROLLBACK

BEGIN
DECLARE c CURSOR FOR SELECT 10 / (5 - id) FROM item ORDER BY id
FETCH 4 FROM c
FETCH 4 FROM c
ROLLBACK

# Statements prepared in SQL.
PREPARE p AS SELECT id, name FROM item WHERE id = $1
EXECUTE p(7)
EXECUTE p('8')
EXECUTE p('x')
EXECUTE p
EXECUTE p(1, 2)
SELECT name, statement, parameter_types FROM pg_prepared_statements WHERE name = 'p'
PREPARE p AS SELECT 1
EXPLAIN (COSTS OFF) EXECUTE p(1)
DEALLOCATE p
PREPARE q (int, text) AS SELECT $1, $2, $1 + 1
EXECUTE q(1, 'a')
DEALLOCATE PREPARE q
PREPARE broken AS SELECT no_such_column FROM item
PREPARE guess AS SELECT $1
EXECUTE guess('text')
DEALLOCATE ALL

# Settings, and what the server reports of them.
SET application_name = 'renamed'
SHOW application_name
SET application_name TO 'renamed'
SET DateStyle = 'German, DMY'
SELECT date '2024-02-01', timestamptz '2024-02-01 10:00+00'
SET DateStyle TO ISO
SET IntervalStyle = 'iso_8601'
SELECT interval '1 day 2 hours'
SET TIME ZONE 'Asia/Tokyo'
SELECT timestamptz '2024-02-01 10:00+00'
SET TimeZone = 'nonsense'
SET TIME ZONE INTERVAL '+02:00' HOUR TO MINUTE
SET SESSION extra_float_digits = 0
SELECT 0.1::float8 + 0.2::float8, 1/3.0::float4
SET bytea_output = 'escape'
SELECT '\x00ff41'::bytea
SET bytea_output TO DEFAULT
SET search_path = other, public
SELECT * FROM item WHERE id = 1
SHOW search_path
SET search_path TO DEFAULT
SET search_path = ''
SELECT * FROM item
RESET search_path
SET client_min_messages = warning
SELECT 'notice' ~~~> 'unheard', 'warning' ~~~> 'heard'
SET client_min_messages TO notice
SELECT 'notice' ~~~> 'heard'
RESET client_min_messages
SET default_transaction_read_only = on
SET client_encoding = 'UTF8'
SET standard_conforming_strings = on
SET statement_timeout = '10s'
SHOW statement_timeout
SET LOCAL enable_seqscan = off
SET DateStyle = nonsense
SELECT set_config('TimeZone', 'UTC', false)
SELECT set_config('bytea_output', 'hex', true)
RESET TimeZone
RESET ALL
SHOW default_transaction_read_only

BEGIN
SET LOCAL TimeZone = 'Asia/Tokyo'
SHOW TimeZone
SAVEPOINT a
SET LOCAL DateStyle = 'SQL'
ROLLBACK TO a
SHOW DateStyle
COMMIT
SHOW TimeZone

BEGIN
SET application_name = 'rolled back'
SELECT 1/0
ROLLBACK
SHOW application_name

BEGIN READ WRITE
SELECT id FROM item ORDER BY id LIMIT 1
COMMIT AND CHAIN
SELECT no_such_column FROM item
ROLLBACK

BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE DEFERRABLE
SAVEPOINT a
SHOW transaction_isolation
COMMIT

BEGIN
SET TRANSACTION READ WRITE
SELECT 1
COMMIT

DISCARD PLANS
DISCARD SEQUENCES
DISCARD TEMP
DISCARD ALL
CLOSE ALL
UNLISTEN *
DEALLOCATE ALL
SELECT pg_advisory_unlock_all()
SHOW transaction_read_only

BEGIN
DISCARD ALL
ROLLBACK

# A query that runs into its time.
SET statement_timeout = 1500
SELECT count(*) FROM generate_series(1, 100000000)
BEGIN
SELECT count(*) FROM generate_series(1, 100000000)
SELECT 1
ROLLBACK
RESET statement_timeout

# Constraints. No trigger is ever queued.
SET CONSTRAINTS ALL DEFERRED
SHOW transaction_read_only
BEGIN
SET CONSTRAINTS ALL DEFERRED
set constraints part_item_id_fkey, public.part_item_id_fkey immediate;
SET CONSTRAINTS "public"."part_item_id_fkey" DEFERRED
SELECT count(*) FROM part
SET CONSTRAINTS ALL IMMEDIATE
COMMIT
BEGIN
SET CONSTRAINTS nothing_there IMMEDIATE
ROLLBACK
BEGIN
SET CONSTRAINTS public.nothing_there DEFERRED
ROLLBACK
BEGIN
SET CONSTRAINTS no_schema.part_item_id_fkey DEFERRED
ROLLBACK
BEGIN
SET CONSTRAINTS item_pkey DEFERRED
ROLLBACK
