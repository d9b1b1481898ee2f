//! Other places for the lines, while they are being written: what is opened before, and how the
//! writer takes it over.
//!
//! Every place that stays goes on where it is. A file that was not among them has a chain of its
//! own, which is taken up where it ends, as at a start; lines that were on the old chain and not in
//! all places yet are put on the new one, so that none is lost by the change.

use std::io;

use super::chain_resume;
use super::chain_resume::BegunChain;
use super::copy_name::CopyName;
use super::settings::{AuditSettings, AuditTarget};
use super::sink::{AuditSink, SinkKind};
use super::writer::AuditWriter;
use crate::telemetry::log::LogLevel;
use crate::telemetry::log::log_event::LogEvent;

/// Places that are ready to be written to.
pub struct SinkChange {
    targets: Vec<AuditTarget>,
    /// Those that are not written to yet.
    opened: Vec<AuditSink>,
    rotate_bytes: Option<u64>,
    rotate_keep: usize,
}

impl SinkChange {
    /// Opens what is not among those that are held. Nothing is written yet.
    ///
    /// # Errors
    /// The system's.
    pub fn open(
        settings: &AuditSettings,
        held: &[AuditTarget],
        copy: &CopyName,
    ) -> io::Result<Self> {
        let fresh = settings.targets.iter().filter(|one| !held.contains(one));
        let opened = fresh.map(|target| AuditSink::open(target, copy));
        let opened = opened.collect::<io::Result<Vec<_>>>()?;
        Ok(Self {
            targets: settings.targets.clone(),
            opened,
            rotate_bytes: settings.rotate_bytes,
            rotate_keep: settings.rotate_keep,
        })
    }

    /// Writes down that these are written to.
    pub fn note_in(&self, held: &mut AuditSettings) {
        held.targets.clone_from(&self.targets);
        (held.rotate_bytes, held.rotate_keep) = (self.rotate_bytes, self.rotate_keep);
    }
}

impl AuditWriter {
    /// Writes to these from now on.
    pub(super) fn change_sinks(&mut self, places: SinkChange) {
        let SinkChange {
            targets,
            mut opened,
            rotate_bytes,
            rotate_keep,
        } = places;
        let mut begun = None;
        for audit_sink in &mut opened {
            if let SinkKind::File(file) = &mut audit_sink.kind {
                match chain_resume::take_up(file, self.key, rotate_keep) {
                    Ok(taken) => begun = Some(taken),
                    Err(error) => {
                        self.shared.numbers.write_errors.inc();
                        let fault = audit_sink.fault(&error, &self.log.places());
                        let told = format_args!("the audit stays where it is: {fault}");
                        return self
                            .log
                            .line(LogLevel::Warn, LogEvent::AuditStays.name(), told);
                    }
                }
            }
        }
        let kept = std::mem::take(&mut self.sinks);
        let kept = kept.into_iter().filter(|one| targets.contains(&one.target));
        self.sinks = kept.chain(opened).collect();
        (self.rotate_bytes, self.rotate_keep) = (rotate_bytes, rotate_keep);
        if let Some(BegunChain {
            chain,
            event,
            fields,
        }) = begun
        {
            let head = self.chain.head();
            let told = format_args!("the audit goes on elsewhere; head {head}");
            self.log
                .line(LogLevel::Info, LogEvent::AuditMoved.name(), told);
            self.unseal();
            self.chain = chain;
            self.write_chain_event(event, &fields);
        }
        let count = self.sinks.len();
        let told = format_args!("the audit is written to {count} places from now on");
        self.log
            .line(LogLevel::Info, LogEvent::AuditPlaces.name(), told);
    }
}
