//! Syslog receivers: each line is one message of RFC 5424 with the JSON line as its text.
//!
//! <https://www.rfc-editor.org/rfc/rfc5424>, over a Unix or UDP datagram (RFC 5426), or over TCP
//! with its length in front (RFC 6587, 3.4.1). None of these is acknowledged: what a receiver has
//! taken from the socket and then lost is lost, and only `audit verify` of what it has kept shows
//! it. Receivers may cut messages beyond 2,048 bytes; those that are to keep the chain must not.

use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs, UdpSocket};
use std::os::unix::net::UnixDatagram;

use super::copy_name::host_name;
use super::settings::SyslogAddress;
use crate::limits::AUDIT_SYSLOG_TIME_MAX;

/// One receiver.
pub struct SyslogReceiver {
    place: SyslogAddress,
    /// What stands between the time and the text of every message.
    origin: String,
    wire: Option<SyslogSocket>,
    message: Vec<u8>,
}

/// An open way to it.
enum SyslogSocket {
    Unix(UnixDatagram),
    Udp(UdpSocket),
    Tcp(TcpStream),
}

impl SyslogReceiver {
    /// A receiver that is not connected to yet.
    pub fn new(place: SyslogAddress) -> Self {
        Self::of(place, "audit")
    }

    /// The same for lines of the log.
    pub fn for_log(place: SyslogAddress) -> Self {
        Self::of(place, "log")
    }

    fn of(place: SyslogAddress, kind: &str) -> Self {
        let pid = std::process::id();
        Self {
            place,
            origin: format!(" {} pgsieve {pid} {kind} - ", host_name()),
            wire: None,
            message: Vec::new(),
        }
    }

    /// Where it is.
    pub fn place(&self) -> &SyslogAddress {
        &self.place
    }

    /// Sends one line, given without its newline. On an error the next call begins anew with it.
    ///
    /// # Errors
    /// Nobody listens at the socket, or it takes no more.
    pub fn send(&mut self, line: &str) -> io::Result<()> {
        self.compose(line);
        let mut wire = match self.wire.take() {
            Some(wire) => wire,
            None => SyslogSocket::connect(&self.place)?,
        };
        match wire.send(&self.message) {
            // No receiver would ever take it: the chain shows that it is missing there.
            Err(error) if is_too_long(&error) => {}
            sent => sent?,
        }
        self.wire = Some(wire);
        Ok(())
    }

    fn compose(&mut self, line: &str) {
        let header = [PRIORITY_AND_VERSION, time_of(line), &self.origin];
        let text = header.concat();
        self.message.clear();
        if matches!(self.place, SyslogAddress::Tcp(_)) {
            let length = text.len() + line.len();
            self.message
                .extend_from_slice(format!("{length} ").as_bytes());
        }
        self.message.extend_from_slice(text.as_bytes());
        self.message.extend_from_slice(line.as_bytes());
    }
}

impl SyslogSocket {
    fn connect(place: &SyslogAddress) -> io::Result<Self> {
        let patience = Some(AUDIT_SYSLOG_TIME_MAX);
        Ok(match place {
            SyslogAddress::Socket(path) => {
                let socket = UnixDatagram::unbound()?;
                socket.connect(path)?;
                socket.set_write_timeout(patience)?;
                Self::Unix(socket)
            }
            SyslogAddress::Udp(address) => {
                let address = resolve(address)?;
                let any = match address {
                    SocketAddr::V4(_) => "0.0.0.0:0",
                    SocketAddr::V6(_) => "[::]:0",
                };
                let socket = UdpSocket::bind(any)?;
                socket.connect(address)?;
                socket.set_write_timeout(patience)?;
                Self::Udp(socket)
            }
            SyslogAddress::Tcp(address) => {
                let stream = TcpStream::connect_timeout(&resolve(address)?, AUDIT_SYSLOG_TIME_MAX)?;
                stream.set_write_timeout(patience)?;
                Self::Tcp(stream)
            }
        })
    }

    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        match self {
            Self::Unix(socket) => socket.send(message).map(drop),
            Self::Udp(socket) => socket.send(message).map(drop),
            Self::Tcp(stream) => stream.write_all(message),
        }
    }
}

fn resolve(address: &str) -> io::Result<SocketAddr> {
    let mut found = address.to_socket_addrs()?;
    found.next().ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// EMSGSIZE; the standard library has no name for it.
fn is_too_long(error: &io::Error) -> bool {
    error.raw_os_error() == Some(MESSAGE_TOO_LONG)
}

/// The time that a line says: it is what RFC 5424 wants.
fn time_of(line: &str) -> &str {
    let time = line.split_once("\"time\":\"").map(|(_, rest)| rest);
    time.and_then(|rest| rest.split_once('"'))
        .map_or("-", |(time, _)| time)
}

/// Facility 13 (log audit), severity 6 (informational), version 1 of the format.
const PRIORITY_AND_VERSION: &str = "<110>1 ";

/// EMSGSIZE of Linux and of the BSDs.
const MESSAGE_TOO_LONG: i32 = if cfg!(target_os = "linux") { 90 } else { 40 };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_the_line_in_it_byte_for_byte() {
        let line = r#"{"v":2,"time":"2026-01-02T03:04:05.678901Z","event":"login"}"#;
        let mut syslog = SyslogReceiver::new(SyslogAddress::Tcp("h:1".into()));
        syslog.origin = " host pgsieve 7 audit - ".into();
        syslog.compose(line);
        let message = format!("<110>1 2026-01-02T03:04:05.678901Z host pgsieve 7 audit - {line}");
        let framed = format!("{} {message}", message.len());
        assert_eq!(String::from_utf8_lossy(&syslog.message), framed);
        syslog.place = SyslogAddress::Udp("h:1".into());
        syslog.compose(line);
        assert_eq!(String::from_utf8_lossy(&syslog.message), message);
        assert_eq!(time_of("{}"), "-");
    }
}
