//! Message tables of repairs: what goes to whom, in which order, for every outcome. Test code only.

use std::slice::from_ref;
use std::sync::Arc;

use super::apply_repair::repair_finished;
use super::executor::StepTimes;
use super::{BlockingJob, RepairJob, RepairResult};
use crate::catalog::fixture::CatalogFixture;
use crate::gate::effects::graph::EffectGraph;
use crate::gate::{Gate, RunForecast, SessionNames, Verdict};
use crate::limits;
use crate::policy::{Policy, Recoverer};
use crate::repair::dialect_history::DialectEvidence;
use crate::repair::{RepairAdvice, RepairConclusion, RepairOutcome, RepairedStatement};
use crate::session::context::client_settings::ClientSettings;
use crate::session::tests::exchange::{
    TestExchange, bind, close, complete, empty, error, execute, letters, message, parse, query,
    ready, row, sync,
};
use crate::sql::fingerprint::Fingerprinter;
use crate::wire::backend::error_fields;

impl TestExchange {
    /// The client sends, and one of its statements is to be repaired; what has gone upstream.
    fn client_fails(&mut self, messages: &[Vec<u8>]) -> (String, Box<RepairJob>, Vec<u8>) {
        let bytes = messages.concat();
        let taken = self.protocol.client_bytes(&bytes).unwrap();
        let repair_job = self.repair_job();
        (self.sent(), repair_job, bytes[taken.consumed..].to_vec())
    }

    fn repair_job(&mut self) -> Box<RepairJob> {
        assert!(!self.protocol.takes_frames());
        match self.protocol.repair.take_job() {
            Some(BlockingJob::Repair(repair_job)) => repair_job,
            other => panic!("no repair but {other:?}"),
        }
    }

    /// A repair comes back; what goes upstream then.
    fn ended(&mut self, repair_job: Box<RepairJob>, ending: RepairConclusion) -> String {
        let outcome = RepairOutcome {
            ending,
            attempts: Vec::new(),
            evidence: DialectEvidence::None,
        };
        repair_finished(
            &mut self.protocol,
            repair_job,
            RepairResult::Ended(outcome, StepTimes::default()),
        )
        .unwrap();
        self.sent_texts()
    }

    /// What goes upstream, letter by letter, with the texts of Query and Parse.
    fn sent_texts(&mut self) -> String {
        let bytes = self.protocol.upstream.outbox.as_bytes().to_vec();
        self.protocol.upstream.outbox = Default::default();
        let mut shown = String::new();
        let mut rest = &bytes[..];
        while let Some((header, _)) = rest.split_first_chunk::<5>() {
            let length = u32::from_be_bytes([header[1], header[2], header[3], header[4]]);
            let (frame, after) = rest.split_at(1 + usize::try_from(length).unwrap());
            shown.push(char::from(header[0]));
            if matches!(header[0], b'Q' | b'P') {
                let body = String::from_utf8_lossy(&frame[5..]).replace('\0', "");
                shown.push_str(&format!("<{body}>"));
            }
            rest = after;
        }
        shown
    }

    /// What the client has been sent, and the fields of the error among it.
    fn told(&mut self) -> (String, [String; 4]) {
        let said = self.protocol.client.reply.split().to_vec();
        (letters(&said), fields(&said))
    }
}

fn fields(mut bytes: &[u8]) -> [String; 4] {
    while let Some((header, _)) = bytes.split_first_chunk::<5>() {
        let length = u32::from_be_bytes([header[1], header[2], header[3], header[4]]);
        let (frame, after) = bytes.split_at(1 + usize::try_from(length).unwrap());
        if header[0] == b'E' {
            let fields = error_fields(&frame[5..]).unwrap();
            return [b'C', b'M', b'D', b'H']
                .map(|kind| fields.get(kind).unwrap_or_default().to_owned());
        }
        bytes = after;
    }
    Default::default()
}

