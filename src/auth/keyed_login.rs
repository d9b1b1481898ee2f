//! The client side of SCRAM-SHA-256 with keys in the place of a password: logs in as a user that
//! has proved itself here, where the server has the same verifier.
//!
//! No hashing in rounds is done: its outcome is what the keys are. The server still has to prove
//! that it has the verifier.
//!
//! <https://www.postgresql.org/docs/current/sasl-authentication.html>

use std::fmt;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::scram_keys::ScramKeys;

/// What the exchange is bound to.
pub enum KeyedBinding {
    /// The digest of the server's certificate.
    EndPoint(Vec<u8>),
    /// Nothing, because the server does not offer it.
    Unrequested,
    /// Nothing, because there is nothing.
    Unsupported,
}

/// The first message is on its way.
pub struct ExpectChallenge {
    keys: Arc<ScramKeys>,
    /// What the client's last message repeats of the binding.
    binding: Vec<u8>,
    header: &'static str,
    nonce: String,
    message: String,
}

/// The proof is on its way; the server owes its own.
pub struct ExpectSignature {
    keys: Arc<ScramKeys>,
    auth_message: Vec<u8>,
    message: String,
}

/// Why such a login cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyedFault {
    /// The challenge does not follow RFC 5802, or is for another exchange.
    Challenge,
    /// The server has another verifier: salt or cost differ.
    OtherVerifier,
    /// The server has not proved that it has the verifier.
    Proof,
}

/// The system gave no randomness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoNonce;

impl ExpectChallenge {
    /// Begins.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn begin(keys: Arc<ScramKeys>, binding: KeyedBinding) -> Result<Self, NoNonce> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|_error| NoNonce)?;
        Ok(Self::with_nonce(keys, binding, STANDARD.encode(nonce)))
    }

    fn with_nonce(keys: Arc<ScramKeys>, binding: KeyedBinding, nonce: String) -> Self {
        let (header, binding) = match binding {
            KeyedBinding::EndPoint(digest) => ("p=tls-server-end-point,,", digest),
            KeyedBinding::Unrequested => ("y,,", Vec::new()),
            KeyedBinding::Unsupported => ("n,,", Vec::new()),
        };
        let message = format!("{header}{}", bare(&nonce));
        Self {
            keys,
            binding,
            header,
            nonce,
            message,
        }
    }

    /// The client's first message.
    pub fn message(&self) -> &[u8] {
        self.message.as_bytes()
    }

    /// Answers the challenge.
    ///
    /// # Errors
    /// It is none, or is for another verifier.
    pub fn prove(self, challenge: &[u8]) -> Result<ExpectSignature, KeyedFault> {
        let challenge = std::str::from_utf8(challenge).map_err(|_| KeyedFault::Challenge)?;
        let asked = ServerChallenge::read(challenge).ok_or(KeyedFault::Challenge)?;
        let is_own = asked.nonce.len() > self.nonce.len() && asked.nonce.starts_with(&self.nonce);
        if !is_own {
            return Err(KeyedFault::Challenge);
        }
        if !self.keys.fit(&asked.salt, asked.iterations) {
            return Err(KeyedFault::OtherVerifier);
        }
        let binding = STANDARD.encode([self.header.as_bytes(), &self.binding].concat());
        let without_proof = format!("c={binding},r={}", asked.nonce);
        let auth_message = format!("{},{challenge},{without_proof}", bare(&self.nonce));
        let auth_message = auth_message.into_bytes();
        let proof = STANDARD.encode(self.keys.proof(&auth_message));
        Ok(ExpectSignature {
            keys: self.keys,
            auth_message,
            message: format!("{without_proof},p={proof}"),
        })
    }
}

impl ExpectSignature {
    /// The client's last message.
    pub fn message(&self) -> &[u8] {
        self.message.as_bytes()
    }

    /// Checks the server's own proof.
    ///
    /// # Errors
    /// The server has not proved that it has the verifier.
    pub fn check(&self, last: &[u8]) -> Result<(), KeyedFault> {
        let signature = last.strip_prefix(b"v=").ok_or(KeyedFault::Proof)?;
        let signature = STANDARD.decode(signature).map_err(|_| KeyedFault::Proof)?;
        match self.keys.is_signed(&self.auth_message, &signature) {
            true => Ok(()),
            false => Err(KeyedFault::Proof),
        }
    }
}

impl fmt::Debug for ExpectChallenge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ExpectChallenge(…)")
    }
}

impl fmt::Debug for ExpectSignature {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ExpectSignature(…)")
    }
}

/// A server-first-message: `r=…,s=…,i=…`, with extensions behind it that nobody has to understand.
struct ServerChallenge<'t> {
    nonce: &'t str,
    salt: Vec<u8>,
    iterations: u32,
}

