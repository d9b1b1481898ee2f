//! The keys that the proof of a SCRAM login holds: whoever has checked a proof against a verifier
//! knows them, and can log in with them wherever the verifier is the same one.
//!
//! `ClientKey = ClientProof XOR HMAC(StoredKey, AuthMessage)`. They are as good as the password at
//! every server with that verifier, and give nothing of the password away: never print them.
//!
//! <https://www.rfc-editor.org/rfc/rfc5802#section-3>

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::{digest, hmac};

use super::verifier::{KEY_BYTES, ScramVerifier};

/// What logs in as a user without its password.
#[derive(Clone, PartialEq, Eq)]
pub struct ScramKeys {
    verifier: ScramVerifier,
    client_key: [u8; KEY_BYTES],
}

/// What both sides have said in an exchange that has succeeded, as far as the proof stands on it.
pub struct ScramTranscript {
    auth_message: Vec<u8>,
    proof: [u8; KEY_BYTES],
}

impl ScramTranscript {
    /// Of the client's first message, the challenge, and the client's last message; nothing where
    /// they are not laid out as RFC 5802 has it.
    pub fn read(first: &[u8], challenge: &str, last: &[u8]) -> Option<Self> {
        let (first, last) = (
            std::str::from_utf8(first).ok()?,
            std::str::from_utf8(last).ok()?,
        );
        // The header of the channel binding: a flag and an identity, each with a comma behind.
        let bare = first.splitn(3, ',').nth(2)?;
        let (without_proof, proof) = last.rsplit_once(",p=")?;
        let proof = STANDARD.decode(proof).ok()?;
        Some(Self {
            auth_message: format!("{bare},{challenge},{without_proof}").into_bytes(),
            proof: proof.try_into().ok()?,
        })
    }
}

impl ScramKeys {
    /// Those of a proof; nothing where it is none for that verifier.
    pub fn of_proof(verifier: &ScramVerifier, said: &ScramTranscript) -> Option<Self> {
        let signature = sign(verifier.stored_key(), &said.auth_message);
        let client_key = xor(&said.proof, &signature);
        let stored = digest::digest(&digest::SHA256, &client_key);
        (stored.as_ref() == verifier.stored_key()).then(|| Self {
            verifier: verifier.clone(),
            client_key,
        })
    }

    /// Whether a server asks with the salt and the cost of the verifier that they belong to: with
    /// another one they prove nothing.
    pub fn fit(&self, salt: &[u8], iterations: u32) -> bool {
        self.verifier.salt() == salt && self.verifier.iterations() == iterations
    }

    /// The proof for another exchange.
    pub fn proof(&self, auth_message: &[u8]) -> [u8; KEY_BYTES] {
        let signature = sign(self.verifier.stored_key(), auth_message);
        xor(&self.client_key, &signature)
    }

    /// Whether that is the signature of a server that has the verifier.
    pub fn is_signed(&self, auth_message: &[u8], signature: &[u8]) -> bool {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.verifier.server_key());
        hmac::verify(&key, auth_message, signature).is_ok()
    }

    /// A number that tells them from others, and gives nothing of them away.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key(DIGEST_CONTEXT);
        hasher.update(self.verifier.stored_key());
        hasher.update(self.verifier.server_key());
        hasher.update(&self.verifier.iterations().to_be_bytes());
        hasher.update(self.verifier.salt());
        *hasher.finalize().as_bytes()
    }
}

impl fmt::Debug for ScramKeys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ScramKeys(…)")
    }
}

fn sign(key: &[u8], message: &[u8]) -> [u8; KEY_BYTES] {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), message);
    let mut bytes = [0; KEY_BYTES];
    // Both are as long as a SHA-256 is.
    for (byte, signed) in bytes.iter_mut().zip(tag.as_ref()) {
        *byte = *signed;
    }
    bytes
}

fn xor(one: &[u8; KEY_BYTES], other: &[u8; KEY_BYTES]) -> [u8; KEY_BYTES] {
    let mut bytes = *one;
    for (byte, other) in bytes.iter_mut().zip(other) {
        *byte ^= *other;
    }
    bytes
}

