-- exact: 2020|2;2021|2
SELECT year(placed_on), count(*) FROM orders GROUP BY year(placed_on) ORDER BY 1

-- exact: 2020|120.75;2021|7
SELECT strftime('%Y', placed_on) AS y, SUM(total) FROM orders GROUP BY strftime('%Y', placed_on) ORDER BY y

-- exact: 10;11
SELECT id FROM orders WHERE strftime('%Y', placed_on) = '2020' ORDER BY id

-- exact: 10;11
SELECT id FROM orders WHERE strftime('%Y', placed_on) = 2020 ORDER BY id

-- exact: 11
SELECT id FROM orders WHERE strftime('%m', placed_on) = 5 ORDER BY id

-- exact: 10;11
SELECT id FROM orders WHERE CAST(strftime('%Y', placed_on) AS INTEGER) < 2021 ORDER BY id

-- likely: 10;11
SELECT id FROM orders WHERE strftime('%Y', day_text) = '2020' ORDER BY id

-- exact: Ada|0;Bob|0;Cid|7
SELECT name, ifnull(score, 7) - ifnull(score, 0) FROM customers ORDER BY id

-- exact: 2.35;7.50;0.00
SELECT round(ifnull(score, 0), 2) FROM customers ORDER BY id

-- exact: 50.00
SELECT ROUND(100.0 * SUM(CASE WHEN paid = 1 THEN 1 ELSE 0 END) / COUNT(*), 2) FROM orders

-- exact: 2
SELECT SUM(paid) FROM orders

-- exact: 0.50000000000000000000|0.50
SELECT AVG(paid), ROUND(AVG(paid), 2) FROM orders

-- exact: 2
SELECT SUM(paid = 1) FROM orders

-- exact: 2
SELECT SUM(IF(status = 'open', 1, 0)) FROM orders

-- exact: 50
SELECT CAST(SUM(IIF(status = 'open', 1, 0)) AS REAL) * 100 / COUNT(id) FROM orders

-- exact: 33.33
SELECT ROUND(CAST(COUNT(CASE WHEN vip = 1 THEN id END) AS FLOAT) * 100 / COUNT(id), 2) FROM customers

-- exact: 5;2
SELECT datediff(shipped_on, placed_on) FROM orders WHERE id IN (10, 12) ORDER BY id

-- exact: 5;2
SELECT julianday(shipped_on) - julianday(placed_on) FROM orders WHERE id IN (10, 12) ORDER BY id

-- exact: 2.67
SELECT ROUND(AVG(julianday(shipped_on) - julianday(placed_on)), 2) FROM orders WHERE shipped_on IS NOT NULL

-- exact: 2020-01;2020-05;2021-02;2021-12
SELECT DISTINCT date_format(placed_on, '%Y-%m') AS m FROM orders ORDER BY m

-- exact: Ada,Bob,Cid
SELECT group_concat(name) FROM customers

-- exact: 1, 2, 3
SELECT group_concat(id, ', ') FROM customers

-- exact: 1
SELECT id FROM customers WHERE zip = 94103

-- exact: 1;2
SELECT id FROM customers WHERE zip IN (94103, 10001) ORDER BY id

-- likely: 1;2
SELECT id FROM customers WHERE zip > 100 ORDER BY id

-- exact: 10
SELECT id FROM orders WHERE placed_on LIKE '2020-01%'

-- exact: 2020
SELECT substr(placed_on, 1, 4) FROM orders WHERE id = 10

-- exact: 2020|2;2021|2
SELECT SUBSTRING(placed_on, 1, 4) AS y, COUNT(*) FROM orders GROUP BY SUBSTRING(placed_on, 1, 4) ORDER BY y

-- exact: 2020
SELECT LEFT(placed_on, 4) FROM orders WHERE id = 10

-- hint: A number is compared with a text of another name
SELECT c.name FROM customers c JOIN events e ON c.id = e.customer_id ORDER BY 1

-- hint: A number is compared with a text of another name
SELECT COUNT(*) FROM customers WHERE id IN (SELECT customer_id FROM events WHERE id = 1)

-- exact: 5
SELECT EXTRACT(DAY FROM shipped_on - placed_on) FROM orders WHERE id = 10

-- exact: 5
SELECT DATE_PART('day', shipped_on - placed_on) FROM orders WHERE id = 10

-- likely: 2020
SELECT EXTRACT(YEAR FROM day_text) FROM orders WHERE id = 10

-- likely: 2020-01-01 00:00:00
SELECT DATE_TRUNC('month', day_text) FROM orders WHERE id = 10

