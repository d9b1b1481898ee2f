//! When the upstream is ready: what ended with the transaction is forgotten, and an upstream that
//! does not tell by itself is asked whether it is still read-only.

use super::forwarding::Forwarding;
use super::on_error::on_notice;
use crate::limits;
use crate::session::client_side::ClientState;
use crate::session::pending::ExpectedReply;
use crate::session::protocol::SessionProtocol;
use crate::session::session_end::{SessionEnd, UNREADABLE};
use crate::session::upstream_side::SelfReport;
use crate::telemetry::labels::Tripwire;
use crate::wire::backend::{self, TransactionStatus};

/// The upstream is ready for what comes next.
pub(in crate::session) fn on_ready(protocol: &mut SessionProtocol, status: TransactionStatus) {
    protocol.pending.transaction.status = status;
    if status == TransactionStatus::Idle {
        protocol.witness.activity.transaction_ended();
    }
    protocol.context.settings_at_ready(&protocol.pending);
    protocol.limits.settle_cursors(status);
    protocol.note_rest();
    if protocol.pending.is_empty() {
        protocol.pending.shrink();
        protocol.repair.retained.shrink();
        protocol.context.names.all_answered();
        on_idle(protocol, status);
    }
}

/// The upstream has answered a Sync of pgsieve's own, behind which a Query was sent.
pub(in crate::session) fn on_own_ready(protocol: &mut SessionProtocol, status: TransactionStatus) {
    protocol.pending.transaction.status = status;
    protocol.context.settings_at_ready(&protocol.pending);
    protocol.limits.settle_cursors(status);
}

/// Nothing is owed: forget what ended with the transaction, ask what has to be asked.
fn on_idle(protocol: &mut SessionProtocol, status: TransactionStatus) {
    if status == TransactionStatus::Idle && !protocol.pending.transaction.unsynced {
        protocol.context.names.end_transaction();
        protocol.limits.end_transaction();
        if let Some(side) = &mut protocol.upstream.pool {
            side.descriptions().portals_are_gone();
        }
    }
    if protocol.client.state != ClientState::Checking {
        return;
    }
    if status == TransactionStatus::Failed {
        protocol.client.state = ClientState::Open;
    } else {
        if protocol.upstream.outbox.read_only_check().is_err() {
            return;
        }
        protocol.pending.push(ExpectedReply::ReadOnlyCheck);
        protocol.upstream.self_report = SelfReport::AskWhenTouched;
    }
}

/// An answer to pgsieve's own question.
pub(in crate::session) fn on_check_answer(
    protocol: &mut SessionProtocol,
    kind: u8,
    body: &[u8],
) -> Result<Forwarding, SessionEnd> {
    match kind {
        b'D' if body == ROW_THAT_SAYS_ON => {
            protocol.upstream.checks_in_vain = 0;
            Ok(Forwarding::Drop)
        }
        b'T' | b'C' => Ok(Forwarding::Drop),
        b'N' => on_notice(protocol, body),
        b'A' => Ok(Forwarding::Forward),
        b'S' => protocol.setting_reported(body),
        b'Z' => {
            let status = backend::ready_for_query(body).map_err(|_| UNREADABLE)?;
            protocol.pending.pop();
            protocol.pending.transaction.status = status;
            protocol.context.settings_at_ready(&protocol.pending);
            if protocol.upstream.self_report == SelfReport::AskWhenTouched {
                protocol.client.state = ClientState::Open;
            } else {
                on_idle(protocol, status);
            }
            Ok(Forwarding::Drop)
        }
        b'E' => {
            protocol.upstream.checks_in_vain += 1;
            if protocol.upstream.checks_in_vain >= limits::READ_ONLY_CHECKS_MAX {
                return Err(SessionEnd::Tripped(Tripwire::ReadOnlyNotVerified));
            }
            protocol.upstream.self_report = SelfReport::AskNow;
            Ok(Forwarding::Drop)
        }
        _ => Err(SessionEnd::Tripped(Tripwire::ReadOnlyNotVerified)),
    }
}

/// The body of a DataRow with one column that holds `on`.
const ROW_THAT_SAYS_ON: &[u8] = b"\0\x01\0\0\0\x02on";
