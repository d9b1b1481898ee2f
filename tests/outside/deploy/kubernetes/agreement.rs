//! What the objects say of each other and of pgsieve's settings: names, labels, ports, paths and
//! times.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

use super::super::text::{at, keys, words};
use super::objects::{of_kind, only, plain, settings, title, watching, with_file};

/// What of objects breaks a rule.
type Rule = fn(&[Value]) -> Vec<String>;

/// Everything in which they disagree.
pub fn breaches(objects: &[Value]) -> Vec<String> {
    let rules: [Rule; 8] = [labels, names, ports, peers, paths, times, sizes, copies];
    rules.iter().flat_map(|rule| rule(objects)).collect()
}

/// The template of the pods.
fn pod(objects: &[Value]) -> &Value {
    at(only(objects, "Deployment"), "/spec/template")
}

/// Their container.
pub fn container(objects: &[Value]) -> &Value {
    let all = at(pod(objects), "/spec/containers").as_array().unwrap();
    assert_eq!(all.len(), 1);
    &all[0]
}

/// A line for each that is not so.
fn unless(facts: impl IntoIterator<Item = (bool, String)>) -> Vec<String> {
    let wrong = facts.into_iter().filter(|(holds, _)| !holds);
    wrong.map(|(_, what)| what).collect()
}

/// Whether labels have all that a selector wants, which wants something.
fn selects(selector: &Value, labels: &Value) -> bool {
    let wanted = keys(selector);
    !wanted.is_empty() && wanted.iter().all(|key| selector[key] == labels[key])
}

/// Whoever looks for pods finds these.
fn labels(objects: &[Value]) -> Vec<String> {
    let own = at(pod(objects), "/metadata/labels");
    let mut places = vec![
        ("Deployment", "/spec/selector/matchLabels"),
        (
            "Deployment",
            "/spec/template/spec/topologySpreadConstraints/0/labelSelector/matchLabels",
        ),
        (
            "Deployment",
            "/spec/template/spec/affinity/podAntiAffinity/\
             preferredDuringSchedulingIgnoredDuringExecution/0/podAffinityTerm/labelSelector/\
             matchLabels",
        ),
        ("Service", "/spec/selector"),
    ];
    for kind in ["PodDisruptionBudget", "NetworkPolicy"] {
        let selector = match kind {
            "NetworkPolicy" => "/spec/podSelector/matchLabels",
            _ => "/spec/selector/matchLabels",
        };
        places.push((kind, selector));
    }
    let mut wrong = Vec::new();
    for (kind, pointer) in places {
        for object in of_kind(objects, kind) {
            let holds = selects(at(object, pointer), own);
            let what = format!("{} does not select the pods: {pointer}", title(object));
            wrong.extend(unless([(holds, what)]));
        }
    }
    for monitor in of_kind(objects, "ServiceMonitor") {
        let selector = at(monitor, "/spec/selector/matchLabels");
        let services = of_kind(objects, "Service").into_iter();
        let found: Vec<&Value> = services
            .filter(|service| selects(selector, &service["metadata"]["labels"]))
            .collect();
        let port = at(monitor, "/spec/endpoints/0/port");
        let job = at(monitor, "/spec/jobLabel").as_str().unwrap();
        let fits = |service: &Value| {
            at(service, "/spec/ports/0/name") == port
                && service["metadata"]["labels"][job] == "pgsieve"
        };
        let holds = found.len() == 1 && fits(found[0]);
        let what = "the ServiceMonitor does not find one Service with its port and job";
        wrong.extend(unless([(holds, what.to_owned())]));
    }
    wrong
}

/// What one object calls another is there.
fn names(objects: &[Value]) -> Vec<String> {
    let known: BTreeSet<String> = objects.iter().map(title).collect();
    let mut named = vec![format!(
        "ServiceAccount/{}",
        at(pod(objects), "/spec/serviceAccountName")
            .as_str()
            .unwrap()
    )];
    for scaler in of_kind(objects, "HorizontalPodAutoscaler") {
        let target = at(scaler, "/spec/scaleTargetRef");
        let word = |key: &str| target[key].as_str().unwrap();
        named.push(format!("{}/{}", word("kind"), word("name")));
    }
    let volumes = at(pod(objects), "/spec/volumes").as_array().unwrap();
    for volume in volumes {
        if let Some(map) = volume.pointer("/configMap/name") {
            named.push(format!("ConfigMap/{}", map.as_str().unwrap()));
        }
    }
    let named = named.into_iter();
    unless(named.map(|name| (known.contains(&name), format!("there is no {name}"))))
}

