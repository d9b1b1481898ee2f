//! Every dashboard as a picture, drawn in a browser from what the run has left in Prometheus.
//!
//! `make pictures` sets `GRAFANA_PICTURES` to the folder where they go, and has the run take ten
//! minutes. Without it nothing is drawn: the components that Grafana draws with take 600 MB.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};

use super::boards::{self, Board, Chosen};
use super::prometheus::SCRAPE_SECONDS;
use super::run::Run;

#[test]
fn every_dashboard_can_be_drawn() {
    let Some(folder) = std::env::var_os("GRAFANA_PICTURES") else {
        println!("GRAFANA_PICTURES names no folder: nothing is drawn");
        return;
    };
    let run = Run::shared();
    let drawn: Vec<Value> = boards::all()
        .iter()
        .map(|board| answered(run, board))
        .collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut node = Command::new("node")
        .arg(root.join("tests/outside/grafana/picture/draw.mjs"))
        .arg(root.join("target/clients-grafana"))
        .arg(root.join("target/clients-node"))
        .arg(folder)
        .stdin(Stdio::piped())
        .spawn()
        .expect("node is missing: run .ci/setup");
    let mut stdin = node.stdin.take().unwrap();
    stdin
        .write_all(json!(drawn).to_string().as_bytes())
        .unwrap();
    drop(stdin);
    assert!(node.wait().unwrap().success());
}

/// A dashboard, and what Prometheus answers to each of its panels.
fn answered(run: &Run, board: &Board) -> Value {
    let step = (run.seconds() / 200).max(1);
    let chosen = Chosen {
        values: Vec::new(),
        step_seconds: step,
        scrape_seconds: SCRAPE_SECONDS,
        range_seconds: run.seconds(),
    };
    let mut answers = Map::new();
    for panel in board.panels() {
        let targets = panel["targets"].as_array().unwrap().iter();
        let found: Vec<Value> = targets
            .map(|target| {
                let expr = chosen.fill(target["expr"].as_str().unwrap());
                let found = if target["instant"] == true {
                    run.prometheus.at(&expr, run.window.1)
                } else {
                    run.prometheus.between(&expr, run.window, step)
                };
                json!(found.unwrap())
            })
            .collect();
        answers.insert(panel["id"].to_string(), json!(found));
    }
    json!({
        "board": board.json,
        "answers": answers,
        "window": run.window,
        "step": step,
        "chosen": {"datasource": "Prometheus"},
    })
}
