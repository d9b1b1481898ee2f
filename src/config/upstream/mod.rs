//! The settings of the way to the upstream: a URL, and keys that say the rest.
//!
//! The TLS keys mean what libpq's parameters of the URL mean, and are read by the same code; what
//! both say is said twice and therefore a problem. What neither says of an address that a flag
//! gives is taken from where libpq takes it.
//!
//! * `databases`: those at servers of their own; `policy_targets`: whether policies leave any
//! * `engine`: of which engine servers are to be
//! * `peers`: other copies of pgsieve, which are reached as an upstream is

pub mod databases;
pub mod engine;
pub mod peers;
pub mod policy_targets;

use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::config::libpq::LibpqDefaults;
use crate::config::pool::{self, PoolBase};
use crate::config::quantities::duration;
use crate::config::settings_key::{KeyForm, SettingsKey};
use crate::config::value_reader::{KeyReader, PlacedWord, ReadValue};
use crate::limits;
use crate::policy::PolicySet;
use crate::policy::sources::PolicySource;
use crate::secret::Secret;
use crate::upstream::address::UpstreamSettings;
use crate::upstream::address::host_list::UpstreamAddress;
use crate::upstream::engine::EngineSetting;
use crate::upstream::servers::ServersSettings;
use crate::upstream::servers::directory::DatabaseRoute;

/// Where the database is.
pub const URL: SettingsKey = SettingsKey {
    path: "upstream.url",
    form: KeyForm::Word,
    default: "none, it must be given",
    doc: "The Postgres behind pgsieve: postgres://[user[:password]@]host[:port]/[database]. A primary \
          and its standbys are named as libpq has it: postgres://user@one:5432,two:5432/database.",
};

/// Which of several servers serve.
pub const TARGETS: SettingsKey = SettingsKey {
    path: "upstream.targets",
    form: KeyForm::Word,
    default: "the URL's target_session_attrs; without it prefer-standby",
    doc: "Which of several servers sessions go to: any, primary, standby (never the primary), or \
          prefer-standby (the primary where no standby is there and near enough).",
};

/// How old what a standby shows may be.
pub const LAG_MAX: SettingsKey = SettingsKey {
    path: "upstream.lag_max",
    form: KeyForm::Word,
    default: "30s",
    doc: "How far a standby may be behind, as it says itself, for sessions to be sent there, from \
          100ms to 1d.",
};

/// How long reads wait for what their clients have named.
pub const MIN_LSN_WAIT: SettingsKey = SettingsKey {
    path: "upstream.min_lsn_wait",
    form: KeyForm::Word,
    default: "1s",
    doc: "How long a read waits until its standby has replayed what the client has named in \
          pgsieve.min_lsn, from 0s to 60s; then it goes to a server that has, or is refused.",
};

/// `upstream`, of which one server is named.
pub fn upstream(reader: &mut KeyReader) -> Option<UpstreamSettings> {
    let (upstream, servers) = servers(reader)?;
    if !servers.others.is_empty() {
        let place = reader.place_of("upstream.url");
        reader.note(&place, "names more than one host, where one is wanted");
        return None;
    }
    Some(upstream)
}

/// Notes what of the servers does not go with the policies or with the connections that sessions
/// share.
pub fn check(
    reader: &mut KeyReader,
    policies: Option<&(PolicySet, Vec<PolicySource>)>,
    servers: (&Option<ServersSettings>, &Option<Vec<DatabaseRoute>>),
    shared: PoolBase,
) {
    policy_targets::check(reader, policies, servers);
    engine::check(reader, policies, servers, shared.mode);
    if let Some(databases) = servers.1 {
        pool::check(reader, shared, databases);
    }
}

/// What is said of all servers.
fn of_all(reader: &mut KeyReader) -> Option<ServersSettings> {
    use limits::upstreams::{LAG_MAX as LAG_USUAL, MIN_LSN_WAIT as WAIT_USUAL};
    let lag_max = duration(reader, LAG_MAX.path, LAG_BOUNDS, LAG_USUAL);
    let min_lsn_wait = duration(reader, MIN_LSN_WAIT.path, MIN_LSN_BOUNDS, WAIT_USUAL);
    let (key, usual) = (engine::ENGINE.path, EngineSetting::Auto);
    let engine = reader.parsed(key, usual, engine::served_engine);
    Some(ServersSettings {
        lag_max: lag_max?,
        min_lsn_wait: min_lsn_wait?,
        engine: engine?,
        ..ServersSettings::alone()
    })
}

