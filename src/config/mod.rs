//! Settings: as they are written, and as they are meant.
//!
//! Three sources, later ones win: a YAML file, the environment, flags. What is wrong with them is
//! reported all at once, each with its place, and never with the value that stands there: it may
//! be a secret in the wrong spot.
//!
//! * [`keys`]: the table of every key, [`settings_key`]: one of them; [`sources`]: what the sources
//!   say, by key
//! * [`value_reader`]: one value of a key, checked; [`quantities`]: durations and sizes; [`libpq`]:
//!   what the address of a flag does not say
//! * [`digests`]: what settings were, for those who read them again; [`reload_difference`]: what of
//!   new ones needs a restart
//! * [`warnings`]: what should be mended about settings that work
//! * [`choice_weights`]: what `pgsieve choose` counts
//! * [`server`], [`recording`], [`receipts`], [`capture`], [`mcp`], [`pool`], [`upstream`],
//!   [`catalog`], [`client`], [`users`] and [`oidc`]: the sections, each made into the settings of
//!   the part that needs them

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::auth::settings::{AuthSettings, UserAttributes};
use crate::choose::score::ChoiceWeights;
use crate::net::client_tls::ClientTlsSettings;
use crate::policy::mask_key::MaskPad;
use crate::policy::sources::PolicySource;
use crate::policy::{Policy, PolicySet};
use crate::secret::Secret;
use crate::session::console::access::ConsoleAccess;
use crate::session::context::reported_role::ReportAs;
use crate::session::login::disabled_users::DisabledUsers;
use crate::session::policy_limits::limits_store::LimitsStoreSettings;
use crate::telemetry::TelemetrySettings;
use crate::telemetry::log::LogSettings;
use crate::telemetry::log::key_places::KeyPlaces;
use crate::upstream::account::UpstreamAccount;
use crate::upstream::address::UpstreamSettings;
use crate::upstream::cancel::peers::PeerSettings;
use crate::upstream::catalog_cache::CatalogCacheSettings;
use crate::upstream::catalog_cache::catalog_account::AccountSetting;
use crate::upstream::pool::{OwnPoolSizes, PoolMode, PoolSettings};
use crate::upstream::servers::ServersSettings;
use crate::upstream::servers::directory::DatabaseRoute;

mod capture;
mod capture_keys;
mod catalog;
mod choice_weights;
mod client;
pub mod digests;
pub mod keys;
mod libpq;
mod limits_store;
mod login_keys;
pub mod mcp;
mod misplaced_keys;
mod oidc;
pub mod pool;
pub mod quantities;
mod receipt_keys;
pub mod receipts;
mod recording;
pub mod reload_difference;
mod server;
pub mod settings_key;
pub mod sources;
mod upstream;
mod user_keys;
mod users;
mod value_reader;
pub mod warnings;

use self::mcp::McpSettings;
pub use self::server::WorkerSettings;
use digests::SettingsDigests;
use receipts::ReceiptSettings;
use sources::{FileRead, SettingsSources};
use value_reader::{KeyReader, ReadingPass};

