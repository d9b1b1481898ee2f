//! The loop: preprocess, judge, ask the server whether it would run; where not, the first recoverer
//! that answers, and again.
//!
//! It ends with a text that runs, or with advice about the failure that the client's own text met.
//! Nothing in it executes anything: the server is asked by Parse alone, with permits.

use std::borrow::Cow;

use crate::gate::{Facts, Gate, Judgement, Parameters, ReadPermit, Refusal, SessionNames, Verdict};
use crate::limits;
use crate::policy::{Dialect, LikelyRepairs, Recoverer, RepairMode, RepairSettings};
use crate::repair::answer::Rewritten;
use crate::repair::context::tokens_of;
use crate::repair::outcome::{Advice, Ending, Outcome, Repaired};
use crate::repair::preprocessors::{Unwrapped, quote_identifiers, unwrap};
use crate::repair::{
    Answer, Attempt, AttemptOutcome, Confidence, Database, Failure, Hint, Origin, Repair, Scene,
    allowed_changes, recoverers, recursive_cte,
};
use crate::sql::fingerprint::Fingerprint;
use crate::sql::{prescan, tree};

/// Where texts are compiled.
pub trait Run {
    /// Asks the server whether it would run the permit's text: Parse, never Execute.
    fn compile(
        &mut self,
        permit: &ReadPermit<'_>,
        parameters: &Parameters,
    ) -> Result<(), Uncompiled>;

    /// One more step is done, for those who count the time.
    fn stepped(&mut self) {}
}

/// Why a text did not compile.
pub enum Uncompiled {
    /// The server says that it would fail.
    Failed {
        /// The error's code.
        sqlstate: String,
        /// The error's words.
        message: String,
        /// The error's HINT.
        hint: Option<String>,
        /// The error's place, in characters from 1.
        position: Option<u32>,
    },
    /// The server cannot be asked.
    Unavailable,
}

/// A statement to rescue.
pub struct Request<'r> {
    /// The judge, under the session's policy.
    pub gate: &'r Gate,
    /// What the session's names mean. Its snapshot has to be in sight.
    pub names: &'r SessionNames,
    /// The types of parameters, as the client gave them.
    pub parameters: &'r Parameters,
    /// The client's text.
    pub text: &'r str,
    /// Why it failed; none where it may fail and the server is to be asked first.
    pub failure: Option<Failure>,
}

/// Tries to find a text that runs.
pub fn rescue(request: &Request<'_>, run: &mut dyn Run) -> Outcome {
    let mut course = Course::new(request);
    let ending = match course.first_failure(run) {
        First::Runs => Ending::Unneeded,
        First::Beyond => Ending::Failed(Advice::default()),
        First::Failure(failure) => course.pursue(failure, run),
    };
    Outcome {
        ending,
        attempts: course.attempts,
    }
}

/// What the client's own text comes to.
enum First {
    Runs,
    /// It fails in a way that nothing is done about, or the server cannot be asked.
    Beyond,
    Failure(Failure),
}

/// One rescue under way.
struct Course<'r> {
    request: &'r Request<'r>,
    settings: &'r RepairSettings,
    database: Option<Database<'r>>,
    /// What is known of the client's own text, where the gate permits it.
    original: Option<std::sync::Arc<Facts>>,
    target_dialect: Option<Dialect>,
    tried: Vec<String>,
    certainty: Certainty,
    changes: Vec<String>,
    advice: Vec<String>,
    attempts: Vec<Attempt>,
}

/// Whether a changed text may run where its steps may.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Certainty {
    OfItsSteps,
    /// It may not end: somebody has to look at it.
    MayNotEnd,
}

/// What became of a changed text.
enum Tried {
    Runs(ReadPermit<'static>),
    Fails(Failure),
    /// It is refused for what it would do, fails in a way that nothing is done about, or is wider
    /// than what the client sent.
    Ends,
}

impl<'r> Course<'r> {
    fn new(request: &'r Request<'r>) -> Self {
        Self {
            request,
            settings: request.gate.policy().repair(),
            database: Database::of(request.names, request.parameters),
            original: None,
            target_dialect: None,
            tried: vec![request.text.to_owned()],
            certainty: Certainty::OfItsSteps,
            changes: Vec::new(),
            advice: Vec::new(),
            attempts: Vec::new(),
        }
    }

