//! Collectors: one that keeps every span in memory, and a real one (rotel) that hands on to it.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span as Sent;
use pgsieve::demo::cluster::random_name;
use pgsieve::demo::supervisor::SupervisedChild;
use prost::Message;

use super::ports::free_port;
use super::until;

/// Takes spans by OTLP over HTTP, and keeps them.
pub struct Collector {
    address: SocketAddr,
    kept: Arc<Mutex<Kept>>,
}

/// A span, as a test looks at it.
#[derive(Clone, Debug)]
pub struct Span {
    /// The trace, in hexadecimal digits; so are the next two.
    pub trace: String,
    /// The span.
    pub id: String,
    /// Its parent, empty if it has none.
    pub parent: String,
    /// What it is called.
    pub name: String,
    /// The number of its kind: 1 internal, 2 server, 3 client.
    pub kind: i32,
    /// Whether it says that it has failed.
    pub failed: bool,
    /// When it began, in nanoseconds.
    pub start: u64,
    /// When it ended.
    pub end: u64,
    /// Its attributes.
    pub attributes: HashMap<String, String>,
    /// The names and times of its events.
    pub events: Vec<(String, u64)>,
    /// What is said of who sent it.
    pub resource: HashMap<String, String>,
}

#[derive(Default)]
struct Kept {
    spans: Vec<Span>,
    heads: Vec<String>,
    bytes: Vec<u8>,
}

/// A running rotel, which takes spans both ways and hands them on.
pub struct Rotel {
    _agent: SupervisedChild,
    /// Where it takes gRPC.
    pub grpc: u16,
    /// Where it takes HTTP.
    pub http: u16,
    folder: PathBuf,
}

impl Collector {
    /// Starts one.
    pub fn start() -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    /// Starts one on a socket that is there.
    pub fn on(listener: TcpListener) -> Self {
        let address = listener.local_addr().unwrap();
        let kept = Arc::new(Mutex::new(Kept::default()));
        let catalog_cache = Arc::clone(&kept);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&catalog_cache);
                thread::spawn(move || take_all(stream, &kept));
            }
        });
        Self { address, kept }
    }

    /// Its address, as a setting.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every span so far.
    pub fn spans(&self) -> Vec<Span> {
        self.kept.lock().unwrap().spans.clone()
    }

    /// Everything that was ever received: heads of requests, and bodies.
    pub fn everything(&self) -> Vec<u8> {
        let kept = self.kept.lock().unwrap();
        [kept.heads.concat().into_bytes(), kept.bytes.clone()].concat()
    }

    /// The heads of requests.
    pub fn heads(&self) -> Vec<String> {
        self.kept.lock().unwrap().heads.clone()
    }

    /// The spans of a trace once there are those of so many statements; their roots first, by their
    /// ends.
    pub fn trace(&self, trace: &str, statements: usize) -> Vec<Span> {
        let of_trace = || {
            let mut spans = self.spans();
            spans.retain(|span| span.trace == trace);
            spans.sort_by_key(|span| match span.kind {
                // Statements of one batch came at the same time.
                SERVER => (0, span.end),
                _ => (1, span.start),
            });
            let roots = spans.iter().filter(|span| span.kind == SERVER).count();
            (roots >= statements).then_some(spans)
        };
        until(of_trace).unwrap_or_else(|| panic!("no spans of {trace}: {:?}", self.spans()))
    }
}

impl Span {
    /// An attribute, or nothing.
    pub fn get(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }
}

impl Rotel {
    /// Starts one that hands spans on to a collector; it writes down what it gets as well.
    pub fn start(to: &Collector) -> Self {
        Self::of("traces", &to.url())
    }

    /// Starts one that hands log records on to this address.
    pub fn of_logs(to: &str) -> Self {
        Self::of("logs", to)
    }

