//! What is refused before any parser sees it, in time linear in the text.
//!
//! Postgres's lexer reads a run of operator characters to its end before it decides how much of it
//! is one token. A comment opener does the same. So a long run of many tokens costs its square: 64
//! KB of `/**/` take a second, 200 KB of nested comments a minute, and nothing can interrupt the
//! lexer. Everything ordinary passes: long comments, long literals, rules of dashes or stars.

use std::fmt;

use super::lexer::{ByteClass, Token, TokenKind, class_of, tokens};
use ground::limits::{OPERATOR_RUN_BYTES_MAX, OPERATOR_RUN_TOKENS_MAX};

/// Why a text is not given to the parser. Offsets are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanError {
    /// The text is longer than the caller allows.
    TooLong {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        bytes_max: usize,
    },
    /// The text holds a zero byte: Postgres would end the text there.
    Nul {
        /// Where.
        at: usize,
    },
    /// One run of operator characters or comment marks that the lexer would read over and over.
    OperatorRun {
        /// Where the run begins.
        at: usize,
    },
}

/// Checks a text before it is parsed.
///
/// # Errors
/// It is too long, has a zero byte, or would cost the parser more than its length.
pub fn prescan(text: &str, bytes_max: usize) -> Result<(), ScanError> {
    if text.len() > bytes_max {
        return Err(ScanError::TooLong {
            bytes: text.len(),
            bytes_max,
        });
    }
    let looks = scan_bytes(text.as_bytes());
    if looks.has_nul {
        let at = text.bytes().position(|byte| byte == 0).unwrap_or(0);
        return Err(ScanError::Nul { at });
    }
    // Nearly every text ends here: no run is long, wherever it stands.
    if looks.run_bytes <= OPERATOR_RUN_BYTES_MAX {
        return Ok(());
    }
    long_runs(text)
}

impl fmt::Display for ScanError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { bytes, bytes_max } => {
                write!(
                    formatter,
                    "the text has {bytes} bytes, more than {bytes_max}"
                )
            }
            Self::Nul { at } => write!(formatter, "the text has a zero byte at {at}"),
            Self::OperatorRun { at } => {
                write!(
                    formatter,
                    "the text has too long a run of operator characters at {at}"
                )
            }
        }
    }
}

impl std::error::Error for ScanError {}

struct ByteScan {
    has_nul: bool,
    run_bytes: usize,
}

/// One pass over the bytes, literals and comments included.
fn scan_bytes(bytes: &[u8]) -> ByteScan {
    let mut looks = ByteScan {
        has_nul: false,
        run_bytes: 0,
    };
    let mut run: usize = 0;
    for byte in bytes {
        looks.has_nul |= *byte == 0;
        run = if class_of(*byte) == ByteClass::Operator {
            run.saturating_add(1)
        } else {
            0
        };
        looks.run_bytes = looks.run_bytes.max(run);
    }
    looks
}

/// The slow way, for a text with a long run somewhere: is it in a place where the lexer reads it
/// often?
fn long_runs(text: &str) -> Result<(), ScanError> {
    let mut run = OperatorRun::default();
    for token in tokens(text) {
        let bytes = text.as_bytes().get(token.span.clone()).unwrap_or_default();
        match token.kind {
            TokenKind::Operator => run.operator(bytes, &token)?,
            TokenKind::BlockComment | TokenKind::UnterminatedComment => {
                run.comment(bytes, &token)?
            }
            TokenKind::LineComment => run.line_comment(bytes, &token)?,
            _ => run = OperatorRun::default(),
        }
    }
    Ok(())
}

/// A run of operator characters, over the borders of tokens, and how often the lexer reads it.
#[derive(Default)]
struct OperatorRun {
    start: usize,
    bytes: usize,
    reads: usize,
}

impl OperatorRun {
    fn operator(&mut self, bytes: &[u8], token: &Token) -> Result<(), ScanError> {
        // Longer than any operator: our lexer, too, has cut it at the bound.
        let reads = if bytes.len() > OPERATOR_RUN_BYTES_MAX {
            OPERATOR_RUN_TOKENS_MAX
        } else {
            0
        };
        self.reads = self.reads.saturating_add(reads).saturating_add(1);
        self.grow(token.span.start, bytes.len())
    }

