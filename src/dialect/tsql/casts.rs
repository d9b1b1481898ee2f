//! T-SQL's CAST, CONVERT with its styles, TRY_CAST and TRY_CONVERT.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/cast-and-convert-transact-sql>

use sqlparser::ast::{DataType, Expr};

use super::temporal_casts::{
    cast_to_temporal, digits_of_seconds, temporal_as_text, time, unknown_style,
};
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::convert::cast;
use crate::translator::literal;
use crate::translator::translated::{Translated, TranslatedForm};
use crate::translator::untranslatable::TranslateResult;

/// A type as it is named: the name in capital letters, and what stands in its parentheses.
struct NamedType {
    word: String,
    sizes: Vec<String>,
}

/// A cast, with the style of CONVERT. `lenient` is TRY_CAST.
pub fn cast_to(
    translator: &mut Translator<'_>,
    expr: &Expr,
    to: &DataType,
    style: Option<&Expr>,
    lenient: bool,
) -> TranslateResult<Translated> {
    let value = translator.value(expr)?;
    cast_value(translator, value, to, style, lenient)
}

/// The same of a value.
pub fn cast_value(
    translator: &mut Translator<'_>,
    value: Translated,
    to: &DataType,
    style: Option<&Expr>,
    lenient: bool,
) -> TranslateResult<Translated> {
    let named = named(to);
    let style = style_number(translator, style)?;
    let written = match named.word.as_str() {
        "INT" | "INTEGER" => whole(translator, &value, "integer", lenient)?,
        "BIGINT" => whole(translator, &value, "bigint", lenient)?,
        "SMALLINT" => whole(translator, &value, "smallint", lenient)?,
        "TINYINT" => whole(translator, &value, "smallint", lenient)?,
        "DECIMAL" | "NUMERIC" | "DEC" => {
            let sizes = match named.sizes.as_slice() {
                [] => "18, 0".to_owned(),
                sizes => sizes.join(", "),
            };
            number(
                translator,
                &value,
                &format!("numeric({sizes})"),
                SqlType::Decimal,
                lenient,
            )?
        }
        "MONEY" | "SMALLMONEY" => number(
            translator,
            &value,
            "numeric(19, 4)",
            SqlType::Decimal,
            lenient,
        )?,
        "FLOAT" | "DOUBLE PRECISION" => {
            let to = float_type(&named);
            number(translator, &value, to, SqlType::Float, lenient)?
        }
        "REAL" => number(translator, &value, "real", SqlType::Float, lenient)?,
        "BIT" => bit(&value)?,
        "VARCHAR" | "NVARCHAR" | "CHAR" | "NCHAR" | "TEXT" | "NTEXT" | "CHARACTER VARYING" => {
            text(translator, value.clone(), &named, style)?
        }
        "DATE" | "DATETIME" | "DATETIME2" => {
            let is_date = named.word == "DATE";
            let moment = cast_to_temporal(translator, value.clone(), is_date, style, lenient)?;
            match digits_of_seconds(&named.sizes)? {
                Some(digits) => cast(&moment, &format!("timestamp({digits})"), moment.kind),
                None => moment,
            }
        }
        "TIME" => time(&value, &named.sizes)?,
        "UNIQUEIDENTIFIER" => unique_identifier(&value)?,
        word => return translator.refuse(&format!("a cast to {word}")),
    };
    Ok(Translated {
        name: value.name.filter(|_| value.form == TranslatedForm::Column),
        form: match written.form {
            TranslatedForm::Column => TranslatedForm::Computed,
            form => form,
        },
        ..written
    })
}

fn named(to: &DataType) -> NamedType {
    let text = to.to_string().to_ascii_uppercase();
    let (word, sizes) = match text.split_once('(') {
        Some((word, sizes)) => (word, sizes.trim_end_matches(')')),
        None => (text.as_str(), ""),
    };
    let word = word.trim().trim_matches(['[', ']']);
    NamedType {
        word: word.to_owned(),
        sizes: (sizes.split(','))
            .map(|size| size.trim().to_owned())
            .filter(|size| !size.is_empty())
            .collect(),
    }
}

