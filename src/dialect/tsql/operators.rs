//! T-SQL's operators: `+` is addition of numbers and concatenation of strings, by their types.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/language-elements/operators-transact-sql>

use sqlparser::ast::{BinaryOperator, Expr};

use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::arithmetic::operate;
use crate::translator::interval;
use crate::translator::interval::TimeUnit;
use crate::translator::literal;
use crate::translator::translated::{Translated, TranslatedForm};
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

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
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Modulo => "%",
        BinaryOperator::BitwiseAnd => "&",
        BinaryOperator::BitwiseOr => "|",
        BinaryOperator::BitwiseXor => "#",
        _ => return Ok(None),
    };
    let (left, right) = (translator.value(left)?, translator.value(right)?);
    calculated(translator, left, sign, right).map(Some)
}

fn calculated(
    translator: &mut Translator<'_>,
    left: Translated,
    sign: &str,
    right: Translated,
) -> TranslateResult<Translated> {
    let (left, right) = (translator.numeric(left)?, translator.numeric(right)?);
    if left.kind.is_temporal() || right.kind.is_temporal() {
        return moved(&left, sign, &right);
    }
    let (left, right) = match (left.kind, right.kind) {
        (SqlType::Text, SqlType::Integer) => (number_in_quotes(left)?, right),
        (SqlType::Integer, SqlType::Text) => (left, number_in_quotes(right)?),
        _ => (left, right),
    };
    if left.kind == SqlType::Text || right.kind == SqlType::Text {
        if sign == "+" {
            return joined(&left, &right);
        }
        return Err(mixture());
    }
    for side in [&left, &right] {
        let fits = side.kind.is_number() || matches!(side.kind, SqlType::Null | SqlType::Unclear);
        if !fits {
            return Err(untyped(side, "a number"));
        }
    }
    match sign {
        "/" => division(&left, &right),
        "%" | "&" | "|" | "#" => {
            let whole = |side: &Translated| match side.kind {
                SqlType::Integer | SqlType::Null => true,
                SqlType::Decimal => sign == "%",
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

/// A string of digits beside a whole number is one; any other value stays.
fn number_in_quotes(value: Translated) -> TranslateResult<Translated> {
    let digits = value
        .text_literal()
        .map(|content| content.trim_matches(' '));
    let is_whole = |digits: &&str| {
        (1..=9).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
    };
    match digits.filter(is_whole) {
        Some(digits) => literal::number(digits),
        None => Ok(value),
    }
}

/// `a + b` of strings is NULL where one of them is.
fn joined(left: &Translated, right: &Translated) -> TranslateResult<Translated> {
    for (side, other) in [(left, right), (right, left)] {
        let fits = match side.kind {
            SqlType::Text | SqlType::Null => true,
            // Beside a string that is no number, only a string makes sense there.
            SqlType::Unclear => other.text_literal().is_some_and(is_no_number),
            _ => false,
        };
        if !fits {
            return Err(mixture());
        }
    }
    let text = format!("{} || {}", left.operand(), right.operand());
    Ok(Translated::operation(text, SqlType::Text).never_null(left.not_null && right.not_null))
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
fn moved(left: &Translated, sign: &str, right: &Translated) -> TranslateResult<Translated> {
    let days = |value: &Translated| value.kind == SqlType::Integer;
    let stamp =
        |value: &Translated| matches!(value.kind, SqlType::Timestamp | SqlType::TimestampTz);
    match sign {
        "+" if stamp(left) && days(right) => interval::shifted(left, false, right, TimeUnit::Day),
        "-" if stamp(left) && days(right) => interval::shifted(left, true, right, TimeUnit::Day),
        "+" if days(left) && stamp(right) => interval::shifted(right, false, left, TimeUnit::Day),
        _ => Err(Untranslatable::construct("arithmetic with dates")
            .hint("write DATEADD() or DATEDIFF()")),
    }
}

/// Whole numbers divide to whole numbers, and by zero it is an error, as in Postgres.
pub fn division(left: &Translated, right: &Translated) -> TranslateResult<Translated> {
    let written = operate("/", left, right);
    let is_parameter = |side: &Translated| side.form == TranslatedForm::Parameter;
    if is_parameter(left) || is_parameter(right) {
        return Err(untyped(left, "a number of known type"));
    }
    Ok(Translated {
        extra_digits: written.kind != SqlType::Integer,
        ..written
    })
}
