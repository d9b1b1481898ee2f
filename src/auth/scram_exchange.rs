//! One SCRAM-SHA-256 exchange with a client, wherever its verifier comes from.
//!
//! The messages are those of `pgwire`; the frames around them, the mechanism and its fit with the
//! channel binding are checked here, because `pgwire` would take `-PLUS` without a binding.
//!
//! <https://www.postgresql.org/docs/current/sasl-authentication.html>

use std::fmt;

use bytes::BytesMut;
use pgwire::api::auth::sasl::scram::{ScramServerAuth, ScramServerAuthWaitingForClientFinal};
use pgwire::error::PgWireError;
use tokio::time::Instant;

use super::AuthError;
use super::scram_keys::ScramTranscript;
use super::verifier::{KEY_BYTES, SALT_BYTES, ScramVerifier};
use crate::net::framed_stream::FramedStream;
use crate::wire::encode;
use crate::wire::frontend::password::{sasl_initial, sasl_response};

/// What runs exchanges, and what makes verifiers for those that do not exist.
pub struct ScramExchange {
    plain: ScramServerAuth,
    bound: Option<ScramServerAuth>,
    stand_in_key: [u8; KEY_BYTES],
}

/// What stands in for a user that does not exist: the same each time for the same name.
pub struct StandIn {
    /// Its salt.
    pub salt: [u8; SALT_BYTES],
    /// Its keys.
    pub keys: [u8; KEY_BYTES],
    /// Whose looks it takes.
    pub pick: u64,
}

/// A client has proved that it knows the password of a verifier.
pub struct ScramProof {
    is_bound: bool,
    said: Option<ScramTranscript>,
}

impl ScramExchange {
    /// `certificate_pem` is what clients under TLS bind to; without it, or where its signature
    /// names no hash, `-PLUS` is not offered. Nothing is returned when the system gives no
    /// randomness.
    pub fn new(certificate_pem: Option<&str>) -> Option<Self> {
        let bound = certificate_pem.and_then(|pem| {
            let mut server = ScramServerAuth::new();
            server
                .configure_certificate(pem.as_bytes())
                .ok()
                .map(|()| server)
        });
        let mut stand_in_key = [0; KEY_BYTES];
        getrandom::fill(&mut stand_in_key).ok()?;
        Some(Self {
            plain: ScramServerAuth::new(),
            bound,
            stand_in_key,
        })
    }

    /// Those who do not exist look as they did to that one.
    pub fn disguised_as(mut self, before: &Self) -> Self {
        self.stand_in_key = before.stand_in_key;
        self
    }

    /// Runs one. A client whose user is not known is put through the same with the stand-in, and
    /// never let in.
    ///
    /// Not to be cancelled and gone on with: the exchange would be half done.
    ///
    /// # Errors
    /// The proof is wrong, did not come in time, or the client broke the protocol.
    pub async fn run(
        &self,
        framed: &mut FramedStream,
        (known, stand_in): (Option<&ScramVerifier>, &ScramVerifier),
        deadline: Instant,
    ) -> Result<ScramProof, AuthError> {
        let bound = self.bound.as_ref().filter(|_| framed.stream.is_tls());
        let mut out = BytesMut::new();
        encode::authentication_sasl(&mut out, offer(bound.is_some()))
            .map_err(AuthError::Unencodable)?;
        framed.send(&out, deadline).await.map_err(AuthError::Peer)?;

        let message = framed.frontend(deadline).await.map_err(AuthError::Peer)?;
        let (mechanism, first) = sasl_initial(message.body()).map_err(AuthError::Malformed)?;
        let first = first.ok_or(AuthError::Exchange)?;
        let server = self.choose(mechanism, first, bound)?;
        let is_bound = mechanism == PLUS;
        let verifier = known.unwrap_or(stand_in);
        let (challenge, waiting) = server
            .on_client_first_message_with_secret(first, verifier.to_scram_secret())
            .map_err(|_malformed| AuthError::Exchange)?;
        out.clear();
        encode::authentication_sasl_continue(&mut out, challenge.as_bytes())
            .map_err(AuthError::Unencodable)?;
        framed.send(&out, deadline).await.map_err(AuthError::Peer)?;

        let message = framed.frontend(deadline).await.map_err(AuthError::Peer)?;
        let last = sasl_response(message.body());
        let signature = check_proof(&waiting, last);
        // Whatever the stand-in says, a user that is not known is not let in.
        let signature = match (signature, known) {
            (Ok(signature), Some(_)) => signature,
            (Ok(_), None) => return Err(AuthError::WrongPassword),
            (Err(error), _) => return Err(error),
        };
        let said = ScramTranscript::read(first, &challenge, last);
        out.clear();
        encode::authentication_sasl_final(&mut out, signature.as_bytes())
            .map_err(AuthError::Unencodable)?;
        framed.send(&out, deadline).await.map_err(AuthError::Peer)?;
        Ok(ScramProof { is_bound, said })
    }

    /// What stands in for that user, where there is none.
    pub fn stand_in(&self, user: &str) -> StandIn {
        let mut stream = blake3::Hasher::new_keyed(&self.stand_in_key);
        stream.update(user.as_bytes());
        let mut bytes = stream.finalize_xof();
        let (mut salt, mut keys, mut pick) = ([0; SALT_BYTES], [0; KEY_BYTES], [0; 8]);
        bytes.fill(&mut salt);
        bytes.fill(&mut keys);
        bytes.fill(&mut pick);
        let pick = u64::from_be_bytes(pick);
        StandIn { salt, keys, pick }
    }

    /// The mechanism has to be one that was offered, and to fit what its message says of channel
    /// binding: `-PLUS` binds, the other does not.
    fn choose<'s>(
        &'s self,
        mechanism: &str,
        first: &[u8],
        bound: Option<&'s ScramServerAuth>,
    ) -> Result<&'s ScramServerAuth, AuthError> {
        match (mechanism, bound, first.starts_with(b"p=")) {
            (PLUS, Some(server), true) => Ok(server),
            // With a binding on offer, "y" (you have none) is a sign of someone in between, which
            // only the server that knows of the binding can tell.
            (PLAIN, Some(server), false) => Ok(server),
            (PLAIN, None, false) => Ok(&self.plain),
            _ => Err(AuthError::Exchange),
        }
    }
}

impl ScramProof {
    /// Whether it holds for this TLS connection only.
    pub fn is_bound(&self) -> bool {
        self.is_bound
    }

    /// What it was made of.
    pub fn transcript(&self) -> Option<&ScramTranscript> {
        self.said.as_ref()
    }
}

impl fmt::Debug for ScramExchange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ScramExchange")
    }
}

impl fmt::Debug for ScramProof {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ScramProof")
    }
}

fn check_proof(
    waiting: &ScramServerAuthWaitingForClientFinal,
    message: &[u8],
) -> Result<String, AuthError> {
    waiting
        .on_client_final_message(message)
        .map_err(|error| match error {
            PgWireError::InvalidPassword(_) => AuthError::WrongPassword,
            _ => AuthError::Exchange,
        })
}

fn offer(bound: bool) -> &'static [&'static str] {
    if bound { &[PLUS, PLAIN] } else { &[PLAIN] }
}

const PLAIN: &str = "SCRAM-SHA-256";
const PLUS: &str = "SCRAM-SHA-256-PLUS";
