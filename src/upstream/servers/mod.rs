//! Several servers with the same contents, a primary and its standbys: which are there, what each
//! is, and to which a session goes.
//!
//! A session goes to one server and has its catalog, its compile connections and its cancels there.
//! Of those that are wanted, two are drawn and the one with fewer statements under way is taken, or
//! with fewer sessions where that is the same. What is not there is passed over until a look at it
//! succeeds.
//!
//! * `server_state`: what is known of one server; `probe`: a look at it; `wanted`: how much it is
//!   wanted; `running`: what it is busy with
//! * `session_home`: what a session needs at the server that it moves to
//! * `replay`: how far one has replayed what its primary has written
//! * `stopping`: whether one that has ended a session has stopped with it
//! * `directory`: the servers of each database

pub mod directory;
pub mod probe;
pub mod replay;
pub mod running;
mod server_state;
pub mod session_home;
mod stopping;
mod wanted;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{Mutex, Notify};
use tokio::time::timeout;

use self::replay::ServerNeed;
use self::running::RunningStatements;
use self::server_state::ServerState;
use self::wanted::{BEHIND, NOT_THERE, ServerRank, WantedServers};
use super::address::UpstreamSettings;
use super::connect::{SharedContents, Upstream};
use super::engine::EngineSetting;
use super::engine::known::SharedEngine;
use super::login::UpstreamLoginError;
use crate::limits;
use crate::net::pem::TlsSetupError;
use crate::sqlstate;
use crate::target_servers::{ServerKind, TargetServers};

