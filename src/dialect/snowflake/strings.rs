//! Functions of texts of Snowflake and DuckDB.
//!
//! <https://docs.snowflake.com/en/sql-reference/functions-string>

use super::date_functions::pattern_of;
use crate::dialect::bigquery::regexp::{RegexpUse, pattern};
use crate::dialect::source::{ArgumentType, FunctionRule, FunctionTranslation, ReturnType};
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::literal;
use crate::dialect::translator::translated::{SqlType, Translated};
use crate::dialect::translator::untranslatable::TranslateResult;

const DOC: &str = "https://docs.snowflake.com/en/sql-reference/functions-string";
const TEXT: ReturnType = ReturnType::Kind(SqlType::Text);

/// What both have.
pub const SHARED_RULES: &[FunctionRule] = &[
    plain(
        "upper",
        "upper",
        1,
        1,
        &[ArgumentType::Text],
        TEXT,
        ("UPPER(s)", "upper(s)"),
    ),
    plain(
        "lower",
        "lower",
        1,
        1,
        &[ArgumentType::Text],
        TEXT,
        ("LOWER(s)", "lower(s)"),
    ),
    plain(
        "reverse",
        "reverse",
        1,
        1,
        &[ArgumentType::Text],
        TEXT,
        ("REVERSE(s)", "reverse(s)"),
    ),
    plain(
        "length",
        "length",
        1,
        1,
        &[ArgumentType::Text],
        ReturnType::Kind(SqlType::Integer),
        ("LENGTH(s)", "length(s)"),
    ),
    plain(
        "trim",
        "btrim",
        1,
        2,
        &[ArgumentType::Text],
        TEXT,
        ("TRIM(s)", "btrim(s)"),
    ),
    plain(
        "ltrim",
        "ltrim",
        1,
        2,
        &[ArgumentType::Text],
        TEXT,
        ("LTRIM(s)", "ltrim(s)"),
    ),
    plain(
        "rtrim",
        "rtrim",
        1,
        2,
        &[ArgumentType::Text],
        TEXT,
        ("RTRIM(s)", "rtrim(s)"),
    ),
    plain(
        "replace",
        "replace",
        3,
        3,
        &[ArgumentType::Text],
        TEXT,
        ("REPLACE(s, 'a', 'b')", "replace(s, 'a', 'b')"),
    ),
    plain(
        "lpad",
        "lpad",
        3,
        3,
        &[
            ArgumentType::Text,
            ArgumentType::Integer,
            ArgumentType::Text,
        ],
        TEXT,
        ("LPAD(s, 5, '0')", "lpad(s, 5, '0')"),
    ),
    plain(
        "rpad",
        "rpad",
        3,
        3,
        &[
            ArgumentType::Text,
            ArgumentType::Integer,
            ArgumentType::Text,
        ],
        TEXT,
        ("RPAD(s, 5, '0')", "rpad(s, 5, '0')"),
    ),
    plain(
        "repeat",
        "repeat",
        2,
        2,
        &[ArgumentType::Text, ArgumentType::Integer],
        TEXT,
        ("REPEAT(s, 2)", "repeat(s, 2)"),
    ),
    by(
        "substr",
        2,
        3,
        part,
        ("SUBSTR(s, 2, 3)", "substr(s, 2, 3) AS \"substring\""),
    ),
    by(
        "substring",
        2,
        3,
        part,
        ("SUBSTRING(s, 2)", "substr(s, 2) AS \"substring\""),
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
    filled(
        "contains",
        "(strpos({0}, {1}) > 0)",
        SqlType::Bool,
        ("CONTAINS(s, 'a')", "(strpos(s, 'a') > 0) AS contains"),
    ),
];

/// What Snowflake alone has.
pub const RULES: &[FunctionRule] = &[
    plain(
        "len",
        "length",
        1,
        1,
        &[ArgumentType::Text],
        ReturnType::Kind(SqlType::Integer),
        ("LEN(s)", "length(s) AS len"),
    ),
    plain(
        "split_part",
        "split_part",
        3,
        3,
        &[
            ArgumentType::Text,
            ArgumentType::Text,
            ArgumentType::Integer,
        ],
        TEXT,
        ("SPLIT_PART(s, '-', 1)", "split_part(s, '-', 1)"),
    ),
    filled(
        "startswith",
        "starts_with({0}, {1})",
        SqlType::Bool,
        ("STARTSWITH(s, 'a')", "starts_with(s, 'a') AS startswith"),
    ),
    filled(
        "endswith",
        "(\"right\"({0}, length({1})) = {1})",
        SqlType::Bool,
        (
            "ENDSWITH(s, 'a')",
            "(\"right\"(s, length('a')) = 'a') AS endswith",
        ),
    ),
    by(
        "charindex",
        2,
        2,
        place,
        ("CHARINDEX('a', s)", "strpos(s, 'a') AS charindex"),
    ),
    by(
        "position",
        2,
        2,
        place,
        ("POSITION('a', s)", "strpos(s, 'a') AS \"position\""),
    ),
    by(
        "concat",
        1,
        64,
        concat,
        (
            "CONCAT(s, '-', n)",
            "(s || '-' || CAST(n AS text)) AS concat",
        ),
    ),
    by(
        "regexp_like",
        2,
        2,
        matches,
        (
            "REGEXP_LIKE(s, '[a-z]+')",
            "(s ~ '^(?:[a-z]+)$') AS regexp_like",
        ),
    ),
    by(
        "rlike",
        2,
        2,
        matches,
        ("RLIKE(s, '[a-z]+')", "(s ~ '^(?:[a-z]+)$') AS rlike"),
    ),
    by(
        "to_varchar",
        1,
        2,
        shown,
        (
            "TO_VARCHAR(m, 'YYYY-MM-DD')",
            "to_char(m, 'YYYY-MM-DD') AS to_varchar",
        ),
    ),
    by(
        "to_char",
        1,
        2,
        shown,
        ("TO_CHAR(m, 'YYYY-MM')", "to_char(m, 'YYYY-MM')"),
    ),
];

type StringCase = (&'static str, &'static str);

const fn by(
    name: &'static str,
    least: usize,
    most: usize,
    write: fn(&mut Translator<'_>, &SourceCall<'_>) -> TranslateResult<Translated>,
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
    least: usize,
    most: usize,
    takes: &'static [ArgumentType],
    returns: ReturnType,
    case: StringCase,
) -> FunctionRule {
    FunctionRule {
        name,
        arguments: (least, most),
        write: FunctionTranslation::Plain(here, takes, returns),
        doc: DOC,
        case,
    }
}

/// Of two texts.
const fn filled(
    name: &'static str,
    template: &'static str,
    kind: SqlType,
    case: StringCase,
) -> FunctionRule {
    FunctionRule {
        name,
        arguments: (2, 2),
        write: FunctionTranslation::Template(
            template,
            &[ArgumentType::Text],
            ReturnType::Kind(kind),
        ),
        doc: DOC,
        case,
    }
}

/// SUBSTR: a start below 1 counts otherwise there.
pub fn part(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let text = translator.text(call.argument(0)?)?;
    let start = translator.integer(call.argument(1)?)?;
    if start.small_integer().is_none_or(|start| start < 1) {
        return Err(call.refused().hint("its start has to be a number from 1"));
    }
    let mut arguments = vec![text.text.clone(), start.text];
    if let Some(length) = call.arguments.get(2) {
        let length = translator.integer(length)?;
        if length.small_integer().is_some_and(|length| length < 0) {
            return Err(call.refused());
        }
        arguments.push(length.text);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    Ok(Translated::call("substr", &arguments, SqlType::Text))
}

/// LEFT and RIGHT: a negative count means something else in each.
fn side(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let text = translator.text(call.argument(0)?)?;
    let count = translator.integer(call.argument(1)?)?;
    if count.small_integer().is_none_or(|count| count < 0) {
        return Err(call.refused().hint("its length has to be a number from 0"));
    }
    let written = format!("\"{}\"({}, {})", call.name, text.text, count.text);
    Ok(Translated::primary(written, SqlType::Text).never_null(text.not_null))
}

/// CHARINDEX(part, text), POSITION(part IN text)
fn place(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let part = translator.text(call.argument(0)?)?;
    let text = translator.text(call.argument(1)?)?;
    let not_null = part.not_null && text.not_null;
    Ok(
        Translated::call("strpos", &[&text.text, &part.text], SqlType::Integer)
            .never_null(not_null),
    )
}

/// CONCAT is NULL where any argument is.
fn concat(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let mut texts = Vec::new();
    for argument in &call.arguments {
        texts.push(translator.text(argument)?);
    }
    let not_null = texts.iter().all(|text| text.not_null);
    let parts: Vec<String> = texts.iter().map(Translated::operand).collect();
    let text = format!("({})", parts.join(" || "));
    Ok(Translated::primary(text, SqlType::Text).never_null(not_null))
}

/// REGEXP_LIKE: the whole of the text.
fn matches(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let text = translator.text(call.argument(0)?)?;
    let wanted = translator.value(call.argument(1)?)?;
    let Some(content) = wanted.text_literal() else {
        return Err(call.refused().hint("its pattern has to be a string"));
    };
    let body = pattern(content, RegexpUse::Presence)?;
    let whole = literal::quoted(&format!("^(?:{body})$"));
    let text = Translated::primary(format!("({} ~ {whole})", text.operand()), SqlType::Bool)
        .never_null(text.not_null);
    Ok(text)
}

/// TO_VARCHAR(value [, pattern])
fn shown(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.value(call.argument(0)?)?;
    let Some(wanted) = call.arguments.get(1) else {
        return translator.as_text(value);
    };
    let wanted = translator.value(wanted)?;
    let pattern = wanted.text_literal().and_then(pattern_of);
    let (true, Some(pattern)) = (value.kind.is_temporal(), pattern) else {
        return Err(call
            .refused()
            .hint("only patterns of dates such as 'YYYY-MM-DD' are translated"));
    };
    let stamp = translator.as_timestamp(value)?;
    let text = format!("to_char({}, {})", stamp.text, literal::quoted(&pattern));
    Ok(Translated {
        name: Some("to_char".to_owned()),
        ..Translated::primary(text, SqlType::Text).never_null(stamp.not_null)
    })
}
