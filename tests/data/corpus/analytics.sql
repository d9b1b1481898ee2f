-- What analysts, dashboards and agents ask of the sample shop, with search_path shop, public. Everything runs, and
-- passes under both policies. reads.sql tells the form of this file.
----
--! counting and grouping
SELECT count(*) FROM orders
----
SELECT count(*), count(employee_id), count(DISTINCT customer_id) FROM orders
----
SELECT status, count(*) FROM orders GROUP BY status ORDER BY count(*) DESC
----
SELECT status, count(*) AS n, round(100.0 * count(*) / sum(count(*)) OVER (), 1) AS percent FROM orders GROUP BY 1 ORDER BY 2 DESC
----
SELECT date_trunc('month', placed_at) AS month, count(*) FROM orders GROUP BY month ORDER BY month
----
SELECT date_trunc('week', placed_at)::date AS week, count(*) FILTER (WHERE status = 'paid') AS paid, count(*) FILTER (WHERE status = 'returned') AS returned FROM orders GROUP BY 1 ORDER BY 1
----
SELECT extract(year FROM placed_at)::int AS year, extract(quarter FROM placed_at)::int AS quarter, count(*) FROM orders GROUP BY 1, 2 ORDER BY 1, 2
----
SELECT customer_id, count(*) AS orders FROM orders GROUP BY customer_id HAVING count(*) > 8 ORDER BY orders DESC, customer_id LIMIT 10
----
SELECT c.name, count(o.id) AS orders FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id, c.name ORDER BY orders DESC, c.id LIMIT 20
----
SELECT employee_id, min(placed_at), max(placed_at), max(placed_at) - min(placed_at) AS span FROM orders WHERE employee_id IS NOT NULL GROUP BY employee_id ORDER BY employee_id
----
SELECT method, count(*), sum(amount), avg(amount)::numeric(12,2), min(amount), max(amount) FROM payments GROUP BY method ORDER BY sum(amount) DESC
----
SELECT carrier, avg(arrived_at - sent_at) AS transit FROM shipments WHERE arrived_at IS NOT NULL GROUP BY carrier ORDER BY transit
----
SELECT stars, count(*), count(body) AS with_text FROM reviews GROUP BY stars ORDER BY stars
----
SELECT warehouse, sum(on_hand) AS on_hand, sum(reserved) AS reserved, sum(on_hand - reserved) AS free FROM inventory GROUP BY warehouse
----
SELECT left(postal_code, 2) AS region, country, count(*) FROM addresses GROUP BY region, country ORDER BY 3 DESC LIMIT 10
----
SELECT bool_or(newsletter), bool_and(newsletter), every(newsletter) FROM customers
----
SELECT bit_and(stars), bit_or(stars) FROM reviews
----
SELECT count(*) FROM (SELECT DISTINCT customer_id, status FROM orders) x
----
SELECT category_id, string_agg(DISTINCT name, ', ' ORDER BY name) FROM products WHERE id <= 40 GROUP BY category_id ORDER BY category_id
----
SELECT category_id, array_agg(id ORDER BY price DESC) AS dearest_first FROM products GROUP BY category_id ORDER BY category_id
----
SELECT (array_agg(name ORDER BY price DESC))[1:3] AS top FROM products
----
SELECT count(*) AS total, count(*) FILTER (WHERE price < 50) AS cheap, count(*) FILTER (WHERE price BETWEEN 50 AND 150) AS middle, count(*) FILTER (WHERE price > 150) AS dear FROM products
----
SELECT width_bucket(price, 0, 250, 10) AS bucket, count(*), min(price), max(price) FROM products GROUP BY bucket ORDER BY bucket
----
SELECT floor(price / 25) * 25 AS from_price, count(*) FROM products GROUP BY 1 ORDER BY 1
----
SELECT any_value_free.status FROM (SELECT status, row_number() OVER (PARTITION BY status) AS n FROM orders) any_value_free WHERE n = 1
----
--! since=16
SELECT category_id, any_value(name) FROM products GROUP BY category_id ORDER BY 1
----
SELECT s.country, count(DISTINCT s.id) AS suppliers, count(p.id) AS products FROM suppliers s LEFT JOIN products p ON p.supplier_id = s.id GROUP BY s.country ORDER BY s.country
----
SELECT sum(quantity * "unitPrice") FROM "Order Items"
----
SELECT "orderId", sum(quantity * "unitPrice" * (1 - "Discount %" / 100))::numeric(12,2) AS total FROM "Order Items" GROUP BY "orderId" ORDER BY total DESC LIMIT 5
----
SELECT "productId", sum(quantity) AS sold FROM "Order Items" GROUP BY "productId" ORDER BY sold DESC FETCH FIRST 10 ROWS WITH TIES
----
SELECT count(*), count(*) - count(company) AS people FROM customers
----
--! grouping sets, rollup, cube
SELECT status, date_trunc('year', placed_at) AS year, count(*) FROM orders GROUP BY ROLLUP (status, date_trunc('year', placed_at)) ORDER BY 1, 2
----
SELECT country, kind, count(*) FROM addresses GROUP BY CUBE (country, kind) ORDER BY 1, 2
----
SELECT country, kind, count(*), grouping(country, kind) AS g FROM addresses GROUP BY GROUPING SETS ((country), (kind), ()) ORDER BY g, 1, 2
----
SELECT CASE WHEN grouping(method) = 1 THEN 'all' ELSE method END AS method, sum(amount) FROM payments GROUP BY ROLLUP (method) ORDER BY 2
----
SELECT coalesce(warehouse, 'total') AS warehouse, sum(on_hand) FROM inventory GROUP BY GROUPING SETS ((warehouse), ()) ORDER BY 2
----
SELECT c.parent_id, p.category_id, count(*) FROM products p JOIN categories c ON c.id = p.category_id GROUP BY ROLLUP (c.parent_id, p.category_id) HAVING grouping(p.category_id) = 0 OR count(*) > 50 ORDER BY 1 NULLS LAST, 2 NULLS LAST
----
SELECT role, extract(year FROM hired_on) AS year, count(*) FROM employees GROUP BY DISTINCT ROLLUP (role), CUBE (role, extract(year FROM hired_on)) ORDER BY 1, 2
----
SELECT method, extract(dow FROM paid_at) AS weekday, sum(amount) FROM payments GROUP BY method, ROLLUP (extract(dow FROM paid_at)) ORDER BY 1, 2
----
--! window functions
SELECT id, placed_at, row_number() OVER (PARTITION BY customer_id ORDER BY placed_at) AS nth FROM orders ORDER BY id LIMIT 20
----
SELECT customer_id, placed_at, placed_at - lag(placed_at) OVER (PARTITION BY customer_id ORDER BY placed_at) AS since_last FROM orders ORDER BY customer_id, placed_at LIMIT 20
----
SELECT id, lead(placed_at, 1, placed_at) OVER (ORDER BY placed_at) FROM orders LIMIT 5
----
SELECT name, salary, rank() OVER w, dense_rank() OVER w, percent_rank() OVER w, cume_dist() OVER w FROM employees WINDOW w AS (ORDER BY salary DESC)
----
SELECT role, name, salary, salary - avg(salary) OVER (PARTITION BY role) AS from_average FROM employees ORDER BY role, salary
----
SELECT month, revenue, sum(revenue) OVER (ORDER BY month) AS so_far FROM monthly_revenue ORDER BY month
----
SELECT month, revenue, avg(revenue) OVER (ORDER BY month ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)::numeric(14,2) AS moving FROM monthly_revenue
----
SELECT month, revenue, revenue / nullif(lag(revenue) OVER (ORDER BY month), 0) - 1 AS growth FROM monthly_revenue ORDER BY month
----
SELECT month, revenue, revenue - lag(revenue, 12) OVER (ORDER BY month) AS against_last_year FROM monthly_revenue
----
SELECT id, price, ntile(4) OVER (ORDER BY price) AS quartile FROM products ORDER BY id LIMIT 12
----
SELECT name, price, first_value(name) OVER (PARTITION BY category_id ORDER BY price) AS cheapest, last_value(name) OVER (PARTITION BY category_id ORDER BY price ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS dearest FROM products LIMIT 10
----
SELECT id, nth_value(price, 2) OVER (PARTITION BY category_id ORDER BY price DESC RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM products LIMIT 10
----
SELECT day, n, sum(n) OVER (ORDER BY day RANGE BETWEEN interval '6 days' PRECEDING AND CURRENT ROW) AS week FROM (SELECT placed_at::date AS day, count(*) AS n FROM orders GROUP BY 1) x ORDER BY day LIMIT 20
----
SELECT id, amount, sum(amount) OVER (ORDER BY paid_at, id GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM payments LIMIT 10
----
SELECT id, amount, avg(amount) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 3 FOLLOWING EXCLUDE CURRENT ROW) FROM payments LIMIT 10
----
SELECT id, sum(amount) OVER (PARTITION BY method ORDER BY id ROWS UNBOUNDED PRECEDING EXCLUDE TIES) FROM payments ORDER BY id LIMIT 10
----
SELECT * FROM (SELECT p.*, row_number() OVER (PARTITION BY category_id ORDER BY price DESC, id) AS n FROM products p) x WHERE n <= 2 ORDER BY category_id, n
----
SELECT category_id, name, price FROM (SELECT *, rank() OVER (PARTITION BY category_id ORDER BY price DESC) AS r FROM products) ranked WHERE r = 1 ORDER BY 1
----
SELECT customer_id, sum(total) AS spent, sum(sum(total)) OVER (ORDER BY sum(total) DESC) / sum(sum(total)) OVER () AS share FROM order_totals GROUP BY customer_id ORDER BY spent DESC LIMIT 10
----
SELECT count(*) OVER (), max(price) OVER (), id FROM products LIMIT 3
----
SELECT employee_id, status, count(*), rank() OVER (PARTITION BY status ORDER BY count(*) DESC) FROM orders WHERE employee_id IS NOT NULL GROUP BY employee_id, status ORDER BY status, 4 LIMIT 10
----
SELECT id, count(*) FILTER (WHERE stars = 5) OVER (ORDER BY written_at) AS best_so_far FROM reviews ORDER BY id LIMIT 10
----
SELECT DISTINCT warehouse, percentile_cont FROM (SELECT warehouse, percentile_cont(0.5) WITHIN GROUP (ORDER BY on_hand) AS percentile_cont FROM inventory GROUP BY warehouse) x
----
SELECT id, string_agg(kind::text, '>') OVER (PARTITION BY "orderId" ORDER BY "happenedAt") AS path FROM "orderEvents" ORDER BY id LIMIT 10
----
SELECT id, array_agg(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM customers LIMIT 5
----
SELECT id, sum(stars) OVER w1 AS a, avg(stars) OVER (w1 ROWS 5 PRECEDING) AS b FROM reviews WINDOW w1 AS (ORDER BY id) LIMIT 5
----
SELECT c.name, p.name, row_number() OVER (PARTITION BY c.id ORDER BY p.price) FROM categories c JOIN products p ON p.category_id = c.id ORDER BY c.id, 3 LIMIT 10
----
--! statistics
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY price) AS median, percentile_disc(0.9) WITHIN GROUP (ORDER BY price) AS p90 FROM products
----
SELECT percentile_cont(ARRAY[0.25, 0.5, 0.75, 0.95]) WITHIN GROUP (ORDER BY total) FROM order_totals
----
SELECT mode() WITHIN GROUP (ORDER BY method) FROM payments
----
SELECT mode() WITHIN GROUP (ORDER BY status) FROM orders
----
SELECT stddev(price), stddev_pop(price), stddev_samp(price), variance(price), var_pop(price), var_samp(price) FROM products
----
SELECT corr(p.price, r.stars), covar_pop(p.price, r.stars), covar_samp(p.price, r.stars) FROM products p JOIN reviews r ON r.product_id = p.id
----
SELECT regr_slope(revenue, extract(epoch FROM month)), regr_intercept(revenue, extract(epoch FROM month)), regr_r2(revenue, extract(epoch FROM month)), regr_count(revenue, extract(epoch FROM month)) FROM monthly_revenue
----
SELECT regr_avgx(y, x), regr_avgy(y, x), regr_sxx(y, x), regr_syy(y, x), regr_sxy(y, x) FROM (VALUES (1.0::float8, 2.0::float8), (2, 4), (3, 7)) v(x, y)
----
SELECT rank(100) WITHIN GROUP (ORDER BY price), dense_rank(100) WITHIN GROUP (ORDER BY price), percent_rank(100) WITHIN GROUP (ORDER BY price), cume_dist(100) WITHIN GROUP (ORDER BY price) FROM products
----
SELECT (x - avg) / nullif(sd, 0) AS z FROM (SELECT price AS x, avg(price) OVER () AS avg, stddev(price) OVER () AS sd FROM products) s LIMIT 5
----
SELECT name, price FROM products, (SELECT avg(price) + 2 * stddev(price) AS bound FROM products) b WHERE price > bound ORDER BY price DESC
----
SELECT exp(avg(ln(price))) AS geometric_mean FROM products
----
SELECT sum(x * w) / sum(w) AS weighted FROM (SELECT stars AS x, length(coalesce(body, 'x')) AS w FROM reviews) r
----
SELECT product_id, avg(stars)::numeric(3,2) AS stars, count(*) AS n, (avg(stars) * count(*) + 3.5 * 10) / (count(*) + 10) AS bayesian FROM reviews GROUP BY product_id HAVING count(*) > 5 ORDER BY bayesian DESC LIMIT 10
----
SELECT id FROM products TABLESAMPLE system (50) LIMIT 5
----
SELECT avg(price) FROM products TABLESAMPLE bernoulli (20) REPEATABLE (42)
----
SELECT id, random() AS r FROM customers ORDER BY r LIMIT 5
----
SELECT power(avg(power(price, 2)), 0.5) AS quadratic_mean, sqrt(sum(price ^ 2)), |/ 25.0 AS root, ||/ 27.0 AS cube_root, @ -5 AS absolute FROM products
----
SELECT width_bucket(total, ARRAY[50, 100, 200, 500, 1000]::numeric[]) AS class, count(*) FROM order_totals GROUP BY 1 ORDER BY 1
----
--! joins
SELECT o.id, c.name, e.name AS sold_by FROM orders o JOIN customers c ON c.id = o.customer_id LEFT JOIN employees e ON e.id = o.employee_id ORDER BY o.id LIMIT 10
----
SELECT e.name, m.name AS boss FROM employees e LEFT JOIN employees m ON m.id = e.manager_id ORDER BY e.id
----
SELECT p.name FROM products p LEFT JOIN reviews r ON r.product_id = p.id WHERE r.id IS NULL
----
SELECT count(*) FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)
----
SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE status = 'returned') ORDER BY id LIMIT 5
----
SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders) ORDER BY id LIMIT 5
----
SELECT a.city, b.name FROM addresses a JOIN suppliers b USING (country) LIMIT 5
----
SELECT * FROM (SELECT id AS product_id, name FROM products) p NATURAL JOIN inventory LIMIT 5
----
SELECT p.id, i.warehouse, i.on_hand FROM products p CROSS JOIN (VALUES ('north'), ('south')) w(warehouse) LEFT JOIN inventory i ON i.product_id = p.id AND i.warehouse = w.warehouse ORDER BY 1, 2 LIMIT 6
----
SELECT coalesce(o.day, p.day) AS day, o.n AS orders, p.n AS payments FROM (SELECT placed_at::date AS day, count(*) AS n FROM orders GROUP BY 1) o FULL JOIN (SELECT paid_at::date AS day, count(*) AS n FROM payments GROUP BY 1) p USING (day) ORDER BY day LIMIT 10
----
SELECT o.id, sum(i.quantity) AS pieces, string_agg(p.sku, ' ' ORDER BY i.line) AS skus FROM orders o JOIN "Order Items" i ON i."orderId" = o.id JOIN products p ON p.id = i."productId" WHERE o.id < 20 GROUP BY o.id ORDER BY o.id
----
SELECT a."productId", b."productId" AS with_product, count(*) AS times FROM "Order Items" a JOIN "Order Items" b ON b."orderId" = a."orderId" AND a."productId" < b."productId" GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 10
----
SELECT s.carrier, a.country, count(*) FROM shipments s JOIN addresses a ON a.id = s.address_id JOIN orders o ON o.id = s.order_id WHERE o.placed_at >= '2023-06-01' GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 10
----
SELECT DISTINCT ON (customer_id) customer_id, id, placed_at FROM orders ORDER BY customer_id, placed_at DESC LIMIT 10
----
SELECT DISTINCT ON (category_id) category_id, name, price FROM products WHERE NOT retired ORDER BY category_id, price, id
----
SELECT p.name, r.stars FROM products p, reviews r WHERE p.id = r.product_id AND r.stars = 1 AND p.price > 200 ORDER BY 1 LIMIT 5
----
SELECT c.id, latest.* FROM customers c CROSS JOIN LATERAL (SELECT o.id AS order_id, o.placed_at FROM orders o WHERE o.customer_id = c.id ORDER BY o.placed_at DESC LIMIT 2) latest WHERE c.id < 10 ORDER BY 1, 3
----
SELECT c.name, s.spent FROM customers c LEFT JOIN LATERAL (SELECT sum(total) AS spent FROM order_totals t WHERE t.customer_id = c.id) s ON true ORDER BY s.spent DESC NULLS LAST LIMIT 5
----
SELECT x.id, y.tag FROM customers x, unnest(x.tags) AS y(tag) ORDER BY 1, 2 LIMIT 10
----
SELECT id, t.tag, t.position FROM customers LEFT JOIN LATERAL unnest(tags) WITH ORDINALITY AS t(tag, position) ON true ORDER BY id LIMIT 10
----
SELECT j.* FROM (orders o JOIN payments p ON p.order_id = o.id) j LIMIT 3
----
--! since=14
SELECT u.id FROM orders o JOIN payments u USING (id) AS j WHERE j.id < 5 ORDER BY 1
----
SELECT * FROM ROWS FROM (generate_series(1, 3), unnest(ARRAY['a', 'b'])) WITH ORDINALITY AS r(n, letter, ord)
----
--! set operations and VALUES
SELECT customer_id FROM orders UNION SELECT customer_id FROM reviews ORDER BY 1 LIMIT 10
----
SELECT product_id FROM reviews EXCEPT SELECT "productId" FROM "Order Items" ORDER BY 1
----
SELECT customer_id FROM orders INTERSECT SELECT customer_id FROM reviews ORDER BY 1 LIMIT 10
----
(SELECT 'dearest' AS what, name, price FROM products ORDER BY price DESC LIMIT 1) UNION ALL (SELECT 'cheapest', name, price FROM products ORDER BY price LIMIT 1)
----
SELECT 'orders' AS "table", count(*) FROM orders UNION ALL SELECT 'payments', count(*) FROM payments UNION ALL SELECT 'reviews', count(*) FROM reviews ORDER BY 2 DESC
----
SELECT id FROM orders WHERE status = 'paid' EXCEPT ALL SELECT order_id FROM payments LIMIT 5
----
SELECT country FROM suppliers INTERSECT ALL SELECT country FROM addresses
----
SELECT NULL AS id UNION SELECT 1 UNION SELECT 2.5 ORDER BY 1
----
VALUES (1, 'one'), (2, 'two'), (3, NULL)
----
SELECT v.label, count(*) FROM (VALUES (0, 50, 'low'), (50, 150, 'middle'), (150, 10000, 'high')) v(lo, hi, label) JOIN products p ON p.price >= v.lo AND p.price < v.hi GROUP BY v.label
----
SELECT (VALUES (1))
----
TABLE suppliers
----
(TABLE categories ORDER BY id LIMIT 3) UNION ALL TABLE categories LIMIT 5
----
SELECT * FROM (VALUES ('a'::text, 1), ('b', 2)) AS t(k, v) WHERE (k, v) IN (('a', 1), ('c', 3))
----
--! WITH, recursive too
WITH recent AS (SELECT * FROM orders WHERE placed_at > '2024-06-01') SELECT status, count(*) FROM recent GROUP BY status
----
WITH t AS MATERIALIZED (SELECT customer_id, sum(total) AS spent FROM order_totals GROUP BY 1), ranked AS (SELECT *, ntile(10) OVER (ORDER BY spent DESC) AS decile FROM t) SELECT decile, count(*), min(spent), max(spent), avg(spent)::numeric(12,2) FROM ranked GROUP BY decile ORDER BY decile
----
WITH RECURSIVE tree AS (SELECT id, name, parent_id, 1 AS depth, name::text AS path FROM categories WHERE parent_id IS NULL UNION ALL SELECT c.id, c.name, c.parent_id, t.depth + 1, t.path || ' / ' || c.name FROM categories c JOIN tree t ON c.parent_id = t.id) SELECT depth, path FROM tree ORDER BY path
----
WITH RECURSIVE boss AS (SELECT id, name, manager_id, ARRAY[id] AS chain FROM employees WHERE manager_id IS NULL UNION ALL SELECT e.id, e.name, e.manager_id, chain || e.id FROM employees e JOIN boss b ON e.manager_id = b.id) SELECT name, array_length(chain, 1) AS level, chain FROM boss ORDER BY chain
----
WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT sum(i), avg(i) FROM n
----
WITH RECURSIVE fib(a, b) AS (SELECT 0, 1 UNION ALL SELECT b, a + b FROM fib WHERE b < 1000) SELECT array_agg(a) FROM fib
----
--! since=14
WITH RECURSIVE t AS (SELECT id, parent_id, name FROM categories WHERE parent_id IS NULL UNION ALL SELECT c.id, c.parent_id, c.name FROM categories c JOIN t ON c.parent_id = t.id) SEARCH DEPTH FIRST BY name SET ord CYCLE id SET looped USING route SELECT id, name, looped FROM t ORDER BY ord
----
--! since=14
WITH RECURSIVE t AS (SELECT id, parent_id FROM categories WHERE parent_id IS NULL UNION ALL SELECT c.id, c.parent_id FROM categories c, t WHERE c.parent_id = t.id) SEARCH BREADTH FIRST BY id SET level SELECT * FROM t ORDER BY level
----
WITH RECURSIVE sub AS (SELECT id FROM categories WHERE name = 'Outdoor' UNION SELECT c.id FROM categories c JOIN sub ON c.parent_id = sub.id) SELECT count(*) FROM products WHERE category_id IN (SELECT id FROM sub)
----
WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS y FROM a), c AS (SELECT x, y FROM a, b) SELECT * FROM c
----
WITH RECURSIVE digits AS (SELECT 12345 AS rest, 0 AS s UNION ALL SELECT rest / 10, s + rest % 10 FROM digits WHERE rest > 0) SELECT max(s) FROM digits
----
WITH outermost AS (WITH innermost AS (SELECT id FROM customers LIMIT 3) SELECT * FROM innermost) SELECT count(*) FROM outermost
----
WITH RECURSIVE walk(day) AS (SELECT date '2024-01-01' UNION ALL SELECT day + 1 FROM walk WHERE day < date '2024-01-31') SELECT w.day, count(o.id) FROM walk w LEFT JOIN orders o ON o.placed_at::date = w.day GROUP BY w.day ORDER BY w.day
----
--! JSON
SELECT preferences ->> 'language' AS language, count(*) FROM customers GROUP BY 1 ORDER BY 2 DESC
----
SELECT preferences -> 'currency', preferences #>> '{language}', preferences #> '{language}' FROM customers LIMIT 3
----
SELECT count(*) FROM customers WHERE preferences @> '{"currency": "USD"}'
----
SELECT count(*) FROM customers WHERE preferences ? 'language' AND preferences ?| ARRAY['a', 'currency'] AND preferences ?& ARRAY['language', 'currency']
----
SELECT '{"a": 1}'::jsonb <@ '{"a": 1, "b": 2}'::jsonb
----
SELECT id, attributes ->> 'colour' AS colour, (attributes ->> 'grams')::int AS grams FROM products WHERE (attributes ->> 'grams')::int > 5000 ORDER BY grams DESC LIMIT 5
----
SELECT attributes -> 'materials' -> 0, attributes #>> '{materials,1}' FROM products LIMIT 3
----
SELECT attributes['colour'], attributes['materials'][1] FROM products LIMIT 3
----
SELECT p.id, m.value FROM products p, jsonb_array_elements(p.attributes -> 'materials') m LIMIT 5
----
SELECT p.id, m FROM products p CROSS JOIN LATERAL jsonb_array_elements_text(p.attributes -> 'materials') AS m LIMIT 5
----
SELECT key, count(*) FROM customers, jsonb_each(preferences) GROUP BY key
----
SELECT key, value, count(*) FROM customers, jsonb_each_text(preferences) GROUP BY key, value ORDER BY 3 DESC
----
SELECT DISTINCT jsonb_object_keys(attributes) FROM products
----
SELECT jsonb_build_object('id', id, 'name', name, 'tags', tags) FROM customers LIMIT 3
----
SELECT json_build_object('n', count(*), 'total', sum(amount)) FROM payments
----
SELECT jsonb_agg(jsonb_build_object('sku', sku, 'price', price) ORDER BY price DESC) FROM products WHERE id < 5
----
SELECT json_agg(row_to_json(s)) FROM (SELECT id, name FROM suppliers LIMIT 3) s
----
SELECT to_jsonb(c) - 'preferences' - 'tags' FROM customers c LIMIT 2
----
SELECT jsonb_object_agg(status, n) FROM (SELECT status::text, count(*) AS n FROM orders GROUP BY 1) x
----
SELECT json_object_agg(name, price) FROM products WHERE id < 4
----
SELECT jsonb_set(preferences, '{language}', '"pt"') FROM customers LIMIT 1
----
SELECT jsonb_insert('{"a": [1, 2]}', '{a,1}', '9'), jsonb_strip_nulls('{"a": null, "b": 1}')
----
SELECT preferences || '{"theme": "dark"}' FROM customers LIMIT 1
----
SELECT attributes #- '{materials,0}' FROM products LIMIT 1
----
SELECT jsonb_pretty(attributes) FROM products LIMIT 1
----
SELECT jsonb_typeof(attributes -> 'grams'), jsonb_array_length(attributes -> 'materials') FROM products LIMIT 1
----
SELECT count(*) FROM products WHERE attributes @? '$.grams ? (@ > 5000)'
----
SELECT count(*) FROM products WHERE attributes @@ '$.grams > 5000'
----
SELECT jsonb_path_query(attributes, '$.materials[*]') FROM products LIMIT 3
----
SELECT jsonb_path_query_array(attributes, '$.materials[*] ? (@ like_regex "^m")') FROM products LIMIT 3
----
SELECT jsonb_path_exists(attributes, '$.colour ? (@ == $c)', '{"c": "red"}') FROM products LIMIT 3
----
SELECT jsonb_path_query_first(payload, '$.by') FROM "orderEvents" LIMIT 3
----
SELECT jsonb_path_match('{"a": 5}', '$.a > 3'), jsonb_path_query_tz('["2024-01-01"]', '$[*].datetime()')
----
SELECT * FROM jsonb_to_recordset('[{"a": 1, "b": "x"}, {"a": 2}]') AS t(a int, b text)
----
SELECT * FROM json_to_record('{"a": 1, "b": [1, 2]}') AS t(a numeric, b int[])
----
SELECT (jsonb_populate_record(NULL::suppliers, '{"id": 1, "name": "x", "country": "DE"}')).name
----
SELECT payload ->> 'by' AS channel, count(*), avg((payload ->> 'step')::numeric) FROM "orderEvents" GROUP BY 1
----
SELECT json_array_elements('[1, "a", null]'), json_typeof('{}'), json_array_length('[1, 2]')
----
SELECT array_to_json(ARRAY[[1, 2], [3, 4]]), row_to_json(ROW(1, 'x')), to_json(now()::date)
----
SELECT json_each_text('{"a": 1}'), jsonb_exists('{"a": 1}', 'a')
----
SELECT (attributes -> 'grams')::numeric / 1000 AS kg, (attributes -> 'colour')::text FROM products LIMIT 2
----
SELECT cast(preferences AS text), preferences::json FROM customers LIMIT 1
----
SELECT jsonb_concat('{"a": 1}', '{"b": 2}'), jsonb_delete('{"a": 1}', 'a'), jsonb_extract_path_text('{"a": {"b": 1}}', 'a', 'b')
----
SELECT '[1, 2, 3]'::jsonb - 1, '["a", "b"]'::jsonb - 'a', '{"a": 1, "b": 2}'::jsonb - ARRAY['a', 'b']
----
SELECT json_strip_nulls('{"a": null}'), json_object('{a,1,b,2}'), json_object('{a,b}', '{1,2}')
----
--! since=16
SELECT JSON_OBJECT('id' : id, 'name' : name) FROM customers LIMIT 2
----
--! since=16
SELECT JSON_ARRAY(1, 'a', NULL NULL ON NULL), JSON_ARRAYAGG(id ORDER BY id) FROM customers WHERE id < 4
----
--! since=16
SELECT JSON_OBJECTAGG(k : v ABSENT ON NULL) FROM (VALUES ('a', 1), ('b', NULL)) t(k, v)
----
--! since=16
SELECT '{"a": 1}' IS JSON OBJECT, '[1]' IS JSON ARRAY, '1' IS JSON SCALAR, 'x' IS NOT JSON
----
--! since=17
SELECT JSON_VALUE(preferences, '$.language'), JSON_QUERY(attributes, '$.materials' WITH WRAPPER), JSON_EXISTS(attributes, '$.grams') FROM customers, products LIMIT 2
----
--! since=17
SELECT p.id, t.* FROM products p, JSON_TABLE(p.attributes, '$' COLUMNS (colour text PATH '$.colour', grams int PATH '$.grams', NESTED PATH '$.materials[*]' COLUMNS (m text PATH '$'))) t LIMIT 5
----
--! since=17
SELECT JSON_VALUE('{"a": "5"}', '$.a' RETURNING int DEFAULT 0 ON EMPTY), JSON('{"a": 1}'), JSON_SCALAR(5), JSON_SERIALIZE('{"a": 1}' RETURNING text)
----
--! arrays
SELECT tags, cardinality(tags), array_length(tags, 1), array_ndims(tags), array_dims(tags) FROM customers LIMIT 5
----
SELECT count(*) FROM customers WHERE 'vip' = ANY (tags)
----
SELECT count(*) FROM customers WHERE tags @> ARRAY['vip'] OR tags && ARRAY['new']
----
SELECT count(*) FROM customers WHERE tags <@ ARRAY['vip', 'b2b', 'new'] AND tags <> '{}'
----
SELECT count(*) FROM customers WHERE NOT ('x' = ANY (tags)) AND 'y' <> ALL (tags)
----
SELECT tag, count(*) FROM customers, unnest(tags) tag GROUP BY tag ORDER BY 2 DESC
----
SELECT array_append(tags, 'x'), array_prepend('y', tags), array_cat(tags, ARRAY['z']), tags || 'q'::text, 'r'::text || tags FROM customers LIMIT 2
----
SELECT array_remove(tags, 'b2b'), array_replace(tags, 'vip', 'gold'), array_position(tags, 'b2b'), array_positions(ARRAY[1, 2, 1], 1) FROM customers LIMIT 4
----
SELECT array_to_string(tags, ', '), array_to_string(ARRAY[1, NULL, 3], ',', '-'), string_to_array('a,b,c', ',') FROM customers LIMIT 2
----
SELECT ARRAY(SELECT name FROM categories WHERE parent_id IS NULL ORDER BY 1)
----
SELECT ARRAY[1, 2, 3] || 4, 0 || ARRAY[1], ARRAY[1, 2] || ARRAY[3], (ARRAY[[1, 2], [3, 4]])[2][1]
----
SELECT (ARRAY[1, 2, 3, 4])[2:3], (ARRAY[1, 2, 3])[:2], ('{{1,2},{3,4}}'::int[])[1:1][2:2]
----
SELECT array_agg(DISTINCT status ORDER BY status) FROM orders
----
SELECT array_fill(0, ARRAY[2, 3]), array_upper(ARRAY[5, 6], 1), array_lower('[2:3]={1,2}'::int[], 1)
----
SELECT unnest(ARRAY[1, 2]), unnest(ARRAY['a', 'b', 'c'])
----
SELECT * FROM unnest(ARRAY[1, 2], ARRAY['a', 'b']) AS u(n, s)
----
SELECT generate_subscripts(ARRAY[7, 8, 9], 1) AS i
----
SELECT p.id, s.size FROM products p, unnest(p.sizes) AS s(size) WHERE cardinality(p.sizes) > 0 LIMIT 6
----
SELECT ARRAY[1, 2, 3] = ARRAY[1, 2, 3], ARRAY[1, 2] < ARRAY[1, 3], ARRAY[3, 1] @> ARRAY[1]
----
SELECT 5 = ANY ('{1,5,7}'::int[]), 5 > ALL (ARRAY[1, 2]), 3 = ANY (SELECT parent_id FROM categories)
----
SELECT array_agg(ARRAY[id, category_id]) FROM products WHERE id < 4
----
SELECT max(sizes), min(sizes) FROM products
----
--! since=14
SELECT trim_array(ARRAY[1, 2, 3], 1), string_to_table('a-b', '-')
----
--! since=16
SELECT array_shuffle(ARRAY[1, 2, 3]), array_sample(ARRAY[1, 2, 3], 2)
----
--! since=18
SELECT array_sort(ARRAY[3, 1, 2]), array_reverse(ARRAY[1, 2])
----
SELECT ARRAY[]::text[], '{}'::int[] = ARRAY[]::int[], NULL::int[] IS NULL
----
SELECT tags::text, tags::varchar[], string_to_array(array_to_string(tags, ' '), ' ') FROM customers LIMIT 1
----
--! ranges and multiranges
SELECT int4range(1, 10) @> 5, int4range(1, 10) && int4range(8, 20), int4range(1, 5) -|- int4range(5, 8)
----
SELECT lower(r), upper(r), lower_inc(r), upper_inc(r), lower_inf(r), isempty(r) FROM (SELECT numrange(1.5, 9.5, '[]') AS r) x
----
SELECT tstzrange(sent_at, arrived_at) AS on_the_way FROM shipments WHERE arrived_at IS NOT NULL LIMIT 3
----
SELECT count(*) FROM shipments WHERE tstzrange(sent_at, arrived_at) @> timestamptz '2024-03-01 12:00+00'
----
SELECT a.id, b.id FROM shipments a JOIN shipments b ON a.id < b.id AND tstzrange(a.sent_at, a.arrived_at) && tstzrange(b.sent_at, b.arrived_at) WHERE a.id < 5 LIMIT 5
----
SELECT daterange('2024-01-01', '2024-02-01') * daterange('2024-01-15', '2024-03-01'), daterange('2024-01-01', '2024-02-01') + daterange('2024-01-15', '2024-03-01'), int4range(1, 10) - int4range(5, 20)
----
SELECT int8range(1, 5) << int8range(7, 9), int8range(7, 9) >> int8range(1, 5), int8range(1, 5) &< int8range(3, 9), range_merge(int4range(1, 2), int4range(8, 9))
----
SELECT '[2024-01-01, 2024-01-31]'::daterange, '(,5)'::int4range, 'empty'::int4range, tsrange('2024-01-01', NULL)
----
SELECT 3 <@ int4range(1, 5), int4range(2, 3) <@ int4range(1, 5), date '2024-01-05' <@ daterange('2024-01-01', '2024-02-01')
----
SELECT numrange(0, 50) AS band, count(*) FROM products WHERE price <@ numrange(0, 50) GROUP BY 1
----
--! since=14
SELECT '{[1,3), [5,8)}'::int4multirange, int4multirange(int4range(1, 3), int4range(7, 9)) @> 2
----
--! since=14
SELECT range_agg(daterange(placed_at::date, placed_at::date + 1)) FROM orders WHERE id < 50
----
--! since=14
SELECT unnest('{[1,3), [5,8)}'::int4multirange), '{[1,5)}'::int4multirange - '{[2,3)}'::int4multirange
----
--! since=14
SELECT upper(m), lower(m), range_merge(m), isempty(m) FROM (SELECT nummultirange(numrange(1, 2), numrange(5, 6)) AS m) x
----
--! since=14
SELECT range_intersect_agg(int4range(a, b)) FROM (VALUES (1, 10), (5, 20)) v(a, b)
----
SELECT (x).a FROM (SELECT NULL::daterange AS a, 1 AS b) AS x
----
--! dates and times
SELECT now(), current_date, current_timestamp, localtime, localtimestamp, current_time
----
SELECT clock_timestamp() > statement_timestamp(), transaction_timestamp() = now(), timeofday() IS NOT NULL
----
SELECT date_trunc('hour', now()), date_trunc('day', placed_at, 'Europe/Vienna') FROM orders LIMIT 2
----
SELECT extract(epoch FROM now() - placed_at) / 86400 AS days_ago FROM orders LIMIT 3
----
SELECT date_part('dow', placed_at), extract(isodow FROM placed_at), extract(week FROM placed_at), extract(doy FROM placed_at) FROM orders LIMIT 3
----
SELECT placed_at AT TIME ZONE 'America/New_York', (placed_at AT TIME ZONE 'UTC')::date FROM orders LIMIT 3
----
SELECT age(timestamp '2024-05-17', timestamp '2020-02-29'), age(placed_at) FROM orders LIMIT 1
----
SELECT date '2024-01-31' + interval '1 month', date '2024-03-01' - 1, date '2024-03-01' - date '2024-02-01', timestamp '2024-01-01' + time '10:30'
----
SELECT interval '1 day 02:03:04' * 2, interval '1 month' / 3, justify_days(interval '35 days'), justify_hours(interval '30 hours'), justify_interval(interval '1 mon -1 hour')
----
SELECT make_date(2024, 2, 29), make_time(8, 15, 23.5), make_timestamp(2024, 1, 1, 0, 0, 0), make_timestamptz(2024, 1, 1, 0, 0, 0, 'UTC'), make_interval(days => 10, hours => 3)
----
SELECT to_timestamp(1704067200), to_timestamp('05 Dec 2000', 'DD Mon YYYY'), to_date('2024-06', 'YYYY-MM')
----
SELECT to_char(placed_at, 'YYYY-MM-DD HH24:MI:SS'), to_char(placed_at, 'Day, DD Month'), to_char(interval '15h 2m', 'HH24:MI') FROM orders LIMIT 2
----
SELECT (date '2024-01-01', date '2024-02-01') OVERLAPS (date '2024-01-15', interval '1 month')
----
SELECT d::date FROM generate_series('2024-01-01'::date, '2024-01-07', '1 day') d
----
SELECT d::date AS day, count(o.id) FROM generate_series(date '2024-01-01', date '2024-01-31', interval '1 day') d LEFT JOIN orders o ON o.placed_at >= d AND o.placed_at < d + interval '1 day' GROUP BY 1 ORDER BY 1
----
SELECT generate_series(timestamptz '2024-03-30 00:00+00', timestamptz '2024-04-01 00:00+00', '6 hours')
----
SELECT date_bin('15 minutes', placed_at, timestamptz '2024-01-01') AS slot, count(*) FROM orders GROUP BY 1 ORDER BY 1 LIMIT 5
----
SELECT isfinite(date 'infinity'), date 'epoch', timestamp 'now' IS NOT NULL, 'yesterday'::date < 'today'::date
----
SELECT placed_at::time, placed_at::date, placed_at::timestamp FROM orders LIMIT 2
----
SELECT extract(hour FROM placed_at) AS hour, count(*) FROM orders GROUP BY 1 ORDER BY 1
----
SELECT to_char(placed_at, 'IYYY-IW') AS iso_week, count(*) FROM orders GROUP BY 1 ORDER BY 1 LIMIT 5
----
SELECT count(*) FROM orders WHERE placed_at >= date_trunc('month', timestamptz '2024-05-20') - interval '1 month' AND placed_at < date_trunc('month', timestamptz '2024-05-20')
----
SELECT count(*) FROM orders WHERE placed_at BETWEEN '2024-01-01' AND '2024-03-31 23:59:59'
----
SELECT count(*) FROM orders WHERE placed_at::date = '2023-05-05' OR date_trunc('day', placed_at) = timestamptz '2023-05-06'
----
SELECT avg(lead_time), max(lead_time), sum(lead_time), extract(day FROM avg(lead_time)) FROM suppliers
----
SELECT name, hired_on, date_part('year', age(date '2024-12-31', hired_on)) AS years FROM employees ORDER BY hired_on LIMIT 5
----
SELECT timezone('UTC', now()), now() AT TIME ZONE interval '-02:00', timetz '12:00+02' AT TIME ZONE 'UTC'
----
SELECT interval '1 year 2 months'::text, '2 days'::interval > '40 hours'::interval, -interval '1 day', interval 'P1Y2M3DT4H'
----
SELECT date_trunc('quarter', placed_at) AS q, count(DISTINCT customer_id) FROM orders GROUP BY q ORDER BY q
----
SELECT name, abbrev, utc_offset FROM pg_timezone_names WHERE name LIKE 'Europe/B%' ORDER BY name
----
SELECT last_day FROM (SELECT (date_trunc('month', d) + interval '1 month - 1 day')::date AS last_day FROM generate_series(date '2024-01-01', date '2024-12-01', interval '1 month') d) x
----
--! since=16
SELECT date_add(timestamptz '2024-01-01', '1 day', 'Europe/Vienna'), date_subtract(now(), '1 hour')
----
SELECT timestamp with time zone '2024-01-01 00:00+00', time without time zone '10:00', timestamp(0) '2024-01-01 10:00:00.6', interval '3' day, interval '1-2' year to month
----
--! strings
SELECT upper(name), lower(name), initcap(lower(name)), length(name), char_length(name), octet_length(name) FROM customers LIMIT 3
----
SELECT substring(sku FROM 5), substring(sku FROM 5 FOR 3), substring(sku, 1, 3), substr(sku, 2), left(sku, 3), right(sku, -3) FROM products LIMIT 3
----
SELECT position('@' IN email), strpos(email, '@'), split_part(email, '@', 2), overlay(email PLACING 'xx' FROM 1 FOR 2) FROM customers LIMIT 3
----
SELECT trim('  x '), ltrim('xxa', 'x'), rtrim('axx', 'x'), btrim('xax', 'x'), trim(BOTH 'x' FROM 'xax'), trim(LEADING FROM ' a')
----
SELECT lpad(id::text, 6, '0'), rpad(name, 30, '.'), repeat('ab', 3), reverse(name) FROM customers LIMIT 2
----
SELECT replace(name, ' ', '_'), translate(name, 'aeiou', 'AEIOU'), concat(id, ': ', name, NULL), concat_ws(', ', name, company, email) FROM customers LIMIT 2
----
SELECT format('%s has %L and %I', name, email, 'Order Items'), format('%2$s %1$s', 'a', 'b'), format('|%10s|%-10s|', 'x', 'y') FROM customers LIMIT 1
----
SELECT name || ' <' || email || '>' AS contact FROM customers LIMIT 2
----
SELECT ascii('A'), chr(65), md5(name), to_hex(255), encode('abc'::bytea, 'hex'), decode('YWJj', 'base64') FROM customers LIMIT 1
----
SELECT sha256('abc'), sha512('x'::bytea), encode(sha224('a'), 'base64'), hashtext('a') IS NOT NULL
----
SELECT quote_ident('Order Items'), quote_literal('it''s'), quote_nullable(NULL), quote_literal(42)
----
SELECT name FROM customers WHERE name ILIKE 'ada%' ORDER BY name LIMIT 5
----
SELECT name FROM products WHERE name LIKE '%Lamp%' AND name NOT LIKE 'Oak%' ESCAPE '!' LIMIT 5
----
SELECT name FROM products WHERE name SIMILAR TO '(Oak|Felt)%' LIMIT 5
----
SELECT name FROM customers WHERE name LIKE ANY (ARRAY['Ada%', 'Ben%']) LIMIT 5
----
SELECT starts_with(name, 'Ada'), name ^@ 'Ada' FROM customers LIMIT 2
----
SELECT email ~ '^customer\d+@', email ~* 'EXAMPLE', email !~ 'x$', email !~* 'y' FROM customers LIMIT 2
----
SELECT regexp_replace(email, '\d+', '#'), regexp_replace(name, '(\w+) (\w+)', '\2, \1', 'g') FROM customers LIMIT 2
----
SELECT regexp_matches(email, '(\w+)@(\w+)'), regexp_match(email, '\d+') FROM customers LIMIT 2
----
SELECT regexp_split_to_array(name, '\s+'), regexp_split_to_table('a b', ' ') FROM customers LIMIT 2
----
SELECT substring(email FROM '\d+'), substring(email, '@(.*)$'), substring(name SIMILAR '%#"[A-Z]#"%' ESCAPE '#') FROM customers LIMIT 2
----
--! since=15
SELECT regexp_count(name, 'a'), regexp_instr(name, 'a'), regexp_like(name, '^A'), regexp_substr(name, '[A-Z]\w+') FROM customers LIMIT 2
----
SELECT string_agg(initial, '' ORDER BY n) FROM (SELECT left(w, 1) AS initial, n FROM regexp_split_to_table('Free And Open', ' ') WITH ORDINALITY t(w, n)) x
----
SELECT E'tab\there', U&'\0041', $$it's$$, $q$a $$ b$q$, 'con'
'tinued', N'x', B'101', X'1F'
----
SELECT 'a' < 'b', 'a' COLLATE "C" < 'B', name COLLATE "C" FROM customers ORDER BY name COLLATE "C" LIMIT 2
----
SELECT normalize('e' || U&'\0301'), 'x' IS NORMALIZED, unistr('\0041'), parse_ident('shop.orders')
----
SELECT convert_from('\x616263'::bytea, 'UTF8'), convert_to('abc', 'LATIN1'), to_ascii('x', 'LATIN1'), bit_length('abc')
----
SELECT name::varchar(5), name::char(3), cast(id AS varchar), 'x'::"char", name::name FROM customers LIMIT 2
----
SELECT string_to_array(email, '@') AS parts, (string_to_array(email, '@'))[2] AS domain FROM customers LIMIT 2
----
SELECT split_part(email, '@', 2) AS domain, count(*) FROM customers GROUP BY 1
----
SELECT length('héllo'), octet_length('héllo'), upper('straße'), 'Ünïcode' ~ '^\w+$'
----
SELECT get_byte('\x0102'::bytea, 1), set_byte('\x00'::bytea, 0, 5), get_bit('\x01'::bytea, 0), '\x01'::bytea || '\x02'::bytea, substring('\x0102'::bytea FROM 1 FOR 1)
----
SELECT string_agg(sku, E'\n') FROM products WHERE id < 4
----
SELECT soundex FROM (SELECT 'x' AS soundex) t
----
--! full-text search
SELECT to_tsvector('english', body) FROM reviews WHERE body IS NOT NULL LIMIT 2
----
SELECT count(*) FROM reviews WHERE to_tsvector('english', body) @@ to_tsquery('english', 'pictured | late')
----
SELECT id, ts_rank(to_tsvector('english', body), q) AS rank FROM reviews, plainto_tsquery('english', 'buy again') q WHERE to_tsvector('english', body) @@ q ORDER BY rank DESC, id LIMIT 5
----
SELECT ts_headline('english', body, websearch_to_tsquery('english', '"well packed" -late')) FROM reviews WHERE body IS NOT NULL LIMIT 2
----
SELECT phraseto_tsquery('simple', 'a b'), to_tsquery('a & b') || to_tsquery('c'), !! to_tsquery('a'), to_tsquery('a') <-> to_tsquery('b')
----
SELECT setweight(to_tsvector('simple', name), 'A') || setweight(to_tsvector('simple', sku), 'B') FROM products LIMIT 2
----
SELECT ts_rank_cd(to_tsvector('a b c'), 'a & c'), numnode('a & b'::tsquery), querytree('a & !b'::tsquery), strip('a:1 b:2'::tsvector)
----
SELECT tsvector_to_array(to_tsvector('simple', 'x y')), array_to_tsvector(ARRAY['a', 'b']), ts_delete('a:1 b:2'::tsvector, 'a'), ts_filter('a:1A b:2B'::tsvector, '{a}')
----
SELECT * FROM unnest(to_tsvector('english', 'quick foxes'))
----
SELECT * FROM ts_debug('english', 'Foxes run') LIMIT 3
----
SELECT alias, token FROM ts_parse('default', 'foo bar') p JOIN ts_token_type('default') t USING (tokid)
----
SELECT ts_lexize('english_stem', 'stars'), get_current_ts_config(), 'english'::regconfig
----
SELECT jsonb_to_tsvector('english', '{"a": "foxes"}', '["string"]'), to_tsvector('{"a": "x"}'::jsonb), 'a b'::tsvector @@ 'a'::tsquery
----
SELECT tsquery_phrase(to_tsquery('a'), to_tsquery('b'), 2), 'a'::tsquery && 'b', 'a & b'::tsquery @> 'a', ts_rewrite('a & b'::tsquery, 'a', 'c')
----
--! numbers
SELECT round(price), round(price, 1), trunc(price, 1), ceil(price), ceiling(price), floor(price), sign(price), abs(-price) FROM products LIMIT 2
----
SELECT 7 / 2, 7 % 2, 7.0 / 2, 2 ^ 10, mod(7, 3), div(7, 2), -7 / 2, 5 & 3, 5 | 3, 5 # 3, ~5, 1 << 4, 256 >> 2
----
SELECT sqrt(2), cbrt(27), exp(1), ln(10), log(100), log(2, 8), power(2, 3), pi(), degrees(pi()), radians(180)
----
SELECT sin(0), cos(0), tan(0), asin(0), acos(1), atan(1), atan2(1, 1), cot(1), sind(30), cosd(60), sinh(0), cosh(0), tanh(0)
----
SELECT greatest(1, 2, 3), least(1, 2, NULL), coalesce(NULL, 5), nullif(1, 1), num_nulls(1, NULL), num_nonnulls(1, NULL)
----
SELECT gcd(12, 18), lcm(4, 6), factorial(5), scale(1.20), min_scale(1.20), trim_scale(1.20)
----
SELECT to_char(price, 'FM999G990D00'), to_char(price, 'L999D99'), to_char(id, 'RN'), to_char(-5, 'S99'), to_char(0.5, '90D0%') FROM products LIMIT 2
----
SELECT to_number('1,234.5', '9G999D9'), '1e3'::float8, 'NaN'::numeric, 'Infinity'::float8, 1::bit(4), 5::money, '12.5'::money * 2
----
SELECT sum(amount)::money, avg(amount)::money, sum(amount)::money::numeric FROM payments
----
SELECT 1::smallint + 1::bigint, 1::real + 1::numeric, 1.5::int, '5'::int + 1, 5::float4 / 3, 10::numeric(5, 2)
----
SELECT random() < 1, width_bucket(5, 0, 10, 5), setseed FROM (SELECT 1 AS setseed) x
----
--! since=16
SELECT 1_000_000, 0xFF, 0b101, 0o17, erf(0.5)
----
SELECT 5::bit(8), B'1010' & B'0110', B'1010' | B'0110', B'1010' # B'0110', ~B'1010', B'1010' << 1, length(B'101'), substring(B'1011' FROM 2 FOR 2), get_bit(B'101', 0), B'10' || B'01', B'101'::int, '101'::varbit
----
--! since=14
SELECT bit_count(B'1011'), bit_xor(stars) FROM reviews
----
SELECT sum(n) FROM generate_series(1, 100) n WHERE n % 3 = 0 OR n % 5 = 0
----
SELECT n, n * n AS square, sum(n) OVER (ORDER BY n) AS triangle FROM generate_series(1, 10) AS g(n)
----
SELECT generate_series(1, 10, 3), generate_series(10, 1, -3)
----
SELECT generate_series(0.0, 1.0, 0.25), generate_series(1::bigint, 3)
----
SELECT avg(n), sum(n::bigint), avg(n::float8), sum(n::numeric) FROM generate_series(1, 5) n
----
SELECT price::int, price::text, price::float8, price::bigint, price::numeric(10, 1) FROM products LIMIT 1
----
SELECT int4(5.5), float8(3), "numeric"(3), text('x'::varchar), int8(7), int2(5), date(timestamp '2024-01-01 10:00')
----
SELECT 0.1 + 0.2 = 0.3, 0.1::float8 + 0.2::float8 = 0.3::float8, 1 / 3.0, 1e2, .5, 5.
----
SELECT md5(random()::text) IS NOT NULL, floor(random() * 10)::int < 10, hashint4(5)
----
--! conditions
SELECT CASE WHEN total < 100 THEN 'small' WHEN total < 500 THEN 'middle' ELSE 'large' END AS size, count(*) FROM order_totals GROUP BY 1
----
SELECT CASE status WHEN 'paid' THEN 1 WHEN 'shipped' THEN 2 ELSE 0 END FROM orders LIMIT 3
----
SELECT id FROM customers WHERE company IS NULL AND newsletter IS TRUE AND (newsletter IS NOT FALSE) ORDER BY id LIMIT 3
----
SELECT id FROM orders WHERE employee_id IS DISTINCT FROM 12 AND invoice IS NOT DISTINCT FROM NULL LIMIT 3
----
SELECT id FROM orders WHERE (customer_id, status) = (5, 'paid') OR (customer_id, id) > (2995, 1) LIMIT 3
----
SELECT id FROM orders WHERE (customer_id, status) IN (SELECT customer_id, 'paid'::order_status FROM reviews) LIMIT 3
----
SELECT id FROM products WHERE price > ALL (SELECT avg(price) FROM products GROUP BY category_id) LIMIT 3
----
SELECT id FROM products p WHERE price > (SELECT avg(price) FROM products q WHERE q.category_id = p.category_id) ORDER BY id LIMIT 3
----
SELECT id, price BETWEEN 10 AND 20, price NOT BETWEEN SYMMETRIC 20 AND 10 FROM products LIMIT 3
----
SELECT ROW(1, NULL) IS NULL, ROW(NULL, NULL) IS NULL, ROW(1, 2) = ROW(1, 2), (1, 2) < (1, 3), ROW(1, 'a') IS DISTINCT FROM ROW(1, 'b')
----
SELECT true AND NOT false OR NULL IS UNKNOWN, true = 'yes', 't'::boolean, 1::boolean, 'off'::bool
----
SELECT status, status > 'placed', status::text, enum_range(NULL::order_status), enum_first(status), enum_last(status) FROM orders LIMIT 1
----
SELECT status FROM orders WHERE status IN ('paid', 'shipped') AND status <> 'returned' AND status >= 'paid' LIMIT 3
----
SELECT min(status), max(status) FROM orders
----
SELECT id FROM orders ORDER BY status DESC, placed_at NULLS FIRST, id OFFSET 10 LIMIT 5
----
SELECT id FROM orders ORDER BY CASE WHEN status = 'paid' THEN 0 ELSE 1 END, id LIMIT 3
----
SELECT name AS n FROM products ORDER BY n LIMIT 2
----
SELECT category_id % 3 AS m, count(*) FROM products GROUP BY category_id % 3 HAVING bool_or(retired) ORDER BY m
----
SELECT EXISTS (SELECT FROM orders WHERE status = 'basket'), NOT EXISTS (SELECT 1 FROM orders WHERE id < 0)
----
SELECT COALESCE(company, name) AS who, NULLIF(company, '') FROM customers LIMIT 2
----
--! casts
SELECT '42'::int, '42'::bigint, '4.2'::numeric, '4.2'::real, '1'::smallint, 'true'::boolean, '2024-01-01'::date, '10:00'::time, '1 day'::interval
----
SELECT '{1,2}'::int[], '{a,b}'::text[], '(1,2)'::point, '[1,5)'::int4range, '{"a": 1}'::json, '<a/>'::xml, 'a:1'::tsvector, 'a & b'::tsquery
----
SELECT '10.0.0.1'::inet, '10.0.0.0/8'::cidr, '08:00:2b:01:02:03'::macaddr, 'f'::"char", '\x00'::bytea, '101'::bit(3), '$5.00'::money, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
----
SELECT 'orders'::regclass, 'shop.order_status'::regtype, 'now()'::regprocedure, 'now'::regproc, '+(integer,integer)'::regoperator, 'shop'::regnamespace, 'demo'::regrole IS NOT NULL, 'english'::regconfig
----
SELECT 'orders'::regclass::oid::bigint > 0, 16384::regclass IS NOT NULL, to_regclass('nothing'), to_regtype('int4')
----
SELECT CAST(5 AS text), CAST('5' AS integer), CAST(NULL AS numeric), CAST(price AS double precision), CAST(placed_at AS date) FROM products, orders LIMIT 1
----
SELECT date '2024-01-01', timestamp '2024-01-01 10:00', time '10:00', interval '1 day', numeric '5.5', bool 't', int4 '5', json '{}', point '(1,2)', uuid 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'
----
SELECT id::text::integer::bigint::numeric::text FROM orders LIMIT 1
----
SELECT (1, 'a')::text, ROW(1, 2)::text, customers::text FROM customers LIMIT 1
----
SELECT 'paid'::order_status, 'paid'::shop.order_status, '{paid,shipped}'::order_status[], cast('paid' AS shop.order_status)
----
SELECT 65::"char", 'abc'::char(2), 'abc'::varchar(2), 'abc'::bpchar, 1::oid, 'x'::name, '0/16B3748'::pg_lsn, '10:20:10,14'::txid_snapshot
----
SELECT 5::int8::int2, 5.7::int4, 1e10::numeric::int8, true::int, 0::bool, '2024-01-01 10:00'::timestamp::date, '10:00'::time::interval
----
SELECT pg_typeof(1), pg_typeof(1.0), pg_typeof('x'), pg_typeof(now()), pg_typeof(ARRAY[1]), pg_typeof(NULL), pg_typeof(ROW(1)), pg_typeof(orders) FROM orders LIMIT 1
----
--! networks, uuids, geometry, bits
SELECT host('10.1.2.3/8'::inet), netmask('10.0.0.0/8'), network('10.1.2.3/8'), broadcast('10.0.0.0/8'), masklen('10.0.0.0/8'), family('::1'), hostmask('10.0.0.0/8'), abbrev('10.1.0.0/16'::cidr), text('10.0.0.1'::inet)
----
SELECT inet '10.0.0.1' << inet '10.0.0.0/8', inet '10.0.0.0/8' >>= inet '10.1.0.0/16', inet '10.0.0.1' + 5, inet '10.0.0.9' - inet '10.0.0.1', inet '10.0.0.1' && inet '10.0.0.0/8', ~ inet '10.0.0.1', set_masklen('10.0.0.1'::inet, 16), inet_same_family('1.1.1.1', '::1'), inet_merge('10.0.0.1', '10.0.0.5')
----
SELECT trunc(macaddr '08:00:2b:01:02:03'), macaddr8 '08:00:2b:01:02:03:04:05', macaddr8_set7bit('00:34:56:ab:cd:ef')
----
SELECT tracking, tracking::text, left(tracking::text, 8) FROM shipments ORDER BY shipments.tracking LIMIT 2
----
SELECT gen_random_uuid() IS NOT NULL, md5('x')::uuid, uuid_nil FROM (SELECT 1 AS uuid_nil) x
----
SELECT count(*) FROM shipments WHERE tracking = '00000000-0000-0000-0000-000000000000'
----
--! since=18
SELECT uuidv7() IS NOT NULL, uuidv4() IS NOT NULL, uuid_extract_timestamp(uuidv7()) IS NOT NULL, casefold('ABC'), crc32('x'::bytea)
----
SELECT point(1, 2) <-> point(4, 6), box '((0,0),(2,2))' @> point '(1,1)', circle '<(0,0),5>' && circle '<(3,0),1>', lseg '[(0,0),(1,1)]', area(box '((0,0),(2,2))'), center(circle '<(1,1),1>'), polygon '((0,0),(1,1),(1,0))', length(path '((0,0),(3,4))')
----
SELECT (point '(3,4)')[0], point '(1,1)' + point '(2,2)', box '((0,0),(1,1))' # box '((0,0),(2,2))', diameter(circle '<(0,0),2>'), npoints(polygon '((0,0),(1,1))'), @@ box '((0,0),(2,2))', ?- lseg '[(0,0),(1,0)]', point '(1,1)' <@ box '((0,0),(2,2))', slope(point '(0,0)', point '(1,1)'), isclosed(path '((0,0),(1,1))')
----
--! XML
SELECT xmlelement(name product, xmlattributes(id, sku AS code), name) FROM products LIMIT 2
----
SELECT xmlagg(xmlelement(name c, name) ORDER BY id) FROM categories WHERE parent_id IS NULL
----
SELECT xmlforest(id, name AS label), xmlconcat('<a/>', '<b/>'), xmlcomment('x'), xmlpi(name php, 'x') FROM suppliers LIMIT 1
----
SELECT xpath('//b/text()', '<a><b>1</b><b>2</b></a>'::xml), xpath_exists('/a', '<a/>'::xml), xmlexists('//b' PASSING BY REF '<a><b/></a>'), xml_is_well_formed('<a>'), '<a/>'::xml IS DOCUMENT
----
SELECT t.* FROM XMLTABLE('/r/p' PASSING xmlparse(DOCUMENT '<r><p id="1">x</p><p id="2">y</p></r>') COLUMNS n FOR ORDINALITY, id int PATH '@id', v text PATH '.' DEFAULT 'none') t
----
SELECT xmlserialize(CONTENT xmlelement(name a, 1) AS text), xmlparse(CONTENT 'a<b/>'), xmlroot(xmlparse(DOCUMENT '<a/>'), VERSION '1.0')
----
SELECT xmltext FROM (SELECT 'x' AS xmltext) t
----
--! pivots, gaps and islands, sessions, cohorts
SELECT employee_id, count(*) FILTER (WHERE status = 'paid') AS paid, count(*) FILTER (WHERE status = 'shipped') AS shipped, count(*) FILTER (WHERE status = 'delivered') AS delivered FROM orders WHERE employee_id IS NOT NULL GROUP BY employee_id ORDER BY employee_id
----
SELECT carrier, sum(CASE WHEN extract(year FROM sent_at) = 2023 THEN 1 ELSE 0 END) AS y2023, sum(CASE WHEN extract(year FROM sent_at) = 2024 THEN 1 ELSE 0 END) AS y2024 FROM shipments GROUP BY carrier
----
SELECT x.category_id, jsonb_object_agg(x.colour, x.n) FROM (SELECT category_id, attributes ->> 'colour' AS colour, count(*) AS n FROM products GROUP BY 1, 2) x GROUP BY 1 ORDER BY 1
----
SELECT id, key, value FROM products, jsonb_each_text(attributes) WHERE id < 3 ORDER BY 1, 2
----
SELECT s.id, v.what, v.amount FROM inventory i JOIN products s ON s.id = i.product_id CROSS JOIN LATERAL (VALUES ('on hand', i.on_hand), ('reserved', i.reserved)) v(what, amount) WHERE s.id < 3 ORDER BY 1, 2
----
SELECT min(day) AS first_day, max(day) AS last_day, count(*) AS days FROM (SELECT day, day - row_number() OVER (ORDER BY day)::int AS island FROM (SELECT DISTINCT placed_at::date AS day FROM orders WHERE customer_id < 100) d) x GROUP BY island ORDER BY 3 DESC LIMIT 5
----
WITH gaps AS (SELECT placed_at, lead(placed_at) OVER (ORDER BY placed_at) AS next_at FROM orders WHERE status = 'returned') SELECT placed_at, next_at - placed_at AS gap FROM gaps WHERE next_at - placed_at > interval '1 day' ORDER BY gap DESC LIMIT 5
----
WITH marked AS (SELECT customer_id, written_at, CASE WHEN written_at - lag(written_at) OVER w < interval '30 days' THEN 0 ELSE 1 END AS starts FROM reviews WINDOW w AS (PARTITION BY customer_id ORDER BY written_at)), numbered AS (SELECT *, sum(starts) OVER (PARTITION BY customer_id ORDER BY written_at) AS session FROM marked) SELECT customer_id, session, min(written_at), count(*) FROM numbered GROUP BY 1, 2 HAVING count(*) > 1 ORDER BY 4 DESC, 1 LIMIT 5
----
WITH firsts AS (SELECT customer_id, date_trunc('month', min(placed_at)) AS cohort FROM orders GROUP BY 1), activity AS (SELECT DISTINCT o.customer_id, f.cohort, (extract(year FROM age(date_trunc('month', o.placed_at), f.cohort)) * 12 + extract(month FROM age(date_trunc('month', o.placed_at), f.cohort)))::int AS month FROM orders o JOIN firsts f USING (customer_id)) SELECT cohort::date, count(*) FILTER (WHERE month = 0) AS m0, count(*) FILTER (WHERE month = 1) AS m1, count(*) FILTER (WHERE month = 2) AS m2 FROM activity GROUP BY cohort ORDER BY cohort
----
WITH steps AS (SELECT "orderId", min("happenedAt") FILTER (WHERE kind = 'placed') AS placed, min("happenedAt") FILTER (WHERE kind = 'paid') AS paid, min("happenedAt") FILTER (WHERE kind = 'shipped') AS shipped FROM "orderEvents" GROUP BY 1) SELECT count(placed) AS placed, count(paid) AS paid, count(shipped) AS shipped, avg(paid - placed) AS to_paid FROM steps
----
WITH r AS (SELECT customer_id, max(placed_at) AS last, count(*) AS frequency, sum(total) AS monetary FROM order_totals GROUP BY 1) SELECT ntile(5) OVER (ORDER BY last) AS r, ntile(5) OVER (ORDER BY frequency) AS f, ntile(5) OVER (ORDER BY monetary) AS m, customer_id FROM r ORDER BY customer_id LIMIT 5
----
SELECT customer_id FROM (SELECT customer_id, total, sum(total) OVER (ORDER BY total DESC) / sum(total) OVER () AS share FROM (SELECT customer_id, sum(total) AS total FROM order_totals GROUP BY 1) t) x WHERE share <= 0.2 LIMIT 5
----
SELECT d.month, coalesce(m.revenue, 0) AS revenue FROM (SELECT generate_series(date '2023-01-01', date '2025-06-01', interval '1 month')::date AS month) d LEFT JOIN monthly_revenue m USING (month) ORDER BY 1
----
SELECT month, revenue, count(revenue) OVER (ORDER BY month) AS filled FROM monthly_revenue
----
WITH daily AS (SELECT placed_at::date AS day, count(*) AS n FROM orders GROUP BY 1), stats AS (SELECT avg(n) AS mean, stddev(n) AS sd FROM daily) SELECT day, n FROM daily, stats WHERE abs(n - mean) > 2 * sd ORDER BY day LIMIT 5
----
SELECT o1.customer_id, count(*) FROM orders o1 JOIN orders o2 ON o2.customer_id = o1.customer_id AND o2.placed_at > o1.placed_at AND o2.placed_at < o1.placed_at + interval '7 days' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5
----
SELECT greatest(0, reserved - on_hand) AS missing, product_id FROM inventory WHERE reserved > on_hand ORDER BY 1 DESC LIMIT 5
----
SELECT p.id, p.name, coalesce(s.sold, 0) AS sold, sum(i.on_hand) AS stock, sum(i.on_hand) / nullif(coalesce(s.sold, 0) / 24.0, 0) AS months_left FROM products p LEFT JOIN (SELECT "productId", sum(quantity) AS sold FROM "Order Items" GROUP BY 1) s ON s."productId" = p.id JOIN inventory i ON i.product_id = p.id GROUP BY p.id, s.sold ORDER BY months_left NULLS LAST LIMIT 5
----
SELECT c.id FROM customers c WHERE (SELECT count(*) FROM orders o WHERE o.customer_id = c.id AND o.status = 'returned') > 1 ORDER BY 1 LIMIT 5
----
SELECT id, placed_at, sum(CASE WHEN status = 'returned' THEN -1 ELSE 1 END) OVER (PARTITION BY customer_id ORDER BY placed_at) AS balance FROM orders ORDER BY id LIMIT 5
----
SELECT array_agg(month ORDER BY revenue DESC) FILTER (WHERE revenue > 100000) FROM monthly_revenue
----
SELECT date_trunc('month', written_at)::date AS month, round(avg(stars), 2) AS stars, round(avg(avg(stars)) OVER (ORDER BY date_trunc('month', written_at) ROWS 2 PRECEDING), 2) AS smooth FROM reviews GROUP BY date_trunc('month', written_at) ORDER BY 1
----
SELECT x, y, x * y AS product FROM generate_series(1, 3) x CROSS JOIN generate_series(1, 3) y ORDER BY 1, 2
----
SELECT string_agg(CASE WHEN n % 15 = 0 THEN 'fizzbuzz' WHEN n % 5 = 0 THEN 'buzz' WHEN n % 3 = 0 THEN 'fizz' ELSE n::text END, ' ' ORDER BY n) FROM generate_series(1, 15) n
----
SELECT o.id, o.placed_at, e."happenedAt" - o.placed_at AS delay FROM orders o JOIN LATERAL (SELECT "happenedAt" FROM "orderEvents" e WHERE e."orderId" = o.id ORDER BY "happenedAt" DESC LIMIT 1) e ON true ORDER BY delay DESC LIMIT 5
----
SELECT name, CASE WHEN row_number() OVER (PARTITION BY country ORDER BY name) = 1 THEN country END AS shown_once FROM suppliers ORDER BY country, name LIMIT 10
----
SELECT method, amount, amount / sum(amount) OVER (PARTITION BY method) AS share FROM payments ORDER BY share DESC LIMIT 5
----
SELECT weekday, hour, n FROM (SELECT extract(isodow FROM placed_at)::int AS weekday, extract(hour FROM placed_at)::int AS hour, count(*) AS n FROM orders GROUP BY 1, 2) x ORDER BY n DESC LIMIT 5
----
SELECT p.supplier_id, s.name, round(sum(i.quantity * i."unitPrice"), 2) AS turnover, rank() OVER (ORDER BY sum(i.quantity * i."unitPrice") DESC) FROM "Order Items" i JOIN products p ON p.id = i."productId" JOIN suppliers s ON s.id = p.supplier_id GROUP BY p.supplier_id, s.name ORDER BY turnover DESC LIMIT 10
----
--! whole rows and fields
SELECT o FROM orders o LIMIT 1
----
SELECT (o).id, (o).status, (o.*) FROM orders o LIMIT 1
----
SELECT o.*, c.* FROM orders o JOIN customers c ON c.id = o.customer_id LIMIT 1
----
SELECT row_to_json(o.*), to_jsonb(o), jsonb_agg(o) FROM orders o WHERE id = 1 GROUP BY o.*
----
SELECT count(o), count(o.*) FROM orders o
----
SELECT (SELECT o FROM orders o WHERE id = 1).status
----
SELECT (x.o).placed_at FROM (SELECT o FROM orders o LIMIT 1) x
----
SELECT ROW(1, 'a', now()), (1, 2, 3)
----
SELECT (pg_get_keywords()).word LIMIT 1
----
SELECT o IS NOT NULL, o = o FROM orders o LIMIT 1
----
SELECT shop.orders.id, orders.status FROM shop.orders LIMIT 1
----
SELECT "Order Items"."unitPrice", "Order Items".* FROM "Order Items" LIMIT 1
----
SELECT max(o.placed_at), o.customer_id AS "Customer", 'x' AS "select" FROM orders o GROUP BY "Customer" LIMIT 1
----
--! the session
SELECT current_user, session_user, user, current_role, current_catalog, current_schema, current_database(), current_schemas(true)
----
SELECT version(), current_setting('server_version_num')::int >= 130000, current_setting('nothing.here', true), pg_backend_pid() > 0
----
SELECT inet_server_port() IS NOT NULL OR true, pg_postmaster_start_time() < now(), pg_conf_load_time() < now(), pg_is_in_recovery(), txid_current_if_assigned() IS NULL
----
SELECT pg_database_size(current_database()) > 0, pg_size_pretty(pg_total_relation_size('orders')), pg_relation_size('orders'), pg_table_size('orders'), pg_indexes_size('orders'), pg_column_size(1), pg_size_bytes('1 MB')
----
SHOW search_path
----
SHOW ALL
----
SHOW TIME ZONE
----
EXPLAIN SELECT * FROM orders WHERE customer_id = 5
----
EXPLAIN (FORMAT json, COSTS off, VERBOSE) SELECT count(*) FROM order_totals
----
--! the catalogs
SELECT table_schema, table_name, table_type FROM information_schema.tables WHERE table_schema = 'shop' ORDER BY 2
----
SELECT column_name, data_type, is_nullable, column_default FROM information_schema.columns WHERE table_schema = 'shop' AND table_name = 'orders' ORDER BY ordinal_position
----
SELECT tc.constraint_name, kcu.column_name, ccu.table_name FROM information_schema.table_constraints tc JOIN information_schema.key_column_usage kcu USING (constraint_schema, constraint_name) JOIN information_schema.constraint_column_usage ccu USING (constraint_schema, constraint_name) WHERE tc.constraint_type = 'FOREIGN KEY' AND tc.table_schema = 'shop'
----
SELECT * FROM information_schema.views WHERE table_schema = 'shop'
----
SELECT * FROM information_schema.schemata
----
SELECT routine_name FROM information_schema.routines WHERE routine_schema = 'pg_catalog' LIMIT 3
----
SELECT grantee, privilege_type FROM information_schema.table_privileges WHERE table_schema = 'shop' LIMIT 3
----
SELECT * FROM information_schema.referential_constraints LIMIT 3
----
SELECT * FROM information_schema.sequences
----
SELECT * FROM information_schema.check_constraints WHERE constraint_schema = 'shop'
----
SELECT c.relname, c.reltuples::bigint, pg_size_pretty(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'shop' AND c.relkind = 'r' ORDER BY pg_total_relation_size(c.oid) DESC
----
SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid) FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum WHERE a.attrelid = 'shop.products'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
----
SELECT conname, contype, pg_get_constraintdef(oid, true) FROM pg_constraint WHERE conrelid = 'shop.orders'::regclass
----
SELECT indexrelid::regclass, indisunique, pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = 'shop.orders'::regclass
----
SELECT * FROM pg_indexes WHERE schemaname = 'shop'
----
SELECT * FROM pg_stats WHERE schemaname = 'shop' AND tablename = 'orders'
----
SELECT relname, seq_scan, idx_scan, n_live_tup FROM pg_stat_user_tables ORDER BY seq_scan DESC
----
SELECT datname, usename, state, wait_event_type, now() - query_start AS running FROM pg_stat_activity WHERE state <> 'idle' ORDER BY running DESC NULLS LAST
----
SELECT * FROM pg_locks WHERE NOT granted
----
SELECT obj_description('shop.customers'::regclass), col_description('shop.customers'::regclass, 7), shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = current_database()
----
SELECT enumlabel FROM pg_enum WHERE enumtypid = 'shop.order_status'::regtype ORDER BY enumsortorder
----
SELECT has_table_privilege('orders', 'SELECT'), has_schema_privilege('shop', 'USAGE'), has_column_privilege('orders', 'id', 'SELECT'), pg_has_role('pg_read_all_data', 'MEMBER')
----
SELECT name, setting, unit FROM pg_settings WHERE name IN ('work_mem', 'shared_buffers')
----
SELECT extname, extversion FROM pg_extension
----
SELECT name, default_version FROM pg_available_extensions WHERE installed_version IS NULL LIMIT 3
----
SELECT rolname, rolsuper FROM pg_roles ORDER BY 1
----
SELECT pg_get_viewdef('shop.monthly_revenue', true), pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'shop.monthly_revenue'::regclass
----
SELECT nspname, nspacl, (aclexplode(nspacl)).grantee FROM pg_namespace WHERE nspacl IS NOT NULL
----
SELECT * FROM pg_sequences
----
SELECT last_value, is_called FROM invoice_number
----
SELECT inhrelid::regclass, inhparent::regclass FROM pg_inherits
----
SELECT oprname, oprleft::regtype, oprright::regtype FROM pg_operator WHERE oprname = '@>' ORDER BY 2
----
SELECT p.proname, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid) FROM pg_proc p WHERE proname LIKE 'json%agg'
----
SELECT castsource::regtype, casttarget::regtype FROM pg_cast WHERE castcontext = 'i' LIMIT 5
----
SELECT typname, typcategory FROM pg_type WHERE typnamespace = 'shop'::regnamespace
----
SELECT blks_hit::numeric / nullif(blks_hit + blks_read, 0) AS hit_rate FROM pg_stat_database WHERE datname = current_database()
----
SELECT schemaname, relname, indexrelname, idx_scan FROM pg_stat_user_indexes WHERE idx_scan = 0
----
SELECT pg_table_is_visible('orders'::regclass), pg_type_is_visible('order_status'::regtype), pg_function_is_visible('now'::regproc)
----
SELECT d.datname, pg_encoding_to_char(d.encoding), d.datcollate FROM pg_database d
----
SELECT classid::regclass, objid, deptype FROM pg_depend WHERE refobjid = 'shop.orders'::regclass LIMIT 5
----
SELECT conrelid::regclass AS from_table, confrelid::regclass AS to_table, a.attname FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) WHERE contype = 'f' AND connamespace = 'shop'::regnamespace ORDER BY 1
----
SELECT pg_describe_object('pg_class'::regclass, 'shop.orders'::regclass, 0), (pg_identify_object('pg_class'::regclass, 'shop.orders'::regclass, 0)).identity
----
SELECT t.tgname, pg_get_triggerdef(t.oid) FROM pg_trigger t WHERE tgrelid = 'shop.orders'::regclass LIMIT 3
----
SELECT unnest(stavalues1::text::text[]) FROM (SELECT '{1,2}' AS stavalues1) s
----
SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'shop."Order Items"'::regclass AND attnum > 0
----
SELECT pg_blocking_pids(pg_backend_pid()), pg_current_wal_lsn() > '0/0', pg_wal_lsn_diff('0/2', '0/1'), pg_last_xact_replay_timestamp() IS NULL
----
--! as tools write it
SELECT "shop"."orders"."id" AS "id", "shop"."orders"."status" AS "status" FROM "shop"."orders" LIMIT 2000
----
SELECT CAST("shop"."orders"."placed_at" AS date) AS "placed_at", COUNT(*) AS "count" FROM "shop"."orders" WHERE "shop"."orders"."placed_at" >= CAST((NOW() + INTERVAL '-30 day') AS date) GROUP BY CAST("shop"."orders"."placed_at" AS date) ORDER BY CAST("shop"."orders"."placed_at" AS date) ASC
----
SELECT DATE_TRUNC('month', "source"."placed_at") AS "placed_at", SUM("source"."total") AS "sum" FROM (SELECT "shop"."order_totals".* FROM "shop"."order_totals" WHERE "shop"."order_totals"."status" <> 'basket') AS "source" GROUP BY DATE_TRUNC('month', "source"."placed_at") ORDER BY 1 ASC
----
SELECT "source"."x" FROM (SELECT count(*) AS "x" FROM "shop"."customers") "source" LIMIT 1048575
----
SELECT DATE_TRUNC('day', placed_at) AS __timestamp, COUNT(DISTINCT customer_id) AS "COUNT_DISTINCT(customer_id)" FROM shop.orders WHERE placed_at >= TO_TIMESTAMP('2024-01-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') AND placed_at < TO_TIMESTAMP('2024-02-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') GROUP BY DATE_TRUNC('day', placed_at) LIMIT 10000
----
SELECT floor(extract(epoch from "placed_at")/3600)*3600 AS "time", count(*) AS value FROM orders WHERE placed_at BETWEEN '2024-01-01T00:00:00Z' AND '2024-01-02T00:00:00Z' GROUP BY 1 ORDER BY 1
----
SELECT extract(epoch from date_trunc('hour', paid_at)) AS time, method AS metric, sum(amount) AS value FROM payments WHERE paid_at > now() - interval '10 years' GROUP BY 1, 2 ORDER BY 1, 2 LIMIT 5
----
SELECT c0."id", c0."name" FROM "customers" AS c0 WHERE (c0."id" = ANY('{1,2,3}'))
----
SELECT anon_1.id AS anon_1_id, (SELECT count(*) AS count_1 FROM reviews WHERE reviews.customer_id = anon_1.id) AS n FROM (SELECT customers.id AS id FROM customers WHERE customers.name LIKE '%%a%%' LIMIT 3) AS anon_1
----
SELECT DISTINCT "T0"."status" AS "C1" FROM "orders" "T0" ORDER BY "C1" LIMIT 1001
----
SELECT CASE WHEN GROUPING(o.status) = 1 THEN 'Total' ELSE o.status::text END AS "Status", COUNT(1) AS "Orders", SUM(t.total)::numeric(14, 2) AS "Turnover" FROM orders o INNER JOIN order_totals t ON (t.order_id = o.id) WHERE 1 = 1 GROUP BY ROLLUP (o.status) ORDER BY GROUPING(o.status), 2 DESC
----
select u.id, u.email from customers u where lower(u.email) = lower('Customer7@Example.com')
----
select count(*) as total, avg(case when newsletter then 1.0 else 0.0 end) as rate from customers
----
select * from orders where status = 'paid' order by placed_at desc limit 10 offset 20
----
select o.id, array_to_string(array(select p.name from "Order Items" i join products p on p.id = i."productId" where i."orderId" = o.id order by i.line), ', ') as items from orders o where o.id <= 5
----
select coalesce(sum(amount), 0) from payments where paid_at >= date_trunc('month', current_date) - interval '1 month' and paid_at < date_trunc('month', current_date)
----
select t.name, t.n from (select c.name, count(*) as n from categories c join products p on p.category_id = c.id group by c.name) t where t.n = (select max(n) from (select count(*) as n from products group by category_id) m)
----
select to_char(month, 'Mon YYYY') as label, revenue, round(revenue / orders, 2) as per_order from monthly_revenue order by month
----
select x.status, y.status from (select distinct status from orders) x, (select distinct status from orders) y where x.status < y.status order by 1, 2
----
select json_build_object('type', 'FeatureCollection', 'features', json_agg(json_build_object('city', city, 'n', n))) from (select city, count(*) as n from addresses group by city) t
----
select name, regexp_replace(lower(trim(name)), '[^a-z0-9]+', '-', 'g') as slug from products limit 5
----
select p.*, round(100 * p.price / max(p.price) over (), 1) as of_dearest from products p order by price desc limit 5
----
select id, email, (regexp_matches(email, '^[^\d]+(\d+)'))[1]::int as number from customers where id < 5
----
select case when count(*) > 0 then 'yes' else 'no' end from orders where status = 'basket' and placed_at < now() - interval '1 year'
----
select sum(case when stars >= 4 then 1 else 0 end)::float / count(*) as happy from reviews
----
select product_id, array_agg(stars order by written_at desc) as latest, (array_agg(body order by written_at desc) filter (where body is not null))[1] as last_words from reviews group by product_id order by product_id limit 5
----
select a.country, a.n, b.n as suppliers from (select country, count(*) as n from addresses group by country) a left join (select country, count(*) as n from suppliers group by country) b on b.country = a.country order by a.n desc
----
select generate_series(min(placed_at)::date, max(placed_at)::date, '1 month')::date as month from orders
----
select o.customer_id, o.id, o.placed_at, exists (select 1 from reviews r where r.customer_id = o.customer_id and r.written_at > o.placed_at) as reviewed_later from orders o limit 5
----
select i.*, (i.quantity * i."unitPrice")::numeric(10, 2) as "Line Total" from "Order Items" as i where i."Discount %" > 0 limit 5
----
select name from products where attributes @> '{"colour": "red"}' and price between 20 and 40 and 'M' = any (sizes) order by name
----
select count(*) from orders o where o.placed_at >= all (select placed_at from orders where customer_id = o.customer_id)
----
select distinct first_value(name) over w as cheapest, category_id from products window w as (partition by category_id order by price, id) order by category_id
----
select s.order_id, s.arrived_at - s.sent_at > (select percentile_cont(0.9) within group (order by arrived_at - sent_at) from shipments) as slow from shipments s where s.arrived_at is not null limit 5
----
select md5(string_agg(id::text || ':' || coalesce(invoice::text, ''), ',' order by id)) as checksum from orders where id < 100
----
SELECT 1 AS "?column?", NULL AS nothing, 'a' "b", 2 c FROM (SELECT) AS empty
----
/* dashboard: sales */ SELECT -- by status
  status, /* nested /* comment */ */ count(*) FROM orders GROUP BY 1
----
SELECT o.id FROM ONLY orders o WHERE o.id = 1 FETCH FIRST ROW ONLY
----
SELECT * FROM orders o WHERE o.id IN (1, 2, 3) AND (o.status = 'paid' OR o.invoice > 20240001) AND NOT (o.customer_id = 5) IS TRUE
