-- The same as tsql_clinic.sql, not looked at while the code for it was written.
---- right
SELECT TOP (1) WITH TIES specialty, COUNT(*) AS cnt FROM dbo.doctors WHERE specialty IS NOT NULL GROUP BY specialty ORDER BY COUNT(*) DESC
==== Cardiologist|2
==== surgeon|2
---- likely ordered
SELECT patient_id, full_name FROM dbo.patients ORDER BY registered_at DESC OFFSET 2 ROWS FETCH NEXT 2 ROWS ONLY
==== 3|Carl Ode
==== 2|bea Lind
---- right
SELECT w.department_id, m.MonthName, m.Patients FROM ward_counts w CROSS APPLY (VALUES (N'Jan', w.jan), (N'Feb', w.feb), (N'Mar', w.mar)) AS m (MonthName, Patients) WHERE m.Patients > 6
==== 1|Jan|12
==== 1|Mar|9
==== 2|Feb|7
---- likely
SELECT l.result_id, d.id, d.[name] FROM dbo.lab_results l CROSS APPLY OPENJSON(l.payload, '$.device') WITH (id INT '$.id', [name] NVARCHAR(50) '$.name') d WHERE l.test_code = 'GLU'
==== 2|8|Lab One
==== 5|7|X9
---- right ordered
SELECT pvt.doctor_id, ISNULL([day], 0) AS day_hours, ISNULL([night], 0) AS night_hours FROM (SELECT doctor_id, kind, hours FROM shifts) s PIVOT (SUM(hours) FOR kind IN ([day], [night])) pvt ORDER BY pvt.doctor_id
==== 1|15.5|10.5
==== 2|4.0|12.0
==== 3|8.0|0
---- refused FOR XML or FOR JSON
SELECT d.name AS [@name], (SELECT doc.last_name AS [*] FROM doctors doc WHERE doc.department_id = d.department_id FOR XML PATH('doctor'), TYPE) FROM departments d FOR XML PATH('department'), ROOT('clinic')
---- right
SELECT d.department_id, STRING_AGG(d.first_name + ' ' + d.last_name, '; ') WITHIN GROUP (ORDER BY d.hired_on DESC) AS staff FROM [doctors] d WHERE d.is_active = 1 GROUP BY d.department_id HAVING COUNT(*) >= 1 AND d.department_id < 3
==== 1|Nora Haas
==== 2|Igor Petrov
---- likely
SELECT result_id, TRY_CAST(raw_value AS DECIMAL(10,2)) AS val FROM lab_results WHERE TRY_CAST(raw_value AS DECIMAL(10,2)) IS NOT NULL
==== 1|13.90
==== 2|92.00
==== 6|-1.00
---- right
SELECT CONVERT(VARCHAR(7), issued_on, 126) AS ym, COUNT(*) AS invoices, COUNT(paid_on) AS paid FROM dbo.invoices GROUP BY CONVERT(VARCHAR(7), issued_on, 126)
==== 2024-01|2|1
==== 2024-03|1|1
==== 2024-04|1|0
---- right
SELECT FORMAT(SUM(fee), 'N0') AS total, FORMAT(AVG(fee), 'C', 'en-US') AS average FROM dbo.visits WHERE status = N'Completed'
==== 1,221|$244.10
---- likely
SELECT AVG(DATEDIFF(mi, started_at, ended_at)) AS avg_min, AVG(1.0 * DATEDIFF(mi, started_at, ended_at)) AS exact_min FROM visits WHERE ended_at IS NOT NULL AND visit_id <> 1007
==== 59|59.0
---- right ordered
SELECT DATENAME(WEEKDAY, started_at) AS [weekday], COUNT(*) AS n FROM dbo.visits GROUP BY DATENAME(WEEKDAY, started_at), DATEPART(WEEKDAY, started_at) ORDER BY DATEPART(WEEKDAY, started_at)
==== Sunday|2
==== Monday|3
==== Thursday|2
==== Friday|1
---- right
SELECT visit_id FROM dbo.visits WHERE started_at >= DATEFROMPARTS(2024, 3, 1) AND started_at < DATEADD(DAY, 1, EOMONTH(DATEFROMPARTS(2024, 3, 1)))
==== 1004
==== 1005
---- right
SELECT DATEADD(YEAR, DATEDIFF(YEAR, 0, started_at), 0) AS year_start, DATEADD(QUARTER, DATEDIFF(QUARTER, 0, started_at), 0) AS quarter_start, DATEADD(MONTH, DATEDIFF(MONTH, -1, started_at), -1) AS month_end FROM visits WHERE visit_id = 1002
==== 2024-01-01 00:00:00|2024-01-01 00:00:00|2024-02-29 00:00:00
---- right
SELECT result_id, PATINDEX('%[0-9]%', raw_value) AS digit_at, PATINDEX('%[^0-9. ]%', ISNULL(raw_value, '')) AS other_at FROM dbo.lab_results
==== 1|1|0
==== 2|2|0
==== 3|1|3
==== 4|2|1
==== 5|~|0
==== 6|2|1
---- right
SELECT RIGHT('000000' + CONVERT(VARCHAR(6), invoice_id), 6) AS no, RIGHT(REPLICATE('0', 8) + CAST(visit_id AS VARCHAR(8)), 8) AS v FROM dbo.invoices WHERE currency = 'sek'
==== 000503|00001005
---- right
SELECT 'Visit ' + CAST(v.visit_id AS VARCHAR) + ': ' + ISNULL(v.reason, 'n/a') + ' (' + CAST(v.fee AS VARCHAR(12)) + ')' AS label FROM dbo.visits v WHERE v.visit_id IN (1004, 1005)
==== ~
==== Visit 1005: fever (45.00)
---- refused variable
SELECT @total = SUM(fee) FROM dbo.visits
---- right ordered
;WITH cte AS (SELECT v.*, ROW_NUMBER() OVER (PARTITION BY v.patient_id ORDER BY v.started_at DESC) AS rn FROM dbo.visits v) SELECT patient_id, visit_id FROM cte WHERE rn = 1 AND ISNULL(fee, 0) >= 0 ORDER BY patient_id
==== 1|1002
==== 2|1008
==== 3|1004
==== 4|1005
==== 5|1006
==== 6|1007
---- right
SELECT COALESCE(CAST(department_id AS VARCHAR(10)), 'All') AS dep, SUM(salary) AS total FROM dbo.doctors WHERE is_active = 1 GROUP BY ROLLUP (department_id) HAVING SUM(salary) > 100000
==== 1|150000.00
==== 2|198000.00
==== 3|121500.50
==== All|568500.50
---- right ordered
SELECT TOP 3 visit_id, LAG(fee, 1, 0) OVER (ORDER BY visit_id) AS prev_fee, LEAD(ISNULL(fee, 0)) OVER (ORDER BY visit_id) AS next_fee, FIRST_VALUE(status) OVER (ORDER BY visit_id) AS st FROM visits ORDER BY visit_id
==== 1001|0|60.00|Completed
==== 1002|120.00|950.50|Completed
==== 1003|60.00|0|Completed
---- right
SELECT patient_id FROM patients WHERE full_name LIKE '%[_]%' OR phone LIKE '[0-9][0-9][0-9]-%' AND ISNULL(city, '') NOT LIKE 'Br%'
==== 3
==== 4
==== 6
---- right
SELECT patient_id, city FROM dbo.patients WHERE city COLLATE SQL_Latin1_General_CP1_CI_AS = 'HAMBURG' ORDER BY patient_id
==== 1|Hamburg
==== 2|hamburg
---- likely unchecked
SELECT GETDATE() AS a, SYSDATETIME() AS b, GETUTCDATE() AS c, SYSUTCDATETIME() AS d, SYSDATETIMEOFFSET() AS e
---- refused variable
SELECT COUNT(*) AS c, @@ROWCOUNT AS r FROM dbo.visits
---- right unchecked
SELECT TOP 10 name, type_desc FROM sys.objects WHERE type IN ('U', 'V') AND is_ms_shipped = 0 ORDER BY name
---- right
SELECT patient_id, DATEDIFF(YEAR, birth_date, '2024-06-01') - CASE WHEN DATEADD(YEAR, DATEDIFF(YEAR, birth_date, '2024-06-01'), birth_date) > '2024-06-01' THEN 1 ELSE 0 END AS age FROM [patients] WHERE birth_date IS NOT NULL AND sex = 'f'
==== 2|32
==== 4|8
==== 6|22
---- right
SELECT COUNT_BIG(*) AS n, COUNT(DISTINCT status) AS kinds, MIN(ISNULL(reason, '-')) AS first_reason, MAX(started_at) AS last FROM [clinic].[dbo].[visits]
==== 8|3|-|2024-07-01 10:10:00
---- likely
SELECT DISTINCT UPPER(city) AS city FROM dbo.patients WHERE city IS NOT NULL AND city <> ''
==== HAMBURG
==== MALMÖ
==== BREMEN
---- right
SELECT CASE WHEN DATEDIFF(DAY, issued_on, due_on) > 29 THEN '30+' WHEN due_on IS NULL THEN 'open' ELSE 'short' END AS term, COUNT(*) AS n FROM dbo.invoices GROUP BY CASE WHEN DATEDIFF(DAY, issued_on, due_on) > 29 THEN '30+' WHEN due_on IS NULL THEN 'open' ELSE 'short' END
==== 30+|3
==== open|1
---- right
SELECT code, LEFT(code, CASE WHEN CHARINDEX('-', code) > 0 THEN CHARINDEX('-', code) - 1 ELSE LEN(code) END) AS base FROM [invoice_items] WHERE PATINDEX('%[0-9]%', code) > 0
==== band-01|band
---- right
SELECT [RoomName], [Beds] FROM [dbo].[Rooms] WHERE [IsOpen] = 1 AND [RoomName] LIKE 'RED%'
==== Red West|5
---- right
SELECT r.RoomID, ISNULL(d.name, 'none') AS dep FROM dbo.Rooms r LEFT OUTER JOIN departments d ON d.department_id = r.DepartmentID WHERE r.Beds BETWEEN 1 AND 3 OR r.RoomName = 'blue'
==== 1|Cardiology
==== 2|Surgery
==== 4|none
---- likely
SELECT last_name, salary, (SELECT AVG(salary) FROM doctors) AS avg_salary, salary - (SELECT AVG(salary) FROM dbo.doctors) AS diff FROM dbo.doctors WHERE salary > (SELECT AVG(salary) FROM dbo.doctors) AND is_active = 1
==== Petrov|198000.00|153300.1|44699.9
---- right
SELECT d.last_name, mgr.name FROM dbo.doctors AS d INNER JOIN dbo.departments AS mgr ON mgr.department_id = d.department_id AND mgr.floor <> 3 WHERE d.email IS NOT NULL AND LEN(d.email) > 0
==== Haas|Cardiology
---- right
SELECT TRIM(full_name) AS n, SPACE(2) + UPPER(sex) AS s, ASCII('A') AS a, CHAR(66) AS b, NCHAR(8364) AS e, UNICODE(N'€') AS u FROM dbo.patients WHERE patient_id = 4
==== Dora Pym|  F|65|B|€|8364
---- refused
SELECT JSON_VALUE(l.payload, '$.device.name') AS device, COUNT(*) AS n FROM dbo.lab_results l WHERE ISJSON(l.payload) = 1 GROUP BY JSON_VALUE(l.payload, '$.device.name')
---- refused AT TIME ZONE
SELECT v.visit_id, v.started_at AT TIME ZONE 'UTC' AT TIME ZONE 'Central European Standard Time' AS local_time FROM dbo.visits v WHERE v.visit_id = 1001
---- refused
SELECT TRY_PARSE('31/12/2023' AS DATE USING 'en-GB') AS d, PARSE('12.5' AS DECIMAL(5,1)) AS n
---- right
SELECT visit_id FROM dbo.visits WHERE doctor_id = ANY (SELECT doctor_id FROM dbo.doctors WHERE last_name = 'HAAS') AND ISNULL(severity, 0) >= 2
==== 1001
==== 1004
---- likely ordered
SELECT visit_id FROM dbo.visits UNION ALL SELECT invoice_id FROM dbo.invoices WHERE currency = 'eur' ORDER BY visit_id OFFSET 0 ROWS FETCH NEXT 4 ROWS ONLY
==== 501
==== 502
==== 504
==== 1001
---- right
WITH s AS (SELECT doctor_id, worked_on, DATEADD(DAY, -ROW_NUMBER() OVER (PARTITION BY doctor_id ORDER BY worked_on), worked_on) AS grp FROM dbo.shifts) SELECT doctor_id, MIN(worked_on) AS first_day, DATEDIFF(DAY, MIN(worked_on), MAX(worked_on)) + 1 AS days FROM s GROUP BY doctor_id, grp HAVING COUNT(*) > 1
==== 1|2024-01-06|3
==== 2|2023-12-31|2
---- likely
SELECT DATEPART(WEEK, '2024-01-07') AS w, DATEPART(DAYOFYEAR, '2024-03-01') AS doy, DATEDIFF(WEEK, '2024-01-06', '2024-01-07') AS dw, DATEDIFF(HOUR, '2024-01-01 10:59:00', '2024-01-01 11:00:00') AS h
==== 2|61|1|1
---- refused arithmetic with dates
SELECT visit_id, ended_at - started_at AS d FROM dbo.visits WHERE visit_id = 1001
---- right
SELECT CONVERT(INT, '42') + 1 AS a, CONVERT(BIGINT, 7.9) AS b, CONVERT(BIT, 5) AS c, CONVERT(FLOAT, '1.5e1') AS d
==== 43|7|1|15
---- right
SELECT visit_id FROM dbo.visits WHERE fee !> 45 AND severity != 1 OR ISNULL(reason, '') = 'sprain'
==== 1005
==== 1007
---- refused PERCENTILE
SELECT TOP 1 PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY fee) OVER () AS median FROM dbo.visits WHERE fee IS NOT NULL
---- likely
SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE FROM INFORMATION_SCHEMA.COLUMNS WITH (NOLOCK) WHERE TABLE_SCHEMA = 'dbo' AND TABLE_NAME = 'shifts' ORDER BY ORDINAL_POSITION
==== shifts|doctor_id|integer
==== shifts|worked_on|date
==== shifts|kind|character varying
==== shifts|hours|numeric
---- likely unchecked
EXEC sp_help 'dbo.visits'
---- likely
SELECT * FROM (VALUES (1, N'one'), (2, N'two')) AS v([id], [label]) WHERE v.[label] <> N'ONE'
==== 2|two
---- right
SELECT v1.visit_id, v2.visit_id AS next_id, DATEDIFF(DAY, v1.started_at, v2.started_at) AS gap FROM dbo.visits v1 OUTER APPLY (SELECT TOP 1 * FROM dbo.visits x WHERE x.patient_id = v1.patient_id AND x.started_at > v1.started_at ORDER BY x.started_at) v2 WHERE v2.visit_id IS NOT NULL
==== 1001|1002|52
==== 1003|1008|183
---- refused SELECT INTO
SELECT department_id, name INTO #deps FROM dbo.departments
---- right
SELECT GREATEST(jan, feb, mar) AS hi, LEAST(jan, mar) AS lo, ISNULL(jan, 0) + ISNULL(feb, 0) + ISNULL(mar, 0) AS total FROM [ward_counts]
==== 12|9|21
==== 7|0|12
---- refused HASHBYTES
SELECT TOP 1 HASHBYTES('SHA2_256', full_name) AS h FROM dbo.patients
---- right
SELECT DATEDIFF(MONTH, registered_at, '2024-02-01') AS months, CAST(DATEDIFF(DAY, birth_date, registered_at) / 365.25 AS INT) AS age FROM dbo.patients WHERE patient_id IN (1, 2)
==== 13|42
==== 12|30
