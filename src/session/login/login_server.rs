//! The server that a login goes to: where that is not there, or is not what is wanted, another one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use super::error::LoginError;
use crate::limits;
use crate::session::policy_store::AssignedPolicy;
use crate::session::pooling::pooled_relay::PooledLogin;
use crate::sqlstate;
use crate::target_servers::{IN_HOT_STANDBY, ServerKind, TargetServers};
use crate::upstream::connect::Upstream;
use crate::upstream::login::{UpstreamLoginError, UpstreamSession, sqlstate_of};
use crate::upstream::servers::directory::DatabaseHome;
use crate::upstream::servers::{self, ServerLease, UpstreamServer, UpstreamServers};

/// The server of one login.
pub struct LoginServer {
    home: DatabaseHome,
    choice: Mutex<ServerAttempts>,
}

struct ServerAttempts {
    /// What the policy of the session says, as soon as that is known.
    policy: TargetServers,
    at: Option<ServerLease>,
    /// Those that were not there, or not what is wanted.
    tried: Vec<Arc<UpstreamServer>>,
}

impl LoginServer {
    /// None is chosen yet.
    pub fn new(home: DatabaseHome) -> Self {
        Self {
            home,
            choice: Mutex::new(ServerAttempts {
                policy: TargetServers::Any,
                at: None,
                tried: Vec::new(),
            }),
        }
    }

    /// The servers that there are.
    pub fn servers(&self) -> &Arc<UpstreamServers> {
        &self.home.servers
    }

    /// The name that the database has there.
    pub fn database(&self) -> &str {
        &self.home.database
    }

    /// Chooses the first, once it is known what there is. May be cancelled.
    ///
    /// # Errors
    /// None is wanted.
    pub async fn choose(&self) -> Result<(), LoginError> {
        self.home.servers.first_look().await;
        self.choose_now()
    }

    fn choose_now(&self) -> Result<(), LoginError> {
        let mut choice = self.choice();
        choice.at = self.home.servers.choose(choice.policy, &choice.tried);
        match &choice.at {
            Some(_) => Ok(()),
            None => Err(LoginError::NoServer(choice.policy)),
        }
    }

    /// The policy of the session is known, and says this: chooses anew.
    ///
    /// # Errors
    /// None is wanted.
    pub fn narrow(&self, policy: TargetServers) -> Result<(), LoginError> {
        if policy == TargetServers::Any {
            return Ok(());
        }
        let mut choice = self.choice();
        choice.policy = policy;
        choice.tried.clear();
        drop(choice);
        self.choose_now()
    }

    /// The policy has turned out to be this one, when the session is at the server that is chosen.
    ///
    /// # Errors
    /// It may not stay there.
    pub fn still_permits(
        &self,
        assigned_policy: &AssignedPolicy,
        (session, pooled): (&UpstreamSession, Option<&PooledLogin>),
    ) -> Result<(), LoginError> {
        let policy = assigned_policy.gate.policy().targets();
        let reported = kind_of(session, pooled);
        let choice = self.choice();
        match &choice.at {
            Some(at) if at.server().is_permitted(policy, reported) => Ok(()),
            Some(_) | None => Err(LoginError::PolicyChanged),
        }
    }

    /// The way to the one that is chosen.
    ///
    /// # Errors
    /// None is.
    pub fn upstream(&self) -> Result<Arc<Upstream>, LoginError> {
        let choice = self.choice();
        let none = LoginError::NoServer(choice.policy);
        let at = choice.at.as_ref().ok_or(none)?;
        Ok(Arc::clone(at.upstream()))
    }

    /// Until when it has to answer: where there are others, they want time as well.
    pub fn deadline(&self, deadline: Instant) -> Instant {
        match self.home.servers.are_several() {
            true => deadline.min(Instant::now() + limits::upstreams::LOGIN_TIME_MAX),
            false => deadline,
        }
    }

    /// Whether another one may be tried where that one fails.
    pub fn has_other(&self) -> bool {
        self.home.servers.are_several() && self.next().is_some()
    }

    /// A login there has failed: whether another server is chosen now, because that one is not
    /// there.
    pub fn moves_after(&self, error: &UpstreamLoginError) -> bool {
        servers::is_away(error) && self.leaves()
    }

    /// The same of a login that was denied for such a reason.
    pub fn moves_after_denial(&self, denial: &LoginError) -> bool {
        match denial {
            LoginError::Upstream(error) => self.moves_after(error),
            LoginError::UpstreamRefused(message) => {
                let code = sqlstate_of(message);
                code == Some(sqlstate::CANNOT_CONNECT_NOW.as_str()) && self.leaves()
            }
            _ => false,
        }
    }

    /// The server is not there: whether another one is chosen.
    fn leaves(&self) -> bool {
        if !self.home.servers.are_several() {
            return false;
        }
        if let Some(at) = &self.choice().at {
            at.server().note_away();
        }
        self.moves()
    }

    /// Whether a session that has just logged in may stay there. Where it may not, another server
    /// is chosen.
    ///
    /// # Errors
    /// It may not, and there is no other.
    pub fn keeps(&self, session: &UpstreamSession) -> Result<bool, LoginError> {
        self.keeps_by(kind_of(session, None), UpstreamServers::may_stay)
    }

    /// The same of a session on a connection that sessions share.
    ///
    /// # Errors
    /// It may not, and there is no other.
    pub fn keeps_shared(&self, reported: Option<ServerKind>) -> Result<bool, LoginError> {
        self.keeps_by(reported, UpstreamServers::may_share)
    }

    fn keeps_by(
        &self,
        reported: Option<ServerKind>,
        may_stay: fn(&UpstreamServers, TargetServers, &ServerLease, Option<ServerKind>) -> bool,
    ) -> Result<bool, LoginError> {
        let choice = self.choice();
        let policy = choice.policy;
        let at = choice.at.as_ref();
        let may_stay = at.is_some_and(|at| may_stay(&self.home.servers, policy, at, reported));
        drop(choice);
        match may_stay || self.moves() {
            true => Ok(may_stay),
            false => Err(LoginError::NoServer(policy)),
        }
    }

    /// Counts the session there from now on.
    ///
    /// # Errors
    /// None is chosen.
    pub fn take(&self) -> Result<ServerLease, LoginError> {
        let mut choice = self.choice();
        let none = LoginError::NoServer(choice.policy);
        choice.at.take().ok_or(none)
    }

    /// Goes on to another one, if there is any.
    fn moves(&self) -> bool {
        let Some(next) = self.next() else {
            return false;
        };
        let mut choice = self.choice();
        if let Some(before) = choice.at.replace(next) {
            let before = Arc::clone(before.server());
            choice.tried.push(before);
        }
        true
    }

    fn next(&self) -> Option<ServerLease> {
        let choice = self.choice();
        let mut tried = choice.tried.clone();
        tried.extend(choice.at.iter().map(|at| Arc::clone(at.server())));
        self.home.servers.choose(choice.policy, &tried)
    }

    fn choice(&self) -> MutexGuard<'_, ServerAttempts> {
        self.choice.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Of which kind its server is, as a session that has just logged in there was told, or was told
/// last on the connection that it shares.
pub fn kind_of(session: &UpstreamSession, pooled: Option<&PooledLogin>) -> Option<ServerKind> {
    match pooled {
        Some(pooled) => pooled.state.kind,
        None => session
            .parameter(IN_HOT_STANDBY)
            .and_then(ServerKind::reported),
    }
}
