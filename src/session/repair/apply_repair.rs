//! What comes of a rescue: a changed text is sent, the client's own, or its error is told.

use std::borrow::Cow;

use bytes::Bytes;

use super::notices;
use super::notices::{Notice, OnError};
use super::{Batch, Cause, Patient, Rescued};
use crate::gate::{Judgement, Parameters, ReadPermit, Verdict};
use crate::limits;
use crate::repair::{Advice, Ending as Found, Outcome, Repaired};
use crate::session::arrival::Arrival;
use crate::session::pending::{Owed, Running, Stake};
use crate::session::policy_limits::Fee;
use crate::session::protocol::{Conversation, Ending, Intake};
use crate::session::reply::Farewell;
use crate::session::scheduling::large_text::text_of;
use crate::sqlstate;
use crate::telemetry::events::{StatementRepaired, StatementRetried};
use crate::telemetry::labels::{Outcome as Said, Path};
use crate::telemetry::sqlstate_code::Code;
use crate::telemetry::traces::Work;
use crate::wire::backend::{TransactionStatus, error_fields};
use crate::wire::encode;
use crate::wire::frame::{Cut, Phase, cut_frontend};
use crate::wire::frontend::{self, Frontend, Parse};

/// How a statement is sent.
pub struct Manner {
    /// When it came.
    pub(in crate::session) arrived: Arrival,
    notice: Option<Box<Notice>>,
    on_error: OnError,
    care: Care,
    /// How often it was sent before.
    tries: u32,
    /// How often its plan was asked for.
    asked: u32,
    fee: Fee,
}

/// Whether something was looked for already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Care {
    /// A failure may still be held back.
    Due,
    /// It has had its rescue.
    Done,
}

impl Manner {
    /// As the client sent it.
    pub(in crate::session) fn plain(arrived: Arrival) -> Self {
        Self {
            arrived,
            notice: None,
            on_error: OnError::Passes,
            care: Care::Due,
            tries: 0,
            asked: 0,
            fee: Fee::Due,
        }
    }

    /// As the client sent it, after a rescue that changed nothing.
    fn advised(arrived: Arrival, advice: Advice) -> Self {
        Self {
            on_error: OnError::advised(advice),
            care: Care::Done,
            ..Self::plain(arrived)
        }
    }

    /// A changed text, with what the client gets should it fail as well.
    fn repaired(arrived: Arrival, notice: Box<Notice>, on_error: OnError) -> Self {
        Self {
            arrived,
            notice: Some(notice),
            on_error,
            care: Care::Done,
            tries: 0,
            asked: 0,
            fee: Fee::Due,
        }
    }

    /// The same for a statement that was sent before.
    pub(in crate::session) fn paid(self) -> Self {
        Self {
            fee: Fee::Paid,
            ..self
        }
    }

    /// Whether it still has to be counted among those of its user.
    pub(in crate::session) fn fee(&self) -> Fee {
        self.fee
    }

    /// Whether a failure may still be held back.
    pub(in crate::session) fn cares(&self) -> bool {
        self.care == Care::Due
    }

    /// Its plan is asked for once more; says whether that goes on for too long.
    pub(in crate::session) fn is_asked_without_end(&mut self) -> bool {
        self.asked += 1;
        self.asked > limits::PLANS_ASKED_ANEW_MAX
    }

    /// Marks the statement that is sent in this manner.
    pub(in crate::session) fn mark(self, running: &mut Running, stake: Stake) {
        running.stake = stake;
        running.tries = self.tries;
        running.on_error = self.on_error;
        if let Some(notice) = self.notice {
            running.notice = Some(notice);
            running.outcome = Said::Repaired;
            // What is prepared now is a repaired statement each time it runs.
            running.facts.stands_in.get_or_init(|| ());
        }
    }
}

impl Conversation {
    /// A rescue has come back.
    ///
    /// # Errors
    /// The reason to end the session.
    pub fn rescued(&mut self, patient: Box<Patient>, rescued: Rescued) -> Result<(), Ending> {
        if let Rescued::Ended(outcome, _) = &rescued {
            self.record_rescue(&patient, outcome);
        }
        if self.intake == Intake::JudgingInVain {
            self.intake = Intake::SkipToSync;
        }
        if self.intake != Intake::Judging {
            self.drop_trace();
            return Ok(());
        }
        self.intake = Intake::Open;
        self.retake_trace();
        if let Rescued::Ended(outcome, marks) = &rescued {
            self.trace_attempts(&outcome.attempts, marks);
        }
        self.take_over_policies()?;
        self.look_around();
        let discharged = match rescued {
            Rescued::Ended(outcome, _) => self.discharge(*patient, outcome.ending),
            Rescued::Unended => self.discharge(*patient, Found::Failed(Advice::default())),
            Rescued::Cancelled => self.discharge_cancelled(*patient),
            Rescued::Paused => self.send_again(*patient),
        };
        let discharged = discharged.and_then(|()| self.replay());
        self.look_away();
        discharged
    }

