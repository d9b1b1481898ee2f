//! SQLite's operators: comparisons by the affinity of columns, dates that are compared as the
//! texts they are there, remainders.
//!
//! <https://www.sqlite.org/datatype3.html#comparison_expressions>

use sqlparser::ast::{BinaryOperator, Expr};

use super::Sqlite;
use super::glob::glob;
use super::json;
use super::time_string::{Shape, shape_of};
use crate::dialect::source::{Source, untyped};
use crate::dialect::translator::Writer;
use crate::dialect::translator::compare::{Comparison, Side};
use crate::dialect::translator::literal;
use crate::dialect::translator::translated::{Form, Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

/// An operation that SQLite has another meaning of.
pub fn operation(
    writer: &mut Writer<'_>,
    left: &Expr,
    operator: &BinaryOperator,
    right: &Expr,
) -> Outcome<Option<Written>> {
    binds_otherwise(left, operator, right)?;
    if let Some(comparison) = Comparison::of(operator) {
        return compared(writer, comparison, left, right);
    }
    let written = match operator {
        BinaryOperator::Divide => division(writer, left, right)?,
        BinaryOperator::Modulo => remainder(writer, left, right)?,
        BinaryOperator::Custom(name) if name == "GLOB" => glob(writer, left, right)?,
        BinaryOperator::Glob => glob(writer, left, right)?,
        BinaryOperator::Regexp => {
            return Err(
                Untranslatable::construct("REGEXP, which SQLite leaves to applications,")
                    .hint("write x ~ 'pattern'"),
            );
        }
        BinaryOperator::Match => return Err(Untranslatable::construct("MATCH")),
        BinaryOperator::Arrow => json::arrow(writer, left, right)?,
        BinaryOperator::LongArrow => json::long_arrow(writer, left, right)?,
        _ => return Ok(None),
    };
    Ok(Some(written))
}

/// Refuses what the library groups otherwise than SQLite: there `||` goes before `*`, and `<`
/// before `=`.
fn binds_otherwise(left: &Expr, operator: &BinaryOperator, right: &Expr) -> Outcome<()> {
    let product = |op: &BinaryOperator| {
        matches!(
            op,
            BinaryOperator::Multiply | BinaryOperator::Divide | BinaryOperator::Modulo
        )
    };
    for side in [left, right] {
        let Expr::BinaryOp { op, .. } = side else {
            continue;
        };
        let concatenated = *op == BinaryOperator::StringConcat && product(operator)
            || *operator == BinaryOperator::StringConcat && product(op);
        let compared = Comparison::of(op).is_some() && Comparison::of(operator).is_some();
        if concatenated || compared {
            return Err(
                Untranslatable::construct("operators whose precedence differs")
                    .hint("put parentheses around what belongs together"),
            );
        }
    }
    Ok(())
}

/// A column of numeric holds whole numbers there where it can, which are divided as such: unless
/// one side is surely a double, what is meant is likely what Postgres does.
fn division(writer: &mut Writer<'_>, left: &Expr, right: &Expr) -> Outcome<Written> {
    let (dividend, divisor) = (writer.number(left)?, writer.number(right)?);
    let may_be_whole = |value: &Written| matches!(value.kind, Kind::Integer | Kind::Decimal);
    let is_doubtful = may_be_whole(&dividend)
        && may_be_whole(&divisor)
        && (dividend.kind == Kind::Decimal || divisor.kind == Kind::Decimal);
    if is_doubtful && !is_double(left) && !is_double(right) {
        writer.likely();
    }
    Sqlite.division(&dividend, &divisor)
}

/// Whether a number is a double there, whatever the rows.
fn is_double(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(inner) => is_double(inner),
        Expr::UnaryOp { expr, .. } => is_double(expr),
        Expr::Value(value) => matches!(&value.value,
            sqlparser::ast::Value::Number(digits, _) if digits.contains(['.', 'e', 'E'])),
        Expr::BinaryOp { left, op, right } => {
            matches!(
                op,
                BinaryOperator::Plus
                    | BinaryOperator::Minus
                    | BinaryOperator::Multiply
                    | BinaryOperator::Divide
            ) && (is_double(left) || is_double(right))
        }
        Expr::Function(function) => {
            let name = function.name.to_string().to_ascii_lowercase();
            ["avg", "total", "round", "julianday"].contains(&name.as_str())
        }
        Expr::Cast { data_type, .. } => {
            let name = data_type.to_string().to_ascii_uppercase();
            ["REAL", "FLOA", "DOUB"]
                .iter()
                .any(|part| name.contains(part))
        }
        _ => false,
    }
}

