//! A login to the console: the proof is that of every other login, and what follows it needs no
//! upstream. Policies decide what statements may do; here there are none, so none is asked.

use std::fmt;

use bytes::BytesMut;

use super::LoginEnd;
use super::attempt::LoginAttempt;
use super::error::LoginError;
use super::login_settings::AdmissionProof;
use super::startup::JudgedStartup;
use crate::auth::{AuthError, ClientAuth};
use crate::net::framed_stream::FramedStream;
use crate::session::console::context::ConsolePlace;
use crate::telemetry::labels::{LoginMethod, LoginOutcome};
use crate::telemetry::session_info::SessionInfo;
use crate::upstream::cancel::CancelGuard;
use crate::wire::encode;
use crate::wire::startup::ProtocolVersion;

/// A session of the console. The client has everything up to BackendKeyData; the first
/// ReadyForQuery is for whoever serves it to send.
pub struct OpenedConsole {
    /// The client.
    pub client: FramedStream,
    /// Whose connection it is.
    pub info: SessionInfo,
    /// The user that it has logged in as.
    pub user: Box<str>,
    /// What let it in.
    pub admission: AdmissionProof,
    /// When it has to end, in seconds since 1970, where its token says so.
    pub ends: Option<i64>,
    /// Keeps it cancellable.
    pub cancel: CancelGuard,
    /// Its place among the sessions of the console.
    pub place: ConsolePlace,
}

/// What is known of a client that is let in.
struct EnteredConsole {
    user: String,
    method: LoginMethod,
    ends: Option<i64>,
    cancel: CancelGuard,
    place: ConsolePlace,
}

/// Carries a login to the console out.
///
/// May be cancelled: the connection is dropped.
pub async fn log_in(
    mut attempt: LoginAttempt<'_>,
    mut client: FramedStream,
    settled: Result<JudgedStartup, LoginError>,
) -> LoginEnd {
    let entered = match settled {
        Ok(settled) => {
            let draining = attempt.draining.clone();
            tokio::select! {
                entered = enter(&attempt, &mut client, settled) => entered,
                () = draining.begun() => Err(LoginError::Shutdown),
            }
        }
        Err(denial) => Err(denial),
    };
    let EnteredConsole {
        user,
        method,
        ends,
        cancel,
        place,
    } = match entered {
        Ok(entered) => entered,
        Err(denial) => return attempt.deny(client, &denial).await,
    };
    attempt.info = attempt.info.admitted();
    attempt.record(method, LoginOutcome::Accepted, None);
    let certificate = client.stream.peer_certificate();
    let auth = &attempt.login_settings.auth;
    let listed = certificate.and_then(|shown| auth.listed_name(&user, shown));
    LoginEnd::Console(Box::new(OpenedConsole {
        admission: AdmissionProof::of(None, listed),
        client,
        info: attempt.info,
        user: user.into(),
        ends,
        cancel,
        place,
    }))
}

async fn enter(
    attempt: &LoginAttempt<'_>,
    client: &mut FramedStream,
    settled: JudgedStartup,
) -> Result<EnteredConsole, LoginError> {
    let JudgedStartup {
        version,
        negotiation,
        bare,
        admission: _,
    } = settled;
    if !negotiation.is_empty() {
        let sent = client.send(&negotiation, attempt.deadline).await;
        sent.map_err(LoginError::Link)?;
    }
    // Settings with a console have another method; nothing of it is served where they have not.
    match &attempt.login_settings.auth {
        ClientAuth::Passthrough { .. } | ClientAuth::Trust(_) => {
            return Err(LoginError::ConsoleUnproved);
        }
        ClientAuth::Scram(_)
        | ClientAuth::AuthQuery(_)
        | ClientAuth::Certificate(_)
        | ClientAuth::Oidc(_) => {}
    }
    let admitted = attempt.prove(client, &bare.user).await?;
    let role = attempt.login_settings.console.role_of(&bare.user);
    let role = role.ok_or(LoginError::NoConsoleUser)?;
    let place = attempt.login_context.console.places.take(role);
    let place = place.ok_or(LoginError::TooManyConnections)?;
    let (method, ends) = (attempt.method_of(&admitted), admitted.ends());
    let cancel = answer(attempt, client, (version, &bare.user)).await?;
    Ok(EnteredConsole {
        user: bare.user,
        method,
        ends,
        cancel,
        place,
    })
}

/// Tells the client that it is in.
async fn answer(
    attempt: &LoginAttempt<'_>,
    client: &mut FramedStream,
    (version, user): (ProtocolVersion, &str),
) -> Result<CancelGuard, LoginError> {
    let unsaid = |cause| LoginError::Auth(AuthError::Unencodable(cause));
    let mut out = BytesMut::new();
    encode::authentication_ok(&mut out);
    let own = [
        ("application_name", attempt.info.application_name()),
        ("session_authorization", user),
    ];
    for (name, value) in PARAMETERS.iter().copied().chain(own) {
        encode::parameter_status(&mut out, name, value).map_err(unsaid)?;
    }
    let login_context = attempt.login_context;
    let upstream = login_context.directory.own().first().clone();
    let issued = login_context.cancels.issue_alone(version, user, upstream);
    let (key, guard) = issued.map_err(|_no_key| LoginError::NoKey)?;
    encode::backend_key_data(&mut out, key.pid, &key.secret).map_err(unsaid)?;
    let sent = client.send(&out, attempt.deadline).await;
    sent.map_err(LoginError::Link)?;
    Ok(guard)
}

/// What the console reports of itself, as drivers expect it.
const PARAMETERS: [(&str, &str); 9] = [
    ("DateStyle", "ISO, MDY"),
    ("IntervalStyle", "postgres"),
    ("TimeZone", "UTC"),
    ("client_encoding", "UTF8"),
    ("integer_datetimes", "on"),
    ("is_superuser", "off"),
    ("server_encoding", "UTF8"),
    ("server_version", SERVER_VERSION),
    ("standard_conforming_strings", "on"),
];

/// As PgBouncer's is told from that of a server.
const SERVER_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "/pgsieve");

impl fmt::Debug for OpenedConsole {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("OpenedConsole")
    }
}
