-- Beside corpus/catalog_view_schema.sql: what has masks and conditions, and what is shown as a whole.
CREATE DOMAIN shop.address AS varchar(60) CHECK (VALUE LIKE '%@%');
COMMENT ON DOMAIN shop.address IS 'where mail goes';
CREATE TYPE shop.mood AS ENUM ('sad', 'glad');
CREATE TABLE shop.masked (id int PRIMARY KEY, phone varchar(20) NOT NULL, name text NOT NULL,
    pay numeric(10, 2) NOT NULL, mail shop.address UNIQUE, kept varchar(7));
CREATE TABLE shop.filtered (id int PRIMARY KEY, name varchar(9) DEFAULT 'x' CHECK (name <> ''));
CREATE TABLE shop.lines (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, filtered int REFERENCES shop.filtered,
    paid numeric(8, 2) DEFAULT 0 CHECK (paid >= 0), mail shop.address, code char(3), UNIQUE (filtered, code));
CREATE INDEX lines_code ON shop.lines (code) INCLUDE (paid) WHERE paid > 0;
CREATE STATISTICS shop.of_lines ON filtered, code FROM shop.lines;
COMMENT ON TABLE shop.lines IS 'lines of bills';
COMMENT ON COLUMN shop.lines.paid IS 'in euros';
CREATE VIEW shop.of_lines_view AS SELECT id, paid FROM shop.lines WHERE paid > 1;
CREATE TABLE shop.moods (mood shop.mood);
GRANT SELECT ON ALL TABLES IN SCHEMA shop TO public;
