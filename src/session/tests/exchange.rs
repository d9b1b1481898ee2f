//! Message tables: what goes to whom, in which order, for every kind of exchange. Test code only.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::BytesMut;

use crate::engine::Engine;
use crate::gate::Gate;
use crate::gate::cache::JudgementCache;
use crate::policy::set::matching::SessionTraits;
use crate::policy::{LivePolicies, Policy, PolicySet};
use crate::session::context::client_settings::ClientSettings;
use crate::session::context::model_values::LoginFacts;
use crate::session::context::reported_role::ReportAs;
use crate::session::policy_limits::SessionLimits;
use crate::session::policy_store::{
    PolicyStore, RecordedNames, RecordedQueryIds, RecordedTexts, StatementRecording,
};
use crate::session::protocol::{SessionProtocol, UpstreamFacts, WorkerShared};
use crate::session::repair::BlockingJob;
use crate::session::repair::executor::RepairExecutor;
use crate::session::reply::CloseReason;
use crate::session::scheduling::large_text::{LargeTextJudgement, large_text_judged};
use crate::session::session_end::SessionEnd;
use crate::session::upstream_side::SelfReport;
use crate::sql::fingerprint::Fingerprinter;
use crate::telemetry::Telemetry;
use crate::telemetry::labels::Tripwire;
use crate::telemetry::session_info::SessionInfo;

/// A session with bytes at both ends.
pub(in crate::session) struct TestExchange {
    pub(in crate::session) protocol: SessionProtocol,
}

impl TestExchange {
    pub(in crate::session) fn new() -> Self {
        Self::with(SelfReport::Reported)
    }

    fn with(self_report: SelfReport) -> Self {
        Self::under(Policy::agent(), LoginFacts::default(), self_report)
    }

    pub(in crate::session) fn under(
        policy: Policy,
        known: LoginFacts,
        self_report: SelfReport,
    ) -> Self {
        Self::placed(
            &shared(policy),
            SessionTraits::default(),
            known,
            self_report,
        )
    }

    /// One of several sessions.
    pub(in crate::session) fn of(shared: &WorkerShared, traits: SessionTraits) -> Self {
        Self::placed(shared, traits, LoginFacts::default(), SelfReport::Reported)
    }

    pub(in crate::session) fn placed(
        shared: &WorkerShared,
        traits: SessionTraits,
        known: LoginFacts,
        self_report: SelfReport,
    ) -> Self {
        let assigned_policy = shared.policy_store.assign(&Arc::new(traits)).unwrap();
        let policy = assigned_policy.gate.policy();
        let info = SessionInfo::accepted(1, "127.0.0.1:1");
        let info = Arc::new(info.under(policy.name(), policy.version()));
        let upstream = UpstreamFacts {
            user: "reader".to_owned(),
            server_major: 15,
            engine: Engine::Postgres,
            server: None,
            self_report,
            report_as: ReportAs::Upstream,
            known,
            statement_timeout: None,
            search_path: "public".to_owned(),
            catalog_cache: None,
            compile_pool: None,
            signals: None,
            client_settings: ClientSettings::default(),
            session_limits: SessionLimits::default(),
        };
        Self {
            protocol: SessionProtocol::new(shared, assigned_policy, info, upstream),
        }
    }

    /// The client sends; returns what goes upstream, one letter a message.
    pub(in crate::session) fn client(&mut self, messages: &[Vec<u8>]) -> String {
        let bytes = messages.concat();
        self.protocol.client_bytes(&bytes).unwrap();
        assert!(self.protocol.repair.take_job().is_none());
        self.sent()
    }

    pub(in crate::session) fn client_ends(&mut self, message: &[u8]) -> SessionEnd {
        self.protocol.client_bytes(message).unwrap_err()
    }

    pub(in crate::session) fn sent(&mut self) -> String {
        let sent = letters(self.protocol.upstream.outbox.as_bytes());
        self.protocol.upstream.outbox = Default::default();
        sent
    }

    /// The upstream sends; returns what the client gets, one letter a message.
    pub(in crate::session) fn upstream(&mut self, messages: &[Vec<u8>]) -> String {
        letters(&self.upstream_bytes(&messages.concat()))
    }

