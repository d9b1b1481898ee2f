//! Whether anybody answers at the upstream, again and again; and one look at its roles, for
//! warnings.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::emit_warnings;
use crate::config::ProgramSettings;
use crate::config::warnings::{self, UpstreamIdentities};
use crate::doctor::login_roles;
use crate::limits;
use crate::policy::PolicySet;
use crate::server::readiness::Readiness;
use crate::telemetry::Telemetry;
use crate::telemetry::events::{
    UpstreamEngine, UpstreamTlsFailed, UpstreamTold, UpstreamTried, UpstreamUnreachable,
};
use crate::telemetry::labels::CheckOutcome;
use crate::upstream::account::UpstreamAccount;
use crate::upstream::catalog_cache::catalog_account::AccountSetting;
use crate::upstream::connect::{Upstream, UpstreamConnectError};
use crate::upstream::engine::profile::EngineProfile;
use crate::upstream::servers::directory::UpstreamDirectory;
use crate::upstream::servers::probe::{ServerProbe, ServerSight};
use crate::upstream::servers::{UpstreamServer, UpstreamServers};
use crate::upstream::writer::UpstreamFrames;

/// A look at the roles of the database, once, when it is reached first.
pub(super) struct RoleCheck {
    account: UpstreamAccount,
    database: String,
    known: UpstreamIdentities,
    policies: PolicySet,
    telemetry: Telemetry,
}

impl RoleCheck {
    /// None where no account is known to look with.
    pub(super) fn of(settings: &ProgramSettings, telemetry: &Telemetry) -> Option<Self> {
        let account = match &settings.catalog.account {
            AccountSetting::Configured(account) | AccountSetting::OfUrl(account) => account.clone(),
            AccountSetting::Nobody => return None,
        };
        let database = settings.upstream.database.clone();
        Some(Self {
            database: database.unwrap_or_else(|| account.user.clone()),
            account,
            known: UpstreamIdentities::of(settings),
            policies: settings.policies.clone(),
            telemetry: telemetry.clone(),
        })
    }

    /// Who looks, and where.
    fn account(&self) -> (UpstreamAccount, String) {
        (self.account.clone(), self.database.clone())
    }

    /// Whoever may not be asked tells nothing: the catalog, which is loaded by the same account,
    /// says why.
    async fn run(self, upstream: Arc<Upstream>) {
        if let Ok(named) =
            login_roles::load_server_names(&upstream, &self.account, &self.database).await
        {
            let found = warnings::of_server(&self.known, &self.policies, &named);
            emit_warnings(found, &self.telemetry);
        }
    }
}

/// Looks at all servers again and again; `/readyz` tells whether one of the upstream's own is there
/// that is wanted.
pub(super) fn watch_servers(
    directory: &UpstreamDirectory,
    roles: Option<RoleCheck>,
    (readiness, telemetry): &(Arc<Readiness>, Telemetry),
) {
    let account = roles.as_ref().map(RoleCheck::account);
    for (servers, database) in directory.others() {
        let account = account.as_ref().map(|(account, _)| account.clone());
        let account = account.map(|account| (account, database.to_owned()));
        watch(servers, (None, account), (None, telemetry));
    }
    let known = (roles, account);
    watch(directory.own(), known, (Some(readiness), telemetry));
}

fn watch(
    servers: &Arc<UpstreamServers>,
    (mut roles, account): (Option<RoleCheck>, Option<(UpstreamAccount, String)>),
    (readiness, telemetry): (Option<&Arc<Readiness>>, &Telemetry),
) {
    if !servers.are_several() {
        let upstream = Arc::clone(servers.first());
        let readiness = readiness.map(Arc::clone);
        tokio::spawn(watch_upstream(
            (upstream, roles),
            readiness,
            telemetry.clone(),
        ));
        return;
    }
    for server in servers.all() {
        let watch = ServerWatch {
            servers: Arc::clone(servers),
            server: Arc::clone(server),
            readiness: readiness.map(Arc::clone),
            telemetry: telemetry.clone(),
        };
        let probe = ServerProbe::new(Arc::clone(server), account.clone());
        tokio::spawn(watch.run(probe, roles.take()));
    }
}

/// The watch of one of several servers.
struct ServerWatch {
    servers: Arc<UpstreamServers>,
    server: Arc<UpstreamServer>,
    /// Whom it matters to, if to anybody.
    readiness: Option<Arc<Readiness>>,
    telemetry: Telemetry,
}

