//! The tests of a project: what they say of columns, and of joins.

use std::collections::BTreeMap;

use serde_json::Value;

use super::left_out::LeftOut;
use super::manifest::{DbtManifest, ProjectRelations, column_name, depends_on, text_of};

/// What tests say of the relations of a project.
#[derive(Debug, Default)]
pub(super) struct TestedFacts {
    /// Sentences about a column, by the places of relations.
    pub(super) sentences: BTreeMap<(usize, String), Vec<String>>,
    /// Columns whose values together occur once, by the places of relations.
    pub(super) combinations: BTreeMap<usize, Vec<Vec<String>>>,
    /// Columns that are in a column of another relation, or of the same one.
    pub(super) joins: Vec<ColumnJoin>,
}

/// A column that has the values of another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ColumnJoin {
    /// The place of the relation, and its column.
    pub(super) from: (usize, String),
    /// The same at the other side.
    pub(super) to: (usize, String),
}

impl TestedFacts {
    /// Reads the tests among the nodes of a manifest.
    pub(super) fn of(
        manifest: &DbtManifest,
        relations: &ProjectRelations,
        left_out: &mut LeftOut,
    ) -> Self {
        let mut facts = Self::default();
        let tests = manifest.nodes.iter();
        for (id, node) in tests.filter(|(_, node)| text_of(node, "resource_type") == "test") {
            let test = ProjectTest { node, relations };
            if let Err(why) = facts.take(&test) {
                left_out.add(id, &why);
            }
        }
        for sentences in facts.sentences.values_mut() {
            sentences.sort_by_key(|sentence| (rank(sentence), sentence.clone()));
            sentences.dedup();
        }
        for combinations in facts.combinations.values_mut() {
            combinations.sort();
            combinations.dedup();
        }
        facts.joins.sort();
        facts.joins.dedup();
        facts
    }

    /// Whether each value of a column occurs once, by a test.
    pub(super) fn is_unique(&self, relation: usize, column: &str) -> bool {
        let own = self.sentences.get(&(relation, column.to_owned()));
        own.is_some_and(|sentences| sentences.iter().any(|sentence| sentence == UNIQUE))
    }

    fn take(&mut self, test: &ProjectTest<'_>) -> Result<(), String> {
        let kind = test.kind()?;
        let relation = test.relation()?;
        let mut say = |column: String, sentence: String| {
            let said = self.sentences.entry((relation, column)).or_default();
            said.push(sentence);
        };
        match kind {
            "unique" => say(test.column()?, UNIQUE.into()),
            "not_null" => say(test.column()?, NOT_NULL.into()),
            "accepted_values" => {
                let told = test
                    .argument("values")
                    .as_array()
                    .and_then(|all| accepted(all));
                let told = told.ok_or("its values are no list of words and numbers")?;
                say(test.column()?, told);
            }
            "unique_combination_of_columns" => {
                let all = test.argument("combination_of_columns").as_array();
                let names = all.into_iter().flatten().map(|name| {
                    let name = name.as_str().unwrap_or_default();
                    column_name(name, false)
                });
                let names = names.collect::<Option<Vec<String>>>();
                let names = names.filter(|names| !names.is_empty());
                let names = names.ok_or("its columns are no list of names")?;
                self.combinations.entry(relation).or_default().push(names);
            }
            "relationships" => {
                let field = test.argument("field").as_str().unwrap_or_default();
                let to = column_name(field, false).ok_or("its field is no column")?;
                self.joins.push(ColumnJoin {
                    from: (relation, test.column()?),
                    to: (test.other_side()?, to),
                });
            }
            _ => return Err("a policy has no words for tests of this kind".into()),
        }
        Ok(())
    }
}

/// A test of a project.
struct ProjectTest<'m> {
    node: &'m Value,
    relations: &'m ProjectRelations,
}

