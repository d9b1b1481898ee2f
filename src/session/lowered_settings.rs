//! What was lowered in a statement before it ran.

use crate::gate::{BackendSignal, ClampedText, Facts, OffsetMap};

/// The changes of a text that runs in the place of a client's, with lower values in it, or without
/// a call.
#[derive(Debug, Default)]
pub struct LoweredText {
    /// What the client is told.
    pub notice: Option<String>,
    /// Where things stand otherwise than in the client's text, the last change first.
    pub moved: Vec<OffsetMap>,
    /// The call that was taken out, for pgsieve to carry out.
    pub signal: Option<Box<BackendSignal>>,
    /// Which of its statements, from 0, the client has sent as LISTEN.
    pub listens: Vec<u32>,
    /// Whether anything was taken from the client; where only metrics were put in, nothing was.
    pub is_lowered: bool,
}

impl LoweredText {
    /// The same with one more change. The changed text is handed out: it has to be judged.
    pub fn and(mut self, clamp: ClampedText) -> (Self, String) {
        self.notice = match (self.notice, clamp.notice) {
            (Some(earlier), Some(later)) => Some(format!("{earlier}; {later}")),
            (earlier, later) => earlier.or(later),
        };
        self.moved.splice(0..0, clamp.offsets);
        self.signal = self.signal.or(clamp.signal);
        self.listens.extend(clamp.listens);
        self.is_lowered |= clamp.is_lowered;
        (self, clamp.text)
    }

    /// Where a character of the changed text stands in the client's, both counted from one.
    pub fn place_of(position: u32, changed: &Self) -> u32 {
        let at = usize::try_from(position).unwrap_or(usize::MAX);
        let moved = changed.moved.iter();
        let own = moved.fold(at, |at, moved| moved.original_position(at));
        u32::try_from(own).unwrap_or(position)
    }

    /// What runs is known from now on to stand for LISTEN.
    pub fn mark(&self, facts: &Facts) {
        if !self.listens.is_empty() {
            // Facts of a text that was judged just now: nobody else has marked them otherwise.
            let _ = facts.listens.set(self.listens.clone().into());
        }
    }
}