/// The port at the end of an address of the settings.
fn port(settings: &Value, pointer: &str) -> u64 {
    let address = at(settings, pointer).as_str().unwrap();
    address.rsplit(':').next().unwrap().parse().unwrap()
}

/// Clients and scrapers are led to where pgsieve listens.
fn ports(objects: &[Value]) -> Vec<String> {
    let settings = settings(objects);
    let container = container(objects);
    let listed = at(container, "/ports").as_array().unwrap();
    let of = |name: &str| {
        let found = listed.iter().find(|port| port["name"] == name);
        found.and_then(|port| port["containerPort"].as_u64())
    };
    let (clients, admin) = (port(&settings, "/listen"), port(&settings, "/admin/listen"));
    let mut facts = vec![
        (
            of("clients") == Some(clients),
            "the port of clients".to_owned(),
        ),
        (
            of("admin") == Some(admin),
            "the port of the admin address".to_owned(),
        ),
    ];
    for probe in ["startupProbe", "livenessProbe", "readinessProbe"] {
        let get = at(container, &format!("/{probe}/httpGet"));
        let page = if probe == "readinessProbe" {
            "/readyz"
        } else {
            "/healthz"
        };
        let holds = get["port"] == "admin" && get["path"] == page;
        facts.push((holds, format!("{probe} asks somewhere else")));
    }
    for service in of_kind(objects, "Service") {
        let ports = at(service, "/spec/ports").as_array().unwrap();
        let target = ports[0]["targetPort"].as_str().unwrap();
        let holds = ports.len() == 1 && of(target).is_some();
        facts.push((holds, format!("{} leads to {target}", title(service))));
        // Whoever opens one to the world must not open the other.
        let open = service["spec"]["clusterIP"] != "None";
        let holds = !open || target == "clients";
        facts.push((holds, format!("{} opens {target}", title(service))));
    }
    for policy in of_kind(objects, "NetworkPolicy") {
        let rules = at(policy, "/spec/ingress").as_array().unwrap();
        let opened: Vec<u64> = rules
            .iter()
            .map(|rule| at(rule, "/ports/0/port").as_u64().unwrap())
            .collect();
        let anybody = rules
            .iter()
            .any(|rule| rule["from"].as_array().is_none_or(Vec::is_empty));
        let wanted = match settings.get("peers") {
            Some(_) => vec![clients, clients, admin],
            None => vec![clients, admin],
        };
        let holds = opened == wanted && !anybody;
        facts.push((holds, format!("the NetworkPolicy lets in at {opened:?}")));
    }
    unless(facts)
}

/// Copies find each other by the name of a Service that has the addresses of all, and may reach
/// them.
fn peers(objects: &[Value]) -> Vec<String> {
    let settings = settings(objects);
    let Some(peers) = settings.get("peers") else {
        return Vec::new();
    };
    let address = at(peers, "/addresses").as_str().unwrap();
    let address = address.trim_start_matches("postgres://");
    let place = address.split('?').next().unwrap();
    let (name, wanted) = place.rsplit_once(':').unwrap();
    let services = of_kind(objects, "Service").into_iter();
    let mut named = services.filter(|service| service["metadata"]["name"] == name);
    let service = named.next();
    let is_all = service.is_some_and(|service| {
        let spec = &service["spec"];
        spec["clusterIP"] == "None" && spec["publishNotReadyAddresses"] == true
    });
    let wanted: u64 = wanted.parse().unwrap();
    let is_port = wanted == port(&settings, "/listen");
    let mut facts = vec![
        (is_all, format!("{name} does not stand for all copies")),
        (is_port, format!("peers are asked at {wanted}")),
    ];
    for policy in of_kind(objects, "NetworkPolicy") {
        let own = at(pod(objects), "/metadata/labels");
        for (pointer, key) in [("/spec/ingress", "from"), ("/spec/egress", "to")] {
            let rules = at(policy, pointer).as_array().unwrap().iter();
            let mut rules = rules.filter(|rule| rule["ports"][0]["port"] == wanted);
            let is_open = rules.any(|rule| {
                let pods = rule.pointer(&format!("/{key}/0/podSelector/matchLabels"));
                let is_near = rule
                    .pointer(&format!("/{key}/0/namespaceSelector"))
                    .is_none();
                is_near && pods.is_some_and(|pods| selects(pods, own))
            });
            facts.push((
                is_open,
                format!("copies do not reach each other: {pointer}"),
            ));
        }
    }
    unless(facts)
}

