//! Durations and sizes as people write them in policies, settings, variables and flags.
//!
//! Units are Postgres's: `kB`, `MB`, `GB` and `TB` are powers of 1024, as `KiB`, `MiB`, `GiB` and
//! `TiB` are. A number alone is not taken for either kind: to one reader `5` is five seconds, to
//! another five milliseconds. What clients set is read by `setting_value`, as the server reads it.
//! <https://www.postgresql.org/docs/current/config-setting.html>

use std::fmt;
use std::time::Duration;

use super::settings::setting_value;

/// The reason why a text is no duration or size. Shown without the text: it may be a secret in
/// the wrong place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitProblem {
    /// A number of something, without a word of what.
    DurationWithoutUnit,
    /// Not a number with one of the units of time.
    NotDuration,
    /// More than nothing, and less than a millisecond: to the server it would be no bound.
    BelowMillisecond,
    /// A number of something, without a word of what.
    SizeWithoutUnit,
    /// Not a number with one of the units of size, or not a whole number of bytes.
    NotSize,
}

/// Whether a number without a unit is one of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BareBytes {
    /// It is: the key's name and its doc say so.
    Allowed,
    /// It is not, unless it is 0.
    Refused,
}

/// A duration with its unit; `0` needs none. Units: us, ms, s, min, h, d; at most what a setting of
/// the server holds, about 24 days.
///
/// # Errors
/// It is no number with a unit, or smaller or larger than a setting holds.
pub fn duration(text: &str) -> Result<Duration, UnitProblem> {
    let (number, unit) = setting_value::number_and_unit(text).ok_or(UnitProblem::NotDuration)?;
    if unit.is_empty() && number > 0.0 {
        return Err(UnitProblem::DurationWithoutUnit);
    }
    match setting_value::milliseconds(text) {
        None => Err(UnitProblem::NotDuration),
        Some(0) if number > 0.0 => Err(UnitProblem::BelowMillisecond),
        Some(ms) => Ok(Duration::from_millis(ms)),
    }
}

/// A size in bytes with its unit; `0` needs none, and bare numbers only where they are not allowed.
///
/// # Errors
/// It is no number with a unit, or too large to count.
pub fn bytes(text: &str, bare: BareBytes) -> Result<u64, UnitProblem> {
    let (number, unit) = setting_value::number_and_unit(text).ok_or(UnitProblem::NotSize)?;
    if unit.is_empty() && number > 0.0 && bare == BareBytes::Refused {
        return Err(UnitProblem::SizeWithoutUnit);
    }
    let shift = match unit {
        "" | "B" => 0,
        "kB" | "KiB" => 10,
        "MB" | "MiB" => 20,
        "GB" | "GiB" => 30,
        "TB" | "TiB" => 40,
        _ => return Err(UnitProblem::NotSize),
    };
    let text = text.trim().trim_end_matches(unit).trim_end();
    let bytes = match text.split_once('.') {
        None => text.parse::<u64>().ok(),
        Some(_) => return fraction(number, shift).ok_or(UnitProblem::NotSize),
    };
    bytes
        .and_then(|bytes| bytes.checked_mul(1 << shift))
        .ok_or(UnitProblem::NotSize)
}

/// A duration as a person writes it: the largest unit that divides it.
pub fn written_duration(span: Duration) -> String {
    let ms = span.as_millis();
    let units = [
        (86_400_000, "d"),
        (3_600_000, "h"),
        (60_000, "min"),
        (1_000, "s"),
    ];
    let found = units
        .iter()
        .find(|(one, _)| ms > 0 && ms.is_multiple_of(*one));
    match found {
        Some((one, unit)) => format!("{}{unit}", ms / one),
        None if ms == 0 => String::from("0"),
        None => format!("{ms}ms"),
    }
}

/// A size as a person writes it: the largest unit that divides it.
pub fn written_bytes(bytes: u64) -> String {
    let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    let found = units
        .iter()
        .find(|(shift, _)| bytes > 0 && bytes.trailing_zeros() >= *shift);
    match found {
        Some((shift, unit)) => format!("{}{unit}", bytes >> shift),
        None if bytes == 0 => String::from("0"),
        None => format!("{bytes}B"),
    }
}

/// A number with a fraction in a unit above one byte, where it is a whole number of bytes.
fn fraction(number: f64, shift: u32) -> Option<u64> {
    let bytes = number * f64::from(2_u32).powi(i32::try_from(shift).ok()?);
    // Above this not every whole number is exact.
    let is_exact = bytes.fract() == 0.0 && bytes <= EXACT_MAX;
    is_exact.then(|| format!("{bytes:.0}").parse().ok())?
}

