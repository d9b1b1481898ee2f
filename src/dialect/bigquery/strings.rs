//! BigQuery's functions of texts.
//!
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions>

use crate::rules::{ArgumentType, BOOL, FunctionRule, INTEGER, TEXT, by, plain, template};
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::literal;
use crate::translator::shared_functions::numbers::never_negative;
use crate::translator::shared_functions::regexp::{RegexpUse, groups, pattern, replacement};
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

const DOC: &str = "https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions";

/// All but regular expressions.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    plain("upper", (1, 1), "upper", &[ArgumentType::Text], TEXT, DOC, "UPPER(s)", "upper(s)"),
    plain("lower", (1, 1), "lower", &[ArgumentType::Text], TEXT, DOC, "LOWER(s)", "lower(s)"),
    plain("length", (1, 1), "length", &[ArgumentType::Text], INTEGER, DOC, "LENGTH(s)", "length(s)"),
    plain("char_length", (1, 1), "length", &[ArgumentType::Text], INTEGER, DOC, "CHAR_LENGTH(s)", "length(s) AS char_length"),
    plain("character_length", (1, 1), "length", &[ArgumentType::Text], INTEGER, DOC, "CHARACTER_LENGTH(s)", "length(s) AS character_length"),
    plain("byte_length", (1, 1), "octet_length", &[ArgumentType::Text], INTEGER, DOC, "BYTE_LENGTH(s)", "octet_length(s) AS byte_length"),
    plain("strpos", (2, 2), "strpos", &[ArgumentType::Text], INTEGER, DOC, "STRPOS(s, '@')", "strpos(s, '@')"),
    plain("instr", (2, 2), "strpos", &[ArgumentType::Text], INTEGER, DOC, "INSTR(s, '@')", "strpos(s, '@') AS instr"),
    plain("starts_with", (2, 2), "starts_with", &[ArgumentType::Text], BOOL, DOC, "STARTS_WITH(s, 'a')", "starts_with(s, 'a')"),
    template("ends_with", (2, 2), "(right({1!}, length({2!})) = {2!})", &[ArgumentType::Text], BOOL, DOC, "ENDS_WITH(s, 'a')", "(right(s, length('a')) = 'a') AS ends_with"),
    plain("replace", (3, 3), "replace", &[ArgumentType::Text], TEXT, DOC, "REPLACE(s, 'a', 'b')", "replace(s, 'a', 'b')"),
    plain("reverse", (1, 1), "reverse", &[ArgumentType::Text], TEXT, DOC, "REVERSE(s)", "reverse(s)"),
    plain("repeat", (2, 2), "repeat", &[ArgumentType::Text, ArgumentType::Integer], TEXT, DOC, "REPEAT(s, 2)", "repeat(s, 2)"),
    plain("lpad", (2, 3), "lpad", &[ArgumentType::Text, ArgumentType::Integer, ArgumentType::Text], TEXT, DOC, "LPAD(s, 5, '0')", "lpad(s, 5, '0')"),
    plain("rpad", (2, 3), "rpad", &[ArgumentType::Text, ArgumentType::Integer, ArgumentType::Text], TEXT, DOC, "RPAD(s, 5)", "rpad(s, 5)"),
    plain("left", (2, 2), "left", &[ArgumentType::Text, ArgumentType::Integer], TEXT, DOC, "LEFT(s, 2)", "left(s, 2)"),
    plain("right", (2, 2), "right", &[ArgumentType::Text, ArgumentType::Integer], TEXT, DOC, "RIGHT(s, 2)", "right(s, 2)"),
    by("concat", (1, 99), concat, DOC, "CONCAT(s, '!')", "s || '!' AS concat"),
    by("trim", (1, 2), trim, DOC, "TRIM(s, '*')", "btrim(s, '*')"),
    by("ltrim", (1, 2), trim, DOC, "LTRIM(s, '*')", "ltrim(s, '*')"),
    by("rtrim", (1, 2), trim, DOC, "RTRIM(s, '*')", "rtrim(s, '*')"),
    by("substr", (2, 3), substr, DOC, "SUBSTR(s, -2)", "right(s, 2) AS \"substring\""),
    by("substring", (2, 3), substr, DOC, "SUBSTRING(s, 2, 2)", "substr(s, 2, 2) AS \"substring\""),
    by("contains_substr", (2, 2), contains, DOC, "CONTAINS_SUBSTR(s, 'Ab')", "(strpos(lower(s), 'ab') > 0) AS contains_substr"),
    by("split", (1, 2), split, DOC, "SPLIT('a b', ' ')", "string_to_array('a b', ' ') AS split"),
    by("initcap", (1, 1), initcap, DOC, "INITCAP('a b')", "initcap('a b')"),
    plain("ascii", (1, 1), "ascii", &[ArgumentType::Text], INTEGER, DOC, "ASCII(s)", "ascii(s)"),
    plain("chr", (1, 1), "chr", &[ArgumentType::Integer], TEXT, DOC, "CHR(n)", "chr(n)"),
];

