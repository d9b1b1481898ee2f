//! Message tables of results that are cut: whatever comes first, the cancel or the end of the
//! statement, and however the bytes are divided. Test code only.

use super::SessionLimits;
use super::per_user::CountedSession;
use crate::policy::Policy;
use crate::session::context::model_values::LoginFacts;
use crate::session::reply::CloseReason;
use crate::session::session_end::SessionEnd;
use crate::session::tests::exchange::{
    TestExchange, bind, complete, empty, error, execute, letters, message, parse, query, ready,
    row, sync,
};
use crate::session::upstream_side::SelfReport;
use crate::telemetry::labels::Tripwire;
use crate::upstream::cancel::SessionCanceller;

/// Two rows of a result.
const ERROR: &str = "result_rows: 2";
const TRUNCATE: &str = "result_rows: 2\n  on_limit: truncate";

fn exchange(limits: &str) -> TestExchange {
    let bi = include_str!("../../../policies/bi.yaml");
    let (limits, more) = limits.split_once('!').unwrap_or((limits, ""));
    let text = bi.replace("\nlimits:\n", &format!("\n{more}\nlimits:\n  {limits}\n"));
    let policy = Policy::from_yaml(&text).unwrap();
    let session_limits = SessionLimits::new(
        CountedSession::default(),
        Some(SessionCanceller::of_nobody()),
    );
    let mut exchange = TestExchange::under(policy, LoginFacts::default(), SelfReport::Reported);
    exchange.protocol.limits = session_limits;
    exchange
}

fn described() -> Vec<u8> {
    message(b'T', b"\0\0")
}

fn in_block(limits: &str) -> TestExchange {
    let mut exchange = exchange(limits);
    exchange.client(&[query("BEGIN")]);
    exchange.upstream(&[complete("BEGIN"), ready(b'T')]);
    exchange
}

/// What the client gets of these bytes, given in pieces of a size.
fn in_pieces(exchange: &mut TestExchange, bytes: &[u8], size: usize) -> Vec<u8> {
    let (mut got, mut rest) = (Vec::new(), Vec::new());
    for piece in bytes.chunks(size) {
        rest.extend_from_slice(piece);
        let passed = exchange.protocol.upstream_bytes(&rest).unwrap();
        got.extend_from_slice(&exchange.protocol.client.reply.split());
        got.extend_from_slice(&rest[passed.tail]);
        rest.drain(..passed.consumed);
    }
    assert!(rest.is_empty());
    got
}

#[test]
fn bytes_may_be_divided_at_any_place() {
    let rows = [row(), row(), row(), row(), row()].concat();
    let answer = [described(), rows.clone(), complete("SELECT 5"), ready(b'I')].concat();
    let copied = message(b'd', b"a line\n").repeat(4);
    let begin = message(b'H', b"\0\0\x01\0\0");
    let copy = [begin, copied, empty(b'c'), complete("COPY 4"), ready(b'I')].concat();
    for size in 1..answer.len() {
        for (limits, end, copy_end) in [(ERROR, "TDDEZ", "HddEZ"), (TRUNCATE, "TDDNCZ", "HddcNCZ")]
        {
            let mut exchange = exchange(limits);
            exchange.client(&[query("SELECT 1")]);
            let got = in_pieces(&mut exchange, &answer, size);
            assert_eq!(letters(&got), end, "{size}");
            exchange.client(&[query("COPY (SELECT 1) TO STDOUT")]);
            let got = in_pieces(&mut exchange, &copy, size);
            assert_eq!(letters(&got), copy_end, "{size}");
            assert!(exchange.protocol.is_at_rest());
        }
    }
}

