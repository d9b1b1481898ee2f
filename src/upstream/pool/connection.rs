//! One connection of a pool: what it began with, and what was set in it since.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::thread::{self, ThreadId};
use std::time::Duration;

use tokio::time::Instant;

use super::prepared_names::{PreparedNames, UpstreamName};
use super::set_values::{SetValues, is_custom};
use crate::engine::Engine;
use crate::limits;
use crate::net::framed_stream::PeerError;
use crate::sqlstate;
use crate::target_servers::{IN_HOT_STANDBY, ServerKind};
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::upstream::identity::ServerIdentity;
use crate::upstream::login::{UpstreamKey, UpstreamSession};
use crate::upstream::outbox::Outbox;
use crate::upstream::tripwire;
use crate::upstream::verify::VerifiedSession;
use crate::upstream::writer::UpstreamFrames;
use crate::wire::backend::{data_row, error_fields, parameter_status};
use crate::wire::startup::ProtocolVersion;

/// A connection that no session has now.
pub struct PooledConnection {
    /// The connection, at rest.
    pub frames: UpstreamFrames,
    /// What is known of it.
    pub state: Box<ConnectionState>,
}

/// What came of texts of pgsieve's own.
#[derive(Default)]
struct Answer {
    rows: Vec<Vec<Option<String>>>,
    failed: Option<SqlstateCode>,
}

/// What is known of a connection.
pub struct ConnectionState {
    /// What it began with.
    pub base: Arc<ConnectionBase>,
    /// Of which kind its server is, as it has said last.
    pub kind: Option<ServerKind>,
    /// What cancels a statement of it.
    pub key: Option<Arc<UpstreamKey>>,
    /// What is set in it.
    pub values: SetValues,
    /// What is prepared on it.
    pub prepared: PreparedNames,
    /// The session that had it last.
    pub last_session: u64,
    /// The thread that wakes whoever waits for it.
    thread: ThreadId,
    /// When it has to be closed.
    expires: Instant,
    rested: Instant,
}

/// What a connection began with: where two began alike, a session cannot tell them apart.
pub struct ConnectionBase {
    /// What it reported (ParameterStatus), in its order.
    pub parameters: Arc<Vec<(String, String)>>,
    /// The protocol that it speaks.
    pub version: ProtocolVersion,
    /// Which server it is at.
    pub server: Option<ServerIdentity>,
    /// Of which engine that is.
    pub engine: Engine,
    /// What it was proved to be.
    pub verified: VerifiedSession,
    /// A digest of what [`lasting`] has of the parameters: many are compared for each checkout.
    lasting_digest: [u8; 32],
}

/// Why a connection is not used any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettleError {
    /// It was lost, or took too long.
    Link(PeerError),
    /// It does not take the settings of a session, or does not tell them.
    Unsettled,
    /// It is not read-only any more.
    Tripped(crate::telemetry::labels::Tripwire),
}

impl ConnectionBase {
    /// Of a session that has just logged in.
    pub fn of(session: &UpstreamSession, verified: VerifiedSession) -> Self {
        Self {
            parameters: Arc::clone(&session.parameters),
            version: session.version,
            server: session.server,
            engine: session.engine,
            verified,
            lasting_digest: digest_of(&session.parameters),
        }
    }

