//! The prepared statements and cursors that a session has made.
//!
//! The names with what each stands for are in [`SessionNames`], together with what the session's
//! texts are judged by: its search_paths, role and values.
//!
//! * `lookup`: a name, after what earlier statements of the same text did to it;
//!   `duplicate_names`: names that were given anew; `state_at_end`: what a transaction's end brings
//!   back
//! * `statement_digests`: what receipts say of them; `kept_bytes`: how much their texts take
//! * `execution`: what an EXECUTE or a portal runs, judged again; `cursor_steps`: how far a cursor
//!   has come
//!
//! Every one of them was judged before it reached the server, so a name that is known here and gone
//! there costs an error of the server's own and nothing else. That is why forgetting too little is
//! safe.

pub(super) mod cursor_steps;
pub(super) mod duplicate_names;
pub(super) mod execution;
mod kept_bytes;
pub(super) mod lookup;
mod state_at_end;
pub(super) mod statement_digests;

use std::fmt;
use std::sync::Arc;

use super::basis::{BasisDigest, SearchPaths, SnapshotState, VerdictBasis};
use super::effects::graph::EffectGraph;
use super::lazy_map::LazyMap;
use super::plan_question::QUESTION_NAME;
use super::prepared::duplicate_names::{DuplicateNames, OlderBasis, UnnamedDuplicates};
use super::prepared::state_at_end::TransactionEndState;
use super::prepared::statement_digests::{PortalDigests, StatementDigests};
use super::{Certainty, Facts, ParameterTypes, SessionEffect, SessionValues};
use ground::limits::{self, NAME_BYTES_MAX};

/// The names of one session. SQL and the protocol share them, as they do on the server.
#[derive(Clone, Default)]
pub struct SessionNames {
    prepared: LazyMap<PreparedStatement>,
    duplicate_prepared: DuplicateNames,
    duplicate_unnamed_prepared: UnnamedDuplicates,
    cursors: LazyMap<Cursor>,
    duplicate_cursors: DuplicateNames,
    /// Those WITH HOLD that were declared since a transaction was last seen to be over.
    held_open: Vec<Box<str>>,
    /// The unnamed portal: most statements have no other, so it does without hashing.
    unnamed_cursor: Option<Box<Cursor>>,
    duplicate_unnamed_cursor: UnnamedDuplicates,
    /// Bytes of the texts of all that have a name.
    text_bytes: usize,
    effect_graph: Option<Arc<EffectGraph>>,
    paths: SearchPaths,
    role: Box<str>,
    values: SharedValues,
    at_end: TransactionEndState,
    basis: VerdictBasis,
}

/// The session's values that models read.
#[derive(Clone, PartialEq, Eq)]
struct SharedValues(Arc<SessionValues>);

impl Default for SharedValues {
    fn default() -> Self {
        Self(SessionValues::none())
    }
}

/// A prepared statement.
#[derive(Clone)]
pub struct PreparedStatement {
    /// What it runs.
    pub facts: Arc<Facts>,
    /// The statement, or the PREPARE that made it.
    pub text: Arc<str>,
    /// The types of its parameters, as a Parse message gave them.
    pub parameters: ParameterTypes,
    /// What receipts say of it, where there are any.
    pub digests: Option<Arc<StatementDigests>>,
    /// The text that the client sent, where that is held: another one where it was changed.
    pub sent: Option<Arc<str>>,
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
    pub parameters: ParameterTypes,
    /// Whether it runs for certain when it is executed next.
    pub next_run: Certainty,
    /// Where names were looked up when it was opened, where that matters when it runs on.
    pub opened: Option<SearchPaths>,
    /// What receipts say of it, where it was made by a Bind and there are any.
    pub digests: Option<Arc<PortalDigests>>,
    /// The text that the client sent, where it was made by a Bind and that is held.
    pub sent: Option<Arc<str>>,
}

impl SessionNames {
    /// The names of no session: texts are judged without a database, by their trees alone, whatever
    /// the policy wants to know of a catalog.
    pub fn of_no_database() -> Self {
        let basis = VerdictBasis {
            database: SnapshotState::Absent,
            ..VerdictBasis::default()
        };
        Self {
            basis,
            ..Self::default()
        }
    }

    /// Says which major version the upstream is. Forms of SQL that it does not know are refused
    /// from then on, because it would read them as calls of user functions.
    pub fn set_server_major(&mut self, major: u16) {
        self.basis.server_major = Some(major);
    }

