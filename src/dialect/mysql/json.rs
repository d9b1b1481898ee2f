//! MySQL's functions on JSON, on jsonb.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/json-functions.html>

use crate::rules::{ArgumentType, FunctionRule, ReturnType, by, plain};
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::convert::cast;
use crate::translator::literal;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

const JSON: &str = "https://dev.mysql.com/doc/refman/8.0/en/json-functions.html";

/// The table.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("json_extract", (2, 2), extract, JSON, "JSON_EXTRACT(j, '$.a[0]')", "j #> '{a,0}' AS json_extract"),
    by("json_unquote", (1, 1), unquote, JSON, "JSON_UNQUOTE(j -> '$.a')", "CASE jsonb_typeof(j #> '{a}') WHEN 'null' THEN 'null' ELSE (j #> '{a}') #>> '{}' END AS json_unquote"),
    by("json_length", (1, 2), length, JSON, "JSON_LENGTH(j)", "CASE WHEN j IS NOT NULL THEN CASE jsonb_typeof(j) WHEN 'array' THEN jsonb_array_length(j) WHEN 'object' THEN (SELECT CAST(count(*) AS integer) FROM jsonb_object_keys(j)) ELSE 1 END END AS json_length"),
    plain("json_array", (0, 64), "jsonb_build_array", &[ArgumentType::Any], ReturnType::Kind(SqlType::Jsonb), JSON, "JSON_ARRAY(1, n)", "jsonb_build_array(1, n) AS \"json_array\""),
    plain("json_object", (2, 64), "jsonb_build_object", &[ArgumentType::Any], ReturnType::Kind(SqlType::Jsonb), JSON, "JSON_OBJECT('a', n)", "jsonb_build_object('a', n) AS \"json_object\""),
];

/// A document.
fn document(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.value(call.argument(0)?)?;
    match value.kind {
        SqlType::Jsonb => Ok(value),
        SqlType::Json => Ok(cast(&value, "jsonb", SqlType::Jsonb)),
        SqlType::Text if value.text_literal().is_some() => {
            Ok(cast(&value, "jsonb", SqlType::Jsonb))
        }
        _ => Err(untyped(&value, "JSON")),
    }
}

fn extract(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let document = document(translator, call)?;
    let path = translator.value(call.argument(1)?)?;
    let steps = path.text_literal().and_then(steps).ok_or_else(|| {
        call.refused()
            .hint("its path has to be a literal of names and places")
    })?;
    let text = format!("{} #> {}", document.operand(), literal::quoted(&steps));
    Ok(Translated::compound(text, SqlType::Jsonb))
}

fn unquote(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let document = document(translator, call)?;
    // A JSON null is the text null in MySQL, and would be NULL here.
    let text = format!(
        "CASE jsonb_typeof({}) WHEN 'null' THEN 'null' ELSE {} #>> '{{}}' END",
        document.text,
        document.operand()
    );
    // Texts of JSON have a binary collation.
    Ok(Translated {
        case_sensitive: true,
        ..Translated::primary(text, SqlType::Text)
    })
}

fn length(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let document = match call.arguments.len() {
        1 => document(translator, call)?,
        _ => extract(translator, call)?,
    };
    let own = document.operand();
    let text = format!(
        "CASE jsonb_typeof({own}) WHEN 'array' THEN jsonb_array_length({own}) WHEN 'object' THEN \
         (SELECT CAST(count(*) AS integer) FROM jsonb_object_keys({own})) ELSE 1 END"
    );
    if !document.not_null {
        let text = format!(
            "CASE WHEN {} IS NOT NULL THEN {text} END",
            document.operand()
        );
        return Ok(Translated::primary(text, SqlType::Integer));
    }
    Ok(Translated::primary(text, SqlType::Integer))
}

/// `$.a[0]."b c"` as `{a,0,"b c"}`.
fn steps(path: &str) -> Option<String> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps: Vec<String> = Vec::new();
    while !rest.is_empty() {
        if let Some(name) = rest.strip_prefix(".\"") {
            let (name, after) = name.split_once('"')?;
            if name.is_empty() || name.contains(['\\', '{', '}']) {
                return None;
            }
            steps.push(format!("\"{name}\""));
            rest = after;
        } else if let Some(name) = rest.strip_prefix('.') {
            let end = name.find(['.', '[']).unwrap_or(name.len());
            let (name, after) = name.split_at_checked(end)?;
            let plain = name
                .chars()
                .all(|c| c.is_alphanumeric() || c == '_' || c == '$');
            if !plain || name.is_empty() || name.eq_ignore_ascii_case("null") {
                return None;
            }
            steps.push(name.to_owned());
            rest = after;
        } else {
            let (place, after) = rest.strip_prefix('[')?.split_once(']')?;
            if place.is_empty() || !place.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            steps.push(place.to_owned());
            rest = after;
        }
    }
    Some(format!("{{{}}}", steps.join(",")))
}
