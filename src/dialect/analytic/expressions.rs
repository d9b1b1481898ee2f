//! What Snowflake and DuckDB have a syntax of their own for.

use sqlparser::ast::{
    BinaryOperator, DataType, DateTimeField, Expr, TableFactor, TypedString, Value,
};

use super::dates::part_of;
use crate::source::{CaseSensitivity, untyped};
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::arithmetic::operate;
use crate::translator::literal;
use crate::translator::shared_functions::dates::temporal_argument;
use crate::translator::timestamp;
use crate::translator::translated::{Translated, TranslatedForm};
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

/// The first look at an expression.
pub fn expression(
    translator: &mut Translator<'_>,
    expr: &Expr,
) -> TranslateResult<Option<Translated>> {
    let written = match expr {
        Expr::Value(value) => match &value.value {
            Value::Placeholder(name) if name.starts_with('$') => {
                return Err(
                    Untranslatable::construct("a column by its place").hint("name the column")
                );
            }
            _ => return Ok(None),
        },
        Expr::Like {
            negated,
            any: true,
            expr,
            pattern,
            escape_char: None,
        } => like_any(
            translator,
            expr,
            pattern,
            CaseSensitivity::Sensitive,
            *negated,
        )?,
        Expr::ILike {
            negated,
            any: true,
            expr,
            pattern,
            escape_char: None,
        } => like_any(
            translator,
            expr,
            pattern,
            CaseSensitivity::Insensitive,
            *negated,
        )?,
        Expr::Extract { field, expr, .. } => {
            let word = match field {
                DateTimeField::Custom(ident) => ident.value.to_lowercase(),
                other => other.to_string().to_lowercase(),
            };
            let moment = temporal_argument(translator, expr)?;
            part_of(translator, &word, moment)?
        }
        Expr::TypedString(typed) => typed_literal(translator, typed)?,
        Expr::Trim {
            trim_where: None,
            trim_what: None,
            expr,
            trim_characters,
        } => {
            let mut arguments = vec![&**expr];
            arguments.extend(trim_characters.iter().flatten());
            translator.call_named("trim", arguments)?
        }
        _ => return Ok(None),
    };
    Ok(Some(written))
}

/// `DATE '2024-01-31'` and the like.
fn typed_literal(translator: &Translator<'_>, typed: &TypedString) -> TranslateResult<Translated> {
    let text = literal::written(&typed.value.value, translator.source)?;
    let read = text
        .as_ref()
        .and_then(Translated::text_literal)
        .and_then(timestamp::read);
    match (&typed.data_type, read) {
        (DataType::Date, Some(read)) => Ok(read.day()),
        (DataType::Timestamp(..), Some(read)) => Ok(read.timestamp()),
        _ => translator.refuse("this typed literal"),
    }
}

/// `x LIKE ANY ('a%', 'b%')`
fn like_any(
    translator: &mut Translator<'_>,
    expr: &Expr,
    pattern: &Expr,
    letters: CaseSensitivity,
    negated: bool,
) -> TranslateResult<Translated> {
    let one = std::slice::from_ref(pattern);
    let patterns = match pattern {
        Expr::Tuple(patterns) => patterns.as_slice(),
        Expr::Nested(inner) => std::slice::from_ref(&**inner),
        _ => one,
    };
    let mut parts = Vec::new();
    for pattern in patterns {
        parts.push(translator.like(expr, pattern, None, letters, false)?.text);
    }
    let not = if negated { "NOT " } else { "" };
    Ok(Translated::operation(
        format!("{not}({})", parts.join(" OR ")),
        SqlType::Bool,
    ))
}

/// The first look at an operation.
pub fn operation(
    translator: &mut Translator<'_>,
    left: &Expr,
    op: &BinaryOperator,
    right: &Expr,
) -> TranslateResult<Option<Translated>> {
    let sign = match op {
        BinaryOperator::Plus => "+",
        BinaryOperator::Minus => "-",
        BinaryOperator::Modulo => "%",
        _ => return Ok(None),
    };
    if let Expr::Interval(interval) = right {
        let moment = temporal_argument(translator, left)?;
        return by_interval(translator, moment, sign, interval).map(Some);
    }
    let (left, right) = (translator.value(left)?, translator.value(right)?);
    let is_whole = |value: &Translated| value.kind == SqlType::Integer;
    let is_date = |value: &Translated| value.kind == SqlType::Date;
    let kind = match (sign, is_date(&left), is_date(&right)) {
        ("-", true, true) => SqlType::Integer,
        ("+" | "-", true, false) if is_whole(&right) => SqlType::Date,
        ("+", false, true) if is_whole(&left) => SqlType::Date,
        _ => {
            for side in [&left, &right] {
                let fits = side.kind.is_number() || side.kind == SqlType::Null;
                if !fits && side.form != TranslatedForm::Parameter {
                    return Err(untyped(side, "a number"));
                }
            }
            if sign == "%" && left.kind.common(right.kind) == SqlType::Float {
                return Err(untyped(&left, "an exact number"));
            }
            return Ok(Some(operate(sign, &left, &right)));
        }
    };
    let text = format!("{} {sign} {}", left.operand(), right.operand());
    let not_null = left.not_null && right.not_null;
    Ok(Some(Translated::operation(text, kind).never_null(not_null)))
}

/// A moment and `INTERVAL '7 days'`, which is written alike in all.
fn by_interval(
    translator: &mut Translator<'_>,
    moment: Translated,
    sign: &str,
    interval: &sqlparser::ast::Interval,
) -> TranslateResult<Translated> {
    use super::dates::unit_in;
    use crate::translator::interval::{TimeUnit, shifted};
    let back = sign == "-";
    let is_date = moment.kind == SqlType::Date;
    let (count, unit) = if interval.leading_field.is_some() {
        translator.interval(interval)?
    } else {
        let value = translator.value(&interval.value)?;
        let content = value.text_literal().unwrap_or_default().trim();
        let (count, word) = content.split_once(' ').unwrap_or((content, ""));
        let unit = match word.trim() {
            "" => TimeUnit::Second,
            word => unit_in(&Expr::Identifier(sqlparser::ast::Ident::new(word)))?,
        };
        (literal::number(count)?, unit)
    };
    let written = shifted(&moment, back, &count, unit)?;
    // To DuckDB a date that was moved is a timestamp.
    let is_duckdb = translator.source.dialect() == policy::Dialect::Duckdb;
    if is_duckdb && is_date && written.kind == SqlType::Date {
        return translator.as_timestamp(written);
    }
    Ok(written)
}

/// The first look at what stands in FROM.
pub fn factor(_: &mut Translator<'_>, factor: &TableFactor) -> TranslateResult<Option<String>> {
    let (what, hint) = match factor {
        TableFactor::Pivot { .. } => ("PIVOT", "write sum(…) FILTER (WHERE …) for each column"),
        TableFactor::Unpivot { .. } => ("UNPIVOT", "write CROSS JOIN LATERAL (VALUES …)"),
        TableFactor::Function { name, .. } if name.to_string().eq_ignore_ascii_case("flatten") => (
            "FLATTEN()",
            "write CROSS JOIN LATERAL jsonb_array_elements(…)",
        ),
        TableFactor::TableFunction { .. } => ("TABLE()", "write a query in its place"),
        TableFactor::Table {
            sample: Some(_), ..
        } => ("SAMPLE", "write TABLESAMPLE BERNOULLI (…)"),
        _ => return Ok(None),
    };
    Err(Untranslatable::construct(what).hint(hint))
}
