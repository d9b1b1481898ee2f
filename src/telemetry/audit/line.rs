//! One audit line: a flat JSON object, written field by field. Where an event consists of steps,
//! one field is a list of flat objects, which count themselves from 1 in `step`.
//!
//! Schema version 1. Every line has `v` (the schema version), `time` (RFC 3339, UTC,
//! microseconds) and `event`; lines of a session have `session`, `client`, `user`, `database`,
//! `application_name` and `tls`, and from the choice of its policy on `policy` and
//! `policy_version`. What else a line holds is up to its event and documented there.
//!
//! Lines of statements (`event` is `statement`) tell what they name, unless `audit.names` is off:
//! `relations` (a list of `schema.name`), `functions` (of `schema.name(types)`, without built-ins)
//! and `settings`. These are names of the database's own objects, never anything else that a client
//! wrote. A line holds only so many; `names_left_out` says how many it lacks. `would_refuse` lists
//! the rules of the policy that would have refused the statement and are only observed; a line with
//! `event` `limit_reached` has it for a limit that is only observed.
//!
//! A field keeps its name and meaning within a version; fields may be added.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use crate::limits::{AUDIT_NAMES_BYTES_MAX, AUDIT_NAMES_MAX};

/// The version of the schema, field `v`.
pub const SCHEMA_VERSION: u64 = 1;

/// A line under construction: fields are appended, nothing is ever taken back.
pub struct Line<'a> {
    out: &'a mut String,
}

impl<'a> Line<'a> {
    /// Continues an object that has at least one field.
    pub fn new(out: &'a mut String) -> Self {
        Self { out }
    }

    /// A word out of a closed set.
    pub fn word(&mut self, key: &'static str, value: &'static str) -> &mut Self {
        self.key(key);
        self.out.push('"');
        self.out.push_str(value);
        self.out.push('"');
        self
    }

    /// Any other text; it is escaped.
    pub fn text(&mut self, key: &'static str, value: &str) -> &mut Self {
        self.key(key);
        push_string(self.out, value);
        self
    }

    /// Bytes in hexadecimal digits, without the formatting machinery: every statement has some.
    pub fn hex(&mut self, key: &'static str, bytes: &[u8]) -> &mut Self {
        self.key(key);
        self.out.push('"');
        for byte in bytes {
            for digit in [byte >> 4, byte & 15] {
                self.out
                    .push(char::from_digit(digit.into(), 16).unwrap_or('0'));
            }
        }
        self.out.push('"');
        self
    }

    /// A whole number.
    pub fn number(&mut self, key: &'static str, value: u64) -> &mut Self {
        self.key(key);
        push_number(self.out, value);
        self
    }

    /// A duration in whole microseconds.
    pub fn micros(&mut self, key: &'static str, value: Duration) -> &mut Self {
        self.number(key, u64::try_from(value.as_micros()).unwrap_or(u64::MAX))
    }

    /// Words out of a closed set.
    pub fn words(&mut self, key: &'static str, values: impl Iterator<Item = &'static str>) {
        self.key(key);
        self.out.push('[');
        for (place, value) in values.enumerate() {
            self.out.push_str(if place == 0 { "\"" } else { ",\"" });
            self.out.push_str(value);
            self.out.push('"');
        }
        self.out.push(']');
    }

    /// Names of the database's own, escaped, as many as a line may hold; says how many it lacks.
    pub fn names(&mut self, key: &'static str, names: &[Arc<str>]) -> u64 {
        self.key(key);
        self.out.push('[');
        let (start, mut taken) = (self.out.len(), 0);
        for name in names.iter().take(AUDIT_NAMES_MAX) {
            let bytes = self.out.len() - start + name.len();
            if bytes > AUDIT_NAMES_BYTES_MAX {
                break;
            }
            self.out.push_str(if taken == 0 { "" } else { "," });
            push_string(self.out, name);
            taken += 1;
        }
        self.out.push(']');
        u64::try_from(names.len() - taken).unwrap_or(u64::MAX)
    }

    /// Steps in their order, each an object that `fill` adds fields to.
    pub fn steps<T>(
        &mut self,
        key: &'static str,
        steps: &[T],
        fill: impl Fn(&mut Line<'_>, &T),
    ) -> &mut Self {
        self.key(key);
        self.out.push('[');
        for (number, step) in (1..).zip(steps) {
            self.out.push_str(if number == 1 { "" } else { "," });
            self.out.push_str("{\"step\":");
            push_number(self.out, number);
            fill(&mut Line::new(self.out), step);
            self.out.push('}');
        }
        self.out.push(']');
        self
    }

    fn key(&mut self, key: &'static str) {
        self.out.push_str(",\"");
        self.out.push_str(key);
        self.out.push_str("\":");
    }
}

/// Appends a JSON string.
pub fn push_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            // Line separators are legal in JSON and still end a line for some readers.
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
}

/// Appends a number in decimal, without the formatting machinery: a line has seven of them.
pub fn push_number(out: &mut String, number: u64) {
    if number >= 10 {
        push_number(out, number / 10);
    }
    let digit = u32::try_from(number % 10).unwrap_or(0);
    out.push(char::from_digit(digit, 10).unwrap_or('0'));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_reads_back_and_stays_on_its_line() {
        for text in [
            "",
            "a\"b\\c",
            "\n\r\t\u{0}\u{7f}\u{85}\u{2028}",
            "äß€😀",
            "</script>",
        ] {
            let mut out = String::new();
            push_string(&mut out, text);
            assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
            assert!(!out.chars().any(char::is_control));
        }
    }

    #[test]
    fn numbers_are_decimal() {
        for number in [0, 9, 10, 1234567890, u64::MAX] {
            let mut out = String::new();
            push_number(&mut out, number);
            assert_eq!(out, number.to_string());
        }
    }
}
