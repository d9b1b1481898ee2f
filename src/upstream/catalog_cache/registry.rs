//! The keepers of all databases of the upstream, at every server that answers there.
//!
//! A keeper starts when the first client logs in to its database at its server, one of the URL's
//! database when pgsieve does. It ends when nobody has used it for a while; of the URL's database
//! one stays.
//!
//! While any session holds a keeper, it is that of the same server: what is shown to a session is
//! never of another one.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::runtime::Handle;
use tokio::time::Instant;

use super::account_change::Settled;
use super::catalog_account::Known;
use super::load_failure::Failure;
use super::policy_effects::{Seen, Sights};
use super::published::{Board, State, Status};
use super::refresh_task;
use super::settings::{KeeperSettings, Mode};
use super::{Charge, Keeper};
use crate::limits;
use crate::policy::{Policy, PolicySet};
use crate::telemetry::Telemetry;
use crate::telemetry::events::CatalogFailed;
use crate::upstream::connect::Upstream;
use crate::upstream::identity::ServerIdentity;
use crate::upstream::snapshot::Account;

/// The keepers of all databases of one upstream. Cheap to clone.
#[derive(Clone)]
pub struct Catalogs {
    pub(super) registry: Option<Arc<Registry>>,
}

/// What keepers share.
pub(super) struct Registry {
    pub(super) settings: KeeperSettings,
    /// Who logs in, as the settings have it now.
    pub(super) account: Mutex<Known>,
    pub(super) upstream: Arc<Upstream>,
    pub(super) telemetry: Telemetry,
    /// Where keepers run: sessions ask for them from threads that end.
    runtime: Handle,
    /// The database that the URL names.
    named: Option<Box<str>>,
    /// Whether a server that does not tell who it is was spoken of.
    untold: AtomicBool,
    kept: Mutex<Kept>,
    /// The policies that snapshots are looked through under: those that hold, and those that are
    /// about to.
    policies: Mutex<Vec<Arc<Policy>>>,
}

#[derive(Default)]
struct Kept {
    entries: Vec<Entry>,
    started: u64,
}

struct Entry {
    charge: Arc<Charge>,
    /// What sessions hold, as long as any does.
    held: Weak<Keeper>,
    stay: Stay,
}

/// How long a keeper stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stay {
    /// As long as pgsieve.
    Always,
    /// Until it was not used for a while, counted from here.
    WhileUsed(Instant),
}

/// How one keeper stands.
#[derive(Debug, Clone)]
pub struct CatalogStatus {
    /// The database.
    pub database: String,
    /// The server that it is at, where its catalog is kept of more than one.
    pub server: Option<ServerIdentity>,
    /// What is known of it.
    pub status: Status,
}

impl Catalogs {
    /// Begins with the database that the URL names. Keepers run on that runtime.
    pub fn start(
        settings: KeeperSettings,
        upstream: Arc<Upstream>,
        policies: &PolicySet,
        telemetry: Telemetry,
        runtime: Handle,
    ) -> Self {
        if settings.mode == Mode::Off {
            return Self::off();
        }
        let named = upstream.settings().database.as_deref().map(Box::from);
        let registry = Arc::new(Registry {
            account: Mutex::new(settings.account.clone()),
            settings,
            upstream,
            telemetry,
            runtime,
            named,
            untold: AtomicBool::new(false),
            kept: Mutex::default(),
            policies: Mutex::new(policies.all().to_vec()),
        });
        registry.keep_named();
        Self {
            registry: Some(registry),
        }
    }

    /// No catalogs at all.
    pub fn off() -> Self {
        Self { registry: None }
    }

    /// The keeper of a database that a client has just logged in to, at that server. Its account is
    /// used where none is known that works. None where there are too many, the server does not tell
    /// who it is, or catalogs are off: the policy decides what runs then.
    pub fn of(
        &self,
        database: &str,
        server: Option<&ServerIdentity>,
        account_of_login: Account,
    ) -> Option<Arc<Keeper>> {
        let registry = self.registry.as_ref()?;
        let Some(server) = server else {
            registry.tell_untold(database);
            return None;
        };
        let keeper = registry.keeper_at(database, server)?;
        keeper.charge.offer(account_of_login);
        keeper.charge.call();
        Some(keeper)
    }

