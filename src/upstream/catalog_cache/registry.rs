//! The catalog caches of all databases of the upstream, at every server that answers there.
//!
//! A cache starts when the first client logs in to its database at its server, one of the URL's
//! database when pgsieve does. It ends when nobody has used it for a while; of the URL's database
//! one stays.
//!
//! While any session holds a cache, it is that of the same server: what is shown to a session is
//! never of another one.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::runtime::Handle;
use tokio::time::Instant;

use super::account_change::ServerDecision;
use super::cached_databases::{CacheEntry, CacheLifetime, CachedDatabases};
use super::catalog_account::AccountSetting;
use super::load_failure::CatalogLoadFailure;
use super::policy_effects::{KnownDatabase, PolicyEffects};
use super::published::{CatalogCacheStatus, CatalogState, Published};
use super::refresh_task;
use super::settings::{CatalogCacheSettings, CatalogMode};
use super::{CachedDatabase, CatalogCache};
use crate::limits;
use crate::policy::{Policy, PolicySet};
use crate::telemetry::Telemetry;
use crate::telemetry::events::CatalogFailed;
use crate::upstream::connect::Upstream;
use crate::upstream::engine::profile::CatalogAnswers;
use crate::upstream::identity::ServerIdentity;
use crate::upstream::servers::directory::UpstreamDirectory;
use crate::upstream::snapshot::UpstreamAccount;

/// The catalog caches of all databases of one upstream. Cheap to clone.
#[derive(Clone)]
pub struct CatalogCaches {
    pub(super) registry: Option<Arc<CacheRegistry>>,
}

/// What all caches share.
pub(super) struct CacheRegistry {
    pub(super) settings: CatalogCacheSettings,
    /// Who logs in, as the settings have it now.
    pub(super) account: Mutex<AccountSetting>,
    pub(super) telemetry: Telemetry,
    /// Where their tasks run: sessions ask for them from threads that end.
    runtime: Handle,
    /// The servers of the URL, and of other databases.
    directory: Arc<UpstreamDirectory>,
    /// The database that the URL names.
    named: Option<Box<str>>,
    /// Whether a server that does not tell who it is was spoken of.
    untold: AtomicBool,
    kept: Mutex<CachedDatabases>,
    /// The policies that snapshots are looked through under: those that hold, and those that are
    /// about to.
    policies: Mutex<Vec<Arc<Policy>>>,
}

/// How one cache stands.
#[derive(Debug, Clone)]
pub struct CatalogStatus {
    /// The database.
    pub database: String,
    /// The server that it is at, where its catalog is kept of more than one.
    pub server: Option<ServerIdentity>,
    /// What is known of it.
    pub status: CatalogCacheStatus,
}

impl CatalogCaches {
    /// Begins with the database that the URL names. The caches' tasks run on that runtime.
    pub fn start(
        settings: CatalogCacheSettings,
        directory: &Arc<UpstreamDirectory>,
        policies: &PolicySet,
        telemetry: Telemetry,
        runtime: Handle,
    ) -> Self {
        if settings.mode == CatalogMode::Off {
            return Self::off();
        }
        let upstream = directory.own().first();
        let named = upstream.settings().database.as_deref().map(Box::from);
        let registry = Arc::new(CacheRegistry {
            account: Mutex::new(settings.account.clone()),
            settings,
            telemetry,
            runtime,
            directory: Arc::clone(directory),
            named,
            untold: AtomicBool::new(false),
            kept: Mutex::default(),
            policies: Mutex::new(policies.all().to_vec()),
        });
        registry.keep_named(upstream);
        Self {
            registry: Some(registry),
        }
    }

    /// No catalogs at all.
    pub fn off() -> Self {
        Self { registry: None }
    }

