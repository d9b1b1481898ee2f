//! What the session's names mean at this moment: what the database contains, where unqualified
//! names are looked up, as whom. The gate judges by it, and judges again what was prepared before
//! it changed.

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::SessionContext;
use super::model_values::{LoginFacts, ModelValues, ValuesChange};
use super::statement_timeout::StatementTimeout;
use super::tracked_setting::{EarlierStatements, SearchPathNames, TrackedSetting};
use crate::gate::effects::graph::EffectGraph;
use crate::gate::{Facts, Gate, ParameterTypes, PreparedStatement, Refusal, StatementKind};
use crate::policy::Policy;
use crate::session::pending::PendingReplies;
use crate::session::statement_stage::BoundPortal;
use crate::sqlstate;
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::upstream::catalog_cache::CatalogCache;
use crate::upstream::catalog_cache::groundings::GivenGrounding;
use crate::upstream::identity::ServerIdentity;
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
    pub(super) paths: TrackedSetting<SearchPathNames>,
    pub(super) values: ModelValues,
    pub(super) statement_time: StatementTimeout,
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

    /// What the database contains is kept by that cache from now on.
    fn move_to(&mut self, catalog_cache: Option<Arc<CatalogCache>>) {
        self.catalog_cache = catalog_cache;
        self.forget_catalog();
    }

    /// What the database contains is to be seen anew: under another policy, or at another server.
    pub(in crate::session) fn forget_catalog(&mut self) {
        self.generation = 0;
        self.effect_graph = None;
    }

    /// Whether anything is to be settled when statements fail or transactions end.
    pub(super) fn is_moving(&self) -> bool {
        self.paths.is_moving() || self.values.is_moving() || self.statement_time.is_moving()
    }
}

impl SessionContext {
    /// How long one statement may run at the upstream; none where nothing bounds it.
    pub(in crate::session) fn statement_time_max(&self) -> Option<Duration> {
        self.name_context.statement_time.max()
    }

    /// The version of a grounding as it was given out to sessions of this role under a policy; none
    /// where it was not.
    pub(in crate::session) fn given_grounding(
        &self,
        version: u64,
        policy: &Policy,
    ) -> Option<Arc<GivenGrounding>> {
        let catalog_cache = self.name_context.catalog_cache()?;
        let groundings = catalog_cache.groundings();
        groundings.given(version, self.names.role(), policy.name())
    }

    /// The session is at another server from now on, of the same major version: everything is
    /// judged by what that contains.
    pub(in crate::session) fn move_to(
        &mut self,
        server: Option<ServerIdentity>,
        catalog_cache: Option<Arc<CatalogCache>>,
    ) {
        self.names
            .set_server(server.map_or(0, |server| server.number()));
        self.names.set_effect_graph(None);
        self.name_context.move_to(catalog_cache);
    }

