//! Several servers with the same contents, a primary and its standbys: which are there, what each
//! is, and to which a session goes.
//!
//! A session goes to one server and has its catalog, its compile connections and its cancels there.
//! Of those that are wanted, two are drawn and the one with fewer sessions is taken. What is not
//! there is passed over until a look at it succeeds.
//!
//! * `server_state`: what is known of one server; `probe`: a look at it
//! * `session_home`: what a session needs at the server that it moves to
//! * `directory`: the servers of each database

pub mod directory;
pub mod probe;
mod server_state;
pub mod session_home;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

use self::server_state::ServerState;
use super::address::UpstreamSettings;
use super::address::host_list::TargetServers;
use super::connect::Upstream;
use super::login::UpstreamLoginError;
use crate::limits;
use crate::net::pem::TlsSetupError;
use crate::telemetry::counters::upstream_metrics::ServerRole;

/// What is behind beside the first server.
#[derive(Debug, Clone)]
pub struct ServersSettings {
    /// The other servers, in their order.
    pub others: Vec<UpstreamSettings>,
    /// Which are wanted.
    pub targets: TargetServers,
    /// How far a standby may be behind.
    pub lag_max: Duration,
}

/// The servers of one upstream.
#[derive(Debug)]
pub struct UpstreamServers {
    /// The one that the settings name first.
    first: Arc<Upstream>,
    /// All of them.
    servers: Vec<Arc<UpstreamServer>>,
    wanted: WantedServers,
}

/// Which servers are wanted.
#[derive(Debug, Clone, Copy)]
struct WantedServers {
    targets: TargetServers,
    lag_max: Duration,
}

/// One server.
#[derive(Debug)]
pub struct UpstreamServer {
    upstream: Arc<Upstream>,
    state: ServerState,
    /// Sessions of clients that go there.
    sessions: AtomicUsize,
    /// A look at it is wanted now.
    doubted: Notify,
}

/// The server that a session goes to: counts it there.
#[derive(Debug)]
pub struct ServerLease {
    server: Arc<UpstreamServer>,
}

/// How much a server is wanted: the least number first.
type ServerRank = u8;

impl ServersSettings {
    /// One server alone.
    pub fn alone() -> Self {
        Self {
            others: Vec::new(),
            targets: TargetServers::default(),
            lag_max: limits::upstreams::LAG_MAX,
        }
    }
}

impl UpstreamServers {
    /// Loads the files that the settings of the first server and of the others name.
    ///
    /// # Errors
    /// A file cannot be read or does not fit the others, or a host cannot stand in a certificate.
    pub fn load(first: UpstreamSettings, more: ServersSettings) -> Result<Self, TlsSetupError> {
        let ServersSettings {
            others,
            targets,
            lag_max,
        } = more;
        let contents = Arc::default();
        let load = |settings| Ok(Upstream::load(settings)?.with_contents(&contents));
        let first = Arc::new(load(first)?);
        let mut servers = vec![Arc::new(UpstreamServer::new(Arc::clone(&first)))];
        for settings in others {
            let upstream = Arc::new(load(settings)?);
            servers.push(Arc::new(UpstreamServer::new(upstream)));
        }
        let wanted = WantedServers { targets, lag_max };
        Ok(Self {
            first,
            servers,
            wanted,
        })
    }

    /// All of them, in the order of the settings.
    pub fn all(&self) -> &[Arc<UpstreamServer>] {
        &self.servers
    }

    /// Whether there is more than one.
    pub fn are_several(&self) -> bool {
        self.servers.len() > 1
    }

    /// Whether that is the way to one of them.
    pub fn have(&self, upstream: &Upstream) -> bool {
        self.first.has_contents_of(upstream)
    }

    /// The server that the settings name first, for what is the same of all.
    pub fn first(&self) -> &Arc<Upstream> {
        &self.first
    }

