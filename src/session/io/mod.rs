//! Moves bytes between the two sockets of one client, through the protocol that judges them.
//!
//! One task drives both sockets. It reads into a buffer that all sessions of a worker share, so
//! that an idle session owns no buffer at all, and writes what one read brought in one write. It
//! may be cancelled at any point: nothing is half-done but what the peers see anyway.
//!
//! * `timeouts`: how long a peer is waited for; `background`: work that is waited for beside the
//!   sockets; `sockets`: one read or write

pub(super) mod background;
pub(super) mod sockets;
pub(super) mod timeouts;

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use tokio::io::AsyncWrite;

use super::arrival::Inflow;
use super::io::background::Elsewhere;
use super::io::sockets::{read, write};
use super::io::timeouts::{Clocks, Hearing};
use super::memory::Memory;
use super::memory::budget::{Budget, Share};
use super::policy_limits::idle_timeout::IdleWatch;
use super::protocol::{Conversation, Ending};
use super::reply::Farewell;
use super::scheduling::turn::{NextTurn, TurnQueue};
use crate::limits;
use crate::net::stream::Stream;
use crate::telemetry::counters::session_gauges::Sign;
use crate::upstream::cancel::Cancelling;
use crate::upstream::lease::Lease;

/// A buffer for reads, shared by the sessions of one worker thread; never held across a wait.
pub type Scratch = Arc<Mutex<Box<[u8]>>>;

/// A fresh buffer for one worker.
pub fn scratch() -> Scratch {
    Arc::new(Mutex::new(vec![0; limits::READ_BYTES].into_boxed_slice()))
}

/// One client's relay.
pub struct Relay {
    /// What has been said.
    pub conversation: Conversation,
    /// The client's socket.
    pub client: Stream,
    /// The upstream's socket.
    pub upstream: Stream,
    /// The right to use it, and to cancel what runs there.
    pub lease: Lease,
    scratch: Scratch,
    turns: TurnQueue,
    /// The wait for the next turn, once one is used up.
    next_turn: Option<NextTurn>,
    pub(super) client_rest: BytesMut,
    pub(super) upstream_rest: BytesMut,
    upstream_waits: UpstreamWaits,
    pub(super) elsewhere: Option<Box<Elsewhere>>,
    /// The cancel of a result that was cut. Nothing that it might meet is sent until it is over.
    pub(super) cancelling: Option<Cancelling>,
    /// The wait for room in the audit, while the session has to.
    room: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    idle: IdleWatch,
    pub(super) clocks: Clocks,
    stops_at_rest: StopsAtRest,
    client_flush: ClientFlush,
    counted: Counted,
    pub(super) memory: Memory,
    /// What tells others what the session is at.
    sign: Sign,
}

/// Bytes that passed on the client's side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counted {
    /// Received from the client.
    pub from_client: u64,
    /// Sent to the client.
    pub to_client: u64,
}

/// Whether bytes that the client's stream has taken may still sit in its own buffer (TLS has one).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClientFlush {
    Settled,
    Owed,
}

/// What is left over of what the upstream said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UpstreamWaits {
    /// The start of a frame, if anything.
    ForMore,
    /// What a turn was too short for.
    ForTheNextTurn,
}

/// Whether the server wants this session to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StopsAtRest {
    NotAsked,
    Asked,
}

/// What one attempt to move bytes came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moved {
    /// Some were.
    Some,
    /// There was nothing to do.
    Nothing,
}

pub(super) type Turn = Result<Moved, Ending>;

impl Relay {
    /// A relay over two sockets that are logged in, with what was read from them ahead.
    pub fn new(
        conversation: Conversation,
        (client, client_rest): (Stream, BytesMut),
        (upstream, upstream_rest): (Stream, BytesMut),
        (scratch, turns): (Scratch, TurnQueue),
    ) -> Self {
        Self {
            conversation,
            client,
            lease: Lease::default(),
            upstream,
            scratch,
            turns,
            next_turn: None,
            client_rest,
            upstream_rest,
            upstream_waits: UpstreamWaits::ForMore,
            elsewhere: None,
            cancelling: None,
            room: None,
            idle: IdleWatch::default(),
            clocks: Clocks::default(),
            stops_at_rest: StopsAtRest::NotAsked,
            client_flush: ClientFlush::Settled,
            counted: Counted::default(),
            memory: Memory::new(Budget::boundless().share()),
            sign: Sign::default(),
        }
    }

