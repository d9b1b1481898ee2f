//! Cancel requests: each client gets a key of pgsieve's own, and a cancel that brings the key is
//! sent on to the upstream session behind it, over TLS where that is configured.
//!
//! Nobody learns anything from asking: right or wrong, the connection is closed without a word.
//!
//! <https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS>

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::BytesMut;
use tokio::io::AsyncReadExt;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::cancel_turns::Turns;
use super::connect::Upstream;
use super::login::UpstreamKey;
use crate::limits;
use crate::telemetry::labels;
use crate::wire::encode;
use crate::wire::startup::ProtocolVersion;

/// All sessions that can be cancelled. Cloning gives another handle to the same ones.
#[derive(Clone)]
pub struct CancelRegistry {
    inner: Arc<Inner>,
}

/// What a client must say to cancel its own statement.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientKey {
    /// The process id that it is told.
    pub pid: i32,
    /// The secret that it is told.
    pub secret: Vec<u8>,
}

/// Keeps a session cancellable for as long as it lives.
#[derive(Debug)]
pub struct CancelGuard {
    registry: CancelRegistry,
    pid: i32,
    wish: Arc<Notify>,
}

/// Cancels what runs in one session, for that session itself.
#[derive(Debug, Clone)]
pub struct Canceller {
    registry: CancelRegistry,
    pid: i32,
}

/// A cancel under way.
pub type Cancelling = Pin<Box<dyn Future<Output = CancelOutcome> + Send>>;

/// What became of a cancel request. The client is not told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelOutcome {
    /// The upstream has it.
    Forwarded,
    /// No session has this key.
    UnknownKey,
    /// Too many wait for their turn, or it did not come in time.
    Busy,
    /// The upstream was not reached: it has no request.
    Failed,
    /// It was sent, and nobody knows whether it has arrived.
    Unanswered,
}

/// Why no key was made: the system gave no randomness, or no process id was free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoKey;

struct Inner {
    sessions: Mutex<HashMap<i32, Entry>>,
    turns: Arc<Turns>,
}

struct Entry {
    secret: Vec<u8>,
    /// Whose session it is: those of one client take turns with those of others.
    client: Arc<str>,
    upstream: Arc<Upstream>,
    key: UpstreamKey,
    /// Told of each cancel: the session may be doing something without the upstream.
    wish: Arc<Notify>,
}

impl CancelRegistry {
    /// A registry without sessions.
    pub fn new() -> Self {
        let sessions = Mutex::new(HashMap::new());
        Self {
            inner: Arc::new(Inner {
                sessions,
                turns: Arc::default(),
            }),
        }
    }

    /// Makes a key for a session of this client, as long as its protocol version has it.
    pub fn issue(
        &self,
        version: ProtocolVersion,
        client: Arc<str>,
        upstream: Arc<Upstream>,
        key: UpstreamKey,
    ) -> Result<(ClientKey, CancelGuard), NoKey> {
        let long = version >= ProtocolVersion::V3_2;
        let mut secret = vec![
            0;
            if long {
                SECRET_BYTES_LONG
            } else {
                SECRET_BYTES_SHORT
            }
        ];
        getrandom::fill(&mut secret).map_err(|_| NoKey)?;
        let mut sessions = self.sessions();
        let pid = free_pid(&sessions)?;
        let wish = Arc::new(Notify::new());
        sessions.insert(
            pid,
            Entry {
                secret: secret.clone(),
                client,
                upstream,
                key,
                wish: Arc::clone(&wish),
            },
        );
        Ok((
            ClientKey { pid, secret },
            CancelGuard {
                registry: self.clone(),
                pid,
                wish,
            },
        ))
    }

