//! Room for pages that are being followed, and who gives way when there is none.
//!
//! Whoever opens as many as there is room for would else keep all others out for as long as a
//! page may be followed. So who has followed longest is cut for who comes, once it had its turn;
//! its page asks anew by itself.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

use super::connection::AdminConnection;
use crate::limits::ADMIN_CUT_TIME;

/// The connections that follow, the oldest first.
pub struct StreamLimit {
    room: Arc<Semaphore>,
    within: Mutex<VecDeque<(Instant, Weak<AdminConnection>)>>,
    turn: Duration,
}

impl StreamLimit {
    /// Nobody, with room for so many. Each has its room for at least a turn.
    pub fn new(most: usize, turn: Duration) -> Self {
        Self {
            room: Arc::new(Semaphore::new(most)),
            within: Mutex::default(),
            turn,
        }
    }

    /// Room for this connection, if there is any now or soon. May be cancelled: then somebody has
    /// given way for nothing.
    pub async fn room(&self, slot: &Arc<AdminConnection>) -> Option<OwnedSemaphorePermit> {
        let room = match Arc::clone(&self.room).try_acquire_owned() {
            Ok(room) => room,
            Err(_) => {
                self.oldest()?.cut();
                let freed = Arc::clone(&self.room).acquire_owned();
                timeout(ADMIN_CUT_TIME, freed).await.ok()?.ok()?
            }
        };
        let since = Instant::now();
        self.within().push_back((since, Arc::downgrade(slot)));
        Some(room)
    }

    /// Who has followed longest, if that was a turn. It is not found twice.
    fn oldest(&self) -> Option<Arc<AdminConnection>> {
        let mut within = self.within();
        within.retain(|(_, slot)| slot.strong_count() > 0);
        let (since, _) = within.front()?;
        if since.elapsed() < self.turn {
            return None;
        }
        within.pop_front()?.1.upgrade()
    }

    fn within(&self) -> std::sync::MutexGuard<'_, VecDeque<(Instant, Weak<AdminConnection>)>> {
        self.within.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
