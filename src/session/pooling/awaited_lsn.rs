//! Reads of a session that has named what its server must have replayed (`pgsieve.min_lsn`): they
//! see what was written elsewhere before.
//!
//! A message that comes when nothing is under way waits until the server has replayed that, for a
//! time. A session that shares its connections then goes to a server that has, where there is one.
//! A read that comes to a server of which it is not known is refused.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::server_place::{ReplayWait, ServerPlace};
use crate::gate::{Refusal, Rule};
use crate::lsn::Lsn;
use crate::session::context::client_settings::ClientSettingsChange;
use crate::session::pending::ExpectedReply;
use crate::session::protocol::SessionProtocol;
use crate::upstream::servers::UpstreamServer;

/// Whether the message that is there waits for what its server replays; the task is woken then.
pub(in crate::session) fn waits_for_replay(
    protocol: &mut SessionProtocol,
    has_message: bool,
    context: &mut Context<'_>,
) -> bool {
    let wanted = (protocol.context.client_settings.min_lsn()).filter(|_| has_message);
    let Some(lsn) = wanted else {
        protocol.upstream.place.replay_wait = None;
        return false;
    };
    if !is_between_messages(protocol) {
        return false;
    }
    let Some(server) = missing_at(protocol, lsn) else {
        protocol.upstream.place.replay_wait = None;
        return false;
    };
    let wait = (protocol.upstream.place.replay_wait).get_or_insert_with(|| {
        let longest = server.min_lsn_wait();
        let waiting = async move { server.until_replayed(lsn, longest).await };
        Box::new(ReplayWait::Waiting(Box::pin(waiting)))
    });
    let ReplayWait::Waiting(waiting) = &mut **wait else {
        return false;
    };
    if waiting.as_mut().poll(context) == Poll::Pending {
        return true;
    }
    **wait = ReplayWait::Over;
    false
}

/// A statement is sent that changes that.
pub(in crate::session) fn note_named_lsn(
    place: &mut ServerPlace,
    change: Option<ClientSettingsChange>,
) {
    place.names_lsn |= change.is_some_and(ClientSettingsChange::names_lsn);
}

/// Whether what comes next is kept until it is known whether it waits.
pub(in crate::session) fn may_wait_for_replay(protocol: &SessionProtocol) -> bool {
    let lsn = protocol.context.client_settings.min_lsn();
    lsn.is_some_and(|lsn| missing_at(protocol, lsn).is_some()) && is_between_messages(protocol)
}

/// Nothing is under way that would have to end first, and what comes may succeed.
fn is_between_messages(protocol: &SessionProtocol) -> bool {
    let pending = &protocol.pending;
    pending.is_empty() && !pending.transaction.unsynced && !pending.is_sure_to_fail()
}

/// The server that the session is at, unless it is known to have replayed that.
fn missing_at(protocol: &SessionProtocol, lsn: Lsn) -> Option<Arc<UpstreamServer>> {
    let place = &protocol.upstream.place;
    let server = place.server()?;
    (!server.has_replayed(lsn, place.reported())).then(|| Arc::clone(server))
}

/// Whether a read may be sent now, by what its server has replayed.
///
/// # Errors
/// It has not replayed what the client has named, or what that is now is not known yet.
pub(in crate::session) fn has_replayed(protocol: &mut SessionProtocol) -> Result<(), Box<Refusal>> {
    // It fails by itself, with an error that says more.
    if protocol.pending.is_sure_to_fail() {
        return Ok(());
    }
    if protocol.upstream.place.names_lsn {
        let names_lsn = |owed: &mut ExpectedReply| owed.names_lsn();
        match protocol.pending.owed_first().any(names_lsn) {
            true => return Err(refusal(&NAMED_JUST_NOW)),
            false => protocol.upstream.place.names_lsn = false,
        }
    }
    if protocol.context.client_settings.is_lsn_unclear() {
        return Err(refusal(&UNCLEAR));
    }
    let Some(lsn) = protocol.context.client_settings.min_lsn() else {
        return Ok(());
    };
    match missing_at(protocol, lsn) {
        None => Ok(()),
        Some(server) if server.tells_replay() => Err(refusal(&format_args!(
            "this server has not replayed {lsn} yet, which pgsieve.min_lsn asks for"
        ))),
        Some(_) => Err(refusal(&UNKNOWN)),
    }
}

fn refusal(message: &dyn fmt::Display) -> Box<Refusal> {
    let rule = Rule::MinLsn;
    Box::new(Refusal {
        rule,
        sqlstate: rule.sqlstate(),
        message: message.to_string(),
        detail: format!("rule: {}", rule.name()),
        hint: HINT.to_owned(),
        fixed_hint: HINT,
        position: None,
        subject: None,
    })
}

/// The way on.
const HINT: &str = "Run it again, ask the primary, or RESET pgsieve.min_lsn to read what is there.";

/// For a read behind a SET that was not answered yet.
const NAMED_JUST_NOW: &str =
    "pgsieve.min_lsn is being set: what the server must have replayed is not known yet";

/// For a read behind a text that sets it in an unusual form.
const UNCLEAR: &str = "which position pgsieve.min_lsn names is not known: SET it by itself";

/// For a read at a standby that nobody asks.
const UNKNOWN: &str = "it is not known what this standby has replayed, which pgsieve.min_lsn asks \
                       for";
