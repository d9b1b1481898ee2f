//! Proves to the upstream that a password is known: MD5 and the client side of SCRAM-SHA-256.
//!
//! The upstream chooses how much hashing SCRAM costs, so that is bounded, and done off the threads
//! that serve other clients. Channel binding is used wherever both sides can.
//!
//! <https://www.postgresql.org/docs/current/sasl-authentication.html>

use std::fmt;
use std::sync::Arc;

use md5::{Digest, Md5};
use postgres_protocol::authentication::sasl::{
    ChannelBinding, SCRAM_SHA_256, SCRAM_SHA_256_PLUS, ScramSha256,
};

use crate::auth::keyed_login::{ExpectChallenge, ExpectSignature, KeyedBinding, KeyedFault};
use crate::auth::login_secret::LoginSecret;
use crate::limits;
use crate::net::channel_binding::end_point_digest;
use crate::secret::Secret;

/// The client side of one SCRAM exchange.
pub struct ScramAnswer {
    mechanism: &'static str,
    exchange: AnswerExchange,
}

/// What it is made with, and how far it is.
enum AnswerExchange {
    Password(Box<ScramSha256>),
    Keys(ExpectChallenge),
    ProvedKeys(ExpectSignature),
}

/// What an upstream did wrong in a SCRAM exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScramFault {
    /// Its challenge does not follow RFC 5802, or is for another exchange.
    Challenge,
    /// It asks for more hashing than a login may cost, or for none.
    Iterations,
    /// It did not prove that it knows the password's verifier: an impostor.
    Proof,
    /// The hashing was cut off: the process is ending.
    Interrupted,
    /// Keys are for another verifier than the one that it has of the user.
    OtherVerifier,
    /// The system gave no randomness.
    NoRandomness,
}

impl ScramAnswer {
    /// Picks the best mechanism that is offered; none when only unknown ones are.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn choose(
        offered: &[String],
        certificate: Option<&[u8]>,
        secret: &LoginSecret,
    ) -> Result<Option<Self>, ScramFault> {
        let is_offered = |name: &str| offered.iter().any(|known| known == name);
        let binding = certificate.and_then(end_point_digest);
        let (mechanism, binding) = match (is_offered(SCRAM_SHA_256_PLUS), binding) {
            (true, Some(digest)) => (SCRAM_SHA_256_PLUS, KeyedBinding::EndPoint(digest)),
            _ if !is_offered(SCRAM_SHA_256) => return Ok(None),
            // "I could, but you do not offer it": lets the server notice a man in the middle who
            // took the offer away.
            (false, Some(_)) => (SCRAM_SHA_256, KeyedBinding::Unrequested),
            (_, None) => (SCRAM_SHA_256, KeyedBinding::Unsupported),
        };
        let exchange = match secret {
            LoginSecret::Password(password) => {
                let password = password.reveal().as_bytes();
                AnswerExchange::Password(Box::new(ScramSha256::new(password, of_library(binding))))
            }
            LoginSecret::Keys(keys) => {
                let begun = ExpectChallenge::begin(Arc::clone(keys), binding);
                AnswerExchange::Keys(begun.map_err(|_no_nonce| ScramFault::NoRandomness)?)
            }
        };
        Ok(Some(Self {
            mechanism,
            exchange,
        }))
    }

    /// The mechanism picked.
    pub fn mechanism(&self) -> &'static str {
        self.mechanism
    }

    /// What is to be sent next.
    pub fn message(&self) -> &[u8] {
        match &self.exchange {
            AnswerExchange::Password(exchange) => exchange.message(),
            AnswerExchange::Keys(begun) => begun.message(),
            AnswerExchange::ProvedKeys(proved) => proved.message(),
        }
    }

    /// Answers the challenge. Hashing a password takes milliseconds, so it is done on another
    /// thread; with keys there is nothing to hash.
    ///
    /// # Errors
    /// The challenge does not follow RFC 5802, or asks for too much hashing or none, or for another
    /// verifier than that of the keys; or the process is ending.
    pub async fn prove(self, challenge: Vec<u8>) -> Result<Self, ScramFault> {
        let Self {
            mechanism,
            exchange,
        } = self;
        let mut exchange = match exchange {
            AnswerExchange::Password(exchange) => exchange,
            AnswerExchange::Keys(begun) => {
                let exchange = AnswerExchange::ProvedKeys(begun.prove(&challenge)?);
                return Ok(Self {
                    mechanism,
                    exchange,
                });
            }
            AnswerExchange::ProvedKeys(_) => return Err(ScramFault::Challenge),
        };
        match iterations(&challenge) {
            None => return Err(ScramFault::Challenge),
            Some(count) if count == 0 || count > limits::verifiers::SCRAM_ITERATIONS_MAX => {
                return Err(ScramFault::Iterations);
            }
            Some(_) => {}
        }
        let hashing = tokio::task::spawn_blocking(move || {
            let answered = exchange.update(&challenge);
            let exchange = answered.map(|()| AnswerExchange::Password(exchange));
            let answer = |exchange| Self {
                mechanism,
                exchange,
            };
            exchange.map(answer).map_err(|_| ScramFault::Challenge)
        });
        hashing.await.unwrap_or(Err(ScramFault::Interrupted))
    }

    /// Checks the upstream's own proof.
    ///
    /// # Errors
    /// The upstream has not proved that it knows the password.
    pub fn check(self, proof: &[u8]) -> Result<(), ScramFault> {
        match self.exchange {
            AnswerExchange::Password(mut exchange) => {
                exchange.finish(proof).map_err(|_| ScramFault::Proof)
            }
            AnswerExchange::Keys(_) => Err(ScramFault::Proof),
            AnswerExchange::ProvedKeys(proved) => Ok(proved.check(proof)?),
        }
    }
}

