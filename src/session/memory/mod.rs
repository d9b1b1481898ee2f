//! What one session takes of the memory of all, and what it must not do while there is none.
//!
//! Before a message of the client, or an error of the upstream, is held that is longer than what
//! every session has free, all that it will need is taken: its length is known from its header, and
//! nothing more of it is read before. So no session waits with half a message while others wait for
//! what that half takes. A wait has an end ([`limits::MEMORY_WAIT_MAX`]), and so has the right to
//! an unfinished message that others wait for ([`limits::MEMORY_TURN_MAX`]): then the message is
//! refused, and dropped as it comes.
//!
//! What a session holds otherwise (answers that its client does not take, statements that it has
//! prepared, a long pipeline) is asked for after each turn, in which it cannot grow by much; who is
//! in debt reads nothing more from its client.

pub mod budget;

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::BytesMut;
use tokio::time::{Sleep, sleep};

use super::io::Relay;
use super::io::background::RunningJob;
use super::io::moves::{BytesMoved, MoveResult};
use super::memory::budget::MemoryShare;
use super::policy_limits::admission::holds_back;
use super::protocol::SessionProtocol;
use super::refuse::refuse_oversized;
use super::repair::BlockingJob;
use super::repair::stage::RepairStage;
use super::reply::CloseReason;
use super::scheduling::large_text::{LargeText, LargeTextJudgement};
use super::session_end::SessionEnd;
use crate::limits;
use crate::policy::Policy;
use crate::wire::frame::{FrameCut, ProtocolPhase, cut_frontend, header_backend};

/// What a session has taken.
#[derive(Debug)]
pub(super) struct SessionMemory {
    share: MemoryShare,
    state: MemoryState,
    /// Whether an error of the upstream waits for it.
    stops_upstream: bool,
    /// Bytes of a message of the client that are still dropped as they come.
    dropping: usize,
    /// The most that these buffers took since they were empty: they do not tell what was given out.
    reply_peak: usize,
    outbox_peak: usize,
    clock: Option<Pin<Box<Sleep>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemoryState {
    /// It has what it needs.
    Enough,
    /// It waits for more.
    Waits,
    /// It gets no more.
    Denied,
    /// It holds an unfinished message that others have waited for long enough.
    GivesWay,
}

/// What a session needs.
#[derive(Debug, Clone, Copy)]
struct MemoryNeed {
    /// For the client's next message, and what was read behind it.
    client: usize,
    /// That message, where it is a long one whose end has not come.
    unfinished: Option<UnfinishedMessage>,
    /// For an error of the upstream whose end has not come.
    upstream: usize,
    /// For everything else.
    held: usize,
}

#[derive(Debug, Clone, Copy)]
struct UnfinishedMessage {
    kind: u8,
    /// Bytes of the whole message.
    total: usize,
}

impl SessionMemory {
    pub(super) fn new(share: MemoryShare) -> Self {
        Self {
            share,
            state: MemoryState::Enough,
            stops_upstream: false,
            dropping: 0,
            reply_peak: 0,
            outbox_peak: 0,
            clock: None,
        }
    }

    /// Whether nothing more of the upstream is to be read.
    pub(super) fn stops_upstream(&self) -> bool {
        self.state != MemoryState::Enough && self.stops_upstream
    }

    /// Leaves out what belongs to a message that is dropped.
    pub(super) fn without_dropped<'b>(&mut self, fresh: &'b [u8]) -> &'b [u8] {
        let here = self.dropping.min(fresh.len());
        self.dropping -= here;
        fresh.get(here..).unwrap_or_default()
    }

    fn balance(&mut self, wanted: &MemoryNeed, context: &mut Context<'_>) {
        self.stops_upstream = wanted.upstream > 0;
        let sum = wanted.held.saturating_add(wanted.client);
        let sum = sum.saturating_add(wanted.upstream);
        let bytes = sum.saturating_sub(limits::MEMORY_BYTES_FREE);
        match (self.share.make(bytes, context), self.state) {
            (Poll::Ready(Err(_never_fits)), _) => self.set_state(MemoryState::Denied),
            (Poll::Pending, MemoryState::Denied | MemoryState::GivesWay) => {}
            (Poll::Pending, MemoryState::Enough) => {
                self.set_state(MemoryState::Waits);
                self.ends_after(limits::MEMORY_WAIT_MAX, context);
            }
            (Poll::Pending, MemoryState::Waits) => {
                if self.ends_after(limits::MEMORY_WAIT_MAX, context) {
                    self.set_state(MemoryState::Denied);
                }
            }
            (Poll::Ready(Ok(())), state) => {
                if wanted.unfinished.is_none() {
                    return self.set_state(MemoryState::Enough);
                }
                if state != MemoryState::Enough && state != MemoryState::GivesWay {
                    self.set_state(MemoryState::Enough);
                }
                if self.ends_after(limits::MEMORY_TURN_MAX, context) {
                    self.clock = None;
                    if self.share.is_wanted() {
                        self.set_state(MemoryState::GivesWay);
                    } else {
                        self.ends_after(LOOK_PAUSE, context);
                    }
                }
            }
        }
    }

    fn set_state(&mut self, state: MemoryState) {
        self.state = state;
        self.clock = None;
    }

    /// Whether so much time is over since the clock was started, which it is if it was not.
    fn ends_after(&mut self, time: Duration, context: &mut Context<'_>) -> bool {
        let clock = self.clock.get_or_insert_with(|| Box::pin(sleep(time)));
        clock.as_mut().poll(context).is_ready()
    }
}