    /// A server for pgsieve's own questions: one that a session would go to now.
    pub fn any(&self) -> Arc<Upstream> {
        let chosen = self.choose(&[]);
        chosen.map_or_else(
            || Arc::clone(&self.first),
            |chosen| Arc::clone(chosen.upstream()),
        )
    }

    /// Connections that are made from now on use the certificates and keys of those.
    pub fn renew(&self, fresh: &Self) {
        for (own, fresh) in self.servers.iter().zip(&fresh.servers) {
            own.upstream.renew(&fresh.upstream);
        }
    }

    /// Waits until each of several servers was looked at, and not for long. May be cancelled.
    pub async fn first_look(&self) {
        if !self.are_several() {
            return;
        }
        let looks = async {
            for server in &self.servers {
                server.state.looked_at().await;
            }
        };
        // In vain: one that has not answered by then is not wanted first.
        let _ = timeout(limits::upstreams::FIRST_LOOK_WAIT_MAX, looks).await;
    }

    /// The server that is wanted most, but for those that were tried in vain; none where no other
    /// may be used.
    pub fn choose(&self, tried: &[Arc<UpstreamServer>]) -> Option<ServerLease> {
        let is_new =
            |server: &&Arc<UpstreamServer>| tried.iter().all(|known| !Arc::ptr_eq(known, server));
        let ranked = self.servers.iter().filter(is_new).filter_map(|server| {
            let rank = match self.are_several() {
                true => self.wanted.rank(&server.state)?,
                false => 0,
            };
            Some((rank, server))
        });
        let ranked: Vec<(ServerRank, &Arc<UpstreamServer>)> = ranked.collect();
        let best = ranked.iter().map(|(rank, _)| *rank).min()?;
        let best = ranked.into_iter().filter(|(rank, _)| *rank == best);
        let mut best: Vec<&Arc<UpstreamServer>> = best.map(|(_, server)| server).collect();
        // Two by chance: the one with the fewest of all would be overrun by those who come at once.
        let one = draw(&mut best)?;
        let chosen = match draw(&mut best) {
            Some(other) if other.sessions() < one.sessions() => other,
            Some(_) | None => one,
        };
        Some(ServerLease::of(chosen))
    }

    /// Whether another server is wanted more than the one that a session is at.
    pub fn is_another_better(&self, lease: &ServerLease) -> bool {
        if !self.are_several() {
            return false;
        }
        let rank_of = |server: &Arc<UpstreamServer>| self.wanted.rank(&server.state);
        let best = self.servers.iter().filter_map(rank_of).min();
        match (rank_of(&lease.server), best) {
            (Some(own), Some(best)) => best < own,
            (None, Some(_)) => true,
            (_, None) => false,
        }
    }

    /// Whether a server that is wanted is there.
    pub fn is_any_there(&self) -> bool {
        let mut servers = self.servers.iter();
        servers.any(|server| {
            let rank = self.wanted.rank(&server.state);
            rank.is_some_and(|rank| rank < NOT_THERE)
        })
    }

    /// Notes what a session that has just logged in says that its server is, and whether it may
    /// stay there.
    pub fn may_stay(&self, lease: &ServerLease, in_hot_standby: Option<&str>) -> bool {
        if !self.are_several() {
            return true;
        }
        let state = &lease.server.state;
        match in_hot_standby {
            Some("on") => state.note_standby(),
            Some("off") => state.note_primary(),
            Some(_) | None => {}
        }
        state.note_there();
        self.wanted.rank(state).is_some()
    }

    /// The same of a session on a connection that may have been opened long ago: what that was told
    /// counts only where nobody asks the server itself.
    pub fn may_share(&self, lease: &ServerLease, in_hot_standby: Option<&str>) -> bool {
        let state = &lease.server.state;
        match state.is_asked() {
            true => !self.are_several() || self.wanted.rank(state).is_some(),
            false => self.may_stay(lease, in_hot_standby),
        }
    }
}

impl UpstreamServer {
    fn new(upstream: Arc<Upstream>) -> Self {
        Self {
            upstream,
            state: ServerState::default(),
            sessions: AtomicUsize::new(0),
            doubted: Notify::new(),
        }
    }

