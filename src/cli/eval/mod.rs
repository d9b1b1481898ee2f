//! `pgsieve eval`: questions are answered through pgsieve, and their rows held against those of a
//! reference.
//!
//! * `run_flags`: what it can be told; `inputs`: which questions; `run`: they are asked
//! * `report`: what reports say, side by side

mod inputs;
mod report;
mod run;
mod run_flags;

use std::io::Write;

use clap::Subcommand;

use self::run_flags::EvalRunFlags;
use crate::cli::{CommandOutcome, print_outcome};
use crate::evaluation::report::SCHEMA;

/// The flags of `eval`.
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = STATUSES
)]
pub struct EvalFlags {
    #[command(subcommand)]
    question: Option<EvalQuestion>,
    #[command(flatten)]
    run: EvalRunFlags,
}

#[derive(Subcommand)]
enum EvalQuestion {
    /// Shows reports as a table, each beside the first, and as one HTML file.
    Report(report::ReportFlags),
    /// Prints the JSON Schema of reports.
    Schema,
}

/// Does what the flags ask for.
pub fn run(flags: &EvalFlags, out: &mut impl Write) -> CommandOutcome {
    match &flags.question {
        Some(EvalQuestion::Report(flags)) => report::run(flags, out),
        Some(EvalQuestion::Schema) => print_outcome(out.write_all(SCHEMA.as_bytes())),
        None => run::run(&flags.run, out),
    }
}

/// For `--help`.
const STATUSES: &str = "Datasets are JSON Lines or one array, {id?, question, sql?, gold_sql? or \
    expected?, database?, origin?, comments?, difficulty?}, and the files of BIRD, Spider and \
    sql-eval as they are published. Statements run through a pgsieve of its own before --upstream, \
    read-only, under the policy. Rows are compared as a multiset, in order where the reference has \
    ORDER BY; numbers by value, floats to a millionth. Exit status: 0 when all were asked; 1 when \
    pgsieve does not serve, or --at-least is missed; 2 when the command or a file is wrong.";
