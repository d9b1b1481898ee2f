//! Objects with one mistake each, and that it is seen.

use serde_json::Value;

use super::objects::with_file;
use super::{agreement, confinement};

/// Mistakes in how objects fit each other, one a line: a kind, a place in it, what stands there by
/// mistake, and words of what is said of it. `~` stands for the pods, `^` for their container.
const DISAGREEMENTS: &str = r#"
Service | /spec/selector | {"app.kubernetes.io/name": "pgsive"} | does not select the pods
Service | /spec/selector | {} | Service/pgsieve does not select the pods
PodDisruptionBudget | /spec/selector/matchLabels | {"app": "x"} | does not select the pods
NetworkPolicy | /spec/podSelector/matchLabels | {} | does not select the pods
Deployment | /spec/selector/matchLabels | {"app": "x"} | does not select the pods
Deployment | ~/topologySpreadConstraints/0/labelSelector/matchLabels | {"app": "x"} | select
ServiceMonitor | /spec/selector/matchLabels | {"app.kubernetes.io/name": "pgsieve"} | one Service
ServiceMonitor | /spec/endpoints/0/port | "metrics" | does not find one Service
ServiceMonitor | /spec/jobLabel | "job" | does not find one Service
HorizontalPodAutoscaler | /spec/scaleTargetRef/name | "x" | there is no Deployment/x
ServiceAccount | /metadata/name | "x" | there is no ServiceAccount/pgsieve
Deployment | ~/volumes/0/configMap/name | "x" | there is no ConfigMap/x
Deployment | ^/ports/0/containerPort | 5432 | the port of clients
Deployment | ^/ports/1/containerPort | 80 | the port of the admin address
Deployment | ^/readinessProbe/httpGet/path | "/healthz" | readinessProbe asks somewhere else
Deployment | ^/livenessProbe/httpGet/path | "/readyz" | livenessProbe asks somewhere else
Deployment | ^/startupProbe/httpGet/port | "clients" | startupProbe asks somewhere else
Service | /spec/ports/0/targetPort | "postgres" | Service/pgsieve leads to postgres
Service | /spec/ports/0/targetPort | "admin" | Service/pgsieve opens admin
NetworkPolicy | /spec/ingress/0/ports/0/port | 5432 | NetworkPolicy lets in at [5432, 6432, 9432]
NetworkPolicy | /spec/ingress/1/from | [] | the NetworkPolicy lets in at
NetworkPolicy | /spec/ingress/1/from/0/podSelector/matchLabels | {"a": "x"} | reach each other
NetworkPolicy | /spec/egress/1/to/0/podSelector/matchLabels | {"a": "x"} | reach each other
NetworkPolicy | /spec/egress/1/ports/0/port | 5432 | copies do not reach each other: /spec/egress
Deployment | ^/volumeMounts/3/mountPath | "/run/x" | clients/agent is not mounted
Deployment | ^/volumeMounts/2/mountPath | "/run/x" | upstream/ca.crt is not mounted
Deployment | ^/volumeMounts/0/readOnly | false | the mount "settings"
Deployment | ^/volumeMounts/1/name | "x" | the mount "x"
Deployment | ^/env/0/value | "/etc/x.yaml" | PGSIEVE_CONFIG names /etc/x.yaml
Deployment | ~/terminationGracePeriodSeconds | 40 | 40 s to end
Deployment | ^/lifecycle/preStop/sleep/seconds | 0 | the drain does not wait for the Service
Deployment | ^/readinessProbe/periodSeconds | 30 | 60 s until a copy
Deployment | /spec/strategy/rollingUpdate/maxUnavailable | 1 | an update takes copies away
Deployment | ^/resources/limits/memory | "512Mi" | of which clients may use
HorizontalPodAutoscaler | /spec/metrics/1/pods/metric/name | "pgsieve_clients" | no gauge
HorizontalPodAutoscaler | /spec/metrics/1/pods/metric/name | "pgsieve_sessions" | no gauge
HorizontalPodAutoscaler | /spec/metrics/1/pods/target/averageValue | "2000" | 2000 of 1000 clients
HorizontalPodAutoscaler | /spec/minReplicas | 1 | Some(1) copies
PodDisruptionBudget | /spec/maxUnavailable | 3 | Some(3) of Some(3) may leave
"#;

/// Those that let a pod do more.
const LIBERTIES: &str = r#"
Deployment | ~/securityContext/runAsNonRoot | false | root
Deployment | ~/securityContext/runAsUser | 1000 | a user that the image does not have
Deployment | ~/securityContext/fsGroup | 1000 | secrets that it cannot read
Deployment | ~/securityContext/seccompProfile/type | "Unconfined" | every system call
Deployment | ^/securityContext/allowPrivilegeEscalation | true | more rights than at its start
Deployment | ^/securityContext/readOnlyRootFilesystem | false | writing to its image
Deployment | ^/securityContext/capabilities/drop | [] | capabilities
Deployment | ~/automountServiceAccountToken | true | a token of Kubernetes
Deployment | ~/volumes/2 | {"name": "upstream", "hostPath": {"path": "/"}} | the host
Deployment | ~/volumes/2/secret/defaultMode | 292 | secrets for everybody
"#;

/// What rules say of objects with each mistake of a table.
fn each_is_seen(table: &str, rules: fn(&[Value]) -> Vec<String>) {
    let objects = agreement::everything();
    for row in table.lines().filter(|row| !row.is_empty()) {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [kind, place, value, expected] = cells[..] else {
            panic!("{row}");
        };
        let value = serde_json::from_str(value).unwrap();
        let found = rules(&spoilt(&objects, kind, place, value)).join("\n");
        assert!(found.contains(expected), "{row}: {found}");
    }
}

/// Objects, of which the first one of that kind with the place has something else there.
fn spoilt(objects: &[Value], kind: &str, place: &str, value: Value) -> Vec<Value> {
    let place = place
        .replace('^', "~/containers/0")
        .replace('~', "/spec/template/spec");
    let mut objects = objects.to_vec();
    let mut fit = objects.iter_mut().filter(|object| object["kind"] == kind);
    let found = fit.find_map(|object| object.pointer_mut(&place));
    let found = found.unwrap_or_else(|| panic!("no {kind} has {place}"));
    assert_ne!(*found, value, "{place}");
    *found = value;
    objects
}

#[test]
fn every_disagreement_is_seen() {
    each_is_seen(DISAGREEMENTS, agreement::breaches);
}

#[test]
fn every_liberty_of_a_pod_is_seen() {
    each_is_seen(LIBERTIES, confinement::breaches);
}

#[test]
fn settings_that_do_not_fit_the_objects_are_seen() {
    let objects = agreement::everything();
    let map = with_file(&objects, "pgsieve.yaml").unwrap();
    let settings = map["data"]["pgsieve.yaml"].as_str().unwrap();
    for (from, to, expected) in [
        (
            "/run/pgsieve/tls/tls.key",
            "/run/x.key",
            "/run/x.key is not mounted",
        ),
        (
            "drain_timeout: 30s",
            "drain_timeout: 1min",
            "60 s of draining",
        ),
        (
            "listen: 0.0.0.0:6432",
            "listen: 0.0.0.0:5432",
            "the port of clients",
        ),
        ("memory: 512MiB", "memory: 2GiB", "clients may use"),
    ] {
        let changed = Value::from(settings.replace(from, to));
        let spoilt = spoilt(&objects, "ConfigMap", "/data/pgsieve.yaml", changed);
        let found = agreement::breaches(&spoilt).join("\n");
        assert!(found.contains(expected), "{from}: {found}");
    }
}
