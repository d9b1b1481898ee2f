//! The command line: what can be asked of the program, and what it answers to the shell.
//!
//! Exit status 0: done. 1: it could not be done, `check` refused something or found a lint error,
//! or something that `repair` saw would fail. 2: the question itself was wrong, or its input could
//! not be read.
//!
//! * `serve`: the proxy; `mcp`: the same for an agent that starts it; `mcp_token`: what lets agents
//!   in over HTTP
//! * `check`: judge statements, without a database or with the catalog of one
//! * `repair`: what would become of statements that fail
//! * `choose`: which of several statements answers a question
//! * `eval`: how good statements for questions are, as a number
//! * `ground`: what a session may read, told for a prompt
//! * `import`: settings out of a configuration of PgBouncer
//! * `policy`: what there is to ask about policies, one file for each question
//! * `audit`: what an audit says, one file for each question
//! * `receipt`: keys of receipts, and what a receipt proves
//! * `doctor`: what the role could do at the database
//! * `health`, `reload`, `sessions` (by `admin_request`): what operators ask of a running pgsieve
//! * `rules`: what each rule is for
//! * `hash_password`, `certs`: what setting up needs
//! * `demo_generator`: scripted answers to the questions of the demo
//! * `statement_input`, `verdict_output`, `check_lints`: how `check` reads and writes;
//!   `database_catalog`: for
//!   which session; `settings_sources`: where settings come from; `allocator`: memory given back

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::config::keys;
use crate::demo::{self, DemoArguments};
use crate::telemetry::metrics;

mod admin_request;
mod allocator;
mod audit;
mod certs;
mod check;
mod check_lints;
mod choose;

mod database_catalog;
mod demo_generator;
mod doctor;
mod eval;
mod ground;
mod hash_password;
mod health;
mod import;
mod mcp;
mod mcp_token;
mod policy;
mod receipt;
mod reload;
mod repair;
mod rules;
mod serve;
mod sessions;
mod settings_sources;
mod statement_input;
mod verdict_output;

/// A PostgreSQL proxy that lets only reads through.
#[derive(Parser)]
#[command(name = "pgsieve", version, about, disable_help_subcommand = true)]
struct CliArguments {
    #[command(subcommand)]
    command: CliCommand,
}

/// What can be asked for.
#[derive(Subcommand)]
enum CliCommand {
    /// Runs the proxy.
    Serve(serve::ServeFlags),
    /// Serves an agent that starts it: reads of a database as tools of the Model Context Protocol,
    /// over standard input and output.
    Mcp(mcp::McpFlags),
    /// Makes a token that lets an agent in over HTTP (mcp.listen), and prints it once.
    McpToken(mcp_token::McpTokenFlags),
    /// Judges statements, with or without the catalog of a database; never prints them.
    Check(check::CheckFlags),
    /// Shows how statements that fail would be repaired: each attempt, its recoverer, its
    /// confidence and the database's answer. Executes nothing without --execute.
    Repair(repair::RepairFlags),
    /// Puts several statements for one question in order: each judged, repaired, compiled, linted
    /// and planned, and scored with the reasons. Executes nothing without --agree.
    Choose(choose::ChooseFlags),
    /// Answers the questions of a dataset through pgsieve, holds the rows against a reference's,
    /// and says how many are right, before and after repairs; compares reports.
    Eval(Box<eval::EvalFlags>),
    /// Prints what a session may read, for the prompt of a language model: relations, columns,
    /// keys, models and more, under the policy and the role's rights.
    Ground(ground::GroundFlags),
    /// Writes settings out of a configuration of PgBouncer, and says what could not be carried
    /// over.
    Import(import::ImportFlags),
    /// Checks, tests, explains, compares and proposes policies, and prints the schema of their
    /// files.
    Policy(policy::PolicyFlags),
    /// Prints what a rule refuses and why, with examples; or lists all rules.
    Rules(rules::RulesFlags),
    /// Checks that an audit is whole, and sums it up.
    Audit(audit::AuditFlags),
    /// Makes the key that signs receipts of statements, and says what a receipt proves.
    Receipt(receipt::ReceiptFlags),
    /// Examines the upstream: what its user could do without pgsieve, and the SQL that would harden
    /// it.
    Doctor(doctor::DoctorFlags),
    /// Asks a pgsieve on this host whether it is ready, for health checks.
    Health(health::HealthFlags),
    /// Makes a pgsieve on this host read its settings, policies, certificates and secrets again,
    /// and prints the result.
    Reload(reload::ReloadFlags),
    /// Lists the sessions of a pgsieve on this host, or ends one.
    Sessions(sessions::SessionsFlags),
    /// Reads a password and prints its SCRAM-SHA-256 verifier in Postgres's format.
    HashPassword,
    /// Makes certificates for development: an authority, a server and a client.
    Certs(certs::CertsFlags),
    /// Shows pgsieve at work with a private Postgres, or with the one of --upstream.
    Demo(DemoFlags),
    /// Answers a question about the demo's shop by a script, for evaluations without a model.
    #[command(hide = true)]
    DemoGenerator(demo_generator::DemoGeneratorFlags),
    /// Prints every metric: its name, type, unit, labels and meaning, as a table in Markdown.
    Metrics,
    /// Prints every setting: its key, meaning, default and environment variable.
    Keys,
}

