//! The laws of HINTs over the corpus: traps as shipped, and every statement where nobody may repair
//! it.

use std::collections::BTreeMap;
use std::sync::Arc;

use pgsieve::gate::{Gate, ParameterTypes, SessionNames, Verdict};
use pgsieve::policy::{Policy, Recoverer};
use pgsieve::repair::failure::FailureClass;
use pgsieve::repair::hints;
use pgsieve::repair::hints::laws::broken;
use pgsieve::repair::{RepairConclusion, RepairRequest, repair_statement};

use crate::repair::corpus::statements::{Class, Entry, entries};
use crate::repair::corpus::world::World;

#[test]
fn every_trap_gets_a_hint_that_keeps_the_laws() {
    let shipped = include_str!("../../../../policies/agent.yaml");
    check("as shipped", shipped, |entry| entry.class == Class::Trap);
}

#[test]
fn so_does_every_statement_that_nobody_may_repair() {
    let off: Vec<String> = (Recoverer::ALL.iter())
        .map(|recoverer| format!("{}: \"off\"", recoverer.name()))
        .collect();
    let shipped = include_str!("../../../../policies/agent.yaml");
    let forbidden = shipped.replace(
        "recoverers: {}",
        &format!("recoverers: {{{}}}", off.join(", ")),
    );
    assert_ne!(shipped, forbidden);
    check("nobody may repair", &forbidden, |_| true);
}

fn check(mode: &str, yaml: &str, is_asked: impl Fn(&Entry) -> bool) {
    let Some(mut world) = World::start() else {
        return;
    };
    let policy = Arc::new(Policy::from_yaml(yaml).unwrap());
    let gate = Gate::without_fingerprints(Arc::clone(&policy));
    let (mut schema, mut names) = ("", SessionNames::default());
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    let mut problems = Vec::new();
    for entry in entries().iter().filter(|entry| is_asked(entry)) {
        if schema != entry.schema {
            schema = entry.schema;
            names = world.session(schema, &policy);
        }
        let error = world.rows(&entry.failing).expect_err("it fails");
        let (sqlstate, message) = error.split_once(' ').unwrap_or_default();
        *counts.entry("all").or_default() += 1;
        let Some(hint) = told(entry, (sqlstate, message), (&gate, &names), &mut world) else {
            *counts.entry("without").or_default() += 1;
            continue;
        };
        for law in broken(sqlstate, message, &entry.failing, &hint) {
            *counts.entry(law).or_default() += 1;
            let (place, failing) = (&entry.place, &entry.failing);
            problems.push(format!("{place} {law}: {failing}\n  {error}\n  {hint}"));
        }
    }
    println!("HINTs, {mode}: {counts:?}");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// What a client hears beside the error; none where it gets rows, where the statement is refused
/// for what it does, and where it fails for what stands in the rows.
fn told(
    entry: &Entry,
    (sqlstate, message): (&str, &str),
    (gate, names): (&Gate, &SessionNames),
    world: &mut World,
) -> Option<String> {
    let judgement = gate.judge(entry.failing.as_str().into(), names);
    let refused = match judgement.verdict {
        Verdict::Refused(refusal) => Some(refusal),
        Verdict::Permitted(_) | Verdict::Clamped(_) => None,
    };
    let is_other = refused.as_ref().is_some_and(|refusal| {
        FailureClass::of(refusal.sqlstate.as_str(), &refusal.message).is_none()
            && refusal.sqlstate.as_str() != "42601"
    });
    if is_other || refused.is_none() && hints::is_of_run_time(sqlstate, message) {
        return None;
    }
    let request = RepairRequest {
        user: "",
        gate,
        names,
        parameters: &ParameterTypes::none_given(),
        text: &entry.failing,
        failure: None,
        earlier_dialect: None,
    };
    let advice = match repair_statement(&request, world).ending {
        RepairConclusion::Repaired(_) => return None,
        RepairConclusion::NotNeeded => None,
        RepairConclusion::Failed(advice) => advice.hint,
    };
    let of_error = || hints::of_error(sqlstate, message);
    let of_refusal = || refused.as_ref().map(|refusal| refusal.hint.clone());
    Some(
        advice
            .or_else(of_error)
            .or_else(of_refusal)
            .unwrap_or_default(),
    )
}
