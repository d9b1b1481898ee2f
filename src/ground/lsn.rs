//! Positions in the write-ahead log.

use std::fmt;

/// A position in the write-ahead log (`pg_lsn`): what is written later has a greater one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lsn(u64);

impl Lsn {
    /// The position that a text names as Postgres writes it, `16/B374D848`; none where it is no
    /// such text.
    pub fn of(text: &str) -> Option<Self> {
        let (high, low) = text.split_once('/')?;
        Some(Self(half(high)? << 32 | half(low)?))
    }
}

/// One of the two numbers, of at most eight digits.
fn half(digits: &str) -> Option<u64> {
    let is_number =
        (1..=8).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_number.then(|| u64::from_str_radix(digits, 16).ok())?
}

impl fmt::Display for Lsn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:X}/{:X}", self.0 >> 32, self.0 & LOW)
    }
}

/// The lower number.
const LOW: u64 = 0xFFFF_FFFF;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_and_written_as_the_server_does() {
        for text in ["0/0", "16/B374D848", "FFFFFFFF/FFFFFFFF", "1/A"] {
            assert_eq!(Lsn::of(text).unwrap().to_string(), text);
        }
        assert_eq!(Lsn::of("0000001a/0000000b"), Lsn::of("1A/B"));
        for text in [
            "",
            "/",
            "1",
            "1/",
            "/1",
            "1/2/3",
            "+1/2",
            "-1/2",
            " 1/2",
            "1/2 ",
            "1/G",
            "0x1/2",
            "123456789/1",
            "1/123456789",
            "١/٢",
        ] {
            assert_eq!(Lsn::of(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_written_later_is_greater() {
        let ordered = ["0/0", "0/9", "0/A", "0/FFFFFFFF", "1/0", "A/0", "10/0"];
        let positions: Vec<Option<Lsn>> = ordered.iter().map(|text| Lsn::of(text)).collect();
        assert!(positions.is_sorted() && positions.iter().all(Option::is_some));
    }
}
