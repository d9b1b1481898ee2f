//! Edits that contain each other: what is changed inside of something that is then replaced is
//! taken along.

use std::ops::Range;

use super::edit::{self, TextEdit};

/// A text that is being changed.
pub struct NestedEdits<'t> {
    text: &'t str,
    edits: Vec<TextEdit>,
}

impl<'t> NestedEdits<'t> {
    /// Nothing changed yet.
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            edits: Vec::new(),
        }
    }

    /// A part as it is by now.
    pub fn text(&self, span: &Range<usize>) -> Option<String> {
        let inside = self.edits.iter().filter(|edit| is_within(edit, span));
        let moved: Option<Vec<TextEdit>> = inside
            .map(|inner| {
                Some(TextEdit {
                    span: inner.span.start.checked_sub(span.start)?
                        ..inner.span.end.checked_sub(span.start)?,
                    replacement: inner.replacement.clone(),
                })
            })
            .collect();
        edit::apply(self.text.get(span.clone())?, moved?).ok()
    }

    /// Replaces a part and what was changed in it.
    pub fn replace(&mut self, span: Range<usize>, replacement: String) {
        self.edits.retain(|inner| !is_within(inner, &span));
        self.edits.push(TextEdit { span, replacement });
    }

    /// Puts something at a place, after what was put there before.
    pub fn insert(&mut self, at: usize, text: &str) {
        let here = |known: &&mut TextEdit| known.span == (at..at);
        match self.edits.iter_mut().find(here) {
            Some(known) => known.replacement.push_str(text),
            None => self.edits.push(TextEdit {
                span: at..at,
                replacement: text.to_owned(),
            }),
        }
    }

    /// Whether nothing was changed.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// All changes.
    pub fn into_edits(self) -> Vec<TextEdit> {
        self.edits
    }
}

/// Whether an edit lies in a part. What is put right before or after the part does not.
fn is_within(edit: &TextEdit, span: &Range<usize>) -> bool {
    edit.span.start >= span.start
        && edit.span.end <= span.end
        && !(edit.span.is_empty() && (edit.span.end == span.start || edit.span.start == span.end))
}
