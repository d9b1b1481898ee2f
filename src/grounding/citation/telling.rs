//! Whether a record may be told: what it is about may be read, and no word of it is the name of
//! something hidden. Only what it names is looked at.

use std::cell::Cell;
use std::collections::BTreeMap;

use catalog::{FunctionId, NameId, RelationId, SchemaKind};
use ground::limits::knowledge::cited_records;
use policy::{KnowledgeContent, KnowledgeRecord};

use super::{CitationSource, names_of};
use crate::details::{CatalogDetails, ColumnSamples};
use crate::document::GroundedRecord;
use crate::facet::GroundingFacets;
use crate::hidden_names::{HiddenNames, mentioned_names};
use crate::known_records::RecordChoice;
use crate::source::{GroundingSource, ModelDescription};
use crate::visible::{VisibleRelations, shown_columns};

/// The gate, asked as often as it may be for one HINT.
pub(super) struct AskedGate<'s> {
    source: &'s CitationSource<'s>,
    left: Cell<usize>,
    covered: BTreeMap<RelationId, ModelDescription>,
    details: CatalogDetails,
    samples: ColumnSamples,
    facets: GroundingFacets,
}

impl<'s> AskedGate<'s> {
    /// Not yet.
    pub(super) fn new(source: &'s CitationSource<'s>) -> Self {
        Self {
            source,
            left: Cell::new(cited_records::RELATIONS_MAX),
            covered: covered_relations(source),
            details: CatalogDetails::default(),
            samples: ColumnSamples::new(),
            facets: GroundingFacets::default(),
        }
    }

    /// A record as it is told; none where it may not be.
    pub(super) fn told(&self, record: &KnowledgeRecord) -> Option<GroundedRecord> {
        let catalog = self.source.catalog;
        let about: Vec<String> = record.about.iter().map(ToString::to_string).collect();
        let mut texts: Vec<&str> = about.iter().map(String::as_str).collect();
        texts.extend(record.texts().into_iter().map(|(_, text)| text));
        texts.push(&record.name);
        let mentioned = mentioned_names(catalog, &texts);
        let functions: Vec<FunctionId> = (mentioned.iter())
            .flat_map(|name| catalog.index().functions(*name).iter().copied())
            .filter(|id| self.calls(*id))
            .collect();
        let is_read = |id: RelationId, columns: &[&str]| self.reads(id, columns);
        let grounding = self.grounding(&is_read, &functions);
        let mut visible = VisibleRelations::none(&grounding);
        look_at_subjects(&mut visible, &grounding, record);
        for name in &mentioned {
            look_at_named(&mut visible, &grounding, *name);
        }
        let visible = visible.seen();
        let hidden = HiddenNames::among(&grounding, &visible, &|name| mentioned.contains(&name));
        let choice = RecordChoice {
            source: &grounding,
            visible: &visible,
            hidden: &hidden,
        };
        choice.one(record)
    }

    /// The columns of a relation that may be read; none where it may not.
    pub(super) fn shown(&self, id: RelationId) -> Option<Vec<&'s str>> {
        let is_read = |id: RelationId, columns: &[&str]| self.reads(id, columns);
        let grounding = self.grounding(&is_read, &[]);
        let shown = shown_columns(&grounding, id)?;
        let catalog = self.source.catalog;
        let columns = catalog.columns_of(id).iter();
        let columns = columns.filter(|column| shown.contains(&column.number));
        let names = columns.map(|column| catalog.names().text(column.name));
        Some(names.collect())
    }

    /// All that says what may be told.
    fn grounding<'g>(
        &'g self,
        is_read: &'g dyn Fn(RelationId, &[&str]) -> bool,
        functions: &'g [FunctionId],
    ) -> GroundingSource<'g> {
        let catalog = self.source.catalog;
        let rights = catalog.rights_of(self.source.role);
        GroundingSource {
            database: "",
            catalog,
            privileges: rights.masked_by(self.source.mask),
            mask: self.source.mask,
            is_read,
            details: &self.details,
            covered: &self.covered,
            models: &[],
            samples: &self.samples,
            functions,
            knowledge: &[],
            facets: &self.facets,
            wanted: &[],
        }
    }

    fn reads(&self, id: RelationId, columns: &[&str]) -> bool {
        self.takes_one() && (self.source.is_read)(id, columns)
    }

    /// Whether a function of users may be called.
    fn calls(&self, id: FunctionId) -> bool {
        let catalog = self.source.catalog;
        let function = catalog.function(id);
        let is_of_users = catalog.schema(function.schema).kind == SchemaKind::Ordinary;
        let rights = catalog.rights_of(self.source.role);
        is_of_users
            && !function.of_extension()
            && rights.sees_function(id)
            && self.takes_one()
            && (self.source.is_called)(id)
    }

    /// Whether the gate is asked once more.
    fn takes_one(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 0
    }
}