fn repaired(text: &str) -> RepairConclusion {
    let gate = Gate::new(Arc::new(Policy::agent()), Fingerprinter::new(None, [7; 32]));
    let names = SessionNames::of_no_database();
    let Verdict::Permitted(permit) = gate.judge(text.to_owned().into(), &names).verdict else {
        panic!("{text} is no read");
    };
    RepairConclusion::Repaired(RepairedStatement {
        permit: permit.wait(),
        recoverers: vec![Recoverer::UndefinedColumn],
        detail: "nope stands for 1".to_owned(),
    })
}

fn failed() -> RepairConclusion {
    RepairConclusion::Failed(RepairAdvice {
        detail: Some("RepairExhausted: undefined_column".to_owned()),
        hint: Some("There is no such column.".to_owned()),
    })
}

fn answer() -> [Vec<u8>; 4] {
    [
        message(b'T', b"\0\0"),
        row(),
        complete("SELECT 1"),
        ready(b'I'),
    ]
}

const FAILS: &str = "SELECT nope";
const FOREIGN: &str = "SELECT * FROM t LIMIT 6, 1";

#[test]
fn a_refused_query_is_repaired_before_it_is_sent() {
    let mut exchange = TestExchange::new();
    let (sent, repair_job, rest) = exchange.client_fails(&[query(FOREIGN), query("SELECT 3")]);
    assert_eq!((sent.as_str(), rest), ("", query("SELECT 3")));
    assert_eq!(
        exchange.ended(repair_job, repaired("SELECT 2")),
        "Q<SELECT 2>"
    );
    assert_eq!(exchange.upstream(&answer()), "TDNCZ");
    assert!(exchange.protocol.is_at_rest());
}

#[test]
fn a_refused_query_that_is_not_repaired_is_refused_with_advice() {
    let mut exchange = TestExchange::new();
    let (_, repair_job, _) = exchange.client_fails(&[query(FOREIGN)]);
    assert_eq!(exchange.ended(repair_job, failed()), "");
    let (letters, [code, _, detail, hint]) = exchange.told();
    assert_eq!((letters.as_str(), code.as_str()), ("EZ", "42601"));
    assert!(
        detail.ends_with("\nRepairExhausted: undefined_column"),
        "{detail}"
    );
    assert_eq!(hint, "There is no such column.");
    assert!(exchange.protocol.is_at_rest());
}

#[test]
fn a_rescue_that_does_not_end_leaves_all_as_it_was() {
    let mut exchange = TestExchange::new();
    let (_, repair_job, _) = exchange.client_fails(&[parse("", FOREIGN), bind("", "")]);
    repair_finished(&mut exchange.protocol, repair_job, RepairResult::Unended).unwrap();
    let (letters, [_, _, detail, _]) = exchange.told();
    assert_eq!(letters, "E");
    assert!(!detail.contains("Repair"));
    assert_eq!(exchange.client(&[bind("", ""), sync()]), "");
    assert_eq!(exchange.alone(), "Z");
}

#[test]
fn what_never_was_a_read_is_not_rescued() {
    let mut exchange = TestExchange::new();
    for text in [
        "DELETE FROM t",
        "SELECT pg_sleep(1)",
        "VACUUM",
        "SELECT 1; SELECT 2",
    ] {
        assert_eq!(exchange.client(&[query(text)]), "");
        assert_eq!(exchange.alone(), "EZ");
    }
}

#[test]
fn a_refused_statement_in_a_transaction_is_repaired_and_the_transaction_goes_on() {
    let mut exchange = TestExchange::new();
    exchange.client(&[query("BEGIN")]);
    exchange.upstream(&[complete("BEGIN"), ready(b'T')]);
    let (sent, repair_job, _) = exchange.client_fails(&[query(FOREIGN)]);
    assert_eq!(sent, "");
    assert_eq!(
        exchange.ended(repair_job, repaired("SELECT 2")),
        "Q<SELECT 2>"
    );
    let done = [row(), complete("SELECT 1"), ready(b'T')];
    assert_eq!(exchange.upstream(&done), "DNCZ");
    let (_, repair_job, _) = exchange.client_fails(&[query(FOREIGN)]);
    assert_eq!(
        exchange.ended(repair_job, failed()),
        "Q<pgsieve refused this statement>"
    );
    let got = exchange.upstream_bytes(&[error("42601"), ready(b'E')].concat());
    let [_, _, detail, _] = fields(&got);
    assert!(detail.contains("RepairExhausted"));
    // A transaction that has failed is left alone.
    assert!(exchange.client(&[query(FOREIGN)]).starts_with('Q'));
}

