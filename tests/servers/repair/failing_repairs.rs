//! A statement that was repaired and then fails while it runs: the client hears of the repair, and
//! gets the error of what ran, in both protocols, in pipelines and in transaction blocks.

use std::sync::LazyLock;

use crate::support::raw::{Frame, kinds};
use crate::support::{APP, Options, RawClient, Stack, frames, until};

const TABLES: &[&str] = &[
    "CREATE TABLE \"Numbers\" (\"Name\" text, \"Value\" integer)",
    "INSERT INTO \"Numbers\" VALUES ('a', 0), ('b', 2147483647)",
    "GRANT SELECT ON \"Numbers\" TO app",
];

/// What fails while it runs, and the code. The names are without their quotes.
const FAILING: &[(&str, &str)] = &[
    ("SELECT 1 / Value FROM Numbers", "22012"),
    ("SELECT Name::integer FROM Numbers", "22P02"),
    ("SELECT Value + 1 FROM Numbers WHERE Value > 0", "22003"),
    ("SELECT Name::date FROM Numbers", "22007"),
    ("SELECT (SELECT Value FROM Numbers)", "21000"),
    (
        "```sql\nSELECT 1 / \"Value\" FROM \"Numbers\"\n```",
        "22012",
    ),
    (
        "SELECT count(*) FROM Numbers, generate_series(1, 1000000000) AS n",
        "57014",
    ),
];

fn stack() -> &'static Stack {
    static STACK: LazyLock<Stack> = LazyLock::new(|| {
        let stack = Stack::start(Options::default());
        stack.prepare(TABLES);
        let is_known = || {
            let answer = login(&stack).query("SELECT Name FROM Numbers");
            kinds(&answer).contains('D').then_some(())
        };
        until(is_known).expect("the catalog is known");
        stack
    });
    &STACK
}

fn login(stack: &Stack) -> RawClient {
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    client.query("SET statement_timeout = '300ms'");
    client
}

/// The repair is announced, and behind it comes the error of what ran, as the server tells it.
fn is_announced_and_fails(answer: &[Frame], sqlstate: &str) {
    let place = |kind: u8| answer.iter().position(|frame| frame.kind == kind);
    let (Some(notice), Some(error)) = (place(b'N'), place(b'E')) else {
        panic!("neither a notice nor an error is missing: {answer:?}");
    };
    assert!(notice < error, "{answer:?}");
    let said = answer[notice].field(b'M').unwrap_or_default();
    assert!(
        said.starts_with("pgsieve repaired this statement"),
        "{said}"
    );
    let error = &answer[error];
    assert_eq!(error.sqlstate(), sqlstate, "{error:?}");
    let detail = error.field(b'D').unwrap_or_default();
    assert!(!detail.contains("RepairExhausted"), "{detail}");
}

#[test]
fn a_query_gives_the_error_of_what_ran() {
    let mut client = login(stack());
    for (text, sqlstate) in FAILING {
        let answer = client.query(text);
        is_announced_and_fails(&answer, sqlstate);
        assert_eq!(answer.last().unwrap().body, b"I", "{text}");
        assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
    }
}

#[test]
fn so_does_a_batch() {
    let mut client = login(stack());
    for (text, sqlstate) in FAILING {
        client.send(&frames::extended(text, &[], false));
        let answer = client.until_ready();
        is_announced_and_fails(&answer, sqlstate);
        assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
    }
}

#[test]
fn a_pipeline_goes_on_behind_it() {
    let mut client = login(stack());
    let (text, sqlstate) = FAILING[0];
    let mut asked = frames::query("SELECT 1");
    asked.extend(frames::query(text));
    asked.extend(frames::extended(text, &[], false));
    asked.extend(frames::query("SELECT 3"));
    client.send(&asked);
    assert_eq!(kinds(&client.until_ready()), "TDCZ");
    is_announced_and_fails(&client.until_ready(), sqlstate);
    is_announced_and_fails(&client.until_ready(), sqlstate);
    assert_eq!(kinds(&client.until_ready()), "TDCZ");
}

#[test]
fn a_transaction_block_is_aborted_as_by_any_error() {
    let mut client = login(stack());
    for (text, sqlstate) in FAILING {
        for message in [frames::query(text), frames::extended(text, &[], false)] {
            client.query("BEGIN");
            client.send(&message);
            let answer = client.until_ready();
            is_announced_and_fails(&answer, sqlstate);
            assert_eq!(answer.last().unwrap().body, b"E", "{text}");
            assert_eq!(client.query("SELECT 1")[0].sqlstate(), "25P02");
            assert_eq!(client.query("ROLLBACK").last().unwrap().body, b"I");
        }
    }
}

#[test]
fn an_error_of_a_text_that_is_not_repaired_has_a_hint() {
    let mut client = login(stack());
    for (text, words) in [
        ("SELECT DATE '2024-02-30'", "no such day"),
        ("SELECT 1 ORDER BY 2", "ORDER BY"),
        ("SELECT DATE '2024-01-01'::integer", "extract("),
        (
            "SELECT sum(1) OVER (ROWS BETWEEN CURRENT ROW AND 1 PRECEDING)",
            "earlier",
        ),
    ] {
        for message in [frames::query(text), frames::extended(text, &[], false)] {
            client.send(&message);
            let answer = client.until_ready();
            let error = answer.iter().find(|frame| frame.kind == b'E').unwrap();
            let hint = error.field(b'H').unwrap_or_default();
            assert!(hint.contains(words), "{text}: {hint}");
        }
    }
}
