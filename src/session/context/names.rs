//! What the session's names mean at this moment: what the database contains, where unqualified
//! names are looked up, as whom. The gate judges by it, and judges again what was prepared before
//! it changed.

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::model_values::{Changed, Known, Values};
use super::statement_timeout::StatementTime;
use super::tracked_setting::{Before, Change, End, Ended, Followed, Path, Place};
use crate::gate::effects::graph::Sight;
use crate::gate::{Effect, Facts, Parameters, Refusal, StatementKind, Surety};
use crate::policy::Policy;
use crate::session::pending::Running;
use crate::session::protocol::Conversation;
use crate::sqlstate;
use crate::telemetry::labels::Outcome;
use crate::telemetry::sqlstate_code::Code;
use crate::upstream::catalog_cache::Keeper;
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
    paths: Followed<Path>,
    values: Values,
    statement_time: StatementTime,
}

impl Surroundings {
    /// Those of a session under a policy that begins with this search_path, as its setting is
    /// written, these values, and this bound on the time of a statement.
    pub fn new(
        keeper: Option<Arc<Keeper>>,
        search_path: &str,
        known: Known,
        statement_time: StatementTime,
        policy: &Policy,
    ) -> Self {
        Self {
            keeper,
            generation: 0,
            sight: None,
            paths: Followed::new(read(search_path)),
            values: Values::new(known, policy),
            statement_time,
        }
    }

    /// Who keeps the snapshot of the database.
    pub(in crate::session) fn keeper(&self) -> Option<&Keeper> {
        self.keeper.as_deref()
    }

    /// What the database contains is to be seen anew: under another policy.
    pub(in crate::session) fn forget(&mut self) {
        self.generation = 0;
        self.sight = None;
    }

    /// Whether anything is to be settled when statements fail or transactions end.
    fn is_moving(&self) -> bool {
        self.paths.is_moving() || self.values.is_moving() || self.statement_time.is_moving()
    }
}

impl Conversation {
    /// How long one statement may run at the upstream; none where nothing bounds it.
    pub(in crate::session) fn statement_time_max(&self) -> Option<Duration> {
        self.surroundings.statement_time.max()
    }

    /// Takes over what the keeper has learned, before anything is judged.
    pub(in crate::session) fn look_around(&mut self) {
        let policy = self.gate.policy();
        if self.surroundings.values.follow(policy) == Changed::Perhaps
            || self.surroundings.is_moving()
        {
            self.take_over_settings();
        }
        let surroundings = &mut self.surroundings;
        let Some(keeper) = &surroundings.keeper else {
            return;
        };
        let generation = keeper.generation();
        if generation == surroundings.generation {
            let Some(sight) = &surroundings.sight else {
                keeper.miss();
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
        let sight = keeper.sight(self.gate.policy().version_number());
        surroundings.generation = generation;
        surroundings.sight = sight.as_ref().map(Arc::downgrade);
        self.names.set_sight(sight);
    }

    /// Nothing is judged for now.
    pub(in crate::session) fn look_away(&mut self) {
        self.names.put_sight_away();
    }

    /// Whether a prepared statement of this name, judged earlier, may still run. Where its verdict
    /// stood on other grounds it is judged again.
    pub(in crate::session) fn still_permits(&mut self, name: &str) -> Result<(), Box<Refusal>> {
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
                self.gate.still_permits(prepared, &self.names)
            }
        }
    }

