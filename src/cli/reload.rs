//! `pgsieve reload`: has a pgsieve on this host read everything again, and tells what came of it.

use std::io::{self, Write};

use crate::cli::admin_request;
use crate::cli::admin_request::Whom;
use crate::cli::{Outcome, fail, said};
use crate::server::reload::source::Report;
use crate::telemetry::session_info::cleaned;

/// The flags of `reload`.
#[derive(clap::Args)]
pub struct Flags {
    #[command(flatten)]
    whom: Whom,
    /// Prints the answer as JSON.
    #[arg(long)]
    json: bool,
}

/// Does what the flags ask for.
pub fn run(flags: &Flags, out: &mut dyn Write) -> Outcome {
    let answer = match admin_request::ask(&flags.whom, "POST", "/api/reload") {
        Ok(answer) => answer,
        Err(trouble) => return admin_request::explain(trouble),
    };
    let Ok(report) = serde_json::from_str::<Report>(&answer) else {
        return fail(format_args!(
            "the answer is none of a pgsieve of this version"
        ));
    };
    let printed = if flags.json {
        writeln!(out, "{answer}")
    } else {
        print(&report, out)
    };
    match (report.problems.is_empty(), said(printed)) {
        (true, printed) => printed,
        (false, _) => Outcome::Failed,
    }
}

fn print(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", cleaned(&report.outcome))?;
    for key in &report.changed {
        writeln!(out, "changed: {}", cleaned(key))?;
    }
    if report.policies_changed {
        writeln!(out, "changed: the policies")?;
    }
    for (key, change) in &report.waiting {
        writeln!(
            out,
            "waits for a restart: {}: {}",
            cleaned(key),
            on_one_line(change)
        )?;
    }
    if report.sessions_ended > 0 {
        writeln!(out, "sessions ended: {}", report.sessions_ended)?;
    }
    for (place, what) in &report.problems {
        writeln!(out, "{}: {}", on_one_line(place), on_one_line(what))?;
    }
    out.flush()
}

fn on_one_line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}
