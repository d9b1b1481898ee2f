//! BigQuery's CAST and SAFE_CAST.
//!
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/conversion_functions>

use sqlparser::ast::{DataType, Expr};

use super::timestamps::{day, time_of_utc, zoned};
use crate::dialect::source::untyped;
use crate::dialect::translator::Writer;
use crate::dialect::translator::literal;
use crate::dialect::translator::translated::{Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

/// A cast. `lenient` is SAFE_CAST.
pub fn written(
    writer: &mut Writer<'_>,
    expr: &Expr,
    to: &DataType,
    lenient: bool,
) -> Outcome<Written> {
    let name = to.to_string().to_ascii_uppercase();
    let name = name.split('(').next().unwrap_or_default().trim();
    let value = writer.value(expr)?;
    let written = match name {
        "INT64" | "INT" | "INTEGER" | "BIGINT" | "SMALLINT" | "TINYINT" | "BYTEINT" => {
            integer(&value, lenient)?
        }
        "FLOAT64" => number(&value, lenient, "double precision", Kind::Float)?,
        "NUMERIC" | "DECIMAL" | "BIGNUMERIC" | "BIGDECIMAL" if !to.to_string().contains('(') => {
            number(&value, lenient, "numeric", Kind::Decimal)?
        }
        "STRING" => text(writer, &value)?,
        "BOOL" | "BOOLEAN" => truth(&value)?,
        "DATE" => {
            refuse_unsafe(&value, lenient, name)?;
            match value.kind {
                Kind::Text if value.text_literal().is_none() => cast(&value, "date", Kind::Date),
                _ => day(writer, expr)?,
            }
        }
        "DATETIME" => {
            refuse_unsafe(&value, lenient, name)?;
            match value.kind {
                Kind::Text if value.text_literal().is_none() => {
                    cast(&value, "timestamp", Kind::Timestamp)
                }
                _ => time_of_utc(writer, expr)?,
            }
        }
        "TIMESTAMP" => {
            refuse_unsafe(&value, lenient, name)?;
            zoned(&time_of_utc(writer, expr)?)
        }
        _ => {
            let what = if lenient { "SAFE_CAST" } else { "CAST" };
            return Err(Untranslatable::construct(&format!("{what} AS {name}")));
        }
    };
    Ok(Written {
        name: value
            .name
            .filter(|_| value.form == crate::dialect::translator::translated::Form::Column),
        form: match written.form {
            crate::dialect::translator::translated::Form::Column => {
                crate::dialect::translator::translated::Form::Computed
            }
            form => form,
        },
        ..written
    })
}

/// Halves go away from zero; what is no number is an error, or NULL.
fn integer(value: &Written, lenient: bool) -> Outcome<Written> {
    let text = match value.kind {
        Kind::Integer | Kind::Null => return Ok(value.clone()),
        Kind::Bool => format!("{}::integer", value.atom()),
        Kind::Decimal => format!("round({})::bigint", value.text),
        Kind::Float => format!("round({}::numeric)::bigint", value.atom()),
        Kind::Text => match value.text_literal() {
            Some(content) => match content.trim().parse::<i64>() {
                Ok(number) => return literal_integer(number),
                Err(_) if lenient => "NULL::bigint".to_owned(),
                Err(_) => return Err(untyped(value, "a whole number")),
            },
            None if lenient => guarded(value, r"^\s*[+-]?\d+\s*$", "bigint"),
            None => format!("{}::bigint", value.atom()),
        },
        _ => return Err(untyped(value, "a whole number")),
    };
    let not_null = value.not_null && !lenient;
    Ok(Written::tight(text, Kind::Integer).never_null(not_null))
}

fn literal_integer(number: i64) -> Outcome<Written> {
    if number < 0 {
        return Ok(Written::loose(number.to_string(), Kind::Integer).never_null(true));
    }
    literal::number(&number.to_string())
}

fn number(value: &Written, lenient: bool, to: &str, kind: Kind) -> Outcome<Written> {
    let text = match value.kind {
        Kind::Null => return Ok(value.clone()),
        one if one == kind => return Ok(value.clone()),
        // A NUMERIC has nine digits after the point.
        Kind::Float if kind == Kind::Decimal => format!("round({}::numeric, 9)", value.atom()),
        one if one.is_number() => format!("{}::{to}", value.atom()),
        Kind::Text => {
            let pattern = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$";
            match (value.text_literal(), lenient) {
                (Some(content), true) if content.trim().parse::<f64>().is_err() => {
                    format!("NULL::{to}")
                }
                (None, true) => guarded(value, pattern, to),
                _ => format!("{}::{to}", value.atom()),
            }
        }
        _ => return Err(untyped(value, "a number")),
    };
    let not_null = value.not_null && !lenient;
    Ok(Written::tight(text, kind).never_null(not_null))
}

fn text(writer: &mut Writer<'_>, value: &Written) -> Outcome<Written> {
    writer.textual(value.clone())
}

fn truth(value: &Written) -> Outcome<Written> {
    match value.kind {
        Kind::Bool | Kind::Null => Ok(value.clone()),
        Kind::Integer => {
            let text = format!("({} <> 0)", value.atom());
            Ok(Written::tight(text, Kind::Bool).never_null(value.not_null))
        }
        _ => Err(untyped(value, "a condition")),
    }
}

/// Where the cast may fail and nothing tells beforehand.
fn refuse_unsafe(value: &Written, lenient: bool, name: &str) -> Outcome<()> {
    let may_fail = value.kind == Kind::Text;
    if lenient && may_fail {
        return Err(Untranslatable::construct(&format!("SAFE_CAST AS {name}"))
            .hint("CAST it, or test the text with a regular expression first"));
    }
    Ok(())
}

fn cast(value: &Written, to: &str, kind: Kind) -> Written {
    Written::tight(format!("{}::{to}", value.atom()), kind).never_null(value.not_null)
}

fn guarded(value: &Written, pattern: &str, to: &str) -> String {
    format!(
        "CASE WHEN {0} ~ '{pattern}' THEN {0}::{to} END",
        value.atom()
    )
}
