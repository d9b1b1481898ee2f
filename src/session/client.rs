//! The client's half of a session: its bytes are cut into frames, and each frame goes where its
//! kind belongs. Those that bring or run a statement have their path in `statement`; the others are
//! dealt with here.
//!
//! What is refused goes to `refuse`. What ends the session (Terminate, a frame that breaks the
//! protocol) waits for the answers to everything sent before it.

use std::sync::Arc;

use super::client_side::ClientState;
use super::pending::ExpectedReply;
use super::pending::portal_names::ClosedName;
use super::policy_limits::admission::holds_back;
use super::policy_reload::take_over_policies;
use super::pooling::prepared::{StatementReadiness, prepare_again, take_unnamed_place};
use super::pooling::server_place::{MessageReadiness, before_message};
use super::protocol::SessionProtocol;
use super::refuse::{refuse_message, refuse_query, refuse_undecodable};
use super::session_end::{LOST_COUNT, SessionEnd, UNSENDABLE};
use super::statement::{take_bind, take_execute, take_parse, take_query};
use super::statement_stage::{QueryStage, TextStage};
use super::upstream_side::SelfReport;
use crate::gate::{Refusal, is_own_name};
use crate::limits;
use crate::telemetry::labels::ProtocolPath;
use crate::wire::encode;
use crate::wire::frame::{ClientFrame, FrameCut, ProtocolPhase, cut_frontend};
use crate::wire::frontend::{self, Bind, FrontendMessage, StatementOrPortal};
use crate::wire::malformed::MalformedMessage;

/// What taking a client's bytes led to.
#[derive(Debug)]
pub struct ClientProgress {
    /// Bytes that were dealt with; the rest is given again with what follows.
    pub consumed: usize,
}

impl SessionProtocol {
    /// Takes what one read from the client brought, as far as frames are whole and may be taken
    /// now.
    ///
    /// # Errors
    /// The reason to end the session.
    pub fn client_bytes(&mut self, bytes: &[u8]) -> Result<ClientProgress, SessionEnd> {
        let taken = self.take_frame(bytes);
        self.client.inflow.mark_aged();
        self.context.release_names();
        taken
    }

    fn take_frame(&mut self, bytes: &[u8]) -> Result<ClientProgress, SessionEnd> {
        let mut consumed = 0;
        self.replay()?;
        while self.takes_frames() {
            let Some(rest) = bytes.get(consumed..).filter(|rest| !rest.is_empty()) else {
                break;
            };
            let frame = match cut_frontend(rest, ProtocolPhase::Session) {
                Ok(FrameCut::Whole(frame)) => frame,
                Ok(FrameCut::Partial { .. }) => break,
                Err(cause) => {
                    self.close_after_answers(cause.into())?;
                    break;
                }
            };
            let readiness = match frame.kind {
                TERMINATE => Ok(MessageReadiness::Takes),
                _ => before_message(self),
            };
            match readiness {
                Ok(MessageReadiness::Takes) => {}
                Ok(MessageReadiness::Leaves) => break,
                Err(ending) => {
                    self.close_after_answers(ending)?;
                    break;
                }
            }
            if holds_back(self, frame.kind) {
                break;
            }
            consumed += frame.bytes.len();
            self.client.inflow.is_pipelined = rest.len() > frame.bytes.len();
            if let Err(ending) = self.frame(&frame) {
                self.close_after_answers(ending)?;
            }
            self.turn.spend_message();
        }
        self.flush_long_pipeline();
        Ok(ClientProgress { consumed })
    }

    /// Takes the messages that came behind a Parse that is repaired now.
    ///
    /// # Errors
    /// The reason to end the session.
    pub(super) fn replay(&mut self) -> Result<(), SessionEnd> {
        while self.takes_frames()
            && let Some(frames) = self.repair.take_replayed()
        {
            let FrameCut::Whole(frame) = cut_frontend(&frames, ProtocolPhase::Session)? else {
                return Err(LOST_COUNT);
            };
            let behind = frames.slice(frame.bytes.len()..);
            self.client.inflow.is_pipelined = !behind.is_empty();
            self.repair.replay_first(behind);
            take_over_policies(self)?;
            self.frame(&frame)?;
            self.turn.spend_message();
        }
        Ok(())
    }

    /// The session ends, but not before the client has what it is owed.
    ///
    /// # Errors
    /// The ending itself, when nothing is owed.
    pub(super) fn close_after_answers(&mut self, ending: SessionEnd) -> Result<(), SessionEnd> {
        if self.pending.is_empty() {
            return Err(ending);
        }
        if self.pending.transaction.unsynced {
            self.upstream.outbox.flush_message();
        }
        self.client.state = ClientState::Closing(ending);
        Ok(())
    }

