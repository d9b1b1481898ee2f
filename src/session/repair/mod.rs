//! Repairs on the wire: which statements are given to them, and what comes of that.
//!
//! A statement that succeeds never comes here: it costs no message and no question. What the gate
//! refuses, and what is expected to fail where a failure could not be undone, waits before it is
//! sent (`preflight`). What failed alone, outside of a transaction block, before anything of its
//! answer was passed on, is answered once a repair was looked for (`hold_error`). Nothing is taken
//! from the client meanwhile; answers of the upstream to what was sent before flow on.
//!
//! * `preflight`: before a text is sent
//! * `hold_error`: after it failed; `retained_frames`: what is kept for that
//! * `executor`: where repairs run, in `compute_slots`; `apply_repair`: what is sent, or answered, in
//!   the end
//! * `default_limit`: results that the policy wants cut
//! * `notices`: what the client hears of it

pub mod apply_repair;
mod compute_slots;
pub mod default_limit;
#[cfg(test)]
mod exchanges;
pub mod executor;
pub mod hold_error;
pub mod notices;
pub mod preflight;
pub mod retained_frames;

use std::fmt;
use std::time::Instant;

use bytes::Bytes;

use self::executor::Marks;
use super::arrival::Arrival;
use super::scheduling::large_text::Large;
use crate::gate::Refusal;
use crate::repair::{Failure, Outcome};

/// Work that is done on another thread before anything else is taken from the client.
#[derive(Debug)]
pub enum Errand {
    /// A text that is too large to be judged between other sessions' work.
    Judge(Large),
    /// A statement to rescue.
    Rescue(Box<Patient>),
}

/// How a rescue came back.
#[derive(Debug)]
pub enum Rescued {
    /// With an outcome, and when each step was done.
    Ended(Outcome, Marks),
    /// It did not come to an end in time.
    Unended,
    /// The client has cancelled its statement.
    Cancelled,
    /// Nothing was looked for: there was a pause.
    Paused,
}

/// A statement to rescue.
pub struct Patient {
    /// The whole frame that it came in, a Query or Parse.
    pub(super) frame: Bytes,
    /// The description of its result, where one came right before its error.
    pub(super) described: Box<[u8]>,
    /// Why it failed; none where that is to be found out.
    pub(super) failure: Option<Failure>,
    /// What it meets without a rescue.
    pub(super) cause: Cause,
    /// When it came.
    pub(super) arrived: Arrival,
    /// When its rescue began.
    pub(super) since: Instant,
}

/// Why a statement needs a rescue, and what it meets without one.
pub enum Cause {
    /// The gate refuses it with these words.
    Refused(Box<Refusal>),
    /// It may run, and will fail by all that is known.
    Doubted,
    /// It failed for a reason of the moment: it is sent again, after a pause.
    Shaken {
        /// The body of the error.
        error: Bytes,
        /// What came with it and behind it.
        batch: Batch,
        /// How often it was sent.
        tries: u32,
    },
    /// The upstream has refused it.
    Failed {
        /// The body of its error.
        error: Bytes,
        /// What came with it and behind it.
        batch: Batch,
    },
}

/// What a failed statement came with.
pub enum Batch {
    /// Nothing: it is a Query.
    None,
    /// These messages behind the Parse, the Sync last.
    Whole(Bytes),
    /// These messages behind the Parse; the client has sent no Sync so far.
    Open(Bytes),
}

impl Batch {
    fn memory(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Whole(frames) | Self::Open(frames) => frames.len(),
        }
    }
}

impl fmt::Debug for Patient {
    /// Without the frames: they are client text.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Patient({})", self.cause_name())
    }
}

impl Patient {
    /// Bytes of memory that its messages take.
    pub(super) fn memory(&self) -> usize {
        let with_it = match &self.cause {
            Cause::Refused(_) | Cause::Doubted => 0,
            Cause::Shaken { error, batch, .. } | Cause::Failed { error, batch } => {
                error.len() + batch.memory()
            }
        };
        self.frame.len() + self.described.len() + with_it
    }

    fn cause_name(&self) -> &'static str {
        match &self.cause {
            Cause::Refused(_) => "refused",
            Cause::Doubted => "doubted",
            Cause::Shaken { .. } => "shaken",
            Cause::Failed { .. } => "failed",
        }
    }
}
