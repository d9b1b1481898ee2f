//! A record of the policy's knowledge in the HINT of a statement that fails on names or values: to
//! whom it is told, and to nobody from whom anything of it is hidden.

use super::served::served;
use super::stale::{done, hint, hint_of};
use crate::support::raw::{kinds, rows};
use crate::support::{APP, READER, RawClient, Stack, frames, until};

const SCHEMA: [&str; 14] = [
    "CREATE SCHEMA shop",
    "CREATE SCHEMA canary_shut",
    "CREATE TABLE shop.orders (id int PRIMARY KEY, customer_no int, total int, placed date)",
    "CREATE TABLE shop.customers (number int UNIQUE, name text, canary_note text)",
    "CREATE TABLE shop.stores (id int, region text, canary_right text)",
    "CREATE TABLE shop.canary_denied (id int)",
    "CREATE TABLE shop.canary_ungranted (id int)",
    "CREATE TABLE canary_shut.far (id int)",
    "CREATE VIEW shop.canary_view AS SELECT id FROM shop.canary_denied",
    "CREATE TABLE shop.covered (id int, canary_not_given int)",
    "CREATE FUNCTION shop.canary_call(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1'",
    "CREATE FUNCTION shop.canary_no_right(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1'",
    "INSERT INTO shop.customers VALUES (7, 'Ann', ''), (8, 'Bob', '')",
    "INSERT INTO shop.orders VALUES (1, 7, 250, '2024-05-01'), (2, 9, 100, '2024-05-02'), \
     (3, NULL, 50, '2024-05-03')",
];

/// Each word in `wrong` is a relation that is not there; what is behind `canary` is hidden from the
/// reader.
const POLICY: &str = "
name: cited
extends: agent
replace: [knowledge]
relations: {through_views: check, deny: [shop.canary_denied]}
columns: {deny: [shop.customers.canary_note]}
functions: {allow: [shop.canary_call, shop.canary_no_right], deny: [shop.canary_call(integer)]}
models:
  shop.covered: {sql: SELECT id FROM shop.covered}
  shop.canary_model: {new: true, sql: SELECT id FROM shop.orders}
knowledge:
  term:
    churned: {meaning: without an order for 90 days}
    canary_term: {meaning: canary, about: shop.canary_denied}
  quirk:
    cents: {note: amounts are in cents, about: shop.orders.total}
    stores: {note: one row for each shop, about: shop.stores}
  correction:
    denied_name: {wrong: w_denied, right: shop.canary_denied}
    denied_about: {wrong: w_about, right: canary, about: shop.canary_denied}
    column_name: {wrong: w_column, right: canary_note of customers}
    column_about: {wrong: w_column_about, right: canary, about: shop.customers.canary_note}
    right_name: {wrong: w_right, right: shop.canary_ungranted}
    right_about: {wrong: w_right_about, right: canary, about: shop.canary_ungranted}
    column_right: {wrong: w_column_right, right: canary, about: shop.stores.canary_right}
    column_right_name: {wrong: w_column_right_name, right: canary_right of stores}
    schema_name: {wrong: w_schema, right: something of Canary_Shut}
    schema_about: {wrong: w_schema_about, right: canary, about: canary_shut.far}
    view: {wrong: w_view, right: canary_view}
    view_about: {wrong: w_view_about, right: canary, about: shop.canary_view}
    given: {wrong: w_given, right: canary_not_given}
    given_about: {wrong: w_given_about, right: canary, about: shop.covered.canary_not_given}
    model_about: {wrong: w_model_about, right: canary, about: shop.canary_model}
    call: {wrong: w_call, right: canary_call(1)}
    no_right: {wrong: w_no_right, right: canary_no_right(1)}
    users: {wrong: w_users, right: canary of others, users: somebody}
    gone: {wrong: w_gone, right: canary, about: shop.gone}
    open: {wrong: w_open, right: shop.covered}
    open_about: {wrong: w_open_about, right: the customers, about: shop.customers.name}
    long: {wrong: w_long, right: LONG}
    getdate: {wrong: getdate(), right: now()}
    twice: {wrong: total / 100, right: total / 100.0}
  relationship:
    buyer: {from: shop.orders(customer_no), to: shop.customers(number)}
    canary: {from: shop.orders(id), to: shop.canary_denied(id)}
";

