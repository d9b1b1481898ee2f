//! The prepared statements and cursors that a session has made.
//!
//! Every one of them was judged before it reached the server, so a name that is known here and gone
//! there costs an error of the server's own and nothing else. That is why forgetting too little is
//! safe.

pub(super) mod cursor_steps;
pub(super) mod duplicate_names;
pub(super) mod lookup;

use std::fmt;
use std::sync::Arc;

use super::basis::{Database, Digest, Grounds, SearchPaths};
use super::effects::graph::Sight;
use super::lazy_map::LazyMap;
use super::plan_question::QUESTION_NAME;
use super::prepared::duplicate_names::{Older, Reused, Unnamed};
use super::{Effect, Facts, Parameters, SessionValues, Surety};
use crate::limits;

/// The names of one session. SQL and the protocol share them, as they do on the server.
#[derive(Clone, Default)]
pub struct SessionNames {
    prepared: LazyMap<Prepared>,
    prepared_anew: Reused,
    unnamed_prepared_anew: Unnamed,
    cursors: LazyMap<Cursor>,
    cursors_anew: Reused,
    /// Those WITH HOLD that were declared since a transaction was last seen to be over.
    held_open: Vec<Box<str>>,
    /// The unnamed portal: most statements have no other, so it does without hashing.
    unnamed_cursor: Option<Box<Cursor>>,
    unnamed_cursor_anew: Unnamed,
    /// Bytes of the texts of all that have a name.
    text_bytes: usize,
    sight: Option<Arc<Sight>>,
    paths: SearchPaths,
    role: Box<str>,
    values: Values,
    at_end: AtEnd,
    grounds: Grounds,
}

/// The session's values that models read.
#[derive(Clone, PartialEq, Eq)]
struct Values(Arc<SessionValues>);

impl Default for Values {
    fn default() -> Self {
        Self(SessionValues::none())
    }
}

/// What holds once the transaction at hand is over.
#[derive(Clone, Default)]
enum AtEnd {
    /// It was not said since something changed.
    #[default]
    Unsaid,
    /// What holds now.
    AsNow,
    /// Something else.
    Other(Box<(SearchPaths, Arc<SessionValues>)>),
}

/// A prepared statement.
#[derive(Clone)]
pub struct Prepared {
    /// What it runs.
    pub facts: Arc<Facts>,
    /// The statement, or the PREPARE that made it.
    pub text: Arc<str>,
    /// The types of its parameters, as a Parse message gave them.
    pub parameters: Parameters,
}

/// A cursor of SQL or a portal of the protocol.
#[derive(Clone)]
pub struct Cursor {
    /// What it runs.
    pub facts: Arc<Facts>,
    /// Whether it outlives its transaction.
    pub hold: bool,
    /// The statement, or the DECLARE or PREPARE that made it.
    pub text: Arc<str>,
    /// The types of its parameters.
    pub parameters: Parameters,
    /// Whether it runs for certain when it is executed next.
    pub next_run: Surety,
    /// Where names were looked up when it was opened, where that matters when it runs on.
    pub opened: Option<SearchPaths>,
}

impl SessionNames {
    /// The names of no session: texts are judged without a database, by their trees alone, whatever
    /// the policy wants to know of a catalog.
    pub fn of_no_database() -> Self {
        let grounds = Grounds {
            database: Database::Absent,
            ..Grounds::default()
        };
        Self {
            grounds,
            ..Self::default()
        }
    }

    /// Says which major version the upstream is. Forms of SQL that it does not know are refused
    /// from then on, because it would read them as calls of user functions.
    pub fn set_server_major(&mut self, major: u16) {
        self.grounds.server_major = Some(major);
    }

    /// Says by a number which server the session is at, where there is more than one.
    pub fn set_server(&mut self, number: u64) {
        self.grounds.server = number;
    }

    /// The major version of the upstream, once known.
    pub fn server_major(&self) -> Option<u16> {
        self.grounds.server_major
    }

    /// Says by its version which policy the session is under from now on: what was judged under
    /// another one is judged again before it runs.
    pub fn set_policy(&mut self, version: u64) {
        self.grounds.policy = Some(version);
    }

