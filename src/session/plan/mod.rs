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
pub(super) mod redacted;

use self::cursor_length::{measure_bound, put_measures, wait_for_cursors};
use self::estimate::PlanEstimate;
use self::plan_cache::PlanKey;
use self::question::{ExplainQuestion, PlanSubject, QuestionEnd, WaitingQuery};
use super::client_side::ClientState;
use super::pending::{ExpectedReply, PendingReplies};
use super::policy_limits::MeasureMoment;
use super::pooling::prepared::form_of_query;
use super::protocol::SessionProtocol;
use super::statement_stage::{AdmittedQuery, PathStop};
use super::tracing::SessionWitness;
use crate::gate::{
    Facts, ParameterTypes, PlanBound, PlanCheck, PreparedStatement, ReadPermit, Refusal, Rule,
    StatementKind,
};
use crate::policy::{Policy, PolicyLimits, PolicyRule, RuleMode};
use crate::telemetry::labels::PlanAnswer;
use crate::upstream::outbox::Outbox;
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

/// A Query that moves cursors WITH HOLD waits until it is known how long they are. Where a question
/// was put into the batch before it, that is ended first, by a question about nothing.
pub(super) fn measure_cursors<'t>(
    protocol: &mut SessionProtocol,
    frame: &ClientFrame<'_>,
    query: AdmittedQuery<'t>,
) -> Result<AdmittedQuery<'t>, PathStop> {
    let (facts, pending) = (query.text.permit.facts(), &protocol.pending);
    let measures = (protocol.limits).measures(facts, MeasureMoment::BeforeRun, pending);
    let ends_batch = pending.transaction.unsynced && pending.transaction.asked;
    let put = match measures.is_empty() && !ends_batch {
        true => None,
        false => put_measures(protocol, measures),
    };
    let Some((end, cursors)) = put else {
        return Ok(query);
    };
    let waiting = Box::new(WaitingQuery::of(frame, query));
    wait_for_cursors(protocol, PlanSubject::Query(waiting), end, cursors);
    Err(PathStop::Waits)
}

