//! Functions of texts of Snowflake and DuckDB.
//!
//! <https://docs.snowflake.com/en/sql-reference/functions-string>

use super::dates::pattern_of;
use crate::dialect::rules::{ArgumentType, BOOL, FunctionRule, INTEGER, TEXT, by, plain, template};
use crate::dialect::sql_type::SqlType;
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::literal;
use crate::dialect::translator::shared_functions::regexp::{RegexpUse, pattern};
use crate::dialect::translator::translated::Translated;
use crate::dialect::translator::untranslatable::TranslateResult;

const DOC: &str = "https://docs.snowflake.com/en/sql-reference/functions-string";

/// What both have.
#[rustfmt::skip]
pub const SHARED_RULES: &[FunctionRule] = &[
    plain("upper", (1, 1), "upper", &[ArgumentType::Text], TEXT, DOC, "UPPER(s)", "upper(s)"),
    plain("lower", (1, 1), "lower", &[ArgumentType::Text], TEXT, DOC, "LOWER(s)", "lower(s)"),
    plain("reverse", (1, 1), "reverse", &[ArgumentType::Text], TEXT, DOC, "REVERSE(s)", "reverse(s)"),
    plain("length", (1, 1), "length", &[ArgumentType::Text], INTEGER, DOC, "LENGTH(s)", "length(s)"),
    plain("trim", (1, 2), "btrim", &[ArgumentType::Text], TEXT, DOC, "TRIM(s)", "btrim(s)"),
    plain("ltrim", (1, 2), "ltrim", &[ArgumentType::Text], TEXT, DOC, "LTRIM(s)", "ltrim(s)"),
    plain("rtrim", (1, 2), "rtrim", &[ArgumentType::Text], TEXT, DOC, "RTRIM(s)", "rtrim(s)"),
    plain("replace", (3, 3), "replace", &[ArgumentType::Text], TEXT, DOC, "REPLACE(s, 'a', 'b')", "replace(s, 'a', 'b')"),
    plain("lpad", (3, 3), "lpad", &[ArgumentType::Text, ArgumentType::Integer, ArgumentType::Text], TEXT, DOC, "LPAD(s, 5, '0')", "lpad(s, 5, '0')"),
    plain("rpad", (3, 3), "rpad", &[ArgumentType::Text, ArgumentType::Integer, ArgumentType::Text], TEXT, DOC, "RPAD(s, 5, '0')", "rpad(s, 5, '0')"),
    plain("repeat", (2, 2), "repeat", &[ArgumentType::Text, ArgumentType::Integer], TEXT, DOC, "REPEAT(s, 2)", "repeat(s, 2)"),
    by("substr", (2, 3), part, DOC, "SUBSTR(s, 2, 3)", "substr(s, 2, 3) AS \"substring\""),
    by("substring", (2, 3), part, DOC, "SUBSTRING(s, 2)", "substr(s, 2) AS \"substring\""),
    by("left", (2, 2), side, DOC, "LEFT(s, 2)", "\"left\"(s, 2) AS \"left\""),
    by("right", (2, 2), side, DOC, "RIGHT(s, 2)", "\"right\"(s, 2) AS \"right\""),
    template("contains", (2, 2), "(strpos({1!}, {2!}) > 0)", &[ArgumentType::Text], BOOL, DOC, "CONTAINS(s, 'a')", "(strpos(s, 'a') > 0) AS contains"),
];