    /// What the newest snapshot of the session's database shows; none while there is none.
    pub fn set_sight(&mut self, sight: Option<Arc<Sight>>) {
        self.grounds = self.grounds.with_sight(sight.as_deref());
        self.sight = sight;
    }

    /// Gives the snapshot up until it is needed again; what verdicts stand on stays the same.
    pub fn put_sight_away(&mut self) {
        self.sight = None;
    }

    /// What the newest snapshot of the session's database shows.
    pub fn sight(&self) -> Option<&Arc<Sight>> {
        self.sight.as_ref()
    }

    /// Where unqualified names are looked up from now on.
    pub fn set_paths(&mut self, paths: SearchPaths) {
        self.grounds.paths = Digest::of_paths(&paths);
        self.paths = paths;
        self.at_end = AtEnd::Unsaid;
    }

    /// Where unqualified names are looked up.
    pub fn paths(&self) -> &SearchPaths {
        &self.paths
    }

    /// What search_path and the values may be once the transaction at hand is over, whatever
    /// becomes of it. It has to be said again when they are others.
    pub fn set_at_end(&mut self, paths: SearchPaths, values: Arc<SessionValues>) {
        self.at_end = if self.paths == paths && self.values.0 == values {
            AtEnd::AsNow
        } else {
            AtEnd::Other(Box::new((paths, values)))
        };
    }

    /// Where unqualified names are looked up then.
    pub fn paths_at_end(&self) -> &SearchPaths {
        match &self.at_end {
            AtEnd::Unsaid => &SearchPaths::Unknown,
            AtEnd::AsNow => &self.paths,
            AtEnd::Other(other) => &other.0,
        }
    }

    /// The values then; none where they were not said.
    pub fn values_at_end(&self) -> Option<&SessionValues> {
        match &self.at_end {
            AtEnd::Unsaid => None,
            AtEnd::AsNow => Some(&self.values.0),
            AtEnd::Other(other) => Some(&other.1),
        }
    }

    /// As whom the upstream session runs.
    pub fn set_role(&mut self, role: &str) {
        self.grounds.role = Digest::of_role(role);
        self.role = role.into();
    }

    /// As whom the upstream session runs; empty while it is not known.
    pub fn role(&self) -> &str {
        &self.role
    }

    /// What a verdict of now stands on.
    pub fn grounds(&self) -> Grounds {
        self.grounds
    }

    /// Takes over what a statement that succeeded has changed.
    pub fn apply(&mut self, effect: &Effect) {
        match effect {
            Effect::Prepare { name, inner, text } => {
                self.add_prepared(name, Arc::clone(inner), Arc::clone(text));
            }
            Effect::Deallocate { name } => {
                self.remove_prepared(name);
            }
            Effect::DeallocateAll => self.clear_prepared(),
            Effect::DeclareCursor {
                name,
                hold,
                inner,
                text,
            } => {
                self.add_cursor(
                    name,
                    Cursor {
                        facts: Arc::clone(inner),
                        hold: *hold,
                        text: Arc::clone(text),
                        parameters: Parameters::Unknown,
                        next_run: Surety::Possible,
                        opened: None,
                    },
                );
            }
            Effect::CloseCursor { name } => self.remove_cursor(name),
            Effect::CloseAllCursors => self.clear_cursors(),
            Effect::DiscardAll => {
                self.clear_prepared();
                self.clear_cursors();
            }
            // What settings are is for the session to follow: a transaction may roll them back.
            Effect::SettingsTouched | Effect::SearchPathSet { .. } | Effect::SettingSet { .. } => {}
        }
    }

    /// Bytes of the texts of all prepared statements and portals that have a name.
    pub fn text_bytes(&self) -> usize {
        self.text_bytes
    }

    /// A statement prepared by PREPARE or by a Parse message, with its text.
    pub fn add_prepared(&mut self, name: &str, facts: Arc<Facts>, text: Arc<str>) {
        let name = stored(name);
        self.text_bytes += bytes(&text, &facts);
        let prepared = Prepared {
            facts,
            text,
            parameters: Parameters::Unknown,
        };
        let older = self.prepared.insert(name.into(), prepared);
        if let Some(older) = &older {
            self.text_bytes = self
                .text_bytes
                .saturating_sub(bytes(&older.text, &older.facts));
        }
        match older {
            older if name.is_empty() => {
                let older = older.as_ref().map(|older| older.facts.as_ref());
                self.unnamed_prepared_anew.note(older);
            }
            Some(older) => self.prepared_anew.note(name, &older.facts),
            None => {}
        }
    }

