//! What stands for the catalogs, where they show what the policy shows.

use super::{CompiledModel, ModelCoverage, ModelKey, SnapshotModels};
use crate::catalog_view::CatalogForm;
use catalog::{Catalog, RelationId};

impl SnapshotModels {
    /// Adds what stands for the catalogs. What the policy itself says of one goes before it.
    pub(crate) fn add_catalogs(
        &mut self,
        catalog: &Catalog,
        forms: Vec<(RelationId, CatalogForm)>,
    ) {
        for (id, form) in forms {
            let coverage = match form {
                CatalogForm::Unserved => ModelCoverage::UnservedCatalog,
                CatalogForm::Reader => ModelCoverage::CatalogReader,
                CatalogForm::Model(parts) => {
                    let (model, body) = *parts;
                    self.all.push(CompiledModel {
                        schema: model.schema.into(),
                        name: model.name.into(),
                        covers: Some(id),
                        key: ModelKey::Catalog,
                        body,
                    });
                    ModelCoverage::Covered(self.all.len().saturating_sub(1))
                }
            };
            let name = catalog.names().text(catalog.relation(id).name);
            self.names.insert(name.into());
            self.relations.insert(id, coverage);
        }
    }
}
