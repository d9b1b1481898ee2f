//! The session of an examination: made as pgsieve makes its own, read-only from its first message
//! and proved to be; and what its making told.

use std::sync::Arc;

use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};
use tokio_postgres::Client;

use super::check::{self, FindingSeverity};
use super::context::{DoctorContext, ExamineFailure, field};
use super::finding::{DoctorFindings, FixScope};
use super::sql_names::shown;
use crate::engine::{Engine, EngineLexer};
use crate::limits;
use crate::net::upstream_tls::{ClientCertificate, UpstreamTlsSettings};
use crate::upstream::account::{OwnSessionError, UpstreamAccount, open_telling};
use crate::upstream::address::{Endpoint, UpstreamSettings};
use crate::upstream::connect::Upstream;
use crate::upstream::login::UpstreamAuthMethod;
use crate::upstream::snapshot;

/// A session, and what is known of it.
pub struct DoctorSession {
    /// It.
    pub client: Client,
    /// Ends with the client.
    pub task: JoinHandle<()>,
    /// How the login went.
    pub greeting: LoginReport,
}

/// How a login went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginReport {
    /// What was asked for.
    pub proof: UpstreamAuthMethod,
    /// How the connection is protected.
    pub privacy: ConnectionPrivacy,
    /// Whether a certificate was shown.
    pub certificate_shown: bool,
    /// Whether the server said by itself that the session is read-only.
    pub reports_read_only: bool,
    /// Of which engine it is.
    pub engine: Engine,
}

/// How a connection is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionPrivacy {
    /// A Unix socket of this host.
    Socket,
    /// In clear, without leaving this host.
    ClearWithin,
    /// In clear over a network.
    Clear,
    /// TLS, whoever answers; within this host or not.
    Unverified {
        /// Whether it stays on this host.
        within: bool,
    },
    /// TLS with a certificate of a known authority for any host.
    Authority,
    /// TLS with a certificate of a known authority for this host.
    Verified,
}

impl ConnectionPrivacy {
    /// What the settings lead to: TLS is never given up silently.
    pub fn of(settings: &UpstreamSettings) -> Self {
        let within = settings.endpoint.is_local();
        match (&settings.endpoint, &settings.tls) {
            (Endpoint::Unix { .. }, _) => Self::Socket,
            (Endpoint::Tcp { .. }, UpstreamTlsSettings::Disable) if within => Self::ClearWithin,
            (Endpoint::Tcp { .. }, UpstreamTlsSettings::Disable) => Self::Clear,
            (Endpoint::Tcp { .. }, UpstreamTlsSettings::Require(_)) => Self::Unverified { within },
            (Endpoint::Tcp { .. }, UpstreamTlsSettings::VerifyCa(..)) => Self::Authority,
            (Endpoint::Tcp { .. }, UpstreamTlsSettings::VerifyFull(..)) => Self::Verified,
        }
    }

    /// In words.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Socket => "Unix socket",
            Self::ClearWithin => "in clear, within this host",
            Self::Clear => "in clear",
            Self::Unverified { .. } => "TLS, certificate not checked",
            Self::Authority => "TLS, authority checked",
            Self::Verified => "TLS, authority and host checked",
        }
    }
}

/// What a proof is called.
pub const fn proof_text(proof: UpstreamAuthMethod) -> &'static str {
    match proof {
        UpstreamAuthMethod::Nothing => "none",
        UpstreamAuthMethod::Cleartext => "password in clear",
        UpstreamAuthMethod::Md5 => "md5",
        UpstreamAuthMethod::Scram => "scram-sha-256",
    }
}

