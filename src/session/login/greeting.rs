//! The first words of a connection, up to its StartupMessage: TLS is agreed on, GSS is declined, a
//! cancel request is recognised.
//!
//! Never goes on with bytes that came in clear ahead of a TLS handshake, and never lets a client
//! ask for the same thing twice.
//!
//! <https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-SSL>

use std::fmt;

use bytes::Bytes;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};

use super::error::LoginError;
use crate::gate::ClaimedIdentity;
use crate::net::client_tls::{ALPN, ClientTls, ClientTlsIdentity};
use crate::net::framed_stream::{FramedStream, PeerError};
use crate::net::peer_socket::PeerSocket;
use crate::net::stream::{PeerAddress, PeerStream};
use crate::net::tls_failure;
use crate::session::scheduling::turn::TurnQueue;
use crate::telemetry::labels::TlsFailure;
use crate::wire::startup::{FirstPacket, StartupMessage, cut_first};

/// What a client came for.
#[derive(Debug)]
pub enum ClientGreeting {
    /// To cancel the statement of another connection.
    Cancel(ReceivedCancel),
    /// A session.
    Startup(StartupPacket),
}

/// A cancel request.
pub struct ReceivedCancel {
    /// The connection, which gets no answer.
    pub framed: FramedStream,
    /// The process id that it names.
    pub pid: i32,
    /// The secret that it brings.
    pub secret: Vec<u8>,
}

/// A client that said who it is.
pub struct StartupPacket {
    /// The connection, TLS agreed on.
    pub framed: FramedStream,
    packet: Bytes,
}

/// A client that is turned away before it said who it is.
#[derive(Debug)]
pub struct RejectedGreeting {
    /// The connection, where there is still one to say goodbye on.
    pub framed: Option<FramedStream>,
    /// Why.
    pub denial: LoginError,
}

impl StartupPacket {
    /// The StartupMessage.
    ///
    /// # Errors
    /// The packet is none, which cannot be: it was read as one before.
    pub fn startup(&self) -> Result<StartupMessage<'_>, LoginError> {
        match cut_first(&self.packet) {
            Ok(Some((FirstPacket::Startup(startup), _))) => Ok(startup),
            // It was one when the packet was kept.
            Ok(_) => Err(LoginError::OutOfOrder),
            Err(malformed) => Err(LoginError::Malformed(malformed)),
        }
    }

    /// The database that it names; empty where it cannot be read.
    pub fn database(&self) -> String {
        let startup = self.startup().ok();
        let claimed = startup.map(|startup| ClaimedIdentity::of(&startup.parameters));
        claimed.map(|claimed| claimed.database).unwrap_or_default()
    }
}

impl fmt::Debug for ReceivedCancel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ReceivedCancel(…)")
    }
}

impl fmt::Debug for StartupPacket {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "StartupPacket({} bytes)", self.packet.len())
    }
}

/// Hears a client out until it came to the point. Dropping it drops the connection.
///
/// # Errors
/// The client is gone or takes longer than the deadline, says what is out of place or no message,
/// or wants in over a connection in clear where TLS is required. What of it can be answered is
/// handed back with the connection.
pub async fn greet(
    stream: PeerStream,
    peer: PeerAddress,
    (tls, turns): (&ClientTls, &TurnQueue),
    deadline: Instant,
) -> Result<ClientGreeting, RejectedGreeting> {
    let stream = match (stream, tls.identity()) {
        (PeerStream::Tcp(PeerSocket::Polled(socket)), Some(identity)) => {
            match timeout_at(deadline, starts_tls(&socket)).await {
                Err(_elapsed) => return Err(gone(LoginError::Link(PeerError::TimedOut))),
                Ok(FirstByte::Tls) => {
                    accept(socket, (identity, turns), TlsNegotiation::Direct, deadline).await?
                }
                Ok(FirstByte::Other) => PeerStream::Tcp(socket.into()),
            }
        }
        (stream, _) => stream,
    };
    converse(FramedStream::new(stream), peer, (tls, turns), deadline).await
}

/// What a client may still ask for before its StartupMessage: each thing once.
#[derive(Clone, Copy)]
enum ExpectedRequest {
    TlsOrGss,
    Tls,
    Gss,
    Startup,
}

impl ExpectedRequest {
    /// What is left to ask for behind a request for TLS.
    fn after_ssl(self, agreed: AgreedTransport) -> Self {
        match (agreed, self) {
            (AgreedTransport::Tls, _) | (AgreedTransport::Clear, Self::Tls | Self::Startup) => {
                Self::Startup
            }
            (AgreedTransport::Clear, Self::TlsOrGss | Self::Gss) => Self::Gss,
        }
    }

    /// What is left to ask for behind a request for GSS.
    fn after_gss(self) -> Self {
        match self {
            Self::TlsOrGss | Self::Tls => Self::Tls,
            Self::Gss | Self::Startup => Self::Startup,
        }
    }
}

