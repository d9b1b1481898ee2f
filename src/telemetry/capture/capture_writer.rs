//! The thread that writes the capture. It alone waits for the disk.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use super::capture_file::CaptureFile;
use crate::telemetry::counters::counter_vec::CounterVec;
use crate::telemetry::labels::CaptureOutcome;
use crate::telemetry::log::log_event::LogEvent;
use crate::telemetry::log::{EventLog, LogLevel};

/// The writer.
pub(super) struct CaptureWriter {
    file: CaptureFile,
    bytes_max: u64,
    state: WritingState,
    outcomes: Arc<CounterVec<CaptureOutcome>>,
    log: EventLog,
}

/// Whether lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WritingState {
    /// They are.
    Written,
    /// The last one could not be, which was logged.
    Failing,
    /// The file has as much as it may have: none is any more.
    Full,
}

impl CaptureWriter {
    pub(super) fn new(
        file: CaptureFile,
        bytes_max: u64,
        outcomes: Arc<CounterVec<CaptureOutcome>>,
        log: EventLog,
    ) -> Self {
        Self {
            file,
            bytes_max,
            state: WritingState::Written,
            outcomes,
            log,
        }
    }

    /// Writes what comes until nobody is left who sends anything.
    pub(super) fn run(mut self, lines: &Receiver<String>) {
        while let Ok(line) = lines.recv() {
            let outcome = self.write(&line);
            self.outcomes.inc(outcome);
        }
    }

    fn write(&mut self, line: &str) -> CaptureOutcome {
        if self.state == WritingState::Full {
            return CaptureOutcome::FileFull;
        }
        let length = u64::try_from(line.len()).unwrap_or(u64::MAX);
        if self.file.size().saturating_add(length) > self.bytes_max {
            self.state = WritingState::Full;
            self.log_fault(
                LogEvent::CaptureFull,
                &format!(
                    "has as much as capture.bytes_max allows, {} bytes: no more statements are \
                     kept; move it away and restart to go on",
                    self.bytes_max
                ),
            );
            return CaptureOutcome::FileFull;
        }
        match self.file.append(line) {
            Ok(()) => {
                self.state = WritingState::Written;
                CaptureOutcome::Kept
            }
            Err(error) => {
                // One line for as long as it lasts.
                if self.state == WritingState::Written {
                    let what = format!("cannot be written: {}", error.kind());
                    self.log_fault(LogEvent::CaptureFailed, &what);
                }
                self.state = WritingState::Failing;
                CaptureOutcome::Unwritten
            }
        }
    }

    fn log_fault(&self, event: LogEvent, what: &str) {
        let key = self.log.places().name("capture.file");
        let path = self.file.path().display();
        let told = format_args!("{key}: {path} {what}");
        self.log.line(LogLevel::Warn, event.name(), told);
    }
}