    /// The cache of a database that a client has just logged in to, at that server, with the way
    /// there. Its account is
    /// used where none is known that works. None where there are too many, the server does not tell
    /// who it is, or catalogs are off: the policy decides what runs then.
    pub fn of(
        &self,
        database: &str,
        (server, upstream): (Option<&ServerIdentity>, &Arc<Upstream>),
        account_of_login: UpstreamAccount,
    ) -> Option<Arc<CatalogCache>> {
        let registry = self.registry.as_ref()?;
        if upstream
            .profile()
            .is_some_and(|profile| profile.catalog != CatalogAnswers::Answered)
        {
            return None;
        }
        let Some(server) = server else {
            registry.warn_identity_withheld(database);
            return None;
        };
        let catalog_cache = registry.cache_at(database, (server, upstream))?;
        catalog_cache.cached.offer_account(account_of_login);
        catalog_cache.cached.retry_now();
        Some(catalog_cache)
    }

    /// The cache of the database that the URL names, at whichever server answers.
    pub fn named(&self) -> Option<Arc<CatalogCache>> {
        let registry = self.registry.as_ref()?;
        let mut kept = registry.cached();
        let mut entries = kept.entries.iter_mut();
        let named = entries.find(|entry| entry.stay == CacheLifetime::Always)?;
        Some(named.cache())
    }

    /// What is shown now.
    pub fn seen(&self) -> Vec<KnownDatabase> {
        let Some(registry) = &self.registry else {
            return Vec::new();
        };
        let seen = |cached: Arc<CachedDatabase>| {
            let is_named = registry.is_named(&cached);
            KnownDatabase::of(&cached, is_named, &registry.directory)
        };
        registry
            .cached_databases()
            .into_iter()
            .filter_map(seen)
            .collect()
    }

    /// Has every snapshot that is shown, and every one that will be, looked through under these
    /// policies as well, beside those that hold: they are about to. Hands out what is shown then.
    /// Takes its time: it is no work for a thread that serves.
    pub fn prepare_policies(&self, coming: &PolicySet) -> Vec<KnownDatabase> {
        let Some(registry) = &self.registry else {
            return Vec::new();
        };
        let wanted = registry.add_wanted_policies(coming);
        for cached in registry.cached_databases() {
            let shown = cached.published.policy_effects();
            if let Some(shown) = shown.filter(|shown| !shown.has_all(&wanted)) {
                // Should another snapshot be shown meanwhile, it was looked through already.
                cached
                    .published
                    .exchange(Arc::new(shown.for_policies(&wanted)));
            }
        }
        self.seen()
    }

    /// These policies hold, and no others.
    pub fn commit_policies(&self, policies: &PolicySet) {
        if let Some(registry) = &self.registry {
            *registry.wanted_policies() = policies.all().to_vec();
        }
    }

    /// How every cache stands, by database; none when catalogs are off.
    pub fn statuses(&self) -> Option<Vec<CatalogStatus>> {
        let registry = self.registry.as_ref()?;
        let kept = registry.cached();
        let of_one = |entry: &CacheEntry| {
            let database = &entry.cached.database;
            let is_alone = kept.of(database).count() == 1;
            let server = entry.cached.server_choice.server();
            CatalogStatus {
                database: database.to_string(),
                server: server.filter(|_| !is_alone),
                status: entry.cached.published.status(),
            }
        };
        let mut statuses: Vec<CatalogStatus> = kept.entries.iter().map(of_one).collect();
        // Those of one database in the order in which they came.
        statuses.sort_by(|one, other| one.database.cmp(&other.database));
        Some(statuses)
    }

