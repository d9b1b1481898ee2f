//! How a repair ends: with a text that takes the client's place, or with advice.

use super::{RecursionRisk, RepairLoop};
use crate::outcome::{RepairAdvice, RepairConclusion, RepairedStatement};
use crate::{AttemptOutcome, Confidence, Failure, hints};
use gate::ReadPermit;
use policy::{LikelyRepairs, Recoverer, RepairMode};

impl RepairLoop<'_> {
    /// A text runs: it takes the client's place, if every step on the way may.
    pub(super) fn accept(&mut self, permit: ReadPermit<'static>) -> RepairConclusion {
        let observed = self
            .steps()
            .iter()
            .any(|step| self.settings.mode_of(step.recoverer) != RepairMode::Apply);
        let only_likely = self.recursion == RecursionRisk::MayNotEnd
            || self.settings.likely == LikelyRepairs::Hint
                && (self.is_doubted
                    || (self.steps().iter()).any(|step| step.confidence != Confidence::Exact));
        let outcome = match (observed, only_likely) {
            (true, _) => AttemptOutcome::Observed,
            (false, true) => AttemptOutcome::Hinted,
            (false, false) => AttemptOutcome::Applied,
        };
        let begin = self.abandoned.unwrap_or(0);
        for step in self.attempts.iter_mut().skip(begin) {
            step.outcome = outcome;
            if self.is_doubted {
                step.confidence = Confidence::Likely;
            }
        }
        if self.is_doubted {
            self.changes.push(DOUBT.to_owned());
        }
        let detail = self.changes.join("; ");
        match outcome {
            AttemptOutcome::Applied => {
                let mut recoverers: Vec<Recoverer> = Vec::new();
                for step in self.steps() {
                    if !recoverers.contains(&step.recoverer) {
                        recoverers.push(step.recoverer);
                    }
                }
                RepairConclusion::Repaired(RepairedStatement {
                    permit: permit.wait(),
                    recoverers,
                    detail,
                })
            }
            AttemptOutcome::Hinted => {
                RepairConclusion::Failed(RepairAdvice::likely(&detail, permit.original()))
            }
            AttemptOutcome::Observed | AttemptOutcome::Failed => {
                RepairConclusion::Failed(RepairAdvice::default())
            }
        }
    }

    pub(super) fn give_up(&mut self, failure: &Failure) -> RepairConclusion {
        self.is_given_up = true;
        if self.settings.mode != RepairMode::Apply {
            return RepairConclusion::Failed(RepairAdvice::default());
        }
        let original = self.original_failure.as_ref().unwrap_or(failure);
        let (text, database) = (self.request.text, self.database.as_ref());
        let hints = hints::of_failure(&self.advice, original, text, database);
        RepairConclusion::Failed(RepairAdvice::exhausted(
            &self.attempts,
            failure.class,
            hints,
        ))
    }
}

/// What is told of a text that a dialect may mean otherwise.
const DOUBT: &str = "a dialect that has this may mean something else by the statement";
