//! What clients are told that did not prove who they are: the same whether there is such a user or
//! not; and those who did and are not let in.

use std::borrow::Cow;
use std::time::Duration;

use super::error::{LoginErrorText, text};
use crate::auth::AuthError;
use crate::auth::oidc::token::TokenError;
use crate::session::reply::{POOL_PAUSED, POOL_PAUSED_HINT, pool_busy_hint, pool_busy_message};
use crate::sqlstate;
use crate::target_servers::TargetServers;
use crate::upstream::engine::known::EngineMismatch;
use crate::upstream::pool::BusyConnections;
use crate::upstream::verifier_lookup::LookupFailure;
use crate::upstream::verify::VerifyError;

/// What a client is told.
pub(in crate::session) fn words_for(error: &AuthError, user: &str) -> LoginErrorText {
    let about =
        |kind: &str| Cow::Owned(format!("{kind} authentication failed for user \"{user}\""));
    match error {
        AuthError::Exchange => text(sqlstate::PROTOCOL_VIOLATION, "malformed SCRAM message"),
        AuthError::Token(error) => token_words(error, user),
        AuthError::EmptyPassword | AuthError::WrongPassword => {
            let message = about("password");
            LoginErrorText {
                sqlstate: sqlstate::INVALID_PASSWORD,
                message,
                hint: None,
            }
        }
        AuthError::NoCertificate | AuthError::WrongCertificate => {
            let message = about("certificate");
            LoginErrorText {
                sqlstate: sqlstate::INVALID_AUTHORIZATION,
                message,
                hint: None,
            }
        }
        AuthError::NotPrivate => text(
            sqlstate::INVALID_AUTHORIZATION,
            "a password would cross the network in clear",
        )
        .hint("Connect with sslmode=require or stronger."),
        AuthError::NotLocal => text(
            sqlstate::INVALID_AUTHORIZATION,
            "only clients on the proxy's own host are let in without a password",
        ),
        AuthError::Unencodable(_) | AuthError::Peer(_) | AuthError::Malformed(_) => text(
            sqlstate::INTERNAL_ERROR,
            "the login could not be carried on",
        ),
    }
}

/// What is wrong with a token is for the log; its owner hears when it holds.
fn token_words(error: &TokenError, user: &str) -> LoginErrorText {
    let (code, why, hint) = match error {
        TokenError::Expired => (
            sqlstate::INVALID_PASSWORD,
            ": the token has expired",
            "Get a new token, and log in with that.",
        ),
        TokenError::NotYet => (
            sqlstate::INVALID_PASSWORD,
            ": the token does not hold yet",
            "The clocks of its issuer and of the proxy may differ.",
        ),
        TokenError::NoKeys(_) => (
            sqlstate::CANNOT_CONNECT_NOW,
            ": its issuer's keys are not known",
            "Connect again in a moment; the proxy's log says why they are missing.",
        ),
        _ => (
            sqlstate::INVALID_PASSWORD,
            "",
            "The password is to be a token for this user; the proxy's log says what is wrong.",
        ),
    };
    LoginErrorText {
        sqlstate: code,
        message: Cow::Owned(format!(
            "token authentication failed for user \"{user}\"{why}"
        )),
        hint: Some(hint),
    }
}

/// What a client is told whose wish for a connection of its pool was in vain.
pub(super) fn pool_busy_words(busy: BusyConnections, waited: Duration) -> LoginErrorText {
    LoginErrorText {
        sqlstate: sqlstate::TOO_MANY_CONNECTIONS,
        message: pool_busy_message(busy, waited),
        hint: Some(pool_busy_hint(busy)),
    }
}

/// What a client is told that has proved who it is, and may not log in.
pub(super) fn disabled_words(user: &str) -> LoginErrorText {
    LoginErrorText {
        sqlstate: sqlstate::INVALID_AUTHORIZATION,
        message: Cow::Owned(format!("user \"{user}\" is disabled")),
        hint: Some("The operator of the proxy decides which users may log in."),
    }
}

