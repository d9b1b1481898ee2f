//! After a statement failed: whether its error is held back while a repair is looked for.
//!
//! It is where the statement stood alone: nothing was under way before it but the end of what the
//! client knows to have failed, no transaction is open, nothing of its answer was passed on, and
//! nothing was sent behind it but, in the extended protocol, the rest of its own batch. The
//! upstream is brought to rest first, so that whatever comes of it finds both sides as they were
//! before the statement.

use std::sync::Arc;
use std::time::Instant;

use bytes::{Buf, Bytes};

use super::apply_repair::{Manner, parse_of};
use super::preflight::is_plain_query;
use super::retained_frames::Extent;
use super::{Batch, Cause, Errand, Patient};
use crate::gate::Facts;
use crate::limits;
use crate::policy::RepairMode;
use crate::repair::{Class, Failure, Origin};
use crate::session::pending::{Owed, Running, Skipped, Stake};
use crate::session::protocol::{Conversation, Intake};
use crate::session::scheduling::large_text::text_of;
use crate::sqlstate;
use crate::telemetry::session_info::SessionInfo;
use crate::telemetry::sqlstate_code::Code;
use crate::wire::backend::{Fields, TransactionStatus, error_fields};
use crate::wire::frame::{Cut, Frame, Phase, cut_frontend, header_backend};
use crate::wire::frontend::Parse;

/// A failure that the client has not heard of; the upstream is on its way to rest.
#[derive(Debug)]
pub struct Held {
    running: Box<Running>,
    patient: Box<Patient>,
}

impl Held {
    /// Bytes of memory that its messages take.
    pub(in crate::session) fn memory(&self) -> usize {
        self.patient.memory()
    }
}

impl Conversation {
    /// Keeps a Query that is about to be sent, if its failure could be held back.
    pub(in crate::session) fn stake_query(
        &mut self,
        frame: &Frame<'_>,
        facts: &Facts,
        manner: &Manner,
    ) -> Stake {
        let is_kept = manner.cares()
            && self.repairs_frame(frame)
            && self.journal.has_only_readies()
            && !self.standing.unsynced
            && self.standing.status == TransactionStatus::Idle
            && is_plain_query(facts);
        if is_kept {
            self.retained.keep_query(frame);
            Stake::Kept
        } else {
            self.retained.pass_query();
            Stake::Lost
        }
    }

    /// The same for a Parse. Its name must be new: of one that is not, nobody could say afterwards
    /// what it stands for.
    pub(in crate::session) fn stake_parse(
        &mut self,
        frame: &Frame<'_>,
        parse: &Parse<'_>,
        facts: &Facts,
        manner: &Manner,
    ) -> Stake {
        let is_kept = manner.cares()
            && self.retained.is_fresh()
            && self.repairs_frame(frame)
            && self.standing.status == TransactionStatus::Idle
            && self.journal.has_only_ends()
            && is_plain_query(facts)
            && (parse.name.is_empty() || self.names.prepared(parse.name).is_none());
        if is_kept {
            self.retained.keep_parse(frame);
            Stake::Kept
        } else {
            self.retained.follow_parse(frame);
            Stake::Lost
        }
    }

    fn repairs_frame(&self, frame: &Frame<'_>) -> bool {
        // A frame is longer than its text.
        self.repairs_bytes(frame.body.len())
    }

    /// Holds an error back, if it may be.
    pub(in crate::session) fn hold(
        &mut self,
        fields: Fields<'_>,
        body: &[u8],
        code: Code,
    ) -> Option<Held> {
        let alone = self.stands_alone()?;
        // Asked first: what has no remedy costs no copy.
        let remedy = self.remedy(fields)?;
        let kept = self.retained.take();
        let (frame, rest) = first_frame(&kept)?;
        let batch = match alone {
            Alone::Query => Batch::None,
            Alone::Batch(Extent::Whole) => Batch::Whole(rest),
            Alone::Batch(Extent::Open) => Batch::Open(rest),
        };
        let error = Bytes::copy_from_slice(body);
        let failure = match remedy {
            Remedy::Again => None,
            Remedy::Repair => Some(failure_of(&frame, fields)?),
        };
        let (Owed::Query(mut running) | Owed::Parse(mut running)) = self.journal.pop()? else {
            return None;
        };
        running.sqlstate = Some(code);
        self.reclaim_trace(&mut running);
        if let Some(trace) = &mut running.trace {
            trace.answered();
        }
        let cause = match remedy {
            Remedy::Again => Cause::Shaken {
                error,
                batch,
                tries: running.tries,
            },
            Remedy::Repair => Cause::Failed { error, batch },
        };
        let patient = Box::new(Patient {
            frame,
            described: std::mem::take(&mut self.described),
            failure,
            cause,
            arrived: running.arrived,
            since: Instant::now(),
        });
        Some(Held { running, patient })
    }

