//! The schema and the lines say the same: every event of the schema is emitted here in its fullest
//! form, and every line that comes of it has just the fields of the schema.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::copy_name::CopyName;
use super::field_form::AuditValueForm;
use super::schema::{EVENTS, json_schema};
use super::text::TextRecipient;
use super::{AuditSettings, AuditTarget};
use crate::catalog::drift;
use crate::catalog::fixture::CatalogFixture;
use crate::gate::{RecordedText, RenderedNames, Rule, StatementKind, StatementObjects};
use crate::limits::{AUDIT_NAMES_MAX, AUDIT_TEXT_BYTES_MAX};
use crate::policy::{Policy, PolicySet, Recoverer, RuleMode};
use crate::receipts::issuer::ReceiptId;
use crate::repair::{Attempt, AttemptOutcome, Confidence, NameGate};
use crate::sql::fingerprint::Fingerprinter;
use crate::sqlstate;
use crate::telemetry::collector::settings::{
    CollectorProtocol, CollectorSettings, CollectorSignal,
};
use crate::telemetry::events as happened;
use crate::telemetry::labels as label;
use crate::telemetry::log::EventLog;
use crate::telemetry::session_info::SessionInfo;
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::telemetry::traces::TraceSettings;
use crate::telemetry::traces::sampling::SamplingRng;
use crate::telemetry::{Telemetry, TelemetrySettings, panic_hook};

fn somebody() -> SessionInfo {
    SessionInfo::accepted(3, "10.1.2.3:40000")
        .named("ann", "shop", "psql")
        .under("agent", "0123456789abcdef")
}

fn statements(telemetry: &Telemetry, session: &SessionInfo) {
    let fingerprint = Some(Fingerprinter::new(None, [0; 32]).of("SELECT 1"));
    let many: Vec<Arc<str>> = (0..AUDIT_NAMES_MAX + 1)
        .map(|n| format!("s.{n}").into())
        .collect();
    let named = StatementObjects {
        relations: many.into(),
        columns: ["s.t.c"].map(Arc::from).into(),
        functions: ["s.f(integer)"].map(Arc::from).into(),
        settings: ["work_mem"].map(Arc::from).into(),
        rendered: RenderedNames::default(),
    };
    let text = RecordedText::of(&"x".repeat(AUDIT_TEXT_BYTES_MAX + 1));
    telemetry.emit(&happened::CandidatesRanked {
        user: "ann",
        application_name: "agent",
        candidates: 2,
    });
    let path = label::ProtocolPath::Query;
    let traces = telemetry.traces().unwrap();
    let trace = traces.begin(None, None, &mut SamplingRng::new(), Instant::now());
    telemetry.emit(&happened::StatementFinished {
        session,
        path,
        kind: StatementKind::ALL[0],
        fingerprint,
        outcome: label::StatementOutcome::Refused,
        rule: Some(Rule::ALL[0]),
        observed: &[Rule::Nesting],
        observed_running: &[],
        named: Some(&named),
        text: Some(&text),
        sent_text: None,
        queryid: Some(i64::MIN),
        receipt: Some(ReceiptId::of(u64::MAX, 7, 3)),
        sqlstate: Some(SqlstateCode::from(sqlstate::READ_ONLY_SQL_TRANSACTION)),
        rows: 1,
        bytes: 2,
        cached: label::CacheAnswer::Unasked,
        subject: Some("relation s.t"),
        hint: None,
        trace: Some(&trace.unwrap()),
        queue: Duration::ZERO,
        gate: Duration::ZERO,
        upstream: Duration::ZERO,
        plan: Some(Duration::ZERO),
        total: Duration::ZERO,
    });
    let attempt = Attempt {
        recoverer: Recoverer::Unwrap,
        confidence: Confidence::Exact,
        outcome: AttemptOutcome::Applied,
        failed: vec![NameGate::Score],
        before: fingerprint,
        after: fingerprint,
        text: None,
        words: String::new(),
    };
    telemetry.emit(&happened::StatementRepaired {
        session,
        path,
        attempts: &[attempt],
        latency: Duration::ZERO,
    });
    telemetry.emit(&happened::SettingsClamped {
        session,
        path,
        fingerprint,
    });
    telemetry.emit(&happened::LimitReached {
        session,
        rule: Rule::ResultRows,
        mode: RuleMode::Observe,
        fingerprint,
    });
}

