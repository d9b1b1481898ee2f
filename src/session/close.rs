//! How a session ends: what is recorded, what each side is still told, and what stops running.

use super::io::Relay;
use super::protocol::Ending;
use super::reply::{self, Farewell};
use super::shared::House;
use crate::net::framed_stream::Link;
use crate::sqlstate::{self, SqlState};
use crate::telemetry::events::{OwnCancelEnded, ProtocolViolation, TripwireFired};
use crate::telemetry::labels::{CancelCause, ClosedBecause, Peer, Violation};
use crate::telemetry::session_info::SessionInfo;
use crate::upstream::lease::Condition;
use crate::wire::malformed::Malformed;

/// Ends a session. Every step is bounded in time. May be cancelled: sockets close.
pub async fn part(
    relay: Box<Relay>,
    ending: Ending,
    info: &SessionInfo,
    house: &House,
) -> ClosedBecause {
    let Relay {
        mut conversation,
        client,
        upstream,
        lease,
        ..
    } = *relay;
    report(ending, info, house);
    let condition = match ending {
        Ending::Tripped(_) => Condition::Tripped,
        _ if is_ordered(ending) && conversation.is_upstream_running() => Condition::Ended,
        _ if conversation.is_upstream_running() => Condition::Running,
        _ => Condition::Rested,
    };
    // The user's place is taken until the upstream has heard of the end.
    let _place = conversation.quotas.slot();
    conversation.turn.begin_anew();
    conversation.abandon(why(ending));
    // As many times as its journal is longer than a turn.
    while conversation.turn.is_over() {
        house.turns.next().await;
        conversation.turn.begin_anew();
        conversation.abandon(why(ending));
    }
    let farewell = match ending {
        Ending::Terminated | Ending::ClientGone | Ending::UpstreamClosed => None,
        Ending::Ended(farewell) => Some(farewell),
        Ending::Tripped(_) => Some(Farewell::Tripwire),
    };
    // In the middle of a row the client would read an error as part of the row.
    if let Some(farewell) = farewell.filter(|_| !conversation.is_mid_frame()) {
        reply::farewell(&mut conversation.reply, farewell);
    }
    let last_words = conversation.reply.split();
    let client = Link::new(client);
    let hears = match ending {
        Ending::ClientGone => false,
        Ending::Terminated => !last_words.is_empty(),
        Ending::UpstreamClosed | Ending::Ended(_) | Ending::Tripped(_) => true,
    };
    let farewell = async {
        if hears {
            client.part(&last_words).await;
        }
    };
    let returning = lease.give_back(upstream, condition);
    let cancelled = match condition {
        // As from the server itself: whoever has asked for the end has its answer by then.
        Condition::Ended => {
            let cancelled = returning.await;
            farewell.await;
            cancelled
        }
        Condition::Running | Condition::Rested | Condition::Tripped => {
            tokio::join!(farewell, returning).1
        }
    };
    if let Some(outcome) = cancelled {
        house.desk.telemetry.emit(&OwnCancelEnded {
            cause: CancelCause::Abandoned,
            outcome: outcome.into(),
        });
    }
    reason(ending)
}

fn report(ending: Ending, session: &SessionInfo, house: &House) {
    let telemetry = &house.desk.telemetry;
    match ending {
        Ending::Tripped(wire) => telemetry.emit(&TripwireFired { session, wire }),
        Ending::Ended(Farewell::Violation(cause)) => {
            let (peer, cause) = (Peer::Client, violation(cause));
            telemetry.emit(&ProtocolViolation {
                session,
                peer,
                cause,
            });
        }
        Ending::Ended(Farewell::UpstreamUnreadable) => {
            let (peer, cause) = (Peer::Upstream, Violation::OutOfOrder);
            telemetry.emit(&ProtocolViolation {
                session,
                peer,
                cause,
            });
        }
        Ending::Ended(Farewell::UpstreamLost | Farewell::Tripwire)
        | Ending::Ended(Farewell::StatementTime | Farewell::UpstreamSilent)
        | Ending::Ended(Farewell::NoPolicy | Farewell::Shutdown | Farewell::Internal)
        | Ending::Ended(Farewell::Idle | Farewell::OutOfMemory | Farewell::Terminated)
        | Ending::Ended(Farewell::ResultLimit | Farewell::RolesUntold | Farewell::Lapsed)
        | Ending::Terminated
        | Ending::ClientGone
        | Ending::UpstreamClosed => {}
    }
}

/// Whether somebody or something else than the two sides has ended the session.
fn is_ordered(ending: Ending) -> bool {
    matches!(
        ending,
        Ending::Ended(Farewell::Terminated | Farewell::Lapsed)
    )
}

/// How the statements have ended that were under way.
fn why(ending: Ending) -> SqlState {
    match ending {
        Ending::Ended(Farewell::StatementTime) => sqlstate::QUERY_CANCELED,
        Ending::Ended(Farewell::Terminated | Farewell::Lapsed) => sqlstate::ADMIN_SHUTDOWN,
        Ending::Ended(Farewell::ResultLimit) => sqlstate::PROGRAM_LIMIT_EXCEEDED,
        _ => sqlstate::CONNECTION_FAILURE,
    }
}

fn reason(ending: Ending) -> ClosedBecause {
    match ending {
        Ending::Terminated => ClosedBecause::Terminate,
        Ending::ClientGone => ClosedBecause::ClientGone,
        Ending::UpstreamClosed | Ending::Ended(Farewell::UpstreamLost) => {
            ClosedBecause::UpstreamGone
        }
        Ending::Ended(Farewell::StatementTime | Farewell::UpstreamSilent) => {
            ClosedBecause::UpstreamSilent
        }
        Ending::Ended(Farewell::Terminated | Farewell::Lapsed) => ClosedBecause::Terminated,
        Ending::Ended(Farewell::Idle) => ClosedBecause::TimedOut,
        Ending::Ended(Farewell::Violation(_)) => ClosedBecause::ClientViolation,
        Ending::Ended(Farewell::UpstreamUnreadable) => ClosedBecause::UpstreamViolation,
        Ending::Ended(Farewell::NoPolicy | Farewell::RolesUntold) => ClosedBecause::NoPolicy,
        Ending::Ended(Farewell::Shutdown) => ClosedBecause::Drained,
        Ending::Ended(Farewell::OutOfMemory) => ClosedBecause::OutOfMemory,
        Ending::Ended(Farewell::ResultLimit) => ClosedBecause::ResultLimit,
        Ending::Ended(Farewell::Internal) => ClosedBecause::Panic,
        Ending::Tripped(_) | Ending::Ended(Farewell::Tripwire) => ClosedBecause::Tripwire,
    }
}

fn violation(cause: Malformed) -> Violation {
    match cause {
        Malformed::UnknownType { .. } => Violation::UnknownMessage,
        Malformed::LengthTooSmall { .. } => Violation::BadLength,
        Malformed::LengthTooLarge { .. } => Violation::TooLarge,
        Malformed::NotUtf8 => Violation::NotUtf8,
        _ => Violation::Malformed,
    }
}
