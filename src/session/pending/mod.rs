//! What the upstream still owes the client, in the order in which it was asked.
//!
//! Every message that goes upstream leaves an entry; every answer is held against the entry at the
//! head. An answer that does not fit ends the session: a proxy that has lost count can no longer
//! say which answer belongs to which statement.
//!
//! * `in_flight`: a statement that is under way; `sent_text`: its text, where a capture keeps those
//!   that fail
//! * `portal_names`: messages under way that give names to portals; `reply_outlook`: what may still
//!   come of what is owed
//!
//! <https://www.postgresql.org/docs/current/protocol-flow.html>

pub(super) mod in_flight;
pub(super) mod portal_names;
mod reply_outlook;
pub(super) mod sent_text;

use std::collections::VecDeque;
use std::sync::Arc;

use self::in_flight::InFlight;
use self::portal_names::{ClosedName, PortalBinding};
use super::context::client_settings::ClientSettingsChange;
use super::failure_hint::cited_knowledge::CitableText;
use super::plan::question::ExplainQuestion;
use super::pooling::pool_side::{CarriedMessage, PoolSide};
use super::server::error_rewrite::QuotedText;
use crate::gate::{PreparedStatement, Refusal, StatementDigests};
use crate::telemetry::session_info::SessionInfo;
use crate::wire::backend::TransactionStatus;

/// One answer that is still owed.
#[derive(Debug)]
pub enum ExpectedReply {
    /// A simple Query: any number of results, then ReadyForQuery.
    Query(Box<InFlight>),
    /// ParseComplete.
    Parse(Box<InFlight>),
    /// BindComplete.
    Bind(PortalBinding),
    /// ParameterDescription, then RowDescription or NoData; for whose receipts that is kept.
    DescribeStatement(Option<Arc<StatementDigests>>),
    /// RowDescription or NoData; the same.
    DescribePortal(Option<Arc<StatementDigests>>),
    /// Rows, then CommandComplete, EmptyQueryResponse or PortalSuspended.
    Execute(Box<InFlight>),
    /// CloseComplete.
    Close(ClosedName),
    /// ReadyForQuery.
    Sync,
    /// The error that a refused simple Query is answered with, then ReadyForQuery.
    RefusedQuery(Box<Refusal>),
    /// The error that a refused extended message is answered with.
    RefusedMessage {
        /// The refusal.
        refusal: Box<Refusal>,
        /// The unnamed statement that a refused Parse took away, if it did.
        unnamed: Option<PreparedStatement>,
    },
    /// pgsieve's own question whether the session is still read-only; nothing of it reaches the
    /// client.
    ReadOnlyCheck,
    /// pgsieve's own question for the plan of a statement; nothing of it reaches the client but an
    /// error.
    Plan(Box<ExplainQuestion>),
    /// The answer to a message of pgsieve's own that carries a prepared statement over to another
    /// connection; nothing of it reaches the client but an error.
    Carried(CarriedMessage),
    /// Whatever the upstream still says of a batch in which a result was cut: nothing of it reaches
    /// the client but its end.
    Cut(Box<InFlight>),
    /// Nothing of the upstream: its error to this statement is held back while a repair is looked
    /// for.
    HeldForRepair(Box<InFlight>),
}

impl ExpectedReply {
    /// Whether it answers a message behind whose error the upstream skips to the next Sync.
    fn is_extended(&self) -> bool {
        match self {
            Self::Parse(_) | Self::Bind(_) => true,
            Self::DescribeStatement(_) | Self::DescribePortal(_) => true,
            Self::Execute(_) | Self::Close(_) | Self::RefusedMessage { .. } => true,
            Self::Carried(message) => *message != CarriedMessage::Sync,
            Self::Query(_) | Self::RefusedQuery(_) | Self::Sync | Self::Cut(_) => false,
            Self::ReadOnlyCheck | Self::Plan(_) | Self::HeldForRepair(_) => false,
        }
    }

    /// The upstream has skipped the message, or it has failed: what a session that shares its
    /// connections has expected of it is put right.
    pub(in crate::session) fn note_skipped(&self, side: &mut PoolSide) {
        match self {
            Self::Parse(running) => running.note_unprepared(side),
            Self::Carried(message) => side.not_carried(*message),
            Self::DescribeStatement(_) | Self::DescribePortal(_) => side.descriptions().not_told(),
            Self::Close(ClosedName::Statement {
                name,
                carried: Some(carried),
                ..
            }) => side.not_closed(name, (**carried).clone()),
            _ => {}
        }
    }

    /// Whether it describes what the client has asked about.
    pub(in crate::session) fn is_description(&self) -> bool {
        matches!(self, Self::DescribeStatement(_) | Self::DescribePortal(_))
    }

    /// Whether what a server must have replayed is another position after it.
    pub(in crate::session) fn names_lsn(&self) -> bool {
        match self {
            Self::Query(running) | Self::Execute(running) => {
                (running.client_settings).is_some_and(ClientSettingsChange::names_lsn)
            }
            _ => false,
        }
    }

