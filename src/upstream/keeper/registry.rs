//! The keepers of all databases of the upstream.
//!
//! A keeper starts when the first client logs in to its database, that of the URL's database when
//! pgsieve does. It ends when nobody has used it for a while; that of the URL's database does not.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::runtime::Handle;
use tokio::time::Instant;

use super::board::{Board, State, Status};
use super::settings::{KeeperSettings, Mode};
use super::sights::{Seen, Sights};
use super::watch;
use super::{Charge, Keeper};
use crate::limits;
use crate::policy::{Policy, PolicySet};
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
    pub(super) telemetry: Telemetry,
    /// Where keepers run: sessions ask for them from threads that end.
    runtime: Handle,
    kept: Mutex<Kept>,
    /// The policies that snapshots are looked through under: those that hold, and those that are
    /// about to.
    policies: Mutex<Vec<Arc<Policy>>>,
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
        policies: &PolicySet,
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
            telemetry,
            runtime,
            kept: Mutex::default(),
            policies: Mutex::new(policies.all().to_vec()),
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

    /// Has every snapshot that is shown, and every one that will be, looked through under these
    /// policies as well, beside those that hold: they are about to. Hands out what is shown then.
    /// Takes its time: it is no work for a thread that serves.
    pub fn foresee(&self, coming: &PolicySet) -> Vec<Seen> {
        let Some(registry) = &self.registry else {
            return Vec::new();
        };
        let wanted = registry.want(coming);
        let charges: Vec<(Arc<Charge>, bool)> = {
            let kept = registry.kept();
            let entries = kept.entries.values();
            entries
                .map(|entry| (Arc::clone(&entry.charge), entry.stay == Stay::Always))
                .collect()
        };
        let seen = charges.iter().filter_map(|(charge, is_named)| {
            let shown = charge.board.sights()?;
            if !shown.has_all(&wanted) {
                // Should another snapshot be shown meanwhile, it was looked through already.
                charge.board.exchange(Arc::new(shown.under(&wanted)));
            }
            Some(Seen {
                database: charge.database.to_string(),
                is_named: *is_named,
                sights: charge.board.sights()?,
            })
        });
        seen.collect()
    }

    /// These policies hold, and no others.
    pub fn settle(&self, policies: &PolicySet) {
        if let Some(registry) = &self.registry {
            *registry.wanted() = policies.all().to_vec();
        }
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
            &PolicySet::only(Arc::new(Policy::agent())),
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
