//! The schema or relation that a statement asks about, among those that the client may see.

use crate::names::suggestions::{LISTED_MAX, best, nearness};
use crate::{Confidence, SessionDatabase};
use catalog::quote::quoted;
use catalog::{RelationId, RelationKind, SchemaId, SchemaKind};
use ground::limits::NAMES_RELATIONS_MAX;

/// A relation that is asked about.
#[derive(Clone, Copy)]
pub(super) struct FoundRelation {
    /// It.
    pub(super) id: RelationId,
    /// How sure.
    pub(super) confidence: Confidence,
}

/// The database as far as the client may see it.
pub(super) struct Lookup<'a> {
    database: &'a SessionDatabase<'a>,
}

impl<'a> Lookup<'a> {
    pub(super) fn new(database: &'a SessionDatabase<'a>) -> Self {
        Self { database }
    }

    /// The relation of a name with dots.
    ///
    /// # Errors
    /// Words about what there is instead.
    pub(super) fn relation(&self, parts: &[String]) -> Result<FoundRelation, String> {
        let (Some(name), schema) = (parts.last(), parts.iter().nth_back(1)) else {
            return Err("The name of a relation is missing.".to_owned());
        };
        let known = schema.map(|schema| self.schema_of(schema));
        let all = match known {
            Some(Some(schema)) => self.relations_in(|own| own == schema),
            Some(None) | None => self.relations_in(|own| !self.is_system(own)),
        };
        let surely = match (known, schema) {
            (Some(None), Some(schema)) if !is_default(schema) => Confidence::Likely,
            _ => Confidence::Exact,
        };
        let path = self.database.path.schemas();
        let is_led_to = |id: &RelationId| path.contains(&self.schema_id(*id));
        let same = |id: &&RelationId| self.name(**id) == name;
        let folded = name.to_lowercase();
        let alike = |id: &&RelationId| self.name(**id).to_lowercase() == folded;
        let is_near = |id: &&RelationId| known.flatten().is_some() || is_led_to(id);
        let first = path.iter().find_map(|schema| {
            let mut here = all.iter().filter(|id| self.schema_id(**id) == *schema);
            here.find(same)
        });
        let near: Vec<RelationId> = all.iter().filter(is_near).filter(alike).copied().collect();
        let anywhere: Vec<RelationId> = all.iter().filter(alike).copied().collect();
        let exact = near.iter().find(same).filter(|_| known.flatten().is_some());
        let (id, confidence) = match (exact.or(first), near.as_slice(), anywhere.as_slice()) {
            (Some(id), _, _) | (None, [id], _) => (*id, surely),
            (None, [], [id]) => (*id, Confidence::Likely),
            _ => return Err(self.nearest(name, schema.map(String::as_str), &all, &anywhere)),
        };
        Ok(FoundRelation { id, confidence })
    }