const DIGEST_CONTEXT: &str = "pgsieve 2026-11 keys of a SCRAM proof";

#[cfg(test)]
pub(super) mod tests {
    use pgwire::api::auth::sasl::scram::gen_salted_password;

    use super::*;

    /// The keys of a password with that salt and cost.
    pub fn keys_of(password: &str, salt: &[u8], iterations: u32) -> ScramKeys {
        let salted = gen_salted_password(password, salt, usize::try_from(iterations).unwrap());
        let client_key = sign(&salted, b"Client Key");
        let stored = digest::digest(&digest::SHA256, &client_key);
        let (salt, stored) = (STANDARD.encode(salt), STANDARD.encode(stored));
        let server = STANDARD.encode(sign(&salted, b"Server Key"));
        let text = format!("SCRAM-SHA-256${iterations}:{salt}${stored}:{server}");
        ScramKeys {
            verifier: ScramVerifier::parse(&text).unwrap(),
            client_key,
        }
    }

    const FIRST: &str = "n,,n=user,r=rOprNGfwEbeRWgbNEkqO";
    const CHALLENGE: &str = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,\
         s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
    const LAST: &str = "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,\
         p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
    const SIGNATURE: &str = "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";

    fn rfc_keys() -> ScramKeys {
        let salt = STANDARD.decode("W22ZaJ0SNY7soEsUEjb6gQ==").unwrap();
        keys_of("pencil", &salt, 4096)
    }

    fn said(first: &str, last: &str) -> Option<ScramTranscript> {
        ScramTranscript::read(first.as_bytes(), CHALLENGE, last.as_bytes())
    }

    /// <https://www.rfc-editor.org/rfc/rfc7677#section-3>
    #[test]
    fn the_keys_of_a_proof_are_those_of_the_password() {
        let keys = rfc_keys();
        let said = said(FIRST, LAST).unwrap();
        let found = ScramKeys::of_proof(&keys.verifier, &said).unwrap();
        assert!(found == keys);
        assert_eq!(found.proof(&said.auth_message), said.proof);
        let signature = STANDARD.decode(SIGNATURE).unwrap();
        assert!(found.is_signed(&said.auth_message, &signature));
        assert!(!found.is_signed(&said.auth_message, &[]));
        assert!(!found.is_signed(b"other", &signature));
    }

    #[test]
    fn another_proof_or_verifier_has_no_keys() {
        let keys = rfc_keys();
        let told = said(FIRST, LAST).unwrap();
        let other = keys_of("pen", keys.verifier.salt(), 4096);
        assert!(ScramKeys::of_proof(&other.verifier, &told).is_none());
        for (first, last) in [
            (FIRST.replace("n=user", "n=uses"), LAST.to_owned()),
            (FIRST.to_owned(), LAST.replace("c=biws", "c=eSws")),
            (FIRST.to_owned(), LAST.replace("p=dH", "p=dI")),
        ] {
            let told = said(&first, &last).unwrap();
            assert!(
                ScramKeys::of_proof(&keys.verifier, &told).is_none(),
                "{first} {last}"
            );
        }
        for last in [
            "",
            "c=biws,r=x",
            "c=biws,r=x,p=",
            "c=biws,r=x,p=YQ==",
            "p=dHzb",
        ] {
            assert!(said(FIRST, last).is_none(), "{last}");
        }
        assert!(said("n,", LAST).is_none());
    }

    #[test]
    fn they_are_for_one_salt_and_cost() {
        let keys = keys_of("pencil", b"salt", 10);
        assert!(keys.fit(b"salt", 10));
        assert!(!keys.fit(b"salt", 11) && !keys.fit(b"sal", 10));
        let others = [
            keys_of("pencil", b"salt", 11),
            keys_of("pencil", b"tlas", 10),
            keys_of("penci", b"salt", 10),
        ];
        for other in others {
            assert_ne!(keys.digest(), other.digest());
        }
        assert_eq!(keys.digest(), keys.clone().digest());
        assert_eq!(format!("{keys:?}"), "ScramKeys(…)");
    }
}
