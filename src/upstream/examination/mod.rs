//! Examines the database behind: what the role of pgsieve could do there were the gate absent.
//!
//! Asks only the catalogs, in a session that is made and proved as pgsieve makes its own. Writes
//! nothing, calls nothing with an effect, runs nothing of what it proposes. Where the role may not
//! look, it says so and goes on.
//!
//! * [`check`]: what is looked for; [`finding`]: what was found, and what would mend it
//! * [`session`]: the connection, and what its making tells; [`ground`]: the role, the roles in its
//!   reach, and how questions are asked; [`names`]: how names are written
//! * [`server`], [`role`], [`owning`], [`rights`], [`functions`], [`outreach`], [`large_objects`],
//!   [`settings`]: the looking; [`grants`]: how rights are read and taken away
//! * [`login_roles`]: who may log in, for warnings about settings
//! * [`script`]: everything that would mend it, in its order; [`reading`]: so that no reading is
//!   lost

pub mod check;
pub mod finding;
mod functions;
mod grants;
mod ground;
mod large_objects;
pub mod login_roles;
mod names;
mod outreach;
mod owning;
mod reading;
mod rights;
mod role;
pub mod script;
pub mod server;
pub mod session;
mod settings;

use std::fmt;

use tokio::time::timeout;

use self::check::Severity;
use self::finding::{Finding, Ledger};
use self::ground::Ground;
pub use self::ground::Trouble;
pub use self::names::written;
use self::script::Script;
use self::server::Server;
use self::session::{Greeting, Session};
use super::account::{Account, ConnectError};
use super::connect::Upstream;
use crate::limits;

/// What an examination brought.
#[derive(Debug, Clone, PartialEq)]
pub struct Examination {
    /// The role, by its name.
    pub role: String,
    /// The database, by its name.
    pub database: String,
    /// The server.
    pub server: Server,
    /// How the login went.
    pub greeting: Greeting,
    /// What each check found, worst first.
    pub findings: Vec<Finding>,
    /// What would mend it.
    pub script: Script,
}

/// Why there is no examination. Holds no address, no password and none of the server's words.
#[derive(Debug)]
pub enum ExamineError {
    /// There is no session.
    Connect(ConnectError),
    /// It ended before its end.
    Trouble(Trouble),
}

/// Connects, looks and goes away.
///
/// May be cancelled: the connection is dropped.
pub async fn examine(
    upstream: &Upstream,
    account: &Account,
    database: &str,
) -> Result<Examination, ExamineError> {
    let session = session::open(upstream, account, database).await;
    let Session {
        client,
        task,
        greeting,
    } = session.map_err(ExamineError::Connect)?;
    let looked = timeout(limits::EXAMINATION_TIME_MAX, async {
        let ground = Ground::look(&client).await?;
        look(&ground, greeting).await
    });
    let looked = looked.await.unwrap_or(Err(Trouble::TimedOut));
    // The goodbye is sent by the task.
    drop(client);
    let _ended = timeout(limits::EXAMINATION_CONNECT_TIME_MAX, task).await;
    looked.map_err(ExamineError::Trouble)
}

impl Examination {
    /// The worst that was found.
    pub fn worst(&self) -> Severity {
        let severities = self.findings.iter().map(|finding| finding.severity);
        severities.max().unwrap_or(Severity::Ok)
    }

    /// How many findings are of that severity.
    pub fn count(&self, severity: Severity) -> usize {
        let of_it = |finding: &&Finding| finding.severity == severity;
        self.findings.iter().filter(of_it).count()
    }
}

impl fmt::Display for ExamineError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(error) => write!(formatter, "{error}"),
            Self::Trouble(trouble) => write!(formatter, "{trouble}"),
        }
    }
}

impl std::error::Error for ExamineError {}

async fn look(ground: &Ground<'_>, greeting: Greeting) -> Result<Examination, Trouble> {
    let mut ledger = Ledger::default();
    let server = server::examine(ground, &greeting, &mut ledger).await?;
    session::examine(ground, &greeting, &mut ledger).await?;
    role::examine(ground, &mut ledger);
    let owns = owning::examine(ground, &mut ledger).await?;
    rights::examine(ground, &mut ledger).await?;
    functions::examine(ground, &mut ledger).await?;
    outreach::examine(ground, &mut ledger).await?;
    large_objects::examine(ground, &mut ledger).await?;
    settings::examine(ground, &mut ledger).await?;
    role::examine_ways(ground, &mut ledger);
    let mut findings = ledger.findings;
    findings.sort_by_key(place);
    let script = script::write(ground, &mut findings, owns).await?;
    Ok(Examination {
        role: ground.own.name.clone(),
        database: ground.database.clone(),
        server,
        greeting,
        findings,
        script,
    })
}

/// The worst first; then in the order of the checks.
fn place(finding: &Finding) -> (std::cmp::Reverse<Severity>, usize) {
    let order = check::ALL.iter().position(|check| *check == finding.check);
    (
        std::cmp::Reverse(finding.severity),
        order.unwrap_or(usize::MAX),
    )
}
