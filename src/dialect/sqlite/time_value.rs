//! SQLite's time values: what its date functions make of a time value and its modifiers.
//!
//! They are texts in UTC there. Months are added to the month alone, and a day that the new month
//! does not have runs over into the next one: Postgres would take the month's last day.
//!
//! <https://www.sqlite.org/lang_datefunc.html>

use sqlparser::ast::{BinaryOperator, Expr};

use super::strftime_fields::FIELDS;
use super::time_string::{TimeStringForm, time_string_form};
use crate::date_patterns::strftime::StrftimePattern;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::translated::{Translated, TranslatedForm};
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

/// A time value of SQLite.
pub struct TimeValue {
    /// A date or a timestamp without time zone, in UTC.
    value: Translated,
    /// Whether it is the first day of a month, so that months can be added as Postgres does it.
    is_first: bool,
    /// Whether it has no fractions of a second.
    is_whole: bool,
}

/// By how much a modifier moves.
enum ModifierAmount {
    /// So many, with a sign.
    Count(i64),
    /// As many as this says; backwards or not.
    Computed(Translated, ShiftDirection),
}

#[derive(Clone, Copy)]
enum ShiftDirection {
    Forwards,
    Backwards,
}

impl TimeValue {
    /// The time value and the modifiers of a call; none at all are the present.
    pub fn read(translator: &mut Translator<'_>, arguments: &[&Expr]) -> TranslateResult<Self> {
        let Some((first, mut modifiers)) = arguments.split_first() else {
            return Ok(Self::now());
        };
        let mut moment = match (literal(translator, first)?, modifiers.split_first()) {
            (value, Some((unit, rest))) if value.kind == SqlType::Integer => {
                let unit = literal(translator, unit)?;
                if !(unit.text_literal()).is_some_and(|word| word.eq_ignore_ascii_case("unixepoch"))
                {
                    return Err(julian_day());
                }
                modifiers = rest;
                Self::of_epoch(&value)
            }
            (value, _) => Self::of(translator, value)?,
        };
        for modifier in modifiers {
            moment.modify(translator, modifier)?;
            if moment.value.text.len() > TEXT_MAX {
                return Err(Untranslatable::construct("so many modifiers of a date"));
            }
        }
        Ok(moment)
    }

    fn now() -> Self {
        Self {
            value: Translated::compound("now() AT TIME ZONE 'UTC'", SqlType::Timestamp)
                .never_null(true),
            is_first: false,
            is_whole: false,
        }
    }

    fn of_epoch(seconds: &Translated) -> Self {
        let text = format!("to_timestamp({}) AT TIME ZONE 'UTC'", seconds.text);
        Self {
            value: Translated::compound(text, SqlType::Timestamp).never_null(seconds.not_null),
            is_first: false,
            is_whole: true,
        }
    }

    fn of(translator: &mut Translator<'_>, value: Translated) -> TranslateResult<Self> {
        if let Some(content) = value.text_literal() {
            return Self::of_literal(content.trim());
        }
        let (value, is_whole) = match value.kind {
            SqlType::Date => (value, true),
            SqlType::Timestamp => (value, false),
            SqlType::TimestampTz => {
                let text = format!("{} AT TIME ZONE 'UTC'", value.operand());
                let not_null = value.not_null;
                let utc = Translated::compound(text, SqlType::Timestamp).never_null(not_null);
                (utc, false)
            }
            SqlType::Text => (of_text(translator, &value), false),
            SqlType::Integer | SqlType::Decimal | SqlType::Float => return Err(julian_day()),
            _ => return Err(crate::source::untyped(&value, "a date")),
        };
        Ok(Self {
            value,
            is_first: false,
            is_whole,
        })
    }