/// The number of a style that CONVERT is given.
fn style_number(
    translator: &mut Translator<'_>,
    style: Option<&Expr>,
) -> TranslateResult<Option<i64>> {
    let Some(style) = style else {
        return Ok(None);
    };
    match translator.integer(style)?.small_integer() {
        Some(number) => Ok(Some(number)),
        None => translator.refuse("a computed style of CONVERT"),
    }
}

/// FLOAT of up to 24 bits is `real`.
fn float_type(named: &NamedType) -> &'static str {
    let is_double = named
        .sizes
        .first()
        .is_none_or(|size| size.parse::<u8>().is_ok_and(|size| size > 24));
    if is_double {
        "double precision"
    } else {
        "real"
    }
}

/// What follows the point is cut off, where Postgres would round.
fn whole(
    translator: &mut Translator<'_>,
    value: &Translated,
    to: &str,
    lenient: bool,
) -> TranslateResult<Translated> {
    Ok(match value.kind {
        SqlType::Integer | SqlType::Null => match value.number_literal() {
            Some(_) => value.clone(),
            None => cast(value, to, SqlType::Integer),
        },
        SqlType::Bool => {
            let number = translator.numeric(value.clone())?;
            Translated {
                form: TranslatedForm::Computed,
                ..number
            }
        }
        SqlType::Decimal | SqlType::Float => {
            let text = format!("CAST(trunc({}) AS {to})", value.text);
            Translated::primary(text, SqlType::Integer).never_null(value.not_null)
        }
        SqlType::Text if lenient && value.text_literal().is_some() => {
            return translator.refuse("TRY_CAST of a string that is written out");
        }
        SqlType::Text if lenient => {
            let most: i64 = match to {
                "smallint" => i64::from(i16::MAX),
                "integer" => i64::from(i32::MAX),
                _ => 999_999_999_999_999_999,
            };
            let text = format!(
                "CASE WHEN {0} ~ '^ *$' THEN 0 WHEN {0} ~ '^ *[+-]?[0-9]{{1,18}} *$' THEN \
                 CASE WHEN CAST({1} AS bigint) BETWEEN {2} AND {most} THEN CAST({1} AS {to}) END END",
                value.operand(),
                value.text,
                -most - 1
            );
            Translated::primary(text, SqlType::Integer)
        }
        SqlType::Text => match value
            .text_literal()
            .map(|content| content.trim_matches(' '))
        {
            Some("") => literal::number("0")?,
            Some(content) if literal::number(content).is_ok_and(|n| n.kind == SqlType::Integer) => {
                literal::number(content)?
            }
            _ => cast(value, to, SqlType::Integer),
        },
        _ => return Err(untyped(value, "a number")),
    })
}

fn number(
    translator: &mut Translator<'_>,
    value: &Translated,
    to: &str,
    kind: SqlType,
    lenient: bool,
) -> TranslateResult<Translated> {
    Ok(match value.kind {
        SqlType::Bool => {
            let number = translator.numeric(value.clone())?;
            cast(&number, to, kind)
        }
        one if one.is_number() || one == SqlType::Null || one == SqlType::Unclear => {
            cast(value, to, kind)
        }
        SqlType::Text if lenient && value.text_literal().is_some() => {
            return translator.refuse("TRY_CAST of a string that is written out");
        }
        SqlType::Text if lenient => {
            let exponent = if kind == SqlType::Float {
                "([eE][+-]?[0-9]+)?"
            } else {
                ""
            };
            let empty = match kind {
                SqlType::Float => format!("WHEN {} ~ '^ *$' THEN 0 ", value.operand()),
                _ => String::new(),
            };
            let text = format!(
                "CASE {empty}WHEN {} ~ '^ *[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+){exponent} *$' \
                 THEN CAST({} AS {to}) END",
                value.operand(),
                value.text
            );
            Translated::primary(text, kind)
        }
        SqlType::Text => cast(value, to, kind),
        _ => return Err(untyped(value, "a number")),
    })
}

