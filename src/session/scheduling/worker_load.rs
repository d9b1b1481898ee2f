//! How much the workers have to do, and which sessions go to another one for it.
//!
//! One thread does the same work for less than two half-busy ones: each time it asks the system,
//! more sockets are ready, and fewer wake-ups are paid for. So new sessions come to the fullest
//! worker that has room, and sessions part only when their worker has too much to do; when there is
//! less again, they come together. A session moves while it is at rest, and only one that does
//! something: who is silent costs no thread anything.
//!
//! A worker looks at itself while its sessions are at work ([`limits::workers::LOAD_LOOK`]), by
//! what Linux says of its thread (see [`super::throttle`]); one that has not looked for long has
//! nothing to do. Where the system does not tell, sessions stay where they are, and new ones come
//! to the worker with the fewest.

use std::fs::File;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::throttle::ThreadUsage;
use crate::limits::workers::{
    LOAD_ALIKE, LOAD_DIFFERENCE_MIN, LOAD_LOOK, LOAD_MANY, LOAD_MAX, LOAD_PLACE_MAX, LOAD_STALE,
    LOAD_TOGETHER_MAX, LOAD_WITH_WAITS_MAX, LOGINS_TOGETHER_MAX,
};
use crate::telemetry::labels::WorkerMoveReason;

/// What all workers have to do. Cheap to clone.
#[derive(Debug, Clone)]
pub struct WorkerLoads {
    workers: Arc<[PublicLoad]>,
    began: Instant,
}

/// What one worker tells the others.
#[derive(Debug, Default)]
struct PublicLoad {
    /// Thousandths of its time that it had work, when it last looked.
    share: AtomicU32,
    /// Those that it was on a processor.
    ran: AtomicU32,
    /// Sessions that did something.
    active: AtomicU32,
    /// When that was: milliseconds since the workers began. None is zero.
    looked: AtomicU64,
    logging_in: AtomicUsize,
}

/// A worker's own load, which its thread alone changes. Cheap to clone.
#[derive(Debug, Clone)]
pub struct WorkerLoad {
    inner: Arc<OwnLoad>,
}

#[derive(Debug)]
struct OwnLoad {
    loads: WorkerLoads,
    index: usize,
    /// Its number; after 255 comes 0.
    window: AtomicU8,
    /// Sessions that have done something in this window.
    active: AtomicU32,
    /// When it looks next, as [`PublicLoad::looked`] counts.
    next_look: AtomicU64,
    is_leaving: AtomicBool,
    /// Turns of sessions since the thread has waited.
    ready: AtomicU32,
    waits: AtomicU32,
    sample: Mutex<Option<LoadSample>>,
    plan: Mutex<SessionMoves>,
}

#[derive(Debug)]
struct LoadSample {
    statistics: File,
    usage: ThreadUsage,
    at: Instant,
}

/// A client that logs in, for as long as it does.
#[derive(Debug)]
pub struct LoginInProgress {
    loads: WorkerLoads,
    index: usize,
}

/// Sessions that are to leave a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SessionMoves {
    sessions: u32,
    reason: WorkerMoveReason,
    /// The number of the worker that they go to.
    to: usize,
}

/// What is known of a worker when one of them decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SeenLoad {
    index: usize,
    /// Thousandths of its time that it had work: on a processor, or waiting for one.
    share: u32,
    /// Those on a processor.
    ran: u32,
    active: u32,
}

/// What a worker knows of itself, in thousandths of its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TimeShares {
    /// On a processor.
    ran: u32,
    /// There, or waiting for one.
    worked: u32,
}

impl WorkerLoads {
    /// Of so many workers, which have nothing to do yet.
    pub fn new(workers: usize) -> Self {
        Self {
            workers: (0..workers).map(|_| PublicLoad::default()).collect(),
            began: Instant::now(),
        }
    }

