//! The keys of an issuer: a JSON Web Key Set, strictly read.
//!
//! What is not for checking signatures in one of our three ways is left out: encryption keys, other
//! curves and, above all, shared secrets. <https://www.rfc-editor.org/rfc/rfc7517#section-5>

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use super::algorithm::{Algorithm, PublicKey};
use crate::limits;

/// Keys by their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySet {
    keys: BTreeMap<(String, Algorithm), PublicKey>,
}

/// Why a text is no set of keys that can be used. Says nothing of the text itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeySetError {
    /// It is no JSON, or has no list of keys.
    NotJwks,
    /// It has more keys than anybody needs.
    TooMany,
    /// Two keys for the same way of signing have one name: nobody could say which is meant.
    Ambiguous,
    /// There is none that can be used.
    NoneUsable,
}

#[derive(Deserialize)]
struct Written {
    keys: Vec<Value>,
}

/// One key as written; what is not here does not matter.
#[derive(Deserialize)]
struct WrittenKey {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    key_ops: Option<Vec<String>>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl KeySet {
    /// Reads a set.
    ///
    /// # Errors
    /// There is no key in it that could be used, or it cannot be told which.
    pub fn parse(text: &str) -> Result<Self, KeySetError> {
        let written: Written = serde_json::from_str(text).map_err(|_| KeySetError::NotJwks)?;
        if written.keys.len() > limits::JWKS_KEYS_MAX {
            return Err(KeySetError::TooMany);
        }
        let mut keys = BTreeMap::new();
        for (name, key) in written.keys.into_iter().filter_map(usable) {
            if keys.insert((name, key.algorithm()), key).is_some() {
                return Err(KeySetError::Ambiguous);
            }
        }
        match keys.is_empty() {
            true => Err(KeySetError::NoneUsable),
            false => Ok(Self { keys }),
        }
    }

    /// The key of a name, for that way of signing alone.
    pub fn key(&self, name: &str, algorithm: Algorithm) -> Option<&PublicKey> {
        self.keys.get(&(name.to_owned(), algorithm))
    }

    /// How many keys can be used.
    pub fn count(&self) -> usize {
        self.keys.len()
    }
}

/// A key with its name, if it is one of ours. Whoever publishes others beside it may.
fn usable(written: Value) -> Option<(String, PublicKey)> {
    let written: WrittenKey = serde_json::from_value(written).ok()?;
    let signs = written.purpose.as_deref().is_none_or(|own| own == "sig");
    let operations = written.key_ops.as_deref();
    let verifies = operations.is_none_or(|all| all.iter().any(|one| one == "verify"));
    let curve = written.crv.as_deref();
    let key = match (written.kty.as_str(), curve) {
        ("RSA", None) => PublicKey::rsa(&written.n?, &written.e?)?,
        ("EC", Some("P-256")) => PublicKey::p256(&written.x?, &written.y?)?,
        ("OKP", Some("Ed25519")) => PublicKey::ed25519(&written.x?)?,
        _ => return None,
    };
    let own = key.algorithm().name();
    let fits = written.alg.as_deref().is_none_or(|alg| alg == own);
    let name = written.kid.filter(|name| !name.is_empty())?;
    (signs && verifies && fits).then_some((name, key))
}

impl fmt::Display for KeySetError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJwks => formatter.write_str("no JSON Web Key Set, as {\"keys\": [...]}"),
            Self::TooMany => write!(formatter, "more than {} keys", limits::JWKS_KEYS_MAX),
            Self::Ambiguous => formatter.write_str("two keys of one kind have the same kid"),
            Self::NoneUsable => formatter.write_str(
                "no key with a kid for RS256 (2048 bits or more), ES256 or EdDSA (Ed25519)",
            ),
        }
    }
}

impl std::error::Error for KeySetError {}
