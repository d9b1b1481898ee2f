-- Statements that look like reads and are not: what they name runs something else. Every one is refused
-- with the names of hidden_schema.sql, and every one really has its effect when it is run directly: as the
-- role reader with search_path hidden, public, in a transaction. reads.sql tells the form of this file. Besides:
--
--   kind=WHAT     what hides the effect
--   trace=WHAT    what hidden_trace.sql says afterwards: lock, if nothing is said; rows: that there are some
--   as=owner      run by the superuser
--   until=N       a server newer than PostgreSQL N refuses it in a read-only transaction or knows it no more
--   needs=WHAT    an extension that hidden_foreign.sql makes use of
----
--! views
--! kind=view
SELECT * FROM v_lock
----
--! kind=view
SELECT * FROM hidden.v_lock
----
--! kind=view
TABLE v_lock
----
--! kind=view
SELECT count(is_free) FROM v_lock
----
--! kind=view
SELECT EXISTS (SELECT 1 FROM v_where)
----
--! kind=view
SELECT v FROM v_lock v
----
--! kind=view
SELECT (v).* FROM v_lock AS v(a, b, c)
----
--! kind=view
SELECT v.is_free FROM things t JOIN v_lock v USING (id)
----
--! kind=view
SELECT * FROM things t, LATERAL (SELECT is_free FROM v_lock l WHERE l.id = t.id) x
----
--! kind=view
SELECT t.id FROM things t WHERE t.id IN (SELECT id FROM v_try_lock WHERE locked)
----
--! kind=view
WITH things AS (SELECT * FROM v_lock) SELECT * FROM things
----
--! kind=view
WITH RECURSIVE r AS (SELECT id FROM v_where UNION SELECT id + 10 FROM r WHERE id < 10) SELECT * FROM r
----
--! kind=view
SELECT 1 UNION ALL SELECT id FROM v_where
----
--! kind=view
SELECT (SELECT max(id) FROM v_where) AS newest
----
--! kind=view
SELECT * FROM ONLY v_where
----
--! kind=view
SELECT row_to_json(v) FROM v_lock v
----
--! kind=view
SELECT ARRAY(SELECT id FROM v_where)
----
--! kind=view
SELECT id FROM things ORDER BY (SELECT count(*) FROM v_where)
----
--! kind=view
SELECT * FROM v_try_lock
----
--! kind=view
SELECT * FROM "v_try_lock"
----
--! kind=view
SELECT * FROM U&"v\005ftry_lock"
----
--! kind=view
SELECT * FROM v_where
----
--! kind=view
SELECT * FROM v_join
----
--! kind=view
SELECT * FROM v_subselect
----
--! kind=view
SELECT * FROM v_cte
----
--! kind=view
SELECT * FROM v_recursive
----
--! kind=view
SELECT * FROM v_lateral
----
--! kind=view
SELECT * FROM v_window
----
--! kind=view
SELECT * FROM v_window_order
----
--! kind=view
SELECT * FROM v_distinct_on
----
--! kind=view
SELECT * FROM v_union
----
--! kind=view
SELECT * FROM v_except
----
--! kind=view
SELECT * FROM v_group
----
--! kind=view
SELECT * FROM v_having
----
--! kind=view
SELECT * FROM v_order
----
--! kind=view
SELECT * FROM v_limit
----
--! kind=view
SELECT * FROM v_values
----
--! kind=view
SELECT * FROM v_filter
----
--! kind=view
SELECT * FROM v_case
----
--! kind=view
SELECT * FROM v_array
----
--! kind=view
SELECT * FROM v_exists
----
--! kind=view
SELECT * FROM v_any
----
--! kind=view
SELECT * FROM v_aggregate_order
----
--! kind=view
SELECT * FROM v_rows_from
----
--! kind=view
SELECT * FROM v_tablesample
----
--! kind=view
SELECT * FROM v_row
----
--! kind=view
SELECT * FROM v_grouping
----
--! kind=view
SELECT * FROM v_coalesce
----
--! kind=view
SELECT * FROM v_barrier
----
--! kind=view
SELECT x.* FROM v_nested x
----
--! kind=view
SELECT * FROM v_nested_deeper WHERE id = 1
----
--! kind=view
SELECT * FROM calm.v_nested
----
--! kind=view
SELECT * FROM information_schema.innocent
----
--! kind=view trace=time
SELECT * FROM v_sleep
----
--! kind=view trace=xid
SELECT * FROM v_xid
----
--! kind=view trace=xid
SELECT * FROM v_xid_new
----
--! kind=view trace=sequence
SELECT * FROM v_nextval
----
--! kind=view trace=sequence
SELECT * FROM v_setval
----
--! kind=view trace=setting
SELECT * FROM v_setting
----
--! kind=view
SELECT * FROM v_query
----
--! kind=view
SELECT * FROM v_table_xml
----
--! kind=view
SELECT * FROM v_ts_stat
----
--! kind=view trace=object until=15
SELECT * FROM v_large_object
----
--! kind=view trace=object as=owner
SELECT l FROM v_large_object
----
--! kind=view trace=xid
SELECT * FROM v_message
----
--! kind=view trace=snapshot
SELECT * FROM v_snapshot
----
--! kind=view trace=rows as=owner
SELECT * FROM v_file
----
--! kind=view trace=rows as=owner
SELECT f FROM v_folder LIMIT 1
----
--! kind=view
SELECT * FROM v_operator
----
--! kind=view
SELECT * FROM v_operator_any
----
--! kind=view
SELECT * FROM v_nullif
----
--! kind=view
SELECT * FROM v_distinct_from
----
--! kind=view
SELECT * FROM v_using
----
--! kind=view
SELECT * FROM v_case_when
----
--! kind=view
SELECT * FROM v_domain
----
--! kind=view
SELECT * FROM v_domain_array
----
--! kind=view
SELECT * FROM v_cast
----
--! kind=view
SELECT * FROM v_implicit
----
--! kind=view
SELECT * FROM v_field
----
--! kind=view
SELECT * FROM v_overload
----
--! kind=view
SELECT * FROM v_aggregate
----
--! kind=view
SELECT * FROM v_sorted
----
--! kind=view
SELECT * FROM v_distinct
----
--! kind=view
SELECT * FROM v_grouped
----
--! row security
--! kind=policy
SELECT * FROM r_function
----
--! kind=policy
SELECT count(*) FROM hidden.r_function
----
--! kind=policy
SELECT name FROM r_function WHERE id = 1
----
--! kind=policy
SELECT * FROM r_subselect
----
--! kind=policy
SELECT * FROM r_builtin
----
--! kind=policy
SELECT * FROM r_several
----
--! kind=policy
SELECT * FROM r_force
----
--! kind=policy
SELECT * FROM r_view
----
--! kind=policy
SELECT * FROM r_operator
----
--! kind=policy
SELECT * FROM r_restrictive
----
--! kind=policy
SELECT * FROM r_domain
----
--! kind=policy
SELECT * FROM r_parted
----
--! kind=policy
SELECT t.id FROM things t LEFT JOIN r_function r USING (id) WHERE r.name IS NOT NULL
----
--! kind=policy
SELECT (SELECT count(*) FROM r_builtin)
----
--! kind=policy as=owner
SELECT * FROM v_force
----
--! kind=policy
TABLE r_subselect
----
--! operators
--! kind=operator
SELECT 1 === 1
----
--! kind=operator
SELECT id FROM things WHERE id === 2
----
--! kind=operator
SELECT 1 OPERATOR(hidden.===) 1
----
--! kind=operator
SELECT 1 OPERATOR("hidden".===) 1
----
--! kind=operator
SELECT id FROM things WHERE id === ANY (ARRAY[1, 2])
----
--! kind=operator
SELECT 1 OPERATOR(hidden.===) ALL (ARRAY[1, 2])
----
--! kind=operator
SELECT 1 === ANY (SELECT id FROM things)
----
--! kind=operator
SELECT id === id AS same FROM things ORDER BY id
----
--! kind=operator
SELECT !!! 5
----
--! kind=operator
SELECT OPERATOR(hidden.!!!) id FROM things
----
--! kind=operator
SELECT 1 = '1'::text
----
--! kind=operator
SELECT t.id FROM things t, texts x WHERE t.id = x.k
----
--! kind=operator
SELECT 1 <> 'a'::text
----
--! kind=operator
SELECT 1 < k FROM texts
----
--! kind=operator
SELECT 1 IN ('1'::text, '2'::text)
----
--! kind=operator
SELECT id FROM things WHERE id IN (SELECT k FROM texts)
----
--! kind=operator
SELECT id FROM things WHERE id NOT IN (SELECT k FROM texts)
----
--! kind=operator
SELECT 1 BETWEEN 'a'::text AND 'b'::text
----
--! kind=operator
SELECT 1 NOT BETWEEN k AND k FROM texts
----
--! kind=operator
SELECT 1 BETWEEN SYMMETRIC k AND 'z'::text FROM texts
----
--! kind=operator
SELECT NULLIF(1, k) FROM texts
----
--! kind=operator
SELECT 1 IS DISTINCT FROM '1'::text
----
--! kind=operator
SELECT 1 IS NOT DISTINCT FROM k FROM texts
----
--! kind=operator
SELECT CASE 1 WHEN 'a'::text THEN 'x' END
----
--! kind=operator
SELECT CASE id WHEN name THEN 'x' ELSE 'y' END FROM things
----
--! kind=operator
SELECT 1 LIKE '1'::text
----
--! kind=operator
SELECT id FROM things WHERE id NOT LIKE name
----
--! kind=operator
SELECT 1 ILIKE k FROM texts
----
--! kind=operator
SELECT 1 SIMILAR TO '1'::text
----
--! kind=operator
SELECT 'a'::text + 1
----
--! kind=operator
SELECT name + id FROM things
----
--! kind=operator
SELECT name || id FROM things
----
--! kind=operator
SELECT 'a' || 1
----
--! kind=operator
SELECT 'a'::text -> 1
----
--! kind=operator
SELECT m = 'ok' FROM moods
----
--! kind=operator
SELECT 'ok'::mood = 'ok'::mood
----
--! kind=operator
SELECT m IN ('ok', 'sad') FROM moods
----
--! kind=operator
SELECT NULLIF(m, 'ok') FROM moods
----
--! kind=operator
SELECT m IS DISTINCT FROM 'ok' FROM moods
----
--! kind=operator
SELECT CASE m WHEN 'ok' THEN 1 ELSE 2 END FROM moods
----
--! kind=operator
SELECT a.id FROM moods a JOIN moods_too b USING (m)
----
--! kind=operator
SELECT count(*) FROM moods NATURAL JOIN moods_too
----
--! kind=operator
SELECT m BETWEEN 'sad' AND 'happy' FROM moods
----
--! kind=operator
SELECT m = ANY ('{ok,sad}') FROM moods
----
--! kind=operator
SELECT id FROM moods WHERE m IN (SELECT m FROM moods_too)
----
--! kind=operator
SELECT a.id FROM moods a LEFT JOIN moods_too b ON a.m <> b.m
----
--! kind=operator
SELECT 1 &&& 2
----
--! kind=operator
SELECT id FROM things WHERE NOT (id %== 8)
----
--! kind=operator
SELECT count(*) FROM things WHERE (id %== 8) IS NOT TRUE AND NOT id %== 1
----
--! kind=operator
SELECT id FROM things ORDER BY id USING <<<
----
--! kind=operator
SELECT id FROM things ORDER BY id USING OPERATOR(hidden.>>>)
----
--! kind=operator
SELECT array_agg(id ORDER BY id USING <<<) FROM things
----
--! kind=operator
SELECT rank() OVER (ORDER BY id USING >>>) FROM things
----
--! kind=operator
SELECT (1, p) = (1, p) FROM pairs
----
--! kind=operator
SELECT ROW(p, 1) < ROW(p, 2) FROM pairs
----
--! kind=operator
SELECT (p, 1) IN (SELECT p, 1 FROM pairs) FROM pairs
----
--! kind=operator
SELECT 1 LIKE '1'::text ESCAPE 'x'
----
--! kind=operator
SELECT 1 = SOME (ARRAY['1'::text])
----
--! kind=operator
SELECT id FROM things WHERE id = ANY (SELECT k FROM texts)
----
--! kind=operator
SELECT id FROM things WHERE (id) <> ALL (SELECT k FROM texts)
----
--! kind=operator
SELECT count(*) FILTER (WHERE id = k) FROM things, texts
----
--! kind=operator
SELECT t.id FROM things t WHERE EXISTS (SELECT 1 FROM texts x WHERE t.id = x.k)
----
--! kind=operator
SELECT (SELECT t.id = x.k FROM texts x LIMIT 1) FROM things t
----
--! kind=operator
SELECT id = k AS same FROM things CROSS JOIN texts GROUP BY id, k HAVING bool_or(id = k)
----
--! kind=operator
SELECT -id === 1 FROM things
----
--! kind=operator
SELECT id FROM things LIMIT (SELECT count(*) FROM texts WHERE 1 = k)
----
--! kind=operator
SELECT array_agg(name + id) FROM things
----
--! kind=operator
SELECT x.e FROM (SELECT id === 1 AS e FROM things) x
----
--! kind=operator
WITH w AS (SELECT id, name FROM things) SELECT w.id = w.name FROM w
----
--! kind=operator
SELECT c.x = c.y FROM (VALUES (1, 'a'::text)) c(x, y)
----
--! kind=operator
SELECT (t).id = (t).name FROM things t
----
--! kind=operator
SELECT x.id = x.k FROM (things CROSS JOIN texts) x
----
--! kind=operator
SELECT id = tags[1] FROM things
----
--! kind=operator
SELECT id = doc ->> 'a' FROM things
----
--! kind=operator
SELECT id = COALESCE(name, 'x') FROM things
----
--! kind=operator
SELECT id = CASE WHEN true THEN name END FROM things
----
--! kind=operator
SELECT id = (SELECT name FROM things LIMIT 1) FROM things
----
--! kind=operator
SELECT id = concat(name, name, name) FROM things
----
--! kind=operator
SELECT id = max(name) OVER () FROM things
----
--! kind=operator
SELECT id = (ARRAY[name])[1] FROM things
----
--! kind=operator
SELECT cardinality(tags) = array_to_string(tags, ',') FROM things
----
--! kind=operator
SELECT g = 'x'::text FROM generate_series(1, 2) g
----
--! kind=operator
SELECT ordinality::integer = u FROM unnest('{a,b}'::text[]) WITH ORDINALITY AS u
----
--! kind=operator
SELECT length('x') = upper('x')
----
--! kind=operator
SELECT extract(day FROM now())::integer = to_char(now(), 'DD')
----
--! kind=operator
SELECT r.n = r.s FROM (WITH RECURSIVE r(n, s) AS (SELECT 1, 'a'::text UNION ALL SELECT n + 1, s FROM r WHERE n < 2) SELECT * FROM r) r
----
--! kind=operator
SELECT m = 'ok' FROM (SELECT * FROM moods) x
----
--! kind=operator
SELECT (SELECT m FROM moods LIMIT 1) = 'ok'
----
--! kind=operator
SELECT unnest(ARRAY['ok'::mood]) = 'ok'
----
--! kind=operator
SELECT enum_first(NULL::mood) = 'sad'
----
--! kind=operator
SELECT (ARRAY['ok', 'sad']::mood[])[1] = 'ok'
----
--! kind=operator
SELECT 'ok' = ANY (ARRAY['ok', 'sad']::mood[])
----
--! kind=operator
SELECT 'ok'::mood NOT IN ('sad', 'happy')
----
--! kind=operator
SELECT CASE 'ok'::mood WHEN 'sad' THEN 1 WHEN 'ok' THEN 2 END
----
--! kind=operator
SELECT NULLIF('ok'::mood, 'sad')
----
--! operator classes
--! kind=sort
SELECT p FROM pairs ORDER BY p
----
--! kind=sort
SELECT id FROM pairs ORDER BY p DESC
----
--! kind=sort
SELECT DISTINCT p FROM pairs
----
--! kind=sort
SELECT DISTINCT ON (p) id FROM pairs
----
--! kind=sort
SELECT p, count(*) FROM pairs GROUP BY p
----
--! kind=sort
SELECT count(*) FROM pairs GROUP BY GROUPING SETS ((p), ())
----
--! kind=sort
SELECT count(DISTINCT p) FROM pairs
----
--! kind=sort
SELECT p FROM pairs UNION SELECT p FROM pairs
----
--! kind=sort
SELECT p FROM pairs EXCEPT SELECT ROW(1, 2)::pair
----
--! kind=sort
SELECT id, rank() OVER (ORDER BY p) FROM pairs
----
--! kind=sort
SELECT id, count(*) OVER (PARTITION BY p) FROM pairs
----
--! kind=sort
SELECT array_agg(p ORDER BY p) FROM pairs
----
--! kind=sort
SELECT p = p FROM pairs
----
--! kind=sort
SELECT a.id FROM pairs a JOIN pairs b USING (p)
----
--! kind=sort
SELECT p IN (SELECT p FROM pairs) FROM pairs
----
--! kind=sort
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY p) FROM pairs
----
--! kind=sort
SELECT mode() WITHIN GROUP (ORDER BY p) FROM pairs
----
--! kind=sort
SELECT ARRAY[p] = ARRAY[p] FROM pairs
----
--! kind=sort
SELECT ARRAY[p] @> ARRAY[p] FROM pairs
----
--! kind=sort
SELECT array_position(ARRAY[p], p) FROM pairs
----
--! kind=sort
SELECT DISTINCT pairs FROM pairs
----
--! kind=sort
SELECT ROW(id, p) = ROW(id, p) FROM pairs
----
--! kind=sort
SELECT a = b FROM pairs a, pairs b
----
--! kind=sort
SELECT GREATEST(p, ROW(1, 1)::pair) FROM pairs
----
--! kind=sort
SELECT max(ARRAY[p]) FROM pairs
----
--! kind=sort
SELECT pair_range(p, ROW(9, 9)::pair) FROM pairs
----
--! kind=sort
SELECT '["(1,1)","(2,2)")'::pair_range
----
--! kind=sort
SELECT * FROM pairs UNION SELECT * FROM pairs
----
--! kind=sort
SELECT DISTINCT * FROM pairs
----
--! kind=sort
WITH RECURSIVE r AS (SELECT p FROM pairs UNION SELECT p FROM r) SELECT * FROM r
----
--! kind=sort
SELECT id, sum(id) OVER (ORDER BY s RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM steps
----
--! kind=sort
SELECT count(*) OVER w FROM steps WINDOW w AS (ORDER BY s RANGE BETWEEN UNBOUNDED PRECEDING AND 2 FOLLOWING)
----
--! kind=sort
SELECT first_value(id) OVER (ORDER BY s DESC RANGE 1 PRECEDING) FROM steps
----
--! domains
--! kind=domain
SELECT 1::d_int
----
--! kind=domain
SELECT id::hidden.d_int FROM things
----
--! kind=domain
SELECT CAST('1' AS d_int)
----
--! kind=domain
SELECT CAST(id AS "d_int") FROM things
----
--! kind=domain
SELECT d_int '1'
----
--! kind=domain
SELECT hidden.d_int '1'
----
--! kind=domain
SELECT d_int('1')
----
--! kind=domain
SELECT d_text('a'::text)
----
--! kind=domain
SELECT 'a'::d_text
----
--! kind=domain
SELECT 5::bigint::d_lock
----
--! kind=domain
SELECT 5::d_nested
----
--! kind=domain
SELECT '{1,2}'::d_int[]
----
--! kind=domain
SELECT ARRAY[1, 2]::d_int[]
----
--! kind=domain
SELECT ARRAY[1]::d_int ARRAY
----
--! kind=domain
SELECT '{1}'::d_array
----
--! kind=domain
SELECT ARRAY[1]::d_array
----
--! kind=domain
SELECT '(1,a)'::with_domain
----
--! kind=domain
SELECT ROW(1, 'a')::with_domain
----
--! kind=domain
SELECT (ROW(1, 'a')::with_domain).a
----
--! kind=domain
SELECT '("(1,a)")'::with_domain_inside
----
--! kind=domain
SELECT ROW(ROW(1, 'a'))::with_domain_inside
----
--! kind=domain
SELECT ROW(1, 2)::d_pair
----
--! kind=domain
SELECT '[1,5)'::d_range
----
--! kind=domain
SELECT d_range(1, 5)
----
--! kind=domain
SELECT '{"(1,a)"}'::with_domain[]
----
--! kind=domain
SELECT json_populate_record(NULL::with_domain, '{"a": 1}')
----
--! kind=domain
SELECT * FROM jsonb_populate_record(NULL::hidden.with_domain, '{"a": 1}')
----
--! kind=domain
SELECT * FROM json_populate_recordset(NULL::with_domain, '[{"a": 1}]')
----
--! kind=domain
SELECT (jsonb_populate_record(NULL::with_domain_inside, '{"w": {"a": 1}}')).w
----
--! kind=domain
SELECT * FROM json_to_record('{"a": 1}') AS x(a d_int)
----
--! kind=domain
SELECT * FROM jsonb_to_record('{"a": 1}') AS x(a hidden.d_int, b text)
----
--! kind=domain
SELECT * FROM jsonb_to_recordset('[{"a": 1}]') AS x(b text, a d_int)
----
--! kind=domain
SELECT * FROM json_to_recordset('[{"a": [1]}]') AS x(a d_int[])
----
--! kind=domain
SELECT * FROM ROWS FROM (jsonb_to_record('{"a": 1}') AS (a d_int))
----
--! kind=domain
SELECT * FROM XMLTABLE('/r/x' PASSING ('<r><x><a>1</a></x></r>'::xml) COLUMNS a d_int PATH 'a')
----
--! kind=domain
SELECT x.* FROM things, XMLTABLE('/r' PASSING xmlelement(name r, id) COLUMNS n FOR ORDINALITY, a hidden.d_text PATH '.') x
----
--! kind=domain since=17
SELECT * FROM JSON_TABLE('[{"a": 1}]', '$[*]' COLUMNS (a d_int PATH '$.a'))
----
--! kind=domain since=17
SELECT * FROM JSON_TABLE('[{"a": 1}]', '$[*]' COLUMNS (NESTED PATH '$' COLUMNS (a d_int PATH '$.a')))
----
--! kind=domain since=17
SELECT JSON_VALUE('{"a": 1}', '$.a' RETURNING d_int)
----
--! kind=domain since=17
SELECT JSON_QUERY('{"a": {"a": 1}}', '$.a' RETURNING with_domain)
----
--! kind=domain since=16
SELECT pg_input_is_valid('1', 'hidden.d_int')
----
--! kind=domain since=16
SELECT message FROM pg_input_error_info('1', 'hidden.d_int')
----
--! kind=domain
SELECT domain_in('1', 'hidden.d_int'::regtype, -1) IS NULL
----
--! kind=domain
SELECT record_in('(1,a)', 'hidden.with_domain'::regtype, -1) IS NULL
----
--! kind=domain
SELECT array_in('{1}', 'hidden.d_int'::regtype, -1) IS NULL
----
--! kind=domain
SELECT range_in('[1,2)', 'hidden.d_range'::regtype, -1) IS NULL
----
--! kind=domain
SELECT takes_domain(1)
----
--! kind=domain
SELECT takes_domain(id) FROM things
----
--! kind=domain
SELECT takes_domain_array(1, 2)
----
--! kind=domain
SELECT gives_domain(1)
----
--! kind=domain
SELECT * FROM gives_domain(1)
----
--! kind=domain
SELECT COALESCE(NULL::d_int, 1)
----
--! kind=domain
SELECT CASE WHEN id > 1 THEN NULL::d_int ELSE id END FROM things
----
--! kind=domain
SELECT 1 IN (2, '1'::d_int)
----
--! kind=domain
VALUES (1::d_int)
----
--! kind=domain
SELECT id FROM things WHERE id = 1::d_int
----
--! kind=domain
SELECT id FROM things LIMIT '1'::d_int
----
--! kind=domain
SELECT sum(id::d_int) FILTER (WHERE id > 1) FROM things
----
--! kind=domain
SELECT jsonb_agg(id::d_int ORDER BY id) FROM things
----
--! kind=domain
SELECT string_to_array('1,2', ',')::d_int[]
----
--! kind=domain
SELECT (d_int '1') + 1
----
--! kind=domain
SELECT d + 1 FROM (SELECT 1::d_int AS d) x
----
--! kind=domain
SELECT (ARRAY['1']::d_int[])[1]
----
--! kind=domain
SELECT NULL::d_int
----
--! kind=domain since=16
SELECT JSON_OBJECT('a' VALUE 1 RETURNING d_text)
----
--! kind=domain since=16
SELECT JSON_ARRAY(1, 2 RETURNING d_text)
----
--! kind=domain since=16
SELECT JSON_ARRAYAGG(id RETURNING d_text) FROM things
----
--! kind=domain since=17
SELECT JSON_SERIALIZE('{"a": 1}' RETURNING d_text)
----
--! kind=domain since=17
SELECT JSON_EXISTS('{"a": 1}', '$.a')::text::d_text
----
--! kind=domain since=17
SELECT JSON_VALUE('{"a": 1}', '$.b' RETURNING d_int DEFAULT 5 ON EMPTY)
----
--! kind=domain since=17
SELECT * FROM JSON_TABLE('[{"a": 1}]', '$[*]' COLUMNS (a d_text EXISTS PATH '$.a'))
----
--! kind=domain
SELECT XMLSERIALIZE(CONTENT xmlelement(name a) AS d_text)
----
--! kind=domain
SELECT json_populate_record(w, '{"a": 1}') FROM (SELECT NULL::with_domain AS w) x
----
--! kind=domain
SELECT jsonb_populate_record(t, '{"d": 1}') FROM (SELECT 1) one LEFT JOIN domains t ON true
----
--! kind=domain
SELECT (json_populate_record(NULL::hidden.domains, '{"d": 1}')).*
----
--! kind=domain
SELECT ROW(1, 2, 3)::domains
----
--! kind=domain
SELECT '(1,2,3)'::domains
----
--! kind=domain
SELECT domains '(1,2,3)'
----
--! kind=domain
SELECT ARRAY[ROW(1, 2, 3)]::domains[]
----
--! kind=domain
SELECT generate_series(1, 2)::d_int
----
--! kind=domain
SELECT id::bigint::d_int FROM things
----
--! kind=domain
SELECT CASE WHEN true THEN 1 END::d_int
----
--! kind=domain
SELECT (SELECT max(id) FROM things)::d_int
----
--! kind=domain
SELECT CAST(ARRAY(SELECT id FROM things) AS d_array)
----
--! kind=domain
SELECT array_agg(id)::d_int[] FROM things
----
--! kind=domain
SELECT * FROM unnest('{1,2}'::d_int[]) u
----
--! kind=domain
SELECT 1::d_int IS NULL
----
--! kind=domain
SELECT EXTRACT(year FROM now())::integer::d_int
----
--! kind=domain
SELECT count(*) FROM things GROUP BY id::d_int
----
--! kind=domain
SELECT 1 WHERE 1::d_int = 1
----
--! kind=domain
SELECT id FROM things ORDER BY id::d_int
----
--! kind=domain
SELECT x.a FROM (VALUES (1::d_int)) x(a)
----
--! kind=domain
WITH RECURSIVE r(n) AS (SELECT 1::d_int UNION ALL SELECT (n + 1)::d_int FROM r WHERE n < 3) SELECT n FROM r
----
--! kind=domain
SELECT pg_typeof(1::d_int)
----
--! kind=domain
SELECT format('%s', 1::d_int)
----
--! kind=domain since=14
SELECT '{[1,3)}'::d_multirange
----
--! kind=domain
SELECT ROW(1, 2)::pair::d_pair
----
--! kind=domain
SELECT (d_pair '(1,2)').a
----
--! kind=domain
SELECT 'x'::text COLLATE "C"::d_text
----
--! kind=type
SELECT 'x'::locking
----
--! kind=type
SELECT locking 'x'
----
--! kind=type
SELECT CAST('x' AS hidden.locking)
----
--! kind=type
SELECT '{x}'::locking[]
----
--! kind=type
SELECT 'x'::text::locking
----
--! kind=type
SELECT * FROM json_to_record('{"a": "x"}') AS r(a locking)
----
--! kind=type
SELECT NULL::measured(5)
----
--! kind=type
SELECT '5'::hidden.measured(5)
----
--! kind=type
SELECT CAST(NULL AS measured('a', 'b'))
----
--! kind=type
SELECT '{5}'::measured(5)[]
----
--! casts
--! kind=cast
SELECT c::integer FROM chips
----
--! kind=cast
SELECT CAST(c AS integer) FROM chips
----
--! kind=cast
SELECT t::integer FROM chips
----
--! kind=cast
SELECT t::int4 FROM hidden.chips
----
--! kind=cast
SELECT t::text FROM chips
----
--! kind=cast
SELECT 5::token
----
--! kind=cast
SELECT ARRAY[c]::integer[] FROM chips
----
--! kind=cast
SELECT ARRAY[t]::text[] FROM chips
----
--! kind=cast
SELECT c + 1 FROM chips
----
--! kind=cast
SELECT 1 + c FROM chips
----
--! kind=cast
SELECT takes_int(c) FROM chips
----
--! kind=cast
SELECT abs(m) FROM chips
----
--! kind=cast
SELECT m + 1 FROM chips
----
--! kind=cast
SELECT generate_series(1, c) FROM chips
----
--! kind=cast
SELECT m FROM chips UNION ALL SELECT 1
----
--! kind=cast
SELECT 1 UNION SELECT m FROM chips
----
--! kind=cast
SELECT CASE WHEN id > 0 THEN m ELSE 1 END FROM chips
----
--! kind=cast
SELECT COALESCE(m, 1) FROM chips
----
--! kind=cast
SELECT GREATEST(1, m) FROM chips
----
--! kind=cast
SELECT ARRAY[1, m] FROM chips
----
--! kind=cast
SELECT 1 IN (m, 2) FROM chips
----
--! kind=cast
SELECT 2 = m FROM chips
----
--! kind=cast
SELECT id FROM chips WHERE id < c
----
--! kind=cast
SELECT id FROM chips WHERE f
----
--! kind=cast
SELECT id FROM chips WHERE NOT f AND id > 0
----
--! kind=cast
SELECT CASE WHEN f THEN 1 END FROM chips
----
--! kind=cast
SELECT count(*) FILTER (WHERE f) FROM chips
----
--! kind=cast
SELECT f OR id > 5 FROM chips
----
--! kind=cast
SELECT f IS TRUE FROM chips
----
--! kind=cast
SELECT t.id FROM things t JOIN chips c ON c.f
----
--! kind=cast
SELECT (ARRAY[5, 6])[c] FROM chips
----
--! kind=cast
SELECT id FROM things LIMIT ROW(2)::size
----
--! kind=cast
SELECT id FROM things OFFSET ROW(1)::size
----
--! kind=cast
SELECT sum(id) OVER (ORDER BY id ROWS ROW(1)::size PRECEDING) FROM things
----
--! kind=cast
SELECT sum(c) FROM chips
----
--! kind=cast
SELECT at::text FROM chips
----
--! kind=cast
SELECT point(1, 2)::text
----
--! kind=cast
SELECT 'a'::text || point '(1,2)'
----
--! kind=cast
SELECT at || 'a'::text FROM chips
----
--! kind=cast
SELECT quote_literal(point '(1,2)')
----
--! kind=cast
SELECT quote_nullable(at) FROM chips
----
--! kind=cast
SELECT 5::uuid
----
--! kind=cast
SELECT takes_uuid(5)
----
--! kind=cast
SELECT id = '00000000-0000-0000-0000-000000000000'::uuid FROM things
----
--! kind=cast
SELECT to_json(m) FROM chips
----
--! kind=cast
SELECT to_jsonb(m) FROM chips
----
--! kind=cast
SELECT row_to_json(chips) FROM chips
----
--! kind=cast
SELECT json_agg(m) FROM chips
----
--! kind=cast
SELECT jsonb_build_object('a', m) FROM chips
----
--! kind=cast
SELECT jsonb_object_agg(id, m) FROM chips
----
--! kind=cast
SELECT array_to_json(ARRAY[m]) FROM chips
----
--! kind=cast
SELECT json_build_array(ROW(m)) FROM chips
----
--! kind=cast since=16
SELECT JSON_ARRAY(m) FROM chips
----
--! kind=cast since=16
SELECT JSON_OBJECT('a' VALUE m) FROM chips
----
--! kind=cast since=17
SELECT JSON_SCALAR(m) FROM chips
----
--! kind=cast since=16
SELECT JSON_ARRAYAGG(m) FROM chips
----
--! kind=cast
SELECT '5'::myint + 1
----
--! kind=cast
SELECT x.c + 1 FROM (SELECT c FROM chips) x
----
--! kind=cast
SELECT (SELECT c FROM chips) + 1
----
--! kind=cast
SELECT doc[c] FROM things, chips
----
--! kind=cast
SELECT count(*) FROM chips NATURAL JOIN (SELECT 2 AS m) x
----
--! kind=cast since=14
SELECT array_append(ARRAY[1], m) FROM chips
----
--! kind=cast since=14
SELECT array_position(ARRAY[1], m) FROM chips
----
--! kind=cast since=14
SELECT lag(id, 1, m) OVER () FROM chips
----
--! kind=cast since=14
SELECT array_replace(ARRAY[1], 1, m) FROM chips
----
--! kind=cast since=14
SELECT width_bucket(m, ARRAY[1, 2]) FROM chips
----
--! kind=cast
SELECT nullif(1, m) FROM chips
----
--! kind=cast
SELECT 1 BETWEEN m AND 3 FROM chips
----
--! kind=cast
SELECT repeat('a', m) FROM chips
----
--! kind=cast
SELECT substring('abc' FROM m) FROM chips
----
--! kind=cast
SELECT overlay('abc' PLACING 'x' FROM m) FROM chips
----
--! kind=cast
SELECT make_date(2024, m, 1) FROM chips
----
--! kind=cast
SELECT round(1.5, m) FROM chips
----
--! kind=cast
SELECT (ARRAY[1, 2])[m:2] FROM chips
----
--! kind=cast
SELECT 2 IN (SELECT m FROM chips)
----
--! kind=cast
SELECT 2 = ANY (SELECT m FROM chips)
----
--! kind=cast
SELECT 2 = ALL (ARRAY(SELECT m FROM chips))
----
--! kind=cast
SELECT m = 2 FROM chips
----
--! kind=cast
SELECT m IS DISTINCT FROM 2 FROM chips
----
--! kind=cast
SELECT CASE m WHEN 2 THEN 1 END FROM chips
----
--! kind=cast
SELECT CASE 2 WHEN m THEN 1 END FROM chips
----
--! kind=cast
SELECT least(m, 5) FROM chips
----
--! kind=cast
VALUES (1), ('5'::myint)
----
--! kind=cast
SELECT 1 AS m EXCEPT SELECT m FROM chips
----
--! kind=cast
SELECT id FROM chips GROUP BY id, f HAVING f
----
--! kind=cast
SELECT bool_and(f) FROM chips
----
--! kind=cast
SELECT f AND true FROM chips
----
--! kind=cast
SELECT 1 FROM things LEFT JOIN chips ON NOT f
----
--! kind=cast
SELECT 'x' OPERATOR(pg_catalog.||) point '(1,2)'
----
--! kind=cast
SELECT chips.at || '!'::text FROM chips
----
--! kind=cast
SELECT jsonb_build_array(m) FROM chips
----
--! kind=cast
SELECT to_json(ARRAY[m]) FROM chips
----
--! kind=cast
SELECT array_to_json(array_agg(m)) FROM chips
----
--! kind=cast
SELECT to_jsonb(x) FROM (SELECT m FROM chips) x
----
--! kind=cast
SELECT row_to_json(ROW(m)) FROM chips
----
--! kind=cast
SELECT json_agg(x) FROM (SELECT m FROM chips) x
----
--! kind=cast
SELECT to_json('5'::myint)
----
--! kind=cast
SELECT jsonb_agg(chips ORDER BY id) FROM chips
----
--! kind=cast
SELECT json_object_agg('a', chips) FROM chips
----
--! kind=cast
SELECT '{"a": 1}'::jsonb || to_jsonb(m) FROM chips
----
--! kind=cast
SELECT 5::uuid::text
----
--! kind=cast
SELECT CAST(id AS uuid) FROM things
----
--! kind=cast
SELECT ARRAY[1, 2]::uuid[]
----
--! kind=cast
SELECT id FROM things WHERE id IN ('00000000-0000-0000-0000-000000000000'::uuid)
----
--! kind=cast
SELECT COALESCE('00000000-0000-0000-0000-000000000000'::uuid, gen_random_uuid()) = 5
----
--! kind=cast
SELECT id FROM verdicts WHERE v
----
--! kind=cast
SELECT NOT v FROM verdicts
----
--! kind=cast
SELECT v IS TRUE FROM verdicts
----
--! kind=cast
SELECT CASE WHEN v THEN 1 END FROM verdicts
----
--! kind=cast
SELECT a.id FROM verdicts a JOIN verdicts b ON a.v
----
--! kind=cast
SELECT count(*) FILTER (WHERE v) FROM verdicts
----
--! kind=cast
SELECT id FROM things LIMIT (SELECT v FROM verdicts)
----
--! kind=cast
SELECT sum(id) OVER (ORDER BY id ROWS (SELECT v FROM verdicts) PRECEDING) FROM things
----
--! t.f and (x).f
--! kind=field
SELECT t.thing_effect FROM things t
----
--! kind=field
SELECT things.thing_effect FROM things
----
--! kind=field
SELECT hidden.things.thing_effect FROM hidden.things
----
--! kind=field
SELECT (t).thing_effect FROM things t
----
--! kind=field
SELECT (t.*).thing_effect FROM things t
----
--! kind=field
SELECT thing_effect(t) FROM things t
----
--! kind=field
SELECT id FROM things t WHERE t.thing_effect > 0
----
--! kind=field
SELECT id FROM things t ORDER BY t.thing_effect
----
--! kind=field
SELECT count(*) FROM things t GROUP BY t.thing_effect
----
--! kind=field
SELECT t."thing_effect" FROM things t
----
--! kind=field
SELECT (ROW(1, 2)::pair).pair_effect
----
--! kind=field
SELECT (make_pair(1)).pair_effect
----
--! kind=field
SELECT (p.p).pair_effect FROM pairs p
----
--! kind=field
SELECT (ARRAY[ROW(1, 2)::pair])[1].pair_effect
----
--! kind=field
SELECT ((ARRAY[ROW(1, 2)::pair])[1]).pair_effect
----
--! kind=field
SELECT (SELECT p FROM pairs LIMIT 1).pair_effect
----
--! kind=field
SELECT (SELECT ROW(1, 2)::pair).pair_effect
----
--! kind=field
SELECT (CAST(ROW(1, 2) AS pair)).pair_effect
----
--! kind=field
SELECT (COALESCE(p, p)).pair_effect FROM pairs
----
--! kind=field
SELECT (CASE WHEN true THEN p END).pair_effect FROM pairs
----
--! kind=field
SELECT (1).int_effect
----
--! kind=field
SELECT (id).int_effect FROM things
----
--! kind=field
SELECT (t.id).int_effect FROM things t
----
--! kind=field
SELECT (ROW(1, 2)).row_effect
----
--! kind=field
SELECT (t).row_effect FROM (SELECT 1 AS a) t
----
--! kind=field
SELECT t.row_effect FROM (SELECT 1 AS a) t
----
--! kind=field
WITH c AS (SELECT 1 AS a) SELECT c.row_effect FROM c
----
--! kind=field
SELECT x.row_effect FROM (VALUES (1, 2)) AS x(a, b)
----
--! kind=field
SELECT g.int_effect FROM generate_series(1, 2) g
----
--! kind=field
SELECT j.row_effect FROM (things t JOIN moods m USING (id)) AS j
----
--! kind=field
SELECT t.id, u.e FROM things t, LATERAL (SELECT t.thing_effect AS e) u
----
--! kind=field
SELECT (SELECT t FROM things t LIMIT 1).thing_effect
----
--! kind=field
SELECT row_effect(t.*) FROM things t
----
--! kind=field
SELECT row_effect(ROW(1, 2))
----
--! kind=field
SELECT (x).p.pair_effect FROM (SELECT pairs AS x FROM pairs) q
----
--! kind=field
SELECT ((q.x).p).pair_effect FROM (SELECT pairs AS x FROM pairs) q
----
--! kind=field
SELECT (g.a).b.int_effect FROM (SELECT ROW(1, 2)::pair AS a) g
----
--! kind=field
SELECT ((g.a).b).int_effect FROM (SELECT ROW(1, 2)::pair AS a) g
----
--! kind=field
SELECT (array_agg(t))[1].thing_effect FROM things t
----
--! kind=field
SELECT count(t.thing_effect) FROM things t
----
--! kind=field
SELECT DISTINCT t.thing_effect FROM things t
----
--! kind=field
SELECT t.thing_effect::text FROM things t
----
--! kind=field
SELECT ARRAY[t.thing_effect] FROM things t
----
--! kind=field
SELECT u.id FROM things u JOIN things t ON t.thing_effect = u.id
----
--! kind=field
SELECT v.thing_effect FROM (SELECT * FROM things) v
----
--! kind=field
SELECT (max(id)).int_effect FROM things
----
--! kind=field
SELECT ('1'::integer).int_effect
----
--! kind=field
SELECT (ARRAY[1, 2])[1].int_effect
----
--! kind=field
SELECT (VALUES (1)).int_effect
----
--! kind=field
SELECT ($$1$$::integer).int_effect
----
--! other functions under the names of built-ins
--! kind=overload
SELECT lower(1)
----
--! kind=overload
SELECT lower(id) FROM things
----
--! kind=overload
SELECT lower()
----
--! kind=overload
SELECT hidden.lower('A'::text)
----
--! kind=overload
SELECT lower(length('abc'))
----
--! kind=overload
SELECT (id).lower FROM things
----
--! kind=overload
SELECT upper(5)
----
--! kind=overload
SELECT "upper"(id) FROM things
----
--! kind=overload
SELECT length(true)
----
--! kind=overload
SELECT length(id > 1) FROM things
----
--! kind=overload
SELECT abs('1'::text)
----
--! kind=overload
SELECT abs(name) FROM things
----
--! kind=overload
SELECT abs(n => 1)
----
--! kind=overload
SELECT abs(n := id) FROM things
----
--! kind=overload
SELECT round(name, 2) FROM things
----
--! kind=overload
SELECT round('1'::text, 2)
----
--! kind=overload
SELECT date_trunc('month', '2024-01-01')
----
--! kind=overload
SELECT date_trunc('month', name) FROM things
----
--! kind=overload
SELECT * FROM generate_series('a'::text, 'b'::text)
----
--! kind=overload
SELECT generate_series(name, name) FROM things
----
--! kind=overload
SELECT * FROM ROWS FROM (generate_series('a', 'b'), unnest('{1}'::integer[]))
----
--! kind=overload
SELECT format(1, 'a', 'b')
----
--! kind=overload
SELECT format(id, VARIADIC tags) FROM things WHERE id = 1
----
--! kind=overload
SELECT concat(1, 2)
----
--! kind=overload
SELECT concat(id, id) FROM things
----
--! kind=overload
SELECT left(5)
----
--! kind=overload
SELECT left(5, 2)
----
--! kind=overload
SELECT to_char(true, 'x')
----
--! kind=overload
SELECT now(1)
----
--! kind=overload
SELECT id FROM things WHERE now(id) > '2020-01-01'
----
--! kind=overload
SELECT max(p) FROM pairs
----
--! kind=overload
SELECT max(ROW(1, 2)::pair)
----
--! kind=overload
SELECT count(p) FROM pairs
----
--! kind=overload
SELECT count(p) OVER () FROM pairs
----
--! kind=overload
SELECT sum(name) FROM things
----
--! kind=overload
SELECT sum(name) FILTER (WHERE id > 1) FROM things
----
--! kind=overload
SELECT sum(x) FROM (SELECT name AS x FROM things) s
----
--! kind=overload
SELECT bool_and(id > 0, name) FROM things
----
--! kind=overload
SELECT information_schema.innocent(1)
----
--! kind=overload until=15
SELECT json_object(1, 2)
----
--! kind=overload until=15
SELECT id FROM things WHERE json_object(id, 1) > 0
----
--! functions of one's own
--! kind=function
SELECT evil(1)
----
--! kind=function
SELECT hidden.evil('a'::text)
----
--! kind=function
SELECT id FROM things WHERE evil(id) > 0
----
--! kind=function
SELECT * FROM volatile_rows(1)
----
--! kind=function
SELECT (volatile_rows(1)).a
----
--! kind=function
SELECT holds(ROW(1))
----
--! kind=function
SELECT atomic_stable()
----
--! kind=function
SELECT atomic_immutable(1)
----
--! kind=function
SELECT atomic_immutable(id) FROM things
----
--! kind=function
EXPLAIN SELECT atomic_immutable(1)
----
--! kind=function
SELECT atomic_builtin()
----
--! kind=function
SELECT * FROM atomic_builtin()
----
--! kind=function
SELECT atomic_return(1)
----
--! kind=function
SELECT hidden.atomic_return(id) FROM things
----
--! kind=function
SELECT atomic_view()
----
--! kind=function
SELECT atomic_operator(1)
----
--! kind=function
SELECT atomic_domain(1)
----
--! kind=function
SELECT atomic_nested()
----
--! kind=function
SELECT default_evil()
----
--! kind=function
SELECT id FROM things WHERE default_evil() = id
----
--! kind=function
SELECT default_builtin(1)
----
--! kind=function
SELECT default_builtin(a => 1)
----
--! kind=function trace=sequence
SELECT default_nextval()
----
--! kind=function trace=sequence
SELECT default_nextval(5)
----
--! kind=function
SELECT definer_stable()
----
--! kind=function
SELECT definer_immutable(1)
----
--! kind=function
EXPLAIN SELECT * FROM things WHERE id = definer_immutable(2)
----
--! kind=function
SELECT * FROM definer_rows()
----
--! kind=function
SELECT with_setting()
----
--! kind=function
SELECT with_more_memory()
----
--! kind=function
SELECT with_own_setting()
----
--! aggregates
--! kind=aggregate
SELECT agg_step(id) FROM things
----
--! kind=aggregate
SELECT hidden.agg_step(DISTINCT id) FROM things
----
--! kind=aggregate
SELECT agg_step(id) FILTER (WHERE id > 1) FROM things
----
--! kind=aggregate
SELECT name, agg_step(id) FROM things GROUP BY name
----
--! kind=aggregate
SELECT agg_step(id) OVER (ORDER BY id) FROM things
----
--! kind=aggregate
SELECT agg_end(id) FROM things
----
--! kind=aggregate
SELECT id FROM things GROUP BY id HAVING agg_end(id) > 0
----
--! kind=aggregate
SELECT agg_moving(id) OVER (ORDER BY id ROWS 1 PRECEDING) FROM things
----
--! kind=aggregate
SELECT agg_moving_end(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM things
----
--! kind=aggregate
SELECT agg_ordered() WITHIN GROUP (ORDER BY id) FROM things
----
--! kind=aggregate
SELECT agg_nothing(*) FROM things
----
--! kind=aggregate
SELECT agg_domain(id) FROM things
----
--! kind=aggregate
SELECT (SELECT agg_step(id) FROM things)
----
--! XML of a view
--! kind=xml
SELECT table_to_xml('hidden.v_lock', true, false, '')
----
--! kind=xml
SELECT table_to_xml('hidden.v_try_lock'::regclass, false, false, '') FROM things LIMIT 1
----
--! kind=xml
SELECT query_to_xml('SELECT * FROM hidden.v_lock', true, false, '')
----
--! kind=xml
SELECT query_to_xml_and_xmlschema('TABLE hidden.v_try_lock', true, false, '')
----
--! kind=xml
SELECT schema_to_xml('information_schema', true, false, '') IS NULL
----
--! tables that are elsewhere
--! kind=foreign trace=file needs=file_fdw
SELECT * FROM f_program
----
--! kind=foreign trace=file needs=file_fdw
SELECT count(*) FROM hidden.f_program
----
--! kind=foreign trace=file needs=file_fdw
SELECT t.id FROM things t WHERE t.id IN (SELECT id FROM f_program)
----
--! kind=foreign trace=file needs=file_fdw
SELECT * FROM v_program
----
--! kind=foreign trace=file needs=file_fdw
TABLE v_program
----
--! kind=foreign trace=file needs=file_fdw
SELECT (SELECT f.id FROM f_program f LIMIT 1)
----
--! kind=foreign needs=postgres_fdw
SELECT * FROM f_lock
----
--! kind=foreign needs=postgres_fdw
SELECT is_free FROM f_lock WHERE id = 1
----
--! kind=foreign needs=postgres_fdw
SELECT t.id, f.locked FROM things t LEFT JOIN f_try_lock f USING (id)
----
--! kind=foreign needs=postgres_fdw
SELECT * FROM f_parted
----
--! kind=foreign needs=postgres_fdw
SELECT count(locked) FROM hidden.f_parted WHERE id > 0
----
--! kind=foreign needs=postgres_fdw
SELECT * FROM f_part_away
----
--! kind=foreign needs=postgres_fdw
SELECT locked FROM f_parent
----
--! kind=foreign needs=postgres_fdw
SELECT locked FROM f_parent *
----
--! kind=foreign needs=postgres_fdw
SELECT * FROM v_away
----
--! kind=foreign needs=dblink as=owner trace=sequence
SELECT * FROM v_dblink
----
--! kind=foreign needs=dblink as=owner trace=sequence
SELECT * FROM dblink('loopback', 'SELECT nextval(''hidden.numbers'')') AS d(n bigint)
----
--! kind=foreign needs=postgres_fdw
SELECT table_to_xml('hidden.f_try_lock', true, false, '')
----
--! what the planner runs
--! kind=planning
SELECT * FROM p_index
----
--! kind=modifier
SELECT 'measured(5)'::regtype
----
--! kind=modifier
SELECT regtype 'hidden.measured(5)'
----
--! kind=modifier
SELECT CAST('{measured(5)}' AS regtype[])
----
--! kind=modifier
SELECT name::regtype FROM (VALUES ('measured(5)'), ('integer')) AS v(name)
----
--! kind=modifier
SELECT to_regtype('measured(5)')
----
--! kind=modifier
SELECT regtypein('measured(5)')
----
--! kind=modifier
SELECT to_regprocedure('evil(measured(5))')
----
--! kind=modifier
SELECT to_regoperator('+(measured(5),integer)')
----
--! kind=modifier
SELECT has_type_privilege('measured(5)', 'usage')
----
--! kind=modifier
SELECT has_type_privilege('reader', 'hidden.measured(5)', 'usage')
----
--! kind=modifier
SELECT pg_get_object_address('type', '{measured(5)}', '{}')
----
--! kind=modifier
SELECT CASE WHEN id > 0 THEN 'measured(5)' ELSE pg_typeof(id) END FROM things
----
--! kind=modifier
SELECT typname FROM pg_type WHERE oid = 'measured(5)'::regtype
----
--! kind=modifier since=17
SELECT to_regtypemod('measured(5)')
----
--! kind=modifier since=16
SELECT pg_input_is_valid('measured(5)', 'regtype')
----
--! kind=planning
SELECT count(*) FROM p_index WHERE id = 1
----
--! kind=planning
SELECT * FROM p_partial WHERE id = 1
----
--! kind=planning
SELECT * FROM p_parent WHERE id = 1
----
--! kind=planning
SELECT * FROM p_statistics
----
--! kind=planning
SELECT * FROM p_parted
----
--! kind=planning
SELECT * FROM p_parted WHERE id = 1
----
--! kind=planning
EXPLAIN SELECT * FROM p_index
----
--! kind=planning
SELECT t.id FROM things t LEFT JOIN p_index i ON i.id = t.id WHERE i.id IS NOT NULL
