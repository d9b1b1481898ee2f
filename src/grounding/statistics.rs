//! What the planner knows of a column, in numbers that people and models read.

use super::details::ColumnStatistics;
use super::document::GroundedStatistics;

/// The share of NULLs, the distinct values of that many rows, and the most common values.
pub(crate) fn told(known: &ColumnStatistics, rows: Option<u64>) -> GroundedStatistics {
    let share = known.null_share.clamp(0.0, 1.0);
    let distinct = match (known.distinct < 0.0, rows) {
        (false, _) => whole(known.distinct),
        (true, Some(rows)) => whole(-known.distinct * fraction(rows)),
        (true, None) => None,
    };
    GroundedStatistics {
        null_percent: whole(share * 100.0)
            .and_then(|all| u8::try_from(all).ok())
            .unwrap_or(0),
        distinct: distinct.filter(|number| *number > 0),
        common_values: known
            .common_values
            .iter()
            .take(COMMON_VALUES_MAX)
            .cloned()
            .collect(),
    }
}

/// The nearest whole number.
fn whole(number: f64) -> Option<u64> {
    format!("{number:.0}").parse().ok()
}

/// A whole number, to be multiplied.
fn fraction(number: u64) -> f64 {
    u32::try_from(number).map_or(f64::from(u32::MAX), f64::from)
}

/// Most common values that are told of a column.
const COMMON_VALUES_MAX: usize = 5;
