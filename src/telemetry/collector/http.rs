//! The client for collectors that speak HTTP, and headers as both protocols have them. Their
//! certificates must be signed by an authority that this host trusts.

use std::io;
use std::time::Duration;

use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use opentelemetry_http::Request;
use opentelemetry_http::hyper::HyperClient;
use opentelemetry_otlp::tonic_types::metadata::MetadataMap;

use crate::secret::Secret;

/// The client.
pub type CollectorClient = HyperClient<HttpsConnector<HttpConnector>>;

/// A client whose requests take so long at most.
///
/// # Errors
/// The authorities of this host cannot be read.
pub fn client(time_max: Duration) -> io::Result<CollectorClient> {
    let connector = HttpsConnectorBuilder::new()
        .with_native_roots()?
        .https_or_http()
        .enable_http1()
        .build();
    Ok(HyperClient::new(connector, time_max, None))
}

/// The headers as gRPC has them; none where they are not such as a request may have. An error
/// would quote what it did not like.
pub fn metadata(headers: &[(String, Secret)]) -> Option<MetadataMap> {
    let mut request = Request::builder();
    for (name, value) in headers {
        request = request.header(name, value.reveal());
    }
    let request = request.body(()).ok()?;
    Some(MetadataMap::from_headers(request.headers().clone()))
}
