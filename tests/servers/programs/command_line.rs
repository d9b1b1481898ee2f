//! The program as a shell sees it: exit statuses, what is printed where, and what never is.

use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use pgsieve::demo::cluster::{PrivateCluster, random_name};
use serde_json::Value;

use crate::support::own_cluster;

/// Runs the program with an input and without any of our variables in its environment.
fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pgsieve"));
    command.args(arguments).env_clear();
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that does not read its input may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn status(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn every_rule_is_explained_by_its_name() {
    let all = run(&["rules"], b"");
    assert_eq!(status(&all), 0);
    let listed = text(&all.stdout)
        .lines()
        .filter_map(|line| line.split('`').nth(1));
    let names: Vec<&str> = listed.collect();
    assert!(
        names.contains(&"write_statement") && names.contains(&"memory"),
        "{names:?}"
    );
    for name in names {
        let one = run(&["rules", name], b"");
        assert_eq!(status(&one), 0, "{name}");
        assert!(
            text(&one.stdout).starts_with(&format!("`{name}`: ")),
            "{name}"
        );
    }
    let one = run(&["rules", "select_into"], b"");
    let said = text(&one.stdout);
    for heading in [
        "\nSees\n",
        "\nWhy\n",
        "\nBefore\n- `SELECT * INTO",
        "\nAfter\n",
        "\nWhen not\n",
    ] {
        assert!(said.contains(heading), "{said}");
    }
    assert_eq!(status(&run(&["rules", "cAnArY"], b"")), 2);
}

#[test]
fn check_prints_a_table_and_says_with_its_status_that_something_was_refused() {
    let input = b"SELECT 1;\n-- a comment;\nDELETE FROM t;\nSET statement_timeout = '10h'";
    let output = run(&["check"], input);
    assert_eq!(status(&output), 1);
    let rows: Vec<Vec<&str>> = text(&output.stdout)
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(
        rows[0],
        [
            "#",
            "line",
            "verdict",
            "rule",
            "kind",
            "fingerprint",
            "hint"
        ]
    );
    assert_eq!(rows[1][..5], ["1", "1", "allow", "-", "select"]);
    assert_eq!(
        rows[2][..5],
        ["2", "3", "refuse", "write_statement", "delete"]
    );
    assert_eq!(rows[3][..5], ["3", "4", "allow", "clamped", "set"]);
    assert_eq!(rows.len(), 4);
    assert_eq!(status(&run(&["check"], b"SELECT 1; SELECT 2;")), 0);
    assert_eq!(status(&run(&["check"], b"")), 0);
}

#[test]
fn check_remembers_within_a_text_what_a_session_would() {
    assert_eq!(
        status(&run(&["check"], b"PREPARE a AS SELECT 1; EXECUTE a;")),
        0
    );
    assert_eq!(status(&run(&["check"], b"EXECUTE a;")), 1);
}

#[test]
fn check_answers_json_lines_one_by_one() {
    let input = br#"{"id":1,"sql":"SELECT 1"}
{"id":{"case":"x"},"sql":"DROP TABLE t"}
"#;
    let output = run(&["check", "--jsonl", "--policy", "bi"], input);
    assert_eq!(status(&output), 1);
    let lines: Vec<Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["id"], 1);
    assert_eq!(lines[0]["verdict"], "allow");
    assert_eq!(lines[0]["rule"], Value::Null);
    assert_eq!(lines[0]["fingerprint"].as_str().unwrap().len(), 32);
    assert_eq!(lines[1]["id"]["case"], "x");
    assert_eq!(lines[1]["verdict"], "refuse");
    assert_eq!(lines[1]["rule"], "ddl");
    assert_eq!(lines[1]["sqlstate"], "25006");
    assert!(lines[1]["hint"].is_string());
    let order = r#"{"id":1,"verdict":"allow","rule":null,"sqlstate":null,"kind":"select","fing"#;
    assert!(text(&output.stdout).starts_with(order));
}

#[test]
fn check_goes_on_after_a_bad_line_and_says_which_it_was() {
    let input =
        b"{\"id\":1,\"sql\":\"SELECT 1\"}\nSELECT 'cAnArY'\n\xff\n{\"id\":4,\"sql\":\"TABLE t\"}";
    let output = run(&["check", "--jsonl"], input);
    assert_eq!(status(&output), 2);
    assert_eq!(text(&output.stdout).lines().count(), 2);
    let complaints = text(&output.stderr);
    assert!(
        complaints.contains("line 2: ") && complaints.contains("line 3: "),
        "{complaints}"
    );
}