    /// The schema of a name; none where it means those that the path leads to.
    ///
    /// # Errors
    /// Words about what there is instead.
    pub(super) fn schema(&self, parts: &[String]) -> Result<Option<&'a str>, String> {
        let Some(name) = parts.last() else {
            return Ok(None);
        };
        if let Some(schema) = self.schema_of(name) {
            return Ok(Some(self.schema_text(schema)));
        }
        if is_default(name) {
            return Ok(None);
        }
        let schemas: Vec<String> = (self.schemas().into_iter())
            .take(LISTED_MAX)
            .map(|id| self.database.catalog.schema_name(id))
            .collect();
        Err(format!(
            "There is no schema {}; there are {}. Without FROM the tables of this database are \
             listed.",
            quoted(name),
            schemas.join(", ")
        ))
    }

    /// The first schema that the path leads to.
    pub(super) fn first_schema(&self) -> &'a str {
        let mut path = self.database.path.schemas().iter();
        let first = path.find(|schema| !self.is_system(**schema));
        first.map_or("public", |schema| self.schema_text(*schema))
    }

    /// The name of a relation, as a value of `regclass`.
    pub(super) fn regclass(&self, id: RelationId) -> String {
        let name = self.database.catalog.relation_name(id);
        format!("{}::pg_catalog.regclass", literal(&name))
    }

    /// The schema and the name of a relation.
    pub(super) fn parts(&self, id: RelationId) -> (&'a str, &'a str) {
        (self.schema_text(self.schema_id(id)), self.name(id))
    }

    /// The condition by which a relation `c` is one that the policy does not hide. Numbers say
    /// which it hides, never names.
    pub(super) fn unhidden_relations(&self) -> String {
        let Some(mask) = self.database.mask else {
            return String::new();
        };
        let catalog = self.database.catalog;
        let hidden = catalog.relations().filter(|(id, relation)| {
            is_read(relation.kind) && mask.hides(*id) && !self.is_system(relation.schema)
        });
        let numbers: Vec<String> = hidden.map(|(_, one)| one.oid.0.to_string()).collect();
        match numbers.is_empty() {
            true => String::new(),
            false => format!(" AND c.oid NOT IN ({})", numbers.join(", ")),
        }
    }

    /// The condition by which a column `a` is one that the client may read: of one relation, or of
    /// all of them.
    pub(super) fn unhidden_columns(&self, of: Option<RelationId>) -> String {
        let catalog = self.database.catalog;
        let rights = self.database.rights();
        let relations = catalog.relations().filter(|(id, relation)| match of {
            Some(of) => *id == of,
            None => is_read(relation.kind) && rights.sees_relation(*id),
        });
        let mut hidden: Vec<String> = Vec::new();
        for (id, relation) in relations {
            let columns = catalog.columns_of(id).iter();
            let kept = columns.filter(|column| !rights.may_read_column(id, column));
            let numbers: Vec<String> = kept.map(|column| column.number.to_string()).collect();
            if !numbers.is_empty() {
                let numbers = numbers.join(", ");
                hidden.push(match of {
                    Some(_) => format!(" AND a.attnum NOT IN ({numbers})"),
                    None => format!(
                        " AND NOT (a.attrelid = {} AND a.attnum IN ({numbers}))",
                        relation.oid.0
                    ),
                });
            }
        }
        hidden.concat()
    }

    /// The name of what the client may see that has this name in capitals, as Oracle keeps it.
    pub(super) fn name_in_capitals(&self, capitals: &str) -> Option<&'a str> {
        let relations = self.relations_in(|own| !self.is_system(own));
        let relations = relations.into_iter().map(|id| self.name(id));
        let schemas = self.schemas().into_iter().map(|id| self.schema_text(id));
        let mut all = relations.chain(schemas);
        all.find(|name| name.to_uppercase() == capitals)
    }

    fn nearest(
        &self,
        name: &str,
        schema: Option<&str>,
        all: &[RelationId],
        same: &[RelationId],
    ) -> String {
        let catalog = self.database.catalog;
        let whole = match schema {
            Some(schema) => format!("{}.{}", quoted(schema), quoted(name)),
            None => quoted(name).into_owned(),
        };
        if !same.is_empty() {
            let names = same.iter().take(LISTED_MAX);
            let names: Vec<String> = names.map(|id| catalog.relation_name(*id)).collect();
            return format!(
                "There is no relation {whole}; it may be {}.",
                names.join(" or ")
            );
        }
        let called =
            |id: RelationId| match self.database.path.schemas().contains(&self.schema_id(id)) {
                true => quoted(self.name(id)).into_owned(),
                false => catalog.relation_name(id),
            };
        let near = all.iter().take(NAMES_RELATIONS_MAX);
        let near = near.map(|id| (nearness(name, self.name(*id), &[]), called(*id)));
        let names = best(near.collect());
        if !names.is_empty() {
            return format!(
                "There is no relation {whole}; the nearest are {}.",
                names.join(", ")
            );
        }
        format!(
            "There is no relation {whole}; information_schema.tables lists those that you may read."
        )
    }

    fn relations_in(&self, is_meant: impl Fn(SchemaId) -> bool) -> Vec<RelationId> {
        let rights = self.database.rights();
        let relations = self.database.catalog.relations();
        let seen = relations.filter(|(id, relation)| {
            is_read(relation.kind) && is_meant(relation.schema) && rights.sees_relation(*id)
        });
        seen.map(|(id, _)| id).collect()
    }

    /// The schemas that the client may use, without those of the system.
    fn schemas(&self) -> Vec<SchemaId> {
        let rights = self.database.rights();
        let schemas = self.database.catalog.schemas();
        let mut seen: Vec<SchemaId> = schemas
            .map(|(id, _)| id)
            .filter(|id| !self.is_system(*id) && rights.may_use_schema(*id))
            .collect();
        seen.sort_by_key(|id| self.schema_text(*id));
        seen
    }

    /// The schema that is called so, whatever the case.
    fn schema_of(&self, name: &str) -> Option<SchemaId> {
        let rights = self.database.rights();
        let schemas = self.database.catalog.schemas();
        let seen: Vec<SchemaId> = schemas
            .map(|(id, _)| id)
            .filter(|id| rights.may_use_schema(*id))
            .collect();
        let exact = seen.iter().find(|id| self.schema_text(**id) == name);
        let folded = name.to_lowercase();
        let mut alike = seen
            .iter()
            .filter(|id| self.schema_text(**id).to_lowercase() == folded);
        let only = alike.next().filter(|_| alike.next().is_none());
        exact.or(only).copied()
    }

    fn is_system(&self, schema: SchemaId) -> bool {
        self.database.catalog.schema(schema).kind != SchemaKind::Ordinary
    }

    fn name(&self, id: RelationId) -> &'a str {
        let catalog = self.database.catalog;
        catalog.names().text(catalog.relation(id).name)
    }

    fn schema_id(&self, id: RelationId) -> SchemaId {
        self.database.catalog.relation(id).schema
    }

    fn schema_text(&self, id: SchemaId) -> &'a str {
        let catalog = self.database.catalog;
        catalog.names().text(catalog.schema(id).name)
    }
}

/// A string of SQL.
pub(super) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Whether other systems call the place of everybody's tables so.
pub(super) fn is_default(schema: &str) -> bool {
    ["dbo", "main"]
        .iter()
        .any(|name| schema.eq_ignore_ascii_case(name))
}

fn is_read(kind: RelationKind) -> bool {
    match kind {
        RelationKind::Table
        | RelationKind::PartitionedTable
        | RelationKind::View
        | RelationKind::MaterializedView
        | RelationKind::ForeignTable => true,
        RelationKind::Sequence | RelationKind::CompositeType => false,
    }
}
