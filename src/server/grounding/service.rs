//! Groundings of a running pgsieve: made of the snapshots that its sessions are judged by, under
//! the policies that hold.
//!
//! What is made is kept with the snapshot, and questions about it share its index. What no
//! snapshot has (comments, labels, estimates) is read for each request; where it is the same as
//! before, so is the grounding.

use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout};

use super::failure::GroundingFailure;
use super::grounded_session::GroundedSession;
use super::people::CurrentPeople;
use super::reading::GroundingLogin;
use super::request::GroundingRequest;
use crate::grounding::{
    CatalogDetails, GroundingFacet, GroundingFacets, GroundingFormat, GroundingWish, WholeGrounding,
};
use crate::limits;
use crate::limits::served_groundings;
use crate::offline::assumptions::{AssumedDatabase, AssumedSession, LoginRoles};
use crate::offline::judge::OfflineJudge;
use crate::policy::{Placement, Policy, PolicySet};
use crate::session::login::LoginContext;
use crate::session::login::login_settings::AdmissionProof;
use crate::session::policy_store::now;
use crate::session::registry::StoodGrounding;
use crate::upstream::account::UpstreamAccount;
use crate::upstream::catalog_cache::groundings::{GivenGrounding, GroundingBasis, GroundingKey};
use crate::upstream::catalog_cache::{GroundableDatabase, UngroundableDatabase};
use crate::upstream::snapshot;

/// Makes groundings. Cheap to clone.
#[derive(Clone)]
pub struct GroundingService {
    login_context: Arc<LoginContext>,
    people: Arc<CurrentPeople>,
    room: Arc<Semaphore>,
}

/// A grounding that was asked for.
pub struct AskedGrounding {
    /// It.
    pub whole: Arc<WholeGrounding>,
    /// What of it is to be told later on, should it change.
    pub given: Arc<GivenGrounding>,
}

/// Whose grounding is made, of what.
pub struct GroundingPlan {
    /// The database as sessions are judged by it.
    database: GroundableDatabase,
    /// The same, as it is assumed where there is no session.
    pub world: AssumedDatabase,
    /// Whose session it is.
    pub who: AssumedSession,
    /// The policy that it is under.
    pub policy: Arc<Policy>,
    facets: GroundingFacets,
    key: GroundingKey,
}

impl GroundingService {
    /// Over what logins have, for these people.
    pub fn new(login_context: Arc<LoginContext>, people: Arc<CurrentPeople>) -> Self {
        Self {
            login_context,
            people,
            room: Arc::new(Semaphore::new(served_groundings::AT_ONCE_MAX)),
        }
    }

    /// What a session may read that a request names. It is made to its end and kept also where
    /// whoever asked does not wait for it.
    ///
    /// # Errors
    /// What the request names is not there, or the database cannot be read in time.
    pub async fn answer(
        &self,
        request: &GroundingRequest,
    ) -> Result<AskedGrounding, GroundingFailure> {
        let plan = self.plan(request)?;
        let own = self.clone();
        let making = tokio::spawn(async move { own.make(plan).await });
        let made = timeout(served_groundings::ANSWER_WAIT, making).await;
        let made = made.map_err(|_late| GroundingFailure::TakesLong)?;
        made.map_err(|_panic| GroundingFailure::Internal)?
    }

