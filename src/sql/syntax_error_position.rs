//! Where in a text the grammar stopped. `pg_raw_parse` keeps that to itself, and clients show it.
//!
//! The answer is found from outside, by parsing beginnings of the text:
//!
//! - The parser is LALR(1): it reads tokens from the left, and stops at the first one that no valid
//!   text could have there, the *offender*, having looked at none after it.
//! - So a beginning that ends with the offender, or after it, fails with the very words that the
//!   whole text fails with. One that ends before it holds no offender: it parses, or misses its
//!   end, or fails in other words. "Does it fail in the same words" is false up to the offender and
//!   true from there on, and a binary search over the tokens finds the border: about twelve parses
//!   for the longest text that is searched.
//! - One thing looks further: a few words (`NOT`, `WITH`, …) and Unicode-escaped literals are read
//!   together with the token after them. No beginning ends with one of these, except the text
//!   itself. The border is then a group of tokens, of which only one may be what the message
//!   quotes.
//!
//! The token found has to be the text that the message quotes. Two messages quote nothing: for them
//! the border shows which literal or LIMIT is meant. If anything is in doubt there is no position.
//! It decides nothing: a wrong one would mislead a reader, and no more.

use std::ops::RangeInclusive;

use super::lexer::{self, Token, TokenKind};
use super::tree::{self, SyntaxError};
use ground::limits;

/// Where the parser stopped in `text`, in characters from 1, as Postgres counts in an error's field
/// P. `error` is what parsing `text` ended with.
pub fn of_error(text: &str, error: &SyntaxError) -> Option<u32> {
    let message = error.message_for_client();
    if text.len() > limits::SYNTAX_POSITION_BYTES_MAX {
        return None;
    }
    if message.ends_with(AT_END) {
        return character(text, text.len());
    }
    let at = match message {
        INVALID_UNICODE_ESCAPE => bad_escape(text, &ErrorBorder::find(text, message)?)?,
        LIMIT_WITH_COMMA => limit_before(text, &ErrorBorder::find(text, message)?)?,
        _ => {
            let (_, quoted) = message.split_once(AT_OR_NEAR)?;
            let quoted = quoted.strip_suffix('"')?;
            offender(text, &ErrorBorder::find(text, message)?, quoted)?
        }
    };
    character(text, at)
}

/// Where the beginnings of a text start to fail as the whole does.
struct ErrorBorder {
    /// All tokens but blanks.
    tokens: Vec<Token>,
    /// The tokens of which one is the offender.
    group: RangeInclusive<usize>,
}

impl ErrorBorder {
    fn find(text: &str, message: &str) -> Option<Self> {
        let tokens: Vec<Token> = lexer::tokens(text)
            .filter(|token| !token.kind.is_blank() || token.kind == TokenKind::UnterminatedComment)
            .collect();
        let last = tokens.len().checked_sub(1)?;
        let ends: Vec<usize> = tokens
            .iter()
            .enumerate()
            .filter(|(at, token)| *at == last || !is_read_with_next(text, token))
            .map(|(at, _)| at)
            .collect();
        let border = ends.partition_point(|end| !fails_alike(text, tokens.get(*end), message));
        let to = *ends.get(border)?;
        let from = match border.checked_sub(1) {
            Some(before) => ends.get(before)?.saturating_add(1),
            None => 0,
        };
        Some(Self {
            tokens,
            group: from..=to,
        })
    }

    fn group(&self) -> &[Token] {
        self.tokens.get(self.group.clone()).unwrap_or_default()
    }
}

/// The byte at which the token begins that the parser stopped at.
fn offender(text: &str, border: &ErrorBorder, quoted: &str) -> Option<usize> {
    let is_quoted = |token: &&Token| text.get(token.span.clone()) == Some(quoted);
    only(border.group().iter().filter(is_quoted)).map(|token| token.span.start)
}

/// The byte of the escape that makes no sense, in the literal that the lexer stopped in.
fn bad_escape(text: &str, border: &ErrorBorder) -> Option<usize> {
    let follows_uescape = border.group().iter().any(|token| {
        let word = text.get(token.span.clone()).unwrap_or_default();
        token.kind == TokenKind::Word && word.eq_ignore_ascii_case("UESCAPE")
    });
    only(border.group().iter().filter_map(|token| {
        let literal = text.as_bytes().get(token.span.clone())?;
        let forms: &[(u8, usize)] = match token.kind {
            TokenKind::EscapeString => &[(b'u', 4), (b'U', 8)],
            // Quotes inside shift what the server counts, and another escape character may follow.
            TokenKind::UnicodeString | TokenKind::UnicodeName
                if !follows_uescape && quotes(literal) == 2 =>
            {
                &[(b'+', 6), (b'\\', 0)]
            }
            _ => return None,
        };
        let strict = token.kind != TokenKind::EscapeString;
        Some(
            token
                .span
                .start
                .saturating_add(first_bad_escape(literal, forms, strict)?),
        )
    }))
}

