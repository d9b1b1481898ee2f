//! Which failures are captured, and what their lines say.

use std::thread;

use super::{captured, capturing, extended, fails, login, texts};
use crate::support::raw::kinds;
use crate::support::{APP, frames, sql};

#[test]
fn each_failure_of_a_read_is_kept_once_as_it_was_sent() {
    let stack = capturing("");
    let mut client = login(&stack);
    let mut wanted = Vec::new();
    for text in [
        // The gate, the grammar, the names, and what fails while it runs.
        "SELECT nextval('ticks')",
        "SELECT total FROM sums WHERE",
        "SELECT nowhere FROM \"Numbers\"",
        "SELECT 1 / (amount - 1) FROM \"Numbers\"",
        // Repaired, and it fails all the same.
        "SELECT 1 / (Amount - 1) FROM Numbers",
        // With a model in it.
        "SELECT 1 / (total - 7) FROM sums",
        "EXPLAIN SELECT nowhere FROM \"Numbers\"",
        "SHOW nowhere.setting",
        "/* why */ (SELECT 'a'::integer)",
    ] {
        for sent in [frames::query(text), extended(text, &[])] {
            wanted.push((text, fails(&mut client, &sent)));
        }
    }
    let lines = captured(&stack);
    let all: Vec<_> = wanted.iter().map(|(text, _)| *text).collect();
    assert_eq!(texts(&lines), all);
    for (line, (text, code)) in lines.iter().zip(&wanted) {
        assert_eq!(line["sqlstate"], code.as_str(), "{text}");
        assert_eq!(line["user"], APP);
        assert_eq!(line["database"], stack.database());
        assert_eq!(line["policy"], "agent");
        let at = line["at"].as_str().unwrap();
        assert!(at.starts_with("20") && at.ends_with('Z'), "{at}");
        let digits = line["fingerprint"].as_str().unwrap();
        assert_eq!(digits.len(), 32, "{line}");
        let is_refused = line.get("rule").is_some();
        assert_eq!(line.as_object().unwrap().len(), 7 + usize::from(is_refused));
        let by_gate = ["SELECT nextval('ticks')", "SELECT total FROM sums WHERE"];
        assert!(is_refused || !by_gate.contains(text), "{line}");
        assert!(!is_refused || *code != "22012", "{line}");
    }
    let kept = stack.metric("pgsieve_captured_statements_total{outcome=\"kept\"}");
    assert!(kept >= 18.0, "{kept}");
}

#[test]
fn a_statement_that_is_prepared_once_fails_each_time_and_has_no_values() {
    let stack = capturing("");
    let mut client = login(&stack);
    let text = "SELECT amount / $1::integer FROM \"Numbers\"";
    client.send(&[frames::parse("p", text), frames::sync()].concat());
    assert_eq!(kinds(&client.until_ready()), "1Z");
    // Repaired when it is prepared.
    let other = "SELECT Amount / $1::integer FROM Numbers";
    client.send(&[frames::parse("q", other), frames::sync()].concat());
    assert!(kinds(&client.until_ready()).contains('1'));
    let run = |name: &str, value: &str| {
        [
            frames::bind("", name, &[Some(value)], false),
            frames::execute("", 0),
            frames::sync(),
        ]
        .concat()
    };
    assert_eq!(fails(&mut client, &run("p", "0")), "22012");
    assert_eq!(fails(&mut client, &run("p", "0000")), "22012");
    assert_eq!(fails(&mut client, &run("q", "0")), "22012");
    client.send(&run("p", "1"));
    assert!(kinds(&client.until_ready()).contains('D'));
    // A value that does not fit fails at the Bind: that says nothing of the text.
    assert_eq!(fails(&mut client, &run("p", "canary value")), "22P02");
    let lines = captured(&stack);
    assert_eq!(texts(&lines), [text, text, other]);
    assert!(lines.iter().all(|line| !line.to_string().contains("0000")));
}

#[test]
fn what_is_no_read_or_no_fault_of_the_text_is_not_kept() {
    let stack = capturing("");
    let mut client = login(&stack);
    for (text, code) in [
        ("ALTER ROLE app PASSWORD 'hunter2'", "25006"),
        ("INSERT INTO sums VALUES (1, 1)", "25006"),
        ("WITH x AS (DELETE FROM sums RETURNING 1) SELECT 1", "25006"),
        ("SELECT 1; ALTER ROLE app PASSWORD 'hunter2'", ""),
        ("SELECT 1; ALTER ROLE app ROLE ROLE 'hunter2'", "42601"),
        ("ALTER ROLE app WITH WITH PASSWORD 'hunter2'", "42601"),
        (
            "SELECT nowhere FROM sums WHERE password = 'hunter2'",
            "42703",
        ),
        (
            "SELECT nowhere, 'postgres://u:hunter2@h/d' FROM sums",
            "42703",
        ),
        ("EXECUTE nowhere('hunter2')", "26000"),
        ("SET work_mem = 'hunter2'", ""),
    ] {
        let failed = fails(&mut client, &frames::query(text));
        assert!(code.is_empty() || failed == code, "{text}: {failed}");
    }
    // In a transaction that has failed nothing runs.
    client.query("BEGIN");
    assert_eq!(fails(&mut client, &frames::query("SELECT 1 / 0")), "22012");
    assert_eq!(fails(&mut client, &frames::query("SELECT 2")), "25P02");
    client.query("ROLLBACK");
    client.query("SELECT Name FROM Numbers");
    client.query("SELECT 3");
    let kept = captured(&stack);
    let texts: Vec<_> = texts(&kept)
        .into_iter()
        .filter(|text| !text.starts_with("WITH"))
        .collect();
    assert_eq!(texts, ["SELECT 1 / 0"]);
    assert!(!kept.iter().any(|line| line.to_string().contains("hunter2")));
    let no_read = stack.metric("pgsieve_captured_statements_total{outcome=\"no_read\"}");
    assert!(no_read >= 9.0, "{no_read}");
}

#[test]
fn a_timeout_is_kept_and_what_a_client_cancels_is_not() {
    let stack = capturing("");
    let mut client = login(&stack);
    let long = "SELECT count(*) FROM generate_series(1, 100000000000)";
    thread::scope(|scope| {
        let running = scope.spawn(|| fails(&mut login(&stack), &frames::query(long)));
        sql::assert_running(&stack, 1);
        sql::cancel_running(&stack);
        assert_eq!(running.join().unwrap(), "57014");
    });
    assert!(captured(&stack).is_empty());
    client.query("SET statement_timeout = '50ms'");
    assert_eq!(fails(&mut client, &frames::query(long)), "57014");
    assert_eq!(texts(&captured(&stack)), [long]);
}
