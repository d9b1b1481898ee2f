//! Masks and conditions on rows in texts: what runs, and what is refused.

use std::borrow::Cow;

use crate::rules::check::{gate, path_of, session_of};
use crate::{Gate, Rule, SessionNames, SessionValues, Verdict};
use catalog::fixture::CatalogFixture;
use policy::{Policy, SessionValue};

fn shop() -> CatalogFixture {
    CatalogFixture::new(15)
        .schema("shop")
        .schema("hr")
        .table(
            "shop.customers",
            "id int4, email text, phone varchar, tenant text",
        )
        .table("shop.plain", "id int4")
        .table("shop.events", "id int4, email text, tenant text")
        .table("shop.e1", "id int4, email text, tenant text")
        .child("shop.e1", "shop.events")
        .table("hr.pay", "id int4, amount int4, email bool")
        .view("shop.v", "id int4, contact text", &["shop.customers"])
        .view("shop.w", "id int4, email text", &["shop.v"])
        .view("shop.u", "id int4", &["shop.plain"])
}

pub(in crate::models) fn session(policy: &str) -> (Gate, SessionNames) {
    let policy = Policy::from_yaml(&format!("name: masks\nextends: bi\n{policy}"));
    let policy = policy.unwrap_or_else(|wrong| panic!("{wrong:#?}"));
    let policy = policy.for_judging();
    let mut names = session_of(shop().build(), &policy);
    names.set_paths(path_of(&["shop"]));
    let mut values = SessionValues::default();
    values.set(SessionValue::User, Some("ann"));
    names.set_values(std::sync::Arc::new(values));
    (gate(policy), names)
}

pub(in crate::models) fn runs(policy: &str, text: &str) -> Result<String, Rule> {
    let (gate, names) = session(policy);
    let judgement = gate.judge(Cow::Borrowed(text), &names);
    match &judgement.verdict {
        Verdict::Refused(refusal) => Err(refusal.rule),
        Verdict::Clamped(clamp) => Ok(clamp.text.clone()),
        // Whether it needs a fence is a matter of all of the statement.
        Verdict::Permitted(permit) => Ok(permit.text().replace("\n OFFSET 0)", "\n)")),
    }
}

#[track_caller]
pub(in crate::models) fn check(policy: &str, text: &str, wanted: &str) {
    assert_eq!(
        runs(policy, text).as_deref(),
        Ok(wanted),
        "{policy}: {text}"
    );
}

#[track_caller]
pub(in crate::models) fn refused(policy: &str, text: &str, wanted: Rule) {
    assert_eq!(runs(policy, text), Err(wanted), "{policy}: {text}");
}

const PARTIAL: &str = "CAST(CASE WHEN pg_catalog.length(CAST(\"email\" AS pg_catalog.text)) \
    OPERATOR(pg_catalog.>) 2 THEN pg_catalog.\"left\"(CAST(\"email\" AS pg_catalog.text), 1) \
    OPERATOR(pg_catalog.||) CAST('***' AS pg_catalog.text) \
    WHEN CAST(\"email\" AS pg_catalog.text) IS NOT NULL THEN CAST('***' AS pg_catalog.text) END \
    AS pg_catalog.text) AS \"email\"";

#[test]
fn a_masked_column_is_read_as_its_mask() {
    let partial = "columns: {mask: {'shop.*.email': partial}}";
    let events = format!("(SELECT \"id\", {PARTIAL}, \"tenant\" FROM shop.events\n)");
    for name in ["events", "shop.events"] {
        let wanted = format!("SELECT email FROM {events} AS \"events\"");
        check(partial, &format!("SELECT email FROM {name}"), &wanted);
    }
    let part = format!("SELECT 1 FROM (SELECT \"id\", {PARTIAL}, \"tenant\" FROM shop.e1\n) x");
    check(partial, "SELECT 1 FROM e1 x", &part);
    check(partial, "SELECT id FROM plain", "SELECT id FROM plain");
    check(
        "columns: {mask: {email: null}, deny: [shop.events.tenant]}",
        "TABLE events",
        "SELECT * FROM (SELECT \"id\", CASE WHEN false THEN \"email\" END AS \"email\" \
         FROM shop.events\n) AS \"events\"",
    );
    let last = runs(
        "columns: {mask: {phone: last(4)}}",
        "SELECT phone FROM customers",
    )
    .unwrap();
    assert!(
        last.contains("OPERATOR(pg_catalog.>) 8 THEN CAST('***' AS pg_catalog.text)"),
        "{last}"
    );
    assert!(
        last.contains("pg_catalog.\"right\"(CAST(\"phone\" AS pg_catalog.text), 4)"),
        "{last}"
    );
    assert!(
        last.contains("END AS pg_catalog.\"varchar\") AS \"phone\""),
        "{last}"
    );
}

