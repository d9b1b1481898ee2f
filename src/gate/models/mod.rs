//! The models of a policy against one snapshot: what each of them covers, what is put where its
//! name stands, or why it cannot be used.
//!
//! * [`SnapshotModels`]: all of them, and what a name in FROM means to them
//! * [`overlay`]: the models that masks of columns and conditions on rows come to; [`hashed`]: the
//!   mask `hash`
//! * `catalogs`: what stands for the catalogs where they show what the policy shows
//! * [`model_body`]: one model's SELECT, made so that nothing of a client's means anything in it
//! * `calculated`: the columns that are calculated beside those of its own SELECT
//! * [`optimization_fence`]: what keeps the planner out of it
//! * [`conditions`]: those of a statement that each row of a name has to meet; [`pushdown`]: how
//!   they are evaluated within a model, in the forms of `pushdown_forms`
//! * [`leakproof`]: whether a statement needs no fence
//! * [`from_names`]: the names in FROM of a statement; `name_meanings`: what they mean to models
//! * [`name_span`]: where a name stands in a text
//! * [`qualified_columns`]: columns that are written with the schema of a model
//! * [`with_names`]: whether a name in FROM is one of WITH; [`lock_table`]: LOCK TABLE
//! * [`insertion`]: the changes to a text, and the text that comes of them
//! * [`rule_check`]: what the gate's own rules say against a model
//!
//! What a client is told is in [`super::rules::model`].
//!
//! A model that cannot be used refuses every statement that would read it: what it covers is never
//! read without it.

mod calculated;
mod catalogs;
pub(super) mod conditions;
pub(super) mod from_names;
mod hashed;
pub(super) mod insertion;
pub(super) mod leakproof;
pub(super) mod lock_table;
pub(super) mod model_body;
mod name_meanings;
pub(super) mod name_span;
pub(super) mod optimization_fence;
mod overlay;
pub(super) mod pushdown;
mod pushdown_forms;
pub(super) mod qualified_columns;
pub(super) mod rule_check;
pub(super) mod substitution;
mod system_columns;
pub(super) mod with_names;

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use self::model_body::ModelBody;
use self::overlay::OverlayModel;
use crate::Refusal;
use crate::access::{AccessTable, UnmatchedEntry};
use crate::rules::model;
use catalog::{Catalog, Mask, RelationId, SchemaId, SearchPath};
use policy::{Policy, PolicyModel};
use sql::tree::nodes;

/// The models of a policy against one snapshot.
#[derive(Default)]
pub(super) struct SnapshotModels {
    all: Vec<CompiledModel>,
    relations: HashMap<RelationId, ModelCoverage, RandomState>,
    /// Names that may mean one of the relations, or a model of a new name, in some schema.
    names: HashSet<Box<str>, RandomState>,
}

/// One model.
pub(super) struct CompiledModel {
    /// Its schema.
    pub(super) schema: Box<str>,
    /// Its name.
    pub(super) name: Box<str>,
    /// The relation whose name it has.
    pub(super) covers: Option<RelationId>,
    /// Where the policy says it.
    key: ModelKey,
    /// What is put in, or why it cannot be.
    pub(super) body: Result<ModelBody, String>,
}

/// Where a policy says what a model is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ModelKey {
    /// Under its name.
    Models,
    /// By patterns, with a relation that it comes to.
    Laid(RelationId, OverlayFault),
    /// Nowhere: it is what is shown of a catalog.
    Catalog,
}

/// Whose fault it is where what is laid over a relation does not fit it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OverlayFault {
    /// The policy's: what it says of this relation cannot be.
    Policy,
    /// The relation's: patterns name it, and it is not like the others.
    Relation,
}

/// What a relation has to do with a model.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ModelCoverage {
    /// A model has its name.
    Covered(usize),
    /// It is a partition or a child of one that is covered.
    Descendant,
    /// It is read together with one that is covered.
    Ancestor,
    /// It is a view that reads what something is laid over.
    OverlaidView,
    /// It is a catalog that is not served.
    UnservedCatalog,
    /// It is a view that reads a catalog.
    CatalogReader,
}

/// What a name in FROM means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FromNameMeaning {
    /// Nothing that a model is about.
    Plain,
    /// A model, by its place.
    Model(usize),
    /// A partition or child of a relation that a model covers.
    Descendant,
    /// A parent of such a relation, children included.
    Ancestor,
    /// A view that reads what something is laid over.
    OverlaidView,
    /// A catalog that is not served.
    UnservedCatalog,
    /// A view that reads a catalog.
    CatalogReader,
}

