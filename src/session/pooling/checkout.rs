//! When a session takes a connection of its pool, and when it gives it back.
//!
//! It takes one when a whole message of the client's is there that needs the upstream, before any
//! of it is looked at: what a name stands for, and what is set, is then that connection's. It gives
//! it back when nothing is owed and no transaction is open.

use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::BytesMut;
use tokio::time::Instant;

use super::last_words::{
    LastWords, ask_whether_server_stops, end_is_explained, last_words, leave_if_silent,
};
use super::lost_server;
use super::moving::{self, MoveCause};
use super::named::NamedStatement;
use super::pooled_relay::{ConnectionUse, HeldConnection, PoolJob, Taken};
use super::prepared::parses_of_kept;
use super::server_place::{is_permitted_here, not_permitted_here, server_need};
use crate::net::framed_stream::FramedStream;
use crate::session::client_side::ClientState;
use crate::session::io::Relay;
use crate::session::io::moves::{BytesMoved, MoveResult};
use crate::session::policy_reload::take_over_policies;
use crate::session::reply::CloseReason;
use crate::session::session_end::SessionEnd;
use crate::session::upstream_side::SelfReport;
use crate::telemetry::events::{SessionPinned, UpstreamUnreachable};
use crate::upstream::cancel::DetachedConnection;
use crate::upstream::pool::PoolError;
use crate::upstream::pool::connection::{PooledConnection, SettleError};
use crate::upstream::pool::prepared_names::PreparedNames;
use crate::upstream::pool::set_values::SetValues;
use crate::upstream::pool::source::OpenError;
use crate::waits::WaitState;
use crate::wire::frame::{FrameCut, ProtocolPhase, cut_frontend};

impl Relay {
    /// Whether messages of the client wait for a connection, and what waits for it.
    pub(in crate::session) fn pool_wait(&self) -> Option<WaitState> {
        let pooled = self.pooled.as_ref()?;
        Some(match pooled.job.as_ref()? {
            PoolJob::Taking(_) | PoolJob::Moving(..) => WaitState::PoolConnection,
            PoolJob::AskingServer(_) => WaitState::StopQuestion,
            PoolJob::Reading(_) | PoolJob::Preparing(_) => WaitState::PoolSettings,
        })
    }

    /// Whether the client has to wait for a connection before its next message is taken.
    pub(in crate::session) fn needs_connection(&self) -> bool {
        if self.upstream.is_some() {
            return false;
        }
        match cut_frontend(&self.client_rest, ProtocolPhase::Session) {
            Ok(FrameCut::Whole(frame)) => frame.kind != TERMINATE,
            Ok(FrameCut::Partial { .. }) | Err(_) => false,
        }
    }

    /// Takes a connection, or lines up for one.
    pub(in crate::session) fn take_connection(&mut self) -> MoveResult {
        if (self.pooled.as_ref()).is_none_or(|pooled| pooled.job.is_some()) {
            return Ok(BytesMoved::Nothing);
        }
        // Where it goes is a question to the policy of now.
        take_over_policies(&mut self.protocol)?;
        let need = server_need(&self.protocol);
        let is_permitted = is_permitted_here(&self.protocol);
        let Some(pooled) = &mut self.pooled else {
            return Ok(BytesMoved::Nothing);
        };
        let why = match is_permitted {
            true => MoveCause::Better,
            false => MoveCause::NotPermitted(
                (pooled.next_policy_move()).ok_or_else(|| not_permitted_here(&self.protocol))?,
            ),
        };
        let mut job = moving::begin(pooled, need, why);
        pooled.note_targets(need.targets);
        if job.is_none() {
            let wish = pooled.wish();
            match pooled.pool().take_ready(&wish) {
                Some(taken) => self.attach(taken),
                None => {
                    let taking = Arc::clone(pooled.pool()).take(wish);
                    job = Some(PoolJob::Taking(Box::pin(taking)));
                }
            }
        }
        if let Some(pooled) = &mut self.pooled {
            pooled.job = job;
        }
        Ok(BytesMoved::Some)
    }

    /// Messages of the client are taken next: should their server die before it answers, they run
    /// once more elsewhere.
    pub(in crate::session) fn begin_taking(&mut self) {
        lost_server::begin_taking(self);
    }

    /// These were taken.
    pub(in crate::session) fn note_taken(&mut self, messages: &[u8]) {
        lost_server::note_taken(self, messages);
    }

