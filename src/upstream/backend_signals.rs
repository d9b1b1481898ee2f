//! What one session wants of another one of the same owner: that its statement is cancelled, or
//! that it ends. By the process id that its client was told, or that of the connection that it has.
//!
//! Sessions of others are never found: to whoever asks they look like those that are not there.

use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::task::Waker;
use std::time::Duration;

use blake3::Hash;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::time::{Instant, sleep};

use super::cancel::{CancelEntry, CancelResult, CancelTarget, SessionCanceller, ToldPid, of_pid};
use super::identity::ServerIdentity;
use super::login::UpstreamSession;
use crate::limits;
use crate::telemetry::labels;

/// Whose a session is. One session reaches another only where all of it is the same.
/// Names are kept as digests: each session has an owner, and most have the same.
#[derive(Clone, Copy)]
pub struct SessionOwner {
    /// The user that the client logged in as, and the role of the upstream session.
    account: Hash,
    /// The name of the policy that it is under.
    policy: Hash,
    /// The server, where it has told which one it is.
    server: Option<ServerIdentity>,
}

/// What others want of a session.
#[derive(Default)]
pub struct SessionSignals {
    cancel: Notify,
    ends: AtomicBool,
    lapsed: AtomicBool,
    session: Mutex<Option<Waker>>,
}

/// A signal under way. May be dropped: what was sent is sent.
pub type RunningSignal = Pin<Box<dyn Future<Output = SignalResult> + Send>>;

/// What became of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalResult {
    /// It was handed over.
    Sent,
    /// There is no such session of this owner.
    Nobody,
    /// There is one, and the upstream did not take the cancel.
    NotSent,
    /// The session is there still.
    NotEnded,
}

impl From<SignalResult> for labels::SignalOutcome {
    fn from(outcome: SignalResult) -> Self {
        match outcome {
            SignalResult::Sent => Self::Sent,
            SignalResult::Nobody => Self::Nobody,
            SignalResult::NotSent => Self::NotSent,
            SignalResult::NotEnded => Self::NotEnded,
        }
    }
}

impl SessionOwner {
    /// That of a session that has logged in.
    pub fn of(user: &str, policy: &str, upstream: &UpstreamSession) -> Self {
        let role = upstream.parameter("session_authorization");
        Self::of_names([user, role.unwrap_or_default(), policy], upstream.server)
    }

    /// That of this user, role and policy.
    pub(super) fn of_names(
        [user, role, policy]: [&str; 3],
        server: Option<ServerIdentity>,
    ) -> Self {
        let mut account = blake3::Hasher::new();
        // No name has a zero in it.
        account
            .update(user.as_bytes())
            .update(&[0])
            .update(role.as_bytes());
        Self {
            account: account.finalize(),
            policy: blake3::hash(policy.as_bytes()),
            server,
        }
    }

    /// The session is at that server from now on.
    pub(super) fn move_to(&mut self, server: Option<ServerIdentity>) {
        self.server = server;
    }

    fn is_same(&self, other: &Self) -> bool {
        let same_server = match (&self.server, &other.server) {
            (Some(own), Some(other)) => own.is_same_server(other),
            // Where servers do not tell, there is nothing to tell them apart by.
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        same_server && self.account == other.account && self.policy == other.policy
    }
}

impl SessionSignals {
    /// Ready at the next cancel.
    pub fn until_cancelled(&self) -> Notified<'_> {
        self.cancel.notified()
    }

    /// Whether the session is to end.
    pub fn ends(&self) -> bool {
        self.ends.load(Ordering::Acquire)
    }

    /// Whether that is because its token has expired.
    pub fn has_lapsed(&self) -> bool {
        self.lapsed.load(Ordering::Acquire)
    }

    /// Has the session end, because its token has expired.
    pub fn lapse(&self) {
        self.lapsed.store(true, Ordering::Release);
        self.end();
    }

    /// What wakes the session from now on.
    pub fn wake(&self, waker: &Waker) {
        *self.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(waker.clone());
    }

    pub(super) fn cancel(&self) {
        self.cancel.notify_waiters();
    }

