//! Builds every shared part from the settings, serves, and takes everything down in order.
//!
//! * `check`: whether all of that would work; `reload`: what of it is exchanged while it serves;
//!   `upstream_watch`: whether the upstream answers, and a look at its roles; `kept_counts`,
//!   `budget_writer`: what keeps counts of users over restarts and for other copies
//! * `front`: who is served; `console_services`: what the console shows and does; `receipts`: who
//!   signs them; `error`: why a start failed

mod budget_writer;
pub mod check;
mod console_services;
mod error;
mod front;
mod kept_counts;
mod receipts;
mod reload;
mod upstream_watch;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

pub use self::error::AppError;
use self::front::McpListener;
pub use self::front::ProgramFront;
use self::kept_counts::KeptCounts;
use self::receipts::issuer_of;
use self::reload::{SettingsBaseline, SettingsReload};
use self::upstream_watch::{RoleCheck, watch_servers};
use crate::auth::ClientAuth;
use crate::config::sources::SettingsSources;
use crate::config::warnings::ConfigWarning;
use crate::config::{ListenAddress, PolicyTests, ProgramSettings};
use crate::limits;
use crate::net::client_tls::ClientTls;
use crate::offline::assumptions::LoginRoles;
use crate::policy::{LivePolicies, PolicySet};
use crate::server::admin::{self, AdminCredentials, AdminServices};
use crate::server::grounding::people::{CurrentPeople, SettingsPeople};
use crate::server::grounding::service::GroundingService;
use crate::server::grounding::watch::watch_groundings;
use crate::server::listener::BindAddress;
use crate::server::readiness::Readiness;
use crate::server::reload::policy_tests::TestReport;
use crate::server::reload::{ReloadHandle, ReloadRequest, Reloader};
use crate::server::{self, ProxyServer, ServerSettings};
use crate::session::login::LoginContext;
use crate::session::login::login_settings::{CurrentLoginSettings, LoginSettings};
use crate::session::login::superusers::SuperuserNotices;
use crate::session::memory::budget::MemoryBudget;
use crate::session::policy_limits::per_user::UserAccounts;
use crate::session::policy_store::{
    PolicyStore, RecordedNames, RecordedQueryIds, RecordedTexts, StatementRecording,
};
use crate::session::registry::SessionRegistry;
use crate::session::shared::ServerShared;
use crate::sql::fingerprint::Fingerprinter;
use crate::telemetry::events::{
    ListenerOpened, PoliciesHold, PolicyTestsPassed, PolicyTestsWait, SettingsWarned,
};
use crate::telemetry::log::EventLog;
use crate::telemetry::{Telemetry, panic_hook};
use crate::upstream::cancel::CancelRegistry;
use crate::upstream::catalog_cache::CatalogCaches;
use crate::upstream::compile_pool::CompilePools;
use crate::upstream::pool::ConnectionPools;
use crate::upstream::servers::directory::UpstreamDirectory;
use crate::upstream::verifier_lookup::VerifierLookups;

/// Serves until SIGTERM or SIGINT, or until the only client has closed standard input, drains, and
/// returns when every client is gone. `sources` are what the settings were read from: they are read
/// again when somebody says so.
///
/// # Errors
/// Why it could not start; nothing was served then.
pub fn run(
    settings: ProgramSettings,
    sources: SettingsSources,
    front: ProgramFront,
) -> Result<(), AppError> {
    let log = EventLog::open(&settings.log).map_err(|error| AppError::Log {
        place: settings.log.to.clone(),
        kind: error.kind(),
    })?;
    log.know(settings.places.clone());
    let telemetry = Telemetry::start(&settings.telemetry, log).map_err(AppError::Telemetry)?;
    panic_hook::install(&telemetry);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(AppError::System)?;
    let served = runtime.block_on(serve((settings, sources), front, &telemetry));
    // A read of standard input cannot be taken back.
    runtime.shutdown_background();
    telemetry.close(limits::AUDIT_LAST_FLUSH);
    telemetry.flush_traces(limits::TRACE_LAST_FLUSH);
    served
}