    /// Whether a Query whose result is described here fails right behind that, and its error will
    /// be held back: then so is the description. The server describes before it runs.
    pub(in crate::session) fn withholds(&mut self, description: &[u8], behind: &[u8]) -> bool {
        if self.stands_alone() != Some(Alone::Query) {
            return false;
        }
        let Ok(Some(header)) = header_backend(behind) else {
            return false;
        };
        let body = behind.get(HEADER_BYTES..header.total);
        let is_held = match (header.kind, body.map(error_fields)) {
            (b'E', Some(Ok(fields))) if fields.severity() == Some("ERROR") => {
                self.remedy(fields).is_some()
            }
            _ => false,
        };
        if is_held {
            self.described = description.into();
        }
        is_held
    }

    /// Whether the statement that is answered now stands alone, and how.
    fn stands_alone(&mut self) -> Option<Alone> {
        let is_taken = match self.intake {
            Intake::Open => true,
            // A Bind whose statement fails is part of the batch: it was sent behind it.
            Intake::Planning => self.journal.asks_for_batch(),
            _ => false,
        };
        if !is_taken || self.standing.status != TransactionStatus::Idle {
            return None;
        }
        let is_last = self.journal.len() == 1 && !self.standing.unsynced;
        match self.journal.head()? {
            Owed::Query(running) if running.stake == Stake::Kept && running.bytes == 0 => {
                is_last.then_some(Alone::Query)
            }
            Owed::Parse(running) if running.stake == Stake::Kept => {
                self.retained.extent().map(Alone::Batch)
            }
            _ => None,
        }
    }

    /// What may be done about a failure of the statement that is answered now.
    fn remedy(&mut self, fields: Fields<'_>) -> Option<Remedy> {
        let code = fields.sqlstate()?;
        if code == sqlstate::SERIALIZATION_FAILURE.as_str() {
            let (Owed::Query(running) | Owed::Parse(running)) = self.journal.head()? else {
                return None;
            };
            let may_again = running.tries < limits::RETRIES_MAX
                && self.gate.policy().repair().mode == RepairMode::Apply;
            return may_again.then_some(Remedy::Again);
        }
        let message = fields.get(b'M').unwrap_or_default();
        Class::of(code, message).map(|_| Remedy::Repair)
    }

    /// Brings the upstream to rest behind an error that is held back.
    pub(in crate::session) fn settle_held(&mut self, held: Held) {
        if held.patient.frame.first() == Some(&b'P') {
            self.forget_failed_parse(&held.patient.frame);
            if self.skip_pipeline(false) == Skipped::SyncNotSentYet {
                self.outbox.sync_message();
                self.standing.unsynced = false;
                self.names.sync();
                self.journal.push(Owed::Sync);
            }
        } else {
            // What is left of its answer is what is left of a Sync's.
            self.journal.push(Owed::Sync);
        }
        self.intake = Intake::Judging;
        self.held = Some(Box::new(held));
    }

    /// The upstream is at rest: the rescue begins.
    pub(in crate::session) fn begin_rescue(&mut self, held: Held) {
        let Held { running, patient } = held;
        self.journal.push(Owed::Rescue(running));
        self.errand = Some(Box::new(Errand::Rescue(patient)));
    }

    /// A name that was new stands for nothing now.
    fn forget_failed_parse(&mut self, frame: &Bytes) {
        if let Some(parse) = parse_of(frame)
            && !parse.name.is_empty()
        {
            self.names.remove_prepared(parse.name);
        }
    }
}

/// How a statement stands alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Alone {
    Query,
    Batch(Extent),
}

/// What may be done about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Remedy {
    /// The same text, after a pause.
    Again,
    /// Another text.
    Repair,
}

impl Held {
    /// The session is under another policy from now on.
    pub(in crate::session) fn outlive(&mut self, info: &Arc<SessionInfo>) {
        self.running.info.get_or_insert_with(|| Arc::clone(info));
    }

    /// The statement, for its last event.
    pub(in crate::session) fn into_running(self) -> Box<Running> {
        self.running
    }
}

/// The failure of a statement, as the upstream tells it.
fn failure_of(frame: &Bytes, fields: Fields<'_>) -> Option<Failure> {
    let (text, _) = text_of(frame)?;
    let message = fields.get(b'M').unwrap_or_default();
    let position = fields.get(b'P').and_then(|place| place.parse().ok());
    let told = Failure::told(text, fields.sqlstate()?, message, position, Origin::Server)?;
    let hint = fields.get(b'H').map(str::to_owned);
    Some(Failure { hint, ..told })
}

/// The first of some frames, and the rest.
fn first_frame(kept: &Bytes) -> Option<(Bytes, Bytes)> {
    let Ok(Cut::Whole(frame)) = cut_frontend(kept, Phase::Session) else {
        return None;
    };
    let mut rest = kept.clone();
    let length = frame.bytes.len();
    let first = kept.slice(..length);
    rest.advance(length);
    Some((first, rest))
}

/// A type byte and a length.
const HEADER_BYTES: usize = 5;
