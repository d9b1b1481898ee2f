//! What the upstream still owes the client, in the order in which it was asked.
//!
//! Every message that goes upstream leaves an entry; every answer is held against the entry at the
//! head. An answer that does not fit ends the session: a proxy that has lost count can no longer
//! say which answer belongs to which statement.
//!
//! <https://www.postgresql.org/docs/current/protocol-flow.html>

pub(super) mod portal_names;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::arrival::Arrival;
use super::context::client_min_messages::Change;
use super::lowered_settings::Lowered;
use super::pending::portal_names::{Binding, Closing};
use super::plan::question::Asking;
use super::policy_limits::result_limit::Allowance;
use super::repair::notices::{Notice, OnError};
use super::server::error_rewrite::{Speaks, Substituted};
use super::signal_calls::Calling;
use crate::gate::{Facts, Prepared, Refusal, Rule, Surety};
use crate::telemetry::events::StatementFinished;
use crate::telemetry::labels::{Outcome, Path};
use crate::telemetry::session_info::SessionInfo;
use crate::telemetry::sqlstate_code::Code;
use crate::telemetry::traces::Trace;
use crate::wire::backend::TransactionStatus;

/// A statement that is being run or prepared, with what its event will need.
#[derive(Debug)]
pub struct Running {
    /// What the gate found in it.
    pub facts: Arc<Facts>,
    /// Which protocol path it came on.
    pub path: Path,
    /// When it came, and how long it waited before pgsieve looked at it.
    pub arrived: Arrival,
    /// How long pgsieve took to judge it.
    pub gate: Duration,
    /// How long it waited for its plan, where that was asked for.
    pub plan: Option<Duration>,
    /// Rows that passed so far.
    pub rows: u64,
    /// Bytes of answer that passed so far.
    pub bytes: u64,
    /// SQLSTATE of the upstream's error, when it ended in one.
    pub sqlstate: Option<Code>,
    /// What the gate said.
    pub outcome: Outcome,
    /// Rules that would have stopped it as it ran and are only observed, each once.
    pub observed: Vec<Rule>,
    /// A notice that the client gets before the statement's completion.
    pub notice: Option<Box<Notice>>,
    /// What the client gets where it fails.
    pub on_error: OnError,
    /// Whether a failure may be held back while a repair is looked for.
    pub stake: Stake,
    /// How often it was sent before.
    pub tries: u32,
    /// What it does to `client_min_messages`.
    pub loudness: Option<Change>,
    /// The text that runs in the place of its own, where that is another one.
    pub another: Option<Box<Substituted>>,
    /// Whether it has run once it succeeded: a portal that is at its end does nothing.
    pub runs: Surety,
    /// What it may bring, and what it holds meanwhile.
    pub allowance: Allowance,
    /// The call that was taken out of it, where pgsieve carries one out.
    pub calling: Option<Box<Calling>>,
    /// What its row says, where it is a question that pgsieve answers.
    pub role_answer: Option<&'static str>,
    /// The rule that ended its result.
    pub cut_by: Option<Rule>,
    /// How many of its statements are done.
    pub statements_done: u32,
    /// Its span, where it is sampled.
    pub trace: Option<Box<Trace>>,
    /// Whose it is, where the session is under another policy by now than it was judged by.
    pub info: Option<Arc<SessionInfo>>,
}

/// Whether the client's own words of a statement are kept until its answer begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stake {
    /// They are not: its failure is the client's.
    Lost,
    /// They are, and nothing stands before it: its failure may be held back.
    Kept,
}