    /// That of one of them.
    pub fn worker(&self, index: usize) -> WorkerLoad {
        WorkerLoad {
            inner: Arc::new(OwnLoad {
                loads: self.clone(),
                index,
                window: AtomicU8::new(1),
                active: AtomicU32::new(0),
                next_look: AtomicU64::new(0),
                is_leaving: AtomicBool::new(false),
                ready: AtomicU32::new(0),
                waits: AtomicU32::new(0),
                sample: Mutex::new(None),
                plan: Mutex::new(SessionMoves::NONE),
            }),
        }
    }

    /// The worker that a new client comes to: the fullest that has room, or the one with the fewest
    /// clients. `open` has the clients of each.
    pub fn place(&self, open: &[usize]) -> usize {
        let now = self.millis(Instant::now());
        let logins = |index: usize| {
            let worker = self.workers.get(index);
            worker.map_or(0, |worker| worker.logging_in.load(Ordering::Relaxed))
        };
        let has_told =
            (self.workers.iter()).any(|worker| worker.looked.load(Ordering::Relaxed) > 0);
        let fullest = (self.seen(now))
            .filter(|seen| seen.share < LOAD_PLACE_MAX && logins(seen.index) < LOGINS_TOGETHER_MAX)
            // The first of those that are equal.
            .min_by_key(|seen| (u32::MAX - seen.share, seen.index));
        let fewest = || {
            let by_clients = open.iter().enumerate().min_by_key(|(_, open)| **open);
            by_clients.map_or(0, |(index, _)| index)
        };
        match fullest {
            Some(seen) if has_told => seen.index,
            Some(_) | None => fewest(),
        }
    }

    /// A client has come to a worker and logs in, until what is returned is dropped.
    pub fn login(&self, index: usize) -> LoginInProgress {
        if let Some(worker) = self.workers.get(index) {
            worker.logging_in.fetch_add(1, Ordering::Relaxed);
        }
        LoginInProgress {
            loads: self.clone(),
            index,
        }
    }

    fn seen(&self, now: u64) -> impl Iterator<Item = SeenLoad> {
        let stale = as_millis(LOAD_STALE);
        (self.workers.iter().enumerate()).map(move |(index, worker)| {
            let looked = worker.looked.load(Ordering::Relaxed);
            let is_fresh = looked > 0 && now.saturating_sub(looked) < stale;
            let told = |number: &AtomicU32| match is_fresh {
                true => number.load(Ordering::Relaxed),
                false => 0,
            };
            SeenLoad {
                index,
                share: told(&worker.share),
                ran: told(&worker.ran),
                active: told(&worker.active),
            }
        })
    }

    /// At least one.
    fn millis(&self, now: Instant) -> u64 {
        as_millis(now.saturating_duration_since(self.began)).max(1)
    }
}