    /// Sends a cancel on when it is its client's turn. Returns when the upstream has taken note (it
    /// closes the connection then), so that closing the client's connection tells the client the
    /// same.
    ///
    /// May be cancelled.
    pub async fn forward(&self, pid: i32, secret: &[u8]) -> CancelOutcome {
        let Some((client, upstream, key)) = self.find(pid, secret) else {
            return CancelOutcome::UnknownKey;
        };
        let Ok(_turn) = self.inner.turns.take(&client).await else {
            return CancelOutcome::Busy;
        };
        // It may have ended meanwhile, and the upstream have given its process id away.
        if !self.sessions().contains_key(&pid) {
            return CancelOutcome::UnknownKey;
        }
        let deadline = Instant::now() + limits::CANCEL_TIME_MAX;
        let Ok(mut link) = upstream.connect(deadline).await else {
            return CancelOutcome::Failed;
        };
        let mut out = BytesMut::new();
        if encode::cancel_request(&mut out, key.pid, &key.secret).is_err() {
            return CancelOutcome::Failed;
        }
        if link.send(&out, deadline).await.is_err() {
            return CancelOutcome::Unanswered;
        }
        let mut nothing = [0_u8; 1];
        match timeout_at(deadline, link.stream.read(&mut nothing)).await {
            Ok(_closed) => CancelOutcome::Forwarded,
            Err(_elapsed) => CancelOutcome::Unanswered,
        }
    }

    /// Sends a cancel of pgsieve's own.
    async fn fire(&self, pid: i32) -> CancelOutcome {
        let secret = self.sessions().get(&pid).map(|entry| entry.secret.clone());
        match secret {
            Some(secret) => self.forward(pid, &secret).await,
            None => CancelOutcome::UnknownKey,
        }
    }

    async fn fire_again(&self, pid: i32) -> CancelOutcome {
        let mut pause = limits::CUT_CANCEL_PAUSE;
        let mut outcome = CancelOutcome::UnknownKey;
        for _ in 0..limits::CUT_CANCEL_TRIES_MAX {
            outcome = self.fire(pid).await;
            match outcome {
                CancelOutcome::Busy | CancelOutcome::Failed => sleep(pause).await,
                CancelOutcome::Forwarded
                | CancelOutcome::UnknownKey
                | CancelOutcome::Unanswered => break,
            }
            pause *= 2;
        }
        outcome
    }

    /// How many sessions can be cancelled now.
    pub fn len(&self) -> usize {
        self.sessions().len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn find(&self, pid: i32, secret: &[u8]) -> Option<(Arc<str>, Arc<Upstream>, UpstreamKey)> {
        let sessions = self.sessions();
        let entry = sessions.get(&pid)?;
        // Digests are compared, in constant time: how long it takes says nothing of the secret.
        if blake3::hash(&entry.secret) != blake3::hash(secret) {
            return None;
        }
        entry.wish.notify_waiters();
        let client = Arc::clone(&entry.client);
        Some((client, entry.upstream.clone(), entry.key.clone()))
    }

    /// The map is whole after every step, so a panic elsewhere does not spoil it.
    fn sessions(&self) -> MutexGuard<'_, HashMap<i32, Entry>> {
        self.inner
            .sessions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Canceller {
    /// One that finds nothing to cancel.
    #[cfg(test)]
    pub fn of_nobody() -> Self {
        Self {
            registry: CancelRegistry::new(),
            pid: 1,
        }
    }

    /// Cancels what runs. Where there is no turn for it or no way to the upstream it is tried again
    /// some times, after a pause each. When this is over, no cancel is under way, unless it says
    /// otherwise.
    pub fn insist(&self) -> Cancelling {
        let Self { registry, pid } = self.clone();
        Box::pin(async move {
            let trying = registry.fire_again(pid);
            match timeout(limits::OWN_CANCEL_TIME_MAX, trying).await {
                Ok(outcome) => outcome,
                Err(_elapsed) => CancelOutcome::Unanswered,
            }
        })
    }
}

impl CancelGuard {
    /// What cancels for the session itself.
    pub fn canceller(&self) -> Canceller {
        Canceller {
            registry: self.registry.clone(),
            pid: self.pid,
        }
    }

    /// Tells whoever waits on it of each cancel from then on.
    pub fn wish(&self) -> Arc<Notify> {
        Arc::clone(&self.wish)
    }

    /// Cancels what runs in the session that this guard stands for, as [`Canceller::insist`] does.
    /// Bounded in time. May be cancelled.
    pub async fn insist(&self) -> CancelOutcome {
        self.canceller().insist().await
    }
}

impl From<CancelOutcome> for labels::CancelOutcome {
    fn from(outcome: CancelOutcome) -> Self {
        match outcome {
            CancelOutcome::Forwarded => Self::Forwarded,
            CancelOutcome::UnknownKey => Self::UnknownKey,
            CancelOutcome::Busy => Self::Busy,
            CancelOutcome::Failed | CancelOutcome::Unanswered => Self::Failed,
        }
    }
}

impl Default for CancelRegistry {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for CancelGuard {
    fn drop(&mut self) {
        self.registry.sessions().remove(&self.pid);
    }
}

impl fmt::Debug for CancelRegistry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "CancelRegistry({} sessions)", self.len())
    }
}

