//! The sessions that are open, for whoever runs pgsieve: who they are, what they are at, and the
//! way to end one. Of a statement only its fingerprint is known here.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::session::console::traffic::{DatabaseTraffic, Traffic};
use crate::session::login::login_settings::AdmissionProof;
use crate::sql::fingerprint::Fingerprint;
use crate::telemetry::counters::session_gauges::SessionStateHandle;
use crate::telemetry::session_info::SessionInfo;
use crate::upstream::backend_signals::SessionSignals;
use crate::upstream::catalog_cache::groundings::GivenGrounding;

/// All sessions that are open. Cheap to clone.
#[derive(Clone, Default)]
pub struct SessionRegistry {
    members: Arc<Mutex<BTreeMap<u64, RegisteredSession>>>,
    /// Of sessions that have ended.
    ended: Arc<Mutex<DatabaseTraffic>>,
}

/// One session.
pub struct RegisteredSession {
    /// The user that it has logged in as.
    pub user: Box<str>,
    /// What let it in.
    pub admission: AdmissionProof,
    /// Whose it was when it logged in.
    pub info: Arc<SessionInfo>,
    /// Since when it is in.
    pub since: Timestamp,
    /// Its connection to the upstream, where it has one of its own.
    pub own_connection: Option<OwnConnection>,
    /// What it and its session at the server are at.
    pub state_handle: SessionStateHandle,
    /// What it does and has done.
    pub activity: Arc<SessionActivity>,
    /// What others want of it.
    pub signals: Arc<SessionSignals>,
}

/// A connection to the upstream that one session has for as long as it lasts.
#[derive(Clone, Debug)]
pub struct OwnConnection {
    /// Where its server is.
    pub place: Box<str>,
    /// Who has logged in there.
    pub account: Box<str>,
    /// The process id of the session there, where the server has told one.
    pub pid: Option<i32>,
}

/// What a session does and has done: written by the session alone, read by whoever looks.
#[derive(Default)]
pub struct SessionActivity {
    rows: AtomicU64,
    bytes: AtomicU64,
    bytes_in: AtomicU64,
    statements: AtomicU64,
    statement_micros: AtomicU64,
    transactions: AtomicU64,
    statement: Mutex<Option<Fingerprint>>,
    /// The version of the grounding that its client says to stand on; zero for none.
    named: AtomicU64,
    /// What that is, where it was given out.
    grounding: Mutex<Option<Arc<GivenGrounding>>>,
}

/// What a session stands on.
pub struct StoodGrounding {
    /// Its database.
    pub database: Box<str>,
    /// The version that its client names, as it was given out; none where it was not.
    pub given: Option<Arc<GivenGrounding>>,
}

/// Keeps a session registered until it is dropped.
#[derive(Debug)]
pub struct SessionRegistration {
    id: u64,
    session_registry: SessionRegistry,
}

/// A session as it is shown. Names are cleaned and cut.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SessionShown {
    /// The number of its connection, as in the audit.
    pub id: u64,
    /// The user that it has logged in as.
    pub user: String,
    /// Its database.
    pub database: String,
    /// What it called itself when it logged in.
    pub application_name: String,
    /// Where it comes from.
    pub client: String,
    /// Whether its way here is encrypted.
    pub tls: bool,
    /// Since when it is in.
    pub since: String,
    /// What it is at.
    pub state: String,
    /// What its session at the server is at.
    pub upstream_state: Option<String>,
    /// The process id of that.
    pub upstream_pid: Option<i32>,
    /// The fingerprint of its statement, or of the one before where none is under way.
    pub fingerprint: Option<String>,
    /// The rows that it got of statements that have ended.
    pub rows: u64,
    /// The bytes that it was sent.
    pub bytes: u64,
}

impl SessionRegistry {
    /// Takes a session in, by the number of its connection.
    pub fn register(&self, id: u64, member: RegisteredSession) -> SessionRegistration {
        self.members().insert(id, member);
        SessionRegistration {
            id,
            session_registry: self.clone(),
        }
    }

    /// Ends the sessions of which that is true, as an administrator would; says how many they are.
    pub fn end_where(&self, is_to_end: impl Fn(&RegisteredSession) -> bool) -> usize {
        let members = self.members();
        let ending = members.values().filter(|member| is_to_end(member));
        ending.map(|member| member.signals.end()).count()
    }

    /// Ends one session as an administrator would; says whether it is there.
    pub fn end(&self, id: u64) -> bool {
        let members = self.members();
        let member = members.get(&id);
        member.map(|member| member.signals.end()).is_some()
    }

    /// So many sessions at most, oldest first, and how many there are beyond them.
    pub fn shown(&self, most: usize) -> (Vec<SessionShown>, usize) {
        let members = self.members();
        let shown = members.iter().take(most);
        let shown: Vec<_> = shown.map(|(id, member)| member.shown(*id)).collect();
        let more = members.len().saturating_sub(shown.len());
        (shown, more)
    }

    /// Every session, to be read while none of them ends.
    pub fn each(&self, mut read: impl FnMut(u64, &RegisteredSession)) {
        for (id, member) in &*self.members() {
            read(*id, member);
        }
    }

    /// What sessions have done in each database, those that have ended among them.
    pub fn traffic(&self) -> DatabaseTraffic {
        // Whoever ends is in one of the two: members are locked first everywhere.
        let members = self.members();
        let mut traffic = self.ended().clone();
        for member in members.values() {
            traffic.add(member.info.database(), &member.activity.traffic());
        }
        traffic
    }

