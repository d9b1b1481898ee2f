//! Postgres's lexer: the rules of `scan.l` of PostgreSQL 18, with `standard_conforming_strings` on.
//!
//! It never fails and never skips: the tokens of a text, laid side by side, are the text. What
//! Postgres would refuse (an unterminated literal, `1abc`) is a kind of token, for the grammar to
//! refuse. It decides nothing by itself: fingerprints and edits use it, the gate asks the grammar.
//!
//! <https://www.postgresql.org/docs/current/sql-syntax-lexical.html>

mod blank;
mod class;
mod number;
mod operator;
mod quoted;

use std::ops::Range;

pub(super) use class::{ByteClass, class_of};

/// One token of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// The bytes it takes.
    pub span: Range<usize>,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// White space.
    Space,
    /// `-- ...` up to the end of the line, without it.
    LineComment,
    /// `/* ... */`, nested.
    BlockComment,
    /// A key word or a name without quotes.
    Word,
    /// `"name"`.
    QuotedName,
    /// `U&"name"`.
    UnicodeName,
    /// `'text'`, with its continuations on further lines.
    String,
    /// `E'text'`: a backslash escapes.
    EscapeString,
    /// `U&'text'`.
    UnicodeString,
    /// `B'01'` or `X'1f'`.
    BitString,
    /// `$tag$text$tag$`.
    DollarString,
    /// A literal or quoted name that never ends: it takes the rest of the text.
    UnterminatedLiteral,
    /// A block comment that never ends: it takes the rest of the text.
    UnterminatedComment,
    /// `12`, `1.5`, `1e9`, `0xff`, `1_000`.
    Number,
    /// A number with something grown to it, as `12abc`: Postgres refuses it.
    JunkNumber,
    /// `$1`.
    Parameter,
    /// One or more of ``~!@#^&|`?+-*/%<>=``.
    Operator,
    /// `,` `(` `)` `[` `]` `.` `;` `:` `::` `..` `:=`.
    Punctuation,
    /// A character that starts no token.
    Other,
}

impl TokenKind {
    /// White space or a comment: nothing to the grammar.
    pub fn is_blank(self) -> bool {
        matches!(
            self,
            Self::Space | Self::LineComment | Self::BlockComment | Self::UnterminatedComment
        )
    }

    /// A literal value, or the place of one.
    pub fn is_constant(self) -> bool {
        matches!(
            self,
            Self::String
                | Self::EscapeString
                | Self::UnicodeString
                | Self::BitString
                | Self::DollarString
                | Self::Number
                | Self::JunkNumber
                | Self::Parameter
        )
    }
}

/// The tokens of `text`, in order, all of them.
pub fn tokens(text: &str) -> TokenStream<'_> {
    TokenStream { text, at: 0 }
}

/// The tokens of a text.
#[derive(Clone)]
pub struct TokenStream<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for TokenStream<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let start = self.at;
        let rest = self.text.as_bytes().get(start..)?;
        let first = *rest.first()?;
        let (kind, taken) = cut(rest, first);
        let end = char_end(self.text, start.saturating_add(taken.max(1)));
        self.at = end;
        Some(Token {
            kind,
            span: start..end,
        })
    }
}

impl std::iter::FusedIterator for TokenStream<'_> {}

/// The kind and the length in bytes of the token that `rest` begins with.
fn cut(rest: &[u8], first: u8) -> (TokenKind, usize) {
    match class_of(first) {
        ByteClass::Space => (TokenKind::Space, blank::space(rest)),
        ByteClass::Letter => word(rest, first),
        ByteClass::Digit => number::cut(rest),
        ByteClass::Quote => quoted::string(rest, 0, TokenKind::String),
        ByteClass::DoubleQuote => quoted::name(rest, 0, TokenKind::QuotedName),
        ByteClass::Dollar => quoted::dollar(rest),
        ByteClass::Operator => operator::cut(rest, first),
        ByteClass::Period => match rest.get(1) {
            Some(byte) if byte.is_ascii_digit() => number::cut(rest),
            Some(b'.') => (TokenKind::Punctuation, 2),
            _ => (TokenKind::Punctuation, 1),
        },
        ByteClass::Colon => match rest.get(1) {
            Some(b':' | b'=') => (TokenKind::Punctuation, 2),
            _ => (TokenKind::Punctuation, 1),
        },
        ByteClass::Punctuation => (TokenKind::Punctuation, 1),
        ByteClass::Other => (TokenKind::Other, 1),
    }
}

/// A word, or a literal that a letter introduces.
fn word(rest: &[u8], first: u8) -> (TokenKind, usize) {
    match (first, rest.get(1), rest.get(2)) {
        (b'e' | b'E', Some(b'\''), _) => quoted::string(rest, 1, TokenKind::EscapeString),
        (b'b' | b'B' | b'x' | b'X', Some(b'\''), _) => {
            quoted::string(rest, 1, TokenKind::BitString)
        }
        (b'u' | b'U', Some(b'&'), Some(b'\'')) => quoted::string(rest, 2, TokenKind::UnicodeString),
        (b'u' | b'U', Some(b'&'), Some(b'"')) => quoted::name(rest, 2, TokenKind::UnicodeName),
        // N'...' is the word N and then a string, in Postgres's lexer as well.
        _ => (TokenKind::Word, class::run(rest, class::continues_word)),
    }
}

/// Tokens end where characters end. All rules above end at ASCII bytes or at the end of a run of
/// non-ASCII ones, except for single characters that start no token.
fn char_end(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) && at < text.len() {
        at = at.saturating_add(1);
    }
    at.min(text.len())
}
