//! What was gathered of a statement becomes its receipt: its result has ended, or it has failed.

use std::sync::Arc;

use super::draft::{ReceiptDraft, SentTexts};
use super::finished::{FinishedReceipt, ReceiptMoment};
use crate::gate::StatementKind;
use crate::receipts::claims::ReceiptOutcome;
use crate::session::pending::in_flight::InFlight;
use crate::telemetry::session_info::SessionInfo;
use crate::telemetry::sqlstate_code::SqlstateCode;

/// The result at hand has ended. None where there was none: what brings no rows has no receipt.
pub(super) fn ended(
    draft: &mut ReceiptDraft,
    (running, info): (&InFlight, &Arc<SessionInfo>),
    (outcome, tag): (ReceiptOutcome, Option<&str>),
    moment: ReceiptMoment,
) -> Option<FinishedReceipt> {
    let kind = running.facts.kind;
    // Of several statements each has a result of its own, or none.
    let is_read = is_reading(kind) && kind != StatementKind::Several;
    if !draft.has_begun && !is_read {
        return None;
    }
    let result = draft.result.take();
    draft.parts += 1;
    let rows = match kind {
        StatementKind::Copy => rows_of(tag).unwrap_or_default(),
        _ => running.rows.saturating_sub(draft.rows_before),
    };
    draft.has_begun = false;
    let finished = FinishedReceipt {
        outcome,
        result: Some(result),
        rows,
        columns: draft.columns.take(),
        ..finished(draft, (running, info), moment)
    };
    draft.rows_before = running.rows;
    Some(finished)
}

/// The statement has failed. None where nobody asks for a receipt of its kind.
pub(super) fn failed(
    draft: &ReceiptDraft,
    (running, info): (&InFlight, &Arc<SessionInfo>),
    sqlstate: SqlstateCode,
    moment: ReceiptMoment,
) -> Option<FinishedReceipt> {
    let is_read = draft.has_begun || is_reading(running.facts.kind);
    is_read.then(|| FinishedReceipt {
        outcome: ReceiptOutcome::Failed,
        sqlstate: Some(sqlstate),
        part: draft.parts + 1,
        ..finished(draft, (running, info), moment)
    })
}

fn finished(
    draft: &ReceiptDraft,
    (running, info): (&InFlight, &Arc<SessionInfo>),
    moment: ReceiptMoment,
) -> FinishedReceipt {
    let (portal, sent, ran) = match &draft.texts {
        SentTexts::Own { sent, ran } => (None, *sent, *ran),
        SentTexts::OfPortal(portal) => (
            Some(Arc::clone(portal)),
            portal.statement.sent,
            portal.statement.ran,
        ),
    };
    FinishedReceipt {
        id: None,
        catalog: draft.catalog,
        info: Arc::clone(running.info.as_ref().unwrap_or(info)),
        facts: Some(Arc::clone(&running.facts)),
        at: moment.seconds,
        nonce: moment.nonce,
        outcome: ReceiptOutcome::Complete,
        sent,
        ran: Some(ran),
        source: draft.source,
        part: draft.parts,
        portal,
        rows: running.rows.saturating_sub(draft.rows_before),
        columns: None,
        result: None,
        sqlstate: None,
        is_repaired: running.is_repaired(),
        time: running.time_until(moment.now),
    }
}

/// Whether statements of this kind bring what a client may have to prove. Others, which begin
/// transactions or set something, come between a statement and the question for its receipt.
pub(super) fn is_reading(kind: StatementKind) -> bool {
    match kind {
        StatementKind::Select
        | StatementKind::Values
        | StatementKind::Table
        | StatementKind::Explain
        | StatementKind::Copy
        | StatementKind::Execute
        | StatementKind::Fetch
        | StatementKind::Show
        | StatementKind::Several
        | StatementKind::Insert
        | StatementKind::Update
        | StatementKind::Delete
        | StatementKind::Merge
        | StatementKind::Do
        | StatementKind::Call
        | StatementKind::Ddl
        | StatementKind::Maintenance
        | StatementKind::Unparsed
        | StatementKind::Unknown => true,
        StatementKind::Set
        | StatementKind::Reset
        | StatementKind::Begin
        | StatementKind::Commit
        | StatementKind::Rollback
        | StatementKind::Savepoint
        | StatementKind::Release
        | StatementKind::PreparedTransaction
        | StatementKind::SetConstraints
        | StatementKind::Prepare
        | StatementKind::Deallocate
        | StatementKind::Declare
        | StatementKind::Move
        | StatementKind::Close
        | StatementKind::Discard
        | StatementKind::Lock
        | StatementKind::Listen
        | StatementKind::Unlisten
        | StatementKind::Notify
        | StatementKind::Load
        | StatementKind::Empty => false,
    }
}

/// The rows that a command tag tells.
fn rows_of(tag: Option<&str>) -> Option<u64> {
    tag?.rsplit_once(' ')?.1.parse().ok()
}
