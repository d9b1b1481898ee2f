//! What one step of a repair may change: by who makes it, and by what a Bind was made for.

use std::collections::BTreeSet;

use gate::StatementKind;
use policy::Recoverer;
use sql::lexer::{self, TokenKind};

/// Whether it only prepares a text: such a step does not count as an attempt.
pub fn is_preprocessor(recoverer: Recoverer) -> bool {
    matches!(
        recoverer,
        Recoverer::Unwrap | Recoverer::QuoteIdentifiers | Recoverer::DefaultLimit
    )
}

/// Whether what it changes is how the text is written, and never what it means.
pub fn changes_spelling_only(recoverer: Recoverer) -> bool {
    matches!(
        recoverer,
        Recoverer::Unwrap
            | Recoverer::QuoteIdentifiers
            | Recoverer::SyntaxError
            | Recoverer::Dialect
    )
}

/// Whether a changed statement is of the same kind. A query may stand for a SHOW: what others
/// show is a setting that does not exist, to Postgres.
pub fn keeps_kind(before: StatementKind, after: StatementKind) -> bool {
    before == after || before == StatementKind::Show && after.is_plain_query()
}

/// Whether both texts name the same parameters: a Bind that follows gives a value to each.
pub fn keeps_parameters(before: &str, after: &str) -> bool {
    parameters_of(before) == parameters_of(after)
}

fn parameters_of(text: &str) -> BTreeSet<&str> {
    lexer::tokens(text)
        .filter(|token| token.kind == TokenKind::Parameter)
        .filter_map(|token| text.get(token.span))
        .collect()
}

#[test]
fn parameters_are_kept_or_not() {
    assert!(keeps_parameters("SELECT $1, $2", "SELECT $2, $1, $1"));
    assert!(!keeps_parameters("SELECT $1, $2", "SELECT $1"));
    assert!(keeps_parameters("SELECT '$1'", "SELECT 1"));
}
