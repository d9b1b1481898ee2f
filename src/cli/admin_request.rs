//! Asks a pgsieve on this host for something, at its admin address and with its token, as its
//! settings have them. For `pgsieve reload` and `pgsieve sessions`.
//!
//! <https://www.rfc-editor.org/rfc/rfc9112>

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::Instant;

use crate::cli::health::{is_complete, near, parts};
use crate::cli::settings_sources::sources;
use crate::cli::{CommandOutcome, complain, fail};
use crate::config::sources::FlagValue;
use crate::config::{self, SettingsProblem};
use crate::limits::{ADMIN_ANSWER_BYTES_MAX, ADMIN_ANSWER_TIME};
use crate::secret::Secret;

/// The flags that say whom to ask.
#[derive(clap::Args)]
pub struct AdminFlags {
    /// The settings file of the pgsieve that is asked [default: the one that PGSIEVE_CONFIG names].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Its admin address [default: as its settings say, else 127.0.0.1:9432].
    #[arg(long, value_name = "ADDRESS")]
    admin: Option<String>,
    /// A file whose first line is its token [default: as its settings say].
    #[arg(long, value_name = "FILE")]
    token_file: Option<String>,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum AdminRequestError {
    /// The settings do not say whom to ask.
    Settings(Vec<SettingsProblem>),
    /// The admin address is off, or has no port of its own.
    Nowhere,
    /// Nobody answers there.
    Unreachable(SocketAddr, io::ErrorKind),
    /// What answers is no pgsieve.
    Strange(SocketAddr),
    /// It is answered with this status and line.
    Refused(u16, String),
}

/// The body of a good answer.
///
/// # Errors
/// Why there is none.
pub fn ask(
    admin_flags: &AdminFlags,
    method: &str,
    path: &str,
) -> Result<String, AdminRequestError> {
    let flags = [
        ("admin.listen", "--admin", &admin_flags.admin),
        ("admin.token_file", "--token-file", &admin_flags.token_file),
    ];
    let flags = flags.into_iter().filter_map(|(path, name, value)| {
        let value = value.clone()?;
        Some(FlagValue { path, name, value })
    });
    let (address, token) = sources(admin_flags.config.as_deref(), flags.collect())
        .and_then(|sources| config::admin_access(&sources))
        .map_err(AdminRequestError::Settings)?;
    let address = address.filter(|address| address.port() != 0);
    let mut last = AdminRequestError::Nowhere;
    for address in near(address.ok_or(AdminRequestError::Nowhere)?) {
        match exchange(address, (method, path), token.as_ref()) {
            Ok(answer) => return body(&answer).unwrap_or(Err(AdminRequestError::Strange(address))),
            Err(error) => last = AdminRequestError::Unreachable(address, error.kind()),
        }
    }
    Err(last)
}

/// Says why there is no answer.
pub fn explain(trouble: AdminRequestError) -> CommandOutcome {
    match trouble {
        AdminRequestError::Settings(problems) => {
            for problem in problems {
                complain(format_args!("{problem}"));
            }
            CommandOutcome::Misused
        }
        trouble @ AdminRequestError::Nowhere => {
            complain(format_args!("{trouble}"));
            CommandOutcome::Misused
        }
        trouble => fail(format_args!("{trouble}")),
    }
}

fn exchange(
    address: SocketAddr,
    (method, path): (&str, &str),
    token: Option<&Secret>,
) -> io::Result<Vec<u8>> {
    let end = Instant::now() + ADMIN_ANSWER_TIME;
    let mut stream = TcpStream::connect_timeout(&address, ADMIN_ANSWER_TIME)?;
    stream.set_write_timeout(Some(ADMIN_ANSWER_TIME))?;
    let token = token.map(|token| format!("Authorization: Bearer {}\r\n", token.reveal()));
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nUser-Agent: pgsieve\r\n\
         Content-Length: 0\r\n{}Connection: close\r\n\r\n",
        token.unwrap_or_default()
    );
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    let mut chunk = [0; 16_384];
    while answer.len() < ADMIN_ANSWER_BYTES_MAX && !is_complete(&answer) {
        let left = end.checked_duration_since(Instant::now());
        let left = left.filter(|left| !left.is_zero());
        stream.set_read_timeout(Some(left.ok_or(io::ErrorKind::TimedOut)?))?;
        let count = stream.read(&mut chunk)?;
        match chunk.get(..count) {
            None | Some([]) => break,
            Some(bytes) => answer.extend_from_slice(bytes),
        }
    }
    Ok(answer)
}

/// The body, or why there is none; nothing where it is no answer at all.
fn body(answer: &[u8]) -> Option<Result<String, AdminRequestError>> {
    let (head, body) = parts(answer)?;
    let mut words = head.lines().next()?.split(' ');
    if !words.next()?.starts_with("HTTP/1.") {
        return None;
    }
    let status: u16 = words.next()?.parse().ok()?;
    let body = String::from_utf8_lossy(body);
    Some(match status {
        200 => Ok(body.into_owned()),
        status => {
            let line = body.lines().next().unwrap_or_default();
            let line = line.chars().filter(|c| !c.is_control());
            Err(AdminRequestError::Refused(
                status,
                line.take(LINE_CHARS_MAX).collect(),
            ))
        }
    })
}

impl fmt::Display for AdminRequestError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settings(problems) => write!(formatter, "problems: {}", problems.len()),
            Self::Nowhere => write!(
                formatter,
                "admin.listen is off, or names no port: there is nobody to ask"
            ),
            Self::Unreachable(address, kind) => {
                write!(formatter, "no answer from {address}: {kind}")
            }
            Self::Strange(address) => {
                write!(formatter, "{address} does not answer as a pgsieve does")
            }
            Self::Refused(401, _) => write!(
                formatter,
                "the token is wanted: --token-file, or admin.token_file in the settings"
            ),
            Self::Refused(_, line) => formatter.write_str(line),
        }
    }
}

/// Letters of a refusal that are shown: they are a pgsieve's own, or those of something else that
/// listens there.
const LINE_CHARS_MAX: usize = 300;
