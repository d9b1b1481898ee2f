//! Moves bytes between the two sockets of one client, through the protocol that judges them.
//!
//! One task drives both sockets. It reads into a buffer that all sessions of a worker share, so
//! that an idle session owns no buffer at all, and writes what one read brought in one write. It
//! may be cancelled at any point: nothing is half-done but what the peers see anyway.
//!
//! * `timeouts`: how long a peer is waited for; `background`: work that is waited for beside the
//!   sockets; `sockets`: one read or write; `moves`: what is moved; `worker_move`: sessions that go
//!   on with another worker

pub(super) mod background;
pub(super) mod moves;
pub(super) mod sockets;
pub(super) mod timeouts;
pub(super) mod worker_move;

use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use tokio::io::AsyncWrite;

use super::arrival::ClientInflow;
use super::io::background::RunningJob;
use super::io::moves::{
    BytesMoved, ClientBytes, ClientFlush, MoveResult, StopRequest, UpstreamLeftover, UpstreamRead,
    as_u64, without_front,
};
pub use super::io::sockets::{ReadBuffer, scratch};
use super::io::sockets::{read, write};
use super::io::timeouts::{ClientReadState, IoTimeouts};
use super::io::worker_move::RelayEnd;
use super::memory::SessionMemory;
use super::memory::budget::{MemoryBudget, MemoryShare};
use super::policy_limits::idle_timeout::IdleTimeout;
use super::pooling::awaited_lsn::{may_wait_for_replay, waits_for_replay};
use super::pooling::pooled_relay::PooledRelay;
use super::protocol::SessionProtocol;
use super::reply::CloseReason;
use super::scheduling::turn::{NextTurn, TurnQueue};
use super::session_end::SessionEnd;
use super::signal_calls::{is_calling, poll_call};
use crate::net::stream::PeerStream;
use crate::telemetry::counters::session_gauges::SessionStateHandle;
use crate::upstream::cancel::RunningCancel;
use crate::upstream::lease::UpstreamLease;
use crate::upstream::writer::UpstreamStream;

/// One client's relay.
pub struct Relay {
    /// What has been said.
    pub protocol: SessionProtocol,
    /// The client's socket.
    pub client: PeerStream,
    /// The upstream's socket; none while another session may have it.
    pub upstream: Option<UpstreamStream>,
    /// The connections that it shares, where it does.
    pub(super) pooled: Option<Box<PooledRelay>>,
    /// The right to use it, and to cancel what runs there.
    pub lease: UpstreamLease,
    read_buffer: ReadBuffer,
    turns: TurnQueue,
    /// The wait for the next turn, once one is used up.
    next_turn: Option<NextTurn>,
    pub(super) client_rest: BytesMut,
    pub(super) upstream_rest: BytesMut,
    pub(super) upstream_waits: UpstreamLeftover,
    pub(super) running_job: Option<Box<RunningJob>>,
    /// The cancel of a result that was cut. Nothing that it might meet is sent until it is over.
    pub(super) cancelling: Option<RunningCancel>,
    /// The wait for room in the audit, while the session has to.
    room: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    idle: IdleTimeout,
    pub(super) clocks: IoTimeouts,
    stops_at_rest: StopRequest,
    client_flush: ClientFlush,
    counted: ClientBytes,
    pub(super) memory: SessionMemory,
    /// What tells others what the session is at.
    state_handle: SessionStateHandle,
    /// When it was counted last among those of its worker that do something.
    load_window: u8,
}

impl Relay {
    /// A relay over two sockets that are logged in, with what was read from them ahead.
    pub fn new(
        protocol: SessionProtocol,
        (mut client, client_rest): (PeerStream, BytesMut),
        (mut upstream, upstream_rest): (UpstreamStream, BytesMut),
        (read_buffer, turns): (ReadBuffer, TurnQueue),
    ) -> Self {
        // Where the system has no descriptor left, the runtime goes on waiting for them.
        let _ = (client.onto_ring(), upstream.onto_ring());
        Self {
            protocol,
            client,
            lease: UpstreamLease::default(),
            upstream: Some(upstream),
            pooled: None,
            read_buffer,
            turns,
            next_turn: None,
            client_rest,
            upstream_rest,
            upstream_waits: UpstreamLeftover::ForMore,
            running_job: None,
            cancelling: None,
            room: None,
            idle: IdleTimeout::default(),
            clocks: IoTimeouts::default(),
            stops_at_rest: StopRequest::NotAsked,
            client_flush: ClientFlush::Settled,
            counted: ClientBytes::default(),
            memory: SessionMemory::new(MemoryBudget::boundless().share()),
            state_handle: SessionStateHandle::default(),
            load_window: 0,
        }
    }

