//! Functional dependencies: which columns of a query decide others.
//!
//! * [`keys`]: the keys that hold for the rows of a FROM item; [`key_ties`]: the columns that
//!   foreign keys tie to each other; [`bridging_keys`]: the relation between two others;
//!   [`equated_columns`]: the columns that a text asks to be equal
//! * [`equalities`]: the columns that joins and WHERE make equal
//! * [`determined_columns`]: the columns whose values follow from others, by keys and equalities

pub(crate) mod bridging_keys;
pub(crate) mod determined_columns;
pub(crate) mod equalities;
pub(crate) mod equated_columns;
pub(crate) mod key_ties;
pub(crate) mod keys;
