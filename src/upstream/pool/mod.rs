//! Connections to the upstream that sessions use in turn, each for a transaction.
//!
//! A pool has the connections of one account in one database. A session takes one when its client
//! sends something, brings it to the settings that the client has made, and gives it back when the
//! transaction is over. Who waits for one is served by rounds of users.
//!
//! * `source`: how connections are opened; `connection`: one of them
//! * `set_values`: what is set in a session; `prepared_names`: what is prepared on a connection;
//!   `description`: as what
//! * `places`: how many connections there are, and how many sessions wait

pub mod connection;
pub mod description;
mod places;
pub mod prepared_names;
pub mod set_values;
pub mod source;

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout_at};

use self::connection::{ConnectionBase, ConnectionState, PooledConnection, SettleError};
use self::places::{PoolPlace, Waiting};
use self::set_values::SetValues;
use self::source::{ConnectionClass, ConnectionSource, OpenError};
use super::account::UpstreamAccount;
use super::connect::Upstream;
use super::fair_slots::{FairSlot, FairSlots};
use super::login_retry::jittered;
use super::outbox::Outbox;
use crate::limits;
use crate::telemetry::Telemetry;
use crate::telemetry::events::{PoolCheckout, PoolMoved};
use crate::telemetry::labels::{CheckoutOutcome, PooledConnectionState};

/// How many connections there are, and how long they last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolSettings {
    /// Connections of one account in one database.
    pub size: usize,
    /// How long a session waits for one.
    pub query_wait: Duration,
    /// How long one is used.
    pub server_lifetime: Duration,
    /// How long one is kept that nobody uses.
    pub server_idle_timeout: Duration,
}

/// The pools of all accounts in all databases of all servers. Cheap to clone.
#[derive(Clone)]
pub struct ConnectionPools {
    shared: Arc<SharedPools>,
}

struct SharedPools {
    settings: PoolSettings,
    telemetry: Telemetry,
    pools: Mutex<HashMap<PoolKey, Arc<ConnectionPool>>>,
}

#[derive(PartialEq, Eq, Hash)]
struct PoolKey {
    place: UpstreamPlace,
    database: Box<str>,
    user: Box<str>,
    /// A digest of the password: who has another one shares nothing.
    secret: Option<[u8; 32]>,
}

/// The way to a server. Two ways to one may differ in what makes them safe: they share nothing.
struct UpstreamPlace(Arc<Upstream>);

/// The connections of one account in one database.
pub struct ConnectionPool {
    settings: PoolSettings,
    telemetry: Telemetry,
    /// One for each session that has a connection, or is given one.
    slots: FairSlots,
    idle: Mutex<Vec<IdleConnection>>,
    /// Connections that are there or being opened.
    open: Arc<AtomicUsize>,
}

struct IdleConnection {
    connection: PooledConnection,
    class: ConnectionClass,
    place: PoolPlace,
}

/// The right to have a connection of a pool, with all but the connection itself.
pub struct PoolLease {
    pool: Arc<ConnectionPool>,
    class: ConnectionClass,
    place: PoolPlace,
    slot: FairSlot,
}

/// Who asks for a connection.
pub struct ConnectionWish {
    /// How one is opened.
    pub source: Arc<ConnectionSource>,
    /// What it has to have begun with; none where any will do.
    pub base: Option<Arc<ConnectionBase>>,
    /// What is to be set in it.
    pub values: SetValues,
    /// The user whose turn it is.
    pub user: Box<str>,
    /// The number of the session.
    pub session: u64,
    /// Until when it waits at most, whatever the settings say.
    pub until: Option<Instant>,
}

/// Why there is no connection.
#[derive(Debug)]
pub enum PoolError {
    /// All were busy for as long as a session may wait.
    AllBusy {
        /// How many there are.
        size: usize,
        /// How long it has waited.
        waited: Duration,
    },
    /// None could be opened.
    Open(OpenError),
    /// Connections that are opened now begin otherwise than the session did: at another server, or
    /// with other settings of its role.
    OtherBase,
    /// The connection was lost while it was brought to the session's settings.
    Settle(SettleError),
    /// The process ends.
    Closed,
}

