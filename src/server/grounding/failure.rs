//! Why a request for a grounding has no answer, with its HTTP status. No address and none of the
//! database's words are part of it.

use std::fmt;

use axum::http::StatusCode;

use super::grounded_session::UntoldSession;
use super::reading::UnreadSession;
use crate::upstream::catalog_cache::UngroundableDatabase;

/// Why a request for a grounding has no answer.
#[derive(Debug)]
pub enum GroundingFailure {
    /// The request is wrong, in these words.
    Request(String),
    /// What it names is not there, in these words.
    Missing(String),
    /// The database cannot be told of now.
    Ungroundable(UngroundableDatabase, String),
    /// The database does not answer as it should.
    Unread(&'static str),
    /// It takes longer than an answer may.
    TakesLong,
    /// As many are made already as may be at once.
    Busy,
    /// A fault of pgsieve's own.
    Internal,
}

impl GroundingFailure {
    /// Its status.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Request(_) | Self::Ungroundable(UngroundableDatabase::Unnamed, _) => {
                StatusCode::BAD_REQUEST
            }
            Self::Missing(_) | Self::Ungroundable(UngroundableDatabase::Unknown, _) => {
                StatusCode::NOT_FOUND
            }
            Self::Ungroundable(UngroundableDatabase::Off | UngroundableDatabase::NotLoaded, _)
            | Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Unread(_) => StatusCode::BAD_GATEWAY,
            Self::TakesLong => StatusCode::GATEWAY_TIMEOUT,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Whether the same request may have an answer in a moment.
    pub fn is_of_the_moment(&self) -> bool {
        matches!(
            self,
            Self::Ungroundable(UngroundableDatabase::NotLoaded, _) | Self::TakesLong | Self::Busy
        )
    }
}

impl From<UntoldSession> for GroundingFailure {
    fn from(why: UntoldSession) -> Self {
        match why {
            UntoldSession::NoCatalog => {
                Self::Ungroundable(UngroundableDatabase::NotLoaded, String::new())
            }
            UntoldSession::RefusedLogin(words) => Self::Missing(words),
            UntoldSession::Unreadable(which) => Self::Missing(which.to_string()),
            UntoldSession::Unread(UnreadSession::Unopened) => Self::Unread(
                "pgsieve cannot read the database as role of such a session: the account that \
                 reads catalogs has to be a member of it, or the settings have its password",
            ),
            UntoldSession::Unread(UnreadSession::OtherServer) => {
                Self::Unread("another server answers than the one whose catalog is known")
            }
            UntoldSession::Unread(UnreadSession::TimedOut) => Self::TakesLong,
        }
    }
}

impl fmt::Display for GroundingFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(words) | Self::Missing(words) => formatter.write_str(words),
            Self::Ungroundable(UngroundableDatabase::Off, _) => {
                formatter.write_str("catalog.mode is off: nothing is known of databases")
            }
            Self::Ungroundable(UngroundableDatabase::Unnamed, _) => formatter
                .write_str("database is missing: upstream.url names none, so a request has to"),
            Self::Ungroundable(UngroundableDatabase::Unknown, database) => write!(
                formatter,
                "no catalog of database {database:?} is kept: one is from the first login there"
            ),
            Self::Ungroundable(UngroundableDatabase::NotLoaded, _) => formatter
                .write_str("the database's catalog is not loaded: /readyz says how it stands"),
            Self::Unread(words) => formatter.write_str(words),
            Self::TakesLong => formatter.write_str(
                "it takes longer than an answer may: what is made of it is kept, ask again",
            ),
            Self::Busy => formatter.write_str("others are being made: ask again"),
            Self::Internal => formatter.write_str("pgsieve met a fault of its own"),
        }
    }
}