#[test]
fn a_cancel_is_wanted_only_while_the_statement_runs() {
    for limits in [ERROR, TRUNCATE] {
        let mut exchange = exchange(limits);
        exchange.client(&[query("SELECT 1")]);
        exchange.upstream(&[described(), row(), row(), row()]);
        assert!(exchange.protocol.limits.wants_cancel());
        assert!(!exchange.protocol.limits.wants_cancel());
        let got = exchange.upstream(&[row(), error("57014"), ready(b'I')]);
        assert_eq!(got, if limits == ERROR { "Z" } else { "NCZ" });
        exchange.client(&[query("SELECT 1")]);
        let all = [
            described(),
            row(),
            row(),
            row(),
            complete("SELECT 3"),
            ready(b'I'),
        ];
        exchange.upstream(&all);
        assert!(!exchange.protocol.limits.wants_cancel());
        assert!(exchange.protocol.is_at_rest());
    }
}

#[test]
fn a_transaction_fails_though_the_statement_ended_before_its_cancel() {
    let mut exchange = in_block(ERROR);
    exchange.client(&[query("SELECT 1")]);
    let all = [
        described(),
        row(),
        row(),
        row(),
        complete("SELECT 3"),
        ready(b'T'),
    ];
    assert_eq!(exchange.upstream(&all), "TDDE");
    assert_eq!(exchange.sent(), "Q");
    assert_eq!(exchange.client(&[query("SELECT 2")]), "");
    // The cancel may meet the statement that is sure to fail, which comes to the same.
    assert_eq!(exchange.upstream(&[error("57014"), ready(b'E')]), "Z");
    assert_eq!(exchange.client(&[query("ROLLBACK")]), "Q");
    assert_eq!(
        exchange.upstream(&[complete("ROLLBACK"), ready(b'I')]),
        "CZ"
    );
}

#[test]
fn an_extended_transaction_fails_likewise() {
    let batch = [parse("", "SELECT 1"), bind("", ""), execute("")];
    let answer = [
        empty(b'1'),
        empty(b'2'),
        row(),
        row(),
        row(),
        complete("SELECT 3"),
    ];
    // With the Sync on its way.
    let mut exchange = in_block(ERROR);
    exchange.client(&[batch.concat(), sync()]);
    assert_eq!(exchange.upstream(&answer), "12DDE");
    assert_eq!(exchange.upstream(&[ready(b'T')]), "");
    assert_eq!(exchange.sent(), "Q");
    assert_eq!(exchange.upstream(&[error("42601"), ready(b'E')]), "Z");
    // And before it.
    let mut exchange = in_block(ERROR);
    exchange.client(&batch);
    assert_eq!(exchange.upstream(&answer), "12DDE");
    assert_eq!(exchange.sent(), "P");
    assert_eq!(exchange.client(&[bind("", ""), execute("")]), "");
    assert_eq!(exchange.client(&[sync()]), "S");
    assert_eq!(exchange.upstream(&[error("42601"), ready(b'E')]), "Z");
    assert_eq!(exchange.client(&[query("ROLLBACK")]), "Q");
}

#[test]
fn what_follows_a_cut_result_in_its_batch_is_swallowed() {
    let mut exchange = exchange(ERROR);
    let one = [parse("", "SELECT 1"), bind("", ""), execute("")].concat();
    exchange.client(&[one.clone(), one, sync()]);
    let first = [empty(b'1'), empty(b'2'), row(), row(), row()];
    assert_eq!(exchange.upstream(&first), "12DDE");
    let second = [
        complete("SELECT 3"),
        empty(b'1'),
        empty(b'2'),
        row(),
        complete("SELECT 1"),
    ];
    assert_eq!(exchange.upstream(&second), "");
    assert_eq!(exchange.upstream(&[ready(b'I')]), "Z");
    assert!(exchange.protocol.is_at_rest());
}

