//! Slots of which each user has its share: threads that judge large texts, connections of a pool.
//!
//! Whoever waits is served by rounds: the first session of every user that waits, then the second
//! ones, however many sessions a user has.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// The slots. Cheap to clone.
#[derive(Clone)]
pub struct FairSlots {
    line: Arc<Mutex<SlotQueue>>,
}

/// One place, until it is dropped: then the next one has it.
pub struct FairSlot {
    /// None once it belongs to somebody else.
    line: Option<Arc<Mutex<SlotQueue>>>,
}

struct SlotQueue {
    free: usize,
    /// By round, and in a round by when they came.
    waiting: BTreeMap<(u64, u64), oneshot::Sender<FairSlot>>,
    /// The round that the next one of a user is for, while anybody waits.
    rounds: HashMap<Box<str>, u64>,
    /// The round that is served.
    round: u64,
    came: u64,
}

impl FairSlots {
    /// So many, all free.
    pub fn new(count: usize) -> Self {
        let line = SlotQueue {
            free: count,
            waiting: BTreeMap::new(),
            rounds: HashMap::new(),
            round: 0,
            came: 0,
        };
        Self {
            line: Arc::new(Mutex::new(line)),
        }
    }

    /// Lines up; the place comes when it is this user's turn. None comes only when all is over.
    pub fn take(&self, user: &str) -> impl Future<Output = Option<FairSlot>> + Send + 'static {
        let (sender, receiver) = oneshot::channel();
        let mut line = open(&self.line);
        if line.free > 0 {
            line.free -= 1;
            let place = FairSlot {
                line: Some(Arc::clone(&self.line)),
            };
            drop(line);
            // Its receiver is here.
            drop(sender.send(place));
        } else {
            let key = line.next(user);
            line.waiting.insert(key, sender);
        }
        async { receiver.await.ok() }
    }

    /// A slot, where one is free and nobody waits for it.
    pub fn take_free(&self) -> Option<FairSlot> {
        let mut line = open(&self.line);
        line.free = line.free.checked_sub(1)?;
        Some(FairSlot {
            line: Some(Arc::clone(&self.line)),
        })
    }

    /// Whether somebody waits.
    pub fn has_waiting(&self) -> bool {
        !open(&self.line).waiting.is_empty()
    }
}

impl SlotQueue {
    fn next(&mut self, user: &str) -> (u64, u64) {
        let served = self.round;
        let next = match self.rounds.get_mut(user) {
            Some(next) => next,
            None => self.rounds.entry(user.into()).or_insert(served),
        };
        let round = served.max(*next);
        *next = round + 1;
        self.came += 1;
        (round, self.came)
    }
}

impl Drop for FairSlot {
    fn drop(&mut self) {
        let Some(shared) = self.line.take() else {
            return;
        };
        let mut line = open(&shared);
        while let Some(((round, _), next)) = line.waiting.pop_first() {
            line.round = round;
            let place = Self {
                line: Some(Arc::clone(&shared)),
            };
            match next.send(place) {
                Ok(()) => return,
                // It is gone. The place is still this one's to give.
                Err(mut refused) => refused.line = None,
            }
        }
        line.free += 1;
        line.rounds.clear();
        line.round = 0;
    }
}

fn open(line: &Mutex<SlotQueue>) -> MutexGuard<'_, SlotQueue> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn poll(waits: Pin<&mut impl Future<Output = Option<FairSlot>>>) -> Option<FairSlot> {
        match waits.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(place) => place,
            Poll::Pending => None,
        }
    }

    /// In which order those that wait are served; a place is given back as soon as it was got.
    fn order(places: &FairSlots, users: &[&'static str]) -> Vec<&'static str> {
        let held = poll(pin!(places.take("somebody")));
        assert!(held.is_some());
        let mut waiting: Vec<_> = users
            .iter()
            .map(|user| (*user, Box::pin(places.take(user))))
            .collect();
        let mut held = held;
        let mut order = Vec::new();
        while !waiting.is_empty() {
            drop(held.take());
            let at = waiting.iter_mut().position(|(_, waits)| {
                held = poll(waits.as_mut());
                held.is_some()
            });
            order.push(waiting.remove(at.unwrap()).0);
        }
        order
    }

    #[test]
    fn a_flood_of_sessions_of_one_user_is_one_user() {
        let places = FairSlots::new(1);
        let users = ["flood", "flood", "flood", "flood", "ann", "ann", "bob"];
        let served = order(&places, &users);
        assert_eq!(
            served,
            ["flood", "ann", "bob", "flood", "ann", "flood", "flood"]
        );
        // Nothing is remembered of those who waited, and the place is free.
        assert!(open(&places.line).rounds.is_empty());
        assert_eq!(open(&places.line).free, 1);
    }

    #[test]
    fn who_comes_later_is_not_behind_the_rounds_that_were_planned() {
        let places = FairSlots::new(1);
        let held = poll(pin!(places.take("flood")));
        let mut flood: Vec<_> = (0..100).map(|_| Box::pin(places.take("flood"))).collect();
        drop(held);
        let first = poll(flood[0].as_mut()).expect("the first of the flood");
        let mut ann = Box::pin(places.take("ann"));
        assert!(poll(ann.as_mut()).is_none());
        drop(first);
        let second = poll(flood[1].as_mut());
        let anns = poll(ann.as_mut());
        assert!(second.is_some() != anns.is_some());
        drop(second);
        assert!(anns.or_else(|| poll(ann.as_mut())).is_some());
    }

    #[test]
    fn who_is_gone_keeps_nobody_waiting() {
        let places = FairSlots::new(2);
        let (first, second) = (
            poll(pin!(places.take("a"))).unwrap(),
            poll(pin!(places.take("a"))).unwrap(),
        );
        let (gone, mut waits) = (places.take("b"), pin!(places.take("c")));
        let mut kept = Box::pin(places.take("d"));
        drop(gone);
        drop(first);
        assert!(poll(waits.as_mut()).is_some());
        // It was given and nobody looked: it is not lost.
        drop(second);
        let _unseen = kept.as_mut();
        drop(kept);
        assert_eq!(open(&places.line).free, 2);
    }
}
