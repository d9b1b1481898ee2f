//! The connections of a pool that are there, whoever has them, and the sessions that wait for one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::Notify;
use tokio::time::Instant;

use super::database_bound::DatabasePlace;
use super::shown::{ConnectionShown, ShownUse};
use crate::telemetry::Telemetry;
use crate::telemetry::events::{PoolMoved, PoolQueued};
use crate::telemetry::labels::PooledConnectionState;

/// The connections of one pool that are there, or are being opened.
pub(super) struct OpenConnections {
    telemetry: Telemetry,
    count: AtomicUsize,
    /// Those of them that are being closed.
    closing: AtomicUsize,
    records: Mutex<BTreeMap<u64, Arc<ConnectionRecord>>>,
    /// Connections that were opened before the last change of it are closed at their next rest.
    generation: AtomicU64,
    /// Told of each connection of any pool that is gone.
    gone: Arc<Notify>,
}

/// What is known of one connection beside what its session knows.
struct ConnectionRecord {
    generation: u64,
    opened: SystemTime,
    /// The process id at the server; zero before it is told.
    pid: AtomicI32,
    /// The session that has it: [`NOBODY`] or [`OPENING`], else its number.
    session: AtomicU64,
}

/// The place of a connection among those of its pool, for as long as it is there.
pub(super) struct PoolPlace {
    number: u64,
    record: Arc<ConnectionRecord>,
    open: Arc<OpenConnections>,
    stage: PlaceStage,
    /// Its place among those of its database, where these are bounded.
    of_database: Option<DatabasePlace>,
}

/// Whether a connection stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlaceStage {
    Staying,
    Closing,
}

impl OpenConnections {
    /// None yet. Whoever waits for `gone` hears of each that is closed.
    pub(super) fn new(telemetry: Telemetry, gone: Arc<Notify>) -> Self {
        Self {
            telemetry,
            count: AtomicUsize::new(0),
            closing: AtomicUsize::new(0),
            records: Mutex::default(),
            generation: AtomicU64::new(0),
            gone,
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// How many there are that are not being closed.
    pub(super) fn staying(&self) -> usize {
        let closing = self.closing.load(Ordering::Acquire);
        self.count().saturating_sub(closing)
    }

    /// Those that are there now are closed at their next rest.
    pub(super) fn retire(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
    }

    /// Each of them, in the order in which they were opened.
    pub(super) fn shown(&self) -> Vec<ConnectionShown> {
        let generation = self.generation.load(Ordering::Acquire);
        let records = self.records();
        let shown = records.iter().map(|(number, record)| ConnectionShown {
            number: *number,
            opened: record.opened,
            pid: Some(record.pid.load(Ordering::Relaxed)).filter(|pid| *pid != 0),
            usage: match record.session.load(Ordering::Relaxed) {
                NOBODY => ShownUse::Idle,
                OPENING => ShownUse::Opening,
                session => ShownUse::Session(session),
            },
            is_retired: record.generation != generation,
        });
        shown.collect()
    }

    fn records(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<ConnectionRecord>>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PoolPlace {
    /// One more connection is being opened, with this number that no other of any pool has.
    pub(super) fn taken(
        open: &Arc<OpenConnections>,
        number: u64,
        of_database: Option<DatabasePlace>,
    ) -> Self {
        open.count.fetch_add(1, Ordering::AcqRel);
        open.telemetry.emit(&PoolMoved {
            from: None,
            to: Some(PooledConnectionState::Used),
        });
        let record = Arc::new(ConnectionRecord {
            generation: open.generation.load(Ordering::Acquire),
            opened: SystemTime::now(),
            pid: AtomicI32::new(0),
            session: AtomicU64::new(OPENING),
        });
        open.records().insert(number, Arc::clone(&record));
        Self {
            number,
            record,
            open: Arc::clone(open),
            stage: PlaceStage::Staying,
            of_database,
        }
    }

    /// It is closed from now on, and counts until the server has let go of it.
    pub(super) fn closes(&mut self) {
        if self.stage == PlaceStage::Staying {
            self.stage = PlaceStage::Closing;
            self.open.closing.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// It is counted among those of its database from now on.
    pub(super) fn counts_in(&mut self, of_database: DatabasePlace) {
        self.of_database = Some(of_database);
    }

    /// It is there, with this process id at the server.
    pub(super) fn opened(&self, pid: Option<i32>) {
        let pid = pid.unwrap_or_default();
        self.record.pid.store(pid, Ordering::Relaxed);
    }

    /// This session has it from now on.
    pub(super) fn used_by(&self, session: u64) {
        self.record.session.store(session, Ordering::Relaxed);
    }

    /// No session has it from now on.
    pub(super) fn rests(&self) {
        self.record.session.store(NOBODY, Ordering::Relaxed);
    }

    /// Whether it is to be closed at its next rest.
    pub(super) fn is_retired(&self) -> bool {
        self.record.generation != self.open.generation.load(Ordering::Acquire)
    }

    /// Who counts it.
    pub(super) fn telemetry(&self) -> &Telemetry {
        &self.open.telemetry
    }
}

impl Drop for PoolPlace {
    fn drop(&mut self) {
        self.open.records().remove(&self.number);
        if self.stage == PlaceStage::Closing {
            self.open.closing.fetch_sub(1, Ordering::AcqRel);
        }
        self.open.count.fetch_sub(1, Ordering::AcqRel);
        drop(self.of_database.take());
        self.open.telemetry.emit(&PoolMoved {
            from: Some(PooledConnectionState::Used),
            to: None,
        });
        self.open.gone.notify_waiters();
    }
}

/// The sessions that wait for a connection of a pool.
#[derive(Default)]
pub(super) struct WaitingSessions {
    since: Mutex<BTreeMap<u64, (WaitingKind, Instant)>>,
}

/// Who waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitingKind {
    /// A client that is logging in, or a session that is moving.
    Arriving,
    /// A session of this pool.
    Session,
}

impl WaitingSessions {
    /// How many sessions of the pool wait.
    pub(super) fn sessions(&self) -> usize {
        let since = self.since();
        let kinds = since.values().map(|(kind, _)| *kind);
        kinds.filter(|kind| *kind == WaitingKind::Session).count()
    }

    /// Who waits, by the numbers of sessions, and for how long.
    pub(super) fn shown(&self) -> Vec<(u64, Duration)> {
        let since = self.since();
        let shown = since
            .iter()
            .map(|(number, (_, since))| (*number, since.elapsed()));
        shown.collect()
    }

    fn since(&self) -> MutexGuard<'_, BTreeMap<u64, (WaitingKind, Instant)>> {
        self.since.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session that waits for a connection, as it is counted.
pub(super) struct Waiting<'p> {
    waiting: &'p WaitingSessions,
    telemetry: &'p Telemetry,
    session: u64,
}

impl<'p> Waiting<'p> {
    /// It waits from now on.
    pub(super) fn begin(
        (waiting, telemetry): (&'p WaitingSessions, &'p Telemetry),
        (session, kind): (u64, WaitingKind),
    ) -> Self {
        telemetry.emit(&PoolQueued { change: 1 });
        waiting.since().insert(session, (kind, Instant::now()));
        Self {
            waiting,
            telemetry,
            session,
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.waiting.since().remove(&self.session);
        self.telemetry.emit(&PoolQueued { change: -1 });
    }
}

/// No session has the connection.
const NOBODY: u64 = 0;

/// It is being opened.
const OPENING: u64 = u64::MAX;
