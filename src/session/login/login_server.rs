//! The server that a login goes to: where that is not there, or is not what is wanted, another one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use super::error::LoginError;
use crate::limits;
use crate::sqlstate;
use crate::upstream::connect::Upstream;
use crate::upstream::login::{UpstreamLoginError, UpstreamSession, sqlstate_of};
use crate::upstream::servers::directory::DatabaseHome;
use crate::upstream::servers::{self, ServerLease, UpstreamServer, UpstreamServers};

/// The server of one login.
pub struct LoginServer {
    home: DatabaseHome,
    choice: Mutex<ServerAttempts>,
}

#[derive(Default)]
struct ServerAttempts {
    at: Option<ServerLease>,
    /// Those that were not there, or not what is wanted.
    tried: Vec<Arc<UpstreamServer>>,
}

impl LoginServer {
    /// None is chosen yet.
    pub fn new(home: DatabaseHome) -> Self {
        Self {
            home,
            choice: Mutex::default(),
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
        let mut choice = self.choice();
        choice.at = self.home.servers.choose(&choice.tried);
        match &choice.at {
            Some(_) => Ok(()),
            None => Err(LoginError::NoServer),
        }
    }

    /// The way to the one that is chosen.
    ///
    /// # Errors
    /// None is.
    pub fn upstream(&self) -> Result<Arc<Upstream>, LoginError> {
        let choice = self.choice();
        let at = choice.at.as_ref().ok_or(LoginError::NoServer)?;
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
        self.keeps_by(session, UpstreamServers::may_stay)
    }

    /// The same of a session on a connection that sessions share.
    ///
    /// # Errors
    /// It may not, and there is no other.
    pub fn keeps_shared(&self, session: &UpstreamSession) -> Result<bool, LoginError> {
        self.keeps_by(session, UpstreamServers::may_share)
    }

    fn keeps_by(
        &self,
        session: &UpstreamSession,
        may_stay: fn(&UpstreamServers, &ServerLease, Option<&str>) -> bool,
    ) -> Result<bool, LoginError> {
        let in_hot_standby = session.parameter("in_hot_standby");
        let may_stay = match &self.choice().at {
            Some(at) => may_stay(&self.home.servers, at, in_hot_standby),
            None => false,
        };
        match may_stay || self.moves() {
            true => Ok(may_stay),
            false => Err(LoginError::NoServer),
        }
    }

    /// Counts the session there from now on.
    ///
    /// # Errors
    /// None is chosen.
    pub fn take(&self) -> Result<ServerLease, LoginError> {
        self.choice().at.take().ok_or(LoginError::NoServer)
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
        self.home.servers.choose(&tried)
    }

    fn choice(&self) -> MutexGuard<'_, ServerAttempts> {
        self.choice.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
