//! The policy files that ship, and `pgsieve policy check` and `schema` as a shell sees them.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::support::own_cluster;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/policies");

/// Runs `pgsieve policy` without any of our variables in its environment.
fn policy(arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pgsieve"));
    let output: Output = command
        .arg("policy")
        .args(arguments)
        .env_clear()
        .output()
        .unwrap();
    let printed = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    (output.status.code().unwrap(), printed.concat())
}

/// A file with a text, in a folder of its own; the folder is gone with the value.
struct File {
    folder: PathBuf,
    path: String,
}

impl File {
    fn new(name: &str, text: &str) -> Self {
        let own = format!("pgsieve-policy-files-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(own);
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        let path = path.to_string_lossy().into_owned();
        Self { folder, path }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The default policy with more sections.
fn agent_with(sections: &str) -> String {
    format!(
        "{}\n{sections}\n",
        include_str!("../../../policies/agent.yaml")
    )
}

#[test]
fn the_shipped_policies_are_sound_and_pass_their_own_tests() {
    // They are not meant for one server.
    let (status, printed) = policy(&["check", "--apart", FOLDER]);
    assert_eq!(status, 0, "{printed}");
    for name in ["agent", "bi", "strict", "observe"] {
        assert!(
            printed.contains(&format!("/{name}.yaml: {name} ")),
            "{printed}"
        );
        let (status, printed) = policy(&["test", name]);
        assert_eq!(status, 0, "{printed}");
        assert!(printed.contains(" 0 failed, 0 undecided"), "{printed}");
    }
}

#[test]
fn the_schema_is_printed_as_it_is_checked_in() {
    let (status, printed) = policy(&["schema"]);
    assert_eq!(status, 0);
    assert!(printed == include_str!("../../../policies/policy.schema.json"));
}

#[test]
fn what_is_wrong_is_said_with_its_place_and_a_status() {
    let file = File::new(
        "wrong.yaml",
        &agent_with("mode: off\nrelations: {deny: [orders]}"),
    );
    let (status, printed) = policy(&["check", &file.path, "agent"]);
    assert_eq!(status, 1, "{printed}");
    for wanted in [
        "wrong.yaml:",
        " mode: one of enforce, observe is wanted",
        " relations.deny: a relation stands here with its schema, such as shop.orders",
        "agent: agent ",
    ] {
        assert!(printed.contains(wanted), "{wanted}: {printed}");
    }
    let (status, printed) = policy(&["check", "/no/such/file"]);
    assert_eq!(status, 2, "{printed}");
    let (status, printed) = policy(&["check", "agent", "bi", "--together"]);
    assert!(
        status == 1 && printed.contains("neither agent nor bi"),
        "{printed}"
    );
}

#[test]
fn the_policies_of_a_folder_are_judged_as_one_set() {
    let of = |name: &str, more: &str| format!("name: {name}\nextends: agent\n{more}");
    let folder = File::new("a.yaml", &of("everybody", "match: {user: \"*\"}\n"));
    let narrow = folder.folder.join("b.yaml");
    fs::write(&narrow, of("narrow", "match: {user: ann}\n")).unwrap();
    let path = folder.folder.to_str().unwrap();
    let shadowed = format!("{path}: together: ");
    let (status, printed) = policy(&["check", path]);
    assert_eq!(status, 1, "{printed}");
    assert!(printed.contains(&shadowed), "{printed}");
    assert!(printed.contains("narrow"), "{printed}");
    // With others, too, and as files they are apart.
    let (status, printed) = policy(&["check", "agent", path]);
    assert!(status == 1 && printed.contains(&shadowed), "{printed}");
    let narrow_path = narrow.to_str().unwrap();
    let (status, printed) = policy(&["check", &folder.path, narrow_path]);
    assert_eq!(status, 0, "{printed}");
    let (status, printed) = policy(&["check", "--apart", path]);
    assert_eq!(status, 0, "{printed}");
    let (status, printed) = policy(&["check", "--together", &folder.path, narrow_path]);
    assert_eq!(status, 1, "{printed}");
    let (status, printed) = policy(&["check", "--apart", "--together", path]);
    assert_eq!(status, 2, "{printed}");
    // Two of one name are no set; by their order they are sound.
    fs::write(
        &narrow,
        of("everybody", "match: {user: ann}\npriority: 1\n"),
    )
    .unwrap();
    assert_eq!(policy(&["check", path]).0, 1);
    fs::write(&narrow, of("narrow", "match: {user: ann}\npriority: 1\n")).unwrap();
    let (status, printed) = policy(&["check", path]);
    assert_eq!(status, 0, "{printed}");
    assert!(
        printed.contains("were not compared with a database"),
        "{printed}"
    );
}

#[test]
fn with_a_database_patterns_of_nothing_and_broken_models_are_told() {
    let cluster = own_cluster().start().unwrap();
    let url = cluster.admin_url("postgres");
    let file = File::new(
        "patterns.yaml",
        &agent_with("relations: {deny: [pg_catalog.pg_clas, pg_catalog.pg_proc]}"),
    );
    let (status, printed) = policy(&["check", "--upstream", &url, &file.path]);
    assert_eq!(status, 0, "{printed}");
    let wanted = "warning: relations.deny: pg_catalog.pg_clas is no relation here";
    assert!(printed.contains(wanted), "{printed}");
    assert!(!printed.contains("pg_proc"), "{printed}");
    assert!(!printed.contains("not compared"), "{printed}");
    let model = "models: {public.nothing: {new: true, sql: SELECT a FROM public.no_such_table}}";
    let file = File::new("models.yaml", &agent_with(model));
    let (status, printed) = policy(&["check", "--upstream", &url, &file.path]);
    assert_eq!(status, 1, "{printed}");
    assert!(printed.contains("models.public.nothing: "), "{printed}");
}

#[test]
fn what_extends_another_policy_is_judged_and_printed_as_what_it_comes_to() {
    let file = File::new(
        "own.yaml",
        "name: own\nextends: base\nstatements: {explain_analyze: reads}\n\
         tests: [{statement: EXPLAIN ANALYZE SELECT 1, expect: permit}, \
         {statement: SELECT random(), expect: refuse, rule: function_denied}]\n",
    );
    let base = file.folder.join("base");
    let text = "extends: agent\nfunctions: {deny: [pg_catalog.random]}\n";
    fs::write(&base, text).unwrap();
    let (status, printed) = policy(&["test", &file.path]);
    assert_eq!(status, 0, "{printed}");
    let (status, printed) = policy(&["explain", &file.path, "--sql", "SELECT random()"]);
    assert!(
        status == 1 && printed.contains("function_denied"),
        "{printed}"
    );
    let (status, printed) = policy(&["print", &file.path]);
    assert_eq!(status, 0, "{printed}");
    for wanted in [
        "own.yaml:3, was refuse (agent:",
        "), lets more through\n",
        "    - pg_catalog.random  # /",
        "/base:2\n",
        "  # agent:",
        "(left out)",
    ] {
        assert!(printed.contains(wanted), "{wanted}: {printed}");
    }
    let flat = File::new("flat.yaml", &printed);
    let version = |path: &str| {
        let (status, printed) = policy(&["check", path]);
        assert_eq!(status, 0, "{printed}");
        printed.split(' ').nth(2).unwrap().to_owned()
    };
    assert_eq!(version(&flat.path), version(&file.path));
    let (status, printed) = policy(&["set-mode", &file.path, "observe"]);
    assert_eq!(status, 0, "{printed}");
    fs::write(&base, "extends: base").unwrap();
    for command in ["check", "print", "test"] {
        let (status, printed) = policy(&[command, &file.path]);
        assert_ne!(status, 0);
        assert!(
            printed.contains("base:1:10 extends: base extends itself"),
            "{printed}"
        );
    }
}

#[test]
fn the_beginning_of_a_policy_is_sound_and_its_tests_pass() {
    for whom in ["agent", "bi", "dba"] {
        let (status, text) = policy(&["init", "--for", whom]);
        assert_eq!(status, 0, "{text}");
        let file = File::new(&format!("begun-{whom}.yaml"), &text);
        let (status, printed) = policy(&["check", &file.path]);
        assert_eq!(status, 0, "{printed}\n{text}");
        let (status, printed) = policy(&["test", &file.path]);
        assert!(
            status == 0 && printed.contains("2 passed, 0 failed"),
            "{printed}\n{text}"
        );
    }
    let (status, said) = policy(&["init", "--for", "agent", "--name", "bi"]);
    assert!(
        status == 2 && said.contains("bi is the name of a built-in policy"),
        "{said}"
    );
    let named = [
        "init",
        "--for",
        "agent",
        "--name",
        "a",
        "--user",
        "agent_*",
        "--database",
        "d",
    ];
    let (status, text) = policy(&named);
    assert_eq!(status, 0, "{text}");
    assert!(
        text.contains("name: a\n") && text.contains("  user: \"agent_*\"\n"),
        "{text}"
    );
    let wrong = ["init", "--for", "agent", "--name", "a b"];
    let (status, said) = policy(&wrong);
    assert!(status == 1 && said.contains("a name of letters"), "{said}");
}

#[test]
fn the_beginning_from_a_catalog_hides_what_is_guessed() {
    let cluster = own_cluster().start().unwrap();
    let url = cluster.admin_url("postgres");
    execute(&url, CATALOG);
    let begun = |whom: &str| {
        let (status, text) = policy(&["init", "--for", whom, "--upstream", &url]);
        assert_eq!(status, 0, "{text}");
        let file = File::new(&format!("from-{whom}.yaml"), &text);
        let (status, printed) = policy(&["check", "--upstream", &url, &file.path]);
        assert_eq!(status, 0, "{printed}\n{text}");
        let (status, printed) = policy(&["test", "--upstream", &url, &file.path]);
        assert_eq!(status, 0, "{printed}\n{text}");
        (text, printed)
    };
    for whom in ["agent", "bi"] {
        let (text, printed) = begun(whom);
        for wanted in [
            "    - shop.customers  # table\n",
            "    - shop.orders  # partitioned table\n",
            "    - \"shop.\\\"odd.Name\\\"\"  # table\n",
            "    - shop.totals  # view\n",
            "  #   - shop.api_tokens  (guess: holds secrets, by its name; left out)\n",
            "    shop.customers.email: partial  # guess: an address for mail, by name and type (text)\n",
            "    \"shop.\\\"odd.Name\\\".\\\"Home Phone\\\"\": \"last(4)\"  # guess: a telephone number",
            "- shop.mails.email  # guess: an address for mail",
            "SELECT email FROM shop.customers\", user: \"app\", expect: permit",
            "- hr.people.salary  # guess: pay, by name and type (numeric)\n",
            "SELECT salary FROM hr.people\", user: \"app\", expect: refuse, rule: column_denied",
            "TABLE shop.api_tokens\", user: \"app\", expect: refuse, rule: relation_denied",
        ] {
            assert!(text.contains(wanted), "{wanted}\n{text}");
        }
        assert!(
            !text.contains("shop.orders_1") && !text.contains("pg_"),
            "{text}"
        );
        assert!(
            printed.contains("10 passed, 0 failed, 0 undecided"),
            "{printed}\n{text}"
        );
    }
    let (text, printed) = begun("dba");
    assert!(
        text.contains("#     - hr.people.salary  # guess: pay"),
        "{text}"
    );
    assert!(printed.contains("4 passed, 0 failed"), "{printed}");
    // Nobody has a table, and what is there cannot be named.
    execute(
        &url,
        "DROP SCHEMA shop, hr CASCADE; CREATE TABLE \"a*b\" (\"c*d\" int)",
    );
    let (status, text) = policy(&["init", "--for", "agent", "--upstream", &url]);
    assert!(
        status == 0 && text.contains("has a * in its name"),
        "{text}"
    );
    assert!(text.contains("  allow: []\n"), "{text}");
}

fn execute(url: &str, sql: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls)
            .await
            .unwrap();
        tokio::spawn(connection);
        client.batch_execute(sql).await.unwrap();
    });
}

