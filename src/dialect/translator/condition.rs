//! Conditions: what is true, false or NULL.

use sqlparser::ast::Expr;

use super::Translator;
use super::compare::{ComparisonOperator, ComparisonPurpose};
use super::literal;
use super::subquery_comparison;
use super::translated::{Translated, TranslatedForm};
use super::untranslatable::TranslateResult;
use crate::source::{BooleanForm, CaseSensitivity, untyped};
use crate::sql_type::SqlType;

impl Translator<'_> {
    /// An expression where a condition is needed.
    pub fn condition(&mut self, expr: &Expr) -> TranslateResult<Translated> {
        let value = self.value(expr)?;
        self.as_condition(value)
    }

    /// A value as a condition: where numbers are conditions, everything but zero is true.
    pub fn as_condition(&mut self, value: Translated) -> TranslateResult<Translated> {
        let numbers = self.source.semantics().booleans == BooleanForm::Numbers;
        match value.kind {
            SqlType::Bool | SqlType::Null => Ok(value),
            SqlType::Unclear if !numbers || value.form == TranslatedForm::Parameter => Ok(value),
            kind if numbers && kind.is_number() => {
                if let Some(digits) = value.number_literal() {
                    let is_zero = digits.bytes().all(|b| matches!(b, b'0' | b'.' | b'-'));
                    return Ok(literal::boolean(!is_zero));
                }
                Ok(
                    Translated::operation(format!("{} <> 0", value.operand()), SqlType::Bool)
                        .never_null(value.not_null),
                )
            }
            _ => Err(untyped(&value, "a condition")),
        }
    }

    /// The conditions that have a syntax of their own; none for any other expression.
    pub fn condition_of(&mut self, expr: &Expr) -> TranslateResult<Option<Translated>> {
        let written = match expr {
            Expr::IsNull(inner) => self.is_null(inner, "IS NULL")?,
            Expr::IsNotNull(inner) => self.is_null(inner, "IS NOT NULL")?,
            Expr::IsTrue(inner) => self.is_truth(inner, "IS TRUE")?,
            Expr::IsNotTrue(inner) => self.is_truth(inner, "IS NOT TRUE")?,
            Expr::IsFalse(inner) => self.is_truth(inner, "IS FALSE")?,
            Expr::IsNotFalse(inner) => self.is_truth(inner, "IS NOT FALSE")?,
            Expr::IsUnknown(inner) => self.is_truth(inner, "IS UNKNOWN")?,
            Expr::IsNotUnknown(inner) => self.is_truth(inner, "IS NOT UNKNOWN")?,
            Expr::IsDistinctFrom(left, right) => {
                self.compare_expressions(ComparisonOperator::Distinct, left, right)?
            }
            Expr::IsNotDistinctFrom(left, right) => {
                self.compare_expressions(ComparisonOperator::NotDistinct, left, right)?
            }
            Expr::InList {
                expr,
                list,
                negated,
            } => self.in_list(expr, list, *negated)?,
            Expr::Between {
                expr,
                negated,
                low,
                high,
            } => self.between(expr, *negated, low, high)?,
            Expr::Like {
                negated,
                any: false,
                expr,
                pattern,
                escape_char,
            } => {
                let letters = self.source.semantics().like;
                self.like(expr, pattern, escape_char.as_deref(), letters, *negated)?
            }
            Expr::ILike {
                negated,
                any: false,
                expr,
                pattern,
                escape_char,
            } => self.like(
                expr,
                pattern,
                escape_char.as_deref(),
                CaseSensitivity::Insensitive,
                *negated,
            )?,
            other => return subquery_comparison::condition(self, other),
        };
        Ok(Some(written))
    }

    fn is_null(&mut self, inner: &Expr, test: &str) -> TranslateResult<Translated> {
        let inner = self.value(inner)?;
        Ok(
            Translated::operation(format!("{} {test}", inner.operand()), SqlType::Bool)
                .never_null(true),
        )
    }

    fn is_truth(&mut self, inner: &Expr, test: &str) -> TranslateResult<Translated> {
        let inner = self.condition(inner)?;
        Ok(
            Translated::operation(format!("{} {test}", inner.operand()), SqlType::Bool)
                .never_null(true),
        )
    }

    fn in_list(
        &mut self,
        expr: &Expr,
        list: &[Expr],
        negated: bool,
    ) -> TranslateResult<Translated> {
        if let Expr::Tuple(parts) = expr {
            return self.rows_in_list(parts, list, negated);
        }
        let subject = self.value(expr)?;
        let mut values = Vec::new();
        for one in list {
            values.push(self.value(one)?);
        }
        let mut sides = Vec::new();
        for value in &values {
            sides.push(self.sides(&subject, value, ComparisonPurpose::Equality)?);
        }
        let not_null = subject.not_null && values.iter().all(|value| value.not_null);
        // One spelling of the subject has to do for all; where it does not, each is compared alone.
        let first = sides
            .first()
            .map(|(left, _)| left.clone())
            .unwrap_or_default();
        let text = if sides.iter().all(|(left, _)| *left == first) {
            let values: Vec<&str> = sides.iter().map(|(_, right)| right.as_str()).collect();
            let not = if negated { "NOT IN" } else { "IN" };
            format!("{first} {not} ({})", values.join(", "))
        } else {
            let pairs: Vec<String> = sides
                .iter()
                .map(|(left, right)| format!("{left} = {right}"))
                .collect();
            let not = if negated { "NOT " } else { "" };
            format!("{not}({})", pairs.join(" OR "))
        };
        Ok(Translated::operation(text, SqlType::Bool).never_null(not_null))
    }

    /// `(a, b) IN ((1, 2), (3, 4))`
    fn rows_in_list(
        &mut self,
        parts: &[Expr],
        list: &[Expr],
        negated: bool,
    ) -> TranslateResult<Translated> {
        let mut rows = Vec::new();
        for row in list {
            let Expr::Tuple(values) = row else {
                return self.refuse("a list of something else than rows");
            };
            if values.len() != parts.len() {
                return self.refuse("rows of different lengths");
            }
            let mut pairs = Vec::new();
            for (part, value) in parts.iter().zip(values) {
                let (part, value) = (self.value(part)?, self.value(value)?);
                pairs.push(self.equal(&part, &value)?.operand());
            }
            rows.push(format!("({})", pairs.join(" AND ")));
        }
        let not = if negated { "NOT " } else { "" };
        let text = format!("{not}({})", rows.join(" OR "));
        Ok(Translated::operation(text, SqlType::Bool))
    }

    fn between(
        &mut self,
        expr: &Expr,
        negated: bool,
        low: &Expr,
        high: &Expr,
    ) -> TranslateResult<Translated> {
        let subject = self.value(expr)?;
        let (low, high) = (self.value(low)?, self.value(high)?);
        if !low.kind.compares_directly(high.kind)
            && (subject.kind == SqlType::Text || !low.is_literal() && !high.is_literal())
        {
            return self.refuse("BETWEEN values of several types");
        }
        let (first, low_text) = self.sides(&subject, &low, ComparisonPurpose::Order)?;
        let (second, high_text) = self.sides(&subject, &high, ComparisonPurpose::Order)?;
        let not_null = subject.not_null && low.not_null && high.not_null;
        let text = if first == second {
            let not = if negated { "NOT BETWEEN" } else { "BETWEEN" };
            format!("{first} {not} {low_text} AND {high_text}")
        } else {
            let not = if negated { "NOT " } else { "" };
            format!("{not}({first} >= {low_text} AND {second} <= {high_text})")
        };
        Ok(Translated::operation(text, SqlType::Bool).never_null(not_null))
    }

    /// LIKE, told apart by case or not.
    pub fn like(
        &mut self,
        expr: &Expr,
        pattern: &Expr,
        escape: Option<&Expr>,
        letters: CaseSensitivity,
        negated: bool,
    ) -> TranslateResult<Translated> {
        let subject = self.text(expr)?;
        let pattern = self.text(pattern)?;
        let usual = self.source.semantics().like_escape;
        let escape = match escape {
            Some(escape) => {
                let escape = self.value(escape)?;
                match escape.text_literal() {
                    Some(one) if one.chars().count() <= 1 => {
                        format!(" ESCAPE {}", literal::quoted(one))
                    }
                    _ => return self.refuse("this ESCAPE"),
                }
            }
            None if usual == Some('\\') => String::new(),
            None => match usual {
                Some(one) => format!(" ESCAPE {}", literal::quoted(&one.to_string())),
                // Without a backslash in the pattern there is nothing to escape.
                None if pattern
                    .text_literal()
                    .is_some_and(|text| !text.contains('\\')) =>
                {
                    String::new()
                }
                None => " ESCAPE ''".to_owned(),
            },
        };
        let not = if negated { "NOT " } else { "" };
        let operator = match letters {
            CaseSensitivity::Insensitive
                if has_letters(&pattern) && !subject.case_sensitive && !pattern.case_sensitive =>
            {
                "ILIKE"
            }
            CaseSensitivity::Insensitive | CaseSensitivity::Sensitive => "LIKE",
        };
        let text = format!(
            "{} {not}{operator} {}{escape}",
            subject.operand(),
            pattern.operand()
        );
        let not_null = subject.not_null && pattern.not_null;
        Ok(Translated::operation(text, SqlType::Bool).never_null(not_null))
    }
}

/// Whether a text may hold a letter that has a small and a capital form.
pub fn has_letters(value: &Translated) -> bool {
    match value.text_literal() {
        Some(text) => text
            .chars()
            .any(|c| !c.is_ascii() || c.is_ascii_alphabetic()),
        None => true,
    }
}
