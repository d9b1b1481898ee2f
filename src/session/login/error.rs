//! Why a client is not let in: what it is told, and what is recorded of it.
//!
//! What it is told names no address, path or secret of ours. Where the upstream itself refused the
//! client's own user and password, the client gets the upstream's error byte for byte.

use std::borrow::Cow;
use std::time::Duration;

use bytes::BytesMut;

use super::unproven;
use crate::auth::AuthError;
use crate::gate::Refusal;
use crate::net::framed_stream::{OwnedMessage, PeerError};
use crate::sqlstate::{self, SqlState};
use crate::target_servers::TargetServers;
use crate::telemetry::labels::{
    ClosedBecause, LoginOutcome, RefusedBecause, SessionLeg, TlsFailure, Tripwire, ViolationKind,
};
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::upstream::login::{UpstreamLoginError, sqlstate_of};
use crate::upstream::pool::BusyConnections;
use crate::upstream::verifier_lookup::LookupFailure;
use crate::upstream::verify::VerifyError;
use crate::wire::encode::{self, ErrorFields, ErrorSeverity};
use crate::wire::malformed::MalformedMessage;

/// One cause for turning a client away.
#[derive(Debug)]
pub enum LoginError {
    /// It went away, took too long, or sent no message.
    Link(PeerError),
    /// Its first packet is none.
    Malformed(MalformedMessage),
    /// It asked for TLS or GSS again, or where that cannot be.
    OutOfOrder,
    /// Bytes came in clear behind a request for TLS, ahead of its answer.
    BytesBeforeTls,
    /// The TLS handshake failed, or agreed on another protocol than Postgres's.
    TlsHandshake(TlsFailure),
    /// It has to use TLS and does not.
    TlsRequired,
    /// Its startup packet asks for what the policy refuses.
    Settings(Box<Refusal>),
    /// It has proved who it is, and may not log in.
    Disabled,
    /// No policy is for it.
    NoPolicy,
    /// Nobody knows which policy is for it, because nobody knows what its role is a member of.
    NoRoles,
    /// While it logged in, the policies have changed so that it would not have been let in alike.
    PolicyChanged,
    /// It did not prove who it is, or may not do so over this connection.
    Auth(AuthError),
    /// The upstream cannot be asked for its verifier.
    Lookup(LookupFailure),
    /// The upstream asks pgsieve for no password, so nothing proves who this remote client is.
    UpstreamTrustsUs,
    /// The upstream refused; its error is for the client.
    UpstreamRefused(OwnedMessage),
    /// The upstream refused the identity that stands for the client, which is our own affair.
    IdentityRefused(UpstreamLoginError),
    /// The upstream was not reached or does not behave.
    Upstream(UpstreamLoginError),
    /// The upstream's session is not what was asked for.
    NotReadOnly(VerifyError),
    /// The server was asked to stop before the login was done.
    Shutdown,
    /// No cancel key could be made.
    NoKey,
    /// Its login cannot be put on record: the audit takes no lines.
    NotOnRecord,
    /// No server is there that is wanted, by the settings and a policy that says this.
    NoServer(TargetServers),
    /// Every connection that it may have was busy for too long.
    PoolBusy {
        /// Which.
        busy: BusyConnections,
        /// How long it has waited.
        waited: Duration,
    },
    /// None was given for too long: its database is paused.
    PoolPaused,
    /// It asks for the console, and is not one of those whom the settings name.
    NoConsoleUser,
    /// It asks for the console, and nothing has proved to pgsieve who it is.
    ConsoleUnproved,
    /// Its user has as many connections as the policy gives.
    TooManyConnections,
    /// So many users have to be remembered that there is no room for one more.
    TooManyUsers,
}

/// What a client is told.
pub(in crate::session) struct LoginErrorText {
    pub(in crate::session) sqlstate: SqlState,
    pub(in crate::session) message: Cow<'static, str>,
    pub(in crate::session) hint: Option<&'static str>,
}

impl LoginError {
    /// Appends what the client is told; nothing where there is nobody to tell.
    pub fn send(&self, user: &str, out: &mut BytesMut) {
        match self {
            Self::UpstreamRefused(message) => out.extend_from_slice(&message.bytes),
            Self::Settings(refusal) => {
                let fields = ErrorFields {
                    detail: Some(&refusal.detail),
                    hint: Some(&refusal.hint),
                    ..ErrorFields::new(ErrorSeverity::Fatal, refusal.sqlstate, &refusal.message)
                };
                encode::error(out, &fields);
            }
            other => {
                if let Some(words) = other.text(user) {
                    let LoginErrorText {
                        sqlstate,
                        message,
                        hint,
                    } = words;
                    let fields = ErrorFields::new(ErrorSeverity::Fatal, sqlstate, &message);
                    encode::error(out, &ErrorFields { hint, ..fields });
                }
            }
        }
    }