    /// Says of which engine the upstream is. What it could read otherwise than Postgres is refused
    /// from then on.
    pub fn set_engine(&mut self, engine: ground::engine::Engine) {
        self.basis.engine = Some(engine);
    }

    /// The engine of the upstream, once known.
    pub fn engine(&self) -> Option<ground::engine::Engine> {
        self.basis.engine
    }

    /// Says by a number which server the session is at, where there is more than one.
    pub fn set_server(&mut self, number: u64) {
        self.basis.server = number;
    }

    /// The major version of the upstream, once known.
    pub fn server_major(&self) -> Option<u16> {
        self.basis.server_major
    }

    /// Says by its version which policy the session is under from now on: what was judged under
    /// another one is judged again before it runs.
    pub fn set_policy(&mut self, version: u64) {
        self.basis.policy = Some(version);
    }

    /// What the newest snapshot of the session's database shows; none while there is none.
    pub fn set_effect_graph(&mut self, effect_graph: Option<Arc<EffectGraph>>) {
        self.basis = self.basis.with_effect_graph(effect_graph.as_deref());
        self.effect_graph = effect_graph;
    }

    /// Gives the snapshot up until it is needed again; what verdicts stand on stays the same.
    pub fn release_effect_graph(&mut self) {
        self.effect_graph = None;
    }

    /// What the newest snapshot of the session's database shows.
    pub fn effect_graph(&self) -> Option<&Arc<EffectGraph>> {
        self.effect_graph.as_ref()
    }

    /// Where unqualified names are looked up from now on.
    pub fn set_paths(&mut self, paths: SearchPaths) {
        self.basis.paths = BasisDigest::of_paths(&paths);
        self.paths = paths;
        self.at_end = TransactionEndState::NotStated;
    }

    /// Where unqualified names are looked up.
    pub fn paths(&self) -> &SearchPaths {
        &self.paths
    }

    /// As whom the upstream session runs.
    pub fn set_role(&mut self, role: &str) {
        self.basis.role = BasisDigest::of_role(role);
        self.role = role.into();
    }

    /// As whom the upstream session runs; empty while it is not known.
    pub fn role(&self) -> &str {
        &self.role
    }

    /// What a verdict of now stands on.
    pub fn basis(&self) -> VerdictBasis {
        self.basis
    }

