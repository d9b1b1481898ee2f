//! What pgsieve itself says to a client: SQLSTATE, what happened, one-line hint.
//!
//! Half of all clients show the first line and nothing else. So it says what, which and why, in at
//! most a hundred characters where names are of ordinary length:
//!
//! * what would fail at the database in any case fails in the database's own words, with its code
//!   and place: `function nofunc(integer) does not exist`
//! * what the gate refuses `is not allowed`, and a colon stands before the reason: `function
//!   pg_sleep(double precision) is not allowed: it sleeps and holds a server process`
//! * what the policy withholds `may not be` read, called, run or changed here: `column "ssn" of
//!   shop.customers may not be read`
//! * names are those that the client wrote or may see in the catalog; never a literal, no full stop
//! * DETAIL begins with the rule (`pgsieve rules RULE` explains it); the HINT is one thing that the
//!   client can do, or ask for, and none that would give another answer than was asked for
//!
//! `gate::rules::refusal_laws` holds every refusal of every rule's tests against this.
//!
//! Beside it, once a client is logged in: `repair::notices` words what came of a repair,
//! `server::on_error` the server's own errors that are told otherwise, `plan::redacted` a plan with
//! models, `context::reported_role` what kind of server this is. No address, secret or path is ever
//! part of an answer.

use std::borrow::Cow;
use std::time::Duration;

use bytes::BytesMut;

use crate::gate::Refusal;
use crate::sqlstate::{self, SqlState};
use crate::target_servers::TargetServers;
use crate::upstream::pool::BusyConnections;
use crate::wire::encode::{self, ErrorFields, ErrorSeverity};
use crate::wire::malformed::MalformedMessage;

/// Why pgsieve ends a session, as the client is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseReason {
    /// The client broke the protocol.
    Violation(MalformedMessage),
    /// The upstream answered in a way that pgsieve cannot follow.
    UpstreamUnreadable,
    /// The upstream connection was lost.
    UpstreamLost,
    /// The upstream did not end a statement whose time was over.
    StatementTime,
    /// The upstream did not answer, or not go on, in time.
    UpstreamSilent,
    /// The upstream session stopped being read-only, or reported a write.
    Tripwire,
    /// The policies have changed, and none of them is for this session.
    NoPolicy,
    /// The policy of the session does not let it be at its server, and it cannot move.
    NotPermittedHere(TargetServers),
    /// Nobody knows any more which of them is, because nobody knows what its role is a member of.
    RolesUntold,
    /// The token that it has logged in with has expired.
    Lapsed,
    /// pgsieve is shutting down.
    Shutdown,
    /// A session of the same owner has ended it.
    Terminated,
    /// The session did nothing for longer than the policy allows.
    Idle,
    /// A result met its bound, and what was sent behind it counted on its transaction.
    ResultLimit,
    /// More memory is needed than is left for all clients together.
    OutOfMemory,
    /// Every connection that it may have was busy for too long.
    PoolBusy {
        /// Which.
        busy: BusyConnections,
        /// How long it has waited.
        waited: Duration,
    },
    /// No connection was given for too long: its database is paused.
    PoolPaused,
    /// Connections to the upstream begin otherwise by now than the session did.
    UpstreamChanged,
    /// A fault of pgsieve's own.
    Internal,
}

/// The error that a refused statement is answered with.
pub fn refusal(out: &mut BytesMut, refusal: &Refusal) {
    encode::error(
        out,
        &ErrorFields {
            severity: ErrorSeverity::Error,
            sqlstate: refusal.sqlstate,
            message: &refusal.message,
            detail: Some(&*refusal.detail).filter(|detail| !detail.is_empty()),
            hint: Some(&*refusal.hint).filter(|hint| !hint.is_empty()),
            position: refusal.position,
        },
    );
}

/// The error that a statement is answered with that its client has cancelled.
pub fn cancelled(out: &mut BytesMut) {
    let message = "canceling statement due to user request";
    let fields = ErrorFields::new(ErrorSeverity::Error, sqlstate::QUERY_CANCELED, message);
    encode::error(out, &fields);
}

