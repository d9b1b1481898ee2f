//! What becomes of one candidate: judged, repaired by the loop that repairs statements of sessions,
//! compiled, linted, and asked for its plan.

use std::borrow::Cow;

use tokio::time::Instant;

use super::candidate::Candidate;
use super::session::ChoiceSession;
use super::statement_shape::StatementShape;
use crate::gate::{ParameterTypes, ReadPermit, SessionNames, Verdict};
use crate::limits::choice::CANDIDATE_TIME_MAX;
use crate::lint::LintFinding;
use crate::offline::lints::SessionLints;
use crate::offline::script_session::certain_path;
use crate::repair::{
    self, Attempt, AttemptOutcome, CompileError, Confidence, RepairConclusion, RepairRequest,
    StatementCompiler,
};
use crate::upstream::compile_pool::CompileRun;
use crate::upstream::read_session::ReadError;

crate::words::words! {
    /// What becomes of a candidate.
    CandidateEnding {
        /// It runs as it is.
        Runs => "runs",
        /// Another text runs in its place.
        Repaired => "repaired",
        /// The server does not take it.
        Fails => "fails",
        /// It is no single query.
        NoQuery => "no_query",
        /// The gate or the policy refuses it: no server has seen it.
        Refused => "refused",
        /// It took longer than it may.
        TimedOut => "timed_out",
        /// The database could not be asked.
        Unasked => "unasked",
    }
}

/// What is known of a candidate.
pub struct CandidateAssessment {
    /// What becomes of it.
    pub ending: CandidateEnding,
    /// The text that runs, where one does.
    pub runs: Option<String>,
    /// How sure the repair is, where it was repaired.
    pub repair: Option<Confidence>,
    /// The code of the error that is left.
    pub sqlstate: Option<String>,
    /// The rule that refuses it.
    pub rule: Option<&'static str>,
    /// What the lints say of the text that runs.
    pub lints: Vec<LintFinding>,
    /// What the planner expects it to cost.
    pub cost: Option<f64>,
    /// What the text that runs does.
    pub(super) shape: Option<StatementShape>,
}

impl CandidateAssessment {
    fn ended(ending: CandidateEnding) -> Self {
        Self {
            ending,
            runs: None,
            repair: None,
            sqlstate: None,
            rule: None,
            lints: Vec::new(),
            cost: None,
            shape: None,
        }
    }

    /// One that took too long.
    pub(super) fn timed_out() -> Self {
        Self::ended(CandidateEnding::TimedOut)
    }

    fn failed(sqlstate: Option<String>) -> Self {
        Self {
            sqlstate,
            ..Self::ended(CandidateEnding::Fails)
        }
    }

    /// Whether the server takes it.
    pub fn compiles(&self) -> bool {
        matches!(
            self.ending,
            CandidateEnding::Runs | CandidateEnding::Repaired
        )
    }
}

/// Looks at a candidate. To be called on a thread that may wait.
pub(super) fn assess(session: &ChoiceSession, candidate: &Candidate) -> CandidateAssessment {
    let deadline = Instant::now() + CANDIDATE_TIME_MAX;
    let script = session.script();
    let names = script.names();
    let Some(path) = certain_path(names) else {
        return CandidateAssessment::ended(CandidateEnding::Unasked);
    };
    let judgement = session.gate().judge(Cow::Borrowed(&candidate.sql), names);
    let mut compiler = FirstFault {
        run: session.compile_pool.run(&path),
        fault: None,
        is_unavailable: false,
    };
    let request = RepairRequest {
        user: &session.who.user,
        gate: session.gate(),
        names,
        parameters: &ParameterTypes::none_given(),
        text: &candidate.sql,
        failure: None,
        earlier_dialect: candidate.dialect,
    };
    let outcome = repair::repair_statement(&request, &mut compiler);
    let (permit, repair) = match (outcome.ending, judgement.verdict) {
        (RepairConclusion::NotNeeded, Verdict::Permitted(permit)) => (permit, None),
        (RepairConclusion::Repaired(repaired), _) => match repaired.permit.current(names.basis()) {
            Ok(permit) => (permit, Some(least_sure(&outcome.attempts))),
            Err(_) => return CandidateAssessment::ended(CandidateEnding::Unasked),
        },
        (RepairConclusion::NotNeeded | RepairConclusion::Failed(_), Verdict::Refused(refusal)) => {
            return CandidateAssessment {
                sqlstate: Some(refusal.sqlstate.as_str().to_owned()),
                rule: Some(refusal.rule.name()),
                ..CandidateAssessment::ended(CandidateEnding::Refused)
            };
        }
        (_, Verdict::Clamped(_)) => return CandidateAssessment::ended(CandidateEnding::NoQuery),
        (RepairConclusion::Failed(_), Verdict::Permitted(permit)) => {
            return match (compiler.fault, compiler.is_unavailable) {
                (Some(code), _) => CandidateAssessment::failed(Some(code)),
                (None, true) => CandidateAssessment::ended(CandidateEnding::Unasked),
                (None, false) if !is_query(&permit) => {
                    CandidateAssessment::ended(CandidateEnding::NoQuery)
                }
                (None, false) => CandidateAssessment::failed(None),
            };
        }
    };
    if !is_query(&permit) {
        return CandidateAssessment::ended(CandidateEnding::NoQuery);
    }
    of_permitted(session, &permit, repair, (names, &path), deadline)
}

