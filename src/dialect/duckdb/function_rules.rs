//! Functions that DuckDB has otherwise than Snowflake.
//!
//! <https://duckdb.org/docs/stable/sql/functions/overview>

use super::functions::{
    concat, epoch, extreme, holds, length, matches, name, part, quantile, shown, weekday,
};
use crate::dialect::mysql::conditionals::choice;
use crate::dialect::snowflake::aggregate_functions::{array, beside, joined};
use crate::dialect::snowflake::aggregate_rules::boolean;
use crate::dialect::snowflake::date_functions::difference;
use crate::dialect::source::{ArgumentType, FunctionRule, FunctionTranslation, ReturnType};
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::translated::{SqlType, Translated};
use crate::dialect::translator::untranslatable::TranslateResult;

const DOC: &str = "https://duckdb.org/docs/stable/sql/functions/overview";

/// The table.
pub const RULES: &[FunctionRule] = &[
    by(
        "if",
        3,
        3,
        choice,
        (
            "IF(n > 1, 'a', 'b')",
            "CASE WHEN n > 1 THEN 'a' ELSE 'b' END AS if",
        ),
    ),
    by("len", 1, 1, length, ("len(s)", "length(s) AS len")),
    by(
        "strftime",
        2,
        2,
        shown,
        ("strftime(m, '%Y-%m')", "to_char(m, 'YYYY-MM') AS strftime"),
    ),
    by(
        "date_diff",
        3,
        3,
        difference,
        (
            "date_diff('day', d, m)",
            "(CAST(m AS date) - d) AS date_diff",
        ),
    ),
    by(
        "datepart",
        2,
        2,
        part,
        (
            "datepart('year', d)",
            "CAST(EXTRACT(YEAR FROM d) AS integer) AS datepart",
        ),
    ),
    by(
        "isodow",
        1,
        1,
        weekday,
        (
            "isodow(d)",
            "CAST(EXTRACT(ISODOW FROM d) AS integer) AS isodow",
        ),
    ),
    by(
        "epoch",
        1,
        1,
        epoch,
        (
            "epoch(m)",
            "CAST(EXTRACT(EPOCH FROM m) AS double precision) AS epoch",
        ),
    ),
    by(
        "dayname",
        1,
        1,
        name,
        ("dayname(m)", "to_char(m, 'FMDay') AS dayname"),
    ),
    by(
        "monthname",
        1,
        1,
        name,
        ("monthname(m)", "to_char(m, 'FMMonth') AS monthname"),
    ),
    FunctionRule {
        name: "now",
        arguments: (0, 0),
        write: FunctionTranslation::Plain("now", &[], ReturnType::Kind(SqlType::TimestampTz)),
        doc: DOC,
        case: ("now()", "now()"),
    },
    FunctionRule {
        name: "today",
        arguments: (0, 0),
        write: FunctionTranslation::Template("CURRENT_DATE", &[], ReturnType::Kind(SqlType::Date)),
        doc: DOC,
        case: ("today()", "CURRENT_DATE AS today"),
    },
    FunctionRule {
        name: "make_date",
        arguments: (3, 3),
        write: FunctionTranslation::Plain(
            "make_date",
            &[ArgumentType::Integer],
            ReturnType::Kind(SqlType::Date),
        ),
        doc: DOC,
        case: ("make_date(2024, 1, n)", "make_date(2024, 1, n)"),
    },
    by(
        "regexp_matches",
        2,
        2,
        matches,
        (
            "regexp_matches(s, '[a-z]')",
            "(s ~ '[a-z]') AS regexp_matches",
        ),
    ),
    by(
        "regexp_full_match",
        2,
        2,
        matches,
        (
            "regexp_full_match(s, '[a-z]+')",
            "(s ~ '^(?:[a-z]+)$') AS regexp_full_match",
        ),
    ),
    by(
        "concat",
        1,
        64,
        concat,
        ("concat(s, n)", "concat(s, CAST(n AS text))"),
    ),
    by(
        "concat_ws",
        2,
        64,
        concat,
        ("concat_ws('-', s, n)", "concat_ws('-', s, CAST(n AS text))"),
    ),
    FunctionRule {
        name: "starts_with",
        arguments: (2, 2),
        write: FunctionTranslation::Plain(
            "starts_with",
            &[ArgumentType::Text],
            ReturnType::Kind(SqlType::Bool),
        ),
        doc: DOC,
        case: ("starts_with(s, 'a')", "starts_with(s, 'a')"),
    },
    FunctionRule {
        name: "strpos",
        arguments: (2, 2),
        write: FunctionTranslation::Plain(
            "strpos",
            &[ArgumentType::Text],
            ReturnType::Kind(SqlType::Integer),
        ),
        doc: DOC,
        case: ("strpos(s, 'a')", "strpos(s, 'a')"),
    },
    by(
        "greatest",
        1,
        64,
        extreme,
        ("greatest(n, 2)", "GREATEST(n, 2) AS \"greatest\""),
    ),
    by(
        "least",
        1,
        64,
        extreme,
        ("least(n, 2)", "LEAST(n, 2) AS \"least\""),
    ),
    by(
        "array_agg",
        1,
        1,
        array,
        ("array_agg(n ORDER BY id)", "array_agg(n ORDER BY id)"),
    ),
    by(
        "listagg",
        1,
        2,
        joined,
        ("listagg(s, ',')", "string_agg(s, ',') AS listagg"),
    ),
    by(
        "list",
        1,
        1,
        array,
        ("list(n ORDER BY id)", "array_agg(n ORDER BY id) AS list"),
    ),
    by(
        "string_agg",
        1,
        2,
        joined,
        (
            "string_agg(s, ',' ORDER BY id)",
            "string_agg(s, ',' ORDER BY id)",
        ),
    ),
    by(
        "group_concat",
        1,
        2,
        joined,
        ("group_concat(s, ',')", "string_agg(s, ',') AS group_concat"),
    ),
    by(
        "arg_max",
        2,
        2,
        beside,
        (
            "arg_max(s, id)",
            "(array_agg(s ORDER BY id DESC) FILTER (WHERE id IS NOT NULL))[1] AS arg_max",
        ),
    ),
    by(
        "arg_min",
        2,
        2,
        beside,
        (
            "arg_min(s, id)",
            "(array_agg(s ORDER BY id) FILTER (WHERE id IS NOT NULL))[1] AS arg_min",
        ),
    ),
    boolean("bool_or", "bool_or", ("bool_or(b)", "bool_or(b)")),
    boolean("bool_and", "bool_and", ("bool_and(b)", "bool_and(b)")),
    by(
        "list_contains",
        2,
        2,
        holds,
        (
            "list_contains(list(n), 3)",
            "(array_position(array_agg(n), 3) IS NOT NULL) AS list_contains",
        ),
    ),
    by(
        "quantile_cont",
        2,
        2,
        quantile,
        (
            "quantile_cont(f, 0.5)",
            "percentile_cont(0.5) WITHIN GROUP (ORDER BY f) AS quantile_cont",
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
