//! What the statements of one worker add to the metrics, kept apart until somebody looks.
//!
//! Metrics are shared by all workers, and a number that two cores take turns in writing costs each
//! of them more than the statement's own bookkeeping. So a worker counts in numbers of its own and
//! adds them to the shared ones now and then, and whenever a scrape asks: a scrape misses nothing.
//!
//! The names of policies and users are not looked up for each statement: a session remembers the
//! [slots](crate::telemetry::counters::label_slots) that it was given, and a comparison tells
//! whether they are still those that the worker counts for.

use std::sync::{Arc, Mutex, PoisonError};

use prometheus::local::LocalHistogram;

use crate::limits;
use crate::telemetry::counters::capped_counters::{StatementLabels, VerdictCounts};
use crate::telemetry::counters::counter_vec::ThreeLabels;
use crate::telemetry::counters::label_slots::LabelSlot;
use crate::telemetry::counters::register::seconds;
use crate::telemetry::events::StatementFinished;
use crate::telemetry::labels::{CacheAnswer, ProtocolPath, RepairedOutcome, StatementOutcome};
use crate::telemetry::registry::MetricsRegistry;
use crate::telemetry::session_info::SessionInfo;
use crate::words::Word;

/// The numbers of one worker. Its lock is only ever contended by a scrape.
pub struct LocalCounters {
    held: Mutex<LocalCounts>,
}

struct LocalCounts {
    gate_seconds: LocalHistogram,
    queue_seconds: LocalHistogram,
    upstream_seconds: LocalHistogram,
    statement_seconds: LocalHistogram,
    rows: u64,
    result_bytes: u64,
    cached: [u64; CacheAnswer::ALL.len()],
    repaired: [u64; RepairedOutcome::ALL.len()],
    policies: Vec<PolicyCounts>,
    users: Vec<UserCounts>,
    statements: u32,
}

/// The statements under one policy.
#[derive(Default)]
struct PolicyCounts {
    slot: LabelSlot,
    name: Option<Arc<str>>,
    /// A few combinations of labels: most workers see the same ones over and over.
    recent: Vec<(StatementLabels, u64)>,
}

/// The statements of one user.
#[derive(Default)]
struct UserCounts {
    slot: LabelSlot,
    name: Option<Arc<str>>,
    verdicts: VerdictCounts,
}

impl LocalCounters {
    /// A tally for these metrics, with nothing in it.
    pub fn of(metrics: &MetricsRegistry) -> Self {
        Self {
            held: Mutex::new(LocalCounts {
                gate_seconds: metrics.gate_seconds.local(),
                queue_seconds: metrics.queue_seconds.local(),
                upstream_seconds: metrics.upstream_seconds.local(),
                statement_seconds: metrics.statement_seconds.local(),
                rows: 0,
                result_bytes: 0,
                cached: [0; CacheAnswer::ALL.len()],
                repaired: [0; RepairedOutcome::ALL.len()],
                policies: Vec::new(),
                users: Vec::new(),
                statements: 0,
            }),
        }
    }

    /// Counts a statement.
    pub fn count(&self, event: &StatementFinished<'_>, metrics: &MetricsRegistry) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.count_judging(event);
        held.statement_seconds.observe(seconds(event.total));
        if !event.upstream.is_zero() {
            held.upstream_seconds.observe(seconds(event.upstream));
        }
        held.rows += event.rows;
        held.result_bytes += event.bytes;
        if let Some(outcome) = repaired(event) {
            raise(&mut held.repaired, outcome);
        }
        held.of_policy(event.session, metrics)
            .count(ThreeLabels(event.path, event.kind, event.outcome), metrics);
        let of_user = held.of_user(event.session, metrics);
        raise(&mut of_user.verdicts, event.outcome);
        held.come(metrics);
    }

    /// Counts a text that was judged and prepared, and has not run.
    pub fn count_prepared(&self, event: &StatementFinished<'_>, metrics: &MetricsRegistry) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.count_judging(event);
        held.come(metrics);
    }

    /// Adds everything to the shared metrics.
    pub fn flush(&self, metrics: &MetricsRegistry) {
        self.held
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .flush(metrics);
    }
}

impl LocalCounts {
    fn count_judging(&mut self, event: &StatementFinished<'_>) {
        self.queue_seconds.observe(seconds(event.queue));
        // What an Execute or Bind runs was judged when it was prepared.
        if matches!(event.path, ProtocolPath::Execute | ProtocolPath::Bind) {
            return;
        }
        self.gate_seconds.observe(seconds(event.gate));
        if matches!(event.path, ProtocolPath::Query | ProtocolPath::Parse) {
            raise(&mut self.cached, event.cached);
        }
    }

    fn come(&mut self, metrics: &MetricsRegistry) {
        self.statements += 1;
        if self.statements >= limits::TALLY_STATEMENTS_MAX {
            self.flush(metrics);
        }
    }