/// The error that a command of the console is answered with.
pub fn command_error(
    out: &mut BytesMut,
    (sqlstate, message): (SqlState, &str),
    hint: Option<&str>,
) {
    let fields = ErrorFields::new(ErrorSeverity::Error, sqlstate, message);
    encode::error(out, &ErrorFields { hint, ..fields });
}

/// A notice about something that pgsieve changed.
pub fn notice(out: &mut BytesMut, message: &str, detail: Option<&str>) {
    encode::notice(
        out,
        &ErrorFields {
            severity: ErrorSeverity::Notice,
            sqlstate: sqlstate::SUCCESSFUL_COMPLETION,
            message,
            detail,
            hint: None,
            position: None,
        },
    );
}

/// A warning in the server's words.
pub fn warning(out: &mut BytesMut, message: &str) {
    encode::notice(
        out,
        &ErrorFields::new(ErrorSeverity::Warning, sqlstate::WARNING, message),
    );
}

/// The last words before a session is closed.
pub fn close_message(out: &mut BytesMut, reason: CloseReason) {
    let (sqlstate, message, hint) = message_of(reason);
    encode::error(
        out,
        &ErrorFields {
            severity: ErrorSeverity::Fatal,
            sqlstate,
            message: &message,
            detail: None,
            hint,
            position: None,
        },
    );
}

fn unplaced(reason: CloseReason) -> (SqlState, Cow<'static, str>, Option<&'static str>) {
    let (message, hint) = match reason {
        CloseReason::RolesUntold => (
            Cow::Borrowed(
                "the roles that decide which policy is for this session are not known any more; \
                 the connection is closed",
            ),
            "Reconnect in a moment; the proxy's log says why the catalog is missing.",
        ),
        CloseReason::NotPermittedHere(targets) => (
            Cow::Owned(format!(
                "this session is at no server that its policy permits (targets: {}); the \
                 connection is closed",
                targets.name()
            )),
            "Reconnect: a new session goes to a server that the policy permits, if one is there.",
        ),
        _ => (
            Cow::Borrowed(
                "the policies have changed and none matches this session; the connection is closed",
            ),
            "The operator of the proxy decides which sessions its policies match.",
        ),
    };
    (sqlstate::ADMIN_SHUTDOWN, message, Some(hint))
}

fn unpooled(reason: CloseReason) -> (SqlState, Cow<'static, str>, Option<&'static str>) {
    match reason {
        CloseReason::PoolBusy { busy, waited } => (
            sqlstate::TOO_MANY_CONNECTIONS,
            pool_busy_message(busy, waited),
            Some(pool_busy_hint(busy)),
        ),
        CloseReason::PoolPaused => (
            sqlstate::CANNOT_CONNECT_NOW,
            Cow::Borrowed(POOL_PAUSED),
            Some(POOL_PAUSED_HINT),
        ),
        _ => (
            sqlstate::ADMIN_SHUTDOWN,
            Cow::Borrowed(
                "another server answers, or sessions begin with other settings by now; the \
                 connection is closed",
            ),
            Some("Reconnect."),
        ),
    }
}

fn beyond_bound(reason: CloseReason) -> (SqlState, Cow<'static, str>, Option<&'static str>) {
    match reason {
        CloseReason::OutOfMemory => (
            sqlstate::OUT_OF_MEMORY,
            Cow::Borrowed(OUT_OF_MEMORY),
            Some("Reconnect later; limits.memory is what there is in all."),
        ),
        _ => (
            sqlstate::PROGRAM_LIMIT_EXCEEDED,
            Cow::Borrowed(RESULT_LIMIT),
            Some("Reconnect, and ask for less, or wait for its end before more is asked."),
        ),
    }
}

