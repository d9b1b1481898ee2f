//! Records of knowledge that a session is told: those that are about nothing that is hidden from
//! it.

use std::collections::{BTreeMap, BTreeSet};

use catalog::{RelationId, quoted};
use policy::knowledge::{AboutPattern, NamedColumns};
use policy::metric::{KnownMetric, MetricRelation};
use policy::{KnowledgeContent, KnowledgeRecord};

use super::document::GroundedRecord;
use super::hidden_names::HiddenNames;
use super::source::{GroundingSource, ModelDescription};
use super::visible::VisibleRelations;

/// What decides which records are told.
pub(crate) struct RecordChoice<'s> {
    pub(crate) source: &'s GroundingSource<'s>,
    pub(crate) visible: &'s VisibleRelations<'s>,
    pub(crate) hidden: &'s HiddenNames,
}

impl RecordChoice<'_> {
    /// The records that are told where these relations are, in the order of the policy.
    pub(crate) fn told(&self, chosen: &dyn Fn(RelationId) -> bool) -> Vec<GroundedRecord> {
        let records = self.source.knowledge.iter();
        let told = records.filter(|record| self.is_told(record, chosen));
        let told = told.filter_map(|record| {
            let relations = self
                .relations_of(record)
                .into_iter()
                .filter(|id| chosen(*id));
            let relations = relations.map(|id| self.source.qualified_name(id)).collect();
            Some(GroundedRecord {
                relations,
                ..self.grounded(record)?
            })
        });
        told.collect()
    }

    /// The relations that may be read and that a record is about.
    fn relations_of(&self, record: &KnowledgeRecord) -> BTreeSet<RelationId> {
        match &record.content {
            KnowledgeContent::Relationship(known) => {
                let sides = [&known.from, &known.to].into_iter();
                sides.filter_map(|side| self.relation_of(side)).collect()
            }
            KnowledgeContent::Metric(metric) => self
                .relation_of(&named_columns(metric))
                .into_iter()
                .collect(),
            _ => {
                let about = record.about.iter();
                about.flat_map(|pattern| self.named(pattern)).collect()
            }
        }
    }

    /// The relations that records join, as (from, to), where both may be read.
    pub(crate) fn links(&self) -> impl Iterator<Item = (RelationId, RelationId)> {
        let records = self.source.knowledge.iter();
        records.filter_map(|record| match &record.content {
            KnowledgeContent::Relationship(known) => {
                Some((self.relation_of(&known.from)?, self.relation_of(&known.to)?))
            }
            _ => None,
        })
    }

    /// Whether everything that a record is about may be read, and something of it is told of.
    fn is_told(&self, record: &KnowledgeRecord, chosen: &dyn Fn(RelationId) -> bool) -> bool {
        if let KnowledgeContent::Relationship(known) = &record.content {
            let sides = [&known.from, &known.to].map(|side| self.relation_of(side));
            let all = sides.iter().flatten().count() == sides.len();
            return all && sides.into_iter().flatten().any(chosen);
        }
        if let KnowledgeContent::Metric(metric) = &record.content {
            let base = &metric.base;
            let mut models = self.source.models.iter();
            let is_model = |model: &ModelDescription| {
                let has = |name: &String| model.columns.iter().any(|one| one.name == *name);
                model.schema == base.schema
                    && model.name == base.name
                    && metric.columns.iter().all(has)
            };
            return match self.relation_of(&named_columns(metric)) {
                Some(id) => chosen(id),
                None => models.any(is_model),
            };
        }
        let mut is_chosen = record.about.is_empty();
        for pattern in &record.about {
            let named: Vec<RelationId> = self.named(pattern).collect();
            let models = self.source.models.iter();
            let models = models.filter(|model| pattern.names_relation(&model.schema, &model.name));
            let is_of_model = models.count() > 0;
            if named.is_empty() && !is_of_model {
                return false;
            }
            is_chosen |= is_of_model || named.into_iter().any(chosen);
        }
        is_chosen
    }

    /// The relations that may be read and that a pattern names, or names a column of that may be.
    fn named<'p>(&'p self, pattern: &'p AboutPattern) -> impl Iterator<Item = RelationId> + 'p {
        let catalog = self.source.catalog;
        let names = catalog.names();
        self.visible.ids().filter(move |id| {
            let relation = catalog.relation(*id);
            let schema = names.text(catalog.schema(relation.schema).name);
            let name = names.text(relation.name);
            let has_column = || {
                let shown = self.visible.columns(*id);
                let mut columns = catalog.columns_of(*id).iter();
                columns.any(|column| {
                    shown.is_some_and(|shown| shown.contains(&column.number))
                        && pattern.names_column(schema, name, names.text(column.name))
                })
            };
            pattern.names_relation(schema, name) && (pattern.column.is_none() || has_column())
        })
    }

    /// The relation of some columns, where it and they may be read.
    fn relation_of(&self, named: &NamedColumns) -> Option<RelationId> {
        let of_relation = |id: &RelationId| {
            let catalog = self.source.catalog;
            let (relation, names) = (catalog.relation(*id), catalog.names());
            names.text(relation.name) == named.relation
                && names.text(catalog.schema(relation.schema).name) == named.schema
        };
        let id = self.visible.ids().find(of_relation)?;
        let shown = self.visible.columns(id)?;
        let catalog = self.source.catalog;
        let is_shown = |name: &String| {
            let mut columns = catalog.columns_of(id).iter();
            columns.any(|column| {
                catalog.names().text(column.name) == name.as_str() && shown.contains(&column.number)
            })
        };
        named.columns.iter().all(is_shown).then_some(id)
    }

    /// A record in the words in which it is told; none where one of them is the name of something
    /// hidden.
    fn grounded(&self, record: &KnowledgeRecord) -> Option<GroundedRecord> {
        let clean = |text: &str| self.hidden.clean(Some(&text.to_owned())).map(str::to_owned);
        let mut says = BTreeMap::new();
        for (what, text) in record.texts() {
            if !text.is_empty() {
                says.insert(what, clean(text)?);
            }
        }
        if let KnowledgeContent::Relationship(known) = &record.content {
            says.insert("from", spelled(&known.from));
            says.insert("to", spelled(&known.to));
        }
        if let KnowledgeContent::Metric(metric) = &record.content {
            for (what, text) in metric_says(metric) {
                says.insert(what, clean(&text)?);
            }
        }
        let about = record
            .about
            .iter()
            .map(|pattern| clean(&pattern.to_string()));
        Some(GroundedRecord {
            kind: record.kind().name(),
            name: clean(&record.name)?,
            says,
            about: about.collect::<Option<_>>()?,
            relations: Vec::new(),
        })
    }
}

