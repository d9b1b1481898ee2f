//! A stream whose peer has to take what it is sent.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream that fails when its peer takes nothing for too long.
#[derive(Debug)]
pub struct StallingStream<S> {
    stream: S,
    patience: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> StallingStream<S> {
    /// A stream whose peer may take nothing for so long while something is written.
    pub fn new(stream: S, patience: Duration) -> Self {
        Self {
            stream,
            patience,
            stalled: None,
        }
    }

    /// The stream itself.
    pub fn into_inner(self) -> S {
        self.stream
    }

    /// Holds a write against the time that a peer may take.
    fn judge<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let patience = self.patience;
        let stalled = self
            .stalled
            .get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for StallingStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for StallingStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test]
    async fn who_takes_nothing_is_cut_and_who_is_slow_is_not() {
        let patience = Duration::from_millis(200);
        let (near, mut far) = tokio::io::duplex(16);
        let mut near = StallingStream::new(near, patience);
        let slow = tokio::spawn(async move {
            for _ in 0..16 {
                sleep(Duration::from_millis(40)).await;
                far.read_exact(&mut [0; 8]).await.unwrap();
            }
            far
        });
        near.write_all(&[0; 128]).await.unwrap();
        let far = slow.await.unwrap();
        let error = near.write_all(&[0; 128]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        drop(far);
    }
}
