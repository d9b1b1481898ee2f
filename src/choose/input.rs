//! Candidates as they are given: JSON Lines, or one array.

use std::fmt;
use std::io::{self, Read};

use serde_json::Value;

use super::candidate::{Candidate, CandidateFault};
use crate::limits::choice::{CANDIDATES_BYTES_MAX, CANDIDATES_MAX};

/// Why there is nothing to choose among.
#[derive(Debug)]
pub enum CandidatesFault {
    /// The input cannot be read, or is not UTF-8.
    Unreadable(io::ErrorKind),
    /// It is longer than all candidates may be.
    TooLong,
    /// It begins as an array, and is none.
    NoArray,
    /// A line is no JSON.
    NoJson {
        /// Which, from one.
        line: usize,
    },
    /// There is none.
    None,
    /// There are more than are looked at.
    TooMany,
    /// One of them is none.
    Candidate {
        /// Which, from one.
        number: usize,
        /// Why.
        fault: CandidateFault,
    },
}

/// Reads all of them.
///
/// # Errors
/// What is wrong first; nothing of the input is quoted.
pub fn read(input: impl Read) -> Result<Vec<Candidate>, CandidatesFault> {
    let mut text = String::new();
    let mut bounded = input.take(CANDIDATES_BYTES_MAX + 1);
    let length = bounded.read_to_string(&mut text);
    let length = length.map_err(|error| CandidatesFault::Unreadable(error.kind()))?;
    if !u64::try_from(length).is_ok_and(|length| length <= CANDIDATES_BYTES_MAX) {
        return Err(CandidatesFault::TooLong);
    }
    let values = match text.trim_start().starts_with('[') {
        true => serde_json::from_str(&text).map_err(|_| CandidatesFault::NoArray)?,
        false => lines(&text)?,
    };
    if values.len() > CANDIDATES_MAX {
        return Err(CandidatesFault::TooMany);
    }
    let read = (1..).zip(&values).map(|(number, value)| {
        Candidate::of_json(value).map_err(|fault| CandidatesFault::Candidate { number, fault })
    });
    let candidates = read.collect::<Result<Vec<_>, _>>()?;
    match candidates.is_empty() {
        true => Err(CandidatesFault::None),
        false => Ok(candidates),
    }
}

fn lines(text: &str) -> Result<Vec<Value>, CandidatesFault> {
    let lines = (1..).zip(text.lines());
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let read = lines.map(|(line, text)| {
        serde_json::from_str(text).map_err(|_| CandidatesFault::NoJson { line })
    });
    read.collect()
}

impl fmt::Display for CandidatesFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(kind) => write!(formatter, "the candidates cannot be read: {kind}"),
            Self::TooLong => {
                write!(
                    formatter,
                    "the candidates have more than {CANDIDATES_BYTES_MAX} bytes"
                )
            }
            Self::NoArray => formatter.write_str("the candidates are no JSON array"),
            Self::NoJson { line } => {
                write!(
                    formatter,
                    "line {line} is no JSON: a text in quotes or an object is wanted"
                )
            }
            Self::None => formatter.write_str("there is no candidate"),
            Self::TooMany => write!(formatter, "there are more than {CANDIDATES_MAX} candidates"),
            Self::Candidate { number, fault } => write!(formatter, "candidate {number} {fault}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_arrays_are_read_and_what_is_wrong_is_named() {
        let count = |input: &str| read(input.as_bytes()).map(|all| all.len());
        let check = |input: &str, wanted: &str| {
            assert_eq!(count(input).unwrap_err().to_string(), wanted, "{input}");
        };
        assert_eq!(
            count("\"SELECT 1\"\n\n{\"sql\": \"SELECT 2\"}\n").unwrap(),
            2
        );
        assert_eq!(
            count(" [\"SELECT 1\", {\"sql\": \"SELECT 2\"}]").unwrap(),
            2
        );
        check("", "there is no candidate");
        check("[]", "there is no candidate");
        check("[\"SELECT 1\"", "the candidates are no JSON array");
        check(
            "\"SELECT 1\"\nSELECT 2",
            "line 2 is no JSON: a text in quotes or an object is wanted",
        );
        check(
            "\"SELECT 1\"\n{\"sql\": \"\"}",
            "candidate 2 has an empty statement",
        );
        check("{\"sql\": 1}", "candidate 1 sql: a text is wanted");
        check(
            &"\"SELECT 1\"\n".repeat(17),
            "there are more than 16 candidates",
        );
        let long = " ".repeat(usize::try_from(CANDIDATES_BYTES_MAX).unwrap() + 1);
        check(&long, "the candidates have more than 4194304 bytes");
        assert!(matches!(
            read(&b"\xff"[..]),
            Err(CandidatesFault::Unreadable(_))
        ));
    }
}
