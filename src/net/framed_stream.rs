//! A stream of whole messages: a connection and what has been read from it and not yet understood.
//!
//! Whole messages only, each awaited up to a deadline. The session that follows takes both fields
//! and reads in its own, faster way.

use std::fmt;
use std::io;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, timeout_at};

use super::stream::PeerStream;
use crate::limits;
use crate::wire::frame::{FrameCut, HEADER_BYTES, ProtocolPhase, cut_frontend, header_backend};
use crate::wire::malformed::MalformedMessage;

/// A connection and its unread bytes. Only that of a client can be written to here: what goes to an
/// upstream is written by `upstream::writer`.
pub struct FramedStream<S = PeerStream> {
    /// The connection.
    pub stream: S,
    /// What the peer sent and nobody has read yet.
    pub inbox: BytesMut,
}

/// One whole message, owned.
#[derive(Clone, PartialEq, Eq)]
pub struct OwnedMessage {
    /// The type byte.
    pub kind: u8,
    /// Header and body as received.
    pub bytes: Bytes,
}

/// What came of a message that may be of no interest.
#[derive(Debug, PartialEq, Eq)]
pub enum PassedMessage {
    /// It was read away; this was its type byte.
    Skipped(u8),
    /// Another one, whole.
    Message(OwnedMessage),
}

/// Why a peer cannot be talked to any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeerError {
    /// It closed the connection.
    Closed,
    /// It took longer than it may.
    TimedOut,
    /// The connection broke.
    Broken(io::ErrorKind),
    /// It sent something that is no message.
    Malformed(MalformedMessage),
    /// It sent more than a login needs.
    TooMuch,
}

impl<S> fmt::Debug for FramedStream<S> {
    /// Without the bytes: a password may be among them.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Link({} bytes unread)", self.inbox.len())
    }
}

impl<S: AsyncRead + Unpin> FramedStream<S> {
    /// A stream to a peer that has not said anything yet.
    pub fn new(stream: S) -> Self {
        Self {
            stream,
            inbox: BytesMut::with_capacity(limits::LOGIN_INBOX_BYTES),
        }
    }

    /// The next message of a client that is logging in.
    ///
    /// May be cancelled: what was read stays in the inbox.
    ///
    /// # Errors
    /// The client is gone, takes longer than the deadline, sends what is no message of a login, or
    /// one that is longer than a login needs.
    pub async fn frontend(&mut self, deadline: Instant) -> Result<OwnedMessage, PeerError> {
        loop {
            match cut_frontend(&self.inbox, ProtocolPhase::Login).map_err(PeerError::Malformed)? {
                FrameCut::Whole(frame) => {
                    let (kind, total) = (frame.kind, frame.bytes.len());
                    return Ok(self.take_message(kind, total));
                }
                FrameCut::Partial { needed } => self.read_up_to(needed, deadline).await?,
            }
        }
    }

    /// The next message of an upstream.
    ///
    /// May be cancelled: what was read stays in the inbox.
    ///
    /// # Errors
    /// The upstream is gone, takes longer than the deadline, sends what is no message, or one that
    /// is longer than a login needs.
    pub async fn backend(&mut self, deadline: Instant) -> Result<OwnedMessage, PeerError> {
        loop {
            let needed = match header_backend(&self.inbox).map_err(PeerError::Malformed)? {
                Some(header) if self.inbox.len() >= header.total => {
                    return Ok(self.take_message(header.kind, header.total));
                }
                Some(header) => header.total,
                None => HEADER_BYTES,
            };
            self.read_up_to(needed, deadline).await?;
        }
    }

    /// The next message of an upstream; one of these kinds is read away, however long it is, and
    /// only its kind is told.
    ///
    /// Not to be cancelled and gone on with: half a message may be read away.
    ///
    /// # Errors
    /// The same as of [`Self::backend`]; what is read away may be of any length.
    pub async fn backend_skipping(
        &mut self,
        kinds: &[u8],
        deadline: Instant,
    ) -> Result<PassedMessage, PeerError> {
        loop {
            let header = header_backend(&self.inbox).map_err(PeerError::Malformed)?;
            match header.filter(|header| kinds.contains(&header.kind)) {
                Some(header) => {
                    self.skip_bytes(header.total, deadline).await?;
                    return Ok(PassedMessage::Skipped(header.kind));
                }
                None if header.is_some() => {
                    return Ok(PassedMessage::Message(self.backend(deadline).await?));
                }
                None => self.read_up_to(HEADER_BYTES, deadline).await?,
            }
        }
    }

