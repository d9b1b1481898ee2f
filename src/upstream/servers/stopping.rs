//! Whether a server that has ended a session has ended with it, or has ended that session alone.

use tokio::time::timeout;

use super::UpstreamServer;
use crate::limits;
use crate::upstream::pool::PoolError;
use crate::upstream::pool::connection::ConnectionBase;
use crate::upstream::pool::source::ConnectionSource;

impl UpstreamServer {
    /// Whether the run of the server is over that connections with that base were opened in: it
    /// lets nobody in any more, or has been started again. A server that stops says so, or does
    /// not answer, before the first of its sessions is ended. What cannot be found out in time
    /// counts as no.
    ///
    /// Sessions that ask at once are told what the first of them finds, where that is the end. May
    /// be cancelled: its connection is dropped.
    pub async fn has_stopped(&self, source: &ConnectionSource, base: &ConnectionBase) -> bool {
        let asking = async {
            let _one_at_a_time = self.stop_question.lock().await;
            if self.state.is_away() {
                return true;
            }
            match source.open_once().await {
                Ok((_session, now)) => !base.is_alike(&now),
                Err(error) => PoolError::Open(error).is_of_server(),
            }
        };
        let asked = timeout(limits::upstreams::STOP_QUESTION_TIME_MAX, asking).await;
        let has_stopped = asked.unwrap_or(false);
        if has_stopped {
            self.note_away();
        }
        has_stopped
    }
}