/// The index of the first backslash that is followed by too few hexadecimal digits. `strict`: one
/// that is followed by none of `forms` has to be followed by four.
fn first_bad_escape(literal: &[u8], forms: &[(u8, usize)], strict: bool) -> Option<usize> {
    let mut at = 0;
    while let Some(letter) = literal.get(at) {
        if *letter != b'\\' {
            at = at.saturating_add(1);
            continue;
        }
        let next = *literal.get(at.saturating_add(1))?;
        let form = forms.iter().find(|(letter, _)| *letter == next);
        let (skipped, digits) = match form {
            Some((_, digits)) => (2, *digits),
            None if strict => (1, 4),
            None => (2, 0),
        };
        let start = at.saturating_add(skipped);
        let end = start.saturating_add(digits);
        let found = literal.get(start..end);
        if !found.is_some_and(|found| found.iter().all(u8::is_ascii_hexdigit)) {
            return Some(at);
        }
        at = end;
    }
    None
}

fn quotes(literal: &[u8]) -> usize {
    let is_quote = |letter: &&u8| matches!(letter, b'\'' | b'"');
    literal.iter().filter(is_quote).count()
}

/// The byte of the LIMIT whose second number ends at the border: the last one before it that stands
/// outside of the parentheses of the numbers.
fn limit_before(text: &str, border: &ErrorBorder) -> Option<usize> {
    let mut closed = 0_usize;
    for token in border.tokens.get(..=*border.group.end())?.iter().rev() {
        match text.get(token.span.clone())? {
            ")" | "]" => closed = closed.saturating_add(1),
            "(" | "[" => closed = closed.checked_sub(1)?,
            word if closed == 0 && word.eq_ignore_ascii_case("LIMIT") => {
                return Some(token.span.start);
            }
            _ => {}
        }
    }
    None
}

/// The one item, where there is one only.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    match (items.next(), items.next()) {
        (Some(item), None) => Some(item),
        _ => None,
    }
}

/// Whether the text up to the end of `token` fails with this message.
fn fails_alike(text: &str, token: Option<&Token>, message: &str) -> bool {
    let beginning = token.and_then(|token| text.get(..token.span.end));
    beginning.is_some_and(|beginning| match tree::parse(beginning) {
        Ok(_) => false,
        Err(error) => error.message_for_client() == message,
    })
}

/// Whether Postgres's lexer looks at the next token to know what this one is.
fn is_read_with_next(text: &str, token: &Token) -> bool {
    match token.kind {
        TokenKind::UnicodeName | TokenKind::UnicodeString => true,
        TokenKind::Word => text
            .get(token.span.clone())
            .is_some_and(|word| READ_WITH_NEXT.iter().any(|w| w.eq_ignore_ascii_case(word))),
        _ => false,
    }
}

/// The position of the character that begins at a byte.
fn character(text: &str, at: usize) -> Option<u32> {
    let before = text.get(..at)?.chars().count();
    u32::try_from(before).ok()?.checked_add(1)
}

const AT_OR_NEAR: &str = " at or near \"";
const AT_END: &str = " at end of input";

/// What the server says without quoting, and yet points at.
const INVALID_UNICODE_ESCAPE: &str = "invalid Unicode escape";
const LIMIT_WITH_COMMA: &str = "LIMIT #,# syntax is not supported";

/// The words for which `base_yylex` of PostgreSQL 18 looks ahead.
const READ_WITH_NEXT: [&str; 5] = ["FORMAT", "NOT", "NULLS", "WITH", "WITHOUT"];

#[cfg(test)]
mod tests {
    use super::*;

    fn position(text: &str) -> Option<u32> {
        tree::parse(text)
            .err()
            .and_then(|error| of_error(text, &error))
    }

