//! The thread that writes the audit: takes the whole queue, puts each line on the chain and writes
//! it to every place.
//!
//! What cannot be written is kept and tried again, from the byte where it stopped, so no line is
//! torn and none is written twice. A place that fails holds up the others by one piece: all get the
//! same lines. Nothing is synced to the disk by hand: the audit survives the death of the process,
//! not that of the machine.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use memchr::memchr;

use super::chain::AuditChain;
use super::chain_resume;
use super::chain_resume::BegunChain;
use super::collector::RefusedCount;
use super::copy_name::CopyName;
use super::line::LineStart;
use super::line_batch::{BatchPlace, LineBatch};
use super::line_numbers::LineNumbers;
use super::queue::{AuditQueue, AuditShared, WriterState, wait};
use super::settings::{AuditSettings, ChainKey};
use super::sink::{AuditSink, SinkKind};
use super::sink_change::SinkChange;
use super::text::{TextRecipient, seal, sealed_bytes_max};
use crate::limits::collectors::AUDIT_EXPORT_BYTES;
use crate::limits::{
    AUDIT_BUFFER_BYTES_KEPT, AUDIT_CHUNK_BYTES, AUDIT_CLOSING_TIME_MAX, AUDIT_WRITE_INTERVAL_MS,
};
use crate::telemetry::log::log_event::LogEvent;
use crate::telemetry::log::{EventLog, LogLevel};
use crate::telemetry::registry::AuditMetrics;

/// The writer.
pub struct AuditWriter {
    pub(super) shared: Arc<AuditShared>,
    pub(super) sinks: Vec<AuditSink>,
    pub(super) chain: AuditChain,
    pub(super) key: Option<ChainKey>,
    pub(super) rotate_bytes: Option<u64>,
    pub(super) rotate_keep: usize,
    /// Whom the texts of statements are encrypted to.
    recipients: Vec<TextRecipient>,
    pub(super) batch: LineBatch,
    /// What is being written: some lines of the batch, on the chain.
    pub(super) piece: String,
    /// Where its lines begin in the batch.
    piece_from: BatchPlace,
    /// The numbers of the lines that are on the chain.
    line_numbers: LineNumbers,
    line_start: LineStart,
    /// The file is still to be opened anew.
    pub(super) reopen: bool,
    /// Other places that are to be taken over.
    coming: Option<Box<SinkChange>>,
    /// When a rotation failed last.
    pub(super) stuck: Option<Instant>,
    pub(super) log: EventLog,
}

/// What the writer was asked for when it took a batch.
struct WriterOrders {
    closing: bool,
}

impl AuditWriter {
    /// Opens every place and takes the chain up.
    ///
    /// # Errors
    /// A place cannot be opened, or holds what is of no audit and cannot be put aside.
    pub fn open(
        settings: &AuditSettings,
        copy: &CopyName,
        shared: Arc<AuditShared>,
        log: EventLog,
    ) -> io::Result<Self> {
        let targets = settings.targets.iter();
        let opened = targets.map(|target| AuditSink::open(target, copy));
        let mut sinks = opened.collect::<io::Result<Vec<_>>>()?;
        let key = settings.chain_key;
        let mut begun = None;
        for audit_sink in &mut sinks {
            if let SinkKind::File(file) = &mut audit_sink.kind {
                begun = Some(chain_resume::take_up(file, key, settings.rotate_keep)?);
            }
        }
        let begun = begun.map_or_else(|| chain_resume::begin(key), Ok)?;
        let BegunChain {
            chain,
            event,
            fields,
        } = begun;
        let mut audit_writer = Self {
            shared,
            sinks,
            chain,
            key,
            rotate_bytes: settings.rotate_bytes,
            rotate_keep: settings.rotate_keep,
            recipients: settings.text_recipients.clone(),
            batch: LineBatch::default(),
            piece: String::new(),
            piece_from: BatchPlace::default(),
            line_numbers: LineNumbers::default(),
            line_start: LineStart::new(copy),
            reopen: false,
            coming: None,
            stuck: None,
            log,
        };
        audit_writer.write_chain_event(event, &fields);
        Ok(audit_writer)
    }