    fn first_failure(&mut self, run: &mut dyn Run) -> First {
        let text = self.request.text;
        if self.settings.mode == RepairMode::Off || text.len() > limits::REPAIR_BYTES_MAX {
            return First::Beyond;
        }
        let judgement = self.judge(text);
        match judgement.verdict {
            Verdict::Permitted(permit) => {
                self.original = Some(judgement.facts);
                if let Some(failure) = self.request.failure.clone() {
                    return First::Failure(failure);
                }
                match run.compile(&permit, self.request.parameters) {
                    Ok(()) => First::Runs,
                    Err(uncompiled) => match uncompiled.failure(text) {
                        Some(failure) => First::Failure(failure),
                        None => First::Beyond,
                    },
                }
            }
            Verdict::Clamped(_) => First::Beyond,
            Verdict::Refused(refusal) => match failure_of(&refusal, text) {
                Some(failure) => First::Failure(failure),
                None => First::Beyond,
            },
        }
    }

    /// Changes the text until it runs, or nobody knows further.
    fn pursue(&mut self, mut failure: Failure, run: &mut dyn Run) -> Ending {
        let mut text: Cow<'_, str> = Cow::Borrowed(self.request.text);
        let mut attempts_left = self.settings.attempts_max;
        // Preprocessors do not count as attempts, and each changes a text at most once.
        for _ in 0..limits::REPAIR_ROUNDS_MAX {
            let Some((recoverer, repair)) = self.answer(&text, &failure) else {
                return self.give_up(&failure);
            };
            if !allowed_changes::is_preprocessor(recoverer) {
                match attempts_left.checked_sub(1) {
                    Some(left) => attempts_left = left,
                    None => return self.give_up(&failure),
                }
            }
            let Repair {
                confidence,
                rewritten,
                change,
            } = repair;
            if confidence != Confidence::Exact && self.guessed_a_relation() {
                return self.give_up(&failure);
            }
            let changed = match rewritten.text(&text) {
                Ok(changed) if !self.tried.contains(&changed) => changed,
                Ok(_) | Err(_) => return self.give_up(&failure),
            };
            if recoverer != Recoverer::Unwrap && !allowed_changes::keeps_parameters(&text, &changed)
            {
                return self.give_up(&failure);
            }
            if !allowed_changes::only_spells(recoverer)
                && recursive_cte::is_changed(&text, &changed)
            {
                self.certainty = Certainty::MayNotEnd;
            }
            self.tried.push(changed.clone());
            self.changes.push(change.clone());
            let (tried, after) = self.try_text(&changed, run);
            let before = self.fingerprint(&text);
            self.attempts.push(Attempt {
                recoverer,
                confidence,
                outcome: AttemptOutcome::Failed,
                failed: Vec::new(),
                before,
                after,
                text: Some(changed.clone()),
                words: change,
            });
            run.stepped();
            match tried {
                Tried::Runs(permit) => return self.arrive(permit),
                Tried::Ends => return self.give_up(&failure),
                Tried::Fails(next) => failure = next,
            }
            text = Cow::Owned(changed);
        }
        self.give_up(&failure)
    }

    /// Whether a relation was put in the place of another that is not certain: what is then guessed
    /// of its columns would be a guess upon a guess.
    fn guessed_a_relation(&self) -> bool {
        self.attempts.iter().any(|step| {
            step.recoverer == Recoverer::UndefinedTable && step.confidence != Confidence::Exact
        })
    }

