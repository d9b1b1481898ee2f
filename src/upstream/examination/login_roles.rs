//! The roles that may log in, as far as the settings are about them: superusers, and owners of what
//! they read. One question, for warnings; what a role can do in full is for [`super::examine`].

use tokio::time::timeout;

use super::ExamineError;
use super::ground::Trouble;
use crate::limits;
use crate::upstream::account::Account;
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

/// Connects, asks and goes away. Of very many roles only the first are told.
///
/// May be cancelled: the connection is dropped.
pub async fn look(
    upstream: &Upstream,
    account: &Account,
    database: &str,
) -> Result<Vec<LoginRole>, ExamineError> {
    let connected = snapshot::connect(upstream, account, database).await;
    let (client, _task) = connected.map_err(ExamineError::Connect)?;
    let asked = timeout(
        limits::EXAMINATION_CONNECT_TIME_MAX,
        client.query_typed(ROLES, &[]),
    );
    let rows = match asked.await {
        Ok(Ok(rows)) => rows,
        Ok(Err(_)) => return Err(ExamineError::Trouble(Trouble::Unanswered)),
        Err(_elapsed) => return Err(ExamineError::Trouble(Trouble::TimedOut)),
    };
    let roles = rows.iter().map(|row| {
        Ok(LoginRole {
            name: row.try_get(0)?,
            is_superuser: row.try_get(1)?,
            owned: row.try_get(2)?,
        })
    });
    let roles: Result<Vec<LoginRole>, tokio_postgres::Error> = roles.collect();
    roles.map_err(|_error| ExamineError::Trouble(Trouble::Unreadable))
}

/// The bound is that of `limits::EXAMINATION_ROWS_MAX` by far: roles are made one by one.
const ROLES: &str = "SELECT r.rolname::pg_catalog.text, r.rolsuper, \
      (SELECT pg_catalog.count(*) FROM pg_catalog.pg_class c \
        WHERE c.relowner = r.oid AND c.oid >= 16384 \
          AND c.relkind IN ('r', 'p', 'v', 'm', 'f')) \
    FROM pg_catalog.pg_roles r WHERE r.rolcanlogin ORDER BY 1 LIMIT 10000";
