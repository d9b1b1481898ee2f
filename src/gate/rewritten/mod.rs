//! A case whose text is not the one that came: models are put into it, values are lowered.

pub(super) mod offsets;
pub(super) mod text;

use std::fmt::{self, Write as _};
use std::ops::Range;
use std::sync::Arc;

use super::Instead;
use super::context::Case;
use crate::limits;
use crate::policy::Amount;
use crate::sql::edit::Edit;

/// The text that came, and what runs in its place.
#[derive(Clone)]
pub(super) struct Changed<'j> {
    original: &'j str,
    instead: Arc<Instead>,
}

impl<'j> Case<'j> {
    /// Notes a value that is lowered to what the policy gives.
    pub(super) fn lower(&mut self, setting: &str, to: Amount, edit: Edit) {
        self.edits.push(edit);
        let name = self.policy.name();
        self.tell(format_args!(
            "{setting} is {to}: policy {name} gives no more"
        ));
    }

    /// Adds to what the client is told of values that are lowered.
    pub(super) fn tell(&mut self, words: fmt::Arguments<'_>) {
        if self.notice.len() >= limits::CLAMP_NOTICE_BYTES_MAX {
            return;
        }
        let separator = if self.notice.is_empty() { "" } else { "; " };
        // Writing into a String cannot fail.
        let _ = write!(self.notice, "{separator}{words}");
    }

    /// The text with models in it, judged in the place of this one.
    pub(super) fn with_models<'i>(&self, instead: &'i Arc<Instead>) -> Case<'i>
    where
        'j: 'i,
    {
        let mut case = self.of(&instead.text);
        case.trusted = instead.spans.iter().map(|put| put.to.clone()).collect();
        case.parameters.settle(&instead.typed);
        case.changed = Some(Changed {
            original: self.text,
            instead: Arc::clone(instead),
        });
        case
    }

    /// The text as it came.
    pub(super) fn original(&self) -> &'j str {
        let changed = self.changed.as_ref();
        changed.map_or(self.text, |changed| changed.original)
    }

    /// The bytes of the text as it came that bytes of the judged one stand for.
    pub(super) fn in_original(&self, span: &Range<usize>) -> Range<usize> {
        match &self.changed {
            Some(changed) => changed.instead.in_original(span),
            None => span.clone(),
        }
    }

    /// A place of the judged text in the one that came, both in characters from 1.
    pub(super) fn place_in_original(&self, position: Option<u32>) -> Option<u32> {
        let Some(changed) = &self.changed else {
            return position;
        };
        let (original, place) = (changed.original, position?);
        changed.instead.place_in_original(original, place)
    }

    /// What runs in the place of the text that came.
    pub(super) fn instead(&self) -> Option<Arc<Instead>> {
        let changed = self.changed.as_ref();
        changed.map(|changed| Arc::clone(&changed.instead))
    }
}
