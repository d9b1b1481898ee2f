//! SQLite's GLOB: patterns of shells, as those of LIKE or as regular expressions.
//!
//! <https://www.sqlite.org/lang_expr.html#glob>

use sqlparser::ast::Expr;

use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::literal;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

/// `x GLOB 'a*'`
pub fn glob(
    translator: &mut Translator<'_>,
    left: &Expr,
    right: &Expr,
) -> TranslateResult<Translated> {
    let (subject, pattern) = (translator.text(left)?, translator.value(right)?);
    let Some(pattern) = pattern.text_literal() else {
        return Err(Untranslatable::construct("a computed pattern of GLOB"));
    };
    let (operator, pattern) = match pattern.contains('[') {
        true => ("~", expression_of(pattern)?),
        false => ("LIKE", like_of(pattern)),
    };
    let text = format!(
        "{} {operator} {}",
        subject.operand(),
        literal::quoted(&pattern)
    );
    Ok(Translated::operation(text, SqlType::Bool).never_null(subject.not_null))
}

/// A pattern of GLOB without sets, for LIKE.
fn like_of(pattern: &str) -> String {
    let mut like = String::new();
    for letter in pattern.chars() {
        match letter {
            '*' => like.push('%'),
            '?' => like.push('_'),
            '%' | '_' | '\\' => {
                like.push('\\');
                like.push(letter);
            }
            other => like.push(other),
        }
    }
    like
}

/// A pattern of GLOB as a regular expression.
fn expression_of(pattern: &str) -> TranslateResult<String> {
    let mut expression = String::from("^");
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '*' => expression.push_str(".*"),
            '?' => expression.push('.'),
            '[' => set_of(&mut letters, &mut expression)?,
            plain if plain.is_ascii_alphanumeric() || !plain.is_ascii() || plain == ' ' => {
                expression.push(plain);
            }
            sign => {
                expression.push('\\');
                expression.push(sign);
            }
        }
    }
    expression.push('$');
    Ok(expression)
}

/// A set of letters, of which the opening bracket is behind us.
fn set_of(letters: &mut std::str::Chars<'_>, expression: &mut String) -> TranslateResult<()> {
    let content: String = letters
        .by_ref()
        .take_while(|letter| *letter != ']')
        .collect();
    let (not, members) = match content.strip_prefix('^') {
        Some(members) => ("^", members),
        None => ("", content.as_str()),
    };
    let is_plain = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == ' ';
    if members.is_empty() || !members.chars().all(is_plain) {
        return Err(Untranslatable::construct("this set of letters in GLOB"));
    }
    expression.push_str(&format!("[{not}{members}]"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_are_patterns_of_postgres() {
        assert_eq!(like_of("a*_?"), "a%\\__");
        assert_eq!(expression_of("[a-c]x*.?").unwrap(), "^[a-c]x.*\\..$");
        assert_eq!(expression_of("[^0-9]").unwrap(), "^[^0-9]$");
        assert!(expression_of("[]]").is_err());
    }
}
