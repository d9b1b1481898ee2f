//! The table of metrics is all there is: `grafana/README.md` shows it, dashboards and alerts ask
//! for nothing else, every row is moved by a test, and no client can make more series than it
//! allows.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pgsieve::gate::{Rule, StatementKind};
use pgsieve::limits;
use pgsieve::policy::{Policy, PolicySet};
use pgsieve::sql::fingerprint::Fingerprinter;
use pgsieve::telemetry::Telemetry;
use pgsieve::telemetry::events::{PoliciesHold, StatementFinished};
use pgsieve::telemetry::labels::{CacheAnswer, ProtocolPath, StatementOutcome};
use pgsieve::telemetry::metrics::{Metric, MetricKind, TABLE, markdown};
use pgsieve::telemetry::session_info::SessionInfo;

#[test]
fn the_page_shows_the_table() {
    let page = read("grafana/README.md");
    assert!(
        page.contains(&markdown()),
        "print it anew with `pgsieve metrics`"
    );
}

/// Metrics that no test moves.
const NOT_MOVED: &[(&str, &str)] = &[];

#[test]
fn every_row_is_looked_at_by_a_test_of_a_whole_pgsieve_or_says_why_not() {
    let mut tests = String::new();
    for path in ["tests/servers", "tests/pure"].map(all_below).concat() {
        if path.ends_with(".rs") && !path.ends_with("telemetry/table.rs") {
            tests.push_str(&read(&path));
        }
    }
    // Tests that loop over names write only the middle of each.
    for metric in TABLE {
        let name = metric.name;
        let named = |form: String| tests.contains(&form);
        let is_named = named(name.to_owned())
            || name
                .strip_prefix("pgsieve_")
                .and_then(|rest| rest.strip_suffix("_seconds"))
                .is_some_and(|middle| named(format!("\"{middle}\"")));
        let is_split = name.strip_prefix("process_").is_some_and(|rest| {
            let middle = rest.trim_end_matches("_memory_bytes");
            named("process_{name}_memory_bytes".to_owned()) && named(format!("\"{middle}\""))
        });
        let has_reason = NOT_MOVED.iter().any(|(excused, _)| *excused == name);
        assert!(
            is_named || is_split || has_reason,
            "no test looks at {name}"
        );
    }
}

#[test]
fn the_number_of_series_has_a_bound() {
    let most: usize = TABLE.iter().map(|metric| metric.series_max()).sum();
    for metric in TABLE {
        assert!(metric.series_max() > 0, "{}", metric.name);
    }
    // Nearly all of it is what 32 policies could have of statements of every kind on every way with
    // every verdict, of which there are a few hundred.
    let statements = TABLE
        .iter()
        .find(|metric| metric.name == "pgsieve_statements_total");
    let statements = statements.unwrap().series_max();
    assert_eq!(statements, 33 * 8 * StatementKind::ALL.len() * 7);
    assert!(most - statements < 27_000, "{}", most - statements);
}

#[test]
fn ten_thousand_users_policies_fingerprints_and_subjects_stay_within_the_bound() {
    let telemetry = Telemetry::quiet().unwrap();
    let workers = [telemetry.for_worker(), telemetry.for_worker()];
    let policies = PolicySet::only(Arc::new(Policy::agent()));
    telemetry.emit(&PoliciesHold { set: &policies });
    let fingerprinter = Fingerprinter::new(None, [0; 32]);
    let began = Instant::now();
    for number in 0..10_000 {
        let session = SessionInfo::accepted(number, "10.0.0.1:5")
            .named(&format!("user{number}"), "db", "")
            .under(format!("policy{number}"), "0")
            .admitted();
        let rule = Rule::ALL[usize::try_from(number).unwrap() % Rule::ALL.len()];
        let subject = format!("relation shop.t{number}");
        let event = StatementFinished {
            fingerprint: Some(fingerprinter.of(&format!("DROP TABLE t{number}"))),
            rule: Some(rule),
            subject: Some(&subject),
            observed: &[rule],
            ..statement(&session)
        };
        workers[usize::try_from(number % 2).unwrap()].finished(&event);
    }
    assert!(began.elapsed() < Duration::from_secs(60));
    let text = telemetry.scrape();
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let name = line.split(['{', ' ']).next().unwrap();
        *found.entry(metric_of(name).expect(name).name).or_default() += 1;
    }
    for metric in TABLE {
        let series = found.get(metric.name).copied().unwrap_or_default();
        assert!(series <= metric.series_max(), "{}: {series}", metric.name);
    }
    // Each name has the series of the one rule that it met; the rest has those of all.
    let rest = Rule::ALL.len();
    assert_eq!(
        found["pgsieve_user_statements_total"],
        limits::USER_LABELS_MAX + 1
    );
    assert_eq!(
        found["pgsieve_user_refusals_total"],
        limits::USER_LABELS_MAX + rest
    );
    assert_eq!(
        found["pgsieve_fingerprint_refusals_total"],
        limits::FINGERPRINT_LABELS_MAX + rest
    );
    assert_eq!(
        found["pgsieve_subject_refusals_total"],
        limits::SUBJECT_LABELS_MAX + rest
    );
    assert_eq!(found["pgsieve_statements_total"], limits::POLICY_LABELS_MAX);
    for name in [
        "user_statements",
        "statements",
        "user_refusals",
        "subject_refusals",
        "refusals",
    ] {
        let sum = sum(&text, &format!("pgsieve_{name}_total"));
        assert_eq!(sum, 10_000.0, "none of {name} is lost");
    }
}