    /// The same for a portal.
    pub(in crate::session) fn still_runs(&mut self, portal: &str) -> Result<(), Box<Refusal>> {
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
    pub(in crate::session) fn still_keeps(&self, facts: &Facts) -> Result<(), Box<Refusal>> {
        if facts.kind != StatementKind::Commit && facts.statements <= 1 {
            return Ok(());
        }
        let mut held = self.names.held_open();
        held.try_for_each(|cursor| self.gate.still_runs(cursor, &self.names))
    }

    /// What a statement is about to make is known from now on: a Bind or Execute of it may already
    /// be on its way. If the statement fails, the name costs an error of the upstream's own.
    pub(in crate::session) fn expect_names(&mut self, facts: &Facts) {
        for effect in &facts.effects {
            if matches!(
                effect,
                Effect::Prepare { .. } | Effect::DeclareCursor { .. }
            ) {
                self.names.apply(effect);
            }
        }
    }

    /// A statement is on its way: what it does to settings may hold from now on.
    pub(in crate::session) fn expect_settings(&mut self, facts: &Facts) {
        let mut changed = Changed::Nothing;
        for effect in &facts.effects {
            if let Some(change) = Change::of_path(effect) {
                self.surroundings.paths.sent(&change);
                changed = Changed::Perhaps;
            }
            self.surroundings.statement_time.sent(effect);
            if self.surroundings.values.sent(effect) == Changed::Perhaps {
                changed = Changed::Perhaps;
            }
        }
        if changed == Changed::Perhaps {
            self.take_over_settings();
        }
    }

    /// A statement has ended.
    pub(in crate::session) fn follow_settings(&mut self, running: &Running) {
        let facts = &running.facts;
        match running.sqlstate {
            None => self.loudness.succeeded(facts.kind, running.loudness),
            Some(_) => self.loudness.failed(),
        }
        let Surroundings {
            paths,
            values,
            statement_time,
            ..
        } = &mut self.surroundings;
        // Of several statements in one message nobody says which of them ended a transaction.
        let alone = facts.statements <= 1;
        let has_run = running.runs == Surety::Certain || runs_once(facts.kind);
        // What was cut may have come to its end before it was cancelled.
        let was_cut = running.outcome == Outcome::Cut;
        let ran = if alone && has_run && !was_cut {
            Surety::Certain
        } else {
            Surety::Possible
        };
        if running.sqlstate.is_none() || was_cut || !alone {
            for effect in &facts.effects {
                match (Change::of_path(effect), ran) {
                    (Some(change), Surety::Certain) => paths.applied(&change),
                    (Some(change), Surety::Possible) => paths.applied(&change.possibly()),
                    (None, _) => {
                        values.applied(effect, ran);
                        statement_time.applied(effect, ran);
                    }
                }
            }
        }
        let ended = match (facts.kind, running.sqlstate) {
            _ if !alone => Ended::Scrambled,
            (_, Some(_)) => Ended::Failed,
            (StatementKind::Commit, None) => Ended::With(End::Commit),
            (StatementKind::Rollback, None) => Ended::With(End::Rollback),
            _ if is_discard_all(facts) => Ended::With(End::AtOnce),
            _ => Ended::Well,
        };
        if !self.surroundings.is_moving() {
            return;
        }
        self.surroundings.paths.ended(ended);
        self.surroundings.values.ended(ended);
        self.surroundings.statement_time.ended(ended);
        self.take_over_settings();
    }

    /// Something has failed: what was done in the same transaction may be undone.
    pub(in crate::session) fn doubt_settings(&mut self) {
        self.loudness.failed();
        self.surroundings.paths.doubted();
        self.surroundings.values.doubted();
        self.surroundings.statement_time.doubted();
    }

    /// The upstream is ready for the next statement.
    pub(in crate::session) fn settle_settings(&mut self, status: TransactionStatus) {
        if status == TransactionStatus::Idle {
            self.loudness.idle();
        }
        if !self.surroundings.is_moving() {
            return;
        }
        let place = match status {
            TransactionStatus::Idle => Place::Outside,
            TransactionStatus::InBlock | TransactionStatus::Failed => Place::Within,
        };
        let under_way = if self.journal.is_empty() {
            Before::Nothing
        } else {
            Before::Others
        };
        self.surroundings.paths.ready(place, under_way);
        self.surroundings.values.ready(place, under_way);
        self.surroundings.statement_time.ready(place, under_way);
        self.take_over_settings();
    }

    /// The upstream has reported its search_path (from version 18 on).
    pub(in crate::session) fn path_reported(&mut self, value: &str) {
        self.surroundings.paths.reported(read(value));
    }

    /// A statement failed on a name, perhaps one that the snapshot shows, or ran where the snapshot
    /// shows none: whoever keeps it had better look.
    pub(in crate::session) fn suspect(&self, code: Code) {
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

    pub(in crate::session) fn take_over_settings(&mut self) {
        let before = if self.journal.keeps_settings(self.standing.status) {
            Before::Nothing
        } else {
            Before::Others
        };
        let surroundings = &self.surroundings;
        let paths = surroundings.paths.possible(before);
        self.names.set_paths(paths.into());
        let values = surroundings.values.now(before);
        if **self.names.values() != *values {
            self.names.set_values(values);
        }
        let surroundings = &self.surroundings;
        let paths = surroundings.paths.possible(Before::Others);
        let values = surroundings.values.now(Before::Others);
        self.names.set_at_end(paths.into(), values);
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
    let names = crate::catalog::search_path::split(setting)?;
    Some(names.into_iter().map(String::into_boxed_str).collect())
}
fn is_discard_all(facts: &Facts) -> bool {
    let mut effects = facts.effects.iter();
    effects.any(|effect| matches!(effect, Effect::DiscardAll))
}