    /// Whose session it is, under which policy, and that there is such a one.
    ///
    /// # Errors
    /// What the request names is not there, or the database cannot be told of now.
    pub fn plan(&self, request: &GroundingRequest) -> Result<GroundingPlan, GroundingFailure> {
        let GroundingRequest { user, role, .. } = request;
        let asked = request.database.as_deref();
        let LoginContext {
            catalogs,
            directory,
            ..
        } = &*self.login_context;
        let database = catalogs.groundable(asked, directory);
        let database = database.map_err(|why| {
            GroundingFailure::Ungroundable(why, asked.unwrap_or_default().to_owned())
        })?;
        if !self
            .login_context
            .login_settings
            .now()
            .still_admits(user, &request.admission)
        {
            let words = format!("no user {user:?} may log in");
            return Err(GroundingFailure::Missing(words));
        }
        let people = self.people.now();
        let catalog = Arc::clone(database.policy_effects.catalog());
        let mut who = AssumedSession {
            user: user.clone(),
            role: role.clone(),
            claims: request.claims.clone(),
            application_name: request.application_name.clone(),
            client_address: request.client_address,
            ..AssumedSession::default()
        };
        // Who logs in as nobody else has the role of that name, or no session.
        if who.role.is_none() && people.roles == LoginRoles::Own {
            who.role = Some(user.clone());
        }
        let world = AssumedDatabase {
            catalog: Some(Arc::clone(&catalog)),
            account: database.account.user.clone(),
            database: database.database().to_owned(),
            roles: people.roles.clone(),
            attributes: people.attributes.clone(),
        };
        let role = world.role_of(&who).to_owned();
        if catalog.role_named(&role).is_none() {
            let words = format!("the database has no role {role:?}");
            return Err(GroundingFailure::Missing(words));
        }
        let set = self.login_context.policy_store.live().current();
        let policy = policy_of(&set, request.policy.as_deref(), &world, &who)?;
        let key = GroundingKey {
            user: user.clone(),
            role,
            policy: policy.name().to_owned(),
            facets: request.facets.to_string(),
            is_of_token: request.admission == AdmissionProof::McpToken,
            claims: request.claims.clone(),
        };
        Ok(GroundingPlan {
            database,
            world,
            who,
            policy,
            facets: request.facets.clone(),
            key,
        })
    }

    /// What sessions stand on whose clients say so.
    pub fn stood_on(&self) -> Vec<StoodGrounding> {
        self.login_context.session_registry.groundings()
    }

    /// The version of each database that was given out last.
    pub fn latest(&self) -> Vec<(String, Arc<GivenGrounding>)> {
        self.login_context.catalogs.latest_groundings()
    }

    /// Holds a version that was given out against what is true now, where that may be something
    /// else since the last time. Says whether the database was there to answer. May be cancelled.
    pub async fn check(&self, database: &str, given: &GivenGrounding) -> bool {
        let GroundingKey {
            user,
            role,
            policy,
            facets,
            is_of_token,
            claims,
        } = &given.key;
        let request = GroundingRequest {
            user: user.clone(),
            application_name: String::new(),
            client_address: None,
            database: Some(database.to_owned()),
            role: Some(role.clone()),
            policy: Some(policy.clone()),
            admission: match *is_of_token {
                true => AdmissionProof::McpToken,
                false => AdmissionProof::Name,
            },
            claims: claims.clone(),
            facets: GroundingFacets::read(facets).unwrap_or_default(),
            wish: GroundingWish {
                question: None,
                budget: None,
                format: GroundingFormat::Json,
            },
        };
        let plan = match self.plan(&request) {
            Ok(plan) => plan,
            Err(GroundingFailure::Missing(_)) => {
                given.end();
                return true;
            }
            Err(_) => return false,
        };
        let basis = plan.basis();
        if given.is_checked_by(basis) {
            return true;
        }
        let whole = self.whole(plan).await;
        if let Ok((whole, _)) = &whole {
            given.check(basis, whole);
        }
        whole.is_ok()
    }

    async fn make(&self, plan: GroundingPlan) -> Result<AskedGrounding, GroundingFailure> {
        let basis = plan.basis();
        let (whole, plan) = self.whole(plan).await?;
        let given = plan.database.groundings().give(&plan.key, basis, &whole);
        Ok(AskedGrounding { whole, given })
    }

    /// The whole grounding: the one that is kept, or a new one.
    async fn whole(
        &self,
        plan: GroundingPlan,
    ) -> Result<(Arc<WholeGrounding>, GroundingPlan), GroundingFailure> {
        let room = Arc::clone(&self.room).acquire_owned();
        let room = timeout(served_groundings::ANSWER_WAIT, room).await;
        let Ok(Ok(_room)) = room else {
            return Err(GroundingFailure::Busy);
        };
        let basis = plan.basis();
        let read = self.read_details(&plan).await?;
        let details = plan.database.groundings().shared_details(read);
        // Samples are of this moment.
        let is_lasting = !plan.facets.has(GroundingFacet::Samples);
        let kept = plan.database.groundings().kept(&plan.key, basis, &details);
        if let Some(whole) = kept.filter(|_| is_lasting) {
            return Ok((whole, plan));
        }
        let login = self.login(&plan);
        let read = Arc::clone(&details);
        // Judging a statement for each relation is no work for the thread that answers
        // probes.
        let made = spawn_blocking(move || (plan.ground(login, &read), plan)).await;
        let (made, plan) = made.map_err(|_panic| GroundingFailure::Internal)?;
        let whole = Arc::new(made?);
        if is_lasting {
            let groundings = plan.database.groundings();
            groundings.keep(&plan.key, basis, details, &whole);
        }
        Ok((whole, plan))
    }

