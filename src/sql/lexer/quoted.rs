//! Strings and names in quotes.

use super::{TokenKind, blank, class};

/// A string whose opening quote stands at `prefix`, with its continuations.
pub(super) fn string(rest: &[u8], prefix: usize, kind: TokenKind) -> (TokenKind, usize) {
    let mut at = prefix.saturating_add(1);
    loop {
        let Some(closed) = closing(rest, at, b'\'', kind == TokenKind::EscapeString) else {
            return (TokenKind::UnterminatedLiteral, rest.len());
        };
        let after = rest.get(closed..).unwrap_or_default();
        match blank::continuation(after) {
            // The blank and the quote that opens the next part.
            Some(blank) => at = closed.saturating_add(blank).saturating_add(1),
            None => return (kind, closed),
        }
    }
}

/// A name whose opening quote stands at `prefix`. Names have no continuations.
pub(super) fn name(rest: &[u8], prefix: usize, kind: TokenKind) -> (TokenKind, usize) {
    match closing(rest, prefix.saturating_add(1), b'"', false) {
        Some(closed) => (kind, closed),
        None => (TokenKind::UnterminatedLiteral, rest.len()),
    }
}

/// `$1`, `$$text$$`, `$tag$text$tag$`, or a dollar that starts nothing.
pub(super) fn dollar(rest: &[u8]) -> (TokenKind, usize) {
    let after = rest.get(1..).unwrap_or_default();
    let digits = class::run(after, |byte| byte.is_ascii_digit());
    if digits > 0 {
        return (TokenKind::Parameter, digits.saturating_add(1));
    }
    let tag = match after.first() {
        Some(byte) if class::starts_word(*byte) => class::run(after, class::continues_tag),
        _ => 0,
    };
    if after.get(tag) != Some(&b'$') {
        return (TokenKind::Other, 1);
    }
    let delimiter_length = tag.saturating_add(2);
    let delimiter = rest.get(..delimiter_length).unwrap_or_default();
    match delimiter_end(rest, delimiter) {
        Some(end) => (TokenKind::DollarString, end),
        None => (TokenKind::UnterminatedLiteral, rest.len()),
    }
}

/// The end of the closing delimiter of a dollar-quoted string that `rest` begins with. Any dollar
/// may begin it, the last one of a delimiter that did not fit included.
fn delimiter_end(rest: &[u8], delimiter: &[u8]) -> Option<usize> {
    let mut at = delimiter.len();
    loop {
        let tail = rest.get(at..)?;
        let dollar = tail.iter().position(|byte| *byte == b'$')?;
        if tail.get(dollar..)?.starts_with(delimiter) {
            return Some(at.saturating_add(dollar).saturating_add(delimiter.len()));
        }
        at = at.saturating_add(dollar).saturating_add(1);
    }
}

/// The end of a quoted part that begins at `from`: after the first quote that is neither doubled
/// nor escaped.
fn closing(rest: &[u8], from: usize, quote: u8, escapes: bool) -> Option<usize> {
    let mut at = from;
    loop {
        let tail = rest.get(at..)?;
        let found = tail
            .iter()
            .position(|byte| *byte == quote || (escapes && *byte == b'\\'))?;
        let next = at.saturating_add(found).saturating_add(1);
        let is_quote = tail.get(found) == Some(&quote);
        let is_pair = !is_quote || rest.get(next) == Some(&quote);
        if !is_pair {
            return Some(next);
        }
        at = next.saturating_add(1);
    }
}
