//! How much a server is wanted: by what the settings say of all sessions, by what a policy says of
//! its own, and by what is known of the server.

use std::time::Duration;

use super::server_state::ServerState;
use crate::target_servers::TargetServers;
use crate::telemetry::counters::upstream_metrics::ServerRole;

/// Which servers are wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct WantedServers {
    pub(super) targets: TargetServers,
    pub(super) lag_max: Duration,
}

/// How much a server is wanted: the least number first.
pub(super) type ServerRank = u8;

/// Added to the rank of a server that has not replayed what a session needs: any that has is wanted
/// more.
pub(super) const BEHIND: ServerRank = 5;

/// Added to the rank of a server that is not there: where no other is, it is tried after all.
pub(super) const NOT_THERE: ServerRank = 10;

impl WantedServers {
    /// Those that a policy wants as well; none where it wants no server that the settings do.
    pub(super) fn narrowed(self, policy: TargetServers) -> Option<Self> {
        let targets = self.targets.meet(policy)?;
        Some(Self { targets, ..self })
    }

    /// How much a server is wanted; none where it is not, whatever else is there.
    pub(super) fn rank(&self, state: &ServerState) -> Option<ServerRank> {
        let (role, is_near) = (state.role(), state.is_within(self.lag_max));
        let is_standby = matches!(role, Some(ServerRole::Standby(_)));
        let rank = match (self.targets, role) {
            (TargetServers::Any, _) if is_standby && !is_near => return None,
            (TargetServers::Any, _) | (TargetServers::Primary, Some(ServerRole::Primary)) => 0,
            (TargetServers::Primary, Some(ServerRole::Standby(_)))
            | (TargetServers::Standby, Some(ServerRole::Primary)) => return None,
            (_, Some(ServerRole::Standby(_))) if !is_near => return None,
            (_, Some(ServerRole::Standby(_))) => 0,
            (_, None) => 1,
            (TargetServers::PreferStandby, Some(ServerRole::Primary)) => 2,
        };
        Some(match state.is_away() {
            true => rank + NOT_THERE,
            false => rank,
        })
    }
}
