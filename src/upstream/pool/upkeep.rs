//! What is done with the connections of a pool that nobody has: those that are too old, or more
//! than are needed, are closed, and those whose place another one needs; where fewer are there than
//! are kept ready, more are opened before anybody wants them.

use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};

use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::database_bound::{DatabasePlace, IdleConnections, PoolTurn};
use super::idle_connection::IdleConnection;
use super::one_pool::{ConnectionPool, PoolLease};
use super::places::PoolPlace;
use super::refill::{Refill, RefillExample};
use super::source::{ConnectionClass, ConnectionSource, OpenError, OpenedConnection};
use crate::telemetry::events::UpstreamUnreachable;

impl ConnectionPool {
    /// Closes what is too old, what was not used for long, and what is beyond the usual number.
    pub(super) fn sweep(&self, now: Instant) {
        let mut idle = self.idle();
        let (mut lasting, mut closed): (Vec<_>, Vec<_>) = std::mem::take(&mut *idle)
            .into_iter()
            .partition(|idle: &IdleConnection| {
                let connection = &idle.connection;
                !connection.state.is_expired(now) && connection.is_quiet()
            });
        lasting.sort_by_key(|idle| idle.connection.state.rested());
        let settings = &self.settings;
        let staying = self.open.staying().saturating_sub(closed.len());
        let most = settings.size + self.slots.reserve_in_use();
        let (beyond, spare) = (
            staying.saturating_sub(most),
            staying.saturating_sub(settings.min),
        );
        let mut closing = 0;
        for one in lasting {
            let is_unused = one.connection.state.rested() + settings.server_idle_timeout <= now;
            if closing < beyond || closing < spare && is_unused {
                closing += 1;
                closed.push(one);
            } else {
                idle.push(one);
            }
        }
        drop(idle);
        closed.into_iter().for_each(IdleConnection::close);
    }

    /// Idle connections are closed, the others when they are given back.
    pub(super) fn renew_connections(&self) {
        self.open.retire();
        let closed = std::mem::take(&mut *self.idle());
        closed.into_iter().for_each(IdleConnection::close);
    }

    /// A place for one more connection, unless none is given now; where all are taken, one that
    /// nobody uses makes room.
    pub(super) fn place(&self, of_database: Option<DatabasePlace>) -> Option<PoolPlace> {
        let mut idle = self.idle();
        if *self.paused.borrow() {
            return None;
        }
        let is_full = self.open.count() >= self.settings.size;
        let oldest = match is_full && !idle.is_empty() {
            true => Some(idle.remove(0)),
            false => None,
        };
        // Counted before anybody else looks.
        let place = self.new_place(of_database);
        drop(idle);
        if let Some(oldest) = oldest {
            oldest.close();
        }
        Some(place)
    }

    /// A place for a connection that nobody has asked for, where there is room.
    pub(super) fn spare_place(&self) -> Option<PoolPlace> {
        let of_database = match &self.bound {
            None => None,
            Some(bound) => Some(bound.free_place()?),
        };
        let idle = self.idle();
        let is_full = self.open.count() >= self.settings.size;
        let place = (!is_full && !*self.paused.borrow()).then(|| self.new_place(of_database));
        drop(idle);
        place
    }

    fn new_place(&self, of_database: Option<DatabasePlace>) -> PoolPlace {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        PoolPlace::taken(&self.open, number, of_database)
    }

    /// Closes what nobody will take any more: the account has other keys, and no session with the
    /// old ones is left.
    pub(super) fn close_if_superseded(&self) {
        let is_superseded = self.is_superseded.load(Ordering::Relaxed);
        if is_superseded && self.sessions.load(Ordering::Relaxed) == 0 {
            self.renew_connections();
        }
    }

    /// Opens connections where fewer are there than are kept ready. So many pools do that at a time
    /// as there are turns, and none any more when these are closed.
    pub(super) fn refill_if_short(self: &Arc<Self>, now: Instant, turns: &Arc<Semaphore>) {
        if !self.is_short() {
            return;
        }
        let Ok(turn) = Arc::clone(turns).try_acquire_owned() else {
            return;
        };
        let Some((example, pause)) = self.refill().begin(now) else {
            return;
        };
        let (pool, turns) = (Arc::clone(self), Arc::clone(turns));
        let RefillExample { source, runtime } = example;
        runtime.spawn(async move {
            let outcome = pool.open_ahead(&source, &turns).await;
            if let Err(error) = &outcome {
                pool.note_refusal(error);
                pool.tell(error);
            }
            pool.refill().end(&outcome, pause);
            drop(turn);
        });
    }

    /// One after the other, until enough are there or no more may be.
    async fn open_ahead(
        self: &Arc<Self>,
        source: &ConnectionSource,
        turns: &Semaphore,
    ) -> Result<(), OpenError> {
        for _ in 0..self.settings.min {
            if turns.is_closed() || !self.is_short() {
                break;
            }
            // Whoever comes meanwhile is not to open one more than there may be.
            let Some(turn) = self.free_turn() else {
                break;
            };
            let Some(place) = self.spare_place() else {
                break;
            };
            let opened = source.open_once().await?;
            self.keep_ready(opened, source.class(), (place, turn));
        }
        Ok(())
    }

    /// A connection that nobody has asked for is there for whoever comes next.
    pub(super) fn keep_ready(
        self: &Arc<Self>,
        (session, base): OpenedConnection,
        class: ConnectionClass,
        (place, turn): (PoolPlace, PoolTurn),
    ) {
        let opened = self.opened((session, Arc::new(base)), class, place);
        let lease = PoolLease {
            pool: Arc::clone(self),
            class,
            place: opened.place,
            turn,
        };
        lease.give_back(opened.connection);
    }

    /// Whether sessions use the pool and fewer connections are there than are kept ready.
    fn is_short(&self) -> bool {
        self.open.staying() < self.settings.min
            && self.sessions.load(Ordering::Relaxed) > 0
            && !*self.paused.borrow()
    }

    fn tell(&self, error: &OpenError) {
        match error {
            OpenError::Login(failure) => self.telemetry.emit(&UpstreamUnreachable { failure }),
            OpenError::NotReadOnly(failure) => {
                self.telemetry.emit(&UpstreamUnreachable { failure });
            }
        }
    }

    pub(super) fn refill(&self) -> MutexGuard<'_, Refill> {
        self.refill.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl IdleConnections for ConnectionPool {
    fn longest_idle(&self) -> Option<Instant> {
        let idle = self.idle();
        idle.iter().map(|one| one.connection.state.rested()).min()
    }

    fn close_idle(&self, since: Instant) -> bool {
        let mut idle = self.idle();
        let found = idle
            .iter()
            .position(|one| one.connection.state.rested() == since);
        let closed = found.map(|at| idle.swap_remove(at));
        drop(idle);
        closed.map(IdleConnection::close).is_some()
    }
}