impl ServerWatch {
    async fn run(self, mut probe: ServerProbe, mut roles: Option<RoleCheck>) {
        let name = self.server.to_string();
        let mut was_there = true;
        loop {
            let since = Instant::now();
            let sight = probe.look().await;
            let (outcome, role) = match &sight {
                ServerSight::There(role) => (CheckOutcome::Reached, *role),
                ServerSight::Unreachable(error) => (outcome_of(error), None),
                ServerSight::Unfit => (CheckOutcome::TimedOut, None),
            };
            self.telemetry.emit(&UpstreamTried {
                upstream: &name,
                outcome,
                took: since.elapsed(),
            });
            if let Some(part) = role {
                self.telemetry.emit(&UpstreamTold {
                    upstream: &name,
                    part,
                    valid: limits::upstreams::PROBE_PAUSE_MAX,
                });
            }
            if let ServerSight::Unreachable(error) = &sight
                && let Some(failure) = error.tls_failure()
            {
                self.telemetry.emit(&UpstreamTlsFailed { failure });
            }
            let is_there = matches!(sight, ServerSight::There(_));
            if was_there && !is_there {
                let failure = &AwayServer(&name, &sight);
                self.telemetry.emit(&UpstreamUnreachable { failure });
            }
            was_there = is_there;
            tell_engine(self.server.upstream(), &name, &self.telemetry);
            if let Some(readiness) = &self.readiness {
                let is_served = is_served(self.server.upstream());
                readiness.note_upstream(is_served && self.servers.is_any_there());
            }
            if was_there && let Some(look) = roles.take() {
                tokio::spawn(look.run(Arc::clone(self.server.upstream())));
            }
            probe.rest().await;
        }
    }
}

/// Tells of which engine a server is, where that is news: sessions have found it out meanwhile.
fn tell_engine(upstream: &Upstream, name: &str, telemetry: &Telemetry) {
    let Some(engine) = upstream.learned().engine.news() else {
        return;
    };
    let difference = EngineProfile::of(engine).difference();
    telemetry.emit(&UpstreamEngine {
        upstream: name,
        engine,
        difference: difference.as_deref(),
    });
}

/// Whether sessions there can be served, as far as that is known.
fn is_served(upstream: &Upstream) -> bool {
    let profile = upstream.profile();
    profile.is_none_or(EngineProfile::is_served)
}

/// Why one of several servers is passed over, for the log.
struct AwayServer<'a>(&'a str, &'a ServerSight);

impl fmt::Display for AwayServer<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(name, sight) = self;
        match sight {
            ServerSight::Unreachable(error) => write!(formatter, "{name}: {error}"),
            ServerSight::Unfit | ServerSight::There(_) => {
                write!(
                    formatter,
                    "{name}: it takes connections and answers nothing in time"
                )
            }
        }
    }
}

/// Asks again and again whether anybody answers at the upstream; `/readyz` tells.
async fn watch_upstream(
    (upstream, mut roles): (Arc<Upstream>, Option<RoleCheck>),
    readiness: Option<Arc<Readiness>>,
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
        if let Some(failure) = attempt
            .as_ref()
            .err()
            .and_then(UpstreamConnectError::tls_failure)
        {
            telemetry.emit(&UpstreamTlsFailed { failure });
        }
        tell_engine(&upstream, &name, &telemetry);
        if let Some(readiness) = &readiness {
            readiness.note_upstream(attempt.is_ok() && is_served(&upstream));
        }
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
fn outcome(attempt: &Result<UpstreamFrames, UpstreamConnectError>) -> CheckOutcome {
    match attempt {
        Ok(_) => CheckOutcome::Reached,
        Err(error) => outcome_of(error),
    }
}

fn outcome_of(error: &UpstreamConnectError) -> CheckOutcome {
    match error {
        UpstreamConnectError::UnknownHost(_) => CheckOutcome::UnknownHost,
        UpstreamConnectError::Unreachable(_) => CheckOutcome::Unreachable,
        UpstreamConnectError::TimedOut => CheckOutcome::TimedOut,
        UpstreamConnectError::NoTls | UpstreamConnectError::NotPostgres => {
            CheckOutcome::NotPostgres
        }
        UpstreamConnectError::Handshake(_) => CheckOutcome::TlsHandshake,
    }
}

/// Pause between looks at an upstream that answers: an orchestrator asks about as often.
const WATCH_INTERVAL: Duration = Duration::from_secs(5);

/// Pause between looks at one that does not: it should count as ready soon after it is back.
const WATCH_INTERVAL_UNREACHED: Duration = Duration::from_millis(500);
