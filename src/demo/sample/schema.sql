-- A small shop: what it sells, to whom, and what became of each order.
-- Run by the superuser in an empty database; everything belongs to shop_owner.

-- Roles belong to the whole cluster, which may hold this shop in another database already.
DO $$ BEGIN
  CREATE ROLE shop_owner NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
CREATE SCHEMA shop AUTHORIZATION shop_owner;
SET ROLE shop_owner;
SET search_path TO shop;

CREATE TYPE order_status AS ENUM ('basket', 'placed', 'paid', 'shipped', 'delivered', 'returned');
CREATE SEQUENCE invoice_number START 20240001;

CREATE TABLE customers (
  id          integer PRIMARY KEY,
  name        text NOT NULL,
  email       text NOT NULL UNIQUE,
  company     text,
  newsletter  boolean NOT NULL,
  tags        text[] NOT NULL,
  preferences jsonb NOT NULL,
  created_at  timestamptz NOT NULL
);

CREATE TABLE addresses (
  id          integer PRIMARY KEY,
  customer_id integer NOT NULL REFERENCES customers,
  kind        text NOT NULL CHECK (kind IN ('billing', 'delivery')),
  street      text NOT NULL,
  postal_code text NOT NULL,
  city        text NOT NULL,
  country     char(2) NOT NULL
);

CREATE TABLE employees (
  id         integer PRIMARY KEY,
  name       text NOT NULL,
  manager_id integer REFERENCES employees,
  role       text NOT NULL,
  salary     numeric(10, 2) NOT NULL,
  hired_on   date NOT NULL
);

CREATE TABLE suppliers (
  id        integer PRIMARY KEY,
  name      text NOT NULL,
  country   char(2) NOT NULL,
  lead_time interval NOT NULL
);

CREATE TABLE categories (
  id        integer PRIMARY KEY,
  parent_id integer REFERENCES categories,
  name      text NOT NULL
);

CREATE TABLE products (
  id          integer PRIMARY KEY,
  sku         text NOT NULL UNIQUE,
  name        text NOT NULL,
  category_id integer NOT NULL REFERENCES categories,
  supplier_id integer NOT NULL REFERENCES suppliers,
  price       numeric(10, 2) NOT NULL CHECK (price > 0),
  attributes  jsonb NOT NULL,
  sizes       text[] NOT NULL,
  retired     boolean NOT NULL DEFAULT false
);

CREATE TABLE inventory (
  product_id integer NOT NULL REFERENCES products,
  warehouse  text NOT NULL,
  on_hand    integer NOT NULL,
  reserved   integer NOT NULL DEFAULT 0,
  counted_at timestamptz NOT NULL,
  PRIMARY KEY (product_id, warehouse)
);

CREATE TABLE orders (
  id          integer PRIMARY KEY,
  customer_id integer NOT NULL REFERENCES customers,
  employee_id integer REFERENCES employees,
  status      order_status NOT NULL,
  placed_at   timestamptz NOT NULL,
  invoice     bigint UNIQUE
);

-- Named by two generations of programmers, as such tables are.
CREATE TABLE "Order Items" (
  "orderId"   integer NOT NULL REFERENCES orders,
  line        smallint NOT NULL,
  "productId" integer NOT NULL REFERENCES products,
  quantity    integer NOT NULL CHECK (quantity > 0),
  "unitPrice" numeric(10, 2) NOT NULL,
  "Discount %" numeric(4, 1) NOT NULL DEFAULT 0,
  PRIMARY KEY ("orderId", line)
);

CREATE TABLE "orderEvents" (
  id         bigint PRIMARY KEY,
  "orderId"  integer NOT NULL REFERENCES orders,
  "happenedAt" timestamptz NOT NULL,
  kind       order_status NOT NULL,
  payload    jsonb NOT NULL
);

CREATE TABLE payments (
  id        integer PRIMARY KEY,
  order_id  integer NOT NULL REFERENCES orders,
  method    text NOT NULL,
  amount    numeric(12, 2) NOT NULL,
  paid_at   timestamptz NOT NULL
);

CREATE TABLE shipments (
  id         integer PRIMARY KEY,
  order_id   integer NOT NULL REFERENCES orders,
  address_id integer NOT NULL REFERENCES addresses,
  carrier    text NOT NULL,
  tracking   uuid NOT NULL,
  sent_at    timestamptz NOT NULL,
  arrived_at timestamptz
);

CREATE TABLE reviews (
  id          integer PRIMARY KEY,
  product_id  integer NOT NULL REFERENCES products,
  customer_id integer NOT NULL REFERENCES customers,
  stars       smallint NOT NULL CHECK (stars BETWEEN 1 AND 5),
  body        text,
  written_at  timestamptz NOT NULL
);

CREATE VIEW order_totals AS
  SELECT o.id AS order_id, o.customer_id, o.status, o.placed_at,
         count(*) AS lines,
         sum(round(i.quantity * i."unitPrice" * (1 - i."Discount %" / 100), 2)) AS total
    FROM orders o JOIN "Order Items" i ON i."orderId" = o.id
   GROUP BY o.id;

CREATE VIEW monthly_revenue AS
  SELECT date_trunc('month', placed_at AT TIME ZONE 'UTC')::date AS month,
         count(*) AS orders, sum(total) AS revenue
    FROM order_totals
   WHERE status IN ('paid', 'shipped', 'delivered')
   GROUP BY 1;

-- Looks like a list. Whoever reads it takes a lock for each customer, as somebody once found clever:
-- nobody else calls a customer who is being called.
CREATE VIEW call_list AS
  SELECT c.id, c.name, c.email, max(o.placed_at) AS last_order
    FROM customers c JOIN orders o ON o.customer_id = c.id
   GROUP BY c.id
  HAVING pg_try_advisory_lock(c.id);

COMMENT ON SCHEMA shop IS 'The sample database of pgsieve';
COMMENT ON TABLE customers IS 'People and companies that have bought something or might';
COMMENT ON COLUMN customers.preferences IS 'Language, currency and what else the website remembers';
COMMENT ON TABLE "Order Items" IS 'One row for each line of an order';
COMMENT ON COLUMN "Order Items"."unitPrice" IS 'Price on the day of the order, before the discount';
COMMENT ON TABLE "orderEvents" IS 'What became of each order, newest last';
COMMENT ON COLUMN products.attributes IS 'Colour, weight in grams and material';
COMMENT ON VIEW call_list IS 'Customers that nobody is calling, to be called';
COMMENT ON VIEW monthly_revenue IS 'Paid orders by month of order, UTC';
