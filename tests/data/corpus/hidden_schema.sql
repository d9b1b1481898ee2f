-- A database full of things that no parse tree shows. Run by a superuser in an empty database; the
-- role "reader" must be there, and may read everything. What hidden.sql asks for has an effect; what
-- hidden_harmless.sql asks for has none.
--
-- Most effects end in hidden.trace(), which takes an advisory lock: READ ONLY does not stop it, and
-- it stays until the session ends. hidden_trace.sql asks what traces there are.

CREATE SCHEMA hidden;
CREATE SCHEMA calm;
GRANT USAGE ON SCHEMA hidden, calm TO PUBLIC;
SET search_path = hidden, public;

-- What leaves traces

CREATE FUNCTION trace() RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  callers text;
BEGIN
  PERFORM pg_advisory_lock(4711);
  GET DIAGNOSTICS callers = PG_CONTEXT;
  PERFORM set_config('hidden.callers', concat(current_setting('hidden.callers', true), callers, E'\n'), true);
END $$;
CREATE FUNCTION evil() RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 1; END $$;
CREATE FUNCTION evil(integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN $1; END $$;
CREATE FUNCTION evil(text) RETURNS text LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN $1; END $$;
CREATE FUNCTION holds(anyelement) RETURNS boolean LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN true; END $$;
CREATE SEQUENCE numbers;
CREATE SEQUENCE others;

-- Tables and types

CREATE TABLE things (id integer PRIMARY KEY, name text, amount numeric, at timestamptz, tags text[], doc jsonb);
INSERT INTO things VALUES
  (1, 'one', 1.5, '2024-01-01', '{a,b}', '{"a": 1}'),
  (2, 'two', 2.5, '2024-02-01', '{b}', '{"a": 2}'),
  (3, 'three', 3.5, '2024-03-01', '{}', '{"a": 3}');
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE pair AS (a integer, b integer);
CREATE TYPE step AS (n integer);
CREATE TYPE chip AS (v integer);
CREATE TYPE size AS (v bigint);
CREATE TYPE token AS (v text);
CREATE TYPE flag AS (v boolean);

-- A number of one's own, in the category of numbers, so that it can stand beside them.
CREATE TYPE myint;
CREATE FUNCTION myint_in(cstring) RETURNS myint LANGUAGE internal IMMUTABLE STRICT AS 'int4in';
CREATE FUNCTION myint_out(myint) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'int4out';
CREATE TYPE myint (INPUT = myint_in, OUTPUT = myint_out, LIKE = integer, CATEGORY = 'N');

-- Types whose own functions have effects: the key of the lock is an address.
CREATE TYPE locking;
CREATE FUNCTION locking_in(cstring) RETURNS locking LANGUAGE internal VOLATILE STRICT AS 'pg_try_advisory_lock_int8';
CREATE FUNCTION locking_out(locking) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'boolout';
CREATE TYPE locking (INPUT = locking_in, OUTPUT = locking_out, LIKE = boolean);
CREATE TYPE measured;
CREATE FUNCTION measured_in(cstring, oid, integer) RETURNS measured LANGUAGE internal IMMUTABLE STRICT AS 'int4in';
CREATE FUNCTION measured_out(measured) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'int4out';
CREATE FUNCTION measured_typmod_in(cstring[]) RETURNS integer LANGUAGE internal VOLATILE STRICT AS 'pg_try_advisory_lock_int8';
CREATE TYPE measured (INPUT = measured_in, OUTPUT = measured_out, TYPMOD_IN = measured_typmod_in, LIKE = integer);

-- Domains

CREATE DOMAIN d_int AS integer CHECK (holds(VALUE));
CREATE DOMAIN d_text AS text CHECK (VALUE <> '' AND holds(VALUE));
CREATE DOMAIN d_lock AS bigint CHECK (pg_try_advisory_lock(VALUE));
CREATE DOMAIN d_array AS integer[] CHECK (holds(VALUE));
CREATE DOMAIN d_nested AS d_int;
CREATE DOMAIN d_pair AS pair CHECK (holds(VALUE));
CREATE TYPE with_domain AS (a d_int, b text);
CREATE TYPE with_domain_inside AS (w with_domain);
CREATE TYPE d_range AS RANGE (SUBTYPE = d_int);
CREATE DOMAIN d_clean AS integer CHECK (VALUE > 0);
CREATE DOMAIN d_clean_text AS text CHECK (VALUE ~ '^[a-z]+$' AND length(VALUE) < 10);
CREATE TYPE with_clean_domain AS (a d_clean, b text);
CREATE TABLE domains (id integer, plain integer, d d_int);
CREATE FUNCTION takes_domain(d_int) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS
$$ BEGIN RETURN 1; END $$;
CREATE FUNCTION takes_domain_array(VARIADIC d_int[]) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS
$$ BEGIN RETURN 1; END $$;
CREATE FUNCTION gives_domain(integer) RETURNS d_int LANGUAGE sql IMMUTABLE AS 'SELECT $1';
CREATE FUNCTION takes_clean_domain(d_clean) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 1';

-- Operators

CREATE FUNCTION op_int(integer, integer) RETURNS boolean LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN $1 = $2; END $$;
CREATE FUNCTION op_int_text(integer, text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN true; END $$;
CREATE FUNCTION op_prefix(integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN $1; END $$;
CREATE FUNCTION op_plus(text, integer) RETURNS text LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN $1; END $$;
CREATE FUNCTION op_mood(mood, mood) RETURNS boolean LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN $1::text = $2::text; END $$;
CREATE FUNCTION op_clean(integer, integer) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 % 7 = $2 % 7';
CREATE FUNCTION op_opaque(integer, integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
$$ BEGIN RETURN $1 % 7 = $2 % 7; END $$;
CREATE FUNCTION op_clean_prefix(integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT $1 + 1';
CREATE FUNCTION op_definer(integer, integer) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER AS
$$ BEGIN PERFORM hidden.trace(); RETURN true; END $$;
CREATE OPERATOR === (FUNCTION = op_int, LEFTARG = integer, RIGHTARG = integer);
CREATE OPERATOR !!! (FUNCTION = op_prefix, RIGHTARG = integer);
CREATE OPERATOR = (FUNCTION = op_int_text, LEFTARG = integer, RIGHTARG = text);
CREATE OPERATOR <> (FUNCTION = op_int_text, LEFTARG = integer, RIGHTARG = text);
CREATE OPERATOR < (FUNCTION = op_int_text, LEFTARG = integer, RIGHTARG = text);
CREATE OPERATOR <= (FUNCTION = op_int_text, LEFTARG = integer, RIGHTARG = text);
CREATE OPERATOR >= (FUNCTION = op_int_text, LEFTARG = integer, RIGHTARG = text);
CREATE OPERATOR > (FUNCTION = op_int_text, LEFTARG = integer, RIGHTARG = text);
CREATE OPERATOR ~~ (FUNCTION = op_int_text, LEFTARG = integer, RIGHTARG = text);
CREATE OPERATOR !~~ (FUNCTION = op_int_text, LEFTARG = integer, RIGHTARG = text);
CREATE OPERATOR ~~* (FUNCTION = op_int_text, LEFTARG = integer, RIGHTARG = text);
CREATE OPERATOR ~ (FUNCTION = op_int_text, LEFTARG = integer, RIGHTARG = text);
CREATE OPERATOR + (FUNCTION = op_plus, LEFTARG = text, RIGHTARG = integer);
CREATE OPERATOR || (FUNCTION = op_plus, LEFTARG = text, RIGHTARG = integer);
CREATE OPERATOR -> (FUNCTION = op_plus, LEFTARG = text, RIGHTARG = integer);
CREATE OPERATOR = (FUNCTION = op_mood, LEFTARG = mood, RIGHTARG = mood);
CREATE OPERATOR <> (FUNCTION = op_mood, LEFTARG = mood, RIGHTARG = mood);
CREATE OPERATOR >= (FUNCTION = op_mood, LEFTARG = mood, RIGHTARG = mood);
CREATE OPERATOR <= (FUNCTION = op_mood, LEFTARG = mood, RIGHTARG = mood);
CREATE OPERATOR %%% (FUNCTION = op_clean, LEFTARG = integer, RIGHTARG = integer);
CREATE OPERATOR @+ (FUNCTION = op_clean_prefix, RIGHTARG = integer);
CREATE OPERATOR &&& (FUNCTION = op_definer, LEFTARG = integer, RIGHTARG = integer);
-- Clean themselves, but the planner puts the other one in their place.
CREATE OPERATOR !== (FUNCTION = op_int, LEFTARG = integer, RIGHTARG = integer, NEGATOR = %==);
CREATE OPERATOR %== (FUNCTION = op_opaque, LEFTARG = integer, RIGHTARG = integer, NEGATOR = !==);
CREATE OPERATOR calm.=== (FUNCTION = op_clean, LEFTARG = integer, RIGHTARG = integer);
CREATE TABLE moods (id integer, m mood);
INSERT INTO moods VALUES (1, 'ok'), (2, 'sad');
CREATE TABLE moods_too (id integer, m mood);
INSERT INTO moods_too VALUES (1, 'ok'), (2, 'happy');
CREATE TABLE texts (k text);
INSERT INTO texts VALUES ('1'), ('2');

-- Operator classes: what ORDER BY, GROUP BY, DISTINCT and set operations run

CREATE FUNCTION pair_cmp(pair, pair) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN btint4cmp(($1).a, ($2).a); END $$;
CREATE FUNCTION pair_eq(pair, pair) RETURNS boolean LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN ($1).a = ($2).a; END $$;
CREATE FUNCTION pair_hash(pair) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 1; END $$;
CREATE OPERATOR < (FUNCTION = pair_eq, LEFTARG = pair, RIGHTARG = pair);
CREATE OPERATOR <= (FUNCTION = pair_eq, LEFTARG = pair, RIGHTARG = pair);
CREATE OPERATOR = (FUNCTION = pair_eq, LEFTARG = pair, RIGHTARG = pair, HASHES, MERGES);
CREATE OPERATOR >= (FUNCTION = pair_eq, LEFTARG = pair, RIGHTARG = pair);
CREATE OPERATOR > (FUNCTION = pair_eq, LEFTARG = pair, RIGHTARG = pair);
CREATE OPERATOR CLASS pair_ops DEFAULT FOR TYPE pair USING btree AS
  OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 pair_cmp(pair, pair);
CREATE OPERATOR CLASS pair_hash_ops DEFAULT FOR TYPE pair USING hash AS
  OPERATOR 1 =, FUNCTION 1 pair_hash(pair);
CREATE TYPE pair_range AS RANGE (SUBTYPE = pair);
CREATE TABLE pairs (id integer, p pair);
INSERT INTO pairs VALUES (1, ROW(1, 2)), (2, ROW(3, 4)), (3, ROW(1, 5));
-- Sorts cleanly; only RANGE frames do more.
CREATE FUNCTION step_cmp(step, step) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT btint4cmp(($1).n, ($2).n)';
CREATE FUNCTION step_eq(step, step) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT ($1).n = ($2).n';
CREATE FUNCTION step_lt(step, step) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT ($1).n < ($2).n';
CREATE FUNCTION step_le(step, step) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT ($1).n <= ($2).n';
CREATE FUNCTION step_gt(step, step) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT ($1).n > ($2).n';
CREATE FUNCTION step_ge(step, step) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT ($1).n >= ($2).n';
CREATE FUNCTION step_in_range(step, step, integer, boolean, boolean) RETURNS boolean LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN true; END $$;
CREATE OPERATOR < (FUNCTION = step_lt, LEFTARG = step, RIGHTARG = step);
CREATE OPERATOR <= (FUNCTION = step_le, LEFTARG = step, RIGHTARG = step);
CREATE OPERATOR = (FUNCTION = step_eq, LEFTARG = step, RIGHTARG = step);
CREATE OPERATOR >= (FUNCTION = step_ge, LEFTARG = step, RIGHTARG = step);
CREATE OPERATOR > (FUNCTION = step_gt, LEFTARG = step, RIGHTARG = step);
CREATE OPERATOR CLASS step_ops DEFAULT FOR TYPE step USING btree AS
  OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
  FUNCTION 1 step_cmp(step, step), FUNCTION 3 (step, integer) step_in_range(step, step, integer, boolean, boolean);
CREATE TABLE steps (id integer, s step);
INSERT INTO steps VALUES (1, ROW(1)), (2, ROW(2)), (3, ROW(5));
-- Another order for integers.
CREATE FUNCTION back_cmp(integer, integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN btint4cmp($2, $1); END $$;
CREATE FUNCTION back_lt(integer, integer) RETURNS boolean LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN $2 < $1; END $$;
CREATE OPERATOR <<< (FUNCTION = back_lt, LEFTARG = integer, RIGHTARG = integer);
CREATE OPERATOR <<= (FUNCTION = back_lt, LEFTARG = integer, RIGHTARG = integer);
CREATE OPERATOR ==< (FUNCTION = back_lt, LEFTARG = integer, RIGHTARG = integer);
CREATE OPERATOR >>= (FUNCTION = back_lt, LEFTARG = integer, RIGHTARG = integer);
CREATE OPERATOR >>> (FUNCTION = back_lt, LEFTARG = integer, RIGHTARG = integer);
CREATE OPERATOR CLASS back_ops FOR TYPE integer USING btree AS
  OPERATOR 1 <<<, OPERATOR 2 <<=, OPERATOR 3 ==<, OPERATOR 4 >>=, OPERATOR 5 >>>, FUNCTION 1 back_cmp(integer, integer);
-- Casts

CREATE FUNCTION chip_to_int(chip) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN ($1).v; END $$;
CREATE FUNCTION myint_to_json(myint) RETURNS json LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN '1'; END $$;
CREATE FUNCTION size_to_bigint(size) RETURNS bigint LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN ($1).v; END $$;
CREATE FUNCTION token_to_int(token) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 1; END $$;
CREATE FUNCTION token_to_text(token) RETURNS text LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN ($1).v; END $$;
CREATE FUNCTION int_to_token(integer) RETURNS token LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN ROW($1::text)::hidden.token; END $$;
CREATE FUNCTION myint_to_int(myint) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 2; END $$;
CREATE FUNCTION flag_to_bool(flag) RETURNS boolean LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN ($1).v; END $$;
CREATE FUNCTION point_to_text(point) RETURNS text LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 'point'; END $$;
CREATE FUNCTION int_to_uuid(integer) RETURNS uuid LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN md5($1::text)::uuid; END $$;
CREATE FUNCTION step_to_int(step) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT ($1).n';
CREATE CAST (chip AS integer) WITH FUNCTION chip_to_int(chip) AS IMPLICIT;
CREATE CAST (myint AS json) WITH FUNCTION myint_to_json(myint);
CREATE CAST (size AS bigint) WITH FUNCTION size_to_bigint(size) AS IMPLICIT;
CREATE CAST (token AS integer) WITH FUNCTION token_to_int(token);
CREATE CAST (token AS text) WITH FUNCTION token_to_text(token) AS ASSIGNMENT;
CREATE CAST (integer AS token) WITH FUNCTION int_to_token(integer) AS ASSIGNMENT;
CREATE CAST (myint AS integer) WITH FUNCTION myint_to_int(myint) AS IMPLICIT;
CREATE CAST (flag AS boolean) WITH FUNCTION flag_to_bool(flag) AS IMPLICIT;
CREATE CAST (point AS text) WITH FUNCTION point_to_text(point);
CREATE CAST (integer AS uuid) WITH FUNCTION int_to_uuid(integer) AS IMPLICIT;
CREATE CAST (step AS integer) WITH FUNCTION step_to_int(step) AS IMPLICIT;
CREATE TABLE chips (id integer, c chip, t token, f flag, m myint, at point);
INSERT INTO chips VALUES (1, ROW(1), ROW('x'), ROW(true), '1', '(1,2)');
CREATE FUNCTION takes_int(integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT $1';
CREATE FUNCTION takes_uuid(uuid) RETURNS uuid LANGUAGE sql IMMUTABLE AS 'SELECT $1';

-- Functions on rows

CREATE FUNCTION thing_effect(things) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 1; END $$;
CREATE FUNCTION pair_effect(pair) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 1; END $$;
CREATE FUNCTION row_effect(record) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 1; END $$;
CREATE FUNCTION int_effect(integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 1; END $$;
CREATE FUNCTION thing_label(things) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT ($1).name';
CREATE FUNCTION pair_sum(pair) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT ($1).a + ($1).b';
CREATE FUNCTION make_pair(integer) RETURNS pair LANGUAGE sql IMMUTABLE AS 'SELECT ROW($1, $1)::hidden.pair';

-- Other functions under the names of built-ins

CREATE FUNCTION lower(integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN $1; END $$;
CREATE FUNCTION lower() RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 1; END $$;
CREATE FUNCTION lower(text) RETURNS text LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN $1; END $$;
CREATE FUNCTION upper(integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN $1; END $$;
CREATE FUNCTION length(boolean) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 1; END $$;
CREATE FUNCTION abs(text) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 1; END $$;
CREATE FUNCTION abs(n integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 1; END $$;
CREATE FUNCTION round(text, integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 1; END $$;
CREATE FUNCTION date_trunc(text, text) RETURNS text LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN $1; END $$;
CREATE FUNCTION generate_series(text, text) RETURNS SETOF integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN NEXT 1; END $$;
CREATE FUNCTION format(integer, VARIADIC text[]) RETURNS text LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 'x'; END $$;
CREATE FUNCTION concat(integer, integer) RETURNS text LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 'x'; END $$;
CREATE FUNCTION left(integer, integer DEFAULT 1) RETURNS text LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 'x'; END $$;
CREATE FUNCTION to_char(boolean, text) RETURNS text LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 'x'; END $$;
CREATE FUNCTION now(integer) RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN '2024-01-01'; END $$;

-- Aggregates

CREATE FUNCTION effect_step(integer, integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN coalesce($1, 0) + coalesce($2, 0); END $$;
CREATE FUNCTION clean_step(integer, integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT coalesce($1, 0) + coalesce($2, 0)';
CREATE FUNCTION clean_back(integer, integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT $1 - $2';
CREATE FUNCTION effect_end(integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN $1; END $$;
CREATE FUNCTION clean_end(integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT $1';
CREATE FUNCTION text_step(text, text) RETURNS text LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN $2; END $$;
CREATE FUNCTION pair_step(bigint, pair) RETURNS bigint LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 1; END $$;
CREATE FUNCTION bool_step(boolean, boolean, text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN $2; END $$;
CREATE AGGREGATE agg_step(integer) (SFUNC = effect_step, STYPE = integer);
CREATE AGGREGATE agg_end(integer) (SFUNC = clean_step, STYPE = integer, FINALFUNC = effect_end);
CREATE AGGREGATE agg_moving(integer) (SFUNC = clean_step, STYPE = integer,
  MSFUNC = effect_step, MINVFUNC = clean_back, MSTYPE = integer);
CREATE AGGREGATE agg_moving_end(integer) (SFUNC = clean_step, STYPE = integer,
  MSFUNC = clean_step, MINVFUNC = clean_back, MSTYPE = integer, MFINALFUNC = effect_end);
CREATE AGGREGATE agg_ordered(ORDER BY integer) (SFUNC = clean_step, STYPE = integer, FINALFUNC = effect_end);
CREATE AGGREGATE agg_nothing(*) (SFUNC = effect_end, STYPE = integer, INITCOND = '0');
CREATE AGGREGATE agg_domain(integer) (SFUNC = clean_step, STYPE = integer, FINALFUNC = gives_domain);
CREATE AGGREGATE agg_clean(integer) (SFUNC = clean_step, STYPE = integer, FINALFUNC = clean_end, INITCOND = '0');
CREATE AGGREGATE max(pair) (SFUNC = pair_step, STYPE = bigint);
CREATE AGGREGATE count(pair) (SFUNC = pair_step, STYPE = bigint);
CREATE AGGREGATE sum(text) (SFUNC = text_step, STYPE = text);
CREATE AGGREGATE bool_and(boolean, text) (SFUNC = bool_step, STYPE = boolean);

-- Views

CREATE VIEW v_lock AS SELECT id, name, pg_advisory_lock(id) IS NULL AS is_free FROM things;
CREATE VIEW v_try_lock AS SELECT id, pg_try_advisory_lock(id) AS locked FROM things;
CREATE VIEW v_where AS SELECT id, name FROM things WHERE pg_try_advisory_lock_shared(id);
CREATE VIEW v_join AS SELECT t.id, u.name FROM things t JOIN things u ON t.id = u.id AND pg_try_advisory_lock(u.id);
CREATE VIEW v_subselect AS SELECT id, (SELECT pg_try_advisory_lock(things.id)) AS x FROM things;
CREATE VIEW v_cte AS WITH x AS MATERIALIZED (SELECT pg_try_advisory_lock(3) AS l) SELECT id, l FROM things, x;
CREATE VIEW v_recursive AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT evil(n) + 1 FROM r WHERE n < 3) SELECT n FROM r;
CREATE VIEW v_lateral AS SELECT t.id, l.x FROM things t, LATERAL (SELECT evil(t.id) AS x) l;
CREATE VIEW v_window AS SELECT id, sum(evil(id)) OVER (ORDER BY id) AS s FROM things;
CREATE VIEW v_window_order AS SELECT id, rank() OVER w AS r FROM things WINDOW w AS (ORDER BY evil(id));
CREATE VIEW v_distinct_on AS SELECT DISTINCT ON (evil(id)) id FROM things;
CREATE VIEW v_union AS SELECT id FROM things UNION ALL SELECT evil(2);
CREATE VIEW v_except AS SELECT id FROM things EXCEPT SELECT evil(2);
CREATE VIEW v_group AS SELECT evil(id) AS e, count(*) AS n FROM things GROUP BY 1;
CREATE VIEW v_having AS SELECT name FROM things GROUP BY name HAVING evil(count(*)::integer) > 0;
CREATE VIEW v_order AS SELECT id FROM things ORDER BY evil(id);
CREATE VIEW v_limit AS SELECT id FROM things LIMIT evil(2);
CREATE VIEW v_values AS VALUES (1), (evil(2));
CREATE VIEW v_filter AS SELECT count(*) FILTER (WHERE evil(id) > 0) AS n FROM things;
CREATE VIEW v_case AS SELECT CASE WHEN evil(id) > 0 THEN 1 END AS c FROM things;
CREATE VIEW v_array AS SELECT ARRAY(SELECT evil(id) FROM things) AS a;
CREATE VIEW v_exists AS SELECT id FROM things t WHERE EXISTS (SELECT 1 FROM things u WHERE evil(u.id) = t.id);
CREATE VIEW v_any AS SELECT id FROM things WHERE id = ANY (SELECT evil(id) FROM things);
CREATE VIEW v_aggregate_order AS SELECT array_agg(id ORDER BY evil(id)) AS a FROM things;
CREATE VIEW v_rows_from AS SELECT * FROM ROWS FROM (generate_series(1, evil(2)), unnest('{1,2}'::integer[])) AS r(a, b);
CREATE VIEW v_tablesample AS SELECT id FROM things TABLESAMPLE bernoulli (evil(100));
CREATE VIEW v_row AS SELECT ROW(evil(id), 2)::pair AS r FROM things;
CREATE VIEW v_grouping AS SELECT id, count(*) AS n FROM things GROUP BY GROUPING SETS ((id), (evil(id)));
CREATE VIEW v_coalesce AS SELECT COALESCE(NULL, evil(id)) AS x FROM things;
CREATE VIEW v_nested AS SELECT id FROM v_lock;
CREATE VIEW v_nested_deeper AS SELECT n.id FROM v_nested n JOIN things USING (id);
CREATE VIEW calm.v_nested AS SELECT id FROM hidden.v_nested_deeper WHERE id > 0;
CREATE VIEW v_barrier WITH (security_barrier) AS SELECT id FROM things WHERE evil(id) > 0;
CREATE VIEW v_sleep AS SELECT id, pg_sleep(0.05)::text AS s FROM things;
CREATE VIEW v_xid AS SELECT txid_current() AS x;
CREATE VIEW v_xid_new AS SELECT pg_current_xact_id() AS x;
CREATE VIEW v_nextval AS SELECT nextval('hidden.numbers') AS n;
CREATE VIEW v_setval AS SELECT setval('hidden.numbers', 100) AS n;
CREATE VIEW v_setting AS SELECT set_config('hidden.trace', 'seen', false) AS s;
CREATE VIEW v_query AS SELECT query_to_xml('SELECT pg_advisory_lock(9)', true, false, '') AS x;
CREATE VIEW v_table_xml AS SELECT table_to_xml('hidden.v_lock', true, false, '') AS x;
CREATE VIEW v_ts_stat AS SELECT word FROM ts_stat('SELECT to_tsvector(hidden.evil(''word''::text))');
CREATE VIEW v_large_object AS SELECT lo_creat(-1) AS l;
CREATE VIEW v_message AS SELECT pg_logical_emit_message(true, 'x', 'y') AS m;
CREATE VIEW v_snapshot AS SELECT pg_export_snapshot() AS s;
CREATE VIEW v_file AS SELECT pg_read_file('PG_VERSION') AS f;
CREATE VIEW v_folder AS SELECT pg_ls_dir('.') AS f;
CREATE VIEW v_operator AS SELECT id FROM things WHERE id === 1;
CREATE VIEW v_operator_any AS SELECT id FROM things WHERE id === ANY (ARRAY[1, 2]);
CREATE VIEW v_nullif AS SELECT NULLIF(m, 'ok') AS x FROM moods;
CREATE VIEW v_distinct_from AS SELECT m IS DISTINCT FROM 'ok' AS x FROM moods;
CREATE VIEW v_using AS SELECT a.id FROM moods a JOIN moods_too b USING (m);
CREATE VIEW v_case_when AS SELECT CASE m WHEN 'ok' THEN 1 END AS x FROM moods;
CREATE VIEW v_domain AS SELECT id::d_int AS d FROM things;
CREATE VIEW v_domain_array AS SELECT ARRAY[id]::d_int[] AS d FROM things;
CREATE VIEW v_cast AS SELECT t::integer AS i FROM chips;
CREATE VIEW v_implicit AS SELECT c + 1 AS i FROM chips;
CREATE VIEW v_field AS SELECT (t).thing_effect AS e FROM things t;
CREATE VIEW v_overload AS SELECT lower(id) AS e FROM things;
CREATE VIEW v_aggregate AS SELECT agg_end(id) AS e FROM things;
CREATE VIEW v_sorted AS SELECT p FROM pairs ORDER BY p;
CREATE VIEW v_distinct AS SELECT DISTINCT p FROM pairs;
CREATE VIEW v_grouped AS SELECT p, count(*) FROM pairs GROUP BY p;
CREATE VIEW v_clean AS SELECT id, upper(name) AS name FROM things WHERE id > 0;
CREATE VIEW v_clean_nested AS SELECT count(*) AS n FROM v_clean;
CREATE VIEW v_random AS SELECT id, random() AS r, clock_timestamp() AS t FROM things;
CREATE VIEW calm.v_lock AS SELECT id, name FROM hidden.things;
CREATE VIEW calm.v_clean AS SELECT id, name FROM hidden.things;
CREATE VIEW v_settings AS SELECT name, setting FROM pg_settings;
CREATE MATERIALIZED VIEW m_lock AS SELECT id, hidden.evil(id) AS e FROM things;
CREATE TABLE calm.things AS TABLE hidden.things;
CREATE TYPE calm.pair AS (a integer, b text);
CREATE TYPE calm.letter AS ENUM ('a', 'b', 'c');
CREATE TABLE calm.rows (id integer, p calm.pair, m calm.letter);
INSERT INTO calm.rows VALUES (1, ROW(1, 'x'), 'c');
CREATE TABLE calm.evil (id integer, evil integer, pg_advisory_lock integer, lower integer, d_int integer);
INSERT INTO calm.evil VALUES (1, 2, 3, 4, 5);

-- Functions of SQL whose body is kept as a tree, arguments' defaults, settings, rights

CREATE FUNCTION atomic_stable() RETURNS integer LANGUAGE sql STABLE BEGIN ATOMIC SELECT hidden.evil(1); END;
CREATE FUNCTION atomic_immutable(n integer) RETURNS integer LANGUAGE sql IMMUTABLE BEGIN ATOMIC SELECT hidden.evil(n); END;
CREATE FUNCTION atomic_builtin() RETURNS boolean LANGUAGE sql STABLE BEGIN ATOMIC SELECT pg_try_advisory_lock(5); END;
CREATE FUNCTION atomic_return(n integer) RETURNS integer LANGUAGE sql STABLE RETURN hidden.evil(n);
CREATE FUNCTION atomic_view() RETURNS bigint LANGUAGE sql STABLE BEGIN ATOMIC SELECT count(is_free) FROM hidden.v_lock; END;
CREATE FUNCTION atomic_operator(n integer) RETURNS boolean LANGUAGE sql STABLE BEGIN ATOMIC SELECT n OPERATOR(hidden.===) 1; END;
CREATE FUNCTION atomic_domain(n integer) RETURNS integer LANGUAGE sql STABLE BEGIN ATOMIC SELECT n::hidden.d_int; END;
CREATE FUNCTION atomic_nested() RETURNS integer LANGUAGE sql STABLE BEGIN ATOMIC SELECT 1; SELECT hidden.atomic_return(2); END;
CREATE FUNCTION atomic_clean(n integer) RETURNS integer LANGUAGE sql IMMUTABLE BEGIN ATOMIC SELECT n + 1; END;
CREATE FUNCTION atomic_clean_table() RETURNS bigint LANGUAGE sql STABLE BEGIN ATOMIC SELECT count(*) FROM hidden.things; END;
CREATE FUNCTION default_evil(a integer DEFAULT hidden.evil(1)) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT a';
CREATE FUNCTION default_builtin(a integer, b boolean DEFAULT pg_try_advisory_lock(6)) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS
$$ BEGIN RETURN a; END $$;
CREATE FUNCTION default_nextval(a integer DEFAULT 1, b bigint DEFAULT nextval('hidden.numbers')) RETURNS integer LANGUAGE plpgsql STABLE AS
$$ BEGIN RETURN a; END $$;
CREATE FUNCTION default_clean(a integer, b integer DEFAULT 10, c timestamptz DEFAULT now()) RETURNS integer LANGUAGE sql STABLE AS 'SELECT a + b';
CREATE FUNCTION definer_stable() RETURNS integer LANGUAGE plpgsql STABLE SECURITY DEFINER AS
$$ BEGIN PERFORM hidden.trace(); RETURN 1; END $$;
CREATE FUNCTION definer_immutable(integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE SECURITY DEFINER AS
$$ BEGIN PERFORM hidden.trace(); RETURN $1; END $$;
CREATE FUNCTION definer_rows() RETURNS SETOF things LANGUAGE plpgsql STABLE SECURITY DEFINER AS
$$ BEGIN PERFORM hidden.trace(); RETURN QUERY SELECT * FROM hidden.things; END $$;
CREATE FUNCTION with_setting() RETURNS text LANGUAGE plpgsql STABLE SET work_mem = '77MB' AS
$$ BEGIN PERFORM hidden.trace(); RETURN 'x'; END $$;
CREATE FUNCTION with_more_memory() RETURNS text LANGUAGE plpgsql IMMUTABLE SET maintenance_work_mem = '9MB' AS
$$ BEGIN PERFORM hidden.trace(); RETURN 'x'; END $$;
CREATE FUNCTION with_own_setting() RETURNS text LANGUAGE plpgsql STABLE SET search_path = '' SET hidden.option = 'x' AS
$$ BEGIN PERFORM hidden.trace(); RETURN 'x'; END $$;
CREATE FUNCTION with_search_path() RETURNS integer LANGUAGE sql STABLE SET search_path = hidden AS 'SELECT count(*)::integer FROM things';
CREATE FUNCTION volatile_rows(integer) RETURNS TABLE (a integer, b integer) LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN QUERY SELECT $1, $1; END $$;
CREATE FUNCTION clean_rows(integer) RETURNS TABLE (a integer, b text) LANGUAGE sql STABLE AS 'SELECT id, name FROM hidden.things WHERE id < $1';
CREATE FUNCTION clean_stable(text) RETURNS text LANGUAGE sql STABLE AS 'SELECT $1 || current_setting(''search_path'')';
CREATE FUNCTION calm.evil(integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT $1';
CREATE FUNCTION calm.twice(integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT $1 * 2';

-- What the planner runs of a table: indexes, checks, statistics, partition keys

CREATE TABLE p_index (id integer);
CREATE INDEX ON p_index ((id + definer_immutable(1)));
CREATE TABLE p_partial (id integer);
CREATE INDEX ON p_partial (id) WHERE id > definer_immutable(1);
CREATE TABLE p_parent (id integer);
CREATE TABLE p_child (CHECK (id > definer_immutable(1))) INHERITS (p_parent);
CREATE TABLE p_statistics (id integer, n integer);
CREATE STATISTICS p_statistics_own ON (id + definer_immutable(1)), n FROM p_statistics;
CREATE TABLE p_parted (id integer) PARTITION BY RANGE ((id + definer_immutable(1)));
CREATE TABLE p_part PARTITION OF p_parted FOR VALUES FROM (0) TO (10);
CREATE TABLE p_clean (id integer, name text, CHECK (id > abs(-1)));
CREATE INDEX ON p_clean (lower(name), (op_clean(id, 2))) WHERE clean_step(id, 1) > 0;

-- Row security

CREATE TABLE r_function (id integer, name text);
CREATE TABLE r_subselect (id integer, name text);
CREATE TABLE r_builtin (id integer, name text);
CREATE TABLE r_several (id integer, name text);
CREATE TABLE r_force (id integer, name text);
CREATE TABLE r_view (id integer, name text);
CREATE TABLE r_operator (id integer, name text);
CREATE TABLE r_restrictive (id integer, name text);
CREATE TABLE r_domain (id integer, name text);
CREATE TABLE r_parted (id integer, name text) PARTITION BY RANGE (id);
CREATE TABLE r_part PARTITION OF r_parted FOR VALUES FROM (0) TO (100);
CREATE TABLE r_clean (id integer, name text);
CREATE TABLE r_off (id integer, name text);
CREATE TABLE r_writes (id integer, name text);
INSERT INTO r_function VALUES (1, 'one'), (2, 'two');
INSERT INTO r_subselect TABLE r_function;
INSERT INTO r_builtin TABLE r_function;
INSERT INTO r_several TABLE r_function;
INSERT INTO r_force TABLE r_function;
INSERT INTO r_view TABLE r_function;
INSERT INTO r_operator TABLE r_function;
INSERT INTO r_restrictive TABLE r_function;
INSERT INTO r_domain TABLE r_function;
INSERT INTO r_parted TABLE r_function;
INSERT INTO r_clean TABLE r_function;
INSERT INTO r_off TABLE r_function;
INSERT INTO r_writes TABLE r_function;
ALTER TABLE r_function ENABLE ROW LEVEL SECURITY;
ALTER TABLE r_subselect ENABLE ROW LEVEL SECURITY;
ALTER TABLE r_builtin ENABLE ROW LEVEL SECURITY;
ALTER TABLE r_several ENABLE ROW LEVEL SECURITY;
ALTER TABLE r_force ENABLE ROW LEVEL SECURITY;
ALTER TABLE r_force FORCE ROW LEVEL SECURITY;
ALTER TABLE r_view ENABLE ROW LEVEL SECURITY;
ALTER TABLE r_operator ENABLE ROW LEVEL SECURITY;
ALTER TABLE r_restrictive ENABLE ROW LEVEL SECURITY;
ALTER TABLE r_domain ENABLE ROW LEVEL SECURITY;
ALTER TABLE r_parted ENABLE ROW LEVEL SECURITY;
ALTER TABLE r_clean ENABLE ROW LEVEL SECURITY;
ALTER TABLE r_writes ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON r_function USING (evil(id) > 0);
CREATE POLICY p ON r_subselect FOR SELECT USING (EXISTS (SELECT 1 FROM things t WHERE evil(t.id) = r_subselect.id));
CREATE POLICY p ON r_builtin USING (pg_try_advisory_lock(id));
CREATE POLICY a ON r_several FOR SELECT USING (id > 100);
CREATE POLICY b ON r_several FOR SELECT USING (evil(id) > 0);
CREATE POLICY p ON r_force TO reader USING (evil(id) > 0);
CREATE POLICY p ON r_view USING (id IN (SELECT id FROM v_try_lock WHERE locked));
CREATE POLICY p ON r_operator USING (id === 1);
CREATE POLICY a ON r_restrictive USING (true);
CREATE POLICY b ON r_restrictive AS RESTRICTIVE USING (evil(id) > 0);
CREATE POLICY p ON r_domain USING (id::d_int > 0);
CREATE POLICY p ON r_parted USING (evil(id) > 0);
CREATE POLICY p ON r_clean USING (name <> current_setting('hidden.tenant', true) OR id > 0);
CREATE POLICY p ON r_off USING (evil(id) > 0);
CREATE POLICY a ON r_writes FOR SELECT USING (id > 0);
CREATE POLICY b ON r_writes FOR UPDATE USING (evil(id) > 0);
CREATE POLICY c ON r_writes FOR INSERT WITH CHECK (evil(id) > 0);
CREATE VIEW v_force AS SELECT id FROM r_force;
ALTER VIEW v_force OWNER TO reader;

-- Casts for assignment, which a read makes where it wants a boolean or a number

CREATE TYPE verdict AS (v text);
CREATE FUNCTION verdict_to_bool(verdict) RETURNS boolean LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN true; END $$;
CREATE CAST (verdict AS boolean) WITH FUNCTION verdict_to_bool(verdict) AS ASSIGNMENT;
CREATE FUNCTION verdict_to_int(verdict) RETURNS bigint LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 1; END $$;
CREATE CAST (verdict AS bigint) WITH FUNCTION verdict_to_int(verdict) AS ASSIGNMENT;
CREATE TABLE verdicts (id integer, v verdict);
INSERT INTO verdicts VALUES (1, ROW('yes'));

-- A form of SQL since 16, a name like any other before

CREATE FUNCTION "json_object"(integer, integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 1; END $$;

-- Schemas of the system are no guarantee

CREATE VIEW information_schema.innocent AS SELECT hidden.evil(1) AS e;
CREATE FUNCTION information_schema.innocent(integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM hidden.trace(); RETURN 1; END $$;
GRANT SELECT ON information_schema.innocent TO PUBLIC;

RESET search_path;
GRANT SELECT ON ALL TABLES IN SCHEMA hidden, calm TO PUBLIC;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA hidden TO PUBLIC;
GRANT UPDATE ON SEQUENCE hidden.numbers TO PUBLIC;
