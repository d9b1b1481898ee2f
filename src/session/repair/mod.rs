//! Repairs on the wire: which statements are given to them, and what comes of that.
//!
//! A statement that succeeds never comes here: it costs no message and no question. What the gate
//! refuses, and what is expected to fail where a failure could not be undone, waits before it is
//! sent (`preflight`). What failed alone, outside of a transaction block, before anything of its
//! answer was passed on, is answered once a repair was looked for (`hold_error`). Nothing is taken
//! from the client meanwhile; answers of the upstream to what was sent before flow on.
//!
//! * `stage`: how far the repair at hand has come, and what a session keeps for one
//! * `preflight`: before a text is sent
//! * `hold_error`: after it failed; `retained_frames`: what is kept for that
//! * `executor`: where repairs run, in `compute_slots`; `apply_repair`: what is sent, or answered,
//!   in the end, and with which `send_options`
//! * `default_limit`: results that the policy wants cut
//! * `notices`: what the client hears of it

pub mod apply_repair;
mod compute_slots;
pub mod default_limit;
#[cfg(test)]
mod exchange_tests;
pub mod executor;
pub mod hold_error;
pub mod notices;
pub mod preflight;
pub mod retained_frames;
pub mod send_options;
pub mod stage;

use std::fmt;
use std::time::Instant;

use bytes::Bytes;

use self::executor::StepTimes;
use super::arrival::StatementArrival;
use super::scheduling::large_text::LargeText;
use crate::gate::Refusal;
use crate::repair::{Failure, RepairOutcome};

/// Work that is done on another thread before anything else is taken from the client.
#[derive(Debug)]
pub enum BlockingJob {
    /// A text that is too large to be judged between other sessions' work.
    Judge(LargeText),
    /// A statement to repair.
    Repair(Box<RepairJob>),
}

/// How a repair came back.
#[derive(Debug)]
pub enum RepairResult {
    /// With an outcome, and when each step was done.
    Ended(RepairOutcome, StepTimes),
    /// It did not come to an end in time.
    Unended,
    /// The client has cancelled its statement.
    Cancelled,
    /// Nothing was looked for: there was a pause.
    Paused,
}

/// A statement to repair.
pub struct RepairJob {
    /// The whole frame that it came in, a Query or Parse.
    pub(super) frame: Bytes,
    /// The description of its result, where one came right before its error.
    pub(super) described: Box<[u8]>,
    /// Why it failed; none where that is to be found out.
    pub(super) failure: Option<Failure>,
    /// What it meets without a repair.
    pub(super) cause: RepairCause,
    /// When it came.
    pub(super) arrived: StatementArrival,
    /// When its repair began.
    pub(super) since: Instant,
}

/// Why a statement needs a repair, and what it meets without one.
pub enum RepairCause {
    /// The gate refuses it with these words.
    Refused(Box<Refusal>),
    /// It may run, and will fail by all that is known.
    Doubted,
    /// It failed for a reason of the moment: it is sent again, after a pause.
    Shaken {
        /// The body of the error.
        error: Bytes,
        /// What came with it and behind it.
        batch: FailedBatch,
        /// How often it was sent.
        tries: u32,
    },
    /// The upstream has refused it.
    Failed {
        /// The body of its error.
        error: Bytes,
        /// What came with it and behind it.
        batch: FailedBatch,
    },
}

/// What a failed statement came with.
pub enum FailedBatch {
    /// Nothing: it is a Query.
    None,
    /// These messages behind the Parse, the Sync last.
    Whole(Bytes),
    /// These messages behind the Parse; the client has sent no Sync so far.
    Open(Bytes),
}

impl FailedBatch {
    fn memory(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Whole(frames) | Self::Open(frames) => frames.len(),
        }
    }
}

impl fmt::Debug for RepairJob {
    /// Without the frames: they are client text.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "RepairJob({})", self.cause_name())
    }
}

impl RepairJob {
    /// Bytes of memory that its messages take.
    pub(super) fn memory(&self) -> usize {
        let with_it = match &self.cause {
            RepairCause::Refused(_) | RepairCause::Doubted => 0,
            RepairCause::Shaken { error, batch, .. } | RepairCause::Failed { error, batch } => {
                error.len() + batch.memory()
            }
        };
        self.frame.len() + self.described.len() + with_it
    }

    fn cause_name(&self) -> &'static str {
        match &self.cause {
            RepairCause::Refused(_) => "refused",
            RepairCause::Doubted => "doubted",
            RepairCause::Shaken { .. } => "shaken",
            RepairCause::Failed { .. } => "failed",
        }
    }
}
