//! What whoever runs pgsieve may do with all pools, or with those of one database: hold them back
//! and let them go on, and have their connections made anew; and what is known of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use super::database_bound::{DatabaseBound, PoolBound};
use super::shown::PoolShown;
use super::{ConnectionPool, ConnectionPools, PoolKey, PoolSettings, UpstreamPlace};
use crate::auth::login_secret::SecretDigest;
use crate::limits;
use crate::upstream::servers::UpstreamServers;

/// Pools, and which databases are held back.
#[derive(Default)]
pub(super) struct HeldPools {
    pub(super) pools: HashMap<PoolKey, Arc<ConnectionPool>>,
    /// Those whose passwords a server is asked about for the first time.
    pub(super) asked: HashMap<PoolKey, Arc<ConnectionPool>>,
    paused: PausedDatabases,
    waits: WaitTotals,
    /// By server and the name that clients have for the database.
    bounds: HashMap<(UpstreamPlace, Box<str>), Weak<DatabaseBound>>,
}

/// Which databases get no connections.
#[derive(Default)]
struct PausedDatabases {
    are_all: bool,
    named: BTreeSet<Box<str>>,
}

/// For how long sessions have waited for connections, in microseconds by database. It stays when a
/// pool is forgotten.
type WaitTotals = BTreeMap<Box<str>, Arc<AtomicU64>>;

/// What came of the wish to hold databases back, or to let them go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PauseChange {
    /// They are as it was wished.
    Done,
    /// They were so already.
    Already,
    /// This one is held back with all others, and not by itself.
    WithAll,
}

impl HeldPools {
    /// Whether a database gets no connections.
    pub(super) fn is_paused(&self, database: &str) -> bool {
        self.paused.are_all || self.paused.named.contains(database)
    }

    /// Where the waits for connections of a database are summed up.
    pub(super) fn waits_of(&mut self, database: &str) -> Arc<AtomicU64> {
        Arc::clone(self.waits.entry(database.into()).or_default())
    }

    /// The bound of the database of a pool that is new.
    pub(super) fn bound_of(&mut self, key: &PoolKey, most: usize) -> PoolBound {
        let of = (key.place.clone(), key.database.clone());
        let known = self.bounds.get(&of).and_then(Weak::upgrade);
        let bound = known.unwrap_or_else(|| {
            let bound = Arc::new(DatabaseBound::new(most));
            self.bounds.insert(of, Arc::downgrade(&bound));
            bound
        });
        PoolBound {
            bound,
            account: Arc::from(&*key.user),
        }
    }

    /// Those are forgotten that no pool and no connection has any more.
    pub(super) fn forget_bounds(&mut self) {
        self.bounds.retain(|_, bound| bound.strong_count() > 0);
    }

    /// Tells every pool whether it gives connections.
    fn tell(&self) {
        for (key, pool) in self.all() {
            pool.paused.send_replace(self.is_paused(&key.database));
        }
    }

    /// A password is not asked about any more.
    pub(super) fn forget_asked(&mut self, key: &PoolKey, pool: &Arc<ConnectionPool>) {
        let asked = self.asked.get(key);
        if asked.is_some_and(|asked| Arc::ptr_eq(asked, pool)) {
            self.asked.remove(key);
        }
    }

    /// Makes room for one more where there are too many: the pool whose password was asked about
    /// longest ago, of those that nobody has.
    pub(super) fn make_room(&mut self) -> Option<Arc<ConnectionPool>> {
        if self.pools.len() < limits::pools::POOLS_MAX {
            return None;
        }
        let unused = self.pools.iter();
        let unused = unused.filter(|(_, pool)| Arc::strong_count(pool) == 1);
        let oldest = unused.min_by_key(|(_, pool)| pool.password.last_accepted());
        let oldest = oldest.map(|(key, _)| key.clone());
        oldest.and_then(|key| self.pools.remove(&key))
    }

    fn all(&self) -> impl Iterator<Item = (&PoolKey, &Arc<ConnectionPool>)> {
        self.pools.iter().chain(&self.asked)
    }

    /// Those of a database, or all.
    fn of(&self, database: Option<&str>) -> Vec<Arc<ConnectionPool>> {
        let meant = self
            .all()
            .filter(|(key, _)| database.is_none_or(|name| *key.database == *name));
        meant.map(|(_, pool)| Arc::clone(pool)).collect()
    }
}

