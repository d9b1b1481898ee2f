//! What somebody who logs in at the upstream proves itself with.

use std::fmt;
use std::sync::{Arc, LazyLock};

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

/// A number that tells one from others, in this process alone.
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
                let digest = blake3::keyed_hash(&DIGEST_KEY, password.reveal().as_bytes());
                SecretDigest::Password(*digest.as_bytes())
            }
            Self::Keys(keys) => SecretDigest::Keys(keys.digest()),
        }
    }
}

impl SecretDigest {
    /// Whether both are of passwords, or both of keys.
    pub fn is_alike(self, other: Self) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
}

/// Nobody outside of the process can tell which password a digest is of, nor by how long it takes
/// to compare two how much of one is right.
static DIGEST_KEY: LazyLock<[u8; blake3::KEY_LEN]> = LazyLock::new(|| {
    let mut key = [0; blake3::KEY_LEN];
    // Without randomness digests still tell passwords apart.
    let _ = getrandom::fill(&mut key);
    key
});

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_tells_passwords_apart_and_is_none_that_others_could_make() {
        let of = |text: &str| LoginSecret::from(Secret::new(text)).digest();
        assert!(of("one") == of("one") && of("one") != of("other") && of("") != of(" "));
        assert!(of("one") != SecretDigest::Password(*blake3::hash(b"one").as_bytes()));
    }
}
