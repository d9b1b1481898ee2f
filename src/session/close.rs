//! How a session ends: what is recorded, what each side is still told, and what stops running.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use super::ServedSession;
use super::drain::DrainReceiver;
use super::io::Relay;
use super::reply::{self, CloseReason};
use super::session_end::SessionEnd;
use super::shared::ServerShared;
use crate::net::framed_stream::FramedStream;
use crate::sqlstate::{self, SqlState};
use crate::telemetry::events::{
    ConnectionClosed, OwnCancelEnded, ProtocolViolation, TripwireFired,
};
use crate::telemetry::labels::{CancelCause, ClosedBecause, SessionLeg, ViolationKind};
use crate::telemetry::session_info::SessionInfo;
use crate::upstream::cancel::CancelResult;
use crate::upstream::lease::{LeaseCondition, UpstreamLease};
use crate::upstream::writer::UpstreamStream;
use crate::wire::malformed::MalformedMessage;

/// A session is over. By itself: one that does nothing has nothing to say goodbye with.
pub(super) fn part<'a>(
    session: Box<ServedSession>,
    ending: SessionEnd,
    (server_shared, draining): (&'a ServerShared, &'a DrainReceiver),
) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
    Box::pin(async move {
        let ServedSession {
            relay,
            enlisted: _enlisted,
            gauge: _gauge,
            since,
            ended: _,
        } = *session;
        // Of the policy that it was under at the end.
        let info = Arc::clone(&relay.protocol.witness.info);
        let counted = relay.counted();
        let reason = close_session(relay, ending, &info, server_shared).await;
        let counts = (info, reason, counted.from_client, counted.to_client);
        report_closed(counts, since, (server_shared, draining)).await;
    })
}

/// A connection is closed: whose, why, and the bytes from and to the client. Comes to its end when
/// its lines have a place.
pub(super) async fn report_closed(
    (info, reason, bytes_in, bytes_out): (Arc<SessionInfo>, ClosedBecause, u64, u64),
    since: Instant,
    (server_shared, draining): (&ServerShared, &DrainReceiver),
) {
    let duration = since.elapsed();
    let session: &SessionInfo = &info;
    server_shared
        .login_context
        .telemetry
        .emit(&ConnectionClosed {
            session,
            reason,
            duration,
            bytes_in,
            bytes_out,
        });
    // Its place goes to nobody else before its lines have one: whoever comes again and again
    // fills no memory.
    if session.has_debt() {
        let room = Box::pin(server_shared.login_context.telemetry.room());
        tokio::select! {
            () = room => {}
            () = draining.begun() => {}
        }
    }
}

/// Ends a session. Every step is bounded in time. May be cancelled: sockets close.
async fn close_session(
    mut relay: Box<Relay>,
    ending: SessionEnd,
    info: &SessionInfo,
    server_shared: &ServerShared,
) -> ClosedBecause {
    relay.release_at_end();
    let Relay {
        mut protocol,
        client,
        upstream,
        lease,
        // Its connection is the session's until the upstream has heard of the end.
        pooled: _pooled,
        ..
    } = *relay;
    report(ending, info, server_shared);
    let condition = match ending {
        SessionEnd::Tripped(_) => LeaseCondition::Tripped,
        _ if is_ordered(ending) && !protocol.pending.is_at_rest() => LeaseCondition::Ended,
        _ if !protocol.pending.is_at_rest() => LeaseCondition::Running,
        _ => LeaseCondition::Rested,
    };
    // The user's place is taken until the upstream has heard of the end.
    let _place = protocol.limits.slot();
    protocol.turn.begin_anew();
    protocol.record_unanswered(statement_sqlstate(ending));
    // As many times as its pending replies are longer than a turn.
    while protocol.turn.is_over() {
        server_shared.turns.next().await;
        protocol.turn.begin_anew();
        protocol.record_unanswered(statement_sqlstate(ending));
    }
    let close_reason = match ending {
        SessionEnd::Terminated | SessionEnd::ClientGone | SessionEnd::UpstreamClosed => None,
        SessionEnd::Ended(close_reason) => Some(close_reason),
        SessionEnd::Tripped(_) => Some(CloseReason::Tripwire),
    };
    // In the middle of a row the client would read an error as part of the row.
    if let Some(close_reason) = close_reason.filter(|_| !protocol.upstream.is_mid_frame()) {
        reply::close_message(&mut protocol.client.reply, close_reason);
    }
    let last_words = protocol.client.reply.split();
    let client = FramedStream::new(client);
    let hears = match ending {
        SessionEnd::ClientGone => false,
        SessionEnd::Terminated => !last_words.is_empty(),
        SessionEnd::UpstreamClosed | SessionEnd::Ended(_) | SessionEnd::Tripped(_) => true,
    };
    let close_reason = async {
        if hears {
            client.send_and_close(&last_words).await;
        }
    };
    let returning = hand_back(lease, upstream, condition);
    let cancelled = match condition {
        // As from the server itself: whoever has asked for the end has its answer by then.
        LeaseCondition::Ended => {
            let cancelled = returning.await;
            close_reason.await;
            cancelled
        }
        LeaseCondition::Running | LeaseCondition::Rested | LeaseCondition::Tripped => {
            tokio::join!(close_reason, returning).1
        }
    };
    if let Some(outcome) = cancelled {
        server_shared.login_context.telemetry.emit(&OwnCancelEnded {
            cause: CancelCause::Abandoned,
            outcome: outcome.into(),
        });
    }
    reason(ending)
}

