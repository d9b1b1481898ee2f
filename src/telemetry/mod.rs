//! Telemetry: one struct per event, and emitting it counts, writes the audit line and logs.
//!
//! Nothing here ever sees SQL text, a literal, a parameter or a row, but for the texts that an
//! encrypted audit or a capture was asked to keep: events carry fingerprints, kinds and rule names.
//! The sinks are built once, by [`Telemetry::start`], and passed in.
//!
//! * `labels`: the closed sets of words; `session_info`: who a session belongs to; `sqlstate_code`:
//!   SQLSTATEs that cannot carry text
//! * `events`: the events, one struct each
//! * `metrics`: the table of every metric; `registry`: the metrics of that table; `counters`: the
//!   kinds of counters and what keeps them
//! * `audit`: the JSON lines and the thread that writes them
//! * `capture`: statements that failed with their text, in a file of its own
//! * `live`: the numbers and the recent events of the live page
//! * `traces`: a span for each statement that is sampled
//! * `collector`: what spans and the audit have in common on their way to a collector
//! * `json_text`: strings and numbers of those lines
//! * `log`: lines for a person; `panic_hook`: what keeps the words of a panic out of them

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub mod audit;
pub mod capture;
pub mod collector;
pub mod counters;
pub mod events;
pub mod json_text;
pub mod labels;
pub mod live;
pub mod log;
pub mod metrics;
pub mod panic_hook;
pub mod registry;
pub mod session_info;
pub mod sqlstate_code;
pub mod traces;

use audit::{Audit, AuditSettings, StuckAudit};
use capture::capture_file::CaptureFileError;
use capture::{CaptureSettings, StatementCapture};
use counters::local_counters::LocalCounters;
use counters::session_gauges::SessionGauge;
use events::{Event, StatementFinished};
use labels::PlanAnswer;
use live::MetricsReading;
use live::recent::RecentEvents;
use log::EventLog;
use log::key_places::KeyPlaces;
use registry::{MemoryMetrics, MetricsRegistry};
use session_info::SessionInfo;
use traces::current_tracer::CurrentTracer;
use traces::{StatementTracer, TraceSettings};

use crate::receipts::issuer::ReceiptId;
use crate::system_error;

/// Which sinks there are.
#[derive(Clone, Debug)]
pub struct TelemetrySettings {
    /// Whether statements are counted. Alarms, connections and logins always are.
    pub metrics: bool,
    /// The audit.
    pub audit: AuditSettings,
    /// Where statements that failed are kept with their text; nowhere if none.
    pub capture: Option<CaptureSettings>,
    /// Where spans go; nowhere if none.
    pub traces: Option<TraceSettings>,
    /// Whether there is a live page, which needs to know what happened lately.
    pub recent: bool,
}

/// The sinks of every event. Cheap to clone.
#[derive(Clone)]
pub struct Telemetry {
    sinks: Arc<EventSinks>,
    local_counters: Arc<LocalCounters>,
}

/// What an event writes to.
pub struct EventSinks {
    /// The numbers.
    pub metrics: MetricsRegistry,
    /// The audit, when there is one.
    pub audit: Option<Audit>,
    /// Statements that failed, when they are kept with their text.
    pub capture: Option<StatementCapture>,
    /// The spans, when there are any.
    pub traces: CurrentTracer,
    /// What happened lately, when there is a live page.
    pub recent: Option<RecentEvents>,
    /// The lines for a person.
    pub log: Arc<EventLog>,
    counting: StatementCounting,
    shared_tally: Arc<LocalCounters>,
    tallies: Mutex<Vec<Arc<LocalCounters>>>,
}

/// Sinks that are ready to be exchanged.
pub struct OtherSinks {
    /// Of the audit, where there is one.
    places: Option<audit::SinkChange>,
    /// Of spans, where they are others.
    traces: Option<(Option<StatementTracer>, Option<TraceSettings>)>,
}

/// Whether statements are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StatementCounting {
    On,
    Off,
}

