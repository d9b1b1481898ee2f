//! What a session may read, in the words in which it is told. It holds nothing else: whatever
//! prints it cannot tell more.

use std::collections::BTreeMap;

use serde::Serialize;

/// All of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Grounding {
    /// The database's name.
    pub database: String,
    /// The server, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<GroundedServer>,
    /// What can stand in FROM, by schema and name.
    pub relations: Vec<GroundedRelation>,
    /// Functions that may be called, by schema and name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<GroundedFunction>,
    /// What people know and the catalog does not say, by kind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub knowledge: Vec<GroundedRecord>,
    /// What there was no room for, in plain words, in the order in which it was left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// The server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GroundedServer {
    /// Its version, as it says it.
    pub version: String,
    /// What matters when SQL is written for it, a sentence each.
    pub notes: Vec<String>,
}

/// Something that can stand in FROM.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GroundedRelation {
    /// Its schema, as SQL spells it.
    pub schema: String,
    /// Its name, as SQL spells it.
    pub name: String,
    /// `table`, `view`, `materialized view`, `foreign table`, `partitioned table` or `model`.
    pub kind: &'static str,
    /// What it is, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The planner's estimate of its rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Its columns, in their order.
    pub columns: Vec<GroundedColumn>,
    /// The columns of its primary key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub primary_key: Vec<String>,
    /// The columns of each unique key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unique_keys: Vec<Vec<String>>,
    /// What it refers to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub foreign_keys: Vec<GroundedForeignKey>,
    /// Its indexes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<GroundedIndex>,
    /// How many of its columns there was no room for.
    #[serde(skip_serializing_if = "is_zero")]
    pub columns_left_out: usize,
}

/// A column.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GroundedColumn {
    /// Its name, as SQL spells it.
    pub name: String,
    /// Its type, with its modifier: `numeric(10,2)`.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Whether it is never NULL.
    pub not_null: bool,
    /// Whether the server computes it.
    #[serde(skip_serializing_if = "is_false")]
    pub is_generated: bool,
    /// Whether a model calculates it from its other columns.
    #[serde(skip_serializing_if = "is_false")]
    pub is_calculated: bool,
    /// What it is, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// All labels of its enumeration, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// All values that it has, where they are few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<String>,
    /// What the planner knows of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistics: Option<GroundedStatistics>,
    /// Whether it is one of many that may be needed, and told by its name and type alone.
    #[serde(skip)]
    pub is_brief: bool,
}

/// What the planner knows of a column.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GroundedStatistics {
    /// The share of NULLs, in hundredths.
    pub null_percent: u8,
    /// The estimated number of distinct values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distinct: Option<u64>,
    /// The most common values, most common first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub common_values: Vec<String>,
}

/// A foreign key.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct GroundedForeignKey {
    /// The columns that refer.
    pub columns: Vec<String>,
    /// The relation to which they refer, with its schema.
    pub to: String,
    /// The columns there, in the same order.
    pub to_columns: Vec<String>,
}

/// An index.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct GroundedIndex {
    /// Its access method: `btree`.
    pub method: String,
    /// Its columns, in order.
    pub columns: Vec<String>,
    /// Whether each combination of values occurs once.
    pub is_unique: bool,
}

/// A function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GroundedFunction {
    /// Its name with its schema and arguments: `shop.f(amount numeric, times integer DEFAULT …)`.
    pub signature: String,
    /// What it returns.
    pub returns: String,
    /// What it is, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// A record of knowledge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GroundedRecord {
    /// Its kind: `term`, `quirk`, `correction`, `relationship`, `metric`, `example`, `clarify` or
    /// `style`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// What it says, by what that is in such a record: `meaning`, `note`, `question`.
    #[serde(flatten)]
    pub says: BTreeMap<&'static str, String>,
    /// What it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<String>,
    /// The relations that it is about and that are told, as SQL spells them with their schemas.
    #[serde(skip)]
    pub relations: Vec<String>,
}

impl GroundedRecord {
    /// It in one sentence.
    pub fn sentence(&self) -> String {
        let said = |what| self.says.get(what).map_or("", String::as_str);
        let about = self.about.join(", ");
        match self.kind {
            "term" => format!("{}: {}", said("term"), said("meaning")),
            "quirk" => format!("{about}: {}", said("note")),
            "correction" => format!("Not {} but {}", said("wrong"), said("right")),
            "relationship" => {
                let note = match said("note") {
                    "" => String::new(),
                    note => format!(": {note}"),
                };
                let (from, to) = (said("from"), said("to"));
                format!("{from} refers to {to}, although no key says so{note}")
            }
            "metric" => self.metric_sentence(),
            "example" => format!("{} {}", said("question"), said("sql")),
            "clarify" => format!("{} Ask: {}", said("when"), said("ask")),
            _ => said("note").to_owned(),
        }
    }

    /// How a figure is computed, and how it is read.
    fn metric_sentence(&self) -> String {
        let said = |what| self.says.get(what).map_or("", String::as_str);
        let with = |before: &str, what| match said(what) {
            "" => String::new(),
            text => format!("{before}{text}"),
        };
        let computed = format!(
            "{} is {} over {}{}{}{}",
            self.name,
            said("measure"),
            said("base"),
            with(" where ", "filters"),
            with(", by ", "dimensions"),
            with(", over time by ", "time"),
        );
        let read = match said("read_as") {
            "" => String::new(),
            name => format!(
                "; {name} reads it, a metric and no table: grouped by the dimensions that the \
                 SELECT names"
            ),
        };
        format!("{computed}{read}{}", with(". ", "note"))
    }
}

impl GroundedRelation {
    /// Its name with its schema.
    pub fn qualified_name(&self) -> String {
        format!("{}.{}", self.schema, self.name)
    }

    /// Whether a column is part of a key, or refers to one.
    pub fn is_key_column(&self, name: &str) -> bool {
        let unique = self.unique_keys.iter().flatten();
        let referring = self.foreign_keys.iter().flat_map(|key| &key.columns);
        let mut all = self.primary_key.iter().chain(unique).chain(referring);
        all.any(|column| column == name)
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes what it may skip by reference"
)]
fn is_false(value: &bool) -> bool {
    !*value
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes what it may skip by reference"
)]
fn is_zero(value: &usize) -> bool {
    *value == 0
}
