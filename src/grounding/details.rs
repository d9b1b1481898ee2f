//! What is read of a server beside a snapshot of its catalog, for a grounding alone: it changes
//! more often than what names mean, and judges nothing.

use std::collections::{BTreeMap, BTreeSet};

use catalog::{Oid, RelationId};

/// All of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CatalogDetails {
    /// The server's version, as it says it: `15.4`.
    pub server_version: String,
    /// Comments on relations, by oid.
    pub relation_comments: BTreeMap<Oid, String>,
    /// Comments on columns, by the oid of the relation and the number of the column.
    pub column_comments: BTreeMap<(Oid, i16), String>,
    /// Comments on functions, by oid.
    pub function_comments: BTreeMap<Oid, String>,
    /// The planner's estimate of rows, by the oid of the relation; none where it was never counted.
    pub row_estimates: BTreeMap<Oid, u64>,
    /// Relations with row security, by oid: with no row policy at all, it hides every row.
    pub row_security: BTreeSet<Oid>,
    /// The labels of enumerations, in their order, by the oid of the type.
    pub enum_labels: BTreeMap<Oid, Vec<String>>,
    /// What the planner knows of columns, by the oid of the relation and the number of the column.
    pub statistics: BTreeMap<(Oid, i16), ColumnStatistics>,
    /// Indexes of columns, by the oid of the relation, each with the numbers of its columns; zero
    /// for an expression.
    pub indexes: BTreeMap<Oid, Vec<IndexDetail>>,
}

/// What the planner knows of a column (`pg_stats`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnStatistics {
    /// The share of NULLs, from 0 to 1.
    pub null_share: f64,
    /// The estimated number of distinct values; negative: minus their share of the rows.
    pub distinct: f64,
    /// The most common values as text, most common first.
    pub common_values: Vec<String>,
}

/// An index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexDetail {
    /// Its name.
    pub name: String,
    /// Its access method: `btree`.
    pub method: String,
    /// The numbers of its key columns, in order; zero for an expression.
    pub columns: Vec<i16>,
    /// Whether each combination of values occurs once.
    pub is_unique: bool,
    /// Whether it holds the rows alone that meet a condition.
    pub is_partial: bool,
}

/// Values that were read as a session would read them, by the relation and the number of the
/// column. Only columns with few values are there, and all values of them.
pub type ColumnSamples = BTreeMap<(RelationId, i16), Vec<String>>;