    /// What is reported to the client in place of a setting of the server's, where anything is.
    pub(in crate::session) fn reported(&self, name: &str) -> Option<&'static str> {
        self.report_as.parameter(name)
    }

    /// Takes over what the cache has learned, before anything is judged.
    pub(in crate::session) fn refresh_names(&mut self, gate: &Gate, pending: &PendingReplies) {
        let policy = gate.policy();
        if self.name_context.values.follow(policy) == ValuesChange::Perhaps
            || self.name_context.is_moving()
        {
            self.take_over_settings(pending);
        }
        let name_context = &mut self.name_context;
        let Some(catalog_cache) = &name_context.catalog_cache else {
            return;
        };
        let generation = catalog_cache.generation();
        if generation == name_context.generation {
            let Some(effect_graph) = &name_context.effect_graph else {
                catalog_cache.note_missing();
                return;
            };
            if self.names.effect_graph().is_some() {
                return;
            }
            if let Some(effect_graph) = effect_graph.upgrade() {
                self.names.set_effect_graph(Some(effect_graph));
                return;
            }
        }
        // The number was read first: should the snapshot be newer, it is taken over once more.
        let effect_graph = catalog_cache.effects(gate.policy().version_number());
        name_context.generation = generation;
        name_context.effect_graph = effect_graph.as_ref().map(Arc::downgrade);
        self.names.set_effect_graph(effect_graph);
    }

    /// Nothing is judged for now.
    pub(in crate::session) fn release_names(&mut self) {
        self.names.release_effect_graph();
    }

    /// Whether a prepared statement of this name, judged earlier, may still run. Where its verdict
    /// stood on another basis it is judged again.
    pub(in crate::session) fn recheck_statement(
        &mut self,
        name: &str,
        gate: &Gate,
        pending: &PendingReplies,
    ) -> Result<(), Box<Refusal>> {
        self.refresh_names(gate, pending);
        if self.names.is_prepared_ambiguous(name) {
            return Err(Refusal::of_name_in_doubt(name));
        }
        let known = self.names.prepared(name);
        match known.or_else(|| pending.doubtful_statement(name)) {
            None => Ok(()),
            Some(prepared) if prepared.facts.holds_on(self.names.basis()) => Ok(()),
            Some(prepared) => {
                if let ParameterTypes::Given(types) = &prepared.parameters {
                    let types = types.iter().copied();
                    gate.permits_parameters(types, &self.names)?;
                }
                gate.still_permits(prepared, &self.names)
            }
        }
    }

    /// The same for a portal.
    pub(in crate::session) fn recheck_portal(
        &mut self,
        portal: &str,
        gate: &Gate,
        pending: &PendingReplies,
    ) -> Result<(), Box<Refusal>> {
        self.refresh_names(gate, pending);
        if self.names.is_cursor_ambiguous(portal) {
            return Err(Refusal::of_name_in_doubt(portal));
        }
        match self.names.cursor(portal) {
            None => Ok(()),
            Some(cursor) => gate.still_runs(cursor, &self.names),
        }
    }

    /// The statement that a Bind names, where there is room for its portal.
    pub(in crate::session) fn prepared_for(
        &self,
        bind: &Bind<'_>,
        pending: &PendingReplies,
    ) -> Result<PreparedStatement, Box<Refusal>> {
        let known = self.names.prepared(bind.statement);
        let prepared = known.or_else(|| pending.doubtful_statement(bind.statement));
        match prepared {
            None => Err(Refusal::of_unknown_statement(bind.statement)),
            Some(_) if self.names.is_full() => Err(Refusal::of_too_many_names()),
            Some(prepared) => Ok(prepared.clone()),
        }
    }

    /// The portal that an Execute names.
    pub(in crate::session) fn portal_for(
        &self,
        execute: &Execute<'_>,
    ) -> Result<BoundPortal, Box<Refusal>> {
        match self.names.cursor(execute.portal) {
            None => Err(Refusal::of_unknown_portal(execute.portal)),
            Some(cursor) => Ok(BoundPortal {
                facts: Arc::clone(&cursor.facts),
                text: Arc::clone(&cursor.text),
                sent: cursor.sent.clone(),
            }),
        }
    }

    /// Whether what this statement may end up running besides, at a COMMIT, may still run: cursors
    /// WITH HOLD, judged when they were declared.
    pub(in crate::session) fn recheck_held_cursors(
        &self,
        facts: &Facts,
        gate: &Gate,
    ) -> Result<(), Box<Refusal>> {
        if facts.kind != StatementKind::Commit && facts.statements <= 1 {
            return Ok(());
        }
        let mut held = self.names.held_open();
        held.try_for_each(|cursor| gate.still_runs(cursor, &self.names))
    }

    /// The upstream has reported its search_path (from version 18 on).
    pub(in crate::session) fn path_reported(&mut self, value: &str) {
        self.name_context.paths.reported(parse_search_path(value));
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
        if let Some(catalog_cache) = &self.name_context.catalog_cache
            && of_a_name
                .into_iter()
                .any(|known| SqlstateCode::from(known) == code)
        {
            catalog_cache.suspect();
        }
    }

    /// The settings as they stand are those that texts are judged by from now on.
    pub(in crate::session) fn take_over_settings(&mut self, pending: &PendingReplies) {
        let before = if pending.keeps_settings() {
            EarlierStatements::Nothing
        } else {
            EarlierStatements::Others
        };
        let name_context = &self.name_context;
        let paths = name_context.paths.possible(before);
        self.names.set_paths(paths.into());
        let values = name_context.values.now(before);
        if **self.names.values() != *values {
            self.names.set_values(values);
        }
        let name_context = &self.name_context;
        let paths = name_context.paths.possible(EarlierStatements::Others);
        let values = name_context.values.now(EarlierStatements::Others);
        self.names.set_at_end(paths.into(), values);
    }
}

/// The names of a search_path as its setting is written.
fn parse_search_path(setting: &str) -> Option<SearchPathNames> {
    let names = crate::catalog::search_path::split(setting)?;
    Some(names.into_iter().map(String::into_boxed_str).collect())
}
