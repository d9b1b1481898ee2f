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
//!
//! Who has not had to wait for its peers in a whole turn waits in a second queue, which has every
//! other place at the most, and fewer while processors are short: see [`super::throttle`].

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use tokio::task::yield_now;
use tokio::time::{Sleep, sleep};

use super::throttle::SharedThrottle;
use super::worker_load::WorkerLoad;
use crate::limits;

/// What is left of one turn.
#[derive(Debug, Clone, Copy, Default)]
pub enum SessionTurn {
    /// Nobody else waits for the thread: before the relay runs, and in tables of messages.
    #[default]
    Boundless,
    /// So much.
    Bounded(TurnBudget),
}

/// What may still be spent.
#[derive(Debug, Clone, Copy)]
pub struct TurnBudget {
    nanoseconds: u32,
    messages: u32,
    bytes: u32,
    /// When the clock was last asked.
    looked: Instant,
    pauses: PeerPauses,
}

/// Whether a session has waited for its peers since its turn began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeerPauses {
    /// It has: it takes what it needs, and no more.
    Some,
    /// It has not: it would take all there is.
    None,
}

/// The sessions of one worker that have more to do than one turn allows. Cheap to clone.
#[derive(Clone, Default)]
pub struct TurnQueue {
    queue: Arc<TurnQueueInner>,
}

#[derive(Default)]
struct TurnQueueInner {
    line: Mutex<TurnLine>,
    throttle: SharedThrottle,
    load: WorkerLoad,
}

/// A place in the queue: comes to its end when it is this session's turn. May be dropped.
pub struct NextTurn {
    place: Arc<Mutex<TurnWaiter>>,
}

#[derive(Default)]
struct TurnLine {
    /// Those that pause now and then.
    pausing: VecDeque<Arc<Mutex<TurnWaiter>>>,
    /// Those that have not paused for a whole turn.
    unbroken: VecDeque<Arc<Mutex<TurnWaiter>>>,
    /// Who lets them on, while nobody waits.
    caller: Option<Waker>,
}

/// Whoever waits there, and how to tell it.
enum TurnWaiter {
    Waits(Waker),
    Called,
}

impl SessionTurn {
    /// The session is woken: it goes on with what it had left, and what it got back since. Says
    /// what time it is.
    pub fn begin(&mut self) -> Instant {
        let now = Instant::now();
        match self {
            Self::Boundless => *self = Self::Bounded(TurnBudget::whole(now)),
            Self::Bounded(budget) => budget.rested_until(now),
        }
        now
    }

    /// A new one begins, after it was waited for.
    pub fn begin_anew(&mut self) {
        *self = Self::Bounded(TurnBudget {
            pauses: PeerPauses::None,
            ..TurnBudget::whole(Instant::now())
        });
    }

    /// The session has nothing to do until a peer says something.
    pub fn pause(&mut self) {
        if let Self::Bounded(budget) = self {
            budget.pauses = PeerPauses::Some;
        }
    }

    /// Whether it has had to wait since the turn began.
    pub fn pauses(&self) -> PeerPauses {
        match self {
            Self::Boundless => PeerPauses::Some,
            Self::Bounded(budget) => budget.pauses,
        }
    }

    /// Whether the next message is for the next turn.
    pub fn is_over(&self) -> bool {
        match self {
            Self::Boundless => false,
            Self::Bounded(left) => left.nanoseconds == 0 || left.messages == 0 || left.bytes == 0,
        }
    }

    /// Bytes were read or written.
    pub fn spend_bytes(&mut self, count: usize) {
        if let Self::Bounded(left) = self {
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            left.bytes = left.bytes.saturating_sub(count);
        }
    }

    /// A message was dealt with that may have taken its time: the clock is asked.
    pub fn spend_message(&mut self) {
        if let Self::Bounded(left) = self {
            left.messages = left.messages.saturating_sub(1);
            left.charge_time(Instant::now());
        }
    }

    /// The same for one that takes a fraction of a microsecond: the clock is asked now and then.
    pub fn spend_answer(&mut self) {
        if let Self::Bounded(left) = self {
            left.messages = left.messages.saturating_sub(1);
            if left.messages.checked_rem(ANSWERS_BY_THE_CLOCK) == Some(0) {
                left.charge_time(Instant::now());
            }
        }
    }
}

impl TurnBudget {
    fn whole(now: Instant) -> Self {
        Self {
            nanoseconds: nanoseconds(limits::TURN_TIME),
            messages: limits::TURN_MESSAGES_MAX,
            bytes: limits::TURN_BYTES_MAX,
            looked: now,
            pauses: PeerPauses::Some,
        }
    }

    /// It has done nothing since the clock was last asked.
    fn rested_until(&mut self, now: Instant) {
        let rest = now.saturating_duration_since(self.looked);
        self.looked = now;
        let earned = nanoseconds(rest / limits::TURN_RESTS);
        self.nanoseconds = self.nanoseconds.saturating_add(earned);
        if self.nanoseconds >= nanoseconds(limits::TURN_TIME) {
            *self = Self::whole(now);
        }
    }

    /// It has worked since the clock was last asked.
    fn charge_time(&mut self, now: Instant) {
        let work = now.saturating_duration_since(self.looked);
        self.looked = now;
        self.nanoseconds = self.nanoseconds.saturating_sub(nanoseconds(work));
    }
}

impl TurnQueue {
    /// That of the worker whose load this is.
    pub fn of_worker(load: WorkerLoad) -> Self {
        Self {
            queue: Arc::new(TurnQueueInner {
                load,
                ..TurnQueueInner::default()
            }),
        }
    }

