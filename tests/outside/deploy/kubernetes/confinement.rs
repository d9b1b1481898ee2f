//! What a pod may do: what the level "restricted" of Kubernetes' Pod Security Standards asks for,
//! and more. <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use serde_json::{Value, json};

use super::super::text::{at, text, words};
use super::agreement::{container, everything};
use super::objects::only;

/// Everything that a pod may do and need not.
pub fn breaches(objects: &[Value]) -> Vec<String> {
    let spec = at(only(objects, "Deployment"), "/spec/template/spec");
    let whole = &spec["securityContext"];
    let own = &container(objects)["securityContext"];
    let facts = [
        ("root", whole["runAsNonRoot"] == true),
        (
            "a user that the image does not have",
            whole["runAsUser"] == user(),
        ),
        ("secrets that it cannot read", whole["fsGroup"] == user()),
        (
            "every system call",
            whole["seccompProfile"] == json!({"type": "RuntimeDefault"}),
        ),
        (
            "more rights than at its start",
            own["allowPrivilegeEscalation"] == false,
        ),
        (
            "writing to its image",
            own["readOnlyRootFilesystem"] == true,
        ),
        (
            "capabilities",
            own["capabilities"] == json!({"drop": ["ALL"]}),
        ),
        ("privileges", own.get("privileged").is_none()),
        (
            "a token of Kubernetes",
            spec["automountServiceAccountToken"] == false,
        ),
        ("the host", host(spec).is_none()),
        ("secrets for everybody", exposed(spec).is_empty()),
    ];
    let wrong = facts.into_iter().filter(|(_, holds)| !holds);
    wrong.map(|(what, _)| format!("a pod has {what}")).collect()
}

/// The user of the image.
fn user() -> u64 {
    let image = text("docker/Dockerfile");
    let mut lines = image.lines().filter_map(|line| line.strip_prefix("USER "));
    let (user, group) = lines.next_back().unwrap().split_once(':').unwrap();
    assert_eq!(user, group);
    user.parse().unwrap()
}

/// A key by which a pod has something of its node.
fn host(spec: &Value) -> Option<&'static str> {
    let keys = ["hostNetwork", "hostPID", "hostIPC", "hostUsers"];
    let volumes = spec["volumes"].as_array().unwrap();
    let path = volumes
        .iter()
        .any(|volume| volume.get("hostPath").is_some());
    let key = keys.into_iter().find(|key| spec.get(*key).is_some());
    key.or(path.then_some("hostPath"))
}

/// Secrets that others than root and the group can read.
fn exposed(spec: &Value) -> Vec<&Value> {
    let volumes = spec["volumes"].as_array().unwrap().iter();
    let secrets = volumes.filter_map(|volume| volume.get("secret"));
    secrets
        .filter(|secret| secret["defaultMode"] != 0o440)
        .collect()
}

#[test]
fn a_pod_may_do_next_to_nothing() {
    assert_eq!(breaches(&everything()), [""; 0]);
}

#[test]
fn the_network_is_closed_but_for_what_is_needed() {
    let objects = everything();
    let policy = at(only(&objects, "NetworkPolicy"), "/spec");
    assert_eq!(words(&policy["policyTypes"]), ["Ingress", "Egress"]);
    let ports = at(policy, "/egress").as_array().unwrap().iter();
    let ports: Vec<u64> = ports
        .flat_map(|rule| at(rule, "/ports").as_array().unwrap())
        .map(|port| port["port"].as_u64().unwrap())
        .collect();
    // Names by UDP and TCP, other copies, and the database.
    assert_eq!(ports, [53, 53, 6432, 5432]);
}
