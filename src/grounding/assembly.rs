//! Makes the document of a source.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use catalog::{
    Catalog, Column, GeneratedKind, KeyKind, RelationId, RelationKind, TypeKind, quoted,
};

use super::document::{
    GroundedColumn, GroundedForeignKey, GroundedFunction, GroundedIndex, GroundedRecord,
    GroundedRelation, GroundedServer, Grounding,
};
use super::facet::GroundingFacet;
use super::hidden_names::HiddenNames;
use super::known_records::RecordChoice;
use super::source::{DescribedColumn, GroundingSource, ModelDescription};
use super::visible::VisibleRelations;
use super::{functions, statistics};

/// What a session may read of a source, in the facets that are wanted.
///
/// # Errors
/// The session may read no relation of a name that was asked for. Whether there is one is not told.
pub fn ground(source: &GroundingSource<'_>) -> Result<Grounding, UnreadableRelation> {
    let visible = VisibleRelations::of(source);
    let assembly = Assembly {
        source,
        hidden: HiddenNames::of(source, &visible),
        parts: parts_of(source.catalog),
        visible: &visible,
    };
    let has = |facet| source.facets.has(facet);
    for name in source.wanted {
        let is_relation = visible.ids().any(|id| assembly.is_named(id, name));
        if !is_relation && !source.models.iter().any(|model| model.is_named(name)) {
            return Err(UnreadableRelation(name.clone()));
        }
    }
    let mut relations = Vec::new();
    if has(GroundingFacet::Tables) || has(GroundingFacet::Columns) {
        let chosen = assembly.chosen();
        relations.extend(chosen.into_iter().map(|id| assembly.relation(id)));
    }
    if has(GroundingFacet::Models) {
        let models = source.models.iter().filter(|model| source.wants(model));
        relations.extend(models.map(|model| assembly.model(model)));
    }
    relations.sort_by(|one, two| (&one.schema, &one.name).cmp(&(&two.schema, &two.name)));
    let mut functions = Vec::new();
    if has(GroundingFacet::Functions) {
        let named = source.functions.iter().filter(|id| {
            functions::types(source.catalog, **id).all(|data_type| visible.shows_type(data_type))
        });
        functions.extend(named.map(|id| {
            let oid = source.catalog.function(*id).oid;
            let comment = source.details.function_comments.get(&oid);
            functions::told(source.catalog, *id, assembly.comment(comment))
        }));
        functions.sort_by(|one: &GroundedFunction, two| one.signature.cmp(&two.signature));
    }
    let mut knowledge = Vec::new();
    if has(GroundingFacet::Knowledge) {
        knowledge = assembly.known_records();
    }
    Ok(Grounding {
        database: source.database.to_owned(),
        server: has(GroundingFacet::Info).then(|| GroundedServer {
            version: source.details.server_version.clone(),
            notes: NOTES.iter().map(|note| (*note).to_owned()).collect(),
        }),
        relations,
        functions,
        knowledge,
        left_out: Vec::new(),
    })
}

/// A name that was asked for and that is no relation's that the session may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableRelation(String);

impl fmt::Display for UnreadableRelation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(name) = self;
        write!(
            formatter,
            "such a session may read no relation {name}; it is named as SCHEMA.NAME"
        )
    }
}

impl std::error::Error for UnreadableRelation {}

impl GroundingSource<'_> {
    fn wants(&self, model: &ModelDescription) -> bool {
        self.wanted.is_empty() || self.wanted.iter().any(|name| model.is_named(name))
    }
}

impl ModelDescription {
    fn is_named(&self, wanted: &str) -> bool {
        names(wanted, &self.schema, &self.name)
    }
}

/// Whether that is a schema and a name in it, with quotes where they are needed or as they are.
fn names(wanted: &str, schema: &str, name: &str) -> bool {
    wanted == format!("{schema}.{name}") || wanted == format!("{}.{}", quoted(schema), quoted(name))
}

/// What documents are made with.
struct Assembly<'s> {
    source: &'s GroundingSource<'s>,
    hidden: HiddenNames,
    /// Partitions and children of what is shown.
    parts: HashMap<RelationId, Vec<RelationId>>,
    visible: &'s VisibleRelations<'s>,
}

