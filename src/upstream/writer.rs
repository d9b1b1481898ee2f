//! The connection to an upstream. Whoever has it may read; what a client's session writes comes out
//! of an [`Outbox`], and nothing else can be written to it:
//!
//! ```compile_fail,E0599
//! use pgsieve::upstream::writer::UpstreamStream;
//! use tokio::io::AsyncWriteExt;
//! async fn send(stream: &mut UpstreamStream) {
//!     let _ = stream.write_all(b"Q").await;
//! }
//! ```
//!
//! Two things are written by others, and never for a client: `connect` asks for TLS before there is
//! such a connection, and sessions of pgsieve's own, which read the catalog, give theirs to
//! tokio-postgres (`UpstreamStream::into_library`).
//!
//! The connection to a client is of another type. It takes any bytes, and no [`Outbox`]:
//!
//! ```compile_fail,E0308
//! use pgsieve::net::stream::PeerStream;
//! use pgsieve::upstream::outbox::Outbox;
//! async fn send(client: &mut PeerStream, outbox: &mut Outbox) {
//!     let _ = std::future::poll_fn(|context| outbox.poll_flush(client, context)).await;
//! }
//! ```

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::Instant;

use super::outbox::Outbox;
use crate::net::framed_stream::{FramedStream, PeerError};
use crate::net::stream::PeerStream;

/// One byte stream to an upstream.
#[derive(Debug)]
pub struct UpstreamStream(PeerStream);

/// The same with what was read and not yet understood.
pub type UpstreamFrames = FramedStream<UpstreamStream>;

impl UpstreamStream {
    /// The stream to an upstream: from now on it takes nothing but what an [`Outbox`] holds.
    pub fn new(stream: PeerStream) -> Self {
        Self(stream)
    }

    /// Is what passes here encrypted?
    pub fn is_tls(&self) -> bool {
        self.0.is_tls()
    }

    /// From now on the runtime that this is called in is told when more can be read or written.
    ///
    /// # Errors
    /// The system's, when it has no descriptor left: the stream is with the runtime of before.
    pub fn join_this_runtime(&mut self) -> io::Result<()> {
        self.0.join_this_runtime()
    }

    /// From now on the ring of this thread reads and writes, where it has one.
    ///
    /// # Errors
    /// As of [`PeerStream::onto_ring`].
    pub fn onto_ring(&mut self) -> io::Result<()> {
        self.0.onto_ring()
    }

    /// Nothing is under way on this thread's ring any more: another thread may have the stream.
    ///
    /// # Errors
    /// As of [`PeerStream::leave_ring`].
    pub fn leave_ring(&mut self) -> io::Result<()> {
        self.0.leave_ring()
    }

    /// The certificate of the upstream, leaf only, as DER. There is one only under TLS.
    pub fn peer_certificate(&self) -> Option<&[u8]> {
        self.0.peer_certificate()
    }

    /// Whether a read would bring something, or the end.
    pub fn has_input(&self) -> bool {
        self.0.has_input()
    }

    /// The bare stream, for a library that speaks the protocol itself, on a session of pgsieve's
    /// own.
    pub(in crate::upstream) fn into_library(self) -> PeerStream {
        self.0
    }
}

impl Outbox {
    /// Writes as much as the socket takes. Ready when nothing waits any more.
    ///
    /// # Errors
    /// The socket's error; a socket that takes no bytes counts as closed.
    pub fn poll_flush(
        &mut self,
        stream: &mut UpstreamStream,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        self.poll_flush_to(&mut stream.0, context)
    }
}

impl UpstreamFrames {
    /// Sends all that waits in an outbox. Not to be cancelled and gone on with: half a message may
    /// be out.
    ///
    /// # Errors
    /// The connection was lost, or took nothing in time.
    pub async fn send(&mut self, outbox: &Outbox, deadline: Instant) -> Result<(), PeerError> {
        self.stream.0.send(outbox.as_bytes(), deadline).await
    }

    /// Sends the last words and closes, within a short time whatever the upstream does.
    pub async fn send_and_close(self, last_words: &Outbox) {
        let bare = self.into_bare();
        bare.send_and_close(last_words.as_bytes()).await;
    }

    /// The same, but what the upstream still sends is read away for so long and so many times.
    pub async fn send_and_linger(self, last_words: &Outbox, linger: (Duration, usize)) {
        let bare = self.into_bare();
        bare.send_and_linger(last_words.as_bytes(), linger).await;
    }

    fn into_bare(self) -> FramedStream {
        FramedStream {
            stream: self.stream.0,
            inbox: self.inbox,
        }
    }
}

impl AsyncRead for UpstreamStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().0).poll_read(context, buffer)
    }
}