fn connections(telemetry: &Telemetry, session: &SessionInfo) {
    telemetry.emit(&happened::LoginFinished {
        session,
        method: label::LoginMethod::Scram,
        outcome: label::LoginOutcome::BadCredentials,
        sqlstate: Some(SqlstateCode::from(sqlstate::READ_ONLY_SQL_TRANSACTION)),
        duration: Duration::ZERO,
    });
    telemetry.emit(&happened::ConnectionOpened {
        session,
        transport: label::ClientTransport::Tcp,
    });
    telemetry.emit(&happened::ConnectionRefused {
        session,
        reason: label::RefusedBecause::ConnectionsMax,
        tls: None,
    });
    telemetry.emit(&happened::ConnectionClosed {
        session,
        reason: label::ClosedBecause::Terminate,
        duration: Duration::ZERO,
        bytes_in: 1,
        bytes_out: 2,
    });
    telemetry.emit(&happened::CancelHandled {
        session,
        outcome: label::CancelOutcome::Forwarded,
    });
    telemetry.emit(&happened::ConsoleCommandRun {
        session,
        command: "pause",
        target: Some("shop"),
        outcome: label::ConsoleOutcome::Done,
    });
    telemetry.emit(&happened::BackendSignalled {
        session,
        function: "pg_cancel_backend",
        outcome: label::SignalOutcome::Sent,
        fingerprint: Some(Fingerprinter::new(None, [7; 32]).of("SELECT 1")),
    });
    telemetry.emit(&happened::TripwireFired {
        session,
        wire: label::Tripwire::WriteTag,
    });
    telemetry.emit(&happened::ProtocolViolation {
        session,
        peer: label::SessionLeg::Upstream,
        cause: label::ViolationKind::OutOfOrder,
    });
}

fn house(telemetry: &Telemetry) {
    let catalog = CatalogFixture::new(15)
        .schema("shop")
        .table("shop.a", "id int4")
        .build();
    let before = CatalogFixture::new(15).build();
    let database = "shop";
    telemetry.emit(&happened::CatalogLoaded {
        number: 1,
        database,
        catalog: &catalog,
        outcome: label::CatalogLoad::Loaded,
        duration: Duration::ZERO,
    });
    telemetry.emit(&happened::CatalogDrifted {
        database,
        drift: &drift::between(&before, &catalog),
    });
    telemetry.emit(&happened::CatalogFailed {
        database,
        why: label::CatalogFailure::Query,
        told: &"words",
        remedy: "",
        is_news: true,
    });
    telemetry.emit(&happened::CatalogWithdrawn {
        database,
        age: Duration::ZERO,
    });
    let set = PolicySet::only(Arc::new(Policy::agent()));
    telemetry.emit(&happened::PoliciesHold { set: &set });
    telemetry.emit(&happened::SettingsRead {
        outcome: label::PolicyReload::Loaded,
        changed: &[String::from("client.auth.users")],
        waiting: &[],
        sessions_ended: 1,
        problems: &[],
    });
    telemetry.emit(&happened::PoliciesRead {
        outcome: label::PolicyReload::Loaded,
        set: &set,
        problems: &[],
        idle: 0,
    });
    telemetry.emit(&happened::ListenerOpened {
        what: "clients",
        address: "127.0.0.1:1",
    });
    telemetry.emit(&happened::DrainStarted {
        sessions: 1,
        wait: std::time::Duration::ZERO,
    });
    telemetry.emit(&happened::ServerStopped { cut_off: 0 });
    telemetry.emit(&happened::SessionPanicked);
    panic_hook::note_at(telemetry, "src/x.rs", 7);
}

