//! The three ways of signing that are taken, each with the only kind of key that fits it.
//!
//! A token's own word is never enough: its key says which way it is for. What has no key at all
//! (`none`) and what is signed with a shared secret (`HS256`) is not here, so that neither can be
//! asked for. <https://www.rfc-editor.org/rfc/rfc7518#section-3>

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents,
    UnparsedPublicKey,
};

/// A way of signing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Algorithm {
    /// RSASSA-PKCS1-v1_5 with SHA-256, of at least 2048 bits.
    Rs256,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// Ed25519.
    EdDsa,
}

/// A public key, for one way of signing.
#[derive(Clone, PartialEq, Eq)]
pub enum PublicKey {
    /// Modulus and exponent.
    Rsa {
        /// Big-endian, without zeros in front.
        modulus: Vec<u8>,
        /// The same.
        exponent: Vec<u8>,
    },
    /// An uncompressed point.
    P256([u8; P256_POINT_BYTES]),
    /// A point.
    Ed25519([u8; COORDINATE_BYTES]),
}

impl Algorithm {
    /// The one of that name; none for all that are not taken.
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Rs256, Self::Es256, Self::EdDsa];
        all.into_iter().find(|own| own.name() == name)
    }

    /// As tokens and keys name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
        }
    }
}

impl PublicKey {
    /// An RSA key of its numbers in base64url; none where it is too short or too long.
    pub fn rsa(modulus: &str, exponent: &str) -> Option<Self> {
        let (modulus, exponent) = (number(modulus)?, number(exponent)?);
        let fits = RSA_MODULUS_BYTES.contains(&modulus.len()) && is_odd(&exponent);
        // Beyond five bytes the library takes none.
        let is_exponent = (1..=5).contains(&exponent.len()) && exponent != [1];
        (fits && is_exponent).then_some(Self::Rsa { modulus, exponent })
    }

    /// A P-256 key of its coordinates in base64url.
    pub fn p256(x: &str, y: &str) -> Option<Self> {
        let mut point = [0_u8; P256_POINT_BYTES];
        let (first, rest) = point.split_first_mut()?;
        *first = UNCOMPRESSED;
        let (own_x, own_y) = rest.split_at_mut(COORDINATE_BYTES);
        own_x.copy_from_slice(&coordinate(x)?);
        own_y.copy_from_slice(&coordinate(y)?);
        Some(Self::P256(point))
    }

    /// An Ed25519 key of its point in base64url.
    pub fn ed25519(x: &str) -> Option<Self> {
        coordinate(x).map(Self::Ed25519)
    }

    /// What it is for, and for nothing else.
    pub fn algorithm(&self) -> Algorithm {
        match self {
            Self::Rsa { .. } => Algorithm::Rs256,
            Self::P256(_) => Algorithm::Es256,
            Self::Ed25519(_) => Algorithm::EdDsa,
        }
    }

    /// Whether its owner has signed that.
    pub fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        let proved = match self {
            Self::Rsa { modulus, exponent } => {
                let key = RsaPublicKeyComponents {
                    n: modulus,
                    e: exponent,
                };
                key.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
            Self::P256(point) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature)
            }
            Self::Ed25519(point) => {
                UnparsedPublicKey::new(&ED25519, point).verify(message, signature)
            }
        };
        proved.is_ok()
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PublicKey({})", self.algorithm().name())
    }
}

/// A number without the zeros in front that some write.
fn number(text: &str) -> Option<Vec<u8>> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let begins = bytes.iter().position(|byte| *byte != 0)?;
    bytes.get(begins..).map(<[u8]>::to_vec)
}

fn coordinate(text: &str) -> Option<[u8; COORDINATE_BYTES]> {
    URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()
}

fn is_odd(number: &[u8]) -> bool {
    number.last().is_some_and(|last| last & 1 == 1)
}

/// From 2048 bits to 8192: what the verification takes.
const RSA_MODULUS_BYTES: std::ops::RangeInclusive<usize> = 256..=1024;
/// The mark of a point of which both coordinates follow.
const UNCOMPRESSED: u8 = 4;
/// Bytes of one coordinate.
const COORDINATE_BYTES: usize = 32;
/// Bytes of a point of P-256.
const P256_POINT_BYTES: usize = 65;
