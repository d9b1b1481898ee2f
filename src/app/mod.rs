//! Builds every shared part from the settings, serves, and takes everything down in order.
//!
//! * `check`: whether all of that would work; `reload`: what of it is exchanged while it serves;
//!   `upstream_watch`: whether the upstream answers, and a look at its roles; `budget_writer`: what
//!   keeps budgets of the day over restarts

mod budget_writer;
pub mod check;
mod reload;
mod upstream_watch;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::signal::unix::{Signal, SignalKind, signal};

use self::reload::{Held, Renewal};
use self::upstream_watch::{RoleLook, watch_upstream};
use crate::auth::{Auth, AuthSetupError};
use crate::config::sources::Sources;
use crate::config::warnings::Warning;
use crate::config::{ListenAddress, PolicyTests, Settings};
use crate::limits;
use crate::net::client_tls::ClientTls;
use crate::net::pem::{TlsPart, TlsSetupError};
use crate::offline::assumptions::Roles;
use crate::policy::{Live, PolicySet, Problem};
use crate::server::admin::{self, Admin, AdminKeys};
use crate::server::budget_file::BudgetFileError;
use crate::server::listener::Place;
use crate::server::readiness::Readiness;
use crate::server::reload::policy_tests::Tested;
use crate::server::reload::{Asker, Reloader};
use crate::server::{self, Server, ServerSettings, StartError};
use crate::session::login::LoginDesk;
use crate::session::login::login_settings::{CurrentEntrance, Entrance};
use crate::session::memory::budget::Budget;
use crate::session::policy_limits::per_user::Accounts;
use crate::session::policy_store::{
    RecordedNames, RecordedQueryIds, RecordedTexts, Recording, Regime,
};
use crate::session::registry::Roster;
use crate::session::shared::House;
use crate::sql::fingerprint::Fingerprinter;
use crate::system_error;
use crate::telemetry::events::{
    Listening, PoliciesHold, PolicyTestsPassed, PolicyTestsWait, SettingsWarned,
};
use crate::telemetry::log::{Log, LogPlace};
use crate::telemetry::{Telemetry, TelemetryError, panic_hook};
use crate::upstream::cancel::CancelRegistry;
use crate::upstream::catalog_cache::Catalogs;
use crate::upstream::compile_pool::Sides;
use crate::upstream::connect::Upstream;

