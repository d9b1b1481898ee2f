//! An issuer for tests: its keys, and tokens that it signs. Test code only.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256,
    RsaKeyPair, RsaPublicKeyComponents,
};
use serde_json::{Value, json};

use super::algorithm::Algorithm;

/// The keys of one issuer: of each kind one.
pub(crate) struct Issuer {
    pub(crate) rsa: RsaKeyPair,
    pub(crate) ec: EcdsaKeyPair,
    pub(crate) ed: Ed25519KeyPair,
    random: SystemRandom,
}

impl Issuer {
    /// Fresh keys; the RSA key is always the same, for none can be made here.
    pub(crate) fn new() -> Self {
        let random = SystemRandom::new();
        let text: String = include_str!("test_key.b64").split_whitespace().collect();
        let rsa = RsaKeyPair::from_pkcs8(&STANDARD.decode(text).unwrap()).unwrap();
        let way = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let ec = EcdsaKeyPair::generate_pkcs8(way, &random).unwrap();
        let ec = EcdsaKeyPair::from_pkcs8(way, ec.as_ref(), &random).unwrap();
        let ed = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        let ed = Ed25519KeyPair::from_pkcs8(ed.as_ref()).unwrap();
        Self {
            rsa,
            ec,
            ed,
            random,
        }
    }

    /// Its keys as it publishes them, named by their kinds.
    pub(crate) fn jwks(&self) -> Value {
        let (x, y) = self.ec.public_key().as_ref()[1..].split_at(32);
        let rsa = RsaPublicKeyComponents::<Vec<u8>>::from(self.rsa.public());
        json!({"keys": [
            {"kty": "RSA", "kid": "rsa", "use": "sig", "alg": "RS256",
             "n": encoded(&rsa.n),
             "e": encoded(&rsa.e)},
            {"kty": "EC", "kid": "ec", "crv": "P-256", "x": encoded(x), "y": encoded(y)},
            {"kty": "OKP", "kid": "ed", "crv": "Ed25519", "alg": "EdDSA",
             "x": encoded(self.ed.public_key().as_ref())},
        ]})
    }

    /// A signature of one kind, whatever the text says of itself.
    pub(crate) fn signature(&self, algorithm: Algorithm, text: &str) -> Vec<u8> {
        let bytes = text.as_bytes();
        match algorithm {
            Algorithm::Rs256 => {
                let mut signature = vec![0; self.rsa.public().modulus_len()];
                let (way, random) = (&RSA_PKCS1_SHA256, &self.random);
                self.rsa.sign(way, random, bytes, &mut signature).unwrap();
                signature
            }
            Algorithm::Es256 => self.ec.sign(&self.random, bytes).unwrap().as_ref().to_vec(),
            Algorithm::EdDsa => self.ed.sign(bytes).as_ref().to_vec(),
        }
    }

    /// A token with this header and these claims, signed in that way.
    pub(crate) fn token(&self, algorithm: Algorithm, header: &Value, claims: &Value) -> String {
        let text = unsigned(header, claims);
        let signature = self.signature(algorithm, &text);
        format!("{text}.{}", encoded(&signature))
    }
}

/// The header that goes with a kind.
pub(crate) fn header(algorithm: Algorithm) -> Value {
    let kid = match algorithm {
        Algorithm::Rs256 => "rsa",
        Algorithm::Es256 => "ec",
        Algorithm::EdDsa => "ed",
    };
    json!({"alg": algorithm.name(), "kid": kid, "typ": "JWT"})
}

/// The part that is signed.
pub(crate) fn unsigned(header: &Value, claims: &Value) -> String {
    let part = |value: &Value| encoded(value.to_string().as_bytes());
    format!("{}.{}", part(header), part(claims))
}

pub(crate) fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
