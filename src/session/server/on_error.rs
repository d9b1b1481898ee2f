//! What the upstream says when something goes wrong: its errors and notices, as the client may hear
//! them, and what of the pending replies an error takes with it.

use bytes::Bytes;

use super::error_rewrite::rewrite_error;
use super::forwarding::Forwarding;
use crate::policy::{Policy, SettingValue, ValueVerdict};
use crate::session::context::client_settings::RepairWish;
use crate::session::failure_hint::{HintBasis, hint_error};
use crate::session::pending::in_flight::TextRetained;
use crate::session::pending::{ExpectedReply, SkipExtent};
use crate::session::policy_limits::after_limit::cancelled_as_wanted;
use crate::session::protocol::SessionProtocol;
use crate::session::repair::hold_error::{hold_error, quiesce_upstream};
use crate::session::repair::notices;
use crate::session::reply;
use crate::session::session_end::{SessionEnd, UNREADABLE};
use crate::sqlstate;
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::wire::backend::{self, ResponseFields};
use crate::wire::encode;

/// Whether what the server logs is kept from clients: it quotes the texts that it runs.
pub(in crate::session) fn keeps_log(policy: &Policy) -> bool {
    let rule = policy.setting("client_min_messages");
    let asked = SettingValue::Text("log");
    policy.hides() || rule.is_none_or(|rule| rule.judge(asked) != ValueVerdict::Passes)
}

/// Whether a notice is kept from the client. What the server logs quotes the texts that it runs,
/// models and all; modules that quote them say so at any level.
pub(in crate::session) fn is_kept(notice: ResponseFields<'_>, policy: &Policy) -> bool {
    let is_logged = ["LOG", "DEBUG"].map(Some).contains(&notice.severity());
    let quotes = |file: &str| QUOTING_FILES.contains(&file);
    is_logged && keeps_log(policy) || policy.hides() && notice.get(b'F').is_some_and(quotes)
}

pub(in crate::session) fn on_error(
    protocol: &mut SessionProtocol,
    body: &[u8],
) -> Result<Forwarding, SessionEnd> {
    let from = protocol.client.reply.len();
    let basis = HintBasis::of_answered(protocol);
    let forwarding = tell_error(protocol, body)?;
    Ok(hint_error(protocol, &basis, (from, body), forwarding))
}

fn tell_error(protocol: &mut SessionProtocol, body: &[u8]) -> Result<Forwarding, SessionEnd> {
    let fields = backend::error_fields(body).map_err(|_| UNREADABLE)?;
    let sqlstate = SqlstateCode::from_bytes(fields.bytes(b'C').unwrap_or_default());
    if fields.severity() != Some("ERROR") {
        protocol.upstream.ended_by_itself = Some(sqlstate);
        return Ok(Forwarding::Forward);
    }
    let policy = protocol.judge.gate.policy();
    let told = rewrite_error(fields, protocol.pending.quoted_text(), policy);
    let told = with_client_names(protocol, told.as_deref().unwrap_or(body))?.or(told);
    let body = told.as_deref().unwrap_or(body);
    let fields = backend::error_fields(body).map_err(|_| UNREADABLE)?;
    // Asked first: the error takes back what its transaction has set.
    let is_hinted = protocol.pending.answers_query()
        && protocol.context.client_settings.repair_wish() == RepairWish::Wanted;
    let forwarding = on_error_with(protocol, fields, body, sqlstate)?;
    if !matches!(forwarding, Forwarding::Forward) {
        return Ok(forwarding);
    }
    let policy = protocol.judge.gate.policy();
    let hinted = is_hinted.then(|| notices::hinted(fields, policy));
    match hinted.flatten().or_else(|| told.clone()) {
        None => Ok(Forwarding::Forward),
        Some(told) => {
            encode::error_body(&mut protocol.client.reply, b'E', &told);
            Ok(Forwarding::Drop)
        }
    }
}

/// An error with the client's names of prepared statements; none where it says nothing of them.
fn with_client_names(protocol: &SessionProtocol, body: &[u8]) -> Result<Option<Bytes>, SessionEnd> {
    let Some(side) = &protocol.upstream.pool else {
        return Ok(None);
    };
    let fields = backend::error_fields(body).map_err(|_| UNREADABLE)?;
    Ok(side.renamed(fields))
}

