//! What `check --lint` prints of the lints: a few lines each for people, one list for programs.

use std::io::{self, Write};

use crate::lint::rules::docs;
use crate::lint::{LintFinding, LintLevel};

/// Whether one of them is an error.
pub fn has_error(findings: &[LintFinding]) -> bool {
    findings
        .iter()
        .any(|finding| finding.level == LintLevel::Error)
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
