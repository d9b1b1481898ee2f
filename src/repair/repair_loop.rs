//! The loop: preprocess, judge, ask the server whether it would run; where not, the first recoverer
//! that answers, and again.
//!
//! It ends with a text that runs, or with advice about the failure that the client's own text met.
//! Nothing in it executes anything: the server is asked by Parse alone, with permits.

mod conclusion;
mod translation;
mod variables;

use std::borrow::Cow;

use crate::answer::TextChange;
use crate::context::tokens_of;
use crate::outcome::{RepairAdvice, RepairConclusion, RepairOutcome};
use crate::preprocessors::{UnwrappedText, quote_identifiers, unwrap};
use crate::{
    Attempt, AttemptOutcome, Confidence, Failure, FailureClass, FailureOrigin, RecovererAnswer,
    Repair, RepairContext, RepairHint, SessionDatabase, StatementCompiler, allowed_changes,
    predict, recoverers, recursive_cte,
};
use dialect::source::SourceDialect;
use gate::{Facts, Gate, Judgement, ParameterTypes, ReadPermit, Refusal, SessionNames, Verdict};
use ground::limits;
use policy::{Dialect, Recoverer, RepairMode, RepairSettings};
use sql::fingerprint::Fingerprint;
use sql::{prescan, tree};

/// A statement to repair.
pub struct RepairRequest<'r> {
    /// The judge, under the session's policy.
    pub gate: &'r Gate,
    /// What the session's names mean. Its snapshot has to be in sight.
    pub names: &'r SessionNames,
    /// The types of parameters, as the client gave them.
    pub parameters: &'r ParameterTypes,
    /// The client's text.
    pub text: &'r str,
    /// Why it failed; none where it may fail and the server is to be asked first.
    pub failure: Option<Failure>,
    /// The dialect that earlier statements of the session were of.
    pub earlier_dialect: Option<Dialect>,
}

/// Tries to find a text that runs.
pub fn repair_statement(
    request: &RepairRequest<'_>,
    run: &mut dyn StatementCompiler,
) -> RepairOutcome {
    let mut repair_loop = RepairLoop::new(request);
    let ending = match repair_loop.first_failure(run) {
        OriginalTextOutcome::Runs => RepairConclusion::NotNeeded,
        OriginalTextOutcome::NotRepairable => RepairConclusion::Failed(RepairAdvice::default()),
        OriginalTextOutcome::Failure(failure) => repair_loop.repair_failure(failure, run),
    };
    RepairOutcome {
        ending,
        evidence: repair_loop.evidence(),
        attempts: repair_loop.attempts,
    }
}

/// What the client's own text comes to.
enum OriginalTextOutcome {
    Runs,
    /// It fails in a way that nothing is done about, or the server cannot be asked.
    NotRepairable,
    Failure(Failure),
}

/// One repair under way.
struct RepairLoop<'r> {
    request: &'r RepairRequest<'r>,
    settings: &'r RepairSettings,
    database: Option<SessionDatabase<'r>>,
    /// What is known of the client's own text, where the gate permits it.
    original_facts: Option<std::sync::Arc<Facts>>,
    /// Why the client's own text fails.
    original_failure: Option<Failure>,
    target_dialect: Option<Dialect>,
    /// The dialect that alone has what the client's text has.
    evident_dialect: Option<Dialect>,
    tried: Vec<String>,
    recursion: RecursionRisk,
    /// Whether the text may be of a dialect that means something else by it.
    is_doubted: bool,
    /// The dialect that was named and may mean something else by a text without its marks.
    named_doubt: Option<&'static dyn SourceDialect>,
    /// How many attempts came to nothing before the client's text was taken up again without its
    /// dialect; none where it was not.
    abandoned: Option<usize>,
    /// Whether nobody knew further.
    is_given_up: bool,
    changes: Vec<String>,
    advice: Vec<String>,
    attempts: Vec<Attempt>,
}

/// Whether a changed text may run where its steps may.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RecursionRisk {
    Unchanged,
    /// It may not end: somebody has to look at it.
    MayNotEnd,
}

/// What became of a changed text.
enum ChangedTextOutcome {
    Runs(ReadPermit<'static>),
    Fails(Failure),
    /// It is refused for what it would do, fails in a way that nothing is done about, or is wider
    /// than what the client sent.
    NotRepairable,
}

impl<'r> RepairLoop<'r> {
    fn new(request: &'r RepairRequest<'r>) -> Self {
        Self {
            request,
            settings: request.gate.policy().repair(),
            database: SessionDatabase::of(request.names, request.parameters),
            original_facts: None,
            original_failure: None,
            target_dialect: None,
            evident_dialect: None,
            tried: vec![request.text.to_owned()],
            recursion: RecursionRisk::Unchanged,
            is_doubted: false,
            named_doubt: None,
            abandoned: None,
            is_given_up: false,
            changes: Vec::new(),
            advice: Vec::new(),
            attempts: Vec::new(),
        }
    }