    /// Has the session end, as an administrator would.
    pub fn end(&self) {
        self.ends.store(true, Ordering::Release);
        let waker = self
            .session
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl SessionCanceller {
    /// The process id that the client knows the session by.
    pub fn pid(&self) -> i32 {
        self.place.pid
    }

    /// The session is under this policy from now on.
    pub fn move_to_policy(&self, policy: &str) {
        if let Some(entry) = self.registry.sessions().get_mut(&self.place) {
            entry.owner.policy = blake3::hash(policy.as_bytes());
        }
    }

    /// Cancels what runs in the session of the same owner with this process id. Bounded in time.
    pub fn signal_cancel(&self, pid: i32) -> RunningSignal {
        let own = self.clone();
        Box::pin(async move {
            let Some(place) = own.of_same_owner(pid) else {
                return SignalResult::Nobody;
            };
            match own.registry.forward_to(place).await {
                CancelResult::Forwarded => SignalResult::Sent,
                // It has come to rest, and the connection is another one's.
                CancelResult::UnknownKey if own.is_there(place) => SignalResult::Sent,
                CancelResult::UnknownKey => SignalResult::Nobody,
                CancelResult::Busy | CancelResult::Failed | CancelResult::Unanswered => {
                    SignalResult::NotSent
                }
            }
        })
    }

    /// Ends the session of the same owner with this process id, and waits so long for its end, or
    /// not at all. Bounded in time.
    pub fn signal_end(&self, pid: i32, wait: Duration) -> RunningSignal {
        let own = self.clone();
        Box::pin(async move {
            let Some(place) = own.of_same_owner(pid) else {
                return SignalResult::Nobody;
            };
            own.end(place);
            if wait.is_zero() {
                return SignalResult::Sent;
            }
            let until = Instant::now() + wait.min(limits::SIGNAL_END_TIME_MAX);
            while own.is_there(place) {
                if Instant::now() >= until {
                    return SignalResult::NotEnded;
                }
                sleep(limits::SIGNAL_END_PAUSE).await;
            }
            SignalResult::Sent
        })
    }

    /// First the session with this process id of its own. Then whoever has the connection to that
    /// process now, the newest one: an older one has ended at the server. That is never the asker
    /// where it shares connections: it was given that one for its call, and somebody else is meant.
    /// At last a session that has moved since it was told so.
    fn of_same_owner(&self, pid: i32) -> Option<CancelTarget> {
        let sessions = self.registry.sessions();
        let own = &sessions.get(&self.place)?.owner;
        let shares = |entry: &CancelEntry| entry.told == ToldPid::OfSession;
        let has_connection = |place: &CancelTarget, entry: &CancelEntry| {
            let key = entry.key.as_ref();
            key.is_some_and(|key| key.pid == pid) && !(*place == self.place && shares(entry))
        };
        let told = || {
            let told = sessions.range(of_pid(pid)).rev();
            told.filter(|(_, entry)| entry.owner.is_same(own))
        };
        let all = || {
            let all = sessions.iter().rev();
            all.filter(|(_, entry)| entry.owner.is_same(own))
        };
        let found = told()
            .find(|(_, entry)| shares(entry))
            .or_else(|| told().find(|(place, entry)| has_connection(place, entry)))
            .or_else(|| all().find(|(place, entry)| has_connection(place, entry)))
            .or_else(|| told().next());
        found.map(|(place, _)| *place)
    }

    fn end(&self, place: CancelTarget) {
        let sessions = self.registry.sessions();
        let signals = sessions.get(&place).map(|entry| entry.signals.clone());
        drop(sessions);
        if let Some(signals) = signals {
            signals.end();
        }
    }

    fn is_there(&self, place: CancelTarget) -> bool {
        self.registry.sessions().contains_key(&place)
    }
}

impl fmt::Debug for SessionSignals {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SessionSignals")
    }
}

impl fmt::Debug for SessionOwner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SessionOwner")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::{Context, Wake};

