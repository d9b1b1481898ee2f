//! The wish to stop, told once and heard by everybody.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use tokio::sync::Notify;

/// Tells everybody that holds a [`DrainReceiver`] to come to an end.
#[derive(Debug)]
pub struct DrainSender {
    wish: Arc<DrainState>,
}

/// Hears of the wish to stop. Cheap to clone.
#[derive(Debug, Clone)]
pub struct DrainReceiver {
    wish: Arc<DrainState>,
}

#[derive(Debug, Default)]
struct DrainState {
    stage: AtomicU8,
    told: Notify,
}

/// How far it is. Each comes after the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DrainStage {
    Waiting,
    Draining,
    Closing,
}

impl DrainSender {
    /// Nobody has been asked to stop.
    pub fn new() -> (Self, DrainReceiver) {
        let wish = Arc::new(DrainState::default());
        let draining = DrainReceiver {
            wish: Arc::clone(&wish),
        };
        (Self { wish }, draining)
    }

    /// Repeats what `other` hears, for the sessions of one thread: each looks at its
    /// [`DrainReceiver`] whenever it wakes, and should not meet other threads there. Never returns.
    pub async fn follow(self, other: DrainReceiver) {
        other.wish.reached(DrainStage::Waiting).await;
        self.refuse_logins();
        other.begun().await;
        self.begin();
        other.closing().await;
        self.close();
        std::future::pending().await
    }

    /// Nobody new is let in; who is there goes on as before.
    pub fn refuse_logins(&self) {
        self.wish.advance(DrainStage::Waiting);
    }

    /// Running statements may finish; nothing new starts.
    pub fn begin(&self) {
        self.wish.advance(DrainStage::Draining);
    }

    /// The bound is reached: whoever is still here leaves now.
    pub fn close(&self) {
        self.wish.advance(DrainStage::Closing);
    }
}

impl DrainReceiver {
    /// Returns when draining begins. May be cancelled.
    pub fn begun(&self) -> impl Future<Output = ()> {
        self.wish.reached(DrainStage::Draining)
    }

    /// Returns when the bound on draining is reached. May be cancelled.
    pub fn closing(&self) -> impl Future<Output = ()> {
        self.wish.reached(DrainStage::Closing)
    }

    /// A number that is another one whenever something was told.
    pub fn stage(&self) -> u8 {
        self.wish.stage.load(Ordering::SeqCst)
    }

    /// Whether clients who ask for a login now come too late.
    pub fn refuses_logins(&self) -> bool {
        self.wish.has_reached(DrainStage::Waiting)
    }

    /// Whether draining has begun.
    pub fn has_begun(&self) -> bool {
        self.wish.has_reached(DrainStage::Draining)
    }
}

impl DrainState {
    fn advance(&self, stage: DrainStage) {
        self.stage.fetch_max(stage.number(), Ordering::SeqCst);
        self.told.notify_waiters();
    }

    fn has_reached(&self, stage: DrainStage) -> bool {
        self.stage.load(Ordering::SeqCst) >= stage.number()
    }

    #[expect(
        clippy::manual_async_fn,
        reason = "an async fn would keep what it is given twice"
    )]
    fn reached(&self, stage: DrainStage) -> impl Future<Output = ()> {
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

impl DrainStage {
    /// Serving is zero.
    fn number(self) -> u8 {
        match self {
            Self::Waiting => 1,
            Self::Draining => 2,
            Self::Closing => 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn everybody_hears_of_each_stage() {
        let (drain, draining) = DrainSender::new();
        let other = draining.clone();
        assert!(!draining.refuses_logins());
        drain.refuse_logins();
        assert!(draining.refuses_logins());
        assert!(!draining.has_begun());
        drain.begin();
        draining.begun().await;
        assert!(other.has_begun());
        drain.close();
        other.closing().await;
        draining.closing().await;
    }
}
