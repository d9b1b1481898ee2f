//! What Snowflake and DuckDB have a syntax of their own for.

use sqlparser::ast::{
    BinaryOperator, DataType, DateTimeField, Expr, TableFactor, TypedString, Value,
};

use super::date_functions::{moment_of, part_of};
use crate::dialect::source::{Letters, untyped};
use crate::dialect::translator::Writer;
use crate::dialect::translator::arithmetic::operate;
use crate::dialect::translator::literal;
use crate::dialect::translator::timestamp;
use crate::dialect::translator::translated::{Form, Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

/// The first look at an expression.
pub fn expression(writer: &mut Writer<'_>, expr: &Expr) -> Outcome<Option<Written>> {
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
        } => like_any(writer, expr, pattern, Letters::ToldApart, *negated)?,
        Expr::ILike {
            negated,
            any: true,
            expr,
            pattern,
            escape_char: None,
        } => like_any(writer, expr, pattern, Letters::Alike, *negated)?,
        Expr::Extract { field, expr, .. } => {
            let word = match field {
                DateTimeField::Custom(ident) => ident.value.to_lowercase(),
                other => other.to_string().to_lowercase(),
            };
            let moment = moment_of(writer, expr)?;
            part_of(writer, &word, moment)?
        }
        Expr::TypedString(TypedString {
            data_type, value, ..
        }) => {
            let text = literal::written(&value.value, writer.source)?;
            let read = text
                .as_ref()
                .and_then(Written::text_literal)
                .and_then(timestamp::read);
            match (data_type, read) {
                (DataType::Date, Some(read)) => read.day(),
                (DataType::Timestamp(..), Some(read)) => read.timestamp(),
                _ => return writer.refuse("this typed literal"),
            }
        }
        Expr::Trim {
            trim_where: None,
            trim_what: None,
            expr,
            trim_characters,
        } => {
            let mut arguments = vec![&**expr];
            arguments.extend(trim_characters.iter().flatten());
            writer.call_named("trim", arguments)?
        }
        _ => return Ok(None),
    };
    Ok(Some(written))
}

/// `x LIKE ANY ('a%', 'b%')`
fn like_any(
    writer: &mut Writer<'_>,
    expr: &Expr,
    pattern: &Expr,
    letters: Letters,
    negated: bool,
) -> Outcome<Written> {
    let one = std::slice::from_ref(pattern);
    let patterns = match pattern {
        Expr::Tuple(patterns) => patterns.as_slice(),
        Expr::Nested(inner) => std::slice::from_ref(&**inner),
        _ => one,
    };
    let mut parts = Vec::new();
    for pattern in patterns {
        parts.push(writer.like(expr, pattern, None, letters, false)?.text);
    }
    let not = if negated { "NOT " } else { "" };
    Ok(Written::operation(
        format!("{not}({})", parts.join(" OR ")),
        Kind::Bool,
    ))
}

/// The first look at an operation.
pub fn operation(
    writer: &mut Writer<'_>,
    left: &Expr,
    op: &BinaryOperator,
    right: &Expr,
) -> Outcome<Option<Written>> {
    let sign = match op {
        BinaryOperator::Plus => "+",
        BinaryOperator::Minus => "-",
        BinaryOperator::Modulo => "%",
        _ => return Ok(None),
    };
    if let Expr::Interval(interval) = right {
        let moment = moment_of(writer, left)?;
        return by_interval(writer, moment, sign, interval).map(Some);
    }
    let (left, right) = (writer.value(left)?, writer.value(right)?);
    let is_whole = |value: &Written| value.kind == Kind::Integer;
    let is_date = |value: &Written| value.kind == Kind::Date;
    let kind = match (sign, is_date(&left), is_date(&right)) {
        ("-", true, true) => Kind::Integer,
        ("+" | "-", true, false) if is_whole(&right) => Kind::Date,
        ("+", false, true) if is_whole(&left) => Kind::Date,
        _ => {
            for side in [&left, &right] {
                let fits = side.kind.is_number() || side.kind == Kind::Null;
                if !fits && side.form != Form::Parameter {
                    return Err(untyped(side, "a number"));
                }
            }
            if sign == "%" && left.kind.common(right.kind) == Kind::Float {
                return Err(untyped(&left, "an exact number"));
            }
            return Ok(Some(operate(sign, &left, &right)));
        }
    };
    let text = format!("{} {sign} {}", left.atom(), right.atom());
    let not_null = left.not_null && right.not_null;
    Ok(Some(Written::operation(text, kind).never_null(not_null)))
}

/// A moment and `INTERVAL '7 days'`, which is written alike in all.
fn by_interval(
    writer: &mut Writer<'_>,
    moment: Written,
    sign: &str,
    interval: &sqlparser::ast::Interval,
) -> Outcome<Written> {
    use super::date_functions::unit_in;
    use crate::dialect::translator::interval::{Unit, moved};
    let back = sign == "-";
    let is_date = moment.kind == Kind::Date;
    let (count, unit) = if interval.leading_field.is_some() {
        writer.interval(interval)?
    } else {
        let value = writer.value(&interval.value)?;
        let content = value.text_literal().unwrap_or_default().trim();
        let (count, word) = content.split_once(' ').unwrap_or((content, ""));
        let unit = match word.trim() {
            "" => Unit::Second,
            word => unit_in(&Expr::Identifier(sqlparser::ast::Ident::new(word)))?,
        };
        (literal::number(count)?, unit)
    };
    let written = moved(&moment, back, &count, unit)?;
    // To DuckDB a date that was moved is a timestamp.
    let is_duckdb = writer.source.dialect() == crate::policy::Dialect::Duckdb;
    if is_duckdb && is_date && written.kind == Kind::Date {
        return writer.stamped(written);
    }
    Ok(written)
}

/// The first look at what stands in FROM.
pub fn factor(_: &mut Writer<'_>, factor: &TableFactor) -> Outcome<Option<String>> {
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