impl fmt::Display for UnitProblem {
    /// What is wrong and what to write.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::DurationWithoutUnit => {
                "the unit is missing: write 5s for five seconds, 5ms for five milliseconds"
            }
            Self::NotDuration => {
                "a duration such as 30s, 5min or 500ms is wanted, in us, ms, s, min, h or d"
            }
            Self::BelowMillisecond => "less than a millisecond would be no bound",
            Self::SizeWithoutUnit => {
                "the unit is missing: write 100MB, 64KiB, or 5B for five bytes"
            }
            Self::NotSize => {
                "a size such as 100MB or 64KiB is wanted, in B, kB, MB, GB, TB, KiB, MiB, GiB or TiB"
            }
        })
    }
}

/// Up to here every whole number is one of type f64.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        for (text, ms) in [
            ("0", 0),
            ("0.0", 0),
            ("0s", 0),
            ("0ms", 0),
            ("5ms", 5),
            ("5s", 5_000),
            (" 5 s ", 5_000),
            ("1.5s", 1_500),
            ("5min", 300_000),
            ("2h", 7_200_000),
            ("24d", 2_073_600_000),
            ("1500us", 2),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["5", "1", "30000", "1.5", " 5 ", "0.5", "2147483648"] {
            let found = duration(text);
            assert_eq!(found, Err(UnitProblem::DurationWithoutUnit), "{text}");
        }
        for text in ["1us", "400us", "0.4ms", "0.0001s"] {
            let found = duration(text);
            assert_eq!(found, Err(UnitProblem::BelowMillisecond), "{text}");
        }
        for text in [
            "",
            " ",
            "s",
            "soon",
            "off",
            "-1",
            "-1s",
            "+1s",
            "5m",
            "5S",
            "5 seconds",
            "5sec",
            "5MS",
            "1h30min",
            "010s",
            "0x10s",
            "1e3s",
            ".5s",
            "25d",
            "inf",
            "nan",
            "5 5s",
            "١s",
        ] {
            assert_eq!(duration(text), Err(UnitProblem::NotDuration), "{text}");
        }
    }

    #[test]
    fn sizes_have_units_and_bare_numbers_are_bytes_where_the_key_says_so() {
        for (text, wanted) in [
            ("0", 0),
            ("1B", 1),
            ("64kB", 65_536),
            ("64KiB", 65_536),
            ("100MB", 104_857_600),
            ("100MiB", 104_857_600),
            (" 1 GB ", 1 << 30),
            ("2GiB", 2 << 30),
            ("1TB", 1 << 40),
            ("1TiB", 1 << 40),
            ("1.5MB", 1_572_864),
            ("0.5KiB", 512),
        ] {
            assert_eq!(bytes(text, BareBytes::Refused), Ok(wanted), "{text}");
            assert_eq!(bytes(text, BareBytes::Allowed), Ok(wanted), "{text}");
        }
        for (text, wanted) in [("1", 1), ("18446744073709551615", u64::MAX), (" 512 ", 512)] {
            assert_eq!(bytes(text, BareBytes::Allowed), Ok(wanted), "{text}");
            let found = bytes(text, BareBytes::Refused);
            assert_eq!(found, Err(UnitProblem::SizeWithoutUnit), "{text}");
        }
        for text in [
            "",
            "MB",
            "lots",
            "-1",
            "-1MB",
            "+1MB",
            "1KB",
            "1mb",
            "1Mb",
            "1M",
            "1k",
            "1MIB",
            "1.5B",
            "1.5",
            "0.3kB",
            "1e6B",
            "0x10B",
            "010MB",
            "18446744073709551616",
            "16777216TiB",
            "1 1MB",
            "1 MB B",
        ] {
            assert_eq!(
                bytes(text, BareBytes::Allowed),
                Err(UnitProblem::NotSize),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for ms in [1, 500, 1_000, 1_500, 60_000, 90_000, 3_600_000, 86_400_000] {
            let span = Duration::from_millis(ms);
            assert_eq!(duration(&written_duration(span)), Ok(span));
        }
        assert_eq!(written_duration(Duration::from_secs(90)), "90s");
        assert_eq!(written_duration(Duration::from_millis(1_500)), "1500ms");
        assert_eq!(written_duration(Duration::ZERO), "0");
        for size in [1, 1_023, 1_024, 1_536, 1 << 20, 1 << 50, u64::MAX] {
            assert_eq!(bytes(&written_bytes(size), BareBytes::Refused), Ok(size));
        }
        assert_eq!(written_bytes(512 << 20), "512MiB");
    }

    #[test]
    fn problems_say_what_to_write() {
        let said = UnitProblem::DurationWithoutUnit.to_string();
        assert!(said.contains("5s") && said.contains("5ms"), "{said}");
        let said = UnitProblem::SizeWithoutUnit.to_string();
        assert!(said.contains("100MB") && said.contains("64KiB"), "{said}");
    }
}
