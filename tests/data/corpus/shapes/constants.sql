-- Reads with constants, for `gate/cache/shape_tests.rs`. What has `by shape` at its head shares its verdict with texts
-- that have other constants where no value is read; what has `each` is judged by itself whenever a string of it is
-- another one. The form is that of the other corpora.
----
--! by shape
SELECT id FROM shop.people WHERE name = 'x'
----
--! by shape
SELECT id, total FROM shop.orders WHERE note = 'paid' AND total > 12.50
----
--! by shape
SELECT count(*) FROM shop.orders WHERE note >= '2024-01-01' AND note < '2024-02-01'
----
--! by shape
SELECT id FROM shop.people WHERE name <> 'a' AND name != 'b' OR name <= 'c';
----
--! by shape
select id from shop.people where name ilike '%smith%' and name not like 'S%' order by name limit 20
----
--! by shape
SELECT id FROM shop.people WHERE name IN ('a', 'b', 'it''s') ORDER BY 1
----
--! by shape
SELECT id FROM shop.people WHERE name NOT IN ('a') GROUP BY id HAVING max(name) = 'z'
----
--! by shape
SELECT id FROM shop.orders WHERE note BETWEEN '2024-01-01' AND '2024-12-31' AND total BETWEEN 1.5 AND 99.99
----
--! by shape
SELECT id FROM shop.people WHERE name = ('x') AND secret IN ('a','b')
----
--! by shape
SELECT id FROM shop.people WHERE name = ANY (ARRAY['a', 'b'])
----
--! by shape
SELECT id FROM shop.people WHERE note_at >= date '2024-01-01' OR now() > timestamp '2024-01-01 10:00:00'
----
--! by shape
SELECT now() - interval '7 days', date '2024-01-01' + interval '1' month
----
--! by shape
SELECT id FROM shop.people WHERE now() >= '2024-01-01'::timestamptz AND current_date < '2025-01-01'::date
----
--! by shape
SELECT date_trunc('month', timestamp '2024-05-05'), CAST('2024-01-01' AS date)
----
--! by shape
SELECT id FROM shop.people WHERE name = 'x'::text AND name > 'y'::varchar
----
--! by shape
SELECT p.id FROM shop.people p JOIN shop.orders o ON o.note = 'new' AND p.id = o.id WHERE p.name = 'Ünal'
----
--! by shape
SELECT CASE WHEN name = 'a' THEN 1 ELSE 2 END FROM shop.people
----
--! by shape
SELECT count(*) FILTER (WHERE note = 'paid') AS paid FROM shop.orders
----
--! by shape
WITH x AS (SELECT id FROM shop.people WHERE name = 'a') SELECT * FROM x UNION SELECT id FROM shop.orders WHERE note = 'b'
----
--! by shape
SELECT relname FROM pg_class WHERE relname = 'people' AND relkind = 'r'
----
--! by shape
SELECT setting FROM pg_settings WHERE name = 'work_mem'
----
--! by shape
SELECT pid FROM pg_stat_activity WHERE state = 'active' AND pid = '1'
----
--! by shape
SELECT id FROM shop.people WHERE name = 'DROP TABLE shop.people; --' OR name = 'back\slash\'
----
--! by shape
SELECT 'label' AS what, id FROM shop.people WHERE name = 'x' AND lower(name) = 'y'
----
--! by shape
SELECT id FROM shop.people WHERE name = 'x' /* why */ AND -- because
 secret = 'y'
----
--! by shape
SELECT id FROM shop.orders WHERE total > 3000000000 AND total < 1e3 AND total <> .5
----
--! by shape
SELECT id FROM shop.people WHERE id::regclass = 'shop.people' AND name = ''
----
--! each
SELECT 'x'
----
--! each
SELECT 'x' AS name FROM shop.people
----
--! each
SELECT lower('X') FROM shop.people
----
--! each
SELECT date_trunc('month', now())
----
--! each
SELECT 'shop.people'::regclass
----
--! each
SELECT regclass 'shop.people'
----
--! each
SELECT id FROM shop.people WHERE id = 'shop.people'::regclass
----
--! each
SELECT current_setting('work_mem')
----
--! each
SELECT id FROM shop.people WHERE name = lower('X')
----
--! each
SELECT id FROM shop.people WHERE name = 'a' || 'b'
----
--! each
SELECT id FROM shop.people WHERE name = 'a' COLLATE "C"
----
--! each
SELECT id FROM shop.people WHERE 'x' = name
----
--! each
SELECT id FROM shop.people WHERE name ~ '^a'
----
--! each
SELECT coalesce(name, 'none') FROM shop.people
----
--! each
SELECT position('a' IN ('b'))
----
--! each
SELECT id FROM shop.people WHERE name LIKE 'a!%' ESCAPE '!'
----
--! each
SELECT id FROM shop.people LIMIT '5'
----
--! each
SELECT CASE name WHEN 'a' THEN 'b' END FROM shop.people
----
--! each
SELECT to_regclass('shop.people')
----
--! each
SELECT '[1, 2]'::json -> 'a'
----
--! each
SELECT pg_input_is_valid('1', 'int4')
----
--! each
SELECT 'x'::text
----
--! each
SELECT '{2024-01-01}'::date[]
----
--! by shape
SELECT 'int4'::regtype FROM shop.people WHERE name = 'x' AND secret LIKE 'shop.checked'
----
--! by shape
SELECT 5.0/* a comment */ - 1, 7.5-- another
----
--! by shape
SELECT shop.pick(1700000000), shop.pick(-5)