    /// Takes over what a statement that succeeded has changed.
    pub fn apply(&mut self, effect: &SessionEffect) {
        match effect {
            SessionEffect::Prepare { name, inner, text } => {
                self.add_prepared(name, Arc::clone(inner), Arc::clone(text));
            }
            SessionEffect::Deallocate { name } => {
                self.remove_prepared(name);
            }
            SessionEffect::DeallocateAll => self.clear_prepared(),
            SessionEffect::DeclareCursor {
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
                        parameters: ParameterTypes::Unknown,
                        next_run: Certainty::Possible,
                        opened: None,
                        digests: None,
                        sent: None,
                    },
                );
            }
            SessionEffect::CloseCursor { name } => self.remove_cursor(name),
            SessionEffect::CloseAllCursors => self.clear_cursors(),
            SessionEffect::DiscardAll => {
                self.clear_prepared();
                self.clear_cursors();
            }
            // What settings are is for the session to follow: a transaction may roll them back.
            SessionEffect::SettingsTouched
            | SessionEffect::SearchPathSet { .. }
            | SessionEffect::SettingSet { .. } => {}
        }
    }

    /// Bytes of the texts of all prepared statements and portals that have a name.
    pub fn text_bytes(&self) -> usize {
        self.text_bytes
    }

    /// A statement prepared by PREPARE or by a Parse message, with its text.
    pub fn add_prepared(&mut self, name: &str, facts: Arc<Facts>, text: Arc<str>) {
        let name = truncated_name(name);
        self.text_bytes += kept_bytes::of_text(&text, &facts);
        let prepared = PreparedStatement {
            facts,
            text,
            parameters: ParameterTypes::Unknown,
            digests: None,
            sent: None,
        };
        let older = self.prepared.insert(name.into(), prepared);
        if let Some(older) = &older {
            self.text_bytes = self.text_bytes.saturating_sub(older.bytes());
        }
        match older {
            older if name.is_empty() => {
                let older = older.as_ref().map(|older| older.facts.as_ref());
                self.duplicate_unnamed_prepared.note(older);
            }
            Some(older) => self.duplicate_prepared.add(name, &older.facts),
            None => {}
        }
    }

    /// The types of the parameters of a statement that was just prepared.
    pub fn set_parameters(&mut self, name: &str, parameters: ParameterTypes) {
        if let Some(prepared) = self.prepared.get_mut(truncated_name(name)) {
            prepared.parameters = parameters;
        }
    }

    /// What receipts say of a statement that was just prepared.
    pub fn set_digests(&mut self, name: &str, digests: Arc<StatementDigests>) {
        if let Some(prepared) = self.prepared.get_mut(truncated_name(name)) {
            prepared.digests = Some(digests);
        }
    }

    /// The text that the client sent for a statement that was just prepared.
    pub fn set_sent(&mut self, name: &str, sent: Arc<str>) {
        if let Some(prepared) = self.prepared.get_mut(truncated_name(name)) {
            let before = prepared.bytes();
            prepared.sent = Some(sent);
            self.text_bytes += prepared.bytes().saturating_sub(before);
        }
    }

    /// The session's values that models read, as they stand now.
    pub fn set_values(&mut self, values: Arc<SessionValues>) {
        self.basis.values = BasisDigest::of_values(&values);
        self.values = SharedValues(values);
        self.at_end = TransactionEndState::NotStated;
    }

    /// The session's values that models read.
    pub fn values(&self) -> &Arc<SessionValues> {
        &self.values.0
    }

    /// Whether the upstream may have another statement under this name, one that was judged on
    /// another basis than that of now.
    pub fn is_prepared_ambiguous(&self, name: &str) -> bool {
        if name.is_empty() {
            self.duplicate_unnamed_prepared.is_doubtful(self.basis)
        } else {
            self.duplicate_prepared
                .is_doubtful(truncated_name(name), self.basis)
        }
    }

    /// The upstream has skipped the message that would have taken a statement away.
    pub fn restore_prepared(
        &mut self,
        name: &str,
        prepared: PreparedStatement,
        older: Option<OlderBasis>,
    ) {
        let name = truncated_name(name);
        if self.prepared.contains_key(name) {
            // So has it, or will it, the one that brings the name anew.
            self.duplicate_prepared.add(name, &prepared.facts);
        } else {
            self.text_bytes += prepared.bytes();
            self.prepared.insert(name.into(), prepared);
        }
        if let Some(older) = older {
            self.duplicate_prepared.restore(name, older);
        }
    }

    /// The upstream has skipped what would have made sure which portal has this name: it is good
    /// for nothing until it is given up.
    pub fn invalidate_cursor(&mut self, name: &str) {
        self.duplicate_cursors.invalidate(truncated_name(name));
    }

    /// A Sync or Query is on its way: what follows runs even where what was sent before is skipped.
    pub fn sync_sent(&mut self) {
        self.duplicate_unnamed_prepared.sync();
        self.duplicate_unnamed_cursor.sync();
    }

    /// Everything that was sent is answered.
    pub fn all_answered(&mut self) {
        self.duplicate_unnamed_prepared.rest();
        self.duplicate_unnamed_cursor.rest();
    }

    /// The upstream has skipped a Parse, perhaps that of the unnamed statement, and none is on its
    /// way: nobody knows which one is there.
    pub fn forget_unnamed_prepared(&mut self) {
        if self.duplicate_unnamed_prepared.is_replaced() {
            self.remove_prepared("");
        }
    }

    /// The same for the unnamed portal.
    pub fn forget_unnamed_cursor(&mut self) {
        if self.duplicate_unnamed_cursor.is_replaced() {
            self.unnamed_cursor = None;
        }
    }

    /// What a prepared statement runs. Under names of pgsieve's own there is none.
    pub fn prepared(&self, name: &str) -> Option<&PreparedStatement> {
        let known = self.prepared.get(truncated_name(name));
        known.filter(|_| !is_own_name(name))
    }

    /// Forgets a prepared statement. Hands out what is known of others of that name.
    pub fn remove_prepared(&mut self, name: &str) -> Option<OlderBasis> {
        if let Some(gone) = self.prepared.remove(truncated_name(name)) {
            self.text_bytes = self.text_bytes.saturating_sub(gone.bytes());
        }
        self.duplicate_prepared.forget(truncated_name(name))
    }

    /// A cursor made by DECLARE, or a portal made by a Bind message.
    pub fn add_cursor(&mut self, name: &str, mut cursor: Cursor) {
        if cursor.facts.runs_by_path {
            cursor.opened = Some(self.paths.clone());
        }
        if name.is_empty() {
            let older = self.unnamed_cursor.replace(Box::new(cursor));
            let older = older.as_ref().map(|older| older.facts.as_ref());
            self.duplicate_unnamed_cursor.note(older);
            return;
        }
        let name = truncated_name(name);
        if cursor.hold && !self.held_open.iter().any(|known| **known == *name) {
            self.held_open.push(name.into());
        }
        self.text_bytes += cursor.bytes();
        if let Some(older) = self.cursors.insert(name.into(), cursor) {
            self.text_bytes = self.text_bytes.saturating_sub(older.bytes());
            self.duplicate_cursors.add(name, &older.facts);
        }
    }

    /// The cursors that will outlive the transaction: a COMMIT runs each to its end.
    pub fn held_open(&self) -> impl Iterator<Item = &Cursor> {
        let cursors = &self.cursors;
        self.held_open.iter().filter_map(|name| cursors.get(name))
    }

    /// Whether the upstream may have another cursor under this name, one that was judged on other
    /// basis than that of now.
    pub fn is_cursor_ambiguous(&self, name: &str) -> bool {
        if name.is_empty() {
            self.duplicate_unnamed_cursor.is_doubtful(self.basis)
        } else {
            self.duplicate_cursors
                .is_doubtful(truncated_name(name), self.basis)
        }
    }

    /// A cursor or portal. Under the name of pgsieve's own question there is none.
    pub fn cursor(&self, name: &str) -> Option<&Cursor> {
        match name {
            "" => self.unnamed_cursor.as_deref(),
            QUESTION_NAME => None,
            name => self.cursors.get(truncated_name(name)),
        }
    }

    /// A portal is executed. Says whether that runs it for certain, and from its beginning: one
    /// that has run to its end is no error and does nothing. One with a name may have been run by a
    /// FETCH as well, but for the plan of a model, which no FETCH takes.
    pub fn run_cursor(&mut self, name: &str) -> Certainty {
        let cursor = match name {
            "" => self.unnamed_cursor.as_deref_mut(),
            QUESTION_NAME => None,
            name => self.cursors.get_mut(truncated_name(name)),
        };
        match cursor {
            Some(cursor) if name.is_empty() || cursor.facts.is_plan_of_models() => {
                std::mem::replace(&mut cursor.next_run, Certainty::Possible)
            }
            Some(_) | None => Certainty::Possible,
        }
    }

    /// Forgets a cursor or portal.
    pub fn remove_cursor(&mut self, name: &str) {
        if name.is_empty() {
            self.unnamed_cursor = None;
        } else {
            if let Some(gone) = self.cursors.remove(truncated_name(name)) {
                self.text_bytes = self.text_bytes.saturating_sub(gone.bytes());
            }
            self.duplicate_cursors.forget(truncated_name(name));
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
        self.duplicate_cursors
            .retain(|name| left.contains_key(name));
    }

    fn clear_prepared(&mut self) {
        self.prepared.clear();
        self.duplicate_prepared.clear();
        self.count_texts();
    }

    fn clear_cursors(&mut self) {
        self.cursors.clear();
        self.duplicate_cursors.clear();
        self.unnamed_cursor = None;
        self.count_texts();
    }

    fn count_texts(&mut self) {
        let prepared = self.prepared.values();
        let prepared = prepared.map(|own| own.bytes());
        let cursors = self.cursors.values();
        let cursors = cursors.map(|own| own.bytes());
        self.text_bytes = prepared.chain(cursors).sum();
    }

    /// Whether there is room for one more name of either sort.
    pub fn is_full(&self) -> bool {
        self.prepared.len() >= limits::SESSION_NAMES_MAX
            || self.cursors.len() >= limits::SESSION_NAMES_MAX
            || self.text_bytes >= limits::SESSION_TEXT_BYTES_MAX
    }
}

