//! Connections to the upstream that sessions use in turn, each for a transaction.
//!
//! A pool has the connections of one account in one database. A session takes one when its client
//! sends something, brings it to the settings that the client has made, and gives it back when the
//! transaction is over. Who waits for one is served by rounds of users.
//!
//! * `one_pool`: who takes a connection of one, and what becomes of those that are given back;
//!   `upkeep`: which are closed while nobody has them, and which are opened before they are wanted
//!   (`refill`: when and how)
//! * `mode`: whether sessions share any
//! * `database_bound`: how many there may be of one database, over all accounts; `account_turns`:
//!   which account is next
//! * `source`: how connections are opened; `connection`: one of them; `idle_connection`: one that
//!   no session has
//! * `set_values`: what is set in a session; `prepared_names`: what is prepared on a connection;
//!   `description`: as what
//! * `places`: which connections there are, and which sessions wait; `shown`: what is told of them
//! * `password_proof`: passwords that a server has accepted
//! * `administration`: what whoever runs pgsieve may do with them; `member`: sessions that take
//!   connections of a pool

mod account_turns;
pub mod administration;
pub mod connection;
mod database_bound;
pub mod description;
mod idle_connection;
pub mod member;
mod mode;
mod one_pool;
pub mod password_proof;
mod places;
pub mod prepared_names;
mod refill;
pub mod set_values;
pub mod shown;
pub mod source;
mod upkeep;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{Notify, Semaphore};
use tokio::time::{Instant, MissedTickBehavior, interval};

use self::administration::HeldPools;
use self::connection::{ConnectionBase, SettleError};
pub use self::mode::PoolMode;
pub use self::one_pool::{ConnectionPool, PoolLease};
use self::places::OpenConnections;
use self::set_values::SetValues;
use self::source::{ConnectionSource, OpenError};
use super::account::UpstreamAccount;
use super::connect::Upstream;
use crate::auth::login_secret::{LoginSecret, SecretDigest};
use crate::limits;
use crate::policy::access::Glob;
use crate::telemetry::Telemetry;

/// How many connections there are, and how long they last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolSettings {
    /// Whether sessions share any.
    pub mode: PoolMode,
    /// Connections of one account in one database.
    pub size: usize,
    /// Those that are kept ready while sessions use the pool.
    pub min: usize,
    /// Those beyond `size` that are opened when a session has waited for long.
    pub reserve: usize,
    /// How long that is.
    pub reserve_wait: Duration,
    /// How long a session waits for one.
    pub query_wait: Duration,
    /// Connections of one database at one server, over all accounts.
    pub database_max: ConnectionsMax,
    /// How long one is used.
    pub server_lifetime: Duration,
    /// How long one is kept that nobody uses.
    pub server_idle_timeout: Duration,
    /// Statements with names that are kept prepared on one.
    pub max_prepared_statements: usize,
}

/// What some databases have otherwise: connections of one account in one of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PoolSizes {
    /// In the place of [`PoolSettings::mode`].
    pub mode: Option<PoolMode>,
    /// In the place of [`PoolSettings::size`].
    pub size: Option<usize>,
    /// In the place of [`PoolSettings::min`].
    pub min: Option<usize>,
    /// In the place of [`PoolSettings::reserve`].
    pub reserve: Option<usize>,
    /// In the place of [`PoolSettings::database_max`].
    pub database_max: Option<ConnectionsMax>,
}

/// How many connections there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionsMax {
    /// As many as others let be.
    Unbounded,
    /// So many.
    AtMost(usize),
}

/// What some databases have otherwise, by the names that clients have for them: the first that fits
/// counts.
pub type OwnPoolSizes = Vec<(Glob, PoolSizes)>;

/// The pools of all accounts in all databases of all servers. Cheap to clone.
#[derive(Clone)]
pub struct ConnectionPools {
    shared: Arc<SharedPools>,
}

