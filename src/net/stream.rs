//! A connection to a peer, whatever carries it: TCP, a Unix socket, or TLS of either role.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use socket2::{SockRef, Socket, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio::task::coop::has_budget_remaining;
use tokio_rustls::{client, server};

use super::peer_socket::PeerSocket;
use crate::limits;

/// One byte stream to a client or an upstream.
#[derive(Debug)]
pub enum PeerStream {
    /// TCP without TLS.
    Tcp(PeerSocket),
    /// A Unix socket; never with TLS, as in Postgres.
    Unix(UnixStream),
    /// TLS in which pgsieve is the server: a client.
    ServerTls(Box<server::TlsStream<PeerSocket>>),
    /// TLS in which pgsieve is the client: an upstream.
    ClientTls(Box<client::TlsStream<PeerSocket>>),
}

/// Whether a peer is still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeerPresence {
    /// It is, as far as the system knows.
    Present,
    /// It will send nothing more; it may still read.
    HalfClosed,
    /// Its connection is broken or closed in both directions.
    Gone,
}

/// Where a client comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeerAddress {
    /// A TCP address.
    Tcp(SocketAddr),
    /// A Unix socket of this host.
    Unix,
    /// A caller of this process's MCP server, and where that comes from; none where it has started
    /// this process.
    Mcp(Option<SocketAddr>),
}

impl PeerStream {
    /// A TCP stream with its options set: no delay for small packets, and probes that find out
    /// about a peer that vanished without a word.
    ///
    /// # Errors
    /// The system does not take the options: the socket is closed, say.
    pub fn tcp(socket: TcpStream) -> io::Result<Self> {
        set_options(&SockRef::from(&socket))?;
        Ok(Self::Tcp(socket.into()))
    }

    /// The same of a socket that was accepted where [`set_options`] has set its listener's: Linux
    /// gives it the same ones.
    ///
    /// # Errors
    /// As of [`Self::tcp`].
    pub fn accepted(socket: TcpStream) -> io::Result<Self> {
        match cfg!(target_os = "linux") {
            true => Ok(Self::Tcp(socket.into())),
            false => Self::tcp(socket),
        }
    }

    /// From now on the runtime that this is called in is told when more can be read or written.
    ///
    /// # Errors
    /// The system's, when it has no descriptor left: the stream is with the runtime of before.
    pub fn join_this_runtime(&mut self) -> io::Result<()> {
        if let Self::Unix(socket) = self {
            let own = socket.as_fd().try_clone_to_owned()?;
            *socket = UnixStream::from_std(own.into())?;
        }
        self.tcp_socket()
            .map_or(Ok(()), PeerSocket::join_this_runtime)
    }

    /// From now on the ring of this thread reads and writes, where it has one.
    ///
    /// # Errors
    /// As of [`PeerSocket::onto_ring`].
    pub fn onto_ring(&mut self) -> io::Result<()> {
        self.tcp_socket().map_or(Ok(()), PeerSocket::onto_ring)
    }

    /// Nothing is under way on this thread's ring any more: another thread may have the stream.
    ///
    /// # Errors
    /// As of [`PeerSocket::leave_ring`].
    pub fn leave_ring(&mut self) -> io::Result<()> {
        self.tcp_socket().map_or(Ok(()), PeerSocket::leave_ring)
    }

    fn tcp_socket(&mut self) -> Option<&mut PeerSocket> {
        match self {
            Self::Tcp(socket) => Some(socket),
            Self::Unix(_) => None,
            Self::ServerTls(tls) => Some(tls.get_mut().0),
            Self::ClientTls(tls) => Some(tls.get_mut().0),
        }
    }

    /// Is what passes here encrypted?
    pub fn is_tls(&self) -> bool {
        match self {
            Self::Tcp(_) | Self::Unix(_) => false,
            Self::ServerTls(_) | Self::ClientTls(_) => true,
        }
    }