    /// The keeper of the database that the URL names, at whichever server answers.
    pub fn named(&self) -> Option<Arc<Keeper>> {
        let registry = self.registry.as_ref()?;
        let mut kept = registry.kept();
        let mut entries = kept.entries.iter_mut();
        let named = entries.find(|entry| entry.stay == Stay::Always)?;
        Some(named.keeper())
    }

    /// What is shown now.
    pub fn seen(&self) -> Vec<Seen> {
        let Some(registry) = &self.registry else {
            return Vec::new();
        };
        let seen = |charge: Arc<Charge>| Seen::of(&charge, registry.is_named(&charge.database));
        registry.charges().into_iter().filter_map(seen).collect()
    }

    /// Has every snapshot that is shown, and every one that will be, looked through under these
    /// policies as well, beside those that hold: they are about to. Hands out what is shown then.
    /// Takes its time: it is no work for a thread that serves.
    pub fn foresee(&self, coming: &PolicySet) -> Vec<Seen> {
        let Some(registry) = &self.registry else {
            return Vec::new();
        };
        let wanted = registry.want(coming);
        for charge in registry.charges() {
            let shown = charge.board.sights();
            if let Some(shown) = shown.filter(|shown| !shown.has_all(&wanted)) {
                // Should another snapshot be shown meanwhile, it was looked through already.
                charge.board.exchange(Arc::new(shown.under(&wanted)));
            }
        }
        self.seen()
    }

    /// These policies hold, and no others.
    pub fn settle(&self, policies: &PolicySet) {
        if let Some(registry) = &self.registry {
            *registry.wanted() = policies.all().to_vec();
        }
    }

