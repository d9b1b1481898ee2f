//! What each session is at, told by the session itself whenever that changes and read when a
//! scrape asks.
//!
//! A session has a [`SessionGauge`] from accept to goodbye. It gives it back when it is dropped,
//! however the session ends: by itself, cancelled, or in a panic. A gauge is one number that only
//! its session writes, so that sessions do not wait for each other.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::telemetry::labels::{SessionState, UpstreamState};
use crate::words::Word;

/// The gauges of all sessions. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct SessionGauges {
    taken: Arc<Mutex<TrackedSessions>>,
}

/// The place of one session among all.
#[derive(Debug)]
pub struct SessionGauge {
    number: u64,
    state_handle: SessionStateHandle,
    seats: SessionGauges,
}

/// What a session holds up. Cheap to clone; one that has no gauge is seen by nobody.
#[derive(Debug, Clone, Default)]
pub struct SessionStateHandle {
    shown: Arc<AtomicU8>,
}

/// How many sessions are at what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SessionCounts {
    /// Clients, in the order of [`SessionState`].
    pub clients: [i64; SessionState::ALL.len()],
    /// Upstreams, in the order of [`UpstreamState`].
    pub upstreams: [i64; UpstreamState::ALL.len()],
}

#[derive(Debug, Default)]
struct TrackedSessions {
    seats: BTreeMap<u64, SessionStateHandle>,
    given: u64,
}

impl SessionGauges {
    /// A gauge for a session that begins.
    pub fn register(&self) -> SessionGauge {
        let state_handle = SessionStateHandle::default();
        let mut taken = self.open();
        taken.given += 1;
        let number = taken.given;
        taken.seats.insert(number, state_handle.clone());
        drop(taken);
        SessionGauge {
            number,
            state_handle,
            seats: self.clone(),
        }
    }

    /// How many sessions are at what, now.
    pub fn count(&self) -> SessionCounts {
        let mut count = SessionCounts::default();
        for state_handle in self.open().seats.values() {
            let (client, upstream) = state_handle.states();
            if let Some(clients) = count.clients.get_mut(client.index()) {
                *clients += 1;
            }
            let place = upstream.and_then(|state| count.upstreams.get_mut(state.index()));
            if let Some(upstreams) = place {
                *upstreams += 1;
            }
        }
        count
    }

    fn open(&self) -> MutexGuard<'_, TrackedSessions> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionGauge {
    /// What its session holds up.
    pub fn state_handle(&self) -> SessionStateHandle {
        self.state_handle.clone()
    }
}

impl Drop for SessionGauge {
    fn drop(&mut self) {
        self.seats.open().seats.remove(&self.number);
    }
}

impl SessionStateHandle {
    /// The session has a session at the upstream, and these are the states of both.
    pub fn set(&self, (client, upstream): (SessionState, UpstreamState)) {
        let client = u8::try_from(client.index()).unwrap_or(LOGIN);
        let upstream = u8::try_from(upstream.index() + 1).unwrap_or(0);
        let shown = client | upstream << UPSTREAM_SHIFT;
        // Only the session writes: where nothing has changed, nobody's cache need know.
        if self.shown.load(Ordering::Relaxed) != shown {
            self.shown.store(shown, Ordering::Relaxed);
        }
    }

    /// The session has none at the upstream, and is at this.
    pub fn set_alone(&self, client: SessionState) {
        let client = u8::try_from(client.index()).unwrap_or(LOGIN);
        self.shown.store(client, Ordering::Relaxed);
    }

    /// The states that it holds up; without an upstream there is none of that.
    pub fn states(&self) -> (SessionState, Option<UpstreamState>) {
        let shown = self.shown.load(Ordering::Relaxed);
        let client = SessionState::ALL.get(usize::from(shown & CLIENT_MASK));
        let upstream = usize::from(shown >> UPSTREAM_SHIFT).checked_sub(1);
        let upstream = upstream.and_then(|place| UpstreamState::ALL.get(place));
        (
            client.copied().unwrap_or(SessionState::Login),
            upstream.copied(),
        )
    }
}

/// The first state, without an upstream.
const LOGIN: u8 = 0;

/// Where the upstream's state stands in the number; 0 there is none.
const UPSTREAM_SHIFT: u32 = 4;

/// Where the client's does.
const CLIENT_MASK: u8 = 0xf;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_states_is_read_as_it_was_shown() {
        let seats = SessionGauges::default();
        let gauge = seats.register();
        assert_eq!(gauge.state_handle.states(), (SessionState::Login, None));
        for client in SessionState::ALL {
            for upstream in UpstreamState::ALL {
                gauge.state_handle().set((*client, *upstream));
                assert_eq!(gauge.state_handle.states(), (*client, Some(*upstream)));
            }
        }
    }

    #[test]
    fn whoever_leaves_is_not_counted_not_even_after_a_panic() {
        let seats = SessionGauges::default();
        let (first, second) = (seats.register(), seats.register());
        first
            .state_handle()
            .set((SessionState::Idle, UpstreamState::Idle));
        let state_handle = second.state_handle();
        state_handle.set((SessionState::Active, UpstreamState::Active));
        assert_eq!(seats.count().clients, [0, 1, 1, 0, 0]);
        assert_eq!(seats.count().upstreams, [1, 1, 0]);
        let ended = std::thread::spawn(move || {
            let _seat = second;
            std::panic::resume_unwind(Box::new(()));
        });
        assert!(ended.join().is_err());
        state_handle.set((SessionState::Idle, UpstreamState::Idle));
        assert_eq!(seats.count().clients, [0, 1, 0, 0, 0]);
        drop(first);
        assert_eq!(seats.count(), SessionCounts::default());
    }
}
