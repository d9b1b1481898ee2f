//! `pgsieve audit`: what an audit says, and whether it is whole.

use std::io::Write;

use crate::cli::{Outcome, audit_open, audit_top, audit_verify, said};
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
    Verify(audit_verify::Flags),
    /// Sums up: what is refused most, by rule and user, what was repaired, and what is slow.
    Top(audit_top::Flags),
    /// Prints the lines that have a text, in clear, for whoever has the identity.
    Open(audit_open::Flags),
    /// Prints the JSON Schema of the audit's lines.
    Schema,
}

/// Does what the flags ask for.
pub fn run(flags: &Flags, out: &mut impl Write) -> Outcome {
    match &flags.question {
        Question::Verify(flags) => audit_verify::run(flags, out),
        Question::Top(flags) => audit_top::run(flags, out),
        Question::Open(flags) => audit_open::run(flags, out),
        Question::Schema => {
            let printed = serde_json::to_string_pretty(&schema::json_schema());
            said(match printed {
                Ok(text) => writeln!(out, "{text}"),
                Err(error) => Err(error.into()),
            })
        }
    }
}
