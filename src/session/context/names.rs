//! What the session's names mean at this moment: what the database contains, where unqualified
//! names are looked up, as whom. The gate judges by it, and judges again what was prepared before
//! it changed.

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::model_values::{LoginFacts, ModelValues, ValuesChange};
use super::statement_timeout::StatementTimeout;
use super::tracked_setting::{
    EarlierStatements, SearchPathNames, StatementEnd, TrackedChange, TrackedSetting,
    TransactionEnd, TransactionPosition,
};
use crate::gate::effects::graph::EffectGraph;
use crate::gate::{
    Certainty, Facts, ParameterTypes, PreparedStatement, Refusal, SessionEffect, StatementKind,
};
use crate::policy::Policy;
use crate::session::pending::InFlight;
use crate::session::protocol::SessionProtocol;
use crate::session::statement::BoundPortal;
use crate::sqlstate;
use crate::telemetry::labels::StatementOutcome;
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::upstream::catalog_cache::CatalogCache;
use crate::wire::backend::TransactionStatus;
use crate::wire::frontend::{Bind, Execute};

/// What a session's names mean, and who knows.
#[derive(Debug)]
pub struct NameContext {
    /// Who keeps the snapshot of the database; nobody where none is wanted.
    catalog_cache: Option<Arc<CatalogCache>>,
    /// The state of the cache that the session has taken over.
    generation: u64,
    /// The snapshot of that state, where there is one. It is held for as long as something is
    /// judged by it: sessions that do nothing would keep every snapshot that ever was.
    effect_graph: Option<Weak<EffectGraph>>,
    paths: TrackedSetting<SearchPathNames>,
    values: ModelValues,
    statement_time: StatementTimeout,
}

impl NameContext {
    /// Those of a session under a policy that begins with this search_path, as its setting is
    /// written, these values, and this bound on the time of a statement.
    pub fn new(
        catalog_cache: Option<Arc<CatalogCache>>,
        search_path: &str,
        known: LoginFacts,
        statement_time: StatementTimeout,
        policy: &Policy,
    ) -> Self {
        Self {
            catalog_cache,
            generation: 0,
            effect_graph: None,
            paths: TrackedSetting::new(parse_search_path(search_path)),
            values: ModelValues::new(known, policy),
            statement_time,
        }
    }

    /// Who keeps the snapshot of the database.
    pub(in crate::session) fn catalog_cache(&self) -> Option<&CatalogCache> {
        self.catalog_cache.as_deref()
    }

    /// What the database contains is to be seen anew: under another policy.
    pub(in crate::session) fn forget_catalog(&mut self) {
        self.generation = 0;
        self.effect_graph = None;
    }

    /// Whether anything is to be settled when statements fail or transactions end.
    fn is_moving(&self) -> bool {
        self.paths.is_moving() || self.values.is_moving() || self.statement_time.is_moving()
    }
}

impl SessionProtocol {
    /// How long one statement may run at the upstream; none where nothing bounds it.
    pub(in crate::session) fn statement_time_max(&self) -> Option<Duration> {
        self.context.name_context.statement_time.max()
    }

    /// Takes over what the cache has learned, before anything is judged.
    pub(in crate::session) fn refresh_names(&mut self) {
        let policy = self.judge.gate.policy();
        if self.context.name_context.values.follow(policy) == ValuesChange::Perhaps
            || self.context.name_context.is_moving()
        {
            self.take_over_settings();
        }
        let name_context = &mut self.context.name_context;
        let Some(catalog_cache) = &name_context.catalog_cache else {
            return;
        };
        let generation = catalog_cache.generation();
        if generation == name_context.generation {
            let Some(effect_graph) = &name_context.effect_graph else {
                catalog_cache.note_missing();
                return;
            };
            if self.context.names.effect_graph().is_some() {
                return;
            }
            if let Some(effect_graph) = effect_graph.upgrade() {
                self.context.names.set_effect_graph(Some(effect_graph));
                return;
            }
        }
        // The number was read first: should the snapshot be newer, it is taken over once more.
        let effect_graph = catalog_cache.effects(self.judge.gate.policy().version_number());
        name_context.generation = generation;
        name_context.effect_graph = effect_graph.as_ref().map(Arc::downgrade);
        self.context.names.set_effect_graph(effect_graph);
    }

    /// Nothing is judged for now.
    pub(in crate::session) fn release_names(&mut self) {
        self.context.names.release_effect_graph();
    }

