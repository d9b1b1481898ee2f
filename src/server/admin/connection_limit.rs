//! Who is connected, and who gives way when there is no room for one more.
//!
//! Whoever connects and says nothing would else keep all scrapers out for as long as a connection
//! may last. So the one that has waited longest is closed for the one that comes: who asks at once,
//! as scrapers and probes do, is answered before its turn to go comes.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout_at};

use super::connection::AdminConnection;
use crate::limits::ADMIN_GRACE;

/// The connections that have room, the oldest first.
pub struct ConnectionLimit {
    room: Arc<Semaphore>,
    within: VecDeque<LimitedConnection>,
}

struct LimitedConnection {
    slot: Arc<AdminConnection>,
    task: AbortHandle,
    since: Instant,
}

impl ConnectionLimit {
    /// Nobody, with room for so many.
    pub fn new(most: usize) -> Self {
        Self {
            room: Arc::new(Semaphore::new(most)),
            within: VecDeque::new(),
        }
    }

    /// Room for one more. `None` would say that there is none for anybody any more, which is never
    /// so. May be cancelled.
    pub async fn room(&mut self) -> Option<OwnedSemaphorePermit> {
        // Who follows the page has left this room for another one.
        self.within
            .retain(|member| !member.task.is_finished() && !member.slot.is_followed());
        if let Ok(permit) = Arc::clone(&self.room).try_acquire_owned() {
            return Some(permit);
        }
        // A request that is on its way is to be read first.
        let patience = self.within.front().map(|oldest| oldest.since + ADMIN_GRACE);
        if let Some(patience) = patience
            && let Ok(permit) = timeout_at(patience, Arc::clone(&self.room).acquire_owned()).await
        {
            return permit.ok();
        }
        let silent = self.within.iter().position(|one| !one.slot.has_asked());
        if let Some(member) = self.within.remove(silent.unwrap_or(0)) {
            member.task.abort();
        }
        Arc::clone(&self.room).acquire_owned().await.ok()
    }

    /// One more has its room.
    pub fn admit(&mut self, slot: Arc<AdminConnection>, task: AbortHandle) {
        let since = Instant::now();
        self.within
            .push_back(LimitedConnection { slot, task, since });
    }
}
