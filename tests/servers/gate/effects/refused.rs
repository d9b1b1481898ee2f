//! What hides an effect is refused, however it is wrapped, and so are the parts of extensions that
//! do more than read.

use std::collections::BTreeMap;

use pgsieve::gate::{Rule, SearchPaths};

use crate::gate::effects::cases::{Case, EXTENSIONS_REFUSED, HIDDEN, cases};
use crate::gate::effects::judge::{Judge, Outcome, assert_none, complaint};
use crate::gate::effects::servers::{Database, servers};
use crate::gate::effects::variations;

#[test]
fn what_hides_an_effect_is_refused() {
    for server in servers() {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut wrong = Vec::new();
        let all = present(&server.hidden, cases("hidden", HIDDEN, server.major));
        for policy in ["agent", "bi"] {
            let judge = Judge::of(&server.hidden, policy, server.major);
            wrong.extend(all.iter().filter_map(|case| passed(&judge, case)));
        }
        for case in &all {
            *counts.entry(&case.kind).or_default() += 1;
        }
        println!(
            "Postgres {}: {} refused: {counts:?}",
            server.major,
            all.len()
        );
        assert!(counts.len() >= 11 && counts.values().all(|count| *count >= 3));
        assert_none(&wrong);
    }
}

#[test]
fn what_hides_an_effect_is_refused_in_every_wrapping() {
    for server in servers() {
        let judge = Judge::of(&server.hidden, "agent", server.major);
        let all = cases("hidden", HIDDEN, server.major);
        let all: Vec<Case> = all.iter().flat_map(variations::all).collect();
        println!(
            "Postgres {}: {} variations refused",
            server.major,
            all.len()
        );
        let wrong: Vec<_> = all
            .iter()
            .filter(|case| judge.judge(&case.text) == Outcome::Permitted)
            .map(|case| complaint(case, &judge, &Outcome::Permitted))
            .collect();
        assert_none(&wrong);
    }
}

/// Whatever is not known makes the gate stricter, never laxer. Without a snapshot nobody can tell
/// that a user has made another function or operator for the name of a built-in: what
/// `policies/README.md` says about that is measured here.
#[test]
fn what_hides_an_effect_is_refused_when_less_is_known() {
    for server in servers() {
        let unknown = Judge::with(&server.hidden, "agent", server.major, SearchPaths::Unknown);
        let blind = Judge::of(&server.hidden, "agent", server.major).blind();
        let all = cases("hidden", HIDDEN, server.major);
        let passes = |judge: &Judge, case: &Case| {
            let outcome = judge.judge(&case.text);
            (outcome == Outcome::Permitted).then(|| complaint(case, judge, &outcome))
        };
        let wrong: Vec<_> = all
            .iter()
            .filter_map(|case| passes(&unknown, case))
            .collect();
        assert_none(&wrong);
        let (of_builtins, others): (Vec<_>, Vec<_>) = all.iter().partition(|case| {
            matches!(
                case.kind.as_str(),
                "operator" | "overload" | "cast" | "modifier"
            )
        });
        let wrong: Vec<_> = others
            .iter()
            .filter_map(|case| passes(&blind, case))
            .collect();
        assert_none(&wrong);
        let passed = of_builtins.iter().filter_map(|case| passes(&blind, case));
        println!(
            "Postgres {}: {} pass without a snapshot",
            server.major,
            passed.count()
        );
    }
}

/// Where the database puts a schema before pg_catalog, it is not the built-in that is called.
#[test]
fn a_schema_before_the_catalog_hides_built_ins() {
    for server in servers() {
        let check = |path: &[&str], text: &str, expected: bool| {
            let path = path.iter().map(|name| Box::from(*name)).collect();
            let paths = SearchPaths::Known([path].into());
            let judge = Judge::with(&server.hidden, "agent", server.major, paths);
            let refused = judge.judge(text) != Outcome::Permitted;
            assert_eq!(refused, expected, "{text} on {}", server.major);
        };
        for text in ["SELECT lower('A')", "SELECT lower(name) FROM hidden.things"] {
            check(&["hidden", "pg_catalog"], text, true);
            check(&["calm", "hidden", "pg_catalog"], text, true);
            check(&["pg_catalog", "hidden"], text, false);
            check(&["hidden"], text, false);
            check(&["calm", "public"], text, false);
        }
        check(
            &["hidden", "pg_catalog"],
            "SELECT pg_catalog.lower('A')",
            false,
        );
        check(&["hidden", "pg_catalog"], "SELECT upper('A')", false);
    }
}

#[test]
fn what_extensions_do_beside_reading_is_refused() {
    for server in servers() {
        let all = cases("extensions_refused", EXTENSIONS_REFUSED, server.major);
        let all = present(&server.extensions, all);
        println!(
            "Postgres {}: {} of extensions refused",
            server.major,
            all.len()
        );
        for policy in ["agent", "bi"] {
            let judge = Judge::of(&server.extensions, policy, server.major);
            let wrong: Vec<_> = all
                .iter()
                .filter_map(|case| match judge.judge(&case.text) {
                    Outcome::Refused(..) => None,
                    outcome => Some(complaint(case, &judge, &outcome)),
                })
                .collect();
            assert_none(&wrong);
        }
    }
}

/// Those whose extension is there.
pub fn present(database: &Database, mut cases: Vec<Case>) -> Vec<Case> {
    cases.retain(|case| {
        let needs = case.needs.as_ref();
        needs.is_none_or(|needs| database.extensions.contains(needs))
    });
    cases
}

/// What is wrong with the verdict about a statement that has an effect.
fn passed(judge: &Judge, case: &Case) -> Option<String> {
    let outcome = judge.judge(&case.text);
    let right = match &outcome {
        Outcome::Refused(rule, _) => rules(&case.kind).contains(rule),
        Outcome::Permitted | Outcome::Clamped => false,
    };
    (!right).then(|| complaint(case, judge, &outcome))
}

/// The rules of which one refuses what is hidden in this way. A statement may hold several things:
/// which of them is seen first says nothing.
fn rules(kind: &str) -> &'static [Rule] {
    match kind {
        "view" => &[Rule::ViewEffects],
        "policy" => &[Rule::RowPolicyEffects, Rule::ViewEffects],
        "operator" => &[Rule::OperatorEffects, Rule::TypeEffects],
        "sort" => &[Rule::TypeEffects, Rule::OperatorEffects],
        "domain" | "type" | "modifier" => &[
            Rule::TypeEffects,
            Rule::HiddenFunction,
            Rule::FunctionEffects,
        ],
        "cast" => &[
            Rule::CastEffects,
            Rule::TypeEffects,
            Rule::OperatorEffects,
            Rule::HiddenFunction,
        ],
        "field" => &[Rule::HiddenFunction, Rule::TypeEffects],
        "overload" => &[
            Rule::HiddenFunction,
            Rule::OverloadedBuiltin,
            Rule::TypeEffects,
        ],
        "function" | "aggregate" => &[Rule::HiddenFunction],
        "planning" => &[Rule::RowPolicyEffects],
        "xml" => &[Rule::SqlInString],
        "foreign" => &[
            Rule::ForeignTable,
            Rule::ViewEffects,
            Rule::HiddenFunction,
            Rule::SqlInString,
        ],
        _ => &[],
    }
}
