//! Examines the database behind: what the role of pgsieve could do there were the gate absent.
//!
//! Asks only the catalogs, in a session that is made and proved as pgsieve makes its own. Writes
//! nothing, calls nothing with an effect, runs nothing of what it proposes. Where the role may not
//! look, it says so and goes on.
//!
//! * `check`: what is looked for; `finding`: what was found, and what would fix it
//! * `session`: the connection, and what its making tells; `context`: the role, the roles in its reach,
//!   and how questions are asked; `sql_names`: how names are written
//! * `server`, `role_attributes`, `ownership`, `write_privileges`, `functions`, `external_access`,
//!   `large_objects`, `role_settings`: the checks; `grants`: how rights are read and taken away
//! * `login_roles`: who may log in, for warnings about settings
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
mod write_privileges;

use std::fmt;

use tokio::time::timeout;

use self::check::Severity;
use self::context::Ground;
pub use self::context::Trouble;
use self::finding::{Finding, Ledger};
use self::hardening_script::Script;
use self::server::Server;
use self::session::{Greeting, Session};
pub use self::sql_names::written;
use super::upstream::account::{Account, ConnectError};
use super::upstream::connect::Upstream;
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
    role_attributes::examine(ground, &mut ledger);
    let owns = ownership::examine(ground, &mut ledger).await?;
    write_privileges::examine(ground, &mut ledger).await?;
    functions::examine(ground, &mut ledger).await?;
    external_access::examine(ground, &mut ledger).await?;
    large_objects::examine(ground, &mut ledger).await?;
    role_settings::examine(ground, &mut ledger).await?;
    role_attributes::examine_ways(ground, &mut ledger);
    let mut findings = ledger.findings;
    findings.sort_by_key(place);
    let script = hardening_script::write(ground, &mut findings, owns).await?;
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
