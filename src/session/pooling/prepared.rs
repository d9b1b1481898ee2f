//! The prepared statements of a client on the connection that it has now: judged as when they came
//! and prepared again, where a message needs them.
//!
//! What another client has left without a name is closed before the first message that could find
//! it. Statements with names have names of pgsieve's own upstream, until SQL does something with
//! names: then the session keeps its connection, and they have the client's there.

use bytes::Bytes;

use super::described::DescribedPart;
use super::named::{NamedStatement, deallocated, is_about_names};
use super::pool_side::CarriedMessage;
use crate::gate::{Facts, ParameterTypes, ReadPermit, Refusal, is_own_name};
use crate::session::pending::ExpectedReply;
use crate::session::protocol::SessionProtocol;
use crate::session::receipts::columns_described;
use crate::session::server::forwarding::Forwarding;
use crate::session::server::on_error::{on_error, on_notice};
use crate::session::server::on_ready::on_own_ready;
use crate::session::session_end::{SessionEnd, UNREADABLE, UNSENDABLE};
use crate::sqlstate;
use crate::telemetry::events::StatementEvicted;
use crate::telemetry::labels::PinReason;
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::upstream::outbox::Outbox;
use crate::upstream::pool::prepared_names::{PreparedNames, UpstreamName};
use crate::upstream::pool::set_values::SetValues;
use crate::wire::backend::{self, TransactionStatus};
use crate::wire::frame::{ClientFrame, UpstreamHeader};
use crate::wire::frontend::{ParameterOids, Parse};

/// Whether a statement that a message needs is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum StatementReadiness {
    /// It is, or will be before the message comes to it.
    Ready,
    /// It is being found out whether it is what the client was told: the message waits.
    Asked,
}

/// What is sent for a Query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum QueryForm {
    /// Its text.
    Text,
    /// A DEALLOCATE of nothing: the client gives up a name that the upstream does not know.
    Deallocation,
}

/// A message of the extended protocol is sent next: what another client has prepared without a name
/// is closed before it. As the first of its batch nothing has it skipped.
///
/// # Errors
/// The session ends.
pub(in crate::session) fn take_unnamed_place(
    protocol: &mut SessionProtocol,
) -> Result<(), SessionEnd> {
    let Some(side) = &mut protocol.upstream.pool else {
        return Ok(());
    };
    if side.takes_place() {
        close(protocol, None)?;
    }
    make_client_names(protocol)
}

fn close(protocol: &mut SessionProtocol, name: Option<UpstreamName>) -> Result<(), SessionEnd> {
    let closed = match name {
        Some(name) => protocol.upstream.outbox.close_statement(&name.to_string()),
        None => protocol.upstream.outbox.close_statement(""),
    };
    closed.map_err(|_| UNSENDABLE)?;
    protocol.pending.transaction.open_batch();
    owe(protocol, CarriedMessage::Close(name));
    Ok(())
}

fn owe(protocol: &mut SessionProtocol, message: CarriedMessage) {
    protocol.pending.push(ExpectedReply::Carried(message));
}

/// Makes room for a statement of that name on the connection.
fn take_place_of(protocol: &mut SessionProtocol, name: UpstreamName) -> Result<(), SessionEnd> {
    let Some(side) = &mut protocol.upstream.pool else {
        return Ok(());
    };
    let taken = side.take_place_of(name);
    for evicted in taken.evicted {
        protocol.witness.telemetry.emit(&StatementEvicted);
        close(protocol, Some(evicted))?;
    }
    if taken.closes_own {
        close(protocol, Some(name))?;
    }
    Ok(())
}

