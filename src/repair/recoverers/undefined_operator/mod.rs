//! `undefined_operator`, 42883: an operator that does not exist between these types.
//!
//! # Sees
//! Comparisons, LIKE, arithmetic and `||` between types that Postgres has no operator for, in lists
//! and ranges too, and operators of other dialects (`==`, `<=>`) that its grammar reads.
//!
//! # Why
//! Where a side is written out it is spelled in the other side's type; a cast that cannot fail and
//! loses nothing (an integer, a date as text) has one meaning. Others are likely at most. Two
//! columns of one name, an integer here and a text there, are one thing kept in two types: where
//! `=` or IN compares them, the integer is cast to text.
//!
//! # Before
//! - `SELECT * FROM "Schools" WHERE "CDSCode" = 94103`
//! - `SELECT * FROM orders WHERE placed_on LIKE '2020-05%' AND paid = 1`
//!
//! # After
//! - `SELECT * FROM "Schools" WHERE "CDSCode" = '94103'`
//! - `SELECT * FROM orders WHERE placed_on::text LIKE '2020-05%' AND paid = true`
//!
//! # When not
//! A date beside a number, an array beside a value, an interval that equals a number, a number and
//! a text in columns of two names: a hint. What USING and NATURAL compare is left alone. Where the
//! operator that the server names cannot be changed, none is.

mod compared_operands;
pub mod mismatched_operators;
pub(crate) mod operator_repair;
pub(crate) mod operator_sides;
pub(crate) mod string_operands;

use crate::{RecovererAnswer, RepairContext};

pub(crate) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    mismatched_operators::recover(context)
}

#[cfg(test)]
mod tests {
    use crate::laws::{OutputNameLaw, check_file, world};
    use policy::Recoverer;

    #[test]
    fn cases_come_to_what_they_should() {
        check_file(
            world(),
            Recoverer::UndefinedOperator,
            "42883",
            OutputNameLaw::Kept,
            include_str!("../../../../tests/data/corpus/recoverers/undefined_operator.txt"),
        );
    }
}
