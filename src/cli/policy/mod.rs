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

use crate::cli::{Outcome, said};
use crate::policy::schema;

/// The flags of `policy`.
#[derive(clap::Args)]
pub struct Flags {
    #[command(subcommand)]
    command: Command,
}

/// What can be asked about policies.
#[derive(Subcommand)]
enum Command {
    /// Says everything that is wrong with policies, each thing with its place.
    Check(check::Flags),
    /// Runs the tests that policies carry, like unit tests.
    Test(test::Flags),
    /// Shows the verdict on a statement and the path to it: which policy, what each name stands
    /// for, which entries speak about it, what runs.
    Explain(explain::Flags),
    /// Says which statements change their verdict between two policies; never prints them.
    Diff(diff::Flags),
    /// Shows what a policy comes to with everything that it extends: where each line is from, what
    /// is left out, and what lets more through than the policy below.
    Print(print::Flags),
    /// Proposes the narrowest policy under which what an audit has seen still runs.
    Suggest(suggest::Flags),
    /// Writes the beginning of a policy, from a database's catalog where one is named.
    Init(init::Flags),
    /// Prints the relations that a policy lets in by wildcards, so that later ones can be kept out.
    Known(known::Flags),
    /// Has a policy file observe or enforce, and leaves the rest of it as it is written.
    SetMode(set_mode::Flags),
    /// Prints the JSON Schema of policy files, for editors: every key with its meaning.
    Schema,
}

/// Does what is asked for.
pub fn run(flags: &Flags, out: &mut impl Write) -> Outcome {
    match &flags.command {
        Command::Check(flags) => check::run(flags, out),
        Command::Test(flags) => test::run(flags, out),
        Command::Explain(flags) => explain::run(flags, out),
        Command::Diff(flags) => diff::run(flags, out),
        Command::Print(flags) => print::run(flags, out),
        Command::Suggest(flags) => suggest::run(flags, out),
        Command::Init(flags) => init::run(flags, out),
        Command::Known(flags) => known::run(flags, out),
        Command::SetMode(flags) => set_mode::run(flags, out),
        Command::Schema => said(out.write_all(schema::text().as_bytes())),
    }
}
