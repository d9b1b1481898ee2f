//! Snowflake's functions of texts.
//!
//! <https://docs.snowflake.com/en/sql-reference/functions-string>

use crate::date_patterns::date_format;
use crate::rules::{ArgumentType, BOOL, FunctionRule, INTEGER, TEXT, by, plain, template};
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::literal;
use crate::translator::shared_functions::regexp::{RegexpUse, pattern};
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

const DOC: &str = "https://docs.snowflake.com/en/sql-reference/functions-string";

/// What DuckDB does not have, or has otherwise.
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
    let pattern = wanted.text_literal().and_then(date_format::from_snowflake);
    let (true, Some(pattern)) = (value.kind.is_temporal(), pattern) else {
        return Err(call
            .refused()
            .hint("only patterns of dates such as 'YYYY-MM-DD' are translated"));
    };
    let stamp = translator.as_timestamp(value)?;
    let text = format!(
        "to_char({}, {})",
        stamp.text,
        literal::quoted(&pattern.text)
    );
    Ok(Translated {
        name: Some("to_char".to_owned()),
        ..Translated::primary(text, SqlType::Text).never_null(stamp.not_null)
    })
}
