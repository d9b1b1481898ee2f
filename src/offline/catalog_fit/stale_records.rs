//! Records of knowledge that speak of what a database does not have, or has no more.

use super::named_relation::{NamedRelation, near};
use crate::catalog::Catalog;
use crate::policy::knowledge::{AboutPattern, KnownRelationship, NamedColumns};
use crate::policy::metric::KnownMetric;
use crate::policy::{KnowledgeContent, KnowledgeRecord, Policy};

/// What is missing of what each record names: the record's path and a sentence. A record without a
/// sentence is about things that are there, or about nothing by name.
pub fn stale_records(policy: &Policy, catalog: &Catalog) -> Vec<(String, String)> {
    let records = policy.knowledge().records.iter();
    let mut records = records.filter(|record| !record.about.is_empty()).peekable();
    if records.peek().is_none() {
        return Vec::new();
    }
    let relations = catalog.relations();
    let relations = relations.map(|(id, _)| NamedRelation::of(catalog, id));
    let there = NamedThings {
        policy,
        catalog,
        relations: relations.collect(),
    };
    records
        .flat_map(|record| there.missing_of(record))
        .collect()
}

/// What names can be about.
struct NamedThings<'n> {
    policy: &'n Policy,
    catalog: &'n Catalog,
    relations: Vec<NamedRelation<'n>>,
}

impl NamedThings<'_> {
    fn missing_of(&self, record: &KnowledgeRecord) -> Vec<(String, String)> {
        let path = format!("knowledge.{}.{}", record.kind().name(), record.name);
        let missing = match &record.content {
            KnowledgeContent::Relationship(known) => self.missing_columns(known),
            KnowledgeContent::Metric(known) => self.missing_of_metric(record, known),
            _ => {
                let about = record.about.iter();
                about.filter_map(|pattern| self.missing(pattern)).collect()
            }
        };
        let told = missing.into_iter();
        told.map(|what: String| (path.clone(), what)).collect()
    }

    fn missing(&self, pattern: &AboutPattern) -> Option<String> {
        let relation = &pattern.relation;
        let mut models = self.policy.models().iter();
        if models.any(|model| pattern.names_relation(&model.schema, &model.name)) {
            return None;
        }
        let mut named = self
            .relations
            .iter()
            .filter(|own| own.is(relation))
            .peekable();
        if named.peek().is_none() {
            let near = near(&relation.to_string(), &self.relations);
            return Some(format!("{pattern} names no relation here{near}"));
        }
        let Some(column) = &pattern.column else {
            return None;
        };
        let has_it = named.any(|own| {
            let mut columns = self.catalog.columns_of(own.id).iter();
            columns.any(|known| column.matches(self.catalog.names().text(known.name)))
        });
        (!has_it).then(|| format!("{pattern} is no column here"))
    }

    fn missing_columns(&self, known: &KnownRelationship) -> Vec<String> {
        let sides = [&known.from, &known.to].into_iter();
        sides
            .filter_map(|side| self.missing_of_side(side))
            .collect()
    }

    /// What a metric is computed of and is not there; and what is there under the name that it is
    /// read by, so that it is not.
    fn missing_of_metric(&self, record: &KnowledgeRecord, known: &KnownMetric) -> Vec<String> {
        let base = &known.base;
        let mut models = self.policy.models().iter();
        let is_of_model =
            models.any(|model| model.schema == base.schema && model.name == base.name);
        let missing = match is_of_model {
            true => record.about.iter().find_map(|about| self.missing(about)),
            false => self.missing_of_side(&NamedColumns {
                schema: base.schema.clone(),
                relation: base.name.clone(),
                columns: known.columns.clone(),
            }),
        };
        let hiding = known.readable_as.as_ref().and_then(|own| {
            let mut relations = self.relations.iter();
            let mut models = self.policy.models().iter();
            let is_there = relations.any(|one| one.schema == own.schema && one.name == own.name)
                || models.any(|one| one.schema == own.schema && one.name == own.name);
            is_there.then(|| format!("{own} is a relation or model, and is read in its place"))
        });
        missing.into_iter().chain(hiding).collect()
    }

    fn missing_of_side(&self, side: &NamedColumns) -> Option<String> {
        // The columns of a model of its own are calculated along it; the model says what it lacks.
        let mut models = self.policy.models().iter().filter(|model| model.is_new);
        if models.any(|model| model.schema == side.schema && model.name == side.relation) {
            return None;
        }
        let mut relations = self.relations.iter();
        let found = relations.find(|own| own.schema == side.schema && own.name == side.relation);
        let Some(found) = found else {
            let name = format!("{}.{}", side.schema, side.relation);
            let near = near(&name, &self.relations);
            return Some(format!("{name} is no relation here{near}"));
        };
        let columns = self.catalog.columns_of(found.id);
        let is_missing = |name: &&String| {
            let mut columns = columns.iter();
            !columns.any(|known| self.catalog.names().text(known.name) == name.as_str())
        };
        let missing = side.columns.iter().find(is_missing)?;
        Some(format!("{found} has no column {missing}"))
    }
}
