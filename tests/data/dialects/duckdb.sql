-- What DuckDB's texts mean. A head says what is wanted: `right` (the rows below; `ordered` where
-- their order counts), `likely` (the same, less certain), or `refused` and a word of the hint.
---- right ordered
FROM orders SELECT id, amount WHERE amount > 100 ORDER BY id
==== 2|250.25
==== 7|410.10
---- right
FROM documents
==== 1|{"kind": "note", "size": 3, "tags": ["a", "b"], "owner": {"age": 34, "name": "Ann"}}
==== 2|{"kind": "mail", "size": 12.5, "tags": [], "owner": {"name": "Bob"}, "$.size": 7}
==== 3|{"done": true, "kind": "note", "size": null, "tags": ["c"]}
---- right ordered
SELECT status, count(*) AS n, sum(quantity) FROM orders GROUP BY ALL ORDER BY ALL
==== SHIPPED|1|4
==== Shipped|1|10
==== cancelled|1|2
==== open|3|29
==== shipped|1|7
---- right
SELECT strftime(placed_on, '%Y-%m-%d'), strftime(shipped_at, '%H:%M'), strftime(placed_on, '%d %B %Y') FROM orders WHERE id = 2
==== 2024-01-31|18:45|31 January 2024
---- right
SELECT date_diff('month', DATE '2024-01-31', DATE '2024-02-01'), date_diff('day', placed_on, shipped_at), datediff('week', '2024-03-03'::DATE, '2024-03-04'::DATE), date_diff('hour', placed_on, shipped_at) FROM orders WHERE id = 1
==== 1|1|1|33
---- right
SELECT date_trunc('month', placed_on), date_part('year', placed_on), year(placed_on), dayname(placed_on), isodow(placed_on) FROM orders WHERE id = 1
==== 2024-01-01|2024|2024|Monday|1
---- right
SELECT epoch(TIMESTAMP '1970-01-02 00:00:00')
==== 86400
---- right
SELECT 7 // 2, 7 / 2, 7 % 2, 1 / 4
==== 3|3.5|1|0.25
---- right
SELECT len('abc'), concat('a', NULL, 1), string_agg(name, ', ' ORDER BY id) FROM customers WHERE id < 3
==== 3|a1|Ann Lee, bob stone
---- right
SELECT list_contains(list(id), 2), len(list(id)), list(id ORDER BY id DESC) FROM customers
==== 1|6|{6,5,4,3,2,1}
---- right
SELECT * EXCLUDE (name, country, city, born, joined, balance, score, code, since) REPLACE (id * 10 AS id) FROM customers WHERE id = 2
==== 20|0|1
---- right ordered
SELECT customer_id, id FROM orders QUALIFY row_number() OVER (PARTITION BY customer_id ORDER BY placed_on DESC) = 1 ORDER BY customer_id
==== 1|2
==== 2|7
==== 3|4
==== 5|5
---- right
SELECT arg_max(name, balance), arg_min(name, balance) FROM customers
==== a%b_c|Dan O'Neil
---- right
SELECT median(quantity), quantile_cont(quantity, 0.5), count_if(amount > 50), any_value(1) FROM orders
==== 4|4|4|1
---- right ordered
SELECT id, parent_id FROM customers ORDER BY parent_id DESC, id
==== 6|3
==== 4|2
==== 5|2
==== 2|1
==== 3|1
==== 1|~
---- right
SELECT id FROM customers WHERE regexp_matches(name, '^[A-C]') AND NOT contains(name, 'x')
==== 1
==== 3
---- right
SELECT id FROM customers WHERE name ILIKE 'ann%' OR name LIKE '%stone'
==== 1
==== 2
---- right
SELECT amount::INTEGER, id::VARCHAR, TRY_CAST('x' AS INTEGER), '12'::INTEGER + 1 FROM orders WHERE id = 1
==== 11|1|~|13
---- right
SELECT if(vip, 'yes', 'no'), greatest(1, NULL, 3) FROM customers WHERE id = 1
==== yes|3
---- right
SELECT placed_on + INTERVAL 1 DAY, placed_on - DATE '2024-01-01' FROM orders WHERE id = 1
==== 2024-01-16 00:00:00|14
---- right
SELECT quantity * 2 AS twice, twice + 1 AS more FROM orders WHERE twice = 6
==== 6|7
---- right
SELECT avg(quantity), round(avg(amount), 2) FROM orders WHERE id < 3
==== 6.5|130.38
---- refused set operation by name
SELECT id FROM orders UNION BY NAME SELECT id FROM customers
---- refused STRUCT
SELECT {'a': 1}
---- refused slice
SELECT name[1:2] FROM customers
---- unread
SELECT id FROM orders USING SAMPLE 10
---- refused without %
SELECT strftime(placed_on, 'yyyy-MM'), list_sort([1]) FROM orders
