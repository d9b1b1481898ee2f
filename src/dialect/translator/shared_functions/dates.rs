//! Dates and timestamps as arguments, and the boundaries of units between them, for several
//! dialects.

use sqlparser::ast::Expr;

use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::convert::cast;
use crate::translator::interval::TimeUnit;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

/// The day that a week begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeekBegin {
    /// Sunday.
    Sunday,
    /// Monday.
    Monday,
}

/// An expression as a date or timestamp; what columns of texts hold is read as Postgres reads it.
pub fn temporal_argument(
    translator: &mut Translator<'_>,
    expr: &Expr,
) -> TranslateResult<Translated> {
    let value = translator.value(expr)?;
    dated(translator, value)
}

/// A value as a date or timestamp, likewise.
pub fn dated(translator: &mut Translator<'_>, value: Translated) -> TranslateResult<Translated> {
    match (value.kind, value.text_literal()) {
        (SqlType::Text, None) => {
            translator.mark_likely();
            Ok(cast(&value, "timestamp", SqlType::Timestamp))
        }
        (SqlType::Unclear, _) => Err(untyped(&value, "a date")),
        _ => translator.as_temporal(value),
    }
}

/// The day of a timestamp.
pub fn day(moment: &Translated) -> Translated {
    match moment.kind {
        SqlType::Timestamp | SqlType::TimestampTz => cast(moment, "date", SqlType::Date),
        _ => moment.clone(),
    }
}

/// How many boundaries of a unit lie between two timestamps.
pub fn boundaries(
    translator: &mut Translator<'_>,
    unit: TimeUnit,
    weeks: WeekBegin,
    first: Translated,
    second: Translated,
) -> TranslateResult<Translated> {
    let not_null = first.not_null && second.not_null;
    let between =
        |each: &dyn Fn(&Translated) -> String| format!("({} - {})", each(&second), each(&first));
    let year = |moment: &Translated| format!("EXTRACT(YEAR FROM {})", moment.text);
    let text = match unit {
        TimeUnit::Year => format!("CAST({} AS integer)", between(&year)),
        TimeUnit::Quarter | TimeUnit::Month => {
            let (field, times) = match unit {
                TimeUnit::Month => ("MONTH", 12),
                _ => ("QUARTER", 4),
            };
            let months = |moment: &Translated| {
                format!(
                    "({} * {times} + EXTRACT({field} FROM {}))",
                    year(moment),
                    moment.text
                )
            };
            format!("CAST({} AS integer)", between(&months))
        }
        TimeUnit::Day => between(&|moment| day(moment).operand()),
        TimeUnit::Week => {
            let origin = match weeks {
                WeekBegin::Sunday => "1900-01-07",
                WeekBegin::Monday => "1900-01-01",
            };
            let week = |moment: &Translated| {
                format!("floor(({} - DATE '{origin}') / 7.0)", day(moment).operand())
            };
            format!("CAST({} AS integer)", between(&week))
        }
        TimeUnit::Hour
        | TimeUnit::Minute
        | TimeUnit::Second
        | TimeUnit::Millisecond
        | TimeUnit::Microsecond => {
            let (field, times) = match unit {
                TimeUnit::Hour => ("hour", " / 3600"),
                TimeUnit::Minute => ("minute", " / 60"),
                TimeUnit::Second => ("second", ""),
                TimeUnit::Millisecond => ("milliseconds", " * 1000"),
                _ => ("microseconds", " * 1000000"),
            };
            let (first, second) = (
                translator.as_timestamp(first)?,
                translator.as_timestamp(second)?,
            );
            let begun = |moment: &Translated| format!("date_trunc('{field}', {})", moment.text);
            format!(
                "CAST(EXTRACT(EPOCH FROM {} - {}){times} AS bigint)",
                begun(&second),
                begun(&first)
            )
        }
    };
    Ok(Translated::primary(text, SqlType::Integer).never_null(not_null))
}
