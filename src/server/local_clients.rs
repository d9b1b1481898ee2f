//! Clients within this process: they arrive over a pair of sockets that nobody else knows, and are
//! served like every other client.

use std::io;
use std::os::unix::net::UnixStream as StdUnixStream;

use tokio::net::UnixStream;
use tokio::sync::mpsc;

use super::listener::{AcceptedStream, LocalArrival};

/// The way for clients within this process. Cheap to clone.
#[derive(Clone, Debug)]
pub struct LocalClients {
    accepted: mpsc::Sender<AcceptedStream>,
}

impl LocalClients {
    /// To whoever takes these clients.
    pub(super) fn to(accepted: mpsc::Sender<AcceptedStream>) -> Self {
        Self { accepted }
    }

    /// A new client's end; it has to log in as any other.
    ///
    /// # Errors
    /// The system has no sockets left, too many clients wait to be accepted, or the server has
    /// ended.
    pub fn connect(&self, arrival: LocalArrival) -> io::Result<UnixStream> {
        let (near, far) = StdUnixStream::pair()?;
        near.set_nonblocking(true)?;
        far.set_nonblocking(true)?;
        let near = UnixStream::from_std(near)?;
        let sent = self.accepted.try_send(AcceptedStream::Mcp(far, arrival));
        sent.map_err(|_full| io::Error::from(io::ErrorKind::ConnectionRefused))?;
        Ok(near)
    }
}
