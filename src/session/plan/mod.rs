//! Where the policy bounds plans: what a read is expected to take is asked for before it runs, by
//! EXPLAIN, which never runs it, on the session that it will run on.
//!
//! - Only what has a plan is asked about: queries, cursors when they are declared, COPY of a query,
//!   EXECUTE. What EXPLAIN ANALYZE runs is a query too. A FETCH runs on what was asked about.
//! - A Query is asked about before it is sent. What a Parse prepares is asked about at each Bind,
//!   behind it and with its values; so whatever is wrong with the Bind is told as ever.
//! - The question is always prepared and bound under a name of pgsieve's own: whatever unnamed
//!   statement or portal the client has stays, and so does an implicit transaction that it has
//!   begun, because there is no Sync between its messages.
//! - Frames behind wait. What is asked goes to the server behind what the client sent before, so
//!   an error before it skips the question and what waits for it alike.
//! - Of the answer the client sees nothing, unless the question fails. Where names mean nothing and
//!   no transaction is open, the statement is sent all the same, and fails by itself, so that it
//!   may be repaired. Everything else is told in its place: a time that runs out, a cancel, a value
//!   that planning meets. Such things may be different a moment later, and nobody would have asked.
//! - In a message of several statements each read is asked about before the message runs, and the
//!   message is refused where one of them would change what another one means. Where one of them
//!   fails, the plans of those before it count: they run.
//! - What is known of a plan ([`plan_cache`]) answers for a while, unless it would refuse.
//!
//! The same way is asked how long a cursor WITH HOLD is (`measuring`), where that has to be known
//! before it moves.
//!
//! * [`question`]: a question under way; `outcome`: what comes of it
//!
//! What a client that asks for the plan of a statement with models gets of it is in `told`.
//!
//! * [`estimate`]: what a plan says; [`plan_cache`]: what was said before

pub(super) mod answer;
mod cursor_length;
pub mod estimate;
#[cfg(test)]
mod exchanges;
pub mod plan_cache;
pub mod question;
mod redacted;

use std::sync::{Arc, PoisonError};

use self::estimate::Plan;
use self::plan_cache::Key;
use self::question::{Asking, End, Subject, Waiting};
use super::arrival::Arrival;
use super::lowered_settings::Lowered;
use super::pending::Owed;
use super::policy_limits::Moment;
use super::policy_limits::result_limit::Allowance;
use super::protocol::{Conversation, Ending, Intake};
use super::repair::apply_repair::Manner;
use crate::gate::{Facts, Parameters, PlanBound, Planning, Prepared, ReadPermit, Refusal, Rule};
use crate::policy::{Mode, PolicyRule};
use crate::sql::fingerprint::Fingerprint;
use crate::telemetry::events::LimitReached;
use crate::telemetry::labels::{Path, PlanAnswer};
use crate::wire::backend::TransactionStatus;
use crate::wire::frame::Frame;
use crate::wire::frontend::{Bind, Oids};

/// What is to be asked before a statement runs.
pub(super) struct Ask {
    planning: Planning,
    key: Option<Key>,
}

