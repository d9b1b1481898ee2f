//! BigQuery's JSON: single values that are taken out of documents.
//!
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions>

use crate::dialect::rules::{FunctionRule, by};
use crate::dialect::sqlite::json;
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::translated::Translated;
use crate::dialect::translator::untranslatable::TranslateResult;

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
