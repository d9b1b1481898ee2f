//! The move of a session that shares its connections: what it needs at another server, or at the
//! same one after a restart, gathered before its next statement.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::replay::ServerNeed;
use super::{ServerLease, UpstreamServer, UpstreamServers, is_away};
use crate::limits;
use crate::upstream::catalog_cache::{CatalogCache, CatalogCaches};
use crate::upstream::compile_pool::{CompilePool, CompilePools};
use crate::upstream::pool::connection::{ConnectionBase, PooledConnection, SettleError};
use crate::upstream::pool::set_values::SetValues;
use crate::upstream::pool::source::{ConnectionSource, OpenError};
use crate::upstream::pool::{
    ConnectionPool, ConnectionPools, ConnectionWish, PoolError, PoolLease,
};

/// What a session has of all servers. Cheap to clone.
#[derive(Clone)]
pub struct SessionHomes {
    /// The name that the client has for its database.
    pub named: Box<str>,
    /// The servers.
    pub servers: Arc<UpstreamServers>,
    /// The connections that sessions share.
    pub pools: ConnectionPools,
    /// What the databases contain.
    pub catalogs: CatalogCaches,
    /// Where changed texts are compiled.
    pub compile_pools: CompilePools,
}

/// What a session has at its server.
pub struct SessionHome {
    /// Counts it there.
    pub server: ServerLease,
    /// Where its connections come from.
    pub pool: Arc<ConnectionPool>,
    /// How they are opened.
    pub source: Arc<ConnectionSource>,
    /// The first of them.
    pub connection: PooledConnection,
    /// The right to have it.
    pub lease: PoolLease,
    /// What is known of its database.
    pub catalog_cache: Option<Arc<CatalogCache>>,
    /// Where its texts are compiled.
    pub compile_pool: CompilePool,
}

/// Who moves.
pub struct MoveWish {
    /// How its connections were opened so far.
    pub source: Arc<ConnectionSource>,
    /// What they began with.
    pub base: Arc<ConnectionBase>,
    /// What is to be set in the next one.
    pub values: SetValues,
    /// The user whose turn it is.
    pub user: Arc<str>,
    /// The number of the session.
    pub session: u64,
    /// What it needs of its server.
    pub need: ServerNeed,
    /// How long it waits before.
    pub pause: Duration,
    /// Servers that are not to be tried.
    pub tried: Vec<Arc<UpstreamServer>>,
}

impl SessionHomes {
    /// Finds a server that is there, and all that the session needs of it.
    ///
    /// May be cancelled: a connection that is being opened or settled is closed.
    ///
    /// # Errors
    /// None is there, or what is there is not alike.
    pub async fn find(self, wish: MoveWish) -> Result<SessionHome, PoolError> {
        if !wish.pause.is_zero() {
            sleep(wish.pause).await;
        }
        let mut tried = wish.tried;
        let (need, targets) = (wish.need, wish.need.targets);
        let mut last = match targets.only() {
            Some(_) => PoolError::NoServer,
            None => PoolError::OtherBase,
        };
        // Each round tries one server more.
        while let Some(server) = self.servers.choose(need, &tried) {
            let source = Arc::new(wish.source.at(Arc::clone(server.upstream())));
            let account = source.account();
            let pool = self.pools.of(server.upstream(), &self.named, account);
            let pool = pool.ok_or(PoolError::Closed)?;
            let taking = Arc::clone(&pool).take(ConnectionWish {
                source: Arc::clone(&source),
                base: None,
                values: wish.values.clone(),
                user: wish.user.clone(),
                session: wish.session,
                until: None,
            });
            let (connection, lease) = match taking.await {
                Ok(taken) => taken,
                Err(error) if error.is_of_server() && self.servers.are_several() => {
                    server.server().note_away();
                    tried.push(Arc::clone(server.server()));
                    last = error;
                    continue;
                }
                Err(error) => return Err(error),
            };
            if !self
                .servers
                .may_share(targets, &server, connection.state.kind)
            {
                lease.give_back(connection);
                tried.push(Arc::clone(server.server()));
                continue;
            }
            if !connection.state.base.differs_in_place_alone(&wish.base) {
                lease.give_back(connection);
                return Err(PoolError::OtherBase);
            }
            return Ok(self
                .settled(server, (pool, source), (connection, lease))
                .await);
        }
        Err(last)
    }

    async fn settled(
        &self,
        server: ServerLease,
        (pool, source): (Arc<ConnectionPool>, Arc<ConnectionSource>),
        (connection, lease): (PooledConnection, PoolLease),
    ) -> SessionHome {
        let identity = connection.state.base.server;
        let (database, account) = (source.database(), source.account());
        let place = (identity.as_ref(), server.upstream());
        let catalog_cache = self.catalogs.of(database, place, account.clone());
        if let Some(catalog_cache) = &catalog_cache {
            let deadline = Instant::now() + limits::CATALOG_FIRST_LOAD_WAIT_MAX;
            catalog_cache.first_load(deadline).await;
        }
        let compile_pool = self.compile_pools.of(database, account, place);
        SessionHome {
            server,
            pool,
            source,
            connection,
            lease,
            catalog_cache,
            compile_pool,
        }
    }
}

impl PoolError {
    /// Whether it says that the server is not there, or not the one that it was: elsewhere, or at
    /// its next run, it may be otherwise.
    pub fn is_of_server(&self) -> bool {
        match self {
            Self::OtherBase | Self::Settle(SettleError::Link(_)) => true,
            Self::Open(OpenError::Login(error)) => is_away(error),
            Self::Open(OpenError::NotReadOnly(_))
            | Self::AllBusy { .. }
            | Self::Paused { .. }
            | Self::NoServer
            | Self::Settle(SettleError::Unsettled | SettleError::Tripped(_))
            | Self::Closed => false,
        }
    }
}

impl fmt::Debug for SessionHomes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SessionHomes")
    }
}
