-- What texts of T-SQL mean that come without the name of a dialect, over tsql_tables.sql. A head says
-- what is wanted: `right` (the rows below, for certain; `ordered` where their order counts;
-- `unchecked` where they depend on the moment), `likely` (the same, told to be less certain),
-- `likely wrong` (the rows below are those of T-SQL, and others come: another dialect is taken to be
-- meant, or Postgres but for a schema), `refused` and words of the hint, or `untouched` (Postgres runs
-- it as it is). The spelling that is shown of several that are alike, and of a uuid, is Postgres's.
---- right ordered
SELECT TOP (3) o.order_id, o.freight FROM dbo.orders AS o WITH (NOLOCK) ORDER BY o.freight DESC
==== 105|20.00
==== 101|12.50
==== 103|7.25
---- right ordered
SELECT TOP 2 [c].[full_name], ISNULL([c].[email], 'none') AS [e-mail] FROM [dbo].[customers] [c] ORDER BY [c].[credit_limit]
==== Carol Diaz|none
==== Eve Park |eve@example.com
---- right ordered
SELECT TOP 10 PERCENT product_id, price FROM products ORDER BY price DESC
==== 5|25.00
---- right
SELECT TOP 1 WITH TIES e.salary, e.last_name FROM employees e WHERE e.salary < 60000 ORDER BY e.salary DESC
==== 52000.00|White
==== 52000.00|Patel
---- likely ordered
SELECT order_id, status FROM dbo.orders WHERE status = 'shipped' ORDER BY order_id OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY
==== 103|shipped
==== 105|SHIPPED
---- right ordered
SELECT c.full_name, o.order_id FROM customers c OUTER APPLY (SELECT TOP 1 order_id FROM orders o WHERE o.customer_id = c.customer_id ORDER BY o.ordered_at DESC) AS o ORDER BY c.customer_id
==== Alice Ng|102
==== bob Stone|107
==== Carol Diaz|104
==== Dan O'Brien|~
==== Eve Park |105
==== Ægir Ström|106
---- right ordered
SELECT q.product_id, v.quarter, v.amount FROM quarterly q CROSS APPLY (VALUES ('Q1', q.q1), ('Q2', q.q2), ('Q3', q.q3), ('Q4', q.q4)) v(quarter, amount) WHERE v.amount IS NOT NULL ORDER BY q.product_id, v.quarter
==== 1|Q1|10
==== 1|Q2|20
==== 1|Q4|40
==== 2|Q1|5
==== 2|Q2|0
==== 2|Q3|15
==== 2|Q4|-2
---- right
SELECT [Drinks], [Kitchen], [Other] FROM (SELECT category, product_id FROM products) AS s PIVOT (COUNT(product_id) FOR category IN ([Drinks], [Kitchen], [Other])) AS p
==== 2|3|1
---- refused
SELECT product_id, quarter, amount FROM quarterly UNPIVOT (amount FOR quarter IN (q1, q2, q3, q4)) AS u
---- right
SELECT STRING_AGG(p.product_name, ', ') WITHIN GROUP (ORDER BY p.product_name) AS names FROM products p WHERE p.discontinued = 0
==== Coffee, Gift Card, Green Tea, Mug [large]
---- right
SELECT c.city, STRING_AGG(CAST(c.customer_id AS VARCHAR(10)), ',') WITHIN GROUP (ORDER BY c.customer_id DESC) AS ids FROM dbo.customers c WHERE c.city = N'OSLO' GROUP BY c.city
==== Oslo|6,5
---- right
SELECT p.product_id, s.value FROM products p CROSS APPLY STRING_SPLIT(p.tags, ',') s WHERE p.product_id IN (1, 3, 5, 6)
==== 1|hot
==== 1|green
==== 5|
==== 6|steel
==== 6|electric
---- right
SELECT value FROM STRING_SPLIT('a,b,,c', ',') WHERE LEN(value) > 0
==== a
==== b
==== c
---- likely
SELECT e.event_id, j.ip FROM events e CROSS APPLY OPENJSON(e.payload) WITH (ip VARCHAR(20) '$.ip') AS j WHERE e.kind = 'login'
==== 1|10.0.0.1
==== 3|10.0.0.2
==== 5|~
---- refused
SELECT event_id, JSON_VALUE(payload, '$.device.os') AS os, JSON_VALUE(payload, '$.device.ver') FROM events WHERE ISJSON(payload) = 1 AND event_id <> 4
---- refused
SELECT event_id, JSON_QUERY(payload, '$.tags') AS tags FROM events WHERE event_id IN (1, 3)
---- right
SELECT product_id, IIF(price > 5, 'dear', 'cheap') AS klass FROM products
==== 1|cheap
==== 2|dear
==== 3|dear
==== 4|cheap
==== 5|dear
==== 6|cheap
---- right
SELECT CHOOSE(MONTH(ordered_at), 'Jan', 'Feb', 'Mar', 'Apr') AS m, COUNT(*) AS n FROM orders WHERE YEAR(ordered_at) = 2024 GROUP BY MONTH(ordered_at)
==== Jan|1
==== Feb|1
==== Mar|2
==== Apr|1
---- likely
SELECT reading_id, TRY_CAST(raw_value AS INT) AS n FROM readings
==== 1|12
==== 2|~
==== 3|~
==== 4|~
==== 5|7
==== 6|0
---- right
SELECT reading_id, TRY_CONVERT(float, raw_value) AS x FROM readings WHERE TRY_CONVERT(float, raw_value) IS NOT NULL
==== 1|12
==== 2|-3.5
==== 5|7
==== 6|0
---- likely
SELECT reading_id, ISNUMERIC(raw_value) FROM readings WHERE reading_id < 5
==== 1|1
==== 2|1
==== 3|0
==== 4|0
---- right ordered
SELECT order_id, CONVERT(varchar(10), ordered_at, 120) AS d, CONVERT(varchar, ordered_at, 103) FROM orders WHERE order_id <= 102 ORDER BY 1
==== 101|2024-01-05|05/01/2024
==== 102|2024-02-29|29/02/2024
---- right
SELECT CONVERT(CHAR(8), ordered_at, 112) AS ymd, CONVERT(VARCHAR(8), ordered_at, 108) AS hms FROM [orders] WHERE order_id = 101
==== 20240105|10:15:00
---- right
SELECT CONVERT(DATE, ordered_at) AS d, COUNT(*) FROM orders GROUP BY CONVERT(DATE, ordered_at) HAVING CONVERT(DATE, ordered_at) >= '20240301'
==== 2024-03-15|1
==== 2024-03-31|1
==== 2024-04-01|1
---- right
SELECT FORMAT(ordered_at, 'yyyy-MM') AS ym, COUNT(*) AS orders FROM orders GROUP BY FORMAT(ordered_at, 'yyyy-MM')
==== 2024-01|1
==== 2024-02|1
==== 2023-12|1
==== 2024-03|2
==== 2022-06|1
==== 2024-04|1
---- right
SELECT FORMAT(credit_limit, 'N2') AS lim FROM customers WHERE credit_limit > 1000
==== 5,000.00
==== 1,200.50
==== 99,999.99
---- likely
SELECT order_id, DATEDIFF(day, ordered_at, shipped_on) AS days, DATEDIFF(hour, ordered_at, shipped_on) FROM orders WHERE shipped_on IS NOT NULL
==== 101|3|62
==== 103|2|25
==== 105|1|12
==== 106|10|240
---- likely
SELECT first_name + ' ' + last_name AS name, DATEDIFF(YEAR, hired_on, '2024-01-01') AS years FROM employees WHERE title LIKE 'sales%'
==== Tom Black|9
==== Ann White|5
==== Raj Patel|5
---- likely
SELECT DATEDIFF(month, '2024-01-31', '2024-02-01'), DATEDIFF(week, '2024-01-05', '2024-01-07'), DATEDIFF(quarter, '2023-12-31', '2024-01-01')
==== 1|1|1
---- right ordered
SELECT event_id, DATEDIFF(second, LAG(occurred_at) OVER (PARTITION BY customer_id ORDER BY occurred_at), occurred_at) AS gap FROM dbo.events WHERE customer_id IS NOT NULL ORDER BY event_id
==== 1|~
==== 2|1
==== 3|~
==== 4|3480331
==== 5|~
---- right
SELECT DATEADD(MONTH, DATEDIFF(MONTH, 0, ordered_at), 0) AS month_start, COUNT(*) FROM orders WHERE ordered_at >= '2024-01-01' GROUP BY DATEADD(MONTH, DATEDIFF(MONTH, 0, ordered_at), 0)
==== 2024-01-01 00:00:00|1
==== 2024-02-01 00:00:00|1
==== 2024-03-01 00:00:00|2
==== 2024-04-01 00:00:00|1
---- right
SELECT order_id, DATENAME(weekday, ordered_at) AS wd, DATEPART(weekday, ordered_at) AS n FROM orders WHERE DATEPART(quarter, ordered_at) = 1
==== 101|Friday|6
==== 102|Thursday|5
==== 104|Friday|6
==== 105|Sunday|1
---- likely
SELECT DATEPART(week, ordered_at), DATEPART(iso_week, ordered_at), DATEPART(dayofyear, ordered_at) FROM orders WHERE order_id IN (101, 102)
==== 1|1|5
==== 9|9|60
---- right
SELECT order_id, EOMONTH(ordered_at) AS month_end, EOMONTH(ordered_at, 1) AS next_end FROM orders WHERE order_id IN (101, 102)
==== 101|2024-01-31|2024-02-29
==== 102|2024-02-29|2024-03-31
---- right
SELECT DATEFROMPARTS(YEAR(ordered_at), MONTH(ordered_at), 1) AS m, SUM(ISNULL(freight, 0)) AS freight FROM orders WHERE YEAR(ordered_at) = 2024 GROUP BY DATEFROMPARTS(YEAR(ordered_at), MONTH(ordered_at), 1)
==== 2024-01-01|12.50
==== 2024-02-01|0.00
==== 2024-03-01|20.00
==== 2024-04-01|5.00
---- right
SELECT DATETRUNC(month, ordered_at) AS m, COUNT_BIG(*) FROM orders WHERE DATETRUNC(year, ordered_at) = '2024-01-01' GROUP BY DATETRUNC(month, ordered_at)
==== 2024-01-01 00:00:00|1
==== 2024-02-01 00:00:00|1
==== 2024-03-01 00:00:00|2
==== 2024-04-01 00:00:00|1
---- likely
SELECT order_id FROM orders WHERE ordered_at >= DATEADD(day, -30, GETDATE())
---- likely unchecked
SELECT TOP 5 full_name, DATEDIFF(day, joined_on, GETDATE()) AS days FROM customers ORDER BY joined_on DESC
---- likely
SELECT product_name, LEN(product_name) AS n, CHARINDEX('TEA', product_name) AS at FROM products WHERE CHARINDEX('tea', product_name) > 0
==== Green Tea|9|7
---- right
SELECT reading_id, PATINDEX('%[0-9]%', raw_value) AS at FROM readings
==== 1|1
==== 2|2
==== 3|0
==== 4|~
==== 5|2
==== 6|0
---- right
SELECT STUFF(product_name, 1, 1, 'X'), REPLICATE('*', 3), QUOTENAME(product_name) FROM products WHERE product_id = 3
==== Xug [large]|***|[Mug [large]]]
---- refused
SELECT RIGHT('00000' + CAST(order_id AS VARCHAR(5)), 5) AS code FROM orders WHERE customer_id = 2
---- right
SELECT REPLICATE('0', 6 - LEN(employee_id)) + CONVERT(varchar(6), employee_id) AS badge FROM employees WHERE manager_id IS NULL
==== 000001
---- likely
SELECT full_name, LEN(full_name) AS len, DATALENGTH(full_name) AS bytes FROM customers WHERE customer_id IN (2, 5)
==== bob Stone|9|9
==== Eve Park |8|9
---- likely
SELECT CustomerName = full_name, Mail = COALESCE(email, N'n/a') FROM dbo.customers WHERE customer_id = 3
==== Carol Diaz|n/a
---- right
SELECT full_name AS 'Customer Name', city AS 'Town' FROM customers WHERE is_active = 1 AND city IS NULL
==== Dan O'Brien|~
---- right
SELECT city, COUNT(*) AS n FROM dbo.customers WITH (NOLOCK) WHERE city IS NOT NULL GROUP BY city HAVING COUNT(*) > 1 ORDER BY n DESC, city
==== berlin|2
==== Oslo|2
---- right
SELECT COUNT(DISTINCT city) AS cities, COUNT(city), COUNT(*) FROM [dbo].[customers]
==== 3|5|6
---- likely
SELECT DISTINCT UPPER(RTRIM([city])) AS town FROM [customers] WHERE [city] <> ''
==== BERLIN
==== MADRID
==== OSLO
---- likely
SELECT customer_id FROM [customers] WHERE [city] = 'oslo'
==== 5
==== 6
---- likely
SELECT customer_id FROM [customers] WHERE [full_name] LIKE '[a-c]%'
==== 1
==== 2
==== 3
---- likely
SELECT reading_id FROM readings WHERE sensor LIKE '[^A]%' AND TRY_CAST(raw_value AS int) IS NOT NULL
==== 5
==== 6
---- likely
SELECT reading_id FROM dbo.readings WHERE sensor LIKE 'B[_]%' OR sensor LIKE 'B[%]%'
==== 4
==== 5
---- likely
SELECT customer_id FROM dbo.customers WHERE notes LIKE N'%!%%' ESCAPE '!'
==== 6
---- right
SELECT customer_id FROM customers WHERE notes COLLATE Latin1_General_CS_AS = 'vip'
==== 5
---- likely
SELECT customer_id FROM customers WHERE notes LIKE 'VIP%' COLLATE SQL_Latin1_General_CP1_CI_AS
==== 1
==== 5
---- right ordered
WITH tree AS (SELECT employee_id, CAST(last_name AS VARCHAR(200)) AS path, 0 AS depth FROM employees WHERE manager_id IS NULL UNION ALL SELECT e.employee_id, CAST(t.path + '/' + e.last_name AS VARCHAR(200)), t.depth + 1 FROM employees e JOIN tree t ON e.manager_id = t.employee_id) SELECT employee_id, path, depth FROM tree ORDER BY path OPTION (MAXRECURSION 50)
==== 1|Lopez|0
==== 2|Lopez/Black|1
==== 4|Lopez/Black/Patel|2
==== 3|Lopez/Black/White|2
==== 5|Lopez/Klein|1
==== 6|Lopez/Klein/Wong|2
---- likely ordered
;WITH totals AS (SELECT order_id, SUM(quantity * unit_price) AS total FROM order_lines GROUP BY order_id) SELECT TOP 2 order_id, total FROM totals ORDER BY total DESC
==== 101|59.50
==== 105|59.25
---- right ordered
;WITH ranked AS (SELECT o.customer_id, o.order_id, ROW_NUMBER() OVER (PARTITION BY o.customer_id ORDER BY o.ordered_at DESC) AS rn FROM [dbo].[orders] o) SELECT customer_id, order_id FROM ranked WHERE rn = 1 ORDER BY customer_id
==== 1|102
==== 2|107
==== 3|104
==== 5|105
==== 6|106
---- right
SELECT ISNULL(title, 'Total') AS title, COUNT(*) AS n FROM employees WHERE title IS NOT NULL GROUP BY ROLLUP(title)
==== CEO|1
==== Engineer|1
==== Sales Manager|1
==== Sales Rep|2
==== Total|5
---- right
SELECT product_id, SUM(quantity) AS q FROM dbo.order_lines WHERE product_id < 3 GROUP BY product_id WITH ROLLUP
==== 1|20
==== 2|7
==== ~|27
---- right
SELECT YEAR(ordered_at) AS y, employee_id, COUNT(*) AS n, GROUPING(employee_id) AS g FROM [orders] WHERE employee_id = 4 GROUP BY CUBE (YEAR(ordered_at), employee_id)
==== 2023|4|1|0
==== 2022|4|1|0
==== ~|4|2|0
==== 2023|~|1|1
==== 2022|~|1|1
==== ~|~|2|1
---- right ordered
SELECT order_id, freight, SUM(ISNULL(freight, 0)) OVER (ORDER BY order_id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS running FROM orders ORDER BY order_id
==== 101|12.50|12.50
==== 102|0.00|12.50
==== 103|7.25|19.75
==== 104|~|19.75
==== 105|20.00|39.75
==== 106|3.75|43.50
==== 107|5.00|48.50
---- right
SELECT [customer_id] FROM [customers] EXCEPT SELECT [customer_id] FROM [orders]
==== 4
---- likely
SELECT city FROM dbo.customers WHERE customer_id = 1 INTERSECT SELECT city FROM dbo.customers WHERE customer_id = 2
==== Berlin
---- likely
SELECT product_id, SUM(quantity) / COUNT(*) AS per_line, AVG(quantity) AS avg_q FROM [order_lines] GROUP BY product_id
==== 1|6|6
==== 2|3|3
==== 3|1|1
==== 4|12|12
==== 5|1|1
==== 6|1|1
---- likely
SELECT TOP 1 100 * COUNT(shipped_on) / COUNT(*) AS pct FROM orders
==== 57
---- likely
SELECT CAST(100.0 * COUNT(shipped_on) / COUNT(*) AS DECIMAL(5,2)) AS pct FROM dbo.orders
==== 57.14
---- refused
SELECT CAST(price AS INT) AS whole, CAST(price AS MONEY) AS m, ROUND(price, 0) AS r FROM products WHERE product_id IN (2, 4) AND discontinued = CAST(0 AS BIT)
---- right
SELECT CONVERT(INT, 12.7) AS a, CONVERT(DECIMAL(10,1), '3.14159') AS b, CAST(2 AS NVARCHAR(MAX)) + N'x' AS c
==== 12|3.1|2x
---- refused
SELECT CONCAT(first_name, ' ', NULL, last_name) AS n, first_name + title AS t FROM employees WHERE employee_id = 6
---- likely
SELECT CONCAT_WS('-', region_id, NULL, region_name) AS r FROM dbo.regions WHERE region_name IN ('north', 'WEST')
==== 1-North
==== 4-West
---- right unchecked
SELECT GETDATE() AS now, SYSDATETIME() AS precise, GETUTCDATE() AS utc, CURRENT_TIMESTAMP AS ct
---- right
SELECT name FROM sys.tables WHERE name LIKE 'order%' ORDER BY name
==== order_lines
==== orders
---- untouched
SELECT TABLE_NAME, COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = 'dbo' AND TABLE_NAME = 'regions' ORDER BY ORDINAL_POSITION
---- right
SELECT TOP 100 c.name AS column_name FROM sys.columns c INNER JOIN sys.tables t ON c.object_id = t.object_id WHERE t.name = 'regions' ORDER BY c.column_id
==== region_id
==== region_name
---- refused variables
DECLARE @since DATE = '2024-01-01'; SELECT order_id FROM orders WHERE ordered_at >= @since
---- refused variable
SELECT order_id FROM dbo.orders WHERE customer_id = @customer_id
---- refused
BEGIN TRY SELECT 1/0 END TRY BEGIN CATCH SELECT ERROR_MESSAGE() END CATCH
---- refused for json
SELECT TOP 2 region_id, region_name FROM regions ORDER BY region_id FOR JSON PATH
---- refused for xml
SELECT region_name FROM dbo.regions FOR XML AUTO
---- refused
SELECT @@ROWCOUNT AS n, region_id FROM dbo.regions
---- right ordered
SELECT c.full_name, COUNT(o.order_id) AS orders, ISNULL(SUM(o.freight), 0) AS freight FROM dbo.customers c LEFT JOIN dbo.orders o ON o.customer_id = c.customer_id GROUP BY c.full_name, c.customer_id ORDER BY c.customer_id
==== Alice Ng|2|12.50
==== bob Stone|2|12.25
==== Carol Diaz|1|0
==== Dan O'Brien|0|0
==== Eve Park |1|20.00
==== Ægir Ström|1|3.75
---- right ordered
SELECT TOP (2) p.product_name, SUM(l.quantity * l.unit_price * (1 - l.discount)) AS revenue FROM [dbo].[order_lines] AS l INNER JOIN [dbo].[products] AS p ON p.product_id = l.product_id GROUP BY p.product_name ORDER BY revenue DESC
==== Green Tea|88.6125
==== Coffee|42.05
---- right
SELECT FORMAT(ordered_at, 'dd/MM/yyyy HH:mm') AS placed, LOWER(status) FROM orders WHERE order_id = 101
==== 05/01/2024 10:15|shipped
---- right
SELECT FORMAT(CAST(ordered_at AS date), 'MMMM yyyy') AS m, FORMAT(order_id, '00000') AS code FROM dbo.orders WHERE order_id = 102
==== February 2024|00102
---- likely
SELECT FORMAT(0.1234, 'P1') AS pct, FORMAT(1234567, '#,##0') AS big
==== 12.3 %|1,234,567
---- likely
SELECT SUM(CASE WHEN status = 'Shipped' THEN 1 ELSE 0 END) AS shipped, SUM(IIF(status = 'open', 1, 0)) AS open_orders FROM orders
==== 4|2
---- likely
SELECT CAST(SUM(CASE WHEN shipped_on IS NULL THEN 1 ELSE 0 END) AS FLOAT) / COUNT(*) AS share FROM [orders]
==== 0.428571428571429
---- right
SELECT o.order_id, DATEADD(day, 7, o.shipped_on) AS due, DATEADD(hour, 2, o.ordered_at) AS later FROM dbo.orders o WHERE o.order_id = 101
==== 101|2024-01-15|2024-01-05 12:15:00
---- right
SELECT DATEADD(month, 1, CAST('2024-01-31' AS date)) AS a, DATEADD(year, -1, CAST('2024-02-29' AS datetime)) AS b, DATEADD(week, 2, CAST('2024-01-01' AS date)) AS c
==== 2024-02-29|2023-02-28 00:00:00|2024-01-15
---- right
SELECT customer_id, joined_on FROM dbo.customers WHERE joined_on BETWEEN DATEADD(year, -1, '2024-01-01') AND '2023-12-31'
==== 1|2023-01-15
==== 2|2023-03-31
---- right
SELECT e.last_name + ', ' + e.first_name AS [Full Name], ISNULL(m.last_name, '(none)') AS [Manager] FROM employees e LEFT OUTER JOIN employees m ON e.manager_id = m.employee_id WHERE e.employee_id < 3
==== Lopez, Maria|(none)
==== Black, Tom|Lopez
---- right
SELECT last_name, DATEDIFF(YEAR, birth_date, '2024-06-14') - CASE WHEN DATEADD(YEAR, DATEDIFF(YEAR, birth_date, '2024-06-14'), birth_date) > '2024-06-14' THEN 1 ELSE 0 END AS age FROM employees WHERE employee_id IN (1, 5)
==== Lopez|53
==== Klein|29
---- right
SELECT NTILE(2) OVER (ORDER BY salary DESC) AS half, last_name FROM employees WHERE ISNULL(salary, 0) > 52000
==== 1|Lopez
==== 1|Black
==== 2|Klein
---- right ordered
SELECT last_name, RANK() OVER (ORDER BY salary DESC) AS r, DENSE_RANK() OVER (ORDER BY salary DESC) AS d FROM [dbo].[employees] ORDER BY salary DESC, last_name
==== Lopez|1|1
==== Black|2|2
==== Klein|3|3
==== Patel|4|4
==== White|4|4
==== Wong|6|5
---- refused
SELECT DISTINCT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY salary) OVER () AS median FROM employees
---- right
SELECT o.order_id, x.total FROM dbo.orders o CROSS APPLY (SELECT SUM(l.quantity * l.unit_price) AS total FROM dbo.order_lines l WHERE l.order_id = o.order_id) x WHERE x.total > 50
==== 101|59.50
==== 105|59.25
---- likely
SELECT customer_id, [2023], [2024] FROM (SELECT customer_id, YEAR(ordered_at) AS y, freight FROM orders) AS src PIVOT (SUM(freight) FOR y IN ([2023], [2024])) AS pvt
==== 1|~|12.50
==== 2|7.25|5.00
==== 3|~|~
==== 5|~|20.00
==== 6|~|~
---- right
SELECT p.region_name, STUFF((SELECT ', ' + c.full_name FROM customers c WHERE c.region_id = p.region_id FOR XML PATH('')), 1, 2, '') AS names FROM regions p
==== North|Alice Ng, bob Stone
==== South|Carol Diaz
==== East|Eve Park , Ægir Ström
==== West|~
---- right
SELECT product_id, ISNULL(tags, 'none') AS tags FROM products WHERE ISNULL(tags, '') = ''
==== 3|none
==== 5|
---- right
SELECT product_name, price FROM products WHERE price !< 12 AND price !> 20
==== Mug [large]|12.00
---- likely
SELECT order_id FROM dbo.orders WHERE status <> 'OPEN' AND status != 'cancelled' AND employee_id = 3
==== 101
==== 105
---- likely
SELECT LEFT(full_name, CHARINDEX(' ', full_name) - 1) AS first_name FROM customers WHERE CHARINDEX(' ', full_name) > 0 AND region_id = 1
==== Alice
==== bob
---- right
SELECT SUBSTRING(email, CHARINDEX('@', email) + 1, LEN(email)) AS domain, COUNT(*) AS n FROM dbo.customers WHERE email IS NOT NULL GROUP BY SUBSTRING(email, CHARINDEX('@', email) + 1, LEN(email))
==== example.com|3
==== test.org|1
==== example.se|1
---- likely
SELECT LTRIM(RTRIM(raw_value)) AS v, REVERSE(sensor) AS r, SPACE(2) + sensor AS padded FROM readings WHERE reading_id = 5
==== 7|2%B|  B%2
---- likely
SELECT REPLACE(product_name, 'TEA', 'Leaf') AS x, UPPER(LEFT(product_name, 1)) + LOWER(SUBSTRING(product_name, 2, 50)) AS y FROM dbo.products WHERE product_id = 1
==== Green Leaf|Green tea
---- right
SELECT ASCII('A') AS a, CHAR(66) AS b, UNICODE(N'Æ') AS u, NCHAR(198) AS n, TRANSLATE('2*[3+4]', '[]', '()') AS t
==== 65|B|198|Æ|2*(3+4)
---- right
SELECT STR(123.456, 8, 2) AS s, STR(7, 3) AS t, LEN(STR(1)) AS n
====   123.46|  7|10
---- right
SELECT POWER(2, 10) AS p, SQUARE(3) AS s, SIGN(level) AS g, ABS(level) AS a, level % 5 AS m FROM [readings] WHERE reading_id = 2
==== 1024|9|-1|7|-2
---- likely
SELECT CEILING(price) AS c, FLOOR(price) AS f, ROUND(price, 1, 1) AS t FROM dbo.products WHERE price BETWEEN 5 AND 10
==== 8|7|7.20
---- right
SELECT LOG(100, 10) AS l, LOG10(1000) AS t, ROUND(PI(), 4) AS p, ROUND(DEGREES(PI()), 2) AS d, ATN2(0, 1) AS a
==== 2|3|3.1416|180|0
---- right
SELECT ROUND(STDEV(quantity), 4) AS s, VARP(quantity) AS v FROM dbo.order_lines WHERE product_id = 3
==== 0.7071|0.25
---- right
SELECT CAST(AVG(price) AS DECIMAL(10,2)) AS avg_price, MAX(ISNULL(weight, 0)) AS w FROM products WHERE discontinued = 0
==== 12.19|0.5
---- likely
SELECT AVG(CAST(quantity AS FLOAT)) AS a, AVG(quantity * 1.0) AS b, AVG(quantity) AS c FROM [order_lines] WHERE product_id = 2
==== 3.5|3.5|3
---- right
SELECT customer_id, CASE WHEN is_active = 1 THEN 'Yes' ELSE 'No' END AS active FROM [customers] WHERE customer_id > 4
==== 5|No
==== 6|Yes
---- right
SELECT customer_id, CONVERT(VARCHAR(10), is_active) AS flag FROM dbo.customers WHERE customer_id IN (1, 3)
==== 1|1
==== 3|0
---- likely
SELECT SUM(CAST(is_active AS INT)) AS active, COUNT(*) AS n FROM dbo.customers
==== 4|6
---- likely ordered
SELECT customer_id, email FROM dbo.customers ORDER BY CASE WHEN email IS NULL THEN 1 ELSE 0 END, email
==== 6|aegir@example.se
==== 1|alice@example.com
==== 2|BOB@Example.com
==== 4|dan@test.org
==== 5|eve@example.com
==== 3|~
---- likely ordered
SELECT full_name, city FROM dbo.customers ORDER BY city DESC, full_name OFFSET 0 ROWS FETCH FIRST 3 ROWS ONLY
==== Ægir Ström|Oslo 
==== Eve Park |Oslo
==== Carol Diaz|Madrid
---- untouched
SELECT event_id FROM events WHERE CAST(occurred_at AS DATE) = '2024-01-01' AND kind = 'CLICK'
---- right
SELECT kind, COUNT(*) AS n, MAX(ISNULL(duration_ms, 0)) AS longest FROM [events] GROUP BY kind ORDER BY n DESC
==== login|3|120
==== Click|1|45
==== logout|1|3600000
==== ping|1|0
---- right
SELECT CAST(occurred_at AS TIME(0)) AS t, CONVERT(varchar(19), occurred_at, 126) AS iso FROM events WHERE event_id = 4
==== 06:45:30|2024-02-10T06:45:30
---- right
SELECT CONVERT(varchar(11), occurred_at, 106) AS a, CONVERT(varchar(12), occurred_at, 107) AS b, CONVERT(varchar(5), occurred_at, 114) AS c FROM dbo.events WHERE event_id = 4
==== 10 Feb 2024|Feb 10, 2024|06:45
---- right
SELECT CONVERT(datetime, '31/12/2023', 103) AS d, CONVERT(date, '20240229', 112) AS e, CONVERT(datetime2(0), '2024-01-05 10:20:30', 120) AS f
==== 2023-12-31 00:00:00|2024-02-29|2024-01-05 10:20:30
---- right
SELECT event_id FROM dbo.events WHERE occurred_at < CAST('2024-01-01' AS DATETIME2) AND duration_ms IS NOT NULL
==== 5
---- right
SELECT DATETIMEFROMPARTS(2024, 2, 29, 13, 5, 6, 0) AS a, TIMEFROMPARTS(1, 2, 3, 0, 0) AS b, DAY('2024-02-29') AS c
==== 2024-02-29 13:05:06|01:02:03|29
---- right
SELECT DATEDIFF_BIG(millisecond, '2024-01-01', '2024-01-02') AS ms, DATEDIFF(minute, '2024-01-01 10:00:59', '2024-01-01 10:01:00') AS mi
==== 86400000|1
---- right
SELECT DATEPART(hh, ordered_at) AS h, DATEPART(mi, ordered_at) AS mi, DATEPART(yy, ordered_at) AS y, DATENAME(mm, ordered_at) AS m FROM [orders] WHERE order_id = 103
==== 23|30|2023|December
---- right
SELECT DATEADD(wk, DATEDIFF(wk, 0, ordered_at), 0) AS monday, order_id FROM orders WHERE order_id IN (101, 107)
==== 2024-01-01 00:00:00|101
==== 2024-04-01 00:00:00|107
---- right
SELECT DATEADD(dd, 0, DATEDIFF(dd, 0, ordered_at)) AS midnight FROM dbo.orders WHERE order_id = 101
==== 2024-01-05 00:00:00
---- refused
SELECT TOP 1 ordered_at AT TIME ZONE 'UTC' AT TIME ZONE 'Eastern Standard Time' AS est FROM orders WHERE order_id = 101
---- right unchecked
SELECT TOP 3 * FROM [products] ORDER BY NEWID()
---- right unchecked
SELECT o.order_id, DATEDIFF(day, o.ordered_at, GETDATE()) AS age_days FROM dbo.orders o WITH (NOLOCK) WHERE o.shipped_on IS NULL AND o.ordered_at < DATEADD(month, -1, GETDATE())
---- likely
SELECT COUNT(*) AS n FROM orders WHERE ordered_at >= CAST(GETDATE() AS DATE) AND YEAR(ordered_at) = YEAR(GETDATE())
==== 0
---- refused
SELECT value FROM GENERATE_SERIES(1, 5, 2)
---- likely
SELECT product_id, GREATEST(q1, q2, q4) AS hi, LEAST(q1, q3) AS lo FROM dbo.quarterly
==== 1|40|10
==== 2|5|5
---- right
SELECT TOP (100) PERCENT region_id FROM dbo.regions WHERE region_name IN (N'East', N'west') ORDER BY region_id
==== 3
==== 4
---- right
SELECT DISTINCT TOP 2 status FROM [orders] ORDER BY status
==== Cancelled
==== Open
---- refused
SELECT TOP (SELECT COUNT(*) / 2 FROM regions) region_name FROM regions ORDER BY region_name DESC
---- likely
SELECT o.order_id FROM Shop.dbo.orders o WHERE o.freight IS NULL
==== 104
---- right
SELECT t.name AS table_name, s.name AS schema_name FROM sys.tables t JOIN sys.schemas s ON t.schema_id = s.schema_id WHERE t.name = 'regions'
==== regions|public
---- right
SELECT COUNT(*) FROM sys.objects WHERE type = 'U' AND name = 'employees'
==== 1
---- refused
SELECT name, object_id FROM sys.objects WHERE object_id = OBJECT_ID(N'dbo.no_such_table')
---- likely unchecked
SELECT DB_NAME() AS db, SUSER_SNAME() AS login_name, @@VERSION AS version
---- untouched
SELECT TABLE_SCHEMA, TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_TYPE = 'BASE TABLE' ORDER BY TABLE_NAME
---- right
SET NOCOUNT ON; SELECT [region_name] FROM [dbo].[regions] WHERE [region_id] = 2;
==== South
---- right
USE [Shop]; SELECT TOP 1 region_name FROM regions ORDER BY region_name
==== East
---- refused
SELECT * INTO #recent FROM dbo.orders WHERE ordered_at > '2024-01-01'
---- refused
EXEC sp_executesql N'SELECT 1'
---- right
SELECT a.first_name, b.first_name FROM employees a, employees b WHERE a.salary = b.salary AND a.employee_id < b.employee_id OPTION (RECOMPILE)
==== Ann|Raj
---- right
SELECT c.customer_id FROM dbo.customers AS c WHERE NOT EXISTS (SELECT 1 FROM dbo.orders AS o WITH (NOLOCK) WHERE o.customer_id = c.customer_id)
==== 4
---- right
SELECT last_name FROM employees WHERE salary > ALL (SELECT ISNULL(salary, 0) FROM employees WHERE title = 'sales rep') AND title <> N'ceo'
==== Black
==== Klein
---- right
SELECT NULLIF(raw_value, '') AS v, COALESCE(level, -1) AS l FROM [dbo].[readings] WHERE NULLIF(raw_value, '') IS NULL
==== ~|0
==== ~|3
---- right ordered
SELECT order_id, FIRST_VALUE(status) OVER (PARTITION BY customer_id ORDER BY ordered_at) AS first_status, LEAD(order_id, 1, 0) OVER (PARTITION BY customer_id ORDER BY ordered_at) AS next_id FROM [orders] WHERE customer_id IN (1, 2) ORDER BY order_id
==== 101|Shipped|102
==== 102|Shipped|0
==== 103|shipped|107
==== 107|shipped|0
---- likely
SELECT category, COUNT(*) AS n, AVG(price) AS avg_price FROM [products] WHERE price IS NOT NULL GROUP BY category HAVING AVG(price) > 5
==== drinks|2|5.875
==== Kitchen|2|6.495
==== Other|1|25
---- right
SELECT Region = r.region_name, [Customers] = COUNT(c.customer_id) FROM regions r LEFT JOIN customers c ON c.region_id = r.region_id GROUP BY r.region_name
==== North|2
==== South|1
==== East|2
==== West|0
---- likely
SELECT CASE WHEN GROUPING(category) = 1 THEN 'All' ELSE category END AS category, SUM(price) AS total FROM dbo.products GROUP BY GROUPING SETS ((category), ())
==== drinks|11.75
==== Kitchen|12.99
==== Other|25.00
==== All|49.74
---- right
SELECT p.product_name FROM products p WHERE EXISTS (SELECT 1 FROM STRING_SPLIT(p.tags, ',') WHERE value = 'STEEL')
==== Spoon
==== Old Kettle
---- right
SELECT j.[key], j.value FROM OPENJSON('{"a":1,"b":"x"}') j
==== a|1
==== b|x
---- right
SELECT CAST('6F9619FF-8B86-D011-B42D-00C04FC964FF' AS UNIQUEIDENTIFIER) AS id, LEN(CAST(NEWID() AS VARCHAR(36))) AS n
==== 6f9619ff-8b86-d011-b42d-00c04fc964ff|36
---- refused
SELECT TRY_CONVERT(date, '2024-13-01') AS a, TRY_CAST('2024-02-29' AS date) AS b, ISDATE('2024-02-30') AS c
---- right
SELECT order_id, MIN(line_no) AS first_line, STRING_AGG(CONCAT(product_id, 'x', quantity), '; ') WITHIN GROUP (ORDER BY line_no) AS lines FROM [dbo].[order_lines] GROUP BY order_id HAVING COUNT(*) >= 2
==== 101|1|1x10; 2x2
==== 103|1|1x3; 4x12
==== 105|1|2x5; 3x2
---- right
SELECT AVG(DATEDIFF(day, ordered_at, shipped_on)) AS avg_days, COUNT_BIG(DISTINCT status) AS kinds FROM dbo.orders
==== 4|3
---- right
SELECT o.status + ' #' + CAST(o.order_id AS NVARCHAR(10)) + ' (' + CONVERT(VARCHAR(10), o.ordered_at, 23) + ')' AS label FROM orders o WHERE o.order_id = 107
==== Open #107 (2024-04-01)
---- right
SELECT 'Order ' + STR(order_id, 3) AS o, freight * 1.1 AS gross FROM dbo.orders WHERE freight > 15
==== Order 105|22.000
---- right
SELECT IIF(GROUPING(status) = 1, 'Sum', status) AS s, COUNT(*) AS n FROM orders WHERE status <> 'Shipped' GROUP BY status WITH ROLLUP
==== Cancelled|1
==== Open|2
==== Sum|3
---- right
SELECT * FROM (SELECT TOP 3 employee_id, ISNULL(salary, 0) AS salary FROM employees ORDER BY salary) AS x WHERE x.salary > 0
==== 3|52000.00
==== 4|52000.00
---- likely
SELECT u.product_id, u.qname, u.qty FROM (SELECT product_id, q1, q2 FROM dbo.quarterly) AS s UNPIVOT (qty FOR qname IN (q1, q2)) AS u WHERE u.qty > 5
==== 1|q1|10
==== 1|q2|20
---- right
SELECT TOP 1 WITH TIES customer_id, order_id FROM [orders] ORDER BY ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY ordered_at DESC)
==== 1|102
==== 2|107
==== 3|104
==== 5|105
==== 6|106
---- right
SELECT DATENAME(month, DATEFROMPARTS(2024, n.value, 1)) AS month_name FROM (VALUES (1), (12)) AS n(value)
==== January
==== December
---- refused variable
SELECT order_id FROM dbo.orders WHERE customer_id IN (@customer_id, @order_id)
---- refused variable
SELECT order_id FROM dbo.orders WHERE freight BETWEEN @freight AND @customer_id AND status ILIKE 'shipped'
---- refused variable
SELECT `order_id` FROM orders WHERE customer_id = @customer_id LIMIT 1, 2
---- refused variable
SELECT order_id, IFNULL(freight, 0) FROM orders WHERE customer_id >= @customer_id
---- refused variable
SELECT round(freight::float8, 1) FROM orders WHERE customer_id < @order_id
---- likely
SELECT REVERSE(sensor) + SPACE(1) + REVERSE(sensor) AS twice FROM readings WHERE reading_id = 5
==== 2%B 2%B
---- likely
SELECT o.order_id FROM dbo.orders o WHERE o.freight >= ALL (SELECT freight FROM dbo.orders)
---- likely
SELECT status, customer_id, COUNT(*) FROM dbo.orders GROUP BY GROUPING SETS ((status), (customer_id))
==== Open|~|2
==== Cancelled|~|1
==== shipped|~|4
==== ~|3|1
==== ~|5|1
==== ~|6|1
==== ~|2|2
==== ~|1|2
---- right
SELECT status, COUNT(*) AS n FROM dbo.orders GROUP BY ROLLUP (status)
==== Cancelled|1
==== Open|2
==== shipped|4
==== ~|7
