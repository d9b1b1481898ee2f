//! The changes to a text, and the text that comes of them.

use std::ops::Range;

use crate::gate::instead::{Instead, Put};
use crate::limits;

/// The changes to one text.
#[derive(Default)]
pub(in crate::gate) struct Puts {
    all: Vec<(Range<usize>, String)>,
    bytes: usize,
}

/// More was to be put into one text than is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gate) struct TooMuch;

impl Puts {
    /// Puts something into the place of these bytes.
    pub(in crate::gate) fn put(
        &mut self,
        from: Range<usize>,
        instead: String,
    ) -> Result<(), TooMuch> {
        self.bytes = self.bytes.saturating_add(instead.len());
        if self.all.len() >= limits::MODEL_PUTS_MAX || self.bytes > limits::MODEL_BYTES_MAX {
            return Err(TooMuch);
        }
        self.all.push((from, instead));
        Ok(())
    }

    /// The text with everything put in; none where nothing is. Changes that share a byte are
    /// [`TooMuch`]: they were not made for one text.
    pub(in crate::gate) fn into_text(mut self, text: &str) -> Result<Option<Instead>, TooMuch> {
        if self.all.is_empty() {
            return Ok(None);
        }
        self.all.sort_by_key(|(from, _)| (from.start, from.end));
        let mut changed = String::with_capacity(text.len().saturating_add(self.bytes));
        let mut spans = Vec::with_capacity(self.all.len());
        let mut copied = 0;
        for (from, instead) in self.all {
            changed.push_str(text.get(copied..from.start).ok_or(TooMuch)?);
            let start = changed.len();
            changed.push_str(&instead);
            copied = from.end;
            spans.push(Put {
                from,
                to: start..changed.len(),
            });
        }
        changed.push_str(text.get(copied..).ok_or(TooMuch)?);
        Ok(Some(Instead {
            text: changed.into(),
            spans: spans.into(),
        }))
    }
}
