//! Examines the database behind: what the role of pgsieve could do there were the gate absent.
//!
//! Asks only the catalogs, in a session that is made and proved as pgsieve makes its own. Writes
//! nothing, calls nothing with an effect, runs nothing of what it proposes. Where the role may not
//! look, it says so and goes on.
//!
//! * `check`: what is looked for; `finding`: what was found, and what would fix it
//! * `session`: the connection, and what its making tells; `context`: the role, the roles in its
//!   reach, and how questions are asked; `sql_names`: how names are written
//! * `server`, `role_attributes`, `ownership`, `write_privileges`, `functions`, `external_access`,
//!   `large_objects`, `role_settings`: the checks; `grants`: how rights are read and taken away
//! * `login_roles`: who may log in, for warnings about settings; `verifier_function`: what tells
//!   pgsieve their verifiers
//! * `hardening_script`: everything that would fix it, in its order; `current_reads`: so that no
//!   reading is lost

pub mod check;
mod context;
mod current_reads;
mod external_access;
pub mod finding;
mod functions;
mod grants;
pub mod hardening_script;
mod large_objects;
pub mod login_roles;
mod ownership;
mod role_attributes;
mod role_settings;
pub mod server;
pub mod session;
mod sql_names;
pub mod verifier_function;
mod write_privileges;

use std::fmt;

use tokio::time::timeout;

use self::check::FindingSeverity;
use self::context::DoctorContext;
pub use self::context::ExamineFailure;
use self::finding::{DoctorFindings, Finding};
use self::hardening_script::HardeningScript;
use self::server::ServerProfile;
use self::session::{DoctorSession, LoginReport};
pub use self::sql_names::sql_name;
use self::verifier_function::VerifierFunction;
use super::upstream::account::{OwnSessionError, UpstreamAccount};
use super::upstream::connect::Upstream;
use super::upstream::engine::profile::{CatalogAnswers, EngineProfile};
use crate::auth::function_name::FunctionName;
use crate::engine::Engine;
use crate::limits;

/// What an examination found.
#[derive(Debug, Clone, PartialEq)]
pub struct DoctorReport {
    /// The role, by its name.
    pub role: String,
    /// The database, by its name.
    pub database: String,
    /// The server.
    pub server: ServerProfile,
    /// How the login went.
    pub greeting: LoginReport,
    /// What each check found, worst first.
    pub findings: Vec<Finding>,
    /// What would fix it.
    pub script: HardeningScript,
    /// What makes the function that tells verifiers, where the settings want one.
    pub lookup: Option<LookupScript>,
}

/// What makes the function that tells verifiers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookupScript {
    /// The database that it is to be in.
    pub database: String,
    /// In their order.
    pub statements: Vec<String>,
}

/// Why there is no examination. Holds no address, no password and none of the server's words.
#[derive(Debug)]
pub enum ExamineError {
    /// There is no session.
    Connect(OwnSessionError),
    /// It ended before its end.
    Trouble(ExamineFailure),
    /// Catalogs of its engine do not answer what is asked.
    Engine(Engine),
}

/// Connects, looks and goes away.
///
/// May be cancelled: the connection is dropped.
///
/// # Errors
/// The server cannot be reached, does not let the account in, or does not answer.
pub async fn examine(
    upstream: &Upstream,
    account: &UpstreamAccount,
    database: &str,
) -> Result<DoctorReport, ExamineError> {
    examine_beside(upstream, account, database, None).await
}