impl From<KeyedFault> for ScramFault {
    fn from(fault: KeyedFault) -> Self {
        match fault {
            KeyedFault::Challenge => Self::Challenge,
            KeyedFault::OtherVerifier => Self::OtherVerifier,
            KeyedFault::Proof => Self::Proof,
        }
    }
}

impl fmt::Display for ScramFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Challenge => "the challenge is malformed",
            Self::Iterations => "it asks for more hashing than a login may cost",
            Self::Proof => "the upstream did not prove that it knows the password",
            Self::Interrupted => "interrupted",
            Self::OtherVerifier => {
                "the server has another verifier of this user than the one that its password was \
                 checked against: salt or iterations differ, so the keys of its proof are of no use"
            }
            Self::NoRandomness => "the system gave no random bytes",
        })
    }
}

fn of_library(binding: KeyedBinding) -> ChannelBinding {
    match binding {
        KeyedBinding::EndPoint(digest) => ChannelBinding::tls_server_end_point(digest),
        KeyedBinding::Unrequested => ChannelBinding::unrequested(),
        KeyedBinding::Unsupported => ChannelBinding::unsupported(),
    }
}

/// The answer to an MD5 challenge: `md5` and md5(md5(password, user), salt) in hexadecimal.
pub fn md5(user: &str, password: &Secret, salt: [u8; 4]) -> String {
    let inner = Md5::new()
        .chain_update(password.reveal())
        .chain_update(user)
        .finalize();
    let outer = Md5::new()
        .chain_update(hex(&inner))
        .chain_update(salt)
        .finalize();
    format!("md5{}", hex(&outer))
}

/// The iteration count of a server-first-message: `r=…,s=…,i=<count>[,…]`.
fn iterations(challenge: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(challenge).ok()?;
    text.split(',')
        .find_map(|part| part.strip_prefix("i="))?
        .parse()
        .ok()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::pem::{TlsPart, certificates};

    fn offered(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn plain() -> ScramAnswer {
        choose(&["SCRAM-SHA-256"], None).unwrap()
    }

    fn choose(names: &[&str], certificate: Option<&[u8]>) -> Option<ScramAnswer> {
        let password = Secret::new("pencil").into();
        ScramAnswer::choose(&offered(names), certificate, &password).unwrap()
    }

    #[test]
    fn md5_as_postgres_does_it() {
        let answer = md5(
            "md5_user",
            &Secret::new("password"),
            [0x2a, 0x3d, 0x8f, 0xe0],
        );
        assert_eq!(answer, "md562af4dd09bbb41884907a838a3233294");
    }

    #[test]
    fn only_known_mechanisms_are_picked() {
        assert!(choose(&["OAUTHBEARER"], None).is_none());
        // Without a certificate there is nothing to bind to.
        assert!(choose(&["SCRAM-SHA-256-PLUS"], None).is_none());
        assert_eq!(plain().mechanism(), "SCRAM-SHA-256");
        assert!(plain().message().starts_with(b"n,,n=,r="));
    }

    #[tokio::test]
    async fn hashing_is_bounded_before_it_starts() {
        for (challenge, fault) in [
            ("", ScramFault::Challenge),
            ("r=x,s=YQ==", ScramFault::Challenge),
            ("r=x,s=YQ==,i=", ScramFault::Challenge),
            ("r=x,s=YQ==,i=99999999999999999999", ScramFault::Challenge),
            ("r=x,s=YQ==,i=0", ScramFault::Iterations),
            ("r=x,s=YQ==,i=100001", ScramFault::Iterations),
            ("r=x,s=YQ==,i=4294967295", ScramFault::Iterations),
            // Someone else's nonce.
            ("r=x,s=YQ==,i=4096", ScramFault::Challenge),
        ] {
            let outcome = plain().prove(challenge.into()).await;
            assert_eq!(outcome.err(), Some(fault), "{challenge}");
        }
        assert_eq!(
            plain().prove(vec![0xff]).await.err(),
            Some(ScramFault::Challenge)
        );
    }

    #[tokio::test]
    async fn a_server_without_proof_is_an_impostor() {
        let answer = plain();
        let text = String::from_utf8(answer.message().to_vec()).unwrap();
        let nonce = text.split("r=").nth(1).unwrap();
        let answer = answer
            .prove(format!("r={nonce}abc,s=YQ==,i=1").into())
            .await
            .unwrap();
        assert_eq!(answer.check(b"v=AAAA"), Err(ScramFault::Proof));
    }

    #[test]
    fn under_tls_the_login_is_bound_to_the_servers_certificate() {
        let made = crate::net::dev_certificates::tests::made();
        let chain = certificates(&made.server, TlsPart::Certificate).unwrap();
        let certificate = chain.first().map(|leaf| leaf.as_ref());
        let both = ["SCRAM-SHA-256", "SCRAM-SHA-256-PLUS"];
        let bound = choose(&both, certificate).unwrap();
        assert_eq!(bound.mechanism(), "SCRAM-SHA-256-PLUS");
        assert!(bound.message().starts_with(b"p=tls-server-end-point,,"));
        // Not offered: the server is told that we would have, so it notices who took it away.
        let plain = choose(&["SCRAM-SHA-256"], certificate).unwrap();
        assert!(plain.message().starts_with(b"y,,"));
        // Offered where there is nothing to bind to.
        let clear = choose(&both, None).unwrap();
        assert_eq!(clear.mechanism(), "SCRAM-SHA-256");
        assert!(clear.message().starts_with(b"n,,"));
    }
}
