-- What BigQuery's texts mean, with the rows that its documentation gives for them, or that follow
-- from it. Cells stand between bars; NULL is written as ~. Heads as in sqlite.sql.
---- right
SELECT DATE_DIFF(DATE '2010-07-07', DATE '2008-12-25', DAY)
==== 559
---- right
SELECT DATE_DIFF(DATE '2017-10-15', DATE '2017-10-14', DAY), DATE_DIFF(DATE '2017-10-15', DATE '2017-10-14', WEEK)
==== 1|1
---- right
SELECT DATE_DIFF('2017-12-30', '2014-12-30', YEAR), DATE_DIFF('2017-12-30', '2014-12-30', ISOYEAR)
==== 3|2
---- right
SELECT DATE_DIFF('2017-12-18', '2017-12-17', WEEK), DATE_DIFF('2017-12-18', '2017-12-17', WEEK(MONDAY)), DATE_DIFF('2017-12-18', '2017-12-17', ISOWEEK)
==== 0|1|1
---- right
SELECT DATE_DIFF(DATE '2024-01-31', DATE '2023-02-01', MONTH), DATE_DIFF(DATE '2024-01-31', DATE '2023-02-01', QUARTER), DATE_DIFF(DATE '2023-02-01', DATE '2024-01-31', MONTH)
==== 11|4|-11
---- right
SELECT DATE_ADD(DATE '2008-12-25', INTERVAL 5 DAY), DATE_SUB(DATE '2008-12-25', INTERVAL 5 DAY), DATE_ADD(DATE '2024-01-31', INTERVAL 1 MONTH)
==== 2008-12-30|2008-12-20|2024-02-29
---- right
SELECT DATE_TRUNC(DATE '2008-12-25', MONTH), DATE_TRUNC(DATE '2017-11-05', WEEK(MONDAY)), DATE_TRUNC('2015-06-15', ISOYEAR)
==== 2008-12-01|2017-10-30|2014-12-29
---- right
SELECT DATE_TRUNC(DATE '2017-11-05', WEEK), DATE_TRUNC(DATE '2017-11-08', WEEK), DATE_TRUNC(DATE '2017-11-08', WEEK(WEDNESDAY)), DATE_TRUNC(DATE '2017-11-08', ISOWEEK), DATE_TRUNC(DATE '2017-11-08', QUARTER)
==== 2017-11-05|2017-11-05|2017-11-08|2017-11-06|2017-10-01
---- right
SELECT TIMESTAMP_DIFF(TIMESTAMP '2010-07-07 10:20:00+00', TIMESTAMP '2008-12-25 15:30:00+00', HOUR)
==== 13410
---- right
SELECT TIMESTAMP_DIFF('2001-02-01 01:00:00', '2001-02-01 00:00:01', HOUR), TIMESTAMP_DIFF(TIMESTAMP '2018-08-14', TIMESTAMP '2018-10-14', DAY)
==== 0|-61
---- right
SELECT DATETIME_DIFF(DATETIME '2010-07-07 10:20:00', DATETIME '2008-12-25 15:30:00', DAY), DATETIME_DIFF(DATETIME '2017-10-15 00:00:00', DATETIME '2017-10-14 23:59:59', DAY), DATETIME_DIFF(DATETIME '2017-10-15 00:00:00', DATETIME '2017-10-14 00:00:00', WEEK)
==== 559|1|1
---- right
SELECT DATETIME_ADD(DATETIME '2008-12-25 15:30:00', INTERVAL 10 MINUTE), DATETIME_SUB(DATETIME '2008-12-25 15:30:00', INTERVAL 10 MINUTE), DATETIME_TRUNC(DATETIME '2008-12-25 15:30:00', DAY)
==== 2008-12-25 15:40:00|2008-12-25 15:20:00|2008-12-25 00:00:00
---- right
SELECT FORMAT_TIMESTAMP('%Y-%m-%d %H:%M:%S', TIMESTAMP_ADD(TIMESTAMP '2008-12-25 15:30:00+00', INTERVAL 10 MINUTE)), FORMAT_TIMESTAMP('%H', TIMESTAMP_TRUNC(TIMESTAMP '2008-12-25 15:30:00+00', DAY))
==== 2008-12-25 15:40:00|00
---- right
SELECT EXTRACT(DAY FROM DATE '2013-12-25'), EXTRACT(DAYOFWEEK FROM DATE '2013-12-25'), EXTRACT(DAYOFYEAR FROM DATE '2013-12-25'), EXTRACT(QUARTER FROM DATE '2013-12-25')
==== 25|4|359|4
---- right
SELECT EXTRACT(ISOYEAR FROM DATE '2015-12-31'), EXTRACT(ISOWEEK FROM DATE '2015-12-31'), EXTRACT(YEAR FROM DATE '2015-12-31'), EXTRACT(WEEK FROM DATE '2015-12-31')
==== 2015|53|2015|52
---- right
SELECT EXTRACT(ISOYEAR FROM DATE '2016-01-01'), EXTRACT(ISOWEEK FROM DATE '2016-01-01'), EXTRACT(YEAR FROM DATE '2016-01-01'), EXTRACT(WEEK FROM DATE '2016-01-01'), EXTRACT(WEEK FROM DATE '2016-01-03')
==== 2015|53|2016|0|1
---- right
SELECT EXTRACT(WEEK(SUNDAY) FROM DATE '2017-11-05'), EXTRACT(WEEK(MONDAY) FROM DATE '2017-11-05'), EXTRACT(WEEK(MONDAY) FROM DATE '2017-11-06')
==== 45|44|45
---- right
SELECT EXTRACT(DATE FROM shipped_at), EXTRACT(HOUR FROM shipped_at) FROM orders WHERE id = 2
==== 2024-02-02|18
---- right
SELECT FORMAT_DATE('%b %d, %Y', DATE '2008-12-25'), FORMAT_DATE('%Y-%m', DATE '2008-12-25'), FORMAT_DATE('%A %B %j', DATE '2008-12-25'), FORMAT_DATE('%F', DATE '2008-12-25'), FORMAT_DATE('Q%Q', DATE '2008-12-25')
==== Dec 25, 2008|2008-12|Thursday December 360|2008-12-25|Q4
---- right
SELECT FORMAT_DATETIME('%H:%M %p', DATETIME '2008-12-25 15:30:00'), FORMAT_DATE('%G-W%V', DATE '2016-01-01')
==== 15:30 PM|2015-W53
---- right
SELECT PARSE_DATE('%Y%m%d', '20081225'), PARSE_DATE('%m/%d/%Y', '12/25/2008')
==== 2008-12-25|2008-12-25
---- refused %c
SELECT FORMAT_DATE('%c', DATE '2008-12-25')
---- right
SELECT CURRENT_DATE() >= DATE '2024-01-01', DATE_SUB(CURRENT_DATE(), INTERVAL 1 DAY) < CURRENT_DATE(), CURRENT_TIMESTAMP() > TIMESTAMP '2024-01-01'
==== true|true|true
---- refused time zone
SELECT CURRENT_DATE('America/Los_Angeles')
---- right
SELECT DATE(2016, 12, 25), DATE(TIMESTAMP '2016-12-25 05:30:00+00'), DATE(DATETIME '2016-12-25 23:59:59')
==== 2016-12-25|2016-12-25|2016-12-25
---- right
SELECT DATETIME(2005, 12, 25, 5, 30, 0), UNIX_SECONDS(TIMESTAMP '2008-12-25 15:30:00+00'), UNIX_MILLIS(TIMESTAMP '2008-12-25 15:30:00+00'), UNIX_DATE(DATE '2008-12-25')
==== 2005-12-25 05:30:00|1230219000|1230219000000|14238
---- right
SELECT LAST_DAY(DATE '2008-11-25'), LAST_DAY(DATE '2008-11-25', YEAR), FORMAT_TIMESTAMP('%F', TIMESTAMP_SECONDS(1230219000))
==== 2008-11-30|2008-12-31|2008-12-25
---- right
SELECT SAFE_DIVIDE(20, 4), SAFE_DIVIDE(1, 4), SAFE_DIVIDE(20, 0), SAFE_DIVIDE(0, 20)
==== 5|0.25|~|0
---- right
SELECT id, SAFE_DIVIDE(quantity, returned) FROM orders WHERE id IN (1, 2, 3)
==== 1|~
==== 2|5
==== 3|1
---- right
SELECT 7 / 2, DIV(7, 2), MOD(7, 2), DIV(-7, 2), MOD(-7, 2), IFNULL(NULL, 1)
==== 3.5|3|1|-3|-1|1
---- right
SELECT id, quantity / 4 FROM orders WHERE MOD(id, 4) = 3
==== 3|1.75
==== 7|6.25
---- right
SELECT SUM(quantity) / COUNT(*), COUNTIF(status = 'open'), COUNTIF(discount > 0.2) FROM orders WHERE id < 5
==== 5.25|2|2
---- right
SELECT customer_id, COUNTIF(amount > 50) AS big FROM orders GROUP BY customer_id ORDER BY customer_id
==== 1|1
==== 2|2
==== 3|0
==== 5|1
---- right
SELECT SAFE_CAST('12' AS INT64), SAFE_CAST('12a' AS INT64), SAFE_CAST(' -7 ' AS INT64), SAFE_CAST('1.5' AS FLOAT64), SAFE_CAST('x' AS FLOAT64)
==== 12|~|-7|1.5|~
---- right
SELECT id, SAFE_CAST(code AS INT64) FROM customers ORDER BY id
==== 1|7
==== 2|12
==== 3|~
==== 4|~
==== 5|5
==== 6|~
---- refused SAFE_CAST
SELECT SAFE_CAST(name AS BYTES) FROM customers
---- right
SELECT CAST(2.5 AS INT64), CAST(-2.5 AS INT64), CAST(1.4 AS INT64), CAST(12 AS STRING), CAST('3' AS INT64), CAST('2024-01-31' AS DATE), CAST(TRUE AS STRING), CAST(DATE '2024-01-31' AS STRING)
==== 3|-3|1|12|3|2024-01-31|true|2024-01-31
---- right
SELECT id, CAST(score AS INT64) FROM customers WHERE id IN (1, 2, 5)
==== 1|7
==== 2|4
==== 5|-2
---- right
SELECT IF(quantity > 5, 'many', 'few') AS size, COUNT(*) FROM orders GROUP BY size ORDER BY size
==== few|4
==== many|3
---- right
SELECT IFNULL(city, 'none'), NULLIF(country, 'Spain'), COALESCE(city, country) FROM customers WHERE id = 3
==== none|~|Spain
---- right
SELECT name FROM `shop-project.public.customers` WHERE id = 1
==== Ann Lee
---- right
SELECT o.id FROM `analytics.orders` AS o JOIN `shop-project.public.customers` AS c ON c.id = o.customer_id WHERE c.name = "Cara"
==== 4
---- right
SELECT orders.id FROM `public.orders` WHERE orders.status = "cancelled"
==== 5
---- right
SELECT id, customer_id FROM orders WHERE TRUE QUALIFY ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY amount DESC) = 1
==== 2|1
==== 7|2
==== 4|3
==== 6|5
---- right
SELECT id, customer_id, RANK() OVER (PARTITION BY customer_id ORDER BY amount DESC) AS place FROM orders QUALIFY place = 1 ORDER BY id DESC LIMIT 2
==== 7|2|1
==== 6|5|1
---- right
SELECT customer_id, SUM(amount) AS total FROM orders GROUP BY customer_id QUALIFY RANK() OVER (ORDER BY SUM(amount) DESC) <= 2
==== 2|485.85
==== 1|260.75
---- right
SELECT * EXCEPT (body) FROM documents ORDER BY id
==== 1
==== 2
==== 3
---- right
SELECT * EXCEPT (status, placed_on, shipped_at, amount, discount) FROM orders WHERE id = 2
==== 2|1|10|2
---- right
SELECT * REPLACE (quantity * 2 AS quantity) FROM (SELECT id, quantity FROM orders) WHERE id < 3
==== 1|6
==== 2|20
---- right
SELECT c.* EXCEPT (country, city, vip, born, joined, balance, score, code, since), o.id FROM customers AS c JOIN orders AS o ON o.customer_id = c.id WHERE o.id = 1
==== 1|Ann Lee|~|1
---- right
SELECT x FROM UNNEST([1, 2, 3]) AS x ORDER BY x DESC
==== 3
==== 2
==== 1
---- right
SELECT word, pos FROM UNNEST(['a', 'b', 'c']) AS word WITH OFFSET AS pos WHERE pos > 0
==== b|1
==== c|2
---- right
SELECT word, offset FROM UNNEST(['a', 'b']) AS word WITH OFFSET ORDER BY offset
==== a|0
==== b|1
---- right
SELECT c.id, part FROM customers AS c, UNNEST(SPLIT(c.name, ' ')) AS part WHERE c.id < 3
==== 1|Ann
==== 1|Lee
==== 2|bob
==== 2|stone
---- right
SELECT ARRAY_LENGTH([1, 2, 3]), ARRAY_LENGTH(SPLIT('a,b', ',')), [10, 20, 30][OFFSET(1)], [10, 20, 30][ORDINAL(1)], 2 IN UNNEST([1, 2])
==== 3|2|20|10|true
---- right
SELECT ARRAY_TO_STRING(ARRAY_AGG(city IGNORE NULLS ORDER BY id LIMIT 2), '+'), ARRAY_TO_STRING(ARRAY_AGG(DISTINCT status ORDER BY status), ',') FROM customers JOIN (SELECT 'b' AS status UNION ALL SELECT 'a') ON TRUE
==== Paris+Paris|a,b
---- right
SELECT ARRAY_TO_STRING(ARRAY_AGG(x ORDER BY x DESC LIMIT 1), '') FROM UNNEST(['a', 'b']) AS x
==== b
---- refused STRUCT
SELECT STRUCT(1 AS a, 'x' AS b).a
---- likely
SELECT STRING_AGG(name, ' & ' ORDER BY id), STRING_AGG(DISTINCT country) FROM customers WHERE id IN (1, 3) AND IFNULL(country, '') <> ''
==== Ann Lee & Cara|France,Spain
---- right
SELECT n FROM UNNEST(GENERATE_ARRAY(1, 10, 4)) AS n
==== 1
==== 5
==== 9
---- right
SELECT d FROM UNNEST(GENERATE_DATE_ARRAY('2024-01-30', '2024-02-02')) AS d WHERE d <> DATE '2024-02-01'
==== 2024-01-30
==== 2024-01-31
==== 2024-02-02
---- right
SELECT d FROM UNNEST(GENERATE_DATE_ARRAY(DATE '2024-01-31', DATE '2024-04-30', INTERVAL 1 MONTH)) AS d
==== 2024-01-31
==== 2024-02-29
==== 2024-03-31
==== 2024-04-30
---- right
SELECT APPROX_COUNT_DISTINCT(customer_id), LOGICAL_OR(status = 'open'), LOGICAL_AND(quantity > 1) FROM orders
==== 4|true|false
---- right
SELECT ANY_VALUE(country) FROM customers WHERE IFNULL(country, '') = 'Spain'
==== Spain
---- right
SELECT CONCAT('a', 'b', 'c'), CONCAT('a', NULL), LENGTH('привет'), STRPOS('foo@example.com', '@'), STARTS_WITH('foo', 'f'), ENDS_WITH('apple', 'e')
==== abc|~|6|4|true|true
---- right
SELECT CONTAINS_SUBSTR('the blue house', 'Blue house'), CONTAINS_SUBSTR('the red house', 'blue')
==== true|false
---- right
SELECT id FROM customers WHERE REGEXP_CONTAINS(name, r'^[AC]\w+')
==== 1
==== 3
---- right
SELECT REGEXP_EXTRACT('foo@example.com', r'^[a-zA-Z0-9_.+-]+'), REGEXP_EXTRACT('foo@example.com', r'@([a-z]+)\.com'), REGEXP_EXTRACT('abc', r'x')
==== foo|example|~
---- right
SELECT REGEXP_REPLACE('# Heading', r'^# ([a-zA-Z0-9\s]+$)', '<h1>\\1</h1>'), REGEXP_REPLACE('banana', 'a', '')
==== <h1>Heading</h1>|bnn
---- refused lazy
SELECT REGEXP_EXTRACT('aaa', r'a+?')
---- refused alternatives
SELECT REGEXP_REPLACE(name, 'a|ab', '') FROM customers
---- right
SELECT SPLIT('a-b-c', '-')[OFFSET(1)], SPLIT('x,y')[ORDINAL(2)], ARRAY_TO_STRING(SPLIT('a b', ' '), '+')
==== b|y|a+b
---- right
SELECT SUBSTR('apple', 2), SUBSTR('apple', 2, 2), SUBSTR('apple', -2), SUBSTR('apple', 1, 123), SUBSTR('apple', -3, 2), SUBSTR('apple', 0, 2), SUBSTR('apple', -9, 2)
==== pple|pp|le|apple|pl|ap|ap
---- right
SELECT LPAD('abc', 5, 'def'), RPAD('abc', 2), LPAD('7', 3, '0'), REPEAT('ab', 2), REVERSE('abc'), LOWER('ABC'), TRIM('  x '), LTRIM('*x*', '*'), REPLACE('abc', 'b', 'x')
==== deabc|ab|007|abab|cba|abc|x|x*|axc
---- right
SELECT FORMAT('%s is %d', name, id), FORMAT('%.2f%%', 12.345), FORMAT("%05d", 42) FROM customers WHERE id = 1
==== Ann Lee is 1|12.35%|00042
---- right
SELECT r'a\nb', 'it\'s', "say \"hi\"", '''tri'ple''', 'tab\tx', LENGTH("a\nb"), 'caf\u00e9'
==== a\nb|it's|say "hi"|tri'ple|tab	x|3|café
---- right
SELECT COUNT(*) FROM orders WHERE status != 'open' # what is open does not count
==== 4
---- refused @customer
SELECT id FROM orders WHERE customer_id = @customer
---- right ordered
SELECT id, IFNULL(discount, NULL) AS d FROM orders ORDER BY d, id LIMIT 3
==== 2|~
==== 6|~
==== 5|0.05
---- right ordered
SELECT id, discount FROM orders WHERE IFNULL(id, 0) > 0 ORDER BY discount DESC, id LIMIT 2
==== 4|0.5
==== 7|0.3
---- right
SELECT EXTRACT(YEAR FROM placed_on) AS y, COUNT(*) FROM orders GROUP BY 1 HAVING COUNTIF(TRUE) > 2
==== 2024|5
---- right
SELECT customer_id FROM orders EXCEPT DISTINCT SELECT id FROM customers WHERE IFNULL(vip, FALSE)
==== 2
---- right
SELECT customer_id FROM orders WHERE id < 4 UNION DISTINCT SELECT 3 UNION DISTINCT SELECT 1
==== 1
==== 2
==== 3
---- right
SELECT 1 AS n INTERSECT DISTINCT SELECT CAST('1' AS INT64)
==== 1
---- right
SELECT id, LAG(status) OVER w, SUM(quantity) OVER w FROM orders WHERE customer_id = 1 AND IFNULL(id, 0) > 0 WINDOW w AS (ORDER BY id)
==== 1|~|3
==== 2|open|13
---- right
SELECT ROUND(2.5), ROUND(-2.5), ROUND(123.456, 2), ROUND(123.7, -1), TRUNC(2.9), CEIL(2.1), FLOOR(2.9), ABS(-3), POW(2, 3), SQRT(9), GREATEST(1, 3, 2), SIGN(-4)
==== 3|-3|123.46|120|2|3|2|3|8|3|3|-1
---- right
SELECT GREATEST(1, NULL, 3), LEAST(2, 1)
==== ~|1
---- refused FORMAT
SELECT CAST(CURRENT_DATE() AS STRING FORMAT 'YYYY')
---- refused PIVOT
SELECT * FROM (SELECT customer_id, quantity, status FROM orders) PIVOT (SUM(quantity) FOR status IN ('open', 'shipped'))
---- refused APPROX_QUANTILES
SELECT APPROX_QUANTILES(quantity, 2) FROM orders
---- right
WITH monthly AS (SELECT DATE_TRUNC(placed_on, MONTH) AS m, SUM(amount) AS total FROM `shop-project.public.orders` GROUP BY m) SELECT m, total FROM monthly WHERE total > (SELECT AVG(total) FROM monthly) ORDER BY m
==== 2024-01-01|260.75
==== 2024-12-01|410.1
---- right
SELECT DATE_TRUNC(placed_on, MONTH), COUNT(DISTINCT customer_id) FROM orders GROUP BY DATE_TRUNC(placed_on, MONTH) ORDER BY 1 LIMIT 1
==== 2023-03-01|1
---- right
SELECT id FROM orders WHERE placed_on BETWEEN DATE_SUB(DATE '2024-02-01', INTERVAL 1 MONTH) AND DATE '2024-01-31'
==== 1
==== 2
---- right
SELECT DATE_DIFF(DATE(shipped_at), placed_on, DAY), TIMESTAMP_DIFF(shipped_at, TIMESTAMP(placed_on), HOUR) FROM orders WHERE id = 2
==== 2|66
---- right
SELECT id FROM customers WHERE name LIKE '%\\%%' AND IFNULL(id, 0) > 0
==== 6
---- refused TO_JSON_STRING
SELECT TO_JSON_STRING(1), MAX(id), MIN(IFNULL(city, 'z')) FROM customers
---- likely
SELECT JSON_VALUE(body, '$.owner.name'), JSON_EXTRACT_SCALAR(body, '$.kind') FROM documents WHERE id = 1
==== Ann|note
---- right
SELECT FORMAT_DATE('%Y-%m', placed_on) AS month, COUNT(DISTINCT customer_id) AS buyers FROM `shop.public.orders` GROUP BY month ORDER BY month LIMIT 2
==== 2023-03|1
==== 2023-12|1
---- right
SELECT DATE_TRUNC(placed_on, MONTH) AS placed_on, COUNT(*) AS n FROM orders GROUP BY placed_on ORDER BY placed_on DESC LIMIT 3
==== 2024-12-01|1
==== 2024-03-01|1
==== 2024-02-01|1
---- right
SELECT c.country, SAFE_DIVIDE(COUNTIF(o.status = 'open'), COUNT(*)) AS share FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.country HAVING share > 0.4
==== France|0.5
==== france|0.5
---- right
SELECT EXTRACT(DAYOFWEEK FROM placed_on) AS dow, COUNT(*) FROM orders GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 2
==== 1|2
==== 2|1
---- right
SELECT id FROM orders WHERE TIMESTAMP_TRUNC(shipped_at, MONTH) = TIMESTAMP '2024-01-01'
==== 1
==== 3
---- right
SELECT id FROM orders WHERE shipped_at >= TIMESTAMP('2024-02-01') AND shipped_at < CURRENT_TIMESTAMP() ORDER BY id
==== 2
==== 7
---- right
SELECT id FROM orders WHERE DATE(shipped_at) BETWEEN '2024-01-01' AND '2024-01-31' AND placed_on > '2024-01-01'
==== 1
---- right
SELECT id, ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY placed_on DESC) AS n FROM orders QUALIFY n = 1 AND customer_id < 3
==== 2|1
==== 7|1
---- right
SELECT DISTINCT customer_id FROM orders WHERE quantity > 0 QUALIFY COUNT(*) OVER (PARTITION BY customer_id) > 1 ORDER BY customer_id
==== 1
==== 2
==== 5
---- right
SELECT o.* EXCEPT (placed_on, shipped_at, amount, discount) REPLACE (UPPER(o.status) AS status) FROM orders AS o WHERE o.id = 3
==== 3|2|SHIPPED|7|7
---- right
WITH top AS (SELECT customer_id, ARRAY_AGG(status ORDER BY placed_on DESC LIMIT 1)[OFFSET(0)] AS last FROM orders GROUP BY customer_id) SELECT * FROM top ORDER BY customer_id
==== 1|Shipped
==== 2|open
==== 3|open
==== 5|cancelled
---- right
SELECT DATE_ADD(placed_on, INTERVAL quantity DAY), DATE_SUB(placed_on, INTERVAL 1 QUARTER), placed_on + INTERVAL 1 WEEK FROM orders WHERE id = 1
==== 2024-01-18|2023-10-15|2024-01-22
---- right
SELECT COUNT(*) FROM orders WHERE placed_on >= DATE_SUB(DATE '2024-03-31', INTERVAL 1 MONTH) AND placed_on < DATE_TRUNC(DATE '2024-03-31', QUARTER) + INTERVAL 1 YEAR
==== 3
---- right
SELECT SUM(IF(status = 'open', amount, 0)), AVG(quantity), MAX(placed_on), MIN(status) FROM orders
==== 453.90|7.4285714286|2024-12-31|SHIPPED
---- right
SELECT name, LENGTH(name) - LENGTH(REPLACE(name, ' ', '')) AS blanks FROM customers WHERE STRPOS(name, ' ') > 0 ORDER BY name
==== Ann Lee|1
==== Dan O'Neil|1
==== bob stone|1
---- right
SELECT SPLIT(name, ' ')[SAFE_OFFSET(1)], SUBSTR(name, STRPOS(name, ' ') + 1, 2) FROM customers WHERE id < 4 ORDER BY id
==== Lee|Le
==== stone|st
==== ~|Ca
---- right
SELECT CASE WHEN amount / quantity > 20 THEN 'dear' ELSE 'cheap' END AS price, COUNT(*) FROM orders GROUP BY price
==== cheap|4
==== dear|3
---- right
SELECT quantity / 0.5, 1 / 4, 3 / 2 * 2, 10 / 4 + 1 FROM orders WHERE id = 1
==== 6|0.25|3|3.5
---- right
SELECT CAST('2024-01-31 10:00:00' AS DATETIME), CAST(placed_on AS DATETIME), CAST(quantity AS FLOAT64), CAST(quantity AS STRING), CAST(amount AS INT64) FROM orders WHERE id = 2
==== 2024-01-31 10:00:00|2024-01-31 00:00:00|10|10|250
---- right
SELECT FORMAT_TIMESTAMP('%Y-%m-%d %H:%M', TIMESTAMP '2024-01-31 23:30:00-05:00'), EXTRACT(HOUR FROM TIMESTAMP '2024-01-31 23:30:00-05'), DATE(TIMESTAMP '2024-01-31 23:30:00-05:00')
==== 2024-02-01 04:30|4|2024-02-01
---- right
SELECT UNIX_SECONDS(PARSE_TIMESTAMP('%Y-%m-%d %H:%M:%S', '2008-12-25 15:30:00')), FORMAT_DATETIME('%F %T', PARSE_DATETIME('%d/%m/%Y %H:%M', '25/12/2008 07:05'))
==== 1230219000|2008-12-25 07:05:00
---- right
SELECT DATE_DIFF(DATE '2024-12-30', DATE '2024-01-01', ISOYEAR), DATE_DIFF('2024-01-07', '2024-01-06', WEEK(SUNDAY)), DATETIME_DIFF('2024-01-01 10:00:00', '2024-01-01 09:59:59', HOUR), TIMESTAMP_DIFF('2024-01-01 10:00:00', '2024-01-01 09:59:59', HOUR), DATETIME_DIFF(DATETIME '2024-02-01 00:00:00', DATETIME '2024-01-31 23:00:00', MONTH)
==== 1|1|1|0|1
---- right
SELECT COUNT(*) FROM customers WHERE NOT REGEXP_CONTAINS(name, r'(?i)^[a-c]') OR REGEXP_CONTAINS(LOWER(name), r'lee|stone')
==== 4
---- right
SELECT id FROM customers WHERE city IS NULL OR city IN UNNEST(['Lyon', 'Madrid']) ORDER BY id DESC
==== 5
==== 4
==== 3
==== 2
---- right
SELECT (SELECT MAX(amount) FROM orders WHERE customer_id = c.id), IFNULL(c.city, '-') FROM customers AS c WHERE c.id IN (1, 4) ORDER BY c.id
==== 250.25|Paris
==== ~|Madrid
---- right
SELECT LOG(1), LOG10(100), ROUND(EXP(1), 3), TRUNC(-2.7), TRUNC(2.789, 2), ROUND(LN(10), 4)
==== 0|2|2.718|-2|2.78|2.3026
---- right
SELECT LEAST('b', 'A'), 'a' < 'B', GREATEST('b', 'A'), MAX(x) FROM UNNEST(['a', 'B']) AS x
==== A|false|b|a
---- right ordered
SELECT x FROM UNNEST(['a', 'B', NULL]) AS x ORDER BY x
==== ~
==== B
==== a
---- refused compared
SELECT id FROM orders WHERE id = '1' AND SAFE_DIVIDE(1, 2) > 0
---- refused SAFE_CAST
SELECT SAFE_CAST(since AS DATE) FROM customers
---- refused time zone
SELECT DATE(shipped_at, 'Asia/Tokyo') FROM orders
---- refused data set
SELECT 1 FROM `nowhere.at.all`
---- refused INITCAP
SELECT INITCAP(name) FROM customers
---- refused PERCENTILE_CONT
SELECT SUM(quantity) OVER w FROM orders QUALIFY SUM(quantity) OVER w > 3 WINDOW w AS (PARTITION BY status ORDER BY PERCENTILE_CONT(quantity, 0.5) OVER ())
---- refused without %
SELECT FORMAT_DATE('yyyy-MM', placed_on) FROM orders
