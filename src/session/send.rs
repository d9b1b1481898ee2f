//! What may run goes on its way: written to the upstream, and put down as owed.

use std::sync::Arc;
use std::time::Duration;

use super::arrival::StatementArrival;
use super::context::client_settings::ClientSettingsChange;
use super::failure_hint::cited_knowledge::CitableText;
use super::lowered_settings::LoweredText;
use super::pending::ExpectedReply;
use super::pending::in_flight::InFlight;
use super::pending::portal_names::PortalBinding;
use super::pending::sent_text::SentText;
use super::policy_limits::result_limit::ResultAllowance;
use super::pooling::awaited_lsn::note_named_lsn;
use super::pooling::prepared::{QueryForm, form_of_query, name_of_parse, take_unnamed_place};
use super::protocol::SessionProtocol;
use super::server::error_rewrite::SubstitutedText;
use super::session_end::{SessionEnd, UNSENDABLE};
use super::statement_stage::{AdmittedQuery, BoundPortal, PermittedText};
use super::tracing::SessionWitness;
use crate::gate::{Cursor, Facts, ParameterTypes, ReadPermit, VerdictDepth};
use crate::telemetry::events::{SettingsClamped, StatementJudgedWithoutCatalog};
use crate::telemetry::labels::{ProtocolPath, StatementOutcome};
use crate::wire::frame::ClientFrame;
use crate::wire::frontend::{Bind, Execute, ParameterOids, Parse};

/// Writes a Query, which is then owed; `own_text` is the client's, whatever runs in its place.
pub(super) fn send_query(
    protocol: &mut SessionProtocol,
    frame: &ClientFrame<'_>,
    own_text: &str,
    query: AdmittedQuery<'_>,
) -> Result<(), SessionEnd> {
    let AdmittedQuery { text, allowance } = query;
    let PermittedText {
        permit,
        lowered,
        options,
        ..
    } = text;
    let form = form_of_query(protocol, permit.facts())?;
    if let Some(side) = &mut protocol.upstream.pool {
        side.statement_sent(permit.facts(), true);
    }
    let mut running = permitted(protocol, &permit, ProtocolPath::Query, options.arrived);
    running.allowance = allowance;
    running.plan = protocol.plan.took.take();
    running.gate = running
        .gate
        .saturating_sub(running.plan.unwrap_or_default());
    note_lowered(&protocol.witness, &mut running, lowered);
    let text_retained = protocol.repair.retain_query(
        frame,
        (&running.facts, &options),
        (protocol.judge.gate.policy(), &protocol.pending),
    );
    options.mark(&mut running, text_retained);
    running.citable_text = CitableText::of(
        protocol.judge.gate.policy(),
        permit.original().len(),
        || permit.original().into(),
    );
    running.sent_text = SentText::of(&protocol.witness, own_text, None);
    running.client_settings = ClientSettingsChange::of(permit.original(), &running.facts);
    note_named_lsn(&mut protocol.upstream.place, running.client_settings);
    running.role_answer = protocol
        .context
        .report_as
        .answer_to(&running.facts, &protocol.pending);
    let names = &protocol.context.names;
    running.receipt = protocol.receipts.draft_of_query(&permit, own_text, names);
    let outbox = &mut protocol.upstream.outbox;
    let sent = match form {
        QueryForm::Text => outbox.query(&permit),
        QueryForm::Deallocation => outbox.deallocate_nothing(),
    };
    sent.map_err(|_| UNSENDABLE)?;
    protocol
        .repair
        .ask_queryid(&permit, ParameterOids::default(), &protocol.context.names);
    protocol.pending.transaction.unsynced = false;
    protocol.context.names.sync_sent();
    protocol.limits.sync();
    protocol.upstream.expect_settings_change(&running.facts);
    protocol
        .context
        .expect_settings(&running.facts, &protocol.pending);
    protocol
        .pending
        .push(ExpectedReply::Query(Box::new(running)));
    protocol.hold_for_check();
    Ok(())
}

/// Writes a Parse, which is then owed; its name stands for the statement from now on.
pub(super) fn send_parse(
    protocol: &mut SessionProtocol,
    frame: &ClientFrame<'_>,
    parse: &Parse<'_>,
    parameters: ParameterTypes,
    text: PermittedText<'_>,
) -> Result<(), SessionEnd> {
    let PermittedText {
        permit,
        lowered,
        options,
        ..
    } = text;
    take_unnamed_place(protocol)?;
    let upstream_name = name_of_parse(protocol, parse, &permit)?;
    let text: Arc<str> = permit.original().into();
    let mut running = permitted(protocol, &permit, ProtocolPath::Parse, options.arrived);
    if let Some(side) = &mut protocol.upstream.pool {
        running.prepares = side.parse_sent(parse.name, (&text, &parameters), upstream_name);
    }
    note_lowered(&protocol.witness, &mut running, lowered);
    let text_retained = protocol.repair.retain_parse(
        frame,
        parse.name,
        (&running.facts, &options),
        (
            protocol.judge.gate.policy(),
            &protocol.pending,
            &protocol.context.names,
        ),
    );
    options.mark(&mut running, text_retained);
    running.citable_text = shared_text(protocol, &text);
    running.sent_text = SentText::of(&protocol.witness, parse.text, Some(&text));
    (protocol.context.names).add_prepared(parse.name, Arc::clone(&running.facts), text);
    if let Some(sent) = &running.sent_text {
        (protocol.context.names).set_sent(parse.name, sent.shared());
    }
    protocol
        .context
        .names
        .set_parameters(parse.name, parameters);
    let names = &protocol.context.names;
    let kept = protocol.receipts.draft_of_parse(&permit, parse.text, names);
    if let Some((digests, draft)) = kept {
        protocol.context.names.set_digests(parse.name, digests);
        running.receipt = Some(draft);
    }
    let upstream_name = upstream_name.map(|name| name.to_string());
    let name = upstream_name.as_deref().unwrap_or(parse.name);
    let outbox = &mut protocol.upstream.outbox;
    let sent = outbox.parse(name, &permit, parse.parameter_types);
    sent.map_err(|_| UNSENDABLE)?;
    protocol
        .repair
        .ask_queryid(&permit, parse.parameter_types, &protocol.context.names);
    protocol.pending.transaction.open_batch();
    protocol
        .pending
        .push(ExpectedReply::Parse(Box::new(running)));
    Ok(())
}

