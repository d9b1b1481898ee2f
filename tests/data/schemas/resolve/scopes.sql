-- Names and what they mean, in every place where they can stand. Statements stand between lines of four dashes.
----
SELECT * FROM customers
----
SELECT c.*, o.id AS order_id FROM customers c JOIN orders o ON o.customer_id = c.id
----
SELECT customers FROM customers
----
SELECT c FROM customers AS c
----
SELECT (c).name, (c).* FROM customers c
----
SELECT x.a, x.b, x.c FROM rare x(a, b)
----
SELECT x FROM rare x(u, v)
----
SELECT (x).u FROM rare x(u, v)
----
SELECT r.upper_note FROM rare r
----
SELECT (r).upper_note FROM rare r
----
SELECT rare.b, public.rare.c, rare FROM public.rare
----
SELECT ctid, xmin, xmax, cmin, cmax, tableoid FROM customers
----
SELECT c.ctid, o.xmin FROM customers c, orders o
----
SELECT c.ctid FROM customers c JOIN orders o ON true
----
SELECT (c).ctid FROM customers c
----
SELECT counted.ctid, * FROM counted
----
SELECT other.customers.id, customers.note FROM other.customers
----
SELECT * FROM customers JOIN orders USING (id)
----
SELECT id, customers.id, orders.id FROM customers JOIN orders USING (id)
----
SELECT id FROM customers LEFT JOIN orders USING (id)
----
SELECT id FROM customers RIGHT JOIN orders USING (id)
----
SELECT id FROM customers FULL JOIN orders USING (id)
----
SELECT u.id, u FROM customers JOIN orders USING (id) AS u
----
SELECT u.* FROM customers JOIN orders USING (id) AS u
----
SELECT * FROM customers NATURAL JOIN products
----
SELECT * FROM customers NATURAL LEFT JOIN viewed NATURAL JOIN products
----
SELECT j FROM (customers JOIN orders USING (id)) j
----
SELECT j.* FROM (rare a CROSS JOIN viewed) j(a1, b1)
----
SELECT j.a1, c, id FROM (rare a CROSS JOIN viewed) j(a1, b1)
----
SELECT a.*, b.* FROM (rare a CROSS JOIN rare b)
----
SELECT * FROM rare a JOIN (rare b JOIN viewed v ON v.id = b.a) ON a.a = b.a
----
SELECT * FROM (rare a JOIN rare b USING (a)) JOIN rare c USING (a, b)
----
SELECT * FROM customers c JOIN viewed v USING (id) JOIN products p ON p.id = v.id
----
SELECT * FROM rare a LEFT JOIN LATERAL (SELECT a.b || 'x' AS more, a.c) l ON true
----
SELECT * FROM rare a, LATERAL (SELECT a.b AS x UNION ALL SELECT a.c::text) l
----
SELECT * FROM rare a, LATERAL (SELECT x.b FROM rare x WHERE x.a = a.a) l
----
SELECT s.* FROM (SELECT 1, 'a', NULL) s
----
SELECT s.* FROM (SELECT 1, 'a', NULL) AS s(x, y)
----
SELECT s FROM (SELECT 1 AS a, 'b' AS b) s
----
SELECT (s).b, (s).* FROM (SELECT 1 AS a, 'b' AS b) s
----
SELECT s.b.y FROM (SELECT p AS b FROM holders) s
----
SELECT (s.b).y, (s.b).* FROM (SELECT p AS b FROM holders) s
----
SELECT (p).x, (p).*, (q).y, (ps[1]).x, (ps[1]).*, p, ps, q, id, r FROM holders
----
SELECT holders.*, (holders.p).x FROM holders
----
SELECT ((h).p).y, (h).q FROM holders h
----
SELECT (SELECT name FROM customers LIMIT 1), (SELECT * FROM (SELECT 1 AS z) s), (SELECT s.* FROM (SELECT 2 AS zz) s)
----
SELECT (VALUES (1)), (SELECT 1 UNION SELECT 2), (SELECT id FROM customers UNION SELECT 2 LIMIT 1)
----
SELECT EXISTS (SELECT 1), ARRAY(SELECT name FROM customers), 1 IN (SELECT 1), 1 = ALL (SELECT 1)
----
SELECT (SELECT c.name), (SELECT o.note FROM (SELECT c.name AS note) o) FROM customers c
----
SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders WHERE customer_id = c.id AND name = 'x')
----
SELECT id FROM customers c WHERE id IN (SELECT customer_id FROM orders o WHERE o.total > (SELECT avg(total) FROM orders WHERE customer_id = o.customer_id AND c.id > 0))
----
WITH a AS (SELECT 1 AS x, 'y' AS y) SELECT * FROM a
----
WITH a(p, q) AS MATERIALIZED (SELECT 1 AS x, 'y' AS y, 2.5) SELECT a.*, a, q FROM a
----
WITH a AS (SELECT 1 AS x), b AS NOT MATERIALIZED (SELECT x::text AS y FROM a) SELECT * FROM a, b
----
WITH customers AS (SELECT id, 'x'::bytea AS name FROM customers) SELECT * FROM customers
----
WITH customers AS (SELECT 1 AS one) SELECT * FROM public.customers
----
WITH a AS (SELECT 1 AS x) SELECT * FROM (WITH a AS (SELECT x::numeric AS y FROM a) SELECT * FROM a) s, a
----
WITH RECURSIVE a AS (SELECT x FROM b), b AS (SELECT 1::bigint AS x) SELECT * FROM a
----
WITH RECURSIVE a AS (SELECT x FROM (WITH b AS (SELECT 'q'::text AS x) SELECT * FROM b) s), b AS (SELECT a.x, 1 AS y FROM a) SELECT * FROM b
----
WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n, t FROM t
----
WITH RECURSIVE t AS (SELECT 1 AS n, 'a' AS s UNION ALL SELECT n + 1, s || 'b' FROM t WHERE n < 5) SELECT * FROM t
----
WITH RECURSIVE t AS (SELECT 1 AS n UNION SELECT 2 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT * FROM t
----
WITH RECURSIVE t AS ((SELECT 1 AS n LIMIT 1) UNION ALL (WITH u AS (SELECT n FROM t) SELECT n + 1 FROM u WHERE n < 3)) SELECT * FROM t
----
WITH RECURSIVE t AS (SELECT id, name FROM customers UNION ALL SELECT t.id, t.name FROM t) SEARCH DEPTH FIRST BY id SET o SELECT * FROM t
----
WITH RECURSIVE t AS (SELECT id, name FROM customers UNION ALL SELECT t.id, t.name FROM t) SEARCH BREADTH FIRST BY id, name SET o SELECT t.*, o, t FROM t
----
WITH RECURSIVE t AS (SELECT id, name FROM customers UNION ALL SELECT t.id, t.name FROM t) CYCLE id SET is_cycle USING path SELECT * FROM t
----
WITH RECURSIVE t AS (SELECT id, name FROM customers UNION ALL SELECT t.id, t.name FROM t) SEARCH DEPTH FIRST BY id SET o CYCLE id SET c TO 'Y' DEFAULT 'N' USING p SELECT s.*, (SELECT o FROM t LIMIT 1) FROM (SELECT * FROM t) s
----
WITH RECURSIVE t AS (SELECT id, name FROM customers UNION ALL SELECT t.id, t.name FROM t) SEARCH DEPTH FIRST BY id SET o SELECT s, (SELECT t FROM t LIMIT 1) FROM (SELECT * FROM t) s
----
WITH RECURSIVE t AS (SELECT id, name FROM customers UNION ALL SELECT t.id, t.o::text FROM t) SEARCH DEPTH FIRST BY id SET o SELECT * FROM t
----
SELECT 1 AS a UNION SELECT 2.5
----
SELECT 'a' AS a UNION ALL SELECT 'b'
----
SELECT NULL AS a UNION SELECT NULL UNION SELECT 'x'
----
SELECT NULL AS a, 1 UNION ALL (SELECT DATE '2020-01-01', 2.5 UNION SELECT now(), 3::float8)
----
(SELECT id FROM customers ORDER BY name LIMIT 1) UNION ALL (SELECT id FROM orders) ORDER BY id LIMIT 2
----
SELECT name FROM customers INTERSECT SELECT name::varchar FROM products EXCEPT SELECT NULL
----
VALUES (1, 'a', NULL), (2.5, 'b', now())
----
VALUES (1), (NULL), (2::bigint) ORDER BY column1 LIMIT 1
----
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) v
----
SELECT v.*, v, column2 FROM (VALUES (1, 'a'), (2, 'b')) v(x)
----
SELECT * FROM (VALUES ((1, 'a')), ((2, 'b'))) v
----
SELECT * FROM rare r, LATERAL (VALUES (r.a, r.b), (1, 'x')) v
----
SELECT v.* FROM customers c, LATERAL (VALUES (c.*)) v
----
SELECT * FROM generate_series(1, 3)
----
SELECT generate_series, g.* FROM generate_series(1, 3), generate_series(now(), now(), '1 day') AS g
----
SELECT g, g.g, h.x, h FROM generate_series(1, 3) g, generate_series(1::bigint, 3) h(x)
----
SELECT * FROM generate_series(1, 3) WITH ORDINALITY
----
SELECT g.*, g FROM generate_series(1, 3) WITH ORDINALITY AS g(a, n)
----
SELECT * FROM unnest(ARRAY[1, 2]) WITH ORDINALITY u(v, n)
----
SELECT * FROM unnest(ARRAY[1, 2], ARRAY['a', 'b'])
----
SELECT u.*, u FROM unnest(ARRAY[1, 2], ARRAY['a', 'b']) AS u(x, y)
----
SELECT * FROM ROWS FROM (generate_series(1, 2), unnest(ARRAY['a'])) WITH ORDINALITY
----
SELECT r.*, r FROM ROWS FROM (generate_series(1, 2), pairs()) AS r(a, b, c)
----
SELECT * FROM ROWS FROM (json_to_recordset('[]') AS (a int, b text), generate_series(1, 2))
----
SELECT * FROM pairs()
----
SELECT pairs, p.x, (p).y, p FROM pairs(), pairs() p
----
SELECT * FROM pairs() AS p(k), q_pair()
----
SELECT * FROM outs(1)
----
SELECT o, o.b, outs(1), (outs(1)).* FROM outs(1) o
----
SELECT * FROM one_out(), one_out() AS o, one_column(), one_column() c, rows_of(1)
----
SELECT one_out, o.result FROM one_out(), one_out() AS o
----
SELECT * FROM any_record() AS (a int, b text)
----
SELECT r, r.a, (r).b FROM any_record() AS r(a int, b text)
----
SELECT * FROM same(1)
----
SELECT * FROM same('x'::text) s, same(now())
----
SELECT * FROM json_each('{}'), jsonb_array_elements('[]') WITH ORDINALITY, jsonb_each_text('{}') e
----
SELECT * FROM json_populate_record(NULL::rare, '{}'), json_to_record('{}') AS x(a int, b text[], c pair)
----
SELECT p.* FROM jsonb_populate_recordset(NULL::pair, '[]') p
----
SELECT * FROM regexp_matches('a', 'b') m, string_to_table('a,b', ',') s, regexp_split_to_table('a', 'b')
----
SELECT * FROM pg_get_keywords(), current_date d, CAST(1 AS bigint) c, coalesce(1, 2), lower('x') l
----
SELECT l.upper FROM lower('x') l
----
SELECT l, k.upper FROM lower('x') l, LATERAL lower(l) k
----
SELECT f.* FROM customers c, LATERAL unnest(c.tags) f
----
SELECT tag FROM customers, unnest(tags) AS tag
----
SELECT * FROM customers TABLESAMPLE bernoulli (10) REPEATABLE (1)
----
SELECT c.name FROM ONLY customers c TABLESAMPLE system (10)
----
SELECT x.* FROM XMLTABLE('/a/b' PASSING '<a/>' COLUMNS id int PATH '@id', n FOR ORDINALITY, t text DEFAULT 'x') x
----
SELECT * FROM customers c, XMLTABLE('/a' PASSING c.name::xml COLUMNS v numeric PATH '.')
----
SELECT * FROM JSON_TABLE('[]'::jsonb, '$[*]' COLUMNS (n FOR ORDINALITY, a int PATH '$.a', NESTED PATH '$.b[*]' COLUMNS (b text PATH '$', e boolean EXISTS PATH '$.e'), c numeric PATH '$.c')) j
----
SELECT j FROM customers c, JSON_TABLE(c.profile, '$' COLUMNS (a jsonb PATH '$.a' DEFAULT '{}' ON EMPTY)) AS j
----
SELECT name AS id, id AS name FROM customers ORDER BY id, 2
----
SELECT upper(name) AS name FROM customers GROUP BY name ORDER BY name
----
SELECT lower(name) AS folded, count(*) FROM customers GROUP BY folded HAVING count(*) > 1 ORDER BY 2 DESC, folded
----
SELECT country, name, grouping(country, name), count(*) FROM customers GROUP BY GROUPING SETS ((country, name), ROLLUP (country), CUBE (name), ())
----
SELECT DISTINCT ON (country) country, name FROM customers ORDER BY country, id
----
SELECT name, rank() OVER w, sum(id) OVER (w ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING), avg(id) OVER (PARTITION BY country) FROM customers WINDOW w AS (PARTITION BY country ORDER BY id)
----
SELECT id, (TABLE counted LIMIT 0) FROM customers FETCH FIRST 2 ROWS ONLY
----
SELECT 1 AS a, a.a FROM rare a ORDER BY a
----
SELECT FROM rare
----
SELECT a.a FROM rare a, LATERAL (SELECT a.b FROM viewed a) b
----
SELECT rare.* FROM other.customers rare
----
SELECT pg_class.relname, c.oid, attrelid FROM pg_class, pg_catalog.pg_class c, pg_attribute LIMIT 0
----
SELECT t.typname::text, t.oid::regtype, tableoid::regclass FROM pg_type t LIMIT 0
----
SELECT table_name, column_name, is_nullable, ordinal_position FROM information_schema.columns
----
SELECT count(*), count(c), count(c.*), max(c.name), array_agg(c), json_agg(c.*), row_to_json(c), ROW(c.*) FROM customers c GROUP BY c.id
----
SELECT CASE WHEN true THEN 1 ELSE id END, CASE WHEN true THEN id END, (CASE WHEN true THEN 1 ELSE 2.5 END)::text FROM customers
----
SELECT true, false::text, 1::int4, 'x'::char, '1'::char(3), DATE '2020-01-01', INTERVAL '1' DAY, B'1', 1.5, 1e10, 12345678901
----
SELECT xmlelement(name a), xmlforest(1 AS a), xmlconcat('<a/>'), xmlparse(document '<a/>'), xmlpi(name a), xmlroot('<a/>', version '1.0'), xmlserialize(content '<a/>'::xml AS text), '<a/>'::xml IS DOCUMENT
----
SELECT current_user, session_user, user, current_role, current_catalog, current_schema, current_date, current_time, current_time(3), localtime, localtimestamp, current_timestamp(2)
----
SELECT extract(year FROM now()), trim(' x '), substring('x' FROM 1), position('a' IN 'b'), overlay('a' PLACING 'b' FROM 1), now() AT TIME ZONE 'UTC', collation for ('x'), normalize('x'), 'x' IS NORMALIZED
----
SELECT (ARRAY[1, 2])[1], (ARRAY[1, 2])[1:2], ARRAY[[1], [2]], ('{1}'::int[])[1], (profile -> 'a'), profile['a'], (c.profile)['a'] FROM customers c
----
SELECT * FROM (VALUES (ROW(1, 2))) v(r), coalesce(r) AS c(d int, e int)
----
SELECT 1 AS aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, x.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa FROM rare x(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)
----
SELECT ääääääääääääääääääääääääääääääääääääääää.ääääääääääääääääääääääääääääääääääääääää FROM (SELECT 1 AS ääääääääääääääääääääääääääääääääääääääää) ääääääääääääääääääääääääääääääääääääääää
----
SELECT U&"n\0061me", "name" AS U&"!0061" UESCAPE '!' FROM "customers"
----
SELECT c.name, name(c), (c).name, c.upper FROM (SELECT name FROM customers) c, LATERAL upper(c.name) u WHERE false OR (SELECT true FROM upper('x') c LIMIT 0)
----
SELECT upper FROM upper('x')
----
SELECT x.upper_note, upper_note(x), x.b FROM rare x JOIN rare y USING (a)
----
SELECT c.id, s.* FROM customers c JOIN LATERAL (SELECT count(*), max(o.total) AS most FROM orders o WHERE o.customer_id = c.id) s ON s.most > 1 LEFT JOIN LATERAL (SELECT s.most, c.name) t USING (most)
----
SELECT row_to_json(t), to_jsonb(t.*) FROM (SELECT id, name FROM customers) t
----
SELECT (SELECT x FROM (SELECT c.id) AS y(x)), (SELECT count(*) FROM (SELECT c.name UNION SELECT o.status::text) u) FROM customers c, orders o
----
SELECT * FROM (customers c JOIN orders o ON c.id = o.customer_id) LEFT JOIN (rare r NATURAL JOIN other.customers z) ON true
----
SELECT * FROM rare NATURAL JOIN (SELECT a, c FROM rare) s NATURAL FULL JOIN (VALUES (1, 2::numeric)) v(a, c)
----
SELECT a.oid, b.oid FROM pg_class a, pg_type b WHERE a.reltype = b.oid AND a.oid::regclass::text = 'x' ORDER BY a, b.typname USING ~<~, 1
----
SELECT count(*) FILTER (WHERE id > 1), string_agg(name, ',' ORDER BY id DESC, 1), (array_agg(id ORDER BY name))[1], rank(3) WITHIN GROUP (ORDER BY id) FROM customers
