//! `pgsieve.grounding`: a session says on which version its prompt stands, and hears what happened
//! since to a name that it fails on.

use super::served::{ask, await_names, served};
use crate::support::raw::{Frame, Login, kinds, rows};
use crate::support::{APP, READER, RawClient, Stack, frames, until};

const POLICY: &str = "name: stale\nextends: agent\n\
    relations: {deny: [shop.canary_hidden]}\ncolumns: {deny: [shop.orders.canary_secret]}\n";

const SCHEMA: [&str; 6] = [
    "CREATE SCHEMA shop",
    "CREATE TABLE shop.customers (id int PRIMARY KEY, name text)",
    "CREATE TABLE shop.orders (id int PRIMARY KEY, placed_at date, note text, code int, \
     canary_secret text)",
    "CREATE TABLE shop.going (id int, going_column text)",
    "CREATE TABLE shop.canary_hidden (id int)",
    "CREATE TABLE shop.told (id int, told_column int)",
];

const KNOWN: &str = "SELECT count(*) FROM shop.customers";

fn stack(name: &str) -> Stack {
    let grants = [
        format!("GRANT USAGE ON SCHEMA shop TO {READER}, {APP}"),
        format!("GRANT SELECT ON ALL TABLES IN SCHEMA shop TO {READER}, {APP}"),
        format!("ALTER DEFAULT PRIVILEGES IN SCHEMA shop GRANT SELECT ON TABLES TO {READER}"),
    ];
    let grants = grants.iter().map(String::as_str);
    let schema: Vec<&str> = SCHEMA.into_iter().chain(grants).collect();
    served(name, POLICY, &schema, KNOWN)
}

fn version(stack: &Stack) -> String {
    let answer = ask(stack, &format!("?user={READER}"), "");
    assert_eq!(answer.status, 200, "{}", answer.body);
    let tag = answer.header("etag").unwrap();
    tag.trim_matches('"').to_owned()
}

fn session(stack: &Stack) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(READER))
}

pub(super) fn done(client: &mut RawClient, text: &str) {
    let answer = client.query(text);
    assert!(kinds(&answer).ends_with("CZ"), "{text}: {answer:?}");
}

fn stand_on(client: &mut RawClient, version: &str) {
    done(client, &format!("SET pgsieve.grounding = '{version}'"));
}

/// The HINT of the error of an answer.
pub(super) fn hint_of(answer: &[Frame]) -> String {
    let error = answer.iter().find(|frame| frame.kind == b'E');
    let error = error.unwrap_or_else(|| panic!("an error: {answer:?}"));
    error.field(b'H').unwrap_or_default()
}

/// The HINT of a statement that fails, the same in both protocols.
pub(super) fn hint(client: &mut RawClient, text: &str) -> String {
    let simple = hint_of(&client.query(text));
    client.send(&frames::extended(text, &[], false));
    assert_eq!(simple, hint_of(&client.until_ready()), "{text}");
    simple
}

/// Waits until it is known that a session's grounding is stale.
fn await_stale(client: &mut RawClient, failing: &str) {
    let is_told = || {
        let told = hint_of(&client.query(failing));
        told.contains(STALE).then_some(())
    };
    until(is_told).expect("it is known to be stale");
}

const STALE: &str = "Your schema is stale";

const UNKNOWN: &str = "Whether your schema is stale is unknown";

