//! The path of a statement, from its arrival to the upstream.
//!
//! Each message that brings or runs a statement has one function here that lists its steps in their
//! order: [`take_query`], `take_parse`, `take_bind` and `take_execute`. A step gives what it came
//! to, or stops the statement: it is refused, or it waits (for a thread, a repair, a plan). What
//! has waited is taken up again here, at the step behind. No step calls the next one.
//!
//! A step is a method of the part of the session that it works on, or a function where it works on
//! several: judging is in `text_judgement`, repairs in `repair::preflight`, quotas in
//! `policy_limits::admission`, plans in `plan`, writing in `send`. What a step gives to the next
//! one is in `statement_stage`.

use bytes::Bytes;

use super::plan::{measure_cursors, plan_bound, plan_within_bounds, question_of_bind};
use super::policy_limits::admission::{admit_execute, admit_query};
use super::pooling::prepared::{StatementReadiness, prepare_again};
use super::protocol::SessionProtocol;
use super::refuse::{refuse_message, refuse_parse, refuse_query};
use super::repair::default_limit::with_default_limit;
use super::repair::preflight::preflight;
use super::send::{send_bind, send_execute, send_parse, send_query};
use super::session_end::{LOST_COUNT, SessionEnd};
use super::signal_calls::portal_of;
use super::statement_stage::{ClientText, PathStop, QueryStage, TextStage};
use super::text_judgement::{arrive, judge_text};
use crate::telemetry::labels::ProtocolPath;
use crate::wire::frame::{ClientFrame, FrameCut, ProtocolPhase, cut_frontend};
use crate::wire::frontend::{self, Bind, Execute, FrontendMessage, Parse, Query};

/// A Query, from where it stands until it is sent, waits or is refused.
pub(super) fn take_query(
    protocol: &mut SessionProtocol,
    frame: &ClientFrame<'_>,
    query: &Query<'_>,
    stage: QueryStage<'_>,
) -> Result<(), SessionEnd> {
    let text = ClientText::of_query(query);
    match query_steps(protocol, frame, &text, stage) {
        Ok(()) | Err(PathStop::Waits) => Ok(()),
        Err(PathStop::Ends(end)) => Err(end),
        Err(PathStop::Refused(refusal, judged)) => {
            protocol.client.expect_copy_leftovers(judged.as_ref());
            refuse_query(
                protocol,
                refusal,
                judged,
                (ProtocolPath::Query, Some(text.text)),
            )
        }
    }
}

fn query_steps<'t>(
    protocol: &mut SessionProtocol,
    frame: &ClientFrame<'_>,
    text: &ClientText<'t>,
    mut stage: QueryStage<'t>,
) -> Result<(), PathStop> {
    use QueryStage::{Measured, Planned, Text};
    use TextStage::{Arrived, Judged, Preflighted};
    // Each round is a step further.
    loop {
        stage = match stage {
            Text(Arrived) => {
                let arrived = arrive(protocol, text);
                Text(Judged(judge_text(protocol, frame, text, arrived)?))
            }
            Text(Judged(judged)) => Text(Preflighted(preflight(protocol, frame, text, judged)?)),
            Text(Preflighted(judged)) => {
                let judged = with_default_limit(protocol, judged, &text.parameters);
                let permitted = (protocol.judge).lower_settings(
                    judged,
                    &text.parameters,
                    &protocol.context.names,
                )?;
                let admitted = admit_query(protocol, permitted)?;
                Measured(measure_cursors(protocol, frame, admitted)?)
            }
            Measured(query) => Planned(plan_within_bounds(protocol, frame, query)?),
            Planned(query) => return Ok(send_query(protocol, frame, text.text, query)?),
        };
    }
}

/// A Parse, from where it stands until it is sent, waits or is refused.
pub(super) fn take_parse(
    protocol: &mut SessionProtocol,
    frame: &ClientFrame<'_>,
    parse: &Parse<'_>,
    stage: TextStage<'_>,
) -> Result<(), SessionEnd> {
    match parse_steps(protocol, frame, parse, stage) {
        Ok(()) | Err(PathStop::Waits) => Ok(()),
        Err(PathStop::Ends(end)) => Err(end),
        Err(PathStop::Refused(refusal, judged)) => {
            protocol.client.expect_copy_leftovers(judged.as_ref());
            refuse_parse(protocol, parse, refusal, judged)
        }
    }
}

