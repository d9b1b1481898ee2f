//! T-SQL's functions of strings.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/string-functions-transact-sql>

use super::patterns;
use super::string_functions::{
    character, concat, concat_ws, number_text, part, replicate, side, space, stuff, translated,
};
use super::substring_search::{charindex, replaced};
use crate::dialect::source::{Returns, Rule, Takes, Write};
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::translated::{Kind, Written};
use crate::dialect::translator::untranslatable::Outcome;

const DOC: &str = "https://learn.microsoft.com/en-us/sql/t-sql/functions/\
                   string-functions-transact-sql";
const TEXT: Returns = Returns::Kind(Kind::Text);

/// The table.
pub const RULES: &[Rule] = &[
    filled(
        "len",
        1,
        "length(rtrim({0}, ' '))",
        &[Takes::Text],
        Kind::Integer,
        ("LEN(s)", "length(rtrim(s, ' ')) AS len"),
    ),
    plain("upper", "upper", &[Takes::Text], ("UPPER(s)", "upper(s)")),
    plain("lower", "lower", &[Takes::Text], ("LOWER(s)", "lower(s)")),
    plain(
        "reverse",
        "reverse",
        &[Takes::Text],
        ("REVERSE(s)", "reverse(s)"),
    ),
    filled(
        "ltrim",
        1,
        "ltrim({0}, ' ')",
        &[Takes::Text],
        Kind::Text,
        ("LTRIM(s)", "ltrim(s, ' ') AS ltrim"),
    ),
    filled(
        "rtrim",
        1,
        "rtrim({0}, ' ')",
        &[Takes::Text],
        Kind::Text,
        ("RTRIM(s)", "rtrim(s, ' ') AS rtrim"),
    ),
    filled(
        "trim",
        1,
        "btrim({0}, ' ')",
        &[Takes::Text],
        Kind::Text,
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
        &[Takes::Text],
        Kind::Text,
        (
            "QUOTENAME(s)",
            "('[' || replace(s, ']', ']]') || ']') AS quotename",
        ),
    ),
    filled(
        "ascii",
        1,
        "NULLIF(ascii({0}), 0)",
        &[Takes::Text],
        Kind::Integer,
        ("ASCII(s)", "NULLIF(ascii(s), 0) AS ascii"),
    ),
    filled(
        "unicode",
        1,
        "NULLIF(ascii({0}), 0)",
        &[Takes::Text],
        Kind::Integer,
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

type By = fn(&mut Writer<'_>, &Call<'_>) -> Outcome<Written>;
type Shown = (&'static str, &'static str);

const fn by(name: &'static str, least: usize, most: usize, write: By, case: Shown) -> Rule {
    Rule {
        name,
        arguments: (least, most),
        write: Write::By(write),
        doc: DOC,
        case,
    }
}

const fn plain(
    name: &'static str,
    here: &'static str,
    takes: &'static [Takes],
    case: Shown,
) -> Rule {
    Rule {
        name,
        arguments: (takes.len(), takes.len()),
        write: Write::Plain(here, takes, TEXT),
        doc: DOC,
        case,
    }
}

const fn filled(
    name: &'static str,
    count: usize,
    template: &'static str,
    takes: &'static [Takes],
    kind: Kind,
    case: Shown,
) -> Rule {
    Rule {
        name,
        arguments: (count, count),
        write: Write::Template(template, takes, Returns::Kind(kind)),
        doc: DOC,
        case,
    }
}