/// What is behind beside the first server.
#[derive(Debug, Clone)]
pub struct ServersSettings {
    /// The other servers, in their order.
    pub others: Vec<UpstreamSettings>,
    /// Which are wanted.
    pub targets: TargetServers,
    /// How far a standby may be behind.
    pub lag_max: Duration,
    /// How long a read waits until its server has replayed what its client has named.
    pub min_lsn_wait: Duration,
    /// Of which engine they are said to be.
    pub engine: EngineSetting,
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

/// One server.
#[derive(Debug)]
pub struct UpstreamServer {
    upstream: Arc<Upstream>,
    state: ServerState,
    /// Sessions of clients that go there.
    sessions: AtomicUsize,
    /// Their statements that are under way.
    running: RunningStatements,
    /// How long a read waits until it has replayed something.
    min_lsn_wait: Duration,
    /// A look at it is wanted now.
    doubted: Notify,
    /// Held by who asks whether it stops.
    stop_question: Mutex<()>,
}

/// The server that a session goes to: counts it there.
#[derive(Debug)]
pub struct ServerLease {
    server: Arc<UpstreamServer>,
}

impl ServersSettings {
    /// One server alone.
    pub fn alone() -> Self {
        Self {
            others: Vec::new(),
            targets: TargetServers::default(),
            lag_max: limits::upstreams::LAG_MAX,
            min_lsn_wait: limits::upstreams::MIN_LSN_WAIT,
            engine: EngineSetting::Auto,
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
            min_lsn_wait,
            engine,
        } = more;
        let engine = SharedEngine::new(engine, !others.is_empty());
        let contents = SharedContents::of(engine);
        let load = |settings| Ok(Upstream::load(settings)?.with_contents(&contents));
        let first = Arc::new(load(first)?);
        let running = || match others.is_empty() {
            true => RunningStatements::default(),
            false => RunningStatements::counted(),
        };
        let server =
            |upstream, running| Arc::new(UpstreamServer::new(upstream, (running, min_lsn_wait)));
        let mut servers = vec![server(Arc::clone(&first), running())];
        for settings in &others {
            let upstream = Arc::new(load(settings.clone())?);
            servers.push(server(upstream, running()));
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
        let chosen = self.choose(TargetServers::Any, &[]);
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

    /// The server that is wanted most by a session that needs that, but for those that were tried
    /// in vain; none where no other may be used.
    pub fn choose(
        &self,
        need: impl Into<ServerNeed>,
        tried: &[Arc<UpstreamServer>],
    ) -> Option<ServerLease> {
        let need = need.into();
        let is_new =
            |server: &&Arc<UpstreamServer>| tried.iter().all(|known| !Arc::ptr_eq(known, server));
        let ranked = self.servers.iter().filter(is_new).filter_map(|server| {
            let rank = self.rank_for(need, server)?;
            Some((rank, server))
        });
        let ranked: Vec<(ServerRank, &Arc<UpstreamServer>)> = ranked.collect();
        let best = ranked.iter().map(|(rank, _)| *rank).min()?;
        let best = ranked.into_iter().filter(|(rank, _)| *rank == best);
        let mut best: Vec<&Arc<UpstreamServer>> = best.map(|(_, server)| server).collect();
        // Two by chance: the one with the fewest of all would be overrun by those who come at once.
        let one = draw(&mut best)?;
        let chosen = match draw(&mut best) {
            Some(other) if other.load() < one.load() => other,
            Some(_) | None => one,
        };
        Some(ServerLease::of(chosen))
    }

    fn rank(&self, policy: TargetServers, server: &UpstreamServer) -> Option<ServerRank> {
        match self.are_several() {
            true => self.wanted.narrowed(policy)?.rank(&server.state),
            // What it is, each connection says: there may be several behind its address.
            false => Some(0),
        }
    }

    /// The same for a session that needs something to be replayed there: a server that has not done
    /// so is wanted less than any that has.
    fn rank_for(&self, need: ServerNeed, server: &UpstreamServer) -> Option<ServerRank> {
        let rank = self.rank(need.targets, server)?;
        let is_behind = |lsn| !server.has_replayed(lsn, None);
        Some(
            match self.are_several() && need.min_lsn.is_some_and(is_behind) {
                true => rank + BEHIND,
                false => rank,
            },
        )
    }

    /// Whether another server is wanted more than the one that a session is at, which needs that.
    pub fn is_another_better(&self, need: impl Into<ServerNeed>, lease: &ServerLease) -> bool {
        let need = need.into();
        if !self.are_several() {
            return false;
        }
        let rank_of = |server: &Arc<UpstreamServer>| self.rank_for(need, server);
        let best = self.servers.iter().filter_map(rank_of).min();
        match (rank_of(&lease.server), best) {
            (Some(own), Some(best)) => best < own,
            (None, Some(_)) => true,
            (_, None) => false,
        }
    }

    /// Whether the server that a session is at has fallen silent and another one has not. Where all
    /// are silent it is pgsieve that is cut off, and nobody is better off elsewhere.
    pub fn is_silent_alone(&self, lease: &ServerLease) -> bool {
        lease.server.is_silent() && self.servers.iter().any(|server| !server.is_silent())
    }

    /// Whether a server that is wanted is there.
    pub fn is_any_there(&self) -> bool {
        let mut servers = self.servers.iter();
        servers.any(|server| {
            let rank = self.wanted.rank(&server.state);
            rank.is_some_and(|rank| rank < NOT_THERE)
        })
    }

    /// Notes of which kind its server is, as a session that has just logged in says, and whether
    /// it may stay there under that policy.
    pub fn may_stay(
        &self,
        policy: TargetServers,
        lease: &ServerLease,
        reported: Option<ServerKind>,
    ) -> bool {
        let server = &lease.server;
        if self.are_several() {
            server.note_kind(reported);
            server.state.note_there();
        }
        self.rank(policy, server).is_some() && server.is_permitted(policy, reported)
    }

    /// The same of a session on a connection that may have been opened long ago: what that was told
    /// counts only where nobody asks the server itself.
    pub fn may_share(
        &self,
        policy: TargetServers,
        lease: &ServerLease,
        reported: Option<ServerKind>,
    ) -> bool {
        let server = &lease.server;
        match server.state.is_asked() {
            true => self.rank(policy, server).is_some() && server.is_permitted(policy, reported),
            false => self.may_stay(policy, lease, reported),
        }
    }
}

impl UpstreamServer {
    fn new(
        upstream: Arc<Upstream>,
        (running, min_lsn_wait): (RunningStatements, Duration),
    ) -> Self {
        Self {
            upstream,
            state: ServerState::default(),
            sessions: AtomicUsize::new(0),
            running,
            min_lsn_wait,
            doubted: Notify::new(),
            stop_question: Mutex::const_new(()),
        }
    }

    /// The way there.
    pub fn upstream(&self) -> &Arc<Upstream> {
        &self.upstream
    }

    /// How long a read waits there until that has replayed what its client has named.
    pub fn min_lsn_wait(&self) -> Duration {
        self.min_lsn_wait
    }

    /// Sessions of clients that go there.
    pub fn sessions(&self) -> usize {
        self.sessions.load(Ordering::Relaxed)
    }

    /// Statements of clients that are under way there.
    pub fn running(&self) -> &RunningStatements {
        &self.running
    }

    /// What it is busy with, and then how many could ask it for something.
    fn load(&self) -> (usize, usize) {
        (self.running.now(), self.sessions())
    }

    /// Whether statements of a policy that says that may run there, on a connection that has
    /// reported the server to be of that kind; what is asked of the server itself counts more.
    pub fn is_permitted(&self, policy: TargetServers, reported: Option<ServerKind>) -> bool {
        policy.only().is_none() || policy.permit(self.state.asked_kind().or(reported))
    }

    /// It has said on a connection of which kind it is.
    pub fn note_kind(&self, reported: Option<ServerKind>) {
        match reported {
            Some(ServerKind::Standby) => self.state.note_standby(),
            Some(ServerKind::Primary) => self.state.note_primary(),
            None => {}
        }
    }

    /// It was not reached: it is passed over from now on, and looked at.
    pub fn note_away(&self) {
        self.state.note_away();
        self.doubted.notify_one();
    }

    /// Whether it has not answered for so long that what is under way there counts as lost.
    fn is_silent(&self) -> bool {
        self.state.is_silent_for(limits::upstreams::SILENCE_MAX)
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

/// Takes one out by chance.
fn draw<'s>(servers: &mut Vec<&'s Arc<UpstreamServer>>) -> Option<&'s Arc<UpstreamServer>> {
    if servers.len() <= 1 {
        return servers.pop();
    }
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
            // A server that is stopped while it lets a session in ends it so.
            let codes = [sqlstate::CANNOT_CONNECT_NOW, sqlstate::ADMIN_SHUTDOWN];
            codes.iter().any(|away| code == Some(away.as_str()))
        }
        UpstreamLoginError::CleartextInClear
        | UpstreamLoginError::UnsupportedMethod
        | UpstreamLoginError::NoPassword
        | UpstreamLoginError::OnlyKeys
        | UpstreamLoginError::Scram(_)
        | UpstreamLoginError::Unsaid(_)
        | UpstreamLoginError::OutOfPlace(_)
        | UpstreamLoginError::TooMuch => false,
    }
}

impl fmt::Display for UpstreamServer {
    /// As metrics name it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.upstream.settings().endpoint.fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsn::Lsn;
    use crate::telemetry::counters::upstream_metrics::ServerRole;

