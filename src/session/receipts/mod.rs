//! Receipts of a session's statements: they are made as results end, kept until the next one, and
//! signed when the client asks for one.
//!
//! * `session_receipts`: what a session keeps for them
//! * `draft`: what is gathered while a statement is under way; `ended`: when its result ends
//! * `finished`: what is known then
//!
//! Without a key there are none, and a statement pays one look at that.

pub(in crate::session) mod draft;
mod ended;
pub(in crate::session) mod finished;
pub(in crate::session) mod session_receipts;

use bytes::BytesMut;

use self::draft::ReceiptDraft;
use self::ended::ended;
use self::finished::{FinishedReceipt, ReceiptMoment, RefusedStatement};
use super::pending::{ExpectedReply, PendingReplies};
use super::protocol::SessionProtocol;
use super::server::forwarding::{Forwarding, OwnRow};
use super::session_end::SessionEnd;
use crate::receipts::claims::ReceiptOutcome;
use crate::receipts::issuer::ReceiptId;
use crate::wire::encode;
use crate::wire::frame::UpstreamHeader;

/// The rows that have come since `rows` are digested; what is behind `at` is none, or not the
/// client's.
pub(super) fn digest_rows(
    pending: &mut PendingReplies,
    rows: &mut Option<usize>,
    bytes: &[u8],
    at: usize,
) {
    let Some(from) = rows.take() else {
        return;
    };
    if let (Some(rows), Some(draft)) = (bytes.get(from..at), draft_at_head(pending)) {
        draft.result.add(rows);
    }
}

/// A row that pgsieve itself says goes to the client.
pub(super) fn digest_own_row(pending: &mut PendingReplies, row: &[u8]) {
    if let Some(draft) = draft_at_head(pending) {
        draft.result.add(row);
    }
}

fn draft_at_head(pending: &mut PendingReplies) -> Option<&mut ReceiptDraft> {
    pending.running_mut()?.receipt.as_deref_mut()
}

/// The result at the head has ended so; the client hears of its receipt where it wants to, before
/// the end of the result.
pub(super) fn result_ended(
    protocol: &mut SessionProtocol,
    outcome: ReceiptOutcome,
    tag: Option<&str>,
) {
    if !protocol.receipts.are_made() {
        return;
    }
    let settings = &protocol.context.client_settings;
    let moment = ReceiptMoment::now(settings);
    let Some(running) = protocol.pending.running_mut() else {
        return;
    };
    let Some(mut draft) = running.receipt.take() else {
        return;
    };
    let whose = (&*running, &protocol.witness.info);
    if let Some(finished) = ended(&mut draft, whose, (outcome, tag), moment) {
        draft.id = protocol.receipts.keep(finished);
        let heard = (&mut protocol.client.reply, settings);
        protocol.receipts.tell(heard);
    }
    running.receipt = Some(draft);
}

/// The columns of a result, or of a statement: they are kept for its receipts.
///
/// # Errors
/// Nobody has asked for them.
pub(super) fn columns_described(
    protocol: &mut SessionProtocol,
    body: &[u8],
) -> Result<Forwarding, SessionEnd> {
    match protocol.pending.head() {
        Some(ExpectedReply::Query(running)) => {
            if let Some(draft) = &mut running.receipt {
                draft.begins(Some(body));
            }
        }
        Some(
            ExpectedReply::DescribeStatement(digests) | ExpectedReply::DescribePortal(digests),
        ) => protocol.receipts.described(digests.as_deref(), body),
        _ => {}
    }
    let header = UpstreamHeader {
        kind: b'T',
        total: body.len() + HEADER_BYTES,
    };
    protocol.advance(&header)?;
    Ok(Forwarding::Forward)
}

/// A statement was refused: that is what its receipt says.
pub(super) fn statement_refused(
    protocol: &mut SessionProtocol,
    refused: &RefusedStatement<'_>,
) -> Option<ReceiptId> {
    if !protocol.receipts.are_made() {
        return None;
    }
    let moment = ReceiptMoment::now(&protocol.context.client_settings);
    let finished = FinishedReceipt::refused(refused, &protocol.witness.info, moment);
    protocol.receipts.keep(finished)
}

/// The row of the question for the last receipt.
pub(super) fn row_of_receipt(
    protocol: &SessionProtocol,
    rest: &[u8],
    header: &UpstreamHeader,
) -> OwnRow {
    let running = protocol.pending.running();
    if !running.is_some_and(|running| running.facts.asks_receipt) {
        return OwnRow::NotOwn;
    }
    if rest.len() < header.total {
        return OwnRow::Waits;
    }
    let witness = &protocol.witness;
    let seq = protocol.receipts.last_id().and_then(|last| {
        let telemetry = &witness.telemetry;
        telemetry.audit_number_of(&witness.info, last)
    });
    let receipt = protocol.receipts.signed(seq).unwrap_or_default();
    let length = u32::try_from(receipt.len()).unwrap_or_default();
    let body = [&[0, 1][..], &length.to_be_bytes(), receipt.as_bytes()].concat();
    let mut told = BytesMut::new();
    encode::error_body(&mut told, b'D', &body);
    OwnRow::Told(told)
}

/// A type byte and a length.
const HEADER_BYTES: usize = 5;
