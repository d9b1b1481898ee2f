-- The third of `constants.sql` that was not looked at while shapes of strings were written.
----
--! by shape
SELECT name FROM shop.people WHERE secret = 'a' LIMIT 10 OFFSET 20
----
--! by shape
SELECT name, count(*) FROM shop.people WHERE name LIKE 'A%' GROUP BY name HAVING count(*) > 1 ORDER BY 2 DESC, name LIMIT 5
----
--! by shape
SELECT sum(total) FROM shop.orders WHERE total >= 10.0 AND note IN ('open', 'paid') AND id < 5
----
--! by shape
SELECT * FROM shop.orders WHERE (note = 'a' OR note = 'b') AND NOT note = 'c'
----
--! by shape
SELECT DISTINCT note FROM shop.orders WHERE note > 'm' ORDER BY note
----
--! by shape
SELECT id FROM shop.orders o WHERE EXISTS (SELECT 1 FROM shop.people p WHERE p.id = o.id AND p.name = 'Ann') LIMIT 3
----
--! by shape
SELECT extract(year FROM date '2024-03-01'), age(timestamp '2024-01-01')
----
--! by shape
SELECT id FROM shop.orders WHERE current_timestamp BETWEEN timestamptz '2024-01-01' AND timestamptz '2024-02-01'
----
--! by shape
SELECT id FROM shop.people WHERE name = 'O''Brien' AND name <> ''''
----
--! by shape
SELECT n.nspname FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid WHERE n.nspname = 'shop' AND c.relname LIKE 'p%'
----
--! by shape
SELECT id FROM shop.people p WHERE (p.name) ILIKE 'x%' AND p."name" = '北京'
----
--! by shape
SELECT rank() OVER (PARTITION BY note = 'x' ORDER BY total) FROM shop.orders WHERE total > 0.5
----
--! by shape
SELECT id FROM shop.people WHERE name IN ('1','2','3') AND id IN (1, 2, 3)
----
--! by shape
SELECT CASE WHEN total > 100.5 THEN 'big' ELSE 'small' END FROM shop.orders WHERE note = 'x'
----
--! each
SELECT to_char(now(), 'YYYY')
----
--! each
SELECT regtype 'int4', 1
----
--! each
SELECT id FROM shop.people WHERE name IS DISTINCT FROM 'x'
----
--! each
SELECT id FROM shop.people WHERE name = E'x' AND secret = coalesce(name, 'a')
----
--! each
SELECT id FROM shop.people WHERE name SIMILAR TO 'a|b'
----
--! each
SELECT id FROM shop.people WHERE name = 'a'::name
----
--! each
SELECT concat('a', 'b'), left('abc', 1)
----
--! each
SELECT id FROM shop.people WHERE (name, secret) = ('a', 'b')
----
--! each
SELECT has_table_privilege('shop.people', 'SELECT')
----
--! each
SELECT id FROM shop.people ORDER BY coalesce(name, 'x')
----
--! each
SELECT VALUES.x FROM (VALUES ('a'), ('b')) AS "values"(x)
----
--! each
SELECT xmlparse(document '<a/>')
----
--! each
SELECT id FROM shop.people WHERE name = 'a' IN (true)