    /// What the system knows of the peer, without reading: what it sent before it left stands in
    /// the way of every read.
    pub fn presence(&self) -> PeerPresence {
        let asked = SAID_ALL | PollFlags::HUP | PollFlags::ERR;
        let mut polled = [PollFd::from_borrowed_fd(self.descriptor(), asked)];
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        if poll(&mut polled, Some(&now)).is_err() {
            // Interrupted: it is asked again.
            return PeerPresence::Present;
        }
        let [polled] = polled;
        let said = polled.revents();
        if said.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
            PeerPresence::Gone
        } else if said.intersects(SAID_ALL) {
            PeerPresence::HalfClosed
        } else {
            PeerPresence::Present
        }
    }

    /// Whether a read would bring something, or the end. The system is asked only where it has told
    /// the runtime of something: what comes at this moment is seen by the next read.
    pub fn has_input(&self) -> bool {
        let told = match self {
            Self::Tcp(socket) => socket.is_told_of_input(),
            Self::Unix(socket) => {
                let told = socket.poll_read_ready(&mut Context::from_waker(Waker::noop()));
                (told.is_pending() && has_budget_remaining()).then_some(false)
            }
            Self::ServerTls(tls) => tls.get_ref().0.is_told_of_input(),
            Self::ClientTls(tls) => tls.get_ref().0.is_told_of_input(),
        };
        if let Some(told) = told {
            return told;
        }
        let asked = PollFlags::IN | SAID_ALL | PollFlags::HUP | PollFlags::ERR;
        let mut polled = [PollFd::from_borrowed_fd(self.descriptor(), asked)];
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // Where the system does not say, there may be.
        poll(&mut polled, Some(&now)).map_or(true, |ready| ready > 0)
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(socket) => socket.as_fd(),
            Self::Unix(socket) => socket.as_fd(),
            Self::ServerTls(tls) => tls.get_ref().0.as_fd(),
            Self::ClientTls(tls) => tls.get_ref().0.as_fd(),
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

impl PeerAddress {
    /// Is the peer a process of this host (loopback or Unix socket)? A tunnel or a port forward
    /// that ends on this host looks the same.
    pub fn is_local(&self) -> bool {
        match self {
            Self::Unix | Self::Mcp(_) => true,
            Self::Tcp(address) => is_loopback(address.ip()),
        }
    }
}

impl fmt::Display for PeerAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) | Self::Mcp(Some(address)) => write!(formatter, "{address}"),
            Self::Unix => formatter.write_str("unix"),
            Self::Mcp(None) => formatter.write_str("mcp"),
        }
    }
}

impl AsyncRead for PeerStream {
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

impl AsyncWrite for PeerStream {
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

/// What says that a peer sends nothing more. Elsewhere than on Linux that is found out by reading.
#[cfg(target_os = "linux")]
const SAID_ALL: PollFlags = PollFlags::RDHUP;
#[cfg(not(target_os = "linux"))]
const SAID_ALL: PollFlags = PollFlags::HUP;

/// No delay for small packets, and probes that find out about a peer that vanished without a word.
///
/// # Errors
/// The system does not take the options.
pub fn set_options(socket: &Socket) -> io::Result<()> {
    let probes = TcpKeepalive::new()
        .with_time(limits::KEEPALIVE_IDLE)
        .with_interval(limits::KEEPALIVE_PAUSE)
        .with_retries(limits::KEEPALIVE_PROBES_MAX);
    socket.set_tcp_nodelay(true)?;
    socket.set_tcp_keepalive(&probes)
}

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
            assert_eq!(
                PeerAddress::Tcp(text.parse().unwrap()).is_local(),
                local,
                "{text}"
            );
        }
        assert!(PeerAddress::Unix.is_local());
    }
    #[tokio::test]
    async fn a_peer_that_leaves_is_seen_behind_what_it_sent() {
        use tokio::io::AsyncWriteExt;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        for reset in [false, true] {
            let mut far = TcpStream::connect(address).await.unwrap();
            let near = PeerStream::tcp(listener.accept().await.unwrap().0).unwrap();
            far.write_all(b"unread").await.unwrap();
            assert_eq!(near.presence(), PeerPresence::Present);
            let left = if reset {
                SockRef::from(&far)
                    .set_linger(Some(std::time::Duration::ZERO))
                    .unwrap();
                drop(far);
                PeerPresence::Gone
            } else {
                far.shutdown().await.unwrap();
                PeerPresence::HalfClosed
            };
            for _ in 0..3_000 {
                if near.presence() == left {
                    break;
                }
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            }
            assert_eq!(near.presence(), left);
        }
        let (near, far) = UnixStream::pair().unwrap();
        let near = PeerStream::Unix(near);
        assert_eq!(near.presence(), PeerPresence::Present);
        drop(far);
        assert_eq!(near.presence(), PeerPresence::Gone);
    }
}
