//! When the upstream is ready: what ended with the transaction is forgotten, and an upstream that
//! does not tell by itself is asked whether it is still read-only.

use super::{Forwarding, UNREADABLE};
use crate::limits;
use crate::session::pending::ExpectedReply;
use crate::session::protocol::{ClientState, SelfReport, SessionEnd, SessionProtocol};
use crate::telemetry::labels::Tripwire;
use crate::wire::backend::{self, TransactionStatus};

impl SessionProtocol {
    /// The upstream is ready for what comes next.
    pub(in crate::session) fn on_ready(&mut self, status: TransactionStatus) {
        self.upstream.transaction.status = status;
        self.settings_at_ready(status);
        self.limits.settle_cursors(status);
        self.note_rest();
        if self.pending.is_empty() {
            self.pending.shrink();
            self.repair.retained.shrink();
            self.context.names.all_answered();
            self.on_idle(status);
        }
    }

    /// Nothing is owed: forget what ended with the transaction, ask what has to be asked.
    fn on_idle(&mut self, status: TransactionStatus) {
        if status == TransactionStatus::Idle && !self.upstream.transaction.unsynced {
            self.context.names.end_transaction();
            self.limits.end_transaction();
        }
        if self.client.state != ClientState::Checking {
            return;
        }
        if status == TransactionStatus::Failed {
            self.client.state = ClientState::Open;
        } else {
            if self.upstream.outbox.read_only_check().is_err() {
                return;
            }
            self.pending.push(ExpectedReply::ReadOnlyCheck);
            self.upstream.self_report = SelfReport::AskWhenTouched;
        }
    }

    /// An answer to pgsieve's own question.
    pub(in crate::session) fn on_check_answer(
        &mut self,
        kind: u8,
        body: &[u8],
    ) -> Result<Forwarding, SessionEnd> {
        match kind {
            b'D' if body == ROW_THAT_SAYS_ON => {
                self.upstream.checks_in_vain = 0;
                Ok(Forwarding::Drop)
            }
            b'T' | b'C' => Ok(Forwarding::Drop),
            b'N' => self.on_notice(body),
            b'A' => Ok(Forwarding::Forward),
            b'S' => self.setting_reported(body),
            b'Z' => {
                let status = backend::ready_for_query(body).map_err(|_| UNREADABLE)?;
                self.pending.pop();
                self.upstream.transaction.status = status;
                self.settings_at_ready(status);
                if self.upstream.self_report == SelfReport::AskWhenTouched {
                    self.client.state = ClientState::Open;
                } else {
                    self.on_idle(status);
                }
                Ok(Forwarding::Drop)
            }
            b'E' => {
                self.upstream.checks_in_vain += 1;
                if self.upstream.checks_in_vain >= limits::READ_ONLY_CHECKS_MAX {
                    return Err(SessionEnd::Tripped(Tripwire::ReadOnlyNotVerified));
                }
                self.upstream.self_report = SelfReport::AskNow;
                Ok(Forwarding::Drop)
            }
            _ => Err(SessionEnd::Tripped(Tripwire::ReadOnlyNotVerified)),
        }
    }
}

/// The body of a DataRow with one column that holds `on`.
const ROW_THAT_SAYS_ON: &[u8] = b"\0\x01\0\0\0\x02on";
