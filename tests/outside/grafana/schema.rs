//! The dashboards against the types that Grafana publishes (`schema.mjs`).

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Value, json};

use super::boards;

#[test]
fn every_dashboard_fits_what_grafana_publishes() {
    for board in boards::all() {
        let wrong = problems(&board.json);
        assert!(wrong.is_empty(), "{}:\n{}", board.title(), wrong.join("\n"));
    }
}

/// Each of these mistakes is noticed.
#[test]
fn a_broken_dashboard_does_not_fit() {
    let good = boards::all().remove(0).json;
    let kind = |wanted: &str| {
        let panels = good["panels"].as_array().unwrap();
        panels.iter().position(|panel| panel["type"] == wanted)
    };
    let lines = kind("timeseries").unwrap();
    let mistakes: &[(&str, Value)] = &[
        ("/panels/0/gridPos/w", json!("wide")),
        ("/panels/0/colour", json!("red")),
        ("/schemaVersion", json!("39")),
        ("/templating/list/0/type", json!("wish")),
        ("/links/0/tags", json!("pgsieve")),
        (&format!("/panels/{lines}/targets"), json!({})),
        (
            &format!("/panels/{lines}/options/legend/displayMode"),
            json!("loud"),
        ),
        (&format!("/panels/{lines}/options/legned"), json!({})),
        (
            &format!("/panels/{lines}/fieldConfig/defaults/custom/drawStyle"),
            json!("dots"),
        ),
        (
            &format!("/panels/{lines}/fieldConfig/defaults/thresholds/mode"),
            json!(1),
        ),
        (&format!("/panels/{lines}/type"), json!("graph")),
    ];
    for (place, value) in mistakes {
        let mut broken = good.clone();
        let (parent, key) = place.rsplit_once('/').unwrap();
        broken.pointer_mut(parent).expect(place)[key] = value.clone();
        assert!(!problems(&broken).is_empty(), "{place}: {value}");
    }
}

fn problems(board: &Value) -> Vec<String> {
    let mut wrong = told("dashboard", board);
    for panel in board["panels"].as_array().unwrap() {
        let kind = panel["type"].as_str().unwrap().replace('-', "");
        if kind == "row" {
            continue;
        }
        let custom = &panel["fieldConfig"]["defaults"]["custom"];
        let custom = if custom.is_null() { &json!({}) } else { custom };
        let settings = json!({"options": panel["options"], "custom": custom});
        let found = told(&kind, &settings);
        wrong.extend(found.iter().map(|one| format!("{}: {one}", panel["title"])));
    }
    wrong
}

fn told(schema: &str, value: &Value) -> Vec<String> {
    if PUBLISHED.get(schema).is_none() {
        return vec![format!("a panel of type {schema}")];
    }
    let validator: Validator = jsonschema::draft7::new(&PUBLISHED[schema]).unwrap();
    let wrong = validator.iter_errors(value);
    wrong
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

static PUBLISHED: LazyLock<Value> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new("node")
        .arg(root.join("tests/outside/grafana/schema.mjs"))
        .arg(root.join("target/clients-node"))
        .output()
        .expect("node is missing: run .ci/setup");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "run .ci/setup: {said}");
    serde_json::from_slice(&output.stdout).unwrap()
});