/// Relations that are read with something laid over them, and where they are named.
pub(super) type OverlaidRelations = Vec<(RelationId, Option<usize>)>;

impl CompiledModel {
    /// Whether it is what is shown of a catalog.
    pub(super) fn is_catalog(&self) -> bool {
        self.key == ModelKey::Catalog
    }
}

impl FromNameMeaning {
    /// The place of the model that it is; none where no model is about it.
    pub(super) fn place(self) -> Result<Option<usize>, Box<Refusal>> {
        match self {
            Self::Plain => Ok(None),
            Self::Model(place) => Ok(Some(place)),
            Self::Descendant => Err(model::descendant()),
            Self::Ancestor => Err(model::ancestor()),
            Self::OverlaidView => Err(model::overlaid_view()),
            Self::UnservedCatalog => Err(model::catalog_unserved()),
            Self::CatalogReader => Err(model::catalog_reader()),
        }
    }
}

impl SnapshotModels {
    /// The models of a policy against a snapshot, and those that it comes to by what it lays over
    /// relations.
    pub(super) fn of(catalog: &Catalog, policy: &Policy, table: Option<&AccessTable>) -> Self {
        let written = policy.models();
        let overlays = table.map(|table| overlay::all(catalog, policy, table));
        let overlays = overlays.unwrap_or_default();
        let mut covered: Vec<_> = written
            .iter()
            .map(|model| relation_called(catalog, &model.schema, &model.name))
            .collect();
        covered.extend(overlays.iter().map(|one| Some(one.id)));
        let models = || written.iter().chain(overlays.iter().map(|one| &one.model));
        let mut relations = HashMap::default();
        let parents = parents(catalog);
        for id in covered.iter().flatten() {
            for child in descendants(*id, |id| catalog.relation(id).children.to_vec()) {
                relations.insert(child, ModelCoverage::Descendant);
            }
        }
        // A child may have parents beside the covered one: its rows are theirs too.
        let read: Vec<_> = relations.keys().copied().collect();
        for id in covered.iter().flatten().chain(&read) {
            let above = |id: RelationId| parents.get(&id).cloned().unwrap_or_default();
            for parent in descendants(*id, above) {
                relations.entry(parent).or_insert(ModelCoverage::Ancestor);
            }
        }
        for (place, id) in covered.iter().enumerate() {
            if let Some(id) = id {
                relations.insert(*id, ModelCoverage::Covered(place));
            }
        }
        for view in table
            .map(AccessTable::views_over_overlays)
            .unwrap_or_default()
        {
            relations.insert(*view, ModelCoverage::OverlaidView);
        }
        let mut names: HashSet<Box<str>, RandomState> = relations
            .keys()
            .map(|id| Box::from(catalog.names().text(catalog.relation(*id).name)))
            .collect();
        names.extend(models().map(|model| Box::from(model.name.as_str())));
        let mut all = Self {
            all: Vec::with_capacity(covered.len()),
            relations,
            names,
        };
        for (model, covers) in written.iter().zip(&covered) {
            let compiled = all.compiled((catalog, table), model, *covers);
            all.all.push(compiled);
        }
        let mut filters = Vec::with_capacity(overlays.len());
        for mut one in overlays {
            filters.push(std::mem::take(&mut one.filters));
            let is_wild = |place: &usize| {
                let filter = policy.access().rows.get(*place);
                filter.is_some_and(|filter| filter.pattern.is_wild())
            };
            let fault = match filters.last() {
                Some(own) if !own.is_empty() && own.iter().all(is_wild) => OverlayFault::Relation,
                Some(_) | None => OverlayFault::Policy,
            };
            let compiled = all.compiled_overlay(catalog, one, fault);
            all.all.push(compiled);
        }
        all.find_fault(written.len(), &filters);
        all
    }

    /// Where nothing that a pattern names is as its condition wants it, the pattern is at fault.
    /// `filters` are the places of the conditions of each, behind so many others.
    fn find_fault(&mut self, behind: usize, filters: &[Vec<usize>]) {
        let overlays = self.all.iter_mut().skip(behind).zip(filters);
        let mut overlays: Vec<(&mut CompiledModel, &Vec<usize>)> = overlays.collect();
        let sound: HashSet<usize> = overlays
            .iter()
            .filter(|(one, _)| one.body.is_ok())
            .flat_map(|(_, filters)| filters.iter().copied())
            .collect();
        for (one, filters) in &mut overlays {
            let is_patterns = filters.iter().any(|filter| !sound.contains(filter));
            if let ModelKey::Laid(_, fault) = &mut one.key
                && is_patterns
            {
                *fault = OverlayFault::Policy;
            }
        }
    }

