CREATE FUNCTION words_lexize(internal, internal, internal, internal) RETURNS internal
  LANGUAGE internal VOLATILE AS 'dsimple_lexize';
CREATE TEXT SEARCH TEMPLATE words (INIT = dsimple_init, LEXIZE = words_lexize);
CREATE TEXT SEARCH DICTIONARY words (TEMPLATE = words);
CREATE OR REPLACE FUNCTION words_lexize(internal, internal, internal, internal) RETURNS internal
  LANGUAGE internal VOLATILE AS 'pg_advisory_lock_int8';
CREATE TEXT SEARCH CONFIGURATION worded (COPY = simple);
ALTER TEXT SEARCH CONFIGURATION worded ALTER MAPPING FOR asciiword WITH words;
CREATE TABLE docs (v text);
INSERT INTO docs VALUES ('a b c');
CREATE FUNCTION parser_end(internal) RETURNS void LANGUAGE internal VOLATILE AS 'prsd_end';
CREATE FUNCTION parser_types(internal) RETURNS internal LANGUAGE internal VOLATILE
  AS 'prsd_lextype';
CREATE TEXT SEARCH PARSER parser (START = prsd_start, GETTOKEN = prsd_nexttoken,
  END = parser_end, LEXTYPES = parser_types, HEADLINE = prsd_headline);
CREATE TEXT SEARCH CONFIGURATION parsed (PARSER = parser);
CREATE OR REPLACE FUNCTION parser_end(internal) RETURNS void LANGUAGE internal VOLATILE
  AS 'pg_advisory_lock_int8';
CREATE OR REPLACE FUNCTION parser_types(internal) RETURNS internal LANGUAGE internal VOLATILE
  AS 'pg_advisory_lock_int8';
