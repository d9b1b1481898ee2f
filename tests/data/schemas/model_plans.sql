-- Tables with indexes and partitions. Half of the rows are those of the reader; the statistics are nobody else's to change.
CREATE SCHEMA shop;
CREATE TABLE shop.orders (id int PRIMARY KEY, tenant text NOT NULL, customer int NOT NULL, total numeric NOT NULL)
    WITH (autovacuum_enabled = off);
CREATE INDEX orders_total ON shop.orders (total);
CREATE INDEX orders_customer ON shop.orders (customer);
CREATE TABLE shop.customers (id int PRIMARY KEY, tenant text NOT NULL, name text) WITH (autovacuum_enabled = off);
CREATE TABLE shop.events (id int, tenant text NOT NULL, day date NOT NULL) PARTITION BY RANGE (day);
CREATE TABLE shop.events_1 PARTITION OF shop.events FOR VALUES FROM ('2024-01-01') TO ('2024-02-01')
    WITH (autovacuum_enabled = off);
CREATE TABLE shop.events_2 PARTITION OF shop.events FOR VALUES FROM ('2024-02-01') TO ('2024-03-01')
    WITH (autovacuum_enabled = off);
CREATE TABLE shop.events_3 PARTITION OF shop.events FOR VALUES FROM ('2024-03-01') TO ('2024-04-01')
    WITH (autovacuum_enabled = off);
CREATE TABLE shop.last (id int PRIMARY KEY, tenant text NOT NULL) WITH (autovacuum_enabled = off);
INSERT INTO shop.orders SELECT n, (ARRAY['reader', 'other'])[1 + n % 2], n % 4000, n % 5000
    FROM generate_series(1, 40000) n;
INSERT INTO shop.customers SELECT n, (ARRAY['reader', 'other'])[1 + n % 2], 'c' || n FROM generate_series(1, 4000) n;
INSERT INTO shop.events SELECT n, (ARRAY['reader', 'other'])[1 + n % 2], date '2024-01-01' + n % 90
    FROM generate_series(1, 9000) n;
INSERT INTO shop.last SELECT n, (ARRAY['reader', 'other'])[1 + n % 2] FROM generate_series(1, 5000) n;
ANALYZE shop.orders, shop.customers, shop.events, shop.last;
GRANT USAGE ON SCHEMA shop TO PUBLIC;
GRANT SELECT ON ALL TABLES IN SCHEMA shop TO PUBLIC;
