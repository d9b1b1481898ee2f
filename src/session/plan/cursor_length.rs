//! How long a cursor WITH HOLD is, where what moves it counts from its end: the server is asked by
//! a MOVE to the row that is no client's, which either is there or is not. Of how many rows it is,
//! and what is in them, nobody learns.
//! <https://www.postgresql.org/docs/current/sql-move.html>

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use super::question::{ExplainQuestion, PlanSubject, QuestionEnd};
use super::{NO_VALUES, PlanRequest, wait_for_plan, write_question};
use crate::catalog::quote::quoted;
use crate::gate::{
    Gate, ParameterTypes, PlanCheck, PlanInquiry, ReadPermit, SessionNames, Verdict,
};
use crate::session::policy_limits::{CursorMeasure, MeasureMoment};
use crate::session::protocol::SessionProtocol;

/// The cursors that questions speak of, in their order; none for a way back.
type MeasuredCursors = VecDeque<Option<CursorMeasure>>;

/// A portal was bound whose statement moves cursors: how long they are is asked for.
pub(super) fn measure_bound(protocol: &mut SessionProtocol, portal: &str) {
    let Some(bound) = protocol.context.names.cursor(portal) else {
        return;
    };
    let (facts, text) = (Arc::clone(&bound.facts), Arc::clone(&bound.text));
    let measures = protocol
        .limits
        .measures(&facts, MeasureMoment::Bound, &protocol.pending);
    if measures.is_empty() {
        return;
    }
    if let Some((end, cursors)) = put_measures(protocol, measures) {
        wait_for_cursors(protocol, PlanSubject::Bind(facts, text), end, cursors);
    }
}

/// Writes the questions; nothing where none can be asked.
pub(super) fn put_measures(
    protocol: &mut SessionProtocol,
    measures: Vec<CursorMeasure>,
) -> Option<(QuestionEnd, MeasuredCursors)> {
    if protocol.pending.is_sure_to_fail() {
        return None;
    }
    let (mut questions, mut cursors) = (Vec::new(), VecDeque::new());
    for measure in measures {
        let rows = [Some(measure.beyond), measure.back];
        for row in rows.into_iter().flatten() {
            let permit = permit_of_move(
                &protocol.judge.gate,
                &protocol.context.names,
                &measure.name,
                row,
            )?;
            let shift = None;
            questions.push(PlanInquiry { permit, shift });
        }
        let back = measure.back.map(|_| None);
        cursors.push_back(Some(measure));
        cursors.extend(back);
    }
    let planning = PlanCheck {
        questions,
        ..PlanCheck::default()
    };
    let ask = PlanRequest {
        planning,
        key: None,
    };
    let (outbox, pending) = (&mut protocol.upstream.outbox, &mut protocol.pending);
    let none = ParameterTypes::none_given();
    let (end, ..) = write_question((outbox, pending), &ask, &none, NO_VALUES).ok()?;
    Some((end, cursors))
}

/// What waits for the answers is put down.
pub(super) fn wait_for_cursors(
    protocol: &mut SessionProtocol,
    subject: PlanSubject,
    end: QuestionEnd,
    cursors: MeasuredCursors,
) {
    let shifts = cursors.iter().map(|_| None).collect();
    let asking = ExplainQuestion::new(subject, end, None, shifts);
    wait_for_plan(protocol, asking.of_cursors(cursors));
}

fn permit_of_move(
    gate: &Gate,
    names: &SessionNames,
    cursor: &str,
    row: u64,
) -> Option<ReadPermit<'static>> {
    let text = Cow::Owned(format!("MOVE ABSOLUTE {row} IN {}", quoted(cursor)));
    let judgement = gate.judge_with(text, &ParameterTypes::none_given(), names);
    match judgement.verdict {
        Verdict::Permitted(permit) => Some(permit),
        Verdict::Clamped(_) | Verdict::Refused(_) => None,
    }
}