-- exact: 5
SELECT DATEDIFF(day, placed_on, shipped_on) FROM orders WHERE id = 10

-- likely: 1
SELECT DATEDIFF('month', placed_on, shipped_on) FROM orders WHERE id = 12

-- exact: 2020-01-27
SELECT DATEADD(day, 7, placed_on) FROM orders WHERE id = 10

-- exact: 2020-02-20
SELECT DATE_ADD(placed_on, INTERVAL '1 month') FROM orders WHERE id = 10

-- likely: 5
SELECT TIMESTAMPDIFF(DAY, placed_on::timestamp, shipped_on) FROM orders WHERE id = 10

-- exact: 3
SELECT len(name) FROM customers WHERE id = 1

-- exact: Ada 94103
SELECT name || ' ' || nvl(zip, '?') FROM customers WHERE id = 1

-- exact: 3;0;5;1
SELECT isnull(items, 0) FROM orders ORDER BY id

-- likely: 3;none;5;1
SELECT COALESCE(items, 'none') FROM orders ORDER BY id

-- exact: open
SELECT COALESCE(status, 0) FROM orders WHERE id = 11

-- exact: 11;13
SELECT id FROM orders WHERE isnull(items) OR items = '1.0' ORDER BY id

-- exact: 10;12;13
SELECT id FROM orders WHERE items ORDER BY id

-- exact: 1
SELECT COUNT(*) FROM orders WHERE items AND NOT paid

-- likely: click
SELECT json_extract(payload, '$.kind') FROM events WHERE id = 1

-- likely: 1
SELECT id FROM events WHERE payload -> 'n' = 5

-- exact: 1
SELECT id FROM events WHERE payload ->> 'kind' == 'click'

-- hint: ANY (array)
SELECT id FROM events WHERE tags = 'a'

-- exact: 2020-01-01 00:00:00
SELECT from_unixtime(at) AT TIME ZONE 'UTC' AT TIME ZONE 'UTC' FROM events WHERE id = 1

-- exact: 1577836800
SELECT MAX(IFNULL(at, 0)) FROM events WHERE id = 1

-- exact: 2
SELECT COUNTIF(paid) FROM orders

-- likely: 0.3333333333333333
SELECT divide(SUM(vip), COUNT(*)) FROM customers

-- exact: 0.6666666666666666
SELECT SAFE_DIVIDE(2, COUNT(*)) FROM customers

-- exact: t
SELECT max(vip) FROM customers

-- hint: week of ISO 8601
SELECT week(placed_on) FROM orders

-- hint: the nearest is length()
SELECT lenght(name) FROM customers

-- hint: no function frobnicate()
SELECT year(placed_on), frobnicate(id) FROM orders

-- exact: Ada
SELECT name FROM customers WHERE lower(country) = 'uk' AND strftime('%Y', created_at) - strftime('%Y', birth) > 25 AND vip = 1

-- exact: 2
SELECT COUNT(DISTINCT strftime('%Y', placed_on)) FROM orders

-- exact: Sunday
SELECT CASE CAST(strftime('%w', '2020-05-17'::date) AS INTEGER) WHEN 0 THEN 'Sunday' ELSE 'other' END

-- exact: 1990|t|Ada
SELECT YEAR(birth) AS birth_year, UCASE(LCASE(name)) = 'ADA' AND vip, name FROM customers WHERE YEAR(birth) = 1990

-- exact: 3
SELECT round(weight, 0) + 1 FROM orders WHERE id = 10

-- exact: 14.08
SELECT round(sum(weight), 2) FROM orders

-- exact: 0.5
SELECT TRUNCATE(weight / 3, 1) FROM orders WHERE id = 10

-- exact: 05
SELECT lpad(month(placed_on), 2, '0') FROM orders WHERE id = 11

-- exact: 2020-05
SELECT concat(year(placed_on), '-', lpad(month(placed_on), 2, '0')) FROM orders WHERE id = 11

-- exact: 11
SELECT id FROM orders WHERE placed_on >= date('2020-02-01', 'start of year', '+2 days') AND placed_on < '2020-12-31' AND id > 10

-- hint: EXTRACT(YEAR FROM x)
SELECT id FROM orders WHERE placed_on = 2020

-- likely: 0
SELECT SUM(IF(status = 'open', 1, 0)) / COUNT(*) FROM orders

-- exact: 0
SELECT SUM(IIF(status = 'open', 1, 0)) / COUNT(*) FROM orders

-- likely: 0
SELECT SUM(paid) / COUNT(*) FROM orders

