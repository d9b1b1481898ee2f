-- What the statements beside this file are about. Run by the superuser in an empty database of the role `app`.
SET ROLE app;

CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE pair AS (a integer, b text);
CREATE DOMAIN positive AS integer CHECK (VALUE > 0);
CREATE DOMAIN present AS text NOT NULL;
CREATE TYPE spans AS RANGE (subtype = float8);

CREATE TABLE item (
  id integer PRIMARY KEY,
  name text NOT NULL,
  price numeric(10,2),
  made timestamptz,
  tags text[],
  state mood
);
INSERT INTO item
SELECT n, 'item ' || n, n * 1.25, timestamptz '2020-01-01 00:00:00+00' + n * interval '1 hour',
       ARRAY['t' || n % 7, 't' || n % 3], (ARRAY['sad', 'ok', 'happy'])[1 + n % 3]::mood
FROM generate_series(1, 1000) n;
UPDATE item SET price = NULL, tags = NULL WHERE id % 10 = 0;

CREATE TABLE part (item_id integer REFERENCES item DEFERRABLE, line integer, amount integer, PRIMARY KEY (item_id, line));
INSERT INTO part SELECT 1 + n % 1000, n / 1000, n % 13 FROM generate_series(0, 2999) n;

CREATE TABLE "Mixed Case" ("Key" serial PRIMARY KEY, "Übung" text, "a ""quoted"" name" integer);
INSERT INTO "Mixed Case" ("Übung", "a ""quoted"" name") VALUES ('äöü', 1), ('日本語', 2), ('🙂', 3);

CREATE TABLE every_type (
  a_bool boolean, a_int2 int2, a_int4 int4, a_int8 int8, a_float4 float4, a_float8 float8, a_numeric numeric,
  a_money money, a_text text, a_varchar varchar(40), a_char char(8), a_name name, a_char1 "char", a_bytea bytea,
  a_date date, a_time time, a_timetz timetz, a_timestamp timestamp, a_timestamptz timestamptz, an_interval interval,
  a_uuid uuid, a_json json, a_jsonb jsonb, a_jsonpath jsonpath, an_xml text, a_bit bit(5), a_varbit varbit,
  an_inet inet, a_cidr cidr, a_macaddr macaddr, a_macaddr8 macaddr8, a_point point, a_line line, a_lseg lseg, a_box box,
  a_path path, a_polygon polygon, a_circle circle, a_tsvector tsvector, a_tsquery tsquery, an_int4range int4range,
  a_numrange numrange, a_tsrange tsrange, a_daterange daterange, a_multirange int4multirange, an_enum mood, a_pair pair,
  a_domain positive, an_array int4[], a_matrix text[][], a_pairs pair[], an_oid oid, a_regclass regclass,
  a_regtype regtype, a_pg_lsn pg_lsn, a_span spans
);
INSERT INTO every_type VALUES (
  true, -32768, 2147483647, -9223372036854775808, 1.5e-5, 'NaN', 12345678901234567890.000000001,
  1234.56, E'tab\t"quote" \\ back', 'ünïcode', 'padded', 'a_name', 'x', '\x00ff10',
  '2024-02-29', '23:59:59.999999', '12:00:00+05:30', '2024-02-29 12:34:56.789', '2024-02-29 12:34:56.789+02', '1 year 2 mons 3 days 04:05:06.7',
  'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{"a": [1, null]}', '{"b": {"c": "d"}}', '$.a[*] ? (@ > 1)', '<x/>', B'10101', B'101',
  '192.168.0.1/24', '10.0.0.0/8', '08:00:2b:01:02:03', '08:00:2b:01:02:03:04:05', '(1,2)', '{1,2,3}', '[(0,0),(1,1)]', '(2,2),(1,1)',
  '((0,0),(1,1),(2,0))', '((0,0),(1,1),(2,0))', '<(1,1),2>', 'a fat cat', 'fat & cat', '[1,10)',
  '(1.5,2.5]', '[2024-01-01,2024-02-01)', 'empty', '{[1,3),[5,8)}', 'happy', '(1,"two words")',
  7, '{1,2,NULL,4}', '{{a,b},{c,d}}', '{"(1,x)","(2,)"}', 4294967295, 'item',
  'integer', '16/B374D848', '[1.5,2.5]'
), (
  false, 32767, -2147483648, 9223372036854775807, 'Infinity', '-Infinity', 'NaN',
  -0.01, '', '', '', '', '', '',
  'infinity', '00:00', '00:00+00', '-infinity', '4713-11-24 00:00:00+00 BC', '-1 day +00:00:00.000001',
  '00000000-0000-0000-0000-000000000000', 'null', '"text"', 'strict $', '', B'00000', B'',
  '::1', '::/0', '00:00:00:00:00:00', '00:00:00:00:00:00:00:00', '(NaN,Infinity)', '{0,1,0}', '[(0,0),(0,0)]', '(0,0),(0,0)',
  '[(0,0)]', '((0,0))', '<(0,0),0>', '', '', 'empty',
  '(,)', '(,)', '[2024-01-01,)', '{}', 'sad', '(,)',
  1, '{}', '{}', '{}', 0, '-',
  'text[]', '0/0', '(,)'
);
INSERT INTO every_type (a_bool) VALUES (NULL);

