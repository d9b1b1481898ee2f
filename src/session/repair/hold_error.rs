//! After a statement failed: whether its error is held back while a repair is looked for.
//!
//! It is where the statement stood alone: nothing was under way before it but the end of what the
//! client knows to have failed, no transaction is open, nothing of its answer was passed on, and
//! nothing was sent behind it but, in the extended protocol, the rest of its own batch. The
//! upstream is brought to rest first, so that whatever comes of it finds both sides as they were
//! before the statement.

use std::time::Instant;

use bytes::{Buf, Bytes};

use super::apply_repair::parse_of;
use super::preflight::{may_be_repaired, repairs_bytes};
use super::retained_frames::BatchExtent;
use super::send_options::SendOptions;
use super::stage::{HeldError, RepairStage, SessionRepair};
use super::{BlockingJob, FailedBatch, RepairCause, RepairJob};
use crate::gate::{Facts, SessionNames};
use crate::limits;
use crate::policy::{Policy, RepairMode};
use crate::repair::{Failure, FailureClass, FailureOrigin};
use crate::session::client_side::ClientState;
use crate::session::context::client_settings::RepairWish;
use crate::session::pending::in_flight::TextRetained;
use crate::session::pending::{ExpectedReply, PendingReplies, SkipExtent};
use crate::session::protocol::SessionProtocol;
use crate::session::scheduling::large_text::text_of;
use crate::sqlstate;
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::wire::backend::{ResponseFields, TransactionStatus, error_fields};
use crate::wire::frame::{ClientFrame, FrameCut, ProtocolPhase, cut_frontend, header_backend};

impl SessionRepair {
    /// Keeps a Query that is about to be sent, if its failure could be held back.
    pub(in crate::session) fn retain_query(
        &mut self,
        frame: &ClientFrame<'_>,
        (facts, options): (&Facts, &SendOptions),
        (policy, pending): (&Policy, &PendingReplies),
    ) -> TextRetained {
        let is_kept = options.may_hold_error()
            && repairs_frame(policy, frame)
            && pending.is_outside_of_transactions()
            && may_be_repaired(facts);
        if is_kept {
            self.retained.keep_query(frame);
            TextRetained::Kept
        } else {
            self.retained.skip_query();
            TextRetained::Lost
        }
    }

    /// The same for a Parse. Its name must be new: of one that is not, nobody could say afterwards
    /// what it stands for.
    pub(in crate::session) fn retain_parse(
        &mut self,
        frame: &ClientFrame<'_>,
        name: &str,
        (facts, options): (&Facts, &SendOptions),
        (policy, pending, names): (&Policy, &PendingReplies, &SessionNames),
    ) -> TextRetained {
        let is_kept = options.may_hold_error()
            && self.retained.is_fresh()
            && repairs_frame(policy, frame)
            && pending.transaction.status == TransactionStatus::Idle
            && pending.has_only_ends()
            && may_be_repaired(facts)
            && (name.is_empty() || names.prepared(name).is_none());
        if is_kept {
            self.retained.keep_parse(frame);
            TextRetained::Kept
        } else {
            self.retained.follow_parse(frame);
            TextRetained::Lost
        }
    }

    /// Whether the statement that is answered now stands alone, and how.
    fn stands_alone(&self, client: ClientState, pending: &PendingReplies) -> Option<LoneStatement> {
        let is_taken = match client {
            ClientState::Open => true,
            // A Bind whose statement fails is part of the batch: it was sent behind it.
            ClientState::Planning => pending.asks_for_batch(),
            _ => false,
        };
        if !is_taken || pending.transaction.status != TransactionStatus::Idle {
            return None;
        }
        let is_last = pending.len() == 1 && !pending.transaction.unsynced;
        match pending.front()? {
            ExpectedReply::Query(running)
                if running.text_retained == TextRetained::Kept && running.bytes == 0 =>
            {
                is_last.then_some(LoneStatement::Query)
            }
            ExpectedReply::Parse(running) if running.text_retained == TextRetained::Kept => {
                self.retained.extent().map(LoneStatement::Batch)
            }
            _ => None,
        }
    }
}

fn repairs_frame(policy: &Policy, frame: &ClientFrame<'_>) -> bool {
    // A frame is longer than its text.
    repairs_bytes(policy, frame.body.len())
}

/// Holds an error back, if it may be.
pub(in crate::session) fn hold_error(
    protocol: &mut SessionProtocol,
    fields: ResponseFields<'_>,
    body: &[u8],
    code: SqlstateCode,
) -> Option<HeldError> {
    let wish = protocol.context.client_settings.repair_wish();
    let SessionProtocol {
        pending, repair, ..
    } = protocol;
    let alone = repair.stands_alone(protocol.client.state, pending)?;
    // Asked first: what has no remedy costs no copy.
    let remedy = choose_remedy(fields, pending, protocol.judge.gate.policy(), wish)?;
    let kept = repair.retained.take();
    let (frame, rest) = first_frame(&kept)?;
    let batch = match alone {
        LoneStatement::Query => FailedBatch::None,
        LoneStatement::Batch(BatchExtent::Whole) => FailedBatch::Whole(rest),
        LoneStatement::Batch(BatchExtent::Open) => FailedBatch::Open(rest),
    };
    let error = Bytes::copy_from_slice(body);
    let failure = match remedy {
        ErrorRemedy::Again => None,
        ErrorRemedy::Repair => Some(failure_of(&frame, fields)?),
    };
    let (ExpectedReply::Query(mut running) | ExpectedReply::Parse(mut running)) = pending.pop()?
    else {
        return None;
    };
    running.sqlstate = Some(code);
    protocol.witness.reclaim_trace(pending, &mut running);
    if let Some(trace) = &mut running.trace {
        trace.answered();
    }
    let cause = match remedy {
        ErrorRemedy::Again => RepairCause::Shaken {
            error,
            batch,
            tries: running.tries,
        },
        ErrorRemedy::Repair => RepairCause::Failed { error, batch },
    };
    let repair_job = Box::new(RepairJob {
        frame,
        described: repair.take_description(),
        failure,
        cause,
        arrived: running.arrived,
        since: Instant::now(),
    });
    Some(HeldError {
        running,
        repair_job,
    })
}

