//! Types, and the operators and casts between them.

use super::oids::BuiltObject;
use super::{BuildError, CatalogBuilder};
use crate::catalog_rows::{CastRow, OperatorRow, TypeRow};
use crate::{
    Cast, CastContext, CastMethod, ObjectKind, Oid, Operator, RelationId, StoredReferences, Type,
    TypeKind,
};

impl CatalogBuilder {
    /// All types.
    pub(super) fn data_types(&mut self, rows: Vec<TypeRow>) -> Result<Vec<Type>, BuildError> {
        rows.into_iter().map(|row| self.data_type(row)).collect()
    }

    fn data_type(&mut self, row: TypeRow) -> Result<Type, BuildError> {
        let of = BuiltObject {
            kind: ObjectKind::Type,
            oid: row.oid,
        };
        Ok(Type {
            oid: Oid(row.oid),
            schema: self.schema(of, row.schema)?,
            name: self.names.keep(&row.name),
            kind: self.type_kind(of, &row)?,
            category: row.category,
            preferred: row.preferred,
            element: self.oids.data_type_or_none(of, row.element)?,
            is_array: row.is_array,
            array: self.oids.data_type_or_none(of, row.array)?,
            makers: self.oids.functions(of, &row.makers)?,
            users: self.oids.functions(of, &row.users)?,
            owner: self.oids.role(row.owner),
            acl: self.rights.keep(&self.oids, row.acl),
        })
    }

    fn type_kind(&self, of: BuiltObject, row: &TypeRow) -> Result<TypeKind, BuildError> {
        Ok(match row.kind {
            b'b' => TypeKind::Base,
            b'c' => TypeKind::Composite(self.rows_of(of, row)?),
            b'd' => TypeKind::Domain {
                base: self.oids.data_type(of, row.base)?,
                base_modifier: row.base_modifier,
                checks: StoredReferences::join(
                    row.checks.iter().map(|tree| StoredReferences::read(tree)),
                ),
                constrained: row.not_null || !row.checks.is_empty(),
            },
            b'e' => TypeKind::Enum,
            b'r' => TypeKind::Range {
                subtype: self.oids.data_type(of, row.range_of)?,
            },
            b'm' => TypeKind::Multirange {
                range: self.oids.data_type(of, row.range_of)?,
            },
            b'p' => TypeKind::Pseudo,
            letter => return Err(of.has_letter(letter)),
        })
    }

    /// The relation whose rows a composite type is for. Those of toast tables and of what one
    /// session made for itself are not read, but their types are.
    fn rows_of(&self, of: BuiltObject, row: &TypeRow) -> Result<Option<RelationId>, BuildError> {
        let found = self.oids.relation(row.relation);
        if found.is_some() || self.oids.is_out_of_reach(row.schema, row.relation) {
            return Ok(found);
        }
        of.needs(ObjectKind::Relation, row.relation, found)
            .map(Some)
    }

    /// All operators.
    pub(super) fn operators(
        &mut self,
        rows: Vec<OperatorRow>,
    ) -> Result<Vec<Operator>, BuildError> {
        let make = |row: OperatorRow| {
            let of = BuiltObject {
                kind: ObjectKind::Operator,
                oid: row.oid,
            };
            Ok(Operator {
                oid: Oid(row.oid),
                schema: self.schema(of, row.schema)?,
                name: self.names.keep(&row.name),
                left: self.oids.data_type_or_none(of, row.left)?,
                right: self.oids.data_type_or_none(of, row.right)?,
                result: self.oids.data_type_or_none(of, row.result)?,
                function: self.oids.function_or_none(of, row.function)?,
                commutator: self.oids.operator_or_none(of, row.commutator)?,
                negator: self.oids.operator_or_none(of, row.negator)?,
                leakproof: row.leakproof,
                support: self.oids.functions(of, &row.support)?,
            })
        };
        rows.into_iter().map(make).collect()
    }

    /// All casts, by the types that they start from and make.
    pub(super) fn casts(&self, rows: &[CastRow]) -> Result<Vec<Cast>, BuildError> {
        let make = |row: &CastRow| {
            // Casts have no names: the type that it starts from tells which one it is.
            let of = BuiltObject {
                kind: ObjectKind::Cast,
                oid: row.source,
            };
            Ok(Cast {
                source: self.oids.data_type(of, row.source)?,
                target: self.oids.data_type(of, row.target)?,
                method: match row.method {
                    b'f' => CastMethod::Function(self.oids.function(of, row.function)?),
                    b'b' => CastMethod::Binary,
                    b'i' => CastMethod::InOut,
                    letter => return Err(of.has_letter(letter)),
                },
                context: match row.context {
                    b'e' => CastContext::Explicit,
                    b'a' => CastContext::Assignment,
                    b'i' => CastContext::Implicit,
                    letter => return Err(of.has_letter(letter)),
                },
            })
        };
        let casts: Result<Vec<Cast>, BuildError> = rows.iter().map(make).collect();
        let mut casts = casts?;
        casts.sort_unstable_by_key(|cast| (cast.source, cast.target));
        Ok(casts)
    }
}