    pub(in crate::session) fn upstream_bytes(&mut self, bytes: &[u8]) -> Vec<u8> {
        let passed = self.protocol.upstream_bytes(bytes).unwrap();
        assert_eq!(passed.consumed, bytes.len());
        let mut got = self.protocol.client.reply.split().to_vec();
        got.extend_from_slice(&bytes[passed.tail]);
        got
    }

    pub(in crate::session) fn upstream_ends(&mut self, messages: &[Vec<u8>]) -> SessionEnd {
        self.protocol
            .upstream_bytes(&messages.concat())
            .unwrap_err()
    }

    /// What pgsieve said by itself.
    pub(in crate::session) fn alone(&mut self) -> String {
        letters(&self.protocol.client.reply.split())
    }
}

/// What the sessions of one worker share.
pub(in crate::session) fn shared(policy: Policy) -> WorkerShared {
    let live = Arc::new(LivePolicies::new(PolicySet::only(Arc::new(policy))));
    let recording = StatementRecording {
        fingerprinter: Fingerprinter::new(None, [7; 32]),
        names: RecordedNames::None,
        texts: RecordedTexts::None,
        queryids: RecordedQueryIds::None,
    };
    WorkerShared {
        policy_store: Arc::new(PolicyStore::new(live, Some(recording))),
        cache: Arc::new(Mutex::new(JudgementCache::default())),
        plans: Arc::default(),
        telemetry: Telemetry::quiet().unwrap(),
        repair_executor: Arc::new(RepairExecutor::new()),
        receipt_issuer: None,
    }
}

pub(in crate::session) fn letters(mut bytes: &[u8]) -> String {
    let mut letters = String::new();
    while let Some((header, _)) = bytes.split_first_chunk::<5>() {
        letters.push(char::from(header[0]));
        let length = u32::from_be_bytes([header[1], header[2], header[3], header[4]]);
        bytes = &bytes[1 + usize::try_from(length).unwrap()..];
    }
    assert!(bytes.is_empty());
    letters
}

pub(in crate::session) fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap();
    [&[kind][..], &length.to_be_bytes(), body].concat()
}

pub(in crate::session) fn query(text: &str) -> Vec<u8> {
    message(b'Q', &[text.as_bytes(), b"\0"].concat())
}

pub(in crate::session) fn parse(name: &str, text: &str) -> Vec<u8> {
    message(
        b'P',
        &[name.as_bytes(), b"\0", text.as_bytes(), b"\0\0\0"].concat(),
    )
}

pub(in crate::session) fn bind(portal: &str, name: &str) -> Vec<u8> {
    message(
        b'B',
        &[portal.as_bytes(), b"\0", name.as_bytes(), b"\0\0\0\0\0\0\0"].concat(),
    )
}

pub(in crate::session) fn execute(portal: &str) -> Vec<u8> {
    message(b'E', &[portal.as_bytes(), b"\0\0\0\0\0"].concat())
}

pub(in crate::session) fn close(name: &str) -> Vec<u8> {
    message(b'C', &[b"S", name.as_bytes(), b"\0"].concat())
}

pub(in crate::session) fn sync() -> Vec<u8> {
    message(b'S', b"")
}

pub(in crate::session) fn ready(status: u8) -> Vec<u8> {
    message(b'Z', &[status])
}

pub(in crate::session) fn complete(tag: &str) -> Vec<u8> {
    message(b'C', &[tag.as_bytes(), b"\0"].concat())
}

pub(in crate::session) fn row() -> Vec<u8> {
    message(b'D', b"\0\x01\0\0\0\x011")
}

pub(in crate::session) fn error(sqlstate: &str) -> Vec<u8> {
    let fields = ["SERROR\0VERROR\0C", sqlstate, "\0Mno\0\0"].concat();
    message(b'E', fields.as_bytes())
}

pub(in crate::session) fn empty(kind: u8) -> Vec<u8> {
    message(kind, b"")
}

