//! `too_long`: a statement longer than the policy's limit.
//!
//! # Sees
//! The number of bytes of the text, before anything reads it.
//!
//! # Why
//! Parsing takes time and memory that grow with the text, and the text is the client's to choose.
//!
//! # Before
//! An example of a megabyte is in the tests of the gate.
//!
//! # After
//! - `SELECT 1`
//!
//! # When not
//! Values sent as parameters of the protocol do not count.

use crate::{Refusal, Rule};

pub(crate) fn refusal() -> Box<Refusal> {
    Refusal::new(
        Rule::TooLong,
        "the statement is longer than the policy allows",
        "Send long lists of values as parameters, for example = ANY($1).",
    )
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::{check, check_bi};

    #[test]
    fn length_is_bounded_by_the_policy() {
        let over = format!("SELECT '{}'", "x".repeat(1_048_576));
        let under = format!("SELECT '{}'", "x".repeat(1_000_000));
        check(Rule::TooLong, &[&over], &[&under]);
        check_bi(Rule::TooLong, &[], &[&over]);
    }
}
