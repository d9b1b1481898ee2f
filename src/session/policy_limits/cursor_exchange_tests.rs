//! Message tables of cursors WITH HOLD: where each stands after whatever the upstream says, and
//! what the client hears at the row behind its bound. Test code only.

use crate::policy::Policy;
use crate::session::context::model_values::LoginFacts;
use crate::session::tests::exchange::{
    TestExchange, bind, complete, empty, error, execute, letters, message, parse, query, ready,
    row, sync,
};
use crate::session::upstream_side::SelfReport;

/// Three rows of a cursor, and two cursors.
fn exchange() -> TestExchange {
    let bi = include_str!("../../../policies/bi.yaml");
    let held = "{max_rows: 1000000, max_cursors: 100}";
    assert!(bi.contains(held));
    let text = bi.replace(held, "{max_rows: 3, max_cursors: 2}");
    let policy = Policy::from_yaml(&text).unwrap();
    TestExchange::under(policy, LoginFacts::default(), SelfReport::Reported)
}

/// A session with such a cursor.
fn with_cursor() -> TestExchange {
    let mut exchange = exchange();
    assert_eq!(exchange.client(&[query(DECLARE)]), "Q");
    let answer = [complete("DECLARE CURSOR"), ready(b'I')];
    assert_eq!(exchange.upstream(&answer), "CZ");
    exchange
}

/// A message, and its answer of so many rows under a tag.
fn ask(exchange: &mut TestExchange, text: &str, rows: usize, tag: &str) -> String {
    assert_eq!(exchange.client(&[query(text)]), "Q", "{text}");
    let rows = row().repeat(rows);
    exchange.upstream(&[message(b'T', b"\0\0"), rows, complete(tag), ready(b'I')])
}

