//! How a refusal takes its place in the order of answers.
//!
//! When nothing is under way pgsieve answers alone. Otherwise the upstream gets a statement that is
//! sure to fail in the place of the refused one: it then puts its transaction, and its skipping to
//! Sync, into exactly the state that an ordinary error leaves, and its error is exchanged for the
//! refusal.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::arrival::StatementArrival;
use super::client::UNSENDABLE;
use super::pending::ExpectedReply;
use super::protocol::{ClientState, CopyLeftovers, SessionEnd, SessionProtocol};
use super::reply;
use crate::gate::{Facts, PreparedStatement, Refusal, StatementKind};
use crate::limits;
use crate::telemetry::events::StatementFinished;
use crate::telemetry::labels::{ProtocolPath, StatementOutcome};
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::wire::backend::TransactionStatus;
use crate::wire::encode;
use crate::wire::malformed::MalformedMessage;

impl SessionProtocol {
    /// Refuses a message that is answered by an error and ReadyForQuery.
    pub(super) fn refuse_query(
        &mut self,
        mut refusal: Box<Refusal>,
        judged: Option<(Arc<Facts>, StatementArrival)>,
        path: ProtocolPath,
    ) -> Result<(), SessionEnd> {
        refusal.sqlstate = self.judge.gate.policy().sqlstate_of(refusal.sqlstate);
        self.report_refusal(&refusal, judged, path);
        self.note_rest();
        if self.answers_alone() {
            reply::refusal(&mut self.client.reply, &refusal);
            encode::ready_for_query(&mut self.client.reply, self.upstream.transaction.status);
        } else {
            self.upstream
                .outbox
                .failing_query()
                .map_err(|_| UNSENDABLE)?;
            self.repair.retained.skip_query();
            self.upstream.transaction.unsynced = false;
            self.pending.push(ExpectedReply::RefusedQuery(refusal));
        }
        Ok(())
    }

    /// Refuses a message of the extended protocol: an error, then everything up to Sync is skipped.
    pub(super) fn refuse_message(
        &mut self,
        refusal: Box<Refusal>,
        judged: Option<(Arc<Facts>, StatementArrival)>,
        path: ProtocolPath,
    ) -> Result<(), SessionEnd> {
        self.refuse_and_drop(refusal, judged, path, None)
    }

    /// Refuses a Parse. One that fails takes the unnamed statement away, whatever it was before.
    pub(super) fn refuse_parse(
        &mut self,
        name: &str,
        refusal: Box<Refusal>,
        judged: Option<(Arc<Facts>, StatementArrival)>,
    ) -> Result<(), SessionEnd> {
        let unnamed = match name {
            "" => self.context.names.prepared(name).cloned(),
            _ => None,
        };
        if unnamed.is_some() {
            self.context.names.remove_prepared(name);
        }
        self.refuse_and_drop(refusal, judged, ProtocolPath::Parse, unnamed)
    }

    fn refuse_and_drop(
        &mut self,
        mut refusal: Box<Refusal>,
        judged: Option<(Arc<Facts>, StatementArrival)>,
        path: ProtocolPath,
        unnamed: Option<PreparedStatement>,
    ) -> Result<(), SessionEnd> {
        refusal.sqlstate = self.judge.gate.policy().sqlstate_of(refusal.sqlstate);
        self.report_refusal(&refusal, judged, path);
        self.note_rest();
        if self.answers_alone() {
            reply::refusal(&mut self.client.reply, &refusal);
            self.client.state = ClientState::SkipToSyncAlone;
        } else {
            let sent = match unnamed {
                Some(_) => self.upstream.outbox.failing_unnamed_parse(),
                None => self.upstream.outbox.failing_parse(),
            };
            sent.map_err(|_| UNSENDABLE)?;
            self.repair.retained.stop_retaining();
            self.upstream.transaction.open_batch();
            self.pending
                .push(ExpectedReply::RefusedMessage { refusal, unnamed });
            self.client.state = ClientState::SkipToSync;
        }
        Ok(())
    }

