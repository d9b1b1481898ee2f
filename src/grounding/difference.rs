//! What changed between an earlier grounding and what a session may read now, by name.

use std::fmt;

use serde::Deserialize;

use super::document::{GroundedRelation, Grounding};
use super::version::GroundingVersion;

/// What an earlier grounding in JSON says of names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct EarlierGrounding {
    /// Its version.
    pub grounding_version: String,
    relations: Vec<EarlierRelation>,
    #[serde(default)]
    left_out: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
struct EarlierRelation {
    schema: String,
    name: String,
    columns: Vec<EarlierColumn>,
    #[serde(default)]
    columns_left_out: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct EarlierColumn {
    name: String,
    #[serde(rename = "type")]
    type_name: String,
}

/// One thing that changed. Names are as SQL spells them, those of relations with their schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroundingChange {
    /// A relation can be read that could not.
    Added(String),
    /// A relation can no longer be read.
    Dropped(String),
    /// A relation is gone, and the only new one with the same columns is this.
    Renamed(String, String),
    /// A relation has one more column that can be read.
    ColumnAdded(String, String),
    /// A column can no longer be read.
    ColumnDropped(String, String),
    /// A column is gone, and the only new one of its type in that relation is this.
    ColumnRenamed(String, String, String),
    /// A column is of another type: before and now.
    ColumnRetyped(String, String, String, String),
}

impl EarlierGrounding {
    /// Reads the JSON of a grounding.
    ///
    /// # Errors
    /// It is no such JSON.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// What a whole grounding says of names.
    pub fn of(grounding: &Grounding, version: GroundingVersion) -> Self {
        Self {
            grounding_version: version.to_string(),
            relations: grounding.relations.iter().map(names_of).collect(),
            left_out: grounding.left_out.clone(),
        }
    }

    /// About how many bytes of memory its names take.
    pub fn bytes(&self) -> usize {
        let of_column = |own: &EarlierColumn| own.name.len() + own.type_name.len();
        let relations = self.relations.iter().map(|own| {
            let columns = own.columns.iter().map(of_column).sum::<usize>();
            let fields = size_of::<EarlierColumn>() * own.columns.len();
            size_of::<EarlierRelation>() + own.schema.len() + own.name.len() + columns + fields
        });
        relations.sum()
    }

    /// What changed since then, by relation. What a budget has left out of the earlier one is
    /// not taken for new.
    pub fn changes(&self, now: &Grounding) -> Vec<GroundingChange> {
        let now: Vec<EarlierRelation> = now.relations.iter().map(names_of).collect();
        let is_in = |all: &[EarlierRelation], one: &EarlierRelation| {
            all.iter().any(|other| other.qualified() == one.qualified())
        };
        let gone = self.relations.iter().filter(|one| !is_in(&now, one));
        let gone: Vec<&EarlierRelation> = gone.collect();
        let new = now.iter().filter(|one| !is_in(&self.relations, one));
        let mut new: Vec<&EarlierRelation> = new.collect();
        let mut changes = Vec::new();
        for one in &gone {
            let alike = |other: &&EarlierRelation| one.is_alike(other);
            let twins = gone.iter().copied().filter(alike).count();
            match only(new.iter().copied().filter(alike)).filter(|_| twins == 1) {
                Some(other) => {
                    new.retain(|one| *one != other);
                    changes.push(GroundingChange::Renamed(one.qualified(), other.qualified()));
                }
                None => changes.push(GroundingChange::Dropped(one.qualified())),
            }
        }
        if self.left_out.is_empty() {
            changes.extend(
                new.iter()
                    .map(|one| GroundingChange::Added(one.qualified())),
            );
        }
        for one in &self.relations {
            let other = now
                .iter()
                .find(|other| other.qualified() == one.qualified());
            if let Some(other) = other.filter(|other| !other.columns.is_empty()) {
                one.add_changes(other, &mut changes);
            }
        }
        changes
    }
}

impl EarlierRelation {
    fn qualified(&self) -> String {
        format!("{}.{}", self.schema, self.name)
    }

    /// Whether it has the same columns.
    fn is_alike(&self, other: &Self) -> bool {
        !self.columns.is_empty() && self.columns == other.columns
    }

    fn add_changes(&self, now: &Self, changes: &mut Vec<GroundingChange>) {
        if self.columns.is_empty() {
            return;
        }
        let relation = self.qualified();
        let named = |all: &[EarlierColumn], name: &str| {
            all.iter().find(|column| column.name == name).cloned()
        };
        let gone = self
            .columns
            .iter()
            .filter(|own| named(&now.columns, &own.name).is_none());
        let gone: Vec<&EarlierColumn> = gone.collect();
        let new = now
            .columns
            .iter()
            .filter(|own| named(&self.columns, &own.name).is_none());
        let mut new: Vec<&EarlierColumn> = new.collect();
        for own in &gone {
            let alike = |other: &&EarlierColumn| other.type_name == own.type_name;
            let twins = gone.iter().copied().filter(alike).count();
            changes.push(
                match only(new.iter().copied().filter(alike)).filter(|_| twins == 1) {
                    Some(other) => {
                        new.retain(|one| *one != other);
                        let (from, to) = (own.name.clone(), other.name.clone());
                        GroundingChange::ColumnRenamed(relation.clone(), from, to)
                    }
                    None => GroundingChange::ColumnDropped(relation.clone(), own.name.clone()),
                },
            );
        }
        if self.columns_left_out == 0 {
            let new = new.iter().map(|own| own.name.clone());
            changes.extend(new.map(|own| GroundingChange::ColumnAdded(relation.clone(), own)));
        }
        for own in &self.columns {
            if let Some(other) = named(&now.columns, &own.name)
                && other.type_name != own.type_name
            {
                changes.push(GroundingChange::ColumnRetyped(
                    relation.clone(),
                    own.name.clone(),
                    own.type_name.clone(),
                    other.type_name,
                ));
            }
        }
    }
}

