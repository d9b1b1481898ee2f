//! Dates and times of T-SQL: strings that stand for them, and the parts of time.

use sqlparser::ast::{Expr, Ident};

use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::interval;
use crate::translator::interval::TimeUnit;
use crate::translator::literal;
use crate::translator::shared_functions::dates;
use crate::translator::timestamp;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

/// A part of time, as DATEPART and DATEDIFF name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TsqlDatePart {
    /// A unit that timestamps are moved by.
    Unit(TimeUnit),
    /// The day of the year.
    DayOfYear,
    /// The day of the week.
    Weekday,
    /// The ISO week.
    IsoWeek,
}

impl TsqlDatePart {
    /// The part that an argument names.
    pub fn in_argument(expr: &Expr) -> TranslateResult<Self> {
        let found = match expr {
            Expr::Identifier(Ident { value, .. }) => Self::named(value),
            _ => None,
        };
        found.ok_or_else(|| Untranslatable::construct("this part of a date"))
    }

    fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "year" | "yy" | "yyyy" => Self::Unit(TimeUnit::Year),
            "quarter" | "qq" | "q" => Self::Unit(TimeUnit::Quarter),
            "month" | "mm" | "m" => Self::Unit(TimeUnit::Month),
            "dayofyear" | "dy" | "y" => Self::DayOfYear,
            "day" | "dd" | "d" => Self::Unit(TimeUnit::Day),
            "week" | "wk" | "ww" => Self::Unit(TimeUnit::Week),
            "weekday" | "dw" | "w" => Self::Weekday,
            "iso_week" | "isowk" | "isoww" => Self::IsoWeek,
            "hour" | "hh" => Self::Unit(TimeUnit::Hour),
            "minute" | "mi" | "n" => Self::Unit(TimeUnit::Minute),
            "second" | "ss" | "s" => Self::Unit(TimeUnit::Second),
            "millisecond" | "ms" => Self::Unit(TimeUnit::Millisecond),
            "microsecond" | "mcs" => Self::Unit(TimeUnit::Microsecond),
            _ => return None,
        })
    }

    /// The unit that it counts: a day of whatever is a day.
    pub fn unit(self) -> TranslateResult<TimeUnit> {
        match self {
            Self::Unit(unit) => Ok(unit),
            Self::DayOfYear | Self::Weekday => Ok(TimeUnit::Day),
            Self::IsoWeek => Err(Untranslatable::construct("ISO weeks that are counted")),
        }
    }
}

/// A string literal with a date that is written `20240131`, with hyphens.
pub fn compact(value: &Translated) -> Option<Translated> {
    let content = value.text_literal()?.trim_matches(' ');
    let (date, rest) = content.split_at_checked(8)?;
    let fits =
        date.bytes().all(|b| b.is_ascii_digit()) && (rest.is_empty() || rest.starts_with(' '));
    if !fits {
        return None;
    }
    let (year, day) = date.split_at_checked(4)?;
    let (month, day) = day.split_at_checked(2)?;
    let text = format!("{year}-{month}-{day}{rest}");
    timestamp::read(&text)?;
    Some(literal::text(&text))
}

/// A value as a date or timestamp; a string may be written without hyphens, and a number counts the
/// days since the year 1900 began.
pub fn dated(translator: &mut Translator<'_>, value: Translated) -> TranslateResult<Translated> {
    match compact(&value) {
        Some(read) => translator.as_temporal(read),
        None if value.kind == SqlType::Integer => {
            let first_day = translator.as_timestamp(literal::text("1900-01-01"))?;
            match value.small_integer() {
                Some(0) => Ok(first_day),
                _ => interval::shifted(&first_day, false, &value, TimeUnit::Day),
            }
        }
        None => dates::dated(translator, value),
    }
}

/// An expression where a date or timestamp is needed.
pub fn temporal_argument(
    translator: &mut Translator<'_>,
    expr: &Expr,
) -> TranslateResult<Translated> {
    let value = translator.value(expr)?;
    dated(translator, value)
}

/// An expression that is moved: a string stands for a DATETIME.
pub fn datetime_to_shift(
    translator: &mut Translator<'_>,
    expr: &Expr,
) -> TranslateResult<Translated> {
    let value = translator.value(expr)?;
    let is_text = value.kind == SqlType::Text;
    let moment = dated(translator, value)?;
    if is_text {
        translator.as_timestamp(moment)
    } else {
        Ok(moment)
    }
}

/// An expression as a date.
pub fn day_of(translator: &mut Translator<'_>, expr: &Expr) -> TranslateResult<Translated> {
    let moment = temporal_argument(translator, expr)?;
    Ok(dates::day(&moment))
}

/// An expression as a timestamp.
pub fn time_of(translator: &mut Translator<'_>, expr: &Expr) -> TranslateResult<Translated> {
    let moment = temporal_argument(translator, expr)?;
    translator.as_timestamp(moment)
}

/// A pattern of `to_char` for a style of CONVERT; none for styles that are not known.
pub fn style(number: i64) -> Option<&'static str> {
    Some(match number {
        1 => "MM/DD/YY",
        2 => "YY.MM.DD",
        3 => "DD/MM/YY",
        4 => "DD.MM.YY",
        5 => "DD-MM-YY",
        6 => "DD Mon YY",
        7 => "Mon DD, YY",
        8 | 24 | 108 => "HH24:MI:SS",
        10 => "MM-DD-YY",
        11 => "YY/MM/DD",
        12 => "YYMMDD",
        20 | 120 => "YYYY-MM-DD HH24:MI:SS",
        23 => "YYYY-MM-DD",
        101 => "MM/DD/YYYY",
        102 => "YYYY.MM.DD",
        103 => "DD/MM/YYYY",
        104 => "DD.MM.YYYY",
        105 => "DD-MM-YYYY",
        13 | 113 => "DD Mon YYYY HH24:MI:SS:MS",
        14 | 114 => "HH24:MI:SS:MS",
        106 => "DD Mon YYYY",
        107 => "Mon DD, YYYY",
        110 => "MM-DD-YYYY",
        111 => "YYYY/MM/DD",
        112 => "YYYYMMDD",
        126 | 127 => "YYYY-MM-DD\"T\"HH24:MI:SS",
        21 | 25 | 121 => "YYYY-MM-DD HH24:MI:SS.MS",
        _ => return None,
    })
}
