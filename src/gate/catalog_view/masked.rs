//! Columns with a mask, as catalogs show them: of the type that is read, which has no length and no
//! precision, is the base type of a domain, and may be NULL where all that is read is.

use crate::access::AccessTable;
use catalog::{Catalog, RelationId, TypeId, TypeKind};
use policy::overlay::ColumnMask;
use policy::{Policy, PolicyRule, RuleMode};

/// The columns that have a mask.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MaskedColumnTypes {
    /// In the order of the snapshot.
    pub(super) columns: Vec<MaskedColumn>,
}

/// A column that has a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MaskedColumn {
    pub(super) relation: RelationId,
    pub(super) number: i16,
    /// The type that is read, where the column's own is a domain.
    pub(super) base: Option<TypeId>,
    /// Whether it is read as NULL.
    pub(super) is_null: bool,
}

impl MaskedColumnTypes {
    /// Those of a snapshot.
    pub(super) fn of(catalog: &Catalog, policy: &Policy, table: &AccessTable) -> Self {
        let is_kept = policy.mode_of(PolicyRule::NotResolved) == RuleMode::Enforce;
        let relations = catalog.relations();
        let masked = relations.flat_map(|(relation, _)| {
            let masks = table.overlay(relation).map_or(&[][..], |own| &own.masks);
            masks.iter().filter_map(move |(number, mask)| {
                let mut columns = catalog.columns_of(relation).iter();
                let column = columns.find(|column| column.number == *number)?;
                Some(MaskedColumn {
                    relation,
                    number: *number,
                    base: base(catalog, column.type_id),
                    is_null: match mask {
                        ColumnMask::Null => true,
                        ColumnMask::Hash => !is_kept,
                        ColumnMask::Partial | ColumnMask::Last(_) => false,
                    },
                })
            })
        });
        Self {
            columns: masked.collect(),
        }
    }

    /// What is read in the place of a column of a catalog, where something is masked.
    pub(super) fn read_as(&self, catalog: (&str, &str), column: &str) -> Option<&'static str> {
        if self.columns.is_empty() {
            return None;
        }
        let list = match catalog {
            ("pg_catalog", "pg_attribute") => ATTRIBUTES,
            ("information_schema", "columns") => COLUMNS,
            _ => return None,
        };
        let found = list.iter().find(|(name, _)| *name == column);
        found.map(|(_, expression)| *expression)
    }
}

/// The base type of a domain, at any depth.
fn base(catalog: &Catalog, id: TypeId) -> Option<TypeId> {
    let mut found = None;
    let mut seen = Vec::new();
    let mut next = id;
    while let TypeKind::Domain { base, .. } = catalog.data_type(next).kind
        && !seen.contains(&base)
    {
        seen.push(base);
        found = Some(base);
        next = base;
    }
    found
}

/// Columns of pg_attribute.
///
/// <https://www.postgresql.org/docs/current/catalog-pg-attribute.html>
#[rustfmt::skip]
const ATTRIBUTES: &[(&str, &str)] = &[
    ("attnotnull", "(x.attnotnull AND NOT @nulled(x.attrelid, x.attnum))"),
    ("atttypid", "COALESCE((l.bases)[pg_catalog.array_position(l.domains, @number(x.attrelid, x.attnum))], x.atttypid)"),
    ("atttypmod", "CASE WHEN @masked(x.attrelid, x.attnum) THEN '-1' ELSE x.atttypmod END"),
];

/// Columns of information_schema.columns, which says of a type without length and precision what
/// is written here.
///
/// <https://www.postgresql.org/docs/current/infoschema-columns.html>
#[rustfmt::skip]
const COLUMNS: &[(&str, &str)] = &[
    ("character_maximum_length", "(SELECT x.character_maximum_length WHERE NOT @named_masked(x.table_schema, x.table_name, x.column_name))"),
    ("character_octet_length", "CASE WHEN x.character_octet_length IS NOT NULL AND @named_masked(x.table_schema, x.table_name, x.column_name) THEN '1073741824' ELSE x.character_octet_length END"),
    ("datetime_precision", "CASE WHEN NOT (CAST(x.data_type AS pg_catalog.text) = 'date') AND x.datetime_precision IS NOT NULL AND @named_masked(x.table_schema, x.table_name, x.column_name) THEN '6' ELSE x.datetime_precision END"),
    ("domain_catalog", "(SELECT x.domain_catalog WHERE NOT @named_masked(x.table_schema, x.table_name, x.column_name))"),
    ("domain_name", "(SELECT x.domain_name WHERE NOT @named_masked(x.table_schema, x.table_name, x.column_name))"),
    ("domain_schema", "(SELECT x.domain_schema WHERE NOT @named_masked(x.table_schema, x.table_name, x.column_name))"),
    ("interval_type", "(SELECT x.interval_type WHERE NOT @named_masked(x.table_schema, x.table_name, x.column_name))"),
    ("is_nullable", "CASE WHEN @named_nulled(x.table_schema, x.table_name, x.column_name) THEN 'YES' ELSE x.is_nullable END"),
    ("numeric_precision", "(SELECT x.numeric_precision WHERE NOT (CAST(x.data_type AS pg_catalog.text) = 'numeric' AND @named_masked(x.table_schema, x.table_name, x.column_name)))"),
    ("numeric_scale", "(SELECT x.numeric_scale WHERE NOT (CAST(x.data_type AS pg_catalog.text) = 'numeric' AND @named_masked(x.table_schema, x.table_name, x.column_name)))"),
];
