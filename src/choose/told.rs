//! What is told of a candidate to programs.

use serde_json::{Value, json};

use super::RankedCandidate;
use crate::offline::lints::findings_as_json;

/// A candidate with what is said of it, as an object.
pub fn as_json(one: &RankedCandidate) -> Value {
    let assessment = &one.assessment;
    let text = assessment.runs.as_deref().unwrap_or(&one.candidate.sql);
    let parts = one.score.parts.iter();
    let parts = parts.map(|part| json!({"points": part.points, "reason": part.reason}));
    json!({
        "candidate": one.number,
        "doubles": one.doubles,
        "score": one.score.total,
        "parts": parts.collect::<Vec<_>>(),
        "outcome": assessment.ending.name(),
        "rule": assessment.rule,
        "sqlstate": assessment.sqlstate,
        "repair": assessment.repair.map(|confidence| confidence.name()),
        "cost": assessment.cost,
        "votes": one.score.votes,
        "lints": findings_as_json(&assessment.lints, text),
        "sql": one.candidate.sql,
        "runs": assessment.runs,
        "assumptions": one.candidate.assumptions,
        "needs_followup": one.candidate.needs_followup,
        "confidence": one.candidate.confidence,
    })
}
