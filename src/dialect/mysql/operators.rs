//! MySQL's operators.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/non-typed-operators.html>

use sqlparser::ast::{BinaryOperator, Expr};

use crate::dialect::source::untyped;
use crate::dialect::translator::Writer;
use crate::dialect::translator::compare::Comparison;
use crate::dialect::translator::interval;
use crate::dialect::translator::translated::{Form, Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

/// The first look at an operation.
pub fn operation(
    writer: &mut Writer<'_>,
    left: &Expr,
    op: &BinaryOperator,
    right: &Expr,
) -> Outcome<Option<Written>> {
    let comparison = match op {
        BinaryOperator::Spaceship => Some(Comparison::NotDistinct),
        other => Comparison::of(other),
    };
    if let Some(comparison) = comparison {
        return writer.compared(comparison, left, right).map(Some);
    }
    let written = match op {
        BinaryOperator::Assignment => return writer.refuse("a user variable"),
        BinaryOperator::Plus | BinaryOperator::Minus => {
            let minus = *op == BinaryOperator::Minus;
            return moved(writer, left, minus, right);
        }
        BinaryOperator::Modulo => {
            let (left, right) = (writer.number(left)?, writer.number(right)?);
            remainder(&left, &right)?
        }
        BinaryOperator::MyIntegerDivide => {
            let (left, right) = (writer.number(left)?, writer.number(right)?);
            whole_division(&left, &right)?
        }
        BinaryOperator::Xor if is_closed(left) && is_closed(right) => {
            let (left, right) = (writer.condition(left)?, writer.condition(right)?);
            let text = format!("{} <> {}", left.atom(), right.atom());
            Written::operation(text, Kind::Bool).never_null(left.not_null && right.not_null)
        }
        BinaryOperator::BitwiseAnd => bits(writer, left, "&", right)?,
        BinaryOperator::BitwiseOr => bits(writer, left, "|", right)?,
        BinaryOperator::BitwiseXor if is_closed(left) && is_closed(right) => {
            bits(writer, left, "#", right)?
        }
        BinaryOperator::PGBitwiseShiftLeft if is_closed(left) && is_closed(right) => {
            bits(writer, left, "<<", right)?
        }
        BinaryOperator::PGBitwiseShiftRight if is_closed(left) && is_closed(right) => {
            bits(writer, left, ">>", right)?
        }
        BinaryOperator::Xor
        | BinaryOperator::BitwiseXor
        | BinaryOperator::PGBitwiseShiftLeft
        | BinaryOperator::PGBitwiseShiftRight => {
            return Err(
                Untranslatable::construct("XOR, ^, << or >> without parentheses")
                    .hint("put both of its sides and itself into parentheses"),
            );
        }
        _ => return Ok(None),
    };
    Ok(Some(written))
}

/// The operators whose precedence the grammar has otherwise: they are fine only in parentheses.
pub fn is_misread(expr: &Expr) -> bool {
    let Expr::BinaryOp { op, .. } = expr else {
        return false;
    };
    matches!(
        op,
        BinaryOperator::Xor
            | BinaryOperator::BitwiseXor
            | BinaryOperator::PGBitwiseShiftLeft
            | BinaryOperator::PGBitwiseShiftRight
    )
}

/// Whether an expression compares something, without parentheses around it.
pub fn is_comparison(expr: &Expr) -> bool {
    match expr {
        Expr::BinaryOp { op, .. } => {
            *op == BinaryOperator::Spaceship || Comparison::of(op).is_some()
        }
        Expr::InList { .. }
        | Expr::InSubquery { .. }
        | Expr::Between { .. }
        | Expr::Like { .. }
        | Expr::RLike { .. } => true,
        _ => false,
    }
}

/// Whether nothing beside an expression can be part of it.
pub fn is_closed(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Nested(_)
            | Expr::Identifier(_)
            | Expr::CompoundIdentifier(_)
            | Expr::Value(_)
            | Expr::Function(_)
            | Expr::Subquery(_)
    )
}

/// A date and an interval; none where neither side is one.
fn moved(
    writer: &mut Writer<'_>,
    left: &Expr,
    minus: bool,
    right: &Expr,
) -> Outcome<Option<Written>> {
    let (moment, interval) = match (left, right) {
        (moment, Expr::Interval(interval)) => (moment, interval),
        (Expr::Interval(interval), moment) if !minus => (moment, interval),
        _ => return Ok(None),
    };
    let moment = moment_of(writer, moment)?;
    let (count, unit) = writer.interval(interval)?;
    interval::moved(&moment, minus, &count, unit).map(Some)
}