impl<'m> ProjectTest<'m> {
    /// What kind of test it is.
    fn kind(&self) -> Result<&'m str, String> {
        let config = self.node.get("config").unwrap_or(&Value::Null);
        if config.get("where").is_some_and(|only| !only.is_null()) {
            return Err("it holds for some of the rows only".into());
        }
        let metadata = self.node.get("test_metadata");
        match metadata.map(|metadata| text_of(metadata, "name")) {
            None | Some("") => Err("it is a query of its own".into()),
            Some(name) => Ok(name),
        }
    }

    fn arguments(&self) -> &'m Value {
        let metadata = self.node.get("test_metadata").unwrap_or(&Value::Null);
        metadata.get("kwargs").unwrap_or(&Value::Null)
    }

    /// An argument, which newer versions have one map deeper.
    fn argument(&self, name: &str) -> &'m Value {
        let own = self.arguments();
        let deeper = own.get("arguments").and_then(|inner| inner.get(name));
        own.get(name).or(deeper).unwrap_or(&Value::Null)
    }

    fn column(&self) -> Result<String, String> {
        let argument = self.argument("column_name").as_str();
        let written = argument.unwrap_or_else(|| text_of(self.node, "column_name"));
        column_name(written, false).ok_or_else(|| "it is about no single column".into())
    }

    /// The place of the relation that is tested.
    fn relation(&self) -> Result<usize, String> {
        let attached = text_of(self.node, "attached_node");
        let made_from = depends_on(self.node);
        let named = self.argument("model").as_str().unwrap_or_default();
        let found = match (attached, made_from.as_slice()) {
            ("", [only]) => Some(*only),
            ("", _) => referenced(named, &made_from),
            (attached, _) => Some(attached),
        };
        self.place(found)
    }

    /// The place of the relation that the values of the column are from.
    fn other_side(&self) -> Result<usize, String> {
        let named = self.argument("to").as_str().unwrap_or_default();
        self.place(referenced(named, &depends_on(self.node)))
    }

    fn place(&self, id: Option<&str>) -> Result<usize, String> {
        let place = id.and_then(|id| self.relations.of_id(id));
        place.ok_or_else(|| "it is about a relation that is left out".into())
    }
}

/// The node that `ref('name')` or `source('of', 'name')` means among some.
fn referenced<'n>(written: &str, nodes: &[&'n str]) -> Option<&'n str> {
    let (_, call) = written
        .split_once("ref(")
        .or(written.split_once("source("))?;
    let (inside, _) = call.split_once(')')?;
    let words = inside.split(['\'', '"']).skip(1).step_by(2);
    // What stands before the last one is a package, or what a source is of.
    let name = words.take(2).last()?;
    let is_it = |id: &&&str| id.split('.').skip(2).any(|part| part == name);
    let mut fitting = nodes.iter().filter(is_it);
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

/// The values that a column may have, as one sentence.
fn accepted(values: &[Value]) -> Option<String> {
    let words = values.iter().map(|value| match value {
        Value::String(word) => Some(format!("'{}'", word.replace('\'', "''"))),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    });
    let words = words.collect::<Option<Vec<String>>>()?;
    let more = words
        .len()
        .checked_sub(VALUES_TOLD_MAX)
        .filter(|more| *more > 0);
    let told = words.get(..VALUES_TOLD_MAX.min(words.len()))?.join(", ");
    match (words.is_empty(), more) {
        (true, _) => None,
        (false, None) => Some(format!("{ONE_OF}{told}")),
        (false, Some(more)) => Some(format!("{ONE_OF}{told} and {more} more")),
    }
}

/// The order in which sentences are read.
fn rank(sentence: &str) -> u8 {
    match sentence {
        UNIQUE => 0,
        NOT_NULL => 1,
        _ => 2,
    }
}

const UNIQUE: &str = "unique";
const NOT_NULL: &str = "never NULL";
const ONE_OF: &str = "one of ";

/// Values in one sentence: more are a table of their own.
const VALUES_TOLD_MAX: usize = 30;
