//! How far a server has replayed what its primary has written, for sessions whose reads are to see
//! that.

use tokio::time::{Duration, timeout};

use super::UpstreamServer;
use crate::lsn::Lsn;
use crate::target_servers::{ServerKind, TargetServers};

/// What a session wants of a server.
#[derive(Debug, Clone, Copy)]
pub struct ServerNeed {
    /// What its policy says.
    pub targets: TargetServers,
    /// What is to be replayed there.
    pub min_lsn: Option<Lsn>,
}

impl From<TargetServers> for ServerNeed {
    fn from(targets: TargetServers) -> Self {
        Self {
            targets,
            min_lsn: None,
        }
    }
}

impl UpstreamServer {
    /// Whether all that was written up to there is seen by reads that begin now, on a connection
    /// that has reported the server to be of that kind. A primary replays nothing: it has it.
    pub fn has_replayed(&self, lsn: Lsn, reported: Option<ServerKind>) -> bool {
        let kind = self.state.asked_kind().or(reported);
        kind == Some(ServerKind::Primary) || self.state.has_replayed(lsn)
    }

    /// Whether it is asked what it has replayed: there are others beside it, and an account of
    /// pgsieve's own.
    pub fn tells_replay(&self) -> bool {
        self.state.is_asked()
    }

    /// Waits until it has replayed that, and no longer than for a time. May be cancelled.
    pub async fn until_replayed(&self, lsn: Lsn, longest: Duration) {
        let replaying = async {
            // Each round is one answer of the server.
            while self.tells_replay() && !self.has_replayed(lsn, None) {
                self.state.replays().await;
            }
        };
        // In vain: whoever waits looks again.
        let _ = timeout(longest, replaying).await;
    }
}
