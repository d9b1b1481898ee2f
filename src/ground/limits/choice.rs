//! Bounds of a choice among candidates, each with its reason.

use std::time::Duration;

/// Candidates that one choice is among: agents sample a handful; each costs a login and a plan.
pub const CANDIDATES_MAX: usize = 16;

/// Bytes of one candidate's statement: what repairs take, too.
pub const CANDIDATE_BYTES_MAX: usize = super::REPAIR_BYTES_MAX;

/// Bytes of all that is read of candidates: all of them at their largest, half of it escaped.
pub const CANDIDATES_BYTES_MAX: u64 = 4 << 20;

/// Assumptions of one candidate, and bytes of each: sentences for a person.
pub const ASSUMPTIONS_MAX: usize = 32;

/// Bytes of one assumption.
pub const ASSUMPTION_BYTES_MAX: usize = 1_000;

/// Bytes of a question: what people ask has a few lines.
pub const QUESTION_BYTES_MAX: usize = 8 * 1024;

/// Candidates that are looked at together: as many as have a connection to compile on, twice.
pub const AT_ONCE_MAX: usize = 4;

/// How long one candidate may take, its repair and its plan included.
pub const CANDIDATE_TIME_MAX: Duration = Duration::from_secs(2);

/// How long all of them may take: whoever asked waits for the answer.
pub const CHOICE_TIME_MAX: Duration = Duration::from_secs(10);

/// Rows of a result that is compared with others: one that has more says nothing of the rest.
pub const COMPARED_ROWS_MAX: usize = 1_000;

/// A weight, at most: more than all others together at their defaults.
pub const WEIGHT_MAX: u64 = 1_000;
