//! SQLSTATE codes as events carry them: five characters, whoever sent them.
//!
//! <https://www.postgresql.org/docs/current/errcodes-appendix.html>

use crate::sqlstate::SqlState;
use crate::words::Word;

/// Five characters of `0-9A-Z`. Anything else that an upstream sends becomes `XXXXX`, so that an
/// error code cannot carry text out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SqlstateCode([u8; 5]);

/// The class of a code: its first two characters, as a closed set of label values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SqlstateClass(usize);

impl SqlstateCode {
    /// Takes a code as it stands in an ErrorResponse.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        match <[u8; 5]>::try_from(bytes) {
            Ok(code)
                if code
                    .iter()
                    .all(|b| b.is_ascii_digit() || b.is_ascii_uppercase()) =>
            {
                Self(code)
            }
            _ => Self(*b"XXXXX"),
        }
    }

    /// The five characters.
    pub fn as_str(&self) -> &str {
        // Only ASCII gets in, so the other arm is never taken.
        std::str::from_utf8(&self.0).unwrap_or("XXXXX")
    }

    /// The class that this code belongs to.
    pub fn class(self) -> SqlstateClass {
        let code = self.as_str();
        let known = CLASSES.iter().position(|class| code.starts_with(class));
        SqlstateClass(known.unwrap_or(CLASSES.len() - 1))
    }
}

impl From<SqlState> for SqlstateCode {
    fn from(state: SqlState) -> Self {
        Self::from_bytes(state.as_str().as_bytes())
    }
}

impl Word for SqlstateClass {
    const ALL: &'static [Self] = &ALL_CLASSES;

    fn name(self) -> &'static str {
        CLASSES.get(self.0).copied().unwrap_or("other")
    }

    fn index(self) -> usize {
        self.0
    }
}

/// Every class of Postgres's appendix A, and one for all others, which stays last.
#[rustfmt::skip]
const CLASSES: [&str; 45] = [
    "00", "01", "02", "03", "08", "09", "0A", "0B", "0F", "0L", "0P", "0Z",
    "10", "20", "21", "22", "23", "24", "25", "26", "27", "28", "2B", "2D",
    "2F", "34", "38", "39", "3B", "3D", "3F", "40", "42", "44", "53", "54",
    "55", "57", "58", "72", "F0", "HV", "P0", "XX",
    "other",
];

/// The same, as labels.
const ALL_CLASSES: [SqlstateClass; CLASSES.len()] = {
    let mut all = [SqlstateClass(0); CLASSES.len()];
    let (mut rest, mut place): (&mut [SqlstateClass], usize) = (&mut all, 0);
    while let [first, tail @ ..] = rest {
        *first = SqlstateClass(place);
        place += 1;
        rest = tail;
    }
    all
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_cannot_carry_text() {
        for bytes in [
            &b"42P0"[..],
            b"42p01",
            b"'; --",
            b"",
            b"42P011",
            b"\xff\xff\xff\xff\xff",
        ] {
            assert_eq!(SqlstateCode::from_bytes(bytes).as_str(), "XXXXX");
        }
        assert_eq!(SqlstateCode::from_bytes(b"42P01").as_str(), "42P01");
    }

    #[test]
    fn classes_are_a_closed_set() {
        assert_eq!(SqlstateCode::from_bytes(b"42P01").class().name(), "42");
        assert_eq!(SqlstateCode::from_bytes(b"ZZ999").class().name(), "other");
        for (place, class) in SqlstateClass::ALL.iter().enumerate() {
            assert_eq!(class.index(), place);
        }
    }
}
