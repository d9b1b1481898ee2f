//! What sessions of the role begin with: read-only or not, and how long they may take.

use std::collections::BTreeMap;

use tokio_postgres::types::Type;

use super::check::{self, DoctorCheck, FindingSeverity};
use super::context::{DoctorContext, ExamineFailure, field};
use super::finding::{DoctorFindings, FixScope};
use super::sql_names::sql_name;

/// Looks.
///
/// # Errors
/// The server failed to answer, or answered in another form than it was asked for.
pub async fn examine(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
) -> Result<(), ExamineFailure> {
    let stored = stored(context).await?;
    let place = |name: &str| place(context, stored.as_ref(), name);
    match &stored {
        None => findings.unseen(check::READ_ONLY_DEFAULT),
        Some(stored) => {
            let is_on = stored.get(READ_ONLY).is_some_and(|(value, _)| {
                ["on", "true", "yes", "1"].contains(&value.to_lowercase().as_str())
            });
            findings.holds(check::READ_ONLY_DEFAULT, FindingSeverity::Warning, !is_on);
            let statement = format!("{} SET {READ_ONLY} = on", place(READ_ONLY));
            findings.add_fix(FixScope::Role, statement);
        }
    }
    let Some(rows) = context.rows(USUAL, &[]).await? else {
        TIMES.iter().for_each(|time| findings.unseen(time.check));
        return Ok(());
    };
    let mut usual = BTreeMap::new();
    for row in &rows {
        usual.insert(field::<String>(row, 0)?, field::<Option<String>>(row, 1)?);
    }
    for time in TIMES {
        let TimeoutSetting {
            check,
            name,
            severity,
            value,
            scope,
        } = time;
        // What a server does not have cannot be missing.
        let missing = usual.get(*name).map(|value| value.as_deref());
        let missing = missing.is_some_and(|value| matches!(value, Some("0" | "-1") | None));
        findings.holds(check, *severity, missing);
        findings.add_fix(*scope, format!("{} SET {name} = '{value}'", place(name)));
    }
    Ok(())
}

/// The statements that give a new role what is proposed.
pub fn for_role(role: &str) -> Vec<String> {
    let read_only = format!("ALTER ROLE {role} SET {READ_ONLY} = on");
    let times = TIMES.iter().filter(|time| time.scope == FixScope::Role);
    let times = times.map(|TimeoutSetting { name, value, .. }| {
        format!("ALTER ROLE {role} SET {name} = '{value}'")
    });
    [read_only].into_iter().chain(times).collect()
}

/// Where a setting of the role has to stand to count: beside the one that counts now.
fn place(context: &DoctorContext<'_>, stored: Option<&StoredSettings>, name: &str) -> String {
    let role = context.own_name();
    let of_both = stored.and_then(|stored| stored.get(name));
    match of_both {
        Some((_, SettingLevel::RoleInDatabase)) => {
            format!(
                "ALTER ROLE {role} IN DATABASE {}",
                sql_name(&context.database)
            )
        }
        _ => format!("ALTER ROLE {role}"),
    }
}

/// Settings by name: the value, and where it comes from.
type StoredSettings = BTreeMap<String, (String, SettingLevel)>;

/// Where a setting stands; later ones count more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SettingLevel {
    Everybody,
    Database,
    Role,
    RoleInDatabase,
}

async fn stored(context: &DoctorContext<'_>) -> Result<Option<StoredSettings>, ExamineFailure> {
    let own = context.own.id;
    let rows = context.rows(STORED, &[(&own, Type::OID)]).await?;
    let Some(rows) = rows else { return Ok(None) };
    let mut stored: StoredSettings = BTreeMap::new();
    for row in &rows {
        let (of_database, of_role): (bool, bool) = (field(row, 0)?, field(row, 1)?);
        let level = match (of_database, of_role) {
            (false, false) => SettingLevel::Everybody,
            (true, false) => SettingLevel::Database,
            (false, true) => SettingLevel::Role,
            (true, true) => SettingLevel::RoleInDatabase,
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
struct TimeoutSetting {
    check: &'static DoctorCheck,
    name: &'static str,
    severity: FindingSeverity,
    /// What is proposed.
    value: &'static str,
    /// Who keeps sessions or transactions waiting on purpose would be surprised: a choice.
    scope: FixScope,
}

const TIMES: &[TimeoutSetting] = &[
    TimeoutSetting {
        check: check::STATEMENT_TIMEOUT,
        name: "statement_timeout",
        severity: FindingSeverity::Warning,
        value: "60s",
        scope: FixScope::Role,
    },
    TimeoutSetting {
        check: check::IDLE_IN_TRANSACTION_TIMEOUT,
        name: "idle_in_transaction_session_timeout",
        severity: FindingSeverity::Warning,
        value: "60s",
        scope: FixScope::Role,
    },
    TimeoutSetting {
        check: check::LOCK_TIMEOUT,
        name: "lock_timeout",
        severity: FindingSeverity::Note,
        value: "10s",
        scope: FixScope::Role,
    },
    TimeoutSetting {
        check: check::IDLE_SESSION_TIMEOUT,
        name: "idle_session_timeout",
        severity: FindingSeverity::Note,
        value: "1h",
        scope: FixScope::Choice,
    },
    TimeoutSetting {
        check: check::TRANSACTION_TIMEOUT,
        name: "transaction_timeout",
        severity: FindingSeverity::Note,
        value: "10min",
        scope: FixScope::Choice,
    },
    TimeoutSetting {
        check: check::TEMP_FILE_LIMIT,
        name: "temp_file_limit",
        severity: FindingSeverity::Warning,
        value: "10GB",
        scope: FixScope::Role,
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
