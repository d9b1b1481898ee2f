//! A connection to a peer, whatever carries it: TCP, a Unix socket, or TLS of either role.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::{client, server};

/// One byte stream to a client or an upstream.
#[derive(Debug)]
pub enum Stream {
    /// TCP without TLS.
    Tcp(TcpStream),
    /// A Unix socket; never with TLS, as in Postgres.
    Unix(UnixStream),
    /// TLS in which pgsieve is the server: a client.
    ServerTls(Box<server::TlsStream<TcpStream>>),
    /// TLS in which pgsieve is the client: an upstream.
    ClientTls(Box<client::TlsStream<TcpStream>>),
}

/// Where a client comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// A TCP address.
    Tcp(SocketAddr),
    /// A Unix socket of this host.
    Unix,
}

impl Stream {
    /// A TCP stream with its options set: no delay for small packets, and probes that find out
    /// about a peer that vanished without a word.
    pub fn tcp(socket: TcpStream) -> io::Result<Self> {
        socket.set_nodelay(true)?;
        let probes = TcpKeepalive::new()
            .with_time(KEEPALIVE_IDLE)
            .with_interval(KEEPALIVE_PAUSE);
        SockRef::from(&socket).set_tcp_keepalive(&probes)?;
        Ok(Self::Tcp(socket))
    }

    /// Is what passes here encrypted?
    pub fn is_tls(&self) -> bool {
        match self {
            Self::Tcp(_) | Self::Unix(_) => false,
            Self::ServerTls(_) | Self::ClientTls(_) => true,
        }
    }

    /// The certificate of the peer, leaf only, as DER. There is one only under TLS.
    pub fn peer_certificate(&self) -> Option<&[u8]> {
        let chain = match self {
            Self::Tcp(_) | Self::Unix(_) => None,
            Self::ServerTls(tls) => tls.get_ref().1.peer_certificates(),
            Self::ClientTls(tls) => tls.get_ref().1.peer_certificates(),
        };
        chain?.first().map(|leaf| leaf.as_ref())
    }
}

impl Peer {
    /// Is the peer a process of this host (loopback or Unix socket)? A tunnel or a port forward
    /// that ends on this host looks the same.
    pub fn is_local(&self) -> bool {
        match self {
            Self::Unix => true,
            Self::Tcp(address) => is_loopback(address.ip()),
        }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => write!(formatter, "{address}"),
            Self::Unix => formatter.write_str("unix"),
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(socket) => Pin::new(socket).poll_read(context, buffer),
            Self::Unix(socket) => Pin::new(socket).poll_read(context, buffer),
            Self::ServerTls(tls) => Pin::new(tls).poll_read(context, buffer),
            Self::ClientTls(tls) => Pin::new(tls).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(socket) => Pin::new(socket).poll_write(context, bytes),
            Self::Unix(socket) => Pin::new(socket).poll_write(context, bytes),
            Self::ServerTls(tls) => Pin::new(tls).poll_write(context, bytes),
            Self::ClientTls(tls) => Pin::new(tls).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(socket) => Pin::new(socket).poll_write_vectored(context, slices),
            Self::Unix(socket) => Pin::new(socket).poll_write_vectored(context, slices),
            Self::ServerTls(tls) => Pin::new(tls).poll_write_vectored(context, slices),
            Self::ClientTls(tls) => Pin::new(tls).poll_write_vectored(context, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Tcp(socket) => socket.is_write_vectored(),
            Self::Unix(socket) => socket.is_write_vectored(),
            Self::ServerTls(tls) => tls.is_write_vectored(),
            Self::ClientTls(tls) => tls.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(socket) => Pin::new(socket).poll_flush(context),
            Self::Unix(socket) => Pin::new(socket).poll_flush(context),
            Self::ServerTls(tls) => Pin::new(tls).poll_flush(context),
            Self::ClientTls(tls) => Pin::new(tls).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(socket) => Pin::new(socket).poll_shutdown(context),
            Self::Unix(socket) => Pin::new(socket).poll_shutdown(context),
            Self::ServerTls(tls) => Pin::new(tls).poll_shutdown(context),
            Self::ClientTls(tls) => Pin::new(tls).poll_shutdown(context),
        }
    }
}

/// Is the address one of this host's loopback addresses, also when written as IPv6-mapped IPv4?
pub fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// Silence after which a peer is probed: a NAT forgets a quiet connection after minutes.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(60);
/// Pause between probes.
const KEEPALIVE_PAUSE: Duration = Duration::from_secs(15);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_recognised_in_every_spelling() {
        for (text, local) in [
            ("127.0.0.1:1", true),
            ("127.9.9.9:1", true),
            ("[::1]:1", true),
            ("[::ffff:127.0.0.1]:1", true),
            ("10.0.0.1:1", false),
            ("[::ffff:10.0.0.1]:1", false),
            ("0.0.0.0:1", false),
        ] {
            assert_eq!(Peer::Tcp(text.parse().unwrap()).is_local(), local, "{text}");
        }
        assert!(Peer::Unix.is_local());
    }
}
