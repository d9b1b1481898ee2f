//! `undefined_operator`, 42883: an operator that does not exist between these types.
//!
//! # Sees
//! Comparisons, LIKE, arithmetic and `||` between types that Postgres has no operator for, in lists
//! and ranges too, and operators of other dialects (`==`, `<=>`) that its grammar reads.
//!
//! # Why
//! Where a side is written out it is spelled in the other side's type; a cast that cannot fail and
//! loses nothing (an integer, a date as text) has one meaning. Others are likely at most.
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
//! A date beside a number, an array beside a value, an interval that equals a number: a hint. Where
//! the operator that the server names cannot be changed, none is.

mod compared_operands;
pub mod mismatched_operators;
pub(crate) mod operator_repair;
pub(in crate::repair) mod operator_sides;
pub(crate) mod string_operands;

use crate::repair::{RecovererAnswer, RepairContext};

pub(in crate::repair) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    mismatched_operators::recover(context)
}

#[cfg(test)]
mod tests {
    use crate::policy::Recoverer;
    use crate::repair::laws::{ExpectedRepair, OutputNameLaw, RepairCase, check};

    #[test]
    fn operators_are_repaired() {
        use ExpectedRepair::{Exact, Hint, Likely, Silence};
        let rows = [
            (
                "SELECT id FROM orders WHERE status = 5",
                Exact("SELECT id FROM orders WHERE status = '5'"),
            ),
            (
                "SELECT id FROM orders WHERE 94103 <> status AND paid = 1",
                Exact("SELECT id FROM orders WHERE '94103' <> status AND paid = true"),
            ),
            (
                "SELECT id FROM orders WHERE status IN (1, 2, 'x')",
                Exact("SELECT id FROM orders WHERE status IN ('1', '2', 'x')"),
            ),
            (
                "SELECT id FROM orders WHERE NOT paid IN (0, 1)",
                Exact("SELECT id FROM orders WHERE NOT paid IN (false, true)"),
            ),
            (
                "SELECT id FROM orders WHERE status > 5",
                Likely("SELECT id FROM orders WHERE status::numeric > 5"),
            ),
            (
                "SELECT id FROM orders WHERE status BETWEEN 1 AND 5",
                Likely("SELECT id FROM orders WHERE status::numeric BETWEEN 1 AND 5"),
            ),
            (
                "SELECT id FROM orders WHERE status = 1.5",
                Likely("SELECT id FROM orders WHERE status::numeric = 1.5"),
            ),
            (
                "SELECT o.id FROM orders o JOIN customers c ON c.email ⟪= o.customer_id",
                Likely(
                    "SELECT o.id FROM orders o JOIN customers c ON c.email = o.customer_id::text",
                ),
            ),
            (
                "SELECT id FROM orders WHERE placed_on LIKE '2020-05%' OR id LIKE '1%'",
                Exact(
                    "SELECT id FROM orders WHERE placed_on::text LIKE '2020-05%' OR id::text LIKE '1%'",
                ),
            ),
            (
                "SELECT id FROM customers WHERE created_at NOT LIKE '2020%'",
                Likely("SELECT id FROM customers WHERE created_at::text NOT LIKE '2020%'"),
            ),
            (
                "SELECT id FROM orders WHERE to_char(placed_on, 'MM') = 5",
                Exact("SELECT id FROM orders WHERE to_char(placed_on, 'MM')::int = 5"),
            ),
            (
                "SELECT to_char(placed_on, 'YYYY') - to_char(now(), 'YYYY') FROM orders",
                Exact(
                    "SELECT to_char(placed_on, 'YYYY')::int - to_char(now(), 'YYYY')::int FROM orders",
                ),
            ),
            (
                "SELECT id FROM orders WHERE substr(status, 1, 4) = 2020",
                Exact("SELECT id FROM orders WHERE substr(status, 1, 4) = '2020'"),
            ),
            (
                "SELECT id FROM orders WHERE substr(status, 1, 2) = 5",
                Likely("SELECT id FROM orders WHERE substr(status, 1, 2)::numeric = 5"),
            ),
            (
                "SELECT id FROM orders WHERE placed_on >= to_char(now(), 'YYYY-MM-DD')",
                Exact(
                    "SELECT id FROM orders WHERE placed_on::text >= to_char(now(), 'YYYY-MM-DD')",
                ),
            ),
            (
                "SELECT id FROM orders WHERE placed_on = status",
                Likely("SELECT id FROM orders WHERE placed_on = status::date"),
            ),
            (
                "SELECT id FROM orders WHERE placed_on > 2020",
                Hint("EXTRACT(YEAR FROM x)"),
            ),
            (
                "SELECT name + ' ' + email AS both FROM customers",
                Likely("SELECT name || ' ' || email AS both FROM customers"),
            ),
            ("SELECT name + email FROM customers", Hint("a || b")),
            (
                "SELECT id || quantity FROM orders JOIN order_items ON id = order_id",
                Exact("SELECT id::text || quantity FROM orders JOIN order_items ON id = order_id"),
            ),
            (
                "SELECT id FROM orders WHERE id == 5",
                Exact("SELECT id FROM orders WHERE id = 5"),
            ),
            (
                "SELECT id FROM orders WHERE status == 5",
                Exact("SELECT id FROM orders WHERE status = '5'"),
            ),
            (
                "SELECT id FROM orders WHERE id =< 5 AND total_amount >== 2 AND status !== 7",
                Exact(
                    "SELECT id FROM orders WHERE id <= 5 AND total_amount >= 2 AND status != '7'",
                ),
            ),
            (
                "SELECT id FROM customers WHERE country <=> NULL",
                Exact("SELECT id FROM customers WHERE country IS NOT DISTINCT FROM NULL"),
            ),
            (
                "SELECT sum(paid + 1), sum((id > 5) * total_amount) FROM orders",
                Exact("SELECT sum(paid::int + 1), sum((id > 5)::int * total_amount) FROM orders"),
            ),
            (
                "SELECT weight % 2 FROM products",
                Exact("SELECT weight::numeric % 2 FROM products"),
            ),
            (
                "SELECT id FROM products WHERE attributes -> 'size' = 5",
                Likely("SELECT id FROM products WHERE (attributes ->> 'size')::numeric = 5"),
            ),
            (
                "SELECT id FROM products WHERE attributes ->> 'size' = 5",
                Exact("SELECT id FROM products WHERE attributes ->> 'size' = '5'"),
            ),
            (
                "SELECT id FROM customers WHERE now() - created_at > 30",
                Likely("SELECT id FROM customers WHERE now() - created_at > INTERVAL '30 day'"),
            ),
            (
                "SELECT id FROM orders WHERE current_date - placed_on > INTERVAL '30 days'",
                Exact("SELECT id FROM orders WHERE current_date - placed_on > 30"),
            ),
            (
                "SELECT id FROM customers WHERE created_at > now() - 30",
                Likely("SELECT id FROM customers WHERE created_at > now() - INTERVAL '30 day'"),
            ),
            (
                "SELECT id FROM orders WHERE id IN (SELECT email FROM customers)",
                Likely("SELECT id FROM orders WHERE id::text IN (SELECT email FROM customers)"),
            ),
            (
                "SELECT id FROM orders WHERE status IN (SELECT id FROM customers)",
                Likely("SELECT id FROM orders WHERE status IN (SELECT id::text FROM customers)"),
            ),
            (
                "SELECT id FROM orders WHERE (status) = (5) AND ((id > 1) = 1)",
                Exact("SELECT id FROM orders WHERE (status) = ('5') AND ((id > 1) = true)"),
            ),
            (
                "SELECT id FROM orders WHERE id = 5 AND status = '5'",
                Silence,
            ),
            (
                "SELECT NULLIF(status, 0) FROM orders",
                Exact("SELECT NULLIF(status, '0') FROM orders"),
            ),
        ];
        let cases = rows.map(|(before, wanted)| RepairCase { before, wanted });
        check(
            Recoverer::UndefinedOperator,
            "42883",
            OutputNameLaw::Kept,
            &cases,
        );
    }
}
