//! Casts of Snowflake and DuckDB, `x::type` among them.
//!
//! <https://docs.snowflake.com/en/sql-reference/data-type-conversion>

use sqlparser::ast::{DataType, Expr};

use super::conditionals::cast_if;
use super::date_functions::dated;
use crate::dialect::source::untyped;
use crate::dialect::translator::Writer;
use crate::dialect::translator::convert::cast;
use crate::dialect::translator::translated::{Form, Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};
use crate::dialect::tsql::timestamps::day;
use crate::policy::Dialect;

/// What a text has to be for a number to be in it.
pub const NUMBER: &str = "^ *[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+) *$";

/// A cast. `lenient` is TRY_CAST.
pub fn cast_to(
    writer: &mut Writer<'_>,
    expr: &Expr,
    to: &DataType,
    lenient: bool,
) -> Outcome<Written> {
    let text = to.to_string().to_ascii_uppercase();
    let (word, sizes) = match text.split_once('(') {
        Some((word, sizes)) => (word.trim(), sizes.trim_end_matches(')')),
        None => (text.as_str(), ""),
    };
    let value = writer.value(expr)?;
    let is_snowflake = writer.source.dialect() == Dialect::Snowflake;
    let usual = if is_snowflake { "38, 0" } else { "18, 3" };
    let sizes = match sizes {
        "" => usual.to_owned(),
        one if !one.contains(',') => format!("{one}, 0"),
        both => both.to_owned(),
    };
    let written = match word {
        "INT" | "INTEGER" | "BIGINT" | "SMALLINT" | "TINYINT" | "BYTEINT" | "INT4" | "INT8"
        | "INT64" => whole(&value, lenient)?,
        "NUMBER" | "DECIMAL" | "NUMERIC" => {
            number(&value, &format!("numeric({sizes})"), Kind::Decimal, lenient)?
        }
        "FLOAT" | "DOUBLE" | "FLOAT8" | "DOUBLE PRECISION" | "FLOAT64"
            if word != "FLOAT" || is_snowflake =>
        {
            number(&value, "double precision", Kind::Float, lenient)?
        }
        "REAL" | "FLOAT4" | "FLOAT" => number(&value, "real", Kind::Float, lenient)?,
        "VARCHAR" | "STRING" | "TEXT" | "CHAR" if text == word || word != "CHAR" => {
            if is_snowflake && text != word && value.kind != Kind::Text {
                return writer.refuse("a VARCHAR of a length");
            }
            writer.textual(value.clone())?
        }
        "BOOLEAN" | "BOOL" => match value.kind {
            Kind::Bool | Kind::Null => value.clone(),
            kind if kind.is_number() => {
                let text = format!("({} <> 0)", value.atom());
                Written::tight(text, Kind::Bool).never_null(value.not_null)
            }
            _ => return Err(untyped(&value, "a boolean")),
        },
        "DATE" | "TIMESTAMP" | "DATETIME" | "TIMESTAMP_NTZ" => {
            if lenient && value.kind == Kind::Text {
                return Err(Untranslatable::construct("TRY_CAST of a string to a date")
                    .hint("cast it, or test it with a regular expression first"));
            }
            let moment = dated(writer, value.clone())?;
            match word {
                "DATE" => day(&moment),
                _ => writer.stamped(moment)?,
            }
        }
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

/// Halves go away from zero.
fn whole(value: &Written, lenient: bool) -> Outcome<Written> {
    Ok(match value.kind {
        Kind::Integer | Kind::Null => cast(value, "bigint", Kind::Integer),
        Kind::Decimal => cast(value, "bigint", Kind::Integer),
        Kind::Bool => cast(value, "integer", Kind::Integer),
        Kind::Float => {
            let text = format!("CAST(CAST({} AS numeric) AS bigint)", value.text);
            Written::tight(text, Kind::Integer).never_null(value.not_null)
        }
        Kind::Text => {
            let text = format!("CAST(CAST({} AS numeric) AS bigint)", value.text);
            match lenient {
                true => cast_if(value, NUMBER, &text, Kind::Integer),
                false => Written::tight(text, Kind::Integer).never_null(value.not_null),
            }
        }
        _ => return Err(untyped(value, "a number")),
    })
}

fn number(value: &Written, to: &str, kind: Kind, lenient: bool) -> Outcome<Written> {
    Ok(match value.kind {
        one if one.is_number() || one == Kind::Null => cast(value, to, kind),
        Kind::Text if lenient => {
            let text = format!("CAST({} AS {to})", value.text);
            cast_if(value, NUMBER, &text, kind)
        }
        Kind::Text => cast(value, to, kind),
        _ => return Err(untyped(value, "a number")),
    })
}
