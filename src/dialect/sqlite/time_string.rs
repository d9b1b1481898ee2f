//! What a text looks like to SQLite's date functions.

use jiff::civil;

/// What the digits of a text look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeStringForm {
    /// `YYYY-MM-DD`, of the calendar.
    Date,
    /// `YYYY-MM-DD HH:MM` and more.
    Timestamp,
    /// `HH:MM` and more.
    Time,
    /// None of these.
    Other,
}

/// What a text looks like to SQLite's date functions.
pub fn time_string_form(content: &str) -> TimeStringForm {
    let is = |at: usize, wanted: u8| content.as_bytes().get(at) == Some(&wanted);
    let is_clock = |clock: &str| {
        let (whole, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        let parts: Vec<&str> = whole.split(':').collect();
        let fits = |part: &&str, below: u8| {
            part.len() == 2 && digits(part) && part.parse::<u8>().is_ok_and(|n| n < below)
        };
        let ends_right = parts.len() == 3 || (parts.len() == 2 && !clock.contains('.'));
        let hours = parts.first().is_some_and(|hour| fits(hour, 24));
        let others = parts.iter().skip(1).all(|part| fits(part, 60));
        ends_right && hours && others && !fraction.is_empty() && digits(fraction)
    };
    let (date, clock) = match (content.get(..10), content.get(11..)) {
        (Some(date), Some(clock)) if is(10, b' ') || is(10, b'T') => (date, Some(clock)),
        (Some(date), _) if content.len() == 10 => (date, None),
        _ if is_clock(content) => return TimeStringForm::Time,
        _ => return TimeStringForm::Other,
    };
    let is_date = is(4, b'-') && is(7, b'-') && date.parse::<civil::Date>().is_ok();
    match clock {
        _ if !is_date => TimeStringForm::Other,
        None => TimeStringForm::Date,
        Some(clock) if is_clock(clock) => TimeStringForm::Timestamp,
        Some(_) => TimeStringForm::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_told_by_digits() {
        for (content, shape) in [
            ("2024-02-29", TimeStringForm::Date),
            ("2023-02-29", TimeStringForm::Other),
            ("2024-1-2", TimeStringForm::Other),
            ("2024-01-02 03:04", TimeStringForm::Timestamp),
            ("2024-01-02T03:04:05", TimeStringForm::Timestamp),
            ("2024-01-02 03:04:05.5", TimeStringForm::Timestamp),
            ("2024-01-02 03:04.5", TimeStringForm::Other),
            ("2024-01-02 24:00", TimeStringForm::Other),
            ("10:20:30", TimeStringForm::Time),
            ("2024", TimeStringForm::Other),
            ("", TimeStringForm::Other),
            ("now", TimeStringForm::Other),
        ] {
            assert_eq!(time_string_form(content), shape, "{content}");
        }
    }
}