async fn converse(
    mut framed: FramedStream,
    peer: PeerAddress,
    (tls, turns): (&ClientTls, &TurnQueue),
    deadline: Instant,
) -> Result<ClientGreeting, RejectedGreeting> {
    let mut expect = if framed.stream.is_tls() {
        ExpectedRequest::Startup
    } else {
        ExpectedRequest::TlsOrGss
    };
    loop {
        let (first, bytes) = match first(&mut framed, deadline).await {
            Ok(read) => read,
            Err(denial) => {
                return Err(RejectedGreeting {
                    framed: Some(framed),
                    denial,
                });
            }
        };
        match (first, expect) {
            (OwnedFirstPacket::Cancel { pid, secret }, _) => {
                return Ok(ClientGreeting::Cancel(ReceivedCancel {
                    framed,
                    pid,
                    secret,
                }));
            }
            (OwnedFirstPacket::Startup, _) if is_in_clear(&framed, peer, tls) => {
                return Err(RejectedGreeting {
                    framed: Some(framed),
                    denial: LoginError::TlsRequired,
                });
            }
            (OwnedFirstPacket::Startup, _) => {
                return Ok(ClientGreeting::Startup(StartupPacket {
                    framed,
                    packet: bytes,
                }));
            }
            (OwnedFirstPacket::Ssl, ExpectedRequest::TlsOrGss | ExpectedRequest::Tls) => {
                let agreed;
                (framed, agreed) = answer_ssl(framed, (tls, turns), deadline).await?;
                expect = expect.after_ssl(agreed);
            }
            (OwnedFirstPacket::Gss, ExpectedRequest::TlsOrGss | ExpectedRequest::Gss) => {
                framed = decline(framed, deadline).await?;
                expect = expect.after_gss();
            }
            (OwnedFirstPacket::Ssl, ExpectedRequest::Gss | ExpectedRequest::Startup)
            | (OwnedFirstPacket::Gss, ExpectedRequest::Tls | ExpectedRequest::Startup) => {
                return Err(RejectedGreeting {
                    framed: Some(framed),
                    denial: LoginError::OutOfOrder,
                });
            }
        }
    }
}

/// A first packet, owned.
enum OwnedFirstPacket {
    Ssl,
    Gss,
    Cancel { pid: i32, secret: Vec<u8> },
    Startup,
}

async fn first(
    framed: &mut FramedStream,
    deadline: Instant,
) -> Result<(OwnedFirstPacket, Bytes), LoginError> {
    loop {
        let cut = cut_first(&framed.inbox).map_err(LoginError::Malformed)?;
        let read = cut.map(|(packet, total)| match packet {
            FirstPacket::Ssl => (OwnedFirstPacket::Ssl, total),
            FirstPacket::GssEnc => (OwnedFirstPacket::Gss, total),
            FirstPacket::Cancel { pid, secret } => (
                OwnedFirstPacket::Cancel {
                    pid,
                    secret: secret.to_vec(),
                },
                total,
            ),
            FirstPacket::Startup(_) => (OwnedFirstPacket::Startup, total),
        });
        if let Some((first, total)) = read {
            return Ok((first, framed.inbox.split_to(total).freeze()));
        }
        framed.fill(deadline).await.map_err(LoginError::Link)?;
    }
}

/// Must this client have asked for TLS, and has not? Unix sockets have none, as in Postgres.
fn is_in_clear(framed: &FramedStream, peer: PeerAddress, tls: &ClientTls) -> bool {
    tls.is_required() && !framed.stream.is_tls() && matches!(peer, PeerAddress::Tcp(_))
}

enum AgreedTransport {
    Tls,
    Clear,
}

async fn answer_ssl(
    framed: FramedStream,
    (tls, turns): (&ClientTls, &TurnQueue),
    deadline: Instant,
) -> Result<(FramedStream, AgreedTransport), RejectedGreeting> {
    let Some(identity) = tls.identity() else {
        return Ok((decline(framed, deadline).await?, AgreedTransport::Clear));
    };
    let (mut socket, inbox) = match framed {
        FramedStream {
            stream: PeerStream::Tcp(PeerSocket::Polled(socket)),
            inbox,
        } => (socket, inbox),
        framed => return Ok((decline(framed, deadline).await?, AgreedTransport::Clear)),
    };
    if !inbox.is_empty() {
        return Err(gone(LoginError::BytesBeforeTls));
    }
    match timeout_at(deadline, socket.write_all(b"S")).await {
        Err(_elapsed) => return Err(gone(LoginError::Link(PeerError::TimedOut))),
        Ok(Err(error)) => return Err(gone(LoginError::Link(PeerError::Broken(error.kind())))),
        Ok(Ok(())) => {}
    }
    let stream = accept(
        socket,
        (identity, turns),
        TlsNegotiation::Negotiated,
        deadline,
    )
    .await?;
    Ok((FramedStream::new(stream), AgreedTransport::Tls))
}

/// Says no to TLS or GSS. What came behind the request was sent before the answer could be known:
/// the client of such a connection is not the one that believes itself to be asking.
async fn decline(
    mut framed: FramedStream,
    deadline: Instant,
) -> Result<FramedStream, RejectedGreeting> {
    if !framed.inbox.is_empty() {
        return Err(gone(LoginError::BytesBeforeTls));
    }
    match framed.send(b"N", deadline).await {
        Ok(()) => Ok(framed),
        Err(error) => Err(gone(LoginError::Link(error))),
    }
}

