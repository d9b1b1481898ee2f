//! A statement that is under way, with what its answer brings and what its event will need.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;

use crate::gate::{Certainty, Facts, Rule};
use crate::session::arrival::StatementArrival;
use crate::session::context::client_settings::{ClientSettings, ClientSettingsChange};
use crate::session::failure_hint::cited_knowledge::CitableText;
use crate::session::lowered_settings::LoweredText;
use crate::session::pending::sent_text::SentText;
use crate::session::policy_limits::result_limit::ResultAllowance;
use crate::session::pooling::named::SentParse;
use crate::session::pooling::pool_side::PoolSide;
use crate::session::receipts::draft::ReceiptDraft;
use crate::session::repair::notices::{ErrorDelivery, OnError, PendingNotice};
use crate::session::server::error_rewrite::SubstitutedText;
use crate::session::server::forwarding::Forwarding;
use crate::session::signal_calls::SignalCallState;
use crate::telemetry::events::StatementFinished;
use crate::telemetry::labels::{ProtocolPath, StatementOutcome};
use crate::telemetry::session_info::SessionInfo;
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::telemetry::traces::StatementTrace;
use crate::wire::backend::ResponseFields;

/// A statement that is being run or prepared, with what its event will need.
#[derive(Debug)]
pub struct InFlight {
    /// What the gate found in it.
    pub facts: Arc<Facts>,
    /// Which protocol path it came on.
    pub path: ProtocolPath,
    /// When it came, and how long it waited before pgsieve looked at it.
    pub arrived: StatementArrival,
    /// How long pgsieve took to judge it.
    pub gate: Duration,
    /// How long it waited for its plan, where that was asked for.
    pub plan: Option<Duration>,
    /// Rows that passed so far.
    pub rows: u64,
    /// Bytes of answer that passed so far.
    pub bytes: u64,
    /// SQLSTATE of the upstream's error, when it ended in one.
    pub sqlstate: Option<SqlstateCode>,
    /// What the gate said.
    pub outcome: StatementOutcome,
    /// Rules that would have stopped it as it ran and are only observed, each once.
    pub observed: Vec<Rule>,
    /// A notice that the client gets before the statement's completion.
    pub notice: Option<Box<PendingNotice>>,
    /// What the client gets where it fails.
    pub on_error: OnError,
    /// Whether a failure may be held back while a repair is looked for.
    pub text_retained: TextRetained,
    /// Its text, where a failure may cite a record about what is in it.
    pub citable_text: Option<CitableText>,
    /// Its text as the client sent it, where that is kept should it fail.
    pub sent_text: Option<SentText>,
    /// How often it was sent before.
    pub tries: u32,
    /// What it does to the settings by which the client speaks to pgsieve.
    pub client_settings: Option<ClientSettingsChange>,
    /// The text that runs in the place of its own, where that is another one.
    pub another: Option<Box<SubstitutedText>>,
    /// Whether it has run once it succeeded: a portal that is at its end does nothing.
    pub runs: Certainty,
    /// What it may bring, and what it holds meanwhile.
    pub allowance: ResultAllowance,
    /// The call that was taken out of it, where pgsieve carries one out.
    pub calling: Option<Box<SignalCallState>>,
    /// What its row says, where it is a question that pgsieve answers.
    pub role_answer: Option<&'static str>,
    /// The rule that ended its result.
    pub cut_by: Option<Rule>,
    /// How many of its statements are done.
    pub statements_done: u32,
    /// Its span, where it is sampled.
    pub trace: Option<Box<StatementTrace>>,
    /// What its receipt will say, where there are receipts.
    pub receipt: Option<Box<ReceiptDraft>>,
    /// What it prepares, where it is a Parse of a session that shares its connections.
    pub prepares: Option<Box<SentParse>>,
    /// Whose it is, where the session is under another policy by now than it was judged by.
    pub info: Option<Arc<SessionInfo>>,
}

/// Whether the client's own words of a statement are kept until its answer begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextRetained {
    /// They are not: its failure is the client's.
    Lost,
    /// They are, and nothing stands before it: its failure may be held back.
    Kept,
}

impl InFlight {
    /// A statement that was permitted just now.
    pub fn new(
        facts: Arc<Facts>,
        path: ProtocolPath,
        arrived: StatementArrival,
        gate: Duration,
    ) -> Self {
        Self {
            calling: match path {
                ProtocolPath::Query | ProtocolPath::Execute => SignalCallState::of(&facts),
                _ => None,
            },
            facts,
            path,
            arrived,
            gate,
            plan: None,
            rows: 0,
            bytes: 0,
            sqlstate: None,
            observed: Vec::new(),
            notice: None,
            on_error: OnError::Passes,
            text_retained: TextRetained::Lost,
            citable_text: None,
            sent_text: None,
            tries: 0,
            client_settings: None,
            another: None,
            runs: Certainty::Certain,
            info: None,
            outcome: StatementOutcome::Permitted,
            allowance: ResultAllowance::boundless(),
            role_answer: None,
            cut_by: None,
            statements_done: 0,
            trace: None,
            receipt: None,
            prepares: None,
        }
    }

