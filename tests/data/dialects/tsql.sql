-- What T-SQL's texts mean. A head says what is wanted: `right` (the rows below; `ordered` where
-- their order counts), `likely` (the same, less certain), or `refused` and a word of the hint.
---- right ordered
SELECT TOP 2 [id], [name] FROM [dbo].[customers] ORDER BY [id] DESC
==== 6|a%b_c
==== 5|Eve
---- right ordered
SELECT TOP (3) id FROM dbo.orders AS o WITH (NOLOCK) ORDER BY amount DESC;
==== 7
==== 2
==== 6
---- right ordered
SELECT TOP 50 PERCENT id FROM customers ORDER BY id
==== 1
==== 2
==== 3
---- right ordered
SELECT TOP 20 PERCENT id FROM orders ORDER BY id
==== 1
==== 2
---- right ordered
SELECT TOP 1 WITH TIES country FROM customers WHERE country IS NOT NULL ORDER BY country DESC
==== Spain
==== Spain
---- right ordered
SELECT id FROM orders ORDER BY id OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY
==== 3
==== 4
==== 5
---- right ordered
SELECT id FROM orders ORDER BY id OFFSET 5 ROWS
==== 6
==== 7
---- right ordered
SELECT id, parent_id FROM customers ORDER BY parent_id, id
==== 1|~
==== 2|1
==== 3|1
==== 4|2
==== 5|2
==== 6|3
---- right ordered
SELECT TOP 2 id FROM customers ORDER BY balance DESC, id
==== 6
==== 1
---- right
SELECT id, ISNULL(parent_id, 0) FROM customers WHERE id < 3
==== 1|0
==== 2|1
---- right
SELECT id, ISNULL(city, 'none') AS city FROM customers WHERE id IN (1, 3)
==== 1|Paris
==== 3|none
---- refused ISNULL
SELECT ISNULL(city, 'a string of more than forty characters is cut to forty') FROM customers
---- right
SELECT ISNULL(country, 'nowhere at all') FROM customers WHERE id = 4
==== nowhere at all
---- refused ISNULL
SELECT ISNULL(quantity, 0.5) FROM orders
---- right
SELECT COALESCE(city, country, 'x') FROM customers WHERE id IN (3, 4)
==== Spain
==== Madrid
---- refused texts and other values
SELECT COALESCE(parent_id, 'none') FROM customers
---- refused texts and other values
SELECT CASE WHEN id > 1 THEN id ELSE '' END FROM customers
---- right
SELECT id, NULLIF(returned, 0) FROM orders WHERE id < 3
==== 1|~
==== 2|2
---- right
SELECT id, IIF(amount > 100, 'big', 'small') AS size FROM orders WHERE id < 3
==== 1|small
==== 2|big
---- right
SELECT CHOOSE(quantity, 'one', 'two', 'three') FROM orders WHERE id IN (1, 4, 7)
==== three
==== one
==== ~
---- right
SELECT DATEADD(month, 1, placed_on) FROM orders WHERE id = 2
==== 2024-02-29
---- right
SELECT DATEADD(year, -1, placed_on), DATEADD(wk, 2, placed_on), DATEADD(qq, 1, placed_on), DATEADD(dd, 1, placed_on) FROM orders WHERE id = 4
==== 2023-02-28|2024-03-14|2024-05-29|2024-03-01
---- right
SELECT DATEADD(hour, 25, shipped_at), DATEADD(mi, -1, shipped_at), DATEADD(ss, 5, shipped_at) FROM orders WHERE id = 3
==== 2024-01-02 01:00:00|2023-12-31 23:59:00|2024-01-01 00:00:05
---- right
SELECT DATEADD(month, 1, '20240830'), DATEADD(month, 1, '2024-08-31')
==== 2024-09-30 00:00:00|2024-09-30 00:00:00
---- refused DATEADD
SELECT DATEADD(hour, 1, placed_on) FROM orders
---- right
SELECT DATEDIFF(year, '2023-12-31', '2024-01-01'), DATEDIFF(quarter, '2023-12-31', '2024-01-01'), DATEDIFF(month, '2023-12-31', '2024-01-01'), DATEDIFF(day, '2023-12-31', '2024-01-01')
==== 1|1|1|1
---- right
SELECT DATEDIFF(week, '2005-12-31 23:59:59', '2006-01-01 00:00:00'), DATEDIFF(hour, '2005-12-31 23:59:59', '2006-01-01 00:00:00'), DATEDIFF(minute, '2005-12-31 23:59:59', '2006-01-01 00:00:00'), DATEDIFF(second, '2005-12-31 23:59:59', '2006-01-01 00:00:00'), DATEDIFF(millisecond, '2005-12-31 23:59:59', '2006-01-01 00:00:00')
==== 1|1|1|1|1000
---- right
SELECT DATEDIFF(week, '2024-03-03', '2024-03-09'), DATEDIFF(week, '2024-03-02', '2024-03-03'), DATEDIFF(ww, '2024-03-09', '2024-02-25')
==== 0|1|-1
---- right
SELECT id, DATEDIFF(day, placed_on, shipped_at) FROM orders WHERE shipped_at IS NOT NULL
==== 1|1
==== 2|2
==== 3|2
==== 6|2
==== 7|1
---- right
SELECT id, DATEDIFF(hour, placed_on, shipped_at), DATEDIFF_BIG(minute, placed_on, shipped_at) FROM orders WHERE id IN (1, 2)
==== 1|33|1980
==== 2|66|4005
---- right
SELECT DATEDIFF(yy, born, joined) FROM customers WHERE id IN (1, 6)
==== 34
==== 23
---- right
SELECT DATEPART(year, placed_on), DATEPART(qq, placed_on), DATEPART(mm, placed_on), DATEPART(dd, placed_on), DATEPART(dy, placed_on) FROM orders WHERE id = 5
==== 2024|1|3|31|91
---- right
SELECT DATEPART(dw, '2024-03-03'), DATEPART(weekday, '2024-03-09'), DATEPART(dw, '2024-03-06')
==== 1|7|4
---- right
SELECT DATEPART(week, '2024-01-01'), DATEPART(week, '2024-01-06'), DATEPART(wk, '2024-01-07'), DATEPART(ww, '2023-12-31'), DATEPART(week, '2022-01-01'), DATEPART(week, '2022-01-02'), DATEPART(week, '2000-12-31')
==== 1|1|2|53|1|2|54
---- right
SELECT DATEPART(iso_week, '2023-01-01'), DATEPART(isowk, '2024-12-30'), DATEPART(isoww, '2021-01-03')
==== 52|1|53
---- right
SELECT DATEPART(hour, shipped_at), DATEPART(minute, shipped_at), DATEPART(second, shipped_at), DATEPART(ms, shipped_at) FROM orders WHERE id = 2
==== 18|45|10|0
---- right
SELECT DATENAME(month, placed_on), DATENAME(weekday, placed_on), DATENAME(year, placed_on), DATENAME(day, placed_on) FROM orders WHERE id = 4
==== February|Thursday|2024|29
---- right
SELECT YEAR(placed_on) AS y, MONTH(placed_on) AS m, COUNT(*) AS n FROM orders WHERE YEAR(placed_on) = 2023 GROUP BY YEAR(placed_on), MONTH(placed_on)
==== 2023|12|1
==== 2023|3|1
---- right
SELECT EOMONTH(placed_on), EOMONTH(placed_on, 1), EOMONTH('2024-02-10', -2) FROM orders WHERE id = 1
==== 2024-01-31|2024-02-29|2023-12-31
---- right
SELECT DATEFROMPARTS(2024, 2, 29), DATETIMEFROMPARTS(2024, 2, 29, 1, 2, 3, 500)
==== 2024-02-29|2024-02-29 01:02:03.5
---- right
SELECT DATETRUNC(month, shipped_at), DATETRUNC(week, placed_on), DATETRUNC(iso_week, placed_on), DATETRUNC(hour, shipped_at) FROM orders WHERE id = 2
==== 2024-02-01 00:00:00|2024-01-28|2024-01-29|2024-02-02 18:00:00
---- right
SELECT FORMAT(shipped_at, 'yyyy-MM-dd HH:mm'), FORMAT(placed_on, 'MMMM d, yyyy'), FORMAT(placed_on, 'dd/MM/yy'), FORMAT(shipped_at, 'h:mm tt') FROM orders WHERE id = 2
==== 2024-02-02 18:45|January 31, 2024|31/01/24|6:45 PM
---- right
SELECT FORMAT(1234567.891, 'N2'), FORMAT(12, 'N0'), FORMAT(0.5, '0.00'), FORMAT(1234, '#,##0.0'), FORMAT(12.345, 'F1')
==== 1,234,567.89|12|0.50|1,234.0|12.3
---- right
SELECT FORMAT(-0.001, 'N2'), FORMAT(-0.006, 'N2'), FORMAT(-0.04, 'F1'), FORMAT(-0.4, '#,##0'), FORMAT(-0.04, '0.0'), FORMAT(-12, 'N0'), FORMAT(-1234.5, 'N1')
==== 0.00|-0.01|0.0|0|0.0|-12|-1,234.5
---- likely
SELECT FORMAT(-0.001, 'C'), FORMAT(-0.006, 'C2'), FORMAT(-0.4, 'C0'), FORMAT(-0.00004, 'P1'), FORMAT(-0.0006, 'P1'), FORMAT(-0.00004, '0.0%'), FORMAT(-1234.5, 'C'), FORMAT(-5, 'C0')
==== $0.00|($0.01)|$0|0.0 %|-0.1 %|0.0%|($1,234.50)|($5)
---- refused FORMAT
SELECT FORMAT(placed_on, 'd') FROM orders
---- likely
SELECT FORMAT(amount, 'C') FROM orders
==== $10.50
==== $250.25
==== $75.75
==== $33.30
==== $5.04
==== $99.95
==== $410.10
---- right
SELECT CONVERT(varchar(10), placed_on, 101), CONVERT(varchar, placed_on, 103), CONVERT(varchar(10), placed_on, 104), CONVERT(char(8), placed_on, 112), CONVERT(nvarchar(30), placed_on, 106), CONVERT(varchar(12), placed_on, 107) FROM orders WHERE id = 1
==== 01/15/2024|15/01/2024|15.01.2024|20240115|15 Jan 2024|Jan 15, 2024
---- right
SELECT CONVERT(varchar(7), shipped_at, 120), CONVERT(varchar(16), shipped_at, 121), CONVERT(varchar, shipped_at, 120), CONVERT(varchar(8), shipped_at, 108), CONVERT(varchar(10), shipped_at, 126) FROM orders WHERE id = 2
==== 2024-02|2024-02-02 18:45|2024-02-02 18:45:10|18:45:10|2024-02-02
---- right
SELECT CONVERT(varchar(7), placed_on, 120) AS month, SUM(amount) FROM orders GROUP BY CONVERT(varchar(7), placed_on, 120)
==== 2024-01|260.75
==== 2023-12|75.75
==== 2024-02|33.30
==== 2024-03|5.04
==== 2023-03|99.95
==== 2024-12|410.10
---- likely
SELECT CONVERT(varchar(30), shipped_at, 121) FROM orders
==== 2024-01-16 09:00:00.000
==== 2024-02-02 18:45:10.000
==== 2024-01-01 00:00:00.000
==== ~
==== ~
==== 2023-03-07 07:07:07.000
==== 2025-01-01 12:30:00.000
---- refused style
SELECT CONVERT(varchar(30), shipped_at) FROM orders
---- right
SELECT CONVERT(date, '31/12/2024', 103), CONVERT(date, shipped_at), CONVERT(datetime, placed_on), CAST('20240131' AS date) FROM orders WHERE id = 3
==== 2024-12-31|2024-01-01|2023-12-30 00:00:00|2024-01-31
---- right
SELECT CONVERT(int, 2.9), CAST(-2.9 AS int), CAST(amount AS int), CAST('12' AS int), CAST(discount AS bigint) FROM orders WHERE id = 3
==== 2|-2|75|12|0
---- right
SELECT CAST(10.6496 AS decimal(6, 2)), CAST(10.5 AS decimal), CAST(2.5 AS numeric(5, 0)), CAST(7 AS float) / 2, CONVERT(money, 1.23456)
==== 10.65|11|3|3.5|1.2346
---- right
SELECT CAST(id AS varchar(10)) + '-' + name FROM customers WHERE id = 3
==== 3-Cara
---- right
SELECT CAST(name AS varchar(3)), CAST(12345 AS varchar(5)), CAST(amount AS varchar(20)), CAST(YEAR(placed_on) AS char(4)) FROM customers, orders WHERE customers.id = 1 AND orders.id = 1
==== Ann|12345|10.50|2024
---- right
SELECT CAST(quantity * 1000 AS varchar(4)) FROM orders WHERE id IN (1, 2)
==== 3000
==== *
---- right
SELECT CAST('this is a rather long string of more than thirty characters' AS varchar)
==== this is a rather long string o
---- refused text
SELECT CAST(score AS varchar(10)) FROM customers
---- right
SELECT id, TRY_CAST(code AS int) FROM customers WHERE id IN (1, 3, 4, 5)
==== 1|7
==== 3|~
==== 4|~
==== 5|5
---- right
SELECT id, TRY_CONVERT(float, code) FROM customers WHERE id IN (2, 6)
==== 2|12
==== 6|~
---- refused TRY_CAST
SELECT TRY_CAST(since AS date) FROM customers
---- unread
SELECT PARSE('1' AS int USING 'en-US')
---- right
SELECT LEN('abc  '), LEN('  abc'), LEN(name), LEN('') FROM customers WHERE id = 5
==== 3|5|3|0
---- likely
SELECT DATALENGTH(name) FROM customers
==== 7
==== 9
==== 4
==== 10
==== 3
==== 5
---- right
SELECT CHARINDEX('LEE', name), CHARINDEX(' ', name), CHARINDEX('e', name, 6), CHARINDEX('zz', name), CHARINDEX('n', name, 0) FROM customers WHERE id = 1
==== 5|4|6|0|2
---- right
SELECT CHARINDEX(city, name), CHARINDEX('e', city, 2) FROM customers WHERE id IN (3, 6)
==== ~|~
==== 0|0
---- right
SELECT PATINDEX('%[0-9]%', 'abc123'), PATINDEX('%ter%', 'interesting data'), PATINDEX('%[^a-z]%', 'abc-d'), PATINDEX('%x%', 'abc')
==== 4|3|4|0
---- right
SELECT SUBSTRING(name, 1, 3), SUBSTRING(name, 5, 100), SUBSTRING('abcdef', 0, 3), LEFT(name, 2), RIGHT(name, 2) FROM customers WHERE id = 1
==== Ann|Lee|ab|An|ee
---- right
SELECT STUFF('abcdef', 2, 3, 'ijklmn'), STUFF('abc', 1, 1, ''), STUFF('abc', 4, 1, 'x'), STUFF('abc', 2, 0, 'x'), STUFF('abc', 2, 1, NULL)
==== aijklmnef|bc|~|axbc|ac
---- right
SELECT REPLICATE('0', 3), REVERSE('abc'), REPLICATE('a', -1), 'x' + SPACE(2) + 'y', '[' + LTRIM(RTRIM('  a b ')) + ']', TRIM('  z '), TRIM('.,' FROM '.a,.')
==== 000|cba|~|x  y|[a b]|z|a
---- right
SELECT UPPER(name), LOWER(name), REPLACE(name, 'E', '*'), REPLACE(name, ' ', '') FROM customers WHERE id = 1
==== ANN LEE|ann lee|Ann L**|AnnLee
---- right
SELECT REPLACE('a.b.A', 'a', '\x'), REPLACE('a.b', '.', NULL), REPLACE('a+b', 'a+', 'x')
==== \x.b.\x|~|xb
---- right
SELECT CONCAT(name, ' ', city, ' ', id), CONCAT_WS(', ', name, city, country) FROM customers WHERE id = 3
==== Cara  3|Cara, Spain
---- right
SELECT name + ' (' + city + ')' FROM customers WHERE id IN (1, 3)
==== Ann Lee (Paris)
==== ~
---- refused operator between a string and a number
SELECT name + id FROM customers
---- right
SELECT '5' + 1
==== 6
---- right
SELECT country, STRING_AGG(name, ', ') WITHIN GROUP (ORDER BY id DESC) FROM customers WHERE country IS NOT NULL AND id <> 2 GROUP BY country
==== France|Ann Lee
==== Spain|Eve, Cara
==== Peru|a%b_c
---- right
SELECT STR(123.45, 6, 1) + '.', STR(7, 4) + '.', STR(123.45, 2, 2) + '.', STR(3) + '.'
====  123.5.|   7.|**.|         3.
---- right
SELECT CHAR(65), NCHAR(66), ASCII('A'), UNICODE(N'Å'), QUOTENAME('a]b'), ASCII('')
==== A|B|65|197|[a]]b]|~
---- right
SELECT 7 / 2, -7 / 2, 7 % 3, -7 % 3, 7 / 2.0, 1 + 2 * 3
==== 3|-3|1|-1|3.5|7
---- fails
SELECT 1 / returned FROM orders
---- right
SELECT quantity / 2, amount * 2, quantity * 1.0 / 4 FROM orders WHERE id = 1
==== 1|21|0.75
---- right
SELECT ROUND(123.9994, 3), ROUND(123.9995, 3), ROUND(150.75, 0), ROUND(150.75, 0, 1), ROUND(748.58, -1), ROUND(747, -1), ROUND(-2.5, 0)
==== 123.999|124|151|150|750|750|-3
---- right
SELECT CEILING(123.45), CEILING(-123.45), FLOOR(123.45), FLOOR(-123.45), ABS(-1.5), SIGN(-125), SIGN(0), ABS(-3)
==== 124|-123|123|-124|1.5|-1|0|3
---- right
SELECT POWER(2, 3), POWER(2, 0.5), SQRT(16), SQUARE(5), LOG(1), LOG10(1000), LOG(8, 2), EXP(0), POWER(2E0, 0.5)
==== 8|1|4|25|0|3|3|1|1.4142135623731
---- refused POWER
SELECT POWER(1.05, 2)
---- right
SELECT ROUND(PI(), 4), RAND() < 1
==== 3.1416|1
---- right
SELECT COUNT_BIG(*), COUNT(discount), SUM(quantity), AVG(quantity), MIN(status), MAX(placed_on) FROM orders WHERE id < 3
==== 2|1|13|6|open|2024-01-31
---- right
SELECT AVG(amount), AVG(CAST(quantity AS float)), AVG(quantity * 1.0) FROM orders WHERE id < 3
==== 130.375|6.5|6.5
---- right
SELECT ROUND(STDEV(quantity), 4), STDEVP(quantity), VAR(quantity), VARP(quantity) FROM orders WHERE id < 3
==== 4.9497|3.5|24.5|12.25
---- refused number
SELECT SUM(vip) FROM customers
---- right
SELECT SUM(CAST(vip AS int)), SUM(CASE WHEN vip = 1 THEN 1 ELSE 0 END), COUNT(CASE WHEN vip = 0 THEN 1 END) FROM customers
==== 3|3|3
---- right
SELECT id FROM customers WHERE vip = 1 AND country = 'SPAIN'
==== 3
==== 5
---- right
SELECT id FROM customers WHERE vip <> 1 AND id !> 4 AND id !< 3
==== 4
---- right
SELECT id, CAST(1 AS bit), CAST(returned AS bit) FROM orders WHERE id < 3
==== 1|1|0
==== 2|1|1
---- right ordered
SELECT id, ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY placed_on DESC) AS rn, LAG(amount, 1, 0) OVER (ORDER BY id) FROM orders WHERE id < 4 ORDER BY id
==== 1|2|0
==== 2|1|10.5
==== 3|1|250.25
---- right ordered
SELECT id, SUM(quantity) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), AVG(quantity) OVER (PARTITION BY customer_id) FROM orders WHERE id < 4 ORDER BY id
==== 1|3|6
==== 2|13|6
==== 3|20|7
---- right ordered
SELECT c.id, o.amount FROM customers c CROSS APPLY (SELECT TOP 1 amount FROM orders WHERE customer_id = c.id ORDER BY placed_on DESC) AS o ORDER BY c.id
==== 1|250.25
==== 2|410.10
==== 3|33.30
==== 5|5.04
---- right ordered
SELECT c.id, o.n FROM customers c OUTER APPLY (SELECT TOP 1 quantity AS n FROM orders WHERE customer_id = c.id ORDER BY id) o WHERE c.id > 3 ORDER BY o.n, c.id
==== 4|~
==== 6|~
==== 5|2
---- right
SELECT id FROM customers WHERE code LIKE '[0-9][0-9]'
==== 2
---- right
SELECT id FROM customers WHERE name LIKE '[^A-D]%'
==== 5
---- right
SELECT id FROM customers WHERE name LIKE 'a[%]%' OR name NOT LIKE '%[a-z]%' OR name LIKE '[BC]%'
==== 2
==== 3
==== 6
---- right
SELECT id FROM customers WHERE name LIKE 'ANN%' OR name LIKE '%o''neil'
==== 1
==== 4
---- right
SELECT id FROM customers WHERE name LIKE '%!_c' ESCAPE '!'
==== 6
---- likely
SELECT id FROM customers WHERE name LIKE country + '%' OR name LIKE 'cara' + '%'
==== 3
---- right
SELECT id FROM orders WHERE status = 'SHIPPED' AND status IN ('open', 'Shipped')
==== 2
==== 3
==== 6
---- right
SELECT id FROM customers WHERE name = N'ann lee'
==== 1
---- right
SELECT id FROM orders WHERE status COLLATE Latin1_General_CS_AS = 'SHIPPED'
==== 6
---- right
SET PARSEONLY ON;
SELECT COUNT(*) FROM orders;
SET PARSEONLY OFF;
==== 7
---- right
USE shop;
GO
SELECT TOP 1 id FROM orders ORDER BY id
GO
==== 1
---- right
SELECT COUNT(*) AS 'how many', total = SUM(quantity), MAX(id) "last" FROM shop.dbo.orders OPTION (MAXDOP 1)
==== 7|52|7
---- right
SELECT o.[id], [c].[name] FROM [orders] AS o INNER JOIN [customers] AS [c] ON [c].[id] = o.[customer_id] WHERE o.id = 4
==== 4|Cara
---- right
SELECT [Product Name], SUM([Qty]) AS [Total Qty] FROM [Order Details] GROUP BY [Product Name] HAVING SUM([Qty]) > 20
==== Tea|104
==== Coffee|26
---- refused temporary table
SELECT * FROM #t
---- refused variable
SELECT * FROM orders WHERE id = @id
---- refused table variable
SELECT * FROM @t
---- right
SELECT value FROM STRING_SPLIT('a,b,,c', ',')
==== a
==== b
==== 
==== c
---- right
SELECT c.id, s.value FROM customers c CROSS APPLY STRING_SPLIT(c.name, ' ') s WHERE c.id = 1
==== 1|Ann
==== 1|Lee
---- right
SELECT v.id, v.label FROM (VALUES (1, 'one'), (2, 'two')) AS v(id, label) WHERE v.label = 'TWO'
==== 2|two
---- right ordered
WITH n AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM n WHERE x < 4) SELECT x FROM n ORDER BY x OPTION (MAXRECURSION 10)
==== 1
==== 2
==== 3
==== 4
---- right
WITH big AS (SELECT TOP 2 id, amount FROM orders ORDER BY amount DESC) SELECT SUM(amount) FROM big
==== 660.35
---- right
SELECT customer_id FROM orders EXCEPT SELECT id FROM customers WHERE vip = 1
==== 2
---- right
SELECT customer_id FROM orders INTERSECT SELECT id FROM customers WHERE vip = 0
==== 2
---- right
SELECT 'a' AS k, COUNT(*) AS n FROM orders UNION ALL SELECT 'b', COUNT(*) FROM customers
==== a|7
==== b|6
---- right
SELECT vip, COUNT(*), GROUPING(vip) FROM customers GROUP BY ROLLUP(vip)
==== 1|3|0
==== 0|3|0
==== ~|6|1
---- right
SELECT * FROM (SELECT status, amount FROM orders) AS s PIVOT (SUM(amount) FOR status IN ([open], [shipped])) AS p
==== 453.90|425.95
---- refused FOR XML
SELECT name FROM customers FOR XML PATH('')
---- refused PERCENTILE_CONT
SELECT DISTINCT customer_id, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY amount) OVER (PARTITION BY customer_id) FROM orders
---- right
SELECT JSON_VALUE(body, '$.owner.name'), JSON_VALUE(body, '$.tags'), JSON_VALUE(body, '$.size') FROM documents WHERE id = 1
==== Ann|~|3
---- right
SELECT * FROM OPENJSON('[1,2]')
==== 0|1|2
==== 1|2|2
---- likely
SELECT ISNUMERIC(code) FROM customers
==== 1
==== 1
==== 0
==== 0
==== 1
==== 0
---- refused ISDATE
SELECT ISDATE(since) FROM customers
---- right
SELECT COUNT(*) FROM orders WHERE shipped_at < GETDATE() AND placed_on <= CAST(GETDATE() AS date) AND SYSDATETIME() > '20240101'
==== 5
---- right
SELECT id FROM orders WHERE placed_on >= '20240201' AND placed_on < '2024-04-01'
==== 4
==== 5
---- right
SELECT id FROM orders WHERE placed_on BETWEEN DATEADD(day, -15, '2024-01-31') AND '2024-01-31'
==== 2
---- right
SELECT COUNT(*) FROM customers WHERE joined > GETDATE() - 100000 AND DATEDIFF(day, joined, GETDATE()) > 0
==== 5
---- right
SELECT id FROM customers c WHERE EXISTS (SELECT 1 FROM dbo.orders o WHERE o.customer_id = c.id AND o.amount > 100)
==== 1
==== 2
---- right
SELECT GREATEST(1, NULL, 3), LEAST(2, 1)
==== 3|1
---- likely
SELECT id, YEAR(since) FROM customers WHERE id IN (1, 2)
==== 1|2024
==== 2|2023
---- right
SELECT id FROM customers WHERE country = 'France '
==== 1
==== 2
