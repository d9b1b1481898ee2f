//! That the alerts and dashboards for Kubernetes are those of `grafana/`.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use super::super::text::{Folder, at, path, text, yaml};
use super::objects::{FOLDER, of_kind, only, watching};

#[test]
fn the_alerts_are_those_of_grafana() {
    let objects = watching();
    let groups = at(only(&objects, "PrometheusRule"), "/spec/groups");
    assert_eq!(groups, at(&yaml("grafana/alerts/pgsieve.yaml"), "/groups"));
    // The file is what its script writes, comments and all.
    let folder = Folder::new();
    let written = folder.0.join("rules.yaml");
    let script = path(FOLDER).join("monitoring/write-rules");
    let status = Command::new(script).arg(&written).status().unwrap();
    assert!(status.success());
    let written = fs::read_to_string(written).unwrap();
    let name = format!("{FOLDER}/monitoring/rules.yaml");
    assert!(
        written == text(&name),
        "run {FOLDER}/monitoring/write-rules"
    );
}

#[test]
fn the_dashboards_are_those_of_grafana_each_in_an_object_of_its_own() {
    let mut there = BTreeSet::new();
    for entry in fs::read_dir(path("grafana/dashboards")).unwrap() {
        there.insert(entry.unwrap().file_name().into_string().unwrap());
    }
    let mut sent = BTreeSet::new();
    let objects = watching();
    for map in of_kind(&objects, "ConfigMap") {
        let labels = at(map, "/metadata/labels");
        assert_eq!(labels["grafana_dashboard"], "1");
        let data = at(map, "/data").as_object().unwrap();
        assert_eq!(data.len(), 1);
        for (file, board) in data {
            // `kubectl apply` keeps an object once more in an annotation, which has a bound.
            let bytes = board.as_str().unwrap().len();
            assert!(bytes < 200_000, "{file}: {bytes} bytes");
            assert_eq!(board, &text(&format!("grafana/dashboards/{file}")));
            sent.insert(file.clone());
        }
    }
    assert_eq!(sent, there);
}