fn parse_steps<'t>(
    protocol: &mut SessionProtocol,
    frame: &ClientFrame<'_>,
    parse: &Parse<'t>,
    mut stage: TextStage<'t>,
) -> Result<(), PathStop> {
    let text = ClientText::of_parse(parse);
    use TextStage::{Arrived, Judged, Preflighted};
    // Each round is a step further.
    loop {
        stage = match stage {
            Arrived => {
                let arrived = arrive(protocol, &text);
                Judged(judge_text(protocol, frame, &text, arrived)?)
            }
            Judged(judged) => Preflighted(preflight(protocol, frame, &text, judged)?),
            Preflighted(judged) => {
                let judged = with_default_limit(protocol, judged, &text.parameters);
                let permitted = (protocol.judge).lower_settings(
                    judged,
                    &text.parameters,
                    &protocol.context.names,
                )?;
                let permitted =
                    (protocol.judge).admit_parse(parse, permitted, &protocol.context.names)?;
                return Ok(send_parse(
                    protocol,
                    frame,
                    parse,
                    text.parameters,
                    permitted,
                )?);
            }
        };
    }
}

/// A text that has waited goes on.
///
/// # Errors
/// The reason to end the session.
pub(super) fn resume_text(
    protocol: &mut SessionProtocol,
    frame: &Bytes,
    stage: TextStage<'_>,
) -> Result<(), SessionEnd> {
    let FrameCut::Whole(frame) = cut_frontend(frame, ProtocolPhase::Session)? else {
        return Err(LOST_COUNT);
    };
    match frontend::decode(&frame)? {
        FrontendMessage::Query(query) => {
            take_query(protocol, &frame, &query, QueryStage::Text(stage))
        }
        FrontendMessage::Parse(parse) => take_parse(protocol, &frame, &parse, stage),
        _ => Err(LOST_COUNT),
    }
}

/// A Query that has waited for an answer of the upstream goes on.
///
/// # Errors
/// The reason to end the session.
pub(super) fn resume_query(
    protocol: &mut SessionProtocol,
    frame: &Bytes,
    stage: QueryStage<'_>,
) -> Result<(), SessionEnd> {
    let FrameCut::Whole(frame) = cut_frontend(frame, ProtocolPhase::Session)? else {
        return Err(LOST_COUNT);
    };
    match frontend::decode(&frame)? {
        FrontendMessage::Query(query) => take_query(protocol, &frame, &query, stage),
        _ => Err(LOST_COUNT),
    }
}

/// A Bind, which makes a portal of a prepared statement.
pub(super) fn take_bind(
    protocol: &mut SessionProtocol,
    frame: &ClientFrame<'_>,
    bind: &Bind<'_>,
) -> Result<(), SessionEnd> {
    match bind_steps(protocol, frame, bind) {
        Ok(()) | Err(PathStop::Waits) => Ok(()),
        Err(PathStop::Ends(end)) => Err(end),
        Err(PathStop::Refused(refusal, judged)) => {
            refuse_message(protocol, refusal, judged, ProtocolPath::Bind)
        }
    }
}

fn bind_steps(
    protocol: &mut SessionProtocol,
    frame: &ClientFrame<'_>,
    bind: &Bind<'_>,
) -> Result<(), PathStop> {
    if prepare_again(protocol, frame, bind.statement)? == StatementReadiness::Asked {
        return Err(PathStop::Waits);
    }
    protocol
        .witness
        .begin_bind(&protocol.context.names, bind.statement);
    let (gate, pending) = (&protocol.judge.gate, &protocol.pending);
    (protocol.context).recheck_statement(bind.statement, gate, pending)?;
    let prepared = protocol.context.prepared_for(bind, pending)?;
    let question = question_of_bind(protocol, &prepared)?;
    let portal = portal_of(&mut protocol.client, prepared, bind)?;
    send_bind(protocol, frame, bind, portal)?;
    // Behind it, with the same values: an error of the Bind skips the question too.
    plan_bound(protocol, bind, question)
}

/// An Execute, which runs a portal.
pub(super) fn take_execute(
    protocol: &mut SessionProtocol,
    frame: &ClientFrame<'_>,
    execute: &Execute<'_>,
) -> Result<(), SessionEnd> {
    match execute_steps(protocol, frame, execute) {
        Ok(()) | Err(PathStop::Waits) => Ok(()),
        Err(PathStop::Ends(end)) => Err(end),
        Err(PathStop::Refused(refusal, judged)) => {
            refuse_message(protocol, refusal, judged, ProtocolPath::Execute)
        }
    }
}

fn execute_steps(
    protocol: &mut SessionProtocol,
    frame: &ClientFrame<'_>,
    execute: &Execute<'_>,
) -> Result<(), PathStop> {
    let arrived = protocol.client.inflow.arrival();
    protocol.witness.begin_execute(
        (&protocol.context.names, &mut protocol.pending),
        execute.portal,
        &arrived,
    );
    let gate = &protocol.judge.gate;
    (protocol.context).recheck_portal(execute.portal, gate, &protocol.pending)?;
    let portal = protocol.context.portal_for(execute)?;
    protocol.context.recheck_held_cursors(&portal.facts, gate)?;
    let allowance = admit_execute(protocol, execute, &portal.facts, arrived)?;
    Ok(send_execute(
        protocol,
        frame,
        execute,
        portal,
        (arrived, allowance),
    )?)
}
