//! Clients that stay logged in and do what `pgbench -S` does, a slice of time at a time.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use pgsieve::wire::encode;
use pgsieve::wire::startup::ProtocolVersion;

use super::figures::next;
use crate::cached::message;

/// A way to send a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Simple,
    Extended,
    Prepared,
}

impl Mode {
    pub fn name(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Extended => "extended",
            Self::Prepared => "prepared",
        }
    }
}

/// The clients of one pgsieve.
pub struct Crowd {
    clients: Vec<Client>,
}

/// What a slice came to.
#[derive(Clone, Copy, Default)]
pub struct Slice {
    counted: f64,
    seconds: f64,
    left_out: f64,
}

impl Slice {
    pub fn add(&mut self, other: Self) {
        self.counted += other.counted;
        self.seconds += other.seconds;
        self.left_out += other.left_out;
    }

    /// Of the part that counts.
    pub fn per_second(&self) -> f64 {
        self.counted / self.seconds
    }

    /// All of them.
    pub fn statements(&self) -> f64 {
        self.counted + self.left_out
    }
}

impl Crowd {
    /// Logs them in and has each run a statement, whose answer is looked at.
    pub fn arrive(
        port: u16,
        (user, asks): (&str, &[(&str, &str)]),
        count: usize,
        mode: Mode,
    ) -> Self {
        let clients = (0..count).map(|number| Client::login((port, user, asks), mode, number));
        Self {
            clients: clients.collect(),
        }
    }

    /// All of them work; what they do in the first part is not counted.
    pub fn work(&mut self, left_out: Duration, counted: Duration) -> Slice {
        let begin = Instant::now() + left_out;
        let end = begin + counted;
        let slices: Vec<Slice> = std::thread::scope(|scope| {
            let threads: Vec<_> = self
                .clients
                .iter_mut()
                .map(|client| scope.spawn(move || client.work(begin, end)))
                .collect();
            let ended = threads.into_iter().map(|thread| thread.join().unwrap());
            ended.collect()
        });
        let mut sum = Slice::default();
        for slice in slices {
            sum.add(slice);
        }
        Slice {
            seconds: counted.as_secs_f64(),
            ..sum
        }
    }

    /// The first of them runs one statement; how many bytes its answer has, and how long it took.
    pub fn fetch(&mut self, text: &str) -> (usize, Duration) {
        let begun = Instant::now();
        (self.clients[0].fetch(text), begun.elapsed())
    }

    /// The first of them runs so many statements.
    pub fn run(&mut self, statements: usize) {
        for _ in 0..statements {
            self.clients[0].run();
        }
    }
}

struct Client {
    stream: TcpStream,
    mode: Mode,
    chance: u64,
    out: Vec<u8>,
}

impl Client {
    fn login((port, user, asks): (u16, &str, &[(&str, &str)]), mode: Mode, number: usize) -> Self {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_nodelay(true).unwrap();
        let limit = Some(Duration::from_secs(60));
        stream.set_read_timeout(limit).unwrap();
        let mut start = BytesMut::new();
        let named = [("user", user), ("database", "postgres")];
        let settings = named.into_iter().chain(asks.iter().copied());
        encode::startup(&mut start, ProtocolVersion::V3_0, settings).unwrap();
        stream.write_all(&start).unwrap();
        let mut client = Self {
            stream,
            mode,
            chance: u64::try_from(number).unwrap(),
            out: Vec::new(),
        };
        client.until_ready();
        if mode == Mode::Prepared {
            let parse = [b"P_0\0", PARAMETERISED.as_bytes(), b"\0\0\0"].concat();
            client.out.extend(message(b'P', &parse));
            client.out.extend(message(b'S', b""));
            client.stream.write_all(&client.out).unwrap();
            client.until_ready();
        }
        client.run();
        client
    }

    fn work(&mut self, begin: Instant, end: Instant) -> Slice {
        let mut slice = Slice::default();
        loop {
            self.run();
            let now = Instant::now();
            if now < begin {
                slice.left_out += 1.0;
            } else if now < end {
                slice.counted += 1.0;
            } else {
                slice.left_out += 1.0;
                return slice;
            }
        }
    }

    fn run(&mut self) {
        let account = (next(&mut self.chance) % 1_000_000 + 1).to_string();
        self.out.clear();
        match self.mode {
            Mode::Simple => {
                let text = [STATEMENT, &account, ";\0"].concat();
                self.out.extend(message(b'Q', text.as_bytes()));
            }
            Mode::Extended => {
                let parse = [b"\0", PARAMETERISED.as_bytes(), b"\0\0\0"].concat();
                self.out.extend(message(b'P', &parse));
                self.bind(b"\0", &account);
            }
            Mode::Prepared => self.bind(b"P_0\0", &account),
        }
        self.stream.write_all(&self.out).unwrap();
        self.until_ready();
    }

    fn fetch(&mut self, text: &str) -> usize {
        let text = [text.as_bytes(), b"\0"].concat();
        self.stream.write_all(&message(b'Q', &text)).unwrap();
        let mut chunk = vec![0; 256 << 10];
        let (mut total, mut end) = (0, Vec::new());
        while !end.ends_with(READY) {
            let read = self.stream.read(&mut chunk).unwrap();
            assert!(read > 0, "the connection was closed");
            total += read;
            end.extend_from_slice(&chunk[read.saturating_sub(READY.len())..read]);
            end.drain(..end.len().saturating_sub(READY.len()));
        }
        total
    }

    fn bind(&mut self, statement: &[u8], account: &str) {
        let length = u32::try_from(account.len()).unwrap().to_be_bytes();
        let head = [b"\0", statement, b"\0\0\0\x01"].concat();
        let body = [&head[..], &length, account.as_bytes(), b"\0\x01\0\0"].concat();
        self.out.extend(message(b'B', &body));
        self.out.extend(message(b'D', b"P\0"));
        self.out.extend(message(b'E', b"\0\0\0\0\0"));
        self.out.extend(message(b'S', b""));
    }

    /// Reads until the answer is whole; none of these answers is large or an error.
    fn until_ready(&mut self) {
        let mut answer = [0; 4096];
        let mut length = 0;
        while !answer[..length].ends_with(READY) {
            let read = self.stream.read(&mut answer[length..]).unwrap();
            assert!(read > 0, "the connection was closed");
            length += read;
        }
        let text = || String::from_utf8_lossy(&answer[..length]).into_owned();
        assert_ne!(answer[0], b'E', "{}", text());
    }
}

const STATEMENT: &str = "SELECT abalance FROM pgbench_accounts WHERE aid = ";
const PARAMETERISED: &str = "SELECT abalance FROM pgbench_accounts WHERE aid = $1;";
const READY: &[u8] = b"Z\0\0\0\x05I";
