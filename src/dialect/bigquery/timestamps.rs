//! BigQuery's dates and timestamps: what is given as a day or as a time of UTC, and the parts of
//! time that its functions count in.
//!
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/date_functions>

use sqlparser::ast::{DateTimeField, Expr, FunctionArg, FunctionArgExpr, FunctionArguments};

use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::literal;
use crate::translator::timestamp;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

/// A part of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BigqueryDatePart {
    /// MICROSECOND
    Microsecond,
    /// MILLISECOND
    Millisecond,
    /// SECOND
    Second,
    /// MINUTE
    Minute,
    /// HOUR
    Hour,
    /// DAY
    Day,
    /// WEEK, which begins on this day; Sunday is 0. ISOWEEK begins on Monday.
    Week(u8),
    /// MONTH
    Month,
    /// QUARTER
    Quarter,
    /// YEAR
    Year,
    /// ISOYEAR
    IsoYear,
}

impl BigqueryDatePart {
    /// The part that an argument names.
    pub fn in_argument(expr: &Expr) -> TranslateResult<Self> {
        let found = match expr {
            Expr::Identifier(ident) => Self::named(&ident.value),
            Expr::Function(function) => {
                let is_week = function.name.to_string().eq_ignore_ascii_case("week");
                match (&function.args, is_week) {
                    (FunctionArguments::List(list), true) => match list.args.as_slice() {
                        [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Identifier(day)))] => {
                            weekday(&day.value).map(Self::Week)
                        }
                        _ => None,
                    },
                    _ => None,
                }
            }
            _ => None,
        };
        found.ok_or_else(|| Untranslatable::construct("this part of time"))
    }

    /// The part of a name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_uppercase().as_str() {
            "MICROSECOND" => Self::Microsecond,
            "MILLISECOND" => Self::Millisecond,
            "SECOND" => Self::Second,
            "MINUTE" => Self::Minute,
            "HOUR" => Self::Hour,
            "DAY" => Self::Day,
            "WEEK" => Self::Week(0),
            "ISOWEEK" => Self::Week(1),
            "MONTH" => Self::Month,
            "QUARTER" => Self::Quarter,
            "YEAR" => Self::Year,
            "ISOYEAR" => Self::IsoYear,
            _ => return None,
        })
    }

    /// How many seconds it has; none for what is of days.
    pub fn seconds(self) -> Option<&'static str> {
        Some(match self {
            Self::Microsecond => "0.000001",
            Self::Millisecond => "0.001",
            Self::Second => "1",
            Self::Minute => "60",
            Self::Hour => "3600",
            _ => return None,
        })
    }

    /// What date_trunc calls it; none for what it cannot do.
    pub fn field(self) -> Option<&'static str> {
        Some(match self {
            Self::Microsecond => "microseconds",
            Self::Millisecond => "milliseconds",
            Self::Second => "second",
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week(1) => "week",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
            Self::Week(_) | Self::IsoYear => return None,
        })
    }
}

/// Which day of the week a name is; Sunday is 0.
pub fn weekday(name: &str) -> Option<u8> {
    let days = [
        "SUNDAY",
        "MONDAY",
        "TUESDAY",
        "WEDNESDAY",
        "THURSDAY",
        "FRIDAY",
        "SATURDAY",
    ];
    let place = days.iter().position(|day| name.eq_ignore_ascii_case(day))?;
    u8::try_from(place).ok()
}

/// The days since the week of a day began.
pub fn days_into_week(day: &str, begins: u8) -> String {
    match begins {
        0 => format!("EXTRACT(DOW FROM {day})::integer"),
        1 => format!("EXTRACT(ISODOW FROM {day})::integer - 1"),
        other => format!("(EXTRACT(DOW FROM {day})::integer + {}) % 7", 7 - other),
    }
}

/// A field of EXTRACT as a part, where it is one.
pub fn part_of(field: &DateTimeField) -> Option<BigqueryDatePart> {
    match field {
        DateTimeField::Week(None) => Some(BigqueryDatePart::Week(0)),
        DateTimeField::Week(Some(day)) => weekday(&day.value).map(BigqueryDatePart::Week),
        DateTimeField::IsoWeek => Some(BigqueryDatePart::Week(1)),
        DateTimeField::Isoyear => Some(BigqueryDatePart::IsoYear),
        other => BigqueryDatePart::named(&other.to_string()),
    }
}

/// An expression as a day.
pub fn day(translator: &mut Translator<'_>, expr: &Expr) -> TranslateResult<Translated> {
    let value = translator.value(expr)?;
    if let Some(read) = value.text_literal().and_then(timestamp::read) {
        return Ok(read.day());
    }
    match value.kind {
        SqlType::Date => Ok(value),
        SqlType::Timestamp => Ok(Translated::primary(
            format!("{}::date", value.operand()),
            SqlType::Date,
        )
        .never_null(value.not_null)),
        SqlType::TimestampTz => {
            let utc = in_utc(&value);
            Ok(
                Translated::primary(format!("({})::date", utc.text), SqlType::Date)
                    .never_null(value.not_null),
            )
        }
        _ => Err(untyped(&value, "a date")),
    }
}

