//! Describe: ask what a prepared statement or portal looks like.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use super::target::{self, StatementOrPortal};
use crate::malformed::MalformedMessage;

pub(super) fn decode(body: &[u8]) -> Result<StatementOrPortal<'_>, MalformedMessage> {
    target::decode(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::FrontendMessage;
    use crate::message_laws::check;

    #[test]
    fn golden() {
        check(
            b"D\0\0\0\x06S\0",
            FrontendMessage::Describe(StatementOrPortal::Statement("")),
        );
        check(
            b"D\0\0\0\x08S_1\0",
            FrontendMessage::Describe(StatementOrPortal::Statement("_1")),
        );
        check(
            b"D\0\0\0\x07Pc\0",
            FrontendMessage::Describe(StatementOrPortal::Portal("c")),
        );
    }
}
