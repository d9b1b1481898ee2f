//! The audit: who asked for what, and what became of it, as JSON lines in a file or on stdout.
//!
//! A line is written into a bounded queue by whoever emits the event, and from there to its place
//! by one thread, in batches. When the queue is full, lines of refusals, logins and alarms wait a
//! bounded time for room; lines of permitted statements are dropped. Whatever is lost is counted.
//!
//! * [`line`]: how a line is put together, and the schema; [`clock`]: its time
//! * [`writer`]: the thread, the file, rotation

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::limits::{AUDIT_BLOCK_MS_MAX, AUDIT_QUEUE_BYTES_MAX, AUDIT_WAKE_BYTES};
use crate::telemetry::TelemetryError;
use crate::telemetry::metrics::AuditNumbers;
use crate::telemetry::session::SessionInfo;

pub mod clock;
pub mod line;
mod writer;

use clock::Clock;
use line::{Line, SCHEMA_VERSION, push_number};

/// Where audit lines go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditTarget {
    /// There is no audit.
    Off,
    /// Standard output.
    Stdout,
    /// A file that only its owner may read; lines are appended.
    File(PathBuf),
}

/// What happens to a line when the queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// It waits a bounded time for room.
    Waits,
    /// It is dropped at once.
    GivesWay,
}

/// The way into the audit. Dropping it writes what is left and ends the thread.
pub struct Audit {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What emitters and the writer share.
struct Shared {
    queue: Mutex<Queue>,
    /// There is something to do for the writer.
    work: Condvar,
    /// The writer took the queue or finished a batch.
    progress: Condvar,
    numbers: AuditNumbers,
}

/// The lines that wait, and what the writer is asked for.
struct Queue {
    text: String,
    clock: Clock,
    lines_taken_in: u64,
    lines_settled: u64,
    writer: Writer,
    reopen: bool,
}

/// What the writer does or should do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writer {
    /// Sleeps until the first line comes.
    Idle,
    /// Lets lines gather for a moment.
    Gathering,
    /// Should write now.
    Urged,
    /// Should write what there is and end.
    Closing,
}

impl Audit {
    /// Opens the target and starts the thread; `None` when the audit is off.
    pub fn start(
        target: &AuditTarget,
        numbers: AuditNumbers,
    ) -> Result<Option<Self>, TelemetryError> {
        let opened = writer::open(target).map_err(|source| TelemetryError::AuditOpen { source })?;
        let Some(sink) = opened else { return Ok(None) };
        let shared = Arc::new(Shared {
            queue: Mutex::new(Queue::new()),
            work: Condvar::new(),
            progress: Condvar::new(),
            numbers,
        });
        let thread =
            spawn(shared.clone(), sink).map_err(|source| TelemetryError::AuditThread { source })?;
        Ok(Some(Self {
            shared,
            thread: Some(thread),
        }))
    }

    /// Puts one line into the queue: the fields that every line has, then what `fill` adds.
    pub fn record(
        &self,
        weight: Weight,
        event: &'static str,
        session: Option<&SessionInfo>,
        fill: impl FnOnce(&mut Line<'_>),
    ) {
        let Some(mut queue) = self.shared.with_room(weight) else {
            return;
        };
        let Queue { text, clock, .. } = &mut *queue;
        text.push_str("{\"v\":");
        push_number(text, SCHEMA_VERSION);
        text.push_str(",\"time\":\"");
        clock.push_now(text);
        text.push_str("\",\"event\":\"");
        text.push_str(event);
        text.push('"');
        if let Some(session) = session {
            text.push(',');
            text.push_str(session.rendered());
        }
        fill(&mut Line::new(text));
        text.push_str("}\n");
        queue.lines_taken_in += 1;
        self.shared.numbers.lines.inc();
        self.shared.count_waiting(&queue);
        self.shared.wake_for(queue);
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

    /// Has the file opened anew before the next batch: the old one was renamed.
    pub fn reopen(&self) {
        let mut queue = self.shared.lock();
        queue.reopen = true;
        queue.urge();
        self.shared.work.notify_one();
    }
}

impl Drop for Audit {
    fn drop(&mut self) {
        self.shared.lock().writer = Writer::Closing;
        self.shared.work.notify_one();
        if let Some(thread) = self.thread.take() {
            // A writer that panicked has been counted by the panic hook; there is no more to do.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// No lock is held while anything can panic, so a poisoned one is still sound.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The queue with room for a line; `None` when the line must be given up, which is counted.
    fn with_room(&self, weight: Weight) -> Option<MutexGuard<'_, Queue>> {
        let mut queue = self.lock();
        if queue.text.len() < AUDIT_QUEUE_BYTES_MAX {
            return Some(queue);
        }
        if weight == Weight::Waits {
            let deadline = Instant::now() + Duration::from_millis(AUDIT_BLOCK_MS_MAX);
            while let Some(left) = deadline.checked_duration_since(Instant::now()) {
                queue = wait(&self.progress, queue, left);
                if queue.text.len() < AUDIT_QUEUE_BYTES_MAX {
                    return Some(queue);
                }
            }
        }
        self.numbers.dropped.inc();
        None
    }

    fn count_waiting(&self, queue: &Queue) {
        self.numbers
            .queue_bytes
            .set(i64::try_from(queue.text.len()).unwrap_or(i64::MAX));
    }

    /// Wakes the writer for the first line of a batch and for a large one, and else lets it be.
    fn wake_for(&self, mut queue: MutexGuard<'_, Queue>) {
        let wake = match queue.writer {
            Writer::Idle => {
                queue.writer = Writer::Gathering;
                true
            }
            Writer::Gathering if queue.text.len() >= AUDIT_WAKE_BYTES => {
                queue.writer = Writer::Urged;
                true
            }
            Writer::Gathering | Writer::Urged | Writer::Closing => false,
        };
        drop(queue);
        if wake {
            self.work.notify_one();
        }
    }
}

impl Queue {
    fn new() -> Self {
        Self {
            text: String::new(),
            clock: Clock::new(),
            lines_taken_in: 0,
            lines_settled: 0,
            writer: Writer::Idle,
            reopen: false,
        }
    }

    fn urge(&mut self) {
        if self.writer != Writer::Closing {
            self.writer = Writer::Urged;
        }
    }
}

fn spawn(shared: Arc<Shared>, sink: writer::Sink) -> io::Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name("audit".into())
        .spawn(move || writer::run(&shared, sink))
}

/// Waits for a sign, at most so long.
fn wait<'a>(sign: &Condvar, queue: MutexGuard<'a, Queue>, left: Duration) -> MutexGuard<'a, Queue> {
    sign.wait_timeout(queue, left)
        .unwrap_or_else(PoisonError::into_inner)
        .0
}