    fn of(signal: &str, to: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("rotel-it-{}", random_name().unwrap()));
        fs::create_dir(&folder).unwrap();
        let (grpc, http) = (free_port(), free_port());
        let local = |port: u16| format!("127.0.0.1:{port}");
        let file = |name: &str| folder.join(name).to_string_lossy().into_owned();
        let arguments = [
            ("--otlp-grpc-endpoint", local(grpc)),
            ("--otlp-http-endpoint", local(http)),
            ("--exporter", "otlp".to_owned()),
            ("--otlp-exporter-endpoint", to.to_owned()),
            ("--otlp-exporter-protocol", "http".to_owned()),
            ("--debug-log", signal.to_owned()),
            ("--pid-file", file("pid")),
            ("--log-file", file("log")),
        ];
        let mut words = vec!["start".to_owned()];
        words.extend(
            arguments
                .into_iter()
                .flat_map(|(name, value)| [name.to_owned(), value]),
        );
        let agent = SupervisedChild::start(&folder, &program(), &words, &[]).unwrap();
        let rotel = Self {
            _agent: agent,
            grpc,
            http,
            folder,
        };
        let is_up = |port: u16| TcpStream::connect(("127.0.0.1", port)).is_ok();
        until(|| (is_up(grpc) && is_up(http)).then_some(())).expect("rotel takes connections");
        rotel
    }

    /// Everything it has written down.
    pub fn said(&self) -> String {
        let read = |name: &str| fs::read_to_string(self.folder.join(name)).unwrap_or_default();
        ["stdout", "stderr", "log"].map(read).concat()
    }
}

/// The program inside of its Python package.
fn program() -> PathBuf {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let agent = folder.join("target/clients-rotel/rotel/rotel-agent");
    assert!(agent.exists(), "no {}: run .ci/setup", agent.display());
    agent
}

fn take_all(stream: TcpStream, kept: &Mutex<Kept>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut writer = stream;
    while let Some((head, body)) = request(&mut reader) {
        let body = match head.to_lowercase().contains("content-encoding: gzip") {
            true => unzipped(&body),
            false => body,
        };
        let sent = ExportTraceServiceRequest::decode(&*body).expect("spans");
        let mut kept = kept.lock().unwrap();
        kept.heads.push(head);
        kept.bytes.extend_from_slice(&body);
        kept.spans.extend(spans(sent));
        drop(kept);
        let answer =
            "HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n";
        if writer.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn unzipped(body: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(body)
        .read_to_end(&mut plain)
        .unwrap();
    plain
}

/// One request; none when there are no more.
pub fn request(reader: &mut impl BufRead) -> Option<(String, Vec<u8>)> {
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&line);
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, body))
}

fn spans(sent: ExportTraceServiceRequest) -> Vec<Span> {
    let mut spans = Vec::new();
    for resource_spans in sent.resource_spans {
        let resource = resource_spans.resource.unwrap_or_default();
        let resource = words(&resource.attributes);
        for scope in resource_spans.scope_spans {
            spans.extend(scope.spans.into_iter().map(|sent| span(sent, &resource)));
        }
    }
    spans
}

fn span(sent: Sent, resource: &HashMap<String, String>) -> Span {
    assert_eq!(sent.trace_state, "");
    Span {
        trace: hex(&sent.trace_id),
        id: hex(&sent.span_id),
        parent: hex(&sent.parent_span_id),
        name: sent.name,
        kind: sent.kind,
        failed: sent.status.as_ref().is_some_and(|status| {
            assert_eq!(status.message, "");
            status.code == 2
        }),
        start: sent.start_time_unix_nano,
        end: sent.end_time_unix_nano,
        attributes: words(&sent.attributes),
        events: sent
            .events
            .into_iter()
            .map(|event| (event.name, event.time_unix_nano))
            .collect(),
        resource: resource.clone(),
    }
}

fn words(attributes: &[KeyValue]) -> HashMap<String, String> {
    let pairs = attributes.iter().map(|pair| {
        (
            pair.key.clone(),
            pair.value.as_ref().map_or_else(String::new, word),
        )
    });
    pairs.collect()
}

fn word(value: &AnyValue) -> String {
    match &value.value {
        Some(Value::StringValue(text)) => text.clone(),
        Some(Value::IntValue(number)) => number.to_string(),
        Some(Value::ArrayValue(list)) => {
            let words: Vec<String> = list.values.iter().map(word).collect();
            words.join(",")
        }
        other => panic!("unexpected {other:?}"),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The kind of the span of a whole statement.
pub const SERVER: i32 = 2;
