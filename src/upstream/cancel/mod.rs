//! Cancel requests: each client gets a process id with a secret of pgsieve's own, and a cancel that
//! brings the two is sent on to the upstream session behind it, over TLS where that is configured.
//!
//! A client that has its connection for itself gets the process id of that. One that shares
//! connections gets one that no other session has, nor any server: the process of a connection is
//! now this client's and now that one's.
//!
//! Two servers may give the same process id at a time, and a server gives one again as soon as a
//! session has ended. So the secret decides whose a key is, and sessions are kept apart by a number
//! of their own.
//!
//! Where several copies of pgsieve are behind one address, a cancel may reach another copy than its
//! session: that sends it on (`peers`).
//!
//! Nobody learns anything from asking: right or wrong, the connection is closed without a word.
//!
//! <https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS>

pub mod peers;
pub(super) mod slots;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use blake3::Hash;
use tokio::io::AsyncReadExt;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use self::peers::{CancelPeers, PeerSettings};
use super::backend_signals::{SessionOwner, SessionSignals};
use super::cancel::slots::CancelSlots;
use super::connect::Upstream;
use super::identity::ServerIdentity;
use super::login::UpstreamKey;
use super::outbox::Outbox;
use crate::limits;
use crate::net::pem::TlsSetupError;
use crate::telemetry::labels;
use crate::wire::startup::ProtocolVersion;

/// All sessions that can be cancelled. Cloning gives another handle to the same ones.
#[derive(Clone)]
pub struct CancelRegistry {
    inner: Arc<CancelRegistryInner>,
}

/// What a client must say to cancel its own statement.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientKey {
    /// The process id that it is told: that of its connection, or of the session where that shares
    /// connections.
    pub pid: i32,
    /// The secret that it is told.
    pub secret: Vec<u8>,
}

/// Keeps a session cancellable for as long as it lives.
#[derive(Debug)]
pub struct CancelGuard {
    registry: CancelRegistry,
    place: CancelTarget,
    signals: Arc<SessionSignals>,
}

/// Cancels what runs in one session, for that session itself.
#[derive(Debug, Clone)]
pub struct SessionCanceller {
    pub(super) registry: CancelRegistry,
    pub(super) place: CancelTarget,
}

/// One session among all: the process id that its client was told, and a number that no other ever
/// has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CancelTarget {
    pub(super) pid: i32,
    number: u64,
}

/// A cancel under way.
pub type RunningCancel = Pin<Box<dyn Future<Output = CancelResult> + Send>>;

/// What became of a cancel request. The client is not told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelResult {
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

/// Whether a connection that a session gives up may be given to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetachedConnection {
    /// No cancel is on its way to it.
    Quiet,
    /// One may arrive yet.
    CancelUnderWay,
}

/// Why no key was made: the system gave no randomness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoKey;

struct CancelRegistryInner {
    sessions: Mutex<BTreeMap<CancelTarget, Box<CancelEntry>>>,
    number: AtomicU64,
    turns: Arc<CancelSlots>,
    /// Other copies, where there are any.
    peers: Option<CancelPeers>,
}

/// Whose the process id is that a client is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToldPid {
    /// That of the connection that the session has for itself.
    OfConnection(i32),
    /// The session's own, of which the connections change.
    OfSession,
}

/// A session.
pub(super) struct CancelEntry {
    /// The digest of the client's secret.
    secret: Hash,
    /// Who takes turns with others, by a digest.
    client: Hash,
    /// Whose session it is.
    pub(super) owner: SessionOwner,
    /// Whose process id the client was told.
    pub(super) told: ToldPid,
    upstream: Arc<Upstream>,
    /// Of the connection that the session has now.
    pub(super) key: Option<Arc<UpstreamKey>>,
    /// Told of each cancel: the session may be doing something without the upstream.
    pub(super) signals: Arc<SessionSignals>,
}

impl CancelRegistry {
    /// A registry without sessions, of a copy that stands alone.
    pub fn new() -> Self {
        Self::with(None)
    }

