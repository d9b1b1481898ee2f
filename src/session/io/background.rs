//! What a relay waits for beside its two sockets: a large text that is judged or a statement that
//! is rescued on another thread, and the cancel of a result that was cut.

use std::task::{Context, Poll};

use super::{Moved, Relay, Turn};
use crate::session::protocol::Ending;
use crate::session::repair::executor::Rescuing;
use crate::session::repair::{Errand, Patient};
use crate::session::reply::Farewell;
use crate::session::scheduling::large_text::{Judging, Large};
use crate::telemetry::events::OwnCancelEnded;
use crate::telemetry::labels::CancelCause;
use crate::upstream::cancel::CancelOutcome;
use crate::waits::Wait;

/// What is being done on another thread.
pub(in crate::session) enum Elsewhere {
    /// A large text is judged.
    Judging { large: Large, judging: Judging },
    /// A statement is rescued.
    Rescuing {
        patient: Box<Patient>,
        rescuing: Rescuing,
    },
}

impl Elsewhere {
    /// What the session waits for by it.
    pub(in crate::session) fn wait(&self) -> Wait {
        match self {
            Self::Judging { .. } => Wait::Judgement,
            Self::Rescuing { .. } => Wait::Repair,
        }
    }
}

impl Relay {
    pub(in crate::session) fn start_elsewhere(&mut self) -> Moved {
        let Some(errand) = self.conversation.take_errand() else {
            return Moved::Nothing;
        };
        self.elsewhere = Some(Box::new(match errand {
            Errand::Judge(large) => self.judge_elsewhere(large),
            Errand::Rescue(patient) => {
                let rescuing = self.conversation.rescue_elsewhere(&patient);
                Elsewhere::Rescuing { patient, rescuing }
            }
        }));
        Moved::Some
    }

    /// Cancels a result that was cut.
    pub(in crate::session) fn cancel(&mut self, context: &mut Context<'_>) -> Turn {
        if self.cancelling.is_none() && self.conversation.wants_cancel() {
            self.cancelling = self.conversation.cancel_elsewhere();
        }
        let Some(cancelling) = &mut self.cancelling else {
            return Ok(Moved::Nothing);
        };
        let Poll::Ready(outcome) = cancelling.as_mut().poll(context) else {
            return Ok(Moved::Nothing);
        };
        self.cancelling = None;
        self.conversation.telemetry.emit(&OwnCancelEnded {
            cause: CancelCause::Cut,
            outcome: outcome.into(),
        });
        match outcome {
            // It may arrive later, and meet another statement.
            CancelOutcome::Unanswered => Err(Ending::Ended(Farewell::UpstreamLost)),
            CancelOutcome::Busy | CancelOutcome::Failed => {
                self.conversation.cancel_again();
                Ok(Moved::Some)
            }
            CancelOutcome::Forwarded | CancelOutcome::UnknownKey => Ok(Moved::Some),
        }
    }

    fn judge_elsewhere(&mut self, large: Large) -> Elsewhere {
        let share = self.put_aside(&large);
        let judging = self.conversation.judge_elsewhere(&large, share);
        Elsewhere::Judging { large, judging }
    }

    pub(in crate::session) fn finish_elsewhere(&mut self, context: &mut Context<'_>) -> Turn {
        // What comes of it is told by pgsieve itself: not in the middle of another message.
        if self.conversation.is_amid_unasked() {
            return Ok(Moved::Nothing);
        }
        match self.elsewhere.take().map(|elsewhere| *elsewhere) {
            None => return Ok(Moved::Nothing),
            Some(Elsewhere::Judging { large, mut judging }) => match judging.as_mut().poll(context)
            {
                Poll::Ready(Some(mut judged)) => {
                    self.take_back(&mut judged);
                    let again = self.conversation.judged_elsewhere(large, judged)?;
                    self.elsewhere = again.map(|large| Box::new(self.judge_elsewhere(large)));
                }
                Poll::Ready(None) => return Err(Ending::Ended(Farewell::Internal)),
                Poll::Pending => {
                    self.elsewhere = Some(Box::new(Elsewhere::Judging { large, judging }));
                    return Ok(Moved::Nothing);
                }
            },
            Some(Elsewhere::Rescuing {
                patient,
                mut rescuing,
            }) => match rescuing.as_mut().poll(context) {
                Poll::Ready(outcome) => self.conversation.rescued(patient, outcome)?,
                Poll::Pending => {
                    self.elsewhere = Some(Box::new(Elsewhere::Rescuing { patient, rescuing }));
                    return Ok(Moved::Nothing);
                }
            },
        }
        Ok(Moved::Some)
    }
}
