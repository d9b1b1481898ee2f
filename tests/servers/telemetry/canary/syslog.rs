//! A syslog that keeps every byte it is sent, up to the last client's.

use std::net::{SocketAddr, UdpSocket};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::LAST;
use super::search::Sink;

/// Takes datagrams until one names the last client.
pub struct Syslog {
    address: SocketAddr,
    keeping: JoinHandle<Vec<u8>>,
}

impl Syslog {
    /// On a port of its own.
    pub fn start() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let wait = Some(Duration::from_secs(2));
        socket.set_read_timeout(wait).unwrap();
        let address = socket.local_addr().unwrap();
        let keeping = thread::spawn(move || keep(&socket));
        Self { address, keeping }
    }

    /// Where to send lines to.
    pub fn url(&self) -> String {
        format!("syslog+udp://{}", self.address)
    }

    /// All that came.
    pub fn kept(self) -> Sink {
        Sink::new("syslog", self.keeping.join().unwrap())
    }
}

fn keep(socket: &UdpSocket) -> Vec<u8> {
    let (mut kept, mut datagram) = (Vec::new(), vec![0; 65_536]);
    let end = Instant::now() + Duration::from_secs(120);
    let mut ending = false;
    while !ending && Instant::now() < end {
        if let Ok(length) = socket.recv(&mut datagram) {
            ending = String::from_utf8_lossy(&datagram[..length]).contains(LAST);
            kept.extend(&datagram[..length]);
            kept.push(b'\n');
        }
    }
    kept
}