/// An expression as a time of UTC, without a time zone.
pub fn time_of_utc(translator: &mut Translator<'_>, expr: &Expr) -> TranslateResult<Translated> {
    let value = translator.value(expr)?;
    if let Some(content) = value.text_literal() {
        return match read_zoned(content) {
            Some(read) => Ok(read),
            None => Err(untyped(&value, "a timestamp")),
        };
    }
    match value.kind {
        SqlType::Timestamp => Ok(value),
        SqlType::Date => Ok(Translated::primary(
            format!("{}::timestamp", value.operand()),
            SqlType::Timestamp,
        )
        .never_null(value.not_null)),
        SqlType::TimestampTz => Ok(in_utc(&value)),
        _ => Err(untyped(&value, "a timestamp")),
    }
}

/// A date or timestamp as it is: a day stays one, and a time becomes one of UTC.
pub fn day_or_time(translator: &mut Translator<'_>, expr: &Expr) -> TranslateResult<Translated> {
    let value = translator.value(expr)?;
    match (value.kind, value.text_literal()) {
        (_, Some(content)) => match timestamp::read(content) {
            Some(read) if !read.has_time() => Ok(read.written()),
            _ => time_of_utc(translator, expr),
        },
        (SqlType::Date, None) => Ok(value),
        _ => time_of_utc(translator, expr),
    }
}

/// A timestamp with time zone, in UTC.
pub fn in_utc(value: &Translated) -> Translated {
    let literal = value.text.strip_prefix("TIMESTAMPTZ '");
    let literal = literal.and_then(|text| text.strip_suffix("+00'"));
    if let Some(content) = literal {
        let text = format!("TIMESTAMP '{content}'");
        return Translated::primary(text, SqlType::Timestamp).never_null(true);
    }
    let text = format!("{} AT TIME ZONE 'UTC'", value.operand());
    Translated::compound(text, SqlType::Timestamp).never_null(value.not_null)
}

/// A time of UTC as what BigQuery calls a TIMESTAMP.
pub fn zoned(value: &Translated) -> Translated {
    let literal = value.text.strip_prefix("TIMESTAMP '");
    let literal = literal.and_then(|text| text.strip_suffix('\''));
    let text = match literal {
        Some(content) => format!("TIMESTAMPTZ '{content}+00'"),
        None => format!("({} AT TIME ZONE 'UTC')", value.operand()),
    };
    Translated::primary(text, SqlType::TimestampTz).never_null(value.not_null)
}

/// What `TIMESTAMP '…'` says, as a time of UTC. Without a zone it is one already.
pub fn read_zoned(content: &str) -> Option<Translated> {
    let content = content.trim();
    for utc in ["Z", " UTC", "+00:00", "+00", "+0"] {
        if let Some(local) = content.strip_suffix(utc) {
            return timestamp::read(local).map(|read| read.timestamp());
        }
    }
    let at = content
        .rfind(['+', '-'])
        .filter(|at| *at > "2024-01-01".len());
    let Some(at) = at else {
        return timestamp::read(content).map(|read| read.timestamp());
    };
    let (local, offset) = content.split_at(at);
    let local = timestamp::read(local.trim_end())?.timestamp();
    let (hours, minutes) = offset
        .get(1..)?
        .split_once(':')
        .unwrap_or((offset.get(1..)?, "0"));
    let (hours, minutes): (u8, u8) = (hours.parse().ok()?, minutes.parse().ok()?);
    let back = if offset.starts_with('+') { '-' } else { '+' };
    let text = format!(
        "({} {back} INTERVAL '{hours} hours {minutes} minutes')",
        local.text
    );
    (hours < 15 && minutes < 60)
        .then(|| Translated::primary(text, SqlType::Timestamp).never_null(true))
}

/// `DATE '…'`, `DATETIME '…'`, `TIMESTAMP '…'`, `TIME '…'`.
pub fn typed(word: &str, content: &str) -> TranslateResult<Translated> {
    let read = match word {
        "DATE" => timestamp::read(content).map(|read| read.day()),
        "DATETIME" => timestamp::read(content).map(|read| read.timestamp()),
        "TIMESTAMP" => read_zoned(content).map(|utc| zoned(&utc)),
        "NUMERIC" | "BIGNUMERIC" => {
            return literal::number(content).map(|number| Translated {
                kind: SqlType::Decimal,
                ..number
            });
        }
        _ => None,
    };
    read.ok_or_else(|| Untranslatable::construct(&format!("this literal of {word}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_of_utc() {
        for (content, wanted) in [
            ("2008-12-25 15:30:00+00", "TIMESTAMP '2008-12-25 15:30:00'"),
            ("2008-12-25", "TIMESTAMP '2008-12-25 00:00:00'"),
            ("2008-12-25T15:30:00Z", "TIMESTAMP '2008-12-25 15:30:00'"),
            (
                "2008-12-25 15:30:00-05:30",
                "(TIMESTAMP '2008-12-25 15:30:00' + INTERVAL '5 hours 30 minutes')",
            ),
        ] {
            assert_eq!(read_zoned(content).unwrap().text, wanted);
        }
        assert!(read_zoned("2008-12-25 15:30:00 America/Lima").is_none());
        let utc = read_zoned("2008-12-25 15:30:00").unwrap();
        assert_eq!(in_utc(&zoned(&utc)).text, utc.text);
    }

    #[test]
    fn parts_are_named() {
        assert_eq!(
            BigqueryDatePart::named("isoweek"),
            Some(BigqueryDatePart::Week(1))
        );
        assert_eq!(BigqueryDatePart::named("FORTNIGHT"), None);
        assert_eq!(weekday("Saturday"), Some(6));
    }
}