    /// Whether judgements of sessions that began with that base hold on a connection with this one.
    pub fn is_alike(&self, other: &Self) -> bool {
        if std::ptr::eq(self, other) {
            return true;
        }
        let same_server = match (&self.server, &other.server) {
            (Some(own), Some(other)) => own.is_same(other),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        same_server
            && self.engine == other.engine
            && self.version == other.version
            && self.verified == other.verified
            && self.lasting_digest == other.lasting_digest
    }

    /// Of which kind its server was then, where it says that.
    fn kind(&self) -> Option<ServerKind> {
        let mut named = self.parameters.iter().rev();
        let (_, value) = named.find(|(name, _)| name == IN_HOT_STANDBY)?;
        ServerKind::reported(value)
    }

    /// Whether it differs from another base in the server alone, at most: in which run of the same
    /// contents it is, and in the minor version.
    pub fn differs_in_place_alone(&self, other: &Self) -> bool {
        let is_same_data = match (&self.server, &other.server) {
            (Some(own), Some(other)) => own.may_be_copy_of(other),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        let but_version = |parameters| {
            let mut named = lasting(parameters);
            named.remove(SERVER_VERSION);
            named
        };
        let major = |base: &Self| {
            let named = lasting(&base.parameters);
            named
                .get(SERVER_VERSION)
                .map(|text| major_of(text).to_owned())
        };
        is_same_data
            && self.engine == other.engine
            && self.version == other.version
            && self.verified == other.verified
            && but_version(&self.parameters) == but_version(&other.parameters)
            && major(self) == major(other)
    }
}

fn major_of(version: &str) -> &str {
    let end = version.find(|letter: char| !letter.is_ascii_digit());
    version
        .get(..end.unwrap_or(version.len()))
        .unwrap_or(version)
}

/// What was reported, by name; a name that was reported again has its last value. Whether a server
/// is a standby may change while it runs.
fn lasting(parameters: &[(String, String)]) -> BTreeMap<&str, &str> {
    let named = parameters
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    named.filter(|(name, _)| *name != IN_HOT_STANDBY).collect()
}

/// Another one for whatever [`lasting`] has otherwise.
fn digest_of(parameters: &[(String, String)]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for (name, value) in lasting(parameters) {
        // Neither holds a zero byte: they have come as C strings.
        for text in [name, value] {
            hasher.update(text.as_bytes());
            hasher.update(&[0]);
        }
    }
    *hasher.finalize().as_bytes()
}

impl ConnectionState {
    /// Of a connection that has just been opened, for so long; so many statements with names are
    /// kept prepared on it.
    pub fn opened(
        base: Arc<ConnectionBase>,
        key: Option<UpstreamKey>,
        (lifetime, statements_max): (Duration, usize),
    ) -> Box<Self> {
        let now = Instant::now();
        Box::new(Self {
            kind: base.kind(),
            base,
            key: key.map(Arc::new),
            values: SetValues::default(),
            prepared: PreparedNames::at_most(statements_max),
            last_session: 0,
            thread: thread::current().id(),
            expires: now + lifetime,
            rested: now,
        })
    }

    /// Whether its time is over.
    pub fn is_expired(&self, now: Instant) -> bool {
        self.expires <= now
    }

    /// Since when nobody has used it.
    pub fn rested(&self) -> Instant {
        self.rested
    }

    /// How well it suits a session on this thread: the one that it had last wants no replay.
    pub fn fit(&self, session: u64, values: &SetValues) -> u32 {
        let is_last = u32::from(self.last_session == session);
        let is_set = u32::from(self.values == *values);
        let is_near = u32::from(self.thread == thread::current().id());
        is_last + 2 * is_near + 4 * is_set
    }
}

/// How well a connection suits at most.
pub const BEST_FIT: u32 = 7;

impl PooledConnection {
    /// Whether it is there still, and has said nothing since it was used last.
    pub fn is_quiet(&self) -> bool {
        self.frames.inbox.is_empty() && !self.frames.stream.has_input()
    }

    /// No session has it from now on. What cannot leave the thread of the last one is not used
    /// again.
    pub fn rest(&mut self) {
        let now = Instant::now();
        self.state.rested = now;
        if self.frames.stream.leave_ring().is_err() {
            self.state.expires = now;
        }
    }

    /// From now on the thread that this is called on wakes whoever waits for it.
    pub fn join_this_thread(&mut self) {
        let here = thread::current().id();
        let stream = &mut self.frames.stream;
        // Where the system has no descriptor left, the thread of before goes on doing that.
        if self.state.thread != here && stream.join_this_runtime().is_ok() {
            self.state.thread = here;
        }
        let _ = stream.onto_ring();
    }

    /// Brings it to these settings, where it has others.
    ///
    /// Not to be cancelled and gone on with: an answer may be under way.
    ///
    /// # Errors
    /// It must not be used any more.
    pub async fn bring_to(&mut self, wanted: &SetValues) -> Result<(), SettleError> {
        let Some(replay) = self.state.values.replay(wanted) else {
            return Ok(());
        };
        let mut out = Outbox::default();
        out.replay(&replay).map_err(|_| SettleError::Unsettled)?;
        self.ask(&out, None).await?;
        self.state.values = wanted.clone();
        Ok(())
    }

    /// Asks what is set in it, and what these settings with a dot in their names are.
    ///
    /// Not to be cancelled and gone on with: an answer may be under way.
    ///
    /// # Errors
    /// It must not be used any more.
    pub async fn read_values(
        &mut self,
        custom: impl Iterator<Item = &str>,
    ) -> Result<(), SettleError> {
        let mut out = Outbox::default();
        out.set_values(custom).map_err(|_| SettleError::Unsettled)?;
        let mut values = SetValues::default();
        for row in self.ask(&out, Some(COLUMNS)).await? {
            let mut row = row.into_iter();
            let (name, value) = (row.next().flatten(), row.next().flatten());
            let name = name.ok_or(SettleError::Unsettled)?;
            if OF_TRANSACTIONS.contains(&name.as_str()) {
                continue;
            }
            match value {
                Some(value) => values.insert(&name, &value),
                // Nobody has set it yet.
                None if is_custom(&name) => {}
                None => return Err(SettleError::Unsettled),
            }
        }
        self.state.values = values;
        Ok(())
    }

    /// Takes all prepared statements away, where nobody knows which there are.
    ///
    /// Not to be cancelled and gone on with: an answer may be under way.
    ///
    /// # Errors
    /// It must not be used any more.
    pub async fn forget_lost(&mut self) -> Result<(), SettleError> {
        if !self.state.prepared.has_lost_track() {
            return Ok(());
        }
        let mut out = Outbox::default();
        out.deallocate_all().map_err(|_| SettleError::Unsettled)?;
        self.ask(&out, None).await?;
        self.state.prepared.all_closed();
        Ok(())
    }

    /// Has statements prepared as they would be by other settings: each is a Parse of that name
    /// with a Sync. What fails is not there. None of those makes room for them.
    ///
    /// Not to be cancelled and gone on with: an answer may be under way.
    ///
    /// # Errors
    /// It must not be used any more.
    pub async fn prepare_by(
        &mut self,
        settings: &SetValues,
        (parses, kept): (Vec<(UpstreamName, Outbox)>, &HashSet<UpstreamName>),
    ) -> Result<(), SettleError> {
        let own = self.state.values.clone();
        self.bring_to(settings).await?;
        for (name, parse) in parses {
            self.state.prepared.take_place(name, kept);
            let deadline = Instant::now() + limits::pools::SETTLE_TIME_MAX;
            let answer = self.exchange(&parse, None, deadline).await?;
            if answer.failed.is_some() {
                self.state.prepared.doubt(name);
            }
        }
        self.bring_to(&own).await
    }

    /// Sends texts of pgsieve's own that must not fail, and reads their rows, where they are of so
    /// many columns and wanted. A cancel that was meant for a statement before fails one at most.
    async fn ask(
        &mut self,
        out: &Outbox,
        columns: Option<usize>,
    ) -> Result<Vec<Vec<Option<String>>>, SettleError> {
        let deadline = Instant::now() + limits::pools::SETTLE_TIME_MAX;
        for _ in 0..limits::pools::SETTLE_TRIES_MAX {
            let answer = self.exchange(out, columns, deadline).await?;
            match answer.failed {
                None => return Ok(answer.rows),
                Some(code) if code == SqlstateCode::from(sqlstate::QUERY_CANCELED) => {}
                Some(_) => break,
            }
        }
        Err(SettleError::Unsettled)
    }

    async fn exchange(
        &mut self,
        out: &Outbox,
        columns: Option<usize>,
        deadline: Instant,
    ) -> Result<Answer, SettleError> {
        let sent = self.frames.send(out, deadline).await;
        sent.map_err(SettleError::Link)?;
        let mut answer = Answer::default();
        // As many turns as there are settings: the deadline ends it.
        loop {
            let message = self.frames.backend(deadline).await;
            let message = message.map_err(SettleError::Link)?;
            match message.kind {
                b'D' => {
                    if let Some(columns) = columns {
                        let row = data_row(message.body(), columns);
                        answer.rows.push(row.ok_or(SettleError::Unsettled)?);
                    }
                }
                b'S' => self.look_at(message.body())?,
                b'E' => {
                    let fields = error_fields(message.body());
                    let fields = fields.map_err(|_malformed| SettleError::Unsettled)?;
                    let code = fields.bytes(b'C').unwrap_or_default();
                    answer.failed = Some(SqlstateCode::from_bytes(code));
                }
                b'T' | b'C' | b'N' | b'1' => {}
                b'Z' if message.body() == IDLE => return Ok(answer),
                _ => return Err(SettleError::Unsettled),
            }
        }
    }

    fn look_at(&mut self, reported: &[u8]) -> Result<(), SettleError> {
        let reported = parameter_status(reported);
        let (name, value) = reported.map_err(|_malformed| SettleError::Unsettled)?;
        if name == IN_HOT_STANDBY {
            self.state.kind = ServerKind::reported(value).or(self.state.kind);
        }
        let role = self.state.base.parameters.iter().rev();
        let mut role = role.filter(|(name, _)| name == SESSION_AUTHORIZATION);
        let role = role.next().map_or("", |(_, role)| role.as_str());
        match tripwire::reported(role, name, value) {
            None => Ok(()),
            Some(tripwire) => Err(SettleError::Tripped(tripwire)),
        }
    }
}

impl fmt::Debug for PooledConnection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.fmt(formatter)
    }
}

