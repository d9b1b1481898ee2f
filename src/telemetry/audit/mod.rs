//! The audit: one JSON line for everything that matters, in a file, on stdout, in a syslog or at a
//! collector, on a chain that shows when a line was altered, taken out or moved.
//!
//! A line is written into a queue by whoever emits the event, and from there to its sinks by one
//! thread, in batches, which puts the end of each line on it. Nobody who emits a line waits for
//! that. What must be on record (refusals, logins, alarms, repairs that were applied) is always
//! taken; its session waits behind it while the queue is full. Of what was permitted, lines are
//! dropped then, or every session waits: `audit.on_full`. Whatever is lost is counted, and the next
//! line says how much it was.
//!
//! * `line`: how a line is put together; `line_time`: its time; `copy_name`: who writes it;
//!   `line_numbers`: its number on the chain; `schema`: what it holds, with its table in
//!   `event_forms` and `fields`, of forms in `field_form`
//! * `queue`: lines that wait; `writer`: the thread; `line_batch`: what it has taken
//! * `chain`: how lines hang together; `verify`: whether they do; `chain_resume`: taking up a chain
//!   where a file ends; `file_ends`: what chain is in a file, and whose
//! * `sink`: one place that lines go to, a `file`, a receiver of `syslog` or a `collector`;
//!   `file_turns`: the rotation of a file; `sink_change`: other places while lines are written
//! * `settings`: what can be set

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::limits::AUDIT_LAST_FLUSH;
use crate::secret::Secret;
use crate::telemetry::TelemetryError;
use crate::telemetry::log::EventLog;
use crate::telemetry::registry::AuditMetrics;
use crate::telemetry::session_info::SessionInfo;

pub mod chain;
mod chain_resume;
pub mod collector;
pub mod copy_name;
mod event_forms;
mod field_form;
mod fields;
pub mod file;
pub mod file_ends;
mod file_turns;
pub mod line;
mod line_batch;
mod line_numbers;
pub mod line_time;
pub mod queue;
pub mod schema;
#[cfg(test)]
mod schema_tests;
pub mod settings;
mod sink;
mod sink_change;
pub(in crate::telemetry) mod syslog;
pub mod text;
pub mod verify;
mod writer;

use copy_name::CopyName;
use line::AuditLine;
use queue::{AuditShared, LineTaken, WriterState, wait};
pub use queue::{LineWeight, StuckAudit};
pub use settings::{AuditSettings, AuditTarget, ChainKey, OnFull, SyslogAddress};
pub use sink_change::SinkChange;
use writer::AuditWriter;

/// The way into the audit. Dropping it writes what is left and ends the thread.
pub struct Audit {
    shared: Arc<AuditShared>,
    /// Whether texts are encrypted to anybody.
    has_recipients: bool,
    /// Which copy of pgsieve writes them.
    copy: CopyName,
    /// Where lines go.
    held: Mutex<AuditSettings>,
    thread: Option<JoinHandle<()>>,
}

impl Audit {
    /// Opens the targets and starts the thread; `None` when the audit is off.
    ///
    /// # Errors
    /// A target cannot be opened or is in use, or the thread cannot be started.
    pub fn start(
        settings: &AuditSettings,
        numbers: AuditMetrics,
        log: EventLog,
    ) -> Result<Option<Self>, TelemetryError> {
        if settings.is_off() {
            return Ok(None);
        }
        let copy = settings.copy.clone().unwrap_or_else(CopyName::of_host);
        let shared = Arc::new(AuditShared::new(settings.on_full, &copy, numbers));
        let audit_writer =
            AuditWriter::open(settings, &copy, Arc::clone(&shared), log).map_err(|source| {
                let path = settings.file().map(std::path::Path::to_path_buf);
                TelemetryError::AuditOpen { path, source }
            })?;
        let thread = std::thread::Builder::new()
            .name("audit".into())
            .spawn(move || audit_writer.run())
            .map_err(|source| TelemetryError::AuditThread { source })?;
        Ok(Some(Self {
            shared,
            copy,
            has_recipients: !settings.text_recipients.is_empty(),
            held: Mutex::new(settings.clone()),
            thread: Some(thread),
        }))
    }

