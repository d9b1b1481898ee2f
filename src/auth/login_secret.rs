//! What somebody who logs in at the upstream proves itself with.

use std::fmt;
use std::sync::Arc;

use super::scram_keys::ScramKeys;
use crate::secret::Secret;

/// A password, or the keys of a proof that stand in for it.
#[derive(Clone, PartialEq, Eq)]
pub enum LoginSecret {
    /// The password.
    Password(Secret),
    /// Keys: they log in where the verifier is the one that they belong to, by SCRAM alone.
    Keys(Arc<ScramKeys>),
}

/// A number that tells one from others.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum SecretDigest {
    /// Of a password.
    Password([u8; 32]),
    /// Of keys.
    Keys([u8; 32]),
}

impl LoginSecret {
    /// What tells it from others.
    pub fn digest(&self) -> SecretDigest {
        match self {
            Self::Password(password) => {
                SecretDigest::Password(*blake3::hash(password.reveal().as_bytes()).as_bytes())
            }
            Self::Keys(keys) => SecretDigest::Keys(keys.digest()),
        }
    }
}

impl From<Secret> for LoginSecret {
    fn from(password: Secret) -> Self {
        Self::Password(password)
    }
}

impl fmt::Debug for LoginSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Password(_) => "Password(…)",
            Self::Keys(_) => "Keys(…)",
        })
    }
}