/// A message of the client's batch needs the statement of this name: it is prepared where it is
/// missing. A message that has to wait is taken again when it is known what that is.
///
/// # Errors
/// It may not run any more, or is something else by now than the client was told.
pub(in crate::session) fn prepare_again(
    protocol: &mut SessionProtocol,
    frame: &ClientFrame<'_>,
    name: &str,
) -> Result<StatementReadiness, Box<Refusal>> {
    let Some(side) = &mut protocol.upstream.pool else {
        return Ok(StatementReadiness::Ready);
    };
    if !name.is_empty() {
        if side.is_changed(name) {
            return Err(Refusal::of_changed_result());
        }
        let Some(named) = side.missing_named(name) else {
            return Ok(StatementReadiness::Ready);
        };
        let readiness = prepare_named_again(protocol, name, &named)?;
        if readiness == StatementReadiness::Asked {
            let frame = Bytes::copy_from_slice(frame.bytes);
            protocol.repair.replay_first(frame);
        }
        return Ok(readiness);
    }
    let Some(unnamed) = side.missing().cloned() else {
        return Ok(StatementReadiness::Ready);
    };
    let permit = permit_again(protocol, &unnamed.text, &unnamed.parameters)?;
    let words = words_of(&unnamed.parameters);
    let types = ParameterOids::of(&words).unwrap_or_default();
    let unsent = || Refusal::of_unknown_statement(name);
    take_unnamed_place(protocol).map_err(|_| unsent())?;
    let owed = CarriedMessage::Parse(None);
    send(protocol, (name, &permit, types), owed).map_err(|_| unsent())?;
    Ok(StatementReadiness::Ready)
}

fn prepare_named_again(
    protocol: &mut SessionProtocol,
    name: &str,
    named: &NamedStatement,
) -> Result<StatementReadiness, Box<Refusal>> {
    let permit = permit_again(protocol, &named.text, &named.parameters)?;
    let words = words_of(&named.parameters);
    let types = ParameterOids::of(&words).unwrap_or_default();
    let unsent = || Refusal::of_unknown_statement(name);
    let side = protocol.upstream.pool.as_mut().ok_or_else(unsent)?;
    let upstream = side.name_again(name, permit.text(), types.as_bytes());
    take_unnamed_place(protocol).map_err(|_| unsent())?;
    take_place_of(protocol, upstream).map_err(|_| unsent())?;
    let parse = (&*upstream.to_string(), &permit, types);
    send(protocol, parse, CarriedMessage::Parse(Some(upstream))).map_err(|_| unsent())?;
    if !named.told.is_known() {
        return Ok(StatementReadiness::Ready);
    }
    let outbox = &mut protocol.upstream.outbox;
    let asked = outbox.describe_statement(&upstream.to_string());
    asked.map_err(|_| unsent())?;
    outbox.flush_message();
    owe(protocol, CarriedMessage::Describe);
    if let Some(side) = &mut protocol.upstream.pool {
        side.descriptions().check(name, upstream);
    }
    Ok(StatementReadiness::Asked)
}

fn permit_again<'t>(
    protocol: &mut SessionProtocol,
    text: &'t str,
    parameters: &ParameterTypes,
) -> Result<ReadPermit<'t>, Box<Refusal>> {
    let judge = &protocol.judge;
    (protocol.context).refresh_names(&judge.gate, &protocol.pending);
    judge.permit_again(text, parameters, &protocol.context.names)
}

fn words_of(parameters: &ParameterTypes) -> Vec<[u8; 4]> {
    match parameters {
        ParameterTypes::Given(types) => types.iter().map(|oid| oid.to_be_bytes()).collect(),
        ParameterTypes::Unknown => Vec::new(),
    }
}

fn send(
    protocol: &mut SessionProtocol,
    (name, permit, types): (&str, &ReadPermit<'_>, ParameterOids<'_>),
    owed: CarriedMessage,
) -> Result<(), SessionEnd> {
    let sent = protocol.upstream.outbox.parse(name, permit, types);
    sent.map_err(|_| UNSENDABLE)?;
    protocol.pending.transaction.open_batch();
    owe(protocol, owed);
    Ok(())
}

/// What the upstream is to call what a Parse prepares, which is sent next; none where it has the
/// client's name, or no name. Of a text that does something with names, and of a name that stands
/// for something, the upstream has to know the client's names.
///
/// # Errors
/// The session ends.
pub(in crate::session) fn name_of_parse(
    protocol: &mut SessionProtocol,
    parse: &Parse<'_>,
    permit: &ReadPermit<'_>,
) -> Result<Option<UpstreamName>, SessionEnd> {
    let Some(side) = &mut protocol.upstream.pool else {
        return Ok(None);
    };
    if is_about_names(permit.facts()) && side.named().are_shared() {
        take_client_names(protocol, PinReason::SqlPrepare)?;
        return Ok(None);
    }
    if parse.name.is_empty() || !side.named().are_shared() {
        return Ok(None);
    }
    if side.upstream_name(parse.name).is_some() {
        // It fails, and what has the name keeps it.
        take_client_names(protocol, PinReason::NamedStatement)?;
        return Ok(None);
    }
    let upstream = side.name_for(permit.text(), parse.parameter_types.as_bytes());
    take_place_of(protocol, upstream)?;
    Ok(Some(upstream))
}

