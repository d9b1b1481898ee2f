//! What a policy says of relations that a database does not have: models that have the name of
//! none, and masks and conditions that name none.
//!
//! A table was renamed, or a name is misspelt: whatever it was meant for would be read without it.
//! So relations that may be that one are not read until the policy and the database agree: those of
//! the same schema, or all where there is no such schema. What has a model of its own is read
//! through that.

use crate::access::patterns::names_of;
use crate::access::server_objects;
use catalog::unreadable_names::is_kept;
use catalog::{Catalog, RelationId};
use policy::access::{Glob, RelationPattern};
use policy::similar_names::nearest;
use policy::{Policy, PolicyModel};

/// One such entry.
pub(crate) struct UnmatchedEntry {
    key: String,
    kind: EntryKind,
    near: Option<(RelationId, String)>,
    /// Where the relation may be that was meant; none where that is anywhere.
    schema: Option<Glob>,
}

/// What an entry would have done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryKind {
    Model,
    Mask,
    Filter,
}

impl UnmatchedEntry {
    /// All of a policy, those under `models` first.
    pub(super) fn all(catalog: &Catalog, policy: &Policy) -> Vec<Self> {
        if !policy.has_models() {
            return Vec::new();
        }
        let access = policy.access();
        let is_nothing = |pattern: &RelationPattern| {
            let mut all = catalog.relations().map(|(id, _)| names_of(catalog, id));
            !all.any(|(schema, name)| pattern.names(schema, name))
        };
        let models = policy.models().iter().filter(|model| !model.is_new);
        let models = models.map(|model| {
            let key = format!("models.{}.{}", model.schema, model.name);
            (key, EntryKind::Model, pattern_of(model))
        });
        let masks = access.columns_masked.iter().map(|masked| &masked.pattern);
        let masks = masks.filter(|pattern| !pattern.relation.is_wild());
        let masks = masks.map(|pattern| {
            let key = format!("columns.mask.{pattern}");
            (key, EntryKind::Mask, pattern.relation.clone())
        });
        let filters = access.rows.iter().map(|filter| {
            let key = format!("rows.{}", filter.pattern);
            (key, EntryKind::Filter, filter.pattern.clone())
        });
        let all = models.chain(masks).chain(filters);
        let all = all.filter(|(_, _, pattern)| is_nothing(pattern));
        all.map(|(key, kind, pattern)| Self::of(catalog, key, kind, &pattern))
            .collect()
    }

    /// One of a model that has the name of no relation.
    pub(crate) fn of_model(catalog: &Catalog, model: &PolicyModel) -> Self {
        let key = format!("models.{}.{}", model.schema, model.name);
        Self::of(catalog, key, EntryKind::Model, &pattern_of(model))
    }

    fn of(catalog: &Catalog, key: String, kind: EntryKind, pattern: &RelationPattern) -> Self {
        let mut schemas = catalog.schemas();
        let has_schema = schemas.any(|(_, schema)| {
            let name = catalog.names().text(schema.name);
            !is_kept(name) && pattern.schema.matches(name)
        });
        Self {
            key,
            kind,
            near: nearest_relation(catalog, &written(pattern)),
            schema: has_schema.then(|| pattern.schema.clone()),
        }
    }

    /// The place of the first entry that may be meant for a relation of these names.
    pub(super) fn first_for(
        all: &[Self],
        policy: &Policy,
        (schema, name): (&str, &str),
    ) -> Option<usize> {
        let mut filters = policy.access().rows.iter().map(|filter| &filter.pattern);
        let is_filtered = filters.any(|one| !one.is_wild() && one.names(schema, name));
        all.iter()
            .position(|entry| entry.may_mean(schema, is_filtered))
    }

    /// Its key in the policy.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// The relation that was probably meant.
    pub(crate) fn near(&self) -> Option<RelationId> {
        self.near.as_ref().map(|(id, _)| *id)
    }

    /// Whether it is a model, whose own name says what is wrong.
    pub(crate) fn is_model(&self) -> bool {
        self.kind == EntryKind::Model
    }

    /// What is wrong with it, for the policy's author.
    pub(crate) fn problem(&self) -> String {
        let near = self.near.as_ref().map(|(_, name)| name.as_str());
        let near = near.map_or_else(String::new, |near| format!(" (did you mean {near}?)"));
        let (verb, more) = match self.kind {
            EntryKind::Model => (
                "filters",
                "; a model under a name of its own says new: true",
            ),
            EntryKind::Mask => ("masks", ""),
            EntryKind::Filter => ("filters", ""),
        };
        let which = match self.schema {
            Some(_) => "relations of the schema",
            None => "relations of all schemas (there is none of this name)",
        };
        format!(
            "there is no relation of this name{near}, so that it {verb} nothing: {which} that have \
             no model of their own are refused{more}"
        )
    }

    /// Whether a relation may be the one that was meant. `is_filtered` says whether a condition
    /// names it, and no other one.
    pub(super) fn may_mean(&self, schema: &str, is_filtered: bool) -> bool {
        let is_there = match &self.schema {
            Some(own) => is_kept(schema) || own.matches(schema),
            None => true,
        };
        is_there && !(is_filtered && self.kind == EntryKind::Filter)
    }
}

/// The name that was probably meant, of those that are not the server's own.
pub(crate) fn nearest_relation(catalog: &Catalog, written: &str) -> Option<(RelationId, String)> {
    let of_users = catalog.relations().filter(|(_, relation)| {
        !server_objects::is_of_server(catalog.schema(relation.schema).kind)
    });
    let named = of_users.map(|(id, _)| {
        let (schema, name) = names_of(catalog, id);
        (id, format!("{schema}.{name}"))
    });
    let named: Vec<(RelationId, String)> = named.collect();
    let near = nearest(written, named.iter().map(|(_, name)| name.as_str()))?.to_owned();
    named.into_iter().find(|(_, name)| *name == near)
}

fn pattern_of(model: &PolicyModel) -> RelationPattern {
    RelationPattern {
        schema: Glob::new(&model.schema),
        name: Glob::new(&model.name),
    }
}

/// A pattern as names are written, without quotes.
fn written(pattern: &RelationPattern) -> String {
    let part = |glob: &Glob| glob.exact().map_or_else(|| glob.to_string(), str::to_owned);
    format!("{}.{}", part(&pattern.schema), part(&pattern.name))
}