impl<'s> Assembly<'s> {
    /// The relations that are told, those that were asked for and their neighbours over foreign
    /// keys; all where none was asked for. A partition is told by what it is a part of.
    fn chosen(&self) -> BTreeSet<RelationId> {
        let is_partitioned = |id: RelationId| {
            matches!(
                self.source.catalog.relation(id).kind,
                RelationKind::PartitionedTable
            )
        };
        let is_part = |id: &RelationId| {
            let mut over = self.parts.get(id).into_iter().flatten();
            over.any(|parent| self.visible.columns(*parent).is_some() && is_partitioned(*parent))
        };
        let all = || self.visible.ids();
        if self.source.wanted.is_empty() {
            return all().filter(|id| !is_part(id)).collect();
        }
        let is_wanted = |id: &RelationId| {
            let mut wanted = self.source.wanted.iter();
            wanted.any(|name| self.is_named(*id, name))
        };
        let mut chosen: BTreeSet<RelationId> = all().filter(is_wanted).collect();
        for _ in 0..self.source.facets.key_steps() {
            let records = self.record_choice();
            let linked = self
                .links()
                .chain(records.links())
                .filter(|(from, to)| chosen.contains(from) != chosen.contains(to));
            let more: Vec<RelationId> = linked.flat_map(|(from, to)| [from, to]).collect();
            chosen.extend(more);
        }
        chosen
    }

    /// The records of knowledge about what is told.
    fn known_records(&self) -> Vec<GroundedRecord> {
        let chosen = self.chosen();
        let records = self.record_choice();
        records.told(&|id| self.source.wanted.is_empty() || chosen.contains(&id))
    }