    /// The types of the parameters of a statement that was just prepared.
    pub fn set_parameters(&mut self, name: &str, parameters: Parameters) {
        if let Some(prepared) = self.prepared.get_mut(stored(name)) {
            prepared.parameters = parameters;
        }
    }

    /// The session's values that models read, as they stand now.
    pub fn set_values(&mut self, values: Arc<SessionValues>) {
        self.grounds.values = Digest::of_values(&values);
        self.values = Values(values);
        self.at_end = AtEnd::Unsaid;
    }

    /// The session's values that models read.
    pub fn values(&self) -> &Arc<SessionValues> {
        &self.values.0
    }

    /// Whether the upstream may have another statement under this name, one that was judged on
    /// other grounds than those of now.
    pub fn is_prepared_in_doubt(&self, name: &str) -> bool {
        if name.is_empty() {
            self.unnamed_prepared_anew.is_doubtful(self.grounds)
        } else {
            self.prepared_anew.is_doubtful(stored(name), self.grounds)
        }
    }

    /// The upstream has skipped the message that would have taken a statement away.
    pub fn restore_prepared(&mut self, name: &str, prepared: Prepared, older: Option<Older>) {
        let name = stored(name);
        if self.prepared.contains_key(name) {
            // So has it, or will it, the one that brings the name anew.
            self.prepared_anew.note(name, &prepared.facts);
        } else {
            self.text_bytes += bytes(&prepared.text, &prepared.facts);
            self.prepared.insert(name.into(), prepared);
        }
        if let Some(older) = older {
            self.prepared_anew.restore(name, older);
        }
    }

    /// The upstream has skipped what would have made sure which portal has this name: it is good
    /// for nothing until it is given up.
    pub fn lose_cursor(&mut self, name: &str) {
        self.cursors_anew.lose(stored(name));
    }

    /// A Sync or Query is on its way: what follows runs even where what was sent before is skipped.
    pub fn sync(&mut self) {
        self.unnamed_prepared_anew.sync();
        self.unnamed_cursor_anew.sync();
    }

    /// Everything that was sent is answered.
    pub fn rest(&mut self) {
        self.unnamed_prepared_anew.rest();
        self.unnamed_cursor_anew.rest();
    }

    /// The upstream has skipped a Parse, perhaps that of the unnamed statement, and none is on its
    /// way: nobody knows which one is there.
    pub fn lose_unnamed_prepared(&mut self) {
        if self.unnamed_prepared_anew.is_replaced() {
            self.remove_prepared("");
        }
    }

    /// The same for the unnamed portal.
    pub fn lose_unnamed_cursor(&mut self) {
        if self.unnamed_cursor_anew.is_replaced() {
            self.unnamed_cursor = None;
        }
    }

    /// What a prepared statement runs. Under the name of pgsieve's own question there is none.
    pub fn prepared(&self, name: &str) -> Option<&Prepared> {
        let known = self.prepared.get(stored(name));
        known.filter(|_| name != QUESTION_NAME)
    }

    /// Forgets a prepared statement. Hands out what is known of others of that name.
    pub fn remove_prepared(&mut self, name: &str) -> Option<Older> {
        if let Some(gone) = self.prepared.remove(stored(name)) {
            self.text_bytes = self
                .text_bytes
                .saturating_sub(bytes(&gone.text, &gone.facts));
        }
        self.prepared_anew.forget(stored(name))
    }

