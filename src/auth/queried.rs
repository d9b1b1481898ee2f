//! Users whose verifiers the upstream holds: they prove themselves to pgsieve as the users of its
//! own list do, and are themselves at the upstream, by the keys of their proof, or one user for
//! all.
//!
//! Never asks for a verifier: whoever has a client proved brings it. A user that has none is put
//! through the same exchange as everybody else.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::Instant;

use super::login_secret::LoginSecret;
use super::scram_exchange::ScramExchange;
use super::scram_keys::ScramKeys;
use super::settings::{QueriedIdentity, QuerySettings, UpstreamIdentity};
use super::verifier::ScramVerifier;
use super::{AdmittedIdentity, AuthError};
use crate::limits;
use crate::net::framed_stream::FramedStream;

/// How they prove themselves.
pub struct QueriedUsers {
    settings: Arc<QuerySettings>,
    exchange: ScramExchange,
    /// The looks of verifiers that there are: those who do not exist take one of them.
    looks: Mutex<BTreeSet<VerifierLook>>,
}

/// What a client hears of a verifier: the cost, and bytes of salt.
type VerifierLook = (u32, usize);

impl QueriedUsers {
    /// `certificate_pem` is what clients under TLS bind to. Nothing is returned when the system
    /// gives no randomness.
    pub fn new(settings: QuerySettings, certificate_pem: Option<&str>) -> Option<Self> {
        Some(Self {
            settings: Arc::new(settings),
            exchange: ScramExchange::new(certificate_pem)?,
            looks: Mutex::default(),
        })
    }

    /// Those who do not exist look as they did to these.
    pub fn disguised_as(mut self, before: &Self) -> Self {
        self.exchange = self.exchange.disguised_as(&before.exchange);
        self.looks = Mutex::new(before.looks().clone());
        self
    }

    /// How verifiers are asked for.
    pub fn settings(&self) -> &Arc<QuerySettings> {
        &self.settings
    }

    /// Runs the exchange with a client that says it is `user`, whose verifier was found or not.
    ///
    /// Not to be cancelled and gone on with: the exchange would be half done.
    ///
    /// # Errors
    /// The proof is wrong, did not come in time, or the client broke the protocol.
    pub async fn admit(
        &self,
        framed: &mut FramedStream,
        (user, verifier): (&str, Option<&ScramVerifier>),
        deadline: Instant,
    ) -> Result<AdmittedIdentity<'_>, AuthError> {
        // Made for everybody, so that its making tells nothing.
        let stand_in = self.stand_in(user);
        if let Some(verifier) = verifier {
            self.note_look(verifier);
        }
        let proved = self
            .exchange
            .run(framed, (verifier, &stand_in), deadline)
            .await?;
        let identity = match &self.settings.upstream {
            QueriedIdentity::One(identity) => Cow::Borrowed(identity),
            QueriedIdentity::Itself => {
                let said = proved.transcript().zip(verifier);
                let keys = said.and_then(|(said, verifier)| ScramKeys::of_proof(verifier, said));
                let keys = keys.ok_or(AuthError::Exchange)?;
                Cow::Owned(UpstreamIdentity {
                    user: user.to_owned(),
                    secret: Some(LoginSecret::Keys(Arc::new(keys))),
                })
            }
        };
        Ok(match proved.is_bound() {
            true => AdmittedIdentity::BoundAs(identity),
            false => AdmittedIdentity::As(identity),
        })
    }

    fn note_look(&self, verifier: &ScramVerifier) {
        let look = (verifier.iterations(), verifier.salt().len());
        let mut looks = self.looks();
        if looks.len() < limits::verifiers::LOOKS_MAX {
            looks.insert(look);
        }
    }

    /// The same verifier each time for the same name, in the looks of some that there are.
    fn stand_in(&self, user: &str) -> ScramVerifier {
        let random = self.exchange.stand_in(user);
        let looks = self.looks();
        let count = u64::try_from(looks.len()).unwrap_or(u64::MAX).max(1);
        let index = usize::try_from(random.pick % count).unwrap_or_default();
        match looks.iter().nth(index) {
            Some(look) => ScramVerifier::looking_like(*look, &random.salt, random.keys),
            None => ScramVerifier::stand_in(random.salt, random.keys),
        }
    }

    fn looks(&self) -> std::sync::MutexGuard<'_, BTreeSet<VerifierLook>> {
        self.looks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for QueriedUsers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("QueriedUsers")
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::auth::function_name::FunctionName;

    #[test]
    fn those_who_do_not_exist_look_like_some_who_do() {
        let one = UpstreamIdentity {
            user: "up".into(),
            secret: None,
        };
        let settings = QuerySettings {
            function: FunctionName::parse("a.b").unwrap(),
            account: one.clone(),
            database: None,
            cache_age: Duration::ZERO,
            upstream: QueriedIdentity::One(one),
        };
        let users = QueriedUsers::new(settings.clone(), None).unwrap();
        assert_eq!(users.stand_in("x").iterations(), 4096);
        let verifier = |iterations: u32, salt: &str| {
            let key = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
            ScramVerifier::parse(&format!("SCRAM-SHA-256${iterations}:{salt}${key}:{key}")).unwrap()
        };
        users.note_look(&verifier(4096, "MTIzNDU2Nzg5MDEyMzQ1Ng=="));
        users.note_look(&verifier(10_000, "MTIzNDU2Nzg="));
        let mut looks = BTreeSet::new();
        for name in 0..100 {
            let stand_in = users.stand_in(&name.to_string());
            assert_eq!(stand_in, users.stand_in(&name.to_string()));
            looks.insert((stand_in.iterations(), stand_in.salt().len()));
        }
        assert_eq!(
            looks.into_iter().collect::<Vec<_>>(),
            [(4096, 16), (10_000, 8)]
        );
        let known = users.stand_in("ann");
        let after = QueriedUsers::new(settings, None).unwrap();
        assert_ne!(after.stand_in("ann"), known);
        assert_eq!(after.disguised_as(&users).stand_in("ann"), known);
    }
}
