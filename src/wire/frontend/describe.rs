//! Describe: ask what a prepared statement or portal looks like.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use super::target::{self, Target};
use crate::wire::malformed::Malformed;

pub(super) fn decode(body: &[u8]) -> Result<Target<'_>, Malformed> {
    target::decode(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::frontend::Frontend;
    use crate::wire::message_laws::check;

    #[test]
    fn golden() {
        check(b"D\0\0\0\x06S\0", Frontend::Describe(Target::Statement("")));
        check(
            b"D\0\0\0\x08S_1\0",
            Frontend::Describe(Target::Statement("_1")),
        );
        check(b"D\0\0\0\x07Pc\0", Frontend::Describe(Target::Portal("c")));
    }
}
