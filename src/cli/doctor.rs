//! `pgsieve doctor`: what the database behind would allow were the gate absent, and the SQL that
//! would harden it. It runs none of that SQL.

use std::io::{self, BufWriter, IsTerminal, Write};

use clap::ValueEnum;
use tokio::runtime;

use crate::cli::{Outcome, complain, database, doctor_json, doctor_table, said};
use crate::config::Problem;
use crate::upstream::examination::check::Severity;
use crate::upstream::examination::{Examination, examine};

/// The flags of `doctor`.
#[derive(clap::Args)]
#[command(after_help = STATUSES)]
pub struct Flags {
    /// The database, and the role that pgsieve logs in as:
    /// postgres://user[:password]@host[:port]/[name]. What else says how to get there can come
    /// from the environment, as for serve.
    #[arg(long, value_name = "URL")]
    upstream: String,
    /// Prints one JSON object in place of the table.
    #[arg(long)]
    json: bool,
    /// Prints only the SQL that would harden the database.
    #[arg(long, conflicts_with = "json")]
    sql: bool,
    /// The least severe finding that makes the exit status 1.
    #[arg(long, value_name = "SEVERITY", default_value = "warning")]
    fail_on: FailOn,
}

/// What makes the exit status 1.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// What must be mended.
    Danger,
    /// What should be mended, as well.
    Warning,
}

/// Examines, and prints what was found.
pub fn run(flags: &Flags, out: &mut impl Write) -> Outcome {
    let found = match look(&flags.upstream) {
        Ok(found) => found,
        Err(problems) => {
            for problem in problems {
                complain(format_args!("{problem}"));
            }
            return Outcome::Misused;
        }
    };
    let mut out = BufWriter::new(out);
    let printed = print(flags, &found, &mut out).and_then(|()| out.flush());
    let least = match flags.fail_on {
        FailOn::Danger => Severity::Danger,
        FailOn::Warning => Severity::Warning,
    };
    match said(printed) {
        Outcome::Done if found.worst() >= least => Outcome::Failed,
        outcome => outcome,
    }
}

fn print(flags: &Flags, found: &Examination, out: &mut impl Write) -> io::Result<()> {
    if flags.json {
        return doctor_json::write(found, out);
    }
    if flags.sql {
        return doctor_table::write_script(found, out);
    }
    let colours = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    doctor_table::write(found, colours, out)
}

fn look(url: &str) -> Result<Examination, Vec<Problem>> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| database::unexamined(&error.kind()))?;
    runtime.block_on(async {
        let way = database::way(url)?;
        let found = examine(&way.upstream, &way.account, &way.database).await;
        found.map_err(|error| database::unexamined(&error))
    })
}

/// For `--help`.
const STATUSES: &str = "Exit status: 0 when nothing of that severity was found; 1 when something \
    was; 2 when the database cannot be examined.";
