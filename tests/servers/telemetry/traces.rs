//! Spans: what a collector gets of a statement, whose trace it belongs to, and that nothing of a
//! text is in it.

use std::collections::HashSet;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::support::collector::{Collector, Rotel, SERVER, Span};
use crate::support::raw::{Login, kinds};
use crate::support::{APP, Options, RawClient, Stack, frames, until};

/// A pgsieve that traces what comes with a parent alone, and its collector.
pub struct Traced {
    pub stack: Stack,
    pub collector: Collector,
}

impl Traced {
    pub fn start(ratio: &str, options: Options) -> Self {
        let collector = Collector::start();
        let environment = environment(&[
            ("PGSIEVE_TRACES_ENDPOINT", &collector.url()),
            ("PGSIEVE_TRACES_PROTOCOL", "http"),
            ("PGSIEVE_TRACES_SAMPLE_RATIO", ratio),
        ]);
        let stack = Stack::start(Options {
            environment,
            ..options
        });
        Self { stack, collector }
    }

    pub fn shared() -> &'static Self {
        static SHARED: LazyLock<Traced> = LazyLock::new(|| {
            let traced = Traced::start("0", Options::default());
            traced.stack.prepare(&[
                "CREATE TABLE \"Schools\" (\"Name\" text, \"City\" text)",
                "INSERT INTO \"Schools\" VALUES ('a', 'x'), ('b', 'y')",
                "GRANT SELECT ON \"Schools\" TO app",
            ]);
            let known = || {
                let answer = traced.client().query("SELECT Name FROM Schools");
                kinds(&answer).contains('D').then_some(())
            };
            until(known).expect("the catalog is known");
            traced
        });
        &SHARED
    }

    pub fn client(&self) -> RawClient {
        RawClient::login(self.stack.proxied_address(), &self.stack.login(APP))
    }

    /// Runs a text in a trace of its own; its spans, that of the statement first.
    fn of(&self, text: &str) -> Vec<Span> {
        let place = Place::new(true);
        self.client().query(&format!("{text} {}", place.comment()));
        self.of_place(&place)
    }

    pub fn of_place(&self, place: &Place) -> Vec<Span> {
        let spans = self.collector.trace(&place.trace, 1);
        check(&spans, &place.span);
        spans
    }
}

/// A place in a trace that nobody else has.
pub struct Place {
    pub trace: String,
    pub span: String,
    sampled: bool,
}

impl Place {
    pub fn new(sampled: bool) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self {
            trace: format!("{number:032x}"),
            span: format!("{number:016x}"),
            sampled,
        }
    }

    pub fn value(&self) -> String {
        let flags = if self.sampled { "01" } else { "00" };
        format!("00-{}-{}-{flags}", self.trace, self.span)
    }

    pub fn comment(&self) -> String {
        format!("/*route='%2Fx',traceparent='{}'*/", self.value())
    }
}