    /// Whether the catalog that the settings promise is missing: that of the URL's database at
    /// every server, or that of every database in use where the URL names none. Databases that only
    /// clients name do not count beside it, or one client could have all others turned away; nor
    /// does one that waits for a client to bring an account.
    pub fn is_missing(&self) -> bool {
        let Some(registry) = &self.registry else {
            return false;
        };
        let kept = registry.cached();
        let named = kept.entries.iter();
        let named = named.filter(|entry| registry.is_named(&entry.cached));
        let mut counted: Vec<&CacheEntry> = named.collect();
        if counted.is_empty() {
            counted = kept.entries.iter().collect();
        }
        let is_missing = |entry: &&CacheEntry| match entry.cached.published.status().state {
            CatalogState::Loading | CatalogState::Failed { .. } => true,
            CatalogState::Loaded { .. } | CatalogState::ExpectAccount => false,
        };
        !counted.is_empty() && counted.iter().all(is_missing)
    }
}

impl CacheRegistry {
    pub(super) fn cached_databases(&self) -> Vec<Arc<CachedDatabase>> {
        let kept = self.cached();
        kept.entries
            .iter()
            .map(|entry| Arc::clone(&entry.cached))
            .collect()
    }

    /// Starts the cache of the URL's database, at whichever server it finds.
    fn keep_named(self: &Arc<Self>, upstream: &Arc<Upstream>) {
        if let Some(database) = &self.named {
            let mut kept = self.cached();
            let place = (None, upstream, CacheLifetime::Always);
            self.start(&mut kept, database, place);
        }
    }

    /// The cache of a database at a server, started if there is none and there is room.
    fn cache_at(
        self: &Arc<Self>,
        database: &str,
        (server, upstream): (&ServerIdentity, &Arc<Upstream>),
    ) -> Option<Arc<CatalogCache>> {
        let mut kept = self.cached();
        let found = kept.at(database, server);
        let found = found.or_else(|| kept.free(database, upstream));
        let cached = match found.map(|entry| Arc::clone(&entry.cached)) {
            Some(cached) => cached,
            None if kept.has_room(database) => {
                let stay = CacheLifetime::WhileUsed(Instant::now());
                let place = (Some(*server), upstream, stay);
                self.start(&mut kept, database, place)
            }
            None => return None,
        };
        match cached.server_choice.server() {
            Some(own) if own.is_same(server) => {}
            Some(_) => cached.move_to(*server),
            None => cached.server_choice.address(*server),
        }
        kept.use_now(&cached)
    }

    /// Starts a cache.
    fn start(
        self: &Arc<Self>,
        kept: &mut CachedDatabases,
        database: &str,
        (server, upstream, stay): (Option<ServerIdentity>, &Arc<Upstream>, CacheLifetime),
    ) -> Arc<CachedDatabase> {
        let known = (&self.settings, self.account().clone());
        // What was told at one server holds at every other one whose snapshot is equal.
        let mut others = kept.of(database);
        let beside = others.find(|other| other.cached.upstream.has_contents_of(upstream));
        let groundings = beside.map(|other| Arc::clone(&other.cached.groundings));
        drop(others);
        let groundings = groundings.unwrap_or_default();
        let cached = Arc::new(CachedDatabase::new(database, upstream, known, groundings));
        if let Some(server) = server {
            cached.server_choice.address(server);
        }
        kept.started += 1;
        let task =
            refresh_task::run_refresh_task(Arc::clone(&cached), Arc::clone(self), kept.started);
        self.runtime.spawn(task);
        kept.entries.push(CacheEntry {
            cached: Arc::clone(&cached),
            held: Weak::new(),
            stay,
        });
        cached
    }

    /// What a cache is to do that has reached that server.
    pub(super) fn after_reaching(
        &self,
        cached: &Arc<CachedDatabase>,
        reached: &ServerIdentity,
    ) -> ServerDecision {
        let mut kept = self.cached();
        let Some(entry) = kept.entry(cached) else {
            return ServerDecision::Forgotten;
        };
        let (is_held, stay) = (entry.is_held(), entry.stay);
        match cached.server_choice.server() {
            Some(own) if own.is_same(reached) => {}
            // Sessions there are judged by this catalog and no other.
            Some(_) if is_held => return ServerDecision::Elsewhere,
            Some(_) | None => {
                let mut others = kept.entries.iter_mut();
                let other = others.find(|other| other.is_of(&cached.database, reached));
                if let Some(other) = other {
                    other.stay = other.stay.prolonged(stay);
                    kept.remove(cached);
                    return ServerDecision::Forgotten;
                }
                match cached.server_choice.server() {
                    Some(_) => cached.move_to(*reached),
                    None => cached.server_choice.address(*reached),
                }
            }
        }
        cached.server_choice.arrive();
        ServerDecision::Here
    }

