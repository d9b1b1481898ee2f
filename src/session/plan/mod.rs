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
//! The same way is asked how long a cursor WITH HOLD is (`cursor_length`), where that has to be
//! known before it moves.
//!
//! * [`question`]: a question under way; `answer`: what comes of it
//!
//! What a client that asks for the plan of a statement with models gets of it is in `redacted`.
//!
//! * [`estimate`]: what a plan says; [`plan_cache`]: what was said before

pub(super) mod answer;
mod cursor_length;
pub mod estimate;
#[cfg(test)]
mod exchange_tests;
pub mod plan_cache;
pub mod question;
mod redacted;

use std::sync::PoisonError;

use self::estimate::PlanEstimate;
use self::plan_cache::PlanKey;
use self::question::{ExplainQuestion, PlanSubject, QuestionEnd, WaitingQuery};
use super::pending::ExpectedReply;
use super::policy_limits::MeasureMoment;
use super::protocol::{ClientState, SessionProtocol};
use super::statement::{AdmittedQuery, PathStop};
use crate::gate::{
    Facts, ParameterTypes, PlanBound, PlanCheck, PreparedStatement, ReadPermit, Refusal, Rule,
};
use crate::policy::{PolicyRule, RuleMode};
use crate::sql::fingerprint::Fingerprint;
use crate::telemetry::events::LimitReached;
use crate::telemetry::labels::PlanAnswer;
use crate::wire::backend::TransactionStatus;
use crate::wire::frame::ClientFrame;
use crate::wire::frontend::{Bind, ParameterOids};

/// What is to be asked before a statement runs.
pub(super) struct PlanRequest {
    planning: PlanCheck,
    key: Option<PlanKey>,
}

/// What is to be asked of a prepared statement, behind its Bind.
pub(super) struct BoundQuestion {
    request: PlanRequest,
    prepared: PreparedStatement,
}