-- hint: complete years
SELECT EXTRACT(YEAR FROM shipped_on - placed_on) FROM orders

-- exact: 432000
SELECT EXTRACT(EPOCH FROM shipped_on - placed_on) FROM orders WHERE id = 10

-- exact: 10;11;12;13
SELECT id FROM orders ORDER BY FIELD(status, 'shipped', 'open') * 0, id

-- exact: 11;12;10;13
SELECT id FROM orders ORDER BY FIELD(id, 12, 10, 13), id = 12

-- exact: t
SELECT strftime('%Y-%m-%d', 'now') = to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD')

-- exact: 0
SELECT COUNT(*) FROM orders WHERE placed_on > date('now', '-7 days')

-- exact: Bob|2020-05
SELECT name, strftime('%Y-%m', created_at) FROM customers WHERE substr(created_at, 6, 2) = '05'

-- exact: x
SELECT CASE WHEN vip THEN 'x' ELSE 0 END FROM customers WHERE id = 1

-- exact: 2020|3|Ada
SELECT * FROM (SELECT year(created_at), month(created_at) + 2, name FROM customers WHERE id = 1) t

-- exact: 2020
SELECT t.year FROM (SELECT year(created_at) FROM customers WHERE id = 1) AS t

-- exact: 2
SELECT SUM(paid) OVER (ORDER BY id DESC) FROM orders WHERE paid LIMIT 1 OFFSET 1

-- exact: open,shipped
SELECT group_concat(DISTINCT status) FROM orders

-- exact: open;shipped
SELECT group_concat(DISTINCT status, ';') FROM orders

-- exact: 3
SELECT COUNT(*) FROM customers WHERE vip = 1 OR vip = 0

-- exact: Bob;Cid
SELECT name FROM customers WHERE vip <> 1 ORDER BY id

-- exact: 1
SELECT COUNT(*) FROM customers WHERE 1 = vip

-- likely: 10
SELECT id FROM orders WHERE day_text = placed_on AND id = 10

-- exact: 10
SELECT id FROM orders WHERE id LIKE '%10%'

-- exact: 5
SELECT (SELECT datediff(shipped_on, placed_on) FROM orders o WHERE o.customer_id = c.id AND shipped_on IS NOT NULL) FROM customers c WHERE id = 1

-- exact: Ada|5.0000000000000000
WITH d AS (SELECT customer_id, datediff(shipped_on, placed_on) AS days FROM orders) SELECT name, AVG(days) FROM d JOIN customers ON customers.id = d.customer_id WHERE days IS NOT NULL GROUP BY name HAVING SUM(days) = 5

-- exact: 1|2
SELECT quarter(placed_on), COUNT(*) FROM orders WHERE quarter(placed_on) = 1 GROUP BY quarter(placed_on)

-- likely: t
SELECT dayname(placed_on) = 'Monday' FROM orders WHERE id = 10

-- exact: ada
SELECT substring_index(email, '@', 1) FROM customers WHERE id = 1

-- exact: example.com
SELECT substring_index(email, '@', -1) FROM customers WHERE id = 1

-- exact: 4
SELECT instr(email, '@') FROM customers WHERE id = 1

-- exact: 24
SELECT FLOOR(DATEDIFF(placed_on, '1995-01-20') / 365.25) FROM orders WHERE id = 10

-- exact: 2020-05-31
SELECT last_day(placed_on) FROM orders WHERE id = 11

-- exact: 2
SELECT COUNT(*) FROM orders WHERE placed_on BETWEEN date_sub('2020-06-01', INTERVAL '1 year') AND '2020-12-31'

-- exact: 20.3
SELECT ROUND(CAST(SUM(total) AS DOUBLE PRECISION), 1) FROM orders WHERE id = 11

-- exact: 0.67
SELECT ROUND(SUM(CASE WHEN vip = 0 THEN 1.0 ELSE 0.0 END) / COUNT(*)::float, 2) FROM customers

-- likely: 2
SELECT COUNT(*) FROM events WHERE payload ->> 'n' > 4

-- exact: 1.50
SELECT MAX(ROUND(weight, 2)) FROM orders WHERE id = 10

-- exact: 100.50
SELECT MAX(IFNULL(total, 0)) FROM orders

-- exact: 2
SELECT MAX(1, 2)

-- exact: shipped
SELECT decode(paid, true, 'shipped', 'open') FROM orders WHERE id = 10

-- exact: 3
SELECT 2 + 1 FROM orders WHERE id == 10 AND status == 'shipped'
