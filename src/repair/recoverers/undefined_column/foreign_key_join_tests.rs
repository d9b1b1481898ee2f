//! One more join, and when not.

use crate::context::tokens_of;
use crate::laws::world;
use crate::recoverers::undefined_column::foreign_key_join::{
    JoinProposal, MissingReference, propose_joins,
};
use crate::{Failure, FailureOrigin, RepairContext, SessionDatabase};
use catalog::fixture::CatalogFixture;
use dialect::session_database::fixture::session;
use gate::ParameterTypes;
use policy::Policy;
use resolve::UsedObject;
use sql::edit;
use sql::tree;

#[test]
fn one_step_from_child_to_parent() {
    joins(&[
        (
            "SELECT o.id, email FROM orders o WHERE o.paid",
            "SELECT o.id, customers.email FROM orders o JOIN customers ON o.customer_id = customers.id WHERE o.paid",
        ),
        (
            "SELECT orders.email FROM orders",
            "SELECT customers.email FROM orders JOIN customers ON orders.customer_id = customers.id",
        ),
        (
            "SELECT o.total_amount, c.email FROM orders AS o",
            "SELECT o.total_amount, c.email FROM orders AS o JOIN customers AS c ON o.customer_id = c.id",
        ),
        (
            "SELECT customers.email FROM orders",
            "SELECT customers.email FROM orders JOIN customers ON orders.customer_id = customers.id",
        ),
        (
            "SELECT country, count(*) FROM orders GROUP BY country ORDER BY country -- done",
            "SELECT customers.country, count(*) FROM orders JOIN customers ON orders.customer_id = customers.id \
             GROUP BY country ORDER BY country -- done",
        ),
        // What the new table has, too, is qualified.
        (
            "SELECT id, email FROM orders WHERE id > 5 ORDER BY id",
            "SELECT orders.id, customers.email FROM orders JOIN customers ON orders.customer_id = customers.id \
             WHERE orders.id > 5 ORDER BY id",
        ),
        (
            "SELECT id AS id, email FROM orders GROUP BY id, email",
            "SELECT orders.id AS id, customers.email FROM orders JOIN customers ON orders.customer_id = customers.id \
             GROUP BY orders.id, email",
        ),
    ]);
}

#[test]
fn the_join_stands_where_the_child_does() {
    joins(&[
        (
            "SELECT email FROM orders o, products p WHERE p.id = 1",
            "SELECT customers.email FROM orders o JOIN customers ON o.customer_id = customers.id, products p WHERE p.id = 1",
        ),
        (
            "SELECT email FROM products p, orders o WHERE p.id = 1",
            "SELECT customers.email FROM products p, orders o JOIN customers ON o.customer_id = customers.id WHERE p.id = 1",
        ),
        (
            "SELECT email FROM (orders o JOIN order_items i ON o.id = i.order_id) WHERE i.quantity IS DISTINCT FROM 1",
            "SELECT customers.email FROM (orders o JOIN order_items i ON o.id = i.order_id) \
             JOIN customers ON o.customer_id = customers.id WHERE i.quantity IS DISTINCT FROM 1",
        ),
        (
            "SELECT p.id, email FROM products p LEFT JOIN order_items i ON i.product_id = p.id \
             LEFT JOIN orders o ON o.id IS NOT DISTINCT FROM i.order_id",
            "SELECT p.id, customers.email FROM products p LEFT JOIN order_items i ON i.product_id = p.id \
             LEFT JOIN orders o ON o.id IS NOT DISTINCT FROM i.order_id LEFT JOIN customers ON o.customer_id = customers.id",
        ),
        (
            "SELECT * FROM (SELECT status, email FROM orders) t WHERE t.status = 'x'",
            "SELECT * FROM (SELECT status, customers.email FROM orders JOIN customers ON orders.customer_id = customers.id) t WHERE t.status = 'x'",
        ),
        (
            "WITH x AS (SELECT email FROM orders LIMIT 3) SELECT * FROM x",
            "WITH x AS (SELECT customers.email FROM orders JOIN customers ON orders.customer_id = customers.id LIMIT 3) SELECT * FROM x",
        ),
        (
            "SELECT product_name FROM products UNION ALL SELECT email FROM orders ORDER BY 1",
            "SELECT product_name FROM products UNION ALL SELECT customers.email FROM orders JOIN customers ON orders.customer_id = customers.id ORDER BY 1",
        ),
        // A name that the text uses for something else is not used again.
        (
            "WITH customers AS (SELECT 1 AS n) SELECT email FROM orders, customers",
            "WITH customers AS (SELECT 1 AS n) SELECT customers_1.email FROM orders \
             JOIN public.customers AS customers_1 ON orders.customer_id = customers_1.id, customers",
        ),
        // A sub-select that sees the query around it.
        (
            "SELECT email FROM orders WHERE EXISTS (SELECT 1 FROM products WHERE price > 1 AND customer_id = 3)",
            "SELECT customers.email FROM orders JOIN customers ON orders.customer_id = customers.id \
             WHERE EXISTS (SELECT 1 FROM products WHERE price > 1 AND customer_id = 3)",
        ),
        (
            "SELECT product_name FROM products WHERE id IN (SELECT product_id FROM order_items WHERE status = 'open' AND price > 3)",
            "SELECT product_name FROM products WHERE id IN (SELECT product_id FROM order_items \
             JOIN orders ON order_items.order_id = orders.id WHERE orders.status = 'open' AND price > 3)",
        ),
        (
            "SELECT email, (SELECT count(*) FROM order_items WHERE order_id = id) FROM orders",
            "SELECT customers.email, (SELECT count(*) FROM order_items WHERE order_id = orders.id) FROM orders \
             JOIN customers ON orders.customer_id = customers.id",
        ),
    ]);
}

