//! BigQuery's JSON: single values that are taken out of documents.
//!
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions>

use super::call::Call;
use super::source::{Rule, Write};
use super::sqlite_json;
use super::untranslatable::Outcome;
use super::writer::Writer;
use super::written::Written;

const DOC: &str = "https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions";

/// All of them.
pub const RULES: &[Rule] = &[
    Rule {
        name: "json_value",
        arguments: (2, 2),
        write: Write::By(value),
        doc: DOC,
        case: (
            "JSON_VALUE(s, '$.a.b')",
            "s::jsonb -> 'a' ->> 'b' AS \"json_value\"",
        ),
    },
    Rule {
        name: "json_extract_scalar",
        arguments: (2, 2),
        write: Write::By(value),
        doc: DOC,
        case: (
            "JSON_EXTRACT_SCALAR(s, '$.a')",
            "s::jsonb ->> 'a' AS json_extract_scalar",
        ),
    },
];

/// Likely: an object or array is NULL there, and its text here.
fn value(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    sqlite_json::extract(writer, call)
}