/// Regular expressions.
#[rustfmt::skip]
pub const PATTERNS: &[FunctionRule] = &[
    by("regexp_contains", (2, 2), regexp_contains, DOC, "REGEXP_CONTAINS(s, r'^\\d')", "s ~ '^[0-9]' AS regexp_contains"),
    by("regexp_extract", (2, 2), regexp_extract, DOC, "REGEXP_EXTRACT(s, r'@(.+)')", "substring(s from '@(.+)') AS regexp_extract"),
    by("regexp_substr", (2, 2), regexp_extract, DOC, "REGEXP_SUBSTR(s, 'a+')", "substring(s from 'a+') AS regexp_substr"),
    by("regexp_extract_all", (2, 2), regexp_extract_all, DOC, "REGEXP_EXTRACT_ALL(s, 'a')", "ARRAY(SELECT (regexp_matches(s, 'a', 'g'))[1]) AS regexp_extract_all"),
    by("regexp_replace", (3, 3), regexp_replace, DOC, "REGEXP_REPLACE(s, 'a(b)', r'\\1')", "regexp_replace(s, 'a(b)', '\\1', 'g') AS regexp_replace"),
];

fn concat(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let mut parts = Vec::new();
    let mut not_null = true;
    for argument in &call.arguments {
        let mut part = translator.text(argument)?;
        if part.kind == SqlType::Null {
            part.text = "NULL::text".to_owned();
        }
        not_null &= part.not_null;
        parts.push(part.operand());
    }
    Ok(Translated::operation(parts.join(" || "), SqlType::Text).never_null(not_null))
}

/// Without letters to take away, all white space is.
fn trim(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let name = if call.name == "trim" {
        "btrim"
    } else {
        call.name.as_str()
    };
    let value = translator.text(call.argument(0)?)?;
    let letters = match call.arguments.get(1) {
        Some(letters) => translator.text(letters)?.text,
        None => literal::quoted(" \t\n\r\u{b}\u{c}"),
    };
    Ok(Translated::call(name, &[&value.text, &letters], SqlType::Text).never_null(value.not_null))
}

/// From a place, which counts from the end where it is negative; before the beginning is the
/// beginning.
fn substr(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.text(call.argument(0)?)?;
    let start = translator.integer(call.argument(1)?)?;
    let length = match call.arguments.get(2) {
        Some(length) => Some(translator.integer(length)?.text),
        None => None,
    };
    let text = match (start.small_integer(), length) {
        (Some(place), None) if place < 0 => {
            format!("right({}, {})", value.text, place.unsigned_abs())
        }
        (Some(place), Some(length)) if place < 0 => {
            let back = place.unsigned_abs().saturating_sub(1);
            let place = format!("GREATEST(length({}) - {back}, 1)", value.text);
            format!("substr({}, {place}, {length})", value.text)
        }
        (Some(place), None) => format!("substr({}, {})", value.text, place.max(1)),
        (Some(place), Some(length)) => {
            format!("substr({}, {}, {length})", value.text, place.max(1))
        }
        (None, _) if !never_negative(&start) => {
            return Err(
                Untranslatable::construct("SUBSTR with a place that may be negative")
                    .hint("count from the beginning, or take right()"),
            );
        }
        (None, None) => format!("substr({}, GREATEST({}, 1))", value.text, start.text),
        (None, Some(length)) => {
            format!(
                "substr({}, GREATEST({}, 1), {length})",
                value.text, start.text
            )
        }
    };
    Ok(Translated::primary(text, SqlType::Text).never_null(value.not_null && start.not_null))
}

