//! SQLite's moments: what its date functions make of a time value and its modifiers.
//!
//! They are texts in UTC there. Months are added to the month alone, and a day that the new month
//! does not have runs over into the next one: Postgres would take the month's last day.
//!
//! <https://www.sqlite.org/lang_datefunc.html>

use sqlparser::ast::{BinaryOperator, Expr};

use super::strftime_fields::FIELDS;
use super::time_string::{Shape, shape_of};
use crate::dialect::date_patterns::strftime::Pattern;
use crate::dialect::translator::Writer;
use crate::dialect::translator::translated::{Form, Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

/// A moment of SQLite.
pub struct Moment {
    /// A date or a timestamp without time zone, in UTC.
    value: Written,
    /// Whether it is the first day of a month, so that months can be added as Postgres does it.
    is_first: bool,
    /// Whether it has no fractions of a second.
    is_whole: bool,
}

/// By how much a modifier moves.
enum Amount {
    /// So many, with a sign.
    Count(i64),
    /// As many as this says; backwards or not.
    Computed(Written, Direction),
}

#[derive(Clone, Copy)]
enum Direction {
    Forwards,
    Backwards,
}

impl Moment {
    /// The time value and the modifiers of a call; none at all are the present.
    pub fn read(writer: &mut Writer<'_>, arguments: &[&Expr]) -> Outcome<Self> {
        let Some((first, mut modifiers)) = arguments.split_first() else {
            return Ok(Self::now());
        };
        let mut moment = match (literal(writer, first)?, modifiers.split_first()) {
            (value, Some((unit, rest))) if value.kind == Kind::Integer => {
                let unit = literal(writer, unit)?;
                if !(unit.text_literal()).is_some_and(|word| word.eq_ignore_ascii_case("unixepoch"))
                {
                    return Err(julian_day());
                }
                modifiers = rest;
                Self::of_epoch(&value)
            }
            (value, _) => Self::of(writer, value)?,
        };
        for modifier in modifiers {
            moment.modify(writer, modifier)?;
            if moment.value.text.len() > TEXT_MAX {
                return Err(Untranslatable::construct("so many modifiers of a date"));
            }
        }
        Ok(moment)
    }

    fn now() -> Self {
        Self {
            value: Written::loose("now() AT TIME ZONE 'UTC'", Kind::Timestamp).never_null(true),
            is_first: false,
            is_whole: false,
        }
    }

    fn of_epoch(seconds: &Written) -> Self {
        let text = format!("to_timestamp({}) AT TIME ZONE 'UTC'", seconds.text);
        Self {
            value: Written::loose(text, Kind::Timestamp).never_null(seconds.not_null),
            is_first: false,
            is_whole: true,
        }
    }

    fn of(writer: &mut Writer<'_>, value: Written) -> Outcome<Self> {
        if let Some(content) = value.text_literal() {
            return Self::of_literal(content.trim());
        }
        let (value, is_whole) = match value.kind {
            Kind::Date => (value, true),
            Kind::Timestamp => (value, false),
            Kind::TimestampTz => {
                let text = format!("{} AT TIME ZONE 'UTC'", value.atom());
                let not_null = value.not_null;
                let utc = Written::loose(text, Kind::Timestamp).never_null(not_null);
                (utc, false)
            }
            Kind::Text => (of_text(writer, &value), false),
            Kind::Integer | Kind::Decimal | Kind::Float => return Err(julian_day()),
            _ => return Err(crate::dialect::source::untyped(&value, "a date")),
        };
        Ok(Self {
            value,
            is_first: false,
            is_whole,
        })
    }

    fn of_literal(content: &str) -> Outcome<Self> {
        if content.eq_ignore_ascii_case("now") {
            return Ok(Self::now());
        }
        let (kind, text) = match shape_of(content) {
            Shape::Date => (Kind::Date, format!("DATE '{content}'")),
            Shape::Timestamp => (Kind::Timestamp, format!("TIMESTAMP '{content}'")),
            Shape::Time => (Kind::Timestamp, format!("TIMESTAMP '2000-01-01 {content}'")),
            Shape::Other => {
                let what = "this text as a date of SQLite";
                return Err(Untranslatable::construct(what)
                    .hint("write dates as 'YYYY-MM-DD' or 'YYYY-MM-DD HH:MM:SS'"));
            }
        };
        Ok(Self {
            value: Written::tight(text, kind).never_null(true),
            is_first: content.len() == "YYYY-MM-DD".len() && content.ends_with("-01"),
            is_whole: !content.contains('.'),
        })
    }

    /// As DATE() has it.
    pub fn date(&self) -> Written {
        self.as_kind(Kind::Date, "date")
    }

    /// As DATETIME() has it.
    pub fn timestamp(&self) -> Written {
        if self.is_whole {
            return self.as_kind(Kind::Timestamp, "timestamp");
        }
        let text = format!("date_trunc('second', {})", self.value.text);
        Written::tight(text, Kind::Timestamp).never_null(self.value.not_null)
    }

    /// As TIME() has it.
    pub fn time(&self) -> Written {
        let text = format!("{}::time", self.timestamp().atom());
        Written::tight(text, Kind::Time).never_null(self.value.not_null)
    }

    /// As JULIANDAY() has it.
    pub fn julian_day(&self) -> Written {
        let text = format!(
            "EXTRACT(JULIAN FROM {})::double precision - 0.5",
            self.value.text
        );
        Written::operation(text, Kind::Float).never_null(self.value.not_null)
    }

    /// As UNIXEPOCH() has it.
    pub fn epoch(&self) -> Written {
        let text = format!("floor(EXTRACT(EPOCH FROM {}))::bigint", self.value.text);
        Written::tight(text, Kind::Integer).never_null(self.value.not_null)
    }

    /// As STRFTIME() has it.
    pub fn formatted(&self, pattern: &str) -> Outcome<Written> {
        let pattern = Pattern::read(pattern, FIELDS)?;
        let moment = match (pattern.has_clock, self.value.kind) {
            (true, Kind::Date) => format!("{}::timestamp", self.value.atom()),
            _ => self.value.text.clone(),
        };
        let mut written = Written::tight(pattern.of(&moment), Kind::Text);
        if pattern.is_number {
            written.form = Form::Digits;
        }
        Ok(written.never_null(self.value.not_null))
    }

    fn as_kind(&self, kind: Kind, name: &str) -> Written {
        if self.value.kind == kind {
            return self.value.clone();
        }
        let text = format!("{}::{name}", self.value.atom());
        Written::tight(text, kind).never_null(self.value.not_null)
    }

    fn modify(&mut self, writer: &mut Writer<'_>, modifier: &Expr) -> Outcome<()> {
        let (amount, unit) = match computed_modifier(writer, modifier)? {
            Some(found) => found,
            None => {
                let words = literal(writer, modifier)?;
                let Some(words) = words.text_literal() else {
                    return Err(Untranslatable::construct("a computed modifier of a date"));
                };
                let words = words.trim().to_ascii_lowercase();
                if self.set(&words)? {
                    return Ok(());
                }
                shift_of(&words).ok_or_else(|| unknown(&words))?
            }
        };
        self.shift(&amount, &unit)
    }

    /// A modifier that is no distance; whether it was one.
    fn set(&mut self, words: &str) -> Outcome<bool> {
        let not_null = self.value.not_null;
        if let Some(unit) = words.strip_prefix("start of ") {
            let unit = unit.trim();
            if !["day", "month", "year"].contains(&unit) {
                return Err(unknown(words));
            }
            if unit != "day" || self.value.kind != Kind::Date {
                let moment = self.as_kind(Kind::Timestamp, "timestamp").text;
                let text = format!("date_trunc('{unit}', {moment})");
                self.value = Written::tight(text, Kind::Timestamp).never_null(not_null);
            }
            self.is_first |= unit != "day";
            self.is_whole = true;
            return Ok(true);
        }
        let Some(day) = words.strip_prefix("weekday ") else {
            return Ok(false);
        };
        let day: u8 = (day.trim().parse().ok())
            .filter(|day| *day < 7)
            .ok_or_else(|| unknown(words))?;
        let ahead = format!(
            "({} - EXTRACT(DOW FROM {})::integer) % 7",
            day + 7,
            self.value.text
        );
        let text = match self.value.kind {
            Kind::Date => format!("{} + {ahead}", self.value.atom()),
            _ => format!("{} + {ahead} * INTERVAL '1 day'", self.value.atom()),
        };
        self.value = Written::loose(text, self.value.kind).never_null(not_null);
        self.is_first = false;
        Ok(true)
    }

    fn shift(&mut self, amount: &Amount, unit: &str) -> Outcome<()> {
        let not_null = self.value.not_null && amount.is_not_null();
        if unit == "day" && self.value.kind == Kind::Date {
            let text = format!("{} {}", self.value.atom(), amount.days());
            self.value = Written::loose(text, Kind::Date).never_null(not_null);
            self.is_first = false;
            return Ok(());
        }
        let moment = self.as_kind(Kind::Timestamp, "timestamp");
        let distance = amount.interval(unit);
        let text = match (unit, self.is_first) {
            ("month" | "year", false) => format!(
                "date_trunc('month', {0}) {distance} + ({1} - date_trunc('month', {0}))",
                moment.text,
                moment.atom()
            ),
            ("month" | "year", true) => format!("{} {distance}", moment.atom()),
            _ => {
                self.is_first = false;
                format!("{} {distance}", moment.atom())
            }
        };
        self.value = Written::loose(text, Kind::Timestamp).never_null(not_null);
        Ok(())
    }
}

impl Amount {
    /// What is added to a date.
    fn days(&self) -> String {
        match self {
            Self::Count(count) if *count < 0 => format!("- {}", count.unsigned_abs()),
            Self::Count(count) => format!("+ {count}"),
            Self::Computed(count, Direction::Forwards) => format!("+ {}::integer", count.atom()),
            Self::Computed(count, Direction::Backwards) => format!("- {}::integer", count.atom()),
        }
    }

    /// What is added to a timestamp.
    fn interval(&self, unit: &str) -> String {
        match self {
            Self::Count(count) => {
                let sign = if *count < 0 { '-' } else { '+' };
                let count = count.unsigned_abs();
                let plural = if count == 1 { "" } else { "s" };
                format!("{sign} INTERVAL '{count} {unit}{plural}'")
            }
            Self::Computed(count, direction) => {
                let sign = match direction {
                    Direction::Forwards => '+',
                    Direction::Backwards => '-',
                };
                format!("{sign} {} * INTERVAL '1 {unit}'", count.atom())
            }
        }
    }

    fn is_not_null(&self) -> bool {
        match self {
            Self::Count(_) => true,
            Self::Computed(count, _) => count.not_null,
        }
    }
}

fn literal(writer: &mut Writer<'_>, value: &Expr) -> Outcome<Written> {
    writer.value(value)
}

/// A text as a moment: what SQLite would not read is NULL there, and not an error.
fn of_text(writer: &mut Writer<'_>, value: &Written) -> Written {
    writer.likely();
    let text = format!(
        "CASE WHEN {0} ~ '{READABLE}' THEN {0}::timestamp END",
        value.atom()
    );
    Written::tight(format!("({text})"), Kind::Timestamp)
}

/// `'+' || x || ' days'` and its kin.
fn computed_modifier(
    writer: &mut Writer<'_>,
    modifier: &Expr,
) -> Outcome<Option<(Amount, String)>> {
    let mut pieces = Vec::new();
    pieces_of(modifier, &mut pieces);
    let (direction, count, unit) = match pieces.as_slice() {
        [sign, count, unit] => {
            let sign = literal(writer, sign)?;
            let direction = match sign.text_literal().map(str::trim) {
                Some("+" | "") => Direction::Forwards,
                Some("-") => Direction::Backwards,
                _ => return Ok(None),
            };
            (direction, count, unit)
        }
        [count, unit] => (Direction::Forwards, count, unit),
        _ => return Ok(None),
    };
    let unit = literal(writer, unit)?;
    let Some(unit) = unit.text_literal().and_then(|unit| unit_of(unit.trim())) else {
        return Ok(None);
    };
    let count = literal(writer, count)?;
    if count.kind != Kind::Integer {
        return Ok(None);
    }
    Ok(Some((Amount::Computed(count, direction), unit.to_owned())))
}

fn pieces_of<'e>(value: &'e Expr, into: &mut Vec<&'e Expr>) {
    match value {
        Expr::BinaryOp {
            left,
            op: BinaryOperator::StringConcat,
            right,
        } => {
            pieces_of(left, into);
            into.push(right);
        }
        other => into.push(other),
    }
}