pub fn environment(pairs: &[(&'static str, &str)]) -> Vec<(&'static str, &'static str)> {
    let kept = |value: &str| -> &'static str { Box::leak(value.to_owned().into_boxed_str()) };
    pairs
        .iter()
        .map(|(name, value)| (*name, kept(value)))
        .collect()
}

/// What holds for every statement: its children are its own, and lie in it.
pub fn check(spans: &[Span], parent: &str) {
    let ids: HashSet<&str> = spans.iter().map(|span| span.id.as_str()).collect();
    assert_eq!(ids.len(), spans.len());
    for span in spans {
        assert!(span.start <= span.end, "{span:?}");
        assert!(!span.attributes.contains_key("db.query.text"), "{span:?}");
        if span.kind == SERVER {
            assert_eq!(span.parent, parent, "{span:?}");
            continue;
        }
        let mut above = spans.iter().filter(|above| above.id == span.parent);
        let above = above
            .next()
            .unwrap_or_else(|| panic!("{span:?} is nobody's"));
        assert!(
            above.start <= span.start && span.end <= above.end,
            "{span:?} of {above:?}"
        );
        for (event, time) in &span.events {
            assert!((span.start..=span.end).contains(time), "{event}");
        }
    }
}

pub fn names(spans: &[Span]) -> Vec<&str> {
    spans
        .iter()
        .skip(1)
        .map(|span| span.name.as_str())
        .collect()
}

#[test]
fn a_statement_has_a_span_with_what_was_done_to_it() {
    let traced = Traced::shared();
    let spans = traced.of("SELECT n, 'x' FROM generate_series(1, 3) n");
    assert_eq!(names(&spans), ["judge", "preprocess", "upstream"]);
    let whole = &spans[0];
    let fingerprint = whole.get("pgsieve.fingerprint");
    assert_eq!(fingerprint.len(), 32);
    assert_eq!(whole.name, format!("select {fingerprint}"));
    let port = traced.stack.cluster().port().to_string();
    for (name, value) in [
        ("db.system.name", "postgresql"),
        ("db.namespace", traced.stack.database()),
        ("db.operation.name", "select"),
        ("db.query.summary", whole.name.as_str()),
        ("db.response.returned_rows", "3"),
        ("db.response.status_code", ""),
        ("error.type", ""),
        ("server.address", "127.0.0.1"),
        ("server.port", port.as_str()),
        ("client.address", "127.0.0.1"),
        ("pgsieve.path", "query"),
        ("pgsieve.verdict", "permitted"),
        ("pgsieve.rule", ""),
        ("pgsieve.policy", "agent"),
    ] {
        assert_eq!(whole.get(name), value, "{name}");
    }
    assert!(!whole.failed);
    assert!(!whole.get("pgsieve.cache").is_empty());
    let upstream = &spans[3];
    assert_eq!(
        (upstream.kind, upstream.get("server.port")),
        (3, port.as_str())
    );
    assert_eq!(upstream.events[0].0, "first row");
    for name in [
        "db.operation.name",
        "db.query.summary",
        "db.response.returned_rows",
    ] {
        assert_eq!(upstream.get(name), whole.get(name), "{name}");
    }
    let resource = &whole.resource;
    assert_eq!(resource["service.name"], "pgsieve");
    assert_eq!(resource["service.version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(resource["service.instance.id"].len(), 36);
}

#[test]
fn a_refused_statement_has_one_without_the_upstream() {
    let spans = Traced::shared().of("DELETE FROM \"Schools\"");
    assert_eq!(names(&spans), ["judge", "preprocess"]);
    let whole = &spans[0];
    assert!(whole.failed);
    assert_eq!(whole.get("pgsieve.verdict"), "refused");
    assert_eq!(whole.get("pgsieve.rule"), "write_statement");
    assert_eq!(
        whole.get("db.response.status_code"),
        whole.get("error.type")
    );
    assert_eq!(whole.get("error.type").len(), 5);
    let spans = Traced::shared().of("this is no SQL");
    assert_eq!(spans[0].get("db.operation.name"), "unparsed");
}

#[test]
fn a_failed_statement_says_with_which_code() {
    let spans = Traced::shared().of("SELECT 1/0");
    assert_eq!(names(&spans), ["judge", "preprocess", "upstream"]);
    for span in [&spans[0], &spans[3]] {
        assert_eq!(span.get("error.type"), "22012");
        assert_eq!(span.get("db.response.status_code"), "22012");
        assert!(span.failed);
    }
    assert!(!spans[1].failed && !spans[2].failed);
}

#[test]
fn each_attempt_to_repair_is_a_child() {
    let traced = Traced::shared();
    // It fails first, outside of a transaction.
    let spans = traced.of("SELECT Name FROM Schools");
    let names = names(&spans);
    assert_eq!(
        names.iter().filter(|name| **name == "upstream").count(),
        2,
        "{names:?}"
    );
    assert_eq!(spans[0].get("pgsieve.verdict"), "repaired");
    assert_eq!(spans[0].get("db.response.returned_rows"), "2");
    let attempt = spans.iter().find(|span| span.name == "attempt").unwrap();
    assert_eq!(attempt.get("pgsieve.recoverer"), "quote_identifiers");
    assert_eq!(attempt.get("pgsieve.confidence"), "exact");
    assert_eq!(attempt.get("pgsieve.outcome"), "applied");
    assert!(attempt.start > spans[1].end);
    // The grammar refuses it: it is mended before it is sent.
    let place = Place::new(true);
    traced.client().query(&format!(
        "SELECT \"Name\", FROM \"Schools\" {}",
        place.comment()
    ));
    let spans = traced.of_place(&place);
    assert!(spans.iter().any(|span| span.name == "attempt"), "{spans:?}");
    // Within a transaction it is foreseen.
    let place = Place::new(true);
    let mut client = traced.client();
    client.query("BEGIN");
    client.query(&format!("SELECT Name FROM Schools {}", place.comment()));
    let spans = traced.of_place(&place);
    assert_eq!(
        spans.iter().filter(|span| span.name == "upstream").count(),
        1
    );
    assert_eq!(spans[0].get("pgsieve.verdict"), "repaired");
}

#[test]
fn nobody_can_mend_it_and_the_attempts_are_there_all_the_same() {
    let spans = Traced::shared().of("SELECT no_such_thing FROM \"Schools\"");
    assert_eq!(spans[0].get("error.type"), "42703");
    assert_eq!(
        names(&spans)
            .iter()
            .filter(|name| **name == "upstream")
            .count(),
        1
    );
}

#[test]
fn a_pipelined_statement_waits_for_those_before() {
    let traced = Traced::shared();
    let (first, second) = (Place::new(true), Place::new(true));
    let mut client = traced.client();
    let slow = "SELECT count(*) FROM generate_series(1, 3000000)";
    let slow = format!("{slow} {}", first.comment());
    let fast = format!("SELECT 1 {}", second.comment());
    client.send(&[frames::query(&slow), frames::query(&fast)].concat());
    client.until_ready();
    client.until_ready();
    let before = traced.of_place(&first);
    assert_eq!(names(&before), ["judge", "preprocess", "upstream"]);
    let spans = traced.of_place(&second);
    // It is looked at behind the first, and then waits for its turn.
    let names = names(&spans);
    assert_eq!(names, ["wait", "judge", "preprocess", "wait", "upstream"]);
    let took = |span: &Span| span.end - span.start;
    assert!(took(&spans[4]) > took(&before[3]) / 2, "{spans:?}");
    assert!(took(&spans[5]) < took(&before[3]) / 2, "{spans:?}");
}

#[test]
fn transactions_and_cursors_are_statements_like_others() {
    let traced = Traced::shared();
    let place = Place::new(true);
    let mut client = traced.client();
    for text in [
        "BEGIN",
        "DECLARE c CURSOR FOR SELECT generate_series(1, 5)",
        "FETCH 3 FROM c",
        "CLOSE c",
        "COMMIT",
    ] {
        client.query(&format!("{text} {}", place.comment()));
    }
    let spans = traced.collector.trace(&place.trace, 5);
    check(&spans, &place.span);
    let rows: Vec<_> = spans[..5]
        .iter()
        .map(|span| span.get("db.response.returned_rows"))
        .collect();
    assert_eq!(rows, ["0", "0", "3", "0", "0"]);
    // A portal that is run in parts has a span for each part.
    let place = Place::new(true);
    let text = format!("SELECT generate_series(1, 5) {}", place.comment());
    let parts = [
        frames::parse("", &text),
        frames::bind("", "", &[], false),
        frames::execute("", 2),
        frames::execute("", 0),
        frames::sync(),
    ];
    client.send(&parts.concat());
    assert_eq!(kinds(&client.until_ready()), "12DDsDDDCZ");
    let spans = traced.collector.trace(&place.trace, 2);
    check(&spans, &place.span);
    let rows: Vec<_> = spans[..2]
        .iter()
        .map(|span| span.get("db.response.returned_rows"))
        .collect();
    assert_eq!(rows, ["2", "3"]);
}

#[test]
fn a_text_that_is_judged_elsewhere_is_sampled_by_its_session() {
    let traced = Traced::shared();
    let place = Place::new(true);
    let name = place.value();
    let parameters = [("application_name", name.as_str())];
    let login = Login {
        parameters: &parameters,
        ..traced.stack.login(APP)
    };
    let mut client = RawClient::login(traced.stack.proxied_address(), &login);
    let long = "x".repeat(100_000);
    client.query(&format!("SELECT length('{long}')"));
    let spans = traced.of_place(&place);
    assert_eq!(names(&spans), ["wait", "judge", "preprocess", "upstream"]);
    // What may say that it is not to be sampled, somewhere in a long text, is not sampled.
    client.query(&format!(
        "SELECT length('{long}') {}",
        Place::new(false).comment()
    ));
    client.query("SELECT 1");
    let spans = traced.collector.trace(&place.trace, 2);
    assert_eq!(spans.iter().filter(|span| span.kind == SERVER).count(), 2);
}

#[test]
fn the_question_for_a_plan_is_a_child() {
    let traced = Traced::start(
        "0",
        Options {
            policy_edits: &[(
                "\n  statement_bytes: ",
                "\n  max_plan_cost: 500\n  statement_bytes: ",
            )],
            ..Options::default()
        },
    );
    let spans = traced.of("SELECT generate_series(1, 3)");
    assert_eq!(names(&spans), ["judge", "preprocess", "plan", "upstream"]);
    let spans = traced.of("SELECT count(*) FROM generate_series(1, 1000000)");
    assert_eq!(names(&spans), ["judge", "preprocess", "plan"]);
    assert_eq!(spans[0].get("pgsieve.rule"), "plan_cost");
    let place = Place::new(true);
    let mut client = traced.client();
    let text = format!("SELECT generate_series(1, $1::int) {}", place.comment());
    client.send(&frames::extended(&text, &[Some("3")], true));
    client.until_ready();
    let spans = traced.collector.trace(&place.trace, 1);
    check(&spans, &place.span);
    assert!(spans.iter().any(|span| span.name == "plan"), "{spans:?}");
}

#[test]
fn a_parent_decides_and_else_the_ratio() {
    for (ratio, sampled) in [("0", false), ("1", true)] {
        let traced = Traced::start(ratio, Options::default());
        let (yes, no) = (Place::new(true), Place::new(false));
        let mut client = traced.client();
        client.query(&format!("SELECT 1 {}", no.comment()));
        client.query(&format!("SELECT 2 {}", yes.comment()));
        client.query("SELECT 3 /*traceparent='00-0-0-00'*/");
        client.send(&frames::extended(
            &format!("SELECT 4 {}", no.comment()),
            &[],
            false,
        ));
        client.until_ready();
        client.query(&format!("DELETE FROM nothing {}", no.comment()));
        client.query(&format!("SELECT 5 {}", yes.comment()));
        let spans = traced.collector.trace(&yes.trace, 2);
        assert!(spans.iter().all(|span| span.trace != no.trace));
        let all = traced.collector.spans();
        assert!(all.iter().all(|span| span.trace != no.trace));
        let own: Vec<&Span> = (all.iter())
            .filter(|span| span.kind == SERVER && span.parent.is_empty())
            .collect();
        assert_eq!(own.len(), usize::from(sampled), "{own:?}");
        assert!(
            own.iter()
                .all(|span| span.trace.len() == 32 && span.trace != "0".repeat(32))
        );
    }
}

#[test]
fn an_application_name_says_it_for_its_session() {
    let traced = Traced::shared();
    let (first, second, inner) = (Place::new(true), Place::new(true), Place::new(true));
    let name = format!("shop traceparent='{}'", first.value());
    let parameters = [("application_name", name.as_str())];
    let login = Login {
        parameters: &parameters,
        ..traced.stack.login(APP)
    };
    let mut client = RawClient::login(traced.stack.proxied_address(), &login);
    client.query("SELECT 1");
    client.query(&format!("SELECT 2 {}", inner.comment()));
    traced.of_place(&inner);
    client.query(&format!("SET application_name = '{}'", second.value()));
    client.query("SELECT 3");
    client.query("SET application_name = 'shop'");
    client.query("SELECT 4");
    let spans = traced.collector.trace(&second.trace, 2);
    check(&spans, &second.span);
    let of_first = traced.collector.trace(&first.trace, 2);
    let roots = |spans: &[Span]| spans.iter().filter(|span| span.kind == SERVER).count();
    assert_eq!((roots(&of_first), roots(&spans)), (2, 2));
}

#[test]
fn a_real_collector_gets_them_both_ways() {
    let collector = Collector::start();
    let rotel = Rotel::start(&collector);
    for (protocol, port) in [("grpc", rotel.grpc), ("http", rotel.http)] {
        let url = format!("http://127.0.0.1:{port}");
        let stack = Stack::start(Options {
            environment: environment(&[
                ("PGSIEVE_TRACES_ENDPOINT", &url),
                ("PGSIEVE_TRACES_PROTOCOL", protocol),
                ("PGSIEVE_TRACES_SAMPLE_RATIO", "0"),
                ("PGSIEVE_TRACES_SERVICE_NAME", protocol),
            ]),
            ..Options::default()
        });
        let place = Place::new(true);
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
        client.query(&format!("SELECT 'canary' {}", place.comment()));
        client.query(&format!("DELETE FROM canary {}", place.comment()));
        let spans = collector.trace(&place.trace, 2);
        check(&spans, &place.span);
        assert_eq!(spans.len(), 2 + 3 + 2);
        assert_eq!(spans[0].resource["service.name"], protocol);
        let exported = "pgsieve_trace_spans_total{outcome=\"exported\"}";
        until(|| (stack.metric(exported) >= 7.0).then_some(())).expect("they are counted");
    }
    let said = rotel.said();
    assert_eq!(said.matches("Received traces").count(), 2, "{said}");
    let passed_on = collector.everything();
    let passed_on = String::from_utf8_lossy(&passed_on);
    assert!(passed_on.contains("db.query.summary"), "{passed_on}");
    for text in ["canary", "db.query.text"] {
        assert!(!passed_on.contains(text), "{passed_on}");
    }
}