    fn of_literal(content: &str) -> TranslateResult<Self> {
        if content.eq_ignore_ascii_case("now") {
            return Ok(Self::now());
        }
        let (kind, text) = match time_string_form(content) {
            TimeStringForm::Date => (SqlType::Date, format!("DATE '{content}'")),
            TimeStringForm::Timestamp => (SqlType::Timestamp, format!("TIMESTAMP '{content}'")),
            TimeStringForm::Time => (
                SqlType::Timestamp,
                format!("TIMESTAMP '2000-01-01 {content}'"),
            ),
            TimeStringForm::Other => {
                let what = "this text as a date of SQLite";
                return Err(Untranslatable::construct(what)
                    .hint("write dates as 'YYYY-MM-DD' or 'YYYY-MM-DD HH:MM:SS'"));
            }
        };
        Ok(Self {
            value: Translated::primary(text, kind).never_null(true),
            is_first: content.len() == "YYYY-MM-DD".len() && content.ends_with("-01"),
            is_whole: !content.contains('.'),
        })
    }

    /// As DATE() has it.
    pub fn date(&self) -> Translated {
        self.as_kind(SqlType::Date, "date")
    }

    /// As DATETIME() has it.
    pub fn timestamp(&self) -> Translated {
        if self.is_whole {
            return self.as_kind(SqlType::Timestamp, "timestamp");
        }
        let text = format!("date_trunc('second', {})", self.value.text);
        Translated::primary(text, SqlType::Timestamp).never_null(self.value.not_null)
    }

    /// As TIME() has it.
    pub fn time(&self) -> Translated {
        let text = format!("{}::time", self.timestamp().operand());
        Translated::primary(text, SqlType::Time).never_null(self.value.not_null)
    }

    /// As JULIANDAY() has it.
    pub fn julian_day(&self) -> Translated {
        let text = format!(
            "EXTRACT(JULIAN FROM {})::double precision - 0.5",
            self.value.text
        );
        Translated::operation(text, SqlType::Float).never_null(self.value.not_null)
    }

    /// As UNIXEPOCH() has it.
    pub fn epoch(&self) -> Translated {
        let text = format!("floor(EXTRACT(EPOCH FROM {}))::bigint", self.value.text);
        Translated::primary(text, SqlType::Integer).never_null(self.value.not_null)
    }

    /// As STRFTIME() has it.
    pub fn formatted(&self, pattern: &str) -> TranslateResult<Translated> {
        let pattern = StrftimePattern::read(pattern, FIELDS)?;
        let moment = match (pattern.has_clock, self.value.kind) {
            (true, SqlType::Date) => format!("{}::timestamp", self.value.operand()),
            _ => self.value.text.clone(),
        };
        let mut written = Translated::primary(pattern.of(&moment), SqlType::Text);
        if pattern.is_number {
            written.form = TranslatedForm::Digits;
        }
        Ok(written.never_null(self.value.not_null))
    }

    fn as_kind(&self, kind: SqlType, name: &str) -> Translated {
        if self.value.kind == kind {
            return self.value.clone();
        }
        let text = format!("{}::{name}", self.value.operand());
        Translated::primary(text, kind).never_null(self.value.not_null)
    }