/// Both sides of a comparison where SQLite's rules are others than Postgres's.
pub fn sides(
    writer: &mut Writer<'_>,
    left: &Written,
    right: &Written,
    side: Side,
) -> Outcome<Option<(String, String)>> {
    Ok(match (left.kind, right.kind) {
        (Kind::Text, number) if number.is_number() => text_and_number(writer, left, right)?,
        (number, Kind::Text) if number.is_number() => {
            text_and_number(writer, right, left)?.map(|(text, number)| (number, text))
        }
        (Kind::Date | Kind::Timestamp | Kind::Time, Kind::Text)
        | (Kind::Text, Kind::Date | Kind::Timestamp | Kind::Time)
        | (Kind::Date, Kind::Timestamp)
        | (Kind::Timestamp, Kind::Date) => as_texts(left, right, side)?,
        _ => None,
    })
}

/// A text beside a number, in this order, with what each of them becomes. None where the core
/// compares them as numbers.
fn text_and_number(
    writer: &mut Writer<'_>,
    text: &Written,
    number: &Written,
) -> Outcome<Option<(String, String)>> {
    match (&text.form, &number.form) {
        // The affinity of a number's column makes a number of a text that is one.
        (Form::TextLiteral(_), Form::Column) => Ok(None),
        // The affinity of a text's column makes a text of the number.
        (Form::Column, Form::NumberLiteral(digits))
            if digits.bytes().all(|digit| digit.is_ascii_digit()) =>
        {
            Ok(Some((text.atom(), literal::quoted(digits))))
        }
        (Form::Document, Form::NumberLiteral(_) | Form::Computed | Form::Column) => {
            writer.likely();
            Ok(Some((format!("{}::numeric", text.atom()), number.atom())))
        }
        (Form::Digits, _) => Err(Untranslatable::construct(
            "a text of strftime() compared with a number, which is never equal to it,",
        )
        .hint("compare it with a string such as '2024', or CAST it AS INTEGER")),
        _ => Err(
            Untranslatable::construct("a text that is compared with a number")
                .hint("CAST one of them to the type of the other"),
        ),
    }
}

/// Dates are texts: where Postgres would read the other side differently they are compared so.
fn as_texts(left: &Written, right: &Written, side: Side) -> Outcome<Option<(String, String)>> {
    for (moment, text) in [(left, right), (right, left)] {
        let Some(content) = text.text_literal() else {
            continue;
        };
        let seconds = content.len() == "2024-01-31 10:20:30".len() && !content.contains('T');
        match (moment.kind, shape_of(content)) {
            (Kind::Date, Shape::Date) => return Ok(None),
            (Kind::Timestamp, Shape::Timestamp) if seconds => return Ok(None),
            (Kind::Time, Shape::Time) if content.len() == "10:20:30".len() => return Ok(None),
            _ => {}
        }
    }
    let text = |value: &Written| match value.kind {
        Kind::Text => Ok(value.clone()),
        _ => Sqlite.text_of(value),
    };
    let (left, right) = (text(left)?, text(right)?);
    Ok(Some(match side {
        Side::Order => (format!("{} COLLATE \"C\"", left.atom()), right.atom()),
        Side::Equality => (left.atom(), right.atom()),
    }))
}

fn compared(
    writer: &mut Writer<'_>,
    comparison: Comparison,
    left: &Expr,
    right: &Expr,
) -> Outcome<Option<Written>> {
    if matches!((left, right), (Expr::Tuple(_), Expr::Tuple(_))) {
        return Ok(None);
    }
    if let Some(folded) = without_case(writer, comparison, left, right)? {
        return Ok(Some(folded));
    }
    let (left, right) = (writer.value(left)?, writer.value(right)?);
    let (left, right) = in_utc(left, right);
    let written = match (left.kind, day(&right), right.kind, day(&left)) {
        (Kind::Timestamp, Some(day), _, _) => beside_day(comparison, &left, &day),
        (_, _, Kind::Timestamp, Some(day)) => beside_day(mirrored(comparison), &right, &day),
        _ => None,
    };
    match written {
        Some(written) => Ok(Some(written)),
        None => writer.compare(comparison, &left, &right).map(Some),
    }
}

/// A timestamp with time zone beside a moment without one, which is of UTC.
fn in_utc(left: Written, right: Written) -> (Written, Written) {
    let local = |value: &Written| matches!(value.kind, Kind::Date | Kind::Timestamp);
    let utc = |value: Written| {
        let text = format!("{} AT TIME ZONE 'UTC'", value.atom());
        Written::loose(text, Kind::Timestamp).never_null(value.not_null)
    };
    match (left.kind, right.kind) {
        (Kind::TimestampTz, _) if local(&right) => (utc(left), right),
        (_, Kind::TimestampTz) if local(&left) => (left, utc(right)),
        _ => (left, right),
    }
}

