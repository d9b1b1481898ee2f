CREATE TABLE customers (
    id int PRIMARY KEY, name text NOT NULL, email text NOT NULL, zip text, country varchar(40),
    birth date, created_at timestamp NOT NULL, seen_at timestamptz, vip bool NOT NULL, score float8
);
INSERT INTO customers VALUES
    (1, 'Ada', 'ada@example.com', '94103', 'UK', '1990-05-17', '2020-01-15 10:00:00', '2020-02-01 00:00:00+00', true, 2.345),
    (2, 'Bob', 'bob@example.com', '10001', 'US', '1985-12-31', '2020-05-01 12:30:45', NULL, false, 7.5),
    (3, 'Cid', 'cid@example.org', '05', 'US', NULL, '2021-03-31 23:59:59', '2021-04-01 00:00:00+00', false, NULL);

CREATE TABLE orders (
    id int PRIMARY KEY, customer_id int NOT NULL, placed_on date NOT NULL, shipped_on date,
    total numeric NOT NULL, paid bool NOT NULL, status text NOT NULL, day_text text NOT NULL,
    items int, weight float8
);
INSERT INTO orders VALUES
    (10, 1, '2020-01-20', '2020-01-25', 100.50, true, 'shipped', '2020-01-20', 3, 1.5),
    (11, 1, '2020-05-31', NULL, 20.25, false, 'open', '2020-05-31', NULL, 2.25),
    (12, 2, '2021-02-28', '2021-03-02', 7, true, 'shipped', '2021-02-28', 5, 0.333333),
    (13, 3, '2021-12-31', '2022-01-01', 0, false, 'open', '2021-12-31', 1, 10);

CREATE TABLE events (id int PRIMARY KEY, customer_id text NOT NULL, at bigint NOT NULL, payload jsonb, tags text[]);
INSERT INTO events VALUES
    (1, '1', 1577836800, '{"kind": "click", "n": 5}', '{a,b}'),
    (2, '2', 1577923200, '{"kind": "view", "n": 7}', '{b}');