    /// The first answer to a failure: preprocessors first, then recoverers in their order.
    fn answer(&mut self, text: &str, failure: &Failure) -> Option<(Recoverer, Repair)> {
        if failure.origin == Origin::Gate
            && let Some(found) = self.unwrap(text)
        {
            return Some(found);
        }
        let tokens = tokens_of(text);
        let tree = prescan::prescan(text, limits::REPAIR_BYTES_MAX)
            .ok()
            .and_then(|()| tree::parse(text).ok());
        let mut hints: Vec<(Recoverer, Hint)> = Vec::new();
        let found = {
            let database = self.database.as_ref();
            let resolution = database
                .zip(tree.as_ref())
                .and_then(|(database, tree)| database.resolve(tree));
            let scene = Scene {
                text,
                tokens: &tokens,
                tree: tree.as_ref(),
                resolution: resolution.as_ref(),
                failure,
                database,
                server_major: self.request.names.server_major().unwrap_or_default(),
                settings: self.settings,
                target_dialect: self.target_dialect,
            };
            let quoting = [Recoverer::QuoteIdentifiers];
            let order = quoting.iter().chain(recoverers::of(failure.class));
            let mut found = None;
            for recoverer in order.copied() {
                // What is translated is Postgres's: read as a foreign text again, it would change.
                let is_done = recoverer == Recoverer::Dialect && self.is_translated();
                if is_done || self.settings.mode_of(recoverer) == RepairMode::Off {
                    continue;
                }
                let answer = match recoverer {
                    Recoverer::QuoteIdentifiers => quote_identifiers::look(&scene),
                    _ => recoverers::ask(recoverer, &scene),
                };
                match answer {
                    Answer::Repaired(repair) => {
                        found = Some((recoverer, repair));
                        break;
                    }
                    Answer::Hinted(hint) => hints.push((recoverer, hint)),
                    Answer::Silent => {}
                }
                // A text that is foreign and cannot be translated is not mended word by word.
                if recoverer == Recoverer::Dialect && !hints.is_empty() {
                    break;
                }
            }
            found
        };
        if found.is_none() {
            self.take_hints(text, hints);
        }
        found
    }

    fn is_translated(&self) -> bool {
        let mut steps = self.attempts.iter();
        steps.any(|step| step.recoverer == Recoverer::Dialect)
    }

    fn unwrap(&mut self, text: &str) -> Option<(Recoverer, Repair)> {
        if self.settings.mode_of(Recoverer::Unwrap) == RepairMode::Off {
            return None;
        }
        match unwrap::look(text) {
            Unwrapped::Bare => None,
            Unwrapped::Statement {
                text,
                target_dialect,
                change,
            } => {
                self.target_dialect = target_dialect.or(self.target_dialect);
                let repair = Repair {
                    confidence: Confidence::Exact,
                    rewritten: Rewritten::Text(text),
                    change,
                };
                Some((Recoverer::Unwrap, repair))
            }
            Unwrapped::Nothing { advice } => {
                if self.settings.mode_of(Recoverer::Unwrap) == RepairMode::Apply {
                    self.advice.push(advice);
                }
                None
            }
        }
    }

    fn take_hints(&mut self, text: &str, hints: Vec<(Recoverer, Hint)>) {
        for (recoverer, hint) in hints {
            let before = self.fingerprint(text);
            let is_told = self.settings.mode_of(recoverer) == RepairMode::Apply;
            self.attempts.push(Attempt {
                recoverer,
                confidence: Confidence::Guess,
                outcome: match is_told {
                    true => AttemptOutcome::Hinted,
                    false => AttemptOutcome::Observed,
                },
                failed: hint.failed,
                before,
                after: None,
                text: None,
                words: hint.advice.clone(),
            });
            if is_told {
                self.advice.push(hint.advice);
            }
        }
    }

