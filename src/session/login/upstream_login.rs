//! The session at the upstream that a login leads to: as the client itself, with its own password,
//! or as the identity that stands for it.
//!
//! Who is turned away by the policies goes the same way up to its proof, and no further.

use std::borrow::Cow;

use super::attempt::Attempt;
use super::error::Denial;
use super::startup::{Standing, Welcome};
use crate::auth::settings::UpstreamIdentity;
use crate::auth::{Admitted, AuthError, password_request};
use crate::gate::StartupPlan;
use crate::net::framed_stream::Link;
use crate::secret::Secret;
use crate::session::policy_limits::per_user::Presence;
use crate::upstream::account::Account;
use crate::upstream::login::{Asked, LoginError, LoginRequest, UpstreamSession, begin};
use crate::upstream::login_retry::{Next, Tries};
use crate::upstream::verify::verify;

/// Why one try did not lead to a session.
enum Missed {
    /// For a reason of the upstream's.
    Upstream(LoginError),
    /// For any other.
    Denied(Denial),
}

impl Attempt<'_> {
    /// Opens the session at the upstream, and counts it among those of its user.
    pub(in crate::session) async fn reach(
        &self,
        client: &mut Link,
        admitted: Admitted<'_>,
        welcome: &Welcome,
    ) -> Result<((UpstreamSession, Account), Presence), Denial> {
        let Welcome { plan, placed, .. } = welcome;
        Ok(match &admitted {
            // The upstream has to say first whether it is this user.
            Admitted::AsItself => {
                let reached = self.reach_as_itself(client, plan).await?;
                (reached, self.count_in(placed, &plan.user)?)
            }
            Admitted::As(identity) => {
                let presence = self.count_in(placed, &plan.user)?;
                (self.reach_as(identity, plan).await?, presence)
            }
            Admitted::BoundAs(identity) | Admitted::Proved { identity, .. } => {
                let presence = self.count_in(placed, &plan.user)?;
                (self.reach_as(identity, plan).await?, presence)
            }
        })
    }

    /// How an admitted client may come in. Who is turned away has proved by then who it is.
    pub(in crate::session) async fn decide(
        &self,
        client: &mut Link,
        standing: Standing,
        (admitted, bare): (&mut Admitted<'_>, &StartupPlan),
    ) -> Result<Welcome, Denial> {
        let decided = match standing {
            Standing::Welcome(welcome) => Ok(welcome),
            Standing::Unwelcome(denial) => Err(denial),
            Standing::Undecided(undecided) => {
                let undecided = undecided.proved(admitted.attributes());
                let roles = match undecided.asks_roles(&self.desk.regime) {
                    true => self.roles(client, admitted, bare).await?,
                    false => None,
                };
                undecided.decide(roles, &self.desk.regime)
            }
        };
        match decided {
            Ok(welcome) => Ok(welcome),
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
        client: &mut Link,
        admitted: &mut Admitted<'_>,
        bare: &StartupPlan,
    ) -> Result<Option<Vec<Box<str>>>, Denial> {
        let role = match &*admitted {
            Admitted::AsItself => &bare.user,
            Admitted::As(identity) => &identity.user,
            Admitted::BoundAs(identity) | Admitted::Proved { identity, .. } => &identity.user,
        };
        let role = role.clone();
        if let Some(known) = self.desk.catalogs.roles_at_any(&bare.database, &role) {
            return Ok(Some(known));
        }
        let (mut upstream, account) = match &*admitted {
            Admitted::AsItself => self.reach_as_itself(client, bare).await?,
            Admitted::As(identity) => self.reach_as(identity, bare).await?,
            Admitted::BoundAs(identity) | Admitted::Proved { identity, .. } => {
                self.reach_as(identity, bare).await?
            }
        };
        let reticence = self.desk.upstream.reticence();
        let verified = verify(&mut upstream, &[], reticence, self.deadline).await;
        verified.map_err(Denial::NotReadOnly)?;
        let (catalogs, server) = (&self.desk.catalogs, upstream.server.as_ref());
        let keeper = catalogs.of(&bare.database, server, account.clone());
        if let Admitted::AsItself = admitted {
            let Account { user, password } = account;
            *admitted = Admitted::As(Cow::Owned(UpstreamIdentity { user, password }));
        }
        let Some(keeper) = keeper else {
            return Ok(None);
        };
        keeper.first_load(self.deadline).await;
        Ok(keeper.roles(&role))
    }

    /// The reason why a client is not let in, which the policies have: told to whoever has proved
    /// who it is. Others are told what they would be told if there were no such reason.
    async fn turn_away(
        &self,
        client: &mut Link,
        admitted: &Admitted<'_>,
        bare: &StartupPlan,
        denial: Denial,
    ) -> Denial {
        match admitted {
            Admitted::AsItself => match self.reach_as_itself(client, bare).await {
                Ok(_proved) => denial,
                Err(unproved) => unproved,
            },
            Admitted::As(_) | Admitted::BoundAs(_) | Admitted::Proved { .. } => denial,
        }
    }

    /// Logs the client in with its own name and password.
    async fn reach_as_itself(
        &self,
        client: &mut Link,
        plan: &StartupPlan,
    ) -> Result<(UpstreamSession, Account), Denial> {
        // Whatever the upstream asks for, this client could not answer; so it is not troubled.
        if !self.entrance.auth.may_ask_password(client, self.peer) {
            return Err(Denial::Auth(AuthError::NotPrivate));
        }
        let mut password = None;
        let mut tries = Tries::new(self.deadline);
        loop {
            let error = match self.try_as_itself(client, plan, &mut password).await {
                Ok(session) => {
                    let user = plan.user.clone();
                    return Ok((session, Account { user, password }));
                }
                Err(Missed::Denied(denial)) => return Err(denial),
                Err(Missed::Upstream(error)) => error,
            };
            match tries.after(&error).await {
                Next::Try => {}
                Next::GiveUp => return Err(Denial::of_the_client(error)),
            }
        }
    }

    /// Once. The client is asked for its password when it is needed first.
    async fn try_as_itself(
        &self,
        client: &mut Link,
        plan: &StartupPlan,
        password: &mut Option<Secret>,
    ) -> Result<UpstreamSession, Missed> {
        let request = request(&plan.user, plan);
        let ready = match begin(&self.desk.upstream, request, self.deadline).await? {
            // The upstream believes pgsieve's host, socket or certificate. That trust is lent only
            // to those who could have had it themselves: processes on this host.
            Asked::Nothing(ready) if self.peer.is_local() => ready,
            Asked::Nothing(_) => return Err(Missed::Denied(Denial::UpstreamTrustsUs)),
            Asked::Password(question) => {
                let given = match password {
                    Some(given) => given,
                    None => {
                        self.pending.await_client();
                        let asked = password_request::ask(client, self.deadline).await;
                        self.pending.heard();
                        let given = asked.map_err(|error| Missed::Denied(Denial::Auth(error)));
                        password.insert(given?)
                    }
                };
                question.answer(&plan.user, given, self.deadline).await?
            }
        };
        Ok(ready.finish(self.deadline).await?)
    }

    /// Logs in as the identity that stands for the client.
    async fn reach_as(
        &self,
        identity: &UpstreamIdentity,
        plan: &StartupPlan,
    ) -> Result<(UpstreamSession, Account), Denial> {
        let mut tries = Tries::new(self.deadline);
        loop {
            let error = match self.try_as(identity, plan).await {
                Ok(session) => {
                    let UpstreamIdentity { user, password } = identity.clone();
                    return Ok((session, Account { user, password }));
                }
                Err(error) => error,
            };
            match tries.after(&error).await {
                Next::Try => {}
                Next::GiveUp => return Err(Denial::of_ours(error)),
            }
        }
    }

    /// Once.
    async fn try_as(
        &self,
        identity: &UpstreamIdentity,
        plan: &StartupPlan,
    ) -> Result<UpstreamSession, LoginError> {
        let request = request(&identity.user, plan);
        let asked = begin(&self.desk.upstream, request, self.deadline).await?;
        let ready = match (asked, &identity.password) {
            (Asked::Nothing(ready), _) => ready,
            (Asked::Password(_), None) => return Err(LoginError::NoPassword),
            (Asked::Password(question), Some(password)) => {
                question
                    .answer(&identity.user, password, self.deadline)
                    .await?
            }
        };
        ready.finish(self.deadline).await
    }
}

impl From<LoginError> for Missed {
    fn from(error: LoginError) -> Self {
        Self::Upstream(error)
    }
}

fn request<'a>(user: &'a str, plan: &'a StartupPlan) -> LoginRequest<'a> {
    LoginRequest {
        user,
        database: &plan.database,
        parameters: &plan.parameters,
    }
}