    /// A cursor made by DECLARE, or a portal made by a Bind message.
    pub fn add_cursor(&mut self, name: &str, mut cursor: Cursor) {
        if cursor.facts.runs_by_path {
            cursor.opened = Some(self.paths.clone());
        }
        if name.is_empty() {
            let older = self.unnamed_cursor.replace(Box::new(cursor));
            let older = older.as_ref().map(|older| older.facts.as_ref());
            self.unnamed_cursor_anew.note(older);
            return;
        }
        let name = stored(name);
        if cursor.hold && !self.held_open.iter().any(|known| **known == *name) {
            self.held_open.push(name.into());
        }
        self.text_bytes += bytes(&cursor.text, &cursor.facts);
        if let Some(older) = self.cursors.insert(name.into(), cursor) {
            self.text_bytes = self
                .text_bytes
                .saturating_sub(bytes(&older.text, &older.facts));
            self.cursors_anew.note(name, &older.facts);
        }
    }

    /// The cursors that will outlive the transaction: a COMMIT runs each to its end.
    pub fn held_open(&self) -> impl Iterator<Item = &Cursor> {
        let cursors = &self.cursors;
        self.held_open.iter().filter_map(|name| cursors.get(name))
    }

    /// Whether the upstream may have another cursor under this name, one that was judged on other
    /// grounds than those of now.
    pub fn is_cursor_in_doubt(&self, name: &str) -> bool {
        if name.is_empty() {
            self.unnamed_cursor_anew.is_doubtful(self.grounds)
        } else {
            self.cursors_anew.is_doubtful(stored(name), self.grounds)
        }
    }

    /// A cursor or portal. Under the name of pgsieve's own question there is none.
    pub fn cursor(&self, name: &str) -> Option<&Cursor> {
        match name {
            "" => self.unnamed_cursor.as_deref(),
            QUESTION_NAME => None,
            name => self.cursors.get(stored(name)),
        }
    }

    /// A portal is executed. Says whether that runs it for certain, and from its beginning: one
    /// that has run to its end is no error and does nothing. One with a name may have been run by a
    /// FETCH as well, but for the plan of a model, which no FETCH takes.
    pub fn run_cursor(&mut self, name: &str) -> Surety {
        let cursor = match name {
            "" => self.unnamed_cursor.as_deref_mut(),
            QUESTION_NAME => None,
            name => self.cursors.get_mut(stored(name)),
        };
        match cursor {
            Some(cursor) if name.is_empty() || cursor.facts.is_plan_of_models() => {
                std::mem::replace(&mut cursor.next_run, Surety::Possible)
            }
            Some(_) | None => Surety::Possible,
        }
    }

    /// Forgets a cursor or portal.
    pub fn remove_cursor(&mut self, name: &str) {
        if name.is_empty() {
            self.unnamed_cursor = None;
        } else {
            if let Some(gone) = self.cursors.remove(stored(name)) {
                self.text_bytes = self
                    .text_bytes
                    .saturating_sub(bytes(&gone.text, &gone.facts));
            }
            self.cursors_anew.forget(stored(name));
        }
    }

    /// The transaction ended: only cursors WITH HOLD are left.
    pub fn end_transaction(&mut self) {
        self.unnamed_cursor = None;
        self.held_open.clear();
        if !self.cursors.is_empty() {
            self.cursors.retain(|_, cursor| cursor.hold);
            self.count_texts();
        }
        let left = &self.cursors;
        self.cursors_anew.retain(|name| left.contains_key(name));
    }

    fn clear_prepared(&mut self) {
        self.prepared.clear();
        self.prepared_anew.clear();
        self.count_texts();
    }

    fn clear_cursors(&mut self) {
        self.cursors.clear();
        self.cursors_anew.clear();
        self.unnamed_cursor = None;
        self.count_texts();
    }

    fn count_texts(&mut self) {
        let prepared = self.prepared.values();
        let prepared = prepared.map(|own| bytes(&own.text, &own.facts));
        let cursors = self.cursors.values();
        let cursors = cursors.map(|own| bytes(&own.text, &own.facts));
        self.text_bytes = prepared.chain(cursors).sum();
    }

    /// Whether there is room for one more name of either sort.
    pub fn is_full(&self) -> bool {
        self.prepared.len() >= limits::SESSION_NAMES_MAX
            || self.cursors.len() >= limits::SESSION_NAMES_MAX
            || self.text_bytes >= limits::SESSION_TEXT_BYTES_MAX
    }
}

/// What is kept of a text: itself, and what runs in its place.
fn bytes(text: &str, facts: &Facts) -> usize {
    let instead = facts.instead.as_ref();
    text.len() + instead.map_or(0, |instead| instead.text.len())
}