impl Running {
    /// A statement that was permitted just now.
    pub fn new(facts: Arc<Facts>, path: Path, arrived: Arrival, gate: Duration) -> Self {
        Self {
            calling: match path {
                Path::Query | Path::Execute => Calling::of(&facts),
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
            stake: Stake::Lost,
            tries: 0,
            loudness: None,
            another: None,
            runs: Surety::Certain,
            info: None,
            outcome: Outcome::Permitted,
            allowance: Allowance::boundless(),
            role_answer: None,
            cut_by: None,
            statements_done: 0,
            trace: None,
        }
    }

    /// Whether it is one query, which leaves nothing behind in the session.
    fn is_plain_query(&self) -> bool {
        let facts = &self.facts;
        facts.kind.is_query() && facts.statements == 1 && facts.effects.is_empty()
    }

    /// A setting in it was lowered; the client hears of it before the answer ends.
    pub fn clamped(&mut self, lowered: Option<Lowered>) {
        let Some(Lowered { notice, moved, .. }) = lowered else {
            return;
        };
        self.outcome = Outcome::Clamped;
        self.another = Substituted::lowered(self.another.take(), &moved);
        if let Some(notice) = notice {
            self.notice = Some(Box::new(Notice::Clamped(notice)));
        }
    }

    /// The part of its time in which it waited for its plan: an Execute arrives behind that.
    fn waited(&self) -> Duration {
        match self.path {
            Path::Query => self.plan.unwrap_or_default(),
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
        let Arrival {
            taken,
            queue,
            begun,
            cached,
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
            named: self.facts.named.as_deref(),
            text: self.facts.text.as_deref(),
            queryid: None,
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
            total: now.saturating_duration_since(taken) + queue,
        }
    }
}

/// One answer that is still owed.
#[derive(Debug)]
pub enum Owed {
    /// A simple Query: any number of results, then ReadyForQuery.
    Query(Box<Running>),
    /// ParseComplete.
    Parse(Box<Running>),
    /// BindComplete.
    Bind(Binding),
    /// ParameterDescription, then RowDescription or NoData.
    DescribeStatement,
    /// RowDescription or NoData.
    DescribePortal,
    /// Rows, then CommandComplete, EmptyQueryResponse or PortalSuspended.
    Execute(Box<Running>),
    /// CloseComplete.
    Close(Closing),
    /// ReadyForQuery.
    Sync,
    /// The error that a refused simple Query is answered with, then ReadyForQuery.
    RefusedQuery(Box<Refusal>),
    /// The error that a refused extended message is answered with.
    RefusedMessage {
        /// The refusal.
        refusal: Box<Refusal>,
        /// The unnamed statement that a refused Parse took away, if it did.
        unnamed: Option<Prepared>,
    },
    /// pgsieve's own question whether the session is still read-only; nothing of it reaches the
    /// client.
    ReadOnlyCheck,
    /// pgsieve's own question for the plan of a statement; nothing of it reaches the client but an
    /// error.
    Plan(Box<Asking>),
    /// Whatever the upstream still says of a batch in which a result was cut: nothing of it reaches
    /// the client but its end.
    Cut(Box<Running>),
    /// Nothing of the upstream: its error to this statement is held back while a repair is looked
    /// for.
    Rescue(Box<Running>),
}

impl Owed {
    /// Whether it answers a message behind whose error the upstream skips to the next Sync.
    fn is_extended(&self) -> bool {
        match self {
            Self::Parse(_) | Self::Bind(_) | Self::DescribeStatement | Self::DescribePortal => true,
            Self::Execute(_) | Self::Close(_) | Self::RefusedMessage { .. } => true,
            Self::Query(_) | Self::RefusedQuery(_) | Self::Sync | Self::Cut(_) => false,
            Self::ReadOnlyCheck | Self::Plan(_) | Self::Rescue(_) => false,
        }
    }

    /// Whether only ReadyForQuery is still to come.
    fn is_end(&self) -> bool {
        match self {
            Self::Sync => true,
            Self::Query(running) => running.sqlstate.is_some(),
            _ => false,
        }
    }
}

/// What was sent behind a statement, the rest of its own messages aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behind {
    /// Nothing.
    Nothing,
    /// What an error of the statement does not reach.
    Batches,
    /// A Query, which an error of the statement skips.
    OfBatch,
}

/// The queue of owed answers.
#[derive(Debug, Default)]
pub struct Journal {
    owed: VecDeque<Owed>,
    /// Goes up whenever an answer is complete or will not come.
    turn: u64,
}

impl Journal {
    /// Whether nothing is owed.
    pub fn is_empty(&self) -> bool {
        self.owed.is_empty()
    }

    /// How many answers are owed.
    pub fn len(&self) -> usize {
        self.owed.len()
    }

    /// Whether the next answer is one to a question of pgsieve's own.
    pub fn is_own(&self) -> bool {
        matches!(self.owed.front(), Some(Owed::ReadOnlyCheck | Owed::Plan(_)))
    }

    /// Whether the next answer is one about a plan.
    pub fn is_asking(&self) -> bool {
        matches!(self.owed.front(), Some(Owed::Plan(_)))
    }

    /// Whether what waits for its plan, if anything does, came in the same batch as all that is
    /// owed before it: a Query ends the batches before it.
    pub fn asks_for_batch(&self) -> bool {
        match self.owed.back() {
            Some(Owed::Plan(asking)) => asking.is_of_bind(),
            _ => true,
        }
    }

    /// What is owed, the next answer first.
    pub(super) fn owed_first(&mut self) -> impl Iterator<Item = &mut Owed> {
        self.owed.iter_mut()
    }

