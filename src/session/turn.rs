//! The law of turns: how the sessions of one worker thread share it.
//!
//! A turn is what one session does between two moments at which others may run. It may cost
//! [`limits::TURN_TIME`] of the thread, [`limits::TURN_MESSAGES_MAX`] messages or
//! [`limits::TURN_BYTES_MAX`] moved, whichever comes first. Every message counts that pgsieve
//! understands: one that is judged, one that is refused, one that is an answer; so does every look
//! at the sockets. Rows that only pass count by their bytes. The law is asked between two messages
//! and never within one: what can take longer than a turn by itself is done on other threads
//! ([`limits::INLINE_JUDGE_BYTES_MAX`]). What a session has left it keeps, and it gets the rest
//! back while it rests ([`limits::TURN_RESTS`]): many small turns are one large turn.
//!
//! Who has used its turn up waits in the worker's queue for a whole new one. One of the queue goes
//! on after each time that the sockets were asked, behind everybody whose bytes have come by then.
//! So whoever sends one statement at a time waits for one turn of one busy session, however many of
//! them there are; and those take turns with each other, first come, first served. What else may
//! keep the thread for long (a handshake, the record of a long pipeline that was given up) waits in
//! the same queue.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use tokio::task::yield_now;

use crate::limits;

/// What is left of one turn.
#[derive(Debug, Clone, Copy, Default)]
pub enum Turn {
    /// Nobody else waits for the thread: before the relay runs, and in tables of messages.
    #[default]
    Boundless,
    /// So much.
    Bounded(Budget),
}

/// What may still be spent.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    time: Duration,
    messages: usize,
    bytes: usize,
    /// When the clock was last asked.
    looked: Instant,
}

/// The sessions of one worker that have more to do than one turn allows. Cheap to clone.
#[derive(Clone, Default)]
pub struct TurnQueue {
    line: Arc<Mutex<Line>>,
}

/// A place in the queue: comes to its end when it is this session's turn. May be dropped.
pub struct NextTurn {
    place: Arc<Mutex<Place>>,
}

#[derive(Default)]
struct Line {
    waiting: VecDeque<Arc<Mutex<Place>>>,
    /// Who lets them on, while nobody waits.
    caller: Option<Waker>,
}

/// Whoever waits there, and how to tell it.
enum Place {
    Waits(Waker),
    Called,
}

impl Turn {
    /// The session is woken: it goes on with what it had left, and what it got back since.
    pub fn begin(&mut self) {
        let now = Instant::now();
        match self {
            Self::Boundless => *self = Self::Bounded(Budget::whole(now)),
            Self::Bounded(budget) => budget.rested_until(now),
        }
    }

    /// A new one begins, after it was waited for.
    pub fn begin_anew(&mut self) {
        *self = Self::Bounded(Budget::whole(Instant::now()));
    }

    /// Whether the next message is for the next turn.
    pub fn is_over(&self) -> bool {
        match self {
            Self::Boundless => false,
            Self::Bounded(left) => left.time.is_zero() || left.messages == 0 || left.bytes == 0,
        }
    }

    /// Bytes were read or written.
    pub fn spend_bytes(&mut self, count: usize) {
        if let Self::Bounded(left) = self {
            left.bytes = left.bytes.saturating_sub(count);
        }
    }

    /// A message was dealt with that may have taken its time: the clock is asked.
    pub fn spend_message(&mut self) {
        if let Self::Bounded(left) = self {
            left.messages = left.messages.saturating_sub(1);
            left.look(Instant::now());
        }
    }

    /// The same for one that takes a fraction of a microsecond: the clock is asked now and then.
    pub fn spend_answer(&mut self) {
        if let Self::Bounded(left) = self {
            left.messages = left.messages.saturating_sub(1);
            if left.messages.checked_rem(ANSWERS_BY_THE_CLOCK) == Some(0) {
                left.look(Instant::now());
            }
        }
    }
}

impl Budget {
    fn whole(now: Instant) -> Self {
        Self {
            time: limits::TURN_TIME,
            messages: limits::TURN_MESSAGES_MAX,
            bytes: limits::TURN_BYTES_MAX,
            looked: now,
        }
    }

    /// It has done nothing since the clock was last asked.
    fn rested_until(&mut self, now: Instant) {
        let rest = now.saturating_duration_since(self.looked);
        self.looked = now;
        self.time += rest / limits::TURN_RESTS;
        if self.time >= limits::TURN_TIME {
            *self = Self::whole(now);
        }
    }

    /// It has worked since the clock was last asked.
    fn look(&mut self, now: Instant) {
        let work = now.saturating_duration_since(self.looked);
        self.looked = now;
        self.time = self.time.saturating_sub(work);
    }
}

impl TurnQueue {
    /// Lines up behind those that wait already; wakes when it is this one's turn.
    pub fn line_up(&self, waker: &Waker) -> NextTurn {
        let place = Arc::new(Mutex::new(Place::Waits(waker.clone())));
        let mut line = open(&self.line);
        line.waiting.push_back(Arc::clone(&place));
        if let Some(caller) = line.caller.take() {
            caller.wake();
        }
        NextTurn { place }
    }

    /// Waits for a turn. May be cancelled.
    pub async fn next(&self) {
        self.line_up(Waker::noop()).await;
    }

    /// Lets one on after each time that the sockets were asked, for ever. To be run once on each
    /// worker, beside the sessions.
    pub async fn call(self) {
        loop {
            std::future::poll_fn(|context| self.somebody(context)).await;
            // The runtime goes on with this only after it has asked the sockets; whoever has
            // something to read by then stands before it in the runtime's own queue.
            yield_now().await;
            self.call_next();
        }
    }

    /// Ready when somebody waits.
    fn somebody(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut line = open(&self.line);
        if line.waiting.is_empty() {
            line.caller = Some(context.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(())
    }

    /// The first one that is still there.
    fn call_next(&self) {
        let mut line = open(&self.line);
        while let Some(place) = line.waiting.pop_front() {
            // Whoever is gone has dropped its end.
            if Arc::strong_count(&place) > 1 {
                let before = std::mem::replace(&mut *open(&place), Place::Called);
                if let Place::Waits(waker) = before {
                    waker.wake();
                }
                return;
            }
        }
    }
}

impl Future for NextTurn {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        match &mut *open(&self.place) {
            Place::Called => Poll::Ready(()),
            Place::Waits(waker) => {
                waker.clone_from(context.waker());
                Poll::Pending
            }
        }
    }
}

impl std::fmt::Debug for TurnQueue {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "TurnQueue({} wait)",
            open(&self.line).waiting.len()
        )
    }
}

fn open<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers between two looks at the clock: together they take some microseconds.
const ANSWERS_BY_THE_CLOCK: usize = 16;
