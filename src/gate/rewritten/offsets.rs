//! Where the characters of a text with lowered values stand in the one that it was made of.
//!
//! The server names places in the text that runs; a client means the one that it sent. Characters
//! are counted, not bytes, because the protocol does so.
//! <https://www.postgresql.org/docs/current/protocol-error-fields.html>

use sql::edit::TextEdit;

/// The changes of one text, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OffsetMap(Box<[OffsetChange]>);

/// One change: characters of the text before it, from zero, and what they became.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OffsetChange {
    start: usize,
    before: usize,
    after: usize,
}

impl OffsetMap {
    /// Of edits of a text; nothing where each takes as many characters as before.
    pub(crate) fn of(text: &str, edits: &[TextEdit]) -> Option<Self> {
        let mut edits: Vec<&TextEdit> = edits.iter().collect();
        edits.sort_by_key(|edit| edit.span.start);
        let (mut counted, mut characters) = (0, 0);
        let mut changes = Vec::new();
        for edit in edits {
            let between = text.get(counted..edit.span.start)?;
            let replaced = text.get(edit.span.clone())?;
            characters += between.chars().count();
            let change = OffsetChange {
                start: characters,
                before: replaced.chars().count(),
                after: edit.replacement.chars().count(),
            };
            characters += change.before;
            counted = edit.span.end;
            if change.before != change.after {
                changes.push(change);
            }
        }
        (!changes.is_empty()).then(|| Self(changes.into()))
    }

    /// A place in the changed text as one in the text before, both in characters from 1: where a
    /// change begins for all that stands in it.
    pub fn original_position(&self, place: usize) -> usize {
        let at = place.saturating_sub(1);
        // Where what stands behind the changes so far begins, in the one text and in the other.
        let (mut own, mut other) = (0, 0);
        for change in &self.0 {
            let start = other + change.start.saturating_sub(own);
            if at < start {
                break;
            }
            if at < start + change.after {
                return change.start + 1;
            }
            own = change.start + change.before;
            other = start + change.after;
        }
        own + at.saturating_sub(other) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sql::edit;

    #[test]
    fn each_character_is_found_again() {
        let text = "SET é = 0; SELECT ü, 0; SET x = off; SELECT nope";
        let edit = |word: &str, replacement: &str| {
            let start = text.find(word).unwrap();
            TextEdit {
                span: start..start + word.len(),
                replacement: replacement.to_owned(),
            }
        };
        let edits = vec![
            edit("off", "on "),
            edit("0; SELECT", "'30000'; SELECT"),
            edit(", 0", ","),
        ];
        let moved = OffsetMap::of(text, &edits).unwrap();
        let changed = edit::apply(text, edits).unwrap();
        let place = |text: &str, word: &str| text[..text.find(word).unwrap()].chars().count() + 1;
        for word in ["SET", "é", "=", "ü", "SET x", "nope"] {
            assert_eq!(
                moved.original_position(place(&changed, word)),
                place(text, word),
                "{word}"
            );
        }
        assert_eq!(
            moved.original_position(place(&changed, "30000")),
            place(text, "0;")
        );
        assert_eq!(moved.original_position(1), 1);
        let end = changed.chars().count() + 1;
        assert_eq!(moved.original_position(end), text.chars().count() + 1);
    }

    #[test]
    fn what_keeps_its_length_moves_nothing() {
        let edit = TextEdit {
            span: 4..7,
            replacement: "on ".to_owned(),
        };
        assert_eq!(OffsetMap::of("x = off", &[edit]), None);
    }
}
