-- What texts of T-SQL mean that come without the name of a dialect, over tsql_clinic_tables.sql: most
-- carry several marks at once, as people and programs write them. The heads are those of
-- tsql_unnamed.sql.
---- right ordered
SELECT TOP (3) v.visit_id, ISNULL(v.fee, 0) AS fee FROM dbo.visits v WITH (NOLOCK) ORDER BY v.fee DESC
==== 1003|950.50
==== 1001|120.00
==== 1007|80.25
---- right ordered
SELECT TOP 25 PERCENT d.last_name, d.salary FROM [dbo].[doctors] AS d ORDER BY d.salary DESC, d.doctor_id
==== Petrov|198000.00
==== al-Said|198000.00
---- right unchecked
SELECT TOP 5 [patient_id], [full_name], DATEDIFF(YEAR, [birth_date], GETDATE()) AS [Age] FROM [patients] WHERE [birth_date] IS NOT NULL ORDER BY [Age] DESC
---- right ordered
SELECT DISTINCT TOP (2) city FROM dbo.patients ORDER BY city
==== ~
==== Bremen
---- right ordered
SELECT p.full_name, lv.visit_id, lv.started_at FROM patients p CROSS APPLY (SELECT TOP (1) v.visit_id, v.started_at FROM visits v WHERE v.patient_id = p.patient_id ORDER BY v.started_at DESC) lv WHERE p.insured = 1 ORDER BY lv.visit_id
==== Adam Frost|1002|2024-02-29 16:30:00
==== Carl Ode|1004|2024-03-15 08:00:00
==== Dora Pym |1005|2024-03-31 12:00:00
==== Fay_Moe|1007|2024-04-01 23:59:59.5
---- right ordered
SELECT d.doctor_id, s.total FROM dbo.doctors d OUTER APPLY (SELECT SUM(v.fee) AS total FROM dbo.visits v WHERE v.doctor_id = d.doctor_id) s ORDER BY s.total DESC, d.doctor_id
==== 2|1030.75
==== 1|180.00
==== 3|90.00
==== 4|~
==== 5|~
==== 6|~
---- right
SELECT l.result_id, LTRIM(RTRIM(s.value)) AS tag FROM lab_results l CROSS APPLY STRING_SPLIT(l.tags, ',') AS s WHERE s.value <> '' AND l.visit_id IN (1001, 1003)
==== 1|blood
==== 1|routine
==== 2|blood
==== 3|blood
==== 3|urgent
---- right
SELECT s.value, s.ordinal FROM STRING_SPLIT('x-y--z', '-', 1) AS s WHERE s.ordinal <> 2
==== x|1
==== |3
==== z|4
---- right
SELECT l.result_id, f.[key], f.[value] AS flag FROM lab_results AS l OUTER APPLY OPENJSON(l.payload, '$.flags') AS f WHERE l.result_id IN (1, 5)
==== 1|0|ok
==== 5|0|hot
==== 5|1|redo
---- right
SELECT [Day], [Night] FROM (SELECT kind, hours FROM dbo.shifts) AS src PIVOT (SUM(hours) FOR kind IN ([Day], [Night])) AS pvt
==== 27.5|22.5
---- right
SELECT department_id, month_name, patients FROM dbo.ward_counts UNPIVOT (patients FOR month_name IN ([jan], [feb], [mar])) AS u WHERE u.year = 2024
==== 1|jan|12
==== 1|mar|9
==== 2|jan|5
==== 2|feb|7
==== 2|mar|0
---- refused FOR XML or FOR JSON
SELECT TOP 2 doctor_id, last_name FROM dbo.doctors ORDER BY doctor_id FOR JSON PATH, ROOT('doctors')
---- right
SELECT STUFF((SELECT ', ' + d.last_name FROM dbo.doctors d WHERE d.department_id = 2 ORDER BY d.doctor_id FOR XML PATH('')), 1, 2, '') AS names
==== Petrov, al-Said
---- right
SELECT dep.department_id, STUFF((SELECT ',' + CAST(d.doctor_id AS VARCHAR(10)) FROM doctors d WHERE d.department_id = dep.department_id ORDER BY d.doctor_id FOR XML PATH(''), TYPE).value('.', 'NVARCHAR(MAX)'), 1, 1, '') AS ids FROM departments dep
==== 1|1
==== 2|2,4
==== 3|3
==== 4|5
==== 5|6
---- right
SELECT STRING_AGG(CONVERT(NVARCHAR(MAX), ISNULL(full_name, N'?')), NCHAR(44)) WITHIN GROUP (ORDER BY patient_id ASC) AS csv FROM dbo.patients WHERE patient_id <= 3
==== Adam Frost,bea Lind,Carl Ode
---- right ordered
SELECT visit_id, IIF(fee >= 100, 'high', IIF(fee > 0, 'low', 'none')) AS band, CHOOSE(severity, 'mild', 'minor', 'medium', 'major', 'critical') AS sev FROM dbo.visits ORDER BY visit_id
==== 1001|high|medium
==== 1002|low|mild
==== 1003|high|critical
==== 1004|none|minor
==== 1005|low|minor
==== 1006|none|~
==== 1007|low|medium
==== 1008|low|mild
---- right
SELECT result_id, COALESCE(TRY_CONVERT(INT, raw_value), -999) AS n FROM dbo.lab_results WHERE result_id IN (1, 2, 4, 6)
==== 1|-999
==== 2|92
==== 4|-999
==== 6|-1
---- right
SELECT v.visit_id, CONVERT(VARCHAR(16), v.started_at, 120) AS started, CONVERT(CHAR(5), v.started_at, 108) AS hhmm, CONVERT(NVARCHAR(10), v.started_at, 104) AS d FROM dbo.visits v WHERE v.visit_id = 1002
==== 1002|2024-02-29 16:30|16:30|29.02.2024
---- right
SELECT CONVERT(VARCHAR(20), ended_at, 100) AS e, CONVERT(VARCHAR(11), ended_at, 113) AS f FROM [visits] WHERE visit_id = 1001
==== Jan  8 2024  9:45AM|08 Jan 2024
---- right
SELECT FORMAT(v.started_at, 'yyyy-MM-dd HH:mm:ss') AS s, FORMAT(v.started_at, 'dd MMM yyyy') AS d, FORMAT(v.fee, '0.00') AS fee FROM visits v WHERE v.visit_id IN (1001, 1003)
==== 2024-01-08 09:00:00|08 Jan 2024|120.00
==== 2023-12-31 22:15:00|31 Dec 2023|950.50
---- right
SELECT FORMAT(started_at, 'MMM yyyy', 'en-US') AS [Month], SUM(ISNULL(fee, 0)) AS [Revenue] FROM visits WHERE YEAR(started_at) = 2024 AND MONTH(started_at) IN (1, 7) GROUP BY FORMAT(started_at, 'MMM yyyy', 'en-US')
==== Jan 2024|120.00
==== Jul 2024|45.00
---- right
SELECT visit_id, DATEDIFF(MINUTE, started_at, ended_at) AS minutes, DATEDIFF(DAY, started_at, ended_at) AS nights, DATEDIFF(YEAR, started_at, ended_at) AS years FROM dbo.visits WHERE ended_at IS NOT NULL AND visit_id IN (1001, 1003, 1007)
==== 1001|45|0|0
==== 1003|180|1|1
==== 1007|31|1|0
---- right
SELECT invoice_id, DATEADD(DAY, 14, issued_on) AS remind_on, DATEADD(mm, -1, due_on) AS before FROM dbo.invoices WHERE due_on < DATEADD(YEAR, 1, '2023-02-05')
==== 502|2024-01-16|2024-01-01
---- right
SELECT DATEPART(YEAR, started_at) AS yr, DATEPART(QUARTER, started_at) AS qtr, COUNT(*) AS visits, SUM(fee) AS fees FROM [dbo].[visits] GROUP BY DATEPART(YEAR, started_at), DATEPART(QUARTER, started_at) HAVING COUNT(*) > 1
==== 2024|1|4|225.00
---- right
SELECT DATENAME(MONTH, registered_at) + ' ' + DATENAME(YEAR, registered_at) AS m, patient_id FROM patients WHERE patient_id IN (3, 6)
==== January 2024|3
==== June 2024|6
---- right
SELECT EOMONTH(MIN(started_at)) AS first_end, EOMONTH('2024-01-15', 1) AS feb, DAY(EOMONTH(MAX(started_at), -1)) AS days FROM visits
==== 2022-06-30|2024-02-29|30
---- right
SELECT DATETRUNC(WEEK, CAST('2024-03-13' AS DATE)) AS w, DATETRUNC(HOUR, started_at) AS h FROM dbo.visits WHERE visit_id = 1001
==== 2024-03-10|2024-01-08 09:00:00
---- right
SELECT DATEADD(SECOND, -1, DATEADD(DAY, DATEDIFF(DAY, 0, started_at) + 1, 0)) AS day_end FROM dbo.visits WHERE visit_id = 1004
==== 2024-03-15 23:59:59
---- right
SELECT LEN(full_name) AS l, DATALENGTH(N'ab') AS d, CHARINDEX(' ', full_name) AS sp, LEFT(full_name, CHARINDEX(' ', full_name) - 1) AS first FROM dbo.patients WHERE patient_id IN (1, 4)
==== 10|4|5|Adam
==== 8|4|5|Dora
---- right
SELECT SUBSTRING(email, CHARINDEX('@', email) + 1, LEN(email)) AS domain, COUNT(*) AS n FROM dbo.doctors WHERE email LIKE '%@%' GROUP BY SUBSTRING(email, CHARINDEX('@', email) + 1, LEN(email))
==== clinic.example|4
---- right
SELECT STUFF(phone, 1, 3, '***') AS masked, REPLICATE('*', LEN(phone) - 4) + RIGHT(phone, 4) AS tail FROM patients WHERE phone IS NOT NULL AND patient_id > 2
==== ***-2222|****2222
==== ***-0100|****0100
==== ***-0199|****0199
---- right
SELECT QUOTENAME(name) AS q, QUOTENAME(name, '''') AS s, UPPER(LEFT(name, 1)) + LOWER(SUBSTRING(name, 2, LEN(name))) AS proper FROM dbo.departments WHERE floor = 2
==== [Cardiology]|'Cardiology'|Cardiology
==== [cardio lab]|'cardio lab'|Cardio lab
---- likely
SELECT REPLACE(LOWER(reason), 'CHEST', 'heart') AS r, REVERSE(status) AS s, CONCAT(visit_id, '-', NULL, severity) AS c FROM dbo.visits WHERE visit_id IN (1001, 1006)
==== heart pain|detelpmoC|1001-3
==== ~|dellecnaC|1006-
---- right
SELECT [d].[first_name] + ' ' + [d].[last_name] AS [Doctor], [dep].[name] AS [Department] FROM [dbo].[doctors] [d] INNER JOIN [dbo].[departments] [dep] ON [d].[department_id] = [dep].[department_id] WHERE [d].[specialty] = N'SURGEON'
==== Igor Petrov|Surgery
==== Omar al-Said|Surgery
---- right
SELECT p.full_name + COALESCE(' <' + p.phone + '>', '') AS contact FROM patients AS p WITH (READUNCOMMITTED) WHERE p.patient_id IN (2, 3)
==== bea Lind
==== Carl Ode <040-2222>
---- refused variable
DECLARE @from DATETIME = '2024-01-01', @to DATETIME = '2024-02-01'; SELECT COUNT(*) FROM dbo.visits WHERE started_at >= @from AND started_at < @to;
---- refused variable
SELECT TOP (@page_size) visit_id FROM visits WHERE doctor_id = @doctor ORDER BY visit_id
---- likely ordered
SELECT VisitCount = COUNT(*), Doctor = d.last_name + ', ' + d.first_name FROM dbo.visits v JOIN dbo.doctors d ON d.doctor_id = v.doctor_id GROUP BY d.last_name, d.first_name ORDER BY VisitCount DESC, Doctor
==== 3|Haas, Nora
==== 2|Lin, Mei
==== 2|Petrov, Igor
---- right
WITH tree (id, name, lvl, path) AS (SELECT department_id, name, 0, CAST(name AS VARCHAR(MAX)) FROM dbo.departments WHERE parent_id IS NULL UNION ALL SELECT d.department_id, d.name, t.lvl + 1, t.path + ' > ' + d.name FROM dbo.departments d INNER JOIN tree t ON d.parent_id = t.id) SELECT id, lvl, path FROM tree WHERE lvl > 0 OPTION (MAXRECURSION 100)
==== 4|1|Surgery > Neuro Surgery
==== 5|1|Cardiology > cardio lab
---- right
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 4) SELECT DATEADD(DAY, i, CAST('2024-02-27' AS DATE)) AS d, IIF(i % 2 = 0, 'even', 'odd') AS parity FROM n OPTION (MAXRECURSION 0)
==== 2024-02-28|odd
==== 2024-02-29|even
==== 2024-03-01|odd
==== 2024-03-02|even
---- right
SELECT currency, YEAR(issued_on) AS y, COUNT(*) AS n, GROUPING_ID(currency, YEAR(issued_on)) AS g FROM dbo.invoices GROUP BY CUBE (currency, YEAR(issued_on))
==== EUR|2024|3|0
==== SEK|2024|1|0
==== EUR|~|3|1
==== SEK|~|1|1
==== ~|2024|4|2
==== ~|~|4|3
---- right ordered
SELECT visit_id, fee, SUM(ISNULL(fee, 0)) OVER (PARTITION BY doctor_id ORDER BY started_at ROWS UNBOUNDED PRECEDING) AS running, AVG(fee) OVER (PARTITION BY doctor_id) AS mean FROM dbo.visits WHERE doctor_id = 1 ORDER BY visit_id
==== 1001|120.00|120.00|90.00
==== 1002|60.00|180.00|90.00
==== 1004|~|180.00|90.00
---- right ordered
SELECT doctor_id, RANK() OVER (ORDER BY salary DESC) AS r, DENSE_RANK() OVER (ORDER BY salary DESC) AS dr, PERCENT_RANK() OVER (ORDER BY salary) AS pr FROM [dbo].[doctors] WHERE salary IS NOT NULL ORDER BY doctor_id
==== 1|3|2|0.5
==== 2|1|1|0.75
==== 3|4|3|0.25
==== 4|1|1|0.75
==== 6|5|4|0
---- likely
SELECT full_name FROM dbo.patients WHERE full_name LIKE '[a-c]%'
==== Adam Frost
==== bea Lind
==== Carl Ode
---- likely
SELECT patient_id FROM dbo.patients WHERE note LIKE '%50[%]%' OR note LIKE N'Allergic%'
==== 1
==== 5
==== 6
---- right
SELECT patient_id FROM patients WHERE note COLLATE Latin1_General_CS_AS LIKE 'allergic%'
==== 1
---- likely
SELECT CAST(salary AS MONEY) AS m, CAST(is_active AS INT) AS a, CAST(license AS VARCHAR(36)) AS l FROM dbo.doctors WHERE license = '2F984725-C51C-4BF4-9960-E1C80E27ABA2'
==== 121500.5000|1|2F984725-C51C-4BF4-9960-E1C80E27ABA2
---- right
SELECT CAST(1 AS BIT) AS t, CAST('2024-01-05T10:20:30' AS DATETIME2) AS d, CAST('0e984725-c51c-4bf4-9960-e1c80e27aba0' AS UNIQUEIDENTIFIER) AS u, CAST(N'x' AS NVARCHAR(MAX)) AS n
==== 1|2024-01-05 10:20:30|0e984725-c51c-4bf4-9960-e1c80e27aba0|x
---- right unchecked
SELECT visit_id, DATEDIFF(DAY, started_at, GETDATE()) AS days_ago FROM dbo.visits WHERE CAST(started_at AS DATE) <= CAST(GETDATE() AS DATE) AND status = 'Open'
---- likely
SELECT visit_id FROM visits WHERE started_at BETWEEN DATEADD(MONTH, -3, GETDATE()) AND GETDATE()
---- refused
SELECT s.name + '.' + t.name AS table_name, t.create_date FROM sys.tables t INNER JOIN sys.schemas s ON s.schema_id = t.schema_id ORDER BY 1
---- right unchecked
SELECT c.name, ty.name AS type_name, c.max_length, c.is_nullable FROM sys.columns c JOIN sys.types ty ON c.user_type_id = ty.user_type_id WHERE c.object_id = OBJECT_ID('dbo.visits') ORDER BY c.column_id
---- refused
SELECT fk.name, OBJECT_NAME(fk.parent_object_id) AS child, OBJECT_NAME(fk.referenced_object_id) AS parent FROM sys.foreign_keys fk
---- right ordered
SELECT TOP 10 dep.name AS Department, COUNT(v.visit_id) AS Visits, ISNULL(SUM(v.fee), 0) AS Revenue, CAST(ISNULL(AVG(v.fee), 0) AS DECIMAL(10, 2)) AS AvgFee FROM dbo.departments dep LEFT JOIN dbo.doctors d ON d.department_id = dep.department_id LEFT JOIN dbo.visits v ON v.doctor_id = d.doctor_id GROUP BY dep.name ORDER BY Revenue DESC, dep.name
==== Surgery|2|1030.75|515.38
==== Cardiology|3|180.00|90.00
==== Pediatrics|2|90.00|45.00
==== cardio lab|0|0|0.00
==== Neuro Surgery|0|0|0.00
---- likely
SELECT sex, COUNT(*) AS n, COUNT(*) * 100 / (SELECT COUNT(*) FROM dbo.patients) AS pct, COUNT(*) * 100.0 / SUM(COUNT(*)) OVER () AS pct2 FROM dbo.patients GROUP BY sex
==== M|3|50|50.0
==== F|3|50|50.0
---- right
SELECT AVG(severity) AS a, AVG(CAST(severity AS FLOAT)) AS b, SUM(severity) / COUNT(severity) AS c, STDEV(severity) AS sd FROM dbo.visits
==== 2|2.42857142857143|2|1.39727626201154
---- right
SELECT SUM(CASE WHEN status = 'Completed' THEN 1 ELSE 0 END) AS done, SUM(CASE WHEN status <> 'Completed' THEN 1 ELSE 0 END) AS other, ROUND(100.0 * SUM(CASE WHEN status = 'Completed' THEN 1 ELSE 0 END) / COUNT(*), 1) AS pct FROM dbo.visits WITH (NOLOCK)
==== 5|3|62.5
---- likely ordered
SELECT status, COUNT(*) AS n FROM [visits] GROUP BY status ORDER BY n DESC, status
==== completed|5
==== Open|2
==== Cancelled|1
---- right
SELECT p.patient_id FROM dbo.patients p WHERE NOT EXISTS (SELECT 1 FROM dbo.visits v (NOLOCK) WHERE v.patient_id = p.patient_id AND v.status = 'completed') AND p.city = 'bremen'
==== 5
==== 6
---- right
SELECT i.invoice_id, DATEDIFF(DAY, i.due_on, ISNULL(i.paid_on, '2024-03-01')) AS late, IIF(i.paid_on > i.due_on, 'late', 'ok') AS st FROM invoices AS i WHERE i.due_on IS NOT NULL
==== 501|-19|ok
==== 502|29|ok
==== 503|2|late
---- likely
SELECT ii.invoice_id, SUM(ii.quantity * ii.unit_price) AS net, ROUND(SUM(ii.quantity * ii.unit_price * (1 + ii.vat)), 2) AS gross, STRING_AGG(ii.code, ',') AS codes FROM dbo.invoice_items ii WHERE ii.invoice_id = 504 GROUP BY ii.invoice_id
==== 504|80.25|95.50|XRAY,band-01
---- right
SELECT invoice_id, line_no, UPPER(code) AS code, ISNULL(description, 'Unknown') + ' x' + CAST(quantity AS VARCHAR(5)) AS d FROM dbo.invoice_items WHERE code IN ('BED', 'xray')
==== 502|2|BED|Bed, per night x1
==== 504|1|XRAY|Unknown x3
---- right
SELECT quantity / 2 AS half, quantity % 2 AS odd, quantity / 2.0 AS exact_half, unit_price / 4 AS quarter, POWER(quantity, 2) AS sq, SQUARE(quantity) AS sq2 FROM dbo.invoice_items WHERE code = 'BAND-01'
==== 4|1|4.5|0.5625|81|81
---- likely
SELECT CEILING(unit_price) AS c, FLOOR(unit_price) AS f, ROUND(unit_price, 0) AS r, ROUND(unit_price, 0, 1) AS t, ABS(-quantity) AS a, SIGN(vat) AS s FROM dbo.invoice_items WHERE line_no = 2 AND invoice_id = 502
==== 51|50|51|50|1|1
---- right ordered
SELECT TOP (2) r.RoomName, SUM(b.Hours) AS TotalHours FROM Rooms r INNER JOIN RoomBookings b ON b.RoomID = r.RoomID GROUP BY r.RoomName ORDER BY SUM(b.Hours) DESC, r.RoomName
==== Attic|7
==== Blue|7
---- right
SELECT b.[Guest Name], DATENAME(MONTH, b.BookedAt) AS Month, DATEADD(HOUR, b.Hours, b.BookedAt) AS Ends FROM dbo.RoomBookings AS b WITH (NOLOCK) WHERE b.[Guest Name] = 'IDA'
==== Ida|January|2024-01-31 11:00:00
==== ida|February|2024-02-02 01:00:00
---- right
SELECT EOMONTH(BookedAt) AS month_end, SUM(Hours) AS h FROM RoomBookings WHERE BookedAt >= '20240101' AND BookedAt < '20240301' GROUP BY EOMONTH(BookedAt)
==== 2024-01-31|3
==== 2024-02-29|6
---- right
SELECT COUNT(*) AS n FROM [RoomBookings] WHERE [Guest Name] IS NULL OR LEN([Guest Name]) = 3 AND DATEPART(hh, [BookedAt]) >= 12
==== 3
---- untouched
SELECT specialty, MAX(salary) AS top_salary FROM doctors WHERE specialty IS NOT NULL AND hired_on > '01/01/2013' GROUP BY specialty ORDER BY MAX(salary) DESC, specialty
---- right
SELECT doctor_id, YEAR(GETDATE()) - YEAR(hired_on) AS years FROM dbo.doctors WHERE YEAR(hired_on) > YEAR(GETDATE())
---- right
SELECT d.doctor_id, ISNULL(NULLIF(LTRIM(RTRIM(d.email)), ''), 'missing') AS email FROM dbo.doctors d WHERE ISNULL(d.email, '') = ''
==== 3|missing
==== 6|missing
---- likely
SELECT full_name, PARSENAME(REPLACE(full_name, ' ', '.'), 1) AS last FROM dbo.patients WHERE patient_id = 1
==== Adam Frost|Frost
---- refused DIFFERENCE
SELECT TRANSLATE('2*[3+4]', '[]', '()') AS t, STR(3.14159, 6, 2) AS s, CONCAT_WS(', ', city, phone) AS c, DIFFERENCE('Green', 'Greene') AS diff FROM patients WHERE patient_id = 4
---- refused SOUNDEX
SELECT SOUNDEX(last_name) AS sx, COUNT(*) AS n FROM dbo.doctors GROUP BY SOUNDEX(last_name) HAVING COUNT(*) > 1
---- refused
SELECT result_id, JSON_QUERY(payload, '$.flags') AS flags, JSON_VALUE(payload, '$.flags[0]') AS f0 FROM lab_results WHERE JSON_VALUE(payload, '$.device.id') = '7'
---- likely
SELECT * FROM OPENJSON('[{"id":1,"n":"a"},{"id":2,"n":null}]') WITH (id INT, n NVARCHAR(10)) AS j WHERE j.id > 0
==== 1|a
==== 2|~
---- refused SWITCHOFFSET
SELECT visit_id, SWITCHOFFSET(CAST(started_at AS DATETIMEOFFSET), '+02:00') AS o FROM visits WHERE visit_id = 1001
---- refused ISDATE
SELECT ISDATE('2024-02-30') AS a, ISNUMERIC(raw_value) AS b FROM dbo.lab_results WHERE result_id IN (1, 4)
---- refused CHECKSUM
SELECT TOP (1) patient_id, NEWID() AS rnd, CHECKSUM(full_name) AS c FROM dbo.patients ORDER BY NEWID()
---- refused this kind of table
SELECT TOP 2 * FROM dbo.patients TABLESAMPLE (50 PERCENT)
---- right
SELECT doctor_id FROM dbo.doctors WHERE salary >= ALL (SELECT ISNULL(salary, 0) FROM dbo.doctors)
==== 2
==== 4
---- right
SELECT [v].[patient_id] FROM [dbo].[visits] AS [v] GROUP BY [v].[patient_id] HAVING COUNT(*) > 1 AND MIN([v].[started_at]) < '2024-01-05'
==== 2
---- right
SELECT city FROM [dbo].[patients] WHERE insured = 1 EXCEPT SELECT city FROM [dbo].[patients] WHERE insured = 0
==== Malmö
==== ~
---- right ordered
WITH monthly AS (SELECT FORMAT(started_at, 'yyyy-MM') AS ym, SUM(fee) AS fees FROM dbo.visits WHERE started_at >= '2024-01-01' GROUP BY FORMAT(started_at, 'yyyy-MM')) SELECT ym, fees, fees - LAG(fees) OVER (ORDER BY ym) AS delta FROM monthly ORDER BY ym
==== 2024-01|120.00|~
==== 2024-02|60.00|-60.00
==== 2024-03|45.00|-15.00
==== 2024-04|80.25|35.25
==== 2024-07|45.00|-35.25
---- right
SELECT worked_on, hours FROM shifts WHERE DATENAME(dw, worked_on) IN ('Saturday', 'Sunday') AND kind = 'night'
==== 2024-01-07|10.5
==== 2023-12-31|12.0
---- right
SELECT DATEPART(ISO_WEEK, worked_on) AS wk, SUM(hours) AS h FROM dbo.shifts WHERE YEAR(worked_on) = 2024 GROUP BY DATEPART(ISO_WEEK, worked_on)
==== 1|30.5
==== 2|7.5
---- likely
SELECT kind, SUM(hours) AS total, CAST(SUM(hours) AS INT) AS whole FROM dbo.shifts GROUP BY kind
==== night|22.5|22
==== day|27.5|27
---- right
SELECT CAST(worked_on AS DATETIME) + 1 AS next_day, worked_on FROM dbo.shifts WHERE doctor_id = 3
==== 2024-01-02 00:00:00|2024-01-01
---- right
SELECT CAST(DATEDIFF(SECOND, started_at, ended_at) / 3600.0 AS DECIMAL(6,2)) AS hrs, CAST(DATEADD(SECOND, DATEDIFF(SECOND, started_at, ended_at), 0) AS TIME(0)) AS t FROM dbo.visits WHERE visit_id = 1003
==== 3.00|03:00:00
---- right
SELECT CONVERT(DATE, '15.03.2024', 104) AS a, CONVERT(DATETIME, '03/15/2024 10:30', 101) AS b, CONVERT(DATE, '20240315') AS c
==== 2024-03-15|2024-03-15 10:30:00|2024-03-15
---- right
SELECT '5' + 3 AS a, '5' + '3' AS b, 5 / 2 AS c, -5 / 2 AS d, 5 % -3 AS e, 7 / 2 * 2.0 AS f FROM (SELECT TOP 1 1 AS x FROM dbo.departments) t
==== 8|53|2|-2|2|6.0
---- likely
SELECT visit_id, severity & 1 AS odd, severity | 8 AS flagged, severity ^ 1 AS x, ~severity AS inv FROM dbo.visits WHERE visit_id = 1001
==== 1001|1|11|2|-4
---- likely
SELECT patient_id, insured, CASE insured WHEN 1 THEN 'Yes' ELSE 'No' END AS ins FROM dbo.patients WHERE insured <> 0 AND blood_type IN ('a+', 'o-')
==== 1|1|Yes
==== 6|1|Yes
---- right
SELECT SUM(CAST(insured AS INT)) AS ins, SUM(IIF(insured = 1, 1, 0)) AS ins2, MAX(CAST(insured AS TINYINT)) AS m FROM patients
==== 4|4|1
---- refused PERCENTILE
SELECT DISTINCT d.department_id, PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY d.salary) OVER (PARTITION BY d.department_id) AS med FROM dbo.doctors d WHERE d.salary IS NOT NULL AND d.department_id < 3 ORDER BY d.department_id
---- refused variable
SELECT SUSER_SNAME() AS who, DB_NAME() AS db, @@VERSION AS v, @@SERVERNAME AS s
---- refused
SELECT name, database_id, state_desc FROM sys.databases WHERE name NOT IN ('master', 'tempdb')
---- refused
SELECT SCHEMA_NAME(t.schema_id) AS [schema], t.name AS [table], SUM(p.rows) AS [rows] FROM sys.tables t INNER JOIN sys.partitions p ON t.object_id = p.object_id AND p.index_id IN (0, 1) GROUP BY SCHEMA_NAME(t.schema_id), t.name
---- right unchecked
EXEC sp_columns @table_name = 'patients'
---- right
SET NOCOUNT ON; USE [clinic]; SELECT COUNT(*) AS n FROM [dbo].[patients] WHERE [city] = N'Hamburg';
==== 2
---- likely ordered
SELECT doctor_id, last_name FROM dbo.doctors ORDER BY CASE WHEN specialty IS NULL THEN 0 ELSE 1 END, last_name, first_name
==== 5|O'Neil
==== 4|al-Said
==== 6|Haas
==== 1|Haas
==== 3|Lin
==== 2|Petrov
---- right ordered
SELECT p.full_name, COUNT(DISTINCT v.doctor_id) AS doctors, MAX(CONVERT(DATE, v.started_at)) AS last_visit FROM [dbo].[patients] p LEFT JOIN [dbo].[visits] v ON v.patient_id = p.patient_id GROUP BY p.patient_id, p.full_name HAVING COUNT(v.visit_id) > 1 ORDER BY p.full_name
==== Adam Frost|1|2024-02-29
==== bea Lind|2|2024-07-01
---- right
SELECT CASE WHEN GROUPING(currency) = 1 THEN 'Total' ELSE currency END AS cur, COUNT(*) AS n FROM dbo.invoices GROUP BY currency WITH ROLLUP
==== EUR|3
==== SEK|1
==== Total|4
---- right
SELECT status, severity, COUNT(*) AS n FROM [visits] GROUP BY GROUPING SETS ((status), (severity), ()) HAVING COUNT(*) > 2
==== completed|~|5
==== ~|~|8
---- refused CONTAINS
SELECT v.visit_id, v.reason FROM dbo.visits AS v WHERE CONTAINS(v.reason, 'pain')
---- right
SELECT MIN(x.val) AS lo, MAX(x.val) AS hi FROM dbo.ward_counts w CROSS APPLY (SELECT w.jan AS val UNION ALL SELECT w.feb UNION ALL SELECT w.mar) x WHERE w.department_id = 1
==== 9|12
---- right
SELECT w.year, w.department_id, DATENAME(MONTH, DATEFROMPARTS(w.year, 2, 1)) + ':' + CAST(ISNULL(w.feb, 0) AS VARCHAR(5)) AS feb FROM dbo.ward_counts w
==== 2024|1|February:0
==== 2024|2|February:7
---- refused IF
IF EXISTS (SELECT 1 FROM dbo.visits WHERE fee > 900) SELECT 'yes' ELSE SELECT 'no'
---- likely
SELECT v.visit_id, LEFT(CONVERT(VARCHAR(30), v.started_at, 121), 23) AS ms FROM dbo.visits v WHERE v.visit_id = 1007
==== 1007|2024-04-01 23:59:59.500
---- right
SELECT visit_id FROM dbo.visits WHERE CONVERT(VARCHAR(10), started_at, 101) = '03/31/2024' OR CONVERT(VARCHAR, started_at, 112) LIKE '202402%'
==== 1002
==== 1005
