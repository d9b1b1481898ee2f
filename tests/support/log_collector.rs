//! A collector of log records that keeps what it takes, and answers as a test wants: over HTTP or
//! gRPC, with TLS or without.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use opentelemetry_proto::tonic::collector::logs::v1::logs_service_server::{
    LogsService, LogsServiceServer,
};
use opentelemetry_proto::tonic::collector::logs::v1::{
    ExportLogsPartialSuccess, ExportLogsServiceRequest, ExportLogsServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use prost::Message;
use tokio::runtime::{Builder, Runtime};
use tonic::{Request, Response, Status};

/// What it does with a request.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Takes it.
    Take,
    /// Takes it but for the last so many records, and says so.
    TakeWithout(usize),
    /// Answers over HTTP with this status, these lines of the head and this body.
    Http(u16, &'static str, &'static [u8]),
    /// Answers over gRPC with this.
    Grpc(Status),
    /// Takes it, and never says so.
    Hang,
    /// Closes the connection.
    Close,
    /// Writes these bytes and closes the connection.
    Bytes(&'static [u8]),
    /// Takes requests of so many records, and says of others that they are too large.
    Most(usize),
}

/// A record, as a test looks at it.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its body.
    pub body: String,
    /// Its event's name.
    pub event: String,
    /// Its severity, as a text.
    pub severity: String,
    /// The number of that.
    pub severity_number: i32,
    /// Its times, in nanoseconds.
    pub times: [u64; 2],
    /// The trace, in hexadecimal digits.
    pub trace: String,
    /// The span.
    pub span: String,
    /// Its attributes, in words.
    pub attributes: BTreeMap<String, String>,
    /// Who sent it.
    pub resource: BTreeMap<String, String>,
}

/// A collector.
pub struct LogCollector {
    address: SocketAddr,
    shared: Arc<Shared>,
    listener: Option<TcpListener>,
    runtime: Option<Runtime>,
}

#[derive(Default)]
struct Shared {
    kept: Mutex<Kept>,
    script: Mutex<VecDeque<Answer>>,
    always: Mutex<Option<Answer>>,
}

#[derive(Default)]
struct Kept {
    records: Vec<Record>,
    heads: Vec<String>,
    sizes: Vec<usize>,
    bytes: Vec<u8>,
}

