//! Message tables of plans: what goes to whom, in which order, for every answer. Test code only.

use crate::gate::QUESTION_NAME;
use crate::policy::Policy;
use crate::session::context::model_values::LoginFacts;
use crate::session::tests::exchange::{
    TestExchange, bind, complete, empty, error, execute, letters, message, parse, query, ready,
    row, sync,
};
use crate::session::upstream_side::SelfReport;
use crate::wire::backend::error_fields;

/// A session whose plans may cost a hundred and return ten rows.
fn bounded(base: Policy, edits: &[(&str, &str)]) -> TestExchange {
    let text = match base.name() {
        "bi" => include_str!("../../../policies/bi.yaml"),
        _ => include_str!("../../../policies/agent.yaml"),
    };
    let limits = "  max_plan_cost: 100\n  max_plan_rows: 10\n  statement_bytes:";
    let mut text = text.replacen("  statement_bytes:", limits, 1);
    for (before, after) in edits {
        text = text.replace(before, after);
        assert!(text.contains(after), "{after}");
    }
    let policy = Policy::from_yaml(&text).unwrap();
    TestExchange::under(policy, LoginFacts::default(), SelfReport::Reported)
}

fn agent() -> TestExchange {
    bounded(Policy::agent(), &[])
}

/// The row of a plan.
fn plan(cost: &str, rows: &str) -> Vec<u8> {
    let json = format!(
        "[\n  {{\n    \"Plan\": {{\n      \"Node Type\": \"Result\",\n      \
         \"Total Cost\": {cost},\n      \"Plan Rows\": {rows},\n      \"Plan Width\": 4\n    }}\n  \
         }}\n]"
    );
    let length = u32::try_from(json.len()).unwrap();
    message(
        b'D',
        &[b"\0\x01", &length.to_be_bytes()[..], json.as_bytes()].concat(),
    )
}

/// The answer to one question, in the protocol's order.
fn planned(cost: &str, rows: &str) -> Vec<u8> {
    let own = [
        empty(b'1'),
        empty(b'2'),
        plan(cost, rows),
        complete("EXPLAIN"),
    ];
    [closed(), own.concat(), closed()].concat()
}

fn closed() -> Vec<u8> {
    [empty(b'3'), empty(b'3')].concat()
}

fn answer() -> [Vec<u8>; 4] {
    [
        message(b'T', b"\0\0"),
        row(),
        complete("SELECT 1"),
        ready(b'I'),
    ]
}

/// The error that a client got.
fn told(bytes: &[u8]) -> (String, String) {
    assert_eq!(bytes.first(), Some(&b'E'));
    let length = u32::from_be_bytes([bytes[1], bytes[2], bytes[3], bytes[4]]);
    let fields = error_fields(&bytes[5..=usize::try_from(length).unwrap()]).unwrap();
    let field = |kind| fields.get(kind).unwrap_or_default().to_owned();
    (field(b'C'), field(b'D'))
}

#[test]
fn a_query_waits_for_its_plan() {
    let mut exchange = agent();
    let sent = exchange.client(&[query("SELECT 1"), query("BEGIN")]);
    assert_eq!(sent, "CCPBECCS");
    assert!(!exchange.protocol.takes_frames());
    assert_eq!(exchange.upstream(&[planned("1.5", "1")]), "");
    assert_eq!(exchange.upstream(&[ready(b'I')]), "");
    assert_eq!(exchange.sent(), "Q");
    assert_eq!(exchange.upstream(&answer()), "TDCZ");
    assert!(exchange.protocol.is_at_rest());
    // The same statement, with another value, is known.
    assert_eq!(exchange.client(&[query("SELECT 2")]), "Q");
}

