//! The panic hook: counts a panic and logs where it was, never what it said.
//!
//! The text of a panic may quote whatever the code was looking at, SQL included. Rust's own hook
//! prints it; this one takes its place.

use std::panic::{self, PanicHookInfo};

use crate::telemetry::Telemetry;
use crate::telemetry::audit::LineWeight;
use crate::telemetry::log::LogLevel;
use crate::telemetry::log::log_event::LogEvent;

/// Takes the place of Rust's own hook for the rest of the process.
pub fn install(telemetry: &Telemetry) {
    let telemetry = telemetry.clone();
    panic::set_hook(Box::new(move |panic| note(&telemetry, panic)));
}

fn note(telemetry: &Telemetry, panic: &PanicHookInfo<'_>) {
    let (file, line) = panic
        .location()
        .map_or(("unknown", 0), |at| (at.file(), at.line()));
    note_at(telemetry, file, line);
}

/// Counts a panic and says where it was.
pub(in crate::telemetry) fn note_at(telemetry: &Telemetry, file: &str, line: u32) {
    telemetry.sinks.metrics.panics.inc();
    telemetry.sinks.log.line(
        LogLevel::Alarm,
        LogEvent::Panic.name(),
        format_args!("panic at {file}:{line}"),
    );
    if let Some(audit) = &telemetry.sinks.audit {
        audit.record(LineWeight::GivesWay, "panic_at", None, |out| {
            out.text("file", file).number("line", u64::from(line));
        });
    }
}