CREATE TABLE empty_table (id integer, note text);
CREATE TABLE no_column ();
INSERT INTO no_column DEFAULT VALUES;
CREATE VIEW item_view AS SELECT id, upper(name) AS loud FROM item WHERE price IS NOT NULL;
CREATE MATERIALIZED VIEW item_total AS SELECT state, count(*) AS items, sum(price) AS total FROM item GROUP BY state;
CREATE SEQUENCE counter START 5;
CREATE TABLE parted (k integer, v text) PARTITION BY RANGE (k);
CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (0) TO (100);
CREATE TABLE parted_high PARTITION OF parted FOR VALUES FROM (100) TO (200);
INSERT INTO parted SELECT n, 'p' || n FROM generate_series(0, 199) n;
CREATE TABLE secret_table (id integer);
CREATE TABLE big (id integer, body text);
INSERT INTO big SELECT n, repeat(md5(n::text), 40000) FROM generate_series(1, 3) n;
CREATE INDEX item_name ON item (name);
CREATE SCHEMA other;
CREATE TABLE other.item (id integer, note text);
INSERT INTO other.item VALUES (1, 'elsewhere');
CREATE TABLE computed (id integer, twice integer GENERATED ALWAYS AS (id * 2) STORED, word text);
INSERT INTO computed (id, word) SELECT n, 'c' || n FROM generate_series(1, 5) n;
CREATE TABLE whole (id integer);
CREATE TABLE piece (note text) INHERITS (whole);
INSERT INTO whole VALUES (1);
INSERT INTO piece VALUES (2, 'of the whole');
CREATE TABLE guarded (id integer, word text);
INSERT INTO guarded SELECT n, 'g' || n FROM generate_series(1, 9) n;
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
ALTER TABLE guarded FORCE ROW LEVEL SECURITY;
CREATE POLICY even ON guarded USING (id % 2 = 0);

-- Operators that say or throw what their operand tells, as no read written by a client could.
CREATE FUNCTION say(level text, words text) RETURNS text STABLE LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  CASE level
    WHEN 'notice' THEN RAISE NOTICE '%', words;
    WHEN 'warning' THEN RAISE WARNING '%', words;
    WHEN 'info' THEN RAISE INFO '%', words;
    WHEN 'log' THEN RAISE LOG '%', words;
    WHEN 'debug' THEN RAISE DEBUG '%', words;
    ELSE RAISE NOTICE USING MESSAGE = words, DETAIL = 'the detail', HINT = 'the hint', ERRCODE = level,
      COLUMN = 'a column', CONSTRAINT = 'a constraint', DATATYPE = 'a type', TABLE = 'a table', SCHEMA = 'a schema';
  END CASE;
  RETURN words;
END $$;
CREATE OPERATOR ~~~> (LEFTARG = text, RIGHTARG = text, FUNCTION = say);
CREATE FUNCTION throw(code text, words text) RETURNS text STABLE LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION USING MESSAGE = words, DETAIL = 'the detail', HINT = 'the hint', ERRCODE = code,
    COLUMN = 'a column', CONSTRAINT = 'a constraint', DATATYPE = 'a type', TABLE = 'a table', SCHEMA = 'a schema';
END $$;
CREATE OPERATOR !!!> (LEFTARG = text, RIGHTARG = text, FUNCTION = throw);

GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
REVOKE ALL ON secret_table FROM reader;
ANALYZE item, part, every_type, parted;
RESET ROLE;
