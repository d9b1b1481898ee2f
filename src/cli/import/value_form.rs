//! Forms of values: what PgBouncer takes for a number, a time or one of some words.

use std::time::Duration;

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueForm {
    /// Any text; it may hold a secret.
    Text,
    /// A whole number, as C writes them: `0x10` and `010` are others than they look.
    Count,
    /// A number of seconds, with a fraction if need be.
    Seconds,
    /// One of some words, in whatever case.
    Choice(&'static [&'static str]),
}

impl ValueForm {
    /// What is wanted in the place of a value that is none.
    pub fn fault(self, text: &str) -> Option<String> {
        let wanted = match self {
            Self::Text => return None,
            Self::Count if count(text).is_some() => return None,
            Self::Count => "a whole number is wanted".to_owned(),
            Self::Seconds if seconds(text).is_some() => return None,
            Self::Seconds => "a number of seconds is wanted, without a unit".to_owned(),
            Self::Choice(words) if choice(text, words).is_some() => return None,
            Self::Choice(words) => format!("one of {} is wanted", words.join(", ")),
        };
        let has_comment = text.contains([';', '#']);
        let comment = match has_comment {
            true => "; to PgBouncer, what stands behind ; or # in a line is part of the value",
            false => "",
        };
        Some(format!("{wanted}{comment}"))
    }

    /// Whether two values mean the same.
    pub fn is_same(self, one: &str, other: &str) -> bool {
        match self {
            Self::Text => one == other,
            Self::Count => count(one) == count(other),
            Self::Seconds => seconds(one) == seconds(other),
            Self::Choice(_) => one.eq_ignore_ascii_case(other),
        }
    }
}

/// The word of a list that is meant.
pub fn choice(text: &str, words: &[&'static str]) -> Option<&'static str> {
    let found = words.iter().find(|word| word.eq_ignore_ascii_case(text));
    found.copied()
}

/// A whole number in C's notation.
pub fn count(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let hexadecimal = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
    let (digits, radix) = match (hexadecimal, digits.strip_prefix('0')) {
        (Some(digits), _) => (digits, 16),
        (None, Some(digits)) if !digits.is_empty() => (digits, 8),
        (None, _) => (digits, 10),
    };
    let is_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let number = is_digits.then(|| i64::from_str_radix(digits, radix).ok())??;
    let fits = i32::try_from(number).is_ok();
    fits.then_some(sign * number)
}

/// The number that a text of a connection string begins with, as C's `atoi` reads it.
pub fn leading_count(text: &str) -> i64 {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = digits.find(|c: char| !c.is_ascii_digit());
    let digits = digits
        .get(..end.unwrap_or(digits.len()))
        .unwrap_or_default();
    sign * digits.parse::<i64>().unwrap_or(0)
}

/// A time.
pub fn seconds(text: &str) -> Option<Duration> {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '+'));
    let number = match count(text).filter(|_| text.starts_with("0x")) {
        Some(number) => f64::from(i32::try_from(number).ok()?),
        None => text.parse::<f64>().ok().filter(|_| is_number)?,
    };
    Duration::try_from_secs_f64(number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As PgBouncer 1.18 reads them, which was asked for each.
    #[test]
    fn numbers_and_times_are_read_as_there() {
        for (text, wanted) in [
            ("5", Some(5)),
            ("+5", Some(5)),
            ("-5", Some(-5)),
            ("0x10", Some(16)),
            ("010", Some(8)),
            ("0", Some(0)),
            ("5 ; x", None),
            ("true", None),
            ("", None),
        ] {
            assert_eq!(count(text), wanted, "{text}");
        }
        for (text, wanted) in [("12abc", 12), ("abc", 0), ("-3", -3)] {
            assert_eq!(leading_count(text), wanted, "{text}");
        }
        for (text, wanted) in [
            ("1.5", Some(1500)),
            ("1e3", Some(1_000_000)),
            (".5", Some(500)),
            ("0x10", Some(16_000)),
            ("-1", None),
            ("5s", None),
            ("inf", None),
            ("", None),
        ] {
            assert_eq!(seconds(text), wanted.map(Duration::from_millis), "{text}");
        }
    }
}
