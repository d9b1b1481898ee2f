//! The session at the upstream that a login leads to: as the client itself, with its own password,
//! or as the identity that stands for it.
//!
//! Who is turned away by the policies goes the same way up to its proof, and no further.

use super::attempt::Attempt;
use super::denial::Denial;
use super::quotas::accounts::Presence;
use super::startup::Welcome;
use crate::auth::settings::UpstreamIdentity;
use crate::auth::{Admitted, AuthError, password};
use crate::gate::StartupPlan;
use crate::net::link::Link;
use crate::secret::Secret;
use crate::upstream::account::Account;
use crate::upstream::again::{Next, Tries};
use crate::upstream::login::{Asked, LoginError, LoginRequest, UpstreamSession, begin};

/// Why one try did not lead to a session.
enum Missed {
    /// For a reason of the upstream's.
    Upstream(LoginError),
    /// For any other.
    Denied(Denial),
}

impl Attempt<'_> {
    /// Opens the session at the upstream, and counts it among those of its user.
    pub(super) async fn reach(
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
            Admitted::BoundAs(identity) => {
                let presence = self.count_in(placed, &plan.user)?;
                (self.reach_as(identity, plan).await?, presence)
            }
        })
    }

    /// The reason why a client is not let in, which the policies have: told to whoever has proved
    /// who it is. Others are told what they would be told if there were no such reason.
    pub(super) async fn turn_away(
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
            Admitted::As(_) | Admitted::BoundAs(_) => denial,
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
                        let asked = password::ask(client, self.deadline).await;
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
