//! When the upstream is ready: what ended with the transaction is forgotten, and an upstream that
//! does not tell by itself is asked whether it is still read-only.

use super::{Fate, UNREADABLE};
use crate::limits;
use crate::session::pending::Owed;
use crate::session::protocol::{Conversation, Ending, Intake, SelfReport};
use crate::telemetry::labels::Tripwire;
use crate::wire::backend::{self, TransactionStatus};

impl Conversation {
    /// The upstream is ready for what comes next.
    pub(in crate::session) fn come_ready(&mut self, status: TransactionStatus) {
        self.standing.status = status;
        self.settle_settings(status);
        self.quotas.settle_cursors(status);
        self.note_rest();
        if self.journal.is_empty() {
            self.journal.relax();
            self.retained.relax();
            self.names.rest();
            self.come_to_rest(status);
        }
    }

    /// Nothing is owed: forget what ended with the transaction, ask what has to be asked.
    fn come_to_rest(&mut self, status: TransactionStatus) {
        if status == TransactionStatus::Idle && !self.standing.unsynced {
            self.names.end_transaction();
            self.quotas.end_transaction();
        }
        if self.intake != Intake::Checking {
            return;
        }
        if status == TransactionStatus::Failed {
            self.intake = Intake::Open;
        } else {
            if self.outbox.read_only_check().is_err() {
                return;
            }
            self.journal.push(Owed::ReadOnlyCheck);
            self.self_report = SelfReport::AskWhenTouched;
        }
    }

    /// An answer to pgsieve's own question.
    pub(in crate::session) fn checked(&mut self, kind: u8, body: &[u8]) -> Result<Fate, Ending> {
        match kind {
            b'D' if body == ROW_THAT_SAYS_ON => {
                self.checks_in_vain = 0;
                Ok(Fate::Swallowed)
            }
            b'T' | b'C' => Ok(Fate::Swallowed),
            b'N' => self.noticed(body),
            b'A' => Ok(Fate::Kept),
            b'S' => self.setting_reported(body),
            b'Z' => {
                let status = backend::ready_for_query(body).map_err(|_| UNREADABLE)?;
                self.journal.pop();
                self.standing.status = status;
                self.settle_settings(status);
                if self.self_report == SelfReport::AskWhenTouched {
                    self.intake = Intake::Open;
                } else {
                    self.come_to_rest(status);
                }
                Ok(Fate::Swallowed)
            }
            b'E' => {
                self.checks_in_vain += 1;
                if self.checks_in_vain >= limits::READ_ONLY_CHECKS_MAX {
                    return Err(Ending::Tripped(Tripwire::ReadOnlyNotVerified));
                }
                self.self_report = SelfReport::AskNow;
                Ok(Fate::Swallowed)
            }
            _ => Err(Ending::Tripped(Tripwire::ReadOnlyNotVerified)),
        }
    }
}

/// The body of a DataRow with one column that holds `on`.
const ROW_THAT_SAYS_ON: &[u8] = b"\0\x01\0\0\0\x02on";
