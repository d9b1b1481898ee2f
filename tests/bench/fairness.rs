//! What ordinary sessions feel beside hostile ones, through each of the three ways to the same
//! Postgres: eight that send a simple SELECT every five milliseconds, without and with eight that
//! flood. Postgres and everything else are on the same cores, so a flood loads them whatever way it
//! comes: the figures to compare are those of one row of a table.
//!
//! A flooder writes as fast as its socket takes and reads as fast as it gives, so it hides nothing
//! in queues of its own.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use pgsieve::wire::encode;
use pgsieve::wire::frontend::ParameterOids;
use pgsieve::wire::startup::ProtocolVersion;

use crate::peers::{Peers, Target};

/// How much is measured.
pub struct Effort {
    /// How often each flood comes through each way; the medians count.
    pub rounds: usize,
    /// How long each time.
    pub time: Duration,
    /// Only the floods with this in their names.
    pub only: Option<String>,
}

/// Prints a table.
pub fn report(peers: &Peers, effort: &Effort) {
    println!(
        "fairness: {ORDINARY} clients, each with a simple SELECT every {} ms; ms until the answer, \
         p50 and p99, without and beside {FLOODERS} clients that flood; answers to the flood in a \
         second; medians of {} rounds of {} s, the three ways in turn",
        PAUSE.as_millis(),
        effort.rounds,
        effort.time.as_secs_f64(),
    );
    println!();
    println!(
        "| flood | way | p50 without | p99 | p50 beside | p99 | p99, times as long | statements \
         | flood/s |\n|---|---|---|---|---|---|---|---|---|"
    );
    let wanted = |flood: &Flood| {
        let only = effort.only.as_deref();
        only.is_none_or(|word| flood.name().contains(word))
    };
    for flood in Flood::ALL.into_iter().filter(wanted) {
        let mut rows: [Vec<Row>; 3] = Default::default();
        for round in 0..effort.rounds {
            for step in 0..WAYS.len() {
                let way = (round + step) % WAYS.len();
                rows[way].push(measure(peers, WAYS[way], flood, effort.time));
            }
        }
        for (way, rows) in WAYS.iter().zip(&rows) {
            print(flood, *way, rows);
        }
    }
}

/// One kind of flood.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flood {
    /// Statements that pgsieve refuses and Postgres does not understand.
    Refused,
    /// Statements of which no two are the same.
    Distinct,
    /// The same in the extended protocol.
    Extended,
    /// Texts of a megabyte.
    Large,
    /// Texts that no grammar reads.
    Garbled,
    /// Results without end.
    Rows,
    /// Two of each of the first four.
    Mixed,
}

impl Flood {
    const ALL: [Self; 7] = [
        Self::Refused,
        Self::Distinct,
        Self::Extended,
        Self::Large,
        Self::Garbled,
        Self::Rows,
        Self::Mixed,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused statements",
            Self::Distinct => "distinct SELECTs",
            Self::Extended => "distinct, extended",
            Self::Large => "texts of 1 MB",
            Self::Garbled => "syntax errors",
            Self::Rows => "rows",
            Self::Mixed => "mixed",
        }
    }

    /// What one flooder sends next, a piece of its pipeline.
    fn piece(self, flooder: usize, number: &mut u64) -> BytesMut {
        let mut out = BytesMut::new();
        let mut next = || {
            *number += 1;
            format!("{flooder}{number:09}")
        };
        match self {
            Self::Refused => {
                for _ in 0..PIECE {
                    query(&mut out, "DELETE FROM nowhere WHERE id = 7");
                }
            }
            Self::Distinct => {
                for _ in 0..PIECE {
                    query(&mut out, &distinct(&next()));
                }
            }
            Self::Extended => {
                for _ in 0..PIECE {
                    encode::parse(&mut out, "", &distinct(&next()), ParameterOids::default())
                        .unwrap();
                    encode::bind(&mut out, "", "", b"\0\0\0\0").unwrap();
                    encode::execute(&mut out, "").unwrap();
                    encode::sync(&mut out);
                }
            }
            Self::Large => {
                let numbers = next() + &", 123456789".repeat(LARGE_BYTES / 11);
                query(
                    &mut out,
                    &format!("SELECT 1 FROM pgbench_branches WHERE bid IN ({numbers})"),
                );
            }
            Self::Garbled => {
                for _ in 0..PIECE {
                    query(
                        &mut out,
                        &format!("SELECT abalance FRM accounts WHERE = {}", next()),
                    );
                }
            }
            Self::Rows => query(&mut out, "SELECT generate_series(1, 300000)"),
            Self::Mixed => {
                return match flooder % 4 {
                    0 => Self::Refused,
                    1 => Self::Distinct,
                    2 => Self::Extended,
                    _ => Self::Large,
                }
                .piece(flooder, number);
            }
        }
        out
    }
}

/// What one measurement came to, in milliseconds.
#[derive(Clone, Copy)]
struct Row {
    without: Times,
    beside: Times,
    flooded: f64,
}

#[derive(Clone, Copy)]
struct Times {
    p50: f64,
    p99: f64,
    statements: f64,
}

