//! Variables of other systems (`@name`) in texts that Postgres reads.
//!
//! To Postgres, `@` is the operator for a number without its sign, so that `x = @x` compares a
//! column with itself. Nobody knows the value that was meant: such a text is never made to run.

use crate::context::tokens_of;
use crate::{Repair, RepairHint, TextChange};
use policy::Recoverer;
use sql::extent;
use sql::lexer::{Token, TokenKind};

/// What to say of a variable without a value that would stand in the text after a repair; none
/// where there is none. What is unwrapped is still as the client wrote it.
pub(super) fn remaining_variable(
    text: &str,
    recoverer: Recoverer,
    repair: &Repair,
) -> Option<RepairHint> {
    let remaining = match &repair.rewritten {
        TextChange::Text(changed) => changed,
        TextChange::Edits(_) => text,
    };
    let variable = first_variable(remaining).filter(|_| recoverer != Recoverer::Unwrap)?;
    let failed = Vec::new();
    Some(RepairHint {
        advice: advice(variable),
        failed,
    })
}

/// What to say of the name of a column that nothing has, where a variable in the text has it.
pub(super) fn of_missing_name(text: &str, name: &str) -> Option<String> {
    let mut named = variables(text).into_iter();
    named
        .find(|variable| {
            let own = variable.strip_prefix('@').unwrap_or_default();
            !name.is_empty() && own.eq_ignore_ascii_case(name)
        })
        .map(advice)
}

fn advice(variable: &str) -> String {
    format!(
        "{variable} is a variable elsewhere, and no value is known here: write $1, or the value \
         in its place; for a number without its sign write abs()."
    )
}

/// The first `@name` of a text.
fn first_variable(text: &str) -> Option<&str> {
    variables(text).into_iter().next()
}

/// Every `@name` of a text: a name grown to the sign that is neither called nor qualifies.
fn variables(text: &str) -> Vec<&str> {
    let tokens = tokens_of(text);
    let places = tokens.windows(2).enumerate();
    let variables = places.filter_map(|(place, pair)| {
        let [sign, name] = pair else { return None };
        let behind = tokens.iter().skip(place).skip(2);
        let behind = behind.map(|token| extent::word(text, token)).next();
        let is_variable = extent::word(text, sign) == "@"
            && is_bare_name(text, name)
            && !matches!(behind, Some("(" | "."));
        is_variable
            .then(|| text.get(sign.span.start..name.span.end))
            .flatten()
    });
    variables.collect()
}

/// Whether a token is a word without quotes that can be a variable's.
fn is_bare_name(text: &str, token: &Token) -> bool {
    let word = extent::word(text, token);
    token.kind == TokenKind::Word
        && !BEGIN_VALUES
            .iter()
            .any(|one| word.eq_ignore_ascii_case(one))
}

/// Words that an operand of `@` may begin with.
const BEGIN_VALUES: &[&str] = &["case", "cast", "extract", "array", "row"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_grown_to_the_sign_is_a_variable() {
        for (text, variable) in [
            ("SELECT id FROM t WHERE x = @x", Some("@x")),
            ("SELECT id FROM t WHERE x IN (@a, @b)", Some("@a")),
            (
                "SELECT id FROM t WHERE x > @From_1 AND y < 2",
                Some("@From_1"),
            ),
            ("SELECT @x::float8", Some("@x")),
            ("SELECT -@x", None),
            ("SELECT @ x", None),
            (
                "SELECT @(x - y), @-5, @abs(x), @t.x, @CASE WHEN a THEN 1 END",
                None,
            ),
            ("SELECT a @> b, a <@ b, a @@ b, a @? b", None),
            ("SELECT '@x', \"@x\" -- @x", None),
            ("SELECT /* @x */ $$ @x $$", None),
        ] {
            assert_eq!(first_variable(text), variable, "{text}");
        }
    }
}
