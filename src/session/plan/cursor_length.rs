//! How long a cursor WITH HOLD is, where what moves it counts from its end: the server is asked by
//! a MOVE to the row that is no client's, which either is there or is not. Of how many rows it is,
//! and what is in them, nobody learns.
//! <https://www.postgresql.org/docs/current/sql-move.html>

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use super::question::{ExplainQuestion, PlanSubject, QuestionEnd};
use super::{NO_VALUES, PlanRequest};
use crate::catalog::quote::quoted;
use crate::gate::{ParameterTypes, PlanCheck, PlanInquiry, ReadPermit, Verdict};
use crate::session::policy_limits::{CursorMeasure, MeasureMoment};
use crate::session::protocol::SessionProtocol;

/// The cursors that questions speak of, in their order; none for a way back.
type MeasuredCursors = VecDeque<Option<CursorMeasure>>;

impl SessionProtocol {
    /// A portal was bound whose statement moves cursors: how long they are is asked for.
    pub(super) fn measure_bound(&mut self, portal: &str) {
        let Some(bound) = self.context.names.cursor(portal) else {
            return;
        };
        let (facts, text) = (Arc::clone(&bound.facts), Arc::clone(&bound.text));
        let measures = self.measures(&facts, MeasureMoment::Bound);
        if measures.is_empty() {
            return;
        }
        if let Some((end, cursors)) = self.put_measures(measures) {
            self.wait_for_cursors(PlanSubject::Bind(facts, text), end, cursors);
        }
    }

    /// Writes the questions; nothing where none can be asked.
    pub(super) fn put_measures(
        &mut self,
        measures: Vec<CursorMeasure>,
    ) -> Option<(QuestionEnd, MeasuredCursors)> {
        if self.is_sure_to_fail() {
            return None;
        }
        let (mut questions, mut cursors) = (Vec::new(), VecDeque::new());
        for measure in measures {
            let rows = [Some(measure.beyond), measure.back];
            for row in rows.into_iter().flatten() {
                let permit = self.permit_of_move(&measure.name, row)?;
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
        let (end, ..) = self
            .write_question(&ask, &ParameterTypes::none_given(), NO_VALUES)
            .ok()?;
        Some((end, cursors))
    }

    /// What waits for the answers is put down.
    pub(super) fn wait_for_cursors(
        &mut self,
        subject: PlanSubject,
        end: QuestionEnd,
        cursors: MeasuredCursors,
    ) {
        let shifts = cursors.iter().map(|_| None).collect();
        let asking = ExplainQuestion::new(subject, end, None, shifts);
        self.wait_for_plan(asking.of_cursors(cursors));
    }

    fn permit_of_move(&self, cursor: &str, row: u64) -> Option<ReadPermit<'static>> {
        let text = Cow::Owned(format!("MOVE ABSOLUTE {row} IN {}", quoted(cursor)));
        let judgement =
            self.judge
                .gate
                .judge_with(text, &ParameterTypes::none_given(), &self.context.names);
        match judgement.verdict {
            Verdict::Permitted(permit) => Some(permit),
            Verdict::Clamped(_) | Verdict::Refused(_) => None,
        }
    }
}