    fn modify(&mut self, translator: &mut Translator<'_>, modifier: &Expr) -> TranslateResult<()> {
        let (amount, unit) = match computed_modifier(translator, modifier)? {
            Some(found) => found,
            None => {
                let words = literal(translator, modifier)?;
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
    fn set(&mut self, words: &str) -> TranslateResult<bool> {
        let not_null = self.value.not_null;
        if let Some(unit) = words.strip_prefix("start of ") {
            let unit = unit.trim();
            if !["day", "month", "year"].contains(&unit) {
                return Err(unknown(words));
            }
            if unit != "day" || self.value.kind != SqlType::Date {
                let moment = self.as_kind(SqlType::Timestamp, "timestamp").text;
                let text = format!("date_trunc('{unit}', {moment})");
                self.value = Translated::primary(text, SqlType::Timestamp).never_null(not_null);
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
            SqlType::Date => format!("{} + {ahead}", self.value.operand()),
            _ => format!("{} + {ahead} * INTERVAL '1 day'", self.value.operand()),
        };
        self.value = Translated::compound(text, self.value.kind).never_null(not_null);
        self.is_first = false;
        Ok(true)
    }

    fn shift(&mut self, amount: &ModifierAmount, unit: &str) -> TranslateResult<()> {
        let not_null = self.value.not_null && amount.is_not_null();
        if unit == "day" && self.value.kind == SqlType::Date {
            let text = format!("{} {}", self.value.operand(), amount.days());
            self.value = Translated::compound(text, SqlType::Date).never_null(not_null);
            self.is_first = false;
            return Ok(());
        }
        let moment = self.as_kind(SqlType::Timestamp, "timestamp");
        let distance = amount.interval(unit);
        let text = match (unit, self.is_first) {
            ("month" | "year", false) => format!(
                "date_trunc('month', {0}) {distance} + ({1} - date_trunc('month', {0}))",
                moment.text,
                moment.operand()
            ),
            ("month" | "year", true) => format!("{} {distance}", moment.operand()),
            _ => {
                self.is_first = false;
                format!("{} {distance}", moment.operand())
            }
        };
        self.value = Translated::compound(text, SqlType::Timestamp).never_null(not_null);
        Ok(())
    }
}

impl ModifierAmount {
    /// What is added to a date.
    fn days(&self) -> String {
        match self {
            Self::Count(count) if *count < 0 => format!("- {}", count.unsigned_abs()),
            Self::Count(count) => format!("+ {count}"),
            Self::Computed(count, ShiftDirection::Forwards) => {
                format!("+ {}::integer", count.operand())
            }
            Self::Computed(count, ShiftDirection::Backwards) => {
                format!("- {}::integer", count.operand())
            }
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
                    ShiftDirection::Forwards => '+',
                    ShiftDirection::Backwards => '-',
                };
                format!("{sign} {} * INTERVAL '1 {unit}'", count.operand())
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

fn literal(translator: &mut Translator<'_>, value: &Expr) -> TranslateResult<Translated> {
    translator.value(value)
}

/// A text as a time value: what SQLite would not read is NULL there, and not an error.
fn of_text(translator: &mut Translator<'_>, value: &Translated) -> Translated {
    translator.mark_likely();
    let text = format!(
        "CASE WHEN {0} ~ '{READABLE}' THEN {0}::timestamp END",
        value.operand()
    );
    Translated::primary(format!("({text})"), SqlType::Timestamp)
}

/// `'+' || x || ' days'` and its kin.
fn computed_modifier(
    translator: &mut Translator<'_>,
    modifier: &Expr,
) -> TranslateResult<Option<(ModifierAmount, String)>> {
    let mut pieces = Vec::new();
    pieces_of(modifier, &mut pieces);
    let (direction, count, unit) = match pieces.as_slice() {
        [sign, count, unit] => {
            let sign = literal(translator, sign)?;
            let direction = match sign.text_literal().map(str::trim) {
                Some("+" | "") => ShiftDirection::Forwards,
                Some("-") => ShiftDirection::Backwards,
                _ => return Ok(None),
            };
            (direction, count, unit)
        }
        [count, unit] => (ShiftDirection::Forwards, count, unit),
        _ => return Ok(None),
    };
    let unit = literal(translator, unit)?;
    let Some(unit) = unit.text_literal().and_then(|unit| unit_of(unit.trim())) else {
        return Ok(None);
    };
    let count = literal(translator, count)?;
    if count.kind != SqlType::Integer {
        return Ok(None);
    }
    Ok(Some((
        ModifierAmount::Computed(count, direction),
        unit.to_owned(),
    )))
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
fn shift_of(words: &str) -> Option<(ModifierAmount, String)> {
    let (count, unit) = words.split_once(' ')?;
    let count: i64 = count
        .parse()
        .ok()
        .filter(|count| (-99_999..=99_999).contains(count))?;
    Some((
        ModifierAmount::Count(count),
        unit_of(unit.trim())?.to_owned(),
    ))
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