/// The base of a metric with the columns that it is computed of.
fn named_columns(metric: &KnownMetric) -> NamedColumns {
    NamedColumns {
        schema: metric.base.schema.clone(),
        relation: metric.base.name.clone(),
        columns: metric.columns.clone(),
    }
}

/// What a metric says, by what that is.
fn metric_says(metric: &KnownMetric) -> Vec<(&'static str, String)> {
    let spelled = |own: &MetricRelation| format!("{}.{}", quoted(&own.schema), quoted(&own.name));
    let dimensions = metric.dimensions.iter().map(|one| {
        let name = quoted(&one.name);
        match *name == *one.expression {
            true => name.into_owned(),
            false => format!("{name} ({})", one.expression),
        }
    });
    let dimensions = dimensions.collect::<Vec<_>>().join(", ");
    let time = metric.time.as_deref().map(quoted).unwrap_or_default();
    let read_as = metric.readable_as.as_ref().map(spelled);
    let all = [
        ("base", spelled(&metric.base)),
        ("measure", metric.measure.clone()),
        ("dimensions", dimensions),
        ("time", time.into_owned()),
        ("filters", metric.filters.join(" AND ")),
        ("read_as", read_as.unwrap_or_default()),
    ];
    let said = all.into_iter().filter(|(_, text)| !text.is_empty());
    said.collect()
}

/// Columns of a relation as SQL spells them.
fn spelled(named: &NamedColumns) -> String {
    let columns = named.columns.iter().map(|name| quoted(name).into_owned());
    let columns = columns.collect::<Vec<_>>().join(", ");
    let (schema, relation) = (quoted(&named.schema), quoted(&named.relation));
    format!("{schema}.{relation}({columns})")
}