#[test]
fn a_query_that_fails_alone_is_repaired() {
    let mut exchange = TestExchange::new();
    assert_eq!(exchange.client(&[query(FAILS)]), "Q");
    assert_eq!(exchange.upstream(&[error("42703"), ready(b'I')]), "");
    let repair_job = exchange.repair_job();
    assert!(!exchange.protocol.pending.is_empty());
    assert!(exchange.protocol.pending.is_at_rest());
    assert_eq!(
        exchange.ended(repair_job, repaired("SELECT 1")),
        "Q<SELECT 1>"
    );
    assert_eq!(exchange.upstream(&answer()), "TDNCZ");
    assert!(exchange.protocol.is_at_rest());
}

#[test]
fn an_error_and_its_end_may_come_apart() {
    let mut exchange = TestExchange::new();
    exchange.client(&[query(FAILS)]);
    assert_eq!(exchange.upstream(&[error("42703")]), "");
    assert!(!exchange.protocol.takes_frames());
    assert!(exchange.protocol.repair.take_job().is_none());
    assert_eq!(exchange.upstream(&[ready(b'I')]), "");
    let repair_job = exchange.repair_job();
    assert_eq!(
        exchange.ended(repair_job, repaired("SELECT 1")),
        "Q<SELECT 1>"
    );
}

#[test]
fn a_query_that_cannot_be_repaired_fails_as_it_did_with_advice() {
    let mut exchange = TestExchange::new();
    exchange.client(&[query(FAILS)]);
    exchange.upstream(&[error("42703"), ready(b'I')]);
    let repair_job = exchange.repair_job();
    assert_eq!(exchange.ended(repair_job, failed()), "");
    let (letters, fields) = exchange.told();
    assert_eq!(letters, "EZ");
    let wanted = [
        "42703",
        "no",
        "RepairExhausted: undefined_column",
        "There is no such column.",
    ];
    assert_eq!(fields, wanted);
    assert!(exchange.protocol.is_at_rest());
    assert_eq!(exchange.client(&[query("SELECT 1")]), "Q");
}

#[test]
fn a_repair_that_fails_when_it_runs_gives_its_own_error() {
    for (second, told, wanted) in [
        ("22012", "22012", "TNEZ"),
        ("22P02", "22P02", "TNEZ"),
        ("57014", "57014", "TNEZ"),
        ("42P01", "42703", "TEZ"),
    ] {
        let mut exchange = TestExchange::new();
        exchange.client(&[query(FAILS)]);
        exchange.upstream(&[error("42703"), ready(b'I')]);
        let repair_job = exchange.repair_job();
        exchange.ended(repair_job, repaired("SELECT 1"));
        let bytes = [message(b'T', b"\0\0"), error(second), ready(b'I')].concat();
        let got = exchange.upstream_bytes(&bytes);
        assert_eq!(letters(&got), wanted);
        assert_eq!(fields(&got)[0], told);
        assert!(exchange.protocol.is_at_rest());
    }
}

#[test]
fn rows_of_a_repair_that_breaks_off_are_announced() {
    let mut exchange = TestExchange::new();
    exchange.client(&[query(FAILS)]);
    exchange.upstream(&[error("42703"), ready(b'I')]);
    let repair_job = exchange.repair_job();
    exchange.ended(repair_job, repaired("SELECT 1"));
    let answer = [message(b'T', b"\0\0"), row(), error("22012"), ready(b'I')];
    assert_eq!(exchange.upstream(&answer), "TDNEZ");
}

