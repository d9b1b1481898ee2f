//! What each session is at, told by the session itself whenever that changes and read when a
//! scrape asks.
//!
//! A session has a [`Seat`] from accept to goodbye. It gives it back when it is dropped, however
//! the session ends: by itself, cancelled, or in a panic. A seat is one number that only its
//! session writes, so that sessions do not wait for each other.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::telemetry::labels::{Label, SessionState, UpstreamState};

/// The seats of all sessions. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Seats {
    taken: Arc<Mutex<Taken>>,
}

/// The place of one session among all.
#[derive(Debug)]
pub struct Seat {
    number: u64,
    sign: Sign,
    seats: Seats,
}

/// What a session holds up. Cheap to clone; one that has no seat is seen by nobody.
#[derive(Debug, Clone, Default)]
pub struct Sign {
    shown: Arc<AtomicU8>,
}

/// How many sessions are at what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Clients, in the order of [`SessionState`].
    pub clients: [i64; SessionState::ALL.len()],
    /// Upstreams, in the order of [`UpstreamState`].
    pub upstreams: [i64; UpstreamState::ALL.len()],
}

#[derive(Debug, Default)]
struct Taken {
    seats: BTreeMap<u64, Sign>,
    given: u64,
}

impl Seats {
    /// A seat for a session that begins.
    pub fn take(&self) -> Seat {
        let sign = Sign::default();
        let mut taken = self.open();
        taken.given += 1;
        let number = taken.given;
        taken.seats.insert(number, sign.clone());
        drop(taken);
        Seat {
            number,
            sign,
            seats: self.clone(),
        }
    }

    /// How many sessions are at what, now.
    pub fn count(&self) -> Count {
        let mut count = Count::default();
        for sign in self.open().seats.values() {
            let (client, upstream) = sign.states();
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

    fn open(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// What its session holds up.
    pub fn sign(&self) -> Sign {
        self.sign.clone()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.open().seats.remove(&self.number);
    }
}

impl Sign {
    /// The session has a session at the upstream, and these are the states of both.
    pub fn show(&self, (client, upstream): (SessionState, UpstreamState)) {
        let client = u8::try_from(client.index()).unwrap_or(LOGIN);
        let upstream = u8::try_from(upstream.index() + 1).unwrap_or(0);
        let shown = client | upstream << UPSTREAM_SHIFT;
        // Only the session writes: where nothing has changed, nobody's cache need know.
        if self.shown.load(Ordering::Relaxed) != shown {
            self.shown.store(shown, Ordering::Relaxed);
        }
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
        let seats = Seats::default();
        let seat = seats.take();
        assert_eq!(seat.sign.states(), (SessionState::Login, None));
        for client in SessionState::ALL {
            for upstream in UpstreamState::ALL {
                seat.sign().show((*client, *upstream));
                assert_eq!(seat.sign.states(), (*client, Some(*upstream)));
            }
        }
    }

    #[test]
    fn whoever_leaves_is_not_counted_not_even_after_a_panic() {
        let seats = Seats::default();
        let (first, second) = (seats.take(), seats.take());
        first.sign().show((SessionState::Idle, UpstreamState::Idle));
        let sign = second.sign();
        sign.show((SessionState::Active, UpstreamState::Active));
        assert_eq!(seats.count().clients, [0, 1, 1, 0, 0]);
        assert_eq!(seats.count().upstreams, [1, 1, 0]);
        let ended = std::thread::spawn(move || {
            let _seat = second;
            std::panic::resume_unwind(Box::new(()));
        });
        assert!(ended.join().is_err());
        sign.show((SessionState::Idle, UpstreamState::Idle));
        assert_eq!(seats.count().clients, [0, 1, 0, 0, 0]);
        drop(first);
        assert_eq!(seats.count(), Count::default());
    }
}
