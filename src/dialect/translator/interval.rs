//! Units of time, and dates moved by them.

use sqlparser::ast::{DateTimeField, Expr, Ident, Interval};

use super::Translator;
use super::translated::Translated;
use super::untranslatable::{TranslateResult, Untranslatable};
use crate::sql_type::SqlType;

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// A microsecond.
    Microsecond,
    /// A millisecond.
    Millisecond,
    /// A second.
    Second,
    /// A minute.
    Minute,
    /// An hour.
    Hour,
    /// A day.
    Day,
    /// Seven days.
    Week,
    /// A month.
    Month,
    /// Three months.
    Quarter,
    /// A year.
    Year,
}

impl TimeUnit {
    /// The unit of a name, singular or plural.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        Some(match name.strip_suffix('s').unwrap_or(&name) {
            "microsecond" => Self::Microsecond,
            "millisecond" => Self::Millisecond,
            "second" => Self::Second,
            "minute" => Self::Minute,
            "hour" => Self::Hour,
            "day" => Self::Day,
            "week" => Self::Week,
            "month" => Self::Month,
            "quarter" => Self::Quarter,
            "year" => Self::Year,
            _ => return None,
        })
    }

    /// The unit that a field is.
    pub fn of(field: &DateTimeField) -> Option<Self> {
        Some(match field {
            DateTimeField::Year | DateTimeField::Years => Self::Year,
            DateTimeField::Quarter => Self::Quarter,
            DateTimeField::Month | DateTimeField::Months => Self::Month,
            DateTimeField::Week(None) | DateTimeField::Weeks => Self::Week,
            DateTimeField::Day | DateTimeField::Days => Self::Day,
            DateTimeField::Hour | DateTimeField::Hours => Self::Hour,
            DateTimeField::Minute | DateTimeField::Minutes => Self::Minute,
            DateTimeField::Second | DateTimeField::Seconds => Self::Second,
            DateTimeField::Millisecond | DateTimeField::Milliseconds => Self::Millisecond,
            DateTimeField::Microsecond | DateTimeField::Microseconds => Self::Microsecond,
            DateTimeField::Custom(ident) => return Self::named(&ident.value),
            _ => return None,
        })
    }

    /// The unit that an argument names, as in `TIMESTAMPDIFF(MONTH, a, b)`.
    pub fn in_argument(expr: &Expr) -> TranslateResult<Self> {
        let found = match expr {
            Expr::Identifier(Ident { value, .. }) => Self::named(value),
            _ => None,
        };
        found.ok_or_else(|| Untranslatable::construct("this unit of time"))
    }

    /// Whether a date moved by it is still a date.
    pub fn keeps_dates(self) -> bool {
        matches!(
            self,
            Self::Day | Self::Week | Self::Month | Self::Quarter | Self::Year
        )
    }

    /// What an argument of `make_interval` is called that counts it, and how many of those it is.
    fn make_interval_argument(self) -> (&'static str, &'static str) {
        match self {
            Self::Microsecond => ("secs", " * 0.000001"),
            Self::Millisecond => ("secs", " * 0.001"),
            Self::Second => ("secs", ""),
            Self::Minute => ("mins", ""),
            Self::Hour => ("hours", ""),
            Self::Day => ("days", ""),
            Self::Week => ("weeks", ""),
            Self::Month => ("months", ""),
            Self::Quarter => ("months", " * 3"),
            Self::Year => ("years", ""),
        }
    }

    /// The word in an interval literal, and how many of those it is.
    fn interval_word(self) -> (&'static str, i64) {
        match self {
            Self::Microsecond => ("microseconds", 1),
            Self::Millisecond => ("milliseconds", 1),
            Self::Second => ("seconds", 1),
            Self::Minute => ("minutes", 1),
            Self::Hour => ("hours", 1),
            Self::Day => ("days", 1),
            Self::Week => ("weeks", 1),
            Self::Month => ("months", 1),
            Self::Quarter => ("months", 3),
            Self::Year => ("years", 1),
        }
    }
}

/// A timestamp moved forward by so many units, or back; of a date moved by days a date again, as in
/// most dialects, where a day that a month does not have is its last.
pub fn shifted(
    moment: &Translated,
    back: bool,
    count: &Translated,
    unit: TimeUnit,
) -> TranslateResult<Translated> {
    if !moment.kind.is_temporal() {
        return Err(Untranslatable::construct("an interval beside no date"));
    }
    let sign = if back { "-" } else { "+" };
    let length = interval_of(count, unit)?;
    let not_null = moment.not_null && count.not_null;
    let text = format!("{} {sign} {length}", moment.operand());
    if moment.kind == SqlType::Date && unit.keeps_dates() {
        return Ok(
            Translated::primary(format!("CAST({text} AS date)"), SqlType::Date)
                .never_null(not_null),
        );
    }
    let kind = match moment.kind {
        SqlType::TimestampTz => SqlType::TimestampTz,
        _ => SqlType::Timestamp,
    };
    Ok(Translated::operation(text, kind).never_null(not_null))
}

/// So many units, as an interval.
pub fn interval_of(count: &Translated, unit: TimeUnit) -> TranslateResult<String> {
    if let Some(number) = count.small_integer() {
        let (word, times) = unit.interval_word();
        if let Some(number) = number.checked_mul(times) {
            return Ok(format!("INTERVAL '{number} {word}'"));
        }
    }
    match count.kind {
        SqlType::Integer => {}
        // The server says so where a parameter is no number.
        SqlType::Unclear if count.form == super::translated::TranslatedForm::Parameter => {}
        _ => {
            return Err(Untranslatable::construct(
                "an interval of something that is no whole number",
            ));
        }
    }
    let (argument, times) = unit.make_interval_argument();
    let cast = match argument {
        "secs" => count.operand(),
        _ => format!("CAST({} AS integer)", count.text),
    };
    Ok(format!("make_interval({argument} => {cast}{times})"))
}

impl Translator<'_> {
    /// `INTERVAL 3 DAY`: the count and the unit.
    pub fn interval(&mut self, interval: &Interval) -> TranslateResult<(Translated, TimeUnit)> {
        let Interval {
            value,
            leading_field: Some(field),
            leading_precision: None,
            last_field: None,
            fractional_seconds_precision: None,
        } = interval
        else {
            return self.refuse("this form of INTERVAL");
        };
        let Some(unit) = TimeUnit::of(field) else {
            return self.refuse("this unit of time");
        };
        Ok((self.number(value)?, unit))
    }
}
