-- What Snowflake's texts mean. A head says what is wanted: `right` (the rows below; `ordered` where
-- their order counts), `likely` (the same, less certain), or `refused` and a word of the hint.
---- right
SELECT id FROM customers WHERE name ILIKE ANY ('ann%', '%CARA%')
==== 1
==== 3
---- right
SELECT id FROM customers WHERE name LIKE ANY ('Ann%', 'cara%')
==== 1
---- right
SELECT id, IFF(vip, 'yes', 'no') FROM customers WHERE id < 3
==== 1|yes
==== 2|no
---- right
SELECT id, NVL(parent_id, 0), NVL2(parent_id, 1, 0), ZEROIFNULL(balance), NULLIFZERO(id - 3) FROM customers WHERE id IN (1, 3)
==== 1|0|0|120.5|-2
==== 3|1|1|0|~
---- right
SELECT DATEADD(month, 1, placed_on), DATEADD('day', -1, placed_on), DATEADD(hour, 2, placed_on) FROM orders WHERE id = 2
==== 2024-02-29|2024-01-30|2024-01-31 02:00:00
---- right
SELECT DATEDIFF(year, '2023-12-31'::DATE, '2024-01-01'::DATE), DATEDIFF(month, '2024-01-31', '2024-02-01'), TIMESTAMPDIFF(day, placed_on, shipped_at), DATEDIFF('week', '2024-03-03', '2024-03-04') FROM orders WHERE id = 1
==== 1|1|1|1
---- right
SELECT DATE_TRUNC('month', placed_on) AS m, COUNT(*) FROM orders WHERE YEAR(placed_on) = 2024 GROUP BY ALL ORDER BY m
==== 2024-01-01|2
==== 2024-02-01|1
==== 2024-03-01|1
==== 2024-12-01|1
---- right ordered
SELECT customer_id, id FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY placed_on DESC) = 1 ORDER BY customer_id
==== 1|2
==== 2|7
==== 3|4
==== 5|5
---- right
SELECT country, LISTAGG(name, ', ') WITHIN GROUP (ORDER BY id DESC) AS names FROM customers WHERE country = 'Spain' GROUP BY country
==== Spain|Eve, Cara
---- right
SELECT LISTAGG(name, ', ') || 'x' FROM customers WHERE id > 100
==== x
---- right
SELECT COUNT_IF(amount > 50), MEDIAN(quantity), APPROX_COUNT_DISTINCT(customer_id), ANY_VALUE(1) FROM orders
==== 4|4|4|1
---- right
SELECT id FROM customers WHERE REGEXP_LIKE(code, '[0-9]+')
==== 1
==== 2
==== 5
---- right
SELECT SPLIT_PART(name, ' ', 1), SPLIT_PART(name, ' ', -1), CONTAINS(name, 'Lee'), STARTSWITH(name, 'Ann'), ENDSWITH(name, 'x') FROM customers WHERE id = 1
==== Ann|Lee|1|1|0
---- right
SELECT amount::INT, amount::NUMBER(10, 1), id::VARCHAR, placed_on::TIMESTAMP_NTZ, '12'::NUMBER FROM orders WHERE id = 1
==== 11|10.5|1|2024-01-15 00:00:00|12
---- right
SELECT TO_DATE('2024-02-29'), TO_DATE('31/01/2024', 'DD/MM/YYYY'), TO_VARCHAR(placed_on, 'YYYY-MM'), TO_VARCHAR(placed_on, 'DD-MON-YYYY') FROM orders WHERE id = 1
==== 2024-02-29|2024-01-31|2024-01|15-Jan-2024
---- right
SELECT id, TRY_TO_NUMBER(code) FROM customers WHERE id IN (1, 3)
==== 1|7
==== 3|~
---- right
SELECT id, TRY_CAST(code AS FLOAT) FROM customers WHERE id IN (5, 6)
==== 5|5
==== 6|~
---- right
SELECT 7 / 2, DIV0(1, 0), ROUND(2.5), 7 % 3, 1 / 4
==== 3.5|0|3|1|0.25
---- right
SELECT * EXCLUDE (customer_id, status, placed_on, shipped_at, returned, discount) RENAME quantity AS n FROM orders WHERE id = 1
==== 1|10.50|3
---- right ordered
SELECT id, parent_id FROM customers ORDER BY parent_id, id
==== 2|1
==== 3|1
==== 4|2
==== 5|2
==== 6|3
==== 1|~
---- right
SELECT id FROM orders WHERE status = 'SHIPPED'
==== 6
---- right
SELECT quantity * 2 AS twice, twice + 1 AS more FROM orders WHERE twice = 6
==== 6|7
---- right
SELECT placed_on - '2024-01-01'::DATE, placed_on + 1, placed_on + INTERVAL '1 month' FROM orders WHERE id = 2
==== 30|2024-02-01|2024-02-29
---- right
SELECT ARRAY_AGG(parent_id) WITHIN GROUP (ORDER BY parent_id) FROM customers
==== {1,1,2,2,3}
---- right
SELECT LAST_DAY(placed_on), DAYOFWEEK(placed_on), WEEK(placed_on), QUARTER(placed_on), DAYNAME(placed_on), MONTHNAME(placed_on) FROM orders WHERE id = 1
==== 2024-01-31|1|3|1|Mon|Jan
---- right ordered
SELECT TOP 2 id FROM orders ORDER BY id DESC
==== 7
==== 6
---- refused column by its place
SELECT $1 FROM orders
---- refused FLATTEN
SELECT f.value FROM documents, LATERAL FLATTEN(input => body) f
---- refused SAMPLE
SELECT id FROM orders SAMPLE (10)
---- refused OBJECT_CONSTRUCT
SELECT OBJECT_CONSTRUCT('a', 1)
---- refused PIVOT
SELECT * FROM orders PIVOT (SUM(amount) FOR status IN ('open', 'shipped')) AS p