enum TlsNegotiation {
    Negotiated,
    Direct,
}

/// The handshake takes longer than most turns: it waits for one when the client has begun.
async fn accept(
    socket: TcpStream,
    (identity, turns): (&ClientTlsIdentity, &TurnQueue),
    way: TlsNegotiation,
    deadline: Instant,
) -> Result<PeerStream, RejectedGreeting> {
    let shaking = async {
        socket.readable().await?;
        turns.next().await;
        identity.acceptor().accept(socket.into()).await
    };
    let tls = match timeout_at(deadline, shaking).await {
        Err(_elapsed) => return Err(gone(LoginError::Link(PeerError::TimedOut))),
        Ok(Err(failed)) => return Err(gone(LoginError::TlsHandshake(tls_failure::cause(&failed)))),
        Ok(Ok(tls)) => tls,
    };
    match (way, tls.get_ref().1.alpn_protocol()) {
        // Direct TLS must name the protocol, or a browser could be made to speak here.
        (TlsNegotiation::Direct, protocol) if protocol != Some(ALPN) => {
            Err(gone(LoginError::TlsHandshake(TlsFailure::NoSharedProtocol)))
        }
        (TlsNegotiation::Direct | TlsNegotiation::Negotiated, _) => {
            Ok(PeerStream::ServerTls(Box::new(tls)))
        }
    }
}

enum FirstByte {
    Tls,
    Other,
}

/// Looks at the first byte and leaves it where it is. A connection that ends is left to be found
/// out by the next read.
async fn starts_tls(socket: &TcpStream) -> FirstByte {
    let mut first = [0_u8; 1];
    match socket.peek(&mut first).await {
        Ok(1) if first == [TLS_HANDSHAKE] => FirstByte::Tls,
        Ok(_) | Err(_) => FirstByte::Other,
    }
}

fn gone(denial: LoginError) -> RejectedGreeting {
    RejectedGreeting {
        framed: None,
        denial,
    }
}

/// The type of the record that every TLS connection starts with. No packet of Postgres does: read
/// as a length it is far over every bound.
const TLS_HANDSHAKE: u8 = 0x16;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::AsyncReadExt;
    use tokio::net::UnixStream;

    use super::*;

    /// What becomes of a client on a Unix socket that sends this and waits.
    async fn check(sent: &[u8]) -> (Result<ClientGreeting, RejectedGreeting>, Vec<u8>) {
        let (near, mut far) = UnixStream::pair().unwrap();
        far.write_all(sent).await.unwrap();
        let deadline = Instant::now() + Duration::from_millis(100);
        let with = (&ClientTls::Off, &TurnQueue::default());
        let end = greet(PeerStream::Unix(near), PeerAddress::Unix, with, deadline).await;
        let mut heard = vec![0; 16];
        let count = match timeout_at(deadline, far.read(&mut heard)).await {
            Ok(Ok(count)) => count,
            Ok(Err(_)) | Err(_) => 0,
        };
        heard.truncate(count);
        (end, heard)
    }

    #[tokio::test]
    async fn a_client_that_does_not_go_on_is_given_up() {
        for sent in [&b""[..], b"\0\0", b"\0\0\0\x20\0\x03\0\0user\0"] {
            let (end, heard) = check(sent).await;
            let turned = end.unwrap_err();
            assert!(
                matches!(turned.denial, LoginError::Link(PeerError::TimedOut)),
                "{turned:?}"
            );
            assert!(turned.framed.is_some() && heard.is_empty());
        }
    }

    #[tokio::test]
    async fn tls_is_never_offered_on_a_unix_socket() {
        let (end, heard) = check(b"\0\0\0\x08\x04\xd2\x16\x2f").await;
        assert_eq!(heard, b"N");
        assert!(matches!(
            end.unwrap_err().denial,
            LoginError::Link(PeerError::TimedOut)
        ));
        // The first byte of TLS is part of an impossible length here.
        let (end, _) = check(b"\x16\x03\x01\x02\0\x01").await;
        assert!(matches!(end.unwrap_err().denial, LoginError::Malformed(_)));
    }

    #[tokio::test]
    async fn a_cancel_and_a_startup_are_told_apart() {
        let (end, _) = check(b"\0\0\0\x10\x04\xd2\x16\x2e\0\0\0\x07\0\0\0\x09").await;
        let Ok(ClientGreeting::Cancel(wish)) = end else {
            panic!("{end:?}")
        };
        assert_eq!((wish.pid, &wish.secret[..]), (7, &b"\0\0\0\x09"[..]));
        let (end, _) = check(b"\0\0\0\x10\0\x03\0\0user\0a\0\0more").await;
        let Ok(ClientGreeting::Startup(hello)) = end else {
            panic!("{end:?}")
        };
        assert_eq!(hello.startup().unwrap().parameters, [("user", "a")]);
        // What came behind it is kept for the login that follows.
        assert_eq!(&hello.framed.inbox[..], b"more");
    }
}