    use super::*;
    use crate::upstream::address::UpstreamSettings;
    use crate::upstream::cancel::{CancelGuard, CancelRegistry};
    use crate::upstream::connect::Upstream;
    use crate::upstream::login::UpstreamKey;
    use crate::wire::startup::ProtocolVersion;

    fn owner(user: &str, role: &str, policy: &str, server: Option<&str>) -> SessionOwner {
        let server = server
            .and_then(|started| ServerIdentity::read(&[Some(started), Some("5"), Some("77")]));
        SessionOwner::of_names([user, role, policy], server)
    }

    fn ann() -> SessionOwner {
        owner("ann", "app", "agent", Some("1"))
    }

    fn session(registry: &CancelRegistry, owner: SessionOwner, pid: i32) -> CancelGuard {
        // Nobody listens there.
        let settings = UpstreamSettings::parse("postgres://127.0.0.1:1").unwrap();
        let upstream = Arc::new(Upstream::load(settings).unwrap());
        let secret = [0, 0, 0, 1].into();
        let key = UpstreamKey { pid, secret };
        let whose = ("ann@127.0.0.1", owner);
        let issued = registry.issue(ProtocolVersion::V3_0, whose, upstream, key);
        issued.unwrap().1
    }

    #[tokio::test]
    async fn only_sessions_of_the_same_owner_are_found() {
        let registry = CancelRegistry::new();
        let own = session(&registry, ann(), 1);
        let other = session(&registry, ann(), 2);
        let strangers = [
            owner("bob", "app", "agent", Some("1")),
            owner("ann", "owner", "agent", Some("1")),
            owner("ann", "app", "bi", Some("1")),
            owner("ann", "app", "agent", Some("2")),
            owner("ann", "app", "agent", None),
        ];
        let strangers: Vec<_> = strangers
            .into_iter()
            .zip(3..)
            .map(|(owner, pid)| session(&registry, owner, pid))
            .collect();
        let asker = own.canceller();
        for pid in 3..99 {
            assert_eq!(asker.signal_cancel(pid).await, SignalResult::Nobody);
            let ended = asker.signal_end(pid, Duration::from_secs(9)).await;
            assert_eq!(ended, SignalResult::Nobody);
        }
        assert!(strangers.iter().all(|stranger| !stranger.wishes().ends()));
        // It is found, and its server is not there.
        assert_eq!(asker.signal_cancel(2).await, SignalResult::NotSent);
        let none = Duration::ZERO;
        assert_eq!(asker.signal_end(2, none).await, SignalResult::Sent);
        assert!(other.wishes().ends() && !own.wishes().ends());
    }

    #[tokio::test]
    async fn the_policy_of_now_counts() {
        let registry = CancelRegistry::new();
        let [own, other] = [1, 2].map(|pid| session(&registry, ann(), pid));
        other.canceller().move_to_policy("bi");
        let asker = own.canceller();
        assert_eq!(asker.signal_cancel(2).await, SignalResult::Nobody);
        own.canceller().move_to_policy("bi");
        assert_eq!(asker.signal_cancel(2).await, SignalResult::NotSent);
    }

    #[tokio::test]
    async fn of_one_pid_the_newest_of_the_own_server_is_meant() {
        let registry = CancelRegistry::new();
        let own = session(&registry, ann(), 1);
        let ended = session(&registry, ann(), 2);
        let newest = session(&registry, ann(), 2);
        let elsewhere = session(&registry, owner("ann", "app", "agent", Some("2")), 2);
        let sent = own.canceller().signal_end(2, Duration::ZERO).await;
        assert_eq!(sent, SignalResult::Sent);
        let told = [&ended, &newest, &elsewhere].map(|guard| guard.wishes().ends());
        assert_eq!(told, [false, true, false]);
    }

    fn shared_session(registry: &CancelRegistry, pid: i32) -> (i32, CancelGuard) {
        let settings = UpstreamSettings::parse("postgres://127.0.0.1:1").unwrap();
        let upstream = Arc::new(Upstream::load(settings).unwrap());
        let secret = [0, 0, 0, 1].into();
        let key = UpstreamKey { pid, secret };
        let whose = ("ann@127.0.0.1", ann());
        let issued = registry.issue_shared(ProtocolVersion::V3_0, whose, upstream, key);
        let (key, guard) = issued.unwrap();
        (key.pid, guard)
    }

