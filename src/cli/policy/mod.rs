//! `pgsieve policy …`: everything about policies that needs no proxy. One file for each command.

pub(super) mod check;
pub(super) mod diff;
pub(super) mod explain;
pub(super) mod files;
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
    /// Says everything that is wrong with policies, each thing with its place.
    Check(check::PolicyCheckFlags),
    /// Runs the tests that policies carry, like unit tests.
    Test(test::PolicyTestFlags),
    /// Shows the verdict on a statement and the path to it: which policy, what each name stands
    /// for, which entries speak about it, what runs.
    Explain(explain::PolicyExplainFlags),
    /// Says which statements change their verdict between two policies; never prints them.
    Diff(diff::PolicyDiffFlags),
    /// Shows what a policy comes to with everything that it extends: where each line is from, what
    /// is left out, and what lets more through than the policy below.
    Print(print::PolicyPrintFlags),
    /// Proposes the narrowest policy under which what an audit has seen still runs.
    Suggest(suggest::PolicySuggestFlags),
    /// Writes the beginning of a policy, from a database's catalog where one is named.
    Init(init::PolicyInitFlags),
    /// Prints the relations that a policy lets in by wildcards, so that later ones can be kept out.
    Known(known::PolicyKnownFlags),
    /// Has a policy file observe or enforce, and leaves the rest of it as it is written.
    SetMode(set_mode::SetModeFlags),
    /// Prints the JSON Schema of policy files, for editors: every key with its meaning.
    Schema,
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
        PolicyCommand::Known(flags) => known::run(flags, out),
        PolicyCommand::SetMode(flags) => set_mode::run(flags, out),
        PolicyCommand::Schema => print_outcome(out.write_all(schema::text().as_bytes())),
    }
}
