//! MySQL's regular expressions, which do not tell letters apart.
//!
//! Only what both engines read alike is translated: a pattern that is a literal, without escapes
//! that mean something else in the other.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/regexp.html>

use sqlparser::ast::Expr;

use crate::dialect::source::{Rule, Write};
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::literal;
use crate::dialect::translator::translated::{Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

const REGEXP: &str = "https://dev.mysql.com/doc/refman/8.0/en/regexp.html";

/// The table.
pub const RULES: &[Rule] = &[
    Rule {
        name: "regexp_like",
        arguments: (2, 3),
        write: Write::By(like),
        doc: REGEXP,
        case: (
            "REGEXP_LIKE(s, '^a')",
            "CAST(s ~* '^a' AS integer) AS regexp_like",
        ),
    },
    Rule {
        name: "regexp_replace",
        arguments: (3, 3),
        write: Write::By(replace),
        doc: REGEXP,
        case: (
            "REGEXP_REPLACE(s, '[0-9]+', '#')",
            "regexp_replace(s, '[0-9]+', '#', 'gi')",
        ),
    },
    Rule {
        name: "regexp_substr",
        arguments: (2, 2),
        write: Write::By(substr),
        doc: REGEXP,
        case: (
            "REGEXP_SUBSTR(s, '[a-z]+')",
            "substring(s from '(?i)([a-z]+)') AS regexp_substr",
        ),
    },
];

/// `s REGEXP p`
pub fn matches(
    writer: &mut Writer<'_>,
    subject: &Expr,
    pattern: &Expr,
    negated: bool,
) -> Outcome<Written> {
    let subject = writer.text(subject)?;
    let pattern = pattern_of(writer, pattern)?;
    let operator = if negated { "!~*" } else { "~*" };
    Ok(matched(&subject, operator, &pattern))
}

fn matched(subject: &Written, operator: &str, pattern: &str) -> Written {
    let pattern = literal::quoted(pattern);
    let text = format!("{} {operator} {pattern}", subject.atom());
    Written::operation(text, Kind::Bool).never_null(subject.not_null)
}

fn like(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let subject = writer.text(call.argument(0)?)?;
    let pattern = pattern_of(writer, call.argument(1)?)?;
    let operator = match call.arguments.get(2) {
        None => "~*",
        Some(flags) => match writer.value(flags)?.text_literal() {
            Some("c") => "~",
            Some("i") => "~*",
            _ => return Err(call.refused()),
        },
    };
    Ok(matched(&subject, operator, &pattern))
}

fn replace(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let subject = writer.text(call.argument(0)?)?;
    let pattern = pattern_of(writer, call.argument(1)?)?;
    let replacement = writer.text(call.argument(2)?)?;
    let plain = (replacement.text_literal()).is_some_and(|text| !text.contains(['\\', '$']));
    if !plain {
        return Err(call
            .refused()
            .hint("its replacement has to be a literal without \\ and $"));
    }
    Ok(Written::call(
        "regexp_replace",
        &[
            &subject.text,
            &literal::quoted(&pattern),
            &replacement.text,
            "'gi'",
        ],
        Kind::Text,
    )
    .never_null(subject.not_null))
}

fn substr(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let subject = writer.text(call.argument(0)?)?;
    let pattern = pattern_of(writer, call.argument(1)?)?;
    let pattern = literal::quoted(&format!("(?i)({pattern})"));
    let text = format!("substring({} from {pattern})", subject.text);
    Ok(Written::tight(text, Kind::Text))
}

/// A pattern as Postgres writes it.
fn pattern_of(writer: &mut Writer<'_>, pattern: &Expr) -> Outcome<String> {
    let pattern = writer.value(pattern)?;
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
