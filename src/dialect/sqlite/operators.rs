//! SQLite's operators: comparisons by the affinity of columns, dates that are compared as the
//! texts they are there, remainders.
//!
//! <https://www.sqlite.org/datatype3.html#comparison_expressions>

use sqlparser::ast::{BinaryOperator, Expr};

use super::SqliteSource;
use super::glob::glob;
use super::json;
use super::time_string::{TimeStringForm, time_string_form};
use crate::source::{SourceDialect, untyped};
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::compare::{ComparisonOperator, ComparisonPurpose};
use crate::translator::literal;
use crate::translator::translated::{Translated, TranslatedForm};
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

/// An operation that SQLite has another meaning of.
pub fn operation(
    translator: &mut Translator<'_>,
    left: &Expr,
    operator: &BinaryOperator,
    right: &Expr,
) -> TranslateResult<Option<Translated>> {
    binds_otherwise(left, operator, right)?;
    if let Some(comparison) = ComparisonOperator::of(operator) {
        return compared(translator, comparison, left, right);
    }
    let written = match operator {
        BinaryOperator::Divide => division(translator, left, right)?,
        BinaryOperator::Modulo => remainder(translator, left, right)?,
        BinaryOperator::Custom(name) if name == "GLOB" => glob(translator, left, right)?,
        BinaryOperator::Glob => glob(translator, left, right)?,
        BinaryOperator::Regexp => {
            return Err(
                Untranslatable::construct("REGEXP, which SQLite leaves to applications,")
                    .hint("write x ~ 'pattern'"),
            );
        }
        BinaryOperator::Match => return Err(Untranslatable::construct("MATCH")),
        BinaryOperator::Arrow => json::arrow(translator, left, right)?,
        BinaryOperator::LongArrow => json::long_arrow(translator, left, right)?,
        _ => return Ok(None),
    };
    Ok(Some(written))
}

