//! A session that is logged in, made to look like one that is not yet: tokio-postgres begins every
//! connection with a login, and the login is done before, by code that proves what it must.
//!
//! The first message of tokio-postgres, its StartupMessage, goes nowhere. It is answered with what
//! a server says that asks for nothing.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::net::stream::PeerStream;
use crate::upstream::writer::UpstreamFrames;

/// The stream of a session that is logged in and idle.
pub struct ReplayedLogin {
    stream: PeerStream,
    /// To be read before what the stream has.
    said: BytesMut,
    greeting: StartupReceived,
}

/// How much of the StartupMessage has come.
enum StartupReceived {
    /// Part of its length word.
    ExpectLength { word: [u8; 4], known: usize },
    /// All but this many bytes.
    ExpectRest(usize),
    /// All of it.
    Done,
}

impl ReplayedLogin {
    /// Hands a session over.
    pub fn new(framed: UpstreamFrames) -> Self {
        let (stream, inbox) = (framed.stream.into_library(), framed.inbox);
        let mut said = BytesMut::from(WELCOME);
        said.extend_from_slice(&inbox);
        Self {
            stream,
            said,
            greeting: StartupReceived::ExpectLength {
                word: [0; 4],
                known: 0,
            },
        }
    }
}

impl StartupReceived {
    /// How many of these bytes belong to the StartupMessage.
    fn take(&mut self, bytes: &[u8]) -> usize {
        let mut taken = 0;
        for byte in bytes {
            match self {
                Self::Done => break,
                Self::ExpectLength { word, known } => {
                    if let Some(place) = word.get_mut(*known) {
                        *place = *byte;
                    }
                    *known += 1;
                    if *known == word.len() {
                        let length = usize::try_from(u32::from_be_bytes(*word));
                        let rest = length.unwrap_or_default().saturating_sub(word.len());
                        *self = Self::after(rest);
                    }
                }
                Self::ExpectRest(rest) => *self = Self::after(rest.saturating_sub(1)),
            }
            taken += 1;
        }
        taken
    }

    fn after(rest: usize) -> Self {
        if rest == 0 {
            Self::Done
        } else {
            Self::ExpectRest(rest)
        }
    }
}

impl AsyncRead for ReplayedLogin {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let own = self.get_mut();
        if own.said.is_empty() {
            return Pin::new(&mut own.stream).poll_read(context, buffer);
        }
        let count = own.said.len().min(buffer.remaining());
        buffer.put_slice(own.said.get(..count).unwrap_or_default());
        own.said.advance(count);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for ReplayedLogin {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let own = self.get_mut();
        match own.greeting.take(bytes) {
            0 => Pin::new(&mut own.stream).poll_write(context, bytes),
            taken => Poll::Ready(Ok(taken)),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

/// AuthenticationOk, and ReadyForQuery outside of a transaction.
const WELCOME: &[u8] = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_first_message_goes_nowhere() {
        let text = b"\0\0\0\x08abcdQ\0\0\0\x05\0";
        for cut in 0..text.len() {
            let (one, two) = text.split_at(cut);
            let mut greeting = StartupReceived::ExpectLength {
                word: [0; 4],
                known: 0,
            };
            let taken = greeting.take(one);
            let rest = if taken == one.len() {
                greeting.take(two)
            } else {
                0
            };
            assert_eq!(taken + rest, 8, "cut at {cut}");
        }
    }
}
