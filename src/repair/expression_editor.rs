//! Changes at expressions: casts and other spellings, collected into one answer.

use crate::dialect::calls::call::least_confidence;
use crate::dialect::calls::expression_kinds::ExpressionKinds;
use crate::limits::FUNCTIONS_CHANGES_MAX;
use crate::repair::{Confidence, RecovererAnswer, RepairContext};
use crate::sql::extent::{PairedTokens, TokenRange};
use crate::sql::nested_edits::NestedEdits;

/// A text under repair.
pub(in crate::repair) struct ExpressionEditor<'c, 's> {
    pub(in crate::repair) context: &'c RepairContext<'s>,
    pub(in crate::repair) ground: PairedTokens<'s>,
    pub(in crate::repair) kinds: ExpressionKinds<'s>,
    edits: NestedEdits<'s>,
    confidence: Confidence,
    changes: Vec<String>,
}

/// What is done about a place.
pub(in crate::repair) enum ExpressionRepair {
    /// Nothing is wrong with it.
    NotNeeded,
    /// These changes.
    Changes(Vec<ExpressionChange>, Confidence),
    /// Words alone.
    Advice(&'static str),
}

/// A change.
#[derive(Clone)]
pub(in crate::repair) enum ExpressionChange {
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
    pub(in crate::repair) fn new(context: &'c RepairContext<'s>) -> Self {
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
    pub(in crate::repair) fn written(&self, run: TokenRange) -> &'s str {
        let span = self.ground.bytes(run);
        self.context.text.get(span).unwrap_or_default()
    }

    /// Makes changes.
    pub(in crate::repair) fn apply(
        &mut self,
        changes: &[ExpressionChange],
        confidence: Confidence,
    ) {
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
    pub(in crate::repair) fn is_unchanged(&self) -> bool {
        self.edits.is_empty()
    }

    /// All changes.
    pub(in crate::repair) fn answer(self) -> RecovererAnswer {
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
