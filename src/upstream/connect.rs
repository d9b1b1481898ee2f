//! Opens a connection to the upstream, TLS included, and proves that it is the upstream as far as
//! the settings ask for it.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use bytes::BytesMut;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream, lookup_host};
use tokio::time::{Instant, timeout, timeout_at};

use super::address::{Endpoint, UpstreamSettings};
use super::engine::known::{KnownEngine, SharedEngine};
use super::engine::profile::EngineProfile;
use super::identity::SystemIdWithheld;
use super::writer::{UpstreamFrames, UpstreamStream};
use crate::limits;
use crate::net::framed_stream::FramedStream;
use crate::net::peer_socket::PeerSocket;
use crate::net::pem::TlsSetupError;
use crate::net::stream::PeerStream;
use crate::net::tls_failure;
use crate::net::upstream_tls::UpstreamTls;
use crate::telemetry::labels::TlsFailure;
use crate::wire::encode;

/// An upstream that can be connected to, with its TLS loaded.
#[derive(Debug)]
pub struct Upstream {
    settings: UpstreamSettings,
    /// As of now: certificates and keys are renewed while it is used.
    tls: RwLock<UpstreamTls>,
    reticence: SystemIdWithheld,
    engine: KnownEngine,
    contents: Arc<SharedContents>,
}

/// The contents of servers that follow one another, which is told by the address alone, and what
/// they have in common.
#[derive(Debug, Default)]
pub struct SharedContents {
    /// Their engine.
    engine: SharedEngine,
}

/// What is learned of a server when a session there is proved.
#[derive(Debug, Clone, Copy)]
pub struct LearnedFacts<'u> {
    /// Whether it keeps part of who it is to itself.
    pub reticence: &'u SystemIdWithheld,
    /// Of which engine it is.
    pub engine: &'u KnownEngine,
    /// Of which engine its address is said to be.
    pub shared_engine: &'u SharedEngine,
}

/// Why there is no connection to the upstream. For logs: it does not hold the address.
#[derive(Debug, Clone)]
pub enum UpstreamConnectError {
    /// Its name was not found.
    UnknownHost(io::ErrorKind),
    /// Nobody answers there.
    Unreachable(io::ErrorKind),
    /// It took longer than it may.
    TimedOut,
    /// It does not offer TLS, which the settings insist on.
    NoTls,
    /// Its answer to SSLRequest is neither yes nor no.
    NotPostgres,
    /// The TLS handshake failed; the certificate is wrong, say.
    Handshake(TlsFailure),
}

impl Upstream {
    /// Loads the files that the settings name.
    ///
    /// # Errors
    /// A file cannot be read or does not fit the others, or the host cannot stand in a certificate.
    pub fn load(settings: UpstreamSettings) -> Result<Self, TlsSetupError> {
        let host = match &settings.endpoint {
            Endpoint::Tcp { host, .. } => host.as_str(),
            Endpoint::Unix { .. } => "",
        };
        let tls = UpstreamTls::load(&settings.tls, host)?;
        Ok(Self {
            settings,
            tls: RwLock::new(tls),
            reticence: SystemIdWithheld::default(),
            engine: KnownEngine::default(),
            contents: Arc::default(),
        })
    }

    /// The same at one of several servers with these contents.
    pub fn with_contents(self, contents: &Arc<SharedContents>) -> Self {
        let contents = Arc::clone(contents);
        Self { contents, ..self }
    }

