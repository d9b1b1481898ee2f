//! Whether a statement may be sent now, and what it holds while it runs.
//!
//! What counts are statements of a Query and runs of a portal. Transaction control, settings and
//! other housekeeping of the session do not: a client must be able to end its transaction whatever
//! it did before. A session that runs anything takes one place of its user, however long its
//! pipeline is: its statements run one after the other.

use std::sync::Arc;

use super::cursor_moves::cursors_run;
use super::cursor_run::CursorRun;
use super::daily_budget::{BudgetLease, DayBudget, rest_of_today};
use super::per_user::StatementSlot;
use super::rate_limit::RefillRate;
use super::result_limit::{AloneInBatch, PortalRun, ResultAllowance, is_bounded};
use super::{AdmissionBasis, BatchRuns, FrameHold, SessionLimits, messages};
use crate::gate::{Facts, Refusal, Rule, StatementKind};
use crate::policy::{MultiStatementMode, Policy, PolicyRule, RuleMode};
use crate::session::arrival::StatementArrival;
use crate::session::client_side::ClientState;
use crate::session::pooling::awaited_lsn::has_replayed;
use crate::session::protocol::SessionProtocol;
use crate::session::signal_calls::cancels_itself;
use crate::session::statement_stage::{AdmittedQuery, PathStop, PermittedText};
use crate::wire::frontend::Execute;

/// Whether a statement still has to be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaCount {
    /// It has not been sent.
    Due,
    /// It was sent before and is sent again, as it was or changed: the same statement.
    Paid,
    /// Its portal goes on where it was left.
    GoesOn,
}

/// What a Query may bring, if it may be sent now.
pub(in crate::session) fn admit_query<'t>(
    protocol: &mut SessionProtocol,
    text: PermittedText<'t>,
) -> Result<AdmittedQuery<'t>, PathStop> {
    let judged = &text.judged;
    let gate = &protocol.judge.gate;
    let checked = protocol.context.recheck_held_cursors(judged, gate);
    let checked = checked.and_then(|()| is_fresh_enough(protocol, judged));
    let (limits, basis) = admission(protocol);
    let admitted = checked
        .and_then(|()| cancels_itself(text.permit.facts(), limits, basis.pending))
        .and_then(|()| limits.allow_query(&basis, judged, text.options.quota_count()));
    match admitted {
        Ok(allowance) => Ok(AdmittedQuery { text, allowance }),
        Err(refusal) => Err(PathStop::refused(refusal, judged, text.options.arrived)),
    }
}

/// What a run of a portal may bring, if it may be sent now.
pub(in crate::session) fn admit_execute(
    protocol: &mut SessionProtocol,
    execute: &Execute<'_>,
    facts: &Arc<Facts>,
    arrived: StatementArrival,
) -> Result<ResultAllowance, PathStop> {
    let is_fresh = is_fresh_enough(protocol, facts);
    let (limits, basis) = admission(protocol);
    is_fresh
        .and_then(|()| cancels_itself(facts, limits, basis.pending))
        .and_then(|()| limits.allow_execute(&basis, facts, execute))
        .map_err(|refusal| PathStop::refused(refusal, facts, arrived))
}

/// Whether what the client wants its reads to see is there.
fn is_fresh_enough(protocol: &mut SessionProtocol, facts: &Facts) -> Result<(), Box<Refusal>> {
    match weight(facts, protocol.judge.gate.policy()) {
        0 => Ok(()),
        _ => has_replayed(protocol),
    }
}

/// The part that admits, and what it does so by.
fn admission(protocol: &mut SessionProtocol) -> (&mut SessionLimits, AdmissionBasis<'_>) {
    let basis = AdmissionBasis {
        policy: protocol.judge.gate.policy(),
        names: &protocol.context.names,
        pending: &protocol.pending,
        witness: &protocol.witness,
    };
    (&mut protocol.limits, basis)
}

impl SessionLimits {
    fn allow_query(
        &mut self,
        by: &AdmissionBasis<'_>,
        facts: &Facts,
        count: QuotaCount,
    ) -> Result<ResultAllowance, Box<Refusal>> {
        self.admit_cursors(by, facts)?;
        let run = cursors_run(facts, by.names);
        if !is_limited(by.policy) && run == CursorRun::None {
            return Ok(ResultAllowance::boundless());
        }
        self.admit_counted(by, facts, count)?;
        let slot = self.admit(by, facts, count)?;
        let portal = PortalRun {
            lease: self.lease(by, facts)?,
            run,
            alone: if by.pending.transaction.unsynced {
                AloneInBatch::WithOthers
            } else {
                AloneInBatch::Alone
            },
            name: None,
        };
        Ok(ResultAllowance::of(by.policy, portal, &mut self.bounded).holding(slot))
    }

