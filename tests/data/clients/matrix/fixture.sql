-- What introspection needs, beside tests/data/answers/fixture.sql. Run by the superuser, with psql.
SELECT format('CREATE EXTENSION %I', name) FROM pg_available_extensions
WHERE name IN ('citext', 'pg_trgm', 'hstore', 'ltree', 'pgcrypto', 'uuid-ossp', 'tablefunc',
               'pg_stat_statements', 'pg_buffercache', 'pgstattuple', 'fuzzystrmatch', 'unaccent')
ORDER BY name \gexec

CREATE SCHEMA shop AUTHORIZATION app;
CREATE SCHEMA "Mixed Schema" AUTHORIZATION app;
SET ROLE app;
SET search_path = shop, public;

CREATE TYPE shop.status AS ENUM ('new', 'paid', 'sent', 'gone back');
CREATE TYPE shop.address AS (street text, town text, number integer);
CREATE DOMAIN shop.email AS text CHECK (VALUE LIKE '%@%');
CREATE DOMAIN shop.amount AS numeric(12,2) NOT NULL DEFAULT 0 CHECK (VALUE >= 0);
COMMENT ON SCHEMA shop IS 'What is sold, and to whom';
COMMENT ON TYPE shop.status IS 'How far an order is';
COMMENT ON DOMAIN shop.email IS 'Has an @';

CREATE TABLE shop.customer (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  email shop.email UNIQUE,
  home shop.address,
  notes jsonb DEFAULT '{}',
  tags text[] NOT NULL DEFAULT '{}',
  active boolean NOT NULL DEFAULT true,
  ref uuid NOT NULL,
  seen_from inet,
  born date,
  made timestamptz NOT NULL DEFAULT '2024-01-01 00:00:00+00',
  CONSTRAINT customer_born_after CHECK (born > '1900-01-01')
);
COMMENT ON TABLE shop.customer IS 'Who buys; it''s "quoted"';
COMMENT ON COLUMN shop.customer.ref IS 'The same in all systems';
INSERT INTO shop.customer (name, email, home, notes, tags, active, ref, seen_from, born)
SELECT 'customer ' || n, 'c' || n || '@example.com', ROW('Street ' || n, 'Town ' || n % 5, n)::shop.address,
       jsonb_build_object('n', n, 'list', jsonb_build_array(n, NULL, 'x'), 'deep', jsonb_build_object('a', n % 2 = 0)),
       ARRAY['t' || n % 3, 'ü' || n % 2], n % 7 <> 0, ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid,
       ('10.0.' || n % 250 || '.1/24')::inet, date '1950-01-01' + n * 100
FROM generate_series(1, 200) n;

CREATE TABLE shop.product (
  sku varchar(20) PRIMARY KEY,
  title text NOT NULL,
  price shop.amount,
  weight real,
  dimensions double precision[],
  on_sale daterange,
  picture bytea,
  price_with_tax numeric(12,2) GENERATED ALWAYS AS (price * 1.19) STORED,
  EXCLUDE USING gist (on_sale WITH &&) WHERE (sku = 'none')
);
INSERT INTO shop.product
SELECT 'SKU-' || n, 'Product ' || n, n * 9.99, n / 8.0, ARRAY[n, n / 2.0, n / 4.0],
       daterange(date '2024-01-01' + n, date '2024-01-01' + n + 10), decode(lpad(to_hex(n), 4, '0'), 'hex')
FROM generate_series(1, 50) n;

CREATE TABLE shop.purchase (
  customer_id integer NOT NULL REFERENCES shop.customer ON DELETE CASCADE ON UPDATE RESTRICT,
  number integer NOT NULL,
  state shop.status NOT NULL DEFAULT 'new',
  placed timestamp NOT NULL,
  wait interval,
  total shop.amount,
  PRIMARY KEY (customer_id, number)
);
COMMENT ON CONSTRAINT purchase_customer_id_fkey ON shop.purchase IS 'Whose it is';
INSERT INTO shop.purchase
SELECT 1 + n % 200, n / 200, (enum_range(NULL::shop.status))[1 + n % 4], timestamp '2024-01-01' + n * interval '3 hours',
       n * interval '1 minute', n * 1.01
FROM generate_series(0, 999) n;

