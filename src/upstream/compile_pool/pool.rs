//! The few compile connections of one account in one database.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout_at};

use super::connection::CompileConnection;
use super::queryids::{Asker, QueryIds};
use crate::limits;
use crate::upstream::account::UpstreamAccount;
use crate::upstream::connect::Upstream;
use crate::upstream::identity::ServerIdentity;

/// At most [`limits::COMPILE_CONNECTIONS_OF_ACCOUNT_MAX`] connections.
pub(super) struct AccountPool {
    upstream: Arc<Upstream>,
    /// Who logs in; its password may become another one.
    account: Mutex<UpstreamAccount>,
    /// Where its connections must be; none where the server does not tell who it is.
    server: Option<ServerIdentity>,
    database: Box<str>,
    pub(super) runtime: Handle,
    /// Who may hold a connection now.
    turns: Arc<Semaphore>,
    /// How many connections all pools may have.
    places: Arc<Semaphore>,
    rested: Mutex<IdleConnections>,
    /// What asks for queryids on them.
    pub(super) asker: Asker,
}

/// Connections that nobody holds.
#[derive(Default)]
struct IdleConnections {
    /// The one that was used last is last.
    idle: Vec<(CompileConnection, Instant)>,
    reaper: IdleReaper,
    /// Until then nothing is opened: the last login was in vain.
    closed_until: Option<Instant>,
}

/// Whether somebody is there who drops what is not used.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum IdleReaper {
    #[default]
    Gone,
    Waiting,
}

/// A connection that one repair holds.
pub(super) struct HeldConnection {
    pub(super) connection: CompileConnection,
    _turn: OwnedSemaphorePermit,
}

impl AccountPool {
    pub(super) fn new(
        upstream: Arc<Upstream>,
        (account, server): (UpstreamAccount, Option<ServerIdentity>),
        database: &str,
        runtime: Handle,
        (places, queryids): (Arc<Semaphore>, Arc<QueryIds>),
    ) -> Self {
        Self {
            asker: Asker::new(queryids, database, &account.user),
            upstream,
            account: Mutex::new(account),
            server,
            database: database.into(),
            runtime,
            turns: Arc::new(Semaphore::new(limits::COMPILE_CONNECTIONS_OF_ACCOUNT_MAX)),
            places,
            rested: Mutex::default(),
        }
    }

    pub(super) fn is_of(
        &self,
        account: &UpstreamAccount,
        (server, upstream): (Option<&ServerIdentity>, &Arc<Upstream>),
    ) -> bool {
        let is_there = match (&self.server, server) {
            (Some(own), Some(server)) => own.is_same(server),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        is_there && Arc::ptr_eq(&self.upstream, upstream) && *self.account() == *account
    }

    /// Logs in with the new password of the account from now on, where it has the old one.
    pub(super) fn renew(&self, old: &UpstreamAccount, new: &UpstreamAccount) {
        let mut account = self.account();
        if *account == *old {
            *account = new.clone();
            drop(account);
            self.rested().closed_until = None;
        }
    }

    fn account(&self) -> MutexGuard<'_, UpstreamAccount> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection, one that rests if there is one; none where all are busy for too long, or the
    /// server lets nobody in.
    ///
    /// May be cancelled: a half-made connection is dropped.
    pub(super) async fn take(&self, deadline: Instant) -> Option<HeldConnection> {
        let patience = deadline.min(Instant::now() + limits::COMPILE_WAIT_MAX);
        let turn = within(patience, Arc::clone(&self.turns)).await?;
        let found = {
            let mut rested = self.rested();
            let found = rested.idle.pop();
            let is_closed = rested
                .closed_until
                .is_some_and(|until| until > Instant::now());
            if found.is_none() && is_closed {
                return None;
            }
            found
        };
        let connection = match found {
            Some((connection, _since)) => connection,
            None => self.open(patience, deadline).await?,
        };
        Some(HeldConnection {
            connection,
            _turn: turn,
        })
    }

    /// Takes a connection back that is ready for the next text.
    pub(super) fn give_back(self: &Arc<Self>, held: HeldConnection) {
        let mut rested = self.rested();
        rested.idle.push((held.connection, Instant::now()));
        if rested.reaper == IdleReaper::Gone {
            rested.reaper = IdleReaper::Waiting;
            self.runtime.spawn(reap(Arc::clone(self)));
        }
    }

    async fn open(&self, patience: Instant, deadline: Instant) -> Option<CompileConnection> {
        let place = within(patience, Arc::clone(&self.places)).await?;
        let account = self.account().clone();
        let opening = CompileConnection::open(
            &self.upstream,
            &account,
            (&self.database, self.server.as_ref()),
            place,
            deadline,
        );
        let opened = opening.await.ok();
        self.rested().closed_until = match opened {
            Some(_) => None,
            None => Some(Instant::now() + limits::COMPILE_RETRY_PAUSE),
        };
        opened
    }

    /// Takes out what was not used for long; says whether anything is left.
    fn expired(&self) -> (Vec<CompileConnection>, IdleReaper) {
        let mut rested = self.rested();
        let is_old = |(_, since): &mut (CompileConnection, Instant)| {
            since.elapsed() >= limits::COMPILE_IDLE_TIME_MAX
        };
        let old = rested.idle.extract_if(.., is_old);
        let old = old.map(|(connection, _since)| connection).collect();
        if rested.idle.is_empty() {
            rested.reaper = IdleReaper::Gone;
        }
        (old, rested.reaper)
    }

    fn rested(&self) -> MutexGuard<'_, IdleConnections> {
        self.rested.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for AccountPool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AccountPool")
    }
}

