-- In a schema that a search_path puts before pg_catalog.
CREATE SCHEMA own;
DO $$ DECLARE
  types text := 'integer, integer, cstring, internal, integer';
  gives text := 'void';
  pair text[];
BEGIN
  IF current_setting('server_version_num')::integer >= 140000 THEN
    types := types || ', boolean';
    gives := 'integer';
  END IF;
  FOREACH pair SLICE 1 IN ARRAY ARRAY[
    ARRAY['LATIN1', 'UTF8', 'iso8859_1_to_utf8'], ARRAY['UTF8', 'LATIN1', 'utf8_to_iso8859_1']]
  LOOP
    EXECUTE format('CREATE FUNCTION own.%I(%s) RETURNS %s LANGUAGE c VOLATILE STRICT
      AS ''$libdir/utf8_and_iso8859_1''', pair[3], types, gives);
    EXECUTE format('CREATE DEFAULT CONVERSION own.%I FOR %L TO %L FROM own.%I',
      pair[3], pair[1], pair[2], pair[3]);
    EXECUTE format('CREATE OR REPLACE FUNCTION own.%I(%s) RETURNS %s LANGUAGE internal VOLATILE
      STRICT AS ''pg_advisory_lock_int8''', pair[3], types, gives);
  END LOOP;
END $$;
