-- What the queries of this folder need beside the tables of the corpora.
CREATE SCHEMA other;
CREATE TABLE other.customers (id uuid, note text);
CREATE TABLE rare (a integer, b text, c numeric);
CREATE DOMAIN positive AS integer CHECK (VALUE > 0);
CREATE TYPE pair AS (x integer, y text);
CREATE DOMAIN pair_domain AS pair CHECK ((VALUE).x > 0);
CREATE TABLE holders (id positive, p pair, ps pair[], q pair_domain, r int4range);
CREATE FUNCTION upper_note(rare) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT upper($1.b)';
CREATE FUNCTION pairs() RETURNS SETOF pair LANGUAGE sql STABLE AS 'SELECT 1, ''a''';
CREATE FUNCTION q_pair() RETURNS pair_domain LANGUAGE sql STABLE AS 'SELECT (1, ''a'')::pair_domain';
CREATE FUNCTION outs(a integer, OUT b text, OUT numeric) LANGUAGE sql STABLE AS 'SELECT ''x'', 1.0';
CREATE FUNCTION one_out(OUT result integer) LANGUAGE sql STABLE AS 'SELECT 1';
CREATE FUNCTION rows_of(n integer) RETURNS TABLE (a integer, b text) LANGUAGE sql STABLE AS 'SELECT 1, ''x''';
CREATE FUNCTION one_column() RETURNS TABLE (only_one integer) LANGUAGE sql STABLE AS 'SELECT 1';
CREATE FUNCTION any_record() RETURNS record LANGUAGE sql STABLE AS 'SELECT 1, ''x''::text';
CREATE FUNCTION same(anyelement, OUT a anyelement, OUT b anyarray) LANGUAGE sql STABLE AS 'SELECT $1, ARRAY[$1]';
CREATE VIEW viewed AS SELECT id, name AS called FROM customers;
CREATE SEQUENCE counted;
