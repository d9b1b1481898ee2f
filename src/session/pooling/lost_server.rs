//! A server dies or stops before a client has heard anything of what it sent: that runs once more,
//! at another server, as if it had just come.
//!
//! It is for sessions that share connections with others, where there are several servers, and for
//! what began outside of a transaction: nothing of it can have stayed, and the answers that the
//! client gets are all of one server. What was under way is recorded as failed; what runs in its
//! place is judged by what the other server contains, and recorded by itself.

use bytes::BytesMut;

use super::moving::{self, MoveCause};
use super::named::SentParse;
use super::pool_side::CarriedMessage;
use super::server_place::server_need;
use crate::limits;
use crate::session::client_side::ClientState;
use crate::session::io::Relay;
use crate::session::io::moves::BytesMoved;
use crate::session::pending::ExpectedReply;
use crate::session::protocol::SessionProtocol;
use crate::session::session_end::{SessionEnd, UNREADABLE};
use crate::upstream::outbox::Outbox;
use crate::upstream::pool::prepared_names::PreparedNames;
use crate::wire::backend::TransactionStatus;
use crate::wire::encode;

/// What a client has sent since nothing was under way. It is the client's text: nothing shows it.
#[derive(Default)]
pub(in crate::session) struct UnansweredBatch {
    /// Whole messages.
    messages: BytesMut,
    /// Whether all of it is there.
    is_whole: bool,
    /// Bytes that had gone to the client when it began.
    told: u64,
    /// Bytes of what runs once more that were not taken yet: it has no third time.
    again: usize,
}

impl UnansweredBatch {
    /// Nothing is under way: a batch begins. So many bytes have gone to the client.
    fn begin(&mut self, told: u64) {
        self.messages.clear();
        self.is_whole = self.again == 0;
        self.told = told;
    }

    /// Messages of the client were taken.
    fn taken(&mut self, messages: &[u8]) {
        self.again = self.again.saturating_sub(messages.len());
        if !self.is_whole {
            return;
        }
        let length = self.messages.len().saturating_add(messages.len());
        match length <= limits::upstreams::UNANSWERED_BYTES_MAX {
            true => self.messages.extend_from_slice(messages),
            false => self.forget(),
        }
    }

    /// Whether all of it is there and the client, which so many bytes have gone to, has heard
    /// nothing of it.
    pub(super) fn is_unheard(&self, told: u64) -> bool {
        self.is_whole && self.told == told
    }

    /// Whether all of it is there.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Bytes of memory that it takes.
    pub(in crate::session) fn memory(&self) -> usize {
        self.messages.capacity()
    }

    /// It is not kept any longer.
    pub(super) fn forget(&mut self) {
        (self.messages, self.is_whole) = (BytesMut::new(), false);
    }

    /// All of it, for its second time.
    fn take_again(&mut self) -> BytesMut {
        self.is_whole = false;
        self.again = self.messages.len();
        std::mem::take(&mut self.messages)
    }
}

/// Messages of the client are taken next.
pub(super) fn begin_taking(relay: &mut Relay) {
    if !relay.is_at_rest() {
        return;
    }
    let told = relay.counted().to_client;
    if let Some(pooled) = &mut relay.pooled
        && pooled.homes().servers.are_several()
    {
        pooled.unanswered.begin(told);
    }
}

/// These messages of the client were taken.
pub(super) fn note_taken(relay: &mut Relay, messages: &[u8]) {
    if let Some(pooled) = &mut relay.pooled
        && !messages.is_empty()
    {
        pooled.note_use();
        pooled.unanswered.taken(messages);
    }
}

/// The connection is lost, or about to be: what the client waits for runs once more at another
/// server, where that may be.
///
/// # Errors
/// The reason to end the session.
pub(super) fn run_elsewhere(relay: &mut Relay) -> Result<BytesMoved, SessionEnd> {
    if !may_run_again(relay) {
        return Ok(BytesMoved::Nothing);
    }
    let need = server_need(&relay.protocol);
    let Some(job) = (relay.pooled.as_ref()).and_then(|it| moving::begin(it, need, MoveCause::Lost))
    else {
        return Ok(BytesMoved::Nothing);
    };
    fail_all(&mut relay.protocol)?;
    let Some(pooled) = &mut relay.pooled else {
        return Ok(BytesMoved::Nothing);
    };
    pooled.job = Some(job);
    if let Some(held) = pooled.held.take() {
        relay.lease.detach(held.state.key.as_ref());
    }
    relay.protocol.upstream.place.note_running(false);
    relay.upstream = None;
    relay.upstream_rest.clear();
    relay.protocol.upstream.outbox = Outbox::default();
    if let Some(side) = &mut relay.protocol.upstream.pool {
        side.connection_changed(PreparedNames::default());
    }
    let mut messages = pooled.unanswered.take_again();
    messages.extend_from_slice(&relay.client_rest);
    relay.client_rest = messages;
    Ok(BytesMoved::Some)
}