async fn within(deadline: Instant, semaphore: Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
    // Nobody closes it: the error is that of the time.
    timeout_at(deadline, semaphore.acquire_owned())
        .await
        .ok()?
        .ok()
}

/// Drops connections that nobody uses, until there are none. The pool stays while there are, so
/// that the next session of the account finds them.
async fn reap(pool: Arc<AccountPool>) {
    loop {
        sleep(limits::COMPILE_IDLE_TIME_MAX / 2).await;
        let (old, reaper) = pool.expired();
        for connection in old {
            connection.close().await;
        }
        if reaper == IdleReaper::Gone {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::UnixStream;

    use super::*;
    use crate::net::framed_stream::FramedStream;
    use crate::net::stream::PeerStream;
    use crate::upstream::address::UpstreamSettings;
    use crate::upstream::writer::UpstreamStream;

    #[tokio::test]
    async fn what_nobody_uses_is_dropped_and_gives_its_place_back() {
        let settings = UpstreamSettings::parse("postgres://127.0.0.1:1/").unwrap();
        let account = UpstreamAccount {
            user: "ann".into(),
            secret: None,
        };
        let places = Arc::new(Semaphore::new(2));
        let pool = AccountPool::new(
            Arc::new(Upstream::load(settings).unwrap()),
            (account, None),
            "shop",
            Handle::current(),
            (Arc::clone(&places), Arc::default()),
        );
        let now = Instant::now();
        let mut far = Vec::new();
        for since in [now - limits::COMPILE_IDLE_TIME_MAX, now] {
            let (near, other) = UnixStream::pair().unwrap();
            let place = Arc::clone(&places).try_acquire_owned().unwrap();
            let stream = UpstreamStream::new(PeerStream::Unix(near));
            let connection = CompileConnection::of(FramedStream::new(stream), place);
            pool.rested().idle.push((connection, since));
            far.push(other);
        }
        pool.rested().reaper = IdleReaper::Waiting;
        let (old, reaper) = pool.expired();
        assert_eq!((old.len(), reaper), (1, IdleReaper::Waiting));
        drop(old);
        assert_eq!(places.available_permits(), 1);
        // The other one is taken, and nothing is left to watch.
        let held = pool.take(now + limits::COMPILE_TIME_MAX).await;
        assert!(held.is_some());
        assert_eq!(pool.expired().1, IdleReaper::Gone);
    }
}