/// A date or timestamp that is moved: of a text that is no literal nobody knows whether the result
/// has a time.
pub fn moment_of(writer: &mut Writer<'_>, expr: &Expr) -> Outcome<Written> {
    let value = writer.value(expr)?;
    if value.kind == Kind::Text && value.text_literal().is_none() {
        return Err(untyped(&value, "a date").hint("cast it to a date first"));
    }
    writer.dated(value)
}

/// `a / b`: exact numbers divide as decimals, and a division by zero is NULL.
pub fn division(left: &Written, right: &Written) -> Outcome<Written> {
    known(left)?;
    known(right)?;
    let kind = left.kind.common(right.kind);
    if kind == Kind::Float {
        let dividend = format!("CAST({} AS double precision)", left.text);
        let text = format!("{dividend} / {}", divisor(right));
        return Ok(nullable(text, Kind::Float, left, right));
    }
    let dividend = match left.kind {
        Kind::Decimal => left.atom(),
        _ => format!("CAST({} AS numeric)", left.text),
    };
    let text = format!("{dividend} / {}", divisor(right));
    Ok(Written {
        longer: true,
        ..nullable(text, Kind::Decimal, left, right)
    })
}

/// `a % b`: the sign is that of the dividend, and by zero it is NULL.
pub fn remainder(left: &Written, right: &Written) -> Outcome<Written> {
    known(left)?;
    known(right)?;
    let kind = left.kind.common(right.kind);
    if kind == Kind::Float {
        return Err(untyped(left, "an exact number"));
    }
    let text = format!("{} % {}", left.atom(), divisor(right));
    Ok(nullable(text, kind, left, right))
}

/// `a DIV b`
fn whole_division(left: &Written, right: &Written) -> Outcome<Written> {
    known(left)?;
    known(right)?;
    match left.kind.common(right.kind) {
        Kind::Integer => {
            let text = format!("{} / {}", left.atom(), divisor(right));
            Ok(nullable(text, Kind::Integer, left, right))
        }
        Kind::Decimal => {
            let text = format!(
                "CAST(trunc({} / {}) AS bigint)",
                left.atom(),
                divisor(right)
            );
            Ok(Written {
                tight: true,
                ..nullable(text, Kind::Integer, left, right)
            })
        }
        _ => Err(untyped(left, "an exact number")),
    }
}

/// A divisor that is NULL instead of zero.
fn divisor(right: &Written) -> String {
    if is_not_zero(right) {
        right.atom()
    } else {
        format!("NULLIF({}, 0)", right.text)
    }
}

fn is_not_zero(right: &Written) -> bool {
    (right.number_literal())
        .is_some_and(|digits| digits.bytes().any(|b| (b'1'..=b'9').contains(&b)))
}

fn nullable(text: String, kind: Kind, left: &Written, right: &Written) -> Written {
    let not_null = left.not_null && is_not_zero(right);
    Written {
        longer: left.longer || right.longer,
        ..Written::operation(text, kind).never_null(not_null)
    }
}

fn known(value: &Written) -> Outcome<()> {
    match value.kind {
        kind if kind.is_number() || kind == Kind::Null => Ok(()),
        _ if value.form == Form::NullLiteral => Ok(()),
        _ => Err(untyped(value, "a number")),
    }
}

/// An operation on the bits of whole numbers. MySQL's are unsigned: where the result could be
/// negative here, the sign bit alone differs, and only of numbers below zero.
fn bits(writer: &mut Writer<'_>, left: &Expr, sign: &str, right: &Expr) -> Outcome<Written> {
    let (left, right) = (writer.integer(left)?, writer.integer(right)?);
    for side in [&left, &right] {
        if side.kind != Kind::Integer || side.number_literal().is_some_and(|n| n.starts_with('-')) {
            return Err(untyped(side, "a whole number"));
        }
    }
    let (one, other) = match sign {
        "<<" | ">>" => (
            format!("CAST({} AS bigint)", left.text),
            format!("CAST({} AS integer)", right.text),
        ),
        _ => (left.atom(), right.atom()),
    };
    let not_null = left.not_null && right.not_null;
    let text = format!("{one} {sign} {other}");
    Ok(Written::operation(text, Kind::Integer).never_null(not_null))
}
