//! The memory that all clients together may take, and what one session has of it.
//!
//! Whoever needs more than is left waits in the order in which it came; small wants go before large
//! ones and have the last part for themselves, so that who sends ordinary statements does not wait
//! for those who send megabytes. A want is for all that a message will need: nobody holds half of
//! what it needs while it waits for the other half. Whatever was taken goes back when the
//! [`MemoryShare`] is dropped, however its session ends.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::limits;
use crate::telemetry::registry::MemoryMetrics;

/// The budget of the process. Cheap to clone.
#[derive(Clone)]
pub struct MemoryBudget {
    inner: Arc<BudgetInner>,
}

struct BudgetInner {
    most: usize,
    book: Mutex<MemoryLedger>,
    numbers: Option<MemoryMetrics>,
}

/// What was taken, and who waits.
#[derive(Default)]
struct MemoryLedger {
    taken: usize,
    tickets: u64,
    small: RequestQueue,
    large: RequestQueue,
}

/// Those who wait, the first first, and those whose turn has come and who have not looked since.
type RequestQueue = BTreeMap<u64, MemoryRequest>;

struct MemoryRequest {
    bytes: usize,
    turn: RequestState,
}

enum RequestState {
    Waits(Waker),
    Came,
}

/// What one session has taken.
pub struct MemoryShare {
    budget: MemoryBudget,
    taken: usize,
    ticket: Option<QueueTicket>,
}

/// A place in one of the queues.
#[derive(Clone, Copy)]
struct QueueTicket {
    number: u64,
    size: RequestSize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RequestSize {
    Small,
    Large,
}

/// It is more than there will ever be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NeverFits;

impl MemoryBudget {
    /// So many bytes for all.
    pub fn new(most: usize, numbers: MemoryMetrics) -> Self {
        Self::of(most, Some(numbers))
    }

    /// One that nobody reaches the end of, for sessions that stand for themselves.
    pub fn boundless() -> Self {
        Self::of(usize::MAX, None)
    }

    /// The share of a session that begins, with nothing in it.
    pub fn share(&self) -> MemoryShare {
        MemoryShare {
            budget: self.clone(),
            taken: 0,
            ticket: None,
        }
    }

    /// Bytes that are taken now.
    pub fn taken(&self) -> usize {
        self.open().taken
    }

