-- What common extensions bring and the rules refuse: volatile functions, SQL in a string, names of built-ins. A policy may name
-- those that it trusts. extensions.sql tells the form of this file.
----
--! what changes the session or is random with a memory
--! needs=pg_trgm
SELECT set_limit(0.5)
----
--! needs=isn since=18
SELECT isn_weak(true)
----
--! needs=citext
SELECT public.replace('Abc'::citext, 'a', 'x'), pg_advisory_lock(1)
----
--! needs=pg_stat_statements
SELECT pg_stat_statements_reset()
----
--! SQL in a string
--! needs=tablefunc
SELECT * FROM crosstab('SELECT 1, 2, pg_advisory_lock(1)::text') AS c(a int, b text)
----
--! needs=tablefunc
SELECT * FROM crosstab('SELECT 1, 2, 3', 'SELECT pg_advisory_lock(1)::text') AS c(a int, b int)
----
--! needs=tablefunc
SELECT * FROM connectby('categories', 'id', 'parent_id', '1', 0) AS t(id int, parent_id int, level int)
----
--! needs=xml2
SELECT * FROM xpath_table('id', 'doc', '(SELECT pg_advisory_lock(1)::text AS id, ''<a/>'' AS doc) x', '/a', 'true') AS t(id text, a text)
----
--! PostGIS changes tables
--! needs=postgis
SELECT AddGeometryColumn('t', 'g', 4326, 'POINT', 2)
----
--! needs=postgis
SELECT DropGeometryColumn('t', 'g')
----
--! needs=postgis
SELECT UpdateGeometrySRID('t', 'g', 4326)
----
--! needs=postgis
SELECT Populate_Geometry_Columns()
----
--! needs=postgis
SELECT PostGIS_Extensions_Upgrade()
----
--! other databases and files
--! needs=dblink
SELECT * FROM dblink('dbname=postgres', 'SELECT 1') AS d(n int)
----
--! needs=dblink
SELECT dblink_connect('dbname=postgres')
----
--! needs=dblink
SELECT dblink_exec('dbname=postgres', 'SELECT 1')
----
--! needs=postgres_fdw
SELECT postgres_fdw_disconnect_all()
----
--! needs=pg_prewarm
SELECT pg_prewarm('pg_class')
----
--! needs=adminpack
SELECT pg_file_write('x', 'y', false)
----
--! needs=adminpack
SELECT pg_catalog.pg_file_unlink('x')
----
--! needs=lo
SELECT lo_unlink(1)
----
--! needs=pg_visibility
SELECT pg_truncate_visibility_map('pg_class')
----
--! needs=pg_surgery
SELECT heap_force_kill('t'::regclass, ARRAY['(0,1)']::tid[])
----
--! needs=amcheck
SELECT bt_index_check('pg_class_oid_index')
----
--! needs=amcheck
SELECT bt_index_parent_check('pg_class_oid_index')
----
--! needs=pg_prewarm
SELECT autoprewarm_dump_now()
----
--! needs=tablefunc
SELECT * FROM crosstab('DELETE FROM categories RETURNING 1, 2, 3') AS c(a int, b int)
----
--! needs=tablefunc
SELECT * FROM crosstab('SELECT 1, 2, 3; SELECT 1') AS c(a int, b int)
----
--! needs=tablefunc
SELECT * FROM crosstab('SELECT 1, 2, 3' || '') AS c(a int, b int)
----
--! needs=tablefunc
SELECT * FROM crosstab('SELECT 1, 2, set_config(''jit'', ''off'', false)') AS c(a int, b text)
----
--! needs=tablefunc
SELECT * FROM crosstab('SELECT * FROM crosstab(''SELECT 1, 2, 3'') AS c(a int, b int)') AS c(a int, b int)
----
--! needs=tablefunc
SELECT * FROM (VALUES ('SELECT 1, 2, 3')) AS t(q), crosstab(q) AS c(a int, b int)
----
--! needs=tablefunc
SELECT (crosstab2('SELECT ''a''::text, ''b''::text, pg_advisory_lock(1)::text')).*
