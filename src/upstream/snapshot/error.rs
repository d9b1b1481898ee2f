//! Why there is no snapshot. Holds no address, no password, no SQL and nothing of the database but
//! the code of its error.

use std::fmt;

use tokio_postgres::error::SqlState;

/// What was being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatalogPart {
    /// The transaction and the settings of the server.
    Session,
    /// Schemas.
    Schemas,
    /// Relations, their views, policies, keys and servers.
    Relations,
    /// Columns.
    Columns,
    /// Types, with ranges, checks and operator classes.
    Types,
    /// Functions and aggregates.
    Functions,
    /// Operators.
    Operators,
    /// Casts.
    Casts,
    /// Roles and memberships.
    Roles,
    /// The marker of changes.
    Marker,
}

/// Why there is no snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// The connection is lost.
    Lost(CatalogPart),
    /// The server said no, with this SQLSTATE.
    Refused(CatalogPart, SqlState),
    /// The server's answer is not what its documentation says.
    Unreadable(CatalogPart),
    /// There is more of it than pgsieve takes.
    TooLarge(CatalogPart),
    /// The server is older than what pgsieve knows, or says no version.
    UnknownVersion,
}

impl CatalogPart {
    /// What it is called in logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Schemas => "schemas",
            Self::Relations => "relations",
            Self::Columns => "columns",
            Self::Types => "types",
            Self::Functions => "functions",
            Self::Operators => "operators",
            Self::Casts => "casts",
            Self::Roles => "roles",
            Self::Marker => "marker",
        }
    }
}

impl LoadError {
    /// Whether the server could not turn some text into UTF-8. What was asked together with it
    /// fails because of it, and may be heard of first.
    pub(super) fn is_of_encoding(&self) -> bool {
        let of = [
            SqlState::CHARACTER_NOT_IN_REPERTOIRE,
            SqlState::UNTRANSLATABLE_CHARACTER,
            SqlState::IN_FAILED_SQL_TRANSACTION,
        ];
        matches!(self, Self::Refused(_, code) if of.contains(code))
    }

    /// The error of a query, without what it quotes.
    pub(super) fn of(part: CatalogPart, error: &tokio_postgres::Error) -> Self {
        match error.code() {
            Some(code) => Self::Refused(part, code.clone()),
            // Broken connections and answers that cannot be understood look the same from here;
            // both are helped by a new connection.
            None => Self::Lost(part),
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost(part) => write!(formatter, "connection lost at the {}", part.name()),
            Self::Refused(part, code) => {
                write!(
                    formatter,
                    "refused with {} at the {}",
                    code.code(),
                    part.name()
                )
            }
            Self::Unreadable(part) => {
                write!(formatter, "the {} are not as documented", part.name())
            }
            Self::TooLarge(part) => write!(formatter, "there are too many {}", part.name()),
            Self::UnknownVersion => formatter.write_str("the version of the server is not known"),
        }
    }
}

impl std::error::Error for LoadError {}