impl LogCollector {
    /// Over HTTP.
    pub fn http() -> Self {
        Self::http_on(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    /// Over HTTP, on a socket that is there.
    pub fn http_on(listener: TcpListener) -> Self {
        Self::serving(listener, Some)
    }

    /// Over HTTP, behind what makes another stream of a socket, such as TLS.
    pub fn serving<S: Read + Write>(
        listener: TcpListener,
        wrap: impl Fn(TcpStream) -> Option<S> + Send + Sync + 'static,
    ) -> Self {
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let (accepting, sharing) = (listener.try_clone().unwrap(), Arc::clone(&shared));
        let wrap = Arc::new(wrap);
        thread::spawn(move || {
            for stream in accepting.incoming().flatten() {
                let (shared, wrap) = (Arc::clone(&sharing), Arc::clone(&wrap));
                thread::spawn(move || {
                    let socket = stream.try_clone().unwrap();
                    if let Some(stream) = wrap(stream) {
                        serve(stream, &socket, &shared);
                    }
                });
            }
        });
        Self {
            address,
            shared,
            listener: Some(listener),
            runtime: None,
        }
    }

    /// Over gRPC.
    pub fn grpc() -> Self {
        Self::grpc_on(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    /// Over gRPC, on a socket that is there.
    pub fn grpc_on(listener: TcpListener) -> Self {
        let address = listener.local_addr().unwrap();
        listener.set_nonblocking(true).unwrap();
        let shared = Arc::new(Shared::default());
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let service = LogsServiceServer::new(Grpc(Arc::clone(&shared)));
        runtime.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            let incoming = tonic::transport::server::TcpIncoming::from(listener);
            let server = tonic::transport::Server::builder().add_service(service);
            server.serve_with_incoming(incoming).await.unwrap();
        });
        Self {
            address,
            shared,
            listener: None,
            runtime: Some(runtime),
        }
    }

    /// Where it is, as a setting.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers the next requests so.
    pub fn next(&self, answers: impl IntoIterator<Item = Answer>) {
        self.shared.script.lock().unwrap().extend(answers);
    }

    /// Answers all requests so that nothing else is said of.
    pub fn always(&self, answer: Answer) {
        *self.shared.always.lock().unwrap() = Some(answer);
    }

    /// The records that it has taken.
    pub fn records(&self) -> Vec<Record> {
        self.shared.kept.lock().unwrap().records.clone()
    }

    /// Their bodies, as a file would have them.
    pub fn bodies(&self) -> String {
        let lines = self.records().into_iter().map(|record| record.body + "\n");
        lines.collect()
    }

    /// The heads of requests.
    pub fn heads(&self) -> Vec<String> {
        self.shared.kept.lock().unwrap().heads.clone()
    }

    /// How many records each request had, whatever became of it.
    pub fn sizes(&self) -> Vec<usize> {
        self.shared.kept.lock().unwrap().sizes.clone()
    }

    /// Everything that was ever received.
    pub fn everything(&self) -> Vec<u8> {
        let kept = self.shared.kept.lock().unwrap();
        [kept.heads.concat().into_bytes(), kept.bytes.clone()].concat()
    }
}

impl Drop for LogCollector {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
        drop(self.listener.take());
    }
}

impl Shared {
    /// What is done with a request of so many bytes.
    fn take(&self, head: String, body: &[u8], sent: ExportLogsServiceRequest) -> Answer {
        let records = records(sent);
        let scripted = self.script.lock().unwrap().pop_front();
        let always = || self.always.lock().unwrap().clone();
        let answer = scripted.or_else(always).unwrap_or(Answer::Take);
        let mut kept = self.kept.lock().unwrap();
        kept.heads.push(head);
        kept.bytes.extend_from_slice(body);
        kept.sizes.push(records.len());
        let taken = match answer {
            Answer::Take | Answer::Hang => records.len(),
            Answer::TakeWithout(lost) => records.len() - lost,
            Answer::Most(most) if records.len() <= most => records.len(),
            _ => 0,
        };
        kept.records.extend(records.into_iter().take(taken));
        answer
    }
}

struct Grpc(Arc<Shared>);

#[tonic::async_trait]
impl LogsService for Grpc {
    async fn export(
        &self,
        request: Request<ExportLogsServiceRequest>,
    ) -> Result<Response<ExportLogsServiceResponse>, Status> {
        let head = format!("{:?}", request.metadata());
        let sent = request.into_inner();
        let (bytes, count) = (sent.encode_to_vec(), count(&sent));
        match self.0.take(head, &bytes, sent) {
            Answer::Grpc(status) => Err(status),
            Answer::Hang => {
                tokio::time::sleep(Duration::from_secs(3600)).await;
                Err(Status::cancelled(""))
            }
            Answer::Most(most) if count > most => Err(Status::out_of_range("canary")),
            Answer::TakeWithout(lost) => Ok(Response::new(response(lost))),
            _ => Ok(Response::new(response(0))),
        }
    }
}

fn response(lost: usize) -> ExportLogsServiceResponse {
    let partial_success = (lost > 0).then(|| ExportLogsPartialSuccess {
        rejected_log_records: i64::try_from(lost).unwrap(),
        error_message: "canary of a collector".into(),
    });
    ExportLogsServiceResponse { partial_success }
}

fn count(sent: &ExportLogsServiceRequest) -> usize {
    let scopes = sent.resource_logs.iter().flat_map(|one| &one.scope_logs);
    scopes.map(|scope| scope.log_records.len()).sum()
}

fn serve<S: Read + Write>(stream: S, socket: &TcpStream, shared: &Shared) {
    let mut stream = BufReader::new(stream);
    while let Some((head, body)) = request(&mut stream) {
        let body = match head.to_lowercase().contains("content-encoding: gzip") {
            true => unzipped(&body),
            false => body,
        };
        let sent = ExportLogsServiceRequest::decode(&*body).expect("log records");
        let size = count(&sent);
        let protobuf = "Content-Type: application/x-protobuf";
        let (status, lines, body) = match shared.take(head, &body, sent) {
            Answer::Take => (200, protobuf, Vec::new()),
            Answer::TakeWithout(lost) => (200, protobuf, response(lost).encode_to_vec()),
            Answer::Http(status, lines, body) => (status, lines, body.to_vec()),
            Answer::Most(most) if size > most => (413, "X: y", b"canary".to_vec()),
            Answer::Most(_) => (200, protobuf, Vec::new()),
            Answer::Grpc(_) => panic!("it speaks HTTP"),
            Answer::Hang => {
                // Until the other side has had enough.
                let _ = stream.read(&mut [0]);
                return;
            }
            Answer::Close => {
                let _ = socket.shutdown(Shutdown::Both);
                return;
            }
            Answer::Bytes(bytes) => {
                let _ = stream.get_mut().write_all(bytes);
                let _ = stream.get_mut().flush();
                let _ = socket.shutdown(Shutdown::Both);
                return;
            }
        };
        let length = body.len();
        let head = format!("HTTP/1.1 {status} X\r\n{lines}\r\nContent-Length: {length}\r\n\r\n");
        let answer = [head.into_bytes(), body].concat();
        if stream.get_mut().write_all(&answer).is_err() || stream.get_mut().flush().is_err() {
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

fn request(reader: &mut impl BufRead) -> Option<(String, Vec<u8>)> {
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

fn records(sent: ExportLogsServiceRequest) -> Vec<Record> {
    let mut records = Vec::new();
    for logs in sent.resource_logs {
        let resource = words(&logs.resource.unwrap_or_default().attributes);
        for scope in logs.scope_logs {
            assert_eq!(scope.scope.unwrap_or_default().name, "pgsieve.audit");
            let sent = scope.log_records.into_iter();
            records.extend(sent.map(|sent| record(sent, &resource)));
        }
    }
    records
}

fn record(sent: LogRecord, resource: &BTreeMap<String, String>) -> Record {
    let attributes = words(&sent.attributes);
    assert_eq!(attributes.len(), sent.attributes.len(), "a key comes twice");
    Record {
        body: sent.body.as_ref().map(word).unwrap_or_default(),
        event: sent.event_name,
        severity: sent.severity_text,
        severity_number: sent.severity_number,
        times: [sent.time_unix_nano, sent.observed_time_unix_nano],
        trace: hex(&sent.trace_id),
        span: hex(&sent.span_id),
        attributes,
        resource: resource.clone(),
    }
}

fn words(attributes: &[KeyValue]) -> BTreeMap<String, String> {
    let pairs = attributes.iter();
    pairs
        .map(|pair| {
            (
                pair.key.clone(),
                pair.value.as_ref().map_or_else(String::new, word),
            )
        })
        .collect()
}

fn word(value: &AnyValue) -> String {
    match &value.value {
        Some(Value::StringValue(text)) => text.clone(),
        Some(Value::IntValue(number)) => number.to_string(),
        Some(Value::BoolValue(truth)) => truth.to_string(),
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
