//! What recoverers answer, and what is recorded of it.

use std::fmt;

use crate::Confidence;
use ground::words::words;
use policy::Recoverer;
use sql::edit::{self, EditError, TextEdit};
use sql::fingerprint::Fingerprint;

/// What a recoverer says about a failure.
#[derive(Debug)]
pub enum RecovererAnswer {
    /// A changed text.
    Repaired(Repair),
    /// No changed text, and words for the client.
    Hinted(RepairHint),
    /// It knows nothing about this failure.
    Silent,
    /// It has no answer, and whatever others change in this text may mean something else than was
    /// meant: it is no more than likely.
    Doubted,
}

/// A changed text with its reason.
pub struct Repair {
    /// How sure it is: [`Confidence::Exact`] or [`Confidence::Likely`].
    pub confidence: Confidence,
    /// The change.
    pub rewritten: TextChange,
    /// What was changed and why, in a sentence for the client: it may quote names and literals of
    /// the client's text.
    pub change: String,
}

/// The new text.
#[derive(Clone, PartialEq, Eq)]
pub enum TextChange {
    /// The client's text with these changes.
    Edits(Vec<TextEdit>),
    /// A whole text: a translation of a foreign dialect, or what was unwrapped.
    Text(String),
}

/// What a recoverer can say without a changed text.
pub struct RepairHint {
    /// One or two plain sentences for the client: what to do next. They never name what the client
    /// may not see.
    pub advice: String,
    /// The gates that a rewritten name did not pass.
    pub failed: Vec<NameGate>,
}

/// The nine gates for a rewritten name, in the order of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameGate {
    /// The reference is no function or keyword.
    NotAWord,
    /// Its alias stands for one relation.
    OneRelation,
    /// The cheaper recoverers did not answer.
    CheaperFirst,
    /// There are candidates, and not too many.
    Candidates,
    /// The best one's score is high enough.
    Score,
    /// The best one dominates.
    Dominance,
    /// The best one is apart from the second.
    Separation,
    /// One contains the other, word by word.
    Containment,
    /// What differs is not on the risk list.
    Risk,
}

/// One step of a repair, for the audit, the metrics and the dry run.
#[derive(Clone)]
pub struct Attempt {
    /// Who answered.
    pub recoverer: Recoverer,
    /// How sure.
    pub confidence: Confidence,
    /// What became of it.
    pub outcome: AttemptOutcome,
    /// The gates that failed.
    pub failed: Vec<NameGate>,
    /// The fingerprint of the text before.
    pub before: Option<Fingerprint>,
    /// The fingerprint of the text after; none where there is none.
    pub after: Option<Fingerprint>,
    /// The text after: for the dry run, never recorded.
    pub text: Option<String>,
    /// The words for the client: for the dry run, never recorded.
    pub words: String,
}

words! {
    /// What became of an attempt.
    AttemptOutcome {
        /// The changed text took the statement's place.
        Applied => "applied",
        /// It would have, in another mode.
        Observed => "observed",
        /// It was offered as a HINT.
        Hinted => "hinted",
        /// The changed text did not pass the gate, or fails as well.
        Failed => "failed",
    }
}

impl NameGate {
    /// The word that clients, metrics and the audit see.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotAWord => "not_a_word",
            Self::OneRelation => "one_relation",
            Self::CheaperFirst => "cheaper_first",
            Self::Candidates => "candidates",
            Self::Score => "score",
            Self::Dominance => "dominance",
            Self::Separation => "separation",
            Self::Containment => "containment",
            Self::Risk => "risk",
        }
    }
}

impl RecovererAnswer {
    /// An answer of certainty.
    pub fn exact(edits: Vec<TextEdit>, change: String) -> Self {
        Self::of_edits(Confidence::Exact, edits, change)
    }

    /// An answer of likelihood.
    pub fn likely(edits: Vec<TextEdit>, change: String) -> Self {
        Self::of_edits(Confidence::Likely, edits, change)
    }

    /// An answer with changes that were made from the inside out: the client is told of the first
    /// few.
    pub fn changed(confidence: Confidence, edits: Vec<TextEdit>, changes: Vec<String>) -> Self {
        let mut told: Vec<String> = Vec::new();
        for change in changes.into_iter().rev() {
            if told.len() < CHANGES_TOLD_MAX && !told.contains(&change) {
                told.push(change);
            }
        }
        let confidence = match confidence {
            Confidence::Exact => Confidence::Exact,
            Confidence::Likely | Confidence::Guess => Confidence::Likely,
        };
        Self::of_edits(confidence, edits, told.join(", "))
    }

    /// Words alone.
    pub fn hint(advice: String) -> Self {
        Self::Hinted(RepairHint {
            advice,
            failed: Vec::new(),
        })
    }

    fn of_edits(confidence: Confidence, edits: Vec<TextEdit>, change: String) -> Self {
        Self::Repaired(Repair {
            confidence,
            rewritten: TextChange::Edits(edits),
            change,
        })
    }
}

impl TextChange {
    /// The new text.
    ///
    /// # Errors
    /// Two edits overlap, or one lies outside of the text or within a character.
    pub fn text(self, of: &str) -> Result<String, EditError> {
        match self {
            Self::Edits(edits) => edit::apply(of, edits),
            Self::Text(text) => Ok(text),
        }
    }
}

impl fmt::Debug for Repair {
    /// Without the words.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Repair({})", self.confidence.name())
    }
}

impl fmt::Debug for TextChange {
    /// Without the text.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Rewritten(..)")
    }
}

impl fmt::Debug for RepairHint {
    /// Without the words.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Hint({:?})", self.failed)
    }
}

impl fmt::Debug for Attempt {
    /// Without the text and the words.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "Attempt({} {} {})",
            self.recoverer.name(),
            self.confidence.name(),
            self.outcome.name()
        )
    }
}

/// How many changes the client is told of.
const CHANGES_TOLD_MAX: usize = 4;