async fn serve(
    (mut settings, sources): (ProgramSettings, SettingsSources),
    front: ProgramFront,
    telemetry: &Telemetry,
) -> Result<(), AppError> {
    let held = SettingsBaseline::with(&settings);
    held.warn(telemetry);
    let roles = RoleCheck::of(&settings, telemetry);
    let (asker, wishes) = ReloadHandle::new();
    let session_registry = SessionRegistry::default();
    let door = AdminListener::new(&settings, asker.clone(), session_registry.clone());
    let people = Arc::new(CurrentPeople::new(people_of(&settings)));
    let keys = Arc::clone(&door.keys);
    let server_settings = server_settings(&settings);
    let live = Arc::new(LivePolicies::new(settings.policies.clone()));
    let set = &live.current();
    telemetry.emit(&PoliciesHold { set });
    let tests = (settings.policy_tests.clone(), people_of(&settings));
    let kept = (settings.budget_file.clone(), settings.limits_store.take());
    let agents = settings.mcp.take();
    let login_context = LoginContext {
        session_registry,
        ..login_context(settings, Arc::clone(&live), telemetry)?
    };
    let login_context = console_services::begin(login_context, asker.clone());
    let groundings = GroundingService::new(Arc::clone(&login_context), Arc::clone(&people));
    let counts = KeptCounts::open(kept, (&login_context.accounts, &live), telemetry).await?;
    let directory = Arc::clone(&login_context.directory);
    let catalogs = login_context.catalogs.clone();
    let tests = tests_of(tests, &directory);
    let known = (catalogs.clone(), Arc::clone(&live));
    let readiness = Arc::new(Readiness::new(known.0, known.1, telemetry.clone()));
    let shown = (groundings.clone(), &*login_context);
    door.open(&readiness, shown, telemetry).await?;
    let seen = (Arc::clone(&readiness), telemetry.clone());
    watch_servers(&directory, roles, &seen);
    let mut signals = ProcessSignals::listen().map_err(AppError::System)?;
    if let Some(tests) = &tests {
        readiness.note_tests_wait();
        tokio::select! {
            tested = pass(tests, set, &catalogs, telemetry) => tested?,
            () = signals.until_stop(telemetry, &asker) => return Ok(()),
        }
    }
    let server_shared = ServerShared::new(login_context);
    let login_context = Arc::clone(&server_shared.login_context);
    let server = ProxyServer::start(server_settings, server_shared).map_err(AppError::Server)?;
    let agents = McpListener::open(agents, telemetry).await?;
    readiness.note_open();
    listening(&server, telemetry);
    let shared = (
        Arc::clone(&login_context),
        groundings,
        server.local_clients(),
    );
    let pools = login_context.pools.clone();
    let logins = (login_context, people);
    let renewal = SettingsReload::new((held, sources), logins, keys, telemetry.clone());
    let seen = (Arc::clone(&readiness), telemetry.clone());
    tokio::spawn(reloader(renewal, (live, catalogs), seen, wishes).run());
    let stop = async {
        let stopped = signals.until_stop(telemetry, &asker);
        front.serve_until(stopped, shared, agents).await;
        readiness.note_draining();
    };
    let server = server.run(stop).await;
    leave((server, pools), (&mut signals, &asker), telemetry).await;
    counts.close(telemetry).await;
    Ok(())
}

/// Lets clients leave by themselves, as long as the settings say; what is left drains.
async fn leave(
    (mut server, pools): (ProxyServer, Option<ConnectionPools>),
    (signals, asker): (&mut ProcessSignals, &ReloadHandle),
    telemetry: &Telemetry,
) {
    (server.wait_for_clients(signals.until_stop(telemetry, asker), telemetry)).await;
    pools.iter().for_each(ConnectionPools::end_refills);
    server.finish(telemetry).await;
}

/// What reads settings and policies again, as it is wished.
fn reloader(
    renewal: SettingsReload,
    (live, catalogs): (Arc<LivePolicies>, CatalogCaches),
    (readiness, telemetry): (Arc<Readiness>, Telemetry),
    wishes: mpsc::Receiver<ReloadRequest>,
) -> Reloader {
    let renewal = Arc::new(renewal);
    Reloader {
        watched: renewal.watched(),
        read: Arc::new(move || renewal.read()),
        live,
        catalogs,
        readiness,
        telemetry,
        wishes,
    }
}

fn listening(server: &ProxyServer, telemetry: &Telemetry) {
    for place in server.places() {
        telemetry.emit(&ListenerOpened {
            what: "clients",
            address: &place,
        });
    }
}

fn server_settings(settings: &ProgramSettings) -> ServerSettings {
    ServerSettings {
        listen: settings.listen.iter().map(place).collect(),
        workers: settings.workers.threads,
        io: settings.workers.io,
        connections_max: settings.connections_max,
        drain_timeout: settings.drain_timeout,
        wait_for_clients: settings.wait_for_clients,
    }
}

/// What the settings say of users.
fn people_of(settings: &ProgramSettings) -> SettingsPeople {
    SettingsPeople {
        roles: LoginRoles::of(&settings.auth),
        attributes: settings.attributes.clone(),
    }
}

/// The tests that have to pass, if any have to.
fn tests_of(
    (wanted, people): (PolicyTests, SettingsPeople),
    directory: &Arc<UpstreamDirectory>,
) -> Option<server::reload::policy_tests::PolicyTestRunner> {
    match wanted {
        PolicyTests::Off => None,
        PolicyTests::Required(account) => Some(server::reload::policy_tests::PolicyTestRunner {
            directory: Arc::clone(directory),
            account,
            roles: people.roles,
            attributes: people.attributes,
        }),
    }
}