    /// The same beside other copies, where there are any.
    ///
    /// # Errors
    /// A file that they name cannot be read or does not fit the others, or a host cannot stand in a
    /// certificate.
    pub fn beside(peers: Option<PeerSettings>) -> Result<Self, TlsSetupError> {
        Ok(Self::with(peers.map(CancelPeers::load).transpose()?))
    }

    fn with(peers: Option<CancelPeers>) -> Self {
        let sessions = Mutex::new(BTreeMap::new());
        Self {
            inner: Arc::new(CancelRegistryInner {
                sessions,
                number: AtomicU64::new(0),
                turns: Arc::default(),
                peers,
            }),
        }
    }

    /// Makes a key for a session that has no upstream: a cancel of it is told to its signals and
    /// goes no further.
    ///
    /// # Errors
    /// The system gives no randomness to make a key of.
    pub fn issue_alone(
        &self,
        version: ProtocolVersion,
        user: &str,
        upstream: Arc<Upstream>,
    ) -> Result<(ClientKey, CancelGuard), NoKey> {
        let owner = SessionOwner::of_names([user, "", ""], None);
        self.issue_key(version, (user, owner), upstream, (ToldPid::OfSession, None))
    }

    /// Makes a key for a session of this client and owner, as long as its protocol version has it.
    /// The connection with that key is the session's own.
    ///
    /// # Errors
    /// The system gives no randomness to make a key of.
    pub fn issue(
        &self,
        version: ProtocolVersion,
        whose: (&str, SessionOwner),
        upstream: Arc<Upstream>,
        key: UpstreamKey,
    ) -> Result<(ClientKey, CancelGuard), NoKey> {
        let connection = (ToldPid::OfConnection(key.pid), Some(key));
        self.issue_key(version, whose, upstream, connection)
    }

    /// The same for a session that shares connections, of which it has this one now.
    ///
    /// # Errors
    /// The system gives no randomness to make a key of.
    pub fn issue_shared(
        &self,
        version: ProtocolVersion,
        whose: (&str, SessionOwner),
        upstream: Arc<Upstream>,
        key: UpstreamKey,
    ) -> Result<(ClientKey, CancelGuard), NoKey> {
        let connection = (ToldPid::OfSession, Some(key));
        self.issue_key(version, whose, upstream, connection)
    }

    fn issue_key(
        &self,
        version: ProtocolVersion,
        (client, owner): (&str, SessionOwner),
        upstream: Arc<Upstream>,
        (told, key): (ToldPid, Option<UpstreamKey>),
    ) -> Result<(ClientKey, CancelGuard), NoKey> {
        let mut random = [0; PID_BYTES + SECRET_BYTES_LONG];
        getrandom::fill(&mut random).map_err(|_| NoKey)?;
        let (chance, secret) = random.split_first_chunk().ok_or(NoKey)?;
        let length = if version >= ProtocolVersion::V3_2 {
            SECRET_BYTES_LONG
        } else {
            SECRET_BYTES_SHORT
        };
        let mut secret: Vec<u8> = secret.iter().copied().take(length).collect();
        let client = blake3::hash(client.as_bytes());
        let number = self.inner.number.fetch_add(1, Ordering::Relaxed);
        let signals = Arc::new(SessionSignals::default());
        let mut sessions = self.sessions();
        let pid = match told {
            ToldPid::OfConnection(pid) => pid,
            ToldPid::OfSession => pid_of_nobody(&sessions, *chance)?,
        };
        if let Some(peers) = &self.inner.peers {
            peers.mark(pid, &mut secret);
        }
        let entry = CancelEntry {
            secret: blake3::hash(&secret),
            client,
            owner,
            told,
            upstream,
            key: key.map(Arc::new),
            signals: Arc::clone(&signals),
        };
        let place = CancelTarget { pid, number };
        sessions.insert(place, Box::new(entry));
        drop(sessions);
        let registry = self.clone();
        let guard = CancelGuard {
            registry,
            place,
            signals,
        };
        Ok((ClientKey { pid, secret }, guard))
    }

