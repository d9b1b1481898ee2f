//! The one helper by which rules show their cases: what they see, and where they stay silent.

use std::borrow::Cow;
use std::sync::Arc;

use crate::effects::graph::EffectGraph;
use crate::rules::refusal_laws;
use crate::{Gate, Judgement, Rule, SearchPaths, SessionNames, Verdict};
use catalog::Catalog;
use catalog::fixture::CatalogFixture;
use policy::Policy;
use sql::fingerprint::Fingerprinter;

/// Under `agent`: each of `fires` is refused by exactly `rule`, none of `silent` is refused at all.
pub(crate) fn check(rule: Rule, fires: &[&str], silent: &[&str]) {
    check_gate(&gate(Policy::agent()), rule, fires, silent);
}

/// The same under `bi`.
pub(crate) fn check_bi(rule: Rule, fires: &[&str], silent: &[&str]) {
    check_gate(&gate(Policy::bi()), rule, fires, silent);
}

/// The same under `strict`.
pub(crate) fn check_strict(rule: Rule, fires: &[&str], silent: &[&str]) {
    let strict = include_str!("../../../policies/strict.yaml");
    check_yaml(strict, rule, fires, silent);
}

/// The same under a policy given as text.
pub(crate) fn check_yaml(yaml: &str, rule: Rule, fires: &[&str], silent: &[&str]) {
    check_gate(&gate(Policy::from_yaml(yaml).unwrap()), rule, fires, silent);
}

/// Under `agent`, in a session whose database nobody has looked into.
pub(crate) fn check_blind(rule: Rule, fires: &[&str], silent: &[&str]) {
    let names = SessionNames::default();
    check_session(&gate(Policy::agent()), &names, rule, fires, silent);
}

/// Under `agent`, in a session of the database [`shop`].
pub(crate) fn check_shop(rule: Rule, fires: &[&str], silent: &[&str]) {
    check_session(
        &gate(Policy::agent()),
        &names_of_shop(),
        rule,
        fires,
        silent,
    );
}

/// Under `agent`, in this session.
pub(crate) fn check_shop_as(names: &SessionNames, rule: Rule, fires: &[&str], silent: &[&str]) {
    check_session(&gate(Policy::agent()), names, rule, fires, silent);
}

/// Under [`hides`], in a session of the database [`people`].
pub(crate) fn check_hides(rule: Rule, fires: &[&str], silent: &[&str]) {
    check_policy(hides(), rule, fires, silent);
}

/// Under `agent` with a model of `shop.orders`, in a session of the database [`shop`].
pub(crate) fn check_models(rule: Rule, fires: &[&str], silent: &[&str]) {
    let models = "\nmodels:\n  shop.orders: {sql: SELECT id FROM orders WHERE id > 1}\n";
    let policy = agent_with(&[], models);
    let names = session_of(shop().build(), &policy);
    check_session(&gate(policy), &names, rule, fires, silent);
}

/// Under [`denies`], in a session of the database [`people`].
pub(crate) fn check_denies(rule: Rule, fires: &[&str], silent: &[&str]) {
    check_policy(denies(), rule, fires, silent);
}

/// Under a policy, in a session of the database [`people`].
pub(crate) fn check_policy(policy: Policy, rule: Rule, fires: &[&str], silent: &[&str]) {
    let names = session_of(people().build(), &policy);
    check_session(&gate(policy), &names, rule, fires, silent);
}

/// In a session, before a gate.
pub(crate) fn check_in(
    gate: &Gate,
    names: &SessionNames,
    rule: Rule,
    fires: &[&str],
    silent: &[&str],
) {
    check_session(gate, names, rule, fires, silent);
}

/// `agent` with changes, and with more at its end.
pub(crate) fn agent_with(changes: &[(&str, &str)], more: &str) -> Policy {
    let mut yaml = include_str!("../../../policies/agent.yaml").to_owned();
    for (from, to) in changes {
        assert!(yaml.contains(from), "{from}");
        yaml = yaml.replace(from, to);
    }
    yaml.push_str(more);
    Policy::from_yaml(&yaml).unwrap()
}

/// `agent`, with a relation and a column hidden.
pub(crate) fn hides() -> Policy {
    agent_with(
        &[],
        "\nrelations: {deny: [shop.secrets]}\ncolumns: {deny: [shop.people.secret]}\n",
    )
}

/// `agent`, with a function, kinds of statements and settings denied, and a bound on nesting.
pub(crate) fn denies() -> Policy {
    agent_with(
        &[
            ("\nstatements:\n", "\nstatements:\n  deny: [copy, values]\n"),
            ("\nsettings:\n", "\nsettings:\n  deny: [\"enable_*\"]\n"),
            (
                "\nfunctions:\n",
                "\nfunctions:\n  deny: [pg_catalog.random]\n",
            ),
            ("\nlimits:\n", "\nlimits:\n  nesting: 3\n"),
        ],
        "",
    )
}

/// [`shop`], with something to hide.
pub(crate) fn people() -> CatalogFixture {
    shop()
        .table("shop.secrets", "id int4, text text")
        .table("shop.people", "id int4, name text, secret text")
        .function("shop.peek(a int4) text", "stable")
}

/// A session of the database [`shop`] on PostgreSQL 15, under `agent`.
pub(crate) fn names_of_shop() -> SessionNames {
    session_of(shop().build(), &Policy::agent())
}

/// A session of a database, with the search_path that servers begin with.
pub(crate) fn session_of(catalog: Catalog, policy: &Policy) -> SessionNames {
    let mut names = SessionNames::default();
    names.set_server_major(catalog.server_major());
    names.set_effect_graph(Some(Arc::new(EffectGraph::new(Arc::new(catalog), policy))));
    names.set_role("postgres");
    names.set_paths(path_of(&["$user", "public"]));
    names
}