#[test]
fn rows_have_to_meet_every_condition_that_names_them() {
    let rows = "rows: {'shop.e*': tenant = :user, '*.events': id > 3}";
    check(
        rows,
        "SELECT id FROM events",
        "SELECT id FROM (SELECT \"id\", \"email\", \"tenant\" FROM shop.events WHERE (id > 3) AND \
         (tenant =   'ann'  )\n) AS \"events\"",
    );
    // Rows of a partition are rows of what it is a part of.
    let part = runs(rows, "SELECT id FROM e1").unwrap();
    assert!(
        part.contains("WHERE (id > 3) AND (tenant =   'ann'  )"),
        "{part}"
    );
    check(rows, "SELECT id FROM customers", "SELECT id FROM customers");
    let both = "rows: {shop.customers: tenant = :user}\ncolumns: {mask: {email: null}}";
    let text = runs(both, "SELECT 1 FROM customers").unwrap();
    assert!(
        text.contains("CASE WHEN false") && text.contains("WHERE (tenant"),
        "{text}"
    );
}

#[test]
fn what_a_relation_is_not_made_for_cannot_be_read() {
    let rows = "rows: {'shop.*': tenant = :user}";
    for name in ["plain", "u"] {
        refused(rows, &format!("SELECT id FROM {name}"), Rule::Model);
    }
    assert!(runs(rows, "SELECT id FROM customers").is_ok());
    let (_, names) = session(rows);
    let effect_graph = names.effect_graph().unwrap();
    assert_eq!(effect_graph.model_problems().count(), 0);
    let warned: Vec<String> = effect_graph
        .overlay_warnings()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(warned, ["columns.mask and rows, of shop.plain"]);
    for (policy, of, what) in [
        (
            "rows: {'shop.*': tenantt = :user}",
            "shop.customers",
            "a column tenantt",
        ),
        (
            "rows: {shop.plain: tenant = :user}",
            "shop.plain",
            "a column tenant",
        ),
        (
            "columns: {mask: {hr.pay.amount: partial}}",
            "hr.pay",
            "amount is of type integer",
        ),
        (
            "columns: {mask: {hr.pay.amuont: null}}",
            "hr.pay",
            "has no column amuont",
        ),
        (
            "columns: {mask: {email: partial}}",
            "hr.pay",
            "email is of type boolean",
        ),
        (
            "columns: {mask: {'shop.*.email': partial, '*.events.email': last(3)}}",
            "shop.events",
            "has two masks",
        ),
    ] {
        let (_, names) = session(policy);
        let problems: Vec<(String, std::borrow::Cow<'_, str>)> =
            names.effect_graph().unwrap().model_problems().collect();
        let found = problems
            .iter()
            .any(|(name, why)| name.ends_with(of) && why.contains(what));
        assert!(found, "{policy}: {problems:?}");
        refused(policy, &format!("SELECT 1 FROM {of}"), Rule::Model);
    }
    assert!(
        runs(
            "columns: {mask: {hr.pay.amount: null}}",
            "SELECT 1 FROM hr.pay"
        )
        .is_ok()
    );
}

#[test]
fn of_several_masks_the_one_with_fewest_wildcards_holds() {
    let null = |policy: &str, name: &str| {
        let text = runs(policy, &format!("SELECT email FROM {name}")).unwrap();
        text.contains("CASE WHEN false THEN \"email\" END")
    };
    let masks = "columns: {mask: {email: null, 'shop.*.email': partial, hr.pay.email: null}}";
    assert!(!null(masks, "events") && null(masks, "hr.pay"));
    // What is NULL for a part is so for what shows its rows.
    let of_part = "columns: {mask: {'shop.e*.email': partial, shop.e1.email: null}}";
    assert!(null(of_part, "events") && null(of_part, "e1"));
}

#[test]
fn views_that_read_it_cannot_be_read_unless_they_are_named() {
    for policy in [
        "columns: {mask: {'*.*.email': partial, hr.pay.email: null}}",
        "rows: {shop.customers: tenant = :user}",
    ] {
        for view in ["v", "w", "shop.v"] {
            refused(policy, &format!("SELECT id FROM {view}"), Rule::Model);
            let observed = format!("mode: observe\n{policy}");
            refused(&observed, &format!("SELECT id FROM {view}"), Rule::Model);
        }
        check(policy, "SELECT id FROM u", "SELECT id FROM u");
        let listed = format!("{policy}\nrelations: {{allow: [shop.v, '*.*']}}");
        refused(&listed, "SELECT id FROM v", Rule::Model);
        let named = match policy.starts_with("rows") {
            true => policy.replace('}', ", shop.v: 'true'}"),
            false => format!("{policy}\nrows: {{shop.v: 'true'}}"),
        };
        let text = runs(&named, "SELECT id FROM v").unwrap();
        assert!(text.contains("FROM shop.v WHERE (true)"), "{text}");
        let model = format!("{policy}\nmodels: {{shop.v: {{sql: SELECT id FROM shop.v}}}}");
        assert!(runs(&model, "SELECT id FROM v").is_ok());
    }
}

#[test]
fn lists_of_what_may_be_read_hold_for_what_is_masked() {
    let mask = "columns: {mask: {email: null}}";
    for relations in [
        "deny: [shop.events]",
        "allow: [shop.plain]",
        "deny: [shop.e1]",
    ] {
        let policy = format!("{mask}\nrelations: {{{relations}}}");
        for text in [
            "SELECT 1 FROM events",
            "TABLE events",
            "COPY events TO STDOUT",
        ] {
            refused(&policy, text, Rule::RelationDenied);
        }
        let observed = runs(
            &format!("mode: observe\n{policy}"),
            "SELECT email FROM events",
        );
        assert!(observed.unwrap().contains("CASE WHEN false"));
    }
    let hidden = "columns: {mask: {email: null}, deny: [shop.events.tenant]}";
    let observed = runs(
        &format!("mode: observe\n{hidden}"),
        "SELECT tenant FROM events",
    );
    assert!(observed.unwrap().contains("\"tenant\" FROM"));
    refused(
        &format!("rules: {{nesting: observe}}\n{hidden}"),
        "SELECT id FROM ONLY events",
        Rule::Model,
    );
}

#[test]
fn hidden_columns_beside_masks_are_denied_by_their_names() {
    let denied = "columns: {mask: {email: null}, deny: [shop.events.tenant]}";
    for text in [
        "SELECT tenant FROM events",
        "SELECT e.tenant FROM shop.events e",
        "SELECT id FROM events WHERE tenant = 'x'",
        "SELECT id FROM events ORDER BY tenant",
        "SELECT e.tenant FROM shop.events e JOIN plain p USING (id)",
        "WITH x AS (SELECT tenant FROM events) SELECT 1 FROM x",
        "SELECT (SELECT max(tenant) FROM events)",
        "EXPLAIN SELECT tenant FROM events",
        "COPY (SELECT tenant FROM events) TO STDOUT",
    ] {
        refused(denied, text, Rule::ColumnDenied);
    }
    assert!(runs(denied, "SELECT id FROM events").is_ok());
}

#[test]
fn a_model_that_is_written_stands_as_it_is_written() {
    let model = "models: {shop.customers: {sql: SELECT email FROM customers}}";
    check(
        &format!("{model}\ncolumns: {{mask: {{'shop.*.email': null}}}}"),
        "SELECT email FROM customers",
        "SELECT email FROM (SELECT email FROM shop.customers\n) AS \"customers\"",
    );
    let text = runs(
        &format!(
            "rules: {{model: observe}}\n{model}\ncolumns: {{mask: {{'*.events.email': null}}}}"
        ),
        "SELECT email FROM events",
    );
    assert_eq!(text.as_deref(), Ok("SELECT email FROM events"));
}