/// Everything that can be set, checked and ready for the parts that need it.
pub struct ProgramSettings {
    /// Where clients arrive.
    pub listen: Vec<ListenAddress>,
    /// Where metrics and probes are served, if anywhere.
    pub admin: Option<SocketAddr>,
    /// The Postgres behind.
    pub upstream: UpstreamSettings,
    /// What is behind beside it.
    pub servers: ServersSettings,
    /// The databases that are elsewhere.
    pub databases: Vec<DatabaseRoute>,
    /// TLS with clients.
    pub client_tls: ClientTlsSettings,
    /// How clients prove who they are.
    pub auth: AuthSettings,
    /// What is known of users beside their names.
    pub attributes: UserAttributes,
    /// Users who may not log in.
    pub disabled: DisabledUsers,
    /// As what the server is reported to clients.
    pub report_as: ReportAs,
    /// How pgsieve knows what the databases contain.
    pub catalog: CatalogCacheSettings,
    /// What is allowed, and to whom.
    pub policies: PolicySet,
    /// Where the policies come from, for reading them anew.
    pub policy_sources: Vec<PolicySource>,
    /// Whether the policies' own tests have to pass.
    pub policy_tests: PolicyTests,
    /// What opens the live page to those who are not on this host.
    pub admin_token: Option<Secret>,
    /// The names that the admin address may be asked for by, beside its addresses.
    pub admin_hosts: Vec<String>,
    /// The keys whose files hold secrets that others can read.
    pub exposed_files: Vec<String>,
    /// What is recorded.
    pub telemetry: TelemetrySettings,
    /// What is logged, and where.
    pub log: LogSettings,
    /// Whether the audit has the names of what statements read.
    pub audit_names: bool,
    /// Whether it has the names of the columns as well.
    pub audit_columns: bool,
    /// Whether it has what the server calls statements.
    pub audit_queryid: bool,
    /// How agents are served that have no driver, if they are.
    pub mcp: Option<McpSettings>,
    /// Whom the console is for.
    pub console: ConsoleAccess,
    /// The connections that sessions share, where a database says nothing else.
    pub pool: PoolSettings,
    /// Other copies behind the same address, if there are any.
    pub peers: Option<PeerSettings>,
    /// How receipts are signed, if there are any.
    pub receipts: Option<ReceiptSettings>,
    /// The key of the fingerprints.
    pub fingerprint_key: Option<FingerprintKey>,
    /// What serves clients.
    pub workers: WorkerSettings,
    /// Clients at a time.
    pub connections_max: usize,
    /// Bytes of memory that clients may take in sum.
    pub memory: usize,
    /// What keeps budgets of the day over restarts, if anything does.
    pub budget_file: Option<PathBuf>,
    /// Where copies of pgsieve count together, if they do.
    pub limits_store: Option<LimitsStoreSettings>,
    /// How long a drain may take.
    pub drain_timeout: Duration,
    /// How long sessions may go on before a drain begins.
    pub wait_for_clients: Duration,
    /// What was written, and what stood in the files, for those who read them again.
    pub digests: SettingsDigests,
    /// Where it is written.
    pub places: KeyPlaces,
}

/// What came of reading settings again.
pub struct RereadSettings {
    /// The settings, or everything that is wrong with them.
    pub settings: Result<ProgramSettings, Vec<SettingsProblem>>,
    /// The files that were named, as far as it was read; the policies' are not among them.
    pub files: Vec<PathBuf>,
    /// Where the policies come from, where that could be read.
    pub policy_sources: Vec<PolicySource>,
}

/// The way to a database, and who reads its catalog.
pub struct DatabaseSettings {
    /// The Postgres.
    pub upstream: UpstreamSettings,
    /// Who logs in.
    pub account: AccountSetting,
}

/// Whether the policies' own tests have to pass before they hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PolicyTests {
    /// Nobody runs them.
    #[default]
    Off,
    /// They have to, against the URL's database as this account sees it.
    Required(UpstreamAccount),
}

/// A place where clients arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenAddress {
    /// An IP address and a port.
    Tcp(SocketAddr),
    /// The path of a Unix socket.
    Unix(PathBuf),
}

/// A key that makes fingerprints unguessable; never shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FingerprintKey(pub [u8; 32]);

/// One thing that is wrong with the settings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SettingsProblem {
    /// Where: file, line, column and key, a variable, or a flag.
    pub place: String,
    /// What is wrong, and what would be right.
    pub what: String,
}

/// Reads the sources, or says everything that is wrong with them. Reads the files that the
/// settings name for secrets and the policy; certificates are read by the parts that use them.
///
/// # Errors
/// Each thing that is wrong with these settings, with its place.
pub fn load(sources: &SettingsSources) -> Result<ProgramSettings, Vec<SettingsProblem>> {
    read(sources, ReadingPass::First).settings
}

/// The same, once more: what the sources name may have changed, and what is a pipe is not read.
pub fn load_again(sources: &SettingsSources) -> RereadSettings {
    read(sources, ReadingPass::Reread)
}