fn bit(value: &Translated) -> TranslateResult<Translated> {
    if let Some(number) = value.small_integer() {
        return Ok(literal::boolean(number != 0));
    }
    match value.kind {
        SqlType::Bool | SqlType::Null => Ok(value.clone()),
        kind if kind.is_number() => {
            let text = format!("({} <> 0)", value.operand());
            Ok(Translated::primary(text, SqlType::Bool).never_null(value.not_null))
        }
        _ => Err(untyped(value, "a number")),
    }
}

/// What is no such identifier is an error in both.
fn unique_identifier(value: &Translated) -> TranslateResult<Translated> {
    match value.kind {
        SqlType::Text | SqlType::Uuid | SqlType::Null => Ok(cast(value, "uuid", SqlType::Uuid)),
        _ => Err(untyped(value, "a string")),
    }
}

/// Text of a length: what is longer is cut, a number that is longer is a star.
fn text(
    translator: &mut Translator<'_>,
    value: Translated,
    named: &NamedType,
    number: Option<i64>,
) -> TranslateResult<Translated> {
    let room: Option<usize> = match (named.word.as_str(), named.sizes.first()) {
        ("TEXT" | "NTEXT", _) => None,
        (_, None) => Some(30),
        (_, Some(size)) if size == "MAX" => None,
        (_, Some(size)) => Some(size.parse().map_err(|_| unknown_style())?),
    };
    let padded = matches!(named.word.as_str(), "CHAR" | "NCHAR");
    let (text, longest) = match value.kind {
        kind if kind.is_temporal() => temporal_as_text(translator, value, number, room)?,
        SqlType::Integer | SqlType::Bool => return integer_text(translator, value, named, room),
        SqlType::Float => return Err(untyped(&value, "text").hint("round it to a DECIMAL first")),
        SqlType::Uuid => {
            let written = format!("upper(CAST({} AS text))", value.text);
            let text = Translated::primary(written, SqlType::Text);
            (text.never_null(value.not_null), Some(36))
        }
        _ => (translator.as_text(value)?, None),
    };
    let not_null = text.not_null;
    Ok(match room {
        // The type of a column is not that of what is made of it, which a recursive query tells.
        None if text.form == TranslatedForm::Column => Translated {
            text: format!("CAST({} AS text)", text.text),
            form: TranslatedForm::Computed,
            ..text
        },
        Some(room) if padded => {
            let written = format!("rpad({}, {room})", text.text);
            Translated::primary(written, SqlType::Text).never_null(not_null)
        }
        Some(room) if longest.is_none_or(|longest| longest > room) => {
            let written = format!("\"left\"({}, {room})", text.text);
            Translated::primary(written, SqlType::Text).never_null(not_null)
        }
        _ => text,
    })
}

fn integer_text(
    translator: &mut Translator<'_>,
    value: Translated,
    named: &NamedType,
    room: Option<usize>,
) -> TranslateResult<Translated> {
    let not_null = value.not_null;
    let is_year = value.text.starts_with("CAST(EXTRACT(");
    let text = translator.as_text(value)?;
    let fits = |room: usize| {
        let literal = text.text_literal().map(|digits| digits.len());
        room >= 20 || is_year && room >= 4 || literal.is_some_and(|length| length <= room)
    };
    let Some(room) = room else { return Ok(text) };
    let padded = matches!(named.word.as_str(), "CHAR" | "NCHAR");
    let written = match (fits(room), padded) {
        (true, false) => return Ok(text),
        (true, true) => format!("rpad({}, {room})", text.text),
        // Others are an error there.
        (false, false) => format!(
            "CASE WHEN length({0}) <= {room} THEN {0} WHEN {1} IS NOT NULL THEN '*' END",
            text.text,
            text.operand()
        ),
        (false, true) => return translator.refuse("a number in a CHAR that may be too short"),
    };
    Ok(Translated::primary(written, SqlType::Text).never_null(not_null))
}
