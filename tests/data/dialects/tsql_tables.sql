-- A shop, as texts of T-SQL speak of it. Texts differ in their letters' case and in spaces at
-- their end; numbers are negative and missing; dates are the ends of months, years and time.
CREATE TABLE regions (
    region_id integer NOT NULL PRIMARY KEY,
    region_name varchar(30) NOT NULL
);
INSERT INTO regions VALUES (1, 'North'), (2, 'South'), (3, 'East'), (4, 'West');

CREATE TABLE customers (
    customer_id integer NOT NULL PRIMARY KEY,
    full_name varchar(60) NOT NULL,
    email varchar(80),
    city varchar(40),
    region_id integer REFERENCES regions,
    credit_limit numeric(12,2),
    is_active boolean NOT NULL,
    joined_on date,
    notes text
);
INSERT INTO customers VALUES
    (1, 'Alice Ng', 'alice@example.com', 'Berlin', 1, 5000.00, TRUE, '2023-01-15', 'VIP client'),
    (2, 'bob Stone', 'BOB@Example.com', 'berlin', 1, 1200.50, TRUE, '2023-03-31', NULL),
    (3, 'Carol Diaz', NULL, 'Madrid', 2, NULL, FALSE, '2022-12-31', 'late payer'),
    (4, 'Dan O''Brien', 'dan@test.org', NULL, NULL, 0.00, TRUE, '2024-02-29', ''),
    (5, 'Eve Park ', 'eve@example.com', 'Oslo', 3, -50.25, FALSE, NULL, 'vip'),
    (6, 'Ægir Ström', 'aegir@example.se', 'Oslo ', 3, 99999.99, TRUE, '2021-07-04', '100% refund_a');

CREATE TABLE products (
    product_id integer NOT NULL PRIMARY KEY,
    product_name varchar(40) NOT NULL,
    category varchar(20) NOT NULL,
    price numeric(10,2),
    weight double precision,
    discontinued boolean NOT NULL,
    tags varchar(100)
);
INSERT INTO products VALUES
    (1, 'Green Tea', 'Drinks', 4.50, 0.25, FALSE, 'hot,green'),
    (2, 'Coffee', 'drinks', 7.25, 0.5, FALSE, 'hot,black'),
    (3, 'Mug [large]', 'Kitchen', 12.00, 0.4, FALSE, NULL),
    (4, 'Spoon', 'Kitchen', 0.99, 0.05, TRUE, 'steel'),
    (5, 'Gift Card', 'Other', 25.00, NULL, FALSE, ''),
    (6, 'Old Kettle', 'KITCHEN', NULL, 1.2, TRUE, 'steel,electric');

CREATE TABLE employees (
    employee_id integer NOT NULL PRIMARY KEY,
    first_name varchar(20) NOT NULL,
    last_name varchar(30) NOT NULL,
    title varchar(30),
    manager_id integer REFERENCES employees,
    hired_on date NOT NULL,
    salary numeric(12,2),
    birth_date date
);
INSERT INTO employees VALUES
    (1, 'Maria', 'Lopez', 'CEO', NULL, '2010-05-03', 180000.00, '1970-06-15'),
    (2, 'Tom', 'Black', 'Sales Manager', 1, '2015-11-30', 95000.00, '1982-02-28'),
    (3, 'Ann', 'White', 'Sales Rep', 2, '2019-02-28', 52000.00, '1990-12-31'),
    (4, 'Raj', 'Patel', 'Sales Rep', 2, '2019-02-28', 52000.00, NULL),
    (5, 'Zoe', 'Klein', 'Engineer', 1, '2020-02-29', 88000.50, '1995-01-01'),
    (6, 'Lee', 'Wong', NULL, 5, '2023-12-31', NULL, '2000-02-29');

CREATE TABLE orders (
    order_id integer NOT NULL PRIMARY KEY,
    customer_id integer NOT NULL REFERENCES customers,
    employee_id integer REFERENCES employees,
    ordered_at timestamp NOT NULL,
    shipped_on date,
    status varchar(20) NOT NULL,
    freight numeric(10,2)
);
INSERT INTO orders VALUES
    (101, 1, 3, '2024-01-05 10:15:00', '2024-01-08', 'Shipped', 12.50),
    (102, 1, 3, '2024-02-29 23:59:59', NULL, 'Open', 0.00),
    (103, 2, 4, '2023-12-31 23:30:00', '2024-01-02', 'shipped', 7.25),
    (104, 3, NULL, '2024-03-15 08:00:00', NULL, 'Cancelled', NULL),
    (105, 5, 3, '2024-03-31 12:00:00', '2024-04-01', 'SHIPPED', 20.00),
    (106, 6, 4, '2022-06-30 00:00:00', '2022-07-10', 'Shipped', 3.75),
    (107, 2, 2, '2024-04-01 09:30:15.5', NULL, 'Open', 5.00);

CREATE TABLE order_lines (
    order_id integer NOT NULL REFERENCES orders,
    line_no integer NOT NULL,
    product_id integer NOT NULL REFERENCES products,
    quantity integer NOT NULL,
    unit_price numeric(10,2) NOT NULL,
    discount numeric(4,2) NOT NULL,
    PRIMARY KEY (order_id, line_no)
);
INSERT INTO order_lines VALUES
    (101, 1, 1, 10, 4.50, 0.00), (101, 2, 2, 2, 7.25, 0.10), (102, 1, 3, 1, 12.00, 0.00),
    (103, 1, 1, 3, 4.25, 0.05), (103, 2, 4, 12, 0.99, 0.00), (104, 1, 5, 1, 25.00, 0.00),
    (105, 1, 2, 5, 7.25, 0.20), (105, 2, 3, 2, 11.50, 0.00), (106, 1, 6, 1, 30.00, 0.00),
    (107, 1, 1, 7, 4.50, 0.00);

CREATE TABLE events (
    event_id integer NOT NULL PRIMARY KEY,
    customer_id integer REFERENCES customers,
    kind varchar(20) NOT NULL,
    occurred_at timestamp NOT NULL,
    payload text,
    duration_ms integer
);
INSERT INTO events VALUES
    (1, 1, 'login', '2024-01-01 00:00:00', '{"ip":"10.0.0.1","device":{"os":"iOS","ver":17}}', 120),
    (2, 1, 'Click', '2024-01-01 00:00:01', NULL, 45),
    (3, 2, 'login', '2023-12-31 23:59:59', '{"ip":"10.0.0.2","tags":["a","b"]}', NULL),
    (4, 2, 'logout', '2024-02-10 06:45:30', '{}', 3600000),
    (5, 3, 'LOGIN', '1999-12-31 12:00:00', '{"device":{"os":"android"}}', -5),
    (6, NULL, 'ping', '9999-12-31 23:59:59', NULL, 0);

CREATE TABLE readings (
    reading_id integer NOT NULL PRIMARY KEY,
    sensor varchar(10) NOT NULL,
    raw_value varchar(20),
    level smallint
);
INSERT INTO readings VALUES
    (1, 'A-1', '12', 3), (2, 'A-1', '-3.5', -7), (3, 'a-1', 'n/a', NULL), (4, 'B_2', NULL, 0),
    (5, 'B%2', ' 7 ', 12), (6, 'C', '', 3);

CREATE TABLE quarterly (
    product_id integer NOT NULL REFERENCES products,
    year integer NOT NULL,
    q1 integer,
    q2 integer,
    q3 integer,
    q4 integer
);
INSERT INTO quarterly VALUES (1, 2023, 10, 20, NULL, 40), (2, 2023, 5, 0, 15, -2);
