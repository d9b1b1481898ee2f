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

use super::error::Denial;
use crate::net::client_tls::{ALPN, ClientTls, ClientTlsIdentity};
use crate::net::framed_stream::{Link, LinkError};
use crate::net::stream::{Peer, Stream};
use crate::net::tls_failure;
use crate::session::scheduling::turn::TurnQueue;
use crate::telemetry::labels::TlsFailure;
use crate::wire::startup::{FirstPacket, Startup, cut_first};

/// What a client came for.
#[derive(Debug)]
pub enum Greeting {
    /// To cancel the statement of another connection.
    Cancel(CancelWish),
    /// A session.
    Startup(Hello),
}

/// A cancel request.
pub struct CancelWish {
    /// The connection, which gets no answer.
    pub link: Link,
    /// The process id that it names.
    pub pid: i32,
    /// The secret that it brings.
    pub secret: Vec<u8>,
}

/// A client that said who it is.
pub struct Hello {
    /// The connection, TLS agreed on.
    pub link: Link,
    packet: Bytes,
}

/// A client that is turned away before it said who it is.
#[derive(Debug)]
pub struct Turned {
    /// The connection, where there is still one to say goodbye on.
    pub link: Option<Link>,
    /// Why.
    pub denial: Denial,
}

impl Hello {
    /// The StartupMessage.
    pub fn startup(&self) -> Result<Startup<'_>, Denial> {
        match cut_first(&self.packet) {
            Ok(Some((FirstPacket::Startup(startup), _))) => Ok(startup),
            // It was one when the packet was kept.
            Ok(_) => Err(Denial::OutOfOrder),
            Err(malformed) => Err(Denial::Malformed(malformed)),
        }
    }
}

impl fmt::Debug for CancelWish {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CancelWish(…)")
    }
}

impl fmt::Debug for Hello {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Hello({} bytes)", self.packet.len())
    }
}

/// Hears a client out until it came to the point. Dropping it drops the connection.
pub async fn greet(
    stream: Stream,
    peer: Peer,
    (tls, turns): (&ClientTls, &TurnQueue),
    deadline: Instant,
) -> Result<Greeting, Turned> {
    let stream = match (stream, tls.identity()) {
        (Stream::Tcp(socket), Some(identity)) => {
            match timeout_at(deadline, starts_tls(&socket)).await {
                Err(_elapsed) => return Err(gone(Denial::Link(LinkError::TimedOut))),
                Ok(FirstByte::Tls) => {
                    accept(socket, (identity, turns), Way::Direct, deadline).await?
                }
                Ok(FirstByte::Other) => Stream::Tcp(socket),
            }
        }
        (stream, _) => stream,
    };
    converse(Link::new(stream), peer, (tls, turns), deadline).await
}

/// What a client may still ask for before its StartupMessage: each thing once.
#[derive(Clone, Copy)]
enum Expect {
    TlsOrGss,
    Tls,
    Gss,
    Startup,
}

async fn converse(
    mut link: Link,
    peer: Peer,
    (tls, turns): (&ClientTls, &TurnQueue),
    deadline: Instant,
) -> Result<Greeting, Turned> {
    let mut expect = if link.stream.is_tls() {
        Expect::Startup
    } else {
        Expect::TlsOrGss
    };
    loop {
        let (first, bytes) = match first(&mut link, deadline).await {
            Ok(read) => read,
            Err(denial) => {
                return Err(Turned {
                    link: Some(link),
                    denial,
                });
            }
        };
        match (first, expect) {
            (First::Cancel { pid, secret }, _) => {
                return Ok(Greeting::Cancel(CancelWish { link, pid, secret }));
            }
            (First::Startup, _) if is_in_clear(&link, peer, tls) => {
                return Err(Turned {
                    link: Some(link),
                    denial: Denial::TlsRequired,
                });
            }
            (First::Startup, _) => {
                return Ok(Greeting::Startup(Hello {
                    link,
                    packet: bytes,
                }));
            }
            (First::Ssl, Expect::TlsOrGss | Expect::Tls) => {
                let agreed;
                (link, agreed) = answer_ssl(link, (tls, turns), deadline).await?;
                expect = match (agreed, expect) {
                    (Agreed::Tls, _) | (Agreed::Clear, Expect::Tls | Expect::Startup) => {
                        Expect::Startup
                    }
                    (Agreed::Clear, Expect::TlsOrGss | Expect::Gss) => Expect::Gss,
                };
            }
            (First::Gss, Expect::TlsOrGss | Expect::Gss) => {
                link = decline(link, deadline).await?;
                expect = match expect {
                    Expect::TlsOrGss | Expect::Tls => Expect::Tls,
                    Expect::Gss | Expect::Startup => Expect::Startup,
                };
            }
            (First::Ssl, Expect::Gss | Expect::Startup)
            | (First::Gss, Expect::Tls | Expect::Startup) => {
                return Err(Turned {
                    link: Some(link),
                    denial: Denial::OutOfOrder,
                });
            }
        }
    }
}

/// A first packet, owned.
enum First {
    Ssl,
    Gss,
    Cancel { pid: i32, secret: Vec<u8> },
    Startup,
}

async fn first(link: &mut Link, deadline: Instant) -> Result<(First, Bytes), Denial> {
    loop {
        let cut = cut_first(&link.inbox).map_err(Denial::Malformed)?;
        let read = cut.map(|(packet, total)| match packet {
            FirstPacket::Ssl => (First::Ssl, total),
            FirstPacket::GssEnc => (First::Gss, total),
            FirstPacket::Cancel { pid, secret } => (
                First::Cancel {
                    pid,
                    secret: secret.to_vec(),
                },
                total,
            ),
            FirstPacket::Startup(_) => (First::Startup, total),
        });
        if let Some((first, total)) = read {
            return Ok((first, link.inbox.split_to(total).freeze()));
        }
        link.fill(deadline).await.map_err(Denial::Link)?;
    }
}

