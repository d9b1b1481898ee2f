-- What real clients send when they connect, reset a session or check that it is alive. Everything passes
-- under the policy it belongs to: both, or the one that is named. reads.sql tells the form of this file.
----
--! PgJDBC
SET extra_float_digits = 3
----
SET application_name = 'PostgreSQL JDBC Driver'
----
SET SESSION search_path TO 'public'
----
SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED
----
SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY
----
BEGIN READ ONLY
----
SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY; SELECT 1
----
SHOW TRANSACTION ISOLATION LEVEL
----
--! psqlODBC
SET DateStyle = 'ISO';SET extra_float_digits = 2;show transaction_isolation
----
BEGIN;select 1
----
--! clamped
BEGIN;declare "SQL_CUR1" cursor with hold for select * from customers;fetch 100 in "SQL_CUR1"
----
SAVEPOINT _EXEC_SVP_1
----
SAVEPOINT _EXEC_SVP_1;select name from customers;RELEASE _EXEC_SVP_1
----
ROLLBACK TO _EXEC_SVP_1;RELEASE _EXEC_SVP_1
----
--! pgAdmin
SET DateStyle=ISO; SET client_min_messages=notice; SELECT set_config('bytea_output','hex',false) FROM pg_show_all_settings() WHERE name = 'bytea_output'; SET client_encoding='utf-8';
----
SELECT set_config('bytea_output','hex',false) FROM pg_catalog.pg_settings WHERE name = 'bytea_output'
----
--! Sequelize
SET client_min_messages TO warning;SET TIME ZONE INTERVAL '+00:00' HOUR TO MINUTE;
----
SET standard_conforming_strings=on;SET client_min_messages TO warning;SET TIME ZONE INTERVAL '+00:00' HOUR TO MINUTE;
----
--! knex, LangChain, Superset, DBeaver
set search_path to "public"
----
set search_path = public
----
SET search_path TO "$user", public
----
SET search_path = "$user",public
----
SHOW search_path
----
SELECT current_schema(),session_user
----
SET application_name = 'DBeaver 24.1.0 - Main <shop>'
----
--! Django, asyncpg
SELECT set_config('TimeZone','UTC',false)
----
SELECT set_config('TimeZone', 'UTC', false)
----
SELECT pg_catalog.set_config('jit', 'off', false)
----
SELECT set_config('jit','off',false)
----
SELECT current_setting('jit') AS cur, set_config('jit', 'off', false) AS new
----
--! asyncpg puts back what it found
SELECT set_config('jit', $1, false)
----
--! SQLAlchemy
select pg_catalog.version()
----
select current_schema()
----
show transaction isolation level
----
show standard_conforming_strings
----
SELECT t.oid, typarray FROM pg_type t JOIN pg_namespace ns ON typnamespace = ns.oid WHERE typname = 'hstore'
----
BEGIN
----
ROLLBACK
----
--! psycopg2, psycopg 3, tokio-postgres, pgx, lib/pq
SET default_transaction_read_only TO 'on'
----
SET SESSION default_transaction_read_only = on
----
SET client_encoding TO 'UTF8'
----
SET client_encoding = 'utf-8'
----
SET default_transaction_isolation TO 'serializable'
----
SET default_transaction_deferrable TO off
----
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY
----
SHOW transaction_read_only
----
SELECT pg_is_in_recovery()
----
SHOW client_encoding
----
select 1
----
--! needs=name
DEALLOCATE "_pg3_0"
----
DEALLOCATE ALL
----
--! Npgsql, Metabase
SELECT version();
----
show timezone;
----
SET TimeZone='UTC'
----
SET SESSION TIMEZONE TO 'Europe/Oslo'
----
-- Metabase
SELECT true AS "_"
----
--! pg_dump
SELECT pg_catalog.set_config('search_path', '', false)
----
SELECT pg_catalog.set_config('search_path', '', false);
----
SET DATESTYLE = ISO
----
SET INTERVALSTYLE = POSTGRES
----
SET extra_float_digits TO 3
----
SET synchronize_seqscans TO off
----
SET statement_timeout = 1000
----
SET lock_timeout = 1000
----
SET idle_in_transaction_session_timeout = 1000
----
--! since=17
SET transaction_timeout = 0
----
SET quote_all_identifiers = false
----
--! policy=bi
SET row_security = off
----
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY
----
--! policy=bi
LOCK TABLE public.customers IN ACCESS SHARE MODE
----
--! policy=bi
LOCK TABLE ONLY public.customers, public.orders IN ACCESS SHARE MODE
----
COPY (SELECT id, name FROM public.customers) TO stdout;
----
--! reset and ping
DISCARD ALL
----
SELECT pg_advisory_unlock_all(); CLOSE ALL; UNLISTEN *; RESET ALL;
----
SELECT pg_advisory_unlock_all();
CLOSE ALL;
UNLISTEN *;
RESET ALL;
----
SET SESSION AUTHORIZATION DEFAULT;RESET ALL;CLOSE ALL;UNLISTEN *;SELECT pg_advisory_unlock_all();DISCARD SEQUENCES;DISCARD TEMP
----
SET SESSION AUTHORIZATION DEFAULT;UNLISTEN *;SELECT pg_advisory_unlock_all();DISCARD SEQUENCES;DISCARD TEMP
----
RESET SESSION AUTHORIZATION
----
CLOSE ALL
----
UNLISTEN *
----
RESET ALL
----
SELECT pg_advisory_unlock_all()
----
DISCARD SEQUENCES
----
DISCARD TEMP
----
DISCARD TEMPORARY
----
DISCARD PLANS
----
ABORT
----
ROLLBACK;DISCARD ALL
----

