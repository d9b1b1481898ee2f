//! One connection of a cache: loads, and looks again and again whether that still holds.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::{Client, SimpleQueryMessage};

use super::account_change::ServerDecision;
use super::load_failure::CatalogLoadFailure;
use super::policy_effects::PolicyEffects;
use super::published::CatalogState;
use super::refresh_task::{ConnectionEnd, RefreshTask};
use super::replication_lag::{self, role_answers};
use crate::catalog::Catalog;
use crate::catalog::catalog_rows::CatalogRows;
use crate::catalog::drift::{self, Drift};
use crate::limits;
use crate::policy::Policy;
use crate::telemetry::events::{CatalogDrifted, CatalogLoaded, UpstreamTold};
use crate::telemetry::labels::{CatalogFailure, CatalogLoad};
use crate::upstream::engine::profile::EngineProfile;
use crate::upstream::identity::{IdentityQuery, ServerIdentity};
use crate::upstream::login_retry::jittered;
use crate::upstream::snapshot::{self, ChangeMarker, UpstreamAccount};

/// A connection under way.
pub(super) struct CatalogConnection<'w> {
    watch: &'w mut RefreshTask,
    client: Client,
    connection: JoinHandle<()>,
    heard: Arc<Notify>,
    /// Where it was when it began.
    server: ServerIdentity,
    loaded: Option<LoadedCatalog>,
    /// When it is to be asked again whether the server is a standby.
    part_due: Option<Instant>,
}

/// What was loaded on this connection.
struct LoadedCatalog {
    /// What the server said of its state, as it was then or is since.
    marker: ChangeMarker,
    /// When the last load began.
    at: Instant,
}

/// Why the next check comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WakeReason {
    /// It is time.
    Interval,
    /// Somebody who can has said that something changed.
    Announcement,
    /// A session has met something that the snapshot does not explain.
    Suspicion,
}

/// What a load brought.
struct BuiltCatalog {
    policy_effects: PolicyEffects,
    outcome: CatalogLoad,
    /// What differs from the one before, if there was one.
    drift: Drift,
}

impl<'w> CatalogConnection<'w> {
    /// Logs in and stays until something fails.
    ///
    /// May be cancelled: the connection is dropped.
    pub(super) async fn run(
        watch: &'w mut RefreshTask,
        account: &UpstreamAccount,
    ) -> Result<ConnectionEnd, CatalogLoadFailure> {
        let heard = Arc::new(Notify::new());
        let Some((client, connection, server)) = reach(watch, account, &heard).await? else {
            return Ok(ConnectionEnd::Forgotten);
        };
        timeout(limits::CATALOG_CHECK_TIME_MAX, listen(&client)).await?;
        let visit = Self {
            watch,
            client,
            connection,
            heard,
            server,
            loaded: None,
            part_due: None,
        };
        visit.run_checks().await
    }

    async fn run_checks(mut self) -> Result<ConnectionEnd, CatalogLoadFailure> {
        let mut wake = WakeReason::Interval;
        loop {
            // Counted from before the question: what changes after it is not in the answer.
            let began = Instant::now();
            let marker = timeout(limits::CATALOG_CHECK_TIME_MAX, self.check_marker()).await??;
            let at = match &self.loaded {
                Some(loaded) if !self.must_load(loaded, &marker, wake) => loaded.at,
                Some(_) | None => {
                    self.load(began).await?;
                    began
                }
            };
            // The marker is of before the load: what changed in between is another marker.
            self.loaded = Some(LoadedCatalog { marker, at });
            self.watch.cached.published.confirm(began);
            self.watch.note_check(began);
            self.watch.note_success();
            self.ask_server_role().await;
            wake = self.rest().await?;
            if self.watch.registry.forgets(&self.watch.cached) {
                return Ok(ConnectionEnd::Forgotten);
            }
        }
    }

