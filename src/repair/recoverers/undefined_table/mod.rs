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

use crate::repair::names::context::Ground;
use crate::repair::{Answer, Scene};

pub(in crate::repair) fn recover(scene: &Scene<'_>) -> Answer {
    match Ground::of(scene) {
        Some(ground) => candidates::all(&ground),
        None => Answer::Silent,
    }
}

#[cfg(test)]
mod tests {
    use crate::catalog::fixture::Fixture;
    use crate::policy::Recoverer;
    use crate::repair::laws::{Case, Names, Wanted, check, check_in, world};

    fn cases<'c>(made: &[(&'c str, Wanted<'c>)]) -> Vec<Case<'c>> {
        let case = |(before, wanted): &(&'c str, Wanted<'c>)| Case {
            before,
            wanted: match wanted {
                Wanted::Exact(text) => Wanted::Exact(text),
                Wanted::Likely(text) => Wanted::Likely(text),
                Wanted::Hint(text) => Wanted::Hint(text),
                Wanted::Silence => Wanted::Silence,
            },
        };
        made.iter().map(case).collect()
    }

    fn each(made: &[(&str, Wanted<'_>)]) {
        let cases = cases(made);
        check(Recoverer::UndefinedTable, "42P01", Names::Survive, &cases);
    }

    #[test]
    fn a_table_with_an_alias_is_called_by_it() {
        each(&[
            (
                "SELECT ⟪customers.name, c.email FROM customers c WHERE customers.vip",
                Wanted::Exact("SELECT c.name, c.email FROM customers c WHERE c.vip"),
            ),
            (
                "SELECT public.customers.name FROM customers c",
                Wanted::Exact("SELECT c.name FROM customers c"),
            ),
            (
                "SELECT c.name FROM customers AS \"C\"",
                Wanted::Exact("SELECT \"C\".name FROM customers AS \"C\""),
            ),
            (
                "SELECT o.id FROM orders o WHERE EXISTS (SELECT 1 FROM order_items i WHERE \
                 order_items.order_id = orders.id)",
                Wanted::Exact(
                    "SELECT o.id FROM orders o WHERE EXISTS (SELECT 1 FROM order_items i WHERE \
                     i.order_id = o.id)",
                ),
            ),
            // Two of them: which one?
            (
                "SELECT customers.name FROM customers a JOIN customers b ON a.id = b.parent_id",
                Wanted::Hint("customers"),
            ),
        ]);
    }

    #[test]
    fn both_the_alias_and_the_case_are_put_right() {
        let made = cases(&[(
            "SELECT customers.\"Name\", customers.* FROM customers c",
            Wanted::Exact("SELECT c.name, c.* FROM customers c"),
        )]);
        check(Recoverer::UndefinedTable, "42P01", Names::Repaired, &made);
    }

    #[test]
    fn an_alias_that_is_nearly_one_is_put_right() {
        each(&[
            (
                "SELECT customer.name FROM customers",
                Wanted::Likely("SELECT customers.name FROM customers"),
            ),
            (
                "SELECT customer.name FROM customers cust JOIN orders o ON o.customer_id = cust.id",
                Wanted::Likely(
                    "SELECT cust.name FROM customers cust JOIN orders o ON o.customer_id = cust.id",
                ),
            ),
            (
                "SELECT c.name FROM customers",
                Wanted::Likely("SELECT customers.name FROM customers"),
            ),
            (
                "SELECT oi.quantity FROM order_items",
                Wanted::Likely("SELECT order_items.quantity FROM order_items"),
            ),
            // Not in FROM, and the first letter of nothing there, or of two.
            ("SELECT t3.name FROM customers t1", Wanted::Hint("t1")),
            (
                "SELECT t1.name FROM customers WHERE t1.vip",
                Wanted::Likely("SELECT customers.name FROM customers WHERE customers.vip"),
            ),
            (
                "SELECT t1.name, t2.email FROM customers",
                Wanted::Hint("customers"),
            ),
            (
                "WITH t AS (SELECT 1 AS a) SELECT t.a FROM customers",
                Wanted::Hint("query of WITH"),
            ),
            (
                "SELECT x.status FROM orders o, customers c",
                Wanted::Hint("o (of orders)"),
            ),
            (
                "SELECT products.price FROM customers",
                Wanted::Hint("public.products"),
            ),
        ]);
    }

    #[test]
    fn a_relation_is_found_in_its_schema_and_by_its_name() {
        each(&[
            (
                "SELECT amount FROM ⟪invoices",
                Wanted::Likely("SELECT amount FROM archive.invoices"),
            ),
            (
                "SELECT invoices.amount FROM invoices",
                Wanted::Likely("SELECT invoices.amount FROM archive.invoices"),
            ),
            (
                "SELECT sales.customers.name FROM sales.customers",
                Wanted::Likely("SELECT customers.name FROM public.customers"),
            ),
            (
                "SELECT c.name FROM shop.sales.customers AS c",
                Wanted::Likely("SELECT c.name FROM public.customers AS c"),
            ),
            (
                "SELECT c.name FROM shop.public.customers AS c",
                Wanted::Likely("SELECT c.name FROM public.customers AS c"),
            ),
            (
                "SELECT name FROM \"public.customers\"",
                Wanted::Exact("SELECT name FROM public.customers"),
            ),
            (
                "SELECT name FROM \"Customers\"",
                Wanted::Exact("SELECT name FROM customers"),
            ),
            (
                "SELECT \"Customers\".name FROM \"Customers\"",
                Wanted::Exact("SELECT \"Customers\".name FROM customers AS \"Customers\""),
            ),
            (
                "SELECT customer.name FROM customer JOIN order_item ON true",
                Wanted::Likely(
                    "SELECT customer.name FROM customers AS customer JOIN order_items ON true",
                ),
            ),
            (
                "SELECT product_name FROM prodcuts",
                Wanted::Likely("SELECT product_name FROM products"),
            ),
            (
                "SELECT quantity FROM orderitems i",
                Wanted::Likely("SELECT quantity FROM order_items i"),
            ),
            (
                "SELECT name FROM tbl_customers",
                Wanted::Likely("SELECT name FROM customers"),
            ),
            (
                "WITH best_customers AS (SELECT name FROM customers) SELECT name FROM best_customer",
                Wanted::Likely(
                    "WITH best_customers AS (SELECT name FROM customers) SELECT name FROM \
                     best_customers",
                ),
            ),
        ]);
    }

    #[test]
    fn what_could_be_another_relation_is_a_hint() {
        each(&[
            ("SELECT 1 FROM items", Wanted::Hint("order_items")),
            ("SELECT 1 FROM customer_orders", Wanted::Hint("orders")),
            ("SELECT 1 FROM nothing_like_it", Wanted::Hint("there are")),
            (
                "SELECT 1 FROM orders JOIN nothing ON true JOIN prodcuts ON true",
                Wanted::Hint("nothing"),
            ),
            (
                "SELECT * FROM (WITH w AS (SELECT 1 AS a) SELECT a FROM w) x JOIN w ON true",
                Wanted::Hint("of WITH is not known here"),
            ),
            ("SELECT 1 FROM orders", Wanted::Silence),
            ("SELECT ⟪1 FROM prodcuts", Wanted::Silence),
        ]);
        let two = world()
            .schema("eu")
            .table("eu.invoices", "id int4")
            .table("archive.order", "id int4")
            .table("archive.customers_old", "id int4");
        let made = cases(&[
            (
                "SELECT id FROM invoices",
                Wanted::Hint("archive.invoices or eu.invoices"),
            ),
            (
                "SELECT id FROM customer",
                Wanted::Likely("SELECT id FROM customers"),
            ),
        ]);
        check_in(
            two,
            Recoverer::UndefinedTable,
            "42P01",
            Names::Survive,
            &made,
        );
    }

    #[test]
    fn what_the_client_may_not_see_is_not_named() {
        let hidden = Fixture::new(15)
            .schema("shop")
            .role("reader")
            .table("public.orders", "id int4")
            .table("shop.customers", "id int4, name text")
            .table("public.customer_secrets", "id int4")
            .rights("shop.customers", Some(&[]))
            .rights("public.customer_secrets", Some(&[]));
        let made = cases(&[("SELECT 1 FROM customer", Wanted::Hint("there are orders."))]);
        crate::repair::laws::check_as(
            hidden,
            "reader",
            Recoverer::UndefinedTable,
            "42P01",
            Names::Survive,
            &made,
        );
    }
}
