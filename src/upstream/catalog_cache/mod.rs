//! Keeps what a database contains known: one cache per database and server loads a snapshot of it,
//! looks again and again whether it still holds, and loads anew when it does not.
//!
//! A snapshot belongs to the server that it was read from. Behind one address there may be several,
//! after a failover or before a balancer: a session is judged by the snapshot of its own server or
//! by none.
//!
//! How long a change in the database stays unseen, at most: `catalog.poll_interval` until it is
//! noticed, and then the time of a load, which is under a second for thousands of tables; and never
//! longer than `catalog.age_max`. Until then statements are judged by the snapshot before. A change
//! that is announced on the channel `pgsieve_catalog` is noticed at once. When nobody can say
//! whether the snapshot still holds, or what holds now cannot be loaded, it is withdrawn after
//! `catalog.age_max`, counted from the last check that found it to hold, and the policy decides
//! what runs without one.
//!
//! * `settings`: what can be set; `catalog_account`: who the cache logs in as; `account_change`:
//!   that changes while it runs
//! * `registry`: the caches of all databases; `cached_databases`: which are kept, and how long;
//!   `server_choice`: at which server one is
//! * `published`: what is known now, for sessions to read; `policy_effects`: the same under each
//!   policy
//! * `groundings`: what was told of a database, and what each version of that showed
//! * `refresh_task`: a cache's task; `connection`: one connection of it; `load_failure`: how one
//!   ends; `replication_lag`: how far a standby is behind
//!
//! Never blocks a session: what sessions call takes a lock for as long as a pointer is copied.

mod account_change;
mod cached_databases;
pub mod catalog_account;
pub mod connection;
pub mod groundings;
pub mod load_failure;
pub mod policy_effects;
pub mod published;
pub mod refresh_task;
pub mod registry;
pub mod replication_lag;
pub mod server_choice;
pub mod settings;

use std::fmt;
use std::sync::Arc;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

pub use self::published::{CatalogCacheStatus, CatalogState};
pub use self::registry::{CatalogCaches, CatalogStatus};
pub use self::settings::CatalogCacheSettings;

use self::catalog_account::{AccountSetting, CatalogAccounts};
use self::groundings::{DatabaseGroundings, GivenGrounding};
use self::policy_effects::PolicyEffects;
use self::published::Published;
use self::server_choice::{CallOutcome, ServerChoice};
use crate::gate::effects::graph::EffectGraph;
use crate::limits;
use crate::upstream::connect::Upstream;
use crate::upstream::identity::ServerIdentity;
use crate::upstream::servers::UpstreamServers;
use crate::upstream::servers::directory::UpstreamDirectory;
use crate::upstream::snapshot::UpstreamAccount;

/// What is known of one database at one server, and the wish to know it better: what a session
/// holds. While any session does, the cache stays.
pub struct CatalogCache {
    cached: Arc<CachedDatabase>,
}

/// One database at one server, as its cache's task and the registry have it.
struct CachedDatabase {
    database: Box<str>,
    /// The way to its server.
    upstream: Arc<Upstream>,
    published: Published,
    accounts: CatalogAccounts,
    server_choice: ServerChoice,
    suspicion: Notify,
    /// Those of the database, wherever it is.
    groundings: Arc<DatabaseGroundings>,
}

/// A database that can be told of now. While anybody has this, its cache stays.
pub struct GroundableDatabase {
    /// What a grounding is made of.
    pub policy_effects: Arc<PolicyEffects>,
    /// Who reads what is not in it.
    pub account: UpstreamAccount,
    /// The server that it is at, where it has found one.
    pub server: Option<ServerIdentity>,
    /// The way there.
    pub upstream: Arc<Upstream>,
    catalog_cache: Arc<CatalogCache>,
}

/// Why a database cannot be told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UngroundableDatabase {
    /// Catalogs are off.
    Off,
    /// No database was named, and the settings name none.
    Unnamed,
    /// No catalog of it is kept.
    Unknown,
    /// It is not loaded, or not any more.
    NotLoaded,
}

impl GroundableDatabase {
    /// Its name.
    pub fn database(&self) -> &str {
        self.catalog_cache.database()
    }

    /// What was told of it.
    pub fn groundings(&self) -> &DatabaseGroundings {
        self.catalog_cache.groundings()
    }
}

impl CatalogCache {
    /// The database.
    pub fn database(&self) -> &str {
        &self.cached.database
    }

    /// A number that is another one whenever the effect graph may be; zero while there is none.
    /// Cheap: two atomics and the clock.
    pub fn generation(&self) -> u64 {
        self.cached.published.generation()
    }

    /// The eyes of the gate for this database, under the policy of that version; none while no
    /// snapshot is loaded, or when it is not known for too long whether the one that was still
    /// holds.
    pub fn effects(&self, policy_version: u64) -> Option<Arc<EffectGraph>> {
        self.cached.published.effects(policy_version)
    }

    /// What a role is a member of, by the snapshot that is shown, itself among it; none while no
    /// snapshot holds, or where the snapshot does not know the role.
    pub fn roles(&self, role: &str) -> Option<Vec<Box<str>>> {
        self.cached.roles(role)
    }