----
;
----
-- ping
----
SELECT 'ping'
----
SELECT
----
--! repeats of what is so anyway, and stricter values
SET default_transaction_read_only = on
----
SET default_transaction_read_only = true
----
SET default_transaction_read_only = 'yes'
----
SET default_transaction_read_only TO 1
----
SET LOCAL default_transaction_read_only = on
----
SET transaction_read_only = on
----
SELECT set_config('default_transaction_read_only', 'on', false)
----
SET standard_conforming_strings = on
----
SET client_encoding = 'UTF8'
----
SET NAMES 'UTF8'
----
SET statement_timeout = '1s'
----
SET statement_timeout = 500
----
SET LOCAL statement_timeout TO '5s'
----
RESET default_transaction_read_only
----
RESET statement_timeout
----
SET statement_timeout TO DEFAULT
----
RESET ROLE
----
--! what the policy lowers
--! clamped
SET statement_timeout = 0
----
--! clamped
SET statement_timeout = '1d'
----
--! clamped
SET SESSION statement_timeout TO 0
----
--! clamped
SET lock_timeout = 0
----
--! clamped
SET idle_in_transaction_session_timeout = 0
----
--! clamped
SELECT set_config('statement_timeout', '0', false)
----
--! clamped
SELECT set_config('statement_timeout', '0'::text, false)
----
--! clamped
SELECT pg_catalog.set_config(E'statement\x5ftimeout', E'\x30', true)
----
--! clamped
SET statement_timeout = E'\x30'
----
--! clamped
SET statement_timeout = U&'\0030'
----
--! clamped
SET statement_timeout = $$0$$
----
--! clamped
SET statement_timeout = '0'
    's'
----
--! clamped
SET LOCAL statement_timeout TO /* none */ 0 -- none
----
--! clamped
SET statement_timeout = 99999999
----
--! clamped
SET statement_timeout = '1us'
----
--! Grafana, Superset, Metabase: what they ask about servers
SELECT current_setting('server_version_num')::int/100 as version
----
SHOW server_version
----
SELECT 1 FROM pg_extension WHERE extname = 'timescaledb'
----
--! policy=bi monitoring tools, as a member of pg_monitor
SELECT count(*) AS count FROM pg_ls_waldir() WHERE name ~ E'^[0-9A-F]{24}$'
----
--! policy=bi
SELECT count(*) AS temp_files, COALESCE(SUM(size), 0) AS temp_bytes FROM pg_tablespace ts, LATERAL pg_catalog.pg_ls_tmpdir(ts.oid) tmp WHERE spcname <> 'pg_global'
----
--! policy=bi
SELECT count(*) FILTER (WHERE name LIKE '%.ready') FROM pg_ls_archive_statusdir()
----
--! policy=bi since=15
SELECT slot_name, f.* FROM pg_replication_slots s, LATERAL pg_ls_replslotdir(s.slot_name) AS f (name, size, modification)
----
--! policy=bi
SELECT name, size FROM pg_ls_logdir() ORDER BY modification DESC LIMIT 1
