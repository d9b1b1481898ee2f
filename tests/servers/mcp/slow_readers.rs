//! Callers over HTTP who ask for much and take next to nothing of it.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{CURRENT_REVISION, GREETING_REVISION};
use super::http_client::McpHttp;
use super::told::introduction;
use crate::support::until;

/// Callers at a time.
const READERS: usize = 20;

/// Requests that each of them sends at once: the answers have some 13 MB, which no socket holds.
const REQUESTS: usize = 8;

/// A page of as many bytes as one may have, which JSON writes as six to seven times as many, twice.
const WIDE: &str = "SELECT repeat(chr(1), 16000) AS wide FROM generate_series(1, 8)";

/// How long a caller may take nothing; see the limits of the MCP server.
const STALL_MAX: Duration = Duration::from_secs(60);

/// Bytes that such a caller may cost beside what its socket holds: an answer of 1.7 MB, some times.
const READER_BYTES_MAX: usize = 8 << 20;

/// Sends the requests, and reads nothing.
fn ask(server: &McpHttp, token: &str, session: Option<&str>) -> TcpStream {
    let mut params = json!({"name": "query", "arguments": { "sql": WIDE }});
    let headers = match session {
        Some(session) => {
            format!("MCP-Protocol-Version: {GREETING_REVISION}\r\nMcp-Session-Id: {session}\r\n")
        }
        None => {
            params["_meta"] = introduction();
            format!(
                "MCP-Protocol-Version: {CURRENT_REVISION}\r\nMcp-Method: tools/call\r\n\
                 Mcp-Name: query\r\n"
            )
        }
    };
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    for id in 1..=REQUESTS {
        let body = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        let body = body.to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
             Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
             {headers}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
    }
    stream.set_nonblocking(true).unwrap();
    stream
}

/// Connections that the server has, as the kernel tells.
fn connections(server: &McpHttp) -> usize {
    let port = format!(":{:04X}", server.port);
    let table = fs::read_to_string("/proc/net/tcp").unwrap();
    let lines = table.lines().filter(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        fields[1].ends_with(&port) && fields[3] == ESTABLISHED
    });
    lines.count()
}

/// A connection that both sides have, in the words of the kernel.
const ESTABLISHED: &str = "01";

/// Bytes that are resident.
fn resident(server: &McpHttp) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", server.stack.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.unwrap().trim().trim_end_matches(" kB");
    kilobytes.parse::<usize>().unwrap() * 1024
}

#[test]
fn callers_who_take_nothing_are_let_go_and_others_answered_meanwhile() {
    let server = McpHttp::start("slow");
    let [own, other] = ["ann", "bob"].map(|user| server.token(&["--user", user]));
    let wide = server.query(&own, WIDE);
    assert_eq!(
        wide["rows"].as_array().map(Vec::len),
        Some(8),
        "{wide:.200}"
    );
    let before = resident(&server);
    let begun = Instant::now();
    let mut readers: Vec<TcpStream> = (0..READERS)
        .map(|number| {
            let session = (number % 2 == 0).then(|| server.greet(&own).unwrap());
            ask(&server, &own, session.as_deref())
        })
        .collect();
    let mut turns = 0;
    let mut most = 0;
    let gone = until(|| {
        turns += 1;
        // Half of them take a byte a second.
        for pair in readers.chunks_mut(2).step_by(2) {
            for reader in pair {
                let _ = reader.read(&mut [0]);
            }
        }
        for token in [&own, &other] {
            let asked = Instant::now();
            let told = server.query(token, "SELECT 1");
            assert_eq!(told["rows"], json!([[1]]), "{told}");
            assert!(asked.elapsed() < STALL_MAX / 2, "turn {turns}");
        }
        most = most.max(resident(&server));
        std::thread::sleep(Duration::from_secs(1));
        (connections(&server) == 0).then_some(())
    });
    gone.expect("connections that are let go");
    // What is kept for another request, and not for a reader, ends sooner.
    assert!(begun.elapsed() >= STALL_MAX, "{:?}", begun.elapsed());
    let grown = most.saturating_sub(before);
    assert!(grown < READERS * READER_BYTES_MAX, "{grown} bytes");
    let told: Value = server.query(&own, WIDE);
    assert_eq!(told["rows"].as_array().map(Vec::len), Some(8));
    drop(readers);
}