    /// The lexer reads the run once for each opener in it, inner ones included.
    fn comment(&mut self, comment: &[u8], token: &Token) -> Result<(), ScanError> {
        let mut bytes = comment.iter().copied().enumerate().peekable();
        while let Some((at, byte)) = bytes.next() {
            if class_of(byte) != ByteClass::Operator {
                *self = Self::default();
                continue;
            }
            let pair = (byte, bytes.peek().map(|(_, next)| *next));
            let opens = pair == (b'/', Some(b'*'));
            let is_mark = opens || pair == (b'*', Some(b'/'));
            if is_mark {
                bytes.next();
            }
            self.reads = self.reads.saturating_add(usize::from(opens));
            self.grow(
                token.span.start.saturating_add(at),
                if is_mark { 2 } else { 1 },
            )?;
        }
        Ok(())
    }

    /// The lexer takes the comment in one piece; only what stood before it reads into it.
    fn line_comment(&mut self, comment: &[u8], token: &Token) -> Result<(), ScanError> {
        let marks = comment
            .iter()
            .take_while(|byte| class_of(**byte) == ByteClass::Operator)
            .count();
        self.grow(token.span.start, marks)?;
        *self = Self::default();
        Ok(())
    }

    fn grow(&mut self, at: usize, bytes: usize) -> Result<(), ScanError> {
        if self.bytes == 0 {
            self.start = at;
        }
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > OPERATOR_RUN_BYTES_MAX && self.reads > OPERATOR_RUN_TOKENS_MAX {
            return Err(ScanError::OperatorRun { at: self.start });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_is_refused(text: &str) -> bool {
        matches!(
            prescan(text, usize::MAX),
            Err(ScanError::OperatorRun { .. })
        )
    }

    #[test]
    fn ordinary_texts_pass() {
        let stars = "*".repeat(300);
        let dashes = "-".repeat(70_000);
        for text in [
            "",
            "SELECT abalance FROM pgbench_accounts WHERE aid = 1;",
            &format!("/{stars}\n a banner \n{stars}/ SELECT 1 /{stars}/"),
            &format!("SELECT 1 +{dashes}\n2"),
            &format!("{dashes}\n{dashes}\nSELECT 1"),
            &format!(
                "SELECT '{}', $${}$$",
                "/*".repeat(5_000),
                "+-".repeat(5_000)
            ),
            &format!("SELECT \"{}\"", "/*".repeat(5_000)),
            &format!("-- {}", "/*".repeat(5_000)),
            &"SELECT 1 /* a */ /* b */ ".repeat(2_000),
            &format!("SELECT 1 {} 1", "+".repeat(256)),
            &format!("/*{}*/ SELECT 1", "=".repeat(1_000)),
            &format!("SELECT 1 - /*{}*/ 1", "-".repeat(1_000)),
        ] {
            assert_eq!(prescan(text, usize::MAX), Ok(()), "{:.60}", text);
        }
    }

    #[test]
    fn what_the_lexer_reads_over_and_over_is_refused() {
        for text in [
            "/**/".repeat(16_000),
            "/*".repeat(100_000),
            format!("{}{}", "/*".repeat(50_000), "*/".repeat(50_000)),
            format!("SELECT 1 {} 1", "+".repeat(300)),
            format!("SELECT 1 {}", "/**/".repeat(70)),
            format!("SELECT 1 {}{}", "/**/".repeat(10), "-".repeat(300)),
            format!("SELECT 1 /* x */{}", "-/**/".repeat(100)),
            format!("SELECT 'a' {}", "+".repeat(300)),
            format!("SELECT 1 {} 1", "@".repeat(300)),
            format!("SELECT 1 {} 1", "+".repeat(257)),
            format!("SELECT E'\\'' {} '", "+".repeat(300)),
        ] {
            assert!(run_is_refused(&text), "{:.60}", text);
        }
    }

    #[test]
    fn the_place_of_a_run_is_told() {
        let text = format!("SELECT 1 {}", "+".repeat(300));
        assert_eq!(
            prescan(&text, usize::MAX),
            Err(ScanError::OperatorRun { at: 9 })
        );
    }

    #[test]
    fn zero_bytes_and_long_texts_are_refused() {
        assert_eq!(prescan("a\0b", 9), Err(ScanError::Nul { at: 1 }));
        assert_eq!(prescan("'\0'", 9), Err(ScanError::Nul { at: 1 }));
        assert_eq!(prescan("abc", 3), Ok(()));
        assert_eq!(
            prescan("abcd", 3),
            Err(ScanError::TooLong {
                bytes: 4,
                bytes_max: 3
            })
        );
    }
}
