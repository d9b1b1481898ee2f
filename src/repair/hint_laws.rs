//! The laws of HINTs, checked on statements that fail: what each kind of failure is told. Test code
//! only.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::hints::laws::broken;
use crate::laws::world;
use crate::predict::{FailureForecast, forecast};
use crate::{
    CompileError, FailureClass, RepairConclusion, RepairRequest, StatementCompiler, hints,
    repair_statement,
};
use dialect::session_database::fixture::session;
use gate::{Gate, ParameterTypes, ReadPermit, SessionNames, Verdict};
use ground::rule::Rule;
use policy::Policy;
use sql::fingerprint::Fingerprinter;

/// A statement that fails, and how.
struct FailingStatement {
    kind: String,
    sqlstate: String,
    position: Option<u32>,
    message: String,
    text: String,
}

/// A server that says of one text what a server said of it, and of others what is forecast.
struct RecordedServer<'s> {
    failing: &'s FailingStatement,
    names: &'s SessionNames,
}

impl StatementCompiler for RecordedServer<'_> {
    fn compile(
        &mut self,
        permit: &ReadPermit<'_>,
        types: &ParameterTypes,
    ) -> Result<(), CompileError> {
        if permit.original() == self.failing.text {
            return Err(CompileError::Failed {
                sqlstate: self.failing.sqlstate.clone(),
                message: self.failing.message.clone(),
                hint: None,
                position: self.failing.position,
            });
        }
        match forecast(permit.original(), types, self.names) {
            FailureForecast::None => Ok(()),
            FailureForecast::Likely => Err(CompileError::Unavailable),
        }
    }
}

fn statements(file: &str) -> Vec<FailingStatement> {
    let mut kind = "";
    let mut found = Vec::new();
    for line in file.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            kind = name;
        } else if !line.is_empty() && !line.starts_with("# ") {
            let parts: Vec<&str> = line.splitn(4, '\t').collect();
            let [sqlstate, position, message, text] = parts[..] else {
                panic!("{line}")
            };
            found.push(FailingStatement {
                kind: kind.to_owned(),
                sqlstate: sqlstate.to_owned(),
                position: position.parse().ok(),
                message: message.to_owned(),
                text: text.replace("\\n", "\n").replace("\\\\", "\\"),
            });
        }
    }
    found
}

/// What a client hears: repaired, or this HINT.
fn told(failing: &FailingStatement, gate: &Gate, names: &SessionNames) -> Option<String> {
    let mut server = RecordedServer { failing, names };
    let judged = gate.judge(failing.text.as_str().into(), names);
    let refused = match judged.verdict {
        Verdict::Refused(refusal) => Some(refusal),
        _ => None,
    };
    let is_other = |refusal: &gate::Refusal| {
        let class = FailureClass::of(refusal.sqlstate.as_str(), &refusal.message);
        class.is_none() && refusal.rule != Rule::SyntaxError
    };
    if refused.as_deref().is_some_and(is_other) {
        // What it would do is refused, whether it would fail or not.
        return None;
    }
    let request = RepairRequest {
        user: "",
        gate,
        names,
        parameters: &ParameterTypes::none_given(),
        text: &failing.text,
        failure: None,
        earlier_dialect: None,
    };
    let outcome = repair_statement(&request, &mut server);
    let advice = match outcome.ending {
        RepairConclusion::Repaired(_) | RepairConclusion::NotNeeded => return None,
        RepairConclusion::Failed(advice) => advice.hint.unwrap_or_default(),
    };
    let own = refused
        .map(|refusal| refusal.hint.clone())
        .unwrap_or_default();
    let of_error = || hints::of_error(&failing.sqlstate, &failing.message);
    Some(match (advice.is_empty(), own.is_empty()) {
        (false, _) => advice,
        (true, false) => of_error().unwrap_or(own),
        (true, true) => of_error().unwrap_or_default(),
    })
}

fn measure(name: &str, file: &str) -> BTreeMap<&'static str, u32> {
    let policy = Policy::agent();
    let hidden: &[&str] = &[];
    measure_under(policy, hidden, name, statements(file))
}

fn measure_under(
    policy: Policy,
    hidden: &[&str],
    name: &str,
    failing: Vec<FailingStatement>,
) -> BTreeMap<&'static str, u32> {
    let names = session(world(), &policy);
    let gate = Gate::new(Arc::new(policy), Fingerprinter::new(None, [7; 32]));
    let mut counts: BTreeMap<&'static str, u32> = BTreeMap::new();
    for failing in failing {
        let mut count = |of: &'static str| *counts.entry(of).or_default() += 1;
        count("all");
        let Some(hint) = told(&failing, &gate, &names) else {
            count("repaired");
            continue;
        };
        let laws = broken(&failing.sqlstate, &failing.message, &failing.text, &hint);
        laws.iter().for_each(|law| count(law));
        let names = |text: &str, name: &str| text.to_lowercase().contains(name);
        let tells = |name: &&&str| names(&hint, name) && !names(&failing.text, name);
        if let Some(name) = hidden.iter().find(tells) {
            panic!("{name} is hidden: {}: {hint}", failing.text);
        }
        let (kind, code, message) = (&failing.kind, &failing.sqlstate, &failing.message);
        println!(
            "{name}\t{kind}\t{code}\t{laws:?}\t{message}\t{:?}\t{hint}",
            failing.text
        );
    }
    println!("{name}: {counts:?}");
    counts
}