    /// Sends a cancel on when it is its client's turn. Returns when the upstream has taken note (it
    /// closes the connection then), so that closing the client's connection tells the client the
    /// same.
    ///
    /// May be cancelled.
    pub async fn forward(&self, pid: i32, secret: &[u8]) -> CancelResult {
        match self.find(pid, secret) {
            Some(place) => self.forward_to(place).await,
            None => CancelResult::UnknownKey,
        }
    }

    /// The same for a client at this address, or another copy: a cancel whose session is not here
    /// goes on to the other copies, but not one that comes from there.
    ///
    /// May be cancelled.
    pub async fn forward_from(
        &self,
        address: &str,
        (pid, secret): (i32, &[u8]),
    ) -> labels::CancelOutcome {
        let Some(peers) = &self.inner.peers else {
            return self.forward(pid, secret).await.into();
        };
        if let Some(relayed) = peers::relayed_secret(secret) {
            return match self.find(pid, relayed) {
                Some(place) => self.forward_to(place).await.into(),
                None => labels::CancelOutcome::NotHere,
            };
        }
        if let Some(place) = self.find(pid, secret) {
            return self.forward_to(place).await.into();
        }
        if !peers.have_given(pid, secret) {
            return labels::CancelOutcome::UnknownKey;
        }
        let client = blake3::hash(address.as_bytes());
        match self.inner.turns.take(&client).await {
            Ok(_turn) => peers.ask(pid, secret).await,
            Err(_full) => labels::CancelOutcome::Busy,
        }
    }

    /// The same to a session that was found.
    pub(super) async fn forward_to(&self, place: CancelTarget) -> CancelResult {
        let Some((client, upstream, key)) = self.signals_of(place) else {
            return CancelResult::UnknownKey;
        };
        let Ok(_turn) = self.inner.turns.take(&client).await else {
            return CancelResult::Busy;
        };
        // It may have ended meanwhile, and the upstream have given its process id away; or it may
        // have given its connection to another session.
        if !self.has(place, &key) {
            return CancelResult::UnknownKey;
        }
        let deadline = Instant::now() + limits::CANCEL_TIME_MAX;
        let Ok(mut framed) = upstream.connect(deadline).await else {
            return CancelResult::Failed;
        };
        let mut out = Outbox::default();
        if out.cancel_request(key.pid, &key.secret).is_err() {
            return CancelResult::Failed;
        }
        if framed.send(&out, deadline).await.is_err() {
            return CancelResult::Unanswered;
        }
        let mut nothing = [0_u8; 1];
        match timeout_at(deadline, framed.stream.read(&mut nothing)).await {
            Ok(_closed) => CancelResult::Forwarded,
            Err(_elapsed) => CancelResult::Unanswered,
        }
    }

