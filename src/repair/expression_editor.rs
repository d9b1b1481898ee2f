//! Changes at expressions: casts and other spellings, collected into one answer.

use super::foreign_functions::call::least;
use super::foreign_functions::expression_span::{Ground, Run};
use super::foreign_functions::nested_edits::Workshop;
use super::foreign_functions::value_kind::Kinds;
use crate::limits::FUNCTIONS_CHANGES_MAX;
use crate::repair::{Answer, Confidence, Scene};

/// A text under repair.
pub(in crate::repair) struct Bench<'c, 's> {
    pub(in crate::repair) scene: &'c Scene<'s>,
    pub(in crate::repair) ground: Ground<'s>,
    pub(in crate::repair) kinds: Kinds<'s>,
    shop: Workshop<'s>,
    confidence: Confidence,
    changes: Vec<String>,
}

/// What is done about a place.
pub(in crate::repair) enum Cure {
    /// Nothing is wrong with it.
    Sound,
    /// These changes.
    Changes(Vec<Change>, Confidence),
    /// Words alone.
    Advice(&'static str),
}

/// A change.
#[derive(Clone)]
pub(in crate::repair) enum Change {
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
    pub(in crate::repair) fn new(scene: &'c Scene<'s>) -> Self {
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
    pub(in crate::repair) fn written(&self, run: Run) -> &'s str {
        let span = self.ground.bytes(run);
        self.scene.text.get(span).unwrap_or_default()
    }

    /// Makes changes.
    pub(in crate::repair) fn apply(&mut self, changes: &[Change], confidence: Confidence) {
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
    pub(in crate::repair) fn is_idle(&self) -> bool {
        self.shop.is_idle()
    }

    /// All changes.
    pub(in crate::repair) fn answer(self) -> Answer {
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