    /// Whether the servers of both have the same contents, by the settings.
    pub fn has_contents_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.contents, &other.contents)
    }

    /// Connections that are made from now on use the certificates and keys of that one.
    pub fn renew(&self, fresh: &Self) {
        let tls = fresh.tls();
        *self.tls.write().unwrap_or_else(PoisonError::into_inner) = tls;
    }

    fn tls(&self) -> UpstreamTls {
        let held = self.tls.read().unwrap_or_else(PoisonError::into_inner);
        held.clone()
    }

    /// The settings it was made of; where it is and which database is meant stay as they are.
    pub fn settings(&self) -> &UpstreamSettings {
        &self.settings
    }

    /// What is learned of it when a session is proved.
    pub fn learned(&self) -> LearnedFacts<'_> {
        LearnedFacts {
            reticence: &self.reticence,
            engine: &self.engine,
            shared_engine: &self.contents.engine,
        }
    }

    /// What holds at its engine, once that was found.
    pub fn profile(&self) -> Option<&'static EngineProfile> {
        self.engine.found().map(EngineProfile::of)
    }

    /// Connects. May be cancelled: the half-made connection is dropped.
    ///
    /// # Errors
    /// The host is not known or does not answer in time, is no Postgres, has no TLS where the
    /// settings insist on it, or shows a certificate that they do not believe.
    pub async fn connect(&self, deadline: Instant) -> Result<UpstreamFrames, UpstreamConnectError> {
        let deadline = deadline.min(Instant::now() + limits::UPSTREAM_CONNECT_TIME_MAX);
        match timeout_at(deadline, self.connect_untimed()).await {
            Ok(result) => result,
            Err(_elapsed) => Err(UpstreamConnectError::TimedOut),
        }
    }

    /// Connects to this one of [its addresses](Self::addresses). May be cancelled: the half-made
    /// connection is dropped.
    ///
    /// # Errors
    /// The same as of [`connect`](Self::connect).
    pub async fn connect_to(
        &self,
        address: SocketAddr,
        deadline: Instant,
    ) -> Result<UpstreamFrames, UpstreamConnectError> {
        let connecting = async {
            let connected = TcpStream::connect(address).await;
            let stream = connected.and_then(PeerStream::tcp);
            let stream = stream.map_err(|error| UpstreamConnectError::Unreachable(error.kind()))?;
            self.secured(stream).await
        };
        match timeout_at(deadline, connecting).await {
            Ok(result) => result,
            Err(_elapsed) => Err(UpstreamConnectError::TimedOut),
        }
    }

    /// The addresses that its host's name stands for now, so many at most; none of a Unix socket.
    /// May be cancelled.
    ///
    /// # Errors
    /// The name is not known, or nobody says in time what it stands for.
    pub async fn addresses(
        &self,
        most: usize,
        deadline: Instant,
    ) -> Result<Vec<SocketAddr>, UpstreamConnectError> {
        let Endpoint::Tcp { host, port } = &self.settings.endpoint else {
            return Ok(Vec::new());
        };
        match timeout_at(deadline, addresses_of((host, *port), most)).await {
            Ok(found) => found,
            Err(_elapsed) => Err(UpstreamConnectError::TimedOut),
        }
    }

    async fn connect_untimed(&self) -> Result<UpstreamFrames, UpstreamConnectError> {
        let stream = match &self.settings.endpoint {
            Endpoint::Tcp { host, port } => connect_tcp(host, *port).await?,
            Endpoint::Unix { folder, port } => connect_unix(folder, *port).await?,
        };
        self.secured(stream).await
    }

    /// With TLS, where the settings ask for it.
    async fn secured(&self, stream: PeerStream) -> Result<UpstreamFrames, UpstreamConnectError> {
        // Over a Unix socket the settings are never other than `disable`; see address.rs.
        let (connector, name, socket) = match (self.tls(), stream) {
            (UpstreamTls::Required { connector, name }, PeerStream::Tcp(socket)) => {
                (connector, name, socket)
            }
            (_, stream) => return Ok(FramedStream::new(UpstreamStream::new(stream))),
        };
        let socket = ask_for_tls(socket).await?;
        let tls = connector.connect(name, socket).await;
        let tls =
            tls.map_err(|error| UpstreamConnectError::Handshake(tls_failure::cause(&error)))?;
        let stream = PeerStream::ClientTls(Box::new(tls));
        Ok(FramedStream::new(UpstreamStream::new(stream)))
    }
}

impl SharedContents {
    /// Of servers that are of that engine.
    pub fn of(engine: SharedEngine) -> Arc<Self> {
        Arc::new(Self { engine })
    }
}