impl Conversation {
    /// A Query that may run is sent once its plan is known to be within the bounds. Where a
    /// question was put into the batch before it, that is ended first, by a question about nothing.
    pub(super) fn plan_query(
        &mut self,
        frame: &Frame<'_>,
        (permit, lowered): (ReadPermit<'_>, Option<Lowered>),
        (manner, allowance): (Manner, Allowance),
    ) -> Result<(), Ending> {
        let measures = self.measures(permit.facts(), Moment::BeforeRun);
        let ends_batch = self.standing.unsynced && self.standing.asked;
        let put = match measures.is_empty() && !ends_batch {
            true => None,
            false => self.put_measures(measures),
        };
        match put {
            None => self.plan_measured(frame, (permit, lowered), (manner, allowance)),
            Some((end, cursors)) => {
                let waiting = Waiting::of(frame, (permit, lowered), (manner, allowance));
                self.wait_for_cursors(Subject::Query(Box::new(waiting)), end, cursors);
                Ok(())
            }
        }
    }

    /// The same where it is known how long the cursors are that it moves.
    pub(super) fn plan_measured(
        &mut self,
        frame: &Frame<'_>,
        (permit, lowered): (ReadPermit<'_>, Option<Lowered>),
        (manner, allowance): (Manner, Allowance),
    ) -> Result<(), Ending> {
        if !self.gate.policy().limits().wants_plans() {
            return self.send_query(frame, &permit, lowered, (manner, allowance));
        }
        let asked = self.ask_of_query(&permit).and_then(|ask| match ask {
            Some(ask) => self.put(&ask, &Parameters::open(), NO_VALUES).map(Some),
            None => Ok(None),
        });
        match asked {
            Ok(None) => self.send_query(frame, &permit, lowered, (manner, allowance)),
            Ok(Some((end, shifts, key))) => {
                let waiting = Waiting::of(frame, (permit, lowered), (manner, allowance));
                let subject = Subject::Query(Box::new(waiting));
                self.wait(Asking::new(subject, end, key, shifts));
                Ok(())
            }
            Err(refusal) => self.refuse_permitted(permit.facts(), refusal, manner.arrived),
        }
    }

    /// What has to be asked before a prepared statement that is bound now may run.
    pub(super) fn ask_of_bind(&self, prepared: &Prepared) -> Result<Option<Ask>, Box<Refusal>> {
        if !self.gate.policy().limits().wants_plans() || self.is_sure_to_fail() {
            return Ok(None);
        }
        let key = self.key_of(&prepared.facts, &prepared.text);
        if self.is_known_to_be_within(key.as_ref()) {
            return Ok(None);
        }
        let planning = self.gate.plans_of_prepared(prepared, &self.names)?;
        Ok((!planning.questions.is_empty()).then_some(Ask { planning, key }))
    }

    /// A portal was bound: its plan is asked for, with the same values, or how long the cursors are
    /// that it moves. What moves a cursor has no plan.
    pub(super) fn plan_bind(
        &mut self,
        ask: Option<(Ask, Prepared)>,
        bind: &Bind<'_>,
    ) -> Result<(), Ending> {
        let Some((ask, prepared)) = ask else {
            self.measure_bound(bind.portal);
            return Ok(());
        };
        match self.put(&ask, &prepared.parameters, bind.given) {
            Ok((end, shifts, key)) => {
                let subject =
                    Subject::Bind(Arc::clone(&prepared.facts), Arc::clone(&prepared.text));
                self.wait(Asking::new(subject, end, key, shifts));
                Ok(())
            }
            Err(refusal) => {
                let judged = (Arc::clone(&prepared.facts), self.inflow.take());
                self.refuse_message(refusal, Some(judged), Path::Bind)
            }
        }
    }

    fn ask_of_query(&self, permit: &ReadPermit<'_>) -> Result<Option<Ask>, Box<Refusal>> {
        let facts = permit.facts();
        if facts.statements <= 1 && self.is_sure_to_fail() {
            return Ok(None);
        }
        let key = self.key_of(facts, permit.text());
        if self.is_known_to_be_within(key.as_ref()) {
            return Ok(None);
        }
        let planning = self.gate.plans_of(permit, &self.names)?;
        if planning.ends_transaction && !self.is_outside_of_transactions() {
            return Err(Refusal::of_unplannable());
        }
        Ok((!planning.questions.is_empty()).then_some(Ask { planning, key }))
    }

    /// Writes the questions.
    fn put(
        &mut self,
        ask: &Ask,
        parameters: &Parameters,
        given: &[u8],
    ) -> Result<Put, Box<Refusal>> {
        let types: Vec<[u8; 4]> = match parameters {
            Parameters::Given(types) => types.iter().map(|oid| oid.to_be_bytes()).collect(),
            Parameters::Unknown => Vec::new(),
        };
        let types = Oids::of(&types).ok_or_else(Refusal::of_unplannable)?;
        let permits = ask
            .planning
            .questions
            .iter()
            .map(|question| &question.permit);
        let asked = self.outbox.questions(permits, types, given);
        asked.map_err(|_| Refusal::of_unplannable())?;
        let end = if self.standing.unsynced || self.journal.may_be_skipping() {
            self.outbox.flush_message();
            self.standing.open_batch();
            self.standing.asked |= !ask.planning.questions.is_empty();
            End::Flush
        } else {
            self.outbox.sync_message();
            End::Sync
        };
        let questions = ask.planning.questions.iter();
        Ok((
            end,
            questions.map(|question| question.shift).collect(),
            ask.key,
        ))
    }

    fn wait(&mut self, asking: Asking) {
        if !asking.is_of_cursors() {
            self.telemetry.plan_sought(PlanAnswer::Miss);
        }
        self.journal.push(Owed::Plan(Box::new(asking)));
        self.intake = Intake::Planning;
    }

    fn key_of(&self, facts: &Facts, text: &str) -> Option<Key> {
        let plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        plans.key(&self.gate, facts, text, (&self.names, self.info.database()))
    }

    /// Whether a plan of before speaks for the statement. One that speaks against it is not asked:
    /// it was perhaps made for other values.
    fn is_known_to_be_within(&self, key: Option<&Key>) -> bool {
        let age_max = self.gate.policy().limits().plan_age_max;
        let plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let known = key.and_then(|key| plans.find(key, age_max));
        let is_within = known.is_some_and(|plan| self.passed_bounds(plan).is_empty());
        if is_within {
            self.telemetry.plan_sought(PlanAnswer::Hit);
        }
        is_within
    }

    /// The bounds of the policy that a plan does not keep.
    fn passed_bounds(&self, plan: Plan) -> Vec<(PolicyRule, PlanBound, f64)> {
        let limits = self.gate.policy().limits();
        let bounds = [
            (
                PolicyRule::PlanCost,
                Rule::PlanCost,
                limits.max_plan_cost,
                plan.cost,
            ),
            (
                PolicyRule::PlanRows,
                Rule::PlanRows,
                limits.max_plan_rows,
                plan.rows,
            ),
        ];
        let passed = bounds
            .into_iter()
            .filter_map(|(own, rule, limit, estimate)| {
                let limit = limit.filter(|limit| estimate > *limit)?;
                Some((own, PlanBound { rule, limit }, estimate))
            });
        passed.collect()
    }

    /// What the policy says to a plan: the first bound that it does not keep and that is enforced.
    /// What is only observed is counted.
    pub(super) fn weigh(
        &self,
        plan: Option<Plan>,
        fingerprint: Option<Fingerprint>,
    ) -> Result<(), Box<Refusal>> {
        let policy = self.gate.policy();
        let Some(plan) = plan else {
            let rules = [PolicyRule::PlanCost, PolicyRule::PlanRows];
            let observed = rules
                .iter()
                .all(|rule| policy.mode_of(*rule) == Mode::Observe);
            return observed.then_some(()).ok_or_else(Refusal::of_unplannable);
        };
        for (own, bound, estimate) in self.passed_bounds(plan) {
            let mode = policy.mode_of(own);
            self.telemetry.emit(&LimitReached {
                session: &self.info,
                rule: bound.rule,
                mode,
                fingerprint,
            });
            if mode == Mode::Enforce {
                // Estimates tell of rows that are hidden.
                let told = (!policy.hides()).then_some(estimate);
                return Err(Refusal::of_plan(bound, told));
            }
        }
        Ok(())
    }

    /// A statement that the gate permits is refused for what its plan says.
    fn refuse_permitted(
        &mut self,
        facts: &Arc<Facts>,
        refusal: Box<Refusal>,
        arrived: Arrival,
    ) -> Result<(), Ending> {
        self.expect_copy_leftovers(facts);
        let judged = Some((Arc::clone(facts), arrived));
        self.refuse_query(refusal, judged, Path::Query)
    }

    /// Whether the transaction has failed and nothing is under way that could end it: a read fails.
    fn is_sure_to_fail(&self) -> bool {
        self.standing.status == TransactionStatus::Failed
            && !self.standing.unsynced
            && self.journal.is_empty()
    }

    /// The same as [`Self::answers_alone`], but for what only ends.
    fn is_outside_of_transactions(&self) -> bool {
        self.standing.status == TransactionStatus::Idle
            && !self.standing.unsynced
            && self.journal.has_only_readies()
    }
}

/// How a question ends, where the texts in it stand, under what its answer will be known.
type Put = (End, std::collections::VecDeque<Option<i64>>, Option<Key>);

/// The values of a Bind that has none: no formats, no values.
const NO_VALUES: &[u8] = b"\0\0\0\0";
