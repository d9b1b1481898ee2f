//! White space and comments.

use super::{ByteClass, TokenKind, class_of};

/// The length of the white space at the start.
pub(super) fn space(rest: &[u8]) -> usize {
    super::class::run(rest, |byte| class_of(byte) == ByteClass::Space)
}

/// The length of a `--` comment: the end of the line is not part of it.
pub(super) fn line_comment(rest: &[u8]) -> usize {
    super::class::run(rest, |byte| byte != b'\n' && byte != b'\r')
}

/// A comment that begins with `/*`. Inner ones must end as well.
pub(super) fn block_comment(rest: &[u8]) -> (TokenKind, usize) {
    let mut depth: usize = 0;
    let mut bytes = rest.iter().copied().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        match (byte, bytes.peek()) {
            (b'/', Some((_, b'*'))) => {
                bytes.next();
                depth = depth.saturating_add(1);
            }
            (b'*', Some((_, b'/'))) => {
                bytes.next();
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return (TokenKind::BlockComment, at.saturating_add(2));
                }
            }
            _ => {}
        }
    }
    (TokenKind::UnterminatedComment, rest.len())
}

/// The length of what may stand between two parts of one string: white space and `--` comments,
/// with at least one end of line; a comment counts only if its line ends. None if the next part
/// does not follow.
pub(super) fn continuation(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut seen_newline = false;
    loop {
        let tail = rest.get(at..)?;
        match (tail.first()?, tail.get(1)) {
            (b'\'', _) => return seen_newline.then_some(at),
            (b'\n' | b'\r', _) => {
                seen_newline = true;
                at = at.saturating_add(1);
            }
            (b'-', Some(b'-')) => at = at.saturating_add(line_comment(tail)),
            (byte, _) if class_of(*byte) == ByteClass::Space => at = at.saturating_add(1),
            _ => return None,
        }
    }
}
