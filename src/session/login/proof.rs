//! To whom a client proves who it is.

use crate::auth::AdmittedIdentity;

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
            AdmittedIdentity::AsItself => Self::Upstream,
            AdmittedIdentity::As(_)
            | AdmittedIdentity::BoundAs(_)
            | AdmittedIdentity::Proved { .. } => Self::Here,
        }
    }
}
