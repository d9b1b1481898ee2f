//! `pgsieve doctor`: what the database behind would allow were the gate absent, and the SQL that
//! would harden it. It runs none of that SQL.

pub(super) mod json;
pub(super) mod table;

use std::fmt;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use jiff::Timestamp;
use tokio::runtime;

use crate::auth::settings::{AuthSettings, QuerySettings};
use crate::cli::settings_sources::sources;
use crate::cli::{CommandOutcome, complain, database_catalog, print_outcome};
use crate::config::sources::FlagValue;
use crate::config::warnings::{self, ConfigWarning, UpstreamIdentities};
use crate::config::{self, ProgramSettings, SettingsProblem};
use crate::doctor::check::FindingSeverity;
use crate::doctor::verifier_function::{self, VerifierFunction};
use crate::doctor::{DoctorReport, ExamineError, examine, examine_beside, login_roles};
use crate::upstream::account::UpstreamAccount;
use crate::upstream::catalog_cache::catalog_account::AccountSetting;
use crate::upstream::connect::{SharedContents, Upstream};
use crate::upstream::engine::known::SharedEngine;
use crate::upstream::verifier_lookup::database_of;

/// The flags of `doctor`.
#[derive(clap::Args)]
#[command(after_help = STATUSES)]
pub struct DoctorFlags {
    /// The database, and the role that pgsieve logs in as:
    /// postgres://user[:password]@host[:port]/[name]. What else says how to get there can come
    /// from the environment, as for serve.
    #[arg(long, value_name = "URL", required_unless_present = "config")]
    upstream: Option<String>,
    /// A settings file of pgsieve: its weak settings are reported with their keys, and the database
    /// of its upstream.url is examined unless --upstream names one.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Prints one JSON object instead of the table.
    #[arg(long)]
    json: bool,
    /// Prints only the SQL that would harden the database.
    #[arg(long, conflicts_with = "json")]
    sql: bool,
    /// The lowest severity of a finding that makes the exit status 1.
    #[arg(long, value_name = "SEVERITY", default_value = "warning")]
    fail_on: FailOn,
}

/// What makes the exit status 1.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// What must be fixed
    Danger,
    /// Also what should be fixed
    Warning,
}

/// What was looked at.
struct DoctorResult {
    found: DoctorReport,
    /// What should be mended about the settings, where some were given.
    warnings: Option<Vec<ConfigWarning>>,
}

/// Examines, and prints what was found.
pub fn run(flags: &DoctorFlags, out: &mut impl Write) -> CommandOutcome {
    let looked = match examine_database(flags) {
        Ok(found) => found,
        Err(problems) => {
            for problem in problems {
                complain(format_args!("{problem}"));
            }
            return CommandOutcome::Misused;
        }
    };
    let mut out = BufWriter::new(out);
    let printed = print(flags, &looked, &mut out).and_then(|()| out.flush());
    let least = match flags.fail_on {
        FailOn::Danger => FindingSeverity::Danger,
        FailOn::Warning => FindingSeverity::Warning,
    };
    match print_outcome(printed) {
        CommandOutcome::Done if looked.worst() >= least => CommandOutcome::Failed,
        outcome => outcome,
    }
}

fn print(flags: &DoctorFlags, looked: &DoctorResult, out: &mut impl Write) -> io::Result<()> {
    let (found, warnings) = (&looked.found, looked.warnings.as_deref());
    if flags.json {
        return json::write(found, warnings, out);
    }
    if flags.sql {
        return table::write_script(found, out);
    }
    let colours = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    table::write(found, warnings, colours, out)
}

impl DoctorResult {
    fn worst(&self) -> FindingSeverity {
        let of_settings = match self.warnings.as_deref() {
            None | Some([]) => FindingSeverity::Ok,
            Some(_) => FindingSeverity::Warning,
        };
        self.found.worst().max(of_settings)
    }
}

