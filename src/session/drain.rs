//! The wish to stop, told once and heard by everybody.

use tokio::sync::watch;

/// Tells everybody that holds a [`Draining`] to come to an end.
#[derive(Debug)]
pub struct Drain {
    sender: watch::Sender<Stage>,
}

/// Hears of the wish to stop.
#[derive(Debug, Clone)]
pub struct Draining {
    receiver: watch::Receiver<Stage>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Serving,
    Draining,
    Closing,
}

impl Drain {
    /// Nobody has been asked to stop.
    pub fn new() -> (Self, Draining) {
        let (sender, receiver) = watch::channel(Stage::Serving);
        (Self { sender }, Draining { receiver })
    }

    /// Repeats what `other` hears, for the sessions of one thread: each looks at its [`Draining`]
    /// whenever it wakes, and should not meet other threads there. Never returns.
    pub async fn follow(self, mut other: Draining) {
        other.begun().await;
        self.begin();
        other.closing().await;
        self.close();
        std::future::pending().await
    }

    /// Running statements may finish; nothing new starts.
    pub fn begin(&self) {
        self.sender.send_replace(Stage::Draining);
    }

    /// The bound is reached: whoever is still here leaves now.
    pub fn close(&self) {
        self.sender.send_replace(Stage::Closing);
    }
}

impl Draining {
    /// Returns when draining begins. May be cancelled.
    pub async fn begun(&mut self) {
        self.reached(Stage::Draining).await;
    }

    /// Returns when the bound on draining is reached. May be cancelled.
    pub async fn closing(&mut self) {
        self.reached(Stage::Closing).await;
    }

    /// Whether draining has begun.
    pub fn has_begun(&self) -> bool {
        *self.receiver.borrow() >= Stage::Draining
    }

    async fn reached(&mut self, stage: Stage) {
        if self.receiver.wait_for(|now| *now >= stage).await.is_err() {
            // The sender lives as long as the server: without it there is nothing to serve.
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn everybody_hears_of_both_stages() {
        let (drain, mut draining) = Drain::new();
        let mut other = draining.clone();
        assert!(!draining.has_begun());
        drain.begin();
        draining.begun().await;
        assert!(other.has_begun());
        drain.close();
        other.closing().await;
        draining.closing().await;
    }
}
