//! How a repair ends: with a text that takes the client's place, or with advice.

use super::{RecursionRisk, RepairLoop, variables};
use crate::dialect_history::DialectEvidence;
use crate::outcome::{RepairAdvice, RepairConclusion, RepairedStatement};
use crate::{AttemptOutcome, Confidence, Failure, FailureClass, RepairContext, hints, recoverers};
use dialect::source::SourceDialect;
use gate::ReadPermit;
use policy::{DialectChoice, LikelyRepairs, Recoverer, RepairMode};

impl RepairLoop<'_> {
    /// A text runs: it takes the client's place, if every step on the way may.
    pub(super) fn accept(&mut self, permit: ReadPermit<'static>) -> RepairConclusion {
        self.is_doubted |= self.is_doubtful(permit.original());
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

    /// What was learned. Where it is about another name than the one that the client is told of, or
    /// about the whole text, that is named as well.
    fn learned(&self, original: &Failure) -> Vec<String> {
        let quoted = original.message.split('"').nth(1).unwrap_or_default();
        let name = quoted.rsplit('.').next().unwrap_or_default();
        let lower = name.to_lowercase();
        let mut learned = self.advice.clone();
        let is_own = self.settings.dialect == DialectChoice::Off;
        let variable = variables::of_missing_name(self.request.text, name);
        if let Some(advice) = variable.filter(|_| !is_own) {
            return vec![advice];
        }
        if (learned.iter()).any(|advice| advice.to_lowercase().contains(&lower)) {
            return learned;
        }
        let begins = |starts: &[&str]| {
            let mut all = learned.iter();
            all.any(|advice| starts.iter().any(|start| advice.starts_with(start)))
        };
        let names_nothing = matches!(
            original.class,
            FailureClass::UndefinedTable | FailureClass::UndefinedColumn
        );
        if begins(OF_NAMES) {
            learned.insert(0, format!("{name} is not the only name that is missing."));
        } else if begins(OF_DIALECTS) && names_nothing {
            learned.insert(0, format!("PostgreSQL knows no {quoted}."));
        }
        learned
    }

    /// Gives up where more than a relation would have to be guessed, and tells of both.
    pub(super) fn give_up_guessing(
        &mut self,
        recoverer: Recoverer,
        change: &str,
        failure: &Failure,
    ) -> RepairConclusion {
        let is_told = |one: Recoverer| self.settings.mode_of(one) == RepairMode::Apply;
        let mut steps = self.steps().iter();
        let relation = steps.find(|step| step.recoverer == Recoverer::UndefinedTable);
        let relation = relation.filter(|step| is_told(step.recoverer) && is_told(recoverer));
        if let Some(step) = relation {
            let words = &step.words;
            self.advice.push(format!(
                "{words}, as it seems, and one more thing would have to be guessed: {change}."
            ));
        }
        self.give_up(failure)
    }

    /// The dialect that was named, where nothing in the client's text speaks against it.
    pub(super) fn named_source(&self, failure: &Failure) -> Option<&'static dyn SourceDialect> {
        recoverers::named_source(&self.context_of(self.request.text, failure))
    }

    /// Whether the dialect that was named may mean something else by a text that runs.
    fn is_doubtful(&self, text: &str) -> bool {
        let doubt = self.named_doubt.zip(self.original_failure.as_ref());
        doubt.is_some_and(|(source, failure)| {
            recoverers::means_other(&self.context_of(text, failure), source)
        })
    }

    /// A text as dialects look at it.
    fn context_of<'c>(&'c self, text: &'c str, failure: &'c Failure) -> RepairContext<'c> {
        RepairContext {
            text,
            tokens: &[],
            tree: None,
            resolution: None,
            failure,
            database: self.database.as_ref(),
            server_major: self.request.names.server_major().unwrap_or_default(),
            settings: self.settings,
            target_dialect: self.target_dialect,
            earlier_dialect: None,
            foreign_text: None,
        }
    }

    /// What the client's text has shown of its dialect.
    pub(super) fn evidence(&self) -> DialectEvidence {
        let mut steps = self.steps().iter();
        let is_translated = steps.any(|step| {
            step.recoverer == Recoverer::Dialect && step.outcome != AttemptOutcome::Failed
        });
        match (self.evident_dialect, is_translated) {
            (None, _) => DialectEvidence::None,
            (Some(dialect), true) => DialectEvidence::Translated(dialect),
            (Some(dialect), false) => DialectEvidence::Seen(dialect),
        }
    }

    pub(super) fn give_up(&mut self, failure: &Failure) -> RepairConclusion {
        self.is_given_up = true;
        if self.settings.mode != RepairMode::Apply {
            return RepairConclusion::Failed(RepairAdvice::default());
        }
        let original = self.original_failure.as_ref().unwrap_or(failure);
        let (text, database) = (self.request.text, self.database.as_ref());
        let learned = self.learned(original);
        let hints = hints::of_failure(&learned, original, text, database);
        RepairConclusion::Failed(RepairAdvice::exhausted(
            &self.attempts,
            failure.class,
            hints,
        ))
    }
}

/// How words about a name that does not exist begin.
const OF_NAMES: &[&str] = &["There is no column ", "Column "];

/// How words about a text of another dialect begin.
const OF_DIALECTS: &[&str] = &["This reads as "];

/// What is told of a text that a dialect may mean otherwise.
const DOUBT: &str = "a dialect that has this may mean something else by the statement";