    fn allow_execute(
        &mut self,
        by: &AdmissionBasis<'_>,
        facts: &Facts,
        execute: &Execute<'_>,
    ) -> Result<ResultAllowance, Box<Refusal>> {
        let batch = std::mem::replace(&mut self.batch, BatchRuns::HasRun);
        self.admit_cursors(by, facts)?;
        let run = self.cursor_run(facts, execute, by.names);
        if !is_limited(by.policy) && run == CursorRun::None {
            return Ok(ResultAllowance::boundless());
        }
        let count = self.quota_count_of(execute.portal);
        self.admit_counted(by, facts, count)?;
        let slot = self.admit(by, facts, count)?;
        if execute.rows_max > 0 {
            self.note_run(execute.portal);
        }
        // FETCH may be from a portal that has a name.
        let may_go_on =
            count == QuotaCount::GoesOn || execute.rows_max > 0 || !execute.portal.is_empty();
        let alone = match batch {
            BatchRuns::Fresh => AloneInBatch::Alone,
            BatchRuns::HasRun => AloneInBatch::WithOthers,
        };
        let name = may_go_on.then(|| crate::gate::truncated_name(execute.portal).into());
        let lease = self.lease(by, facts)?;
        let portal = PortalRun {
            alone,
            name,
            run,
            lease,
        };
        Ok(ResultAllowance::of(by.policy, portal, &mut self.bounded).holding(slot))
    }

    /// Refuses what a limit concerns that all copies of pgsieve count together, while the settings
    /// want that because they cannot.
    fn admit_counted(
        &self,
        by: &AdmissionBasis<'_>,
        facts: &Facts,
        count: QuotaCount,
    ) -> Result<(), Box<Refusal>> {
        if !self.counted_session.is_uncounted()
            || count == QuotaCount::Paid
            || weight(facts, by.policy) == 0
        {
            return Ok(());
        }
        match counted_rule(by.policy) {
            None => Ok(()),
            Some(rule) => Err(messages::uncounted(rule, by.policy.name())),
        }
    }

    fn admit(
        &mut self,
        by: &AdmissionBasis<'_>,
        facts: &Facts,
        count: QuotaCount,
    ) -> Result<Option<Arc<StatementSlot>>, Box<Refusal>> {
        if !counts(by.policy) {
            return Ok(None);
        }
        let statements = weight(facts, by.policy);
        if statements == 0 {
            return Ok(None);
        }
        self.counted_session.move_to_policy(by.policy.name());
        let slot = self.take_slot(by, facts, count)?;
        if count == QuotaCount::Due {
            self.take_statements(by, facts, statements)?;
        }
        Ok(slot)
    }

    /// What the statement's rows are taken out of, unless nothing of the day is left.
    fn lease(
        &mut self,
        by: &AdmissionBasis<'_>,
        facts: &Facts,
    ) -> Result<Option<BudgetLease>, Box<Refusal>> {
        let Some(budget) = DayBudget::of(by.policy) else {
            return Ok(None);
        };
        if weight(facts, by.policy) == 0 {
            return Ok(None);
        }
        self.counted_session.move_to_policy(by.policy.name());
        // Where it is only observed, the first row tells.
        if budget.mode() == RuleMode::Enforce
            && let Some(used_up) = self.counted_session.used_up(budget)
        {
            by.witness
                .note_limit(Rule::DailyBudget, RuleMode::Enforce, facts.fingerprint);
            return Err(messages::day_budget_spent(
                used_up,
                rest_of_today(),
                by.policy.name(),
            ));
        }
        Ok(Some(self.counted_session.lease(budget)))
    }