/// `upstream`: the first server, and the others with what is said of them all.
pub fn servers(reader: &mut KeyReader) -> Option<(UpstreamSettings, ServersSettings)> {
    let of_all = of_all(reader);
    let mut wrong = false;
    let mut more = String::new();
    for (path, parameter) in PARAMETER_KEYS {
        match reader.word(path) {
            ReadValue::Absent => {}
            ReadValue::Wrong => wrong = true,
            ReadValue::Given(word) => {
                let is_word = matches!(*parameter, "sslmode" | "target_session_attrs");
                let is_file = !is_word && word.text != "system";
                if is_file && matches!(reader.file(path), ReadValue::Wrong) {
                    wrong = true;
                }
                let value = match *parameter {
                    "target_session_attrs" => word.text.clone(),
                    _ => utf8_percent_encode(&word.text, NON_ALPHANUMERIC).to_string(),
                };
                more.push_str(&format!("&{parameter}={value}"));
            }
        }
    }
    let password = match reader.word("upstream.password_file") {
        ReadValue::Absent => None,
        ReadValue::Wrong => return None,
        ReadValue::Given(word) => Some(reader.secret_in(&word)?),
    };
    let url = match reader.word("upstream.url") {
        ReadValue::Given(word) => word,
        ReadValue::Wrong => return None,
        ReadValue::Absent => {
            reader.note("upstream.url", URL_WANTED);
            return None;
        }
    };
    let defaults = match url.place == FLAG {
        true => LibpqDefaults::of(reader)?,
        false => LibpqDefaults::default(),
    };
    let sign = if url.text.contains('?') { "" } else { "?" };
    let address = format!("{}{sign}{more}", url.text);
    match UpstreamAddress::parse_with(&address, &defaults.words) {
        Ok(address) if !wrong => {
            let UpstreamAddress { servers, targets } = address;
            let mut servers = servers.into_iter();
            let first = completed(reader, servers.next()?, password, (url, defaults));
            let others = servers.map(|server| like(&first, server)).collect();
            let targets = targets.unwrap_or_default();
            let servers = ServersSettings {
                others,
                targets,
                ..of_all?
            };
            Some((first, servers))
        }
        Ok(_) => None,
        Err(problems) => {
            let place = match defaults.variables.as_slice() {
                [] => url.place,
                variables => format!("{}, with {}", url.place, variables.join(", ")),
            };
            for problem in problems {
                reader.note(&place, problem.to_string());
            }
            None
        }
    }
}

/// Another server of the same address: whoever logs in at the first does so there.
fn like(first: &UpstreamSettings, server: UpstreamSettings) -> UpstreamSettings {
    UpstreamSettings {
        password: first.password.clone(),
        ..server
    }
}

/// With the password, and a look at the files that are named.
fn completed(
    reader: &mut KeyReader,
    mut settings: UpstreamSettings,
    password: Option<Secret>,
    (url, mut defaults): (PlacedWord, LibpqDefaults),
) -> UpstreamSettings {
    if password.is_some() && settings.password.is_some() {
        let place = reader.place_of("upstream.password_file");
        reader.note(&place, "the URL has a password already");
    }
    settings.password = password.or(settings.password.take());
    if settings.password.is_none() {
        settings.password = defaults.password(reader, &settings);
    }
    let tls = &settings.tls;
    let named = [tls.certificate(), tls.key(), tls.authority()];
    for file in named.into_iter().flatten() {
        reader.note_file(file, &url.place);
    }
    if let Some(key) = settings.tls.key() {
        let place = if reader.has("upstream.tls.key") {
            reader.place_of("upstream.tls.key")
        } else {
            url.place
        };
        reader.note_secret_file(key, &place);
    }
    settings
}

/// The bounds of [`MIN_LSN_WAIT`]: after longer waits clients give up first.
const MIN_LSN_BOUNDS: (Duration, Duration) = (Duration::ZERO, Duration::from_secs(60));

/// The bounds of [`LAG_MAX`].
const LAG_BOUNDS: (Duration, Duration) =
    (Duration::from_millis(100), Duration::from_secs(24 * 3600));

/// What is said where there is no URL.
const URL_WANTED: &str = "is required: postgres://user@host:port/database, in the settings file, in \
                          PGSIEVE_UPSTREAM_URL or with --upstream";

/// Where an address stands that what libpq takes from elsewhere counts for.
const FLAG: &str = "--upstream";

/// The keys, and the parameters of the URL that mean the same.
const PARAMETER_KEYS: &[(&str, &str)] = &[
    ("upstream.tls.mode", "sslmode"),
    ("upstream.tls.root_certificate", "sslrootcert"),
    ("upstream.tls.certificate", "sslcert"),
    ("upstream.tls.key", "sslkey"),
    ("upstream.targets", "target_session_attrs"),
];
