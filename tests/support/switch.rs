//! One address behind which servers come and go: a failover, a change of DNS, a balancer.

use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// The address. Its threads end with the program.
pub struct Switch {
    address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    /// Where new connections go, in turn; nowhere where there is none.
    ports: Vec<u16>,
    accepted: usize,
    /// Both ends of every connection that was ever made.
    open: Vec<(TcpStream, TcpStream)>,
}

impl Switch {
    /// Leads to these ports of this host, in turn.
    pub fn to(ports: &[u16]) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Mutex::new(Shared {
            ports: ports.to_vec(),
            ..Shared::default()
        }));
        let own = Arc::clone(&shared);
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                connect(near, &own);
            }
        });
        Self { address, shared }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Leads new connections there from now on; those that are open stay where they are.
    pub fn lead(&self, ports: &[u16]) {
        self.shared.lock().unwrap().ports = ports.to_vec();
    }

    /// Cuts every connection.
    pub fn cut(&self) {
        for (near, far) in self.shared.lock().unwrap().open.drain(..) {
            let _ = near.shutdown(Shutdown::Both);
            let _ = far.shutdown(Shutdown::Both);
        }
    }
}

fn connect(near: TcpStream, shared: &Mutex<Shared>) {
    let mut shared = shared.lock().unwrap();
    let turn = shared.accepted;
    shared.accepted += 1;
    let Some(port) = shared.ports.get(turn % shared.ports.len().max(1)) else {
        return;
    };
    let Ok(far) = TcpStream::connect(("127.0.0.1", *port)) else {
        return;
    };
    for stream in [&near, &far] {
        stream.set_nodelay(true).unwrap();
    }
    for (from, to) in [(&near, &far), (&far, &near)] {
        let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
        thread::spawn(move || {
            let _ = std::io::copy(&mut from, &mut to);
            let _ = from.shutdown(Shutdown::Both);
            let _ = to.shutdown(Shutdown::Both);
        });
    }
    shared.open.push((near, far));
}
