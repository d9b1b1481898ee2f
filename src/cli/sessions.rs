//! `pgsieve sessions`: who is in at a pgsieve on this host, and ends a session.

use std::io::{self, Write};

use serde::Deserialize;

use crate::cli::admin_request;
use crate::cli::admin_request::AdminFlags;
use crate::cli::{CommandOutcome, fail, print_outcome};
use crate::session::registry::SessionShown;
use crate::telemetry::session_info::cleaned;

/// The flags of `sessions`.
#[derive(clap::Args)]
pub struct SessionsFlags {
    #[command(flatten)]
    admin_flags: AdminFlags,
    /// Ends the session with this number; its client gets 57P01, as from pg_terminate_backend().
    #[arg(long, value_name = "ID")]
    kill: Option<u64>,
    /// Prints the answer as JSON.
    #[arg(long, conflicts_with = "kill")]
    json: bool,
}

/// The answer.
#[derive(Deserialize)]
struct SessionsAnswer {
    sessions: Vec<SessionShown>,
    more: usize,
}

/// Does what the flags ask for.
pub fn run(flags: &SessionsFlags, out: &mut dyn Write) -> CommandOutcome {
    let asked = match flags.kill {
        Some(id) => admin_request::ask(
            &flags.admin_flags,
            "POST",
            &format!("/api/sessions/{id}/end"),
        ),
        None => admin_request::ask(&flags.admin_flags, "GET", "/api/sessions"),
    };
    let answer = match asked {
        Ok(answer) => answer,
        Err(trouble) => return admin_request::explain(trouble),
    };
    if flags.kill.is_some() {
        return print_outcome(writeln!(out, "ended"));
    }
    if flags.json {
        return print_outcome(writeln!(out, "{answer}"));
    }
    match serde_json::from_str::<SessionsAnswer>(&answer) {
        Ok(sessions) => print_outcome(print(&sessions, out)),
        Err(_) => fail(format_args!(
            "the answer is none of a pgsieve of this version"
        )),
    }
}

/// A table with a column for each fact, as wide as it has to be.
fn print(found: &SessionsAnswer, out: &mut dyn Write) -> io::Result<()> {
    let rows = found.sessions.iter().map(row);
    let rows: Vec<[String; COLUMNS.len()]> = rows.collect();
    let width = |place: usize| {
        let all = rows.iter().filter_map(|row| row.get(place));
        let most = all.map(|cell| cell.chars().count()).max();
        let head = COLUMNS.get(place).map(|head| head.len());
        most.max(head).unwrap_or_default()
    };
    let widths: Vec<usize> = (0..COLUMNS.len()).map(width).collect();
    for cells in [COLUMNS.map(String::from)].iter().chain(&rows) {
        let padded = cells.iter().zip(&widths);
        let padded: Vec<String> = padded
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        writeln!(out, "{}", padded.join("  ").trim_end())?;
    }
    if found.more > 0 {
        writeln!(out, "and {} more", found.more)?;
    }
    out.flush()
}

fn row(one: &SessionShown) -> [String; COLUMNS.len()] {
    let or_dash = |text: Option<&str>| match text {
        None | Some("") => String::from("-"),
        Some(text) => cleaned(text),
    };
    let client = if one.tls {
        format!("{} (TLS)", one.client)
    } else {
        one.client.clone()
    };
    [
        one.id.to_string(),
        or_dash(Some(&one.user)),
        or_dash(Some(&one.database)),
        or_dash(Some(&one.application_name)),
        or_dash(Some(&client)),
        or_dash(Some(&one.since)),
        or_dash(Some(&one.state)),
        one.upstream_pid
            .map_or_else(|| "-".into(), |pid| pid.to_string()),
        or_dash(one.fingerprint.as_deref()),
        one.rows.to_string(),
        one.bytes.to_string(),
    ]
}

/// What stands over the columns.
const COLUMNS: [&str; 11] = [
    "id",
    "user",
    "database",
    "application",
    "client",
    "since",
    "state",
    "upstream pid",
    "fingerprint",
    "rows",
    "bytes",
];
