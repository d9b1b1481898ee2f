//! What a client has just sent, kept until the upstream begins to answer it: should it fail, it can
//! be sent once more. One buffer for the life of a session, bounded, so that statements that
//! succeed cost a copy of their text and no allocation.

use std::fmt;

use bytes::{Bytes, BytesMut};

use crate::limits;
use crate::wire::frame::Frame;

/// The kept frames.
#[derive(Default)]
pub struct Retained {
    frames: BytesMut,
    batch: Batch,
}

/// Where the client is between two Syncs.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Batch {
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
pub enum Extent {
    /// All of it, its Sync included, and nothing was sent behind it.
    Whole,
    /// All that has come so far.
    Open,
}

impl Retained {
    /// Keeps a Query that is being sent, with nothing before it.
    pub(super) fn keep_query(&mut self, frame: &Frame<'_>) {
        self.batch = Batch::Fresh;
        self.frames.clear();
        self.frames.extend_from_slice(frame.bytes);
    }

    /// A Query is being sent that is not kept.
    pub(in crate::session) fn pass_query(&mut self) {
        self.batch = Batch::Fresh;
    }

    /// Whether nothing was sent since the last Sync but Close messages.
    pub(super) fn is_fresh(&self) -> bool {
        self.batch == Batch::Fresh
    }

    /// Keeps a Parse that is being sent at the start of a batch.
    pub(super) fn keep_parse(&mut self, frame: &Frame<'_>) {
        self.frames.clear();
        self.batch = Batch::Open;
        self.keep(frame);
    }

    /// Another Parse is being sent.
    pub(in crate::session) fn follow_parse(&mut self, frame: &Frame<'_>) {
        self.follow_as(frame, Batch::Passed);
    }

    /// Some other frame is being sent that carries no text.
    pub(in crate::session) fn follow(&mut self, frame: &Frame<'_>) {
        match (frame.kind, self.batch) {
            (b'S', Batch::Open) => {
                self.batch = Batch::Whole;
                self.keep(frame);
            }
            (b'S', Batch::Fresh | Batch::Whole | Batch::Passed) => self.batch = Batch::Fresh,
            (b'C', Batch::Fresh | Batch::Whole) => self.batch = Batch::Fresh,
            _ => self.follow_as(frame, Batch::Passed),
        }
    }

    /// What is sent now is not the client's own: the batch is not kept any longer.
    pub(in crate::session) fn give_up(&mut self) {
        self.batch = Batch::Passed;
    }

    /// The Parse that is kept has succeeded, or failed for good.
    pub(in crate::session) fn answered(&mut self) {
        self.batch = match self.batch {
            Batch::Open | Batch::Passed => Batch::Passed,
            Batch::Whole | Batch::Fresh => Batch::Fresh,
        };
    }

    /// What is kept of the batch; none where it is not kept.
    pub(super) fn extent(&self) -> Option<Extent> {
        match self.batch {
            Batch::Open => Some(Extent::Open),
            Batch::Whole => Some(Extent::Whole),
            Batch::Fresh | Batch::Passed => None,
        }
    }

    /// Hands out what is kept.
    pub(super) fn take(&mut self) -> Bytes {
        self.batch = Batch::Fresh;
        Bytes::copy_from_slice(&self.frames)
    }

    /// Bytes of memory that it takes.
    pub(in crate::session) fn memory(&self) -> usize {
        self.frames.capacity()
    }

    /// Nothing is under way: what a long text needed is given back.
    pub(in crate::session) fn relax(&mut self) {
        if self.frames.capacity() > limits::BUFFER_BYTES_KEPT {
            self.frames = BytesMut::new();
        }
    }

    fn follow_as(&mut self, frame: &Frame<'_>, otherwise: Batch) {
        match self.batch {
            Batch::Open => self.keep(frame),
            Batch::Fresh | Batch::Whole | Batch::Passed => self.batch = otherwise,
        }
    }

    fn keep(&mut self, frame: &Frame<'_>) {
        if self.frames.len() + frame.bytes.len() > limits::RETAINED_BYTES_MAX {
            self.batch = Batch::Passed;
        } else {
            self.frames.extend_from_slice(frame.bytes);
        }
    }
}

impl fmt::Debug for Retained {
    /// Without the frames: they are client text.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Retained({:?})", self.batch)
    }
}