    /// The numbers are those of a PostgreSQL 15 that was sent the same texts.
    #[test]
    fn positions_are_those_of_the_server() {
        for (text, wanted) in [
            ("SELEC 1", 1),
            ("SELECT 1 FROM", 14),
            ("SELECT 1 FROM  \n ", 18),
            ("SELECT * FROM item WHERE", 25),
            ("SELECT (1", 10),
            ("SELECT 'äöü' FROM FROM", 19),
            ("SELECT 1; SELEC 2", 11),
            ("SELECT 1;\n\n-- x é\nSELEC 2; SELECT 3 3", 19),
            ("WITH a AS SELECT 1", 11),
            (")", 1),
            ("ß", 1),
            ("ß ß ß ß", 1),
            ("/* é */ SELECT 1 FROM 'x'", 23),
            ("SELECT E'\\'é' FROM E'é\\'' x", 20),
            ("SELECT 'a'\n'b' 'c'", 16),
            ("SELECT 'a'\n'b' FROM 'a'\n'b'", 21),
            ("SELECT a NOT b", 14),
            ("SELECT 1 WHERE NOT NOT", 23),
            ("SELECT 1 FROM WITH x", 15),
            ("SELECT 1 ORDER BY 1 NULLS x", 21),
            ("SELECT 1 ORDER BY 1 NULLS", 21),
            ("SELECT x WITHOUT TIME", 10),
            ("SELECT 日本語 FROM 日本語 WHERE 日本語 = = 1", 33),
            ("SELECT $$é$$ $$ü$$", 14),
            ("SELECT $1 $2", 11),
            ("SELECT 1 + * 2", 12),
            ("SELECT 1 <=> ) ", 14),
            ("SELECT a.b.", 12),
            ("SELECT a..b", 9),
            ("SELECT :x", 8),
            ("SELECT 1 AS select FROM FROM", 25),
            ("SELECT \"é\" \"ü\" \"ä\"", 16),
            ("SELECT U&'\\00e9' U&'x'", 18),
            ("SELECT U&'d!0061' UESCAPE '!' 'x'", 31),
            ("SELECT U&\"a\" UESCAPE", 21),
            ("SELECT B'01' B'01'", 14),
            ("CREATE TABLE t (a int,)", 23),
            ("DELETE FROM FROM t", 13),
            ("INSERT INTO t VALUES (1,)", 25),
            ("SELECT * FROM (SELECT 1", 24),
            ("SELECT 1 -- x\n FROM; -- y\nSELECT", 20),
            ("SELECT a -- FROM\n, FROM", 20),
            ("SELECT `a` FROM t", 12),
            ("```sql\nSELECT 1\n```", 1),
            ("SELECT TOP 5 * FROM t", 12),
            ("SELECT 1;;;,", 12),
            ("😀 SELECT", 1),
            ("SELECT '😀😀' , , 1", 15),
            ("SELECT 'unterminated", 8),
            ("SELECT é, 'unterm \n ''x", 11),
            ("SELECT \"untermin", 8),
            ("SELECT $tag$ unterm", 8),
            ("SELECT é /* unterm", 10),
            ("SELECT \"\"", 8),
            ("SELECT é, \"\" x", 11),
            ("SELECT 1a", 8),
            ("SELECT 1 é, 12abc", 13),
            ("SELECT E'é", 8),
            ("SELECT X'1", 8),
            ("SELECT B'1", 8),
            ("SELECT count(DISTINCT *) FROM item", 23),
            ("SELECT 1 FROM WITH 1a", 20),
            ("SELECT \\", 8),
            ("SELECT 0x1g", 8),
            ("SELECT 1__0", 8),
            ("SELECT /* a /* b */ FROM", 8),
            ("BEGIN; SELECT 1; SELECT ]", 25),
            ("select 'x'::", 13),
            ("EXPLAIN SELECT 1 1 1", 18),
            ("SELECT 1\r\nFROM\r\n\tx y z", 22),
            ("CREATE TABLE x (a int) WITH NOT", 29),
            ("SELECT case when 1 then 2", 26),
            ("SHOW TABLES FROM x", 13),
            ("SELECT x FROM t LIMIT ALL ALL", 27),
            (r"SELECT E'\u00'", 10),
            (r"SELECT 'é', E'é\\u\n\u00e9\U0001F60 ' FROM t", 27),
            (r"SELECT U&'\d'", 11),
            (r"SELECT U&'é\\\00e9\+01F600\00' FROM t", 27),
            (r#"SELECT U&"\d" FROM t"#, 11),
            ("SELECT * FROM item ORDER BY id LIMIT 1, 2", 32),
            (
                "SELECT é FROM (SELECT 1 LIMIT 3) s LIMIT (1 + (2)), (SELECT 3 LIMIT 1) + 4",
                36,
            ),
        ] {
            assert_eq!(position(text), Some(wanted), "{text:?}");
        }
    }

    #[test]
    fn in_doubt_there_is_none() {
        // Which of the two words is meant would take another look.
        assert_eq!(position("SELECT 1 WHERE a NOT NOT b"), None);
        assert_eq!(position("SELECT 1 FROM WITH WITH"), None);
        // Postgres points into the literal.
        assert_eq!(position(r"SELECT E'\ud800x'"), None);
        // The server counts these otherwise.
        assert_eq!(position(r"SELECT U&'a''\d'"), None);
        assert_eq!(position(r"SELECT U&'!d' UESCAPE '!'"), None);
    }

    #[test]
    fn long_texts_are_not_searched() {
        let fits = format!("{} FROM FROM", "SELECT 1;".repeat(1_000));
        assert_eq!(position(&fits), Some(9_002));
        let beyond = format!("{} FROM FROM", "SELECT 1;".repeat(2_000));
        assert!(beyond.len() > limits::SYNTAX_POSITION_BYTES_MAX);
        assert_eq!(position(&beyond), None);
    }
}
