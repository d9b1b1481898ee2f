//! Where names stand: `a.b.c` from its first byte to its last.

use std::ops::Range;

use super::{token_at, word};
use crate::lexer::{Token, TokenKind};

/// The bytes of names with dots between them, the first of which begins at a byte.
pub fn dotted_name(text: &str, tokens: &[Token], at: usize) -> Option<Range<usize>> {
    let first = token_at(tokens, at)?;
    let mut end = None;
    let mut expects_name = true;
    for token in tokens.get(first..)? {
        if token.kind.is_blank() {
            continue;
        }
        let is_name = matches!(
            token.kind,
            TokenKind::Word | TokenKind::QuotedName | TokenKind::UnicodeName
        );
        match (expects_name, word(text, token)) {
            (true, _) if is_name => end = Some(token.span.end),
            (false, ".") => {}
            _ => break,
        }
        expects_name = !expects_name;
    }
    Some(at..end?)
}

/// The tokens of so many parts of a name that begins at a byte.
pub fn name_parts(
    text: &str,
    tokens: &[Token],
    at: usize,
    count: usize,
) -> Option<Vec<Range<usize>>> {
    let from = token_at(tokens, at)?;
    let mut solid = (tokens.get(from..)?.iter()).filter(|token| !token.kind.is_blank());
    let mut parts = Vec::with_capacity(count);
    while parts.len() < count {
        if !parts.is_empty() && word(text, solid.next()?) != "." {
            return None;
        }
        parts.push(solid.next()?.span.clone());
    }
    Some(parts)
}
