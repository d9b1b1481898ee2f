//! What clients are told that did not prove who they are: the same whether there is such a user or
//! not.

use std::borrow::Cow;
use std::time::Duration;

use super::error::{LoginErrorText, text};
use crate::auth::AuthError;
use crate::auth::oidc::token::TokenError;
use crate::session::reply::{POOL_BUSY_HINT, pool_busy_message};
use crate::sqlstate;

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
pub(super) fn pool_busy_words(size: usize, waited: Duration) -> LoginErrorText {
    LoginErrorText {
        sqlstate: sqlstate::TOO_MANY_CONNECTIONS,
        message: pool_busy_message(size, waited),
        hint: Some(POOL_BUSY_HINT),
    }
}

/// What a client is told where none of several servers may be used.
pub(super) fn no_server_words() -> LoginErrorText {
    text(sqlstate::CANNOT_CONNECT_NOW, NO_SERVER).hint(NO_SERVER_HINT)
}

const NO_SERVER: &str = "no database server of the wanted kind is there: it is away, or a standby is \
                         too far behind";
const NO_SERVER_HINT: &str =
    "Connect again in a moment; whoever runs the proxy finds more in its log.";
