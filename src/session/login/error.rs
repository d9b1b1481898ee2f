//! Why a client is not let in: what it is told, and what is recorded of it.
//!
//! What it is told names no address, path or secret of ours. Where the upstream itself refused the
//! client's own user and password, the client gets the upstream's error byte for byte.

use std::borrow::Cow;

use bytes::BytesMut;

use super::unproven;
use crate::auth::AuthError;
use crate::gate::Refusal;
use crate::net::framed_stream::{LinkError, Message};
use crate::sqlstate::{self, SqlState};
use crate::telemetry::labels::{
    ClosedBecause, LoginOutcome, Peer, RefusedBecause, TlsFailure, Tripwire, Violation,
};
use crate::telemetry::sqlstate_code::Code;
use crate::upstream::login::{LoginError, sqlstate_of};
use crate::upstream::verify::{Setting, VerifyError};
use crate::wire::encode::{self, ErrorFields, Severity};
use crate::wire::malformed::Malformed;

/// One cause for turning a client away.
#[derive(Debug)]
pub enum Denial {
    /// It went away, took too long, or sent no message.
    Link(LinkError),
    /// Its first packet is none.
    Malformed(Malformed),
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
    /// No policy is for it.
    NoPolicy,
    /// Nobody knows which policy is for it, because nobody knows what its role is a member of.
    NoRoles,
    /// While it logged in, the policies have changed so that it would not have been let in alike.
    PolicyChanged,
    /// It did not prove who it is, or may not do so over this connection.
    Auth(AuthError),
    /// The upstream asks pgsieve for no password, so nothing proves who this remote client is.
    UpstreamTrustsUs,
    /// The upstream refused; its error is for the client.
    UpstreamRefused(Message),
    /// The upstream refused the identity that stands for the client, which is our own affair.
    IdentityRefused(LoginError),
    /// The upstream was not reached or does not behave.
    Upstream(LoginError),
    /// The upstream's session is not what was asked for.
    NotReadOnly(VerifyError),
    /// The server was asked to stop before the login was done.
    Shutdown,
    /// No cancel key could be made.
    NoKey,
    /// Its login cannot be put on record: the audit takes no lines.
    NotOnRecord,
    /// Its user has as many connections as the policy gives.
    TooManyConnections,
    /// So many users have to be remembered that there is no room for one more.
    TooManyUsers,
}

/// What a client is told.
pub(in crate::session) struct Words {
    pub(in crate::session) sqlstate: SqlState,
    pub(in crate::session) message: Cow<'static, str>,
    pub(in crate::session) hint: Option<&'static str>,
}

impl Denial {
    /// Appends what the client is told; nothing where there is nobody to tell.
    pub fn tell(&self, user: &str, out: &mut BytesMut) {
        match self {
            Self::UpstreamRefused(message) => out.extend_from_slice(&message.bytes),
            Self::Settings(refusal) => {
                let fields = ErrorFields {
                    detail: Some(&refusal.detail),
                    hint: Some(&refusal.hint),
                    ..ErrorFields::new(Severity::Fatal, refusal.sqlstate, &refusal.message)
                };
                encode::error(out, &fields);
            }
            other => {
                if let Some(words) = other.words(user) {
                    let Words {
                        sqlstate,
                        message,
                        hint,
                    } = words;
                    let fields = ErrorFields::new(Severity::Fatal, sqlstate, &message);
                    encode::error(out, &ErrorFields { hint, ..fields });
                }
            }
        }
    }

    /// The code that the client is told.
    pub fn code(&self) -> Option<Code> {
        match self {
            Self::UpstreamRefused(message) => {
                sqlstate_of(message).map(|code| Code::from_bytes(code.as_bytes()))
            }
            Self::Settings(refusal) => Some(Code::from(refusal.sqlstate)),
            other => other.words("").map(|words| Code::from(words.sqlstate)),
        }
    }

