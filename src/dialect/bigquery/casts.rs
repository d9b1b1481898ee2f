//! BigQuery's CAST and SAFE_CAST.
//!
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/conversion_functions>

use sqlparser::ast::{DataType, Expr};

use super::timestamps::{day, time_of_utc, zoned};
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::literal;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

/// A cast. `lenient` is SAFE_CAST.
pub fn written(
    translator: &mut Translator<'_>,
    expr: &Expr,
    to: &DataType,
    lenient: bool,
) -> TranslateResult<Translated> {
    let name = to.to_string().to_ascii_uppercase();
    let name = name.split('(').next().unwrap_or_default().trim();
    let value = translator.value(expr)?;
    let written = match name {
        "INT64" | "INT" | "INTEGER" | "BIGINT" | "SMALLINT" | "TINYINT" | "BYTEINT" => {
            integer(&value, lenient)?
        }
        "FLOAT64" => number(&value, lenient, "double precision", SqlType::Float)?,
        "NUMERIC" | "DECIMAL" | "BIGNUMERIC" | "BIGDECIMAL" if !to.to_string().contains('(') => {
            number(&value, lenient, "numeric", SqlType::Decimal)?
        }
        "STRING" => text(translator, &value)?,
        "BOOL" | "BOOLEAN" => truth(&value)?,
        "DATE" => {
            refuse_unsafe(&value, lenient, name)?;
            match value.kind {
                SqlType::Text if value.text_literal().is_none() => {
                    cast(&value, "date", SqlType::Date)
                }
                _ => day(translator, expr)?,
            }
        }
        "DATETIME" => {
            refuse_unsafe(&value, lenient, name)?;
            match value.kind {
                SqlType::Text if value.text_literal().is_none() => {
                    cast(&value, "timestamp", SqlType::Timestamp)
                }
                _ => time_of_utc(translator, expr)?,
            }
        }
        "TIMESTAMP" => {
            refuse_unsafe(&value, lenient, name)?;
            zoned(&time_of_utc(translator, expr)?)
        }
        _ => {
            let what = if lenient { "SAFE_CAST" } else { "CAST" };
            return Err(Untranslatable::construct(&format!("{what} AS {name}")));
        }
    };
    Ok(Translated {
        name: value
            .name
            .filter(|_| value.form == crate::translator::translated::TranslatedForm::Column),
        form: match written.form {
            crate::translator::translated::TranslatedForm::Column => {
                crate::translator::translated::TranslatedForm::Computed
            }
            form => form,
        },
        ..written
    })
}

/// Halves go away from zero; what is no number is an error, or NULL.
fn integer(value: &Translated, lenient: bool) -> TranslateResult<Translated> {
    let text = match value.kind {
        SqlType::Integer | SqlType::Null => return Ok(value.clone()),
        SqlType::Bool => format!("{}::integer", value.operand()),
        SqlType::Decimal => format!("round({})::bigint", value.text),
        SqlType::Float => format!("round({}::numeric)::bigint", value.operand()),
        SqlType::Text => match value.text_literal() {
            Some(content) => match content.trim().parse::<i64>() {
                Ok(number) => return literal_integer(number),
                Err(_) if lenient => "NULL::bigint".to_owned(),
                Err(_) => return Err(untyped(value, "a whole number")),
            },
            None if lenient => guarded(value, r"^\s*[+-]?\d+\s*$", "bigint"),
            None => format!("{}::bigint", value.operand()),
        },
        _ => return Err(untyped(value, "a whole number")),
    };
    let not_null = value.not_null && !lenient;
    Ok(Translated::primary(text, SqlType::Integer).never_null(not_null))
}

fn literal_integer(number: i64) -> TranslateResult<Translated> {
    if number < 0 {
        return Ok(Translated::compound(number.to_string(), SqlType::Integer).never_null(true));
    }
    literal::number(&number.to_string())
}

fn number(
    value: &Translated,
    lenient: bool,
    to: &str,
    kind: SqlType,
) -> TranslateResult<Translated> {
    let text = match value.kind {
        SqlType::Null => return Ok(value.clone()),
        one if one == kind => return Ok(value.clone()),
        // A NUMERIC has nine digits after the point.
        SqlType::Float if kind == SqlType::Decimal => {
            format!("round({}::numeric, 9)", value.operand())
        }
        one if one.is_number() => format!("{}::{to}", value.operand()),
        SqlType::Text => {
            let pattern = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$";
            match (value.text_literal(), lenient) {
                (Some(content), true) if content.trim().parse::<f64>().is_err() => {
                    format!("NULL::{to}")
                }
                (None, true) => guarded(value, pattern, to),
                _ => format!("{}::{to}", value.operand()),
            }
        }
        _ => return Err(untyped(value, "a number")),
    };
    let not_null = value.not_null && !lenient;
    Ok(Translated::primary(text, kind).never_null(not_null))
}

fn text(translator: &mut Translator<'_>, value: &Translated) -> TranslateResult<Translated> {
    translator.as_text(value.clone())
}

fn truth(value: &Translated) -> TranslateResult<Translated> {
    match value.kind {
        SqlType::Bool | SqlType::Null => Ok(value.clone()),
        SqlType::Integer => {
            let text = format!("({} <> 0)", value.operand());
            Ok(Translated::primary(text, SqlType::Bool).never_null(value.not_null))
        }
        _ => Err(untyped(value, "a condition")),
    }
}

/// Where the cast may fail and nothing tells beforehand.
fn refuse_unsafe(value: &Translated, lenient: bool, name: &str) -> TranslateResult<()> {
    let may_fail = value.kind == SqlType::Text;
    if lenient && may_fail {
        return Err(Untranslatable::construct(&format!("SAFE_CAST AS {name}"))
            .hint("CAST it, or test the text with a regular expression first"));
    }
    Ok(())
}

fn cast(value: &Translated, to: &str, kind: SqlType) -> Translated {
    Translated::primary(format!("{}::{to}", value.operand()), kind).never_null(value.not_null)
}

fn guarded(value: &Translated, pattern: &str, to: &str) -> String {
    format!(
        "CASE WHEN {0} ~ '{pattern}' THEN {0}::{to} END",
        value.operand()
    )
}
