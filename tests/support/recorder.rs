//! A relay in front of Postgres that remembers what was sent to it, and how.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// The relay. It ends with the process.
pub struct Recorder {
    address: SocketAddr,
    connections: Arc<Mutex<Vec<Recorded>>>,
}

/// What was sent on one connection.
#[derive(Clone, Default)]
pub struct Recorded {
    /// All bytes to the server.
    pub sent: Vec<u8>,
    /// How often the direction changed from the server back to us: the round trips.
    pub turns: usize,
    talking: bool,
}

impl Recorder {
    /// A relay to a port of this host.
    pub fn start(port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let connections: Arc<Mutex<Vec<Recorded>>> = Arc::default();
        let shared = Arc::clone(&connections);
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                let far = TcpStream::connect(("127.0.0.1", port)).unwrap();
                for stream in [&near, &far] {
                    stream.set_nodelay(true).unwrap();
                }
                let place = {
                    let mut all = shared.lock().unwrap();
                    all.push(Recorded::default());
                    all.len() - 1
                };
                for (from, to, to_server) in [(&near, &far, true), (&far, &near, false)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let shared = Arc::clone(&shared);
                    thread::spawn(move || carry(from, to, &shared, (place, to_server)));
                }
            }
        });
        Self {
            address,
            connections,
        }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What was sent on the connections whose startup packet holds a word.
    pub fn of(&self, word: &str) -> Vec<Recorded> {
        let holds = |one: &&Recorded| {
            let length = one.sent.get(..4).map_or(0, |word| {
                u32::from_be_bytes(word.try_into().unwrap())
                    .try_into()
                    .unwrap()
            });
            let startup = one.sent.get(..length).unwrap_or_default();
            String::from_utf8_lossy(startup).contains(word)
        };
        let all = self.connections.lock().unwrap();
        all.iter().filter(holds).cloned().collect()
    }
}

fn carry(
    mut from: TcpStream,
    mut to: TcpStream,
    connections: &Mutex<Vec<Recorded>>,
    (place, to_server): (usize, bool),
) {
    let mut buffer = [0; 65_536];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let mut all = connections.lock().unwrap();
        let one = &mut all[place];
        if to_server {
            one.sent.extend_from_slice(&buffer[..count]);
            one.turns += usize::from(!one.talking);
        }
        one.talking = to_server;
        drop(all);
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    drop(to.shutdown(std::net::Shutdown::Write));
}
