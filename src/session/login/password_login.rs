//! A client that is itself at the upstream, by a password that the upstream has to accept: where it
//! has done so a short while ago, the client shares the connections of that password.
//!
//! The password is asked for first, from everybody alike. One that is wrong goes to the upstream
//! each time, whether there is such a user or not: nothing is told by how long that takes.

use std::time::Duration;

use tokio::time::timeout_at;

use super::attempt::LoginAttempt;
use super::error::LoginError;
use super::reached::ReachedUpstream;
use super::startup::AdmittedStartup;
use crate::auth::login_secret::LoginSecret;
use crate::auth::settings::UpstreamIdentity;
use crate::auth::{AdmittedIdentity, AuthError, password_request};
use crate::net::framed_stream::{FramedStream, PeerError};
use crate::secret::Secret;
use crate::telemetry::labels::LoginMethod;
use crate::upstream::account::UpstreamAccount;
use crate::upstream::login::UpstreamLoginError;
use crate::upstream::pool::ConnectionPools;
use crate::upstream::pool::password_proof::PasswordCheck;

/// What such a login takes.
pub(super) struct PasswordLogin<'l, 'd> {
    attempt: &'l LoginAttempt<'d>,
    pools: &'l ConnectionPools,
    /// How long a password is accepted without asking the upstream again.
    cache_age: Duration,
}

impl<'l, 'd> PasswordLogin<'l, 'd> {
    /// Of a login, where clients log in so and share connections.
    pub(super) fn of(attempt: &'l LoginAttempt<'d>) -> Option<Self> {
        let cache_age = attempt.login_settings.auth.password_cache_age()?;
        let pools = attempt.login_context.pools_for(attempt.info.database())?;
        Some(Self {
            attempt,
            pools,
            cache_age,
        })
    }

    /// Asks the client for its password.
    ///
    /// Not to be cancelled and gone on with: the question may be out.
    pub(super) async fn ask(
        &self,
        client: &mut FramedStream,
    ) -> Result<AdmittedIdentity<'static>, LoginError> {
        let attempt = self.attempt;
        let auth = &attempt.login_settings.auth;
        if !auth.may_ask_password(client, attempt.peer) {
            return Err(LoginError::Auth(AuthError::NotPrivate));
        }
        attempt.pending.await_client();
        let asked = password_request::request_password(client, attempt.deadline).await;
        attempt.pending.stop_waiting();
        let password = asked.map_err(LoginError::Auth)?;
        Ok(AdmittedIdentity::WithPassword(password))
    }

    /// A connection that sessions with this password share; none where it is to have its own: the
    /// upstream asks for no password, so that none would be proved, or there are too many pools.
    ///
    /// May be cancelled: the connection is dropped.
    pub(super) async fn reach_shared(
        &self,
        password: &Secret,
        welcome: &AdmittedStartup,
    ) -> Result<Option<ReachedUpstream>, LoginError> {
        let server = &self.attempt.server;
        let identity = UpstreamIdentity {
            user: welcome.plan.user.clone(),
            secret: Some(LoginSecret::Password(password.clone())),
        };
        // Each round is at a server that was not tried yet.
        loop {
            let error = match self.try_shared(&identity, welcome).await {
                Ok(Some(reached)) => {
                    let kind = reached.pooled.as_ref().and_then(|pooled| pooled.state.kind);
                    match server.keeps_shared(kind)? {
                        true => return Ok(Some(reached)),
                        false => continue,
                    }
                }
                Ok(None) => return Ok(None),
                Err(error) => error,
            };
            if !server.moves_after_denial(&error) {
                return Err(error);
            }
        }
    }

    /// Once, at the server that is chosen.
    async fn try_shared(
        &self,
        identity: &UpstreamIdentity,
        welcome: &AdmittedStartup,
    ) -> Result<Option<ReachedUpstream>, LoginError> {
        let attempt = self.attempt;
        let (plan, assigned_policy) = (&welcome.plan, &welcome.assigned_policy);
        let wanted = (plan, assigned_policy.gate.policy());
        let upstream = attempt.server.upstream()?;
        let account = UpstreamAccount::from(identity);
        // Whether it is this account is not known yet: it has no pool before that.
        let wish = attempt.wish_of((&upstream, account), wanted, None);
        let at = (&upstream, &**attempt.server.servers());
        let checking = self
            .pools
            .check_password(at, &plan.database, &wish, self.cache_age);
        let late = |_| LoginError::Upstream(UpstreamLoginError::Link(PeerError::TimedOut));
        let checked = timeout_at(attempt.deadline, checking).await.map_err(late)?;
        let method = match checked.map_err(LoginError::of_password)? {
            PasswordCheck::Accepted => LoginMethod::Passthrough,
            PasswordCheck::Known => LoginMethod::PassthroughCached,
            PasswordCheck::NotAsked | PasswordCheck::NoRoom => return Ok(None),
        };
        let counted_session = attempt.count_connection(assigned_policy, &plan.user)?;
        let taken = attempt.try_shared(self.pools, identity, wanted).await;
        let taken = taken.map_err(|error| match error {
            // It is the client's own identity.
            LoginError::IdentityRefused(error) => LoginError::of_the_client(error),
            other => other,
        })?;
        Ok(taken.map(|(session, pooled)| ReachedUpstream {
            // It was proved when it was opened.
            verified: pooled.state.base.verified.clone(),
            session,
            account: pooled.source.account().clone(),
            counted_session,
            method,
            pooled: Some(Box::new(pooled)),
        }))
    }
}
