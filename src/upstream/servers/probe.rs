//! A look at one server: whether it answers, whether it is a standby, and how far behind.
//!
//! Where an account is known, a session of pgsieve's own stays there and is asked again and again;
//! else it is a connection and no more, and what the server is, is heard from sessions of clients.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use super::UpstreamServer;
use crate::limits;
use crate::lsn::Lsn;
use crate::sqlstate;
use crate::telemetry::counters::upstream_metrics::ServerRole;
use crate::upstream::account::{OwnSessionError, UpstreamAccount};
use crate::upstream::catalog_cache::replication_lag::RoleSession;
use crate::upstream::connect::UpstreamConnectError;
use crate::upstream::login_retry::jittered;

/// Looks at one server again and again.
pub struct ServerProbe {
    server: Arc<UpstreamServer>,
    account: Option<(UpstreamAccount, String)>,
    session: Option<RoleSession>,
    /// Until then nobody is logged in: the server has refused the account.
    barred_until: Option<Instant>,
    pause: Duration,
    /// What it has said in the last look that it has replayed.
    replayed: Option<Lsn>,
}

/// What a look has found.
#[derive(Debug)]
pub enum ServerSight {
    /// It answers; what it is, where it says that.
    There(Option<ServerRole>),
    /// It cannot be reached.
    Unreachable(UpstreamConnectError),
    /// It can, and serves nobody.
    Unfit,
}

impl ServerProbe {
    /// Asks as that account in that database, where there is one.
    pub fn new(server: Arc<UpstreamServer>, account: Option<(UpstreamAccount, String)>) -> Self {
        Self {
            server,
            account,
            session: None,
            barred_until: None,
            pause: limits::upstreams::PROBE_PAUSE,
            replayed: None,
        }
    }

    /// Looks once; what is found counts for choices from now on.
    ///
    /// May be cancelled: its session may be left with an answer under way, and is to be dropped.
    pub async fn look(&mut self) -> ServerSight {
        self.replayed = None;
        let is_barred = self
            .barred_until
            .is_some_and(|until| Instant::now() < until);
        let sight = match self.account.clone() {
            Some(account) if !is_barred => self.ask(&account).await,
            Some(_) | None => self.connect().await,
        };
        let state = &self.server.state;
        match &sight {
            ServerSight::There(role) => {
                if role.is_some() {
                    state.note_role(*role);
                }
                state.note_replayed(self.replayed);
                state.note_there();
                self.pause = limits::upstreams::PROBE_PAUSE;
            }
            ServerSight::Unreachable(_) | ServerSight::Unfit => {
                self.session = None;
                state.note_replayed(None);
                state.note_away();
            }
        }
        state.note_look(matches!(sight, ServerSight::There(_)));
        sight
    }

    /// Waits until it is time for the next look. May be cancelled.
    pub async fn rest(&mut self) {
        if !self.server.state.is_away() {
            let interval = match &self.session {
                Some(_) => limits::upstreams::PROBE_INTERVAL,
                None => limits::upstreams::CONNECT_INTERVAL,
            };
            // All who wait for it at once have one look.
            let replay = async {
                self.server.state.replay_wanted().await;
                sleep(limits::upstreams::REPLAY_LOOK_PAUSE).await;
            };
            tokio::select! {
                () = sleep(interval) => {}
                () = self.server.until_doubted() => {}
                () = replay => {}
            }
            return;
        }
        // Who has found it away meanwhile says nothing new.
        sleep(jittered(self.pause)).await;
        self.pause = (self.pause * 2).min(limits::upstreams::PROBE_PAUSE_MAX);
    }

    async fn connect(&self) -> ServerSight {
        let deadline = Instant::now() + limits::upstreams::PROBE_TIME_MAX;
        match self.server.upstream.connect(deadline).await {
            Ok(_connection) => ServerSight::There(None),
            Err(error) => ServerSight::Unreachable(error),
        }
    }

    async fn ask(&mut self, (account, database): &(UpstreamAccount, String)) -> ServerSight {
        let time = limits::upstreams::PROBE_TIME_MAX;
        if let Some(session) = &self.session {
            match timeout(time, session.role()).await {
                Ok(Some((role, replayed))) => {
                    self.replayed = replayed;
                    return ServerSight::There(Some(role));
                }
                // Whoever has a connection to it waits as well.
                Err(_elapsed) => return ServerSight::Unfit,
                Ok(None) => {}
            }
        }
        // It was lost, or there is none yet.
        self.session = None;
        let asking = async {
            let session = RoleSession::open(&self.server.upstream, account, database).await?;
            let role = session.role().await;
            Ok((session, role))
        };
        let asked = timeout(time, asking).await;
        match asked.unwrap_or(Err(OwnSessionError::TimedOut)) {
            Ok((session, role)) => {
                self.session = Some(session);
                self.replayed = role.and_then(|(_, replayed)| replayed);
                ServerSight::There(role.map(|(role, _)| role))
            }
            Err(OwnSessionError::Unreachable(error)) => ServerSight::Unreachable(error),
            Err(OwnSessionError::Refused(Some(code)))
                if *code == *sqlstate::CANNOT_CONNECT_NOW.as_str() =>
            {
                ServerSight::Unfit
            }
            Err(OwnSessionError::TimedOut | OwnSessionError::Lost) => ServerSight::Unfit,
            // It is there, and lets this account not in: sessions of clients may find otherwise.
            Err(refused) => {
                let is_missing = matches!(&refused, OwnSessionError::Refused(Some(code))
                    if **code == *sqlstate::UNDEFINED_DATABASE.as_str());
                let pause = match is_missing {
                    true => limits::upstreams::MISSING_DATABASE_PAUSE,
                    false => limits::upstreams::REFUSED_PAUSE,
                };
                self.barred_until = Some(Instant::now() + pause);
                ServerSight::There(None)
            }
        }
    }
}

impl fmt::Debug for ServerProbe {
    /// Without the account.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ServerProbe({})", self.server)
    }
}
