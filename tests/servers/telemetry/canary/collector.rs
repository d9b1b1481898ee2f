//! A collector of spans that keeps every byte it is sent.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// Takes OTLP over HTTP. It ends with the process.
pub struct Collector {
    address: SocketAddr,
    received: Arc<Mutex<Vec<u8>>>,
}

impl Collector {
    /// On a port of its own.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let received: Arc<Mutex<Vec<u8>>> = Arc::default();
        let shared = Arc::clone(&received);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                thread::spawn(move || keep(stream, &shared));
            }
        });
        Self { address, received }
    }

    /// Where to send spans to.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Heads and bodies, as they came.
    pub fn received(&self) -> Vec<u8> {
        self.received.lock().unwrap().clone()
    }
}

/// Answers every request that all is well. A body is never looked at: what is kept is searched.
fn keep(mut stream: TcpStream, received: &Mutex<Vec<u8>>) {
    let (mut pending, mut chunk) = (Vec::new(), [0; 65_536]);
    loop {
        let Ok(read @ 1..) = stream.read(&mut chunk) else {
            return;
        };
        received.lock().unwrap().extend(&chunk[..read]);
        pending.extend(&chunk[..read]);
        while let Some(length) = whole_request(&pending) {
            pending.drain(..length);
            let answer = "HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\n\
                          Content-Length: 0\r\n\r\n";
            if stream.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    }
}

/// How long the first request is, once it is there in full.
fn whole_request(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&bytes[..head]).to_lowercase();
    let body: usize = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .map_or(0, |value| value.trim().parse().unwrap());
    (bytes.len() >= head + body).then_some(head + body)
}
