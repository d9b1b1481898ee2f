//! The changes to a text, and the text that comes of them.

use std::ops::Range;

use crate::rewritten::text::{CopiedConstant, InsertedSpan, RewrittenText};
use catalog::Oid;
use ground::limits;

/// The changes to one text.
#[derive(Default)]
pub(crate) struct TextInsertions {
    all: Vec<TextInsertion>,
    bytes: usize,
    typed: Vec<(u32, Oid)>,
}

/// One change.
struct TextInsertion {
    from: Range<usize>,
    instead: String,
    copies: Vec<CopiedConstant>,
}

/// More was to be put into one text than is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InsertionsTooLong;

impl TextInsertions {
    /// Puts something into the place of these bytes.
    pub(crate) fn insert(
        &mut self,
        from: Range<usize>,
        instead: String,
    ) -> Result<(), InsertionsTooLong> {
        self.insert_with_copies(from, instead, Vec::new())
    }

    /// The same, with constants of the text in it: their places are those in `instead`.
    pub(crate) fn insert_with_copies(
        &mut self,
        from: Range<usize>,
        instead: String,
        copies: Vec<CopiedConstant>,
    ) -> Result<(), InsertionsTooLong> {
        self.bytes = self.bytes.saturating_add(instead.len());
        if self.all.len() >= limits::MODEL_PUTS_MAX || self.bytes > limits::MODEL_BYTES_MAX {
            return Err(InsertionsTooLong);
        }
        self.all.push(TextInsertion {
            from,
            instead,
            copies,
        });
        Ok(())
    }

    /// Notes which types parameters have by what was put in.
    pub(crate) fn types(&mut self, typed: impl IntoIterator<Item = (u32, Oid)>) {
        self.typed.extend(typed);
    }

    /// The bytes that were put in so far.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The text with everything put in; none where nothing is. Changes that share a byte are
    /// [`InsertionsTooLong`]: they were not made for one text.
    pub(crate) fn into_text(
        mut self,
        text: &str,
    ) -> Result<Option<RewrittenText>, InsertionsTooLong> {
        if self.all.is_empty() {
            return Ok(None);
        }
        self.all
            .sort_by_key(|change| (change.from.start, change.from.end));
        let mut changed = String::with_capacity(text.len().saturating_add(self.bytes));
        let mut spans = Vec::with_capacity(self.all.len());
        let mut copied = 0;
        for change in self.all {
            let from = change.from;
            changed.push_str(text.get(copied..from.start).ok_or(InsertionsTooLong)?);
            let start = changed.len();
            changed.push_str(&change.instead);
            copied = from.end;
            let moved = |at: usize| at.saturating_add(start);
            let copies = change.copies.into_iter().map(|copied| CopiedConstant {
                to: moved(copied.to.start)..moved(copied.to.end),
                ..copied
            });
            spans.push(InsertedSpan {
                from,
                to: start..changed.len(),
                copies: copies.collect(),
            });
        }
        changed.push_str(text.get(copied..).ok_or(InsertionsTooLong)?);
        Ok(Some(RewrittenText {
            text: changed.into(),
            spans: spans.into(),
            parameter_types: self.typed.into(),
        }))
    }
}
