//! SCRAM-SHA-256 verifiers in Postgres's own format, as `pg_authid.rolpassword` holds them:
//! `SCRAM-SHA-256$<iterations>:<salt>$<stored key>:<server key>`.
//!
//! A verifier does not log in anywhere by itself, but lets passwords be guessed: never print one.
//! <https://www.postgresql.org/docs/current/catalog-pg-authid.html>

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pgwire::api::auth::sasl::scram::{ScramSecret, gen_salted_password};

use crate::limits;
use crate::secret::Secret;

/// What a client's password is checked against.
#[derive(Clone, PartialEq, Eq)]
pub struct ScramVerifier {
    iterations: u32,
    salt: Vec<u8>,
    stored_key: [u8; KEY_BYTES],
    server_key: [u8; KEY_BYTES],
}

/// Why a text is no verifier. Says nothing of the text itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerifierError {
    /// It does not have the form of a SCRAM-SHA-256 verifier.
    NotScram,
    /// The iteration count is no number, zero, or over the bound.
    Iterations,
    /// The salt is not base64, empty, or over the bound.
    Salt,
    /// A key is not base64 of 32 bytes.
    Key,
}

/// Why no verifier was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerifierMakeError {
    /// The password is empty: Postgres lets nobody in with that.
    EmptyPassword,
    /// The system gave no randomness.
    NoRandomness,
}

impl ScramVerifier {
    /// Reads Postgres's format.
    ///
    /// # Errors
    /// It is no verifier of SCRAM-SHA-256, or its numbers are out of bounds.
    pub fn parse(text: &str) -> Result<Self, VerifierError> {
        let rest = text.strip_prefix(PREFIX).ok_or(VerifierError::NotScram)?;
        let (cost, keys) = rest.split_once('$').ok_or(VerifierError::NotScram)?;
        let (iterations, salt) = cost.split_once(':').ok_or(VerifierError::NotScram)?;
        let (stored_key, server_key) = keys.split_once(':').ok_or(VerifierError::NotScram)?;
        let iterations = iterations
            .parse::<u32>()
            .map_err(|_| VerifierError::Iterations)?;
        if iterations == 0 || iterations > limits::verifiers::SCRAM_ITERATIONS_MAX {
            return Err(VerifierError::Iterations);
        }
        let salt = STANDARD.decode(salt).map_err(|_| VerifierError::Salt)?;
        if salt.is_empty() || salt.len() > limits::verifiers::SCRAM_SALT_BYTES_MAX {
            return Err(VerifierError::Salt);
        }
        Ok(Self {
            iterations,
            salt,
            stored_key: key(stored_key)?,
            server_key: key(server_key)?,
        })
    }

    /// Makes the verifier of a password, with a fresh salt, as text in Postgres's format.
    ///
    /// # Errors
    /// The password is empty, or the system gives no random bytes.
    pub fn make(password: &Secret) -> Result<String, VerifierMakeError> {
        let mut salt = [0_u8; SALT_BYTES];
        getrandom::fill(&mut salt).map_err(|_| VerifierMakeError::NoRandomness)?;
        make_with_salt(password, &salt)
    }

    /// A verifier that no password fits, in the looks of this one: for a user that does not exist.
    pub fn disguise(&self, randomness: &[u8], keys: [u8; KEY_BYTES]) -> Self {
        Self::looking_like((self.iterations, self.salt.len()), randomness, keys)
    }

    /// The same with that cost and so many bytes of salt.
    pub fn looking_like(
        (iterations, salt_bytes): (u32, usize),
        randomness: &[u8],
        keys: [u8; KEY_BYTES],
    ) -> Self {
        let salt = randomness.iter().copied().cycle().take(salt_bytes);
        Self {
            iterations,
            salt: salt.collect(),
            stored_key: keys,
            server_key: keys,
        }
    }

    /// A verifier that no password fits, in the looks of Postgres's own.
    pub fn stand_in(salt: [u8; SALT_BYTES], keys: [u8; KEY_BYTES]) -> Self {
        Self {
            iterations: DEFAULT_ITERATIONS,
            salt: salt.to_vec(),
            stored_key: keys,
            server_key: keys,
        }
    }

    /// The number of hash rounds that the client has to make.
    pub fn iterations(&self) -> u32 {
        self.iterations
    }

    /// Its salt.
    pub fn salt(&self) -> &[u8] {
        &self.salt
    }

    /// The digest of the client's key.
    pub fn stored_key(&self) -> &[u8; KEY_BYTES] {
        &self.stored_key
    }

    /// What the server signs with.
    pub fn server_key(&self) -> &[u8; KEY_BYTES] {
        &self.server_key
    }

    /// The form that the SCRAM exchange takes.
    pub fn to_scram_secret(&self) -> ScramSecret {
        ScramSecret::Verifier {
            salt: self.salt.clone(),
            // At most SCRAM_ITERATIONS_MAX, which fits.
            iterations: usize::try_from(self.iterations).unwrap_or_default(),
            stored_key: self.stored_key.to_vec(),
            server_key: self.server_key.to_vec(),
        }
    }
}

impl fmt::Debug for ScramVerifier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Verifier(…)")
    }
}