    /// What no snapshot has.
    async fn read_details(&self, plan: &GroundingPlan) -> Result<CatalogDetails, GroundingFailure> {
        let GroundableDatabase {
            account,
            server,
            upstream,
            ..
        } = &plan.database;
        let name = plan.database.database();
        let opened = snapshot::connect_hearing(upstream, account, name, Arc::default()).await;
        let unread = GroundingFailure::Unread("the database's catalog cannot be read");
        let Ok((client, _task, at)) = opened else {
            return Err(unread);
        };
        let is_other = |own: &crate::upstream::identity::ServerIdentity| {
            at.as_ref().is_none_or(|at| !at.is_same(own))
        };
        if server.as_ref().is_some_and(is_other) {
            let words = "another server answers than the one whose catalog is known";
            return Err(GroundingFailure::Unread(words));
        }
        let statistics = plan.facets.has(GroundingFacet::Statistics);
        let loading = snapshot::load_details(&client, statistics);
        match timeout(limits::CATALOG_LOAD_TIME_MAX, loading).await {
            Ok(loaded) => loaded.map_err(|_error| unread),
            Err(_late) => Err(GroundingFailure::TakesLong),
        }
    }

    /// Who asks the database in such a session: the role itself, where the settings have a password
    /// of it, else who reads catalogs.
    pub fn login(&self, plan: &GroundingPlan) -> GroundingLogin {
        let settings = self.login_context.login_settings.now();
        let identities = settings.auth.identities().into_iter();
        let mut own = identities.filter(|one| one.user == plan.key.role && one.secret.is_some());
        let account = own.next().map(UpstreamAccount::from);
        GroundingLogin {
            runtime: Handle::current(),
            upstream: Arc::clone(&plan.database.upstream),
            account: account.unwrap_or_else(|| plan.database.account.clone()),
            database: plan.database.database().to_owned(),
            server: plan.database.server,
            ends: Some(Instant::now() + served_groundings::MAKING_TIME_MAX),
        }
    }
}

impl GroundingPlan {
    /// What a grounding of it is made of.
    pub fn basis(&self) -> GroundingBasis {
        GroundingBasis {
            catalog: self.database.policy_effects.catalog().version(),
            policy: self.policy.version_number(),
        }
    }

    /// What judges such a session.
    ///
    /// # Errors
    /// The policy holds since a moment ago, and has not seen the database yet.
    pub fn judge(&self) -> Result<OfflineJudge, GroundingFailure> {
        let version = self.policy.version_number();
        let Some(effect_graph) = self.database.policy_effects.effects(version) else {
            let why = UngroundableDatabase::NotLoaded;
            return Err(GroundingFailure::Ungroundable(why, String::new()));
        };
        let effect_graph = Some(Arc::clone(effect_graph));
        Ok(OfflineJudge::with_effect_graph(&self.policy, effect_graph))
    }

    /// Makes it. Waits for the database.
    fn ground(
        &self,
        login: GroundingLogin,
        details: &CatalogDetails,
    ) -> Result<WholeGrounding, GroundingFailure> {
        let judge = self.judge()?;
        let session = GroundedSession {
            policy: &self.policy,
            world: &self.world,
            who: &self.who,
            details,
            facets: &self.facets,
            wanted: &[],
        };
        Ok(WholeGrounding::new(session.ground(judge, login)?))
    }
}

/// The policy of that name, or the one that such a session gets.
fn policy_of(
    set: &PolicySet,
    named: Option<&str>,
    world: &AssumedDatabase,
    who: &AssumedSession,
) -> Result<Arc<Policy>, GroundingFailure> {
    let missing = |words: String| Err(GroundingFailure::Missing(words));
    if let Some(name) = named {
        let mut all = set.all().iter();
        return match all.find(|policy| policy.name() == name) {
            Some(policy) => Ok(Arc::clone(policy)),
            None => missing(format!("there is no policy {name:?}")),
        };
    }
    match set.choose(&world.traits_of(who), now()) {
        Placement::Policy(policy) => Ok(Arc::clone(policy)),
        Placement::Nothing | Placement::Untold => missing(
            "no policy is for such a session, as far as a request can say: its login would be \
             refused; policy names another"
                .to_owned(),
        ),
    }
}
