//! Attributes of users: the settings give them, policies are chosen by them, and models filter by
//! them; who has none reads nothing of what asks for one.

use std::fs;

use pgsieve::demo::cluster::random_name;

use crate::limits::results::told;
use crate::support::raw::Frame;
use crate::support::{ADMIN, APP, Options, READER, RawClient, Stack, until};

/// A stack with these attributes, and a folder of policies: one for the team sales, one for others.
fn stack(attributes: &str, model: &str) -> Stack {
    let folder = std::env::temp_dir().join(format!("pgsieve-it-{}", random_name().unwrap()));
    fs::create_dir(&folder).unwrap();
    for (name, keys) in [
        (
            "sales",
            format!("match: {{attributes: {{team: [sales, 's*']}}}}\n{model}"),
        ),
        ("rest", "relations: {deny: [public.\"*\"]}".to_owned()),
    ] {
        let bi = include_str!("../../../policies/bi.yaml");
        let text = bi.replace("\nname: bi\n", &format!("\nname: {name}\n"));
        let text = format!("{text}\n{}\n", keys.replace("public.\"*\"", "public.*"));
        fs::write(folder.join(format!("{name}.yaml")), text).unwrap();
    }
    let stack = Stack::start(Options {
        config: Some(format!(
            "upstream:\n  url: {{upstream}}\nlisten: {{listen}}\nadmin:\n  listen: {{admin}}\n\
             policy:\n  file: {}\nclient:\n  auth:\n    attributes: {attributes}\n",
            folder.display()
        )),
        ..Options::default()
    });
    stack.prepare(&[
        "CREATE TABLE public.orders (id int, tenant int, owner text)",
        "INSERT INTO public.orders VALUES (1, 3, 'it''s'), (2, 3, 'b'), (3, 4, 'c')",
        "GRANT SELECT ON public.orders TO PUBLIC",
    ]);
    stack
}

fn login(stack: &Stack, user: &str) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(user))
}

/// What a statement says once the table is known.
fn said(client: &mut RawClient, sql: &str) -> Vec<Frame> {
    let mut last = Vec::new();
    let known = until(|| {
        last = client.query(sql);
        let state = last.iter().find(|frame| frame.kind == b'E');
        let waits = state.is_some_and(|error| ["55000", "42P01"].contains(&&*error.sqlstate()));
        (!waits).then_some(())
    });
    assert!(known.is_some(), "{}", told(&last));
    last
}

const READ: &str = "SELECT id FROM public.orders";

const BY_TENANT: &str =
    "models: {public.orders: {sql: \"SELECT id, owner FROM orders WHERE tenant = :user.tenant\"}}";

#[test]
fn rows_are_filtered_by_an_attribute_and_policies_chosen_by_another() {
    let attributes = "{app: {team: sales, tenant: 3}, reader: {team: shop, tenant: 4}, \
                      other: {team: sales}}";
    let stack = stack(attributes, BY_TENANT);
    let mut app = login(&stack, APP);
    assert_eq!(told(&said(&mut app, READ)), "T D2 C[SELECT 2] ZI");
    let mut reader = login(&stack, READER);
    assert_eq!(told(&said(&mut reader, READ)), "T D1 C[SELECT 1] ZI");
    // What a client sets is no attribute.
    for client in [&mut app, &mut reader] {
        client.query("SET user.tenant = '4'");
        client.query("SELECT set_config('user.tenant', '4', false)");
    }
    assert_eq!(told(&app.query(READ)), "T D2 C[SELECT 2] ZI");
    // Who is of no team is under the other policy.
    let mut admin = login(&stack, ADMIN);
    assert_eq!(told(&said(&mut admin, READ)), "E42501 ZI");
}

#[test]
fn who_lacks_the_attribute_reads_nothing_and_hears_why() {
    let stack = stack(
        "{app: {team: sales}, reader: {team: sales, tenant: 4}}",
        BY_TENANT,
    );
    let mut app = login(&stack, APP);
    let answer = said(&mut app, READ);
    assert_eq!(told(&answer), "E42501 ZI");
    let error = answer.iter().find(|frame| frame.kind == b'E').unwrap();
    let message = error.field(b'M').unwrap();
    assert!(
        message.contains("a model reads the attribute tenant of the user"),
        "{message}"
    );
    assert!(
        error
            .field(b'H')
            .unwrap()
            .contains("client.auth.attributes")
    );
    for sql in [
        "SELECT count(*) FROM public.orders",
        "SELECT 1 FROM public.orders WHERE false",
        "EXPLAIN SELECT id FROM public.orders",
        "COPY (SELECT id FROM orders) TO STDOUT",
    ] {
        assert!(told(&app.query(sql)).starts_with("E42501"), "{sql}");
    }
    assert_eq!(told(&app.query("SELECT 1")), "T D1 C[SELECT 1] ZI");
    assert_eq!(
        told(&said(&mut login(&stack, READER), READ)),
        "T D1 C[SELECT 1] ZI"
    );
}

#[test]
fn a_value_is_a_literal_whatever_it_holds() {
    let model =
        "models: {public.orders: {sql: \"SELECT id FROM orders WHERE owner = :user.owner\"}}";
    for (owner, rows) in [
        ("\"it's\"", "T D1 C[SELECT 1] ZI"),
        ("\"x' OR 'a' = 'a\"", "T C[SELECT 0] ZI"),
        ("'\\'", "T C[SELECT 0] ZI"),
        ("\"' OR true --\"", "T C[SELECT 0] ZI"),
        ("\"E'\\\\''\"", "T C[SELECT 0] ZI"),
        ("b", "T D1 C[SELECT 1] ZI"),
    ] {
        let stack = stack(&format!("{{app: {{team: sales, owner: {owner}}}}}"), model);
        let answer = said(&mut login(&stack, APP), READ);
        assert_eq!(told(&answer), rows, "{owner}");
    }
}
