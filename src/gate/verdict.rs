//! What a judgement says.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::{BackendSignal, Facts, OffsetMap, ReadPermit, Rule};
use ground::limits;
use ground::sqlstate::SqlState;

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
    /// Another text may run in its place, with a value lowered or with what a metric stands for:
    /// that is to be judged again, and the client told of what was lowered.
    Clamped(ClampedText),
    /// It may not run.
    Refused(Box<Refusal>),
}

/// A text in which a value was lowered to what the policy gives, a call taken out, or a metric put
/// in.
pub struct ClampedText {
    /// The changed text. It is no permit: it has to be judged.
    pub text: String,
    /// What to tell the client in a NoticeResponse; none where it did not ask for the value itself.
    pub notice: Option<String>,
    /// Where what runs stands otherwise than in the text before.
    pub offsets: Option<OffsetMap>,
    /// The call that was taken out of it, for pgsieve to carry out.
    pub signal: Option<Box<BackendSignal>>,
    /// Which of its statements, from 0, are LISTEN in the text before.
    pub listens: Vec<u32>,
    /// Whether anything of it was taken from the client: where only metrics were put in, nothing.
    pub is_lowered: bool,
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
    /// The same in words that are pgsieve's own to the last letter: what may be recorded.
    pub fixed_hint: &'static str,
    /// Where in the text, in characters from 1, where that is known.
    pub position: Option<u32>,
    /// What it is about, as the catalog or the server itself calls it and never as the client does:
    /// `relation shop.orders`. It may be recorded where names are.
    pub subject: Option<Box<str>>,
}

impl Refusal {
    /// A refusal by a rule, with the code of its row. A hint that is put together may name what the
    /// client or the database named: what is recorded in its place says the same in general.
    pub(super) fn new(rule: Rule, message: &str, hint: impl Into<Cow<'static, str>>) -> Box<Self> {
        let hint = hint.into();
        let fixed_hint = match &hint {
            Cow::Borrowed(fixed) => *fixed,
            Cow::Owned(_) => in_general(rule),
        };
        Box::new(Self {
            rule,
            sqlstate: rule.sqlstate(),
            message: message.to_owned(),
            detail: format!("rule: {}", rule.name()),
            hint: hint.into_owned(),
            fixed_hint,
            position: None,
            subject: None,
        })
    }

    /// The same, with another code than that of the rule's row.
    pub(super) fn with_sqlstate(mut self: Box<Self>, sqlstate: SqlState) -> Box<Self> {
        self.sqlstate = sqlstate;
        self
    }

    /// The same, with the name of what it is about.
    pub(super) fn of(mut self: Box<Self>, subject: Option<String>) -> Box<Self> {
        let subject = subject.filter(|name| name.len() <= limits::SUBJECT_BYTES_MAX);
        self.subject = subject.map(String::into_boxed_str);
        self
    }

    /// Whether it is about a metric of the policy, whose columns no catalog knows.
    pub fn is_of_metric(&self) -> bool {
        let subject = self.subject.as_deref().unwrap_or_default();
        subject.starts_with(METRIC_SUBJECT)
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
            "function calls outside of SQL are not supported",
            "Call the function in a SELECT.",
        )
    }
}

/// What the subject of a refusal begins with that is about a metric.
pub(super) const METRIC_SUBJECT: &str = "metric ";

/// What a hint of a rule comes to, whatever it was about.
fn in_general(rule: Rule) -> &'static str {
    match rule {
        Rule::ColumnDenied => "Name the columns that may be read; the client was told which.",
        Rule::Settings | Rule::SettingDenied | Rule::SetConfig | Rule::StartupParameter => {
            "Give the setting a value that the policy accepts; the client was told which."
        }
        _ => "The client was told what would be accepted.",
    }
}

impl fmt::Debug for ClampedText {
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
