//! Dates and times of Snowflake and DuckDB. Weeks begin on Mondays in both.
//!
//! <https://docs.snowflake.com/en/sql-reference/functions-date-time>

use super::date_functions::{
    added, difference, last_day, months_added, name, named_part, part, to_date, to_timestamp,
    truncated,
};
use crate::dialect::source::{FunctionRule, FunctionTranslation, ReturnType};
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::translated::{SqlType, Translated};
use crate::dialect::translator::untranslatable::TranslateResult;

const DOC: &str = "https://docs.snowflake.com/en/sql-reference/functions-date-time";

/// What both have.
pub const SHARED_RULES: &[FunctionRule] = &[
    now(
        "current_date",
        "CURRENT_DATE",
        SqlType::Date,
        "CURRENT_DATE",
        "CURRENT_DATE AS \"current_date\"",
    ),
    now(
        "current_timestamp",
        "CURRENT_TIMESTAMP",
        SqlType::TimestampTz,
        "CURRENT_TIMESTAMP",
        "CURRENT_TIMESTAMP AS \"current_timestamp\"",
    ),
    by(
        "date_trunc",
        2,
        2,
        truncated,
        (
            "DATE_TRUNC('month', d)",
            "CAST(date_trunc('month', CAST(d AS timestamp)) AS date) AS date_trunc",
        ),
    ),
    by(
        "date_part",
        2,
        2,
        part,
        (
            "DATE_PART('year', d)",
            "CAST(EXTRACT(YEAR FROM d) AS integer) AS date_part",
        ),
    ),
    by(
        "year",
        1,
        1,
        named_part,
        ("YEAR(d)", "CAST(EXTRACT(YEAR FROM d) AS integer) AS year"),
    ),
    by(
        "quarter",
        1,
        1,
        named_part,
        (
            "QUARTER(d)",
            "CAST(EXTRACT(QUARTER FROM d) AS integer) AS quarter",
        ),
    ),
    by(
        "month",
        1,
        1,
        named_part,
        (
            "MONTH(d)",
            "CAST(EXTRACT(MONTH FROM d) AS integer) AS month",
        ),
    ),
    by(
        "week",
        1,
        1,
        named_part,
        ("WEEK(d)", "CAST(EXTRACT(WEEK FROM d) AS integer) AS week"),
    ),
    by(
        "day",
        1,
        1,
        named_part,
        ("DAY(d)", "CAST(EXTRACT(DAY FROM d) AS integer) AS day"),
    ),
    by(
        "dayofmonth",
        1,
        1,
        named_part,
        (
            "DAYOFMONTH(d)",
            "CAST(EXTRACT(DAY FROM d) AS integer) AS dayofmonth",
        ),
    ),
    by(
        "dayofweek",
        1,
        1,
        named_part,
        (
            "DAYOFWEEK(d)",
            "CAST(EXTRACT(DOW FROM d) AS integer) AS dayofweek",
        ),
    ),
    by(
        "dayofyear",
        1,
        1,
        named_part,
        (
            "DAYOFYEAR(d)",
            "CAST(EXTRACT(DOY FROM d) AS integer) AS dayofyear",
        ),
    ),
    by(
        "hour",
        1,
        1,
        named_part,
        ("HOUR(m)", "CAST(EXTRACT(HOUR FROM m) AS integer) AS hour"),
    ),
    by(
        "minute",
        1,
        1,
        named_part,
        (
            "MINUTE(m)",
            "CAST(EXTRACT(MINUTE FROM m) AS integer) AS minute",
        ),
    ),
    by(
        "second",
        1,
        1,
        named_part,
        (
            "SECOND(m)",
            "CAST(floor(EXTRACT(SECOND FROM m)) AS integer) AS second",
        ),
    ),
    by(
        "last_day",
        1,
        1,
        last_day,
        (
            "LAST_DAY(d)",
            "CAST(date_trunc('month', CAST(d AS timestamp)) + INTERVAL '1 month - 1 day' AS date) AS last_day",
        ),
    ),
    by(
        "datediff",
        3,
        3,
        difference,
        ("DATEDIFF('day', d, m)", "(CAST(m AS date) - d) AS datediff"),
    ),
];

