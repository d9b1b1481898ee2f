//! The limits of a policy that act while a session runs.
//!
//! They are read from the policy that the session is judged by, at each statement: a policy that is
//! changed holds from the next one on. A policy without limits costs a statement nothing.
//!
//! * `connection_limit`: whether a session may begin
//! * `admission`: whether a statement may be sent now
//! * `result_limit`: what is left of a result; `on_row`: what happens where that ends;
//!   `after_limit`: what still comes from the upstream behind a result that was cut
//! * `holdable_cursors`: cursors WITH HOLD and how far they have come; `cursor_moves`: what moves
//!   them; `cursor_run`: what a message runs of them
//! * `portal_totals`: what portals and cursors have given, piece by piece
//! * `per_user`: what all sessions of a user share; `rate_limit`: statements in a time
//! * `limits_store`: where several copies of pgsieve count together
//! * `daily_budget`: what a user may receive in a day; `budget_record`: how that is written down
//! * `idle_timeout`: sessions that do nothing
//! * `messages`: what the client hears

pub(super) mod admission;
pub(super) mod after_limit;
pub mod budget_record;
mod connection_limit;
#[cfg(test)]
mod cursor_exchange_tests;
mod cursor_moves;
mod cursor_run;
pub mod daily_budget;
#[cfg(test)]
mod exchange_tests;
mod holdable_cursors;
pub mod idle_timeout;
pub mod limits_store;
mod messages;
pub(super) mod on_row;
pub mod per_user;
mod portal_totals;
pub mod rate_limit;
pub mod result_limit;

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Instant;

pub use self::admission::QuotaCount;
pub use self::holdable_cursors::{CursorMeasure, MeasureMoment};

use self::holdable_cursors::HoldableCursors;
use self::per_user::{CountedSession, StatementSlot};
use self::portal_totals::PortalTotals;
use super::pending::PendingReplies;
use super::tracing::SessionWitness;
use crate::gate::SessionNames;
use crate::limits;
use crate::policy::Policy;
use crate::upstream::cancel::{RunningCancel, SessionCanceller};

/// What one session keeps for its limits.
pub struct SessionLimits {
    counted_session: CountedSession,
    canceller: Option<SessionCanceller>,
    /// The place among the user's running statements, as long as any of this session runs.
    slot: Weak<StatementSlot>,
    /// Held by every statement whose result is bounded and not complete; none before the first.
    bounded: Option<Arc<()>>,
    hold: FrameHold,
    cancel: ResultCancel,
    /// What is known of portals and cursors, where there is anything.
    portals: Option<Box<PortalRecords>>,
    /// Whether a portal was run since the last Sync.
    batch: BatchRuns,
    /// When the session had nothing to do last; kept where that has a bound.
    rested: Instant,
}

/// What is known of portals and cursors.
#[derive(Default)]
struct PortalRecords {
    /// What portals and cursors have given.
    portal_totals: PortalTotals,
    /// Portals that were run for a number of rows since they were sent.
    run: HashSet<Box<str>>,
    /// Portals that have run a FETCH of a cursor WITH HOLD.
    fetching: HashSet<Box<str>>,
    /// Cursors WITH HOLD.
    holdable: HoldableCursors,
}

/// Whether a frame of the client waits for a bounded result to be complete: what is cut is
/// cancelled, and that must not meet what was sent behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FrameHold {
    Nothing,
    Frame,
}

/// The cancel of a result that was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResultCancel {
    Nothing,
    /// It is to be sent, unless the statement ends before that.
    Wanted,
}

/// What was sent since the last Sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BatchRuns {
    Fresh,
    HasRun,
}

/// What a statement is admitted by.
struct AdmissionBasis<'s> {
    policy: &'s Policy,
    names: &'s SessionNames,
    /// What was sent before it.
    pending: &'s PendingReplies,
    witness: &'s SessionWitness,
}

impl SessionLimits {
    /// A session that has just begun.
    pub fn new(counted_session: CountedSession, canceller: Option<SessionCanceller>) -> Self {
        Self {
            counted_session,
            canceller,
            slot: Weak::new(),
            bounded: None,
            hold: FrameHold::Nothing,
            cancel: ResultCancel::Nothing,
            portals: None,
            batch: BatchRuns::Fresh,
            rested: Instant::now(),
        }
    }