fn keeps_laws(name: &str, file: &str) {
    let counts = measure(name, file);
    assert!(
        counts.get("all").is_some_and(|all| *all > 500),
        "{counts:?}"
    );
    let broken = counts
        .keys()
        .filter(|law| !["all", "repaired"].contains(law));
    assert_eq!(broken.count(), 0, "{counts:?}");
}

#[test]
fn every_failed_read_gets_a_hint_that_keeps_the_laws() {
    keeps_laws(
        "failures",
        include_str!("../../tests/data/corpus/hints/failures.txt"),
    );
}

#[test]
fn so_does_every_one_of_kinds_that_were_unseen() {
    keeps_laws(
        "held_out_failures",
        include_str!("../../tests/data/corpus/hints/held_out_failures.txt"),
    );
}

#[test]
fn what_a_policy_hides_is_not_named() {
    let yaml = include_str!("../../policies/agent.yaml");
    let hides = "relations: {deny: [archive.*, public.payments]}\n\
         columns: {deny: [\"*.*.email\", \"*.*.total_amount\", \"public.accounts.label\"]}\n";
    let policy = || Policy::from_yaml(&format!("{yaml}\n{hides}")).unwrap();
    let hidden = [
        "email",
        "total_amount",
        "label",
        "invoices",
        "archive",
        "payments",
    ];
    for file in [
        include_str!("../../tests/data/corpus/hints/failures.txt"),
        include_str!("../../tests/data/corpus/hints/held_out_failures.txt"),
    ] {
        let counts = measure_under(policy(), &hidden, "hidden", statements(file));
        for law in ["none", "long", "cut", "many", "irrelevant"] {
            assert_eq!(counts.get(law), None, "{counts:?}");
        }
    }
}

/// The statements of `tests/data/corpus/recoverers`: of those, the code is known and no words.
#[test]
fn statements_that_recoverers_see_get_hints_that_keep_the_laws() {
    let mut all = Vec::new();
    for (sqlstate, file) in CORPUS {
        let lines = file.lines().filter_map(|line| line.split_once(' '));
        for (mark, text) in lines.filter(|(mark, _)| ["E", "L", "H", "T"].contains(mark)) {
            all.push(FailingStatement {
                kind: mark.to_owned(),
                sqlstate: (*sqlstate).to_owned(),
                position: None,
                message: String::new(),
                text: text
                    .replace('⟪', "")
                    .replace("\\n", "\n")
                    .replace("\\\\", "\\"),
            });
        }
    }
    assert!(all.len() > 400, "{}", all.len());
    let counts = measure_under(Policy::agent(), &[], "recoverers", all);
    for law in [
        "none",
        "long",
        "cut",
        "many",
        "irrelevant",
        "twice",
        "restating",
    ] {
        assert_eq!(counts.get(law), None, "{counts:?}");
    }
}

const CORPUS: &[(&str, &str)] = &[
    (
        "42702",
        include_str!("../../tests/data/corpus/recoverers/ambiguous_column.txt"),
    ),
    (
        "42804",
        include_str!("../../tests/data/corpus/recoverers/datatype_mismatch.txt"),
    ),
    (
        "42712",
        include_str!("../../tests/data/corpus/recoverers/duplicate_alias.txt"),
    ),
    (
        "42601",
        include_str!("../../tests/data/corpus/recoverers/foreign_dialect.txt"),
    ),
    (
        "42803",
        include_str!("../../tests/data/corpus/recoverers/grouping_error.txt"),
    ),
    (
        "22P02",
        include_str!("../../tests/data/corpus/recoverers/invalid_text_representation.txt"),
    ),
    (
        "42703",
        include_str!("../../tests/data/corpus/recoverers/quote_identifiers.txt"),
    ),
    (
        "42601",
        include_str!("../../tests/data/corpus/recoverers/syntax_error.txt"),
    ),
    (
        "42703",
        include_str!("../../tests/data/corpus/recoverers/undefined_column.txt"),
    ),
    (
        "42883",
        include_str!("../../tests/data/corpus/recoverers/undefined_operator.txt"),
    ),
    (
        "42P01",
        include_str!("../../tests/data/corpus/recoverers/undefined_table.txt"),
    ),
];