    /// The same relay, which tells by this sign what its session is at, and takes its memory out
    /// of this share.
    pub fn shown_by(mut self, state_handle: SessionStateHandle, share: MemoryShare) -> Self {
        self.state_handle = state_handle;
        self.memory = SessionMemory::new(share);
        self
    }

    /// From now on the relay ends as soon as no statement is under way.
    pub fn stop_at_rest(&mut self) {
        self.stops_at_rest = StopRequest::Asked;
    }

    /// Takes what the upstream said after its login, before any client text reaches it: it may be a
    /// tripwire.
    ///
    /// # Errors
    /// The reason to end the session.
    pub fn take_ahead(&mut self) -> Result<(), SessionEnd> {
        let mut rest = std::mem::take(&mut self.upstream_rest);
        let passed = self.protocol.upstream_bytes(&rest)?;
        let reply = &mut self.protocol.client.reply;
        reply.extend_from_slice(rest.get(passed.tail).unwrap_or_default());
        rest.advance(passed.consumed);
        if !rest.is_empty() {
            self.upstream_rest = rest;
        }
        Ok(())
    }

    /// What passed so far.
    pub fn counted(&self) -> ClientBytes {
        self.counted
    }

    /// Runs until there is a reason to end.
    pub async fn run(&mut self) -> RelayEnd {
        std::future::poll_fn(|context| self.poll_run(context)).await
    }

