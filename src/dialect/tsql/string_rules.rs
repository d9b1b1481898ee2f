//! T-SQL's functions of strings.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/string-functions-transact-sql>

use super::patterns;
use super::string_functions::{
    character, concat, concat_ws, number_text, part, replicate, side, space, stuff, translated,
};
use super::substring_search::{charindex, replaced};
use crate::dialect::source::{ArgumentType, FunctionRule, FunctionTranslation, ReturnType};
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::translated::{SqlType, Translated};
use crate::dialect::translator::untranslatable::TranslateResult;

const DOC: &str = "https://learn.microsoft.com/en-us/sql/t-sql/functions/\
                   string-functions-transact-sql";
const TEXT: ReturnType = ReturnType::Kind(SqlType::Text);

/// The table.
pub const RULES: &[FunctionRule] = &[
    filled(
        "len",
        1,
        "length(rtrim({0}, ' '))",
        &[ArgumentType::Text],
        SqlType::Integer,
        ("LEN(s)", "length(rtrim(s, ' ')) AS len"),
    ),
    plain(
        "upper",
        "upper",
        &[ArgumentType::Text],
        ("UPPER(s)", "upper(s)"),
    ),
    plain(
        "lower",
        "lower",
        &[ArgumentType::Text],
        ("LOWER(s)", "lower(s)"),
    ),
    plain(
        "reverse",
        "reverse",
        &[ArgumentType::Text],
        ("REVERSE(s)", "reverse(s)"),
    ),
    filled(
        "ltrim",
        1,
        "ltrim({0}, ' ')",
        &[ArgumentType::Text],
        SqlType::Text,
        ("LTRIM(s)", "ltrim(s, ' ') AS ltrim"),
    ),
    filled(
        "rtrim",
        1,
        "rtrim({0}, ' ')",
        &[ArgumentType::Text],
        SqlType::Text,
        ("RTRIM(s)", "rtrim(s, ' ') AS rtrim"),
    ),
    filled(
        "trim",
        1,
        "btrim({0}, ' ')",
        &[ArgumentType::Text],
        SqlType::Text,
        ("TRIM(s)", "btrim(s, ' ')"),
    ),
    by(
        "left",
        2,
        2,
        side,
        ("LEFT(s, 2)", "\"left\"(s, 2) AS \"left\""),
    ),
    by(
        "right",
        2,
        2,
        side,
        ("RIGHT(s, 2)", "\"right\"(s, 2) AS \"right\""),
    ),
    by(
        "substring",
        3,
        3,
        part,
        ("SUBSTRING(s, 2, 3)", "substr(s, 2, 3) AS \"substring\""),
    ),
    by(
        "charindex",
        2,
        3,
        charindex,
        ("CHARINDEX('-', s)", "strpos(s, '-') AS charindex"),
    ),
    by(
        "patindex",
        2,
        2,
        patterns::patindex,
        ("PATINDEX('%-%', s)", "strpos(s, '-') AS patindex"),
    ),
    by(
        "replace",
        3,
        3,
        replaced,
        ("REPLACE(s, '-', '')", "replace(s, '-', '')"),
    ),
    by(
        "translate",
        3,
        3,
        translated,
        ("TRANSLATE(s, '-_', '  ')", "translate(s, '-_', '  ')"),
    ),
    by(
        "stuff",
        4,
        4,
        stuff,
        (
            "STUFF(s, 1, 2, 'x')",
            "CASE WHEN length(s) >= 1 THEN overlay(s PLACING 'x' FROM 1 FOR 2) END AS stuff",
        ),
    ),
    by(
        "replicate",
        2,
        2,
        replicate,
        ("REPLICATE(s, 3)", "repeat(s, 3) AS replicate"),
    ),
    by(
        "space",
        1,
        1,
        space,
        ("SPACE(3)", "repeat(' ', 3) AS space"),
    ),
    by(
        "concat",
        2,
        254,
        concat,
        ("CONCAT(s, n)", "concat(s, CAST(n AS text))"),
    ),
    by(
        "concat_ws",
        3,
        254,
        concat_ws,
        ("CONCAT_WS('-', s, n)", "concat_ws('-', s, CAST(n AS text))"),
    ),
    by(
        "str",
        1,
        3,
        number_text,
        (
            "STR(n, 5)",
            "lpad(CAST(round(CAST(n AS numeric), 0) AS text), 5) AS str",
        ),
    ),
    filled(
        "quotename",
        1,
        "('[' || replace({0}, ']', ']]') || ']')",
        &[ArgumentType::Text],
        SqlType::Text,
        (
            "QUOTENAME(s)",
            "('[' || replace(s, ']', ']]') || ']') AS quotename",
        ),
    ),
    filled(
        "ascii",
        1,
        "NULLIF(ascii({0}), 0)",
        &[ArgumentType::Text],
        SqlType::Integer,
        ("ASCII(s)", "NULLIF(ascii(s), 0) AS ascii"),
    ),
    filled(
        "unicode",
        1,
        "NULLIF(ascii({0}), 0)",
        &[ArgumentType::Text],
        SqlType::Integer,
        ("UNICODE(s)", "NULLIF(ascii(s), 0) AS unicode"),
    ),
    by("char", 1, 1, character, ("CHAR(65)", "chr(65) AS \"char\"")),
    by(
        "nchar",
        1,
        1,
        character,
        ("NCHAR(65)", "chr(65) AS \"nchar\""),
    ),
    by(
        "json_value",
        2,
        2,
        patterns::json_value,
        (
            "JSON_VALUE(j, '$.a')",
            "CASE WHEN jsonb_typeof(j #> '{a}') NOT IN ('object', 'array') THEN j #>> '{a}' END AS \"json_value\"",
        ),
    ),
];

type StringFn = fn(&mut Translator<'_>, &SourceCall<'_>) -> TranslateResult<Translated>;
type StringCase = (&'static str, &'static str);

const fn by(
    name: &'static str,
    least: usize,
    most: usize,
    write: StringFn,
    case: StringCase,
) -> FunctionRule {
    FunctionRule {
        name,
        arguments: (least, most),
        write: FunctionTranslation::By(write),
        doc: DOC,
        case,
    }
}

const fn plain(
    name: &'static str,
    here: &'static str,
    takes: &'static [ArgumentType],
    case: StringCase,
) -> FunctionRule {
    FunctionRule {
        name,
        arguments: (takes.len(), takes.len()),
        write: FunctionTranslation::Plain(here, takes, TEXT),
        doc: DOC,
        case,
    }
}

const fn filled(
    name: &'static str,
    count: usize,
    template: &'static str,
    takes: &'static [ArgumentType],
    kind: SqlType,
    case: StringCase,
) -> FunctionRule {
    FunctionRule {
        name,
        arguments: (count, count),
        write: FunctionTranslation::Template(template, takes, ReturnType::Kind(kind)),
        doc: DOC,
        case,
    }
}