    /// The upstream is lost, or says with these bytes that it will be: goes on elsewhere, where
    /// that may be.
    ///
    /// # Errors
    /// The reason to end the session.
    pub(in crate::session) fn run_elsewhere(&mut self, last: Option<&[u8]>) -> MoveResult {
        let words = last.map(|bytes| (bytes, last_words(self, bytes)));
        match words {
            Some((_, LastWords::None)) => Ok(BytesMoved::Nothing),
            Some((bytes, LastWords::Ended)) => Ok(ask_whether_server_stops(self, bytes)),
            Some((_, LastWords::Dying)) | None => lost_server::run_elsewhere(self),
        }
    }

    /// Whether what the client has sent could go on elsewhere if the upstream were lost now.
    pub(in crate::session) fn may_run_elsewhere(&self) -> bool {
        lost_server::may_run_again(self)
    }

    /// When it is looked next whether the server has fallen silent; none where nothing could be
    /// done about that.
    pub(in crate::session) fn silence_look(&mut self) -> Option<Instant> {
        let owes = !self.protocol.pending.is_empty();
        self.pooled.as_mut()?.silence_look(owes)
    }

    /// Leaves its server where that has fallen silent: what is under way there, or the wait for a
    /// connection, goes on elsewhere.
    ///
    /// # Errors
    /// The reason to end the session.
    pub(in crate::session) fn leave_silent_server(&mut self, now: Instant) -> MoveResult {
        let pooled = self.pooled.as_mut();
        match pooled.is_some_and(|pooled| pooled.takes_silence_look(now)) {
            true => leave_if_silent(self),
            false => Ok(BytesMoved::Nothing),
        }
    }

    /// Whether the end of what is under way is kept back: nothing is read or sent meanwhile.
    pub(in crate::session) fn keeps_end_back(&self) -> bool {
        let job = self.pooled.as_ref().and_then(|pooled| pooled.job.as_ref());
        matches!(job, Some(PoolJob::AskingServer(_)))
    }

    /// Goes on with what is done with connections.
    pub(in crate::session) fn finish_pool_job(&mut self, context: &mut Context<'_>) -> MoveResult {
        let Some(pooled) = &mut self.pooled else {
            return Ok(BytesMoved::Nothing);
        };
        let taken = match &mut pooled.job {
            None => return Ok(BytesMoved::Nothing),
            Some(PoolJob::Taking(taking)) => match taking.as_mut().poll(context) {
                Poll::Pending => return Ok(BytesMoved::Nothing),
                Poll::Ready(taken) => {
                    pooled.job = None;
                    return self.connected(taken);
                }
            },
            Some(PoolJob::Moving(moving, reason)) => match moving.as_mut().poll(context) {
                Poll::Pending => return Ok(BytesMoved::Nothing),
                Poll::Ready(home) => {
                    let reason = *reason;
                    pooled.job = None;
                    let home = home.map_err(|error| self.not_connected(&error))?;
                    if let Some(taken) = moving::settle(self, (home, reason)) {
                        self.attach(taken);
                    }
                    return Ok(BytesMoved::Some);
                }
            },
            Some(PoolJob::AskingServer(asking)) => match asking.as_mut().poll(context) {
                Poll::Pending => return Ok(BytesMoved::Nothing),
                Poll::Ready(is_stopping) => {
                    pooled.job = None;
                    return end_is_explained(self, is_stopping);
                }
            },
            Some(PoolJob::Preparing(preparing)) => match preparing.as_mut().poll(context) {
                Poll::Pending => return Ok(BytesMoved::Nothing),
                Poll::Ready(taken) => {
                    pooled.job = None;
                    self.attach(taken.map_err(of_settling)?);
                    return Ok(BytesMoved::Some);
                }
            },
            Some(PoolJob::Reading(reading)) => match reading.as_mut().poll(context) {
                Poll::Pending => return Ok(BytesMoved::Nothing),
                Poll::Ready(taken) => {
                    pooled.job = None;
                    taken
                }
            },
        };
        let ((connection, lease), detached) = taken.map_err(of_settling)?;
        let before = pooled.values().clone();
        let values = pooled.take_values(&connection.state.values);
        let mut kept = None;
        if let Some(side) = &mut self.protocol.upstream.pool {
            side.settings_read(values);
            kept = Some(side.read_otherwise()).filter(|kept| !kept.is_empty());
        }
        match kept {
            Some(kept) => self.keep_connection((connection, lease), &kept, before),
            None if detached == DetachedConnection::Quiet => lease.give_back(connection),
            None => {}
        }
        Ok(BytesMoved::Some)
    }

