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
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tokio::time::Instant;

    const PATIENCE: Duration = Duration::from_secs(60);

    /// Both ends of a pipe that holds 16 bytes.
    fn pipe() -> (StallingStream<DuplexStream>, DuplexStream) {
        let (near, far) = duplex(16);
        (StallingStream::new(near, PATIENCE), far)
    }

    #[tokio::test(start_paused = true)]
    async fn who_takes_nothing_is_cut_when_patience_ends() {
        let (mut near, far) = pipe();
        let begun = Instant::now();
        let error = near.write_all(&[0; 128]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        let waited = begun.elapsed();
        let slack = Duration::from_millis(10);
        assert!((PATIENCE..PATIENCE + slack).contains(&waited), "{waited:?}");
        drop(far);
    }

    #[tokio::test(start_paused = true)]
    async fn who_takes_a_byte_in_time_is_waited_for_anew() {
        let (mut near, mut far) = pipe();
        let begun = Instant::now();
        let slow = tokio::spawn(async move {
            for _ in 0..128 {
                sleep(PATIENCE - Duration::from_secs(1)).await;
                far.read_exact(&mut [0]).await.unwrap();
            }
            far
        });
        near.write_all(&[0; 128]).await.unwrap();
        assert!(begun.elapsed() > PATIENCE * 100, "{:?}", begun.elapsed());
        let far = slow.await.unwrap();
        // What was waited for before is not held against what is written next.
        near.write_all(&[0; 16]).await.unwrap();
        let error = near.write_all(&[0]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        drop(far);
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_sent_nothing_is_never_cut() {
        let (mut near, mut far) = pipe();
        near.write_all(&[1; 16]).await.unwrap();
        sleep(PATIENCE * 10).await;
        far.read_exact(&mut [0; 16]).await.unwrap();
        near.write_all(&[2; 16]).await.unwrap();
        far.write_all(&[3]).await.unwrap();
        assert_eq!(near.read_u8().await.unwrap(), 3);
    }
}
