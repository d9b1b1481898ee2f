//! Whether anybody answers at the upstream, again and again; and one look at its roles, for
//! warnings.

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
use crate::telemetry::events::{UpstreamTlsFailed, UpstreamTried, UpstreamUnreachable};
use crate::telemetry::labels::CheckOutcome;
use crate::upstream::account::UpstreamAccount;
use crate::upstream::catalog_cache::catalog_account::AccountSetting;
use crate::upstream::connect::{Upstream, UpstreamConnectError};
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

/// Asks again and again whether anybody answers at the upstream; `/readyz` tells.
pub(super) async fn watch_upstream(
    (upstream, mut roles): (Arc<Upstream>, Option<RoleCheck>),
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
        if let Some(failure) = attempt
            .as_ref()
            .err()
            .and_then(UpstreamConnectError::tls_failure)
        {
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
fn outcome(attempt: &Result<UpstreamFrames, UpstreamConnectError>) -> CheckOutcome {
    match attempt {
        Ok(_) => CheckOutcome::Reached,
        Err(UpstreamConnectError::UnknownHost(_)) => CheckOutcome::UnknownHost,
        Err(UpstreamConnectError::Unreachable(_)) => CheckOutcome::Unreachable,
        Err(UpstreamConnectError::TimedOut) => CheckOutcome::TimedOut,
        Err(UpstreamConnectError::NoTls | UpstreamConnectError::NotPostgres) => {
            CheckOutcome::NotPostgres
        }
        Err(UpstreamConnectError::Handshake(_)) => CheckOutcome::TlsHandshake,
    }
}

/// Pause between looks at an upstream that answers: an orchestrator asks about as often.
const WATCH_INTERVAL: Duration = Duration::from_secs(5);

/// Pause between looks at one that does not: it should count as ready soon after it is back.
const WATCH_INTERVAL_UNREACHED: Duration = Duration::from_millis(500);