#[test]
fn other_errors_pass_at_once() {
    for code in ["22012", "42501", "57014", "53300", "08006"] {
        let mut exchange = TestExchange::new();
        exchange.client(&[query(FAILS)]);
        assert_eq!(
            exchange.upstream(&[error(code), ready(b'I')]),
            "EZ",
            "{code}"
        );
        exchange.client(&[parse("", FAILS), sync()]);
        assert_eq!(
            exchange.upstream(&[error(code), ready(b'I')]),
            "EZ",
            "{code}"
        );
    }
}

#[test]
fn an_error_behind_part_of_an_answer_passes() {
    let mut exchange = TestExchange::new();
    exchange.client(&[query(FAILS)]);
    assert_eq!(exchange.upstream(&[message(b'T', b"\0\0")]), "T");
    assert_eq!(exchange.upstream(&[error("22P02"), ready(b'I')]), "EZ");
    let mut exchange = TestExchange::new();
    exchange.client(&[query(FAILS)]);
    let answer = [message(b'T', b"\0\0"), row(), error("22P02"), ready(b'I')];
    assert_eq!(exchange.upstream(&answer), "TDEZ");
}

/// The server describes the result of a simple query before it runs it.
#[test]
fn a_description_right_before_an_error_waits_with_it() {
    let described = message(b'T', b"\0\0");
    let mut exchange = TestExchange::new();
    exchange.client(&[query(FAILS)]);
    let failing = [described.clone(), error("22P02"), ready(b'I')];
    assert_eq!(exchange.upstream(&failing), "");
    let repair_job = exchange.repair_job();
    assert_eq!(
        exchange.ended(repair_job, repaired("SELECT 1")),
        "Q<SELECT 1>"
    );
    assert_eq!(exchange.upstream(&answer()), "TDNCZ");
    exchange.client(&[query(FAILS)]);
    let failing = [described, error("22012"), ready(b'I')];
    assert_eq!(exchange.upstream(&failing), "TEZ");
}

#[test]
fn a_read_that_failed_for_the_moment_is_sent_again() {
    let mut exchange = TestExchange::new();
    exchange.client(&[query("SELECT 1")]);
    for _ in 0..limits::RETRIES_MAX {
        let answer = [message(b'T', b"\0\0"), error("40001"), ready(b'I')];
        assert_eq!(exchange.upstream(&answer), "");
        let repair_job = exchange.repair_job();
        repair_finished(&mut exchange.protocol, repair_job, RepairResult::Paused).unwrap();
        assert_eq!(exchange.sent_texts(), "Q<SELECT 1>");
    }
    assert_eq!(exchange.upstream(&[error("40001"), ready(b'I')]), "EZ");
    exchange.client(&[parse("", "SELECT 1"), bind("", ""), sync()]);
    assert_eq!(exchange.upstream(&[error("40001"), ready(b'I')]), "");
    let repair_job = exchange.repair_job();
    repair_finished(&mut exchange.protocol, repair_job, RepairResult::Paused).unwrap();
    assert_eq!(exchange.sent_texts(), "P<SELECT 1>BS");
    assert_eq!(
        exchange.upstream(&[empty(b'1'), empty(b'2'), ready(b'I')]),
        "12Z"
    );
    assert!(exchange.protocol.is_at_rest());
}

#[test]
fn who_wants_no_repairs_gets_the_error_at_once_and_is_sent_again_for_the_moment() {
    let mut exchange = TestExchange::new();
    let unwanted = ("pgsieve.repairs".to_owned(), "off".to_owned());
    exchange.protocol.context.client_settings = ClientSettings::at_startup(&[unwanted]);
    exchange.client(&[query(FAILS)]);
    let described = message(b'T', b"\0\0");
    let failing = [described, error("42703"), ready(b'I')];
    assert_eq!(exchange.upstream(&failing), "TEZ");
    exchange.client(&[parse("", FAILS), bind("", ""), sync()]);
    assert_eq!(exchange.upstream(&[error("42703"), ready(b'I')]), "EZ");
    exchange.client(&[query("SELECT 1")]);
    assert_eq!(exchange.upstream(&[error("40001"), ready(b'I')]), "");
    let repair_job = exchange.repair_job();
    repair_finished(&mut exchange.protocol, repair_job, RepairResult::Paused).unwrap();
    assert_eq!(exchange.sent_texts(), "Q<SELECT 1>");
}

