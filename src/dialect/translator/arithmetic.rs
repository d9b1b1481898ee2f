//! Operators between two expressions.

use sqlparser::ast::{BinaryOperator, Expr};

use super::Translator;
use super::compare::ComparisonOperator;
use super::translated::Translated;
use super::untranslatable::{TranslateResult, Untranslatable};
use crate::source::untyped;
use crate::sql_type::SqlType;

impl Translator<'_> {
    /// An operation.
    pub fn binary(
        &mut self,
        left: &Expr,
        op: &BinaryOperator,
        right: &Expr,
    ) -> TranslateResult<Translated> {
        let source = self.source;
        if let Some(written) = source.operation(self, left, op, right)? {
            return Ok(written);
        }
        if let Some(comparison) = ComparisonOperator::of(op) {
            return self.compare_expressions(comparison, left, right);
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
                Ok(Translated::operation(
                    format!("{} || {}", left.operand(), right.operand()),
                    SqlType::Text,
                )
                .never_null(not_null))
            }
            _ => Err(Untranslatable::construct("this operator")),
        }
    }

    /// AND and OR.
    pub fn connected(
        &mut self,
        word: &str,
        left: &Expr,
        right: &Expr,
    ) -> TranslateResult<Translated> {
        let (left, right) = (self.condition(left)?, self.condition(right)?);
        let not_null = left.not_null && right.not_null;
        Ok(Translated::operation(
            format!("{} {word} {}", left.operand(), right.operand()),
            SqlType::Bool,
        )
        .never_null(not_null))
    }

    /// `+`, `-` and `*` between numbers.
    pub fn calculated(
        &mut self,
        sign: &str,
        left: &Expr,
        right: &Expr,
    ) -> TranslateResult<Translated> {
        let (left, right) = (self.number(left)?, self.number(right)?);
        for side in [&left, &right] {
            if side.kind == SqlType::Unclear
                && !matches!(side.form, super::translated::TranslatedForm::Parameter)
            {
                return Err(untyped(side, "a number"));
            }
        }
        Ok(operate(sign, &left, &right))
    }
}

/// An operation on two numbers that means the same in Postgres.
pub fn operate(sign: &str, left: &Translated, right: &Translated) -> Translated {
    let kind = left.kind.common(right.kind);
    Translated {
        extra_digits: left.extra_digits || right.extra_digits,
        not_null: left.not_null && right.not_null,
        ..Translated::operation(
            format!("{} {sign} {}", left.operand(), right.operand()),
            kind,
        )
    }
}