    /// Reads so many bytes away.
    async fn skip_bytes(&mut self, bytes: usize, deadline: Instant) -> Result<(), PeerError> {
        let mut left = bytes;
        loop {
            let here = left.min(self.inbox.len());
            drop(self.inbox.split_to(here));
            left -= here;
            if left == 0 {
                return Ok(());
            }
            self.read_up_to(1, deadline).await?;
        }
    }

    /// Reads once: at least one byte more is in the inbox afterwards.
    ///
    /// May be cancelled: what was read stays in the inbox.
    ///
    /// # Errors
    /// The peer is gone, or sends nothing before the deadline; or the inbox is full.
    pub async fn fill(&mut self, deadline: Instant) -> Result<(), PeerError> {
        self.read_up_to(self.inbox.len().saturating_add(1), deadline)
            .await
    }

    async fn read_up_to(&mut self, needed: usize, deadline: Instant) -> Result<(), PeerError> {
        if needed > limits::LOGIN_INBOX_BYTES_MAX {
            return Err(PeerError::TooMuch);
        }
        self.inbox
            .reserve(needed.saturating_sub(self.inbox.len()).max(READ_BYTES_MIN));
        match timeout_at(deadline, self.stream.read_buf(&mut self.inbox)).await {
            Err(_elapsed) => Err(PeerError::TimedOut),
            Ok(Err(error)) => Err(PeerError::Broken(error.kind())),
            Ok(Ok(0)) => Err(PeerError::Closed),
            Ok(Ok(_)) => Ok(()),
        }
    }

    fn take_message(&mut self, kind: u8, total: usize) -> OwnedMessage {
        OwnedMessage {
            kind,
            bytes: self.inbox.split_to(total).freeze(),
        }
    }
}

impl FramedStream {
    /// Sends all of `bytes`. Not to be cancelled and gone on with: half a message may be out.
    ///
    /// # Errors
    /// The peer is gone, or does not take all of it before the deadline.
    pub async fn send(&mut self, bytes: &[u8], deadline: Instant) -> Result<(), PeerError> {
        self.stream.send(bytes, deadline).await
    }

    /// Sends the last words and closes, within a short time whatever the peer does. What the peer
    /// still sends is read away for a moment: closing over unread bytes would make TCP throw our
    /// last words away, too.
    pub async fn send_and_close(self, last_words: &[u8]) {
        let linger = (limits::LINGER_TIME_MAX, limits::LINGER_READS_MAX);
        self.send_and_linger(last_words, linger).await;
    }

    /// The same, but what the peer still sends is read away for so long and so many times.
    pub async fn send_and_linger(mut self, last_words: &[u8], (time, reads): (Duration, usize)) {
        let deadline = Instant::now() + limits::FAREWELL_TIME_MAX;
        if self.send(last_words, deadline).await.is_err() {
            return;
        }
        if !matches!(
            timeout_at(deadline, self.stream.shutdown()).await,
            Ok(Ok(()))
        ) {
            return;
        }
        let linger = Instant::now() + time;
        let mut rest = [0_u8; DRAIN_BYTES];
        for _ in 0..reads {
            match timeout_at(linger, self.stream.read(&mut rest)).await {
                Ok(Ok(1..)) => {}
                Ok(Ok(_) | Err(_)) | Err(_) => return,
            }
        }
    }
}

impl PeerStream {
    /// Sends all of `bytes`. Not to be cancelled and gone on with: half a message may be out.
    ///
    /// # Errors
    /// The connection was lost, or took too little in time.
    pub async fn send(&mut self, bytes: &[u8], deadline: Instant) -> Result<(), PeerError> {
        let sending = async {
            self.write_all(bytes).await?;
            self.flush().await
        };
        match timeout_at(deadline, sending).await {
            Err(_elapsed) => Err(PeerError::TimedOut),
            Ok(Err(error)) => Err(PeerError::Broken(error.kind())),
            Ok(Ok(())) => Ok(()),
        }
    }
}

impl OwnedMessage {
    /// What follows the length word.
    pub fn body(&self) -> &[u8] {
        self.bytes.get(HEADER_BYTES..).unwrap_or_default()
    }
}

