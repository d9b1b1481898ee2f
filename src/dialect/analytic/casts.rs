//! Casts of Snowflake and DuckDB, `x::type` among them.
//!
//! <https://docs.snowflake.com/en/sql-reference/data-type-conversion>

use sqlparser::ast::{DataType, Expr};

use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::convert::cast;
use crate::translator::shared_functions::dates::dated;
use crate::translator::shared_functions::dates::day;
use crate::translator::translated::{Translated, TranslatedForm};
use crate::translator::untranslatable::{TranslateResult, Untranslatable};
use policy::Dialect;

/// What a text has to be for a number to be in it.
pub const NUMBER: &str = "^ *[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+) *$";

/// A cast. `lenient` is TRY_CAST.
pub fn cast_to(
    translator: &mut Translator<'_>,
    expr: &Expr,
    to: &DataType,
    lenient: bool,
) -> TranslateResult<Translated> {
    let text = to.to_string().to_ascii_uppercase();
    let (word, sizes) = match text.split_once('(') {
        Some((word, sizes)) => (word.trim(), sizes.trim_end_matches(')')),
        None => (text.as_str(), ""),
    };
    let value = translator.value(expr)?;
    let is_snowflake = translator.source.dialect() == Dialect::Snowflake;
    let usual = if is_snowflake { "38, 0" } else { "18, 3" };
    let sizes = match sizes {
        "" => usual.to_owned(),
        one if !one.contains(',') => format!("{one}, 0"),
        both => both.to_owned(),
    };
    let written = match word {
        "INT" | "INTEGER" | "BIGINT" | "SMALLINT" | "TINYINT" | "BYTEINT" | "INT4" | "INT8"
        | "INT64" => whole(&value, lenient)?,
        "NUMBER" | "DECIMAL" | "NUMERIC" => number(
            &value,
            &format!("numeric({sizes})"),
            SqlType::Decimal,
            lenient,
        )?,
        "FLOAT" | "DOUBLE" | "FLOAT8" | "DOUBLE PRECISION" | "FLOAT64"
            if word != "FLOAT" || is_snowflake =>
        {
            number(&value, "double precision", SqlType::Float, lenient)?
        }
        "REAL" | "FLOAT4" | "FLOAT" => number(&value, "real", SqlType::Float, lenient)?,
        "VARCHAR" | "STRING" | "TEXT" | "CHAR" if text == word || word != "CHAR" => {
            if is_snowflake && text != word && value.kind != SqlType::Text {
                return translator.refuse("a VARCHAR of a length");
            }
            translator.as_text(value.clone())?
        }
        "BOOLEAN" | "BOOL" => match value.kind {
            SqlType::Bool | SqlType::Null => value.clone(),
            kind if kind.is_number() => {
                let text = format!("({} <> 0)", value.operand());
                Translated::primary(text, SqlType::Bool).never_null(value.not_null)
            }
            _ => return Err(untyped(&value, "a boolean")),
        },
        "DATE" | "TIMESTAMP" | "DATETIME" | "TIMESTAMP_NTZ" => {
            if lenient && value.kind == SqlType::Text {
                return Err(Untranslatable::construct("TRY_CAST of a string to a date")
                    .hint("cast it, or test it with a regular expression first"));
            }
            let moment = dated(translator, value.clone())?;
            match word {
                "DATE" => day(&moment),
                _ => translator.as_timestamp(moment)?,
            }
        }
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

/// Halves go away from zero.
fn whole(value: &Translated, lenient: bool) -> TranslateResult<Translated> {
    Ok(match value.kind {
        SqlType::Integer | SqlType::Null => cast(value, "bigint", SqlType::Integer),
        SqlType::Decimal => cast(value, "bigint", SqlType::Integer),
        SqlType::Bool => cast(value, "integer", SqlType::Integer),
        SqlType::Float => {
            let text = format!("CAST(CAST({} AS numeric) AS bigint)", value.text);
            Translated::primary(text, SqlType::Integer).never_null(value.not_null)
        }
        SqlType::Text => {
            let text = format!("CAST(CAST({} AS numeric) AS bigint)", value.text);
            match lenient {
                true => cast_if(value, NUMBER, &text, SqlType::Integer),
                false => Translated::primary(text, SqlType::Integer).never_null(value.not_null),
            }
        }
        _ => return Err(untyped(value, "a number")),
    })
}

fn number(
    value: &Translated,
    to: &str,
    kind: SqlType,
    lenient: bool,
) -> TranslateResult<Translated> {
    Ok(match value.kind {
        one if one.is_number() || one == SqlType::Null => cast(value, to, kind),
        SqlType::Text if lenient => {
            let text = format!("CAST({} AS {to})", value.text);
            cast_if(value, NUMBER, &text, kind)
        }
        SqlType::Text => cast(value, to, kind),
        _ => return Err(untyped(value, "a number")),
    })
}

/// A cast of a text that is NULL where a pattern does not match. A string is looked at now:
/// Postgres would look at its cast before the choice.
pub fn cast_if(value: &Translated, pattern: &str, cast: &str, kind: SqlType) -> Translated {
    match value.text_literal() {
        Some(content) if is_number(content) => Translated::primary(cast, kind),
        Some(_) => Translated::primary("NULL", SqlType::Null),
        None => guarded(&format!("{} ~ '{pattern}'", value.operand()), cast, kind),
    }
}

fn is_number(content: &str) -> bool {
    let content = content.trim_matches(' ');
    let digits = content.strip_prefix(['+', '-']).unwrap_or(content);
    crate::translator::literal::number(digits).is_ok_and(|number| number.kind != SqlType::Float)
}

/// A condition as a choice between a value and NULL.
pub fn guarded(condition: &str, value: &str, kind: SqlType) -> Translated {
    Translated::primary(format!("CASE WHEN {condition} THEN {value} END"), kind)
}