#[test]
fn what_the_client_cancels_ends() {
    let mut exchange = TestExchange::new();
    exchange.client(&[query(FAILS)]);
    exchange.upstream(&[error("42703"), ready(b'I')]);
    let repair_job = exchange.repair_job();
    repair_finished(&mut exchange.protocol, repair_job, RepairResult::Cancelled).unwrap();
    let (letters, [code, ..]) = exchange.told();
    assert_eq!((letters.as_str(), code.as_str()), ("EZ", "57014"));
    assert!(exchange.protocol.is_at_rest());
    let (_, repair_job, _) = exchange.client_fails(&[query(FOREIGN)]);
    repair_finished(&mut exchange.protocol, repair_job, RepairResult::Cancelled).unwrap();
    assert_eq!(exchange.told().0, "EZ");
}

/// Expects a text to fail, as a snapshot would have it.
fn doubt(exchange: &mut TestExchange, text: &str) {
    let effect_graph =
        EffectGraph::new(Arc::new(CatalogFixture::new(15).build()), &Policy::agent());
    let protocol = &mut exchange.protocol;
    protocol
        .context
        .names
        .set_effect_graph(Some(Arc::new(effect_graph)));
    let mut cache = protocol.judge.cache.lock().unwrap();
    for _ in 0..3 {
        let judgement = cache.judge(&protocol.judge.gate, text.into(), &protocol.context.names);
        judgement
            .facts
            .forecast
            .get_or_init(|| RunForecast::MayFail);
    }
}

#[test]
fn what_is_expected_to_fail_in_a_transaction_is_tried_first() {
    let text = "SELECT 1 + 1";
    let (done, none) = (RepairConclusion::NotNeeded, RepairAdvice::default());
    for (ending, sent) in [
        (repaired("SELECT 3"), "Q<SELECT 3>"),
        (done, "Q<SELECT 1 + 1>"),
        (RepairConclusion::Failed(none), "Q<SELECT 1 + 1>"),
    ] {
        let mut exchange = TestExchange::new();
        exchange.client(&[query("BEGIN")]);
        exchange.upstream(&[complete("BEGIN"), ready(b'T')]);
        doubt(&mut exchange, text);
        let (before, repair_job, _) = exchange.client_fails(&[query(text)]);
        assert_eq!(before, "");
        assert_eq!(exchange.ended(repair_job, ending), sent);
        let got = exchange.upstream(&[row(), complete("SELECT 1"), ready(b'T')]);
        assert_eq!(got.replace('N', ""), "DCZ");
    }
    // Alone, outside of a transaction, it is sent at once.
    let mut exchange = TestExchange::new();
    doubt(&mut exchange, text);
    assert_eq!(exchange.client(&[query(text)]), "Q");
}

#[test]
fn what_is_expected_to_fail_before_other_statements_is_tried_first() {
    let text = "SELECT 1 + 1";
    for behind in [query("SELECT 1"), parse("", "SELECT 1"), message(b'H', b"")] {
        let mut exchange = TestExchange::new();
        doubt(&mut exchange, text);
        let (before, repair_job, rest) = exchange.client_fails(&[query(text), behind.clone()]);
        assert_eq!((before.as_str(), rest), ("", behind));
        assert_eq!(
            exchange.ended(repair_job, repaired("SELECT 3")),
            "Q<SELECT 3>"
        );
        let got = exchange.upstream(&[row(), complete("SELECT 1"), ready(b'I')]);
        assert_eq!(got.replace('N', ""), "DCZ");
    }
}

