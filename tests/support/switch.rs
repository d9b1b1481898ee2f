//! One address behind which servers come and go: a failover, a change of DNS, a balancer.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

/// The address. Its threads end with the program.
pub struct Switch {
    address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
    held: Arc<Held>,
}

/// Whether bytes go through.
#[derive(Default)]
struct Held {
    is_held: Mutex<bool>,
    changed: Condvar,
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
        let held = Arc::<Held>::default();
        let (own, holds) = (Arc::clone(&shared), Arc::clone(&held));
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                connect(near, &own, &holds);
            }
        });
        Self {
            address,
            shared,
            held,
        }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Leads new connections there from now on; those that are open stay where they are.
    pub fn lead(&self, ports: &[u16]) {
        self.shared.lock().unwrap().ports = ports.to_vec();
    }

    /// Nothing goes through in either direction, and nobody is told so: the network is parted. What
    /// was sent meanwhile arrives when it is whole again.
    pub fn hold(&self, is_held: bool) {
        *self.held.is_held.lock().unwrap() = is_held;
        self.held.changed.notify_all();
    }

    /// Cuts every connection.
    pub fn cut(&self) {
        for (near, far) in self.shared.lock().unwrap().open.drain(..) {
            let _ = near.shutdown(Shutdown::Both);
            let _ = far.shutdown(Shutdown::Both);
        }
    }
}

impl Held {
    /// Waits until bytes go through.
    fn until_open(&self) {
        let is_held = self.is_held.lock().unwrap();
        drop(self.changed.wait_while(is_held, |held| *held).unwrap());
    }

    fn carry(&self, from: &mut TcpStream, to: &mut TcpStream) {
        let mut bytes = [0; 16 * 1024];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            self.until_open();
            if to.write_all(&bytes[..count]).is_err() {
                return;
            }
        }
    }
}

fn connect(near: TcpStream, shared: &Mutex<Shared>, held: &Arc<Held>) {
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
        let held = Arc::clone(held);
        thread::spawn(move || {
            held.carry(&mut from, &mut to);
            let _ = from.shutdown(Shutdown::Both);
            let _ = to.shutdown(Shutdown::Both);
        });
    }
    shared.open.push((near, far));
}