/// Why pgsieve could not start.
#[derive(Debug)]
pub enum AppError {
    /// The operating system had no event queue, signal handler or randomness to give.
    System(io::Error),
    /// The log's file cannot be opened.
    Log {
        /// Where it would go.
        place: LogPlace,
        /// What the system said.
        kind: io::ErrorKind,
    },
    /// Metrics or audit could not be set up.
    Telemetry(TelemetryError),
    /// The certificates for clients do not work.
    ClientTls(TlsSetupError),
    /// The certificates for the upstream do not work.
    UpstreamTls(TlsSetupError),
    /// The way of logging in does not work with the other settings.
    Auth(AuthSetupError),
    /// An address could not be bound, or a worker not be started.
    Server(StartError),
    /// Tests of the policies that have to pass have not: everything that is wrong.
    PolicyTests(Vec<Problem>),
    /// What users have received today is not known.
    Budgets(BudgetFileError),
    /// The admin address could not be bound.
    Admin {
        /// Which.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
}

/// Serves until SIGTERM or SIGINT, drains, and returns when every client is gone. `sources` are
/// what the settings were read from: they are read again when somebody says so.
///
/// # Errors
/// Why it could not start; nothing was served then.
pub fn run(settings: Settings, sources: Sources) -> Result<(), AppError> {
    let log = Log::open(&settings.log).map_err(|error| AppError::Log {
        place: settings.log.to.clone(),
        kind: error.kind(),
    })?;
    let telemetry = Telemetry::start(&settings.telemetry, log).map_err(AppError::Telemetry)?;
    panic_hook::install(&telemetry);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let served = runtime
        .map_err(AppError::System)?
        .block_on(serve(settings, sources, &telemetry));
    telemetry.close(limits::AUDIT_LAST_FLUSH);
    telemetry.flush_traces(limits::TRACE_LAST_FLUSH);
    served
}

async fn serve(
    settings: Settings,
    sources: Sources,
    telemetry: &Telemetry,
) -> Result<(), AppError> {
    let held = Held::with(&settings);
    held.warn(telemetry);
    let roles = RoleLook::of(&settings, telemetry);
    let (asker, wishes) = Asker::new();
    let roster = Roster::default();
    let keys = Arc::new(AdminKeys::new(
        settings.admin_token.clone(),
        settings.admin_hosts.clone(),
    ));
    let door = AdminDoor {
        address: settings.admin,
        keys: Arc::clone(&keys),
        asker: asker.clone(),
        roster: roster.clone(),
    };
    let server_settings = server_settings(&settings);
    let live = Arc::new(Live::new(settings.policies.clone()));
    let set = &live.current();
    telemetry.emit(&PoliciesHold { set });
    let tests = (settings.policy_tests.clone(), Roles::of(&settings.auth));
    let budget_file = settings.budget_file.clone();
    let desk = LoginDesk {
        roster,
        ..desk(settings, Arc::clone(&live), telemetry)?
    };
    let budgets = budget_writer::Budgets::open(budget_file, &desk.accounts, telemetry)?;
    let (upstream, catalogs) = (Arc::clone(&desk.upstream), desk.catalogs.clone());
    let tests = tests_of(tests, &upstream);
    let known = (catalogs.clone(), Arc::clone(&live));
    let readiness = Arc::new(Readiness::new(known.0, known.1, telemetry.clone()));
    door.open(&readiness, telemetry).await?;
    let seen = (Arc::clone(&readiness), telemetry.clone());
    tokio::spawn(watch_upstream((upstream, roles), seen.0, seen.1));
    let mut signals = Signals::listen().map_err(AppError::System)?;
    if let Some(tests) = &tests {
        readiness.note_tests_wait();
        tokio::select! {
            tested = pass(tests, set, &catalogs, telemetry) => tested?,
            () = signals.until_stop(telemetry, &asker) => return Ok(()),
        }
    }
    let house = House::new(desk);
    let desk = Arc::clone(&house.desk);
    let server = Server::start(server_settings, house).map_err(AppError::Server)?;
    readiness.note_open();
    listening(&server, telemetry);
    let renewal = Arc::new(Renewal::new((held, sources), desk, keys, telemetry.clone()));
    let reloader = Reloader {
        watched: renewal.watched(),
        read: Arc::new(move || renewal.read()),
        live,
        catalogs,
        readiness: Arc::clone(&readiness),
        telemetry: telemetry.clone(),
        wishes,
    };
    tokio::spawn(reloader.run());
    let stop = async {
        signals.until_stop(telemetry, &asker).await;
        readiness.note_draining();
    };
    server.run(stop, telemetry).await;
    budgets.close(telemetry);
    Ok(())
}

fn listening(server: &Server, telemetry: &Telemetry) {
    for place in server.places() {
        telemetry.emit(&Listening {
            what: "clients",
            address: &place,
        });
    }
}

fn server_settings(settings: &Settings) -> ServerSettings {
    ServerSettings {
        listen: settings.listen.iter().map(place).collect(),
        workers: settings.workers,
        connections_max: settings.connections_max,
        drain_timeout: settings.drain_timeout,
    }
}

/// The tests that have to pass, if any have to.
fn tests_of(
    (wanted, roles): (PolicyTests, Roles),
    upstream: &Arc<Upstream>,
) -> Option<server::reload::policy_tests::PolicyTests> {
    match wanted {
        PolicyTests::Off => None,
        PolicyTests::Required(account) => Some(server::reload::policy_tests::PolicyTests {
            upstream: Arc::clone(upstream),
            account,
            roles,
        }),
    }
}

/// Waits until the tests of the policies have passed, or one has not. May be cancelled.
async fn pass(
    tests: &server::reload::policy_tests::PolicyTests,
    set: &Arc<PolicySet>,
    catalogs: &Catalogs,
    telemetry: &Telemetry,
) -> Result<(), AppError> {
    telemetry.emit(&PolicyTestsWait);
    let Tested { passed, problems } = tests.begin(set, catalogs).await;
    if !problems.is_empty() {
        return Err(AppError::PolicyTests(problems));
    }
    telemetry.emit(&PolicyTestsPassed { passed });
    Ok(())
}

/// What the admin address is opened with.
struct AdminDoor {
    /// None where it is off.
    address: Option<SocketAddr>,
    keys: Arc<AdminKeys>,
    asker: Asker,
    roster: Roster,
}

impl AdminDoor {
    async fn open(self, readiness: &Arc<Readiness>, telemetry: &Telemetry) -> Result<(), AppError> {
        let Some(address) = self.address else {
            return Ok(());
        };
        let unbound = |source| AppError::Admin { address, source };
        let listener = TcpListener::bind(address).await.map_err(unbound)?;
        let bound = listener.local_addr().map_err(unbound)?.to_string();
        telemetry.emit(&Listening {
            what: "admin",
            address: &bound,
        });
        tokio::spawn(admin::serve(
            listener,
            Admin {
                telemetry: telemetry.clone(),
                readiness: Arc::clone(readiness),
                keys: self.keys,
                asker: self.asker,
                roster: self.roster,
            },
        ));
        Ok(())
    }
}

fn tell(found: impl IntoIterator<Item = Warning>, telemetry: &Telemetry) {
    for Warning { warning, key, what } in found {
        telemetry.emit(&SettingsWarned {
            warning,
            key: &key,
            what: &what,
        });
    }
}

/// What the operating system has to say.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Until then, SIGHUP has the audit's file opened anew, and settings and policies read again.
    async fn until_stop(&mut self, telemetry: &Telemetry, asker: &Asker) {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return,
                _ = self.interrupt.recv() => return,
                _ = self.hangup.recv() => {
                    telemetry.reopen();
                    asker.ask();
                }
            }
        }
    }
}

