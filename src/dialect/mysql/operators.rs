//! MySQL's operators.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/non-typed-operators.html>

use sqlparser::ast::{BinaryOperator, Expr};

use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::compare::ComparisonOperator;
use crate::translator::interval;
use crate::translator::translated::{Translated, TranslatedForm};
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

/// The first look at an operation.
pub fn operation(
    translator: &mut Translator<'_>,
    left: &Expr,
    op: &BinaryOperator,
    right: &Expr,
) -> TranslateResult<Option<Translated>> {
    let comparison = match op {
        BinaryOperator::Spaceship => Some(ComparisonOperator::NotDistinct),
        other => ComparisonOperator::of(other),
    };
    if let Some(comparison) = comparison {
        return translator
            .compare_expressions(comparison, left, right)
            .map(Some);
    }
    let written = match op {
        BinaryOperator::Assignment => return translator.refuse("a user variable"),
        BinaryOperator::Plus | BinaryOperator::Minus => {
            let minus = *op == BinaryOperator::Minus;
            return moved(translator, left, minus, right);
        }
        BinaryOperator::Modulo => {
            let (left, right) = (translator.number(left)?, translator.number(right)?);
            remainder(&left, &right)?
        }
        BinaryOperator::MyIntegerDivide => {
            let (left, right) = (translator.number(left)?, translator.number(right)?);
            whole_division(&left, &right)?
        }
        BinaryOperator::Xor if is_closed(left) && is_closed(right) => {
            let (left, right) = (translator.condition(left)?, translator.condition(right)?);
            let text = format!("{} <> {}", left.operand(), right.operand());
            Translated::operation(text, SqlType::Bool).never_null(left.not_null && right.not_null)
        }
        BinaryOperator::BitwiseAnd => bits(translator, left, "&", right)?,
        BinaryOperator::BitwiseOr => bits(translator, left, "|", right)?,
        BinaryOperator::BitwiseXor if is_closed(left) && is_closed(right) => {
            bits(translator, left, "#", right)?
        }
        BinaryOperator::PGBitwiseShiftLeft if is_closed(left) && is_closed(right) => {
            bits(translator, left, "<<", right)?
        }
        BinaryOperator::PGBitwiseShiftRight if is_closed(left) && is_closed(right) => {
            bits(translator, left, ">>", right)?
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
            *op == BinaryOperator::Spaceship || ComparisonOperator::of(op).is_some()
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
    translator: &mut Translator<'_>,
    left: &Expr,
    minus: bool,
    right: &Expr,
) -> TranslateResult<Option<Translated>> {
    let (moment, interval) = match (left, right) {
        (moment, Expr::Interval(interval)) => (moment, interval),
        (Expr::Interval(interval), moment) if !minus => (moment, interval),
        _ => return Ok(None),
    };
    let moment = temporal_argument(translator, moment)?;
    let (count, unit) = translator.interval(interval)?;
    interval::shifted(&moment, minus, &count, unit).map(Some)
}

/// A date or timestamp that is moved: of a text that is no literal nobody knows whether the result
/// has a time.
pub fn temporal_argument(
    translator: &mut Translator<'_>,
    expr: &Expr,
) -> TranslateResult<Translated> {
    let value = translator.value(expr)?;
    if value.kind == SqlType::Text && value.text_literal().is_none() {
        return Err(untyped(&value, "a date").hint("cast it to a date first"));
    }
    translator.as_temporal(value)
}

/// `a / b`: exact numbers divide as decimals, and a division by zero is NULL.
pub fn division(left: &Translated, right: &Translated) -> TranslateResult<Translated> {
    known(left)?;
    known(right)?;
    let kind = left.kind.common(right.kind);
    if kind == SqlType::Float {
        let dividend = format!("CAST({} AS double precision)", left.text);
        let text = format!("{dividend} / {}", divisor(right));
        return Ok(nullable(text, SqlType::Float, left, right));
    }
    let dividend = match left.kind {
        SqlType::Decimal => left.operand(),
        _ => format!("CAST({} AS numeric)", left.text),
    };
    let text = format!("{dividend} / {}", divisor(right));
    Ok(Translated {
        extra_digits: true,
        ..nullable(text, SqlType::Decimal, left, right)
    })
}

/// `a % b`: the sign is that of the dividend, and by zero it is NULL.
pub fn remainder(left: &Translated, right: &Translated) -> TranslateResult<Translated> {
    known(left)?;
    known(right)?;
    let kind = left.kind.common(right.kind);
    if kind == SqlType::Float {
        return Err(untyped(left, "an exact number"));
    }
    let text = format!("{} % {}", left.operand(), divisor(right));
    Ok(nullable(text, kind, left, right))
}

/// `a DIV b`
fn whole_division(left: &Translated, right: &Translated) -> TranslateResult<Translated> {
    known(left)?;
    known(right)?;
    match left.kind.common(right.kind) {
        SqlType::Integer => {
            let text = format!("{} / {}", left.operand(), divisor(right));
            Ok(nullable(text, SqlType::Integer, left, right))
        }
        SqlType::Decimal => {
            let text = format!(
                "CAST(trunc({} / {}) AS bigint)",
                left.operand(),
                divisor(right)
            );
            Ok(Translated {
                is_primary: true,
                ..nullable(text, SqlType::Integer, left, right)
            })
        }
        _ => Err(untyped(left, "an exact number")),
    }
}

/// A divisor that is NULL instead of zero.
fn divisor(right: &Translated) -> String {
    if is_not_zero(right) {
        right.operand()
    } else {
        format!("NULLIF({}, 0)", right.text)
    }
}

fn is_not_zero(right: &Translated) -> bool {
    (right.number_literal())
        .is_some_and(|digits| digits.bytes().any(|b| (b'1'..=b'9').contains(&b)))
}

fn nullable(text: String, kind: SqlType, left: &Translated, right: &Translated) -> Translated {
    let not_null = left.not_null && is_not_zero(right);
    Translated {
        extra_digits: left.extra_digits || right.extra_digits,
        ..Translated::operation(text, kind).never_null(not_null)
    }
}

fn known(value: &Translated) -> TranslateResult<()> {
    match value.kind {
        kind if kind.is_number() || kind == SqlType::Null => Ok(()),
        _ if value.form == TranslatedForm::NullLiteral => Ok(()),
        _ => Err(untyped(value, "a number")),
    }
}

/// An operation on the bits of whole numbers. MySQL's are unsigned: where the result could be
/// negative here, the sign bit alone differs, and only of numbers below zero.
fn bits(
    translator: &mut Translator<'_>,
    left: &Expr,
    sign: &str,
    right: &Expr,
) -> TranslateResult<Translated> {
    let (left, right) = (translator.integer(left)?, translator.integer(right)?);
    for side in [&left, &right] {
        if side.kind != SqlType::Integer
            || side.number_literal().is_some_and(|n| n.starts_with('-'))
        {
            return Err(untyped(side, "a whole number"));
        }
    }
    let (one, other) = match sign {
        "<<" | ">>" => (
            format!("CAST({} AS bigint)", left.text),
            format!("CAST({} AS integer)", right.text),
        ),
        _ => (left.operand(), right.operand()),
    };
    let not_null = left.not_null && right.not_null;
    let text = format!("{one} {sign} {other}");
    Ok(Translated::operation(text, SqlType::Integer).never_null(not_null))
}
