//! What a text looks like to SQLite's date functions.

use jiff::civil;

/// What the digits of a text look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
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
pub fn shape_of(content: &str) -> Shape {
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
        _ if is_clock(content) => return Shape::Time,
        _ => return Shape::Other,
    };
    let is_date = is(4, b'-') && is(7, b'-') && date.parse::<civil::Date>().is_ok();
    match clock {
        _ if !is_date => Shape::Other,
        None => Shape::Date,
        Some(clock) if is_clock(clock) => Shape::Timestamp,
        Some(_) => Shape::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_told_by_digits() {
        for (content, shape) in [
            ("2024-02-29", Shape::Date),
            ("2023-02-29", Shape::Other),
            ("2024-1-2", Shape::Other),
            ("2024-01-02 03:04", Shape::Timestamp),
            ("2024-01-02T03:04:05", Shape::Timestamp),
            ("2024-01-02 03:04:05.5", Shape::Timestamp),
            ("2024-01-02 03:04.5", Shape::Other),
            ("2024-01-02 24:00", Shape::Other),
            ("10:20:30", Shape::Time),
            ("2024", Shape::Other),
            ("", Shape::Other),
            ("now", Shape::Other),
        ] {
            assert_eq!(shape_of(content), shape, "{content}");
        }
    }
}