impl Drop for LoginInProgress {
    fn drop(&mut self) {
        if let Some(worker) = self.loads.workers.get(self.index) {
            worker.logging_in.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Default for WorkerLoad {
    /// That of a worker without others.
    fn default() -> Self {
        WorkerLoads::new(1).worker(0)
    }
}

impl WorkerLoad {
    /// A session of it goes on. `seen` is the session's own mark of the window in which it was
    /// counted last.
    pub fn note_turn(&self, now: Instant, seen: &mut u8) {
        let own = &*self.inner;
        add_one(&own.ready);
        if own.loads.workers.len() < 2 {
            return;
        }
        let window = own.window.load(Ordering::Relaxed);
        if *seen != window {
            *seen = window;
            add_one(&own.active);
        }
        let millis = own.loads.millis(now);
        if millis >= own.next_look.load(Ordering::Relaxed) {
            own.look(now, millis);
        }
    }

    /// Whether a session should go that is at rest.
    pub fn is_leaving(&self) -> bool {
        self.inner.is_leaving.load(Ordering::Relaxed)
    }

    /// One goes: where to, and why. None where none should any more.
    pub fn departure(&self) -> Option<(usize, WorkerMoveReason)> {
        let own = &*self.inner;
        let mut plan = own.plan.lock().unwrap_or_else(PoisonError::into_inner);
        plan.sessions = plan.sessions.checked_sub(1)?;
        own.is_leaving.store(plan.sessions > 0, Ordering::Relaxed);
        Some((plan.to, plan.reason))
    }

    /// The thread is about to wait for its sockets. How many of its sessions had something to do
    /// since it did so last, where that is to be counted.
    pub fn note_wait(&self) -> Option<u32> {
        let own = &*self.inner;
        let ready = own.ready.load(Ordering::Relaxed);
        own.ready.store(0, Ordering::Relaxed);
        if ready == 0 {
            return None;
        }
        add_one(&own.waits);
        let is_counted = own
            .waits
            .load(Ordering::Relaxed)
            .is_multiple_of(WAITS_BY_ONE);
        is_counted.then_some(ready)
    }
}

impl OwnLoad {
    fn look(&self, now: Instant, millis: u64) {
        let next = millis.saturating_add(as_millis(LOAD_LOOK));
        self.next_look.store(next, Ordering::Relaxed);
        self.window.fetch_add(1, Ordering::Relaxed);
        let active = self.active.swap(0, Ordering::Relaxed);
        let Some(shares) = self.shares(now) else {
            return;
        };
        if let Some(public) = self.loads.workers.get(self.index) {
            public.share.store(shares.worked, Ordering::Relaxed);
            public.ran.store(shares.ran, Ordering::Relaxed);
            public.active.store(active, Ordering::Relaxed);
            public.looked.store(millis, Ordering::Relaxed);
        }
        let others = self.loads.seen(millis);
        let others = others.filter(|seen| seen.index != self.index);
        let moves = moves((self.index, shares), active, others);
        *self.plan.lock().unwrap_or_else(PoisonError::into_inner) = moves;
        self.is_leaving.store(moves.sessions > 0, Ordering::Relaxed);
    }

    /// Of the time since it was last asked; none at first, and where the system does not tell.
    fn shares(&self, now: Instant) -> Option<TimeShares> {
        let mut sample = self.sample.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(last) = &mut *sample else {
            let statistics = ThreadUsage::of_this_thread()?;
            let usage = ThreadUsage::read(&statistics)?;
            *sample = Some(LoadSample {
                statistics,
                usage,
                at: now,
            });
            return None;
        };
        let usage = ThreadUsage::read(&last.statistics)?;
        let time = now.saturating_duration_since(last.at);
        let ran = usage.ran.saturating_sub(last.usage.ran);
        let waited = usage.waited.saturating_sub(last.usage.waited);
        (last.usage, last.at) = (usage, now);
        let share = |part: Duration| {
            let share = part.as_micros().saturating_mul(1000) / time.as_micros().max(1);
            u32::try_from(share).unwrap_or(u32::MAX).min(1000)
        };
        Some(TimeShares {
            ran: share(ran),
            worked: share(ran + waited),
        })
    }
}

/// Which of so many active sessions leave a worker, and where they go.
fn moves(
    (index, shares): (usize, TimeShares),
    active: u32,
    others: impl Iterator<Item = SeenLoad>,
) -> SessionMoves {
    let own = SeenLoad {
        index,
        share: shares.worked,
        ran: shares.ran,
        active,
    };
    let (mut least, mut fullest) = (None::<SeenLoad>, None::<SeenLoad>);
    for other in others {
        if least.is_none_or(|least| other.share < least.share) {
            least = Some(other);
        }
        let are_few = own.active + other.active < LOAD_MANY;
        let has_room = own.share + other.share <= LOAD_TOGETHER_MAX
            || own.ran + other.ran <= LOAD_TOGETHER_MAX && are_few;
        let is_alike = other.ran.abs_diff(own.ran) <= LOAD_ALIKE;
        let is_fuller = match is_alike {
            true => other.index < own.index,
            false => other.ran > own.ran,
        };
        if has_room && is_fuller && fullest.is_none_or(|fullest| other.ran > fullest.ran) {
            fullest = Some(other);
        }
    }
    if let Some(fullest) = fullest {
        return SessionMoves {
            sessions: active,
            reason: WorkerMoveReason::Together,
            to: fullest.index,
        };
    }
    let Some(least) = least else {
        return SessionMoves::NONE;
    };
    let difference = own.share.saturating_sub(least.share);
    let is_full = shares.ran > LOAD_MAX && active > 1;
    let is_held_up = own.share > LOAD_WITH_WAITS_MAX && active >= LOAD_MANY;
    if !is_full && !is_held_up || difference < LOAD_DIFFERENCE_MIN {
        return SessionMoves::NONE;
    }
    // Half of what would make them equal: what a session has to do is not known.
    let sessions = active.saturating_mul(difference) / own.share.max(1) / 4;
    SessionMoves {
        sessions: sessions.max(1),
        reason: WorkerMoveReason::Busy,
        to: least.index,
    }
}

impl SessionMoves {
    const NONE: Self = Self {
        sessions: 0,
        reason: WorkerMoveReason::Busy,
        to: 0,
    };
}

/// One more, of what a single thread counts.
fn add_one(count: &AtomicU32) {
    count.store(
        count.load(Ordering::Relaxed).wrapping_add(1),
        Ordering::Relaxed,
    );
}

fn as_millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// One of so many waits is counted: a worker under load waits some ten thousand times a second.
const WAITS_BY_ONE: u32 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    /// It waits for no processor.
    fn busy(share: u32) -> TimeShares {
        TimeShares {
            ran: share,
            worked: share,
        }
    }

    fn seen(index: usize, share: u32) -> SeenLoad {
        SeenLoad {
            index,
            share,
            ran: share,
            active: 8,
        }
    }

    /// Shares by worker, who looks, its active sessions, and what leaves: how many, why and where.
    fn check(shares: &[u32], own: usize, active: u32, expected: Option<(u32, &str, usize)>) {
        let all = || shares.iter().enumerate();
        let others = all().map(|(index, share)| seen(index, *share));
        let moves = moves(
            (own, busy(shares[own])),
            active,
            others.filter(|other| other.index != own),
        );
        let told = (moves.sessions > 0).then(|| (moves.sessions, moves.reason.name(), moves.to));
        assert_eq!(told, expected, "{shares:?} {own} {active}");
    }

    #[test]
    fn sessions_part_where_there_is_too_much_and_come_together_where_there_is_little() {
        check(&[900, 0], 0, 8, Some((2, "busy", 1)));
        check(&[1000, 0], 0, 256, Some((64, "busy", 1)));
        check(&[900, 600, 100], 0, 9, Some((2, "busy", 2)));
        check(&[900, 650], 0, 2, Some((1, "busy", 1)));
        // One session alone would take its work along.
        check(&[900, 0], 0, 1, None);
        check(&[900, 800], 0, 8, None);
        check(&[700, 0], 0, 8, None);
        check(&[500, 0], 0, 8, None);
        check(&[300, 300], 0, 8, None);
        check(&[900], 0, 8, None);
        // Alike: to the first. Else: to the fuller.
        check(&[100, 120], 1, 3, Some((3, "together", 0)));
        check(&[100, 120], 0, 3, None);
        check(&[100, 300], 0, 3, Some((3, "together", 1)));
        check(&[100, 300], 1, 3, None);
        check(&[0, 0, 20], 2, 1, Some((1, "together", 0)));
        check(&[300, 200, 10], 2, 1, Some((1, "together", 0)));
    }

    #[test]
    fn who_waits_for_processors_parts_from_many_sessions_alone() {
        let shares = TimeShares {
            ran: 450,
            worked: 980,
        };
        let other = |share: u32, ran: u32, active: u32| SeenLoad {
            index: 0,
            share,
            ran,
            active,
        };
        for (active, leaving) in [(1, 0), (8, 0), (15, 0), (16, 4), (32, 8)] {
            let moves = moves((0, shares), active, [seen(1, 0)].into_iter());
            assert_eq!(
                (moves.sessions, moves.to),
                (leaving, usize::from(leaving > 0))
            );
        }
        // Many stay apart for as long as both have to wait; few come together all the same.
        let waits = TimeShares {
            ran: 200,
            worked: 900,
        };
        for (own, others, leaving) in [(16, 16, 0), (8, 8, 0), (8, 7, 8), (1, 1, 1)] {
            let moves = moves((1, waits), own, [other(900, 200, others)].into_iter());
            assert_eq!(moves.sessions, leaving, "{own} {others}");
        }
    }

    #[test]
    fn two_workers_never_hand_sessions_to_each_other() {
        for one in (0..=1000).step_by(5) {
            for other in (0..=1000).step_by(5) {
                let there = moves((0, busy(one)), 8, [seen(1, other)].into_iter());
                let back = moves((1, busy(other)), 8, [seen(0, one)].into_iter());
                assert!(there.sessions == 0 || back.sessions == 0, "{one} {other}");
            }
        }
    }

    #[test]
    fn whoever_moves_does_not_move_back() {
        for one in (0..=1000).step_by(5) {
            for other in (0..=1000).step_by(5) {
                let active = 8;
                let leaving = moves((0, busy(one)), active, [seen(1, other)].into_iter());
                let load = one * leaving.sessions / active;
                let (left, there) = (one - load, other + load);
                let back = moves((1, busy(there)), active, [seen(0, left)].into_iter());
                assert!(
                    leaving.sessions == 0 || back.sessions == 0,
                    "{one} {other}: {leaving:?} {back:?}"
                );
            }
        }
    }

    #[test]
    fn new_clients_come_to_the_fullest_that_has_room() {
        let loads = WorkerLoads::new(3);
        // Nobody has told anything: to whoever has the fewest.
        assert_eq!(loads.place(&[2, 1, 1]), 1);
        let tell = |index: usize, share: u32| {
            let worker: &PublicLoad = &loads.workers[index];
            worker.share.store(share, Ordering::Relaxed);
            let now = loads.millis(Instant::now());
            worker.looked.store(now, Ordering::Relaxed);
        };
        tell(1, 300);
        assert_eq!(loads.place(&[0, 9, 0]), 1);
        tell(0, 300);
        assert_eq!(loads.place(&[9, 0, 0]), 0);
        tell(0, 600);
        assert_eq!(loads.place(&[0, 9, 0]), 1);
        // Who logs in there is not seen in the load yet.
        let logins: Vec<_> = (0..LOGINS_TOGETHER_MAX).map(|_| loads.login(1)).collect();
        assert_eq!(loads.place(&[0, 9, 0]), 2);
        drop(logins);
        assert_eq!(loads.place(&[0, 9, 0]), 1);
        for index in 0..3 {
            tell(index, 900);
        }
        assert_eq!(loads.place(&[5, 4, 3]), 2);
    }

    #[test]
    fn who_has_not_looked_for_long_has_nothing_to_do() {
        let loads = WorkerLoads::new(2);
        loads.workers[1].share.store(900, Ordering::Relaxed);
        loads.workers[1].looked.store(1, Ordering::Relaxed);
        let stale = 1 + as_millis(LOAD_STALE);
        let shares = |now: u64| loads.seen(now).map(|seen| seen.share).collect::<Vec<_>>();
        assert_eq!(shares(stale - 1), [0, 900]);
        assert_eq!(shares(stale), [0, 0]);
    }

    #[test]
    fn a_session_counts_once_in_a_window_and_every_sixteenth_wait_is_told() {
        let load = WorkerLoads::new(2).worker(0);
        let (mut one, mut other) = (0, 0);
        let now = Instant::now();
        load.note_turn(now, &mut one);
        for _ in 0..3 {
            load.note_turn(now, &mut one);
            load.note_turn(now, &mut other);
        }
        // The first look began a window.
        assert_eq!(load.inner.active.load(Ordering::Relaxed), 2);
        let mut told = vec![load.note_wait()];
        told.extend((0..40).map(|_| {
            load.note_turn(now, &mut one);
            load.note_wait()
        }));
        let told: Vec<u32> = told.into_iter().flatten().collect();
        assert_eq!(told, [1, 1]);
        assert_eq!(load.note_wait(), None);
    }
}