/// A Query goes on where its plan is known to be within the bounds of the policy, and waits where
/// that is to be asked.
pub(super) fn plan_within_bounds<'t>(
    protocol: &mut SessionProtocol,
    frame: &ClientFrame<'_>,
    query: AdmittedQuery<'t>,
) -> Result<AdmittedQuery<'t>, PathStop> {
    if !protocol.judge.gate.policy().limits().wants_plans() {
        return Ok(query);
    }
    let permit = &query.text.permit;
    let asked = question_of_query(protocol, permit);
    if let Ok(Some(_)) = &asked {
        // The question is about the statement that a name stands for.
        form_of_query(protocol, permit.facts())?;
    }
    let asked = asked.and_then(|ask| match ask {
        Some(ask) => {
            let (outbox, pending) = (&mut protocol.upstream.outbox, &mut protocol.pending);
            let none = ParameterTypes::none_given();
            write_question((outbox, pending), &ask, &none, NO_VALUES).map(Some)
        }
        None => Ok(None),
    });
    match asked {
        Ok(None) => Ok(query),
        Ok(Some((end, shifts, key))) => {
            let subject = PlanSubject::Query(Box::new(WaitingQuery::of(frame, query)));
            let asking = ExplainQuestion::new(subject, end, key, shifts);
            wait_for_plan(protocol, asking);
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
    protocol: &mut SessionProtocol,
    prepared: &PreparedStatement,
) -> Result<Option<BoundQuestion>, PathStop> {
    match request_of_bind(protocol, prepared) {
        Ok(request) => Ok(request.map(|request| BoundQuestion {
            request,
            prepared: prepared.clone(),
        })),
        Err(refusal) => {
            let arrived = protocol.client.inflow.arrival();
            Err(PathStop::refused(refusal, &prepared.facts, arrived))
        }
    }
}

fn request_of_bind(
    protocol: &SessionProtocol,
    prepared: &PreparedStatement,
) -> Result<Option<PlanRequest>, Box<Refusal>> {
    let gate = &protocol.judge.gate;
    if !gate.policy().limits().wants_plans() || protocol.pending.is_sure_to_fail() {
        return Ok(None);
    }
    let key = plan_key(protocol, &prepared.facts, &prepared.text);
    if is_known_to_be_within(protocol, key.as_ref()) {
        return Ok(None);
    }
    let planning = gate.plans_of_prepared(prepared, &protocol.context.names)?;
    Ok((!planning.questions.is_empty()).then_some(PlanRequest { planning, key }))
}

/// A portal was bound: its plan is asked for, with the same values, or how long the cursors are
/// that it moves. What moves a cursor has no plan.
pub(super) fn plan_bound(
    protocol: &mut SessionProtocol,
    bind: &Bind<'_>,
    question: Option<BoundQuestion>,
) -> Result<(), PathStop> {
    let Some(BoundQuestion { request, prepared }) = question else {
        measure_bound(protocol, bind.portal);
        return Ok(());
    };
    let (outbox, pending) = (&mut protocol.upstream.outbox, &mut protocol.pending);
    match write_question(
        (outbox, pending),
        &request,
        &prepared.parameters,
        bind.given,
    ) {
        Ok((end, shifts, key)) => {
            let subject = PlanSubject::Bind(prepared.facts, prepared.text);
            let asking = ExplainQuestion::new(subject, end, key, shifts);
            wait_for_plan(protocol, asking);
            Ok(())
        }
        Err(refusal) => {
            let arrived = protocol.client.inflow.arrival();
            Err(PathStop::refused(refusal, &prepared.facts, arrived))
        }
    }
}

fn question_of_query(
    protocol: &SessionProtocol,
    permit: &ReadPermit<'_>,
) -> Result<Option<PlanRequest>, Box<Refusal>> {
    let (facts, pending) = (permit.facts(), &protocol.pending);
    if facts.statements <= 1 && pending.is_sure_to_fail() {
        return Ok(None);
    }
    let key = plan_key(protocol, facts, permit.text());
    if is_known_to_be_within(protocol, key.as_ref()) {
        return Ok(None);
    }
    let planning = (protocol.judge.gate).plans_of(permit, &protocol.context.names)?;
    if planning.ends_transaction && !pending.is_outside_of_transactions() {
        return Err(Refusal::of_unplannable());
    }
    Ok((!planning.questions.is_empty()).then_some(PlanRequest { planning, key }))
}

/// Writes the questions.
fn write_question(
    (outbox, pending): (&mut Outbox, &mut PendingReplies),
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
    let asked = outbox.questions(permits, types, given);
    asked.map_err(|_| Refusal::of_unplannable())?;
    let end = if pending.transaction.unsynced || pending.may_be_skipping() {
        outbox.flush_message();
        pending.transaction.open_batch();
        pending.transaction.asked |= !ask.planning.questions.is_empty();
        QuestionEnd::Flush
    } else {
        outbox.sync_message();
        QuestionEnd::Sync
    };
    let questions = ask.planning.questions.iter();
    Ok((
        end,
        questions.map(|question| question.shift).collect(),
        ask.key,
    ))
}

fn wait_for_plan(protocol: &mut SessionProtocol, asking: ExplainQuestion) {
    if !asking.is_of_cursors() {
        (protocol.witness.telemetry).plan_looked_up(PlanAnswer::Miss);
    }
    (protocol.pending).push(ExpectedReply::Plan(Box::new(asking)));
    protocol.client.state = ClientState::Planning;
}

fn plan_key(protocol: &SessionProtocol, facts: &Facts, text: &str) -> Option<PlanKey> {
    let known = (&protocol.context.names, protocol.witness.info.database());
    (protocol.plan).key(&protocol.judge.gate, facts, text, known)
}

/// Whether a plan of before speaks for the statement. One that speaks against it is not asked: it
/// was perhaps made for other values.
fn is_known_to_be_within(protocol: &SessionProtocol, key: Option<&PlanKey>) -> bool {
    let limits = protocol.judge.gate.policy().limits();
    let known = key.and_then(|key| protocol.plan.find(key, limits.plan_age_max));
    let is_within = known.is_some_and(|plan| exceeded_bounds(limits, plan).is_empty());
    if is_within {
        (protocol.witness.telemetry).plan_looked_up(PlanAnswer::Hit);
    }
    is_within
}

/// The bounds of the policy that a plan does not keep.
fn exceeded_bounds(limits: &PolicyLimits, plan: PlanEstimate) -> Vec<(PolicyRule, PlanBound, f64)> {
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

/// What the policy says to a plan: the first bound that it does not keep and that is enforced. What
/// is only observed is counted.
fn exceeded_bound(
    policy: &Policy,
    witness: &SessionWitness,
    plan: Option<PlanEstimate>,
    facts: &Facts,
) -> Result<(), Box<Refusal>> {
    let Some(plan) = plan else {
        let rules = [PolicyRule::PlanCost, PolicyRule::PlanRows];
        let observed = rules
            .iter()
            .all(|rule| policy.mode_of(*rule) == RuleMode::Observe);
        return observed.then_some(()).ok_or_else(Refusal::of_unplannable);
    };
    for (own, bound, estimate) in exceeded_bounds(policy.limits(), plan) {
        let mode = policy.mode_of(own);
        witness.note_limit(bound.rule, mode, facts.fingerprint);
        if mode == RuleMode::Enforce {
            // Estimates tell of rows that are hidden.
            let told = (!policy.hides()).then_some(estimate);
            return Err(Refusal::of_plan(bound, told, shows_plan(policy, facts)));
        }
    }
    Ok(())
}

/// Whether the client's own EXPLAIN of a statement would run and show what it costs: that of a
/// model shows its nodes alone.
fn shows_plan(policy: &Policy, facts: &Facts) -> bool {
    let is_observed = policy.mode_of(PolicyRule::StatementDenied) == RuleMode::Observe;
    let is_query = matches!(
        facts.kind,
        StatementKind::Select | StatementKind::Values | StatementKind::Table
    );
    let may_explain = is_observed || policy.allows_statement(StatementKind::Explain.name());
    is_query && may_explain && facts.rewritten.is_none()
}

/// How a question ends, where the texts in it stand, under what its answer will be known.
type PutQuestion = (
    QuestionEnd,
    std::collections::VecDeque<Option<i64>>,
    Option<PlanKey>,
);

/// The values of a Bind that has none: no formats, no values.
const NO_VALUES: &[u8] = b"\0\0\0\0";
