//! The path of a judgement for a person: the steps in the order in which the gate takes them, the
//! rules that are asked at each, and how far a text came.

use serde_json::{Value, json};

use crate::gate::{Rule, StatementKind};
use crate::offline::judge::GateAnswer;
use crate::rule::GateStep;

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenStep {
    /// Which step.
    pub step: GateStep,
    /// The rule that refused there.
    pub refused: Option<Rule>,
    /// Rules that would have refused there and are only observed.
    pub observed: Vec<Rule>,
    /// Whether the text came that far.
    pub reached: bool,
}

/// The steps, and what became of the text at each.
pub fn taken(answer: &GateAnswer) -> Vec<TakenStep> {
    let (refused, observed): (Option<Rule>, &[Rule]) = match answer {
        GateAnswer::Permit => (None, &[]),
        GateAnswer::Observe(rules) => (None, rules),
        GateAnswer::Refuse(refusal) => (Some(refusal.rule), &[]),
    };
    let last = refused.and_then(Rule::step);
    let steps = GateStep::ALL.iter().copied().map(|own| TakenStep {
        step: own,
        refused: refused.filter(|rule| rule.step() == Some(own)),
        observed: observed
            .iter()
            .copied()
            .filter(|rule| rule.step() == Some(own))
            .collect(),
        reached: last.is_none_or(|last| own <= last),
    });
    steps.collect()
}

impl TakenStep {
    /// How it ended, for a person.
    pub fn in_words(&self, kind: StatementKind) -> String {
        let names = |rules: &[Rule]| rules.iter().map(|rule| rule.name()).collect::<Vec<_>>();
        match (self.refused, self.reached) {
            (Some(rule), _) => format!("refused by {}", rule.name()),
            (None, false) => "not reached".to_owned(),
            (None, true) if !self.observed.is_empty() => {
                format!("passed; observed: {}", names(&self.observed).join(", "))
            }
            (None, true) if self.step == GateStep::Kind => format!("passed: {}", kind.name()),
            (None, true) => "passed".to_owned(),
        }
    }

    /// As a JSON object.
    pub fn fields(&self) -> Value {
        let outcome = match (self.refused, self.reached, self.observed.is_empty()) {
            (Some(_), _, _) => "refused",
            (None, false, _) => "not_reached",
            (None, true, false) => "observed",
            (None, true, true) => "passed",
        };
        let by = self
            .refused
            .iter()
            .chain(&self.observed)
            .map(|rule| rule.name());
        json!({
            "step": self.step.name(),
            "outcome": outcome,
            "by": by.collect::<Vec<_>>(),
            "rules": self.step.rules().map(Rule::name).collect::<Vec<_>>(),
        })
    }
}
