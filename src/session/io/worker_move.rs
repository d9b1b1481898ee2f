//! Sessions that go on with another worker: when one may, and what it takes up there.

use std::sync::Arc;
use std::task::{Context, Poll};

use super::Relay;
use super::moves::{ClientFlush, StopRequest};
use super::timeouts::ClientReadState;
use crate::session::session_end::SessionEnd;
use crate::session::shared::ServerShared;
use crate::telemetry::events::SessionChangedWorker;

/// Why a relay has stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelayEnd {
    /// The session is over.
    Ended(SessionEnd),
    /// It goes on with the worker of this number.
    MovesTo(usize),
}

impl From<SessionEnd> for RelayEnd {
    fn from(ending: SessionEnd) -> Self {
        Self::Ended(ending)
    }
}

/// A session has nothing to do now: it goes on with another worker where its own has too much to
/// do, or waits.
pub(super) fn moves_or_waits(
    relay: &mut Relay,
    context: &mut Context<'_>,
    read_buffer: &mut [u8],
) -> Poll<RelayEnd> {
    match destination(relay) {
        Some(worker) => Poll::Ready(RelayEnd::MovesTo(worker)),
        None => relay.watch(context, read_buffer).map(RelayEnd::from),
    }
}

/// The worker that it goes on with.
fn destination(relay: &mut Relay) -> Option<usize> {
    if !relay.turns.load().is_leaving() || !is_movable(relay) || !has_left(relay) {
        return None;
    }
    let (worker, reason) = relay.turns.load().departure()?;
    let telemetry = &relay.protocol.witness.telemetry;
    telemetry.emit(&SessionChangedWorker { reason });
    Some(worker)
}

/// Nothing of it is under way on this thread's ring any more. Where something is, it stays for now.
fn has_left(relay: &mut Relay) -> bool {
    let upstream = relay.upstream.as_mut();
    relay.client.leave_ring().is_ok()
        && upstream.is_none_or(|upstream| upstream.leave_ring().is_ok())
}

/// Whether nothing of a session is held by the thread that it is on.
fn is_movable(relay: &Relay) -> bool {
    let holds_shared = (relay.pooled.as_ref()).is_some_and(|pooled| pooled.has_or_wants());
    relay.stops_at_rest == StopRequest::NotAsked
        && relay.clocks.client == ClientReadState::Open
        && relay.client_rest.is_empty()
        && relay.protocol.client.reply.is_empty()
        && relay.client_flush == ClientFlush::Settled
        && relay.room.is_none()
        && relay.next_turn.is_none()
        && !holds_shared
        && relay.is_at_rest()
}

/// The session goes on with this worker: what its thread shares is the session's from now on, and
/// its runtime wakes it.
pub(in crate::session) fn take_up(relay: &mut Relay, server_shared: &ServerShared) {
    // Where the system has no descriptor left, the worker of before goes on waking the session.
    let _ = relay.client.join_this_runtime();
    if let Some(upstream) = &mut relay.upstream {
        let _ = upstream.join_this_runtime();
    }
    let shared = server_shared.shared();
    let protocol = &mut relay.protocol;
    protocol.judge.cache = shared.cache;
    protocol.plan.cache = shared.plans;
    protocol.witness.telemetry = shared.telemetry;
    protocol.repair.join_worker(shared.repair_executor);
    relay.read_buffer = Arc::clone(&server_shared.read_buffer);
    relay.turns = server_shared.turns.clone();
    relay.load_window = 0;
    relay.clocks.drop_timer();
    relay.idle.drop_timer();
}
