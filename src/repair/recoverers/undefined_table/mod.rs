//! `undefined_table`, 42P01: a relation that does not exist, or a column after the name of none.
//!
//! # Sees
//! Every name in FROM that means no relation, and every column after a name that is not in FROM.
//!
//! # Why
//! Schemas are left out or made up, names are written in the singular, and a table that has an
//! alias is still called by its own name.
//!
//! # Before
//! ```sql
//! SELECT customers.name FROM customers AS c
//! ```
//!
//! # After
//! ```sql
//! SELECT c.name FROM customers AS c
//! ```
//!
//! # When not
//! Where two relations could be meant, or a name is only part of another one.

pub(crate) mod candidates;
pub(crate) mod hint;
pub(crate) mod missing_relation;
mod relation_replacement;

use crate::names::context::NameRepairContext;
use crate::{RecovererAnswer, RepairContext};

pub(crate) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    match NameRepairContext::of(context) {
        Some(name_context) => candidates::recover(&name_context),
        None => RecovererAnswer::Silent,
    }
}

#[cfg(test)]
mod tests {
    use crate::laws::{
        ExpectedRepair, OutputNameLaw, RepairCase, check, check_file, check_in, world,
    };
    use catalog::fixture::CatalogFixture;
    use policy::Recoverer;

    fn cases<'c>(made: &[(&'c str, ExpectedRepair<'c>)]) -> Vec<RepairCase<'c>> {
        let case = |(before, wanted): &(&'c str, ExpectedRepair<'c>)| RepairCase {
            before,
            wanted: match wanted {
                ExpectedRepair::Exact(text) => ExpectedRepair::Exact(text),
                ExpectedRepair::Likely(text) => ExpectedRepair::Likely(text),
                ExpectedRepair::Hint(text) => ExpectedRepair::Hint(text),
                ExpectedRepair::Silence => ExpectedRepair::Silence,
            },
        };
        made.iter().map(case).collect()
    }

    fn each(made: &[(&str, ExpectedRepair<'_>)]) {
        let cases = cases(made);
        check(
            Recoverer::UndefinedTable,
            "42P01",
            OutputNameLaw::Kept,
            &cases,
        );
    }

    #[test]
    fn cases_come_to_what_they_should() {
        check_file(
            world(),
            Recoverer::UndefinedTable,
            "42P01",
            OutputNameLaw::Kept,
            include_str!("../../../../tests/data/corpus/recoverers/undefined_table.txt"),
        );
    }

    #[test]
    fn both_the_alias_and_the_case_are_put_right() {
        let made = cases(&[(
            "SELECT customers.\"Name\", customers.* FROM customers c",
            ExpectedRepair::Exact("SELECT c.name, c.* FROM customers c"),
        )]);
        check(
            Recoverer::UndefinedTable,
            "42P01",
            OutputNameLaw::Repaired,
            &made,
        );
    }

    #[test]
    fn what_could_be_another_relation_is_a_hint() {
        each(&[
            ("SELECT 1 FROM items", ExpectedRepair::Hint("order_items")),
            (
                "SELECT 1 FROM customer_orders",
                ExpectedRepair::Hint("orders"),
            ),
            (
                "SELECT 1 FROM nothing_like_it",
                ExpectedRepair::Hint("there are"),
            ),
            (
                "SELECT 1 FROM orders JOIN nothing ON true JOIN prodcuts ON true",
                ExpectedRepair::Hint("nothing"),
            ),
            (
                "SELECT * FROM (WITH w AS (SELECT 1 AS a) SELECT a FROM w) x JOIN w ON true",
                ExpectedRepair::Hint("of WITH is not known here"),
            ),
            ("SELECT 1 FROM orders", ExpectedRepair::Silence),
            ("SELECT ⟪1 FROM prodcuts", ExpectedRepair::Silence),
        ]);
        let two = world()
            .schema("eu")
            .table("eu.invoices", "id int4")
            .table("archive.order", "id int4")
            .table("archive.customers_old", "id int4");
        let made = cases(&[
            (
                "SELECT id FROM invoices",
                ExpectedRepair::Hint("archive.invoices or eu.invoices"),
            ),
            (
                "SELECT id FROM customer",
                ExpectedRepair::Likely("SELECT id FROM customers"),
            ),
        ]);
        check_in(
            two,
            Recoverer::UndefinedTable,
            "42P01",
            OutputNameLaw::Kept,
            &made,
        );
    }

    #[test]
    fn what_the_client_may_not_see_is_not_named() {
        let hidden = CatalogFixture::new(15)
            .schema("shop")
            .role("reader")
            .table("public.orders", "id int4")
            .table("shop.customers", "id int4, name text")
            .table("public.customer_secrets", "id int4")
            .rights("shop.customers", Some(&[]))
            .rights("public.customer_secrets", Some(&[]));
        let made = cases(&[(
            "SELECT 1 FROM customer",
            ExpectedRepair::Hint("there are orders."),
        )]);
        crate::laws::check_as(
            hidden,
            "reader",
            Recoverer::UndefinedTable,
            "42P01",
            OutputNameLaw::Kept,
            &made,
        );
    }
}
