-- What is asked of common extensions. Where they are installed, everything runs and passes under both policies,
-- with search_path public. reads.sql tells the form of this file; needs=NAME is the extension.
----
--! pg_trgm
--! needs=pg_trgm
SELECT similarity('word', 'two words'), show_trgm('cat'), word_similarity('word', 'two words'), strict_word_similarity('word', 'two words'), show_limit()
----
--! needs=pg_trgm
SELECT 'word' % 'words', 'a' <-> 'b', 'word' <% 'two words', 'word' <<-> 'two words', 'two words' %> 'word', 'word' <<% 'two words', 'two words' <->>> 'word'
----
--! needs=pg_trgm
SELECT relname FROM pg_class WHERE relname % 'pg_clas' ORDER BY relname <-> 'pg_clas' LIMIT 3
----
--! needs=pg_trgm
SELECT relname, similarity(relname, 'pg_type') AS s FROM pg_class WHERE similarity(relname, 'pg_type') > 0.4 ORDER BY s DESC
----
--! pgcrypto
--! needs=pgcrypto
SELECT digest('abc', 'sha256'), digest('abc'::bytea, 'md5'), encode(digest('x', 'sha1'), 'hex')
----
--! needs=pgcrypto
SELECT hmac('data', 'key', 'sha256'), encode(hmac('d'::bytea, 'k'::bytea, 'sha512'), 'base64')
----
--! needs=pgcrypto
SELECT crypt('secret', '$1$abcdefgh'), crypt('x', 'ab') = 'abXXXX'
----
--! needs=pgcrypto
SELECT armor('abc'::bytea), dearmor(armor('abc'::bytea)), pgp_armor_headers(armor('abc'::bytea))
----
--! needs=pgcrypto
SELECT encrypt('data', 'key1234567890abc', 'aes'), decrypt(encrypt('data', 'key1234567890abc', 'aes'), 'key1234567890abc', 'aes')
----
--! needs=pgcrypto
SELECT gen_random_uuid() IS NOT NULL
----
--! hstore
--! needs=hstore
SELECT 'a=>1,b=>2'::hstore -> 'a', 'a=>1'::hstore ? 'a', 'a=>1,b=>2'::hstore @> 'b=>2', 'a=>1'::hstore || 'c=>3'::hstore
----
--! needs=hstore
SELECT akeys('a=>1'), avals('a=>1'), skeys('a=>1,b=>2'), hstore_to_json('a=>1'), hstore_to_jsonb('a=>1'), hstore_to_array('a=>1')
----
--! needs=hstore
SELECT hstore('k', 'v'), hstore(ARRAY['a', 'b'], ARRAY['1', '2']), slice('a=>1,b=>2', ARRAY['a']), delete('a=>1'::hstore, 'a'), exist('a=>1', 'a'), defined('a=>NULL', 'a')
----
--! needs=hstore
SELECT key, value FROM each('a=>1,b=>2')
----
--! needs=hstore
SELECT 'a=>1'::hstore::json, 'a=>1'::hstore::jsonb, hstore(ROW(1, 'x')), 'a=>1,b=>2'::hstore - 'a'::text, %% 'a=>1'::hstore, 'a=>1'::hstore -> ARRAY['a'], 'a=>1'::hstore ?& ARRAY['a']
----
--! needs=hstore since=14
SELECT ('a=>1'::hstore)['a']
----
--! needs=hstore
SELECT h, count(*) FROM (VALUES ('a=>1'::hstore), ('b=>2')) t(h) GROUP BY h ORDER BY h
----
--! ltree
--! needs=ltree
SELECT 'Top.Science.Astronomy'::ltree <@ 'Top.Science', 'Top.Science'::ltree @> 'Top.Science.Astronomy', 'Top.Science'::ltree ~ '*.Science', 'Top.Science'::ltree ? ARRAY['Top.*']::lquery[], 'Top.Science'::ltree @ 'Science & !Art'
----
--! needs=ltree
SELECT nlevel('a.b.c'), subpath('a.b.c', 0, 2), subltree('a.b.c', 1, 2), index('a.b.c', 'b'), lca('a.b', 'a.c'), text2ltree('a.b'), ltree2text('a.b'), 'a.b'::ltree || 'c'
----
--! needs=ltree
SELECT path, nlevel(path) FROM (VALUES ('a.b'::ltree), ('a.c')) t(path) WHERE path ~ 'a.*{1}' ORDER BY path
----
--! citext
--! needs=citext
SELECT 'ABC'::citext = 'abc', 'ABC'::citext <> 'abd', 'x'::citext LIKE 'X%', 'x'::citext ~ 'X', 'b'::citext > 'A'
----
--! needs=citext
SELECT name, count(*) FROM (VALUES ('Ann'::citext), ('ANN'), ('Bob')) t(name) GROUP BY name ORDER BY name
----
--! needs=citext
SELECT lower('X'::citext), length('abc'::citext), upper('x'::citext), 'X'::citext::text, citext('a'::text), 'a'::citext || 'b'
----
--! needs=citext
SELECT count(DISTINCT name), array_agg(name ORDER BY name) FROM (VALUES ('Ann'::citext), ('ANN')) t(name)
----
--! needs=citext
SELECT max(relpages), min(relname), replace(relname, 'pg_', ''), split_part(relname, '_', 1), strpos(relname, '_'), regexp_replace(relname, '^pg', 'x') FROM pg_class GROUP BY relname LIMIT 1
----
--! needs=citext
SELECT name FROM (VALUES ('Ann'::citext)) t(name) WHERE name IN ('ANN', 'x') AND name BETWEEN 'a' AND 'z'
----
--! intarray
--! needs=intarray
SELECT '{1,2,3}'::int[] && '{2}', '{1,2}'::int[] @> '{1}', '{1,2}'::int[] + 3, '{1,2}'::int[] - 2, '{1,2}'::int[] | 4, '{1,2}'::int[] & '{2,3}', '{1,2}'::int[] @@ '1&2'::query_int, # '{1,2}'::int[]
----
--! needs=intarray
SELECT sort('{3,1,2}'::int[]), sort_desc('{1,3,2}'), uniq('{1,1,2}'), idx('{1,2,3}', 2), subarray('{1,2,3}', 2), icount('{1,2}'), intset(5)
----
--! unaccent, fuzzystrmatch, uuid-ossp, tablefunc
--! needs=unaccent
SELECT unaccent('Hôtel'), unaccent('unaccent', 'é')
----
--! needs=fuzzystrmatch
SELECT levenshtein('kitten', 'sitting'), levenshtein_less_equal('a', 'b', 2), soundex('Anna'), difference('Anna', 'Ann'), metaphone('Thompson', 4), dmetaphone('x'), dmetaphone_alt('x')
----
--! needs=uuid-ossp
SELECT uuid_nil(), uuid_ns_dns(), uuid_generate_v5(uuid_ns_url(), 'https://example.com'), uuid_generate_v3(uuid_ns_dns(), 'x')
----
--! cube, earthdistance, seg, isn, btree_gist
--! needs=cube
SELECT cube(1, 2), cube(ARRAY[1, 2]), '(1,2)'::cube <-> '(4,6)'::cube, cube_distance('(0,0)', '(3,4)'), cube_dim('(1,2)'), '(0,0),(2,2)'::cube @> '(1,1)'::cube, cube_enlarge('(1,1)', 1, 2), '(1,2)'::cube -> 1, cube_union('(0)', '(1)')
----
--! needs=earthdistance
SELECT earth_distance(ll_to_earth(52.52, 13.405), ll_to_earth(48.2, 16.37))::int, earth(), point(13.4, 52.5) <@> point(16.4, 48.2), earth_box(ll_to_earth(52, 13), 1000) @> ll_to_earth(52, 13), latitude(ll_to_earth(52, 13)), sec_to_gc(1000)
----
--! needs=seg
SELECT '1 .. 5'::seg && '4 .. 6', seg_center('1 .. 5'), seg_size('1 .. 5'), '1..2'::seg << '3..4'
----
--! needs=isn
SELECT isbn('978-0-393-04002-9'), '9780393040029'::ean13, is_valid('978-0-393-04002-9'::isbn13), '978-0-393-04002-9'::isbn13 = '978-0-393-04002-9'::isbn13
----
--! needs=btree_gist
SELECT 5 <-> 3, date '2024-01-05' <-> date '2024-01-01', timestamp '2024-01-01' <-> timestamp '2024-01-02', 1.5::float8 <-> 2
----
--! PostGIS
--! needs=postgis
SELECT ST_AsText(ST_MakePoint(1, 2)), ST_AsGeoJSON(ST_Point(1, 2)), ST_X('POINT(1 2)'::geometry), ST_AsEWKT(ST_SetSRID(ST_MakePoint(1, 2), 4326))
----
--! needs=postgis
SELECT ST_Distance('POINT(0 0)'::geometry, 'POINT(3 4)'), ST_DWithin('POINT(0 0)'::geometry, 'POINT(3 4)'::geometry, 6), ST_Area('POLYGON((0 0,0 1,1 1,1 0,0 0))'::geometry), ST_Length('LINESTRING(0 0,1 1)'::geometry), ST_Perimeter('POLYGON((0 0,0 1,1 1,1 0,0 0))'::geometry)
----
--! needs=postgis
SELECT ST_Contains(a, b), ST_Within(b, a), ST_Intersects(a, b), ST_Touches(a, b), ST_Overlaps(a, b), ST_Covers(a, b), ST_Relate(a, b) FROM (SELECT 'POLYGON((0 0,0 4,4 4,4 0,0 0))'::geometry AS a, 'POINT(1 1)'::geometry AS b) x
----
--! needs=postgis
SELECT ST_AsText(ST_Buffer('POINT(0 0)'::geometry, 1, 2)), ST_AsText(ST_Centroid('LINESTRING(0 0,2 2)'::geometry)), ST_AsText(ST_Union('POINT(0 0)'::geometry, 'POINT(1 1)'::geometry)), ST_AsText(ST_Intersection('LINESTRING(0 0,2 2)'::geometry, 'LINESTRING(0 2,2 0)'::geometry)), ST_AsText(ST_ConvexHull('MULTIPOINT(0 0,1 1,1 0)'::geometry)), ST_IsValid('POINT(0 0)'::geometry), ST_Simplify('LINESTRING(0 0,1 0.1,2 0)'::geometry, 0.5)
----
--! needs=postgis
SELECT ST_Distance('POINT(13.4 52.5)'::geography, 'POINT(16.4 48.2)'::geography), ST_DWithin('POINT(13.4 52.5)'::geography, 'POINT(16.4 48.2)'::geography, 600000), ST_AsText('POINT(1 2)'::geography)
----
--! needs=postgis
SELECT ST_Transform(ST_SetSRID(ST_MakePoint(13.4, 52.5), 4326), 3857), ST_SRID('SRID=4326;POINT(1 2)'::geometry)
----
--! needs=postgis
SELECT ST_Collect(g), ST_Extent(g), ST_AsText(ST_MakeLine(g)), ST_Union(g) FROM (VALUES ('POINT(0 0)'::geometry), ('POINT(1 1)')) t(g)
----
--! needs=postgis
SELECT g && ST_MakeEnvelope(0, 0, 2, 2), g ~= 'POINT(1 1)'::geometry, g <-> 'POINT(0 0)'::geometry, g @ ST_MakeEnvelope(0, 0, 2, 2) FROM (SELECT 'POINT(1 1)'::geometry AS g) t ORDER BY g <-> 'POINT(0 0)'::geometry
----
--! needs=postgis
SELECT (ST_Dump('MULTIPOINT(0 0,1 1)'::geometry)).geom, (d).path FROM (SELECT ST_DumpPoints('LINESTRING(0 0,1 1)'::geometry) AS d) x
----
--! needs=postgis
SELECT ST_GeomFromText('POINT(1 2)', 4326), ST_GeomFromGeoJSON('{"type":"Point","coordinates":[1,2]}'), ST_GeometryType('POINT(0 0)'::geometry), GeometryType('POINT(0 0)'::geometry), ST_NPoints('LINESTRING(0 0,1 1)'::geometry)
----
--! needs=postgis
SELECT 'POINT(1 2)'::geometry::geography, 'POINT(1 2)'::geometry::text, 'POINT(1 2)'::geometry(Point, 4326) IS NULL WHERE false
----
--! needs=postgis
SELECT box(g), point(ST_Centroid(g)), polygon(g), path(ST_ExteriorRing(g)), text(g), ST_AsText(ST_SymmetricDifference(g, 'POLYGON((0 0,0 1,1 1,1 0,0 0))')) FROM (SELECT 'POLYGON((0 0,0 4,4 4,4 0,0 0))'::geometry AS g) x
----
--! needs=postgis_raster
SELECT ST_Rotation(r), ST_Value(ST_SetValue(ST_AddBand(r, '8BUI'::text, 1, 0), 1, 1, 7), 1, 1) FROM (SELECT ST_MakeEmptyRaster(2, 2, 0, 0, 1) AS r) x
----
--! needs=ip4r
SELECT family(a), text(a), cidr(a), lower('10.0.0.0/8'::ip4r), upper('10.0.0.0/8'::ip4r), masklen('10.0.0.0/8'::ip4r) FROM (SELECT '10.1.2.3'::ip4 AS a) x
----
--! needs=postgis
SELECT ST_ClusterDBSCAN(g, 2, 1) OVER () FROM (VALUES ('POINT(0 0)'::geometry), ('POINT(1 1)')) t(g)
----
--! needs=postgis
SELECT auth_name, auth_srid FROM spatial_ref_sys WHERE srid = 4326
----
--! needs=postgis
SELECT PostGIS_Lib_Version(), ST_AsMVTGeom('POINT(1 1)'::geometry, ST_MakeBox2D('POINT(0 0)'::geometry, 'POINT(9 9)'::geometry)), ST_TileEnvelope(1, 0, 0), ST_GeoHash(ST_SetSRID(ST_MakePoint(1, 2), 4326)), ST_AsMVT(t) FROM (SELECT 'POINT(1 1)'::geometry AS g) t
----
--! needs=pgcrypto
SELECT gen_salt('bf')
----
--! needs=pgcrypto
SELECT gen_random_bytes(16)
----
--! needs=pgcrypto
SELECT public.gen_random_uuid()
----
--! needs=pgcrypto
SELECT pgp_sym_encrypt('data', 'key')
----
--! needs=uuid-ossp
SELECT uuid_generate_v4()
----
--! needs=uuid-ossp
SELECT uuid_generate_v1mc()
----
--! needs=tablefunc
SELECT * FROM normal_rand(5, 0, 1)
----
--! needs=postgis
SELECT ST_ClusterKMeans(g, 1) OVER () FROM (VALUES ('POINT(0 0)'::geometry)) t(g)
----
--! needs=tablefunc
SELECT * FROM crosstab2('SELECT ''a''::text, ''b''::text, ''c''::text')
----
--! needs=pgrowlocks
SELECT * FROM pgrowlocks('pg_class')
----
--! needs=pg_buffercache
SELECT count(*) FROM pg_buffercache_pages() AS p(a int, b oid, c oid, d oid, e int2, f int8, g bool, h int2, i int)
----
--! needs=citext
SELECT max(name), min(name) FROM (VALUES ('Ann'::citext), ('bob')) t(name)
----
--! needs=citext
SELECT replace('Abc'::citext, 'a', 'x'), split_part('aXb'::citext, 'x', 1), strpos('Abc'::citext, 'a'), translate('abc'::citext, 'a', 'x')
----
--! needs=citext
SELECT regexp_replace('Abc'::citext, 'a', 'x'), regexp_match('Abc'::citext, 'a'), regexp_split_to_array('aXb'::citext, 'x')
----
--! needs=citext
SELECT count(name), string_agg(name::text, ', '), concat(min(name), 'x') FROM (VALUES ('Ann'::citext)) t(name)
----
--! needs=tablefunc
SELECT * FROM crosstab('SELECT ''r'', ''a'', 1 UNION ALL SELECT ''r'', ''b'', 2', $$VALUES ('a'), ('b')$$) AS c(r text, a int, b int)
----
--! needs=tablefunc
SELECT * FROM crosstab('SELECT oid::int, relname, 1 FROM pg_class ORDER BY 1'::text, 2) AS c(r int, a int, b int)
----
--! needs=pg_buffercache
SELECT count(*) FROM pg_buffercache
----
--! needs=pg_visibility
SELECT * FROM pg_visibility_map_summary('pg_class')
----
--! needs=amcheck
SELECT * FROM verify_heapam('pg_class')
----
--! needs=citext
SELECT texticlike('a'::citext, 'A'::citext), max(name), regexp_split_to_table('aXb'::citext, 'x') FROM (VALUES ('a'::citext)) AS t(name)
