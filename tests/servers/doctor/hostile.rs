//! Names that are out to be run, or to be obeyed by a terminal: they are shown harmlessly, and the
//! SQL speaks about exactly the things that bear them.

use pgsieve::doctor::check::FindingSeverity;

use crate::doctor::support::{Place, VERSIONS, cluster_of, doctor, fires, run};

/// Whatever a name can be out for.
const HOSTILE: &str = "x\"; DROP TABLE app.t; --\n\\q\u{1b}[2J\r\u{202e}\u{9b}31m '$$";

/// The same as SQL without any care would need it.
fn quoted(suffix: &str) -> String {
    format!("\"{}{suffix}\"", HOSTILE.replace('"', "\"\""))
}

#[test]
fn hostile_names_are_shown_harmlessly_and_quoted_right_on_every_version() {
    for version in VERSIONS {
        let Some(cluster) = cluster_of(version) else {
            continue;
        };
        run(async {
            let role = format!("{HOSTILE}r");
            let database = format!("{HOSTILE}d");
            let place = Place::named(cluster, &database, &role).await;
            place.make(&everything()).await;
            check_place(&place).await;
        });
    }
}

/// Rights of all kinds on things with such names.
fn everything() -> String {
    let (schema, table, column) = (quoted("s"), quoted("t"), quoted("c"));
    let sequence = quoted("t2");
    let (kind, routine, writer) = (quoted("k"), quoted("f"), quoted("w"));
    format!(
        "CREATE SCHEMA {schema}; CREATE TABLE {schema}.{table} ({column} int, b int); \
         CREATE TABLE {schema}.plain (a int); CREATE TYPE {schema}.{kind} AS ENUM ('a'); \
         CREATE SEQUENCE {schema}.{sequence}; \
         CREATE FUNCTION {schema}.{routine}({column} {schema}.{kind}, {schema}.{kind}[]) \
           RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'; \
         CREATE ROLE {writer}; GRANT CREATE, USAGE ON SCHEMA {schema} TO {writer}, {{r}}; \
         GRANT INSERT, SELECT ON {schema}.{table} TO {writer} WITH GRANT OPTION; \
         SET ROLE {writer}; SET default_transaction_read_only = off; \
         GRANT INSERT ON {schema}.{table} TO {{r}}; RESET ROLE; \
         GRANT UPDATE ({column}), SELECT ({column}) ON {schema}.{table} TO {{r}}; \
         GRANT USAGE ON SEQUENCE {schema}.{sequence} TO PUBLIC; \
         GRANT {writer} TO {{r}} WITH ADMIN OPTION; \
         GRANT TEMPORARY, CREATE ON DATABASE {{d}} TO {{r}}; \
         ALTER DEFAULT PRIVILEGES FOR ROLE {writer} IN SCHEMA {schema} \
           GRANT INSERT ON TABLES TO {{r}}; \
         ALTER ROLE {{r}} IN DATABASE {{d}} SET statement_timeout = 0"
    )
}

async fn check_place(place: &Place) {
    let version = place.cluster.version();
    let url = place.url();
    for arguments in [&[][..], &["--sql"], &["--json"]] {
        let output = doctor(&[&["--upstream", url.as_str()], arguments].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        let harmless = |c: char| c == '\n' || !c.is_control() && c != '\u{202e}';
        assert!(text.chars().all(harmless), "{text}");
        if arguments != ["--json"] {
            // A name that begins a line of its own would be a command.
            assert!(!text.lines().any(|line| line.starts_with("\\q")), "{text}");
        }
        assert!(said.is_empty());
    }
    let found = place.examine().await;
    for id in [
        "table_writes",
        "column_writes",
        "sequence_rights",
        "schema_create",
        "database_create",
        "database_temp",
        "definer_open_path",
        "admin_option",
        "writing_membership",
        "default_privileges",
        "statement_timeout",
    ] {
        assert!(fires(&found, id), "{id} is silent on {version}");
    }
    assert_eq!(found.script.new_role, None);
    place.run_all(found.script.statements()).await;
    let after = place.examine().await;
    let left = after.findings.iter();
    let left = left.filter(|finding| finding.severity >= FindingSeverity::Warning);
    let old = ["unsupported_version", "read_only_unreported"];
    let left: Vec<&str> = left.map(|finding| finding.check.id).collect();
    let left: Vec<&&str> = left.iter().filter(|id| !old.contains(id)).collect();
    assert!(left.is_empty(), "{left:?} on {version}");
    let tables = "SELECT to_regclass('app.t') IS NOT NULL, count(*) FROM pg_class c \
        JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname LIKE 'x\"; DROP%'";
    assert_eq!(place.rows(tables).await, [["t", "3"]]);
}
