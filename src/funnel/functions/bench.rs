//! Changes at expressions: casts and other spellings, collected into one answer.

use super::call::least;
use super::kind::Kinds;
use super::spans::{Ground, Run};
use super::workshop::Workshop;
use crate::funnel::{Answer, Confidence, Scene};
use crate::limits::FUNCTIONS_CHANGES_MAX;

/// A text under repair.
pub(super) struct Bench<'c, 's> {
    pub(super) scene: &'c Scene<'s>,
    pub(super) ground: Ground<'s>,
    pub(super) kinds: Kinds<'s>,
    shop: Workshop<'s>,
    confidence: Confidence,
    changes: Vec<String>,
}

/// What is done about a place.
pub(super) enum Cure {
    /// Nothing is wrong with it.
    Sound,
    /// These changes.
    Changes(Vec<Change>, Confidence),
    /// Words alone.
    Advice(&'static str),
}

/// A change.
#[derive(Clone)]
pub(super) enum Change {
    /// An expression is cast to a type.
    Cast(Run, &'static str),
    /// An expression is multiplied with something.
    Times(Run, &'static str),
    /// A number becomes a condition.
    NotZero(Run),
    /// Tokens become these.
    Spelled(Run, String),
}

impl<'c, 's> Bench<'c, 's> {
    /// Nothing changed yet.
    pub(super) fn new(scene: &'c Scene<'s>) -> Self {
        Self {
            scene,
            ground: Ground::of(scene),
            kinds: Kinds::of(scene),
            shop: Workshop::new(scene.text),
            confidence: Confidence::Exact,
            changes: Vec::new(),
        }
    }

    /// The text of a run as the client wrote it.
    pub(super) fn written(&self, run: Run) -> &'s str {
        let span = self.ground.bytes(run);
        self.scene.text.get(span).unwrap_or_default()
    }

    /// Makes changes.
    pub(super) fn apply(&mut self, changes: &[Change], confidence: Confidence) {
        self.confidence = least(self.confidence, confidence);
        for change in changes {
            if self.changes.len() > FUNCTIONS_CHANGES_MAX {
                return;
            }
            let (run, text) = match change {
                Change::Cast(run, name) => {
                    let cast = |own| format!("{own}::{name}");
                    (*run, self.operand(*run).map(cast))
                }
                Change::Times(run, by) => {
                    (*run, self.operand(*run).map(|own| format!("{own} * {by}")))
                }
                Change::NotZero(run) => {
                    (*run, self.operand(*run).map(|own| format!("({own} <> 0)")))
                }
                Change::Spelled(run, text) => (*run, Some(text.clone())),
            };
            if let Some(text) = text {
                self.changes
                    .push(format!("{} is written {text}", self.written(run)));
                self.shop.replace(self.ground.bytes(run), text);
            }
        }
    }

    /// Whether nothing was changed.
    pub(super) fn is_idle(&self) -> bool {
        self.shop.is_idle()
    }

    /// All changes.
    pub(super) fn answer(self) -> Answer {
        if self.shop.is_idle() || self.changes.len() > FUNCTIONS_CHANGES_MAX {
            return Answer::Silent;
        }
        let mut changes = self.changes;
        changes.reverse();
        changes.dedup();
        changes.truncate(CHANGES_TOLD_MAX);
        let change = changes.join(", ");
        match self.confidence {
            Confidence::Exact => Answer::exact(self.shop.end(), change),
            Confidence::Likely | Confidence::Guess => Answer::likely(self.shop.end(), change),
        }
    }

    /// An expression that can stand before `::`.
    fn operand(&self, run: Run) -> Option<String> {
        let text = self.shop.text(&self.ground.bytes(run))?;
        Some(match self.ground.is_primary(run) {
            true => text,
            false => format!("({text})"),
        })
    }
}

/// How many changes the client is told of.
const CHANGES_TOLD_MAX: usize = 4;