/// Must this client have asked for TLS, and has not? Unix sockets have none, as in Postgres.
fn is_in_clear(link: &Link, peer: Peer, tls: &ClientTls) -> bool {
    tls.is_required() && !link.stream.is_tls() && matches!(peer, Peer::Tcp(_))
}

enum Agreed {
    Tls,
    Clear,
}

async fn answer_ssl(
    link: Link,
    (tls, turns): (&ClientTls, &TurnQueue),
    deadline: Instant,
) -> Result<(Link, Agreed), Turned> {
    let Some(identity) = tls.identity() else {
        return Ok((decline(link, deadline).await?, Agreed::Clear));
    };
    let (mut socket, inbox) = match link {
        Link {
            stream: Stream::Tcp(socket),
            inbox,
        } => (socket, inbox),
        link => return Ok((decline(link, deadline).await?, Agreed::Clear)),
    };
    if !inbox.is_empty() {
        return Err(gone(Denial::BytesBeforeTls));
    }
    match timeout_at(deadline, socket.write_all(b"S")).await {
        Err(_elapsed) => return Err(gone(Denial::Link(LinkError::TimedOut))),
        Ok(Err(error)) => return Err(gone(Denial::Link(LinkError::Broken(error.kind())))),
        Ok(Ok(())) => {}
    }
    let stream = accept(socket, (identity, turns), Way::Negotiated, deadline).await?;
    Ok((Link::new(stream), Agreed::Tls))
}

/// Says no to TLS or GSS. What came behind the request was sent before the answer could be known:
/// the client of such a connection is not the one that believes itself to be asking.
async fn decline(mut link: Link, deadline: Instant) -> Result<Link, Turned> {
    if !link.inbox.is_empty() {
        return Err(gone(Denial::BytesBeforeTls));
    }
    match link.send(b"N", deadline).await {
        Ok(()) => Ok(link),
        Err(error) => Err(gone(Denial::Link(error))),
    }
}

enum Way {
    Negotiated,
    Direct,
}

/// The handshake takes longer than most turns: it waits for one when the client has begun.
async fn accept(
    socket: TcpStream,
    (identity, turns): (&ClientTlsIdentity, &TurnQueue),
    way: Way,
    deadline: Instant,
) -> Result<Stream, Turned> {
    let shaking = async {
        socket.readable().await?;
        turns.next().await;
        identity.acceptor().accept(socket).await
    };
    let tls = match timeout_at(deadline, shaking).await {
        Err(_elapsed) => return Err(gone(Denial::Link(LinkError::TimedOut))),
        Ok(Err(failed)) => return Err(gone(Denial::TlsHandshake(tls_failure::cause(&failed)))),
        Ok(Ok(tls)) => tls,
    };
    match (way, tls.get_ref().1.alpn_protocol()) {
        // Direct TLS must name the protocol, or a browser could be made to speak here.
        (Way::Direct, protocol) if protocol != Some(ALPN) => {
            Err(gone(Denial::TlsHandshake(TlsFailure::NoSharedProtocol)))
        }
        (Way::Direct | Way::Negotiated, _) => Ok(Stream::ServerTls(Box::new(tls))),
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

fn gone(denial: Denial) -> Turned {
    Turned { link: None, denial }
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
    async fn check(sent: &[u8]) -> (Result<Greeting, Turned>, Vec<u8>) {
        let (near, mut far) = UnixStream::pair().unwrap();
        far.write_all(sent).await.unwrap();
        let deadline = Instant::now() + Duration::from_millis(100);
        let with = (&ClientTls::Off, &TurnQueue::default());
        let end = greet(Stream::Unix(near), Peer::Unix, with, deadline).await;
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
                matches!(turned.denial, Denial::Link(LinkError::TimedOut)),
                "{turned:?}"
            );
            assert!(turned.link.is_some() && heard.is_empty());
        }
    }

    #[tokio::test]
    async fn tls_is_never_offered_on_a_unix_socket() {
        let (end, heard) = check(b"\0\0\0\x08\x04\xd2\x16\x2f").await;
        assert_eq!(heard, b"N");
        assert!(matches!(
            end.unwrap_err().denial,
            Denial::Link(LinkError::TimedOut)
        ));
        // The first byte of TLS is part of an impossible length here.
        let (end, _) = check(b"\x16\x03\x01\x02\0\x01").await;
        assert!(matches!(end.unwrap_err().denial, Denial::Malformed(_)));
    }

    #[tokio::test]
    async fn a_cancel_and_a_startup_are_told_apart() {
        let (end, _) = check(b"\0\0\0\x10\x04\xd2\x16\x2e\0\0\0\x07\0\0\0\x09").await;
        let Ok(Greeting::Cancel(wish)) = end else {
            panic!("{end:?}")
        };
        assert_eq!((wish.pid, &wish.secret[..]), (7, &b"\0\0\0\x09"[..]));
        let (end, _) = check(b"\0\0\0\x10\0\x03\0\0user\0a\0\0more").await;
        let Ok(Greeting::Startup(hello)) = end else {
            panic!("{end:?}")
        };
        assert_eq!(hello.startup().unwrap().parameters, [("user", "a")]);
        // What came behind it is kept for the login that follows.
        assert_eq!(&hello.link.inbox[..], b"more");
    }
}
