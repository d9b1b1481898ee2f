//! The thread that sends spans to the collector. It alone waits for it: where the collector is
//! gone, slow or full, spans are given up and counted, and serving goes on as ever.
//!
//! What a collector says is never repeated: only the kind of fault is logged, once.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread::JoinHandle;

use opentelemetry::KeyValue;
use opentelemetry_otlp::tonic_types::transport::ClientTlsConfig;
use opentelemetry_otlp::{
    RetryPolicy, SpanExporter, WithExportConfig, WithHttpConfig, WithTonicConfig,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SpanExporter as _;
use tokio::runtime::{Builder, Runtime};
use tokio::time::{sleep, timeout};

use crate::limits;
use crate::telemetry::TelemetryError;
use crate::telemetry::collector::settings::{CollectorProtocol, CollectorReach};
use crate::telemetry::collector::{fault, http};
use crate::telemetry::labels::SpanOutcome;
use crate::telemetry::log::log_event::LogEvent;
use crate::telemetry::log::{EventLog, LogLevel};
use crate::telemetry::traces::settings::TraceSettings;
use crate::telemetry::traces::span_queue::SpanQueue;

/// Starts the thread.
///
/// # Errors
/// Why there is none.
pub fn start(
    settings: &TraceSettings,
    queue: Arc<SpanQueue>,
    log: Arc<EventLog>,
) -> Result<JoinHandle<()>, TelemetryError> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .map_err(|source| TelemetryError::TraceThread { source })?;
    // The clients bind themselves to the runtime that they are built in.
    let exporter = {
        let _inside = runtime.enter();
        exporter(settings)?
    };
    std::thread::Builder::new()
        .name("traces".into())
        .spawn(move || run(runtime, &exporter, &queue, &log))
        .map_err(|source| TelemetryError::TraceThread { source })
}

/// Whether what speaks to the collector can be built of these settings. Nothing is sent.
///
/// # Errors
/// Why it cannot.
pub fn look(settings: &TraceSettings) -> Result<(), TelemetryError> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| TelemetryError::TraceThread { source })?;
    let _inside = runtime.enter();
    exporter(settings).map(drop)
}

fn run(runtime: Runtime, exporter: &SpanExporter, queue: &SpanQueue, log: &EventLog) {
    runtime.block_on(async {
        tokio::select! {
            biased;
            () = queue.closing.notified() => {}
            () = send(exporter, queue, log) => {}
        }
    });
    // A lookup of a name that hangs is left behind.
    runtime.shutdown_background();
}

/// Never ends. May be cancelled: what is being sent is given up.
async fn send(exporter: &SpanExporter, queue: &SpanQueue, log: &EventLog) {
    let mut collector = CollectorReached::Unknown;
    loop {
        tokio::select! {
            () = queue.work.notified() => {}
            () = sleep(limits::TRACE_EXPORT_PAUSE) => {}
        }
        loop {
            let batch = queue.take();
            if batch.is_empty() {
                break;
            }
            let count = batch.len();
            let why = match timeout(limits::TRACE_EXPORT_TIME_MAX, exporter.export(batch)).await {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(fault_of(&error.to_string())),
                Err(_) => Some("it does not answer in time".to_owned()),
            };
            collector = collector.after(why.as_deref(), log);
            let outcome = match why {
                None => SpanOutcome::Exported,
                Some(_) => SpanOutcome::Failed,
            };
            queue.settle(count, outcome);
        }
    }
}

/// What is told of an error: a code, and words of our own for what stands in it. A collector may
/// repeat in it what it was sent.
fn fault_of(error: &str) -> String {
    let told = CODES.iter().find_map(|(before, name)| {
        let (_, after) = error.split_once(before)?;
        let end = after.find(|c: char| !c.is_ascii_alphanumeric());
        let code = after.get(..end.unwrap_or(after.len()).min(CODE_BYTES_MAX))?;
        Some(format!("{name} {code}"))
    });
    let mut told = told.unwrap_or_else(|| "it cannot be reached".to_owned());
    if let Some(words) = fault::words_in(error) {
        told.push_str(", ");
        told.push_str(words);
    }
    told
}

/// Whether the collector took the last batch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CollectorReached {
    Unknown,
    Takes,
    Refuses,
}

impl CollectorReached {
    /// A person hears of it when that changes.
    fn after(self, why: Option<&str>, log: &EventLog) -> Self {
        match (self, why) {
            (Self::Refuses, Some(_)) => {}
            (_, Some(why)) => {
                log.line(
                    LogLevel::Warn,
                    LogEvent::TracesRefused.name(),
                    format_args!("the trace collector takes no spans: {why}"),
                );
            }
            (Self::Refuses, None) => {
                log.line(
                    LogLevel::Info,
                    LogEvent::TracesTaken.name(),
                    format_args!("the trace collector takes spans again"),
                );
            }
            (Self::Unknown | Self::Takes, None) => {}
        }
        match why {
            Some(_) => Self::Refuses,
            None => Self::Takes,
        }
    }
}

/// How the exporters begin the codes that they got.
const CODES: &[(&str, &str)] = &[("gRPC code: ", "gRPC"), ("status code: ", "HTTP")];

/// No code is longer.
const CODE_BYTES_MAX: usize = 32;

