-- What a policy hides in every way, and what refers to it: every name, comment and text of it has the word
-- hoopoe in it. `shop` is shown but for that, `hoopoe_vault` is not.
CREATE SCHEMA shop;
CREATE SCHEMA hoopoe_vault;
COMMENT ON SCHEMA hoopoe_vault IS 'hoopoe of a schema';
CREATE TABLE hoopoe_vault.hoopoe_accounts (hoopoe_id int PRIMARY KEY, hoopoe_note text);
COMMENT ON TABLE hoopoe_vault.hoopoe_accounts IS 'hoopoe of a table';
CREATE TYPE hoopoe_vault.hoopoe_mood AS ENUM ('hoopoe_sad', 'hoopoe_glad');
CREATE TYPE hoopoe_vault.hoopoe_pair AS (hoopoe_left int, hoopoe_right text);
CREATE DOMAIN hoopoe_vault.hoopoe_domain AS text CHECK (VALUE <> 'hoopoe');
CREATE TABLE hoopoe_vault.hoopoe_typed (a hoopoe_vault.hoopoe_mood, b hoopoe_vault.hoopoe_pair, c hoopoe_vault.hoopoe_domain);
CREATE SEQUENCE hoopoe_vault.hoopoe_numbers;
CREATE FUNCTION shop.hoopoe_denied(hoopoe_argument int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 + 0 /* hoopoe */';
COMMENT ON FUNCTION shop.hoopoe_denied(int) IS 'hoopoe of a function';
CREATE FUNCTION shop.hoopoe_written() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1; /* hoopoe */ END';
CREATE FUNCTION shop.shown(n int DEFAULT 1) RETURNS int LANGUAGE sql IMMUTABLE RETURN n + 1;
CREATE FUNCTION shop.hoopoe_trigger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; /* hoopoe */ END';

CREATE TABLE shop.customers (
    id int PRIMARY KEY,
    name text NOT NULL DEFAULT 'nobody',
    hoopoe_email text DEFAULT 'hoopoe@default',
    tenant text,
    city text
);
COMMENT ON TABLE shop.customers IS 'who buys';
COMMENT ON COLUMN shop.customers.name IS 'a name that is shown';
COMMENT ON COLUMN shop.customers.hoopoe_email IS 'hoopoe of a column';
CREATE INDEX customers_city ON shop.customers (city);
CREATE INDEX hoopoe_email_index ON shop.customers (hoopoe_email);
CREATE INDEX hoopoe_lower_index ON shop.customers (lower(hoopoe_email));
CREATE INDEX hoopoe_partial_index ON shop.customers (city) WHERE hoopoe_email IS NOT NULL;
ALTER TABLE shop.customers ADD CONSTRAINT hoopoe_check CHECK (hoopoe_email <> 'hoopoe');
ALTER TABLE shop.customers ADD CONSTRAINT hoopoe_unique UNIQUE (tenant, hoopoe_email);
CREATE STATISTICS shop.hoopoe_statistics ON city, hoopoe_email FROM shop.customers;
ALTER TABLE shop.customers ADD COLUMN generated_twice text GENERATED ALWAYS AS (hoopoe_email || hoopoe_email) STORED;
CREATE TRIGGER hoopoe_of_customers BEFORE UPDATE OF hoopoe_email ON shop.customers
    FOR EACH ROW EXECUTE FUNCTION shop.hoopoe_trigger();
CREATE POLICY hoopoe_policy ON shop.customers USING (hoopoe_email IS NOT NULL);

CREATE TABLE shop.orders (
    id serial PRIMARY KEY,
    customer int NOT NULL REFERENCES shop.customers (id),
    total numeric(10, 2) DEFAULT 0 CHECK (total >= 0),
    hoopoe_account int REFERENCES hoopoe_vault.hoopoe_accounts (hoopoe_id),
    number int DEFAULT nextval('hoopoe_vault.hoopoe_numbers'),
    computed int DEFAULT shop.hoopoe_denied(1)
);
COMMENT ON TABLE shop.orders IS 'what is bought';
CREATE INDEX orders_customer ON shop.orders (customer);
CREATE INDEX hoopoe_function_index ON shop.orders (shop.hoopoe_denied(id));
CREATE TABLE shop.plain (
    id int PRIMARY KEY,
    note text DEFAULT 'plain',
    at timestamptz DEFAULT now(),
    counted int DEFAULT nextval('hoopoe_vault.hoopoe_numbers'),
    computed int DEFAULT shop.hoopoe_denied(1),
    account int CONSTRAINT hoopoe_foreign REFERENCES hoopoe_vault.hoopoe_accounts (hoopoe_id),
    CONSTRAINT hoopoe_checked CHECK (shop.hoopoe_denied(id) > 0)
);
CREATE INDEX hoopoe_plain_index ON shop.plain (shop.hoopoe_denied(id));
CREATE STATISTICS shop.hoopoe_plain_statistics ON (shop.hoopoe_denied(id)), account FROM shop.plain;
CREATE INDEX plain_note ON shop.plain (lower(note));
COMMENT ON TABLE shop.plain IS 'everything here is shown';
COMMENT ON COLUMN shop.plain.note IS 'a note';
CREATE TRIGGER hoopoe_search BEFORE UPDATE ON shop.plain
    FOR EACH ROW EXECUTE FUNCTION tsvector_update_trigger('hoopoe_tsvector', 'pg_catalog.english', 'hoopoe_column');
CREATE POLICY hoopoe_subquery ON shop.plain
    USING (EXISTS (SELECT FROM hoopoe_vault.hoopoe_accounts WHERE hoopoe_id = plain.id));
CREATE TABLE shop.of_hidden_type (id int, mood int);
CREATE TABLE shop.parent (id int, kind text) PARTITION BY LIST (kind);
CREATE TABLE shop.part_open PARTITION OF shop.parent FOR VALUES IN ('open');
CREATE TABLE shop.inherited (extra int) INHERITS (shop.of_hidden_type);
CREATE TABLE shop.hoopoe_covered (id int, hoopoe_taken text);
CREATE TABLE shop.modelled (id int, given text, hoopoe_left_away text);
CREATE INDEX hoopoe_of_model ON shop.modelled (hoopoe_left_away);

CREATE VIEW shop.shown_view AS SELECT id, note FROM shop.plain;
CREATE VIEW shop.view_of_customers AS SELECT id, hoopoe_email AS email FROM shop.customers;
CREATE VIEW shop.view_of_hidden AS SELECT hoopoe_id AS id FROM hoopoe_vault.hoopoe_accounts;
CREATE VIEW shop.view_of_function AS SELECT id, shop.hoopoe_denied(id) AS n FROM shop.plain;
CREATE VIEW shop.view_of_class AS SELECT relname FROM pg_class;
CREATE MATERIALIZED VIEW shop.kept AS SELECT id FROM shop.plain;
CREATE RULE hoopoe_rule AS ON UPDATE TO shop.plain DO ALSO SELECT hoopoe_id FROM hoopoe_vault.hoopoe_accounts;
CREATE FUNCTION shop.takes_hidden(a hoopoe_vault.hoopoe_accounts) RETURNS int LANGUAGE sql IMMUTABLE RETURN 1;
CREATE FUNCTION shop.defaults_hidden(n int DEFAULT shop.hoopoe_denied(2)) RETURNS int LANGUAGE sql IMMUTABLE RETURN n;
CREATE FUNCTION shop.with_path(n int) RETURNS int LANGUAGE sql IMMUTABLE SET search_path = hoopoe_vault AS 'SELECT 1';
CREATE FUNCTION shop.hoopoe_compare(int, int) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE OPERATOR shop.=== (LEFTARG = int, RIGHTARG = int, FUNCTION = shop.hoopoe_compare);
GRANT USAGE ON SCHEMA shop, hoopoe_vault TO public;
GRANT SELECT ON ALL TABLES IN SCHEMA shop, hoopoe_vault TO public;
