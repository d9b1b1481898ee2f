//! `catalog_view: policy`: the catalogs show what the policy shows, and no name of anything else.
//!
//! * [`lists`]: what is shown of a snapshot, by the server's numbers; [`masked`]: columns with a
//!   mask
//! * [`relations`]: what is read in the place of each catalog, as the SELECT of a model
//!   ([`super::models`]); [`conditions`]: the words that it is written in
//! * [`functions`]: what may be asked of which function; [`guards`]: the text in which calls and
//!   casts answer for what is shown alone; [`relation_sets`]: names of columns in it
//! * [`check`]: the text that runs makes no name of a number elsewhere
//!
//! That something exists is not hidden: an answer of NULL and a refusal tell of it.

pub(crate) mod check;
mod conditions;
mod functions;
pub(crate) mod guards;
pub(crate) mod lists;
mod masked;
mod relation_sets;
mod relations;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use foldhash::fast::RandomState;

use self::functions::CallVerdict;
use self::lists::ShownLists;
use self::masked::MaskedColumnTypes;
use self::relations::ServedForm;
pub(crate) use self::relations::shows_names;
use super::models::model_body::ModelBody;
use crate::access::AccessTable;
use catalog::node_tree::StoredReferences;
use catalog::{
    Catalog, FunctionId, Mask, RelationId, RelationKind, SchemaKind, TypeId, unreadable_names,
};
use policy::model::ModelPiece;
use policy::{CatalogView, Policy, PolicyModel};

/// What the catalogs show of one snapshot.
pub(crate) struct ShownCatalog {
    /// The lists of what is shown.
    pub(crate) lists: ShownLists,
    /// The types whose values show objects by their names, by place.
    object_types: HashSet<TypeId, RandomState>,
    /// What stands for each catalog.
    pub(crate) relations: Vec<(RelationId, CatalogForm)>,
}

/// What stands for a relation, where that is not itself.
pub(crate) enum CatalogForm {
    /// A SELECT, or why there is none.
    Model(Box<(PolicyModel, Result<ModelBody, String>)>),
    /// Nothing: a catalog that is not served.
    Unserved,
    /// Nothing: a view of a user's that reads a catalog.
    Reader,
}

impl ShownCatalog {
    /// What is shown of a snapshot, where the policy has the catalogs show that alone. `table` says
    /// what has a mask, and `is_callable` which functions of users may be called.
    pub(crate) fn of(
        (catalog, mask): (&Catalog, &Mask),
        table: &AccessTable,
        policy: &Policy,
        is_callable: impl Fn(FunctionId) -> bool,
    ) -> Option<Self> {
        if policy.catalog_view() == CatalogView::Open {
            return None;
        }
        let is_callable = |id: FunctionId| {
            let function = catalog.function(id);
            catalog.schema(function.schema).kind == SchemaKind::Ordinary
                && is_callable(id)
                && !unreadable_names::is_kept(catalog.names().text(function.name))
        };
        let masked = MaskedColumnTypes::of(catalog, policy, table);
        let types = catalog.data_types().map(|(id, _)| id);
        Some(Self {
            lists: ShownLists::of((catalog, mask), &masked, is_callable),
            object_types: types.filter(|id| shows_names(catalog, *id)).collect(),
            relations: forms(catalog, mask, &masked),
        })
    }

    /// Whether a value of a type shows an object by its name.
    fn shows_names(&self, id: TypeId) -> bool {
        self.object_types.contains(&id)
    }
}

fn is_catalog(catalog: &Catalog, id: RelationId) -> bool {
    matches!(
        catalog.schema(catalog.relation(id).schema).kind,
        SchemaKind::Catalog | SchemaKind::InformationSchema
    )
}

/// What stands for each relation of the server that is not hidden as a whole, and for the views
/// that read one.
fn forms(
    catalog: &Catalog,
    mask: &Mask,
    masked: &MaskedColumnTypes,
) -> Vec<(RelationId, CatalogForm)> {
    let mut forms = Vec::new();
    for (id, _) in catalog.relations() {
        if !is_catalog(catalog, id) || mask.hides(id) {
            continue;
        }
        match relations::served((catalog, mask), masked, id) {
            ServedForm::Whole => {}
            ServedForm::Refused => forms.push((id, CatalogForm::Unserved)),
            ServedForm::Select(select) => {
                let model = model(catalog, id, select);
                let body = ModelBody::of(&model, catalog, |_| true);
                forms.push((id, CatalogForm::Model(Box::new((model, body)))));
            }
        }
    }
    let readers = readers(catalog);
    forms.extend(readers.into_iter().map(|id| (id, CatalogForm::Reader)));
    forms
}

fn model(catalog: &Catalog, id: RelationId, select: String) -> PolicyModel {
    let relation = catalog.relation(id);
    let schema = catalog.names().text(catalog.schema(relation.schema).name);
    PolicyModel {
        schema: schema.into(),
        name: catalog.names().text(relation.name).into(),
        pieces: vec![ModelPiece::Sql(select)],
        ..PolicyModel::default()
    }
}

/// The views of users that read a catalog, at any depth, or what is not known, and those that make
/// names of numbers.
fn readers(catalog: &Catalog) -> Vec<RelationId> {
    let views = catalog.relations().filter(|(id, relation)| {
        let is_view = matches!(
            relation.kind,
            RelationKind::View | RelationKind::MaterializedView
        );
        is_view && !is_catalog(catalog, *id)
    });
    let views: Vec<RelationId> = views.map(|(id, _)| id).collect();
    let mut found: HashSet<RelationId, RandomState> = HashSet::default();
    loop {
        let reads = |id: &RelationId| {
            let stored = catalog.relation(*id).view.as_deref();
            stored.is_none_or(|stored| {
                let mut relations = stored.relations.iter();
                relations.any(|oid| {
                    let read = catalog.index().relation_of_oid(*oid);
                    read.is_none_or(|read| is_catalog(catalog, read) || found.contains(&read))
                }) || names_objects(catalog, stored)
            })
        };
        let more: Vec<RelationId> = views
            .iter()
            .copied()
            .filter(|id| !found.contains(id) && reads(id))
            .collect();
        if more.is_empty() {
            return found.into_iter().collect();
        }
        found.extend(more);
    }
}

/// Whether a stored query calls what names objects, or makes such a value.
fn names_objects(catalog: &Catalog, stored: &StoredReferences) -> bool {
    let mut called = stored.functions.iter();
    let mut made = stored.made_types.iter();
    called.any(|oid| {
        let found = catalog.index().function_of_oid(*oid);
        let found = found.filter(|_| oid.is_built_in());
        let verdict = found.map(|id| functions::verdict(catalog, catalog.function(id)));
        verdict.is_some_and(|verdict| !matches!(verdict, CallVerdict::Free))
    }) || made.any(|oid| {
        let found = catalog.index().type_of_oid(*oid);
        found.is_some_and(|id| shows_names(catalog, id))
    })
}
