SELECT c.name, COUNT(o.id) AS n, IFNULL(SUM(o.amount), 0) AS total FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id ORDER BY total DESC, c.name
SELECT strftime('%Y', placed_on) AS year, strftime('%m', placed_on) AS month, COUNT(*) FROM orders GROUP BY year, month ORDER BY year DESC, month DESC
SELECT name, CAST((julianday('2024-06-01') - julianday(born)) / 365.25 AS INTEGER) AS age FROM customers WHERE born IS NOT NULL ORDER BY age DESC, name
SELECT id, ROUND(julianday(shipped_at) - julianday(placed_on), 1) AS days FROM orders WHERE shipped_at IS NOT NULL ORDER BY days DESC, id LIMIT 3
SELECT status, GROUP_CONCAT(id, ', ') FROM (SELECT id, status FROM orders ORDER BY id) GROUP BY status ORDER BY status
SELECT name, SUBSTR(name, 1, INSTR(name, ' ') - 1) AS first FROM customers WHERE INSTR(name, ' ') > 0 ORDER BY id
SELECT "Product Name", SUM("UnitPrice" * "Qty") AS revenue FROM "Order Details" GROUP BY "Product Name" ORDER BY revenue DESC
SELECT [Product Name], COUNT(*) FROM [Order Details] GROUP BY [Product Name] HAVING COUNT(*) > 1 ORDER BY 1
SELECT `Product Name`, MAX(Qty) FROM `Order Details` GROUP BY `Product Name` ORDER BY 2 DESC
SELECT * FROM orders WHERE date(placed_on) BETWEEN date('2024-01-01') AND date('2024-03-31') ORDER BY placed_on
SELECT COUNT(*) FROM orders WHERE placed_on >= date('2024-06-01', '-6 months')
SELECT id, CASE strftime('%w', placed_on) WHEN '0' THEN 'Sun' WHEN '6' THEN 'Sat' ELSE 'weekday' END AS d FROM orders ORDER BY id
SELECT customer_id, amount, SUM(amount) OVER (PARTITION BY customer_id ORDER BY placed_on) AS running FROM orders ORDER BY customer_id, placed_on
WITH r AS (SELECT *, ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY amount DESC) AS rn FROM orders) SELECT customer_id, amount FROM r WHERE rn = 1 ORDER BY customer_id
SELECT country, COUNT(*) AS n, SUM(vip) AS vips FROM customers GROUP BY country ORDER BY n DESC, country
SELECT ROUND(100.0 * SUM(CASE WHEN returned > 0 THEN 1 ELSE 0 END) / COUNT(*), 2) AS pct FROM orders
SELECT CAST(SUM(returned) AS REAL) / SUM(quantity) AS rate FROM orders
SELECT CAST(SUM(returned) AS FLOAT) * 100 / COUNT(*) FROM orders WHERE status LIKE 'SHIP%'
SELECT name FROM customers WHERE city IS NOT NULL AND city != '' AND country LIKE 'f%' ORDER BY name
SELECT name FROM customers WHERE name LIKE '%an%' OR name LIKE '%E%' ORDER BY name COLLATE NOCASE
SELECT name, IIF(vip = 1, 'yes', 'no') AS vip, IIF(balance > 100, 'rich', 'poor') FROM customers ORDER BY id
SELECT DISTINCT strftime('%Y', joined) FROM customers ORDER BY 1
SELECT id FROM customers ORDER BY score LIMIT 2
SELECT id FROM customers ORDER BY score DESC LIMIT 1, 2
SELECT MAX(amount) - MIN(amount), AVG(quantity), TOTAL(discount) FROM orders
SELECT o.id, c.name FROM orders AS o INNER JOIN customers AS c ON c.id == o.customer_id WHERE c.vip == 1 ORDER BY o.id
SELECT name, date(born, 'start of year'), date(born, '+18 years') FROM customers WHERE born NOT NULL ORDER BY id
SELECT strftime('%H', shipped_at) AS h, COUNT(*) FROM orders WHERE shipped_at IS NOT NULL GROUP BY h ORDER BY h
SELECT COUNT(*) FROM customers WHERE strftime('%m-%d', born) >= '07-01'
SELECT name, strftime('%Y', 'now') - strftime('%Y', born) > 20 AS adult FROM customers WHERE born IS NOT NULL ORDER BY id
SELECT id, printf('%.2f', amount) AS a, printf('%05d', id) AS code FROM orders ORDER BY id
SELECT name || ' <' || COALESCE(city, 'n/a') || '>' FROM customers ORDER BY id
SELECT UPPER(SUBSTR(status, 1, 1)) || LOWER(SUBSTR(status, 2)) AS s, COUNT(*) FROM orders GROUP BY s ORDER BY s
SELECT id FROM orders WHERE customer_id IN (SELECT id FROM customers WHERE country = 'Spain' OR city = "Lyon") ORDER BY id
SELECT c.name FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id) ORDER BY c.name
SELECT c.name, p.name AS parent FROM customers c LEFT JOIN customers p ON p.id = c.parent_id ORDER BY p.name, c.name
WITH RECURSIVE t(id, name, depth) AS (SELECT id, name, 0 FROM customers WHERE parent_id IS NULL UNION ALL SELECT c.id, c.name, t.depth + 1 FROM customers c JOIN t ON c.parent_id = t.id) SELECT depth, COUNT(*) FROM t GROUP BY depth ORDER BY depth
WITH RECURSIVE m(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM m WHERE n < 12) SELECT n, (SELECT COUNT(*) FROM orders WHERE CAST(strftime('%m', placed_on) AS INTEGER) = n) FROM m
SELECT AVG(julianday(shipped_at) - julianday(placed_on)) FROM orders
SELECT id, (strftime('%s', shipped_at) - strftime('%s', placed_on)) / 3600 AS hours FROM orders WHERE shipped_at IS NOT NULL ORDER BY id
SELECT date(placed_on, 'weekday 0', '-6 days') AS week, SUM(amount) FROM orders GROUP BY week ORDER BY week
SELECT strftime('%Y-W%W', placed_on) AS w, COUNT(*) FROM orders GROUP BY w ORDER BY w
SELECT json_extract(body, '$.owner.name') AS owner, json_extract(body, '$.kind') AS kind FROM documents ORDER BY id
SELECT d.id, t.value FROM documents d, json_each(d.body, '$.tags') t ORDER BY d.id, t.value
SELECT NULLIF(city, '') AS c, LENGTH(name) AS l, TRIM(name) AS t, REPLACE(name, ' ', '_') AS r FROM customers ORDER BY id
SELECT quantity / 2 AS half, quantity % 3 AS rest, quantity * 1.0 / 3 AS third FROM orders ORDER BY id
SELECT CASE WHEN quantity < 3 THEN 'few' WHEN quantity BETWEEN 3 AND 9 THEN 'some' ELSE 'many' END AS bucket, COUNT(*) AS n FROM orders GROUP BY bucket ORDER BY n DESC, bucket
SELECT strftime('%Y', placed_on) AS y, SUM(CASE WHEN status = 'open' THEN amount END) AS open_sum, SUM(amount) AS s FROM orders GROUP BY 1 HAVING s > 100 ORDER BY 1
SELECT id, LAG(amount) OVER (ORDER BY placed_on) AS prev, amount - LAG(amount, 1, 0) OVER (ORDER BY placed_on) AS diff FROM orders ORDER BY placed_on
SELECT id, NTILE(3) OVER (ORDER BY amount DESC) AS tile, DENSE_RANK() OVER (ORDER BY returned DESC) AS dr FROM orders ORDER BY id
SELECT typeof(amount) FROM orders WHERE id = 1 UNION SELECT status FROM orders WHERE id = 2
SELECT status, COUNT(*) FILTER (WHERE returned > 0) AS r, MIN(placed_on) AS first FROM orders GROUP BY status ORDER BY status
SELECT abs(balance) AS a, round(balance) AS r, max(balance, 0) AS m FROM customers WHERE balance IS NOT NULL ORDER BY id