    /// What cancels for the session itself, and knows others of the same owner.
    pub(super) fn canceller(&self) -> Option<&SessionCanceller> {
        self.canceller.as_ref()
    }

    /// The place among the user's running statements, to be kept until the upstream has heard that
    /// the session is over.
    pub fn slot(&self) -> Option<Arc<StatementSlot>> {
        self.slot.upgrade()
    }

    /// Whether the client's next frame waits.
    pub(super) fn holds(&self) -> bool {
        self.hold == FrameHold::Frame && self.has_bounded()
    }

    /// A Sync or Query is on its way: what was sent before is a batch of its own.
    pub(super) fn sync(&mut self) {
        self.batch = BatchRuns::Fresh;
    }

    /// No transaction is open: portals are gone.
    pub(super) fn end_transaction(&mut self) {
        if let Some(portals) = &mut self.portals {
            let holdable = &portals.holdable;
            portals
                .portal_totals
                .end_transaction(|name| holdable.has(name));
            portals.run = HashSet::new();
            portals.fetching = HashSet::new();
            if portals.holdable.count() == 0 && portals.portal_totals.is_empty() {
                self.portals = None;
            }
        }
    }

    /// A portal is made anew, or closed.
    pub(super) fn forget_portal(&mut self, name: &str) {
        if let Some(portals) = &mut self.portals {
            portals.run.remove(crate::gate::truncated_name(name));
            portals.fetching.remove(name);
        }
    }

    /// Whether a run of a portal still has to be counted.
    fn quota_count_of(&self, portal: &str) -> QuotaCount {
        let runs = self.portals.as_ref().map(|portals| &portals.run);
        match runs.is_some_and(|runs| runs.contains(crate::gate::truncated_name(portal))) {
            true => QuotaCount::GoesOn,
            false => QuotaCount::Due,
        }
    }

    /// A portal is run for a number of rows: it may go on. Where there is no room to remember it,
    /// its next run counts anew.
    fn note_run(&mut self, portal: &str) {
        let runs = &mut self.portals.get_or_insert_default().run;
        let name = crate::gate::truncated_name(portal);
        if runs.len() < limits::SESSION_NAMES_MAX && !runs.contains(name) {
            runs.insert(name.into());
        }
    }

    /// Whether a cancel is to be sent; asked once.
    pub(super) fn wants_cancel(&mut self) -> bool {
        std::mem::replace(&mut self.cancel, ResultCancel::Nothing) == ResultCancel::Wanted
    }

    /// The cancel of a result that was cut; none where the upstream gave no key for one.
    pub(super) fn start_cut_cancel(&self) -> Option<RunningCancel> {
        self.canceller.as_ref().map(SessionCanceller::insist)
    }

    /// The cancel could not be sent.
    pub(super) fn cut_cancel_failed(&mut self, pending: &PendingReplies) {
        if pending.is_result_cut() {
            self.cancel = ResultCancel::Wanted;
        }
    }

    /// A statement has ended in a batch whose Sync may not have been sent: unless others run, the
    /// session has nothing to do from now on.
    pub(super) fn note_pause(&mut self, policy: &Policy, pending: &PendingReplies) {
        if policy.limits().idle_time.is_some() && !pending.is_working() {
            self.rested = Instant::now();
        }
    }

    /// The session has nothing to do from now on.
    pub(super) fn note_rest(&mut self, policy: &Policy) {
        if policy.limits().idle_time.is_some() {
            self.rested = Instant::now();
        }
    }

    fn has_bounded(&self) -> bool {
        let bounded = self.bounded.as_ref();
        bounded.is_some_and(|bounded| Arc::strong_count(bounded) > 1)
    }
}

impl Default for SessionLimits {
    /// Of a session whose user has no others.
    fn default() -> Self {
        Self::new(CountedSession::default(), None)
    }
}

impl fmt::Debug for SessionLimits {
    /// Without the names that clients choose.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SessionLimits")
    }
}
