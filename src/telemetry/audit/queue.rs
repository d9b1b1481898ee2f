//! The lines that wait for the writer, between the threads that emit them and the one that writes.
//!
//! Nobody who emits a line ever waits here. What must be on record is always taken; so that memory
//! stays bounded, a session whose line was taken while the queue was full takes no more frames of
//! its client until there is room, and keeps its place among the connections until then.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::copy_name::CopyName;
use super::line::LineStart;
use super::line_numbers::LineNumbers;
use super::settings::OnFull;
use super::sink_change::SinkChange;
use crate::limits::{
    AUDIT_QUEUE_BYTES_CEILING, AUDIT_QUEUE_BYTES_MAX, AUDIT_STUCK_AFTER, AUDIT_WAKE_BYTES,
};
use crate::secret::Secret;
use crate::telemetry::json_text::push_number;
use crate::telemetry::registry::AuditMetrics;

/// What becomes of a line while the queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineWeight {
    /// It is taken, and its session waits for room before anything else of it is.
    Waits,
    /// It is dropped, unless sessions wait for room before such a line comes up.
    GivesWay,
}

/// What emitters and the writer share.
pub struct AuditShared {
    queue: Mutex<AuditQueue>,
    /// There is something to do for the writer.
    pub work: Condvar,
    /// The writer finished a batch, or failed to, or ended.
    pub progress: Condvar,
    /// Whether the queue is over its mark.
    full: AtomicBool,
    /// There is room again.
    room: Notify,
    /// Since when, and why, the writer does not get on.
    trouble: Mutex<WriterTrouble>,
    on_full: OnFull,
    /// What is counted.
    pub numbers: AuditMetrics,
}

/// The lines that wait, and what the writer is asked for. Each line lacks its closing brace.
pub struct AuditQueue {
    /// The lines.
    pub text: String,
    /// The texts of statements that belong to some of them, in clear.
    pub texts: StatementTexts,
    /// Their beginning.
    pub line_start: LineStart,
    /// Lines that were ever taken.
    pub lines_taken_in: u64,
    /// Those of them that are written.
    pub lines_settled: u64,
    /// The numbers on the chain of those that are written.
    pub line_numbers: LineNumbers,
    /// What the writer does or should do.
    pub writer: WriterState,
    /// The file is to be opened anew.
    pub reopen: bool,
    /// Other places are to be written to.
    pub places: Option<Box<SinkChange>>,
    /// Lines that were dropped since the last that was taken.
    lost: u64,
}

/// The texts of statements, in clear, by where their lines begin: never in a line, so that nothing
/// writes one by mistake.
#[derive(Default)]
pub struct StatementTexts {
    by_line: VecDeque<(usize, Secret)>,
    bytes: usize,
}

/// What keeps the writer from getting on.
#[derive(Clone, Copy, Default)]
struct WriterTrouble {
    /// The queue is full since then.
    full: Option<Instant>,
    /// The last attempt to write has failed, for this reason.
    fault: Option<io::ErrorKind>,
}

/// An audit whose lines nobody takes: what must be on record waits for it.
#[derive(Clone, Copy, Debug)]
pub struct StuckAudit {
    /// For how long.
    pub time: Duration,
    /// Why it cannot be written, where the system has said so.
    pub fault: Option<io::ErrorKind>,
}

/// What the writer does or should do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum WriterState {
    /// Sleeps until the first line comes.
    Idle,
    /// Lets lines gather for a moment.
    Gathering,
    /// Should write now.
    Urged,
    /// Should write what there is and end.
    Closing,
    /// Has ended.
    Closed,
}

/// How a line was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineTaken {
    /// There was room. Its place among all lines that were ever taken, from 1.
    WithRoom(u64),
    /// There was none: its session has to wait.
    OverTheMark(u64),
    /// It was dropped, which is counted.
    Dropped,
}

impl AuditShared {
    /// An empty queue.
    pub fn new(on_full: OnFull, copy: &CopyName, numbers: AuditMetrics) -> Self {
        Self {
            queue: Mutex::new(AuditQueue::new(copy)),
            work: Condvar::new(),
            progress: Condvar::new(),
            full: AtomicBool::new(false),
            room: Notify::new(),
            trouble: Mutex::default(),
            on_full,
            numbers,
        }
    }

    /// No lock is held while anything can panic, so a poisoned one is still sound.
    pub fn lock(&self) -> MutexGuard<'_, AuditQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a line that `fill` writes, without its end, and the text that the writer puts on it.
    pub fn put(
        &self,
        weight: LineWeight,
        text_of: Option<&Secret>,
        fill: impl FnOnce(&mut String, &mut LineStart),
    ) -> LineTaken {
        let mut queue = self.lock();
        let bytes = queue.bytes();
        let most = match (weight, self.on_full) {
            (LineWeight::Waits, _) => usize::MAX,
            (LineWeight::GivesWay, OnFull::Drop) => AUDIT_QUEUE_BYTES_MAX,
            (LineWeight::GivesWay, OnFull::Block) => AUDIT_QUEUE_BYTES_CEILING,
        };
        if bytes >= most {
            queue.lost += 1;
            drop(queue);
            self.numbers.dropped.inc();
            return LineTaken::Dropped;
        }
        if queue.lost > 0 {
            queue.tell_lost();
            self.numbers.lines.inc();
        }
        let AuditQueue {
            text,
            texts,
            line_start,
            ..
        } = &mut *queue;
        if let Some(of_statement) = text_of {
            texts.add(text.len(), of_statement);
        }
        fill(text, line_start);
        text.push('\n');
        queue.lines_taken_in += 1;
        let place = queue.lines_taken_in;
        self.numbers.lines.inc();
        if queue.bytes() >= AUDIT_QUEUE_BYTES_MAX && !self.full.swap(true, Ordering::Relaxed) {
            self.trouble().full = Some(Instant::now());
        }
        self.count_waiting(&queue);
        self.wake_for(queue);
        if bytes >= AUDIT_QUEUE_BYTES_MAX {
            LineTaken::OverTheMark(place)
        } else {
            LineTaken::WithRoom(place)
        }
    }

