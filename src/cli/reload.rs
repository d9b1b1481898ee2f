//! `pgsieve reload`: has a pgsieve on this host read everything again, and tells what came of it.

use std::io::{self, Write};

use crate::cli::admin_request;
use crate::cli::admin_request::AdminFlags;
use crate::cli::{CommandOutcome, fail, print_outcome};
use crate::server::reload::source::ReloadReport;
use crate::telemetry::session_info::cleaned;
use crate::telemetry::session_info::on_one_line;

/// The flags of `reload`.
#[derive(clap::Args)]
pub struct ReloadFlags {
    #[command(flatten)]
    admin_flags: AdminFlags,
    /// Prints the answer as JSON.
    #[arg(long)]
    json: bool,
}

/// Does what the flags ask for.
pub fn run(flags: &ReloadFlags, out: &mut dyn Write) -> CommandOutcome {
    let answer = match admin_request::ask(&flags.admin_flags, "POST", "/api/reload") {
        Ok(answer) => answer,
        Err(trouble) => return admin_request::explain(trouble),
    };
    let Ok(report) = serde_json::from_str::<ReloadReport>(&answer) else {
        return fail(format_args!(
            "the answer is none of a pgsieve of this version"
        ));
    };
    let printed = if flags.json {
        writeln!(out, "{answer}")
    } else {
        print(&report, out)
    };
    match (report.problems.is_empty(), print_outcome(printed)) {
        (true, printed) => printed,
        (false, _) => CommandOutcome::Failed,
    }
}

fn print(report: &ReloadReport, out: &mut dyn Write) -> io::Result<()> {
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