const CATALOG: &str = "CREATE SCHEMA shop; CREATE SCHEMA hr; \
    CREATE TABLE shop.customers (id int, region text, email text, \"order\" text); \
    CREATE TABLE shop.orders (id int, customer int, total int) PARTITION BY RANGE (id); \
    CREATE TABLE shop.orders_1 PARTITION OF shop.orders FOR VALUES FROM (0) TO (9); \
    CREATE TABLE shop.\"odd.Name\" (\"Home Phone\" text, id int); \
    CREATE TABLE shop.api_tokens (id int, token text); \
    CREATE VIEW shop.totals AS SELECT sum(total) AS total FROM shop.orders; \
    CREATE VIEW shop.mails AS SELECT email, region FROM shop.customers; \
    CREATE TABLE hr.people (id int, salary numeric, born date, password text)";

#[test]
fn the_mode_of_a_file_is_set_and_the_rest_of_it_stays() {
    let file = File::new(
        "mode.yaml",
        &agent_with("# Mine.\nrules: {nesting: observe}\n"),
    );
    let before = fs::read_to_string(&file.path).unwrap();
    let set = |mode: &str| policy(&["set-mode", &file.path, mode]);
    let (status, printed) = set("observe");
    assert_eq!(status, 0, "{printed}");
    assert!(printed.contains(": mode: observe"), "{printed}");
    let observes = fs::read_to_string(&file.path).unwrap();
    assert_eq!(
        observes,
        before.replace("\n#mode: enforce\n", "\nmode: observe\n")
    );
    let (_, printed) = policy(&["check", &file.path]);
    assert!(printed.contains(": sound, mode: observe"), "{printed}");
    let (status, printed) = set("enforce");
    assert_eq!(status, 0, "{printed}");
    assert!(
        printed.contains("mode: enforce (rules of it only observe)"),
        "{printed}"
    );
    let (_, printed) = policy(&["check", &file.path]);
    assert!(
        printed.contains(": sound, rules of it only observe"),
        "{printed}"
    );
    // What is wrong stays as it is.
    fs::write(&file.path, "name: [").unwrap();
    let (status, printed) = set("observe");
    assert_eq!(status, 1, "{printed}");
    assert_eq!(fs::read_to_string(&file.path).unwrap(), "name: [");
    let json = serde_json::to_string(&serde_yaml_map(&before)).unwrap();
    fs::write(&file.path, &json).unwrap();
    let (status, printed) = set("observe");
    assert_eq!(status, 1, "{printed}");
    assert!(printed.contains("write mode: observe there"), "{printed}");
    assert_eq!(fs::read_to_string(&file.path).unwrap(), json);
    let (status, _) = policy(&["set-mode", "/nowhere/at/all.yaml", "observe"]);
    assert_eq!(status, 2);
}

/// A policy as one map in braces, in which no line is that of its mode.
fn serde_yaml_map(text: &str) -> serde_json::Value {
    serde_yaml::from_str(text).unwrap()
}