    fn report_refusal(
        &mut self,
        refusal: &Refusal,
        judged: Option<(Arc<Facts>, StatementArrival)>,
        path: ProtocolPath,
    ) {
        let now = Instant::now();
        // The snapshot that has no such name may be older than the name.
        self.suspect_catalog(SqlstateCode::from(refusal.sqlstate));
        let (facts, arrived) = match &judged {
            Some((facts, arrived)) => (Some(facts), *arrived),
            None => (None, self.client.inflow.arrival()),
        };
        let trace = self.witness.trace_refused(path, &arrived);
        let plan = self.plan.took.take();
        // An Execute comes behind the plan that was asked for at its Bind.
        let waited = match path {
            ProtocolPath::Execute => Duration::ZERO,
            _ => plan.unwrap_or_default(),
        };
        let judging = now.saturating_duration_since(arrived.begun);
        let total = now.saturating_duration_since(arrived.taken) + arrived.queue;
        self.witness.telemetry.finished(&StatementFinished {
            session: &self.witness.info,
            path,
            kind: facts.map_or(StatementKind::Unparsed, |facts| facts.kind),
            fingerprint: facts.and_then(|facts| facts.fingerprint),
            outcome: StatementOutcome::Refused,
            rule: Some(refusal.rule),
            subject: subject_of(refusal, facts),
            observed: &[],
            observed_running: &[],
            named: facts.and_then(|facts| facts.named_objects.as_deref()),
            text: facts.and_then(|facts| facts.text.as_deref()),
            queryid: None,
            sqlstate: Some(SqlstateCode::from(refusal.sqlstate)),
            rows: 0,
            bytes: 0,
            cached: arrived.cached,
            hint: Some(refusal.fixed_hint),
            trace: trace.as_deref(),
            queue: arrived.queue,
            gate: judging.saturating_sub(waited),
            upstream: Duration::ZERO,
            plan,
            total,
        });
    }

    pub(super) fn refuse_undecodable(&mut self, kind: u8) -> Result<(), SessionEnd> {
        let refusal = Refusal::of_not_utf8();
        if kind == b'Q' {
            self.refuse_query(refusal, None, ProtocolPath::Query)
        } else {
            self.refuse_message(refusal, None, ProtocolPath::Parse)
        }
    }

    /// Refuses a message that nobody will read: there is no memory for it.
    pub(super) fn refuse_oversized(&mut self, kind: u8) -> Result<(), SessionEnd> {
        let refusal = Refusal::of_no_memory();
        match kind {
            b'Q' => self.refuse_query(refusal, None, ProtocolPath::Query),
            b'F' => self.refuse_query(refusal, None, ProtocolPath::FunctionCall),
            b'P' => self.refuse_message(refusal, None, ProtocolPath::Parse),
            _ => self.refuse_message(refusal, None, ProtocolPath::Bind),
        }
    }

    /// Whether a message of this kind is dropped, whatever it says: it need not be held.
    pub(super) fn drops_unread(&self, kind: u8) -> bool {
        kind == b'd' || (self.is_skipping() && kind != b'S' && kind != b'X')
    }

    pub(super) fn is_skipping(&self) -> bool {
        matches!(
            self.client.state,
            ClientState::SkipToSync | ClientState::SkipToSyncAlone
        )
    }

    /// Nothing is owed and no transaction is open, not even an implicit one.
    pub(super) fn answers_alone(&self) -> bool {
        self.pending.is_empty()
            && !self.upstream.transaction.unsynced
            && self.upstream.transaction.status == TransactionStatus::Idle
    }

    /// The data of a COPY that is refused may still arrive.
    pub(super) fn expect_copy_leftovers(
        &mut self,
        refused: Option<&(Arc<Facts>, StatementArrival)>,
    ) {
        if refused.is_some_and(|(facts, _)| facts.kind == StatementKind::Copy) {
            self.client.copy_leftovers = CopyLeftovers::Tolerated {
                left: limits::COPY_LEFTOVERS_MAX,
            };
        }
    }

    /// Copy-in never starts here; Postgres, too, drops what arrives after a COPY that failed.
    pub(super) fn copy_leftover(&mut self, kind: u8) -> Result<(), SessionEnd> {
        match &mut self.client.copy_leftovers {
            CopyLeftovers::Tolerated { left } if *left > 0 => {
                *left -= 1;
                Ok(())
            }
            CopyLeftovers::Tolerated { .. } | CopyLeftovers::Unexpected => {
                Err(MalformedMessage::UnknownType { kind }.into())
            }
        }
    }
}

/// What a refusal is about, where names are recorded.
fn subject_of<'r>(refusal: &'r Refusal, facts: Option<&Arc<Facts>>) -> Option<&'r str> {
    let are_recorded = facts.is_some_and(|facts| facts.named_objects.is_some());
    refusal.subject.as_deref().filter(|_| are_recorded)
}
