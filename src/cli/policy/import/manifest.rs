//! dbt's `manifest.json`, versions 9 to 12: what it says of the relations of a project.
//!
//! A manifest is somebody else's file. What has another shape than it should says nothing, and
//! nothing in it is taken for a name of Postgres before Postgres's grammar has read it as one.
//!
//! <https://schemas.getdbt.com/>

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde_json::Value;

use super::left_out::LeftOut;
use crate::cli::policy::import::sql_piece;
use crate::limits::NAME_BYTES_MAX;

/// What of a manifest is read.
#[derive(Deserialize)]
pub(super) struct DbtManifest {
    #[serde(default)]
    metadata: Value,
    /// Models, seeds, snapshots and tests, by their ids.
    #[serde(default)]
    pub(super) nodes: BTreeMap<String, Value>,
    #[serde(default)]
    sources: BTreeMap<String, Value>,
    /// Metrics, by their ids.
    #[serde(default)]
    pub(super) metrics: BTreeMap<String, Value>,
    /// Semantic models, by their ids.
    #[serde(default)]
    pub(super) semantic_models: BTreeMap<String, Value>,
}

/// A relation of the database that a project describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DbtRelation {
    /// Its id in the manifest.
    pub(super) id: String,
    /// Its schema.
    pub(super) schema: String,
    /// Its name.
    pub(super) name: String,
    /// What it is, in words.
    pub(super) description: String,
    /// Its columns, each with what it is.
    pub(super) columns: Vec<(String, String)>,
}

impl DbtManifest {
    /// Reads a manifest.
    ///
    /// # Errors
    /// What is wrong with the file. Nothing of it is shown.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let manifest: Self = serde_json::from_str(text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            format!("line {line}, column {column}: this is no manifest of dbt")
        })?;
        let version = text_of(&manifest.metadata, "dbt_schema_version");
        let version = version.rsplit_once("/manifest/v");
        let version = version.and_then(|(_, end)| end.strip_suffix(".json")?.parse().ok());
        match version {
            Some(9..=12) => Ok(manifest),
            Some(other) => {
                let other: u32 = other;
                Err(format!(
                    "it is of version {other}; versions 9 to 12 are read, of dbt 1.5 and later"
                ))
            }
            None => Err("it does not say of which version of manifest.json it is".into()),
        }
    }

    /// What the database is that the project was made for, where that is no Postgres.
    pub(super) fn other_adapter(&self) -> Option<&str> {
        let adapter = text_of(&self.metadata, "adapter_type");
        let is_postgres = matches!(adapter, "" | "postgres" | "redshift");
        (!is_postgres).then_some(adapter)
    }

    /// The relations of the project, in the order of their ids, no name twice.
    pub(super) fn relations(&self, left_out: &mut LeftOut) -> ProjectRelations {
        let nodes = self.nodes.iter().filter(|(_, node)| {
            matches!(
                text_of(node, "resource_type"),
                "model" | "seed" | "snapshot"
            )
        });
        let mut found = ProjectRelations::default();
        for (id, node) in nodes.chain(&self.sources) {
            match relation(id, node, left_out) {
                Ok(relation) => found.add(relation, left_out),
                Err(why) => left_out.add(id, why),
            }
        }
        found
    }
}

/// The relations of a project, each with its place.
#[derive(Debug, Default)]
pub(super) struct ProjectRelations {
    /// They.
    pub(super) all: Vec<DbtRelation>,
    by_id: HashMap<String, usize>,
    by_name: HashMap<(String, String), usize>,
}

impl ProjectRelations {
    /// The place of the one with this id.
    pub(super) fn of_id(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The place of the one of this schema and name.
    pub(super) fn named(&self, schema: &str, name: &str) -> Option<usize> {
        let key = (schema.to_owned(), name.to_owned());
        self.by_name.get(&key).copied()
    }

    fn add(&mut self, relation: DbtRelation, left_out: &mut LeftOut) {
        let known = self.named(&relation.schema, &relation.name);
        let known = known.and_then(|place| self.all.get(place));
        if let Some(known) = known {
            return left_out.add(&relation.id, &format!("{} is the same relation", known.id));
        }
        let place = self.all.len();
        self.by_id.insert(relation.id.clone(), place);
        let key = (relation.schema.clone(), relation.name.clone());
        self.by_name.insert(key, place);
        self.all.push(relation);
    }
}

fn relation(id: &str, node: &Value, left_out: &mut LeftOut) -> Result<DbtRelation, &'static str> {
    let config = node.get("config").unwrap_or(&Value::Null);
    if text_of(config, "materialized") == "ephemeral" {
        return Err("it is ephemeral, so that the database has no such relation");
    }
    let written = text_of(node, "relation_name");
    let named = match written {
        "" => {
            let keys = ["alias", "identifier", "name"].into_iter();
            let mut names = keys.map(|key| text_of(node, key));
            let name = names.find(|name| !name.is_empty()).unwrap_or_default();
            Some((text_of(node, "schema").to_owned(), name.to_owned()))
        }
        written => sql_piece::relation(written),
    };
    let named = named.filter(|(schema, name)| is_name(schema) && is_name(name));
    let (schema, name) = named.ok_or("its relation has no name that a policy can write")?;
    let columns = node.get("columns").and_then(Value::as_object);
    let mut found = BTreeMap::new();
    for column in columns.into_iter().flat_map(|columns| columns.values()) {
        let written = text_of(column, "name");
        let is_quoted = column.get("quote") == Some(&Value::Bool(true));
        match column_name(written, is_quoted) {
            Some(name) => {
                found.insert(name, text_of(column, "description").to_owned());
            }
            None => left_out.add(id, "a column has no name that a policy can write"),
        }
    }
    Ok(DbtRelation {
        id: id.to_owned(),
        schema,
        name,
        description: text_of(node, "description").to_owned(),
        columns: found.into_iter().collect(),
    })
}

/// The name of a column as the catalog has it: what dbt does not quote, Postgres folds.
pub(super) fn column_name(written: &str, is_quoted: bool) -> Option<String> {
    let name = match is_quoted && !written.starts_with('"') {
        true => Some(written.to_owned()),
        false => sql_piece::bare_column(written),
    };
    name.filter(|name| is_name(name))
}

/// Whether a pattern of a policy can name it, and nothing else by that.
fn is_name(name: &str) -> bool {
    let is_plain = |letter: char| letter != '*' && !letter.is_control();
    (1..=NAME_BYTES_MAX).contains(&name.len()) && name.chars().all(is_plain)
}

/// A text of an object; empty where there is none.
pub(super) fn text_of<'v>(node: &'v Value, key: &str) -> &'v str {
    node.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A list of an object; empty where there is none.
pub(super) fn list_of<'v>(node: &'v Value, key: &str) -> &'v [Value] {
    let list = node.get(key).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

/// The ids of the nodes that one is made from.
pub(super) fn depends_on(node: &Value) -> Vec<&str> {
    let made_from = node.get("depends_on").unwrap_or(&Value::Null);
    let nodes = list_of(made_from, "nodes").iter();
    nodes.filter_map(Value::as_str).collect()
}