impl ConnectionPools {
    /// No connections yet. Those that nobody uses are closed on that runtime.
    pub fn new(settings: PoolSettings, telemetry: Telemetry, runtime: &Handle) -> Self {
        let shared = Arc::new(SharedPools {
            settings,
            telemetry,
            pools: Mutex::default(),
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

    /// The pool of an account in a database of a server; none where there are too many pools.
    pub fn of(
        &self,
        upstream: &Arc<Upstream>,
        database: &str,
        account: &UpstreamAccount,
    ) -> Option<Arc<ConnectionPool>> {
        let secret = account.password.as_ref();
        let secret = secret.map(|secret| *digest(secret.reveal().as_bytes()).as_bytes());
        let key = PoolKey {
            place: UpstreamPlace(Arc::clone(upstream)),
            database: database.into(),
            user: account.user.as_str().into(),
            secret,
        };
        let mut pools = self.shared.pools();
        if let Some(pool) = pools.get(&key) {
            return Some(Arc::clone(pool));
        }
        if pools.len() >= limits::pools::POOLS_MAX {
            return None;
        }
        let pool = Arc::new(ConnectionPool {
            settings: self.shared.settings,
            telemetry: self.shared.telemetry.clone(),
            slots: FairSlots::new(self.shared.settings.size),
            idle: Mutex::default(),
            open: Arc::default(),
        });
        pools.insert(key, Arc::clone(&pool));
        Some(pool)
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
    fn pools(&self) -> MutexGuard<'_, HashMap<PoolKey, Arc<ConnectionPool>>> {
        self.pools.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes what is old or unused, and forgets pools that nobody has.
    fn sweep(&self) {
        let now = Instant::now();
        let mut pools = self.pools();
        let held: Vec<_> = pools.values().map(Arc::clone).collect();
        pools.retain(|_, pool| {
            // The one in the map and the one that is swept.
            Arc::strong_count(pool) > 2 || pool.open.load(Ordering::Acquire) > 0
        });
        drop(pools);
        for pool in held {
            pool.sweep(now);
        }
    }
}

impl ConnectionPool {
    /// A connection, where one is idle that is as the session wants it and nobody waits for one.
    pub fn take_ready(
        self: &Arc<Self>,
        wish: &ConnectionWish,
    ) -> Option<(PooledConnection, PoolLease)> {
        let slot = self.slots.take_free()?;
        let is_ready = |idle: &IdleConnection| idle.connection.state.values == wish.values;
        let idle = self.take_idle(wish, is_ready)?;
        self.checked_out(CheckoutOutcome::Reused, Duration::ZERO);
        Some(self.lease(idle, slot))
    }

    /// A connection that is brought to what the session wants, when it is its user's turn.
    ///
    /// May be cancelled: a connection that is being opened or settled is closed.
    ///
    /// # Errors
    /// All are busy for too long, none can be opened, or what is opened now is not alike.
    pub async fn take(
        self: Arc<Self>,
        wish: ConnectionWish,
    ) -> Result<(PooledConnection, PoolLease), PoolError> {
        let since = Instant::now();
        let queue = self.slots.take(&wish.user);
        let waits = Waiting::begin(&self.telemetry);
        let longest = since + self.settings.query_wait;
        let until = wish.until.map_or(longest, |until| longest.min(until));
        let slot = timeout_at(until, queue).await;
        drop(waits);
        let Ok(slot) = slot else {
            self.checked_out(CheckoutOutcome::TimedOut, since.elapsed());
            return Err(PoolError::AllBusy {
                size: self.settings.size,
                waited: since.elapsed(),
            });
        };
        let slot = slot.ok_or(PoolError::Closed)?;
        // Each round takes one out of a finite number.
        while let Some(mut idle) = self.take_idle(&wish, |_| true) {
            let is_replayed = idle.connection.state.values != wish.values;
            match idle.connection.bring_to(&wish.values).await {
                Ok(()) => {
                    let outcome = match is_replayed {
                        true => CheckoutOutcome::Replayed,
                        false => CheckoutOutcome::Reused,
                    };
                    self.checked_out(outcome, since.elapsed());
                    return Ok(self.lease(idle, slot));
                }
                Err(tripped @ SettleError::Tripped(_)) => return Err(PoolError::Settle(tripped)),
                Err(_lost) => {}
            }
        }
        let opened = self.open(&wish).await;
        let outcome = match &opened {
            Ok(_) => CheckoutOutcome::Opened,
            Err(_) => CheckoutOutcome::Failed,
        };
        self.checked_out(outcome, since.elapsed());
        opened.map(|idle| self.lease(idle, slot))
    }

    /// Whether somebody waits for a connection.
    pub fn has_waiting(&self) -> bool {
        self.slots.has_waiting()
    }

    /// The idle connection that suits best, of those that may be taken.
    fn take_idle(
        &self,
        wish: &ConnectionWish,
        may_be: impl Fn(&IdleConnection) -> bool,
    ) -> Option<IdleConnection> {
        let now = Instant::now();
        let class = wish.source.class();
        // Each round takes one out of a finite number.
        loop {
            let mut idle = self.idle();
            let suits = |at: &(usize, &IdleConnection)| {
                let state = &at.1.connection.state;
                at.1.class == class
                    && state.values.may_become(&wish.values)
                    && wish
                        .base
                        .as_ref()
                        .is_none_or(|base| base.is_alike(&state.base))
                    && may_be(at.1)
            };
            let found = idle.iter().enumerate().filter(suits);
            let fit = |at: &(usize, &IdleConnection)| {
                at.1.connection.state.fit(wish.session, &wish.values)
            };
            let (at, _) = found.max_by_key(fit)?;
            let taken = idle.swap_remove(at);
            drop(idle);
            self.telemetry.emit(&PoolMoved {
                from: Some(PooledConnectionState::Idle),
                to: Some(PooledConnectionState::Used),
            });
            let state = &taken.connection.state;
            if !state.is_expired(now) && taken.connection.is_quiet() {
                return Some(taken);
            }
            taken.close_used();
        }
    }

    async fn open(self: &Arc<Self>, wish: &ConnectionWish) -> Result<IdleConnection, PoolError> {
        let place = self.place();
        let (session, base) = wish.source.open().await.map_err(PoolError::Open)?;
        let base = match &wish.base {
            Some(wanted) if wanted.is_alike(&base) => Arc::clone(wanted),
            Some(_) => return Err(PoolError::OtherBase),
            None => Arc::new(base),
        };
        let lifetime = jittered(self.settings.server_lifetime);
        let mut connection = PooledConnection {
            state: ConnectionState::opened(base, session.key, lifetime),
            frames: session.framed,
        };
        let settled = connection.bring_to(&wish.values).await;
        settled.map_err(PoolError::Settle)?;
        Ok(IdleConnection {
            connection,
            class: wish.source.class(),
            place,
        })
    }

    /// A place for one more connection; where all are taken, one that nobody uses makes room.
    fn place(&self) -> PoolPlace {
        let mut idle = self.idle();
        let is_full = self.open.load(Ordering::Acquire) >= self.settings.size;
        let oldest = match is_full && !idle.is_empty() {
            true => Some(idle.remove(0)),
            false => None,
        };
        // Counted before anybody else looks.
        let place = PoolPlace::taken(&self.open, &self.telemetry);
        drop(idle);
        if let Some(oldest) = oldest {
            oldest.close();
        }
        place
    }

    fn lease(
        self: &Arc<Self>,
        idle: IdleConnection,
        slot: FairSlot,
    ) -> (PooledConnection, PoolLease) {
        let IdleConnection {
            connection,
            class,
            place,
        } = idle;
        let lease = PoolLease {
            pool: Arc::clone(self),
            class,
            place,
            slot,
        };
        (connection, lease)
    }

    fn sweep(&self, now: Instant) {
        let mut idle = self.idle();
        let idle_timeout = self.settings.server_idle_timeout;
        let (kept, closed) =
            std::mem::take(&mut *idle)
                .into_iter()
                .partition(|idle: &IdleConnection| {
                    let connection = &idle.connection;
                    !connection.state.is_stale(now, idle_timeout) && connection.is_quiet()
                });
        *idle = kept;
        drop(idle);
        closed.into_iter().for_each(IdleConnection::close);
    }

    fn checked_out(&self, outcome: CheckoutOutcome, waited: Duration) {
        self.telemetry.emit(&PoolCheckout { outcome, waited });
    }

    fn idle(&self) -> MutexGuard<'_, Vec<IdleConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PoolLease {
    /// Hands a connection back that is at rest: it is for the next session.
    pub fn give_back(self, mut connection: PooledConnection) {
        let Self {
            pool,
            class,
            place,
            slot,
        } = self;
        connection.state.rest();
        let idle = IdleConnection {
            connection,
            class,
            place,
        };
        if idle.connection.state.is_expired(Instant::now()) {
            idle.close_used();
        } else {
            pool.telemetry.emit(&PoolMoved {
                from: Some(PooledConnectionState::Used),
                to: Some(PooledConnectionState::Idle),
            });
            pool.idle().push(idle);
        }
        drop(slot);
    }

    /// Whether somebody else waits for a connection.
    pub fn is_wanted(&self) -> bool {
        self.pool.has_waiting()
    }
}

impl IdleConnection {
    /// Says goodbye to one that is idle.
    fn close(self) {
        self.place.telemetry().emit(&PoolMoved {
            from: Some(PooledConnectionState::Idle),
            to: Some(PooledConnectionState::Used),
        });
        self.close_used();
    }

    /// Says goodbye to one that was taken.
    fn close_used(self) {
        let mut goodbye = Outbox::default();
        goodbye.terminate();
        let Self {
            connection, place, ..
        } = self;
        drop(place);
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move { connection.frames.send_and_close(&goodbye).await });
        }
    }
}

/// Of a password, which is kept nowhere else.
fn digest(secret: &[u8]) -> blake3::Hash {
    blake3::hash(secret)
}

impl fmt::Debug for ConnectionPools {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ConnectionPools({})", self.shared.pools().len())
    }
}

impl fmt::Debug for ConnectionPool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ConnectionPool({} idle)", self.idle().len())
    }
}

impl fmt::Debug for PoolLease {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PoolLease")
    }
}