    /// Nobody's addresses.
    fn servers(count: u16, targets: TargetServers) -> UpstreamServers {
        let settings =
            |port: u16| UpstreamSettings::parse(&format!("postgres://127.0.0.1:{port}/d")).unwrap();
        let more = ServersSettings {
            others: (2..=count).map(settings).collect(),
            targets,
            lag_max: Duration::from_secs(5),
            min_lsn_wait: Duration::from_secs(1),
            engine: EngineSetting::Auto,
        };
        UpstreamServers::load(settings(1), more).unwrap()
    }

    fn standby(seconds: u64) -> Option<ServerRole> {
        Some(ServerRole::Standby(Some(Duration::from_secs(seconds))))
    }

    /// The places of those that so many sessions go to.
    fn chosen(servers: &UpstreamServers, count: usize) -> Vec<String> {
        let leases: Vec<_> = (0..count)
            .map(|_| servers.choose(TargetServers::Any, &[]))
            .collect();
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
        let leases: Vec<_> = (0..300)
            .map(|_| servers.choose(TargetServers::Any, &[]).unwrap())
            .collect();
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
        let lease = servers.choose(TargetServers::Any, &[]).unwrap();
        assert!(!servers.is_another_better(TargetServers::Any, &lease));
        assert!(servers.may_stay(TargetServers::Any, &lease, Some(ServerKind::Primary)));
        assert!(
            servers
                .choose(TargetServers::Any, &[Arc::clone(lease.server())])
                .is_none()
        );
    }

