//! Builds every shared part from the settings, serves, and takes everything down in order.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use crate::auth::{Auth, AuthSetupError};
use crate::config::warnings::{self, Identities, Warning};
use crate::config::{ListenAddress, Settings};
use crate::limits;
use crate::net::client_tls::ClientTls;
use crate::net::link::Link;
use crate::net::pem::{TlsPart, TlsSetupError};
use crate::policy::{Live, PolicySet};
use crate::server::admin::{self, Admin};
use crate::server::listener::Place;
use crate::server::readiness::Readiness;
use crate::server::reload::{Look, Reloader};
use crate::server::{Server, ServerSettings, StartError};
use crate::session::budget::Budget;
use crate::session::house::House;
use crate::session::login::LoginDesk;
use crate::session::quotas::accounts::Accounts;
use crate::session::regime::{Recording, Regime};
use crate::sql::fingerprint::Fingerprinter;
use crate::system_error;
use crate::telemetry::events::{
    CertificatesHeld, Listening, PoliciesHold, SettingsWarned, UpstreamTlsFailed, UpstreamTried,
    UpstreamUnreachable,
};
use crate::telemetry::labels::CheckOutcome;
use crate::telemetry::log::Log;
use crate::telemetry::{Telemetry, TelemetryError, panics};
use crate::upstream::account::Account;
use crate::upstream::cancel::CancelRegistry;
use crate::upstream::connect::{ConnectError, Upstream};
use crate::upstream::examination::login_roles;
use crate::upstream::keeper::Catalogs;
use crate::upstream::keeper::accounts::Known;
use crate::upstream::side::Sides;

/// Why pgsieve could not start.
#[derive(Debug)]
pub enum AppError {
    /// The operating system had no event queue, signal handler or randomness to give.
    System(io::Error),
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
    /// The admin address could not be bound.
    Admin {
        /// Which.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
}

/// Serves until SIGTERM or SIGINT, drains, and returns when every client is gone.
///
/// # Errors
/// Why it could not start; nothing was served then.
pub fn run(settings: Settings) -> Result<(), AppError> {
    let telemetry =
        Telemetry::start(&settings.telemetry, Log::stderr()).map_err(AppError::Telemetry)?;
    panics::install(&telemetry);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let served = runtime
        .map_err(AppError::System)?
        .block_on(serve(settings, &telemetry));
    telemetry.close(limits::AUDIT_LAST_FLUSH);
    telemetry.flush_traces(limits::TRACE_LAST_FLUSH);
    served
}

async fn serve(settings: Settings, telemetry: &Telemetry) -> Result<(), AppError> {
    let (look, roles) = warn_of(&settings, telemetry);
    let (admin_address, admin_token) = (settings.admin, settings.admin_token.clone());
    let admin_hosts = settings.admin_hosts.clone();
    let server_settings = ServerSettings {
        listen: settings.listen.iter().map(place).collect(),
        workers: settings.workers,
        connections_max: settings.connections_max,
        drain_timeout: settings.drain_timeout,
    };
    let sources = settings.policy_sources.clone();
    let live = Arc::new(Live::new(settings.policies.clone()));
    let set = &live.current();
    telemetry.emit(&PoliciesHold { set });
    let desk = desk(settings, Arc::clone(&live), telemetry)?;
    let (upstream, catalogs) = (Arc::clone(&desk.upstream), desk.catalogs.clone());
    let server = Server::start(server_settings, House::new(desk)).map_err(AppError::Server)?;
    let readiness = Arc::new(Readiness::new(
        catalogs.clone(),
        Arc::clone(&live),
        telemetry.clone(),
    ));
    if let Some(address) = admin_address {
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
                readiness: Arc::clone(&readiness),
                token: admin_token,
                hosts: admin_hosts,
            },
        ));
    }
    for place in server.places() {
        telemetry.emit(&Listening {
            what: "clients",
            address: &place,
        });
    }
    tokio::spawn(watch_upstream(
        (upstream, roles),
        Arc::clone(&readiness),
        telemetry.clone(),
    ));
    let asked = Arc::new(Notify::new());
    let reloader = Reloader {
        live,
        catalogs,
        readiness: Arc::clone(&readiness),
        telemetry: telemetry.clone(),
        asked: Arc::clone(&asked),
        sources: sources.into(),
        look,
    };
    tokio::spawn(reloader.run());
    let mut signals = Signals::listen().map_err(AppError::System)?;
    let stop = async {
        signals.until_stop(telemetry, &asked).await;
        readiness.note_draining();
    };
    server.run(stop, telemetry).await;
    Ok(())
}

