//! The relations and schemas of a database that are called as missing ones, but for their case.
//!
//! All missing names of a text are looked for in one run over the names of the snapshot.

use std::collections::HashMap;

use crate::SessionDatabase;
use catalog::{Catalog, NameId, RolePrivileges, SchemaId};
use resolve::{Resolution, UsedObject};

/// What was found. It holds nothing that the role may not see.
pub(in crate::preprocessors) struct CaseVariants<'a> {
    catalog: &'a Catalog,
    path: &'a [SchemaId],
    rights: &'a RolePrivileges<'a>,
    names: HashMap<String, Vec<NameId>>,
}

impl<'a> CaseVariants<'a> {
    /// Looks for all relations and schemas that a resolution misses.
    pub fn of(
        database: &'a SessionDatabase<'_>,
        rights: &'a RolePrivileges<'a>,
        resolution: &Resolution<'_>,
    ) -> Self {
        let mut names: HashMap<String, Vec<NameId>> = HashMap::new();
        for used in &resolution.uses {
            if let UsedObject::MissingRelation { schema, name } = &used.what {
                names.entry(name.as_str().to_lowercase()).or_default();
                if let Some(schema) = schema {
                    names.entry(schema.as_str().to_lowercase()).or_default();
                }
            }
        }
        let all = database.catalog.names();
        if !names.is_empty() {
            for id in all.ids() {
                if let Some(found) = names.get_mut(&all.text(id).to_lowercase()) {
                    found.push(id);
                }
            }
        }
        Self {
            catalog: database.catalog,
            path: database.path.schemas(),
            rights,
            names,
        }
    }

    /// Relations along the search_path.
    pub fn on_path(&self, name: &str) -> impl Iterator<Item = &'a str> {
        let path = self.path;
        self.relations(name, move |schema| path.contains(&schema))
    }

    /// Relations of a schema.
    pub fn in_schema(&self, schema: SchemaId, name: &str) -> impl Iterator<Item = &'a str> {
        self.relations(name, move |own| own == schema)
    }

    /// Schemas.
    pub fn schemas(&self, name: &str) -> impl Iterator<Item = &'a str> {
        let (catalog, rights) = (self.catalog, self.rights);
        let names = self.of_name(name);
        let usable = names.filter(|name| {
            let schema = catalog.index().schema(*name);
            schema.is_some_and(|schema| rights.may_use_schema(schema))
        });
        usable.map(|name| catalog.names().text(name))
    }

    fn relations(
        &self,
        name: &str,
        is_there: impl Fn(SchemaId) -> bool,
    ) -> impl Iterator<Item = &'a str> {
        let (catalog, rights) = (self.catalog, self.rights);
        let names = self.of_name(name);
        let there = names.filter(move |name| {
            let mut relations = catalog.index().relations(*name).iter();
            relations.any(|id| is_there(catalog.relation(*id).schema) && rights.sees_relation(*id))
        });
        there.map(|name| catalog.names().text(name))
    }

    fn of_name(&self, name: &str) -> impl Iterator<Item = NameId> + use<'a> {
        let found = self.names.get(&name.to_lowercase());
        found.cloned().unwrap_or_default().into_iter()
    }
}