fn read(sources: &SettingsSources, reading: ReadingPass) -> RereadSettings {
    let written = sources::gather(sources);
    let file = written.file;
    let mut digests = SettingsDigests::of(&written.given);
    let places = sources::places(&written);
    let mut reader = KeyReader::at(reading, written, &sources.variables);
    let policy_sources = server::sources(&reader);
    if file == FileRead::Not {
        // What is missing in the rest is in the file; the policies may be elsewhere.
        server::policies(&mut reader, sources.mask_pad);
        return RereadSettings {
            settings: Err(reader.into_problems()),
            files: Vec::new(),
            policy_sources,
        };
    }
    let settings = settings(&mut reader, sources.mask_pad);
    server::strict_files(&mut reader);
    let named = reader.files();
    let files = named.iter().map(|(path, _)| path.clone()).collect();
    let settings = match (settings, reader.into_problems()) {
        (Some(settings), problems) if problems.is_empty() => {
            digests.add_files(named);
            Ok(ProgramSettings {
                digests,
                places,
                ..settings
            })
        }
        (_, problems) => Err(problems),
    };
    RereadSettings {
        settings,
        files,
        policy_sources,
    }
}

/// Reads the admin address alone out of the sources, for those who ask there.
///
/// # Errors
/// The key is there and is no address.
pub fn admin(sources: &SettingsSources) -> Result<Option<SocketAddr>, Vec<SettingsProblem>> {
    let mut reader = KeyReader::new(sources::gather(sources), &sources.variables);
    let admin = server::admin(&mut reader);
    match (admin, reader.into_problems()) {
        (Some(admin), problems) if problems.is_empty() => Ok(admin),
        (_, problems) => Err(problems),
    }
}

/// Reads the admin address and its token out of the sources, for those who ask there for something
/// to be done. What is wrong with other keys is for those who are asked to tell.
///
/// # Errors
/// One of the two keys is there and cannot be read.
pub fn admin_access(
    sources: &SettingsSources,
) -> Result<(Option<SocketAddr>, Option<Secret>), Vec<SettingsProblem>> {
    let mut written = sources::gather(sources);
    if written.file == FileRead::Not {
        return Err(written.problems);
    }
    written.problems.clear();
    let mut reader = KeyReader::new(written, &sources.variables);
    let (admin, token) = (
        server::admin(&mut reader),
        recording::admin_token(&mut reader),
    );
    match (admin, token, reader.into_problems()) {
        (Some(admin), Some(token), problems) if problems.is_empty() => Ok((admin, token)),
        (_, _, problems) => Err(problems),
    }
}

/// Reads the only policy out of the sources, for those who only judge.
///
/// # Errors
/// There is no policy, or several, or what is wrong with it.
pub fn policy(sources: &SettingsSources) -> Result<Policy, Vec<SettingsProblem>> {
    let mut reader = KeyReader::new(sources::gather(sources), &sources.variables);
    let policy = server::policy(&mut reader);
    match (policy, reader.into_problems()) {
        (Some(policy), problems) if problems.is_empty() => Ok(policy),
        (_, problems) => Err(problems),
    }
}

/// Reads the way to a database and who reads its catalog out of the sources, for those who only
/// judge.
///
/// # Errors
/// Each thing that is wrong with these settings, with its place.
pub fn database(sources: &SettingsSources) -> Result<DatabaseSettings, Vec<SettingsProblem>> {
    let mut reader = KeyReader::new(sources::gather(sources), &sources.variables);
    let upstream = upstream::upstream(&mut reader);
    let catalog = catalog::catalog(&mut reader, upstream.as_ref());
    server::strict_files(&mut reader);
    match (upstream, catalog, reader.into_problems()) {
        (Some(upstream), Some(catalog), problems) if problems.is_empty() => Ok(DatabaseSettings {
            upstream,
            account: catalog.account,
        }),
        (_, _, problems) => Err(problems),
    }
}

/// Reads what `pgsieve choose` counts out of the sources.
///
/// # Errors
/// Each thing that is wrong with these settings, with its place.
pub fn choice_weights(sources: &SettingsSources) -> Result<ChoiceWeights, Vec<SettingsProblem>> {
    let mut reader = KeyReader::new(sources::gather(sources), &sources.variables);
    let weights = choice_weights::weights(&mut reader);
    match (weights, reader.into_problems()) {
        (Some(weights), problems) if problems.is_empty() => Ok(weights),
        (_, problems) => Err(problems),
    }
}