    /// What sessions stand on whose clients say so.
    pub fn groundings(&self) -> Vec<StoodGrounding> {
        let members = self.members();
        let stood = members.values().filter_map(|member| {
            Some(StoodGrounding {
                given: member.activity.grounding()?,
                database: member.info.database().into(),
            })
        });
        stood.collect()
    }

    fn ended(&self) -> MutexGuard<'_, DatabaseTraffic> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn members(&self) -> MutexGuard<'_, BTreeMap<u64, RegisteredSession>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RegisteredSession {
    fn shown(&self, id: u64) -> SessionShown {
        let info = &self.info;
        let (state, upstream) = self.state_handle.states();
        let since = self.since.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        SessionShown {
            id,
            user: info.user().into(),
            database: info.database().into(),
            application_name: info.application_name().into(),
            client: info.client().into(),
            tls: info.is_encrypted(),
            since,
            state: state.name().into(),
            upstream_state: upstream.map(|state| state.name().into()),
            upstream_pid: self.own_connection.as_ref().and_then(|own| own.pid),
            fingerprint: self.activity.statement().map(|one| one.to_string()),
            rows: self.activity.rows.load(Ordering::Relaxed),
            bytes: self.activity.bytes.load(Ordering::Relaxed),
        }
    }
}

impl SessionActivity {
    /// A statement has ended with so many rows, after so long at the upstream.
    /// One that was refused before took no time there.
    pub fn statement_ended(&self, rows: u64, upstream: Duration) {
        if upstream.is_zero() {
            return;
        }
        let micros = u64::try_from(upstream.as_micros()).unwrap_or(u64::MAX);
        self.rows.fetch_add(rows, Ordering::Relaxed);
        self.statements.fetch_add(1, Ordering::Relaxed);
        self.statement_micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// The server has said that it is in no transaction.
    pub fn transaction_ended(&self) {
        self.transactions.fetch_add(1, Ordering::Relaxed);
    }

    /// So many bytes came from the client and were sent to it so far, and this statement is under
    /// way, if any is.
    pub fn show(&self, (bytes_in, bytes): (u64, u64), statement: Option<Fingerprint>) {
        self.bytes_in.store(bytes_in, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
        if let Some(statement) = statement {
            *self.held() = Some(statement);
        }
    }

    /// The client stands on this version from now on, which may have been given out; zero for none.
    pub fn stand_on(&self, version: u64, given: impl FnOnce() -> Option<Arc<GivenGrounding>>) {
        if self.named.load(Ordering::Relaxed) == version {
            return;
        }
        *self.stood() = if version == 0 { None } else { given() };
        self.named.store(version, Ordering::Relaxed);
    }

    /// What the client stands on, if it says so: what was given out under that version.
    fn grounding(&self) -> Option<Option<Arc<GivenGrounding>>> {
        let is_named = self.named.load(Ordering::Relaxed) != 0;
        is_named.then(|| self.stood().clone())
    }

    /// What it has done so far.
    fn traffic(&self) -> Traffic {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Traffic {
            transactions: read(&self.transactions),
            statements: read(&self.statements),
            statement_micros: read(&self.statement_micros),
            bytes_in: read(&self.bytes_in),
            bytes_out: read(&self.bytes),
            wait_micros: 0,
        }
    }

    fn stood(&self) -> MutexGuard<'_, Option<Arc<GivenGrounding>>> {
        self.grounding
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn statement(&self) -> Option<Fingerprint> {
        *self.held()
    }

    fn held(&self) -> MutexGuard<'_, Option<Fingerprint>> {
        self.statement
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for SessionRegistration {
    fn drop(&mut self) {
        let mut members = self.session_registry.members();
        if let Some(member) = members.remove(&self.id) {
            let mut ended = self.session_registry.ended();
            ended.add(member.info.database(), &member.activity.traffic());
        }
    }
}

impl fmt::Debug for SessionRegistry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SessionRegistry({})", self.members().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_those_are_ended_that_are_meant_and_still_there() {
        let session_registry = SessionRegistry::default();
        let enter = |id, user: &str| {
            let signals = Arc::new(SessionSignals::default());
            let info = SessionInfo::accepted(id, "127.0.0.1:1").named(user, "shop", "x");
            let member = RegisteredSession {
                user: user.into(),
                admission: AdmissionProof::Name,
                info: Arc::new(info),
                since: Timestamp::UNIX_EPOCH,
                own_connection: None,
                state_handle: SessionStateHandle::default(),
                activity: Arc::default(),
                signals: Arc::clone(&signals),
            };
            (session_registry.register(id, member), signals)
        };
        let (ann, ben, gone) = (enter(1, "ann"), enter(2, "ben"), enter(3, "ann"));
        drop(gone.0);
        assert_eq!(
            session_registry.end_where(|member| &*member.user == "ann"),
            1
        );
        assert!(ann.1.ends() && !ben.1.ends() && !gone.1.ends());
        let (shown, more) = session_registry.shown(1);
        assert_eq!((shown.len(), more, &*shown[0].user), (1, 1, "ann"));
        assert_eq!(shown[0].since, "1970-01-01T00:00:00Z");
        drop(ann.0);
        assert!(!session_registry.end(1) && session_registry.end(2));
        assert!(ben.1.ends());
    }
}
