//! Where the repair loop asks the server whether a text would run: connections beside the clients'
//! own, of the same account and in the same database, on which nothing is ever executed.
//!
//! A text is sent by Parse alone, which has the server find every name, function and type in it and
//! describe its result, or say why it cannot. It runs nothing, and leaves one unnamed statement
//! behind that the next Parse replaces. Texts come with a permit; beside them only
//! `SET search_path` and the question for a queryid are said.
//!
//! * [`pool`]: the few connections of one account in one database
//! * [`connection`]: one of them
//! * [`run`]: what a repair holds
//! * [`queryids`]: what the server calls the statements of clients, for the audit
//!
//! Nothing is opened before it is needed, and nothing is kept that is not used for a while.

pub mod connection;
pub mod pool;
mod queryids;
pub mod run;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::runtime::Handle;
use tokio::sync::Semaphore;

pub use self::run::CompileRun;

use self::pool::AccountPool;
use self::queryids::QueryIds;
use crate::gate::{ReadPermit, StatementShape};
use crate::limits;
use crate::upstream::account::UpstreamAccount;
use crate::upstream::connect::Upstream;
use crate::upstream::identity::ServerIdentity;
use crate::wire::frontend::ParameterOids;

/// The compile connections of all accounts in all databases of one upstream. Cheap to clone.
#[derive(Clone)]
pub struct CompilePools {
    shared: Arc<PoolsShared>,
}

/// The compile connections of one account in one database: what a session holds. Cheap to clone.
#[derive(Clone)]
pub struct CompilePool {
    pool: Arc<AccountPool>,
}

/// What all pools share.
struct PoolsShared {
    /// Where connections live: sessions ask for them from threads that end.
    runtime: Handle,
    /// How many connections there may be in all.
    places: Arc<Semaphore>,
    /// What servers have told of statements.
    queryids: Arc<QueryIds>,
    pools: Mutex<PoolsByAccount>,
}

/// By database and user; those of one user differ by password and server.
type PoolsByAccount = BTreeMap<(Box<str>, Box<str>), Vec<Weak<AccountPool>>>;

impl CompilePools {
    /// No connections yet. They will be driven by that runtime.
    pub fn new(runtime: Handle) -> Self {
        Self {
            shared: Arc::new(PoolsShared {
                runtime,
                places: Arc::new(Semaphore::new(limits::COMPILE_CONNECTIONS_MAX)),
                queryids: Arc::default(),
                pools: Mutex::default(),
            }),
        }
    }

    /// The connections of an account that has just logged in to that database, at that server and
    /// no other where it has told who it is. Opens nothing.
    pub fn of(
        &self,
        database: &str,
        account: &UpstreamAccount,
        (server, upstream): (Option<&ServerIdentity>, &Arc<Upstream>),
    ) -> CompilePool {
        let mut pools = self.shared.pools();
        let key = (database.into(), account.user.as_str().into());
        let known = pools.get(&key).into_iter().flatten();
        let mut living = known.filter_map(Weak::upgrade);
        if let Some(pool) = living.find(|pool| pool.is_of(account, (server, upstream))) {
            return CompilePool { pool };
        }
        pools.retain(|_, known| {
            known.retain(|pool| pool.strong_count() > 0);
            !known.is_empty()
        });
        let pool = Arc::new(AccountPool::new(
            Arc::clone(upstream),
            (account.clone(), server.copied()),
            database,
            self.shared.runtime.clone(),
            (
                Arc::clone(&self.shared.places),
                Arc::clone(&self.shared.queryids),
            ),
        ));
        pools.entry(key).or_default().push(Arc::downgrade(&pool));
        CompilePool { pool }
    }
}

impl CompilePools {
    /// Sessions that are open go on to have their texts compiled where the password of their
    /// account has become another one.
    pub fn renew(&self, old: &UpstreamAccount, new: &UpstreamAccount) {
        for (key, known) in self.shared.pools().iter() {
            let of_account = known.iter().filter(|_| *key.1 == *old.user);
            for pool in of_account.filter_map(Weak::upgrade) {
                pool.renew(old, new);
            }
        }
    }
}

impl CompilePool {
    /// For one repair of a session that looks unqualified names up in these schemas, named as its
    /// setting names them (`$user` included). Opens nothing until a text is to be compiled.
    pub fn run(&self, path: &[impl AsRef<str>]) -> CompileRun {
        let path = path.iter().map(|name| name.as_ref().into()).collect();
        CompileRun::new(Arc::clone(&self.pool), path)
    }

    /// The server's queryid of statements of this shape, where it has told it.
    pub fn queryid(&self, shape: StatementShape) -> Option<i64> {
        self.pool.asker.queryid(shape)
    }

    /// Has the server asked for the queryid of a text that runs in this search_path, where it is
    /// recorded and not known yet. Nobody waits for the answer, and not every question is asked.
    pub fn ask_queryid(
        &self,
        permit: &ReadPermit<'_>,
        types: ParameterOids<'_>,
        path: &[Box<str>],
    ) {
        queryids::ask(&self.pool, permit, types, path);
    }
}

impl PoolsShared {
    fn pools(&self) -> MutexGuard<'_, PoolsByAccount> {
        self.pools.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for CompilePools {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CompilePools")
    }
}

impl fmt::Debug for CompilePool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CompilePool")
    }
}
