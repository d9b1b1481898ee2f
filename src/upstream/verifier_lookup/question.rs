//! The one statement that asks for a verifier, and what its answer may be.
//!
//! The function gives a row of a name and a verifier, as PgBouncer's `auth_query` wants it, or no
//! row, or one of nulls, where there is no such user.

use std::fmt;
use std::sync::Arc;

use tokio_postgres::types::Type;
use tokio_postgres::{Client, Row};

use crate::auth::function_name::FunctionName;
use crate::auth::verifier::{ScramVerifier, VerifierError};
use crate::sqlstate;
use crate::upstream::account::OwnSessionError;
use crate::upstream::login::UpstreamLoginError;
use crate::upstream::verify::VerifyError;

/// What the server has of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookupAnswer {
    /// A verifier.
    Verifier(ScramVerifier),
    /// No such user, or none with a password, or none that the function tells of.
    Nobody,
    /// Something that no password can be checked against here.
    Unusable(UnusableVerifier),
}

/// Why no password can be checked against what the server has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnusableVerifier {
    /// It is an MD5 of the password, or the word that the printed function has in its place.
    Md5,
    /// It is no verifier that can be read.
    Unread(VerifierError),
}

/// Why a user cannot be looked up. For logs: holds nothing of users, and none of the server's words
/// but its SQLSTATE.
#[derive(Debug, Clone)]
pub enum LookupFailure {
    /// No server is there.
    NoServer,
    /// There is no session to ask over.
    Session(Arc<OwnSessionError>),
    /// The connection was lost.
    Lost,
    /// No answer came in time.
    TimedOut,
    /// The server does not run the statement, with this SQLSTATE.
    Refused(Box<str>),
    /// The answer is not a name and a verifier.
    Form,
    /// There are several.
    Several,
    /// It is for another user.
    OtherUser,
}

/// Asks, with the user as a parameter.
///
/// May be cancelled: the answer goes to nobody.
///
/// # Errors
/// The server does not answer, or not as it must.
pub async fn lookup(
    client: &Client,
    function: &FunctionName,
    user: &str,
) -> Result<LookupAnswer, LookupFailure> {
    let text = format!("SELECT * FROM {}($1) LIMIT 2", function.quoted());
    let rows = client.query_typed(&text, &[(&user, Type::TEXT)]).await;
    let rows = rows.map_err(|error| match error.code() {
        Some(code) => LookupFailure::Refused(code.code().into()),
        None => LookupFailure::Lost,
    })?;
    match rows.as_slice() {
        [] => Ok(LookupAnswer::Nobody),
        [row] => read(row, user),
        _ => Err(LookupFailure::Several),
    }
}

fn read(row: &Row, user: &str) -> Result<LookupAnswer, LookupFailure> {
    let field = |place: usize| -> Result<Option<&str>, LookupFailure> {
        row.try_get(place).map_err(|_error| LookupFailure::Form)
    };
    let (name, verifier) = (field(0)?, field(1)?);
    match (name, verifier) {
        (Some(name), Some(_)) if name != user => Err(LookupFailure::OtherUser),
        (Some(_), Some(verifier)) => Ok(of_text(verifier)),
        (None, _) | (_, None) => Ok(LookupAnswer::Nobody),
    }
}

fn of_text(verifier: &str) -> LookupAnswer {
    match ScramVerifier::parse(verifier) {
        Ok(verifier) => LookupAnswer::Verifier(verifier),
        Err(_) if verifier.is_empty() => LookupAnswer::Nobody,
        Err(_) if verifier.starts_with(MD5) => LookupAnswer::Unusable(UnusableVerifier::Md5),
        Err(error) => LookupAnswer::Unusable(UnusableVerifier::Unread(error)),
    }
}

impl LookupAnswer {
    /// The verifier, where there is one.
    pub fn verifier(&self) -> Option<&ScramVerifier> {
        match self {
            Self::Verifier(verifier) => Some(verifier),
            Self::Nobody | Self::Unusable(_) => None,
        }
    }
}

impl LookupFailure {
    /// Whether another server may answer.
    pub fn is_away(&self) -> bool {
        match self {
            Self::NoServer | Self::Lost | Self::TimedOut => true,
            Self::Session(error) => match &**error {
                OwnSessionError::Unreachable(_)
                | OwnSessionError::Lost
                | OwnSessionError::TimedOut
                | OwnSessionError::Login(UpstreamLoginError::Link(_)) => true,
                OwnSessionError::Refused(code) => {
                    let passing = [sqlstate::CANNOT_CONNECT_NOW, sqlstate::TOO_MANY_CONNECTIONS];
                    let code = code.as_deref();
                    passing.iter().any(|known| code == Some(known.as_str()))
                }
                OwnSessionError::NotReadOnly(VerifyError::Link(_) | VerifyError::Ended) => true,
                OwnSessionError::NoPassword
                | OwnSessionError::Login(_)
                | OwnSessionError::NotReadOnly(_)
                | OwnSessionError::OtherServer => false,
            },
            Self::Refused(code) => {
                // The server is told to stop, or has stopped this statement.
                code.starts_with("57P")
            }
            Self::Form | Self::Several | Self::OtherUser => false,
        }
    }
}

impl fmt::Display for UnusableVerifier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Md5 => formatter.write_str(
                "the database keeps its password as MD5: set it anew with password_encryption = \
                 'scram-sha-256'",
            ),
            Self::Unread(error) => write!(formatter, "its verifier is {error}"),
        }
    }
}

impl fmt::Display for LookupFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoServer => formatter.write_str("no server is there"),
            Self::Session(error) => write!(formatter, "{error}"),
            Self::Lost => formatter.write_str("connection lost"),
            Self::TimedOut => formatter.write_str("no answer in time"),
            Self::Refused(code) => {
                let why = match &**code {
                    "42883" | "3F000" => "there is no such function",
                    "42501" => "the account may not call the function",
                    "42809" => "it is no function that gives rows",
                    _ => "the statement fails",
                };
                write!(formatter, "{why} ({code})")
            }
            Self::Form => {
                formatter.write_str("the function answers with something else than two texts")
            }
            Self::Several => formatter.write_str("the function answers with several rows"),
            Self::OtherUser => formatter.write_str("the function answers for another user"),
        }
    }
}

impl std::error::Error for LookupFailure {}

/// How Postgres's MD5 hashes begin; the function that `pgsieve doctor --sql` prints tells no more
/// of them.
const MD5: &str = "md5";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secret;

    #[test]
    fn only_scram_verifiers_are_used() {
        let scram = ScramVerifier::make(&Secret::new("x")).unwrap();
        assert!(of_text(&scram).verifier().is_some());
        let md5 = LookupAnswer::Unusable(UnusableVerifier::Md5);
        assert_eq!(of_text("md562af4dd09bbb41884907a838a3233294"), md5);
        assert_eq!(of_text("md5"), md5);
        assert_eq!(of_text(""), LookupAnswer::Nobody);
        for text in ["secret", "SCRAM-SHA-256$", "SCRAM-SHA-256$0:YQ==$YQ==:YQ=="] {
            let LookupAnswer::Unusable(UnusableVerifier::Unread(_)) = of_text(text) else {
                panic!("{text} was read");
            };
        }
    }
}
