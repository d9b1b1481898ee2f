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

pub(in crate::repair) mod candidates;
pub(crate) mod hint;
pub(in crate::repair) mod missing_relation;
mod relation_replacement;

use crate::repair::names::context::NameRepairContext;
use crate::repair::{RecovererAnswer, RepairContext};

pub(in crate::repair) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    match NameRepairContext::of(context) {
        Some(name_context) => candidates::recover(&name_context),
        None => RecovererAnswer::Silent,
    }
}

#[cfg(test)]
mod tests {
    use crate::catalog::fixture::CatalogFixture;
    use crate::policy::Recoverer;
    use crate::repair::laws::{ExpectedRepair, OutputNameLaw, RepairCase, check, check_in, world};

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
    fn a_table_with_an_alias_is_called_by_it() {
        each(&[
            (
                "SELECT ⟪customers.name, c.email FROM customers c WHERE customers.vip",
                ExpectedRepair::Exact("SELECT c.name, c.email FROM customers c WHERE c.vip"),
            ),
            (
                "SELECT public.customers.name FROM customers c",
                ExpectedRepair::Exact("SELECT c.name FROM customers c"),
            ),
            (
                "SELECT c.name FROM customers AS \"C\"",
                ExpectedRepair::Exact("SELECT \"C\".name FROM customers AS \"C\""),
            ),
            (
                "SELECT o.id FROM orders o WHERE EXISTS (SELECT 1 FROM order_items i WHERE \
                 order_items.order_id = orders.id)",
                ExpectedRepair::Exact(
                    "SELECT o.id FROM orders o WHERE EXISTS (SELECT 1 FROM order_items i WHERE \
                     i.order_id = o.id)",
                ),
            ),
            // Two of them: which one?
            (
                "SELECT customers.name FROM customers a JOIN customers b ON a.id = b.parent_id",
                ExpectedRepair::Hint("customers"),
            ),
        ]);
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
    fn an_alias_that_is_nearly_one_is_put_right() {
        each(&[
            (
                "SELECT customer.name FROM customers",
                ExpectedRepair::Likely("SELECT customers.name FROM customers"),
            ),
            (
                "SELECT customer.name FROM customers cust JOIN orders o ON o.customer_id = cust.id",
                ExpectedRepair::Likely(
                    "SELECT cust.name FROM customers cust JOIN orders o ON o.customer_id = cust.id",
                ),
            ),
            (
                "SELECT c.name FROM customers",
                ExpectedRepair::Likely("SELECT customers.name FROM customers"),
            ),
            (
                "SELECT oi.quantity FROM order_items",
                ExpectedRepair::Likely("SELECT order_items.quantity FROM order_items"),
            ),
            // Not in FROM, and the first letter of nothing there, or of two.
            (
                "SELECT t3.name FROM customers t1",
                ExpectedRepair::Hint("t1"),
            ),
            (
                "SELECT t1.name FROM customers WHERE t1.vip",
                ExpectedRepair::Likely("SELECT customers.name FROM customers WHERE customers.vip"),
            ),
            (
                "SELECT t1.name, t2.email FROM customers",
                ExpectedRepair::Hint("customers"),
            ),
            (
                "WITH t AS (SELECT 1 AS a) SELECT t.a FROM customers",
                ExpectedRepair::Hint("query of WITH"),
            ),
            (
                "SELECT x.status FROM orders o, customers c",
                ExpectedRepair::Hint("o (of orders)"),
            ),
            (
                "SELECT products.price FROM customers",
                ExpectedRepair::Hint("public.products"),
            ),
        ]);
    }

    #[test]
    fn a_relation_is_found_in_its_schema_and_by_its_name() {
        each(&[
            (
                "SELECT amount FROM ⟪invoices",
                ExpectedRepair::Likely("SELECT amount FROM archive.invoices"),
            ),
            (
                "SELECT invoices.amount FROM invoices",
                ExpectedRepair::Likely("SELECT invoices.amount FROM archive.invoices"),
            ),
            (
                "SELECT sales.customers.name FROM sales.customers",
                ExpectedRepair::Likely("SELECT customers.name FROM public.customers"),
            ),
            (
                "SELECT c.name FROM shop.sales.customers AS c",
                ExpectedRepair::Likely("SELECT c.name FROM public.customers AS c"),
            ),
            (
                "SELECT c.name FROM shop.public.customers AS c",
                ExpectedRepair::Likely("SELECT c.name FROM public.customers AS c"),
            ),
            (
                "SELECT name FROM \"public.customers\"",
                ExpectedRepair::Exact("SELECT name FROM public.customers"),
            ),
            (
                "SELECT name FROM \"Customers\"",
                ExpectedRepair::Exact("SELECT name FROM customers"),
            ),
            (
                "SELECT \"Customers\".name FROM \"Customers\"",
                ExpectedRepair::Exact("SELECT \"Customers\".name FROM customers AS \"Customers\""),
            ),
            (
                "SELECT customer.name FROM customer JOIN order_item ON true",
                ExpectedRepair::Likely(
                    "SELECT customer.name FROM customers AS customer JOIN order_items ON true",
                ),
            ),
            (
                "SELECT product_name FROM prodcuts",
                ExpectedRepair::Likely("SELECT product_name FROM products"),
            ),
            (
                "SELECT quantity FROM orderitems i",
                ExpectedRepair::Likely("SELECT quantity FROM order_items i"),
            ),
            (
                "SELECT name FROM tbl_customers",
                ExpectedRepair::Likely("SELECT name FROM customers"),
            ),
            (
                "WITH best_customers AS (SELECT name FROM customers) SELECT name FROM best_customer",
                ExpectedRepair::Likely(
                    "WITH best_customers AS (SELECT name FROM customers) SELECT name FROM \
                     best_customers",
                ),
            ),
        ]);
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
        crate::repair::laws::check_as(
            hidden,
            "reader",
            Recoverer::UndefinedTable,
            "42P01",
            OutputNameLaw::Kept,
            &made,
        );
    }
}
