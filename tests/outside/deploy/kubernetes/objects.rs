//! The objects as `kubectl apply -k` sends them: what a kustomization lists, and the ConfigMaps
//! that it makes of files. `kubectl` itself is asked where it is installed.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::{Value, json};

use super::super::text::{at, has, keys, path, text, words, yaml};

/// Where they are.
pub const FOLDER: &str = "docker/k8s";

/// The documents of a text in YAML; empty ones left out.
pub fn documents(text: &str) -> Vec<Value> {
    let parts = format!("\n{text}");
    let parts = parts.split("\n---");
    let values = parts.map(|part| serde_yaml::from_str(part).unwrap_or_else(|e| panic!("{e}")));
    values.filter(|value: &Value| !value.is_null()).collect()
}

/// The objects of a kustomization of the repository.
pub fn of_folder(folder: &str) -> Vec<Value> {
    let file = yaml(&format!("{folder}/kustomization.yaml"));
    // What is made of any other key, nobody here would know.
    for key in keys(&file) {
        let known = ["apiVersion", "kind", "resources", "generatorOptions"];
        assert!(
            known.contains(&key) || key == "configMapGenerator",
            "{folder}: {key}"
        );
    }
    let mut objects = Vec::new();
    for resource in words(&file["resources"]) {
        let place = format!("{folder}/{resource}");
        if path(&place).is_dir() {
            objects.extend(of_folder(&place));
        } else {
            objects.extend(documents(&text(&place)));
        }
    }
    for made in file["configMapGenerator"].as_array().into_iter().flatten() {
        let options = at(&file, "/generatorOptions");
        assert_eq!(options["disableNameSuffixHash"], true, "{folder}");
        let files = words(&made["files"]).into_iter().map(|file| {
            let key = file.rsplit('/').next().unwrap().to_owned();
            (key, text(&format!("{folder}/{file}")).into())
        });
        let data: serde_json::Map<String, Value> = files.collect();
        objects.push(json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": made["name"], "labels": options["labels"]},
            "data": data,
        }));
    }
    objects
}

/// What is always there.
pub fn plain() -> Vec<Value> {
    of_folder(FOLDER)
}

/// What watches it.
pub fn watching() -> Vec<Value> {
    of_folder(&format!("{FOLDER}/monitoring"))
}

/// Kind and name.
pub fn title(object: &Value) -> String {
    let word = |pointer| at(object, pointer).as_str().unwrap();
    format!("{}/{}", word("/kind"), word("/metadata/name"))
}

/// By kind and name; each is there once.
pub fn by_title(objects: Vec<Value>) -> BTreeMap<String, Value> {
    let count = objects.len();
    let named: BTreeMap<String, Value> = objects
        .into_iter()
        .map(|object| (title(&object), object))
        .collect();
    assert_eq!(named.len(), count, "{:?}", named.keys());
    named
}

/// Those of a kind.
pub fn of_kind<'o>(objects: &'o [Value], kind: &str) -> Vec<&'o Value> {
    let fit = objects.iter().filter(|object| object["kind"] == kind);
    fit.collect()
}

/// The only one of a kind.
pub fn only<'o>(objects: &'o [Value], kind: &str) -> &'o Value {
    let found = of_kind(objects, kind);
    assert_eq!(found.len(), 1, "{kind}");
    found[0]
}

/// The ConfigMap with a file of this name.
pub fn with_file<'o>(objects: &'o [Value], file: &str) -> Option<&'o Value> {
    let maps = of_kind(objects, "ConfigMap").into_iter();
    let mut fit = maps.filter(|map| map["data"].get(file).is_some());
    fit.next()
}

/// pgsieve's settings, as they are mounted.
pub fn settings(objects: &[Value]) -> Value {
    let map = with_file(objects, "pgsieve.yaml").unwrap();
    read_settings(map["data"]["pgsieve.yaml"].as_str().unwrap())
}

/// A settings file, in which `on` and `off` are words.
pub fn read_settings(text: &str) -> Value {
    fn worded(value: &mut Value) {
        match value {
            Value::Bool(on) => *value = if *on { "on" } else { "off" }.into(),
            Value::Array(list) => list.iter_mut().for_each(worded),
            Value::Object(map) => map.values_mut().for_each(worded),
            _ => {}
        }
    }
    let mut settings = serde_yaml::from_str(text).unwrap();
    worded(&mut settings);
    settings
}

#[test]
fn kubectl_makes_the_same_objects() {
    if !has("kubectl", "what kubectl makes of the kustomizations") {
        return;
    }
    for folder in [FOLDER.to_owned(), format!("{FOLDER}/monitoring")] {
        let mut command = Command::new("kubectl");
        let output = command
            .arg("kustomize")
            .arg(path(&folder))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let made = documents(&String::from_utf8(output.stdout).unwrap());
        assert_eq!(by_title(made), by_title(of_folder(&folder)), "{folder}");
    }
}
