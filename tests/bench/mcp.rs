//! What a call costs an agent over HTTP, beside the same statement through pgsieve and past it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pgsieve::demo::cluster::{PrivateCluster, free_port};
use serde_json::json;

use crate::machine::thread_seconds;
use crate::peers::{pgbench_cluster, program};

/// Calls of one round.
const CALLS: u32 = 2_000;

/// Rounds that alternate.
const ROUNDS: usize = 7;

/// Connections that call at a time, where as many as possible are wanted.
const CALLERS: usize = 8;

/// One row by its key.
const SQL: &str = "SELECT abalance FROM pgbench_accounts WHERE aid = 4711";

/// A pgsieve that serves agents over HTTP.
struct Served {
    cluster: PrivateCluster,
    sieve: Child,
    folder: std::path::PathBuf,
    wire: u16,
    http: u16,
    token: String,
}

/// Prints what a call costs, and how many there are a second of a processor.
pub fn report() {
    let served = Served::start();
    let url = |port: u16| {
        let (user, password) = (served.cluster.admin(), served.cluster.admin_password());
        format!("host=127.0.0.1 port={port} user={user} password={password} dbname=postgres")
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let connect = |port: u16| {
        runtime.block_on(async {
            let url = url(port);
            let connecting = tokio_postgres::connect(&url, tokio_postgres::NoTls);
            let (client, connection) = connecting.await.unwrap();
            tokio::spawn(connection);
            client
        })
    };
    let (direct, proxied) = (connect(served.cluster.port()), connect(served.wire));
    let wire = |client: &tokio_postgres::Client| {
        let since = Instant::now();
        runtime.block_on(async {
            for _ in 0..CALLS {
                client.simple_query(SQL).await.unwrap();
            }
        });
        micros(since.elapsed())
    };
    let mut caller = Caller::new(&served);
    let mut times: [Vec<f64>; 3] = Default::default();
    for _ in 0..ROUNDS {
        times[0].push(wire(&direct));
        times[1].push(wire(&proxied));
        let since = Instant::now();
        (0..CALLS).for_each(|_| caller.call());
        times[2].push(micros(since.elapsed()));
    }
    println!("one row, in µs a call: median of {ROUNDS} alternating rounds of {CALLS}");
    let names = ["past pgsieve", "through pgsieve", "query over HTTP"];
    let medians = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    for (name, median) in names.iter().zip(medians) {
        println!("{name:<16} {median:8.1}");
    }
    println!(
        "what HTTP and the protocol add: {:.1} µs; with pgsieve: {:.1} µs",
        medians[2] - medians[1],
        medians[2] - medians[0]
    );
    busy(&served);
}

/// As many calls as there can be.
fn busy(served: &Served) {
    let (done, over) = (AtomicU32::new(0), AtomicBool::new(false));
    let pid = served.sieve.id();
    let (before, since) = (thread_seconds(pid), Instant::now());
    thread::scope(|scope| {
        for _ in 0..CALLERS {
            scope.spawn(|| {
                let mut caller = Caller::new(served);
                while !over.load(Ordering::Relaxed) {
                    caller.call();
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        thread::sleep(Duration::from_secs(5));
        over.store(true, Ordering::Relaxed);
    });
    let (spent, elapsed) = (thread_seconds(pid) - before, since.elapsed().as_secs_f64());
    let done = f64::from(done.into_inner());
    println!(
        "{CALLERS} callers: {:.0} calls a second; {:.0} a second of one processor",
        done / elapsed,
        done / spent
    );
}

fn micros(whole: Duration) -> f64 {
    whole.as_secs_f64() * 1e6 / f64::from(CALLS)
}

impl Served {
    fn start() -> Self {
        let cluster = pgbench_cluster();
        let folder = std::env::temp_dir().join(format!("pgsieve-mcp-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let [wire, http] = [free_port().unwrap(), free_port().unwrap()];
        let tokens = folder.join("tokens").display().to_string();
        let made = Command::new(program())
            .args([
                "mcp-token",
                "--file",
                &tokens,
                "--name",
                "bench",
                "--user",
                "bench",
            ])
            .output()
            .unwrap();
        let token = String::from_utf8(made.stdout).unwrap().trim().to_owned();
        let config = folder.join("pgsieve.yaml");
        let text = format!(
            "upstream: {{url: 'postgres://{}:{}@127.0.0.1:{}/postgres'}}\nlisten: 127.0.0.1:{wire}\n\
             admin: {{listen: 'off'}}\nmcp: {{listen: '127.0.0.1:{http}', token_file: '{tokens}'}}\n",
            cluster.admin(),
            cluster.admin_password(),
            cluster.port()
        );
        fs::write(&config, text).unwrap();
        let sieve = Command::new(program())
            .arg("serve")
            .arg("--config")
            .arg(&config)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let until = Instant::now() + Duration::from_secs(30);
        while TcpStream::connect(("127.0.0.1", http)).is_err() {
            assert!(Instant::now() < until, "pgsieve does not listen");
            thread::sleep(Duration::from_millis(20));
        }
        Self {
            cluster,
            sieve,
            folder,
            wire,
            http,
            token,
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.sieve.kill().ok();
        self.sieve.wait().ok();
        fs::remove_dir_all(&self.folder).ok();
    }
}

/// One connection that is kept.
struct Caller {
    stream: BufReader<TcpStream>,
    request: Vec<u8>,
}

impl Caller {
    fn new(served: &Served) -> Self {
        let revision = "2026-07-28";
        let body = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {
                "name": "query", "arguments": { "sql": SQL },
                "_meta": {
                    "io.modelcontextprotocol/protocolVersion": revision,
                    "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
                    "io.modelcontextprotocol/clientCapabilities": {},
                },
            },
        });
        let body = body.to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
             Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
             MCP-Protocol-Version: {revision}\r\nMcp-Method: tools/call\r\nMcp-Name: query\r\n\
             Content-Length: {}\r\n\r\n{body}",
            served.token,
            body.len()
        );
        let stream = TcpStream::connect(("127.0.0.1", served.http)).unwrap();
        stream.set_nodelay(true).unwrap();
        let mut caller = Self {
            stream: BufReader::new(stream),
            request: request.into_bytes(),
        };
        caller.call();
        caller
    }

    fn call(&mut self) {
        self.stream.get_mut().write_all(&self.request).unwrap();
        let (mut line, mut length) = (String::new(), 0);
        loop {
            line.clear();
            self.stream.read_line(&mut line).unwrap();
            let head = line.trim_end().to_ascii_lowercase();
            if head.is_empty() {
                break;
            }
            if let Some(said) = head.strip_prefix("content-length: ") {
                length = said.parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        let told = String::from_utf8_lossy(&body);
        assert!(told.contains("\"isError\":false"), "{told}");
    }
}