const HIDDEN: [&str; 19] = [
    "w_denied",
    "w_about",
    "w_column",
    "w_column_about",
    "w_right",
    "w_right_about",
    "w_column_right",
    "w_column_right_name",
    "w_schema",
    "w_schema_about",
    "w_view",
    "w_view_about",
    "w_given",
    "w_given_about",
    "w_model_about",
    "w_call",
    "w_no_right",
    "w_users",
    "w_gone",
];

fn stack(name: &str, more: &str) -> Stack {
    let grants = [
        format!("GRANT USAGE ON SCHEMA shop TO {READER}, {APP}"),
        format!("GRANT SELECT ON ALL TABLES IN SCHEMA shop TO {READER}, {APP}"),
        format!("REVOKE ALL ON shop.canary_ungranted, shop.stores FROM {READER}"),
        format!("GRANT SELECT (id, region) ON shop.stores TO {READER}"),
        "REVOKE ALL ON FUNCTION shop.canary_no_right(int) FROM PUBLIC".to_owned(),
        format!("GRANT EXECUTE ON FUNCTION shop.canary_no_right(int) TO {APP}"),
    ];
    let schema: Vec<&str> = (SCHEMA.into_iter())
        .chain(grants.iter().map(String::as_str))
        .collect();
    let long = "many words ".repeat(40);
    let policy = POLICY.replace("LONG", long.trim_end()) + more;
    served(name, &policy, &schema, "SELECT count(*) FROM shop.orders")
}

fn session(stack: &Stack, user: &str) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(user))
}

#[test]
fn a_failure_is_told_the_record_about_its_names() {
    let stack = stack("grounding-cited", "");
    let mut client = session(&stack, READER);
    for (text, said) in [
        (
            "SELECT * FROM w_open",
            "Known (correction open): Not w_open but shop.covered.",
        ),
        (
            "SELECT * FROM w_open_about",
            "Known (correction open_about): Not w_open_about but the customers.",
        ),
        (
            "SELECT churned FROM shop.customers",
            "Known (term): churned: without an order for 90 days.",
        ),
        (
            "SELECT * FROM shop.churned",
            "Known (term): churned: without an order for 90 days.",
        ),
        (
            "SELECT churned(1)",
            "Known (term): churned: without an order for 90 days.",
        ),
        (
            "SELECT 1 FROM shop.orders WHERE total = CURRENT_DATE",
            "Known (quirk cents): shop.orders.total: amounts are in cents.",
        ),
        (
            "SELECT 1 FROM shop.orders o WHERE o.total = '2,50 EUR'",
            "Known (quirk cents): shop.orders.total: amounts are in cents.",
        ),
        (
            "SELECT nothing_like_it FROM shop.stores",
            "Known (quirk stores): shop.stores: one row for each shop.",
        ),
        (
            "SELECT 1 FROM shop.orders o JOIN shop.customers c ON o.id = c.number WHERE o.zzz = 1",
            "Known (relationship buyer): shop.orders(customer_no) refers to \
             shop.customers(number), although no key says so.",
        ),
        ("SELECT getdate(", ""),
        (
            "SELECT total / 100 FROM shop.orders WHERE",
            "Known (correction twice): Not total / 100 but total / 100.0.",
        ),
        (
            "SELECT placed, sum(total / 100) FROM shop.orders GROUP BY id, total / 0",
            "",
        ),
        ("SELECT * FROM w_long", ""),
        ("SELECT 1 / 0 FROM shop.orders WHERE total > 1", ""),
        ("SELECT * FROM shop.canary_denied", ""),
    ] {
        let told = hint(&mut client, text);
        match said {
            "" => assert!(!told.contains("Known ("), "{text}: {told}"),
            _ => assert!(told.ends_with(said), "{text}: {told}"),
        }
        assert!(told.chars().count() <= 300, "{text}: {told}");
        assert!(!told.contains("canary"), "{text}: {told}");
    }
    // HINTs that name the way over keys name this one.
    let text = "SELECT 1 FROM shop.orders o JOIN shop.customers c ON o.buyer_ref = c.buyer_ref";
    let told = hint(&mut client, text);
    let way = "A known relationship joins them ON o.customer_no = c.number.";
    assert!(told.contains(way), "{told}");
    // Its own HINT comes first.
    let told = hint(&mut client, "SELECT totl FROM shop.orders WHERE total > 1");
    assert!(
        told.contains("total") && !told.starts_with("Known"),
        "{told}"
    );
    // In a transaction, where nothing is repaired; and where a value comes with Bind.
    done(&mut client, "BEGIN");
    let told = hint_of(&client.query("SELECT * FROM w_open"));
    assert!(told.ends_with("but shop.covered."), "{told}");
    done(&mut client, "ROLLBACK");
    let text = "SELECT id FROM shop.orders WHERE total = $1";
    client.send(&frames::extended(text, &[Some("2.50")], false));
    let told = hint_of(&client.until_ready());
    assert!(told.ends_with("amounts are in cents."), "{told}");
    // What is on record has no word of it.
    stack.audited(|event| event["sqlstate"] == "42P01");
    let written = std::fs::read_to_string(stack.audit_path()).unwrap();
    assert!(
        !written.contains("Known (") && !written.contains("cents"),
        "{written}"
    );
}

