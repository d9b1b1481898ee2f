//! `pgsieve policy …`: everything about policies that needs no proxy. One file for each command.

use std::io::Write;

use clap::Subcommand;

use crate::cli::{
    Outcome, policy_check, policy_diff, policy_explain, policy_init, policy_known, policy_mode,
    policy_print, policy_suggest, policy_test, said,
};
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
    Check(policy_check::Flags),
    /// Runs the tests that policies carry, like unit tests.
    Test(policy_test::Flags),
    /// Shows the verdict on a statement and the path to it: which policy, what each name stands
    /// for, which entries speak about it, what runs.
    Explain(policy_explain::Flags),
    /// Says which statements change their verdict between two policies; never prints them.
    Diff(policy_diff::Flags),
    /// Shows what a policy comes to with everything that it extends: where each line is from, what
    /// is left out, and what lets more through than the policy below.
    Print(policy_print::Flags),
    /// Proposes the narrowest policy under which what an audit has seen still runs.
    Suggest(policy_suggest::Flags),
    /// Writes the beginning of a policy, from a database's catalog where one is named.
    Init(policy_init::Flags),
    /// Prints the relations that a policy lets in by wildcards, so that later ones can be kept out.
    Known(policy_known::Flags),
    /// Has a policy file observe or enforce, and leaves the rest of it as it is written.
    SetMode(policy_mode::Flags),
    /// Prints the JSON Schema of policy files, for editors: every key with its meaning.
    Schema,
}

/// Does what is asked for.
pub fn run(flags: &Flags, out: &mut impl Write) -> Outcome {
    match &flags.command {
        Command::Check(flags) => policy_check::run(flags, out),
        Command::Test(flags) => policy_test::run(flags, out),
        Command::Explain(flags) => policy_explain::run(flags, out),
        Command::Diff(flags) => policy_diff::run(flags, out),
        Command::Print(flags) => policy_print::run(flags, out),
        Command::Suggest(flags) => policy_suggest::run(flags, out),
        Command::Init(flags) => policy_init::run(flags, out),
        Command::Known(flags) => policy_known::run(flags, out),
        Command::SetMode(flags) => policy_mode::run(flags, out),
        Command::Schema => said(out.write_all(schema::text().as_bytes())),
    }
}
