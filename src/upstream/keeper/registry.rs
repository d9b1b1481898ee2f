//! The keepers of all databases of the upstream.
//!
//! A keeper starts when the first client logs in to its database, that of the URL's database when
//! pgsieve does. It ends when nobody has used it for a while; that of the URL's database does not.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::runtime::Handle;
use tokio::time::Instant;

use super::board::{State, Status};
use super::settings::{KeeperSettings, Mode};
use super::watch;
use super::{Charge, Keeper};
use crate::limits;
use crate::policy::Policy;
use crate::telemetry::Telemetry;
use crate::upstream::connect::Upstream;
use crate::upstream::snapshot::Account;

/// The keepers of all databases of one upstream. Cheap to clone.
#[derive(Clone)]
pub struct Catalogs {
    registry: Option<Arc<Registry>>,
}

/// What keepers share.
pub(super) struct Registry {
    pub(super) settings: KeeperSettings,
    pub(super) upstream: Arc<Upstream>,
    pub(super) policy: Arc<Policy>,
    pub(super) telemetry: Telemetry,
    /// Where keepers run: sessions ask for them from threads that end.
    runtime: Handle,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    entries: BTreeMap<Box<str>, Entry>,
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

impl Catalogs {
    /// Begins with the database that the URL names. Keepers run on that runtime.
    pub fn start(
        settings: KeeperSettings,
        upstream: Arc<Upstream>,
        policy: Arc<Policy>,
        telemetry: Telemetry,
        runtime: Handle,
    ) -> Self {
        if settings.mode == Mode::Off {
            return Self::off();
        }
        let first = upstream.settings().database.clone();
        let registry = Arc::new(Registry {
            settings,
            upstream,
            policy,
            telemetry,
            runtime,
            kept: Mutex::default(),
        });
        if let Some(database) = first {
            drop(registry.keeper(&database, Stay::Always));
        }
        Self {
            registry: Some(registry),
        }
    }

    /// No catalogs at all.
    pub fn off() -> Self {
        Self { registry: None }
    }

    /// The keeper of a database that a client has just logged in to. Its account is used where
    /// none is known that works. None where there are too many databases, or catalogs are off: the
    /// policy decides what runs then.
    pub fn of(&self, database: &str, account_of_login: Option<Account>) -> Option<Arc<Keeper>> {
        let registry = self.registry.as_ref()?;
        let keeper = registry.keeper(database, Stay::WhileUsed(Instant::now()))?;
        if let Some(account) = account_of_login {
            keeper.charge.offer(account);
        }
        Some(keeper)
    }

    /// How every keeper stands, by database; none when catalogs are off.
    pub fn statuses(&self) -> Option<Vec<(String, Status)>> {
        let registry = self.registry.as_ref()?;
        let kept = registry.kept();
        let each = kept.entries.iter();
        Some(
            each.map(|(database, entry)| (database.to_string(), entry.charge.board.status()))
                .collect(),
        )
    }

    /// Whether the catalog that the settings promise is missing: that of the URL's database, or
    /// that of every database in use where the URL names none. Databases that only clients name do
    /// not count beside it, or one client could have all others turned away; nor does one that
    /// waits for a client to bring an account.
    pub fn is_missing(&self) -> bool {
        let Some(registry) = &self.registry else {
            return false;
        };
        let kept = registry.kept();
        let named = kept
            .entries
            .values()
            .filter(|entry| entry.stay == Stay::Always);
        let mut counted: Vec<&Entry> = named.collect();
        if counted.is_empty() {
            counted = kept.entries.values().collect();
        }
        let is_missing = |entry: &&Entry| match entry.charge.board.status().state {
            State::Loading | State::Failed { .. } => true,
            State::Loaded { .. } | State::ExpectAccount => false,
        };
        !counted.is_empty() && counted.iter().all(is_missing)
    }
}

impl Registry {
    /// The keeper of a database, started if there is none and there is room.
    fn keeper(self: &Arc<Self>, database: &str, stay: Stay) -> Option<Arc<Keeper>> {
        let mut kept = self.kept();
        if let Some(entry) = kept.entries.get_mut(database) {
            entry.stay = entry.stay.prolonged(stay);
            return Some(entry.keeper());
        }
        if kept.entries.len() >= limits::CATALOGS_MAX && !kept.make_room() {
            return None;
        }
        let charge = Arc::new(Charge::new(database, &self.settings));
        kept.started += 1;
        let task = watch::keep(Arc::clone(&charge), Arc::clone(self), kept.started);
        self.runtime.spawn(task);
        let mut entry = Entry {
            charge,
            held: Weak::new(),
            stay,
        };
        let keeper = entry.keeper();
        kept.entries.insert(database.into(), entry);
        Some(keeper)
    }

