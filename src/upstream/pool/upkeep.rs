//! What is done with the connections of a pool that nobody has: those that are too old, or more
//! than are needed, are closed; where fewer are there than are kept ready, more are opened before
//! anybody wants them.

use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};

use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::idle_connection::IdleConnection;
use super::one_pool::ConnectionPool;
use super::refill::{Refill, RefillExample};
use super::source::{ConnectionSource, OpenError};
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
            let Some(slot) = self.slots.take_free() else {
                break;
            };
            let Some(place) = self.spare_place() else {
                break;
            };
            let opened = source.open_once().await?;
            self.keep_ready(opened, source.class(), (place, slot));
        }
        Ok(())
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
