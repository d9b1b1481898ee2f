-- Queries about the sample shop. Statements stand between lines of four dashes.
----
SELECT * FROM customers
----
SELECT c.name, count(*) AS orders, sum(t.total), max(o.placed_at) FROM customers c JOIN orders o ON o.customer_id = c.id JOIN order_totals t ON t.order_id = o.id GROUP BY c.id ORDER BY 3 DESC NULLS LAST LIMIT 10
----
SELECT * FROM monthly_revenue ORDER BY month
----
SELECT month, revenue, revenue - lag(revenue) OVER (ORDER BY month) AS change, round(100 * revenue / sum(revenue) OVER (), 1) AS share FROM monthly_revenue
----
SELECT i.*, i."unitPrice" * i.quantity * (1 - i."Discount %" / 100) AS net FROM "Order Items" i
----
SELECT p.name, p.attributes ->> 'colour' AS colour, (p.attributes ->> 'weight')::int, s.size FROM products p CROSS JOIN LATERAL unnest(p.sizes) WITH ORDINALITY AS s(size, n)
----
WITH RECURSIVE tree AS (SELECT id, parent_id, name, 1 AS depth, ARRAY[name] AS path FROM categories WHERE parent_id IS NULL UNION ALL SELECT c.id, c.parent_id, c.name, t.depth + 1, t.path || c.name FROM categories c JOIN tree t ON t.id = c.parent_id) SELECT * FROM tree ORDER BY path
----
WITH RECURSIVE chain AS (SELECT id, name, manager_id, 0 AS level FROM employees WHERE manager_id IS NULL UNION ALL SELECT e.id, e.name, e.manager_id, level + 1 FROM employees e, chain WHERE e.manager_id = chain.id) SELECT name, level, count(*) OVER (PARTITION BY level) FROM chain
----
SELECT date_trunc('week', placed_at) AS week, status, count(*) FILTER (WHERE employee_id IS NULL) AS online, count(DISTINCT customer_id) FROM orders GROUP BY week, status HAVING count(*) > 3 ORDER BY week, status
----
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total), percentile_disc(ARRAY[0.1, 0.9]) WITHIN GROUP (ORDER BY total), mode() WITHIN GROUP (ORDER BY status), stddev(total), corr(total::float8, lines) FROM order_totals
----
SELECT s.country, string_agg(DISTINCT p.name, ', ' ORDER BY p.name), array_agg(p.price ORDER BY p.price DESC), jsonb_object_agg(p.sku, p.price) FROM suppliers s LEFT JOIN products p ON p.supplier_id = s.id GROUP BY s.country
----
SELECT DISTINCT ON (customer_id) customer_id, id, placed_at, age(now(), placed_at), extract(epoch FROM now() - placed_at)::bigint FROM orders ORDER BY customer_id, placed_at DESC
----
SELECT coalesce(c.company, c.name) AS buyer, CASE WHEN newsletter THEN 'yes' ELSE 'no' END, preferences -> 'language', preferences #>> '{currency}', tags[1], cardinality(tags) FROM customers c WHERE tags && ARRAY['vip'] OR preferences @> '{"language": "de"}'
----
SELECT o.status, e."happenedAt" - o.placed_at AS took, e.payload FROM orders o JOIN "orderEvents" e ON e."orderId" = o.id WHERE e.kind = 'shipped'
----
SELECT warehouse, sum(on_hand - reserved) AS free, grouping(warehouse) FROM inventory GROUP BY CUBE (warehouse)
----
SELECT to_char(paid_at, 'YYYY-MM'), method, sum(amount)::money, avg(amount)::numeric(10, 2) FROM payments GROUP BY 1, 2
----
SELECT carrier, avg(arrived_at - sent_at), min(tracking::text), width_bucket(extract(day FROM arrived_at - sent_at), 0, 10, 5) FROM shipments WHERE arrived_at IS NOT NULL GROUP BY carrier, 4
----
SELECT to_tsvector('english', body) @@ websearch_to_tsquery('good'), ts_rank(to_tsvector(body), 'x'), ts_headline(body, to_tsquery('good')), stars FROM reviews
----
SELECT name FROM customers INTERSECT SELECT name FROM employees UNION ALL (SELECT name FROM suppliers EXCEPT SELECT name FROM products)
----
SELECT x.*, o FROM orders o, LATERAL (SELECT count(*), max("happenedAt") AS latest FROM "orderEvents" WHERE "orderId" = o.id) x
----
SELECT * FROM orders NATURAL JOIN shipments
----
SELECT customer_id, t.total, ntile(4) OVER w, first_value(status) OVER w, row_number() OVER (PARTITION BY status ORDER BY total) FROM order_totals t WINDOW w AS (ORDER BY total)
----
SELECT generate_series(min(placed_at), max(placed_at), interval '1 month')::date AS month FROM orders
----
SELECT invoice_number.last_value, shop.invoice_number.is_called FROM shop.invoice_number
----
SELECT table_name, (SELECT count(*) FROM information_schema.columns c WHERE c.table_name = t.table_name) FROM information_schema.tables t WHERE table_schema = 'shop'
----
SELECT (SELECT array_agg(name ORDER BY id) FROM products p WHERE p.category_id = c.id), c FROM categories c
