-- Read by SQLite and by Postgres alike: the same tables, the same rows.
CREATE TABLE customers (
    id integer NOT NULL PRIMARY KEY,
    name text NOT NULL,
    country text,
    city varchar(40),
    vip boolean NOT NULL,
    born date,
    joined timestamp,
    balance numeric(10,2),
    score double precision,
    code text,
    since text,
    parent_id integer
);
INSERT INTO customers VALUES
    (1, 'Ann Lee', 'France', 'Paris', TRUE, '1990-01-31', '2024-01-31 10:20:30', 120.50, 7.25, '007', '2024-01-31', NULL),
    (2, 'bob stone', 'france', 'Lyon', FALSE, '1985-12-29', '2023-12-31 23:59:59', 99.99, 3.5, '12', '2023-12-31 23:59:59', 1),
    (3, 'Cara', 'Spain', NULL, TRUE, '2000-02-29', '2024-02-29 00:00:00', NULL, 2.674, '12abc', 'soon', 1),
    (4, 'Dan O''Neil', NULL, 'Madrid', FALSE, NULL, NULL, -10.25, NULL, NULL, NULL, 2),
    (5, 'Eve', 'Spain', 'Madrid', TRUE, '1990-07-15', '2024-03-15 12:00:00', 0.10, -1.5, '5', '2024-03-15 08:09', 2),
    (6, 'a%b_c', 'Peru', '', FALSE, '1999-12-31', '2022-01-01 06:30:15', 1000.01, 0.125, '3.7x', '2022-01-01T06:30:15', 3);

CREATE TABLE orders (
    id integer NOT NULL PRIMARY KEY,
    customer_id integer NOT NULL,
    status text NOT NULL,
    placed_on date NOT NULL,
    shipped_at timestamp,
    amount numeric(10,2) NOT NULL,
    quantity integer NOT NULL,
    returned integer NOT NULL,
    discount double precision
);
INSERT INTO orders VALUES
    (1, 1, 'open', '2024-01-15', '2024-01-16 09:00:00', 10.50, 3, 0, 0.1),
    (2, 1, 'Shipped', '2024-01-31', '2024-02-02 18:45:10', 250.25, 10, 2, NULL),
    (3, 2, 'shipped', '2023-12-30', '2024-01-01 00:00:00', 75.75, 7, 7, 0.25),
    (4, 3, 'open', '2024-02-29', NULL, 33.30, 1, 0, 0.5),
    (5, 5, 'cancelled', '2024-03-31', NULL, 5.04, 2, 1, 0.05),
    (6, 5, 'SHIPPED', '2023-03-05', '2023-03-07 07:07:07', 99.95, 4, 3, NULL),
    (7, 2, 'open', '2024-12-31', '2025-01-01 12:30:00', 410.10, 25, 5, 0.3);

CREATE TABLE "Order Details" (
    "OrderID" integer NOT NULL,
    "Product Name" text NOT NULL,
    "UnitPrice" double precision NOT NULL,
    "Qty" integer NOT NULL
);
INSERT INTO "Order Details" VALUES
    (1, 'Tea', 2.5, 2), (1, 'Coffee', 5.5, 1), (2, 'Tea', 2.5, 100), (3, 'Rye Bread', 3.75, 20),
    (4, 'Oats', 33.3, 1), (5, 'Tea', 2.525, 2), (7, 'Coffee', 16.4, 25);

CREATE TABLE documents (
    id integer NOT NULL PRIMARY KEY,
    body jsonb NOT NULL
);
INSERT INTO documents VALUES
    (1, '{"kind":"note","size":3,"tags":["a","b"],"owner":{"name":"Ann","age":34}}'),
    (2, '{"kind":"mail","size":12.5,"tags":[],"owner":{"name":"Bob"},"$.size":7}'),
    (3, '{"kind":"note","size":null,"tags":["c"],"done":true}');