/// Why the sinks could not be built.
#[derive(Debug)]
pub enum TelemetryError {
    /// The table of metrics contradicts itself.
    Metric {
        /// The name of the metric.
        name: &'static str,
    },
    /// The audit cannot be opened.
    AuditOpen {
        /// The file, if one was asked for.
        path: Option<std::path::PathBuf>,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// What sends spans cannot be started.
    TraceThread {
        /// What the operating system said.
        source: std::io::Error,
    },
    /// What speaks to the trace collector cannot be built of the settings.
    TraceCollector,
    /// Headers that the environment holds would go over the network in clear.
    TraceHeaders,
    /// The thread that writes the audit cannot be started.
    AuditThread {
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The file of the capture cannot be used.
    CaptureOpen(CaptureFileError),
    /// The thread that writes it cannot be started.
    CaptureThread {
        /// What the operating system said.
        source: std::io::Error,
    },
}

impl Telemetry {
    /// Builds the sinks that are asked for.
    ///
    /// # Errors
    /// Why one of them cannot be built.
    pub fn start(settings: &TelemetrySettings, log: EventLog) -> Result<Self, TelemetryError> {
        let metrics = MetricsRegistry::new()?;
        let log = Arc::new(log);
        let audit = Audit::start(&settings.audit, metrics.audit.clone(), (*log).clone())?;
        let traces = settings.traces.as_ref().map(|settings| {
            let numbers = Arc::clone(&metrics.trace_spans);
            StatementTracer::start(settings, numbers, Arc::clone(&log))
        });
        let capture = settings.capture.as_ref().map(|settings| {
            StatementCapture::start(settings, Arc::clone(&metrics.captured), (*log).clone())
        });
        let local_counters = Arc::new(LocalCounters::of(&metrics));
        let sinks = EventSinks {
            metrics,
            audit,
            capture: capture.transpose()?,
            traces: CurrentTracer::new(traces.transpose()?, settings.traces.clone()),
            recent: settings.recent.then(RecentEvents::new),
            log,
            counting: if settings.metrics {
                StatementCounting::On
            } else {
                StatementCounting::Off
            },
            shared_tally: Arc::clone(&local_counters),
            tallies: Mutex::new(vec![Arc::clone(&local_counters)]),
        };
        Ok(Self {
            sinks: Arc::new(sinks),
            local_counters,
        })
    }

    /// Sinks for a test: metrics only, nothing is written anywhere.
    ///
    /// # Errors
    /// A row of the table of metrics cannot be registered.
    pub fn quiet() -> Result<Self, TelemetryError> {
        Self::start(&TelemetrySettings::default(), EventLog::off())
    }

    /// The same sinks for one more worker, which counts its statements apart from the others.
    pub fn for_worker(&self) -> Self {
        let local_counters = Arc::new(LocalCounters::of(&self.sinks.metrics));
        let mut tallies = self
            .sinks
            .tallies
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        tallies.push(Arc::clone(&local_counters));
        Self {
            sinks: Arc::clone(&self.sinks),
            local_counters,
        }
    }

    /// What [`Self::emit`] does, for a statement of this worker.
    pub fn finished(&self, event: &StatementFinished<'_>) {
        event.emit_by(&self.local_counters, &self.sinks);
    }

    /// A text was judged and prepared, and has not run. It is counted for that; what it does is
    /// recorded when it runs.
    pub fn prepared(&self, event: &StatementFinished<'_>) {
        if self.sinks.counting == StatementCounting::On {
            self.local_counters
                .count_prepared(event, &self.sinks.metrics);
            event.count_observed(&self.sinks.metrics);
        }
    }

    /// Where the memory that clients take is counted.
    pub fn memory(&self) -> MemoryMetrics {
        self.sinks.metrics.memory.clone()
    }

    /// A gauge for a session that begins, which counts it among all until it is dropped.
    pub fn seat(&self) -> SessionGauge {
        self.sinks.metrics.seats.register()
    }

    /// Counts that a statement was looked up among the plans that are known.
    pub fn plan_looked_up(&self, answer: PlanAnswer) {
        if self.sinks.counting == StatementCounting::On {
            self.sinks.metrics.plan_cache.inc(answer);
        }
    }

    /// A span without anything else: of a statement that was only prepared, or only bound.
    pub fn traced(&self, event: &StatementFinished<'_>) {
        if let (Some(trace), Some(traces)) = (event.trace, self.traces()) {
            traces.record(event, trace);
        }
    }

    /// Counts the event, hands its line to the audit and logs it where it is meant for a person.
    pub fn emit<E: Event>(&self, event: &E) {
        event.emit(&self.sinks);
    }

    /// Every metric, in Prometheus's text format.
    pub fn scrape(&self) -> String {
        self.flush_local_counters();
        self.sinks.metrics.scrape()
    }

    /// The numbers that the live page shows, as they are now.
    pub fn reading(&self) -> MetricsReading {
        self.flush_local_counters();
        let is_counting = self.sinks.counting == StatementCounting::On;
        MetricsReading::of(&self.sinks.metrics.gather(), is_counting)
    }

    /// What happened lately, where that is kept.
    pub fn recent(&self) -> Option<&RecentEvents> {
        self.sinks.recent.as_ref()
    }

    fn flush_local_counters(&self) {
        let tallies = self
            .sinks
            .tallies
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for local_counters in tallies.iter() {
            local_counters.flush(&self.sinks.metrics);
        }
    }

    /// The spans, when there are any.
    pub fn traces(&self) -> Option<Arc<StatementTracer>> {
        self.sinks.traces.now()
    }

    /// Makes ready what these settings ask for beyond what there is. The audit neither begins nor
    /// ends by it.
    ///
    /// # Errors
    /// Why one of the sinks cannot be built.
    pub fn prepare(&self, settings: &TelemetrySettings) -> Result<OtherSinks, TelemetryError> {
        let audit = self.sinks.audit.as_ref();
        let places = audit.map(|audit| audit.prepare(&settings.audit));
        let same = self.sinks.traces.is_of(settings.traces.as_ref());
        let traces = settings.traces.as_ref().filter(|_| !same).map(|settings| {
            let numbers = Arc::clone(&self.sinks.metrics.trace_spans);
            StatementTracer::start(settings, numbers, Arc::clone(&self.sinks.log))
        });
        let traces = match same {
            true => None,
            false => Some((traces.transpose()?, settings.traces.clone())),
        };
        Ok(OtherSinks {
            places: places.transpose()?.flatten(),
            traces,
        })
    }

    /// What happens from now on goes there.
    pub fn exchange(&self, sinks: OtherSinks) {
        if let (Some(audit), Some(places)) = (&self.sinks.audit, sinks.places) {
            audit.move_to(places);
        }
        if let Some((traces, settings)) = sinks.traces {
            self.sinks.traces.exchange(traces, settings);
        }
    }

    /// Waits until the spans of statements that have ended are sent or given up, at most
    /// `patience`. Says whether they were. Blocks the calling thread.
    pub fn flush_traces(&self, patience: Duration) -> bool {
        self.traces().is_none_or(|traces| traces.flush(patience))
    }

    /// Waits until everything handed to the audit so far is written, at most `patience`.
    /// Says whether it was. Blocks the calling thread.
    pub fn flush(&self, patience: Duration) -> bool {
        self.sinks
            .audit
            .as_ref()
            .is_none_or(|audit| audit.flush(patience))
    }

    /// Whether the texts of statements that fail are kept: sessions need not hold them else.
    pub fn captures(&self) -> bool {
        self.sinks.capture.is_some()
    }

    /// Has the audit and the capture written to their ends and closed, at most `patience` each;
    /// says whether the audit was. Blocks the calling thread.
    pub fn close(&self, patience: Duration) -> bool {
        if let Some(capture) = &self.sinks.capture {
            // What is not written by then is lost; it is no evidence.
            let _ = capture.close(patience);
        }
        self.sinks
            .audit
            .as_ref()
            .is_none_or(|audit| audit.close(patience))
    }

    /// Has the audit's line of the session's last receipt written now: somebody is about to ask
    /// for its number.
    pub fn urge_audit(&self) {
        if let Some(audit) = &self.sinks.audit {
            audit.urge();
        }
    }

    /// The number of the audit's line that has this receipt of the session; none where it is not
    /// written yet, or not the last.
    pub fn audit_number_of(&self, session: &SessionInfo, receipt: ReceiptId) -> Option<u64> {
        let audit = self.sinks.audit.as_ref()?;
        audit.number_of(session.receipt_place(receipt)?)
    }

    /// Whether a session has to wait for room in the audit before it does anything else.
    pub fn must_wait(&self, session: &SessionInfo) -> bool {
        let audit = self.sinks.audit.as_ref();
        audit.is_some_and(|audit| audit.is_full() && (audit.blocks() || session.has_debt()))
    }

    /// Waits until there is room in the audit. May be cancelled.
    pub fn room(&self) -> impl Future<Output = ()> + Send + 'static {
        let room = self.sinks.audit.as_ref().map(Audit::room);
        async move {
            if let Some(room) = room {
                room.await;
            }
        }
    }

    /// Whether nothing that must be on record can be, for longer than a slow disk explains.
    pub fn audit_stuck(&self) -> Option<StuckAudit> {
        self.sinks.audit.as_ref().and_then(Audit::stuck)
    }

    /// From now on, the log names the keys of the settings with these places.
    pub fn know_places(&self, places: KeyPlaces) {
        self.sinks.log.know(places);
    }

    /// Has the files of the audit and the log opened anew, for whoever rotates them.
    pub fn reopen(&self) {
        self.sinks.log.reopen();
        if let Some(audit) = &self.sinks.audit {
            audit.reopen();
        }
    }
}

impl Default for TelemetrySettings {
    /// Metrics, and nothing else.
    fn default() -> Self {
        Self {
            metrics: true,
            audit: AuditSettings::default(),
            capture: None,
            traces: None,
            recent: false,
        }
    }
}

impl fmt::Debug for Telemetry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Telemetry")
    }
}