/// Whatever the case of the letters.
fn contains(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.text(call.argument(0)?)?;
    let part = translator.value(call.argument(1)?)?;
    let Some(part) = part.text_literal().filter(|part| part.is_ascii()) else {
        return Err(call.refused().hint("write x ILIKE '%part%'"));
    };
    let part = literal::quoted(&part.to_ascii_lowercase());
    let text = format!("(strpos(lower({}), {part}) > 0)", value.text);
    Ok(Translated::primary(text, SqlType::Bool).never_null(value.not_null))
}

/// An apostrophe begins a word here, and none there.
fn initcap(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.text(call.argument(0)?)?;
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == ' ';
    match value.text_literal() {
        Some(content) if content.chars().all(is_plain) => {
            Ok(Translated::call("initcap", &[&value.text], SqlType::Text).never_null(true))
        }
        _ => Err(call
            .refused()
            .hint("initcap() of Postgres begins a word at an apostrophe too")),
    }
}

/// An empty text is one empty part there, and none here.
fn split(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.text(call.argument(0)?)?;
    let delimiter = match call.arguments.get(1) {
        Some(delimiter) => translator.value(delimiter)?,
        None => literal::text(","),
    };
    let delimiter = match delimiter.text_literal() {
        Some("") => "NULL".to_owned(),
        Some(_) => delimiter.text,
        None => return Err(Untranslatable::construct("SPLIT by a computed text")),
    };
    let parts = format!("string_to_array({}, {delimiter})", value.text);
    let text = match value.text_literal() {
        Some(content) if !content.is_empty() => parts,
        _ => format!(
            "CASE WHEN {} = '' THEN ARRAY[''] ELSE {parts} END",
            value.operand()
        ),
    };
    Ok(Translated {
        element: SqlType::Text,
        ..Translated::primary(text, SqlType::Array).never_null(value.not_null)
    })
}

fn expression(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
    wanted: RegexpUse,
) -> TranslateResult<(String, usize)> {
    call.plain()?;
    let given = translator.value(call.argument(1)?)?;
    let Some(given) = given.text_literal() else {
        return Err(Untranslatable::construct("a computed regular expression"));
    };
    Ok((literal::quoted(&pattern(given, wanted)?), groups(given)))
}

fn regexp_contains(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    let value = translator.text(call.argument(0)?)?;
    let (pattern, _) = expression(translator, call, RegexpUse::Presence)?;
    let text = format!("{} ~ {pattern}", value.operand());
    Ok(Translated::operation(text, SqlType::Bool).never_null(value.not_null))
}

fn regexp_extract(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    let value = translator.text(call.argument(0)?)?;
    let (pattern, groups) = expression(translator, call, RegexpUse::Text)?;
    if groups > 1 {
        return Err(Untranslatable::construct(
            "a regular expression of several groups",
        ));
    }
    let text = format!("substring({} from {pattern})", value.text);
    Ok(Translated::primary(text, SqlType::Text))
}

fn regexp_extract_all(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    let value = translator.text(call.argument(0)?)?;
    let (pattern, groups) = expression(translator, call, RegexpUse::Text)?;
    if groups > 1 {
        return Err(Untranslatable::construct(
            "a regular expression of several groups",
        ));
    }
    let text = format!(
        "ARRAY(SELECT (regexp_matches({}, {pattern}, 'g'))[1])",
        value.text
    );
    Ok(Translated {
        element: SqlType::Text,
        ..Translated::primary(text, SqlType::Array)
    })
}

/// Everywhere.
fn regexp_replace(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    let value = translator.text(call.argument(0)?)?;
    let (pattern, _) = expression(translator, call, RegexpUse::Text)?;
    let with = translator.value(call.argument(2)?)?;
    let Some(with) = with.text_literal() else {
        return Err(Untranslatable::construct("a computed replacement"));
    };
    let with = literal::quoted(&replacement(with)?);
    let text = format!("regexp_replace({}, {pattern}, {with}, 'g')", value.text);
    Ok(Translated::primary(text, SqlType::Text).never_null(value.not_null))
}