/// Waits until the tests of the policies have passed, or one has not. May be cancelled.
async fn pass(
    tests: &server::reload::policy_tests::PolicyTestRunner,
    set: &Arc<PolicySet>,
    catalogs: &CatalogCaches,
    telemetry: &Telemetry,
) -> Result<(), AppError> {
    telemetry.emit(&PolicyTestsWait);
    let TestReport { passed, problems } = tests.begin(set, catalogs).await;
    if !problems.is_empty() {
        return Err(AppError::PolicyTests(problems));
    }
    telemetry.emit(&PolicyTestsPassed { passed });
    Ok(())
}

/// What the admin address is opened with.
struct AdminListener {
    /// None where it is off.
    address: Option<SocketAddr>,
    keys: Arc<AdminCredentials>,
    asker: ReloadHandle,
    session_registry: SessionRegistry,
}

impl AdminListener {
    fn new(
        settings: &ProgramSettings,
        asker: ReloadHandle,
        session_registry: SessionRegistry,
    ) -> Self {
        let (token, hosts) = (settings.admin_token.clone(), settings.admin_hosts.clone());
        Self {
            address: settings.admin,
            keys: Arc::new(AdminCredentials::new(token, hosts)),
            asker,
            session_registry,
        }
    }

    async fn open(
        self,
        readiness: &Arc<Readiness>,
        (groundings, login_context): (GroundingService, &LoginContext),
        telemetry: &Telemetry,
    ) -> Result<(), AppError> {
        let Some(address) = self.address else {
            return Ok(());
        };
        let unbound = |source| AppError::Admin { address, source };
        let listener = TcpListener::bind(address).await.map_err(unbound)?;
        let bound = listener.local_addr().map_err(unbound)?.to_string();
        telemetry.emit(&ListenerOpened {
            what: "admin",
            address: &bound,
        });
        tokio::spawn(watch_groundings(
            groundings.clone(),
            Arc::clone(readiness),
            telemetry.clone(),
        ));
        tokio::spawn(admin::serve(
            listener,
            AdminServices {
                telemetry: telemetry.clone(),
                readiness: Arc::clone(readiness),
                keys: self.keys,
                asker: self.asker,
                session_registry: self.session_registry,
                groundings,
                receipt_issuer: login_context.receipt_issuer.clone(),
                pools: login_context.pools.clone(),
            },
        ));
        Ok(())
    }
}

fn emit_warnings(found: impl IntoIterator<Item = ConfigWarning>, telemetry: &Telemetry) {
    for ConfigWarning { warning, key, what } in found {
        telemetry.emit(&SettingsWarned {
            warning,
            key: &key,
            what: &what,
        });
    }
}

/// What the operating system has to say.
struct ProcessSignals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl ProcessSignals {
    fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Until then, SIGHUP has the audit's file opened anew, and settings and policies read again.
    async fn until_stop(&mut self, telemetry: &Telemetry, asker: &ReloadHandle) {
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

fn login_context(
    settings: ProgramSettings,
    live: Arc<LivePolicies>,
    telemetry: &Telemetry,
) -> Result<LoginContext, AppError> {
    let pool = settings.shared_pool();
    let tls = ClientTls::load(&settings.client_tls).map_err(AppError::ClientTls)?;
    let auth = ClientAuth::load(settings.auth, &tls).map_err(AppError::Auth)?;
    let own = (settings.upstream, settings.servers);
    let directory = UpstreamDirectory::load(own, settings.databases);
    let directory = Arc::new(directory.map_err(AppError::UpstreamTls)?);
    let catalogs = CatalogCaches::start(
        settings.catalog,
        &directory,
        &live.current(),
        telemetry.clone(),
        Handle::current(),
    );
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
        StatementRecording {
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
    let pools = |pool| ConnectionPools::new(pool, telemetry.clone(), &Handle::current());
    Ok(LoginContext {
        login_settings: CurrentLoginSettings::new(LoginSettings {
            tls,
            auth,
            attributes: settings.attributes,
            disabled: settings.disabled,
            report_as: settings.report_as,
            console: settings.console,
        }),
        session_registry: SessionRegistry::default(),
        directory,
        catalogs,
        compile_pools: CompilePools::new(Handle::current()),
        verifier_lookups: VerifierLookups::new(Handle::current()),
        policy_store: Arc::new(PolicyStore::new(live, recording).judging(settings.workers.judging)),
        cancels: CancelRegistry::beside(settings.peers).map_err(AppError::PeerTls)?,
        accounts: UserAccounts::new(),
        superusers: SuperuserNotices::default(),
        memory: MemoryBudget::new(settings.memory, telemetry.memory()),
        console: console_services::showing(settings.connections_max, pool.as_ref()),
        pools: pool.map(pools),
        receipt_issuer: issuer_of(settings.receipts)?,
        telemetry: telemetry.clone(),
    })
}

fn place(address: &ListenAddress) -> BindAddress {
    match address {
        ListenAddress::Tcp(address) => BindAddress::Tcp(*address),
        ListenAddress::Unix(path) => BindAddress::Unix(path.clone()),
    }
}