impl Relay {
    /// Takes what the session needs by now, or gives back what it needs no more.
    ///
    /// # Errors
    /// The session has to end: what it needs cannot be refused as one statement.
    pub(super) fn balance_memory(&mut self, context: &mut Context<'_>) -> Result<(), SessionEnd> {
        let wanted = self.memory_need();
        self.memory.balance(&wanted, context);
        match (self.memory.state, wanted.unfinished) {
            (MemoryState::Waits, _) => {}
            (MemoryState::Denied, unfinished) if unfinished.is_none() || wanted.upstream > 0 => {
                self.memory.share.note_refused();
                return Err(SessionEnd::Ended(CloseReason::OutOfMemory));
            }
            (MemoryState::Enough, Some(UnfinishedMessage { total, .. })) => {
                let missing = total.saturating_sub(self.client_rest.len());
                self.client_rest.reserve(missing);
            }
            (MemoryState::Enough | MemoryState::Denied | MemoryState::GivesWay, _) => {}
        }
        Ok(())
    }

    /// Before more is read from the client: refuses or drops the message of which no more is to be
    /// held. Nothing, where the client has to wait.
    pub(super) fn make_room(&mut self) -> Result<Option<BytesMoved>, SessionEnd> {
        let unfinished = self.unfinished();
        let Some(UnfinishedMessage { kind, total }) = unfinished else {
            return Ok((self.memory.state != MemoryState::Enough).then_some(BytesMoved::Nothing));
        };
        if self.protocol.client.drops_unread(kind) {
            self.drop_unread(total);
            let dropped = self.protocol.client.drop_unread(kind);
            return self.or_close(dropped).map(Some);
        }
        match self.memory.state {
            MemoryState::Enough => Ok(None),
            MemoryState::Waits => Ok(Some(BytesMoved::Nothing)),
            MemoryState::Denied | MemoryState::GivesWay if holds_back(&mut self.protocol, kind) => {
                Ok(Some(BytesMoved::Nothing))
            }
            MemoryState::Denied | MemoryState::GivesWay => {
                self.drop_unread(total);
                self.memory.share.note_refused();
                let refused = refuse_oversized(&mut self.protocol, kind);
                self.or_close(refused).map(Some)
            }
        }
    }

    /// Whether more may be read from a client before its turn: not while memory is short, and
    /// nothing of a long message before there is room for all of it.
    pub(super) fn may_read_ahead(&self) -> bool {
        self.memory.state == MemoryState::Enough && self.unfinished().is_none()
    }

    /// What a large text needs while it is judged, put aside for the thread that does.
    pub(super) fn put_aside(&mut self, large: &LargeText) -> MemoryShare {
        let need = judged_bytes(self.protocol.judge.gate.policy(), b'P', large.frame.len());
        let own = judging_bytes(large);
        self.memory.share.split(need.saturating_sub(own))
    }

    /// The thread is done.
    pub(super) fn take_back(&mut self, judged: &mut LargeTextJudgement) {
        let empty = judged.share.split(0);
        let share = std::mem::replace(&mut judged.share, empty);
        self.memory.share.merge(share);
    }

    fn or_close(&mut self, done: Result<(), SessionEnd>) -> MoveResult {
        if let Err(ending) = done {
            self.protocol.close_after_answers(ending)?;
        }
        Ok(BytesMoved::Some)
    }

    fn drop_unread(&mut self, total: usize) {
        self.memory.dropping = total.saturating_sub(self.client_rest.len());
        self.client_rest = BytesMut::new();
    }

