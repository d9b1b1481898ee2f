//! The keys of receipts: the one that signs, and those whose receipts still count.
//!
//! A key file holds PEM blocks. The first private key signs. Every key in the file, private or
//! public, is published, so that receipts of an earlier one are verified until it is taken out.
//! A key is named by its thumbprint.
//!
//! <https://www.rfc-editor.org/rfc/rfc7638>, <https://www.rfc-editor.org/rfc/rfc8410>

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ed25519_dalek::pkcs8::DecodePrivateKey;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use x509_parser::pem::Pem;

use super::digest::Digest;
use crate::limits::receipts::RECEIPT_KEYS_MAX;

/// The keys of a file.
pub struct SigningKeys {
    signing: SigningKey,
    /// The key of digests that only whoever has `signing` can compute.
    digest_key: [u8; 32],
    /// The first is that of `signing`.
    published: Vec<PublicKey>,
}

/// A key that receipts are verified by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey {
    kid: String,
    bytes: [u8; 32],
}

/// A set of public keys, as it is published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedKeySet {
    keys: Vec<PublishedKey>,
}

/// A key of the set. One of another kind is read and left aside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PublishedKey {
    kty: String,
    #[serde(default)]
    crv: String,
    #[serde(default)]
    x: String,
    #[serde(default)]
    kid: String,
    #[serde(default, rename = "use")]
    usage: String,
    #[serde(default)]
    alg: String,
}

/// Why a text holds no keys of receipts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyFileProblem {
    /// It holds no PEM block that can be read.
    NotPem,
    /// A block is no key of Ed25519.
    NotEd25519,
    /// None of the keys is private.
    NothingSigns,
    /// More keys than are published.
    TooMany,
    /// It is no set of keys in JSON.
    NotKeySet,
}

impl SigningKeys {
    /// The keys of a key file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(text: &str) -> Result<Self, KeyFileProblem> {
        let mut signing = None;
        let mut published = Vec::new();
        for block in Pem::iter_from_buffer(text.as_bytes()) {
            let block = block.map_err(|_| KeyFileProblem::NotPem)?;
            if published.len() >= RECEIPT_KEYS_MAX {
                return Err(KeyFileProblem::TooMany);
            }
            match block.label.as_str() {
                "PRIVATE KEY" => {
                    let private = private_key(&block.contents)?;
                    published.push(PublicKey::of_signing(&private));
                    if signing.is_none() {
                        let digest_key = blake3::derive_key(DIGEST_CONTEXT, &block.contents);
                        signing = Some((private, digest_key));
                        // The one that signs comes first.
                        published.rotate_right(1);
                    }
                }
                "PUBLIC KEY" => published.push(PublicKey::of_der(&block.contents)?),
                _ => return Err(KeyFileProblem::NotEd25519),
            }
        }
        match signing {
            Some((signing, digest_key)) => Ok(Self {
                signing,
                digest_key,
                published,
            }),
            None if published.is_empty() => Err(KeyFileProblem::NotPem),
            None => Err(KeyFileProblem::NothingSigns),
        }
    }

    /// The name of the key that signs.
    pub fn kid(&self) -> &str {
        self.published.first().map_or("", |key| &key.kid)
    }

    /// The keys that are published.
    pub fn published(&self) -> &[PublicKey] {
        &self.published
    }

    /// The same as they are published, in JSON.
    pub fn key_set(&self) -> PublishedKeySet {
        let keys = self.published.iter().map(PublishedKey::of);
        PublishedKeySet {
            keys: keys.collect(),
        }
    }

    /// The digest of bytes that nobody can compute who has not the key that signs.
    pub fn digest(&self, bytes: &[u8]) -> Digest {
        *blake3::keyed_hash(&self.digest_key, bytes).as_bytes()
    }

    pub(super) fn sign(&self, bytes: &[u8]) -> [u8; 64] {
        self.signing.sign(bytes).to_bytes()
    }
}

impl PublicKey {
    /// Its name: the thumbprint.
    pub fn kid(&self) -> &str {
        &self.kid
    }

    fn new(bytes: [u8; 32]) -> Self {
        let x = URL_SAFE_NO_PAD.encode(bytes);
        let canonical = format!("{{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"{x}\"}}");
        let thumbprint = digest(&SHA256, canonical.as_bytes());
        Self {
            kid: URL_SAFE_NO_PAD.encode(thumbprint.as_ref()),
            bytes,
        }
    }

    fn of_signing(signing: &SigningKey) -> Self {
        Self::new(signing.verifying_key().to_bytes())
    }

    fn of_der(der: &[u8]) -> Result<Self, KeyFileProblem> {
        let bytes = der.strip_prefix(PUBLIC_HEAD);
        let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self::new).ok_or(KeyFileProblem::NotEd25519)
    }

    /// Whether a signature over these bytes is its.
    pub(super) fn verifies(&self, bytes: &[u8], signature: &[u8]) -> bool {
        let key = VerifyingKey::from_bytes(&self.bytes).ok();
        let signature = Signature::from_slice(signature).ok();
        match (key, signature) {
            (Some(key), Some(signature)) => key.verify_strict(bytes, &signature).is_ok(),
            _ => false,
        }
    }
}

impl PublishedKeySet {
    /// It in JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl PublishedKey {
    fn of(key: &PublicKey) -> Self {
        Self {
            kty: "OKP".to_owned(),
            crv: "Ed25519".to_owned(),
            x: URL_SAFE_NO_PAD.encode(key.bytes),
            kid: key.kid.clone(),
            usage: "sig".to_owned(),
            alg: "EdDSA".to_owned(),
        }
    }

