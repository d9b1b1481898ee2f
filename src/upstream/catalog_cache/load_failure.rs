//! How an attempt to keep a catalog ends when it does not succeed.

use std::fmt;

use tokio::time::error::Elapsed;
use tokio_postgres::error::SqlState;

use super::server_choice::RetryOutlook;
use crate::catalog::build::BuildError;
use crate::sqlstate;
use crate::telemetry::labels::CatalogFailure;
use crate::upstream::snapshot::{LoadError, OwnSessionError};

/// Why a connection to the upstream is over. Its words hold no address, no password and nothing of
/// the database.
#[derive(Debug)]
pub enum CatalogLoadFailure {
    /// There is no session.
    Connect(OwnSessionError),
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
    /// Catalogs of its engine are not read: why.
    Engine(String),
}

/// Whose fault a failure is, as far as the account is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureBlame {
    /// The account is not let in: another one may be.
    Account,
    /// Something else.
    Other,
}

impl CatalogLoadFailure {
    /// The word for it.
    pub fn label(&self) -> CatalogFailure {
        match self {
            Self::Connect(error) => match error {
                OwnSessionError::Unreachable(_) | OwnSessionError::Login(_) => {
                    CatalogFailure::Unreachable
                }
                OwnSessionError::Refused(_) | OwnSessionError::NoPassword => {
                    CatalogFailure::Refused
                }
                OwnSessionError::NotReadOnly(error) if error.is_loss() => CatalogFailure::Lost,
                OwnSessionError::NotReadOnly(_) => CatalogFailure::NotReadOnly,
                OwnSessionError::OtherServer => CatalogFailure::OtherServer,
                OwnSessionError::Lost => CatalogFailure::Lost,
                OwnSessionError::TimedOut => CatalogFailure::TimedOut,
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
            Self::Engine(_) => CatalogFailure::Engine,
        }
    }

    /// Whether all would be well if only the server were reached.
    pub fn outlook(&self) -> RetryOutlook {
        match self {
            Self::Connect(OwnSessionError::Refused(Some(code)))
                if **code == *sqlstate::CANNOT_CONNECT_NOW.as_str() =>
            {
                RetryOutlook::Reachable
            }
            _ => match self.label() {
                CatalogFailure::Unreachable
                | CatalogFailure::Lost
                | CatalogFailure::TimedOut
                | CatalogFailure::OtherServer => RetryOutlook::Reachable,
                CatalogFailure::Refused
                | CatalogFailure::NotReadOnly
                | CatalogFailure::Query
                | CatalogFailure::NotUnderstood
                | CatalogFailure::TooLarge
                | CatalogFailure::Panicked
                | CatalogFailure::Unchecked
                | CatalogFailure::Unidentified
                | CatalogFailure::Engine => RetryOutlook::Barred,
            },
        }
    }

    /// The settings that it may be fixed at, in words that go on a sentence, with keys in braces;
    /// `of_account` are those of the account.
    pub fn remedy(&self, of_account: &'static str) -> &'static str {
        match self {
            Self::Connect(OwnSessionError::Refused(Some(code))) if **code == *"3D000" => {
                "; it is named by {upstream.url} or by a client"
            }
            Self::Connect(OwnSessionError::Refused(_) | OwnSessionError::NoPassword) => of_account,
            Self::Connect(OwnSessionError::Unreachable(_)) => "; see {upstream.url}",
            Self::Connect(
                OwnSessionError::Login(_)
                | OwnSessionError::NotReadOnly(_)
                | OwnSessionError::Lost
                | OwnSessionError::OtherServer
                | OwnSessionError::TimedOut,
            )
            | Self::Load(_)
            | Self::Build(_)
            | Self::Panicked
            | Self::Lost
            | Self::TimedOut
            | Self::OtherServer
            | Self::Unidentified
            | Self::Engine(_) => "",
        }
    }

    /// Whether another account may fare better: authentication, and the right to connect.
    pub fn blame(&self) -> FailureBlame {
        match self {
            Self::Connect(OwnSessionError::NoPassword) => FailureBlame::Account,
            Self::Connect(OwnSessionError::Refused(Some(code)))
                if code.starts_with("28") || **code == *"42501" =>
            {
                FailureBlame::Account
            }
            Self::Connect(_)
            | Self::Load(_)
            | Self::Build(_)
            | Self::Panicked
            | Self::Lost
            | Self::TimedOut
            | Self::OtherServer
            | Self::Unidentified
            | Self::Engine(_) => FailureBlame::Other,
        }
    }
}

impl fmt::Display for CatalogLoadFailure {
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
            Self::Engine(why) => formatter.write_str(why),
        }
    }
}

impl From<OwnSessionError> for CatalogLoadFailure {
    fn from(error: OwnSessionError) -> Self {
        Self::Connect(error)
    }
}

impl From<LoadError> for CatalogLoadFailure {
    fn from(error: LoadError) -> Self {
        Self::Load(error)
    }
}

impl From<BuildError> for CatalogLoadFailure {
    fn from(error: BuildError) -> Self {
        Self::Build(error)
    }
}

impl From<Elapsed> for CatalogLoadFailure {
    fn from(_: Elapsed) -> Self {
        Self::TimedOut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_blamed_for_what_another_one_could_do() {
        let refused =
            |code: &str| CatalogLoadFailure::Connect(OwnSessionError::Refused(Some(code.into())));
        for (code, blame) in [
            ("28P01", FailureBlame::Account),
            ("28000", FailureBlame::Account),
            ("42501", FailureBlame::Account),
            ("3D000", FailureBlame::Other),
            ("53300", FailureBlame::Other),
            ("57P03", FailureBlame::Other),
        ] {
            assert_eq!(refused(code).blame(), blame, "{code}");
        }
        assert_eq!(
            CatalogLoadFailure::Connect(OwnSessionError::NoPassword).blame(),
            FailureBlame::Account
        );
        assert_eq!(CatalogLoadFailure::Lost.blame(), FailureBlame::Other);
    }
}
