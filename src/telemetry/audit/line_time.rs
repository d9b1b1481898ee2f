//! The time of an audit or log line: RFC 3339 in UTC with microseconds.

use std::fmt::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

/// Renders the time. The part that changes once a second is kept, so that most lines only cost
/// the clock's reading and six digits.
pub struct LineClock {
    second: i64,
    rendered: String,
}

impl LineClock {
    /// A clock that has rendered nothing yet.
    pub fn new() -> Self {
        Self {
            second: i64::MIN,
            rendered: String::new(),
        }
    }

    /// Appends the present time and says which second it is in.
    pub fn push_now(&mut self, out: &mut String) -> i64 {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or(Duration::ZERO);
        self.push(now, out)
    }

    fn push(&mut self, since_epoch: Duration, out: &mut String) -> i64 {
        let second = i64::try_from(since_epoch.as_secs()).unwrap_or(i64::MAX);
        if second != self.second {
            self.second = second;
            self.rendered.clear();
            let time = Timestamp::from_second(second).unwrap_or(Timestamp::MAX);
            // Writing to a String does not fail.
            let _ = write!(self.rendered, "{}", time.strftime("%Y-%m-%dT%H:%M:%S."));
        }
        out.push_str(&self.rendered);
        push_six_digits(out, since_epoch.subsec_micros());
        out.push('Z');
        second
    }
}

impl Default for LineClock {
    fn default() -> Self {
        Self::new()
    }
}

fn push_six_digits(out: &mut String, number: u32) {
    // Written out, so that each is a multiplication: every line has these.
    let digits = [
        number / 100_000 % 10,
        number / 10_000 % 10,
        number / 1_000 % 10,
        number / 100 % 10,
        number / 10 % 10,
        number % 10,
    ];
    for digit in digits {
        out.push(char::from_digit(digit, 10).unwrap_or('0'));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_as_rfc_3339() {
        let mut clock = LineClock::new();
        let mut out = String::new();
        clock.push(Duration::new(1_700_000_000, 1_234_000), &mut out);
        out.push(' ');
        clock.push(Duration::new(1_700_000_000, 999_999_999), &mut out);
        out.push(' ');
        clock.push(Duration::new(1_700_000_001, 0), &mut out);
        assert_eq!(
            out,
            "2023-11-14T22:13:20.001234Z 2023-11-14T22:13:20.999999Z 2023-11-14T22:13:21.000000Z"
        );
    }
}