impl UpstreamConnectError {
    /// Why TLS was not agreed on, if that is why.
    pub fn tls_failure(&self) -> Option<TlsFailure> {
        match self {
            Self::NoTls => Some(TlsFailure::NotOffered),
            Self::Handshake(failure) => Some(*failure),
            Self::UnknownHost(_) | Self::Unreachable(_) | Self::TimedOut | Self::NotPostgres => {
                None
            }
        }
    }
}

impl fmt::Display for UpstreamConnectError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownHost(_) => formatter.write_str(
                "the name of the host is not known: look at its letters, and at this host's DNS",
            ),
            Self::Unreachable(io::ErrorKind::NotFound) => formatter.write_str(
                "nobody answers: there is no socket at this path (is the server running, are \
                 folder and port right?)",
            ),
            Self::Unreachable(kind) => write!(
                formatter,
                "nobody answers: {kind} (is the server running, are host and port right?)"
            ),
            Self::TimedOut => formatter.write_str(
                "no connection in time (are host and port right, is no firewall between?)",
            ),
            Self::NoTls => formatter.write_str(
                "it does not offer TLS, and sslmode asks for it: set ssl = on at the server, or \
                 sslmode=disable where nobody can listen on the way",
            ),
            Self::NotPostgres => {
                formatter.write_str("what answers there is no Postgres (are host and port right?)")
            }
            Self::Handshake(failure) => {
                write!(formatter, "TLS handshake: {}", tls_failure::words(*failure))
            }
        }
    }
}

impl std::error::Error for UpstreamConnectError {}

/// Tries the addresses of the host in their order, each for its share of the time, so that one
/// that swallows packets does not keep the others from being tried. The last fault is told.
async fn connect_tcp(host: &str, port: u16) -> Result<PeerStream, UpstreamConnectError> {
    let addresses = addresses_of((host, port), limits::UPSTREAM_ADDRESSES_MAX).await?;
    let shares = u32::try_from(addresses.len()).unwrap_or(u32::MAX).max(1);
    let share = limits::UPSTREAM_CONNECT_TIME_MAX / shares;
    let mut fault = UpstreamConnectError::UnknownHost(io::ErrorKind::NotFound);
    for address in addresses {
        match timeout(share, TcpStream::connect(address)).await {
            Err(_elapsed) => fault = UpstreamConnectError::TimedOut,
            Ok(connected) => match connected.and_then(PeerStream::tcp) {
                Ok(stream) => return Ok(stream),
                Err(error) => fault = UpstreamConnectError::Unreachable(error.kind()),
            },
        }
    }
    Err(fault)
}

async fn addresses_of(
    place: (&str, u16),
    most: usize,
) -> Result<Vec<SocketAddr>, UpstreamConnectError> {
    let found = lookup_host(place).await;
    let found = found.map_err(|error| UpstreamConnectError::UnknownHost(error.kind()))?;
    Ok(found.take(most).collect())
}

async fn connect_unix(folder: &Path, port: u16) -> Result<PeerStream, UpstreamConnectError> {
    let connected = UnixStream::connect(folder.join(format!(".s.PGSQL.{port}"))).await;
    connected
        .map(PeerStream::Unix)
        .map_err(|error| UpstreamConnectError::Unreachable(error.kind()))
}

/// Sends SSLRequest and reads exactly the one byte of its answer: whatever an attacker sends
/// behind it in clear is left to the handshake, which fails on it (CVE-2021-23222).
async fn ask_for_tls(mut socket: PeerSocket) -> Result<PeerSocket, UpstreamConnectError> {
    let mut request = BytesMut::new();
    encode::ssl_request(&mut request);
    let mut answer = [0_u8; 1];
    let asked = async {
        socket.write_all(&request).await?;
        socket.read_exact(&mut answer).await
    };
    asked
        .await
        .map_err(|error| UpstreamConnectError::Unreachable(error.kind()))?;
    match answer {
        [b'S'] => Ok(socket),
        [b'N'] => Err(UpstreamConnectError::NoTls),
        _ => Err(UpstreamConnectError::NotPostgres),
    }
}
