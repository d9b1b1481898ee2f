//! What a client has just sent, kept until the upstream begins to answer it: should it fail, it can
//! be sent once more. One buffer for the life of a session, bounded, so that statements that
//! succeed cost a copy of their text and no allocation.

use std::fmt;

use bytes::{Bytes, BytesMut};

use crate::limits;
use crate::wire::frame::ClientFrame;

/// The kept frames.
#[derive(Default)]
pub struct RetainedFrames {
    frames: BytesMut,
    batch: BatchState,
}

/// Where the client is between two Syncs.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum BatchState {
    /// Nothing was sent since the last Sync but Close messages.
    #[default]
    Fresh,
    /// A Parse is kept, and all that came behind it.
    Open,
    /// The same, with its Sync; nothing was sent since.
    Whole,
    /// Something that is not kept.
    Passed,
}

/// What is kept of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchExtent {
    /// All of it, its Sync included, and nothing was sent behind it.
    Whole,
    /// All that has come so far.
    Open,
}

impl RetainedFrames {
    /// Keeps a Query that is being sent, with nothing before it.
    pub(super) fn keep_query(&mut self, frame: &ClientFrame<'_>) {
        self.batch = BatchState::Fresh;
        self.frames.clear();
        self.frames.extend_from_slice(frame.bytes);
    }

    /// A Query is being sent that is not kept.
    pub(in crate::session) fn skip_query(&mut self) {
        self.batch = BatchState::Fresh;
    }

    /// Whether nothing was sent since the last Sync but Close messages.
    pub(super) fn is_fresh(&self) -> bool {
        self.batch == BatchState::Fresh
    }

    /// Keeps a Parse that is being sent at the start of a batch.
    pub(super) fn keep_parse(&mut self, frame: &ClientFrame<'_>) {
        self.frames.clear();
        self.batch = BatchState::Open;
        self.keep(frame);
    }

    /// Another Parse is being sent.
    pub(in crate::session) fn follow_parse(&mut self, frame: &ClientFrame<'_>) {
        self.follow_as(frame, BatchState::Passed);
    }

    /// Some other frame is being sent that carries no text.
    pub(in crate::session) fn follow(&mut self, frame: &ClientFrame<'_>) {
        match (frame.kind, self.batch) {
            (b'S', BatchState::Open) => {
                self.batch = BatchState::Whole;
                self.keep(frame);
            }
            (b'S', BatchState::Fresh | BatchState::Whole | BatchState::Passed) => {
                self.batch = BatchState::Fresh
            }
            (b'C', BatchState::Fresh | BatchState::Whole) => self.batch = BatchState::Fresh,
            _ => self.follow_as(frame, BatchState::Passed),
        }
    }

    /// What is sent now is not the client's own: the batch is not kept any longer.
    pub(in crate::session) fn stop_retaining(&mut self) {
        self.batch = BatchState::Passed;
    }

    /// The Parse that is kept has succeeded, or failed for good.
    pub(in crate::session) fn answered(&mut self) {
        self.batch = match self.batch {
            BatchState::Open | BatchState::Passed => BatchState::Passed,
            BatchState::Whole | BatchState::Fresh => BatchState::Fresh,
        };
    }

    /// What is kept of the batch; none where it is not kept.
    pub(super) fn extent(&self) -> Option<BatchExtent> {
        match self.batch {
            BatchState::Open => Some(BatchExtent::Open),
            BatchState::Whole => Some(BatchExtent::Whole),
            BatchState::Fresh | BatchState::Passed => None,
        }
    }

    /// Hands out what is kept.
    pub(super) fn take(&mut self) -> Bytes {
        self.batch = BatchState::Fresh;
        Bytes::copy_from_slice(&self.frames)
    }

    /// Bytes of memory that it takes.
    pub(in crate::session) fn memory(&self) -> usize {
        self.frames.capacity()
    }

    /// Nothing is under way: what a long text needed is given back.
    pub(in crate::session) fn shrink(&mut self) {
        if self.frames.capacity() > limits::BUFFER_BYTES_KEPT {
            self.frames = BytesMut::new();
        }
    }

    fn follow_as(&mut self, frame: &ClientFrame<'_>, otherwise: BatchState) {
        match self.batch {
            BatchState::Open => self.keep(frame),
            BatchState::Fresh | BatchState::Whole | BatchState::Passed => self.batch = otherwise,
        }
    }

    fn keep(&mut self, frame: &ClientFrame<'_>) {
        if self.frames.len() + frame.bytes.len() > limits::RETAINED_BYTES_MAX {
            self.batch = BatchState::Passed;
        } else {
            self.frames.extend_from_slice(frame.bytes);
        }
    }
}

impl fmt::Debug for RetainedFrames {
    /// Without the frames: they are client text.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "RetainedFrames({:?})", self.batch)
    }
}
