//! What one session keeps for repairs: how far the one at hand has come, what was sent last, should
//! it have to be sent once more, and the messages that go on behind a repaired one.

use std::sync::Arc;

use bytes::Bytes;

use super::executor::RepairExecutor;
use super::retained_frames::RetainedFrames;
use super::{BlockingJob, FailedBatch, RepairJob};
use crate::gate::{Facts, ReadPermit, SearchPaths, SessionNames};
use crate::session::pending::in_flight::InFlight;
use crate::telemetry::session_info::SessionInfo;
use crate::upstream::compile_pool::CompilePool;
use crate::wire::frontend::ParameterOids;

/// The part of a session that repairs its statements.
pub struct SessionRepair {
    pub(in crate::session) stage: RepairStage,
    /// What was sent last, should it have to be sent once more.
    pub(in crate::session) retained: RetainedFrames,
    /// Frames of the client that are taken before all others.
    replayed: Option<Box<Bytes>>,
    /// Where repairs run, and what compiles their texts.
    pub(in crate::session) executor: Arc<RepairExecutor>,
    pub(in crate::session) compile_pool: Option<CompilePool>,
}

/// How far the work has come that the client's next frames wait for: a repair, or the judging of a
/// large text. There is one at a time, because nothing is taken from the client meanwhile.
#[derive(Default)]
pub enum RepairStage {
    /// There is none.
    #[default]
    None,
    /// The description of a result is withheld: its error, which will be held back, comes next.
    Described(Box<[u8]>),
    /// A statement has failed and the client has not heard of it: the upstream is on its way to
    /// rest.
    Held(Box<HeldError>),
    /// It is to begin on another thread.
    Due(Box<BlockingJob>),
    /// It is on another thread, and comes back with its result.
    Running,
}

/// A failure that the client has not heard of; the upstream is on its way to rest.
#[derive(Debug)]
pub struct HeldError {
    pub(super) running: Box<InFlight>,
    pub(super) repair_job: Box<RepairJob>,
}

impl HeldError {
    /// Bytes of memory that its messages take.
    pub(in crate::session) fn memory(&self) -> usize {
        self.repair_job.memory()
    }

    /// The session is under another policy from now on.
    fn keep_old_policy(&mut self, info: &Arc<SessionInfo>) {
        self.running.info.get_or_insert_with(|| Arc::clone(info));
    }

    /// The statement, for its last event.
    pub(in crate::session) fn into_running(self) -> Box<InFlight> {
        self.running
    }
}

impl SessionRepair {
    /// Of a session that has sent nothing.
    pub(in crate::session) fn new(
        executor: Arc<RepairExecutor>,
        compile_pool: Option<CompilePool>,
    ) -> Self {
        Self {
            stage: RepairStage::None,
            retained: RetainedFrames::default(),
            replayed: None,
            executor,
            compile_pool,
        }
    }

    /// The session goes on with the worker whose executor this is.
    pub(in crate::session) fn join_worker(&mut self, executor: Arc<RepairExecutor>) {
        self.executor = executor;
    }

    /// What the server calls a statement, where it has told it by now.
    pub(in crate::session) fn queryid_of(&self, facts: &Facts) -> Option<i64> {
        self.compile_pool.as_ref()?.queryid(facts.shape?)
    }

    /// Has the server asked, on connections of pgsieve's own, what it calls a statement.
    pub(in crate::session) fn ask_queryid(
        &self,
        permit: &ReadPermit<'_>,
        types: ParameterOids<'_>,
        names: &SessionNames,
    ) {
        let (Some(_), Some(compile_pool)) = (permit.facts().shape, &self.compile_pool) else {
            return;
        };
        let SearchPaths::Known(paths) = names.paths() else {
            return;
        };
        if let [path] = &**paths {
            compile_pool.ask_queryid(permit, types, path);
        }
    }

    /// The session is under another policy from now on: a failure that the client has not heard of
    /// is one under that of before.
    pub(in crate::session) fn keep_old_policy(&mut self, info: &Arc<SessionInfo>) {
        if let RepairStage::Held(held) = &mut self.stage {
            held.keep_old_policy(info);
        }
    }

    /// What is to be done on another thread; handed out once.
    pub(in crate::session) fn take_job(&mut self) -> Option<BlockingJob> {
        match std::mem::take(&mut self.stage) {
            RepairStage::Due(job) => {
                self.stage = RepairStage::Running;
                Some(*job)
            }
            other => {
                self.stage = other;
                None
            }
        }
    }

    /// The failure that the client has not heard of, once the upstream is at rest.
    pub(in crate::session) fn take_held(&mut self) -> Option<Box<HeldError>> {
        match std::mem::take(&mut self.stage) {
            RepairStage::Held(held) => Some(held),
            other => {
                self.stage = other;
                None
            }
        }
    }

    /// The description that was withheld, if one was.
    pub(super) fn take_description(&mut self) -> Box<[u8]> {
        match std::mem::take(&mut self.stage) {
            RepairStage::Described(description) => description,
            other => {
                self.stage = other;
                Box::default()
            }
        }
    }

    /// These messages are taken before all others, those that wait to be taken again among them.
    pub(in crate::session) fn replay_first(&mut self, frames: Bytes) {
        self.replayed = joined(frames, self.replayed.take());
    }

    /// What came behind a statement that is sent once more is taken before all others.
    pub(super) fn replay_behind(&mut self, batch: FailedBatch) {
        if let FailedBatch::Whole(rest) | FailedBatch::Open(rest) = batch {
            self.replay_first(rest);
        }
    }

    /// The messages that are taken before all others.
    pub(in crate::session) fn take_replayed(&mut self) -> Option<Box<Bytes>> {
        self.replayed.take()
    }

    /// Bytes of the messages that are taken before all others.
    pub(in crate::session) fn replayed_bytes(&self) -> usize {
        self.replayed.as_deref().map_or(0, Bytes::len)
    }

    /// Whether a repair is being looked for, or messages wait behind one.
    pub(in crate::session) fn is_under_way(&self) -> bool {
        !matches!(self.stage, RepairStage::None) || self.is_replaying()
    }

    /// Whether messages wait that were read before and are to be taken before all others.
    pub(in crate::session) fn is_replaying(&self) -> bool {
        self.replayed.is_some()
    }
}

/// Messages, and behind them those that waited already.
fn joined(first: Bytes, waiting: Option<Box<Bytes>>) -> Option<Box<Bytes>> {
    match waiting {
        Some(waiting) if first.is_empty() => Some(waiting),
        Some(waiting) => Some(Box::new([first, *waiting].concat().into())),
        None => (!first.is_empty()).then(|| Box::new(first)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_message_that_waits_is_lost() {
        for (first, waiting, wanted) in [
            ("", None, None),
            ("ab", None, Some("ab")),
            ("", Some("cd"), Some("cd")),
            ("ab", Some("cd"), Some("abcd")),
        ] {
            let waiting = waiting.map(|text: &str| Box::new(Bytes::from(text)));
            let wanted = wanted.map(|text: &str| Box::new(Bytes::from(text)));
            assert_eq!(joined(Bytes::from(first), waiting), wanted);
        }
    }
}
