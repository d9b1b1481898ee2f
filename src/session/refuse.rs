//! How a refusal takes its place in the order of answers.
//!
//! When nothing is under way pgsieve answers alone. Otherwise the upstream gets a statement that is
//! sure to fail in the place of the refused one: it then puts its transaction, and its skipping to
//! Sync, into exactly the state that an ordinary error leaves, and its error is exchanged for the
//! refusal.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::arrival::StatementArrival;
use super::client_side::ClientState;
use super::failure_hint::hint_of_refusal;
use super::pending::ExpectedReply;
use super::protocol::SessionProtocol;
use super::receipts::draft::catalog_of;
use super::receipts::finished::RefusedStatement;
use super::receipts::statement_refused;
use super::reply;
use super::session_end::{SessionEnd, UNSENDABLE};
use crate::gate::{Facts, PreparedStatement, Refusal, StatementKind};
use crate::telemetry::events::StatementFinished;
use crate::telemetry::labels::{ProtocolPath, StatementOutcome};
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::wire::encode;
use crate::wire::frontend::Parse;

/// Refuses a message that is answered by an error and ReadyForQuery. A Query takes the unnamed
/// statement away whatever becomes of it. Its text, where it has one that was read.
pub(super) fn refuse_query(
    protocol: &mut SessionProtocol,
    mut refusal: Box<Refusal>,
    judged: Option<(Arc<Facts>, StatementArrival)>,
    (path, text): (ProtocolPath, Option<&str>),
) -> Result<(), SessionEnd> {
    report_and_hint(protocol, &mut refusal, judged, (path, text));
    protocol.note_rest();
    if protocol.pending.answers_alone() {
        if path == ProtocolPath::Query {
            protocol.context.names.remove_prepared("");
        }
        reply::refusal(&mut protocol.client.reply, &refusal);
        encode::ready_for_query(
            &mut protocol.client.reply,
            protocol.pending.transaction.status,
        );
    } else {
        protocol
            .upstream
            .outbox
            .failing_query()
            .map_err(|_| UNSENDABLE)?;
        protocol.repair.retained.skip_query();
        protocol.pending.transaction.unsynced = false;
        protocol.pending.push(ExpectedReply::RefusedQuery(refusal));
    }
    Ok(())
}

/// Refuses a message of the extended protocol: an error, then everything up to Sync is skipped.
pub(super) fn refuse_message(
    protocol: &mut SessionProtocol,
    refusal: Box<Refusal>,
    judged: Option<(Arc<Facts>, StatementArrival)>,
    path: ProtocolPath,
) -> Result<(), SessionEnd> {
    refuse_and_drop(protocol, refusal, judged, (path, None), None)
}

/// Refuses a Parse. One that fails takes the unnamed statement away, whatever it was before.
pub(super) fn refuse_parse(
    protocol: &mut SessionProtocol,
    parse: &Parse<'_>,
    refusal: Box<Refusal>,
    judged: Option<(Arc<Facts>, StatementArrival)>,
) -> Result<(), SessionEnd> {
    let unnamed = match parse.name {
        "" => protocol.context.names.prepared("").cloned(),
        _ => None,
    };
    if unnamed.is_some() {
        protocol.context.names.remove_prepared("");
    }
    let statement = (ProtocolPath::Parse, Some(parse.text));
    refuse_and_drop(protocol, refusal, judged, statement, unnamed)
}

fn refuse_and_drop(
    protocol: &mut SessionProtocol,
    mut refusal: Box<Refusal>,
    judged: Option<(Arc<Facts>, StatementArrival)>,
    statement: (ProtocolPath, Option<&str>),
    unnamed: Option<PreparedStatement>,
) -> Result<(), SessionEnd> {
    report_and_hint(protocol, &mut refusal, judged, statement);
    protocol.note_rest();
    if protocol.pending.answers_alone() {
        reply::refusal(&mut protocol.client.reply, &refusal);
        protocol.client.state = ClientState::SkipToSyncAlone;
    } else {
        let sent = match unnamed {
            Some(_) => protocol.upstream.outbox.failing_unnamed_parse(),
            None => protocol.upstream.outbox.failing_parse(),
        };
        sent.map_err(|_| UNSENDABLE)?;
        protocol.repair.retained.stop_retaining();
        protocol.pending.transaction.open_batch();
        protocol
            .pending
            .push(ExpectedReply::RefusedMessage { refusal, unnamed });
        protocol.client.state = ClientState::SkipToSync;
    }
    Ok(())
}

