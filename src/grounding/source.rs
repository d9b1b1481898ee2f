//! All that a grounding is made of.

use std::collections::BTreeMap;

use catalog::{Catalog, FunctionId, Mask, RelationId, RolePrivileges, TypeId, quoted};
use policy::KnowledgeRecord;

use super::details::{CatalogDetails, ColumnSamples};
use super::facet::GroundingFacets;

/// All that a grounding is made of.
pub struct GroundingSource<'s> {
    /// The database's name.
    pub database: &'s str,
    /// What the database contains.
    pub catalog: &'s Catalog,
    /// What the session's role may read of it under the policy.
    pub privileges: RolePrivileges<'s>,
    /// What the policy hides.
    pub mask: Option<&'s Mask>,
    /// Whether the gate lets such a session read these columns of a relation.
    pub is_read: &'s dyn Fn(RelationId, &[&str]) -> bool,
    /// What was read beside the snapshot.
    pub details: &'s CatalogDetails,
    /// What stands under the names of relations that the policy covers with something else: the
    /// server described it.
    pub covered: &'s BTreeMap<RelationId, ModelDescription>,
    /// The policy's models of new names.
    pub models: &'s [ModelDescription],
    /// Values that were read as the session reads them.
    pub samples: &'s ColumnSamples,
    /// Functions that the gate lets it call.
    pub functions: &'s [FunctionId],
    /// What the policy knows, for this user: examples only where such a session may run them.
    pub knowledge: &'s [&'s KnowledgeRecord],
    /// What is told.
    pub facets: &'s GroundingFacets,
    /// Relations that were asked for, as SCHEMA.NAME; all where none is named.
    pub wanted: &'s [String],
}

impl GroundingSource<'_> {
    /// A relation's name with its schema, as SQL spells them.
    pub(crate) fn qualified_name(&self, id: RelationId) -> String {
        let (relation, names) = (self.catalog.relation(id), self.catalog.names());
        let schema = quoted(names.text(self.catalog.schema(relation.schema).name));
        format!("{schema}.{}", quoted(names.text(relation.name)))
    }
}

/// A column of a result as a server describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedColumn {
    /// Its name.
    pub name: String,
    /// Its type; none where the snapshot does not have it.
    pub type_id: Option<TypeId>,
    /// The modifier of its type, or -1.
    pub type_modifier: i32,
    /// Whether the policy calculates it from the others.
    pub is_calculated: bool,
}

/// What a model gives who reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelDescription {
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// What it is, in words; empty where nobody says.
    pub about: String,
    /// Its columns.
    pub columns: Vec<DescribedColumn>,
    /// What its columns are, in words, by name.
    pub column_comments: BTreeMap<String, String>,
}