    /// Whether a keeper is to end: it was not used for long, or its place was given away.
    pub(super) fn forgets(&self, charge: &Arc<Charge>) -> bool {
        let mut kept = self.kept();
        let entry = kept.entries.get_mut(&charge.database);
        let Some(entry) = entry.filter(|entry| Arc::ptr_eq(&entry.charge, charge)) else {
            return true;
        };
        if entry.is_held() {
            entry.stay = entry.stay.prolonged(Stay::WhileUsed(Instant::now()));
        }
        match entry.stay {
            Stay::WhileUsed(since) if since.elapsed() > limits::CATALOG_IDLE_TIME_MAX => {
                kept.entries.remove(&charge.database);
                true
            }
            Stay::WhileUsed(_) | Stay::Always => false,
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Gives the place away that nobody has used for the longest time.
    fn make_room(&mut self) -> bool {
        let unused = self.entries.iter().filter_map(|(database, entry)| {
            match (entry.stay, entry.is_held()) {
                (Stay::WhileUsed(since), false) => Some((since, database.clone())),
                (Stay::WhileUsed(_), true) | (Stay::Always, _) => None,
            }
        });
        let Some((_, database)) = unused.min() else {
            return false;
        };
        self.entries.remove(&database);
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
    use crate::upstream::keeper::accounts::Known;

    /// Nobody's address, and nobody's account: nothing is connected to.
    fn catalogs(url: &str) -> Catalogs {
        let upstream = Upstream::load(UpstreamSettings::parse(url).unwrap()).unwrap();
        Catalogs::start(
            KeeperSettings::usual(Known::Nobody),
            Arc::new(upstream),
            Arc::new(Policy::agent()),
            Telemetry::quiet().unwrap(),
            Handle::current(),
        )
    }

    #[tokio::test]
    async fn a_database_has_one_keeper_and_there_is_room_for_so_many() {
        let catalogs = catalogs("postgres://127.0.0.1:1/first");
        let name = |number: usize| format!("d{number}");
        let keepers: Vec<_> = (1..limits::CATALOGS_MAX)
            .map(|number| catalogs.of(&name(number), None).unwrap())
            .collect();
        let again = catalogs.of("d1", None).unwrap();
        assert!(Arc::ptr_eq(&again, &keepers[0]));
        assert!(catalogs.of("one too many", None).is_none());
        assert!(catalogs.of("first", None).is_some());

        // Places of those that nobody uses are given away, but not that of the URL's.
        drop(keepers.into_iter().nth(1));
        drop(again);
        let kept = |database: &str| {
            let statuses = catalogs.statuses().unwrap();
            statuses.iter().any(|(known, _)| known == database)
        };
        assert!(catalogs.of("one more", None).is_some());
        assert!(kept("one more") && kept("first"));
        assert_eq!(catalogs.statuses().unwrap().len(), limits::CATALOGS_MAX);
    }

    #[tokio::test]
    async fn what_waits_for_a_client_is_not_missing() {
        let catalogs = catalogs("postgres://127.0.0.1:1/first");
        assert!(!catalogs.is_missing());
        let account = Account {
            user: "ann".into(),
            password: None,
        };
        let other = catalogs.of("other", Some(account.clone())).unwrap();
        assert_eq!(other.status().state, State::Loading);
        assert!(!catalogs.is_missing(), "only that of the URL counts");
        drop(catalogs.of("first", Some(account)));
        assert!(catalogs.is_missing());
        assert!(!Catalogs::off().is_missing());
        assert!(Catalogs::off().of("first", None).is_none());
    }
}