    /// What the server says of its state, if it still is the one that it was.
    async fn check_marker(&self) -> Result<ChangeMarker, CatalogLoadFailure> {
        let marker = async {
            match &self.loaded {
                Some(loaded) => loaded.marker.again(&self.client).await,
                None => snapshot::marker(&self.client).await,
            }
        };
        let (marker, server) = tokio::join!(marker, current_server(&self.client));
        let (marker, server) = (marker?, server.ok_or(CatalogLoadFailure::Unidentified)?);
        if !self.server.is_same(&server) {
            // A pooler has gone over to another server under this connection, and under others.
            let why = CatalogFailure::OtherServer;
            self.watch
                .cached
                .published
                .withdraw(CatalogState::Failed { why });
            return Err(CatalogLoadFailure::OtherServer);
        }
        Ok(marker)
    }

    /// Whether the server is a standby; known for some intervals.
    async fn ask_server_role(&mut self) {
        let now = Instant::now();
        if self.part_due.is_some_and(|due| now < due) {
            return;
        }
        self.part_due = Some(now + limits::UPSTREAM_LAG_PAUSE);
        let answers = role_answers(&self.watch.cached.upstream);
        let Some(part) = replication_lag::server_role(&self.client, answers).await else {
            return;
        };
        let registry = &self.watch.registry;
        registry.telemetry.emit(&UpstreamTold {
            upstream: &self.watch.cached.upstream.settings().endpoint.to_string(),
            part,
            valid: (registry.settings.poll_interval + limits::UPSTREAM_LAG_PAUSE)
                * limits::UPSTREAM_LAG_POLLS_MAX,
        });
    }

    fn must_load(&self, loaded: &LoadedCatalog, marker: &ChangeMarker, wake: WakeReason) -> bool {
        let age = loaded.at.elapsed();
        let is_suspicious =
            wake == WakeReason::Suspicion && age > limits::CATALOG_SUSPICION_LOAD_PAUSE;
        let is_due = age > self.watch.registry.settings.refresh_interval;
        loaded.marker != *marker || is_due || is_suspicious
    }

    /// Loads and publishes what a check begun at that moment has called for.
    async fn load(&mut self, began: Instant) -> Result<(), CatalogLoadFailure> {
        let loading = snapshot::load(&self.client);
        let rows = timeout(limits::CATALOG_LOAD_TIME_MAX, loading).await??;
        let (last, policies) = (self.watch.last.clone(), self.watch.registry.policies());
        // Sorting and hashing tens of thousands of rows is no work for a thread that accepts.
        let building = spawn_blocking(move || build(rows, last.as_deref(), &policies)).await;
        let mut built = building.map_err(|_panic| CatalogLoadFailure::Panicked)??;
        // While it was built, policies may have come that it is wanted under as well. They are read
        // at most once a second or so, so this ends.
        while let Err(policies) = self.publish(&built, began) {
            let policy_effects = built.policy_effects.clone();
            let building = spawn_blocking(move || policy_effects.for_policies(&policies)).await;
            built.policy_effects = building.map_err(|_panic| CatalogLoadFailure::Panicked)?;
        }
        self.watch.last = Some(Arc::clone(built.policy_effects.catalog()));
        Ok(())
    }

    /// What was loaded is shown also when it is the same by its names: oids may be others now.
    ///
    /// # Errors
    /// The policies that it has to be looked through under before it can be shown.
    fn publish(&self, built: &BuiltCatalog, began: Instant) -> Result<(), Vec<Arc<Policy>>> {
        let watch = &*self.watch;
        let BuiltCatalog {
            policy_effects,
            outcome,
            drift,
        } = built;
        let database = &watch.cached.database;
        watch
            .registry
            .publish(&watch.cached.published, policy_effects, began)?;
        watch.registry.telemetry.emit(&CatalogLoaded {
            number: watch.number,
            database,
            catalog: policy_effects.catalog(),
            outcome: *outcome,
            duration: began.elapsed(),
        });
        if !drift.is_empty() {
            let drifted = CatalogDrifted { database, drift };
            watch.registry.telemetry.emit(&drifted);
        }
        Ok(())
    }