impl ConnectionPools {
    /// Gives no connections of a database, or of any, from now on: whoever wants one waits as for a
    /// busy one. Idle connections are closed, the others when they are given back.
    pub fn pause(&self, database: Option<&str>) -> PauseChange {
        let mut held = self.shared.pools();
        let paused = &mut held.paused;
        let is_news = match database {
            None => !std::mem::replace(&mut paused.are_all, true),
            Some(_) if paused.are_all => false,
            Some(name) => paused.named.insert(name.into()),
        };
        if !is_news {
            return PauseChange::Already;
        }
        held.tell();
        let pools = held.of(database);
        drop(held);
        pools.iter().for_each(|pool| pool.renew_connections());
        PauseChange::Done
    }

    /// Users of these servers have this password from now on, or these keys: connections that were
    /// opened with others are closed as soon as no session with those is left, and no password of
    /// before is accepted without asking.
    pub fn supersede(&self, servers: &UpstreamServers, user: &str, current: SecretDigest) {
        let held = self.shared.pools();
        let of_user = held.pools.iter().filter(|(key, _)| {
            let is_alike = key.secret.is_some_and(|secret| secret.is_alike(current));
            *key.user == *user && is_alike && servers.have(&key.place.0)
        });
        let superseded: Vec<_> = of_user
            .map(|(key, pool)| (key.secret != Some(current), Arc::clone(pool)))
            .collect();
        drop(held);
        for (is_superseded, pool) in superseded {
            pool.is_superseded.store(is_superseded, Ordering::Relaxed);
            if is_superseded {
                pool.password.forget();
            }
            pool.close_if_superseded();
        }
    }

    /// Waits until no connection of a database, or of any, is left. May be cancelled.
    pub async fn are_closed(&self, database: Option<&str>) {
        // Each round waits for the end of a connection.
        loop {
            let mut gone = std::pin::pin!(self.shared.gone.notified());
            gone.as_mut().enable();
            let pools = self.shared.pools().of(database);
            if pools.iter().all(|pool| pool.open.count() == 0) {
                return;
            }
            drop(pools);
            gone.await;
        }
    }

    /// Gives connections again.
    pub fn resume(&self, database: Option<&str>) -> PauseChange {
        let mut held = self.shared.pools();
        let paused = &mut held.paused;
        let change = match database {
            None if !paused.are_all && paused.named.is_empty() => PauseChange::Already,
            None => {
                *paused = PausedDatabases::default();
                PauseChange::Done
            }
            Some(_) if paused.are_all => PauseChange::WithAll,
            Some(name) if paused.named.remove(name) => PauseChange::Done,
            Some(_) => PauseChange::Already,
        };
        held.tell();
        change
    }

    /// Has the connections of a database, or all, made anew: idle ones are closed, the others when
    /// they are given back.
    pub fn reconnect(&self, database: Option<&str>) {
        let pools = self.shared.pools().of(database);
        pools.iter().for_each(|pool| pool.renew_connections());
    }

    /// Whether a database gets no connections.
    pub fn is_paused(&self, database: &str) -> bool {
        self.shared.pools().is_paused(database)
    }

    /// Databases that are held back by name.
    pub fn paused_by_name(&self) -> Vec<Box<str>> {
        self.shared.pools().paused.named.iter().cloned().collect()
    }

    /// How many connections there are of one account in this database, and for how long.
    pub fn settings_of(&self, database: &str) -> PoolSettings {
        self.shared.settings_of(database)
    }

    /// How long sessions have waited for connections of a database.
    pub fn waited(&self, database: &str) -> Duration {
        let held = self.shared.pools();
        let waited = held.waits.get(database);
        Duration::from_micros(waited.map_or(0, |waited| waited.load(Ordering::Relaxed)))
    }

    /// All pools, in the order of their names.
    pub fn shown(&self) -> Vec<PoolShown> {
        let held = self.shared.pools();
        let mut pools: Vec<(PoolShown, Arc<ConnectionPool>)> = held
            .pools
            .iter()
            .map(|(key, pool)| (shown(key, held.is_paused(&key.database)), Arc::clone(pool)))
            .collect();
        drop(held);
        pools.sort_by(|(one, _), (other, _)| one.order().cmp(&other.order()));
        let filled = pools.into_iter().map(|(shown, pool)| PoolShown {
            connections: pool.open.shown(),
            sessions: pool.sessions.load(Ordering::Relaxed),
            sessions_waiting: pool.waiting.sessions(),
            waiting: pool.waiting.shown(),
            ..shown
        });
        filled.collect()
    }
}

impl PoolShown {
    fn order(&self) -> (&str, &str, &str) {
        (&self.database, &self.user, &self.place)
    }
}

/// The names of a pool.
fn shown(key: &PoolKey, is_paused: bool) -> PoolShown {
    PoolShown {
        place: key.place.0.settings().endpoint.to_string().into(),
        database: key.database.clone(),
        user: key.user.clone(),
        connections: Vec::new(),
        sessions: 0,
        sessions_waiting: 0,
        waiting: Vec::new(),
        is_paused,
    }
}