#[test]
fn whoever_has_not_logged_in_and_whoever_is_called_other_is_one_of_the_rest() {
    let telemetry = Telemetry::quiet().unwrap();
    let claimed = SessionInfo::accepted(1, "x").named("somebody", "db", "");
    let other = SessionInfo::accepted(2, "x")
        .named("other", "db", "")
        .admitted();
    let own = SessionInfo::accepted(3, "x")
        .named("somebody", "db", "")
        .admitted();
    for session in [&claimed, &other, &own] {
        telemetry.finished(&statement(session));
    }
    let text = telemetry.scrape();
    let user =
        |name| format!("pgsieve_user_statements_total{{user=\"{name}\",verdict=\"refused\"}}");
    assert!(text.contains(&format!("{} 2\n", user("other"))), "{text}");
    assert!(
        text.contains(&format!("{} 1\n", user("somebody"))),
        "{text}"
    );
}

#[test]
fn no_histogram_has_more_buckets_than_the_bound() {
    let text = Telemetry::quiet().unwrap().scrape();
    for metric in TABLE
        .iter()
        .filter(|metric| metric.shape == MetricKind::Histogram)
    {
        let start = format!("{}_bucket{{", metric.name);
        let buckets = text.lines().filter(|line| line.starts_with(&start)).count();
        assert!(
            buckets > 1 && buckets <= limits::HISTOGRAM_BUCKETS_MAX + 1,
            "{}",
            metric.name
        );
    }
}