fn reported(name: &str, value: &str) -> Vec<u8> {
    message(
        b'S',
        &[name.as_bytes(), b"\0", value.as_bytes(), b"\0"].concat(),
    )
}

#[test]
fn a_read_passes_in_both_directions() {
    let mut exchange = TestExchange::new();
    assert_eq!(exchange.client(&[query("SELECT 1")]), "Q");
    let answer = [
        message(b'T', b"\0\0"),
        row(),
        complete("SELECT 1"),
        ready(b'I'),
    ];
    assert_eq!(exchange.upstream(&answer), "TDCZ");
    assert!(exchange.protocol.is_at_rest());
}

#[test]
fn a_refusal_at_rest_never_reaches_the_upstream() {
    let mut exchange = TestExchange::new();
    assert_eq!(exchange.client(&[query("DELETE FROM t")]), "");
    assert_eq!(exchange.alone(), "EZ");
    assert_eq!(
        exchange.client(&[parse("", "DELETE FROM t"), bind("", ""), execute("")]),
        ""
    );
    assert_eq!(exchange.alone(), "E");
    assert_eq!(exchange.client(&[query("SELECT 1"), sync()]), "");
    assert_eq!(exchange.alone(), "Z");
    assert_eq!(exchange.client(&[query("SELECT 1")]), "Q");
}

#[test]
fn a_refusal_in_a_transaction_fails_it_at_the_upstream() {
    let mut exchange = TestExchange::new();
    exchange.client(&[query("BEGIN")]);
    exchange.upstream(&[complete("BEGIN"), ready(b'T')]);
    assert_eq!(exchange.client(&[query("DELETE FROM t")]), "Q");
    let got = exchange.upstream_bytes(&[error("42601"), ready(b'E')].concat());
    assert_eq!(letters(&got), "EZ");
    let text = String::from_utf8_lossy(&got);
    assert!(text.contains("25006") && !text.contains("42601"), "{text}");
}

#[test]
fn a_refusal_in_a_pipeline_comes_after_earlier_answers_and_skips_to_sync() {
    let mut exchange = TestExchange::new();
    let sent = exchange.client(&[
        parse("", "SELECT 1"),
        bind("", ""),
        execute(""),
        parse("", "DELETE FROM t"),
        bind("", ""),
        execute(""),
        sync(),
        query("SELECT 2"),
    ]);
    assert_eq!(sent, "PBEPSQ");
    let first = [empty(b'1'), empty(b'2'), row(), complete("SELECT 1")];
    assert_eq!(exchange.upstream(&first), "12DC");
    assert_eq!(exchange.upstream(&[error("42601"), ready(b'I')]), "EZ");
    assert_eq!(
        exchange.upstream(&[row(), complete("SELECT 1"), ready(b'I')]),
        "DCZ"
    );
}

#[test]
fn an_earlier_error_swallows_the_refusal_as_it_swallows_everything_up_to_sync() {
    let mut exchange = TestExchange::new();
    let batch = [parse("", "SELECT nope"), parse("", "DELETE FROM t"), sync()];
    assert_eq!(exchange.client(&batch), "PPS");
    assert_eq!(exchange.upstream(&[error("42703"), ready(b'I')]), "EZ");
    assert!(exchange.protocol.is_at_rest());
}

#[test]
fn what_follows_an_error_before_sync_is_dropped() {
    let mut exchange = TestExchange::new();
    exchange.client(&[parse("", "SELECT nope")]);
    exchange.upstream(&[error("42501")]);
    assert_eq!(
        exchange.client(&[parse("", "SELECT 1"), query("SELECT 1")]),
        ""
    );
    assert_eq!(exchange.client(&[sync()]), "S");
    assert_eq!(exchange.upstream(&[ready(b'I')]), "Z");
}

#[test]
fn unknown_names_are_refused_like_the_server_would() {
    let mut exchange = TestExchange::new();
    assert_eq!(exchange.client(&[bind("", "nobody"), sync()]), "");
    let said = exchange.protocol.client.reply.split();
    assert!(String::from_utf8_lossy(&said).contains("26000"));
    assert_eq!(exchange.client(&[execute("nobody"), sync()]), "");
    let said = exchange.protocol.client.reply.split();
    assert!(String::from_utf8_lossy(&said).contains("34000"));
}

