//! The objects against the API of Kubernetes, the oldest that they are for and the newest that is
//! known, and against the types of the Prometheus operator.

use std::io::{Seek, SeekFrom, Write};
use std::process::Command;

use serde_json::{Value, json};

use super::super::text::{Folder, path};
use super::agreement::everything;
use crate::support::installed::{installed, run, text};

/// What docker/README.md names as the oldest, and the newest of the package with the schemas.
const VERSIONS: [&str; 2] = ["1.30", "1.37"];

/// A Python that finds what `make setup` has installed for this.
pub fn python(script: &str) -> Command {
    let mut command = Command::new(installed("clients-venv/bin/python"));
    command.env("PYTHONPATH", installed("clients-kubernetes/python"));
    command.arg(path("tests/data/kubernetes").join(script));
    command
}

/// What a program prints that is given this; it has to succeed.
pub fn told(command: &mut Command, input: &Value) -> Result<String, String> {
    let folder = Folder::new();
    let name = folder.put("input.json", "");
    let mut file = std::fs::File::options()
        .read(true)
        .write(true)
        .open(name)
        .unwrap();
    file.write_all(input.to_string().as_bytes()).unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    let output = run(command.stdin(file));
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(text(&output.stderr)),
    }
}

/// What is wrong with objects, a line each.
pub fn mistakes(objects: &[Value]) -> String {
    let (of_operator, of_kubernetes): (Vec<_>, Vec<_>) = objects
        .iter()
        .partition(|object| object["apiVersion"] == "monitoring.coreos.com/v1");
    let mut command = python("schemas.py");
    let found = told(command.args(VERSIONS), &json!(of_kubernetes)).unwrap();
    let mut command = Command::new("node");
    command.arg(path("tests/data/kubernetes/operator.mjs"));
    command.arg(installed("clients-kubernetes/node_modules"));
    found + &told(&mut command, &json!(of_operator)).unwrap()
}

#[test]
fn the_api_knows_every_object_and_every_key() {
    let objects = everything();
    assert_eq!(mistakes(&objects), "");
    // One mistake for each of those who look.
    let mut spoilt = objects.clone();
    for object in &mut spoilt {
        match object["kind"].as_str().unwrap() {
            "Deployment" => object["spec"]["minReadySecond"] = 10.into(),
            "PodDisruptionBudget" => object["spec"]["maxUnavailable"] = true.into(),
            "ServiceMonitor" => object["spec"]["endpoints"][0]["interval"] = "often".into(),
            "PrometheusRule" => object["spec"]["groups"][0]["name"] = 1.into(),
            "NetworkPolicy" => object["apiVersion"] = "networking.k8s.io/v2".into(),
            _ => {}
        }
    }
    let found = mistakes(&spoilt);
    for expected in [
        "1.30 Deployment/pgsieve spec: Additional properties are not allowed ('minReadySecond'",
        "1.37 PodDisruptionBudget/pgsieve spec.maxUnavailable: True",
        "1.30 NetworkPolicy/pgsieve: Couldn't find schema",
        "ServiceMonitor/pgsieve: data/spec/endpoints/0/interval must match pattern",
        "PrometheusRule/pgsieve: data/spec/groups/0/name must be string",
    ] {
        assert!(found.contains(expected), "{expected}: {found}");
    }
}
