//! Where the funnel asks the server whether a text would run: connections beside the clients' own,
//! of the same account and in the same database, on which nothing is ever executed.
//!
//! A text is sent by Parse alone, which has the server find every name, function and type in it and
//! describe its result, or say why it cannot. It runs nothing, and leaves one unnamed statement
//! behind that the next Parse replaces. Texts come with a permit; beside them only
//! `SET search_path` and the question for a queryid are said.
//!
//! * [`pool`]: the few connections of one account in one database
//! * [`connection`]: one of them
//! * [`run`]: what a rescue holds
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

pub use self::run::SideRun;

use self::pool::Pool;
use self::queryids::QueryIds;
use crate::gate::{ReadPermit, StatementShape};
use crate::limits;
use crate::upstream::account::Account;
use crate::upstream::connect::Upstream;
use crate::upstream::identity::ServerIdentity;
use crate::wire::frontend::Oids;

/// The side connections of all accounts in all databases of one upstream. Cheap to clone.
#[derive(Clone)]
pub struct Sides {
    shared: Arc<Shared>,
}

/// The side connections of one account in one database: what a session holds. Cheap to clone.
#[derive(Clone)]
pub struct Side {
    pool: Arc<Pool>,
}

/// What all pools share.
struct Shared {
    upstream: Arc<Upstream>,
    /// Where connections live: sessions ask for them from threads that end.
    runtime: Handle,
    /// How many connections there may be in all.
    places: Arc<Semaphore>,
    /// What servers have told of statements.
    queryids: Arc<QueryIds>,
    pools: Mutex<Pools>,
}

/// By database and user; those of one user differ by password and server.
type Pools = BTreeMap<(Box<str>, Box<str>), Vec<Weak<Pool>>>;

impl Sides {
    /// No connections yet. They will be driven by that runtime.
    pub fn new(upstream: Arc<Upstream>, runtime: Handle) -> Self {
        Self {
            shared: Arc::new(Shared {
                upstream,
                runtime,
                places: Arc::new(Semaphore::new(limits::SIDE_CONNECTIONS_MAX)),
                queryids: Arc::default(),
                pools: Mutex::default(),
            }),
        }
    }

    /// The connections of an account that has just logged in to that database, at that server and
    /// no other where it has told who it is. Opens nothing.
    pub fn of(&self, database: &str, account: &Account, server: Option<&ServerIdentity>) -> Side {
        let mut pools = self.shared.pools();
        let key = (database.into(), account.user.as_str().into());
        let known = pools.get(&key).into_iter().flatten();
        let mut living = known.filter_map(Weak::upgrade);
        if let Some(pool) = living.find(|pool| pool.is_of(account, server)) {
            return Side { pool };
        }
        pools.retain(|_, known| {
            known.retain(|pool| pool.strong_count() > 0);
            !known.is_empty()
        });
        let pool = Arc::new(Pool::new(
            Arc::clone(&self.shared.upstream),
            (account.clone(), server.copied()),
            database,
            self.shared.runtime.clone(),
            (
                Arc::clone(&self.shared.places),
                Arc::clone(&self.shared.queryids),
            ),
        ));
        pools.entry(key).or_default().push(Arc::downgrade(&pool));
        Side { pool }
    }
}

impl Sides {
    /// Sessions that are open go on to have their texts compiled where the password of their
    /// account has become another one.
    pub fn renew(&self, old: &Account, new: &Account) {
        for (key, known) in self.shared.pools().iter() {
            let of_account = known.iter().filter(|_| *key.1 == *old.user);
            for pool in of_account.filter_map(Weak::upgrade) {
                pool.renew(old, new);
            }
        }
    }
}

impl Side {
    /// For one rescue of a session that looks unqualified names up in these schemas, named as its
    /// setting names them (`$user` included). Opens nothing until a text is to be compiled.
    pub fn run(&self, path: &[impl AsRef<str>]) -> SideRun {
        let path = path.iter().map(|name| name.as_ref().into()).collect();
        SideRun::new(Arc::clone(&self.pool), path)
    }

    /// The server's queryid of statements of this shape, where it has told it.
    pub fn queryid(&self, shape: StatementShape) -> Option<i64> {
        self.pool.asker.queryid(shape)
    }

    /// Has the server asked for the queryid of a text that runs in this search_path, where it is
    /// recorded and not known yet. Nobody waits for the answer, and not every question is asked.
    pub fn ask_queryid(&self, permit: &ReadPermit<'_>, types: Oids<'_>, path: &[Box<str>]) {
        queryids::ask(&self.pool, permit, types, path);
    }
}

impl Shared {
    fn pools(&self) -> MutexGuard<'_, Pools> {
        self.pools.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Sides {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Sides")
    }
}

impl fmt::Debug for Side {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Side")
    }
}
