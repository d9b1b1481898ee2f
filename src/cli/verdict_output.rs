//! The output of `check`: a table for people, JSON lines for programs. Neither holds SQL.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::gate::{Judgement, Verdict};
use crate::offline::judge::TextRuling;

/// What is shown of a judgement.
#[derive(Debug, PartialEq, Eq)]
pub struct ShownVerdict {
    /// Whether it would run.
    pub allowed: bool,
    /// The rule that refused it, or `clamped` when it would run with a value lowered.
    pub rule: Option<&'static str>,
    /// The code of the error that a client would get.
    pub sqlstate: Option<&'static str>,
    /// The kind of statement.
    pub kind: &'static str,
    /// Its fingerprint.
    pub fingerprint: String,
    /// What would be accepted.
    pub hint: Option<String>,
}

/// A row of the table.
pub struct VerdictRow {
    /// The number of the statement, counted from one.
    pub number: usize,
    /// The line it begins on.
    pub line: usize,
    /// What became of it.
    pub shown: ShownVerdict,
}

impl ShownVerdict {
    /// Takes what may be shown.
    pub fn of(judgement: &Judgement<'_>) -> Self {
        let facts = &judgement.facts;
        let (allowed, rule, sqlstate, hint) = match &judgement.verdict {
            Verdict::Permitted(_) => (true, None, None, None),
            Verdict::Clamped(clamp) => (true, clamp.is_lowered.then_some("clamped"), None, None),
            Verdict::Refused(refusal) => (
                false,
                Some(refusal.rule.name()),
                Some(refusal.sqlstate.as_str()),
                Some(refusal.hint.clone()).filter(|hint| !hint.is_empty()),
            ),
        };
        let kind = facts.kind.name();
        let fingerprint = facts
            .fingerprint
            .map(|name| name.to_string())
            .unwrap_or_default();
        Self {
            allowed,
            rule,
            sqlstate,
            kind,
            fingerprint,
            hint,
        }
    }

    /// The same of a message of a session.
    pub fn of_ruling(ruling: &TextRuling) -> Self {
        let refusal = ruling.answer.refusal();
        let lowered = ruling.is_lowered.then_some("clamped");
        let hint = refusal.map(|refusal| refusal.hint.clone());
        let fingerprint = ruling.facts.fingerprint.map(|name| name.to_string());
        Self {
            allowed: refusal.is_none(),
            rule: refusal.map_or(lowered, |refusal| Some(refusal.rule.name())),
            sqlstate: refusal.map(|refusal| refusal.sqlstate.as_str()),
            kind: ruling.facts.kind.name(),
            fingerprint: fingerprint.unwrap_or_default(),
            hint: hint.filter(|hint| !hint.is_empty()),
        }
    }

    /// The word for it.
    pub fn verdict(&self) -> &'static str {
        if self.allowed { "allow" } else { "refuse" }
    }

    /// The fields of its JSON line.
    pub fn fields(&self, id: &Value) -> Vec<(&'static str, Value)> {
        vec![
            ("id", id.clone()),
            ("verdict", json!(self.verdict())),
            ("rule", json!(self.rule)),
            ("sqlstate", json!(self.sqlstate)),
            ("kind", json!(self.kind)),
            ("fingerprint", json!(self.fingerprint)),
            ("hint", json!(self.hint)),
        ]
    }
}

/// Writes one JSON object on a line, its fields in this order.
///
/// # Errors
/// `out` cannot be written to.
pub fn write_line(fields: &[(&'static str, Value)], out: &mut impl Write) -> io::Result<()> {
    let fields = fields.iter();
    let fields = fields.map(|(name, value)| format!("\"{name}\":{value}"));
    writeln!(out, "{{{}}}", fields.collect::<Vec<_>>().join(","))
}

/// Writes the table, its columns as wide as their widest word.
///
/// # Errors
/// `out` cannot be written to.
pub fn write_table(rows: &[VerdictRow], out: &mut impl Write) -> io::Result<()> {
    let head = [
        "#",
        "line",
        "verdict",
        "rule",
        "kind",
        "fingerprint",
        "hint",
    ]
    .map(String::from);
    let rows: Vec<[String; 7]> = std::iter::once(head)
        .chain(rows.iter().map(cells))
        .collect();
    let mut widths = [0; 7];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    for row in &rows {
        let cells = row
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:width$}"));
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

fn cells(row: &VerdictRow) -> [String; 7] {
    let VerdictRow {
        number,
        line,
        shown,
    } = row;
    [
        number.to_string(),
        line.to_string(),
        shown.verdict().into(),
        shown.rule.unwrap_or("-").into(),
        shown.kind.into(),
        shown.fingerprint.clone(),
        shown.hint.clone().unwrap_or_default(),
    ]
}
