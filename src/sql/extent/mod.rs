//! Where a part of a text begins and ends: the tree says where nodes begin, the tokens say where
//! they end. Where that cannot be told for certain the answer is none, and nothing is changed.
//!
//! * [`expression`], [`call`]: expressions and calls, found by their nodes
//! * [`name`]: names with dots; [`clause`]: items of FROM and keys of GROUP BY

pub mod call;
pub mod clause;
pub mod expression;
pub mod name;

use std::ops::Range;

use super::lexer::{Token, TokenKind};

/// The tokens of a text without blanks, each parenthesis with its partner.
pub struct PairedTokens<'s> {
    text: &'s str,
    solid: Vec<(TokenKind, Range<usize>)>,
    partners: Vec<Option<usize>>,
}

/// Tokens, first and last, by their places in [`PairedTokens`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenRange {
    /// The first.
    pub first: usize,
    /// The last.
    pub last: usize,
}

impl<'s> PairedTokens<'s> {
    /// Those of a text.
    pub fn of(text: &'s str, tokens: &[Token]) -> Self {
        let solid: Vec<(TokenKind, Range<usize>)> = tokens
            .iter()
            .filter(|token| !token.kind.is_blank())
            .map(|token| (token.kind, token.span.clone()))
            .collect();
        let mut ground = Self {
            text,
            partners: vec![None; solid.len()],
            solid,
        };
        let mut open: Vec<usize> = Vec::new();
        for at in 0..ground.solid.len() {
            match ground.word(at) {
                "(" | "[" => open.push(at),
                ")" | "]" => {
                    if let Some(partner) = open.pop() {
                        ground.pair(partner, at);
                    }
                }
                _ => {}
            }
        }
        ground
    }

    fn pair(&mut self, open: usize, close: usize) {
        for (one, other) in [(open, close), (close, open)] {
            if let Some(partner) = self.partners.get_mut(one) {
                *partner = Some(other);
            }
        }
    }

    /// The token that begins at a byte.
    pub fn at(&self, byte: usize) -> Option<usize> {
        let place = self.solid.partition_point(|(_, span)| span.start < byte);
        let (_, span) = self.solid.get(place)?;
        (span.start == byte).then_some(place)
    }

    /// The text of a token; empty beyond the last.
    pub fn word(&self, token: usize) -> &'s str {
        let span = self.solid.get(token).map(|(_, span)| span.clone());
        span.and_then(|span| self.text.get(span))
            .unwrap_or_default()
    }

    /// Whether a token is this key word, in whatever case.
    pub fn is(&self, token: usize, word: &str) -> bool {
        self.word(token).eq_ignore_ascii_case(word)
    }

    fn kind(&self, token: usize) -> Option<TokenKind> {
        self.solid.get(token).map(|(kind, _)| *kind)
    }

    /// The parenthesis that belongs to one.
    pub fn partner(&self, token: usize) -> Option<usize> {
        self.partners.get(token).copied().flatten()
    }

    /// The bytes of a run.
    pub fn bytes(&self, run: TokenRange) -> Range<usize> {
        let start = self.solid.get(run.first).map(|(_, span)| span.start);
        let end = self.solid.get(run.last).map(|(_, span)| span.end);
        start.unwrap_or_default()..end.unwrap_or_default()
    }

    fn is_name(&self, token: usize) -> bool {
        matches!(
            self.kind(token),
            Some(TokenKind::Word | TokenKind::QuotedName | TokenKind::UnicodeName)
        )
    }

    /// The end of `name.name.name` that begins at a token.
    fn names(&self, first: usize) -> usize {
        let mut last = first;
        while self.word(last.saturating_add(1)) == "." {
            last = last.saturating_add(2);
        }
        last
    }
}

/// The place of the token that begins at a byte.
pub fn token_at(tokens: &[Token], position: usize) -> Option<usize> {
    let place = tokens.partition_point(|token| token.span.start < position);
    let token = tokens.get(place)?;
    (token.span.start == position).then_some(place)
}

/// The text of a token.
pub fn word<'t>(text: &'t str, token: &Token) -> &'t str {
    text.get(token.span.clone()).unwrap_or_default()
}
