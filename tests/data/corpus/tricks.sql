-- What has been tried against gates of this kind, and what a READ ONLY session does not stop. Every
-- statement is refused, or where it says `clamped` lowered to one that only reads. reads.sql tells the form of this file.
----
--! data-modifying queries under WITH
--! rule=modifying_cte
WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d
----
--! rule=modifying_cte
WITH d AS (DELETE FROM orders) SELECT 1
----
--! rule=modifying_cte
with i as (insert into customers (id, name) values (99, 'x') returning id) select id from i
----
--! rule=modifying_cte
WITH u AS (UPDATE customers SET name = 'x' WHERE id = 1 RETURNING id) SELECT count(*) FROM u
----
--! rule=modifying_cte
WITH m AS (MERGE INTO customers c USING products p ON c.id = p.id WHEN MATCHED THEN DELETE RETURNING c.id) SELECT * FROM m
----
--! rule=modifying_cte
WITH a AS (SELECT 1), b AS (SELECT 2), d AS (DELETE FROM orders RETURNING id) SELECT * FROM a, b
----
--! rule=modifying_cte
WITH d AS MATERIALIZED (DELETE FROM orders RETURNING *) SELECT 1 FROM d
----
--! rule=modifying_cte
WITH d AS NOT MATERIALIZED (DELETE FROM orders RETURNING *) SELECT 1
----
--! rule=modifying_cte
WITH RECURSIVE d AS (DELETE FROM orders RETURNING *) SELECT 1
----
--! rule=modifying_cte
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3), d AS (DELETE FROM orders) SELECT n FROM t
----
--! rule=modifying_cte
WITH x AS (WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d) SELECT * FROM x
----
--! rule=modifying_cte
WITH x AS (WITH y AS (WITH z AS (UPDATE orders SET total = 0 RETURNING 1) SELECT 1) SELECT 1) SELECT 1
----
--! rule=modifying_cte
WITH d(a) AS (DELETE FROM orders RETURNING id) SELECT a FROM d
----
--! rule=modifying_cte
WITH "select" AS (DELETE FROM orders RETURNING *) SELECT * FROM "select"
----
--! rule=modifying_cte
WITH d AS (DELETE FROM orders RETURNING *) VALUES (1)
----
--! rule=modifying_cte
WITH d AS (DELETE FROM orders RETURNING *) TABLE customers
----
--! rule=modifying_cte
WITH d AS (DELETE FROM orders RETURNING *) TABLE d
----
--! rule=modifying_cte
WITH d AS (DELETE FROM orders RETURNING id) SELECT id FROM customers UNION SELECT id FROM d
----
--! rule=modifying_cte
WITH d AS (DELETE FROM orders RETURNING id) (SELECT id FROM d)
----
--! rule=modifying_cte
((WITH d AS (DELETE FROM orders RETURNING id) SELECT id FROM d))
----
--! rule=modifying_cte
SELECT 1 UNION ALL (WITH d AS (DELETE FROM orders RETURNING 1) SELECT 1)
----
--! rule=modifying_cte
SELECT * FROM (WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d) q
----
--! rule=modifying_cte
SELECT (WITH d AS (DELETE FROM orders RETURNING id) SELECT id FROM d LIMIT 1)
----
--! rule=modifying_cte
SELECT 1 WHERE EXISTS (WITH d AS (DELETE FROM orders RETURNING id) SELECT id FROM d)
----
--! rule=modifying_cte
SELECT ARRAY(WITH d AS (DELETE FROM orders RETURNING id) SELECT id FROM d)
----
--! rule=modifying_cte
SELECT 1 LIMIT (WITH d AS (DELETE FROM orders RETURNING 1) SELECT 1)
----
--! rule=modifying_cte
SELECT 1 ORDER BY (WITH d AS (DELETE FROM orders RETURNING 1) SELECT 1)
----
--! rule=modifying_cte
SELECT CASE WHEN false THEN (WITH d AS (DELETE FROM orders RETURNING 1) SELECT 1) END
----
--! rule=modifying_cte
VALUES ((WITH d AS (DELETE FROM orders RETURNING 1) SELECT 1))
----
--! rule=modifying_cte
SELECT * FROM customers c, LATERAL (WITH d AS (DELETE FROM orders WHERE customer_id = c.id RETURNING 1) SELECT 1) x
----
--! rule=modifying_cte
SELECT count(*) FILTER (WHERE (WITH d AS (DELETE FROM orders RETURNING true) SELECT true)) FROM customers
----
--! rule=modifying_cte
SELECT sum(id) OVER (ORDER BY (WITH d AS (DELETE FROM orders RETURNING 1) SELECT 1)) FROM customers
----
--! rule=modifying_cte
WiTh D aS (/* read */ DeLeTe/**/FrOm orders) SeLeCt 1
----
--! rule=modifying_cte
WITH d AS ( -- nothing
DELETE FROM orders) SELECT 1
----
--! rule=modifying_cte
WITHdAS	(DELETEFROMorders)	SELECT 1
----
--! rule=modifying_cte
WITH d AS (INSERT INTO customers (id, name) SELECT 1000, 'x' ON CONFLICT DO NOTHING RETURNING id) SELECT id FROM d
----
--! rule=modifying_cte
WITH d AS (INSERT INTO customers (id, name) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING id) SELECT id FROM d
----
--! rule=modifying_cte
WITH d AS (DELETE FROM orders USING customers WHERE false RETURNING OLD.id) SELECT id FROM d
----
--! rule=modifying_cte
COPY (WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d) TO STDOUT
----
--! rule=modifying_cte
DECLARE c CURSOR FOR WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d
----
--! rule=modifying_cte
PREPARE p AS WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d
----
--! a WITH in front of a write
--! rule=write_statement
WITH d AS (SELECT 1) DELETE FROM orders
----
--! rule=write_statement
WITH d AS (SELECT id FROM orders) DELETE FROM orders USING d WHERE d.id = orders.id
----
--! rule=write_statement
WITH v AS (SELECT 1 AS id) INSERT INTO customers (id, name) SELECT id, 'x' FROM v
----
--! rule=write_statement
WITH v AS (SELECT 1 AS id) UPDATE customers SET name = 'x' FROM v WHERE v.id = customers.id
----
--! rule=write_statement
WITH v AS (SELECT 1 AS id) MERGE INTO customers c USING v ON c.id = v.id WHEN MATCHED THEN UPDATE SET name = 'x'
----
--! rule=write_statement
with recursive x as (select 1) delete from only orders
----
--! rule=write_statement
DELETE FROM orders WHERE false
----
--! rule=write_statement
DELETE FROM orders RETURNING *
----
--! rule=write_statement
UPDATE customers SET name = name RETURNING id
----
--! rule=write_statement
INSERT INTO customers SELECT * FROM customers WHERE false
----
--! rule=write_statement
INSERT INTO customers TABLE customers
----
--! rule=write_statement
INSERT INTO customers DEFAULT VALUES RETURNING *
----
--! rule=write_statement
/* SELECT 1 */ DELETE FROM orders
----
--! rule=write_statement
-- SELECT
DELETE FROM orders
----
--! SELECT INTO
--! rule=select_into
SELECT * INTO copied FROM customers
----
--! rule=select_into
SELECT 1 INTO copied
----
--! rule=select_into
select id into temp copied from customers
----
--! rule=select_into
SELECT id INTO TEMPORARY copied FROM customers
----
--! rule=select_into
SELECT id INTO LOCAL TEMP TABLE copied FROM customers
----
--! rule=select_into
SELECT id INTO UNLOGGED copied FROM customers
----
--! rule=select_into
SELECT id INTO TABLE public.copied FROM customers
----
--! rule=select_into
SELECT id INTO pg_temp.copied FROM customers
----
--! rule=select_into
SELECT id INTO "Copied" FROM customers UNION SELECT id FROM products
----
--! rule=select_into
(SELECT id INTO copied FROM customers) UNION SELECT id FROM products
----
--! rule=select_into
(SELECT 1 INTO copied)
----
--! rule=select_into
WITH x AS (SELECT 1 AS n) SELECT n INTO copied FROM x
----
--! rule=select_into
SELECT DISTINCT country INTO copied FROM customers ORDER BY 1 LIMIT 1
----
--! rule=select_into
SELECT/**/1/**/INTO/**/copied
----
--! rule=select_into
SELECT count(*) INTO copied FROM customers HAVING true
----
--! rule=select_into
EXPLAIN SELECT 1 INTO copied
----
--! rule=select_into
--! rule=select_into,explain_analyze
EXPLAIN ANALYZE SELECT 1 INTO copied
----
--! rule=select_into
PREPARE p AS SELECT 1 INTO copied
----
--! rule=select_into
DECLARE c CURSOR FOR SELECT 1 INTO copied
----
--! rule=select_into
COPY (SELECT 1 INTO copied) TO STDOUT
----
--! rule=select_into
SELECT * FROM (SELECT 1 INTO copied) q
----
--! rule=select_into
WITH x AS (SELECT 1 INTO copied) SELECT 1
----
--! rule=select_into
SELECT (SELECT 1 INTO copied)
----
--! rule=select_into
SELECT 1 UNION ALL (SELECT 2 INTO copied)
----
--! row locks
--! rule=locking_clause
SELECT * FROM customers FOR UPDATE
----
--! rule=locking_clause
SELECT * FROM customers FOR NO KEY UPDATE
----
--! rule=locking_clause
SELECT * FROM customers FOR SHARE
----
--! rule=locking_clause
SELECT * FROM customers FOR KEY SHARE
----
--! rule=locking_clause
select id from customers for update skip locked
----
--! rule=locking_clause
SELECT id FROM customers FOR UPDATE NOWAIT
----
--! rule=locking_clause
SELECT c.id FROM customers c JOIN orders o ON true FOR UPDATE OF c
----
--! rule=locking_clause
SELECT c.id FROM customers c JOIN orders o ON true FOR UPDATE OF c FOR SHARE OF o NOWAIT
----
--! rule=locking_clause
SELECT id FROM customers LIMIT 1 FOR UPDATE
----
--! rule=locking_clause
SELECT id FROM customers FOR UPDATE LIMIT 1
----
--! rule=locking_clause
SELECT * FROM (SELECT * FROM customers FOR UPDATE) q
----
--! rule=locking_clause
WITH x AS (SELECT * FROM customers FOR UPDATE) SELECT * FROM x
----
--! rule=locking_clause
WITH x AS (SELECT * FROM customers FOR KEY SHARE) SELECT 1
----
--! rule=locking_clause
SELECT 1 WHERE EXISTS (SELECT FROM customers FOR SHARE)
----
--! rule=locking_clause
SELECT ARRAY(SELECT id FROM customers FOR UPDATE)
----
--! rule=locking_clause
SELECT (SELECT id FROM customers LIMIT 1 FOR UPDATE)
----
--! rule=locking_clause
(SELECT id FROM customers FOR UPDATE) UNION ALL (SELECT 1)
----
--! rule=locking_clause
(SELECT 1) UNION ALL (SELECT id FROM customers FOR UPDATE)
----
--! rule=locking_clause
SELECT * FROM products p, LATERAL (SELECT * FROM customers c WHERE c.id = p.id FOR NO KEY UPDATE) x
----
--! rule=locking_clause
TABLE customers FOR UPDATE
----
--! rule=locking_clause
(TABLE customers) FOR SHARE
----
--! rule=locking_clause
(SELECT 1) FOR UPDATE
----
--! rule=locking_clause
VALUES (1) FOR UPDATE
----
--! rule=locking_clause
SELECT 1 FOR UPDATE
----
--! rule=locking_clause
SELECT id FROM customers FOR/**/UPDATE
----
--! rule=locking_clause
DECLARE c CURSOR FOR SELECT * FROM customers FOR UPDATE
----
--! rule=locking_clause
PREPARE p AS SELECT * FROM customers FOR SHARE
----
--! rule=locking_clause
COPY (SELECT * FROM customers FOR UPDATE) TO STDOUT
----
--! rule=locking_clause
EXPLAIN SELECT * FROM customers FOR UPDATE
----
--! rule=locking_clause
SELECT * FROM customers FOR SHARE FOR UPDATE
----
--! EXPLAIN that runs what it explains
--! rule=explain_analyze,write_statement,modifying_cte
EXPLAIN ANALYZE DELETE FROM orders
----
--! rule=explain_analyze,write_statement,modifying_cte
explain analyse delete from orders
----
--! rule=explain_analyze,write_statement,modifying_cte
EXPLAIN ANALYZE VERBOSE UPDATE customers SET name = 'x'
----
--! rule=explain_analyze,write_statement,modifying_cte
EXPLAIN (ANALYZE) INSERT INTO customers (id, name) VALUES (99, 'x')
----
--! rule=explain_analyze,write_statement,modifying_cte
EXPLAIN (ANALYSE) DELETE FROM orders
----
--! rule=explain_analyze,write_statement,modifying_cte
EXPLAIN (analyze true) DELETE FROM orders
----
--! rule=explain_analyze,write_statement,modifying_cte
EXPLAIN (ANALYZE on) DELETE FROM orders
----
--! rule=explain_analyze,write_statement,modifying_cte
EXPLAIN (ANALYZE 1) DELETE FROM orders
----
--! rule=explain_analyze,write_statement,modifying_cte
EXPLAIN (ANALYZE 'true') DELETE FROM orders
----
--! rule=explain_analyze,write_statement,modifying_cte
EXPLAIN (ANALYZE "true") DELETE FROM orders
----
--! rule=explain_analyze,write_statement,modifying_cte
EXPLAIN ("analyze") DELETE FROM orders
----
--! rule=explain_analyze,write_statement,modifying_cte
EXPLAIN (ANALYZE 'on', COSTS off) DELETE FROM orders
----
--! rule=explain_analyze,write_statement,modifying_cte
EXPLAIN (COSTS off, VERBOSE, ANALYZE) DELETE FROM orders
----
--! rule=explain_analyze,write_statement,modifying_cte
EXPLAIN (ANALYZE false, ANALYZE true) DELETE FROM orders
----
--! rule=explain_analyze,write_statement,modifying_cte
EXPLAIN (ANALYZE, ANALYZE false, ANALYZE) DELETE FROM orders
----
--! rule=explain_analyze,write_statement,modifying_cte
EXPLAIN (ANALYZE, FORMAT json) WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d
----
--! rule=explain_analyze,write_statement,modifying_cte
EXPLAIN ANALYZE WITH d AS (DELETE FROM orders) SELECT 1
----
--! rule=explain_analyze,write_statement,modifying_cte
EXPLAIN ANALYZE MERGE INTO customers c USING products p ON c.id = p.id WHEN MATCHED THEN DELETE
----
--! rule=explain_analyze,write_statement,modifying_cte
EXPLAIN/**/ANALYZE/**/DELETE/**/FROM/**/orders
----
--! rule=explain_analyze,write_statement,modifying_cte
EXPLAIN (BUFFERS, ANALYZE, WAL) DELETE FROM orders
----
--! rule=explain_analyze,write_statement,modifying_cte
EXPLAIN (ANALYZE, SERIALIZE) DELETE FROM orders
----
--! rule=explain_analyze,ddl,maintenance,prepared_name,function_effects,settings
EXPLAIN ANALYZE CREATE TABLE copied AS SELECT 1
----
--! rule=explain_analyze,ddl,maintenance,prepared_name,function_effects,settings
EXPLAIN ANALYZE CREATE MATERIALIZED VIEW copied AS SELECT 1
----
--! rule=explain_analyze,ddl,maintenance,prepared_name,function_effects,settings
EXPLAIN (ANALYZE) CREATE TEMP TABLE copied AS SELECT 1
----
--! rule=explain_analyze,ddl,maintenance,prepared_name,function_effects,settings
EXPLAIN ANALYZE REFRESH MATERIALIZED VIEW sales_by_day
----
--! rule=explain_analyze,ddl,maintenance,prepared_name,function_effects,settings
EXPLAIN ANALYZE EXECUTE nobody_knows
----
--! rule=explain_analyze,ddl,maintenance,prepared_name,function_effects,settings
EXPLAIN EXECUTE nobody_knows
----
--! rule=explain_analyze,ddl,maintenance,prepared_name,function_effects,settings
EXPLAIN ANALYZE SELECT pg_advisory_lock(1)
----
--! rule=explain_analyze,ddl,maintenance,prepared_name,function_effects,settings clamped
EXPLAIN (ANALYZE, BUFFERS) SELECT set_config('default_transaction_read_only', 'off', false)
----
--! EXPLAIN ANALYZE is for other policies
--! policy=agent rule=explain_analyze
EXPLAIN ANALYZE SELECT 1
----
--! policy=agent rule=explain_analyze
EXPLAIN (ANALYZE) SELECT 1
----
--! policy=agent rule=explain_analyze
EXPLAIN (ANALYZE false, ANALYZE) SELECT 1
----
--! policy=agent rule=explain_analyze
EXPLAIN (ANALYZE ON, TIMING OFF) TABLE customers
----
--! policy=agent rule=explain_analyze
EXPLAIN (ANALYZE 'yes') SELECT 1
----
--! policy=agent rule=explain_analyze
EXPLAIN ANALYSE VALUES (1)
----
--! policy=agent rule=explain_analyze
EXPLAIN ANALYZE DECLARE c CURSOR FOR SELECT 1
----
--! a function with effects, wherever an expression may stand
--! rule=function_effects
SELECT pg_sleep(0)
----
--! rule=function_effects
SELECT (pg_advisory_lock(1))
----
--! rule=function_effects
SELECT 1 + coalesce(length(nextval('order_ids')::text), 0)
----
--! rule=function_effects
SELECT * FROM pg_notify('a', 'b')
----
--! rule=function_effects
SELECT * FROM lo_creat(-1) AS x
----
--! rule=function_effects
SELECT * FROM pg_read_file('PG_VERSION') WITH ORDINALITY
----
--! rule=function_effects
SELECT * FROM customers, txid_current() AS x
----
--! rule=function_effects
SELECT * FROM customers c LEFT JOIN LATERAL pg_current_xact_id() AS x ON true
----
--! rule=function_effects
SELECT * FROM ROWS FROM (pg_logical_emit_message(false, 'a', 'b'), generate_series(1, 2)) AS x
----
--! rule=function_effects
SELECT * FROM ROWS FROM (generate_series(1, 2), pg_export_snapshot()) WITH ORDINALITY AS x
----
--! rule=function_effects
SELECT * FROM customers c JOIN orders o ON pg_try_advisory_lock(2) IS NULL
----
--! rule=function_effects
SELECT * FROM (SELECT setval('order_ids', 1)) q
----
--! rule=function_effects
SELECT 1 FROM customers WHERE lo_create(0) IS NULL
----
--! rule=function_effects
SELECT 1 FROM customers WHERE false AND pg_cancel_backend(0) IS NOT NULL
----
--! rule=function_effects
SELECT 1 FROM customers GROUP BY pg_sleep(0)::text
----
--! rule=function_effects
SELECT count(*) FROM customers GROUP BY GROUPING SETS ((pg_advisory_lock(1)::text), ())
----
--! rule=function_effects
SELECT count(*) FROM customers GROUP BY ROLLUP (nextval('order_ids')::text)
----
--! rule=function_effects
SELECT count(*) FROM customers HAVING pg_notify('a', 'b') IS NULL
----
--! rule=function_effects
SELECT 1 FROM customers ORDER BY lo_creat(-1)::text
----
--! rule=function_effects
SELECT 1 FROM customers ORDER BY 1, pg_read_file('PG_VERSION')::text DESC NULLS LAST
----
--! rule=function_effects
SELECT 1 LIMIT length(txid_current()::text)
----
--! rule=function_effects
SELECT 1 OFFSET length(pg_current_xact_id()::text)
----
--! rule=function_effects
SELECT 1 FROM customers ORDER BY 1 FETCH FIRST (length(pg_logical_emit_message(false, 'a', 'b')::text)) ROWS ONLY
----
--! rule=function_effects
SELECT DISTINCT ON (pg_export_snapshot()::text) id FROM customers
----
--! rule=function_effects
SELECT CASE WHEN true THEN pg_try_advisory_lock(2)::text ELSE 'x' END
----
--! rule=function_effects
SELECT CASE WHEN setval('order_ids', 1) IS NULL THEN 1 END
----
--! rule=function_effects
SELECT CASE lo_create(0)::text WHEN 'a' THEN 1 END
----
--! rule=function_effects
SELECT CASE 1 WHEN 2 THEN 'x' ELSE pg_cancel_backend(0)::text END
----
--! rule=function_effects
SELECT COALESCE(NULL, pg_sleep(0)::text)
----
--! rule=function_effects
SELECT GREATEST(pg_advisory_lock(1)::text, 'a')
----
--! rule=function_effects
SELECT NULLIF('a', nextval('order_ids')::text)
----
--! rule=function_effects
SELECT count(*) FILTER (WHERE pg_notify('a', 'b') IS NULL) FROM customers
----
--! rule=function_effects
SELECT string_agg(name, ',' ORDER BY lo_creat(-1)::text) FROM customers
----
--! rule=function_effects
SELECT count(pg_read_file('PG_VERSION')) FROM customers
----
--! rule=function_effects
SELECT count(DISTINCT txid_current()::text) FROM customers
----
--! rule=function_effects
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY length(pg_current_xact_id()::text)) FROM customers
----
--! rule=function_effects
SELECT sum(id) OVER (PARTITION BY pg_logical_emit_message(false, 'a', 'b')::text) FROM customers
----
--! rule=function_effects
SELECT sum(id) OVER (ORDER BY pg_export_snapshot()::text) FROM customers
----
--! rule=function_effects
SELECT sum(id) OVER (ORDER BY id ROWS length(pg_try_advisory_lock(2)::text) PRECEDING) FROM customers
----
--! rule=function_effects
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND length(setval('order_ids', 1)::text) FOLLOWING) FROM customers
----
--! rule=function_effects
SELECT sum(id) OVER w FROM customers WINDOW w AS (PARTITION BY lo_create(0)::text)
----
--! rule=function_effects
VALUES (pg_cancel_backend(0))
----
--! rule=function_effects
VALUES (1), (length(pg_sleep(0)::text))
----
--! rule=function_effects
SELECT * FROM (VALUES (pg_advisory_lock(1))) AS v(x)
----
--! rule=function_effects
SELECT ARRAY[nextval('order_ids')::text]
----
--! rule=function_effects
SELECT (ARRAY['a'])[length(pg_notify('a', 'b')::text)]
----
--! rule=function_effects
SELECT (ARRAY['a'])[1:length(lo_creat(-1)::text)]
----
--! rule=function_effects
SELECT ROW(1, pg_read_file('PG_VERSION'))
----
--! rule=function_effects
SELECT (ROW(txid_current()::text)).f1
----
--! rule=function_effects
SELECT pg_current_xact_id()::text COLLATE "C"
----
--! rule=function_effects
SELECT CAST(pg_logical_emit_message(false, 'a', 'b') AS text)
----
--! rule=function_effects
SELECT pg_export_snapshot() IS NOT NULL
----
--! rule=function_effects
SELECT (pg_try_advisory_lock(2) IS NULL) IS TRUE
----
--! rule=function_effects
SELECT 'a' LIKE setval('order_ids', 1)::text
----
--! rule=function_effects
SELECT 'a' SIMILAR TO lo_create(0)::text
----
--! rule=function_effects
SELECT 'a' BETWEEN pg_cancel_backend(0)::text AND 'z'
----
--! rule=function_effects
SELECT 'a' IN ('b', pg_sleep(0)::text)
----
--! rule=function_effects
SELECT 'a' = ANY (ARRAY[pg_advisory_lock(1)::text])
----
--! rule=function_effects
SELECT 'a' = ANY (SELECT nextval('order_ids')::text)
----
--! rule=function_effects
SELECT 1 WHERE EXISTS (SELECT pg_notify('a', 'b'))
----
--! rule=function_effects
SELECT ARRAY(SELECT lo_creat(-1)::text)
----
--! rule=function_effects
SELECT lower(upper(trim(pg_read_file('PG_VERSION')::text)))
----
--! rule=function_effects
SELECT concat(VARIADIC ARRAY[txid_current()::text])
----
--! rule=function_effects
SELECT make_interval(days => length(pg_current_xact_id()::text))
----
--! rule=function_effects
SELECT now() AT TIME ZONE pg_logical_emit_message(false, 'a', 'b')::text
----
--! rule=function_effects
SELECT extract(year FROM now() + length(pg_export_snapshot()::text) * interval '1 day')
----
--! rule=function_effects
SELECT overlay('abc' PLACING pg_try_advisory_lock(2)::text FROM 2)
----
--! rule=function_effects
SELECT position(setval('order_ids', 1)::text IN 'abc')
----
--! rule=function_effects
SELECT trim(BOTH lo_create(0)::text FROM 'abc')
----
--! rule=function_effects
SELECT substring('abc' FROM length(pg_cancel_backend(0)::text))
----
--! rule=function_effects
SELECT xmlelement(name a, pg_sleep(0))
----
--! rule=function_effects
SELECT xmlelement(name a, xmlattributes(pg_advisory_lock(1) AS b))
----
--! rule=function_effects
SELECT xmlforest(nextval('order_ids') AS a)
----
--! rule=function_effects
SELECT xmlparse(content pg_notify('a', 'b')::text)
----
--! rule=function_effects
SELECT xmlserialize(content lo_creat(-1)::text::xml AS text)
----
--! rule=function_effects
SELECT * FROM XMLTABLE('/a' PASSING (pg_read_file('PG_VERSION')::text::xml) COLUMNS a text PATH '.')
----
--! rule=function_effects
SELECT * FROM XMLTABLE((txid_current()::text) PASSING '<a/>' COLUMNS a text PATH '.')
----
--! rule=function_effects
SELECT * FROM XMLTABLE('/a' PASSING '<a/>' COLUMNS a text PATH pg_current_xact_id()::text)
----
--! rule=function_effects
SELECT * FROM XMLTABLE('/a' PASSING '<a/>' COLUMNS a text PATH '.' DEFAULT pg_logical_emit_message(false, 'a', 'b')::text)
----
--! rule=function_effects
SELECT JSON_OBJECT('a': pg_export_snapshot())
----
--! rule=function_effects
SELECT JSON_ARRAY(pg_try_advisory_lock(2))
----
--! rule=function_effects
SELECT JSON_ARRAY(SELECT setval('order_ids', 1))
----
--! rule=function_effects
SELECT JSON_OBJECTAGG('a': lo_create(0))
----
--! rule=function_effects
SELECT JSON_ARRAYAGG(pg_cancel_backend(0) ORDER BY 1)
----
--! rule=function_effects
SELECT pg_sleep(0)::text IS JSON
----
--! rule=function_effects
SELECT JSON_VALUE('{}', '$.a' DEFAULT pg_advisory_lock(1)::text ON EMPTY)
----
--! rule=function_effects
SELECT JSON_VALUE('{}', '$.a' RETURNING text DEFAULT nextval('order_ids')::text ON ERROR)
----
--! rule=function_effects
SELECT JSON_QUERY('{}', '$.a' PASSING pg_notify('a', 'b') AS x)
----
--! rule=function_effects
SELECT JSON_EXISTS(lo_creat(-1)::text::jsonb, '$.a')
----
--! rule=function_effects
SELECT JSON_SERIALIZE(pg_read_file('PG_VERSION')::text)
----
--! rule=function_effects
SELECT * FROM JSON_TABLE('[1]', '$[*]' COLUMNS (a text PATH '$.x' DEFAULT txid_current()::text ON EMPTY))
----
--! rule=function_effects
SELECT * FROM JSON_TABLE('[1]', '$[*]' COLUMNS (a text PATH '$.x' DEFAULT pg_current_xact_id()::text ON ERROR))
----
--! rule=function_effects
SELECT * FROM JSON_TABLE('[1]', '$[*]' COLUMNS (NESTED PATH '$.y' COLUMNS (a text PATH '$' DEFAULT pg_logical_emit_message(false, 'a', 'b')::text ON EMPTY)))
----
--! rule=function_effects
SELECT * FROM JSON_TABLE(pg_export_snapshot()::text::jsonb, '$' COLUMNS (a int))
----
--! rule=function_effects
SELECT * FROM JSON_TABLE('[1]', '$' PASSING pg_try_advisory_lock(2) AS x COLUMNS (a int))
----
--! rule=function_effects
SELECT * FROM customers TABLESAMPLE BERNOULLI (length(setval('order_ids', 1)::text))
----
--! rule=function_effects
SELECT * FROM customers TABLESAMPLE SYSTEM (1) REPEATABLE (length(lo_create(0)::text))
----
--! rule=function_effects
WITH x AS (SELECT pg_cancel_backend(0)) SELECT 1
----
--! rule=function_effects
WITH x AS MATERIALIZED (SELECT pg_sleep(0)) SELECT * FROM x
----
--! rule=function_effects
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3 AND pg_advisory_lock(1) IS NULL) SELECT * FROM t
----
--! rule=function_effects
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3) CYCLE n SET looped USING path SELECT nextval('order_ids') FROM t
----
--! rule=function_effects
SELECT 1 UNION SELECT length(pg_notify('a', 'b')::text)
----
--! rule=function_effects
SELECT 1 EXCEPT (SELECT 2 INTERSECT SELECT length(lo_creat(-1)::text))
----
--! rule=function_effects
(SELECT 1) ORDER BY (SELECT pg_read_file('PG_VERSION')::text)
----
--! rule=function_effects
SELECT (SELECT (SELECT (SELECT txid_current())))
----
--! rule=function_effects
SELECT * FROM customers c, LATERAL (SELECT pg_current_xact_id() AS x) y
----
--! rule=function_effects
SELECT (SELECT x FROM (SELECT pg_logical_emit_message(false, 'a', 'b')) AS q(x))::text || 'a'
----
--! rule=function_effects
SELECT (pg_export_snapshot(), 1) = (NULL, 1)
----
--! rule=function_effects
SELECT (pg_try_advisory_lock(2)::text, 'a') OVERLAPS (NULL, NULL)
----
--! rule=function_effects
SELECT - length(setval('order_ids', 1)::text)
----
--! rule=function_effects
SELECT NOT (lo_create(0) IS NULL AND true OR false)
----
--! rule=function_effects
SELECT pg_cancel_backend(0) IS DISTINCT FROM NULL
----
--! rule=function_effects
SELECT 1 OPERATOR(pg_catalog.+) length(pg_sleep(0)::text)
----
--! rule=function_effects
SELECT * FROM XMLTABLE(XMLNAMESPACES((pg_advisory_lock(1)::text) AS x), '/a' PASSING '<a/>' COLUMNS a text PATH '.')
----
--! rule=function_effects
SELECT xmlpi(name x, nextval('order_ids')::text)
----
--! rule=function_effects
SELECT xmlroot(pg_notify('a', 'b')::text::xml, version NULL)
----
--! rule=function_effects
SELECT xmlroot('<a/>', version lo_creat(-1)::text)
----
--! rule=function_effects
SELECT xmlconcat(pg_read_file('PG_VERSION')::text::xml)
----
--! rule=function_effects
SELECT JSON_SCALAR(txid_current()::text)
----
--! rule=function_effects
SELECT JSON(pg_current_xact_id()::text)
----
--! rule=function_effects
SELECT JSON_ARRAYAGG(id) FILTER (WHERE pg_logical_emit_message(false, 'a', 'b') IS NULL) FROM customers
----
--! rule=function_effects
SELECT JSON_QUERY('{}', pg_export_snapshot()::text::jsonpath)
----
--! rule=function_effects
SELECT pg_try_advisory_lock(2)::text::xml IS DOCUMENT
----
--! rule=function_effects
SELECT setval('order_ids', 1)::text IS NFC NORMALIZED
----
--! rule=function_effects
SELECT normalize(lo_create(0)::text, NFD)
----
--! rule=function_effects
SELECT COLLATION FOR (pg_cancel_backend(0)::text)
----
--! rule=function_effects
SELECT now() AT LOCAL + length(pg_sleep(0)::text) * interval '1 day'
----
--! rule=function_effects
SELECT pg_advisory_lock(1)::text IN (SELECT 'a')
----
--! rule=function_effects
SELECT (nextval('order_ids')::text, 1) IN (SELECT 'a', 1)
----
--! rule=function_effects
SELECT pg_notify('a', 'b')::text LIKE ANY (SELECT 'a')
----
--! rule=function_effects
SELECT (lo_creat(-1)::text, 1) IN (('a', 1), ('b', 2))
----
--! rule=function_effects
SELECT (SELECT ARRAY['a'])[(SELECT length(pg_read_file('PG_VERSION')::text))]
----
--! rule=function_effects
SELECT sum(id) OVER (w ORDER BY txid_current()::text) FROM customers WINDOW w AS (PARTITION BY id)
----
--! rule=function_effects
SELECT '1'::numeric(length(pg_current_xact_id()::text))
----
--! rule=function_effects
SELECT * FROM pg_logical_emit_message(false, 'a', 'b') AS x(a)
----
--! rule=function_effects
SELECT * FROM LATERAL ROWS FROM (pg_export_snapshot()) AS x
----
--! rule=function_effects
SELECT 1 FROM customers ORDER BY id LIMIT (SELECT length(pg_try_advisory_lock(2)::text))
----
--! rule=function_effects
SELECT grouping(id) FROM customers GROUP BY CUBE (id, (setval('order_ids', 1)::text))
----
--! rule=function_effects
SELECT date_part('year', now()) + extract(epoch FROM lo_create(0)::text::interval)
----
--! rule=function_effects
SELECT EXISTS (TABLE customers UNION ALL (SELECT c.* FROM customers c WHERE pg_cancel_backend(0) IS NULL))
----
--! rule=function_effects
EXPLAIN VERBOSE SELECT pg_sleep(0)
----
--! rule=function_effects
COPY (SELECT pg_advisory_lock(1)) TO STDOUT
----
--! rule=function_effects
COPY (VALUES (nextval('order_ids'))) TO STDOUT CSV
----
--! rule=function_effects
DECLARE c CURSOR FOR SELECT pg_notify('a', 'b')
----
--! rule=function_effects
PREPARE p AS SELECT lo_creat(-1)
----
--! rule=function_effects
PREPARE p (int) AS SELECT $1, pg_read_file('PG_VERSION')
----
--! the name of the function, spelt otherwise
--! rule=function_effects
SELECT PG_SLEEP(0)
----
--! rule=function_effects
SELECT Pg_Sleep (0)
----
--! rule=function_effects
SELECT "pg_sleep"(0)
----
--! rule=function_effects
SELECT pg_catalog.pg_sleep(0)
----
--! rule=function_effects
SELECT pg_catalog."pg_sleep"(0)
----
--! rule=function_effects
SELECT "pg_catalog"."pg_sleep"(0)
----
--! rule=function_effects
SELECT PG_CATALOG . PG_SLEEP /* x */ (0)
----
--! rule=function_effects
SELECT pg_catalog -- x
. pg_sleep(0)
----
--! rule=function_effects
SELECT shop.pg_catalog.pg_sleep(0)
----
--! rule=function_effects
SELECT U&"pg\005fsleep"(0)
----
--! rule=function_effects
SELECT U&"pg_sl\0065\0065p"(0)
----
--! rule=function_effects
SELECT u&"\0070\0067\005f\0073\006c\0065\0065\0070"(0)
----
--! rule=function_effects
SELECT U&"pg\+00005fsleep"(0)
----
--! rule=function_effects
SELECT U&"pg!005fsleep" UESCAPE '!' (0)
----
--! rule=function_effects
SELECT U&"pg_catalog".U&"pg\005fsleep"(0)
----
--! rule=function_effects
SELECT pg_catalog.U&"pg$005fread_file" UESCAPE '$' ('PG_VERSION')
----
--! rule=function_effects
SELECT U&"pg\005fread_file"('PG_VERSION')
----
--! rule=function_effects
SELECT "pg_read_file"('PG_VERSION')
----
--! rule=function_effects
SELECT pg_sleep(0)
----
--! rule=function_effects
SELECT pg_sleep( VARIADIC ARRAY[0] )
----
--! rule=function_effects
SELECT pg_advisory_lock(key => 1)
----
--! rule=function_effects
SELECT pg_advisory_lock(1, 2)
----
--! rule=function_effects
SELECT pg_sleep_for('0 s'), pg_sleep_until(now())
----
--! rule=function_effects
SELECT ALL pg_sleep(0)
----
--! rule=function_effects
SELECT pg_sleep(ALL 0)
----
--! rule=function_effects
SELECT pg_sleep(0) OVER ()
----
--! rule=function_effects
SELECT pg_sleep(0) FILTER (WHERE true)
----
--! rule=function_effects
SELECT pg_sleep(DISTINCT 0)
----
--! rule=function_effects
SELECT (pg_catalog.pg_sleep(0)).*
----
--! rule=function_effects
SELECT (lo_creat(-1))::text::int
----
--! rule=function_effects
SELECT * FROM pg_catalog."pg_ls_dir"('.') AS f(name)
----
--! rule=function_effects
SELECT pg_ls_dir('.')
----
--! rule=function_effects
SELECT "lo_export"(1, '/tmp/x')
----
--! rule=function_effects
SELECT "nextval"('order_ids'::regclass)
----
--! rule=function_effects
SELECT pg_terminate_backend(0), pg_reload_conf(), pg_rotate_logfile()
----
--! rule=function_effects
SELECT pg_catalog.lo_import('/etc/passwd')
----
--! rule=function_effects
SELECT 1, 2, 3, currval('order_ids'), lastval()
----
--! rule=function_effects
SELECT setseed(0.5), random()
----
--! calls in the notation of a field
--! rule=function_effects
SELECT ('order_ids'::regclass).nextval
----
--! rule=function_effects
SELECT (0::float8).pg_sleep
----
--! rule=function_effects
SELECT ('PG_VERSION'::text).pg_read_file
----
--! rule=function_effects
SELECT ('.'::text)."pg_ls_dir"
----
--! rule=function_effects
SELECT ('.'::text).U&"pg\005fls_dir"
----
--! rule=function_effects
SELECT (-1).lo_creat
----
--! rule=function_effects
SELECT (-1).lo_creat.text
----
--! rule=function_effects
SELECT (ARRAY[1::bigint])[1].pg_advisory_lock
----
--! rule=function_effects
SELECT (x.v).pg_read_file FROM (VALUES ('PG_VERSION'::text)) AS x(v)
----
--! rule=function_effects
SELECT g.pg_advisory_lock FROM generate_series(1::bigint, 1) AS g
----
--! rule=function_effects
SELECT g.lo_creat FROM generate_series(-1, -1) AS g
----
--! rule=function_effects
SELECT 1 FROM generate_series(1, 1) AS g WHERE g.pg_cancel_backend
----
--! rule=function_effects
SELECT 1 FROM generate_series(-1, -1) AS g ORDER BY g.lo_creat
----
--! rule=function_effects
SELECT public.g.lo_unlink FROM generate_series(1, 1) AS g
----
--! rule=function_effects
SELECT (SELECT g.pg_try_advisory_lock) FROM generate_series(1::bigint, 1) AS g
----
--! rule=function_effects
SELECT lower((g.pg_try_advisory_lock)::text) FROM generate_series(1::bigint, 1) AS g
----
--! rule=function_effects
COPY (SELECT (0::float8).pg_sleep) TO STDOUT
----
--! rule=function_effects
PREPARE p AS SELECT ($1::text).pg_read_binary_file
----
--! SQL in a string, in the notation of a field
--! rule=sql_in_string
SELECT ('SELECT search FROM docs').ts_stat
----
--! rule=sql_in_string
SELECT (q.t).ts_stat FROM (VALUES ('SELECT search FROM docs')) AS q(t)
----
--! rule=sql_in_string
SELECT * FROM (SELECT ($$SELECT set_config('default_transaction_read_only', 'off', false)::tsvector$$::text).ts_stat) q
----
--! rule=sql_in_string
SELECT f.ts_stat FROM lower('SELECT search FROM docs') AS f
----
--! functions that nobody vouches for
--! rule=unknown_function
SELECT add_one(1)
----
--! rule=unknown_function
SELECT public.add_one(1)
----
--! rule=unknown_function
SELECT evil.lower('x')
----
--! rule=unknown_function
SELECT public.now()
----
--! rule=unknown_function
--! rule=temp_schema
SELECT pg_temp.f()
----
--! rule=unknown_function
SELECT "Lower"('x')
----
--! rule=unknown_function
SELECT "NOW"()
----
--! rule=unknown_function
SELECT U&"\0430dd_one"(1)
----
--! rule=unknown_function
SELECT pg_sleeр(0)
----
--! rule=unknown_function
SELECT "pg_sleep​"(0)
----
--! rule=unknown_function
SELECT "pg_sleep "(0)
----
--! rule=unknown_function
SELECT "pg_catalog.pg_sleep"(0)
----
--! rule=unknown_function
SELECT ﬁle_read('x')
----
--! rule=unknown_function
SELECT dblink('dbname=shop', 'DELETE FROM orders')
----
--! rule=unknown_function
SELECT * FROM dblink('dbname=shop', 'SELECT 1') AS t(a int)
----
--! rule=unknown_function
SELECT dblink_exec('dbname=shop', 'DELETE FROM orders')
----
--! rule=unknown_function
SELECT dblink_connect('c', 'dbname=shop'), dblink_send_query('c', 'DELETE FROM orders')
----
--! rule=unknown_function
SELECT public.dblink_open('c', 'SELECT 1')
----
--! rule=unknown_function
SELECT * FROM crosstab('DELETE FROM orders RETURNING 1, 2, 3') AS ct(a int, b int)
----
--! rule=unknown_function
SELECT * FROM crosstab('SELECT 1, 2, 3', 'SELECT 1') AS ct(a int, b int)
----
--! rule=unknown_function
SELECT * FROM connectby('orders', 'id', 'customer_id', '1', 0) AS t(a int, b int, c int)
----
--! rule=unknown_function
SELECT * FROM xpath_table('id', 'body', 'docs', '/a', 'true') AS t(a int, b text)
----
--! rule=unknown_function
SELECT cron.schedule('* * * * *', 'DELETE FROM orders')
----
--! rule=unknown_function
SELECT cron.schedule_in_database('x', '* * * * *', 'DELETE FROM orders', 'shop')
----
--! rule=unknown_function
SELECT pg_file_write('/tmp/x', 'y', false)
----
--! rule=unknown_function
SELECT pg_truncate_visibility_map('orders')
----
--! rule=unknown_function
SELECT pg_prewarm('orders')
----
--! rule=unknown_function
SELECT set_limit(0.1)
----
--! rule=unknown_function
SELECT lo_manage()
----
--! rule=unknown_function
SELECT pg_stat_statements_reset()
----
--! rule=unknown_function
SELECT get_raw_page('orders', 0)
----
--! rule=unknown_function
SELECT aws_s3.query_export_to_s3('SELECT 1', 'b', 'k')
----
--! rule=unknown_function
SELECT postgres_fdw_disconnect_all()
----
--! rule=unknown_function
SELECT * FROM generate_series(1, 2) g, public.add_one(g) x
----
--! rule=unknown_function
SELECT sum(public.add_one(1)) FROM customers
----
--! rule=unknown_function
SELECT public.my_sum(id) FROM customers
----
--! rule=unknown_function
SELECT public.my_window(id) OVER () FROM customers
----
--! rule=unknown_function
EXPLAIN SELECT public.marked_immutable(1)
----
--! rule=unknown_function
EXPLAIN SELECT 1 WHERE marked_immutable(1) > 0
----
--! rule=unknown_function
--! rule=tablesample_method
SELECT * FROM customers TABLESAMPLE public.my_method (1)
----
--! SQL in a string
--! rule=sql_in_string
SELECT query_to_xml('DELETE FROM orders RETURNING *', true, false, '')
----
--! rule=sql_in_string
SELECT query_to_xml($$SELECT set_config('default_transaction_read_only', 'off', false)$$, true, false, '')
----
--! rule=sql_in_string
SELECT query_to_xml('SELECT 1', nulls => true, tableforest => false, targetns => '')
----
--! rule=sql_in_string
SELECT "query_to_xml"('SELECT 1', true, false, '')
----
--! rule=sql_in_string
SELECT pg_catalog.query_to_xml('SELECT pg_advisory_lock(1)', true, false, '')
----
--! rule=sql_in_string
SELECT U&"query\005fto_xml"('SELECT 1', true, false, '')
----
--! rule=sql_in_string
SELECT * FROM xmltable('/x' PASSING query_to_xml('SELECT 1', true, false, '') COLUMNS a int PATH '.')
----
--! rule=sql_in_string
SELECT query_to_xmlschema('SELECT 1', true, false, '')
----
--! rule=sql_in_string
SELECT query_to_xml_and_xmlschema('SELECT 1', true, false, '')
----
--! rule=sql_in_string
SELECT cursor_to_xml('c', 1, true, false, '')
----
--! rule=sql_in_string
SELECT cursor_to_xmlschema('c', true, false, '')
----
--! rule=sql_in_string
SELECT table_to_xml('customers', true, false, '')
----
--! rule=sql_in_string
SELECT table_to_xmlschema('customers', true, false, '')
----
--! rule=sql_in_string
SELECT table_to_xml_and_xmlschema('customers', true, false, '')
----
--! rule=sql_in_string
SELECT schema_to_xml('public', true, false, '')
----
--! rule=sql_in_string
SELECT schema_to_xmlschema('public', true, false, '')
----
--! rule=sql_in_string
SELECT schema_to_xml_and_xmlschema('public', true, false, '')
----
--! rule=sql_in_string
SELECT database_to_xml(true, false, '')
----
--! rule=sql_in_string
SELECT database_to_xmlschema(true, false, '')
----
--! rule=sql_in_string
SELECT database_to_xml_and_xmlschema(true, false, '')
----
--! rule=sql_in_string
SELECT * FROM ts_stat('SELECT search FROM docs')
----
--! rule=sql_in_string
SELECT * FROM ts_stat('DELETE FROM docs RETURNING search', 'ab')
----
--! rule=sql_in_string
SELECT pg_catalog.ts_stat($x$SELECT set_config('default_transaction_read_only', 'off', false)::tsvector$x$)
----
--! rule=sql_in_string
SELECT ts_rewrite('a'::tsquery, 'SELECT ''a''::tsquery, ''b''::tsquery')
----
--! rule=sql_in_string
SELECT 'a'::tsquery || ts_rewrite('a', 'DELETE FROM t RETURNING a, b')
----
--! rule=sql_in_string
SELECT length(table_to_xml('open_orders'::regclass, false, false, '')::text) FROM customers WHERE false
----
--! every built-in with effects that a client can call, by its name and all it takes
--! rule=function_effects
SELECT pg_catalog.binary_upgrade_add_sub_rel_state(NULL, NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.binary_upgrade_create_empty_extension(NULL, NULL, NULL, NULL, NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.binary_upgrade_logical_slot_has_caught_up(NULL)
----
--! rule=function_effects
SELECT pg_catalog.binary_upgrade_replorigin_advance(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.binary_upgrade_set_missing_value(NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.binary_upgrade_set_next_array_pg_type_oid(NULL)
----
--! rule=function_effects
SELECT pg_catalog.binary_upgrade_set_next_attribute_versions(NULL)
----
--! rule=function_effects
SELECT pg_catalog.binary_upgrade_set_next_heap_pg_class_oid(NULL)
----
--! rule=function_effects
SELECT pg_catalog.binary_upgrade_set_next_heap_relfilenode(NULL)
----
--! rule=function_effects
SELECT pg_catalog.binary_upgrade_set_next_index_pg_class_oid(NULL)
----
--! rule=function_effects
SELECT pg_catalog.binary_upgrade_set_next_index_relfilenode(NULL)
----
--! rule=function_effects
SELECT pg_catalog.binary_upgrade_set_next_multirange_array_pg_type_oid(NULL)
----
--! rule=function_effects
SELECT pg_catalog.binary_upgrade_set_next_multirange_pg_type_oid(NULL)
----
--! rule=function_effects
SELECT pg_catalog.binary_upgrade_set_next_pg_authid_oid(NULL)
----
--! rule=function_effects
SELECT pg_catalog.binary_upgrade_set_next_pg_enum_oid(NULL)
----
--! rule=function_effects
SELECT pg_catalog.binary_upgrade_set_next_pg_tablespace_oid(NULL)
----
--! rule=function_effects
SELECT pg_catalog.binary_upgrade_set_next_pg_type_oid(NULL)
----
--! rule=function_effects
SELECT pg_catalog.binary_upgrade_set_next_toast_pg_class_oid(NULL)
----
--! rule=function_effects
SELECT pg_catalog.binary_upgrade_set_next_toast_pg_type_oid(NULL)
----
--! rule=function_effects
SELECT pg_catalog.binary_upgrade_set_next_toast_relfilenode(NULL)
----
--! rule=function_effects
SELECT pg_catalog.binary_upgrade_set_record_init_privs(NULL)
----
--! rule=function_effects
SELECT pg_catalog.brin_desummarize_range(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.brin_summarize_new_values(NULL)
----
--! rule=function_effects
SELECT pg_catalog.brin_summarize_range(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.currval(NULL)
----
--! rule=function_effects
SELECT pg_catalog.gin_clean_pending_list(NULL)
----
--! rule=function_effects
SELECT pg_catalog.lastval()
----
--! rule=function_effects
SELECT pg_catalog.lo_close(NULL)
----
--! rule=function_effects
SELECT pg_catalog.lo_creat(NULL)
----
--! rule=function_effects
SELECT pg_catalog.lo_create(NULL)
----
--! rule=function_effects
SELECT pg_catalog.lo_export(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.lo_from_bytea(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.lo_get(NULL)
----
--! rule=function_effects
SELECT pg_catalog.lo_get(NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.lo_import(NULL)
----
--! rule=function_effects
SELECT pg_catalog.lo_import(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.lo_lseek(NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.lo_lseek64(NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.lo_open(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.lo_put(NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.lo_tell(NULL)
----
--! rule=function_effects
SELECT pg_catalog.lo_tell64(NULL)
----
--! rule=function_effects
SELECT pg_catalog.lo_truncate(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.lo_truncate64(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.lo_unlink(NULL)
----
--! rule=function_effects
SELECT pg_catalog.loread(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.lowrite(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.nextval(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_advisory_lock(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_advisory_lock(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_advisory_lock_shared(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_advisory_lock_shared(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_advisory_unlock(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_advisory_unlock(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_advisory_unlock_shared(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_advisory_unlock_shared(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_advisory_xact_lock(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_advisory_xact_lock(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_advisory_xact_lock_shared(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_advisory_xact_lock_shared(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_available_wal_summaries()
----
--! rule=function_effects
SELECT pg_catalog.pg_backup_start(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_backup_stop(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_cancel_backend(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_clear_attribute_stats(NULL, NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_clear_relation_stats(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_copy_logical_replication_slot(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_copy_logical_replication_slot(NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_copy_logical_replication_slot(NULL, NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_copy_physical_replication_slot(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_copy_physical_replication_slot(NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_create_logical_replication_slot(NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_create_physical_replication_slot(NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_create_restore_point(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_current_logfile()
----
--! rule=function_effects
SELECT pg_catalog.pg_current_logfile(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_current_xact_id()
----
--! rule=function_effects
SELECT pg_catalog.pg_drop_replication_slot(NULL)
----
--! policy=agent rule=function_effects
SELECT pg_catalog.pg_export_snapshot()
----
--! rule=function_effects
SELECT pg_catalog.pg_hba_file_rules()
----
--! rule=function_effects
SELECT pg_catalog.pg_ident_file_mappings()
----
--! rule=function_effects
SELECT pg_catalog.pg_import_system_collations(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_log_backend_memory_contexts(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_log_standby_snapshot()
----
--! rule=function_effects
SELECT pg_catalog.pg_logical_emit_message(NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_logical_slot_get_binary_changes(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_logical_slot_get_changes(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_logical_slot_peek_binary_changes(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_logical_slot_peek_changes(NULL, NULL)
----
--! rule=function_effects policy=agent
SELECT pg_catalog.pg_ls_archive_statusdir()
----
--! rule=function_effects
SELECT pg_catalog.pg_ls_dir(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_ls_dir(NULL, NULL, NULL)
----
--! rule=function_effects policy=agent
SELECT pg_catalog.pg_ls_logdir()
----
--! rule=function_effects policy=agent
SELECT pg_catalog.pg_ls_logicalmapdir()
----
--! rule=function_effects policy=agent
SELECT pg_catalog.pg_ls_logicalsnapdir()
----
--! rule=function_effects policy=agent
SELECT pg_catalog.pg_ls_replslotdir(NULL)
----
--! rule=function_effects policy=agent
SELECT pg_catalog.pg_ls_summariesdir()
----
--! rule=function_effects policy=agent
SELECT pg_catalog.pg_ls_tmpdir()
----
--! rule=function_effects policy=agent
SELECT pg_catalog.pg_ls_tmpdir(NULL)
----
--! rule=function_effects policy=agent
SELECT pg_catalog.pg_ls_waldir()
----
--! rule=function_effects
SELECT pg_catalog.pg_notify(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_promote(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_read_binary_file(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_read_binary_file(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_read_binary_file(NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_read_binary_file(NULL, NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_read_file(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_read_file(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_read_file(NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_read_file(NULL, NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_read_file_old(NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_reload_conf()
----
--! rule=function_effects
SELECT pg_catalog.pg_replication_origin_advance(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_replication_origin_create(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_replication_origin_drop(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_replication_origin_oid(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_replication_origin_progress(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_replication_origin_session_is_setup()
----
--! rule=function_effects
SELECT pg_catalog.pg_replication_origin_session_progress(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_replication_origin_session_reset()
----
--! rule=function_effects
SELECT pg_catalog.pg_replication_origin_session_setup(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_replication_origin_xact_reset()
----
--! rule=function_effects
SELECT pg_catalog.pg_replication_origin_xact_setup(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_replication_slot_advance(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_restore_attribute_stats()
----
--! rule=function_effects
SELECT pg_catalog.pg_restore_relation_stats()
----
--! rule=function_effects
SELECT pg_catalog.pg_rotate_logfile()
----
--! rule=function_effects
SELECT pg_catalog.pg_rotate_logfile_old()
----
--! rule=function_effects
SELECT pg_catalog.pg_show_all_file_settings()
----
--! rule=function_effects
SELECT pg_catalog.pg_show_replication_origin_status()
----
--! rule=function_effects
SELECT pg_catalog.pg_sleep(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_sleep_for(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_sleep_until(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_start_backup(NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_stat_clear_snapshot()
----
--! rule=function_effects
SELECT pg_catalog.pg_stat_file(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_stat_file(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_stat_force_next_flush()
----
--! rule=function_effects
SELECT pg_catalog.pg_stat_reset()
----
--! rule=function_effects
SELECT pg_catalog.pg_stat_reset_backend_stats(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_stat_reset_replication_slot(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_stat_reset_shared(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_stat_reset_single_function_counters(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_stat_reset_single_table_counters(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_stat_reset_slru(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_stat_reset_subscription_stats(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_stop_backup()
----
--! rule=function_effects
SELECT pg_catalog.pg_stop_backup(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_switch_wal()
----
--! rule=function_effects
SELECT pg_catalog.pg_sync_replication_slots()
----
--! rule=function_effects
SELECT pg_catalog.pg_terminate_backend(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_try_advisory_lock(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_try_advisory_lock(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_try_advisory_lock_shared(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_try_advisory_lock_shared(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_try_advisory_xact_lock(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_try_advisory_xact_lock(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_try_advisory_xact_lock_shared(NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_try_advisory_xact_lock_shared(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.pg_wal_replay_pause()
----
--! rule=function_effects
SELECT pg_catalog.pg_wal_replay_resume()
----
--! rule=function_effects
SELECT pg_catalog.pg_wal_summary_contents(NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.setseed(NULL)
----
--! rule=function_effects
SELECT pg_catalog.setval(NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.setval(NULL, NULL, NULL)
----
--! rule=function_effects
SELECT pg_catalog.txid_current()
----
--! statements that stand for other statements
--! rule=write_statement
PREPARE p AS DELETE FROM orders
----
--! rule=write_statement
PREPARE p (int) AS UPDATE customers SET name = 'x' WHERE id = $1
----
--! rule=write_statement
prepare "P" as insert into customers (id, name) values (99, 'x') returning id
----
--! rule=write_statement
PREPARE p AS WITH a AS (SELECT 1) DELETE FROM orders
----
--! rule=write_statement
PREPARE p AS MERGE INTO customers c USING products p ON c.id = p.id WHEN MATCHED THEN DELETE
----
--! names nobody has made, and what hides behind them
EXECUTE nobody_knows
----
EXECUTE "Nobody Knows" (1, 2)
----
PREPARE p AS SELECT 1; EXECUTE q
----
PREPARE p AS DELETE FROM orders; EXECUTE p
----
PREPARE p AS SELECT 1; DEALLOCATE p; EXECUTE p
----
PREPARE p AS SELECT 1; EXECUTE p(pg_sleep(0))
----
CREATE TABLE copied AS EXECUTE nobody_knows
----
CREATE TEMP TABLE copied AS EXECUTE nobody_knows
----
FETCH 1 FROM nobody_knows
----
FETCH ALL IN nobody_knows
----
MOVE FORWARD 2 FROM nobody_knows
----
MOVE ALL IN nobody_knows
----
--! clamped
DECLARE c CURSOR WITH HOLD FOR SELECT 1
----
--! clamped
DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT * FROM customers
----
DECLARE c CURSOR WITH HOLD FOR SELECT pg_advisory_lock(1)
----
BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT nextval('order_ids'); COMMIT
----
DECLARE c CURSOR FOR SELECT * FROM orders; FETCH 1 FROM d
----
--! DO and CALL
--! rule=do_and_call
DO $$BEGIN DELETE FROM orders; END$$
----
--! rule=do_and_call
DO 'BEGIN NULL; END'
----
--! rule=do_and_call
do language plpgsql $x$begin commit; set transaction read write; delete from orders; end$x$
----
--! rule=do_and_call
DO $$BEGIN COMMIT; PERFORM set_config('default_transaction_read_only', 'off', false); END$$ LANGUAGE plpgsql
----
--! rule=do_and_call
DO LANGUAGE 'plpython3u' 'import os'
----
--! rule=do_and_call
DO E'BEGIN \x44ELETE FROM orders; END'
----
--! rule=do_and_call
CALL touch()
----
--! rule=do_and_call
CALL public.touch(1, 'x')
----
--! rule=do_and_call
call "Touch"(a => 1)
----
--! rule=do_and_call
CALL pg_catalog.lower('x')
----
--! several statements in one text
SELECT 1; DELETE FROM orders
----
SELECT 1;DELETE FROM orders;
----
DELETE FROM orders; SELECT 1
----
;;SELECT 1;;;DROP TABLE orders;;
----
SELECT 1 /* ; */; DROP TABLE orders -- ;
----
SELECT 1 -- ; harmless
; DELETE FROM orders
----
SELECT ';'; DELETE FROM orders
----
SELECT ';' AS ";"; DELETE FROM orders; --
----
SELECT $$;$$; DELETE FROM orders
----
SELECT $a$ $$ ; $b$ $a$; DELETE FROM orders
----
SELECT $a$;$a$;DELETE FROM orders;SELECT $a$;$a$
----
SELECT E'\';'; DELETE FROM orders; --'
----
SELECT '\'; DELETE FROM orders; --'
----
SELECT '\''' , ' ; DELETE FROM orders; --'; DELETE FROM orders
----
SELECT E'a'
'\'' ; DELETE FROM orders; --'
----
SELECT U&'\0027; SELECT'; DELETE FROM orders; --'
----
SELECT B'1'; DELETE FROM orders
----
SELECT "a;b" FROM (SELECT 1 AS "a;b") q; DELETE FROM orders
----
SHOW timezone; DROP TABLE orders
----
SHOW timezone;/**/DROP/**/TABLE/**/orders
----
SET timezone = 'UTC'; DELETE FROM orders
----
SELECT set_config('timezone', 'UTC', false); DELETE FROM orders
----
DISCARD ALL; DELETE FROM orders
----
--! clamped
RESET ALL; SET default_transaction_read_only = off
----
COMMIT; DELETE FROM orders
----
ROLLBACK; DROP TABLE orders
----
END; DROP TABLE orders
----
ABORT; DROP TABLE orders
----
COMMIT AND CHAIN; DELETE FROM orders
----
COMMIT; BEGIN READ WRITE; DELETE FROM orders; COMMIT
----
COMMIT; DROP TABLE orders CASCADE; --
----
ROLLBACK; DO $$BEGIN DELETE FROM orders; END$$
----
BEGIN; SELECT 1; DELETE FROM orders; COMMIT
----
BEGIN READ ONLY; SELECT 1; COMMIT; BEGIN READ WRITE; UPDATE orders SET total = 0; COMMIT
----
--! clamped
SELECT 1; COMMIT; SET default_transaction_read_only = off
----
--! clamped
COMMIT; SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE
----
SAVEPOINT a; DELETE FROM orders; ROLLBACK TO a
----
SELECT 1; SELECT pg_advisory_lock(1)
----
SELECT 1; SELECT 2 FOR UPDATE
----
SELECT 1; SELECT 2 INTO copied
----
UNLISTEN *; NOTIFY a
----
CLOSE ALL; NOTIFY a
----
DEALLOCATE ALL; PREPARE p AS DELETE FROM orders
----
SELECT pg_advisory_unlock_all(); SELECT pg_advisory_lock(1)
----
SELECT 1; COPY customers FROM STDIN
----
SELECT 1; VACUUM
----
--! policy=agent rule=several_statements
SELECT 1; SELECT 2
----
--! policy=agent rule=several_statements
SELECT 1; COMMIT; SELECT 2
----
--! policy=agent rule=several_statements
BEGIN; SELECT * FROM customers; SELECT * FROM orders; COMMIT
----
--! policy=agent rule=several_statements
SET timezone = 'UTC'; SELECT * FROM pg_class; SELECT * FROM customers
----
--! policy=agent rule=several_statements
SHOW timezone; TABLE orders; TABLE customers
----
--! policy=agent rule=several_statements
SELECT set_config('jit', 'off', false) FROM orders; SELECT name FROM customers
----
--! comments
/* SELECT */ DELETE FROM orders
----
/* outer /* inner */ SELECT */ DELETE FROM orders
----
/*/**/SELECT*/DELETE FROM orders
----
-- a comment ended by a carriage return
DELETE FROM orders
----
SELECT 1 --
; DELETE FROM orders
----
/*!50000 SELECT 1 */ DELETE FROM orders
----
SELECT 1 /*!; */ ; DELETE FROM orders
----
/*+ readonly */ DELETE FROM orders
----
-- pgsieve: allow
DELETE FROM orders
----
/* gate: off */ DELETE FROM orders
----
/* @readonly */ UPDATE customers SET name = 'x'
----
DELETE/* */FROM/* */orders/* SELECT */
----
--! not SQL
--! unparsable rule=syntax_error
SELECT 1 /* unterminated
----
--! unparsable rule=syntax_error
SELECT 1 /* outer /* inner */ ; DELETE FROM orders
----
--! unparsable rule=syntax_error
SELECT 'unterminated
----
--! unparsable rule=syntax_error
SELECT $a$ unterminated; DELETE FROM orders $b$
----
--! unparsable rule=syntax_error
SELECT "unterminated
----
--! unparsable rule=syntax_error
SELECT E'\'; DELETE FROM orders
----
--! unparsable rule=syntax_error
SELECT U&"\d800"
----
--! unparsable rule=syntax_error
SELEC 1
----
--! unparsable rule=syntax_error
DELETE orders
----
--! unparsable rule=syntax_error
SELECT * FROM
----
--! unparsable rule=syntax_error
SELECT 1; DELETE
----
--! unparsable rule=syntax_error
SELECT (1
----
--! unparsable rule=syntax_error
1
----
--! unparsable rule=syntax_error
EXPLAIN (ANALYZE DELETE FROM orders
----
--! unparsable rule=syntax_error
COPY (DROP TABLE orders) TO STDOUT
----
--! unparsable rule=syntax_error
COPY (SELECT 1) FROM STDIN
----
--! unparsable rule=syntax_error
EXPLAIN DROP TABLE orders
----
--! unparsable rule=syntax_error
PREPARE p AS DROP TABLE orders
----
--! unparsable rule=syntax_error
DECLARE c CURSOR FOR DROP TABLE orders
----
--! unparsable rule=syntax_error
DECLARE c CURSOR FOR DELETE FROM orders RETURNING *
----
--! unparsable rule=syntax_error
SELECT * FROM (DELETE FROM orders RETURNING *) d
----
--! unparsable rule=syntax_error
SELECT (DELETE FROM orders RETURNING id)
----
--! unparsable rule=syntax_error
SET a = b = c
----
--! unparsable rule=syntax_error
SELECT `name` FROM customers
----
--! unparsable rule=syntax_error
SELECT TOP 1 * FROM customers
----
--! unparsable rule=syntax_error
REPLACE INTO customers VALUES (1)
----
--! unparsable rule=syntax_error
\copy customers to stdout
----
--! unparsable rule=syntax_error
SELECT 1\g
----
--! copy in any direction but rows to the client
--! rule=copy
COPY customers FROM STDIN
----
--! rule=copy
COPY customers (id, name) FROM STDIN WITH (FORMAT csv)
----
--! rule=copy
COPY customers FROM '/etc/passwd'
----
--! rule=copy
COPY customers TO '/tmp/pgsieve_never'
----
--! rule=copy
COPY customers TO PROGRAM 'cat > /tmp/pgsieve_never'
----
--! rule=copy
COPY customers FROM PROGRAM 'id'
----
--! rule=copy
COPY (SELECT 1) TO '/tmp/pgsieve_never'
----
--! rule=copy
COPY (SELECT 1) TO PROGRAM 'cat > /tmp/pgsieve_never'
----
--! rule=copy
copy(select 1)to program $$touch /tmp/pgsieve_never$$
----
--! rule=copy
COPY (SELECT * FROM customers) TO E'/tmp/pgsieve\x5fnever' WITH (FORMAT csv)
----
--! rule=copy
COPY BINARY customers FROM STDIN
----
--! rule=copy
COPY customers FROM STDIN WHERE id > 1
----
--! rule=copy,write_statement
COPY (DELETE FROM orders RETURNING *) TO STDOUT
----
--! rule=copy,write_statement
COPY (UPDATE customers SET name = 'x' RETURNING id) TO STDOUT
----
--! rule=copy,write_statement
COPY (INSERT INTO customers (id, name) VALUES (99, 'x') RETURNING id) TO STDOUT
----
--! rule=copy,write_statement
COPY (WITH a AS (SELECT 1) DELETE FROM orders RETURNING id) TO STDOUT
----
--! making the session writable clamped
BEGIN READ WRITE
----
--! clamped
BEGIN TRANSACTION READ WRITE
----
--! clamped
begin work isolation level serializable, read write
----
--! clamped
BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE NOT DEFERRABLE
----
--! clamped
BEGIN READ ONLY, READ WRITE
----
--! clamped
BEGIN READ ONLY READ WRITE
----
--! clamped
START TRANSACTION READ WRITE
----
--! clamped
START TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE
----
--! clamped
SET TRANSACTION READ WRITE
----
--! policy=agent
SET TRANSACTION SNAPSHOT '00000003-0000001B-1'
----
--! clamped
SET TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ WRITE
----
--! clamped
set transaction read only, read write
----
--! clamped
SET LOCAL TRANSACTION READ WRITE
----
--! clamped
SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE
----
--! clamped
SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE READ WRITE
----
--! clamped
SET default_transaction_read_only = off
----
--! clamped
SET default_transaction_read_only TO off
----
--! clamped
SET default_transaction_read_only = false
----
--! clamped
SET default_transaction_read_only = 'off'
----
--! clamped
SET default_transaction_read_only = 'OFF'
----
--! clamped
SET default_transaction_read_only = "off"
----
--! clamped
SET default_transaction_read_only = 0
----
--! clamped
SET default_transaction_read_only = 'f'
----
--! clamped
SET default_transaction_read_only = 'fa'
----
--! clamped
SET default_transaction_read_only = 'no'
----
--! clamped
SET default_transaction_read_only = 'n'
----
--! clamped
SET default_transaction_read_only = 'of'
----
SET default_transaction_read_only = ' off'
----
--! clamped
SET default_transaction_read_only = E'\x6fff'
----
--! clamped
SET default_transaction_read_only = U&'\006fff'
----
--! clamped
SET default_transaction_read_only = $$off$$
----
--! clamped
SET SESSION default_transaction_read_only = off
----
--! clamped
SET LOCAL default_transaction_read_only = off
----
--! clamped
set DEFAULT_TRANSACTION_READ_ONLY = off
----
--! clamped
SET "default_transaction_read_only" = off
----
--! clamped
SET "Default_Transaction_Read_Only" = off
----
--! clamped
SET U&"default\005ftransaction_read_only" = off
----
--! clamped
SET transaction_read_only = off
----
--! clamped
SET LOCAL transaction_read_only TO false
----
--! clamped
SET transaction_read_only = 0
----
--! clamped
SET SESSION "transaction_read_only" = 'no'
----
--! clamped
SELECT set_config('default_transaction_read_only', 'off', false)
----
--! clamped
SELECT set_config('default_transaction_read_only', 'off', true)
----
--! clamped
SELECT set_config('DEFAULT_TRANSACTION_READ_ONLY', 'off', false)
----
--! clamped
SELECT pg_catalog.set_config('default_transaction_read_only', 'off', false)
----
--! clamped
SELECT "set_config"('default_transaction_read_only', 'off', false)
----
--! clamped
SELECT U&"set\005fconfig"('default_transaction_read_only', 'off', false)
----
SELECT set_config(setting_name => 'default_transaction_read_only', new_value => 'off', is_local => false)
----
SELECT set_config(is_local => false, new_value => 'off', setting_name => 'default_transaction_read_only')
----
SELECT set_config(new_value => 'timezone', setting_name => 'default_transaction_read_only', is_local => false)
----
SELECT set_config('default_' || 'transaction_read_only', 'off', false)
----
SELECT set_config(lower('DEFAULT_TRANSACTION_READ_ONLY'), 'off', false)
----
SELECT set_config('default_transaction_read_only', lower('OFF'), false)
----
--! clamped
SELECT set_config('default_transaction_read_only'::text, 'off'::text, false)
----
SELECT set_config(n, v, false) FROM (VALUES ('default_transaction_read_only', 'off')) AS t(n, v)
----
--! clamped
SELECT set_config(name, 'off', false) FROM pg_settings WHERE name = 'default_transaction_read_only'
----
SELECT set_config((SELECT 'default_transaction_read_only'), 'off', false)
----
SELECT set_config($1, $2, false)
----
SELECT set_config('search_path', $1, false)
----
SELECT set_config('statement_timeout', $1, false)
----
SELECT set_config('default_transaction_read_only', $1, false)
----
SELECT set_config('session_replication_role', (SELECT 'replica'), false)
----
--! clamped
SELECT set_config(E'default\x5ftransaction_read_only', 'off', false)
----
--! clamped
SELECT set_config(U&'default\005ftransaction_read_only', 'off', false)
----
--! clamped
SELECT set_config($$default_transaction_read_only$$, $$off$$, false)
----
--! clamped
SELECT set_config('transaction_read_only', 'off', true)
----
--! clamped
SELECT set_config('transaction_read_only', 'no', false)
----
--! clamped
SELECT * FROM set_config('default_transaction_read_only', 'off', false)
----
--! clamped
SELECT 1 FROM customers WHERE set_config('default_transaction_read_only', 'off', false) = 'off'
----
--! clamped
WITH x AS (SELECT set_config('default_transaction_read_only', 'off', false)) SELECT 1
----
--! clamped
SELECT CASE WHEN true THEN set_config('default_transaction_read_only', 'off', false) END
----
--! clamped
SELECT set_config('timezone', set_config('default_transaction_read_only', 'off', false), false)
----
SELECT set_config('application_name', 'x', pg_sleep(0) IS NULL)
----
--! clamped
VALUES (set_config('default_transaction_read_only', 'off', false))
----
PREPARE p AS SELECT set_config($1, $2, false)
----
--! clamped
COPY (SELECT set_config('default_transaction_read_only', 'off', false)) TO STDOUT
----
--! clamped
DECLARE c CURSOR FOR SELECT set_config('default_transaction_read_only', 'off', false)
----
SELECT set_config('role', 'postgres', false)
----
SELECT set_config('session_authorization', 'postgres', false)
----
SELECT set_config('session_replication_role', 'replica', false)
----
SELECT set_config('standard_conforming_strings', 'off', false)
----
SELECT set_config('client_encoding', 'SJIS', false)
----
SELECT set_config('search_path', 'evil, pg_catalog', false)
----
SELECT set_config('no.such', 'x', false), set_config('default_transaction_read_only', 'off', false)
----
UPDATE pg_settings SET setting = 'off' WHERE name = 'default_transaction_read_only'
----
ALTER ROLE postgres SET default_transaction_read_only = off
----
ALTER USER CURRENT_USER SET default_transaction_read_only TO off
----
ALTER ROLE ALL RESET ALL
----
ALTER ROLE postgres IN DATABASE shop SET search_path = evil
----
ALTER DATABASE shop SET default_transaction_read_only = off
----
ALTER DATABASE shop RESET default_transaction_read_only
----
ALTER SYSTEM SET default_transaction_read_only = off
----
ALTER SYSTEM RESET ALL
----
SET default_transaction_read_only FROM CURRENT
----
--! settings that change how a text is read, who reads, or for how long
SET standard_conforming_strings = off
----
SET standard_conforming_strings TO 'off'
----
SET backslash_quote = on
----
SET client_encoding = 'SJIS'
----
SET client_encoding TO 'LATIN1'
----
SET NAMES 'SJIS'
----
SET NAMES 'BIG5'
----
SET NAMES 'SQL_ASCII'
----
SET CLIENT_ENCODING TO 'GBK'
----
SET search_path = evil, pg_catalog
----
SET search_path = 'evil', "pg_catalog"
----
SET search_path = public, pg_catalog
----
SET search_path TO "public", 'pg_catalog'
----
SET LOCAL search_path = public, pg_catalog
----
SET search_path = pg_temp, pg_catalog
----
SET search_path = pg_temp
----
SET search_path = 'nowhere', "pg_temp", public
----
SET session_replication_role = replica
----
SET SESSION session_replication_role TO 'replica'
----
SET session_preload_libraries = 'evil'
----
SET local_preload_libraries = 'evil'
----
SET dynamic_library_path = '/tmp'
----
SET temp_tablespaces = 'x'
----
SET default_tablespace = 'x'
----
SET log_statement = 'none'
----
SET log_min_duration_statement = -1
----
SET track_activities = off
----
SET zero_damaged_pages = on
----
SET ignore_checksum_failure = on
----
SET allow_system_table_mods = on
----
SET lo_compat_privileges = on
----
SET vacuum_cost_delay = 0
----
SET my.setting = 'x'
----
SET "my.setting" = 'x'
----
SET no_such_setting = 1
----
SET plpgsql.extra_errors = 'all'
----
SET debug_discard_caches = 1
----
SET is_superuser = on
----
SET wal_compression = on
----
SET event_triggers = off
----
SET createrole_self_grant = 'set'
----
SET SEED TO 0.5
----
SET XML OPTION DOCUMENT; DELETE FROM orders
----
--! policy=agent
SET row_security = off
----
SET default_table_access_method = 'evil'
----
SET default_transaction_isolation = 'read uncommitted', 'x'
----
--! another role
SET ROLE postgres
----
SET ROLE 'postgres'
----
set session role "postgres"
----
SET LOCAL ROLE postgres
----
SET role = postgres
----
SET ROLE TO postgres
----
SET "role" = 'postgres'
----
SET U&"r\006fle" TO postgres
----
SET SESSION AUTHORIZATION postgres
----
SET SESSION AUTHORIZATION 'postgres'
----
SET LOCAL SESSION AUTHORIZATION "postgres"
----
SET session_authorization = postgres
----
SET session_authorization TO 'postgres'
----
--! listening, locking, loading, and work on the server
--! clamped
LISTEN a
----
--! clamped
LISTEN "A"
----
NOTIFY a
----
NOTIFY a, 'payload'
----
LOCK orders
----
LOCK TABLE orders
----
LOCK TABLE orders, customers IN ACCESS EXCLUSIVE MODE
----
LOCK ONLY orders IN EXCLUSIVE MODE NOWAIT
----
LOCK TABLE orders IN SHARE ROW EXCLUSIVE MODE
----
LOCK orders IN SHARE MODE
----
LOCK orders IN SHARE UPDATE EXCLUSIVE MODE
----
LOCK orders IN ROW SHARE MODE
----
LOCK orders IN ROW EXCLUSIVE MODE
----
--! policy=agent rule=lock
LOCK TABLE orders IN ACCESS SHARE MODE
----
LOAD 'evil'
----
LOAD '$libdir/plugins/evil'
----
CHECKPOINT
----
VACUUM
----
VACUUM FULL ANALYZE orders
----
VACUUM (VERBOSE, FREEZE) orders
----
ANALYZE
----
ANALYZE VERBOSE orders (id)
----
ANALYSE orders
----
REINDEX TABLE orders
----
REINDEX (CONCURRENTLY) INDEX customers_pkey
----
REINDEX DATABASE shop
----
CLUSTER
----
CLUSTER orders USING orders_pkey
----
REFRESH MATERIALIZED VIEW sales_by_day
----
REFRESH MATERIALIZED VIEW CONCURRENTLY sales_by_day WITH NO DATA
----
SECURITY LABEL FOR evil ON TABLE orders IS 'x'
----
IMPORT FOREIGN SCHEMA public FROM SERVER s INTO public
----
REASSIGN OWNED BY postgres TO postgres
----
DROP OWNED BY nobody
----
PREPARE TRANSACTION 'a'
----
COMMIT PREPARED 'a'
----
ROLLBACK PREPARED 'a'
----
SET CONSTRAINTS ALL DEFERRED; INSERT INTO customers VALUES (1)
----
SET CONSTRAINTS ALL IMMEDIATE; DROP TABLE customers
----
--! temporary things
CREATE TEMP TABLE t (a int)
----
CREATE TEMPORARY TABLE t AS SELECT 1
----
CREATE LOCAL TEMP TABLE t (a int) ON COMMIT DROP
----
CREATE TABLE pg_temp.t (a int)
----
CREATE TEMP VIEW v AS SELECT 1
----
CREATE TEMP SEQUENCE s
----
CREATE OR REPLACE TEMP VIEW customers AS SELECT 1
----
CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql AS 'SELECT 1'
----
INSERT INTO pg_temp.t VALUES (1)
----
DISCARD TEMP; DELETE FROM orders
----
--! operators, types and methods that are not the server's own
SELECT 1 OPERATOR(evil.+) 1
----
SELECT 1 OPERATOR(public.=) ANY (ARRAY[1])
----
SELECT OPERATOR(public.-) 1
----
SELECT id FROM customers ORDER BY id USING OPERATOR(public.<)
----
SELECT * FROM customers TABLESAMPLE my_method (1)