    /// Takes a message, once the policies of now are the session's.
    fn frame(&mut self, frame: &ClientFrame<'_>) -> Result<(), SessionEnd> {
        if frame.kind == TERMINATE {
            return Err(SessionEnd::Terminated);
        }
        if self.client.is_skipping() {
            return self.skip(frame);
        }
        let message = match frontend::decode(frame) {
            Ok(message) => message,
            Err(MalformedMessage::NotUtf8) => return refuse_undecodable(self, frame.kind),
            Err(cause) => return Err(cause.into()),
        };
        match message {
            FrontendMessage::Query(query) => {
                take_query(self, frame, &query, QueryStage::Text(TextStage::Arrived))
            }
            FrontendMessage::Parse(parse) => take_parse(self, frame, &parse, TextStage::Arrived),
            FrontendMessage::Bind(bind) => take_bind(self, frame, &bind),
            FrontendMessage::Describe(target) => self.describe(frame, &target),
            FrontendMessage::Execute(execute) => take_execute(self, frame, &execute),
            FrontendMessage::Close(target) => self.close(frame, &target),
            FrontendMessage::Flush => self.forward(frame),
            FrontendMessage::Sync => self.sync(frame),
            FrontendMessage::Terminate => Err(SessionEnd::Terminated),
            FrontendMessage::FunctionCall => refuse_query(
                self,
                Refusal::of_function_call(),
                None,
                (ProtocolPath::FunctionCall, None),
            ),
            FrontendMessage::CopyData | FrontendMessage::CopyDone | FrontendMessage::CopyFail => {
                self.client.copy_leftover(frame.kind)
            }
        }
    }

    /// Between a refusal or error and the Sync that ends it, nothing else counts.
    fn skip(&mut self, frame: &ClientFrame<'_>) -> Result<(), SessionEnd> {
        if frame.kind != b'S' {
            return Ok(());
        }
        frontend::decode(frame)?;
        if self.client.state == ClientState::SkipToSyncAlone {
            self.client.state = ClientState::Open;
            encode::ready_for_query(&mut self.client.reply, self.pending.transaction.status);
            return Ok(());
        }
        self.client.state = ClientState::Open;
        self.sync(frame)
    }

    fn describe(
        &mut self,
        frame: &ClientFrame<'_>,
        target: &StatementOrPortal<'_>,
    ) -> Result<(), SessionEnd> {
        if let StatementOrPortal::Statement(name) = target
            && self.context.names.prepared(name).is_none()
        {
            let refusal = Refusal::of_unknown_statement(name);
            return refuse_message(self, refusal, None, ProtocolPath::Bind);
        }
        if let StatementOrPortal::Statement(name) = target {
            match prepare_again(self, frame, name) {
                Ok(StatementReadiness::Ready) => {}
                Ok(StatementReadiness::Asked) => return Ok(()),
                Err(refusal) => return refuse_message(self, refusal, None, ProtocolPath::Bind),
            }
        }
        match target {
            StatementOrPortal::Statement(name) => self.forward_describe(frame, name)?,
            StatementOrPortal::Portal(_) => self.forward(frame)?,
        }
        if let Some(side) = &mut self.upstream.pool {
            match target {
                StatementOrPortal::Statement(name) => side.describe_sent(name),
                StatementOrPortal::Portal(name) => side.descriptions().portal_asked(name),
            }
        }
        self.pending.push(match target {
            StatementOrPortal::Statement(name) => {
                let prepared = self.context.names.prepared(name);
                let digests = prepared.and_then(|prepared| prepared.digests.as_ref());
                ExpectedReply::DescribeStatement(digests.map(Arc::clone))
            }
            StatementOrPortal::Portal(name) => {
                let cursor = self.context.names.cursor(name);
                let digests = cursor.and_then(|cursor| cursor.digests.as_ref());
                ExpectedReply::DescribePortal(digests.map(|own| Arc::clone(&own.statement)))
            }
        });
        Ok(())
    }