    /// A server does not tell who it is: nothing is known of what it contains. Told once.
    fn warn_identity_withheld(&self, database: &str) {
        let told = &CatalogLoadFailure::Unidentified;
        self.telemetry.emit(&CatalogFailed {
            database,
            why: told.label(),
            told,
            remedy: told.remedy(""),
            is_news: !self.untold.swap(true, Ordering::Relaxed),
        });
    }

    /// The database that the URL names.
    pub(super) fn named(&self) -> Option<&str> {
        self.named.as_deref()
    }

    /// The caches of a database, at every server.
    pub(super) fn caches_of(&self, database: &str) -> Vec<Arc<CatalogCache>> {
        let mut kept = self.cached();
        let own = kept.entries.iter_mut();
        let own = own.filter(|entry| *entry.cached.database == *database);
        own.map(CacheEntry::cache).collect()
    }

    fn is_named(&self, cached: &CachedDatabase) -> bool {
        self.named.as_deref() == Some(&cached.database)
            && self.directory.own().have(&cached.upstream)
    }

    /// Whether a cache is to end: it was not used for long, or its place was given away.
    pub(super) fn forgets(&self, cached: &Arc<CachedDatabase>) -> bool {
        let mut kept = self.cached();
        let Some(entry) = kept.entry(cached) else {
            return true;
        };
        if entry.is_held() {
            entry.stay = entry
                .stay
                .prolonged(CacheLifetime::WhileUsed(Instant::now()));
        }
        match entry.stay {
            CacheLifetime::WhileUsed(since) if since.elapsed() > limits::CATALOG_IDLE_TIME_MAX => {
                kept.remove(cached);
                true
            }
            CacheLifetime::WhileUsed(_) | CacheLifetime::Always => false,
        }
    }

    /// The policies that snapshots are looked through under.
    pub(super) fn policies(&self) -> Vec<Arc<Policy>> {
        self.wanted_policies().clone()
    }

    /// Shows a snapshot, unless there are policies by now that it was not looked through under.
    ///
    /// # Errors
    /// All policies that it is wanted under.
    pub(super) fn publish(
        &self,
        published: &Published,
        policy_effects: &PolicyEffects,
        checked: Instant,
    ) -> Result<(), Vec<Arc<Policy>>> {
        // Held until it is shown: whoever wants more from now on finds this snapshot.
        let wanted = self.wanted_policies();
        if !policy_effects.has_all(&wanted) {
            return Err(wanted.clone());
        }
        published.publish(Arc::new(policy_effects.clone()), checked);
        Ok(())
    }

    /// Wants snapshots to be looked through under these as well.
    fn add_wanted_policies(&self, coming: &PolicySet) -> Vec<Arc<Policy>> {
        let mut wanted = self.wanted_policies();
        for policy in coming.all() {
            let version = policy.version_number();
            if wanted.iter().all(|known| known.version_number() != version) {
                wanted.push(Arc::clone(policy));
            }
        }
        wanted.clone()
    }

    fn wanted_policies(&self) -> MutexGuard<'_, Vec<Arc<Policy>>> {
        self.policies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cached(&self) -> MutexGuard<'_, CachedDatabases> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for CatalogCaches {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CatalogCaches")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upstream::address::UpstreamSettings;
    use crate::upstream::catalog_cache::catalog_account::AccountSetting;
    use crate::upstream::servers::ServersSettings;
    use crate::upstream::servers::directory::UpstreamDirectory;

