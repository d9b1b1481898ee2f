//! The settings of what watches pgsieve: Prometheus and the collector.

use std::process::Command;

use super::text::{Folder, at, has, keys, text, words, yaml};

#[test]
fn prometheus_accepts_its_settings_and_rules() {
    if !has("promtool", "the settings of Prometheus") {
        return;
    }
    // As compose.yaml lays them out.
    let folder = Folder::new();
    let settings = folder.put("prometheus.yml", &text("docker/prometheus.yml"));
    folder.put("rules/pgsieve.yaml", &text("grafana/alerts/pgsieve.yaml"));
    let output = Command::new("promtool")
        .args(["check", "config", &settings])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(said.contains("1 rule files found"), "{said}");
    // A settings file that is wrong would be seen.
    let wrong = folder.put("wrong.yml", "scrape_configs: [{job: x}]");
    let output = Command::new("promtool")
        .args(["check", "config", &wrong])
        .output();
    assert!(!output.unwrap().status.success());
}

#[test]
fn prometheus_scrapes_pgsieve_where_compose_has_it() {
    let settings = yaml("docker/prometheus.yml");
    let targets = at(&settings, "/scrape_configs/0/static_configs/0/targets/0");
    assert_eq!(targets, "pgsieve:9432");
    let sieve = yaml("docker/stack.yaml");
    assert_eq!(at(&sieve, "/admin/listen"), "0.0.0.0:9432");
    // By this name it asks, which is no address.
    assert_eq!(at(&sieve, "/admin/hosts"), "pgsieve");
}

#[test]
fn every_part_of_the_collectors_pipelines_is_there() {
    let collector = yaml("docker/collector.yaml");
    let pipelines = at(&collector, "/service/pipelines");
    assert_eq!(keys(pipelines), ["traces"]);
    for part in ["receivers", "processors", "exporters"] {
        let defined = keys(at(&collector, &format!("/{part}")));
        let mut used = words(at(pipelines, &format!("/traces/{part}")));
        used.sort_unstable();
        assert!(!used.is_empty());
        assert_eq!(used, defined, "{part}");
    }
    // Where pgsieve sends its spans.
    let grpc = at(&collector, "/receivers/otlp/protocols/grpc/endpoint");
    assert_eq!(grpc, "0.0.0.0:4317");
    let sieve = yaml("docker/stack.yaml");
    assert_eq!(at(&sieve, "/traces/endpoint"), "http://collector:4317");
    assert_eq!(at(&sieve, "/traces/protocol"), "grpc");
}