    #[tokio::test]
    async fn who_shares_connections_is_found_by_its_own_pid_and_by_what_it_has_now() {
        let registry = CancelRegistry::new();
        let [(told, one), (others, other)] = [7, 7].map(|pid| shared_session(&registry, pid));
        assert!(told != others && told >= 1 << 30 && others >= 1 << 30);
        let asker = one.canceller();
        assert_eq!(asker.signal_cancel(others).await, SignalResult::NotSent);
        // Both have the connection, as it seems: the asker is not meant.
        assert_eq!(asker.signal_cancel(7).await, SignalResult::NotSent);
        let key = |pid| {
            Arc::new(UpstreamKey {
                pid,
                secret: [0, 0, 0, 1].into(),
            })
        };
        let kept = key(8);
        other.attach(Arc::clone(&kept));
        assert_eq!(asker.signal_cancel(7).await, SignalResult::Nobody);
        assert_eq!(asker.signal_cancel(8).await, SignalResult::NotSent);
        other.detach(&kept);
        assert_eq!(asker.signal_cancel(8).await, SignalResult::Nobody);
        assert_eq!(asker.signal_cancel(others).await, SignalResult::Sent);
        let ended = asker.signal_end(others, Duration::ZERO).await;
        assert_eq!(ended, SignalResult::Sent);
        assert!(other.wishes().ends() && !one.wishes().ends());
    }

    /// A session keeps what its client was told when its connection is at another server.
    #[tokio::test]
    async fn who_has_moved_is_found_by_what_it_was_told_and_by_what_it_has() {
        let registry = CancelRegistry::new();
        let [moved, other] = [2, 3].map(|pid| session(&registry, ann(), pid));
        let secret = [0, 0, 0, 1].into();
        moved.attach(Arc::new(UpstreamKey { pid: 9, secret }));
        let asker = other.canceller();
        for pid in [2, 9] {
            assert_eq!(asker.signal_cancel(pid).await, SignalResult::NotSent);
        }
        // What a connection has now comes first.
        let newer = session(&registry, ann(), 2);
        asker.signal_end(2, Duration::ZERO).await;
        assert!(newer.wishes().ends() && !moved.wishes().ends());
    }

    #[tokio::test(start_paused = true)]
    async fn an_end_is_waited_for_as_long_as_was_asked_for() {
        let registry = CancelRegistry::new();
        let [own, other] = [1, 2].map(|pid| session(&registry, ann(), pid));
        let asker = own.canceller();
        let wait = Duration::from_secs(3);
        let since = Instant::now();
        assert_eq!(asker.signal_end(2, wait).await, SignalResult::NotEnded);
        assert!(since.elapsed() >= wait && since.elapsed() < wait * 2);
        let long = Duration::from_secs(9_999);
        let since = Instant::now();
        assert_eq!(asker.signal_end(2, long).await, SignalResult::NotEnded);
        assert!(since.elapsed() < limits::SIGNAL_END_TIME_MAX * 2);
        let ending = async {
            sleep(Duration::from_secs(1)).await;
            drop(other);
        };
        let since = Instant::now();
        let (outcome, ()) = tokio::join!(asker.signal_end(2, wait), ending);
        assert_eq!(outcome, SignalResult::Sent);
        assert!(since.elapsed() < wait);
    }

    #[tokio::test]
    async fn who_is_to_end_is_woken() {
        struct WakeFlag(AtomicBool);
        impl Wake for WakeFlag {
            fn wake(self: Arc<Self>) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let registry = CancelRegistry::new();
        let [own, other] = [1, 2].map(|pid| session(&registry, ann(), pid));
        let woken = Arc::new(WakeFlag(AtomicBool::new(false)));
        let waker = Waker::from(Arc::clone(&woken));
        other.wishes().wake(Context::from_waker(&waker).waker());
        own.canceller().signal_end(2, Duration::ZERO).await;
        assert!(woken.0.load(Ordering::Relaxed));
    }
}
