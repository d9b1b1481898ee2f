//! What the client hears of a login that the upstream has refused.

use super::error::LoginError;
use crate::upstream::login::{UpstreamLoginError, sqlstate_of};

impl LoginError {
    /// The upstream's refusal of the client's own name and password is the client's to read.
    pub(in crate::session) fn of_the_client(error: UpstreamLoginError) -> Self {
        match error {
            UpstreamLoginError::Refused(message) => Self::UpstreamRefused(message),
            error => Self::Upstream(error),
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
            error => Self::Upstream(error),
        }
    }
}
