//! The metrics that dashboards and alerts name, and those that there are.

use std::collections::BTreeSet;
use std::fs;

use pgsieve::telemetry::metrics::{MetricKind, TABLE};

use super::boards;

/// Names that are nobody's typing mistake, with labels that the metric has.
#[test]
fn every_metric_that_is_named_exists_with_its_labels() {
    for (of, expr) in expressions() {
        let uses = uses(&expr);
        // `up` is what Prometheus itself says of a scrape.
        let needs_none = of.contains("budget") || expr.starts_with("up{");
        assert!(!uses.is_empty() || needs_none, "{of}: {expr}");
        for used in uses {
            let labels = labels_of(&used.name).unwrap_or_else(|| panic!("{of}: {}", used.name));
            for label in used.labels {
                let known = ["instance", "job"].contains(&&*label) || labels.contains(&label);
                assert!(known, "{of}: {} has no label {label}", used.name);
            }
        }
    }
}

#[test]
fn every_metric_is_shown_or_watched() {
    let used: BTreeSet<String> = expressions()
        .iter()
        .flat_map(|(_, expr)| uses(expr))
        .map(|used| used.name)
        .collect();
    for metric in TABLE {
        let shown = match metric.shape {
            MetricKind::Histogram => used.contains(&format!("{}_bucket", metric.name)),
            MetricKind::Counter | MetricKind::Gauge => used.contains(metric.name),
        };
        assert!(shown, "{} is on no dashboard", metric.name);
    }
}

#[test]
fn a_typing_mistake_would_be_found() {
    assert_eq!(labels_of("pgsieve_statement_total"), None);
    assert_eq!(labels_of("pgsieve_gate_seconds"), None);
    let found =
        uses("sum by (le) (rate(pgsieve_gate_seconds_bucket{instance=~\"a,b\", le=\"1\"}[1s]))");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].name, "pgsieve_gate_seconds_bucket");
    assert_eq!(found[0].labels, ["instance", "le"]);
}

/// A metric with the labels that stand behind it.
struct Used {
    name: String,
    labels: Vec<String>,
}

/// Everything that is asked, with who asks.
fn expressions() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for board in boards::all() {
        let questions = board.questions().into_iter().chain(board.annotations());
        all.extend(questions.map(|question| (question.of, question.expr)));
        all.extend(board.variables().into_iter().map(|(name, query)| {
            let inside = query.strip_prefix("label_values(").unwrap();
            (name.to_owned(), inside.to_owned())
        }));
    }
    let rules = fs::read_to_string(boards::folder().join("alerts/pgsieve.yaml")).unwrap();
    let rules: serde_json::Value = serde_yaml::from_str(&rules).unwrap();
    for group in rules["groups"].as_array().unwrap() {
        for rule in group["rules"].as_array().unwrap() {
            let name = rule["alert"].as_str().or(rule["record"].as_str()).unwrap();
            all.push((name.to_owned(), rule["expr"].as_str().unwrap().to_owned()));
        }
    }
    all
}

/// The metrics of an expression: the words that begin as ours do.
fn uses(expr: &str) -> Vec<Used> {
    let mut found = Vec::new();
    let mut rest = expr;
    while let Some(at) = ["pgsieve_", "process_", "pgsieve:"]
        .iter()
        .filter_map(|begin| rest.find(begin))
        .min()
    {
        let word = &rest[at..];
        let end = word
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != ':')
            .unwrap_or(word.len());
        let (name, after) = word.split_at(end);
        found.push(Used {
            name: name.to_owned(),
            labels: matchers(after),
        });
        rest = after;
    }
    found
}

/// The labels in the braces that come next, if any do.
fn matchers(after: &str) -> Vec<String> {
    let Some(inside) = after.strip_prefix('{') else {
        return Vec::new();
    };
    let mut labels = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    for letter in inside.chars() {
        match letter {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '}' => break,
            '=' | '!' if !word.is_empty() => labels.push(std::mem::take(&mut word)),
            'a'..='z' | '_' => word.push(letter),
            _ => {}
        }
    }
    labels
}

/// The labels of a metric or of one of the series of a histogram; none where there is no such.
fn labels_of(name: &str) -> Option<Vec<String>> {
    if name.starts_with("pgsieve:") {
        return Some(vec!["user".to_owned()]);
    }
    TABLE.iter().find_map(|metric| {
        let labels = || metric.labels.iter().map(|label| label.name.to_owned());
        match metric.shape {
            MetricKind::Histogram => match name.strip_prefix(metric.name)? {
                "_bucket" => Some(labels().chain(["le".to_owned()]).collect()),
                "_sum" | "_count" => Some(labels().collect()),
                _ => None,
            },
            MetricKind::Counter | MetricKind::Gauge => {
                (name == metric.name).then(|| labels().collect())
            }
        }
    })
}
