//! The clocks of a session: what ends a wait for a peer that says nothing.
//!
//! - The upstream has the time that its statement may run, and a grace. What counts is the time in
//!   which it is waited for and nothing of the client's stands in the way: who reads slowly has not
//!   hung. Where nothing bounds the statement there is no such clock; TCP finds a dead host.
//! - A client that is being read shows its end by itself. One that is not (its frames wait) is
//!   looked at now and then.
//! - A client that has said goodbye, or sends nothing more, is answered on for as long as bytes go
//!   to it; once there are none for a moment, what runs for it is given up. Postgres would run on:
//!   that a database works for nobody is worth the difference to who half-closes and waits.
//!
//! One timer serves all. A statement only leaves a moment behind; the timer looks at that when it
//! fires, and is set anew for what is left.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use super::Relay;
use super::moves::BytesMoved;
use super::sockets::read;
use crate::limits;
use crate::net::stream::PeerPresence;
use crate::session::client_side::ClientState;
use crate::session::pending::{ExpectedReply, PendingReplies};
use crate::session::protocol::SessionProtocol;
use crate::session::reply::CloseReason;
use crate::session::session_end::SessionEnd;
use crate::session::signal_calls::is_calling;
use crate::waits::WaitState;
use crate::wire::frame::{FrameCut, ProtocolPhase, cut_frontend};

/// The clocks of one session.
#[derive(Default)]
pub(in crate::session) struct IoTimeouts {
    timer: Option<Pin<Box<Sleep>>>,
    answer: AnswerTimeout,
    departure: Option<Box<ClientDeparture>>,
    /// When the client is looked at next, while it is not being read.
    look: Option<Instant>,
    /// What the client's side last showed.
    pub(in crate::session) client: ClientReadState,
}

/// Whether the client's socket wakes the session by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::session) enum ClientReadState {
    /// It does: it has been read to its end.
    #[default]
    Open,
    /// It does not: what it has sent is not being read.
    Shut,
    /// It has been read to the end of all.
    SaidAll,
}

impl ClientReadState {
    /// The client may have more to say, which is not read.
    pub(super) fn shut(&mut self) {
        if *self == Self::Open {
            *self = Self::Shut;
        }
    }
}

/// How long one wait has lasted, or one answer of the upstream's has been waited for.
#[derive(Debug, Default)]
struct AnswerTimeout {
    /// What is waited for.
    turn: Option<(WaitState, u64)>,
    /// What was waited for it before something of the client's stood in the way.
    spent: Duration,
    /// Since when it is waited for again.
    since: Option<Instant>,
    pressed: FlushRequest,
}

/// Whether the upstream was told to send what it holds back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum FlushRequest {
    #[default]
    NotYet,
    Told,
}

/// A client that is leaving.
#[derive(Debug, Clone, Copy)]
struct ClientDeparture {
    ending: SessionEnd,
    since: Instant,
    /// Bytes that had gone to it then.
    sent: u64,
}