#[test]
fn dashboards_and_alerts_ask_for_nothing_that_is_not_there() {
    let (mut asked, mut wrong) = (0, Vec::new());
    let dashboards = files("grafana/dashboards", "json");
    let mut alerts = files("grafana/alerts", "yaml");
    alerts.extend(files("grafana/alerts", "yml"));
    assert!(!dashboards.is_empty(), "grafana/dashboards is missing");
    assert!(!alerts.is_empty(), "grafana/alerts is missing");
    for path in dashboards.iter().chain(&alerts) {
        let text = read(path);
        // An expression is one value in both: what is between the quotes, or on the lines.
        let text = text.replace("\\\"", "\"").replace("\\n", " ");
        let found = wrong_in(&text, &mut asked);
        wrong.extend(found.into_iter().map(|what| format!("{path}: {what}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(asked > 50, "{asked}: the expressions were not found");
}

#[test]
fn a_wrong_name_or_label_is_found() {
    let wrong = |text| wrong_in(text, &mut 0).len();
    assert_eq!(
        wrong("sum by (rule) (rate(pgsieve_refusals_total{policy=\"a\"}[5m]))"),
        0
    );
    assert_eq!(
        wrong("rate(pgsieve_gate_seconds_bucket{le=\"1\", job=\"x\"}[5m])"),
        0
    );
    assert_eq!(wrong("pgsieve_refusal_total"), 1);
    assert_eq!(wrong("pgsieve_refusals_total_sum"), 1);
    assert_eq!(wrong("pgsieve_refusals_total{user=\"x\"}"), 1);
    assert_eq!(
        wrong("pgsieve_refusals_total{policy=~\"$policy\",verdict!=\"x\"}"),
        1
    );
    assert_eq!(wrong("sum by (user) (rate(pgsieve_refusals_total[5m]))"), 1);
    assert_eq!(
        wrong("sum(rate(pgsieve_rows_total[5m])) by (policy, job)"),
        1
    );
    assert_eq!(wrong("max without (state) (pgsieve_sessions)"), 0);
    assert_eq!(wrong("label_values(pgsieve_policy_info, policy)"), 0);
    assert_eq!(wrong("label_values(pgsieve_policy_info, user)"), 1);
}

/// What is wrong in a text with expressions; counts the metrics that it names.
fn wrong_in(text: &str, asked: &mut usize) -> Vec<String> {
    let mut wrong = Vec::new();
    for line in text.lines() {
        let mut known: Option<Vec<&str>> = None;
        let names = identifiers(line)
            .filter(|(name, _)| name.starts_with("pgsieve_") || name.starts_with("process_"));
        for (name, rest) in names {
            // Groups of rules and the like have names as well: those are not asked for.
            if name == "process_" || name == "pgsieve_" {
                continue;
            }
            let Some(metric) = metric_of(name) else {
                wrong.push(format!("{name} is no metric"));
                continue;
            };
            *asked += 1;
            known.get_or_insert_default().extend(metric.label_names());
            let given = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
            for label in given.map_or(Vec::new(), |(inner, _)| labels_of(inner)) {
                if !has(&metric.label_names(), label) {
                    wrong.push(format!("{name} has no label {label}"));
                }
            }
            if let Some(label) = rest.strip_prefix(',').and_then(|rest| rest.split_once(')')) {
                let label = label.0.trim();
                let is_asked = line.contains(&format!("label_values({name}"));
                if is_asked && !has(&metric.label_names(), label) {
                    wrong.push(format!("{name} has no label {label}"));
                }
            }
        }
        let Some(known) = known else {
            continue;
        };
        for word in ["by", "without"] {
            for (_, rest) in identifiers(line).filter(|(name, _)| *name == word) {
                let group = rest.trim_start().strip_prefix('(');
                let Some((group, _)) = group.and_then(|rest| rest.split_once(')')) else {
                    continue;
                };
                let labels = group
                    .split(',')
                    .map(str::trim)
                    .filter(|label| !label.is_empty());
                for label in labels {
                    if !has(&known, label) && label.chars().all(is_of_name) {
                        wrong.push(format!("nothing in it has a label {label}: {line}"));
                    }
                }
            }
        }
    }
    wrong
}

/// Every name in a text, with what follows it.
fn identifiers(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| !is_of_name(c));
        let end = rest.find(|c: char| !is_of_name(c)).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        rest = behind;
        (!name.is_empty()).then_some((name, behind))
    })
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The labels that are matched in braces: values may hold commas.
fn labels_of(inner: &str) -> Vec<&str> {
    let unquoted: Vec<&str> = inner.split('"').step_by(2).collect();
    let mut labels = Vec::new();
    for part in unquoted {
        let label = part.trim_start_matches(',').trim();
        let label = label.trim_end_matches(['=', '~', '!']).trim();
        if !label.is_empty() {
            labels.push(label);
        }
    }
    labels
}

/// Whether a label is one of these, or one that Prometheus adds.
fn has(labels: &[&str], label: &str) -> bool {
    labels.contains(&label) || ["le", "job", "instance"].contains(&label)
}

/// The row that a series belongs to.
fn metric_of(name: &str) -> Option<&'static Metric> {
    let row = |name: &str| TABLE.iter().find(|metric| metric.name == name).copied();
    row(name).or_else(|| {
        let endings = ["_bucket", "_sum", "_count"];
        let base = endings
            .iter()
            .find_map(|ending| name.strip_suffix(ending))?;
        row(base).filter(|metric| metric.shape == MetricKind::Histogram)
    })
}

fn sum(text: &str, name: &str) -> f64 {
    let start = format!("{name}{{");
    let lines = text.lines().filter(|line| line.starts_with(&start));
    let values = lines.map(|line| line.rsplit_once(' ').unwrap().1);
    values.map(|value| value.parse::<f64>().unwrap()).sum()
}

fn statement(session: &SessionInfo) -> StatementFinished<'_> {
    StatementFinished {
        session,
        path: ProtocolPath::Query,
        kind: StatementKind::ALL[0],
        fingerprint: None,
        outcome: StatementOutcome::Refused,
        rule: None,
        observed: &[],
        observed_running: &[],
        named: None,
        text: None,
        sent_text: None,
        receipt: None,
        queryid: None,
        sqlstate: None,
        rows: 0,
        bytes: 0,
        cached: CacheAnswer::Miss,
        subject: None,
        hint: None,
        trace: None,
        queue: Duration::ZERO,
        gate: Duration::from_micros(3),
        upstream: Duration::ZERO,
        plan: None,
        total: Duration::from_micros(9),
    }
}

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The files of a folder with this ending; none where there is no folder.
fn files(folder: &str, ending: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let Ok(entries) = fs::read_dir(root) else {
        return Vec::new();
    };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let wanted = names.filter(|name| name.ends_with(&format!(".{ending}")));
    wanted.map(|name| format!("{folder}/{name}")).collect()
}

/// All files of `folder` and of the folders within it.
fn all_below(folder: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(root).unwrap().map(Result::unwrap);
    let found = entries.flat_map(|entry| {
        let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        match entry.file_type().unwrap().is_dir() {
            true => all_below(&path),
            false => vec![path],
        }
    });
    found.collect()
}