    /// Nobody's address, and nobody's account: nothing is connected to.
    fn catalogs(url: &str) -> CatalogCaches {
        let settings = UpstreamSettings::parse(url).unwrap();
        let own = (settings, ServersSettings::alone());
        let directory = UpstreamDirectory::load(own, Vec::new()).unwrap();
        CatalogCaches::start(
            CatalogCacheSettings::usual(AccountSetting::Nobody),
            &Arc::new(directory),
            &PolicySet::only(Arc::new(Policy::agent())),
            Telemetry::quiet().unwrap(),
            Handle::current(),
        )
    }

    fn server(number: u32) -> ServerIdentity {
        let number = format!("{number:x}");
        ServerIdentity::read(&[Some(&number), Some("5")]).unwrap()
    }

    fn ann() -> UpstreamAccount {
        UpstreamAccount {
            user: "ann".into(),
            secret: None,
        }
    }

    fn of(catalogs: &CatalogCaches, database: &str, number: u32) -> Option<Arc<CatalogCache>> {
        let upstream = upstream_of(catalogs);
        catalogs.of(database, (Some(&server(number)), &upstream), ann())
    }

    /// The way to the only server.
    fn upstream_of(catalogs: &CatalogCaches) -> Arc<Upstream> {
        let named = catalogs.named();
        let settings = UpstreamSettings::parse("postgres://127.0.0.1:1").unwrap();
        named.map_or_else(
            || Arc::new(Upstream::load(settings).unwrap()),
            |named| Arc::clone(&named.cached.upstream),
        )
    }

    fn kept(catalogs: &CatalogCaches, database: &str) -> usize {
        let statuses = catalogs.statuses().unwrap();
        let of_it = statuses.iter().filter(|one| one.database == database);
        of_it.count()
    }

    #[tokio::test]
    async fn a_database_has_one_keeper_and_there_is_room_for_so_many() {
        let catalogs = catalogs("postgres://127.0.0.1:1/first");
        let name = |number: usize| format!("d{number}");
        let catalog_caches: Vec<_> = (1..limits::CATALOGS_MAX)
            .map(|number| of(&catalogs, &name(number), 1).unwrap())
            .collect();
        let again = of(&catalogs, "d1", 1).unwrap();
        assert!(Arc::ptr_eq(&again, &catalog_caches[0]));
        assert!(of(&catalogs, "one too many", 1).is_none());
        assert!(of(&catalogs, "first", 1).is_some());

        // Places of those that nobody uses are given away, but not that of the URL's.
        drop(catalog_caches.into_iter().nth(1));
        drop(again);
        assert!(of(&catalogs, "one more", 1).is_some());
        assert!(kept(&catalogs, "one more") == 1 && kept(&catalogs, "first") == 1);
        assert_eq!(catalogs.statuses().unwrap().len(), limits::CATALOGS_MAX);
    }

    #[tokio::test]
    async fn each_server_of_a_database_has_its_own_keeper_as_long_as_sessions_are_there() {
        let catalogs = catalogs("postgres://127.0.0.1:1/first");
        let one = of(&catalogs, "first", 1).unwrap();
        // That of the URL had found no server yet.
        assert_eq!(kept(&catalogs, "first"), 1);
        let other = of(&catalogs, "first", 2).unwrap();
        assert!(!Arc::ptr_eq(&one, &other));
        assert!(Arc::ptr_eq(&one, &of(&catalogs, "first", 1).unwrap()));
        assert_eq!(kept(&catalogs, "first"), 2);
        let statuses = catalogs.statuses().unwrap();
        let told: Vec<_> = statuses.iter().map(|one| one.server.is_some()).collect();
        assert_eq!(told, [true, true]);

        // No session is there any more, and no connection: it goes where it is needed.
        drop(one);
        let third = of(&catalogs, "first", 3).unwrap();
        assert_eq!(kept(&catalogs, "first"), 2);
        let held: Vec<_> = (4..20)
            .map_while(|number| of(&catalogs, "first", number))
            .collect();
        assert_eq!(kept(&catalogs, "first"), limits::CATALOG_SERVERS_MAX);
        assert!(
            of(&catalogs, "other", 1).is_some(),
            "room for other databases"
        );
        drop((other, third, held));
    }

