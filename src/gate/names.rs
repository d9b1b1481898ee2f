//! The prepared statements and cursors that a session has made.
//!
//! Every one of them was judged before it reached the server, so a name that is known here and gone
//! there costs an error of the server's own and nothing else. That is why forgetting too little is
//! safe.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::{Effect, Facts};
use crate::limits;

/// The names of one session. SQL and the protocol share them, as they do on the server.
#[derive(Clone, Default)]
pub struct SessionNames {
    prepared: HashMap<Box<str>, Arc<Facts>, RandomState>,
    cursors: HashMap<Box<str>, Cursor, RandomState>,
    /// The unnamed portal: most statements have no other, so it does without hashing.
    unnamed_cursor: Option<Cursor>,
    server_major: Option<u16>,
}

/// A cursor of SQL or a portal of the protocol.
#[derive(Clone, Debug)]
pub struct Cursor {
    /// What it runs.
    pub facts: Arc<Facts>,
    /// Whether it outlives its transaction.
    pub hold: bool,
}

impl SessionNames {
    /// Says which major version the upstream is. Forms of SQL that it does not know are refused
    /// from then on, because it would read them as calls of user functions.
    pub fn set_server_major(&mut self, major: u16) {
        self.server_major = Some(major);
    }

    /// The major version of the upstream, once known.
    pub fn server_major(&self) -> Option<u16> {
        self.server_major
    }

    /// Takes over what a statement that succeeded has changed.
    pub fn apply(&mut self, effect: &Effect) {
        match effect {
            Effect::Prepare { name, inner } => self.add_prepared(name, Arc::clone(inner)),
            Effect::Deallocate { name } => self.remove_prepared(name),
            Effect::DeallocateAll => self.prepared.clear(),
            Effect::DeclareCursor { name, hold, inner } => {
                self.add_cursor(
                    name,
                    Cursor {
                        facts: Arc::clone(inner),
                        hold: *hold,
                    },
                );
            }
            Effect::CloseCursor { name } => self.remove_cursor(name),
            Effect::CloseAllCursors => self.clear_cursors(),
            Effect::DiscardAll => {
                self.prepared.clear();
                self.clear_cursors();
            }
            Effect::SettingsTouched => {}
        }
    }

    /// A statement prepared by PREPARE or by a Parse message.
    pub fn add_prepared(&mut self, name: &str, facts: Arc<Facts>) {
        self.prepared.insert(stored(name).into(), facts);
    }

    /// What a prepared statement runs.
    pub fn prepared(&self, name: &str) -> Option<&Arc<Facts>> {
        self.prepared.get(stored(name))
    }

    /// Forgets a prepared statement.
    pub fn remove_prepared(&mut self, name: &str) {
        self.prepared.remove(stored(name));
    }

    /// A cursor made by DECLARE, or a portal made by a Bind message.
    pub fn add_cursor(&mut self, name: &str, cursor: Cursor) {
        if name.is_empty() {
            self.unnamed_cursor = Some(cursor);
        } else {
            self.cursors.insert(stored(name).into(), cursor);
        }
    }

    /// A cursor or portal.
    pub fn cursor(&self, name: &str) -> Option<&Cursor> {
        if name.is_empty() {
            self.unnamed_cursor.as_ref()
        } else {
            self.cursors.get(stored(name))
        }
    }

    /// Forgets a cursor or portal.
    pub fn remove_cursor(&mut self, name: &str) {
        if name.is_empty() {
            self.unnamed_cursor = None;
        } else {
            self.cursors.remove(stored(name));
        }
    }

    /// The transaction ended: only cursors WITH HOLD are left.
    pub fn end_transaction(&mut self) {
        self.unnamed_cursor = None;
        if !self.cursors.is_empty() {
            self.cursors.retain(|_, cursor| cursor.hold);
        }
    }

    fn clear_cursors(&mut self) {
        self.cursors.clear();
        self.unnamed_cursor = None;
    }

    /// Whether there is room for one more name of either sort.
    pub fn is_full(&self) -> bool {
        self.prepared.len() >= limits::SESSION_NAMES_MAX
            || self.cursors.len() >= limits::SESSION_NAMES_MAX
    }
}

impl fmt::Debug for SessionNames {
    /// Without the names that clients choose.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SessionNames")
            .field("prepared", &self.prepared.len())
            .field("cursors", &self.cursors.len())
            .finish()
    }
}

/// The part of a name that the server keeps: it cuts names at 63 bytes.
fn stored(name: &str) -> &str {
    let mut end = name.len().min(SERVER_NAME_BYTES);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name.get(..end).unwrap_or(name)
}

/// One less than NAMEDATALEN.
const SERVER_NAME_BYTES: usize = 63;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::StatementKind;
    use crate::sql::fingerprint::Fingerprinter;

    fn facts() -> Arc<Facts> {
        let fingerprint = Fingerprinter::new(None, [7; 32]).of("SELECT 1");
        Arc::new(Facts::of_refused(
            StatementKind::Select,
            Some(fingerprint),
            1,
        ))
    }

    #[test]
    fn names_follow_what_statements_do() {
        let mut names = SessionNames::default();
        names.apply(&Effect::Prepare {
            name: "p".into(),
            inner: facts(),
        });
        names.apply(&Effect::DeclareCursor {
            name: "c".into(),
            hold: false,
            inner: facts(),
        });
        names.apply(&Effect::DeclareCursor {
            name: "h".into(),
            hold: true,
            inner: facts(),
        });
        assert!(names.prepared("p").is_some() && names.cursor("c").is_some());
        names.end_transaction();
        assert!(names.cursor("c").is_none() && names.cursor("h").is_some());
        names.apply(&Effect::CloseCursor { name: "h".into() });
        names.apply(&Effect::Deallocate { name: "p".into() });
        assert!(names.cursor("h").is_none() && names.prepared("p").is_none());
        names.apply(&Effect::Prepare {
            name: "p".into(),
            inner: facts(),
        });
        names.apply(&Effect::DiscardAll);
        assert!(names.prepared("p").is_none());
    }

    #[test]
    fn names_are_cut_where_the_server_cuts_them() {
        let mut names = SessionNames::default();
        names.add_prepared(&"n".repeat(80), facts());
        assert!(names.prepared(&"n".repeat(63)).is_some());
        assert!(names.prepared(&"n".repeat(62)).is_none());
    }
}