#[test]
fn a_failing_name_is_told_with_what_happened_to_it() {
    let stack = stack("grounding-stale-names");
    let before = version(&stack);
    let mut client = session(&stack);
    stand_on(&mut client, &before);
    let never = "SELECT never_there FROM shop.orders";
    assert!(!hint(&mut client, never).contains("stale"));
    stack.prepare(&[
        "ALTER TABLE shop.orders RENAME placed_at TO ordered_at",
        "ALTER TABLE shop.orders DROP note",
        "ALTER TABLE shop.orders ALTER code TYPE bigint",
        "ALTER TABLE shop.customers RENAME TO buyers",
        "DROP TABLE shop.going",
        "ALTER TABLE shop.told ADD id_of_order int",
        "ALTER TABLE shop.orders ADD id_of_order int",
        "ALTER TABLE shop.canary_hidden RENAME id TO canary_id",
    ]);
    await_names(
        &stack,
        "SELECT ordered_at, id_of_order FROM shop.orders UNION ALL SELECT now()::date, 1",
    );
    await_stale(&mut client, never);
    for (text, said) in [
        (
            "SELECT o.placed_at FROM shop.orders o",
            "shop.orders.placed_at to ordered_at",
        ),
        (
            "SELECT placed_at FROM shop.orders",
            "renamed, probably: shop.orders.placed_at",
        ),
        ("SELECT note FROM shop.orders", "dropped shop.orders.note"),
        (
            "SELECT * FROM shop.customers",
            "shop.customers to shop.buyers",
        ),
        ("SELECT * FROM shop.going", "dropped shop.going"),
        (
            "SELECT id FROM shop.orders WHERE code = 'a'::text",
            "integer to bigint",
        ),
        (
            "SELECT id_of_order FROM shop.orders, shop.told",
            "added shop.orders.id_of_order",
        ),
        (never, "nothing is known of this name"),
        (
            "SELECT id FROM shop.canary_hidden_too",
            "nothing is known of this name",
        ),
    ] {
        let told = hint(&mut client, text);
        assert!(told.contains(STALE), "{text}: {told}");
        assert!(told.contains(said), "{text}: {told}");
        assert!(!told.contains("canary_id"), "{text}: {told}");
        assert!(told.len() < 600, "{text}: {told}");
    }
    // What fails otherwise, and what does not fail, is as ever.
    for text in ["SELECT 1 / 0", "SELECT 'a'::int", "SELECT ("] {
        assert!(!hint(&mut client, text).contains("stale"), "{text}");
    }
    assert!(kinds(&client.query("SELECT ordered_at FROM shop.orders")).starts_with('T'));
    // In a transaction, where nothing is repaired.
    done(&mut client, "BEGIN");
    let told = hint_of(&client.query("SELECT placed_at FROM shop.orders"));
    assert!(told.contains("placed_at to ordered_at"), "{told}");
    done(&mut client, "ROLLBACK");
    // The version of now is not stale, and one of before stays so.
    let now = version(&stack);
    assert_ne!(before, now);
    stand_on(&mut client, &now);
    let told = hint(&mut client, "SELECT placed_at FROM shop.orders");
    assert!(!told.contains(STALE), "{told}");
    stand_on(&mut client, &before);
    let told = hint(&mut client, "SELECT placed_at FROM shop.orders");
    assert!(told.contains(STALE), "{told}");
}

#[test]
fn a_version_that_was_not_given_out_to_such_a_session_is_unknown() {
    let stack = stack("grounding-stale-unknown");
    let before = version(&stack);
    let mut client = session(&stack);
    let failing = "SELECT placed_at FROM shop.orders";
    stand_on(&mut client, "0123456789abcdef");
    let other = "SELECT never_there FROM shop.orders";
    assert!(hint(&mut client, other).starts_with(UNKNOWN));
    stack.prepare(&["ALTER TABLE shop.orders RENAME placed_at TO ordered_at"]);
    stand_on(&mut client, &before);
    await_stale(&mut client, failing);
    // Another role may not hear what the reader was shown.
    let mut other = RawClient::login(stack.proxied_address(), &stack.login(APP));
    stand_on(&mut other, &before);
    let told = hint(&mut other, failing);
    assert!(told.starts_with(UNKNOWN), "{told}");
    assert!(!told.contains("shop.orders.placed_at to"), "{told}");
}