    /// A connection is there; or it is looked for elsewhere.
    fn connected(&mut self, taken: Result<Taken, PoolError>) -> MoveResult {
        match taken {
            Ok(taken) => self.attach(taken),
            Err(error) => {
                let pooled = self.pooled.as_ref();
                let need = server_need(&self.protocol);
                let why = MoveCause::Failed(&error);
                let job = pooled.and_then(|pooled| moving::begin(pooled, need, why));
                let job = job.ok_or_else(|| self.not_connected(&error))?;
                if let Some(pooled) = &mut self.pooled {
                    pooled.job = Some(job);
                }
            }
        }
        Ok(BytesMoved::Some)
    }

    /// Takes the connection back for good: statements that were prepared by the settings of before
    /// are on it, or are prepared by these now, and would mean something else elsewhere.
    fn keep_connection(
        &mut self,
        (mut connection, lease): Taken,
        kept: &[(Box<str>, NamedStatement)],
        settings: SetValues,
    ) {
        let prepared = &mut connection.state.prepared;
        let parses = parses_of_kept(&mut self.protocol, prepared, (kept, &settings));
        let side = self.protocol.upstream.pool.as_mut();
        let kept = side
            .map(|side| side.named().upstream_names())
            .unwrap_or_default();
        if parses.is_empty() {
            self.attach((connection, lease));
        } else if let Some(pooled) = &mut self.pooled {
            let preparing = async move {
                connection.prepare_by(&settings, (parses, &kept)).await?;
                Ok((connection, lease))
            };
            pooled.job = Some(PoolJob::Preparing(Box::pin(preparing)));
        }
    }

    /// Gives the connection back where nothing is under way on it.
    pub(in crate::session) fn release_connection(&mut self) -> BytesMoved {
        let Some(pooled) = &mut self.pooled else {
            return BytesMoved::Nothing;
        };
        let Some(held) = &pooled.held else {
            return BytesMoved::Nothing;
        };
        let Some(side) = &mut self.protocol.upstream.pool else {
            return BytesMoved::Nothing;
        };
        if let Some(reason) = side.pinned() {
            if !pooled.told_pin {
                pooled.told_pin = true;
                let telemetry = &self.protocol.witness.telemetry;
                telemetry.emit(&SessionPinned { reason });
            }
            return BytesMoved::Nothing;
        }
        // Who has sent more goes on, unless others wait.
        let goes_on = !self.client_rest.is_empty() && !held.lease.is_wanted();
        let is_due = held.use_so_far == ConnectionUse::NotYet && !self.client_rest.is_empty();
        let stays = is_due || goes_on && !side.has_touched_settings();
        if stays && is_permitted_here(&self.protocol) || !self.is_at_rest() {
            return BytesMoved::Nothing;
        }
        self.detach();
        BytesMoved::Some
    }

    /// Whether the connection is given back next, before the messages that wait: the policy does
    /// not let the session be at its server.
    pub(in crate::session) fn has_to_leave(&self) -> bool {
        let side = self.protocol.upstream.pool.as_ref();
        let holds = (self.pooled.as_ref()).is_some_and(|pooled| pooled.held.is_some());
        holds
            && side.is_some_and(|side| side.pinned().is_none())
            && !is_permitted_here(&self.protocol)
            && self.is_at_rest()
    }

    /// The session ends: its connection goes on, where that is certain to be as it was.
    pub(in crate::session) fn release_at_end(&mut self) {
        let side = self.protocol.upstream.pool.as_ref();
        let is_kept = side.is_some_and(|side| {
            side.pinned().is_none() && !side.has_touched_settings() && !side.has_lost_track()
        });
        if is_kept && self.is_at_rest() {
            self.detach();
        }
    }

