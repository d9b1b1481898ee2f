//! The answer to a question for a plan, frame by frame, and what becomes of what waited for it.

use std::borrow::Cow;
use std::time::Duration;

use bytes::BytesMut;

use super::question::{Asking, End, Subject, Waiting, head_of};
use crate::gate::{Parameters, Refusal};
use crate::session::arrival::Arrival;
use crate::session::pending::{Owed, Skipped};
use crate::session::protocol::{Conversation, Ending, Intake};
use crate::session::repair::notices;
use crate::session::reply::Farewell;
use crate::session::server::{Fate, UNREADABLE};
use crate::telemetry::events::PlanAsked;
use crate::telemetry::labels::{Path, Tripwire};
use crate::telemetry::sqlstate_code::Code;
use crate::upstream::tripwire;
use crate::wire::backend::{self, Fields, TransactionStatus, error_fields};
use crate::wire::encode;
use crate::wire::frame::{Cut, Header, Phase, cut_frontend};

impl Conversation {
    /// Takes the row with a plan, of which the end may not have come yet and is not needed.
    pub(in crate::session) fn takes_plan(&mut self, rest: &[u8], header: &Header) -> Taken {
        if header.kind != b'D' {
            return Taken::NoPlan;
        }
        let Some(Owed::Plan(asking)) = self.journal.head() else {
            return Taken::NoPlan;
        };
        let Some(head) = head_of(rest, header) else {
            return Taken::Later;
        };
        asking.row(head);
        self.dropping = header.total;
        Taken::Now
    }

    /// A frame of the answer to pgsieve's own question.
    pub(in crate::session) fn plan_answered(
        &mut self,
        kind: u8,
        body: &[u8],
    ) -> Result<Fate, Ending> {
        let Some(Owed::Plan(asking)) = self.journal.head() else {
            return Err(UNREADABLE);
        };
        match kind {
            b'1' => asking.parsed(),
            b'2' => {}
            b'3' => {
                if asking.closed() && asking.end == End::Flush {
                    if asking.is_of_bind() {
                        self.conclude()?;
                    } else {
                        // A Query ends what was open. Servers from 18 on would take it into the
                        // implicit transaction of the question, and leave that unfinished.
                        asking.end = End::Sync;
                        self.outbox.sync_message();
                        self.standing.unsynced = false;
                        self.names.sync();
                        self.quotas.sync();
                    }
                }
            }
            b'C' => {
                let tag = backend::command_tag(body).map_err(|_| UNREADABLE)?;
                if !tripwire::is_tag_of_read(tag) {
                    return Err(Ending::Tripped(Tripwire::WriteTag));
                }
                asking.completed();
                if let Some(measure) = asking.next_cursor() {
                    self.quotas.cursor_measured(&measure, tag != NO_ROW);
                }
            }
            b'N' => {
                let fields = error_fields(body).map_err(|_| UNREADABLE)?;
                asking.noticed(fields, self.gate.policy());
            }
            b'A' => return Ok(Fate::Kept),
            b'S' => return self.setting_reported(body),
            b'E' => return self.plan_failed(body),
            b'Z' => {
                let status = backend::ready_for_query(body).map_err(|_| UNREADABLE)?;
                self.standing.status = status;
                self.settle_settings(status);
                self.conclude()?;
            }
            b'G' | b'W' => return Err(Ending::Tripped(Tripwire::CopyInAsked)),
            _ => return Err(UNREADABLE),
        }
        Ok(Fate::Swallowed)
    }

    fn plan_failed(&mut self, body: &[u8]) -> Result<Fate, Ending> {
        let fields = error_fields(body).map_err(|_| UNREADABLE)?;
        let code = Code::from_bytes(fields.bytes(b'C').unwrap_or_default());
        if fields.severity() != Some("ERROR") {
            self.ended_by_upstream = Some(code);
            return Ok(Fate::Kept);
        }
        let is_idle = self.standing.status == TransactionStatus::Idle;
        let said = fields.sqlstate().unwrap_or_default();
        if let Some(Owed::Plan(asking)) = self.journal.head()
            && asking.end == End::Sync
            && !asking.is_of_bind()
            && asking.is_parsing()
            && is_idle
            && !notices::is_of_the_moment(said)
        {
            asking.fail();
            return Ok(Fate::Swallowed);
        }
        let Some(Owed::Plan(asking)) = self.journal.pop() else {
            return Err(UNREADABLE);
        };
        self.suspect(code);
        self.doubt_settings();
        self.quotas.doubt_cursors();
        self.tell_failure(*asking, fields, code)?;
        Ok(Fate::Swallowed)
    }

