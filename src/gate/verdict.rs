//! What a judgement says.

use std::fmt;
use std::sync::Arc;

use super::{Facts, ReadPermit, Rule};
use crate::sqlstate::{self, SqlState};

/// A verdict, and what was learned on the way.
#[derive(Debug)]
pub struct Judgement<'t> {
    /// The answer.
    pub verdict: Verdict<'t>,
    /// What is known about the text, whatever the answer.
    pub facts: Arc<Facts>,
}

/// The gate's answer.
#[derive(Debug)]
pub enum Verdict<'t> {
    /// It may run.
    Permitted(ReadPermit<'t>),
    /// It may run with a value lowered: the changed text is to be judged again, and the client
    /// told.
    Clamped(Clamp),
    /// It may not run.
    Refused(Box<Refusal>),
}

/// A text in which a value was lowered to what the policy gives.
pub struct Clamp {
    /// The changed text. It is no permit: it has to be judged.
    pub text: String,
    /// What to tell the client in a NoticeResponse.
    pub notice: String,
}

/// Why a text may not run. The words go to the client and nowhere else; the rule and the code may
/// be recorded.
#[derive(Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The rule that refused.
    pub rule: Rule,
    /// The error code.
    pub sqlstate: SqlState,
    /// What happened.
    pub message: String,
    /// `rule: …`, and what it was about.
    pub detail: String,
    /// What would be accepted.
    pub hint: String,
    /// Where in the text, in characters from 1, where that is known.
    pub position: Option<u32>,
}

impl Refusal {
    /// A refusal by a rule.
    pub(super) fn new(rule: Rule, sqlstate: SqlState, message: &str, hint: &str) -> Box<Self> {
        Box::new(Self {
            rule,
            sqlstate,
            message: message.to_owned(),
            detail: format!("rule: {}", rule.name()),
            hint: hint.to_owned(),
            position: None,
        })
    }

    /// The same, with what it is about in its DETAIL: names of objects, never values.
    pub(super) fn about(mut self: Box<Self>, what: fmt::Arguments<'_>) -> Box<Self> {
        self.detail = format!("rule: {} ({what})", self.rule.name());
        self
    }

    /// For the FunctionCall message, which calls a function by its number and never meets the
    /// parser.
    pub fn of_function_call() -> Box<Self> {
        Self::new(
            Rule::FunctionCall,
            sqlstate::FEATURE_NOT_SUPPORTED,
            "function calls outside of SQL are not carried",
            "Call the function in a SELECT.",
        )
    }
}

impl fmt::Debug for Clamp {
    /// Without the text.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Clamp(…)")
    }
}

impl fmt::Debug for Refusal {
    /// Without the words: they may quote the statement.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Refusal({} {})", self.rule.name(), self.sqlstate)
    }
}
