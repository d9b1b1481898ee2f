//! A mistake in the tokens of a text, repaired.

use sql::edit::TextEdit;

/// A mistake, repaired.
#[derive(Clone)]
pub(crate) struct TokenRepair {
    /// Its edits of the text as it stands.
    pub edits: Vec<TextEdit>,
    /// What was done, for the client.
    pub change: String,
}

/// One edit.
pub(in crate::recoverers) fn edit(
    span: std::ops::Range<usize>,
    replacement: impl Into<String>,
) -> TextEdit {
    TextEdit {
        span,
        replacement: replacement.into(),
    }
}

/// A repair of these edits, if there are any.
pub(in crate::recoverers) fn token_repair(
    edits: Vec<TextEdit>,
    change: &str,
) -> Option<TokenRepair> {
    (!edits.is_empty()).then(|| TokenRepair {
        edits,
        change: change.to_owned(),
    })
}