    /// The code that the client is told.
    pub fn code(&self) -> Option<SqlstateCode> {
        match self {
            Self::UpstreamRefused(message) => {
                sqlstate_of(message).map(|code| SqlstateCode::from_bytes(code.as_bytes()))
            }
            Self::Settings(refusal) => Some(SqlstateCode::from(refusal.sqlstate)),
            other => other
                .text("")
                .map(|words| SqlstateCode::from(words.sqlstate)),
        }
    }

    /// How the login ended.
    pub fn outcome(&self) -> LoginOutcome {
        match self {
            Self::Link(PeerError::TimedOut)
            | Self::Auth(AuthError::Peer(PeerError::TimedOut))
            | Self::NotOnRecord => LoginOutcome::TimedOut,
            Self::Link(_)
            | Self::Malformed(_)
            | Self::OutOfOrder
            | Self::BytesBeforeTls
            | Self::TlsHandshake(_) => LoginOutcome::Abandoned,
            Self::Auth(error) => match error {
                AuthError::Peer(_) | AuthError::Malformed(_) | AuthError::Unencodable(_) => {
                    LoginOutcome::Abandoned
                }
                AuthError::NotPrivate | AuthError::NotLocal => LoginOutcome::RefusedMethod,
                AuthError::Exchange
                | AuthError::EmptyPassword
                | AuthError::WrongPassword
                | AuthError::Token(_)
                | AuthError::NoCertificate
                | AuthError::WrongCertificate => LoginOutcome::BadCredentials,
            },
            Self::TlsRequired | Self::UpstreamTrustsUs | Self::ConsoleUnproved => {
                LoginOutcome::RefusedMethod
            }
            Self::Settings(_) => LoginOutcome::RefusedSettings,
            Self::Disabled
            | Self::NoPolicy
            | Self::NoRoles
            | Self::PolicyChanged
            | Self::NoConsoleUser => LoginOutcome::RefusedPolicy,
            Self::UpstreamRefused(message) => match sqlstate_of(message) {
                Some("28P01") => LoginOutcome::BadCredentials,
                Some(_) | None => LoginOutcome::UpstreamRefused,
            },
            Self::IdentityRefused(_) => LoginOutcome::UpstreamRefused,
            Self::Upstream(UpstreamLoginError::Link(PeerError::TimedOut)) => LoginOutcome::TimedOut,
            Self::Upstream(_) | Self::NoServer(_) | Self::NoKey | Self::PoolPaused => {
                LoginOutcome::UpstreamUnreachable
            }
            Self::Lookup(failure) => match failure.is_away() {
                true => LoginOutcome::UpstreamUnreachable,
                false => LoginOutcome::UpstreamRefused,
            },
            Self::Shutdown => LoginOutcome::Drained,
            Self::TooManyConnections | Self::TooManyUsers | Self::PoolBusy { .. } => {
                LoginOutcome::TooManyConnections
            }
            Self::NotReadOnly(
                VerifyError::Differs(_)
                | VerifyError::NoAnswer(_)
                | VerifyError::NoSearchPath
                | VerifyError::NoSettings
                | VerifyError::OtherEngine(_)
                | VerifyError::NoEngine
                | VerifyError::Unserved(_)
                | VerifyError::Unshared(_),
            ) => LoginOutcome::UpstreamNotReadOnly,
            Self::NotReadOnly(VerifyError::Link(PeerError::TimedOut)) => LoginOutcome::TimedOut,
            Self::NotReadOnly(VerifyError::Link(_) | VerifyError::Ended) => {
                LoginOutcome::UpstreamUnreachable
            }
        }
    }

    /// Why the connection ends.
    pub fn closed(&self) -> ClosedBecause {
        match self {
            Self::Link(PeerError::Closed | PeerError::Broken(_))
            | Self::Auth(AuthError::Peer(PeerError::Closed | PeerError::Broken(_))) => {
                ClosedBecause::ClientGone
            }
            Self::Link(PeerError::TimedOut) | Self::Auth(AuthError::Peer(PeerError::TimedOut)) => {
                ClosedBecause::TimedOut
            }
            Self::NotReadOnly(VerifyError::Differs(_)) => ClosedBecause::Tripwire,
            Self::Shutdown => ClosedBecause::Drained,
            other => match other.violation() {
                Some((SessionLeg::Client, _)) => ClosedBecause::ClientViolation,
                Some((SessionLeg::Upstream, _)) => ClosedBecause::UpstreamViolation,
                None => ClosedBecause::LoginFailed,
            },
        }
    }

