-- Ways to read what a policy hides as a whole, or what the server keeps of it. One statement in a line.
SELECT * FROM shop.secrets
SELECT count(*) FROM shop.secrets
SELECT 1 FROM shop.secrets LIMIT 0
TABLE shop.secrets
TABLE secrets
SELECT text FROM secrets
SELECT "text" FROM "shop"."secrets"
SELECT s.text FROM U&"\0073ecrets" s
SELECT * FROM ONLY shop.secrets
SELECT * FROM ONLY (shop.secrets)
SELECT * FROM shop.secrets *
SELECT * FROM shop.secrets TABLESAMPLE system (100)
SELECT o.id FROM shop.orders o JOIN shop.secrets s USING (id)
SELECT o.id FROM shop.orders o WHERE EXISTS (SELECT FROM shop.secrets)
SELECT (SELECT max(text) FROM secrets)
SELECT ARRAY(SELECT text FROM secrets)
SELECT o.id FROM shop.orders o, LATERAL (SELECT text FROM secrets) x
WITH x AS (SELECT * FROM secrets) SELECT 1
WITH secrets AS (SELECT * FROM secrets) SELECT * FROM secrets
WITH secrets AS (SELECT 1) SELECT * FROM shop.secrets
WITH a AS (SELECT * FROM secrets), secrets AS (SELECT 1) SELECT * FROM a
SELECT * FROM (WITH secrets AS (SELECT 1) SELECT 1) x, secrets
SELECT 1 UNION SELECT id FROM secrets
SELECT secrets FROM secrets
SELECT * FROM shop.secret_numbers
SELECT last_value FROM secret_numbers
SELECT last_value FROM pg_sequences
SELECT * FROM pg_sequences
SELECT pg_sequence_last_value('shop.secret_numbers')
SELECT pg_sequence_last_value('shop.secret_numbers'::regclass::oid)
SELECT * FROM shop.secret_view
SELECT * FROM shop.secret_mview
SELECT * FROM shop.events_closed
SELECT * FROM shop.events
SELECT id FROM shop.events WHERE kind = 'open'
SELECT * FROM shop.heir
SELECT * FROM shop.secret_parent
SELECT token FROM shop.child
SELECT token FROM shop.parent
SELECT * FROM shop.parent
SELECT * FROM shop.child
SELECT token FROM ONLY shop.child
SELECT id FROM shop.parent WHERE token = 'x'
SELECT shop.peek(1)
SELECT peek(id) FROM shop.orders
SELECT * FROM shop.peek(1)
SELECT * FROM shop.peek_all()
SELECT (shop.peek_all()).text
SELECT o.peek_at FROM shop.orders o
SELECT (o).peek_at FROM shop.orders o
SELECT shop.peek_at(o) FROM shop.orders o
SELECT 1 OPERATOR(shop.<?>) 2
SELECT 1 <?> 2
SELECT 1 FROM shop.orders ORDER BY id <?> 1
SELECT 1::shop.boxed
SELECT (1::shop.boxed).word
SELECT CAST(id AS boxed) FROM shop.orders
SELECT shop.peek_last(id) FROM shop.orders
SELECT shop.peek_last(id) OVER () FROM shop.orders
SELECT * FROM pg_stats
SELECT most_common_vals FROM pg_stats WHERE tablename = 'people'
SELECT histogram_bounds::text FROM pg_catalog.pg_stats
SELECT stavalues1 FROM pg_statistic
SELECT * FROM pg_statistic
SELECT s FROM pg_statistic s
SELECT * FROM pg_stats_ext
SELECT * FROM pg_stats_ext_exprs
SELECT * FROM pg_statistic_ext_data
SELECT data FROM pg_largeobject
SELECT * FROM pg_largeobject
SELECT lo_get(4711)
SELECT convert_from(lo_get(4711, 0, 10), 'UTF8')
SELECT loread(lo_open(4711, 262144), 100)
SELECT query FROM pg_stat_activity
SELECT * FROM pg_stat_activity
SELECT a FROM pg_stat_activity a
SELECT pid FROM pg_stat_activity WHERE query LIKE '%another session%'
SELECT * FROM pg_stat_get_activity(NULL)
SELECT query FROM pg_stat_get_activity(NULL::int)
SELECT pg_stat_get_backend_activity(1)
SELECT pg_stat_get_backend_activity(b) FROM pg_stat_get_backend_idset() b
SELECT attmissingval FROM pg_attribute
SELECT * FROM pg_attribute
SELECT rolpassword FROM pg_authid
SELECT passwd FROM pg_shadow
SELECT * FROM pg_user_mappings
SELECT * FROM pg_toast.pg_toast_2619
SELECT chunk_data FROM pg_toast.pg_toast_1247
SELECT query_to_xml('SELECT * FROM shop.secrets', true, true, '')
SELECT table_to_xml('shop.secrets', true, true, '')
SELECT schema_to_xml('shop', true, true, '')
SELECT database_to_xml(true, true, '')
SELECT cursor_to_xml('c', 1, true, true, '')
SELECT ts_stat('SELECT to_tsvector(text) FROM shop.secrets')
SELECT pg_read_file('PG_VERSION')
SELECT pg_read_binary_file('PG_VERSION')
SELECT * FROM pg_mcv_list_items(NULL)
SELECT json_populate_record(NULL::shop.orders, '{}'), shop.peek(1)
LOCK TABLE shop.secrets IN ACCESS SHARE MODE
COPY shop.secrets TO STDOUT
COPY shop.people (id, secret) TO STDOUT
COPY secrets (text) TO STDOUT (FORMAT binary)
COPY BINARY shop.secrets TO STDOUT
COPY shop.secrets TO STDOUT CSV FORCE QUOTE text
COPY "shop".U&"secr\0065ts" TO STDOUT
