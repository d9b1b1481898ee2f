//! Durations and sizes: read with their units, held to their bounds.

use std::time::Duration;

use crate::config::value_reader::KeyReader;
use crate::policy::units::{self, BareBytes, UnitProblem, written_bytes, written_duration};

/// The value of a key that is a duration.
pub fn duration(
    reader: &mut KeyReader,
    path: &str,
    bounds: (Duration, Duration),
    absent: Duration,
) -> Option<Duration> {
    reader.parsed(path, absent, |text| duration_within(text, bounds))
}

/// A duration within bounds, or what is wanted.
///
/// # Errors
/// What is wanted in its place, in words.
pub fn duration_within(text: &str, bounds: (Duration, Duration)) -> Result<Duration, String> {
    let (least, most) = bounds;
    match units::duration(text) {
        Ok(span) if (least..=most).contains(&span) => Ok(span),
        Err(problem @ UnitProblem::DurationWithoutUnit) => Err(problem.to_string()),
        Ok(_) | Err(_) => Err(format!(
            "a duration from {} to {} is wanted, such as 500ms, 10s or 10min",
            written_duration(least),
            written_duration(most)
        )),
    }
}

/// The value of a key that is a size, in bytes.
pub fn size(
    reader: &mut KeyReader,
    path: &str,
    (least, most): (u64, u64),
    bare: BareBytes,
    absent: u64,
) -> Option<u64> {
    reader.parsed(path, absent, |text| match units::bytes(text, bare) {
        Ok(bytes) if (least..=most).contains(&bytes) => Ok(bytes),
        Err(problem @ UnitProblem::SizeWithoutUnit) => Err(problem.to_string()),
        Ok(_) | Err(_) => {
            let bounds = format!("from {} to {}", written_bytes(least), written_bytes(most));
            let or = match bare {
                BareBytes::Allowed => ", such as 100MB or 64KiB, or a number of bytes",
                BareBytes::Refused => "",
            };
            Err(format!("a size {bounds} is wanted{or}"))
        }
    })
}
