//! What becomes of manifests: of a small project in full, and of what could stand in one.

use serde_json::{Value, json};

use super::*;
use crate::policy::KnowledgeContent;

const PROJECT: &str = include_str!("../../../../tests/data/dbt/manifest.json");

/// The fragment of a manifest without a database, and what is left out.
fn imported(manifest: &str) -> (String, Vec<String>) {
    let manifest = DbtManifest::read(manifest).unwrap_or_else(|why| panic!("{why}"));
    let mut left_out = LeftOut::default();
    let mut project = ImportedProject::of(&manifest, &mut left_out);
    let world = AssumedDatabase::default();
    let text = fitted(false, &mut project, (&world, None), &mut left_out);
    let text = text.unwrap_or_else(|problems| panic!("{problems:#?}"));
    (text, left_out.lines)
}

fn project() -> Value {
    serde_json::from_str(PROJECT).unwrap()
}

/// The records of a fragment.
fn policy(text: &str) -> Policy {
    Policy::from_yaml(&format!("name: import\n{text}")).unwrap()
}

#[test]
fn a_project_comes_to_a_fragment() {
    let (text, left_out) = imported(PROJECT);
    let quirks = text.find("  quirk:\n").unwrap();
    let wanted = include_str!("../../../../tests/data/dbt/fragment.yaml");
    let (head, records) = wanted.split_at(wanted.find("  quirk:\n").unwrap());
    assert_eq!(&text[quirks..], records);
    assert!(text.starts_with(head), "{text}");
    // A record that a policy does not take is told by its kind.
    let lines = left_out.iter().filter(|line| !line.starts_with("metric "));
    let wanted = include_str!("../../../../tests/data/dbt/left_out.txt");
    assert_eq!(
        lines.collect::<Vec<_>>(),
        wanted.lines().collect::<Vec<_>>()
    );
    assert_eq!(imported(PROJECT), (text, left_out), "the same twice");
}

#[test]
fn metrics_are_measures_over_one_relation() {
    let manifest = DbtManifest::read(PROJECT).unwrap();
    let project = ImportedProject::of(&manifest, &mut LeftOut::default());
    let wanted = include_str!("../../../../tests/data/dbt/metrics.yaml");
    assert_eq!(project.metrics_text(), wanted);
}

#[test]
fn older_versions_have_metrics_of_their_own() {
    let mut old = project();
    old["metadata"]["dbt_schema_version"] =
        json!("https://schemas.getdbt.com/dbt/manifest/v9.json");
    old["semantic_models"] = json!(null);
    old.as_object_mut().unwrap().remove("semantic_models");
    let metric = |method: &str, more: Value| {
        let mut metric = json!({
            "name": "paid", "label": "Paid", "description": "", "calculation_method": method,
            "expression": "total_cents", "timestamp": "placed_at", "time_grains": ["day"],
            "dimensions": ["status"], "filters": [{"field": "status", "operator": "<>", "value": "'gone'"}],
            "window": null, "depends_on": {"nodes": ["model.crumbs.orders"]},
        });
        for (key, value) in more.as_object().unwrap() {
            metric[key] = value.clone();
        }
        metric
    };
    old["metrics"] = json!({
        "metric.crumbs.a": metric("sum", json!({"name": "a"})),
        "metric.crumbs.b": metric("derived", json!({"name": "b"})),
        "metric.crumbs.c": metric("sum", json!({"name": "c", "window": {"count": 7}})),
        "metric.crumbs.d": metric("sum", json!({"name": "d", "filters": [{"field": "1) or (1", "operator": "=", "value": "1"}]})),
    });
    for node in old["nodes"].as_object_mut().unwrap().values_mut() {
        node.as_object_mut().unwrap().remove("attached_node");
    }
    let manifest = DbtManifest::read(&old.to_string()).unwrap();
    let mut left_out = LeftOut::default();
    let project = ImportedProject::of(&manifest, &mut left_out);
    let [only] = project.semantics.metrics.as_slice() else {
        panic!("{:?} {:?}", project.semantics.metrics, left_out.lines)
    };
    assert_eq!(only.measure, "sum(total_cents)");
    assert_eq!(only.filters, ["status <> 'gone'"]);
    assert_eq!(project.facts.joins.len(), 2, "{left_out:?}");
    assert_eq!(project.facts.sentences.len(), 3);
    let why = left_out.lines.join("\n");
    for wanted in [
        "metric.crumbs.b: the aggregate derived",
        "metric.crumbs.c: it is over a window",
        "metric.crumbs.d: its filter",
    ] {
        assert!(why.contains(wanted), "{why}");
    }
}

