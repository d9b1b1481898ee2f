//! `pgsieve serve`: settings from a file, the environment and flags, then the server.

use std::io::{self, Write};
use std::path::PathBuf;

use crate::app::{self, AppError, ProgramFront, check};
use crate::cli::policy::person_flags::PersonFlags;
use crate::cli::policy::test::misused;
use crate::cli::settings_sources::sources;
use crate::cli::{CommandOutcome, allocator, complain, fail, print_outcome};
use crate::config::sources::{FlagValue, SettingsSources};
use crate::config::warnings::ConfigWarning;
use crate::config::{self, ProgramSettings, SettingsProblem};
use crate::net::file_limit;
use crate::offline::assumptions::AssumedSession;
use crate::telemetry::log::key_places::KeyPlaces;

/// The flags of `serve`; each stands for a key of the settings and wins over it.
#[derive(clap::Args)]
pub struct ServeFlags {
    /// The settings file [default: the one that PGSIEVE_CONFIG names]; every key can also come as
    /// PGSIEVE_… (see `pgsieve keys`).
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The upstream: postgres://[user[:password]@]host[:port]/[database].
    #[arg(long, value_name = "URL")]
    upstream: Option<String>,
    /// The address for clients: host:port or the path of a Unix socket; several with commas
    /// [default: 127.0.0.1:6432].
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// The address for metrics and probes, or off [default: 127.0.0.1:9432].
    #[arg(long, value_name = "ADDRESS")]
    admin: Option<String>,
    /// Policy files, folders of them, or agent, bi, strict or observe, several with commas
    /// [default: agent].
    #[arg(long, value_name = "FILE")]
    policy: Option<String>,
    /// Where the audit goes: a file, - for standard output, syslog, or off [default: off].
    #[arg(long, value_name = "FILE")]
    audit: Option<String>,
    /// Only checks whether a start would work: settings, files, certificates, policies and their
    /// tests, a login at the upstream for every user that the settings name, and a load of the
    /// catalog. Exit status 0 if it would, 1 with every mistake and its place. With the flags below
    /// it also prints which policy and role such a session gets.
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    person: PersonFlags,
}

/// Serves until the process is told to stop.
pub fn run(flags: ServeFlags) -> CommandOutcome {
    // Before anything is read: a configuration that comes through a pipe comes once.
    allocator::restart_with_threshold();
    file_limit::raise_limit();
    let who = match flags.person.named() {
        Ok(who) => who,
        Err(problems) => return misused(&problems),
    };
    match (flags.check, who) {
        (true, who) => return check(flags, who.as_ref()),
        (false, None) => {}
        (false, Some(_)) => {
            complain(format_args!(
                "flags that say whose session it is are for --check"
            ));
            return CommandOutcome::Misused;
        }
    }
    match settings(flags) {
        Ok((settings, sources)) => {
            let places = settings.places.clone();
            let weights = config::choice_weights(&sources).unwrap_or_default();
            match app::run(settings, sources, ProgramFront::of_listeners(weights)) {
                Ok(()) => CommandOutcome::Done,
                Err(error) => unserved(&error, &places),
            }
        }
        Err(problems) => {
            for problem in problems {
                complain(format_args!("{problem}"));
            }
            CommandOutcome::Misused
        }
    }
}

/// Whether a start would work.
fn check(flags: ServeFlags, who: Option<&AssumedSession>) -> CommandOutcome {
    let checked = match settings(flags) {
        Ok((settings, _)) => check::check(settings, who),
        Err(problems) => {
            for problem in problems {
                complain(format_args!("{problem}"));
            }
            return CommandOutcome::Failed;
        }
    };
    let checked = match checked {
        Ok(checked) => checked,
        Err(error) => return fail(format_args!("the system refused: {}", error.kind())),
    };
    for ConfigWarning { warning, key, what } in &checked.warnings {
        complain(format_args!("warning: {}: {key}: {what}", warning.name()));
    }
    for warned in &checked.policy_warnings {
        complain(format_args!("warning: {warned}"));
    }
    for problem in &checked.problems {
        complain(format_args!("{problem}"));
    }
    let mut out = io::stdout().lock();
    let told = checked
        .told
        .iter()
        .try_for_each(|line| writeln!(out, "{line}"));
    match print_outcome(told) {
        CommandOutcome::Done if !checked.problems.is_empty() => CommandOutcome::Failed,
        outcome => outcome,
    }
}

/// Says why nothing is served, and names every test that has not passed.
pub(super) fn unserved(error: &AppError, places: &KeyPlaces) -> CommandOutcome {
    if let AppError::PolicyTests(problems) = error {
        for problem in problems {
            complain(format_args!("{problem}"));
        }
    }
    fail(format_args!("{}", error.describe(places)))
}

fn settings(flags: ServeFlags) -> Result<(ProgramSettings, SettingsSources), Vec<SettingsProblem>> {
    let given = [
        ("upstream.url", "--upstream", flags.upstream),
        ("listen", "--listen", flags.listen),
        ("admin.listen", "--admin", flags.admin),
        ("policy.file", "--policy", flags.policy),
        ("audit.to", "--audit", flags.audit),
    ];
    let given = given.into_iter().filter_map(|(path, name, value)| {
        let value = value?;
        Some(FlagValue { path, name, value })
    });
    let sources = sources(flags.config.as_deref(), given.collect())?;
    Ok((config::load(&sources)?, sources))
}
