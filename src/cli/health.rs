//! `pgsieve health`: whether a pgsieve on this host is ready, for containers and supervisors.
//!
//! It reads the same settings as `serve` to know where to ask, and asks as any probe would, over
//! HTTP. Whatever answers there, and however slowly, the command ends in time and prints a few
//! lines at most. It asks for no page that needs a token, and sends none.
//!
//! <https://www.rfc-editor.org/rfc/rfc9112>

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::cli::settings_sources::sources;
use crate::cli::{CommandOutcome, complain, fail, print_outcome};
use crate::config::quantities::duration_within;
use crate::config::sources::FlagValue;
use crate::config::{self, SettingsProblem};
use crate::limits::{HEALTH_ANSWER_BYTES_MAX, HEALTH_LINES_MAX, HEALTH_TIME, HEALTH_TIME_BOUNDS};
use crate::telemetry::session_info::cleaned;

/// The flags of `health`.
#[derive(clap::Args)]
pub struct HealthFlags {
    /// The settings file of the pgsieve that is asked [default: the one that PGSIEVE_CONFIG names].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Its admin address [default: as its settings say, else 127.0.0.1:9432].
    #[arg(long, value_name = "ADDRESS")]
    admin: Option<String>,
    /// How long an answer may take, 100ms to 1min [default: 3s].
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    timeout: Option<Duration>,
    /// Asks only whether it is alive, whatever the state of the upstream.
    #[arg(long)]
    live: bool,
}

/// Does what the flags ask for.
pub fn run(flags: &HealthFlags, out: &mut dyn Write) -> CommandOutcome {
    let time = flags.timeout.unwrap_or(HEALTH_TIME);
    let given = flags.admin.iter().map(|value| FlagValue {
        path: "admin.listen",
        name: "--admin",
        value: value.clone(),
    });
    let page = if flags.live {
        HealthPage::Live
    } else {
        HealthPage::Ready
    };
    let (config, given) = (flags.config.clone(), given.collect());
    let (sender, receiver) = mpsc::channel();
    // In a thread of its own: a name may resolve slowly, and an answer come a byte at a time.
    let asking = thread::Builder::new().spawn(move || {
        let report = sources(config.as_deref(), given)
            .map_err(HealthError::Settings)
            .and_then(|sources| config::admin(&sources).map_err(HealthError::Settings))
            .and_then(|address| ask(address, page, time));
        // Nobody waits any longer once the time is over.
        let _ = sender.send(report);
    });
    let report = match asking {
        Ok(_) => receiver
            .recv_timeout(time)
            .unwrap_or(Err(HealthError::TooSlow)),
        Err(error) => Err(HealthError::System(error.kind())),
    };
    match report {
        Ok(report) => match (report.is_good, print_outcome(print(&report, out))) {
            (true, printed) => printed,
            (false, _) => CommandOutcome::Failed,
        },
        Err(HealthError::Settings(problems)) => {
            for problem in problems {
                complain(format_args!("{problem}"));
            }
            CommandOutcome::Misused
        }
        Err(trouble @ (HealthError::Off | HealthError::AnyPort)) => {
            complain(format_args!("{trouble}"));
            CommandOutcome::Misused
        }
        Err(trouble) => fail(format_args!("{trouble}")),
    }
}

/// What is asked for.
#[derive(Clone, Copy)]
enum HealthPage {
    Live,
    Ready,
}

/// What was answered.
#[derive(Debug, PartialEq, Eq)]
struct HealthReport {
    is_good: bool,
    text: String,
}

/// Why there is no answer.
#[derive(Debug)]
enum HealthError {
    Settings(Vec<SettingsProblem>),
    Off,
    AnyPort,
    TooSlow,
    System(io::ErrorKind),
    Unreachable(SocketAddr, io::ErrorKind),
    Strange(SocketAddr),
}

impl HealthPage {
    fn path(self) -> &'static str {
        match self {
            Self::Live => "/healthz",
            Self::Ready => "/readyz",
        }
    }

    /// The first line of a good answer.
    fn good(self) -> &'static str {
        match self {
            Self::Live => "alive",
            Self::Ready => "ready",
        }
    }
}

/// Asks at the first address that takes the connection.
fn ask(
    admin: Option<SocketAddr>,
    page: HealthPage,
    time: Duration,
) -> Result<HealthReport, HealthError> {
    let admin = admin.ok_or(HealthError::Off)?;
    if admin.port() == 0 {
        return Err(HealthError::AnyPort);
    }
    let mut last = HealthError::TooSlow;
    for address in near(admin) {
        let answer = TcpStream::connect_timeout(&address, time)
            .and_then(|stream| exchange(stream, address, page, time));
        match answer {
            Ok(answer) => return report(&answer, page).ok_or(HealthError::Strange(address)),
            Err(error) => last = HealthError::Unreachable(address, error.kind()),
        }
    }
    Err(last)
}

/// Where to ask a server that is bound to an address: one that is bound to all of this host's is
/// asked on loopback. A wildcard of version 6 serves both versions, and a host may have only one.
pub(super) fn near(bound: SocketAddr) -> Vec<SocketAddr> {
    let v4 = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), bound.port());
    let v6 = SocketAddr::new(IpAddr::V6(Ipv6Addr::LOCALHOST), bound.port());
    match bound.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => vec![v4],
        IpAddr::V6(ip) if ip.is_unspecified() => vec![v6, v4],
        IpAddr::V4(_) | IpAddr::V6(_) => vec![bound],
    }
}

