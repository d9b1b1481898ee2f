-- Written for Postgres, with a slip of another dialect in it; behind the equal signs stands what a
-- careful person would have written, whose rows are wanted. `mended`: those rows are returned;
-- `mended or error`: those rows, or the error of the text as it was sent.
---- mended
SELECT id, name FROM customers WHERE name ILIKE 'a%' AND IFNULL(city, '') <> ''
==== SELECT id, name FROM customers WHERE name ILIKE 'a%' AND COALESCE(city, '') <> ''
---- mended
SELECT id, amount::integer, CURDATE() >= placed_on FROM orders
==== SELECT id, amount::integer, CURRENT_DATE >= placed_on FROM orders
---- mended
SELECT "Product Name", GROUP_CONCAT("OrderID"::text) FROM "Order Details" GROUP BY "Product Name"
==== SELECT "Product Name", string_agg("OrderID"::text, ',') FROM "Order Details" GROUP BY "Product Name"
---- mended
SELECT id FROM orders WHERE placed_on >= CURDATE() - INTERVAL '30 years'
==== SELECT id FROM orders WHERE placed_on >= CURRENT_DATE - INTERVAL '30 years'
---- mended
SELECT id FROM orders WHERE placed_on + INTERVAL '1 day' < CURDATE() ORDER BY shipped_at, id
==== SELECT id FROM orders WHERE placed_on + INTERVAL '1 day' < CURRENT_DATE ORDER BY shipped_at, id
---- mended
SELECT id, discount FROM orders WHERE EXTRACT(YEAR FROM placed_on) = 2024 ORDER BY discount NULLS FIRST, id LIMIT 0, 3
==== SELECT id, discount FROM orders WHERE EXTRACT(YEAR FROM placed_on) = 2024 ORDER BY discount NULLS FIRST, id LIMIT 3 OFFSET 0
---- mended
SELECT to_char(placed_on, 'YYYY-MM') AS m, SUM(IFNULL(discount, 0)) FROM orders GROUP BY 1
==== SELECT to_char(placed_on, 'YYYY-MM') AS m, SUM(COALESCE(discount, 0)) FROM orders GROUP BY 1
---- mended
SELECT to_char(placed_on, 'YYYY-MM') AS m, DATE_FORMAT(placed_on, '%Y') AS y FROM orders
==== SELECT to_char(placed_on, 'YYYY-MM') AS m, to_char(placed_on, 'YYYY') AS y FROM orders
---- mended
SELECT DATE_FORMAT(placed_on, '%Y-%m') AS m, COUNT(*) FILTER (WHERE status LIKE 'S%') FROM orders GROUP BY 1
==== SELECT to_char(placed_on, 'YYYY-MM') AS m, COUNT(*) FILTER (WHERE status LIKE 'S%') FROM orders GROUP BY 1
---- mended
SELECT DISTINCT ON (customer_id) customer_id, id, DATE_FORMAT(placed_on, '%Y') FROM orders ORDER BY customer_id, placed_on DESC
==== SELECT DISTINCT ON (customer_id) customer_id, id, to_char(placed_on, 'YYYY') FROM orders ORDER BY customer_id, placed_on DESC
---- mended
SELECT DISTINCT ON (customer_id) customer_id, strftime('%Y', placed_on) AS y FROM orders ORDER BY customer_id, id
==== SELECT DISTINCT ON (customer_id) customer_id, to_char(placed_on, 'YYYY') AS y FROM orders ORDER BY customer_id, id
---- mended
SELECT strftime('%Y', placed_on) AS y, string_agg(status, ',' ORDER BY id) FROM orders GROUP BY 1
==== SELECT to_char(placed_on, 'YYYY') AS y, string_agg(status, ',' ORDER BY id) FROM orders GROUP BY 1
---- mended
SELECT c.name, x.n FROM customers c CROSS JOIN LATERAL (SELECT COUNT(*) AS n FROM orders o WHERE o.customer_id = c.id AND strftime('%Y', o.placed_on) = '2024') x
==== SELECT c.name, x.n FROM customers c CROSS JOIN LATERAL (SELECT COUNT(*) AS n FROM orders o WHERE o.customer_id = c.id AND to_char(o.placed_on, 'YYYY') = '2024') x
---- mended
SELECT g, (SELECT COUNT(*) FROM orders WHERE strftime('%m', placed_on)::int = g) FROM generate_series(1, 12) g
==== SELECT g, (SELECT COUNT(*) FROM orders WHERE to_char(placed_on, 'MM')::int = g) FROM generate_series(1, 12) g
---- mended
SELECT id, strftime('%Y', placed_on) AS y FROM orders WHERE status LIKE 's%' AND status ~ '^s'
==== SELECT id, to_char(placed_on, 'YYYY') AS y FROM orders WHERE status LIKE 's%' AND status ~ '^s'
---- mended
SELECT DATEDIFF(shipped_at::date, placed_on) FROM orders WHERE shipped_at IS NOT NULL
==== SELECT shipped_at::date - placed_on FROM orders WHERE shipped_at IS NOT NULL
---- mended or error
SELECT id, DATEDIFF(shipped_at, placed_on) AS days FROM orders WHERE status ILIKE 'shipped' ORDER BY days DESC NULLS LAST, id
==== SELECT id, shipped_at::date - placed_on AS days FROM orders WHERE status ILIKE 'shipped' ORDER BY days DESC NULLS LAST, id
---- mended
SELECT id FROM orders WHERE DATEDIFF(CURRENT_DATE, placed_on) > 30 AND shipped_at > placed_on + INTERVAL '1 day'
==== SELECT id FROM orders WHERE CURRENT_DATE - placed_on > 30 AND shipped_at > placed_on + INTERVAL '1 day'
---- mended or error
SELECT customer_id, SAFE_DIVIDE(SUM(amount), SUM(quantity)::numeric) FROM orders GROUP BY customer_id
==== SELECT customer_id, SUM(amount) / NULLIF(SUM(quantity)::numeric, 0) FROM orders GROUP BY customer_id
---- mended or error
SELECT customer_id, SAFE_DIVIDE(SUM(amount), SUM(quantity)) AS r, string_agg(status, ', ' ORDER BY id) FROM orders GROUP BY customer_id
==== SELECT customer_id, SUM(amount) / NULLIF(SUM(quantity), 0) AS r, string_agg(status, ', ' ORDER BY id) FROM orders GROUP BY customer_id
---- mended or error
SELECT id, SAFE_DIVIDE(amount, quantity) FROM orders WHERE placed_on >= DATE '2024-01-01' - INTERVAL '1 month'
==== SELECT id, amount / NULLIF(quantity, 0) FROM orders WHERE placed_on >= DATE '2024-01-01' - INTERVAL '1 month'
---- mended or error
SELECT date_trunc('month', placed_on) AS m, SAFE_DIVIDE(SUM(returned), COUNT(*)) FROM orders GROUP BY 1
==== SELECT date_trunc('month', placed_on) AS m, SUM(returned)::numeric / NULLIF(COUNT(*), 0) FROM orders GROUP BY 1
---- mended
SELECT c.`name`, o."id" FROM customers c JOIN orders o ON o.customer_id = c.id WHERE c.vip
==== SELECT c.name, o.id FROM customers c JOIN orders o ON o.customer_id = c.id WHERE c.vip
---- mended
SELECT `Product Name`, SUM("UnitPrice" * "Qty") FROM `Order Details` GROUP BY `Product Name`
==== SELECT "Product Name", SUM("UnitPrice" * "Qty") FROM "Order Details" GROUP BY "Product Name"
---- mended
SELECT "Product Name", MONTH(o.placed_on) AS m FROM "Order Details" d JOIN orders o ON o.id = d."OrderID"
==== SELECT "Product Name", EXTRACT(MONTH FROM o.placed_on) AS m FROM "Order Details" d JOIN orders o ON o.id = d."OrderID"
---- mended
SELECT "Product Name", DATE_FORMAT(o.placed_on, '%m') AS m FROM "Order Details" d JOIN orders o ON o.id = d."OrderID" ORDER BY d."Qty" DESC, 1 LIMIT 3
==== SELECT "Product Name", to_char(o.placed_on, 'MM') AS m FROM "Order Details" d JOIN orders o ON o.id = d."OrderID" ORDER BY d."Qty" DESC, 1 LIMIT 3
---- mended
SELECT name FROM customers WHERE vip IS TRUE AND IF(balance > 100, 'y', 'n') = 'y' AND country ILIKE 'f%'
==== SELECT name FROM customers WHERE vip IS TRUE AND CASE WHEN balance > 100 THEN 'y' ELSE 'n' END = 'y' AND country ILIKE 'f%'
---- mended
SELECT id, CASE WHEN vip THEN 'v' ELSE 'n' END, CAST(balance AS text), IFNULL(score, 0.0) FROM customers
==== SELECT id, CASE WHEN vip THEN 'v' ELSE 'n' END, CAST(balance AS text), COALESCE(score, 0.0) FROM customers
---- mended
SELECT id, vip, CURDATE() > born FROM customers WHERE vip = true
==== SELECT id, vip, CURRENT_DATE > born FROM customers WHERE vip = true
---- mended or error
SELECT name, vip AND balance > 100 AS big, joined::date FROM customers WHERE DATE_FORMAT(joined, '%Y') = '2024'
==== SELECT name, vip AND balance > 100 AS big, joined::date FROM customers WHERE to_char(joined, 'YYYY') = '2024'
---- mended
SELECT name || ' (' || COALESCE(city, '?') || ')' AS label, CURDATE() >= born FROM customers
==== SELECT name || ' (' || COALESCE(city, '?') || ')' AS label, CURRENT_DATE >= born FROM customers
---- mended
SELECT name || '-' || code AS label FROM customers WHERE DATE_FORMAT(born, '%Y') = '1990'
==== SELECT name || '-' || code AS label FROM customers WHERE to_char(born, 'YYYY') = '1990'
---- mended or error
SELECT name, array_agg(o.id ORDER BY o.id), GROUP_CONCAT(o.status SEPARATOR ', ') IS NOT NULL FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY name
==== SELECT name, array_agg(o.id ORDER BY o.id), string_agg(o.status, ', ') IS NOT NULL FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY name
---- mended or error
SELECT customer_id, GROUP_CONCAT(DISTINCT status ORDER BY status SEPARATOR '; ') FROM orders GROUP BY customer_id HAVING bool_or(returned > 0)
==== SELECT customer_id, string_agg(DISTINCT status, '; ' ORDER BY status) FROM orders GROUP BY customer_id HAVING bool_or(returned > 0)
---- mended or error
SELECT TOP 3 id, amount::int FROM orders ORDER BY amount DESC
==== SELECT id, amount::int FROM orders ORDER BY amount DESC LIMIT 3
---- mended or error
SELECT TOP 3 id, discount FROM orders ORDER BY discount DESC NULLS LAST
==== SELECT id, discount FROM orders ORDER BY discount DESC NULLS LAST LIMIT 3
---- mended
SELECT id, ISNULL(discount, 0) FROM orders WHERE status ILIKE '%ship%'
==== SELECT id, COALESCE(discount, 0) FROM orders WHERE status ILIKE '%ship%'
---- mended
SELECT id FROM customers WHERE ISNULL(city) AND name ILIKE 'c%'
==== SELECT id FROM customers WHERE city IS NULL AND name ILIKE 'c%'
---- mended or error
SELECT id FROM orders WHERE julianday(shipped_at) - julianday(placed_on) > 1 AND status = ANY(ARRAY['open', 'Shipped'])
==== SELECT id FROM orders WHERE extract(epoch FROM shipped_at - placed_on::timestamp) / 86400 > 1 AND status = ANY(ARRAY['open', 'Shipped'])
---- mended
SELECT date_part('year', placed_on) AS y, COUNT(*) FROM orders WHERE placed_on < CURDATE() GROUP BY 1
==== SELECT date_part('year', placed_on) AS y, COUNT(*) FROM orders WHERE placed_on < CURRENT_DATE GROUP BY 1
---- mended
SELECT EXTRACT(EPOCH FROM shipped_at) FROM orders WHERE placed_on < CURDATE()
==== SELECT EXTRACT(EPOCH FROM shipped_at) FROM orders WHERE placed_on < CURRENT_DATE
---- mended
SELECT EXTRACT(DOW FROM placed_on) AS d, COUNT(*) FROM orders WHERE placed_on < CURDATE() GROUP BY d
==== SELECT EXTRACT(DOW FROM placed_on) AS d, COUNT(*) FROM orders WHERE placed_on < CURRENT_DATE GROUP BY d
---- mended
SELECT age(shipped_at, placed_on), strftime('%Y', placed_on) FROM orders
==== SELECT age(shipped_at, placed_on), to_char(placed_on, 'YYYY') FROM orders
---- mended
SELECT split_part(name, ' ', 1), CURDATE() > born FROM customers
==== SELECT split_part(name, ' ', 1), CURRENT_DATE > born FROM customers
---- mended
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount) FROM orders WHERE placed_on < CURDATE()
==== SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount) FROM orders WHERE placed_on < CURRENT_DATE
---- mended
SELECT status, ROUND(AVG(amount)::numeric, 2), MAX(IFNULL(discount, 0)) FROM orders GROUP BY status HAVING COUNT(*) FILTER (WHERE returned = 0) > 0
==== SELECT status, ROUND(AVG(amount)::numeric, 2), MAX(COALESCE(discount, 0)) FROM orders GROUP BY status HAVING COUNT(*) FILTER (WHERE returned = 0) > 0
---- mended
SELECT id FROM orders WHERE placed_on BETWEEN CURDATE() - INTERVAL '100 years' AND CURDATE() AND quantity / 2 = 1
==== SELECT id FROM orders WHERE placed_on BETWEEN CURRENT_DATE - INTERVAL '100 years' AND CURRENT_DATE AND quantity / 2 = 1
---- mended
SELECT id, quantity / 2 AS half, DATE_FORMAT(placed_on, '%Y')::int FROM orders
==== SELECT id, quantity / 2 AS half, to_char(placed_on, 'YYYY')::int FROM orders
---- mended
SELECT id FROM orders WHERE status IN ('shipped', 'open') AND DATE_FORMAT(placed_on, '%Y') = '2024' AND shipped_at IS DISTINCT FROM NULL
==== SELECT id FROM orders WHERE status IN ('shipped', 'open') AND to_char(placed_on, 'YYYY') = '2024' AND shipped_at IS DISTINCT FROM NULL
---- mended
SELECT id, name FROM customers WHERE DATE_FORMAT(born, '%m') = '12' ORDER BY balance DESC NULLS LAST FETCH FIRST 2 ROWS ONLY
==== SELECT id, name FROM customers WHERE to_char(born, 'MM') = '12' ORDER BY balance DESC NULLS LAST FETCH FIRST 2 ROWS ONLY
---- mended
SELECT body->>'kind' AS kind, (body#>>'{owner,name}') AS owner, IFNULL(body->>'size', '0') FROM documents
==== SELECT body->>'kind' AS kind, (body#>>'{owner,name}') AS owner, COALESCE(body->>'size', '0') FROM documents
---- mended or error
SELECT id FROM documents WHERE body @> '{"kind": "note"}' AND CURDATE() > '2020-01-01'
==== SELECT id FROM documents WHERE body @> '{"kind": "note"}' AND CURRENT_DATE > '2020-01-01'
---- mended
SELECT id FROM documents WHERE body->>'kind' = 'note' AND IFNULL(body->'owner'->>'name', '') LIKE 'A%'
==== SELECT id FROM documents WHERE body->>'kind' = 'note' AND COALESCE(body->'owner'->>'name', '') LIKE 'A%'
---- mended
SELECT jsonb_array_elements_text(body->'tags') AS tag, IFNULL(body->>'size', 'x') FROM documents
==== SELECT jsonb_array_elements_text(body->'tags') AS tag, COALESCE(body->>'size', 'x') FROM documents
---- mended
WITH m AS (SELECT date_trunc('month', placed_on)::date AS month, SUM(amount) AS total FROM orders GROUP BY 1) SELECT month, total, LAG(total) OVER (ORDER BY month) FROM m WHERE month < CURDATE()
==== WITH m AS (SELECT date_trunc('month', placed_on)::date AS month, SUM(amount) AS total FROM orders GROUP BY 1) SELECT month, total, LAG(total) OVER (ORDER BY month) FROM m WHERE month < CURRENT_DATE
---- mended or error
WITH m AS (SELECT date_trunc('month', placed_on) AS month, SUM(amount) AS total FROM orders GROUP BY 1) SELECT DATE_FORMAT(month, '%Y-%m'), total FROM m
==== WITH m AS (SELECT date_trunc('month', placed_on) AS month, SUM(amount) AS total FROM orders GROUP BY 1) SELECT to_char(month, 'YYYY-MM'), total FROM m
---- mended
SELECT id, CONCAT(name, ' ', IFNULL(city, 'none')) FROM customers WHERE name SIMILAR TO '(A|E)%'
==== SELECT id, CONCAT(name, ' ', COALESCE(city, 'none')) FROM customers WHERE name SIMILAR TO '(A|E)%'
---- mended
SELECT id, CURDATE() > born FROM customers WHERE name SIMILAR TO '(a|e)%'
==== SELECT id, CURRENT_DATE > born FROM customers WHERE name SIMILAR TO '(a|e)%'
---- mended
SELECT EXTRACT(YEAR FROM AGE(DATE '2024-06-01', born))::int AS age, COUNT(*) FROM customers WHERE born < CURDATE() GROUP BY 1
==== SELECT EXTRACT(YEAR FROM AGE(DATE '2024-06-01', born))::int AS age, COUNT(*) FROM customers WHERE born < CURRENT_DATE GROUP BY 1
---- mended or error
SELECT name, YEAR(CURDATE()) - YEAR(born) > 20 AS grown FROM customers WHERE country ILIKE 'spain'
==== SELECT name, EXTRACT(YEAR FROM CURRENT_DATE) - EXTRACT(YEAR FROM born) > 20 AS grown FROM customers WHERE country ILIKE 'spain'
---- mended
SELECT o.id, o.shipped_at AT TIME ZONE 'UTC', strftime('%H', o.shipped_at) FROM orders o WHERE o.shipped_at IS NOT NULL
==== SELECT o.id, o.shipped_at AT TIME ZONE 'UTC', to_char(o.shipped_at, 'HH24') FROM orders o WHERE o.shipped_at IS NOT NULL
---- mended
SELECT row_number() OVER w, id, DATE_FORMAT(placed_on, '%d') FROM orders WINDOW w AS (PARTITION BY customer_id ORDER BY discount NULLS FIRST, id)
==== SELECT row_number() OVER w, id, to_char(placed_on, 'DD') FROM orders WINDOW w AS (PARTITION BY customer_id ORDER BY discount NULLS FIRST, id)
---- mended
SELECT COUNT(*) FROM customers WHERE born > to_date('1990-01-01', 'YYYY-MM-DD') AND born < CURDATE()
==== SELECT COUNT(*) FROM customers WHERE born > to_date('1990-01-01', 'YYYY-MM-DD') AND born < CURRENT_DATE
---- mended
SELECT v.n, CURDATE() IS NOT NULL FROM (VALUES (1), (2)) AS v(n)
==== SELECT v.n, CURRENT_DATE IS NOT NULL FROM (VALUES (1), (2)) AS v(n)
---- mended
SELECT id, LEFT(name, 3), POSITION(' ' IN name), IFNULL(code, '-') FROM customers
==== SELECT id, LEFT(name, 3), POSITION(' ' IN name), COALESCE(code, '-') FROM customers
---- mended
SELECT status, AVG(quantity)::numeric(10,2) FROM orders WHERE YEAR(placed_on) = 2024 GROUP BY status
==== SELECT status, AVG(quantity)::numeric(10,2) FROM orders WHERE EXTRACT(YEAR FROM placed_on) = 2024 GROUP BY status
---- mended
SELECT make_date(YEAR(placed_on)::int, 1, 1), COUNT(*) FROM orders GROUP BY 1
==== SELECT make_date(EXTRACT(YEAR FROM placed_on)::int, 1, 1), COUNT(*) FROM orders GROUP BY 1
---- mended
SELECT TO_CHAR(CURDATE(), 'YYYY') >= '2024', id FROM orders WHERE status NOT LIKE 'S%'
==== SELECT TO_CHAR(CURRENT_DATE, 'YYYY') >= '2024', id FROM orders WHERE status NOT LIKE 'S%'
---- mended
SELECT id FROM orders WHERE status LIKE 's%' AND placed_on < CURDATE() AND amount > ALL (SELECT 10::numeric)
==== SELECT id FROM orders WHERE status LIKE 's%' AND placed_on < CURRENT_DATE AND amount > ALL (SELECT 10::numeric)
---- mended
SELECT "OrderID" FROM "Order Details" WHERE "Product Name" LIKE 't%' OR "Qty" > IFNULL(NULL, 50)
==== SELECT "OrderID" FROM "Order Details" WHERE "Product Name" LIKE 't%' OR "Qty" > COALESCE(NULL, 50)
---- mended
SELECT "OrderID", "Product Name" FROM "Order Details" WHERE "Product Name" LIKE 'T%' AND DATE_FORMAT(CURRENT_DATE, '%Y') > '2000'
==== SELECT "OrderID", "Product Name" FROM "Order Details" WHERE "Product Name" LIKE 'T%' AND to_char(CURRENT_DATE, 'YYYY') > '2000'
---- mended or error
SELECT customer_id, COUNTIF(status ILIKE 'open') FROM orders GROUP BY customer_id
==== SELECT customer_id, COUNT(*) FILTER (WHERE status ILIKE 'open') FROM orders GROUP BY customer_id
---- mended
SELECT LOCATE('a', name), POSITION('a' IN name), name::varchar(3) FROM customers WHERE id = 3
==== SELECT POSITION('a' IN name), POSITION('a' IN name), name::varchar(3) FROM customers WHERE id = 3
---- mended or error
SELECT customer_id, SUM(CASE WHEN status = 'open' THEN 1 ELSE 0 END)::float / COUNT(*) FROM orders WHERE DATE(placed_on) < CURDATE() GROUP BY customer_id
==== SELECT customer_id, SUM(CASE WHEN status = 'open' THEN 1 ELSE 0 END)::float / COUNT(*) FROM orders WHERE DATE(placed_on) < CURRENT_DATE GROUP BY customer_id
---- mended or error
SELECT date_trunc('year', placed_on), SUM(amount) FROM orders WHERE placed_on >= DATE_SUB(CURDATE(), INTERVAL 50 YEAR) GROUP BY 1
==== SELECT date_trunc('year', placed_on), SUM(amount) FROM orders WHERE placed_on >= CURRENT_DATE - INTERVAL '50 year' GROUP BY 1
---- mended or error
SELECT id FROM orders WHERE placed_on > date_sub(date '2024-06-01', interval '6 month')
==== SELECT id FROM orders WHERE placed_on > date '2024-06-01' - interval '6 month'
---- mended or error
SELECT DATE_TRUNC('month', placed_on), DATE_DIFF(DATE(shipped_at), placed_on, DAY) FROM orders
==== SELECT DATE_TRUNC('month', placed_on), DATE(shipped_at) - placed_on FROM orders
---- mended or error
SELECT id, FORMAT_DATE('%Y', placed_on), placed_on::text FROM orders
==== SELECT id, to_char(placed_on, 'YYYY'), placed_on::text FROM orders
---- mended or error
SELECT CAST(amount AS integer), SAFE_CAST(code AS integer) FROM orders o JOIN customers c ON c.id = o.customer_id WHERE c.name ILIKE '%n%'
==== SELECT CAST(amount AS integer), CASE WHEN code ~ '^\d+$' THEN code::integer END FROM orders o JOIN customers c ON c.id = o.customer_id WHERE c.name ILIKE '%n%'
---- mended or error
SELECT CAST(STRFTIME('%Y', placed_on) AS INTEGER) AS y, COUNT(DISTINCT customer_id) FILTER (WHERE status ILIKE 's%') FROM orders GROUP BY y
==== SELECT CAST(to_char(placed_on, 'YYYY') AS INTEGER) AS y, COUNT(DISTINCT customer_id) FILTER (WHERE status ILIKE 's%') FROM orders GROUP BY y
---- mended
SELECT id, name FROM customers WHERE strftime('%Y', joined) = '2024' AND name LIKE 'a%' AND vip::int = 1
==== SELECT id, name FROM customers WHERE to_char(joined, 'YYYY') = '2024' AND name LIKE 'a%' AND vip::int = 1
---- mended
SELECT strftime('%Y', joined) AS y, bool_and(vip) FROM customers WHERE joined IS NOT NULL GROUP BY 1
==== SELECT to_char(joined, 'YYYY') AS y, bool_and(vip) FROM customers WHERE joined IS NOT NULL GROUP BY 1
---- mended
SELECT strftime('%Y-%m', placed_on) AS m, id FROM orders WHERE status LIKE 's%' AND placed_on >= CURRENT_DATE - INTERVAL '90 years'
==== SELECT to_char(placed_on, 'YYYY-MM') AS m, id FROM orders WHERE status LIKE 's%' AND placed_on >= CURRENT_DATE - INTERVAL '90 years'
---- mended
SELECT strftime('%Y', placed_on) AS y, COUNT(*) FROM orders WHERE placed_on < now() AND status LIKE 's%' GROUP BY 1
==== SELECT to_char(placed_on, 'YYYY') AS y, COUNT(*) FROM orders WHERE placed_on < now() AND status LIKE 's%' GROUP BY 1
---- mended
SELECT strftime('%Y', placed_on) AS y, EXTRACT(MONTH FROM placed_on) AS m FROM orders WHERE status LIKE 's%'
==== SELECT to_char(placed_on, 'YYYY') AS y, EXTRACT(MONTH FROM placed_on) AS m FROM orders WHERE status LIKE 's%'
---- mended
SELECT id FROM orders WHERE FIND_IN_SET(status, 'open,closed') > 0 AND amount::int > 20
==== SELECT id FROM orders WHERE status = ANY(ARRAY['open', 'closed']) AND amount::int > 20
---- mended
SELECT SUBSTRING(name FROM 1 FOR 3), SUBSTRING_INDEX(name, ' ', 1) FROM customers WHERE name ~* '^[a-c]'
==== SELECT SUBSTRING(name FROM 1 FOR 3), split_part(name, ' ', 1) FROM customers WHERE name ~* '^[a-c]'
---- mended
SELECT id, to_char(amount, 'FM999.00') FROM orders WHERE UNIX_TIMESTAMP(shipped_at) > 0
==== SELECT id, to_char(amount, 'FM999.00') FROM orders WHERE EXTRACT(EPOCH FROM shipped_at) > 0
---- mended or error
SELECT CAST(quantity AS UNSIGNED) FROM orders WHERE status ILIKE 'open'
==== SELECT quantity FROM orders WHERE status ILIKE 'open'
---- mended or error
SELECT COUNT(*) FROM orders WHERE status REGEXP '^sh' AND placed_on < CURDATE() AND amount::int > 1
==== SELECT COUNT(*) FROM orders WHERE status ~* '^sh' AND placed_on < CURRENT_DATE AND amount::int > 1
---- mended
SELECT id, CURDATE() - placed_on > 10 FROM orders WHERE amount > 20
==== SELECT id, CURRENT_DATE - placed_on > 10 FROM orders WHERE amount > 20
---- mended
SELECT id, placed_on + 7 < CURDATE() FROM orders
==== SELECT id, placed_on + 7 < CURRENT_DATE FROM orders
---- mended
SELECT AVG(shipped_at - placed_on) FROM orders WHERE placed_on < CURDATE()
==== SELECT AVG(shipped_at - placed_on) FROM orders WHERE placed_on < CURRENT_DATE
---- mended
SELECT customer_id, MAX(shipped_at) - MIN(shipped_at) FROM orders WHERE DATE_FORMAT(placed_on, '%Y') = '2024' GROUP BY customer_id
==== SELECT customer_id, MAX(shipped_at) - MIN(shipped_at) FROM orders WHERE to_char(placed_on, 'YYYY') = '2024' GROUP BY customer_id
---- mended or error
SELECT id FROM orders WHERE placed_on > CURDATE() - INTERVAL 100 YEAR AND status ILIKE 's%'
==== SELECT id FROM orders WHERE placed_on > CURRENT_DATE - INTERVAL '100 YEAR' AND status ILIKE 's%'
---- mended or error
SELECT name, YEAR(born) FROM customers WHERE vip IS NOT FALSE AND born < CURDATE() ORDER BY born LIMIT 2
==== SELECT name, EXTRACT(YEAR FROM born) FROM customers WHERE vip IS NOT FALSE AND born < CURRENT_DATE ORDER BY born LIMIT 2
---- mended or error
SELECT (vip AND balance > 1)::text, DATE_FORMAT(born, '%Y') FROM customers
==== SELECT (vip AND balance > 1)::text, to_char(born, 'YYYY') FROM customers
---- mended
SELECT lpad(id::text, 4, '0'), strftime('%Y', placed_on) FROM orders
==== SELECT lpad(id::text, 4, '0'), to_char(placed_on, 'YYYY') FROM orders
---- mended
SELECT lpad(status, 4, '0'), strftime('%Y', placed_on) FROM orders
==== SELECT lpad(status, 4, '0'), to_char(placed_on, 'YYYY') FROM orders
---- mended
SELECT regexp_replace(name, '[aeiou]', '', 'g'), strftime('%Y', born) FROM customers
==== SELECT regexp_replace(name, '[aeiou]', '', 'g'), to_char(born, 'YYYY') FROM customers
---- mended
SELECT corr(amount, quantity), MAX(strftime('%Y', placed_on)) FROM orders
==== SELECT corr(amount, quantity), MAX(to_char(placed_on, 'YYYY')) FROM orders
---- mended
SELECT mode() WITHIN GROUP (ORDER BY quantity), MAX(strftime('%Y', placed_on)) FROM orders
==== SELECT mode() WITHIN GROUP (ORDER BY quantity), MAX(to_char(placed_on, 'YYYY')) FROM orders
---- mended
SELECT status, COUNT(*) FROM orders WHERE strftime('%Y', placed_on) = '2024' GROUP BY GROUPING SETS ((status), ())
==== SELECT status, COUNT(*) FROM orders WHERE to_char(placed_on, 'YYYY') = '2024' GROUP BY GROUPING SETS ((status), ())
---- mended
SELECT status, COUNT(*) FROM orders WHERE DATE_FORMAT(placed_on, '%Y') = '2024' GROUP BY ROLLUP (status)
==== SELECT status, COUNT(*) FROM orders WHERE to_char(placed_on, 'YYYY') = '2024' GROUP BY ROLLUP (status)
---- mended
SELECT c.id, o.id FROM customers c FULL OUTER JOIN orders o ON o.customer_id = c.id AND DATE_FORMAT(o.placed_on, '%Y') = '2024'
==== SELECT c.id, o.id FROM customers c FULL OUTER JOIN orders o ON o.customer_id = c.id AND to_char(o.placed_on, 'YYYY') = '2024'
---- mended
SELECT id FROM orders WHERE status LIKE 's%' AND amount = ANY (SELECT amount FROM orders) AND strftime('%Y', placed_on) > '2000'
==== SELECT id FROM orders WHERE status LIKE 's%' AND amount = ANY (SELECT amount FROM orders) AND to_char(placed_on, 'YYYY') > '2000'
---- mended or error
SELECT id FROM orders WHERE (placed_on, shipped_at) OVERLAPS (DATE '2024-01-01', DATE '2024-02-01') AND placed_on < CURDATE()
==== SELECT id FROM orders WHERE (placed_on, shipped_at) OVERLAPS (DATE '2024-01-01', DATE '2024-02-01') AND placed_on < CURRENT_DATE
---- mended
SELECT name FROM customers WHERE born > '1989-01-01'::date AND name LIKE 'A%' AND IF(vip, 1, 0) = 1
==== SELECT name FROM customers WHERE born > '1989-01-01'::date AND name LIKE 'A%' AND CASE WHEN vip THEN 1 ELSE 0 END = 1