/// What speaks to the collector.
fn exporter(settings: &TraceSettings) -> Result<SpanExporter, TelemetryError> {
    let collector = &settings.collector;
    if is_secret_in_clear(collector.reach(), |name| std::env::var_os(name).is_some()) {
        return Err(TelemetryError::TraceHeaders);
    }
    let time = limits::TRACE_EXPORT_TIME_MAX;
    let built = match collector.protocol() {
        CollectorProtocol::Grpc => {
            let metadata = http::metadata(&settings.headers);
            let metadata = metadata.ok_or(TelemetryError::TraceCollector)?;
            let mut builder = SpanExporter::builder()
                .with_tonic()
                .with_endpoint(collector.url())
                .with_timeout(time)
                .with_metadata(metadata)
                .with_retry_policy(RetryPolicy::recommended());
            if collector.reach() == CollectorReach::Private {
                builder = builder.with_tls_config(ClientTlsConfig::new().with_native_roots());
            }
            builder.build()
        }
        CollectorProtocol::Http => {
            let client =
                http::client(time).map_err(|source| TelemetryError::TraceThread { source })?;
            let headers = settings.headers.iter();
            let headers: HashMap<String, String> = headers
                .map(|(name, value)| (name.clone(), value.reveal().to_owned()))
                .collect();
            SpanExporter::builder()
                .with_http()
                .with_http_client(client)
                .with_protocol(opentelemetry_otlp::Protocol::HttpBinary)
                .with_endpoint(collector.url())
                .with_timeout(time)
                .with_headers(headers)
                .with_retry_policy(RetryPolicy::recommended())
                .build()
        }
    };
    let mut exporter = built.map_err(|_| TelemetryError::TraceCollector)?;
    exporter.set_resource(&resource(&settings.service_name)?);
    Ok(exporter)
}

/// Whether headers that the exporters take from the environment, where tokens of vendors stand,
/// would be for anybody on the way to read. Those of the settings cannot be.
fn is_secret_in_clear(reach: CollectorReach, is_set: impl Fn(&str) -> bool) -> bool {
    reach == CollectorReach::Anybody && HEADER_VARIABLES.iter().any(|name| is_set(name))
}

/// The variables that the exporters read headers from.
const HEADER_VARIABLES: [&str; 2] = [
    opentelemetry_otlp::OTEL_EXPORTER_OTLP_HEADERS,
    opentelemetry_otlp::OTEL_EXPORTER_OTLP_TRACES_HEADERS,
];

/// Who it is that sends.
fn resource(service_name: &str) -> Result<Resource, TelemetryError> {
    let mut id = [0_u8; 16];
    getrandom::fill(&mut id).map_err(|_| TelemetryError::TraceCollector)?;
    let id = u128::from_be_bytes(id);
    // A random UUID, RFC 9562.
    let id = id & !(0xf << 76) | 0x4 << 76;
    let id = id & !(0x3 << 62) | 0x2 << 62;
    let digits = format!("{id:032x}");
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32];
    let parts: Vec<&str> = parts
        .into_iter()
        .filter_map(|part| digits.get(part))
        .collect();
    Ok(Resource::builder_empty()
        .with_attributes([
            KeyValue::new("service.name", service_name.to_owned()),
            KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
            KeyValue::new("service.instance.id", parts.join("-")),
            KeyValue::new("telemetry.sdk.name", "opentelemetry"),
            KeyValue::new("telemetry.sdk.language", "rust"),
        ])
        .build())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_told_without_the_words_of_the_collector() {
        for (error, told) in [
            (
                "TonicTracesClient export failed with gRPC code: Unavailable: tcp connect error: \
                 Connection refused (os error 111)",
                "gRPC Unavailable, nobody listens there",
            ),
            (
                "Operation failed: TonicTracesClient export failed with gRPC code: Internal: canary",
                "gRPC Internal",
            ),
            ("HTTP export failed with status code: 401", "HTTP 401"),
            ("HTTP export failed: network error", "it cannot be reached"),
            ("gRPC code: ", "gRPC "),
            (
                "invalid peer certificate: UnknownIssuer canary",
                "it cannot be reached, its certificate is not trusted",
            ),
        ] {
            assert_eq!(fault_of(error), told);
        }
        assert!(fault_of(&format!("gRPC code: {}", "c".repeat(1000))).len() < 50);
    }

    #[test]
    fn headers_of_the_environment_never_go_in_clear() {
        for name in HEADER_VARIABLES {
            let is_set = |asked: &str| asked == name;
            assert!(
                is_secret_in_clear(CollectorReach::Anybody, is_set),
                "{name}"
            );
            assert!(!is_secret_in_clear(CollectorReach::Private, is_set));
            assert!(!is_secret_in_clear(CollectorReach::Host, is_set));
        }
        assert!(!is_secret_in_clear(CollectorReach::Anybody, |_| false));
    }

    #[test]
    fn the_instance_is_a_random_uuid() {
        let id = |resource: Resource| {
            let id = resource.get(&"service.instance.id".into()).unwrap();
            id.to_string()
        };
        let (one, other) = (id(resource("a").unwrap()), id(resource("a").unwrap()));
        assert_ne!(one, other);
        assert_eq!(one.len(), 36);
        let parts: Vec<usize> = one.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12]);
        assert_eq!(one.as_bytes()[14], b'4');
        assert!(b"89ab".contains(&one.as_bytes()[19]));
    }
}