    fn of(most: usize, numbers: Option<MemoryMetrics>) -> Self {
        let book = Mutex::default();
        let inner = BudgetInner {
            most,
            book,
            numbers,
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    fn open(&self) -> MutexGuard<'_, MemoryLedger> {
        let book = &self.inner.book;
        book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What wants of this size may fill.
    fn room(&self, size: RequestSize) -> usize {
        match size {
            RequestSize::Small => self.inner.most,
            RequestSize::Large => self.inner.most - self.inner.most / limits::MEMORY_SMALL_PART,
        }
    }

    /// Gives turns to those who wait, as far as there is room, and shows how it stands.
    fn grant_waiting(&self, book: &mut MemoryLedger) {
        let mut woken = Vec::new();
        for size in [RequestSize::Small, RequestSize::Large] {
            let room = self.room(size);
            let mut taken = book.taken;
            for want in book.queue(size).values_mut() {
                let RequestState::Waits(_) = &want.turn else {
                    continue;
                };
                let Some(after) = taken.checked_add(want.bytes).filter(|sum| *sum <= room) else {
                    break;
                };
                taken = after;
                if let RequestState::Waits(waker) =
                    std::mem::replace(&mut want.turn, RequestState::Came)
                {
                    woken.push(waker);
                }
            }
            book.taken = taken;
        }
        woken.into_iter().for_each(Waker::wake);
        if let Some(numbers) = &self.inner.numbers {
            numbers.taken_bytes.set(number(book.taken));
            numbers.waiting.set(number(book.waiting()));
        }
    }
}

impl MemoryLedger {
    fn queue(&mut self, size: RequestSize) -> &mut RequestQueue {
        match size {
            RequestSize::Small => &mut self.small,
            RequestSize::Large => &mut self.large,
        }
    }

    fn waiting(&self) -> usize {
        let all = self.small.values().chain(self.large.values());
        all.filter(|want| matches!(want.turn, RequestState::Waits(_)))
            .count()
    }
}

impl MemoryShare {
    /// Makes it so many bytes: gives back what is beyond, or takes what is missing once there is
    /// room for all of that. Until then nothing changes, and the task is woken when there is. Who
    /// asks for another amount meanwhile goes on waiting for that one.
    pub fn make(&mut self, bytes: usize, context: &mut Context<'_>) -> Poll<Result<(), NeverFits>> {
        if bytes == self.taken && self.ticket.is_none() {
            return Poll::Ready(Ok(()));
        }
        let budget = self.budget.clone();
        let mut book = budget.open();
        self.collect(&mut book);
        let Some(more) = bytes.checked_sub(self.taken).filter(|more| *more > 0) else {
            self.leave(&mut book);
            book.taken -= self.taken - bytes;
            self.taken = bytes;
            budget.grant_waiting(&mut book);
            return Poll::Ready(Ok(()));
        };
        let size = RequestSize::of(more);
        if self.taken.saturating_add(more) > budget.room(size) {
            self.leave(&mut book);
            budget.grant_waiting(&mut book);
            return Poll::Ready(Err(NeverFits));
        }
        let number = match self.ticket {
            Some(ticket) if ticket.size == size => ticket.number,
            Some(_) | None => {
                self.leave(&mut book);
                book.tickets += 1;
                book.tickets
            }
        };
        self.ticket = Some(QueueTicket { number, size });
        let turn = RequestState::Waits(context.waker().clone());
        book.queue(size)
            .insert(number, MemoryRequest { bytes: more, turn });
        budget.grant_waiting(&mut book);
        self.collect(&mut book);
        match self.taken >= bytes {
            true => Poll::Ready(Ok(())),
            false => Poll::Pending,
        }
    }

    /// Puts so much of it aside, as far as it has that, for what outlives the session.
    pub fn split(&mut self, bytes: usize) -> Self {
        let bytes = bytes.min(self.taken);
        self.taken -= bytes;
        Self {
            budget: self.budget.clone(),
            taken: bytes,
            ticket: None,
        }
    }

    /// Takes back what was put aside.
    pub fn merge(&mut self, mut aside: Self) {
        self.taken += std::mem::take(&mut aside.taken);
    }

    /// Bytes that it has.
    pub fn taken(&self) -> usize {
        self.taken
    }

    /// Whether others wait for what is taken.
    pub fn is_wanted(&self) -> bool {
        self.budget.open().waiting() > 0
    }

    /// Counts that something was refused for want of memory.
    pub fn note_refused(&self) {
        if let Some(numbers) = &self.budget.inner.numbers {
            numbers.refused.inc();
        }
    }

    /// Takes over what the own turn has brought.
    fn collect(&mut self, book: &mut MemoryLedger) {
        let Some(QueueTicket { number, size }) = self.ticket else {
            return;
        };
        let queue = book.queue(size);
        if let Some(want) = queue.get(&number)
            && matches!(want.turn, RequestState::Came)
        {
            self.taken += want.bytes;
            queue.remove(&number);
            self.ticket = None;
        }
    }

    /// Waits no longer.
    fn leave(&mut self, book: &mut MemoryLedger) {
        self.collect(book);
        if let Some(QueueTicket { number, size }) = self.ticket.take() {
            book.queue(size).remove(&number);
        }
    }
}

impl Drop for MemoryShare {
    fn drop(&mut self) {
        if self.taken == 0 && self.ticket.is_none() {
            return;
        }
        let budget = self.budget.clone();
        let mut book = budget.open();
        self.leave(&mut book);
        book.taken -= self.taken;
        budget.grant_waiting(&mut book);
    }
}

impl RequestSize {
    fn of(bytes: usize) -> Self {
        if bytes <= limits::MEMORY_SMALL_BYTES {
            Self::Small
        } else {
            Self::Large
        }
    }
}

impl fmt::Debug for MemoryShare {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "MemoryShare({} bytes)", self.taken)
    }
}

impl fmt::Debug for MemoryBudget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (taken, most) = (self.taken(), self.inner.most);
        write!(formatter, "MemoryBudget({taken} of {most} bytes)")
    }
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    fn make(share: &mut MemoryShare, bytes: usize) -> Poll<Result<(), NeverFits>> {
        share.make(bytes, &mut Context::from_waker(Waker::noop()))
    }

    fn budget() -> (crate::telemetry::Telemetry, MemoryBudget) {
        let telemetry = crate::telemetry::Telemetry::quiet().unwrap();
        let budget = MemoryBudget::new(16 * MIB, telemetry.memory());
        (telemetry, budget)
    }

    #[test]
    fn what_is_taken_goes_back() {
        let (telemetry, budget) = budget();
        let mut one = budget.share();
        assert_eq!(make(&mut one, 10 * MIB), Poll::Ready(Ok(())));
        assert_eq!(make(&mut one, 4 * MIB), Poll::Ready(Ok(())));
        assert_eq!((one.taken(), budget.taken()), (4 * MIB, 4 * MIB));
        let shown = telemetry.scrape();
        assert!(
            shown.contains("pgsieve_memory_taken_bytes 4194304\n"),
            "{shown}"
        );
        drop(one);
        assert_eq!(budget.taken(), 0);
        assert!(
            telemetry
                .scrape()
                .contains("pgsieve_memory_taken_bytes 0\n")
        );
    }

    #[test]
    fn who_asks_beyond_it_waits_in_order_and_small_wants_go_on() {
        let (telemetry, budget) = budget();
        let mut shares: Vec<MemoryShare> = (0..4).map(|_| budget.share()).collect();
        let [one, two, three, four] = &mut shares[..] else {
            unreachable!()
        };
        assert_eq!(make(one, 14 * MIB), Poll::Ready(Ok(())));
        assert!(make(two, 8 * MIB).is_pending());
        // It would fit sooner, and does not overtake.
        assert!(make(three, 2 * MIB).is_pending());
        assert!(telemetry.scrape().contains("pgsieve_memory_waiting 2\n"));
        assert!(one.is_wanted());
        for mib in [MIB, 2 * MIB] {
            assert_eq!(
                make(four, mib),
                Poll::Ready(Ok(())),
                "the last part is theirs"
            );
        }
        assert_eq!(make(one, 7 * MIB), Poll::Ready(Ok(())));
        assert!(make(two, 8 * MIB).is_pending() && make(three, 2 * MIB).is_pending());
        assert_eq!(make(four, 0), Poll::Ready(Ok(())));
        assert!(make(two, 8 * MIB).is_pending());
        assert_eq!(make(one, 6 * MIB), Poll::Ready(Ok(())));
        assert_eq!(make(two, 8 * MIB), Poll::Ready(Ok(())));
        assert!(make(three, 2 * MIB).is_pending());
        assert_eq!(make(one, 0), Poll::Ready(Ok(())));
        assert_eq!(make(three, 2 * MIB), Poll::Ready(Ok(())));
        drop(shares);
        assert_eq!(budget.taken(), 0);
    }

    #[test]
    fn who_gives_up_leaves_its_place_whether_its_turn_had_come_or_not() {
        let (_telemetry, budget) = budget();
        let (mut one, mut two, mut three) = (budget.share(), budget.share(), budget.share());
        assert_eq!(make(&mut one, 14 * MIB), Poll::Ready(Ok(())));
        assert!(make(&mut two, 4 * MIB).is_pending() && make(&mut three, 5 * MIB).is_pending());
        drop(two);
        drop(one);
        // Its turn has come, and it never looks.
        assert_eq!(budget.taken(), 5 * MIB);
        drop(three);
        assert_eq!(budget.taken(), 0);
    }

    #[test]
    fn what_was_put_aside_outlives_the_share() {
        let (_telemetry, budget) = budget();
        let mut one = budget.share();
        assert_eq!(make(&mut one, 5 * MIB), Poll::Ready(Ok(())));
        let aside = one.split(4 * MIB);
        let more = one.split(4 * MIB);
        assert_eq!(
            (one.taken(), aside.taken(), more.taken()),
            (0, 4 * MIB, MIB)
        );
        one.merge(more);
        drop(one);
        assert_eq!(budget.taken(), 4 * MIB);
        drop(aside);
        assert_eq!(budget.taken(), 0);
    }

    #[test]
    fn what_can_never_fit_is_said_at_once() {
        let (_telemetry, budget) = budget();
        let mut one = budget.share();
        assert_eq!(make(&mut one, 15 * MIB), Poll::Ready(Err(NeverFits)));
        assert_eq!(make(&mut one, usize::MAX), Poll::Ready(Err(NeverFits)));
        assert_eq!(budget.taken(), 0);
        let mut boundless = MemoryBudget::boundless().share();
        assert_eq!(make(&mut boundless, usize::MAX / 2), Poll::Ready(Ok(())));
    }

    #[test]
    fn a_want_that_changes_while_it_waits_is_met_as_it_is_then() {
        let (_telemetry, budget) = budget();
        let (mut one, mut two) = (budget.share(), budget.share());
        assert_eq!(make(&mut one, 13 * MIB), Poll::Ready(Ok(())));
        assert!(make(&mut two, 5 * MIB).is_pending());
        assert!(make(&mut two, 3 * MIB).is_pending());
        assert_eq!(make(&mut two, MIB), Poll::Ready(Ok(())));
        assert!(make(&mut two, 5 * MIB).is_pending());
        drop(one);
        assert_eq!(budget.taken(), 5 * MIB);
        assert_eq!(make(&mut two, 2 * MIB), Poll::Ready(Ok(())));
        assert_eq!(budget.taken(), 2 * MIB);
    }
}
