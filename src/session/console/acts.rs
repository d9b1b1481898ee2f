//! What the console does: pools are held back, go on, or connect anew, and settings are read again.
//! Each is recorded with what came of it, also where it was not allowed.

use tokio::time::timeout;

use super::access::ConsoleRole;
use super::command::ConsoleAct;
use super::context::ReloadOutcome;
use super::views::known_databases;
use crate::limits;
use crate::session::login::LoginContext;
use crate::sqlstate::{self, SqlState};
use crate::telemetry::events::ConsoleCommandRun;
use crate::telemetry::labels::ConsoleOutcome;
use crate::telemetry::session_info::SessionInfo;
use crate::upstream::pool::ConnectionPools;
use crate::upstream::pool::administration::PauseChange;

/// Why something was not done, as the client is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActError {
    /// The code.
    pub sqlstate: SqlState,
    /// What happened.
    pub message: String,
    /// What the client can do.
    pub hint: Option<&'static str>,
}

/// Does it. When it is dropped while it waits, what it has begun stays: a database that was paused
/// is so.
///
/// # Errors
/// The user may not, the database is not known, or it is not in the state for it.
pub async fn run(
    act: &ConsoleAct,
    role: ConsoleRole,
    (session, login_context): (&SessionInfo, &LoginContext),
) -> Result<(), ActError> {
    let done = match role {
        ConsoleRole::Observer => Err(not_allowed(act)),
        ConsoleRole::Operator => attempt(act, login_context).await,
    };
    let outcome = match &done {
        Ok(()) => ConsoleOutcome::Done,
        Err(_) => ConsoleOutcome::Refused,
    };
    record(act, outcome, (session, login_context));
    done
}

/// Takes back what a client has cancelled before it was done, and records that.
pub fn cancel(act: &ConsoleAct, (session, login_context): (&SessionInfo, &LoginContext)) {
    if let (ConsoleAct::Pause(database), Some(pools)) = (act, &login_context.pools) {
        pools.resume(database.as_deref());
    }
    record(act, ConsoleOutcome::Cancelled, (session, login_context));
}

/// Records what came of it.
pub fn record(
    act: &ConsoleAct,
    outcome: ConsoleOutcome,
    (session, login_context): (&SessionInfo, &LoginContext),
) {
    // Any other word is a client's text.
    let known = known_databases(login_context);
    login_context.telemetry.emit(&ConsoleCommandRun {
        session,
        command: act.word(),
        target: act.database().filter(|name| known.contains(*name)),
        outcome,
    });
}

async fn attempt(act: &ConsoleAct, login_context: &LoginContext) -> Result<(), ActError> {
    match act {
        ConsoleAct::Pause(database) => {
            let pools = pools_of(act, login_context)?;
            let database = database.as_deref();
            match pools.pause(database) {
                PauseChange::Done => {}
                PauseChange::Already | PauseChange::WithAll => {
                    return Err(in_that_state("it is paused already".into()));
                }
            }
            pools.are_closed(database).await;
            Ok(())
        }
        ConsoleAct::Resume(database) => {
            let pools = pools_of(act, login_context)?;
            match pools.resume(database.as_deref()) {
                PauseChange::Done => Ok(()),
                PauseChange::Already => Err(in_that_state("it is not paused".into())),
                PauseChange::WithAll => Err(ActError {
                    hint: Some("RESUME without a name lets all of them go on."),
                    ..in_that_state("all databases are paused".into())
                }),
            }
        }
        ConsoleAct::Reconnect(database) => {
            let pools = pools_of(act, login_context)?;
            pools.reconnect(database.as_deref());
            Ok(())
        }
        ConsoleAct::Reload => reload(login_context).await,
    }
}

/// The pools, where there are any and the database is a known one.
fn pools_of<'c>(
    act: &ConsoleAct,
    login_context: &'c LoginContext,
) -> Result<&'c ConnectionPools, ActError> {
    let unshared = || ActError {
        hint: Some("Only connections that clients share (pool.mode: transaction) can be held."),
        ..in_that_state(format!(
            "{} is for shared connections, and here each client has its own",
            act.name()
        ))
    };
    let pools = login_context.pools.as_ref().ok_or_else(unshared)?;
    match act.database() {
        Some(name) if !known_databases(login_context).contains(name) => Err(ActError {
            sqlstate: sqlstate::UNDEFINED_DATABASE,
            message: format!("database \"{name}\" is not known here"),
            hint: Some("SHOW DATABASES lists those that are; a name is taken letter by letter."),
        }),
        Some(name) if !pools.are_for(name) => Err(unshared()),
        Some(_) | None => Ok(pools),
    }
}

async fn reload(login_context: &LoginContext) -> Result<(), ActError> {
    let Some(reload) = &login_context.console.reload else {
        return Err(in_that_state("nobody reads settings again here".into()));
    };
    login_context.telemetry.reopen();
    let not_now = |message: &str| ActError {
        sqlstate: sqlstate::CANNOT_CONNECT_NOW,
        message: message.into(),
        hint: Some("The proxy's log says what comes of it."),
    };
    match timeout(limits::console::RELOAD_WAIT, reload()).await {
        Ok(ReloadOutcome::Held) => Ok(()),
        Ok(ReloadOutcome::Rejected(problems)) => Err(ActError {
            sqlstate: sqlstate::CONFIG_FILE_ERROR,
            message: format!("the new settings do not hold: {problems} problems"),
            hint: Some("The proxy's log says which; what held before holds on."),
        }),
        Ok(ReloadOutcome::NotRead) => Err(not_now("too many have asked already")),
        Err(_elapsed) => Err(not_now("it takes longer than an answer may")),
    }
}

fn not_allowed(act: &ConsoleAct) -> ActError {
    ActError {
        sqlstate: sqlstate::INSUFFICIENT_PRIVILEGE,
        message: format!("{} may not be run by this user", act.name()),
        hint: Some("The operator of the proxy names who may in console.users."),
    }
}

fn in_that_state(message: String) -> ActError {
    ActError {
        sqlstate: sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
        message,
        hint: None,
    }
}
