//! The two protocols of a collector. Nothing is tried twice here, and no redirect is followed.

use std::io;

use opentelemetry_http::hyper::HyperClient;
use opentelemetry_http::{Bytes, HttpClient, Request};
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::logs::v1::logs_service_client::LogsServiceClient;
use prost::Message;
use tokio::time::error::Elapsed;
use tonic::metadata::MetadataMap;
use tonic::transport::{Channel, ClientTlsConfig, Endpoint};

use super::answer::{CollectorAnswer, CollectorFault, HttpAnswer};
use super::target::CollectorTarget;
use crate::limits::collectors::{AUDIT_ANSWER_BYTES_MAX, AUDIT_EXPORT_TIME_MAX};
use crate::secret::Secret;
use crate::telemetry::collector::http::{self, CollectorClient};
use crate::telemetry::collector::settings::{CollectorProtocol, CollectorReach};

/// A way to a collector.
pub enum CollectorTransport {
    /// Protobuf over HTTP.
    Http(Box<HttpTransport>),
    /// gRPC.
    Grpc(Box<GrpcTransport>),
}

/// Protobuf over HTTP.
pub struct HttpTransport {
    client: CollectorClient,
    url: String,
    headers: Vec<(String, Secret)>,
}

/// gRPC.
pub struct GrpcTransport {
    endpoint: Endpoint,
    channel: Channel,
    metadata: MetadataMap,
}

impl CollectorTransport {
    /// Makes it ready. Nothing is connected to.
    ///
    /// # Errors
    /// The authorities of this host cannot be read, or a header cannot be sent.
    pub fn open(target: &CollectorTarget) -> io::Result<Self> {
        let url = target.collector.url();
        let metadata = http::metadata(&target.headers);
        let metadata = metadata.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(match target.collector.protocol() {
            CollectorProtocol::Http => Self::Http(Box::new(HttpTransport {
                client: http::client(AUDIT_EXPORT_TIME_MAX)?,
                url: url.to_owned(),
                headers: target.headers.clone(),
            })),
            CollectorProtocol::Grpc => {
                let endpoint = Endpoint::from_shared(url.to_owned())
                    .and_then(|endpoint| endpoint.user_agent(USER_AGENT))
                    .map_err(|_| io::ErrorKind::InvalidInput)?
                    .connect_timeout(AUDIT_EXPORT_TIME_MAX);
                let endpoint = match target.collector.reach() {
                    CollectorReach::Private => endpoint
                        .tls_config(ClientTlsConfig::new().with_native_roots())
                        .map_err(io::Error::other)?,
                    CollectorReach::Host | CollectorReach::Anybody => endpoint,
                };
                let channel = endpoint.connect_lazy();
                Self::Grpc(Box::new(GrpcTransport {
                    endpoint,
                    channel,
                    metadata,
                }))
            }
        })
    }

    /// Sends a request. May be cancelled: the collector may have taken it then.
    pub async fn export(&self, request: ExportLogsServiceRequest) -> CollectorAnswer {
        match self {
            Self::Http(own) => own.export(&request).await,
            Self::Grpc(own) => own.export(request).await,
        }
    }

    /// The next request goes over another connection.
    pub fn reconnect(&mut self) {
        match self {
            // A request that was cancelled has taken its connection with it.
            Self::Http(_) => {}
            Self::Grpc(own) => own.channel = own.endpoint.connect_lazy(),
        }
    }
}

impl HttpTransport {
    async fn export(&self, request: &ExportLogsServiceRequest) -> CollectorAnswer {
        let mut post = Request::post(&self.url)
            .header("content-type", "application/x-protobuf")
            .header("user-agent", USER_AGENT);
        for (name, value) in &self.headers {
            post = post.header(name, value.reveal());
        }
        let Ok(post) = post.body(Bytes::from(request.encode_to_vec())) else {
            return CollectorAnswer::later(CollectorFault::unknown());
        };
        match HyperClient::send_bytes(&self.client, post).await {
            Ok(answer) => {
                let header = |name: &str| answer.headers().get(name)?.to_str().ok();
                CollectorAnswer::of_http(&HttpAnswer {
                    status: answer.status().as_u16(),
                    content_type: header("content-type").unwrap_or_default(),
                    retry_after: header("retry-after"),
                    body: answer.body(),
                })
            }
            Err(error) if error.is::<Elapsed>() => CollectorAnswer::later(CollectorFault::late()),
            Err(error) => CollectorAnswer::of_failure(error.as_ref()),
        }
    }
}

impl GrpcTransport {
    async fn export(&self, request: ExportLogsServiceRequest) -> CollectorAnswer {
        let mut request = tonic::Request::new(request);
        *request.metadata_mut() = self.metadata.clone();
        let mut client = LogsServiceClient::new(self.channel.clone())
            .max_decoding_message_size(AUDIT_ANSWER_BYTES_MAX);
        match client.export(request).await {
            Ok(answer) => CollectorAnswer::of_response(answer.get_ref()),
            Err(status) => CollectorAnswer::of_grpc(&status),
        }
    }
}

const USER_AGENT: &str = concat!("pgsieve/", env!("CARGO_PKG_VERSION"));
