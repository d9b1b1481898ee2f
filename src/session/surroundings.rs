//! What the session's names mean at this moment: what the database contains, where unqualified
//! names are looked up, as whom. The gate judges by it, and judges again what was prepared before
//! it changed.

use std::sync::{Arc, Weak};

use super::conversation::Conversation;
use super::journal::Running;
use super::paths::{Before, Change, End, Path, Paths};
use crate::gate::sight::Sight;
use crate::gate::{Effect, Facts, Parameters, Refusal, StatementKind, Surety};
use crate::sqlstate;
use crate::telemetry::code::Code;
use crate::upstream::keeper::Keeper;
use crate::wire::backend::TransactionStatus;

/// What a session's names mean, and who knows.
#[derive(Debug)]
pub struct Surroundings {
    /// Who keeps the snapshot of the database; nobody where none is wanted.
    keeper: Option<Arc<Keeper>>,
    /// The state of the keeper that the session has taken over.
    generation: u64,
    /// The snapshot of that state, where there is one. It is held for as long as something is
    /// judged by it: sessions that do nothing would keep every snapshot that ever was.
    sight: Option<Weak<Sight>>,
    paths: Paths,
}

impl Surroundings {
    /// Those of a session that begins with this search_path, as its setting is written.
    pub fn new(keeper: Option<Arc<Keeper>>, search_path: &str) -> Self {
        Self {
            keeper,
            generation: 0,
            sight: None,
            paths: Paths::new(read(search_path)),
        }
    }
}

impl Conversation {
    /// Takes over what the keeper has learned, before anything is judged.
    pub(super) fn look_around(&mut self) {
        if self.surroundings.paths.is_moving() {
            self.take_over_paths();
        }
        let surroundings = &mut self.surroundings;
        let Some(keeper) = &surroundings.keeper else {
            return;
        };
        let generation = keeper.generation();
        if generation == surroundings.generation {
            let Some(sight) = &surroundings.sight else {
                return;
            };
            if self.names.sight().is_some() {
                return;
            }
            if let Some(sight) = sight.upgrade() {
                self.names.set_sight(Some(sight));
                return;
            }
        }
        // The number was read first: should the snapshot be newer, it is taken over once more.
        let sight = keeper.sight();
        surroundings.generation = generation;
        surroundings.sight = sight.as_ref().map(Arc::downgrade);
        self.names.set_sight(sight);
    }

    /// Nothing is judged for now.
    pub(super) fn look_away(&mut self) {
        self.names.put_sight_away();
    }

    /// Whether a prepared statement of this name, judged earlier, may still run. Where its verdict
    /// stood on other grounds it is judged again.
    pub(super) fn still_permits(&mut self, name: &str) -> Result<(), Box<Refusal>> {
        self.look_around();
        if self.names.is_prepared_in_doubt(name) {
            return Err(Refusal::of_name_in_doubt(name));
        }
        let known = self.names.prepared(name);
        match known.or_else(|| self.journal.in_doubt(name)) {
            None => Ok(()),
            Some(prepared) if prepared.facts.hold_on(self.names.grounds()) => Ok(()),
            Some(prepared) => {
                if let Parameters::Given(types) = &prepared.parameters {
                    let types = types.iter().copied();
                    self.gate.permits_parameters(types, &self.names)?;
                }
                let (text, parameters) = (&prepared.text, &prepared.parameters);
                self.gate.still_permits(text, parameters, &self.names)
            }
        }
    }

    /// The same for a portal.
    pub(super) fn still_runs(&mut self, portal: &str) -> Result<(), Box<Refusal>> {
        self.look_around();
        if self.names.is_cursor_in_doubt(portal) {
            return Err(Refusal::of_name_in_doubt(portal));
        }
        match self.names.cursor(portal) {
            None => Ok(()),
            Some(cursor) => self.gate.still_runs(cursor, &self.names),
        }
    }

    /// Whether what this statement may end up running besides, at a COMMIT, may still run: cursors
    /// WITH HOLD, judged when they were declared.
    pub(super) fn still_keeps(&self, facts: &Facts) -> Result<(), Box<Refusal>> {
        if facts.kind != StatementKind::Commit && facts.statements <= 1 {
            return Ok(());
        }
        let mut held = self.names.held_open();
        held.try_for_each(|cursor| self.gate.still_runs(cursor, &self.names))
    }

