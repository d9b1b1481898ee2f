//! To whom a client proves who it is, and who may not log in although it has done so.

use super::error::LoginError;
use super::login_settings::LoginSettings;
use crate::auth::oidc::token::TokenError;
use crate::auth::{AdmittedIdentity, AuthError, ClientAuth};

/// Where a client proves who it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ProofGiven {
    /// To pgsieve.
    Here,
    /// To the upstream.
    Upstream,
}

impl ProofGiven {
    /// By what it was admitted as.
    pub(super) fn of(admitted: &AdmittedIdentity<'_>) -> Self {
        match admitted {
            AdmittedIdentity::AsItself | AdmittedIdentity::WithPassword(_) => Self::Upstream,
            AdmittedIdentity::As(_)
            | AdmittedIdentity::BoundAs(_)
            | AdmittedIdentity::Proved { .. } => Self::Here,
        }
    }
}

/// Turns away whoever may not log in, at the place where its proof has been given. A list that has
/// the user refuses it in the words of that list, as if it were not there.
pub(super) fn bar_disabled(
    login_settings: &LoginSettings,
    (proof, place): (ProofGiven, ProofGiven),
    user: &str,
) -> Result<(), LoginError> {
    if proof != place || !login_settings.disabled.has(user) {
        return Ok(());
    }
    Err(match &login_settings.auth {
        ClientAuth::Passthrough { .. } | ClientAuth::Trust(_) => LoginError::Disabled,
        ClientAuth::Scram(_) | ClientAuth::AuthQuery(_) => {
            LoginError::Auth(AuthError::WrongPassword)
        }
        ClientAuth::Certificate(_) => LoginError::Auth(AuthError::WrongCertificate),
        ClientAuth::Oidc(_) => LoginError::Auth(AuthError::Token(TokenError::UnlistedUser)),
    })
}
