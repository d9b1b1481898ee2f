-- What a policy hides in every way, and what refers to it: every name, comment and text of it has the word
-- canary in it. `shop` is shown but for that, `canary_vault` is not.
CREATE SCHEMA shop;
CREATE SCHEMA canary_vault;
COMMENT ON SCHEMA canary_vault IS 'canary of a schema';
CREATE TABLE canary_vault.canary_accounts (canary_id int PRIMARY KEY, canary_note text);
COMMENT ON TABLE canary_vault.canary_accounts IS 'canary of a table';
CREATE TYPE canary_vault.canary_mood AS ENUM ('canary_sad', 'canary_glad');
CREATE TYPE canary_vault.canary_pair AS (canary_left int, canary_right text);
CREATE DOMAIN canary_vault.canary_domain AS text CHECK (VALUE <> 'canary');
CREATE TABLE canary_vault.canary_typed (a canary_vault.canary_mood, b canary_vault.canary_pair, c canary_vault.canary_domain);
CREATE SEQUENCE canary_vault.canary_numbers;
CREATE FUNCTION shop.canary_denied(canary_argument int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 + 0 /* canary */';
COMMENT ON FUNCTION shop.canary_denied(int) IS 'canary of a function';
CREATE FUNCTION shop.canary_written() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1; /* canary */ END';
CREATE FUNCTION shop.shown(n int DEFAULT 1) RETURNS int LANGUAGE sql IMMUTABLE RETURN n + 1;
CREATE FUNCTION shop.canary_trigger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; /* canary */ END';

CREATE TABLE shop.customers (
    id int PRIMARY KEY,
    name text NOT NULL DEFAULT 'nobody',
    canary_email text DEFAULT 'canary@default',
    tenant text,
    city text
);
COMMENT ON TABLE shop.customers IS 'who buys';
COMMENT ON COLUMN shop.customers.name IS 'a name that is shown';
COMMENT ON COLUMN shop.customers.canary_email IS 'canary of a column';
CREATE INDEX customers_city ON shop.customers (city);
CREATE INDEX canary_email_index ON shop.customers (canary_email);
CREATE INDEX canary_lower_index ON shop.customers (lower(canary_email));
CREATE INDEX canary_partial_index ON shop.customers (city) WHERE canary_email IS NOT NULL;
ALTER TABLE shop.customers ADD CONSTRAINT canary_check CHECK (canary_email <> 'canary');
ALTER TABLE shop.customers ADD CONSTRAINT canary_unique UNIQUE (tenant, canary_email);
CREATE STATISTICS shop.canary_statistics ON city, canary_email FROM shop.customers;
ALTER TABLE shop.customers ADD COLUMN generated_twice text GENERATED ALWAYS AS (canary_email || canary_email) STORED;
CREATE TRIGGER canary_of_customers BEFORE UPDATE OF canary_email ON shop.customers
    FOR EACH ROW EXECUTE FUNCTION shop.canary_trigger();
CREATE POLICY canary_policy ON shop.customers USING (canary_email IS NOT NULL);

CREATE TABLE shop.orders (
    id serial PRIMARY KEY,
    customer int NOT NULL REFERENCES shop.customers (id),
    total numeric(10, 2) DEFAULT 0 CHECK (total >= 0),
    canary_account int REFERENCES canary_vault.canary_accounts (canary_id),
    number int DEFAULT nextval('canary_vault.canary_numbers'),
    computed int DEFAULT shop.canary_denied(1)
);
COMMENT ON TABLE shop.orders IS 'what is bought';
CREATE INDEX orders_customer ON shop.orders (customer);
CREATE INDEX canary_function_index ON shop.orders (shop.canary_denied(id));
CREATE TABLE shop.plain (
    id int PRIMARY KEY,
    note text DEFAULT 'plain',
    at timestamptz DEFAULT now(),
    counted int DEFAULT nextval('canary_vault.canary_numbers'),
    computed int DEFAULT shop.canary_denied(1),
    account int CONSTRAINT canary_foreign REFERENCES canary_vault.canary_accounts (canary_id),
    CONSTRAINT canary_checked CHECK (shop.canary_denied(id) > 0)
);
CREATE INDEX canary_plain_index ON shop.plain (shop.canary_denied(id));
CREATE STATISTICS shop.canary_plain_statistics ON (shop.canary_denied(id)), account FROM shop.plain;
CREATE INDEX plain_note ON shop.plain (lower(note));
COMMENT ON TABLE shop.plain IS 'everything here is shown';
COMMENT ON COLUMN shop.plain.note IS 'a note';
CREATE TRIGGER canary_search BEFORE UPDATE ON shop.plain
    FOR EACH ROW EXECUTE FUNCTION tsvector_update_trigger('canary_tsvector', 'pg_catalog.english', 'canary_column');
CREATE POLICY canary_subquery ON shop.plain
    USING (EXISTS (SELECT FROM canary_vault.canary_accounts WHERE canary_id = plain.id));
CREATE TABLE shop.of_hidden_type (id int, mood int);
CREATE TABLE shop.parent (id int, kind text) PARTITION BY LIST (kind);
CREATE TABLE shop.part_open PARTITION OF shop.parent FOR VALUES IN ('open');
CREATE TABLE shop.inherited (extra int) INHERITS (shop.of_hidden_type);
CREATE TABLE shop.canary_covered (id int, canary_taken text);
CREATE TABLE shop.modelled (id int, given text, canary_left_away text);
CREATE INDEX canary_of_model ON shop.modelled (canary_left_away);

CREATE VIEW shop.shown_view AS SELECT id, note FROM shop.plain;
CREATE VIEW shop.view_of_customers AS SELECT id, canary_email AS email FROM shop.customers;
CREATE VIEW shop.view_of_hidden AS SELECT canary_id AS id FROM canary_vault.canary_accounts;
CREATE VIEW shop.view_of_function AS SELECT id, shop.canary_denied(id) AS n FROM shop.plain;
CREATE VIEW shop.view_of_class AS SELECT relname FROM pg_class;
CREATE MATERIALIZED VIEW shop.kept AS SELECT id FROM shop.plain;
CREATE RULE canary_rule AS ON UPDATE TO shop.plain DO ALSO SELECT canary_id FROM canary_vault.canary_accounts;
CREATE FUNCTION shop.takes_hidden(a canary_vault.canary_accounts) RETURNS int LANGUAGE sql IMMUTABLE RETURN 1;
CREATE FUNCTION shop.defaults_hidden(n int DEFAULT shop.canary_denied(2)) RETURNS int LANGUAGE sql IMMUTABLE RETURN n;
CREATE FUNCTION shop.with_path(n int) RETURNS int LANGUAGE sql IMMUTABLE SET search_path = canary_vault AS 'SELECT 1';
CREATE FUNCTION shop.canary_compare(int, int) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE OPERATOR shop.=== (LEFTARG = int, RIGHTARG = int, FUNCTION = shop.canary_compare);
GRANT USAGE ON SCHEMA shop, canary_vault TO public;
GRANT SELECT ON ALL TABLES IN SCHEMA shop, canary_vault TO public;
