# One statement on a line. A blank line ends a conversation.
SELECT 1
SELECT 1;
select 1 as one, 'two' as two, NULL as three
;
-- nothing but a comment
/* nor /* here */ */
SELECT
VALUES (1, 'a'), (2, NULL), (3, '')
TABLE parted_low
SELECT * FROM item ORDER BY id
SELECT * FROM item WHERE id < 1
SELECT id, name, price FROM item WHERE id BETWEEN 10 AND 20 ORDER BY id
SELECT count(*), sum(price), avg(price), min(made), max(made) FROM item
SELECT state, count(*) FROM item GROUP BY state ORDER BY state
SELECT state, count(*) FROM item GROUP BY GROUPING SETS ((state), ()) ORDER BY 1
SELECT state, id % 2, count(*) FROM item GROUP BY ROLLUP (state, id % 2) ORDER BY 1, 2
SELECT state, count(*) FILTER (WHERE price > 100) FROM item GROUP BY state HAVING count(*) > 3 ORDER BY 1
SELECT DISTINCT state FROM item ORDER BY state DESC
SELECT DISTINCT ON (state) state, id FROM item ORDER BY state, id
SELECT i.id, p.amount FROM item i JOIN part p ON p.item_id = i.id WHERE i.id < 5 ORDER BY 1, 2
SELECT i.id, p.line FROM item i LEFT JOIN part p ON p.item_id = i.id AND p.line = 99 WHERE i.id < 4 ORDER BY 1
SELECT count(*) FROM item NATURAL JOIN other.item AS o(id, remark)
SELECT a.id FROM item a CROSS JOIN (VALUES (1), (2)) v(n) WHERE a.id = v.n ORDER BY 1
SELECT i.id, l.m FROM item i, LATERAL (SELECT max(amount) AS m FROM part WHERE item_id = i.id) l WHERE i.id < 6 ORDER BY 1
SELECT id, rank() OVER (ORDER BY price NULLS LAST), lag(id) OVER w FROM item WHERE id < 12 WINDOW w AS (PARTITION BY state ORDER BY id) ORDER BY id
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM item WHERE id < 8
WITH a AS (SELECT 1 AS x), b AS MATERIALIZED (SELECT x + 1 AS y FROM a) SELECT * FROM a, b
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 30) SELECT array_agg(n) FROM r
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SEARCH DEPTH FIRST BY n SET o CYCLE n SET c USING p SELECT n, c FROM r ORDER BY o
SELECT 1 UNION SELECT 2 UNION ALL SELECT 2 EXCEPT SELECT 1 INTERSECT SELECT 1 ORDER BY 1
SELECT * FROM "Mixed Case" ORDER BY "Key"
SELECT "Übung", "a ""quoted"" name" FROM public."Mixed Case" ORDER BY 2
SELECT U&"\00DCbung" FROM "Mixed Case" ORDER BY 1
SELECT U&'d\0061t\+000061', U&'d!0061t' UESCAPE '!', E'a\tb\x41\u00e9\'', $$dollar$$, $tag$a $$ b$tag$
SELECT * FROM every_type
SELECT a_numeric, a_float8, a_money, an_interval FROM every_type
SELECT a_bytea, a_json, a_jsonb, a_pair, (a_pair).b FROM every_type
SELECT every_type FROM every_type
SELECT row_to_json(p) FROM parted_low p WHERE k < 3 ORDER BY k
SELECT * FROM no_column
SELECT * FROM empty_table
SELECT * FROM item_view WHERE id < 5 ORDER BY id
SELECT * FROM item_total ORDER BY state
SELECT * FROM parted WHERE k BETWEEN 95 AND 105 ORDER BY k
SELECT * FROM ONLY parted
SELECT * FROM other.item
SELECT id, length(body), body FROM big ORDER BY id
SELECT repeat('x', 100000)
SELECT generate_series(1, 3), generate_series(1, 2)
SELECT * FROM generate_series(1, 5) WITH ORDINALITY
SELECT * FROM ROWS FROM (generate_series(1, 2), unnest(ARRAY['a', 'b', 'c'])) AS t(n, c)
SELECT * FROM unnest(ARRAY[1, 2], ARRAY['a', 'b', 'c'])
SELECT * FROM json_to_recordset('[{"a":1,"b":"x"},{"a":2}]') AS t(a integer, b text)
SELECT jsonb_path_query('{"a": [1, 2, 3]}', '$.a[*] ? (@ > 1)')
SELECT '{"a": {"b": 1}}'::jsonb #>> '{a,b}', '[1,2]'::jsonb -> 1, jsonb_build_object('k', NULL)
SELECT ARRAY[1, 2, 3] || 4, ARRAY[[1, 2], [3, 4]], (ARRAY[1, 2, 3])[2:], ARRAY(SELECT id FROM item WHERE id < 4 ORDER BY id)
SELECT ROW(1, 'a', NULL), ROW(1, 2) = ROW(1, 2), (1, 2) IS DISTINCT FROM (1, NULL)
SELECT CASE WHEN 1 = 1 THEN 'yes' ELSE 'no' END, COALESCE(NULL, 2), NULLIF(1, 1), GREATEST(1, 3, 2), LEAST('b', 'a')
SELECT 1 BETWEEN 0 AND 2, 1 IN (1, 2), 1 NOT IN (3), 'abc' LIKE 'a%', 'abc' ILIKE 'A_C', 'abc' SIMILAR TO 'a(b|c)*', 'a' ~* 'A'
SELECT 1 = ANY (ARRAY[1, 2]), 1 < ALL (SELECT id FROM item), EXISTS (SELECT 1 FROM item WHERE id = 5)
SELECT EXTRACT(epoch FROM timestamptz '2024-01-01 00:00:00+00'), date_trunc('month', date '2024-05-17'), date '2024-01-31' + interval '1 month'
SELECT timestamp '2024-07-01 12:00' AT TIME ZONE 'Europe/Paris', to_char(timestamp '2024-07-01', 'Day, DD Mon YYYY')
SELECT overlay('abcdef' PLACING 'X' FROM 2 FOR 3), substring('abcdef' FROM 2 FOR 2), position('c' IN 'abc'), trim(BOTH 'x' FROM 'xax')
SELECT format('%s %I %L', 'a', 'B c', 'it''s'), quote_literal('x'), quote_ident('A b'), concat_ws(',', 1, NULL, 'z')
SELECT regexp_replace('foo bar', '(\w+) (\w+)', '\2 \1'), regexp_split_to_array('a,b', ','), string_to_array('1,2', ',')
SELECT md5('x'), sha256('x'), encode('\xdeadbeef', 'base64'), decode('3q2+7w==', 'base64')
SELECT 1.5::numeric(10, 3), 7 / 2, 7 % 3, 2 ^ 10, |/ 2.0, -5, @ -5, 5 & 3, 1 << 4, 0.1 + 0.2, 1e400::numeric
SELECT 1::bool, 'off'::bool, '  12 '::int, 'NaN'::float4, '1e-5'::float8, 3.14::real, 922337203685477580::int8
SELECT 'item'::regclass, 'integer'::regtype, 'now'::regproc, 'pg_catalog'::regnamespace, 1::oid
SELECT CAST('{1,2}' AS int[]), int4range(1, 5) @> 3, '[1,3)'::int4range * '[2,5)', '{[1,2)}'::int4multirange
SELECT to_tsvector('simple', 'a fat cat') @@ to_tsquery('simple', 'cat'), ts_headline('simple', 'a cat', to_tsquery('simple', 'cat'))
SELECT point '(1,2)' <-> point '(4,6)', box '((0,0),(1,1))' && box '((1,1),(2,2))', circle '((0,0),1)', polygon '((0,0),(1,1),(1,0))'
SELECT inet '192.168.1.5/24' << inet '192.168.1.0/24', host('10.1.2.3/8'), netmask('10.1.2.3/8'), macaddr '08:00:2b:01:02:03'
SELECT B'101' & B'110', X'1F', b'1'::bit(3), bit_length('abc'), 'x'::char(5) || '|', 'abc'::varchar(2), 'abcdef'::"char"
SELECT max(name COLLATE "C"), name COLLATE "C" < 'j' FROM item WHERE id < 3 GROUP BY name ORDER BY name COLLATE "C" DESC
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY price), mode() WITHIN GROUP (ORDER BY state), string_agg(DISTINCT state::text, ',' ORDER BY state::text) FROM item
SELECT * FROM item ORDER BY price DESC NULLS LAST, id OFFSET 3 ROWS FETCH FIRST 2 ROWS WITH TIES
SELECT count(*) FROM item TABLESAMPLE SYSTEM (100)
SELECT tableoid::regclass, ctid FROM parted WHERE k = 150
SELECT current_database(), current_schema(), current_user, session_user, current_role, current_catalog, user
SELECT current_schemas(true), current_setting('server_encoding'), current_setting('default_transaction_read_only'), current_setting('no.such', true)
SELECT version(), pg_catalog.version()
SELECT pg_typeof(1), pg_typeof('x'::text), pg_typeof(ARRAY[1.5]), pg_is_in_recovery()
SELECT format_type(23, NULL), pg_get_viewdef('item_view'::regclass), obj_description('item'::regclass, 'pg_class'), pg_get_userbyid(10)
SELECT pg_get_indexdef('item_name'::regclass), pg_get_expr(NULL, 0), pg_table_is_visible('item'::regclass), has_table_privilege('item', 'select')
SELECT c.relname, c.relkind FROM pg_catalog.pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname OPERATOR(pg_catalog.~) '^(public)$' COLLATE pg_catalog.default ORDER BY 1
SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, ordinal_position
SELECT attname, atttypid::regtype, attnotnull FROM pg_attribute WHERE attrelid = 'item'::regclass AND attnum > 0 ORDER BY attnum
SELECT conname, contype, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'part'::regclass ORDER BY 1
SELECT name, setting FROM pg_settings WHERE name LIKE 'default_transaction%' ORDER BY 1
SELECT rolname, rolsuper FROM pg_roles WHERE rolname IN ('app', 'reader') ORDER BY 1
SELECT schemaname, tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 2
SELECT pg_relation_size('empty_table'), pg_size_pretty(10000000::bigint), pg_column_size('abc'::text), pg_encoding_to_char(6)
SELECT "Key", "Key"::text || '!' AS "An output name with spaces" FROM "Mixed Case" ORDER BY 1
SELECT a.b.c FROM (SELECT ROW(1, 2) AS b) a
SELECT (a_pair).*, a_pairs[1].a FROM every_type
SELECT GROUPING(state), state FROM item GROUP BY CUBE (state) ORDER BY 1, 2
SELECT 'notice' ~~~> 'a note', 'warning' ~~~> 'a warning', 'info' ~~~> 'an info', 'debug' ~~~> 'unheard', 'log' ~~~> 'unheard'
SELECT '01000' ~~~> 'a warning condition with all its fields', '00000' ~~~> 'success'
SELECT id, 'notice' ~~~> ('row ' || id) FROM item WHERE id < 6 ORDER BY id
SELECT 1 AS an_identifier_that_is_much_longer_than_sixty_three_bytes_and_so_is_cut_by_the_server
SELECT an_identifier_that_is_much_longer_than_sixty_three_bytes_and_so_is_cut_by_the_server.* FROM (SELECT 1) an_identifier_that_is_much_longer_than_sixty_three_bytes_and_so_is_cut_by_the_server
EXPLAIN SELECT 1
EXPLAIN (COSTS OFF) SELECT * FROM item WHERE id = 5
EXPLAIN (COSTS OFF, FORMAT JSON) SELECT * FROM item i JOIN part p ON p.item_id = i.id
EXPLAIN (COSTS OFF, VERBOSE, FORMAT YAML) SELECT name FROM item
EXPLAIN (COSTS OFF, FORMAT XML) TABLE part
EXPLAIN (VERBOSE, COSTS off) SELECT * FROM empty_table
SHOW server_version
SHOW transaction_read_only
SHOW default_transaction_read_only
SHOW search_path
SHOW ALL
SHOW TIME ZONE
SHOW transaction isolation level
SHOW no_such_setting