#[test]
fn nothing_is_sent_behind_a_bounded_batch() {
    let mut exchange = exchange(ERROR);
    let (first, second) = (query("SELECT 1"), query("SELECT 2"));
    let bytes = [first.clone(), second.clone()].concat();
    let taken = exchange.protocol.client_bytes(&bytes).unwrap();
    assert_eq!(taken.consumed, first.len());
    assert_eq!(exchange.sent(), "Q");
    assert!(!exchange.protocol.takes_frames());
    exchange.upstream(&[described(), row(), complete("SELECT 1"), ready(b'I')]);
    assert!(exchange.protocol.takes_frames());
    assert_eq!(exchange.client(&[second]), "Q");
    // A goodbye is heard at any time.
    let goodbye = message(b'X', b"");
    let taken = exchange.protocol.client_bytes(&goodbye).unwrap();
    assert_eq!(taken.consumed, goodbye.len());
    exchange.upstream(&[described(), row(), row(), row()]);
    exchange.upstream(&[error("57014"), ready(b'I')]);
    assert_eq!(exchange.protocol.due_end(), Some(SessionEnd::Terminated));
}

#[test]
fn a_client_that_leaves_without_its_sync_leaves_nothing_behind() {
    let mut exchange = exchange(ERROR);
    exchange.client(&[parse("", "SELECT 1"), bind("", ""), execute("")]);
    let goodbye = message(b'X', b"");
    exchange.protocol.client_bytes(&goodbye).unwrap();
    assert_eq!(exchange.sent(), "H");
    exchange.upstream(&[empty(b'1'), empty(b'2'), row(), row(), row()]);
    assert_eq!(exchange.sent(), "PS");
    exchange.upstream(&[error("57014"), ready(b'I')]);
    assert_eq!(exchange.protocol.due_end(), Some(SessionEnd::Terminated));
}

#[test]
fn a_bound_that_is_only_observed_holds_nothing_back() {
    let mut exchange = exchange("result_rows: 2!rules: {result_rows: observe}");
    assert_eq!(
        exchange.client(&[query("SELECT 1"), query("SELECT 2")]),
        "QQ"
    );
    let all = [
        described(),
        row(),
        row(),
        row(),
        complete("SELECT 3"),
        ready(b'I'),
    ];
    assert_eq!(exchange.upstream(&all), "TDDDCZ");
    assert_eq!(exchange.upstream(&all), "TDDDCZ");
}

#[test]
fn a_query_behind_a_batch_without_sync_waits_and_makes_the_upstream_tell() {
    let mut exchange = exchange(ERROR);
    exchange.client(&[parse("", "SELECT 1"), bind("", ""), execute("")]);
    let behind = query("SELECT 2");
    let taken = exchange.protocol.client_bytes(&behind).unwrap();
    assert_eq!(taken.consumed, 0);
    assert_eq!(exchange.sent(), "H");
    exchange.upstream(&[empty(b'1'), empty(b'2'), row(), complete("SELECT 1")]);
    assert_eq!(exchange.client(&[behind]), "Q");
}

#[test]
fn a_truncated_result_is_cancelled_only_where_nothing_else_fails_with_it() {
    let over = [empty(b'1'), empty(b'2'), row(), row(), row()];
    let batch = [parse("", "SELECT 1"), bind("", ""), execute("")].concat();
    let wants = |sent: &[Vec<u8>], in_a_block: bool| {
        let mut exchange = if in_a_block {
            in_block(TRUNCATE)
        } else {
            exchange(TRUNCATE)
        };
        exchange.client(sent);
        exchange.upstream(&over);
        exchange.protocol.limits.wants_cancel()
    };
    assert!(wants(&[batch.clone(), sync()], false));
    assert!(!wants(&[batch.clone(), sync()], true));
    assert!(!wants(std::slice::from_ref(&batch), false));
    assert!(!wants(&[batch.clone(), batch.clone(), sync()], false));
    // The one before it in the batch would be rolled back.
    let mut exchange = exchange(TRUNCATE);
    exchange.client(&[batch.clone(), batch, sync()]);
    exchange.upstream(&[empty(b'1'), empty(b'2'), row(), complete("SELECT 1")]);
    exchange.upstream(&over);
    assert!(!exchange.protocol.limits.wants_cancel());
}

