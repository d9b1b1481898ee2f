//! The session at the upstream that a login leads to: as the client itself, with its own password,
//! or as the identity that stands for it.
//!
//! Who is turned away by the policies goes the same way up to its proof, and no further.

use std::borrow::Cow;
use std::sync::Arc;

use tokio::time::timeout_at;

use super::attempt::LoginAttempt;
use super::error::LoginError;
use super::password_login::PasswordLogin;
use super::queried_proof::QueriedProof;
use super::reached::{ReachedUpstream, beginning_at, own_name, session_on, settings_of};
use super::startup::{AdmittedStartup, StartupAdmission, targets_of};
use crate::auth::login_secret::LoginSecret;
use crate::auth::settings::UpstreamIdentity;
use crate::auth::{AdmittedIdentity, AuthError, password_request};
use crate::gate::StartupPlan;
use crate::limits;
use crate::net::framed_stream::FramedStream;
use crate::net::framed_stream::PeerError;
use crate::policy::Policy;
use crate::secret::Secret;
use crate::session::pooling::pooled_relay::PooledLogin;
use crate::upstream::account::{UpstreamAccount, log_in_once, log_in_patiently};
use crate::upstream::connect::Upstream;
use crate::upstream::login::{
    AuthRequirement, LoginRequest, UpstreamLoginError, UpstreamSession, begin,
};
use crate::upstream::login_retry::{LoginTries, RetryDecision};
use crate::upstream::pool::connection::PooledConnection;
use crate::upstream::pool::set_values::SetValues;
use crate::upstream::pool::source::{ConnectionSource, FOLLOWED};
use crate::upstream::pool::{ConnectionPool, ConnectionPools, ConnectionWish};
use crate::upstream::servers::session_home::SessionHomes;
use crate::upstream::verify::{VerifiedSession, verify};

/// Why one try did not lead to a session.
enum LoginTryError {
    /// For a reason of the upstream's.
    Upstream(UpstreamLoginError),
    /// For any other.
    Denied(LoginError),
}

