//! The thread that writes the audit: takes the whole queue, writes it, opens the file anew when
//! asked. A batch that cannot be written is kept and tried again, from the byte where it stopped,
//! so no line is torn and none is written twice. Nothing is synced to the disk by hand: the audit
//! survives the death of the process, not that of the machine.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::limits::AUDIT_WRITE_INTERVAL_MS;
use crate::telemetry::audit::{AuditTarget, Queue, Shared, Writer, wait};

/// An open target.
pub enum Sink {
    /// Standard output.
    Stdout,
    /// A file, and where to find it again.
    File {
        /// The open file.
        file: File,
        /// Its path.
        path: PathBuf,
    },
}

/// A batch on its way out.
#[derive(Default)]
struct Batch {
    text: String,
    written: usize,
    last_line: u64,
}

/// Opens what the target names; `None` when it is off.
pub fn open(target: &AuditTarget) -> io::Result<Option<Sink>> {
    match target {
        AuditTarget::Off => Ok(None),
        AuditTarget::Stdout => Ok(Some(Sink::Stdout)),
        AuditTarget::File(path) => {
            let file = append_to(path)?;
            Ok(Some(Sink::File {
                file,
                path: path.clone(),
            }))
        }
    }
}

/// Runs until the audit is closed.
pub(super) fn run(shared: &Shared, mut sink: Sink) {
    let mut batch = Batch::default();
    loop {
        let orders = take(shared, &mut batch);
        if orders.reopen {
            match sink.reopen() {
                Ok(()) => batch.back_to_line_start(),
                Err(_) => shared.numbers.write_errors.inc(),
            }
        }
        match batch.write_to(&mut sink) {
            Ok(()) => {
                batch.clear();
                shared.lock().lines_settled = batch.last_line;
            }
            Err(_) => {
                shared.numbers.write_errors.inc();
                if !orders.closing {
                    std::thread::sleep(Duration::from_millis(AUDIT_WRITE_INTERVAL_MS));
                }
            }
        }
        shared.progress.notify_all();
        if orders.closing {
            return;
        }
    }
}

/// What the writer was asked for when it took a batch.
struct Orders {
    reopen: bool,
    closing: bool,
}

/// Waits for lines and takes them all, unless an earlier batch is still to be written.
fn take(shared: &Shared, batch: &mut Batch) -> Orders {
    let mut queue = shared.lock();
    while queue.writer == Writer::Idle && batch.is_done() {
        queue = wait(&shared.work, queue, Duration::MAX);
    }
    if queue.writer == Writer::Gathering {
        queue = wait(
            &shared.work,
            queue,
            Duration::from_millis(AUDIT_WRITE_INTERVAL_MS),
        );
    }
    let closing = queue.writer == Writer::Closing;
    if batch.is_done() {
        std::mem::swap(&mut batch.text, &mut queue.text);
        batch.last_line = queue.lines_taken_in;
        shared.progress.notify_all();
    } else if closing {
        // The target failed already; one last attempt is made with everything there is.
        batch.text.push_str(&queue.text);
        batch.last_line = queue.lines_taken_in;
    }
    rest(&mut queue);
    shared.count_waiting(&queue);
    Orders {
        reopen: std::mem::take(&mut queue.reopen),
        closing,
    }
}

/// After a batch was taken: idle when nothing waits.
fn rest(queue: &mut Queue) {
    if queue.writer != Writer::Closing {
        queue.writer = if queue.text.is_empty() {
            Writer::Idle
        } else {
            Writer::Gathering
        };
    }
}

impl Sink {
    fn reopen(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout => Ok(()),
            Self::File { file, path } => {
                *file = append_to(path)?;
                Ok(())
            }
        }
    }
}

impl Batch {
    fn is_done(&self) -> bool {
        self.written >= self.text.len()
    }

    fn clear(&mut self) {
        self.text.clear();
        self.written = 0;
    }

    /// A new file gets whole lines only.
    fn back_to_line_start(&mut self) {
        let done = self.text.get(..self.written).unwrap_or_default();
        self.written = done.rfind('\n').map_or(0, |newline| newline + 1);
    }

    /// Writes on from where the last attempt stopped.
    fn write_to(&mut self, sink: &mut Sink) -> io::Result<()> {
        while let Some(rest @ [_, ..]) = self.text.as_bytes().get(self.written..) {
            let written = match sink {
                Sink::Stdout => io::stdout().write(rest),
                Sink::File { file, .. } => file.write(rest),
            };
            match written {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => self.written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        match sink {
            Sink::Stdout => io::stdout().flush(),
            Sink::File { .. } => Ok(()),
        }
    }
}

/// Opens for appending; a file that does not exist yet is made for its owner only.
fn append_to(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(path)
}