CREATE TABLE shop.purchase_line (
  customer_id integer NOT NULL,
  number integer NOT NULL,
  line smallint NOT NULL,
  sku varchar(20) NOT NULL REFERENCES shop.product (sku) DEFERRABLE INITIALLY DEFERRED,
  quantity integer NOT NULL CHECK (quantity > 0),
  PRIMARY KEY (customer_id, number, line),
  CONSTRAINT line_of_purchase FOREIGN KEY (customer_id, number) REFERENCES shop.purchase (customer_id, number) MATCH FULL
);
INSERT INTO shop.purchase_line
SELECT 1 + n % 200, (n / 200) % 5, (n / 1000)::smallint, 'SKU-' || 1 + n % 50, 1 + n % 9
FROM generate_series(0, 2999) n;

CREATE TABLE shop.employee (
  id bigserial PRIMARY KEY,
  boss bigint REFERENCES shop.employee,
  name text NOT NULL UNIQUE NULLS NOT DISTINCT,
  salary money
);
INSERT INTO shop.employee (boss, name, salary)
SELECT CASE WHEN n > 1 THEN n / 2 END, 'employee ' || n, (n * 1000)::numeric::money FROM generate_series(1, 31) n;

CREATE TABLE shop.event (id bigint NOT NULL, at timestamptz NOT NULL, kind text, body jsonb, PRIMARY KEY (id, at))
  PARTITION BY RANGE (at);
CREATE TABLE shop.event_2024 PARTITION OF shop.event FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE shop.event_2025 PARTITION OF shop.event FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE TABLE shop.event_rest PARTITION OF shop.event DEFAULT;
CREATE INDEX event_kind ON shop.event (kind);
INSERT INTO shop.event
SELECT n, timestamptz '2024-06-01 00:00:00+00' + n * interval '1 day', 'kind ' || n % 4, jsonb_build_object('n', n)
FROM generate_series(1, 700) n;

-- pgbench's, of scale 1.
CREATE TABLE public.pgbench_branches (bid integer PRIMARY KEY, bbalance integer, filler char(88));
CREATE TABLE public.pgbench_tellers (tid integer PRIMARY KEY, bid integer, tbalance integer, filler char(84));
CREATE TABLE public.pgbench_accounts (aid integer PRIMARY KEY, bid integer, abalance integer, filler char(84));
CREATE TABLE public.pgbench_history (
  tid integer, bid integer, aid integer, delta integer, mtime timestamp, filler char(22)
);
INSERT INTO public.pgbench_branches VALUES (1, 0);
INSERT INTO public.pgbench_tellers SELECT n, 1, 0 FROM generate_series(1, 10) n;
INSERT INTO public.pgbench_accounts SELECT n, 1, 0 FROM generate_series(1, 100000) n;
GRANT SELECT ON public.pgbench_branches, public.pgbench_tellers, public.pgbench_accounts, public.pgbench_history TO reader;

-- For cursors, streams and fetch sizes.
CREATE TABLE shop.reading (id integer PRIMARY KEY, sensor integer NOT NULL, value double precision, taken timestamptz, note text);
INSERT INTO shop.reading
SELECT n, n % 100, CASE WHEN n % 50 = 0 THEN NULL ELSE n / 7.0 END, timestamptz '2024-01-01 00:00:00+00' + n * interval '1 second',
       'note ' || n
FROM generate_series(1, 50000) n;
CREATE INDEX reading_sensor ON shop.reading (sensor, taken DESC NULLS LAST) INCLUDE (value);
CREATE INDEX reading_partial ON shop.reading (lower(note)) WHERE value IS NOT NULL;
CREATE STATISTICS shop.reading_statistics (dependencies, ndistinct) ON sensor, id FROM shop.reading;

CREATE TABLE "Mixed Schema"."Mixed Table" (
  "Id" integer PRIMARY KEY, "Upper Column" text, "select" boolean, "per%cent" integer, "Ünïcode" text,
  "Parent" integer REFERENCES "Mixed Schema"."Mixed Table" ("Id")
);
INSERT INTO "Mixed Schema"."Mixed Table"
SELECT n, 'U' || n, n % 2 = 0, n * 10, 'ß' || n, CASE WHEN n > 1 THEN 1 END FROM generate_series(1, 20) n;
CREATE INDEX "Mixed Index" ON "Mixed Schema"."Mixed Table" ("Upper Column" DESC);

