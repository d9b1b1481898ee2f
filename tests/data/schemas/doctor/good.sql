-- A database as it should be: everybody's rights are taken back, and there is something to read.
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO PUBLIC;
REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC;
DO $$
DECLARE f regprocedure;
BEGIN
  FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND proname IN
    ('lo_creat', 'lo_create', 'lo_from_bytea', 'lo_put', 'lo_truncate', 'lo_truncate64',
     'lo_unlink', 'lowrite', 'pg_logical_emit_message')
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f);
  END LOOP;
END $$;
CREATE SCHEMA app;
CREATE TABLE app.t (id int, a text);
CREATE TABLE app.other (id int, a text);
CREATE TABLE app.guarded (id int, tenant text);
ALTER TABLE app.guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY everybody ON app.guarded FOR SELECT USING (true);
CREATE SEQUENCE app.s;
CREATE VIEW app.v AS SELECT id FROM app.t;
