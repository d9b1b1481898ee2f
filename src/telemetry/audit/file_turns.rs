//! The audit's file while it is written to: put aside where it is large enough, and opened anew
//! where somebody else has put it aside.

use std::time::Instant;

use super::chain_resume::with_key;
use super::file::ReopenResult;
use super::sink::SinkKind;
use super::writer::{AuditWriter, END_BYTES_MAX};
use crate::limits::AUDIT_ROTATE_AGAIN;
use crate::telemetry::log::LogLevel;
use crate::telemetry::log::log_event::LogEvent;

impl AuditWriter {
    /// Whether the next line would make the file larger than it may be.
    pub(super) fn is_large_enough(&self) -> bool {
        let (Some(most), Some(size)) = (self.rotate_bytes, self.file_size()) else {
            return false;
        };
        let rest = self.batch.rest();
        let next = rest.split_once('\n').map_or(rest, |(line, _)| line);
        let text = self.text_bytes_max(self.batch.sealed.bytes);
        let next = u64::try_from(next.len() + text + END_BYTES_MAX).unwrap_or(u64::MAX);
        size > 0 && size.saturating_add(next) > most
    }

    pub(super) fn file_size(&self) -> Option<u64> {
        self.sinks
            .iter()
            .find_map(|audit_sink| match &audit_sink.kind {
                SinkKind::File(file) if file.is_plain() => Some(file.size()),
                SinkKind::File(_)
                | SinkKind::Stdout(_)
                | SinkKind::Syslog(_)
                | SinkKind::Collector(_) => None,
            })
    }

    pub(super) fn rotate(&mut self) {
        if self
            .stuck
            .is_some_and(|since| since.elapsed() < AUDIT_ROTATE_AGAIN)
        {
            return;
        }
        let keep = self.rotate_keep;
        let rotated = self
            .sinks
            .iter_mut()
            .find_map(|audit_sink| match &mut audit_sink.kind {
                SinkKind::File(file) => Some(file.rotate(keep)),
                SinkKind::Stdout(_) | SinkKind::Syslog(_) | SinkKind::Collector(_) => None,
            });
        match rotated {
            None => {}
            Some(Ok(())) => {
                self.stuck = None;
                self.shared.numbers.rotations.inc();
                let head = self.chain.head();
                let told = format_args!("the audit's file was put aside; head {head}");
                self.log
                    .line(LogLevel::Info, LogEvent::AuditRotated.name(), told);
                let fields = with_key(self.key.as_ref(), ",\"why\":\"rotated\"");
                self.write_chain_event("chain_continued", &fields);
            }
            Some(Err(error)) => {
                self.stuck = Some(Instant::now());
                self.shared.numbers.write_errors.inc();
                let kind = error.kind();
                let told = format_args!("the audit's file cannot be put aside: {kind}");
                self.log
                    .line(LogLevel::Warn, LogEvent::AuditRotateFailed.name(), told);
            }
        }
    }

    pub(super) fn reopen(&mut self) {
        let fresh = self.has_written_piece();
        let mut another = false;
        for audit_sink in &mut self.sinks {
            match audit_sink.reopen(&self.piece) {
                Ok(reopened) => another |= reopened == ReopenResult::Another,
                Err(error) => {
                    // The old one is written to until it works.
                    self.shared.numbers.write_errors.inc();
                    let kind = error.kind();
                    let told = format_args!("the audit's file cannot be opened anew: {kind}");
                    self.log
                        .line(LogLevel::Warn, LogEvent::AuditReopenFailed.name(), told);
                    return;
                }
            }
        }
        self.reopen = false;
        if !another {
            return;
        }
        let head = self.chain.head();
        let told = format_args!("the audit's file was opened anew; head {head}");
        self.log
            .line(LogLevel::Info, LogEvent::AuditReopened.name(), told);
        // Lines that are sealed already come first, and say themselves what they follow.
        if fresh {
            self.begin_piece();
            let fields = with_key(self.key.as_ref(), ",\"why\":\"reopened\"");
            self.write_chain_event("chain_continued", &fields);
        }
    }
}
