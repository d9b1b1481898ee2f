//! The relations of a catalog by their names, for what is said of them.

use std::fmt;

use crate::catalog::{Catalog, RelationId};
use crate::policy::access::RelationPattern;
use crate::policy::similar_names::nearest;

/// A relation, by its names.
pub(super) struct NamedRelation<'c> {
    pub(super) id: RelationId,
    pub(super) schema: &'c str,
    pub(super) name: &'c str,
}

impl<'c> NamedRelation<'c> {
    pub(super) fn of(catalog: &'c Catalog, id: RelationId) -> Self {
        let relation = catalog.relation(id);
        Self {
            id,
            schema: catalog.names().text(catalog.schema(relation.schema).name),
            name: catalog.names().text(relation.name),
        }
    }

    /// Whether a pattern names it.
    pub(super) fn is(&self, pattern: &RelationPattern) -> bool {
        pattern.names(self.schema, self.name)
    }

    /// Whether it is the server's own.
    pub(super) fn is_of_server(&self) -> bool {
        self.schema.starts_with("pg_") || self.schema == "information_schema"
    }
}

impl fmt::Display for NamedRelation<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.schema, self.name)
    }
}

/// The relation that was probably meant.
pub(super) fn near(written: &str, relations: &[NamedRelation<'_>]) -> String {
    let of_users = relations.iter().filter(|own| !own.is_of_server());
    let names: Vec<String> = of_users.map(ToString::to_string).collect();
    let near = nearest(written, names.iter().map(String::as_str));
    near.map_or_else(String::new, |near| format!("; did you mean {near}?"))
}
