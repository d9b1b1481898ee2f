//! One audit line: a flat JSON object, written field by field. Where an event consists of steps,
//! one field is a list of flat objects, which count themselves from 1 in `step`.
//!
//! What each event's line holds is in the table of [`schema`](super::schema); how a line ends is
//! the [`chain`](super::chain)'s. The writer puts the end on, so here a line is left open.

use std::sync::Arc;
use std::time::Duration;

use super::copy_name::CopyName;
use super::line_time::LineClock;
use crate::hex;
use crate::limits::{AUDIT_NAMES_BYTES_MAX, AUDIT_NAMES_MAX};
use crate::telemetry::json_text::{push_number, push_string};
use crate::telemetry::session_info::SessionInfo;

/// The version of the schema, field `v`. In version 1 lines were on no chain.
pub const SCHEMA_VERSION: u64 = 2;

/// The beginning of a line, of which all but the time and the event stays the same.
pub struct LineStart {
    clock: LineClock,
    /// The field that names the copy, with its comma.
    copy: Box<str>,
}

impl LineStart {
    /// Of the lines of this copy.
    pub fn new(copy: &CopyName) -> Self {
        Self {
            clock: LineClock::new(),
            copy: copy.field(),
        }
    }

    /// Begins a line: the fields that every line has.
    pub fn begin(&mut self, out: &mut String, event: &'static str, session: Option<&SessionInfo>) {
        out.push_str("{\"v\":");
        push_number(out, SCHEMA_VERSION);
        out.push_str(",\"time\":\"");
        self.clock.push_now(out);
        out.push_str("\",\"event\":\"");
        out.push_str(event);
        out.push('"');
        out.push_str(&self.copy);
        if let Some(session) = session {
            out.push(',');
            out.push_str(session.rendered());
        }
    }
}

/// A line under construction: fields are appended, nothing is ever taken back.
pub struct AuditLine<'a> {
    out: &'a mut String,
}

impl<'a> AuditLine<'a> {
    /// Continues an object that has at least one field.
    pub fn new(out: &'a mut String) -> Self {
        Self { out }
    }

    /// A word out of a closed set.
    #[inline]
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
        hex::push(self.out, bytes);
        self.out.push('"');
        self
    }

    /// A whole number.
    #[inline]
    pub fn number(&mut self, key: &'static str, value: u64) -> &mut Self {
        self.key(key);
        push_number(self.out, value);
        self
    }

    /// A duration in whole microseconds.
    #[inline]
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

    /// Fields that were put together before.
    pub fn fields(&mut self, fields: &str) {
        self.out.push_str(fields);
    }

    /// Steps in their order, each an object that `fill` adds fields to.
    pub fn steps<T>(
        &mut self,
        key: &'static str,
        steps: &[T],
        fill: impl Fn(&mut AuditLine<'_>, &T),
    ) -> &mut Self {
        self.key(key);
        self.out.push('[');
        for (number, step) in (1..).zip(steps) {
            self.out.push_str(if number == 1 { "" } else { "," });
            self.out.push_str("{\"step\":");
            push_number(self.out, number);
            fill(&mut AuditLine::new(self.out), step);
            self.out.push('}');
        }
        self.out.push(']');
        self
    }

    /// Where the key is known when this is built, so are its length and its place in the line.
    #[inline(always)]
    fn key(&mut self, key: &'static str) {
        self.out.push_str(",\"");
        self.out.push_str(key);
        self.out.push_str("\":");
    }
}
