//! Numbers, and what has grown to them.

use super::{TokenKind, class};

/// A number: `rest` begins with a digit, or with a point and a digit.
pub(super) fn cut(rest: &[u8]) -> (TokenKind, usize) {
    let (length, ends_as_word) = based(rest).unwrap_or_else(|| decimal(rest));
    let grown = rest.get(length..).unwrap_or_default();
    // `0b12` and `1e5$` could also be `0` and `1` with a word grown to them: the longer reading
    // wins.
    let has_grown = grown.first().is_some_and(|byte| {
        class::starts_word(*byte) || (ends_as_word && class::continues_word(*byte))
    });
    if !has_grown {
        return (TokenKind::Number, length);
    }
    let junk = class::run(grown, class::continues_word);
    (TokenKind::JunkNumber, length.saturating_add(junk))
}

/// `0x1f`, `0o17`, `0b01`: None if there is no digit after the letter. Its end is always that of a
/// word.
fn based(rest: &[u8]) -> Option<(usize, bool)> {
    let (b'0', letter) = (rest.first()?, rest.get(1)?) else {
        return None;
    };
    let digits = rest.get(2..)?;
    let length = match letter {
        b'x' | b'X' => grouped(digits, true, |byte| byte.is_ascii_hexdigit()),
        b'o' | b'O' => grouped(digits, true, |byte| matches!(byte, b'0'..=b'7')),
        b'b' | b'B' => grouped(digits, true, |byte| matches!(byte, b'0' | b'1')),
        _ => 0,
    };
    (length > 0).then(|| (length.saturating_add(2), true))
}

/// The length, and whether it ends in what could be a word: an exponent without a sign.
fn decimal(rest: &[u8]) -> (usize, bool) {
    let is_digit = |byte: u8| byte.is_ascii_digit();
    let mut length = grouped(rest, false, is_digit);
    let after = |at: usize| rest.get(at..).unwrap_or_default();
    // Two points are a range, not a fraction: `1..2`.
    if after(length).first() == Some(&b'.') && after(length).get(1) != Some(&b'.') {
        length = length.saturating_add(1);
        length = length.saturating_add(grouped(after(length), false, is_digit));
    }
    if let Some(b'e' | b'E') = after(length).first() {
        let sign = usize::from(matches!(after(length).get(1), Some(b'+' | b'-')));
        let from = length.saturating_add(1).saturating_add(sign);
        let digits = grouped(after(from), false, is_digit);
        if digits > 0 {
            return (from.saturating_add(digits), sign == 0);
        }
    }
    (length, false)
}

/// Digits, with single underscores between them (and before them, if `leading`).
fn grouped(bytes: &[u8], leading: bool, is_digit: impl Fn(u8) -> bool) -> usize {
    let mut length = 0;
    loop {
        let mut tail = bytes.iter().skip(length);
        match (tail.next(), tail.next()) {
            (Some(digit), _) if is_digit(*digit) => length += 1,
            (Some(b'_'), Some(digit)) if (leading || length > 0) && is_digit(*digit) => length += 2,
            _ => return length,
        }
    }
}
