//! SCRAM-SHA-256 with clients, against verifiers: pgsieve never learns their passwords.
//!
//! A user that does not exist is put through the same exchange, with a verifier that fits no
//! password: same messages, same salt each time, same work, same refusal.
//!
//! <https://www.postgresql.org/docs/current/sasl-authentication.html>

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use tokio::time::Instant;

use super::scram_exchange::ScramExchange;
use super::settings::{ScramUser, UpstreamIdentity};
use super::verifier::ScramVerifier;
use super::{AdmittedIdentity, AuthError};
use crate::net::framed_stream::FramedStream;

/// The users that log in with SCRAM, and what stands in for those that do not exist.
pub struct ScramUsers {
    users: HashMap<String, ScramUser>,
    models: Vec<ScramVerifier>,
    exchange: ScramExchange,
}

impl ScramUsers {
    /// Takes the users in. `certificate_pem` is what clients under TLS bind to; without it, or
    /// where its signature names no hash, `-PLUS` is not offered. Nothing is returned when the
    /// system gives no randomness.
    pub fn new(users: Vec<ScramUser>, certificate_pem: Option<&str>) -> Option<Self> {
        let exchange = ScramExchange::new(certificate_pem)?;
        let models = users.iter().map(|user| user.verifier.clone()).collect();
        let users = users
            .into_iter()
            .map(|user| (user.name.clone(), user))
            .collect();
        Some(Self {
            users,
            models,
            exchange,
        })
    }

    /// The same users; names that are not among them look as they did to these: whoever asks before
    /// and after learns nothing of the list.
    pub fn disguised_as(mut self, before: &Self) -> Self {
        self.exchange = self.exchange.disguised_as(&before.exchange);
        self
    }

    /// Whether there is a user of this name.
    pub fn has(&self, user: &str) -> bool {
        self.users.contains_key(user)
    }

    /// Whom they stand for at the upstream.
    pub fn identities(&self) -> impl Iterator<Item = &UpstreamIdentity> {
        self.users.values().map(|user| &user.upstream)
    }

    /// Runs the exchange with a client that says it is `user`.
    ///
    /// Not to be cancelled and gone on with: the exchange would be half done.
    ///
    /// # Errors
    /// The proof is wrong, did not come in time, or the client broke the protocol.
    pub async fn admit(
        &self,
        framed: &mut FramedStream,
        user: &str,
        deadline: Instant,
    ) -> Result<AdmittedIdentity<'_>, AuthError> {
        // Made for everybody, so that its making tells nothing.
        let stand_in = self.stand_in(user);
        let known = self.users.get(user);
        let verifiers = (known.map(|known| &known.verifier), &stand_in);
        let proved = self.exchange.run(framed, verifiers, deadline).await?;
        // Whoever is not listed has not come so far.
        let known = known.ok_or(AuthError::WrongPassword)?;
        Ok(match proved.is_bound() {
            true => AdmittedIdentity::BoundAs(Cow::Borrowed(&known.upstream)),
            false => AdmittedIdentity::As(Cow::Borrowed(&known.upstream)),
        })
    }

    /// The same verifier each time for the same name, with the cost and salt length of some real
    /// user, so that a list of several costs does not tell who is not on it.
    fn stand_in(&self, user: &str) -> ScramVerifier {
        let random = self.exchange.stand_in(user);
        let count = u64::try_from(self.models.len()).unwrap_or(u64::MAX).max(1);
        let index = usize::try_from(random.pick % count).unwrap_or_default();
        match self.models.get(index) {
            Some(model) => model.disguise(&random.salt, random.keys),
            None => ScramVerifier::stand_in(random.salt, random.keys),
        }
    }
}

impl fmt::Debug for ScramUsers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ScramUsers({})", self.users.len())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;
    use std::time::Duration;

    use proptest::prelude::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::UnixStream;

    use super::*;
    use crate::net::stream::PeerStream;
    use crate::secret::Secret;

    static USERS: LazyLock<ScramUsers> = LazyLock::new(users);

    fn users() -> ScramUsers {
        let verifier = ScramVerifier::make(&Secret::new("pencil")).unwrap();
        let verifier = ScramVerifier::parse(&verifier).unwrap();
        let upstream = UpstreamIdentity {
            user: "up".into(),
            secret: None,
        };
        let alice = ScramUser {
            name: "alice".into(),
            verifier,
            upstream,
        };
        ScramUsers::new(vec![alice], None).unwrap()
    }

    /// One exchange with a client that sends these two bodies, whatever it is told.
    async fn check(users: &ScramUsers, first: &[u8], last: &[u8]) -> AuthError {
        let (near, mut far) = UnixStream::pair().unwrap();
        let mut framed = FramedStream::new(PeerStream::Unix(near));
        for body in [first, last] {
            let length = u32::try_from(body.len() + 4).unwrap();
            far.write_all(&[b"p", &length.to_be_bytes()[..], body].concat())
                .await
                .unwrap();
        }
        let deadline = Instant::now() + Duration::from_secs(5);
        let refused = users
            .admit(&mut framed, "alice", deadline)
            .await
            .unwrap_err();
        drop(framed);
        let mut heard = Vec::new();
        // What was not read of ours makes the end a reset.
        let _end_or_reset = far.read_to_end(&mut heard).await;
        assert!(heard.starts_with(b"R"), "the offer at least");
        refused
    }

    proptest! {
        /// Whatever a client sends, it is refused; nothing panics.
        #[test]
        fn no_bytes_are_a_login(
            garbage in proptest::collection::vec(any::<u8>(), 0..200),
            first in "[nyp]?(=[a-z-]*)?,(a=[a-z]*)?,(m=)?(n=)?[a-z,=]*,r=[ -~]{0,20}",
            last in "(c=[a-zA-Z0-9+/=]*,)?(r=[ -~]{0,40})?(,p=[a-zA-Z0-9+/=é]*)*",
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async {
                let users = &*USERS;
                let length = u32::try_from(first.len()).unwrap();
                let initial =
                    [b"SCRAM-SHA-256\0", &length.to_be_bytes()[..], first.as_bytes()].concat();
                check(users, &garbage, last.as_bytes()).await;
                check(users, &initial, &garbage).await;
                check(users, &initial, last.as_bytes()).await;
            });
        }
    }

    #[test]
    fn those_who_do_not_exist_look_like_some_who_do() {
        let text = |iterations: u32, salt: &str| {
            let key = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
            ScramVerifier::parse(&format!("SCRAM-SHA-256${iterations}:{salt}${key}:{key}")).unwrap()
        };
        let upstream = UpstreamIdentity {
            user: "up".into(),
            secret: None,
        };
        let all = [
            text(4096, "MTIzNDU2Nzg="),
            text(10_000, "MTIzNDU2Nzg5MDEyMzQ1Ng=="),
        ];
        let users = all
            .into_iter()
            .enumerate()
            .map(|(index, verifier)| ScramUser {
                name: index.to_string(),
                verifier,
                upstream: upstream.clone(),
            });
        let users = ScramUsers::new(users.collect(), None).unwrap();
        let mut costs = std::collections::BTreeSet::new();
        for name in 0..100 {
            let stand_in = users.stand_in(&name.to_string());
            assert_eq!(stand_in, users.stand_in(&name.to_string()));
            costs.insert(stand_in.iterations());
        }
        assert_eq!(costs.into_iter().collect::<Vec<_>>(), [4096, 10_000]);
        let nobody = ScramUsers::new(Vec::new(), None).unwrap();
        assert_eq!(nobody.stand_in("x").iterations(), 4096);
    }
}
