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
    /// Slots beyond the usual number: each is there until it is given back and nobody waits.
    reserve: usize,
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
            reserve: 0,
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

    /// Gives a slot beyond the usual number to whoever is next; tells whether it did. It does not
    /// where nobody waits, or `most` are there already.
    pub fn open_reserve(&self, most: usize) -> bool {
        let mut line = open(&self.line);
        if line.waiting.is_empty() || line.reserve >= most {
            return false;
        }
        line.reserve += 1;
        drop(line);
        drop(FairSlot {
            line: Some(Arc::clone(&self.line)),
        });
        true
    }

    /// How many slots there are beyond the usual number.
    pub fn reserve_in_use(&self) -> usize {
        open(&self.line).reserve
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
        match line.reserve.checked_sub(1) {
            Some(left) => line.reserve = left,
            None => line.free += 1,
        }
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
    fn the_reserve_is_for_whoever_is_next_and_goes_first() {
        let places = FairSlots::new(1);
        let held = poll(pin!(places.take("flood")));
        assert!(!places.open_reserve(1), "nobody waits");
        let mut flood = Box::pin(places.take("flood"));
        let mut second = Box::pin(places.take("flood"));
        let mut ann = Box::pin(places.take("ann"));
        assert!(!places.open_reserve(0));
        assert!(places.open_reserve(2) && places.open_reserve(2) && !places.open_reserve(2));
        let (first, anns) = (poll(flood.as_mut()), poll(ann.as_mut()));
        assert!(first.is_some() && anns.is_some() && poll(second.as_mut()).is_none());
        // As long as somebody waits it goes on from hand to hand.
        drop(first);
        assert_eq!(places.reserve_in_use(), 2);
        let last = poll(second.as_mut());
        assert!(last.is_some());
        for (slot, (reserve, free)) in [(held, (1, 0)), (last, (0, 0)), (anns, (0, 1))] {
            drop(slot);
            let line = open(&places.line);
            assert_eq!((line.reserve, line.free), (reserve, free));
        }
        // Who is gone takes none of it along.
        let _held = poll(pin!(places.take("ann")));
        drop(places.take("bob"));
        assert!(places.open_reserve(1));
        assert_eq!(places.reserve_in_use(), 0);
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
