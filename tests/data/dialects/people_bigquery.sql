SELECT c.name, COUNTIF(o.status = 'open') AS open_orders FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.name ORDER BY c.name
==== SELECT c.name, COUNT(*) FILTER (WHERE o.status = 'open') FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.name
SELECT customer_id, SAFE_DIVIDE(SUM(returned), SUM(quantity)) AS rate FROM `shop.orders` GROUP BY customer_id ORDER BY rate DESC, customer_id
==== SELECT customer_id, SUM(returned)::float8 / NULLIF(SUM(quantity), 0) FROM orders GROUP BY customer_id
SELECT DATE_TRUNC(placed_on, MONTH) AS month, SUM(amount) AS revenue FROM orders GROUP BY month ORDER BY month
==== SELECT date_trunc('month', placed_on)::date, SUM(amount) FROM orders GROUP BY 1
SELECT FORMAT_DATE('%Y-%m', placed_on) AS m, COUNT(DISTINCT customer_id) AS buyers FROM orders GROUP BY 1 ORDER BY 1
==== SELECT to_char(placed_on, 'YYYY-MM'), COUNT(DISTINCT customer_id) FROM orders GROUP BY 1
SELECT id, DATE_DIFF(DATE(shipped_at), placed_on, DAY) AS days FROM orders WHERE shipped_at IS NOT NULL
==== SELECT id, shipped_at::date - placed_on FROM orders WHERE shipped_at IS NOT NULL
SELECT id, amount FROM orders WHERE placed_on >= DATE_SUB(DATE '2024-03-31', INTERVAL 60 DAY)
==== SELECT id, amount FROM orders WHERE placed_on >= date '2024-03-31' - 60
SELECT customer_id, id FROM orders WHERE TRUE QUALIFY ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY amount DESC) = 1
==== SELECT customer_id, id FROM (SELECT customer_id, id, row_number() OVER (PARTITION BY customer_id ORDER BY amount DESC) n FROM orders) x WHERE n = 1
SELECT * EXCEPT (shipped_at, discount) FROM orders WHERE id < 3
==== SELECT id, customer_id, status, placed_on, amount, quantity, returned FROM orders WHERE id < 3
SELECT IFNULL(country, 'unknown') AS country, COUNT(*) AS n FROM customers GROUP BY country
==== SELECT COALESCE(country, 'unknown'), COUNT(*) FROM customers GROUP BY country
SELECT EXTRACT(YEAR FROM placed_on) AS y, EXTRACT(DAYOFWEEK FROM placed_on) AS d, COUNT(*) FROM orders GROUP BY y, d
==== SELECT EXTRACT(YEAR FROM placed_on), EXTRACT(DOW FROM placed_on) + 1, COUNT(*) FROM orders GROUP BY 1, 2
SELECT SAFE_CAST(code AS INT64) AS n, id FROM customers
==== SELECT CASE WHEN code ~ '^\d+$' THEN code::int END, id FROM customers
SELECT id, IF(amount > 100, 'big', 'small') AS size, CAST(amount AS STRING) LIKE '1%' AS one FROM orders WHERE DATE_DIFF(DATE '2024-12-31', placed_on, MONTH) < 12
==== SELECT id, CASE WHEN amount > 100 THEN 'big' ELSE 'small' END, amount::text LIKE '1%' FROM orders WHERE placed_on >= '2024-01-01'
SELECT status, STRING_AGG(CAST(id AS STRING), ', ' ORDER BY id) AS ids FROM `p.d.orders` GROUP BY status
==== SELECT status, string_agg(id::text, ', ' ORDER BY id) FROM orders GROUP BY status
SELECT SPLIT(name, ' ')[SAFE_OFFSET(1)] AS last, id FROM customers
==== SELECT NULLIF(split_part(name, ' ', 2), ''), id FROM customers
SELECT REGEXP_CONTAINS(name, r'^[A-E]') AS m, id FROM customers
==== SELECT name ~ '^[A-E]', id FROM customers
SELECT TIMESTAMP_TRUNC(shipped_at, DAY) AS d, COUNT(*) FROM orders WHERE shipped_at IS NOT NULL GROUP BY d
==== SELECT date_trunc('day', shipped_at), COUNT(*) FROM orders WHERE shipped_at IS NOT NULL GROUP BY 1
SELECT DATETIME_DIFF(shipped_at, DATETIME(placed_on), HOUR) AS h FROM orders WHERE id = 1
==== SELECT 33
SELECT name, DATE_DIFF(DATE '2024-06-01', born, YEAR) AS age FROM customers WHERE born IS NOT NULL
==== SELECT name, 2024 - EXTRACT(YEAR FROM born) FROM customers WHERE born IS NOT NULL
WITH m AS (SELECT DATE_TRUNC(placed_on, MONTH) AS month, SUM(amount) AS total FROM orders GROUP BY 1) SELECT month, total, LAG(total) OVER (ORDER BY month) AS prev, SAFE_DIVIDE(total - LAG(total) OVER (ORDER BY month), LAG(total) OVER (ORDER BY month)) AS growth FROM m ORDER BY month
==== WITH m AS (SELECT date_trunc('month', placed_on)::date AS month, SUM(amount) AS total FROM orders GROUP BY 1) SELECT month, total, LAG(total) OVER (ORDER BY month) AS prev, (total - LAG(total) OVER (ORDER BY month)) / LAG(total) OVER (ORDER BY month) AS growth FROM m
SELECT APPROX_COUNT_DISTINCT(customer_id) AS n, ANY_VALUE(1) AS one FROM orders WHERE SAFE_DIVIDE(1, quantity) < 1
==== SELECT COUNT(DISTINCT customer_id), 1 FROM orders WHERE quantity > 1
SELECT id, SAFE_DIVIDE(amount, 0) FROM orders ORDER BY discount LIMIT 2
==== SELECT id, NULL FROM orders ORDER BY discount NULLS FIRST, id LIMIT 2
SELECT d FROM UNNEST(GENERATE_DATE_ARRAY('2024-01-01', '2024-03-01', INTERVAL 1 MONTH)) AS d
==== SELECT d::date FROM generate_series(date '2024-01-01', '2024-03-01', '1 month') d
SELECT n FROM UNNEST(GENERATE_ARRAY(1, 5)) AS n WHERE MOD(n, 2) = 1
==== SELECT n FROM generate_series(1, 5) n WHERE n % 2 = 1
SELECT x, pos FROM UNNEST(['a', 'b', 'c']) AS x WITH OFFSET AS pos
==== SELECT x, o - 1 FROM unnest(ARRAY['a', 'b', 'c']) WITH ORDINALITY AS t(x, o)
SELECT CONCAT(name, ' / ', IFNULL(city, '-')) AS l, SAFE_CAST(code AS FLOAT64) FROM customers WHERE id < 3
==== SELECT name || ' / ' || COALESCE(city, '-'), code::float8 FROM customers WHERE id < 3
SELECT LOGICAL_OR(vip) AS any_vip, LOGICAL_AND(vip) AS all_vip FROM customers
==== SELECT bool_or(vip), bool_and(vip) FROM customers
SELECT PARSE_DATE('%Y-%m-%d', '2024-05-06') AS d, DATE(2024, 5, 6) AS e, DATE_ADD(DATE '2024-01-31', INTERVAL 1 MONTH) AS f
==== SELECT date '2024-05-06', date '2024-05-06', date '2024-02-29'
SELECT country, COUNT(*) AS n, ROUND(AVG(score), 2) AS s FROM customers GROUP BY country HAVING COUNTIF(vip) > 0
==== SELECT country, COUNT(*), ROUND(AVG(score)::numeric, 2) FROM customers GROUP BY country HAVING COUNT(*) FILTER (WHERE vip) > 0
SELECT JSON_VALUE(body, '$.owner.name') AS owner FROM documents
==== SELECT body #>> '{owner,name}' FROM documents
SELECT o.id FROM `proj.shop.orders` AS o INNER JOIN `proj.shop.customers` AS c ON o.customer_id = c.id WHERE c.country = 'Spain'
==== SELECT o.id FROM orders AS o INNER JOIN customers AS c ON o.customer_id = c.id WHERE c.country = 'Spain'
SELECT TIMESTAMP_DIFF(shipped_at, TIMESTAMP('2024-01-01'), DAY) FROM orders WHERE id = 2
==== SELECT 32
SELECT FORMAT_TIMESTAMP('%H:%M', shipped_at) FROM orders WHERE id = 2
==== SELECT '18:45'
SELECT LENGTH(name), SUBSTR(name, -3), UPPER(LEFT(name, 2)), STRPOS(name, 'n'), REGEXP_REPLACE(name, r'[aeiou]', '*') FROM customers WHERE REGEXP_CONTAINS(name, 'n')
==== SELECT length(name), right(name, 3), upper(left(name, 2)), strpos(name, 'n'), regexp_replace(name, '[aeiou]', '*', 'g') FROM customers WHERE name ~ 'n'
SELECT CASE WHEN DATE_DIFF(CURRENT_DATE(), born, YEAR) >= 18 THEN 'adult' ELSE 'minor' END AS g, COUNT(*) FROM customers WHERE born IS NOT NULL GROUP BY g
==== SELECT 'adult', COUNT(*) FROM customers WHERE born IS NOT NULL
SELECT status, SUM(amount) AS s, SAFE_DIVIDE(SUM(amount), SUM(SUM(amount)) OVER ()) AS share FROM orders GROUP BY status
==== SELECT status, SUM(amount), SUM(amount) / SUM(SUM(amount)) OVER () FROM orders GROUP BY status
SELECT id, quantity / 2 AS half, DIV(quantity, 2) AS h2, MOD(quantity, 2) AS m FROM orders
==== SELECT id, quantity / 2.0, quantity / 2, quantity % 2 FROM orders
SELECT ARRAY_AGG(id ORDER BY amount DESC LIMIT 2) FROM orders
==== SELECT (array_agg(id ORDER BY amount DESC))[:2] FROM orders
SELECT ARRAY_LENGTH(SPLIT(name, ' ')) AS words FROM customers WHERE id <= 3
==== SELECT cardinality(string_to_array(name, ' ')) FROM customers WHERE id <= 3
SELECT * REPLACE (UPPER(status) AS status) FROM orders WHERE id = 1
==== SELECT id, customer_id, upper(status), placed_on, shipped_at, amount, quantity, returned, discount FROM orders WHERE id = 1
SELECT AVG(IF(status = 'open', amount, NULL)) AS a, MAX(DATE_TRUNC(placed_on, YEAR)) AS y FROM orders
==== SELECT AVG(amount) FILTER (WHERE status = 'open'), MAX(date_trunc('year', placed_on)::date) FROM orders
