//! Ports that no other test of this program has.

use std::net::TcpListener;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU16, Ordering};

use pgsieve::demo::cluster::random_name;

/// Below what Linux gives out by itself, and apart from where pgsieve looks for a cluster's port.
const FIRST: u16 = 24_000;
const COUNT: u16 = 8_768;

/// Begins anywhere, so that two programs of tests that run at once seldom meet.
static NEXT: LazyLock<AtomicU16> = LazyLock::new(|| {
    let name = random_name().unwrap();
    AtomicU16::new(u16::from_str_radix(&name[..4], 16).unwrap() % COUNT)
});

/// A port of 127.0.0.1 that is free. It is given out once in 8,768 times: whoever draws one and is
/// slow to bind it finds it free still.
pub fn free_port() -> u16 {
    loop {
        let turn = |at: u16| Some((at + 1) % COUNT);
        let next = NEXT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, turn);
        let port = FIRST + next.unwrap();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}
