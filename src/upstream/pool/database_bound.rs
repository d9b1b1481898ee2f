//! How many connections of one database there are at one server, over all accounts
//! (`max_db_connections`).
//!
//! A session that wants a connection takes a turn first; there are as many turns as connections may
//! be, and it has its own for as long as it has a connection. Whoever has a turn and finds no
//! connection needs a place for a new one; where all are taken, the connection of any account that
//! nobody has used for longest is closed for it. There is one, or one is being closed: whatever has
//! a place is idle, is being closed, or belongs to somebody with a turn.

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::account_turns::{AccountTurn, AccountTurns};
use crate::upstream::fair_slots::FairSlot;

/// The bound of one database.
pub(super) struct DatabaseBound {
    most: usize,
    turns: AccountTurns,
    /// One for each connection that is there, or is being opened or closed.
    places: Arc<Semaphore>,
    /// Those of its accounts.
    pools: Mutex<Vec<Weak<dyn IdleConnections>>>,
}

/// The connections of one account that nobody has.
pub(super) trait IdleConnections: Send + Sync {
    /// Since when the one has rested that nobody has used for longest.
    fn longest_idle(&self) -> Option<Instant>;

    /// Closes the one that has rested since then, unless somebody has taken it.
    fn close_idle(&self, since: Instant) -> bool;
}

/// The bound of a pool's database, and whose the pool is.
pub(super) struct PoolBound {
    /// It.
    pub(super) bound: Arc<DatabaseBound>,
    /// The account.
    pub(super) account: Arc<str>,
}

/// The place of a connection among those of its database, until the server has let go of it.
pub(super) struct DatabasePlace {
    _permit: OwnedSemaphorePermit,
    /// What is forgotten is not counted.
    _bound: Arc<DatabaseBound>,
}

/// The right to have a connection: within its pool, and within its database where that is bounded.
pub(super) struct PoolTurn {
    pub(super) slot: FairSlot,
    pub(super) database: Option<AccountTurn>,
}

impl DatabaseBound {
    /// So many at most, none yet.
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            turns: AccountTurns::new(most),
            places: Arc::new(Semaphore::new(most)),
            pools: Mutex::default(),
        }
    }

    /// Connections of that pool are among those that it is for.
    pub(super) fn add(&self, pool: Weak<dyn IdleConnections>) {
        let mut pools = self.pools();
        pools.retain(|known| known.strong_count() > 0);
        pools.push(pool);
    }

    /// Closes the connection that nobody has used for longest.
    fn evict(&self) {
        let pools: Vec<_> = self.pools().iter().filter_map(Weak::upgrade).collect();
        // Another round is for a connection that somebody with a turn has taken meanwhile.
        loop {
            let idle = pools.iter();
            let idle = idle.filter_map(|pool| Some((pool.longest_idle()?, pool)));
            let Some((since, pool)) = idle.min_by_key(|(since, _)| *since) else {
                return;
            };
            if pool.close_idle(since) {
                return;
            }
        }
    }

    fn pools(&self) -> MutexGuard<'_, Vec<Weak<dyn IdleConnections>>> {
        self.pools.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PoolBound {
    /// How many there may be.
    pub(super) fn most(&self) -> usize {
        self.bound.most
    }

    /// The account's turn. None comes only when all is over.
    pub(super) fn turn(&self) -> impl Future<Output = Option<AccountTurn>> + Send + 'static {
        self.bound.turns.take(&self.account)
    }

    /// A turn, where nobody waits for it.
    pub(super) fn free_turn(&self) -> Option<AccountTurn> {
        self.bound.turns.take_free(&self.account)
    }

    /// Whether somebody waits for a turn, of any account.
    pub(super) fn has_waiting(&self) -> bool {
        self.bound.turns.has_waiting()
    }

    /// A place for whoever has a turn: one that is free, or that of a connection that is closed for
    /// it. None comes only when all is over.
    ///
    /// May be cancelled: the place is the next one's.
    pub(super) async fn place(&self) -> Option<DatabasePlace> {
        let mut free = pin!(Arc::clone(&self.bound.places).acquire_owned());
        let permit = tokio::select! {
            biased;
            permit = &mut free => permit,
            // It is lined up by now: what is closed is for it, and for nobody who comes later.
            () = std::future::ready(()) => {
                self.bound.evict();
                free.await
            }
        };
        permit.ok().map(|permit| self.taken(permit))
    }

    /// A place, where one is free.
    pub(super) fn free_place(&self) -> Option<DatabasePlace> {
        let permit = Arc::clone(&self.bound.places).try_acquire_owned();
        permit.ok().map(|permit| self.taken(permit))
    }

    fn taken(&self, permit: OwnedSemaphorePermit) -> DatabasePlace {
        DatabasePlace {
            _permit: permit,
            _bound: Arc::clone(&self.bound),
        }
    }
}
