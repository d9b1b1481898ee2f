//! Whose session candidates are judged in, and the way to the database.

use std::fmt;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::time::Instant;

use crate::gate::{Gate, Refusal};
use crate::lint::DatabaseFacts;
use crate::offline::assumptions::{AssumedDatabase, AssumedSession};
use crate::offline::judge::OfflineJudge;
use crate::offline::script_session::ScriptSession;
use crate::upstream::account::{OwnSessionError, UpstreamAccount};
use crate::upstream::compile_pool::{CompilePool, CompilePools};
use crate::upstream::connect::Upstream;
use crate::upstream::read_session::ReadSession;

/// The session that candidates are judged in. Nothing in it changes from one to the next.
pub struct ChoiceSession {
    pub(super) judge: OfflineJudge,
    pub(super) world: AssumedDatabase,
    pub(super) who: AssumedSession,
    pub(super) facts: DatabaseFacts,
    pub(super) runtime: Handle,
    pub(super) compile_pool: CompilePool,
    login: ReadLogin,
}

/// The way to the database.
pub struct ChoiceLogin {
    /// The Postgres.
    pub upstream: Arc<Upstream>,
    /// Who logs in.
    pub account: UpstreamAccount,
    /// The database.
    pub database: String,
    /// What drives the connections.
    pub runtime: Handle,
}

struct ReadLogin {
    upstream: Arc<Upstream>,
    account: UpstreamAccount,
    database: String,
    parameters: Vec<(String, String)>,
}

impl ChoiceSession {
    /// One of somebody in a database that was looked into.
    ///
    /// # Errors
    /// The policy refuses such a session at its login.
    pub fn new(
        judge: OfflineJudge,
        world: AssumedDatabase,
        who: AssumedSession,
        facts: DatabaseFacts,
        login: ChoiceLogin,
    ) -> Result<Self, Box<Refusal>> {
        let ChoiceLogin {
            upstream,
            account,
            database,
            runtime,
        } = login;
        let asked = [("user", account.user.as_str()), ("database", &database)];
        let parameters = judge.gate().judge_startup(&asked)?.parameters;
        let pools = CompilePools::new(runtime.clone());
        Ok(Self {
            compile_pool: pools.of(&database, &account, (None, &upstream)),
            judge,
            world,
            who,
            facts,
            runtime,
            login: ReadLogin {
                upstream,
                account,
                database,
                parameters,
            },
        })
    }

    /// The gate that judges.
    pub fn gate(&self) -> &Gate {
        self.judge.gate()
    }

    /// Its beginning.
    pub(super) fn script(&self) -> ScriptSession {
        self.judge.session(&self.world, &self.who)
    }

    /// A read-only session of the database, as a client would have it.
    ///
    /// May be cancelled: the connection is dropped.
    ///
    /// # Errors
    /// Nobody is let in, or not in time.
    pub(super) async fn open(&self, deadline: Instant) -> Result<ReadSession, OwnSessionError> {
        let ReadLogin {
            upstream,
            account,
            database,
            parameters,
        } = &self.login;
        ReadSession::open(upstream, account, database, parameters, deadline).await
    }
}

impl fmt::Debug for ChoiceSession {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ChoiceSession")
    }
}