#[test]
fn a_plan_above_a_bound_refuses() {
    for (cost, rows, detail) in [
        (
            "100.01",
            "1",
            "rule: plan_cost (100.01 expected, max_plan_cost is 100)",
        ),
        (
            "1",
            "11",
            "rule: plan_rows (11 expected, max_plan_rows is 10)",
        ),
    ] {
        let mut exchange = agent();
        for _ in 0..2 {
            // What refused is not believed for others: it is asked each time.
            assert_eq!(exchange.client(&[query("SELECT 1")]), "CCPBECCS");
            let got = exchange.upstream_bytes(&[planned(cost, rows), ready(b'I')].concat());
            assert_eq!(letters(&got), "EZ");
            assert_eq!(told(&got), ("54000".to_owned(), detail.to_owned()));
            assert_eq!(exchange.sent(), "");
        }
        assert!(exchange.protocol.is_at_rest());
    }
}

#[test]
fn a_question_does_not_end_a_batch_that_an_error_may_yet_skip() {
    for refused in ["DELETE FROM t", "FETCH 1 FROM c"] {
        let mut exchange = agent();
        exchange.client(&[message(b'D', b"Px\0"), query(refused)]);
        // No Sync: the server would answer that, and nobody has asked it for the client.
        let sent = exchange.client(&[query("SELECT 1"), query("SELECT 2")]);
        assert_eq!(sent, "CCPBECCH");
        assert_eq!(exchange.upstream(&[error("34000")]), "E");
        let sent = exchange.client(&[query("SELECT 3"), sync()]);
        assert_eq!(sent, "S");
        assert_eq!(exchange.upstream(&[ready(b'I')]), "Z");
        assert!(exchange.protocol.is_at_rest());
    }
}

#[test]
fn what_runs_before_a_statement_that_fails_is_bounded() {
    for (cost, got) in [("1", ""), ("999", "EZ")] {
        let mut exchange = bounded(Policy::bi(), &[]);
        exchange.client(&[query("SELECT 1; SELECT nope")]);
        let asked = [planned(cost, "1"), error("42703"), ready(b'I')].concat();
        let told = exchange.upstream_bytes(&asked);
        assert_eq!(letters(&told), got);
        assert_eq!(exchange.sent(), if got.is_empty() { "Q" } else { "" });
    }
}

#[test]
fn at_the_bound_it_runs() {
    let mut exchange = agent();
    exchange.client(&[query("SELECT 1")]);
    exchange.upstream(&[planned("100.00", "10"), ready(b'I')]);
    assert_eq!(exchange.sent(), "Q");
}

#[test]
fn a_refusal_in_a_transaction_fails_it() {
    let mut exchange = agent();
    assert_eq!(exchange.client(&[query("BEGIN")]), "Q");
    exchange.upstream(&[complete("BEGIN"), ready(b'T')]);
    assert_eq!(exchange.client(&[query("SELECT 1")]), "CCPBECCS");
    assert_eq!(exchange.upstream(&[planned("101", "1"), ready(b'T')]), "");
    assert_eq!(exchange.sent(), "Q");
    let got = exchange.upstream_bytes(&[error("42601"), ready(b'E')].concat());
    assert_eq!((letters(&got), told(&got).0), ("EZ".into(), "54000".into()));
    // It fails by itself now.
    assert_eq!(exchange.client(&[query("SELECT 1")]), "Q");
}

#[test]
fn a_bind_is_asked_about_behind_itself() {
    let mut exchange = agent();
    let batch = [parse("", "SELECT 1"), bind("", ""), execute(""), sync()];
    assert_eq!(exchange.client(&batch[..2]), "PBCCPBECCH");
    assert_eq!(exchange.upstream(&[empty(b'1'), empty(b'2')]), "12");
    assert_eq!(exchange.upstream(&[planned("1", "1")]), "");
    assert_eq!(exchange.client(&batch[2..]), "ES");
    let rest = [row(), complete("SELECT 1"), ready(b'I')];
    assert_eq!(exchange.upstream(&rest), "DCZ");
    assert_eq!(exchange.client(&batch), "PBES");
}

