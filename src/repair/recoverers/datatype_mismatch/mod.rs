//! `datatype_mismatch`, 42804: types that do not fit.
//!
//! # Sees
//! Branches of CASE and COALESCE and arms of UNION that have no type in common, and numbers where a
//! condition is asked for.
//!
//! # Why
//! What is written out is spelled in the type of the others. A number that stands for a condition
//! is one where it is not zero: no dialect that allows it means anything else.
//!
//! # Before
//! - `SELECT COALESCE(status, 0) FROM orders`
//! - `SELECT id FROM orders WHERE paid AND customer_id`
//!
//! # After
//! - `SELECT COALESCE(status, '0') FROM orders`
//! - `SELECT id FROM orders WHERE paid AND (customer_id <> 0)`
//!
//! # When not
//! Columns of different types are left alone: one of them may be the wrong one. A number written
//! out as a condition (`x = 1 OR 2`) and a date beside a number are hints.

pub mod branch_types;

use crate::{RecovererAnswer, RepairContext};

pub(crate) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    branch_types::recover(context)
}

#[cfg(test)]
mod tests {
    use crate::laws::{OutputNameLaw, check_file, world};
    use policy::Recoverer;

    #[test]
    fn cases_come_to_what_they_should() {
        check_file(
            world(),
            Recoverer::DatatypeMismatch,
            "42804",
            OutputNameLaw::Kept,
            include_str!("../../../../tests/data/corpus/recoverers/datatype_mismatch.txt"),
        );
    }
}
