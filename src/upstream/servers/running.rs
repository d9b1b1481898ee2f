//! How many statements of clients a server has under way: what it is busy with now, and not how
//! many could ask it for something.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many there are at one server.
#[derive(Debug, Clone, Default)]
pub struct RunningStatements {
    /// None where there is no choice among servers: nobody asks then.
    count: Option<Arc<AtomicUsize>>,
}

/// One of them: counts it for as long as it is there, however its session ends.
#[derive(Debug)]
pub struct RunningStatement {
    count: Arc<AtomicUsize>,
}

impl RunningStatements {
    /// Of a server that is one of several.
    pub(super) fn counted() -> Self {
        Self {
            count: Some(Arc::default()),
        }
    }

    /// How many there are now.
    pub fn now(&self) -> usize {
        let count = self.count.as_ref();
        count.map_or(0, |count| count.load(Ordering::Relaxed))
    }

    /// One begins.
    pub fn begin(&self) -> Option<RunningStatement> {
        let count = Arc::clone(self.count.as_ref()?);
        count.fetch_add(1, Ordering::Relaxed);
        Some(RunningStatement { count })
    }
}

impl Drop for RunningStatement {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::RunningStatements;

    #[test]
    fn each_counts_until_it_is_dropped_by_whatever_way() {
        let running = RunningStatements::counted();
        let one = running.begin();
        let other = running.clone().begin();
        assert_eq!(running.now(), 2);
        drop(one);
        assert_eq!(running.now(), 1);
        let ends = catch_unwind(AssertUnwindSafe(|| {
            let _third = running.begin();
            assert_eq!(running.now(), 2);
            std::panic::resume_unwind(Box::new(()));
        }));
        assert!(ends.is_err());
        assert_eq!(running.now(), 1);
        drop(other);
        assert_eq!(running.now(), 0);
    }

    #[test]
    fn of_a_server_that_is_alone_nothing_is_counted() {
        let running = RunningStatements::default();
        assert!(running.begin().is_none());
        assert_eq!(running.now(), 0);
    }
}