impl fmt::Debug for ConnectionState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ConnectionState({:?})", self.values)
    }
}

impl fmt::Debug for ConnectionBase {
    /// Without the values.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ConnectionBase")
    }
}

/// The version of the server, as it reports it.
const SERVER_VERSION: &str = "server_version";

/// The user that is logged in, as the server reports it.
const SESSION_AUTHORIZATION: &str = "session_authorization";

/// Settings that are over with their transaction.
const OF_TRANSACTIONS: [&str; 3] = [
    "transaction_deferrable",
    "transaction_isolation",
    "transaction_read_only",
];

/// Those of a row that tells a setting.
const COLUMNS: usize = 2;

/// The body of ReadyForQuery outside of a transaction.
const IDLE: &[u8] = b"I";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lasts_is_told_by_its_digest() {
        let of = |pairs: &[(&str, &str)]| {
            let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            digest_of(&pairs.iter().map(owned).collect::<Vec<_>>())
        };
        let own = of(&[("TimeZone", "UTC"), ("DateStyle", "ISO")]);
        assert_eq!(own, of(&[("DateStyle", "ISO"), ("TimeZone", "UTC")]));
        let twice = [
            ("TimeZone", "CET"),
            ("DateStyle", "ISO"),
            ("TimeZone", "UTC"),
        ];
        assert_eq!(own, of(&twice));
        let standby = [
            (IN_HOT_STANDBY, "on"),
            ("DateStyle", "ISO"),
            ("TimeZone", "UTC"),
        ];
        assert_eq!(own, of(&standby));
        assert_ne!(own, of(&[("TimeZone", "UTC"), ("DateStyle", "SQL")]));
        assert_ne!(own, of(&[("TimeZone", "UTC")]));
        assert_ne!(of(&[("a", "bc")]), of(&[("ab", "c")]));
        assert_ne!(of(&[("a", "b"), ("c", "d")]), of(&[("a", "d"), ("c", "b")]));
    }
}