    /// The way there.
    pub fn upstream(&self) -> &Arc<Upstream> {
        &self.upstream
    }

    /// Sessions of clients that go there.
    pub fn sessions(&self) -> usize {
        self.sessions.load(Ordering::Relaxed)
    }

    /// It was not reached: it is passed over from now on, and looked at.
    pub fn note_away(&self) {
        self.state.note_away();
        self.doubted.notify_one();
    }

    /// Waits until a look at it is wanted. May be cancelled.
    pub async fn until_doubted(&self) {
        self.doubted.notified().await;
    }
}

impl ServerLease {
    fn of(server: &Arc<UpstreamServer>) -> Self {
        server.sessions.fetch_add(1, Ordering::Relaxed);
        Self {
            server: Arc::clone(server),
        }
    }

    /// The server.
    pub fn server(&self) -> &Arc<UpstreamServer> {
        &self.server
    }

    /// The way there.
    pub fn upstream(&self) -> &Arc<Upstream> {
        &self.server.upstream
    }
}

impl Drop for ServerLease {
    fn drop(&mut self) {
        self.server.sessions.fetch_sub(1, Ordering::Relaxed);
    }
}

impl WantedServers {
    /// How much a server is wanted; none where it is not, whatever else is there.
    fn rank(&self, state: &ServerState) -> Option<ServerRank> {
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

/// Takes one out by chance.
fn draw<'s>(servers: &mut Vec<&'s Arc<UpstreamServer>>) -> Option<&'s Arc<UpstreamServer>> {
    let mut random = [0_u8; 8];
    // Without randomness it is the first, which is no more than unfair.
    let _ = getrandom::fill(&mut random);
    let random = usize::try_from(u64::from_le_bytes(random) >> 32).unwrap_or(0);
    let place = random.checked_rem(servers.len())?;
    Some(servers.swap_remove(place))
}

/// Whether what went wrong with a login says that its server is not there, or not yet.
pub fn is_away(error: &UpstreamLoginError) -> bool {
    match error {
        UpstreamLoginError::Connect(_) | UpstreamLoginError::Link(_) => true,
        UpstreamLoginError::Refused(message) => {
            let code = super::login::sqlstate_of(message);
            code == Some(crate::sqlstate::CANNOT_CONNECT_NOW.as_str())
        }
        UpstreamLoginError::CleartextInClear
        | UpstreamLoginError::UnsupportedMethod
        | UpstreamLoginError::NoPassword
        | UpstreamLoginError::Scram(_)
        | UpstreamLoginError::Unsaid(_)
        | UpstreamLoginError::OutOfPlace(_)
        | UpstreamLoginError::TooMuch => false,
    }
}

/// Added to the rank of a server that is not there: where no other is, it is tried after all.
const NOT_THERE: ServerRank = 10;

impl fmt::Display for UpstreamServer {
    /// As metrics name it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.upstream.settings().endpoint.fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nobody's addresses.
    fn servers(count: u16, targets: TargetServers) -> UpstreamServers {
        let settings =
            |port: u16| UpstreamSettings::parse(&format!("postgres://127.0.0.1:{port}/d")).unwrap();
        let more = ServersSettings {
            others: (2..=count).map(settings).collect(),
            targets,
            lag_max: Duration::from_secs(5),
        };
        UpstreamServers::load(settings(1), more).unwrap()
    }

    fn standby(seconds: u64) -> Option<ServerRole> {
        Some(ServerRole::Standby(Some(Duration::from_secs(seconds))))
    }

    /// The places of those that so many sessions go to.
    fn chosen(servers: &UpstreamServers, count: usize) -> Vec<String> {
        let leases: Vec<_> = (0..count).map(|_| servers.choose(&[])).collect();
        let mut chosen: Vec<String> = leases
            .iter()
            .flatten()
            .map(|lease| lease.server().to_string())
            .collect();
        chosen.sort();
        chosen.dedup();
        chosen
    }

