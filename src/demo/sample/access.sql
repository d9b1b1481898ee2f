-- The account of an ordinary application: it may change rows, so that what stops it is pgsieve.
-- The role must be there already.

GRANT USAGE ON SCHEMA shop TO demo;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA shop TO demo;
GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA shop TO demo;

DO $$ BEGIN
  EXECUTE format('ALTER DATABASE %I SET search_path TO shop, public', current_database());
END $$;
