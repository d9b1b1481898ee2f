//! How many bytes the texts of prepared statements and cursors take.

use std::sync::Arc;

use super::{Cursor, PreparedStatement};
use crate::Facts;

impl PreparedStatement {
    /// Bytes of the texts that are kept of it.
    pub(super) fn bytes(&self) -> usize {
        of_text(&self.text, &self.facts) + sent_bytes(&self.text, self.sent.as_ref())
    }
}

impl Cursor {
    /// Bytes of the texts that are kept of it.
    pub(super) fn bytes(&self) -> usize {
        of_text(&self.text, &self.facts) + sent_bytes(&self.text, self.sent.as_ref())
    }
}

/// What is kept of the text that the client sent, where that is another one.
fn sent_bytes(text: &Arc<str>, sent: Option<&Arc<str>>) -> usize {
    let another = sent.filter(|sent| !Arc::ptr_eq(sent, text));
    another.map_or(0, |sent| sent.len())
}

/// What is kept of a text: itself, what runs in its place, and what is recorded of it.
pub(super) fn of_text(text: &str, facts: &Facts) -> usize {
    let rewritten = facts.rewritten.as_ref();
    let rewritten = rewritten.map_or(0, |rewritten| rewritten.text.len());
    let recorded = facts.text.as_ref().map_or(0, |recorded| recorded.bytes());
    text.len() + rewritten + recorded
}
