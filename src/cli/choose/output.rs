//! The output of `choose`: a few lines a candidate for people, one JSON object for programs.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::choose::{RankedCandidate, told};

/// Writes them for people, best first.
///
/// # Errors
/// `out` cannot be written to.
pub fn write(ranked: &[RankedCandidate], out: &mut impl Write) -> io::Result<()> {
    for (rank, one) in (1..).zip(ranked) {
        let (score, ending) = (one.score.total, one.assessment.ending.name());
        write!(
            out,
            "{rank}. candidate {}: {score} points, {ending}",
            one.number
        )?;
        if let Some(rule) = one.assessment.rule {
            write!(out, " by {rule}")?;
        }
        if let Some(code) = &one.assessment.sqlstate {
            write!(out, ", {code}")?;
        }
        if let Some(cost) = one.assessment.cost {
            write!(out, ", cost {cost}")?;
        }
        writeln!(out)?;
        let text = one.assessment.runs.as_deref().unwrap_or(&one.candidate.sql);
        writeln!(out, "     {}", text.trim().replace('\n', "\n     "))?;
        for part in &one.score.parts {
            writeln!(out, "  {:+} {}", part.points, part.reason)?;
        }
        for finding in &one.assessment.lints {
            writeln!(out, "  {}: {}", finding.rule.name(), finding.message)?;
        }
        if !one.doubles.is_empty() {
            let numbers: Vec<String> = one.doubles.iter().map(ToString::to_string).collect();
            writeln!(out, "  the same as candidate {}", numbers.join(", "))?;
        }
    }
    Ok(())
}

/// Writes one JSON object.
///
/// # Errors
/// `out` cannot be written to.
pub fn write_json(ranked: &[RankedCandidate], out: &mut impl Write) -> io::Result<()> {
    let candidates: Vec<Value> = ranked.iter().map(told::as_json).collect();
    writeln!(out, "{}", json!({ "candidates": candidates }))
}
