//! What a relay waits for beside its two sockets: a large text that is judged or a statement that
//! is repaired on another thread, the cancel of a result that was cut, and room in the audit.

use std::task::{Context, Poll};

use super::Relay;
use super::moves::{BytesMoved, MoveResult, as_u64};
use crate::session::repair::apply_repair::{repair_finished, start_repair};
use crate::session::repair::executor::RunningRepair;
use crate::session::repair::{BlockingJob, RepairJob};
use crate::session::reply::CloseReason;
use crate::session::scheduling::large_text::{
    LargeText, LargeTextJudging, judge_large_text, large_text_judged,
};
use crate::session::session_end::SessionEnd;
use crate::telemetry::events::OwnCancelEnded;
use crate::telemetry::labels::CancelCause;
use crate::upstream::cancel::CancelResult;
use crate::waits::WaitState;

/// What is being done on another thread.
pub(in crate::session) enum RunningJob {
    /// A large text is judged.
    Judging {
        large: LargeText,
        judging: LargeTextJudging,
    },
    /// A statement is repaired.
    Rescuing {
        repair_job: Box<RepairJob>,
        repair: RunningRepair,
    },
}

impl RunningJob {
    /// What the session waits for by it.
    pub(in crate::session) fn wait_kind(&self) -> WaitState {
        match self {
            Self::Judging { .. } => WaitState::Judgement,
            Self::Rescuing { .. } => WaitState::Repair,
        }
    }
}

impl Relay {
    /// Ready unless the client's next frame waits for room in the audit; wakes the session then.
    pub(super) fn wait_for_audit(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while self.protocol.witness.waits_for_audit() {
            let room = self.room.take();
            let mut room = room.unwrap_or_else(|| Box::pin(self.protocol.witness.room_in_audit()));
            if room.as_mut().poll(context).is_pending() {
                self.room = Some(room);
                return Poll::Pending;
            }
        }
        self.room = None;
        Poll::Ready(())
    }

    /// Keeps what was read from the client before its turn.
    pub(super) fn take_ahead_of_turn(&mut self, read_buffer: &[u8], count: usize) {
        let fresh = read_buffer.get(..count).unwrap_or_default();
        self.counted.from_client += as_u64(fresh.len());
        let fresh = self.memory.without_dropped(fresh);
        self.client_rest.extend_from_slice(fresh);
    }

    pub(in crate::session) fn start_job(&mut self) -> BytesMoved {
        let Some(blocking_job) = self.protocol.repair.take_job() else {
            return BytesMoved::Nothing;
        };
        self.running_job = Some(Box::new(match blocking_job {
            BlockingJob::Judge(large) => self.start_judging(large),
            BlockingJob::Repair(repair_job) => {
                let repair = start_repair(&mut self.protocol, &repair_job);
                RunningJob::Rescuing { repair_job, repair }
            }
        }));
        BytesMoved::Some
    }

    /// Cancels a result that was cut.
    pub(in crate::session) fn cancel_cut_result(
        &mut self,
        context: &mut Context<'_>,
    ) -> MoveResult {
        if self.cancelling.is_none() && self.protocol.limits.wants_cancel() {
            self.cancelling = self.protocol.limits.start_cut_cancel();
        }
        let Some(cancelling) = &mut self.cancelling else {
            return Ok(BytesMoved::Nothing);
        };
        let Poll::Ready(outcome) = cancelling.as_mut().poll(context) else {
            return Ok(BytesMoved::Nothing);
        };
        self.cancelling = None;
        self.protocol.witness.telemetry.emit(&OwnCancelEnded {
            cause: CancelCause::Cut,
            outcome: outcome.into(),
        });
        match outcome {
            // It may arrive later, and meet another statement.
            CancelResult::Unanswered => Err(SessionEnd::Ended(CloseReason::UpstreamLost)),
            CancelResult::Busy | CancelResult::Failed => {
                (self.protocol.limits).cut_cancel_failed(&self.protocol.pending);
                Ok(BytesMoved::Some)
            }
            CancelResult::Forwarded | CancelResult::UnknownKey => Ok(BytesMoved::Some),
        }
    }

    fn start_judging(&mut self, large: LargeText) -> RunningJob {
        let share = self.put_aside(&large);
        let judging = judge_large_text(&mut self.protocol, &large, share);
        RunningJob::Judging { large, judging }
    }

    pub(in crate::session) fn finish_job(&mut self, context: &mut Context<'_>) -> MoveResult {
        // What comes of it is told by pgsieve itself: not in the middle of another message.
        if self.protocol.is_amid_unasked() {
            return Ok(BytesMoved::Nothing);
        }
        match self.running_job.take().map(|running_job| *running_job) {
            None => return Ok(BytesMoved::Nothing),
            Some(RunningJob::Judging { large, mut judging }) => {
                match judging.as_mut().poll(context) {
                    Poll::Ready(Some(mut judged)) => {
                        self.take_back(&mut judged);
                        let again = large_text_judged(&mut self.protocol, large, judged)?;
                        self.running_job = again.map(|large| Box::new(self.start_judging(large)));
                    }
                    Poll::Ready(None) => return Err(SessionEnd::Ended(CloseReason::Internal)),
                    Poll::Pending => {
                        self.running_job = Some(Box::new(RunningJob::Judging { large, judging }));
                        return Ok(BytesMoved::Nothing);
                    }
                }
            }
            Some(RunningJob::Rescuing {
                repair_job,
                mut repair,
            }) => match repair.as_mut().poll(context) {
                Poll::Ready(outcome) => repair_finished(&mut self.protocol, repair_job, outcome)?,
                Poll::Pending => {
                    self.running_job = Some(Box::new(RunningJob::Rescuing { repair_job, repair }));
                    return Ok(BytesMoved::Nothing);
                }
            },
        }
        Ok(BytesMoved::Some)
    }
}