/// The files that the settings name.
fn files(value: &Value) -> Vec<String> {
    match value {
        Value::String(word) => {
            let path = word.rsplit('=').next().unwrap();
            Vec::from_iter(path.starts_with('/').then(|| path.to_owned()))
        }
        Value::Array(list) => list.iter().flat_map(files).collect(),
        Value::Object(map) => map.values().flat_map(files).collect(),
        _ => Vec::new(),
    }
}

/// What pgsieve reads is mounted, as whole folders that are read only.
fn paths(objects: &[Value]) -> Vec<String> {
    let container = container(objects);
    let mounts = at(container, "/volumeMounts").as_array().unwrap();
    let volumes = at(pod(objects), "/spec/volumes").as_array().unwrap();
    let volume = |mount: &Value| {
        volumes
            .iter()
            .find(|volume| volume["name"] == mount["name"])
    };
    let mut facts = vec![(mounts.len() == volumes.len(), "what is mounted".to_owned())];
    for mount in mounts {
        let whole = mount.get("subPath").is_none() && mount["readOnly"] == true;
        let holds = whole && volume(mount).is_some();
        facts.push((holds, format!("the mount {}", mount["name"])));
    }
    let below = |file: &str| {
        let fits = |mount: &&Value| {
            let folder = mount["mountPath"].as_str().unwrap();
            file == folder || file.starts_with(&format!("{folder}/"))
        };
        mounts.iter().find(fits)
    };
    for file in files(&settings(objects)) {
        facts.push((below(&file).is_some(), format!("{file} is not mounted")));
    }
    let variables = at(container, "/env").as_array().unwrap();
    let config = variables.iter().find(|one| one["name"] == "PGSIEVE_CONFIG");
    let config = config
        .and_then(|one| one["value"].as_str())
        .unwrap_or_default();
    let map = below(config)
        .and_then(volume)
        .and_then(|found| found.pointer("/configMap/name"));
    let own = with_file(objects, "pgsieve.yaml").map(|map| at(map, "/metadata/name"));
    let holds = map.is_some() && map == own && config.ends_with("/pgsieve.yaml");
    facts.push((holds, format!("PGSIEVE_CONFIG names {config}")));
    unless(facts)
}

/// Seconds of a duration of the settings.
pub fn seconds(text: &str) -> u64 {
    let (number, unit) = text.split_at(text.find(char::is_alphabetic).unwrap());
    let unit = match unit {
        "s" => 1,
        "min" => 60,
        other => panic!("{other}"),
    };
    number.parse::<u64>().unwrap() * unit
}

/// A copy that leaves has the time for it, and one at a time does.
fn times(objects: &[Value]) -> Vec<String> {
    let deployment = only(objects, "Deployment");
    let number = |pointer| at(deployment, pointer).as_u64().unwrap();
    let grace = number("/spec/template/spec/terminationGracePeriodSeconds");
    let pause = number("/spec/template/spec/containers/0/lifecycle/preStop/sleep/seconds");
    let settings = settings(objects);
    let drain = seconds(at(&settings, "/limits/drain_timeout").as_str().unwrap());
    let wait = settings.pointer("/limits/wait_for_clients");
    let wait = wait.map_or(0, |wait| seconds(wait.as_str().unwrap()));
    let ready = at(container(objects), "/readinessProbe");
    let noticed =
        ready["periodSeconds"].as_u64().unwrap() * ready["failureThreshold"].as_u64().unwrap();
    unless([
        (
            grace > pause + wait + drain,
            format!("{grace} s to end: {pause} s, {wait} s of waiting, {drain} s of draining"),
        ),
        (
            pause > 0,
            "the drain does not wait for the Service".to_owned(),
        ),
        (
            noticed <= 15,
            format!("{noticed} s until a copy that is not ready gets no clients"),
        ),
        (
            number("/spec/strategy/rollingUpdate/maxUnavailable") == 0,
            "an update takes copies away before others are ready".to_owned(),
        ),
    ])
}