    /// Whether the upstream skips to it behind an error.
    fn is_sync(&self) -> bool {
        matches!(self, Self::Sync | Self::Carried(CarriedMessage::Sync))
    }

    /// Whether the upstream, or a repair, is at work for it.
    pub(in crate::session) fn is_work(&self) -> bool {
        match self {
            Self::Query(_) | Self::Execute(_) | Self::HeldForRepair(_) => true,
            // The client has its error, and has yet to send the end of its batch.
            Self::Cut(running) => !running.allowance.is_cut_until_sync(),
            Self::Sync | Self::RefusedQuery(_) | Self::ReadOnlyCheck | Self::Plan(_) => true,
            Self::Parse(_) | Self::Bind(_) | Self::Close(_) => false,
            Self::DescribeStatement(_) | Self::DescribePortal(_) => false,
            Self::RefusedMessage { .. } | Self::Carried(_) => false,
        }
    }

    /// Whether only ReadyForQuery is still to come.
    pub(in crate::session) fn is_end(&self) -> bool {
        match self {
            Self::Sync | Self::Carried(CarriedMessage::Close(_) | CarriedMessage::Sync) => true,
            Self::Query(running) => running.sqlstate.is_some(),
            _ => false,
        }
    }
}

/// What was sent behind a statement, the rest of its own messages aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SentBehind {
    /// Nothing.
    Nothing,
    /// What an error of the statement does not reach.
    Batches,
    /// A Query, which an error of the statement skips.
    OfBatch,
}

/// The queue of owed answers.
#[derive(Debug, Default)]
pub struct PendingReplies {
    owed: VecDeque<ExpectedReply>,
    /// Goes up whenever an answer is complete or will not come.
    turn: u64,
    /// Where the upstream stands between two messages.
    pub(super) transaction: TransactionState,
}

