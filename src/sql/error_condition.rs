//! Which condition the grammar's words stand for. `pg_raw_parse` hands on the words alone, and
//! drivers go by the code.
//!
//! Only words that hold nothing of the text are listed, as `gram.y`, `scan.l` and `parser.c` of
//! PostgreSQL 18 have them. Everything else is a syntax error, which most of it is.
//!
//! <https://www.postgresql.org/docs/current/errcodes-appendix.html>

use super::lexer::{self, TokenKind};
use super::tree::SyntaxError;
use ground::sqlstate::{self, SqlState};

/// The code that the server gives the error that parsing `text` ended with.
pub fn of_error(text: &str, error: &SyntaxError) -> SqlState {
    let message = error.message_for_client();
    if message == INVALID_UNICODE_ESCAPE {
        return of_unicode_escape(text);
    }
    CONDITIONS
        .iter()
        .find(|(words, _)| *words == message)
        .map_or(sqlstate::SYNTAX_ERROR, |(_, code)| *code)
}

/// The same words are an escape error in `E'…'` and a syntax error in `U&'…'`. A text with both is
/// taken for the more general one.
fn of_unicode_escape(text: &str) -> SqlState {
    let unicode = |kind| matches!(kind, TokenKind::UnicodeString | TokenKind::UnicodeName);
    if lexer::tokens(text).any(|token| unicode(token.kind)) {
        sqlstate::SYNTAX_ERROR
    } else {
        sqlstate::INVALID_ESCAPE_SEQUENCE
    }
}

const INVALID_UNICODE_ESCAPE: &str = "invalid Unicode escape";

/// The words whose code is not that of a syntax error.
#[rustfmt::skip]
const CONDITIONS: &[(&str, SqlState)] = &[
    ("frame start cannot be UNBOUNDED FOLLOWING", sqlstate::WINDOWING_ERROR),
    ("frame end cannot be UNBOUNDED PRECEDING", sqlstate::WINDOWING_ERROR),
    ("frame starting from current row cannot have preceding rows", sqlstate::WINDOWING_ERROR),
    ("frame starting from following row cannot have preceding rows", sqlstate::WINDOWING_ERROR),
    ("frame starting from following row cannot end with current row", sqlstate::WINDOWING_ERROR),
    ("precision for type float must be at least 1 bit", sqlstate::INVALID_PARAMETER_VALUE),
    ("precision for type float must be less than 54 bits", sqlstate::INVALID_PARAMETER_VALUE),
    ("role name \"public\" is reserved", sqlstate::RESERVED_NAME),
    ("role name \"none\" is reserved", sqlstate::RESERVED_NAME),
    ("CURRENT_USER cannot be used as a role name here", sqlstate::RESERVED_NAME),
    ("CURRENT_ROLE cannot be used as a role name here", sqlstate::RESERVED_NAME),
    ("SESSION_USER cannot be used as a role name here", sqlstate::RESERVED_NAME),
    ("modulus for hash partition provided more than once", sqlstate::DUPLICATE_OBJECT),
    ("remainder for hash partition provided more than once", sqlstate::DUPLICATE_OBJECT),
    ("UNIQUE predicate is not yet implemented", sqlstate::FEATURE_NOT_SUPPORTED),
    ("current database cannot be changed", sqlstate::FEATURE_NOT_SUPPORTED),
    ("only string constants are supported in JSON_TABLE path specification", sqlstate::FEATURE_NOT_SUPPORTED),
    ("UNENCRYPTED PASSWORD is no longer supported", sqlstate::FEATURE_NOT_SUPPORTED),
    ("CREATE SCHEMA IF NOT EXISTS cannot include schema elements", sqlstate::FEATURE_NOT_SUPPORTED),
    ("constraints cannot be altered to be NOT VALID", sqlstate::FEATURE_NOT_SUPPORTED),
    ("MATCH PARTIAL not yet implemented", sqlstate::FEATURE_NOT_SUPPORTED),
    ("CREATE EXTENSION ... FROM is no longer supported", sqlstate::FEATURE_NOT_SUPPORTED),
    ("CREATE OR REPLACE CONSTRAINT TRIGGER is not supported", sqlstate::FEATURE_NOT_SUPPORTED),
    ("CREATE ASSERTION is not yet implemented", sqlstate::FEATURE_NOT_SUPPORTED),
    ("dropping an enum value is not implemented", sqlstate::FEATURE_NOT_SUPPORTED),
    ("aggregates cannot have output arguments", sqlstate::FEATURE_NOT_SUPPORTED),
    ("WITH CHECK OPTION not supported on recursive views", sqlstate::FEATURE_NOT_SUPPORTED),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    /// The codes are those of a PostgreSQL 15 that was sent the same texts.
    #[test]
    fn codes_are_those_of_the_server() {
        let frame = |bounds: &str| format!("SELECT sum(a) OVER (ROWS {bounds}) FROM t");
        for (text, wanted) in [
            (frame("UNBOUNDED FOLLOWING"), "42P20"),
            (frame("1 FOLLOWING"), "42P20"),
            (
                frame("BETWEEN 1 PRECEDING AND UNBOUNDED PRECEDING"),
                "42P20",
            ),
            (frame("BETWEEN CURRENT ROW AND 1 PRECEDING"), "42P20"),
            (frame("BETWEEN 1 FOLLOWING AND 1 PRECEDING"), "42P20"),
            (frame("BETWEEN 1 FOLLOWING AND CURRENT ROW"), "42P20"),
            (r"SELECT E'\u00'".to_owned(), "22025"),
            (r"SELECT U&'\d'".to_owned(), "42601"),
            (r"SELECT E'\ud800x'".to_owned(), "42601"),
            (r"SELECT U&'\+110000'".to_owned(), "42601"),
            ("SELECT 1::float(0)".to_owned(), "22023"),
            ("SELECT 1::float(54)".to_owned(), "22023"),
            ("SELECT UNIQUE (SELECT 1)".to_owned(), "0A000"),
            ("CREATE ROLE public".to_owned(), "42939"),
            ("DROP ROLE none".to_owned(), "42939"),
            ("CREATE ROLE current_user".to_owned(), "42939"),
            ("CREATE ROLE session_user".to_owned(), "42939"),
            ("CREATE ROLE current_role".to_owned(), "42939"),
            ("CREATE ASSERTION a CHECK (true)".to_owned(), "0A000"),
            ("CREATE ROLE x UNENCRYPTED PASSWORD 'p'".to_owned(), "0A000"),
            ("SET LOCAL CATALOG 'x'".to_owned(), "0A000"),
            (
                "SELECT 1 FROM t FETCH FIRST ROW WITH TIES".to_owned(),
                "42601",
            ),
            ("SELECT 1 LIMIT 1, 2".to_owned(), "42601"),
            ("SELEC 1".to_owned(), "42601"),
            ("SELECT 'x".to_owned(), "42601"),
            ("VALUES (1".to_owned(), "42601"),
        ] {
            let error = tree::parse(&text).expect_err(&text);
            assert_eq!(of_error(&text, &error).as_str(), wanted, "{text}");
        }
    }

    #[test]
    fn a_text_cannot_choose_its_code() {
        let text = "SELECT \"frame start cannot be UNBOUNDED FOLLOWING\" x y";
        let error = tree::parse(text).expect_err(text);
        assert_eq!(of_error(text, &error), sqlstate::SYNTAX_ERROR);
    }
}