struct SharedPools {
    settings: PoolSettings,
    sizes: OwnPoolSizes,
    telemetry: Telemetry,
    held: Mutex<HeldPools>,
    /// Told of each connection that is closed.
    gone: Arc<Notify>,
    /// The number of the next connection.
    numbers: Arc<AtomicU64>,
    /// Pools that open connections which nobody has asked for.
    refill_turns: Arc<Semaphore>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct PoolKey {
    place: UpstreamPlace,
    /// The name that clients have for it.
    database: Box<str>,
    user: Box<str>,
    /// A digest of what it logs in with: who has something else shares nothing.
    secret: Option<SecretDigest>,
}

/// The way to a server. Two ways to one may differ in what makes them safe: they share nothing.
#[derive(Clone)]
struct UpstreamPlace(Arc<Upstream>);

/// Who asks for a connection.
pub struct ConnectionWish {
    /// How one is opened.
    pub source: Arc<ConnectionSource>,
    /// What it has to have begun with; none where any will do.
    pub base: Option<Arc<ConnectionBase>>,
    /// What is to be set in it.
    pub values: SetValues,
    /// The user whose turn it is.
    pub user: Arc<str>,
    /// The number of the session.
    pub session: u64,
    /// Until when it waits at most, whatever the settings say.
    pub until: Option<Instant>,
}

/// Connections of which one would have had to become free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BusyConnections {
    /// Those of the account in its database, so many.
    OfAccount(u32),
    /// Those of the database over all accounts, so many.
    OfDatabase(u32),
}

impl BusyConnections {
    fn of_account(count: usize) -> Self {
        Self::OfAccount(u32::try_from(count).unwrap_or(u32::MAX))
    }

    fn of_database(count: usize) -> Self {
        Self::OfDatabase(u32::try_from(count).unwrap_or(u32::MAX))
    }
}

/// Why there is no connection.
#[derive(Debug, Clone)]
pub enum PoolError {
    /// All were busy for as long as a session may wait.
    AllBusy {
        /// Which.
        busy: BusyConnections,
        /// How long it has waited.
        waited: Duration,
    },
    /// None is given now, for as long as a session may wait: its database is paused.
    Paused {
        /// How long it has waited.
        waited: Duration,
    },
    /// None could be opened.
    Open(OpenError),
    /// Connections that are opened now begin otherwise than the session did: at another server, or
    /// with other settings of its role.
    OtherBase,
    /// No server is there that the policy of the session lets it go to.
    NoServer,
    /// The connection was lost while it was brought to the session's settings.
    Settle(SettleError),
    /// The process ends.
    Closed,
}

impl ConnectionPools {
    /// No connections yet. Connections that nobody uses are closed on that runtime.
    pub fn new(
        (settings, sizes): (PoolSettings, OwnPoolSizes),
        telemetry: Telemetry,
        runtime: &Handle,
    ) -> Self {
        let shared = Arc::new(SharedPools {
            settings,
            sizes,
            telemetry,
            held: Mutex::default(),
            gone: Arc::default(),
            numbers: Arc::new(AtomicU64::new(1)),
            refill_turns: Arc::new(Semaphore::new(limits::pools::REFILLS_MAX)),
        });
        let swept = Arc::downgrade(&shared);
        runtime.spawn(async move {
            let mut ticks = interval(limits::pools::SWEEP_INTERVAL);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            // As long as anybody has the pools.
            loop {
                ticks.tick().await;
                match swept.upgrade() {
                    Some(shared) => shared.sweep(),
                    None => return,
                }
            }
        });
        Self { shared }
    }

    /// No connection is opened any more that nobody has asked for: the process ends.
    pub fn end_refills(&self) {
        self.shared.refill_turns.close();
    }

    /// Whether sessions share connections of a database, by the name that clients have for it.
    pub fn are_for(&self, database: &str) -> bool {
        self.shared.settings_of(database).mode == PoolMode::Transaction
    }