    /// How the login ended.
    pub fn outcome(&self) -> LoginOutcome {
        match self {
            Self::Link(LinkError::TimedOut)
            | Self::Auth(AuthError::Link(LinkError::TimedOut))
            | Self::NotOnRecord => LoginOutcome::TimedOut,
            Self::Link(_)
            | Self::Malformed(_)
            | Self::OutOfOrder
            | Self::BytesBeforeTls
            | Self::TlsHandshake(_) => LoginOutcome::Abandoned,
            Self::Auth(error) => match error {
                AuthError::Link(_) | AuthError::Malformed(_) | AuthError::Unsaid(_) => {
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
            Self::TlsRequired | Self::UpstreamTrustsUs => LoginOutcome::RefusedMethod,
            Self::Settings(_) => LoginOutcome::RefusedSettings,
            Self::NoPolicy | Self::NoRoles | Self::PolicyChanged => LoginOutcome::RefusedPolicy,
            Self::UpstreamRefused(message) => match sqlstate_of(message) {
                Some("28P01") => LoginOutcome::BadCredentials,
                Some(_) | None => LoginOutcome::UpstreamRefused,
            },
            Self::IdentityRefused(_) => LoginOutcome::UpstreamRefused,
            Self::Upstream(LoginError::Link(LinkError::TimedOut)) => LoginOutcome::TimedOut,
            Self::Upstream(_) | Self::NoKey => LoginOutcome::UpstreamUnreachable,
            Self::Shutdown => LoginOutcome::Drained,
            Self::TooManyConnections | Self::TooManyUsers => LoginOutcome::TooManyConnections,
            Self::NotReadOnly(
                VerifyError::Differs(_)
                | VerifyError::NoAnswer(_)
                | VerifyError::NoSearchPath
                | VerifyError::NoSettings,
            ) => LoginOutcome::UpstreamNotReadOnly,
            Self::NotReadOnly(VerifyError::Link(LinkError::TimedOut)) => LoginOutcome::TimedOut,
            Self::NotReadOnly(VerifyError::Link(_) | VerifyError::Ended) => {
                LoginOutcome::UpstreamUnreachable
            }
        }
    }

    /// Why the connection ends.
    pub fn closed(&self) -> ClosedBecause {
        match self {
            Self::Link(LinkError::Closed | LinkError::Broken(_))
            | Self::Auth(AuthError::Link(LinkError::Closed | LinkError::Broken(_))) => {
                ClosedBecause::ClientGone
            }
            Self::Link(LinkError::TimedOut) | Self::Auth(AuthError::Link(LinkError::TimedOut)) => {
                ClosedBecause::TimedOut
            }
            Self::NotReadOnly(VerifyError::Differs(_)) => ClosedBecause::Tripwire,
            Self::Shutdown => ClosedBecause::Drained,
            other => match other.violation() {
                Some((Peer::Client, _)) => ClosedBecause::ClientViolation,
                Some((Peer::Upstream, _)) => ClosedBecause::UpstreamViolation,
                None => ClosedBecause::LoginFailed,
            },
        }
    }

    /// Why the connection is refused, for one that never came to name a user.
    pub fn refused(&self) -> Option<RefusedBecause> {
        match self {
            Self::TlsRequired => Some(RefusedBecause::TlsRequired),
            Self::TlsHandshake(_) => Some(RefusedBecause::TlsHandshake),
            Self::Link(LinkError::TimedOut) => Some(RefusedBecause::LoginTimeout),
            Self::NotOnRecord => Some(RefusedBecause::AuditFull),
            Self::Malformed(Malformed::UnsupportedProtocol { .. }) => {
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
            Self::Upstream(LoginError::Connect(error))
            | Self::IdentityRefused(LoginError::Connect(error)) => error.tls_failure(),
            _ => None,
        }
    }

    /// Who broke the protocol and in what way, if somebody did.
    pub fn violation(&self) -> Option<(Peer, Violation)> {
        let (peer, violation) = match self {
            Self::BytesBeforeTls => (Peer::Client, Violation::BytesBeforeTls),
            Self::OutOfOrder => (Peer::Client, Violation::OutOfOrder),
            Self::Malformed(Malformed::UnsupportedProtocol { .. }) => return None,
            Self::Malformed(_) => (Peer::Client, Violation::BadStartup),
            Self::Auth(AuthError::Malformed(_)) => (Peer::Client, Violation::Malformed),
            Self::Link(error) | Self::Auth(AuthError::Link(error)) => {
                (Peer::Client, link_violation(error)?)
            }
            Self::Upstream(LoginError::OutOfPlace(_)) => (Peer::Upstream, Violation::OutOfOrder),
            Self::Upstream(LoginError::TooMuch) => (Peer::Upstream, Violation::Overrun),
            Self::Upstream(LoginError::Link(error))
            | Self::NotReadOnly(VerifyError::Link(error)) => {
                (Peer::Upstream, link_violation(error)?)
            }
            _ => return None,
        };
        Some((peer, violation))
    }

    /// What the person who runs pgsieve has to hear, where the fault is on that side. It holds no
    /// address, user or password.
    pub fn for_the_house(&self) -> Option<&dyn std::fmt::Display> {
        match self {
            Self::Upstream(error) | Self::IdentityRefused(error) => Some(error),
            Self::NotReadOnly(error) => Some(error),
            _ => None,
        }
    }

    /// The alarm that this is, if it is one.
    pub fn tripwire(&self) -> Option<Tripwire> {
        match self {
            Self::NotReadOnly(VerifyError::Differs(setting)) => Some(match setting {
                Setting::TransactionReadOnly => Tripwire::ReadOnlyNotVerified,
                Setting::DefaultTransactionReadOnly => Tripwire::ReadOnlyReportedOff,
                Setting::StandardConformingStrings => Tripwire::LexerSettingChanged,
                Setting::ClientEncoding => Tripwire::EncodingChanged,
            }),
            _ => None,
        }
    }

    fn words(&self, user: &str) -> Option<Words> {
        let words = match self {
            Self::Link(error) | Self::Auth(AuthError::Link(error)) => return link_words(error),
            Self::BytesBeforeTls
            | Self::TlsHandshake(_)
            | Self::UpstreamRefused(_)
            | Self::Settings(_) => return None,
            Self::Malformed(malformed) | Self::Auth(AuthError::Malformed(malformed)) => {
                violation_words(malformed)
            }
            Self::OutOfOrder => words(
                sqlstate::PROTOCOL_VIOLATION,
                "encryption was asked for twice or too late",
            ),
            Self::TlsRequired => words(
                sqlstate::INVALID_AUTHORIZATION,
                "this connection must be encrypted",
            )
            .hint("Connect with sslmode=require or stronger."),
            Self::NoPolicy => words(
                sqlstate::INVALID_AUTHORIZATION,
                "no policy is for this session",
            )
            .hint("Whoever runs the proxy decides which sessions a policy is for."),
            Self::NoRoles => words(sqlstate::CANNOT_CONNECT_NOW, NO_ROLES).hint(
                "Connect again in a moment; the proxy's log says why its catalog is missing.",
            ),
            Self::PolicyChanged => words(
                sqlstate::CANNOT_CONNECT_NOW,
                "the policies have changed during the login",
            )
            .hint("Connect again."),
            Self::UpstreamTrustsUs => words(
                sqlstate::INVALID_AUTHORIZATION,
                "the database asks for no password, so nothing would prove who you are",
            )
            .hint("Connect from the proxy's own host, or have the database ask for a password."),
            Self::Auth(error) => unproven::words_for(error, user),
            Self::IdentityRefused(_) => words(
                sqlstate::CONNECTION_REJECTED,
                "the database does not accept the identity that stands for this user",
            )
            .hint("Whoever runs the proxy has to look at its log."),
            Self::Upstream(error) => upstream_words(error),
            Self::NotReadOnly(error) => unproved_words(error),
            Self::Shutdown => words(sqlstate::CANNOT_CONNECT_NOW, "the proxy is shutting down")
                .hint("Connect again: another copy, or the next one, takes connections."),
            Self::NoKey => words(sqlstate::INTERNAL_ERROR, "no cancel key could be made"),
            Self::NotOnRecord => words(
                sqlstate::CANNOT_CONNECT_NOW,
                "the login cannot be put on record: the audit cannot be written",
            )
            .hint("Whoever runs the proxy has to look at the audit's disk; then connect again."),
            Self::TooManyConnections => Words {
                sqlstate: sqlstate::TOO_MANY_CONNECTIONS,
                message: Cow::Owned(format!("too many connections for role \"{user}\"")),
                hint: Some("Close a connection of this user that is not needed any more."),
            },
            Self::TooManyUsers => words(
                sqlstate::TOO_MANY_CONNECTIONS,
                "sorry, too many users already",
            ),
        };
        Some(words)
    }
}

impl Words {
    pub(in crate::session) fn hint(self, hint: &'static str) -> Self {
        Self {
            hint: Some(hint),
            ..self
        }
    }
}

pub(in crate::session) fn words(sqlstate: SqlState, message: &'static str) -> Words {
    Words {
        sqlstate,
        message: Cow::Borrowed(message),
        hint: None,
    }
}

fn link_violation(error: &LinkError) -> Option<Violation> {
    match error {
        LinkError::Closed | LinkError::Broken(_) | LinkError::TimedOut => None,
        LinkError::Malformed(Malformed::UnknownType { .. }) => Some(Violation::OutOfOrder),
        LinkError::Malformed(
            Malformed::LengthTooSmall { .. } | Malformed::LengthTooLarge { .. },
        ) => Some(Violation::BadLength),
        LinkError::Malformed(_) => Some(Violation::Malformed),
        LinkError::TooMuch => Some(Violation::TooLarge),
    }
}

fn link_words(error: &LinkError) -> Option<Words> {
    match error {
        LinkError::Closed | LinkError::Broken(_) => None,
        LinkError::TimedOut => Some(words(
            sqlstate::QUERY_CANCELED,
            "canceling authentication due to timeout",
        )),
        LinkError::Malformed(malformed) => Some(violation_words(malformed)),
        LinkError::TooMuch => Some(words(
            sqlstate::PROTOCOL_VIOLATION,
            "more was sent than a login needs",
        )),
    }
}

fn violation_words(malformed: &Malformed) -> Words {
    let message = Cow::Owned(malformed.to_string());
    Words {
        sqlstate: malformed.sqlstate(),
        message,
        hint: None,
    }
}

/// A session that nobody could look at is not one that is not read-only.
fn unproved_words(error: &VerifyError) -> Words {
    match error {
        VerifyError::Differs(_) => words(
            sqlstate::CONNECTION_REJECTED,
            "the database session is not read-only as it was asked to be",
        )
        .hint("Something between the proxy and the database ignores startup parameters."),
        VerifyError::NoAnswer(_) | VerifyError::NoSearchPath | VerifyError::NoSettings => words(
            sqlstate::CONNECTION_REJECTED,
            "the database does not say whether its session is read-only",
        )
        .hint("Whoever runs the proxy has to look at its log."),
        VerifyError::Ended | VerifyError::Link(_) => words(
            sqlstate::CONNECTION_FAILURE,
            "the connection to the database was lost while its session was checked",
        )
        .hint("Connect again."),
    }
}

fn upstream_words(error: &LoginError) -> Words {
    match error {
        LoginError::Connect(_) => words(
            sqlstate::CANNOT_CONNECT,
            "the database behind the proxy cannot be reached",
        ),
        LoginError::Link(_) | LoginError::OutOfPlace(_) | LoginError::TooMuch => words(
            sqlstate::CONNECTION_FAILURE,
            "the database behind the proxy broke off the login",
        ),
        LoginError::Refused(_) | LoginError::NoPassword | LoginError::Unsaid(_) => words(
            sqlstate::CONNECTION_REJECTED,
            "the database behind the proxy does not accept the login",
        ),
        LoginError::CleartextInClear => words(
            sqlstate::CONNECTION_REJECTED,
            "the database asks for the password in clear over an unencrypted connection",
        )
        .hint("Whoever runs the proxy should set sslmode for the database."),
        LoginError::UnsupportedMethod => words(
            sqlstate::FEATURE_NOT_SUPPORTED,
            "the database asks for a login method that the proxy does not carry",
        ),
        LoginError::Scram(_) => words(
            sqlstate::CONNECTION_REJECTED,
            "the database did not prove that it knows the password",
        ),
    }
}

const NO_ROLES: &str = "the roles that decide which policy is for this session are not known";