    /// What is owed, the last one that was sent first.
    pub(super) fn owed_last(&mut self) -> impl Iterator<Item = &mut Owed> {
        self.owed.iter_mut().rev()
    }

    /// Adds an entry behind all others.
    pub fn push(&mut self, owed: Owed) {
        self.owed.push_back(owed);
    }

    /// Which text the upstream speaks of when it says something now.
    pub fn spoken_of(&self) -> Speaks<'_> {
        match self.owed.front() {
            Some(Owed::Query(running) | Owed::Parse(running) | Owed::Execute(running)) => {
                Speaks::of(running.another.as_deref(), &running.facts)
            }
            Some(Owed::Plan(asking)) => asking.spoken_of(),
            Some(Owed::Bind(binding)) => match &binding.another {
                Some(another) => Speaks::OfAnother(another),
                None => Speaks::OfOwn,
            },
            Some(Owed::DescribeStatement | Owed::DescribePortal | Owed::Sync | Owed::Cut(_)) => {
                Speaks::OfUnknown(None)
            }
            Some(
                Owed::Close(_)
                | Owed::RefusedQuery(_)
                | Owed::RefusedMessage { .. }
                | Owed::ReadOnlyCheck
                | Owed::Rescue(_),
            )
            | None => Speaks::OfOwn,
        }
    }

    /// Puts an entry before all others.
    pub fn push_front(&mut self, owed: Owed) {
        self.owed.push_front(owed);
    }

    /// The entry behind the head.
    pub fn second(&self) -> Option<&Owed> {
        self.owed.get(1)
    }

    /// The entry that the next answer must fit.
    pub fn head(&mut self) -> Option<&mut Owed> {
        self.owed.front_mut()
    }

    /// The same, to look at.
    pub fn front(&self) -> Option<&Owed> {
        self.owed.front()
    }

    /// Which answer it is that is owed: another number, another one.
    pub fn turn(&self) -> u64 {
        self.turn
    }

    /// Takes the head off.
    pub fn pop(&mut self) -> Option<Owed> {
        self.turn = self.turn.wrapping_add(1);
        self.owed.pop_front()
    }

    /// After an error in the extended protocol: takes off what the upstream will skip, up to but
    /// not including the next Sync. Says whether that Sync was there, and hands out the rest.
    pub fn skip_to_sync(&mut self) -> (Skipped, VecDeque<Owed>) {
        self.turn = self.turn.wrapping_add(1);
        match self.owed.iter().position(|owed| matches!(owed, Owed::Sync)) {
            Some(sync) => {
                let rest = self.owed.split_off(sync);
                (Skipped::SyncIsOwed, std::mem::replace(&mut self.owed, rest))
            }
            None => (Skipped::SyncNotSentYet, std::mem::take(&mut self.owed)),
        }
    }

    /// What was sent behind a statement that was taken off the head, a Query or not.
    pub fn behind(&self, is_query: bool) -> Behind {
        let is_of_batch = |owed: &&Owed| owed.is_extended() || matches!(owed, Owed::Plan(_));
        let of_batch = self.owed.iter().take_while(is_of_batch);
        let of_batch = if is_query { 0 } else { of_batch.count() };
        let mut rest = self.owed.iter().skip(of_batch);
        match rest.next() {
            None => Behind::Nothing,
            Some(_) if is_query => Behind::Batches,
            Some(Owed::Sync) if rest.next().is_some() => Behind::Batches,
            Some(Owed::Sync) => Behind::Nothing,
            Some(_) => Behind::OfBatch,
        }
    }

    /// Whether an error of what is under way could make the upstream skip to a Sync that has not
    /// been sent. A Query does not end a batch for that: it is skipped as well.
    pub fn may_be_skipping(&self) -> bool {
        let behind_sync = self.owed.iter().rev();
        behind_sync
            .take_while(|owed| !matches!(owed, Owed::Sync))
            .any(Owed::is_extended)
    }

    /// What a name stood for that a message still under way takes away: should the upstream skip
    /// that message, the name stands for it still.
    pub fn in_doubt(&self, name: &str) -> Option<&Prepared> {
        self.owed.iter().rev().find_map(|owed| match owed {
            Owed::Close(Closing::Statement {
                name: closed,
                prepared,
                ..
            }) if closed == name => prepared.as_ref(),
            Owed::RefusedMessage { unnamed, .. } if name.is_empty() => unnamed.as_ref(),
            _ => None,
        })
    }

