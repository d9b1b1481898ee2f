//! MySQL's regular expressions, which do not tell letters apart.
//!
//! Only what both engines read alike is translated: a pattern that is a literal, without escapes
//! that mean something else in the other.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/regexp.html>

use sqlparser::ast::Expr;

use crate::rules::{FunctionRule, by};
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::literal;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

const REGEXP: &str = "https://dev.mysql.com/doc/refman/8.0/en/regexp.html";

/// The table.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("regexp_like", (2, 3), like, REGEXP, "REGEXP_LIKE(s, '^a')", "CAST(s ~* '^a' AS integer) AS regexp_like"),
    by("regexp_replace", (3, 3), replace, REGEXP, "REGEXP_REPLACE(s, '[0-9]+', '#')", "regexp_replace(s, '[0-9]+', '#', 'gi')"),
    by("regexp_substr", (2, 2), substr, REGEXP, "REGEXP_SUBSTR(s, '[a-z]+')", "substring(s from '(?i)([a-z]+)') AS regexp_substr"),
];

/// `s REGEXP p`
pub fn matches(
    translator: &mut Translator<'_>,
    subject: &Expr,
    pattern: &Expr,
    negated: bool,
) -> TranslateResult<Translated> {
    let subject = translator.text(subject)?;
    let pattern = pattern_of(translator, pattern)?;
    let operator = if negated { "!~*" } else { "~*" };
    Ok(matched(&subject, operator, &pattern))
}

fn matched(subject: &Translated, operator: &str, pattern: &str) -> Translated {
    let pattern = literal::quoted(pattern);
    let text = format!("{} {operator} {pattern}", subject.operand());
    Translated::operation(text, SqlType::Bool).never_null(subject.not_null)
}

fn like(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let subject = translator.text(call.argument(0)?)?;
    let pattern = pattern_of(translator, call.argument(1)?)?;
    let operator = match call.arguments.get(2) {
        None => "~*",
        Some(flags) => match translator.value(flags)?.text_literal() {
            Some("c") => "~",
            Some("i") => "~*",
            _ => return Err(call.refused()),
        },
    };
    Ok(matched(&subject, operator, &pattern))
}

fn replace(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let subject = translator.text(call.argument(0)?)?;
    let pattern = pattern_of(translator, call.argument(1)?)?;
    let replacement = translator.text(call.argument(2)?)?;
    let plain = (replacement.text_literal()).is_some_and(|text| !text.contains(['\\', '$']));
    if !plain {
        return Err(call
            .refused()
            .hint("its replacement has to be a literal without \\ and $"));
    }
    Ok(Translated::call(
        "regexp_replace",
        &[
            &subject.text,
            &literal::quoted(&pattern),
            &replacement.text,
            "'gi'",
        ],
        SqlType::Text,
    )
    .never_null(subject.not_null))
}

fn substr(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let subject = translator.text(call.argument(0)?)?;
    let pattern = pattern_of(translator, call.argument(1)?)?;
    let pattern = literal::quoted(&format!("(?i)({pattern})"));
    let text = format!("substring({} from {pattern})", subject.text);
    Ok(Translated::primary(text, SqlType::Text))
}

/// A pattern as Postgres writes it.
fn pattern_of(translator: &mut Translator<'_>, pattern: &Expr) -> TranslateResult<String> {
    let pattern = translator.value(pattern)?;
    let translated = pattern.text_literal().and_then(translated);
    translated.ok_or_else(|| {
        Untranslatable::construct("this regular expression")
            .hint("it has to be a literal of what both engines read alike")
    })
}

fn translated(pattern: &str) -> Option<String> {
    let strange = pattern.is_empty()
        || pattern.starts_with("***")
        || pattern.contains("(?") && !pattern.contains("(?:")
        || pattern.contains("[[")
        || pattern.contains("&&")
        || pattern.contains("++")
        || pattern.contains("*+")
        || pattern.contains("?+");
    if strange {
        return None;
    }
    let mut text = String::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        text.push(letter);
        if letter != '\\' {
            continue;
        }
        match letters.next()? {
            // A word's edge.
            'b' => text.push('y'),
            'B' => text.push('Y'),
            same @ ('d' | 'D' | 'w' | 'W' | 's' | 'S' | 'n' | 't' | 'r') => text.push(same),
            sign if !sign.is_alphanumeric() => text.push(sign),
            _ => return None,
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_both_read_alike_is_translated() {
        for (pattern, wanted) in [
            ("^a.*b$", Some("^a.*b$")),
            (r"\bcat\b", Some(r"\ycat\y")),
            (r"\d{3}\.", Some(r"\d{3}\.")),
            ("(?:a|b)", Some("(?:a|b)")),
            ("(?<=a)b", None),
            ("[[:<:]]a", None),
            (r"\p{L}", None),
            (r"(a)\1", None),
        ] {
            assert_eq!(translated(pattern).as_deref(), wanted, "{pattern}");
        }
    }
}
