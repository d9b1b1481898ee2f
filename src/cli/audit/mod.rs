//! `pgsieve audit`: what an audit says, and whether it is whole.

pub(super) mod files;
pub(super) mod open;
pub(super) mod summary;
pub(super) mod top;
pub(super) mod verify;

use std::io::Write;

use crate::cli::{Outcome, said};
use crate::telemetry::audit::schema;

/// The flags of `audit`.
#[derive(clap::Args)]
pub struct Flags {
    #[command(subcommand)]
    question: Question,
}

/// What can be asked about an audit.
#[derive(clap::Subcommand)]
enum Question {
    /// Finds lines that were altered, taken out, put in or moved, across rotated files.
    Verify(verify::Flags),
    /// Sums up: what is refused most, by rule and user, what was repaired, and what is slow.
    Top(top::Flags),
    /// Prints the lines that have a text, in clear, for whoever has the identity.
    Open(open::Flags),
    /// Prints the JSON Schema of the audit's lines.
    Schema,
}

/// Does what the flags ask for.
pub fn run(flags: &Flags, out: &mut impl Write) -> Outcome {
    match &flags.question {
        Question::Verify(flags) => verify::run(flags, out),
        Question::Top(flags) => top::run(flags, out),
        Question::Open(flags) => open::run(flags, out),
        Question::Schema => {
            let printed = serde_json::to_string_pretty(&schema::json_schema());
            said(match printed {
                Ok(text) => writeln!(out, "{text}"),
                Err(error) => Err(error.into()),
            })
        }
    }
}