/// A notice. It is passed on as the client may hear it.
pub(in crate::session) fn on_notice(
    protocol: &mut SessionProtocol,
    body: &[u8],
) -> Result<Forwarding, SessionEnd> {
    let fields = backend::error_fields(body).map_err(|_| UNREADABLE)?;
    if is_kept(fields, protocol.judge.gate.policy()) {
        return Ok(Forwarding::Drop);
    }
    match rewrite_error(
        fields,
        protocol.pending.quoted_text(),
        protocol.judge.gate.policy(),
    ) {
        None => Ok(Forwarding::Forward),
        Some(told) => {
            encode::error_body(&mut protocol.client.reply, b'N', &told);
            Ok(Forwarding::Drop)
        }
    }
}

fn on_error_with(
    protocol: &mut SessionProtocol,
    fields: ResponseFields<'_>,
    body: &[u8],
    sqlstate: SqlstateCode,
) -> Result<Forwarding, SessionEnd> {
    // Nothing that could fail is with the upstream.
    if matches!(
        protocol.pending.front(),
        Some(ExpectedReply::HeldForRepair(_))
    ) {
        return Err(UNREADABLE);
    }
    let is_failing_text = sqlstate == SqlstateCode::from(sqlstate::SYNTAX_ERROR);
    protocol.context.suspect_catalog(sqlstate);
    protocol.context.doubt_settings();
    protocol.limits.doubt_cursors();
    if cancelled_as_wanted(protocol) {
        return Ok(Forwarding::Drop);
    }
    if let Some(held) = hold_error(protocol, fields, body, sqlstate) {
        quiesce_upstream(protocol, held);
        return Ok(Forwarding::Drop);
    }
    match protocol.pending.head() {
        Some(ExpectedReply::Query(running)) => {
            running.bytes += u64::try_from(body.len()).unwrap_or(u64::MAX);
            Ok(running.failed(
                (
                    &mut protocol.client.reply,
                    &protocol.context.client_settings,
                ),
                fields,
                sqlstate,
            ))
        }
        Some(ExpectedReply::Sync) => Ok(Forwarding::Forward),
        None => {
            // A timeout between two messages of a pipeline: what follows is skipped to Sync.
            if protocol.pending.transaction.unsynced {
                protocol.client.skip_to_sync();
            }
            Ok(Forwarding::Forward)
        }
        Some(ExpectedReply::RefusedQuery(refusal)) if is_failing_text => {
            reply::refusal(&mut protocol.client.reply, refusal);
            Ok(Forwarding::Drop)
        }
        Some(ExpectedReply::RefusedQuery(_)) => Ok(Forwarding::Forward),
        Some(_) => Ok(on_pipeline_error(
            protocol,
            fields,
            sqlstate,
            is_failing_text,
        )),
    }
}

/// An error in the extended protocol: the upstream skips to the next Sync, and so does the
/// queue of pending replies.
fn on_pipeline_error(
    protocol: &mut SessionProtocol,
    fields: ResponseFields<'_>,
    sqlstate: SqlstateCode,
    is_failing_text: bool,
) -> Forwarding {
    let failed = protocol.pending.pop();
    let is_bind = matches!(failed, Some(ExpectedReply::Bind(_)));
    if let Some(ExpectedReply::Parse(running)) = &failed
        && running.text_retained == TextRetained::Kept
    {
        protocol.repair.retained.answered();
    }
    if let (Some(failed), Some(side)) = (&failed, &mut protocol.upstream.pool) {
        failed.note_skipped(side);
    }
    let fate = match failed {
        Some(ExpectedReply::Parse(mut running) | ExpectedReply::Execute(mut running)) => {
            protocol
                .witness
                .reclaim_trace(&mut protocol.pending, &mut running);
            let fate = running.failed(
                (
                    &mut protocol.client.reply,
                    &protocol.context.client_settings,
                ),
                fields,
                sqlstate,
            );
            (protocol.context).settings_after_statement(&running, &protocol.pending);
            protocol.finished(&running);
            fate
        }
        Some(ExpectedReply::RefusedMessage { refusal, .. }) if is_failing_text => {
            reply::refusal(&mut protocol.client.reply, &refusal);
            Forwarding::Drop
        }
        _ => Forwarding::Forward,
    };
    if is_bind {
        protocol.receipts.forget_last();
        protocol
            .witness
            .trace_unbound(&mut protocol.pending, sqlstate);
    }
    if protocol.skip_pipeline(is_bind) == SkipExtent::SyncNotSentYet {
        protocol.client.skip_to_sync();
    }
    protocol.note_pause();
    fate
}

/// Of modules whose notices quote the statement at hand: auto_explain's and pgAudit's, whose level
/// is a setting.
const QUOTING_FILES: [&str; 2] = ["auto_explain.c", "pgaudit.c"];
