//! `pg_cancel_backend` and `pg_terminate_backend` of a session of one's own, carried out here.
//!
//! The gate takes the call out of the text ([`BackendSignal`]): what runs at the server answers
//! `false`. When that row comes, the statement has run in its place, behind everything before it
//! and in a transaction that has not failed; then the other session is signalled, and the row says
//! what came of it. So the answer has the description, the formats and the order that the server
//! gives it. A row that comes by any other way says `false`, and nothing is done.
//!
//! Whoever is not of the same owner is not there: the words are those of a process id that nobody
//! has.
//!
//! <https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-ADMIN-SIGNAL>

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::BytesMut;

use super::client_side::ClientSide;
use super::lowered_settings::LoweredText;
use super::pending::PendingReplies;
use super::policy_limits::SessionLimits;
use super::protocol::SessionProtocol;
use super::reply::{self, CloseReason};
use super::server::forwarding::OwnRow;
use super::session_end::SessionEnd;
use super::statement_stage::PathStop;
use crate::gate::{
    BackendSignal, Certainty, Cursor, Facts, PreparedStatement, ReadPermit, Refusal,
    SignalArgument, SignalCall, SignalKind, number_of,
};
use crate::telemetry::events::BackendSignalled;
use crate::upstream::backend_signals::{RunningSignal, SignalResult};
use crate::upstream::cancel::SessionCanceller;
use crate::wire::frame::UpstreamHeader;
use crate::wire::frontend::{Bind, BindValue};

/// How far a call has come whose statement is under way.
pub enum SignalCallState {
    /// The row has not come.
    Due(SignalCall),
    /// It has, and waits.
    UnderWay(SignalCall, RunningSignal),
    /// The row is to say this.
    Known(SignalCall, SignalResult),
    /// It has said it.
    Told,
}

/// A text that may run, with the call that was taken out of it.
pub(super) fn with_call(
    permit: ReadPermit<'_>,
    mut lowered: Option<LoweredText>,
) -> (ReadPermit<'_>, Option<LoweredText>) {
    if let Some(signal) = lowered.as_mut().and_then(|lowered| lowered.signal.take()) {
        permit.facts().signal.get_or_init(|| signal);
    }
    (permit, lowered)
}

/// What is known of a portal: that of its statement, with the numbers that the Bind gives a call.
///
/// # Errors
/// A value that the server may read otherwise than pgsieve does.
fn facts_of_portal(
    prepared: &PreparedStatement,
    bind: &Bind<'_>,
) -> Result<Arc<Facts>, Box<Refusal>> {
    let facts = &prepared.facts;
    let Some(signal) = facts.signal.get() else {
        return Ok(Arc::clone(facts));
    };
    match call_of(signal, Some(bind)) {
        Ok(Some(call)) => Ok(Arc::new(facts.with_call(call))),
        Ok(None) => Ok(Arc::clone(facts)),
        Err(UnreadableNumber) => Err(Refusal::of_unread_signal(signal.kind)),
    }
}

/// The call of a statement that is run with these values; none where one of them is NULL, or no
/// process id: the server answers for those.
fn call_of(
    signal: &BackendSignal,
    bind: Option<&Bind<'_>>,
) -> Result<Option<SignalCall>, UnreadableNumber> {
    let numbers = (number(signal.pid, bind)?, number(signal.timeout, bind)?);
    let (Some(pid), Some(timeout_ms)) = numbers else {
        return Ok(None);
    };
    if timeout_ms < 0 {
        return Err(UnreadableNumber);
    }
    let kind = signal.kind;
    Ok(i32::try_from(pid).ok().map(|pid| SignalCall {
        kind,
        pid,
        timeout_ms,
    }))
}

/// A value that is no number as pgsieve reads them.
struct UnreadableNumber;

fn number(
    argument: SignalArgument,
    bind: Option<&Bind<'_>>,
) -> Result<Option<i64>, UnreadableNumber> {
    let (number, oid) = match argument {
        SignalArgument::Literal(number) => return Ok(Some(number)),
        SignalArgument::Parameter { number, oid, .. } => (number, oid),
    };
    // Without a value the server has something to say.
    let Some(value) = bind.and_then(|bind| bind.value(number)) else {
        return Ok(None);
    };
    let is_text = TEXTS.contains(&oid);
    match value {
        BindValue::Null => Ok(None),
        BindValue::Binary(bytes) if !is_text => binary(bytes).map(Some).ok_or(UnreadableNumber),
        BindValue::Text(bytes) | BindValue::Binary(bytes) => {
            let text = std::str::from_utf8(bytes).map_err(|_| UnreadableNumber)?;
            number_of(text).map(Some).ok_or(UnreadableNumber)
        }
    }
}

