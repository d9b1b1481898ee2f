//! Lines for a person, on stderr: what started, what failed, what needs a look.
//!
//! Never SQL, passwords or rows: a line is put together by an event out of closed words, addresses
//! and cleaned names. A flood is cut to a number of lines per second and summed up.

use std::fmt;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use crate::limits::LOG_LINES_PER_SECOND_MAX;
use crate::telemetry::audit::clock::Clock;

/// Where log lines go. Cheap to clone.
#[derive(Clone)]
pub struct Log {
    state: Option<Arc<Mutex<State>>>,
}

/// How much a line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// As expected.
    Info,
    /// Someone may want to look.
    Warn,
    /// Someone must look.
    Alarm,
}

/// The clock and the count of this second's lines.
struct State {
    clock: Clock,
    second: i64,
    written: u64,
    dropped: u64,
}

impl Log {
    /// Lines go to stderr.
    pub fn stderr() -> Self {
        let state = State {
            clock: Clock::new(),
            second: 0,
            written: 0,
            dropped: 0,
        };
        Self {
            state: Some(Arc::new(Mutex::new(state))),
        }
    }

    /// Lines go nowhere.
    pub fn off() -> Self {
        Self { state: None }
    }

    /// Writes one line, unless this second had its share. Alarms are always written.
    pub fn line(&self, level: Level, what: fmt::Arguments<'_>) {
        let Some(state) = &self.state else { return };
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        let second = state.clock.push_now(&mut text);
        if second != state.second {
            let dropped = state.dropped;
            (state.second, state.written, state.dropped) = (second, 0, 0);
            if dropped > 0 {
                to_stderr(&format!("{text} warn {dropped} log lines were left out\n"));
            }
        }
        if level != Level::Alarm && state.written >= LOG_LINES_PER_SECOND_MAX {
            state.dropped += 1;
            return;
        }
        state.written += 1;
        to_stderr(&format!("{text} {} {what}\n", level.name()));
    }
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Alarm => "ALARM",
        }
    }
}

/// A closed stderr is no reason to stop serving.
fn to_stderr(line: &str) {
    let _ = std::io::stderr().write_all(line.as_bytes());
}