impl fmt::Debug for PreparedStatement {
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

/// Whether pgsieve may have a prepared statement of this name: nothing that a client has made under
/// it is ever run.
pub fn is_own_name(name: &str) -> bool {
    name == QUESTION_NAME || name.starts_with(OWN_NAME_PREFIX)
}

/// How the names begin of statements that clients have prepared on connections which they share.
pub const OWN_NAME_PREFIX: &str = "pgsieve_s_";

/// The part of a name that the server keeps: it cuts names at 63 bytes.
pub fn truncated_name(name: &str) -> &str {
    let mut end = name.len().min(NAME_BYTES_MAX);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name.get(..end).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RecordedText, StatementKind, VerdictDepth};
    use sql::fingerprint::Fingerprinter;

    fn facts() -> Arc<Facts> {
        let fingerprint = Fingerprinter::new(None, [7; 32]).of("SELECT 1");
        Arc::new(Facts::bare(
            StatementKind::Select,
            Some(fingerprint),
            1,
            VerdictBasis::default(),
            VerdictDepth::Tree,
        ))
    }

    #[test]
    fn names_follow_what_statements_do() {
        let mut names = SessionNames::of_no_database();
        names.apply(&SessionEffect::Prepare {
            name: "p".into(),
            inner: facts(),
            text: "SELECT 1".into(),
        });
        names.apply(&SessionEffect::DeclareCursor {
            name: "c".into(),
            hold: false,
            inner: facts(),
            text: "SELECT 1".into(),
        });
        names.apply(&SessionEffect::DeclareCursor {
            name: "h".into(),
            hold: true,
            inner: facts(),
            text: "SELECT 1".into(),
        });
        assert!(names.prepared("p").is_some() && names.cursor("c").is_some());
        names.end_transaction();
        assert!(names.cursor("c").is_none() && names.cursor("h").is_some());
        names.apply(&SessionEffect::CloseCursor { name: "h".into() });
        names.apply(&SessionEffect::Deallocate { name: "p".into() });
        assert!(names.cursor("h").is_none() && names.prepared("p").is_none());
        names.apply(&SessionEffect::Prepare {
            name: "p".into(),
            inner: facts(),
            text: "SELECT 1".into(),
        });
        names.apply(&SessionEffect::DiscardAll);
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
            parameters: ParameterTypes::Unknown,
            next_run: Certainty::Possible,
            opened: None,
            digests: None,
            sent: None,
        };
        names.add_cursor("c", cursor.clone());
        names.add_cursor("c", cursor);
        assert!(names.is_full());
        names.end_transaction();
        assert!(!names.is_full());
        names.remove_prepared("a");
        names.apply(&SessionEffect::DeallocateAll);
        assert_eq!(names.text_bytes, 0);
    }

    #[test]
    fn what_is_recorded_of_a_text_counts_as_well() {
        let kept = RecordedText::of(&"x".repeat(limits::AUDIT_TEXT_BYTES_MAX + 1));
        let mut recorded = Facts::clone(&facts());
        recorded.text = Some(Arc::new(kept));
        let recorded = Arc::new(recorded);
        let mut names = SessionNames::of_no_database();
        names.add_prepared("a", Arc::clone(&recorded), "SELECT 1".into());
        assert!(names.text_bytes() > limits::AUDIT_TEXT_BYTES_MAX);
        let many = limits::SESSION_TEXT_BYTES_MAX / limits::AUDIT_TEXT_BYTES_MAX;
        for number in 0..many {
            names.add_prepared(
                &number.to_string(),
                Arc::clone(&recorded),
                "SELECT 1".into(),
            );
        }
        assert!(names.is_full());
        names.apply(&SessionEffect::DeallocateAll);
        assert_eq!(names.text_bytes(), 0);
    }

    #[test]
    fn what_the_client_sent_counts_where_it_is_another_text() {
        let mut names = SessionNames::of_no_database();
        let text: Arc<str> = "SELECT 1".into();
        names.add_prepared("a", facts(), Arc::clone(&text));
        names.set_sent("a", Arc::clone(&text));
        assert_eq!(names.text_bytes(), text.len());
        names.set_sent("a", "SELECT TOP 1 1".into());
        assert_eq!(names.text_bytes(), text.len() + 14);
        names.remove_prepared("a");
        assert_eq!(names.text_bytes(), 0);
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
        assert!(!names.is_prepared_ambiguous("p"));
        names.add_prepared("p", facts(), Arc::clone(&text));
        assert!(names.is_prepared_ambiguous("p"));
        names.remove_prepared("p");
        names.add_prepared("p", facts(), Arc::clone(&text));
        assert!(!names.is_prepared_ambiguous("p"));
        for name in ["", "p"] {
            names.add_prepared(name, facts(), Arc::clone(&text));
        }
        names.add_prepared("", facts(), Arc::clone(&text));
        assert!(!names.is_prepared_ambiguous(""));
        assert!(names.is_prepared_ambiguous("p"));
        names.apply(&SessionEffect::DeallocateAll);
        assert!(!names.is_prepared_ambiguous("p"));
        let cursor = Cursor {
            facts: facts(),
            hold: false,
            text,
            parameters: ParameterTypes::Unknown,
            next_run: Certainty::Possible,
            opened: None,
            digests: None,
            sent: None,
        };
        names.add_cursor("c", cursor.clone());
        names.add_cursor("c", cursor);
        assert!(names.is_cursor_ambiguous("c"));
        names.end_transaction();
        assert!(!names.is_cursor_ambiguous("c"));
    }
}
