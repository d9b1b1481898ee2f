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

use crate::repair::{RecovererAnswer, RepairContext};

pub(in crate::repair) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    branch_types::recover(context)
}

#[cfg(test)]
mod tests {
    use crate::policy::Recoverer;
    use crate::repair::laws::{ExpectedRepair, OutputNameLaw, RepairCase, check};

    #[test]
    fn types_are_brought_together() {
        use ExpectedRepair::{Exact, Hint, Silence};
        let rows = [
            (
                "SELECT COALESCE(status, 0) FROM orders",
                Exact("SELECT COALESCE(status, '0') FROM orders"),
            ),
            (
                "SELECT CASE WHEN paid THEN status ELSE id END FROM orders",
                Hint("cast each of them"),
            ),
            (
                "SELECT CASE WHEN id > 1 THEN paid ELSE 0 END AS p FROM orders",
                Exact("SELECT CASE WHEN id > 1 THEN paid ELSE false END AS p FROM orders"),
            ),
            (
                "SELECT COALESCE(paid, customer_id) FROM orders",
                Exact("SELECT COALESCE(paid::int, customer_id) FROM orders"),
            ),
            (
                "SELECT COALESCE(now() - created_at, 0) FROM customers",
                Exact("SELECT COALESCE(now() - created_at, INTERVAL '0') FROM customers"),
            ),
            (
                "SELECT COALESCE(placed_on, 0) FROM orders",
                Hint("A date and a number"),
            ),
            (
                "SELECT id, status FROM orders UNION ALL SELECT id, 0 FROM customers",
                Exact("SELECT id, status FROM orders UNION ALL SELECT id, '0' FROM customers"),
            ),
            (
                "SELECT id, status FROM orders UNION ALL SELECT name, 'x' FROM customers",
                Hint("cast each of them"),
            ),
            (
                "SELECT id FROM orders WHERE customer_id",
                Exact("SELECT id FROM orders WHERE (customer_id <> 0)"),
            ),
            (
                "SELECT id FROM orders WHERE paid AND NOT customer_id",
                Exact("SELECT id FROM orders WHERE paid AND NOT (customer_id <> 0)"),
            ),
            (
                "SELECT CASE WHEN id % 2 THEN 'odd' ELSE 'even' END FROM orders",
                Exact("SELECT CASE WHEN ((id % 2) <> 0) THEN 'odd' ELSE 'even' END FROM orders"),
            ),
            (
                "SELECT id FROM orders WHERE id = 1 OR 2",
                Hint("x IN (1, 2)"),
            ),
            ("SELECT id FROM orders WHERE status", Hint("compare it")),
            (
                "SELECT COALESCE(status, NULL, 'x'), CASE WHEN paid THEN 1 ELSE 2.5 END FROM orders",
                Silence,
            ),
        ];
        let cases = rows.map(|(before, wanted)| RepairCase { before, wanted });
        check(
            Recoverer::DatatypeMismatch,
            "42804",
            OutputNameLaw::Kept,
            &cases,
        );
    }
}
