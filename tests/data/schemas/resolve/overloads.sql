-- Functions, operators, types and casts whose names compete with each other and with the server's.
CREATE SCHEMA a;
CREATE SCHEMA b;

CREATE DOMAIN public.positive AS integer CHECK (VALUE > 0);
CREATE DOMAIN public.short AS varchar(5);
CREATE DOMAIN public.numbers AS integer[];
CREATE DOMAIN public.tiny AS public.positive CHECK (VALUE < 10);
CREATE TYPE public.mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE public.pair AS (x integer, y text);
CREATE TYPE a.money2 AS (cents bigint);
CREATE TYPE public.span AS RANGE (subtype = integer);
CREATE TABLE public.people (id integer, name text, born date, mood public.mood, tags text[], p public.pair);
CREATE TABLE public.staff (salary numeric) INHERITS (public.people);

-- Overloads of the server's own.
CREATE FUNCTION public.lower(integer) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION public.lower(public.mood) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT ''mood''::text';
CREATE FUNCTION a.lower(text) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT 2';
CREATE FUNCTION a.lower(varchar) RETURNS bigint IMMUTABLE LANGUAGE sql AS 'SELECT 3::bigint';
CREATE FUNCTION b.lower(anyelement) RETURNS anyelement IMMUTABLE LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION a.abs(integer) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT ''abs''::text';
CREATE FUNCTION public.abs(text) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION b.abs(public.positive) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT ''positive''::text';
CREATE AGGREGATE a.max(integer) (SFUNC = int4larger, STYPE = integer);
CREATE AGGREGATE public.max(boolean) (SFUNC = booland_statefunc, STYPE = boolean);
CREATE FUNCTION public.round(numeric, text) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT $2';
CREATE FUNCTION public.length(public.pair) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT 9';
CREATE FUNCTION public.substr(text, text) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION a.now() RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT ''then''::text';
CREATE FUNCTION a.count(text) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION public.generate_series(text, text) RETURNS SETOF text IMMUTABLE LANGUAGE sql AS 'SELECT $1';

-- Their own.
CREATE FUNCTION public.f(integer) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION public.f(bigint) RETURNS bigint IMMUTABLE LANGUAGE sql AS 'SELECT 2::bigint';
CREATE FUNCTION public.f(double precision) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT ''3''::text';
CREATE FUNCTION public.f(text) RETURNS date IMMUTABLE LANGUAGE sql AS 'SELECT current_date';
CREATE FUNCTION a.f(integer) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION b.f(numeric) RETURNS numeric IMMUTABLE LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION public.g(integer, integer DEFAULT 2) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION public.g(text, text, text DEFAULT 'x') RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION a.g(integer) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT ''a''::text';
CREATE FUNCTION public.v(VARIADIC integer[]) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION public.v(numeric, numeric) RETURNS numeric IMMUTABLE LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION a.v(text, VARIADIC text[]) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION public.vany(VARIADIC anyarray) RETURNS anyelement IMMUTABLE LANGUAGE sql AS 'SELECT $1[1]';
CREATE FUNCTION public.n(one integer, two text DEFAULT 'x', three boolean DEFAULT true) RETURNS text
    IMMUTABLE LANGUAGE sql AS 'SELECT two';