/// One search_path.
pub(crate) fn path_of(names: &[&str]) -> SearchPaths {
    let names: Box<[Box<str>]> = names.iter().map(|name| Box::from(*name)).collect();
    SearchPaths::Known(Box::new([names]))
}

/// A database with one thing of each kind that hides an effect, and one that hides none.
pub(crate) fn shop() -> CatalogFixture {
    CatalogFixture::new(15)
        .schema("shop")
        .table("shop.orders", "id int4, total numeric, note text")
        .function("shop.settle() int4", "volatile")
        .function("shop.vat(a int4) numeric", "immutable")
        .function("shop.rate(a int4) numeric", "stable language=plpgsql")
        .function("shop.weigh(a shop.orders) int4", "volatile")
        .function("public.lower(a int4) text", "volatile")
        .function("shop.same(a int4, b int4) bool", "volatile")
        .operator("public.=== (int4, int4) bool", "shop.same(int4, int4)")
        .composite("shop.parcel", "grams int4")
        .function("shop.pack(a int4) shop.parcel", "volatile")
        .cast("int4", "shop.parcel", Some("shop.pack(int4)"), b'e')
        .domain("shop.checked", "text", &["shop.settle()"])
        .domain("shop.positive", "int4", &["int4gt(int4, int4)"])
        .view(
            "shop.v_totals",
            "id int4",
            &["shop.orders", "pg_advisory_lock(int8)"],
        )
        .view("shop.v_clean", "id int4", &["shop.orders", "lower(text)"])
        .table("shop.tenants", "id int4")
        .policy("shop.tenants", "own", &["shop.settle()"])
        .foreign_table("shop.remote", "id int4", "elsewhere")
}

/// Under `agent`: the text is answered with a changed one, which is permitted, and told of.
pub(crate) fn clamped(before: &str, after: &str) {
    let gate = gate(Policy::agent());
    let notice = clamped_in(&gate, &SessionNames::of_no_database(), before, after);
    assert!(notice.contains(": policy agent allows no more"), "{notice}");
}

/// The same in a session; what it is told.
pub(crate) fn clamped_in(gate: &Gate, names: &SessionNames, before: &str, after: &str) -> String {
    let judgement = gate.judge(Cow::Borrowed(before), names);
    let Verdict::Clamped(clamp) = judgement.verdict else {
        panic!("not changed: {before}: {judgement:?}");
    };
    assert_eq!(clamp.text, after);
    let again = gate.judge(Cow::Owned(clamp.text), names);
    assert!(matches!(again.verdict, Verdict::Permitted(_)), "{again:?}");
    clamp.notice.unwrap_or_default()
}

/// The verdict under `agent` for a session with these names.
pub(crate) fn judged_with<'t>(sql: &'t str, names: &SessionNames) -> Judgement<'t> {
    gate(Policy::agent()).judge(Cow::Borrowed(sql), names)
}

/// The rule that refused.
pub(crate) fn rule_of(judgement: &Judgement<'_>) -> Option<Rule> {
    match &judgement.verdict {
        Verdict::Refused(refusal) => Some(refusal.rule),
        Verdict::Permitted(_) | Verdict::Clamped(_) => None,
    }
}

/// A gate for a policy.
pub(crate) fn gate(policy: Policy) -> Gate {
    Gate::new(Arc::new(policy), Fingerprinter::new(None, [7; 32]))
}

fn check_gate(gate: &Gate, rule: Rule, fires: &[&str], silent: &[&str]) {
    check_session(gate, &SessionNames::of_no_database(), rule, fires, silent);
}

fn check_session(gate: &Gate, names: &SessionNames, rule: Rule, fires: &[&str], silent: &[&str]) {
    for sql in fires {
        fires_on(gate, names, rule, sql);
    }
    for sql in silent {
        let judgement = gate.judge(Cow::Borrowed(sql), names);
        let refusal = match &judgement.verdict {
            Verdict::Refused(refusal) => format!("{}: {}", refusal.detail, refusal.message),
            Verdict::Permitted(permit) => {
                assert_eq!(
                    permit.original(),
                    *sql,
                    "a permit holds the text that was judged"
                );
                continue;
            }
            Verdict::Clamped(_) => "lowered".to_owned(),
        };
        panic!("refused: {}: {refusal}", start(sql));
    }
}

/// The laws of a refusal, and that no dressing of the text gets around it.
fn fires_on(gate: &Gate, names: &SessionNames, rule: Rule, sql: &str) {
    let dressed = [
        sql.to_owned(),
        format!("{sql};"),
        format!("/* SELECT 1; */ {sql} -- the end"),
        format!("\n\t{sql}\n;;"),
    ];
    for text in dressed {
        let judgement = gate.judge(Cow::Borrowed(&text), names);
        let Verdict::Refused(refusal) = &judgement.verdict else {
            panic!("not refused by {}: {}", rule.name(), start(&text));
        };
        assert_eq!(refusal.rule, rule, "{}: {}", start(&text), refusal.detail);
        let detail = format!("rule: {}", rule.name());
        assert!(refusal.detail.starts_with(&detail), "{}", refusal.detail);
        refusal_laws::check(sql, refusal);
        assert!(judgement.facts.effects.is_empty() && !judgement.facts.cacheable);
        assert!(!format!("{judgement:?}").contains(refusal.message.as_str()));
    }
}

fn start(sql: &str) -> String {
    sql.chars().take(200).collect()
}