    fn first_failure(&mut self, run: &mut dyn StatementCompiler) -> OriginalTextOutcome {
        let text = self.request.text;
        if self.settings.mode == RepairMode::Off || text.len() > limits::REPAIR_BYTES_MAX {
            return OriginalTextOutcome::NotRepairable;
        }
        let judgement = self.judge(text);
        match judgement.verdict {
            Verdict::Permitted(permit) => {
                self.original_facts = Some(judgement.facts);
                let known = self.request.failure.clone();
                if let Some(failure) = known.or_else(|| predict::foreign_show(text)) {
                    return OriginalTextOutcome::Failure(failure);
                }
                match run.compile(&permit, self.request.parameters) {
                    Ok(()) => OriginalTextOutcome::Runs,
                    Err(uncompiled) => match uncompiled.failure(text) {
                        Some(failure) => OriginalTextOutcome::Failure(failure),
                        None => OriginalTextOutcome::NotRepairable,
                    },
                }
            }
            Verdict::Clamped(_) => OriginalTextOutcome::NotRepairable,
            Verdict::Refused(refusal) => match failure_of(&refusal, text) {
                Some(failure) => OriginalTextOutcome::Failure(failure),
                None => OriginalTextOutcome::NotRepairable,
            },
        }
    }

    /// Changes the text until it runs, or nobody knows further.
    fn repair_failure(
        &mut self,
        failure: Failure,
        run: &mut dyn StatementCompiler,
    ) -> RepairConclusion {
        let conclusion = self.repair_text(failure.clone(), run);
        // A translation of what several dialects have may fail where single repairs do not.
        let is_failed = matches!(conclusion, RepairConclusion::Failed(_));
        if is_failed && self.is_given_up && self.may_be_of_no_dialect(&failure) {
            self.abandoned = Some(self.attempts.len());
            self.named_doubt = self.named_source(&failure);
            self.is_doubted |= self.named_doubt.is_none();
            self.changes.clear();
            self.tried.truncate(1);
            let again = self.repair_text(failure, run);
            if matches!(again, RepairConclusion::Repaired(_)) || !self.is_given_up {
                return again;
            }
        }
        conclusion
    }