    /// Judges a changed text, and asks the server about it.
    fn try_text(&self, text: &str, run: &mut dyn Run) -> (Tried, Option<Fingerprint>) {
        let Judgement { verdict, facts } = self.judge_owned(text);
        let after = facts.fingerprint;
        let tried = match verdict {
            Verdict::Clamped(_) => Tried::Ends,
            Verdict::Refused(refusal) => match failure_of(&refusal, text) {
                Some(failure) => Tried::Fails(failure),
                None => Tried::Ends,
            },
            Verdict::Permitted(_) if !self.is_no_wider(&facts) => Tried::Ends,
            Verdict::Permitted(permit) => match run.compile(&permit, self.request.parameters) {
                Ok(()) => Tried::Runs(permit),
                Err(uncompiled) => match uncompiled.failure(text) {
                    Some(failure) => Tried::Fails(failure),
                    None => Tried::Ends,
                },
            },
        };
        (tried, after)
    }

    /// Whether a changed text does no more than the client's: it is one statement of the same kind,
    /// a plain read where the client's could not be judged, and leaves no more behind in the
    /// session.
    fn is_no_wider(&self, facts: &Facts) -> bool {
        let same_kind = match &self.original {
            Some(original) => {
                original.kind == facts.kind && original.effects.len() == facts.effects.len()
            }
            None => facts.kind.is_query() && facts.effects.is_empty(),
        };
        facts.statements == 1 && same_kind
    }

    /// A text runs: it takes the client's place, if every step on the way may.
    fn arrive(&mut self, permit: ReadPermit<'static>) -> Ending {
        let observed = self
            .attempts
            .iter()
            .any(|step| self.settings.mode_of(step.recoverer) != RepairMode::Apply);
        let only_likely = self.certainty == Certainty::MayNotEnd
            || self.settings.likely == LikelyRepairs::Hint
                && (self.attempts.iter()).any(|step| step.confidence != Confidence::Exact);
        let outcome = match (observed, only_likely) {
            (true, _) => AttemptOutcome::Observed,
            (false, true) => AttemptOutcome::Hinted,
            (false, false) => AttemptOutcome::Applied,
        };
        for step in &mut self.attempts {
            step.outcome = outcome;
        }
        let detail = self.changes.join("; ");
        match outcome {
            AttemptOutcome::Applied => {
                let mut recoverers: Vec<Recoverer> = Vec::new();
                for step in &self.attempts {
                    if !recoverers.contains(&step.recoverer) {
                        recoverers.push(step.recoverer);
                    }
                }
                Ending::Repaired(Repaired {
                    permit,
                    recoverers,
                    detail,
                })
            }
            AttemptOutcome::Hinted => Ending::Failed(Advice::likely(&detail, permit.original())),
            AttemptOutcome::Observed | AttemptOutcome::Failed => Ending::Failed(Advice::default()),
        }
    }

    fn give_up(&mut self, failure: &Failure) -> Ending {
        if self.settings.mode != RepairMode::Apply {
            return Ending::Failed(Advice::default());
        }
        let hints = self.advice.join(" ");
        Ending::Failed(Advice::exhausted(&self.attempts, failure.class, hints))
    }

    fn judge<'t>(&self, text: &'t str) -> Judgement<'t> {
        let text = Cow::Borrowed(text);
        let request = self.request;
        (request.gate).judge_with(text, request.parameters, request.names)
    }

    fn judge_owned(&self, text: &str) -> Judgement<'static> {
        let text = Cow::Owned(text.to_owned());
        let request = self.request;
        (request.gate).judge_with(text, request.parameters, request.names)
    }

    fn fingerprint(&self, text: &str) -> Option<Fingerprint> {
        self.judge(text).facts.fingerprint
    }
}

impl Uncompiled {
    fn failure(self, text: &str) -> Option<Failure> {
        match self {
            Self::Unavailable => None,
            Self::Failed {
                sqlstate,
                message,
                hint,
                position,
            } => {
                let told = Failure::told(text, &sqlstate, &message, position, Origin::Server);
                told.map(|failure| Failure { hint, ..failure })
            }
        }
    }
}

/// What a refusal says about a text that could be mended; none for one of what the text would do.
pub fn failure_of(refusal: &Refusal, text: &str) -> Option<Failure> {
    Failure::told(
        text,
        refusal.sqlstate.as_str(),
        &refusal.message,
        refusal.position,
        Origin::Gate,
    )
}
