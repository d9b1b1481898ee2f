//! What calls are answered with, and who calls.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};

use super::bearer_grant::BearerGrant;
use crate::auth::login_secret::LoginSecret;
use crate::auth::settings::UpstreamIdentity;
use crate::choose::score::ChoiceWeights;
use crate::grounding::{GroundingFacets, GroundingFormat, GroundingWish, WholeGrounding};
use crate::limits::mcp::{CATALOG_PAUSE, CATALOG_WAIT_MAX};
use crate::server::grounding::failure::GroundingFailure;
use crate::server::grounding::request::GroundingRequest;
use crate::server::grounding::service::{GroundingPlan, GroundingService};
use crate::server::local_clients::LocalClients;
use crate::session::login::login_settings::AdmissionProof;
use crate::session::login::{AdmittedCaller, LoginContext};
use crate::upstream::account::UpstreamAccount;

/// What calls are answered with. Cheap to clone.
#[derive(Clone)]
pub struct McpServices {
    /// What logins need.
    pub login_context: Arc<LoginContext>,
    /// Groundings.
    pub groundings: GroundingService,
    /// The way to sessions of this process.
    pub local_clients: LocalClients,
    /// What points are given for where candidates are put in order.
    pub weights: ChoiceWeights,
    /// Places of calls that do so.
    pub choices: Arc<Semaphore>,
}

/// Who calls.
#[derive(Clone, Debug)]
pub struct McpCaller {
    /// The user that policies see.
    pub user: String,
    /// The database.
    pub database: String,
    /// What the caller's program calls itself.
    pub application_name: String,
    /// What it has proved to be; none where it has started this process.
    pub admitted: Option<Arc<AdmittedCaller>>,
    /// Where it comes from, where that is another process.
    pub from: Option<SocketAddr>,
}

/// What is known of a caller that may differ from request to request of one session, and that a
/// policy may be for: what was read for one is told to no other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestOrigin {
    address: Option<IpAddr>,
    application_name: String,
}

impl McpCaller {
    /// Where it comes from, and what its program calls itself.
    pub fn origin(&self) -> RequestOrigin {
        RequestOrigin {
            address: self.from.map(|from| from.ip().to_canonical()),
            application_name: self.application_name.clone(),
        }
    }

    /// Whoever has a token.
    pub fn of_bearer(services: &McpServices, grant: &BearerGrant) -> Self {
        let context = &services.login_context;
        let upstream = context.directory.own().first().settings();
        let role = grant.role.as_ref().or(upstream.user.as_ref());
        let role = role.unwrap_or(&grant.user);
        let settings = context.login_settings.now();
        let mut identities = settings.auth.identities().into_iter();
        let own = identities.find(|one| one.user == *role && one.secret.is_some());
        let of_address = || match upstream.user.as_ref() == Some(role) {
            true => upstream.password.clone().map(LoginSecret::from),
            false => None,
        };
        let database = grant.database.as_ref().or(upstream.database.as_ref());
        Self {
            user: grant.user.clone(),
            database: database.unwrap_or(role).clone(),
            application_name: UNNAMED.to_owned(),
            admitted: Some(Arc::new(AdmittedCaller {
                identity: UpstreamIdentity {
                    user: role.clone(),
                    secret: own.map_or_else(of_address, |own| own.secret.clone()),
                },
                policy: grant.policy.as_deref().map(Box::from),
                claims: grant.claims.clone(),
                method: grant.method,
                ends: grant.sessions_end(),
            })),
            from: None,
        }
    }

    /// Whoever has started this process.
    pub fn of_this_process(user: String, database: String) -> Self {
        Self {
            user,
            database,
            application_name: UNNAMED.to_owned(),
            admitted: None,
            from: None,
        }
    }
}

impl McpServices {
    /// What a caller may read, whole.
    ///
    /// # Errors
    /// The database cannot be read in time.
    pub async fn grounding(
        &self,
        caller: &McpCaller,
    ) -> Result<Arc<WholeGrounding>, GroundingFailure> {
        self.session_plan(caller).await?;
        let asked = self.groundings.answer(&request_of(caller)).await?;
        Ok(asked.whole)
    }

    /// Whose session a caller has, under which policy; waits for a catalog that is loaded for the
    /// first time.
    ///
    /// # Errors
    /// There is no such session, or the database cannot be told of in time.
    pub async fn session_plan(
        &self,
        caller: &McpCaller,
    ) -> Result<GroundingPlan, GroundingFailure> {
        let deadline = Instant::now() + CATALOG_WAIT_MAX;
        loop {
            match self.session_plan_now(caller) {
                Err(failure) if failure.is_of_the_moment() && Instant::now() < deadline => {
                    sleep(CATALOG_PAUSE).await;
                }
                planned => return planned,
            }
        }
    }

    /// The same, without a wait.
    ///
    /// # Errors
    /// There is no such session, or the database cannot be told of now.
    pub fn session_plan_now(&self, caller: &McpCaller) -> Result<GroundingPlan, GroundingFailure> {
        self.groundings.plan(&request_of(caller))
    }

    /// Who logs in at the upstream for a caller, as in its sessions; none where nobody is known.
    pub fn account(&self, caller: &McpCaller) -> Option<UpstreamAccount> {
        let settings = self.login_context.login_settings.now();
        let identity = match &caller.admitted {
            Some(admitted) => admitted.identity.clone(),
            None => settings.auth.identities().into_iter().next()?.clone(),
        };
        Some(UpstreamAccount {
            user: identity.user,
            secret: identity.secret,
        })
    }
}

/// What a client is called that does not say.
const UNNAMED: &str = "mcp";

fn request_of(caller: &McpCaller) -> GroundingRequest {
    let admitted = caller.admitted.as_deref();
    GroundingRequest {
        user: caller.user.clone(),
        application_name: caller.application_name.clone(),
        client_address: caller.from.map(|from| from.ip().to_canonical()),
        database: Some(caller.database.clone()),
        role: admitted.map(|admitted| admitted.identity.user.clone()),
        policy: admitted.and_then(|admitted| admitted.policy.as_deref().map(str::to_owned)),
        admission: match admitted {
            Some(_) => AdmissionProof::McpToken,
            None => AdmissionProof::Name,
        },
        claims: admitted
            .map(|admitted| admitted.claims.clone())
            .unwrap_or_default(),
        facets: GroundingFacets::default(),
        wish: GroundingWish {
            question: None,
            budget: None,
            format: GroundingFormat::Markdown,
        },
    }
}

impl fmt::Debug for McpServices {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("McpServices")
    }
}
