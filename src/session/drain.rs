//! The wish to stop, told once and heard by everybody.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use tokio::sync::Notify;

/// Tells everybody that holds a [`Draining`] to come to an end.
#[derive(Debug)]
pub struct Drain {
    wish: Arc<Wish>,
}

/// Hears of the wish to stop. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Draining {
    wish: Arc<Wish>,
}

#[derive(Debug, Default)]
struct Wish {
    stage: AtomicU8,
    told: Notify,
}

/// How far it is. Each comes after the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Draining,
    Closing,
}

impl Drain {
    /// Nobody has been asked to stop.
    pub fn new() -> (Self, Draining) {
        let wish = Arc::new(Wish::default());
        let draining = Draining {
            wish: Arc::clone(&wish),
        };
        (Self { wish }, draining)
    }

    /// Repeats what `other` hears, for the sessions of one thread: each looks at its [`Draining`]
    /// whenever it wakes, and should not meet other threads there. Never returns.
    pub async fn follow(self, other: Draining) {
        other.begun().await;
        self.begin();
        other.closing().await;
        self.close();
        std::future::pending().await
    }

    /// Running statements may finish; nothing new starts.
    pub fn begin(&self) {
        self.wish.tell(Stage::Draining);
    }

    /// The bound is reached: whoever is still here leaves now.
    pub fn close(&self) {
        self.wish.tell(Stage::Closing);
    }
}

impl Draining {
    /// Returns when draining begins. May be cancelled.
    pub fn begun(&self) -> impl Future<Output = ()> {
        self.wish.reached(Stage::Draining)
    }

    /// Returns when the bound on draining is reached. May be cancelled.
    pub fn closing(&self) -> impl Future<Output = ()> {
        self.wish.reached(Stage::Closing)
    }

    /// Whether draining has begun.
    pub fn has_begun(&self) -> bool {
        self.wish.has_reached(Stage::Draining)
    }
}

impl Wish {
    fn tell(&self, stage: Stage) {
        self.stage.fetch_max(stage.number(), Ordering::SeqCst);
        self.told.notify_waiters();
    }

    fn has_reached(&self, stage: Stage) -> bool {
        self.stage.load(Ordering::SeqCst) >= stage.number()
    }

    #[expect(
        clippy::manual_async_fn,
        reason = "an async fn would keep what it is given twice"
    )]
    fn reached(&self, stage: Stage) -> impl Future<Output = ()> {
        async move {
            while !self.has_reached(stage) {
                let told = self.told.notified();
                // It hears from now on; before that it may have been told.
                if !self.has_reached(stage) {
                    told.await;
                }
            }
        }
    }
}

impl Stage {
    /// Serving is zero.
    fn number(self) -> u8 {
        match self {
            Self::Draining => 1,
            Self::Closing => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn everybody_hears_of_both_stages() {
        let (drain, draining) = Drain::new();
        let other = draining.clone();
        assert!(!draining.has_begun());
        drain.begin();
        draining.begun().await;
        assert!(other.has_begun());
        drain.close();
        other.closing().await;
        draining.closing().await;
    }
}
