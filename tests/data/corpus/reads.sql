-- Everyday reads. They pass under both policies.
--
-- The form of every file in this folder: statements stand between lines of four dashes; what comes
-- before the first such line is a comment on the file. Lines at the head of a statement that begin
-- with --! are not part of it. They hold words for the reader and key=value notes for the tests:
--
--   rule=NAME     the rule that refuses it; several names, with commas, when either may
--   policy=NAME   speaks about this policy only; the reads of `bi` are refused under `agent`
--   since=N       a server older than PostgreSQL N does not know it
--   server=N      sent to that version
--   needs=WHAT    transaction, parameters, name: what a server wants before it runs it
--   clamped       a value is lowered; the changed text passes
--   unparsable    not SQL, and refused for that
----
--! plain selects
SELECT 1
----
select 1;
----
SELECT 1 AS one, 'two' AS "Two", NULL::text AS three, true
----
SELECT
----
SELECT FROM customers
----
SELECT *, 1 FROM customers
----
SELECT c.* FROM customers c WHERE c.id = 7
----
SELECT DISTINCT country FROM customers
----
SELECT DISTINCT ON (country) country, name FROM customers ORDER BY country, created_at DESC
----
SELECT ALL name FROM public.customers
----
SELECT id, name FROM customers WHERE id BETWEEN 3 AND 9 AND name NOT LIKE 'C%' ORDER BY 2 DESC NULLS LAST LIMIT 5 OFFSET 2
----
SELECT id FROM customers ORDER BY id USING > FETCH FIRST 3 ROWS ONLY
----
SELECT id FROM customers ORDER BY country OFFSET 2 ROWS FETCH NEXT 3 ROWS WITH TIES
----
SELECT "Key", "The Value" FROM "Mixed Case" WHERE "Key" IN (1, 2, 3)
----
SELECT * FROM ONLY part
----
SELECT * FROM part *
----
SELECT id FROM customers LIMIT ALL
----
SELECT count(*) FROM orders
----
SELECT count(DISTINCT customer_id), count(*) FILTER (WHERE status = 'paid') FROM orders
----
SELECT (c).name, (c).*, (x.c).id FROM (SELECT c FROM customers c) AS x(c)
----
SELECT customers FROM customers
----
SELECT c.name, (c).email, (c.profile)['vip'], c.tags[1], (q.o).total FROM customers c, (SELECT o FROM orders o) AS q
----
SELECT t.system, t.lower, t.count, (t.length) FROM (SELECT 1 AS system, 2 AS lower, 3 AS count, 4 AS length) t
----
SELECT name AS "select", id AS "update" FROM customers
----
SELECT 'it''s', E'tab\there', $$dollar 'quoted'$$, $tag$with $$ inside$tag$, U&'d\0061t\+000061', B'101', X'1FF', N'abc'
----
SELECT 'two '
    'parts'
----
--! since=16
SELECT 1e3, .5, 5., 1_000, 0x1F, 0o17, 0b11
----
SELECT -- a comment; DELETE FROM orders
    1
----
SELECT /* DROP TABLE orders; */ 1
----
SELECT /* outer /* nested; delete */ still */ 1
----
SELECT 'DELETE FROM orders; DROP TABLE customers' AS harmless
----
SELECT $x$INSERT INTO orders VALUES (1)$x$
----
SELECT "delete" FROM (SELECT 1 AS "delete") AS "insert"
----
SELECT id AS update_count, total AS deleted FROM orders WHERE note ILIKE '%truncate%'
----
SELECT 1;
----
SELECT 1 ;  -- done
----
  SELECT 1