/// The same, where that function tells verifiers, which is no finding by itself.
///
/// May be cancelled: the connection is dropped.
///
/// # Errors
/// As of [`examine`].
pub async fn examine_beside(
    upstream: &Upstream,
    account: &UpstreamAccount,
    database: &str,
    lookup: Option<&FunctionName>,
) -> Result<DoctorReport, ExamineError> {
    let session = session::open(upstream, account, database).await;
    let DoctorSession {
        client,
        task,
        greeting,
    } = session.map_err(ExamineError::Connect)?;
    check_engine(upstream)?;
    let looked = timeout(limits::EXAMINATION_TIME_MAX, async {
        let mut context = DoctorContext::load(&client).await?;
        context.lookup = lookup.cloned();
        run_checks(&context, greeting).await
    });
    let looked = looked.await.unwrap_or(Err(ExamineFailure::TimedOut));
    // The goodbye is sent by the task.
    drop(client);
    let _ended = timeout(limits::EXAMINATION_CONNECT_TIME_MAX, task).await;
    looked.map_err(ExamineError::Trouble)
}

/// Whether the server's catalogs can be asked, once a session is there.
///
/// # Errors
/// They cannot.
fn check_engine(upstream: &Upstream) -> Result<(), ExamineError> {
    match upstream.profile() {
        Some(profile) if profile.catalog != CatalogAnswers::Answered => {
            Err(ExamineError::Engine(profile.engine))
        }
        Some(_) | None => Ok(()),
    }
}

impl DoctorReport {
    /// The worst that was found.
    pub fn worst(&self) -> FindingSeverity {
        let severities = self.findings.iter().map(|finding| finding.severity);
        severities.max().unwrap_or(FindingSeverity::Ok)
    }

    /// With what was found of the function that tells verifiers, and the SQL that makes it. Where
    /// another role is to take the place of the examined one, it is for that role.
    pub fn with_lookup(mut self, examined: &VerifierFunction, found: Vec<Finding>) -> Self {
        self.findings.extend(found);
        self.findings.sort_by_key(finding_order);
        let caller = &examined.account.user;
        let new_role = self.script.new_role.as_ref();
        let new_role = new_role.filter(|_| *caller == self.role);
        self.lookup = Some(LookupScript {
            database: examined.database.clone(),
            statements: examined.statements(new_role.unwrap_or(caller)),
        });
        self
    }

    /// How many findings are of that severity.
    pub fn count(&self, severity: FindingSeverity) -> usize {
        let of_it = |finding: &&Finding| finding.severity == severity;
        self.findings.iter().filter(of_it).count()
    }
}

impl fmt::Display for ExamineError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(error) => write!(formatter, "{error}"),
            Self::Trouble(trouble) => write!(formatter, "{trouble}"),
            Self::Engine(engine) => {
                let profile = EngineProfile::of(*engine);
                let (title, sign) = (engine.title(), profile.sign);
                write!(
                    formatter,
                    "it is {title} ({sign}), whose rights are not examined."
                )?;
                for guarantee in profile.guarantees() {
                    write!(formatter, "\n  {guarantee}")?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for ExamineError {}

async fn run_checks(
    context: &DoctorContext<'_>,
    greeting: LoginReport,
) -> Result<DoctorReport, ExamineFailure> {
    let mut findings = DoctorFindings::default();
    let server = server::examine(context, &greeting, &mut findings).await?;
    session::examine(context, &greeting, &mut findings).await?;
    role_attributes::examine(context, &mut findings);
    let owns = ownership::examine(context, &mut findings).await?;
    write_privileges::examine(context, &mut findings).await?;
    functions::examine(context, &mut findings).await?;
    external_access::examine(context, &mut findings).await?;
    large_objects::examine(context, &mut findings).await?;
    role_settings::examine(context, &mut findings).await?;
    role_attributes::examine_ways(context, &mut findings);
    let mut findings = findings.findings;
    findings.sort_by_key(finding_order);
    let script = hardening_script::write(context, &mut findings, owns).await?;
    Ok(DoctorReport {
        role: context.own.name.clone(),
        database: context.database.clone(),
        server,
        greeting,
        findings,
        script,
        lookup: None,
    })
}

/// The worst first; then in the order of the checks.
fn finding_order(finding: &Finding) -> (std::cmp::Reverse<FindingSeverity>, usize) {
    let order = check::ALL.iter().position(|check| *check == finding.check);
    (
        std::cmp::Reverse(finding.severity),
        order.unwrap_or(usize::MAX),
    )
}
