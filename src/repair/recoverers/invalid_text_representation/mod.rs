//! `invalid_text_representation`, 22P02: a literal that is none of its type.
//!
//! # Sees
//! The string that the server names: beside a number, a boolean, an array or JSON, or among the
//! branches of CASE and COALESCE and the arms of UNION.
//!
//! # Why
//! A number in quotes is that number. A wording among numbers asks for text.
//!
//! # Before
//! - `SELECT id FROM orders WHERE id > '12.5'`
//! - `SELECT COALESCE(parent_id, 'none') FROM customers`
//!
//! # After
//! - `SELECT id FROM orders WHERE id > 12.5`
//! - `SELECT COALESCE(parent_id::text, 'none') FROM customers`
//!
//! # When not
//! A wording beside a number, a boolean, a uuid or an enumeration: the hint names the type.

pub mod literals;

use crate::repair::{RecovererAnswer, RepairContext};

pub(in crate::repair) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    literals::recover(context)
}

#[cfg(test)]
mod tests {
    use crate::policy::Recoverer;
    use crate::repair::laws::{ExpectedRepair, OutputNameLaw, RepairCase, check};

    #[test]
    fn literals_are_repaired() {
        use ExpectedRepair::{Exact, Hint, Likely, Silence};
        let rows = [
            (
                "SELECT id FROM orders WHERE id > ⟪'12.5'",
                Exact("SELECT id FROM orders WHERE id > 12.5"),
            ),
            (
                "SELECT id FROM orders WHERE id IN (⟪'1.5', '2')",
                Exact("SELECT id FROM orders WHERE id IN (1.5, '2')"),
            ),
            (
                "SELECT COALESCE(parent_id, ⟪'none') FROM customers",
                Likely("SELECT COALESCE(parent_id::text, 'none') FROM customers"),
            ),
            (
                "SELECT CASE WHEN vip THEN parent_id ELSE ⟪'' END FROM customers",
                Likely("SELECT CASE WHEN vip THEN parent_id::text ELSE '' END FROM customers"),
            ),
            (
                "SELECT id, name FROM customers UNION ALL SELECT ⟪'Total', 'x'",
                Likely("SELECT id::text, name FROM customers UNION ALL SELECT 'Total', 'x'"),
            ),
            (
                "SELECT id FROM products WHERE attributes -> 'a' = ⟪'big'",
                Likely("SELECT id FROM products WHERE attributes ->> 'a' = 'big'"),
            ),
            (
                "SELECT 1 FROM (VALUES (ARRAY['a', 'b'])) AS v(tags) WHERE tags = ⟪'a'",
                Hint("ANY (array)"),
            ),
            (
                "SELECT id FROM orders WHERE id = ⟪'abc'",
                Hint("an integer"),
            ),
            (
                "SELECT id FROM orders WHERE paid = ⟪'active'",
                Hint("true or false"),
            ),
            (
                "SELECT id FROM orders WHERE status = 'a' OR ⟪'b'",
                Hint("x IN ('a', 'b')"),
            ),
            ("SELECT id FROM orders WHERE id = '5'", Silence),
        ];
        let cases = rows.map(|(before, wanted)| RepairCase { before, wanted });
        check(
            Recoverer::InvalidTextRepresentation,
            "22P02",
            OutputNameLaw::Kept,
            &cases,
        );
    }
}
