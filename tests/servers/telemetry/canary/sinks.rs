//! Everything that a pgsieve writes and shows.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use age::secrecy::ExposeSecret;
use pgsieve::demo::cluster::random_name;

use super::LAST;
use super::search::{CANARY, Sink};
use crate::support::{APP, Stack};

/// The key of the audit's chain, gone with the value.
pub struct KeyFile {
    path: PathBuf,
}

impl KeyFile {
    /// Sixty-four digits.
    pub fn new() -> Self {
        let name = format!("pgsieve-canary-{}", random_name().unwrap());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, "0123456789abcdef".repeat(4)).unwrap();
        Self { path }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for KeyFile {
    fn drop(&mut self) {
        drop(fs::remove_file(&self.path));
    }
}

/// Every file that it writes: the audit, standard output and error, whatever else there may be.
pub fn files(stack: &Stack) -> Vec<Sink> {
    let mut files = Sink::files(stack.folder());
    // What it was told is no sink.
    files.retain(|file| !file.name.ends_with(".yaml"));
    for wanted in ["stdout", "stderr", "audit.jsonl"] {
        assert!(
            files.iter().any(|file| file.name.ends_with(wanted)),
            "{wanted}"
        );
    }
    files
}

/// The audit's files, those put aside as well.
pub fn audit_files(stack: &Stack) -> Vec<Sink> {
    let mut files = Sink::files(stack.folder());
    files.retain(|file| file.name.contains("audit.jsonl"));
    files
}

/// What the admin address shows.
pub fn pages(stack: &Stack) -> Vec<Sink> {
    let mut sinks = Vec::new();
    for page in ["/metrics", "/healthz", "/readyz"] {
        let (status, body) = stack.get(page);
        assert_eq!(status, 200, "{page}");
        sinks.push(Sink::new(page, body));
    }
    sinks.extend(live_page(stack));
    let metrics = sinks[0].text();
    for counted in [
        "statements",
        "refusals",
        "repairs",
        "errors",
        "protocol_violations",
    ] {
        let name = format!("\npgsieve_{counted}_total{{");
        assert!(metrics.contains(&name), "{counted} were not counted");
    }
    sinks
}

/// The live page: itself, what it asks for, what follows on it, and every fingerprint opened.
fn live_page(stack: &Stack) -> Vec<Sink> {
    let get = |path: &str| {
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        Sink::new(path, ask(stack.admin_address(), request.as_bytes()))
    };
    let mut sinks = vec![get("/"), get("/api/state"), get("/events")];
    let state = sinks[1].text();
    for told in [LAST, APP, "fingerprint"] {
        assert!(state.contains(told) || told == LAST, "{told}: {state}");
    }
    assert!(
        sinks[2].text().contains("event: whole"),
        "{}",
        sinks[2].text()
    );
    let digits = |text: &str| text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let mut known: Vec<&str> = state.split('"').filter(|word| digits(word)).collect();
    known.sort_unstable();
    known.dedup();
    assert!(
        known.len() > 20,
        "only {} fingerprints: {state}",
        known.len()
    );
    for fingerprint in known {
        let history = get(&format!("/api/fingerprint/{fingerprint}"));
        assert!(history.text().starts_with("HTTP/1.1 "), "{fingerprint}");
        sinks.push(history);
    }
    let opened = sinks.iter().filter(|sink| sink.text().contains("\"rule\""));
    assert!(opened.count() > 20, "no history was opened");
    sinks.push(get("/api/fingerprint/canary"));
    sinks
}

/// What requests get that carry a canary in each place that a request has.
pub fn answers_to_hostile_requests(stack: &Stack) -> Vec<Sink> {
    let huge = "canary".repeat(20_000);
    let requests = [
        "GET /canary HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(),
        "GET /%63anary HTTP/1.1\r\nHost: x\r\n\r\n".into(),
        "GET /canary/../metrics HTTP/1.1\r\nHost: x\r\n\r\n".into(),
        "GET /metrics?canary=canary HTTP/1.1\r\nHost: canary\r\n\r\n".into(),
        "GET /?token=canary HTTP/1.1\r\nHost: canary\r\nAuthorization: Bearer canary\r\n\r\n"
            .into(),
        "GET http://canary/canary HTTP/1.1\r\nHost: canary\r\n\r\n".into(),
        "CANARY /metrics HTTP/1.1\r\nHost: x\r\n\r\n".into(),
        "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\ncanary".into(),
        "TRACE / HTTP/1.1\r\nHost: x\r\nX: canary\r\n\r\n".into(),
        "OPTIONS * HTTP/1.1\r\nHost: x\r\nOrigin: http://canary\r\n\r\n".into(),
        "GET /metrics HTTP/1.1\r\nHost: x\r\nX-Request-Id: canary\r\nCookie: canary\r\n\r\n".into(),
        "GET /metrics canary HTTP/1.1\r\n\r\n".into(),
        "GET /canary\r\n\r\n".into(),
        "canary\r\n\r\n".into(),
        "GET /metrics HTTP/canary\r\n\r\n".into(),
        "GET /canary\r\nSet-Cookie: canary HTTP/1.1\r\n\r\n".into(),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\ncanary".into(),
        format!("GET /{huge} HTTP/1.1\r\nHost: x\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nHost: x\r\nX: {huge}\r\n\r\n"),
    ];
    let answers: Vec<Sink> = requests
        .iter()
        .map(|request| {
            let name = format!("the answer to {:.60}", request.escape_debug().to_string());
            Sink::new(name, ask(stack.admin_address(), request.as_bytes()))
        })
        .collect();
    let told = answers
        .iter()
        .filter(|answer| answer.text().starts_with("HTTP/1."));
    assert!(
        told.count() > requests.len() / 2,
        "most of them get an answer"
    );
    answers
}

/// What the tools print that read the audit.
pub fn audit_tools(stack: &Stack, key: &KeyFile) -> Vec<Sink> {
    let file = stack.audit_path().display().to_string();
    let key = key.path().display().to_string();
    let tools = vec![
        printed(&["audit", "verify", "--chain-key-file", &key, &file]),
        printed(&["audit", "verify", &file]),
        printed(&["audit", "top", &file]),
        printed(&["audit", "top", "--json", &file]),
        printed(&["audit", "verify", "/canary/that/is/no/file"]),
    ];
    assert!(tools[0].text().contains("lines"), "{}", tools[0].text());
    for top in &tools[2..4] {
        assert!(top.text().contains("refused"), "{}", top.text());
    }
    // The name of the file that was asked for is the operator's own.
    tools
        .into_iter()
        .filter(|tool| !tool.name.contains(CANARY))
        .collect()
}

/// What `audit open` prints for whoever has the identity.
pub fn opened(stack: &Stack, identity: &age::x25519::Identity) -> String {
    let name = format!("pgsieve-canary-age-{}", random_name().unwrap());
    let file = std::env::temp_dir().join(name);
    fs::write(&file, identity.to_string().expose_secret()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_pgsieve"))
        .args(["audit", "open", "--identity"])
        .args([&file, &stack.audit_path()])
        .output()
        .unwrap();
    drop(fs::remove_file(&file));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    String::from_utf8(output.stdout).unwrap()
}

/// Sends a request and reads until the other side is done, or has nothing more to say.
pub fn ask(address: SocketAddr, request: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    let wait_at_most = |stream: &TcpStream, time| stream.set_read_timeout(Some(time)).unwrap();
    wait_at_most(&stream, Duration::from_secs(20));
    // It may be refused before all of it was sent.
    drop(stream.write_all(request));
    let (mut answer, mut chunk) = (Vec::new(), [0; 65_536]);
    while let Ok(read @ 1..) = stream.read(&mut chunk) {
        answer.extend(&chunk[..read]);
        // What is followed has no end.
        wait_at_most(&stream, Duration::from_millis(700));
    }
    answer
}

/// What the program prints for these arguments.
fn printed(arguments: &[&str]) -> Sink {
    let output = Command::new(env!("CARGO_BIN_EXE_pgsieve"))
        .args(arguments)
        .output()
        .unwrap();
    let both = [output.stdout, output.stderr].concat();
    Sink::new(arguments.join(" "), both)
}
