//! What the names of a statement stand for, and which entries of a policy speak about that.
//!
//! This is for people: what it shows is looked up beside the gate, and no verdict comes from here.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::catalog::{Catalog, FunctionId, RelationId, RelationKind, SchemaKind};
use crate::cli::policy::explain::list_entries::{ListEntry, PolicyLists};
use crate::gate::SearchPaths;
use crate::offline::script_session::ScriptSession;
use crate::policy::parts;
use crate::resolve::{self, KnownParameters, LookupContext, UsedObject};
use crate::sql::tree;

/// Something that a statement names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameFound {
    /// `relation`, `column`, `function`, or what could not be told.
    pub what: &'static str,
    /// What it is called.
    pub name: String,
    /// More about it.
    pub note: String,
    /// The entries of the policy that speak about it.
    pub said: Vec<MatchingEntry>,
}

/// What an entry says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchingEntry {
    /// `allow` or `deny`.
    pub list: &'static str,
    /// Which entry.
    pub entry: ListEntry,
    /// Whom it names, where that is a parent or a child of what is read.
    pub of: Option<String>,
}

/// Everything that the statements of a text name, in order, each once.
pub fn of(
    text: &str,
    catalog: &Catalog,
    script: &ScriptSession,
    lists: &PolicyLists,
) -> Vec<NameFound> {
    let Ok(parsed) = tree::parse(text) else {
        return Vec::new();
    };
    let SearchPaths::Known(paths) = script.names().paths() else {
        return vec![unknown("where names are looked up is not known")];
    };
    let Some(path) = paths.first() else {
        return Vec::new();
    };
    let role = catalog.role_named(script.names().role());
    let path = catalog.search_path(path, role);
    let lookup = LookupContext {
        catalog,
        path: &path,
        parameters: KnownParameters::Given(&[]),
    };
    let mut found = NameFinder {
        catalog,
        lists,
        parents: parents(catalog),
        found: Vec::new(),
    };
    if paths.len() > 1 {
        found.add(unknown("names may be looked up elsewhere, too"));
    }
    for statement in parsed.statements() {
        if !reads(statement.node) {
            continue;
        }
        match resolve::statement(statement.node, &lookup) {
            Ok(resolution) => {
                for used in resolution.uses {
                    found.take(&used.what);
                }
            }
            Err(_) => found.add(unknown("nests deeper than its names are followed")),
        }
    }
    found.found
}

impl NameFound {
    /// As a JSON object.
    pub fn fields(&self) -> Value {
        let said = self.said.iter().map(|said| {
            json!({
                "list": said.list,
                "pattern": said.entry.text,
                "place": said.entry.place,
                "of": said.of,
            })
        });
        json!({
            "what": self.what,
            "name": self.name,
            "note": self.note,
            "patterns": said.collect::<Vec<_>>(),
        })
    }
}

struct NameFinder<'a> {
    catalog: &'a Catalog,
    lists: &'a PolicyLists,
    parents: BTreeMap<RelationId, Vec<RelationId>>,
    found: Vec<NameFound>,
}