fn desk(settings: Settings, live: Arc<Live>, telemetry: &Telemetry) -> Result<LoginDesk, AppError> {
    let tls = ClientTls::load(&settings.client_tls).map_err(AppError::ClientTls)?;
    let auth = Auth::load(settings.auth, &tls).map_err(AppError::Auth)?;
    let upstream = Upstream::load(settings.upstream).map_err(AppError::UpstreamTls)?;
    let upstream = Arc::new(upstream);
    let catalogs = Catalogs::start(
        settings.catalog,
        Arc::clone(&upstream),
        &live.current(),
        telemetry.clone(),
        Handle::current(),
    );
    let sides = Sides::new(Arc::clone(&upstream), Handle::current());
    let mut process_key = [0; 32];
    getrandom::fill(&mut process_key)
        .map_err(|error| AppError::System(io::Error::other(error.to_string())))?;
    let audit = &settings.telemetry.audit;
    let audited = !audit.is_off();
    let texts = match audited && !audit.text_recipients.is_empty() {
        true => RecordedTexts::Encrypted,
        false => RecordedTexts::None,
    };
    let is_shown = settings.telemetry.recent || settings.telemetry.traces.is_some();
    let recording = (audited || is_shown).then(|| {
        let key = settings.fingerprint_key.map(|key| key.0);
        Recording {
            fingerprinter: Fingerprinter::new(key, process_key),
            names: match (audited && settings.audit_names, settings.audit_columns) {
                (false, _) => RecordedNames::None,
                (true, false) => RecordedNames::Objects,
                (true, true) => RecordedNames::Columns,
            },
            texts,
            queryids: match audited && settings.audit_queryid {
                true => RecordedQueryIds::AsTold,
                false => RecordedQueryIds::None,
            },
        }
    });
    Ok(LoginDesk {
        entrance: CurrentEntrance::new(Entrance {
            tls,
            auth,
            attributes: settings.attributes,
            report_as: settings.report_as,
        }),
        roster: Roster::default(),
        upstream,
        catalogs,
        sides,
        regime: Arc::new(Regime::new(live, recording)),
        cancels: CancelRegistry::new(),
        accounts: Accounts::new(),
        memory: Budget::new(settings.memory, telemetry.memory()),
        telemetry: telemetry.clone(),
    })
}

fn place(address: &ListenAddress) -> Place {
    match address {
        ListenAddress::Tcp(address) => Place::Tcp(*address),
        ListenAddress::Unix(path) => Place::Unix(path.clone()),
    }
}

impl fmt::Display for AppError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(source) => write!(formatter, "the system refused: {}", source.kind()),
            Self::Log { place, kind } => {
                let path = place.to_string();
                let path = Path::new(&path);
                let has_folder = path.parent().is_none_or(Path::is_dir);
                let told = system_error::of_new_file(path, *kind, has_folder);
                write!(formatter, "log.to: {told}")
            }
            Self::Telemetry(source) => write!(formatter, "{source}"),
            Self::ClientTls(source) => {
                let key = match source.part() {
                    Some(TlsPart::Certificate) => ".certificate",
                    Some(TlsPart::Key) => ".key",
                    Some(TlsPart::Authority) => ".client_ca",
                    None => "",
                };
                write!(formatter, "client.tls{key}: {source}")
            }
            Self::UpstreamTls(source) => {
                let key = match source.part() {
                    Some(TlsPart::Certificate) => ".certificate",
                    Some(TlsPart::Key) => ".key",
                    Some(TlsPart::Authority) => ".root_certificate",
                    None => "",
                };
                write!(formatter, "upstream.tls{key}: {source}")
            }
            Self::Auth(source) => write!(formatter, "client.auth: {source}"),
            Self::Server(source) => write!(formatter, "{source}"),
            Self::PolicyTests(problems) => {
                let count = problems.len();
                write!(
                    formatter,
                    "policy.tests: required, and not passed: {count}; nothing was served"
                )
            }
            Self::Budgets(source) => write!(formatter, "{source}"),
            Self::Admin { address, source } => {
                let told = system_error::of_address(&address.to_string(), source.kind());
                write!(formatter, "admin.listen: {told}; off does without it")
            }
        }
    }
}
