//! One small document over HTTPS: the server proves who it is, the answer is bounded in size and
//! time, and nothing is followed anywhere else.

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;

use hyper::body::{Body, Incoming};
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, HOST, USER_AGENT};
use hyper::{Request, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::pem::TlsSetupError;
use super::tls_failure;
use super::upstream_tls::{ClientCertificate, TlsAuthority, UpstreamTls, UpstreamTlsSettings};
use crate::limits;
use crate::telemetry::labels::TlsFailure;

/// The address of a document, with `https://` in front.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpsUrl {
    host: String,
    port: u16,
    target: String,
}

/// Why a text is no such address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlError {
    /// It is no address at all.
    NotUrl,
    /// It does not begin with `https://`.
    NotHttps,
    /// It holds a user or a password, which would be sent nowhere.
    Login,
}

/// A document that can be asked for.
pub struct Document {
    url: HttpsUrl,
    tls: UpstreamTls,
}

/// Why it was not got. Holds no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchError {
    /// Its host was not found.
    UnknownHost(io::ErrorKind),
    /// Nobody answers there.
    Unreachable(io::ErrorKind),
    /// It took longer than it may.
    TimedOut,
    /// The host did not prove who it is, or TLS failed otherwise.
    Handshake(TlsFailure),
    /// Its answer is no HTTP.
    NotHttp,
    /// It answers with another status than 200.
    Status(u16),
    /// The document is too large.
    TooLarge,
    /// The document is no text.
    NotText,
}

impl HttpsUrl {
    /// Reads one.
    ///
    /// # Errors
    /// It is none.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        let uri: Uri = text.parse().map_err(|_| UrlError::NotUrl)?;
        if uri.scheme_str() != Some("https") {
            return Err(UrlError::NotHttps);
        }
        let authority = uri.authority().ok_or(UrlError::NotUrl)?;
        if authority.as_str().contains('@') {
            return Err(UrlError::Login);
        }
        let host = authority.host().trim_matches(['[', ']']);
        let target = uri.path_and_query().ok_or(UrlError::NotUrl)?;
        let has_port = authority.as_str().len() > authority.host().len();
        let port = match (has_port, authority.port_u16()) {
            (false, _) => HTTPS_PORT,
            (true, Some(port)) => port,
            (true, None) => return Err(UrlError::NotUrl),
        };
        match host.is_empty() {
            true => Err(UrlError::NotUrl),
            false => Ok(Self {
                host: host.to_owned(),
                port,
                target: target.as_str().to_owned(),
            }),
        }
    }

    /// As it is written, but for a port that says nothing.
    pub fn text(&self) -> String {
        format!("https://{}{}", self.authority(), self.target)
    }

    fn authority(&self) -> String {
        let host = match self.host.contains(':') {
            true => format!("[{}]", self.host),
            false => self.host.clone(),
        };
        match self.port {
            HTTPS_PORT => host,
            port => format!("{host}:{port}"),
        }
    }
}

impl Document {
    /// Makes ready to ask for it; the host is believed where one of these authorities vouches for
    /// it, or else one that the system believes.
    ///
    /// # Errors
    /// The authorities cannot be read.
    pub fn new(url: HttpsUrl, authority: Option<PathBuf>) -> Result<Self, TlsSetupError> {
        let authority = authority.map_or(TlsAuthority::System, TlsAuthority::File);
        let settings = UpstreamTlsSettings::VerifyFull(authority, ClientCertificate::Absent);
        let tls = UpstreamTls::load(&settings, &url.host)?;
        Ok(Self { url, tls })
    }

    /// Asks for it. May be cancelled: the connection is dropped.
    ///
    /// # Errors
    /// It was not got whole, in time, from the right host.
    pub async fn fetch(&self) -> Result<String, FetchError> {
        match timeout(limits::DOCUMENT_FETCH_TIME_MAX, self.fetch_untimed()).await {
            Ok(fetched) => fetched,
            Err(_elapsed) => Err(FetchError::TimedOut),
        }
    }