#[test]
fn check_never_prints_sql() {
    let statements = [
        "SELECT 'cAnArY'",
        "DELETE FROM t WHERE a = 'cAnArY'",
        "SELECT cAnArY_function('cAnArY')",
        "nonsense cAnArY 'cAnArY",
        "SET cAnArY.x = 'cAnArY'",
        "SET search_path = cAnArY",
        "SET work_mem = 'cAnArY'",
        "EXPLAIN ANALYZE SELECT 'cAnArY'",
        "COPY t FROM 'cAnArY'",
        "EXECUTE \"cAnArY\"('cAnArY')",
        "DO $$ cAnArY $$",
        "SELECT set_config('cAnArY', 'cAnArY', false)",
        "SELECT $cAnArY$x$cAnArY$",
        "SELECT E'cAnArY\\",
        "SET ROLE \"cAnArY\"",
        "LOAD 'cAnArY'",
        "SELECT 1; SELECT 'cAnArY'; DROP TABLE \"cAnArY\"",
    ];
    let plain = statements.join(";\n");
    let lines: String = statements
        .iter()
        .map(|sql| format!("{}\n", serde_json::json!({ "id": 0, "sql": sql })))
        .collect();
    for policy in ["agent", "bi", "strict"] {
        for (mode, input) in [("--policy", &plain), ("--jsonl", &lines)] {
            let arguments: &[&str] = match mode {
                "--jsonl" => &["check", "--jsonl", "--policy", policy],
                _ => &["check", "--policy", policy],
            };
            let output = run(arguments, input.as_bytes());
            let printed = format!("{}{}", text(&output.stdout), text(&output.stderr));
            let canary = printed.to_lowercase().contains("canary");
            assert!(!canary, "{printed}");
            assert_eq!(status(&output), 1, "{printed}");
        }
    }
}

