//! A text judged in the place of the one that came: models are put in, values are lowered.

pub(super) mod offsets;
pub(super) mod text;

use std::fmt::{self, Write as _};
use std::ops::Range;
use std::sync::Arc;

use super::RewrittenText;
use super::context::JudgeContext;
use ground::limits;
use policy::SettingAmount;
use sql::edit::TextEdit;

/// The text that came, and what runs in its place.
#[derive(Clone)]
pub(super) struct TextRewrite<'j> {
    original: &'j str,
    rewritten: Arc<RewrittenText>,
}

impl<'j> JudgeContext<'j> {
    /// Notes a value that is lowered to what the policy gives.
    pub(super) fn lower(&mut self, setting: &str, to: SettingAmount, edit: TextEdit) {
        self.edits.push(edit);
        let name = self.policy.name();
        self.add_notice(format_args!(
            "{setting} is {to}: policy {name} allows no more"
        ));
    }

    /// Adds to what the client is told of values that are lowered.
    pub(super) fn add_notice(&mut self, words: fmt::Arguments<'_>) {
        if self.notice.len() >= limits::CLAMP_NOTICE_BYTES_MAX {
            return;
        }
        let separator = if self.notice.is_empty() { "" } else { "; " };
        // Writing into a String cannot fail.
        let _ = write!(self.notice, "{separator}{words}");
    }

    /// The text with models in it, judged in the place of this one.
    pub(super) fn with_models<'i>(&self, rewritten: &'i Arc<RewrittenText>) -> JudgeContext<'i>
    where
        'j: 'i,
    {
        let mut context = self.of(&rewritten.text);
        context.trusted = rewritten.spans.iter().map(|put| put.to.clone()).collect();
        context.parameters.fill_types(&rewritten.parameter_types);
        context.rewrite = Some(TextRewrite {
            original: self.text,
            rewritten: Arc::clone(rewritten),
        });
        context
    }

    /// The text as it came.
    pub(super) fn original(&self) -> &'j str {
        let changed = self.rewrite.as_ref();
        changed.map_or(self.text, |changed| changed.original)
    }

    /// The bytes of the text as it came that bytes of the judged one stand for.
    pub(super) fn in_original(&self, span: &Range<usize>) -> Range<usize> {
        match &self.rewrite {
            Some(changed) => changed.rewritten.in_original(span),
            None => span.clone(),
        }
    }

    /// A place of the judged text in the one that came, both in characters from 1.
    pub(super) fn position_in_original(&self, position: Option<u32>) -> Option<u32> {
        let Some(changed) = &self.rewrite else {
            return position;
        };
        let (original, place) = (changed.original, position?);
        changed.rewritten.position_in_original(original, place)
    }

    /// What runs in the place of the text that came.
    pub(super) fn rewritten_text(&self) -> Option<Arc<RewrittenText>> {
        let changed = self.rewrite.as_ref();
        changed.map(|changed| Arc::clone(&changed.rewritten))
    }
}
