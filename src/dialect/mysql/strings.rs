//! MySQL's functions on texts.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/string-functions.html>

use crate::rules::{ArgumentType, FunctionRule, INTEGER, TEXT, by, plain, template};
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

const TEXTS: &str = "https://dev.mysql.com/doc/refman/8.0/en/string-functions.html";
const CRYPT: &str = "https://dev.mysql.com/doc/refman/8.0/en/encryption-functions.html";

/// The table.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("concat", (1, 64), concat, TEXTS, "CONCAT(s, '-', id)", "s || '-' || CAST(id AS text) AS concat"),
    plain("concat_ws", (2, 64), "concat_ws", &[ArgumentType::Text], TEXT, TEXTS, "CONCAT_WS(',', s, n)", "concat_ws(',', s, CAST(n AS text))"),
    plain("upper", (1, 1), "upper", &[ArgumentType::Text], TEXT, TEXTS, "UPPER(s)", "upper(s)"),
    plain("ucase", (1, 1), "upper", &[ArgumentType::Text], TEXT, TEXTS, "UCASE(s)", "upper(s) AS ucase"),
    plain("lower", (1, 1), "lower", &[ArgumentType::Text], TEXT, TEXTS, "LOWER(s)", "lower(s)"),
    plain("lcase", (1, 1), "lower", &[ArgumentType::Text], TEXT, TEXTS, "LCASE(s)", "lower(s) AS lcase"),
    plain("length", (1, 1), "octet_length", &[ArgumentType::Text], INTEGER, TEXTS, "LENGTH(s)", "octet_length(s) AS length"),
    plain("octet_length", (1, 1), "octet_length", &[ArgumentType::Text], INTEGER, TEXTS, "OCTET_LENGTH(s)", "octet_length(s)"),
    plain("bit_length", (1, 1), "bit_length", &[ArgumentType::Text], INTEGER, TEXTS, "BIT_LENGTH(s)", "bit_length(s)"),
    plain("char_length", (1, 1), "char_length", &[ArgumentType::Text], INTEGER, TEXTS, "CHAR_LENGTH(s)", "char_length(s)"),
    plain("character_length", (1, 1), "char_length", &[ArgumentType::Text], INTEGER, TEXTS, "CHARACTER_LENGTH(s)", "char_length(s) AS character_length"),
    plain("reverse", (1, 1), "reverse", &[ArgumentType::Text], TEXT, TEXTS, "REVERSE(s)", "reverse(s)"),
    plain("replace", (3, 3), "replace", &[ArgumentType::Text], TEXT, TEXTS, "REPLACE(s, 'a', 'b')", "replace(s, 'a', 'b')"),
    plain("repeat", (2, 2), "repeat", &[ArgumentType::Text, ArgumentType::Integer], TEXT, TEXTS, "REPEAT(s, 3)", "repeat(s, 3)"),
    plain("ltrim", (1, 1), "ltrim", &[ArgumentType::Text], TEXT, TEXTS, "LTRIM(s)", "ltrim(s)"),
    plain("rtrim", (1, 1), "rtrim", &[ArgumentType::Text], TEXT, TEXTS, "RTRIM(s)", "rtrim(s)"),
    plain("md5", (1, 1), "md5", &[ArgumentType::Text], TEXT, TEXTS, "MD5(s)", "md5(s)"),
    template("space", (1, 1), "repeat(' ', {1!})", &[ArgumentType::Integer], TEXT, TEXTS, "SPACE(3)", "repeat(' ', 3) AS space"),
    template("ascii", (1, 1), "CASE WHEN {1!} = '' THEN 0 ELSE get_byte(convert_to({1!}, 'UTF8'), 0) END", &[ArgumentType::Text], INTEGER, TEXTS, "ASCII(s)", "CASE WHEN s = '' THEN 0 ELSE get_byte(convert_to(s, 'UTF8'), 0) END AS ascii"),
    by("sha2", (2, 2), sha2, CRYPT, "SHA2(s, 256)", "encode(sha256(convert_to(s, 'UTF8')), 'hex') AS sha2"),
    by("hex", (1, 1), hex, TEXTS, "HEX(n)", "upper(to_hex(CAST(n AS bigint))) AS hex"),
    by("lpad", (3, 3), padded, CRYPT, "LPAD(s, 5, '0')", "lpad(s, 5, '0')"),
    by("rpad", (3, 3), padded, CRYPT, "RPAD(s, 5, '0')", "rpad(s, 5, '0')"),
    by("format", (2, 2), format, TEXTS, "FORMAT(q, 1)", "to_char(round(q, 1), 'FM999,999,999,999,999,999,990.0') AS format"),
    by("field", (2, 64), field, TEXTS, "FIELD(n, 3, 1)", "CASE WHEN n = 3 THEN 1 WHEN n = 1 THEN 2 ELSE 0 END AS field"),
    by("elt", (2, 64), elt, TEXTS, "ELT(n, 'a', 'b')", "CASE n WHEN 1 THEN 'a' WHEN 2 THEN 'b' END AS elt"),
];