impl<'t> ServerChallenge<'t> {
    fn read(text: &'t str) -> Option<Self> {
        let mut parts = text.split(',');
        let nonce = parts.next()?.strip_prefix("r=")?;
        let salt = parts.next()?.strip_prefix("s=")?;
        let iterations = parts.next()?.strip_prefix("i=")?;
        Some(Self {
            nonce,
            salt: STANDARD.decode(salt).ok()?,
            iterations: iterations.parse().ok()?,
        })
    }
}

/// Postgres takes the user from the StartupMessage.
fn bare(nonce: &str) -> String {
    format!("n=,r={nonce}")
}

/// As many as Postgres's own clients take.
const NONCE_BYTES: usize = 18;

#[cfg(test)]
mod tests {
    use pgwire::api::auth::sasl::scram::{ScramSecret, ScramServerAuth};

    use super::*;
    use crate::auth::scram_keys::tests::keys_of;

    fn begun(binding: KeyedBinding) -> ExpectChallenge {
        ExpectChallenge::begin(Arc::new(keys_of("pencil", b"salt", 7)), binding).unwrap()
    }

    fn secret(password: &str, salt: &[u8], iterations: usize) -> ScramSecret {
        let salted =
            pgwire::api::auth::sasl::scram::gen_salted_password(password, salt, iterations);
        ScramSecret::verifier_from_salted_password(salt.to_vec(), salted, iterations)
    }

    #[test]
    fn a_server_with_the_verifier_lets_the_keys_in() {
        let login = begun(KeyedBinding::Unsupported);
        let server = ScramServerAuth::new();
        let secret = secret("pencil", b"salt", 7);
        let asked = server.on_client_first_message_with_secret(login.message(), secret);
        let (challenge, waiting) = asked.unwrap();
        let proved = login.prove(challenge.as_bytes()).unwrap();
        let last = waiting.on_client_final_message(proved.message()).unwrap();
        assert_eq!(proved.check(last.as_bytes()), Ok(()));
        assert_eq!(proved.check(b"v=YWJj"), Err(KeyedFault::Proof));
        assert_eq!(proved.check(b"e=other-error"), Err(KeyedFault::Proof));
    }

    #[test]
    fn the_binding_is_part_of_the_proof() {
        let made = crate::net::dev_certificates::tests::made();
        let chain =
            crate::net::pem::certificates(&made.server, crate::net::pem::TlsPart::Certificate);
        let chain = chain.unwrap();
        let digest = crate::net::channel_binding::end_point_digest(chain.first().unwrap());
        let mut server = ScramServerAuth::new();
        server
            .configure_certificate(&std::fs::read(&made.server).unwrap())
            .unwrap();
        for (digest, is_let_in) in [(digest.unwrap(), true), (vec![7; 32], false)] {
            let login = begun(KeyedBinding::EndPoint(digest));
            assert!(
                login
                    .message()
                    .starts_with(b"p=tls-server-end-point,,n=,r=")
            );
            let secret = secret("pencil", b"salt", 7);
            let asked = server.on_client_first_message_with_secret(login.message(), secret);
            let (challenge, waiting) = asked.unwrap();
            let proved = login.prove(challenge.as_bytes()).unwrap();
            let last = waiting.on_client_final_message(proved.message());
            assert_eq!(last.is_ok(), is_let_in);
        }
    }

    #[test]
    fn another_salt_or_cost_is_another_verifier() {
        for (salt, iterations, fault) in [
            ("c2FsdA==", "8", KeyedFault::OtherVerifier),
            ("c2FsdHM=", "7", KeyedFault::OtherVerifier),
            ("c2FsdA==", "x", KeyedFault::Challenge),
            ("c2FsdA==", "", KeyedFault::Challenge),
            ("@", "7", KeyedFault::Challenge),
        ] {
            let login = begun(KeyedBinding::Unrequested);
            let challenge = format!("r={}abc,s={salt},i={iterations}", login.nonce);
            let proved = login.prove(challenge.as_bytes());
            assert_eq!(proved.err(), Some(fault), "{challenge}");
        }
    }

    #[test]
    fn a_challenge_of_another_exchange_is_none() {
        for challenge in [
            "",
            "r=abc,s=c2FsdA==,i=7",
            "s=c2FsdA==,r=abc,i=7",
            "m=x,r=abc,s=c2FsdA==,i=7",
            "e=unknown-user",
        ] {
            let proved = begun(KeyedBinding::Unsupported).prove(challenge.as_bytes());
            assert_eq!(proved.err(), Some(KeyedFault::Challenge), "{challenge}");
        }
        let login = begun(KeyedBinding::Unsupported);
        // Nothing of the server's own in it.
        let challenge = format!("r={},s=c2FsdA==,i=7", login.nonce);
        let proved = login.prove(challenge.as_bytes());
        assert_eq!(proved.err(), Some(KeyedFault::Challenge));
    }
}
