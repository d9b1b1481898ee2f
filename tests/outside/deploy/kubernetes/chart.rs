//! The chart as Helm renders it: the same objects as the plain ones, and others that fit just as
//! well where its values say so.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::text::{at, path, yaml};
use super::objects::{
    by_title, documents, of_kind, only, plain, read_settings, settings, watching,
};
use super::schemas::{mistakes, python, told};
use super::{agreement, confinement};

const CHART: &str = "docker/k8s/chart";

/// What Helm makes of the chart, or why it makes nothing.
fn rendered(release: &str, values: &Value) -> Result<Vec<Value>, String> {
    let asked = json!({"name": release, "values": values});
    let mut command = python("chart.py");
    let answer = told(command.arg(path(CHART)), &asked)?;
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["lint"], json!([]), "{values}");
    let files = at(&answer, "/rendered").as_object().unwrap();
    let files = files
        .iter()
        .filter(|(name, _)| !name.ends_with("NOTES.txt"));
    Ok(files
        .flat_map(|(_, text)| documents(text.as_str().unwrap()))
        .collect())
}

/// Objects without what only Helm puts there, and the settings as they are read.
fn bare(objects: Vec<Value>) -> BTreeMap<String, Value> {
    let mut objects = by_title(objects);
    for object in objects.values_mut() {
        let labels = object.pointer_mut("/metadata/labels").unwrap();
        let labels = labels.as_object_mut().unwrap();
        labels.remove("helm.sh/chart");
        labels.remove("app.kubernetes.io/managed-by");
        if let Some(text) = object.pointer_mut("/data/pgsieve.yaml") {
            *text = read_settings(text.as_str().unwrap());
        }
    }
    objects
}

/// The same objects; says which differ.
fn same(ours: Vec<Value>, others: Vec<Value>) {
    let (ours, others) = (bare(ours), bare(others));
    assert_eq!(Vec::from_iter(ours.keys()), Vec::from_iter(others.keys()));
    for (title, object) in &ours {
        assert_eq!(object, &others[title], "{title}");
    }
}

#[test]
fn without_values_it_makes_the_plain_objects() {
    same(rendered("pgsieve", &json!({})).unwrap(), plain());
    let watched = json!({"monitoring": {"enabled": true}});
    let both = [plain(), watching()].concat();
    same(rendered("pgsieve", &watched).unwrap(), both);
}

#[test]
fn its_version_is_that_of_pgsieve() {
    let chart = yaml(&format!("{CHART}/Chart.yaml"));
    assert_eq!(chart["appVersion"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn what_other_values_make_fits_as_well() {
    let values = json!({
        "image": {"repository": "images.example.org/sieve", "tag": "1"},
        "imagePullSecrets": [{"name": "images"}],
        "autoscaling": {"enabled": false},
        "replicas": 5,
        "settings": {
            "listen": "0.0.0.0:7432",
            "admin": {"listen": "0.0.0.0:7433"},
            "client": {"tls": {"mode": "off", "certificate": null, "key": null}},
            "catalog": {"mode": true},
            "limits": {"drain_timeout": "1min", "wait_for_clients": "1min"},
        },
        "policies": {"people.yaml": "name: people\nextends: bi\nmatch: {user: [ann]}\n"},
        "secrets": {"tls": ""},
        "env": [{"name": "PGSIEVE_LOG_LEVEL", "value": "warn"}],
        "terminationGracePeriodSeconds": 150,
        "service": {"type": "LoadBalancer", "port": 5432, "sessionAffinity": "None"},
        "networkPolicy": {
            "databases": [{"ipBlock": {"cidr": "10.0.0.0/8"}}],
            "databasePorts": [5433],
        },
        "monitoring": {"enabled": true, "labels": {"release": "prometheus"}},
        "podAnnotations": {"a": "b"}, "podLabels": {"team": "data"},
        "nodeSelector": {"disk": "none"},
        "tolerations": [{"key": "databases", "operator": "Exists"}],
        "priorityClassName": "high",
    });
    let objects = rendered("shop", &values).unwrap();
    assert_eq!(agreement::breaches(&objects), [""; 0]);
    assert_eq!(confinement::breaches(&objects), [""; 0]);
    assert_eq!(mistakes(&objects), "");
    let deployment = only(&objects, "Deployment");
    assert_eq!(at(deployment, "/metadata/name"), "shop-pgsieve");
    assert_eq!(at(deployment, "/spec/replicas"), 5);
    let image = at(agreement::container(&objects), "/image");
    assert_eq!(image, "images.example.org/sieve:1");
    assert!(of_kind(&objects, "HorizontalPodAutoscaler").is_empty());
    // Helm reads `on` and `off` as true and false.
    assert_eq!(at(&settings(&objects), "/catalog/mode"), "on");
    let policies = of_kind(&objects, "ConfigMap").into_iter();
    let policies = policies.filter(|map| map["data"].get("people.yaml").is_some());
    assert_eq!(policies.count(), 1);
    let bare = json!({
        "networkPolicy": {"enabled": false},
        "disruptionBudget": {"enabled": false},
    });
    let objects = rendered("pgsieve", &bare).unwrap();
    assert_eq!(objects.len(), plain().len() - 2);
    assert_eq!(agreement::breaches(&objects), [""; 0]);
}

#[test]
fn values_that_cannot_work_are_refused() {
    for (values, expected) in [
        (
            json!({"imge": {}}),
            "additional properties 'imge' not allowed",
        ),
        (
            json!({"replicas": "3"}),
            "at '/replicas': got string, want integer",
        ),
        (json!({"secrets": {"tls": "No"}}), "at '/secrets/tls'"),
        (
            json!({"policies": {"a.yaml": {"name": "a"}}}),
            "at '/policies/a.yaml'",
        ),
        (
            json!({"settings": {"limits": {"drain_timeout": 30}}}),
            "'/settings/limits/drain_timeout'",
        ),
        (
            json!({"settings": {"listen": "/run/socket"}}),
            "at '/settings/listen'",
        ),
        (
            json!({"preStopSeconds": 30}),
            "has to be more than preStopSeconds",
        ),
        (
            json!({"settings": {"limits": {"drain_timeout": "1min"}}}),
            "has to be more than preStopSeconds",
        ),
        (
            json!({"settings": {"limits": {"wait_for_clients": "20s"}}}),
            "has to be more than preStopSeconds",
        ),
    ] {
        let said = rendered("pgsieve", &values).unwrap_err();
        assert!(said.contains(expected), "{values}: {said}");
    }
}
