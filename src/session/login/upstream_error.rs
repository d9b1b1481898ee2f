//! What the client hears of a login that the upstream has refused.

use super::error::LoginError;
use crate::target_servers::TargetServers;
use crate::upstream::login::{UpstreamLoginError, sqlstate_of};
use crate::upstream::password::ScramFault;
use crate::upstream::pool::PoolError;
use crate::upstream::pool::connection::SettleError;
use crate::upstream::pool::source::OpenError;
use crate::upstream::verify::{ProvedSetting, VerifyError};

impl LoginError {
    /// The upstream's refusal of the client's own name and password is the client's to read.
    pub(in crate::session) fn of_the_client(error: UpstreamLoginError) -> Self {
        match error {
            UpstreamLoginError::Refused(message) => Self::UpstreamRefused(message),
            error => Self::Upstream(error),
        }
    }

    /// Why a session got no connection of its pool.
    pub(in crate::session) fn of_pool(error: PoolError) -> Self {
        match error {
            PoolError::AllBusy { busy, waited } => Self::PoolBusy { busy, waited },
            PoolError::Paused { .. } => Self::PoolPaused,
            PoolError::Open(OpenError::Login(error)) => Self::of_ours(error),
            PoolError::Open(OpenError::NotReadOnly(error)) => Self::NotReadOnly(error),
            PoolError::Settle(SettleError::Link(error)) => {
                Self::Upstream(UpstreamLoginError::Link(error))
            }
            PoolError::Settle(SettleError::Unsettled) => Self::NotReadOnly(VerifyError::NoSettings),
            PoolError::Settle(SettleError::Tripped(_)) => Self::NotReadOnly(VerifyError::Differs(
                ProvedSetting::DefaultTransactionReadOnly,
            )),
            PoolError::NoServer => Self::NoServer(TargetServers::Any),
            PoolError::OtherBase | PoolError::Closed => Self::Shutdown,
        }
    }

    /// Why the upstream does not accept a client's own password.
    pub(in crate::session) fn of_password(error: PoolError) -> Self {
        match error {
            PoolError::Open(OpenError::Login(error)) => Self::of_the_client(error),
            error => Self::of_pool(error),
        }
    }

    /// The upstream's refusal of an identity of ours is not; but that the database does not exist,
    /// or has no room, is.
    pub(in crate::session) fn of_ours(error: UpstreamLoginError) -> Self {
        match error {
            UpstreamLoginError::Refused(message) => match sqlstate_of(&message) {
                Some(code) if !code.starts_with("28") => Self::UpstreamRefused(message),
                Some(_) | None => Self::IdentityRefused(UpstreamLoginError::Refused(message)),
            },
            keys @ (UpstreamLoginError::OnlyKeys
            | UpstreamLoginError::Scram(ScramFault::OtherVerifier)) => Self::IdentityRefused(keys),
            error => Self::Upstream(error),
        }
    }
}