#[test]
fn questions_that_make_no_sense_have_status_2() {
    for arguments in [
        &["check", "/no/such/file"][..],
        &["check", "--policy", "/no/such/policy"],
        &["check", "--unknown"],
        &["serve"],
        &["serve", "--upstream", "mysql://x"],
        &["serve", "--config", "/no/such/file"],
        &["certs"],
        &[],
    ] {
        let output = run(arguments, b"");
        assert_eq!(status(&output), 2, "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
    assert_eq!(status(&run(&["check"], b"SELECT '\xff'")), 2);
}

#[test]
fn serve_names_every_mistake_and_no_secret() {
    let url = "postgres://u:cAnArY@h:x/d";
    let output = run(
        &[
            "serve",
            "--upstream",
            url,
            "--listen",
            "cAnArY",
            "--admin",
            "here",
        ],
        b"",
    );
    assert_eq!(status(&output), 2);
    let complaints = text(&output.stderr);
    for flag in ["--upstream: ", "--listen: ", "--admin: "] {
        assert!(complaints.contains(flag), "{complaints}");
    }
    assert!(!complaints.contains("cAnArY"), "{complaints}");
}

#[test]
fn a_password_becomes_a_verifier_that_does_not_show_it() {
    let output = run(&["hash-password"], b"cAnArY\n");
    assert_eq!(status(&output), 0);
    let verifier = text(&output.stdout);
    assert!(verifier.starts_with("SCRAM-SHA-256$"), "{verifier}");
    assert!(!verifier.contains("cAnArY"));
    let parsed = pgsieve::auth::verifier::ScramVerifier::parse(verifier.trim_end());
    assert!(parsed.is_ok());
    assert_ne!(status(&run(&["hash-password"], b"\n")), 0);
}

#[test]
fn keys_and_help_are_answers() {
    let keys = run(&["keys"], b"");
    assert_eq!(status(&keys), 0);
    assert!(text(&keys.stdout).contains("PGSIEVE_CLIENT_AUTH_METHOD"));
    assert_eq!(status(&run(&["--help"], b"")), 0);
    assert_eq!(status(&run(&["--version"], b"")), 0);
}

#[test]
fn pages_have_the_lists_that_are_printed() {
    let keys = run(&["keys"], b"");
    let page = include_str!("../../../docker/README.md");
    let listed = format!("```text\n{}```\n", text(&keys.stdout));
    assert!(page.contains(&listed), "print it anew with `pgsieve keys`");
    let rules = run(&["rules"], b"");
    let page = include_str!("../../../policies/README.md");
    for line in text(&rules.stdout).lines() {
        assert!(page.contains(&format!("\n- {line}\n")), "{line}");
    }
    let help = run(&["--help"], b"");
    let page = include_str!("../../../docker/README.md");
    let (_, commands) = text(&help.stdout).split_once("Commands:\n").unwrap();
    for line in commands.lines().take_while(|line| !line.is_empty()) {
        let name = line.split_whitespace().next().unwrap();
        let is_listed = page.contains(&format!("\n| `pgsieve {name}"));
        assert!(is_listed || name == "help", "{name}");
    }
}

/// The first page begins with an empty list and models, and what it shows is sound.
#[test]
fn the_policies_of_the_first_page_are_sound() {
    let page = include_str!("../../../README.md");
    let (_, section) = page.split_once("\n## What is hidden\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let fenced = section
        .split("\n```")
        .filter_map(|part| part.strip_prefix("yaml\n"));
    let shown: Vec<&str> = fenced.collect();
    assert!(shown.len() > 1, "{section}");
    let first = shown[0];
    let at = |words: &str| {
        first
            .find(words)
            .unwrap_or_else(|| panic!("{words}: {first}"))
    };
    assert!(at("relations: {allow: []}") < at("\nmodels:"), "{first}");
    for (place, part) in shown.iter().enumerate() {
        let text = match place {
            0 => (*part).to_owned(),
            _ => format!("name: patterns\nextends: agent\n{part}"),
        };
        let name = format!("pgsieve-page-{}.yaml", random_name().unwrap());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, &text).unwrap();
        let checked = run(&["policy", "check", path.to_str().unwrap()], b"");
        let said = format!(
            "{}{}",
            self::text(&checked.stdout),
            self::text(&checked.stderr)
        );
        std::fs::remove_file(&path).unwrap();
        assert_eq!(status(&checked), 0, "{text}\n{said}");
        assert!(said.contains("sound"), "{text}\n{said}");
    }
}

/// A Postgres with two tables, of which one is named in mixed case.
fn shop() -> &'static PrivateCluster {
    static CLUSTER: LazyLock<PrivateCluster> = LazyLock::new(|| {
        let cluster = own_cluster().start().unwrap();
        let script = "CREATE SCHEMA shop; \
            CREATE TABLE shop.orders (id int PRIMARY KEY, \"placedOn\" date); \
            CREATE TABLE shop.\"orderEvents\" (id int, kind text); \
            INSERT INTO shop.orders SELECT n, '2024-01-01' FROM generate_series(1, 5) n; \
            ALTER ROLE postgres SET search_path TO shop";
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let url = cluster.admin_url("postgres");
            let connected = tokio_postgres::connect(&url, tokio_postgres::NoTls).await;
            let (client, connection) = connected.unwrap();
            tokio::spawn(connection);
            client.batch_execute(script).await.unwrap();
        });
        cluster
    });
    &CLUSTER
}

/// Runs `repair` on the shop.
fn repair(more: &[&str], input: &str) -> Output {
    let url = shop().admin_url("postgres");
    let mut arguments = vec!["repair", "--upstream", &url];
    arguments.extend(more);
    run(&arguments, input.as_bytes())
}

