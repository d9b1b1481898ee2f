-- Columns of many types, of which some have a mask; what is hidden has hoopoe in its name.
CREATE SCHEMA shop;
CREATE DOMAIN shop.address AS varchar(60) NOT NULL CHECK (VALUE <> '');
CREATE DOMAIN shop.amount AS numeric(12, 2);
CREATE TYPE shop.mood AS ENUM ('sad', 'glad');
CREATE TABLE shop.masked (id int, phone varchar(20) NOT NULL, name text NOT NULL, country char(2), note varchar,
    pay numeric(10, 2) NOT NULL, mail shop.address, born date, at timestamp(3), took interval(2), bits varbit(4),
    tags varchar(5)[], mood shop.mood, counted int NOT NULL, kept varchar(7), amount shop.amount, left_at time(1))
    PARTITION BY LIST (id);
CREATE TABLE shop.masked_part PARTITION OF shop.masked FOR VALUES IN (1);
CREATE TABLE shop.kinds (kind varchar(9) PRIMARY KEY, mail shop.address);
CREATE TABLE shop.hoopoe_hidden (hoopoe_id int PRIMARY KEY, hoopoe_name varchar(5));
CREATE TABLE shop.modelled (id int PRIMARY KEY, given varchar(8), hoopoe_left text, FOREIGN KEY (id) REFERENCES shop.hoopoe_hidden);
CREATE TABLE shop.items (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, kind varchar(9) NOT NULL REFERENCES shop.kinds,
    other int REFERENCES shop.items, paid shop.amount, mood shop.mood DEFAULT 'sad', hoopoe_secret char(3),
    UNIQUE (kind, other), UNIQUE (kind, hoopoe_secret));
CREATE FUNCTION shop.counted(n int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT n';
CREATE FUNCTION shop.hoopoe_counted(n int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT n';
CREATE VIEW shop.of_items AS SELECT id, kind FROM shop.items;
CREATE TABLE shop.of_moods (mood shop.mood);
GRANT USAGE ON SCHEMA shop TO PUBLIC;
GRANT SELECT ON ALL TABLES IN SCHEMA shop TO PUBLIC;