fn measure(peers: &Peers, way: Target, flood: Flood, time: Duration) -> Row {
    let clients: Vec<TcpStream> = (0..ORDINARY).map(|_| login(peers, way)).collect();
    // Before the flood as well: it may let nobody in.
    let flooders: Vec<TcpStream> = (0..FLOODERS).map(|_| login(peers, way)).collect();
    let without = ordinary(&clients, time);
    let over = Arc::new(AtomicBool::new(false));
    let answered = Arc::new(AtomicU64::new(0));
    let flooders: Vec<_> = flooders
        .into_iter()
        .enumerate()
        .map(|(number, stream)| flooder(stream, flood, number, (&over, &answered)))
        .collect();
    sleep(SETTLING);
    let (before, since) = (answered.load(Ordering::Relaxed), Instant::now());
    let beside = ordinary(&clients, time);
    let count = answered.load(Ordering::Relaxed) - before;
    let flooded = as_float(count) / since.elapsed().as_secs_f64();
    over.store(true, Ordering::Relaxed);
    for (socket, threads) in flooders {
        socket.shutdown(std::net::Shutdown::Both).ok();
        for thread in threads {
            thread.join().unwrap();
        }
    }
    // What is still under way at the server is over before the next one begins.
    sleep(SETTLING);
    Row {
        without,
        beside,
        flooded,
    }
}

/// What the ordinary clients feel.
fn ordinary(clients: &[TcpStream], time: Duration) -> Times {
    let clients: Vec<JoinHandle<Vec<f64>>> = clients
        .iter()
        .map(|stream| {
            let mut stream = stream.try_clone().unwrap();
            spawn(move || {
                let mut times = Vec::new();
                let (end, mut aid) = (Instant::now() + time, 0);
                while Instant::now() < end {
                    let mut message = BytesMut::new();
                    aid += 1;
                    let text = format!("SELECT abalance FROM pgbench_accounts WHERE aid = {aid}");
                    query(&mut message, &text);
                    let since = Instant::now();
                    stream.write_all(&message).unwrap();
                    until_ready(&mut stream);
                    times.push(since.elapsed().as_secs_f64() * 1e3);
                    sleep(PAUSE);
                }
                times
            })
        })
        .collect();
    let mut times: Vec<f64> = clients
        .into_iter()
        .flat_map(|client| client.join().unwrap())
        .collect();
    times.sort_by(f64::total_cmp);
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
    Times {
        p50: at(50),
        p99: at(99),
        statements: as_float(u64::try_from(times.len()).unwrap()),
    }
}

/// One that floods until it is told that it is over: a thread that writes and one that reads.
fn flooder(
    stream: TcpStream,
    flood: Flood,
    number: usize,
    (over, answered): (&Arc<AtomicBool>, &Arc<AtomicU64>),
) -> (TcpStream, [JoinHandle<()>; 2]) {
    let (mut writer, mut reader) = (stream.try_clone().unwrap(), stream.try_clone().unwrap());
    let ends = Arc::clone(over);
    let writing = spawn(move || {
        let mut count = 0;
        while !ends.load(Ordering::Relaxed) {
            if writer.write_all(&flood.piece(number, &mut count)).is_err() {
                return;
            }
        }
    });
    let (ends, answered) = (Arc::clone(over), Arc::clone(answered));
    let reading = spawn(move || {
        let mut buffer = vec![0; 64 << 10];
        while !ends.load(Ordering::Relaxed) {
            match reader.read(&mut buffer) {
                Ok(count @ 1..) => {
                    // A ReadyForQuery in a row's bytes, or cut in two, is one in very many.
                    let ready = memchr::memmem::find_iter(&buffer[..count], b"Z\0\0\0\x05").count();
                    answered.fetch_add(u64::try_from(ready).unwrap(), Ordering::Relaxed);
                }
                Ok(_) | Err(_) => return,
            }
        }
    });
    (stream, [writing, reading])
}

fn login(peers: &Peers, way: Target) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", peers.port(way))).unwrap();
    stream.set_nodelay(true).unwrap();
    let mut start = BytesMut::new();
    let settings = [("user", peers.user()), ("database", "postgres")];
    encode::startup(&mut start, ProtocolVersion::V3_0, settings).unwrap();
    stream.write_all(&start).unwrap();
    until_ready(&mut stream);
    stream
}

fn query(out: &mut BytesMut, text: &str) {
    encode::query(out, text).unwrap();
}

fn distinct(number: &str) -> String {
    format!("SELECT abalance + {number} FROM pgbench_accounts WHERE aid = 7")
}

/// Reads until ReadyForQuery.
fn until_ready(stream: &mut TcpStream) {
    let mut body = Vec::new();
    loop {
        let mut header = [0; 5];
        stream.read_exact(&mut header).unwrap();
        let length = u32::from_be_bytes([header[1], header[2], header[3], header[4]]);
        body.resize(usize::try_from(length).unwrap() - 4, 0);
        stream.read_exact(&mut body).unwrap();
        assert_ne!(header[0], b'E', "{}", String::from_utf8_lossy(&body));
        if header[0] == b'Z' {
            return;
        }
    }
}

fn print(flood: Flood, way: Target, rows: &[Row]) {
    let median = |of: fn(&Row) -> f64| {
        let mut values: Vec<f64> = rows.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let (without, beside) = (median(|row| row.without.p99), median(|row| row.beside.p99));
    println!(
        "| {} | {} | {:.2} | {without:.2} | {:.2} | {beside:.2} | {:.1} | {:.0} | {:.0} |",
        flood.name(),
        way.name(),
        median(|row| row.without.p50),
        median(|row| row.beside.p50),
        beside / without,
        median(|row| row.beside.statements),
        median(|row| row.flooded),
    );
}

/// Counts are far below where a float is not exact.
#[expect(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "see above"
)]
fn as_float(count: u64) -> f64 {
    count as f64
}

const WAYS: [Target; 3] = [Target::Direct, Target::PgBouncer, Target::Pgsieve];
const ORDINARY: usize = 8;
const FLOODERS: usize = 8;
const PAUSE: Duration = Duration::from_millis(5);
/// From the first bytes of a flood to the first measurement.
const SETTLING: Duration = Duration::from_millis(500);
/// Statements that are put together at a time.
const PIECE: usize = 500;
const LARGE_BYTES: usize = 1_000_000;