#[test]
fn a_name_closed_and_prepared_again_in_one_pipeline_is_known() {
    let mut exchange = TestExchange::new();
    let batch = [
        parse("s", "SELECT 1"),
        close("s"),
        parse("s", "SELECT 1"),
        sync(),
        bind("", "s"),
        sync(),
    ];
    assert_eq!(exchange.client(&batch), "PCPSBS");
    let answer = [
        empty(b'1'),
        empty(b'3'),
        empty(b'1'),
        ready(b'I'),
        empty(b'2'),
        ready(b'I'),
    ];
    assert_eq!(exchange.upstream(&answer), "131Z2Z");
    assert_eq!(exchange.client(&[bind("", "s")]), "B");
}

#[test]
fn a_close_that_the_upstream_skipped_forgets_nothing() {
    let mut exchange = TestExchange::new();
    exchange.client(&[parse("s", "SELECT 1"), sync()]);
    exchange.upstream(&[empty(b'1'), ready(b'I')]);
    exchange.client(&[parse("", "SELECT nope"), close("s"), sync()]);
    exchange.upstream(&[error("42501"), ready(b'I')]);
    assert_eq!(exchange.client(&[bind("", "s")]), "B");
}

#[test]
fn a_tag_of_a_write_trips() {
    for tag in ["INSERT 0 1", "CREATE TABLE", "DO", "SELECT INTO"] {
        let mut exchange = TestExchange::new();
        exchange.client(&[query("SELECT 1")]);
        assert_eq!(
            exchange.upstream_ends(&[complete(tag)]),
            SessionEnd::Tripped(Tripwire::WriteTag)
        );
    }
}

#[test]
fn settings_that_open_the_session_trip() {
    for (name, value) in [
        ("default_transaction_read_only", "off"),
        ("client_encoding", "SJIS"),
        ("standard_conforming_strings", "off"),
        ("session_authorization", "postgres"),
    ] {
        let mut exchange = TestExchange::new();
        let ending = exchange.upstream_ends(&[reported(name, value)]);
        assert!(matches!(ending, SessionEnd::Tripped(_)), "{name}");
    }
    assert_eq!(
        TestExchange::new().upstream(&[reported("TimeZone", "UTC")]),
        "S"
    );
}

#[test]
fn copy_in_trips_and_strays_are_violations() {
    let mut exchange = TestExchange::new();
    exchange.client(&[query("SELECT 1")]);
    let asked = message(b'G', b"\0\0\0");
    assert_eq!(
        exchange.upstream_ends(&[asked]),
        SessionEnd::Tripped(Tripwire::CopyInAsked)
    );
    let stray = TestExchange::new().client_ends(&message(b'd', b"x"));
    assert!(matches!(
        stray,
        SessionEnd::Ended(CloseReason::Violation(_))
    ));
    let mut exchange = TestExchange::new();
    exchange.client(&[query("COPY t FROM STDIN")]);
    assert_eq!(exchange.alone(), "EZ");
    assert_eq!(exchange.client(&[message(b'd', b"x"), empty(b'c')]), "");
}

#[test]
fn answers_that_were_not_asked_for_end_the_session() {
    for answer in [
        empty(b'1'),
        row(),
        complete("SELECT 1"),
        ready(b'I'),
        message(b'T', b"\0\0"),
    ] {
        let ending = TestExchange::new().upstream_ends(&[answer]);
        assert_eq!(ending, SessionEnd::Ended(CloseReason::UpstreamUnreadable));
    }
}