    async fn fetch_untimed(&self) -> Result<String, FetchError> {
        // Without TLS nothing is asked for: see `new`.
        let UpstreamTls::Required { connector, name } = &self.tls else {
            return Err(FetchError::Handshake(TlsFailure::NotOffered));
        };
        let socket = connect(&self.url).await?;
        let stream = connector.connect(name.clone(), socket).await;
        let stream = stream.map_err(|error| FetchError::Handshake(tls_failure::cause(&error)))?;
        let (mut sender, connection) = http1::Builder::new()
            .max_buf_size(limits::DOCUMENT_HEAD_BYTES_MAX)
            .handshake::<_, String>(TokioIo::new(stream))
            .await
            .map_err(|_| FetchError::NotHttp)?;
        let request = Request::get(&self.url.target)
            .header(HOST, self.url.authority())
            .header(ACCEPT, "application/json")
            .header(USER_AGENT, "pgsieve")
            .body(String::new())
            .map_err(|_| FetchError::NotHttp)?;
        let ask = async {
            let answer = sender.send_request(request).await;
            let answer = answer.map_err(|_| FetchError::NotHttp)?;
            match answer.status() {
                StatusCode::OK => text_of(answer.into_body()).await,
                other => Err(FetchError::Status(other.as_u16())),
            }
        };
        let mut ask = std::pin::pin!(ask);
        tokio::select! {
            biased;
            fetched = &mut ask => fetched,
            // It may end with its last bytes; what they were is known here already.
            _closed = connection => ask.await,
        }
    }
}

/// Tries the addresses of the host in their order; the last fault is told.
async fn connect(url: &HttpsUrl) -> Result<TcpStream, FetchError> {
    let found = tokio::net::lookup_host((url.host.as_str(), url.port)).await;
    let found = found.map_err(|error| FetchError::UnknownHost(error.kind()))?;
    let mut fault = FetchError::UnknownHost(io::ErrorKind::NotFound);
    for address in found.take(limits::UPSTREAM_ADDRESSES_MAX) {
        match timeout(
            limits::DOCUMENT_CONNECT_TIME_MAX,
            TcpStream::connect(address),
        )
        .await
        {
            Ok(Ok(socket)) => return Ok(socket),
            Ok(Err(error)) => fault = FetchError::Unreachable(error.kind()),
            Err(_elapsed) => fault = FetchError::TimedOut,
        }
    }
    Err(fault)
}

async fn text_of(mut body: Incoming) -> Result<String, FetchError> {
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let frame = frame.map_err(|_| FetchError::NotHttp)?;
        let Some(data) = frame.data_ref() else {
            continue;
        };
        if bytes.len().saturating_add(data.len()) > limits::DOCUMENT_BYTES_MAX {
            return Err(FetchError::TooLarge);
        }
        bytes.extend_from_slice(data);
    }
    String::from_utf8(bytes).map_err(|_| FetchError::NotText)
}

impl fmt::Debug for HttpsUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("HttpsUrl")
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Document")
    }
}

impl fmt::Display for UrlError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NotUrl => "is no URL: https://HOST/PATH is wanted",
            Self::NotHttps => {
                "https:// is wanted: whoever could change it on its way could let \
                               anybody in"
            }
            Self::Login => "holds a user or a password, which is not sent",
        })
    }
}

impl std::error::Error for UrlError {}

impl fmt::Display for FetchError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownHost(_) => formatter.write_str("the name of the host is not known"),
            Self::Unreachable(kind) => write!(formatter, "nobody answers: {kind}"),
            Self::TimedOut => formatter.write_str("no answer in time"),
            Self::Handshake(failure) => {
                write!(formatter, "TLS handshake: {}", tls_failure::words(*failure))
            }
            Self::NotHttp => formatter.write_str("the answer is no HTTP, or broke off"),
            Self::Status(status) => write!(formatter, "the answer has HTTP status {status}"),
            Self::TooLarge => write!(
                formatter,
                "the answer has more than {} bytes",
                limits::DOCUMENT_BYTES_MAX
            ),
            Self::NotText => formatter.write_str("the answer is no text"),
        }
    }
}

impl std::error::Error for FetchError {}

const HTTPS_PORT: u16 = 443;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_https_and_hold_no_login() {
        let read = |text: &str| HttpsUrl::parse(text).map(|url| (url.authority(), url.target));
        let good = |authority: &str, target: &str| Ok((authority.to_owned(), target.to_owned()));
        assert_eq!(
            read("https://id.example.org/keys?x=1"),
            good("id.example.org", "/keys?x=1")
        );
        assert_eq!(read("https://id.example.org"), good("id.example.org", "/"));
        assert_eq!(read("https://[::1]:8443/k"), good("[::1]:8443", "/k"));
        assert_eq!(
            read("https://id.example.org:443/k"),
            good("id.example.org", "/k")
        );
        for (text, why) in [
            ("http://id.example.org/keys", UrlError::NotHttps),
            ("file:///etc/keys", UrlError::NotUrl),
            ("/etc/keys.json", UrlError::NotHttps),
            ("https://ann:pw@id.example.org/keys", UrlError::Login),
            ("https:///keys", UrlError::NotUrl),
            ("https://id.example.org:99999/keys", UrlError::NotUrl),
            ("", UrlError::NotUrl),
        ] {
            assert_eq!(read(text), Err(why), "{text}");
        }
    }
}
