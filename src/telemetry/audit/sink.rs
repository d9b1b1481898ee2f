//! One place that lines go to, and how far it has come with the piece that is being written.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;

use super::collector::{CollectorSink, RefusedCount};
use super::copy_name::CopyName;
use super::file::{AuditFile, ReopenResult};
use super::settings::AuditTarget;
use super::syslog::SyslogReceiver;
use crate::system_error;
use crate::telemetry::log::key_places::KeyPlaces;

/// One place.
pub struct AuditSink {
    /// What it was opened for.
    pub target: AuditTarget,
    /// What it is.
    pub kind: SinkKind,
    /// Bytes of the piece that it has.
    written: usize,
    /// Whether the last attempt failed, which was told.
    pub failing: bool,
}

/// What a place can be.
pub enum SinkKind {
    /// Standard output, without the buffer that others would share.
    Stdout(File),
    /// A file.
    File(AuditFile),
    /// A receiver.
    Syslog(SyslogReceiver),
    /// A collector.
    Collector(Box<CollectorSink>),
}

impl AuditSink {
    /// Opens what a target names, for lines of this copy.
    ///
    /// # Errors
    /// It cannot be opened, or another process writes to it.
    pub fn open(target: &AuditTarget, copy: &CopyName) -> io::Result<Self> {
        let sink = match target {
            AuditTarget::Stdout => {
                let own = io::stdout().as_fd().try_clone_to_owned()?;
                SinkKind::Stdout(File::from(own))
            }
            AuditTarget::File(path) => SinkKind::File(AuditFile::open(path)?),
            AuditTarget::Syslog(place) => SinkKind::Syslog(SyslogReceiver::new(place.clone())),
            AuditTarget::Collector(target) => {
                SinkKind::Collector(Box::new(CollectorSink::open(target, copy)?))
            }
        };
        Ok(Self {
            target: target.clone(),
            kind: sink,
            written: 0,
            failing: false,
        })
    }

    /// What it is, for a person.
    pub fn name(&self) -> &'static str {
        match self.kind {
            SinkKind::Stdout(_) => "standard output",
            SinkKind::File(_) => "the file",
            SinkKind::Syslog(_) => "the syslog",
            SinkKind::Collector(_) => "the collector",
        }
    }

    /// Why it was not reached, with what helps.
    pub fn fault(&self, error: &io::Error, places: &KeyPlaces) -> String {
        let kind = error.kind();
        match &self.kind {
            SinkKind::Stdout(_) => kind.to_string(),
            SinkKind::File(file) => system_error::of_file(file.path(), kind),
            SinkKind::Syslog(syslog) => {
                let place = syslog.place();
                let what = match kind {
                    io::ErrorKind::NotFound => "there is none",
                    io::ErrorKind::PermissionDenied => "permission denied",
                    io::ErrorKind::ConnectionRefused => "nobody listens there",
                    _ => "it does not take what is sent",
                };
                let key = places.name("audit.to");
                format!(
                    "{what} at {place}: name another place in {key}, such as a file or \
                     syslog+udp://host:514"
                )
            }
            SinkKind::Collector(collector) => {
                let (words, key) = collector.fault();
                format!("{words}: see {}", places.name(key))
            }
        }
    }

    /// Where it is not asked for now, because it has just failed: why it did.
    pub fn resting(&self) -> Option<io::ErrorKind> {
        match &self.kind {
            SinkKind::Stdout(_) | SinkKind::File(_) | SinkKind::Syslog(_) => None,
            SinkKind::Collector(collector) => collector.resting(),
        }
    }

    /// The process ends: it does not rest any more.
    pub fn hurry(&mut self) {
        match &mut self.kind {
            SinkKind::Stdout(_) | SinkKind::File(_) | SinkKind::Syslog(_) => {}
            SinkKind::Collector(collector) => collector.hurry(),
        }
    }

    /// The lines that it has refused for good since this was asked last.
    pub fn refused(&mut self) -> Option<RefusedCount> {
        match &mut self.kind {
            SinkKind::Stdout(_) | SinkKind::File(_) | SinkKind::Syslog(_) => None,
            SinkKind::Collector(collector) => collector.refused(),
        }
    }

    /// Whether it has the whole piece.
    pub fn has_all(&self, piece: &str) -> bool {
        self.written >= piece.len()
    }

    /// Another piece comes.
    pub fn next_piece(&mut self) {
        self.written = 0;
    }

    /// Writes on from where the last attempt stopped.
    ///
    /// # Errors
    /// Not everything was taken; what was is remembered.
    pub fn write(&mut self, piece: &str) -> io::Result<()> {
        while !self.has_all(piece) {
            let rest = piece.as_bytes().get(self.written..).unwrap_or_default();
            let written = match &mut self.kind {
                SinkKind::Stdout(file) => file.write(rest),
                SinkKind::File(file) => file.write(rest),
                SinkKind::Syslog(syslog) => {
                    let rest = piece.get(self.written..).unwrap_or_default();
                    let line = rest.split_once('\n').map_or(rest, |(line, _)| line);
                    syslog.send(line).map(|()| line.len() + 1)
                }
                SinkKind::Collector(collector) => {
                    collector.send(piece.get(self.written..).unwrap_or_default())
                }
            };
            match written {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => self.written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Opens a file anew if it is another one by now; a new one gets whole lines only.
    ///
    /// # Errors
    /// The new file cannot be opened.
    pub fn reopen(&mut self, piece: &str) -> io::Result<ReopenResult> {
        let done = piece.as_bytes().get(..self.written).unwrap_or_default();
        let line_start = done
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |newline| newline + 1);
        let torn = u64::try_from(self.written - line_start).unwrap_or(0);
        let SinkKind::File(file) = &mut self.kind else {
            return Ok(ReopenResult::Same);
        };
        let reopened = file.reopen(torn)?;
        if reopened == ReopenResult::Another {
            self.written = line_start;
        }
        Ok(reopened)
    }
}
