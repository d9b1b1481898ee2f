//! Functional dependencies: which columns of a query decide others.
//!
//! * [`keys`]: the keys that hold for the rows of a FROM item
//! * [`equalities`]: the columns that joins and WHERE make equal
//! * [`determined_columns`]: the columns whose values follow from others, by keys and equalities

pub(crate) mod determined_columns;
pub(crate) mod equalities;
pub(crate) mod keys;