/// The flags of `demo`.
#[derive(clap::Args)]
struct DemoFlags {
    /// A database to use for the tour; nothing in it is changed.
    #[arg(long, value_name = "URL")]
    upstream: Option<String>,
    /// A policy file, or agent, bi, strict or observe.
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// The audit's file.
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    /// Ends after the tour.
    #[arg(long)]
    once: bool,
    /// In place of the tour: three scripted generators answer sixty questions about the sample, and
    /// their accuracy is shown, as a table and as a page of charts.
    #[arg(long, conflicts_with_all = ["upstream", "policy", "audit"])]
    eval: bool,
}

/// How a command ended; what is worse is greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CommandOutcome {
    /// As asked.
    Done,
    /// It could not be done; why has been said.
    Failed,
    /// The question was wrong; why has been said.
    Misused,
}

/// Does what the program's arguments ask for.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match CliArguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are errors to clap; it prints each where it belongs.
            let status = if error.use_stderr() {
                CommandOutcome::Misused
            } else {
                CommandOutcome::Done
            };
            let _ = error.print();
            return status.into();
        }
    };
    let mut out = io::stdout().lock();
    let outcome = match arguments.command {
        CliCommand::Serve(flags) => {
            drop(out);
            serve::run(flags)
        }
        CliCommand::Mcp(flags) => {
            drop(out);
            mcp::run(flags)
        }
        CliCommand::McpToken(flags) => mcp_token::run(&flags, &mut out),
        CliCommand::Check(flags) => check::run(&flags, &mut out),
        CliCommand::Repair(flags) => repair::run(&flags, &mut out),
        CliCommand::Choose(flags) => choose::run(&flags, &mut out),
        CliCommand::Eval(flags) => eval::run(&flags, &mut out),
        CliCommand::Ground(flags) => ground::run(&flags, &mut out),
        CliCommand::Import(flags) => import::run(&flags, &mut out),
        CliCommand::Policy(flags) => policy::run(&flags, &mut out),
        CliCommand::Rules(flags) => rules::run(&flags, &mut out),
        CliCommand::Audit(flags) => audit::run(&flags, &mut out),
        CliCommand::Receipt(flags) => receipt::run(&flags, &mut out),
        CliCommand::Doctor(flags) => doctor::run(&flags, &mut out),
        CliCommand::Health(flags) => health::run(&flags, &mut out),
        CliCommand::Reload(flags) => reload::run(&flags, &mut out),
        CliCommand::Sessions(flags) => sessions::run(&flags, &mut out),
        CliCommand::HashPassword => hash_password::run(&mut out),
        CliCommand::Certs(flags) => certs::run(&flags, &mut out),
        CliCommand::Demo(flags) => {
            drop(out);
            show(flags)
        }
        CliCommand::DemoGenerator(flags) => demo_generator::run(&flags, &mut out),
        CliCommand::Metrics => print_outcome(out.write_all(metrics::markdown().as_bytes())),
        CliCommand::Keys => print_outcome(out.write_all(keys::reference().as_bytes())),
    };
    outcome.into()
}

fn show(flags: DemoFlags) -> CommandOutcome {
    let DemoFlags {
        upstream,
        policy,
        audit,
        once,
        eval,
    } = flags;
    let arguments = DemoArguments {
        upstream,
        policy,
        audit,
        once,
        evaluates: eval,
    };
    match demo::run(&arguments, &mut io::stdout()) {
        Ok(()) => CommandOutcome::Done,
        Err(error) => fail(format_args!("{error}")),
    }
}

impl From<CommandOutcome> for ExitCode {
    fn from(outcome: CommandOutcome) -> Self {
        match outcome {
            CommandOutcome::Done => Self::SUCCESS,
            CommandOutcome::Failed => Self::FAILURE,
            CommandOutcome::Misused => Self::from(2),
        }
    }
}

/// Says on stderr why a command failed.
fn fail(why: std::fmt::Arguments<'_>) -> CommandOutcome {
    complain(why);
    CommandOutcome::Failed
}

/// One line on stderr. When nobody listens there, the exit status still tells.
fn complain(why: std::fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "pgsieve: {why}");
}

/// The outcome of printing: a reader that went away has seen enough.
fn print_outcome(printed: io::Result<()>) -> CommandOutcome {
    match printed {
        Ok(()) => CommandOutcome::Done,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => CommandOutcome::Done,
        Err(error) => fail(format_args!(
            "the output cannot be written: {}",
            error.kind()
        )),
    }
}
