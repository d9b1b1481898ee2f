//! Support functions.

use super::oids::Subject;
use super::{BuildError, Builder};
use crate::catalog::catalog_rows::{SupportRow, SupportRowOf};
use crate::catalog::support_function::{Support, Supported};
use crate::catalog::{ObjectKind, Oid};

impl Builder {
    /// All support functions, in order. What is run for a relation that no statement can read is
    /// passed over.
    pub(super) fn supports(&self, rows: &[SupportRow]) -> Result<Vec<Support>, BuildError> {
        let mut supports = Vec::with_capacity(rows.len());
        for row in rows {
            if let Some(of) = self.supported(row)? {
                let function = self.oids.functions.get(&Oid(row.function)).copied();
                supports.push(Support { of, function });
            }
        }
        supports.sort_unstable();
        supports.dedup();
        Ok(supports)
    }

    fn supported(&self, row: &SupportRow) -> Result<Option<Supported>, BuildError> {
        let oid = row.oid;
        Ok(match row.of {
            SupportRowOf::Relation => self.oids.relation(oid).map(Supported::Relation),
            SupportRowOf::PartitionKey => self.oids.relation(oid).map(Supported::PartitionKey),
            SupportRowOf::Operator => {
                let of = Subject {
                    kind: ObjectKind::Operator,
                    oid,
                };
                let operator = self.oids.operator_or_none(of, oid)?;
                operator.map(Supported::Operator)
            }
            SupportRowOf::Function => {
                let of = Subject {
                    kind: ObjectKind::Function,
                    oid,
                };
                let function = self.oids.function_or_none(of, oid)?;
                function.map(Supported::Function)
            }
            SupportRowOf::TypeModifier => Some(Supported::TypeModifier),
            SupportRowOf::Printing => Some(Supported::Printing),
            SupportRowOf::TextSearch => Some(Supported::TextSearch),
            SupportRowOf::Conversion => Some(Supported::Conversion),
            SupportRowOf::ForeignDataWrapper => Some(Supported::ForeignDataWrapper),
            SupportRowOf::AccessMethod => Some(Supported::AccessMethod),
        })
    }
}