    /// What [`Self::run`] does, for who waits for something else as well.
    pub(super) fn poll_run(&mut self, context: &mut Context<'_>) -> Poll<RelayEnd> {
        let polled = self.poll(context);
        self.protocol.show_state(&self.state_handle, self.counted);
        polled
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<RelayEnd> {
        match &mut self.next_turn {
            None => {
                let now = self.protocol.turn.begin();
                self.turns.load().note_turn(now, &mut self.load_window);
            }
            Some(next_turn) => {
                ready!(Pin::new(next_turn).poll(context));
                self.next_turn = None;
                self.protocol.turn.begin_anew();
            }
        }
        let read_buffer = Arc::clone(&self.read_buffer);
        let mut read_buffer = read_buffer.lock().unwrap_or_else(PoisonError::into_inner);
        // Every round is a part of the turn, so it comes to its end.
        while !self.protocol.turn.is_over() {
            match self.round(context, &mut read_buffer) {
                Ok(BytesMoved::Some) => self.protocol.turn.spend_message(),
                Ok(BytesMoved::Nothing) => {
                    self.protocol.turn.pause();
                    let watched = self.idle.poll(context, &mut self.protocol);
                    if watched.is_ready() {
                        return Poll::Ready(SessionEnd::Ended(CloseReason::Idle).into());
                    }
                    return worker_move::moves_or_waits(self, context, &mut read_buffer);
                }
                Err(ending) => return Poll::Ready(ending.into()),
            }
        }
        let pauses = self.protocol.turn.pauses();
        self.next_turn = Some(self.turns.enqueue(context.waker(), pauses));
        // An upstream that talks without end has no more time than one that is silent.
        self.watch(context, &mut read_buffer).map(RelayEnd::from)
    }

    /// One round in each direction. The upstream's answers come first: they free what waits.
    fn round(&mut self, context: &mut Context<'_>, read_buffer: &mut [u8]) -> MoveResult {
        if self.stops_at_rest == StopRequest::Asked
            && self.protocol.has_finished_statements()
            && self.protocol.client.reply.is_empty()
        {
            return Err(SessionEnd::Ended(CloseReason::Shutdown));
        }
        self.protocol.upstream.goes_on()?;
        self.balance_memory(context)?;
        let mut moved = self.write_client(context)?;
        if let Some(ending) = self.protocol.due_end()
            && self.protocol.client.reply.is_empty()
        {
            return Err(ending);
        }
        for turn in [
            self.read_upstream(context, read_buffer)?,
            self.finish_job(context)?,
            self.cancel_cut_result(context)?,
            self.finish_pool_job(context)?,
            self.release_connection(),
            self.read_client(context, read_buffer)?,
            self.start_job(),
            self.write_upstream(context)?,
        ] {
            if turn == BytesMoved::Some {
                moved = BytesMoved::Some;
            }
        }
        Ok(moved)
    }

    fn write_client(&mut self, context: &mut Context<'_>) -> MoveResult {
        let reply = &mut self.protocol.client.reply;
        if reply.is_empty() && self.client_flush == ClientFlush::Settled {
            return Ok(BytesMoved::Nothing);
        }
        while !reply.is_empty() {
            match write(&mut self.client, context, reply).map_err(|_| SessionEnd::ClientGone)? {
                0 => return Ok(BytesMoved::Nothing),
                written => {
                    reply.advance(written);
                    self.protocol.turn.spend_bytes(written);
                    self.counted.to_client += as_u64(written);
                }
            }
            self.client_flush = ClientFlush::Owed;
        }
        *reply = BytesMut::new();
        self.flush_client(context)
    }

    /// Whether the client's stream has passed on all that it has taken.
    pub(super) fn has_flushed(&self) -> bool {
        self.client_flush == ClientFlush::Settled
    }

    fn flush_client(&mut self, context: &mut Context<'_>) -> MoveResult {
        match Pin::new(&mut self.client).poll_flush(context) {
            Poll::Ready(Ok(())) => {
                self.client_flush = ClientFlush::Settled;
                Ok(BytesMoved::Some)
            }
            Poll::Ready(Err(_)) => Err(SessionEnd::ClientGone),
            Poll::Pending => Ok(BytesMoved::Nothing),
        }
    }

    fn write_upstream(&mut self, context: &mut Context<'_>) -> MoveResult {
        if self.protocol.upstream.outbox.is_settled() || self.keeps_end_back() {
            return Ok(BytesMoved::Nothing);
        }
        let Some(upstream) = &mut self.upstream else {
            return self.take_connection();
        };
        match (self.protocol.upstream.outbox).poll_flush(upstream, context) {
            Poll::Ready(Ok(())) => Ok(BytesMoved::Some),
            Poll::Ready(Err(_)) => self.lose_upstream(),
            Poll::Pending => Ok(BytesMoved::Nothing),
        }
    }

    /// The upstream has died, with answers owed.
    fn lose_upstream(&mut self) -> MoveResult {
        match self.run_elsewhere(None)? {
            BytesMoved::Some => Ok(BytesMoved::Some),
            BytesMoved::Nothing => Err(SessionEnd::Ended(CloseReason::UpstreamLost)),
        }
    }

    /// Reads the upstream only when the client has taken everything before: its pace is the limit.
    fn read_upstream(&mut self, context: &mut Context<'_>, read_buffer: &mut [u8]) -> MoveResult {
        let calls = poll_call(&mut self.protocol.pending, context).is_pending();
        let waits = calls || self.keeps_end_back();
        if waits || !self.protocol.client.reply.is_empty() || self.memory.stops_upstream() {
            return Ok(BytesMoved::Nothing);
        }
        let count = match self.upstream_waits {
            UpstreamLeftover::ForTheNextTurn => 0,
            UpstreamLeftover::ForMore => match self.receive_upstream(context, read_buffer)? {
                UpstreamRead::Bytes(count) => count,
                UpstreamRead::Nothing => return Ok(BytesMoved::Nothing),
                UpstreamRead::Lost => return self.lose_upstream(),
            },
        };
        let fresh = read_buffer.get(..count).unwrap_or_default();
        if self.run_elsewhere(Some(fresh))? == BytesMoved::Some {
            return Ok(BytesMoved::Some);
        }
        if self.upstream_rest.is_empty() {
            let passed = self.protocol.upstream_bytes(fresh)?;
            self.upstream_rest
                .extend_from_slice(fresh.get(passed.consumed..).unwrap_or_default());
            self.pass_on(context, fresh.get(passed.tail).unwrap_or_default())?;
        } else {
            let mut rest = std::mem::take(&mut self.upstream_rest);
            rest.extend_from_slice(fresh);
            let passed = self.protocol.upstream_bytes(&rest)?;
            self.pass_on(context, rest.get(passed.tail).unwrap_or_default())?;
            self.upstream_rest = without_front(rest, passed.consumed);
        }
        let waits = self.protocol.turn.is_over() || is_calling(&self.protocol.pending);
        self.upstream_waits = match self.upstream_rest.is_empty() {
            false if waits => UpstreamLeftover::ForTheNextTurn,
            _ => UpstreamLeftover::ForMore,
        };
        self.protocol.turn.spend_bytes(count);
        Ok(BytesMoved::Some)
    }

    fn receive_upstream(
        &mut self,
        context: &mut Context<'_>,
        read_buffer: &mut [u8],
    ) -> Result<UpstreamRead, SessionEnd> {
        let Some(upstream) = &mut self.upstream else {
            return Ok(UpstreamRead::Nothing);
        };
        match read(upstream, context, read_buffer) {
            Poll::Pending => Ok(UpstreamRead::Nothing),
            Poll::Ready(Ok(0) | Err(_)) if self.protocol.upstream.has_closed() => {
                Err(SessionEnd::UpstreamClosed)
            }
            Poll::Ready(Ok(0)) if !self.protocol.pending.is_empty() || self.may_run_elsewhere() => {
                Ok(UpstreamRead::Lost)
            }
            Poll::Ready(Ok(0)) => Err(SessionEnd::UpstreamClosed),
            Poll::Ready(Ok(count)) => Ok(UpstreamRead::Bytes(count)),
            Poll::Ready(Err(_)) => Ok(UpstreamRead::Lost),
        }
    }

    /// Writes straight from the read buffer when nothing waits before it; keeps what is not taken.
    fn pass_on(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Result<(), SessionEnd> {
        let mut written = 0;
        if self.protocol.client.reply.is_empty() && !bytes.is_empty() {
            written =
                write(&mut self.client, context, bytes).map_err(|_| SessionEnd::ClientGone)?;
            self.counted.to_client += as_u64(written);
            self.client_flush = ClientFlush::Owed;
            self.flush_client(context)?;
        }
        let reply = &mut self.protocol.client.reply;
        reply.extend_from_slice(bytes.get(written..).unwrap_or_default());
        Ok(())
    }

    fn read_client(&mut self, context: &mut Context<'_>, read_buffer: &mut [u8]) -> MoveResult {
        self.clocks.client.shut();
        if self.wait_for_audit(context).is_pending() {
            return Ok(BytesMoved::Nothing);
        }
        // While the cut statement runs, only its own batch goes on, and a client may leave.
        let waits_for_cancel = self.cancelling.is_some() && !self.protocol.pending.is_result_cut();
        let takes = self.running_job.is_none() && !waits_for_cancel && self.protocol.takes_frames();
        let has_message = !self.client_rest.is_empty();
        if !takes
            || self.pool_wait().is_some()
            || waits_for_replay(&mut self.protocol, has_message, context)
        {
            return Ok(BytesMoved::Nothing);
        }
        if self.needs_connection() {
            return self.take_on_connection();
        }
        let waits = !self.client_rest.is_empty() || self.protocol.repair.is_replaying();
        if waits && self.take_rest()? == BytesMoved::Some {
            return Ok(BytesMoved::Some);
        }
        if self.clocks.client == ClientReadState::SaidAll {
            return self.answer_the_rest();
        }
        if let Some(moved) = self.make_room()? {
            return Ok(moved);
        }
        let count = match read(&mut self.client, context, read_buffer) {
            Poll::Pending => {
                self.clocks.client = ClientReadState::Open;
                return Ok(BytesMoved::Nothing);
            }
            Poll::Ready(Ok(0)) => {
                self.clocks.client = ClientReadState::SaidAll;
                return Ok(BytesMoved::Some);
            }
            Poll::Ready(Err(_)) => return Err(SessionEnd::ClientGone),
            Poll::Ready(Ok(count)) => count,
        };
        self.counted.from_client += as_u64(count);
        self.protocol.client.inflow = ClientInflow::read_now();
        let fresh = read_buffer.get(..count).unwrap_or_default();
        let fresh = self.memory.without_dropped(fresh);
        if self.upstream.is_none() || may_wait_for_replay(&self.protocol) {
            self.client_rest.extend_from_slice(fresh);
            self.protocol.turn.spend_bytes(count);
            return match self.needs_connection() {
                true => self.take_on_connection(),
                false => Ok(BytesMoved::Some),
            };
        }
        if self.client_rest.is_empty() {
            self.begin_taking();
            let taken = self.protocol.client_bytes(fresh)?;
            self.note_taken(fresh.get(..taken.consumed).unwrap_or_default());
            self.client_rest
                .extend_from_slice(fresh.get(taken.consumed..).unwrap_or_default());
        } else {
            self.client_rest.extend_from_slice(fresh);
            self.take_rest()?;
        }
        self.protocol.turn.spend_bytes(count);
        Ok(BytesMoved::Some)
    }

    /// Takes a connection, and what waits for it where one is there at once.
    fn take_on_connection(&mut self) -> MoveResult {
        let moved = self.take_connection()?;
        // Where it comes to a server may have a say in what becomes of it.
        let is_ready =
            self.upstream.is_some() && !may_wait_for_replay(&self.protocol) && !self.has_to_leave();
        if is_ready {
            self.take_rest()?;
        }
        Ok(moved)
    }

    /// The client sends nothing more, and all that it has sent is taken: it may still read.
    fn answer_the_rest(&mut self) -> MoveResult {
        if self.protocol.client.reply.is_empty() {
            self.protocol.close_after_answers(SessionEnd::ClientGone)?;
        }
        Ok(BytesMoved::Nothing)
    }

    /// Takes frames that were read earlier and could not be taken then.
    fn take_rest(&mut self) -> MoveResult {
        let replays = self.protocol.repair.is_replaying();
        self.begin_taking();
        let rest = std::mem::take(&mut self.client_rest);
        let taken = self.protocol.client_bytes(&rest)?;
        self.note_taken(rest.get(..taken.consumed).unwrap_or_default());
        self.client_rest = without_front(rest, taken.consumed);
        match taken.consumed > 0 || replays || self.has_to_leave() {
            true => Ok(BytesMoved::Some),
            false => Ok(BytesMoved::Nothing),
        }
    }
}
