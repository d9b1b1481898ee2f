//! `undefined_column`, 42703: a column that does not exist.
//!
//! # Sees
//! Every reference of the text to a column that does not exist, each with what can be seen from its
//! place: relations, common tables and sub-selects, and what is one foreign key away.
//!
//! # Why
//! Other databases take a text in double quotes for a value, and the name of a result anywhere;
//! and whoever writes many joins writes one alias for another.
//!
//! # Before
//! ```sql
//! SELECT name FROM customers WHERE country = "Austria"
//! ```
//!
//! # After
//! ```sql
//! SELECT name FROM customers WHERE country = 'Austria'
//! ```
//!
//! # When not
//! Where a second column could be meant, where the name differs by a word that tells things apart
//! (`created_at`, `updated_at`), or where another relation would have to be joined in a way that
//! multiplies rows: then the nearest names are told.

pub(crate) mod added_table;
pub(in crate::repair) mod case_fix;
pub(crate) mod foreign_key_join;
#[cfg(test)]
mod foreign_key_join_tests;
mod foreign_key_parents;
pub(in crate::repair) mod foreign_key_path;
pub(crate) mod join_key;
pub(crate) mod missing_join;
pub(crate) mod misspelling;
pub(crate) mod output_name;
pub(crate) mod output_renames;
pub(crate) mod qualifier;
pub(crate) mod quoted_literal;
pub(in crate::repair) mod strategies;
pub(crate) mod wrong_relation;

use crate::repair::names::context::NameRepairContext;
use crate::repair::{RecovererAnswer, RepairContext};

pub(in crate::repair) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    match NameRepairContext::of(context) {
        Some(name_context) => strategies::recover(&name_context),
        None => RecovererAnswer::Silent,
    }
}

#[cfg(test)]
mod tests {
    use crate::policy::Recoverer;
    use crate::repair::laws::{ExpectedRepair, OutputNameLaw, RepairCase, check};