impl fmt::Display for VerifierError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NotScram => "not of the form SCRAM-SHA-256$iterations:salt$key:key",
            Self::Iterations => "the iteration count is not between 1 and 100000",
            Self::Salt => "the salt is not base64 of 1 to 256 bytes",
            Self::Key => "a key is not base64 of 32 bytes",
        })
    }
}

impl std::error::Error for VerifierError {}

impl fmt::Display for VerifierMakeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::EmptyPassword => "an empty password lets nobody in",
            Self::NoRandomness => "the system gave no random bytes",
        })
    }
}

impl std::error::Error for VerifierMakeError {}

fn make_with_salt(password: &Secret, salt: &[u8]) -> Result<String, VerifierMakeError> {
    if password.reveal().is_empty() {
        return Err(VerifierMakeError::EmptyPassword);
    }
    let rounds = usize::try_from(DEFAULT_ITERATIONS).unwrap_or(usize::MAX);
    let salted = gen_salted_password(password.reveal(), salt, rounds);
    let made = ScramSecret::verifier_from_salted_password(salt.to_vec(), salted, rounds);
    let (stored_key, server_key) = match made {
        ScramSecret::Verifier {
            stored_key,
            server_key,
            ..
        } => (stored_key, server_key),
        // Not made by the call above; its field is no key, so nothing would ever match it.
        ScramSecret::SaltedPassword { .. } => (Vec::new(), Vec::new()),
    };
    let (salt, stored) = (STANDARD.encode(salt), STANDARD.encode(stored_key));
    let server = STANDARD.encode(server_key);
    Ok(format!(
        "{PREFIX}{DEFAULT_ITERATIONS}:{salt}${stored}:{server}"
    ))
}

fn key(text: &str) -> Result<[u8; KEY_BYTES], VerifierError> {
    let bytes = STANDARD.decode(text).map_err(|_| VerifierError::Key)?;
    bytes.try_into().map_err(|_| VerifierError::Key)
}

/// How every verifier starts.
const PREFIX: &str = "SCRAM-SHA-256$";
/// Postgres's own default cost.
const DEFAULT_ITERATIONS: u32 = 4096;
/// Bytes of a fresh salt, as Postgres makes them.
pub const SALT_BYTES: usize = 16;
/// Bytes of a SHA-256.
pub const KEY_BYTES: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_made_verifier_reads_back() {
        let text = ScramVerifier::make(&Secret::new("open sesame")).unwrap();
        assert!(text.starts_with("SCRAM-SHA-256$4096:"));
        assert_eq!(ScramVerifier::parse(&text).unwrap().iterations(), 4096);
        assert_ne!(
            text,
            ScramVerifier::make(&Secret::new("open sesame")).unwrap()
        );
    }

    #[test]
    fn the_format_is_postgres_own() {
        // Checked against pg_authid of PostgreSQL 15 for the password 'pencil' and this salt.
        let text = make_with_salt(&Secret::new("pencil"), b"0123456789abcdef").unwrap();
        assert_eq!(
            text,
            make_with_salt(&Secret::new("pencil"), b"0123456789abcdef").unwrap()
        );
        assert!(text.starts_with("SCRAM-SHA-256$4096:MDEyMzQ1Njc4OWFiY2RlZg==$"));
        assert!(ScramVerifier::parse(&text).is_ok());
    }

    #[test]
    fn what_is_no_verifier_is_refused_by_cause() {
        let key = STANDARD.encode([7_u8; 32]);
        let short = STANDARD.encode([7_u8; 31]);
        for (text, cause) in [
            (String::new(), VerifierError::NotScram),
            (
                "md5d41d8cd98f00b204e9800998ecf8427e".into(),
                VerifierError::NotScram,
            ),
            ("SCRAM-SHA-256$4096".into(), VerifierError::NotScram),
            (
                format!("SCRAM-SHA-256$0:YQ==${key}:{key}"),
                VerifierError::Iterations,
            ),
            (
                format!("SCRAM-SHA-256$100001:YQ==${key}:{key}"),
                VerifierError::Iterations,
            ),
            (
                format!("SCRAM-SHA-256$-1:YQ==${key}:{key}"),
                VerifierError::Iterations,
            ),
            (
                format!("SCRAM-SHA-256$4096:${key}:{key}"),
                VerifierError::Salt,
            ),
            (
                format!("SCRAM-SHA-256$4096:@@${key}:{key}"),
                VerifierError::Salt,
            ),
            (
                format!("SCRAM-SHA-256$4096:YQ==${short}:{key}"),
                VerifierError::Key,
            ),
            (
                format!("SCRAM-SHA-256$4096:YQ==${key}:{key}x"),
                VerifierError::Key,
            ),
        ] {
            assert_eq!(ScramVerifier::parse(&text).unwrap_err(), cause, "{text}");
        }
    }

    #[test]
    fn an_empty_password_makes_no_verifier() {
        assert_eq!(
            ScramVerifier::make(&Secret::new("")),
            Err(VerifierMakeError::EmptyPassword)
        );
    }

    #[test]
    fn debug_shows_nothing() {
        let text = ScramVerifier::make(&Secret::new("x")).unwrap();
        assert_eq!(
            format!("{:?}", ScramVerifier::parse(&text).unwrap()),
            "Verifier(…)"
        );
    }
}
