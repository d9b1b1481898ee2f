//! `pgsieve policy test`, `explain`, `diff` and `suggest` as a shell sees them, without a database
//! and with one.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use pgsieve::demo::cluster::PrivateCluster;
use serde_json::Value;

use crate::support::own_cluster;

/// Runs `pgsieve policy` with an input and without any of our variables in its environment.
fn policy(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pgsieve"));
    command.arg("policy").args(arguments).env_clear();
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that does not read its input may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn status(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// Everything that was printed, for messages.
fn printed(output: &Output) -> String {
    [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .concat()
}

fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Files of one test; removed when it ends.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("pgsieve-policies-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// A policy like `agent`, with these sections as well.
    fn like_agent(&self, name: &str, sections: &str) -> String {
        let agent = include_str!("../../../policies/agent.yaml");
        let tests = agent.find("\ntests:").unwrap_or(agent.len());
        let text = agent[..tests].replacen("name: agent", &format!("name: {name}"), 1);
        let text = text.replacen("\n  allow:\n", "\n  allow:\n    app.tenant: any\n", 1);
        self.file(&format!("{name}.yaml"), &format!("{text}\n{sections}"))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A Postgres with what a policy can speak about.
fn shop() -> String {
    static CLUSTER: LazyLock<PrivateCluster> = LazyLock::new(|| {
        let cluster = own_cluster().start().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let url = cluster.admin_url("postgres");
            let connected = tokio_postgres::connect(&url, tokio_postgres::NoTls).await;
            let (client, connection) = connected.unwrap();
            tokio::spawn(connection);
            client.batch_execute(SHOP).await.unwrap();
        });
        cluster
    });
    CLUSTER.admin_url("postgres")
}

const SHOP: &str = "CREATE SCHEMA shop; CREATE SCHEMA other; \
    CREATE TABLE shop.orders (id int PRIMARY KEY, customer int, total int) \
    PARTITION BY RANGE (id); \
    CREATE TABLE shop.orders_1 PARTITION OF shop.orders FOR VALUES FROM (0) TO (1000); \
    CREATE TABLE shop.customers (id int, region text, email text, ssn text, tenant text); \
    CREATE TABLE shop.secret_keys (id int, \"Key\" text); \
    CREATE TABLE other.\"odd.Name\" (id int); \
    CREATE FUNCTION shop.seen(n int) RETURNS int LANGUAGE plpgsql STABLE AS \
        'BEGIN RETURN (SELECT count(*) FROM shop.orders WHERE id < n); END'; \
    CREATE ROLE alice LOGIN; ALTER ROLE alice SET search_path TO shop; \
    GRANT USAGE ON SCHEMA shop TO alice; GRANT SELECT ON ALL TABLES IN SCHEMA shop TO alice";

const HIDING: &str = r#"
relations: {allow: ["shop.*", 'other."odd.Name"'], deny: [shop.secret_*]}
columns: {deny: ["*.*.ssn"]}
"#;

#[test]
fn tests_of_a_policy_are_run_like_unit_tests() {
    let place = Place::new();
    let file = place.like_agent(
        "shop",
        r#"
tests:
  - {statement: "SELECT 1", expect: permit}
  - {statement: "DELETE FROM shop.orders", expect: refuse, rule: write_statement}
  - {statement: "SELECT 1; SELECT 2", expect: refuse}
"#,
    );
    let output = policy(&["test", &file], "");
    assert_eq!(status(&output), 0, "{}", printed(&output));
    assert!(printed(&output).contains("3 passed, 0 failed, 0 undecided"));
    let wrong = place.like_agent(
        "wrong",
        "tests:\n  - {statement: \"SELECT 'cAnArY'\", expect: refuse}\n  \
         - {statement: \"DROP TABLE t\", expect: refuse, rule: select_into}\n",
    );
    let output = policy(&["test", &wrong], "");
    assert_eq!(status(&output), 1, "{}", printed(&output));
    for part in [
        "tests[0]: expected refuse, got permit under wrong",
        "tests[1]: expected refuse by select_into, got refuse by ddl under wrong",
        "0 passed, 2 failed, 0 undecided",
    ] {
        assert!(printed(&output).contains(part), "{}", printed(&output));
    }
    assert!(!printed(&output).contains("cAnArY"));
    let told = lines(&policy(&["test", "--json", &wrong], ""));
    assert_eq!(told[1]["got"], "refuse");
    assert_eq!(told[1]["rules"][0], "ddl");
    assert_eq!(told[1]["outcome"], "failed");
    assert!(told[1]["detail"].as_str().unwrap().starts_with("rule: ddl"));
    assert_eq!(told[2]["failed"], 2);
    assert_eq!(status(&policy(&["test", "/no/such/file"], "")), 2);
}

const HIDING_TESTS: &str = r#"
tests:
  - {statement: "SELECT id FROM shop.orders", expect: permit}
  - {statement: "SELECT * FROM shop.secret_keys", expect: refuse, rule: relation_denied}
  - {statement: "SELECT * FROM secret_keys", expect: refuse, rule: relation_denied, user: alice}
  - {statement: "SELECT id FROM orders", expect: permit, user: alice}
  - {statement: "SELECT id FROM orders_1", expect: permit, search_path: [shop]}
  - {statement: "SELECT region, ssn FROM shop.customers", expect: refuse, rule: column_denied}
  - {statement: "SELECT 1", expect: permit}
"#;

#[test]
fn names_mean_what_they_mean_in_the_session_of_the_test() {
    let place = Place::new();
    let file = place.like_agent("shop", &format!("{HIDING}{HIDING_TESTS}"));
    let output = policy(&["test", "--upstream", &shop(), &file], "");
    assert_eq!(status(&output), 0, "{}", printed(&output));
    assert!(printed(&output).contains("7 passed"));
    // Without a database none of it can be told, and that is said.
    let output = policy(&["test", &file], "");
    assert_eq!(status(&output), 1, "{}", printed(&output));
    assert!(printed(&output).contains("1 passed, 0 failed, 6 undecided"));
    assert!(
        printed(&output)
            .contains("tests that cannot be decided without a database (--upstream URL): 6")
    );
    let skipped = policy(&["test", "--skip-undecided", &file], "");
    assert_eq!(status(&skipped), 0, "{}", printed(&skipped));
}

#[test]
fn observed_rules_refuse_nothing_and_are_told() {
    let place = Place::new();
    let file = place.like_agent(
        "shop",
        &format!(
            "mode: observe\n{HIDING}\ntests:\n  \
             - {{statement: TABLE shop.secret_keys, expect: observe, rule: relation_denied}}\n  \
             - {{statement: SELECT id FROM shop.orders, expect: permit}}\n  \
             - {{statement: DROP TABLE shop.orders, expect: refuse}}\n"
        ),
    );
    let output = policy(&["test", "--upstream", &shop(), &file], "");
    assert_eq!(status(&output), 0, "{}", printed(&output));
}

#[test]
fn a_test_of_a_session_runs_under_the_policy_that_it_gets() {
    let place = Place::new();
    let agents = place.like_agent(
        "agents",
        "match: {user: [agent_*]}\ntests:\n  \
         - {statement: EXPLAIN ANALYZE SELECT 1, expect: refuse, user: agent_7}\n  \
         - {statement: EXPLAIN ANALYZE SELECT 1, expect: permit, user: ann}\n  \
         - {statement: EXPLAIN ANALYZE SELECT 1, expect: refuse}\n",
    );
    let output = policy(&["test", &agents, "bi", "--skip-undecided"], "");
    assert_eq!(status(&output), 0, "{}", printed(&output));
    let alone = policy(&["test", &agents], "");
    assert_eq!(status(&alone), 1, "{}", printed(&alone));
}

#[test]
fn explain_shows_the_path_to_the_verdict() {
    let place = Place::new();
    let file = place.like_agent("shop", HIDING);
    let sql = "SELECT o.id, ssn FROM shop.orders o JOIN shop.customers c ON c.id = o.customer";
    let explain = |more: &[&str]| {
        let mut arguments = vec!["explain", file.as_str()];
        arguments.extend(more);
        policy(&arguments, "")
    };
    let url = shop();
    let output = explain(&["--upstream", &url, "--sql", sql]);
    assert_eq!(status(&output), 1, "{}", printed(&output));
    for part in [
        "policy   shop (",
        "it has no match: it is for every session",
        "every rule is enforced",
        "1 (line 1): refuse by column_denied",
        "  relation shop.orders: partitioned table\n    allow shop.* at ",
        "  column shop.customers.ssn\n    deny *.*.ssn at ",
        " columns.deny",
        "  access   refused by column_denied",
        "  error    42501 ",
    ] {
        assert!(
            printed(&output).contains(part),
            "{part}\n{}",
            printed(&output)
        );
    }
    let told = &lines(&explain(&["--upstream", &url, "--json", "--sql", sql]))[0];
    assert_eq!(told["verdict"], "refuse");
    assert_eq!(told["rules"][0], "column_denied");
    assert_eq!(told["sqlstate"], "42501");
    let names = told["names"].as_array().unwrap();
    let of = |name: &str| names.iter().find(|one| one["name"] == name).unwrap();
    assert_eq!(
        of("shop.customers.ssn")["patterns"][0]["pattern"],
        "*.*.ssn"
    );
    assert_eq!(of("shop.orders")["patterns"][0]["list"], "allow");
    let path = told["path"].as_array().unwrap();
    assert_eq!(path.last().unwrap()["outcome"], "refused");
    // A partition is what it is a part of.
    let sql = "SELECT 1 FROM orders_1";
    let alice = explain(&["--upstream", &url, "--user", "alice", "--sql", sql]);
    assert_eq!(status(&alice), 0, "{}", printed(&alice));
    for part in [
        "user alice, database postgres, role alice",
        "names are looked up in shop",
        "allow shop.* at ",
        ", which names shop.orders\n",
    ] {
        assert!(
            printed(&alice).contains(part),
            "{part}\n{}",
            printed(&alice)
        );
    }
    let blind = explain(&["--sql", "SELECT 1 FROM orders"]);
    assert_eq!(status(&blind), 1, "{}", printed(&blind));
    assert!(printed(&blind).contains("without a database"));
    assert_eq!(status(&explain(&[])), 2);
    assert_eq!(status(&explain(&["--sql", "SELECT 1", "--set", "x"])), 2);
}

#[test]
fn explain_says_which_policy_a_session_gets() {
    let place = Place::new();
    let agents = place.like_agent("agents", "match: {user: [agent_*]}\n");
    let why = |user: &str| {
        let sql = ["--sql", "SELECT 1", "--user", user];
        printed(&policy(
            &[&["explain", &agents, "bi"][..], &sql].concat(),
            "",
        ))
    };
    assert!(
        why("agent_1").contains("policy   agents"),
        "{}",
        why("agent_1")
    );
    assert!(why("agent_1").contains("the first whose match fits: user agent_1"));
    assert!(why("ann").contains("policy   bi"), "{}", why("ann"));
    assert!(why("ann").contains("no match fits, and it has none"));
}

#[test]
fn explain_follows_a_session_from_statement_to_statement() {
    let place = Place::new();
    let file = place.like_agent("shop", HIDING);
    let text = "SET search_path = shop;\nSELECT id FROM secret_keys;\nEXECUTE p";
    let arguments = [
        "explain",
        &file,
        "--upstream",
        &shop(),
        "--file",
        "-",
        "--json",
    ];
    let told = lines(&policy(&arguments, text));
    let verdicts: Vec<_> = told.iter().map(|one| one["rules"][0].as_str()).collect();
    assert_eq!(
        verdicts,
        [None, Some("relation_denied"), Some("prepared_name")]
    );
    assert_eq!(told[1]["line"], 2);
}

#[test]
fn diff_says_what_changes_and_never_how_it_is_written() {
    let corpus = r#"{"id":"a","sql":"SELECT 'cAnArY'"}
{"id":"b","sql":"EXPLAIN ANALYZE SELECT 'cAnArY'"}
{"id":"c","sql":"DROP TABLE cAnArY"}
"#;
    let diff = |arguments: &[&str], input: &str| {
        let all = [&["diff"][..], arguments, &["--statements", "-"]].concat();
        policy(&all, input)
    };
    let same = diff(&["agent", "agent"], corpus);
    assert_eq!(status(&same), 0, "{}", printed(&same));
    assert!(printed(&same).contains("3 statements: 3 same"));
    let output = diff(&["agent", "bi"], corpus);
    assert_eq!(status(&output), 1, "{}", printed(&output));
    assert!(printed(&output).contains("line 2: refuse by explain_analyze -> permit (explain, "));
    assert!(printed(&output).contains("3 statements: 2 same, 1 were refused and run"));
    let told = lines(&diff(&["bi", "agent", "--jsonl"], corpus));
    assert_eq!(told[0]["id"], "b");
    assert_eq!(told[0]["change"], "refused");
    assert_eq!(told[0]["new_rules"][0], "explain_analyze");
    assert_eq!(told[1]["same"], 2);
    assert_eq!(told[1]["changed"]["refused"], 1);
    let plain = diff(
        &["bi", "agent"],
        "SELECT 1;\n\nEXPLAIN ANALYZE SELECT 'cAnArY'",
    );
    assert_eq!(status(&plain), 1);
    assert!(printed(&plain).contains("2 (line 3): permit -> refuse by explain_analyze"));
    let bad = diff(&["bi", "agent"], "{\"id\":1,\"sql\":\"SELECT 1\"}\n{cAnArY");
    assert_eq!(status(&bad), 2, "{}", printed(&bad));
    for output in [&output, &plain, &bad] {
        assert!(!printed(output).contains("cAnArY"), "{}", printed(output));
    }
}

#[test]
fn diff_sees_what_names_stand_for() {
    let place = Place::new();
    let (before, after) = (
        place.like_agent("before", ""),
        place.like_agent("after", HIDING),
    );
    let corpus = "SELECT id FROM secret_keys; SELECT id FROM orders; SELECT * FROM customers";
    let url = shop();
    let output = policy(
        &[
            "diff",
            &before,
            &after,
            "--upstream",
            &url,
            "--user",
            "alice",
            "--statements",
            "-",
        ],
        corpus,
    );
    assert_eq!(status(&output), 1, "{}", printed(&output));
    for part in [
        "1 (line 1): permit -> refuse by relation_denied",
        "3 (line 1): permit -> refuse by column_denied",
        "3 statements: 1 same, 2 ran and are refused",
    ] {
        assert!(
            printed(&output).contains(part),
            "{part}\n{}",
            printed(&output)
        );
    }
}

/// An audit as pgsieve writes it, cut to what matters.
const AUDIT: &str = r#"{"v":1,"time":"2026-01-01T10:00:00.000000Z","event":"login","user":"alice","database":"postgres"}
{"v":1,"time":"2026-01-01T10:00:00.000000Z","event":"statement","user":"alice","database":"postgres","application_name":"","path":"query","kind":"select","verdict":"permitted","relations":["pg_catalog.pg_class","shop.orders"],"functions":["shop.seen(integer)"],"settings":[]}
{"v":1,"time":"2026-01-02T10:00:00.000000Z","event":"statement","user":"alice","database":"postgres","application_name":"","path":"query","kind":"set","verdict":"permitted","relations":[],"functions":[],"settings":["enable_seqscan"]}
{"v":1,"time":"2026-01-03T10:00:00.000000Z","event":"statement","user":"bob","database":"postgres","application_name":"x","path":"query","kind":"select","verdict":"permitted","relations":["other.\"odd.Name\"","shop.orders"],"functions":[],"settings":[]}
{"v":1,"time":"2026-01-03T10:00:00.000000Z","event":"statement","user":"bob","database":"postgres","application_name":"x","path":"query","kind":"select","verdict":"refused","rule":"relation_denied","relations":["shop.secret_keys"],"functions":[],"settings":[]}
{"v":1,"time":"2026-01-03T10:00:00.000000Z","event":"statement","user":"bob","database":"postgres","application_name":"x","path":"query","kind":"select","verdict":"permitted"}
{"v":1,"time":"2026-01-03T10:00:00.000000Z","event":"statement","user":"bob","database":"postgres","application_name":"x","path":"query","kind":"select","verdict":"permitted","relations":["shop.dropped"],"functions":[],"settings":["app.unknown"]}
{"v":1,"time":"2026-01-03T10:00:00.000000Z","event":"statement","user":"bob","database":"stock","application_name":"x","path":"query","kind":"select","verdict":"permitted","relations":["shop.customers"],"functions":[],"settings":[]}
"#;

#[test]
fn suggest_proposes_what_was_read_and_nothing_else() {
    let place = Place::new();
    let audit = place.file("audit.jsonl", AUDIT);
    let output = policy(&["suggest", "--upstream", &shop(), "--from", &audit], "");
    assert_eq!(status(&output), 0, "{}", printed(&output));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    for part in [
        "name: agent-suggested\n",
        "    - shop.orders  # 2 times since 2026-01-01, last on 2026-01-03\n",
        "    - \"other.\\\"odd.Name\\\"\"  # once on 2026-01-03\n",
        "shop.seen(integer)",
        "    enable_seqscan: on or off  # once on 2026-01-02\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    for part in ["secret", "pg_class", "dropped", "enable_sort", "geqo"] {
        assert!(!text.contains(part), "{part}\n{text}");
    }
    let complaints = String::from_utf8(output.stderr).unwrap();
    for part in [
        "statements without what they name (audit.names: off, or an older version)",
        "statements that were refused, so that what they name is left out: 1",
        "  refused by relation_denied: 1\n",
        "statements in database stock, which --upstream does not name, are left out: 1",
        "relations of the server's own, which need no naming, are not listed: 1",
        "relation shop.dropped is not in the database any more",
        "setting app.unknown was set (once on 2026-01-03) and is not in settings.allow of agent",
    ] {
        assert!(complaints.contains(part), "{part}\n{complaints}");
    }
    // It is a policy, and what was read runs under it.
    let file = place.file("suggested.yaml", &text);
    let checked = policy(&["check", &file], "");
    assert_eq!(status(&checked), 0, "{}", printed(&checked));
    let url = shop();
    for (sql, expected) in [
        ("SELECT shop.seen(3), relname FROM pg_class, shop.orders", 0),
        ("SELECT * FROM other.\"odd.Name\"", 0),
        ("SET enable_seqscan = off", 0),
        ("SELECT * FROM shop.secret_keys", 1),
        ("SELECT * FROM shop.customers", 1),
        ("SET enable_sort = off", 1),
    ] {
        let arguments = ["explain", &file, "--upstream", &url, "--sql", sql];
        let explained = policy(&arguments, "");
        assert_eq!(
            status(&explained),
            expected,
            "{sql}\n{}",
            printed(&explained)
        );
    }
}

#[test]
fn suggest_can_be_narrowed_to_somebody() {
    let place = Place::new();
    let audit = place.file("audit.jsonl", AUDIT);
    let url = shop();
    let arguments = [
        "suggest",
        "--upstream",
        &url,
        "--from",
        &audit,
        "--user",
        "ali*",
        "--policy",
        "bi",
        "--name",
        "alice",
    ];
    let output = policy(&arguments, "");
    assert_eq!(status(&output), 0, "{}", printed(&output));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(text.contains("name: alice\n"), "{text}");
    assert!(text.contains("match:\n  user: \"ali*\"\n"), "{text}");
    assert!(!text.contains("odd.Name"), "{text}");
    let complaints = String::from_utf8_lossy(&output.stderr);
    let others = "statements of users or applications that were not asked for, so that they are \
                  left out: 4";
    assert!(complaints.contains(others), "{complaints}");
    let nobody = [&arguments[..5], &["--user", "nobody"]].concat();
    let nobody = policy(&nobody, "");
    assert_eq!(status(&nobody), 1, "{}", printed(&nobody));
    let unread = policy(
        &["suggest", "--upstream", &url, "--from", "/no/such/file"],
        "",
    );
    assert_eq!(status(&unread), 2);
}