    /// Waits for the next check. What hurries is heard only after a short rest: clients can cause
    /// it.
    async fn rest(&mut self) -> Result<WakeReason, CatalogLoadFailure> {
        let interval = self.watch.registry.settings.poll_interval;
        let least = limits::CATALOG_CHECK_PAUSE.min(interval);
        let cached = &self.watch.cached;
        tokio::select! {
            _ = &mut self.connection => return Err(CatalogLoadFailure::Lost),
            () = sleep(least) => {}
        }
        tokio::select! {
            _ = &mut self.connection => Err(CatalogLoadFailure::Lost),
            () = cached.suspicion.notified() => Ok(WakeReason::Suspicion),
            () = self.heard.notified() => Ok(WakeReason::Announcement),
            () = sleep(interval.saturating_sub(least)) => Ok(WakeReason::Interval),
        }
    }
}

/// A session at the server whose catalog is kept: where another one answers it is tried again, and
/// where nobody needs the one that is wanted any more, the other one's is kept from now on. Nothing
/// where somebody else keeps that already.
///
/// May be cancelled: the connection is dropped.
async fn reach(
    watch: &RefreshTask,
    account: &UpstreamAccount,
    heard: &Arc<Notify>,
) -> Result<Option<(Client, JoinHandle<()>, ServerIdentity)>, CatalogLoadFailure> {
    let (registry, cached) = (&watch.registry, &watch.cached);
    for _ in 0..limits::SERVER_TRIES_MAX {
        let (upstream, heard) = (&cached.upstream, Arc::clone(heard));
        let connecting = snapshot::connect_hearing(upstream, account, &cached.database, heard);
        let (client, connection, server) = connecting.await?;
        if let Some(why) = upstream.profile().and_then(EngineProfile::unread_catalog) {
            return Err(CatalogLoadFailure::Engine(why));
        }
        let server = server.ok_or(CatalogLoadFailure::Unidentified)?;
        match registry.after_reaching(cached, &server) {
            ServerDecision::Here => return Ok(Some((client, connection, server))),
            ServerDecision::Forgotten => return Ok(None),
            ServerDecision::Elsewhere => sleep(jittered(limits::SERVER_PAUSE)).await,
        }
    }
    Err(CatalogLoadFailure::OtherServer)
}

/// Which server a session is at now: a pooler may go over to another one under it.
async fn current_server(client: &Client) -> Option<ServerIdentity> {
    let question = IdentityQuery::WithoutSystem;
    let said = client.simple_query(question.text()).await.ok()?;
    said.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => {
            let values: Vec<Option<&str>> = (0..question.columns())
                .map(|place| row.try_get(place).ok().flatten())
                .collect();
            ServerIdentity::read(&values)
        }
        _ => None,
    })
}

/// Has announcements sent, where the server has any: a standby lets nobody listen. What cannot be
/// heard is seen at the next look.
async fn listen(client: &Client) {
    let said = client.simple_query("SELECT pg_is_in_recovery()").await;
    let is_primary = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => row.get(0) == Some("f"),
        _ => false,
    };
    if said.is_ok_and(|messages| messages.iter().any(is_primary)) {
        // In vain where a pooler does not carry it, or the connection is lost, which shows soon.
        let _ = client.batch_execute(LISTEN).await;
    }
}

fn build(
    rows: CatalogRows,
    last: Option<&Catalog>,
    policies: &[Arc<Policy>],
) -> Result<BuiltCatalog, CatalogLoadFailure> {
    let catalog = Arc::new(Catalog::build(rows)?);
    let (outcome, drift) = match last {
        Some(last) if last.version() == catalog.version() => (CatalogLoad::Same, Drift::default()),
        Some(last) => (CatalogLoad::Loaded, drift::between(last, &catalog)),
        None => (CatalogLoad::Loaded, Drift::default()),
    };
    Ok(BuiltCatalog {
        policy_effects: PolicyEffects::of(catalog, policies),
        outcome,
        drift,
    })
}

/// The channel on which an owner's event trigger announces changes. Anybody may: what is heard is a
/// reason to look and nothing more.
const LISTEN: &str = "LISTEN pgsieve_catalog";
