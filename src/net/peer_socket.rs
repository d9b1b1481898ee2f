//! A TCP connection, whoever waits for it: the runtime (epoll) or the ring of a worker (io_uring).

use std::io;
use std::net::TcpStream as PlainStream;
use std::os::fd::{AsFd, BorrowedFd};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::task::coop::has_budget_remaining;

use super::uring::{self, RingSocket};

/// One TCP connection.
#[derive(Debug)]
pub enum PeerSocket {
    /// The runtime is told when it is ready.
    Polled(TcpStream),
    /// A ring reads and writes.
    Ring(RingSocket),
}

impl From<TcpStream> for PeerSocket {
    fn from(socket: TcpStream) -> Self {
        Self::Polled(socket)
    }
}

impl PeerSocket {
    /// From now on the ring of this thread reads and writes, where it has one.
    ///
    /// # Errors
    /// The system's, when it has no descriptor left: the runtime goes on.
    pub fn onto_ring(&mut self) -> io::Result<()> {
        if let Self::Polled(socket) = self
            && uring::is_here()
        {
            let own = PlainStream::from(socket.as_fd().try_clone_to_owned()?);
            own.set_nonblocking(false)?;
            *self = Self::Ring(RingSocket::new(own));
        }
        Ok(())
    }

    /// Nothing of it is under way on this thread's ring any more: another thread may have it.
    ///
    /// # Errors
    /// Something still is, or the connection is broken; it goes on here.
    pub fn leave_ring(&mut self) -> io::Result<()> {
        match self {
            Self::Polled(_) => Ok(()),
            Self::Ring(socket) => socket.leave(),
        }
    }

    /// From now on the runtime that this is called in is told when more can be read or written; or
    /// its thread's ring reads and writes, where that was done by a ring.
    ///
    /// # Errors
    /// The system's, when it has no descriptor left: the socket is with the runtime of before.
    pub fn join_this_runtime(&mut self) -> io::Result<()> {
        if let Self::Polled(socket) = self {
            *socket = TcpStream::from_std(socket.as_fd().try_clone_to_owned()?.into())?;
        }
        Ok(())
    }

    /// The socket without the runtime.
    ///
    /// # Errors
    /// The system's; or a ring has it.
    pub fn into_std(self) -> io::Result<PlainStream> {
        match self {
            Self::Polled(socket) => socket.into_std(),
            Self::Ring(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Whether somebody was told of something to read, or of the end; none where nobody watches.
    pub(super) fn is_told_of_input(&self) -> Option<bool> {
        match self {
            Self::Polled(socket) => {
                let told = socket.poll_read_ready(&mut Context::from_waker(Waker::noop()));
                // A task that has used up what the runtime lets it do at a time is told of nothing.
                match told.is_ready() {
                    true => None,
                    false => has_budget_remaining().then_some(false),
                }
            }
            Self::Ring(socket) => socket.is_told_of_input(),
        }
    }

    /// Where this thread has no ring, the runtime takes over what a ring had.
    fn adapted(&mut self) -> io::Result<&mut Self> {
        if let Self::Ring(socket) = self
            && !uring::is_here()
            && socket.is_free()
        {
            let own = PlainStream::from(socket.as_fd().try_clone_to_owned()?);
            own.set_nonblocking(true)?;
            *self = Self::Polled(TcpStream::from_std(own)?);
        }
        Ok(self)
    }
}

impl AsFd for PeerSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Polled(socket) => socket.as_fd(),
            Self::Ring(socket) => socket.as_fd(),
        }
    }
}

impl AsyncRead for PeerSocket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut().adapted()? {
            Self::Polled(socket) => Pin::new(socket).poll_read(context, buffer),
            Self::Ring(socket) => socket.poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for PeerSocket {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut().adapted()? {
            Self::Polled(socket) => Pin::new(socket).poll_write(context, bytes),
            Self::Ring(socket) => socket.poll_write(context, &[io::IoSlice::new(bytes)]),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut().adapted()? {
            Self::Polled(socket) => Pin::new(socket).poll_write_vectored(context, slices),
            Self::Ring(socket) => socket.poll_write(context, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    /// What a ring has taken counts as sent, as what the system has taken does.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut().adapted()? {
            Self::Polled(socket) => Pin::new(socket).poll_shutdown(context),
            Self::Ring(socket) => socket.poll_shutdown(context),
        }
    }
}