/// What is sent for a Query, next. Where it does something with names, the upstream has to know the
/// client's, but for a DEALLOCATE of what was prepared by a Parse.
///
/// # Errors
/// The session ends.
pub(in crate::session) fn form_of_query(
    protocol: &mut SessionProtocol,
    facts: &Facts,
) -> Result<QueryForm, SessionEnd> {
    let Some(side) = &mut protocol.upstream.pool else {
        return Ok(QueryForm::Text);
    };
    let in_batch = protocol.pending.transaction.unsynced;
    if !is_about_names(facts) {
        return Ok(QueryForm::Text);
    }
    if !side.named().are_shared() {
        make_client_names(protocol)?;
        if !in_batch && protocol.pending.transaction.unsynced {
            sync(protocol);
        }
        return Ok(QueryForm::Text);
    }
    // Of several the first may end the transaction.
    let is_refused = facts.statements <= 1 && fails_anyway(protocol);
    let Some(side) = &mut protocol.upstream.pool else {
        return Ok(QueryForm::Text);
    };
    if is_refused {
        return Ok(QueryForm::Text);
    }
    if let Some(name) = deallocated(facts)
        && !is_own_name(name)
        && !in_batch
    {
        if side.upstream_name(name).is_none() {
            return Ok(QueryForm::Text);
        }
        let prepared = protocol.upstream.outbox.prepare_nothing();
        prepared.map_err(|_| UNSENDABLE)?;
        protocol.pending.transaction.open_batch();
        owe(protocol, CarriedMessage::Close(None));
        owe(protocol, CarriedMessage::Nothing);
        sync(protocol);
        return Ok(QueryForm::Deallocation);
    }
    take_client_names(protocol, PinReason::SqlPrepare)?;
    if !in_batch && protocol.pending.transaction.unsynced {
        sync(protocol);
    }
    Ok(QueryForm::Text)
}

fn sync(protocol: &mut SessionProtocol) {
    protocol.upstream.outbox.sync_message();
    protocol.pending.transaction.unsynced = false;
    owe(protocol, CarriedMessage::Sync);
}

/// The session keeps its connection, and what its client has prepared has the client's names there
/// from now on.
fn take_client_names(protocol: &mut SessionProtocol, reason: PinReason) -> Result<(), SessionEnd> {
    let Some(side) = &mut protocol.upstream.pool else {
        return Ok(());
    };
    side.pin(reason);
    side.named().take_client_names();
    make_client_names(protocol)
}

/// What is to have the client's names is prepared under these. What may not run any more is not
/// there.
fn make_client_names(protocol: &mut SessionProtocol) -> Result<(), SessionEnd> {
    let is_failed = fails_anyway(protocol);
    let Some(side) = &mut protocol.upstream.pool else {
        return Ok(());
    };
    if !side.named().are_unmade() || is_failed {
        return Ok(());
    }
    let unmade = side.named().make();
    for (name, named) in unmade {
        let Ok(permit) = permit_again(protocol, &named.text, &named.parameters) else {
            continue;
        };
        let words = words_of(&named.parameters);
        let types = ParameterOids::of(&words).unwrap_or_default();
        send(protocol, (&name, &permit, types), CarriedMessage::SqlName)?;
        if let Some(side) = &mut protocol.upstream.pool {
            side.named().making(name, named.clone());
        }
    }
    Ok(())
}

/// Whether the upstream will refuse whatever does not end its transaction.
fn fails_anyway(protocol: &SessionProtocol) -> bool {
    let transaction = &protocol.pending.transaction;
    protocol.pending.is_empty() && transaction.status == TransactionStatus::Failed
}