#[test]
fn it_is_a_setting_like_others() {
    let stack = stack("grounding-stale-setting");
    let before = version(&stack);
    stack.prepare(&["ALTER TABLE shop.orders RENAME placed_at TO ordered_at"]);
    let failing = "SELECT never_there FROM shop.orders";
    let mut client = session(&stack);
    let value = |client: &mut RawClient| {
        let answer = client.query("SHOW pgsieve.grounding");
        rows(&answer).concat()
    };
    assert_eq!(value(&mut client), "");
    stand_on(&mut client, &before);
    await_stale(&mut client, failing);
    let is_stale = |client: &mut RawClient| hint(client, failing).contains(STALE);
    let set = format!("SET pgsieve.grounding = '{before}'");
    for (end, set) in [
        ("RESET pgsieve.grounding", set.clone()),
        (
            "RESET ALL",
            format!("SET SESSION PGSIEVE.Grounding TO '{before}'"),
        ),
        (
            "DISCARD ALL",
            format!("SELECT set_config('pgsieve.grounding', '{before}', false)"),
        ),
        ("SET pgsieve.grounding TO DEFAULT", set.clone()),
        ("SET pgsieve.grounding = ''", set.clone()),
    ] {
        done(&mut client, end);
        assert_eq!(value(&mut client), "", "{end}");
        assert!(!is_stale(&mut client), "{end}");
        done(&mut client, &set);
        assert_eq!(value(&mut client), before, "{set}");
        assert!(is_stale(&mut client), "{set}");
    }
    done(&mut client, "RESET pgsieve.grounding");
    let local = format!("SET LOCAL pgsieve.grounding = '{before}'");
    for (texts, stale) in [
        (&["BEGIN", &local, "COMMIT"][..], false),
        (&["BEGIN", &set, "ROLLBACK"], false),
        (&["BEGIN", &set, "COMMIT"], true),
        (
            &["BEGIN", "SET LOCAL pgsieve.grounding = ''", "ROLLBACK"],
            true,
        ),
    ] {
        texts.iter().for_each(|text| done(&mut client, text));
        assert_eq!(is_stale(&mut client), stale, "{texts:?}");
    }
    done(&mut client, "RESET pgsieve.grounding");
    done(&mut client, "BEGIN");
    done(&mut client, &local);
    let told = hint_of(&client.query(failing));
    assert!(told.contains(STALE), "{told}");
    done(&mut client, "ROLLBACK");
    assert!(!is_stale(&mut client));
    for wrong in ["'0123'", "'0123456789abcdefg'", "off", "'; DROP'", "1"] {
        let answer = client.query(&format!("SET pgsieve.grounding = {wrong}"));
        assert_eq!(answer[0].sqlstate(), "22023", "{wrong}");
    }
}

#[test]
fn a_session_may_begin_with_it() {
    let stack = stack("grounding-stale-startup");
    let before = version(&stack);
    stack.prepare(&["ALTER TABLE shop.orders RENAME placed_at TO ordered_at"]);
    let failing = "SELECT never_there FROM shop.orders";
    let options: &'static str = format!("-c pgsieve.grounding={before}").leak();
    let named: &'static str = before.clone().leak();
    let all: [&'static [(&'static str, &'static str)]; 2] = [
        vec![("options", options)].leak(),
        vec![("pgsieve.grounding", named)].leak(),
    ];
    for parameters in all {
        let login = Login {
            parameters,
            ..stack.login(READER)
        };
        let mut client = RawClient::login(stack.proxied_address(), &login);
        await_stale(&mut client, failing);
        done(&mut client, "SET pgsieve.grounding = ''");
        assert!(!hint(&mut client, failing).contains(STALE));
        done(&mut client, "RESET pgsieve.grounding");
        assert!(hint(&mut client, failing).contains(STALE));
        done(&mut client, "DISCARD ALL");
        assert!(hint(&mut client, failing).contains(STALE));
    }
}

#[test]
fn sessions_on_stale_groundings_are_counted_and_shown() {
    let stack = stack("grounding-stale-counted");
    let before = version(&stack);
    let (mut one, mut two) = (session(&stack), session(&stack));
    stand_on(&mut one, &before);
    stand_on(&mut two, &before);
    let young = "pgsieve_stale_grounding_sessions{age=\"minute\"}";
    let state = || {
        let (_, body) = stack.get("/api/state");
        let whole: serde_json::Value = serde_json::from_str(&body).unwrap();
        whole["now"]["standing"]["groundings"].clone()
    };
    let shown = until(|| {
        let rows = state();
        (rows[0]["sessions"] == 2).then_some(rows)
    });
    let rows = shown.unwrap_or_else(|| panic!("two sessions: {}", state()));
    assert_eq!(rows[0]["stale_sessions"], 0, "{rows}");
    assert_eq!(rows[0]["version"], *before, "{rows}");
    assert_eq!(rows[0]["policy"], "stale", "{rows}");
    assert_eq!(stack.metric(young).to_string(), "0");
    stack.prepare(&["ALTER TABLE shop.orders RENAME placed_at TO ordered_at"]);
    let is_counted = |sessions: f64| (stack.metric(young) >= sessions).then_some(());
    until(|| is_counted(2.0)).expect("two are counted");
    let shown = until(|| (state()[0]["stale_sessions"] == 2).then_some(())).is_some();
    assert!(shown, "{}", state());
    let now = version(&stack);
    assert_eq!(state()[0]["version"], *now);
    stand_on(&mut one, &now);
    let one_left = || (stack.metric(young) < 1.5).then_some(());
    until(one_left).expect("one is left");
    drop(two);
    until(|| (stack.metric(young) < 0.5).then_some(())).expect("none is left");
}
