//! The input of `check` and `repair`: statements of a text, or one per JSON line.

use std::fs::File;
use std::io::{self, BufRead, Read};

use serde::Deserialize;
use serde_json::Value;

use crate::limits::CHECK_TEXT_BYTES_MAX;
use crate::limits::lints::CHECK_LINE_BYTES_MAX;
use crate::sql::lexer::{TokenKind, tokens};

/// One statement of a text.
#[derive(Debug, PartialEq, Eq)]
pub struct InputStatement<'t> {
    /// The line that it begins on, counted from one.
    pub line: usize,
    /// Where it begins, in bytes from the beginning of the whole text.
    pub start: usize,
    /// Its text, without the semicolon.
    pub text: &'t str,
}

/// What a JSON line asks.
#[derive(Deserialize)]
pub struct JsonQuestion {
    /// Given back with the answer.
    pub id: Value,
    /// What is to be judged.
    pub sql: String,
}

/// A line that is no question, and why. It is never shown: it may hold SQL.
pub enum BadLine {
    /// Longer than any statement may be.
    TooLong,
    /// Not a JSON object with `id` and `sql`.
    NotAQuestion,
}

impl BadLine {
    /// For a person.
    pub fn why(&self) -> &'static str {
        match self {
            Self::TooLong => "longer than a statement may be",
            Self::NotAQuestion => "not a JSON object with id and sql",
        }
    }
}

/// Opens the input; `-` is standard input.
///
/// # Errors
/// It is not there, or may not be read.
pub fn open(path: &str) -> io::Result<Box<dyn Read>> {
    Ok(match path {
        "-" => Box::new(io::stdin().lock()),
        path => Box::new(File::open(path)?),
    })
}

/// Reads a whole text.
///
/// # Errors
/// It cannot be read, is too long, or is not UTF-8.
pub fn read_text(input: impl Read) -> io::Result<String> {
    let mut text = String::new();
    input
        .take(CHECK_TEXT_BYTES_MAX + 1)
        .read_to_string(&mut text)?;
    let fits = u64::try_from(text.len()).is_ok_and(|length| length <= CHECK_TEXT_BYTES_MAX);
    if fits {
        Ok(text)
    } else {
        Err(io::ErrorKind::FileTooLarge.into())
    }
}

/// The statements between the semicolons of a text. Semicolons in literals, names and comments
/// are none. Stretches of nothing but space and comments are passed over.
pub fn split(text: &str) -> Vec<InputStatement<'_>> {
    let mut statements = Vec::new();
    let (mut start, mut line, mut counted) = (None, 1, 0);
    for token in tokens(text) {
        let part = text.get(token.span.clone()).unwrap_or_default();
        if token.kind == TokenKind::Punctuation && part == ";" {
            if let Some((line, start)) = start.take() {
                let text = text.get(start..token.span.start).unwrap_or_default();
                statements.push(InputStatement { line, start, text });
            }
        } else if start.is_none() && !token.kind.is_blank() {
            let between = text.get(counted..token.span.start).unwrap_or_default();
            line += between.matches('\n').count();
            counted = token.span.start;
            start = Some((line, token.span.start));
        }
    }
    if let Some((line, start)) = start {
        statements.push(InputStatement {
            line,
            start,
            text: text.get(start..).unwrap_or_default(),
        });
    }
    statements
}

/// The next line's question; none at the end. Empty lines are passed over. `number` is moved to
/// the line that was read.
///
/// # Errors
/// The input cannot be read. A line that is no question is a value.
pub fn next_question(
    input: &mut impl BufRead,
    number: &mut u64,
) -> io::Result<Option<Result<JsonQuestion, BadLine>>> {
    loop {
        let mut line = Vec::new();
        let mut bounded = input.by_ref().take(CHECK_LINE_BYTES_MAX);
        if bounded.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        *number += 1;
        let is_cut = bounded.limit() == 0 && line.last() != Some(&b'\n');
        if is_cut && skip_line(input)? > 0 {
            return Ok(Some(Err(BadLine::TooLong)));
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        return Ok(Some(
            serde_json::from_slice(&line).map_err(|_| BadLine::NotAQuestion),
        ));
    }
}

/// Reads over the rest of a line that is too long, in pieces; says how much there was.
fn skip_line(input: &mut impl BufRead) -> io::Result<u64> {
    let mut skipped = 0;
    loop {
        let mut piece = Vec::new();
        let read = input
            .by_ref()
            .take(SKIP_BYTES)
            .read_until(b'\n', &mut piece)?;
        skipped += u64::try_from(read).unwrap_or(u64::MAX);
        if read == 0 || piece.last() == Some(&b'\n') {
            return Ok(skipped);
        }
    }
}

/// Bytes to read over at a time.
const SKIP_BYTES: u64 = 1 << 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: &[(usize, &str)]) {
        let found = split(text);
        let found: Vec<_> = found.iter().map(|s| (s.line, s.text)).collect();
        assert_eq!(found, wanted, "{text:?}");
    }

    #[test]
    fn statements_are_split_where_postgres_would() {
        check("SELECT 1", &[(1, "SELECT 1")]);
        check(
            "SELECT 1;\n\nSELECT 2;\n",
            &[(1, "SELECT 1"), (3, "SELECT 2")],
        );
        check(
            "-- a;\n/* ; */ SELECT ';', \";\", $$;$$;;",
            &[(2, "SELECT ';', \";\", $$;$$")],
        );
        check(" ; \n -- nothing", &[]);
        check("SELECT 'a;\nSELECT 2", &[(1, "SELECT 'a;\nSELECT 2")]);
        check("A;\n/* x\n */\nB", &[(1, "A"), (4, "B")]);
    }

    fn questions(input: &str) -> Vec<String> {
        let mut input = input.as_bytes();
        let mut number = 0;
        let mut seen = Vec::new();
        while let Some(question) = next_question(&mut input, &mut number).unwrap() {
            seen.push(match question {
                Ok(JsonQuestion { id, sql }) => format!("{number} {id} {sql}"),
                Err(BadLine::NotAQuestion) => format!("{number} bad"),
                Err(BadLine::TooLong) => format!("{number} too long"),
            });
        }
        seen
    }

    #[test]
    fn questions_are_read_line_by_line() {
        let input = "{\"id\":1,\"sql\":\"A\"}\n\n{\"id\":\"x\",\"sql\":\"B\\n\",\"more\":0}\nnope\n{\"id\":2}";
        assert_eq!(questions(input), ["1 1 A", "3 \"x\" B\n", "4 bad", "5 bad"]);
    }

    #[test]
    fn a_line_without_end_does_not_fill_the_memory() {
        let long = "x".repeat(usize::try_from(CHECK_LINE_BYTES_MAX).unwrap() + 5);
        let input = format!("{long}\n{{\"id\":1,\"sql\":\"A\"}}\n");
        assert_eq!(questions(&input), ["1 too long", "2 1 A"]);
    }
}
