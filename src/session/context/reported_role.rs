//! What kind of server clients are told that they are connected to.
//!
//! A session through pgsieve only reads, whatever server is behind it. A client whose connection
//! string wants a certain kind of server (`target_session_attrs`, `targetServerType`) would turn
//! away from it, or take it for another one. So the settings can say as what it is reported: in the
//! parameter statuses of the login, and in the answers to the questions that drivers ask
//! ([`RoleQuestion`]). Nothing else says so: `transaction_read_only` inside of a transaction block
//! is that of the block, which may have been begun READ ONLY, and `current_setting()` and
//! everything else has the server's own answer. And nothing is written, whatever is reported.
//!
//! <https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-TARGET-SESSION-ATTRS>

use std::sync::Arc;

use bytes::BytesMut;

use crate::gate::{Facts, RoleQuestion, StatementKind};
use crate::session::pending::PendingReplies;
use crate::session::server::forwarding::OwnRow;
use crate::wire::backend::TransactionStatus;
use crate::wire::encode;
use crate::wire::frame::UpstreamHeader;

/// As what a server is reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReportAs {
    /// As what it is, with a session that only reads.
    #[default]
    Upstream,
    /// As a primary that can be written to.
    Primary,
    /// As a hot standby.
    Standby,
}

impl ReportAs {
    /// The value of a parameter that is reported instead of the server's.
    pub fn parameter(self, name: &str) -> Option<&'static str> {
        if !matches!(name, "in_hot_standby" | "default_transaction_read_only") {
            return None;
        }
        match self {
            Self::Upstream => None,
            Self::Primary => Some("off"),
            Self::Standby => Some("on"),
        }
    }

    /// What a statement is answered that is about to run behind these.
    pub(in crate::session) fn answer_to(
        self,
        facts: &Facts,
        pending: &PendingReplies,
    ) -> Option<&'static str> {
        let question = facts.asks_role?;
        let answer = self.answer(question)?;
        let is_of_block = match question {
            RoleQuestion::TransactionReadOnly => {
                let begins = |sent: &Arc<Facts>| {
                    matches!(sent.kind, StatementKind::Begin | StatementKind::Several)
                };
                pending.transaction.status != TransactionStatus::Idle
                    || pending.facts().iter().any(begins)
            }
            RoleQuestion::DefaultReadOnly
            | RoleQuestion::InHotStandby
            | RoleQuestion::InRecovery => false,
        };
        (!is_of_block).then_some(answer)
    }

    /// The answer to a question, where it is not the server's.
    fn answer(self, question: RoleQuestion) -> Option<&'static str> {
        let [of_setting, of_function] = match self {
            Self::Upstream => return None,
            Self::Primary => ["off", "f"],
            Self::Standby => ["on", "t"],
        };
        Some(match question {
            RoleQuestion::TransactionReadOnly
            | RoleQuestion::DefaultReadOnly
            | RoleQuestion::InHotStandby => of_setting,
            RoleQuestion::InRecovery => of_function,
        })
    }
}

/// The row of a question that pgsieve answers.
pub(in crate::session) fn row_of_question(
    pending: &PendingReplies,
    rest: &[u8],
    header: &UpstreamHeader,
) -> OwnRow {
    let Some(answer) = pending.running().and_then(|running| running.role_answer) else {
        return OwnRow::NotOwn;
    };
    let Some(row) = rest.get(..header.total) else {
        return OwnRow::Waits;
    };
    let value = value_of(row, answer);
    let length = u8::try_from(value.len()).unwrap_or_default();
    let body = [&[0, 1, 0, 0, 0, length][..], value].concat();
    let mut told = BytesMut::new();
    encode::error_body(&mut told, b'D', &body);
    OwnRow::Told(told)
}

/// The answer in the format of the server's row: a boolean that is asked for in binary is one byte.
fn value_of(row: &[u8], answer: &'static str) -> &'static [u8] {
    match (row.last(), answer) {
        (Some(0 | 1), "t") => &[1],
        (Some(0 | 1), "f") => &[0],
        _ => answer.as_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_two_parameters_tell_the_kind_of_server() {
        for name in [
            "server_version",
            "TimeZone",
            "transaction_read_only",
            "is_superuser",
        ] {
            for as_what in [ReportAs::Upstream, ReportAs::Primary, ReportAs::Standby] {
                assert_eq!(as_what.parameter(name), None);
            }
        }
        for name in ["in_hot_standby", "default_transaction_read_only"] {
            assert_eq!(ReportAs::Upstream.parameter(name), None);
            assert_eq!(ReportAs::Primary.parameter(name), Some("off"));
            assert_eq!(ReportAs::Standby.parameter(name), Some("on"));
        }
    }

    #[test]
    fn answers_have_the_format_of_the_row() {
        let row = |value: &[u8]| [&b"D\0\0\0\x0b\0\x01\0\0\0\x01"[..], value].concat();
        assert_eq!(value_of(&row(b"f"), "t"), b"t");
        assert_eq!(value_of(&row(&[0]), "t"), [1]);
        assert_eq!(value_of(&row(&[1]), "f"), [0]);
        assert_eq!(value_of(&row(b"on"), "off"), b"off");
    }
}