    /// Why the connection is refused, for one that never came to name a user.
    pub fn refused(&self) -> Option<RefusedBecause> {
        match self {
            Self::TlsRequired => Some(RefusedBecause::TlsRequired),
            Self::TlsHandshake(_) => Some(RefusedBecause::TlsHandshake),
            Self::Link(PeerError::TimedOut) => Some(RefusedBecause::LoginTimeout),
            Self::NotOnRecord => Some(RefusedBecause::AuditFull),
            Self::Malformed(MalformedMessage::UnsupportedProtocol { .. }) => {
                Some(RefusedBecause::Unsupported)
            }
            _ => None,
        }
    }

    /// Why TLS with the client was not agreed on, if that is why.
    pub fn client_tls(&self) -> Option<TlsFailure> {
        match self {
            Self::TlsHandshake(failure) => Some(*failure),
            _ => None,
        }
    }

    /// Why TLS with the upstream was not agreed on, if that is why.
    pub fn upstream_tls(&self) -> Option<TlsFailure> {
        match self {
            Self::Upstream(UpstreamLoginError::Connect(error))
            | Self::IdentityRefused(UpstreamLoginError::Connect(error)) => error.tls_failure(),
            _ => None,
        }
    }

    /// Who broke the protocol and in what way, if somebody did.
    pub fn violation(&self) -> Option<(SessionLeg, ViolationKind)> {
        let (peer, violation) = match self {
            Self::BytesBeforeTls => (SessionLeg::Client, ViolationKind::BytesBeforeTls),
            Self::OutOfOrder => (SessionLeg::Client, ViolationKind::OutOfOrder),
            Self::Malformed(MalformedMessage::UnsupportedProtocol { .. }) => return None,
            Self::Malformed(_) => (SessionLeg::Client, ViolationKind::BadStartup),
            Self::Auth(AuthError::Malformed(_)) => (SessionLeg::Client, ViolationKind::Malformed),
            Self::Link(error) | Self::Auth(AuthError::Peer(error)) => {
                (SessionLeg::Client, link_violation(error)?)
            }
            Self::Upstream(UpstreamLoginError::OutOfPlace(_)) => {
                (SessionLeg::Upstream, ViolationKind::OutOfOrder)
            }
            Self::Upstream(UpstreamLoginError::TooMuch) => {
                (SessionLeg::Upstream, ViolationKind::Overrun)
            }
            Self::Upstream(UpstreamLoginError::Link(error))
            | Self::NotReadOnly(VerifyError::Link(error)) => {
                (SessionLeg::Upstream, link_violation(error)?)
            }
            _ => return None,
        };
        Some((peer, violation))
    }

    /// What the person who runs pgsieve has to hear, where the fault is on that side. It holds no
    /// address, user or password.
    pub fn operator_message(&self) -> Option<&dyn std::fmt::Display> {
        match self {
            Self::Upstream(error) | Self::IdentityRefused(error) => Some(error),
            Self::NotReadOnly(error) => Some(error),
            _ => None,
        }
    }

    /// The alarm that this is, if it is one.
    pub fn tripwire(&self) -> Option<Tripwire> {
        match self {
            Self::NotReadOnly(error) => error.tripwire(),
            _ => None,
        }
    }

    fn text(&self, user: &str) -> Option<LoginErrorText> {
        let words = match self {
            Self::Link(error) | Self::Auth(AuthError::Peer(error)) => return link_words(error),
            Self::BytesBeforeTls
            | Self::TlsHandshake(_)
            | Self::UpstreamRefused(_)
            | Self::Settings(_) => return None,
            Self::Malformed(malformed) | Self::Auth(AuthError::Malformed(malformed)) => {
                violation_words(malformed)
            }
            Self::OutOfOrder => text(
                sqlstate::PROTOCOL_VIOLATION,
                "encryption was asked for twice or too late",
            ),
            Self::TlsRequired => text(
                sqlstate::INVALID_AUTHORIZATION,
                "this connection must be encrypted",
            )
            .hint("Connect with sslmode=require or stronger."),
            Self::Disabled => unproven::disabled_words(user),
            Self::NoPolicy => unproven::no_policy_words(user),
            Self::NoRoles => text(sqlstate::CANNOT_CONNECT_NOW, NO_ROLES).hint(
                "Connect again in a moment; the proxy's log says why its catalog is missing.",
            ),
            Self::PolicyChanged => text(
                sqlstate::CANNOT_CONNECT_NOW,
                "the policies have changed during the login",
            )
            .hint("Connect again."),
            Self::UpstreamTrustsUs => text(
                sqlstate::INVALID_AUTHORIZATION,
                "the database asks for no password, so nothing would prove who you are",
            )
            .hint("Connect from the proxy's own host, or have the database ask for a password."),
            Self::Auth(error) => unproven::words_for(error, user),
            Self::Lookup(failure) => unproven::lookup_words(failure),
            Self::IdentityRefused(_) => text(
                sqlstate::CONNECTION_REJECTED,
                "the database does not accept the identity that stands for this user",
            )
            .hint("Whoever runs the proxy has to look at its log."),
            Self::Upstream(error) => upstream_words(error),
            Self::NotReadOnly(error) => unproven::unproved_session_words(error),
            Self::Shutdown => text(sqlstate::CANNOT_CONNECT_NOW, "the proxy is shutting down")
                .hint("Connect again: another copy, or the next one, takes connections."),
            Self::NoServer(policy) => unproven::no_server_words(*policy),
            Self::NoKey => text(sqlstate::INTERNAL_ERROR, "no cancel key could be made"),
            Self::NotOnRecord => text(
                sqlstate::CANNOT_CONNECT_NOW,
                "the login cannot be put on record: the audit cannot be written",
            )
            .hint("Whoever runs the proxy has to look at the audit's disk; then connect again."),
            Self::PoolBusy { busy, waited } => unproven::pool_busy_words(*busy, *waited),
            Self::PoolPaused => unproven::pool_paused_words(),
            Self::NoConsoleUser => unproven::no_console_user_words(user),
            Self::ConsoleUnproved => unproven::console_unproved_words(),
            Self::TooManyConnections => LoginErrorText {
                sqlstate: sqlstate::TOO_MANY_CONNECTIONS,
                message: Cow::Owned(format!("too many connections for role \"{user}\"")),
                hint: Some("Close a connection of this user that is not needed any more."),
            },
            Self::TooManyUsers => text(
                sqlstate::TOO_MANY_CONNECTIONS,
                "sorry, too many users already",
            ),
        };
        Some(words)
    }
}