/// Hands the upstream's session back, where the client has one now.
async fn hand_back(
    lease: UpstreamLease,
    upstream: Option<UpstreamStream>,
    condition: LeaseCondition,
) -> Option<CancelResult> {
    match upstream {
        Some(upstream) => lease.give_back(upstream, condition).await,
        None => None,
    }
}

/// Records what is wrong with a session that ends so.
pub(super) fn report(ending: SessionEnd, session: &SessionInfo, server_shared: &ServerShared) {
    let telemetry = &server_shared.login_context.telemetry;
    match ending {
        SessionEnd::Tripped(wire) => telemetry.emit(&TripwireFired { session, wire }),
        SessionEnd::Ended(CloseReason::Violation(cause)) => {
            let (peer, cause) = (SessionLeg::Client, violation(cause));
            telemetry.emit(&ProtocolViolation {
                session,
                peer,
                cause,
            });
        }
        SessionEnd::Ended(CloseReason::UpstreamUnreadable) => {
            let (peer, cause) = (SessionLeg::Upstream, ViolationKind::OutOfOrder);
            telemetry.emit(&ProtocolViolation {
                session,
                peer,
                cause,
            });
        }
        SessionEnd::Ended(CloseReason::UpstreamLost | CloseReason::Tripwire)
        | SessionEnd::Ended(CloseReason::StatementTime | CloseReason::UpstreamSilent)
        | SessionEnd::Ended(
            CloseReason::NoPolicy | CloseReason::Shutdown | CloseReason::Internal,
        )
        | SessionEnd::Ended(
            CloseReason::Idle | CloseReason::OutOfMemory | CloseReason::Terminated,
        )
        | SessionEnd::Ended(
            CloseReason::ResultLimit | CloseReason::RolesUntold | CloseReason::Lapsed,
        )
        | SessionEnd::Ended(CloseReason::NotPermittedHere(_))
        | SessionEnd::Ended(
            CloseReason::PoolBusy { .. } | CloseReason::PoolPaused | CloseReason::UpstreamChanged,
        )
        | SessionEnd::Terminated
        | SessionEnd::ClientGone
        | SessionEnd::UpstreamClosed => {}
    }
}

/// Whether somebody or something else than the two sides has ended the session.
fn is_ordered(ending: SessionEnd) -> bool {
    matches!(
        ending,
        SessionEnd::Ended(CloseReason::Terminated | CloseReason::Lapsed)
    )
}

/// How the statements have ended that were under way.
fn statement_sqlstate(ending: SessionEnd) -> SqlState {
    match ending {
        SessionEnd::Ended(CloseReason::StatementTime) => sqlstate::QUERY_CANCELED,
        SessionEnd::Ended(CloseReason::Terminated | CloseReason::Lapsed) => {
            sqlstate::ADMIN_SHUTDOWN
        }
        SessionEnd::Ended(CloseReason::ResultLimit) => sqlstate::PROGRAM_LIMIT_EXCEEDED,
        _ => sqlstate::CONNECTION_FAILURE,
    }
}

/// Why its connection ends.
pub(super) fn reason(ending: SessionEnd) -> ClosedBecause {
    match ending {
        SessionEnd::Terminated => ClosedBecause::Terminate,
        SessionEnd::ClientGone => ClosedBecause::ClientGone,
        SessionEnd::UpstreamClosed
        | SessionEnd::Ended(CloseReason::UpstreamLost | CloseReason::UpstreamChanged) => {
            ClosedBecause::UpstreamGone
        }
        SessionEnd::Ended(CloseReason::PoolBusy { .. } | CloseReason::PoolPaused) => {
            ClosedBecause::PoolBusy
        }
        SessionEnd::Ended(CloseReason::StatementTime | CloseReason::UpstreamSilent) => {
            ClosedBecause::UpstreamSilent
        }
        SessionEnd::Ended(CloseReason::Terminated | CloseReason::Lapsed) => {
            ClosedBecause::Terminated
        }
        SessionEnd::Ended(CloseReason::Idle) => ClosedBecause::TimedOut,
        SessionEnd::Ended(CloseReason::Violation(_)) => ClosedBecause::ClientViolation,
        SessionEnd::Ended(CloseReason::UpstreamUnreadable) => ClosedBecause::UpstreamViolation,
        SessionEnd::Ended(
            CloseReason::NoPolicy | CloseReason::RolesUntold | CloseReason::NotPermittedHere(_),
        ) => ClosedBecause::NoPolicy,
        SessionEnd::Ended(CloseReason::Shutdown) => ClosedBecause::Drained,
        SessionEnd::Ended(CloseReason::OutOfMemory) => ClosedBecause::OutOfMemory,
        SessionEnd::Ended(CloseReason::ResultLimit) => ClosedBecause::ResultLimit,
        SessionEnd::Ended(CloseReason::Internal) => ClosedBecause::Panic,
        SessionEnd::Tripped(_) | SessionEnd::Ended(CloseReason::Tripwire) => {
            ClosedBecause::Tripwire
        }
    }
}

fn violation(cause: MalformedMessage) -> ViolationKind {
    match cause {
        MalformedMessage::UnknownType { .. } => ViolationKind::UnknownMessage,
        MalformedMessage::LengthTooSmall { .. } => ViolationKind::BadLength,
        MalformedMessage::LengthTooLarge { .. } => ViolationKind::TooLarge,
        MalformedMessage::NotUtf8 => ViolationKind::NotUtf8,
        _ => ViolationKind::Malformed,
    }
}