    /// What a statement is about to make is known from now on: a Bind or Execute of it may already
    /// be on its way. If the statement fails, the name costs an error of the upstream's own.
    pub(super) fn expect_names(&mut self, facts: &Facts) {
        for effect in &facts.effects {
            if matches!(
                effect,
                Effect::Prepare { .. } | Effect::DeclareCursor { .. }
            ) {
                self.names.apply(effect);
            }
        }
    }

    /// A statement is on its way: what it does to the search_path may hold from now on.
    pub(super) fn expect_paths(&mut self, facts: &Facts) {
        let mut changes = facts.effects.iter().filter_map(Change::of).peekable();
        if changes.peek().is_none() {
            return;
        }
        for change in changes {
            self.surroundings.paths.sent(change);
        }
        self.take_over_paths();
    }

    /// A statement has ended.
    pub(super) fn follow_paths(&mut self, running: &Running) {
        let facts = &running.facts;
        match running.sqlstate {
            None => self.loudness.succeeded(facts.kind, running.loudness),
            Some(_) => self.loudness.failed(),
        }
        let paths = &mut self.surroundings.paths;
        let mut moved = paths.is_moving();
        // Of several statements in one message nobody says which of them ended a transaction.
        let alone = facts.statements <= 1;
        let has_run = running.runs == Surety::Certain || runs_once(facts.kind);
        let sure = alone && has_run;
        if running.sqlstate.is_none() || !alone {
            for change in facts.effects.iter().filter_map(Change::of) {
                let surety = if sure {
                    change.surety
                } else {
                    Surety::Possible
                };
                paths.applied(Change { surety, ..change });
                moved = true;
            }
        }
        if !moved {
            return;
        }
        match (facts.kind, running.sqlstate) {
            _ if !alone => paths.scrambled(),
            (_, Some(_)) => paths.failed(),
            (StatementKind::Commit, None) => paths.ended(End::Commit),
            (StatementKind::Rollback, None) => paths.ended(End::Rollback),
            _ => {}
        }
        self.take_over_paths();
    }

    /// Something has failed: what was done in the same transaction may be undone.
    pub(super) fn doubt_paths(&mut self) {
        self.loudness.failed();
        if self.surroundings.paths.is_moving() {
            self.surroundings.paths.failed();
        }
    }

    /// The upstream is ready for the next statement.
    pub(super) fn settle_paths(&mut self, status: TransactionStatus) {
        if status == TransactionStatus::Idle {
            self.loudness.idle();
        }
        if !self.surroundings.paths.is_moving() {
            return;
        }
        if status == TransactionStatus::Idle {
            self.surroundings.paths.idle();
        } else {
            self.surroundings.paths.goes_on();
        }
        if self.journal.is_empty() {
            self.surroundings.paths.rest();
        }
        self.take_over_paths();
    }

    /// The upstream has reported its search_path (from version 18 on).
    pub(super) fn path_reported(&mut self, value: &str) {
        self.surroundings.paths.reported(read(value));
    }

    /// A statement failed on a name, perhaps one that the snapshot shows, or ran where the snapshot
    /// shows none: whoever keeps it had better look.
    pub(super) fn suspect(&self, code: Code) {
        let of_a_name = [
            sqlstate::UNDEFINED_TABLE,
            sqlstate::UNDEFINED_COLUMN,
            sqlstate::UNDEFINED_FUNCTION,
            sqlstate::UNDEFINED_OBJECT,
            sqlstate::INVALID_SCHEMA_NAME,
        ];
        if let Some(keeper) = &self.surroundings.keeper
            && of_a_name.into_iter().any(|known| Code::from(known) == code)
        {
            keeper.suspect();
        }
    }

    pub(super) fn take_over_paths(&mut self) {
        let before = if self.journal.is_empty() {
            Before::Nothing
        } else {
            Before::Others
        };
        self.names
            .set_paths(self.surroundings.paths.possible(before));
    }
}

/// Whether a portal of such a statement cannot be run a second time.
fn runs_once(kind: StatementKind) -> bool {
    matches!(
        kind,
        StatementKind::Set | StatementKind::Reset | StatementKind::Discard
    )
}

/// The names of a search_path as its setting is written.
fn read(setting: &str) -> Option<Path> {
    let names = crate::catalog::path::split(setting)?;
    Some(names.into_iter().map(String::into_boxed_str).collect())
}
