//! What calls are answered with, and who calls.

use std::fmt;
use std::sync::Arc;

use tokio::time::{Instant, sleep};

use crate::choose::score::ChoiceWeights;
use crate::grounding::{GroundingFacets, GroundingFormat, GroundingWish, WholeGrounding};
use crate::limits::mcp::{CATALOG_PAUSE, CATALOG_WAIT_MAX};
use crate::server::grounding::failure::GroundingFailure;
use crate::server::grounding::request::GroundingRequest;
use crate::server::grounding::service::{GroundingPlan, GroundingService};
use crate::server::local_clients::LocalClients;
use crate::session::login::LoginContext;

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
}

/// Who calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpCaller {
    /// The user that policies see.
    pub user: String,
    /// The database.
    pub database: String,
    /// What the caller's program calls itself.
    pub application_name: String,
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
}

fn request_of(caller: &McpCaller) -> GroundingRequest {
    GroundingRequest {
        user: caller.user.clone(),
        database: Some(caller.database.clone()),
        role: None,
        policy: None,
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
