//! The server: its version, whether it is a primary, and what it does beside answering.

use super::check::{self, FindingSeverity};
use super::context::{DoctorContext, ExamineFailure, field};
use super::finding::{DoctorFindings, FixScope};
use super::session::LoginReport;
use super::sql_names::{shown, sql_name};
use crate::limits;
use crate::upstream::engine::profile::{EngineProfile, RoleAnswers};

/// What kind of server it is.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerProfile {
    /// Its version, in its own words.
    pub version: String,
    /// Its major version.
    pub major: u16,
    /// Whether it is a standby.
    pub is_standby: bool,
    /// How far a standby is behind its primary, where that is known.
    pub lag_seconds: Option<f64>,
    /// What it says of the encryption of the connection, where there is any.
    pub encryption: Option<String>,
}

/// Looks.
///
/// # Errors
/// The server failed to answer, or answered in another form than it was asked for.
pub async fn examine(
    context: &DoctorContext<'_>,
    greeting: &LoginReport,
    findings: &mut DoctorFindings,
) -> Result<ServerProfile, ExamineFailure> {
    let state = match EngineProfile::of(greeting.engine).role {
        RoleAnswers::Recovery => STATE,
        RoleAnswers::AuroraStatus | RoleAnswers::AllAlike => STATE_WITHOUT_POSITIONS,
    };
    let row = context
        .row(state)
        .await?
        .ok_or(ExamineFailure::Unreadable)?;
    let encryption = match context.row(ENCRYPTION).await? {
        Some(row) => field::<Option<String>>(&row, 0)?,
        None => None,
    };
    let server = ServerProfile {
        version: shown(field(&row, 0)?),
        major: context.major,
        is_standby: field(&row, 1)?,
        lag_seconds: field(&row, 2)?,
        encryption: encryption.map(|words| shown(&words)),
    };
    let (note, warning) = (FindingSeverity::Note, FindingSeverity::Warning);
    let old = context.major < limits::POSTGRES_SUPPORTED_MAJOR_MIN;
    findings.holds(check::UNSUPPORTED_VERSION, warning, old);
    let unreported = !greeting.reports_read_only;
    findings.holds(check::READ_ONLY_UNREPORTED, warning, unreported);
    findings.holds(check::PRIMARY_SERVER, note, !server.is_standby);
    // During recovery no session can be made writable.
    findings.holds(check::READ_ONLY_SWITCHABLE, note, !server.is_standby);
    let prepared: i32 = field(&row, 3)?;
    findings.holds(check::PREPARED_TRANSACTIONS, note, prepared > 0);
    findings.add_fix(
        FixScope::Choice,
        "ALTER SYSTEM SET max_prepared_transactions = 0",
    );
    libraries(context, findings).await?;
    login_triggers(context, findings).await?;
    Ok(server)
}

/// Who may not see the setting does not find it in the view.
async fn libraries(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
) -> Result<(), ExamineFailure> {
    let check = check::PRELOADED_LIBRARIES;
    let Some(rows) = context.rows(LIBRARIES, &[]).await? else {
        findings.unseen(check);
        return Ok(());
    };
    let mut names = Vec::new();
    let mut seen = false;
    for row in &rows {
        seen |= field::<&str>(row, 0)? == "shared_preload_libraries";
        let list: &str = field(row, 1)?;
        for word in list.split(',') {
            let word = word.trim().trim_matches('"');
            let file = word.rsplit('/').next().unwrap_or(word);
            if REACHING.contains(&file) {
                names.push(sql_name(file));
            }
        }
    }
    match (names.is_empty(), seen) {
        (true, false) => findings.unseen(check),
        (_, _) => findings.names(check, FindingSeverity::Warning, names),
    }
    Ok(())
}

async fn login_triggers(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
) -> Result<(), ExamineFailure> {
    match context.texts(LOGIN_TRIGGERS).await? {
        None => findings.unseen(check::LOGIN_TRIGGERS),
        Some(names) => {
            let names: Vec<String> = names.iter().map(|name| sql_name(name)).collect();
            findings.names(
                check::LOGIN_TRIGGERS,
                FindingSeverity::Warning,
                names.clone(),
            );
            for name in names {
                findings.add_fix(
                    FixScope::Choice,
                    format!("ALTER EVENT TRIGGER {name} DISABLE"),
                );
            }
        }
    }
    Ok(())
}

const STATE: &str = "SELECT current_setting('server_version'), pg_is_in_recovery(), \
      CASE WHEN NOT pg_is_in_recovery() THEN NULL \
        WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0 \
        ELSE extract(epoch FROM now() - pg_last_xact_replay_timestamp()) END::float8, \
      current_setting('max_prepared_transactions')::int4";

/// The same where functions of positions are refused.
const STATE_WITHOUT_POSITIONS: &str = "SELECT current_setting('server_version'), \
      pg_is_in_recovery(), NULL::float8, current_setting('max_prepared_transactions')::int4";

const ENCRYPTION: &str = "SELECT CASE WHEN ssl THEN concat_ws(' ', version, cipher) END \
    FROM pg_stat_ssl WHERE pid = pg_backend_pid()";

const LIBRARIES: &str = "SELECT name, setting FROM pg_settings WHERE name IN \
    ('shared_preload_libraries', 'session_preload_libraries', 'local_preload_libraries') \
    ORDER BY name";

/// Libraries that run programs, statements or requests of their own.
const REACHING: &[&str] = &[
    "file_fdw",
    "dblink",
    "multicorn",
    "pg_background",
    "pg_cron",
    "pg_net",
    "plperl",
    "plpython3",
    "plsh",
    "pltcl",
    "postgres_fdw",
    "worker_spi",
];

const LOGIN_TRIGGERS: &str = "SELECT evtname::text FROM pg_event_trigger \
    WHERE evtevent = 'login' AND evtenabled <> 'D' AND $1::oid[] IS NOT NULL ORDER BY 1";
