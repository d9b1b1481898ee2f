-- Ways to read the hidden column of shop.people (id, name, secret), one statement in a line. Beside
-- it stands shop.orders (id, total, note), of which everything may be read.
SELECT secret FROM shop.people
SELECT "secret" FROM shop.people
SELECT U&"s\0065cret" FROM shop.people
SELECT shop.people.secret FROM shop.people
SELECT p.secret FROM shop.people p
SELECT * FROM shop.people
SELECT p.* FROM shop.people p
SELECT people.* FROM shop.people
SELECT shop.people.* FROM shop.people
TABLE shop.people
SELECT p FROM shop.people p
SELECT people FROM shop.people
SELECT (p).* FROM shop.people p
SELECT (p).secret FROM shop.people p
SELECT (people).secret FROM shop.people
SELECT p::text FROM shop.people p
SELECT CAST(p AS text) FROM shop.people p
SELECT row_to_json(p) FROM shop.people p
SELECT to_jsonb(p.*) FROM shop.people p
SELECT json_agg(p) FROM shop.people p
SELECT array_agg(p) FROM shop.people p
SELECT count(p) FROM shop.people p
SELECT count(p.*) FROM shop.people p
SELECT ROW(p.*) FROM shop.people p
SELECT ROW(p.*, 1) FROM shop.people p
SELECT p IS NULL FROM shop.people p
SELECT p.* IS NOT NULL FROM shop.people p
SELECT concat(p) FROM shop.people p
SELECT format('%s', p) FROM shop.people p
SELECT 1 FROM shop.people p ORDER BY p
SELECT DISTINCT ON (p) 1 FROM shop.people p
SELECT 1 FROM shop.people p GROUP BY p
SELECT x FROM (SELECT p FROM shop.people p) x
SELECT c FROM shop.people p(a, b, c)
SELECT p.c FROM shop.people AS p(a, b, c)
SELECT * FROM shop.people AS p(a, b)
WITH x(a, b, c) AS (SELECT * FROM shop.people) SELECT a FROM x
WITH x AS (TABLE shop.people) SELECT id FROM x
WITH x AS MATERIALIZED (SELECT secret AS id FROM shop.people) SELECT 1 FROM x
WITH x AS (SELECT secret FROM shop.people) SELECT 1
WITH people AS (SELECT * FROM shop.people) SELECT id FROM people
WITH RECURSIVE r AS (SELECT secret FROM shop.people UNION ALL SELECT secret FROM r) TABLE r
WITH RECURSIVE r(x) AS (SELECT 'a' UNION ALL SELECT secret FROM shop.people, r) TABLE r
SELECT id FROM (SELECT * FROM shop.people) x
SELECT x.c FROM (SELECT * FROM shop.people) x(a, b, c)
SELECT id FROM shop.people WHERE secret = 'x'
SELECT id FROM shop.people WHERE secret IS NULL
SELECT id FROM shop.people WHERE (id, secret) = (1, 'x')
SELECT id FROM shop.people WHERE (id, secret) IN (SELECT 1, 'x')
SELECT id FROM shop.people WHERE ROW(id, secret) < ROW(1, 'x')
SELECT id FROM shop.people WHERE secret LIKE 'a%'
SELECT id FROM shop.people WHERE secret BETWEEN 'a' AND 'b'
SELECT id FROM shop.people WHERE 'x' = ANY (ARRAY[secret])
SELECT id FROM shop.people WHERE CASE WHEN secret > 'a' THEN true ELSE false END
SELECT id FROM shop.people ORDER BY secret
SELECT id FROM shop.people ORDER BY lower(secret)
SELECT id FROM shop.people ORDER BY secret USING <
SELECT id AS secret FROM shop.people GROUP BY secret, id
SELECT id AS secret FROM shop.people ORDER BY secret || ''
SELECT count(*) FROM shop.people GROUP BY secret
SELECT count(*) FROM shop.people GROUP BY GROUPING SETS ((secret), ())
SELECT count(*) FROM shop.people GROUP BY ROLLUP (id, secret)
SELECT count(*) FROM shop.people GROUP BY CUBE (secret)
SELECT id FROM shop.people GROUP BY id HAVING max(secret) > 'a'
SELECT DISTINCT ON (secret) id FROM shop.people
SELECT count(*) FILTER (WHERE secret > 'a') FROM shop.people
SELECT string_agg(name, ',' ORDER BY secret) FROM shop.people
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY secret) FROM shop.people
SELECT row_number() OVER (ORDER BY secret) FROM shop.people
SELECT row_number() OVER (PARTITION BY secret) FROM shop.people
SELECT row_number() OVER w FROM shop.people WINDOW w AS (ORDER BY secret)
SELECT id AS secret, row_number() OVER (ORDER BY secret) FROM shop.people
SELECT id FROM shop.people LIMIT (SELECT length(max(secret)) FROM shop.people)
SELECT id FROM shop.people WHERE EXISTS (SELECT secret FROM shop.people)
SELECT EXISTS (SELECT * FROM shop.people)
SELECT (SELECT max(secret) FROM shop.people)
SELECT ARRAY(SELECT secret FROM shop.people)
SELECT ARRAY(SELECT p FROM shop.people p)
SELECT (SELECT p FROM shop.people p LIMIT 1).secret
SELECT 1 IN (SELECT length(secret) FROM shop.people)
SELECT id FROM shop.people UNION SELECT length(secret) FROM shop.people
SELECT 1, 'a', 'b' EXCEPT SELECT * FROM shop.people
(TABLE shop.people) INTERSECT SELECT 1, 'a', 'b'
VALUES ((SELECT max(secret) FROM shop.people))
SELECT o.id FROM shop.orders o, LATERAL (SELECT secret FROM shop.people) x
SELECT o.id FROM shop.people p, LATERAL (SELECT p.secret) x, shop.orders o
SELECT s FROM shop.people p, LATERAL (VALUES (p.secret)) v(s)
SELECT s FROM shop.people p CROSS JOIN LATERAL unnest(ARRAY[p.secret]) s
SELECT k FROM shop.people p, LATERAL regexp_split_to_table(secret, '') k
SELECT v FROM shop.people p, LATERAL jsonb_each_text(to_jsonb(p)) AS e(k, v)
SELECT p.id FROM shop.people p JOIN (VALUES ('x')) v(secret) USING (secret)
SELECT p.id FROM shop.people p NATURAL JOIN (VALUES ('x')) v(secret)
SELECT p.id FROM (VALUES ('x')) v(secret) NATURAL LEFT JOIN shop.people p
SELECT 1 FROM shop.people p FULL JOIN shop.people q USING (secret)
SELECT 1 FROM shop.people NATURAL JOIN shop.people q
SELECT j FROM (shop.people p CROSS JOIN shop.orders o) j
SELECT j.* FROM (shop.people p JOIN shop.orders o USING (id)) j
SELECT row_to_json(j) FROM (shop.people p CROSS JOIN shop.orders o) j
SELECT j.c FROM (shop.people p CROSS JOIN shop.orders o) j(a, b, c)
SELECT p.id FROM shop.people p JOIN shop.orders o ON o.note = p.secret
SELECT * FROM shop.orders o JOIN shop.people p USING (id)
SELECT x FROM shop.people p, XMLTABLE('/a' PASSING xmlparse(content secret) COLUMNS x text) t
SELECT xmlelement(name a, secret) FROM shop.people
SELECT xmlforest(p) FROM shop.people p
SELECT coalesce(secret, 'x') FROM shop.people
SELECT greatest(secret, 'x') FROM shop.people
SELECT nullif(secret, 'x') FROM shop.people
SELECT secret COLLATE "C" FROM shop.people
SELECT (ARRAY[secret])[1] FROM shop.people
SELECT ('{1,2}'::int[])[length(secret)] FROM shop.people
SELECT substring(secret FROM 1 FOR 1) FROM shop.people
SELECT overlay(secret PLACING 'x' FROM 1) FROM shop.people
SELECT extract(year FROM secret::date) FROM shop.people
SELECT 'a' || secret FROM shop.people
SELECT 1 FROM shop.people TABLESAMPLE system ((SELECT length(max(secret)) FROM shop.people))
SELECT $1 || secret FROM shop.people
SELECT secret FROM ONLY shop.people
SELECT q.secret FROM shop.people p RIGHT JOIN shop.people q ON p.id = q.id
SELECT (SELECT secret) FROM shop.people
SELECT (SELECT p.secret FROM shop.orders o LIMIT 1) FROM shop.people p
SELECT max(CASE id WHEN 1 THEN secret END) FROM shop.people
SELECT id, lag(secret) OVER (ORDER BY id) FROM shop.people
EXPLAIN SELECT id FROM shop.people WHERE secret = 'x'
EXPLAIN (VERBOSE) TABLE shop.people
COPY (SELECT * FROM shop.people) TO STDOUT
COPY (TABLE shop.people) TO STDOUT
DECLARE c CURSOR FOR SELECT secret FROM shop.people
PREPARE p AS SELECT secret FROM shop.people
EXPLAIN DECLARE c CURSOR FOR SELECT secret FROM shop.people
SELECT p.secret FROM shop.people AS "P", shop.people p
SELECT "people"."secret" FROM "shop"."people"
SELECT id FROM shop.people WHERE name = (SELECT secret FROM shop.people LIMIT 1)
SELECT id FROM shop.people OFFSET (SELECT length(min(secret)) FROM shop.people)
SELECT id FROM shop.people FETCH FIRST (SELECT length(min(secret)) FROM shop.people) ROWS ONLY
SELECT sum(length(secret)) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM shop.people
SELECT id FROM shop.people ORDER BY id, (secret)
SELECT id AS x FROM shop.people ORDER BY x, secret
SELECT id, name AS secret FROM shop.people p ORDER BY p.secret
SELECT name AS secret FROM shop.people GROUP BY secret, name
SELECT max(id) FROM shop.people GROUP BY substr(secret, 1, 1)
SELECT grouping(secret) FROM shop.people GROUP BY secret
SELECT id FROM shop.people WHERE NOT (secret IS DISTINCT FROM 'x')
SELECT id FROM shop.people WHERE secret ~ '^c'
SELECT id FROM shop.people WHERE secret SIMILAR TO 'c%'
SELECT id FROM shop.people WHERE starts_with(secret, 'c')
SELECT id FROM shop.people WHERE ascii(substr(secret, 1, 1)) = 99
SELECT id FROM shop.people WHERE secret IN ('a', 'b')
SELECT id FROM shop.people WHERE ('a', 1) IN (SELECT secret, id FROM shop.people)
SELECT id FROM shop.people WHERE (secret, id) OVERLAPS ('a', 1)
SELECT id FROM shop.people WHERE 1 / (CASE secret WHEN 'x' THEN 0 ELSE 1 END) = 1
SELECT secret::int FROM shop.people
SELECT CAST(secret AS date) FROM shop.people
SELECT q FROM (SELECT p AS q FROM shop.people p) x
SELECT (q).secret FROM (SELECT p AS q FROM shop.people p) x
SELECT (x.q).* FROM (SELECT p AS q FROM shop.people p) x
SELECT (array_agg(p))[1] FROM shop.people p
SELECT ((array_agg(p))[1]).secret FROM shop.people p
SELECT (SELECT x FROM (SELECT p.*) x) FROM shop.people p
SELECT (SELECT x FROM (SELECT p) x) FROM shop.people p
SELECT x FROM shop.people p, LATERAL (SELECT p.*) x
SELECT x.* FROM shop.people p CROSS JOIN LATERAL (SELECT p.*) x
SELECT x.* FROM shop.people p CROSS JOIN LATERAL (TABLE shop.people) x
SELECT jsonb_object_agg(p.id, p) FROM shop.people p
SELECT json_build_object('p', p) FROM shop.people p
SELECT jsonb_build_array(p.*) FROM shop.people p
SELECT hstore FROM (SELECT row_to_json(p) AS hstore FROM shop.people p) x
SELECT jsonb_pretty(jsonb_agg(to_jsonb(p) - 'secret')) FROM shop.people p
SELECT to_jsonb(p) -> 'name' FROM shop.people p
SELECT p.name FROM shop.people p WHERE p = p
SELECT p.id FROM shop.people p WHERE p IN (SELECT q FROM shop.people q)
SELECT p.id FROM shop.people p WHERE p > ROW(1, 'a', 'b')
SELECT p.id FROM shop.people p WHERE p IS NOT DISTINCT FROM ROW(1, 'a', 'b')
SELECT p.id FROM shop.people p WHERE p.* = ROW(1, 'a', 'b')
SELECT p.id FROM shop.people p WHERE (p.*) IS NULL
SELECT p.id FROM shop.people p WHERE EXISTS (SELECT p.* INTERSECT SELECT 1, 'a', 'b')
SELECT p.id FROM shop.people p WHERE EXISTS (SELECT p.secret INTERSECT SELECT 'x')
SELECT p::shop.people FROM shop.people p
SELECT (p::shop.people).secret FROM shop.people p
SELECT md5(p::text) FROM shop.people p
SELECT length(p::varchar) FROM shop.people p
SELECT hashtext(p::text) FROM shop.people p
SELECT quote_literal(p) FROM shop.people p
SELECT p || '' FROM shop.people p
SELECT min(p::text) FROM shop.people p
SELECT pg_typeof(secret) FROM shop.people
SELECT pg_column_size(secret) FROM shop.people
SELECT pg_column_size(p) FROM shop.people p
SELECT count(secret) FROM shop.people
SELECT count(DISTINCT p.secret) FROM shop.people p
SELECT count(DISTINCT p) FROM shop.people p
SELECT bool_or(secret = 'x') FROM shop.people
SELECT mode() WITHIN GROUP (ORDER BY secret) FROM shop.people
SELECT rank('x') WITHIN GROUP (ORDER BY secret) FROM shop.people
SELECT first_value(secret) OVER (PARTITION BY name ORDER BY id) FROM shop.people
SELECT first_value(p) OVER (ORDER BY id) FROM shop.people p
SELECT ntile(2) OVER w FROM shop.people WINDOW v AS (PARTITION BY secret), w AS (v ORDER BY id)
SELECT 1 FROM shop.people WINDOW w AS (ORDER BY secret)
SELECT id FROM shop.people JOIN shop.orders USING (id) WHERE secret = 'x'
SELECT secret FROM shop.people JOIN shop.orders USING (id)
SELECT * FROM shop.people JOIN shop.orders USING (id)
SELECT j FROM shop.people JOIN shop.orders USING (id) AS j WHERE people.secret = 'x'
SELECT * FROM shop.people NATURAL JOIN shop.orders
SELECT * FROM shop.orders NATURAL LEFT JOIN shop.people
SELECT p.* FROM shop.people p NATURAL JOIN shop.orders
SELECT x.* FROM (shop.people NATURAL JOIN shop.orders) AS x
SELECT x.c3 FROM (shop.people NATURAL JOIN shop.orders) AS x(c1, c2, c3)
SELECT x.c5 FROM (shop.orders JOIN shop.people USING (id)) AS x(c1, c2, c3, c4, c5)
SELECT c3 FROM shop.people AS x(c1, c2, c3) NATURAL JOIN shop.orders
SELECT 1 FROM shop.people AS x(a, b, note) JOIN shop.orders USING (note)
SELECT 1 FROM shop.people AS x(a, b, note) NATURAL JOIN shop.orders
SELECT 1 FROM (shop.people p JOIN shop.orders o USING (id)) JOIN (VALUES ('x')) v(secret) USING (secret)
SELECT 1 FROM (shop.people p CROSS JOIN shop.orders o) NATURAL JOIN (VALUES ('x')) v(secret)
SELECT 1 FROM shop.orders o LEFT JOIN shop.people p ON p.id = o.id AND p.secret > 'm'
SELECT 1 FROM shop.orders o FULL JOIN (shop.people p JOIN shop.orders q ON q.note = p.secret) ON true
WITH x(a) AS (SELECT secret FROM shop.people) SELECT a FROM x
WITH x AS (SELECT p FROM shop.people p) SELECT (p).secret FROM x
WITH x AS (SELECT p FROM shop.people p) SELECT (x.p).* FROM x
WITH x AS NOT MATERIALIZED (TABLE shop.people) TABLE x
WITH x AS (SELECT 1), y AS (SELECT secret FROM shop.people, x) SELECT 1 FROM x
WITH shop AS (SELECT 1) SELECT secret FROM shop.people, shop
WITH people AS (SELECT 1 AS secret) SELECT p.secret FROM people, shop.people p
WITH people AS (SELECT 1 AS secret) SELECT secret FROM shop.people
WITH RECURSIVE people AS (SELECT secret FROM shop.people UNION SELECT secret FROM people) SELECT 1 FROM people
WITH RECURSIVE a AS (SELECT b.s FROM b), b AS (SELECT secret AS s FROM shop.people) TABLE a
WITH RECURSIVE t(i, s) AS (SELECT id, secret FROM shop.people UNION ALL SELECT i, s FROM t WHERE false) SEARCH DEPTH FIRST BY s SET o SELECT i FROM t
SELECT (WITH x AS (SELECT secret FROM shop.people) SELECT max(secret) FROM x)
SELECT id FROM shop.people WHERE id IN (WITH x AS (SELECT length(secret) AS l FROM shop.people) SELECT l FROM x)
(SELECT secret FROM shop.people ORDER BY 1 LIMIT 1) UNION ALL SELECT 'x'
SELECT 'x' UNION ALL (SELECT 'y' UNION (SELECT secret FROM shop.people))
SELECT 1, 'x', 'y' UNION ALL TABLE shop.people ORDER BY 1
SELECT id FROM ((SELECT id, secret FROM shop.people) UNION ALL SELECT 1, 'x') u
VALUES (1), ((SELECT length(secret) FROM shop.people LIMIT 1))
VALUES ((SELECT p FROM shop.people p LIMIT 1))
SELECT x FROM ROWS FROM (unnest((SELECT array_agg(secret) FROM shop.people))) AS f(x)
SELECT x FROM shop.people p, ROWS FROM (unnest(ARRAY[p.secret]), generate_series(1, 2)) AS f(x, y)
SELECT x FROM shop.people p, unnest(ARRAY[p]) AS x
SELECT f.secret FROM shop.people p, unnest(ARRAY[p]) AS f
SELECT * FROM shop.people p, unnest(ARRAY[p]) AS f
SELECT g FROM shop.people p, generate_series(1, length(p.secret)) g
SELECT r.* FROM shop.people p, jsonb_to_record(to_jsonb(p)) AS r(id int, secret text)
SELECT r.* FROM shop.people p, jsonb_populate_record(p, '{}') r
SELECT jsonb_populate_record(p, '{}') FROM shop.people p
SELECT (jsonb_populate_record(p, '{}')).secret FROM shop.people p
SELECT id FROM shop.people TABLESAMPLE bernoulli (100) WHERE secret = 'x'
SELECT * FROM shop.people TABLESAMPLE bernoulli (100) REPEATABLE (1)
SELECT id FROM shop.people WHERE xmlexists('/a' PASSING xmlparse(content secret))
SELECT xmlconcat(xmlelement(name a, secret), xmlcomment('x')) FROM shop.people
SELECT xmlelement(name a, xmlattributes(secret AS b)) FROM shop.people
SELECT xmlagg(xmlelement(name a, p)) FROM shop.people p
SELECT ('[1]'::jsonb)[length(secret)] FROM shop.people
SELECT (to_jsonb(p))['secret'] FROM shop.people p
SELECT secret AT TIME ZONE 'UTC' FROM shop.people
SELECT position('a' IN secret) FROM shop.people
SELECT trim(BOTH 'x' FROM secret) FROM shop.people
SELECT normalize(secret) FROM shop.people
SELECT least(secret, NULL), 1 FROM shop.people
SELECT make_interval(days => length(secret)) FROM shop.people
SELECT concat_ws(',', VARIADIC ARRAY[secret]) FROM shop.people
SELECT format('%s', VARIADIC array_agg(secret)) FROM shop.people
SELECT (ROW(secret)).f1 FROM shop.people
SELECT (ROW(id, secret)).f2 FROM shop.people
SELECT -length(secret) FROM shop.people
SELECT @ length(secret) FROM shop.people
SELECT secret OPERATOR(pg_catalog.||) 'x' FROM shop.people
SELECT secret IS JSON FROM shop.people
SELECT json_object('a': secret) FROM shop.people
SELECT json_arrayagg(secret) FROM shop.people
SELECT json_array(SELECT secret FROM shop.people)
SELECT * FROM JSON_TABLE((SELECT to_jsonb(p) FROM shop.people p LIMIT 1), '$' COLUMNS (s text PATH '$.secret')) t
SELECT s FROM shop.people p, JSON_TABLE(jsonb_build_array(p.secret), '$[*]' COLUMNS (s text PATH '$')) t
SELECT json_value(to_jsonb(p), '$.secret') FROM shop.people p
EXPLAIN (FORMAT JSON, VERBOSE) SELECT id FROM shop.people WHERE secret > 'm'
EXPLAIN SELECT id FROM shop.people ORDER BY secret
COPY shop.people TO STDOUT
COPY shop.people (secret) TO STDOUT
COPY shop.people (id, "secret") TO STDOUT (FORMAT binary)
COPY BINARY shop.people TO STDOUT
COPY shop.people (U&"secr\0065t") TO STDOUT CSV
COPY shop.people (id) TO STDOUT (FORMAT csv, FORCE_QUOTE (secret))
COPY shop.people (id) TO STDOUT CSV FORCE QUOTE secret
COPY shop.people (people) TO STDOUT
