//! T-SQL's operators: `+` is addition of numbers and concatenation of strings, by their types.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/language-elements/operators-transact-sql>

use sqlparser::ast::{BinaryOperator, Expr};

use crate::dialect::source::untyped;
use crate::dialect::translator::Writer;
use crate::dialect::translator::arithmetic::operate;
use crate::dialect::translator::interval;
use crate::dialect::translator::interval::Unit;
use crate::dialect::translator::translated::{Form, Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

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
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Modulo => "%",
        BinaryOperator::BitwiseAnd => "&",
        BinaryOperator::BitwiseOr => "|",
        BinaryOperator::BitwiseXor => "#",
        _ => return Ok(None),
    };
    let (left, right) = (writer.value(left)?, writer.value(right)?);
    calculated(writer, left, sign, right).map(Some)
}

fn calculated(
    writer: &mut Writer<'_>,
    left: Written,
    sign: &str,
    right: Written,
) -> Outcome<Written> {
    let (left, right) = (writer.numeric(left)?, writer.numeric(right)?);
    if left.kind.is_moment() || right.kind.is_moment() {
        return moved(&left, sign, &right);
    }
    if left.kind == Kind::Text || right.kind == Kind::Text {
        if sign == "+" {
            return joined(&left, &right);
        }
        return Err(mixture());
    }
    for side in [&left, &right] {
        let fits = side.kind.is_number() || matches!(side.kind, Kind::Null | Kind::Unclear);
        if !fits {
            return Err(untyped(side, "a number"));
        }
    }
    match sign {
        "/" => division(&left, &right),
        "%" | "&" | "|" | "#" => {
            let whole = |side: &Written| match side.kind {
                Kind::Integer | Kind::Null => true,
                Kind::Decimal => sign == "%",
                _ => false,
            };
            if !whole(&left) || !whole(&right) {
                return Err(untyped(&left, "an exact number"));
            }
            Ok(operate(sign, &left, &right))
        }
        _ => Ok(operate(sign, &left, &right)),
    }
}

/// `a + b` of strings is NULL where one of them is.
fn joined(left: &Written, right: &Written) -> Outcome<Written> {
    for (side, other) in [(left, right), (right, left)] {
        let fits = match side.kind {
            Kind::Text | Kind::Null => true,
            // Beside a string that is no number, only a string makes sense there.
            Kind::Unclear => other.text_literal().is_some_and(is_no_number),
            _ => false,
        };
        if !fits {
            return Err(mixture());
        }
    }
    let text = format!("{} || {}", left.atom(), right.atom());
    Ok(Written::operation(text, Kind::Text).never_null(left.not_null && right.not_null))
}

fn is_no_number(content: &str) -> bool {
    content
        .chars()
        .any(|c| !c.is_ascii_digit() && !" +-.,$eE".contains(c))
}

fn mixture() -> Untranslatable {
    Untranslatable::construct("an operator between a string and a number")
        .hint("cast both sides to the type that is meant, or use CONCAT()")
}

/// A DATETIME and a number of days.
fn moved(left: &Written, sign: &str, right: &Written) -> Outcome<Written> {
    let days = |value: &Written| value.kind == Kind::Integer;
    let stamp = |value: &Written| matches!(value.kind, Kind::Timestamp | Kind::TimestampTz);
    match sign {
        "+" if stamp(left) && days(right) => interval::moved(left, false, right, Unit::Day),
        "-" if stamp(left) && days(right) => interval::moved(left, true, right, Unit::Day),
        "+" if days(left) && stamp(right) => interval::moved(right, false, left, Unit::Day),
        _ => Err(Untranslatable::construct("arithmetic with dates")
            .hint("write DATEADD() or DATEDIFF()")),
    }
}

/// Whole numbers divide to whole numbers, and by zero it is an error, as in Postgres.
pub fn division(left: &Written, right: &Written) -> Outcome<Written> {
    let written = operate("/", left, right);
    let is_parameter = |side: &Written| side.form == Form::Parameter;
    if is_parameter(left) || is_parameter(right) {
        return Err(untyped(left, "a number of known type"));
    }
    Ok(Written {
        longer: written.kind != Kind::Integer,
        ..written
    })
}