fn examine_database(flags: &DoctorFlags) -> Result<DoctorResult, Vec<SettingsProblem>> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| database_catalog::unexamined(&error.kind()))?;
    match (&flags.config, &flags.upstream) {
        (Some(config), url) => runtime.block_on(with_settings(config, url.as_deref())),
        (None, url) => runtime.block_on(async {
            let way = database_catalog::way(url.as_deref().unwrap_or_default())?;
            let found = examine(&way.upstream, &way.account, &way.database).await;
            Ok(DoctorResult {
                found: found.map_err(|error| database_catalog::unexamined_by(&error))?,
                warnings: None,
            })
        }),
    }
}

/// With settings: what is to be said of them, by themselves and at their database.
async fn with_settings(
    config: &Path,
    url: Option<&str>,
) -> Result<DoctorResult, Vec<SettingsProblem>> {
    let flag = url.map(|url| FlagValue {
        path: "upstream.url",
        name: "--upstream",
        value: url.to_owned(),
    });
    let settings = config::load(&sources(Some(config), flag.into_iter().collect())?)?;
    let mut warnings = warnings::of(&settings, Timestamp::now().as_second());
    let known = match &settings.catalog.account {
        AccountSetting::Configured(account) | AccountSetting::OfUrl(account) => {
            Some(account.clone())
        }
        AccountSetting::Nobody => None,
    };
    let Some(account) = UpstreamAccount::of(&settings.upstream).or(known) else {
        let what = "the settings name nobody to examine the database as: give --upstream \
                    postgres://user@host/name as well";
        return Err(unexamined(&warnings, "--config", &what));
    };
    let database = settings.upstream.database.clone();
    let database = database.unwrap_or_else(|| account.user.clone());
    let known = UpstreamIdentities::of(&settings);
    let lookup = queries(&settings);
    let engine = SharedEngine::new(settings.servers.engine, false);
    let upstream = Upstream::load(settings.upstream)
        .map_err(|error| unexamined(&warnings, "upstream.tls", &error))?
        .with_contents(&SharedContents::of(engine));
    let why = |error: ExamineError, warnings: &[ConfigWarning]| {
        let what = format!("the database cannot be examined: {error}");
        unexamined(warnings, "upstream.url", &what)
    };
    let named = login_roles::load_server_names(&upstream, &account, &database).await;
    let named = named.map_err(|error| why(error, &warnings))?;
    warnings.extend(warnings::of_server(&known, &settings.policies, &named));
    let beside = lookup.as_ref().map(|lookup| &lookup.function);
    let found = examine_beside(&upstream, &account, &database, beside).await;
    let mut found = found.map_err(|error| why(error, &warnings))?;
    if let Some(lookup) = lookup {
        let lookup = VerifierFunction {
            database: database_of(&lookup, &upstream),
            account: UpstreamAccount {
                user: lookup.account.user,
                secret: lookup.account.secret,
            },
            function: lookup.function,
        };
        let of_lookup = verifier_function::examine(&upstream, &lookup).await;
        found = found.with_lookup(&lookup, of_lookup);
    }
    Ok(DoctorResult {
        found,
        warnings: Some(warnings),
    })
}

/// What the settings ask for verifiers, where they do.
fn queries(settings: &ProgramSettings) -> Option<QuerySettings> {
    match &settings.auth {
        AuthSettings::AuthQuery(query) => Some((**query).clone()),
        _ => None,
    }
}

/// Why there is no examination; what is known of the settings is told all the same.
fn unexamined(
    warnings: &[ConfigWarning],
    place: &str,
    what: &dyn fmt::Display,
) -> Vec<SettingsProblem> {
    let warned = warnings.iter().map(|one| SettingsProblem {
        place: format!("warning {}: {}", one.warning.name(), one.key),
        what: one.what.clone(),
    });
    let why = SettingsProblem {
        place: place.into(),
        what: what.to_string(),
    };
    warned.chain([why]).collect()
}

/// For `--help`.
const STATUSES: &str = "Exit status: 0 when nothing of that severity was found; 1 when something \
    was; 2 when the database cannot be examined.";
