//! `pgsieve audit`: what an audit says, and whether it is whole.

pub(super) mod chains;
pub(super) mod files;
pub(super) mod open;
pub(super) mod summary;
pub(super) mod top;
pub(super) mod verify;

use std::io::Write;

use crate::cli::{CommandOutcome, print_outcome};
use crate::telemetry::audit::schema;

/// The flags of `audit`.
#[derive(clap::Args)]
pub struct AuditFlags {
    #[command(subcommand)]
    question: AuditCommand,
}

/// What can be asked about an audit.
#[derive(clap::Subcommand)]
enum AuditCommand {
    /// Finds lines of an audit that were changed, removed, inserted or moved, across rotated files
    /// and the files of several copies.
    Verify(verify::AuditVerifyFlags),
    /// Sums up: what is refused most, by rule and user, what was repaired, and what is slow.
    Top(top::AuditTopFlags),
    /// Decrypts the lines of an audit that have an encrypted text.
    Open(open::Flags),
    /// Prints the JSON Schema of the audit's lines.
    Schema,
}

/// Does what the flags ask for.
pub fn run(flags: &AuditFlags, out: &mut impl Write) -> CommandOutcome {
    match &flags.question {
        AuditCommand::Verify(flags) => verify::run(flags, out),
        AuditCommand::Top(flags) => top::run(flags, out),
        AuditCommand::Open(flags) => open::run(flags, out),
        AuditCommand::Schema => {
            let printed = serde_json::to_string_pretty(&schema::json_schema());
            print_outcome(match printed {
                Ok(text) => writeln!(out, "{text}"),
                Err(error) => Err(error.into()),
            })
        }
    }
}