    /// The session is under another policy from now on: what is under way was judged by the one of
    /// before.
    pub fn outlive(&mut self, info: &Arc<SessionInfo>) {
        for owed in &mut self.owed {
            if let Owed::Query(running)
            | Owed::Parse(running)
            | Owed::Execute(running)
            | Owed::Cut(running)
            | Owed::Rescue(running) = owed
            {
                running.info.get_or_insert_with(|| Arc::clone(info));
            }
        }
    }

    /// Whether nothing is owed but answers that cannot fail for what is in a text: to Close, and
    /// what ends a batch or a Query that has failed. A client that hears of an error sends what
    /// comes next before it hears that the upstream is ready.
    pub fn has_only_ends(&self) -> bool {
        self.owed
            .iter()
            .all(|owed| owed.is_end() || matches!(owed, Owed::Close(_)))
    }

    /// The same without answers to Close.
    pub fn has_only_readies(&self) -> bool {
        self.owed.iter().all(Owed::is_end)
    }

    /// Whether what is owed leaves every setting as it is for a statement that is sent now, should
    /// that run: nothing of it sets anything or ends a transaction. An error makes the upstream
    /// skip what comes before the next Sync, and in a transaction block refuse what comes behind.
    pub fn keeps_settings(&self, status: TransactionStatus) -> bool {
        let in_block = status != TransactionStatus::Idle;
        self.owed.iter().all(|owed| match owed {
            Owed::Parse(_)
            | Owed::Bind(_)
            | Owed::DescribeStatement
            | Owed::DescribePortal
            | Owed::Close(_)
            | Owed::RefusedMessage { .. } => true,
            Owed::Execute(running) => running.is_plain_query(),
            // The end of a batch, or of a Query, ends an implicit transaction.
            Owed::Query(running) => in_block && running.is_plain_query(),
            Owed::Sync | Owed::RefusedQuery(_) => in_block,
            Owed::ReadOnlyCheck | Owed::Plan(_) | Owed::Rescue(_) | Owed::Cut(_) => false,
        })
    }

    /// Whether anything is owed that takes time; what the upstream only has to take note of does
    /// not.
    pub fn is_working(&self) -> bool {
        self.owed.iter().any(Owed::is_work)
    }

    /// Whether nothing is owed by the upstream: at most a rescue is under way.
    pub fn is_at_rest(&self) -> bool {
        self.owed.iter().all(|owed| matches!(owed, Owed::Rescue(_)))
    }

    /// Whether a Parse is on its way.
    pub fn makes_statements(&self) -> bool {
        self.owed.iter().any(|owed| matches!(owed, Owed::Parse(_)))
    }

    /// What is known of the statements that are on their way, in their order.
    pub fn facts(&self) -> Vec<Arc<Facts>> {
        let running = self.owed.iter().filter_map(|owed| match owed {
            Owed::Query(running) | Owed::Execute(running) => Some(Arc::clone(&running.facts)),
            Owed::Parse(_)
            | Owed::Bind(_)
            | Owed::DescribeStatement
            | Owed::DescribePortal
            | Owed::Close(_)
            | Owed::Sync
            | Owed::RefusedQuery(_)
            | Owed::RefusedMessage { .. }
            | Owed::ReadOnlyCheck
            | Owed::Plan(_)
            | Owed::Cut(_)
            | Owed::Rescue(_) => None,
        });
        running.collect()
    }

    /// Whether a Bind is on its way.
    pub fn makes_portals(&self) -> bool {
        self.owed.iter().any(|owed| matches!(owed, Owed::Bind(_)))
    }

    /// Gives back memory that a long pipeline took.
    pub fn relax(&mut self) {
        if self.owed.is_empty() && self.owed.capacity() > CAPACITY_KEPT {
            self.owed.shrink_to(CAPACITY_KEPT);
        }
    }
}

/// How far a skip went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skipped {
    /// A Sync is under way: its ReadyForQuery ends the skipping.
    SyncIsOwed,
    /// The client has not sent its Sync yet: what it sends before it is dropped.
    SyncNotSentYet,
}

/// Where the upstream stands between two messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The status of the last ReadyForQuery.
    pub status: TransactionStatus,
    /// Whether extended messages were sent since the last Sync: an implicit transaction may be
    /// open.
    pub unsynced: bool,
    /// Whether a question of pgsieve's own was among them. Says nothing where none were sent.
    pub asked: bool,
}

impl Standing {
    /// An extended message is sent.
    pub fn open_batch(&mut self) {
        self.asked &= self.unsynced;
        self.unsynced = true;
    }
}

/// Entries kept allocated between pipelines: none, or every idle session would keep them.
const CAPACITY_KEPT: usize = 0;