    /// The pool of an account in a database of a server; none where there are too many pools, or
    /// where sessions share none.
    pub fn of(
        &self,
        upstream: &Arc<Upstream>,
        database: &str,
        account: &UpstreamAccount,
    ) -> Option<Arc<ConnectionPool>> {
        let key = PoolKey::of(upstream, database, account);
        let mut held = self.shared.pools();
        if let Some(pool) = held.pools.get(&key) {
            return Some(Arc::clone(pool));
        }
        if held.pools.len() >= limits::pools::POOLS_MAX || !self.are_for(database) {
            return None;
        }
        let pool = self.shared.new_pool(&mut held, &key);
        held.pools.insert(key, Arc::clone(&pool));
        Some(pool)
    }
}

impl ConnectionsMax {
    /// As PgBouncer writes it: 0 for no bound.
    pub fn as_number(self) -> usize {
        match self {
            Self::Unbounded => 0,
            Self::AtMost(most) => most,
        }
    }
}

impl PoolSettings {
    /// With what a database has otherwise. No more are kept ready than there may be.
    #[must_use]
    pub fn with(self, sizes: PoolSizes) -> Self {
        let size = sizes.size.unwrap_or(self.size);
        Self {
            mode: sizes.mode.unwrap_or(self.mode),
            size,
            min: sizes.min.unwrap_or(self.min).min(size),
            reserve: sizes.reserve.unwrap_or(self.reserve),
            database_max: sizes.database_max.unwrap_or(self.database_max),
            ..self
        }
    }
}

impl PoolKey {
    /// Of an account in a database of a server.
    fn of(upstream: &Arc<Upstream>, database: &str, account: &UpstreamAccount) -> Self {
        Self {
            place: UpstreamPlace(Arc::clone(upstream)),
            database: database.into(),
            user: account.user.as_str().into(),
            secret: account.secret.as_ref().map(LoginSecret::digest),
        }
    }
}

impl PartialEq for UpstreamPlace {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for UpstreamPlace {}

impl Hash for UpstreamPlace {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

impl SharedPools {
    fn pools(&self) -> MutexGuard<'_, HeldPools> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many connections one account has in a database, and for how long.
    fn settings_of(&self, database: &str) -> PoolSettings {
        let mut sizes = self.sizes.iter();
        let own = sizes.find(|(names, _)| names.matches(database));
        own.map_or(self.settings, |(_, sizes)| self.settings.with(*sizes))
    }

    /// A pool of a database, without connections yet.
    fn new_pool(&self, held: &mut HeldPools, key: &PoolKey) -> Arc<ConnectionPool> {
        let database = &*key.database;
        let open = OpenConnections::new(self.telemetry.clone(), Arc::clone(&self.gone));
        let begins = (held.waits_of(database), held.is_paused(database));
        let settings = self.settings_of(database);
        let bound = match settings.database_max {
            ConnectionsMax::Unbounded => None,
            ConnectionsMax::AtMost(most) => Some(held.bound_of(key, most)),
        };
        let database_bound = bound.as_ref().map(|own| Arc::clone(&own.bound));
        let pool = Arc::new(ConnectionPool::new(
            (settings, self.telemetry.clone()),
            bound,
            open,
            Arc::clone(&self.numbers),
            begins,
        ));
        if let Some(bound) = database_bound {
            let pool = Arc::downgrade(&pool);
            bound.add(pool);
        }
        pool
    }

    /// Closes what is old or unused, opens what is missing, and forgets pools that nobody has.
    fn sweep(&self) {
        let now = Instant::now();
        let mut held = self.pools();
        // Whoever has asked for it is gone.
        held.asked.retain(|_, pool| Arc::strong_count(pool) > 1);
        held.forget_bounds();
        let swept: Vec<_> = held.pools.values().map(Arc::clone).collect();
        held.pools.retain(|_, pool| {
            // The one in the map and the one that is swept.
            Arc::strong_count(pool) > 2 || pool.open.count() > 0
        });
        drop(held);
        for pool in swept {
            pool.close_if_superseded();
            pool.sweep(now);
            pool.refill_if_short(now, &self.refill_turns);
        }
    }
}

impl fmt::Debug for ConnectionPools {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "ConnectionPools({})",
            self.shared.pools().pools.len()
        )
    }
}
