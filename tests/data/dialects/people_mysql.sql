SELECT c.name, COUNT(o.id) AS order_count, COALESCE(SUM(o.total), 0) AS revenue FROM customers c LEFT JOIN orders o ON c.id = o.customer_id GROUP BY c.id, c.name ORDER BY revenue DESC, c.id
SELECT DATE_FORMAT(o.placed, '%Y-%m') AS month, COUNT(*) AS n, ROUND(SUM(o.total), 2) AS revenue FROM orders o WHERE o.placed >= '2024-01-01' GROUP BY DATE_FORMAT(o.placed, '%Y-%m') HAVING COUNT(*) >= 1 ORDER BY month
SELECT p.category, p.title, p.price, RANK() OVER (PARTITION BY p.category ORDER BY p.price DESC) AS rnk FROM products p ORDER BY p.category, rnk
WITH ranked AS (SELECT p.*, ROW_NUMBER() OVER (PARTITION BY category ORDER BY price DESC) AS rn FROM products p) SELECT category, title, price FROM ranked WHERE rn = 1 ORDER BY category
SELECT IFNULL(city, 'Unknown') AS city, COUNT(*) AS cnt FROM customers WHERE city IS NULL OR city LIKE 'o%' OR city = 'bergen' GROUP BY IFNULL(city, 'Unknown') ORDER BY cnt DESC, city LIMIT 5
SELECT id, DATEDIFF('2024-12-31', signup) AS days_since FROM customers WHERE signup IS NOT NULL ORDER BY days_since DESC LIMIT 3
SELECT name, YEAR('2024-06-30') - YEAR(hired) AS years FROM staff ORDER BY years DESC, name
SELECT o.id, CASE WHEN o.total >= 100 THEN 'large' WHEN o.total >= 50 THEN 'medium' WHEN o.total IS NULL THEN 'none' ELSE 'small' END AS size FROM orders o ORDER BY FIELD(status, 'open', 'paid', 'cancelled'), o.id
SELECT SUM(CASE WHEN status = 'paid' THEN total ELSE 0 END) / SUM(total) * 100 AS paid_pct FROM orders
SELECT o.id, GROUP_CONCAT(p.title ORDER BY p.title SEPARATOR ', ') AS items FROM orders o JOIN items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id GROUP BY o.id ORDER BY o.id
SELECT name, SUBSTRING_INDEX(name, ' ', 1) AS first_name, SUBSTRING_INDEX(name, ' ', -1) AS last_name FROM customers WHERE name LIKE '% %' AND id < 5 ORDER BY id
SELECT CONCAT(UCASE(LEFT(dept, 1)), SUBSTRING(dept, 2)) AS dept, AVG(salary) AS avg_salary, MIN(hired) AS first_hire FROM staff GROUP BY dept ORDER BY avg_salary DESC
SELECT s.name, b.name AS boss, s.salary - b.salary AS diff FROM staff s INNER JOIN staff b ON s.boss_id = b.id WHERE s.salary IS NOT NULL ORDER BY diff, s.id
SELECT id, title FROM products WHERE stock BETWEEN 1 AND 20 AND category <> 'food' ORDER BY price DESC LIMIT 0, 10
SELECT DAYNAME(placed) AS d, COUNT(*) AS n FROM orders WHERE placed IS NOT NULL GROUP BY DAYNAME(placed), DAYOFWEEK(placed) ORDER BY DAYOFWEEK(placed)
SELECT customer_id, MAX(placed) AS last_order, MIN(placed) AS first_order, TIMESTAMPDIFF(DAY, MIN(placed), MAX(placed)) AS span FROM orders GROUP BY customer_id HAVING span > 0
SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE status = 'PAID' AND YEAR(placed) = 2024) ORDER BY name
SELECT c.id, c.name FROM customers c WHERE NOT EXISTS (SELECT * FROM orders o WHERE o.customer_id = c.id AND o.status = 'paid') ORDER BY c.id
SELECT category, COUNT(*) AS total, SUM(stock IS NULL OR stock = 0) AS unavailable FROM products GROUP BY category ORDER BY category
SELECT id, total, total * (1 - IFNULL(discount, 0)) AS net FROM orders WHERE total IS NOT NULL ORDER BY net DESC LIMIT 4
SELECT DATE(placed) AS day, SUM(total) AS revenue, SUM(SUM(total)) OVER (ORDER BY DATE(placed)) AS running FROM orders WHERE placed IS NOT NULL GROUP BY DATE(placed) ORDER BY day
SELECT QUARTER(placed) AS q, COUNT(DISTINCT customer_id) AS customers FROM orders WHERE YEAR(placed) = 2024 GROUP BY q ORDER BY q
SELECT email, SUBSTRING(email, LOCATE('@', email) + 1) AS domain FROM customers WHERE email IS NOT NULL ORDER BY id
SELECT name FROM customers WHERE LOWER(email) LIKE '%example.com' ORDER BY id
SELECT id, IF(vip, 'VIP', 'regular') AS tier, IF(score > 50, 'high', IF(score IS NULL, 'n/a', 'low')) AS grade FROM customers ORDER BY id
SELECT order_id, SUM(quantity * unit_price) AS amount FROM items GROUP BY order_id HAVING amount > 50 ORDER BY amount DESC
SELECT o.id, o.total, (SELECT SUM(quantity * unit_price) FROM items i WHERE i.order_id = o.id) AS computed FROM orders o WHERE o.id <= 12 ORDER BY o.id
SELECT a.name AS n1, b.name AS n2 FROM staff a, staff b WHERE a.dept = b.dept AND a.id < b.id ORDER BY a.id, b.id
SELECT DATE_ADD(signup, INTERVAL 1 YEAR) AS renewal, DATE_SUB(signup, INTERVAL 3 MONTH) AS before_that FROM customers WHERE signup IS NOT NULL ORDER BY id
SELECT id FROM orders WHERE placed BETWEEN '2024-01-01' AND '2024-02-29 23:59:59' ORDER BY placed
SELECT id FROM orders WHERE MONTH(placed) = 1 AND YEAR(placed) IN (2024, 2025) ORDER BY id
SELECT LAST_DAY(placed) AS eom, COUNT(*) FROM orders WHERE placed IS NOT NULL GROUP BY eom ORDER BY eom
SELECT title, LENGTH(title) AS len, REPLACE(LOWER(title), ' ', '-') AS slug FROM products ORDER BY len, title
SELECT CONCAT_WS(', ', name, city, email) AS label FROM customers WHERE id IN (1, 3, 4) ORDER BY id
SELECT COALESCE(note, 'n/a') AS note, IFNULL(ROUND(discount * 100), 0) AS pct FROM orders WHERE id <> 15 ORDER BY id
SELECT dept, COUNT(*) AS n, ROUND(STDDEV(salary), 2) AS sd, VARIANCE(salary) AS v FROM staff GROUP BY dept ORDER BY dept
SELECT name, salary, DENSE_RANK() OVER (ORDER BY salary DESC) AS dr, FIRST_VALUE(name) OVER (PARTITION BY dept ORDER BY salary DESC) AS top FROM staff WHERE salary IS NOT NULL ORDER BY salary DESC, name
WITH RECURSIVE chain AS (SELECT id, name, boss_id, 1 AS lvl FROM staff WHERE boss_id IS NULL UNION ALL SELECT s.id, s.name, s.boss_id, c.lvl + 1 FROM staff s JOIN chain c ON s.boss_id = c.id) SELECT lvl, COUNT(*) FROM chain GROUP BY lvl ORDER BY lvl
WITH RECURSIVE nums AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM nums WHERE n < 12) SELECT n, (SELECT COUNT(*) FROM orders WHERE MONTH(placed) = n) AS cnt FROM nums ORDER BY n
SELECT AVG(t.cnt) AS mean_orders FROM (SELECT customer_id, COUNT(*) AS cnt FROM orders GROUP BY customer_id) t
SELECT `Title`, `ReleaseYear`, IFNULL(`Total Sales`, 0) AS sales FROM `Albums` WHERE `ReleaseYear` > 1990 OR `ReleaseYear` IS NULL ORDER BY `ReleaseYear` DESC
SELECT CAST(total AS SIGNED) AS whole, CAST(total AS CHAR) AS txt, CAST(placed AS DATE) AS d FROM orders WHERE total IS NOT NULL AND placed IS NOT NULL ORDER BY id LIMIT 3
SELECT ROUND(AVG(score), 1) AS mean, MAX(score) - MIN(score) AS spread, COUNT(score) AS known, COUNT(*) - COUNT(score) AS missing FROM customers
SELECT id FROM customers WHERE name REGEXP '^(ann|bob)' ORDER BY id
SELECT product_id, SUM(quantity) AS sold FROM items GROUP BY product_id ORDER BY sold DESC, product_id ASC LIMIT 1 OFFSET 1
SELECT DISTINCT YEAR(hired) AS y FROM staff WHERE hired < CURDATE() ORDER BY y DESC
SELECT COUNT(*) FROM orders WHERE placed < DATE_SUB(NOW(), INTERVAL 30 DAY)
SELECT TIMESTAMPDIFF(MONTH, hired, '2024-12-31') AS months, name FROM staff ORDER BY months DESC
SELECT EXTRACT(YEAR FROM placed) AS y, EXTRACT(MONTH FROM placed) AS m, SUM(total) FROM orders WHERE placed IS NOT NULL GROUP BY y, m ORDER BY y, m
SELECT c.name, o.total FROM customers c JOIN orders o ON o.customer_id = c.id WHERE o.total = (SELECT MAX(total) FROM orders)
SELECT status, COUNT(*) * 100.0 / (SELECT COUNT(*) FROM orders) AS pct FROM orders WHERE status IN ('open', 'cancelled') GROUP BY status ORDER BY pct DESC
SELECT JSON_EXTRACT(attrs, '$.color') AS color, JSON_UNQUOTE(JSON_EXTRACT(attrs, '$.color')) AS plain FROM products WHERE id IN (1, 2) ORDER BY id
SELECT FIND_IN_SET('red', tags) AS place, id FROM products WHERE tags IS NOT NULL ORDER BY id
SELECT name, LPAD(id, 3, '0') AS code, REPEAT('*', id) AS stars, REVERSE(name) AS r FROM staff WHERE id <= 3 ORDER BY id
SELECT HOUR(placed) AS h, MINUTE(placed) AS m, SECOND(placed) AS s, TIME(placed) AS t FROM orders WHERE id IN (10, 14) ORDER BY id
SELECT DATE_FORMAT(placed, '%d/%m/%Y') AS d, DATE_FORMAT(placed, '%W, %M %e') AS long_d FROM orders WHERE id IN (10, 12) ORDER BY id
SELECT STR_TO_DATE('15/03/2024', '%d/%m/%Y') AS d, MAKEDATE(2024, 60) AS m, WEEKDAY('2024-03-15') AS w, DAYOFYEAR('2024-03-15') AS y
SELECT name, salary FROM staff WHERE salary > (SELECT AVG(salary) FROM staff) ORDER BY salary
SELECT p.title FROM products p LEFT JOIN items i ON p.id = i.product_id WHERE i.order_id IS NULL ORDER BY p.title
SELECT o1.customer_id, o1.id FROM orders o1 WHERE o1.placed = (SELECT MAX(o2.placed) FROM orders o2 WHERE o2.customer_id = o1.customer_id) ORDER BY 1
SELECT MOD(id, 2) AS odd, COUNT(*) AS n, SUM(total) AS s FROM orders GROUP BY MOD(id, 2) ORDER BY odd DESC
SELECT id, GREATEST(IFNULL(stock, 0), 5) AS at_least, LEAST(price, 50) AS capped, TRUNCATE(price, 1) AS tr, CEILING(price) AS up FROM products ORDER BY id
(SELECT name, 'customer' AS kind FROM customers WHERE vip = 1) UNION ALL (SELECT name, 'staff' FROM staff WHERE dept = 'tech') ORDER BY kind, name
SELECT DATE_FORMAT(MIN(placed), "%b %Y") AS first_month, COUNT(*) AS n FROM orders WHERE status = "paid" ORDER BY NULL
