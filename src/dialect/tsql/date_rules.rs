//! T-SQL's functions of dates and times.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/date-and-time-data-types-and-functions-transact-sql>

use super::date_functions::{
    added, difference, end_of_month, from_parts, name, named_part, part, truncated,
};
use super::format;
use crate::dialect::source::{ArgumentType, FunctionRule, FunctionTranslation, ReturnType};
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::translated::{SqlType, Translated};
use crate::dialect::translator::untranslatable::TranslateResult;

const DOC: &str = "https://learn.microsoft.com/en-us/sql/t-sql/functions/\
                   date-and-time-data-types-and-functions-transact-sql";

/// The table.
pub const RULES: &[FunctionRule] = &[
    now(
        "getdate",
        "LOCALTIMESTAMP(3)",
        "GETDATE()",
        "LOCALTIMESTAMP(3) AS getdate",
    ),
    now(
        "current_timestamp",
        "LOCALTIMESTAMP(3)",
        "CURRENT_TIMESTAMP",
        "LOCALTIMESTAMP(3) AS \"current_timestamp\"",
    ),
    now(
        "sysdatetime",
        "LOCALTIMESTAMP",
        "SYSDATETIME()",
        "LOCALTIMESTAMP AS sysdatetime",
    ),
    now(
        "getutcdate",
        "CAST(CURRENT_TIMESTAMP AT TIME ZONE 'UTC' AS timestamp(3))",
        "GETUTCDATE()",
        "CAST(CURRENT_TIMESTAMP AT TIME ZONE 'UTC' AS timestamp(3)) AS getutcdate",
    ),
    now(
        "sysutcdatetime",
        "CAST(CURRENT_TIMESTAMP AT TIME ZONE 'UTC' AS timestamp)",
        "SYSUTCDATETIME()",
        "CAST(CURRENT_TIMESTAMP AT TIME ZONE 'UTC' AS timestamp) AS sysutcdatetime",
    ),
    by(
        "dateadd",
        3,
        3,
        added,
        (
            "DATEADD(month, 1, d)",
            "CAST(d + INTERVAL '1 months' AS date) AS dateadd",
        ),
    ),
    by(
        "datediff",
        3,
        3,
        difference,
        ("DATEDIFF(day, d, m)", "(CAST(m AS date) - d) AS datediff"),
    ),
    by(
        "datediff_big",
        3,
        3,
        difference,
        (
            "DATEDIFF_BIG(day, d, m)",
            "(CAST(m AS date) - d) AS datediff_big",
        ),
    ),
    by(
        "datepart",
        2,
        2,
        part,
        (
            "DATEPART(year, d)",
            "CAST(EXTRACT(YEAR FROM d) AS integer) AS datepart",
        ),
    ),
    by(
        "datename",
        2,
        2,
        name,
        ("DATENAME(month, m)", "to_char(m, 'FMMonth') AS datename"),
    ),
    by(
        "year",
        1,
        1,
        named_part,
        ("YEAR(d)", "CAST(EXTRACT(YEAR FROM d) AS integer) AS year"),
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
        "day",
        1,
        1,
        named_part,
        ("DAY(d)", "CAST(EXTRACT(DAY FROM d) AS integer) AS day"),
    ),
    by(
        "eomonth",
        1,
        2,
        end_of_month,
        (
            "EOMONTH(d)",
            "CAST(date_trunc('month', CAST(d AS timestamp)) + INTERVAL '1 month - 1 day' AS date) AS eomonth",
        ),
    ),
    FunctionRule {
        name: "datefromparts",
        arguments: (3, 3),
        write: FunctionTranslation::Plain(
            "make_date",
            &[ArgumentType::Integer],
            ReturnType::Kind(SqlType::Date),
        ),
        doc: DOC,
        case: (
            "DATEFROMPARTS(2024, 1, n)",
            "make_date(2024, 1, n) AS datefromparts",
        ),
    },
    by(
        "datetimefromparts",
        7,
        7,
        from_parts,
        (
            "DATETIMEFROMPARTS(2024, 1, 2, 3, 4, 5, 6)",
            "make_timestamp(2024, 1, 2, 3, 4, 5 + 6 / 1000.0) AS datetimefromparts",
        ),
    ),
    by(
        "datetrunc",
        2,
        2,
        truncated,
        ("DATETRUNC(month, m)", "date_trunc('month', m) AS datetrunc"),
    ),
    by(
        "format",
        2,
        3,
        format::format,
        ("FORMAT(m, 'yyyy-MM')", "to_char(m, 'YYYY-MM') AS format"),
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
    before: &'static str,
    after: &'static str,
) -> FunctionRule {
    FunctionRule {
        name,
        arguments: (0, 0),
        write: FunctionTranslation::Template(text, &[], ReturnType::Kind(SqlType::Timestamp)),
        doc: DOC,
        case: (before, after),
    }
}