impl NameFinder<'_> {
    fn add(&mut self, found: NameFound) {
        if !self.found.contains(&found) {
            self.found.push(found);
        }
    }

    fn take(&mut self, what: &UsedObject<'_>) {
        match what {
            UsedObject::Relation { id, only } => self.relation(*id, *only),
            UsedObject::MissingRelation { schema, name } => {
                let schema = schema
                    .as_ref()
                    .map(|schema| format!("{}.", schema.as_str()));
                let model = self.of_new_model(schema.as_deref(), name.as_str());
                let name = format!("{}{}", schema.unwrap_or_default(), name.as_str());
                self.add(match model {
                    Some(ListEntry { text, place }) => NameFound {
                        what: "model",
                        name,
                        note: format!("the one at {place}{}", self.calculated_columns(&text)),
                        said: Vec::new(),
                    },
                    None => NameFound {
                        name,
                        ..unknown("the catalog knows no such relation")
                    },
                });
            }
            UsedObject::CommonTable { name } => self.add(NameFound {
                what: "query of WITH",
                name: name.as_str().to_owned(),
                note: String::new(),
                said: Vec::new(),
            }),
            UsedObject::Column { origin, .. } => {
                if let Some((relation, number)) = origin {
                    self.column(*relation, *number);
                }
            }
            UsedObject::WholeRow { relation, .. } => {
                if let Some(relation) = relation {
                    let name = self.catalog.relation_name(*relation);
                    self.add(NameFound {
                        what: "whole row",
                        name,
                        note: "every column of it is read".into(),
                        said: Vec::new(),
                    });
                }
            }
            UsedObject::Functions { candidates, .. } => {
                for function in candidates {
                    self.function(*function);
                }
            }
            UsedObject::AmbiguousColumn { name, .. } | UsedObject::MissingColumn { name, .. } => {
                let found = self.missing_column(name.as_str());
                self.add(found);
            }
            UsedObject::MissingFunction => self.add(unknown("a function that the catalog lacks")),
            UsedObject::Unclear => self.add(unknown("something whose meaning cannot be told")),
            UsedObject::Operators { .. }
            | UsedObject::Cast { .. }
            | UsedObject::Coercion { .. }
            | UsedObject::Type { .. }
            | UsedObject::Compared { .. } => {}
        }
    }

    fn relation(&mut self, id: RelationId, only: bool) {
        let mut said = Vec::new();
        self.about_relation(id, None, &mut said);
        for (ancestor, name) in self.above(id) {
            self.about_relation(ancestor, Some(name), &mut said);
        }
        if !only {
            for (child, name) in self.below(id) {
                self.about_relation(child, Some(name), &mut said);
            }
        }
        let schema = self.catalog.schema(self.catalog.relation(id).schema).kind;
        let server = matches!(schema, SchemaKind::Catalog | SchemaKind::InformationSchema);
        let listed = self.lists.has(&["relations", "allow"]);
        let allowed = said.iter().any(|said| said.list == "allow");
        let model = self.of_model(id);
        let kind = kind(self.catalog.relation(id).kind);
        let note = match model {
            Some(ListEntry { text, place }) => {
                let said =
                    format!("{kind}; the model at {place} stands for it, whatever the lists say");
                said + &self.calculated_columns(&text)
            }
            None if listed && !allowed && !server => {
                format!("{kind}; no entry of relations.allow names it")
            }
            None => kind.to_owned(),
        };
        self.add(NameFound {
            what: "relation",
            name: self.catalog.relation_name(id),
            note,
            said,
        });
    }

    fn about_relation(&self, id: RelationId, of: Option<String>, said: &mut Vec<MatchingEntry>) {
        let (schema, name) = self.written(id);
        for (list, path) in [
            ("allow", ["relations", "allow"]),
            ("deny", ["relations", "deny"]),
        ] {
            let entries = self.lists.entries(&path).into_iter();
            let entries = entries.filter(|entry| entry.names_relation(schema, name));
            said.extend(entries.map(|entry| MatchingEntry {
                list,
                entry,
                of: of.clone(),
            }));
        }
    }

    fn column(&mut self, relation: RelationId, number: i16) {
        let columns = self.catalog.columns_of(relation).iter();
        let Some(column) = columns.into_iter().find(|column| column.number == number) else {
            return;
        };
        let column = self.catalog.names().text(column.name);
        let mut said = Vec::new();
        let family = [(relation, None)]
            .into_iter()
            .chain(
                self.above(relation)
                    .into_iter()
                    .map(|(id, name)| (id, Some(name))),
            )
            .chain(
                self.below(relation)
                    .into_iter()
                    .map(|(id, name)| (id, Some(name))),
            );
        for (id, of) in family {
            let (schema, name) = self.written(id);
            for (list, path) in [
                ("allow", ["columns", "allow"]),
                ("deny", ["columns", "deny"]),
            ] {
                let entries = self.lists.entries(&path).into_iter();
                let entries = entries.filter(|entry| entry.names_column(schema, name, column));
                said.extend(entries.map(|entry| MatchingEntry {
                    list,
                    entry,
                    of: of.clone(),
                }));
            }
        }
        let name = format!("{}.{column}", self.catalog.relation_name(relation));
        self.add(NameFound {
            what: "column",
            name,
            note: String::new(),
            said,
        });
    }

    fn function(&mut self, id: FunctionId) {
        let function = self.catalog.function(id);
        let schema = self.catalog.schema(function.schema).name;
        let (schema, name) = (
            self.catalog.names().text(schema),
            self.catalog.names().text(function.name),
        );
        let mut said = Vec::new();
        for (list, path) in [
            ("allow", ["functions", "allow"]),
            ("deny", ["functions", "deny"]),
        ] {
            let entries = self.lists.entries(&path).into_iter();
            let entries = entries.filter(|entry| entry.names_function(schema, name));
            said.extend(entries.map(|entry| MatchingEntry {
                list,
                entry,
                of: None,
            }));
        }
        // Built-ins that nobody speaks about are not worth a line.
        if function.oid.is_built_in() && said.is_empty() {
            return;
        }
        self.add(NameFound {
            what: "function",
            name: self.catalog.function_signature(id),
            note: String::new(),
            said,
        });
    }

    /// The calculated columns of the model under a key, as the end of a note.
    fn calculated_columns(&self, model: &str) -> String {
        let columns = self.lists.calculated(model).into_iter();
        let columns: Vec<String> = columns.map(|column| column.text).collect();
        match columns.is_empty() {
            true => String::new(),
            false => format!(", and calculates {}", columns.join(", ")),
        }
    }

    /// A column that no relation of a statement has: a model may calculate it.
    fn missing_column(&self, name: &str) -> NameFound {
        let mut models = self.lists.entries(&["models"]).into_iter();
        let calculated = models.find_map(|model| {
            let mut columns = self.lists.calculated(&model.text).into_iter();
            columns.find(|column| column.text == name)
        });
        match calculated {
            Some(ListEntry { text, place }) => NameFound {
                what: "column",
                name: text,
                note: format!("a model calculates one of this name at {place}"),
                said: Vec::new(),
            },
            None => NameFound {
                name: name.to_owned(),
                ..unknown("no column of this name is in reach, or several")
            },
        }
    }

    fn of_model(&self, id: RelationId) -> Option<ListEntry> {
        let (schema, name) = self.written(id);
        let models = self.lists.entries(&["models"]);
        let mut models = models.into_iter();
        models.find(|model| parts(&model.text).is_some_and(|parts| parts == [schema, name]))
    }

    /// Where a model stands that is no relation of the database, and may be meant by this name;
    /// the schema with its dot.
    fn of_new_model(&self, schema: Option<&str>, name: &str) -> Option<ListEntry> {
        let mut models = self.lists.entries(&["models"]).into_iter();
        models.find(|model| {
            let parts = parts(&model.text).unwrap_or_default();
            let [own, called] = parts.as_slice() else {
                return false;
            };
            called == name && schema.is_none_or(|schema| schema.strip_suffix('.') == Some(own))
        })
    }

    fn written(&self, id: RelationId) -> (&str, &str) {
        let relation = self.catalog.relation(id);
        let names = self.catalog.names();
        let schema = self.catalog.schema(relation.schema).name;
        (names.text(schema), names.text(relation.name))
    }

    /// The relations that it is a child or partition of, at any distance.
    fn above(&self, id: RelationId) -> Vec<(RelationId, String)> {
        self.far(id, |id| self.parents.get(&id).cloned().unwrap_or_default())
    }

    /// Its children and partitions, at any distance.
    fn below(&self, id: RelationId) -> Vec<(RelationId, String)> {
        self.far(id, |id| self.catalog.relation(id).children.to_vec())
    }

    fn far(
        &self,
        id: RelationId,
        next: impl Fn(RelationId) -> Vec<RelationId>,
    ) -> Vec<(RelationId, String)> {
        let mut found: Vec<RelationId> = Vec::new();
        let mut waiting = next(id);
        while let Some(id) = waiting.pop() {
            if !found.contains(&id) {
                found.push(id);
                waiting.extend(next(id));
            }
        }
        let named = found.into_iter();
        named
            .map(|id| (id, self.catalog.relation_name(id)))
            .collect()
    }
}