    /// The same relay, which tells by this sign what its session is at, and takes its memory out
    /// of this share.
    pub fn shown_by(mut self, sign: Sign, share: Share) -> Self {
        self.sign = sign;
        self.memory = Memory::new(share);
        self
    }

    /// From now on the relay ends as soon as no statement is under way.
    pub fn stop_at_rest(&mut self) {
        self.stops_at_rest = StopsAtRest::Asked;
    }

    /// Takes what the upstream said after its login, before any client text reaches it: it may be a
    /// tripwire.
    ///
    /// # Errors
    /// The reason to end the session.
    pub fn take_ahead(&mut self) -> Result<(), Ending> {
        let mut rest = std::mem::take(&mut self.upstream_rest);
        let passed = self.conversation.upstream_bytes(&rest)?;
        self.conversation
            .reply
            .extend_from_slice(rest.get(passed.tail).unwrap_or_default());
        rest.advance(passed.consumed);
        if !rest.is_empty() {
            self.upstream_rest = rest;
        }
        Ok(())
    }

    /// What passed so far.
    pub fn counted(&self) -> Counted {
        self.counted
    }

    /// Runs until there is a reason to end.
    pub async fn run(&mut self) -> Ending {
        std::future::poll_fn(|context| {
            let polled = self.poll(context);
            self.conversation.show(&self.sign, self.counted.to_client);
            polled
        })
        .await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Ending> {
        match &mut self.next_turn {
            None => self.conversation.turn.begin(),
            Some(next_turn) => {
                ready!(Pin::new(next_turn).poll(context));
                self.next_turn = None;
                self.conversation.turn.begin_anew();
            }
        }
        let scratch = Arc::clone(&self.scratch);
        let mut scratch = scratch.lock().unwrap_or_else(PoisonError::into_inner);
        // Every round is a part of the turn, so it comes to its end.
        while !self.conversation.turn.is_over() {
            match self.round(context, &mut scratch) {
                Ok(Moved::Some) => self.conversation.turn.spend_message(),
                Ok(Moved::Nothing) => {
                    self.conversation.turn.pause();
                    let watched = self.idle.poll(context, &mut self.conversation);
                    if watched.is_ready() {
                        return Poll::Ready(Ending::Ended(Farewell::Idle));
                    }
                    return self.watch(context, &mut scratch);
                }
                Err(ending) => return Poll::Ready(ending),
            }
        }
        let pauses = self.conversation.turn.pauses();
        self.next_turn = Some(self.turns.line_up(context.waker(), pauses));
        // An upstream that talks without end has no more time than one that is silent.
        self.watch(context, &mut scratch)
    }

    /// One round in each direction. The upstream's answers come first: they free what waits.
    fn round(&mut self, context: &mut Context<'_>, scratch: &mut [u8]) -> Turn {
        if self.stops_at_rest == StopsAtRest::Asked
            && self.conversation.has_finished_statements()
            && self.conversation.reply.is_empty()
        {
            return Err(Ending::Ended(Farewell::Shutdown));
        }
        self.conversation.goes_on()?;
        self.settle_memory(context)?;
        let mut moved = self.write_client(context)?;
        if let Some(ending) = self.conversation.closed()
            && self.conversation.reply.is_empty()
        {
            return Err(ending);
        }
        for turn in [
            self.read_upstream(context, scratch)?,
            self.finish_elsewhere(context)?,
            self.cancel(context)?,
            self.read_client(context, scratch)?,
            self.start_elsewhere(),
            self.write_upstream(context)?,
        ] {
            if turn == Moved::Some {
                moved = Moved::Some;
            }
        }
        Ok(moved)
    }

    fn write_client(&mut self, context: &mut Context<'_>) -> Turn {
        let reply = &mut self.conversation.reply;
        if reply.is_empty() && self.client_flush == ClientFlush::Settled {
            return Ok(Moved::Nothing);
        }
        while !reply.is_empty() {
            match write(&mut self.client, context, reply).map_err(|_| Ending::ClientGone)? {
                0 => return Ok(Moved::Nothing),
                written => {
                    reply.advance(written);
                    self.conversation.turn.spend_bytes(written);
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

    fn flush_client(&mut self, context: &mut Context<'_>) -> Turn {
        match Pin::new(&mut self.client).poll_flush(context) {
            Poll::Ready(Ok(())) => {
                self.client_flush = ClientFlush::Settled;
                Ok(Moved::Some)
            }
            Poll::Ready(Err(_)) => Err(Ending::ClientGone),
            Poll::Pending => Ok(Moved::Nothing),
        }
    }

    fn write_upstream(&mut self, context: &mut Context<'_>) -> Turn {
        if self.conversation.outbox.is_settled() {
            return Ok(Moved::Nothing);
        }
        match self
            .conversation
            .outbox
            .poll_flush(&mut self.upstream, context)
        {
            Poll::Ready(Ok(())) => Ok(Moved::Some),
            Poll::Ready(Err(_)) => Err(Ending::Ended(Farewell::UpstreamLost)),
            Poll::Pending => Ok(Moved::Nothing),
        }
    }

    /// Reads the upstream only when the client has taken everything before: its pace is the limit.
    fn read_upstream(&mut self, context: &mut Context<'_>, scratch: &mut [u8]) -> Turn {
        let calls = self.conversation.poll_call(context).is_pending();
        if calls || !self.conversation.reply.is_empty() || self.memory.stops_upstream() {
            return Ok(Moved::Nothing);
        }
        let count = match self.upstream_waits {
            UpstreamWaits::ForTheNextTurn => 0,
            UpstreamWaits::ForMore => match self.receive_upstream(context, scratch)? {
                Some(count) => count,
                None => return Ok(Moved::Nothing),
            },
        };
        let fresh = scratch.get(..count).unwrap_or_default();
        if self.upstream_rest.is_empty() {
            let passed = self.conversation.upstream_bytes(fresh)?;
            self.upstream_rest
                .extend_from_slice(fresh.get(passed.consumed..).unwrap_or_default());
            self.pass_on(context, fresh.get(passed.tail).unwrap_or_default())?;
        } else {
            let mut rest = std::mem::take(&mut self.upstream_rest);
            rest.extend_from_slice(fresh);
            let passed = self.conversation.upstream_bytes(&rest)?;
            self.pass_on(context, rest.get(passed.tail).unwrap_or_default())?;
            self.upstream_rest = without_front(rest, passed.consumed);
        }
        let waits = self.conversation.turn.is_over() || self.conversation.is_calling();
        self.upstream_waits = match self.upstream_rest.is_empty() {
            false if waits => UpstreamWaits::ForTheNextTurn,
            _ => UpstreamWaits::ForMore,
        };
        self.conversation.turn.spend_bytes(count);
        Ok(Moved::Some)
    }

    fn receive_upstream(
        &mut self,
        context: &mut Context<'_>,
        scratch: &mut [u8],
    ) -> Result<Option<usize>, Ending> {
        match read(&mut self.upstream, context, scratch) {
            Poll::Pending => Ok(None),
            Poll::Ready(Ok(0) | Err(_)) if self.conversation.has_heard_farewell() => {
                Err(Ending::UpstreamClosed)
            }
            Poll::Ready(Ok(0)) if self.conversation.is_running() => {
                Err(Ending::Ended(Farewell::UpstreamLost))
            }
            Poll::Ready(Ok(0)) => Err(Ending::UpstreamClosed),
            Poll::Ready(Ok(count)) => Ok(Some(count)),
            Poll::Ready(Err(_)) => Err(Ending::Ended(Farewell::UpstreamLost)),
        }
    }

    /// Writes straight from the read buffer when nothing waits before it; keeps what is not taken.
    fn pass_on(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Result<(), Ending> {
        let mut written = 0;
        if self.conversation.reply.is_empty() && !bytes.is_empty() {
            written = write(&mut self.client, context, bytes).map_err(|_| Ending::ClientGone)?;
            self.counted.to_client += as_u64(written);
            self.client_flush = ClientFlush::Owed;
            self.flush_client(context)?;
        }
        self.conversation
            .reply
            .extend_from_slice(bytes.get(written..).unwrap_or_default());
        Ok(())
    }

    fn read_client(&mut self, context: &mut Context<'_>, scratch: &mut [u8]) -> Turn {
        if self.clocks.client == Hearing::Open {
            self.clocks.client = Hearing::Shut;
        }
        if self.wait_for_audit(context).is_pending() {
            return Ok(Moved::Nothing);
        }
        // While the cut statement runs, only its own batch goes on, and a client may leave.
        let waits_for_cancel = self.cancelling.is_some() && !self.conversation.is_cut();
        if self.elsewhere.is_some() || waits_for_cancel || !self.conversation.takes_frames() {
            return Ok(Moved::Nothing);
        }
        let waits = !self.client_rest.is_empty() || self.conversation.is_replaying();
        if waits && self.take_rest()? == Moved::Some {
            return Ok(Moved::Some);
        }
        if self.clocks.client == Hearing::SaidAll {
            return self.answer_the_rest();
        }
        if let Some(moved) = self.make_room()? {
            return Ok(moved);
        }
        let count = match read(&mut self.client, context, scratch) {
            Poll::Pending => {
                self.clocks.client = Hearing::Open;
                return Ok(Moved::Nothing);
            }
            Poll::Ready(Ok(0)) => {
                self.clocks.client = Hearing::SaidAll;
                return Ok(Moved::Some);
            }
            Poll::Ready(Err(_)) => return Err(Ending::ClientGone),
            Poll::Ready(Ok(count)) => count,
        };
        self.counted.from_client += as_u64(count);
        self.conversation.inflow = Inflow::now();
        let fresh = scratch.get(..count).unwrap_or_default();
        let fresh = self.memory.without_dropped(fresh);
        if self.client_rest.is_empty() {
            let taken = self.conversation.client_bytes(fresh)?;
            self.client_rest
                .extend_from_slice(fresh.get(taken.consumed..).unwrap_or_default());
        } else {
            self.client_rest.extend_from_slice(fresh);
            self.take_rest()?;
        }
        self.conversation.turn.spend_bytes(count);
        Ok(Moved::Some)
    }

    /// Keeps what was read from the client before its turn.
    pub(super) fn take_ahead_of_turn(&mut self, scratch: &[u8], count: usize) {
        let fresh = scratch.get(..count).unwrap_or_default();
        self.counted.from_client += as_u64(fresh.len());
        let fresh = self.memory.without_dropped(fresh);
        self.client_rest.extend_from_slice(fresh);
    }

    /// The client sends nothing more, and all that it has sent is taken: it may still read.
    fn answer_the_rest(&mut self) -> Turn {
        if self.conversation.reply.is_empty() {
            self.conversation.close_after_answers(Ending::ClientGone)?;
        }
        Ok(Moved::Nothing)
    }

    /// Ready unless the client's next frame waits for room in the audit; wakes the session then.
    fn wait_for_audit(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while self.conversation.waits_for_audit() {
            let room = self.room.take();
            let mut room = room.unwrap_or_else(|| Box::pin(self.conversation.room_in_audit()));
            if room.as_mut().poll(context).is_pending() {
                self.room = Some(room);
                return Poll::Pending;
            }
        }
        self.room = None;
        Poll::Ready(())
    }

    /// Takes frames that were read earlier and could not be taken then.
    fn take_rest(&mut self) -> Turn {
        let replays = self.conversation.is_replaying();
        let taken = self.conversation.client_bytes(&self.client_rest)?;
        let rest = std::mem::take(&mut self.client_rest);
        self.client_rest = without_front(rest, taken.consumed);
        let moved = if taken.consumed > 0 || replays {
            Moved::Some
        } else {
            Moved::Nothing
        };
        Ok(moved)
    }
}

/// What is left behind bytes that were dealt with, in no more memory than it needs: a buffer keeps
/// what it once took, however little it holds.
fn without_front(mut rest: BytesMut, consumed: usize) -> BytesMut {
    rest.advance(consumed);
    if rest.is_empty() {
        BytesMut::new()
    } else if consumed > limits::BUFFER_BYTES_KEPT {
        BytesMut::from(&*rest)
    } else {
        rest
    }
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
