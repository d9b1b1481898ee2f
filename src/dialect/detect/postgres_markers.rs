//! What Postgres has, and not every dialect: a text that was taken for one of those that have it
//! not was written for Postgres, whatever else slipped into it.

use super::{evidence_tokens, has_marker};
use crate::source::{DialectMarker, EvidenceToken, EvidenceTokenKind, SourceDialect};
use policy::Dialect::{self, Bigquery, Duckdb, Mysql, Snowflake, Sqlite, Tsql};

/// Whether a text has something that its dialect has not, and Postgres has.
pub fn has_postgres_marker(text: &str, source: &dyn SourceDialect) -> bool {
    let dialect = source.dialect();
    // To MySQL the rest of the line is a comment.
    if dialect == Mysql && text.contains("#>") {
        return true;
    }
    let seen = evidence_tokens(text, source);
    OWN.iter()
        .any(|own| !own.also.contains(&dialect) && has_marker(&own.mark, &seen))
        || dialect == Mysql && joins_texts(&seen)
}

/// Something of Postgres's.
struct PostgresMarker {
    mark: DialectMarker,
    /// The dialects that have it too.
    also: &'static [Dialect],
}

const fn row(words: &'static [&'static str], also: &'static [Dialect]) -> PostgresMarker {
    let mark = DialectMarker::Sequence(words);
    PostgresMarker { mark, also }
}

const fn call(name: &'static str, also: &'static [Dialect]) -> PostgresMarker {
    let mark = DialectMarker::Call(name);
    PostgresMarker { mark, also }
}

const fn shape(shape: fn(&[EvidenceToken]) -> bool, also: &'static [Dialect]) -> PostgresMarker {
    let mark = DialectMarker::Shape(shape);
    PostgresMarker { mark, also }
}

/// All but MySQL: it has least of the standard.
const NOT_MYSQL: &[Dialect] = &[Tsql, Bigquery, Sqlite, Snowflake, Duckdb];

/// All but SQLite.
const NOT_SQLITE: &[Dialect] = &[Mysql, Tsql, Bigquery, Snowflake, Duckdb];

/// Those that group by several sets.
const ANALYTIC: &[Dialect] = &[Tsql, Bigquery, Snowflake, Duckdb];

const OWN: &[PostgresMarker] = &[
    row(&["distinct", "on", "("], &[Duckdb]),
    row(&["lateral", "("], &[Mysql, Snowflake, Duckdb]),
    row(&["filter", "(", "where"], &[Sqlite, Duckdb]),
    row(&["similar", "to"], &[Duckdb]),
    row(&["ilike"], &[Snowflake, Duckdb]),
    row(&["within", "group", "("], &[Tsql, Snowflake, Duckdb]),
    row(&["at", "time", "zone"], &[Tsql, Bigquery, Duckdb]),
    row(&["nulls", "first"], &[Bigquery, Sqlite, Snowflake, Duckdb]),
    row(&["nulls", "last"], &[Bigquery, Sqlite, Snowflake, Duckdb]),
    row(&["is", "distinct", "from"], NOT_MYSQL),
    row(&["is", "not", "distinct", "from"], NOT_MYSQL),
    row(&["fetch", "first"], &[Tsql, Snowflake]),
    row(&["fetch", "next"], &[Tsql, Snowflake]),
    row(&["full", "join"], NOT_MYSQL),
    row(&["full", "outer", "join"], NOT_MYSQL),
    row(&["grouping", "sets", "("], ANALYTIC),
    row(&["by", "rollup", "("], ANALYTIC),
    row(&["by", "cube", "("], ANALYTIC),
    row(&["with", "ordinality"], &[]),
    row(&[")", "overlaps", "("], &[]),
    row(&["@>"], &[Duckdb]),
    row(&["<@"], &[Duckdb]),
    row(&["#>>"], &[]),
    row(&["array", "["], &[Bigquery, Duckdb]),
    row(&["any", "(", "array"], &[]),
    row(&["=", "any", "("], NOT_SQLITE),
    row(&["extract", "("], &[Mysql, Bigquery, Snowflake, Duckdb]),
    row(&["extract", "(", "epoch"], &[Snowflake, Duckdb]),
    row(&["extract", "(", "dow"], &[Snowflake, Duckdb]),
    row(&["extract", "(", "isodow"], &[Duckdb]),
    row(&["extract", "(", "doy"], &[Snowflake, Duckdb]),
    row(&["extract", "(", "decade"], &[Duckdb]),
    row(&["extract", "(", "century"], &[Duckdb]),
    row(&["as", "text", ")"], &[Tsql, Sqlite, Snowflake, Duckdb]),
    row(&["as", "varchar", ")"], NOT_MYSQL),
    row(&["as", "numeric", ")"], NOT_MYSQL),
    row(&["as", "bigint", ")"], NOT_MYSQL),
    row(&["as", "timestamp", ")"], ANALYTIC),
    row(&["as", "timestamptz", ")"], &[Snowflake, Duckdb]),
    row(&["as", "interval", ")"], &[Bigquery, Duckdb]),
    row(&["as", "jsonb", ")"], &[]),
    row(&["as", "date", ")"], NOT_SQLITE),
    shape(
        typed_datetime_literal,
        &[Mysql, Bigquery, Snowflake, Duckdb],
    ),
    shape(limits_rows, &[Mysql, Bigquery, Sqlite, Snowflake, Duckdb]),
    shape(interval_in_one, &[Snowflake, Duckdb]),
    shape(truncates_by_text, &[Snowflake, Duckdb]),
    call("age", &[Duckdb]),
    call("array_agg", ANALYTIC),
    call("bool_and", &[Duckdb]),
    call("bool_or", &[Duckdb]),
    call("date_bin", &[]),
    call("date_part", &[Snowflake, Duckdb]),
    call("date_trunc", &[Bigquery, Snowflake, Duckdb]),
    call("generate_series", &[Tsql, Duckdb]),
    call("greatest", NOT_SQLITE),
    call("initcap", &[Bigquery, Snowflake]),
    call("json_agg", &[]),
    call("json_build_object", &[]),
    call("jsonb_agg", &[]),
    call("jsonb_array_elements", &[]),
    call("jsonb_array_elements_text", &[]),
    call("jsonb_build_object", &[]),
    call("jsonb_each", &[]),
    call("jsonb_each_text", &[]),
    call("justify_interval", &[]),
    call("least", NOT_SQLITE),
    call("left", NOT_SQLITE),
    call("make_date", &[Duckdb]),
    call("make_interval", &[Bigquery]),
    call("make_timestamp", &[Duckdb]),
    call("now", &[Mysql, Duckdb]),
    call("position", &[Mysql, Snowflake, Duckdb]),
    call("regexp_matches", &[Duckdb]),
    call("regexp_split_to_array", &[Duckdb]),
    call("regexp_split_to_table", &[Duckdb]),
    call("right", NOT_SQLITE),
    call("split_part", &[Snowflake, Duckdb]),
    call("string_agg", &[Tsql, Bigquery, Duckdb]),
    call("string_to_array", &[Duckdb]),
    call("to_char", &[Snowflake]),
    call("to_date", &[Snowflake]),
    call("to_jsonb", &[]),
    call("to_number", &[Snowflake]),
    call("to_timestamp", &[Snowflake, Duckdb]),
    call("unnest", &[Bigquery, Duckdb]),
    call("width_bucket", &[Snowflake]),
];

