//! What MySQL has a syntax of its own for.

use sqlparser::ast::{
    BinaryOperator, CaseWhen, DataType, DateTimeField, Expr, TimezoneInfo, TrimWhereField,
    TypedString, UnaryOperator, Value,
};

use super::casts;
use super::dates;
use super::operators::{is_closed, is_comparison, is_misread};
use super::regexp;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::compare::ComparisonOperator;
use crate::translator::interval::TimeUnit;
use crate::translator::literal;
use crate::translator::timestamp;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

/// The first look at an expression.
pub fn expression(
    translator: &mut Translator<'_>,
    expr: &Expr,
) -> TranslateResult<Option<Translated>> {
    refuse_misread(expr)?;
    let written = match expr {
        Expr::Identifier(ident) if ident.value.starts_with('@') && ident.quote_style.is_none() => {
            return translator.refuse("a user variable");
        }
        Expr::ILike { .. } => return Err(Untranslatable::mixed()),
        Expr::UnaryOp {
            op: UnaryOperator::BitwiseNot,
            ..
        } => return translator.refuse("the operator ~"),
        Expr::RLike {
            negated,
            expr,
            pattern,
            regexp: _,
        } => regexp::matches(translator, expr, pattern, *negated)?,
        Expr::Convert {
            is_try: false,
            expr,
            data_type,
            charset,
            target_before_value: false,
            styles,
        } if styles.is_empty() => match (data_type, charset) {
            (Some(data_type), None) => casts::cast_to(translator, expr, data_type)?,
            // Texts of Postgres have one encoding.
            (None, Some(_)) => translator.text(expr)?,
            _ => return translator.refuse("this form of CONVERT"),
        },
        Expr::Extract {
            field,
            syntax: _,
            expr,
        } => extracted(translator, field, expr)?,
        Expr::Trim {
            trim_where,
            trim_what,
            expr,
            trim_characters: None,
        } => trimmed(translator, *trim_where, trim_what.as_deref(), expr)?,
        Expr::TypedString(TypedString {
            data_type, value, ..
        }) => typed(translator, data_type, &value.value)?,
        Expr::Collate { expr, collation } => {
            let name = collation.to_string().to_lowercase();
            let cased = match name.rsplit('_').next() {
                Some("bin" | "cs") => true,
                Some("ci") => false,
                _ if name == "binary" => true,
                _ => return translator.refuse("this collation"),
            };
            Translated {
                case_sensitive: cased,
                ..translator.text(expr)?
            }
        }
        Expr::Prefixed { prefix, value } if prefix.value.to_lowercase().starts_with("_utf8") => {
            translator.text(value)?
        }
        _ => return Ok(None),
    };
    Ok(Some(written))
}

/// Refuses an operator that the grammar has bound to the wrong neighbours.
fn refuse_misread(expr: &Expr) -> TranslateResult<()> {
    let misread = match expr {
        Expr::BinaryOp { left, op, right } => {
            // What is compared first stands on the left.
            let is_one = *op == BinaryOperator::Spaceship || ComparisonOperator::of(op).is_some();
            is_misread(left) || is_misread(right) || is_one && is_comparison(right)
        }
        Expr::UnaryOp { op, expr } => {
            is_misread(expr) || *op == UnaryOperator::BangNot && !is_closed(expr)
        }
        Expr::Between {
            expr, low, high, ..
        } => [expr, low, high].iter().any(|one| is_misread(one)) || is_comparison(high),
        Expr::Like { expr, pattern, .. } | Expr::RLike { expr, pattern, .. } => {
            is_misread(expr) || is_misread(pattern) || is_comparison(pattern)
        }
        Expr::InList { expr, .. }
        | Expr::InSubquery { expr, .. }
        | Expr::IsNull(expr)
        | Expr::IsNotNull(expr)
        | Expr::IsTrue(expr)
        | Expr::IsFalse(expr)
        | Expr::IsNotTrue(expr)
        | Expr::IsNotFalse(expr)
        | Expr::Collate { expr, .. } => is_misread(expr),
        Expr::Case {
            operand,
            conditions,
            ..
        } => {
            operand.as_deref().is_some_and(is_misread)
                || (conditions.iter())
                    .any(|CaseWhen { condition, .. }| is_misread(condition) && operand.is_some())
        }
        _ => false,
    };
    if misread {
        return Err(Untranslatable::construct(
            "XOR, !, ^, <<, >> or one comparison in another without parentheses",
        )
        .hint("put it into parentheses"));
    }
    Ok(())
}

fn extracted(
    translator: &mut Translator<'_>,
    field: &DateTimeField,
    expr: &Expr,
) -> TranslateResult<Translated> {
    match TimeUnit::of(field) {
        Some(TimeUnit::Week) => translator.call_named("week", vec![expr]),
        Some(unit) => dates::part(translator, unit, expr),
        None => translator.refuse("this field of EXTRACT"),
    }
}

/// TRIM takes away spaces, or one string as often as it stands there.
fn trimmed(
    translator: &mut Translator<'_>,
    side: Option<TrimWhereField>,
    what: Option<&Expr>,
    expr: &Expr,
) -> TranslateResult<Translated> {
    let subject = translator.text(expr)?;
    let function = match side {
        None | Some(TrimWhereField::Both) => "btrim",
        Some(TrimWhereField::Leading) => "ltrim",
        Some(TrimWhereField::Trailing) => "rtrim",
    };
    let not_null = subject.not_null;
    let Some(what) = what else {
        return Ok(Translated::call(function, &[&subject.text], SqlType::Text).never_null(not_null));
    };
    let what = translator.value(what)?;
    match what.text_literal() {
        Some(one) if one.chars().count() == 1 => {
            Ok(
                Translated::call(function, &[&subject.text, &what.text], SqlType::Text)
                    .never_null(not_null),
            )
        }
        _ => translator.refuse("TRIM of more than one character"),
    }
}

/// `DATE '2024-01-31'`, `TIMESTAMP '2024-01-31 10:00:00'`
fn typed(
    translator: &Translator<'_>,
    data_type: &DataType,
    value: &Value,
) -> TranslateResult<Translated> {
    let text = literal::written(value, translator.source)?;
    let content = text.as_ref().and_then(Translated::text_literal);
    let read = content.and_then(timestamp::read);
    match (data_type, read) {
        (DataType::Date, Some(read)) => Ok(read.day()),
        (DataType::Timestamp(None, TimezoneInfo::None) | DataType::Datetime(None), Some(read)) => {
            Ok(read.timestamp())
        }
        _ => translator.refuse("this typed literal"),
    }
}
