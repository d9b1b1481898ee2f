//! Other texts that a statement of a corpus leads to, of which the gate has to say the same, or the
//! opposite.

use pgsieve::sql::lexer::{self, TokenKind};
use pgsieve::sql::tree;

use crate::gate::corpus::entries::Entry;

/// The statement inside the statements that may carry it, where the grammar lets them.
pub fn wrapped(entry: &Entry) -> Vec<Entry> {
    let alone = tree::parse(&entry.text).is_ok_and(|tree| tree.statements().count() == 1);
    if !alone {
        return Vec::new();
    }
    let text = entry.text.trim_end().trim_end_matches(';');
    [
        format!("PREPARE wrapped AS {text}"),
        format!("DECLARE wrapped CURSOR FOR {text}\n"),
        format!("COPY ({text}\n) TO STDOUT"),
    ]
    .into_iter()
    .filter(|text| tree::parse(text).is_ok())
    .map(|text| entry.saying(text))
    .collect()
}

/// The statement in other clothes.
pub fn dressed(entry: &Entry) -> Vec<Entry> {
    if entry.unparsable {
        return Vec::new();
    }
    let text = &entry.text;
    [
        format!("/* SELECT 1 */{text}"),
        format!("-- SELECT 1\n{text}\n-- done"),
        format!("-- '\r\n/* /* ; */ ' \" $$ */\t\x0c{text}\n;\n"),
        format!(" \r\n\t{text}\n/* ' */ -- \" "),
    ]
    .map(|text| entry.saying(text))
    .into()
}

/// The statement with a call in the place of each of its names and values in turn, where that
/// parses.
pub fn poisoned(entry: &Entry, call: &str) -> Vec<Entry> {
    let text = &entry.text;
    let tokens = lexer::tokens(text).filter(|token| is_name_or_value(token.kind));
    tokens
        .filter_map(|token| {
            let (before, after) = (text.get(..token.span.start)?, text.get(token.span.end..)?);
            Some(format!("{before}{call}{after}"))
        })
        .filter(|text| tree::parse(text).is_ok())
        .map(|text| entry.saying(text))
        .collect()
}

/// The statement with one run of tokens taken out, or put in another place, chosen by `seed`.
pub fn mutilated(entry: &Entry, other: &Entry, seed: u64) -> Entry {
    let pieces = pieces(&entry.text);
    let others = pieces_of_run(&other.text, seed >> 32);
    let at = index(seed, pieces.len());
    let after = at + index(seed >> 16, 4);
    let kept = pieces
        .iter()
        .take(at)
        .chain(&others)
        .chain(pieces.iter().skip(after));
    entry.saying(kept.copied().collect())
}

fn pieces(text: &str) -> Vec<&str> {
    lexer::tokens(text)
        .filter_map(|token| text.get(token.span))
        .collect()
}

fn pieces_of_run(text: &str, seed: u64) -> Vec<&str> {
    let pieces = pieces(text);
    let at = index(seed, pieces.len());
    pieces
        .into_iter()
        .skip(at)
        .take(index(seed >> 8, 12))
        .collect()
}

/// A number below `bound`, or 0.
fn index(seed: u64, bound: usize) -> usize {
    usize::try_from(seed & 0xffff).map_or(0, |seed| seed % bound.max(1))
}

fn is_name_or_value(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Word
            | TokenKind::QuotedName
            | TokenKind::String
            | TokenKind::EscapeString
            | TokenKind::DollarString
            | TokenKind::Number
            | TokenKind::Parameter
    )
}
