//! The alert rules, as promtool and a real Prometheus see them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use pgsieve::demo::cluster::random_name;
use serde_json::Value;

use super::boards;
use super::prometheus::program;
use super::run::Run;

#[test]
fn promtool_finds_nothing_wrong() {
    let folder = boards::folder().join("alerts");
    let output = promtool("check", &folder.join("pgsieve.yaml"));
    assert!(output.status.success(), "{}", said(&output));
    let output = promtool("test", &folder.join("pgsieve.test.yaml"));
    assert!(output.status.success(), "{}", said(&output));
}

/// An alert that never fires fails its tests, and so does one that always does: each has a test of
/// both. The numbers that alerts are made from must be there.
#[test]
fn no_rule_can_be_spoiled_without_a_test_that_fails() {
    let rules = rules();
    for (group, at) in places(&rules) {
        let rule = &rules["groups"][group]["rules"][at];
        let name = name(rule);
        let alerts = alerts_with(&rules, name);
        assert!(tested(&rules, &alerts).status.success(), "{name}");
        let is_alert = rule["alert"].is_string();
        let ways = [("never", NEVER), ("always", ALWAYS)];
        for (how, expr) in ways.iter().take(if is_alert { 2 } else { 1 }) {
            let mut spoiled = rules.clone();
            let rule = &mut spoiled["groups"][group]["rules"][at];
            rule["expr"] = (*expr).into();
            if is_alert {
                rule["for"] = "0s".into();
            }
            let passed = tested(&spoiled, &alerts).status.success();
            assert!(!passed, "{name}: were it there {how}, no test would fail");
        }
    }
}

#[test]
fn every_alert_says_what_to_do() {
    let boards = boards::all();
    let mut found = 0;
    let rules = rules();
    for (group, rule) in places(&rules) {
        let rule = &rules["groups"][group]["rules"][rule];
        let name = name(rule);
        if rule["record"].is_string() {
            assert!(name.starts_with("pgsieve:"), "{name}");
            continue;
        }
        found += 1;
        assert!(rule["for"].is_string(), "{name}: for");
        let severity = rule["labels"]["severity"].as_str();
        let known = ["critical", "warning", "info"];
        assert!(severity.is_some_and(|word| known.contains(&word)), "{name}");
        let annotations = &rule["annotations"];
        let summary = annotations["summary"].as_str().expect(name);
        assert!(summary.len() > 20 && summary.contains("{{"), "{name}");
        let description = annotations["description"].as_str().expect(name);
        assert!(description.len() > 60, "{name}");
        let dashboard = annotations["dashboard"].as_str().expect(name);
        let uid = dashboard.strip_prefix("/d/").expect(name);
        let uid = uid.split('?').next().unwrap();
        assert!(boards.iter().any(|board| board.uid() == uid), "{name}");
    }
    assert!(found >= 10, "{found}");
}

/// Prometheus reads the rules and has no trouble with what pgsieve gives it; what a healthy pgsieve
/// under load does raises no alarm, but for the change in the database.
#[test]
fn a_real_prometheus_evaluates_every_rule() {
    let run = Run::shared();
    for rule in run.prometheus.rules() {
        let name = rule["name"].as_str().unwrap();
        assert_eq!(rule["health"], "ok", "{name}: {}", rule["lastError"]);
        assert_eq!(rule["lastError"].as_str().unwrap_or(""), "", "{name}");
        if rule["type"] != "alerting" {
            let found = run.prometheus.between(name, run.window, 1).unwrap();
            assert!(!found.is_empty(), "{name} has no value");
            continue;
        }
        let fired = format!("ALERTS{{alertname=\"{name}\", alertstate=\"firing\"}}");
        let fired = run.prometheus.between(&fired, run.window, 1).unwrap();
        let expected = RAISED.contains(&name);
        assert_eq!(!fired.is_empty(), expected, "{name}: {fired:?}");
        for alert in rule["alerts"].as_array().unwrap() {
            let text = alert["annotations"].to_string();
            assert!(!text.contains("<error"), "{name}: {text}");
        }
    }
}

/// What the load does on purpose.
const RAISED: &[&str] = &["PgsieveCatalogDrift"];

const NEVER: &str = "vector(1) > 2";

/// On an instance that no test expects.
const ALWAYS: &str = "label_replace(vector(1), \"instance\", \"z\", \"\", \"\")";

fn rules() -> Value {
    let text = fs::read_to_string(boards::folder().join("alerts/pgsieve.yaml")).unwrap();
    serde_yaml::from_str(&text).unwrap()
}

fn places(rules: &Value) -> Vec<(usize, usize)> {
    let groups = rules["groups"].as_array().unwrap();
    let places = groups.iter().enumerate().flat_map(|(group, content)| {
        let rules = content["rules"].as_array().unwrap();
        (0..rules.len()).map(move |rule| (group, rule))
    });
    places.collect()
}

fn name(rule: &Value) -> &str {
    let name = rule["alert"].as_str().or(rule["record"].as_str());
    name.unwrap()
}

/// The alerts that need a rule: itself, or those that are made from the number.
fn alerts_with<'a>(rules: &'a Value, wanted: &'a str) -> Vec<&'a str> {
    let all = places(rules)
        .into_iter()
        .map(|(group, at)| &rules["groups"][group]["rules"][at]);
    let alerts = all.filter(|rule| rule["alert"].is_string());
    let needing = alerts.filter(|rule| {
        let expr = rule["expr"].as_str().unwrap();
        rule["alert"] == wanted || (wanted.contains(':') && expr.contains(wanted))
    });
    needing.map(name).collect()
}

/// What promtool says of rules by the tests of some alerts.
fn tested(rules: &Value, alerts: &[&str]) -> Output {
    let folder = Folder::new();
    fs::write(folder.0.join("pgsieve.yaml"), rules.to_string()).unwrap();
    let tests = fs::read_to_string(boards::folder().join("alerts/pgsieve.test.yaml")).unwrap();
    let mut tests: Value = serde_yaml::from_str(&tests).unwrap();
    let all = tests["tests"].as_array_mut().unwrap();
    all.retain(|test| {
        let of = test["name"].as_str().unwrap().split(':').next().unwrap();
        alerts.contains(&of)
    });
    assert!(!all.is_empty(), "{alerts:?}: no tests");
    let file = folder.0.join("pgsieve.test.yaml");
    fs::write(&file, tests.to_string()).unwrap();
    promtool("test", &file)
}

fn promtool(verb: &str, file: &Path) -> Output {
    let mut command = Command::new(program("promtool"));
    command.args([verb, "rules"]).arg(file);
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    let both = [output.stdout.as_slice(), &output.stderr].concat();
    String::from_utf8_lossy(&both).into_owned()
}

/// A folder of one test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let name = format!("pgsieve-rules-{}", random_name().unwrap());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}
