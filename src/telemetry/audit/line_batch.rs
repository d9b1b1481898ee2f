//! The lines that the writer has taken and not written yet.

use super::queue::StatementTexts;
use crate::limits::AUDIT_BUFFER_BYTES_KEPT;

/// Lines on their way out, as they came.
#[derive(Default)]
pub struct LineBatch {
    /// The lines.
    pub text: String,
    /// The texts of statements that belong to some of them.
    pub texts: StatementTexts,
    /// What is on the chain.
    pub sealed: BatchPlace,
    /// The place of the last of them among all that were ever taken.
    pub last_line: u64,
}

/// A place in a batch: between two lines.
#[derive(Clone, Copy, Default)]
pub struct BatchPlace {
    /// The bytes before it.
    pub bytes: usize,
    /// The lines that were ever taken before it.
    pub lines: u64,
}

impl LineBatch {
    /// What is not on the chain yet.
    pub fn rest(&self) -> &str {
        self.text.get(self.sealed.bytes..).unwrap_or_default()
    }

    /// All of them are written.
    pub fn clear(&mut self) {
        self.text.clear();
        self.texts = StatementTexts::default();
        self.sealed.bytes = 0;
        if self.text.capacity() > AUDIT_BUFFER_BYTES_KEPT {
            self.text = String::new();
        }
    }
}