    /// Hides what nobody is told who reads through them: columns of a relation that its model does
    /// not give, and relations that are refused beside it. Keys of what a model covers do not hold
    /// for what the model gives.
    pub(super) fn add_to_mask(&self, catalog: &Catalog, mask: &mut Mask) {
        for (id, standing) in &self.relations {
            let ModelCoverage::Covered(place) = standing else {
                mask.hide_relation(*id);
                continue;
            };
            mask.cover(*id);
            let body = self.get(*place).and_then(|model| model.body.as_ref().ok());
            let Some(body) = body else {
                mask.hide_relation(*id);
                continue;
            };
            let columns = catalog.columns_of(*id).iter();
            let not_given = columns
                .filter(|column| !body.has_column(catalog.names().text(column.name)))
                .map(|column| column.number);
            let mut hidden: Vec<i16> = mask.columns(*id).to_vec();
            hidden.extend(not_given);
            mask.hide_columns(*id, hidden);
        }
    }

    /// Those that cannot be used, by their keys in the policy, with the reason.
    pub(super) fn problems(&self) -> impl Iterator<Item = (String, &str)> {
        self.wrong(|key| !matches!(key, ModelKey::Laid(_, OverlayFault::Relation)))
    }

    /// Relations that are not as others that the same patterns name, and are not read for that.
    pub(super) fn overlay_warnings(&self) -> impl Iterator<Item = (String, &str)> {
        self.wrong(|key| matches!(key, ModelKey::Laid(_, OverlayFault::Relation)))
    }

    fn wrong(&self, wanted: impl Fn(ModelKey) -> bool) -> impl Iterator<Item = (String, &str)> {
        self.all.iter().filter_map(move |model| {
            let why = model.body.as_ref().err().filter(|_| wanted(model.key))?;
            let name = format!("{}.{}", model.schema, model.name);
            let key = match model.key {
                ModelKey::Models => format!("models.{name}"),
                ModelKey::Laid(..) => format!("columns.mask and rows, of {name}"),
                ModelKey::Catalog => format!("catalog_view, of {name}"),
            };
            Some((key, why.as_str()))
        })
    }

    /// The relation that a model stands for by what is laid over it, and by no model of its own,
    /// and where it is named: lists of what may be read hold for it.
    pub(super) fn overlaid_relation(
        &self,
        place: usize,
        table: &nodes::RangeVar,
    ) -> Option<(RelationId, Option<usize>)> {
        match self.get(place)?.key {
            ModelKey::Models | ModelKey::Catalog => None,
            ModelKey::Laid(id, _) => Some((id, usize::try_from(table.location).ok())),
        }
    }

    /// Whether a model has a column of this name.
    pub(super) fn has_column(&self, schema: &str, name: &str, column: &str) -> Option<bool> {
        let mut all = self.all.iter();
        let model = all.find(|model| *model.schema == *schema && *model.name == *name)?;
        Some(model.body.as_ref().ok()?.has_column(column))
    }

    /// The gate's own rules refuse what is put in for a model.
    pub(super) fn refuse(&mut self, place: usize, why: String) {
        if let Some(model) = self.all.get_mut(place) {
            model.body = Err(why);
        }
    }

    /// A model.
    pub(super) fn get(&self, place: usize) -> Option<&CompiledModel> {
        self.all.get(place)
    }

