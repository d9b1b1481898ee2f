//! Every query of every dashboard, asked as Grafana would.

use serde_json::Value;

use super::boards::{self, Chosen, Question};
use super::prometheus::SCRAPE_SECONDS;
use super::run::Run;

#[test]
fn every_panel_has_data() {
    let run = Run::shared();
    let mut missing = Vec::new();
    let mut asked = 0;
    for board in boards::all() {
        // Once with everything chosen, once with each value named.
        let named: Vec<(String, Vec<String>)> = board
            .variables()
            .iter()
            .map(|(name, query)| {
                let query = chosen(run, Vec::new()).fill(query);
                let values = run.prometheus.label_values(&query);
                assert!(!values.is_empty(), "{}: {name} has no values", board.uid());
                ((*name).to_owned(), values)
            })
            .collect();
        for values in [Vec::new(), named] {
            let chosen = chosen(run, values);
            for question in board.questions() {
                asked += 1;
                missing.extend(wrong(run, &chosen, &question));
            }
        }
    }
    println!("{asked} queries");
    assert!(asked > 200, "{asked}");
    assert!(missing.is_empty(), "\n{}", missing.join("\n"));
}

/// Annotations are asked like panels; there need not be one.
#[test]
fn every_annotation_is_understood() {
    let run = Run::shared();
    let chosen = chosen(run, Vec::new());
    for board in boards::all() {
        for annotation in board.annotations() {
            let expr = chosen.fill(&annotation.expr);
            let found = run.prometheus.between(&expr, run.window, STEP_SECONDS);
            let found = found.unwrap_or_else(|error| panic!("{}: {error}", annotation.of));
            let expected = ["Policies", "Catalog changes"].contains(&&*annotation.panel);
            assert_eq!(!found.is_empty(), expected, "{}", annotation.of);
        }
    }
}

fn chosen(run: &Run, values: Vec<(String, Vec<String>)>) -> Chosen {
    Chosen {
        values,
        step_seconds: STEP_SECONDS,
        scrape_seconds: SCRAPE_SECONDS,
        range_seconds: run.seconds(),
    }
}

/// What is wrong with the answer to a question, if anything.
fn wrong(run: &Run, chosen: &Chosen, question: &Question) -> Option<String> {
    let expr = chosen.fill(&question.expr);
    let found = if question.instant {
        run.prometheus.at(&expr, run.window.1)
    } else {
        run.prometheus.between(&expr, run.window, STEP_SECONDS)
    };
    let told = |what: String| Some(format!("{}: {what}\n    {expr}", question.of));
    let found = match found {
        Ok(found) => found,
        Err(error) => return told(error),
    };
    let values: Vec<f64> = found.iter().flat_map(numbers).collect();
    let quiet = QUIET
        .iter()
        .any(|(panel, expr, _)| *panel == question.panel && question.expr.contains(expr));
    if !values.iter().any(|value| value.is_finite()) {
        return told(format!("no data in {} series", found.len()));
    }
    if !quiet && !values.iter().any(|value| *value > 0.0) {
        return told("nothing but zero".to_owned());
    }
    None
}

fn numbers(series: &Value) -> Vec<f64> {
    let number = |sample: &Value| sample[1].as_str().unwrap().parse().unwrap();
    match series["values"].as_array() {
        Some(samples) => samples.iter().map(number).collect(),
        None => vec![number(&series["value"])],
    }
}

const STEP_SECONDS: u64 = 1;

/// Panels whose queries show zero while nothing is wrong: title, what tells the query from others
/// of the panel, and why.
const QUIET: &[(&str, &str, &str)] = &[
    (
        "Sessions that changed their worker, by cause",
        "pgsieve_worker_",
        "whether any does depends on how busy the machine is",
    ),
    (
        "Sessions that moved, by cause",
        "pgsieve_pool_",
        "no client of this run shares its connection",
    ),
    (
        "Connections of the pools",
        "pgsieve_pool_",
        "no client of this run shares its connection",
    ),
    (
        "Connections taken, by outcome",
        "pgsieve_pool_",
        "no client of this run shares its connection",
    ),
    (
        "Time until a connection",
        "pgsieve_pool_",
        "no client of this run shares its connection",
    ),
    (
        "Sessions that keep their connection",
        "pgsieve_pool_",
        "no client of this run shares its connection",
    ),
    (
        "Prepared statements that made room",
        "pgsieve_pool_",
        "no client of this run shares its connection",
    ),
    (
        "Exchanges with the store of limits",
        "pgsieve_limits_store_",
        "the pgsieve of this run counts for itself",
    ),
    (
        "Time of an exchange",
        "pgsieve_limits_store_",
        "the pgsieve of this run counts for itself",
    ),
    (
        "Alarms",
        "tripwires",
        "no tripwire is touched, nothing panics",
    ),
    (
        "Memory taken for clients",
        "taken",
        "no message is large, no client slow",
    ),
    ("Waiting for memory", "memory", "there is enough"),
    ("Audit lines", "dropped", "the audit keeps up"),
    ("Audit lines", "waits", "the audit keeps up"),
    (
        "Audit lines",
        "write_errors",
        "the disk takes what it is given",
    ),
    ("Audit lines", "rotations", "the audit is small"),
    ("Audit lines", "audit_refused", "there is no collector"),
    ("Audit queue", "", "it is nearly always empty"),
    ("Trace spans and admin requests", "spans", "traces are off"),
    (
        "Captured statements",
        "captured",
        "nothing is captured unless it is asked for",
    ),
    (
        "Reads sent again",
        "",
        "nothing that only reads fails so here",
    ),
    (
        "Connections turned away",
        "tls_failures",
        "everybody agrees on TLS, or on none",
    ),
    ("Largest lag", "", "a primary is not behind"),
    ("Lag of standbys", "", "a primary is not behind"),
    ("Primary or standby", "", "it is a primary"),
    ("Failed loads of the catalog", "", "nothing fails"),
    ("Judged without a catalog", "", "there is one"),
];
