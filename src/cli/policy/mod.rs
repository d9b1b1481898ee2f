//! `pgsieve policy …`: everything about policies that needs no proxy. One file for each command.

pub(super) mod check;
pub(super) mod diff;
pub(super) mod explain;
pub(super) mod files;
pub(super) mod import;
pub(super) mod init;
pub(super) mod known;
pub(super) mod person_flags;
pub(super) mod print;
pub(super) mod rewrite;
pub(super) mod set_mode;
pub(super) mod suggest;
pub(super) mod test;
pub(super) mod trial;

use std::io::Write;

use clap::Subcommand;

use crate::cli::{CommandOutcome, print_outcome};
use crate::policy::schema;

/// The flags of `policy`.
#[derive(clap::Args)]
pub struct PolicyFlags {
    #[command(subcommand)]
    command: PolicyCommand,
}

/// What can be asked about policies.
#[derive(Subcommand)]
enum PolicyCommand {
    /// Prints every mistake in policies, with its place.
    Check(check::PolicyCheckFlags),
    /// Runs the tests that policies carry, like unit tests.
    Test(test::PolicyTestFlags),
    /// Shows the verdict on a statement and how it came about: which policy, what each name refers
    /// to, which entries of the policy match, what runs.
    Explain(explain::PolicyExplainFlags),
    /// Finds statements whose verdict differs between two policies; never prints them.
    Diff(diff::PolicyDiffFlags),
    /// Prints a policy together with all that it extends: where each line comes from, what is left
    /// out, and which lines let more through than the extended policy.
    Print(print::PolicyPrintFlags),
    /// Proposes the narrowest policy under which the statements of an audit still run.
    Suggest(suggest::PolicySuggestFlags),
    /// Writes the first draft of a policy, from a database's catalog if --upstream names one.
    Init(init::PolicyInitFlags),
    /// Prints what a project of dbt says of its relations as a part of a policy: knowledge, and on
    /// request models.
    Import(import::PolicyImportFlags),
    /// Prints the relations that a policy's wildcards match now, for relations.known.
    Known(known::PolicyKnownFlags),
    /// Sets the mode of a policy file; the rest of the file stays as it is written.
    SetMode(set_mode::SetModeFlags),
    /// Prints the JSON Schema of policy files, for editors: every key with its meaning.
    Schema {
        /// Prints that of files of knowledge, which policies name.
        #[arg(long)]
        knowledge: bool,
    },
}

/// Does what is asked for.
pub fn run(flags: &PolicyFlags, out: &mut impl Write) -> CommandOutcome {
    match &flags.command {
        PolicyCommand::Check(flags) => check::run(flags, out),
        PolicyCommand::Test(flags) => test::run(flags, out),
        PolicyCommand::Explain(flags) => explain::run(flags, out),
        PolicyCommand::Diff(flags) => diff::run(flags, out),
        PolicyCommand::Print(flags) => print::run(flags, out),
        PolicyCommand::Suggest(flags) => suggest::run(flags, out),
        PolicyCommand::Init(flags) => init::run(flags, out),
        PolicyCommand::Import(flags) => import::run(flags, out),
        PolicyCommand::Known(flags) => known::run(flags, out),
        PolicyCommand::SetMode(flags) => set_mode::run(flags, out),
        PolicyCommand::Schema { knowledge } => {
            let text = match knowledge {
                true => schema::knowledge_text(),
                false => schema::text(),
            };
            print_outcome(out.write_all(text.as_bytes()))
        }
    }
}
