//! What `check --lint` prints of the lints: a few lines each for people, one list for programs.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::lint::rules::docs;
use crate::lint::{LintFinding, LintLevel};

/// Whether one of them is an error.
pub fn has_error(findings: &[LintFinding]) -> bool {
    findings
        .iter()
        .any(|finding| finding.level == LintLevel::Error)
}

/// The list of a JSON line.
pub fn as_json(findings: &[LintFinding], text: &str) -> Value {
    let each = findings.iter().map(|finding| {
        let place = finding.place_in(text);
        json!({
            "lint": finding.rule.name(),
            "level": finding.level.name(),
            "line": place.map(|(line, _)| line),
            "character": place.map(|(_, character)| character),
            "message": finding.message,
            "before": docs::before(finding.rule),
            "after": docs::after(finding.rule),
        })
    });
    each.collect()
}

/// Writes them for people: where in the whole text, how sure it is, why, and an example of the lint
/// before and after.
///
/// # Errors
/// `out` cannot be written to.
pub fn write(
    findings: &[LintFinding],
    number: usize,
    text: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    for finding in findings {
        let place = finding.place_in(text);
        let place = place.map_or_else(String::new, |(line, at)| format!(" at {line}:{at}"));
        let (level, lint) = (finding.level.name(), finding.rule.name());
        writeln!(out, "{number}{place} {level} {lint}: {}", finding.message)?;
        writeln!(out, "  before  {}", docs::before(finding.rule))?;
        writeln!(out, "  after   {}", docs::after(finding.rule))?;
    }
    Ok(())
}
