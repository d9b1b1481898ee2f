//! Strings that go on behind a comment: `'a' -- why` and `'b'` on the next line are one string to
//! every server. The grammar that texts are judged by keeps comments as tokens of their own, so
//! that it reads two strings there, and refuses them.
//!
//! The comment becomes blanks, and what is judged and run is the text without it: both read that
//! alike, whatever stood in it.
//! <https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-CONSTANTS>

use super::lexer::{TokenKind, tokens};

/// The text with blanks in the place of comments within strings, a blank for each character; none
/// where there are no such comments.
pub fn without_comments(text: &str) -> Option<String> {
    let mut blanked = String::with_capacity(text.len());
    let mut found = false;
    for token in tokens(text) {
        let own = text.get(token.span)?;
        match token.kind {
            TokenKind::String
            | TokenKind::EscapeString
            | TokenKind::UnicodeString
            | TokenKind::BitString => {
                found |= blank(own, token.kind == TokenKind::EscapeString, &mut blanked);
            }
            _ => blanked.push_str(own),
        }
    }
    found.then_some(blanked)
}

/// Writes a literal without its comments; says whether there were any.
fn blank(literal: &str, escapes: bool, out: &mut String) -> bool {
    let mut place = LiteralState::Before;
    let mut found = false;
    let mut letters = literal.chars().peekable();
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied();
        place = match (place, letter) {
            (LiteralState::Before | LiteralState::Between, '\'') => LiteralState::Within,
            (LiteralState::Within, '\'') if next == Some('\'') => LiteralState::Escaped,
            (LiteralState::Within, '\'') => LiteralState::Between,
            (LiteralState::Within, '\\') if escapes => LiteralState::Escaped,
            (LiteralState::Escaped, _) => LiteralState::Within,
            (LiteralState::Between, '-') => LiteralState::Comment,
            (LiteralState::Comment, '\n' | '\r') => LiteralState::Between,
            (same, _) => same,
        };
        found |= place == LiteralState::Comment;
        out.push(if place == LiteralState::Comment {
            ' '
        } else {
            letter
        });
    }
    found
}

/// Where a letter of a literal stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LiteralState {
    /// Before the first quote.
    Before,
    /// Between quotes.
    Within,
    /// Behind the first half of what means one letter.
    Escaped,
    /// Between two parts.
    Between,
    /// In a comment between two parts.
    Comment,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    fn check(text: &str, wanted: Option<&str>) {
        let blanked = without_comments(text);
        assert_eq!(blanked.as_deref(), wanted, "{text}");
        if let Some(blanked) = blanked {
            assert!(tree::parse(&blanked).is_ok(), "{blanked}");
            assert_eq!(blanked.chars().count(), text.chars().count());
            assert_eq!(without_comments(&blanked), None);
        }
    }

    #[test]
    fn comments_within_strings_become_blanks() {
        check("SELECT 'a' -- é'\n'b'", Some("SELECT 'a'      \n'b'"));
        check(
            "SELECT 'a'--\r\n-- ;\n 'it''s' -- x\n'c', 1 -- d",
            Some("SELECT 'a'  \r\n    \n 'it''s'     \n'c', 1 -- d"),
        );
        check(
            "SELECT E'\\'' -- x\n'\\\\' --y\n'z'",
            Some("SELECT E'\\''     \n'\\\\'    \n'z'"),
        );
        check("SELECT X'1f' --\n'2e'", Some("SELECT X'1f'   \n'2e'"));
    }

    #[test]
    fn all_else_stays_as_it_is() {
        for text in [
            "SELECT 'a'\n'b' -- c",
            "SELECT '-- a\n'",
            "SELECT 'a' -- b",
            "SELECT 'a', -- b\n'c'",
            "SELECT $$a$$ -- b\n'c'",
            "SELECT \"a\" -- b\n FROM t",
            "SELECT 1, '-- a\n' -- b",
            "SELECT E'\\'-- a\n'",
            "SELECT 'a' /* b */\n'c'",
        ] {
            check(text, None);
        }
    }
}