#[test]
fn what_failed_as_expected_fails_with_advice() {
    let text = "SELECT 1 + 1";
    for code in ["42703", "57014"] {
        let mut exchange = TestExchange::new();
        doubt(&mut exchange, text);
        let (_, repair_job, rest) =
            exchange.client_fails(&[parse("s", text), bind("", "s"), sync()]);
        assert_eq!(exchange.ended(repair_job, failed()), "P<sSELECT 1 + 1>");
        exchange.client(&[rest]);
        let got = exchange.upstream_bytes(&[error(code), ready(b'I')].concat());
        assert_eq!(letters(&got), "EZ");
        let [got, _, detail, _] = fields(&got);
        assert_eq!(got, code);
        // What was cancelled was not misspelt.
        assert_eq!(detail.is_empty(), code == "57014");
    }
}

#[test]
fn an_error_meanwhile_drops_what_is_rescued() {
    let text = "SELECT 1 + 1";
    let mut exchange = TestExchange::new();
    exchange.client(&[parse("", "SELECT 2"), bind("", ""), execute("")]);
    doubt(&mut exchange, text);
    let (_, repair_job, _) = exchange.client_fails(&[parse("", text)]);
    exchange.upstream(&[empty(b'1'), empty(b'2'), error("22012")]);
    assert_eq!(exchange.ended(repair_job, repaired("SELECT 3")), "");
    assert_eq!(exchange.client(&[bind("", ""), sync()]), "S");
    assert_eq!(exchange.upstream(&[ready(b'I')]), "Z");
    assert!(exchange.protocol.is_at_rest());
}

#[test]
fn an_error_with_something_behind_it_passes() {
    for behind in [query("SELECT 1"), parse("", "SELECT 1"), message(b'H', b"")] {
        let mut exchange = TestExchange::new();
        exchange.client(&[query(FAILS), behind]);
        assert_eq!(exchange.upstream(&[error("42703"), ready(b'I')]), "EZ");
    }
    let mut exchange = TestExchange::new();
    exchange.client(&[query("SELECT 1"), query(FAILS)]);
    let [first, second, third, fourth] = answer();
    let answers = [first, second, third, fourth, error("42703"), ready(b'I')];
    assert_eq!(exchange.upstream(&answers), "TDCZEZ");
}

#[test]
fn a_batch_whose_parse_fails_is_sent_again() {
    let mut exchange = TestExchange::new();
    let batch = [parse("", FAILS), bind("", ""), execute(""), sync()];
    assert_eq!(exchange.client(&batch), "PBES");
    assert_eq!(exchange.upstream(&[error("42703"), ready(b'I')]), "");
    let repair_job = exchange.repair_job();
    assert_eq!(
        exchange.ended(repair_job, repaired("SELECT 1")),
        "P<SELECT 1>BES"
    );
    let answer = [
        empty(b'1'),
        empty(b'2'),
        row(),
        complete("SELECT 1"),
        ready(b'I'),
    ];
    assert_eq!(exchange.upstream(&answer), "N12DCZ");
    assert!(exchange.protocol.is_at_rest());
    // What is prepared now is what runs.
    assert_eq!(exchange.client(&[bind("", ""), execute(""), sync()]), "BES");
}

#[test]
fn a_batch_that_waits_for_its_flush_is_repaired_before_its_sync() {
    let mut exchange = TestExchange::new();
    let describe = || message(b'D', b"Ss\0");
    let flush = || message(b'H', b"");
    assert_eq!(
        exchange.client(&[parse("s", FAILS), describe(), flush()]),
        "PDH"
    );
    assert_eq!(exchange.upstream(&[error("42703")]), "");
    // The upstream is told where the batch ends, and the client hears nothing of it.
    assert_eq!(exchange.sent(), "S");
    assert_eq!(exchange.upstream(&[ready(b'I')]), "");
    let repair_job = exchange.repair_job();
    assert_eq!(
        exchange.ended(repair_job, repaired("SELECT 1")),
        "P<sSELECT 1>DH"
    );
    let answer = [empty(b'1'), message(b't', b"\0\0"), message(b'T', b"\0\0")];
    assert_eq!(exchange.upstream(&answer), "N1tT");
    assert_eq!(
        exchange.client(&[bind("", "s"), execute(""), sync()]),
        "BES"
    );
    let answer = [empty(b'2'), row(), complete("SELECT 1"), ready(b'I')];
    assert_eq!(exchange.upstream(&answer), "2DCZ");
    assert!(exchange.protocol.is_at_rest());
}

