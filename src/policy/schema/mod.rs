//! The keys of a policy file, as a table, and the JSON Schema that is made from it.
//!
//! Editors show from the schema what a key means and mark what cannot be. The reader says more:
//! what a pattern cannot tell, such as a name twice or a model that is no SELECT, only it sees.
//!
//! * [`access`], [`knowledge`], [`session`], [`limits`], [`repairs`]: the table; [`forms`]: how
//!   values are written
//!
//! <https://json-schema.org/draft/2020-12>

use std::collections::BTreeMap;

use serde_json::{Value, json};

mod access;
mod forms;
mod knowledge;
mod limits;
mod repairs;
mod session;

use forms::SchemaForm;

/// One key.
struct PolicyKey {
    /// Its path; `*` stands for a name of somebody's choice, or a place in a list.
    path: &'static str,
    /// How its value is written.
    form: SchemaForm,
    /// What holds when it is left out; none: it has to be there.
    absent: Option<&'static str>,
    /// What it means.
    doc: &'static str,
}

/// The schema, as it is checked in.
pub fn text() -> String {
    let schema = match section("") {
        Value::Object(members) => members,
        _ => serde_json::Map::new(),
    };
    titled(schema, "A policy of pgsieve")
}

/// The schema of files that hold nothing but records of knowledge, as it is checked in.
pub fn knowledge_text() -> String {
    let mut schema = match section("knowledge") {
        Value::Object(members) => members,
        _ => serde_json::Map::new(),
    };
    if let Some(Value::Object(keys)) = schema.get_mut("properties") {
        keys.remove("files");
    }
    titled(schema, "Knowledge of pgsieve")
}

fn titled(mut schema: serde_json::Map<String, Value>, title: &str) -> String {
    schema.insert("$schema".into(), json!(DRAFT));
    schema.insert("title".into(), json!(title));
    let members: BTreeMap<String, Value> = schema.into_iter().collect();
    let schema = Value::Object(members.into_iter().collect());
    format!("{schema:#}\n")
}

/// The keys, in the order in which a person reads them.
fn keys() -> impl Iterator<Item = &'static PolicyKey> {
    let sections = [
        access::KEYS,
        knowledge::KEYS,
        session::KEYS,
        limits::KEYS,
        repairs::KEYS,
    ];
    sections.into_iter().flatten()
}

/// The keys of one section, with the name that each has in it.
fn keys_of(section: &str) -> impl Iterator<Item = (&'static str, &'static PolicyKey)> {
    keys().filter_map(move |key| {
        let name = match section {
            "" => key.path,
            section => key.path.strip_prefix(section)?.strip_prefix('.')?,
        };
        (!name.contains('.')).then_some((name, key))
    })
}

/// The path of the key of this name in policy files; the first one of several.
pub fn home_of(name: &str) -> Option<&'static str> {
    let mut named = keys()
        .map(|key| key.path)
        // Of rows there are limits, too.
        .filter(|path| !path.contains('*') && *path != "rows");
    named.find(|path| path.rsplit('.').next() == Some(name))
}

/// Whether policies have this key at the top.
pub fn is_section(name: &str) -> bool {
    keys().any(|key| key.path == name)
}

/// The keys of a section that may be left out, each with what that means.
pub fn left_out(section: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let keys = keys_of(section);
    keys.filter_map(|(name, key)| Some((name, key.absent?)))
}

/// The schema of a map that has the keys of a section and no others.
fn section(path: &str) -> Value {
    let mut properties = BTreeMap::new();
    let mut required = Vec::new();
    for (name, key) in keys_of(path) {
        let doc = match key.absent {
            Some(absent) => format!("{} Left out: {absent}.", key.doc),
            None => key.doc.to_owned(),
        };
        if key.absent.is_none() {
            required.push(name);
        }
        let mut schema = key.form.schema(key.path);
        schema.insert("description".into(), json!(doc));
        properties.insert(name, object(schema));
    }
    object(BTreeMap::from([
        ("additionalProperties".to_owned(), json!(false)),
        ("properties".to_owned(), json!(properties)),
        ("required".to_owned(), json!(required)),
        ("type".to_owned(), json!("object")),
    ]))
}

/// An object whose members are in the order of their names, whatever the library keeps.
fn object(members: BTreeMap<String, Value>) -> Value {
    Value::Object(members.into_iter().collect())
}

/// The keys that stand at the top of a settings file and of no policy.
pub const SETTINGS_KEYS: &[&str] = &[
    "io",
    "listen",
    "log",
    "mcp",
    "pool",
    "console",
    "databases",
    "peers",
    "admin",
    "strict_files",
    "metrics",
    "upstream",
    "client",
    "policy",
    "capture",
    "receipts",
    "audit",
    "traces",
    "workers",
    "choose",
];

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

#[cfg(test)]
mod tests;
