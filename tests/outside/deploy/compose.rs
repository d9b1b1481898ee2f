//! The compose file: what it confines, what it mounts, what it opens; and the settings and the
//! database that it starts pgsieve with, tried with a real Postgres.

use std::process::Command;

use serde_json::Value;

use super::text::{Folder, at, has, keys, path, text, words, yaml};

const FILE: &str = "docker/compose.yaml";

/// Its services, by name.
fn services() -> Vec<(String, Value)> {
    let file = yaml(FILE);
    let services = at(&file, "/services").as_object().unwrap();
    services
        .iter()
        .map(|(name, service)| (name.clone(), service.clone()))
        .collect()
}

#[test]
fn every_service_is_confined_and_pinned() {
    let services = services();
    let names: Vec<&str> = services.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["collector", "grafana", "pgsieve", "postgres", "prometheus"]
    );
    for (name, service) in &services {
        assert_eq!(at(service, "/read_only"), &Value::Bool(true), "{name}");
        assert_eq!(words(at(service, "/cap_drop")), ["ALL"], "{name}");
        assert_eq!(service.get("cap_add"), None, "{name}");
        assert_eq!(service.get("privileged"), None, "{name}");
        assert_eq!(
            words(at(service, "/security_opt")),
            ["no-new-privileges:true"],
            "{name}"
        );
        let (_, tag) = at(service, "/image")
            .as_str()
            .unwrap()
            .rsplit_once(':')
            .unwrap();
        let ours = name == "pgsieve" && tag == "local";
        let pinned = tag
            .trim_start_matches('v')
            .starts_with(|c: char| c.is_ascii_digit());
        assert!(ours || pinned && tag.contains('.'), "{name}: {tag}");
        // The collector's image holds nothing that could ask it.
        let asked = service.get("healthcheck").is_some();
        assert_eq!(asked, name != "collector", "{name}");
    }
}

#[test]
fn what_is_opened_is_opened_to_this_host() {
    let mut opened = Vec::new();
    for (name, service) in services() {
        let ports = service.get("ports").cloned().unwrap_or_default();
        for port in words(&ports) {
            assert!(port.starts_with("127.0.0.1:"), "{name}: {port}");
            opened.push(port.rsplit(':').next().unwrap().to_owned());
        }
        assert_eq!(service.get("network_mode"), None, "{name}");
    }
    assert_eq!(opened, ["3000", "6432", "9432", "9090"]);
    let file = yaml(FILE);
    assert_eq!(at(&file, "/networks/database/internal"), &Value::Bool(true));
    let alone = at(&file, "/services/postgres/networks");
    assert_eq!(words(alone), ["database"]);
}

#[test]
fn what_is_mounted_is_in_the_repository_or_made_by_prepare() {
    let file = yaml(FILE);
    let (volumes, secrets) = (keys(at(&file, "/volumes")), at(&file, "/secrets"));
    let mut mounted = 0;
    for (name, service) in services() {
        let list = service.get("volumes").cloned().unwrap_or_default();
        for mount in words(&list) {
            let (from, to) = mount.split_once(':').unwrap();
            if from.starts_with('.') {
                assert!(path("docker").join(from).exists(), "{name}: {from}");
                assert!(to.ends_with(":ro"), "{name}: {mount} could be written");
                mounted += 1;
            } else {
                assert!(volumes.contains(&from), "{name}: {from}");
            }
        }
        let list = service.get("secrets").cloned().unwrap_or_default();
        for secret in words(&list) {
            assert!(keys(secrets).contains(&secret), "{name}: {secret}");
        }
    }
    assert!(mounted >= 9, "{mounted}");
    let prepare = text("docker/prepare");
    for secret in keys(secrets) {
        let made = at(secrets, &format!("/{secret}/file"));
        assert_eq!(made, &format!("./secrets/{secret}"));
        assert!(prepare.contains(secret), "nobody makes {secret}");
    }
    assert!(
        text(".gitignore")
            .lines()
            .any(|line| line == "/docker/secrets")
    );
    // Where it says they are, and where Grafana's own settings look for them.
    let provided = text("grafana/provisioning/dashboards/pgsieve.yaml");
    assert!(provided.contains("path: /var/lib/grafana/dashboards/pgsieve"));
    assert!(path("grafana/dashboards/overview.json").exists());
    assert!(text("grafana/provisioning/datasources/prometheus.yaml").contains("prometheus:9090"));
}

#[test]
fn services_wait_for_those_they_need() {
    let file = yaml(FILE);
    let condition = |service: &str, other: &str| {
        let pointer = format!("/services/{service}/depends_on/{other}/condition");
        at(&file, &pointer).as_str().unwrap().to_owned()
    };
    assert_eq!(condition("pgsieve", "postgres"), "service_healthy");
    assert_eq!(condition("pgsieve", "collector"), "service_started");
    assert_eq!(condition("prometheus", "pgsieve"), "service_healthy");
    assert_eq!(condition("grafana", "prometheus"), "service_healthy");
}

#[test]
fn compose_itself_accepts_the_file() {
    if !has("docker-compose", "the schema of compose files") {
        return;
    }
    // Version 1, which is what Debian has, knows no name of the whole.
    let folder = Folder::new();
    let check = |text: &str| {
        let nameless = text.replace("\nname: pgsieve\n", "\n");
        let file = folder.put("docker/compose.yaml", &nameless);
        let mut command = Command::new("docker-compose");
        command.args(["--file", &file, "config", "--quiet"]);
        command.output().unwrap()
    };
    let output = check(&text(FILE));
    assert!(output.status.success(), "{output:?}");
    let wrong = text(FILE).replace("read_only: true", "readonly: true");
    assert!(
        !check(&wrong).status.success(),
        "an unknown key is not seen"
    );
}
