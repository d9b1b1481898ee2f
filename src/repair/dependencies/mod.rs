//! Functional dependencies: which columns of a query decide others.
//!
//! * [`keys`]: the keys that hold for the rows of a FROM item
//! * [`equalities`]: the columns that joins and WHERE make equal
//! * [`determined_columns`]: the columns whose values follow from others, by keys and equalities

pub(in crate::repair) mod determined_columns;
pub(in crate::repair) mod equalities;
pub(in crate::repair) mod keys;