    /// The key, where it is one that receipts are signed by. Its name is that of its bytes,
    /// whatever the set calls it.
    fn key(&self) -> Option<PublicKey> {
        if self.kty != "OKP" || self.crv != "Ed25519" {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(&self.x).ok()?;
        Some(PublicKey::new(bytes.try_into().ok()?))
    }
}

/// The public keys of a set in JSON, or of a key file.
///
/// # Errors
/// It is neither, or holds none.
pub fn public_keys(text: &str) -> Result<Vec<PublicKey>, KeyFileProblem> {
    if text.trim_start().starts_with('{') {
        let set: PublishedKeySet =
            serde_json::from_str(text).map_err(|_| KeyFileProblem::NotKeySet)?;
        let keys = set.keys.iter().filter_map(PublishedKey::key);
        let keys: Vec<PublicKey> = keys.take(RECEIPT_KEYS_MAX).collect();
        return match keys.is_empty() {
            true => Err(KeyFileProblem::NotKeySet),
            false => Ok(keys),
        };
    }
    let mut keys = Vec::new();
    for block in Pem::iter_from_buffer(text.as_bytes()).take(RECEIPT_KEYS_MAX) {
        let block = block.map_err(|_| KeyFileProblem::NotPem)?;
        keys.push(match block.label.as_str() {
            "PRIVATE KEY" => PublicKey::of_signing(&private_key(&block.contents)?),
            "PUBLIC KEY" => PublicKey::of_der(&block.contents)?,
            _ => return Err(KeyFileProblem::NotEd25519),
        });
    }
    match keys.is_empty() {
        true => Err(KeyFileProblem::NotPem),
        false => Ok(keys),
    }
}

/// A key file with a new key of these random bytes.
pub fn new_key_file(seed: &[u8; 32]) -> (String, PublicKey) {
    let signing = SigningKey::from_bytes(seed);
    let der = [PRIVATE_HEAD, seed].concat();
    let text = format!(
        "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
        STANDARD.encode(der)
    );
    (text, PublicKey::of_signing(&signing))
}

fn private_key(der: &[u8]) -> Result<SigningKey, KeyFileProblem> {
    SigningKey::from_pkcs8_der(der).map_err(|_| KeyFileProblem::NotEd25519)
}

impl fmt::Debug for SigningKeys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SigningKeys({})", self.kid())
    }
}

impl fmt::Display for KeyFileProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NotPem => "the file holds no key in PEM, as `pgsieve receipt keygen` makes one",
            Self::NotEd25519 => "a key in the file is none of Ed25519",
            Self::NothingSigns => "no key in the file is private: nothing could be signed",
            Self::TooMany => "the file holds more than 16 keys",
            Self::NotKeySet => "the file holds no set of keys of Ed25519",
        })
    }
}

/// What the key of digests is derived for.
const DIGEST_CONTEXT: &str = "pgsieve receipts 2026-11-28 texts with models";

/// Before the 32 bytes of a private key in PKCS#8.
const PRIVATE_HEAD: &[u8] = b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20";

/// Before the 32 bytes of a public key.
const PUBLIC_HEAD: &[u8] = b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_private_key_signs_and_all_are_published() {
        let (first, first_public) = new_key_file(&[1; 32]);
        let (second, second_public) = new_key_file(&[2; 32]);
        let public = format!(
            "-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n",
            STANDARD.encode([PUBLIC_HEAD, &second_public.bytes].concat())
        );
        for text in [
            format!("{first}{second}"),
            format!("{first}{public}"),
            format!("{public}{first}"),
        ] {
            let keys = SigningKeys::read(&text).unwrap();
            assert_eq!(keys.kid(), first_public.kid());
            assert_eq!(keys.published().len(), 2);
            let set = keys.key_set().to_json();
            assert_eq!(public_keys(&set).unwrap(), keys.published());
            assert!(!set.contains(&STANDARD.encode([1; 32])) && !set.contains("\"d\""));
        }
        assert_eq!(
            SigningKeys::read(&public).err(),
            Some(KeyFileProblem::NothingSigns)
        );
        assert_eq!(format!("{:?}", SigningKeys::read(&first).unwrap()), {
            format!("SigningKeys({})", first_public.kid())
        });
    }

    /// The example of RFC 8037, appendix A.3.
    #[test]
    fn a_key_is_named_by_its_thumbprint() {
        let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
        let set = format!("{{\"keys\":[{{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"{x}\"}}]}}");
        let keys = public_keys(&set).unwrap();
        assert_eq!(keys[0].kid(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    }

    #[test]
    fn what_is_no_key_is_told() {
        for (text, problem) in [
            ("", KeyFileProblem::NotPem),
            ("secret", KeyFileProblem::NotPem),
            (
                "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
                KeyFileProblem::NotEd25519,
            ),
            (
                "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n",
                KeyFileProblem::NotEd25519,
            ),
        ] {
            assert_eq!(SigningKeys::read(text).err(), Some(problem), "{text}");
            assert_eq!(public_keys(text).err(), Some(problem), "{text}");
        }
        assert_eq!(public_keys("{"), Err(KeyFileProblem::NotKeySet));
        assert_eq!(
            public_keys("{\"keys\":[{\"kty\":\"RSA\"}]}"),
            Err(KeyFileProblem::NotKeySet)
        );
    }
}