/// Whether a Query whose result is described here fails right behind that, and its error will be
/// held back: then so is the description. The server describes before it runs.
pub(in crate::session) fn holds_description(
    protocol: &mut SessionProtocol,
    description: &[u8],
    behind: &[u8],
) -> bool {
    let wish = protocol.context.client_settings.repair_wish();
    let SessionProtocol {
        pending, repair, ..
    } = protocol;
    if repair.stands_alone(protocol.client.state, pending) != Some(LoneStatement::Query) {
        return false;
    }
    let Ok(Some(header)) = header_backend(behind) else {
        return false;
    };
    let body = behind.get(HEADER_BYTES..header.total);
    let is_held = match (header.kind, body.map(error_fields)) {
        (b'E', Some(Ok(fields))) if fields.severity() == Some("ERROR") => {
            choose_remedy(fields, pending, protocol.judge.gate.policy(), wish).is_some()
        }
        _ => false,
    };
    if is_held {
        repair.stage = RepairStage::Described(description.into());
    }
    is_held
}

/// What may be done about a failure of the statement that is answered now.
fn choose_remedy(
    fields: ResponseFields<'_>,
    pending: &PendingReplies,
    policy: &Policy,
    wish: RepairWish,
) -> Option<ErrorRemedy> {
    let code = fields.sqlstate()?;
    if code == sqlstate::SERIALIZATION_FAILURE.as_str() {
        let (ExpectedReply::Query(running) | ExpectedReply::Parse(running)) = pending.front()?
        else {
            return None;
        };
        let may_again =
            running.tries < limits::RETRIES_MAX && policy.repair().mode == RepairMode::Apply;
        return may_again.then_some(ErrorRemedy::Again);
    }
    if wish == RepairWish::Unwanted {
        return None;
    }
    let message = fields.get(b'M').unwrap_or_default();
    FailureClass::of(code, message).map(|_| ErrorRemedy::Repair)
}

/// Brings the upstream to rest behind an error that is held back.
pub(in crate::session) fn quiesce_upstream(protocol: &mut SessionProtocol, held: HeldError) {
    if held.repair_job.frame.first() == Some(&b'P') {
        if let Some(side) = &mut protocol.upstream.pool {
            held.running.note_unprepared(side);
        }
        forget_failed_parse(&mut protocol.context.names, &held.repair_job.frame);
        if protocol.skip_pipeline(false) == SkipExtent::SyncNotSentYet {
            protocol.upstream.outbox.sync_message();
            protocol.pending.transaction.unsynced = false;
            protocol.context.names.sync_sent();
            protocol.pending.push(ExpectedReply::Sync);
        }
    } else {
        // What is left of its answer is what is left of a Sync's.
        protocol.pending.push(ExpectedReply::Sync);
    }
    protocol.client.state = ClientState::Judging;
    protocol.repair.stage = RepairStage::Held(Box::new(held));
}

/// The upstream is at rest: the repair begins.
pub(in crate::session) fn begin_repair(
    pending: &mut PendingReplies,
    repair: &mut SessionRepair,
    held: HeldError,
) {
    let HeldError {
        running,
        repair_job,
    } = held;
    pending.push(ExpectedReply::HeldForRepair(running));
    repair.stage = RepairStage::Due(Box::new(BlockingJob::Repair(repair_job)));
}

/// A name that was new stands for nothing now.
fn forget_failed_parse(names: &mut SessionNames, frame: &Bytes) {
    if let Some(parse) = parse_of(frame)
        && !parse.name.is_empty()
    {
        names.remove_prepared(parse.name);
    }
}

/// How a statement stands alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoneStatement {
    Query,
    Batch(BatchExtent),
}

/// What may be done about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ErrorRemedy {
    /// The same text, after a pause.
    Again,
    /// Another text.
    Repair,
}

/// The failure of a statement, as the upstream tells it.
fn failure_of(frame: &Bytes, fields: ResponseFields<'_>) -> Option<Failure> {
    let (text, _) = text_of(frame)?;
    let message = fields.get(b'M').unwrap_or_default();
    let position = fields.get(b'P').and_then(|place| place.parse().ok());
    let told = Failure::reported(
        text,
        fields.sqlstate()?,
        message,
        position,
        FailureOrigin::Server,
    )?;
    let hint = fields.get(b'H').map(str::to_owned);
    Some(Failure { hint, ..told })
}

/// The first of some frames, and the rest.
fn first_frame(kept: &Bytes) -> Option<(Bytes, Bytes)> {
    let Ok(FrameCut::Whole(frame)) = cut_frontend(kept, ProtocolPhase::Session) else {
        return None;
    };
    let mut rest = kept.clone();
    let length = frame.bytes.len();
    let first = kept.slice(..length);
    rest.advance(length);
    Some((first, rest))
}

/// A type byte and a length.
const HEADER_BYTES: usize = 5;
