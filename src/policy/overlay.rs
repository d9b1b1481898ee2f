//! What a policy lays over relations by pattern: masks of columns, and conditions that rows have
//! to meet. Both come to models, against a catalog.

use std::fmt;

use super::access::{ColumnPattern, RelationPattern};
use super::model::ModelPiece;

/// What is read in place of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ColumnMask {
    /// NULL, of the column's type.
    Null,
    /// The first letter of a text.
    Partial,
    /// So many letters at the end of a text.
    Last(u8),
    /// A keyed fingerprint of a text: the same for the same text.
    Hash,
}

/// An entry of `columns.mask`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MaskedColumns {
    /// The columns.
    pub pattern: ColumnPattern,
    /// What is read in their place.
    pub mask: ColumnMask,
}

/// An entry of `rows`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFilter {
    /// The relations.
    pub pattern: RelationPattern,
    /// The condition, in the pieces between the session's values.
    pub pieces: Vec<ModelPiece>,
}

impl MaskedColumns {
    /// How many parts of the pattern are names without wildcards: of several that name a column the
    /// one with most of them holds.
    pub fn exactness(&self) -> usize {
        let ColumnPattern { relation, column } = &self.pattern;
        let parts = [&relation.schema, &relation.name, column];
        parts.iter().filter(|part| !part.is_wild()).count()
    }
}

impl ColumnMask {
    /// The mask that is written so: `null`, `partial`, `last(4)`, `hash`.
    ///
    /// # Errors
    /// What would be right.
    pub fn read(word: &str) -> Result<Self, String> {
        let letters = || {
            let number = word.strip_prefix("last(")?.strip_suffix(')')?.trim();
            let number = number.parse().ok()?;
            (1..=LETTERS_SHOWN_MAX).contains(&number).then_some(number)
        };
        match (word, letters()) {
            ("null", _) => Ok(Self::Null),
            ("partial", _) => Ok(Self::Partial),
            ("hash", _) => Ok(Self::Hash),
            (_, Some(letters)) => Ok(Self::Last(letters)),
            _ => Err(format!(
                "one of null, partial, last(4) and hash is wanted, with at most \
                 {LETTERS_SHOWN_MAX} letters"
            )),
        }
    }
}

impl fmt::Display for ColumnMask {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => formatter.write_str("null"),
            Self::Partial => formatter.write_str("partial"),
            Self::Last(letters) => write!(formatter, "last({letters})"),
            Self::Hash => formatter.write_str("hash"),
        }
    }
}

/// Letters at the end of a text that may be shown: more is no mask.
const LETTERS_SHOWN_MAX: u8 = 16;