fn binary(bytes: &[u8]) -> Option<i64> {
    Some(match bytes.len() {
        2 => i16::from_be_bytes(bytes.try_into().ok()?).into(),
        4 => i32::from_be_bytes(bytes.try_into().ok()?).into(),
        8 => i64::from_be_bytes(bytes.try_into().ok()?),
        _ => return None,
    })
}

impl SignalCallState {
    /// The call of a statement that is about to run.
    pub(super) fn of(facts: &Facts) -> Option<Box<Self>> {
        let call = call_of(facts.signal.get()?, None).ok().flatten()?;
        Some(Box::new(Self::Due(call)))
    }
}

/// The portal that a Bind makes of a statement.
///
/// # Errors
/// The refusal of a value that the server may read otherwise than pgsieve does.
pub(super) fn portal_of(
    client: &mut ClientSide,
    prepared: PreparedStatement,
    bind: &Bind<'_>,
) -> Result<Cursor, PathStop> {
    match facts_of_portal(&prepared, bind) {
        Ok(facts) => Ok(Cursor {
            facts,
            hold: false,
            text: prepared.text,
            parameters: prepared.parameters,
            next_run: Certainty::Certain,
            opened: None,
            digests: None,
            sent: prepared.sent,
        }),
        Err(refusal) => {
            let arrived = client.inflow.arrival();
            Err(PathStop::refused(refusal, &prepared.facts, arrived))
        }
    }
}

/// A session that cancels what it runs itself meets an error in that place, unless the statement
/// fails in any case.
///
/// # Errors
/// The server's own words.
pub(super) fn cancels_itself(
    facts: &Facts,
    limits: &SessionLimits,
    pending: &PendingReplies,
) -> Result<(), Box<Refusal>> {
    let signal = facts.signal.get();
    let Some(call) = signal.and_then(|signal| call_of(signal, None).ok().flatten()) else {
        return Ok(());
    };
    let own = limits.canceller().map(SessionCanceller::pid);
    match call.kind {
        SignalKind::Cancel if own == Some(call.pid) && !pending.is_sure_to_fail() => {
            Err(Refusal::of_own_cancel())
        }
        SignalKind::Cancel | SignalKind::Terminate => Ok(()),
    }
}

/// The row of a call: it waits while the call is carried out, and says what came of it.
///
/// # Errors
/// The session has ended itself.
pub(super) fn row_of_call(
    protocol: &mut SessionProtocol,
    rest: &[u8],
    header: &UpstreamHeader,
) -> Result<OwnRow, SessionEnd> {
    let Some(running) = protocol.pending.running_mut() else {
        return Ok(OwnRow::NotOwn);
    };
    let Some(calling) = running.calling.as_deref_mut() else {
        return Ok(OwnRow::NotOwn);
    };
    let Some(row) = rest.get(..header.total) else {
        return Ok(OwnRow::Waits);
    };
    if matches!(calling, SignalCallState::Told) || value_range(row).is_none() {
        return Ok(OwnRow::NotOwn);
    }
    if let SignalCallState::Due(call) = *calling {
        *calling = carry_out(call, protocol.limits.canceller())?;
    }
    // It may be known at once.
    let SignalCallState::Known(call, outcome) = *calling else {
        return Ok(OwnRow::Waits);
    };
    *calling = SignalCallState::Told;
    protocol.witness.telemetry.emit(&BackendSignalled {
        session: &protocol.witness.info,
        function: call.kind.function(),
        outcome: outcome.into(),
        fingerprint: running.facts.fingerprint,
    });
    let server_major = protocol.context.names.server_major();
    let (reply, levels) = protocol.hearing();
    if let Some(words) = failure_message(call, outcome, server_major)
        && !levels.is_mute()
    {
        reply::warning(reply, &words);
    }
    let told = row_saying(row, outcome == SignalResult::Sent);
    Ok(OwnRow::Told(BytesMut::from(&*told)))
}

/// Whether a row waits for its call.
pub(super) fn is_calling(pending: &PendingReplies) -> bool {
    let calling = pending.running().and_then(|it| it.calling.as_deref());
    matches!(calling, Some(SignalCallState::UnderWay(..)))
}

/// Ready unless a call is being carried out; wakes the session then.
pub(super) fn poll_call(pending: &mut PendingReplies, context: &mut Context<'_>) -> Poll<()> {
    let calling = pending
        .running_mut()
        .and_then(|it| it.calling.as_deref_mut());
    let Some(calling) = calling else {
        return Poll::Ready(());
    };
    if let SignalCallState::UnderWay(call, signalling) = calling {
        let (call, outcome) = (*call, std::task::ready!(signalling.as_mut().poll(context)));
        *calling = SignalCallState::Known(call, outcome);
    }
    Poll::Ready(())
}

