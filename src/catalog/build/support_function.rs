//! Support functions.

use super::oids::BuiltObject;
use super::{BuildError, CatalogBuilder};
use crate::catalog_rows::{SupportRow, SupportRowOf};
use crate::support_function::{SupportFunction, SupportTarget};
use crate::{ObjectKind, Oid};

impl CatalogBuilder {
    /// All support functions, in order. What is run for a relation that no statement can read is
    /// passed over.
    pub(super) fn supports(&self, rows: &[SupportRow]) -> Result<Vec<SupportFunction>, BuildError> {
        let mut supports = Vec::with_capacity(rows.len());
        for row in rows {
            if let Some(of) = self.supported(row)? {
                let function = self.oids.functions.get(&Oid(row.function)).copied();
                supports.push(SupportFunction { of, function });
            }
        }
        supports.sort_unstable();
        supports.dedup();
        Ok(supports)
    }

    fn supported(&self, row: &SupportRow) -> Result<Option<SupportTarget>, BuildError> {
        let oid = row.oid;
        Ok(match row.of {
            SupportRowOf::Relation => self.oids.relation(oid).map(SupportTarget::Relation),
            SupportRowOf::PartitionKey => self.oids.relation(oid).map(SupportTarget::PartitionKey),
            SupportRowOf::Operator => {
                let of = BuiltObject {
                    kind: ObjectKind::Operator,
                    oid,
                };
                let operator = self.oids.operator_or_none(of, oid)?;
                operator.map(SupportTarget::Operator)
            }
            SupportRowOf::Function => {
                let of = BuiltObject {
                    kind: ObjectKind::Function,
                    oid,
                };
                let function = self.oids.function_or_none(of, oid)?;
                function.map(SupportTarget::Function)
            }
            SupportRowOf::TypeModifier => Some(SupportTarget::TypeModifier),
            SupportRowOf::Printing => Some(SupportTarget::Printing),
            SupportRowOf::TextSearch => Some(SupportTarget::TextSearch),
            SupportRowOf::Conversion => Some(SupportTarget::Conversion),
            SupportRowOf::ForeignDataWrapper => Some(SupportTarget::ForeignDataWrapper),
            SupportRowOf::AccessMethod => Some(SupportTarget::AccessMethod),
        })
    }
}
