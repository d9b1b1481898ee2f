//! One connection of a keeper: loads, and looks again and again whether that still holds.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::{Client, SimpleQueryMessage};

use super::account_change::Settled;
use super::load_failure::Failure;
use super::policy_effects::Sights;
use super::published::State;
use super::refresh_task::{Parting, Watch};
use super::replication_lag;
use crate::catalog::Catalog;
use crate::catalog::catalog_rows::Rows;
use crate::catalog::drift::{self, Drift};
use crate::limits;
use crate::policy::Policy;
use crate::telemetry::events::{CatalogDrifted, CatalogLoaded, UpstreamTold};
use crate::telemetry::labels::{CatalogFailure, CatalogLoad};
use crate::upstream::identity::{Question, ServerIdentity};
use crate::upstream::login_retry::jittered;
use crate::upstream::snapshot::{self, Account, Marker};

/// A visit under way.
pub(super) struct Visit<'w> {
    watch: &'w mut Watch,
    client: Client,
    connection: JoinHandle<()>,
    heard: Arc<Notify>,
    /// Where it was when it began.
    server: ServerIdentity,
    loaded: Option<Loaded>,
    /// When it is to be asked again whether the server is a standby.
    part_due: Option<Instant>,
}

/// What was loaded on this connection.
struct Loaded {
    /// What the server said of its state, as it was then or is since.
    marker: Marker,
    /// When the last load began.
    at: Instant,
}

/// Why the next check comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wake {
    /// It is time.
    Interval,
    /// Somebody who can has said that something changed.
    Announcement,
    /// A session has met something that the snapshot does not explain.
    Suspicion,
}

/// What a load brought.
struct Built {
    sights: Sights,
    outcome: CatalogLoad,
    /// What differs from the one before, if there was one.
    drift: Drift,
}