/// Begins to carry a call out; of whoever has no key, nobody is signalled.
fn carry_out(
    call: SignalCall,
    own: Option<&SessionCanceller>,
) -> Result<SignalCallState, SessionEnd> {
    let Some(own) = own else {
        return Ok(SignalCallState::Known(call, SignalResult::Nobody));
    };
    let wait = Duration::from_millis(call.timeout_ms.unsigned_abs());
    match call.kind {
        SignalKind::Terminate if call.pid == own.pid() => {
            Err(SessionEnd::Ended(CloseReason::Terminated))
        }
        SignalKind::Terminate => Ok(SignalCallState::UnderWay(
            call,
            own.signal_end(call.pid, wait),
        )),
        SignalKind::Cancel => Ok(SignalCallState::UnderWay(call, own.signal_cancel(call.pid))),
    }
}

/// What the server says of a signal that did not do what was asked for.
fn failure_message(
    call: SignalCall,
    outcome: SignalResult,
    server_major: Option<u16>,
) -> Option<String> {
    let SignalCall {
        pid, timeout_ms, ..
    } = call;
    match outcome {
        SignalResult::Sent => None,
        SignalResult::Nobody if server_major.is_some_and(|major| major < 15) => {
            Some(format!("PID {pid} is not a PostgreSQL server process"))
        }
        SignalResult::Nobody => Some(format!("PID {pid} is not a PostgreSQL backend process")),
        SignalResult::NotSent => Some(format!(
            "could not send signal to process {pid}: the database does not take it"
        )),
        SignalResult::NotEnded => Some(format!(
            "backend with PID {pid} did not terminate within {timeout_ms} milliseconds"
        )),
    }
}

/// Where the one value of a row of one boolean stands that is not NULL.
fn value_range(row: &[u8]) -> Option<u8> {
    match row {
        [b'D', _, _, _, _, 0, 1, 0, 0, 0, 1, value] => Some(*value),
        _ => None,
    }
}

/// The same row, in its format, with the outcome in it.
fn row_saying(row: &[u8], done: bool) -> Vec<u8> {
    let mut row = row.to_vec();
    if let Some(value) = row.last_mut() {
        *value = match (*value, done) {
            (b'f' | b't', true) => b't',
            (b'f' | b't', false) => b'f',
            (_, done) => u8::from(done),
        };
    }
    row
}

impl fmt::Debug for SignalCallState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Due(_) => "Due",
            Self::UnderWay(..) => "UnderWay",
            Self::Known(..) => "Known",
            Self::Told => "Told",
        })
    }
}

/// The types whose binary form is a text: `text`, `unknown`, `varchar`.
const TEXTS: [u32; 3] = [25, 705, 1043];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_those_of_the_version() {
        let call = SignalCall {
            kind: SignalKind::Terminate,
            pid: 7,
            timeout_ms: 50,
        };
        for (outcome, major, value_range) in [
            (SignalResult::Sent, 15, None),
            (
                SignalResult::Nobody,
                13,
                Some("PID 7 is not a PostgreSQL server process"),
            ),
            (
                SignalResult::Nobody,
                14,
                Some("PID 7 is not a PostgreSQL server process"),
            ),
            (
                SignalResult::Nobody,
                15,
                Some("PID 7 is not a PostgreSQL backend process"),
            ),
            (
                SignalResult::NotEnded,
                18,
                Some("backend with PID 7 did not terminate within 50 milliseconds"),
            ),
        ] {
            assert_eq!(
                failure_message(call, outcome, Some(major)).as_deref(),
                value_range
            );
        }
        assert_eq!(format!("{call:?}"), "SignalCall(Terminate, …)");
    }

    #[test]
    fn only_a_row_of_one_boolean_is_said_otherwise() {
        let text = b"D\0\0\0\x0b\0\x01\0\0\0\x01f";
        let binary = b"D\0\0\0\x0b\0\x01\0\0\0\x01\0";
        assert_eq!(row_saying(text, true).last(), Some(&b't'));
        assert_eq!(row_saying(text, false), text);
        assert_eq!(row_saying(binary, true).last(), Some(&1));
        assert_eq!(row_saying(binary, false), binary);
        assert!(value_range(text).is_some() && value_range(binary).is_some());
        assert_eq!(value_range(b"D\0\0\0\x0a\0\x01\xff\xff\xff\xff"), None);
        assert_eq!(value_range(b"D\0\0\0\x0c\0\x01\0\0\0\x02on"), None);
        assert_eq!(value_range(b"D\0\0\0\x06\0\0"), None);
    }
}