/// What Snowflake alone has.
pub const RULES: &[FunctionRule] = &[
    now(
        "getdate",
        "CURRENT_TIMESTAMP",
        SqlType::TimestampTz,
        "GETDATE()",
        "CURRENT_TIMESTAMP AS getdate",
    ),
    by(
        "dateadd",
        3,
        3,
        added,
        (
            "DATEADD(day, 7, d)",
            "CAST(d + INTERVAL '7 days' AS date) AS dateadd",
        ),
    ),
    by(
        "timestampadd",
        3,
        3,
        added,
        (
            "TIMESTAMPADD(day, 7, m)",
            "m + INTERVAL '7 days' AS timestampadd",
        ),
    ),
    by(
        "add_months",
        2,
        2,
        months_added,
        (
            "ADD_MONTHS(d, 1)",
            "CASE WHEN date_trunc('month', CAST(d AS timestamp)) + INTERVAL '1 month - 1 day' = CAST(d AS timestamp) THEN CAST(date_trunc('month', CAST(d AS timestamp)) + INTERVAL '1 months' + INTERVAL '1 month - 1 day' AS date) ELSE CAST(d + INTERVAL '1 months' AS date) END AS add_months",
        ),
    ),
    by(
        "timestampdiff",
        3,
        3,
        difference,
        (
            "TIMESTAMPDIFF(month, d, m)",
            "CAST(((EXTRACT(YEAR FROM m) * 12 + EXTRACT(MONTH FROM m)) - (EXTRACT(YEAR FROM d) * 12 + EXTRACT(MONTH FROM d))) AS integer) AS timestampdiff",
        ),
    ),
    by(
        "weekiso",
        1,
        1,
        named_part,
        (
            "WEEKISO(d)",
            "CAST(EXTRACT(WEEK FROM d) AS integer) AS weekiso",
        ),
    ),
    by(
        "dayofweekiso",
        1,
        1,
        named_part,
        (
            "DAYOFWEEKISO(d)",
            "CAST(EXTRACT(ISODOW FROM d) AS integer) AS dayofweekiso",
        ),
    ),
    by(
        "dayname",
        1,
        1,
        name,
        ("DAYNAME(m)", "to_char(m, 'Dy') AS dayname"),
    ),
    by(
        "monthname",
        1,
        1,
        name,
        ("MONTHNAME(m)", "to_char(m, 'Mon') AS monthname"),
    ),
    FunctionRule {
        name: "date_from_parts",
        arguments: (3, 3),
        write: FunctionTranslation::Plain(
            "make_date",
            &[crate::dialect::source::ArgumentType::Integer],
            ReturnType::Kind(SqlType::Date),
        ),
        doc: DOC,
        case: (
            "DATE_FROM_PARTS(2024, 1, n)",
            "make_date(2024, 1, n) AS date_from_parts",
        ),
    },
    by(
        "to_date",
        1,
        2,
        to_date,
        ("TO_DATE(m)", "CAST(m AS date) AS to_date"),
    ),
    by(
        "date",
        1,
        2,
        to_date,
        ("DATE(m)", "CAST(m AS date) AS date"),
    ),
    by(
        "to_timestamp",
        1,
        1,
        to_timestamp,
        ("TO_TIMESTAMP(d)", "CAST(d AS timestamp) AS to_timestamp"),
    ),
    by(
        "to_timestamp_ntz",
        1,
        1,
        to_timestamp,
        (
            "TO_TIMESTAMP_NTZ(d)",
            "CAST(d AS timestamp) AS to_timestamp_ntz",
        ),
    ),
];

const fn by(
    name: &'static str,
    least: usize,
    most: usize,
    write: fn(&mut Translator<'_>, &SourceCall<'_>) -> TranslateResult<Translated>,
    case: (&'static str, &'static str),
) -> FunctionRule {
    FunctionRule {
        name,
        arguments: (least, most),
        write: FunctionTranslation::By(write),
        doc: DOC,
        case,
    }
}

const fn now(
    name: &'static str,
    text: &'static str,
    kind: SqlType,
    before: &'static str,
    after: &'static str,
) -> FunctionRule {
    FunctionRule {
        name,
        arguments: (0, 0),
        write: FunctionTranslation::Template(text, &[], ReturnType::Kind(kind)),
        doc: DOC,
        case: (before, after),
    }
}
