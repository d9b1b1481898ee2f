-- A company's database: sales of two tenants, staff, who may see what.
CREATE ROLE ann LOGIN PASSWORD 'ann';
CREATE ROLE agent_7 LOGIN PASSWORD 'agent_7';
CREATE ROLE bi_board LOGIN PASSWORD 'bi_board';
CREATE ROLE dba_kim LOGIN PASSWORD 'dba_kim';
CREATE DATABASE sales;
\c sales
CREATE SCHEMA sales;
CREATE SCHEMA hr;
CREATE TABLE sales.customers (
    id int PRIMARY KEY, tenant int NOT NULL, name text NOT NULL, email text NOT NULL, phone text,
    country text NOT NULL, created_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE sales.orders (
    id int PRIMARY KEY, tenant int NOT NULL, customer_id int NOT NULL REFERENCES sales.customers,
    placed_on date NOT NULL, status text NOT NULL);
CREATE TABLE sales.order_lines (
    order_id int NOT NULL REFERENCES sales.orders, product text NOT NULL, quantity int NOT NULL,
    price numeric(10, 2) NOT NULL, PRIMARY KEY (order_id, product));
CREATE VIEW sales.revenue AS
    SELECT o.tenant, o.placed_on, sum(l.quantity * l.price) AS amount
    FROM sales.orders o JOIN sales.order_lines l ON l.order_id = o.id GROUP BY o.tenant, o.placed_on;
CREATE TABLE hr.people (
    id int PRIMARY KEY, name text NOT NULL, birth_date date, iban text, manager_id int REFERENCES hr.people);
CREATE TABLE hr.salaries (person_id int PRIMARY KEY REFERENCES hr.people, amount numeric(10, 2) NOT NULL);

INSERT INTO sales.customers
    SELECT n, 1 + n % 2, 'Customer ' || n, 'customer' || n || '@example.com', '+49 30 ' || 100000 + n,
           (ARRAY['DE', 'FR', 'PL'])[1 + n % 3]
    FROM generate_series(1, 60) n;
INSERT INTO sales.orders
    SELECT n, 1 + (1 + n % 60) % 2, 1 + n % 60, date '2026-01-01' + n, (ARRAY['paid', 'open'])[1 + n % 2]
    FROM generate_series(1, 300) n;
INSERT INTO sales.order_lines SELECT n, 'product ' || n % 7, 1 + n % 3, 10 + n % 5 FROM generate_series(1, 300) n;
INSERT INTO hr.people SELECT n, 'Person ' || n, date '1980-01-01' + 100 * n, 'DE00' || n, NULL FROM generate_series(1, 9) n;
INSERT INTO hr.salaries SELECT n, 3000 + 100 * n FROM generate_series(1, 9) n;
GRANT USAGE ON SCHEMA sales, hr TO agent_7, bi_board, dba_kim;
GRANT SELECT ON ALL TABLES IN SCHEMA sales, hr TO agent_7, bi_board, dba_kim;
ANALYZE;
