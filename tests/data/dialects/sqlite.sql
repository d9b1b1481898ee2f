-- What SQLite's texts mean, each asked of a real SQLite too. A head says what is wanted: `right`
-- (the same rows; `ordered` where their order counts), `likely` (the same rows, less certain), or
-- `refused` and a word of the hint.
---- right
SELECT STRFTIME('%Y', placed_on) AS y, COUNT(*) FROM orders GROUP BY STRFTIME('%Y', placed_on)
---- right ordered
SELECT strftime('%Y-%m', placed_on) AS month, SUM(amount) FROM orders GROUP BY month ORDER BY month
---- right
SELECT id FROM orders WHERE strftime('%Y', placed_on) = '2024'
---- right
SELECT id, strftime('%d/%m/%Y %H:%M:%S', shipped_at) FROM orders
---- right
SELECT id, strftime('%j', placed_on), strftime('%w', placed_on), strftime('%s', placed_on) FROM orders
---- right
SELECT id FROM customers WHERE CAST(strftime('%Y', joined) AS INTEGER) - CAST(strftime('%Y', born) AS INTEGER) > 30
---- right
SELECT id, strftime('%Y', joined) - strftime('%Y', born) FROM customers
---- right
SELECT id FROM orders WHERE strftime('%m', placed_on) BETWEEN '01' AND '02'
---- right
SELECT id FROM orders WHERE strftime('%m', placed_on) IN ('01', '03')
---- refused strftime
SELECT id FROM orders WHERE strftime('%Y', placed_on) = 2024
---- refused strftime
SELECT id FROM orders WHERE strftime('%Y', placed_on) >= 2000
---- right
SELECT id, strftime('%W', placed_on) FROM orders WHERE ifnull(discount, 0) > 0
---- refused localtime
SELECT date('now', 'localtime')
---- likely
SELECT id, strftime('%Y', since) FROM customers
---- likely
SELECT id, date(since, '+1 day') FROM customers
---- right
SELECT id FROM orders WHERE placed_on >= DATE('2024-01-31')
---- right
SELECT id, DATE(placed_on, '+1 month') FROM orders
---- right
SELECT id, DATE(placed_on, '-1 month'), DATE(placed_on, '+1 year'), DATE(placed_on, '-11 months', '+3 days') FROM orders
---- right
SELECT id, DATE(placed_on, 'start of month'), DATE(placed_on, 'start of month', '+1 month', '-1 day') FROM orders
---- right
SELECT id, DATETIME(shipped_at, '-7 days', 'start of day'), DATETIME(shipped_at, '+90 minutes') FROM orders
---- right
SELECT id, DATE(placed_on, 'weekday 0'), DATE(placed_on, 'weekday 3', '-7 days') FROM orders
---- right
SELECT id, DATE(shipped_at), TIME(shipped_at) FROM orders
---- right
SELECT DATE('now') = DATE('now', 'start of day'), DATE('now', '-7 days') < DATE('now')
---- right
SELECT id FROM orders WHERE placed_on < DATE('now', '-30 days') AND DATE(shipped_at) > '2024-01-15'
---- right
SELECT id FROM orders WHERE shipped_at >= DATE('2024-01-01')
---- right
SELECT id FROM orders WHERE shipped_at <= DATE('2024-01-01')
---- right
SELECT id, JULIANDAY(shipped_at) - JULIANDAY(placed_on) FROM orders
---- right
SELECT id, CAST(JULIANDAY(shipped_at) - JULIANDAY(placed_on) AS INTEGER) AS days FROM orders
---- right
SELECT AVG(julianday(shipped_at) - julianday(placed_on)) FROM orders
---- right
SELECT julianday('2024-01-01 12:00:00'), julianday('2024-01-01')
---- right
SELECT id FROM orders WHERE (julianday('2024-03-01') - julianday(placed_on)) / 365.25 < 1
---- right
SELECT datetime(1704067200, 'unixepoch'), date(1704067200, 'unixepoch', '+1 day'), strftime('%Y', 1704067200, 'unixepoch')
---- right
SELECT IFNULL(city, 'nowhere') FROM customers
---- right
SELECT id, IIF(amount > 50, 'big', 'small') FROM orders
---- right
SELECT customer_id, SUM(IIF(status = 'open', 1, 0)) FROM orders GROUP BY customer_id
---- right
SELECT SUM(status = 'open'), SUM(amount > 50 AND quantity > 3), AVG(ifnull(discount, 0) > 0.2) FROM orders
---- right
SELECT customer_id, GROUP_CONCAT(id) FROM (SELECT customer_id, id FROM orders ORDER BY id) AS o GROUP BY customer_id
---- right
SELECT country, GROUP_CONCAT(name, '; ') FROM (SELECT country, name FROM customers ORDER BY id) GROUP BY country
---- right
SELECT id FROM customers WHERE id == 2
---- right
SELECT id FROM customers WHERE name GLOB 'A*' OR name GLOB '?ve'
---- right
SELECT id FROM customers WHERE name GLOB '[a-c]*' AND ifnull(city, '') GLOB '*'
---- right
SELECT id FROM customers WHERE country LIKE 'FRANCE' AND ifnull(city, '') <> ''
---- right
SELECT id FROM orders WHERE status LIKE 'ship%' AND ifnull(quantity, 0) > 0
---- right
SELECT id FROM customers WHERE name LIKE '%\%%' AND ifnull(id, 0) > 0
---- right
SELECT id FROM customers WHERE ifnull(name, '') LIKE 'a!%b!_c' ESCAPE '!'
---- right
SELECT id FROM orders WHERE placed_on LIKE '2024-01%' AND ifnull(quantity, 0) > 0
---- right
SELECT id, SUBSTR(name, -3), SUBSTR(name, -5, 2), SUBSTR(name, 0, 3), SUBSTR(name, 2), SUBSTR(name, -20, 17) FROM customers
---- right
SELECT SUBSTR(placed_on, 1, 7) AS m, COUNT(*) FROM orders GROUP BY SUBSTR(placed_on, 1, 7)
---- right
SELECT id, INSTR(name, ' '), SUBSTR(name, INSTR(name, ' ') + 1), SUBSTR(name, 1, INSTR(name, ' ') - 1) FROM customers
---- right
SELECT TOTAL(amount), TOTAL(discount), TOTAL(quantity) FROM orders WHERE id > 100
---- right
SELECT id, printf('%.2f', amount), printf('%d pieces', quantity), printf('%s: %.1f%%', status, amount) FROM orders
---- right
SELECT id, FORMAT('%s-%s', status, id) FROM orders
---- refused %x
SELECT printf('%x', id) FROM orders
---- likely
SELECT id, json_extract(body, '$.kind') FROM documents
---- likely
SELECT id, body ->> '$.owner.name', body ->> 'kind' FROM documents
---- likely
SELECT id, body ->> '$.size' FROM documents
---- likely
SELECT id FROM documents WHERE json_extract(body, '$.kind') = 'note' AND json_extract(body, '$.owner.age') > 30
---- likely
SELECT d.id, t.value FROM documents AS d, json_each(d.body, '$.tags') AS t
---- likely
SELECT id, json_array_length(body, '$.tags'), json_extract(body, '$.tags[0]') FROM documents
---- right
SELECT name FROM customers WHERE country = "Spain" AND ifnull(city, '') = "Madrid"
---- right
SELECT "name", [country], `city` FROM customers WHERE "country" IS NOT "Spain"
---- right
SELECT [Product Name], SUM("Qty" * UnitPrice) FROM [Order Details] GROUP BY [Product Name]
---- right
SELECT id FROM customers WHERE code = 12
---- right
SELECT id FROM customers WHERE id = '2' AND ifnull(city, 'x') <> 'x'
---- refused compared with a number
SELECT c.id FROM customers AS c JOIN orders AS o ON c.code = o.id
---- right
SELECT id, quantity / returned, quantity % returned FROM orders
---- right
SELECT id, quantity / 2, amount / 2.0, -7 / 2, 7 / -2, quantity * 1.0 / NULLIF(returned, 0) FROM orders
---- right
SELECT CAST(SUM(quantity) AS REAL) / COUNT(*), SUM(quantity) / COUNT(*), CAST(SUM(returned) AS FLOAT) * 100 / SUM(quantity) FROM orders
---- right
SELECT id, 'order ' || id || ' of ' || customer_id FROM orders
---- refused text
SELECT 'score ' || score FROM customers
---- right
SELECT id, CAST(score AS INTEGER), CAST(balance AS INTEGER), CAST(-2.7 AS INTEGER), CAST('12abc' AS INTEGER), CAST(id AS TEXT) FROM customers
---- right
SELECT id, CAST(code AS INTEGER), CAST(code AS REAL) FROM customers
---- refused CAST
SELECT CAST(placed_on AS DATE) FROM orders
---- right
SELECT CAST(id AS DECIMAL(10, 2)) / 2, CAST(quantity AS NUMERIC) FROM orders
---- right
SELECT id, ROUND(score), ROUND(score, 2), ROUND(balance, 1), ROUND(-2.5), ROUND(5) / 2 FROM customers
---- right
SELECT ROUND(AVG(score), 2), ROUND(CAST(COUNT(vip) AS REAL) / COUNT(id), 3) FROM customers
---- right
SELECT id FROM customers WHERE vip = 1 AND ifnull(balance, 0) >= 0
---- right
SELECT COUNT(CASE WHEN vip = 0 THEN id END), SUM(vip), SUM(CASE WHEN vip THEN 1 ELSE 0 END) FROM customers
---- right
SELECT id FROM orders WHERE returned AND NOT (quantity - 10)
---- right ordered
SELECT id, city FROM customers ORDER BY city, id
---- right ordered
SELECT id, city FROM customers ORDER BY city DESC, id LIMIT 1, 3
---- right ordered
SELECT name FROM customers ORDER BY name COLLATE NOCASE DESC LIMIT -1 OFFSET 2
---- right ordered
SELECT name FROM customers WHERE ifnull(id, 0) > 0 ORDER BY name
---- right
SELECT id, MAX(quantity, returned), MIN(quantity, 5, returned), MAX(quantity, NULL) FROM orders
---- right
SELECT MAX(ifnull(city, '')), MIN(name), COUNT(DISTINCT country) FROM customers
---- fails
SELECT customer_id, status, IFNULL(MAX(amount), 0) FROM orders GROUP BY customer_id
---- right
SELECT COUNT(*) FROM (SELECT id FROM orders WHERE ifnull(id, 0) > 0 ORDER BY RANDOM() LIMIT 3)
---- refused typeof
SELECT TYPEOF(amount) FROM orders
---- refused last_insert_rowid
SELECT last_insert_rowid()
---- fails
SELECT rowid FROM orders WHERE ifnull(id, 0) = 1
---- refused REGEXP
SELECT id FROM orders WHERE status REGEXP '^s'
---- right
SELECT id, LENGTH(name), LENGTH(id), UPPER(name), LOWER(country), TRIM('  x '), LTRIM('xxa', 'x'), REPLACE(name, ' ', '_') FROM customers
---- right
SELECT id, UNICODE(name), HEX(code), QUOTE(name), QUOTE(id), ABS(balance), COALESCE(city, country, '?'), NULLIF(city, '') FROM customers
---- right
SELECT id FROM customers WHERE parent_id ISNULL OR city NOTNULL AND ifnull(id, 0) = 2
---- right
SELECT id FROM customers WHERE country IS city OR parent_id IS NOT 1
---- right
SELECT id, RANK() OVER (PARTITION BY customer_id ORDER BY IFNULL(discount, 0) DESC) FROM orders
---- right
SELECT id, SUM(quantity) OVER (ORDER BY placed_on ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), LAG(status) OVER (ORDER BY placed_on), ifnull(discount, 0) FROM orders
---- right
WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 5) SELECT x, date('2024-01-30', '+' || x || ' days') FROM n
---- right
WITH t AS (SELECT customer_id, SUM(amount) AS total FROM orders GROUP BY customer_id) SELECT c.name, t.total FROM customers AS c JOIN t ON t.customer_id = c.id WHERE t.total > (SELECT IFNULL(AVG(total), 0) FROM t)
---- right
SELECT c.id, (SELECT COUNT(*) FROM orders AS o WHERE o.customer_id == c.id) FROM customers AS c
---- right
VALUES (1, IFNULL(NULL, 'x')), (2, 'y')
---- right
SELECT id FROM customers WHERE ifnull(id, 0) IN (SELECT customer_id FROM orders EXCEPT SELECT 1)
---- right
SELECT strftime('%Y', placed_on) AS year, COUNT(*) AS n FROM orders GROUP BY year HAVING n > 1
---- right
SELECT CASE WHEN strftime('%m', placed_on) IN ('01', '02', '03') THEN 'Q1' ELSE 'later' END AS q, COUNT(*) FROM orders GROUP BY q
---- right
SELECT (strftime('%m', placed_on) + 2) / 3 AS quarter, COUNT(*) FROM orders GROUP BY quarter
---- right
SELECT COUNT(CASE WHEN IIF(status = 'open', 1, 0) = 1 THEN 1 END) * 100.0 / COUNT(*) FROM orders
---- right
SELECT c.name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND strftime('%Y', o.placed_on) = '2023')
---- right
SELECT T1.name, T2.status FROM customers AS T1 INNER JOIN orders AS T2 ON T1.id = T2.customer_id WHERE STRFTIME('%Y-%m', T2.placed_on) = '2024-01'
---- right
SELECT id FROM orders WHERE placed_on BETWEEN date('2024-01-01') AND date('2024-01-01', '+1 month')
---- right
SELECT current_date = date('now'), strftime('%H:%M', '2024-01-31 10:20:30'), time('10:20:30'), date('2024-01-31', 'start of year')
---- right ordered
SELECT DISTINCT country AS c FROM customers WHERE ifnull(id, 0) > 0 ORDER BY c DESC LIMIT 3
---- right ordered
SELECT name AS n, IFNULL(city, '') AS c FROM customers ORDER BY c, n
---- right ordered
SELECT name FROM customers WHERE ifnull(id, 0) < 4 UNION SELECT status FROM orders ORDER BY 1
---- right ordered
SELECT name, ifnull(country, 'none') FROM customers ORDER BY 2 DESC, 1
---- right
SELECT name FROM customers WHERE name > 'C' AND name < 'b' AND ifnull(id, 0) > 0
---- right
SELECT id, ROW_NUMBER() OVER (ORDER BY name), ifnull(city, '') FROM customers
---- right
SELECT id, cast(strftime('%Y', joined) as int) - cast(strftime('%Y', born) as int) - (strftime('%m-%d', joined) < strftime('%m-%d', born)) AS age FROM customers
---- right
SELECT y, COUNT(*) FROM (SELECT strftime('%Y', placed_on) AS y FROM orders) AS t WHERE y = '2024' GROUP BY y
---- refused strftime
SELECT y FROM (SELECT strftime('%Y', placed_on) AS y FROM orders) AS t WHERE y = 2024
---- right
SELECT id FROM orders WHERE shipped_at BETWEEN '2024-01-01' AND '2024-01-16'
---- right
SELECT id FROM orders WHERE ifnull(id, 0) > 0 AND placed_on > '2024-02'
---- right
SELECT id FROM orders WHERE shipped_at > '2024-01-01' AND DATE(placed_on) <= '2024-01-31'
---- right
SELECT id FROM orders WHERE ifnull(id, 0) > 0 AND placed_on >= '2024-01-31 00:00:00'
---- right
SELECT id FROM orders WHERE datetime(placed_on) >= '2024-01-31 00:00:00' AND placed_on < datetime('2024-03-31')
---- right
SELECT MAX(DATE(shipped_at)), MIN(placed_on), MAX(JULIANDAY(placed_on)) FROM orders
---- right
SELECT COUNT(DISTINCT strftime('%Y-%m', placed_on)), COUNT(*) FILTER (WHERE status = 'open') FROM orders
---- right
SELECT strftime('%Y', MAX(placed_on)), DATE(MIN(shipped_at), '-1 day') FROM orders
---- right
SELECT id, CASE strftime('%w', placed_on) WHEN '0' THEN 'Sun' WHEN '6' THEN 'Sat' ELSE 'day' END FROM orders
---- right
SELECT country, ROUND(AVG(CAST(strftime('%Y', born) AS INTEGER)), 1) FROM customers GROUP BY country
---- right
SELECT COALESCE(city, id), IIF(vip, 'yes', 'no'), IFNULL(balance, 0) * 2 FROM customers
---- right
SELECT id FROM customers WHERE (vip = 1) = (ifnull(city, '') = 'Paris')
---- right
SELECT c.id, COUNT(o.id), IFNULL(SUM(o.amount), 0) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id AND o.placed_on >= date('2024-01-01') GROUP BY c.id
---- right
SELECT id FROM customers WHERE name LIKE '%''%' OR ifnull(name, '') NOT LIKE '%E%'
---- right
SELECT id FROM orders WHERE quantity * 1.0 / IFNULL(returned, 1) > 2
---- right
SELECT id, strftime('%Y-%m-%dT%H:%M', shipped_at), strftime('%H', placed_on), strftime('%Y年', placed_on) FROM orders
---- refused localtime
SELECT strftime('%H', shipped_at, 'localtime') FROM orders
---- refused number as a date
SELECT DATE(quantity) FROM orders
---- refused %q
SELECT strftime('%q', placed_on) FROM orders
---- refused soundex
SELECT SOUNDEX(name) FROM customers
---- refused text
SELECT GROUP_CONCAT(score) FROM customers
---- right
SELECT T1.name FROM customers AS T1 INNER JOIN orders AS T2 ON T1.id = T2.customer_id WHERE STRFTIME('%Y', T2.placed_on) = '2024' GROUP BY T1.name ORDER BY SUM(T2.amount) DESC LIMIT 1
---- right
SELECT CAST(SUM(CASE WHEN T1.country = 'Spain' THEN 1 ELSE 0 END) AS REAL) * 100 / COUNT(T1.id) FROM customers AS T1 WHERE STRFTIME('%Y', T1.joined) >= '2023'
---- right
SELECT CAST(COUNT(CASE WHEN vip = 1 THEN id ELSE NULL END) AS FLOAT) / COUNT(CASE WHEN vip = 0 THEN id ELSE NULL END) FROM customers WHERE strftime('%Y', born) < '2000'
---- right
SELECT SUBSTR(strftime('%Y-%m-%d', placed_on), 1, 4), COUNT(*) FROM orders GROUP BY 1
---- right
SELECT name, CAST((strftime('%Y', 'now') - strftime('%Y', born)) AS INTEGER) > 20 FROM customers
---- right
SELECT id FROM orders WHERE strftime('%Y-%m', placed_on) BETWEEN '2023-12' AND '2024-01'
---- right
SELECT id, julianday(shipped_at) - julianday(placed_on) AS days FROM orders WHERE julianday(shipped_at) - julianday(placed_on) > 2 ORDER BY days DESC
---- right
SELECT MAX(strftime('%Y', placed_on)) FROM orders WHERE status LIKE '%ship%'
---- right
SELECT strftime('%H', shipped_at) AS hour, AVG(amount) FROM orders WHERE shipped_at IS NOT NULL GROUP BY strftime('%H', shipped_at)
---- right
SELECT (julianday('2024-12-31') - julianday(born)) / 365 FROM customers
---- right
SELECT date(placed_on, 'start of year', '+' || quantity || ' months') FROM orders
---- right
SELECT id, date(placed_on, '-' || quantity || ' day') FROM orders
---- right
SELECT id, strftime('%W', placed_on), strftime('%U', placed_on), strftime('%u', placed_on), strftime('%G-%V', placed_on) FROM orders
---- right
SELECT a.id, b.id FROM orders a, orders b WHERE a.customer_id = b.customer_id AND a.id < b.id AND julianday(b.placed_on) > julianday(a.placed_on)
---- likely
SELECT IIF(COUNT(*) > 0, SUM(amount) / COUNT(*), 0) FROM orders WHERE strftime('%Y', placed_on) = '1999'
---- right
SELECT AVG(quantity), SUM(quantity) * 1.0 / 7, TOTAL(quantity) / 2, SUM(quantity) / 2, 10 / 4, 10 / 4.0, 10.0 / 4, -10 / 4, 10 % -3, -10 % 3 FROM orders
---- right
SELECT ROUND(SUM(discount) / TOTAL(quantity), 4), ROUND(AVG(amount)), ROUND(-0.5), ROUND(1.5, 0), ROUND(123.456, 1) FROM orders
---- right
SELECT COUNT(*) FROM customers WHERE NOT vip AND IFNULL(balance, 0) < 1000
---- right
SELECT vip, COUNT(*), TOTAL(balance) FROM customers GROUP BY vip
---- right
SELECT COUNT(*), TOTAL(quantity) FROM orders WHERE quantity BETWEEN '2' AND '7'
---- right
SELECT IFNULL(code, 0), julianday(born) IS NULL FROM customers
---- right
SELECT CASE WHEN julianday(born) > 0 THEN id ELSE 'none' END FROM customers
---- right
SELECT name || ' (' || IFNULL(country, '?') || ')' AS label, LENGTH(name || country) FROM customers ORDER BY label
---- right
SELECT "name" AS "Full Name", "vip" FROM "customers" WHERE "country" = "France" AND strftime('%Y', joined) = "2024"
---- right
SELECT `Product Name`, MAX([UnitPrice]), total(qty) FROM "Order Details" GROUP BY `Product Name` HAVING total("Qty") > 3
---- right
SELECT id, MAX(0, quantity - 5), MIN(quantity, returned), MAX(julianday(placed_on), 0) > 0 FROM orders
---- right
SELECT COALESCE(NULL, NULL, city, 'x'), NULLIF(vip, 0), IFNULL(vip, 1) FROM customers
---- right
SELECT DISTINCT strftime('%Y', placed_on) FROM orders WHERE status IN ('open', "Shipped")
---- right
SELECT id FROM orders WHERE placed_on = '2024-01-31' OR placed_on = DATE('2024-01-15') OR shipped_at = '2024-01-01 00:00:00' OR shipped_at = '2024-01-01'
---- right
SELECT id FROM orders WHERE shipped_at <= '2024-01-01' OR DATE(shipped_at) = '2024-02-02' OR shipped_at < datetime('2023-06-01')
---- right
SELECT id FROM orders WHERE shipped_at IN ('2024-01-01', '2024-01-16 09:00:00') AND julianday(shipped_at) > 0
---- right
SELECT id FROM orders WHERE placed_on IN ('2024-01-15', '2024-1-31') AND julianday(placed_on) > 0
---- right
SELECT id FROM orders WHERE placed_on <> '2024-01-15' AND placed_on NOT BETWEEN '2023-01-01' AND '2023-12-30' AND julianday(placed_on) > 0
---- right
SELECT UPPER(SUBSTR(name, 1, 1)) || LOWER(SUBSTR(name, 2)), julianday(born) > 2440000 FROM customers
---- right
SELECT strftime('%Y', placed_on) || '-Q' || ((strftime('%m', placed_on) + 2) / 3) AS quarter, SUM(amount) FROM orders GROUP BY quarter
---- right
SELECT strftime('%m', placed_on) * 1, strftime('%d', placed_on) + 0.5, -strftime('%m', placed_on) FROM orders
---- right
SELECT CAST(strftime('%m', placed_on) AS INT) AS m, SUM(amount) FROM orders GROUP BY m HAVING SUM(amount) > 50
---- right
SELECT customer_id, MIN(placed_on), MAX(placed_on), julianday(MAX(placed_on)) - julianday(MIN(placed_on)) FROM orders GROUP BY customer_id
---- right
WITH RECURSIVE days(d) AS (SELECT date('2024-01-30') UNION ALL SELECT date(d, '+1 day') FROM days WHERE d < '2024-02-02') SELECT d FROM days
---- right
WITH last AS (SELECT MAX(placed_on) AS d FROM orders) SELECT id FROM orders, last WHERE placed_on >= date(last.d, '-1 year')
---- right
SELECT x.y, COUNT(*) FROM (SELECT CAST(strftime('%Y', placed_on) AS INTEGER) AS y FROM orders) AS x GROUP BY x.y HAVING x.y = 2024
---- right
SELECT y - 1 FROM (SELECT strftime('%Y', placed_on) AS y FROM orders)
---- right
SELECT COUNT(*) FROM orders o LEFT JOIN customers c ON c.id = o.customer_id AND c.vip WHERE julianday(o.placed_on) > 0 AND c.id ISNULL
---- right
SELECT id FROM customers WHERE (country, vip) = ('Spain', 1) AND julianday(joined) > 0
---- right
SELECT printf('%.1f', AVG(amount)), printf('%d%%', 100 * SUM(status = 'open') / COUNT(*)), printf('%s', NULL) FROM orders
---- right
SELECT id, LAG(amount, 1) OVER (PARTITION BY customer_id ORDER BY placed_on), amount - LAG(amount) OVER (PARTITION BY customer_id ORDER BY placed_on), strftime('%Y', placed_on) FROM orders
---- right
SELECT id, ROW_NUMBER() OVER (ORDER BY julianday(shipped_at) DESC, id), NTILE(3) OVER (ORDER BY id) FROM orders
---- right ordered
SELECT id FROM orders ORDER BY shipped_at DESC, strftime('%m', placed_on), id LIMIT 4 OFFSET 1
---- right ordered
SELECT id, strftime('%Y', placed_on) AS y FROM orders ORDER BY y DESC, status, amount
---- right ordered
SELECT country, COUNT(*) AS n, julianday(MAX(born)) > 0 FROM customers GROUP BY country ORDER BY n DESC, country
---- right ordered
SELECT name FROM customers ORDER BY LENGTH(name), UPPER(name) DESC LIMIT 3
---- right ordered
SELECT c.name AS name, TOTAL(o.amount) AS total FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id ORDER BY total DESC, c.name
---- right
SELECT name FROM customers WHERE name > 'b' OR julianday(born) < 0 UNION SELECT 'Zoe' EXCEPT SELECT 'Eve'
---- right
SELECT strftime('%s', shipped_at) - strftime('%s', placed_on), (strftime('%s', shipped_at) - strftime('%s', placed_on)) / 3600 FROM orders
---- right
SELECT unixepoch(shipped_at) - unixepoch(placed_on), datetime(unixepoch(placed_on), 'unixepoch') FROM orders
---- right
SELECT time(shipped_at) > '09:00:00', time(shipped_at, '+1 hour'), strftime('%H:%M', shipped_at) FROM orders
---- right
SELECT REPLACE(strftime('%Y-%m-%d', placed_on), '-', '/'), LENGTH(placed_on), placed_on || '', INSTR(placed_on, '-') FROM orders
---- right
SELECT CAST(placed_on AS TEXT), CAST(placed_on AS INTEGER), CAST(shipped_at AS TEXT), CAST(vip AS TEXT) FROM orders JOIN customers ON customers.id = orders.customer_id
---- right
SELECT id FROM customers WHERE code LIKE '%7' AND code <> 7 OR code > 3 AND julianday(born) > 0
---- right
SELECT SUM(vip) * 100.0 / COUNT(*), AVG(vip), COUNT(vip OR NULL), MAX(vip) FROM customers WHERE julianday(born) > 0
---- right
SELECT id FROM customers WHERE balance = 120.5 OR balance = '99.99' OR balance IN (0.1, '1000.01') AND julianday(born) > 0
---- likely
SELECT COUNT(DISTINCT country), COUNT(DISTINCT UPPER(country)), GROUP_CONCAT(DISTINCT vip) FROM customers WHERE vip
---- right
SELECT CASE status WHEN 'open' THEN 1 WHEN 'SHIPPED' THEN 2 END, CASE quantity WHEN '3' THEN 'three' ELSE quantity END, strftime('%Y', placed_on) FROM orders
---- right
SELECT UPPER(country) AS country, COUNT(*), TOTAL(id) FROM customers GROUP BY country
---- right ordered
SELECT -id AS id, julianday(born) > 0 FROM customers ORDER BY id
---- right ordered
SELECT -id AS id, julianday(born) > 0 FROM customers ORDER BY id + 0
---- right ordered
SELECT -id AS id, julianday(born) > 0 FROM customers ORDER BY customers.id
---- refused bool
SELECT id FROM customers WHERE vip = 'true' AND julianday(born) > 0
---- right
SELECT id FROM customers WHERE id = '2.0' AND julianday(born) > 0
---- refused INTERSECT
SELECT id FROM customers UNION SELECT TOTAL(1) INTERSECT SELECT 2
---- right
SELECT id FROM customers INTERSECT SELECT 2 UNION SELECT unixepoch('1970-01-01')
---- refused precedence
SELECT id FROM customers WHERE id = 2 < 3 AND julianday(born) > 0
---- refused precedence
SELECT 'a' || id * 2, julianday(born) FROM customers
---- right
SELECT name AS 'Full Name', julianday(born) FROM customers
---- likely
SELECT id, (amount - 0.5) / 2.0, amount / quantity, julianday(placed_on) FROM orders WHERE id IN (1, 2)
---- right
SELECT id, amount * 1.0 / quantity, CAST(amount AS REAL) / quantity, ROUND(amount / 3.0, 2) FROM orders
---- right
SELECT SUM(quantity) / 4, SUM(CASE WHEN status = 'open' THEN quantity ELSE 0 END) * 100 / SUM(quantity), TOTAL(id) FROM orders
---- right
SELECT id FROM customers WHERE born IN (SELECT DATE(born) FROM customers WHERE vip) AND julianday(born) > 0
---- refused timestamps
SELECT id FROM orders WHERE placed_on IN (SELECT shipped_at FROM orders) AND julianday(placed_on) > 0
---- refused timestamps
SELECT COALESCE(shipped_at, placed_on), julianday(placed_on) FROM orders
---- right
SELECT id FROM orders WHERE DATE(shipped_at) > placed_on AND DATE(shipped_at, '-2 days') <= placed_on
---- right
SELECT id, shipped_at > placed_on, shipped_at < placed_on, placed_on >= shipped_at, shipped_at = placed_on, TOTAL FROM orders, (SELECT TOTAL(1) AS total)
---- right
SELECT o.*, julianday(o.placed_on) FROM orders AS o WHERE o.returned == 0
---- refused counted with
SELECT SUM(name), TOTAL(id) FROM customers
---- refused function nowhere
SELECT nowhere(name), TOTAL(id) FROM customers
---- right
SELECT CASE WHEN amount > 100 THEN 'high' WHEN amount > 50 THEN 'mid' ELSE 'low' END AS tier, COUNT(*), ROUND(AVG(amount), 2) FROM orders WHERE julianday(placed_on) > 0 GROUP BY tier HAVING COUNT(*) > 1
---- right
SELECT id FROM orders WHERE placed_on >= date('2024-03-31', '-1 month') AND placed_on < date('2024-03-31', 'start of month', '+2 months')
---- right
SELECT strftime('%Y-%m-%d', placed_on, '+1 month'), strftime('%Y-%m-%d', placed_on, 'start of month', '-1 day'), date(placed_on, '+1 month', '+1 month') FROM orders
---- right
SELECT date('2024-02-29', '+1 year'), date('2024-02-29', '-1 years', '+1 day'), date('2023-12-31', '-10 months'), datetime('2024-01-31 23:59:59', '+1 second'), date('2024-01-31', 'weekday 6')
---- right
SELECT id FROM orders WHERE time(shipped_at) <= '09:00' OR time(shipped_at) = '12:30' OR time(shipped_at) = '18:45:10'
---- right
SELECT MAX(MAX(MAX(quantity, 1), returned), 2), SUBSTR(SUBSTR(status, -5, 4), -3, 2) FROM orders
---- likely
SELECT strftime('%Y', quantity || 'x') FROM orders
---- refused without %
SELECT strftime('yyyy-MM', placed_on) FROM orders
