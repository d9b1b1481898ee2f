//! One read or write of a socket that may not be ready, and the buffer that is read into.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::limits;
use crate::net::stream::PeerStream;

/// A buffer for reads, shared by the sessions of one worker thread; never held across a wait.
pub type ReadBuffer = Arc<Mutex<Box<[u8]>>>;

/// A fresh buffer for one worker.
pub fn scratch() -> ReadBuffer {
    Arc::new(Mutex::new(vec![0; limits::READ_BYTES].into_boxed_slice()))
}

/// Bytes that the socket had; none at its end.
pub(in crate::session) fn read(
    stream: &mut (impl AsyncRead + Unpin),
    context: &mut Context<'_>,
    buffer: &mut [u8],
) -> Poll<io::Result<usize>> {
    let mut buffer = ReadBuf::new(buffer);
    match Pin::new(stream).poll_read(context, &mut buffer) {
        Poll::Ready(Ok(())) => Poll::Ready(Ok(buffer.filled().len())),
        Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
        Poll::Pending => Poll::Pending,
    }
}

/// Bytes that the client's socket took; none when it is not ready.
pub(in crate::session) fn write(
    stream: &mut PeerStream,
    context: &mut Context<'_>,
    bytes: &[u8],
) -> io::Result<usize> {
    match Pin::new(stream).poll_write(context, bytes) {
        Poll::Ready(Ok(0)) => Err(io::ErrorKind::WriteZero.into()),
        Poll::Ready(Ok(written)) => Ok(written),
        Poll::Ready(Err(error)) => Err(error),
        Poll::Pending => Ok(0),
    }
}
