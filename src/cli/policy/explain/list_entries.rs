//! The lists of a policy file as they are written, so that a person can be shown which entry says
//! something, and where it stands.

use std::sync::Arc;

use crate::policy::access::{ColumnPattern, Glob, RelationPattern};
use crate::policy::layers::PolicyLayers;
use crate::policy::parts;
use crate::policy::yaml::tree::{YamlTree, YamlValue};

/// A policy file with what it extends, entry by entry.
pub struct PolicyLists {
    tree: YamlTree,
    layers: Arc<PolicyLayers>,
}

/// An entry of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListEntry {
    /// As it is written.
    pub text: String,
    /// Line, column and key: `12:5 relations.deny`; in front of that the file, where it is one that
    /// the policy extends.
    pub place: String,
}

impl PolicyLists {
    /// The lists of texts that were read as a policy.
    pub fn of(layers: &Arc<PolicyLayers>) -> Self {
        Self {
            tree: layers.merged(),
            layers: Arc::clone(layers),
        }
    }

    /// The words of a list, or the keys of a map, under a path of keys; none where there is no such
    /// thing.
    pub fn entries(&self, path: &[&str]) -> Vec<ListEntry> {
        let Some(tree) = self.tree.below(path) else {
            return Vec::new();
        };
        let key = path.join(".");
        match &tree.value {
            YamlValue::List(list) => {
                let words = list.iter().filter_map(|item| match &item.value {
                    YamlValue::Word(word) => Some(ListEntry {
                        text: word.clone(),
                        place: self.layers.shown(item.place, &key),
                    }),
                    YamlValue::Nothing | YamlValue::List(_) | YamlValue::Map(_) => None,
                });
                words.collect()
            }
            YamlValue::Map(map) => {
                let keys = map.iter().map(|entry| ListEntry {
                    text: entry.key.clone(),
                    place: self.layers.shown(entry.place, &key),
                });
                keys.collect()
            }
            YamlValue::Word(word) => vec![ListEntry {
                text: word.clone(),
                place: self.layers.shown(tree.place, &key),
            }],
            YamlValue::Nothing => Vec::new(),
        }
    }
}

impl PolicyLists {
    /// The calculated columns of the model under this key.
    pub fn calculated(&self, model: &str) -> Vec<ListEntry> {
        let columns = self.tree.below(&["models", model, "columns"]);
        let columns = columns.map(YamlTree::entries).unwrap_or_default().iter();
        let columns = columns.filter(|column| column.tree.below(&["expression"]).is_some());
        let shown = columns.map(|column| ListEntry {
            text: column.key.clone(),
            place: self.layers.shown(column.place, "models"),
        });
        shown.collect()
    }

    /// Whether there is a list under a path of keys, however long.
    pub fn has(&self, path: &[&str]) -> bool {
        let found = self.tree.below(path);
        found.is_some_and(|tree| matches!(tree.value, YamlValue::List(_)))
    }
}

impl ListEntry {
    /// Whether it is a pattern that names a relation.
    pub fn names_relation(&self, schema: &str, name: &str) -> bool {
        relation(&self.text).is_some_and(|pattern| pattern.names(schema, name))
    }

    /// Whether it is a pattern that names a column.
    pub fn names_column(&self, schema: &str, relation: &str, name: &str) -> bool {
        column(&self.text).is_some_and(|pattern| {
            pattern.relation.names(schema, relation) && pattern.column.matches(name)
        })
    }

    /// Whether it is the name of a function, with or without its schema and its arguments.
    pub fn names_function(&self, schema: &str, name: &str) -> bool {
        let bare = match self.text.rfind('(') {
            Some(at) if self.text.ends_with(')') => self.text.get(..at).unwrap_or_default(),
            _ => &self.text,
        };
        match parts(bare).as_deref() {
            Some([own]) => own == name,
            Some([of, own]) => of == schema && own == name,
            _ => false,
        }
    }
}

fn relation(text: &str) -> Option<RelationPattern> {
    match parts(text)?.as_slice() {
        [schema, name] => Some(pattern(schema, name)),
        _ => None,
    }
}

fn column(text: &str) -> Option<ColumnPattern> {
    match parts(text)?.as_slice() {
        [schema, name, column] => Some(ColumnPattern {
            relation: pattern(schema, name),
            column: Glob::new(column),
        }),
        _ => None,
    }
}

fn pattern(schema: &str, name: &str) -> RelationPattern {
    RelationPattern {
        schema: Glob::new(schema),
        name: Glob::new(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::sources::layers_of_text;

    #[test]
    fn entries_are_found_with_their_places() {
        let text = "name: x\nextends: strict\nrelations:\n  deny: [shop.*, 'a.\"b.c\"']\n";
        let lists = PolicyLists::of(&Arc::new(layers_of_text(text).unwrap()));
        let entries = lists.entries(&["relations", "deny"]);
        assert_eq!(entries[0].place, "4:10 relations.deny");
        assert!(entries[0].names_relation("shop", "x"));
        assert!(!entries[0].names_relation("shops", "x"));
        assert!(entries[1].names_relation("a", "b.c"));
        assert!(lists.entries(&["relations", "allow"]).is_empty());
        let inherited = lists.entries(&["timeouts", "lock_timeout"]);
        assert!(inherited[0].place.starts_with("strict:"));
    }

    #[test]
    fn columns_and_functions_are_named() {
        let entry = |text: &str| ListEntry {
            text: text.to_owned(),
            place: String::new(),
        };
        assert!(entry("*.*.ssn").names_column("a", "b", "ssn"));
        assert!(!entry("*.*").names_column("a", "b", "ssn"));
        assert!(entry("shop.f(integer)").names_function("shop", "f"));
        assert!(entry("f").names_function("shop", "f"));
        assert!(!entry("other.f").names_function("shop", "f"));
        assert!(!entry("\"f").names_function("shop", "f"));
    }
}