CREATE FUNCTION public.n(one text, deux integer) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT deux';
CREATE FUNCTION public.same(anyelement, anyelement) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION public.near(anycompatible, anycompatible) RETURNS anycompatible IMMUTABLE LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION public.first_of(anyarray) RETURNS anyelement IMMUTABLE LANGUAGE sql AS 'SELECT $1[1]';
CREATE FUNCTION public.wrap(anyelement) RETURNS anyarray IMMUTABLE LANGUAGE sql AS 'SELECT ARRAY[$1]';
CREATE FUNCTION public.low(anyrange) RETURNS anyelement IMMUTABLE LANGUAGE sql AS 'SELECT pg_catalog.lower($1)';
CREATE FUNCTION public.low(anyenum) RETURNS anyenum IMMUTABLE LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION public.full_name(public.people) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT $1.name';
CREATE FUNCTION public.is_old(public.people) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION public.is_old(record) RETURNS integer IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN 1; END';
CREATE FUNCTION public.outs(IN a integer, OUT b text, OUT c date) IMMUTABLE LANGUAGE sql AS 'SELECT ''x''::text, current_date';
CREATE FUNCTION public.tab(integer) RETURNS TABLE (k integer, w text) IMMUTABLE LANGUAGE sql AS 'SELECT 1, ''x''::text';
CREATE FUNCTION public.d(public.positive) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT ''domain''::text';
CREATE FUNCTION public.d(integer) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION public.d2(public.positive) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT ''domain''::text';
CREATE FUNCTION public.d2(text) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION public.ts(timestamp) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION public.ts(timestamptz) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT ''tz''::text';
CREATE FUNCTION public.j(json) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION public.j(jsonb) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT ''b''::text';
CREATE FUNCTION public.mood(text) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT 5';
CREATE FUNCTION public.int4(public.pair) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT $1.x';
CREATE FUNCTION public.arr(integer[]) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION public.arr(text[]) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT ''t''::text';
CREATE FUNCTION public.arr(text) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true';

-- Operators.
CREATE FUNCTION public.plus(text, text) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT $1 OPERATOR(pg_catalog.||) $2';
CREATE FUNCTION a.plus(integer, integer) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT ''plus''::text';
CREATE FUNCTION a.eq(text, text) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION a.eq(integer, integer) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION public.eq(public.positive, public.positive) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION public.eq(public.mood, text) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION public.eq(public.pair, public.pair) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION public.join(public.mood, text) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT $2';
CREATE FUNCTION public.neg(text) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION b.ge(numeric, numeric) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true';
CREATE OPERATOR public.+ (LEFTARG = text, RIGHTARG = text, FUNCTION = public.plus);
CREATE OPERATOR a.+ (LEFTARG = integer, RIGHTARG = integer, FUNCTION = a.plus);
CREATE OPERATOR a.= (LEFTARG = text, RIGHTARG = text, FUNCTION = a.eq);
CREATE OPERATOR a.= (LEFTARG = integer, RIGHTARG = integer, FUNCTION = a.eq);
CREATE OPERATOR public.= (LEFTARG = public.positive, RIGHTARG = public.positive, FUNCTION = public.eq);
CREATE OPERATOR public.= (LEFTARG = public.mood, RIGHTARG = text, FUNCTION = public.eq);
CREATE OPERATOR public.= (LEFTARG = public.pair, RIGHTARG = public.pair, FUNCTION = public.eq);
CREATE OPERATOR public.|| (LEFTARG = public.mood, RIGHTARG = text, FUNCTION = public.join);
CREATE OPERATOR public.- (RIGHTARG = text, FUNCTION = public.neg);
CREATE OPERATOR b.>= (LEFTARG = numeric, RIGHTARG = numeric, FUNCTION = b.ge);
CREATE OPERATOR a.~~ (LEFTARG = text, RIGHTARG = text, FUNCTION = a.eq);

-- Casts.
CREATE FUNCTION public.pair_text(public.pair) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT $1.y';
CREATE FUNCTION public.int_pair(integer) RETURNS public.pair IMMUTABLE LANGUAGE sql AS 'SELECT ROW($1, ''x'')::public.pair';
CREATE FUNCTION public.mood_int(public.mood) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION a.money_bool(a.money2) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true';
CREATE CAST (public.pair AS text) WITH FUNCTION public.pair_text(public.pair) AS IMPLICIT;
CREATE CAST (integer AS public.pair) WITH FUNCTION public.int_pair(integer) AS ASSIGNMENT;
CREATE CAST (public.mood AS integer) WITH FUNCTION public.mood_int(public.mood) AS IMPLICIT;
CREATE CAST (a.money2 AS boolean) WITH FUNCTION a.money_bool(a.money2) AS ASSIGNMENT;

-- A table of a type.
CREATE TABLE public.typed OF public.pair;
CREATE FUNCTION public.of_pair(public.pair) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT 1';