fn said(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_query_runs_with_a_limit() {
    let mut exchange = exchange();
    exchange.protocol.client_bytes(&query(DECLARE)).unwrap();
    let sent = said(exchange.protocol.upstream.outbox.as_bytes());
    assert!(sent.contains("SELECT a FROM t LIMIT 4"), "{sent}");
}

#[test]
fn the_row_behind_the_bound_is_an_error_that_names_the_key() {
    let mut exchange = with_cursor();
    assert_eq!(ask(&mut exchange, "FETCH 2 FROM c", 2, "FETCH 2"), "TDDCZ");
    exchange.client(&[query("FETCH ALL FROM c")]);
    let answer = [row(), row(), complete("FETCH 2"), ready(b'I')].concat();
    let got = exchange.upstream_bytes(&answer);
    assert_eq!(letters(&got), "DEZ");
    let text = said(&got);
    for part in [
        "C54000\0",
        "beyond its first 3 rows",
        "statements.with_hold.max_rows",
    ] {
        assert!(text.contains(part), "{text}");
    }
    // Behind it nothing is what it seems; from its first row it is.
    assert_eq!(ask(&mut exchange, "FETCH FROM c", 0, "FETCH 0"), "TEZ");
    assert_eq!(ask(&mut exchange, "FETCH PRIOR c", 1, "FETCH 1"), "TEZ");
    assert_eq!(
        ask(&mut exchange, "FETCH ABSOLUTE 3 c", 1, "FETCH 1"),
        "TDCZ"
    );
    assert_eq!(ask(&mut exchange, "FETCH PRIOR c", 1, "FETCH 1"), "TDCZ");
}

#[test]
fn a_cursor_that_ends_within_its_bound_is_whole() {
    let mut exchange = with_cursor();
    assert_eq!(ask(&mut exchange, "FETCH 2 c", 2, "FETCH 2"), "TDDCZ");
    assert_eq!(ask(&mut exchange, "FETCH 2 c", 1, "FETCH 1"), "TDCZ");
    assert_eq!(ask(&mut exchange, "FETCH LAST c", 1, "FETCH 1"), "TDCZ");
    assert_eq!(
        ask(&mut exchange, "MOVE BACKWARD ALL c", 0, "MOVE 2"),
        "TCZ"
    );
}

#[test]
fn a_move_is_counted_by_its_tag() {
    let mut exchange = with_cursor();
    assert_eq!(ask(&mut exchange, "MOVE 3 IN c", 0, "MOVE 3"), "TCZ");
    assert_eq!(ask(&mut exchange, "MOVE 1 IN c", 0, "MOVE 1"), "TEZ");
    let mut exchange = with_cursor();
    assert_eq!(ask(&mut exchange, "MOVE ALL IN c", 0, "MOVE 4"), "TEZ");
}

/// Where the end is counted from, the server says first whether there is a row behind the bound;
/// the client hears nothing of that.
#[test]
fn a_cursor_is_measured_before_its_end_is_counted_from() {
    for (tag, answer) in [("MOVE 0", "TDCZ"), ("MOVE 1", "TEZ")] {
        let mut exchange = with_cursor();
        let question = exchange.client(&[query("FETCH LAST c")]);
        assert_eq!(question, "CCPBECCS");
        let measured = [measured(tag), ready(b'I')];
        assert_eq!(exchange.upstream(&measured), "");
        assert_eq!(exchange.sent(), "Q");
        let last = [message(b'T', b"\0\0"), row(), complete("FETCH 1")];
        assert_eq!(exchange.upstream(&[last.concat(), ready(b'I')]), answer);
    }
    // What the question meets is the answer.
    let mut exchange = with_cursor();
    exchange.client(&[query("FETCH LAST c")]);
    let begin = [empty(b'3'), empty(b'3'), empty(b'1'), empty(b'2')].concat();
    let failed = [begin, error("55000")].concat();
    assert_eq!(exchange.upstream(&[failed]), "E");
    assert_eq!(exchange.upstream(&[ready(b'I')]), "Z");
    assert_eq!(exchange.sent(), "");
}

/// Behind a Bind it is put back: others may move it before the portal runs.
#[test]
fn a_cursor_that_is_bound_goes_back() {
    let mut exchange = with_cursor();
    let bound = [parse("", "FETCH LAST c"), bind("", "")].concat();
    exchange.protocol.client_bytes(&bound).unwrap();
    let text = said(exchange.protocol.upstream.outbox.as_bytes());
    assert_eq!(exchange.sent(), "PBCCPBECCPBECCH");
    for part in ["MOVE ABSOLUTE 4 IN c\0", "MOVE ABSOLUTE 0 IN c\0"] {
        assert!(text.contains(part), "{text}");
    }
    let back = [
        empty(b'1'),
        empty(b'2'),
        complete("MOVE 0"),
        empty(b'3'),
        empty(b'3'),
    ]
    .concat();
    let told = exchange.upstream(&[empty(b'1'), empty(b'2'), measured("MOVE 0"), back]);
    assert_eq!(told, "12");
    assert_eq!(exchange.client(&[execute(""), sync()]), "ES");
    let last = [row(), complete("FETCH 1"), ready(b'I')];
    assert_eq!(exchange.upstream(&last), "DCZ");
}

/// What the server says to a question about one cursor.
fn measured(tag: &str) -> Vec<u8> {
    let begin = [empty(b'3'), empty(b'3'), empty(b'1'), empty(b'2')].concat();
    [begin, complete(tag), empty(b'3'), empty(b'3')].concat()
}

/// In a transaction block the block has failed for the client, and so it has at the upstream.
#[test]
fn a_block_fails_with_the_error() {
    let mut exchange = with_cursor();
    exchange.client(&[query("BEGIN")]);
    exchange.upstream(&[complete("BEGIN"), ready(b'T')]);
    exchange.client(&[query("MOVE ALL IN c")]);
    assert_eq!(exchange.upstream(&[complete("MOVE 4"), ready(b'T')]), "E");
    assert_eq!(exchange.sent(), "Q");
    assert_eq!(exchange.upstream(&[error("42601"), ready(b'E')]), "Z");
}

#[test]
fn several_statements_in_one_message_are_told_apart() {
    let mut exchange = exchange();
    exchange.client(&[query(
        "BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT 1; FETCH 2 c; SELECT 1; FETCH 2 c; COMMIT",
    )]);
    let first = [complete("BEGIN"), complete("DECLARE CURSOR"), row(), row()].concat();
    let then = [complete("FETCH 2"), row().repeat(9), complete("SELECT 9")].concat();
    assert_eq!(exchange.upstream(&[first, then]), "CCDDCDDDDDDDDDC");
    assert_eq!(exchange.upstream(&[row(), row()]), "DE");
}

#[test]
fn a_pipeline_is_counted_statement_by_statement() {
    let batch = |text: &str| [parse("", text), bind("", ""), execute("")].concat();
    let mut exchange = with_cursor();
    let fetch = batch("FETCH 2 FROM c");
    exchange.client(&[fetch.clone(), fetch, sync()]);
    // What comes behind the batch waits until it is known where the cursor is.
    assert_eq!(exchange.client(&[batch("FETCH c"), sync()]), "");
    let one = [empty(b'1'), empty(b'2'), row(), row()].concat();
    assert_eq!(
        exchange.upstream(&[one.clone(), complete("FETCH 2")]),
        "12DDC"
    );
    assert_eq!(exchange.upstream(&[one, complete("FETCH 2")]), "12DE");
    assert_eq!(exchange.upstream(&[ready(b'I')]), "Z");
}

/// A cursor of SQL is a portal of the protocol, too.
#[test]
fn an_execute_of_the_cursor_itself_is_counted() {
    let mut exchange = with_cursor();
    exchange.client(&[message(b'E', b"c\0\0\0\0\x02"), sync()]);
    assert_eq!(
        exchange.upstream(&[row(), row(), empty(b's'), ready(b'I')]),
        "DDsZ"
    );
    exchange.client(&[message(b'E', b"c\0\0\0\0\x00"), sync()]);
    let answer = [row(), row(), complete("SELECT 2"), ready(b'I')];
    assert_eq!(exchange.upstream(&answer), "DEZ");
    let mut exchange = with_cursor();
    exchange.client(&[message(b'E', b"c\0\0\0\0\x00"), sync()]);
    let answer = [row(), row(), complete("SELECT 2"), ready(b'I')];
    assert_eq!(exchange.upstream(&answer), "DDCZ");
    assert_eq!(ask(&mut exchange, "FETCH LAST c", 1, "FETCH 1"), "TDCZ");
}

#[test]
fn there_are_so_many_at_a_time() {
    let mut exchange = exchange();
    let declare = |name: &str| query(&format!("DECLARE {name} CURSOR WITH HOLD FOR SELECT 1"));
    let done = [complete("DECLARE CURSOR"), ready(b'I')].concat();
    let failed = [error("42P01"), ready(b'I')].concat();
    // What fails is none.
    for _ in 0..3 {
        exchange.client(&[declare("a")]);
        exchange.upstream(std::slice::from_ref(&failed));
    }
    // What is on its way counts.
    assert_eq!(
        exchange.client(&[declare("a"), declare("b"), declare("d")]),
        "QQQ"
    );
    let got = exchange.upstream_bytes(&[done.clone(), done, error("42601"), ready(b'I')].concat());
    assert_eq!(letters(&got), "CZCZEZ");
    let text = said(&got);
    assert!(
        text.contains("C54000\0") && text.contains("max_cursors"),
        "{text}"
    );
    // In one message, too.
    assert_eq!(exchange.client(&[query("CLOSE a")]), "Q");
    exchange.upstream(&[complete("CLOSE CURSOR"), ready(b'I')]);
    let two = "DECLARE a CURSOR WITH HOLD FOR SELECT 1; DECLARE d CURSOR WITH HOLD FOR SELECT 1";
    assert_eq!(exchange.client(&[query(two)]), "");
    assert_eq!(exchange.alone(), "EZ");
    assert_eq!(exchange.client(&[declare("a")]), "Q");
    exchange.upstream(&[complete("DECLARE CURSOR"), ready(b'I')]);
    // A Close of the protocol, CLOSE ALL and DISCARD ALL make room.
    exchange.client(&[message(b'C', b"Pa\0"), sync()]);
    exchange.upstream(&[empty(b'3'), ready(b'I')]);
    assert_eq!(exchange.client(&[declare("a")]), "Q");
    exchange.upstream(&[complete("DECLARE CURSOR"), ready(b'I')]);
    for (text, tag) in [
        ("CLOSE ALL", "CLOSE CURSOR ALL"),
        ("DISCARD ALL", "DISCARD ALL"),
    ] {
        exchange.client(&[query(text)]);
        exchange.upstream(&[complete(tag), ready(b'I')]);
        for name in ["a", "b"] {
            assert_eq!(exchange.client(&[declare(name)]), "Q", "{text}");
            exchange.upstream(&[complete("DECLARE CURSOR"), ready(b'I')]);
        }
        assert_eq!(exchange.client(&[declare("d")]), "", "{text}");
        assert_eq!(exchange.alone(), "EZ");
    }
}

const DECLARE: &str = "DECLARE c CURSOR WITH HOLD FOR SELECT a FROM t";