#[test]
fn two_tables_at_once() {
    joins(&[(
        "SELECT status, product_name, quantity FROM order_items WHERE status = 'open'",
        "SELECT orders.status, products.product_name, quantity FROM order_items \
         JOIN orders ON order_items.order_id = orders.id \
         JOIN products ON order_items.product_id = products.id \
         WHERE orders.status = 'open'",
    )]);
}

#[test]
fn children_without_a_parent_stay() {
    joins_in(
        world_with_visits,
        &[(
            "SELECT v.id, email FROM visits v",
            "SELECT v.id, customers.email FROM visits v LEFT JOIN customers ON v.customer_id = customers.id",
        )],
    );
}

#[test]
fn words_alone() {
    hints(&[
        ("SELECT *, email FROM orders", "customers"),
        // There are several rows of the child.
        ("SELECT name, status FROM customers", "several of its rows"),
        // In the condition of a join before it.
        (
            "SELECT 1 FROM orders o JOIN order_items i ON email = 'x'",
            "JOIN public.customers",
        ),
        // The result's own name would be captured.
        (
            "SELECT status AS name, email FROM orders GROUP BY name, email",
            "customers",
        ),
        // The qualifier is that of another table.
        (
            "SELECT i.email FROM orders o JOIN order_items i ON i.order_id = o.id",
            "customers",
        ),
    ]);
    silent(&[
        "SELECT nonsense FROM orders",
        // Two steps away.
        "SELECT country FROM order_items",
        // It is there, under another qualifier.
        "SELECT o.email FROM orders o JOIN customers c ON c.id = o.customer_id",
        // Two of them are in scope.
        "SELECT x.email FROM products x",
    ]);
}

#[test]
fn several_paths_are_a_choice() {
    let world = || {
        world_with_visits()
            .table(
                "public.games",
                "id int4 not null, home_id int4 not null, away_id int4 not null",
            )
            .table("public.teams", "id int4 not null, team_name text")
            .primary_key("public.teams", "id")
            .foreign_key("public.games", "home_id", "public.teams", "id")
            .foreign_key("public.games", "away_id", "public.teams", "id")
    };
    for (text, words) in [
        ("SELECT team_name FROM games", "home_id"),
        ("SELECT team_name FROM games", "away_id"),
        (
            "SELECT email FROM orders a JOIN orders b ON a.id = b.id",
            "a.customer_id",
        ),
    ] {
        match found(world(), text) {
            ProposalResult::Hint(advice) => assert!(advice.contains(words), "{text}: {advice}"),
            ProposalResult::Text(after) => panic!("{text}: became {after}"),
            ProposalResult::Nothing => panic!("{text}: nothing"),
        }
    }
}

#[test]
fn what_may_not_be_read_is_not_named() {
    let mut hidden = world();
    for row in &mut hidden.rows().relations {
        if row.name == "customers" {
            row.acl = Some(Vec::new());
        }
    }
    match found_as(hidden, "SELECT email FROM orders", "reader") {
        ProposalResult::Nothing => {}
        ProposalResult::Text(text) | ProposalResult::Hint(text) => panic!("{text}"),
    }
}