/// A session that nobody could look at is not one that is not read-only.
pub(super) fn unproved_session_words(error: &VerifyError) -> LoginErrorText {
    match error {
        VerifyError::Differs(_) => text(
            sqlstate::CONNECTION_REJECTED,
            "the database session is not read-only as it was asked to be",
        )
        .hint("Something between the proxy and the database ignores startup parameters."),
        VerifyError::NoAnswer(_) | VerifyError::NoSearchPath | VerifyError::NoSettings => text(
            sqlstate::CONNECTION_REJECTED,
            "the database does not say whether its session is read-only",
        )
        .hint("Whoever runs the proxy has to look at its log."),
        VerifyError::OtherEngine(EngineMismatch::Named { named, found }) => LoginErrorText {
            sqlstate: sqlstate::CONNECTION_REJECTED,
            message: Cow::Owned(format!(
                "the database is {}, and the proxy was told to expect {}",
                found.title(),
                named.title()
            )),
            hint: Some("Whoever runs the proxy has to look at upstream.engine."),
        },
        VerifyError::OtherEngine(EngineMismatch::Mixed { .. }) | VerifyError::NoEngine => text(
            sqlstate::CONNECTION_REJECTED,
            "the proxy does not know of which engine the database is",
        )
        .hint("Whoever runs the proxy has to look at its log."),
        VerifyError::Unserved(engine) => LoginErrorText {
            sqlstate: sqlstate::FEATURE_NOT_SUPPORTED,
            message: Cow::Owned(format!(
                "the proxy does not serve {}: its sessions cannot be made read-only",
                engine.title()
            )),
            hint: None,
        },
        VerifyError::Unshared(engine) => LoginErrorText {
            sqlstate: sqlstate::FEATURE_NOT_SUPPORTED,
            message: Cow::Owned(format!(
                "sessions cannot share connections to {}",
                engine.title()
            )),
            hint: Some(
                "Whoever runs the proxy has to set pool.mode, or pool_mode of the database, to \
                 session.",
            ),
        },
        VerifyError::Ended | VerifyError::Link(_) => text(
            sqlstate::CONNECTION_FAILURE,
            "the connection to the database was lost while its session was checked",
        )
        .hint("Connect again."),
    }
}

/// What a client is told whose database is paused.
pub(super) fn pool_paused_words() -> LoginErrorText {
    text(sqlstate::CANNOT_CONNECT_NOW, POOL_PAUSED).hint(POOL_PAUSED_HINT)
}

/// What a client is told that no policy is for.
pub(super) fn no_policy_words(user: &str) -> LoginErrorText {
    LoginErrorText {
        sqlstate: sqlstate::INVALID_AUTHORIZATION,
        message: Cow::Owned(format!("no policy matches user \"{user}\"")),
        hint: Some(
            "The operator of the proxy decides which users, databases, applications and \
             addresses its policies match.",
        ),
    }
}

/// What a client is told that has proved who it is, and that the console is not for.
pub(super) fn no_console_user_words(user: &str) -> LoginErrorText {
    LoginErrorText {
        sqlstate: sqlstate::INVALID_AUTHORIZATION,
        message: Cow::Owned(format!("the console is not for user \"{user}\"")),
        hint: Some("The operator of the proxy sets console.users and console.stats_users."),
    }
}

/// What a client is told whom nothing has proved to pgsieve.
pub(super) fn console_unproved_words() -> LoginErrorText {
    text(
        sqlstate::INVALID_AUTHORIZATION,
        "the console is only for users who prove to the proxy who they are",
    )
    .hint("It takes client.auth.method scram, auth_query, cert or oidc.")
}

/// What a client is told whose verifier nobody has been told.
pub(super) fn lookup_words(failure: &LookupFailure) -> LoginErrorText {
    match failure {
        LookupFailure::NoServer => no_server_words(TargetServers::Any),
        away if away.is_away() => text(
            sqlstate::CANNOT_CONNECT,
            "the database behind the proxy cannot be reached, which tells who may log in",
        )
        .hint("Connect again in a moment."),
        _ => text(
            sqlstate::CONNECTION_REJECTED,
            "the database does not tell the proxy who may log in",
        )
        .hint("Whoever runs the proxy has to look at its log."),
    }
}

/// What a client is told where no server may be used.
pub(super) fn no_server_words(policy: TargetServers) -> LoginErrorText {
    let message = match policy.only() {
        None => Cow::Borrowed(NO_SERVER),
        Some(_) => Cow::Owned(format!(
            "no database server is there that the policy of this session permits (targets: {}): \
             it is away, or a standby is too far behind",
            policy.name()
        )),
    };
    LoginErrorText {
        sqlstate: sqlstate::CANNOT_CONNECT_NOW,
        message,
        hint: Some(NO_SERVER_HINT),
    }
}

const NO_SERVER: &str = "no database server of the wanted kind is there: it is away, or a standby is \
                         too far behind";
const NO_SERVER_HINT: &str =
    "Connect again in a moment; whoever runs the proxy finds more in its log.";
