//! A collector of OpenTelemetry: each line is one log record, with the line as its body.
//!
//! <https://opentelemetry.io/docs/specs/otlp/>. A collector says what it has taken. What it has not
//! taken for now (it is away, busy, or wants other headers) is sent again, with rests between, like
//! lines for any other place. What it refuses for good is lost there: that is counted and told, and
//! the chain shows it. Where its answer does not come, lines are sent again that it may have: each
//! record has an id, `log.record.uid`, by which a store knows it.
//!
//! * `target`: where it is; `record`: what becomes of a line; `severity`: how much it matters
//! * `transport`: the two protocols; `answer`: what comes of a request
//! * `rest`: when it is asked again; `refused_lines`: what it has refused for good

use std::io;
use std::time::Instant;

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::copy_name::CopyName;
use crate::limits::collectors::AUDIT_EXPORT_TIME_MAX;

mod answer;
mod record;
mod refused_lines;
mod rest;
mod severity;
pub mod target;
mod transport;

use answer::{CollectorAnswer, CollectorFault};
use record::RecordOrigin;
pub use refused_lines::RefusedCount;
use refused_lines::RefusedLines;
use rest::CollectorRest;
use target::CollectorTarget;
use transport::CollectorTransport;

/// One collector.
pub struct CollectorSink {
    target: CollectorTarget,
    origin: RecordOrigin,
    transport: CollectorTransport,
    runtime: ExportRuntime,
    rest: CollectorRest,
    /// Lines in one request: fewer where it has said that there were too many.
    lines_max: usize,
    /// Why it has not taken what it was sent last.
    fault: CollectorFault,
    refused: RefusedLines,
}

/// Drives connections between requests as well, so that one that the collector has closed is known
/// to be.
struct ExportRuntime(Option<Runtime>);

/// The first lines of a piece.
struct ExportBatch<'a> {
    text: &'a str,
    lines: usize,
}

impl CollectorSink {
    /// Makes ready to send to it. Nothing is sent.
    ///
    /// # Errors
    /// What speaks to it cannot be built.
    pub fn open(target: &CollectorTarget, copy: &CopyName) -> io::Result<Self> {
        let runtime = ExportRuntime::start()?;
        let transport = runtime.inside(|| CollectorTransport::open(target))?;
        Ok(Self {
            target: target.clone(),
            origin: RecordOrigin::new(&target.service_name, copy),
            transport,
            runtime,
            rest: CollectorRest::new(),
            lines_max: usize::MAX,
            fault: CollectorFault::unknown(),
            refused: RefusedLines::default(),
        })
    }

    /// Why it has not taken what it was sent last, and the key of the settings that may help.
    pub fn fault(&self) -> (String, &'static str) {
        let (words, url) = (&self.fault.words, self.target.collector.url());
        (format!("{words} at {url}"), self.fault.key)
    }

    /// While it rests: why.
    pub fn resting(&self) -> Option<io::ErrorKind> {
        self.rest.lasts(Instant::now()).then_some(self.fault.kind)
    }

    /// The process ends: there is no time to rest.
    pub fn hurry(&mut self) {
        self.rest.hurry();
    }

    /// The lines that it has refused for good since this was asked last.
    pub fn refused(&mut self) -> Option<RefusedCount> {
        self.refused.take(Instant::now())
    }

    /// Sends the first lines of a piece; the bytes of those that it has taken, or refused for good.
    ///
    /// # Errors
    /// It has taken none of them for now.
    pub fn send(&mut self, piece: &str) -> io::Result<usize> {
        let mut batch = ExportBatch::first_of(piece, self.lines_max);
        // Each round has half of the lines of the one before.
        loop {
            match self.export(batch.text) {
                CollectorAnswer::TooLarge { .. } if batch.lines > 1 => {
                    self.lines_max = batch.lines / 2;
                    batch = ExportBatch::first_of(piece, self.lines_max);
                }
                CollectorAnswer::TooLarge { alone } => return self.settle(&batch, *alone),
                answer => return self.settle(&batch, answer),
            }
        }
    }

    fn settle(&mut self, batch: &ExportBatch<'_>, answer: CollectorAnswer) -> io::Result<usize> {
        match answer {
            CollectorAnswer::Taken { refused: 0 } => {}
            CollectorAnswer::Taken { refused } => {
                self.refused.note(batch.lines.min(refused), PARTIAL.into());
            }
            CollectorAnswer::Refused(fault) => self.refused.note(batch.lines, fault.words),
            CollectorAnswer::Later { fault, after } => {
                self.rest.begin(Instant::now(), after);
                let kind = fault.kind;
                self.fault = fault;
                return Err(kind.into());
            }
            // One line alone is never too large and something else as well.
            CollectorAnswer::TooLarge { .. } => return Err(io::ErrorKind::InvalidInput.into()),
        }
        self.rest.settle();
        self.lines_max = self.lines_max.saturating_mul(2);
        Ok(batch.text.len())
    }

    fn export(&mut self, lines: &str) -> CollectorAnswer {
        let records = lines.lines().map(record::of_line).collect();
        let request: ExportLogsServiceRequest = self.origin.request(records);
        let (transport, runtime) = (&mut self.transport, &self.runtime);
        let asked = runtime.block_on(async {
            let asked = timeout(AUDIT_EXPORT_TIME_MAX, transport.export(request)).await;
            asked.unwrap_or_else(|_elapsed| {
                // Whatever it was sent over may be dead without anybody's having said so.
                transport.reconnect();
                CollectorAnswer::later(CollectorFault::late())
            })
        });
        asked.unwrap_or_else(|| CollectorAnswer::later(CollectorFault::unknown()))
    }
}

impl<'a> ExportBatch<'a> {
    /// So many lines at most, and one at least.
    fn first_of(piece: &'a str, lines_max: usize) -> Self {
        let ends = memchr::memchr_iter(b'\n', piece.as_bytes());
        let last = ends.take(lines_max.max(1)).zip(1..).last();
        let (bytes, lines) = last.map_or((piece.len(), 1), |(end, lines)| (end + 1, lines));
        Self {
            text: piece.get(..bytes).unwrap_or(piece),
            lines,
        }
    }
}

impl ExportRuntime {
    fn start() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .max_blocking_threads(1)
            .thread_name("audit-export")
            .enable_all()
            .build()?;
        Ok(Self(Some(runtime)))
    }

    /// Clients bind themselves to the runtime that they are built in.
    fn inside<T>(&self, build: impl FnOnce() -> T) -> T {
        let _inside = self.0.as_ref().map(Runtime::enter);
        build()
    }

    fn block_on<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.0.as_ref().map(|runtime| runtime.block_on(work))
    }
}

impl Drop for ExportRuntime {
    /// Nobody waits for a lookup of a name that hangs; and settings that are not taken after all
    /// may be dropped where nothing may wait.
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Why lines are lost that others of their request are not.
const PARTIAL: &str = "it has taken a part of what it was sent";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_whole_lines_and_at_least_one() {
        let piece = "one\ntwo\nthree\n";
        for (lines_max, text, lines) in [
            (0, "one\n", 1),
            (1, "one\n", 1),
            (2, "one\ntwo\n", 2),
            (3, piece, 3),
            (usize::MAX, piece, 3),
        ] {
            let batch = ExportBatch::first_of(piece, lines_max);
            assert_eq!((batch.text, batch.lines), (text, lines));
        }
    }
}