    fn unfinished(&self) -> Option<UnfinishedMessage> {
        let kind = *self.client_rest.first()?;
        match cut_frontend(&self.client_rest, ProtocolPhase::Session) {
            Ok(FrameCut::Partial { needed: total }) if total > limits::MEMORY_BYTES_FREE => {
                Some(UnfinishedMessage { kind, total })
            }
            Ok(_) | Err(_) => None,
        }
    }

    fn memory_need(&mut self) -> MemoryNeed {
        let unfinished = self.unfinished();
        let total = match cut_frontend(&self.client_rest, ProtocolPhase::Session) {
            Ok(FrameCut::Whole(frame)) => frame.bytes.len(),
            Ok(FrameCut::Partial { needed }) => needed,
            Err(_) => 0,
        };
        let kind = self.client_rest.first().copied().unwrap_or_default();
        let needed = needed_bytes(self.protocol.judge.gate.policy(), kind, total);
        let upstream = match header_backend(&self.upstream_rest) {
            Ok(Some(header)) if header.total > limits::MEMORY_BYTES_FREE => {
                header.total.saturating_mul(limits::MEMORY_PASSED_FACTOR)
            }
            Ok(_) | Err(_) => 0,
        };
        let reply = self.protocol.client.reply.capacity();
        let reply = if self.protocol.client.reply.is_empty() {
            reply
        } else {
            reply.max(self.memory.reply_peak)
        };
        let outbox = self.protocol.upstream.outbox.memory();
        let outbox = if self.protocol.upstream.outbox.as_bytes().is_empty() {
            outbox
        } else {
            outbox.max(self.memory.outbox_peak)
        };
        (self.memory.reply_peak, self.memory.outbox_peak) = (reply, outbox);
        let held = held_bytes(&self.protocol) + self.elsewhere_bytes();
        MemoryNeed {
            client: needed.max(self.client_rest.capacity()),
            unfinished,
            upstream,
            held: held + reply + outbox + self.upstream_rest.capacity(),
        }
    }

    fn elsewhere_bytes(&self) -> usize {
        let unanswered = self
            .pooled
            .as_ref()
            .map(|pooled| pooled.unanswered.memory());
        let at_work = match self.running_job.as_deref() {
            None => 0,
            Some(RunningJob::Judging { large, .. }) => judging_bytes(large),
            Some(RunningJob::Rescuing { repair_job, .. }) => repair_job.memory(),
        };
        at_work + unanswered.unwrap_or_default()
    }
}

/// Bytes that the client's next message takes until it is done with.
fn needed_bytes(policy: &Policy, kind: u8, total: usize) -> usize {
    match kind {
        _ if total <= limits::MEMORY_BYTES_FREE => total,
        b'Q' | b'P' => judged_bytes(policy, kind, total),
        _ => total.saturating_mul(limits::MEMORY_PASSED_FACTOR),
    }
}

/// The same for a Query or Parse that is judged on another thread. A Parse of any length may have a
/// text that the policy admits.
fn judged_bytes(policy: &Policy, kind: u8, total: usize) -> usize {
    let admitted = policy.statement_bytes();
    let parsed = match kind {
        b'Q' if total > admitted + QUERY_BYTES => 0,
        _ => total.min(admitted),
    };
    let copies = total.saturating_mul(limits::MEMORY_UNPARSED_FACTOR);
    copies.saturating_add(parsed.saturating_mul(limits::MEMORY_JUDGED_FACTOR))
}

/// Bytes of everything that a protocol holds but what waits to be sent.
fn held_bytes(protocol: &SessionProtocol) -> usize {
    let owed = protocol.pending.len() * limits::MEMORY_OWED_BYTES;
    let repaired = match &protocol.repair.stage {
        RepairStage::None | RepairStage::Running => 0,
        RepairStage::Described(description) => description.len(),
        RepairStage::Held(held) => held.memory(),
        RepairStage::Due(job) => match &**job {
            BlockingJob::Judge(large) => {
                judged_bytes(protocol.judge.gate.policy(), b'P', large.frame.len())
            }
            BlockingJob::Repair(repair_job) => repair_job.memory(),
        },
    };
    let kept = protocol.repair.retained.memory() + protocol.repair.replayed_bytes();
    owed + repaired + kept + protocol.context.names.text_bytes()
}

/// What a session itself holds of a text that is judged: its frame, and the text's judgement.
fn judging_bytes(large: &LargeText) -> usize {
    large.frame.len().saturating_mul(2)
}

/// Pause between two looks whether others wait for what an unfinished message has taken.
const LOOK_PAUSE: Duration = Duration::from_secs(1);

/// Bytes of a Query that are not its text.
const QUERY_BYTES: usize = 6;