    /// Sends a cancel of pgsieve's own, some times.
    async fn fire_again(&self, place: CancelTarget) -> CancelResult {
        let mut pause = limits::CUT_CANCEL_PAUSE;
        let mut outcome = CancelResult::UnknownKey;
        for _ in 0..limits::CUT_CANCEL_TRIES_MAX {
            outcome = self.forward_to(place).await;
            match outcome {
                CancelResult::Busy | CancelResult::Failed => sleep(pause).await,
                CancelResult::Forwarded | CancelResult::UnknownKey | CancelResult::Unanswered => {
                    break;
                }
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

    fn find(&self, pid: i32, secret: &[u8]) -> Option<CancelTarget> {
        let digest = blake3::hash(secret);
        let sessions = self.sessions();
        // Digests are compared, in constant time: how long it takes says nothing of the secret.
        let mut found = sessions
            .range(of_pid(pid))
            .filter(|(_, entry)| entry.secret == digest);
        found.next().map(|(place, _)| *place)
    }

    fn signals_of(&self, place: CancelTarget) -> Option<(Hash, Arc<Upstream>, Arc<UpstreamKey>)> {
        let sessions = self.sessions();
        let entry = sessions.get(&place)?;
        entry.signals.cancel();
        let key = entry.key.as_ref()?;
        Some((entry.client, entry.upstream.clone(), Arc::clone(key)))
    }

    /// Whether a session is there and has the connection of that key.
    fn has(&self, place: CancelTarget, key: &Arc<UpstreamKey>) -> bool {
        let sessions = self.sessions();
        let entry = sessions.get(&place);
        let held = entry.and_then(|entry| entry.key.as_ref());
        held.is_some_and(|held| Arc::ptr_eq(held, key))
    }

    /// The map is whole after every step, so a panic elsewhere does not spoil it.
    pub(super) fn sessions(&self) -> MutexGuard<'_, BTreeMap<CancelTarget, Box<CancelEntry>>> {
        self.inner
            .sessions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionCanceller {
    /// One that finds nothing to cancel.
    #[cfg(test)]
    pub fn of_nobody() -> Self {
        Self {
            registry: CancelRegistry::new(),
            place: CancelTarget { pid: 1, number: 0 },
        }
    }

    /// Cancels what runs. Where there is no turn for it or no way to the upstream it is tried again
    /// some times, after a pause each. When this is over, no cancel is under way, unless it says
    /// otherwise.
    pub fn insist(&self) -> RunningCancel {
        let Self { registry, place } = self.clone();
        Box::pin(async move {
            let trying = registry.fire_again(place);
            match timeout(limits::OWN_CANCEL_TIME_MAX, trying).await {
                Ok(outcome) => outcome,
                Err(_elapsed) => CancelResult::Unanswered,
            }
        })
    }
}

impl CancelGuard {
    /// What cancels for the session itself.
    pub fn canceller(&self) -> SessionCanceller {
        SessionCanceller {
            registry: self.registry.clone(),
            place: self.place,
        }
    }

    /// The session has another connection from now on.
    pub fn attach(&self, key: Arc<UpstreamKey>) {
        if let Some(entry) = self.registry.sessions().get_mut(&self.place) {
            entry.key = Some(key);
        }
    }

    /// The session is at that server from now on.
    pub fn move_to(&self, upstream: &Arc<Upstream>, identity: Option<ServerIdentity>) {
        if let Some(entry) = self.registry.sessions().get_mut(&self.place) {
            entry.upstream = Arc::clone(upstream);
            entry.owner.move_to(identity);
        }
    }

    /// The session has no connection from now on. Says whether a cancel is on its way to the one
    /// that it had, of which `kept` is the key: it may reach whoever has that next.
    pub fn detach(&self, kept: &Arc<UpstreamKey>) -> DetachedConnection {
        let mut sessions = self.registry.sessions();
        if let Some(entry) = sessions.get_mut(&self.place) {
            entry.key = None;
        }
        // Whoever sends a cancel has the key until the upstream has taken note of it, and nobody
        // gets it any more.
        match Arc::strong_count(kept) {
            0 | 1 => DetachedConnection::Quiet,
            _ => DetachedConnection::CancelUnderWay,
        }
    }

    /// What others want of the session.
    pub fn wishes(&self) -> Arc<SessionSignals> {
        Arc::clone(&self.signals)
    }

    /// Cancels what runs in the session that this guard stands for, as [`SessionCanceller::insist`]
    /// does. Bounded in time. May be cancelled.
    pub async fn insist(&self) -> CancelResult {
        self.canceller().insist().await
    }
}

impl From<CancelResult> for labels::CancelOutcome {
    fn from(outcome: CancelResult) -> Self {
        match outcome {
            CancelResult::Forwarded => Self::Forwarded,
            CancelResult::UnknownKey => Self::UnknownKey,
            CancelResult::Busy => Self::Busy,
            CancelResult::Failed | CancelResult::Unanswered => Self::Failed,
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
        self.registry.sessions().remove(&self.place);
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

/// The places of all sessions with this process id, the oldest first.
pub(super) fn of_pid(pid: i32) -> RangeInclusive<CancelTarget> {
    let at = |number| CancelTarget { pid, number };
    at(u64::MIN)..=at(u64::MAX)
}

/// A process id that no session was told and no server gives: by this chance, or another one.
///
/// # Errors
/// The system gives no randomness.
fn pid_of_nobody(
    sessions: &BTreeMap<CancelTarget, Box<CancelEntry>>,
    mut chance: [u8; PID_BYTES],
) -> Result<i32, NoKey> {
    loop {
        let pid = SESSION_PID_MIN | (i32::from_ne_bytes(chance) & (SESSION_PID_MIN - 1));
        if sessions.range(of_pid(pid)).next().is_none() {
            return Ok(pid);
        }
        getrandom::fill(&mut chance).map_err(|_| NoKey)?;
    }
}

const PID_BYTES: usize = size_of::<i32>();

/// The least process id of a session's own. Linux has none over 4,194,304 (`pid_max`), the BSDs
/// none over 99,999.
const SESSION_PID_MIN: i32 = 1 << 30;

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
            secret: [0, 0, 0, 1].into(),
        }
    }

    fn ann() -> (&'static str, SessionOwner) {
        ("ann", SessionOwner::of_names(["ann", "ann", "agent"], None))
    }

    /// Two servers give one process id at a time, and one server gives it again.
    #[tokio::test]
    async fn sessions_of_one_pid_are_told_apart_by_their_secrets() {
        let registry = CancelRegistry::new();
        let issue = || {
            let issued = registry.issue(ProtocolVersion::V3_2, ann(), upstream(), key());
            issued.unwrap()
        };
        let [(one, first), (other, second)] = [issue(), issue()];
        assert_eq!((one.pid, other.pid), (7, 7));
        assert_ne!(one.secret, other.secret);
        assert_eq!(registry.find(7, &one.secret), Some(first.place));
        assert_eq!(registry.find(7, &other.secret), Some(second.place));
        drop(first);
        assert_eq!(registry.find(7, &one.secret), None);
        assert_eq!(registry.find(7, &other.secret), Some(second.place));
        // The session that ended is not the one that has its number now.
        let (third, _guard) = issue();
        assert_eq!(
            registry.forward(7, &one.secret).await,
            CancelResult::UnknownKey
        );
        assert!(registry.find(7, &third.secret).is_some());
    }

    #[tokio::test]
    async fn only_the_very_key_is_known() {
        let registry = CancelRegistry::new();
        let (mine, guard) = registry
            .issue(ProtocolVersion::V3_0, ann(), upstream(), key())
            .unwrap();
        assert_eq!(mine.secret.len(), 4);
        let mut wrong = mine.secret.clone();
        wrong[0] ^= 1;
        let longer = [&mine.secret[..], &[0]].concat();
        for secret in [&wrong[..], &mine.secret[..3], &longer, b""] {
            assert_eq!(
                registry.forward(mine.pid, secret).await,
                CancelResult::UnknownKey
            );
        }
        let other = mine.pid ^ 1;
        assert_eq!(
            registry.forward(other, &mine.secret).await,
            CancelResult::UnknownKey
        );
        // Known, and nobody listens at the upstream.
        assert_eq!(
            registry.forward(mine.pid, &mine.secret).await,
            CancelResult::Failed
        );
        drop(guard);
        assert!(registry.is_empty());
        assert_eq!(
            registry.forward(mine.pid, &mine.secret).await,
            CancelResult::UnknownKey
        );
    }

    #[test]
    fn newer_protocols_have_longer_keys() {
        let registry = CancelRegistry::new();
        let (long, _guard) = registry
            .issue(ProtocolVersion::V3_2, ann(), upstream(), key())
            .unwrap();
        assert_eq!(long.secret.len(), 32);
        assert_eq!(long.pid, 7);
        assert_eq!(registry.len(), 1);
    }

    #[test]
    fn debug_shows_no_secret() {
        let registry = CancelRegistry::new();
        let (mine, _guard) = registry
            .issue(ProtocolVersion::V3_2, ann(), upstream(), key())
            .unwrap();
        assert_eq!(format!("{mine:?}"), format!("ClientKey({}, …)", mine.pid));
        assert_eq!(format!("{:?}", key()), "UpstreamKey(7, …)");
    }
}
