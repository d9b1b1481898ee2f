//! How a text is sent: whether a repair was looked for, how often it was sent before, and what its
//! client hears besides.

use super::notices::{OnError, PendingNotice};
use crate::limits;
use crate::repair::RepairAdvice;
use crate::session::arrival::StatementArrival;
use crate::session::pending::in_flight::{InFlight, TextRetained};
use crate::session::policy_limits::QuotaCount;
use crate::telemetry::labels::StatementOutcome;

/// How a statement is sent.
pub struct SendOptions {
    /// When it came.
    pub(in crate::session) arrived: StatementArrival,
    notice: Option<Box<PendingNotice>>,
    on_error: OnError,
    care: RepairAttempted,
    /// How often it was sent before.
    tries: u32,
    /// How often its plan was asked for.
    asked: u32,
    count: QuotaCount,
}

/// Whether something was looked for already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RepairAttempted {
    /// A failure may still be held back.
    Due,
    /// It has had its repair.
    Done,
}

impl SendOptions {
    /// As the client sent it.
    pub(in crate::session) fn plain(arrived: StatementArrival) -> Self {
        Self {
            arrived,
            notice: None,
            on_error: OnError::Passes,
            care: RepairAttempted::Due,
            tries: 0,
            asked: 0,
            count: QuotaCount::Due,
        }
    }

    /// As the client sent it, after a repair that changed nothing.
    pub(super) fn advised(arrived: StatementArrival, advice: RepairAdvice) -> Self {
        Self {
            on_error: OnError::advised(advice),
            care: RepairAttempted::Done,
            ..Self::plain(arrived)
        }
    }

    /// A changed text, with what the client gets should it fail as well.
    pub(super) fn repaired(
        arrived: StatementArrival,
        notice: Box<PendingNotice>,
        on_error: OnError,
    ) -> Self {
        Self {
            arrived,
            notice: Some(notice),
            on_error,
            care: RepairAttempted::Done,
            tries: 0,
            asked: 0,
            count: QuotaCount::Due,
        }
    }

    /// As the client sent it, for the time after so many.
    pub(super) fn again(arrived: StatementArrival, tries: u32) -> Self {
        Self {
            tries: tries + 1,
            ..Self::plain(arrived).already_counted()
        }
    }

    /// The same for a statement that was sent before.
    pub(in crate::session) fn already_counted(self) -> Self {
        Self {
            count: QuotaCount::Paid,
            ..self
        }
    }

    /// Whether it still has to be counted among those of its user.
    pub(in crate::session) fn quota_count(&self) -> QuotaCount {
        self.count
    }

    /// Whether a failure may still be held back.
    pub(in crate::session) fn may_hold_error(&self) -> bool {
        self.care == RepairAttempted::Due
    }

    /// Its plan is asked for once more; says whether that goes on for too long.
    pub(in crate::session) fn is_asked_too_often(&mut self) -> bool {
        self.asked += 1;
        self.asked > limits::PLANS_ASKED_ANEW_MAX
    }

    /// Marks the statement that is sent in this manner.
    pub(in crate::session) fn mark(self, running: &mut InFlight, text_retained: TextRetained) {
        running.text_retained = text_retained;
        running.tries = self.tries;
        running.on_error = self.on_error;
        if let Some(notice) = self.notice {
            running.notice = Some(notice);
            running.outcome = StatementOutcome::Repaired;
            // What is prepared now is a repaired statement each time it runs.
            running.facts.stands_in.get_or_init(|| ());
        }
    }
}