#[test]
fn every_event_of_the_schema_is_written_as_the_schema_says() {
    let folder = std::env::temp_dir().join(format!("pgsieve-schema-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("audit");
    let audit = AuditSettings {
        targets: vec![AuditTarget::File(file.clone())],
        copy: Some(CopyName::parse("a \"b\"\\").unwrap()),
        rotate_bytes: Some(100_000),
        chain_key: Some(super::ChainKey([1; 32])),
        text_recipients: vec![TextRecipient::parse(RECIPIENT).unwrap()],
        ..AuditSettings::default()
    };
    // Nobody is there: the line names the span all the same.
    let collector = CollectorSettings::parse(
        "http://127.0.0.1:1",
        CollectorProtocol::Http,
        CollectorSignal::Traces,
    );
    let traces = TraceSettings {
        collector: collector.unwrap(),
        sample_ratio: 1.0,
        service_name: "pgsieve".into(),
        headers: Vec::new(),
        database: None,
    };
    let settings = TelemetrySettings {
        audit,
        traces: Some(traces),
        ..TelemetrySettings::default()
    };
    drop(Telemetry::start(&settings, EventLog::off()).unwrap());
    let half = "{\"v\":2,";
    let begun = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{begun}{half}")).unwrap();
    let telemetry = Telemetry::start(&settings, EventLog::off()).unwrap();
    statements(&telemetry, &somebody());
    connections(&telemetry, &somebody());
    house(&telemetry);
    drop(telemetry);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    // What is dropped is told by the queue, which has to be full for that.
    let lost = "{\"v\":2,\"time\":\"2026-01-01T00:00:00.000000Z\",\"event\":\"lines_lost\",\
                \"copy\":\"b\",\"lines\":3,\"seq\":1,\"prev\":\"";
    let lost = format!(
        "{lost}{}\",\"seal\":\"{}\"}}",
        "0".repeat(64),
        "0".repeat(32)
    );

    let schema = json_schema();
    assert!(jsonschema::meta::is_valid(&schema));
    let whole = jsonschema::validator_for(&schema).unwrap();
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in text.lines().chain([&*lost]).filter(|line| *line != half) {
        let value: Value = serde_json::from_str(line).unwrap();
        assert!(whole.is_valid(&value), "{line}");
        let fields = value.as_object().unwrap();
        let event = fields["event"].as_str().unwrap().to_owned();
        seen.entry(event)
            .or_default()
            .extend(fields.keys().cloned());
        if let Some(attempts) = fields.get("attempts") {
            let step = attempts[0].as_object().unwrap();
            let steps = seen.entry("attempts".into()).or_default();
            steps.extend(step.keys().filter(|key| *key != "step").cloned());
        }
    }
    for event in EVENTS {
        let fields = seen.remove(event.name);
        let fields = fields.unwrap_or_else(|| panic!("{} was not emitted", event.name));
        let mut known: BTreeSet<String> = event
            .all_fields()
            .map(|field| field.name.to_owned())
            .collect();
        if event.name == "catalog_drifted" {
            known.retain(|field| fields.contains(field) || !is_kind(field));
        }
        if event.name == "lines_lost" || event.name == "chain_began" {
            known.remove("key_id");
        }
        let mut fields = fields;
        fields.retain(|field| field != "key_id" || known.contains(field));
        assert_eq!(fields, known, "{}", event.name);
        for field in event.all_fields() {
            if let AuditValueForm::Steps(steps) = field.form {
                let steps = steps.iter().map(|step| step.name.to_owned()).collect();
                assert_eq!(seen.remove("attempts"), Some(steps));
            }
        }
    }
    assert!(seen.is_empty(), "not in the schema: {seen:?}");
    // It is strict enough to be wrong about something.
    let wrong = lost.replace("\"lines\":3", "\"lines\":\"3\"");
    assert!(!whole.is_valid(&serde_json::from_str(&wrong).unwrap()));
}

/// The example of age's specification.
const RECIPIENT: &str = "age1t7rxyev2z3rw82stdlrrepyc39nvn86l5078zqkf5uasdy86jp6svpy7pa";

fn is_kind(field: &str) -> bool {
    use crate::words::Word;
    let kinds = crate::catalog::ObjectKind::ALL.iter();
    kinds.copied().any(|kind| Word::name(kind) == field)
}