    /// Waits for the end of the first load, or of the first after an outage, good or bad, and not
    /// longer than a login may wait for it. May be cancelled.
    pub async fn first_load(&self, deadline: Instant) {
        let deadline = deadline.min(Instant::now() + limits::CATALOG_FIRST_LOAD_WAIT_MAX);
        // In vain: the login goes on without, and the policy decides.
        let _ = timeout_at(deadline, self.cached.published.settled()).await;
    }

    /// A statement failed in a way that the snapshot does not explain: it is checked now instead
    /// of at the next interval. How often that happens is bounded by the cache.
    pub fn suspect(&self) {
        self.cached.suspicion.notify_one();
    }

    /// A statement is judged, and nothing is known: whoever pauses should not pause for long.
    pub fn note_missing(&self) {
        self.cached.server_choice.note_missing();
    }

    /// How it stands.
    pub fn status(&self) -> CatalogCacheStatus {
        self.cached.published.status()
    }

    /// What was told of the database.
    pub fn groundings(&self) -> &DatabaseGroundings {
        &self.cached.groundings
    }
}

impl CatalogCaches {
    /// What a role is a member of by a snapshot of that database, of whichever of those servers:
    /// what is made of it has to be looked at again with the session's own.
    pub fn roles_at_any(
        &self,
        (database, servers): (&str, &UpstreamServers),
        role: &str,
    ) -> Option<Vec<Box<str>>> {
        let cached = self.registry.as_ref()?.cached_databases();
        let mut own = cached
            .iter()
            .filter(|cached| *cached.database == *database && servers.have(&cached.upstream));
        own.find_map(|cached| cached.roles(role))
    }

    /// A database of which a snapshot holds, at whichever of its servers, by the name that clients
    /// have for it; the settings' own where none is named.
    ///
    /// # Errors
    /// There is none.
    pub fn groundable(
        &self,
        database: Option<&str>,
        directory: &UpstreamDirectory,
    ) -> Result<GroundableDatabase, UngroundableDatabase> {
        let Some(registry) = self.registry.as_ref() else {
            return Err(UngroundableDatabase::Off);
        };
        let Some(database) = database.or(registry.named()) else {
            return Err(UngroundableDatabase::Unnamed);
        };
        let home = directory.home_of(database);
        let mut caches = registry.caches_of(&home.database);
        caches.retain(|one| home.servers.have(&one.cached.upstream));
        if caches.is_empty() {
            return Err(UngroundableDatabase::Unknown);
        }
        let told = caches.into_iter().find_map(|catalog_cache| {
            let cached = &catalog_cache.cached;
            let shown = cached.published.policy_effects();
            Some(GroundableDatabase {
                policy_effects: shown.filter(|_| cached.published.is_fresh())?,
                account: cached.accounts.current()?,
                server: cached.server_choice.server(),
                upstream: Arc::clone(&cached.upstream),
                catalog_cache,
            })
        });
        told.ok_or(UngroundableDatabase::NotLoaded)
    }

    /// The version of each database that was told last.
    pub fn latest_groundings(&self) -> Vec<(String, Arc<GivenGrounding>)> {
        let registry = self.registry.iter();
        let cached = registry.flat_map(|registry| registry.cached_databases());
        let latest = cached.filter_map(|cached| {
            let given = cached.groundings.latest()?;
            Some((cached.database.to_string(), given))
        });
        latest.collect()
    }
}

impl CachedDatabase {
    fn new(
        database: &str,
        upstream: &Arc<Upstream>,
        (settings, account): (&CatalogCacheSettings, AccountSetting),
        groundings: Arc<DatabaseGroundings>,
    ) -> Self {
        let accounts = CatalogAccounts::new(account);
        Self {
            database: database.into(),
            upstream: Arc::clone(upstream),
            published: Published::new(first_state(&accounts), settings.age_max),
            accounts,
            server_choice: ServerChoice::default(),
            suspicion: Notify::new(),
            groundings,
        }
    }

    fn roles(&self, role: &str) -> Option<Vec<Box<str>>> {
        let shown = self
            .published
            .policy_effects()
            .filter(|_| self.published.is_fresh())?;
        let catalog = shown.catalog();
        let above = catalog.roles_above(catalog.role_named(role)?);
        Some(above.into_iter().map(Box::from).collect())
    }

    /// It is that server's catalog that is wanted from now on, and no more what is shown.
    fn move_to(&self, server: ServerIdentity) {
        self.server_choice.address(server);
        self.published.withdraw(first_state(&self.accounts));
    }

    /// A client has just logged in at the server: it is there, and what is known of it is needed
    /// now.
    fn retry_now(&self) {
        if self.accounts.current().is_none() {
            return;
        }
        match self.server_choice.retry_now() {
            CallOutcome::Comes => self.published.expect_load(),
            CallOutcome::There if !self.published.is_fresh() => {
                self.published.expect_load();
                self.suspicion.notify_one();
            }
            CallOutcome::There | CallOutcome::Waits => {}
        }
    }

    /// The account that a client has just logged in with, in case none is known that works.
    fn offer_account(&self, account: UpstreamAccount) {
        if self.accounts.offer(account) {
            self.published.expect_load();
        }
    }
}

/// How a cache begins.
fn first_state(accounts: &CatalogAccounts) -> CatalogState {
    match accounts.current() {
        Some(_) => CatalogState::Loading,
        None => CatalogState::ExpectAccount,
    }
}

impl fmt::Debug for CatalogCache {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "CatalogCache({:?})", self.status())
    }
}