/// `+7 days` and its kin.
fn shift_of(words: &str) -> Option<(Amount, String)> {
    let (count, unit) = words.split_once(' ')?;
    let count: i64 = count
        .parse()
        .ok()
        .filter(|count| (-99_999..=99_999).contains(count))?;
    Some((Amount::Count(count), unit_of(unit.trim())?.to_owned()))
}

fn unit_of(unit: &str) -> Option<&str> {
    let unit = unit.strip_suffix('s').unwrap_or(unit);
    ["second", "minute", "hour", "day", "month", "year"]
        .contains(&unit)
        .then_some(unit)
}

fn unknown(words: &str) -> Untranslatable {
    let advice = match words {
        "localtime" | "utc" => "the server of SQLite knew its own time zone: write AT TIME ZONE",
        _ => "write the modifier as '+1 month', 'start of month' or 'weekday 0'",
    };
    Untranslatable::construct(&format!("the modifier '{words}' of a date")).hint(advice)
}

fn julian_day() -> Untranslatable {
    Untranslatable::construct("a number as a date")
        .hint("give a date, or the modifier 'unixepoch' to a whole number of seconds")
}

/// Beyond this, modifiers have made too much of a text of it.
const TEXT_MAX: usize = 2_000;

/// The texts that SQLite and Postgres read as the same moment.
const READABLE: &str = r"^\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?)?Z?$";