    /// How every keeper stands, by database; none when catalogs are off.
    pub fn statuses(&self) -> Option<Vec<CatalogStatus>> {
        let registry = self.registry.as_ref()?;
        let kept = registry.kept();
        let of_one = |entry: &Entry| {
            let database = &entry.charge.database;
            let is_alone = kept.of(database).count() == 1;
            let server = entry.charge.berth.server();
            CatalogStatus {
                database: database.to_string(),
                server: server.filter(|_| !is_alone),
                status: entry.charge.board.status(),
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
        let kept = registry.kept();
        let named = kept.entries.iter();
        let named = named.filter(|entry| registry.is_named(&entry.charge.database));
        let mut counted: Vec<&Entry> = named.collect();
        if counted.is_empty() {
            counted = kept.entries.iter().collect();
        }
        let is_missing = |entry: &&Entry| match entry.charge.board.status().state {
            State::Loading | State::Failed { .. } => true,
            State::Loaded { .. } | State::ExpectAccount => false,
        };
        !counted.is_empty() && counted.iter().all(is_missing)
    }
}

impl Registry {
    pub(super) fn charges(&self) -> Vec<Arc<Charge>> {
        let kept = self.kept();
        kept.entries
            .iter()
            .map(|entry| Arc::clone(&entry.charge))
            .collect()
    }

    /// Starts the keeper of the URL's database, at whichever server it finds.
    fn keep_named(self: &Arc<Self>) {
        if let Some(database) = &self.named {
            let mut kept = self.kept();
            self.start(&mut kept, database, (None, Stay::Always));
        }
    }

    /// The keeper of a database at a server, started if there is none and there is room.
    fn keeper_at(self: &Arc<Self>, database: &str, server: &ServerIdentity) -> Option<Arc<Keeper>> {
        let mut kept = self.kept();
        let found = kept.at(database, server).or_else(|| kept.free(database));
        let charge = match found.map(|entry| Arc::clone(&entry.charge)) {
            Some(charge) => charge,
            None if kept.has_room(database) => {
                let place = (Some(*server), Stay::WhileUsed(Instant::now()));
                self.start(&mut kept, database, place)
            }
            None => return None,
        };
        match charge.berth.server() {
            Some(own) if own.is_same(server) => {}
            Some(_) => charge.move_to(*server),
            None => charge.berth.address(*server),
        }
        kept.use_now(&charge)
    }

    /// Starts a keeper.
    fn start(
        self: &Arc<Self>,
        kept: &mut Kept,
        database: &str,
        (server, stay): (Option<ServerIdentity>, Stay),
    ) -> Arc<Charge> {
        let account = self.account().clone();
        let charge = Arc::new(Charge::new(database, &self.settings, account));
        if let Some(server) = server {
            charge.berth.address(server);
        }
        kept.started += 1;
        let task = refresh_task::keep(Arc::clone(&charge), Arc::clone(self), kept.started);
        self.runtime.spawn(task);
        kept.entries.push(Entry {
            charge: Arc::clone(&charge),
            held: Weak::new(),
            stay,
        });
        charge
    }

    /// What a keeper is to do that has reached that server.
    pub(super) fn settle(&self, charge: &Arc<Charge>, reached: &ServerIdentity) -> Settled {
        let mut kept = self.kept();
        let Some(entry) = kept.entry(charge) else {
            return Settled::Forgotten;
        };
        let (is_held, stay) = (entry.is_held(), entry.stay);
        match charge.berth.server() {
            Some(own) if own.is_same(reached) => {}
            // Sessions there are judged by this catalog and no other.
            Some(_) if is_held => return Settled::Elsewhere,
            Some(_) | None => {
                let mut others = kept.entries.iter_mut();
                let other = others.find(|other| other.is_of(&charge.database, reached));
                if let Some(other) = other {
                    other.stay = other.stay.prolonged(stay);
                    kept.remove(charge);
                    return Settled::Forgotten;
                }
                match charge.berth.server() {
                    Some(_) => charge.move_to(*reached),
                    None => charge.berth.address(*reached),
                }
            }
        }
        charge.berth.arrive();
        Settled::Here
    }

    /// A server does not tell who it is: nothing is known of what it contains. Told once.
    fn tell_untold(&self, database: &str) {
        let told = &Failure::Unidentified;
        self.telemetry.emit(&CatalogFailed {
            database,
            why: told.label(),
            told,
            is_news: !self.untold.swap(true, Ordering::Relaxed),
        });
    }

    fn is_named(&self, database: &str) -> bool {
        self.named.as_deref() == Some(database)
    }

    /// Whether a keeper is to end: it was not used for long, or its place was given away.
    pub(super) fn forgets(&self, charge: &Arc<Charge>) -> bool {
        let mut kept = self.kept();
        let Some(entry) = kept.entry(charge) else {
            return true;
        };
        if entry.is_held() {
            entry.stay = entry.stay.prolonged(Stay::WhileUsed(Instant::now()));
        }
        match entry.stay {
            Stay::WhileUsed(since) if since.elapsed() > limits::CATALOG_IDLE_TIME_MAX => {
                kept.remove(charge);
                true
            }
            Stay::WhileUsed(_) | Stay::Always => false,
        }
    }

    /// The policies that snapshots are looked through under.
    pub(super) fn policies(&self) -> Vec<Arc<Policy>> {
        self.wanted().clone()
    }

    /// Shows a snapshot, unless there are policies by now that it was not looked through under.
    ///
    /// # Errors
    /// All policies that it is wanted under.
    pub(super) fn publish(
        &self,
        board: &Board,
        sights: &Sights,
        checked: Instant,
    ) -> Result<(), Vec<Arc<Policy>>> {
        // Held until it is shown: whoever wants more from now on finds this snapshot.
        let wanted = self.wanted();
        if !sights.has_all(&wanted) {
            return Err(wanted.clone());
        }
        board.publish(Arc::new(sights.clone()), checked);
        Ok(())
    }

    /// Wants snapshots to be looked through under these as well.
    fn want(&self, coming: &PolicySet) -> Vec<Arc<Policy>> {
        let mut wanted = self.wanted();
        for policy in coming.all() {
            let version = policy.version_number();
            if wanted.iter().all(|known| known.version_number() != version) {
                wanted.push(Arc::clone(policy));
            }
        }
        wanted.clone()
    }

    fn wanted(&self) -> MutexGuard<'_, Vec<Arc<Policy>>> {
        self.policies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Those of a database.
    fn of(&self, database: &str) -> impl Iterator<Item = &Entry> {
        let entries = self.entries.iter();
        entries.filter(move |entry| *entry.charge.database == *database)
    }

    /// The one of a database at a server.
    fn at(&self, database: &str, server: &ServerIdentity) -> Option<&Entry> {
        self.entries
            .iter()
            .find(|entry| entry.is_of(database, server))
    }

    /// One of a database that has found no server yet, or has lost its own and is needed by nobody.
    fn free(&self, database: &str) -> Option<&Entry> {
        let is_new = |entry: &&Entry| entry.charge.berth.server().is_none();
        let is_adrift = |entry: &&Entry| !entry.is_held() && entry.charge.berth.is_adrift();
        let found = self.of(database).find(is_new);
        found.or_else(|| self.of(database).find(is_adrift))
    }

    fn entry(&mut self, charge: &Arc<Charge>) -> Option<&mut Entry> {
        let mut entries = self.entries.iter_mut();
        entries.find(|entry| Arc::ptr_eq(&entry.charge, charge))
    }

    fn remove(&mut self, charge: &Arc<Charge>) {
        self.entries
            .retain(|entry| !Arc::ptr_eq(&entry.charge, charge));
    }

    /// What a session holds from now on. Of several keepers of one database it is the one in use
    /// that stays for ever.
    fn use_now(&mut self, charge: &Arc<Charge>) -> Option<Arc<Keeper>> {
        let now = Instant::now();
        let mut stay = Stay::WhileUsed(now);
        for other in &mut self.entries {
            let is_other = !Arc::ptr_eq(&other.charge, charge);
            let is_of_it = other.charge.database == charge.database;
            if is_other && is_of_it && other.stay == Stay::Always && !other.is_held() {
                (stay, other.stay) = (Stay::Always, Stay::WhileUsed(now));
            }
        }
        let entry = self.entry(charge)?;
        entry.stay = entry.stay.prolonged(stay);
        Some(entry.keeper())
    }

    /// Whether there is room for one more of a database: places of those that nobody has used for
    /// the longest time are given away.
    fn has_room(&mut self, database: &str) -> bool {
        if self.of(database).count() >= limits::CATALOG_SERVERS_MAX
            && !self.make_room(|entry| *entry.charge.database == *database)
        {
            return false;
        }
        self.entries.len() < limits::CATALOGS_MAX || self.make_room(|_any| true)
    }

    fn make_room(&mut self, may_go: impl Fn(&Entry) -> bool) -> bool {
        let unused = self.entries.iter().filter(|entry| may_go(entry));
        let unused = unused.filter_map(|entry| match (entry.stay, entry.is_held()) {
            (Stay::WhileUsed(since), false) => Some((since, Arc::clone(&entry.charge))),
            (Stay::WhileUsed(_), true) | (Stay::Always, _) => None,
        });
        let Some((_, charge)) = unused.min_by_key(|(since, _)| *since) else {
            return false;
        };
        self.remove(&charge);
        true
    }
}

impl Entry {
    /// What sessions hold: the one that is there, or a new one of the same charge.
    fn keeper(&mut self) -> Arc<Keeper> {
        self.held.upgrade().unwrap_or_else(|| {
            let charge = Arc::clone(&self.charge);
            let keeper = Arc::new(Keeper { charge });
            self.held = Arc::downgrade(&keeper);
            keeper
        })
    }

    fn is_of(&self, database: &str, server: &ServerIdentity) -> bool {
        *self.charge.database == *database && self.charge.berth.is_at(server)
    }

    fn is_held(&self) -> bool {
        self.held.strong_count() > 0
    }
}

impl Stay {
    fn prolonged(self, wish: Self) -> Self {
        match (self, wish) {
            (Self::Always, _) | (_, Self::Always) => Self::Always,
            (Self::WhileUsed(_), Self::WhileUsed(since)) => Self::WhileUsed(since),
        }
    }
}

impl fmt::Debug for Catalogs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Catalogs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upstream::address::UpstreamSettings;
    use crate::upstream::catalog_cache::catalog_account::Known;

    /// Nobody's address, and nobody's account: nothing is connected to.
    fn catalogs(url: &str) -> Catalogs {
        let upstream = Upstream::load(UpstreamSettings::parse(url).unwrap()).unwrap();
        Catalogs::start(
            KeeperSettings::usual(Known::Nobody),
            Arc::new(upstream),
            &PolicySet::only(Arc::new(Policy::agent())),
            Telemetry::quiet().unwrap(),
            Handle::current(),
        )
    }

    fn server(number: u32) -> ServerIdentity {
        let number = format!("{number:x}");
        ServerIdentity::read(&[Some(&number), Some("5")]).unwrap()
    }

    fn ann() -> Account {
        Account {
            user: "ann".into(),
            password: None,
        }
    }

    fn of(catalogs: &Catalogs, database: &str, number: u32) -> Option<Arc<Keeper>> {
        catalogs.of(database, Some(&server(number)), ann())
    }

    fn kept(catalogs: &Catalogs, database: &str) -> usize {
        let statuses = catalogs.statuses().unwrap();
        let of_it = statuses.iter().filter(|one| one.database == database);
        of_it.count()
    }

    #[tokio::test]
    async fn a_database_has_one_keeper_and_there_is_room_for_so_many() {
        let catalogs = catalogs("postgres://127.0.0.1:1/first");
        let name = |number: usize| format!("d{number}");
        let keepers: Vec<_> = (1..limits::CATALOGS_MAX)
            .map(|number| of(&catalogs, &name(number), 1).unwrap())
            .collect();
        let again = of(&catalogs, "d1", 1).unwrap();
        assert!(Arc::ptr_eq(&again, &keepers[0]));
        assert!(of(&catalogs, "one too many", 1).is_none());
        assert!(of(&catalogs, "first", 1).is_some());

        // Places of those that nobody uses are given away, but not that of the URL's.
        drop(keepers.into_iter().nth(1));
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

    #[tokio::test]
    async fn what_sessions_need_is_not_moved_and_what_nobody_needs_is_not_kept_twice() {
        let catalogs = catalogs("postgres://127.0.0.1:1/first");
        let registry = catalogs.registry.as_ref().unwrap();
        let first = catalogs.named().unwrap();
        let charge = Arc::clone(&first.charge);
        drop(first);
        assert_eq!(registry.settle(&charge, &server(1)), Settled::Here);
        let held = of(&catalogs, "first", 1).unwrap();
        assert_eq!(registry.settle(&charge, &server(2)), Settled::Elsewhere);
        assert_eq!(registry.settle(&charge, &server(1)), Settled::Here);
        drop(held);
        // It has a connection, so it is not taken over: the other one is started, and stays.
        let other = of(&catalogs, "first", 2).unwrap();
        assert!(!Arc::ptr_eq(&other.charge, &charge));
        assert!(Arc::ptr_eq(
            &catalogs.named().unwrap().charge,
            &other.charge
        ));
        assert_eq!(registry.settle(&charge, &server(3)), Settled::Here);
        assert!(charge.berth.is_at(&server(3)));
        assert_eq!(registry.settle(&charge, &server(2)), Settled::Forgotten);
        assert_eq!(kept(&catalogs, "first"), 1);
        assert_eq!(registry.settle(&charge, &server(3)), Settled::Forgotten);
    }

    #[tokio::test]
    async fn what_waits_for_a_client_is_not_missing() {
        let catalogs = catalogs("postgres://127.0.0.1:1/first");
        assert!(!catalogs.is_missing());
        let other = of(&catalogs, "other", 1).unwrap();
        assert_eq!(other.status().state, State::Loading);
        assert!(!catalogs.is_missing(), "only that of the URL counts");
        drop(of(&catalogs, "first", 1));
        assert!(catalogs.is_missing());
        assert!(
            catalogs.of("first", None, ann()).is_none(),
            "nobody knows which"
        );
        assert!(!Catalogs::off().is_missing());
        assert!(of(&Catalogs::off(), "first", 1).is_none());
    }
}
