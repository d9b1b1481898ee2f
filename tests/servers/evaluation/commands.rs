//! Commands that answer questions: what they are told, how often, and what they may print.

use serde_json::{Value, json};

use super::{TestFolder, endings, entry, report};

fn questions() -> [Value; 3] {
    [
        entry("one", "unused", "SELECT name FROM customers WHERE id = 7"),
        entry("two", "unused", "SELECT count(*) FROM orders"),
        entry("three", "unused", "SELECT 3"),
    ]
}

#[test]
fn a_command_is_asked_in_each_run_and_told_why_it_failed() {
    let folder = TestFolder::new("rounds");
    let seen = folder.path("seen");
    // Each question once with a misspelt column that no repair settles; then what was seen is kept.
    let script = format!(
        "read -r line; printf '%s\\n' \"$line\" >> '{seen}'; \
         case $line in \
         *'\"id\":\"three\"'*'\"run\":2'*) exit 1 ;; \
         *'\"id\":\"three\"'*) echo '{{\"sql\": \"SELECT `a` FROM (SELECT 3 AS a) s\", \
             \"target_dialect\": \"mysql\"}}' ;; \
         *'\"id\":\"two\"'*) printf '```sql\\nSELECT count(*) FROM orders;\\n```\\n' ;; \
         *'\"attempt\":1'*) echo 'SELECT nombre FROM customers WHERE id = 7' ;; \
         *) echo 'SELECT name FROM customers WHERE id = 7' ;; esac"
    );
    let report = report(
        &[
            "--generate",
            &script,
            "--runs",
            "2",
            "--rounds",
            "1",
            "--grounding",
            "whole",
        ],
        &questions(),
    );
    let attempts = |entry: usize, run: usize| {
        let path = format!("/entries/{entry}/runs/{run}/attempts");
        let all = report.pointer(&path).unwrap().as_array().unwrap();
        let outcomes = all
            .iter()
            .map(|one| one["outcome"].as_str().unwrap().to_owned());
        outcomes.collect::<Vec<_>>()
    };
    assert_eq!(
        [attempts(0, 0), attempts(0, 1)],
        [["failed", "right"], ["failed", "right"]]
    );
    assert_eq!([attempts(1, 0), attempts(1, 1)], [["right"], ["right"]]);
    assert_eq!(attempts(2, 0), ["right"]);
    assert_eq!(attempts(2, 1), ["malformed", "malformed"]);
    let scores = &report["scores"];
    assert_eq!(scores["rounds"].as_array().unwrap().len(), 2);
    assert_eq!(scores["hints"]["hinted"], json!(2));
    assert_eq!(scores["hints"]["hinted_right"], json!(2));
    assert!(scores["accuracy"]["deviation"].as_f64().unwrap() > 0.2);
    assert_eq!(scores["failures"], json!({"malformed exit_status": 1}));

    let told: Vec<Value> = std::fs::read_to_string(&seen)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let second = told
        .iter()
        .find(|one| one["id"] == "one" && one["attempt"] == 2)
        .unwrap();
    let previous = &second["previous"];
    assert_eq!(previous["sqlstate"], json!("42703"));
    assert_eq!(
        previous["sql"],
        json!("SELECT nombre FROM customers WHERE id = 7")
    );
    assert!(previous["hint"].is_string() && previous["message"].is_string());
    let first = told
        .iter()
        .find(|one| one["id"] == "one" && one["attempt"] == 1)
        .unwrap();
    assert!(first.get("previous").is_none());
    let grounding = first["grounding"].as_str().unwrap();
    assert!(
        grounding.contains("joinedOn") && !grounding.contains("secrets"),
        "{grounding}"
    );
    assert_eq!(first["question"], json!("question one"));
}

#[test]
fn the_grounding_is_that_of_the_sessions_own_policy() {
    let folder = TestFolder::new("grounding");
    let narrow = folder.file(
        "narrow.yaml",
        "name: narrow\nextends: agent\nmatch: {application_name: narrow}\n\
         columns: {deny: [shop.customers.joinedOn]}\n",
    );
    let told = |application: &str| {
        let seen = folder.path(application);
        let script = format!("cat > '{seen}'; echo SELECT 3");
        let policies = format!("{narrow},agent");
        let flags = [
            "--policy",
            &policies,
            "--application-name",
            application,
            "--generate",
            &script,
            "--grounding",
            "whole",
        ];
        assert_eq!(endings(&report(&flags, &questions()[2..])), ["right"]);
        std::fs::read_to_string(&seen).unwrap()
    };
    let (wide, narrow) = (told("wide"), told("narrow"));
    assert!(wide.contains("joinedOn"), "{wide}");
    assert!(
        narrow.contains("customers") && !narrow.contains("joinedOn"),
        "{narrow}"
    );
}

#[test]
fn what_is_no_statement_is_counted_by_what_is_wrong_with_it() {
    for (script, ending) in [
        ("true", "malformed empty"),
        ("exit 3", "malformed exit_status"),
        ("sleep 60", "malformed timeout"),
        ("printf '\\377\\376'", "malformed not_utf8"),
        ("echo '{\"sql\": '", "malformed no_json"),
        (
            "echo '{\"sql\": \"SELECT 3\", \"more\": 1}'",
            "malformed contract",
        ),
        (
            "head -c 100000 /dev/zero | tr '\\0' x",
            "malformed too_long",
        ),
        (
            "head -c 1000000 /dev/zero | tr '\\0' x",
            "malformed too_long",
        ),
        (
            "echo '{\"sql\": \"SELECT 3\", \"needs_followup\": true}'",
            "follow_up",
        ),
        ("echo I do not know.", "failed 42601"),
    ] {
        let flags = [
            "--generate",
            script,
            "--grounding",
            "off",
            "--generate-timeout",
            "2s",
        ];
        let report = report(&flags, &questions()[2..]);
        assert_eq!(endings(&report), [ending], "{script}");
        let share = report["scores"]["malformed"].as_f64().unwrap();
        assert_eq!(share > 0.5, ending.starts_with("malformed"), "{script}");
    }
}

#[test]
fn nothing_that_a_command_prints_can_write() {
    let hostile = [
        "DELETE FROM orders",
        "SELECT 3; DELETE FROM orders",
        "WITH d AS (DELETE FROM orders RETURNING 1) SELECT count(*) FROM d",
        "BEGIN; SET TRANSACTION READ WRITE; DELETE FROM orders; COMMIT",
        "COPY orders TO PROGRAM 'true'",
        "{\"sql\": \"DELETE FROM orders\", \"target_dialect\": \"mysql\"}",
    ];
    let entries: Vec<Value> = (hostile.iter().enumerate())
        .map(|(number, _)| entry(&number.to_string(), "unused", "SELECT 3"))
        .collect();
    let folder = TestFolder::new("hostile");
    for (number, text) in hostile.iter().enumerate() {
        folder.file(&number.to_string(), text);
    }
    let script = format!(
        "id=$(sed 's/.*\"id\":\"\\([0-9]*\\)\".*/\\1/'); cat {}/$id",
        folder.path("").trim_end_matches('/')
    );
    let hostile_report = report(&["--generate", &script, "--grounding", "off"], &entries);
    for ending in endings(&hostile_report) {
        assert!(ending.starts_with("failed "), "{ending}");
    }
    let counted = report(
        &[],
        &[entry("left", "SELECT count(*) FROM orders", "SELECT 400")],
    );
    assert_eq!(endings(&counted), ["right"]);
}
