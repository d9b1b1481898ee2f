//! The loop, with a server that answers from a list. Test code only.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::laws::world;
use crate::{
    AttemptOutcome, CompileError, RepairConclusion, RepairOutcome, RepairRequest,
    StatementCompiler, repair_statement,
};
use dialect::session_database::fixture::session;
use gate::{Gate, ParameterTypes, ReadPermit};
use policy::Policy;
use sql::fingerprint::Fingerprinter;

/// What fails on a server, and how; everything else runs.
#[derive(Default)]
struct ScriptedServer {
    fails: BTreeMap<&'static str, (&'static str, &'static str, u32)>,
    asked: Vec<String>,
    is_gone: bool,
}

impl ScriptedServer {
    fn failing(fails: &[(&'static str, &'static str, &'static str, u32)]) -> Self {
        let fails = fails.iter();
        Self {
            fails: fails
                .map(|(text, code, message, at)| (*text, (*code, *message, *at)))
                .collect(),
            ..Self::default()
        }
    }

    fn repairs(&mut self, text: &str, policy: &str) -> RepairOutcome {
        let policy = Policy::from_yaml(policy).unwrap();
        let names = session(world(), &policy);
        let gate = Gate::new(Arc::new(policy), Fingerprinter::new(None, [7; 32]));
        let request = RepairRequest {
            user: "",
            gate: &gate,
            names: &names,
            parameters: &ParameterTypes::none_given(),
            text,
            failure: None,
            earlier_dialect: None,
        };
        repair_statement(&request, self)
    }
}

impl StatementCompiler for ScriptedServer {
    fn compile(&mut self, permit: &ReadPermit<'_>, _: &ParameterTypes) -> Result<(), CompileError> {
        self.asked.push(permit.text().to_owned());
        if self.is_gone {
            return Err(CompileError::Unavailable);
        }
        match self.fails.get(permit.text()) {
            None => Ok(()),
            Some((sqlstate, message, position)) => Err(CompileError::Failed {
                sqlstate: (*sqlstate).to_owned(),
                message: (*message).to_owned(),
                hint: None,
                position: Some(*position),
            }),
        }
    }
}

/// `AvgScrMath` without quotes, as the server says it.
const UNQUOTED: (&str, &str, &str, u32) = (
    "SELECT AvgScrMath FROM \"Schools\"",
    "42703",
    "column \"avgscrmath\" does not exist",
    8,
);

/// A wrong qualifier: likely, and no more.
const LIKELY: (&str, &str, &str, u32) = (
    "SELECT o.email FROM orders o JOIN customers c ON c.id = o.customer_id",
    "42703",
    "column o.email does not exist",
    8,
);

fn agent() -> String {
    include_str!("../../policies/agent.yaml").to_owned()
}

fn outcomes(outcome: &RepairOutcome) -> Vec<(&'static str, AttemptOutcome)> {
    let attempts = outcome.attempts.iter();
    attempts
        .map(|step| (step.recoverer.name(), step.outcome))
        .collect()
}

#[test]
fn a_text_that_runs_is_left_alone() {
    let mut server = ScriptedServer::default();
    let outcome = server.repairs("SELECT id FROM orders", &agent());
    assert!(matches!(outcome.ending, RepairConclusion::NotNeeded));
    assert!(outcome.attempts.is_empty());
    assert_eq!(server.asked, ["SELECT id FROM orders"]);
}

#[test]
fn a_certain_repair_takes_the_place_and_is_announced() {
    let mut server = ScriptedServer::failing(&[UNQUOTED]);
    let outcome = server.repairs(UNQUOTED.0, &agent());
    let RepairConclusion::Repaired(repaired) = &outcome.ending else {
        panic!("{outcome:?}");
    };
    assert_eq!(
        repaired.permit.text(),
        "SELECT \"AvgScrMath\" FROM \"Schools\""
    );
    assert_eq!(
        repaired.message(),
        "pgsieve repaired this statement: quote_identifiers"
    );
    assert!(repaired.detail.contains("AvgScrMath"));
    let step = &outcome.attempts[0];
    assert!(step.before.is_some() && step.after.is_some() && step.before != step.after);
    assert_eq!(
        outcomes(&outcome),
        [("quote_identifiers", AttemptOutcome::Applied)]
    );
}

#[test]
fn what_is_likely_is_a_hint_unless_the_policy_applies_it() {
    let outcome = ScriptedServer::failing(&[LIKELY]).repairs(LIKELY.0, &agent());
    let RepairConclusion::Failed(advice) = &outcome.ending else {
        panic!("{outcome:?}");
    };
    assert!(advice.hint.as_deref().unwrap().contains("SELECT c.email"));
    assert_eq!(
        outcomes(&outcome),
        [("undefined_column", AttemptOutcome::Hinted)]
    );
    let applied = agent().replace("likely: hint", "likely: apply");
    let outcome = ScriptedServer::failing(&[LIKELY]).repairs(LIKELY.0, &applied);
    assert!(matches!(outcome.ending, RepairConclusion::Repaired(_)));
}

#[test]
fn observing_counts_and_changes_nothing() {
    for observe in [
        agent().replace("  mode: apply", "  mode: observe"),
        agent().replace("recoverers: {}", "recoverers: {quote_identifiers: observe}"),
    ] {
        let outcome = ScriptedServer::failing(&[UNQUOTED]).repairs(UNQUOTED.0, &observe);
        let RepairConclusion::Failed(advice) = &outcome.ending else {
            panic!("{outcome:?}");
        };
        assert!(advice.detail.is_none() && advice.hint.is_none());
        assert_eq!(
            outcomes(&outcome),
            [("quote_identifiers", AttemptOutcome::Observed)]
        );
    }
}

#[test]
fn a_recoverer_that_is_observed_gives_the_client_no_hint() {
    let hopeless = (
        "SELECT no_such_thing FROM customers",
        "42703",
        "column \"no_such_thing\" does not exist",
        8,
    );
    let observed = agent().replace("recoverers: {}", "recoverers: {undefined_column: observe}");
    for (policy, wanted, is_told) in [
        (agent(), AttemptOutcome::Hinted, true),
        (observed, AttemptOutcome::Observed, false),
    ] {
        let outcome = ScriptedServer::failing(&[hopeless]).repairs(hopeless.0, &policy);
        assert_eq!(outcomes(&outcome), [("undefined_column", wanted)]);
        let RepairConclusion::Failed(advice) = &outcome.ending else {
            panic!("{outcome:?}");
        };
        let hint = advice.hint.as_deref().unwrap_or_default();
        assert_eq!(hint.contains("the columns there are"), is_told, "{hint}");
    }
}

#[test]
fn what_is_off_is_not_asked() {
    let off = agent().replace("  mode: apply", "  mode: \"off\"");
    let mut server = ScriptedServer::failing(&[UNQUOTED]);
    let outcome = server.repairs(UNQUOTED.0, &off);
    assert!(matches!(outcome.ending, RepairConclusion::Failed(_)));
    assert!(outcome.attempts.is_empty() && server.asked.is_empty());
    let one = agent().replace(
        "recoverers: {}",
        "recoverers: {quote_identifiers: \"off\", undefined_column: \"off\", syntax_error: \"off\", undefined_function: \"off\"}",
    );
    let outcome = ScriptedServer::failing(&[UNQUOTED]).repairs(UNQUOTED.0, &one);
    assert!(matches!(outcome.ending, RepairConclusion::Failed(_)));
    assert!(outcome.attempts.is_empty());
}

#[test]
fn errors_that_no_class_has_fail_at_once() {
    for code in ["42501", "53300", "57014", "25006", "08006", "22012"] {
        let text = "SELECT id FROM orders";
        let mut server = ScriptedServer::failing(&[(text, code, "no", 1)]);
        let outcome = server.repairs(text, &agent());
        let RepairConclusion::Failed(advice) = &outcome.ending else {
            panic!("{outcome:?}");
        };
        assert!(advice.detail.is_none() && advice.hint.is_none(), "{code}");
        assert_eq!(server.asked.len(), 1, "{code}");
    }
}

#[test]
fn without_a_server_nothing_takes_the_place() {
    let mut server = ScriptedServer {
        is_gone: true,
        ..ScriptedServer::default()
    };
    let outcome = server.repairs("SELECT `name` FROM customers", &agent());
    assert!(
        matches!(outcome.ending, RepairConclusion::Failed(_)),
        "{outcome:?}"
    );
}

#[test]
fn a_repair_that_fails_as_well_is_told_and_not_run() {
    let mut server = ScriptedServer::failing(&[
        UNQUOTED,
        (
            "SELECT \"AvgScrMath\" FROM \"Schools\"",
            "42501",
            "permission denied",
            1,
        ),
    ]);
    let outcome = server.repairs(UNQUOTED.0, &agent());
    let RepairConclusion::Failed(advice) = &outcome.ending else {
        panic!("{outcome:?}");
    };
    let detail = advice.detail.as_deref().unwrap();
    assert_eq!(detail, "RepairExhausted: quote_identifiers");
    assert!(advice.hint.is_some());
    assert_eq!(
        outcomes(&outcome),
        [("quote_identifiers", AttemptOutcome::Failed)]
    );
}

#[test]
fn what_the_gate_refuses_for_its_effect_is_no_repair() {
    for text in [
        "```sql\nDELETE FROM customers\n```",
        "{\"sql\": \"DROP TABLE customers\"}",
        "```\nSELECT pg_advisory_lock(1)\n```",
        "```\nSET work_mem = '1GB'\n```",
        "```\nBEGIN\n```",
    ] {
        let mut server = ScriptedServer::default();
        let outcome = server.repairs(text, &agent());
        assert!(
            matches!(outcome.ending, RepairConclusion::Failed(_)),
            "{text}"
        );
        assert!(server.asked.is_empty(), "{text}");
    }
}

#[test]
fn attempts_are_bounded() {
    // Whatever is tried fails in the same class at the same place.
    struct UnreachableServer(u32);
    impl StatementCompiler for UnreachableServer {
        fn compile(&mut self, _: &ReadPermit<'_>, _: &ParameterTypes) -> Result<(), CompileError> {
            self.0 += 1;
            Err(CompileError::Failed {
                sqlstate: "42703".to_owned(),
                message: "column \"x\" does not exist".to_owned(),
                hint: None,
                position: Some(8),
            })
        }
    }
    let policy = Policy::from_yaml(&agent()).unwrap();
    let names = session(world(), &policy);
    let gate = Gate::new(Arc::new(policy), Fingerprinter::new(None, [7; 32]));
    for text in [LIKELY.0, UNQUOTED.0, "SELECT \"a\", emial FROM customers"] {
        let request = RepairRequest {
            user: "",
            gate: &gate,
            names: &names,
            parameters: &ParameterTypes::none_given(),
            text,
            failure: None,
            earlier_dialect: None,
        };
        let mut server = UnreachableServer(0);
        let outcome = repair_statement(&request, &mut server);
        assert!(
            matches!(outcome.ending, RepairConclusion::Failed(_)),
            "{text}"
        );
        assert!(server.0 <= 1 + 3 + 3, "{text}: {} questions", server.0);
    }
}

/// A relation in the wrong schema, beside a variable of T-SQL that Postgres reads as abs().
const VARIABLE: (&str, &str, &str, u32) = (
    "SELECT id FROM dbo.orders WHERE customer_id = @customer_id",
    "42P01",
    "relation \"dbo.orders\" does not exist",
    16,
);

#[test]
fn a_text_with_a_variable_is_not_made_to_run() {
    let in_quotes = (
        "SELECT AvgScrMath FROM \"Schools\" WHERE AvgScrMath > @AvgScrMath",
        UNQUOTED.1,
        UNQUOTED.2,
        UNQUOTED.3,
    );
    for fails in [VARIABLE, in_quotes] {
        let mut server = ScriptedServer::failing(&[fails]);
        let policy = agent().replace("likely: hint", "likely: apply");
        let outcome = server.repairs(fails.0, &policy);
        let RepairConclusion::Failed(advice) = &outcome.ending else {
            panic!("{outcome:?}");
        };
        assert_eq!(server.asked, [fails.0]);
        let hint = advice.hint.as_deref().unwrap();
        assert!(hint.contains("variable") && hint.contains("$1"), "{hint}");
    }
}
