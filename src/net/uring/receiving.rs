//! What a ring receives.

use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::task::{Context, Poll};

use compio_buf::IntoInner;
use compio_driver::PushEntry;
use compio_driver::op::Interest;
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use tokio::io::ReadBuf;

use super::operations::{Readable, Receive, Receiving, Ring};
use crate::limits::rings::{RECEIVE_BYTES, RECEIVES_HELD_MAX, SPARE_BUFFERS_MAX};

impl Ring {
    /// As of `AsyncRead`.
    pub(super) fn poll_read(
        &mut self,
        index: usize,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            self.settle_receive(index);
            let Some(seat) = self.seats.get_mut(index) else {
                return Poll::Ready(Err(io::ErrorKind::NotConnected.into()));
            };
            match std::mem::take(&mut seat.receive) {
                Receive::None => {}
                Receive::Failed(error) => return Poll::Ready(Err(error)),
                Receive::Here { buffer, from, to } => {
                    let bytes = buffer.get(from..to).unwrap_or_default();
                    let taken = bytes.len().min(into.remaining());
                    into.put_slice(bytes.get(..taken).unwrap_or_default());
                    if taken < bytes.len() {
                        let from = from + taken;
                        seat.receive = Receive::Here { buffer, from, to };
                    } else if self.spare_receives.len() < SPARE_BUFFERS_MAX {
                        self.spare_receives.push(buffer);
                    }
                    return Poll::Ready(Ok(()));
                }
                waiting @ (Receive::Bytes { .. } | Receive::Readable { .. }) => {
                    match &waiting {
                        Receive::Bytes { key, .. } => {
                            self.proactor.update_waker(key, context.waker());
                        }
                        Receive::Readable { key, .. } => {
                            self.proactor.update_waker(key, context.waker());
                        }
                        _ => {}
                    }
                    seat.receive = waiting;
                    return Poll::Pending;
                }
            }
            if seat.is_bulk {
                match read_now(seat.socket.as_ref(), into) {
                    Poll::Ready(Ok(count)) => {
                        seat.is_bulk = count > 0 && into.remaining() == 0;
                        return Poll::Ready(Ok(()));
                    }
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                    Poll::Pending => seat.is_bulk = false,
                }
            }
            self.begin_receive(index)?;
        }
    }

    /// Whether there is something to read, or the end, as far as the ring knows; none where nobody
    /// watches.
    pub(super) fn is_told_of_input(&mut self, index: usize) -> Option<bool> {
        self.settle_receive(index);
        match &self.seats.get(index)?.receive {
            Receive::None => None,
            Receive::Here { .. } | Receive::Failed(_) => Some(true),
            Receive::Bytes { .. } | Receive::Readable { .. } => Some(false),
        }
    }

    /// Takes up what a receive has come to.
    pub(super) fn settle_receive(&mut self, index: usize) {
        let Some(seat) = self.seats.get_mut(index) else {
            return;
        };
        seat.receive = match std::mem::take(&mut seat.receive) {
            Receive::Bytes { key, cancel, look } => match self.proactor.pop(key) {
                PushEntry::Pending(key) => Receive::Bytes { key, cancel, look },
                PushEntry::Ready(done) => {
                    self.holding = self.holding.saturating_sub(1);
                    let (result, receiving) = (done.0, done.1);
                    let buffer = IntoInner::into_inner(receiving);
                    match result {
                        Ok(count) => {
                            seat.is_bulk = count == RECEIVE_BYTES;
                            let (from, to) = (0, count);
                            Receive::Here { buffer, from, to }
                        }
                        Err(error) if is_called_back(&error) => {
                            seat.is_quiet = true;
                            Receive::None
                        }
                        Err(error) => Receive::Failed(error),
                    }
                }
            },
            Receive::Readable { key, cancel } => match self.proactor.pop(key) {
                PushEntry::Pending(key) => Receive::Readable { key, cancel },
                PushEntry::Ready(done) => match done.0 {
                    Ok(_) => {
                        seat.is_quiet = false;
                        seat.is_bulk = true;
                        Receive::None
                    }
                    Err(error) if is_called_back(&error) => Receive::None,
                    Err(error) => Receive::Failed(error),
                },
            },
            other => other,
        };
    }

    fn begin_receive(&mut self, index: usize) -> io::Result<()> {
        let Some(seat) = self.seats.get_mut(index) else {
            return Ok(());
        };
        let Some(socket) = &seat.socket else {
            return Ok(());
        };
        let socket = Arc::clone(socket);
        if seat.is_quiet || self.holding >= RECEIVES_HELD_MAX {
            let waiting = Readable::new(socket, Interest::Readable);
            match self.proactor.push(waiting) {
                PushEntry::Pending(key) => {
                    let cancel = self.proactor.register_cancel(&key);
                    seat.receive = Receive::Readable { key, cancel };
                }
                PushEntry::Ready(done) => return done.0.map(|_| ()),
            }
        } else {
            let spare = self.spare_receives.pop();
            let buffer = spare.unwrap_or_else(|| vec![0; RECEIVE_BYTES]);
            let receiving = Receiving::new(socket, buffer, RecvFlags::empty());
            match self.proactor.push(receiving) {
                PushEntry::Pending(key) => {
                    let cancel = self.proactor.register_cancel(&key);
                    let look = self.look;
                    seat.receive = Receive::Bytes { key, cancel, look };
                    self.holding += 1;
                }
                PushEntry::Ready(done) => return done.0.map(|_| ()),
            }
        }
        self.pushed += 1;
        self.call_driver();
        Ok(())
    }
}

/// What the socket has; pending where that is nothing.
fn read_now(socket: Option<&Arc<TcpStream>>, into: &mut ReadBuf<'_>) -> Poll<io::Result<usize>> {
    let Some(socket) = socket else {
        return Poll::Ready(Err(io::ErrorKind::NotConnected.into()));
    };
    match recv(socket, into.initialize_unfilled(), RecvFlags::DONTWAIT) {
        Ok((count, _)) => {
            into.advance(count);
            Poll::Ready(Ok(count))
        }
        Err(Errno::WOULDBLOCK | Errno::INTR) => Poll::Pending,
        Err(error) => Poll::Ready(Err(error.into())),
    }
}

fn is_called_back(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::CANCELED.raw_os_error())
}
