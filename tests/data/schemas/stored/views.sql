-- Every construct that runs something which its text does not show, in a view of its own. One
-- statement to a line. What follows the semicolon is what must be found in the stored tree: a
-- function by its name, `operator ===`, `type t` (handled), `made t` (of which values are made),
-- `reads t`, `writes`. A view without such a note is clean. `-- since 14` begins what older servers
-- do not have.
CREATE FUNCTION s.f(int) RETURNS int LANGUAGE sql VOLATILE AS 'SELECT $1';
CREATE FUNCTION s.same(int, int) RETURNS bool LANGUAGE sql VOLATILE AS 'SELECT $1 = $2';
CREATE OPERATOR s.=== (LEFTARG = int, RIGHTARG = int, PROCEDURE = s.same);
CREATE FUNCTION s.step(int, int) RETURNS int LANGUAGE sql VOLATILE AS 'SELECT $1 + $2';
CREATE AGGREGATE s.agg(int) (SFUNC = s.step, STYPE = int, INITCOND = '0');
CREATE TABLE s.t (a int, b text, c int[], d date, x xml, j jsonb);
CREATE TABLE s.parent (a int);
CREATE TABLE s.child (z int) INHERITS (s.parent);
CREATE TYPE s.mood AS ENUM ('sad', 'ok');
CREATE TYPE s.plain AS (p int, q text);
CREATE TYPE s.pair AS (p int, q text);
CREATE FUNCTION s.to_text(s.pair) RETURNS text LANGUAGE sql VOLATILE AS 'SELECT ''x''';
CREATE CAST (s.pair AS text) WITH FUNCTION s.to_text(s.pair);
CREATE DOMAIN s.dom AS int CHECK (s.f(value) > 0);
CREATE DOMAIN s.list AS int[] CHECK (s.f(value[1]) > 0);
CREATE TYPE s.key AS (k int);
CREATE FUNCTION s.k_lt(s.key, s.key) RETURNS bool LANGUAGE sql VOLATILE AS 'SELECT $1.k < $2.k';
CREATE FUNCTION s.k_le(s.key, s.key) RETURNS bool LANGUAGE sql VOLATILE AS 'SELECT $1.k <= $2.k';
CREATE FUNCTION s.k_eq(s.key, s.key) RETURNS bool LANGUAGE sql VOLATILE AS 'SELECT $1.k = $2.k';
CREATE FUNCTION s.k_ne(s.key, s.key) RETURNS bool LANGUAGE sql VOLATILE AS 'SELECT $1.k <> $2.k';
CREATE FUNCTION s.k_ge(s.key, s.key) RETURNS bool LANGUAGE sql VOLATILE AS 'SELECT $1.k >= $2.k';
CREATE FUNCTION s.k_gt(s.key, s.key) RETURNS bool LANGUAGE sql VOLATILE AS 'SELECT $1.k > $2.k';
CREATE FUNCTION s.k_cmp(s.key, s.key) RETURNS int LANGUAGE sql VOLATILE AS 'SELECT $1.k - $2.k';
CREATE FUNCTION s.k_near(s.key, s.key, int, bool, bool) RETURNS bool LANGUAGE sql VOLATILE AS 'SELECT true';
CREATE OPERATOR s.<# (LEFTARG = s.key, RIGHTARG = s.key, PROCEDURE = s.k_lt, COMMUTATOR = OPERATOR(s.>#), NEGATOR = OPERATOR(s.>=#));
CREATE OPERATOR s.<=# (LEFTARG = s.key, RIGHTARG = s.key, PROCEDURE = s.k_le, COMMUTATOR = OPERATOR(s.>=#), NEGATOR = OPERATOR(s.>#));
CREATE OPERATOR s.==# (LEFTARG = s.key, RIGHTARG = s.key, PROCEDURE = s.k_eq, COMMUTATOR = OPERATOR(s.==#), NEGATOR = OPERATOR(s.<>#), MERGES, HASHES);
CREATE OPERATOR s.<># (LEFTARG = s.key, RIGHTARG = s.key, PROCEDURE = s.k_ne, COMMUTATOR = OPERATOR(s.<>#), NEGATOR = OPERATOR(s.==#));
CREATE OPERATOR s.>=# (LEFTARG = s.key, RIGHTARG = s.key, PROCEDURE = s.k_ge, COMMUTATOR = OPERATOR(s.<=#), NEGATOR = OPERATOR(s.<#));
CREATE OPERATOR s.># (LEFTARG = s.key, RIGHTARG = s.key, PROCEDURE = s.k_gt, COMMUTATOR = OPERATOR(s.<#), NEGATOR = OPERATOR(s.<=#));
CREATE OPERATOR CLASS s.key_ops DEFAULT FOR TYPE s.key USING btree AS OPERATOR 1 s.<#, OPERATOR 2 s.<=#, OPERATOR 3 s.==#, OPERATOR 4 s.>=#, OPERATOR 5 s.>#, FUNCTION 1 s.k_cmp(s.key, s.key), FUNCTION 3 (s.key, int) s.k_near(s.key, s.key, int, bool, bool);
CREATE TABLE s.keyed (k s.key, o s.key);
CREATE VIEW s.v_call AS SELECT s.f(a) FROM s.t; -- f, reads t
CREATE VIEW s.v_operator AS SELECT a OPERATOR(s.===) 1 AS y FROM s.t; -- operator ===
CREATE VIEW s.v_any AS SELECT a OPERATOR(s.===) ANY (ARRAY[1, 2]) AS y FROM s.t; -- operator ===
CREATE VIEW s.v_any_column AS SELECT a OPERATOR(s.===) ALL (c) AS y FROM s.t; -- operator ===
CREATE VIEW s.v_any_query AS SELECT a OPERATOR(s.===) ANY (SELECT 1) AS y FROM s.t; -- operator ===
CREATE VIEW s.v_one_query AS SELECT (a) OPERATOR(s.===) (SELECT 1) AS y FROM s.t; -- operator ===
CREATE VIEW s.v_rows AS SELECT (k, o) OPERATOR(s.<#) (o, k) AS y FROM s.keyed; -- operator <#
CREATE VIEW s.v_rows_query AS SELECT (k, k) OPERATOR(s.==#) ANY (SELECT o, o FROM s.keyed) AS y FROM s.keyed; -- operator ==#
CREATE VIEW s.v_sort AS SELECT a FROM s.t ORDER BY ROW(a)::s.key; -- operator <#, operator ==#, made key
CREATE VIEW s.v_sort_using AS SELECT 1 AS y FROM s.keyed ORDER BY k USING OPERATOR(s.>#); -- operator >#
CREATE VIEW s.v_distinct AS SELECT DISTINCT k FROM s.keyed; -- operator ==#
CREATE VIEW s.v_distinct_on AS SELECT DISTINCT ON (s.f(a)) a FROM s.t; -- f
CREATE VIEW s.v_group AS SELECT count(*) FROM s.keyed GROUP BY k; -- operator ==#
CREATE VIEW s.v_sets AS SELECT count(*) FROM s.keyed GROUP BY GROUPING SETS ((k), ()); -- operator ==#
CREATE VIEW s.v_sets_call AS SELECT a, GROUPING(a) FROM s.t GROUP BY GROUPING SETS ((a), (s.f(1))); -- f
CREATE VIEW s.v_having AS SELECT count(*) FROM s.t HAVING s.f(1) > 0; -- f
CREATE VIEW s.v_union AS SELECT k FROM s.keyed UNION SELECT o FROM s.keyed; -- operator ==#, type key
CREATE VIEW s.v_except AS SELECT a FROM s.t EXCEPT SELECT s.f(2); -- f
CREATE VIEW s.v_distinct_from AS SELECT a IS DISTINCT FROM s.f(2) AS y FROM s.t; -- f
CREATE VIEW s.v_greatest AS SELECT greatest(k, o) AS y FROM s.keyed; -- made key
CREATE VIEW s.v_partition AS SELECT count(*) OVER (PARTITION BY k ORDER BY o) AS y FROM s.keyed; -- operator ==#, operator <#
CREATE VIEW s.v_range AS SELECT count(*) OVER (ORDER BY k RANGE BETWEEN 1 PRECEDING AND 2 FOLLOWING) AS y FROM s.keyed; -- k_near
CREATE VIEW s.v_range_plain AS SELECT sum(a) OVER (ORDER BY d RANGE BETWEEN '1 day' PRECEDING AND CURRENT ROW) AS y FROM s.t;
CREATE VIEW s.v_window AS SELECT s.agg(a) OVER (ORDER BY a) FROM s.t; -- agg
CREATE VIEW s.v_window_order AS SELECT rank() OVER (ORDER BY s.f(a)) FROM s.t; -- f
CREATE VIEW s.v_aggregate AS SELECT s.agg(a ORDER BY a) FROM s.t; -- agg
CREATE VIEW s.v_aggregate_order AS SELECT array_agg(k ORDER BY k) FROM s.keyed; -- operator <#
CREATE VIEW s.v_aggregate_distinct AS SELECT count(DISTINCT k) FROM s.keyed; -- operator ==#
CREATE VIEW s.v_filter AS SELECT sum(a) FILTER (WHERE s.f(a) > 1) FROM s.t; -- f
CREATE VIEW s.v_within AS SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY s.f(a)) FROM s.t; -- f
CREATE VIEW s.v_cast AS SELECT ROW(1, 'x')::s.pair::text AS y; -- to_text, made pair
CREATE VIEW s.v_domain AS SELECT a::s.dom FROM s.t; -- made dom
CREATE VIEW s.v_domain_text AS SELECT b::s.dom FROM s.t; -- made dom
CREATE VIEW s.v_domain_array AS SELECT c::s.dom[] FROM s.t; -- made dom
CREATE VIEW s.v_domain_list AS SELECT c::s.list FROM s.t; -- made list
CREATE VIEW s.v_domain_constant AS SELECT '5'::s.dom AS y; -- made dom
CREATE VIEW s.v_domain_record AS SELECT * FROM json_to_recordset('[{}]') AS x(a s.dom, b s.plain); -- made dom, made plain
CREATE VIEW s.v_populate AS SELECT json_populate_record(NULL::s.keyed, '{}') AS y; -- made keyed
CREATE VIEW s.v_case AS SELECT CASE a WHEN 1 THEN s.f(1) ELSE 2 END FROM s.t; -- f
CREATE VIEW s.v_sample AS SELECT a FROM s.t TABLESAMPLE bernoulli (s.f(10)) REPEATABLE (1); -- f
CREATE VIEW s.v_sample_plain AS SELECT a FROM s.t TABLESAMPLE system (10);
CREATE VIEW s.v_from AS SELECT * FROM s.f(1); -- f
CREATE VIEW s.v_rows_from AS SELECT * FROM ROWS FROM (s.f(1), generate_series(1, 2)) WITH ORDINALITY; -- f
CREATE VIEW s.v_unread_cte AS WITH w AS (SELECT s.f(a) AS q FROM s.t) SELECT 1 AS z; -- f
CREATE VIEW s.v_recursive AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + s.f(1) FROM r WHERE n < 10) SELECT * FROM r; -- f
CREATE VIEW s.v_lateral AS SELECT q FROM s.t, LATERAL (SELECT s.f(t.a) AS q) l; -- f
CREATE VIEW s.v_exists AS SELECT 1 AS z WHERE EXISTS (SELECT s.f(1)); -- f
CREATE VIEW s.v_array_query AS SELECT ARRAY(SELECT s.f(1)) AS z; -- f
CREATE VIEW s.v_limit AS SELECT a FROM s.t LIMIT s.f(1); -- f
CREATE VIEW s.v_offset AS SELECT a FROM s.t OFFSET s.f(2); -- f
CREATE VIEW s.v_values AS VALUES (1, s.f(1)), (2, 3); -- f
CREATE VIEW s.v_coalesce AS SELECT coalesce(a, s.f(1)) AS q FROM s.t; -- f
CREATE VIEW s.v_nullif AS SELECT nullif(a, s.f(1)) AS q FROM s.t; -- f
CREATE VIEW s.v_array AS SELECT ARRAY[s.f(1)] AS q; -- f
CREATE VIEW s.v_subscript AS SELECT c[s.f(1)] AS q FROM s.t; -- f
CREATE VIEW s.v_slice AS SELECT c[s.f(1):2] AS q FROM s.t; -- f
CREATE VIEW s.v_field AS SELECT (ROW(s.f(1), 'x')::s.plain).p; -- f
CREATE VIEW s.v_is_null AS SELECT s.f(1) IS NULL AS q; -- f
CREATE VIEW s.v_is_true AS SELECT (s.f(1) = 1) IS TRUE AS q; -- f
CREATE VIEW s.v_not AS SELECT NOT (s.f(1) = 1) AS q; -- f
CREATE VIEW s.v_in AS SELECT a IN (1, s.f(2)) AS q FROM s.t; -- f
CREATE VIEW s.v_between AS SELECT a BETWEEN SYMMETRIC 1 AND s.f(3) AS q FROM s.t; -- f
CREATE VIEW s.v_join AS SELECT t.a FROM s.t JOIN s.t u ON s.f(t.a) = u.a; -- f
CREATE VIEW s.v_xml AS SELECT xmlelement(NAME x, s.f(1)) AS q; -- f
CREATE VIEW s.v_xml_table AS SELECT p FROM s.t, xmltable('/a' PASSING x COLUMNS p s.dom PATH 'p' DEFAULT s.f(1)); -- f, made dom
CREATE VIEW s.v_named AS SELECT make_interval(days => s.f(1)) AS q; -- f
CREATE VIEW s.v_variadic AS SELECT format('%s', VARIADIC ARRAY[s.f(1)::text]) AS q; -- f
CREATE VIEW s.v_at_time_zone AS SELECT d AT TIME ZONE s.f(1)::text AS q FROM s.t; -- f
CREATE VIEW s.v_like AS SELECT b LIKE s.f(1)::text ESCAPE '#' AS q FROM s.t; -- f
CREATE VIEW s.v_strange_names AS SELECT s.f(1) AS ":funcid", 2 AS ":opno 7", 3 AS "a) {FUNCEXPR :funcid 5", 4 AS "\"; -- f
CREATE VIEW s.v_lock AS SELECT a FROM s.t FOR UPDATE; -- writes
CREATE VIEW s.v_lock_inside AS SELECT 1 AS y FROM (SELECT a FROM s.t FOR KEY SHARE) AS i; -- writes
CREATE VIEW s.v_upon AS SELECT * FROM s.v_call; -- reads v_call
CREATE VIEW s.v_whole AS SELECT t AS q FROM s.t;
CREATE VIEW s.v_row_text AS SELECT NULL::s.t::text AS q;
CREATE VIEW s.v_enum AS SELECT 'ok'::s.mood AS q;
CREATE VIEW s.v_as_parent AS SELECT (child::s.parent).a FROM s.child;
CREATE VIEW s.v_using AS SELECT a FROM s.t FULL JOIN s.t u USING (a);
CREATE VIEW s.v_values_of_session AS SELECT current_date AS q, current_user AS r;
CREATE VIEW s.v_plain AS SELECT upper(b), sum(a) FROM s.t WHERE j ->> 'k' ~* 'x' GROUP BY 1 ORDER BY 2 DESC;
-- since 14
CREATE VIEW s.v_cycle AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + s.f(1) FROM r) SEARCH DEPTH FIRST BY n SET o CYCLE n SET c TO s.mood 'ok' DEFAULT s.mood 'sad' USING p SELECT n FROM r; -- f, made mood
CREATE VIEW s.v_multirange AS SELECT int4multirange(int4range(1, s.f(2))) AS q; -- f
-- since 16
CREATE VIEW s.v_json_object AS SELECT json_object('a': s.f(1)) AS q; -- f
CREATE VIEW s.v_json_array AS SELECT json_array(s.f(1)) AS q; -- f
CREATE VIEW s.v_json_arrayagg AS SELECT json_arrayagg(s.f(1)) AS q; -- f
CREATE VIEW s.v_json_objectagg AS SELECT json_objectagg('k': s.f(1)) AS q; -- f
CREATE VIEW s.v_is_json AS SELECT s.f(1)::text IS JSON AS q; -- f
CREATE VIEW s.v_json_plain AS SELECT json_object('a': 1 RETURNING jsonb) AS q;
-- since 17
CREATE VIEW s.v_json_value AS SELECT json_value(j, '$.a' RETURNING s.dom) AS q FROM s.t; -- made dom
CREATE VIEW s.v_json_default AS SELECT json_value(j, '$.a' DEFAULT s.f(1)::text ON EMPTY) AS q FROM s.t; -- f
CREATE VIEW s.v_json_query AS SELECT json_query(j, '$.a' RETURNING s.keyed) AS q FROM s.t; -- made keyed
CREATE VIEW s.v_json_exists AS SELECT json_exists(j, '$.a' PASSING s.f(1) AS p) AS q FROM s.t; -- f
CREATE VIEW s.v_json_scalar AS SELECT json_scalar(s.f(1)) AS q; -- f
CREATE VIEW s.v_json_table AS SELECT jt.* FROM s.t, json_table(j, '$[*]' PASSING s.f(1) AS p COLUMNS (k int PATH '$.a')) AS jt; -- f
CREATE VIEW s.v_json_table_type AS SELECT jt.* FROM s.t, json_table(j, '$[*]' COLUMNS (NESTED PATH '$.c' COLUMNS (g s.dom PATH '$.d'))) AS jt; -- made dom
CREATE VIEW s.v_json_table_default AS SELECT jt.* FROM s.t, json_table(j, '$[*]' COLUMNS (k int PATH '$.a' DEFAULT s.f(2) ON EMPTY)) AS jt; -- f