    #[test]
    fn which_servers_are_wanted_follows_from_what_they_are() {
        // The first is the primary, the second near, the third far behind, the fourth unknown.
        let (near, unknown, primary) = ("127.0.0.1:2", "127.0.0.1:4", "127.0.0.1:1");
        for (targets, expected) in [
            (TargetServers::Any, vec![primary, near, unknown]),
            (TargetServers::Primary, vec![primary]),
            (TargetServers::Standby, vec![near]),
            (TargetServers::PreferStandby, vec![near]),
        ] {
            let servers = servers(4, targets);
            let states: Vec<&ServerState> =
                servers.all().iter().map(|server| &server.state).collect();
            states[0].note_role(Some(ServerRole::Primary));
            states[1].note_role(standby(1));
            states[2].note_role(standby(6));
            assert_eq!(chosen(&servers, 60), expected, "{targets:?}");
            // Without what is wanted most comes what may be it, and what is not there is last.
            states[1].note_away();
            let without = match targets {
                TargetServers::Any => vec![primary, unknown],
                TargetServers::Primary => vec![primary],
                TargetServers::Standby | TargetServers::PreferStandby => vec![unknown],
            };
            assert_eq!(chosen(&servers, 60), without, "{targets:?}");
            states[3].note_role(standby(600));
            let at_last = match targets {
                TargetServers::Standby => vec![near],
                TargetServers::Any | TargetServers::Primary | TargetServers::PreferStandby => {
                    vec![primary]
                }
            };
            assert_eq!(chosen(&servers, 20), at_last, "{targets:?}");
            assert_eq!(
                servers.is_any_there(),
                targets != TargetServers::Standby,
                "{targets:?}"
            );
        }
    }

    #[test]
    fn sessions_are_spread_and_counted_where_they_are() {
        let servers = servers(3, TargetServers::Any);
        let leases: Vec<_> = (0..300).map(|_| servers.choose(&[]).unwrap()).collect();
        for server in servers.all() {
            assert!(
                (60..=140).contains(&server.sessions()),
                "{}",
                server.sessions()
            );
        }
        drop(leases);
        assert!(servers.all().iter().all(|server| server.sessions() == 0));
    }

    #[test]
    fn a_standby_that_cannot_tell_is_far_behind_once_it_was_asked() {
        let servers = servers(2, TargetServers::Standby);
        let state = &servers.all()[1].state;
        servers.all()[0].state.note_role(Some(ServerRole::Primary));
        state.note_standby();
        assert_eq!(chosen(&servers, 4), ["127.0.0.1:2"]);
        state.note_role(Some(ServerRole::Standby(None)));
        assert!(chosen(&servers, 4).is_empty());
        // What a session says of it does not make it near.
        state.note_standby();
        assert!(chosen(&servers, 4).is_empty());
    }

    #[test]
    fn one_server_alone_is_taken_whatever_is_known_of_it() {
        let servers = servers(1, TargetServers::Standby);
        servers.all()[0].note_away();
        let lease = servers.choose(&[]).unwrap();
        assert!(!servers.is_another_better(&lease));
        assert!(servers.may_stay(&lease, Some("off")));
        assert!(servers.choose(&[Arc::clone(lease.server())]).is_none());
    }

    #[test]
    fn a_session_is_better_off_where_it_is_wanted() {
        let servers = servers(2, TargetServers::PreferStandby);
        let [primary, other] = servers.all() else {
            panic!("two servers");
        };
        primary.state.note_role(Some(ServerRole::Primary));
        other.state.note_role(standby(60));
        let lease = servers.choose(&[]).unwrap();
        assert!(Arc::ptr_eq(lease.server(), primary));
        assert!(!servers.is_another_better(&lease));
        other.state.note_role(standby(0));
        assert!(servers.is_another_better(&lease));
        other.note_away();
        assert!(!servers.is_another_better(&lease));
    }
}