impl Relay {
    /// Ready when a wait has lasted for too long. To be asked at the end of each turn; wakes the
    /// session in time.
    pub(in crate::session) fn watch(
        &mut self,
        context: &mut Context<'_>,
        read_buffer: &mut [u8],
    ) -> Poll<SessionEnd> {
        for _ in 0..WATCH_ROUNDS_MAX {
            let Some(due) = self.next_due() else {
                self.clocks.rest();
                return Poll::Pending;
            };
            if self.clocks.wakes(due, context).is_pending() {
                return Poll::Pending;
            }
            let now = Instant::now();
            let gone = self.look_at_client(now, context, read_buffer);
            if let Some(ending) = gone.or_else(|| self.overdue(now)) {
                return Poll::Ready(ending);
            }
            match self.leave_silent_server(now) {
                Err(ending) => return Poll::Ready(ending),
                Ok(BytesMoved::Some) => context.waker().wake_by_ref(),
                Ok(BytesMoved::Nothing) => {}
            }
            if !self.protocol.upstream.outbox.is_settled() {
                context.waker().wake_by_ref();
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }

    /// When the first of the clocks runs out.
    fn next_due(&mut self) -> Option<Instant> {
        let wait = self.waits_for();
        let turn = (wait, self.protocol.pending.answer_number());
        let bound = self.bound_of(wait);
        let look = match self.clocks.client {
            ClientReadState::Open => {
                self.clocks.look = None;
                None
            }
            ClientReadState::Shut | ClientReadState::SaidAll => {
                let soon = || Instant::now() + limits::DEPARTURE_LOOK_INTERVAL;
                Some(*self.clocks.look.get_or_insert_with(soon))
            }
        };
        if let ClientState::Closing(ending @ (SessionEnd::Terminated | SessionEnd::ClientGone)) =
            self.protocol.client.state
        {
            self.leaves(ending);
        }
        let answer = self.clocks.answer.due(turn, bound);
        let left = self.clocks.departure.as_ref();
        let left = left.map(|left| left.since + limits::DEPARTURE_GRACE);
        let silence = self.silence_look();
        [look, answer, left, silence].into_iter().flatten().min()
    }

    /// What the session waits for now.
    pub(in crate::session) fn waits_for(&self) -> WaitState {
        let protocol = &self.protocol;
        if !protocol.client.reply.is_empty() || !self.has_flushed() {
            return WaitState::ClientReads;
        }
        if self.memory.stops_upstream() {
            return WaitState::Memory;
        }
        if is_calling(&protocol.pending) {
            return WaitState::Signal;
        }
        if let Some(wait) = self.pool_wait() {
            return wait;
        }
        if protocol.upstream.place.waits_for_replay() {
            return WaitState::Replay;
        }
        let has_part = !self.upstream_rest.is_empty();
        if let Some(wait) = waits_for_upstream(protocol, has_part) {
            return wait;
        }
        match (&self.running_job, protocol.witness.waits_for_audit()) {
            (Some(running_job), _) => running_job.wait_kind(),
            (None, _) if self.cancelling.is_some() => WaitState::CutCancel,
            (None, true) => WaitState::AuditRoom,
            // Between two turns nothing is taken, and nothing is waited for.
            (None, false) if protocol.takes_frames() || protocol.turn.is_over() => {
                WaitState::Client
            }
            (None, false) => WaitState::Nobody,
        }
    }

    fn bound_of(&self, wait: WaitState) -> Option<Duration> {
        match wait {
            WaitState::Answer => {
                let statement = self.protocol.context.statement_time_max()?;
                let statements = statements_answered(&self.protocol.pending);
                Some(statement.saturating_mul(statements) + limits::UPSTREAM_GRACE)
            }
            // Those that a clock of somebody else's ends.
            WaitState::Repair | WaitState::CutCancel | WaitState::Memory | WaitState::Signal => {
                None
            }
            WaitState::PoolConnection | WaitState::PoolSettings | WaitState::StopQuestion => None,
            WaitState::Replay => None,
            other => other.bound(),
        }
    }

    /// A client that is not being read may have left.
    fn look_at_client(
        &mut self,
        now: Instant,
        context: &mut Context<'_>,
        read_buffer: &mut [u8],
    ) -> Option<SessionEnd> {
        if self.clocks.look.is_none_or(|look| look > now) {
            return None;
        }
        self.clocks.look = Some(now + limits::DEPARTURE_LOOK_INTERVAL);
        match self.client.presence() {
            PeerPresence::Gone => return Some(SessionEnd::ClientGone),
            PeerPresence::HalfClosed => self.leaves(SessionEnd::ClientGone),
            PeerPresence::Present if self.read_ahead(context, read_buffer).is_err() => {
                return Some(SessionEnd::ClientGone);
            }
            PeerPresence::Present => {}
        }
        if says_goodbye(&self.client_rest) {
            self.leaves(SessionEnd::Terminated);
        }
        None
    }

    /// Reads some of what the client has sent before its turn: where more waits than the system
    /// holds for us, the end behind it does not come through.
    fn read_ahead(&mut self, context: &mut Context<'_>, read_buffer: &mut [u8]) -> io::Result<()> {
        while self.clocks.client == ClientReadState::Shut
            && self.client_rest.len() < limits::READ_AHEAD_BYTES_MAX
            && self.may_read_ahead()
        {
            match read(&mut self.client, context, read_buffer) {
                Poll::Pending => return Ok(()),
                Poll::Ready(Ok(0)) => {
                    self.clocks.client = ClientReadState::SaidAll;
                    self.leaves(SessionEnd::ClientGone);
                }
                Poll::Ready(Ok(count)) => self.take_ahead_of_turn(read_buffer, count),
                Poll::Ready(Err(error)) => return Err(error),
            }
        }
        Ok(())
    }

    /// The client is leaving.
    fn leaves(&mut self, ending: SessionEnd) {
        let sent = self.counted().to_client;
        self.clocks.departure.get_or_insert_with(|| {
            let since = Instant::now();
            Box::new(ClientDeparture {
                ending,
                since,
                sent,
            })
        });
    }

    /// What has lasted for too long.
    fn overdue(&mut self, now: Instant) -> Option<SessionEnd> {
        let sent = self.counted().to_client;
        if let Some(left) = &mut self.clocks.departure
            && left.since + limits::DEPARTURE_GRACE <= now
        {
            if left.sent == sent {
                return Some(left.ending);
            }
            (left.since, left.sent) = (now, sent);
        }
        let wait = self.waits_for();
        let bound = self.bound_of(wait)?;
        if self.clocks.answer.ends(Some(bound))? > now {
            return None;
        }
        let is_first = self.clocks.answer.pressed == FlushRequest::NotYet;
        if wait == WaitState::Answer && is_first && requests_flush(&mut self.protocol) {
            self.clocks.answer.request_flush(bound, now);
            return None;
        }
        end_after_wait(&self.protocol.pending, wait)
    }
}

impl IoTimeouts {
    /// Whether the timer has fired for a moment that is due by then.
    fn wakes(&mut self, due: Instant, context: &mut Context<'_>) -> Poll<()> {
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(due)));
        // One that is set for earlier looks, and is set anew then.
        if timer.deadline() > due || timer.is_elapsed() {
            timer.as_mut().reset(due);
        }
        timer.as_mut().poll(context)
    }