/// `DATE '2024-01-01'`, `TIMESTAMP '…'`
fn typed_datetime_literal(seen: &[EvidenceToken]) -> bool {
    let types = ["date", "timestamp"];
    seen.windows(2).any(|pair| {
        matches!(pair, [name, text]
            if name.kind == EvidenceTokenKind::Word
                && types.contains(&name.word.as_str())
                && text.kind == EvidenceTokenKind::Text)
    })
}

/// `LIMIT 5`
fn limits_rows(seen: &[EvidenceToken]) -> bool {
    seen.windows(2).any(|pair| {
        matches!(pair, [limit, count]
            if limit.kind == EvidenceTokenKind::Word
                && limit.word == "limit"
                && count.kind == EvidenceTokenKind::Number)
    })
}

/// `INTERVAL '1 day'`: no unit stands behind it.
fn interval_in_one(seen: &[EvidenceToken]) -> bool {
    let units = [
        "microsecond",
        "second",
        "minute",
        "hour",
        "day",
        "week",
        "month",
        "quarter",
        "year",
    ];
    seen.iter().enumerate().any(|(at, one)| {
        let next = |by: usize| seen.get(at + by);
        one.kind == EvidenceTokenKind::Word
            && one.word == "interval"
            && next(1).is_some_and(|text| text.kind == EvidenceTokenKind::Text)
            && !next(2).is_some_and(|unit| {
                let word = unit.word.as_str();
                // MySQL's `DAY_HOUR` and BigQuery's `YEAR TO MONTH` begin with one of them.
                unit.kind == EvidenceTokenKind::Word
                    && units.contains(&word.split('_').next().unwrap_or_default())
            })
    })
}

/// `DATE_TRUNC('month', x)`: BigQuery has the unit behind, and bare.
fn truncates_by_text(seen: &[EvidenceToken]) -> bool {
    seen.windows(3).any(|three| {
        matches!(three, [name, open, text]
            if name.word == "date_trunc" && open.word == "(" && text.kind == EvidenceTokenKind::Text)
    })
}

/// Whether some `||` joins texts: to MySQL it is OR, which stands between two conditions.
fn joins_texts(seen: &[EvidenceToken]) -> bool {
    seen.iter().enumerate().any(|(at, one)| {
        let before = seen.get(..at).unwrap_or_default();
        let behind = seen.get(at + 1..).unwrap_or_default();
        let is_or = compares(before.iter().rev(), ")", "(") && compares(behind.iter(), "(", ")");
        one.kind == EvidenceTokenKind::Sign && one.word == "||" && !is_or
    })
}

/// Whether an operand compares something, read from the operator away.
fn compares<'s>(operand: impl Iterator<Item = &'s EvidenceToken>, open: &str, close: &str) -> bool {
    let comparing = [
        "=", "<", ">", "<=", ">=", "<>", "!=", "<=>", "is", "in", "like", "between", "not",
        "regexp", "rlike", "exists",
    ];
    let ending = [
        ",", "select", "where", "and", "or", "on", "having", "when", "then", "else", "case", "as",
        "from", "group", "order", "limit", "by", "||", "end",
    ];
    let mut depth = 0_usize;
    for one in operand {
        let is_sign = one.kind == EvidenceTokenKind::Sign;
        let is_bare = is_sign || one.kind == EvidenceTokenKind::Word;
        let word = one.word.as_str();
        if is_sign && word == open {
            depth += 1;
        } else if is_sign && word == close {
            match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            }
        } else if is_bare && comparing.contains(&word) {
            return true;
        } else if is_bare && depth == 0 && ending.contains(&word) {
            return false;
        }
    }
    false
}
