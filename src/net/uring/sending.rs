//! What a ring sends.

use std::io;
use std::sync::Arc;
use std::task::{Context, Poll};

use compio_buf::IntoInner;
use compio_driver::PushEntry;
use rustix::io::Errno;
use rustix::net::{SendFlags, send};

use super::operations::{Ring, Sending};
use crate::limits::rings::{
    SEND_DIRECT_BYTES, SEND_WAITING_BYTES_MAX, SPARE_BUFFER_BYTES_MAX, SPARE_BUFFERS_MAX,
};

impl Ring {
    /// As of `AsyncWrite`.
    pub(super) fn poll_write(
        &mut self,
        index: usize,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let Some(seat) = self.seats.get_mut(index) else {
            return Poll::Ready(Err(io::ErrorKind::NotConnected.into()));
        };
        if let Some(failure) = seat.failure.take() {
            return Poll::Ready(Err(failure));
        }
        if seat.sending.is_some() {
            if seat.behind.len() >= SEND_WAITING_BYTES_MAX {
                seat.writer = Some(context.waker().clone());
                return Poll::Pending;
            }
            let room = SEND_WAITING_BYTES_MAX - seat.behind.len();
            return Poll::Ready(Ok(gather(&mut seat.behind, slices, room)));
        }
        if let [only] = slices
            && only.len() >= SEND_DIRECT_BYTES
            && let Some(socket) = &seat.socket
        {
            match send(socket, only, SendFlags::DONTWAIT | SendFlags::NOSIGNAL) {
                Ok(sent) => return Poll::Ready(Ok(sent)),
                Err(Errno::WOULDBLOCK | Errno::INTR) => {}
                Err(error) => return Poll::Ready(Err(error.into())),
            }
        }
        let mut buffer = self.spare_sends.pop().unwrap_or_default();
        let taken = gather(&mut buffer, slices, SEND_WAITING_BYTES_MAX);
        self.begin_send(index, buffer)?;
        Poll::Ready(Ok(taken))
    }

    /// Ready when all is sent.
    pub(super) fn poll_sent(
        &mut self,
        index: usize,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        let Some(seat) = self.seats.get_mut(index) else {
            return Poll::Ready(Ok(()));
        };
        match (seat.failure.take(), &seat.sending) {
            (Some(failure), _) => Poll::Ready(Err(failure)),
            (None, None) => Poll::Ready(Ok(())),
            (None, Some(_)) => {
                seat.writer = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }

    fn begin_send(&mut self, index: usize, buffer: Vec<u8>) -> io::Result<()> {
        let done = self.send_done(index);
        let Some(seat) = self.seats.get_mut(index) else {
            return Ok(());
        };
        let Some(socket) = &seat.socket else {
            return Ok(());
        };
        let sending = Sending::new(Arc::clone(socket), buffer, SendFlags::NOSIGNAL);
        match self.proactor.push(sending) {
            PushEntry::Pending(key) => {
                let sent = seat.sent.get_or_insert_with(|| Arc::new(done).into());
                self.proactor.update_waker(&key, sent);
                if seat.is_abandoned {
                    // It is tried once, as a write to a socket that is closed next would be.
                    let cancel = self.proactor.register_cancel(&key);
                    self.proactor.cancel_token(cancel);
                    self.pushed += 1;
                }
                seat.sending = Some(key);
            }
            PushEntry::Ready(done) => return done.0.map(|_| ()),
        }
        self.pushed += 1;
        self.call_driver();
        Ok(())
    }

    /// A send is done: what is left of it, and what waits behind it, is sent next.
    pub(super) fn go_on_sending(&mut self, index: usize) {
        let Some(seat) = self.seats.get_mut(index) else {
            return;
        };
        let Some(key) = seat.sending.take() else {
            return;
        };
        let (result, sending) = match self.proactor.pop(key) {
            PushEntry::Pending(key) => {
                seat.sending = Some(key);
                return;
            }
            PushEntry::Ready(done) => (done.0, done.1),
        };
        let mut buffer = IntoInner::into_inner(sending);
        match result {
            Ok(count) => drop(buffer.drain(..count.min(buffer.len()))),
            Err(error) => {
                seat.failure = Some(error);
                seat.behind = Vec::new();
                buffer.clear();
            }
        }
        if buffer.is_empty() {
            let next = std::mem::take(&mut seat.behind);
            let done = std::mem::replace(&mut buffer, next);
            if done.capacity() <= SPARE_BUFFER_BYTES_MAX
                && self.spare_sends.len() < SPARE_BUFFERS_MAX
            {
                self.spare_sends.push(done);
            }
        }
        let writer = seat.writer.take();
        let is_abandoned = seat.is_abandoned;
        if !buffer.is_empty()
            && let Err(error) = self.begin_send(index, buffer)
            && let Some(seat) = self.seats.get_mut(index)
        {
            seat.failure = Some(error);
        }
        if let Some(writer) = writer {
            writer.wake();
        }
        let is_sending = self
            .seats
            .get(index)
            .is_some_and(|seat| seat.sending.is_some());
        if is_abandoned && !is_sending {
            self.close(index);
        }
    }
}

/// Copies so many bytes of these at most, and says how many they were.
fn gather(buffer: &mut Vec<u8>, slices: &[io::IoSlice<'_>], room: usize) -> usize {
    let before = buffer.len();
    for slice in slices {
        let left = room - (buffer.len() - before);
        let taken = slice.len().min(left);
        buffer.extend_from_slice(slice.get(..taken).unwrap_or_default());
    }
    buffer.len() - before
}
