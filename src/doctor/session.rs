//! The session of an examination: made as pgsieve makes its own, read-only from its first message
//! and proved to be; and what its making told.

use std::sync::Arc;

use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};
use tokio_postgres::Client;

use super::check::{self, Severity};
use super::context::{Ground, Trouble, field};
use super::finding::{Ledger, Scope};
use super::sql_names::shown;
use crate::limits;
use crate::net::upstream_tls::{ClientCertificate, UpstreamTlsSettings};
use crate::upstream::account::{Account, ConnectError, open_telling};
use crate::upstream::address::{Endpoint, UpstreamSettings};
use crate::upstream::connect::Upstream;
use crate::upstream::login::Proof;
use crate::upstream::snapshot;

/// A session, and what is known of it.
pub struct Session {
    /// It.
    pub client: Client,
    /// Ends with the client.
    pub task: JoinHandle<()>,
    /// How the login went.
    pub greeting: Greeting,
}

/// How a login went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Greeting {
    /// What was asked for.
    pub proof: Proof,
    /// How the connection is protected.
    pub privacy: Privacy,
    /// Whether a certificate was shown.
    pub certificate_shown: bool,
    /// Whether the server said by itself that the session is read-only.
    pub reports_read_only: bool,
}

/// How a connection is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Privacy {
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

impl Privacy {
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
pub const fn proof_text(proof: Proof) -> &'static str {
    match proof {
        Proof::Nothing => "none",
        Proof::Cleartext => "password in clear",
        Proof::Md5 => "md5",
        Proof::Scram => "scram-sha-256",
    }
}

/// Connects. May be cancelled: the connection is dropped.
pub async fn open(
    upstream: &Upstream,
    account: &Account,
    database: &str,
) -> Result<Session, ConnectError> {
    let deadline = Instant::now() + limits::EXAMINATION_CONNECT_TIME_MAX;
    let opened = timeout_at(deadline, async {
        let (session, proof) =
            open_telling(upstream, account, database, &parameters(), deadline).await?;
        let greeting = Greeting {
            proof,
            privacy: Privacy::of(upstream.settings()),
            certificate_shown: shows_certificate(upstream.settings()),
            reports_read_only: session.parameter(READ_ONLY).is_some(),
        };
        let (client, task) = snapshot::hand_over(session, Arc::default()).await?;
        // Not at the start: so the server still says what its sessions have when nobody sets it.
        let set = format!(
            "SET search_path TO pg_catalog, pg_temp; SET statement_timeout TO '{0}'; \
             SET lock_timeout TO '{0}'; SET jit TO off",
            limits::EXAMINATION_STATEMENT_TIME
        );
        let set = client.batch_execute(&set).await;
        set.map_err(|_error| ConnectError::Lost)?;
        Ok(Session {
            client,
            task,
            greeting,
        })
    });
    opened.await.unwrap_or(Err(ConnectError::TimedOut))
}

/// Looks at the login, and at how passwords are kept.
pub async fn examine(
    ground: &Ground<'_>,
    greeting: &Greeting,
    ledger: &mut Ledger,
) -> Result<(), Trouble> {
    greeted(greeting, ledger);
    let stored = ground.row(STORED).await?;
    let stored = match &stored {
        Some(row) => field::<Option<bool>>(row, 0)?,
        None => None,
    };
    let check = check::PASSWORD_HASHING;
    match (ground.row(ENCRYPTION).await?, stored) {
        (_, Some(true)) => ledger.holds(check, Severity::Warning, true),
        (Some(row), _) => ledger.holds(check, Severity::Warning, field(&row, 0)?),
        (None, _) => ledger.unseen(check),
    }
    ledger.cure(
        Scope::Choice,
        "ALTER SYSTEM SET password_encryption = 'scram-sha-256'",
    );
    ledger.cure(Scope::Choice, "SELECT pg_reload_conf()");
    ledger.cure(Scope::Choice, new_password(ground));
    let ends = ground.own.password_ends.clone();
    let check = check::PASSWORD_EXPIRES;
    let names = ends.filter(|ends| ends != "infinity");
    let names = names.map(|ends| shown(&ends));
    ledger.names(check, Severity::Note, names.into_iter().collect());
    Ok(())
}

