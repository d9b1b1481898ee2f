//! `unknown_function`: functions that are not built-ins.
//!
//! # Sees
//! A call of any other name, or of a name in any schema but pg_catalog and information_schema.
//!
//! # Why
//! Only the catalog shows what it does, and its body may do anything: being declared IMMUTABLE
//! proves nothing.
//!
//! # Before
//! - `SELECT settle_orders()`
//! - `SELECT public.lower('A')`
//! - `SELECT * FROM dblink('dbname=x', 'SELECT 1') AS t (a int)`
//!
//! # After
//! - `SELECT lower('A')`
//! - `SELECT pg_catalog.lower('A')`
//!
//! # When not
//! Functions that the policy names under `functions.allow` pass. A user's function under the name
//! of a built-in cannot be seen at this depth, nor can one that a cast, an operator, a view or
//! `row.name` calls.

use crate::context::JudgeContext;
use crate::effects::missing_objects;
use crate::effects::suspect_names;
use crate::effects::suspect_names::NamePresence;
use crate::rules::{CalledName, RuleResult, catalog_missing};
use crate::settings::search_path;
use crate::{Refusal, Rule};
use ground::sqlstate;

pub(crate) fn check(called: CalledName<'_>, context: &mut JudgeContext<'_>) -> RuleResult {
    catalog_missing::check_unknown_function(called, context)?;
    if let Some(effect_graph) = context.effect_graph() {
        return match suspect_names::name_presence(called, effect_graph) {
            NamePresence::Nowhere => Err(missing(called)),
            NamePresence::Here => {
                suspect_names::call(called, effect_graph, context);
                Ok(())
            }
        };
    }
    if context.policy.allows_function(called.schema, called.name) {
        // Its body may set what it likes; an upstream that does not report that is asked.
        search_path::note_unknown(context);
        return Ok(());
    }
    Err(Refusal::new(
        Rule::UnknownFunction,
        &format!(
            "function {called} is not allowed: it is no built-in, and what it does is not known"
        ),
        "Use built-in functions, or have the function named under functions.allow of the policy.",
    )
    .about(format_args!("{called}")))
}

fn missing(called: CalledName<'_>) -> Box<Refusal> {
    let (message, hint) = missing_objects::function(&called.to_string());
    Refusal::new(Rule::UnknownFunction, &message, hint)
        .with_sqlstate(sqlstate::UNDEFINED_FUNCTION)
        .about(format_args!("function {called}"))
}

#[cfg(test)]
mod tests {
    use crate::rules::check::{check, check_yaml, gate, judged_with, rule_of};
    use crate::{Rule, SessionNames};
    use policy::Policy;

    const FIRES: &[&str] = &[
        "SELECT f()",
        "SELECT public.f()",
        "SELECT s.pg_sleep(1)",
        "SELECT public.count(*) FROM t",
        "SELECT \"LOWER\"('A')",
        "SELECT dblink_exec('x', 'y')",
        "SELECT * FROM crosstab('SELECT 1') AS t (a int)",
        "SELECT a FROM t ORDER BY f(a)",
        "SELECT *, f(a) OVER () FROM t",
    ];

    #[test]
    fn what_is_no_built_in_is_seen() {
        check(
            Rule::UnknownFunction,
            FIRES,
            &["SELECT upper(lower('a')), count(*) FROM t"],
        );
    }

    #[test]
    fn a_policy_names_what_may_be_called_exactly() {
        let yaml = include_str!("../../../policies/agent.yaml")
            .replace("  allow: []", "  allow: [f, public.g]");
        check_yaml(
            &yaml,
            Rule::UnknownFunction,
            &[
                "SELECT g()",
                "SELECT public.f()",
                "SELECT s.g()",
                "SELECT \"F\"()",
            ],
            &["SELECT f()", "SELECT F()", "SELECT public.g()"],
        );
        let yaml = include_str!("../../../policies/agent.yaml")
            .replace("  allow: []", "  allow: [pg_sleep, query_to_xml]");
        check_yaml(&yaml, Rule::FunctionEffects, &["SELECT pg_sleep(1)"], &[]);
        check_yaml(
            &yaml,
            Rule::SqlInString,
            &["SELECT query_to_xml('x', true, true, '')"],
            &[],
        );
    }

    #[test]
    fn a_built_in_of_a_newer_server_is_none_on_an_older_one() {
        for (sql, since) in [("SELECT any_value(a) FROM t", 16), ("SELECT uuidv7()", 18)] {
            for major in 13..=18 {
                let mut names = SessionNames::of_no_database();
                names.set_server_major(major);
                let wanted = (major < since).then_some(Rule::UnknownFunction);
                assert_eq!(
                    rule_of(&judged_with(sql, &names)),
                    wanted,
                    "{sql} on {major}"
                );
            }
            check(Rule::UnknownFunction, &[], &[sql]);
        }
    }

    #[test]
    fn what_a_policy_names_may_touch_settings() {
        let yaml =
            include_str!("../../../policies/agent.yaml").replace("  allow: []", "  allow: [f]");
        let gate = gate(Policy::from_yaml(&yaml).unwrap());
        let judgement = gate.judge(
            "SELECT f(), f() FROM t".into(),
            &SessionNames::of_no_database(),
        );
        let effects = format!("{:?}", judgement.facts.effects);
        assert_eq!(
            effects, "[SettingsTouched, SearchPathSet, SettingSet]",
            "{effects}"
        );
    }
}
