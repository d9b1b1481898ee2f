//! Changes at expressions: casts and other spellings, collected into one answer.

use crate::{Confidence, RecovererAnswer, RepairContext};
use dialect::calls::call::least_confidence;
use dialect::calls::expression_kinds::ExpressionKinds;
use ground::limits::FUNCTIONS_CHANGES_MAX;
use sql::extent::{PairedTokens, TokenRange};
use sql::nested_edits::NestedEdits;

/// A text under repair.
pub(crate) struct ExpressionEditor<'c, 's> {
    pub(crate) context: &'c RepairContext<'s>,
    pub(crate) ground: PairedTokens<'s>,
    pub(crate) kinds: ExpressionKinds<'s>,
    edits: NestedEdits<'s>,
    confidence: Confidence,
    changes: Vec<String>,
}

/// What is done about a place.
pub(crate) enum ExpressionRepair {
    /// Nothing is wrong with it.
    NotNeeded,
    /// These changes.
    Changes(Vec<ExpressionChange>, Confidence),
    /// Words alone.
    Advice(&'static str),
}

/// A change.
#[derive(Clone)]
pub(crate) enum ExpressionChange {
    /// An expression is cast to a type.
    Cast(TokenRange, &'static str),
    /// An expression is multiplied with something.
    Times(TokenRange, &'static str),
    /// A number becomes a condition.
    NotZero(TokenRange),
    /// Tokens become these.
    Spelled(TokenRange, String),
}

impl<'c, 's> ExpressionEditor<'c, 's> {
    /// Nothing changed yet.
    pub(crate) fn new(context: &'c RepairContext<'s>) -> Self {
        Self {
            context,
            ground: PairedTokens::of(context.text, context.tokens),
            kinds: ExpressionKinds::of(context.database, context.statement()),
            edits: NestedEdits::new(context.text),
            confidence: Confidence::Exact,
            changes: Vec::new(),
        }
    }

    /// The text of a run as the client wrote it.
    pub(crate) fn written(&self, run: TokenRange) -> &'s str {
        let span = self.ground.bytes(run);
        self.context.text.get(span).unwrap_or_default()
    }

    /// Makes changes.
    pub(crate) fn apply(&mut self, changes: &[ExpressionChange], confidence: Confidence) {
        self.confidence = least_confidence(self.confidence, confidence);
        for change in changes {
            if self.changes.len() > FUNCTIONS_CHANGES_MAX {
                return;
            }
            let (run, text) = match change {
                ExpressionChange::Cast(run, name) => {
                    let cast = |own| format!("{own}::{name}");
                    (*run, self.operand(*run).map(cast))
                }
                ExpressionChange::Times(run, by) => {
                    (*run, self.operand(*run).map(|own| format!("{own} * {by}")))
                }
                ExpressionChange::NotZero(run) => {
                    (*run, self.operand(*run).map(|own| format!("({own} <> 0)")))
                }
                ExpressionChange::Spelled(run, text) => (*run, Some(text.clone())),
            };
            if let Some(text) = text {
                self.changes
                    .push(format!("{} is written {text}", self.written(run)));
                self.edits.replace(self.ground.bytes(run), text);
            }
        }
    }

    /// Whether nothing was changed.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.edits.is_empty()
    }

    /// All changes.
    pub(crate) fn answer(self) -> RecovererAnswer {
        if self.edits.is_empty() || self.changes.len() > FUNCTIONS_CHANGES_MAX {
            return RecovererAnswer::Silent;
        }
        RecovererAnswer::changed(self.confidence, self.edits.into_edits(), self.changes)
    }

    /// An expression that can stand before `::`.
    fn operand(&self, run: TokenRange) -> Option<String> {
        let text = self.edits.text(&self.ground.bytes(run))?;
        Some(match self.ground.is_primary(run) {
            true => text,
            false => format!("({text})"),
        })
    }
}
