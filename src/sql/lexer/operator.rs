//! Operators and the comments that begin like one.

use super::{ByteClass, TokenKind, blank, class_of};
use ground::limits::OPERATOR_RUN_BYTES_MAX;

/// An operator or a comment: `rest` begins with an operator character.
pub(super) fn cut(rest: &[u8], first: u8) -> (TokenKind, usize) {
    match (first, rest.get(1)) {
        (b'-', Some(b'-')) => return (TokenKind::LineComment, blank::line_comment(rest)),
        (b'/', Some(b'*')) => return blank::block_comment(rest),
        _ => {}
    }
    let run = run(rest);
    let length = if run.len() > OPERATOR_RUN_BYTES_MAX {
        run.len()
    } else {
        without_sign(run)
    };
    (TokenKind::Operator, length.max(1))
}

/// The operator characters at the start, up to where a comment begins among them.
///
/// A run longer than the bound is taken in pieces, each one token: Postgres reads such a run to its
/// end for each of its tokens, and the scan refuses it. Here that keeps the time linear.
fn run(rest: &[u8]) -> &[u8] {
    let mut length: usize = 0;
    let mut previous = 0;
    for byte in rest.iter().take(OPERATOR_RUN_BYTES_MAX.saturating_add(1)) {
        if class_of(*byte) != ByteClass::Operator {
            break;
        }
        if matches!((previous, byte), (b'/', b'*') | (b'-', b'-')) {
            return rest.get(..length.saturating_sub(1)).unwrap_or_default();
        }
        previous = *byte;
        length = length.saturating_add(1);
    }
    rest.get(..length).unwrap_or_default()
}

/// A trailing `+` or `-` belongs to what follows (`a=-1`), unless the operator has a character that
/// the SQL standard's operators never have (`@-`).
fn without_sign(run: &[u8]) -> usize {
    if run.iter().any(|byte| UNUSUAL.contains(byte)) {
        return run.len();
    }
    let last = run.iter().rposition(|byte| !matches!(byte, b'+' | b'-'));
    last.map_or(1, |last| last.saturating_add(1))
}

const UNUSUAL: &[u8] = b"~!@#^&|`?%";