    /// Whether a prepared statement of this name, judged earlier, may still run. Where its verdict
    /// stood on another basis it is judged again.
    pub(in crate::session) fn recheck_statement(&mut self, name: &str) -> Result<(), Box<Refusal>> {
        self.refresh_names();
        if self.context.names.is_prepared_ambiguous(name) {
            return Err(Refusal::of_name_in_doubt(name));
        }
        let known = self.context.names.prepared(name);
        match known.or_else(|| self.pending.doubtful_statement(name)) {
            None => Ok(()),
            Some(prepared) if prepared.facts.holds_on(self.context.names.basis()) => Ok(()),
            Some(prepared) => {
                if let ParameterTypes::Given(types) = &prepared.parameters {
                    let types = types.iter().copied();
                    self.judge
                        .gate
                        .permits_parameters(types, &self.context.names)?;
                }
                self.judge.gate.still_permits(prepared, &self.context.names)
            }
        }
    }

    /// The same for a portal.
    pub(in crate::session) fn recheck_portal(&mut self, portal: &str) -> Result<(), Box<Refusal>> {
        self.refresh_names();
        if self.context.names.is_cursor_ambiguous(portal) {
            return Err(Refusal::of_name_in_doubt(portal));
        }
        match self.context.names.cursor(portal) {
            None => Ok(()),
            Some(cursor) => self.judge.gate.still_runs(cursor, &self.context.names),
        }
    }

    /// The statement that a Bind names, where there is room for its portal.
    pub(in crate::session) fn prepared_for(
        &self,
        bind: &Bind<'_>,
    ) -> Result<PreparedStatement, Box<Refusal>> {
        let known = self.context.names.prepared(bind.statement);
        let prepared = known.or_else(|| self.pending.doubtful_statement(bind.statement));
        match prepared {
            None => Err(Refusal::of_unknown_statement(bind.statement)),
            Some(_) if self.context.names.is_full() => Err(Refusal::of_too_many_names()),
            Some(prepared) => Ok(prepared.clone()),
        }
    }

    /// The portal that an Execute names.
    pub(in crate::session) fn portal_for(
        &self,
        execute: &Execute<'_>,
    ) -> Result<BoundPortal, Box<Refusal>> {
        match self.context.names.cursor(execute.portal) {
            None => Err(Refusal::of_unknown_portal(execute.portal)),
            Some(cursor) => Ok(BoundPortal {
                facts: Arc::clone(&cursor.facts),
                text: Arc::clone(&cursor.text),
            }),
        }
    }

    /// Whether what this statement may end up running besides, at a COMMIT, may still run: cursors
    /// WITH HOLD, judged when they were declared.
    pub(in crate::session) fn recheck_held_cursors(
        &self,
        facts: &Facts,
    ) -> Result<(), Box<Refusal>> {
        if facts.kind != StatementKind::Commit && facts.statements <= 1 {
            return Ok(());
        }
        let mut held = self.context.names.held_open();
        held.try_for_each(|cursor| self.judge.gate.still_runs(cursor, &self.context.names))
    }

    /// What a statement is about to make is known from now on: a Bind or Execute of it may already
    /// be on its way. If the statement fails, the name costs an error of the upstream's own.
    pub(in crate::session) fn expect_names(&mut self, facts: &Facts) {
        for effect in &facts.effects {
            if matches!(
                effect,
                SessionEffect::Prepare { .. } | SessionEffect::DeclareCursor { .. }
            ) {
                self.context.names.apply(effect);
            }
        }
    }

    /// A statement is on its way: what it does to settings may hold from now on.
    pub(in crate::session) fn expect_settings(&mut self, facts: &Facts) {
        let mut changed = ValuesChange::Nothing;
        for effect in &facts.effects {
            if let Some(change) = TrackedChange::of_path(effect) {
                self.context.name_context.paths.sent(&change);
                changed = ValuesChange::Perhaps;
            }
            self.context.name_context.statement_time.sent(effect);
            if self.context.name_context.values.sent(effect) == ValuesChange::Perhaps {
                changed = ValuesChange::Perhaps;
            }
        }
        if changed == ValuesChange::Perhaps {
            self.take_over_settings();
        }
    }

