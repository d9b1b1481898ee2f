//! MySQL's functions on texts.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/string-functions.html>

use crate::dialect::source::{
    ArgumentType, FunctionRule, FunctionTranslation, ReturnType, untyped,
};
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::translated::{SqlType, Translated};
use crate::dialect::translator::untranslatable::TranslateResult;

const TEXTS: &str = "https://dev.mysql.com/doc/refman/8.0/en/string-functions.html";
const CRYPT: &str = "https://dev.mysql.com/doc/refman/8.0/en/encryption-functions.html";
const TEXT: ReturnType = ReturnType::Kind(SqlType::Text);
const WHOLE: ReturnType = ReturnType::Kind(SqlType::Integer);

/// The table.
pub const RULES: &[FunctionRule] = &[
    by(
        "concat",
        (1, 64),
        concat,
        (
            "CONCAT(s, '-', id)",
            "s || '-' || CAST(id AS text) AS concat",
        ),
    ),
    plain(
        "concat_ws",
        "concat_ws",
        (2, 64),
        &[ArgumentType::Text],
        TEXT,
        ("CONCAT_WS(',', s, n)", "concat_ws(',', s, CAST(n AS text))"),
    ),
    plain(
        "upper",
        "upper",
        (1, 1),
        &[ArgumentType::Text],
        TEXT,
        ("UPPER(s)", "upper(s)"),
    ),
    plain(
        "ucase",
        "upper",
        (1, 1),
        &[ArgumentType::Text],
        TEXT,
        ("UCASE(s)", "upper(s) AS ucase"),
    ),
    plain(
        "lower",
        "lower",
        (1, 1),
        &[ArgumentType::Text],
        TEXT,
        ("LOWER(s)", "lower(s)"),
    ),
    plain(
        "lcase",
        "lower",
        (1, 1),
        &[ArgumentType::Text],
        TEXT,
        ("LCASE(s)", "lower(s) AS lcase"),
    ),
    plain(
        "length",
        "octet_length",
        (1, 1),
        &[ArgumentType::Text],
        WHOLE,
        ("LENGTH(s)", "octet_length(s) AS length"),
    ),
    plain(
        "octet_length",
        "octet_length",
        (1, 1),
        &[ArgumentType::Text],
        WHOLE,
        ("OCTET_LENGTH(s)", "octet_length(s)"),
    ),
    plain(
        "bit_length",
        "bit_length",
        (1, 1),
        &[ArgumentType::Text],
        WHOLE,
        ("BIT_LENGTH(s)", "bit_length(s)"),
    ),
    plain(
        "char_length",
        "char_length",
        (1, 1),
        &[ArgumentType::Text],
        WHOLE,
        ("CHAR_LENGTH(s)", "char_length(s)"),
    ),
    plain(
        "character_length",
        "char_length",
        (1, 1),
        &[ArgumentType::Text],
        WHOLE,
        ("CHARACTER_LENGTH(s)", "char_length(s) AS character_length"),
    ),
    plain(
        "reverse",
        "reverse",
        (1, 1),
        &[ArgumentType::Text],
        TEXT,
        ("REVERSE(s)", "reverse(s)"),
    ),
    plain(
        "replace",
        "replace",
        (3, 3),
        &[ArgumentType::Text],
        TEXT,
        ("REPLACE(s, 'a', 'b')", "replace(s, 'a', 'b')"),
    ),
    plain(
        "repeat",
        "repeat",
        (2, 2),
        &[ArgumentType::Text, ArgumentType::Integer],
        TEXT,
        ("REPEAT(s, 3)", "repeat(s, 3)"),
    ),
    plain(
        "ltrim",
        "ltrim",
        (1, 1),
        &[ArgumentType::Text],
        TEXT,
        ("LTRIM(s)", "ltrim(s)"),
    ),
    plain(
        "rtrim",
        "rtrim",
        (1, 1),
        &[ArgumentType::Text],
        TEXT,
        ("RTRIM(s)", "rtrim(s)"),
    ),
    plain(
        "md5",
        "md5",
        (1, 1),
        &[ArgumentType::Text],
        TEXT,
        ("MD5(s)", "md5(s)"),
    ),
    FunctionRule {
        name: "space",
        arguments: (1, 1),
        write: FunctionTranslation::Template("repeat(' ', {0})", &[ArgumentType::Integer], TEXT),
        doc: TEXTS,
        case: ("SPACE(3)", "repeat(' ', 3) AS space"),
    },
    FunctionRule {
        name: "ascii",
        arguments: (1, 1),
        write: FunctionTranslation::Template(
            "CASE WHEN {0} = '' THEN 0 ELSE get_byte(convert_to({0}, 'UTF8'), 0) END",
            &[ArgumentType::Text],
            WHOLE,
        ),
        doc: TEXTS,
        case: (
            "ASCII(s)",
            "CASE WHEN s = '' THEN 0 ELSE get_byte(convert_to(s, 'UTF8'), 0) END AS ascii",
        ),
    },
    by(
        "sha2",
        (2, 2),
        sha2,
        (
            "SHA2(s, 256)",
            "encode(sha256(convert_to(s, 'UTF8')), 'hex') AS sha2",
        ),
    ),
    by(
        "hex",
        (1, 1),
        hex,
        ("HEX(n)", "upper(to_hex(CAST(n AS bigint))) AS hex"),
    ),
    by(
        "lpad",
        (3, 3),
        padded,
        ("LPAD(s, 5, '0')", "lpad(s, 5, '0')"),
    ),
    by(
        "rpad",
        (3, 3),
        padded,
        ("RPAD(s, 5, '0')", "rpad(s, 5, '0')"),
    ),
    by(
        "format",
        (2, 2),
        format,
        (
            "FORMAT(q, 1)",
            "to_char(q, 'FM999,999,999,999,999,999,990.0') AS format",
        ),
    ),
];

const fn plain(
    name: &'static str,
    own: &'static str,
    arguments: (usize, usize),
    takes: &'static [ArgumentType],
    returns: ReturnType,
    case: (&'static str, &'static str),
) -> FunctionRule {
    FunctionRule {
        name,
        arguments,
        write: FunctionTranslation::Plain(own, takes, returns),
        doc: TEXTS,
        case,
    }
}

const fn by(
    name: &'static str,
    arguments: (usize, usize),
    write: fn(&mut Translator<'_>, &SourceCall<'_>) -> TranslateResult<Translated>,
    case: (&'static str, &'static str),
) -> FunctionRule {
    FunctionRule {
        name,
        arguments,
        write: FunctionTranslation::By(write),
        doc: if name.len() == 4 { CRYPT } else { TEXTS },
        case,
    }
}

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

/// FORMAT(x, d): rounded, with commas.
fn format(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.number(call.argument(0)?)?;
    let places = translator.value(call.argument(1)?)?;
    if !matches!(number.kind, SqlType::Integer | SqlType::Decimal) {
        return Err(untyped(&number, "an exact number"));
    }
    let zeros = match places.small_integer().map(usize::try_from) {
        Some(Ok(places)) if places <= 10 => "0".repeat(places),
        _ => return Err(call.refused()),
    };
    let point = if zeros.is_empty() { "" } else { "." };
    let pattern = format!("'FM999,999,999,999,999,999,990{point}{zeros}'");
    Ok(
        Translated::call("to_char", &[&number.text, &pattern], SqlType::Text)
            .never_null(number.not_null),
    )
}
