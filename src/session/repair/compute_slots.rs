//! How many repairs compute at the same time: those that wait for a server do not count.
//!
//! The threads of repairs share the processors with the workers. A flood of texts that all fail
//! would otherwise have more threads at work than there are processors, and everybody's ordinary
//! statement would stand behind them.

use std::num::NonZero;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;

/// The slots of the process. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct ComputeSlots {
    shared: Arc<ComputeSlotsInner>,
}

/// A slot, until it is dropped.
#[derive(Debug)]
pub(super) struct ComputeSlot {
    shared: Arc<ComputeSlotsInner>,
}

#[derive(Debug)]
struct ComputeSlotsInner {
    free: Mutex<usize>,
    freed: Condvar,
}

impl ComputeSlots {
    /// One for every other processor, and at least one.
    pub(super) fn new() -> Self {
        Self::of(available_parallelism().map_or(1, NonZero::get) / 2)
    }

    fn of(count: usize) -> Self {
        Self {
            shared: Arc::new(ComputeSlotsInner {
                free: Mutex::new(count.max(1)),
                freed: Condvar::new(),
            }),
        }
    }

    /// Waits for a slot. It blocks the thread: for those that repairs run on.
    pub(super) fn take(&self) -> ComputeSlot {
        self.shared.take();
        ComputeSlot {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl ComputeSlot {
    /// Does something that waits for somebody else; the slot is another's meanwhile.
    pub(super) fn lend_during<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.shared.give_back();
        let _slot = RetakenSlot(&self.shared);
        wait()
    }
}

impl Drop for ComputeSlot {
    fn drop(&mut self) {
        self.shared.give_back();
    }
}

/// Takes the slot back however the wait ends.
struct RetakenSlot<'a>(&'a ComputeSlotsInner);

impl Drop for RetakenSlot<'_> {
    fn drop(&mut self) {
        self.0.take();
    }
}

impl ComputeSlotsInner {
    fn take(&self) {
        let mut free = self.open();
        while *free == 0 {
            free = self
                .freed
                .wait(free)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
    }

    fn give_back(&self) {
        *self.open() += 1;
        self.freed.notify_one();
    }

    fn open(&self) -> MutexGuard<'_, usize> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn no_more_compute_than_there_are_slots() {
        let slots = ComputeSlots::of(2);
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let slot = slots.take();
                        let computing = now.fetch_add(1, Ordering::SeqCst) + 1;
                        most.fetch_max(computing, Ordering::SeqCst);
                        now.fetch_sub(1, Ordering::SeqCst);
                        slot.lend_during(thread::yield_now);
                    }
                });
            }
        });
        assert!((1..=2).contains(&most.into_inner()));
        assert_eq!(*slots.shared.open(), 2);
    }

    #[test]
    fn who_waits_for_a_server_leaves_the_slot_to_others() {
        let slots = ComputeSlots::of(1);
        let first = slots.take();
        first.lend_during(|| drop(slots.take()));
        drop(first);
        assert_eq!(*slots.shared.open(), 1);
    }

    #[test]
    fn there_is_one_on_the_smallest_machine() {
        drop(ComputeSlots::of(0).take());
    }

    #[test]
    fn a_panic_loses_no_slot() {
        let slots = ComputeSlots::of(1);
        let lent = thread::scope(|scope| {
            let repair = scope.spawn(|| slots.take().lend_during(|| panic!("on purpose")));
            repair.join().is_err()
        });
        assert!(lent);
        assert_eq!(*slots.shared.open(), 1);
    }
}