#[test]
fn an_answer_cut_at_any_byte_arrives_whole() {
    let answer = [
        message(b'T', b"\0\0"),
        row(),
        message(b'N', b"SNOTICE\0\0"),
        reported("TimeZone", "UTC"),
        row(),
        complete("SELECT 2"),
        ready(b'I'),
    ]
    .concat();
    for cut in 0..answer.len() {
        let mut exchange = TestExchange::new();
        exchange.client(&[query("SELECT 1")]);
        let mut got = BytesMut::new();
        let mut rest: Vec<u8> = Vec::new();
        for part in [&answer[..cut], &answer[cut..]] {
            rest.extend_from_slice(part);
            let passed = exchange.protocol.upstream_bytes(&rest).unwrap();
            got.extend_from_slice(&exchange.protocol.client.reply.split());
            got.extend_from_slice(&rest[passed.tail.clone()]);
            rest.drain(..passed.consumed);
        }
        assert_eq!(&got[..], &answer[..], "cut at {cut}");
    }
}

#[test]
fn a_clamped_value_is_announced_before_the_answer_ends() {
    let mut exchange = TestExchange::new();
    assert_eq!(exchange.client(&[query("SET statement_timeout = 0")]), "Q");
    assert_eq!(exchange.upstream(&[complete("SET"), ready(b'I')]), "NCZ");
    let mut exchange = TestExchange::new();
    assert_eq!(
        exchange.client(&[parse("", "SET statement_timeout = 0"), sync()]),
        "PS"
    );
    assert_eq!(exchange.upstream(&[empty(b'1'), ready(b'I')]), "N1Z");
}

#[test]
fn an_upstream_that_does_not_report_is_asked_after_settings() {
    let mut exchange = TestExchange::with(SelfReport::AskWhenTouched);
    assert_eq!(
        exchange.client(&[query("SET TimeZone = 'UTC'"), query("SELECT 1")]),
        "Q"
    );
    assert_eq!(exchange.upstream(&[complete("SET"), ready(b'I')]), "CZ");
    assert_eq!(exchange.sent(), "Q");
    assert!(!exchange.protocol.takes_frames());
    let on = message(b'D', b"\0\x01\0\0\0\x02on");
    let answer = [message(b'T', b"\0\0"), on, complete("SHOW"), ready(b'I')];
    assert_eq!(exchange.upstream(&answer), "");
    assert_eq!(exchange.client(&[query("SELECT 1")]), "Q");
}

#[test]
fn an_upstream_that_answers_off_trips() {
    let mut exchange = TestExchange::with(SelfReport::AskWhenTouched);
    exchange.client(&[query("SET TimeZone = 'UTC'")]);
    exchange.upstream(&[complete("SET"), ready(b'I')]);
    let off = message(b'D', b"\0\x01\0\0\0\x03off");
    let ending = exchange.upstream_ends(&[message(b'T', b"\0\0"), off]);
    assert_eq!(ending, SessionEnd::Tripped(Tripwire::ReadOnlyNotVerified));
}

#[test]
fn function_calls_are_refused_and_the_session_goes_on() {
    let mut exchange = TestExchange::new();
    let call = message(b'F', b"\0\0\0\x01\0\0\0\0\0\0");
    assert_eq!(exchange.client(&[call]), "");
    assert_eq!(exchange.alone(), "EZ");
    assert_eq!(exchange.client(&[query("SELECT 1")]), "Q");
}

#[test]
fn a_violation_waits_for_the_answers_before_it() {
    let mut exchange = TestExchange::new();
    let broken = message(b'?', b"");
    assert_eq!(exchange.client(&[query("SELECT 1"), broken]), "Q");
    assert_eq!(exchange.protocol.due_end(), None);
    assert_eq!(
        exchange.upstream(&[row(), complete("SELECT 1"), ready(b'I')]),
        "DCZ"
    );
    let ending = exchange.protocol.due_end();
    assert!(matches!(
        ending,
        Some(SessionEnd::Ended(CloseReason::Violation(_)))
    ));
}

#[test]
fn a_goodbye_waits_for_the_answers_before_it() {
    let mut exchange = TestExchange::new();
    let goodbye = empty(b'X');
    assert_eq!(exchange.client(&[query("SELECT 1"), goodbye.clone()]), "Q");
    assert_eq!(
        exchange.upstream(&[row(), complete("SELECT 1"), ready(b'I')]),
        "DCZ"
    );
    assert_eq!(exchange.protocol.due_end(), Some(SessionEnd::Terminated));
    let mut exchange = TestExchange::new();
    assert_eq!(exchange.client(&[parse("", "SELECT 1"), goodbye]), "PH");
}