/// What is known of a text that is permitted and compiles.
fn of_permitted(
    session: &ChoiceSession,
    permit: &ReadPermit<'_>,
    repair: Option<Confidence>,
    (names, path): (&SessionNames, &[Box<str>]),
    deadline: Instant,
) -> CandidateAssessment {
    let cost = match plan_cost(session, permit, (names, path), deadline) {
        Ok(cost) => cost,
        Err(failed) => return *failed,
    };
    let text = permit.original();
    let ruling = session.judge.judge(text, &mut session.script());
    let lints = SessionLints {
        world: &session.world,
        facts: &session.facts,
    };
    CandidateAssessment {
        runs: Some(text.to_owned()),
        repair,
        lints: lints.of(text, &ruling, names),
        cost,
        shape: StatementShape::of(text),
        ..CandidateAssessment::ended(match repair {
            None => CandidateEnding::Runs,
            Some(_) => CandidateEnding::Repaired,
        })
    }
}

/// What the planner expects a text to cost; none where nobody can say.
fn plan_cost(
    session: &ChoiceSession,
    permit: &ReadPermit<'_>,
    (names, path): (&SessionNames, &[Box<str>]),
    deadline: Instant,
) -> Result<Option<f64>, Box<CandidateAssessment>> {
    let Ok(plans) = session.gate().plans_of(permit, names) else {
        return Ok(None);
    };
    let Some(question) = plans.questions.into_iter().next() else {
        return Ok(None);
    };
    let answered = session.runtime.block_on(async {
        let mut reading = session.open(deadline).await.ok()?;
        Some(reading.rows(&question.permit, path, deadline).await)
    });
    match answered {
        Some(Ok(rows)) => {
            let mut cells = rows.rows.into_iter().flatten().flatten();
            Ok(cells.next().and_then(|plan| cost_of(&plan)))
        }
        // EXPLAIN asks for the role's rights, which compiling does not.
        Some(Err(ReadError::Failed(code))) => {
            Err(Box::new(CandidateAssessment::failed(Some(code.into()))))
        }
        Some(Err(ReadError::Lost(_))) | None => Err(Box::new(CandidateAssessment::ended(
            CandidateEnding::Unasked,
        ))),
        Some(Err(ReadError::Unsaid(_) | ReadError::Unreadable)) => Ok(None),
    }
}

fn cost_of(plan: &str) -> Option<f64> {
    let plan: serde_json::Value = serde_json::from_str(plan).ok()?;
    plan.pointer("/0/Plan/Total Cost")?.as_f64()
}

fn is_query(permit: &ReadPermit<'_>) -> bool {
    permit.facts().kind.is_query() && permit.facts().statements == 1
}

/// How sure the least sure step was of those that were applied.
fn least_sure(attempts: &[Attempt]) -> Confidence {
    let applied = attempts
        .iter()
        .filter(|one| one.outcome == AttemptOutcome::Applied);
    let sure = applied.map(|attempt| attempt.confidence).max();
    sure.unwrap_or(Confidence::Exact)
}

/// Hears what the server says of the first text, which is the candidate's own.
struct FirstFault {
    run: CompileRun,
    fault: Option<String>,
    is_unavailable: bool,
}

impl StatementCompiler for FirstFault {
    fn compile(
        &mut self,
        permit: &ReadPermit<'_>,
        parameters: &ParameterTypes,
    ) -> Result<(), CompileError> {
        let compiled = self.run.compile(permit, parameters);
        match &compiled {
            Ok(()) => {}
            Err(CompileError::Unavailable) => self.is_unavailable = true,
            Err(CompileError::Failed { sqlstate, .. }) => {
                self.fault.get_or_insert_with(|| sqlstate.clone());
            }
        }
        compiled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_of_a_plan_is_read() {
        let plan = "[{\"Plan\": {\"Node Type\": \"Result\", \"Total Cost\": 12.5}}]";
        assert_eq!(cost_of(plan), Some(12.5));
        for other in ["", "[]", "{}", "[{\"Plan\": {}}]"] {
            assert_eq!(cost_of(other), None, "{other}");
        }
    }
}