    fn repair_text(
        &mut self,
        mut failure: Failure,
        run: &mut dyn StatementCompiler,
    ) -> RepairConclusion {
        self.is_given_up = false;
        let mut text: Cow<'_, str> = Cow::Borrowed(self.request.text);
        self.original_failure = Some(failure.clone());
        let mut attempts_left = self.settings.attempts_max;
        // Preprocessors do not count as attempts, and each changes a text at most once.
        for _ in 0..limits::REPAIR_ROUNDS_MAX {
            let Some((recoverer, repair)) = self.sure_answer(&text, &failure) else {
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
            if confidence != Confidence::Exact && self.has_likely_relation() {
                return self.give_up_guessing(recoverer, &change, &failure);
            }
            let changed = match rewritten.text(&text) {
                Ok(changed) if !self.tried.contains(&changed) => changed,
                Ok(_) | Err(_) => return self.give_up(&failure),
            };
            if recoverer != Recoverer::Unwrap && !allowed_changes::keeps_parameters(&text, &changed)
            {
                return self.give_up(&failure);
            }
            if !allowed_changes::changes_spelling_only(recoverer)
                && recursive_cte::changes_recursive_cte(&text, &changed)
            {
                self.recursion = RecursionRisk::MayNotEnd;
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
            run.attempt_finished();
            match tried {
                ChangedTextOutcome::Runs(permit) => return self.accept(permit),
                ChangedTextOutcome::NotRepairable => return self.give_up(&failure),
                ChangedTextOutcome::Fails(next) => failure = next,
            }
            text = Cow::Owned(changed);
        }
        self.give_up(&failure)
    }

    /// Whether a relation was put in the place of another that is not certain: what is then guessed
    /// of its columns would be a guess upon a guess.
    fn has_likely_relation(&self) -> bool {
        self.steps().iter().any(|step| {
            step.recoverer == Recoverer::UndefinedTable && step.confidence != Confidence::Exact
        })
    }

    /// The first answer to a failure: preprocessors first, then recoverers in their order.
    fn first_answer(&mut self, text: &str, failure: &Failure) -> Option<(Recoverer, Repair)> {
        if failure.origin == FailureOrigin::Gate
            && let Some(found) = self.unwrap(text)
        {
            return Some(found);
        }
        let tokens = tokens_of(text);
        let tree = prescan::prescan(text, limits::REPAIR_BYTES_MAX)
            .ok()
            .and_then(|()| tree::parse(text).ok());
        let mut hints: Vec<(Recoverer, RepairHint)> = Vec::new();
        let foreign_text = self.foreign_text();
        let found = {
            let database = self.database.as_ref();
            let resolution = database
                .zip(tree.as_ref())
                .and_then(|(database, tree)| database.resolve(tree));
            let context = RepairContext {
                text,
                tokens: &tokens,
                tree: tree.as_ref(),
                resolution: resolution.as_ref(),
                failure,
                database,
                server_major: self.request.names.server_major().unwrap_or_default(),
                settings: self.settings,
                target_dialect: self.target_dialect,
                earlier_dialect: self.request.earlier_dialect,
                foreign_text: foreign_text.as_deref(),
            };
            let mut found = None;
            for recoverer in recoverers::in_order(failure.class) {
                // What is translated is Postgres's: read as a foreign text again, it would change.
                let is_done = recoverer == Recoverer::Dialect
                    && (self.is_translated() || self.abandoned.is_some());
                if is_done || self.settings.mode_of(recoverer) == RepairMode::Off {
                    continue;
                }
                if recoverer == Recoverer::Dialect && self.evident_dialect.is_none() {
                    self.evident_dialect = recoverers::evident_dialect(&context);
                }
                let answer = match recoverer {
                    Recoverer::QuoteIdentifiers => quote_identifiers::recover(&context),
                    _ => recoverers::ask(recoverer, &context),
                };
                match answer {
                    RecovererAnswer::Repaired(repair) => {
                        self.is_doubted |= failure.class == FailureClass::UndefinedFunction
                            && !self.is_translated()
                            && recoverers::is_taken_otherwise(&context);
                        found = Some((recoverer, repair));
                        break;
                    }
                    RecovererAnswer::Hinted(hint) => hints.push((recoverer, hint)),
                    RecovererAnswer::Doubted => match recoverers::named_source(&context) {
                        Some(source) => self.named_doubt = Some(source),
                        None => self.is_doubted = true,
                    },
                    RecovererAnswer::Silent => {}
                }
                // A text that is foreign and cannot be translated is not repaired word by word.
                if recoverer == Recoverer::Dialect && !hints.is_empty() {
                    break;
                }
            }
            found
        };
        if found.is_none() {
            self.record_hints(text, hints);
        }
        found
    }

    /// The attempts that lead to the present text.
    fn steps(&self) -> &[Attempt] {
        self.attempts
            .get(self.abandoned.unwrap_or(0)..)
            .unwrap_or_default()
    }

    fn unwrap(&mut self, text: &str) -> Option<(Recoverer, Repair)> {
        if self.settings.mode_of(Recoverer::Unwrap) == RepairMode::Off {
            return None;
        }
        match unwrap::unwrap_text(text) {
            UnwrappedText::Bare => None,
            UnwrappedText::Statement {
                text,
                target_dialect,
                change,
            } => {
                self.target_dialect = target_dialect.or(self.target_dialect);
                let repair = Repair {
                    confidence: Confidence::Exact,
                    rewritten: TextChange::Text(text),
                    change,
                };
                Some((Recoverer::Unwrap, repair))
            }
            UnwrappedText::Nothing { advice } => {
                if self.settings.mode_of(Recoverer::Unwrap) == RepairMode::Apply {
                    self.advice.push(advice);
                }
                None
            }
        }
    }

    fn record_hints(&mut self, text: &str, hints: Vec<(Recoverer, RepairHint)>) {
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
    fn try_text(
        &self,
        text: &str,
        run: &mut dyn StatementCompiler,
    ) -> (ChangedTextOutcome, Option<Fingerprint>) {
        let Judgement { verdict, facts } = self.judge_owned(text);
        let after = facts.fingerprint;
        if matches!(verdict, Verdict::Permitted(_))
            && let Some(failure) = predict::foreign_show(text)
        {
            return (ChangedTextOutcome::Fails(failure), after);
        }
        let tried = match verdict {
            Verdict::Clamped(_) => ChangedTextOutcome::NotRepairable,
            Verdict::Refused(refusal) => match failure_of(&refusal, text) {
                Some(failure) => ChangedTextOutcome::Fails(failure),
                None => ChangedTextOutcome::NotRepairable,
            },
            Verdict::Permitted(_) if !self.is_no_wider(&facts) => ChangedTextOutcome::NotRepairable,
            Verdict::Permitted(permit) => match run.compile(&permit, self.request.parameters) {
                Ok(()) => ChangedTextOutcome::Runs(permit),
                Err(uncompiled) => match uncompiled.failure(text) {
                    Some(failure) => ChangedTextOutcome::Fails(failure),
                    None => ChangedTextOutcome::NotRepairable,
                },
            },
        };
        (tried, after)
    }

    /// Whether a changed text does no more than the client's: it is one statement of the same kind,
    /// a plain read where the client's could not be judged, and leaves no more behind in the
    /// session.
    fn is_no_wider(&self, facts: &Facts) -> bool {
        let same_kind = match &self.original_facts {
            Some(original) => {
                allowed_changes::keeps_kind(original.kind, facts.kind)
                    && original.effects.len() == facts.effects.len()
            }
            None => facts.kind.is_query() && facts.effects.is_empty(),
        };
        facts.statements == 1 && same_kind
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

/// What a refusal says about a text that could be repaired; none for one of what the text would do,
/// or of names that the policy itself gives: no catalog knows those better.
pub fn failure_of(refusal: &Refusal, text: &str) -> Option<Failure> {
    let code = refusal.sqlstate.as_str();
    let (said, at) = (&refusal.message, refusal.position);
    let failure = Failure::reported(text, code, said, at, FailureOrigin::Gate);
    failure.filter(|_| !refusal.is_of_metric())
}