/// Relations that are read as the policy's models say: what these do not give, the mask hides.
fn covered_relations(source: &CitationSource<'_>) -> BTreeMap<RelationId, ModelDescription> {
    let Some(mask) = source.mask else {
        return BTreeMap::new();
    };
    let all = source.catalog.relations().map(|(id, _)| id);
    let covered = all.filter(|id| mask.covers(*id));
    covered
        .map(|id| (id, ModelDescription::default()))
        .collect()
}

/// Looks at what a record is about: of each pattern up to the first relation that it names and that
/// may be read.
fn look_at_subjects(
    visible: &mut VisibleRelations<'_>,
    source: &GroundingSource<'_>,
    record: &KnowledgeRecord,
) {
    let catalog = source.catalog;
    let names = catalog.names();
    if let KnowledgeContent::Relationship(known) = &record.content {
        for side in [&known.from, &known.to] {
            if let Some(id) = catalog.relation_named(&side.schema, &side.relation) {
                visible.look_at(id);
            }
        }
    }
    for pattern in &record.about {
        let shows_it = |id: RelationId, visible: &mut VisibleRelations<'_>| {
            let (schema, name) = names_of(catalog, id);
            pattern.names_relation(schema, name)
                && visible.look_at(id)
                && shows_column(visible, source, id, |column| {
                    pattern.names_column(schema, name, names.text(column))
                })
        };
        let mut all = catalog.relations().map(|(id, _)| id);
        all.any(|id| shows_it(id, visible));
    }
}

/// Looks at what has a name, up to the first that may be read: a name that something visible has is
/// none that is hidden.
fn look_at_named(visible: &mut VisibleRelations<'_>, source: &GroundingSource<'_>, name: NameId) {
    let catalog = source.catalog;
    let called = catalog.index().relations(name).iter().copied();
    if called.into_iter().any(|id| visible.look_at(id)) {
        return;
    }
    let types = catalog.index().types(name).iter();
    let schemas: Vec<_> = (types.map(|id| catalog.data_type(*id).schema))
        .chain(catalog.index().schema(name))
        .collect();
    let relations = || catalog.relations();
    for schema in schemas {
        let mut within = relations().filter(|(_, relation)| relation.schema == schema);
        within.any(|(id, _)| visible.look_at(id));
    }
    let has_column = |id: &RelationId| {
        let mut columns = catalog.columns_of(*id).iter();
        columns.any(|column| column.name == name)
    };
    let mut owners = relations().map(|(id, _)| id).filter(has_column);
    owners.any(|id| visible.look_at(id) && shows_column(visible, source, id, |own| own == name));
}

/// Whether a relation that may be read shows such a column.
fn shows_column(
    visible: &VisibleRelations<'_>,
    source: &GroundingSource<'_>,
    id: RelationId,
    is_it: impl Fn(NameId) -> bool,
) -> bool {
    let shown = visible.columns(id);
    let mut columns = source.catalog.columns_of(id).iter();
    columns.any(|column| {
        shown.is_some_and(|shown| shown.contains(&column.number)) && is_it(column.name)
    })
}
