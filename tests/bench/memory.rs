//! What a large result and a thousand idle clients leave in pgsieve's memory, and in PgBouncer's.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use pgsieve::wire::encode;
use pgsieve::wire::startup::ProtocolVersion;

use crate::machine::memory_mib;
use crate::peers::{Peers, Target};

/// Prints the figures.
pub fn report(peers: &Peers) {
    let pid = peers.pid(Target::Pgsieve).expect("pgsieve runs");
    println!("memory: {:.1} MiB before", memory_mib(pid, "VmRSS"));
    let bytes = large_result(peers);
    println!(
        "memory: {:.1} MiB after a result of {} MB, {:.1} MiB at most so far",
        memory_mib(pid, "VmRSS"),
        bytes / 1_000_000,
        memory_mib(pid, "VmHWM")
    );
    // PgBouncer keeps its sessions with the server when its clients are gone: it is the last.
    idle(peers, Target::Pgsieve);
    sleep(PARTING);
    idle(peers, Target::PgBouncer);
}

/// Prints what idle clients take, each after one statement, and what each one more takes: from the
/// first hundred on, with which a process takes what it needs once.
fn idle(peers: &Peers, way: Target) {
    let pid = peers.pid(way).expect("it runs");
    let mut clients: Vec<TcpStream> = Vec::with_capacity(IDLE_CLIENTS);
    clients.extend((0..FIRST_CLIENTS).map(|_| client(peers, way)));
    let few = memory_mib(pid, "VmRSS");
    clients.extend((FIRST_CLIENTS..IDLE_CLIENTS).map(|_| client(peers, way)));
    let all = memory_mib(pid, "VmRSS");
    let more = u32::try_from(IDLE_CLIENTS - FIRST_CLIENTS).unwrap();
    println!(
        "memory: {way:?} {all:.1} MiB with {} idle clients, each after one statement; {:.1} kB for \
         each one more; {:.1} MiB at most so far",
        clients.len(),
        (all - few) * 1_048.576 / f64::from(more),
        memory_mib(pid, "VmHWM")
    );
}

/// Prints what a result of a gigabyte leaves.
pub fn report_gigabyte(peers: &Peers) {
    println!("a result of 1 GB in rows of 1 kB\n");
    println!("| way | memory before, MiB | behind it | at most | s |");
    println!("|---|---|---|---|---|");
    for way in peers.targets("simple") {
        let Some(pid) = peers.pid(way) else {
            continue;
        };
        let mut client = client(peers, way);
        let (before, since) = (memory_mib(pid, "VmRSS"), Instant::now());
        query(
            &mut client,
            "SELECT repeat('x', 1000) FROM generate_series(1, 1000000)",
        );
        println!(
            "| {} | {before:.1} | {:.1} | {:.1} | {:.1} |",
            way.name(),
            memory_mib(pid, "VmRSS"),
            memory_mib(pid, "VmHWM"),
            since.elapsed().as_secs_f64()
        );
    }
    println!();
}

fn large_result(peers: &Peers) -> usize {
    let mut client = client(peers, Target::Pgsieve);
    query(
        &mut client,
        "SELECT repeat('x', 1000) FROM generate_series(1, 100000)",
    )
}

/// A client that has had the answer to one statement.
pub fn client(peers: &Peers, way: Target) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", peers.port(way))).unwrap();
    let mut start = BytesMut::new();
    let settings = [("user", peers.user()), ("database", "postgres")];
    encode::startup(&mut start, ProtocolVersion::V3_0, settings).unwrap();
    stream.write_all(&start).unwrap();
    until_ready(&mut stream);
    query(&mut stream, "SELECT 1");
    stream
}

fn query(stream: &mut TcpStream, text: &str) -> usize {
    let mut message = BytesMut::new();
    encode::query(&mut message, text).unwrap();
    stream.write_all(&message).unwrap();
    until_ready(stream)
}

/// Reads until ReadyForQuery; returns how many bytes that were.
pub fn until_ready(stream: &mut TcpStream) -> usize {
    let mut total = 0;
    let mut body = Vec::new();
    loop {
        let mut header = [0; 5];
        stream.read_exact(&mut header).unwrap();
        let length = u32::from_be_bytes([header[1], header[2], header[3], header[4]]);
        body.resize(usize::try_from(length).unwrap() - 4, 0);
        stream.read_exact(&mut body).unwrap();
        total += 5 + body.len();
        assert_ne!(header[0], b'E', "{}", String::from_utf8_lossy(&body));
        if header[0] == b'Z' {
            return total;
        }
    }
}

/// As many as the target names.
const IDLE_CLIENTS: usize = 1_000;

/// After these no buffer of the whole process grows any more.
const FIRST_CLIENTS: usize = 100;

/// Time for a thousand sessions to end at the server.
const PARTING: Duration = Duration::from_secs(3);