    /// Whether a name alone may mean one of them, or what one of them is about.
    pub(super) fn may_mean_model(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// What a name in FROM means that is no query of WITH.
    pub(super) fn meaning(
        &self,
        table: &nodes::RangeVar,
        catalog: &Catalog,
        path: &SearchPath,
    ) -> FromNameMeaning {
        let name = table.relname().unwrap_or_default();
        let found = match table.schemaname() {
            Some(schema) => {
                let known = catalog.names().find(schema);
                let known = known.and_then(|name| catalog.index().schema(name));
                self.in_schema(name, schema, known, catalog)
            }
            None => path.schemas().iter().find_map(|id| {
                let schema = catalog.names().text(catalog.schema(*id).name);
                self.in_schema(name, schema, Some(*id), catalog)
            }),
        };
        match found {
            Some(FromNameMeaning::Ancestor) if !table.inh => FromNameMeaning::Plain,
            Some(meaning) => meaning,
            None => FromNameMeaning::Plain,
        }
    }

    /// What a name means in one schema; none where there is no such thing.
    fn in_schema(
        &self,
        name: &str,
        schema: &str,
        known: Option<SchemaId>,
        catalog: &Catalog,
    ) -> Option<FromNameMeaning> {
        if let Some(id) = known.and_then(|known| relation_in(catalog, known, name)) {
            return Some(self.of_relation(id));
        }
        let new = |model: &CompiledModel| model.covers.is_none() && *model.schema == *schema;
        let place = self
            .all
            .iter()
            .position(|model| new(model) && *model.name == *name);
        place.map(FromNameMeaning::Model)
    }

    /// What a relation means.
    pub(super) fn of_relation(&self, id: RelationId) -> FromNameMeaning {
        match self.relations.get(&id) {
            None => FromNameMeaning::Plain,
            Some(ModelCoverage::Covered(place)) => FromNameMeaning::Model(*place),
            Some(ModelCoverage::Descendant) => FromNameMeaning::Descendant,
            Some(ModelCoverage::Ancestor) => FromNameMeaning::Ancestor,
            Some(ModelCoverage::OverlaidView) => FromNameMeaning::OverlaidView,
            Some(ModelCoverage::UnservedCatalog) => FromNameMeaning::UnservedCatalog,
            Some(ModelCoverage::CatalogReader) => FromNameMeaning::CatalogReader,
        }
    }

    fn compiled_overlay(
        &self,
        catalog: &Catalog,
        one: OverlayModel,
        fault: OverlayFault,
    ) -> CompiledModel {
        let OverlayModel {
            id, model, wrong, ..
        } = one;
        let may_read =
            |read: RelationId| read == id || self.of_relation(read) == FromNameMeaning::Plain;
        let (body, fault) = match wrong {
            Some(what) => (Err(what), OverlayFault::Policy),
            None => (ModelBody::of(&model, catalog, may_read), fault),
        };
        CompiledModel {
            schema: model.schema.as_str().into(),
            name: model.name.as_str().into(),
            covers: Some(id),
            key: ModelKey::Laid(id, fault),
            body,
        }
    }

    /// A model's SELECT may read what the model itself covers, and nothing that another is about.
    fn compiled(
        &self,
        (catalog, table): (&Catalog, Option<&AccessTable>),
        model: &PolicyModel,
        covers: Option<RelationId>,
    ) -> CompiledModel {
        let may_read =
            |id: RelationId| Some(id) == covers || self.of_relation(id) == FromNameMeaning::Plain;
        CompiledModel {
            schema: model.schema.as_str().into(),
            name: model.name.as_str().into(),
            covers,
            key: ModelKey::Models,
            body: match covers.is_none() && !model.is_new {
                true => Err(UnmatchedEntry::of_model(catalog, model).problem()),
                false => {
                    let meaning = |id| self.of_relation(id);
                    calculated::check_other_sides(model, catalog, meaning, table)
                        .and_then(|()| ModelBody::of(model, catalog, may_read))
                }
            },
        }
    }
}

/// The relation of a schema and a name.
fn relation_called(catalog: &Catalog, schema: &str, name: &str) -> Option<RelationId> {
    let schema = catalog.index().schema(catalog.names().find(schema)?)?;
    relation_in(catalog, schema, name)
}

fn relation_in(catalog: &Catalog, schema: SchemaId, name: &str) -> Option<RelationId> {
    let relations = catalog.index().relations(catalog.names().find(name)?);
    relations
        .iter()
        .copied()
        .find(|id| catalog.relation(*id).schema == schema)
}

/// What each relation is a child of.
fn parents(catalog: &Catalog) -> HashMap<RelationId, Vec<RelationId>, RandomState> {
    let mut parents: HashMap<RelationId, Vec<RelationId>, RandomState> = HashMap::default();
    for (id, relation) in catalog.relations() {
        for child in &relation.children {
            parents.entry(*child).or_default().push(id);
        }
    }
    parents
}

/// Everything that is reached from a relation, itself left out.
fn descendants(
    id: RelationId,
    next: impl Fn(RelationId) -> Vec<RelationId>,
) -> HashSet<RelationId, RandomState> {
    let mut seen = HashSet::default();
    let mut waiting = next(id);
    while let Some(found) = waiting.pop() {
        if found != id && seen.insert(found) {
            waiting.extend(next(found));
        }
    }
    seen
}

#[cfg(test)]
mod pushdown_tests;
#[cfg(test)]
mod tests;