    fn of_policy(&mut self, session: &SessionInfo, metrics: &MetricsRegistry) -> &mut PolicyCounts {
        let (mut slot, name) = (session.policy_slot().recall(), session.policy_name());
        let known = self.policies.get(slot.place());
        let is_known = slot.is_given() && known.is_some_and(|known| known.slot == slot);
        if !is_known {
            slot = metrics.by_policy.slot(name);
            session.policy_slot().note(slot);
        }
        let of_policy = at(&mut self.policies, slot.place());
        if of_policy.slot != slot {
            of_policy.flush(metrics);
            of_policy.slot = slot;
            // The rest have many names.
            let is_one = slot.place() < limits::POLICY_LABELS_MAX;
            of_policy.name = name.filter(|_| is_one).cloned();
        }
        of_policy
    }

    fn of_user(&mut self, session: &SessionInfo, metrics: &MetricsRegistry) -> &mut UserCounts {
        let (mut slot, name) = (session.user_slot().recall(), session.admitted_user());
        let known = self.users.get(slot.place());
        let is_known = slot.is_given() && known.is_some_and(|known| known.slot == slot);
        if !is_known {
            slot = metrics.by_user.slot(name);
            session.user_slot().note(slot);
        }
        let of_user = at(&mut self.users, slot.place());
        if of_user.slot != slot {
            of_user.flush(metrics);
            of_user.slot = slot;
            let is_one = slot.place() < limits::USER_LABELS_MAX;
            of_user.name = name.filter(|_| is_one).cloned();
        }
        of_user
    }

    fn flush(&mut self, metrics: &MetricsRegistry) {
        self.gate_seconds.flush();
        self.queue_seconds.flush();
        self.upstream_seconds.flush();
        self.statement_seconds.flush();
        metrics.rows.inc_by(std::mem::take(&mut self.rows));
        metrics
            .result_bytes
            .inc_by(std::mem::take(&mut self.result_bytes));
        for (answer, count) in CacheAnswer::ALL.iter().zip(&mut self.cached) {
            metrics.judgement_cache.add(*answer, std::mem::take(count));
        }
        for (outcome, count) in RepairedOutcome::ALL.iter().zip(&mut self.repaired) {
            let count = std::mem::take(count);
            metrics.repaired_statements.add(*outcome, count);
        }
        for of_policy in &mut self.policies {
            of_policy.flush(metrics);
        }
        for of_user in &mut self.users {
            of_user.flush(metrics);
        }
        self.statements = 0;
    }
}

impl PolicyCounts {
    fn count(&mut self, labels: StatementLabels, metrics: &MetricsRegistry) {
        let known = self.recent.iter_mut().find(|(known, _)| *known == labels);
        if let Some((_, count)) = known {
            *count += 1;
            return;
        }
        if self.recent.len() >= limits::TALLY_COMBINATIONS_MAX {
            self.flush(metrics);
        }
        self.recent.push((labels, 1));
    }

    fn flush(&mut self, metrics: &MetricsRegistry) {
        if self.recent.is_empty() {
            return;
        }
        let counts = self.recent.drain(..);
        if !(metrics.by_policy).add(self.slot, self.name.as_ref(), counts) {
            // Whoever remembers this slot asks for a new one.
            self.slot = LabelSlot::default();
        }
    }
}

impl UserCounts {
    fn flush(&mut self, metrics: &MetricsRegistry) {
        if self.verdicts.iter().all(|count| *count == 0) {
            return;
        }
        if !(metrics.by_user).add(self.slot, self.name.as_ref(), &self.verdicts) {
            self.slot = LabelSlot::default();
        }
        self.verdicts = VerdictCounts::default();
    }
}

/// What became of a changed text that ran, where one did: a Parse alone runs nothing.
fn repaired(event: &StatementFinished<'_>) -> Option<RepairedOutcome> {
    match (event.outcome, event.path, event.sqlstate) {
        (StatementOutcome::Repaired, _, Some(_)) => Some(RepairedOutcome::Failed),
        (StatementOutcome::Repaired, ProtocolPath::Parse, None) => None,
        (StatementOutcome::Repaired, _, None) => Some(RepairedOutcome::Succeeded),
        _ => None,
    }
}

/// One more of these.
fn raise<L: Word>(counts: &mut [u64], label: L) {
    if let Some(count) = counts.get_mut(label.index()) {
        *count += 1;
    }
}

/// The entry at a place, which is made where there was none.
fn at<T: Default>(list: &mut Vec<T>, place: usize) -> &mut T {
    if list.len() <= place {
        list.resize_with(place + 1, T::default);
    }
    // It is there now.
    #[expect(
        clippy::indexing_slicing,
        reason = "the list was made long enough just above"
    )]
    &mut list[place]
}
