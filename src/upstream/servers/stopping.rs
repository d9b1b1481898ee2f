//! Whether a server that has ended a session is stopping, or has ended that session alone.

use tokio::time::timeout;

use super::UpstreamServer;
use crate::limits;
use crate::upstream::pool::PoolError;
use crate::upstream::pool::source::ConnectionSource;

impl UpstreamServer {
    /// Whether it lets nobody in any more. A server that stops says so, or does not answer, before
    /// the first of its sessions is ended; what cannot be found out in time counts as no.
    ///
    /// Sessions that ask at once are told what the first of them finds, where that is the end. May
    /// be cancelled: its connection is dropped.
    pub async fn is_stopping(&self, source: &ConnectionSource) -> bool {
        let asking = async {
            let _one_at_a_time = self.stop_question.lock().await;
            if self.state.is_away() {
                return true;
            }
            match source.open_once().await {
                Ok(_connection) => false,
                Err(error) => PoolError::Open(error).is_of_server(),
            }
        };
        let asked = timeout(limits::upstreams::STOP_QUESTION_TIME_MAX, asking).await;
        let is_stopping = asked.unwrap_or(false);
        if is_stopping {
            self.note_away();
        }
        is_stopping
    }
}
