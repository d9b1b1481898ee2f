//! Literals, decoded as the source dialect means them and printed by us.

use sqlparser::ast::Value;

use super::translated::{NAMELESS, Translated, TranslatedForm};
use super::untranslatable::{TranslateResult, Untranslatable};
use crate::source::{BackslashEscapes, DoubleQuoted, SourceDialect};
use crate::sql_type::SqlType;

/// A literal; none where a double-quoted string is a name.
pub fn written(value: &Value, source: &dyn SourceDialect) -> TranslateResult<Option<Translated>> {
    let semantics = source.semantics();
    if let Some((raw, backslash)) = source.string(value) {
        // Their quotes are not doubled in them.
        return decode(raw, '\0', backslash).map(|content| Some(text(&content)));
    }
    Ok(Some(match value {
        Value::Number(digits, false) => number(digits)?,
        Value::SingleQuotedString(raw) => text(&decode(raw, '\'', semantics.backslash)?),
        Value::DoubleQuotedString(raw) => match semantics.double_quoted {
            DoubleQuoted::Text => text(&decode(raw, '"', semantics.backslash)?),
            DoubleQuoted::Name | DoubleQuoted::NameOrText => return Ok(None),
        },
        Value::NationalStringLiteral(raw) => text(&decode(raw, '\'', semantics.backslash)?),
        Value::Boolean(truth) => boolean(*truth),
        Value::Null => null(),
        Value::HexStringLiteral(_) => return Err(Untranslatable::construct("a hex literal")),
        _ => return Err(Untranslatable::construct("this kind of literal")),
    }))
}

/// A string literal of this content, as a standard-conforming literal.
pub fn text(content: &str) -> Translated {
    Translated {
        form: TranslatedForm::TextLiteral(content.to_owned()),
        name: Some(NAMELESS.to_owned()),
        ..Translated::primary(quoted(content), SqlType::Text).never_null(true)
    }
}

/// The text of a string literal. Content with a NUL never comes here ([`decode`]).
pub fn quoted(content: &str) -> String {
    format!("'{}'", content.replace('\'', "''"))
}

/// A number literal, checked to be digits and no more.
pub fn number(digits: &str) -> TranslateResult<Translated> {
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (digits, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let all_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let exponent_fits = exponent.is_none_or(|exponent| {
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !unsigned.is_empty() && unsigned.len() <= 3 && all_digits(unsigned)
    });
    let has_digits = !whole.is_empty() || fraction.is_some_and(|part| !part.is_empty());
    if !all_digits(whole) || !fraction.is_none_or(all_digits) || !exponent_fits || !has_digits {
        return Err(Untranslatable::construct("this form of a number"));
    }
    let (text, kind) = match (exponent, fraction) {
        (Some(_), _) => (
            format!("CAST({digits} AS double precision)"),
            SqlType::Float,
        ),
        (None, Some(_)) => (digits.to_owned(), SqlType::Decimal),
        (None, None) => (digits.to_owned(), SqlType::Integer),
    };
    Ok(Translated {
        form: TranslatedForm::NumberLiteral(digits.to_owned()),
        name: Some(NAMELESS.to_owned()),
        ..Translated::primary(text, kind).never_null(true)
    })
}

/// TRUE or FALSE.
pub fn boolean(truth: bool) -> Translated {
    Translated {
        form: TranslatedForm::BoolLiteral(truth),
        name: Some("bool".to_owned()),
        ..Translated::primary(if truth { "TRUE" } else { "FALSE" }, SqlType::Bool).never_null(true)
    }
}

/// NULL.
pub fn null() -> Translated {
    Translated {
        form: TranslatedForm::NullLiteral,
        name: Some(NAMELESS.to_owned()),
        ..Translated::primary("NULL", SqlType::Null)
    }
}

/// What a string literal holds: doubled quotes are one, and escapes stand for what they stand for.
pub fn decode(raw: &str, quote: char, backslash: BackslashEscapes) -> TranslateResult<String> {
    let mut content = String::with_capacity(raw.len());
    let mut letters = raw.chars();
    while let Some(letter) = letters.next() {
        if letter == quote {
            // The lexer ends a literal at a single one: here there are two.
            letters.next();
            content.push(quote);
        } else if letter == '\\' && backslash != BackslashEscapes::Plain {
            let escaped = letters.next().unwrap_or('\\');
            escape(escaped, backslash, &mut letters, &mut content)?;
        } else {
            content.push(letter);
        }
    }
    if content.contains('\0') {
        return Err(Untranslatable::construct("a string with a zero byte"));
    }
    Ok(content)
}

fn escape(
    escaped: char,
    backslash: BackslashEscapes,
    letters: &mut std::str::Chars<'_>,
    content: &mut String,
) -> TranslateResult<()> {
    let plain = match (escaped, backslash) {
        ('n', _) => '\n',
        ('r', _) => '\r',
        ('t', _) => '\t',
        ('b', _) => '\u{8}',
        ('0', BackslashEscapes::Mysql) => '\0',
        ('Z', BackslashEscapes::Mysql) => '\u{1a}',
        ('%' | '_', BackslashEscapes::Mysql) => {
            content.push('\\');
            escaped
        }
        ('a', BackslashEscapes::C) => '\u{7}',
        ('f', BackslashEscapes::C) => '\u{c}',
        ('v', BackslashEscapes::C) => '\u{b}',
        ('x' | 'X', BackslashEscapes::C) => coded(letters, 2)?,
        ('u', BackslashEscapes::C) => coded(letters, 4)?,
        ('U', BackslashEscapes::C) => coded(letters, 8)?,
        ('0'..='9', BackslashEscapes::C) => {
            return Err(Untranslatable::construct("an octal escape in a string"));
        }
        (other, _) => other,
    };
    content.push(plain);
    Ok(())
}

/// A character written as so many hex digits.
fn coded(letters: &mut std::str::Chars<'_>, count: usize) -> TranslateResult<char> {
    let digits: String = letters.take(count).collect();
    u32::from_str_radix(&digits, 16)
        .ok()
        .filter(|_| digits.len() == count)
        .and_then(char::from_u32)
        .ok_or_else(|| Untranslatable::construct("an escape in a string"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_decoded_and_printed_anew() {
        for (raw, backslash, wanted) in [
            ("a''b", BackslashEscapes::Plain, "'a''b'"),
            (r"a\'b", BackslashEscapes::Mysql, "'a''b'"),
            (r"\\", BackslashEscapes::Mysql, r"'\'"),
            (r"\a\f\n", BackslashEscapes::Mysql, "'af\n'"),
            (r"\%\_", BackslashEscapes::Mysql, r"'\%\_'"),
            (r"\n", BackslashEscapes::Plain, r"'\n'"),
            (r"\x41\u00e9", BackslashEscapes::C, "'Aé'"),
        ] {
            let content = decode(raw, '\'', backslash).unwrap();
            assert_eq!(text(&content).text, wanted);
        }
        assert_eq!(
            decode(r#"a""b"#, '"', BackslashEscapes::Mysql).unwrap(),
            "a\"b"
        );
        assert!(decode(r"\0", '\'', BackslashEscapes::Mysql).is_err());
    }

    #[test]
    fn numbers_are_digits() {
        for good in ["1", "1.5", ".5", "1.", "1e5", "1.5E-3"] {
            assert!(number(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "1a", "1e", "1e1234", "1_0", "0x1f", "1.2.3"] {
            assert!(number(bad).is_err(), "{bad}");
        }
    }
}
