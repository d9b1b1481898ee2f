//! `too_complex`: texts that take the parser much longer than their length suggests.
//!
//! # Sees
//! Long runs of operator characters, comments nested in heaps, a zero byte; and texts that nest
//! deeper than Postgres's own grammar accepts.
//!
//! # Why
//! Postgres's lexer is quadratic in the first, and cannot be interrupted: 200 KB take seconds, here
//! and there.
//!
//! # Before
//! An example is in the tests of the gate.
//!
//! # After
//! - `SELECT 1 + 1 -- with a comment`
//!
//! # When not
//! Inside literals and in ordinary comments such runs are harmless and pass.

use crate::{Refusal, Rule};
use ground::sqlstate;
use sql::prescan::ScanError;

pub(crate) fn refusal_by_scan(error: &ScanError) -> Box<Refusal> {
    match error {
        ScanError::Nul { .. } => Refusal::new(
            Rule::TooComplex,
            "the statement holds a zero byte",
            "Send the statement without it.",
        )
        .with_sqlstate(sqlstate::CHARACTER_NOT_IN_REPERTOIRE),
        ScanError::TooLong { .. } | ScanError::OperatorRun { .. } => refusal(),
    }
}

pub(crate) fn refusal() -> Box<Refusal> {
    Refusal::new(
        Rule::TooComplex,
        "the statement is too complex to be parsed: it nests, or runs operators together, too far",
        "Split it into several, or use fewer levels of nesting.",
    )
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::check;

    #[test]
    fn what_the_lexer_cannot_take_is_not_given_to_it() {
        let comments = format!("SELECT {}1", "/**/".repeat(10_000));
        let nested = format!("SELECT {}1", "/*".repeat(50_000));
        let parentheses = format!("SELECT {}1{}", "(".repeat(100_000), ")".repeat(100_000));
        let operators = format!("SELECT 1 {} 1", "+".repeat(10_000));
        check(
            Rule::TooComplex,
            &[&comments, &nested, &parentheses, &operators],
            &[],
        );
        let terms = format!("SELECT 1{}", " + 1".repeat(50_000));
        let literal = format!("SELECT '{}'", "/*".repeat(10_000));
        check(
            Rule::TooComplex,
            &[],
            &[&terms, &literal, "SELECT 1 /* ********** */"],
        );
    }
}
