//! Where a name stands in a text: the tree says where it begins, and not where it ends.

use std::ops::Range;

use sql::lexer::{self, Token, TokenKind};
use sql::tree::nodes;

/// The tokens of a text, blanks left out.
pub(crate) struct NonBlankTokens<'t> {
    text: &'t str,
    tokens: Vec<Token>,
}

impl<'t> NonBlankTokens<'t> {
    /// Reads a text.
    pub(crate) fn of(text: &'t str) -> Self {
        let tokens = lexer::tokens(text).filter(|token| !token.kind.is_blank());
        Self {
            text,
            tokens: tokens.collect(),
        }
    }

    /// The bytes of a relation's name, with what stands before it.
    pub(crate) fn name(&self, table: &nodes::RangeVar) -> Option<Range<usize>> {
        let before = [table.catalogname(), table.schemaname()];
        let parts = before.iter().flatten().count() + 1;
        self.parts(table.location, parts)?.last().map(|last| {
            let from = usize::try_from(table.location).unwrap_or(last.start);
            from..last.end
        })
    }

    /// The same with the star that may follow: `FROM t *` is `FROM t`.
    pub(crate) fn name_and_star(&self, table: &nodes::RangeVar) -> Option<Range<usize>> {
        let name = self.name(table)?;
        let after = self
            .tokens
            .partition_point(|token| token.span.start < name.end);
        match self.tokens.get(after) {
            Some(star) if self.word(star) == "*" => Some(name.start..star.span.end),
            _ => Some(name),
        }
    }

    /// The same with the list of columns that follows, as in COPY.
    pub(crate) fn name_and_columns(&self, table: &nodes::RangeVar) -> Option<Range<usize>> {
        let name = self.name(table)?;
        let after = self
            .tokens
            .partition_point(|token| token.span.start < name.end);
        let mut list = self.tokens.iter().skip(after);
        if self.word(list.next()?) != "(" {
            return Some(name);
        }
        let closing = list.find(|token| self.word(token) == ")")?;
        Some(name.start..closing.span.end)
    }

    /// Where the TABLE begins that a name follows, in `TABLE t`.
    pub(crate) fn table_before(&self, name: &Range<usize>) -> Option<usize> {
        let at = self
            .tokens
            .partition_point(|token| token.span.start < name.start);
        let before = self.tokens.get(at.checked_sub(1)?)?;
        let is_table =
            before.kind == TokenKind::Word && self.word(before).eq_ignore_ascii_case("table");
        is_table.then_some(before.span.start)
    }

    /// The bytes of each part of a name of several that begins at a place.
    pub(crate) fn parts(&self, location: i32, count: usize) -> Option<Vec<Range<usize>>> {
        let from = usize::try_from(location).ok()?;
        let mut at = self.tokens.partition_point(|token| token.span.start < from);
        if self.tokens.get(at)?.span.start != from {
            return None;
        }
        let mut parts = Vec::with_capacity(count);
        loop {
            let part = self.tokens.get(at)?;
            let mut span = match part.kind {
                TokenKind::Word | TokenKind::QuotedName | TokenKind::UnicodeName => {
                    part.span.clone()
                }
                // `t.*`
                TokenKind::Operator if self.word(part) == "*" && !parts.is_empty() => {
                    part.span.clone()
                }
                _ => return None,
            };
            at += 1;
            if part.kind == TokenKind::UnicodeName
                && let Some(end) = self.escape_after(at)
            {
                span.end = end;
                at += 2;
            }
            parts.push(span);
            if parts.len() == count {
                return Some(parts);
            }
            if self.word(self.tokens.get(at)?) != "." {
                return None;
            }
            at += 1;
        }
    }

    /// The end of `UESCAPE '!'`.
    fn escape_after(&self, at: usize) -> Option<usize> {
        let (word, text) = (self.tokens.get(at)?, self.tokens.get(at + 1)?);
        let follows = word.kind == TokenKind::Word
            && self.word(word).eq_ignore_ascii_case("uescape")
            && text.kind == TokenKind::String;
        follows.then_some(text.span.end)
    }

    /// Whether a name is written at these bytes that a keyword could stand for.
    pub(crate) fn is_word(&self, name: &Range<usize>) -> bool {
        let at = self
            .tokens
            .partition_point(|token| token.span.start < name.start);
        let token = self.tokens.get(at);
        token.is_some_and(|token| token.kind == TokenKind::Word)
    }

    fn word(&self, token: &Token) -> &'t str {
        self.text.get(token.span.clone()).unwrap_or_default()
    }
}