/// A date, or a string that is one.
fn day(value: &Written) -> Option<Written> {
    match value.text_literal() {
        Some(content) if shape_of(content) == Shape::Date => {
            Some(Written::tight(format!("DATE '{content}'"), Kind::Date).never_null(true))
        }
        Some(_) => None,
        None => (value.kind == Kind::Date).then(|| value.clone()),
    }
}

/// A timestamp beside a day. As a text the day is smaller than any moment of it, midnight too.
fn beside_day(comparison: Comparison, moment: &Written, day: &Written) -> Option<Written> {
    let sign = match comparison {
        Comparison::Greater | Comparison::GreaterOrEqual => ">=",
        Comparison::Less | Comparison::LessOrEqual => "<",
        Comparison::Equal
        | Comparison::NotEqual
        | Comparison::Distinct
        | Comparison::NotDistinct => return None,
    };
    let text = format!("{} {sign} {}", moment.atom(), day.atom());
    Some(Written::operation(text, Kind::Bool).never_null(moment.not_null && day.not_null))
}

fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        other => other,
    }
}

/// BETWEEN days, of a timestamp; none for anything else.
pub fn between_days(
    writer: &mut Writer<'_>,
    subject: &Expr,
    negated: bool,
    low: &Expr,
    high: &Expr,
) -> Outcome<Option<Written>> {
    let subject = writer.value(subject)?;
    if subject.kind != Kind::Timestamp {
        return Ok(None);
    }
    let (low, high) = (writer.value(low)?, writer.value(high)?);
    let mut parts = Vec::new();
    for (comparison, bound) in [
        (Comparison::GreaterOrEqual, &low),
        (Comparison::LessOrEqual, &high),
    ] {
        let beside = day(bound).and_then(|day| beside_day(comparison, &subject, &day));
        parts.push(match beside {
            Some(part) => part.text,
            None => writer.compare(comparison, &subject, bound)?.text,
        });
    }
    let not = if negated { "NOT " } else { "" };
    let not_null = subject.not_null && low.not_null && high.not_null;
    let text = format!("{not}({})", parts.join(" AND "));
    Ok(Some(
        Written::operation(text, Kind::Bool).never_null(not_null),
    ))
}

/// `x = y COLLATE NOCASE`: the letters of ASCII are alike.
fn without_case(
    writer: &mut Writer<'_>,
    comparison: Comparison,
    left: &Expr,
    right: &Expr,
) -> Outcome<Option<Written>> {
    let is_collated = |side: &Expr| matches!(side, Expr::Collate { .. });
    if !is_collated(left) && !is_collated(right) {
        return Ok(None);
    }
    let bare = |side: &Expr| match side {
        Expr::Collate { expr, collation } if is_nocase(collation) => Ok((**expr).clone()),
        Expr::Collate { .. } => Err(Untranslatable::construct("this collation")),
        other => Ok(other.clone()),
    };
    let (left, right) = (writer.value(&bare(left)?)?, writer.value(&bare(right)?)?);
    for side in [&left, &right] {
        if side.kind != Kind::Text {
            return Err(untyped(side, "a text"));
        }
    }
    writer
        .compare(comparison, &folded(&left), &folded(&right))
        .map(Some)
}

/// Whether a collation is NOCASE.
pub fn is_nocase(collation: &sqlparser::ast::ObjectName) -> bool {
    let parts: Vec<_> = collation
        .0
        .iter()
        .filter_map(|part| part.as_ident())
        .collect();
    matches!(parts.as_slice(), [only] if only.value.eq_ignore_ascii_case("nocase"))
}

/// A text with the letters of ASCII in small.
pub fn folded(value: &Written) -> Written {
    match value.text_literal() {
        Some(content) => literal::text(&content.to_ascii_lowercase()),
        None => {
            let text = format!("lower({} COLLATE \"C\")", value.atom());
            Written::tight(text, Kind::Text).never_null(value.not_null)
        }
    }
}

/// Of what both sides are as whole numbers; NULL where the second is zero.
fn remainder(writer: &mut Writer<'_>, left: &Expr, right: &Expr) -> Outcome<Written> {
    let (left, right) = (writer.number(left)?, writer.number(right)?);
    let whole = |value: &Written| match value.kind {
        Kind::Integer => Ok(value.clone()),
        Kind::Decimal | Kind::Float => {
            let text = format!("trunc({})::bigint", value.text);
            Ok(Written::tight(text, Kind::Integer).never_null(value.not_null))
        }
        _ => Err(untyped(value, "a number")),
    };
    let (left, right) = (whole(&left)?, whole(&right)?);
    if right.small_integer().is_some_and(|divisor| divisor != 0) {
        let text = format!("{} % {}", left.atom(), right.atom());
        return Ok(Written::operation(text, Kind::Integer).never_null(left.not_null));
    }
    let text = format!("{} % NULLIF({}, 0)", left.atom(), right.text);
    Ok(Written::operation(text, Kind::Integer))
}
