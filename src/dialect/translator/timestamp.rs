//! Dates and timestamps that are written as strings.

use super::literal;
use super::translated::{NAMELESS, Translated};
use crate::sql_type::SqlType;

/// A date, with the time of day where one is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timestamp {
    date: (i16, i8, i8),
    time: Option<(i8, i8, i8, String)>,
}

/// Reads `2024-01-31`, `2024-1-31 10:00`, `2024-01-31T10:00:00.5`. Anything else, and days that do
/// not exist, are none.
pub fn read(text: &str) -> Option<Timestamp> {
    let text = text.trim_matches(' ');
    let (date, time) = match text.split_once([' ', 'T']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || year.len() != 4 {
        return None;
    }
    let (year, month, day) = (
        digits(year, 4)?,
        i8::try_from(digits(month, 2)?).ok()?,
        i8::try_from(digits(day, 2)?).ok()?,
    );
    jiff::civil::Date::new(year, month, day).ok()?;
    let time = match time {
        Some(time) => Some(read_time(time)?),
        None => None,
    };
    Some(Timestamp {
        date: (year, month, day),
        time,
    })
}

fn read_time(text: &str) -> Option<(i8, i8, i8, String)> {
    let mut parts = text.splitn(3, ':');
    let hour = digits(parts.next()?, 2)?;
    let minute = digits(parts.next()?, 2)?;
    let second = parts.next().unwrap_or("0");
    let (second, fraction) = second.split_once('.').unwrap_or((second, ""));
    let second = digits(second, 2)?;
    let fits = hour < 24 && minute < 60 && second < 60 && fraction.len() <= 6;
    if !fits || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let small = |number: i16| i8::try_from(number).ok();
    Some((
        small(hour)?,
        small(minute)?,
        small(second)?,
        fraction.to_owned(),
    ))
}

fn digits(text: &str, most: usize) -> Option<i16> {
    let fine = !text.is_empty() && text.len() <= most && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| fine)
}

impl Timestamp {
    /// Whether a time of day is written.
    pub fn has_time(&self) -> bool {
        self.time.is_some()
    }

    /// As Postgres reads it whatever its DateStyle.
    pub fn text(&self) -> String {
        let (year, month, day) = self.date;
        let date = format!("{year:04}-{month:02}-{day:02}");
        match &self.time {
            None => date,
            Some((hour, minute, second, fraction)) => {
                let point = if fraction.is_empty() { "" } else { "." };
                format!("{date} {hour:02}:{minute:02}:{second:02}{point}{fraction}")
            }
        }
    }

    /// A DATE or TIMESTAMP literal.
    pub fn written(&self) -> Translated {
        let (keyword, kind) = match self.time {
            None => ("DATE", SqlType::Date),
            Some(_) => ("TIMESTAMP", SqlType::Timestamp),
        };
        Translated {
            name: Some(NAMELESS.to_owned()),
            ..Translated::primary(format!("{keyword} {}", literal::quoted(&self.text())), kind)
                .never_null(true)
        }
    }

    /// A TIMESTAMP literal, at midnight where no time is written.
    pub fn timestamp(&self) -> Translated {
        let (hour, minute, second, fraction) = self.time.clone().unwrap_or_default();
        let time = Some((hour, minute, second, fraction));
        let date = self.date;
        Self { date, time }.written()
    }

    /// A DATE literal, without the time.
    pub fn day(&self) -> Translated {
        Self {
            date: self.date,
            time: None,
        }
        .written()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_they_are_written() {
        for (text, wanted) in [
            ("2024-01-31", "DATE '2024-01-31'"),
            ("2024-1-3", "DATE '2024-01-03'"),
            ("2024-01-31 9:05", "TIMESTAMP '2024-01-31 09:05:00'"),
            (
                "2024-01-31T09:05:07.25",
                "TIMESTAMP '2024-01-31 09:05:07.25'",
            ),
        ] {
            assert_eq!(read(text).unwrap().written().text, wanted);
        }
        for text in [
            "2024-02-30",
            "24-01-01",
            "2024-01",
            "x",
            "2024-01-01 25:00",
            "01/02/2024",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