/// A message of a login may hold a password: only its size may be shown.
impl fmt::Debug for OwnedMessage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "Message({}, {} bytes)",
            char::from(self.kind),
            self.bytes.len()
        )
    }
}

impl fmt::Display for PeerError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => formatter.write_str("closed by the peer"),
            Self::TimedOut => formatter.write_str("timed out"),
            Self::Broken(kind) => write!(formatter, "connection lost: {kind}"),
            Self::Malformed(malformed) => write!(formatter, "{malformed}"),
            Self::TooMuch => formatter.write_str("more than a login needs"),
        }
    }
}

impl std::error::Error for PeerError {}

/// Room for one read.
const READ_BYTES_MIN: usize = 512;
/// What is read away in one go after the last words.
const DRAIN_BYTES: usize = 1024;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::net::UnixStream;

    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(5)
    }

    fn pair() -> (FramedStream, UnixStream) {
        let (near, far) = UnixStream::pair().unwrap();
        (FramedStream::new(PeerStream::Unix(near)), far)
    }

    #[tokio::test]
    async fn a_message_in_single_bytes_is_one_message() {
        let (mut framed, mut far) = pair();
        let sender = tokio::spawn(async move {
            for byte in b"p\0\0\0\x07ab\0p\0\0\0\x05\0" {
                far.write_all(&[*byte]).await.unwrap();
                tokio::task::yield_now().await;
            }
            far
        });
        let first = framed.frontend(soon()).await.unwrap();
        assert_eq!((first.kind, first.body()), (b'p', &b"ab\0"[..]));
        assert_eq!(framed.frontend(soon()).await.unwrap().body(), b"\0");
        drop(sender.await.unwrap());
        assert_eq!(framed.frontend(soon()).await, Err(PeerError::Closed));
    }

    #[tokio::test]
    async fn a_second_startup_message_is_no_login_message() {
        let (mut framed, mut far) = pair();
        far.write_all(b"\0\0\0\x09\0\x03\0\0\0").await.unwrap();
        let refused = framed.frontend(soon()).await.unwrap_err();
        assert_eq!(
            refused,
            PeerError::Malformed(MalformedMessage::UnknownType { kind: 0 })
        );
    }

    #[tokio::test]
    async fn a_silent_peer_is_given_up() {
        let (mut framed, _far) = pair();
        let now = Instant::now() + Duration::from_millis(20);
        assert_eq!(framed.frontend(now).await, Err(PeerError::TimedOut));
        assert_eq!(framed.backend(now).await, Err(PeerError::TimedOut));
    }

    #[tokio::test]
    async fn an_upstream_that_announces_megabytes_is_refused() {
        let (mut framed, mut far) = pair();
        far.write_all(b"D\x00\x10\x00\x00").await.unwrap();
        assert_eq!(framed.backend(soon()).await, Err(PeerError::TooMuch));
    }

    #[tokio::test]
    async fn megabytes_of_no_interest_are_read_away() {
        let (mut framed, mut far) = pair();
        let sender = tokio::spawn(async move {
            far.write_all(b"D\x00\x10\x00\x00").await.unwrap();
            far.write_all(&vec![7; 0x10_0000 - 4]).await.unwrap();
            far.write_all(b"D\0\0\0\x06\0\0Z\0\0\0\x05I").await.unwrap();
        });
        for _ in 0..2 {
            let passed = framed.backend_skipping(b"D", soon()).await;
            assert_eq!(passed, Ok(PassedMessage::Skipped(b'D')));
        }
        let whole = framed.backend_skipping(b"D", soon()).await;
        let Ok(PassedMessage::Message(message)) = whole else {
            panic!("{whole:?}")
        };
        assert_eq!((message.kind, message.body()), (b'Z', &b"I"[..]));
        sender.await.unwrap();
        let gone = framed.backend_skipping(b"D", soon()).await;
        assert_eq!(gone, Err(PeerError::Closed));
    }

    #[test]
    fn debug_shows_no_password() {
        let message = OwnedMessage {
            kind: b'p',
            bytes: Bytes::from_static(b"p\0\0\0\x0chunter2\0"),
        };
        assert_eq!(format!("{message:?}"), "Message(p, 13 bytes)");
    }
}
