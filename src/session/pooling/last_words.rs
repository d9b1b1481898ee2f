//! What a server says as it ends the work of a session, and whether that is the end of the server.
//!
//! One that dies says so to all sessions in a notice. One that is stopped by plan ends each of them
//! with the same error as an administrator who ends one statement for good: only the server itself
//! can tell which of the two it was. And one that says nothing for long, not even to a look, is as
//! good as dead.

use std::sync::Arc;

use super::lost_server;
use super::moving::{self, MoveCause};
use super::pooled_relay::PoolJob;
use super::server_place::server_need;
use crate::session::io::Relay;
use crate::session::io::moves::{BytesMoved, MoveResult, UpstreamLeftover};
use crate::sqlstate;
use crate::wire::backend;
use crate::wire::frame::{UpstreamHeader, header_backend};

/// What bytes of the upstream say of its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastWords {
    /// Nothing.
    None,
    /// The server dies.
    Dying,
    /// The session is ended, perhaps with the server.
    Ended,
}

/// What the upstream says with these bytes of its end, where the client has heard nothing yet of
/// all that is under way.
pub(super) fn last_words(relay: &Relay, bytes: &[u8]) -> LastWords {
    let is_unheard = relay.pooled.as_ref().is_some_and(|pooled| {
        pooled.job.is_none() && pooled.unanswered.is_unheard(relay.counted().to_client)
    });
    // Behind the start of a message they begin anywhere.
    match is_unheard && relay.upstream_rest.is_empty() {
        true => words_in(bytes),
        false => LastWords::None,
    }
}

fn words_in(mut bytes: &[u8]) -> LastWords {
    while let Ok(Some(UpstreamHeader { kind, total })) = header_backend(bytes)
        && let Some((message, rest)) = bytes.split_at_checked(total)
    {
        let fields = message.get(HEADER_BYTES..).map(backend::error_fields);
        match (kind, fields) {
            (b'N', Some(Ok(fields))) if fields.get(b'R') == Some(LAST_ROUTINE) => {
                return LastWords::Dying;
            }
            (b'E', Some(Ok(fields)))
                if fields.get(b'V') == Some("FATAL")
                    && fields.get(b'C') == Some(sqlstate::ADMIN_SHUTDOWN.as_str()) =>
            {
                return LastWords::Ended;
            }
            _ => bytes = rest,
        }
    }
    LastWords::None
}

/// What was under way is ended, as these bytes say: they are kept back until the server has said
/// whether it stops.
pub(super) fn ask_whether_server_stops(relay: &mut Relay, bytes: &[u8]) -> BytesMoved {
    let Some(pooled) = &mut relay.pooled else {
        return BytesMoved::Nothing;
    };
    let server = Arc::clone(pooled.server().server());
    let (source, base) = (Arc::clone(pooled.source()), Arc::clone(pooled.base()));
    let asking = async move { server.has_stopped(&source, &base).await };
    pooled.job = Some(PoolJob::AskingServer(Box::pin(asking)));
    relay.upstream_rest.extend_from_slice(bytes);
    BytesMoved::Some
}

/// It stops, and what was under way runs elsewhere, where that may be; or the client hears of the
/// end after all.
///
/// # Errors
/// The reason to end the session.
pub(super) fn end_is_explained(relay: &mut Relay, is_stopping: bool) -> MoveResult {
    if is_stopping && lost_server::run_elsewhere(relay)? == BytesMoved::Some {
        return Ok(BytesMoved::Some);
    }
    if let Some(pooled) = &mut relay.pooled {
        pooled.unanswered.forget();
    }
    relay.upstream_waits = UpstreamLeftover::ForTheNextTurn;
    Ok(BytesMoved::Some)
}

/// The server has fallen silent, and others have not: what is under way there goes on elsewhere,
/// and so does the wait for a connection.
///
/// # Errors
/// The reason to end the session.
pub(super) fn leave_if_silent(relay: &mut Relay) -> MoveResult {
    let need = server_need(&relay.protocol);
    let Some(pooled) = &mut relay.pooled else {
        return Ok(BytesMoved::Nothing);
    };
    if !pooled.homes().servers.is_silent_alone(pooled.server()) {
        return Ok(BytesMoved::Nothing);
    }
    if !matches!(pooled.job, Some(PoolJob::Taking(_))) {
        return lost_server::run_elsewhere(relay);
    }
    let Some(job) = moving::begin(pooled, need, MoveCause::Lost) else {
        return Ok(BytesMoved::Nothing);
    };
    pooled.job = Some(job);
    Ok(BytesMoved::Some)
}

/// A type byte and a length.
const HEADER_BYTES: usize = 5;

/// What says so in the server's source: another process has crashed, or it is stopped at once. No
/// statement can have a notice from there.
const LAST_ROUTINE: &str = "quickdie";

#[cfg(test)]
mod tests {
    use super::{LastWords, words_in};

    fn message(kind: u8, body: &str) -> Vec<u8> {
        let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
        [&[kind][..], &length, body.as_bytes()].concat()
    }

    #[test]
    fn a_server_that_dies_or_ends_a_session_is_told_from_what_a_statement_says() {
        let dies = |by: &str| format!("SWARNING\0C57P02\0Mterminating connection\0R{by}\0\0");
        let notice = |by: &str| message(b'N', &dies(by));
        let ended = |severity: &str, code: &str| {
            let routine = "ProcessInterrupts";
            message(
                b'E',
                &format!("S{severity}\0V{severity}\0C{code}\0Mterminating\0R{routine}\0\0"),
            )
        };
        let row = message(b'D', "\0\x01\0\0\0\x08quickdie");
        let before = [message(b'T', "\0\0"), row.clone()].concat();
        for (bytes, expected) in [
            (notice("quickdie"), LastWords::Dying),
            (
                [before.clone(), notice("quickdie")].concat(),
                LastWords::Dying,
            ),
            (ended("FATAL", "57P01"), LastWords::Ended),
            ([before, ended("FATAL", "57P01")].concat(), LastWords::Ended),
            // What a function says.
            (notice("exec_stmt_raise"), LastWords::None),
            (ended("ERROR", "57P01"), LastWords::None),
            (ended("FATAL", "57014"), LastWords::None),
            (ended("FATAL", "57P05"), LastWords::None),
            (message(b'E', &dies("quickdie")), LastWords::None),
            (message(b'N', "Rquickdie"), LastWords::None),
            (row, LastWords::None),
            (notice("quickdie")[..20].to_vec(), LastWords::None),
            (ended("FATAL", "57P01")[..30].to_vec(), LastWords::None),
            (Vec::new(), LastWords::None),
        ] {
            assert_eq!(words_in(&bytes), expected, "{bytes:?}");
        }
    }
}
