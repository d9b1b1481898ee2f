//! T-SQL's casts to and from dates, timestamps and times of day, with the styles of CONVERT.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/cast-and-convert-transact-sql>

use super::timestamps;
use super::timestamps::style;
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::convert::cast;
use crate::translator::shared_functions::dates;
use crate::translator::timestamp;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

/// A date or timestamp. Of strings in columns only those of a style are read.
pub fn cast_to_temporal(
    translator: &mut Translator<'_>,
    value: Translated,
    is_date: bool,
    number: Option<i64>,
    lenient: bool,
) -> TranslateResult<Translated> {
    if value.kind == SqlType::Text && lenient {
        return Err(Untranslatable::construct("TRY_CAST of a string to a date")
            .hint("cast it, or test it with a regular expression first"));
    }
    let pattern = match number {
        None | Some(0) => None,
        Some(number) => Some(style(number).ok_or_else(unknown_style)?),
    };
    let written = match (value.kind, pattern) {
        (SqlType::Text, Some(pattern)) if !pattern.starts_with("YYYY") => {
            let is_known = pattern.ends_with("YYYY") && !pattern.contains("Mon");
            match (value.text_literal(), is_known) {
                (Some(content), true) => by_style(content, pattern).ok_or_else(unknown_style)?,
                // The time of day that may stand behind the date is not looked at.
                (None, true) if is_date => {
                    translator.mark_likely();
                    let text = format!("to_date({}, '{pattern}')", value.text);
                    Translated::primary(text, SqlType::Date).never_null(value.not_null)
                }
                _ => return Err(unknown_style()),
            }
        }
        _ => timestamps::dated(translator, value)?,
    };
    if is_date {
        Ok(dates::day(&written))
    } else {
        translator.as_timestamp(written)
    }
}

/// A string that is written out, by the pattern of a style: day, month and year between signs, with
/// or without a time of day.
fn by_style(content: &str, pattern: &str) -> Option<Translated> {
    let content = content.trim_matches(' ');
    let (date, time) = content.split_once(' ').unwrap_or((content, ""));
    let signs = |text: &str| text.chars().find(|c| !c.is_ascii_alphanumeric());
    let sign = signs(pattern)?;
    let numbers: Vec<&str> = date.split(sign).collect();
    let places: Vec<&str> = pattern.split(sign).collect();
    let part = |name: &str| {
        let place = places.iter().position(|one| *one == name)?;
        numbers.get(place)?.parse::<u16>().ok()
    };
    if numbers.len() != 3 || places.len() != 3 {
        return None;
    }
    let (year, month, day) = (part("YYYY")?, part("MM")?, part("DD")?);
    let rest = match time {
        "" => String::new(),
        time => format!(" {time}"),
    };
    let read = timestamp::read(&format!("{year:04}-{month:02}-{day:02}{rest}"))?;
    Some(read.written())
}

/// How many digits of a second a type keeps, where it is fewer than Postgres does.
pub fn digits_of_seconds(sizes: &[String]) -> TranslateResult<Option<u8>> {
    let Some(size) = sizes.first() else {
        return Ok(None);
    };
    let digits: u8 = size.parse().map_err(|_| unknown_style())?;
    Ok((digits < 6).then_some(digits))
}

/// A time of day.
pub fn time(value: &Translated, sizes: &[String]) -> TranslateResult<Translated> {
    let to = match digits_of_seconds(sizes)? {
        Some(digits) => format!("time({digits})"),
        None => "time".to_owned(),
    };
    let is_time = |content: &str| {
        jiff::civil::Time::strptime("%H:%M", content).is_ok()
            || jiff::civil::Time::strptime("%H:%M:%S", content).is_ok()
    };
    match value.kind {
        SqlType::Timestamp | SqlType::Time => Ok(cast(value, &to, SqlType::Time)),
        SqlType::Text if value.text_literal().is_some_and(is_time) => {
            Ok(cast(value, &to, SqlType::Time))
        }
        _ => Err(untyped(value, "a timestamp")),
    }
}

/// A date as text, and how long it is.
pub fn temporal_as_text(
    translator: &mut Translator<'_>,
    value: Translated,
    number: Option<i64>,
    room: Option<usize>,
) -> TranslateResult<(Translated, Option<usize>)> {
    let is_date = value.kind == SqlType::Date;
    if let Some(0 | 100) = number {
        return default_style(translator, value);
    }
    let pattern = match (number, is_date) {
        (None, true) => "YYYY-MM-DD",
        (None, false) => {
            return Err(untyped(&value, "text").hint("CONVERT it with a style such as 120"));
        }
        (Some(number), _) => style(number).ok_or_else(unknown_style)?,
    };
    // A date has no time of day, and is written without.
    let pattern = match is_date {
        true if pattern.starts_with("HH") => return Err(unknown_style()),
        true => pattern
            .split([' ', '"'])
            .next()
            .filter(|first| first.len() == 10 && first.starts_with("YYYY-"))
            .unwrap_or(pattern),
        false => pattern,
    };
    let is_long = pattern.ends_with("MS");
    let full = match pattern.replace("24", "").len() {
        _ if pattern.contains("T\"") => 19,
        length if is_long => length + 1,
        length => length,
    };
    let has_fraction = is_long || pattern.contains("T\"");
    let whole = match is_long {
        true => full.saturating_sub(4),
        false => full,
    };
    let cuts_fraction = room.is_some_and(|room| room <= whole);
    match has_fraction && !cuts_fraction {
        // A DATETIME has three digits; a DATETIME2 as many as its type says.
        true if is_long => translator.mark_likely(),
        true => return Err(unknown_style()),
        false => {}
    }
    let stamp = translator.as_timestamp(value)?;
    let text = format!("to_char({}, '{pattern}')", stamp.text);
    let written = Translated::primary(text, SqlType::Text).never_null(stamp.not_null);
    Ok((written, Some(full)))
}

/// `Jan  8 2024  9:45AM`: the style that a DATETIME has by itself. A date has no time of day.
fn default_style(
    translator: &mut Translator<'_>,
    value: Translated,
) -> TranslateResult<(Translated, Option<usize>)> {
    let is_date = value.kind == SqlType::Date;
    let stamp = translator.as_timestamp(value)?;
    let part = |pattern: &str| format!("to_char({}, '{pattern}')", stamp.text);
    let date = format!(
        "{} || lpad({}, 2) || {}",
        part("Mon "),
        part("FMDD"),
        part(" YYYY")
    );
    let (text, length) = match is_date {
        true => (date, 11),
        false => {
            let time = format!("lpad({}, 2) || {}", part("FMHH12"), part(":MIAM"));
            (format!("{date} || ' ' || {time}"), 19)
        }
    };
    let written = Translated::operation(text, SqlType::Text).never_null(stamp.not_null);
    Ok((written, Some(length)))
}

/// That a style is not known, or not sure.
pub fn unknown_style() -> Untranslatable {
    Untranslatable::construct("this style of CONVERT")
        .hint("write to_char(value, 'YYYY-MM-DD HH24:MI:SS') with the pattern that is meant")
}