    fn discharge(&mut self, patient: Patient, found: Found) -> Result<(), Ending> {
        let Patient {
            frame,
            described,
            cause,
            arrived,
            ..
        } = patient;
        let arrived = arrived.again();
        let parameters = parameters_of(&frame);
        let repaired = match found {
            Found::Repaired(repaired) => self.permit_now(repaired, &parameters),
            Found::Unneeded => Err(Advice::default()),
            Found::Failed(advice) => Err(advice),
        };
        match (cause, repaired) {
            (Cause::Refused(refusal), Ok((permit, repaired))) => {
                let on_error = OnError::replaced(notices::error_of(&refusal), &repaired.recoverers);
                let manner = Manner::repaired(arrived, repaired.notice, on_error);
                self.send(&frame, judged(permit), manner)
            }
            (Cause::Doubted, Ok((permit, repaired))) => {
                let on_error = OnError::advised(notices::exhausted(&repaired.recoverers));
                let manner = Manner::repaired(arrived, repaired.notice, on_error);
                self.send(&frame, judged(permit), manner)
            }
            (
                Cause::Failed { error, batch } | Cause::Shaken { error, batch, .. },
                Ok((permit, repaired)),
            ) => {
                if !matches!(self.journal.pop(), Some(Owed::Rescue(_))) {
                    return Err(LOST_COUNT);
                }
                let on_error = OnError::replaced(error, &repaired.recoverers);
                let manner = Manner::repaired(arrived, repaired.notice, on_error).paid();
                self.send(&frame, judged(permit), manner)?;
                self.replay_behind(batch);
                Ok(())
            }
            (Cause::Refused(_) | Cause::Doubted, Err(advice)) => {
                self.send_own(&frame, &parameters, arrived, advice)
            }
            (Cause::Failed { error, batch } | Cause::Shaken { error, batch, .. }, Err(advice)) => {
                self.reply.extend_from_slice(&described);
                self.give_error(&error, batch, &advice)
            }
        }
    }

    /// What the client has cancelled ends. What was not sent yet, and is expected to fail, goes its
    /// way: it ends by itself.
    fn discharge_cancelled(&mut self, mut patient: Patient) -> Result<(), Ending> {
        if let Cause::Failed { error, .. } | Cause::Shaken { error, .. } = &mut patient.cause {
            *error = notices::cancelled();
            if let Some(Owed::Rescue(running)) = self.journal.head() {
                running.sqlstate = Some(Code::from(sqlstate::QUERY_CANCELED));
            }
        }
        self.discharge(patient, Found::Failed(Advice::default()))
    }

    /// A statement that failed for a reason of the moment, once more.
    fn send_again(&mut self, patient: Patient) -> Result<(), Ending> {
        let Patient {
            frame,
            cause: Cause::Shaken { batch, tries, .. },
            arrived,
            ..
        } = patient
        else {
            return Err(LOST_COUNT);
        };
        let Some(Owed::Rescue(_)) = self.journal.pop() else {
            return Err(LOST_COUNT);
        };
        self.telemetry.emit(&StatementRetried);
        let manner = Manner {
            tries: tries + 1,
            ..Manner::plain(arrived.again()).paid()
        };
        let (text, parameters) = text_of(&frame).ok_or(LOST_COUNT)?;
        let text = Cow::Borrowed(text);
        self.skip_lap();
        let judgement = self.gate.judge_with(text, &parameters, &self.names);
        self.lap(Work::Judge);
        self.send(&frame, judgement, manner)?;
        self.replay_behind(batch);
        Ok(())
    }

    fn replay_behind(&mut self, batch: Batch) {
        if let Batch::Whole(rest) | Batch::Open(rest) = batch {
            self.put_before_all(rest);
        }
    }

    /// The client's own text after all, judged by what is known now.
    fn send_own(
        &mut self,
        frame: &Bytes,
        parameters: &Parameters,
        arrived: Arrival,
        advice: Advice,
    ) -> Result<(), Ending> {
        let Some((text, _)) = text_of(frame) else {
            return Ok(());
        };
        self.skip_lap();
        let mut judgement = (self.gate).judge_with(Cow::Borrowed(text), parameters, &self.names);
        if let Verdict::Refused(refusal) = judgement.verdict {
            judgement.verdict = Verdict::Refused(notices::advised(refusal, &advice));
        }
        self.lap(Work::Judge);
        self.send(frame, judgement, Manner::advised(arrived, advice))
    }

