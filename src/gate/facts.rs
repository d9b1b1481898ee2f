//! What is known about a text that was judged.

use std::fmt;
use std::sync::Arc;

use super::StatementKind;
use crate::sql::fingerprint::Fingerprint;

/// What the session, the audit and the cache need to know of a text.
#[derive(Clone, Debug)]
pub struct Facts {
    /// What it is.
    pub kind: StatementKind,
    /// What may be recorded of it; none where nothing is recorded.
    pub fingerprint: Option<Fingerprint>,
    /// How many statements it holds.
    pub statements: u32,
    /// What the session looks like after it ran, in order.
    pub effects: Box<[Effect]>,
    /// Whether the verdict depends on the text, the policy and the upstream's version alone.
    pub cacheable: bool,
}

/// A change to the session's own state, once the statement has succeeded.
#[derive(Clone)]
pub enum Effect {
    /// PREPARE: the name now stands for a statement.
    Prepare {
        /// The name.
        name: Box<str>,
        /// What it stands for.
        inner: Arc<Facts>,
    },
    /// DEALLOCATE of one name.
    Deallocate {
        /// The name.
        name: Box<str>,
    },
    /// DEALLOCATE ALL.
    DeallocateAll,
    /// DECLARE: the name now stands for a cursor, which a protocol Execute can use as a portal.
    DeclareCursor {
        /// The name.
        name: Box<str>,
        /// Whether it outlives the transaction.
        hold: bool,
        /// What it runs.
        inner: Arc<Facts>,
    },
    /// CLOSE of one cursor.
    CloseCursor {
        /// The name.
        name: Box<str>,
    },
    /// CLOSE ALL.
    CloseAllCursors,
    /// DISCARD ALL: no names, settings as the session started.
    DiscardAll,
    /// A setting may have changed: SET, RESET, set_config.
    SettingsTouched,
}

impl Facts {
    /// What is known of a text that was refused: nothing that would change a session.
    pub(super) fn of_refused(
        kind: StatementKind,
        fingerprint: Option<Fingerprint>,
        statements: u32,
    ) -> Self {
        Self {
            kind,
            fingerprint,
            statements,
            effects: Box::default(),
            cacheable: false,
        }
    }
}

impl fmt::Debug for Effect {
    /// Without the names that clients choose.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Prepare { .. } => "Prepare",
            Self::Deallocate { .. } => "Deallocate",
            Self::DeallocateAll => "DeallocateAll",
            Self::DeclareCursor { .. } => "DeclareCursor",
            Self::CloseCursor { .. } => "CloseCursor",
            Self::CloseAllCursors => "CloseAllCursors",
            Self::DiscardAll => "DiscardAll",
            Self::SettingsTouched => "SettingsTouched",
        })
    }
}