----
SELECT 1 WHERE 1 = 1 AND NOT 2 > 3 OR 4 <> 5
----
SELECT +1, -1, - -1, ~1, 2 ^ 3, |/ 25, ||/ 27, @ -5, 5 % 3, 1 << 2, 8 >> 1, 5 # 3, 5 & 3, 5 | 3
----
SELECT 1 OPERATOR(pg_catalog.+) 2
----
SELECT (1, 2) = (1, 2), ROW(1, 2) < ROW(1, 3), ROW(1, NULL) IS NOT NULL
----
SELECT NULL IS NULL, true IS NOT FALSE, NULL IS UNKNOWN, 1 IS DISTINCT FROM NULL, 1 IS NOT DISTINCT FROM 1
----
SELECT CASE WHEN total > 100 THEN 'big' WHEN total > 10 THEN 'mid' ELSE 'small' END FROM orders
----
SELECT CASE status WHEN 'new' THEN 1 ELSE 2 END FROM orders
----
SELECT COALESCE(note, 'none'), NULLIF(total, 0), GREATEST(1, 2, 3), LEAST(1, 2) FROM orders
----
SELECT CAST(total AS integer), total::text, numeric(5, 1) '12.34', int '5', double precision '1.5' FROM orders
----
SELECT * FROM customers WHERE email COLLATE "C" > 'm' ORDER BY name COLLATE "C"
----
SELECT CURRENT_DATE, CURRENT_TIME, CURRENT_TIMESTAMP(3), LOCALTIME, LOCALTIMESTAMP, CURRENT_USER, SESSION_USER, CURRENT_CATALOG, CURRENT_SCHEMA, CURRENT_ROLE, USER
----
SELECT now(), clock_timestamp(), statement_timestamp(), transaction_timestamp(), timeofday()
----
SELECT random(), gen_random_uuid()
----
SELECT version(), current_database(), current_schema(), pg_backend_pid(), inet_client_addr(), inet_server_port()
----
--! joins and subqueries
SELECT o.id, c.name FROM orders o JOIN customers c ON c.id = o.customer_id
----
SELECT o.id, c.name FROM orders AS o LEFT OUTER JOIN customers AS c ON c.id = o.customer_id WHERE c.id IS NULL
----
SELECT * FROM orders RIGHT JOIN customers ON orders.customer_id = customers.id
----
SELECT * FROM orders o FULL JOIN customers c ON o.customer_id = c.id
----
SELECT * FROM customers CROSS JOIN products
----
SELECT * FROM customers, products WHERE customers.id = products.id
----
SELECT * FROM order_items JOIN products USING (price)
----
--! since=14
SELECT * FROM order_items JOIN products USING (price) AS shared
----
SELECT * FROM customers NATURAL JOIN employees
----
SELECT * FROM (orders o JOIN order_items i ON i.order_id = o.id) JOIN products p ON p.id = i.product_id
----
SELECT * FROM (orders JOIN customers ON customer_id = customers.id) AS j
----
SELECT c.name, o.total FROM customers c, LATERAL (SELECT * FROM orders o WHERE o.customer_id = c.id ORDER BY placed_at DESC LIMIT 3) o
----
SELECT c.name, x.n FROM customers c LEFT JOIN LATERAL (SELECT count(*) AS n FROM orders o WHERE o.customer_id = c.id) x ON true
----
SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)
----
SELECT name FROM customers c WHERE NOT EXISTS (SELECT FROM orders o WHERE o.customer_id = c.id)
----
SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE total > 50)
----
SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders)
----
SELECT name FROM customers WHERE id = ANY (SELECT customer_id FROM orders)
----
SELECT name FROM products WHERE price > ALL (SELECT price FROM order_items)
----
SELECT name FROM customers WHERE id = ANY (ARRAY[1, 2, 3])
----
SELECT name FROM customers WHERE (id, name) IN ((1, 'a'), (2, 'b'))
----
SELECT name FROM customers WHERE (id, country) IN (SELECT id, country FROM customers)
----
SELECT name, (SELECT max(total) FROM orders o WHERE o.customer_id = c.id) AS biggest FROM customers c
----
SELECT ARRAY(SELECT id FROM customers ORDER BY id)
----
SELECT x.a FROM (SELECT 1 AS a) x
----
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS v(n, s)
----
SELECT * FROM (SELECT * FROM (SELECT * FROM customers) a) b
----
SELECT e.name, m.name AS manager FROM employees e LEFT JOIN employees m ON m.id = e.manager_id
----
SELECT * FROM orders o JOIN LATERAL unnest(ARRAY[o.id, o.customer_id]) AS u(v) ON true
----
SELECT a.n, b.n FROM generate_series(1, 3) AS a(n) JOIN generate_series(2, 4) AS b(n) ON a.n = b.n
----
SELECT o.id FROM orders o WHERE total > (SELECT avg(total) FROM orders)
----
SELECT sum(q.total) FROM (SELECT total FROM orders WHERE status <> 'returned' LIMIT 10) AS q
----
SELECT c.id FROM customers c JOIN orders o ON o.customer_id = c.id JOIN order_items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id WHERE p.category = 'c1' GROUP BY c.id HAVING sum(i.quantity * i.price) > 1 ORDER BY sum(i.quantity * i.price) DESC LIMIT 10
----
--! set operations, VALUES, TABLE
SELECT id FROM customers UNION SELECT id FROM products
----
SELECT id FROM customers UNION ALL SELECT id FROM products ORDER BY 1 LIMIT 3
----
SELECT id FROM customers INTERSECT SELECT id FROM products
----
SELECT id FROM customers EXCEPT ALL SELECT id FROM products
----
(SELECT id FROM customers ORDER BY id LIMIT 1) UNION ALL (SELECT id FROM products ORDER BY id DESC LIMIT 1)
----
((SELECT 1) UNION (SELECT 2)) EXCEPT SELECT 3
----
SELECT 1 UNION SELECT 2 INTERSECT SELECT 2
----
VALUES (1, 'one'), (2, 'two'), (3, NULL)
----
VALUES (1) UNION ALL VALUES (2) ORDER BY 1
----
TABLE customers
----
TABLE ONLY customers
----
TABLE "Mixed Case" ORDER BY "Key" LIMIT 1
----
(TABLE orders) UNION ALL (TABLE orders)
----
((((SELECT 1))))
----
--! with queries
WITH c AS (SELECT * FROM customers) SELECT count(*) FROM c
----
WITH a AS (SELECT 1 AS n), b AS (SELECT n + 1 AS n FROM a) SELECT * FROM a, b
----
WITH c AS MATERIALIZED (SELECT * FROM orders) SELECT * FROM c WHERE id = 1
----
WITH c AS NOT MATERIALIZED (SELECT * FROM orders) SELECT * FROM c WHERE id = 1
----
WITH c(a, b) AS (VALUES (1, 2)) SELECT a + b FROM c
----
WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 100) SELECT sum(n) FROM t
----
WITH RECURSIVE chain AS (SELECT id, name, manager_id, 1 AS depth FROM employees WHERE manager_id IS NULL UNION ALL SELECT e.id, e.name, e.manager_id, c.depth + 1 FROM employees e JOIN chain c ON e.manager_id = c.id) SELECT * FROM chain ORDER BY depth
----
--! since=14
WITH RECURSIVE walk(id, boss) AS (SELECT id, manager_id FROM employees UNION ALL SELECT e.id, e.manager_id FROM employees e, walk w WHERE e.manager_id = w.id) SEARCH DEPTH FIRST BY id SET ordering SELECT * FROM walk ORDER BY ordering
----
--! since=14
WITH RECURSIVE walk(id, boss) AS (SELECT id, manager_id FROM employees UNION ALL SELECT e.id, e.manager_id FROM employees e, walk w WHERE e.manager_id = w.id) SEARCH BREADTH FIRST BY id, boss SET ordering SELECT * FROM walk
----
--! since=14
WITH RECURSIVE walk(id, boss) AS (SELECT id, manager_id FROM employees UNION ALL SELECT e.id, e.manager_id FROM employees e, walk w WHERE e.manager_id = w.id) CYCLE id SET looped USING path SELECT * FROM walk
----
--! since=14
WITH RECURSIVE walk(id, boss) AS (SELECT id, manager_id FROM employees UNION ALL SELECT e.id, e.manager_id FROM employees e, walk w WHERE e.manager_id = w.id) CYCLE id SET looped TO 'Y' DEFAULT 'N' USING path SELECT * FROM walk
----
WITH x AS (SELECT 1) SELECT (WITH y AS (SELECT 2 AS n) SELECT n FROM y), * FROM x
----
SELECT * FROM (WITH z AS (SELECT 1 AS n) SELECT * FROM z) q
----
WITH "delete" AS (SELECT 1 AS n) SELECT * FROM "delete"
----
WITH orders AS (SELECT 1 AS id) SELECT * FROM orders
----
WITH a AS (SELECT 1) VALUES (1)
----
WITH a AS (TABLE customers) TABLE a
----
--! aggregates and grouping
SELECT country, count(*) FROM customers GROUP BY country HAVING count(*) > 1
----
SELECT status, sum(total), avg(total), min(total), max(total), stddev(total), variance(total) FROM orders GROUP BY 1 ORDER BY 2 DESC
----
SELECT country, status, sum(total) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY ROLLUP (country, status)
----
SELECT country, status, sum(total) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY CUBE (country, status)
----
SELECT country, status, sum(total), grouping(country, status) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY GROUPING SETS ((country), (status), (country, status), ())
----
--! since=14
SELECT country, status, count(*) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY DISTINCT ROLLUP (country), CUBE (status)
----
SELECT count(*) FROM orders GROUP BY ()
----
SELECT string_agg(name, ', ' ORDER BY name DESC) FROM customers
----
SELECT array_agg(DISTINCT country ORDER BY country) FROM customers
----
SELECT json_agg(c), jsonb_agg(c.name), json_object_agg(c.id, c.name), jsonb_object_agg(c.id, c.name) FROM customers c
----
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total), percentile_disc(ARRAY[0.25, 0.75]) WITHIN GROUP (ORDER BY total), mode() WITHIN GROUP (ORDER BY status) FROM orders
----
SELECT rank(5) WITHIN GROUP (ORDER BY total), dense_rank(5) WITHIN GROUP (ORDER BY total) FROM orders
----
SELECT bool_and(total > 0), bool_or(total > 9), every(total >= 0), bit_and(id::int), bit_or(id::int) FROM orders
----
SELECT corr(total, id), covar_pop(total, id), regr_slope(total, id), regr_r2(total, id) FROM orders
----
SELECT xmlagg(xmlelement(name c, name) ORDER BY id) FROM customers
----
SELECT date_trunc('month', placed_at) AS month, sum(total) FROM orders GROUP BY date_trunc('month', placed_at) ORDER BY month
----
--! since=16
SELECT any_value(name), country FROM customers GROUP BY country
----
--! since=14
SELECT range_agg(during) FROM bookings
----
SELECT sum(DISTINCT total) FILTER (WHERE status = 'paid' AND note IS NOT NULL) FROM orders
----
SELECT count(*) AS n, sum(count(*)) OVER () FROM orders GROUP BY status
----
--! windows
SELECT id, row_number() OVER (ORDER BY total DESC), rank() OVER w, dense_rank() OVER w, percent_rank() OVER w, cume_dist() OVER w, ntile(4) OVER w FROM orders WINDOW w AS (PARTITION BY status ORDER BY total)
----
--! since=14
SELECT id, lag(total) OVER (ORDER BY id), lead(total, 2, 0) OVER (ORDER BY id), first_value(total) OVER (ORDER BY id), last_value(total) OVER (ORDER BY id), nth_value(total, 2) OVER (ORDER BY id) FROM orders
----
SELECT id, sum(total) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) FROM orders
----
SELECT id, avg(total) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) FROM orders
----
SELECT id, sum(total) OVER (ORDER BY placed_at RANGE BETWEEN '1 day' PRECEDING AND '1 day' FOLLOWING) FROM orders
----
SELECT id, sum(total) OVER (ORDER BY id GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE TIES) FROM orders
----
SELECT id, sum(total) OVER (w ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) FROM orders WINDOW w AS (ORDER BY id)
----
SELECT id, sum(total) FILTER (WHERE total > 5) OVER (PARTITION BY customer_id) FROM orders
----
SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY customer_id ORDER BY placed_at DESC) AS rn FROM orders) t WHERE rn = 1
----
--! strings and patterns
SELECT lower(name), upper(name), initcap(name), length(name), char_length(name), octet_length(name), reverse(name) FROM customers
----
SELECT name || ' <' || email || '>' FROM customers
----
SELECT concat('a', 1, NULL), concat_ws(', ', 'a', 'b'), format('%s %I %L', 'a', 'B c', 'd'), repeat('x', 3)
----
--! since=14
SELECT substring('abc' FROM 2 FOR 1), substring('abc', 2), substring('foobar' FROM 'o.b'), substring('foobar' SIMILAR '%#"o_b#"%' ESCAPE '#')
----
SELECT overlay('abcdef' PLACING 'zz' FROM 3 FOR 2), position('b' IN 'abc'), strpos('abc', 'c')
----
SELECT trim(' a '), trim(BOTH 'x' FROM 'xax'), trim(LEADING FROM ' a'), trim(TRAILING 'x' FROM 'ax'), btrim('a'), ltrim(' a'), rtrim('a ')
----
SELECT left('abc', 2), right('abc', 1), lpad('7', 3, '0'), rpad('7', 3), split_part('a,b,c', ',', 2), replace('aba', 'a', 'c'), translate('abc', 'ab', 'xy')
----
SELECT name FROM customers WHERE name LIKE 'C%' ESCAPE '!' OR name ILIKE '%er%' OR name NOT ILIKE 'x_'
----
SELECT name FROM customers WHERE name SIMILAR TO '(Cu|Xx)%' OR name NOT SIMILAR TO 'abc' ESCAPE '#'
----
SELECT name FROM customers WHERE name ~ '^C.*\d$' AND name !~ 'z' AND name ~* 'CUST' AND name !~* 'zz'
----
SELECT name FROM customers WHERE name LIKE ANY (ARRAY['A%', 'C%']) AND name NOT LIKE ALL (ARRAY['Z%'])
----
SELECT regexp_replace(name, '\s+', ' ', 'g'), regexp_match(name, '(\w+) (\d+)'), regexp_split_to_array(name, ' ') FROM customers
----
SELECT regexp_matches('a1b2', '[a-z]\d', 'g'), regexp_split_to_table('a b', ' ')
----
--! since=15
SELECT regexp_count('aaa', 'a'), regexp_instr('abc', 'b'), regexp_like('abc', 'B', 'i'), regexp_substr('abc', '.c')
----
SELECT ascii('a'), chr(97), to_hex(255), md5('x'), sha256('x'::bytea), encode('x'::bytea, 'base64'), decode('eA==', 'base64'), quote_ident('A b'), quote_literal('a''b'), quote_nullable(NULL)
----
--! since=14
SELECT normalize('ä', NFC), 'ä' IS NORMALIZED, 'ä' IS NOT NFD NORMALIZED, unistr('\0061')
----
SELECT 'abc' ^@ 'ab', starts_with('abc', 'ab'), string_to_array('a,b', ','), array_to_string(ARRAY['a', 'b'], '-')
----
--! since=14
SELECT string_to_table('a,b', ',')
----
SELECT U&"d\0061ta" FROM (SELECT 1 AS data) x
----
SELECT convert_from('abc'::bytea, 'UTF8'), convert_to('abc', 'LATIN1'), get_byte('abc'::bytea, 1), bit_length('abc')
----
SELECT to_char(1234.5, 'FM9,999.00'), to_number('1,234', '9,999'), to_char(now(), 'YYYY-MM-DD HH24:MI:SS'), to_date('2024-05-01', 'YYYY-MM-DD'), to_timestamp('01/02/2024', 'DD/MM/YYYY'), to_timestamp(0)
----
--! numbers
SELECT abs(-1), ceil(1.2), ceiling(1.2), floor(1.8), round(1.25, 1), round(2.5), trunc(1.29, 1), sign(-2), mod(7, 3), power(2, 3), sqrt(9), cbrt(27), exp(1), ln(2), log(100), log(2, 8), pi(), degrees(1), radians(180), div(7, 2)
----
SELECT sin(1), cos(1), tan(1), asin(0), acos(1), atan(1), atan2(1, 2), sinh(1), cosh(1), tanh(1), sind(30), width_bucket(5, 0, 10, 5), gcd(8, 12), lcm(4, 6), factorial(5), scale(1.23), min_scale(1.20), trim_scale(1.20)
----
--! since=14
SELECT 5 / 2, 5.0 / 2, 5 % 2, 1::float8 / 3, 'NaN'::float8, 'infinity'::numeric IS NOT NULL
----
SELECT 12.5::money, 1::bit(3), 5::oid, '0/16B3748'::pg_lsn, 42::text
----
--! dates and times
SELECT now() - interval '7 days', date '2024-01-31' + 1, timestamp '2024-01-01' + interval '1 month', date '2024-03-01' - date '2024-02-01'
----
SELECT extract(year FROM placed_at), extract(epoch FROM now() - placed_at), date_part('dow', placed_at), extract(isodow FROM placed_at) FROM orders
----
SELECT age(timestamp '2024-01-01', timestamp '2020-06-05'), age(now()), justify_days(interval '40 days'), justify_hours('30 hours'), justify_interval('1 mon -1 hour')
----
SELECT placed_at AT TIME ZONE 'Europe/Oslo', placed_at AT TIME ZONE interval '+02:00', timezone('UTC', placed_at) FROM orders
----
--! since=17
SELECT placed_at AT LOCAL FROM orders
----
--! since=14
SELECT date_trunc('hour', now()), date_trunc('day', now(), 'UTC'), date_bin('15 minutes', now(), timestamptz '2001-01-01')
----
SELECT make_date(2024, 1, 2), make_time(1, 2, 3.5), make_timestamp(2024, 1, 2, 3, 4, 5), make_timestamptz(2024, 1, 2, 3, 4, 5, 'UTC'), make_interval(days => 3, hours => 4)
----
SELECT (date '2024-01-01', date '2024-02-01') OVERLAPS (date '2024-01-15', interval '1 month')
----
SELECT * FROM orders WHERE placed_at >= date_trunc('month', CURRENT_DATE) - interval '1 month' AND placed_at < date_trunc('month', CURRENT_DATE)
----
SELECT d::date FROM generate_series(date '2024-01-01', date '2024-01-31', interval '1 day') AS d
----
SELECT interval '1-2', interval '3 4:05:06', interval '1' year, interval '1 2:03' day to minute, isfinite(date 'infinity'), interval '90' second(2)
----
SELECT 'today'::date, 'now'::timestamp, TIMESTAMP WITH TIME ZONE '2024-01-01 00:00+02', TIME '04:05', TIMETZ '04:05+01'
----
SELECT placed_at::date AS day, count(*) FROM orders WHERE placed_at > now() - '30 days'::interval GROUP BY 1 ORDER BY 1
----
SELECT g.day, count(o.id) FROM generate_series(CURRENT_DATE - 6, CURRENT_DATE, '1 day') AS g(day) LEFT JOIN orders o ON o.placed_at::date = g.day GROUP BY g.day ORDER BY g.day
----
--! arrays, ranges, composite values, enums
SELECT ARRAY[1, 2, 3], ARRAY[[1, 2], [3, 4]], '{1,2}'::int[], ARRAY[]::text[]
----
SELECT tags[1], tags[1:2], tags[:1], tags[2:], (ARRAY[[1, 2], [3, 4]])[2][1] FROM customers
----
SELECT array_length(tags, 1), cardinality(tags), array_upper(tags, 1), array_dims(tags), array_ndims(tags) FROM customers
----
SELECT name FROM customers WHERE 'a' = ANY (tags) AND tags @> ARRAY['a'] AND tags && '{b}' AND tags <@ ARRAY['a', 'b', 'c']
----
SELECT array_append(tags, 'x'), array_prepend('x', tags), array_cat(tags, tags), array_remove(tags, 'a'), array_replace(tags, 'a', 'z'), array_position(tags, 'b'), array_positions(tags, 'b') FROM customers
----
SELECT unnest(tags), generate_subscripts(tags, 1) FROM customers
----
SELECT c.id, t.tag, t.n FROM customers c, unnest(c.tags) WITH ORDINALITY AS t(tag, n)
----
SELECT * FROM ROWS FROM (generate_series(1, 3), unnest(ARRAY['a', 'b'])) WITH ORDINALITY AS r(n, s, o)
----
SELECT * FROM unnest(ARRAY[1, 2], ARRAY['x', 'y', 'z']) AS u(n, s)
----
SELECT int4range(1, 5), numrange(1.5, 2.5, '[]'), tstzrange(now(), NULL), daterange('2024-01-01', '2024-02-01'), '[1,5)'::int4range
----
SELECT * FROM bookings WHERE during && tstzrange('2024-01-01', '2024-03-01') AND during @> timestamptz '2024-01-01 12:00' AND NOT isempty(during)
----
SELECT lower(during), upper(during), lower_inc(during), upper_inf(during), during -|- during, range_merge(during, during) FROM bookings
----
--! since=14
SELECT '{[1,2], [5,7]}'::int4multirange, int4multirange(int4range(1, 3)), unnest('{[1,2]}'::int4multirange)
----
SELECT ROW(1, 'a', NULL), (1, 2)::text, ROW(c.*) FROM customers c
----
SELECT status, enum_range(NULL::order_status), enum_first(status), enum_last(status) FROM orders
----
SELECT 'paid'::order_status < 'shipped'
----
SELECT '127.0.0.1'::inet << '127.0.0.0/8'::cidr, host('10.0.0.1/8'), masklen('10.0.0.1/8'), network('10.0.0.1/8'), '08:00:2b:01:02:03'::macaddr
----
SELECT point(1, 2) <-> point '(4,6)', box '((0,0),(1,1))' @> point '(0.5,0.5)', circle '<(0,0),1>', area(box '((0,0),(2,2))'), lseg '[(0,0),(1,1)]' ?# lseg '[(0,1),(1,0)]'
----
--! json
SELECT profile -> 'vip', profile ->> 'size', profile #> '{a,b}', profile #>> '{a,0}' FROM customers
----
SELECT name FROM customers WHERE profile @> '{"vip": true}' AND profile ? 'size' AND profile ?| ARRAY['a', 'size'] AND profile ?& ARRAY['vip']
----
--! since=14
SELECT profile['vip'], profile['a']['b'] FROM customers
----
SELECT profile || '{"x": 1}', profile - 'vip', profile - ARRAY['a'], profile #- '{a,b}' FROM customers
----
SELECT jsonb_set(profile, '{vip}', 'false'), jsonb_insert(profile, '{n}', '1'), jsonb_strip_nulls(profile), jsonb_pretty(profile), jsonb_typeof(profile) FROM customers
----
SELECT json_build_object('a', 1, 'b', ARRAY[1, 2]), jsonb_build_array(1, 'x', NULL), to_json('x'::text), to_jsonb(ARRAY[1, 2]), row_to_json(c), json_object('{a,1}') FROM customers c
----
SELECT key, value FROM customers, jsonb_each(profile)
----
SELECT e.key, e.value FROM events, jsonb_each_text(payload) AS e
----
SELECT jsonb_array_elements(payload -> 'tags'), jsonb_array_elements_text(payload -> 'tags'), jsonb_object_keys(payload), jsonb_array_length(payload -> 'tags') FROM events
----
SELECT * FROM jsonb_to_record('{"a": 1, "b": "x"}') AS r(a int, b text)
----
SELECT * FROM json_to_recordset('[{"a": 1}]') AS r(a int)
----
SELECT * FROM jsonb_populate_record(NULL::products, '{"id": 1}')
----
SELECT jsonb_path_query(payload, '$.tags[*]'), jsonb_path_exists(payload, '$.price ? (@ > 5)'), payload @? '$.user', payload @@ '$.user == 1', jsonb_path_query_array(payload, '$.**'), jsonb_path_query_first(payload, '$.user', '{"x": 1}') FROM events
----
SELECT payload #>> '{user}' AS "user", count(*) FROM events GROUP BY 1
----
SELECT (payload ->> 'price')::numeric * 2 FROM events WHERE (payload ->> 'user')::int = 1
----
--! since=16
SELECT JSON_OBJECT('a': 1, 'b' VALUE 2 NULL ON NULL WITH UNIQUE KEYS RETURNING jsonb)
----
--! since=16
SELECT JSON_ARRAY(1, 2, NULL ABSENT ON NULL RETURNING text), JSON_ARRAY(SELECT id FROM customers ORDER BY id)
----
--! since=16
SELECT JSON_OBJECTAGG(id : name), JSON_ARRAYAGG(name ORDER BY id DESC) FILTER (WHERE id > 1) FROM customers
----
--! since=16
SELECT '{}' IS JSON, '[1]' IS JSON ARRAY, '1' IS NOT JSON OBJECT, '{"a": 1}' IS JSON OBJECT WITH UNIQUE KEYS, '"x"' IS JSON SCALAR
----
--! since=17
SELECT JSON('{"a": 1}' WITH UNIQUE), JSON_SCALAR(1.5), JSON_SERIALIZE('{"a": 1}' RETURNING bytea)
----
--! since=17
SELECT JSON_VALUE(payload, '$.user' RETURNING int DEFAULT 0 ON EMPTY ERROR ON ERROR) FROM events
----
--! since=17
SELECT JSON_QUERY(payload, '$.tags' WITH WRAPPER KEEP QUOTES EMPTY ARRAY ON EMPTY NULL ON ERROR), JSON_EXISTS(payload, 'strict $.user' ERROR ON ERROR) FROM events
----
--! since=17
SELECT JSON_VALUE(payload, '$.a + $x' PASSING 1 AS x) FROM events
----
--! since=17
SELECT t.* FROM events, JSON_TABLE(payload, '$' COLUMNS (n FOR ORDINALITY, who int PATH '$.user', price numeric PATH '$.price' DEFAULT 0 ON EMPTY NULL ON ERROR, has_tags boolean EXISTS PATH '$.tags', NESTED PATH '$.tags[*]' COLUMNS (tag text PATH '$'))) AS t
----
--! since=17
SELECT * FROM JSON_TABLE('[{"a": 1}]', '$[*]' AS root PASSING 5 AS five COLUMNS (a int, raw jsonb FORMAT JSON PATH '$' WITHOUT WRAPPER OMIT QUOTES) ERROR ON ERROR) AS jt
----
--! xml
SELECT xmlelement(name a, xmlattributes('x' AS b), 'text', xmlcomment('c')), xmlforest(1 AS one, 'b' AS two), xmlconcat('<a/>', '<b/>'), xmlpi(name php, 'x'), xmlroot('<a/>', version '1.0', standalone yes)
----
SELECT xmlparse(document '<a>1</a>'), xmlparse(content 'x<b/>' preserve whitespace), xmlserialize(content '<a/>' AS text), '<a/>'::xml IS DOCUMENT, '<a/>'::xml IS NOT DOCUMENT
----
SELECT xpath('/a/b/text()', '<a><b>1</b></a>'), xpath_exists('/a', '<a/>'), xmlexists('/a' PASSING BY REF '<a/>'), xml_is_well_formed('<a/>')
----
SELECT x.* FROM XMLTABLE('/rows/row' PASSING ('<rows><row id="1"><v>x</v></row></rows>'::xml) COLUMNS id int PATH '@id', n FOR ORDINALITY, v text PATH 'v' DEFAULT 'none' NOT NULL) AS x
----
SELECT * FROM XMLTABLE(XMLNAMESPACES('http://example.org' AS p), '/p:a' PASSING '<a xmlns="http://example.org"/>' COLUMNS a text PATH '.')
----
--! text search
SELECT title FROM docs WHERE search @@ to_tsquery('english', 'reads & !writes') OR search @@ plainto_tsquery('reads pass')
----
SELECT title, ts_rank(search, q) AS rank, ts_rank_cd(search, q), ts_headline('english', body, q, 'MaxWords=10, MinWords=2') FROM docs, websearch_to_tsquery('english', '"reads pass" or postgres') AS q WHERE search @@ q ORDER BY rank DESC
----
SELECT to_tsvector('simple', 'a b c'), phraseto_tsquery('a b'), setweight(to_tsvector('x'), 'A'), strip(search), numnode('a & b'::tsquery), querytree('a & b'), tsvector_to_array(search), ts_delete(search, 'read'), ts_filter(search, '{a}') FROM docs
----
SELECT ts_lexize('english_stem', 'stars'), ts_rewrite('a & b'::tsquery, 'a'::tsquery, 'c'::tsquery), ts_debug('english', 'a fat cat'), get_current_ts_config()
----
SELECT * FROM ts_parse('default', '123 - a word'), ts_token_type('default')
----
--! set-returning functions, sampling, sequences of values
SELECT * FROM generate_series(1, 10, 2)
----
SELECT generate_series(1, 3), generate_series(1, 2)
----
SELECT * FROM generate_series(1, 3) WITH ORDINALITY
----
SELECT * FROM generate_series(now() - interval '1 day', now(), '1 hour') AS t(at)
----
SELECT * FROM orders TABLESAMPLE BERNOULLI (10)
----
SELECT * FROM orders AS o TABLESAMPLE SYSTEM (50) REPEATABLE (7) WHERE o.id > 1
----
SELECT * FROM pg_catalog.generate_series(1, 2) AS g(n), LATERAL generate_series(1, g.n) AS h(m)
----
SELECT * FROM generate_series(1, 2) n CROSS JOIN LATERAL (VALUES (n), (n * 2)) AS v(x)
----
SELECT * FROM json_to_record('{"a": 1}') AS (a int)
----
SELECT * FROM regexp_split_to_table('a,b', ',') AS part
----
SELECT (SELECT array_agg(g) FROM generate_series(1, 5) g)
----
--! parameters
--! needs=parameters
SELECT * FROM customers WHERE id = $1
----
--! needs=parameters
SELECT name FROM customers WHERE id = ANY ($1::int[]) AND name ILIKE $2 LIMIT $3
----
--! needs=parameters
SELECT $1::int + $2::int, $3::text || 'x', ARRAY[$4::int], ($5::jsonb) -> 'a', CASE WHEN $6::bool THEN 1 END
----
--! needs=parameters
SELECT abalance FROM pgbench_accounts WHERE aid = $1
----
--! needs=parameters
SELECT * FROM orders WHERE placed_at BETWEEN $1 AND $2 ORDER BY placed_at OFFSET $3 ROWS FETCH FIRST $4 ROWS ONLY
----
--! explain
EXPLAIN SELECT * FROM orders
----
EXPLAIN (COSTS off, FORMAT json) SELECT * FROM orders WHERE id = 1
----
EXPLAIN VERBOSE SELECT 1
----
EXPLAIN (VERBOSE, SETTINGS, SUMMARY, COSTS false) SELECT count(*) FROM orders
----
EXPLAIN (ANALYZE false) SELECT 1
----
EXPLAIN (ANALYZE off, BUFFERS, TIMING off) SELECT 1
----
EXPLAIN (FORMAT yaml) VALUES (1)
----
EXPLAIN TABLE customers
----
EXPLAIN WITH x AS (SELECT 1) SELECT * FROM x
----
--! since=16
--! needs=parameters
EXPLAIN (GENERIC_PLAN) SELECT * FROM orders WHERE id = $1
----
--! since=17
EXPLAIN (MEMORY) SELECT 1
----
--! policy=bi
EXPLAIN ANALYZE SELECT count(*) FROM orders
----
--! policy=bi
EXPLAIN (ANALYZE, BUFFERS, FORMAT json) SELECT * FROM orders ORDER BY total LIMIT 3
----
--! policy=bi
EXPLAIN (analyze true, wal, verbose) TABLE customers
----
--! policy=bi
EXPLAIN (ANALYZE 1) VALUES (1)
----
--! policy=bi
explain analyse verbose select 1
----
--! copy out
COPY (SELECT * FROM customers) TO STDOUT
----
COPY (SELECT id, name FROM customers ORDER BY id) TO STDOUT WITH (FORMAT csv, HEADER, DELIMITER ';', NULL 'nil', QUOTE '"', ESCAPE '\', FORCE_QUOTE (name))
----
COPY customers TO STDOUT
----
COPY public.customers (id, name) TO STDOUT CSV HEADER FORCE QUOTE name
----
COPY "Mixed Case" ("Key") TO STDOUT WITH (FORMAT csv, HEADER, DELIMITER ';', ENCODING 'LATIN1')
----
COPY BINARY customers (id) TO STDOUT
----
COPY orders TO STDOUT USING DELIMITERS '|' WITH NULL AS 'nil'
----
COPY (SELECT 1) TO STDOUT (FORMAT binary)
----
COPY (SELECT 1) TO STDOUT CSV HEADER
----
COPY (VALUES (1, 'a')) TO STDOUT WITH CSV DELIMITER ','
----
COPY (TABLE customers) TO STDOUT
----
COPY (WITH c AS (SELECT 1) SELECT * FROM c) TO STDOUT (ENCODING 'UTF8')
----
copy (select 1 union select 2) to stdout
----
--! show
SHOW server_version
----
SHOW ALL
----
SHOW search_path
----
SHOW TIME ZONE
----
SHOW timezone
----
SHOW TRANSACTION ISOLATION LEVEL
----
SHOW transaction_read_only
----
SHOW default_transaction_read_only
----
SHOW SESSION AUTHORIZATION
----
SHOW "DateStyle"
----
show server_version_num;
----
SHOW max_connections
----
--! settings that change nothing a read may not change
SET application_name = 'reporting'
----
SET application_name TO 'x';
----
SET SESSION application_name = 'y'
----
SET LOCAL application_name = 'z'
----
SET TIME ZONE 'UTC'
----
SET TIME ZONE 'Europe/Oslo'
----
SET TIME ZONE LOCAL
----
SET TIME ZONE DEFAULT
----
SET TIME ZONE INTERVAL '+02:00' HOUR TO MINUTE
----
SET timezone = 'UTC'
----
SET DateStyle = 'ISO, MDY'
----
SET datestyle TO iso, dmy
----
SET IntervalStyle = 'iso_8601'
----
SET extra_float_digits = 3
----
SET bytea_output = 'hex'
----
SET client_min_messages = warning
----
SET client_encoding = 'UTF8'
----
SET NAMES 'utf8'
----
SET search_path TO public
----
SET search_path = pg_catalog, public
----
SET standard_conforming_strings = on
----
SET default_transaction_read_only = on
----
SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY
----
SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ
----
RESET application_name
----
RESET timezone
----
SET application_name TO DEFAULT
----
SELECT set_config('application_name', 'x', false)
----
SELECT pg_catalog.set_config('TimeZone', 'UTC', true)
----
SELECT current_setting('search_path'), current_setting('my.setting', true)
----
--! transactions
--! needs=transaction
BEGIN
----
--! needs=transaction
BEGIN WORK
----
--! needs=transaction
BEGIN TRANSACTION
----
--! needs=transaction
BEGIN READ ONLY
----
--! needs=transaction
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE
----
--! needs=transaction
BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY
----
--! needs=transaction
START TRANSACTION
----
--! needs=transaction
START TRANSACTION ISOLATION LEVEL READ COMMITTED READ ONLY
----
--! needs=transaction
START TRANSACTION READ ONLY, ISOLATION LEVEL SERIALIZABLE
----
--! needs=transaction
SET TRANSACTION READ ONLY
----
--! needs=transaction
SET TRANSACTION ISOLATION LEVEL SERIALIZABLE
----
--! needs=transaction
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY
----
--! needs=transaction
SAVEPOINT a
----
--! needs=transaction
RELEASE SAVEPOINT a
----
--! needs=transaction
RELEASE a
----
--! needs=transaction
ROLLBACK TO SAVEPOINT a
----
--! needs=transaction
ROLLBACK TO a
----
--! needs=transaction
COMMIT
----
--! needs=transaction
COMMIT WORK
----
--! needs=transaction
END
----
--! needs=transaction
END TRANSACTION
----
--! needs=transaction
ROLLBACK
----
--! needs=transaction
ROLLBACK TRANSACTION
----
--! needs=transaction
ABORT
----
--! needs=transaction
COMMIT AND NO CHAIN
----
--! needs=transaction
ROLLBACK AND CHAIN
----
--! session housekeeping
DISCARD ALL
----
DISCARD PLANS
----
DISCARD SEQUENCES
----
RESET ALL
----
DEALLOCATE ALL
----
DEALLOCATE PREPARE ALL
----
CLOSE ALL
----
UNLISTEN *
----
--! constraints, in a session that queues no triggers
SET CONSTRAINTS ALL DEFERRED
----
set constraints all immediate;
----
SET CONSTRAINTS order_items_order_id_fkey, public.orders_customer_id_fkey DEFERRED
----
SET CONSTRAINTS "public"."order_items_order_id_fkey" IMMEDIATE
----
SET /* all */ CONSTRAINTS ALL -- deferred
IMMEDIATE
----
BEGIN; SET CONSTRAINTS ALL DEFERRED; SELECT name FROM customers; SET CONSTRAINTS ALL IMMEDIATE; COMMIT
----
SELECT pg_advisory_unlock_all()
----
SELECT pg_catalog.pg_advisory_unlock_all()
----
--! prepared statements and cursors
PREPARE find AS SELECT * FROM customers WHERE id = $1
----
PREPARE find_two (int, text) AS SELECT * FROM customers WHERE id = $1 AND name = $2
----
PREPARE v AS VALUES (1)
----
PREPARE t AS TABLE customers
----
--! needs=transaction
DECLARE c CURSOR FOR SELECT * FROM orders
----
--! needs=transaction
DECLARE c NO SCROLL CURSOR FOR SELECT * FROM orders
----
--! needs=transaction
DECLARE c INSENSITIVE SCROLL CURSOR WITHOUT HOLD FOR TABLE orders
----
--! needs=transaction
DECLARE c BINARY CURSOR FOR VALUES (1)
----
--! needs=transaction
--! since=14
DECLARE "C" ASENSITIVE CURSOR FOR WITH x AS (SELECT 1) SELECT * FROM x
----
--! empty statements
;
----
 ;; 
----
-- ping
----
/* nothing */
----

----
--! statistics and system state
SELECT pid, usename, state, query_start, wait_event FROM pg_stat_activity WHERE state <> 'idle'
----
SELECT relname, seq_scan, idx_scan, n_live_tup, n_dead_tup, last_autovacuum FROM pg_stat_user_tables ORDER BY n_dead_tup DESC
----
SELECT * FROM pg_locks WHERE NOT granted
----
SELECT pg_blocking_pids(pid) FROM pg_stat_activity
----
SELECT datname, pg_size_pretty(pg_database_size(datname)) FROM pg_database
----
SELECT relname, pg_size_pretty(pg_total_relation_size(oid)), pg_relation_size(oid, 'fsm'), pg_indexes_size(oid), pg_table_size(oid) FROM pg_class WHERE relkind = 'r'
----
SELECT pg_is_in_recovery(), pg_last_wal_replay_lsn(), pg_last_xact_replay_timestamp()
----
SELECT pg_current_wal_lsn(), pg_wal_lsn_diff('0/2', '0/1'), pg_walfile_name('0/1')
----
SELECT txid_current_if_assigned(), pg_current_snapshot(), txid_current_snapshot(), pg_snapshot_xmin(pg_current_snapshot())
----
SELECT name, setting, unit FROM pg_settings WHERE name LIKE 'work%'
----
SELECT slot_name, active FROM pg_replication_slots
----
SELECT * FROM pg_stat_replication
----
SELECT * FROM pg_stat_bgwriter
----
SELECT * FROM pg_stat_database WHERE datname = current_database()
----
SELECT indexrelname, idx_scan FROM pg_stat_user_indexes WHERE idx_scan = 0
----
SELECT * FROM pg_prepared_statements
----
SELECT * FROM pg_cursors
----
SELECT * FROM pg_timezone_names LIMIT 5
----
SELECT * FROM pg_available_extensions
----
SELECT attname, n_distinct, correlation FROM pg_stats WHERE tablename = 'orders'
----
SELECT has_table_privilege('orders', 'SELECT'), has_schema_privilege('public', 'USAGE'), has_column_privilege('orders', 'id', 'SELECT'), has_database_privilege(current_database(), 'CONNECT'), pg_has_role('postgres', 'member')
----
SELECT to_regclass('orders'), 'orders'::regclass::oid, 'int4'::regtype, to_regtype('text'), 'lower(text)'::regprocedure, 'pg_catalog'::regnamespace
----
SELECT pg_typeof(1), format_type(25, NULL), pg_get_userbyid(10), pg_encoding_to_char(6), pg_column_size('x'::text), obj_description('orders'::regclass, 'pg_class'), col_description('orders'::regclass, 1)
----
SELECT pg_get_viewdef('open_orders'::regclass, true), pg_get_indexdef(indexrelid), pg_get_constraintdef(0), pg_get_expr(NULL, 0), pg_get_serial_sequence('orders', 'id') FROM pg_index LIMIT 1
----
SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', 'information_schema')
----
SELECT column_name, data_type, is_nullable, column_default FROM information_schema.columns WHERE table_name = 'orders' ORDER BY ordinal_position
----
SELECT tc.constraint_name, kcu.column_name, ccu.table_name AS foreign_table FROM information_schema.table_constraints tc JOIN information_schema.key_column_usage kcu USING (constraint_name) JOIN information_schema.constraint_column_usage ccu USING (constraint_name) WHERE tc.constraint_type = 'FOREIGN KEY'
----
SELECT * FROM pg_catalog.pg_tables WHERE schemaname = 'public'
----
SELECT ctid, xmin, xmax, tableoid::regclass, cmin FROM orders LIMIT 1
----
SELECT last_value, is_called FROM order_ids
----
SELECT pg_sequence_last_value('order_ids'), * FROM pg_sequences
----
--! what analysts and models write
WITH monthly AS (SELECT date_trunc('month', placed_at) AS month, sum(total) AS revenue FROM orders GROUP BY 1) SELECT month, revenue, revenue - lag(revenue) OVER (ORDER BY month) AS change, round(100.0 * revenue / nullif(lag(revenue) OVER (ORDER BY month), 0) - 100, 1) AS percent FROM monthly ORDER BY month
----
SELECT p.name, sum(i.quantity) AS sold, sum(i.quantity * i.price) AS revenue, rank() OVER (ORDER BY sum(i.quantity * i.price) DESC) FROM order_items i JOIN products p ON p.id = i.product_id GROUP BY p.id ORDER BY revenue DESC LIMIT 10
----
WITH first_orders AS (SELECT customer_id, min(placed_at) AS first FROM orders GROUP BY customer_id), cohorts AS (SELECT customer_id, date_trunc('month', first) AS cohort FROM first_orders) SELECT cohort, count(DISTINCT o.customer_id) FROM cohorts JOIN orders o USING (customer_id) GROUP BY cohort
----
SELECT c.country, count(*) FILTER (WHERE o.total > 50) AS big, count(*) FILTER (WHERE o.total <= 50) AS small FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.country
----
SELECT name, email FROM customers WHERE lower(email) LIKE '%@example.org' AND created_at >= now() - interval '1 year' AND NOT (tags @> '{blocked}') ORDER BY created_at DESC LIMIT 100
----
SELECT DISTINCT c.id, c.name FROM customers c INNER JOIN orders o ON c.id = o.customer_id INNER JOIN order_items oi ON o.id = oi.order_id WHERE oi.product_id IN (SELECT id FROM products WHERE category = 'c2') AND o.status != 'returned'
----
SELECT sum(CASE WHEN status = 'paid' THEN total ELSE 0 END) / NULLIF(count(*), 0)::numeric AS rate FROM orders
----
SELECT o.*, row_to_json(c) AS customer, (SELECT json_agg(i) FROM order_items i WHERE i.order_id = o.id) AS items FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.id = 3
----
SELECT generate_series AS bucket, (SELECT count(*) FROM products WHERE width_bucket(price, 0, 30, 10) = generate_series) FROM generate_series(1, 10)
----
SELECT day, total, sum(total) OVER (ORDER BY day), avg(total) OVER (ORDER BY day ROWS 6 PRECEDING) FROM sales_by_day
----
SELECT EXTRACT(YEAR FROM placed_at)::int AS y, EXTRACT(MONTH FROM placed_at)::int AS m, TO_CHAR(SUM(total), '999G999D99') FROM orders GROUP BY y, m ORDER BY y, m
----
SELECT PERCENTILE_CONT(0.95) WITHIN GROUP (ORDER BY total) FILTER (WHERE status = 'paid') AS p95 FROM orders
----
SELECT name, salary, department, salary - avg(salary) OVER (PARTITION BY department) AS above FROM employees ORDER BY above DESC
----
SELECT a.id, b.id FROM customers a JOIN customers b ON a.id < b.id AND a.country = b.country AND lower(a.name) = lower(b.name)
----
(SELECT 'customers' AS what, count(*) FROM customers) UNION ALL (SELECT 'orders', count(*) FROM orders) UNION ALL (SELECT 'products', count(*) FROM products)
----
SELECT * FROM orders WHERE (status, customer_id) = ('paid', 1) OR total IN (1, 2, 3) OR note IS NULL
----
select t.id , t.name from ( select * from products where price::text ~ '^1' ) t group by t.id, t.name having count ( * ) > 0
----
SELECT id FROM orders WHERE id::text = '7' AND placed_at::date = '2024-01-01'::date AND total::int BETWEEN SYMMETRIC 9 AND 3
----
SELECT COUNT(*) OVER(), * FROM orders ORDER BY id LIMIT 20 OFFSET 40
----
SELECT max(id) + 1 AS next_id FROM orders
----
SELECT exists(SELECT 1 FROM information_schema.tables WHERE table_name = 'orders') AS present
----
SELECT coalesce(json_agg(row_to_json(t)), '[]'::json) FROM (SELECT id, name FROM products LIMIT 5) t
----
SELECT md5(string_agg(o::text, '' ORDER BY id)) FROM orders o