/// Every section is read before the first missing one ends it, so that all problems are found.
fn settings(reader: &mut KeyReader, pad: Option<MaskPad>) -> Option<ProgramSettings> {
    let (listen, admin) = (server::listen(reader), server::admin(reader));
    let (upstream, servers) = upstream::servers(reader).unzip();
    let client_tls = client::tls(reader);
    server::check_distinct(reader, listen.as_deref(), admin);
    let auth = client::auth(reader, upstream.as_ref(), client_tls.as_ref());
    let (pool, shared) = pool::pool(reader, auth.as_ref());
    let databases = upstream::databases::databases(reader, shared);
    let attributes = users::attributes(reader);
    oidc::apart(reader, auth.as_ref(), attributes.as_ref());
    let (disabled, report_as) = (users::disabled(reader), client::report_as(reader));
    let catalog = catalog::catalog(reader, upstream.as_ref());
    let policies = server::policies(reader, pad);
    let policy_tests = server::policy_tests(reader, upstream.as_ref(), catalog.as_ref());
    let (admin_token, admin_hosts) = (recording::admin_token(reader), server::admin_hosts(reader));
    let telemetry = recording::telemetry(reader, matches!(admin, Some(Some(_))), upstream.as_ref());
    let (log, audit_names) = (recording::log(reader), recording::audit_names(reader));
    let audit_columns = recording::audit_columns(reader, audit_names);
    let audit_queryid = recording::audit_queryid(reader);
    let known = (upstream.as_ref(), attributes.as_ref());
    upstream::check(reader, policies.as_ref(), (&servers, &databases), shared);
    let console = pool::console::console(reader, auth.as_ref());
    let (receipts, peers) = (receipts::receipts(reader), upstream::peers::peers(reader));
    let mcp = mcp::mcp(reader, client_tls.as_ref(), known);
    let (fingerprint_key, workers) = (recording::fingerprint_key(reader), server::workers(reader));
    let (memory, connections_max) = (server::memory(reader), server::connections_max(reader));
    let (drain, wait_for_clients) = server::drain_times(reader);
    let (budget_file, store) = limits_store::kept_counts(reader);
    // For another command: that it is right is all that is asked here.
    choice_weights::weights(reader)?;
    let (policies, policy_sources) = policies?;
    Some(ProgramSettings {
        listen: listen?,
        admin: admin?,
        upstream: upstream?,
        servers: servers?,
        databases: databases?,
        client_tls: client_tls?,
        auth: auth?,
        attributes: attributes?,
        disabled: disabled?,
        report_as: report_as?,
        catalog: catalog?,
        policies,
        policy_sources,
        policy_tests: policy_tests?,
        admin_token: admin_token?,
        admin_hosts: admin_hosts?,
        exposed_files: reader.exposed_files(),
        telemetry: telemetry?,
        log: log?,
        audit_names: audit_names?,
        audit_columns: audit_columns?,
        audit_queryid: audit_queryid?,
        receipts: receipts?,
        mcp: mcp?,
        console: console?,
        pool: pool?,
        peers: peers?,
        fingerprint_key: fingerprint_key?,
        workers: workers?,
        connections_max: connections_max?,
        memory: memory?,
        budget_file: budget_file?,
        limits_store: store?,
        drain_timeout: drain?,
        wait_for_clients: wait_for_clients?,
        digests: SettingsDigests::default(),
        places: KeyPlaces::default(),
    })
}

impl ProgramSettings {
    /// The connections that sessions share, if those of any database do: for all, and what some
    /// have otherwise.
    pub fn shared_pool(&self) -> Option<(PoolSettings, OwnPoolSizes)> {
        let own = self.databases.iter().map(|route| route.pool.mode);
        let mut modes = own.flatten().chain([self.pool.mode]);
        let is_shared = modes.any(|mode| mode == PoolMode::Transaction);
        is_shared.then(|| (self.pool, DatabaseRoute::sizes(&self.databases)))
    }
}

impl fmt::Debug for FingerprintKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("FingerprintKey(…)")
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(formatter),
            Self::Unix(path) => path.display().fmt(formatter),
        }
    }
}

impl fmt::Display for SettingsProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.place, self.what)
    }
}
