//! Operators between two expressions.

use sqlparser::ast::{BinaryOperator, Expr};

use super::Writer;
use super::compare::Comparison;
use super::translated::{Kind, Written};
use super::untranslatable::{Outcome, Untranslatable};
use crate::dialect::source::untyped;

impl Writer<'_> {
    /// An operation.
    pub fn binary(&mut self, left: &Expr, op: &BinaryOperator, right: &Expr) -> Outcome<Written> {
        let source = self.source;
        if let Some(written) = source.operation(self, left, op, right)? {
            return Ok(written);
        }
        if let Some(comparison) = Comparison::of(op) {
            return self.compared(comparison, left, right);
        }
        match op {
            BinaryOperator::And => self.connected("AND", left, right),
            BinaryOperator::Or => self.connected("OR", left, right),
            BinaryOperator::Plus => self.calculated("+", left, right),
            BinaryOperator::Minus => self.calculated("-", left, right),
            BinaryOperator::Multiply => self.calculated("*", left, right),
            BinaryOperator::Divide => {
                let (left, right) = (self.number(left)?, self.number(right)?);
                source.division(&left, &right)
            }
            BinaryOperator::StringConcat => {
                let (left, right) = (self.text(left)?, self.text(right)?);
                let not_null = left.not_null && right.not_null;
                Ok(
                    Written::operation(format!("{} || {}", left.atom(), right.atom()), Kind::Text)
                        .never_null(not_null),
                )
            }
            _ => Err(Untranslatable::construct("this operator")),
        }
    }

    /// AND and OR.
    pub fn connected(&mut self, word: &str, left: &Expr, right: &Expr) -> Outcome<Written> {
        let (left, right) = (self.condition(left)?, self.condition(right)?);
        let not_null = left.not_null && right.not_null;
        Ok(Written::operation(
            format!("{} {word} {}", left.atom(), right.atom()),
            Kind::Bool,
        )
        .never_null(not_null))
    }

    /// `+`, `-` and `*` between numbers.
    pub fn calculated(&mut self, sign: &str, left: &Expr, right: &Expr) -> Outcome<Written> {
        let (left, right) = (self.number(left)?, self.number(right)?);
        for side in [&left, &right] {
            if side.kind == Kind::Unclear
                && !matches!(side.form, super::translated::Form::Parameter)
            {
                return Err(untyped(side, "a number"));
            }
        }
        Ok(operate(sign, &left, &right))
    }
}

/// An operation on two numbers that means the same in Postgres.
pub fn operate(sign: &str, left: &Written, right: &Written) -> Written {
    let kind = left.kind.common(right.kind);
    Written {
        longer: left.longer || right.longer,
        not_null: left.not_null && right.not_null,
        ..Written::operation(format!("{} {sign} {}", left.atom(), right.atom()), kind)
    }
}