impl LoginAttempt<'_> {
    /// Opens the session at the upstream, and counts it among those of its user.
    pub(in crate::session) async fn reach(
        &self,
        client: &mut FramedStream,
        admitted: AdmittedIdentity<'_>,
        welcome: &AdmittedStartup,
    ) -> Result<ReachedUpstream, LoginError> {
        let AdmittedStartup {
            plan,
            assigned_policy,
            ..
        } = welcome;
        let identity = match &admitted {
            AdmittedIdentity::AsItself => return self.reach_alone(client, None, welcome).await,
            AdmittedIdentity::WithPassword(password) => {
                if let Some(login) = PasswordLogin::of(self)
                    && let Some(reached) = login.reach_shared(password, welcome).await?
                {
                    return Ok(reached);
                }
                return self.reach_alone(client, Some(password), welcome).await;
            }
            AdmittedIdentity::As(identity) | AdmittedIdentity::BoundAs(identity) => &**identity,
            AdmittedIdentity::Proved { identity, .. } => identity,
        };
        let counted_session = self.count_connection(assigned_policy, &plan.user)?;
        let wanted = (plan, assigned_policy.gate.policy());
        if let Some((session, pooled)) = self.reach_shared(identity, wanted).await? {
            return Ok(ReachedUpstream {
                // It was proved when it was opened.
                verified: pooled.state.base.verified.clone(),
                session,
                account: pooled.source.account().clone(),
                counted_session,
                method: self.method_of(&admitted),
                pooled: Some(Box::new(pooled)),
            });
        }
        let (mut session, account) = self.reach_as(identity, plan).await?;
        Ok(ReachedUpstream {
            verified: self.verify_own(&mut session, wanted.1).await?,
            session,
            account,
            counted_session,
            method: self.method_of(&admitted),
            pooled: None,
        })
    }

    /// Asks a client for its password, where that may be known to the upstream's pools.
    ///
    /// Not to be cancelled and gone on with: the question may be out.
    pub(super) async fn asked_for_password(
        &self,
        client: &mut FramedStream,
    ) -> Option<Result<AdmittedIdentity<'static>, LoginError>> {
        Some(PasswordLogin::of(self)?.ask(client).await)
    }

    /// Opens a session of a client's own, as which the upstream has to let it in.
    async fn reach_alone(
        &self,
        client: &mut FramedStream,
        password: Option<&Secret>,
        welcome: &AdmittedStartup,
    ) -> Result<ReachedUpstream, LoginError> {
        let (plan, assigned_policy) = (&welcome.plan, &welcome.assigned_policy);
        // The upstream has to say first whether it is this user.
        let (mut session, account) = self.reach_as_itself(client, password, plan).await?;
        let counted_session = self.count_connection(assigned_policy, &plan.user)?;
        let policy = assigned_policy.gate.policy();
        Ok(ReachedUpstream {
            verified: self.verify_own(&mut session, policy).await?,
            session,
            account,
            counted_session,
            method: self.method_of(&AdmittedIdentity::AsItself),
            pooled: None,
        })
    }

    /// Whether the client is itself at the upstream, by the keys of what it has proved here.
    pub(super) fn is_itself_upstream(&self) -> bool {
        self.caller.is_none() && self.login_settings.auth.is_itself_upstream()
    }

    /// What its proof takes of it, where the upstream has its verifier.
    pub(super) fn queried_proof(&self) -> QueriedProof<'_> {
        QueriedProof {
            login_context: self.login_context,
            servers: self.server.servers(),
            pending: self.pending,
            deadline: self.deadline,
        }
    }

    /// Proves what a session of a client's own is.
    async fn verify_own(
        &self,
        session: &mut UpstreamSession,
        policy: &Policy,
    ) -> Result<VerifiedSession, LoginError> {
        let upstream = self.server.upstream()?;
        let wanted = settings_of(policy);
        let verified = verify(session, &wanted, upstream.learned(), self.deadline).await;
        verified.map_err(LoginError::NotReadOnly)
    }

    /// Takes a connection that sessions share, where they do.
    async fn reach_shared(
        &self,
        identity: &UpstreamIdentity,
        (plan, policy): (&StartupPlan, &Policy),
    ) -> Result<Option<(UpstreamSession, PooledLogin)>, LoginError> {
        let Some(pools) = self.login_context.pools_for(&plan.database) else {
            return Ok(None);
        };
        loop {
            let error = match self.try_shared(pools, identity, (plan, policy)).await {
                Ok(Some((_, pooled))) if !self.server.keeps_shared(pooled.state.kind)? => continue,
                Ok(reached) => return Ok(reached),
                Err(error) => error,
            };
            if !self.server.moves_after_denial(&error) {
                return Err(error);
            }
        }
    }

    /// What a client wants of a pool, at the server that is chosen. It has the source of other
    /// sessions where there is a pool already: whose password is not proved yet has none.
    pub(super) fn wish_of(
        &self,
        (upstream, account): (&Arc<Upstream>, UpstreamAccount),
        (plan, policy): (&StartupPlan, &Policy),
        pool: Option<&ConnectionPool>,
    ) -> ConnectionWish {
        let asked = settings_of(policy);
        let begins = beginning_at(&self.server, upstream, (plan, &asked));
        let source = match pool {
            Some(pool) => pool.sources.of(begins, account),
            None => Arc::new(ConnectionSource::new(begins, account)),
        };
        let mut values = SetValues::default();
        if let Some(own_name) = own_name(plan) {
            values.insert(FOLLOWED, own_name);
        }
        ConnectionWish {
            source,
            base: None,
            values,
            user: plan.user.as_str().into(),
            session: self.info.id(),
            // Whoever waits in vain is told so before the login itself is over.
            until: self.deadline.checked_sub(limits::pools::LOGIN_TIME_LEFT),
        }
    }

    /// Once, at the server that is chosen.
    pub(super) async fn try_shared(
        &self,
        pools: &ConnectionPools,
        identity: &UpstreamIdentity,
        (plan, policy): (&StartupPlan, &Policy),
    ) -> Result<Option<(UpstreamSession, PooledLogin)>, LoginError> {
        let upstream = self.server.upstream()?;
        let account = UpstreamAccount::from(identity);
        let Some(pool) = pools.of(&upstream, &plan.database, &account) else {
            return Ok(None);
        };
        let wish = self.wish_of((&upstream, account), (plan, policy), Some(&pool));
        let source = Arc::clone(&wish.source);
        let taken = match pool.take_ready(&wish) {
            Some(taken) => taken,
            None => {
                let taking = timeout_at(self.deadline, Arc::clone(&pool).take(wish));
                let late = |_| LoginError::Upstream(UpstreamLoginError::Link(PeerError::TimedOut));
                taking.await.map_err(late)?.map_err(LoginError::of_pool)?
            }
        };
        let (PooledConnection { frames, state }, lease) = taken;
        let session = session_on(frames, &state, own_name(plan));
        let pooled = PooledLogin {
            pool,
            source,
            state,
            lease,
            homes: SessionHomes {
                named: plan.database.as_str().into(),
                servers: Arc::clone(self.server.servers()),
                pools: pools.clone(),
                catalogs: self.login_context.catalogs.clone(),
                compile_pools: self.login_context.compile_pools.clone(),
            },
        };
        Ok(Some((session, pooled)))
    }

    /// How an admitted client may come in. Who is turned away has proved by then who it is.
    pub(in crate::session) async fn decide(
        &self,
        client: &mut FramedStream,
        admission: StartupAdmission,
        (admitted, bare): (&mut AdmittedIdentity<'_>, &StartupPlan),
    ) -> Result<AdmittedStartup, LoginError> {
        let decided = match admission {
            StartupAdmission::Welcome(welcome) => Ok(welcome),
            StartupAdmission::Unwelcome(denial) => Err(denial),
            StartupAdmission::Undecided(undecided) => {
                let undecided = undecided.proved(admitted.attributes());
                let roles = match undecided.asks_roles(&self.login_context.policy_store) {
                    true => self.roles(client, admitted, bare).await?,
                    false => None,
                };
                undecided.decide(roles, &self.login_context.policy_store)
            }
        };
        match decided {
            Ok(welcome) => {
                self.server.narrow(targets_of(&welcome.assigned_policy))?;
                Ok(welcome)
            }
            Err(denial) => Err(self.turn_away(client, admitted, bare, denial).await),
        }
    }

    /// What the role of a client is a member of, by a snapshot of its database at any server; where
    /// there is none yet, a session that asks for nothing shows who has to load one. None where
    /// that does not help either.
    ///
    /// Whoever is proved by that session is admitted from then on.
    async fn roles(
        &self,
        client: &mut FramedStream,
        admitted: &mut AdmittedIdentity<'_>,
        bare: &StartupPlan,
    ) -> Result<Option<Vec<Box<str>>>, LoginError> {
        let role = match &*admitted {
            AdmittedIdentity::AsItself | AdmittedIdentity::WithPassword(_) => &bare.user,
            AdmittedIdentity::As(identity) | AdmittedIdentity::BoundAs(identity) => &identity.user,
            AdmittedIdentity::Proved { identity, .. } => &identity.user,
        };
        let role = role.clone();
        if let Some(known) = self
            .login_context
            .catalogs
            .roles_at_any((self.server.database(), self.server.servers()), &role)
        {
            return Ok(Some(known));
        }
        let (mut upstream, account) = match &*admitted {
            AdmittedIdentity::AsItself => self.reach_as_itself(client, None, bare).await?,
            AdmittedIdentity::WithPassword(password) => {
                self.reach_as_itself(client, Some(password), bare).await?
            }
            AdmittedIdentity::As(identity) | AdmittedIdentity::BoundAs(identity) => {
                self.reach_as(identity, bare).await?
            }
            AdmittedIdentity::Proved { identity, .. } => self.reach_as(identity, bare).await?,
        };
        let way = self.server.upstream()?;
        let verified = verify(&mut upstream, &[], way.learned(), self.deadline).await;
        verified.map_err(LoginError::NotReadOnly)?;
        let (catalogs, server) = (&self.login_context.catalogs, upstream.server.as_ref());
        let catalog_cache = catalogs.of(self.server.database(), (server, &way), account.clone());
        if let AdmittedIdentity::AsItself = admitted {
            let UpstreamAccount { user, secret } = account;
            *admitted = AdmittedIdentity::As(Cow::Owned(UpstreamIdentity { user, secret }));
        }
        let Some(catalog_cache) = catalog_cache else {
            return Ok(None);
        };
        catalog_cache.first_load(self.deadline).await;
        Ok(catalog_cache.roles(&role))
    }

    /// The reason why a client is not let in, which the policies have: told to whoever has proved
    /// who it is. Others are told what they would be told if there were no such reason.
    async fn turn_away(
        &self,
        client: &mut FramedStream,
        admitted: &AdmittedIdentity<'_>,
        bare: &StartupPlan,
        denial: LoginError,
    ) -> LoginError {
        let password = match admitted {
            AdmittedIdentity::AsItself => None,
            AdmittedIdentity::WithPassword(password) => Some(password),
            AdmittedIdentity::As(_)
            | AdmittedIdentity::BoundAs(_)
            | AdmittedIdentity::Proved { .. } => return denial,
        };
        match self.reach_as_itself(client, password, bare).await {
            Ok(_proved) => denial,
            Err(unproved) => unproved,
        }
    }

    /// Logs the client in with its own name and password, and tells what it has proved itself with.
    async fn reach_as_itself(
        &self,
        client: &mut FramedStream,
        password: Option<&Secret>,
        plan: &StartupPlan,
    ) -> Result<(UpstreamSession, UpstreamAccount), LoginError> {
        // Whatever the upstream asks for, this client could not answer; so it is not troubled.
        if !self.login_settings.auth.may_ask_password(client, self.peer) {
            return Err(LoginError::Auth(AuthError::NotPrivate));
        }
        let mut given = password.cloned().map(LoginSecret::from);
        let mut tries = LoginTries::new(self.deadline);
        loop {
            let error = match self.try_as_itself(client, plan, &mut given).await {
                Ok((session, _)) if !self.server.keeps(&session)? => continue,
                Ok((session, secret)) => {
                    let user = plan.user.clone();
                    return Ok((session, UpstreamAccount { user, secret }));
                }
                Err(LoginTryError::Denied(denial)) => return Err(denial),
                Err(LoginTryError::Upstream(error)) if self.server.moves_after(&error) => continue,
                Err(LoginTryError::Upstream(error)) => error,
            };
            match tries.wait_after(&error).await {
                RetryDecision::Try => {}
                RetryDecision::GiveUp => return Err(LoginError::of_the_client(error)),
            }
        }
    }

    /// Once. The client is asked for its password when it is needed first.
    async fn try_as_itself(
        &self,
        client: &mut FramedStream,
        plan: &StartupPlan,
        given: &mut Option<LoginSecret>,
    ) -> Result<(UpstreamSession, Option<LoginSecret>), LoginTryError> {
        let request = self.request(&plan.user, plan);
        let upstream = self.server.upstream().map_err(LoginTryError::Denied)?;
        let deadline = self.server.deadline(self.deadline);
        let (ready, proved) = match begin(&upstream, request, deadline).await? {
            // The upstream believes pgsieve's host, socket or certificate. That trust is lent only
            // to those who could have had it themselves: processes on this host.
            AuthRequirement::Nothing(ready) if self.peer.is_local() => (ready, None),
            AuthRequirement::Nothing(_) => {
                return Err(LoginTryError::Denied(LoginError::UpstreamTrustsUs));
            }
            AuthRequirement::Password(question) => {
                let given = match given {
                    Some(given) => given,
                    None => {
                        self.pending.await_client();
                        let asked = password_request::request_password(client, self.deadline).await;
                        self.pending.stop_waiting();
                        let asked =
                            asked.map_err(|error| LoginTryError::Denied(LoginError::Auth(error)));
                        given.insert(asked?.into())
                    }
                };
                // The client has taken its time meanwhile.
                let deadline = self.server.deadline(self.deadline);
                let ready = question.answer(&plan.user, given, deadline).await?;
                (ready, Some(given.clone()))
            }
        };
        let deadline = self.server.deadline(self.deadline);
        Ok((ready.finish(deadline).await?, proved))
    }

    fn request<'a>(&'a self, user: &'a str, plan: &'a StartupPlan) -> LoginRequest<'a> {
        LoginRequest {
            user,
            database: self.server.database(),
            parameters: &plan.parameters,
        }
    }

    /// Logs in as the identity that stands for the client.
    async fn reach_as(
        &self,
        identity: &UpstreamIdentity,
        plan: &StartupPlan,
    ) -> Result<(UpstreamSession, UpstreamAccount), LoginError> {
        let UpstreamIdentity { user, secret } = identity;
        let request = self.request(user, plan);
        let whose = (user.as_str(), secret.as_ref());
        let session = loop {
            let upstream = self.server.upstream()?;
            let deadline = self.server.deadline(self.deadline);
            let session = match self.server.has_other() {
                true => log_in_once(&upstream, whose, request, deadline).await,
                false => log_in_patiently(&upstream, whose, request, self.deadline).await,
            };
            match session {
                Ok((session, _)) if self.server.keeps(&session)? => break session,
                Ok(_elsewhere) => {}
                Err(error) if self.server.moves_after(&error) => {}
                Err(error) => return Err(LoginError::of_ours(error)),
            }
        };
        Ok((session, UpstreamAccount::from(identity)))
    }
}

impl From<UpstreamLoginError> for LoginTryError {
    fn from(error: UpstreamLoginError) -> Self {
        Self::Upstream(error)
    }
}
