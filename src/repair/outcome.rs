//! What comes of a repair: a text that runs, or what the client is told beside its own error.
//!
//! No text or literal appears where one of these is printed for a log.

use std::fmt;

use crate::dialect_history::DialectEvidence;
use crate::hints::fit;
use crate::{Attempt, FailureClass};
use gate::WaitingPermit;
use ground::limits;
use policy::Recoverer;

/// What came of a repair.
#[derive(Debug)]
pub struct RepairOutcome {
    /// How it ended.
    pub ending: RepairConclusion,
    /// Every step, in order.
    pub attempts: Vec<Attempt>,
    /// What the client's text has shown of its dialect.
    pub evidence: DialectEvidence,
}

/// How a repair ended.
#[derive(Debug)]
pub enum RepairConclusion {
    /// The client's own text runs: it is to be sent as it is.
    NotNeeded,
    /// A changed text runs in its place.
    Repaired(RepairedStatement),
    /// The client gets the failure of its own text, with this advice.
    Failed(RepairAdvice),
}

/// A changed text that takes the place of the client's.
pub struct RepairedStatement {
    /// The text, judged by what was known when it was found.
    pub permit: WaitingPermit,
    /// Who changed it, each once.
    pub recoverers: Vec<Recoverer>,
    /// What was changed, for the DETAIL of the notice.
    pub detail: String,
}

/// What is added to the error that the client gets.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct RepairAdvice {
    /// What was tried.
    pub detail: Option<String>,
    /// What to do next.
    pub hint: Option<String>,
}

impl RepairedStatement {
    /// The words of the notice.
    pub fn message(&self) -> String {
        let names: Vec<&str> = self.recoverers.iter().map(|one| one.name()).collect();
        format!("pgsieve repaired this statement: {}", names.join(", "))
    }
}

impl RepairAdvice {
    /// Nothing brought a text that runs: who tried, what stood in the way, and what to do.
    pub fn exhausted(attempts: &[Attempt], class: FailureClass, hint: String) -> Self {
        let mut names: Vec<&str> = Vec::new();
        let mut gates: Vec<&str> = Vec::new();
        for step in attempts {
            if !names.contains(&step.recoverer.name()) {
                names.push(step.recoverer.name());
            }
            for gate in &step.failed {
                if !gates.contains(&gate.name()) {
                    gates.push(gate.name());
                }
            }
        }
        if names.is_empty() {
            names.push(class.name());
        }
        let mut detail = format!("RepairExhausted: {}", names.join(", "));
        if !gates.is_empty() {
            detail.push_str(", gates failed: ");
            detail.push_str(&gates.join(", "));
        }
        Self {
            detail: Some(detail),
            hint: (!hint.is_empty()).then_some(hint),
        }
    }

    /// Of a repair that is not certain: the statement itself, where it is short, so that it can be
    /// sent as it stands.
    pub fn likely(change: &str, text: &str) -> Self {
        let mut change = fit(&[format!("A likely repair: {change}.")]);
        if change.is_empty() {
            change.push_str("A likely repair changes several places.");
        }
        let hint = match text.len() > limits::REPAIR_SHOWN_BYTES_MAX {
            true => change,
            false => format!("{change} {STATEMENT}{text}"),
        };
        Self {
            detail: None,
            hint: Some(hint),
        }
    }
}

impl fmt::Debug for RepairedStatement {
    /// Without the words.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Repaired({:?})", self.recoverers)
    }
}

impl fmt::Debug for RepairAdvice {
    /// Without the words.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Advice(..)")
    }
}

/// Whether a HINT ends in a whole statement: words behind it would be taken for a part of that.
pub fn holds_statement(hint: &str) -> bool {
    hint.contains(STATEMENT)
}

/// The whole statement at the end of a HINT, where there is one.
pub fn statement_of(hint: &str) -> Option<&str> {
    hint.split_once(STATEMENT).map(|(_, statement)| statement)
}

/// What stands before a whole statement.
const STATEMENT: &str = "Send this if it is what was meant: ";