#[test]
fn a_batch_that_is_not_repaired_is_skipped_to_its_sync() {
    for (whole, letters) in [(true, "EZ"), (false, "E")] {
        let mut exchange = TestExchange::new();
        let mut batch = vec![parse("s", FAILS), bind("", "s"), execute("")];
        if whole {
            batch.push(sync());
        }
        exchange.client(&batch);
        assert_eq!(exchange.upstream(&[error("42703")]), "");
        exchange.sent();
        exchange.upstream(&[ready(b'I')]);
        let repair_job = exchange.repair_job();
        assert_eq!(exchange.ended(repair_job, failed()), "");
        let (got, [code, ..]) = exchange.told();
        assert_eq!((got.as_str(), code.as_str()), (letters, "42703"));
        if !whole {
            assert_eq!(exchange.client(&[bind("", "s"), sync()]), "");
            assert_eq!(exchange.alone(), "Z");
        }
        assert!(exchange.protocol.is_at_rest());
        // The name stands for nothing.
        assert_eq!(exchange.client(&[bind("", "s"), sync()]), "");
        let (_, [code, ..]) = exchange.told();
        assert_eq!(code, "26000");
    }
}

#[test]
fn what_a_failed_batch_would_have_closed_is_closed_when_it_is_sent_again() {
    let mut exchange = TestExchange::new();
    exchange.client(&[parse("old", "SELECT 1"), sync()]);
    exchange.upstream(&[empty(b'1'), ready(b'I')]);
    let batch = [
        close("before"),
        parse("", FAILS),
        close("old"),
        parse("second", "SELECT 2"),
        sync(),
    ];
    assert_eq!(exchange.client(&batch), "CPCPS");
    assert_eq!(
        exchange.upstream(&[empty(b'3'), error("42703"), ready(b'I')]),
        "3"
    );
    let repair_job = exchange.repair_job();
    assert_eq!(
        exchange.ended(repair_job, repaired("SELECT 1")),
        "P<SELECT 1>CP<secondSELECT 2>S"
    );
    let answer = [empty(b'1'), empty(b'3'), empty(b'1'), ready(b'I')];
    assert_eq!(exchange.upstream(&answer), "N131Z");
    assert_eq!(exchange.client(&[bind("", "old"), sync()]), "");
    assert_eq!(exchange.told().1[0], "26000");
    assert_eq!(exchange.client(&[bind("", "second"), sync()]), "BS");
}

#[test]
fn a_batch_sent_again_may_need_a_second_rescue() {
    let mut exchange = TestExchange::new();
    exchange.client(&[parse("", FAILS), bind("", ""), sync()]);
    exchange.upstream(&[error("42703"), ready(b'I')]);
    let repair_job = exchange.repair_job();
    exchange.ended(repair_job, repaired("SELECT 1"));
    // The repaired text failed after all: the client gets its own error.
    let got = exchange.upstream_bytes(&[error("42P01"), ready(b'I')].concat());
    assert_eq!(letters(&got), "EZ");
    let [code, _, detail, _] = fields(&got);
    assert_eq!(
        (code.as_str(), detail.as_str()),
        ("42703", "RepairExhausted: undefined_column")
    );
    assert!(exchange.protocol.is_at_rest());
}