    /// Has the writer write what waits now.
    pub fn urge(&self) {
        let mut queue = self.lock();
        if queue.bytes() > 0 {
            queue.urge();
            drop(queue);
            self.work.notify_one();
        }
    }

    /// The number on the chain of the line at that place, once it is written.
    pub fn number_of(&self, place: u64) -> Option<u64> {
        let queue = self.lock();
        let is_written = place <= queue.lines_settled;
        is_written.then(|| queue.line_numbers.of(place)).flatten()
    }

    /// Whether the queue is over its mark.
    pub fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    /// Whether every session waits while it is.
    pub fn blocks(&self) -> bool {
        self.on_full == OnFull::Block
    }

    /// Waits until there is room. May be cancelled.
    pub async fn room(self: Arc<Self>) {
        if !self.is_full() {
            return;
        }
        self.numbers.waits.inc();
        loop {
            // Made before the question, so that no sign is missed between the two.
            let sign = self.room.notified();
            if !self.is_full() {
                return;
            }
            sign.await;
        }
    }

    /// Whether the queue is full for longer than a slow disk explains, and why.
    pub fn stuck(&self) -> Option<StuckAudit> {
        let WriterTrouble { full, fault } = *self.trouble();
        let time = full?.elapsed();
        (time >= AUDIT_STUCK_AFTER).then_some(StuckAudit { time, fault })
    }

    /// What came of the last attempt to write.
    pub fn note_attempt(&self, fault: Option<io::ErrorKind>) {
        self.trouble().fault = fault;
    }

    fn trouble(&self) -> MutexGuard<'_, WriterTrouble> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The writer has taken the lines: there is room.
    pub fn make_room(&self) {
        self.trouble().full = None;
        self.full.store(false, Ordering::Relaxed);
        self.room.notify_waiters();
    }

    /// Shows how many bytes wait.
    pub fn count_waiting(&self, queue: &AuditQueue) {
        self.numbers
            .queue_bytes
            .set(i64::try_from(queue.bytes()).unwrap_or(i64::MAX));
    }

    /// Wakes the writer for the first line of a batch and for a large one, and else lets it be.
    fn wake_for(&self, mut queue: MutexGuard<'_, AuditQueue>) {
        let wake = match queue.writer {
            WriterState::Idle => {
                queue.writer = WriterState::Gathering;
                true
            }
            WriterState::Gathering if queue.bytes() >= AUDIT_WAKE_BYTES => {
                queue.writer = WriterState::Urged;
                true
            }
            WriterState::Gathering
            | WriterState::Urged
            | WriterState::Closing
            | WriterState::Closed => false,
        };
        drop(queue);
        if wake {
            self.work.notify_one();
        }
    }
}

impl LineTaken {
    /// The place of the line among all that were ever taken; none where it was dropped.
    pub fn place(self) -> Option<u64> {
        match self {
            Self::WithRoom(place) | Self::OverTheMark(place) => Some(place),
            Self::Dropped => None,
        }
    }
}

impl AuditQueue {
    fn new(copy: &CopyName) -> Self {
        Self {
            text: String::new(),
            texts: StatementTexts::default(),
            line_start: LineStart::new(copy),
            lines_taken_in: 0,
            lines_settled: 0,
            line_numbers: LineNumbers::default(),
            writer: WriterState::Idle,
            reopen: false,
            places: None,
            lost: 0,
        }
    }

    /// What the lines and texts take.
    pub fn bytes(&self) -> usize {
        self.text.len() + self.texts.bytes
    }

    /// Asks the writer to write now.
    pub fn urge(&mut self) {
        match self.writer {
            WriterState::Idle | WriterState::Gathering | WriterState::Urged => {
                self.writer = WriterState::Urged
            }
            WriterState::Closing | WriterState::Closed => {}
        }
    }

    /// A line that says how many were lost before it.
    fn tell_lost(&mut self) {
        self.line_start.begin(&mut self.text, "lines_lost", None);
        self.text.push_str(",\"lines\":");
        push_number(&mut self.text, self.lost);
        self.text.push('\n');
        self.lost = 0;
        self.lines_taken_in += 1;
    }
}

impl StatementTexts {
    fn add(&mut self, line_at: usize, text: &Secret) {
        self.bytes += text.reveal().len();
        self.by_line.push_back((line_at, text.clone()));
    }

    /// Those of lines that came behind `bytes` of others, put behind the texts of these.
    pub fn append(&mut self, bytes: usize, mut later: Self) {
        self.bytes += std::mem::take(&mut later.bytes);
        let later = later.by_line.into_iter();
        self.by_line
            .extend(later.map(|(at, text)| (bytes + at, text)));
    }

    /// The text of the line that begins there, if it has one.
    pub fn of(&self, line_at: usize) -> Option<&str> {
        let found = self.by_line.binary_search_by_key(&line_at, |(at, _)| *at);
        let (_, text) = self.by_line.get(found.ok()?)?;
        Some(text.reveal())
    }
}

/// Waits for a sign, at most so long.
pub fn wait<'a>(
    sign: &Condvar,
    queue: MutexGuard<'a, AuditQueue>,
    left: Duration,
) -> MutexGuard<'a, AuditQueue> {
    sign.wait_timeout(queue, left)
        .unwrap_or_else(PoisonError::into_inner)
        .0
}