    fn take_slot(
        &mut self,
        by: &AdmissionBasis<'_>,
        facts: &Facts,
        count: QuotaCount,
    ) -> Result<Option<Arc<StatementSlot>>, Box<Refusal>> {
        let Some(most) = by.policy.limits().concurrency_per_user else {
            return Ok(None);
        };
        if let Some(slot) = self.slot.upgrade() {
            return Ok(Some(slot));
        }
        let mode = by.policy.mode_of(PolicyRule::Concurrency);
        let most = match count {
            // It has had its place a moment ago.
            QuotaCount::Paid => u32::MAX,
            QuotaCount::Due | QuotaCount::GoesOn => most,
        };
        let slot = match (self.counted_session.slot(most), mode) {
            (Some(slot), _) => slot,
            (None, RuleMode::Enforce) => {
                by.witness
                    .note_limit(Rule::Concurrency, RuleMode::Enforce, facts.fingerprint);
                return Err(messages::too_many_connections(most, by.policy.name()));
            }
            (None, RuleMode::Observe) => {
                by.witness
                    .note_limit(Rule::Concurrency, RuleMode::Observe, facts.fingerprint);
                match self.counted_session.slot(u32::MAX) {
                    Some(slot) => slot,
                    None => return Ok(None),
                }
            }
        };
        let slot = Arc::new(slot);
        self.slot = Arc::downgrade(&slot);
        Ok(Some(slot))
    }

    fn take_statements(
        &mut self,
        by: &AdmissionBasis<'_>,
        facts: &Facts,
        statements: u32,
    ) -> Result<(), Box<Refusal>> {
        let limits = by.policy.limits();
        let second = limits.statements_per_second.map(RefillRate::per_second);
        let day = limits.statements_per_day.map(RefillRate::per_day);
        let Err(wait) = self.counted_session.take(statements, second, day) else {
            return Ok(());
        };
        let mode = by.policy.mode_of(PolicyRule::StatementRate);
        by.witness
            .note_limit(Rule::StatementRate, mode, facts.fingerprint);
        match mode {
            RuleMode::Enforce => Err(messages::too_fast(wait, by.policy.name())),
            RuleMode::Observe => Ok(()),
        }
    }
}

/// Whether a frame of the client has to wait until a result is complete. Behind the end of its
/// batch nothing is sent: a cancel would hit it, and a transaction that failed for the client would
/// go on in it.
pub(in crate::session) fn holds_back(protocol: &mut SessionProtocol, kind: u8) -> bool {
    let limits = &mut protocol.limits;
    limits.hold = FrameHold::Nothing;
    if protocol.client.state != ClientState::Open || kind == b'X' || !limits.has_bounded() {
        return false;
    }
    let is_unsynced = protocol.pending.transaction.unsynced;
    let is_behind = !is_unsynced || kind == b'Q';
    if is_behind {
        limits.hold = FrameHold::Frame;
        if is_unsynced {
            // Nothing else would make the upstream tell how far it is.
            protocol.upstream.outbox.flush_message();
        }
    }
    is_behind
}

/// Whether anything is limited of what a statement does.
fn is_limited(policy: &Policy) -> bool {
    is_bounded(policy.limits()) || counts(policy) || DayBudget::of(policy).is_some()
}

/// Whether statements are counted.
fn counts(policy: &Policy) -> bool {
    let limits = policy.limits();
    limits.concurrency_per_user.is_some()
        || limits.statements_per_second.is_some()
        || limits.statements_per_day.is_some()
}

/// The first limit of a user that is enforced.
fn counted_rule(policy: &Policy) -> Option<Rule> {
    let limits = policy.limits();
    let has_rate = limits.statements_per_second.is_some() || limits.statements_per_day.is_some();
    let has_budget = limits.rows_per_day.is_some() || limits.bytes_per_day.is_some();
    let has_places = limits.concurrency_per_user.is_some();
    [
        (has_rate, PolicyRule::StatementRate, Rule::StatementRate),
        (has_budget, PolicyRule::DailyBudget, Rule::DailyBudget),
        (has_places, PolicyRule::Concurrency, Rule::Concurrency),
    ]
    .into_iter()
    .find(|(has, rule, _)| *has && policy.mode_of(*rule) == RuleMode::Enforce)
    .map(|(_, _, rule)| rule)
}

/// As how many statements a text counts.
fn weight(facts: &Facts, policy: &Policy) -> u32 {
    match facts.kind {
        StatementKind::Begin
        | StatementKind::Commit
        | StatementKind::Rollback
        | StatementKind::SetConstraints
        | StatementKind::Savepoint
        | StatementKind::Release
        | StatementKind::PreparedTransaction
        | StatementKind::Set
        | StatementKind::Reset
        | StatementKind::Show
        | StatementKind::Deallocate
        | StatementKind::Close
        | StatementKind::Discard
        | StatementKind::Unlisten
        | StatementKind::Empty => 0,
        // Then they are housekeeping, each of them.
        StatementKind::Several
            if policy.statements().several == MultiStatementMode::Housekeeping =>
        {
            0
        }
        StatementKind::Several => facts.statements,
        _ => 1,
    }
}