impl SessionProtocol {
    /// A Query that moves cursors WITH HOLD waits until it is known how long they are. Where a
    /// question was put into the batch before it, that is ended first, by a question about nothing.
    pub(super) fn measure_cursors<'t>(
        &mut self,
        frame: &ClientFrame<'_>,
        query: AdmittedQuery<'t>,
    ) -> Result<AdmittedQuery<'t>, PathStop> {
        let measures = self.measures(query.text.permit.facts(), MeasureMoment::BeforeRun);
        let ends_batch = self.upstream.transaction.unsynced && self.upstream.transaction.asked;
        let put = match measures.is_empty() && !ends_batch {
            true => None,
            false => self.put_measures(measures),
        };
        let Some((end, cursors)) = put else {
            return Ok(query);
        };
        let waiting = Box::new(WaitingQuery::of(frame, query));
        self.wait_for_cursors(PlanSubject::Query(waiting), end, cursors);
        Err(PathStop::Waits)
    }

    /// A Query goes on where its plan is known to be within the bounds of the policy, and waits
    /// where that is to be asked.
    pub(super) fn plan_within_bounds<'t>(
        &mut self,
        frame: &ClientFrame<'_>,
        query: AdmittedQuery<'t>,
    ) -> Result<AdmittedQuery<'t>, PathStop> {
        if !self.judge.gate.policy().limits().wants_plans() {
            return Ok(query);
        }
        let permit = &query.text.permit;
        let asked = self.question_of_query(permit).and_then(|ask| match ask {
            Some(ask) => self
                .write_question(&ask, &ParameterTypes::none_given(), NO_VALUES)
                .map(Some),
            None => Ok(None),
        });
        match asked {
            Ok(None) => Ok(query),
            Ok(Some((end, shifts, key))) => {
                let subject = PlanSubject::Query(Box::new(WaitingQuery::of(frame, query)));
                self.wait_for_plan(ExplainQuestion::new(subject, end, key, shifts));
                Err(PathStop::Waits)
            }
            Err(refusal) => {
                let arrived = query.text.options.arrived;
                Err(PathStop::refused(refusal, permit.facts(), arrived))
            }
        }
    }

    /// What has to be asked of a prepared statement that is bound now.
    pub(super) fn question_of_bind(
        &mut self,
        prepared: &PreparedStatement,
    ) -> Result<Option<BoundQuestion>, PathStop> {
        match self.request_of_bind(prepared) {
            Ok(request) => Ok(request.map(|request| BoundQuestion {
                request,
                prepared: prepared.clone(),
            })),
            Err(refusal) => {
                let arrived = self.client.inflow.arrival();
                Err(PathStop::refused(refusal, &prepared.facts, arrived))
            }
        }
    }

    fn request_of_bind(
        &self,
        prepared: &PreparedStatement,
    ) -> Result<Option<PlanRequest>, Box<Refusal>> {
        if !self.judge.gate.policy().limits().wants_plans() || self.is_sure_to_fail() {
            return Ok(None);
        }
        let key = self.plan_key(&prepared.facts, &prepared.text);
        if self.is_known_to_be_within(key.as_ref()) {
            return Ok(None);
        }
        let planning = self
            .judge
            .gate
            .plans_of_prepared(prepared, &self.context.names)?;
        Ok((!planning.questions.is_empty()).then_some(PlanRequest { planning, key }))
    }

    /// A portal was bound: its plan is asked for, with the same values, or how long the cursors are
    /// that it moves. What moves a cursor has no plan.
    pub(super) fn plan_bound(
        &mut self,
        bind: &Bind<'_>,
        question: Option<BoundQuestion>,
    ) -> Result<(), PathStop> {
        let Some(BoundQuestion { request, prepared }) = question else {
            self.measure_bound(bind.portal);
            return Ok(());
        };
        match self.write_question(&request, &prepared.parameters, bind.given) {
            Ok((end, shifts, key)) => {
                let subject = PlanSubject::Bind(prepared.facts, prepared.text);
                self.wait_for_plan(ExplainQuestion::new(subject, end, key, shifts));
                Ok(())
            }
            Err(refusal) => {
                let arrived = self.client.inflow.arrival();
                Err(PathStop::refused(refusal, &prepared.facts, arrived))
            }
        }
    }

    fn question_of_query(
        &self,
        permit: &ReadPermit<'_>,
    ) -> Result<Option<PlanRequest>, Box<Refusal>> {
        let facts = permit.facts();
        if facts.statements <= 1 && self.is_sure_to_fail() {
            return Ok(None);
        }
        let key = self.plan_key(facts, permit.text());
        if self.is_known_to_be_within(key.as_ref()) {
            return Ok(None);
        }
        let planning = self.judge.gate.plans_of(permit, &self.context.names)?;
        if planning.ends_transaction && !self.is_outside_of_transactions() {
            return Err(Refusal::of_unplannable());
        }
        Ok((!planning.questions.is_empty()).then_some(PlanRequest { planning, key }))
    }

    /// Writes the questions.
    fn write_question(
        &mut self,
        ask: &PlanRequest,
        parameters: &ParameterTypes,
        given: &[u8],
    ) -> Result<PutQuestion, Box<Refusal>> {
        let types: Vec<[u8; 4]> = match parameters {
            ParameterTypes::Given(types) => types.iter().map(|oid| oid.to_be_bytes()).collect(),
            ParameterTypes::Unknown => Vec::new(),
        };
        let types = ParameterOids::of(&types).ok_or_else(Refusal::of_unplannable)?;
        let permits = ask
            .planning
            .questions
            .iter()
            .map(|question| &question.permit);
        let asked = self.upstream.outbox.questions(permits, types, given);
        asked.map_err(|_| Refusal::of_unplannable())?;
        let end = if self.upstream.transaction.unsynced || self.pending.may_be_skipping() {
            self.upstream.outbox.flush_message();
            self.upstream.transaction.open_batch();
            self.upstream.transaction.asked |= !ask.planning.questions.is_empty();
            QuestionEnd::Flush
        } else {
            self.upstream.outbox.sync_message();
            QuestionEnd::Sync
        };
        let questions = ask.planning.questions.iter();
        Ok((
            end,
            questions.map(|question| question.shift).collect(),
            ask.key,
        ))
    }

    fn wait_for_plan(&mut self, asking: ExplainQuestion) {
        if !asking.is_of_cursors() {
            self.witness.telemetry.plan_looked_up(PlanAnswer::Miss);
        }
        self.pending.push(ExpectedReply::Plan(Box::new(asking)));
        self.client.state = ClientState::Planning;
    }

    fn plan_key(&self, facts: &Facts, text: &str) -> Option<PlanKey> {
        let plans = self
            .plan
            .cache
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        plans.key(
            &self.judge.gate,
            facts,
            text,
            (&self.context.names, self.witness.info.database()),
        )
    }

    /// Whether a plan of before speaks for the statement. One that speaks against it is not asked:
    /// it was perhaps made for other values.
    fn is_known_to_be_within(&self, key: Option<&PlanKey>) -> bool {
        let age_max = self.judge.gate.policy().limits().plan_age_max;
        let plans = self
            .plan
            .cache
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let known = key.and_then(|key| plans.find(key, age_max));
        let is_within = known.is_some_and(|plan| self.exceeded_bounds(plan).is_empty());
        if is_within {
            self.witness.telemetry.plan_looked_up(PlanAnswer::Hit);
        }
        is_within
    }

    /// The bounds of the policy that a plan does not keep.
    fn exceeded_bounds(&self, plan: PlanEstimate) -> Vec<(PolicyRule, PlanBound, f64)> {
        let limits = self.judge.gate.policy().limits();
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
    pub(super) fn exceeded_bound(
        &self,
        plan: Option<PlanEstimate>,
        fingerprint: Option<Fingerprint>,
    ) -> Result<(), Box<Refusal>> {
        let policy = self.judge.gate.policy();
        let Some(plan) = plan else {
            let rules = [PolicyRule::PlanCost, PolicyRule::PlanRows];
            let observed = rules
                .iter()
                .all(|rule| policy.mode_of(*rule) == RuleMode::Observe);
            return observed.then_some(()).ok_or_else(Refusal::of_unplannable);
        };
        for (own, bound, estimate) in self.exceeded_bounds(plan) {
            let mode = policy.mode_of(own);
            self.witness.telemetry.emit(&LimitReached {
                session: &self.witness.info,
                rule: bound.rule,
                mode,
                fingerprint,
            });
            if mode == RuleMode::Enforce {
                // Estimates tell of rows that are hidden.
                let told = (!policy.hides()).then_some(estimate);
                return Err(Refusal::of_plan(bound, told));
            }
        }
        Ok(())
    }

    /// Whether the transaction has failed and nothing is under way that could end it: a read fails.
    fn is_sure_to_fail(&self) -> bool {
        self.upstream.transaction.status == TransactionStatus::Failed
            && !self.upstream.transaction.unsynced
            && self.pending.is_empty()
    }

    /// The same as [`Self::answers_alone`], but for what only ends.
    fn is_outside_of_transactions(&self) -> bool {
        self.upstream.transaction.status == TransactionStatus::Idle
            && !self.upstream.transaction.unsynced
            && self.pending.has_only_readies()
    }
}

/// How a question ends, where the texts in it stand, under what its answer will be known.
type PutQuestion = (
    QuestionEnd,
    std::collections::VecDeque<Option<i64>>,
    Option<PlanKey>,
);

/// The values of a Bind that has none: no formats, no values.
const NO_VALUES: &[u8] = b"\0\0\0\0";