/// Forwards a Bind, which is then owed; its portal is known from now on.
pub(super) fn send_bind(
    protocol: &mut SessionProtocol,
    frame: &ClientFrame<'_>,
    bind: &Bind<'_>,
    mut portal: Cursor,
) -> Result<(), SessionEnd> {
    let another = SubstitutedText::of(&portal.facts, &portal.text);
    let citable_text = shared_text(protocol, &portal.text);
    let prepared = protocol.context.names.prepared(bind.statement);
    let digests = prepared.and_then(|prepared| prepared.digests.as_ref());
    portal.digests = protocol.receipts.of_bind(digests, bind);
    protocol.context.names.add_cursor(bind.portal, portal);
    protocol.limits.forget_portal(bind.portal);
    if let Some(side) = &mut protocol.upstream.pool {
        side.bind_sent(bind.portal, bind.statement);
    }
    protocol.forward_bind(frame, bind)?;
    protocol
        .pending
        .push(PortalBinding::owed(bind.portal, another, citable_text));
    Ok(())
}

/// Forwards an Execute, which is then owed.
pub(super) fn send_execute(
    protocol: &mut SessionProtocol,
    frame: &ClientFrame<'_>,
    execute: &Execute<'_>,
    BoundPortal { facts, text, sent }: BoundPortal,
    (arrived, allowance): (StatementArrival, ResultAllowance),
) -> Result<(), SessionEnd> {
    if let Some(side) = &mut protocol.upstream.pool {
        side.statement_sent(&facts, false);
    }
    protocol.forward(frame)?;
    urge_audit(&protocol.witness, &facts);
    protocol.context.expect_names(&facts);
    protocol.upstream.expect_settings_change(&facts);
    protocol.context.expect_settings(&facts, &protocol.pending);
    let client_settings = ClientSettingsChange::of(&text, &facts);
    let another = SubstitutedText::of(&facts, &text);
    let mut running = InFlight::new(facts, ProtocolPath::Execute, arrived, Duration::ZERO);
    running.allowance = allowance;
    running.client_settings = client_settings;
    note_named_lsn(&mut protocol.upstream.place, client_settings);
    running.role_answer = protocol
        .context
        .report_as
        .answer_to(&running.facts, &protocol.pending);
    running.plan = protocol.plan.took.take();
    if running.plan.is_some() {
        protocol.witness.trace_asked();
    }
    running.trace = protocol.witness.trace_sent(&protocol.pending);
    running.another = another;
    running.citable_text = shared_text(protocol, &text);
    running.sent_text = SentText::of_portal(sent.as_ref());
    running.receipt = protocol.receipts.draft_of_execute(
        (&running.facts, &protocol.context.names),
        execute.portal,
        &text,
    );
    if running.facts.stands_in.get().is_some() {
        running.outcome = StatementOutcome::Repaired;
    }
    running.runs = protocol.context.names.run_cursor(execute.portal);
    protocol
        .pending
        .push(ExpectedReply::Execute(Box::new(running)));
    Ok(())
}

/// A text that is at hand already, where a failure may cite a record about what is in it.
fn shared_text(protocol: &SessionProtocol, text: &Arc<str>) -> Option<CitableText> {
    CitableText::of(protocol.judge.gate.policy(), text.len(), || {
        Arc::clone(text)
    })
}

/// A setting in the statement was lowered: that is counted, and the client will hear of it.
fn note_lowered(witness: &SessionWitness, running: &mut InFlight, lowered: Option<LoweredText>) {
    let is_lowered = lowered.as_ref().is_some_and(|lowered| lowered.is_lowered);
    if is_lowered && running.facts.signal.get().is_none() {
        witness.telemetry.emit(&SettingsClamped {
            session: &witness.info,
            path: running.path,
            fingerprint: running.facts.fingerprint,
        });
    }
    running.notice_lowered(lowered);
}

/// Where a receipt is asked for, the line of its statement is written while the question is under
/// way: the receipt has the number of that line.
fn urge_audit(witness: &SessionWitness, facts: &Facts) {
    if facts.asks_receipt {
        witness.telemetry.urge_audit();
    }
}

fn permitted(
    protocol: &mut SessionProtocol,
    permit: &ReadPermit<'_>,
    path: ProtocolPath,
    arrived: StatementArrival,
) -> InFlight {
    let facts = Arc::clone(permit.facts());
    if facts.depth == VerdictDepth::Tree {
        protocol
            .witness
            .telemetry
            .emit(&StatementJudgedWithoutCatalog);
    }
    urge_audit(&protocol.witness, &facts);
    protocol.context.expect_names(&facts);
    let another = SubstitutedText::of(&facts, permit.original());
    InFlight {
        another,
        trace: protocol.witness.trace_sent(&protocol.pending),
        ..InFlight::new(facts, path, arrived, arrived.begun.elapsed())
    }
}
