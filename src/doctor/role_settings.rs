//! What sessions of the role begin with: read-only or not, and how long they may take.

use std::collections::BTreeMap;

use tokio_postgres::types::Type;

use super::check::{self, Check, Severity};
use super::context::{Ground, Trouble, field};
use super::finding::{Ledger, Scope};
use super::sql_names::written;

/// Looks.
pub async fn examine(ground: &Ground<'_>, ledger: &mut Ledger) -> Result<(), Trouble> {
    let stored = stored(ground).await?;
    let place = |name: &str| place(ground, stored.as_ref(), name);
    match &stored {
        None => ledger.unseen(check::READ_ONLY_DEFAULT),
        Some(stored) => {
            let is_on = stored.get(READ_ONLY).is_some_and(|(value, _)| {
                ["on", "true", "yes", "1"].contains(&value.to_lowercase().as_str())
            });
            ledger.holds(check::READ_ONLY_DEFAULT, Severity::Warning, !is_on);
            let statement = format!("{} SET {READ_ONLY} = on", place(READ_ONLY));
            ledger.cure(Scope::Role, statement);
        }
    }
    let Some(rows) = ground.rows(USUAL, &[]).await? else {
        TIMES.iter().for_each(|time| ledger.unseen(time.check));
        return Ok(());
    };
    let mut usual = BTreeMap::new();
    for row in &rows {
        usual.insert(field::<String>(row, 0)?, field::<Option<String>>(row, 1)?);
    }
    for time in TIMES {
        let Time {
            check,
            name,
            severity,
            value,
            scope,
        } = time;
        // What a server does not have cannot be missing.
        let missing = usual.get(*name).map(|value| value.as_deref());
        let missing = missing.is_some_and(|value| matches!(value, Some("0" | "-1") | None));
        ledger.holds(check, *severity, missing);
        ledger.cure(*scope, format!("{} SET {name} = '{value}'", place(name)));
    }
    Ok(())
}

/// The statements that give a new role what is proposed.
pub fn for_role(role: &str) -> Vec<String> {
    let read_only = format!("ALTER ROLE {role} SET {READ_ONLY} = on");
    let times = TIMES.iter().filter(|time| time.scope == Scope::Role);
    let times =
        times.map(|Time { name, value, .. }| format!("ALTER ROLE {role} SET {name} = '{value}'"));
    [read_only].into_iter().chain(times).collect()
}

/// Where a setting of the role has to stand to count: beside the one that counts now.
fn place(ground: &Ground<'_>, stored: Option<&Stored>, name: &str) -> String {
    let role = ground.own_name();
    let of_both = stored.and_then(|stored| stored.get(name));
    match of_both {
        Some((_, Level::RoleInDatabase)) => {
            format!(
                "ALTER ROLE {role} IN DATABASE {}",
                written(&ground.database)
            )
        }
        _ => format!("ALTER ROLE {role}"),
    }
}

/// Settings by name: the value, and where it comes from.
type Stored = BTreeMap<String, (String, Level)>;

/// Where a setting stands; later ones count more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Everybody,
    Database,
    Role,
    RoleInDatabase,
}

async fn stored(ground: &Ground<'_>) -> Result<Option<Stored>, Trouble> {
    let own = ground.own.id;
    let rows = ground.rows(STORED, &[(&own, Type::OID)]).await?;
    let Some(rows) = rows else { return Ok(None) };
    let mut stored: Stored = BTreeMap::new();
    for row in &rows {
        let (of_database, of_role): (bool, bool) = (field(row, 0)?, field(row, 1)?);
        let level = match (of_database, of_role) {
            (false, false) => Level::Everybody,
            (true, false) => Level::Database,
            (false, true) => Level::Role,
            (true, true) => Level::RoleInDatabase,
        };
        let word: &str = field(row, 2)?;
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let known = stored.get(name).map(|(_, level)| *level);
        if known.is_none_or(|known| known < level) {
            stored.insert(name.to_owned(), (value.to_owned(), level));
        }
    }
    Ok(Some(stored))
}

/// A setting that should not be without an end.
struct Time {
    check: &'static Check,
    name: &'static str,
    severity: Severity,
    /// What is proposed.
    value: &'static str,
    /// Who keeps sessions or transactions waiting on purpose would be surprised: a choice.
    scope: Scope,
}

const TIMES: &[Time] = &[
    Time {
        check: check::STATEMENT_TIMEOUT,
        name: "statement_timeout",
        severity: Severity::Warning,
        value: "60s",
        scope: Scope::Role,
    },
    Time {
        check: check::IDLE_IN_TRANSACTION_TIMEOUT,
        name: "idle_in_transaction_session_timeout",
        severity: Severity::Warning,
        value: "60s",
        scope: Scope::Role,
    },
    Time {
        check: check::LOCK_TIMEOUT,
        name: "lock_timeout",
        severity: Severity::Note,
        value: "10s",
        scope: Scope::Role,
    },
    Time {
        check: check::IDLE_SESSION_TIMEOUT,
        name: "idle_session_timeout",
        severity: Severity::Note,
        value: "1h",
        scope: Scope::Choice,
    },
    Time {
        check: check::TRANSACTION_TIMEOUT,
        name: "transaction_timeout",
        severity: Severity::Note,
        value: "10min",
        scope: Scope::Choice,
    },
    Time {
        check: check::TEMP_FILE_LIMIT,
        name: "temp_file_limit",
        severity: Severity::Warning,
        value: "10GB",
        scope: Scope::Role,
    },
];

const READ_ONLY: &str = "default_transaction_read_only";

/// What sessions have that set nothing: the examination sets its own after its start.
const USUAL: &str = "SELECT name, reset_val FROM pg_settings WHERE name IN \
    ('statement_timeout', 'idle_in_transaction_session_timeout', 'lock_timeout', \
     'idle_session_timeout', 'transaction_timeout', 'temp_file_limit') ORDER BY name";

const STORED: &str = "SELECT s.setdatabase <> 0, s.setrole <> 0, w.word \
    FROM pg_db_role_setting s CROSS JOIN LATERAL unnest(s.setconfig) w(word) \
    WHERE s.setrole IN (0, $1) AND s.setdatabase IN \
      (0, (SELECT oid FROM pg_database WHERE datname = current_database())) ORDER BY 3";
