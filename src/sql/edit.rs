//! Changes to a text at byte ranges.
//!
//! A text is repaired by editing what the client wrote, never by printing a tree: printers lose and
//! inject meaning. An edited text is a new text: the gate judges it again.

use std::ops::Range;

/// One change: the bytes of `span` become `replacement`. An empty span inserts.
#[derive(Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// The bytes to replace, counted in the text before any edit.
    pub span: Range<usize>,
    /// What stands there afterwards.
    pub replacement: String,
}

/// Why edits cannot be applied: they were made for another text, or contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditError {
    /// A span ends before it starts, or beyond the text.
    OutOfText,
    /// A span cuts a character in two.
    InsideCharacter,
    /// Two spans share a byte, or two insertions a place.
    Overlap,
}

/// Applies all edits at once, in whatever order they come.
///
/// # Errors
/// Two edits overlap, or one lies outside of the text or within a character.
pub fn apply(text: &str, mut edits: Vec<TextEdit>) -> Result<String, EditError> {
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut edited = String::with_capacity(text.len());
    let mut copied = 0;
    let mut last: Option<&Range<usize>> = None;
    for edit in &edits {
        check(text, &edit.span)?;
        if last == Some(&edit.span) {
            return Err(EditError::Overlap);
        }
        edited.push_str(
            text.get(copied..edit.span.start)
                .ok_or(EditError::Overlap)?,
        );
        edited.push_str(&edit.replacement);
        copied = edit.span.end;
        last = Some(&edit.span);
    }
    edited.push_str(text.get(copied..).ok_or(EditError::OutOfText)?);
    Ok(edited)
}

impl std::fmt::Debug for TextEdit {
    /// Without the replacement: it is SQL.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Edit({}..{})", self.span.start, self.span.end)
    }
}

impl std::fmt::Display for EditError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::OutOfText => "an edit reaches beyond the text",
            Self::InsideCharacter => "an edit cuts a character",
            Self::Overlap => "two edits overlap",
        })
    }
}

impl std::error::Error for EditError {}

fn check(text: &str, span: &Range<usize>) -> Result<(), EditError> {
    if span.start > span.end || span.end > text.len() {
        return Err(EditError::OutOfText);
    }
    if !text.is_char_boundary(span.start) || !text.is_char_boundary(span.end) {
        return Err(EditError::InsideCharacter);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(text: &str, edits: &[(Range<usize>, &str)]) -> Result<String, EditError> {
        let edits = edits
            .iter()
            .map(|(span, replacement)| TextEdit {
                span: span.clone(),
                replacement: (*replacement).into(),
            })
            .collect();
        apply(text, edits)
    }

    #[test]
    fn edits_apply_at_once_and_in_any_order() {
        assert_eq!(
            edited("abcdef", &[(4..5, "E"), (0..1, ""), (2..2, "--")]).unwrap(),
            "b--cdEf"
        );
        assert_eq!(edited("abc", &[]).unwrap(), "abc");
        assert_eq!(edited("", &[(0..0, "x")]).unwrap(), "x");
        assert_eq!(edited("ab", &[(0..1, "x"), (1..2, "y")]).unwrap(), "xy");
        assert_eq!(edited("ab", &[(1..2, "y"), (1..1, "x")]).unwrap(), "axy");
    }

    #[test]
    fn edits_that_contradict_each_other_are_refused() {
        assert_eq!(
            edited("abc", &[(0..2, ""), (1..3, "")]),
            Err(EditError::Overlap)
        );
        assert_eq!(
            edited("abc", &[(1..1, "x"), (1..1, "y")]),
            Err(EditError::Overlap)
        );
        assert_eq!(
            edited("abc", &[(0..3, ""), (1..1, "y")]),
            Err(EditError::Overlap)
        );
    }

    #[test]
    fn edits_for_another_text_are_refused() {
        assert_eq!(edited("abc", &[(2..4, "")]), Err(EditError::OutOfText));
        #[expect(
            clippy::reversed_empty_ranges,
            reason = "the wrong order is what is tested"
        )]
        let reversed = edited("abc", &[(2..1, "")]);
        assert_eq!(reversed, Err(EditError::OutOfText));
        assert_eq!(
            edited("aéc", &[(2..3, "")]),
            Err(EditError::InsideCharacter)
        );
    }
}
