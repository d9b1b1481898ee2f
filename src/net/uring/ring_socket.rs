//! One socket that rings read and write.

use std::io;
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::ReadBuf;
use tokio::task::coop::poll_proceed;

use super::operations::Ring;
use super::{RingMail, with};

/// A TCP connection that the ring of a thread reads and writes, of whichever thread asks first
/// while nothing is under way.
#[derive(Debug)]
pub struct RingSocket {
    socket: Arc<TcpStream>,
    seat: Option<RingSeat>,
    /// What the ring before had received.
    arrived: Vec<u8>,
}

/// Where something may be under way.
#[derive(Debug)]
struct RingSeat {
    ring: Arc<RingMail>,
    index: usize,
}

impl RingSocket {
    /// Of a socket whose calls wait (`O_NONBLOCK` is off).
    pub(in crate::net) fn new(socket: TcpStream) -> Self {
        Self {
            socket: Arc::new(socket),
            seat: None,
            arrived: Vec::new(),
        }
    }

    /// Whether no ring has anything of it.
    pub(in crate::net) fn is_free(&self) -> bool {
        self.seat.is_none() && self.arrived.is_empty()
    }

    /// Gives up what waits on this thread's ring.
    ///
    /// # Errors
    /// Something is being sent still, or the connection is broken, or it is another thread's.
    pub(in crate::net) fn leave(&mut self) -> io::Result<()> {
        let Some(seat) = self.seat.take() else {
            return Ok(());
        };
        let left = with(|ring| match Arc::ptr_eq(ring.mail(), &seat.ring) {
            true => ring.leave(seat.index),
            false => Err(elsewhere()),
        });
        match left.unwrap_or_else(|| Err(elsewhere())) {
            Ok(arrived) => {
                self.arrived.extend_from_slice(&arrived);
                Ok(())
            }
            Err(error) => {
                self.seat = Some(seat);
                Err(error)
            }
        }
    }

    /// As of [`Ring::is_told_of_input`].
    pub(in crate::net) fn is_told_of_input(&self) -> Option<bool> {
        if !self.arrived.is_empty() {
            return Some(true);
        }
        let seat = self.seat.as_ref()?;
        with(|ring| match Arc::ptr_eq(ring.mail(), &seat.ring) {
            true => ring.is_told_of_input(seat.index),
            false => None,
        })
        .flatten()
    }

    /// As of `AsyncRead`.
    pub(in crate::net) fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let coop = ready!(poll_proceed(context));
        if !self.arrived.is_empty() {
            let taken = self.arrived.len().min(into.remaining());
            into.put_slice(self.arrived.get(..taken).unwrap_or_default());
            self.arrived.drain(..taken);
            coop.made_progress();
            return Poll::Ready(Ok(()));
        }
        let read = self.here(|ring, index| ring.poll_read(index, context, into));
        if read.is_ready() {
            coop.made_progress();
        }
        read
    }

    /// As of `AsyncWrite`.
    pub(in crate::net) fn poll_write(
        &mut self,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let coop = ready!(poll_proceed(context));
        let written = self.here(|ring, index| ring.poll_write(index, context, slices));
        if written.is_ready() {
            coop.made_progress();
        }
        written
    }

    /// As of `AsyncWrite`.
    pub(in crate::net) fn poll_shutdown(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        if self.seat.is_some() {
            ready!(self.here(|ring, index| ring.poll_sent(index, context)))?;
        }
        Poll::Ready(self.socket.shutdown(Shutdown::Write))
    }

    /// With the ring of this thread and its seat there.
    fn here<T>(
        &mut self,
        act: impl FnOnce(&mut Ring, usize) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let acted = with(|ring| {
            let index = match &self.seat {
                Some(seat) if Arc::ptr_eq(ring.mail(), &seat.ring) => seat.index,
                Some(_) => return Poll::Ready(Err(elsewhere())),
                None => {
                    let index = ring.sit(Arc::clone(&self.socket));
                    let ring = Arc::clone(ring.mail());
                    self.seat = Some(RingSeat { ring, index });
                    index
                }
            };
            act(ring, index)
        });
        acted.unwrap_or_else(|| Poll::Ready(Err(elsewhere())))
    }
}

impl AsFd for RingSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Drop for RingSocket {
    fn drop(&mut self) {
        let Some(seat) = self.seat.take() else {
            return;
        };
        let abandoned = with(|ring| {
            let is_home = Arc::ptr_eq(ring.mail(), &seat.ring);
            if is_home {
                ring.abandon(seat.index);
            }
            is_home
        });
        if abandoned != Some(true) {
            seat.ring.abandon(seat.index);
        }
    }
}

/// Another thread's ring reads and writes it.
fn elsewhere() -> io::Error {
    io::Error::other("another thread has this connection")
}