    fn close(
        &mut self,
        frame: &ClientFrame<'_>,
        target: &StatementOrPortal<'_>,
    ) -> Result<(), SessionEnd> {
        let closed = match target {
            StatementOrPortal::Statement(name) => {
                let side = self.upstream.pool.as_mut();
                let is_others = side.is_some() && is_own_name(name);
                let carried = side.and_then(|side| side.close_sent(name));
                self.forward_close(frame, is_others || carried.is_some())?;
                let prepared = self.context.names.prepared(name).cloned();
                let older = self.context.names.remove_prepared(name);
                ClosedName::Statement {
                    name: (*name).to_owned(),
                    prepared,
                    older,
                    carried,
                }
            }
            StatementOrPortal::Portal(name) => {
                self.forward(frame)?;
                if let Some(side) = &mut self.upstream.pool {
                    side.descriptions().bind_sent(name, None);
                }
                self.context.names.remove_cursor(name);
                self.limits.forget_portal(name);
                ClosedName::Portal {
                    name: (*name).to_owned(),
                }
            }
        };
        self.pending.push(ExpectedReply::Close(closed));
        Ok(())
    }

    fn sync(&mut self, frame: &ClientFrame<'_>) -> Result<(), SessionEnd> {
        self.forward(frame)?;
        self.witness.trace_parsed();
        self.sync_sent();
        self.hold_for_check();
        Ok(())
    }

    /// The batch ends with a Sync, whose answer is owed.
    pub(super) fn sync_sent(&mut self) {
        self.pending.transaction.unsynced = false;
        self.plan.took = None;
        self.context.names.sync_sent();
        self.limits.sync();
        self.pending.push(ExpectedReply::Sync);
    }

    /// A pipeline as long as the pending replies allow, without a Sync, would wait for ever: the
    /// upstream holds its answers back until it is told to flush.
    fn flush_long_pipeline(&mut self) {
        if self.pending.len() == limits::PENDING_REPLIES_MAX && self.pending.transaction.unsynced {
            self.upstream.outbox.flush_message();
        }
    }

    /// Nothing more is taken from the client until the upstream has been asked whether it is still
    /// read-only, and has answered, where that is due.
    pub(super) fn hold_for_check(&mut self) {
        if self.upstream.self_report == SelfReport::AskNow {
            self.client.state = ClientState::Checking;
        }
    }

    /// Passes a Bind on, with the name of its statement that the upstream knows.
    ///
    /// # Errors
    /// It may not be forwarded.
    pub(super) fn forward_bind(
        &mut self,
        frame: &ClientFrame<'_>,
        bind: &Bind<'_>,
    ) -> Result<(), SessionEnd> {
        let Some(upstream) = self.upstream_name(bind.statement) else {
            return self.forward(frame);
        };
        self.note_forwarded(frame)?;
        let outbox = &mut self.upstream.outbox;
        (outbox.bind_as(frame, bind, &upstream)).map_err(|_| UNSENDABLE)
    }

    /// The same for the Describe of a statement.
    fn forward_describe(&mut self, frame: &ClientFrame<'_>, name: &str) -> Result<(), SessionEnd> {
        let Some(upstream) = self.upstream_name(name) else {
            return self.forward(frame);
        };
        self.note_forwarded(frame)?;
        let outbox = &mut self.upstream.outbox;
        (outbox.describe_statement(&upstream)).map_err(|_| UNSENDABLE)
    }

    fn upstream_name(&self, name: &str) -> Option<String> {
        let side = self.upstream.pool.as_ref()?;
        side.upstream_name(name).map(|name| name.text())
    }

    /// Passes the Close of a statement on: what other sessions have as well stays where it is.
    fn forward_close(
        &mut self,
        frame: &ClientFrame<'_>,
        is_shared: bool,
    ) -> Result<(), SessionEnd> {
        if !is_shared {
            return self.forward(frame);
        }
        self.note_forwarded(frame)?;
        (self.upstream.outbox.close_nothing()).map_err(|_| UNSENDABLE)
    }

    /// Passes a frame on as it is.
    ///
    /// # Errors
    /// It may not be forwarded.
    pub(super) fn forward(&mut self, frame: &ClientFrame<'_>) -> Result<(), SessionEnd> {
        self.note_forwarded(frame)?;
        self.upstream.outbox.forward(frame).map_err(|_| UNSENDABLE)
    }

    fn note_forwarded(&mut self, frame: &ClientFrame<'_>) -> Result<(), SessionEnd> {
        // A Sync may be what the upstream skips to: it would read nothing before it.
        if frame.kind != b'S' {
            take_unnamed_place(self)?;
        }
        self.pending.transaction.open_batch();
        self.repair.retained.follow(frame);
        Ok(())
    }
}

/// The type byte of a goodbye.
const TERMINATE: u8 = b'X';
