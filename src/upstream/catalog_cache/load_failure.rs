//! How an attempt to keep a catalog ends when it does not succeed.

use std::fmt;

use tokio::time::error::Elapsed;
use tokio_postgres::error::SqlState;

use super::server_choice::Outlook;
use crate::catalog::build::BuildError;
use crate::sqlstate;
use crate::telemetry::labels::CatalogFailure;
use crate::upstream::snapshot::{ConnectError, LoadError};

/// Why a visit at the upstream is over. Its words hold no address, no password and nothing of the
/// database.
#[derive(Debug)]
pub enum Failure {
    /// There is no session.
    Connect(ConnectError),
    /// The server has not told what it contains.
    Load(LoadError),
    /// What it told does not fit together.
    Build(BuildError),
    /// A snapshot could not be made of it: a fault of pgsieve.
    Panicked,
    /// The connection ended while nothing was asked.
    Lost,
    /// An answer took longer than it may.
    TimedOut,
    /// Another server answers than the one that is wanted, or on this very connection did before.
    OtherServer,
    /// The server does not tell who it is.
    Unidentified,
}

/// Whose fault a failure is, as far as the account is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blame {
    /// The account is not let in: another one may be.
    Account,
    /// Something else.
    Other,
}

impl Failure {
    /// The word for it.
    pub fn label(&self) -> CatalogFailure {
        match self {
            Self::Connect(error) => match error {
                ConnectError::Unreachable(_) | ConnectError::Login(_) => {
                    CatalogFailure::Unreachable
                }
                ConnectError::Refused(_) | ConnectError::NoPassword => CatalogFailure::Refused,
                ConnectError::NotReadOnly(error) if error.is_loss() => CatalogFailure::Lost,
                ConnectError::NotReadOnly(_) => CatalogFailure::NotReadOnly,
                ConnectError::OtherServer => CatalogFailure::OtherServer,
                ConnectError::Lost => CatalogFailure::Lost,
                ConnectError::TimedOut => CatalogFailure::TimedOut,
            },
            Self::Load(error) => match error {
                LoadError::Lost(_) => CatalogFailure::Lost,
                LoadError::Refused(_, code) if *code == SqlState::QUERY_CANCELED => {
                    CatalogFailure::TimedOut
                }
                LoadError::Refused(..) => CatalogFailure::Query,
                LoadError::TooLarge(_) => CatalogFailure::TooLarge,
                LoadError::Unreadable(_) | LoadError::UnknownVersion => {
                    CatalogFailure::NotUnderstood
                }
            },
            Self::Build(_) => CatalogFailure::NotUnderstood,
            Self::Panicked => CatalogFailure::Panicked,
            Self::Lost => CatalogFailure::Lost,
            Self::TimedOut => CatalogFailure::TimedOut,
            Self::OtherServer => CatalogFailure::OtherServer,
            Self::Unidentified => CatalogFailure::Unidentified,
        }
    }

    /// Whether all would be well if only the server were reached.
    pub fn outlook(&self) -> Outlook {
        match self {
            Self::Connect(ConnectError::Refused(Some(code)))
                if **code == *sqlstate::CANNOT_CONNECT_NOW.as_str() =>
            {
                Outlook::Reachable
            }
            _ => match self.label() {
                CatalogFailure::Unreachable
                | CatalogFailure::Lost
                | CatalogFailure::TimedOut
                | CatalogFailure::OtherServer => Outlook::Reachable,
                CatalogFailure::Refused
                | CatalogFailure::NotReadOnly
                | CatalogFailure::Query
                | CatalogFailure::NotUnderstood
                | CatalogFailure::TooLarge
                | CatalogFailure::Panicked
                | CatalogFailure::Unchecked
                | CatalogFailure::Unidentified => Outlook::Barred,
            },
        }
    }

    /// Whether another account may fare better: authentication, and the right to connect.
    pub fn blame(&self) -> Blame {
        match self {
            Self::Connect(ConnectError::NoPassword) => Blame::Account,
            Self::Connect(ConnectError::Refused(Some(code)))
                if code.starts_with("28") || **code == *"42501" =>
            {
                Blame::Account
            }
            Self::Connect(_)
            | Self::Load(_)
            | Self::Build(_)
            | Self::Panicked
            | Self::Lost
            | Self::TimedOut
            | Self::OtherServer
            | Self::Unidentified => Blame::Other,
        }
    }
}

/// A failure with the settings that it may be mended at.
pub struct Mendable<'a> {
    /// The failure.
    pub failure: &'a Failure,
    /// The settings that the account comes from.
    pub keys: &'static str,
}

impl fmt::Display for Mendable<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { failure, keys } = self;
        match failure {
            Failure::Connect(ConnectError::Refused(Some(code))) if **code == *"3D000" => {
                write!(
                    formatter,
                    "{failure}; it is named by upstream.url or by a client"
                )
            }
            Failure::Connect(ConnectError::Refused(_) | ConnectError::NoPassword) => {
                write!(formatter, "{failure}; see {keys}")
            }
            Failure::Connect(ConnectError::Unreachable(_)) => {
                write!(formatter, "{failure}; see upstream.url")
            }
            Failure::Connect(
                ConnectError::Login(_)
                | ConnectError::NotReadOnly(_)
                | ConnectError::Lost
                | ConnectError::OtherServer
                | ConnectError::TimedOut,
            )
            | Failure::Load(_)
            | Failure::Build(_)
            | Failure::Panicked
            | Failure::Lost
            | Failure::TimedOut
            | Failure::OtherServer
            | Failure::Unidentified => failure.fmt(formatter),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(error) => write!(formatter, "no session: {error}"),
            Self::Load(error) => error.fmt(formatter),
            Self::Build(error) => error.fmt(formatter),
            Self::Panicked => formatter.write_str("a fault of pgsieve"),
            Self::Lost => formatter.write_str("connection lost"),
            Self::TimedOut => formatter.write_str("no answer in time"),
            Self::OtherServer => formatter.write_str("another server answers"),
            Self::Unidentified => formatter.write_str("the server does not tell who it is"),
        }
    }
}

impl From<ConnectError> for Failure {
    fn from(error: ConnectError) -> Self {
        Self::Connect(error)
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        Self::Load(error)
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        Self::Build(error)
    }
}

impl From<Elapsed> for Failure {
    fn from(_: Elapsed) -> Self {
        Self::TimedOut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_blamed_for_what_another_one_could_do() {
        let refused = |code: &str| Failure::Connect(ConnectError::Refused(Some(code.into())));
        for (code, blame) in [
            ("28P01", Blame::Account),
            ("28000", Blame::Account),
            ("42501", Blame::Account),
            ("3D000", Blame::Other),
            ("53300", Blame::Other),
            ("57P03", Blame::Other),
        ] {
            assert_eq!(refused(code).blame(), blame, "{code}");
        }
        assert_eq!(
            Failure::Connect(ConnectError::NoPassword).blame(),
            Blame::Account
        );
        assert_eq!(Failure::Lost.blame(), Blame::Other);
    }
}