#[test]
fn an_error_during_a_long_judgement_drops_what_is_judged() {
    let mut exchange = TestExchange::new();
    exchange.client(&[parse("", "SELECT nope")]);
    let long = format!("SELECT '{}'", "x".repeat(100_000));
    exchange.protocol.client_bytes(&parse("", &long)).unwrap();
    let Some(BlockingJob::Judge(large)) = exchange.protocol.repair.take_job() else {
        panic!("it is judged elsewhere");
    };
    exchange.upstream(&[error("42703")]);
    let gate = Gate::new(Arc::new(Policy::agent()), Fingerprinter::new(None, [7; 32]));
    let judged = LargeTextJudgement {
        share: crate::session::memory::budget::MemoryBudget::boundless().share(),
        judgement: gate.judge(long.into(), &Default::default()),
        waited: Duration::ZERO,
    };
    large_text_judged(&mut exchange.protocol, large, judged).unwrap();
    assert_eq!(exchange.sent(), "");
    assert_eq!(exchange.client(&[query("SELECT 1"), sync()]), "S");
    assert_eq!(exchange.upstream(&[ready(b'I')]), "Z");
}

#[test]
fn a_name_in_doubt_is_left_to_the_upstream() {
    let mut exchange = TestExchange::new();
    exchange.client(&[parse("s", "SELECT 1"), parse("", "SELECT 2"), sync()]);
    exchange.upstream(&[empty(b'1'), empty(b'1'), ready(b'I')]);
    let batch = [
        parse("s", "SELECT 1"),
        close("s"),
        parse("", "DELETE FROM t"),
        sync(),
    ];
    assert_eq!(exchange.client(&batch), "PCPS");
    assert_eq!(
        exchange.client(&[bind("", "s"), sync(), bind("", ""), sync()]),
        "BSBS"
    );
    exchange.upstream(&[error("42P05"), ready(b'I'), empty(b'2'), ready(b'I')]);
    exchange.upstream(&[empty(b'2'), ready(b'I')]);
    assert_eq!(exchange.client(&[bind("", "s"), bind("", "")]), "BB");
}

/// CLOSE ALL and its kin take away what there was when they were sent.
#[test]
fn what_was_made_since_outlives_what_takes_names_away() {
    let mut exchange = TestExchange::new();
    for take_away in ["CLOSE ALL", "CLOSE c"] {
        exchange.client(&[query("BEGIN"), query(take_away)]);
        exchange.client(&[query("DECLARE c CURSOR FOR SELECT 1")]);
        let begun = [complete("BEGIN"), ready(b'T')];
        exchange.upstream(&[&begun[..], &[complete("CLOSE CURSOR"), ready(b'T')]].concat());
        let is_there =
            |exchange: &TestExchange| exchange.protocol.context.names.cursor("c").is_some();
        assert!(is_there(&exchange), "{take_away}");
        exchange.client(&[query("FETCH c")]);
        let rest = [complete("DECLARE CURSOR"), ready(b'T')];
        exchange.upstream(&[&rest[..], &[complete("FETCH 0"), ready(b'T')]].concat());
        exchange.client(&[query("CLOSE c")]);
        exchange.upstream(&[complete("CLOSE CURSOR"), ready(b'T')]);
        assert!(!is_there(&exchange), "{take_away}");
        exchange.client(&[query("ROLLBACK")]);
        exchange.upstream(&[complete("ROLLBACK"), ready(b'I')]);
    }
    for take_away in ["DEALLOCATE ALL", "DISCARD ALL"] {
        exchange.client(&[query(take_away), parse("", "SELECT 1"), sync()]);
        exchange.upstream(&[complete("DEALLOCATE ALL"), ready(b'I')]);
        assert_eq!(
            exchange.client(&[bind("", ""), sync()]),
            "BS",
            "{take_away}"
        );
        let bound = [empty(b'2'), ready(b'I')];
        exchange.upstream(&[&[empty(b'1'), ready(b'I')], &bound[..]].concat());
    }
}