/// CONCAT is NULL where any argument is, unlike Postgres's.
fn concat(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let mut parts = Vec::new();
    let mut not_null = true;
    for argument in &call.arguments {
        let part = translator.text(argument)?;
        not_null &= part.not_null;
        parts.push(part.operand());
    }
    if let [only] = parts.as_slice() {
        return Ok(Translated::primary(only.clone(), SqlType::Text).never_null(not_null));
    }
    Ok(Translated::compound(parts.join(" || "), SqlType::Text).never_null(not_null))
}

fn sha2(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let subject = translator.text(call.argument(0)?)?;
    let length = translator.value(call.argument(1)?)?;
    let function = match length.small_integer() {
        Some(0 | 256) => "sha256",
        Some(224) => "sha224",
        Some(384) => "sha384",
        Some(512) => "sha512",
        _ => return Err(call.refused()),
    };
    let text = format!(
        "encode({function}(convert_to({}, 'UTF8')), 'hex')",
        subject.text
    );
    Ok(Translated::primary(text, SqlType::Text).never_null(subject.not_null))
}

fn hex(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.value(call.argument(0)?)?;
    let text = match value.kind {
        SqlType::Integer => format!("upper(to_hex(CAST({} AS bigint)))", value.text),
        SqlType::Text | SqlType::Null => {
            format!("upper(encode(convert_to({}, 'UTF8'), 'hex'))", value.text)
        }
        _ => return Err(untyped(&value, "a whole number or a text")),
    };
    Ok(Translated::primary(text, SqlType::Text).never_null(value.not_null))
}

fn padded(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let subject = translator.text(call.argument(0)?)?;
    let length = translator.integer(call.argument(1)?)?;
    let padding = translator.text(call.argument(2)?)?;
    let fine = length.small_integer().is_some_and(|length| length >= 0)
        && padding.text_literal().is_some_and(|text| !text.is_empty());
    if !fine {
        return Err(call
            .refused()
            .hint("its length and its padding have to be literals"));
    }
    Ok(Translated::call(
        &call.name,
        &[&subject.text, &length.text, &padding.text],
        SqlType::Text,
    )
    .never_null(subject.not_null))
}

/// FORMAT(x, d): rounded, with commas. What rounds to nothing has no sign, which `to_char` keeps.
fn format(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.number(call.argument(0)?)?;
    let places = translator.value(call.argument(1)?)?;
    if !matches!(number.kind, SqlType::Integer | SqlType::Decimal) {
        return Err(untyped(&number, "an exact number"));
    }
    let places = match places.small_integer().map(usize::try_from) {
        Some(Ok(places)) if places <= 10 => places,
        _ => return Err(call.refused()),
    };
    let zeros = "0".repeat(places);
    let rounded = match number.kind {
        SqlType::Decimal => format!("round({}, {places})", number.text),
        _ => number.text,
    };
    let point = if zeros.is_empty() { "" } else { "." };
    let pattern = format!("'FM999,999,999,999,999,999,990{point}{zeros}'");
    Ok(
        Translated::call("to_char", &[&rounded, &pattern], SqlType::Text)
            .never_null(number.not_null),
    )
}

/// FIELD(x, a, b): the place of the first that equals x, 0 for none and for NULL.
fn field(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.value(call.argument(0)?)?;
    let mut text = String::from("CASE");
    for (place, argument) in call.arguments.iter().enumerate().skip(1) {
        let other = translator.value(argument)?;
        let equal = translator.equal(&value, &other)?;
        text.push_str(&format!(" WHEN {} THEN {place}", equal.text));
    }
    text.push_str(" ELSE 0 END");
    Ok(Translated::primary(text, SqlType::Integer).never_null(true))
}

/// ELT(n, a, b): the nth.
fn elt(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.integer(call.argument(0)?)?;
    let mut text = format!("CASE {}", number.operand());
    for (place, argument) in call.arguments.iter().enumerate().skip(1) {
        let value = translator.text(argument)?;
        text.push_str(&format!(" WHEN {place} THEN {}", value.text));
    }
    text.push_str(" END");
    Ok(Translated::primary(text, SqlType::Text))
}