CREATE TABLE shop.old_style (id integer, value text) INHERITS (public.whole);
CREATE UNLOGGED TABLE shop.scratch (id integer, body text COLLATE "C");

CREATE VIEW shop.customer_total AS
  SELECT c.id, c.name, count(p.number) AS purchases, sum(p.total) AS total
  FROM shop.customer c LEFT JOIN shop.purchase p ON p.customer_id = c.id GROUP BY c.id, c.name;
COMMENT ON VIEW shop.customer_total IS 'What each has bought';
CREATE VIEW shop.active_customer WITH (security_barrier) AS
  SELECT id, name, email FROM shop.customer WHERE active WITH LOCAL CHECK OPTION;
CREATE MATERIALIZED VIEW shop.sensor_day AS
  SELECT sensor, date_trunc('day', taken) AS day, avg(value) AS average, count(*) AS readings
  FROM shop.reading GROUP BY 1, 2;
CREATE UNIQUE INDEX sensor_day_key ON shop.sensor_day (sensor, day);

CREATE SEQUENCE shop.invoice_number AS integer START 1000 INCREMENT 5 MAXVALUE 999999 CACHE 10 CYCLE;
CREATE FUNCTION shop.with_tax(price numeric, rate numeric DEFAULT 0.19) RETURNS numeric
  LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN price * (1 + rate);
COMMENT ON FUNCTION shop.with_tax(numeric, numeric) IS 'The price that is paid';
CREATE FUNCTION shop.customers_of(town text, OUT id integer, OUT name text) RETURNS SETOF record
  LANGUAGE sql STABLE BEGIN ATOMIC
    SELECT c.id, c.name FROM shop.customer c WHERE (c.home).town = customers_of.town ORDER BY c.id;
  END;
CREATE FUNCTION shop.many(VARIADIC numbers integer[]) RETURNS bigint
  LANGUAGE sql IMMUTABLE RETURN (SELECT sum(n) FROM unnest(numbers) n);
CREATE FUNCTION shop.stamp() RETURNS trigger LANGUAGE plpgsql SET search_path = shop AS $$
BEGIN
  NEW.placed := now();
  RETURN NEW;
END $$;
CREATE TRIGGER purchase_stamp BEFORE UPDATE ON shop.purchase FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state)
  EXECUTE FUNCTION shop.stamp();
CREATE PROCEDURE shop.close_day() LANGUAGE sql BEGIN ATOMIC
    UPDATE shop.purchase SET state = 'gone back' WHERE state = 'sent';
  END;
CREATE AGGREGATE shop.product_of(double precision) (SFUNC = float8mul, STYPE = double precision, INITCOND = '1');
CREATE RULE scratch_nothing AS ON DELETE TO shop.scratch DO INSTEAD NOTHING;
ALTER TABLE shop.employee ADD CONSTRAINT employee_not_own_boss CHECK (boss <> id);

GRANT USAGE ON SCHEMA shop, "Mixed Schema", other TO reader, monitor;
GRANT SELECT ON ALL TABLES IN SCHEMA shop, "Mixed Schema", other TO reader, monitor;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA shop, public TO reader, monitor;
-- One function that may be refused by the server itself.
REVOKE EXECUTE ON FUNCTION shop.many(integer[]) FROM PUBLIC;
RESET search_path;
RESET ROLE;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO monitor;
REVOKE ALL ON secret_table FROM monitor;

-- Words that do not distinguish case, where contrib is there.
SELECT $$CREATE TABLE shop.word (word citext PRIMARY KEY, path ltree, pairs hstore)$$,
       $$INSERT INTO shop.word VALUES ('Upper', 'top.first', 'a=>1'), ('lower', 'top.second', 'b=>NULL')$$,
       $$CREATE INDEX word_trigrams ON shop.word USING gin ((word::text) gin_trgm_ops)$$,
       $$GRANT SELECT ON shop.word TO reader, monitor$$
WHERE (SELECT count(*) FROM pg_extension WHERE extname IN ('citext', 'ltree', 'hstore', 'pg_trgm')) = 4 \gexec