/// The session keeps its connection, for these statements that were prepared by those settings of
/// before: what is to be prepared for that, where it is not there.
pub(super) fn parses_of_kept(
    protocol: &mut SessionProtocol,
    prepared: &mut PreparedNames,
    (kept, settings): (&[(Box<str>, NamedStatement)], &SetValues),
) -> Vec<(UpstreamName, Outbox)> {
    let mut parses = Vec::new();
    for (name, named) in kept {
        if prepared.uses(named.upstream) {
            continue;
        }
        let Ok(permit) = permit_again(protocol, &named.text, &named.parameters) else {
            continue;
        };
        let words = words_of(&named.parameters);
        let types = ParameterOids::of(&words).unwrap_or_default();
        let Some(side) = &mut protocol.upstream.pool else {
            continue;
        };
        let upstream = side.unique_name();
        if let Some(own) = side.named().prepared_mut(name) {
            own.prepared_again(upstream, Some(settings.meaning()));
        }
        let mut out = Outbox::default();
        if out.parse(&upstream.to_string(), &permit, types).is_ok() {
            out.sync_message();
            parses.push((upstream, out));
        }
    }
    if let Some(side) = &mut protocol.upstream.pool {
        side.pin(PinReason::Settings);
    }
    parses
}

/// The upstream describes something.
///
/// # Errors
/// The reason to end the session.
pub(in crate::session) fn described(
    protocol: &mut SessionProtocol,
    kind: u8,
    body: &[u8],
) -> Result<Forwarding, SessionEnd> {
    let head = protocol.pending.front();
    let is_asked = head.is_some_and(ExpectedReply::is_description);
    if let Some(side) = &mut protocol.upstream.pool
        && is_asked
    {
        side.told(DescribedPart::of(kind, body));
    }
    if kind == b'T' {
        return columns_described(protocol, body);
    }
    let total = body.len() + HEADER_BYTES;
    protocol.advance(&UpstreamHeader { kind, total })?;
    Ok(Forwarding::Forward)
}

/// An answer to a message of pgsieve's own.
///
/// # Errors
/// The reason to end the session.
pub(in crate::session) fn carried_answered(
    protocol: &mut SessionProtocol,
    kind: u8,
    body: &[u8],
) -> Result<Forwarding, SessionEnd> {
    let Some(ExpectedReply::Carried(message)) = protocol.pending.front() else {
        return Err(UNREADABLE);
    };
    match (kind, *message) {
        (b'N', _) => on_notice(protocol, body),
        (b'A', _) => Ok(Forwarding::Forward),
        (b'S', _) => protocol.setting_reported(body),
        (b'E', message) => {
            let fields = backend::error_fields(body).map_err(|_| UNREADABLE)?;
            let code = SqlstateCode::from_bytes(fields.bytes(b'C').unwrap_or_default());
            let is_for_good = code != SqlstateCode::from(sqlstate::IN_FAILED_SQL_TRANSACTION);
            if let (CarriedMessage::SqlName, true) = (message, is_for_good)
                && let Some(side) = &mut protocol.upstream.pool
            {
                // It would fail each batch.
                side.carried(message);
                protocol.pending.pop();
                let failed = ExpectedReply::Carried(CarriedMessage::Nothing);
                protocol.pending.push_front(failed);
            }
            if fields.severity() != Some("ERROR") || !protocol.pending.is_carried_to_sync() {
                return on_error(protocol, body);
            }
            protocol.context.doubt_settings();
            protocol.limits.doubt_cursors();
            protocol.skip_pipeline(false);
            Ok(Forwarding::Drop)
        }
        (b't' | b'T' | b'n', CarriedMessage::Describe) => {
            if let Some(side) = &mut protocol.upstream.pool {
                side.checked(DescribedPart::of(kind, body));
            }
            if kind != b't' {
                protocol.pending.pop();
                protocol.replay()?;
            }
            Ok(Forwarding::Drop)
        }
        (b'Z', CarriedMessage::Sync) => {
            let status = backend::ready_for_query(body).map_err(|_| UNREADABLE)?;
            protocol.pending.pop();
            on_own_ready(protocol, status);
            Ok(Forwarding::Drop)
        }
        (b'3', CarriedMessage::Close(_))
        | (b'1', CarriedMessage::Parse(_) | CarriedMessage::SqlName | CarriedMessage::Nothing) => {
            if let Some(side) = &mut protocol.upstream.pool {
                side.carried(*message);
            }
            protocol.pending.pop();
            Ok(Forwarding::Drop)
        }
        _ => Err(UNREADABLE),
    }
}

/// A type byte and a length.
const HEADER_BYTES: usize = 5;
