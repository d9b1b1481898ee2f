//! An upstream that has no room or is not there for a moment: the client waits that moment and
//! hears nothing of it.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pgsieve::limits;

use crate::login::support::{PASSWORD, Setup, Sieve, cluster, psql, text};

/// A door before the cluster that is opened late, and turns the first ones away.
struct Door {
    address: SocketAddr,
    knocks: Arc<AtomicU32>,
}

impl Door {
    /// Opens after that time and answers as many with that code.
    fn new(opens_after: Duration, refusals: u32, code: &'static str) -> Self {
        let reserved = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = reserved.local_addr().unwrap();
        let knocks = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&knocks);
        let target = SocketAddr::from(([127, 0, 0, 1], cluster().port()));
        let listener = if opens_after.is_zero() {
            Some(reserved)
        } else {
            drop(reserved);
            None
        };
        thread::spawn(move || {
            thread::sleep(opens_after);
            let listener = listener.unwrap_or_else(|| TcpListener::bind(address).unwrap());
            for client in listener.incoming() {
                let client = client.unwrap();
                let knock = counted.fetch_add(1, Ordering::Relaxed);
                if knock < refusals {
                    refuse(client, code);
                } else {
                    join(client, TcpStream::connect(target).unwrap());
                }
            }
        });
        Self { address, knocks }
    }

    fn sieve(&self) -> Sieve {
        Sieve::start(Setup {
            upstream: format!("postgres://{}/?sslmode=disable", self.address),
            ..Setup::plain()
        })
    }

    fn knocks(&self) -> u32 {
        self.knocks.load(Ordering::Relaxed)
    }
}

#[test]
fn a_full_or_starting_upstream_is_asked_again() {
    for code in ["53300", "57P03"] {
        let door = Door::new(Duration::ZERO, 2, code);
        let sieve = door.sieve();
        sieve.check_in(&sieve.target("scramy", ""), PASSWORD, "scramy");
        assert_eq!(door.knocks(), 3, "{code}");
        sieve.check_metric(&["logins", "passthrough", "accepted"], 1.0);
    }
}

#[test]
fn an_upstream_that_is_there_a_moment_later_is_waited_for() {
    let door = Door::new(Duration::from_millis(200), 0, "");
    let sieve = door.sieve();
    sieve.check_in(&sieve.target("scramy", ""), PASSWORD, "scramy");
    assert_eq!(door.knocks(), 1);
}

#[test]
fn waiting_has_an_end_and_the_client_hears_why() {
    let door = Door::new(Duration::ZERO, u32::MAX, "53300");
    let sieve = door.sieve();
    let began = Instant::now();
    sieve.check_out(
        &sieve.target("scramy", ""),
        PASSWORD,
        "no room, says the door",
    );
    assert!(began.elapsed() < Duration::from_secs(10));
    assert_eq!(door.knocks(), 1 + limits::UPSTREAM_LOGIN_RETRIES_MAX);
}

#[test]
fn what_does_not_pass_is_told_at_once() {
    let door = Door::new(Duration::ZERO, u32::MAX, "28P01");
    let sieve = door.sieve();
    sieve.check_out(
        &sieve.target("scramy", ""),
        PASSWORD,
        "no room, says the door",
    );
    assert_eq!(door.knocks(), 1);
}

/// The server says that there is no room only after the password was right: it is not asked twice.
#[test]
fn a_place_that_becomes_free_is_taken() {
    let admin = cluster().admin_url("postgres");
    let role = "CREATE ROLE guest LOGIN PASSWORD 'x' CONNECTION LIMIT 1";
    assert!(psql(&admin, "", role).status.success());
    let guest = cluster().url("guest", "x", "postgres");
    // Sits there until its input ends.
    let mut sits = Command::new("psql")
        .args(["-X", "-d", &guest])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'guest'";
    let is_in = || text(&psql(&admin, "", waits).stdout) == "1";
    assert!((0..500).any(|_| is_in()), "the guest is not in");
    let sieve = Sieve::start(Setup::plain());
    let leaves = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        drop(sits.stdin.take());
        assert!(sits.wait().unwrap().success());
    });
    sieve.check_in(&sieve.target("guest", ""), "x", "guest");
    leaves.join().unwrap();
}

/// Reads the startup packet and says no.
fn refuse(mut client: TcpStream, code: &str) {
    let mut packet = [0_u8; 4096];
    let _read = client.read(&mut packet).unwrap();
    let body = format!("SFATAL\0VFATAL\0C{code}\0Mno room, says the door\0\0");
    let length = u32::try_from(body.len() + 4).unwrap();
    let mut message = vec![b'E'];
    message.extend_from_slice(&length.to_be_bytes());
    message.extend_from_slice(body.as_bytes());
    client.write_all(&message).unwrap();
    let _ = client.shutdown(Shutdown::Both);
}

/// Copies both ways until one side ends.
fn join(client: TcpStream, server: TcpStream) {
    for (mut from, mut to) in [
        (client.try_clone().unwrap(), server.try_clone().unwrap()),
        (server, client),
    ] {
        thread::spawn(move || {
            let _ = std::io::copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Both);
        });
    }
}