/// Bytes of a size, of Kubernetes or of the settings.
fn bytes(text: &str) -> u64 {
    let (number, unit) = text.split_at(text.find(char::is_alphabetic).unwrap());
    let unit: u64 = match unit {
        "Mi" | "MiB" => 1 << 20,
        "Gi" | "GiB" => 1 << 30,
        other => panic!("{other}"),
    };
    number.parse::<u64>().unwrap() * unit
}

/// The container has more memory than its clients may use, and there are more copies before clients
/// are refused.
fn sizes(objects: &[Value]) -> Vec<String> {
    let settings = settings(objects);
    let limit = at(container(objects), "/resources/limits/memory");
    let limit = bytes(limit.as_str().unwrap());
    let most = at(&settings, "/limits/connections_max").as_u64().unwrap();
    let clients = bytes(at(&settings, "/limits/memory").as_str().unwrap()) + most * (64 << 10);
    let mut facts = vec![(
        limit > clients * 3 / 2,
        format!("{limit} bytes, of which clients may use {clients}"),
    )];
    for scaler in of_kind(objects, "HorizontalPodAutoscaler") {
        for metric in at(scaler, "/spec/metrics").as_array().unwrap() {
            let Some(pods) = metric.get("pods") else {
                continue;
            };
            let name = at(pods, "/metric/name").as_str().unwrap();
            let wanted = at(pods, "/target/averageValue").as_str().unwrap();
            let wanted: u64 = wanted.parse().unwrap();
            facts.push((is_gauge(name), format!("pgsieve has no gauge {name}")));
            facts.push((wanted < most, format!("{wanted} of {most} clients")));
        }
    }
    unless(facts)
}

/// Whether pgsieve has such a metric, without labels that would have to be chosen from.
fn is_gauge(name: &str) -> bool {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pgsieve"));
    let output = command.arg("metrics").output().unwrap();
    let table = String::from_utf8(output.stdout).unwrap();
    let head = format!("| `{name}` | gauge |");
    let mut lines = table.lines().filter(|line| line.starts_with(&head));
    lines.any(|line| {
        line.split(" | ")
            .nth(3)
            .is_some_and(|cell| cell.trim().is_empty())
    })
}

/// There are three copies, and nodes that are emptied leave most of them.
fn copies(objects: &[Value]) -> Vec<String> {
    let fixed = &only(objects, "Deployment")["spec"]["replicas"];
    let scalers = of_kind(objects, "HorizontalPodAutoscaler");
    let least = match scalers.first() {
        // Both at once would undo each other.
        Some(scaler) if fixed.is_null() => at(scaler, "/spec/minReplicas").as_u64(),
        Some(_) => None,
        None => fixed.as_u64(),
    };
    let mut facts = vec![(
        least.is_some_and(|copies| copies >= 3),
        format!("{least:?} copies"),
    )];
    for budget in of_kind(objects, "PodDisruptionBudget") {
        let away = at(budget, "/spec/maxUnavailable").as_u64();
        let holds = away.is_some() && away < least;
        facts.push((holds, format!("{away:?} of {least:?} may leave")));
    }
    unless(facts)
}

/// All of them.
pub fn everything() -> Vec<Value> {
    [plain(), watching()].concat()
}

#[test]
fn the_objects_fit_each_other_and_the_settings() {
    let objects = everything();
    assert_eq!(breaches(&objects), [""; 0]);
    let image = at(container(&objects), "/image").as_str().unwrap();
    assert_eq!(image.rsplit(':').next(), Some(env!("CARGO_PKG_VERSION")));
    assert_eq!(words(at(container(&objects), "/args")), ["serve"]);
}
