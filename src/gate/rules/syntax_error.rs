//! `syntax_error`: statements that Postgres's grammar does not accept.
//!
//! # Sees
//! The parser's error.
//!
//! # Why
//! A text that cannot be parsed cannot be judged. Servers of other versions may read it, and then
//! it does whatever it does; so it is never forwarded. The client gets the parser's own words, as
//! from the server, with its code and the place.
//!
//! # Before
//! - `SELEC 1`
//! - `SELECT 'unterminated`
//!
//! # After
//! - `SELECT 1`
//!
//! # When not
//! A string that goes on behind a comment is one to every server and two to the grammar here: it is
//! judged, and run, without the comment.

use crate::rules::too_complex;
use crate::{Refusal, Rule};
use sql::tree::SyntaxError;
use sql::{error_condition, syntax_error_position};

pub(crate) fn refusal(text: &str, error: &SyntaxError) -> Box<Refusal> {
    match error {
        SyntaxError::TooComplex => too_complex::refusal(),
        SyntaxError::Syntax(_) => {
            let mut refusal = Refusal::new(
                Rule::SyntaxError,
                error.message_for_client(),
                "Check the statement: it has to be valid PostgreSQL.",
            )
            .with_sqlstate(error_condition::of_error(text, error));
            refusal.position = syntax_error_position::of_error(text, error);
            refusal
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::check::{check, judged_with};
    use crate::{Rule, SessionNames, Verdict};

    #[test]
    fn the_client_is_told_where() {
        let judgement = judged_with("SELECT 'é'\nFROM FROM", &SessionNames::of_no_database());
        let Verdict::Refused(refusal) = judgement.verdict else {
            panic!("it is no SQL");
        };
        assert_eq!(refusal.message, "syntax error at or near \"FROM\"");
        assert_eq!(refusal.position, Some(17));
    }

    #[test]
    fn what_is_not_sql_is_not_forwarded() {
        check(
            Rule::SyntaxError,
            &[
                "SELEC 1",
                "SELECT 1 FROM",
                "SELECT 'x",
                "SELECT $$x",
                "SELECT 1 /* x",
                "SELECT `a` FROM t",
                "SELECT * FROM t LIMIT 6, 1",
                "SHOW TABLES FROM x",
            ],
            // A SELECT of nothing is valid, to Postgres.
            &["SELECT;", "SELECT FROM t"],
        );
    }
}