impl LoginErrorText {
    pub(in crate::session) fn hint(self, hint: &'static str) -> Self {
        Self {
            hint: Some(hint),
            ..self
        }
    }
}

pub(in crate::session) fn text(sqlstate: SqlState, message: &'static str) -> LoginErrorText {
    LoginErrorText {
        sqlstate,
        message: Cow::Borrowed(message),
        hint: None,
    }
}

fn link_violation(error: &PeerError) -> Option<ViolationKind> {
    match error {
        PeerError::Closed | PeerError::Broken(_) | PeerError::TimedOut => None,
        PeerError::Malformed(MalformedMessage::UnknownType { .. }) => {
            Some(ViolationKind::OutOfOrder)
        }
        PeerError::Malformed(
            MalformedMessage::LengthTooSmall { .. } | MalformedMessage::LengthTooLarge { .. },
        ) => Some(ViolationKind::BadLength),
        PeerError::Malformed(_) => Some(ViolationKind::Malformed),
        PeerError::TooMuch => Some(ViolationKind::TooLarge),
    }
}

fn link_words(error: &PeerError) -> Option<LoginErrorText> {
    match error {
        PeerError::Closed | PeerError::Broken(_) => None,
        PeerError::TimedOut => Some(text(
            sqlstate::QUERY_CANCELED,
            "canceling authentication due to timeout",
        )),
        PeerError::Malformed(malformed) => Some(violation_words(malformed)),
        PeerError::TooMuch => Some(text(
            sqlstate::PROTOCOL_VIOLATION,
            "more was sent than a login needs",
        )),
    }
}

fn violation_words(malformed: &MalformedMessage) -> LoginErrorText {
    let message = Cow::Owned(malformed.to_string());
    LoginErrorText {
        sqlstate: malformed.sqlstate(),
        message,
        hint: None,
    }
}

fn upstream_words(error: &UpstreamLoginError) -> LoginErrorText {
    match error {
        UpstreamLoginError::Connect(_) => text(
            sqlstate::CANNOT_CONNECT,
            "the database behind the proxy cannot be reached",
        ),
        UpstreamLoginError::Link(_)
        | UpstreamLoginError::OutOfPlace(_)
        | UpstreamLoginError::TooMuch => text(
            sqlstate::CONNECTION_FAILURE,
            "the database behind the proxy broke off the login",
        ),
        UpstreamLoginError::Refused(_)
        | UpstreamLoginError::NoPassword
        | UpstreamLoginError::OnlyKeys
        | UpstreamLoginError::Unsaid(_) => text(
            sqlstate::CONNECTION_REJECTED,
            "the database behind the proxy does not accept the login",
        ),
        UpstreamLoginError::CleartextInClear => text(
            sqlstate::CONNECTION_REJECTED,
            "the database asks for the password in clear over an unencrypted connection",
        )
        .hint("Whoever runs the proxy should set sslmode for the database."),
        UpstreamLoginError::UnsupportedMethod => text(
            sqlstate::FEATURE_NOT_SUPPORTED,
            "the database asks for a login method that the proxy does not carry",
        ),
        UpstreamLoginError::Scram(_) => text(
            sqlstate::CONNECTION_REJECTED,
            "the database did not prove that it knows the password",
        ),
    }
}

const NO_ROLES: &str = "the roles that decide which policy is for this session are not known";