    /// Puts one line into the queue: the fields that every line has, then what `fill` adds. Never
    /// waits; where a line was taken although there was no room, its session is told to.
    pub fn record(
        &self,
        weight: LineWeight,
        event: &'static str,
        session: Option<&SessionInfo>,
        fill: impl FnOnce(&mut AuditLine<'_>),
    ) {
        let _ = self.record_with(weight, event, session, None, fill);
    }

    /// The same with the text of a statement, which the writer encrypts; it is left out where it is
    /// encrypted to nobody. The place of the line among all that were ever taken; none where it was
    /// dropped.
    pub fn record_with(
        &self,
        weight: LineWeight,
        event: &'static str,
        session: Option<&SessionInfo>,
        of_statement: Option<&Secret>,
        fill: impl FnOnce(&mut AuditLine<'_>),
    ) -> Option<u64> {
        let of_statement = of_statement.filter(|_| self.has_recipients);
        let taken = self.shared.put(weight, of_statement, |text, line_start| {
            line_start.begin(text, event, session);
            fill(&mut AuditLine::new(text));
        });
        if let (LineTaken::OverTheMark(_), LineWeight::Waits, Some(session)) =
            (taken, weight, session)
        {
            session.note_debt();
        }
        taken.place()
    }

    /// Has what was recorded so far written now, and not in a moment. Nobody waits for it.
    pub fn urge(&self) {
        self.shared.urge();
    }

    /// The number on the chain of the line at that place, once it is written everywhere; none where
    /// it is one of long ago.
    pub fn number_of(&self, place: u64) -> Option<u64> {
        self.shared.number_of(place)
    }

    /// Whether there is no room.
    pub fn is_full(&self) -> bool {
        self.shared.is_full()
    }

    /// Whether there is none for longer than a slow disk explains, and why.
    pub fn stuck(&self) -> Option<StuckAudit> {
        self.shared.stuck()
    }

    /// Whether every session waits while there is none.
    pub fn blocks(&self) -> bool {
        self.shared.blocks()
    }

    /// Waits until there is room. May be cancelled.
    pub fn room(&self) -> impl Future<Output = ()> + Send + 'static {
        Arc::clone(&self.shared).room()
    }

    /// Waits until every line taken so far is written, at most `patience`; says whether it was.
    /// Blocks the calling thread.
    pub fn flush(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut queue = self.shared.lock();
        let wanted = queue.lines_taken_in;
        while queue.lines_settled < wanted {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else {
                return false;
            };
            queue.urge();
            self.shared.work.notify_one();
            queue = wait(&self.shared.progress, queue, left);
        }
        true
    }

    /// Has everything written and the thread ended, at most `patience`; says whether it was. What
    /// is recorded later is lost. Blocks the calling thread.
    pub fn close(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut queue = self.shared.lock();
        while queue.writer != WriterState::Closed {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else {
                return false;
            };
            queue.writer = WriterState::Closing;
            self.shared.work.notify_one();
            queue = wait(&self.shared.progress, queue, left);
        }
        queue.lines_settled >= queue.lines_taken_in
    }

    /// Opens what these settings name and is not written to yet; nothing where all stays as it is.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn prepare(&self, settings: &AuditSettings) -> Result<Option<SinkChange>, TelemetryError> {
        let held = self.held().clone();
        let rotation = |one: &AuditSettings| (one.rotate_bytes, one.rotate_keep);
        if held.targets == settings.targets && rotation(&held) == rotation(settings) {
            return Ok(None);
        }
        let places = SinkChange::open(settings, &held.targets, &self.copy).map_err(|source| {
            let path = settings.file().map(std::path::Path::to_path_buf);
            TelemetryError::AuditOpen { path, source }
        });
        places.map(Some)
    }

    /// Has lines go there from the next batch on.
    pub fn move_to(&self, places: SinkChange) {
        places.note_in(&mut self.held());
        let mut queue = self.shared.lock();
        queue.places = Some(Box::new(places));
        queue.urge();
        self.shared.work.notify_one();
    }

    fn held(&self) -> MutexGuard<'_, AuditSettings> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the file opened anew before the next batch, if it is another one by now.
    pub fn reopen(&self) {
        let mut queue = self.shared.lock();
        queue.reopen = true;
        queue.urge();
        self.shared.work.notify_one();
    }
}

impl Drop for Audit {
    fn drop(&mut self) {
        // A place that hangs must not keep the process from ending.
        self.close(AUDIT_LAST_FLUSH);
        let ended = self.shared.lock().writer == WriterState::Closed;
        if let Some(thread) = self.thread.take().filter(|_| ended) {
            // A writer that panicked has been counted by the panic hook; there is no more to do.
            let _ = thread.join();
        }
    }
}