    /// It has succeeded: what it prepares is there.
    pub(in crate::session) fn note_prepared(&self, side: Option<&mut PoolSide>) {
        if let (Some(side), Some(parse)) = (side, &self.prepares) {
            side.prepared(parse);
        }
    }

    /// It has failed, or was skipped: nothing was prepared.
    pub(in crate::session) fn note_unprepared(&self, side: &mut PoolSide) {
        if let Some(parse) = &self.prepares {
            side.not_prepared(parse);
        }
    }

    /// Whether it is one query, which leaves nothing behind in the session.
    pub(super) fn is_plain_query(&self) -> bool {
        let facts = &self.facts;
        facts.kind.is_query() && facts.statements == 1 && facts.effects.is_empty()
    }

    /// The tag that the client waits for, where its statement at hand ran as another one with this
    /// tag: a LISTEN, or the SHOW of a receipt.
    pub fn own_tag(&self, tag: &str) -> Option<&'static str> {
        let listens = self.facts.listens.get();
        let is_listen = tag == "UNLISTEN"
            && listens.is_some_and(|listens| listens.contains(&self.statements_done));
        match is_listen {
            true => Some("LISTEN"),
            false => self.facts.asks_receipt.then_some("SHOW"),
        }
    }

    /// A setting in it was lowered; the client hears of it before the answer ends.
    pub fn notice_lowered(&mut self, lowered: Option<LoweredText>) {
        let Some(lowered) = lowered else {
            return;
        };
        if lowered.is_lowered {
            self.outcome = StatementOutcome::Clamped;
        }
        let LoweredText { notice, moved, .. } = lowered;
        self.another = SubstitutedText::lowered(self.another.take(), &moved);
        if let Some(notice) = notice {
            self.notice = Some(Box::new(PendingNotice::Clamped(notice)));
        }
    }

    /// Whether a repaired text runs in its place.
    pub(in crate::session) fn is_repaired(&self) -> bool {
        self.outcome == StatementOutcome::Repaired || self.facts.stands_in.get().is_some()
    }

    /// From its arrival until then.
    pub(in crate::session) fn time_until(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.arrived.taken) + self.arrived.queue
    }

    /// Whether rows of its answer may be pgsieve's own.
    pub(in crate::session) fn may_have_own_rows(&self) -> bool {
        self.calling.is_some()
            || self.role_answer.is_some()
            || self.facts.asks_receipt
            || self.facts.is_plan_of_models()
    }

    /// The part of its time in which it waited for its plan: an Execute arrives behind that.
    fn waited(&self) -> Duration {
        match self.path {
            ProtocolPath::Query => self.plan.unwrap_or_default(),
            _ => Duration::ZERO,
        }
    }

    /// A rule would have stopped it, and is only observed.
    pub fn observe(&mut self, rule: Rule) {
        if !self.observed.contains(&rule) {
            self.observed.push(rule);
        }
    }

    /// The event that it leaves when its answer is complete.
    pub fn event<'a>(&'a self, session: &'a SessionInfo, now: Instant) -> StatementFinished<'a> {
        let StatementArrival {
            queue,
            begun,
            cached,
            ..
        } = self.arrived;
        let sent = now.saturating_duration_since(begun);
        StatementFinished {
            session,
            path: self.path,
            kind: self.facts.kind,
            fingerprint: self.facts.fingerprint,
            outcome: self.outcome,
            rule: self.cut_by,
            subject: None,
            observed: &self.facts.observed,
            observed_running: &self.observed,
            named: self.facts.named_objects.as_deref(),
            text: self.facts.text.as_deref(),
            sent_text: self.sent_text.as_ref().map(SentText::as_str),
            queryid: None,
            receipt: None,
            sqlstate: self.sqlstate,
            rows: self.rows,
            bytes: self.bytes,
            cached,
            hint: None,
            trace: self.trace.as_deref(),
            queue,
            gate: self.gate,
            upstream: sent.saturating_sub(self.gate + self.waited()),
            plan: self.plan,
            total: self.time_until(now),
        }
    }

    /// The notice of a result that ended where the policy's LIMIT did.
    pub(in crate::session) fn default_limit_notice(&self) -> Option<PendingNotice> {
        let rows_max = *self.facts.rows_max.get()?;
        (self.rows == rows_max).then_some(PendingNotice::Cut { rows_max })
    }

    /// The upstream's error to it, or what the client gets in its place.
    pub(in crate::session) fn failed(
        &mut self,
        (reply, client_settings): (&mut BytesMut, &ClientSettings),
        fields: ResponseFields<'_>,
        sqlstate: SqlstateCode,
    ) -> Forwarding {
        if !SentText::outlives(fields) {
            self.sent_text = None;
        }
        match self.on_error.write(reply, fields, self.rows) {
            ErrorDelivery::AsItIs => {
                // A repaired statement that breaks off is announced as all others are.
                if let Some(notice) = self.notice.take() {
                    notice.write(reply, client_settings);
                }
                self.sqlstate = Some(sqlstate);
                Forwarding::Forward
            }
            ErrorDelivery::Instead(sqlstate) => {
                self.sqlstate = Some(sqlstate);
                Forwarding::Drop
            }
        }
    }
}