    fn send(
        &mut self,
        frame: &Bytes,
        judgement: Judgement<'_>,
        manner: Manner,
    ) -> Result<(), Ending> {
        let Cut::Whole(frame) = cut_frontend(frame, Phase::Session)? else {
            return Ok(());
        };
        match frontend::decode(&frame)? {
            Frontend::Query(_) => self.settle_query(&frame, judgement, manner),
            Frontend::Parse(parse) => self.settle_parse(&frame, &parse, judgement, manner),
            _ => Ok(()),
        }
    }

    /// The error that was held back, with what was learned.
    fn give_error(&mut self, error: &[u8], batch: Batch, advice: &Advice) -> Result<(), Ending> {
        let Some(Owed::Rescue(mut running)) = self.journal.pop() else {
            return Err(LOST_COUNT);
        };
        running.trace = self.take_trace();
        let fields = error_fields(error)?;
        notices::advise(&mut self.reply, fields, advice);
        self.finished(&running);
        self.note_rest();
        match batch {
            Batch::None | Batch::Whole(_) => {
                encode::ready_for_query(&mut self.reply, TransactionStatus::Idle);
            }
            Batch::Open(_) => self.intake = Intake::SkipToSyncAlone,
        }
        Ok(())
    }

    /// Takes the messages that came behind a Parse that is repaired now.
    pub(in crate::session) fn replay(&mut self) -> Result<(), Ending> {
        while self.takes_frames()
            && let Some(frames) = self.replayed.take()
        {
            let Cut::Whole(frame) = cut_frontend(&frames, Phase::Session)? else {
                return Err(LOST_COUNT);
            };
            let behind = frames.slice(frame.bytes.len()..);
            self.put_before_all(behind);
            self.frame(&frame)?;
            self.turn.spend_message();
        }
        Ok(())
    }

    /// These messages are taken before all others.
    fn put_before_all(&mut self, frames: Bytes) {
        self.replayed = (!frames.is_empty()).then(|| Box::new(frames));
    }

    /// Bytes of the messages that are taken before all others.
    pub(in crate::session) fn replayed_bytes(&self) -> usize {
        self.replayed.as_deref().map_or(0, Bytes::len)
    }

    /// Whether messages wait that were read before and are to be taken before all others.
    pub fn is_replaying(&self) -> bool {
        self.replayed.is_some()
    }

    /// A changed text may run if it may run by what is known now.
    fn permit_now(
        &self,
        repaired: Repaired,
        parameters: &Parameters,
    ) -> Result<(ReadPermit<'static>, Announced), Advice> {
        let notice = Notice::of(&repaired);
        let Repaired {
            permit, recoverers, ..
        } = repaired;
        let announced = Announced { notice, recoverers };
        if permit.facts().hold_on(self.names.grounds()) {
            return Ok((permit, announced));
        }
        let text = Cow::Owned(permit.original().to_owned());
        match self.gate.judge_with(text, parameters, &self.names).verdict {
            Verdict::Permitted(permit) => Ok((permit, announced)),
            Verdict::Clamped(_) | Verdict::Refused(_) => Err(Advice::default()),
        }
    }

    fn record_rescue(&self, patient: &Patient, outcome: &Outcome) {
        let path = match patient.frame.first() {
            Some(b'P') => Path::Parse,
            _ => Path::Query,
        };
        self.telemetry.emit(&StatementRepaired {
            session: &self.info,
            path,
            attempts: &outcome.attempts,
            latency: patient.since.elapsed(),
        });
    }
}

/// A repair without its permit.
struct Announced {
    notice: Box<Notice>,
    recoverers: Vec<crate::policy::Recoverer>,
}

/// The Parse of a frame that was decoded before.
pub(super) fn parse_of(frame: &[u8]) -> Option<Parse<'_>> {
    let Ok(Cut::Whole(frame)) = cut_frontend(frame, Phase::Session) else {
        return None;
    };
    match frontend::decode(&frame).ok()? {
        Frontend::Parse(parse) => Some(parse),
        _ => None,
    }
}

fn judged(permit: ReadPermit<'_>) -> Judgement<'_> {
    Judgement {
        facts: std::sync::Arc::clone(permit.facts()),
        verdict: Verdict::Permitted(permit),
    }
}

fn parameters_of(frame: &[u8]) -> Parameters {
    text_of(frame).map_or_else(Parameters::open, |(_, parameters)| parameters)
}

/// Cannot happen: the statement that is rescued is all that is owed meanwhile, and its frames were
/// read before.
const LOST_COUNT: Ending = Ending::Ended(Farewell::Internal);