    #[test]
    fn a_session_is_better_off_where_it_is_wanted() {
        let servers = servers(2, TargetServers::PreferStandby);
        let [primary, other] = servers.all() else {
            panic!("two servers");
        };
        primary.state.note_role(Some(ServerRole::Primary));
        other.state.note_role(standby(60));
        let lease = servers.choose(TargetServers::Any, &[]).unwrap();
        assert!(Arc::ptr_eq(lease.server(), primary));
        assert!(!servers.is_another_better(TargetServers::Any, &lease));
        other.state.note_role(standby(0));
        assert!(servers.is_another_better(TargetServers::Any, &lease));
        other.note_away();
        assert!(!servers.is_another_better(TargetServers::Any, &lease));
    }

    #[test]
    fn the_server_with_fewer_statements_under_way_is_taken_and_then_that_with_fewer_sessions() {
        let servers = servers(2, TargetServers::Any);
        let [one, other] = servers.all() else {
            panic!("two servers");
        };
        let next = |count: usize| -> Vec<ServerLease> {
            let choose = |_| servers.choose(TargetServers::Any, &[]).unwrap();
            (0..count).map(choose).collect()
        };
        let busy: Vec<_> = (0..3).map(|_| one.running().begin()).collect();
        let idle: Vec<ServerLease> = (0..50).map(|_| ServerLease::of(other)).collect();
        let mut held = next(20);
        assert!(held.iter().all(|lease| Arc::ptr_eq(lease.server(), other)));
        drop(busy);
        held.extend(next(20));
        assert_eq!((one.sessions(), other.sessions()), (20, 70));
        drop((held, idle));
        // Both alike: half of them each, by chance and by what the others have left.
        let spread = next(100);
        assert_eq!((one.sessions(), other.sessions()), (50, 50));
        drop(spread);
    }

    #[test]
    fn a_policy_narrows_what_the_settings_say() {
        // The first is the primary, the second a standby, and nobody knows what the third is.
        for (own, policy, expected) in [
            (TargetServers::PreferStandby, TargetServers::Primary, "1"),
            (TargetServers::PreferStandby, TargetServers::Standby, "2"),
            (TargetServers::PreferStandby, TargetServers::Any, "2"),
            (TargetServers::Any, TargetServers::PreferStandby, "2"),
            (TargetServers::Any, TargetServers::Primary, "1"),
            (TargetServers::Primary, TargetServers::PreferStandby, "1"),
            (TargetServers::Primary, TargetServers::Standby, ""),
            (TargetServers::Standby, TargetServers::Primary, ""),
        ] {
            let servers = servers(3, own);
            let [primary, near, unknown] = servers.all() else {
                panic!("three servers");
            };
            primary.state.note_role(Some(ServerRole::Primary));
            near.state.note_role(standby(0));
            let mut seen: Vec<String> = (0..40)
                .filter_map(|_| servers.choose(policy, &[]))
                .map(|lease| lease.server().to_string().split_off("127.0.0.1:".len()))
                .collect();
            seen.sort();
            seen.dedup();
            assert_eq!(seen.concat(), expected, "{own:?} {policy:?}");
            // What does not say what it is stays where only one kind may be meant.
            let lease = ServerLease::of(unknown);
            let stays = servers.may_stay(policy, &lease, None);
            let is_open = policy.only().is_none() && own.meet(policy).is_some();
            assert_eq!(stays, is_open, "{own:?} {policy:?}");
        }
    }