    /// A statement has ended.
    pub(in crate::session) fn settings_after_statement(&mut self, running: &InFlight) {
        let facts = &running.facts;
        match running.sqlstate {
            None => self
                .context
                .client_min_messages
                .succeeded(facts.kind, running.client_min_messages),
            Some(_) => self.context.client_min_messages.failed(),
        }
        let NameContext {
            paths,
            values,
            statement_time,
            ..
        } = &mut self.context.name_context;
        // Of several statements in one message nobody says which of them ended a transaction.
        let alone = facts.statements <= 1;
        let has_run = running.runs == Certainty::Certain || runs_once(facts.kind);
        // What was cut may have come to its end before it was cancelled.
        let was_cut = running.outcome == StatementOutcome::Cut;
        let ran = if alone && has_run && !was_cut {
            Certainty::Certain
        } else {
            Certainty::Possible
        };
        if running.sqlstate.is_none() || was_cut || !alone {
            for effect in &facts.effects {
                match (TrackedChange::of_path(effect), ran) {
                    (Some(change), Certainty::Certain) => paths.applied(&change),
                    (Some(change), Certainty::Possible) => paths.applied(&change.possibly()),
                    (None, _) => {
                        values.applied(effect, ran);
                        statement_time.applied(effect, ran);
                    }
                }
            }
        }
        let ended = match (facts.kind, running.sqlstate) {
            _ if !alone => StatementEnd::Scrambled,
            (_, Some(_)) => StatementEnd::Failed,
            (StatementKind::Commit, None) => StatementEnd::With(TransactionEnd::Commit),
            (StatementKind::Rollback, None) => StatementEnd::With(TransactionEnd::Rollback),
            _ if is_discard_all(facts) => StatementEnd::With(TransactionEnd::AtOnce),
            _ => StatementEnd::Well,
        };
        if !self.context.name_context.is_moving() {
            return;
        }
        self.context.name_context.paths.ended(ended);
        self.context.name_context.values.ended(ended);
        self.context.name_context.statement_time.ended(ended);
        self.take_over_settings();
    }

    /// Something has failed: what was done in the same transaction may be undone.
    pub(in crate::session) fn doubt_settings(&mut self) {
        self.context.client_min_messages.failed();
        self.context.name_context.paths.doubted();
        self.context.name_context.values.doubted();
        self.context.name_context.statement_time.doubted();
    }

    /// The upstream is ready for the next statement.
    pub(in crate::session) fn settings_at_ready(&mut self, status: TransactionStatus) {
        if status == TransactionStatus::Idle {
            self.context.client_min_messages.idle();
        }
        if !self.context.name_context.is_moving() {
            return;
        }
        let place = match status {
            TransactionStatus::Idle => TransactionPosition::Outside,
            TransactionStatus::InBlock | TransactionStatus::Failed => TransactionPosition::Within,
        };
        let under_way = if self.pending.is_empty() {
            EarlierStatements::Nothing
        } else {
            EarlierStatements::Others
        };
        self.context.name_context.paths.ready(place, under_way);
        self.context.name_context.values.ready(place, under_way);
        self.context
            .name_context
            .statement_time
            .ready(place, under_way);
        self.take_over_settings();
    }

    /// The upstream has reported its search_path (from version 18 on).
    pub(in crate::session) fn path_reported(&mut self, value: &str) {
        self.context
            .name_context
            .paths
            .reported(parse_search_path(value));
    }

    /// A statement failed on a name, perhaps one that the snapshot shows, or ran where the snapshot
    /// shows none: whoever keeps it had better look.
    pub(in crate::session) fn suspect_catalog(&self, code: SqlstateCode) {
        let of_a_name = [
            sqlstate::UNDEFINED_TABLE,
            sqlstate::UNDEFINED_COLUMN,
            sqlstate::UNDEFINED_FUNCTION,
            sqlstate::UNDEFINED_OBJECT,
            sqlstate::INVALID_SCHEMA_NAME,
        ];
        if let Some(catalog_cache) = &self.context.name_context.catalog_cache
            && of_a_name
                .into_iter()
                .any(|known| SqlstateCode::from(known) == code)
        {
            catalog_cache.suspect();
        }
    }

    pub(in crate::session) fn take_over_settings(&mut self) {
        let before = if self
            .pending
            .keeps_settings(self.upstream.transaction.status)
        {
            EarlierStatements::Nothing
        } else {
            EarlierStatements::Others
        };
        let name_context = &self.context.name_context;
        let paths = name_context.paths.possible(before);
        self.context.names.set_paths(paths.into());
        let values = name_context.values.now(before);
        if **self.context.names.values() != *values {
            self.context.names.set_values(values);
        }
        let name_context = &self.context.name_context;
        let paths = name_context.paths.possible(EarlierStatements::Others);
        let values = name_context.values.now(EarlierStatements::Others);
        self.context.names.set_at_end(paths.into(), values);
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
fn parse_search_path(setting: &str) -> Option<SearchPathNames> {
    let names = crate::catalog::search_path::split(setting)?;
    Some(names.into_iter().map(String::into_boxed_str).collect())
}
fn is_discard_all(facts: &Facts) -> bool {
    let mut effects = facts.effects.iter();
    effects.any(|effect| matches!(effect, SessionEffect::DiscardAll))
}