impl PendingReplies {
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
        matches!(
            self.owed.front(),
            Some(ExpectedReply::ReadOnlyCheck | ExpectedReply::Plan(_) | ExpectedReply::Carried(_))
        )
    }

    /// Whether nothing is owed before the next answer to a Sync of pgsieve's own but what stands
    /// with it.
    pub fn is_carried_to_sync(&self) -> bool {
        let is_own = |owed: &&ExpectedReply| matches!(owed, ExpectedReply::Carried(_));
        let mut own = self.owed.iter().take_while(is_own);
        own.any(ExpectedReply::is_sync)
    }

    /// Whether the next answer is one about a plan.
    pub fn is_asking(&self) -> bool {
        matches!(self.owed.front(), Some(ExpectedReply::Plan(_)))
    }

    /// Whether what waits for its plan, if anything does, came in the same batch as all that is
    /// owed before it: a Query ends the batches before it.
    pub fn asks_for_batch(&self) -> bool {
        match self.owed.back() {
            Some(ExpectedReply::Plan(asking)) => asking.is_of_bind(),
            _ => true,
        }
    }

    /// What is owed, the next answer first.
    pub(super) fn owed_first(&mut self) -> impl Iterator<Item = &mut ExpectedReply> {
        self.owed.iter_mut()
    }

    /// What is owed, the last one that was sent first.
    pub(super) fn owed_last(&mut self) -> impl Iterator<Item = &mut ExpectedReply> {
        self.owed.iter_mut().rev()
    }

    /// Adds an entry behind all others.
    pub fn push(&mut self, owed: ExpectedReply) {
        self.owed.push_back(owed);
    }

    /// Whether what the upstream answers now is a query, and no COPY, SET or the like.
    pub fn answers_query(&self) -> bool {
        match self.owed.front() {
            Some(
                ExpectedReply::Query(running)
                | ExpectedReply::Parse(running)
                | ExpectedReply::Execute(running),
            ) => running.facts.kind.is_query(),
            _ => false,
        }
    }

    /// Which text the upstream speaks of when it says something now.
    pub fn quoted_text(&self) -> QuotedText<'_> {
        match self.owed.front() {
            Some(
                ExpectedReply::Query(running)
                | ExpectedReply::Parse(running)
                | ExpectedReply::Execute(running),
            ) => QuotedText::of(running.another.as_deref(), &running.facts),
            Some(ExpectedReply::Plan(asking)) => asking.spoken_of(),
            Some(ExpectedReply::Bind(binding)) => match &binding.another {
                Some(another) => QuotedText::OfAnother(another),
                None => QuotedText::OfOwn,
            },
            Some(
                ExpectedReply::DescribeStatement(_)
                | ExpectedReply::DescribePortal(_)
                | ExpectedReply::Sync
                | ExpectedReply::Carried(_)
                | ExpectedReply::Cut(_),
            ) => QuotedText::OfUnknown(None),
            Some(
                ExpectedReply::Close(_)
                | ExpectedReply::RefusedQuery(_)
                | ExpectedReply::RefusedMessage { .. }
                | ExpectedReply::ReadOnlyCheck
                | ExpectedReply::HeldForRepair(_),
            )
            | None => QuotedText::OfOwn,
        }
    }

    /// Puts an entry before all others.
    pub fn push_front(&mut self, owed: ExpectedReply) {
        self.owed.push_front(owed);
    }

    /// The entry that the next answer must fit.
    pub fn head(&mut self) -> Option<&mut ExpectedReply> {
        self.owed.front_mut()
    }

    /// The same, to look at.
    pub fn front(&self) -> Option<&ExpectedReply> {
        self.owed.front()
    }

    /// The text of the statement that is answered now, where a failure may cite a record about what
    /// is in it.
    pub(in crate::session) fn citable_text(&self) -> Option<CitableText> {
        match self.owed.front()? {
            ExpectedReply::Query(running)
            | ExpectedReply::Parse(running)
            | ExpectedReply::Execute(running) => running.citable_text.clone(),
            ExpectedReply::Bind(binding) => binding.citable_text.clone(),
            _ => None,
        }
    }

    /// The statement that is run now, a Query or a portal.
    pub fn running(&self) -> Option<&InFlight> {
        match self.owed.front() {
            Some(ExpectedReply::Query(running) | ExpectedReply::Execute(running)) => Some(running),
            _ => None,
        }
    }

    /// Whether rows of what is answered now may be pgsieve's own.
    pub(in crate::session) fn may_have_own_rows(&self) -> bool {
        self.running().is_some_and(InFlight::may_have_own_rows)
    }

    /// The same, to write down what comes of it.
    pub fn running_mut(&mut self) -> Option<&mut InFlight> {
        match self.owed.front_mut() {
            Some(ExpectedReply::Query(running) | ExpectedReply::Execute(running)) => Some(running),
            _ => None,
        }
    }

    /// Which answer it is that is owed: another number, another one.
    pub fn answer_number(&self) -> u64 {
        self.turn
    }

    /// Takes the head off.
    pub fn pop(&mut self) -> Option<ExpectedReply> {
        self.turn = self.turn.wrapping_add(1);
        self.owed.pop_front()
    }

    /// After an error in the extended protocol: takes off what the upstream will skip, up to but
    /// not including the next Sync. Says whether that Sync was there, and hands out the rest.
    pub fn skip_to_sync(&mut self) -> (SkipExtent, VecDeque<ExpectedReply>) {
        self.turn = self.turn.wrapping_add(1);
        match self.owed.iter().position(ExpectedReply::is_sync) {
            Some(sync) => {
                let rest = self.owed.split_off(sync);
                (
                    SkipExtent::SyncIsOwed,
                    std::mem::replace(&mut self.owed, rest),
                )
            }
            None => (SkipExtent::SyncNotSentYet, std::mem::take(&mut self.owed)),
        }
    }

    /// What a name stood for that a message still under way takes away: should the upstream skip
    /// that message, the name stands for it still.
    pub fn doubtful_statement(&self, name: &str) -> Option<&PreparedStatement> {
        self.owed.iter().rev().find_map(|owed| match owed {
            ExpectedReply::Close(ClosedName::Statement {
                name: closed,
                prepared,
                ..
            }) if closed == name => prepared.as_ref(),
            ExpectedReply::RefusedMessage { unnamed, .. } if name.is_empty() => unnamed.as_ref(),
            _ => None,
        })
    }

    /// The session is under another policy from now on: what is under way was judged by the one of
    /// before.
    pub fn keep_old_policy(&mut self, info: &Arc<SessionInfo>) {
        for owed in &mut self.owed {
            if let ExpectedReply::Query(running)
            | ExpectedReply::Parse(running)
            | ExpectedReply::Execute(running)
            | ExpectedReply::Cut(running)
            | ExpectedReply::HeldForRepair(running) = owed
            {
                running.info.get_or_insert_with(|| Arc::clone(info));
            }
        }
    }

    /// Gives back memory that a long pipeline took.
    pub fn shrink(&mut self) {
        if self.owed.is_empty() && self.owed.capacity() > CAPACITY_KEPT {
            self.owed.shrink_to(CAPACITY_KEPT);
        }
    }
}

/// How far a skip went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkipExtent {
    /// A Sync is under way: its ReadyForQuery ends the skipping.
    SyncIsOwed,
    /// The client has not sent its Sync yet: what it sends before it is dropped.
    SyncNotSentYet,
}

/// Where the upstream stands between two messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransactionState {
    /// The status of the last ReadyForQuery.
    pub status: TransactionStatus,
    /// Whether extended messages were sent since the last Sync: an implicit transaction may be
    /// open.
    pub unsynced: bool,
    /// Whether a question of pgsieve's own was among them. Says nothing where none were sent.
    pub asked: bool,
}

impl Default for TransactionState {
    /// Of an upstream that is logged in and idle.
    fn default() -> Self {
        Self {
            status: TransactionStatus::Idle,
            unsynced: false,
            asked: false,
        }
    }
}

impl TransactionState {
    /// Whether no transaction is open, not even an implicit one.
    pub fn is_idle(&self) -> bool {
        self.status == TransactionStatus::Idle && !self.unsynced
    }

    /// An extended message is sent.
    pub fn open_batch(&mut self) {
        self.asked &= self.unsynced;
        self.unsynced = true;
    }
}

/// Entries kept allocated between pipelines: none, or every idle session would keep them.
const CAPACITY_KEPT: usize = 0;
