//! `pgsieve mcp`: reads of a database as tools of the Model Context Protocol, over standard input
//! and output, for an agent that starts it.

use std::path::PathBuf;

use crate::app::{self, ProgramFront};
use crate::cli::serve::unserved;
use crate::cli::settings_sources::sources;
use crate::cli::{CommandOutcome, complain};
use crate::config::sources::{FlagValue, SettingsSources};
use crate::config::{self, ProgramSettings, SettingsProblem};
use crate::mcp::services::McpCaller;
use crate::net::file_limit;
use crate::telemetry::audit::settings::AuditTarget;

/// The flags of `mcp`.
#[derive(clap::Args)]
#[command(after_help = NOTES)]
pub struct McpFlags {
    /// The database: postgres://[user[:password]@]host[:port]/[database]. Other connection
    /// parameters can come from the environment, as for serve.
    #[arg(long, value_name = "URL")]
    upstream: Option<String>,
    /// Policy files, folders of them, or agent, bi, strict or observe, several with commas
    /// [default: agent].
    #[arg(long, value_name = "FILE")]
    policy: Option<String>,
    /// The user that policies see [default: the one of the URL].
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Where the audit goes: a file, or syslog [default: off].
    #[arg(long, value_name = "FILE")]
    audit: Option<String>,
    /// A settings file, as for serve.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Serves whoever has started it, until standard input ends.
pub fn run(flags: McpFlags) -> CommandOutcome {
    file_limit::raise_limit();
    let user = flags.user.clone();
    let (settings, sources) = match settings(flags) {
        Ok(settings) => settings,
        Err(problems) => return misused(&problems),
    };
    let caller = match caller(&settings, user) {
        Ok(caller) => caller,
        Err(problem) => return misused(&[problem]),
    };
    let weights = match config::choice_weights(&sources) {
        Ok(weights) => weights,
        Err(problems) => return misused(&problems),
    };
    let places = settings.places.clone();
    let front = ProgramFront {
        starter: Some(caller),
        weights,
    };
    match app::run(settings, sources, front) {
        Ok(()) => CommandOutcome::Done,
        Err(error) => unserved(&error, &places),
    }
}

fn misused(problems: &[SettingsProblem]) -> CommandOutcome {
    for problem in problems {
        complain(format_args!("{problem}"));
    }
    CommandOutcome::Misused
}

fn settings(flags: McpFlags) -> Result<(ProgramSettings, SettingsSources), Vec<SettingsProblem>> {
    let given = [
        ("upstream.url", "--upstream", flags.upstream),
        ("policy.file", "--policy", flags.policy),
        ("audit.to", "--audit", flags.audit),
        // Whoever has started the process is the client, and nobody else can reach it.
        (
            "client.auth.method",
            "pgsieve mcp",
            Some("trust".to_owned()),
        ),
        ("admin.listen", "pgsieve mcp", Some("off".to_owned())),
    ];
    let given = given.into_iter().filter_map(|(path, name, value)| {
        let value = value?;
        Some(FlagValue { path, name, value })
    });
    let sources = sources(flags.config.as_deref(), given.collect())?;
    let mut settings = config::load(&sources)?;
    settings.listen = Vec::new();
    settings.mcp = None;
    let is_stdout = |target: &AuditTarget| matches!(target, AuditTarget::Stdout);
    if settings.telemetry.audit.targets.iter().any(is_stdout) {
        let what = "standard output is the protocol's: a file, syslog or off";
        return Err(vec![problem("audit.to", what)]);
    }
    Ok((settings, sources))
}

fn caller(settings: &ProgramSettings, user: Option<String>) -> Result<McpCaller, SettingsProblem> {
    let upstream = &settings.upstream;
    let Some(role) = &upstream.user else {
        return Err(problem(
            "upstream.url",
            "names no user: postgres://user@host/name",
        ));
    };
    Ok(McpCaller::of_this_process(
        user.unwrap_or_else(|| role.clone()),
        upstream.database.clone().unwrap_or_else(|| role.clone()),
    ))
}

fn problem(place: &str, what: &str) -> SettingsProblem {
    SettingsProblem {
        place: place.into(),
        what: what.into(),
    }
}

/// For `--help`.
const NOTES: &str = "An agent's settings name this command, for example {\"command\": \
    \"pgsieve\", \"args\": [\"mcp\", \"--upstream\", \"postgres://agent@db/shop\"]}. The \
    password may come from PGPASSWORD or ~/.pgpass: arguments are shown to everybody on the \
    machine. Standard error has the log.";
