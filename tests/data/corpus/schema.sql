-- The tables that the statements of this folder speak about. Loaded as it is by tests that run them.
CREATE TYPE order_status AS ENUM ('new', 'paid', 'shipped', 'returned');
CREATE TABLE customers (
    id integer PRIMARY KEY,
    name text NOT NULL,
    email text UNIQUE,
    country char(2) NOT NULL DEFAULT 'NO',
    born date,
    tags text[] NOT NULL DEFAULT '{}',
    profile jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE products (
    id integer PRIMARY KEY,
    name text NOT NULL,
    price numeric(10, 2) NOT NULL CHECK (price >= 0),
    category text,
    attributes jsonb NOT NULL DEFAULT '{}'
);
CREATE TABLE orders (
    id bigint PRIMARY KEY,
    customer_id integer NOT NULL REFERENCES customers DEFERRABLE,
    status order_status NOT NULL DEFAULT 'new',
    total numeric(12, 2) NOT NULL DEFAULT 0,
    placed_at timestamptz NOT NULL DEFAULT now(),
    note text
);
CREATE TABLE order_items (
    order_id bigint NOT NULL REFERENCES orders DEFERRABLE,
    line integer NOT NULL,
    product_id integer NOT NULL REFERENCES products,
    quantity integer NOT NULL,
    price numeric(10, 2) NOT NULL,
    PRIMARY KEY (order_id, line)
);
CREATE INDEX order_items_product ON order_items (product_id);
CREATE TABLE employees (
    id integer PRIMARY KEY,
    name text NOT NULL,
    manager_id integer REFERENCES employees,
    salary numeric(10, 2),
    department text
);
CREATE TABLE events (
    id bigint PRIMARY KEY,
    kind text NOT NULL,
    payload jsonb NOT NULL,
    at timestamptz NOT NULL
);
CREATE TABLE bookings (
    room integer NOT NULL,
    during tstzrange NOT NULL,
    seats int4range,
    guest text
);
CREATE TABLE docs (
    id integer PRIMARY KEY,
    title text NOT NULL,
    body text NOT NULL,
    search tsvector GENERATED ALWAYS AS (to_tsvector('english', title || ' ' || body)) STORED
);
CREATE TABLE "Mixed Case" ("Key" integer PRIMARY KEY, "The Value" text);
CREATE TABLE part (id integer, at date NOT NULL) PARTITION BY RANGE (at);
CREATE TABLE part_2024 PARTITION OF part FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE SEQUENCE order_ids;
CREATE VIEW open_orders AS SELECT * FROM orders WHERE status IN ('new', 'paid');
CREATE MATERIALIZED VIEW sales_by_day AS
    SELECT placed_at::date AS day, sum(total) AS total FROM orders GROUP BY 1;
CREATE FUNCTION add_one(integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT $1 + 1';
CREATE FUNCTION touch_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
CREATE TRIGGER touched BEFORE UPDATE ON customers FOR EACH ROW EXECUTE FUNCTION touch_row();
CREATE STATISTICS order_statistics ON customer_id, status FROM orders;
INSERT INTO customers (id, name, email, tags, profile)
    SELECT n, 'Customer ' || n, 'c' || n || '@example.org', ARRAY['a', 'b'], '{"vip": true, "size": 3}'
    FROM generate_series(1, 20) AS n;
INSERT INTO products SELECT n, 'Product ' || n, n * 1.5, 'c' || n % 3 FROM generate_series(1, 20) AS n;
INSERT INTO orders (id, customer_id, total)
    SELECT n, 1 + n % 20, n * 2 FROM generate_series(1, 50) AS n;
INSERT INTO order_items SELECT n, 1, 1 + n % 20, 2, 3.50 FROM generate_series(1, 50) AS n;
INSERT INTO employees VALUES (1, 'Ada', NULL, 100, 'it'), (2, 'Bo', 1, 80, 'it'), (3, 'Cy', 2, 70, 'hr');
INSERT INTO events VALUES (1, 'click', '{"user": 1, "tags": ["x", "y"], "price": 9.5}', now());
INSERT INTO bookings VALUES (1, '[2024-01-01, 2024-01-02)', '[1,4)', 'Ada');
INSERT INTO docs (id, title, body) VALUES (1, 'Postgres', 'Reads pass, writes do not.');
INSERT INTO "Mixed Case" VALUES (1, 'one');
INSERT INTO part VALUES (1, '2024-05-05');
CREATE TABLE pgbench_accounts (aid integer PRIMARY KEY, bid integer, abalance integer, filler char(84));