fn world_with_visits() -> CatalogFixture {
    world()
        .table("public.visits", "id int4 not null, customer_id int4")
        .foreign_key("public.visits", "customer_id", "public.customers", "id")
}

enum ProposalResult {
    Text(String),
    Hint(String),
    Nothing,
}

fn joins(cases: &[(&str, &str)]) {
    joins_in(world, cases);
}

fn joins_in(world: impl Fn() -> CatalogFixture, cases: &[(&str, &str)]) {
    for (before, after) in cases {
        match found(world(), before) {
            ProposalResult::Text(text) => assert_eq!(text, *after, "{before}"),
            ProposalResult::Hint(advice) => panic!("{before}: {advice}"),
            ProposalResult::Nothing => panic!("{before}: nothing"),
        }
    }
}

fn hints(cases: &[(&str, &str)]) {
    for (before, words) in cases {
        match found(world(), before) {
            ProposalResult::Hint(advice) => assert!(advice.contains(words), "{before}: {advice}"),
            ProposalResult::Text(text) => panic!("{before}: became {text}"),
            ProposalResult::Nothing => panic!("{before}: nothing"),
        }
    }
}

#[test]
fn a_key_whose_columns_may_not_be_read_is_not_named() {
    let world = CatalogFixture::new(15)
        .role("reader")
        .table("public.parents", "id int4")
        .table("public.children", "canary_id int4, only_here text")
        .primary_key("public.parents", "id")
        .foreign_key("public.children", "canary_id", "public.parents", "id")
        .rights("public.children", Some(&[]))
        .rights("column public.children.only_here", Some(&[("reader", "s")]));
    match found_as(world, "SELECT only_here FROM parents", "reader") {
        ProposalResult::Nothing => {}
        ProposalResult::Hint(words) | ProposalResult::Text(words) => panic!("{words}"),
    }
}

fn silent(texts: &[&str]) {
    for text in texts {
        match found(world(), text) {
            ProposalResult::Nothing => {}
            ProposalResult::Text(after) | ProposalResult::Hint(after) => panic!("{text}: {after}"),
        }
    }
}

fn found(world: CatalogFixture, text: &str) -> ProposalResult {
    found_as(world, text, "postgres")
}

/// What is said about the columns of a text that are missing; a changed text misses none.
fn found_as(world: CatalogFixture, text: &str, role: &str) -> ProposalResult {
    let policy = Policy::agent();
    let mut session = session(world, &policy);
    session.set_role(role);
    let open = ParameterTypes::none_given();
    let database = SessionDatabase::of(&session, &open).unwrap();
    let tokens = tokens_of(text);
    let parsed = tree::parse(text).unwrap();
    let resolution = database.resolve(&parsed).unwrap();
    let failure = Failure::reported(text, "42703", "", None, FailureOrigin::Server).unwrap();
    let context = RepairContext {
        text,
        tokens: &tokens,
        tree: Some(&parsed),
        resolution: Some(&resolution),
        failure: &failure,
        database: Some(&database),
        server_major: 15,
        settings: policy.repair(),
        target_dialect: None,
        earlier_dialect: None,
        foreign_text: None,
    };
    let missing: Vec<MissingReference<'_>> = resolution.uses.iter().filter_map(missing).collect();
    match propose_joins(&context, &missing) {
        JoinProposal::Joined { edits, change } => {
            assert!(!change.is_empty());
            let after = edit::apply(text, edits).unwrap();
            let parsed = tree::parse(&after).unwrap();
            let resolution = database.resolve(&parsed).unwrap();
            for used in &resolution.uses {
                let wrong = matches!(
                    used.what,
                    UsedObject::MissingColumn { .. }
                        | UsedObject::AmbiguousColumn { .. }
                        | UsedObject::Unclear
                );
                assert!(!wrong, "{after}: {:?}", used.at);
            }
            ProposalResult::Text(after)
        }
        JoinProposal::Hinted(advice) => ProposalResult::Hint(advice),
        JoinProposal::Nothing => ProposalResult::Nothing,
    }
}

fn missing<'s>(used: &'s resolve::ObjectUse<'_>) -> Option<MissingReference<'s>> {
    match &used.what {
        UsedObject::MissingColumn { qualifier, name } => Some(MissingReference {
            at: used.at?,
            qualifier: qualifier.as_ref().map(|name| name.as_str()),
            name: name.as_str(),
        }),
        _ => None,
    }
}
