-- What stands beside the things of hidden.sql: same names, same shapes, and no effect. Everything passes with
-- the names of hidden_schema.sql and search_path hidden, public. hidden.sql tells the form of this file.
-- Those that are marked strict may be refused: they show where the gate is stricter than it would have to be.
----
--! views
SELECT * FROM v_clean
----
SELECT * FROM hidden.v_clean
----
SELECT n FROM v_clean_nested
----
SELECT * FROM v_random
----
SELECT * FROM v_settings LIMIT 3
----
SELECT * FROM calm.v_lock
----
SELECT x.name FROM calm.v_lock AS x WHERE x.id = 1
----
SELECT id FROM calm.v_clean JOIN v_clean USING (id)
----
SELECT * FROM m_lock
----
SELECT count(*) FROM calm.things
----
WITH v_lock AS (SELECT 1 AS id) SELECT * FROM v_lock
----
WITH v_lock(id, name) AS (SELECT id, name FROM things) SELECT v_lock.name FROM v_lock WHERE v_lock.id > 1
----
WITH RECURSIVE v_lock AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM v_lock WHERE n < 3) SELECT sum(n) FROM v_lock
----
SELECT v_lock.id FROM things AS v_lock
----
SELECT * FROM things AS v_where(id, name)
----
SELECT id AS v_lock FROM things
----
SELECT v_lock FROM (SELECT 1 AS v_lock) x
----
SELECT 'v_lock' AS name, 'hidden.v_lock'::regclass AS oid
----
SELECT pg_get_viewdef('hidden.v_lock'::regclass)
----
SELECT relname FROM pg_class WHERE oid = 'v_lock'::regclass
----
SELECT has_table_privilege('hidden.v_lock', 'SELECT')
----
SELECT to_regclass('hidden.v_try_lock') IS NOT NULL
----
SELECT obj_description('hidden.v_lock'::regclass)
----
SELECT last_value FROM numbers
----
SELECT * FROM hidden.others
----
SELECT count(*) FROM things TABLESAMPLE system (100)
----
SELECT id FROM things TABLESAMPLE bernoulli (100) REPEATABLE (1)
----
--! row security
SELECT * FROM r_clean
----
SELECT * FROM r_writes
----
SELECT * FROM r_off
----
WITH r_function AS (SELECT 1 AS id) SELECT * FROM r_function
----
SELECT * FROM r_clean AS r_builtin
----
SELECT id FROM r_part WHERE id = 1
----
--! operators
SELECT 1 %%% 8
----
SELECT id FROM things WHERE id %%% 1
----
SELECT @+ 5
----
SELECT 1 OPERATOR(hidden.%%%) 8
----
SELECT 1 OPERATOR(calm.===) 8
----
SELECT id OPERATOR(calm.===) ANY (ARRAY[1, 2]) FROM things
----
SELECT 1 = 1, 'a' = 'b', 1 <> 2, 2 >= 1
----
SELECT 1 = '1'
----
SELECT id = 2 FROM things WHERE name = 'two'
----
SELECT id FROM things WHERE id IN (1, 2) AND name NOT IN ('x', 'y')
----
SELECT id FROM things WHERE id BETWEEN 1 AND 2
----
SELECT NULLIF(id, 1), NULLIF(name, 'one') FROM things
----
SELECT id IS DISTINCT FROM 1 FROM things
----
SELECT CASE id WHEN 1 THEN 'a' ELSE 'b' END FROM things
----
SELECT name LIKE 'o%' AND name NOT ILIKE '%x' FROM things
----
SELECT name || '!' AS loud, 'a' || 'b' FROM things
----
SELECT tags || 'c'::text FROM things
----
SELECT id + 1, amount + 2.5, at + interval '1 day' FROM things
----
SELECT 1 + '2'
----
SELECT doc -> 'a', doc ->> 'a', tags[1] FROM things
----
SELECT t.id FROM things t JOIN calm.things c USING (id)
----
SELECT count(*) FROM things t NATURAL JOIN calm.things c
----
--! strict
SELECT a.id FROM things a JOIN moods b ON a.id = b.id
----
--! strict
SELECT id FROM moods WHERE id = 1
----
--! strict
SELECT id, m FROM moods ORDER BY m
----
SELECT id FROM things ORDER BY id USING <, name USING >
----
SELECT k FROM texts WHERE k = '1'
----
SELECT k = k, k < 'z', k BETWEEN 'a' AND 'b' FROM texts
----
SELECT at >= '2024-01-01' AND at < now() FROM things
----
--! operator classes
--! strict
SELECT id FROM pairs ORDER BY id
----
SELECT id FROM calm.rows ORDER BY id
----
SELECT r FROM calm.rows AS r
----
SELECT (p).a, (p).b FROM calm.rows ORDER BY (p).a
----
SELECT p FROM calm.rows ORDER BY p
----
SELECT DISTINCT p, count(*) FROM calm.rows GROUP BY p
----
SELECT m FROM calm.rows WHERE m > 'b' ORDER BY m
----
--! strict
SELECT p FROM pairs
----
--! strict
SELECT (p).a, (p).b FROM pairs ORDER BY (p).a
----
--! strict
SELECT s FROM steps ORDER BY s
----
--! strict
SELECT DISTINCT (p).a FROM pairs
----
--! strict
SELECT id, count(*) OVER (ORDER BY s) FROM steps
----
--! strict
SELECT id, sum(id) OVER (ORDER BY id RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM steps
----
--! domains
SELECT 1::d_clean
----
SELECT CAST('5' AS d_clean), d_clean '6'
----
SELECT 'abc'::d_clean_text
----
SELECT ARRAY[1, 2]::d_clean[]
----
--! strict
SELECT ROW(1, 'a')::with_clean_domain
----
SELECT * FROM json_to_record('{"a": 1}') AS x(a d_clean, b text)
----
SELECT * FROM jsonb_populate_record(NULL::with_clean_domain, '{"a": 1}')
----
SELECT takes_clean_domain(1)
----
SELECT id, plain FROM domains
----
SELECT d_int FROM (SELECT 1 AS d_int) x
----
SELECT 'd_int'::text, 'hidden.d_int'::regtype
----
SELECT 'integer'::regtype, regtype 'text', CAST('numeric' AS regtype), 'lower(text)'::regprocedure, '+(integer,integer)'::regoperator
----
SELECT oprleft::regtype, oprright::regtype, oid::regoperator FROM pg_operator
----
SELECT pg_typeof(id), pg_typeof(name)::text FROM things
----
SELECT format_type('hidden.d_int'::regtype, -1)
----
SELECT 1::integer, '1'::int4, CAST(2 AS bigint), integer '3'
----
--! casts
SELECT id::text, amount::integer, at::date, doc::text FROM things
----
--! strict
SELECT id FROM chips
----
--! strict
SELECT c, t, f FROM chips
----
--! strict
SELECT s::integer FROM steps
----
--! strict
SELECT s + 1 FROM steps
----
--! strict
SELECT (c).v + 1, (t).v || 'x' FROM chips
----
--! strict
SELECT id FROM chips WHERE (f).v
----
--! strict
SELECT to_jsonb(id), to_json(name), row_to_json(things) FROM things
----
SELECT json_agg(t) FROM things t
----
--! strict
SELECT '5'::myint
----
SELECT gen_random_uuid() = '00000000-0000-0000-0000-000000000000'
----
SELECT 'a' || 1.5, name || amount, name || ' ' || at || ' ' || now(), 'x' || count(*) OVER () FROM things
----
--! strict
SELECT quote_literal(5), quote_nullable('x')
----
SELECT takes_int(5), takes_int(NULL)
----
--! t.f and (x).f
SELECT t.thing_label FROM things t
----
SELECT (t).thing_label, thing_label(t) FROM things t
----
--! strict
SELECT (p).pair_sum FROM pairs
----
--! strict
SELECT (make_pair(1)).a
----
SELECT thing_effect FROM (SELECT 1 AS thing_effect) t
----
SELECT t.thing_effect FROM (SELECT 1 AS thing_effect) t
----
SELECT x.int_effect FROM generate_series(1, 2) AS x(int_effect)
----
SELECT t.lower, t.evil, t.d_int FROM calm.evil t
----
SELECT (t).evil, (t).pg_advisory_lock FROM calm.evil t
----
--! the names of built-ins
SELECT lower('A')
----
SELECT lower(name), upper(name), length(name) FROM things
----
SELECT lower('A'::text), upper('b'::varchar), length('x')
----
SELECT lower(int4range(1, 5)), upper(int4range(1, 5))
----
SELECT pg_catalog.lower('X')
----
SELECT "lower"('X')
----
SELECT abs(-1), abs(-1.5), abs(id) FROM things
----
SELECT round(1.234, 2), round(amount), round(amount, 1) FROM things
----
SELECT date_trunc('month', now()), date_trunc('month', at) FROM things
----
SELECT date_trunc('month', timestamp '2024-01-01')
----
SELECT generate_series(1, 3)
----
SELECT g FROM things, generate_series(1, id) g WHERE id = g
----
SELECT * FROM generate_series(date '2024-01-01', date '2024-01-03', interval '1 day')
----
SELECT format('%s', 1), format('%s %s', name, id) FROM things
----
SELECT concat(name, id), concat('a', 1, 'b') FROM things
----
SELECT left('abc', 2), left(name, 1) FROM things
----
SELECT to_char(now(), 'YYYY'), to_char(1.5, '9D9'), to_char(at, 'MM') FROM things
----
SELECT now(), now() - interval '1 day'
----
SELECT max(id), max(name), max(at), count(*), count(id), sum(id), sum(amount) FROM things
----
SELECT bool_and(id > 0) FROM things
----
SELECT count(*) FILTER (WHERE id > 1), count(DISTINCT name) FROM things
----
SELECT max(id) OVER (PARTITION BY name), count(*) OVER () FROM things
----
--! functions
SELECT calm.evil(1)
----
SELECT calm.twice(id) FROM things
----
SELECT evil, lower, pg_advisory_lock FROM calm.evil
----
SELECT id AS evil FROM things ORDER BY evil
----
SELECT atomic_clean(1)
----
SELECT atomic_clean(id) FROM things
----
SELECT atomic_clean_table()
----
SELECT default_clean(1), default_clean(1, 2)
----
SELECT with_search_path()
----
SELECT * FROM clean_rows(3)
----
SELECT clean_stable('x')
----
SELECT op_clean(1, 2)
----
SELECT pg_get_functiondef('hidden.evil(integer)'::regprocedure)
----
SELECT proname FROM pg_proc WHERE proname = 'evil'
----
SELECT has_function_privilege('hidden.evil(text)', 'EXECUTE')
----
--! aggregates
SELECT agg_clean(id) FROM things
----
SELECT agg_clean(id) OVER (ORDER BY id) FROM things
----
SELECT name, agg_clean(id) FROM things GROUP BY name
----
--! tables
SELECT * FROM p_clean WHERE lower(name) = 'x'
----
SELECT * FROM ONLY p_parent WHERE id = 1
----
SELECT * FROM things WHERE id = 1
----
SELECT t.*, c.name FROM things t JOIN calm.things c ON c.id = t.id ORDER BY t.id LIMIT 2
----
SELECT id, row_number() OVER (ORDER BY at) FROM things
----
EXPLAIN SELECT * FROM things
----
--! tables that are elsewhere, read without what is elsewhere
--! needs=postgres_fdw
SELECT * FROM ONLY f_parent
----
--! needs=postgres_fdw
SELECT * FROM f_part
----
--! needs=postgres_fdw
SELECT * FROM f_child
----
--! needs=postgres_fdw
SELECT * FROM m_program