/// Sends the request and reads until the answer is complete, closed or too long.
fn exchange(
    mut stream: TcpStream,
    address: SocketAddr,
    page: HealthPage,
    time: Duration,
) -> io::Result<Vec<u8>> {
    stream.set_read_timeout(Some(time))?;
    stream.set_write_timeout(Some(time))?;
    let path = page.path();
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nUser-Agent: pgsieve-health\r\n\
         Accept: text/plain\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    let mut chunk = [0; 4096];
    while answer.len() < HEALTH_ANSWER_BYTES_MAX && !is_complete(&answer) {
        let count = stream.read(&mut chunk)?;
        match chunk.get(..count) {
            None | Some([]) => break,
            Some(bytes) => answer.extend_from_slice(bytes),
        }
    }
    Ok(answer)
}

/// Whether an answer that says its length is there in full; others end with the connection.
pub(super) fn is_complete(answer: &[u8]) -> bool {
    let Some((head, body)) = parts(answer) else {
        return false;
    };
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        let is_length = name.eq_ignore_ascii_case("content-length");
        is_length.then(|| value.trim().parse::<usize>().ok())?
    });
    length.is_some_and(|length| body.len() >= length)
}

/// Head and body of an answer, once the head is there.
pub(super) fn parts(answer: &[u8]) -> Option<(&str, &[u8])> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(answer.get(..end)?).ok()?;
    Some((head, answer.get(end + 4..)?))
}

/// What an answer says; `None` when it is none of a pgsieve.
fn report(answer: &[u8], page: HealthPage) -> Option<HealthReport> {
    let (head, body) = parts(answer)?;
    let mut words = head.lines().next()?.split(' ');
    if !words.next()?.starts_with("HTTP/1.") {
        return None;
    }
    let status = words.next()?;
    if !matches!(status, "200" | "503") {
        return None;
    }
    let body = String::from_utf8_lossy(body);
    let mut text = String::new();
    for line in body.lines().take(HEALTH_LINES_MAX) {
        text.push_str(&cleaned(line));
        text.push('\n');
    }
    // Something else may be listening there and be content with itself.
    let is_good = status == "200" && text.lines().next() == Some(page.good());
    (is_good || status == "503").then_some(HealthReport { is_good, text })
}

fn print(report: &HealthReport, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(report.text.as_bytes())?;
    out.flush()
}

/// A duration as in the settings.
fn duration(text: &str) -> Result<Duration, String> {
    duration_within(text, HEALTH_TIME_BOUNDS)
}

impl fmt::Display for HealthError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settings(problems) => write!(formatter, "problems: {}", problems.len()),
            Self::Off => write!(formatter, "admin.listen is off: there is nobody to ask"),
            Self::AnyPort => write!(formatter, "admin.listen names no port to ask at"),
            Self::TooSlow => write!(formatter, "there was no answer in time"),
            Self::System(kind) => write!(formatter, "the system refused: {kind}"),
            Self::Unreachable(address, kind) => {
                write!(formatter, "no answer from {address}: {kind}")
            }
            Self::Strange(address) => {
                write!(formatter, "{address} does not answer as a pgsieve does")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wildcard_is_asked_on_loopback() {
        let check = |bound: &str, asked: &[&str]| {
            let found = near(bound.parse().unwrap());
            let found: Vec<String> = found.iter().map(SocketAddr::to_string).collect();
            assert_eq!(found, asked);
        };
        check("0.0.0.0:9432", &["127.0.0.1:9432"]);
        check("[::]:9432", &["[::1]:9432", "127.0.0.1:9432"]);
        check("10.1.2.3:9432", &["10.1.2.3:9432"]);
    }

    #[test]
    fn answers_are_read_for_what_they_are() {
        let of = |answer: &str, page| report(answer.as_bytes(), page);
        let good = |text: &str| HealthReport {
            is_good: true,
            text: text.into(),
        };
        let ready = "HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\nready\ncatalog: on\n";
        assert_eq!(
            of(ready, HealthPage::Ready),
            Some(good("ready\ncatalog: on\n"))
        );
        assert_eq!(of(ready, HealthPage::Live), None);
        let alive = "HTTP/1.0 200 OK\r\n\r\nalive\n";
        assert_eq!(of(alive, HealthPage::Live), Some(good("alive\n")));
        let draining = "HTTP/1.1 503 Service Unavailable\r\n\r\ndrai\x1bning\n";
        let unready = HealthReport {
            is_good: false,
            text: "draining\n".into(),
        };
        assert_eq!(of(draining, HealthPage::Ready), Some(unready));
        for strange in [
            "",
            "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 200 OK\r\n\r\n<html>ready",
            "HTTP/1.1 404 Not Found\r\n\r\nready\n",
            "SSH-2.0-OpenSSH\r\n\r\nready\n",
        ] {
            assert_eq!(of(strange, HealthPage::Ready), None, "{strange:?}");
        }
    }

    #[test]
    fn an_answer_is_complete_when_its_length_says_so() {
        let whole = b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nready\n";
        for cut in 0..whole.len() {
            assert!(!is_complete(&whole[..cut]), "{cut}");
        }
        assert!(is_complete(whole));
        assert!(!is_complete(b"HTTP/1.1 200 OK\r\n\r\nready\n"));
    }
}