    fn each(cases: &[(&str, ExpectedRepair<'_>)]) {
        for (before, wanted) in cases {
            let wanted = match wanted {
                ExpectedRepair::Exact(text) => ExpectedRepair::Exact(text),
                ExpectedRepair::Likely(text) => ExpectedRepair::Likely(text),
                ExpectedRepair::Hint(text) => ExpectedRepair::Hint(text),
                ExpectedRepair::Silence => ExpectedRepair::Silence,
            };
            let case = RepairCase { before, wanted };
            let recoverer = Recoverer::UndefinedColumn;
            check(recoverer, "42703", OutputNameLaw::Repaired, &[case]);
        }
    }

    fn exact(cases: &[(&str, &str)]) {
        let wanted = |after| ExpectedRepair::Exact(after);
        let cases: Vec<_> = cases
            .iter()
            .map(|(before, after)| (*before, wanted(after)))
            .collect();
        each(&cases);
    }

    fn likely(cases: &[(&str, &str)]) {
        let cases: Vec<_> = cases
            .iter()
            .map(|(before, after)| (*before, ExpectedRepair::Likely(after)))
            .collect();
        each(&cases);
    }

    fn hints(cases: &[(&str, &str)]) {
        let cases: Vec<_> = cases
            .iter()
            .map(|(before, words)| (*before, ExpectedRepair::Hint(words)))
            .collect();
        each(&cases);
    }

    #[test]
    fn a_text_in_double_quotes_is_a_value() {
        exact(&[
            (
                "SELECT name FROM customers WHERE country = ⟪\"Austria\"",
                "SELECT name FROM customers WHERE country = 'Austria'",
            ),
            (
                "SELECT name FROM customers WHERE \"Austria\" = country",
                "SELECT name FROM customers WHERE 'Austria' = country",
            ),
            (
                "SELECT \"name\" FROM customers WHERE country IN (\"Austria\", 'Peru', \"Côte d'Ivoire\")",
                "SELECT \"name\" FROM customers WHERE country IN ('Austria', 'Peru', 'Côte d''Ivoire')",
            ),
            (
                "SELECT name FROM customers WHERE email LIKE \"%@example.com\" OR email NOT ILIKE \"a%\"",
                "SELECT name FROM customers WHERE email LIKE '%@example.com' OR email NOT ILIKE 'a%'",
            ),
            (
                "SELECT id FROM orders WHERE placed_on BETWEEN \"2024-01-01\" AND \"2024-02-01\"",
                "SELECT id FROM orders WHERE placed_on BETWEEN '2024-01-01' AND '2024-02-01'",
            ),
            (
                "SELECT id FROM orders WHERE placed_on > CAST(\"2024-01-01\" AS date)",
                "SELECT id FROM orders WHERE placed_on > CAST('2024-01-01' AS date)",
            ),
            (
                "SELECT CASE WHEN paid THEN \"settled\" ELSE \"to do\" END AS state FROM orders",
                "SELECT CASE WHEN paid THEN 'settled' ELSE 'to do' END AS state FROM orders",
            ),
            (
                "SELECT CASE status WHEN \"open\" THEN 1 ELSE 0 END AS n FROM orders",
                "SELECT CASE status WHEN 'open' THEN 1 ELSE 0 END AS n FROM orders",
            ),
            (
                "SELECT string_agg(name, \", \") FROM customers",
                "SELECT string_agg(name, ', ') FROM customers",
            ),
            (
                "SELECT name || \" \" || email AS a FROM customers",
                "SELECT name || ' ' || email AS a FROM customers",
            ),
            (
                "SELECT date_trunc(\"month\", placed_on) FROM orders",
                "SELECT date_trunc('month', placed_on) FROM orders",
            ),
            (
                "SELECT name FROM customers WHERE email LIKE \"%\" || name || \"%\"",
                "SELECT name FROM customers WHERE email LIKE '%' || name || '%'",
            ),
            (
                "SELECT name FROM customers WHERE country = ANY (ARRAY[\"Peru\", \"Chile\"])",
                "SELECT name FROM customers WHERE country = ANY (ARRAY['Peru', 'Chile'])",
            ),
            (
                "SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id WHERE c.country \
                 = \"Peru\" AND o.status <> \"say \"\"x\"\"\"",
                "SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id WHERE c.country \
                 = 'Peru' AND o.status <> 'say \"x\"'",
            ),
            (
                "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders WHERE customer_id = \
                 c.id AND status = \"open\")",
                "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders WHERE customer_id = \
                 c.id AND status = 'open')",
            ),
        ]);
        likely(&[
            (
                "SELECT coalesce(country, \"unknown\") FROM customers",
                "SELECT coalesce(country, 'unknown') FROM customers",
            ),
            (
                "SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id AND c.country = \"Peru\"",
                "SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id AND c.country = 'Peru'",
            ),
        ]);
        hints(&[
            // A column of the kind, here or one step away.
            ("SELECT id FROM customers WHERE name = \"Email\"", "email"),
            (
                "SELECT id FROM orders WHERE status = \"Country\"",
                "country",
            ),
            // Only a name can stand here, or nothing tells.
            ("SELECT \"Total\" FROM orders", "\"Total\""),
            (
                "SELECT id FROM orders ORDER BY \"Amount due\"",
                "Amount due",
            ),
            ("SELECT upper(\"First Name\") FROM customers", "First Name"),
            ("SELECT id FROM orders WHERE \"Foo\" = 'x'", "Foo"),
            ("SELECT id FROM orders WHERE \"Foo\" = \"Bar\"", "Foo"),
            ("SELECT \"Foo\" || ' ' || \"Bar\" FROM orders", "Foo"),
            (
                "SELECT name || ' ' || \"LastName\" FROM customers",
                "LastName",
            ),
            ("SELECT coalesce(\"Foo\", name) FROM customers", "Foo"),
            (
                "SELECT count(*) FROM orders GROUP BY \"Quarter\"",
                "Quarter",
            ),
            ("SELECT o.\"open\" FROM orders o", "open"),
        ]);
    }

    #[test]
    fn two_words_are_one_name_or_a_slip() {
        exact(&[(
            "SELECT DISTNCT country FROM customers",
            "SELECT DISTINCT country FROM customers",
        )]);
        hints(&[("SELECT distrct nation FROM customers", "distrct")]);
    }

    #[test]
    fn a_name_in_the_wrong_case_is_put_right() {
        exact(&[
            (
                "SELECT \"c.name\" FROM customers c",
                "SELECT c.name FROM customers c",
            ),
            (
                "SELECT \"Name\" FROM customers",
                "SELECT name FROM customers",
            ),
            (
                "SELECT c.\"Email\" FROM customers c",
                "SELECT c.email FROM customers c",
            ),
            (
                "SELECT id FROM customers WHERE \"Name\" = 'x'",
                "SELECT id FROM customers WHERE name = 'x'",
            ),
            (
                "SELECT \"cdscode\" FROM \"Schools\"",
                "SELECT \"CDSCode\" FROM \"Schools\"",
            ),
            (
                "SELECT count(*) AS \"Cnt\" FROM orders GROUP BY status ORDER BY cnt",
                "SELECT count(*) AS \"Cnt\" FROM orders GROUP BY status ORDER BY \"Cnt\"",
            ),
            (
                "SELECT id AS \"Key\" FROM orders UNION SELECT id FROM customers ORDER BY key",
                "SELECT id AS \"Key\" FROM orders UNION SELECT id FROM customers ORDER BY \"Key\"",
            ),
        ]);
        hints(&[(
            "SELECT \"ID\" FROM customers c JOIN orders o ON o.customer_id = c.id",
            "id",
        )]);
    }

    #[test]
    fn the_name_of_a_result_is_what_it_stands_for() {
        exact(&[
            (
                "SELECT price * 2 AS dbl FROM products WHERE ⟪dbl > 3",
                "SELECT price * 2 AS dbl FROM products WHERE (price * 2) > 3",
            ),
            (
                "SELECT status, count(*) AS n FROM orders GROUP BY status HAVING n > 5 ORDER BY n",
                "SELECT status, count(*) AS n FROM orders GROUP BY status HAVING (count(*)) > 5 ORDER BY n",
            ),
            (
                "SELECT price AS p, p + 1 AS q, q * 2 AS r FROM products",
                "SELECT price AS p, (price) + 1 AS q, ((price) + 1) * 2 AS r FROM products",
            ),
            (
                "SELECT price * 2 AS d, d FROM products",
                "SELECT price * 2 AS d, (price * 2) AS d FROM products",
            ),
            (
                "SELECT sum(quantity) AS q, sum(unit_price) AS u FROM order_items GROUP BY order_id \
                 ORDER BY q / u DESC",
                "SELECT sum(quantity) AS q, sum(unit_price) AS u FROM order_items GROUP BY order_id \
                 ORDER BY (sum(quantity)) / (sum(unit_price)) DESC",
            ),
            (
                "SELECT extract(year FROM placed_on) AS y, status IS DISTINCT FROM 'x' b FROM orders \
                 WHERE y = 2024 AND b",
                "SELECT extract(year FROM placed_on) AS y, status IS DISTINCT FROM 'x' b FROM orders \
                 WHERE (extract(year FROM placed_on)) = 2024 AND (status IS DISTINCT FROM 'x')",
            ),
            (
                "SELECT c.name, (SELECT count(*) FROM orders o WHERE o.customer_id = c.id) AS n FROM \
                 customers c WHERE n > 2",
                "SELECT c.name, (SELECT count(*) FROM orders o WHERE o.customer_id = c.id) AS n FROM \
                 customers c WHERE ((SELECT count(*) FROM orders o WHERE o.customer_id = c.id)) > 2",
            ),
            (
                "SELECT lower(country) AS l FROM customers WHERE l = \"peru\"",
                "SELECT lower(country) AS l FROM customers WHERE (lower(country)) = 'peru'",
            ),
        ]);
        hints(&[
            (
                "SELECT status, count(*) AS n FROM orders WHERE n > 5 GROUP BY status",
                "HAVING",
            ),
            (
                "SELECT id, row_number() OVER (ORDER BY id) AS r FROM orders WHERE r < 3",
                "sub-select",
            ),
            (
                "SELECT random() AS r FROM orders WHERE r < 0.5",
                "same value twice",
            ),
            (
                "SELECT id AS a, paid AS a FROM orders WHERE a > 3",
                "Several results",
            ),
            ("SELECT zz + 1 AS zz FROM orders", "zz"),
            (
                "SELECT price * 2 AS d FROM products WHERE EXISTS (SELECT 1 FROM orders WHERE id = d)",
                "the query around",
            ),
        ]);
    }

    #[test]
    fn a_column_after_the_wrong_name_moves_where_it_is() {
        likely(&[
            (
                "SELECT o.email FROM orders o JOIN customers c ON c.id = o.customer_id",
                "SELECT c.email FROM orders o JOIN customers c ON c.id = o.customer_id",
            ),
            (
                "SELECT c.name FROM customers c JOIN orders o ON c.id = o.customer_id WHERE \
                 c.total_amount > 5",
                "SELECT c.name FROM customers c JOIN orders o ON c.id = o.customer_id WHERE \
                 o.total_amount > 5",
            ),
            (
                "SELECT c.name FROM customers c JOIN orders o ON o.customer_id = c.customer_id",
                "SELECT c.name FROM customers c JOIN orders o ON o.customer_id = c.id",
            ),
            (
                "SELECT c.name FROM customers c JOIN orders o ON o.cust_id = c.id",
                "SELECT c.name FROM customers c JOIN orders o ON o.customer_id = c.id",
            ),
            (
                "SELECT o.status FROM (SELECT o.status, o.id FROM orders o) s",
                "SELECT s.status FROM (SELECT o.status, o.id FROM orders o) s",
            ),
        ]);
        hints(&[
            // Two have it.
            (
                "SELECT o.name FROM orders o JOIN customers c ON c.id = o.customer_id JOIN customers \
                 d ON d.id = o.customer_id",
                "c.name",
            ),
            // The named relation may have it under another name.
            (
                "SELECT p.name FROM products p JOIN order_items i ON i.product_id = p.id JOIN orders \
                 o ON o.id = i.order_id JOIN customers c ON c.id = o.customer_id",
                "p.product_name",
            ),
            (
                "SELECT count(i.id) FROM order_items i JOIN orders o ON o.id = i.order_id",
                "o.id",
            ),
            (
                "SELECT o.created_at FROM orders o JOIN customers c ON c.id = o.customer_id",
                "c.created_at",
            ),
            // It would join other things.
            (
                "SELECT 1 FROM orders o JOIN customers c ON o.email = c.name",
                "join other things",
            ),
            // Both are written.
            (
                "SELECT c.email, o.email FROM orders o JOIN customers c ON c.id = o.customer_id",
                "c.email",
            ),
            // An outer join tells them apart.
            (
                "SELECT c.id FROM customers c LEFT JOIN orders o ON c.id = o.customer_id WHERE \
                 o.email IS NULL",
                "c.email",
            ),
            (
                "SELECT c.id, count(o.email) FROM customers c LEFT JOIN orders o ON c.id = \
                 o.customer_id GROUP BY c.id",
                "c.email",
            ),
        ]);
    }

    #[test]
    fn a_misspelt_column_passes_nine_gates() {
        likely(&[
            (
                "SELECT amount FROM orders",
                "SELECT total_amount FROM orders",
            ),
            (
                "SELECT o.amount FROM orders o",
                "SELECT o.total_amount FROM orders o",
            ),
            (
                "SELECT name FROM products",
                "SELECT product_name FROM products",
            ),
            ("SELECT emial FROM customers", "SELECT email FROM customers"),
            (
                "SELECT productname FROM products ORDER BY productname",
                "SELECT product_name FROM products ORDER BY product_name",
            ),
            (
                "SELECT \"PlacedOn\" FROM orders",
                "SELECT placed_on FROM orders",
            ),
            (
                "SELECT stauts FROM orders o JOIN customers c ON c.id = o.customer_id",
                "SELECT status FROM orders o JOIN customers c ON c.id = o.customer_id",
            ),
            (
                "SELECT customer_name FROM orders o JOIN customers c ON c.id = o.customer_id",
                "SELECT name FROM orders o JOIN customers c ON c.id = o.customer_id",
            ),
            (
                "SELECT order_id, name FROM orders o JOIN customers c ON c.id = o.customer_id",
                "SELECT o.id, name FROM orders o JOIN customers c ON c.id = o.customer_id",
            ),
            (
                "SELECT count(*) AS order_count FROM orders GROUP BY status ORDER BY ordercount",
                "SELECT count(*) AS order_count FROM orders GROUP BY status ORDER BY order_count",
            ),
            (
                "WITH best AS (SELECT id, total_amount FROM orders) SELECT totl_amount FROM best",
                "WITH best AS (SELECT id, total_amount FROM orders) SELECT total_amount FROM best",
            ),
        ]);
        hints(&[
            ("SELECT updated_at FROM customers", "created_at"),
            ("SELECT id FROM order_items", "order_items"),
            ("SELECT customer FROM orders", "customer_id"),
            ("SELECT customer_name FROM orders", "customers"),
            ("SELECT year FROM orders", "no column year"),
            ("SELECT revenue FROM orders", "total_amount"),
            ("SELECT vendor_name FROM products", "product_name"),
            ("SELECT min_price FROM products", "price"),
            ("SELECT zzz FROM orders", "the columns there are"),
            ("SELECT emial, zzz FROM customers", "zzz"),
            (
                "SELECT id FROM orders JOIN customers c USING (customer_key)",
                "customer_key",
            ),
        ]);
    }

    #[test]
    fn what_is_out_of_reach_is_said_to_be() {
        hints(&[
            (
                "SELECT c.name FROM customers c, (SELECT id FROM orders WHERE customer_id = c.id) o",
                "LATERAL",
            ),
            (
                "SELECT 1 FROM customers c, orders o JOIN order_items i ON i.order_id = o.id AND \
                 o.customer_id = c.id",
                "ON of this join",
            ),
            (
                "SELECT i.quantity FROM orders o WHERE o.id IN (SELECT i.order_id FROM order_items i)",
                "inside a sub-select",
            ),
        ]);
    }

    #[test]
    fn what_it_does_not_know_it_leaves() {
        each(&[
            ("SELECT id FROM orders", ExpectedRepair::Silence),
            ("SELECT x FROM nowhere", ExpectedRepair::Silence),
            // The server means another place than this program does.
            ("SELECT ⟪id, emial FROM customers", ExpectedRepair::Silence),
        ]);
    }
}
