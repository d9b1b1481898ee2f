//! BigQuery's JSON: single values that are taken out of documents.
//!
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions>

use crate::dialect::source::{Rule, Write};
use crate::dialect::sqlite::json;
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::translated::Written;
use crate::dialect::translator::untranslatable::Outcome;

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
    json::extract(writer, call)
}