fn answers(output: &Output) -> Vec<Value> {
    let lines = text(&output.stdout).lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn repair_shows_what_would_run_in_the_place_of_what_fails() {
    let input = "SELECT placedOn FROM orders;\nSELECT id FROM orders";
    let output = repair(&[], input);
    let printed = text(&output.stdout);
    assert_eq!(status(&output), 0, "{printed}{}", text(&output.stderr));
    for part in [
        "1 (line 1): repaired by quote_identifiers\n",
        "  before  42703: column \"placedon\" does not exist\n",
        "  tried   quote_identifiers: exact, applied, ",
        "  runs    SELECT \"placedOn\" FROM orders\n",
        "2 (line 2): runs\n",
    ] {
        assert!(printed.contains(part), "{part}\n{printed}");
    }
}

#[test]
fn repair_answers_json_lines_and_executes_only_when_it_is_told_to() {
    let input = r#"{"id":1,"sql":"SELECT id FROM orders"}
{"id":2,"sql":"SELECT max(placedOn) FROM orders WHERE id < 4"}
{"id":3,"sql":"DELETE FROM orders"}
{"id":4,"sql":"SELECT 1/(id - 1) FROM orders"}
{"id":5,"sql":"SELECT count(*) FROM elsewhere_entirely"}
"#;
    let output = repair(&["--jsonl"], input);
    assert_eq!(status(&output), 1, "{}", text(&output.stderr));
    let dry = answers(&output);
    let executed = answers(&repair(&["--jsonl", "--execute"], input));
    for (place, (outcome, before, rows)) in [
        ("runs", Value::Null, Value::from(5)),
        ("repaired", "42703".into(), 1.into()),
        ("refused", "25006".into(), Value::Null),
        ("runs", Value::Null, Value::Null),
        ("failed", "42P01".into(), Value::Null),
    ]
    .into_iter()
    .enumerate()
    {
        let (dry, executed) = (&dry[place], &executed[place]);
        assert_eq!(dry["id"], place + 1);
        assert_eq!(dry["outcome"], outcome, "{dry}");
        assert_eq!(dry["sqlstate_before"], before, "{dry}");
        assert_eq!(dry["rows"], Value::Null, "{dry}");
        assert_eq!(executed["rows"], rows, "{executed}");
    }
    assert_eq!(
        dry[1]["recoverers"],
        serde_json::json!(["quote_identifiers"])
    );
    assert_eq!(dry[1]["sqlstate_after"], Value::Null);
    assert_eq!(dry[1]["verdict"], "allow");
    let attempt = &dry[1]["attempts"][0];
    assert_eq!(attempt["confidence"], "exact");
    assert_eq!(attempt["gates"], serde_json::json!([]));
    assert_ne!(attempt["before"], attempt["after"]);
    let repaired = "SELECT max(\"placedOn\") FROM orders WHERE id < 4";
    assert_eq!(dry[1]["repaired_sql"], repaired);
    assert_eq!(dry[2]["rule"], "write_statement");
    assert_eq!(dry[4]["sqlstate_after"], "42P01");
    // It compiles, and only a run shows that it fails.
    assert_eq!(executed[3]["outcome"], "failed");
    assert_eq!(executed[3]["sqlstate_after"], "22012");
}

#[test]
fn repair_looks_names_up_where_the_session_would() {
    let lost = repair(&["--search-path", "public"], "SELECT id FROM orders");
    assert_eq!(status(&lost), 1, "{}", text(&lost.stdout));
    let text_of_one_session = "SET search_path TO shop; SELECT id FROM orders";
    let found = repair(&["--search-path", "public"], text_of_one_session);
    assert_eq!(status(&found), 0, "{}", text(&found.stdout));
}

#[test]
fn repair_without_sql_prints_none() {
    let statements = [
        "SELECT placedOn, 'cAnArY' FROM orders",
        "SELECT cAnArY FROM orders",
        "SELECT * FROM cAnArY",
        "SELECT cAnArY(1)",
        "nonsense cAnArY 'cAnArY'",
        "SELECT 'cAnArY'::int",
        "```sql\nSELECT 'cAnArY'\n```",
        "DELETE FROM cAnArY",
    ];
    let plain = statements.join(";\n");
    let lines: String = statements
        .iter()
        .map(|sql| format!("{}\n", serde_json::json!({ "id": 0, "sql": sql })))
        .collect();
    for (more, input) in [
        (&["--no-sql"][..], &plain),
        (&["--no-sql", "--execute", "--likely", "apply"], &plain),
        (&["--no-sql", "--jsonl"], &lines),
    ] {
        let output = repair(more, input);
        let printed = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert!(!printed.to_lowercase().contains("canary"), "{printed}");
        assert!(printed.contains("repaired"), "{printed}");
        assert_eq!(status(&output), 1, "{printed}");
    }
}

#[test]
fn repair_says_what_is_wrong_with_the_question() {
    let url = "postgres://nobody:cAnArY@127.0.0.1:1/nowhere";
    let output = run(&["repair", "--upstream", url], b"SELECT 1");
    assert_eq!(status(&output), 2);
    let complaints = text(&output.stderr);
    assert!(
        complaints.starts_with("pgsieve: --upstream: "),
        "{complaints}"
    );
    assert!(!complaints.contains("cAnArY"), "{complaints}");
    assert_eq!(status(&run(&["repair"], b"SELECT 1")), 2);
    assert_eq!(status(&repair(&["--role", "nobody at all"], "")), 2);
    let help = run(&["repair", "--help"], b"");
    assert!(text(&help.stdout).contains("Exit status: 0"));
}
