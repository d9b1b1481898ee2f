//! The places where clients arrive: TCP addresses and Unix sockets.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::{TcpListener, UnixListener};

use crate::limits;
use crate::net::stream::{PeerAddress, PeerStream, set_options};
use crate::session::login::AdmittedCaller;

/// One place to listen at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BindAddress {
    /// A TCP address; port 0 lets the system choose.
    Tcp(SocketAddr),
    /// The path of a Unix socket.
    Unix(PathBuf),
}

/// A bound listener.
#[derive(Debug)]
pub enum Listener {
    /// On TCP.
    Tcp(TcpListener),
    /// On a Unix socket, removed on drop.
    Unix(UnixListener, PathBuf),
}

/// A client that was accepted, and is to be served on the same thread or on another.
#[derive(Debug)]
pub enum AcceptedStream {
    /// Registered with the runtime of the thread that has accepted it.
    Here(PeerStream, PeerAddress),
    /// Over TCP.
    Tcp(TcpStream, SocketAddr),
    /// Over a Unix socket.
    Unix(std::os::unix::net::UnixStream),
    /// Of a caller of this process's MCP server.
    Mcp(std::os::unix::net::UnixStream, LocalArrival),
}

/// A caller of this process's MCP server, as it arrives.
#[derive(Clone, Debug, Default)]
pub struct LocalArrival {
    /// Where it comes from; none where it has started this process.
    pub from: Option<SocketAddr>,
    /// Who it is, where it has proved that already.
    pub caller: Option<Arc<AdmittedCaller>>,
}

impl Listener {
    /// Starts to listen.
    ///
    /// # Errors
    /// The system's: the address is taken, not local, or not allowed.
    pub fn bind(place: &BindAddress) -> io::Result<Self> {
        match place {
            BindAddress::Tcp(address) => bind_tcp(*address).map(Self::Tcp),
            BindAddress::Unix(path) => {
                remove_stale(path)?;
                let listener = UnixListener::bind(path)?;
                std::fs::set_permissions(path, std::fs::Permissions::from_mode(SOCKET_MODE))?;
                Ok(Self::Unix(listener, path.clone()))
            }
        }
    }

    /// Where it listens, for the log: with the port that the system chose.
    pub fn describe(&self) -> String {
        match self {
            Self::Tcp(listener) => match listener.local_addr() {
                Ok(address) => address.to_string(),
                Err(_) => "an unknown address".to_owned(),
            },
            Self::Unix(_, path) => path.display().to_string(),
        }
    }

    /// The next client, as soon as there is one.
    ///
    /// # Errors
    /// The system's; most pass by themselves (a client that left again, no descriptor free).
    pub fn poll_accept(&self, context: &mut Context<'_>) -> Poll<io::Result<AcceptedStream>> {
        match self {
            Self::Tcp(listener) => {
                let (stream, address) = ready!(listener.poll_accept(context))?;
                let stream = PeerStream::accepted(stream)?;
                Poll::Ready(Ok(AcceptedStream::Here(stream, PeerAddress::Tcp(address))))
            }
            Self::Unix(listener, _) => {
                let (stream, _) = ready!(listener.poll_accept(context))?;
                let stream = PeerStream::Unix(stream);
                Poll::Ready(Ok(AcceptedStream::Here(stream, PeerAddress::Unix)))
            }
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Self::Unix(_, path) = self
            && std::fs::remove_file(path).is_err()
        {
            // Somebody else removed it.
        }
    }
}

impl AcceptedStream {
    /// Where it comes from.
    pub fn peer(&self) -> PeerAddress {
        match self {
            Self::Here(_, peer) => *peer,
            Self::Tcp(_, address) => PeerAddress::Tcp(*address),
            Self::Unix(_) => PeerAddress::Unix,
            Self::Mcp(_, arrival) => PeerAddress::Mcp(arrival.from),
        }
    }

    /// Who has been let in already, by the MCP server.
    pub fn caller(&self) -> Option<Arc<AdmittedCaller>> {
        match self {
            Self::Here(..) | Self::Tcp(..) | Self::Unix(_) => None,
            Self::Mcp(_, arrival) => arrival.caller.clone(),
        }
    }

    /// The socket without the runtime of the thread that has accepted it.
    ///
    /// # Errors
    /// The system's.
    pub fn detach(self) -> io::Result<Self> {
        Ok(match self {
            Self::Here(PeerStream::Tcp(stream), PeerAddress::Tcp(address)) => {
                Self::Tcp(stream.into_std()?, address)
            }
            Self::Here(PeerStream::Unix(stream), _) => Self::Unix(stream.into_std()?),
            other => other,
        })
    }

    /// Registers the socket with the runtime of the calling thread.
    ///
    /// # Errors
    /// The system's.
    pub fn adopt(self) -> io::Result<(PeerStream, PeerAddress)> {
        match self {
            Self::Here(stream, peer) => Ok((stream, peer)),
            Self::Tcp(stream, address) => {
                let stream = PeerStream::accepted(tokio::net::TcpStream::from_std(stream)?)?;
                Ok((stream, PeerAddress::Tcp(address)))
            }
            Self::Unix(stream) => {
                let stream = tokio::net::UnixStream::from_std(stream)?;
                Ok((PeerStream::Unix(stream), PeerAddress::Unix))
            }
            Self::Mcp(stream, arrival) => {
                let stream = tokio::net::UnixStream::from_std(stream)?;
                Ok((PeerStream::Unix(stream), PeerAddress::Mcp(arrival.from)))
            }
        }
    }
}

fn bind_tcp(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(
        Domain::for_address(address),
        Type::STREAM,
        Some(Protocol::TCP),
    )?;
    socket.set_reuse_address(true)?;
    // Those of who is accepted here: five calls less for each.
    set_options(&socket)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(limits::LISTEN_BACKLOG)?;
    TcpListener::from_std(socket.into())
}

/// A socket file that nobody listens on any more is in the way after a crash.
fn remove_stale(path: &Path) -> io::Result<()> {
    let is_socket = std::fs::metadata(path).is_ok_and(|found| found.file_type().is_socket());
    if is_socket && std::os::unix::net::UnixStream::connect(path).is_err() {
        std::fs::remove_file(path)?;
    }
    Ok(())
}

/// Everybody on the machine may connect, as with Postgres's own socket; login decides the rest.
const SOCKET_MODE: u32 = 0o777;

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use socket2::SockRef;

    use super::*;

    #[tokio::test]
    async fn who_is_accepted_has_the_options_of_a_peer() {
        let place = BindAddress::Tcp("127.0.0.1:0".parse().unwrap());
        let listener = Listener::bind(&place).unwrap();
        let far = std::net::TcpStream::connect(listener.describe()).unwrap();
        let accepted = poll_fn(|context| listener.poll_accept(context)).await;
        let (near, _) = accepted.unwrap().adopt().unwrap();
        let PeerStream::Tcp(near) = near else {
            panic!("TCP");
        };
        let socket = SockRef::from(&near);
        assert!(socket.tcp_nodelay().unwrap() && socket.keepalive().unwrap());
        assert_eq!(socket.tcp_keepalive_time().unwrap(), limits::KEEPALIVE_IDLE);
        assert_eq!(
            socket.tcp_keepalive_interval().unwrap(),
            limits::KEEPALIVE_PAUSE
        );
        assert_eq!(
            socket.tcp_keepalive_retries().unwrap(),
            limits::KEEPALIVE_PROBES_MAX
        );
        drop(far);
    }
}