    #[test]
    fn a_session_that_needs_what_is_not_replayed_goes_where_it_is() {
        let servers = servers(3, TargetServers::PreferStandby);
        let [primary, near, far] = servers.all() else {
            panic!("three servers");
        };
        primary.state.note_role(Some(ServerRole::Primary));
        for (server, replayed) in [(near, "1/0"), (far, "0/5")] {
            server.state.note_role(standby(0));
            server.state.note_replayed(Lsn::of(replayed));
        }
        let at = |server: &Arc<UpstreamServer>| server.to_string();
        let seen = |lsn: Option<&str>| {
            let need = ServerNeed {
                targets: TargetServers::Any,
                min_lsn: lsn.and_then(Lsn::of),
            };
            let leases = (0..40).filter_map(|_| servers.choose(need, &[]));
            let mut seen: Vec<String> = leases.map(|lease| at(lease.server())).collect();
            seen.sort();
            seen.dedup();
            (need, seen)
        };
        for (lsn, expected) in [
            (None, vec![at(near), at(far)]),
            (Some("0/5"), vec![at(near), at(far)]),
            (Some("0/6"), vec![at(near)]),
            (Some("1/0"), vec![at(near)]),
            (Some("1/1"), vec![at(primary)]),
        ] {
            let (need, seen) = seen(lsn);
            assert_eq!(seen, expected, "{lsn:?}");
            let lease = ServerLease::of(far);
            let moves = !expected.contains(&at(far));
            assert_eq!(servers.is_another_better(need, &lease), moves, "{lsn:?}");
        }
        // What it was told before it went away counts no longer.
        near.state.note_replayed(None);
        assert_eq!(seen(Some("0/6")).1, [at(primary)]);
    }

    #[test]
    fn what_a_server_says_when_it_is_asked_counts_more_than_what_a_connection_was_told() {
        let servers = servers(2, TargetServers::Any);
        let server = &servers.all()[0];
        let permitted = |policy, reported| server.is_permitted(policy, reported);
        let (on, off) = (Some(ServerKind::Standby), Some(ServerKind::Primary));
        assert!(permitted(TargetServers::Standby, on) && !permitted(TargetServers::Standby, off));
        assert!(!permitted(TargetServers::Primary, None));
        server.state.note_role(Some(ServerRole::Primary));
        assert!(!permitted(TargetServers::Standby, on) && permitted(TargetServers::Primary, on));
        server.state.note_role(standby(0));
        assert!(permitted(TargetServers::Standby, off));
        // A promotion is told by sessions sooner than by a look.
        server.note_kind(off);
        assert!(!permitted(TargetServers::Standby, on) && permitted(TargetServers::Primary, on));
        assert!(permitted(TargetServers::Any, None));
    }

    #[test]
    fn one_server_alone_is_what_each_connection_says() {
        let servers = servers(1, TargetServers::PreferStandby);
        let lease = servers.choose(TargetServers::Standby, &[]).unwrap();
        for (reported, stays) in [
            (Some(ServerKind::Primary), false),
            (Some(ServerKind::Standby), true),
            (None, false),
        ] {
            let found = servers.may_stay(TargetServers::Standby, &lease, reported);
            assert_eq!(found, stays, "{reported:?}");
            let found = servers.may_share(TargetServers::Standby, &lease, reported);
            assert_eq!(found, stays, "{reported:?}");
            assert!(servers.may_stay(TargetServers::Any, &lease, reported));
        }
    }
}
