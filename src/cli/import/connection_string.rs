//! The values of `[databases]`, `[users]` and `[peers]`: pairs `name=value` with blanks between
//! them, values in single quotes where they have blanks.
//!
//! Read to the letter as PgBouncer does: only the blank separates, a value is never empty, and
//! behind a quote one letter is passed over.

/// Why a text is none, with the number of the pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairFault {
    /// There is no `=`, or nothing before it.
    NoEquals(usize),
    /// There is nothing behind it.
    NoValue(usize),
    /// A quote has no end.
    OpenQuote(usize),
}

/// The pairs, in order.
///
/// # Errors
/// The first pair that is none.
pub fn pairs(text: &str) -> Result<Vec<(String, String)>, PairFault> {
    let mut found = Vec::new();
    let mut rest = text.trim_start_matches(' ');
    while !rest.is_empty() {
        let number = found.len() + 1;
        let end = rest.find(['=', ' ']).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        let behind = behind.trim_start_matches(' ').strip_prefix('=');
        let (Some(behind), false) = (behind, name.is_empty()) else {
            return Err(PairFault::NoEquals(number));
        };
        let behind = behind.trim_start_matches(' ');
        let (value, behind) = match behind.strip_prefix('\'') {
            Some(quoted) => unquoted(quoted).ok_or(PairFault::OpenQuote(number))?,
            None => {
                let (value, behind) = behind.split_at(behind.find(' ').unwrap_or(behind.len()));
                (value.to_owned(), behind)
            }
        };
        if value.is_empty() {
            return Err(PairFault::NoValue(number));
        }
        found.push((name.to_owned(), value));
        let mut passed = behind.chars();
        passed.next();
        rest = passed.as_str().trim_start_matches(' ');
    }
    Ok(found)
}

/// A value to its closing quote, in which two quotes are one, and what is behind it.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut rest = text;
    loop {
        let (before, behind) = rest.split_once('\'')?;
        value.push_str(before);
        match behind.strip_prefix('\'') {
            Some(behind) => {
                value.push('\'');
                rest = behind;
            }
            None => return Some((value, behind)),
        }
    }
}

impl std::fmt::Display for PairFault {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (what, number) = match self {
            Self::NoEquals(number) => ("has no `name=`", number),
            Self::NoValue(number) => ("has no value", number),
            Self::OpenQuote(number) => ("has a quote without an end", number),
        };
        write!(formatter, "pair {number} of the connection string {what}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As PgBouncer 1.18 reads them, which was asked for each.
    #[test]
    fn pairs_are_read_as_there() {
        let check = |text: &str, wanted: &[(&str, &str)]| {
            let wanted = wanted
                .iter()
                .map(|(a, b)| (String::from(*a), String::from(*b)));
            assert_eq!(pairs(text), Ok(wanted.collect()), "{text}");
        };
        check("", &[]);
        check(
            "host=localhost\tport=5433",
            &[("host", "localhost\tport=5433")],
        );
        check(
            "host = localhost  port =5433",
            &[("host", "localhost"), ("port", "5433")],
        );
        check(
            "dbname='my db' user='o''x' password='p=''q'",
            &[("dbname", "my db"), ("user", "o'x"), ("password", "p='q")],
        );
        check("host= port=1", &[("host", "port=1")]);
        check(
            "host='localhost'port=1",
            &[("host", "localhost"), ("ort", "1")],
        );
        assert_eq!(pairs("a=b dbname=''"), Err(PairFault::NoValue(2)));
        assert_eq!(pairs("a=b host='c"), Err(PairFault::OpenQuote(2)));
        assert_eq!(pairs("a"), Err(PairFault::NoEquals(1)));
        assert_eq!(pairs("=a"), Err(PairFault::NoEquals(1)));
        assert_eq!(pairs("a="), Err(PairFault::NoValue(1)));
    }
}
