//! Quotes around the whole statement, and escapes of the text that it was quoted in.

use super::prose::begins_statement;
use super::{BoundedParser, PeeledLayer};
use sql::lexer::{self, TokenKind};

/// The text in quotes, or in single backticks.
pub(in crate::preprocessors) fn around(
    text: &str,
    reader: &mut BoundedParser,
) -> Option<PeeledLayer> {
    let text = text.trim().trim_end_matches(';').trim_end();
    let pairs = [('"', '"'), ('\'', '\''), ('“', '”'), ('‘', '’'), ('`', '`')];
    let inside = pairs
        .iter()
        .find_map(|(opening, closing)| text.strip_prefix(*opening)?.strip_suffix(*closing))?;
    if !begins_statement(inside) {
        return None;
    }
    let mark = text.chars().next()?;
    let doubled: String = [mark, mark].iter().collect();
    let mut readings = vec![inside.to_owned()];
    for other in [
        inside.replace(&doubled, mark.encode_utf8(&mut [0; 4])),
        unescaped(inside),
    ] {
        if !readings.contains(&other) {
            readings.push(other);
        }
    }
    if let [only] = readings.as_slice() {
        return PeeledLayer::inside(only, WHAT);
    }
    readings.retain(|reading| reader.is_one(reading));
    match readings.as_slice() {
        [only] => PeeledLayer::inside(only, WHAT),
        _ => None,
    }
}

/// Line ends and quotes that are written as escapes, outside of strings.
pub(in crate::preprocessors) fn escaped_lines(
    text: &str,
    reader: &mut BoundedParser,
) -> Option<PeeledLayer> {
    if !text.contains('\\') || !begins_statement(text) {
        return None;
    }
    let (mut plain, mut skipped) = (String::with_capacity(text.len()), 0);
    for token in lexer::tokens(text) {
        let word = text.get(token.span.clone()).unwrap_or_default();
        let next = text.get(token.span.end..).unwrap_or_default();
        if token.kind == TokenKind::Other && word == "\\" && next.starts_with(['n', 't', 'r']) {
            plain.push(if next.starts_with('n') { '\n' } else { ' ' });
            skipped = 1;
            continue;
        }
        plain.push_str(word.get(skipped..).unwrap_or_default());
        skipped = 0;
    }
    for reading in [plain, unescaped(text)] {
        if reading != text && reader.is_one(&reading) {
            return PeeledLayer::inside(&reading, "escapes");
        }
    }
    None
}

/// The text that a literal of a programming language stands for.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => plain.push('\n'),
            Some('t' | 'r') => plain.push(' '),
            Some(sign @ ('"' | '\'' | '\\')) => plain.push(sign),
            Some(other) => {
                plain.push('\\');
                plain.push(other);
            }
            None => plain.push('\\'),
        }
    }
    plain
}

const WHAT: &str = "quotes";