impl fmt::Debug for Prepared {
    /// Without the text.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Prepared")
            .field("facts", &self.facts)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Cursor {
    /// Without the text.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Cursor")
            .field("facts", &self.facts)
            .field("hold", &self.hold)
            .finish_non_exhaustive()
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
pub fn stored(name: &str) -> &str {
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
    use crate::gate::{Depth, StatementKind};
    use crate::sql::fingerprint::Fingerprinter;

    fn facts() -> Arc<Facts> {
        let fingerprint = Fingerprinter::new(None, [7; 32]).of("SELECT 1");
        Arc::new(Facts::bare(
            StatementKind::Select,
            Some(fingerprint),
            1,
            Grounds::default(),
            Depth::Tree,
        ))
    }

    #[test]
    fn names_follow_what_statements_do() {
        let mut names = SessionNames::of_no_database();
        names.apply(&Effect::Prepare {
            name: "p".into(),
            inner: facts(),
            text: "SELECT 1".into(),
        });
        names.apply(&Effect::DeclareCursor {
            name: "c".into(),
            hold: false,
            inner: facts(),
            text: "SELECT 1".into(),
        });
        names.apply(&Effect::DeclareCursor {
            name: "h".into(),
            hold: true,
            inner: facts(),
            text: "SELECT 1".into(),
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
            text: "SELECT 1".into(),
        });
        names.apply(&Effect::DiscardAll);
        assert!(names.prepared("p").is_none());
    }

    #[test]
    fn texts_are_bounded_together() {
        let mut names = SessionNames::of_no_database();
        let text: Arc<str> = "x".repeat(limits::SESSION_TEXT_BYTES_MAX / 4).into();
        for name in ["a", "b", "b", "c"] {
            names.add_prepared(name, facts(), Arc::clone(&text));
        }
        assert!(!names.is_full());
        let cursor = Cursor {
            facts: facts(),
            hold: false,
            text,
            parameters: Parameters::Unknown,
            next_run: Surety::Possible,
            opened: None,
        };
        names.add_cursor("c", cursor.clone());
        names.add_cursor("c", cursor);
        assert!(names.is_full());
        names.end_transaction();
        assert!(!names.is_full());
        names.remove_prepared("a");
        names.apply(&Effect::DeallocateAll);
        assert_eq!(names.text_bytes, 0);
    }

    #[test]
    fn names_are_cut_where_the_server_cuts_them() {
        let mut names = SessionNames::of_no_database();
        names.add_prepared(&"n".repeat(80), facts(), "SELECT 1".into());
        assert!(names.prepared(&"n".repeat(63)).is_some());
        assert!(names.prepared(&"n".repeat(62)).is_none());
    }

    #[test]
    fn a_name_given_twice_is_good_only_where_both_bearers_are() {
        let mut names = SessionNames::default();
        let text: Arc<str> = "SELECT 1".into();
        names.add_prepared("p", facts(), Arc::clone(&text));
        names.set_role("reader");
        assert!(!names.is_prepared_in_doubt("p"));
        names.add_prepared("p", facts(), Arc::clone(&text));
        assert!(names.is_prepared_in_doubt("p"));
        names.remove_prepared("p");
        names.add_prepared("p", facts(), Arc::clone(&text));
        assert!(!names.is_prepared_in_doubt("p"));
        for name in ["", "p"] {
            names.add_prepared(name, facts(), Arc::clone(&text));
        }
        names.add_prepared("", facts(), Arc::clone(&text));
        assert!(!names.is_prepared_in_doubt(""));
        assert!(names.is_prepared_in_doubt("p"));
        names.apply(&Effect::DeallocateAll);
        assert!(!names.is_prepared_in_doubt("p"));
        let cursor = Cursor {
            facts: facts(),
            hold: false,
            text,
            parameters: Parameters::Unknown,
            next_run: Surety::Possible,
            opened: None,
        };
        names.add_cursor("c", cursor.clone());
        names.add_cursor("c", cursor);
        assert!(names.is_cursor_in_doubt("c"));
        names.end_transaction();
        assert!(!names.is_cursor_in_doubt("c"));
    }
}
