//! For each check, what makes it fire in a well set-up database where it was silent before.

/// What makes one check fire, for the role of its place and for nobody else: what all databases of
/// a server share is given to that role alone, for others are examined there meanwhile.
pub struct Case {
    /// The check.
    pub id: &'static str,
    /// The first version where there is such a thing.
    pub since: u32,
    /// What a superuser runs; `{r}` is the role, `{d}` the database.
    pub sql: &'static str,
}

const fn case(id: &'static str, sql: &'static str) -> Case {
    since(13, id, sql)
}

const fn since(since: u32, id: &'static str, sql: &'static str) -> Case {
    Case { id, since, sql }
}

/// Those that take no more than SQL. The others are in `special.rs`.
pub const CASES: &[Case] = &[
    case(
        "preloaded_libraries",
        "GRANT pg_read_all_settings TO {r}; \
        ALTER DATABASE {d} SET session_preload_libraries = 'dblink'",
    ),
    since(
        17,
        "login_triggers",
        "CREATE FUNCTION app.greet() RETURNS event_trigger \
        LANGUAGE plpgsql AS 'BEGIN END'; \
        CREATE EVENT TRIGGER greet ON login EXECUTE FUNCTION app.greet()",
    ),
    case(
        "password_hashing",
        "ALTER DATABASE {d} SET password_encryption = 'md5'",
    ),
    case(
        "password_expires",
        "ALTER ROLE {r} VALID UNTIL '2200-01-01'",
    ),
    case("superuser", "ALTER ROLE {r} SUPERUSER"),
    case("createrole", "ALTER ROLE {r} CREATEROLE"),
    case("createdb", "ALTER ROLE {r} CREATEDB"),
    case("replication", "ALTER ROLE {r} REPLICATION"),
    case("bypassrls", "ALTER ROLE {r} BYPASSRLS"),
    case("dangerous_membership", "GRANT pg_read_server_files TO {r}"),
    since(14, "dangerous_membership", "GRANT pg_write_all_data TO {r}"),
    case(
        "dangerous_membership",
        "CREATE ROLE \"{r_text}_root\" SUPERUSER; \
        CREATE ROLE \"{r_text}_way\"; GRANT \"{r_text}_root\" TO \"{r_text}_way\"; \
        GRANT \"{r_text}_way\" TO {r}; GRANT SELECT ON app.other TO \"{r_text}_way\"",
    ),
    case("operating_membership", "GRANT pg_signal_backend TO {r}"),
    case("monitoring_membership", "GRANT pg_monitor TO {r}"),
    case(
        "admin_option",
        "CREATE ROLE \"{r_text}_team\"; \
        GRANT \"{r_text}_team\" TO {r} WITH ADMIN OPTION",
    ),
    case(
        "writing_membership",
        "CREATE ROLE \"{r_text}_app\"; \
        GRANT SELECT, INSERT ON app.other TO \"{r_text}_app\"; GRANT \"{r_text}_app\" TO {r}",
    ),
    case("connection_limit", "ALTER ROLE {r} CONNECTION LIMIT -1"),
    case("ownership", "ALTER TABLE app.t OWNER TO {r}"),
    case(
        "ownership",
        "CREATE ROLE \"{r_text}_own\"; ALTER TABLE app.t OWNER TO \"{r_text}_own\"; \
        GRANT \"{r_text}_own\" TO {r}",
    ),
    case("ownership", "ALTER DATABASE {d} OWNER TO {r}"),
    case("table_writes", "GRANT UPDATE, TRUNCATE ON app.t TO {r}"),
    case("table_writes", "GRANT INSERT ON app.v TO PUBLIC"),
    case(
        "table_writes",
        "CREATE ROLE \"{r_text}_lead\"; \
        GRANT USAGE ON SCHEMA app TO \"{r_text}_lead\"; \
        GRANT DELETE ON app.t TO \"{r_text}_lead\" WITH GRANT OPTION; \
        SET ROLE \"{r_text}_lead\"; GRANT DELETE ON app.t TO {r}; RESET ROLE",
    ),
    case(
        "table_writes",
        "GRANT DELETE ON app.t TO {r} WITH GRANT OPTION; \
        SET ROLE {r}; SET default_transaction_read_only = off; \
        GRANT DELETE ON app.t TO PUBLIC; RESET ROLE",
    ),
    case("column_writes", "GRANT UPDATE (a) ON app.t TO PUBLIC"),
    case(
        "column_writes",
        "GRANT INSERT (id, a), UPDATE (a) ON app.t TO {r}",
    ),
    case("table_side_rights", "GRANT TRIGGER ON app.t TO {r}"),
    case("table_side_rights", "GRANT REFERENCES (id) ON app.t TO {r}"),
    since(17, "table_side_rights", "GRANT MAINTAIN ON app.t TO {r}"),
    case("sequence_rights", "GRANT USAGE ON SEQUENCE app.s TO {r}"),
    case("schema_create", "GRANT CREATE ON SCHEMA app TO {r}"),
    case(
        "public_schema_create",
        "GRANT CREATE ON SCHEMA public TO PUBLIC",
    ),
    case("database_create", "GRANT CREATE ON DATABASE {d} TO {r}"),
    case("database_temp", "GRANT TEMPORARY ON DATABASE {d} TO PUBLIC"),
    case(
        "default_privileges",
        "ALTER DEFAULT PRIVILEGES IN SCHEMA app \
        GRANT INSERT ON TABLES TO {r}; \
        ALTER DEFAULT PRIVILEGES GRANT UPDATE ON SEQUENCES TO PUBLIC",
    ),
    case(
        "other_databases",
        "CREATE ROLE \"{r_text}_see\"; \
        GRANT CONNECT ON DATABASE postgres TO {r}",
    ),
    case("row_security_bypassed", "ALTER ROLE {r} BYPASSRLS"),
    case(
        "row_security_bypassed",
        "ALTER TABLE app.guarded OWNER TO {r}",
    ),
    case(
        "definer_open_path",
        "CREATE FUNCTION app.f(\"char\", app.t) RETURNS int LANGUAGE sql \
        SECURITY DEFINER AS 'SELECT 1'",
    ),
    case(
        "definer_functions",
        "CREATE FUNCTION app.f(int) RETURNS int LANGUAGE sql \
        SECURITY DEFINER SET search_path = pg_catalog AS 'SELECT 1'; \
        CREATE PROCEDURE app.p(INOUT a int) LANGUAGE sql SECURITY DEFINER \
        SET search_path = pg_catalog AS 'SELECT 1'",
    ),
    case(
        "untrusted_functions",
        "CREATE FUNCTION app.c() RETURNS timestamptz LANGUAGE internal \
        AS 'now'",
    ),
    case(
        "volatile_functions",
        "CREATE FUNCTION app.v() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    ),
    case(
        "builtins_granted",
        "GRANT EXECUTE ON FUNCTION pg_read_file(text) TO {r}",
    ),
    case(
        "builtins_granted",
        "GRANT EXECUTE ON FUNCTION pg_reload_conf() TO PUBLIC",
    ),
    case(
        "wal_messages",
        "DO $$ BEGIN EXECUTE (SELECT string_agg( \
          format('GRANT EXECUTE ON FUNCTION %s TO PUBLIC', oid::regprocedure), ';') \
        FROM pg_proc WHERE proname = 'pg_logical_emit_message'); END $$",
    ),
    case("outreach_functions", "CREATE EXTENSION dblink SCHEMA app"),
    case("outreach_installed", "CREATE EXTENSION postgres_fdw"),
    case(
        "language_usage",
        "GRANT USAGE ON LANGUAGE plpgsql TO PUBLIC",
    ),
    case(
        "foreign_rights",
        "CREATE EXTENSION postgres_fdw; \
        CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw; \
        GRANT USAGE ON FOREIGN SERVER far TO {r}",
    ),
    case(
        "foreign_rights",
        "CREATE EXTENSION postgres_fdw; \
        GRANT USAGE ON FOREIGN DATA WRAPPER postgres_fdw TO {r}",
    ),
    case(
        "foreign_tables",
        "CREATE EXTENSION postgres_fdw; \
        CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw; \
        CREATE FOREIGN TABLE app.away (id int) SERVER far; GRANT SELECT ON app.away TO {r}",
    ),
    case(
        "user_mappings",
        "CREATE EXTENSION postgres_fdw; \
        CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw; \
        CREATE USER MAPPING FOR PUBLIC SERVER far OPTIONS (user 'a', password 'b')",
    ),
    case(
        "large_object_functions",
        "GRANT EXECUTE ON FUNCTION lo_creat(int) TO PUBLIC",
    ),
    case(
        "large_object_rights",
        "SELECT lo_create(4711); \
        GRANT UPDATE ON LARGE OBJECT 4711 TO {r}",
    ),
    case(
        "large_object_compat",
        "ALTER DATABASE {d} SET lo_compat_privileges = on",
    ),
    case(
        "read_only_default",
        "ALTER ROLE {r} RESET default_transaction_read_only",
    ),
    case(
        "read_only_default",
        "ALTER ROLE {r} IN DATABASE {d} \
        SET default_transaction_read_only = off",
    ),
    case(
        "statement_timeout",
        "ALTER ROLE {r} RESET statement_timeout",
    ),
    case(
        "statement_timeout",
        "ALTER ROLE {r} IN DATABASE {d} SET statement_timeout = 0",
    ),
    case(
        "idle_in_transaction_timeout",
        "ALTER ROLE {r} RESET idle_in_transaction_session_timeout",
    ),
    case("lock_timeout", "ALTER ROLE {r} RESET lock_timeout"),
    since(
        14,
        "idle_session_timeout",
        "ALTER ROLE {r} RESET idle_session_timeout",
    ),
    since(
        17,
        "transaction_timeout",
        "ALTER ROLE {r} RESET transaction_timeout",
    ),
    case("temp_file_limit", "ALTER ROLE {r} RESET temp_file_limit"),
    since(
        15,
        "parameter_rights",
        "GRANT SET, ALTER SYSTEM ON PARAMETER session_replication_role TO {r}",
    ),
    case(
        "row_security_off",
        "ALTER TABLE app.guarded DISABLE ROW LEVEL SECURITY",
    ),
];

/// Those that are seen by every role of the server; each needs one of its own.
pub const SHARED_CASES: &[Case] = &[since(
    15,
    "parameter_rights",
    "GRANT SET ON PARAMETER plpgsql.variable_conflict TO PUBLIC",
)];