    /// How much its worker has to do.
    pub fn load(&self) -> &WorkerLoad {
        &self.queue.load
    }

    /// Lines up behind those that wait already; wakes when it is this one's turn.
    pub fn enqueue(&self, waker: &Waker, pauses: PeerPauses) -> NextTurn {
        let place = Arc::new(Mutex::new(TurnWaiter::Waits(waker.clone())));
        let mut line = open(&self.queue.line);
        line.of(pauses).push_back(Arc::clone(&place));
        if let Some(caller) = line.caller.take() {
            caller.wake();
        }
        NextTurn { place }
    }

    /// What those that never pause leave to others.
    pub fn throttle(&self) -> SharedThrottle {
        self.queue.throttle.clone()
    }

    /// Waits for a turn. May be cancelled.
    pub async fn next(&self) {
        self.enqueue(Waker::noop(), PeerPauses::Some).await;
    }

    /// Lets one on after each time that the sockets were asked, for ever: of both queues in turn,
    /// and of those that never pause as the throttle lets them. To be run once on each worker,
    /// beside the sessions.
    pub async fn run(self) {
        let mut last = PeerPauses::None;
        let mut rest: Option<Pin<Box<Sleep>>> = None;
        loop {
            last = std::future::poll_fn(|context| self.somebody(context, last, &mut rest)).await;
            // The runtime goes on with this only after it has asked the sockets; whoever has
            // something to read by then stands before it in the runtime's own queue.
            yield_now().await;
            call_next(open(&self.queue.line).of(last));
            let pause = match last {
                PeerPauses::Some => Duration::ZERO,
                PeerPauses::None => self.queue.throttle.charge(),
            };
            if !pause.is_zero() {
                rest = Some(Box::pin(sleep(pause)));
            }
        }
    }

    /// Ready when somebody waits who may go on, with the queue: the other one than last, where
    /// somebody waits in both.
    fn somebody(
        &self,
        context: &mut Context<'_>,
        last: PeerPauses,
        rest: &mut Option<Pin<Box<Sleep>>>,
    ) -> Poll<PeerPauses> {
        if let Some(sleep) = rest
            && sleep.as_mut().poll(context).is_ready()
        {
            *rest = None;
        }
        let mut line = open(&self.queue.line);
        let pausing = !line.pausing.is_empty();
        let unbroken = !line.unbroken.is_empty() && rest.is_none();
        match (pausing, unbroken) {
            (true, true) => Poll::Ready(last.other()),
            (true, false) => Poll::Ready(PeerPauses::Some),
            (false, true) => Poll::Ready(PeerPauses::None),
            (false, false) => {
                line.caller = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl TurnLine {
    fn of(&mut self, pauses: PeerPauses) -> &mut VecDeque<Arc<Mutex<TurnWaiter>>> {
        match pauses {
            PeerPauses::Some => &mut self.pausing,
            PeerPauses::None => &mut self.unbroken,
        }
    }
}

impl PeerPauses {
    fn other(self) -> Self {
        match self {
            Self::Some => Self::None,
            Self::None => Self::Some,
        }
    }
}

/// The first one that is still there.
fn call_next(line: &mut VecDeque<Arc<Mutex<TurnWaiter>>>) {
    while let Some(place) = line.pop_front() {
        // Whoever is gone has dropped its end.
        if Arc::strong_count(&place) > 1 {
            let before = std::mem::replace(&mut *open(&place), TurnWaiter::Called);
            if let TurnWaiter::Waits(waker) = before {
                waker.wake();
            }
            return;
        }
    }
}

impl Future for NextTurn {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        match &mut *open(&self.place) {
            TurnWaiter::Called => Poll::Ready(()),
            TurnWaiter::Waits(waker) => {
                waker.clone_from(context.waker());
                Poll::Pending
            }
        }
    }
}

impl std::fmt::Debug for TurnQueue {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let line = open(&self.queue.line);
        let (pausing, unbroken) = (line.pausing.len(), line.unbroken.len());
        write!(
            formatter,
            "TurnQueue({pausing} wait, {unbroken} more never pause)"
        )
    }
}

fn open<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// In nanoseconds, as far as a turn counts them: four seconds.
const fn nanoseconds(duration: Duration) -> u32 {
    match duration.as_secs() {
        0 => duration.subsec_nanos(),
        _ => u32::MAX,
    }
}

/// Answers between two looks at the clock: together they take some microseconds.
const ANSWERS_BY_THE_CLOCK: u32 = 16;

#[cfg(test)]
mod tests {
    use super::{NextTurn, PeerPauses, TurnQueue};
    use std::sync::{Arc, Mutex};
    use std::task::Waker;

    #[tokio::test]
    async fn both_queues_have_their_turns_and_each_its_order() {
        let turns = TurnQueue::default();
        let order = Arc::new(Mutex::new(Vec::new()));
        let line_up = |pauses, name| {
            let (next, order) = (turns.enqueue(Waker::noop(), pauses), Arc::clone(&order));
            tokio::spawn(called(next, name, order))
        };
        let waiting = [
            line_up(PeerPauses::None, "a"),
            line_up(PeerPauses::None, "b"),
            line_up(PeerPauses::None, "c"),
            line_up(PeerPauses::Some, "1"),
            line_up(PeerPauses::Some, "2"),
        ];
        let caller = tokio::spawn(turns.clone().run());
        for one in waiting {
            one.await.unwrap();
        }
        caller.abort();
        assert_eq!(*order.lock().unwrap(), ["1", "a", "2", "b", "c"]);
    }

    async fn called(next: NextTurn, name: &'static str, order: Arc<Mutex<Vec<&'static str>>>) {
        next.await;
        order.lock().unwrap().push(name);
    }
}