fn parents(catalog: &Catalog) -> BTreeMap<RelationId, Vec<RelationId>> {
    let mut parents: BTreeMap<RelationId, Vec<RelationId>> = BTreeMap::new();
    for (id, relation) in catalog.relations() {
        for child in &relation.children {
            parents.entry(*child).or_default().push(id);
        }
    }
    parents
}

/// Whether a statement is a query, or carries one.
fn reads(node: tree::Node<'_>) -> bool {
    matches!(
        node,
        tree::Node::SelectStmt(_)
            | tree::Node::ExplainStmt(_)
            | tree::Node::DeclareCursorStmt(_)
            | tree::Node::PrepareStmt(_)
            | tree::Node::CopyStmt(_)
    )
}

fn kind(kind: RelationKind) -> &'static str {
    match kind {
        RelationKind::Table => "table",
        RelationKind::PartitionedTable => "partitioned table",
        RelationKind::View => "view",
        RelationKind::MaterializedView => "materialized view",
        RelationKind::ForeignTable => "foreign table",
        RelationKind::Sequence => "sequence",
        RelationKind::CompositeType => "type",
    }
}

fn unknown(note: &str) -> NameFound {
    NameFound {
        what: "unknown",
        name: String::new(),
        note: note.to_owned(),
        said: Vec::new(),
    }
}