#[test]
fn what_is_no_manifest_is_said() {
    for (text, wanted) in [
        ("", "this is no manifest"),
        ("[]", "does not say of which version"),
        ("[1]", "does not say of which version"),
        ("\"x\"", "this is no manifest"),
        ("{\"nodes\": 1}", "this is no manifest"),
        ("{}", "does not say of which version"),
        (
            "{\"metadata\": {\"dbt_schema_version\": \"x/manifest/v8.json\"}}",
            "of version 8",
        ),
        (
            "{\"metadata\": {\"dbt_schema_version\": \"x/manifest/v13.json\"}}",
            "of version 13",
        ),
        ("{\"metadata\": []}", "does not say of which version"),
    ] {
        let found = DbtManifest::read(text).err().unwrap();
        assert!(found.contains(wanted), "{text}: {found}");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep = format!("{{\"nodes\": {{\"a\": {deep}}}}}");
    assert!(DbtManifest::read(&deep).is_err());
}

/// A manifest with one relation.
fn with_relation(relation: Value) -> String {
    json!({
        "metadata": {"dbt_schema_version": "x/manifest/v12.json"},
        "nodes": {"model.p.a": relation},
    })
    .to_string()
}

#[test]
fn texts_stay_what_they_are() {
    for text in TEXTS {
        let manifest = with_relation(json!({
            "resource_type": "model", "schema": "s", "name": "t", "description": text,
            "columns": {"c": {"name": "c", "description": text}},
        }));
        let (text_found, _) = imported(&manifest);
        let policy = policy(&text_found);
        let notes = policy
            .knowledge()
            .records
            .iter()
            .map(|record| match &record.content {
                KnowledgeContent::Quirk { note } => note.clone(),
                other => panic!("{other:?}"),
            });
        let spaced = text.replace(char::is_control, " ");
        let wanted = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(
            notes.collect::<Vec<_>>(),
            [wanted.clone(), wanted],
            "{text:?}"
        );
        assert!(policy.models().is_empty());
    }
}

const TEXTS: &[&str] = &[
    "a: b",
    "- a",
    "{a: b}",
    "[a, b]",
    "a # b",
    "# a",
    "'",
    "\"",
    "'a",
    "\\",
    "\\n",
    "!!binary a",
    "&a b",
    "*a",
    "| a",
    "> a",
    "% a",
    "@a",
    "`a`",
    "null",
    "~",
    "true",
    "1",
    "1e3",
    "a\nb: c\nmodels: {s.t: {sql: SELECT 1}}",
    "a\r\n  - b",
    "\u{2028}a",
    "a\u{85}b",
    "---",
    "...",
    "a\u{7}b",
    "{{ a }}",
    "$(a)",
    "<<: *a",
    "? a",
    "key: |\n  a",
];

#[test]
fn a_record_is_about_the_relation_of_that_name_alone() {
    for (schema, name, is_kept) in [
        ("s", "a.b", true),
        ("s", "a\"b", true),
        ("s", "A b", true),
        ("s.x", "a: {}", true),
        ("s", "'a", true),
        ("s", "a{{b}}", true),
        ("s", "a#b", true),
        ("s", "ä", true),
        ("s", "a*", false),
        ("s", "a\nb", false),
        ("", "a", false),
        ("s", "", false),
        ("s", "a\u{2028}b", true),
    ] {
        let manifest = with_relation(json!({
            "resource_type": "model", "schema": schema, "name": name, "description": "words",
        }));
        let (text, left_out) = imported(&manifest);
        let policy = policy(&text);
        let about = policy
            .knowledge()
            .records
            .iter()
            .flat_map(|record| &record.about);
        let names: Vec<bool> = about
            .map(|pattern| pattern.names_relation(schema, name))
            .collect();
        assert_eq!(
            names,
            vec![true; usize::from(is_kept)],
            "{name:?}: {text} {left_out:?}"
        );
        assert_eq!(left_out.is_empty(), is_kept, "{name:?}");
        assert!(left_out.iter().all(|line| !line.contains('\n')));
    }
}

#[test]
fn a_name_as_dbt_writes_it_is_read_as_postgres_does() {
    for (written, wanted) in [
        ("\"db\".\"S\".\"a.b\"", "S.\"a.b\""),
        ("db.S.Orders", "s.orders"),
        ("s.t; DROP TABLE x", ""),
        ("s.t UNION TABLE s.u", ""),
        ("(SELECT 1)", ""),
        ("t", ""),
        ("s.t -- x", "s.t"),
    ] {
        let manifest = with_relation(json!({
            "resource_type": "model", "relation_name": written, "description": "words",
        }));
        let (text, _) = imported(&manifest);
        let policy = policy(&text);
        let about = policy
            .knowledge()
            .records
            .iter()
            .flat_map(|record| &record.about);
        let about: Vec<String> = about.map(ToString::to_string).collect();
        let wanted: Vec<&str> = [wanted]
            .into_iter()
            .filter(|name| !name.is_empty())
            .collect();
        assert_eq!(about, wanted, "{written}");
    }
}

#[test]
fn a_manifest_of_any_shape_is_none_that_ends_the_program() {
    let mut paths = Vec::new();
    every_path(&project(), &mut Vec::new(), &mut paths);
    let odd = [
        json!(null),
        json!(7),
        json!("x'\"; {{ y }}"),
        json!([[]]),
        json!({"a": {}}),
        json!(["1) x"]),
    ];
    // Each place is once of another kind: which one goes round.
    for (number, path) in paths.iter().enumerate().step_by(5) {
        let mut changed = project();
        let mut place = &mut changed;
        for key in path {
            place = match key.parse::<usize>() {
                Ok(at) if place.is_array() => &mut place[at],
                _ => &mut place[key.as_str()],
            };
        }
        *place = odd[number % odd.len()].clone();
        if let Ok(manifest) = DbtManifest::read(&changed.to_string()) {
            let mut left_out = LeftOut::default();
            // What of it is kept was read back: that is all that has to hold.
            let project = ImportedProject::of(&manifest, &mut left_out);
            if number % 4 == 0 {
                project
                    .fragment(|_| Some(vec!["a\"b".into()]), &mut left_out)
                    .unwrap();
            }
        }
    }
    assert!(paths.len() > 300, "{}", paths.len());
}

/// The paths to everything below a value.
fn every_path(value: &Value, path: &mut Vec<String>, paths: &mut Vec<Vec<String>>) {
    let below: Vec<(String, &Value)> = match value {
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| (key.clone(), value))
            .collect(),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .map(|(at, value)| (at.to_string(), value))
            .collect(),
        _ => Vec::new(),
    };
    for (key, value) in below {
        path.push(key);
        paths.push(path.clone());
        every_path(value, path, paths);
        path.pop();
    }
}

#[test]
fn a_description_that_is_too_long_is_cut() {
    let words = "ä".repeat(3_000);
    let manifest = with_relation(json!({
        "resource_type": "model", "schema": "s", "name": "t", "description": words,
    }));
    let (text, left_out) = imported(&manifest);
    assert!(text.contains("äää…") && policy(&text).knowledge().records.len() == 1);
    assert_eq!(left_out.len(), 1);
}

#[test]
fn no_more_is_carried_over_than_a_policy_holds() {
    let nodes = (0..2_500).map(|number| {
        let node = json!({
            "resource_type": "model", "schema": "s", "name": format!("t{number}"), "description": "x".repeat(30),
        });
        (format!("model.p.t{number}"), node)
    });
    let nodes: serde_json::Map<String, Value> = nodes.collect();
    let manifest =
        json!({"metadata": {"dbt_schema_version": "x/manifest/v11.json"}, "nodes": nodes});
    let (text, left_out) = imported(&manifest.to_string());
    assert_eq!(policy(&text).knowledge().records.len(), 2_000);
    assert_eq!(left_out.len(), 500);
}