/// Whether the client has heard nothing of all that it has sent, and nobody else has done anything
/// for it meanwhile.
pub(super) fn may_run_again(relay: &Relay) -> bool {
    let protocol = &relay.protocol;
    let upstream = &protocol.upstream;
    let Some(pooled) = &relay.pooled else {
        return false;
    };
    let batch = &pooled.unanswered;
    batch.is_unheard(relay.counted().to_client)
        && pooled.job.is_none()
        && protocol.client.reply.is_empty()
        && protocol.client.state == ClientState::Open
        && !protocol.repair.is_under_way()
        && !protocol.repair.is_replaying()
        && relay.running_job.is_none()
        && relay.cancelling.is_none()
        && upstream.passing == 0
        && upstream.dropping == 0
        && !upstream.has_closed()
        && (upstream.pool.as_ref()).is_some_and(|side| side.pinned().is_none())
        && protocol.pending.may_run_again()
}

/// Everything that is owed has failed with its server, as if that had said so.
fn fail_all(protocol: &mut SessionProtocol) -> Result<(), SessionEnd> {
    let given: Vec<Box<str>> = (protocol.pending.owed_first())
        .filter_map(|owed| match owed {
            ExpectedReply::Parse(running) => running.prepares.as_deref(),
            _ => None,
        })
        .filter_map(SentParse::given_name)
        .map(Box::from)
        .collect();
    let mut error = BytesMut::new();
    encode::error_body(&mut error, b'E', LOST);
    let mut ready = BytesMut::new();
    encode::ready_for_query(&mut ready, TransactionStatus::Idle);
    // What has begun without its end comes to one here, and begins anew.
    if protocol.pending.transaction.unsynced {
        protocol.sync_sent();
    }
    // Each is answered by two messages at most.
    for _ in 0..2 * protocol.pending.len() {
        let Some(owed) = protocol.pending.front() else {
            break;
        };
        let answer: &[u8] = match owed {
            ExpectedReply::Carried(CarriedMessage::Close(_)) | ExpectedReply::Close(_) => CLOSED,
            owed if owed.is_end() => &ready,
            _ => &error,
        };
        protocol.turn.begin_anew();
        protocol.upstream_bytes(answer)?;
    }
    if !protocol.pending.is_empty() {
        return Err(UNREADABLE);
    }
    // The server has nothing any more, so these are free for what gives them again.
    for name in given {
        let side = protocol.upstream.pool.as_ref();
        if side.is_some_and(|side| side.upstream_name(&name).is_none()) {
            protocol.context.names.remove_prepared(&name);
        }
    }
    protocol.client.reply.clear();
    Ok(())
}

/// An error that nobody reads but for its SQLSTATE, that of a lost connection.
const LOST: &[u8] = b"SERROR\0VERROR\0C08006\0Mthe server is lost\0\0";

/// A CloseComplete: a name that is given up cannot be kept.
const CLOSED: &[u8] = b"3\0\0\0\x04";

#[cfg(test)]
mod tests {
    use super::UnansweredBatch;
    use crate::limits;

    #[test]
    fn a_batch_is_kept_whole_or_not_and_has_no_third_time() {
        let mut batch = UnansweredBatch::default();
        batch.taken(b"before");
        assert!(!batch.is_whole && batch.memory() == 0);
        batch.begin(7);
        batch.taken(b"one");
        batch.taken(b"two");
        assert!(batch.is_whole && batch.told == 7);
        assert_eq!(&*batch.take_again(), b"onetwo");
        // Its second time, taken in two parts.
        batch.begin(9);
        batch.taken(b"one");
        batch.begin(10);
        batch.taken(b"two");
        assert!(!batch.is_whole);
        batch.begin(11);
        batch.taken(b"three");
        assert!(batch.is_whole && &*batch.messages == b"three");
        batch.taken(&vec![b'x'; limits::upstreams::UNANSWERED_BYTES_MAX]);
        assert!(!batch.is_whole && batch.memory() == 0, "it is too long");
    }
}
