//! What may still come of the answers that are owed: errors that skip messages, changed settings,
//! statements and portals with a name.

use std::sync::Arc;

use super::{ExpectedReply, PendingReplies, SentBehind};
use crate::gate::Facts;
use crate::wire::backend::TransactionStatus;

impl PendingReplies {
    /// What was sent behind a statement that was taken off the head, a Query or not.
    pub fn behind(&self, is_query: bool) -> SentBehind {
        let is_of_batch =
            |owed: &&ExpectedReply| owed.is_extended() || matches!(owed, ExpectedReply::Plan(_));
        let of_batch = self.owed.iter().take_while(is_of_batch);
        let of_batch = if is_query { 0 } else { of_batch.count() };
        let mut rest = self.owed.iter().skip(of_batch);
        match rest.next() {
            None => SentBehind::Nothing,
            Some(_) if is_query => SentBehind::Batches,
            Some(ExpectedReply::Sync) if rest.next().is_some() => SentBehind::Batches,
            Some(ExpectedReply::Sync) => SentBehind::Nothing,
            Some(_) => SentBehind::OfBatch,
        }
    }

    /// Whether an error of what is under way could make the upstream skip to a Sync that has not
    /// been sent. A Query does not end a batch for that: it is skipped as well.
    pub fn may_be_skipping(&self) -> bool {
        let behind_sync = self.owed.iter().rev();
        behind_sync
            .take_while(|owed| !owed.is_sync())
            .any(ExpectedReply::is_extended)
    }

    /// Whether nothing is owed but answers that cannot fail for what is in a text: to Close, and
    /// what ends a batch or a Query that has failed. A client that hears of an error sends what
    /// comes next before it hears that the upstream is ready.
    pub fn has_only_ends(&self) -> bool {
        self.owed
            .iter()
            .all(|owed| owed.is_end() || matches!(owed, ExpectedReply::Close(_)))
    }

    /// The same without answers to Close.
    pub fn has_only_readies(&self) -> bool {
        self.owed.iter().all(ExpectedReply::is_end)
    }

    /// Whether what is owed leaves every setting as it is for a statement that is sent now, should
    /// that run: nothing of it sets anything or ends a transaction. An error makes the upstream
    /// skip what comes before the next Sync, and in a transaction block refuse what comes behind.
    pub fn keeps_settings(&self) -> bool {
        let in_block = self.transaction.status != TransactionStatus::Idle;
        self.owed.iter().all(|owed| match owed {
            ExpectedReply::Parse(_)
            | ExpectedReply::Bind(_)
            | ExpectedReply::DescribeStatement(_)
            | ExpectedReply::DescribePortal(_)
            | ExpectedReply::Close(_)
            | ExpectedReply::Carried(_)
            | ExpectedReply::RefusedMessage { .. } => true,
            ExpectedReply::Execute(running) => running.is_plain_query(),
            // The end of a batch, or of a Query, ends an implicit transaction.
            ExpectedReply::Query(running) => in_block && running.is_plain_query(),
            ExpectedReply::Sync | ExpectedReply::RefusedQuery(_) => in_block,
            ExpectedReply::ReadOnlyCheck
            | ExpectedReply::Plan(_)
            | ExpectedReply::HeldForRepair(_)
            | ExpectedReply::Cut(_) => false,
        })
    }

    /// Whether all that is owed are answers of the upstream's to batches of the client's, which may
    /// be sent a second time: nothing was refused, cut, or done by pgsieve itself.
    pub fn may_run_again(&self) -> bool {
        let is_plain = |owed: &ExpectedReply| match owed {
            ExpectedReply::Query(running)
            | ExpectedReply::Parse(running)
            | ExpectedReply::Execute(running) => running.calling.is_none(),
            ExpectedReply::Bind(_)
            | ExpectedReply::DescribeStatement(_)
            | ExpectedReply::DescribePortal(_)
            | ExpectedReply::Close(_)
            | ExpectedReply::Sync
            | ExpectedReply::Carried(_) => true,
            ExpectedReply::RefusedQuery(_)
            | ExpectedReply::RefusedMessage { .. }
            | ExpectedReply::ReadOnlyCheck
            | ExpectedReply::Plan(_)
            | ExpectedReply::Cut(_)
            | ExpectedReply::HeldForRepair(_) => false,
        };
        self.transaction.status == TransactionStatus::Idle && self.owed.iter().all(is_plain)
    }

    /// Whether anything is owed that takes time; what the upstream only has to take note of does
    /// not.
    pub fn is_working(&self) -> bool {
        self.owed.iter().any(ExpectedReply::is_work)
    }

    /// Whether nothing is owed by the upstream: at most a repair is under way.
    pub fn is_at_rest(&self) -> bool {
        self.owed
            .iter()
            .all(|owed| matches!(owed, ExpectedReply::HeldForRepair(_)))
    }

    /// Whether nothing is owed and no transaction is open, not even an implicit one: what pgsieve
    /// says now needs no place among answers of the upstream.
    pub fn answers_alone(&self) -> bool {
        self.owed.is_empty() && self.transaction.is_idle()
    }

    /// The same, but for what only ends.
    pub fn is_outside_of_transactions(&self) -> bool {
        self.transaction.is_idle() && self.has_only_readies()
    }

    /// Whether the transaction has failed and nothing is under way that could end it: a read fails.
    pub fn is_sure_to_fail(&self) -> bool {
        self.transaction.status == TransactionStatus::Failed
            && !self.transaction.unsynced
            && self.owed.is_empty()
    }

    /// Whether an error of the statement that is run now would take nothing else with it.
    pub fn may_fail_alone(&self) -> bool {
        let is_last = match self.owed.len() {
            1 => matches!(self.owed.front(), Some(ExpectedReply::Query(_))),
            2 => matches!(self.owed.get(1), Some(ExpectedReply::Sync)),
            _ => false,
        };
        is_last && self.transaction.is_idle()
    }

    /// Whether the rest of a result is being dropped.
    pub fn is_result_cut(&self) -> bool {
        match self.owed.front() {
            Some(ExpectedReply::Cut(_)) => true,
            Some(ExpectedReply::Query(running) | ExpectedReply::Execute(running)) => {
                running.allowance.is_cancelled()
            }
            _ => false,
        }
    }

    /// Whether a Parse is on its way.
    pub fn makes_statements(&self) -> bool {
        self.owed
            .iter()
            .any(|owed| matches!(owed, ExpectedReply::Parse(_)))
    }

    /// What is known of the statements that are on their way, in their order.
    pub fn facts(&self) -> Vec<Arc<Facts>> {
        let running = self.owed.iter().filter_map(|owed| match owed {
            ExpectedReply::Query(running) | ExpectedReply::Execute(running) => {
                Some(Arc::clone(&running.facts))
            }
            ExpectedReply::Parse(_)
            | ExpectedReply::Bind(_)
            | ExpectedReply::DescribeStatement(_)
            | ExpectedReply::DescribePortal(_)
            | ExpectedReply::Close(_)
            | ExpectedReply::Sync
            | ExpectedReply::RefusedQuery(_)
            | ExpectedReply::RefusedMessage { .. }
            | ExpectedReply::ReadOnlyCheck
            | ExpectedReply::Plan(_)
            | ExpectedReply::Carried(_)
            | ExpectedReply::Cut(_)
            | ExpectedReply::HeldForRepair(_) => None,
        });
        running.collect()
    }

    /// Whether a Bind is on its way.
    pub fn makes_portals(&self) -> bool {
        self.owed
            .iter()
            .any(|owed| matches!(owed, ExpectedReply::Bind(_)))
    }
}