/// Reports a refusal, and then tells its client more, as what fails on a name may do because its
/// schema is stale: what is on record has the words of the rule alone.
fn report_and_hint(
    protocol: &mut SessionProtocol,
    refusal: &mut Refusal,
    judged: Option<(Arc<Facts>, StatementArrival)>,
    (path, text): (ProtocolPath, Option<&str>),
) {
    let failure = (refusal.sqlstate.as_str(), &*refusal.message);
    let hint = hint_of_refusal(protocol, failure, &refusal.hint, text);
    refusal.sqlstate = protocol.judge.gate.policy().sqlstate_of(refusal.sqlstate);
    report_refusal(protocol, refusal, judged, (path, text));
    if let Some(hint) = hint {
        refusal.hint = hint;
    }
}

fn report_refusal(
    protocol: &mut SessionProtocol,
    refusal: &Refusal,
    judged: Option<(Arc<Facts>, StatementArrival)>,
    (path, text): (ProtocolPath, Option<&str>),
) {
    let now = Instant::now();
    // The snapshot that has no such name may be older than the name.
    protocol
        .context
        .suspect_catalog(SqlstateCode::from(refusal.sqlstate));
    let (facts, arrived) = match &judged {
        Some((facts, arrived)) => (Some(facts), *arrived),
        None => (None, protocol.client.inflow.arrival()),
    };
    let refused = RefusedStatement {
        text,
        facts,
        catalog: catalog_of(&protocol.context.names),
        sqlstate: SqlstateCode::from(refusal.sqlstate),
        begun: arrived.begun,
    };
    let receipt = statement_refused(protocol, &refused);
    let trace = protocol.witness.trace_refused(path, &arrived);
    let plan = protocol.plan.took.take();
    // An Execute comes behind the plan that was asked for at its Bind.
    let waited = match path {
        ProtocolPath::Execute => Duration::ZERO,
        _ => plan.unwrap_or_default(),
    };
    let judging = now.saturating_duration_since(arrived.begun);
    let total = now.saturating_duration_since(arrived.taken) + arrived.queue;
    protocol.witness.telemetry.finished(&StatementFinished {
        session: &protocol.witness.info,
        path,
        kind: facts.map_or(StatementKind::Unparsed, |facts| facts.kind),
        fingerprint: facts.and_then(|facts| facts.fingerprint),
        outcome: StatementOutcome::Refused,
        rule: Some(refusal.rule),
        subject: subject_of(refusal, facts),
        observed: &[],
        observed_running: &[],
        named: facts.and_then(|facts| facts.named_objects.as_deref()),
        text: facts.and_then(|facts| facts.text.as_deref()),
        sent_text: text,
        queryid: None,
        receipt,
        sqlstate: Some(SqlstateCode::from(refusal.sqlstate)),
        rows: 0,
        bytes: 0,
        cached: arrived.cached,
        hint: Some(refusal.fixed_hint),
        trace: trace.as_deref(),
        queue: arrived.queue,
        gate: judging.saturating_sub(waited),
        upstream: Duration::ZERO,
        plan,
        total,
    });
}

pub(super) fn refuse_undecodable(
    protocol: &mut SessionProtocol,
    kind: u8,
) -> Result<(), SessionEnd> {
    let refusal = Refusal::of_not_utf8();
    if kind == b'Q' {
        refuse_query(protocol, refusal, None, (ProtocolPath::Query, None))
    } else {
        refuse_message(protocol, refusal, None, ProtocolPath::Parse)
    }
}

/// Refuses a message that nobody will read: there is no memory for it.
pub(super) fn refuse_oversized(protocol: &mut SessionProtocol, kind: u8) -> Result<(), SessionEnd> {
    let refusal = Refusal::of_no_memory();
    match kind {
        b'Q' => refuse_query(protocol, refusal, None, (ProtocolPath::Query, None)),
        b'F' => refuse_query(protocol, refusal, None, (ProtocolPath::FunctionCall, None)),
        b'P' => refuse_message(protocol, refusal, None, ProtocolPath::Parse),
        _ => refuse_message(protocol, refusal, None, ProtocolPath::Bind),
    }
}

/// What a refusal is about, where names are recorded.
fn subject_of<'r>(refusal: &'r Refusal, facts: Option<&Arc<Facts>>) -> Option<&'r str> {
    let are_recorded = facts.is_some_and(|facts| facts.named_objects.is_some());
    refusal.subject.as_deref().filter(|_| are_recorded)
}
