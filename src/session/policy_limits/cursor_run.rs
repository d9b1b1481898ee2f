//! What a message runs of cursors WITH HOLD whose rows are counted.

use std::fmt;

/// What a message runs of cursors WITH HOLD whose rows are counted.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum CursorRun {
    /// Nothing.
    None,
    /// FETCH or MOVE among its statements, in a portal of this name.
    Statements {
        /// Empty for the unnamed one, and for a Query.
        portal: Box<str>,
        /// Whether it was run before.
        before: RunBefore,
    },
    /// The cursor itself, by an Execute for so many rows.
    Cursor {
        /// Its name.
        name: Box<str>,
        /// How many.
        rows: u64,
    },
}

/// Whether a portal was run since its Bind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunBefore {
    /// It was not.
    Never,
    /// It was.
    Yes,
}

impl fmt::Debug for CursorRun {
    /// Without the names that clients choose.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::None => "None",
            Self::Statements { .. } => "Statements",
            Self::Cursor { .. } => "Cursor",
        })
    }
}
