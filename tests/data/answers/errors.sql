# Errors that the server itself raises, of as many kinds as a read can meet, each followed by a proof of life.
SELECT 1/0
SELECT 'before' FROM item WHERE 10 / (500 - id) > 0
SELECT id, 1 / (500 - id) FROM item ORDER BY id
SELECT 'x'::int
SELECT ''::int
SELECT '99999999999'::int
SELECT 2147483647 + 1
SELECT 9223372036854775807 + 1
SELECT 1e400::float8
SELECT 100000::int2
SELECT 10::numeric(1,0) ^ 100000000
SELECT 12345::numeric(3)
SELECT 'maybe'::bool
SELECT '2024-13-45'::date
SELECT 'not a date'::date
SELECT '2024-02-30'::timestamp
SELECT date '5874897-12-31' + 1
SELECT timestamp '294276-12-31' + interval '1 year'
SELECT '1 fortnight of bread'::interval
SELECT timestamptz '2024-01-01' AT TIME ZONE 'Nowhere/Land'
SELECT 'not-a-uuid'::uuid
SELECT '{bad'::json
SELECT '{"a": }'::jsonb
SELECT '{1,2'::int[]
SELECT '[3,1]'::int4range
SELECT '1.2.3.4.5'::inet
SELECT '192.168.0.1/24'::cidr
SELECT 'zz'::macaddr
SELECT '(1'::point
SELECT '12'::bit(4)
SELECT '\xZZ'::bytea
SELECT 'x'::mood
SELECT '$.a['::jsonpath
SELECT 'a & '::tsquery
SELECT (-1)::positive
SELECT NULL::present
SELECT ROW(1, 'x')::pair::text::integer
SELECT ('no such'::text)::regclass
SELECT 'a.b.c.d'::regclass
SELECT 'no_such_type'::regtype
SELECT * FROM no_such_table
SELECT * FROM no_such_schema.item
SELECT * FROM no_such_database.public.item
SELECT no_such_column FROM item
SELECT item.no_such_column FROM item
SELECT nam FROM item
SELECT no_such_table.id FROM item
SELECT i.id FROM item JOIN part i ON true JOIN item i ON true
SELECT id FROM item a, part b, other.item c
SELECT id FROM item a JOIN other.item b ON true
SELECT item_id FROM part GROUP BY line
SELECT count(*) FROM item WHERE count(*) > 1
SELECT sum(sum(id)) FROM item
SELECT rank() OVER (ORDER BY rank() OVER ()) FROM item
SELECT 1 WHERE rank() OVER () = 1
SELECT sum(id) OVER w FROM item
SELECT id FROM item ORDER BY 3
SELECT id FROM item GROUP BY 7
SELECT DISTINCT id FROM item ORDER BY name
SELECT id FROM item LIMIT -1
SELECT id FROM item OFFSET -1
SELECT id FROM item LIMIT 'x'
SELECT (SELECT id FROM item)
SELECT (SELECT 1, 2)
SELECT 1 = (SELECT id, name FROM item)
SELECT ROW(1, 2) = ROW(1, 2, 3)
SELECT 1 UNION SELECT 'x'
SELECT 1, 2 UNION SELECT 1
SELECT 1 + 'x'
SELECT 1 + ''::text
SELECT 1 = 'a'::text
SELECT name + 1 FROM item
SELECT true + 1
SELECT lower(1, 2)
SELECT lower(lower => 1)
SELECT CASE WHEN 1 THEN 2 END
SELECT 1 WHERE 5
SELECT 1 AND true
SELECT 'a' COLLATE "no such"
SELECT 'a' COLLATE "C" < 'b' COLLATE "POSIX"
SELECT 1 COLLATE "C"
SELECT 1::item
SELECT 1::json
SELECT ARRAY[1, 'x']
SELECT ARRAY[]
SELECT (ARRAY[1, 2])['x']
SELECT (1).a
SELECT (ROW(1, 2)).nothing
SELECT name.first FROM item
SELECT ARRAY[[1, 2], [3]]
SELECT array_fill(1, ARRAY[1, NULL])
SELECT sqrt(-1)
SELECT ln(0)
SELECT ln(-1::numeric)
SELECT 0::numeric ^ -1
SELECT (-8)::float8 ^ 0.5
SELECT acos(2)
SELECT width_bucket(1, 2, 3, 0)
SELECT chr(-1)
SELECT chr(0)
SELECT substring('abc' FROM 1 FOR -1)
SELECT repeat('x', 2000000000)
SELECT lpad('x', 2000000000)
SELECT 'a' ~ '('
SELECT regexp_replace('a', '[', 'b')
SELECT 'a' LIKE 'b\' ESCAPE '\'
SELECT 'a' LIKE 'b' ESCAPE 'cc'
SELECT 'a' SIMILAR TO 'b' ESCAPE 'cc'
SELECT to_number('x', '9'), to_date('x', 'YYYY')
SELECT to_timestamp('2024', 'YYYYYYYYY IYYY')
SELECT format('%q', 1)
SELECT encode('x', 'nonsense')
SELECT decode('x', 'base64')
SELECT convert_from('\xff', 'UTF8')
SELECT convert_from('\x00', 'nonsense')
SELECT convert_from('\x80', 'SJIS')
SELECT ntile(0) OVER () FROM item
SELECT nth_value(id, 0) OVER () FROM item
SELECT sum(id) OVER (ROWS BETWEEN -1 PRECEDING AND CURRENT ROW) FROM item
SELECT percentile_cont(2) WITHIN GROUP (ORDER BY id) FROM item
SELECT count(*) FROM item TABLESAMPLE SYSTEM (200)
SELECT generate_series(1, 10, 0)
SELECT '{"a": 1}'::jsonb -> ARRAY[1]
SELECT jsonb_path_query('{"a": 1}', 'strict $.b')
SELECT jsonb_set('1', '{a}', '1')
SELECT json_each('[1]')
SELECT json_to_record('[1]')
SELECT json_array_elements('{}')
SELECT (json_populate_record(NULL::pair, '{"a": "x"}')).a
SELECT B'1' & B'11'
SELECT int4range(3, 1)
SELECT age(1)
SELECT date_trunc('nonsense', timestamp '2024-01-01')
SELECT EXTRACT(nonsense FROM timestamp '2024-01-01')
SELECT make_date(2024, 13, 1)
SELECT make_interval(years => 2147483647)
SELECT current_setting('no_such_setting')
SELECT current_setting('no.such')
SELECT $1
SELECT $1::int + 1
WITH a AS (SELECT 1), a AS (SELECT 2) SELECT * FROM a
WITH a(x, y) AS (SELECT 1) SELECT * FROM a
WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT 1 FROM r, r s) SELECT * FROM r
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n::text FROM r) SELECT * FROM r
WITH RECURSIVE r(n) AS (SELECT n FROM r) SELECT * FROM r
SELECT * FROM (SELECT 1) a NATURAL JOIN (SELECT 2) a
SELECT * FROM item a JOIN part b USING (nothing)
SELECT * FROM item a JOIN item b USING (id) JOIN item c USING (name)
SELECT * FROM generate_series(1, 2) AS t(a, b, c)
SELECT * FROM json_to_record('{}')
SELECT * FROM lower('x') AS t(a int)
SELECT unnest(ARRAY[1]) + CASE WHEN true THEN unnest(ARRAY[1]) END
SELECT sum(unnest(ARRAY[1]))
SELECT max(ARRAY[1]) FROM item HAVING generate_series(1, 2) > 0
SELECT string_agg(DISTINCT name, ',' ORDER BY id) FROM item
SELECT lower(DISTINCT name) FROM item
SELECT mode() FROM item
SELECT lower(name) WITHIN GROUP (ORDER BY id) FROM item
SELECT lower(name) FILTER (WHERE true) FROM item
SELECT * FROM item AS i(a, b, c, d, e, f, g)
SELECT "Übung", "ubung" FROM "Mixed Case"
SELECT uebung FROM Mixed
SELECT * FROM mixed_case
SELECT xmlparse(content '<a>')
SELECT 'P0001' !!!> 'raised'
SELECT '40001' !!!> 'could not serialize access, said the function'
SELECT '40P01' !!!> 'deadlock detected, said the function'
SELECT '57014' !!!> 'cancelled, said the function'
SELECT '53200' !!!> 'out of memory, said the function'
SELECT 'XX000' !!!> 'internal error, said the function'
SELECT '25006' !!!> 'read-only, said the function'
SELECT 'ZZ9ZZ' !!!> 'no such class'
SELECT id, CASE WHEN id = 300 THEN '22000' !!!> 'halfway' ELSE name END FROM item ORDER BY id
SELECT 'notice' ~~~> 'a notice, then an error', 1 / (id - 1) FROM item
EXPLAIN SELECT no_such_column FROM item
SELECT pg_get_viewdef('no_such_view'::regclass)
SELECT has_table_privilege('no_such_role', 'item', 'select')
SELECT has_table_privilege('item', 'fly')
SHOW no_such_setting
SELECT 1