    /// Whether nothing is under way on the connection, nor will be unless the client sends more.
    pub(in crate::session) fn is_at_rest(&self) -> bool {
        let protocol = &self.protocol;
        let upstream = &protocol.upstream;
        protocol.pending.answers_alone()
            && protocol.client.state == ClientState::Open
            && upstream.outbox.is_settled()
            && upstream.self_report != SelfReport::AskNow
            && upstream.passing == 0
            && upstream.dropping == 0
            && !upstream.has_closed()
            && self.upstream_rest.is_empty()
            && self.running_job.is_none()
            && self.cancelling.is_none()
            && !protocol.repair.is_under_way()
    }

    fn attach(&mut self, (mut connection, lease): Taken) {
        let Some(pooled) = &mut self.pooled else {
            return;
        };
        connection.join_this_thread();
        let PooledConnection { frames, mut state } = connection;
        self.lease.attach(state.key.as_ref());
        let place = &mut self.protocol.upstream.place;
        place.connection_changed(state.kind);
        place.note_running(true);
        if let Some(side) = &mut self.protocol.upstream.pool {
            side.connection_changed(std::mem::take(&mut state.prepared));
        }
        pooled.held = Some(HeldConnection {
            state,
            lease,
            use_so_far: ConnectionUse::NotYet,
        });
        self.upstream_rest = frames.inbox;
        self.upstream = Some(frames.stream);
        // Should it be lost before anything was sent, nothing is lost with it.
        self.begin_taking();
    }

    fn detach(&mut self) {
        let Some(pooled) = &mut self.pooled else {
            return;
        };
        let (Some(held), Some(stream)) = (pooled.held.take(), self.upstream.take()) else {
            return;
        };
        pooled.unanswered.forget();
        let HeldConnection {
            mut state, lease, ..
        } = held;
        // A cancel under way may arrive while another session has the connection.
        let detached = self.lease.detach(state.key.as_ref());
        state.last_session = pooled.session();
        let place = &mut self.protocol.upstream.place;
        state.kind = place.reported();
        place.note_running(false);
        let mut reads = None;
        if let Some(side) = &mut self.protocol.upstream.pool {
            reads = side.has_touched_settings().then(|| side.custom_names());
            state.prepared = side.connection_changed(PreparedNames::default());
        }
        let is_settled = reads.is_none() && !state.prepared.has_lost_track();
        let frames = FramedStream {
            stream,
            inbox: BytesMut::new(),
        };
        let mut connection = PooledConnection { frames, state };
        if is_settled {
            if detached == DetachedConnection::Quiet {
                lease.give_back(connection);
            }
            return;
        }
        // What the client has set must not be lost with its connection.
        let reading = async move {
            if let Some(custom) = reads {
                let custom = custom.iter().map(AsRef::as_ref);
                connection.read_values(custom).await?;
            }
            connection.forget_lost().await?;
            Ok(((connection, lease), detached))
        };
        pooled.job = Some(PoolJob::Reading(Box::pin(reading)));
    }

    /// Why a session ends that has no connection.
    fn not_connected(&self, error: &PoolError) -> SessionEnd {
        let telemetry = &self.protocol.witness.telemetry;
        let reason = match error {
            PoolError::AllBusy { busy, waited } => CloseReason::PoolBusy {
                busy: *busy,
                waited: *waited,
            },
            PoolError::Paused { .. } => CloseReason::PoolPaused,
            PoolError::NoServer => return not_permitted_here(&self.protocol),
            PoolError::OtherBase => CloseReason::UpstreamChanged,
            PoolError::Settle(error) => return of_settling(*error),
            PoolError::Closed => CloseReason::Shutdown,
            PoolError::Open(OpenError::Login(failure)) => {
                telemetry.emit(&UpstreamUnreachable { failure });
                CloseReason::UpstreamLost
            }
            PoolError::Open(OpenError::NotReadOnly(failure)) => match failure.tripwire() {
                Some(tripwire) => return SessionEnd::Tripped(tripwire),
                None => {
                    telemetry.emit(&UpstreamUnreachable { failure });
                    CloseReason::UpstreamLost
                }
            },
        };
        SessionEnd::Ended(reason)
    }
}

fn of_settling(error: SettleError) -> SessionEnd {
    match error {
        SettleError::Link(_) => SessionEnd::Ended(CloseReason::UpstreamLost),
        SettleError::Unsettled => SessionEnd::Ended(CloseReason::UpstreamUnreadable),
        SettleError::Tripped(tripwire) => SessionEnd::Tripped(tripwire),
    }
}

/// The type byte of a goodbye.
const TERMINATE: u8 = b'X';