    /// The statement has failed: its plan could not be made.
    fn tell_failure(
        &mut self,
        mut asking: Asking,
        fields: Fields<'_>,
        code: Code,
    ) -> Result<(), Ending> {
        let took = self.record(&asking);
        self.reply.extend_from_slice(&asking.take_notices());
        while let Some(measure) = asking.next_cursor() {
            self.quotas.lose_cursor(&measure);
        }
        let mut moved = BytesMut::new();
        encode::error_moved(&mut moved, fields, asking.shift());
        let told = asking.told(&moved, self.gate.policy());
        let fields = error_fields(&told).map_err(|_| UNREADABLE)?;
        match asking.subject {
            Subject::Query(waiting) => {
                let mut running = waiting.into_running(took);
                running.trace = self.take_trace();
                let heard = (&mut self.reply, &self.loudness);
                if matches!(running.failed(heard, fields, code), Fate::Kept) {
                    encode::told(&mut self.reply, b'E', &told);
                }
                self.finished(&running);
                if asking.end == End::Flush {
                    self.outbox.sync_message();
                    self.standing.unsynced = false;
                    self.names.sync();
                }
                // What is left of the answer is what is left of a Sync's.
                self.journal.push(Owed::Sync);
                self.intake = Intake::Open;
            }
            Subject::Bind(..) => {
                encode::told(&mut self.reply, b'E', &told);
                if asking.end == End::Sync {
                    return Err(UNREADABLE);
                }
                if self.skip_pipeline(true) == Skipped::SyncNotSentYet {
                    self.skip_from_now();
                }
            }
        }
        Ok(())
    }

    /// All has been answered: what waited goes on, or is refused.
    fn conclude(&mut self) -> Result<(), Ending> {
        let Some(Owed::Plan(asking)) = self.journal.pop() else {
            return Err(UNREADABLE);
        };
        let took = self.record(&asking);
        if self.intake != Intake::Planning {
            self.drop_trace();
            return Ok(());
        }
        self.intake = Intake::Open;
        if !asking.is_of_cursors() {
            self.plan_took = Some(took);
        }
        self.look_around();
        let done = self.go_on(*asking);
        self.look_away();
        done
    }

    fn go_on(&mut self, asking: Asking) -> Result<(), Ending> {
        if asking.is_of_cursors() {
            return match asking.subject {
                Subject::Query(waiting) => self.send_waiting(*waiting, Next::Plan),
                Subject::Bind(..) => Ok(()),
            };
        }
        let weighed = match asking.has_failed() {
            true if asking.is_blank() => Ok(()),
            // Statements of the same message run before the one that will fail.
            true => self.weigh(asking.plan_before(), asking.fingerprint()),
            false => {
                self.remember(&asking);
                self.weigh(asking.plan(), asking.fingerprint())
            }
        };
        match (asking.subject, weighed) {
            (Subject::Query(waiting), Ok(())) => self.send_waiting(*waiting, Next::Run),
            (Subject::Query(waiting), Err(refusal)) => {
                let facts = std::sync::Arc::clone(waiting.permit.facts());
                self.refuse_permitted(&facts, refusal, waiting.manner.arrived)
            }
            (Subject::Bind(..), Ok(())) => Ok(()),
            (Subject::Bind(facts, _), Err(refusal)) => {
                let judged = Some((facts, Arrival::at(asking.since)));
                self.refuse_message(refusal, judged, Path::Bind)
            }
        }
    }

    /// A Query goes on as it was judged; where that would be judged otherwise now, it is judged,
    /// and asked about, anew.
    fn send_waiting(&mut self, waiting: Waiting, next: Next) -> Result<(), Ending> {
        let Waiting {
            frame,
            permit,
            lowered,
            mut manner,
            allowance,
            ..
        } = waiting;
        let Cut::Whole(frame) = cut_frontend(&frame, Phase::Session)? else {
            return Err(LOST_COUNT);
        };
        if permit.facts().grounds == self.names.grounds() {
            let how = (manner, allowance);
            return match next {
                Next::Plan => self.plan_measured(&frame, (permit, lowered), how),
                Next::Run => self.send_query(&frame, &permit, lowered, how),
            };
        }
        // What is judged anew has the call no more.
        if manner.is_asked_without_end() || permit.facts().signal.get().is_some() {
            let refusal = Refusal::of_change_without_end();
            return self.refuse_permitted(permit.facts(), refusal, manner.arrived);
        }
        let text = Cow::Borrowed(permit.original());
        let judgement = self.gate.judge_with(text, &Parameters::open(), &self.names);
        self.settle_query(&frame, judgement, manner.paid())
    }

    fn remember(&self, asking: &Asking) {
        if let (Some(key), Some(plan)) = (asking.key, asking.plan()) {
            let mut plans = self
                .plans
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            plans.keep(key, plan);
        }
    }

    /// How long a plan took is put on record.
    fn record(&mut self, asking: &Asking) -> Duration {
        let latency = asking.since.elapsed();
        if !asking.is_of_cursors() {
            self.telemetry.emit(&PlanAsked { latency });
            self.note_asked(asking.since, asking.is_of_bind());
        }
        latency
    }
}

/// What comes after the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Perhaps another one, for its plan.
    Plan,
    /// Nothing: it runs.
    Run,
}

/// Whether a row was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum Taken {
    /// It is something else.
    NoPlan,
    /// It was; what is left of it is dropped.
    Now,
    /// Too little of it has come.
    Later,
}

/// The tag of a MOVE that has found no row.
const NO_ROW: &str = "MOVE 0";

/// Cannot happen: the frame was cut before.
const LOST_COUNT: Ending = Ending::Ended(Farewell::Internal);
