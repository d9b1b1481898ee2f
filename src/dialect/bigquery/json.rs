//! BigQuery's JSON: single values that are taken out of documents.
//!
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions>

use crate::dialect::source::{FunctionRule, FunctionTranslation};
use crate::dialect::sqlite::json;
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::translated::Translated;
use crate::dialect::translator::untranslatable::TranslateResult;

const DOC: &str = "https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions";

/// All of them.
pub const RULES: &[FunctionRule] = &[
    FunctionRule {
        name: "json_value",
        arguments: (2, 2),
        write: FunctionTranslation::By(value),
        doc: DOC,
        case: (
            "JSON_VALUE(s, '$.a.b')",
            "s::jsonb -> 'a' ->> 'b' AS \"json_value\"",
        ),
    },
    FunctionRule {
        name: "json_extract_scalar",
        arguments: (2, 2),
        write: FunctionTranslation::By(value),
        doc: DOC,
        case: (
            "JSON_EXTRACT_SCALAR(s, '$.a')",
            "s::jsonb ->> 'a' AS json_extract_scalar",
        ),
    },
];

/// Likely: an object or array is NULL there, and its text here.
fn value(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    json::extract(translator, call)
}