/// Refuses what the library groups otherwise than SQLite: there `||` goes before `*`, and `<`
/// before `=`.
fn binds_otherwise(left: &Expr, operator: &BinaryOperator, right: &Expr) -> TranslateResult<()> {
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
        let compared =
            ComparisonOperator::of(op).is_some() && ComparisonOperator::of(operator).is_some();
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
fn division(
    translator: &mut Translator<'_>,
    left: &Expr,
    right: &Expr,
) -> TranslateResult<Translated> {
    let (dividend, divisor) = (translator.number(left)?, translator.number(right)?);
    let may_be_whole =
        |value: &Translated| matches!(value.kind, SqlType::Integer | SqlType::Decimal);
    let is_doubtful = may_be_whole(&dividend)
        && may_be_whole(&divisor)
        && (dividend.kind == SqlType::Decimal || divisor.kind == SqlType::Decimal);
    if is_doubtful && !is_double(left) && !is_double(right) {
        translator.mark_likely();
    }
    SqliteSource.division(&dividend, &divisor)
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
    translator: &mut Translator<'_>,
    left: &Translated,
    right: &Translated,
    side: ComparisonPurpose,
) -> TranslateResult<Option<(String, String)>> {
    Ok(match (left.kind, right.kind) {
        (SqlType::Text, number) if number.is_number() => text_and_number(translator, left, right)?,
        (number, SqlType::Text) if number.is_number() => {
            text_and_number(translator, right, left)?.map(|(text, number)| (number, text))
        }
        (SqlType::Date | SqlType::Timestamp | SqlType::Time, SqlType::Text)
        | (SqlType::Text, SqlType::Date | SqlType::Timestamp | SqlType::Time)
        | (SqlType::Date, SqlType::Timestamp)
        | (SqlType::Timestamp, SqlType::Date) => as_texts(left, right, side)?,
        _ => None,
    })
}

/// A text beside a number, in this order, with what each of them becomes. None where the core
/// compares them as numbers.
fn text_and_number(
    translator: &mut Translator<'_>,
    text: &Translated,
    number: &Translated,
) -> TranslateResult<Option<(String, String)>> {
    match (&text.form, &number.form) {
        // The affinity of a number's column makes a number of a text that is one.
        (TranslatedForm::TextLiteral(_), TranslatedForm::Column) => Ok(None),
        // The affinity of a text's column makes a text of the number.
        (TranslatedForm::Column, TranslatedForm::NumberLiteral(digits))
            if digits.bytes().all(|digit| digit.is_ascii_digit()) =>
        {
            Ok(Some((text.operand(), literal::quoted(digits))))
        }
        (
            TranslatedForm::Document,
            TranslatedForm::NumberLiteral(_) | TranslatedForm::Computed | TranslatedForm::Column,
        ) => {
            translator.mark_likely();
            Ok(Some((
                format!("{}::numeric", text.operand()),
                number.operand(),
            )))
        }
        (TranslatedForm::Digits, _) => Err(Untranslatable::construct(
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
fn as_texts(
    left: &Translated,
    right: &Translated,
    side: ComparisonPurpose,
) -> TranslateResult<Option<(String, String)>> {
    for (moment, text) in [(left, right), (right, left)] {
        let Some(content) = text.text_literal() else {
            continue;
        };
        let seconds = content.len() == "2024-01-31 10:20:30".len() && !content.contains('T');
        match (moment.kind, time_string_form(content)) {
            (SqlType::Date, TimeStringForm::Date) => return Ok(None),
            (SqlType::Timestamp, TimeStringForm::Timestamp) if seconds => return Ok(None),
            (SqlType::Time, TimeStringForm::Time) if content.len() == "10:20:30".len() => {
                return Ok(None);
            }
            _ => {}
        }
    }
    let text = |value: &Translated| match value.kind {
        SqlType::Text => Ok(value.clone()),
        _ => SqliteSource.text_of(value),
    };
    let (left, right) = (text(left)?, text(right)?);
    Ok(Some(match side {
        ComparisonPurpose::Order => (format!("{} COLLATE \"C\"", left.operand()), right.operand()),
        ComparisonPurpose::Equality => (left.operand(), right.operand()),
    }))
}

fn compared(
    translator: &mut Translator<'_>,
    comparison: ComparisonOperator,
    left: &Expr,
    right: &Expr,
) -> TranslateResult<Option<Translated>> {
    if matches!((left, right), (Expr::Tuple(_), Expr::Tuple(_))) {
        return Ok(None);
    }
    if let Some(folded) = without_case(translator, comparison, left, right)? {
        return Ok(Some(folded));
    }
    let (left, right) = (translator.value(left)?, translator.value(right)?);
    let (left, right) = in_utc(left, right);
    let written = match (left.kind, day(&right), right.kind, day(&left)) {
        (SqlType::Timestamp, Some(day), _, _) => beside_day(comparison, &left, &day),
        (_, _, SqlType::Timestamp, Some(day)) => beside_day(mirrored(comparison), &right, &day),
        _ => None,
    };
    match written {
        Some(written) => Ok(Some(written)),
        None => translator.compare(comparison, &left, &right).map(Some),
    }
}

/// A timestamp with time zone beside a moment without one, which is of UTC.
fn in_utc(left: Translated, right: Translated) -> (Translated, Translated) {
    let local = |value: &Translated| matches!(value.kind, SqlType::Date | SqlType::Timestamp);
    let utc = |value: Translated| {
        let text = format!("{} AT TIME ZONE 'UTC'", value.operand());
        Translated::compound(text, SqlType::Timestamp).never_null(value.not_null)
    };
    match (left.kind, right.kind) {
        (SqlType::TimestampTz, _) if local(&right) => (utc(left), right),
        (_, SqlType::TimestampTz) if local(&left) => (left, utc(right)),
        _ => (left, right),
    }
}

/// A date, or a string that is one.
fn day(value: &Translated) -> Option<Translated> {
    match value.text_literal() {
        Some(content) if time_string_form(content) == TimeStringForm::Date => {
            Some(Translated::primary(format!("DATE '{content}'"), SqlType::Date).never_null(true))
        }
        Some(_) => None,
        None => (value.kind == SqlType::Date).then(|| value.clone()),
    }
}

/// A timestamp beside a day. As a text the day is smaller than any moment of it, midnight too.
fn beside_day(
    comparison: ComparisonOperator,
    moment: &Translated,
    day: &Translated,
) -> Option<Translated> {
    let sign = match comparison {
        ComparisonOperator::Greater | ComparisonOperator::GreaterOrEqual => ">=",
        ComparisonOperator::Less | ComparisonOperator::LessOrEqual => "<",
        ComparisonOperator::Equal
        | ComparisonOperator::NotEqual
        | ComparisonOperator::Distinct
        | ComparisonOperator::NotDistinct => return None,
    };
    let text = format!("{} {sign} {}", moment.operand(), day.operand());
    Some(Translated::operation(text, SqlType::Bool).never_null(moment.not_null && day.not_null))
}

fn mirrored(comparison: ComparisonOperator) -> ComparisonOperator {
    match comparison {
        ComparisonOperator::Less => ComparisonOperator::Greater,
        ComparisonOperator::LessOrEqual => ComparisonOperator::GreaterOrEqual,
        ComparisonOperator::Greater => ComparisonOperator::Less,
        ComparisonOperator::GreaterOrEqual => ComparisonOperator::LessOrEqual,
        other => other,
    }
}

/// BETWEEN days, of a timestamp; none for anything else.
pub fn between_days(
    translator: &mut Translator<'_>,
    subject: &Expr,
    negated: bool,
    low: &Expr,
    high: &Expr,
) -> TranslateResult<Option<Translated>> {
    let subject = translator.value(subject)?;
    if subject.kind != SqlType::Timestamp {
        return Ok(None);
    }
    let (low, high) = (translator.value(low)?, translator.value(high)?);
    let mut parts = Vec::new();
    for (comparison, bound) in [
        (ComparisonOperator::GreaterOrEqual, &low),
        (ComparisonOperator::LessOrEqual, &high),
    ] {
        let beside = day(bound).and_then(|day| beside_day(comparison, &subject, &day));
        parts.push(match beside {
            Some(part) => part.text,
            None => translator.compare(comparison, &subject, bound)?.text,
        });
    }
    let not = if negated { "NOT " } else { "" };
    let not_null = subject.not_null && low.not_null && high.not_null;
    let text = format!("{not}({})", parts.join(" AND "));
    Ok(Some(
        Translated::operation(text, SqlType::Bool).never_null(not_null),
    ))
}

/// `x = y COLLATE NOCASE`: the letters of ASCII are alike.
fn without_case(
    translator: &mut Translator<'_>,
    comparison: ComparisonOperator,
    left: &Expr,
    right: &Expr,
) -> TranslateResult<Option<Translated>> {
    let is_collated = |side: &Expr| matches!(side, Expr::Collate { .. });
    if !is_collated(left) && !is_collated(right) {
        return Ok(None);
    }
    let bare = |side: &Expr| match side {
        Expr::Collate { expr, collation } if is_nocase(collation) => Ok((**expr).clone()),
        Expr::Collate { .. } => Err(Untranslatable::construct("this collation")),
        other => Ok(other.clone()),
    };
    let (left, right) = (
        translator.value(&bare(left)?)?,
        translator.value(&bare(right)?)?,
    );
    for side in [&left, &right] {
        if side.kind != SqlType::Text {
            return Err(untyped(side, "a text"));
        }
    }
    translator
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
pub fn folded(value: &Translated) -> Translated {
    match value.text_literal() {
        Some(content) => literal::text(&content.to_ascii_lowercase()),
        None => {
            let text = format!("lower({} COLLATE \"C\")", value.operand());
            Translated::primary(text, SqlType::Text).never_null(value.not_null)
        }
    }
}

/// Of what both sides are as whole numbers; NULL where the second is zero.
fn remainder(
    translator: &mut Translator<'_>,
    left: &Expr,
    right: &Expr,
) -> TranslateResult<Translated> {
    let (left, right) = (translator.number(left)?, translator.number(right)?);
    let whole = |value: &Translated| match value.kind {
        SqlType::Integer => Ok(value.clone()),
        SqlType::Decimal | SqlType::Float => {
            let text = format!("trunc({})::bigint", value.text);
            Ok(Translated::primary(text, SqlType::Integer).never_null(value.not_null))
        }
        _ => Err(untyped(value, "a number")),
    };
    let (left, right) = (whole(&left)?, whole(&right)?);
    if right.small_integer().is_some_and(|divisor| divisor != 0) {
        let text = format!("{} % {}", left.operand(), right.operand());
        return Ok(Translated::operation(text, SqlType::Integer).never_null(left.not_null));
    }
    let text = format!("{} % NULLIF({}, 0)", left.operand(), right.text);
    Ok(Translated::operation(text, SqlType::Integer))
}