#[test]
fn a_bind_is_refused_in_its_batch() {
    let mut exchange = agent();
    exchange.client(&[parse("", "SELECT 1"), bind("", "")]);
    exchange.upstream(&[empty(b'1'), empty(b'2')]);
    assert_eq!(exchange.upstream(&[planned("1", "99")]), "");
    assert_eq!(exchange.sent(), "P");
    assert_eq!(exchange.client(&[execute(""), sync()]), "S");
    let got = exchange.upstream_bytes(&[error("42601"), ready(b'I')].concat());
    assert_eq!((letters(&got), told(&got).0), ("EZ".into(), "54000".into()));
    assert!(exchange.protocol.is_at_rest());
}

#[test]
fn a_question_behind_an_error_is_skipped() {
    let mut exchange = agent();
    let earlier = [parse("a", "SELECT 1"), bind("", "a")];
    assert_eq!(exchange.client(&earlier), "PBCCPBECCH");
    // The Bind fails: nothing of the question is answered.
    assert_eq!(exchange.upstream(&[empty(b'1'), error("22P02")]), "1E");
    assert_eq!(exchange.client(&[execute(""), sync()]), "S");
    assert_eq!(exchange.upstream(&[ready(b'I')]), "Z");
    assert!(exchange.protocol.is_at_rest());
}

#[test]
fn names_that_mean_nothing_are_the_statements_own_failure() {
    let mut exchange = agent();
    exchange.client(&[query("SELECT 1")]);
    let asked = [closed(), error("42P01"), ready(b'I')];
    assert_eq!(exchange.upstream(&asked), "");
    assert_eq!(exchange.sent(), "Q");
    // Not known: it had no plan.
    assert_eq!(exchange.upstream(&answer()), "TDCZ");
    assert_eq!(exchange.client(&[query("SELECT 1")]), "CCPBECCS");
}

#[test]
fn what_planning_meets_is_told() {
    for stage in [&b"1"[..], b"12"] {
        for code in ["22012", "57014", "42P01"] {
            let mut exchange = agent();
            exchange.client(&[query("SELECT 1")]);
            let before: Vec<u8> = stage.iter().flat_map(|kind| empty(*kind)).collect();
            let asked = [closed(), before, error(code), ready(b'I')];
            let got = exchange.upstream_bytes(&asked.concat());
            assert_eq!((letters(&got), told(&got).0), ("EZ".into(), code.into()));
            assert_eq!(exchange.sent(), "");
            assert!(exchange.protocol.is_at_rest());
        }
    }
    // A cancel is told whenever it comes.
    let mut exchange = agent();
    exchange.client(&[query("SELECT 1")]);
    let asked = [closed(), error("57014"), ready(b'I')];
    assert_eq!(exchange.upstream(&asked), "EZ");
}

#[test]
fn a_question_that_fails_in_a_batch_skips_to_its_sync() {
    let mut exchange = agent();
    exchange.client(&[parse("", "SELECT 1"), bind("", "")]);
    exchange.upstream(&[empty(b'1'), empty(b'2'), closed()]);
    assert_eq!(exchange.upstream(&[empty(b'1'), error("22012")]), "E");
    assert_eq!(exchange.client(&[execute(""), sync()]), "S");
    assert_eq!(exchange.upstream(&[ready(b'I')]), "Z");
    assert!(exchange.protocol.is_at_rest());
}

#[test]
fn a_query_behind_a_batch_ends_it_and_stays_in_its_block() {
    let mut exchange = agent();
    let batch = [
        parse("", "BEGIN"),
        bind("", ""),
        execute(""),
        query("SELECT 1"),
    ];
    assert_eq!(exchange.client(&batch), "PBECCPBECCH");
    let first = [empty(b'1'), empty(b'2'), complete("BEGIN")];
    assert_eq!(exchange.upstream(&first), "12C");
    assert_eq!(exchange.upstream(&[planned("1", "1")]), "");
    assert_eq!(exchange.sent(), "S");
    assert_eq!(exchange.upstream(&[ready(b'T')]), "");
    assert_eq!(exchange.sent(), "Q");
    assert_eq!(exchange.upstream(&answer()), "TDCZ");
    assert_eq!(exchange.client(&batch[..3]), "PBE");
    exchange.upstream(&first);
    assert_eq!(exchange.client(&[query("VALUES (1)")]), "CCPBECCH");
    assert_eq!(exchange.upstream(&[closed(), error("22012")]), "E");
    assert_eq!(exchange.sent(), "S");
    assert_eq!(exchange.upstream(&[ready(b'E')]), "Z");
}

