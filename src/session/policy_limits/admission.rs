//! Whether a statement may be sent now, and what it holds while it runs.
//!
//! What counts are statements of a Query and runs of a portal. Transaction control, settings and
//! other housekeeping of the session do not: a client must be able to end its transaction whatever
//! it did before. A session that runs anything takes one place of its user, however long its
//! pipeline is: its statements run one after the other.

use std::sync::Arc;

use super::cursor_run::CursorRun;
use super::daily_budget::{BudgetLease, DayBudget, rest_of_today};
use super::per_user::StatementSlot;
use super::rate_limit::RefillRate;
use super::result_limit::{AloneInBatch, PortalRun, ResultAllowance, is_bounded};
use super::{BatchRuns, FrameHold, messages};
use crate::gate::{Facts, Refusal, Rule, StatementKind};
use crate::policy::{MultiStatementMode, Policy, PolicyRule, RuleMode};
use crate::session::arrival::StatementArrival;
use crate::session::protocol::{ClientState, SessionProtocol};
use crate::session::statement::{AdmittedQuery, PathStop, PermittedText};
use crate::wire::frontend::{Execute, Parse};

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

impl SessionProtocol {
    /// What a Query may bring, if it may be sent now.
    pub(in crate::session) fn admit_query<'t>(
        &mut self,
        text: PermittedText<'t>,
    ) -> Result<AdmittedQuery<'t>, PathStop> {
        let judged = &text.judged;
        let admitted = self
            .recheck_held_cursors(judged)
            .and_then(|()| self.cancels_itself(text.permit.facts()))
            .and_then(|()| self.allow_query(judged, text.options.quota_count()));
        match admitted {
            Ok(allowance) => Ok(AdmittedQuery { text, allowance }),
            Err(refusal) => Err(PathStop::refused(refusal, judged, text.options.arrived)),
        }
    }

    /// Whether a Parse has room for its name, and types that the policy lets parameters have.
    pub(in crate::session) fn admit_parse<'t>(
        &self,
        parse: &Parse<'_>,
        text: PermittedText<'t>,
    ) -> Result<PermittedText<'t>, PathStop> {
        let types = parse.parameter_types.iter();
        let admitted = match self.context.names.is_full() {
            true => Err(Refusal::of_too_many_names()),
            false => self
                .judge
                .gate
                .permits_parameters(types, &self.context.names),
        };
        match admitted {
            Ok(()) => Ok(text),
            Err(refusal) => {
                let arrived = text.options.arrived;
                Err(PathStop::refused(refusal, &text.judged, arrived))
            }
        }
    }

    /// What a run of a portal may bring, if it may be sent now.
    pub(in crate::session) fn admit_execute(
        &mut self,
        execute: &Execute<'_>,
        facts: &Arc<Facts>,
        arrived: StatementArrival,
    ) -> Result<ResultAllowance, PathStop> {
        self.cancels_itself(facts)
            .and_then(|()| self.allow_execute(facts, execute))
            .map_err(|refusal| PathStop::refused(refusal, facts, arrived))
    }

    fn allow_query(
        &mut self,
        facts: &Facts,
        count: QuotaCount,
    ) -> Result<ResultAllowance, Box<Refusal>> {
        self.admit_cursors(facts)?;
        let run = self.cursors_run(facts);
        if !is_limited(self.judge.gate.policy()) && run == CursorRun::None {
            return Ok(ResultAllowance::boundless());
        }
        let gate = Arc::clone(&self.judge.gate);
        let policy = gate.policy();
        let slot = self.admit(policy, facts, count)?;
        let portal = PortalRun {
            lease: self.lease(policy, facts)?,
            run,
            alone: if self.upstream.transaction.unsynced {
                AloneInBatch::WithOthers
            } else {
                AloneInBatch::Alone
            },
            name: None,
        };
        Ok(ResultAllowance::of(policy, portal, &mut self.limits.bounded).holding(slot))
    }

    fn allow_execute(
        &mut self,
        facts: &Facts,
        execute: &Execute<'_>,
    ) -> Result<ResultAllowance, Box<Refusal>> {
        let batch = std::mem::replace(&mut self.limits.batch, BatchRuns::HasRun);
        self.admit_cursors(facts)?;
        let run = self.cursor_run(facts, execute);
        if !is_limited(self.judge.gate.policy()) && run == CursorRun::None {
            return Ok(ResultAllowance::boundless());
        }
        let gate = Arc::clone(&self.judge.gate);
        let policy = gate.policy();
        let count = self.limits.quota_count_of(execute.portal);
        let slot = self.admit(policy, facts, count)?;
        if execute.rows_max > 0 {
            self.limits.note_run(execute.portal);
        }
        // FETCH may be from a portal that has a name.
        let may_go_on =
            count == QuotaCount::GoesOn || execute.rows_max > 0 || !execute.portal.is_empty();
        let alone = match batch {
            BatchRuns::Fresh => AloneInBatch::Alone,
            BatchRuns::HasRun => AloneInBatch::WithOthers,
        };
        let name = may_go_on.then(|| crate::gate::truncated_name(execute.portal).into());
        let lease = self.lease(policy, facts)?;
        let portal = PortalRun {
            alone,
            name,
            run,
            lease,
        };
        Ok(ResultAllowance::of(policy, portal, &mut self.limits.bounded).holding(slot))
    }

    fn admit(
        &mut self,
        policy: &Policy,
        facts: &Facts,
        count: QuotaCount,
    ) -> Result<Option<Arc<StatementSlot>>, Box<Refusal>> {
        if !counts(policy) {
            return Ok(None);
        }
        let statements = weight(facts, policy);
        if statements == 0 {
            return Ok(None);
        }
        self.limits.counted_session.move_to_policy(policy.name());
        let slot = self.take_slot(policy, facts, count)?;
        if count == QuotaCount::Due {
            self.take_statements(policy, facts, statements)?;
        }
        Ok(slot)
    }

    /// What the statement's rows are taken out of, unless nothing of the day is left.
    fn lease(
        &mut self,
        policy: &Policy,
        facts: &Facts,
    ) -> Result<Option<BudgetLease>, Box<Refusal>> {
        let Some(budget) = DayBudget::of(policy) else {
            return Ok(None);
        };
        if weight(facts, policy) == 0 {
            return Ok(None);
        }
        self.limits.counted_session.move_to_policy(policy.name());
        // Where it is only observed, the first row tells.
        if budget.mode() == RuleMode::Enforce
            && let Some(used_up) = self.limits.counted_session.used_up(budget)
        {
            self.witness
                .note_limit(Rule::DailyBudget, RuleMode::Enforce, facts.fingerprint);
            return Err(messages::day_budget_spent(
                used_up,
                rest_of_today(),
                policy.name(),
            ));
        }
        Ok(Some(self.limits.counted_session.lease(budget)))
    }

    fn take_slot(
        &mut self,
        policy: &Policy,
        facts: &Facts,
        count: QuotaCount,
    ) -> Result<Option<Arc<StatementSlot>>, Box<Refusal>> {
        let Some(most) = policy.limits().concurrency_per_user else {
            return Ok(None);
        };
        if let Some(slot) = self.limits.slot.upgrade() {
            return Ok(Some(slot));
        }
        let mode = policy.mode_of(PolicyRule::Concurrency);
        let most = match count {
            // It has had its place a moment ago.
            QuotaCount::Paid => u32::MAX,
            QuotaCount::Due | QuotaCount::GoesOn => most,
        };
        let slot = match (self.limits.counted_session.slot(most), mode) {
            (Some(slot), _) => slot,
            (None, RuleMode::Enforce) => {
                self.witness
                    .note_limit(Rule::Concurrency, RuleMode::Enforce, facts.fingerprint);
                return Err(messages::too_many_connections(most, policy.name()));
            }
            (None, RuleMode::Observe) => {
                self.witness
                    .note_limit(Rule::Concurrency, RuleMode::Observe, facts.fingerprint);
                match self.limits.counted_session.slot(u32::MAX) {
                    Some(slot) => slot,
                    None => return Ok(None),
                }
            }
        };
        let slot = Arc::new(slot);
        self.limits.slot = Arc::downgrade(&slot);
        Ok(Some(slot))
    }

    fn take_statements(
        &mut self,
        policy: &Policy,
        facts: &Facts,
        statements: u32,
    ) -> Result<(), Box<Refusal>> {
        let limits = policy.limits();
        let second = limits.statements_per_second.map(RefillRate::per_second);
        let day = limits.statements_per_day.map(RefillRate::per_day);
        let Err(wait) = self.limits.counted_session.take(statements, second, day) else {
            return Ok(());
        };
        let mode = policy.mode_of(PolicyRule::StatementRate);
        self.witness
            .note_limit(Rule::StatementRate, mode, facts.fingerprint);
        match mode {
            RuleMode::Enforce => Err(messages::too_fast(wait, policy.name())),
            RuleMode::Observe => Ok(()),
        }
    }

    /// Whether a frame of the client has to wait until a result is complete. Behind the end of its
    /// batch nothing is sent: a cancel would hit it, and a transaction that failed for the client
    /// would go on in it.
    pub(in crate::session) fn holds_back(&mut self, kind: u8) -> bool {
        self.limits.hold = FrameHold::Nothing;
        if self.client.state != ClientState::Open || kind == b'X' || !self.limits.has_bounded() {
            return false;
        }
        let is_behind = !self.upstream.transaction.unsynced || kind == b'Q';
        if is_behind {
            self.limits.hold = FrameHold::Frame;
            if self.upstream.transaction.unsynced {
                // Nothing else would make the upstream tell how far it is.
                self.upstream.outbox.flush_message();
            }
        }
        is_behind
    }
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