impl TelemetryError {
    /// The key of the settings that it is about.
    pub fn key(&self) -> Option<&'static str> {
        match self {
            Self::AuditOpen { .. } => Some("audit.to"),
            Self::TraceThread { .. } | Self::TraceCollector | Self::TraceHeaders => {
                Some("traces.endpoint")
            }
            Self::CaptureOpen(_) => Some("capture.file"),
            Self::Metric { .. } | Self::AuditThread { .. } | Self::CaptureThread { .. } => None,
        }
    }
}

impl fmt::Display for TelemetryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Metric { name } => write!(formatter, "the metric {name} is declared wrongly"),
            Self::AuditOpen { path, source } => {
                let told = match (path, source.kind()) {
                    (None, kind) => kind.to_string(),
                    (Some(path), std::io::ErrorKind::ResourceBusy) => format!(
                        "another process writes to {}: each pgsieve needs a file of its own",
                        path.display()
                    ),
                    (Some(path), kind) => {
                        let has_folder = path.parent().is_none_or(|folder| folder.is_dir());
                        system_error::of_new_file(path, kind, has_folder)
                    }
                };
                write!(formatter, "the audit cannot be opened: {told}")
            }
            Self::TraceThread { source } => {
                write!(formatter, "traces cannot be sent: {}", source.kind())
            }
            Self::TraceCollector => formatter.write_str(
                "traces cannot be sent: their settings, the environment's OTEL_EXPORTER_OTLP_… \
                 among them, or this host's certificates do not work",
            ),
            Self::TraceHeaders => formatter.write_str(
                "traces cannot be sent: the headers in OTEL_EXPORTER_OTLP_HEADERS or \
                 OTEL_EXPORTER_OTLP_TRACES_HEADERS would go over the network in clear; \
                 traces.endpoint must be https:// or on this host",
            ),
            Self::CaptureOpen(source) => source.fmt(formatter),
            Self::CaptureThread { source } => {
                let kind = source.kind();
                write!(
                    formatter,
                    "the thread of the capture cannot be started: {kind}"
                )
            }
            Self::AuditThread { source } => {
                write!(formatter, "the audit's thread cannot be started: {source}")
            }
        }
    }
}

impl std::error::Error for TelemetryError {}