/// The names of a relation that is told now.
fn names_of(relation: &GroundedRelation) -> EarlierRelation {
    let columns = relation.columns.iter().map(|column| EarlierColumn {
        name: column.name.clone(),
        type_name: column.type_name.clone(),
    });
    EarlierRelation {
        schema: relation.schema.clone(),
        name: relation.name.clone(),
        columns: columns.collect(),
        columns_left_out: relation.columns_left_out,
    }
}

/// The only one there is.
fn only<T>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

impl fmt::Display for GroundingChange {
    /// A line for people.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added(name) => write!(formatter, "added {name}"),
            Self::Dropped(name) => write!(formatter, "dropped {name}"),
            Self::Renamed(from, to) => write!(formatter, "renamed, probably: {from} to {to}"),
            Self::ColumnAdded(name, column) => write!(formatter, "added {name}.{column}"),
            Self::ColumnDropped(name, column) => write!(formatter, "dropped {name}.{column}"),
            Self::ColumnRenamed(name, from, to) => {
                write!(formatter, "renamed, probably: {name}.{from} to {to}")
            }
            Self::ColumnRetyped(name, column, from, to) => {
                write!(formatter, "retyped {name}.{column}: {from} to {to}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::GroundedColumn;

    /// Relations of `schema.name: column type, …`, one in a line.
    fn grounding(text: &str) -> Grounding {
        let relations = text.lines().map(|line| {
            let (name, columns) = line.split_once(':').unwrap();
            let (schema, name) = name.split_once('.').unwrap();
            let columns = columns
                .split(',')
                .map(str::trim)
                .filter(|one| !one.is_empty());
            let columns = columns.map(|column| {
                let (name, type_name) = column.split_once(' ').unwrap();
                GroundedColumn {
                    name: name.into(),
                    type_name: type_name.into(),
                    ..GroundedColumn::default()
                }
            });
            GroundedRelation {
                schema: schema.into(),
                name: name.into(),
                columns: columns.collect(),
                ..GroundedRelation::default()
            }
        });
        Grounding {
            relations: relations.collect(),
            ..Grounding::default()
        }
    }

    fn changes_of(mut before: Grounding, after: &str, left_out: &[&str]) -> String {
        before.left_out = left_out.iter().map(|what| (*what).to_owned()).collect();
        let mut written = serde_json::to_value(&before).unwrap();
        let fields = written.as_object_mut().unwrap();
        fields.insert("grounding_version".into(), "00".into());
        let earlier = EarlierGrounding::read(&written.to_string()).unwrap();
        let changes = earlier.changes(&grounding(after));
        let lines = changes.iter().map(ToString::to_string);
        lines.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn changes_are_told_by_name() {
        for (before, after, changes) in [
            ("s.a: x int", "s.a: x int", ""),
            ("s.a: x int", "s.a: x int\ns.b: y int", "added s.b"),
            ("s.a: x int\ns.b: y int", "s.a: x int", "dropped s.b"),
            ("s.a: x int", "s.b: x int", "renamed, probably: s.a to s.b"),
            ("s.a: x int", "t.a: x int", "renamed, probably: s.a to t.a"),
            ("s.a: x int", "s.b: x text", "dropped s.a; added s.b"),
            (
                "s.a: x int",
                "s.b: x int\ns.c: x int",
                "dropped s.a; added s.b; added s.c",
            ),
            (
                "s.a: x int\ns.b: x int",
                "s.c: x int",
                "dropped s.a; dropped s.b; added s.c",
            ),
            (
                "s.a: x int",
                "s.a: x bigint",
                "retyped s.a.x: int to bigint",
            ),
            ("s.a: x int", "s.a: x int, y int", "added s.a.y"),
            ("s.a: x int, y int", "s.a: x int", "dropped s.a.y"),
            (
                "s.a: x int, y text",
                "s.a: x int, z text",
                "renamed, probably: s.a.y to z",
            ),
            (
                "s.a: x int, y text",
                "s.a: x int, z int",
                "dropped s.a.y; added s.a.z",
            ),
            (
                "s.a: x int",
                "s.a: y int, z int",
                "dropped s.a.x; added s.a.y; added s.a.z",
            ),
            (
                "s.a: x int, y int",
                "s.a: z int",
                "dropped s.a.x; dropped s.a.y; added s.a.z",
            ),
            ("s.a: x int", "s.a:", ""),
            ("s.a:", "s.a: x int", ""),
            ("s.a:", "s.b:", "dropped s.a; added s.b"),
        ] {
            assert_eq!(
                changes_of(grounding(before), after, &[]),
                changes,
                "{before} → {after}"
            );
        }
    }

    #[test]
    fn what_was_left_out_is_not_new() {
        let mut before = grounding("s.a: x int");
        for relation in &mut before.relations {
            relation.columns_left_out = 1;
        }
        let after = "s.a: x bigint, y int\ns.b: z int";
        let changes = changes_of(before, after, &["1 relation"]);
        assert_eq!(changes, "retyped s.a.x: int to bigint");
        assert!(EarlierGrounding::read("{}").is_err());
    }
}