#[test]
fn the_last_words_of_the_upstream_and_its_alarms_are_heard_behind_a_cut() {
    let cut = || {
        let mut exchange = exchange(ERROR);
        exchange.client(&[query("SELECT 1")]);
        exchange.upstream(&[described(), row(), row(), row()]);
        exchange
    };
    let fatal = message(b'E', b"SFATAL\0VFATAL\0C57P01\0Mno\0\0");
    let mut exchange = cut();
    assert_eq!(exchange.upstream(&[fatal]), "E");
    assert!(exchange.protocol.upstream.has_closed());
    let ending = cut().protocol.upstream_bytes(&complete("INSERT 0 1"));
    assert_eq!(ending.unwrap_err(), SessionEnd::Tripped(Tripwire::WriteTag));
    let off = message(b'S', b"default_transaction_read_only\0off\0");
    let ending = cut().protocol.upstream_bytes(&off);
    assert!(matches!(ending.unwrap_err(), SessionEnd::Tripped(_)));
}

/// A bound so wide that nothing waits behind a result, and a row that is more than half of it.
const WIDE: &str = "result_bytes: 1MiB";

fn wide_row() -> Vec<u8> {
    message(b'D', &[b'x'; 600_000])
}

#[test]
fn nothing_waits_behind_a_wide_bound_and_what_was_sent_there_is_answered() {
    let batch = [parse("", "SELECT 1"), bind("", ""), execute(""), sync()].concat();
    let cut = [wide_row(), wide_row(), complete("SELECT 2"), ready(b'I')];
    for (asked, sent, before) in [
        (query("SELECT 1"), "Q", Vec::new()),
        (batch, "PBES", [empty(b'1'), empty(b'2')].concat()),
    ] {
        let mut exchange = exchange(WIDE);
        assert_eq!(
            exchange.client(&[asked.clone(), asked.clone()]),
            sent.repeat(2)
        );
        exchange.upstream(std::slice::from_ref(&before));
        assert_eq!(exchange.upstream(&cut), "DEZ");
        assert!(
            !exchange.protocol.limits.wants_cancel(),
            "it could hit the next one"
        );
        exchange.upstream(&[before]);
        let next = [row(), complete("SELECT 1"), ready(b'I')];
        assert_eq!(exchange.upstream(&next), "DCZ");
        assert!(exchange.protocol.is_at_rest());
    }
}

#[test]
fn behind_a_wide_bound_that_was_met_everything_waits() {
    let mut exchange = exchange(WIDE);
    exchange.client(&[query("SELECT 1")]);
    assert_eq!(exchange.upstream(&[wide_row(), wide_row()]), "DE");
    assert!(exchange.protocol.limits.wants_cancel());
    assert_eq!(exchange.client(&[query("SELECT 2")]), "");
    assert_eq!(exchange.upstream(&[error("57014"), ready(b'I')]), "Z");
    assert_eq!(exchange.client(&[query("SELECT 2")]), "Q");
}

#[test]
fn a_transaction_that_would_go_on_behind_a_wide_bound_ends_its_session() {
    let limit = SessionEnd::Ended(CloseReason::ResultLimit);
    let mut exchange = in_block(WIDE);
    exchange.client(&[query("SELECT 1"), query("SELECT 2")]);
    assert_eq!(exchange.upstream(&[wide_row(), wide_row()]), "DE");
    let end = [complete("SELECT 2"), ready(b'T')].concat();
    assert_eq!(exchange.upstream_ends(&[end]), limit);
    // A Query in the batch of the result, whose error would have skipped it.
    let mut exchange = self::exchange(WIDE);
    let batch = [
        parse("", "SELECT 1"),
        bind("", ""),
        execute(""),
        query("SELECT 2"),
    ];
    exchange.client(&batch);
    let rows = [empty(b'1'), empty(b'2'), wide_row(), wide_row()].concat();
    assert_eq!(exchange.upstream_ends(&[rows]), limit);
}