    fn record_choice(&self) -> RecordChoice<'_> {
        RecordChoice {
            source: self.source,
            visible: self.visible,
            hidden: &self.hidden,
        }
    }

    fn is_named(&self, id: RelationId, wanted: &str) -> bool {
        let catalog = self.source.catalog;
        let relation = catalog.relation(id);
        let schema = catalog.names().text(catalog.schema(relation.schema).name);
        names(wanted, schema, catalog.names().text(relation.name))
    }

    /// Foreign keys between relations that may be read, as (from, to).
    fn links(&self) -> impl Iterator<Item = (RelationId, RelationId)> {
        let keys = self.source.catalog.keys().iter();
        keys.filter_map(|key| match &key.kind {
            KeyKind::Foreign { to, .. } | KeyKind::Unvalidated { to, .. } => {
                let both = self.visible.columns(key.relation).is_some()
                    && self.visible.columns(*to).is_some();
                both.then_some((key.relation, *to))
            }
            KeyKind::Primary | KeyKind::Unique => None,
        })
    }

    fn relation(&self, id: RelationId) -> GroundedRelation {
        let (catalog, details) = (self.source.catalog, self.source.details);
        let relation = catalog.relation(id);
        let names = catalog.names();
        let has = |facet| self.source.facets.has(facet);
        let comment = details.relation_comments.get(&relation.oid);
        let mut grounded = GroundedRelation {
            schema: quoted(names.text(catalog.schema(relation.schema).name)).into_owned(),
            name: quoted(names.text(relation.name)).into_owned(),
            kind: kind_of(relation.kind),
            comment: self
                .comment(comment)
                .filter(|_| has(GroundingFacet::Tables)),
            ..GroundedRelation::default()
        };
        if self.is_covered(id) {
            self.add_covering(id, &mut grounded);
            return grounded;
        }
        if has(GroundingFacet::Tables) && self.shows_all_rows(id) {
            grounded.rows = details.row_estimates.get(&relation.oid).copied();
        }
        if has(GroundingFacet::Columns) {
            let shown = self.visible.columns(id);
            let is_shown =
                |column: &&Column| shown.is_some_and(|shown| shown.contains(&column.number));
            let columns = catalog.columns_of(id).iter().filter(is_shown);
            grounded.columns = columns.map(|column| self.column(id, column)).collect();
        }
        self.add_keys(id, &mut grounded);
        // What was made in another order is told in the same.
        grounded.unique_keys.sort();
        grounded.foreign_keys.sort();
        if has(GroundingFacet::Indexes) {
            self.add_indexes(id, &mut grounded);
            grounded.indexes.sort();
        }
        grounded
    }

    /// What a model gives under the name of a relation. Where it says nothing, the comments of the
    /// relation are told.
    fn add_covering(&self, id: RelationId, grounded: &mut GroundedRelation) {
        let Some(model) = self.source.covered.get(&id) else {
            return;
        };
        let has = |facet| self.source.facets.has(facet);
        if has(GroundingFacet::Tables) {
            let about = self.comment(Some(&model.about));
            grounded.comment = about.or(grounded.comment.take());
        }
        if !has(GroundingFacet::Columns) {
            return;
        }
        let (catalog, samples) = (self.source.catalog, self.source.samples);
        let columns = model.columns.iter().map(|column| {
            let said = self.comment(model.column_comments.get(&column.name));
            let comment = said.or_else(|| self.column_comment(id, &column.name));
            let mut own = catalog.columns_of(id).iter();
            let own = own.find(|own| catalog.names().text(own.name) == column.name);
            let samples = own.and_then(|own| samples.get(&(id, own.number)));
            GroundedColumn {
                samples: samples
                    .filter(|_| has(GroundingFacet::Samples))
                    .cloned()
                    .unwrap_or_default(),
                ..self.described(column, comment)
            }
        });
        grounded.columns = columns.collect();
    }

    /// A column of which no more is known than a server's description.
    fn described(&self, column: &DescribedColumn, comment: Option<String>) -> GroundedColumn {
        let type_name = column
            .type_id
            .map(|id| self.visible.type_name(id, column.type_modifier));
        GroundedColumn {
            name: quoted(&column.name).into_owned(),
            type_name: type_name.unwrap_or_else(|| "unknown".into()),
            is_calculated: column.is_calculated,
            comment,
            ..GroundedColumn::default()
        }
    }

    fn column(&self, id: RelationId, column: &Column) -> GroundedColumn {
        let (catalog, details) = (self.source.catalog, self.source.details);
        let name = catalog.names().text(column.name);
        let has = |facet| self.source.facets.has(facet);
        let oid = catalog.relation(id).oid;
        let samples = self.source.samples.get(&(id, column.number));
        let samples = samples.filter(|_| has(GroundingFacet::Samples));
        let statistics = details.statistics.get(&(oid, column.number));
        let is_told = has(GroundingFacet::Statistics) && self.hides_nothing_of(id);
        GroundedColumn {
            name: quoted(name).into_owned(),
            type_name: self.visible.type_name(column.type_id, column.type_modifier),
            not_null: column.not_null,
            is_generated: column.generated != GeneratedKind::Not,
            comment: self.column_comment(id, name),
            labels: self.labels(column).to_vec(),
            samples: samples.cloned().unwrap_or_default(),
            statistics: statistics
                .filter(|_| is_told)
                .map(|known| statistics::told(known, details.row_estimates.get(&oid).copied())),
            ..GroundedColumn::default()
        }
    }

    /// The labels of a column's enumeration, or of that of its elements.
    fn labels(&self, column: &Column) -> &'s [String] {
        let catalog = self.source.catalog;
        let mut data_type = catalog.data_type(column.type_id);
        if let Some(element) = data_type.element.filter(|_| data_type.is_array) {
            data_type = catalog.data_type(element);
        }
        // As many turns as domains stand on each other: the server lets none stand on itself.
        while let TypeKind::Domain { base, .. } = &data_type.kind {
            data_type = catalog.data_type(*base);
        }
        let labels = self.source.details.enum_labels.get(&data_type.oid);
        match (&data_type.kind, labels) {
            (TypeKind::Enum, Some(labels)) => labels,
            _ => &[],
        }
    }

    /// The keys of a relation of which all columns, and what they refer to, may be read.
    fn add_keys(&self, id: RelationId, grounded: &mut GroundedRelation) {
        let catalog = self.source.catalog;
        let has = |facet| self.source.facets.has(facet);
        for key in catalog.keys_of(id) {
            let Some(columns) = self.names_of(id, &key.columns) else {
                continue;
            };
            match &key.kind {
                KeyKind::Primary if has(GroundingFacet::Keys) => grounded.primary_key = columns,
                KeyKind::Unique if has(GroundingFacet::Keys) => grounded.unique_keys.push(columns),
                KeyKind::Foreign { to, to_columns } | KeyKind::Unvalidated { to, to_columns }
                    if has(GroundingFacet::ForeignKeys) && !self.is_covered(*to) =>
                {
                    let Some(to_columns) = self.names_of(*to, to_columns) else {
                        continue;
                    };
                    let key = GroundedForeignKey {
                        columns,
                        to: self.source.qualified_name(*to),
                        to_columns,
                    };
                    if !grounded.foreign_keys.contains(&key) {
                        grounded.foreign_keys.push(key);
                    }
                }
                _ => {}
            }
        }
    }

    fn add_indexes(&self, id: RelationId, grounded: &mut GroundedRelation) {
        let oid = self.source.catalog.relation(id).oid;
        for index in self.source.details.indexes.get(&oid).into_iter().flatten() {
            // What an expression reads, and which rows a condition leaves, may be of hidden
            // columns.
            let is_plain = !index.is_partial && !index.columns.contains(&0);
            if let Some(columns) = self.names_of(id, &index.columns).filter(|_| is_plain) {
                grounded.indexes.push(GroundedIndex {
                    method: index.method.clone(),
                    columns,
                    is_unique: index.is_unique,
                });
            }
        }
    }

    /// The names of columns as SQL spells them; none where one of them may not be read.
    fn names_of(&self, id: RelationId, numbers: &[i16]) -> Option<Vec<String>> {
        let catalog = self.source.catalog;
        let shown = self.visible.columns(id)?;
        let names = numbers.iter().map(|number| {
            let mut columns = catalog.columns_of(id).iter();
            let column = columns.find(|column| column.number == *number)?;
            let name = catalog.names().text(column.name);
            shown.contains(number).then(|| quoted(name).into_owned())
        });
        names.collect()
    }

    fn model(&self, model: &ModelDescription) -> GroundedRelation {
        let has = |facet| self.source.facets.has(facet);
        let columns = model.columns.iter().map(|column| {
            let comment = model.column_comments.get(&column.name);
            self.described(column, self.comment(comment))
        });
        GroundedRelation {
            schema: quoted(&model.schema).into_owned(),
            name: quoted(&model.name).into_owned(),
            kind: "model",
            comment: self.comment(Some(&model.about)),
            columns: columns.filter(|_| has(GroundingFacet::Columns)).collect(),
            ..GroundedRelation::default()
        }
    }

    fn column_comment(&self, id: RelationId, name: &str) -> Option<String> {
        let catalog = self.source.catalog;
        let mut columns = catalog.columns_of(id).iter();
        let column = columns.find(|column| catalog.names().text(column.name) == name)?;
        let key = (catalog.relation(id).oid, column.number);
        self.comment(self.source.details.column_comments.get(&key))
    }

    fn comment(&self, comment: Option<&String>) -> Option<String> {
        self.hidden.clean(comment).map(str::to_owned)
    }

    /// Whether something else is read under the name of a relation.
    fn is_covered(&self, id: RelationId) -> bool {
        self.source.mask.is_some_and(|mask| mask.covers(id))
    }

    /// Whether each row of a relation, and of its parts, is one that the session may read.
    fn shows_all_rows(&self, id: RelationId) -> bool {
        let relation = self.source.catalog.relation(id);
        let is_secured = |id: RelationId| {
            let relation = self.source.catalog.relation(id);
            let secured = &self.source.details.row_security;
            !relation.policies.is_empty() || secured.contains(&relation.oid)
        };
        !is_secured(id) && !relation.children.iter().any(|child| is_secured(*child))
    }

    /// Whether everything in a relation is something that the session may read.
    fn hides_nothing_of(&self, id: RelationId) -> bool {
        let shown = self.visible.columns(id).map_or(0, Vec::len);
        self.shows_all_rows(id) && shown == self.source.catalog.columns_of(id).len()
    }
}

/// What each relation is a part of.
fn parts_of(catalog: &Catalog) -> HashMap<RelationId, Vec<RelationId>> {
    let mut parts: HashMap<RelationId, Vec<RelationId>> = HashMap::new();
    for (id, relation) in catalog.relations() {
        for child in &relation.children {
            parts.entry(*child).or_default().push(id);
        }
    }
    parts
}

fn kind_of(kind: RelationKind) -> &'static str {
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

/// What most often goes wrong when SQL is written for this server by somebody who knows others.
const NOTES: [&str; 6] = [
    "Only reads are permitted, one statement at a time.",
    "Names are written in small letters; others stand in double quotes, as they are spelled here.",
    "Texts stand in single quotes. LIKE tells capital from small letters, ILIKE does not.",
    "Integers divide to integers: 7 / 2 is 3. Cast one side to numeric where a fraction is meant.",
    "What is selected is grouped by or aggregated. Conditions on aggregates stand in HAVING.",
    "Dates: now(), current_date, x - interval '7 days', date_trunc('month', x), extract(year FROM x).",
];