    /// Runs until the audit is closed.
    pub fn run(mut self) {
        let mut closing_since = None;
        loop {
            let written = self.write_all();
            let fault = written.as_ref().err().map(io::Error::kind);
            self.shared.note_attempt(fault);
            if written.is_ok() {
                let mut queue = self.shared.lock();
                queue.lines_settled = self.batch.last_line;
                queue.line_numbers.clone_from(&self.line_numbers);
                drop(queue);
                self.batch.clear();
                self.piece_from = self.batch.sealed;
            }
            self.shared.progress.notify_all();
            if let Some(since) = closing_since {
                let over = Instant::now().duration_since(since) > AUDIT_CLOSING_TIME_MAX;
                if written.is_ok() || over {
                    return self.end();
                }
            }
            if written.is_err() {
                std::thread::sleep(Duration::from_millis(AUDIT_WRITE_INTERVAL_MS));
            }
            if self.take().closing {
                closing_since = closing_since.or_else(|| Some(Instant::now()));
                self.sinks.iter_mut().for_each(AuditSink::hurry);
            }
            if let Some(places) = self.coming.take() {
                self.change_sinks(*places);
            }
            if self.reopen {
                self.reopen();
            }
        }
    }

    /// Waits for lines and takes them all, unless an earlier batch is still to be written.
    fn take(&mut self) -> WriterOrders {
        let shared = Arc::clone(&self.shared);
        let is_done = self.is_done();
        let mut queue = shared.lock();
        while queue.writer == WriterState::Idle && is_done {
            queue = wait(&shared.work, queue, Duration::MAX);
        }
        if queue.writer == WriterState::Gathering && is_done {
            let moment = Duration::from_millis(AUDIT_WRITE_INTERVAL_MS);
            queue = wait(&shared.work, queue, moment);
        }
        let closing = queue.writer == WriterState::Closing;
        if is_done {
            std::mem::swap(&mut self.batch.text, &mut queue.text);
            self.batch.texts = std::mem::take(&mut queue.texts);
            self.batch.last_line = queue.lines_taken_in;
        } else if closing {
            // The target failed already; the last attempts are made with everything there is.
            let texts = std::mem::take(&mut queue.texts);
            self.batch.texts.append(self.batch.text.len(), texts);
            self.batch.text.push_str(&queue.text);
            self.batch.last_line = queue.lines_taken_in;
            queue.text.clear();
        }
        self.reopen |= std::mem::take(&mut queue.reopen);
        if let Some(places) = queue.places.take() {
            self.coming = Some(places);
        }
        rest(&mut queue);
        shared.count_waiting(&queue);
        if queue.text.is_empty() {
            shared.make_room();
        }
        WriterOrders { closing }
    }

    fn is_done(&self) -> bool {
        self.batch.rest().is_empty() && self.has_written_piece()
    }

    pub(super) fn has_written_piece(&self) -> bool {
        self.sinks
            .iter()
            .all(|audit_sink| audit_sink.has_all(&self.piece))
    }

    fn write_all(&mut self) -> io::Result<()> {
        loop {
            let mut failure = None;
            for audit_sink in &mut self.sinks {
                if let Some(kind) = audit_sink.resting() {
                    failure = Some(kind.into());
                    continue;
                }
                let name = audit_sink.name();
                let written = audit_sink.write(&self.piece);
                if let Some(refused) = audit_sink.refused() {
                    tell_refused(&refused, &self.shared.numbers, &self.log);
                }
                match written {
                    Ok(()) if audit_sink.failing => {
                        audit_sink.failing = false;
                        let told = format_args!("the audit reaches {name} again");
                        self.log
                            .line(LogLevel::Info, LogEvent::AuditReached.name(), told);
                    }
                    Ok(()) => {}
                    Err(error) => {
                        if !audit_sink.failing {
                            let fault = audit_sink.fault(&error, &self.log.places());
                            let told = format_args!("the audit does not reach {name}: {fault}");
                            self.log
                                .line(LogLevel::Warn, LogEvent::AuditUnreached.name(), told);
                        }
                        audit_sink.failing = true;
                        self.shared.numbers.write_errors.inc();
                        failure = Some(error);
                    }
                }
            }
            if let Some(failure) = failure {
                return Err(failure);
            }
            self.begin_piece();
            if self.batch.rest().is_empty() {
                return Ok(());
            }
            if self.is_large_enough() {
                self.rotate();
            }
            self.seal_some();
        }
    }

    /// Takes back what is on the chain and not in every place: it will be on another one.
    pub(super) fn unseal(&mut self) {
        if !self.has_written_piece() {
            self.batch.sealed = self.piece_from;
        }
        self.begin_piece();
    }

    pub(super) fn begin_piece(&mut self) {
        self.piece_from = self.batch.sealed;
        self.piece.clear();
        if self.piece.capacity() > AUDIT_BUFFER_BYTES_KEPT {
            self.piece = String::new();
        }
        for audit_sink in &mut self.sinks {
            audit_sink.next_piece();
        }
    }

