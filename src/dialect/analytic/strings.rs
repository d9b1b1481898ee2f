//! Functions of texts.
//!
//! <https://docs.snowflake.com/en/sql-reference/functions-string>

use crate::rules::{ArgumentType, BOOL, FunctionRule, INTEGER, TEXT, by, plain, template};
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

const DOC: &str = "https://docs.snowflake.com/en/sql-reference/functions-string";

/// The rows.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
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