/// Connects. May be cancelled: the connection is dropped.
///
/// # Errors
/// The server cannot be reached, or does not let the account in.
pub async fn open(
    upstream: &Upstream,
    account: &UpstreamAccount,
    database: &str,
) -> Result<DoctorSession, OwnSessionError> {
    let deadline = Instant::now() + limits::EXAMINATION_CONNECT_TIME_MAX;
    let opened = timeout_at(deadline, async {
        let (session, proof) =
            open_telling(upstream, account, database, &parameters(), deadline).await?;
        let greeting = LoginReport {
            proof,
            privacy: ConnectionPrivacy::of(upstream.settings()),
            certificate_shown: shows_certificate(upstream.settings()),
            reports_read_only: session.parameter(READ_ONLY).is_some(),
            engine: session.engine,
        };
        let (client, task) = snapshot::hand_over(session, Arc::default()).await?;
        if greeting.engine.lexer() == EngineLexer::Own {
            // Nothing more is asked there.
            return Ok(DoctorSession {
                client,
                task,
                greeting,
            });
        }
        // Not at the start: so the server still says what its sessions have when nobody sets it.
        let set = format!(
            "SET search_path TO pg_catalog, pg_temp; SET statement_timeout TO '{0}'; \
             SET lock_timeout TO '{0}'; SET jit TO off",
            limits::EXAMINATION_STATEMENT_TIME
        );
        let set = client.batch_execute(&set).await;
        set.map_err(|_error| OwnSessionError::Lost)?;
        Ok(DoctorSession {
            client,
            task,
            greeting,
        })
    });
    opened.await.unwrap_or(Err(OwnSessionError::TimedOut))
}

/// Looks at the login, and at how passwords are kept.
///
/// # Errors
/// The server failed to answer, or answered in another form than it was asked for.
pub async fn examine(
    context: &DoctorContext<'_>,
    greeting: &LoginReport,
    findings: &mut DoctorFindings,
) -> Result<(), ExamineFailure> {
    greeted(greeting, findings);
    let stored = context.row(STORED).await?;
    let stored = match &stored {
        Some(row) => field::<Option<bool>>(row, 0)?,
        None => None,
    };
    let check = check::PASSWORD_HASHING;
    match (context.row(ENCRYPTION).await?, stored) {
        (_, Some(true)) => findings.holds(check, FindingSeverity::Warning, true),
        (Some(row), _) => findings.holds(check, FindingSeverity::Warning, field(&row, 0)?),
        (None, _) => findings.unseen(check),
    }
    findings.add_fix(
        FixScope::Choice,
        "ALTER SYSTEM SET password_encryption = 'scram-sha-256'",
    );
    findings.add_fix(FixScope::Choice, "SELECT pg_reload_conf()");
    findings.add_fix(FixScope::Choice, new_password(context));
    let ends = context.own.password_ends.clone();
    let check = check::PASSWORD_EXPIRES;
    let names = ends.filter(|ends| ends != "infinity");
    let names = names.map(|ends| shown(&ends));
    findings.names(check, FindingSeverity::Note, names.into_iter().collect());
    Ok(())
}

/// What the login alone tells.
fn greeted(greeting: &LoginReport, findings: &mut DoctorFindings) {
    let (proof, privacy) = (greeting.proof, greeting.privacy);
    // A certificate, or the account of a process, may have been proof enough; a network is none.
    let enough = greeting.certificate_shown || privacy == ConnectionPrivacy::Socket;
    let severity = if enough {
        FindingSeverity::Note
    } else {
        FindingSeverity::Danger
    };
    findings.holds(
        check::PASSWORD_UNASKED,
        severity,
        proof == UpstreamAuthMethod::Nothing,
    );
    findings.add_fix(
        FixScope::Choice,
        "in pg_hba.conf: hostssl … scram-sha-256 in place of trust",
    );
    let weak = match proof {
        UpstreamAuthMethod::Cleartext | UpstreamAuthMethod::Md5 => {
            vec![proof_text(proof).to_owned()]
        }
        UpstreamAuthMethod::Nothing | UpstreamAuthMethod::Scram => Vec::new(),
    };
    findings.names(check::PASSWORD_METHOD, FindingSeverity::Warning, weak);
    findings.add_fix(
        FixScope::Choice,
        "in pg_hba.conf: scram-sha-256 in place of md5 and password",
    );
    let (absent, unverified) = match privacy {
        ConnectionPrivacy::Clear => (Some(FindingSeverity::Danger), None),
        ConnectionPrivacy::ClearWithin => (Some(FindingSeverity::Note), None),
        ConnectionPrivacy::Unverified { within: true } => (None, Some(FindingSeverity::Note)),
        ConnectionPrivacy::Unverified { within: false } | ConnectionPrivacy::Authority => {
            (None, Some(FindingSeverity::Warning))
        }
        ConnectionPrivacy::Socket | ConnectionPrivacy::Verified => (None, None),
    };
    for (check, severity) in [
        (check::TLS_ABSENT, absent),
        (check::TLS_UNVERIFIED, unverified),
    ] {
        findings.holds(
            check,
            severity.unwrap_or(FindingSeverity::Ok),
            severity.is_some(),
        );
        findings.add_fix(
            FixScope::Choice,
            "in the settings of pgsieve: sslmode=verify-full and sslrootcert",
        );
    }
}