impl<'w> Visit<'w> {
    /// Logs in and stays until something fails.
    ///
    /// May be cancelled: the connection is dropped.
    pub(super) async fn pay(watch: &'w mut Watch, account: &Account) -> Result<Parting, Failure> {
        let heard = Arc::new(Notify::new());
        let Some((client, connection, server)) = reach(watch, account, &heard).await? else {
            return Ok(Parting::Forgotten);
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
        visit.stay().await
    }

    async fn stay(mut self) -> Result<Parting, Failure> {
        let mut wake = Wake::Interval;
        loop {
            // Counted from before the question: what changes after it is not in the answer.
            let began = Instant::now();
            let marker = timeout(limits::CATALOG_CHECK_TIME_MAX, self.look()).await??;
            let at = match &self.loaded {
                Some(loaded) if !self.must_load(loaded, &marker, wake) => loaded.at,
                Some(_) | None => {
                    self.load(began).await?;
                    began
                }
            };
            // The marker is of before the load: what changed in between is another marker.
            self.loaded = Some(Loaded { marker, at });
            self.watch.charge.board.confirm(began);
            self.watch.note_check(began);
            self.watch.note_success();
            self.ask_part().await;
            wake = self.rest().await?;
            if self.watch.registry.forgets(&self.watch.charge) {
                return Ok(Parting::Forgotten);
            }
        }
    }

    /// What the server says of its state, if it still is the one that it was.
    async fn look(&self) -> Result<Marker, Failure> {
        let marker = async {
            match &self.loaded {
                Some(loaded) => loaded.marker.again(&self.client).await,
                None => snapshot::marker(&self.client).await,
            }
        };
        let (marker, server) = tokio::join!(marker, whereabouts(&self.client));
        let (marker, server) = (marker?, server.ok_or(Failure::Unidentified)?);
        if !self.server.is_same(&server) {
            // A pooler has gone over to another server under this connection, and under others.
            let why = CatalogFailure::OtherServer;
            self.watch.charge.board.take_down(State::Failed { why });
            return Err(Failure::OtherServer);
        }
        Ok(marker)
    }

    /// Whether the server is a standby; known for some intervals.
    async fn ask_part(&mut self) {
        let now = Instant::now();
        if self.part_due.is_some_and(|due| now < due) {
            return;
        }
        self.part_due = Some(now + limits::UPSTREAM_LAG_PAUSE);
        let Some(part) = replication_lag::part(&self.client).await else {
            return;
        };
        let registry = &self.watch.registry;
        registry.telemetry.emit(&UpstreamTold {
            upstream: &registry.upstream.settings().endpoint.to_string(),
            part,
            valid: (registry.settings.poll_interval + limits::UPSTREAM_LAG_PAUSE)
                * limits::UPSTREAM_LAG_POLLS_MAX,
        });
    }

    fn must_load(&self, loaded: &Loaded, marker: &Marker, wake: Wake) -> bool {
        let age = loaded.at.elapsed();
        let is_suspicious = wake == Wake::Suspicion && age > limits::CATALOG_SUSPICION_LOAD_PAUSE;
        let is_due = age > self.watch.registry.settings.refresh_interval;
        loaded.marker != *marker || is_due || is_suspicious
    }

    /// Loads and publishes what a check begun at that moment has called for.
    async fn load(&mut self, began: Instant) -> Result<(), Failure> {
        let loading = snapshot::load(&self.client);
        let rows = timeout(limits::CATALOG_LOAD_TIME_MAX, loading).await??;
        let (last, policies) = (self.watch.last.clone(), self.watch.registry.policies());
        // Sorting and hashing tens of thousands of rows is no work for a thread that accepts.
        let building = spawn_blocking(move || build(rows, last.as_deref(), &policies)).await;
        let mut built = building.map_err(|_panic| Failure::Panicked)??;
        // While it was built, policies may have come that it is wanted under as well. They are read
        // at most once a second or so, so this ends.
        while let Err(policies) = self.publish(&built, began) {
            let sights = built.sights.clone();
            let building = spawn_blocking(move || sights.under(&policies)).await;
            built.sights = building.map_err(|_panic| Failure::Panicked)?;
        }
        self.watch.last = Some(Arc::clone(built.sights.catalog()));
        Ok(())
    }

    /// What was loaded is shown also when it is the same by its names: oids may be others now.
    ///
    /// # Errors
    /// The policies that it has to be looked through under before it can be shown.
    fn publish(&self, built: &Built, began: Instant) -> Result<(), Vec<Arc<Policy>>> {
        let watch = &*self.watch;
        let Built {
            sights,
            outcome,
            drift,
        } = built;
        let database = &watch.charge.database;
        watch.registry.publish(&watch.charge.board, sights, began)?;
        watch.registry.telemetry.emit(&CatalogLoaded {
            number: watch.number,
            database,
            catalog: sights.catalog(),
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
    async fn rest(&mut self) -> Result<Wake, Failure> {
        let interval = self.watch.registry.settings.poll_interval;
        let least = limits::CATALOG_CHECK_PAUSE.min(interval);
        let charge = &self.watch.charge;
        tokio::select! {
            _ = &mut self.connection => return Err(Failure::Lost),
            () = sleep(least) => {}
        }
        tokio::select! {
            _ = &mut self.connection => Err(Failure::Lost),
            () = charge.suspicion.notified() => Ok(Wake::Suspicion),
            () = self.heard.notified() => Ok(Wake::Announcement),
            () = sleep(interval.saturating_sub(least)) => Ok(Wake::Interval),
        }
    }
}

/// A session at the server whose catalog is kept: where another one answers it is tried again, and
/// where nobody needs the one that is wanted any more, the other one's is kept from now on. Nothing
/// where somebody else keeps that already.
///
/// May be cancelled: the connection is dropped.
async fn reach(
    watch: &Watch,
    account: &Account,
    heard: &Arc<Notify>,
) -> Result<Option<(Client, JoinHandle<()>, ServerIdentity)>, Failure> {
    let (registry, charge) = (&watch.registry, &watch.charge);
    for _ in 0..limits::SERVER_TRIES_MAX {
        let (upstream, heard) = (&registry.upstream, Arc::clone(heard));
        let connecting = snapshot::connect_hearing(upstream, account, &charge.database, heard);
        let (client, connection, server) = connecting.await?;
        let server = server.ok_or(Failure::Unidentified)?;
        match registry.settle(charge, &server) {
            Settled::Here => return Ok(Some((client, connection, server))),
            Settled::Forgotten => return Ok(None),
            Settled::Elsewhere => sleep(jittered(limits::SERVER_PAUSE)).await,
        }
    }
    Err(Failure::OtherServer)
}

/// Which server a session is at now: a pooler may go over to another one under it.
async fn whereabouts(client: &Client) -> Option<ServerIdentity> {
    let question = Question::WithoutSystem;
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

fn build(rows: Rows, last: Option<&Catalog>, policies: &[Arc<Policy>]) -> Result<Built, Failure> {
    let catalog = Arc::new(Catalog::build(rows)?);
    let (outcome, drift) = match last {
        Some(last) if last.version() == catalog.version() => (CatalogLoad::Same, Drift::default()),
        Some(last) => (CatalogLoad::Loaded, drift::between(last, &catalog)),
        None => (CatalogLoad::Loaded, Drift::default()),
    };
    Ok(Built {
        sights: Sights::of(catalog, policies),
        outcome,
        drift,
    })
}

/// The channel on which an owner's event trigger announces changes. Anybody may: what is heard is a
/// reason to look and nothing more.
const LISTEN: &str = "LISTEN pgsieve_catalog";
