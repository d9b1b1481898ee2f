//! The roles that may log in, as far as the settings are about them: superusers, and owners of what
//! they read; and the names of the databases. Two questions, for warnings; what a role can do in
//! full is for [`super::examine`].

use tokio::time::timeout;

use super::ExamineError;
use super::context::ExamineFailure;
use crate::limits;
use crate::upstream::account::UpstreamAccount;
use crate::upstream::connect::Upstream;
use crate::upstream::snapshot;

/// One role that may log in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginRole {
    /// Its name.
    pub name: String,
    /// Whether no right holds it back.
    pub is_superuser: bool,
    /// How many relations of the database it owns.
    pub owned: i64,
}

/// What a server has that settings and policies name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerNames {
    /// The roles that may log in.
    pub roles: Vec<LoginRole>,
    /// All roles, those that may not log in included; none where they are too many to tell.
    pub all_roles: Option<Vec<String>>,
    /// The databases that take connections.
    pub databases: Vec<String>,
}

/// Connects, asks and goes away. Of very many names only the first are told.
///
/// May be cancelled: the connection is dropped.
///
/// # Errors
/// The server cannot be reached, does not let the account in, or does not answer.
pub async fn load_server_names(
    upstream: &Upstream,
    account: &UpstreamAccount,
    database: &str,
) -> Result<ServerNames, ExamineError> {
    let connected = snapshot::connect(upstream, account, database).await;
    let (client, _task) = connected.map_err(ExamineError::Connect)?;
    super::check_engine(upstream)?;
    let asked = timeout(limits::EXAMINATION_CONNECT_TIME_MAX, async {
        tokio::try_join!(
            client.query_typed(ROLES, &[]),
            client.query_typed(ALL_ROLES, &[]),
            client.query_typed(DATABASES, &[])
        )
    });
    let (roles, all_roles, databases) = match asked.await {
        Ok(Ok(rows)) => rows,
        Ok(Err(_)) => return Err(ExamineError::Trouble(ExamineFailure::Unanswered)),
        Err(_elapsed) => return Err(ExamineError::Trouble(ExamineFailure::TimedOut)),
    };
    let roles = roles.iter().map(|row| {
        Ok(LoginRole {
            name: row.try_get(0)?,
            is_superuser: row.try_get(1)?,
            owned: row.try_get(2)?,
        })
    });
    let roles: Result<Vec<LoginRole>, tokio_postgres::Error> = roles.collect();
    let databases: Result<Vec<String>, _> = databases.iter().map(|row| row.try_get(0)).collect();
    let is_all = all_roles.len() < ALL_ROLES_MAX;
    let all_roles: Result<Vec<String>, _> = all_roles.iter().map(|row| row.try_get(0)).collect();
    match (roles, all_roles, databases) {
        (Ok(roles), Ok(all_roles), Ok(databases)) => Ok(ServerNames {
            roles,
            all_roles: is_all.then_some(all_roles),
            databases,
        }),
        _ => Err(ExamineError::Trouble(ExamineFailure::Unreadable)),
    }
}

/// The bound is that of `limits::EXAMINATION_ROWS_MAX` by far: roles are made one by one.
const ROLES: &str = "SELECT r.rolname::pg_catalog.text, r.rolsuper, \
      (SELECT pg_catalog.count(*) FROM pg_catalog.pg_class c \
        WHERE c.relowner = r.oid AND c.oid >= 16384 \
          AND c.relkind IN ('r', 'p', 'v', 'm', 'f')) \
    FROM pg_catalog.pg_roles r WHERE r.rolcanlogin ORDER BY 1 LIMIT 10000";

/// The same of all roles.
const ALL_ROLES: &str =
    "SELECT rolname::pg_catalog.text FROM pg_catalog.pg_roles ORDER BY 1 LIMIT 10000";

/// As many as the question asks for may be fewer than there are.
const ALL_ROLES_MAX: usize = 10_000;

/// The same of databases.
const DATABASES: &str = "SELECT datname::pg_catalog.text FROM pg_catalog.pg_database \
    WHERE datallowconn ORDER BY 1 LIMIT 10000";
