//! T-SQL's CAST, CONVERT with its styles, TRY_CAST and TRY_CONVERT.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/cast-and-convert-transact-sql>

use sqlparser::ast::{DataType, Expr};

use super::timestamps;
use super::timestamps::style;
use crate::dialect::source::untyped;
use crate::dialect::translator::Writer;
use crate::dialect::translator::convert::cast;
use crate::dialect::translator::literal;
use crate::dialect::translator::translated::{Form, Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

/// A type as it is named: the name in capital letters, and what stands in its parentheses.
struct Named {
    word: String,
    sizes: Vec<String>,
}

/// A cast, with the style of CONVERT. `lenient` is TRY_CAST.
pub fn cast_to(
    writer: &mut Writer<'_>,
    expr: &Expr,
    to: &DataType,
    style: Option<&Expr>,
    lenient: bool,
) -> Outcome<Written> {
    let value = writer.value(expr)?;
    let named = named(to);
    let style = match style {
        None => None,
        Some(style) => match writer.integer(style)?.small_integer() {
            Some(style) => Some(style),
            None => return writer.refuse("a computed style of CONVERT"),
        },
    };
    let written = match named.word.as_str() {
        "INT" | "INTEGER" => whole(writer, &value, "integer", lenient)?,
        "BIGINT" => whole(writer, &value, "bigint", lenient)?,
        "SMALLINT" => whole(writer, &value, "smallint", lenient)?,
        "TINYINT" => whole(writer, &value, "smallint", lenient)?,
        "DECIMAL" | "NUMERIC" | "DEC" => {
            let sizes = match named.sizes.as_slice() {
                [] => "18, 0".to_owned(),
                sizes => sizes.join(", "),
            };
            number(
                writer,
                &value,
                &format!("numeric({sizes})"),
                Kind::Decimal,
                lenient,
            )?
        }
        "MONEY" | "SMALLMONEY" => number(writer, &value, "numeric(19, 4)", Kind::Decimal, lenient)?,
        "FLOAT" | "DOUBLE PRECISION" => {
            let is_double = named
                .sizes
                .first()
                .is_none_or(|size| size.parse::<u8>().is_ok_and(|size| size > 24));
            let to = if is_double {
                "double precision"
            } else {
                "real"
            };
            number(writer, &value, to, Kind::Float, lenient)?
        }
        "REAL" => number(writer, &value, "real", Kind::Float, lenient)?,
        "BIT" => bit(&value)?,
        "VARCHAR" | "NVARCHAR" | "CHAR" | "NCHAR" | "TEXT" | "NTEXT" | "CHARACTER VARYING" => {
            text(writer, value.clone(), &named, style)?
        }
        "DATE" | "DATETIME" | "DATETIME2" => {
            moment(writer, value.clone(), named.word == "DATE", style, lenient)?
        }
        "TIME" => match value.kind {
            Kind::Timestamp | Kind::Time => cast(&value, "time", Kind::Time),
            _ => return Err(untyped(&value, "a timestamp")),
        },
        word => return writer.refuse(&format!("a cast to {word}")),
    };
    Ok(Written {
        name: value.name.filter(|_| value.form == Form::Column),
        form: match written.form {
            Form::Column => Form::Computed,
            form => form,
        },
        ..written
    })
}

fn named(to: &DataType) -> Named {
    let text = to.to_string().to_ascii_uppercase();
    let (word, sizes) = match text.split_once('(') {
        Some((word, sizes)) => (word, sizes.trim_end_matches(')')),
        None => (text.as_str(), ""),
    };
    let word = word.trim().trim_matches(['[', ']']);
    Named {
        word: word.to_owned(),
        sizes: (sizes.split(','))
            .map(|size| size.trim().to_owned())
            .filter(|size| !size.is_empty())
            .collect(),
    }
}

/// What follows the point is cut off, where Postgres would round.
fn whole(writer: &mut Writer<'_>, value: &Written, to: &str, lenient: bool) -> Outcome<Written> {
    Ok(match value.kind {
        Kind::Integer | Kind::Null => match value.number_literal() {
            Some(_) => value.clone(),
            None => cast(value, to, Kind::Integer),
        },
        Kind::Bool => {
            let number = writer.numeric(value.clone())?;
            Written {
                form: Form::Computed,
                ..number
            }
        }
        Kind::Decimal | Kind::Float => {
            let text = format!("CAST(trunc({}) AS {to})", value.text);
            Written::tight(text, Kind::Integer).never_null(value.not_null)
        }
        Kind::Text if lenient && value.text_literal().is_some() => {
            return writer.refuse("TRY_CAST of a string that is written out");
        }
        Kind::Text if lenient => {
            let most: i64 = match to {
                "smallint" => i64::from(i16::MAX),
                "integer" => i64::from(i32::MAX),
                _ => 999_999_999_999_999_999,
            };
            let text = format!(
                "CASE WHEN {0} ~ '^ *$' THEN 0 WHEN {0} ~ '^ *[+-]?[0-9]{{1,18}} *$' THEN \
                 CASE WHEN CAST({1} AS bigint) BETWEEN {2} AND {most} THEN CAST({1} AS {to}) END END",
                value.atom(),
                value.text,
                -most - 1
            );
            Written::tight(text, Kind::Integer)
        }
        Kind::Text => match value
            .text_literal()
            .map(|content| content.trim_matches(' '))
        {
            Some("") => literal::number("0")?,
            Some(content) if literal::number(content).is_ok_and(|n| n.kind == Kind::Integer) => {
                literal::number(content)?
            }
            _ => cast(value, to, Kind::Integer),
        },
        _ => return Err(untyped(value, "a number")),
    })
}

fn number(
    writer: &mut Writer<'_>,
    value: &Written,
    to: &str,
    kind: Kind,
    lenient: bool,
) -> Outcome<Written> {
    Ok(match value.kind {
        Kind::Bool => {
            let number = writer.numeric(value.clone())?;
            cast(&number, to, kind)
        }
        one if one.is_number() || one == Kind::Null || one == Kind::Unclear => {
            cast(value, to, kind)
        }
        Kind::Text if lenient && value.text_literal().is_some() => {
            return writer.refuse("TRY_CAST of a string that is written out");
        }
        Kind::Text if lenient => {
            let exponent = if kind == Kind::Float {
                "([eE][+-]?[0-9]+)?"
            } else {
                ""
            };
            let empty = match kind {
                Kind::Float => format!("WHEN {} ~ '^ *$' THEN 0 ", value.atom()),
                _ => String::new(),
            };
            let text = format!(
                "CASE {empty}WHEN {} ~ '^ *[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+){exponent} *$' \
                 THEN CAST({} AS {to}) END",
                value.atom(),
                value.text
            );
            Written::tight(text, kind)
        }
        Kind::Text => cast(value, to, kind),
        _ => return Err(untyped(value, "a number")),
    })
}

fn bit(value: &Written) -> Outcome<Written> {
    if let Some(number) = value.small_integer() {
        return Ok(literal::boolean(number != 0));
    }
    match value.kind {
        Kind::Bool | Kind::Null => Ok(value.clone()),
        kind if kind.is_number() => {
            let text = format!("({} <> 0)", value.atom());
            Ok(Written::tight(text, Kind::Bool).never_null(value.not_null))
        }
        _ => Err(untyped(value, "a number")),
    }
}

/// A date or timestamp. Of strings in columns only those of a style are read.
fn moment(
    writer: &mut Writer<'_>,
    value: Written,
    is_date: bool,
    number: Option<i64>,
    lenient: bool,
) -> Outcome<Written> {
    if value.kind == Kind::Text && lenient {
        return Err(Untranslatable::construct("TRY_CAST of a string to a date")
            .hint("cast it, or test it with a regular expression first"));
    }
    let pattern = match number {
        None | Some(0) => None,
        Some(number) => Some(style(number).ok_or_else(unknown_style)?),
    };
    let written = match (value.kind, pattern) {
        (Kind::Text, Some(pattern)) if !pattern.starts_with("YYYY") => {
            if !pattern.ends_with("YYYY") || pattern.contains("Mon") {
                return Err(unknown_style());
            }
            if value.text_literal().is_none() {
                writer.likely();
            }
            let text = format!("to_date({}, '{pattern}')", value.text);
            Written::tight(text, Kind::Date).never_null(value.not_null)
        }
        _ => timestamps::dated(writer, value)?,
    };
    if is_date {
        Ok(timestamps::day(&written))
    } else {
        writer.stamped(written)
    }
}

fn unknown_style() -> Untranslatable {
    Untranslatable::construct("this style of CONVERT")
        .hint("write to_char(value, 'YYYY-MM-DD HH24:MI:SS') with the pattern that is meant")
}

/// Text of a length: what is longer is cut, a number that is longer is a star.
fn text(
    writer: &mut Writer<'_>,
    value: Written,
    named: &Named,
    number: Option<i64>,
) -> Outcome<Written> {
    let room: Option<usize> = match (named.word.as_str(), named.sizes.first()) {
        ("TEXT" | "NTEXT", _) => None,
        (_, None) => Some(30),
        (_, Some(size)) if size == "MAX" => None,
        (_, Some(size)) => Some(size.parse().map_err(|_| unknown_style())?),
    };
    let padded = matches!(named.word.as_str(), "CHAR" | "NCHAR");
    let (text, longest) = match value.kind {
        kind if kind.is_moment() => moment_text(writer, value, number, room)?,
        Kind::Integer | Kind::Bool => return integer_text(writer, value, named, room),
        Kind::Float => return Err(untyped(&value, "text").hint("round it to a DECIMAL first")),
        _ => (writer.textual(value)?, None),
    };
    let not_null = text.not_null;
    Ok(match room {
        Some(room) if padded => {
            let written = format!("rpad({}, {room})", text.text);
            Written::tight(written, Kind::Text).never_null(not_null)
        }
        Some(room) if longest.is_none_or(|longest| longest > room) => {
            let written = format!("\"left\"({}, {room})", text.text);
            Written::tight(written, Kind::Text).never_null(not_null)
        }
        _ => text,
    })
}

/// A date as text, and how long it is.
fn moment_text(
    writer: &mut Writer<'_>,
    value: Written,
    number: Option<i64>,
    room: Option<usize>,
) -> Outcome<(Written, Option<usize>)> {
    let is_date = value.kind == Kind::Date;
    let pattern = match (number, is_date) {
        (None, true) => "YYYY-MM-DD",
        (None, false) => {
            return Err(untyped(&value, "text").hint("CONVERT it with a style such as 120"));
        }
        (Some(number), _) => style(number).ok_or_else(unknown_style)?,
    };
    // A date has no time of day, and is written without.
    let pattern = match is_date {
        true if pattern.starts_with("HH") => return Err(unknown_style()),
        true => pattern
            .split([' ', '"'])
            .next()
            .filter(|first| first.len() == 10 && first.starts_with("YYYY-"))
            .unwrap_or(pattern),
        false => pattern,
    };
    let full = if pattern.contains("T\"") {
        19
    } else {
        pattern.replace("24", "").len()
    };
    let cuts_fraction = room.is_some_and(|room| room <= 19);
    let has_fraction = pattern.ends_with(".MS") || pattern.contains("T\"");
    if has_fraction && !cuts_fraction {
        return Err(unknown_style());
    }
    let stamp = writer.stamped(value)?;
    let text = format!("to_char({}, '{pattern}')", stamp.text);
    let written = Written::tight(text, Kind::Text).never_null(stamp.not_null);
    Ok((written, Some(full)))
}

fn integer_text(
    writer: &mut Writer<'_>,
    value: Written,
    named: &Named,
    room: Option<usize>,
) -> Outcome<Written> {
    let not_null = value.not_null;
    let is_year = value.text.starts_with("CAST(EXTRACT(");
    let text = writer.textual(value)?;
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
            text.atom()
        ),
        (false, true) => return writer.refuse("a number in a CHAR that may be too short"),
    };
    Ok(Written::tight(written, Kind::Text).never_null(not_null))
}
