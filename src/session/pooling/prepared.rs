//! The unnamed statement of a client on the connection that it has now. What another client has
//! left there is closed before the first message that could find it; the client's own is judged as
//! when it came and prepared again, where a message needs it.

use std::borrow::Cow;

use super::pool_side::CarriedMessage;
use crate::gate::{ParameterTypes, Refusal, Verdict};
use crate::session::pending::ExpectedReply;
use crate::session::protocol::SessionProtocol;
use crate::session::server::forwarding::Forwarding;
use crate::session::server::on_error::{on_error, on_notice};
use crate::session::session_end::{SessionEnd, UNREADABLE, UNSENDABLE};
use crate::wire::frontend::ParameterOids;

/// A message of the extended protocol is sent next: what another client has prepared without a name
/// is closed before it. As the first of its batch nothing has it skipped.
///
/// # Errors
/// The session ends.
pub(in crate::session) fn take_unnamed_place(
    protocol: &mut SessionProtocol,
) -> Result<(), SessionEnd> {
    let Some(side) = &mut protocol.upstream.pool else {
        return Ok(());
    };
    if !side.takes_place() {
        return Ok(());
    }
    let closed = protocol.upstream.outbox.close_statement("");
    closed.map_err(|_| UNSENDABLE)?;
    protocol.pending.transaction.open_batch();
    let owed = ExpectedReply::Carried(CarriedMessage::Close);
    protocol.pending.push(owed);
    Ok(())
}

/// A message of the client's batch needs the statement of this name: the unnamed one is prepared
/// where it is missing.
///
/// # Errors
/// It may not run any more.
pub(in crate::session) fn prepare_again(
    protocol: &mut SessionProtocol,
    name: &str,
) -> Result<(), Box<Refusal>> {
    let side = protocol.upstream.pool.as_ref();
    let missing = side.and_then(|side| side.missing());
    let (true, Some(unnamed)) = (name.is_empty(), missing.cloned()) else {
        return Ok(());
    };
    let gate = &protocol.judge.gate;
    (protocol.context).refresh_names(gate, &protocol.pending);
    let names = &protocol.context.names;
    let text = Cow::Borrowed(&*unnamed.text);
    let judgement = gate.judge_with(text, &unnamed.parameters, names);
    let permit = match judgement.verdict {
        Verdict::Permitted(permit) => permit,
        Verdict::Refused(refusal) => return Err(refusal),
        Verdict::Clamped(_) => return Err(Refusal::of_unknown_statement(name)),
    };
    let types: &[u32] = match &unnamed.parameters {
        ParameterTypes::Given(types) => types,
        ParameterTypes::Unknown => &[],
    };
    let words: Vec<[u8; 4]> = types.iter().map(|oid| oid.to_be_bytes()).collect();
    let types = ParameterOids::of(&words).unwrap_or_default();
    let unsent = || Refusal::of_unknown_statement(name);
    take_unnamed_place(protocol).map_err(|_| unsent())?;
    let sent = protocol.upstream.outbox.parse(name, &permit, types);
    sent.map_err(|_| unsent())?;
    let owed = ExpectedReply::Carried(CarriedMessage::Parse);
    protocol.pending.push(owed);
    Ok(())
}

/// An answer to a message of pgsieve's own.
///
/// # Errors
/// The reason to end the session.
pub(in crate::session) fn carried_answered(
    protocol: &mut SessionProtocol,
    kind: u8,
    body: &[u8],
) -> Result<Forwarding, SessionEnd> {
    match (kind, protocol.pending.head()) {
        (b'N', _) => on_notice(protocol, body),
        (b'A', _) => Ok(Forwarding::Forward),
        (b'S', _) => protocol.setting_reported(body),
        (b'E', _) => on_error(protocol, body),
        (b'3', Some(ExpectedReply::Carried(CarriedMessage::Close)))
        | (b'1', Some(ExpectedReply::Carried(CarriedMessage::Parse))) => {
            protocol.pending.pop();
            Ok(Forwarding::Drop)
        }
        _ => Err(UNREADABLE),
    }
}
