//! Verifiers of users, asked of the upstream through a function that its DBA provides.
//!
//! One statement is asked, always the same, with the user as its parameter, over a session of
//! pgsieve's own. What is learnt is kept for as long as the settings say, with a bound on users;
//! those who ask for one user at the same time ask once. Verifiers are never printed.
//!
//! * `question`: the statement, and what its answer may be; `connection`: the session that it is
//!   asked over; `known_users`: what is kept

mod connection;
mod known_users;
mod question;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout, timeout_at};

use self::connection::LookupConnections;
use self::known_users::{KnownUsers, UserEntry, UserKey};
pub use self::question::{LookupAnswer, LookupFailure, UnusableVerifier, lookup};
use super::account::UpstreamAccount;
use super::connect::Upstream;
use super::servers::UpstreamServers;
use crate::auth::settings::QuerySettings;
use crate::limits::verifiers;
use crate::target_servers::TargetServers;

/// Who asks for verifiers, and what is known of them. Cheap to clone.
#[derive(Clone)]
pub struct VerifierLookups {
    shared: Arc<SharedLookups>,
}

struct SharedLookups {
    runtime: Handle,
    known: Mutex<KnownUsers>,
    connections: Mutex<LookupConnections>,
    turns: Semaphore,
}

/// What is known of a user.
#[derive(Debug, Clone)]
pub struct FoundUser {
    /// What the server has said.
    pub answer: Arc<LookupAnswer>,
    /// When it was asked.
    pub asked: Instant,
    /// Whether it was asked for this login.
    pub is_news: bool,
}

impl VerifierLookups {
    /// Nothing is known yet. Sessions for questions live on that runtime.
    pub fn new(runtime: Handle) -> Self {
        Self {
            shared: Arc::new(SharedLookups {
                runtime,
                known: Mutex::default(),
                connections: Mutex::default(),
                turns: Semaphore::new(verifiers::QUESTIONS_MAX),
            }),
        }
    }

    /// What the servers of a database say of a user, or have said a short while ago.
    ///
    /// May be cancelled: others who ask for the same user go on.
    ///
    /// # Errors
    /// No server can be asked in time, or the function does not answer as it must.
    pub async fn of_user(
        &self,
        servers: &Arc<UpstreamServers>,
        settings: &QuerySettings,
        user: &str,
        deadline: Instant,
    ) -> Result<FoundUser, LookupFailure> {
        let entry = self.known().entry(UserKey::new(servers, user));
        let asking = self.ask_once(&entry, (servers, settings), user);
        timeout_at(deadline, asking)
            .await
            .unwrap_or(Err(LookupFailure::TimedOut))
    }

    /// A proof did not fit what was known of a user: unless that is new, the next login asks anew.
    pub fn doubt(&self, servers: &Arc<UpstreamServers>, user: &str, found: &FoundUser) {
        if found.asked.elapsed() >= verifiers::DOUBT_AGE {
            self.forget(servers, user);
        }
    }

    /// What was known of a user does not hold: it is asked anew next time.
    pub fn forget(&self, servers: &Arc<UpstreamServers>, user: &str) {
        self.known().forget(&UserKey::new(servers, user));
    }

    /// Nothing is known any more, and connections are closed: the settings are other ones.
    pub fn clear(&self) {
        *self.known() = KnownUsers::default();
        *self.connections() = LookupConnections::default();
    }

    /// Who comes second finds what the first has been told.
    async fn ask_once(
        &self,
        entry: &UserEntry,
        at: (&Arc<UpstreamServers>, &QuerySettings),
        user: &str,
    ) -> Result<FoundUser, LookupFailure> {
        let mut state = entry.state().await;
        if let Some(known) = state.known(at.1.cache_age) {
            return known;
        }
        let asked = Instant::now();
        let told = self.ask(at, user).await.map(Arc::new);
        state.told(asked, told.clone());
        told.map(|answer| FoundUser {
            answer,
            asked,
            is_news: true,
        })
    }

    /// Asks one server after the other, until one is there.
    async fn ask(
        &self,
        (servers, settings): (&Arc<UpstreamServers>, &QuerySettings),
        user: &str,
    ) -> Result<LookupAnswer, LookupFailure> {
        servers.first_look().await;
        let mut tried = Vec::new();
        let mut failure = LookupFailure::NoServer;
        for _ in servers.all() {
            let Some(chosen) = servers.choose(TargetServers::Any, &tried) else {
                break;
            };
            let asking = self.ask_at(chosen.upstream(), settings, user);
            let told = timeout(verifiers::QUESTION_TIME_MAX, asking).await;
            match told.unwrap_or(Err(LookupFailure::TimedOut)) {
                Err(away) if away.is_away() => {
                    failure = away;
                    tried.push(Arc::clone(chosen.server()));
                }
                outcome => return outcome,
            }
        }
        Err(failure)
    }

    async fn ask_at(
        &self,
        upstream: &Arc<Upstream>,
        settings: &QuerySettings,
        user: &str,
    ) -> Result<LookupAnswer, LookupFailure> {
        let _turn = self.shared.turns.acquire().await;
        let account = UpstreamAccount {
            user: settings.account.user.clone(),
            secret: settings.account.secret.clone(),
        };
        let database = database_of(settings, upstream);
        let connection = self.connections().to(upstream, &database);
        connection
            .ask(&self.shared.runtime, &account, (&settings.function, user))
            .await
    }

    fn known(&self) -> MutexGuard<'_, KnownUsers> {
        let known = self.shared.known.lock();
        known.unwrap_or_else(PoisonError::into_inner)
    }

    fn connections(&self) -> MutexGuard<'_, LookupConnections> {
        let connections = self.shared.connections.lock();
        connections.unwrap_or_else(PoisonError::into_inner)
    }
}

/// The database that has the function: roles are those of the whole server, so one is enough, and
/// what clients ask for does not choose it.
pub fn database_of(settings: &QuerySettings, upstream: &Upstream) -> String {
    let named = settings.database.clone();
    let named = named.or_else(|| upstream.settings().database.clone());
    named.unwrap_or_else(|| MAINTENANCE_DATABASE.to_owned())
}

/// The database that is made with every cluster.
const MAINTENANCE_DATABASE: &str = "postgres";

impl fmt::Debug for VerifierLookups {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("VerifierLookups")
    }
}