fn message_of(reason: CloseReason) -> (SqlState, Cow<'static, str>, Option<&'static str>) {
    match reason {
        CloseReason::Violation(cause) => (
            cause.sqlstate(),
            Cow::Owned(format!("{cause}; the connection is closed")),
            None,
        ),
        CloseReason::UpstreamUnreadable => (
            sqlstate::CONNECTION_FAILURE,
            Cow::Borrowed(
                "the answer of the database does not fit what was asked; the connection is closed",
            ),
            Some("Reconnect and run the statement again."),
        ),
        CloseReason::UpstreamLost => (
            sqlstate::CONNECTION_FAILURE,
            Cow::Borrowed("the connection to the database was lost"),
            Some("Reconnect and run the statement again; reads are safe to repeat."),
        ),
        CloseReason::StatementTime => (
            sqlstate::QUERY_CANCELED,
            Cow::Borrowed("canceling statement due to statement timeout; the database is silent"),
            Some("Reconnect; ask for less, or later: the database may be overloaded or stopped."),
        ),
        CloseReason::UpstreamSilent => (
            sqlstate::CONNECTION_FAILURE,
            Cow::Borrowed("the database does not answer in time; the connection is closed"),
            Some("Reconnect and run the statement again; reads are safe to repeat."),
        ),
        CloseReason::Tripwire => (
            sqlstate::READ_ONLY_SQL_TRANSACTION,
            Cow::Borrowed(
                "the database session is no longer known to be read-only; the connection is closed",
            ),
            Some("Reconnect; the operator has been alerted."),
        ),
        CloseReason::NoPolicy | CloseReason::RolesUntold | CloseReason::NotPermittedHere(_) => {
            unplaced(reason)
        }
        CloseReason::Shutdown | CloseReason::Terminated => (
            sqlstate::ADMIN_SHUTDOWN,
            Cow::Borrowed("terminating connection due to administrator command"),
            None,
        ),
        CloseReason::Lapsed => (
            sqlstate::ADMIN_SHUTDOWN,
            Cow::Borrowed("the token of this session has expired; the connection is closed"),
            Some("Reconnect with a new token."),
        ),
        CloseReason::Idle => (
            sqlstate::IDLE_SESSION_TIMEOUT,
            Cow::Borrowed("terminating connection due to idle-session timeout"),
            Some("Reconnect when there is something to ask."),
        ),
        CloseReason::ResultLimit | CloseReason::OutOfMemory => beyond_bound(reason),
        CloseReason::PoolBusy { .. } | CloseReason::PoolPaused | CloseReason::UpstreamChanged => {
            unpooled(reason)
        }
        CloseReason::Internal => (
            sqlstate::INTERNAL_ERROR,
            Cow::Borrowed("pgsieve met a fault of its own and closed this connection"),
            Some(REPORT),
        ),
    }
}

/// What a client is told whose wish for a connection of its pool was in vain.
pub(in crate::session) fn pool_busy_message(
    busy: BusyConnections,
    waited: Duration,
) -> Cow<'static, str> {
    let all = match busy {
        BusyConnections::OfAccount(size) => format!("all {size} of this account are busy"),
        BusyConnections::OfDatabase(most) => {
            format!("all {most} that all accounts may have are busy")
        }
    };
    Cow::Owned(format!(
        "no connection to the database became free within {} s: {all}",
        waited.as_secs()
    ))
}

/// What it can do.
pub(in crate::session) fn pool_busy_hint(busy: BusyConnections) -> &'static str {
    match busy {
        BusyConnections::OfAccount(_) => {
            "Reconnect and try again later; the operator of the proxy sets pool.size."
        }
        BusyConnections::OfDatabase(_) => {
            "Reconnect and try again later; the operator of the proxy sets pool.max_db_connections."
        }
    }
}

/// What a client is told whose database gave no connection for too long.
pub(in crate::session) const POOL_PAUSED: &str =
    "the database is paused: no connection was given in time";

/// What it can do.
pub(in crate::session) const POOL_PAUSED_HINT: &str =
    "Reconnect and try again later; the operator of the proxy has paused it, and resumes it.";

const REPORT: &str =
    "Nothing was sent to the database. Please report it with the statement's fingerprint.";

const RESULT_LIMIT: &str =
    "a result met its bound while more was asked in its transaction; the connection is closed";

const OUT_OF_MEMORY: &str = "out of memory: the session needs more than is left for all clients \
                             together; the connection is closed";