/// What Snowflake alone has.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    plain("len", (1, 1), "length", &[ArgumentType::Text], INTEGER, DOC, "LEN(s)", "length(s) AS len"),
    plain("split_part", (3, 3), "split_part", &[ArgumentType::Text, ArgumentType::Text, ArgumentType::Integer], TEXT, DOC, "SPLIT_PART(s, '-', 1)", "split_part(s, '-', 1)"),
    template("startswith", (2, 2), "starts_with({1!}, {2!})", &[ArgumentType::Text], BOOL, DOC, "STARTSWITH(s, 'a')", "starts_with(s, 'a') AS startswith"),
    template("endswith", (2, 2), "(\"right\"({1!}, length({2!})) = {2!})", &[ArgumentType::Text], BOOL, DOC, "ENDSWITH(s, 'a')", "(\"right\"(s, length('a')) = 'a') AS endswith"),
    by("charindex", (2, 2), place, DOC, "CHARINDEX('a', s)", "strpos(s, 'a') AS charindex"),
    by("position", (2, 2), place, DOC, "POSITION('a', s)", "strpos(s, 'a') AS \"position\""),
    by("concat", (1, 64), concat, DOC, "CONCAT(s, '-', n)", "(s || '-' || CAST(n AS text)) AS concat"),
    by("regexp_like", (2, 2), matches, DOC, "REGEXP_LIKE(s, '[a-z]+')", "(s ~ '^(?:[a-z]+)$') AS regexp_like"),
    by("rlike", (2, 2), matches, DOC, "RLIKE(s, '[a-z]+')", "(s ~ '^(?:[a-z]+)$') AS rlike"),
    by("to_varchar", (1, 2), shown, DOC, "TO_VARCHAR(m, 'YYYY-MM-DD')", "to_char(m, 'YYYY-MM-DD') AS to_varchar"),
    by("to_char", (1, 2), shown, DOC, "TO_CHAR(m, 'YYYY-MM')", "to_char(m, 'YYYY-MM')"),
];

/// SUBSTR: a start below 1 counts otherwise there.
pub fn part(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let text = translator.text(call.argument(0)?)?;
    let start = translator.integer(call.argument(1)?)?;
    if start.small_integer().is_none_or(|start| start < 1) {
        return Err(call.refused().hint("its start has to be a number from 1"));
    }
    let mut arguments = vec![text.text.clone(), start.text];
    if let Some(length) = call.arguments.get(2) {
        let length = translator.integer(length)?;
        if length.small_integer().is_some_and(|length| length < 0) {
            return Err(call.refused());
        }
        arguments.push(length.text);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    Ok(Translated::call("substr", &arguments, SqlType::Text))
}

/// LEFT and RIGHT: a negative count means something else in each.
fn side(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let text = translator.text(call.argument(0)?)?;
    let count = translator.integer(call.argument(1)?)?;
    if count.small_integer().is_none_or(|count| count < 0) {
        return Err(call.refused().hint("its length has to be a number from 0"));
    }
    let written = format!("\"{}\"({}, {})", call.name, text.text, count.text);
    Ok(Translated::primary(written, SqlType::Text).never_null(text.not_null))
}

/// CHARINDEX(part, text), POSITION(part IN text)
fn place(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let part = translator.text(call.argument(0)?)?;
    let text = translator.text(call.argument(1)?)?;
    let not_null = part.not_null && text.not_null;
    Ok(
        Translated::call("strpos", &[&text.text, &part.text], SqlType::Integer)
            .never_null(not_null),
    )
}

/// CONCAT is NULL where any argument is.
fn concat(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let mut texts = Vec::new();
    for argument in &call.arguments {
        texts.push(translator.text(argument)?);
    }
    let not_null = texts.iter().all(|text| text.not_null);
    let parts: Vec<String> = texts.iter().map(Translated::operand).collect();
    let text = format!("({})", parts.join(" || "));
    Ok(Translated::primary(text, SqlType::Text).never_null(not_null))
}

/// REGEXP_LIKE: the whole of the text.
fn matches(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let text = translator.text(call.argument(0)?)?;
    let wanted = translator.value(call.argument(1)?)?;
    let Some(content) = wanted.text_literal() else {
        return Err(call.refused().hint("its pattern has to be a string"));
    };
    let body = pattern(content, RegexpUse::Presence)?;
    let whole = literal::quoted(&format!("^(?:{body})$"));
    let text = Translated::primary(format!("({} ~ {whole})", text.operand()), SqlType::Bool)
        .never_null(text.not_null);
    Ok(text)
}

/// TO_VARCHAR(value [, pattern])
fn shown(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.value(call.argument(0)?)?;
    let Some(wanted) = call.arguments.get(1) else {
        return translator.as_text(value);
    };
    let wanted = translator.value(wanted)?;
    let pattern = wanted.text_literal().and_then(pattern_of);
    let (true, Some(pattern)) = (value.kind.is_temporal(), pattern) else {
        return Err(call
            .refused()
            .hint("only patterns of dates such as 'YYYY-MM-DD' are translated"));
    };
    let stamp = translator.as_timestamp(value)?;
    let text = format!("to_char({}, {})", stamp.text, literal::quoted(&pattern));
    Ok(Translated {
        name: Some("to_char".to_owned()),
        ..Translated::primary(text, SqlType::Text).never_null(stamp.not_null)
    })
}