#[test]
fn nothing_that_is_hidden_in_any_way_is_cited() {
    let stack = stack("grounding-cited-hidden", "");
    let mut client = session(&stack, READER);
    for wrong in HIDDEN {
        let told = hint(&mut client, &format!("SELECT * FROM {wrong}"));
        assert!(
            !told.contains("canary") && !told.contains("Known ("),
            "{wrong}: {told}"
        );
    }
    for text in [
        "SELECT canary_term FROM shop.orders",
        "SELECT * FROM canary_term",
        "SELECT 1 FROM shop.orders o, shop.canary_denied d WHERE o.x = d.id",
    ] {
        let told = hint(&mut client, text);
        assert!(!told.contains("Known ("), "{text}: {told}");
    }
    // Another role has the rights, and hears of it.
    let mut other = session(&stack, APP);
    for (wrong, is_told) in [
        ("w_right", true),
        ("w_right_about", true),
        ("w_column_right", true),
        ("w_column_right_name", true),
        ("w_no_right", true),
        ("w_denied", false),
        ("w_column", false),
        ("w_view", false),
        ("w_given", false),
        ("w_call", false),
    ] {
        let told = hint(&mut other, &format!("SELECT * FROM {wrong}"));
        assert_eq!(told.contains("Known ("), is_told, "{wrong}: {told}");
    }
    // A right that is taken away.
    stack.prepare(&[&format!("REVOKE ALL ON shop.stores FROM {READER}")]);
    let is_over = || {
        let told = hint_of(&client.query("SELECT nothing_like_it FROM shop.stores"));
        (!told.contains("Known (")).then_some(())
    };
    until(is_over).expect("it is not told any more");
}

#[test]
fn known_joins_are_repaired_where_the_policy_applies_likely_ones() {
    let stack = stack("grounding-known-joins", "repair: {likely: apply}\n");
    let mut client = session(&stack, READER);
    let answer = client.query("SELECT o.id, name FROM shop.orders o ORDER BY 1");
    assert!(kinds(&answer).starts_with('T'), "{answer:?}");
    let told = rows(&answer);
    // No row vanishes, and none comes twice.
    assert_eq!(told.len(), 3, "{told:?}");
    let text = "SELECT o.id, c.name FROM shop.orders o JOIN shop.customers c \
                ON o.customer_no = c.customer_no";
    let told = rows(&client.query(text));
    assert_eq!(told.len(), 1, "{told:?}");
    let text = "SELECT o.id, c.name FROM shop.orders o JOIN shop.customers c";
    let told = rows(&client.query(text));
    assert_eq!(told.len(), 1, "{told:?}");
}

#[test]
fn where_likely_repairs_are_only_told_so_are_those_over_known_joins() {
    let stack = stack("grounding-known-joins-told", "");
    let mut client = session(&stack, READER);
    let told = hint(&mut client, "SELECT o.id, name FROM shop.orders o");
    // A whole statement stands last.
    assert!(told.starts_with("A likely repair: "), "{told}");
    assert!(told.contains("o.customer_no = customers.number"), "{told}");
    assert!(!told.contains("Known ("), "{told}");
    let text = "SELECT o.id, c.name FROM shop.orders o JOIN shop.customers c";
    let told = hint(&mut client, text);
    assert!(told.starts_with("A likely repair: "), "{told}");
    for text in [
        "SELECT id FROM shop.orders WHERE canary_note = 'x'",
        "SELECT canary FROM shop.orders",
    ] {
        assert!(!hint(&mut client, text).contains("customers"), "{text}");
    }
}
