//! BigQuery's JSON: single values that are taken out of documents.
//!
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions>

use crate::rules::{FunctionRule, by};
use crate::sqlite::json;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

const DOC: &str = "https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions";

/// All of them.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("json_value", (2, 2), value, DOC, "JSON_VALUE(s, '$.a.b')", "s::jsonb -> 'a' ->> 'b' AS \"json_value\""),
    by("json_extract_scalar", (2, 2), value, DOC, "JSON_EXTRACT_SCALAR(s, '$.a')", "s::jsonb ->> 'a' AS json_extract_scalar"),
];

/// Likely: an object or array is NULL there, and its text here.
fn value(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    json::extract(translator, call)
}