    /// The timer is with the thread that the session leaves; it is set anew where one is needed.
    pub(super) fn drop_timer(&mut self) {
        self.timer = None;
    }

    /// Nothing is waited for that has a bound: a timer that has fired is given back.
    fn rest(&mut self) {
        if self.timer.as_ref().is_some_and(|timer| timer.is_elapsed()) {
            self.timer = None;
        }
    }
}

impl AnswerTimeout {
    /// When what is waited for has taken as long as it may.
    fn due(&mut self, turn: (WaitState, u64), bound: Option<Duration>) -> Option<Instant> {
        let is_blocked = turn.0 == WaitState::ClientReads;
        let is_same = self
            .turn
            .is_some_and(|known| known == turn || is_blocked && known.1 == turn.1);
        if !is_same {
            *self = Self {
                turn: Some(turn),
                ..Self::default()
            };
        }
        if bound.is_none() {
            if let Some(since) = self.since.take() {
                self.spent += since.elapsed();
            }
            return None;
        }
        self.since.get_or_insert_with(Instant::now);
        self.ends(bound)
    }

    fn ends(&self, bound: Option<Duration>) -> Option<Instant> {
        let left = bound?.saturating_sub(self.spent);
        self.since?.checked_add(left)
    }

    /// From now on there is the grace once more, and nothing else.
    fn request_flush(&mut self, bound: Duration, now: Instant) {
        self.pressed = FlushRequest::Told;
        self.spent = bound.saturating_sub(limits::UPSTREAM_GRACE);
        self.since = Some(now);
    }
}

/// What of the upstream's is waited for, if anything is. `has_part` says whether part of a
/// message has come.
fn waits_for_upstream(protocol: &SessionProtocol, has_part: bool) -> Option<WaitState> {
    let is_part = has_part || protocol.upstream.passing > 0 || protocol.upstream.dropping > 0;
    let is_asked = match protocol.pending.front() {
        None | Some(ExpectedReply::HeldForRepair(_)) => false,
        // The client has its error, and has yet to send the end of its batch.
        Some(cut @ ExpectedReply::Cut(_)) => cut.is_work() || protocol.pending.len() > 1,
        Some(_) => true,
    };
    match (protocol.upstream.has_closed(), is_asked) {
        (true, _) => Some(WaitState::UpstreamCloses),
        (false, true) => Some(WaitState::Answer),
        (false, false) => is_part.then_some(WaitState::UpstreamFrame),
    }
}

/// Statements in the text that is being answered: each has the whole time.
fn statements_answered(pending: &PendingReplies) -> u32 {
    match pending.front() {
        Some(ExpectedReply::Query(running)) => running.facts.statements.max(1),
        Some(ExpectedReply::Plan(asking)) => asking.statements().max(1),
        _ => 1,
    }
}

/// What was sent without a Sync may be done, and its answers held back: they are asked for.
/// Says whether they were.
fn requests_flush(protocol: &mut SessionProtocol) -> bool {
    if protocol.pending.transaction.unsynced {
        protocol.upstream.outbox.flush_message();
    }
    protocol.pending.transaction.unsynced
}

/// How the session ends whose wait was too long.
fn end_after_wait(pending: &PendingReplies, wait: WaitState) -> Option<SessionEnd> {
    let close_reason = match wait {
        WaitState::Answer => match pending.front() {
            Some(ExpectedReply::Query(_) | ExpectedReply::Execute(_)) => CloseReason::StatementTime,
            _ => CloseReason::UpstreamSilent,
        },
        WaitState::UpstreamFrame => CloseReason::UpstreamSilent,
        WaitState::UpstreamCloses => return Some(SessionEnd::UpstreamClosed),
        WaitState::Judgement | WaitState::Nobody => CloseReason::Internal,
        _ => return None,
    };
    Some(SessionEnd::Ended(close_reason))
}

/// Whether a client's Terminate is among frames that wait.
fn says_goodbye(mut frames: &[u8]) -> bool {
    while let Ok(FrameCut::Whole(frame)) = cut_frontend(frames, ProtocolPhase::Session) {
        if frame.kind == b'X' {
            return true;
        }
        frames = frames.get(frame.bytes.len()..).unwrap_or_default();
        if frames.is_empty() {
            return false;
        }
    }
    false
}

/// A clock that has run out is looked at, and the next one is set.
const WATCH_ROUNDS_MAX: u32 = 4;