/// Tells whoever runs this what should be known of the settings; gives what looks at policies that
/// come later, and at the roles of the database.
fn warn_of(settings: &Settings, telemetry: &Telemetry) -> (Arc<Look>, Option<RoleLook>) {
    let now = Timestamp::now().as_second();
    tell(warnings::of(settings, now), telemetry);
    let ends = warnings::ends(settings).into_iter();
    let ends: Vec<_> = ends.map(|one| (one.certificate, one.ends)).collect();
    telemetry.emit(&CertificatesHeld { ends: &ends });
    let (users, told) = (warnings::users(&settings.auth), telemetry.clone());
    let look = move |set: &PolicySet| tell(warnings::unfit_users(set, &users), &told);
    (Arc::new(look), RoleLook::of(settings, telemetry))
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

    /// Until then, SIGHUP has the audit's file opened anew and the policies read again.
    async fn until_stop(&mut self, telemetry: &Telemetry, asked: &Notify) {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return,
                _ = self.interrupt.recv() => return,
                _ = self.hangup.recv() => {
                    telemetry.reopen();
                    asked.notify_one();
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
    let audited = !settings.telemetry.audit.is_off();
    let is_shown = settings.telemetry.recent || settings.telemetry.traces.is_some();
    let recording = (audited || is_shown).then(|| {
        let key = settings.fingerprint_key.map(|key| key.0);
        Recording {
            fingerprinter: Fingerprinter::new(key, process_key),
            names: audited && settings.audit_names,
        }
    });
    Ok(LoginDesk {
        tls,
        auth,
        upstream,
        catalogs,
        sides,
        regime: Arc::new(Regime::new(live, recording)),
        report_as: settings.report_as,
        cancels: CancelRegistry::new(),
        accounts: Accounts::new(),
        memory: Budget::new(settings.memory, telemetry.memory()),
        telemetry: telemetry.clone(),
    })
}

/// A look at the roles of the database, once, when it is reached first.
struct RoleLook {
    account: Account,
    database: String,
    known: Identities,
    policies: PolicySet,
    telemetry: Telemetry,
}

impl RoleLook {
    /// None where no account is known to look with.
    fn of(settings: &Settings, telemetry: &Telemetry) -> Option<Self> {
        let account = match &settings.catalog.account {
            Known::Configured(account) | Known::OfUrl(account) => account.clone(),
            Known::Nobody => return None,
        };
        let database = settings.upstream.database.clone();
        Some(Self {
            database: database.unwrap_or_else(|| account.user.clone()),
            account,
            known: Identities::of(settings),
            policies: settings.policies.clone(),
            telemetry: telemetry.clone(),
        })
    }

    /// Whoever may not be asked tells nothing: the catalog, which is loaded by the same account,
    /// says why.
    async fn run(self, upstream: Arc<Upstream>) {
        if let Ok(roles) = login_roles::look(&upstream, &self.account, &self.database).await {
            let found = warnings::of_roles(&self.known, &self.policies, &roles);
            tell(found, &self.telemetry);
        }
    }
}

/// Asks again and again whether anybody answers at the upstream; `/readyz` tells.
async fn watch_upstream(
    (upstream, mut roles): (Arc<Upstream>, Option<RoleLook>),
    readiness: Arc<Readiness>,
    telemetry: Telemetry,
) {
    let name = upstream.settings().endpoint.to_string();
    let mut reached_before = true;
    loop {
        let since = Instant::now();
        let attempt = upstream
            .connect(since + limits::UPSTREAM_CONNECT_TIME_MAX)
            .await;
        telemetry.emit(&UpstreamTried {
            upstream: &name,
            outcome: outcome(&attempt),
            took: since.elapsed(),
        });
        if let Some(failure) = attempt.as_ref().err().and_then(ConnectError::tls_failure) {
            telemetry.emit(&UpstreamTlsFailed { failure });
        }
        readiness.note_upstream(attempt.is_ok());
        if let Err(error) = &attempt
            && reached_before
        {
            telemetry.emit(&UpstreamUnreachable { failure: error });
        }
        reached_before = attempt.is_ok();
        drop(attempt);
        if reached_before && let Some(look) = roles.take() {
            tokio::spawn(look.run(Arc::clone(&upstream)));
        }
        sleep(if reached_before {
            WATCH_INTERVAL
        } else {
            WATCH_INTERVAL_UNREACHED
        })
        .await;
    }
}

/// What an attempt to reach the upstream is counted as.
fn outcome(attempt: &Result<Link, ConnectError>) -> CheckOutcome {
    match attempt {
        Ok(_) => CheckOutcome::Reached,
        Err(ConnectError::UnknownHost(_)) => CheckOutcome::UnknownHost,
        Err(ConnectError::Unreachable(_)) => CheckOutcome::Unreachable,
        Err(ConnectError::TimedOut) => CheckOutcome::TimedOut,
        Err(ConnectError::NoTls | ConnectError::NotPostgres) => CheckOutcome::NotPostgres,
        Err(ConnectError::Handshake(_)) => CheckOutcome::TlsHandshake,
    }
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
            Self::Admin { address, source } => {
                let told = system_error::of_address(&address.to_string(), source.kind());
                write!(formatter, "admin.listen: {told}; off does without it")
            }
        }
    }
}

/// Pause between looks at an upstream that answers: an orchestrator asks about as often.
const WATCH_INTERVAL: Duration = Duration::from_secs(5);

/// Pause between looks at one that does not: it should count as ready soon after it is back.
const WATCH_INTERVAL_UNREACHED: Duration = Duration::from_millis(500);
