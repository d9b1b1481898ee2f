-- Statements that read nothing of what is hidden, and are answered as by the database.
SELECT 1
SELECT id, name FROM shop.people ORDER BY id
SELECT id, name FROM people ORDER BY id
SELECT p.id, p.name FROM shop.people p WHERE p.id > 1 ORDER BY p.name DESC
SELECT shop.people.id FROM shop.people ORDER BY 1
SELECT count(*) FROM shop.people
SELECT count(*) FILTER (WHERE id > 1), max(name) FROM shop.people
SELECT id AS secret FROM shop.people ORDER BY secret
SELECT DISTINCT ON (secret) id AS secret FROM shop.people ORDER BY secret
SELECT upper(name), length(name), name || '!' FROM shop.people ORDER BY 1
SELECT name, count(*) FROM shop.people GROUP BY name HAVING count(*) >= 1 ORDER BY name
SELECT name, count(*) FROM shop.people GROUP BY 1 ORDER BY 1
SELECT name, count(*) FROM shop.people GROUP BY ROLLUP (name) ORDER BY 1
SELECT p.id, o.* FROM shop.people p JOIN shop.orders o USING (id) ORDER BY 1
SELECT p.id, o.total FROM shop.people p LEFT JOIN shop.orders o ON o.id = p.id ORDER BY 1
SELECT * FROM shop.orders o WHERE EXISTS (SELECT 1 FROM shop.people p WHERE p.id = o.id) ORDER BY id
SELECT * FROM shop.orders WHERE id IN (SELECT id FROM shop.people) ORDER BY id
SELECT x.* FROM (SELECT id, name FROM shop.people) x ORDER BY 1
SELECT x FROM (SELECT id, name FROM shop.people) x ORDER BY 1
SELECT row_to_json(x) FROM (SELECT id, name FROM shop.people) x ORDER BY x.id
SELECT json_agg(x ORDER BY x.id) FROM (SELECT id, name FROM shop.people) x
SELECT to_jsonb(o) FROM shop.orders o ORDER BY id
SELECT o FROM shop.orders o ORDER BY id
SELECT (o).total FROM shop.orders o ORDER BY id
SELECT o.* FROM shop.orders o ORDER BY 1
TABLE shop.orders ORDER BY id
WITH people AS (SELECT 'mine' AS secret) SELECT secret FROM people
WITH secrets AS (SELECT 1 AS one) SELECT * FROM secrets
WITH x(a, b) AS (SELECT id, name FROM shop.people) SELECT b FROM x ORDER BY a
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT * FROM r
WITH a AS (SELECT id FROM people), b AS (SELECT id FROM orders) SELECT * FROM a NATURAL JOIN b ORDER BY 1
SELECT row_number() OVER (PARTITION BY name ORDER BY id), id FROM shop.people ORDER BY 2
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM shop.people
SELECT id, lag(name) OVER w FROM shop.people WINDOW w AS (ORDER BY id)
SELECT id, sum(total) OVER (ORDER BY total RANGE BETWEEN 5 PRECEDING AND CURRENT ROW) FROM shop.orders
SELECT id FROM shop.people UNION ALL SELECT id FROM shop.orders ORDER BY 1
SELECT id FROM shop.people INTERSECT SELECT id FROM shop.orders ORDER BY 1
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS v(id, secret) ORDER BY id
SELECT v.secret FROM shop.people p JOIN (VALUES (1, 'a')) AS v(id, secret) USING (id)
SELECT * FROM generate_series(1, 3) AS g(n)
SELECT p.id, g FROM shop.people p, generate_series(1, p.id) g ORDER BY 1, 2
SELECT * FROM unnest(ARRAY[1, 2], ARRAY['a', 'b']) WITH ORDINALITY
SELECT * FROM json_to_recordset('[{"a": 1}]') AS x(a int, b text)
SELECT * FROM jsonb_each_text('{"a": "b"}')
SELECT key, value FROM jsonb_each('{"a": 1}')
SELECT * FROM regexp_split_to_table('a b', ' ')
SELECT ctid IS NOT NULL, tableoid::regclass FROM shop.people ORDER BY 1
SELECT CASE WHEN id > 1 THEN name ELSE 'x' END FROM shop.people ORDER BY 1
SELECT coalesce(name, 'x'), nullif(name, 'x'), greatest(id, 2) FROM shop.people ORDER BY 1
SELECT (ARRAY[name])[1] FROM shop.people ORDER BY 1
SELECT name COLLATE "C" FROM shop.people ORDER BY 1
SELECT id FROM shop.people WHERE (id, name) IN ((1, 'name 1'), (2, 'x'))
SELECT id FROM shop.people WHERE ROW(id, name) = ROW(1, 'name 1')
SELECT id FROM shop.people WHERE id BETWEEN 1 AND 2 AND name LIKE 'name%' ORDER BY 1
SELECT id FROM shop.people WHERE name = ANY (ARRAY['name 1', 'x'])
SELECT string_agg(name, ',' ORDER BY id) FROM shop.people
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY id) FROM shop.people
SELECT extract(year FROM date '2020-01-01'), now() > '2020-01-01', current_date > '2020-01-01'
SELECT date_trunc('day', timestamp '2020-01-01 10:00'), interval '1 day' * 2
SELECT array_agg(id ORDER BY id), array_length(array_agg(id), 1) FROM shop.people
SELECT json_build_object('id', id, 'name', name) FROM shop.people ORDER BY id
SELECT id::text, name::varchar(3), id::numeric / 3 FROM shop.people ORDER BY id
SELECT xmlelement(name a, name) FROM shop.people ORDER BY id
SELECT * FROM shop.v_people ORDER BY id
SELECT * FROM shop.v_outer ORDER BY id
SELECT * FROM v_orders ORDER BY id
SELECT * FROM shop.m_people ORDER BY id
SELECT * FROM plain.secrets
SELECT * FROM shop.events_open
SELECT id, kind FROM shop.parent
SELECT id, kind, extra FROM shop.child
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'shop' AND c.relkind = 'r' ORDER BY 1
SELECT a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_attribute a WHERE a.attrelid = 'shop.orders'::regclass AND a.attnum > 0 ORDER BY a.attnum
SELECT table_name FROM information_schema.tables WHERE table_schema = 'shop' ORDER BY 1
SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'orders' ORDER BY ordinal_position
SELECT datname IS NULL FROM pg_stat_activity WHERE pid = pg_backend_pid()
SELECT name, setting FROM pg_settings WHERE name = 'search_path'
SELECT name FROM pg_cursors WHERE false
SELECT name FROM pg_prepared_statements
SELECT current_user, session_user, current_schema
SELECT pg_get_viewdef('shop.v_orders'::regclass)
SHOW search_path