/// What pgsieve has run in a batch must not go on in the Query behind it, whatever that one is.
#[test]
fn a_query_behind_a_question_about_another_statement_ends_the_batch() {
    for behind in ["SHOW TimeZone", "BEGIN"] {
        let mut exchange = agent();
        let batch = [parse("", "SELECT 1"), bind("", "")];
        assert_eq!(exchange.client(&batch), "PBCCPBECCH");
        let first = [empty(b'1'), empty(b'2'), planned("1", "1")];
        assert_eq!(exchange.upstream(&first), "12");
        assert_eq!(exchange.client(&[query(behind)]), "CCH");
        assert_eq!(exchange.upstream(&[closed()]), "");
        assert_eq!(exchange.sent(), "S");
        assert_eq!(exchange.upstream(&[ready(b'I')]), "");
        assert_eq!(exchange.sent(), "Q");
        // A new batch has no question in it yet.
        exchange.upstream(&[complete("SHOW"), ready(b'I')]);
        assert_eq!(exchange.client(&[parse("s", "SHOW jit")]), "P");
        assert_eq!(exchange.client(&[query("SHOW jit")]), "Q");
    }
}

#[test]
fn a_long_plan_is_read_from_its_beginning() {
    let mut exchange = agent();
    exchange.client(&[query("SELECT 1")]);
    let mut long = plan("1", "1");
    long.extend(vec![b' '; 100_000]);
    let length = u32::try_from(long.len() - 1).unwrap();
    long[1..5].copy_from_slice(&length.to_be_bytes());
    let before = [closed(), empty(b'1'), empty(b'2')].concat();
    exchange.upstream_bytes(&before);
    // In pieces, as a socket gives them.
    let mut given = Vec::new();
    for piece in long.chunks(1_000) {
        given.extend_from_slice(piece);
        let passed = exchange.protocol.upstream_bytes(&given).unwrap();
        assert!(passed.tail.is_empty());
        given.drain(..passed.consumed);
    }
    assert!(given.is_empty());
    let behind = [complete("EXPLAIN"), closed(), ready(b'I')].concat();
    assert_eq!(letters(&exchange.upstream_bytes(&behind)), "");
    assert_eq!(exchange.sent(), "Q");
}

#[test]
fn what_is_no_plan_refuses() {
    let mut exchange = agent();
    exchange.client(&[query("SELECT 1")]);
    let own = [empty(b'1'), empty(b'2'), row(), complete("EXPLAIN")];
    let got = exchange.upstream_bytes(&[closed(), own.concat(), closed(), ready(b'I')].concat());
    assert_eq!((letters(&got), told(&got).0), ("EZ".into(), "0A000".into()));
}

#[test]
fn what_has_no_plan_is_not_asked_about() {
    let mut exchange = agent();
    for text in ["BEGIN", "SHOW search_path", "SELECT $1", "EXPLAIN SELECT 1"] {
        assert_eq!(exchange.client(&[query(text)]), "Q", "{text}");
        exchange.upstream(&[complete("SHOW"), ready(b'I')]);
    }
    assert_eq!(
        exchange.client(&[parse("", "SHOW search_path"), bind("", "")]),
        "PB"
    );
}

