//! `too_many_names`: more prepared statements or cursors than a session may hold.
//!
//! # Sees
//! PREPARE and DECLARE in a session that holds as many as it may.
//!
//! # Why
//! Each takes memory here and at the server until the session ends.
//!
//! # Before
//! An example of thousands is in the tests of the gate.
//!
//! # After
//! - `PREPARE p AS SELECT 1`
//! - `DEALLOCATE ALL`
//!
//! # When not
//! Never.

use crate::context::JudgeContext;
use crate::rules::RuleResult;
use crate::{Refusal, Rule};

pub(crate) fn check(context: &mut JudgeContext<'_>) -> RuleResult {
    if !context.names().is_full() {
        return Ok(());
    }
    Err(Refusal::new(
        Rule::TooManyNames,
        "the session holds too many prepared statements or cursors",
        "DEALLOCATE or CLOSE what is not needed any more.",
    ))
}