/// What the login alone tells.
fn greeted(greeting: &Greeting, ledger: &mut Ledger) {
    let (proof, privacy) = (greeting.proof, greeting.privacy);
    // A certificate, or the account of a process, may have been proof enough; a network is none.
    let enough = greeting.certificate_shown || privacy == Privacy::Socket;
    let severity = if enough {
        Severity::Note
    } else {
        Severity::Danger
    };
    ledger.holds(check::PASSWORD_UNASKED, severity, proof == Proof::Nothing);
    ledger.cure(
        Scope::Choice,
        "in pg_hba.conf: hostssl … scram-sha-256 in place of trust",
    );
    let weak = match proof {
        Proof::Cleartext | Proof::Md5 => vec![proof_text(proof).to_owned()],
        Proof::Nothing | Proof::Scram => Vec::new(),
    };
    ledger.names(check::PASSWORD_METHOD, Severity::Warning, weak);
    ledger.cure(
        Scope::Choice,
        "in pg_hba.conf: scram-sha-256 in place of md5 and password",
    );
    let (absent, unverified) = match privacy {
        Privacy::Clear => (Some(Severity::Danger), None),
        Privacy::ClearWithin => (Some(Severity::Note), None),
        Privacy::Unverified { within: true } => (None, Some(Severity::Note)),
        Privacy::Unverified { within: false } | Privacy::Authority => {
            (None, Some(Severity::Warning))
        }
        Privacy::Socket | Privacy::Verified => (None, None),
    };
    for (check, severity) in [
        (check::TLS_ABSENT, absent),
        (check::TLS_UNVERIFIED, unverified),
    ] {
        ledger.holds(check, severity.unwrap_or(Severity::Ok), severity.is_some());
        ledger.cure(
            Scope::Choice,
            "in the settings of pgsieve: sslmode=verify-full and sslrootcert",
        );
    }
}

fn new_password(ground: &Ground<'_>) -> String {
    format!("in psql: \\password {}", ground.own_name())
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

    fn severities(greeting: &Greeting) -> Vec<(&'static str, Severity)> {
        let mut ledger = Ledger::default();
        greeted(greeting, &mut ledger);
        let found = ledger.findings.iter();
        found.map(|f| (f.check.id, f.severity)).collect()
    }

    #[track_caller]
    fn check(url: &str, proof: Proof, wanted: [Severity; 4]) {
        let settings = UpstreamSettings::parse(url).unwrap();
        let greeting = Greeting {
            proof,
            privacy: Privacy::of(&settings),
            certificate_shown: shows_certificate(&settings),
            reports_read_only: true,
        };
        let found: Vec<Severity> = severities(&greeting).iter().map(|(_, s)| *s).collect();
        assert_eq!(found, wanted, "{url}");
    }

    #[test]
    fn what_a_login_tells_depends_on_the_way_there() {
        use Severity::{Danger, Note, Ok, Warning};
        let full = "postgres://db.example/?sslmode=verify-full&sslrootcert=a";
        let shown = "postgres://db.example/?sslmode=verify-full&sslrootcert=a&sslcert=b&sslkey=c";
        check(full, Proof::Scram, [Ok, Ok, Ok, Ok]);
        check(full, Proof::Nothing, [Danger, Ok, Ok, Ok]);
        check(shown, Proof::Nothing, [Note, Ok, Ok, Ok]);
        check(full, Proof::Md5, [Ok, Warning, Ok, Ok]);
        check(full, Proof::Cleartext, [Ok, Warning, Ok, Ok]);
        let far = "postgres://db.example/?sslmode=";
        check(&format!("{far}disable"), Proof::Scram, [Ok, Ok, Danger, Ok]);
        check(
            &format!("{far}require"),
            Proof::Scram,
            [Ok, Ok, Ok, Warning],
        );
        let ca = format!("{far}verify-ca&sslrootcert=a");
        check(&ca, Proof::Scram, [Ok, Ok, Ok, Warning]);
        let near = "postgres://127.0.0.1/?sslmode=";
        check(&format!("{near}disable"), Proof::Scram, [Ok, Ok, Note, Ok]);
        check(&format!("{near}require"), Proof::Scram, [Ok, Ok, Ok, Note]);
        let socket = "postgres:///?host=/run/postgresql";
        check(socket, Proof::Nothing, [Note, Ok, Ok, Ok]);
    }
}
