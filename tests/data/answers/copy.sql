COPY (SELECT 1) TO STDOUT
COPY (SELECT * FROM item ORDER BY id) TO STDOUT
COPY (SELECT * FROM every_type) TO STDOUT
COPY (SELECT id, name, price, tags FROM item WHERE id < 30 ORDER BY id) TO STDOUT (FORMAT csv, HEADER, FORCE_QUOTE (name), NULL 'none')
COPY (SELECT id, name, price FROM item WHERE id < 30 ORDER BY id) TO STDOUT WITH CSV HEADER DELIMITER '|' QUOTE '"' ESCAPE '\'
COPY (SELECT id, name, made FROM item ORDER BY id) TO STDOUT (FORMAT binary)
COPY (SELECT a_bool, a_int8, a_numeric, a_text, a_bytea FROM every_type) TO STDOUT WITH BINARY
COPY (VALUES (1, E'a\tb'), (2, E'\\'), (3, NULL)) TO STDOUT (DELIMITER ';', NULL '\n')
COPY (SELECT * FROM empty_table) TO STDOUT
COPY (SELECT * FROM no_column) TO STDOUT
COPY (SELECT body FROM big) TO STDOUT
COPY (WITH a AS (SELECT 5 AS x) SELECT * FROM a) TO STDOUT (FORMAT text, ENCODING 'UTF8')
COPY (SELECT 10 / (5 - id) FROM item ORDER BY id) TO STDOUT
COPY (SELECT no_such_column FROM item) TO STDOUT
COPY (SELECT 1) TO STDOUT (DELIMITER 'xx')
COPY (SELECT 'notice' ~~~> 'in the middle of a copy') TO STDOUT
COPY item TO STDOUT
COPY public.item (id, state, tags) TO STDOUT WITH (FORMAT csv, HEADER, FORCE_QUOTE (state), NULL 'none')
COPY item (price, id) TO STDOUT CSV HEADER DELIMITER ';' FORCE QUOTE *
COPY item (id, name, made) TO STDOUT (FORMAT binary)
COPY BINARY every_type TO STDOUT
COPY every_type TO STDOUT
COPY item (name) TO STDOUT USING DELIMITERS '|' WITH NULL AS 'nothing'
COPY "Mixed Case" ("Übung", "a ""quoted"" name") TO STDOUT (ENCODING 'UTF8')
COPY "Mixed Case" ("Key") TO STDOUT (ENCODING 'LATIN1')
COPY U&"Mixed\0020Case" ("Key") TO STDOUT
COPY empty_table TO STDOUT
COPY no_column TO STDOUT
COPY big TO STDOUT
COPY computed TO STDOUT
COPY whole TO STDOUT
COPY piece (id) TO STDOUT
COPY guarded TO STDOUT
COPY guarded (word) TO STDOUT CSV
COPY other.item TO STDOUT
COPY parted_low (v) TO STDOUT
COPY pg_catalog.pg_language (lanname) TO STDOUT
COPY item TO STDIN
BEGIN
COPY item (id) TO STDOUT
COPY (SELECT id FROM item WHERE id < 4 ORDER BY id) TO STDOUT
COPY (SELECT 1/0) TO STDOUT
COPY (SELECT 1) TO STDOUT
ROLLBACK
SELECT 1