#[test]
fn what_stands_in_a_pipeline_fails_as_it_always_did() {
    let batch = |text: &str| [parse("", text), bind("", ""), execute(""), sync()].concat();
    let ok = [
        empty(b'1'),
        empty(b'2'),
        row(),
        complete("SELECT 1"),
        ready(b'I'),
    ];
    let mut exchange = TestExchange::new();
    exchange.client(&[batch(FAILS), batch("SELECT 1")]);
    assert_eq!(exchange.upstream(&[error("42703"), ready(b'I')]), "EZ");
    assert_eq!(exchange.upstream(&ok), "12DCZ");
    exchange.client(&[batch("SELECT 1"), batch(FAILS)]);
    assert_eq!(exchange.upstream(&ok), "12DCZ");
    assert_eq!(exchange.upstream(&[error("42703"), ready(b'I')]), "EZ");
    assert!(exchange.protocol.is_at_rest());
    // Alone it is repaired again.
    exchange.client(&[batch(FAILS)]);
    assert_eq!(exchange.upstream(&[error("42703"), ready(b'I')]), "");
    assert_eq!(exchange.repair_job().cause_name(), "failed");
}

#[test]
fn a_batch_too_long_to_be_kept_fails_as_it_always_did() {
    let mut exchange = TestExchange::new();
    let long = message(
        b'B',
        &[&b"\0\0\0\0\0\x01\0\x03\0\0"[..], &[b'x'; 0x30000], b"\0\0"].concat(),
    );
    exchange.client(&[parse("", FAILS), long, sync()]);
    assert_eq!(exchange.upstream(&[error("42703"), ready(b'I')]), "EZ");
}

#[test]
fn in_a_transaction_nothing_is_held_back() {
    let mut exchange = TestExchange::new();
    exchange.client(&[query("BEGIN")]);
    exchange.upstream(&[complete("BEGIN"), ready(b'T')]);
    exchange.client(&[query(FAILS)]);
    assert_eq!(exchange.upstream(&[error("42703"), ready(b'E')]), "EZ");
}

#[test]
fn a_client_that_wants_no_notices_gets_none() {
    let mut exchange = TestExchange::new();
    exchange.client(&[query("SET client_min_messages = warning")]);
    exchange.upstream(&[complete("SET"), ready(b'I')]);
    let (_, repair_job, _) = exchange.client_fails(&[query(FOREIGN)]);
    exchange.ended(repair_job, repaired("SELECT 2"));
    assert_eq!(exchange.upstream(&answer()), "TDCZ");
}

/// A client that hears of an error sends what comes next before it hears that the upstream is
/// ready.
#[test]
fn what_comes_right_behind_an_error_is_repaired_as_well() {
    let batch = |text: &str| [parse("", text), bind("", ""), execute(""), sync()].concat();
    let divided = [empty(b'1'), empty(b'2'), error("22012")];
    for (first, answer) in [
        (query("SELECT 1/0"), &divided[2..]),
        (batch("SELECT 1/0"), &divided),
    ] {
        for second in [query(FAILS), batch(FAILS)] {
            let mut exchange = TestExchange::new();
            exchange.client(from_ref(&first));
            assert!(exchange.upstream(answer).ends_with('E'));
            exchange.client(from_ref(&second));
            assert_eq!(exchange.upstream(&[ready(b'I')]), "Z");
            assert_eq!(exchange.upstream(&[error("42703"), ready(b'I')]), "");
            let repair_job = exchange.repair_job();
            assert!(
                exchange
                    .ended(repair_job, repaired("SELECT 1"))
                    .contains("<SELECT 1>")
            );
            // Where a transaction has failed nothing is repaired.
            let mut exchange = TestExchange::new();
            exchange.client(from_ref(&first));
            exchange.upstream(answer);
            exchange.client(&[second]);
            assert_eq!(exchange.upstream(&[ready(b'E')]), "Z");
            assert_eq!(exchange.upstream(&[error("42703"), ready(b'E')]), "EZ");
        }
    }
}

#[test]
fn what_follows_a_parse_that_nothing_helps_is_repaired() {
    let batch = |text: &str| [parse("", text), bind("", ""), execute(""), sync()].concat();
    let mut exchange = TestExchange::new();
    exchange.client(&[batch("SELECT secret")]);
    assert_eq!(exchange.upstream(&[error("42501"), ready(b'I')]), "EZ");
    exchange.client(&[batch(FAILS)]);
    assert_eq!(exchange.upstream(&[error("42703"), ready(b'I')]), "");
    assert_eq!(exchange.repair_job().cause_name(), "failed");
}
