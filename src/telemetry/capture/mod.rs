//! The capture: statements that failed, with their text, for whoever wants to run them again.
//!
//! It is the one place where texts of clients are kept in clear. There is none unless the settings
//! name its file, which nobody else may read, and which grows to a bound and no further. Parameters
//! are never kept, nor is what the server answered. Whoever records a failure never waits: a line
//! goes to a thread that writes it, and what finds no room there is counted and left out.
//!
//! * `replayable_text`: which failures are worth it, and whose texts may be kept
//! * `capture_file`: the file; `capture_writer`: the thread

pub mod capture_file;
mod capture_writer;
mod replayable_text;

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use self::capture_file::CaptureFile;
use self::capture_writer::CaptureWriter;
use self::replayable_text::{is_replayable, text_fate};
use crate::limits::capture::CAPTURE_LINES_MAX;
use crate::telemetry::TelemetryError;
use crate::telemetry::audit::line::AuditLine;
use crate::telemetry::counters::counter_vec::CounterVec;
use crate::telemetry::events::StatementFinished;
use crate::telemetry::json_text::push_string;
use crate::telemetry::labels::CaptureOutcome;
use crate::telemetry::log::EventLog;

/// What is captured to, and how much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureSettings {
    /// The file.
    pub file: PathBuf,
    /// Bytes that it may have.
    pub bytes_max: u64,
}

/// The way into the capture.
pub struct StatementCapture {
    /// None once it is closed.
    lines: Mutex<Option<SyncSender<String>>>,
    /// Disconnected when the thread has ended.
    ended: Mutex<Receiver<()>>,
    outcomes: Arc<CounterVec<CaptureOutcome>>,
}

impl StatementCapture {
    /// Opens the file and starts the thread.
    ///
    /// # Errors
    /// The file may not be used for this, or the thread cannot be started.
    pub fn start(
        settings: &CaptureSettings,
        outcomes: Arc<CounterVec<CaptureOutcome>>,
        log: EventLog,
    ) -> Result<Self, TelemetryError> {
        let file = CaptureFile::open(&settings.file).map_err(TelemetryError::CaptureOpen)?;
        let (lines, coming) = sync_channel(CAPTURE_LINES_MAX);
        let (ending, ended) = sync_channel(1);
        let counted = Arc::clone(&outcomes);
        let writer = CaptureWriter::new(file, settings.bytes_max, counted, log);
        std::thread::Builder::new()
            .name("capture".into())
            .spawn(move || {
                writer.run(&coming);
                drop(ending);
            })
            .map_err(|source| TelemetryError::CaptureThread { source })?;
        Ok(Self {
            lines: Mutex::new(Some(lines)),
            ended: Mutex::new(ended),
            outcomes,
        })
    }

    /// Keeps the text of a statement that has failed, where it may be kept.
    pub(in crate::telemetry) fn record(&self, finished: &StatementFinished<'_>) {
        let (Some(text), Some(code)) = (finished.sent_text, finished.sqlstate) else {
            return;
        };
        if !is_replayable(code.as_str()) {
            return;
        }
        let left_out = match text_fate(finished.kind, finished.outcome, text) {
            CaptureOutcome::Kept => self.hand_over(line_of(finished, text, code.as_str())),
            left_out => Some(left_out),
        };
        if let Some(left_out) = left_out {
            self.outcomes.inc(left_out);
        }
    }

    /// Has what was taken written, at most `patience`; says whether it was. What is recorded later
    /// is lost. Blocks the calling thread.
    pub fn close(&self, patience: Duration) -> bool {
        drop(self.lines().take());
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = ended.recv_timeout(patience);
        waited == Err(std::sync::mpsc::RecvTimeoutError::Disconnected)
    }

    /// Gives a line to the thread, which counts it; says why not where that is so.
    fn hand_over(&self, line: String) -> Option<CaptureOutcome> {
        match self.lines().as_ref().map(|lines| lines.try_send(line)) {
            Some(Ok(())) => None,
            Some(Err(TrySendError::Full(_))) => Some(CaptureOutcome::QueueFull),
            Some(Err(TrySendError::Disconnected(_))) | None => Some(CaptureOutcome::Unwritten),
        }
    }

    fn lines(&self) -> MutexGuard<'_, Option<SyncSender<String>>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A line, with its end.
fn line_of(finished: &StatementFinished<'_>, text: &str, code: &str) -> String {
    let session = finished.session;
    let mut out = String::with_capacity(text.len() + LINE_BYTES_ABOUT);
    out.push_str("{\"at\":");
    let now = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S.%6fZ");
    push_string(&mut out, &now.to_string());
    let mut line = AuditLine::new(&mut out);
    line.text("database", session.database())
        .text("user", session.user());
    if let Some((policy, _)) = session.policy() {
        line.text("policy", policy);
    }
    line.text("sqlstate", code);
    if let Some(rule) = finished.rule {
        line.word("rule", rule.name());
    }
    if let Some(fingerprint) = &finished.fingerprint {
        line.hex("fingerprint", fingerprint.as_bytes());
    }
    line.text("sql", text);
    out.push_str("}\n");
    out
}

/// What a line has beside its text, about.
const LINE_BYTES_ABOUT: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::registry::MetricsRegistry;

    #[test]
    fn what_finds_no_room_is_left_out_and_nobody_waits() {
        let (lines, coming) = sync_channel(1);
        let (ending, ended) = sync_channel(1);
        let capture = StatementCapture {
            lines: Mutex::new(Some(lines)),
            ended: Mutex::new(ended),
            outcomes: Arc::clone(&MetricsRegistry::new().unwrap().captured),
        };
        let give = || capture.hand_over("line\n".to_owned());
        assert_eq!(give(), None);
        assert_eq!(give(), Some(CaptureOutcome::QueueFull));
        assert_eq!(coming.recv().unwrap(), "line\n");
        assert_eq!(give(), None);
        assert!(!capture.close(Duration::from_millis(1)));
        assert_eq!(give(), Some(CaptureOutcome::Unwritten));
        drop(ending);
        assert!(capture.close(Duration::from_millis(1)));
    }
}
