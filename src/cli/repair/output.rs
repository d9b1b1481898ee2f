//! The output of `repair`: a few lines a statement for people, one JSON line for programs.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::cli::verdict_output::{ShownVerdict, write_line};
use crate::gate::Refusal;
use crate::repair::{Attempt, NameGate};
use crate::sql::fingerprint::Fingerprint;

/// What would become of a statement.
pub struct RepairReport {
    /// What the gate says of it as it is.
    pub shown: ShownVerdict,
    /// How it ends.
    pub ended: RepairEnding,
    /// What is wrong with it as it is.
    pub before: Option<StatementFault>,
    /// The code of the error that is left.
    pub after: Option<String>,
    /// What was tried.
    pub attempts: Vec<Attempt>,
    /// What runs in its place.
    pub repaired: Option<String>,
    /// What was changed, or what to do.
    pub advice: Option<String>,
    /// How many rows it returned, where it was executed.
    pub rows: Option<u64>,
}

/// How a statement ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepairEnding {
    /// It runs as it is.
    Runs,
    /// Another text runs in its place.
    Repaired,
    /// Another text would, in another mode.
    Observed,
    /// It fails, with a repair in its HINT.
    Hinted,
    /// It fails.
    Failed,
    /// It is refused.
    Refused,
    /// The database could not be asked.
    Unasked,
}

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementFault {
    /// The error's code.
    pub sqlstate: String,
    /// The error's words: they quote the text.
    pub message: String,
}

/// Whether anything is shown that holds SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlVisibility {
    /// Texts, and words that quote them.
    Shown,
    /// Nothing of them.
    Hidden,
}

impl RepairEnding {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Repaired => "repaired",
            Self::Observed => "observed",
            Self::Hinted => "hinted",
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::Unasked => "unasked",
        }
    }

    /// Whether a client would get rows.
    pub fn is_fine(self) -> bool {
        matches!(self, Self::Runs | Self::Repaired)
    }
}

impl StatementFault {
    /// That of a refusal.
    pub fn of_gate(refusal: &Refusal) -> Self {
        Self {
            sqlstate: refusal.sqlstate.as_str().to_owned(),
            message: refusal.message.clone(),
        }
    }
}

impl RepairReport {
    /// Who changed the text that runs, each once.
    fn recoverers(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for attempt in &self.attempts {
            if !names.contains(&attempt.recoverer.name()) {
                names.push(attempt.recoverer.name());
            }
        }
        names
    }

    /// Writes one JSON line, its fields in the documented order: those of `check` first.
    ///
    /// # Errors
    /// `out` cannot be written to.
    pub fn write_line(
        &self,
        id: &Value,
        sql: SqlVisibility,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let before = self.before.as_ref();
        let mut fields = self.shown.fields(id);
        let attempts = self.attempts.iter().map(|attempt| {
            let fields = json!({
                "recoverer": attempt.recoverer.name(),
                "confidence": attempt.confidence.name(),
                "outcome": attempt.outcome.name(),
                "gates": gates(attempt),
                "before": attempt.before.map(|name| name.to_string()),
                "after": attempt.after.map(|name| name.to_string()),
            });
            match (sql, fields) {
                (SqlVisibility::Shown, Value::Object(mut fields)) => {
                    fields.insert("sql".into(), json!(attempt.text));
                    fields.insert("words".into(), json!(attempt.words));
                    Value::Object(fields)
                }
                (_, fields) => fields,
            }
        });
        fields.extend([
            ("outcome", json!(self.ended.name())),
            (
                "sqlstate_before",
                json!(before.map(|fault| &fault.sqlstate)),
            ),
            ("sqlstate_after", json!(self.after)),
            ("recoverers", json!(self.recoverers())),
            ("attempts", attempts.collect()),
            ("rows", json!(self.rows)),
        ]);
        if sql == SqlVisibility::Shown {
            fields.extend([
                ("message", json!(before.map(|fault| &fault.message))),
                ("repaired_sql", json!(self.repaired)),
                ("advice", json!(self.advice)),
            ]);
        }
        write_line(&fields, out)
    }

    /// Writes it for a person.
    ///
    /// # Errors
    /// `out` cannot be written to.
    pub fn write(
        &self,
        number: usize,
        line: usize,
        sql: SqlVisibility,
        out: &mut impl Write,
    ) -> io::Result<()> {
        write!(out, "{number} (line {line}): {}", self.ended.name())?;
        if self.ended == RepairEnding::Repaired {
            write!(out, " by {}", self.recoverers().join(", "))?;
        }
        if let Some(rows) = self.rows {
            write!(out, ", {rows} rows")?;
        }
        writeln!(out)?;
        if let Some(rule) = self.shown.rule {
            writeln!(out, "  gate    {} by {rule}", self.shown.verdict())?;
        }
        if let Some(fault) = &self.before {
            let words = quoted(&fault.message, sql);
            writeln!(out, "  before  {}{words}", fault.sqlstate)?;
        }
        for attempt in &self.attempts {
            let (recoverer, confidence) = (attempt.recoverer.name(), attempt.confidence.name());
            let outcome = attempt.outcome.name();
            write!(out, "  tried   {recoverer}: {confidence}, {outcome}")?;
            if !attempt.failed.is_empty() {
                write!(out, ", gates failed: {}", gates(attempt).join(", "))?;
            }
            let (before, after) = (shown(attempt.before), shown(attempt.after));
            writeln!(out, ", {before} -> {after}{}", quoted(&attempt.words, sql))?;
        }
        if let Some(code) = &self.after {
            writeln!(out, "  after   {code}")?;
        }
        if sql == SqlVisibility::Shown {
            if let Some(text) = &self.repaired {
                writeln!(out, "  runs    {}", indented(text))?;
            } else if let Some(advice) = &self.advice {
                writeln!(out, "  hint    {}", indented(advice))?;
            }
        }
        Ok(())
    }
}

fn gates(attempt: &Attempt) -> Vec<&'static str> {
    attempt.failed.iter().copied().map(NameGate::name).collect()
}

fn shown(fingerprint: Option<Fingerprint>) -> String {
    fingerprint.map_or_else(|| "-".to_owned(), |name| name.to_string())
}

fn quoted(words: &str, sql: SqlVisibility) -> String {
    match sql {
        SqlVisibility::Shown if !words.is_empty() => format!(": {}", indented(words)),
        SqlVisibility::Shown | SqlVisibility::Hidden => String::new(),
    }
}

/// The lines of a text under each other.
fn indented(text: &str) -> String {
    text.trim().replace('\n', "\n          ")
}