#[test]
fn each_read_of_a_message_is_asked_about() {
    let mut exchange = bounded(Policy::bi(), &[]);
    let sent = exchange.client(&[query("BEGIN; SELECT 1; VALUES (2); COMMIT")]);
    assert_eq!(sent, "CCPBECCPBECCS");
    let second = [
        empty(b'1'),
        empty(b'2'),
        plan("999", "1"),
        complete("EXPLAIN"),
    ];
    let asked = [planned("1", "1"), second.concat(), closed(), ready(b'I')];
    let got = exchange.upstream_bytes(&asked.concat());
    assert_eq!((letters(&got), told(&got).0), ("EZ".into(), "54000".into()));
    for text in [
        "PREPARE p AS SELECT 1; EXECUTE p",
        "SET search_path TO pg_catalog; SELECT 1",
        "SELECT 1; DISCARD ALL",
    ] {
        assert_eq!(exchange.client(&[query(text)]), "", "{text}");
        let got = exchange.protocol.client.reply.split();
        assert_eq!(told(&got).0, "0A000", "{text}");
    }
    // In a transaction that ends first, names may mean something else than behind its end.
    assert_eq!(exchange.client(&[query("BEGIN")]), "Q");
    exchange.upstream(&[complete("BEGIN"), ready(b'T')]);
    assert_eq!(exchange.client(&[query("COMMIT; SELECT 1")]), "Q");
    assert_eq!(exchange.upstream(&[error("42601"), ready(b'E')]), "EZ");
}

#[test]
fn what_is_observed_runs() {
    let observed = &[(
        "\nlimits:\n",
        "\nrules: {plan_cost: observe, plan_rows: observe}\nlimits:\n",
    )];
    let mut exchange = bounded(Policy::agent(), observed);
    for _ in 0..2 {
        assert_eq!(exchange.client(&[query("SELECT 1")]), "CCPBECCS");
        exchange.upstream(&[planned("999", "999"), ready(b'I')]);
        assert_eq!(exchange.sent(), "Q");
        exchange.upstream(&answer());
    }
    let scraped = exchange.protocol.witness.telemetry.scrape();
    for rule in ["plan_cost", "plan_rows"] {
        let line = format!("pgsieve_limits_total{{mode=\"observe\",rule=\"{rule}\"}} 2\n");
        assert!(scraped.contains(&line), "{scraped}");
    }
    assert!(
        scraped.contains("pgsieve_plan_seconds_count 2\n"),
        "{scraped}"
    );
}

#[test]
fn without_bounds_nothing_is_asked() {
    let mut exchange = TestExchange::new();
    let batch = [parse("", "SELECT 1"), bind("", ""), execute(""), sync()];
    assert_eq!(exchange.client(&batch), "PBES");
    assert_eq!(exchange.client(&[query("SELECT 1")]), "Q");
}

/// A question that has failed may have left its EXPLAIN there.
#[test]
fn nothing_is_run_under_the_name_of_a_question() {
    let mut exchange = agent();
    exchange.client(&[parse(QUESTION_NAME, "SELECT 1"), sync()]);
    exchange.upstream(&[empty(b'1'), ready(b'I')]);
    assert_eq!(exchange.client(&[bind("", QUESTION_NAME), sync()]), "");
    let got = exchange.upstream_bytes(b"");
    assert_eq!((letters(&got), told(&got).0), ("EZ".into(), "26000".into()));
    exchange.client(&[query(&format!("PREPARE {QUESTION_NAME} AS SELECT 1"))]);
    exchange.upstream(&[complete("PREPARE"), ready(b'I')]);
    let run = query(&format!("EXECUTE {QUESTION_NAME}"));
    assert_eq!(exchange.client(&[run]), "");
    let got = exchange.upstream_bytes(b"");
    assert_eq!((letters(&got), told(&got).0), ("EZ".into(), "26000".into()));
    exchange.client(&[parse("", "SELECT 1"), bind(QUESTION_NAME, "")]);
    exchange.upstream(&[empty(b'1'), empty(b'2')]);
    exchange.upstream(&[planned("1", "1")]);
    assert_eq!(exchange.client(&[execute(QUESTION_NAME), sync()]), "PS");
    let got = exchange.upstream_bytes(&[error("42601"), ready(b'I')].concat());
    assert_eq!((letters(&got), told(&got).0), ("EZ".into(), "34000".into()));
}