    /// A session that moves stands on the grounding that it stood on.
    #[tokio::test]
    async fn what_was_told_of_a_database_is_known_at_all_its_servers() {
        let catalogs = catalogs("postgres://127.0.0.1:1/first");
        let one = of(&catalogs, "first", 1).unwrap();
        let other = of(&catalogs, "first", 2).unwrap();
        assert!(!Arc::ptr_eq(&one, &other));
        assert!(std::ptr::eq(one.groundings(), other.groundings()));
        let second = of(&catalogs, "second", 1).unwrap();
        assert!(!std::ptr::eq(one.groundings(), second.groundings()));
        // A namesake elsewhere is another database.
        let settings = UpstreamSettings::parse("postgres://127.0.0.1:2").unwrap();
        let elsewhere = Arc::new(Upstream::load(settings).unwrap());
        let namesake = catalogs.of("first", (Some(&server(3)), &elsewhere), ann());
        assert!(!std::ptr::eq(
            one.groundings(),
            namesake.unwrap().groundings()
        ));
    }

    #[tokio::test]
    async fn what_sessions_need_is_not_moved_and_what_nobody_needs_is_not_kept_twice() {
        let catalogs = catalogs("postgres://127.0.0.1:1/first");
        let registry = catalogs.registry.as_ref().unwrap();
        let first = catalogs.named().unwrap();
        let cached = Arc::clone(&first.cached);
        drop(first);
        assert_eq!(
            registry.after_reaching(&cached, &server(1)),
            ServerDecision::Here
        );
        let held = of(&catalogs, "first", 1).unwrap();
        assert_eq!(
            registry.after_reaching(&cached, &server(2)),
            ServerDecision::Elsewhere
        );
        assert_eq!(
            registry.after_reaching(&cached, &server(1)),
            ServerDecision::Here
        );
        drop(held);
        // It has a connection, so it is not taken over: the other one is started, and stays.
        let other = of(&catalogs, "first", 2).unwrap();
        assert!(!Arc::ptr_eq(&other.cached, &cached));
        assert!(Arc::ptr_eq(
            &catalogs.named().unwrap().cached,
            &other.cached
        ));
        assert_eq!(
            registry.after_reaching(&cached, &server(3)),
            ServerDecision::Here
        );
        assert!(cached.server_choice.is_at(&server(3)));
        assert_eq!(
            registry.after_reaching(&cached, &server(2)),
            ServerDecision::Forgotten
        );
        assert_eq!(kept(&catalogs, "first"), 1);
        assert_eq!(
            registry.after_reaching(&cached, &server(3)),
            ServerDecision::Forgotten
        );
    }

    #[tokio::test]
    async fn what_waits_for_a_client_is_not_missing() {
        let catalogs = catalogs("postgres://127.0.0.1:1/first");
        assert!(!catalogs.is_missing());
        let other = of(&catalogs, "other", 1).unwrap();
        assert_eq!(other.status().state, CatalogState::Loading);
        assert!(!catalogs.is_missing(), "only that of the URL counts");
        drop(of(&catalogs, "first", 1));
        assert!(catalogs.is_missing());
        assert!(
            catalogs
                .of("first", (None, &upstream_of(&catalogs)), ann())
                .is_none(),
            "nobody knows which"
        );
        assert!(!CatalogCaches::off().is_missing());
        assert!(of(&CatalogCaches::off(), "first", 1).is_none());
    }
}