    /// Puts lines of the batch on the chain: as many as make a piece and fit into the file, and one
    /// at least, so that no bound is so small that files hold nothing but their beginnings.
    fn seal_some(&mut self) {
        let room = match (self.rotate_bytes, self.file_size()) {
            (Some(most), Some(size)) => most.saturating_sub(size),
            _ => u64::MAX,
        };
        let is_exported = |sink: &AuditSink| matches!(sink.kind, SinkKind::Collector(_));
        let chunk_bytes = match self.sinks.iter().any(is_exported) {
            true => AUDIT_EXPORT_BYTES,
            false => AUDIT_CHUNK_BYTES,
        };
        let mut is_first = true;
        loop {
            let rest = self.batch.rest();
            let end = memchr(b'\n', rest.as_bytes());
            let Some(line) = end.and_then(|end| rest.get(..end)) else {
                self.batch.sealed.bytes = self.batch.text.len();
                return;
            };
            let text = self.text_bytes_max(self.batch.sealed.bytes);
            let bytes = self.piece.len() + line.len() + text + END_BYTES_MAX;
            let fits = u64::try_from(bytes).is_ok_and(|bytes| bytes <= room);
            if !is_first && (!fits || bytes > chunk_bytes) {
                return;
            }
            is_first = false;
            let text = self.batch.texts.of(self.batch.sealed.bytes);
            match text.and_then(|text| with_text(line, text, &self.recipients)) {
                Some(line) => self.chain.seal(&line, &mut self.piece),
                None => self.chain.seal(line, &mut self.piece),
            }
            self.batch.sealed.bytes += line.len() + 1;
            self.batch.sealed.lines += 1;
            let seq = self.chain.head().seq;
            self.line_numbers.note(self.batch.sealed.lines, seq);
        }
    }

    /// What the text of the line that begins there will take at most.
    pub(super) fn text_bytes_max(&self, line_at: usize) -> usize {
        let text = self.batch.texts.of(line_at);
        text.map_or(0, |text| {
            sealed_bytes_max(self.recipients.len(), text.len())
        })
    }

    /// A line of the writer's own, in front of those that wait.
    pub(super) fn write_chain_event(&mut self, event: &'static str, fields: &str) {
        let mut line = String::new();
        self.line_start.begin(&mut line, event, None);
        line.push_str(fields);
        self.chain.seal(&line, &mut self.piece);
    }

    fn end(&self) {
        let (head, lost) = (self.chain.head(), self.batch.rest().lines().count());
        if self.is_done() {
            let told = format_args!("the audit is closed; head {head}");
            self.log
                .line(LogLevel::Info, LogEvent::AuditClosed.name(), told);
        } else {
            let told = format_args!(
                "the audit is closed and could not be written to its end: the last piece and \
                 {lost} lines behind it are lost; head {head}"
            );
            self.log
                .line(LogLevel::Alarm, LogEvent::AuditLost.name(), told);
        }
        self.shared.lock().writer = WriterState::Closed;
        self.shared.progress.notify_all();
        self.shared.make_room();
    }
}

/// A place has refused lines for good: they are nowhere else but in the other places.
fn tell_refused(refused: &RefusedCount, numbers: &AuditMetrics, log: &EventLog) {
    numbers.refused.inc_by(refused.lines);
    if let Some((lines, why)) = &refused.told {
        let told = format_args!(
            "the collector has refused {lines} audit lines for good, which it will never have: {why}"
        );
        log.line(LogLevel::Alarm, LogEvent::AuditRefused.name(), told);
    }
}

/// A line with the encrypted text of its statement; none where that fails.
fn with_text(line: &str, text: &str, recipients: &[TextRecipient]) -> Option<String> {
    let mut whole =
        String::with_capacity(line.len() + sealed_bytes_max(recipients.len(), text.len()));
    whole.push_str(line);
    whole.push_str(",\"text\":\"");
    seal(recipients, text, &mut whole)?;
    whole.push('"');
    Some(whole)
}

/// After a batch was taken: idle when nothing waits.
fn rest(queue: &mut AuditQueue) {
    match queue.writer {
        WriterState::Closing | WriterState::Closed => {}
        WriterState::Idle | WriterState::Gathering | WriterState::Urged => {
            queue.writer = if queue.text.is_empty() {
                WriterState::Idle
            } else {
                WriterState::Gathering
            };
        }
    }
}

/// Bytes that the end of a line takes at most: its number, two digests and what is around them.
pub(super) const END_BYTES_MAX: usize = 160;
