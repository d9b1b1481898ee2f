//! T-SQL's JSON, which is kept in texts: JSON_VALUE, JSON_QUERY, ISJSON.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/json-functions-transact-sql>

use crate::rules::{FunctionRule, by};
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::literal;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

const DOC: &str = "https://learn.microsoft.com/en-us/sql/t-sql/functions/\
                   json-functions-transact-sql";

/// The table.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("json_value", (2, 2), json_value, DOC, "JSON_VALUE(j, '$.a')", "CASE WHEN jsonb_typeof(j #> '{a}') NOT IN ('object', 'array') THEN j #>> '{a}' END AS \"json_value\""),
    by("json_query", (1, 2), json_query, DOC, "JSON_QUERY(s, '$.a')", "CASE WHEN json_typeof(CAST(s AS json) #> '{a}') IN ('object', 'array') THEN CAST(CAST(s AS json) #> '{a}' AS text) END AS \"json_query\""),
    by("isjson", (1, 1), is_json, DOC, "ISJSON(j)", "CASE WHEN j IS NOT NULL THEN CAST(jsonb_typeof(j) IN ('object', 'array') AS integer) END AS isjson"),
];

/// JSON_VALUE(document, '$.a.b'): NULL where there is no scalar.
fn json_value(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let document = translator.value(call.argument(0)?)?;
    let path = translator.value(call.argument(1)?)?;
    let document = match document.kind {
        SqlType::Jsonb => document,
        SqlType::Json | SqlType::Text => {
            Translated::primary(format!("CAST({} AS jsonb)", document.text), SqlType::Jsonb)
        }
        _ => return Err(untyped(&document, "JSON")),
    };
    let keys = path
        .text_literal()
        .and_then(keys)
        .ok_or_else(unknown_path)?;
    let keys = steps(&keys);
    let text = format!(
        "CASE WHEN jsonb_typeof({0} #> {keys}) NOT IN ('object', 'array') \
         THEN {0} #>> {keys} END",
        document.operand()
    );
    Ok(Translated::primary(text, SqlType::Text))
}

/// JSON_QUERY(document, '$.a'): an object or an array, as it is written.
fn json_query(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let document = translator.value(call.argument(0)?)?;
    let document = as_written(translator, &document)?;
    let keys = match call.arguments.get(1) {
        None => Vec::new(),
        Some(path) => {
            let path = translator.value(path)?;
            path.text_literal()
                .and_then(keys)
                .ok_or_else(unknown_path)?
        }
    };
    Ok(fragment(&document, &keys))
}

/// What only Postgres from 16 on can tell of a text.
fn is_json(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let document = translator.value(call.argument(0)?)?;
    let kind = match document.kind {
        SqlType::Jsonb => format!("jsonb_typeof({})", document.text),
        SqlType::Json => format!("json_typeof({})", document.text),
        SqlType::Text if translator.server_major >= 16 => {
            let text = format!(
                "CASE WHEN {0} IS NOT NULL THEN CAST({0} IS JSON OBJECT OR {0} IS JSON ARRAY AS integer) END",
                document.operand()
            );
            return Ok(Translated::primary(text, SqlType::Integer));
        }
        SqlType::Text => {
            return Err(call
                .refused()
                .hint("only Postgres from 16 on can tell whether a text is JSON"));
        }
        _ => return Err(untyped(&document, "JSON")),
    };
    let text = format!(
        "CASE WHEN {} IS NOT NULL THEN CAST({kind} IN ('object', 'array') AS integer) END",
        document.operand()
    );
    Ok(Translated::primary(text, SqlType::Integer).never_null(document.not_null))
}

/// A document whose parts stay as they are written; those of a jsonb are not.
pub fn as_written(
    translator: &mut Translator<'_>,
    document: &Translated,
) -> TranslateResult<Translated> {
    match document.kind {
        SqlType::Json => return Ok(document.clone()),
        SqlType::Jsonb => translator.mark_likely(),
        SqlType::Text => {}
        _ => return Err(untyped(document, "JSON")),
    }
    Ok(Translated::primary(
        format!("CAST({} AS json)", document.text),
        SqlType::Json,
    ))
}

/// The object or array in a document, as a text.
pub fn fragment(document: &Translated, keys: &[String]) -> Translated {
    let found = match keys {
        [] => document.operand(),
        keys => format!("{} #> {}", document.operand(), steps(keys)),
    };
    let text = format!(
        "CASE WHEN json_typeof({found}) IN ('object', 'array') THEN CAST({found} AS text) END"
    );
    Translated::primary(text, SqlType::Text)
}

/// The scalar in a document, as a text.
pub fn scalar(document: &Translated, keys: &[String]) -> Translated {
    let text = format!(
        "CASE WHEN json_typeof({0} #> {1}) NOT IN ('object', 'array') THEN {0} #>> {1} END",
        document.operand(),
        steps(keys)
    );
    Translated::primary(text, SqlType::Text)
}

/// The steps of a path, as Postgres takes them.
pub fn steps(keys: &[String]) -> String {
    literal::quoted(&format!("{{{}}}", keys.join(",")))
}

/// That a path is not understood.
pub fn unknown_path() -> Untranslatable {
    Untranslatable::construct("this path into JSON").hint("write '$.a.b' or '$.a[0]'")
}

/// `$.a.b[0]` as its steps.
pub fn keys(path: &str) -> Option<Vec<String>> {
    let rest = path
        .strip_prefix("lax ")
        .unwrap_or(path)
        .strip_prefix('$')?;
    let mut keys = Vec::new();
    for step in rest.split('.').skip(1) {
        let (key, places) = step.split_once('[').unwrap_or((step, ""));
        let is_word =
            |word: &str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_word(key) {
            return None;
        }
        keys.push(key.to_owned());
        if !places.is_empty() {
            let place = places.strip_suffix(']')?;
            if !place.bytes().all(|b| b.is_ascii_digit()) || place.is_empty() {
                return None;
            }
            keys.push(place.to_owned());
        }
    }
    (!keys.is_empty()).then_some(keys)
}