fn new_password(context: &DoctorContext<'_>) -> String {
    format!("in psql: \\password {}", context.own_name())
}

fn shows_certificate(settings: &UpstreamSettings) -> bool {
    match &settings.tls {
        UpstreamTlsSettings::Disable => false,
        UpstreamTlsSettings::Require(shown)
        | UpstreamTlsSettings::VerifyCa(_, shown)
        | UpstreamTlsSettings::VerifyFull(_, shown) => *shown != ClientCertificate::Absent,
    }
}

fn parameters() -> Vec<(String, String)> {
    let own = [
        ("client_encoding", "UTF8"),
        ("standard_conforming_strings", "on"),
        (READ_ONLY, "on"),
        ("application_name", "pgsieve doctor"),
    ];
    let owned = own
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    owned.collect()
}

const READ_ONLY: &str = "default_transaction_read_only";

/// Only superusers may ask. No hash leaves the server.
const STORED: &str = "SELECT passwd LIKE 'md5%' FROM pg_shadow WHERE usename = current_user";

const ENCRYPTION: &str = "SELECT current_setting('password_encryption') <> 'scram-sha-256'";

#[cfg(test)]
mod tests {
    use super::*;

    fn severities(greeting: &LoginReport) -> Vec<(&'static str, FindingSeverity)> {
        let mut findings = DoctorFindings::default();
        greeted(greeting, &mut findings);
        let found = findings.findings.iter();
        found.map(|f| (f.check.id, f.severity)).collect()
    }

    #[track_caller]
    fn check(url: &str, proof: UpstreamAuthMethod, wanted: [FindingSeverity; 4]) {
        let settings = UpstreamSettings::parse(url).unwrap();
        let greeting = LoginReport {
            proof,
            privacy: ConnectionPrivacy::of(&settings),
            certificate_shown: shows_certificate(&settings),
            reports_read_only: true,
            engine: Engine::Postgres,
        };
        let found: Vec<FindingSeverity> = severities(&greeting).iter().map(|(_, s)| *s).collect();
        assert_eq!(found, wanted, "{url}");
    }

    #[test]
    fn what_a_login_tells_depends_on_the_way_there() {
        use FindingSeverity::{Danger, Note, Ok, Warning};
        let full = "postgres://db.example/?sslmode=verify-full&sslrootcert=a";
        let shown = "postgres://db.example/?sslmode=verify-full&sslrootcert=a&sslcert=b&sslkey=c";
        check(full, UpstreamAuthMethod::Scram, [Ok, Ok, Ok, Ok]);
        check(full, UpstreamAuthMethod::Nothing, [Danger, Ok, Ok, Ok]);
        check(shown, UpstreamAuthMethod::Nothing, [Note, Ok, Ok, Ok]);
        check(full, UpstreamAuthMethod::Md5, [Ok, Warning, Ok, Ok]);
        check(full, UpstreamAuthMethod::Cleartext, [Ok, Warning, Ok, Ok]);
        let far = "postgres://db.example/?sslmode=";
        check(
            &format!("{far}disable"),
            UpstreamAuthMethod::Scram,
            [Ok, Ok, Danger, Ok],
        );
        check(
            &format!("{far}require"),
            UpstreamAuthMethod::Scram,
            [Ok, Ok, Ok, Warning],
        );
        let ca = format!("{far}verify-ca&sslrootcert=a");
        check(&ca, UpstreamAuthMethod::Scram, [Ok, Ok, Ok, Warning]);
        let near = "postgres://127.0.0.1/?sslmode=";
        check(
            &format!("{near}disable"),
            UpstreamAuthMethod::Scram,
            [Ok, Ok, Note, Ok],
        );
        check(
            &format!("{near}require"),
            UpstreamAuthMethod::Scram,
            [Ok, Ok, Ok, Note],
        );
        let socket = "postgres:///?host=/run/postgresql";
        check(socket, UpstreamAuthMethod::Nothing, [Note, Ok, Ok, Ok]);
    }
}