impl fmt::Debug for ClientKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ClientKey({}, …)", self.pid)
    }
}

/// A process id that no session has. It is random, so that copies of pgsieve seldom share one;
/// what keeps strangers out is the secret.
fn free_pid(sessions: &HashMap<i32, Entry>) -> Result<i32, NoKey> {
    for _ in 0..limits::CLIENT_PID_TRIES_MAX {
        let mut bytes = [0_u8; 4];
        getrandom::fill(&mut bytes).map_err(|_| NoKey)?;
        let pid = i32::from_be_bytes(bytes) & i32::MAX;
        if pid != 0 && !sessions.contains_key(&pid) {
            return Ok(pid);
        }
    }
    Err(NoKey)
}

/// Bytes of a secret in protocol 3.0: the format has room for no more.
const SECRET_BYTES_SHORT: usize = 4;
/// Bytes of a secret in protocol 3.2, as many as Postgres 18 makes.
const SECRET_BYTES_LONG: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upstream::address::UpstreamSettings;

    fn upstream() -> Arc<Upstream> {
        let settings = UpstreamSettings::parse("postgres://127.0.0.1:1").unwrap();
        Arc::new(Upstream::load(settings).unwrap())
    }

    fn key() -> UpstreamKey {
        UpstreamKey {
            pid: 7,
            secret: bytes::Bytes::from_static(b"\0\0\0\x01"),
        }
    }

    #[tokio::test]
    async fn only_the_very_key_is_known() {
        let registry = CancelRegistry::new();
        let (mine, guard) = registry
            .issue(ProtocolVersion::V3_0, "ann".into(), upstream(), key())
            .unwrap();
        assert_eq!(mine.secret.len(), 4);
        let mut wrong = mine.secret.clone();
        wrong[0] ^= 1;
        let longer = [&mine.secret[..], &[0]].concat();
        for secret in [&wrong[..], &mine.secret[..3], &longer, b""] {
            assert_eq!(
                registry.forward(mine.pid, secret).await,
                CancelOutcome::UnknownKey
            );
        }
        let other = mine.pid ^ 1;
        assert_eq!(
            registry.forward(other, &mine.secret).await,
            CancelOutcome::UnknownKey
        );
        // Known, and nobody listens at the upstream.
        assert_eq!(
            registry.forward(mine.pid, &mine.secret).await,
            CancelOutcome::Failed
        );
        drop(guard);
        assert!(registry.is_empty());
        assert_eq!(
            registry.forward(mine.pid, &mine.secret).await,
            CancelOutcome::UnknownKey
        );
    }

    #[test]
    fn newer_protocols_have_longer_keys() {
        let registry = CancelRegistry::new();
        let (long, _guard) = registry
            .issue(ProtocolVersion::V3_2, "ann".into(), upstream(), key())
            .unwrap();
        assert_eq!(long.secret.len(), 32);
        assert!(long.pid > 0);
        assert_eq!(registry.len(), 1);
    }

    #[test]
    fn debug_shows_no_secret() {
        let registry = CancelRegistry::new();
        let (mine, _guard) = registry
            .issue(ProtocolVersion::V3_2, "ann".into(), upstream(), key())
            .unwrap();
        assert_eq!(format!("{mine:?}"), format!("ClientKey({}, …)", mine.pid));
        assert_eq!(format!("{:?}", key()), "UpstreamKey(7, …)");
    }
}
