//! Relations, with what hangs on them: columns, children, row policies, keys.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;

use super::oids::BuiltObject;
use super::{BuildError, CatalogBuilder};
use crate::catalog_rows::{ColumnRow, KeyRow, PolicyRow, RelationRow};
use crate::{
    Column, GeneratedKind, KeyKind, ObjectKind, Oid, Relation, RelationId, RelationKey,
    RelationKind, RowPolicy, StoredReferences,
};

/// Where the columns of each relation are.
pub type ColumnRanges = HashMap<u32, Range<usize>, RandomState>;

impl CatalogBuilder {
    /// All columns, those of one relation together and in their order.
    pub(super) fn columns(
        &mut self,
        mut rows: Vec<ColumnRow>,
    ) -> Result<(Vec<Column>, ColumnRanges), BuildError> {
        rows.retain(|row| self.oids.relation(row.relation).is_some());
        rows.sort_unstable_by_key(|row| (row.relation, row.number));
        let mut columns = Vec::with_capacity(rows.len());
        let mut places = ColumnRanges::default();
        for row in rows {
            let end = columns.len();
            places.entry(row.relation).or_insert(end..end).end = end + 1;
            columns.push(self.column(row)?);
        }
        Ok((columns, places))
    }

    fn column(&mut self, row: ColumnRow) -> Result<Column, BuildError> {
        let of = BuiltObject {
            kind: ObjectKind::Relation,
            oid: row.relation,
        };
        Ok(Column {
            name: self.names.keep(&row.name),
            number: row.number,
            type_id: self.oids.data_type(of, row.type_oid)?,
            type_modifier: row.type_modifier,
            not_null: row.not_null,
            generated: match row.generated {
                0 | b' ' => GeneratedKind::Not,
                b's' => GeneratedKind::Stored,
                b'v' => GeneratedKind::Virtual,
                letter => return Err(of.has_letter(letter)),
            },
            acl: self.rights.keep(&self.oids, row.acl),
        })
    }

    /// All relations, still without children and policies.
    pub(super) fn relations(
        &mut self,
        rows: Vec<RelationRow>,
        mut columns: ColumnRanges,
    ) -> Result<Vec<Relation>, BuildError> {
        let make = |row: RelationRow| {
            let columns = columns.remove(&row.oid).unwrap_or_default();
            self.relation(row, columns)
        };
        rows.into_iter().map(make).collect()
    }

    fn relation(
        &mut self,
        row: RelationRow,
        columns: Range<usize>,
    ) -> Result<Relation, BuildError> {
        let of = BuiltObject {
            kind: ObjectKind::Relation,
            oid: row.oid,
        };
        let kind = match row.kind {
            b'r' => RelationKind::Table,
            b'p' => RelationKind::PartitionedTable,
            b'v' => RelationKind::View,
            b'm' => RelationKind::MaterializedView,
            b'f' => RelationKind::ForeignTable,
            b'S' => RelationKind::Sequence,
            b'c' => RelationKind::CompositeType,
            letter => return Err(of.has_letter(letter)),
        };
        if kind == RelationKind::View && row.view.is_none() {
            return Err(BuildError::NoQuery { oid: Oid(row.oid) });
        }
        let join = |trees: &[String]| {
            let all = trees.iter().map(|tree| StoredReferences::read(tree));
            (!trees.is_empty()).then(|| Box::new(StoredReferences::join(all)))
        };
        Ok(Relation {
            oid: Oid(row.oid),
            schema: self.schema(of, row.schema)?,
            name: self.names.keep(&row.name),
            kind,
            row_type: self.oids.data_type_or_none(of, row.row_type)?,
            columns,
            children: Box::default(),
            owner: self.oids.role(row.owner),
            acl: self.rights.keep(&self.oids, row.acl),
            view: row.view.map(|tree| Box::new(StoredReferences::read(&tree))),
            policies: Box::default(),
            computed: join(&row.computed),
            planned: join(&row.planned),
            server: row.server.map(|name| self.names.keep(&name)),
        })
    }

    /// Gives the relations their children. A pair of an index and its part is passed over.
    pub(super) fn inherit(
        &self,
        relations: &mut [Relation],
        pairs: &[(u32, u32)],
    ) -> Result<(), BuildError> {
        let mut children: HashMap<RelationId, Vec<RelationId>, RandomState> = HashMap::default();
        for &(child, parent) in pairs {
            let of = BuiltObject {
                kind: ObjectKind::Relation,
                oid: child,
            };
            if self.oids.is_unreadable(parent) || self.oids.is_unreadable(child) {
                continue;
            }
            let found = of.needs(ObjectKind::Relation, parent, self.oids.relation(parent))?;
            let of = BuiltObject {
                kind: ObjectKind::Relation,
                oid: parent,
            };
            let child = of.needs(ObjectKind::Relation, child, self.oids.relation(child))?;
            children.entry(found).or_default().push(child);
        }
        for (parent, mut list) in children {
            list.sort_unstable();
            list.dedup();
            if let Some(parent) = relations.get_mut(parent.place()) {
                parent.children = list.into();
            }
        }
        Ok(())
    }

    /// Gives the relations their row policies.
    pub(super) fn policies(
        &mut self,
        relations: &mut [Relation],
        rows: Vec<PolicyRow>,
    ) -> Result<(), BuildError> {
        let mut policies: HashMap<RelationId, Vec<RowPolicy>, RandomState> = HashMap::default();
        for row in rows {
            let of = BuiltObject {
                kind: ObjectKind::Policy,
                oid: 0,
            };
            let found = self.oids.relation(row.relation);
            let relation = of.needs(ObjectKind::Relation, row.relation, found)?;
            policies.entry(relation).or_default().push(RowPolicy {
                name: self.names.keep(&row.name),
                using: row
                    .using
                    .map(|tree| StoredReferences::read(&tree))
                    .unwrap_or_default(),
            });
        }
        for (relation, list) in policies {
            if let Some(relation) = relations.get_mut(relation.place()) {
                relation.policies = list.into();
            }
        }
        Ok(())
    }

    /// All keys, by relation. Keys hide nothing: one of a relation that was left out is passed
    /// over.
    pub(super) fn keys(&self, rows: Vec<KeyRow>) -> Vec<RelationKey> {
        let mut keys: Vec<RelationKey> = rows.into_iter().filter_map(|row| self.key(row)).collect();
        keys.sort_by_key(|key| key.relation);
        keys
    }

    fn key(&self, row: KeyRow) -> Option<RelationKey> {
        Some(RelationKey {
            relation: self.oids.relation(row.relation)?,
            columns: row.columns.into(),
            kind: match row.kind {
                b'p' => KeyKind::Primary,
                b'u' => KeyKind::Unique,
                b'f' if row.not_validated => KeyKind::Unvalidated {
                    to: self.oids.relation(row.to)?,
                    to_columns: row.to_columns.into(),
                },
                b'f' => KeyKind::Foreign {
                    to: self.oids.relation(row.to)?,
                    to_columns: row.to_columns.into(),
                },
                _ => return None,
            },
        })
    }
}
