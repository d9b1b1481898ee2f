//! How the statements of a session move its cursors WITH HOLD: what may be sent, and what its
//! answers say of where they are. While one that is counted is run, nothing is sent behind its
//! batch, so that it is known where the next one begins.

use std::sync::Arc;

use super::cursor_run::{CursorRun, RunBefore};
use super::holdable_cursors::{
    CursorMeasure, FetchReach, FetchRun, HoldableCursors, MeasureMoment,
};
use super::portal_totals::PortalTotal;
use super::{AdmissionBasis, PortalRecords, SessionLimits, messages};
use crate::gate::{CursorAction, CursorMovement, CursorStep, Facts, Refusal, Rule, SessionNames};
use crate::limits;
use crate::policy::{RuleMode, WithHold};
use crate::session::pending::PendingReplies;
use crate::session::pending::in_flight::InFlight;
use crate::wire::backend::TransactionStatus;
use crate::wire::frontend::Execute;

/// What a Query runs of cursors whose rows are counted.
pub(super) fn cursors_run(facts: &Facts, names: &SessionNames) -> CursorRun {
    statements_run(facts, "", RunBefore::Never, names)
}

fn statements_run(
    facts: &Facts,
    portal: &str,
    before: RunBefore,
    names: &SessionNames,
) -> CursorRun {
    let steps = &facts.cursor_steps;
    let is_held = |name: &str| {
        let declared = steps.iter().any(|step| *step.name == *name && step.holds());
        declared || names.cursor(name).is_some_and(|cursor| cursor.hold)
    };
    let mut steps = steps.iter();
    match steps.any(|step| matches!(step.action, CursorAction::Runs(_)) && is_held(&step.name)) {
        true => CursorRun::Statements {
            portal: portal.into(),
            before,
        },
        false => CursorRun::None,
    }
}

impl SessionLimits {
    /// Whether there is room for the cursors that a statement declares WITH HOLD.
    pub(super) fn admit_cursors(
        &self,
        by: &AdmissionBasis<'_>,
        facts: &Facts,
    ) -> Result<(), Box<Refusal>> {
        let more = held_by(facts);
        let WithHold::Bounded { cursors_max, .. } = by.policy.statements().with_hold else {
            return Ok(());
        };
        if more == 0 {
            return Ok(());
        }
        let there = self.holdable().map_or(0, HoldableCursors::count);
        let on_their_way: usize = by.pending.facts().iter().map(|it| held_by(it)).sum();
        if there + on_their_way + more <= cursors_max {
            return Ok(());
        }
        by.witness
            .note_limit(Rule::WithHold, RuleMode::Enforce, facts.fingerprint);
        Err(messages::too_many_cursors(cursors_max, by.policy.name()))
    }

    /// What a portal runs of cursors whose rows are counted: it may be such a cursor itself.
    pub(super) fn cursor_run(
        &mut self,
        facts: &Facts,
        execute: &Execute<'_>,
        names: &SessionNames,
    ) -> CursorRun {
        if !facts.cursor_steps.is_empty() {
            let before = match self.portals.as_ref() {
                Some(portals) if portals.fetching.contains(execute.portal) => RunBefore::Yes,
                Some(_) | None => RunBefore::Never,
            };
            let run = statements_run(facts, execute.portal, before, names);
            if run != CursorRun::None {
                let portals = self.portals.get_or_insert_default();
                if portals.fetching.len() < limits::SESSION_NAMES_MAX {
                    portals.fetching.insert(execute.portal.into());
                }
            }
            return run;
        }
        let is_held = |cursor: &crate::gate::Cursor| cursor.hold;
        if !names.cursor(execute.portal).is_some_and(is_held) {
            return CursorRun::None;
        }
        CursorRun::Cursor {
            name: crate::gate::truncated_name(execute.portal).into(),
            rows: u64::try_from(execute.rows_max)
                .ok()
                .filter(|rows| *rows > 0)
                .unwrap_or(u64::MAX),
        }
    }

    /// What is to be asked of cursors before a text moves them. Of those that it makes itself, and
    /// while others are on their way that move some, nothing can be asked.
    pub(in crate::session) fn measures(
        &self,
        facts: &Facts,
        moment: MeasureMoment,
        pending: &PendingReplies,
    ) -> Vec<CursorMeasure> {
        let Some(holdable) = self.holdable() else {
            return Vec::new();
        };
        let steps = &facts.cursor_steps;
        let under_way = pending.facts();
        if steps.is_empty() || under_way.iter().any(|it| !it.cursor_steps.is_empty()) {
            return Vec::new();
        }
        let mut ways: Vec<(&str, Vec<CursorMovement>)> = Vec::new();
        for step in steps {
            let known = ways.iter_mut().find(|(name, _)| *name == &*step.name);
            match (step.action, known) {
                (CursorAction::Runs(way), Some((_, ways))) => ways.push(way),
                (CursorAction::Runs(way), None) => ways.push((&*step.name, vec![way])),
                (CursorAction::Declares | CursorAction::Holds { .. } | CursorAction::Closes, _) => {
                    return Vec::new();
                }
            }
        }
        let measures = ways
            .iter()
            .map(|(name, ways)| holdable.measure(name, ways, moment));
        measures.flatten().collect()
    }

    /// What a portal, and the cursor that its statement at hand fetches from, have given before.
    pub(super) fn totals_of(&mut self, running: &InFlight) -> Vec<Arc<PortalTotal>> {
        let Some(bounds) = &running.allowance.bounds else {
            return Vec::new();
        };
        let fetched = running.fetched_from();
        if bounds.portal.is_none() && fetched.is_none() {
            return Vec::new();
        }
        let portals = self.portals.get_or_insert_default();
        let names = bounds.portal.as_deref().into_iter().chain(fetched);
        names.map(|name| portals.portal_totals.of(name)).collect()
    }

    /// The rows that a client may get of the cursor that a statement runs, and in this result.
    pub(super) fn held_rows_left(&self, running: &InFlight) -> Option<(u64, u64)> {
        let run = running.cursor()?;
        self.holdable()?.rows_left(run.name, run.way, run.run)
    }

    /// A portal has stopped in the middle.
    pub(in crate::session) fn cursor_paused(&mut self, running: &InFlight) {
        let Some(holdable) = self.holdable_mut() else {
            return;
        };
        match running.cursor() {
            Some(run) if run.is_itself => {
                // It stands where it stopped: what is beyond was cut before.
                let _ = holdable.moved(run.name, run.way, running.rows, run.run);
            }
            Some(run) => holdable.paused(run.name, run.run, running.rows),
            None => {}
        }
    }

    /// A statement of the message at the head is done, as its command tag says: that moves, makes
    /// or ends cursors. Says where it has led one, and how many rows the client may get of it, if
    /// that was beyond them.
    pub(super) fn cursors_moved(
        &mut self,
        running: &mut InFlight,
        tag: &str,
    ) -> Option<(CursorMovement, u64)> {
        let done = running.statements_done;
        running.statements_done = done.saturating_add(1);
        if self.portals.is_none() && running.facts.cursor_steps.is_empty() {
            return None;
        }
        let moved = self.cursor_moved((&*running, done), tag);
        let steps = running.facts.cursor_steps.iter();
        for step in steps.filter(|step| step.statement == done) {
            self.cursor_step(step);
        }
        self.cursors_ended(tag);
        moved
    }

    /// The message at the head is cut, and nobody hears what else the upstream does of its batch:
    /// nobody knows where the cursors are that it runs, and those that it declares may be there.
    pub(super) fn lose_cursors(&mut self, pending: &PendingReplies) {
        let facts = pending.facts();
        let steps = facts.iter().flat_map(|facts| &facts.cursor_steps);
        if let Some(holdable) = self.holdable_mut() {
            if let Some(run) = pending.running().and_then(InFlight::cursor) {
                holdable.lost(run.name);
            }
            for step in steps.clone() {
                holdable.lost(&step.name);
            }
        }
        for step in steps.filter(|step| step.holds()) {
            self.cursor_step(step);
        }
    }

    fn holdable(&self) -> Option<&HoldableCursors> {
        self.portals.as_ref().map(|portals| &portals.holdable)
    }

    fn holdable_mut(&mut self) -> Option<&mut HoldableCursors> {
        self.portals.as_mut().map(|portals| &mut portals.holdable)
    }

    /// The server has said whether a cursor has more rows than the client may get.
    pub(in crate::session) fn cursor_measured(&mut self, measure: &CursorMeasure, is_more: bool) {
        if let Some(holdable) = self.holdable_mut() {
            holdable.measured(measure, is_more);
        }
    }

    /// It has said nothing: nobody knows where the cursor is.
    pub(in crate::session) fn lose_cursor(&mut self, measure: &CursorMeasure) {
        if let Some(holdable) = self.holdable_mut() {
            holdable.lost(&measure.name);
        }
    }

    /// An error of the upstream's: what is open may be gone.
    pub(in crate::session) fn doubt_cursors(&mut self) {
        if let Some(holdable) = self.holdable_mut() {
            holdable.rolled_back();
        }
    }

    /// The upstream is ready.
    pub(in crate::session) fn settle_cursors(&mut self, status: TransactionStatus) {
        if let Some(holdable) = self.holdable_mut() {
            holdable.ready(status);
        }
    }

    /// A Close of a portal is answered: it may have been a cursor.
    pub(in crate::session) fn close_cursor(&mut self, name: &str) {
        if let Some(portals) = &mut self.portals {
            portals.holdable.closed(crate::gate::truncated_name(name));
            portals.portal_totals.begin(name);
        }
    }

    /// A Bind of a portal is answered.
    pub(in crate::session) fn portal_bound(&mut self, name: &str) {
        if let Some(portals) = &mut self.portals {
            portals.portal_totals.begin(name);
        }
    }

    /// Takes over where a cursor is. Says where it went, and how many rows the client may get of
    /// it, if that was beyond them.
    fn cursor_moved(
        &mut self,
        (running, done): (&InFlight, u32),
        tag: &str,
    ) -> Option<(CursorMovement, u64)> {
        let holdable = self.holdable_mut()?;
        let run = running.cursor_of(done)?;
        let rows = if run.is_itself {
            running.rows
        } else {
            tag.rsplit(' ').next()?.parse().ok()?
        };
        match holdable.moved(run.name, run.way, rows, run.run) {
            FetchReach::Within => None,
            FetchReach::Beyond { rows_max } => Some((run.way, rows_max)),
        }
    }

    fn cursor_step(&mut self, step: &CursorStep) {
        let held = match step.action {
            CursorAction::Runs(_) => return,
            CursorAction::Holds { rows_max } => Some(rows_max),
            CursorAction::Declares => None,
            CursorAction::Closes => return self.close_cursor(&step.name),
        };
        if held.is_some() || self.portals.is_some() {
            let portals = self.portals.get_or_insert_default();
            portals.holdable.declared(&step.name, held);
            portals.portal_totals.begin(&step.name);
        }
    }

    /// A statement that may end cursors, or settle which stay.
    fn cursors_ended(&mut self, tag: &str) {
        let Some(PortalRecords {
            holdable,
            portal_totals,
            ..
        }) = self.portals.as_deref_mut()
        else {
            return;
        };
        match tag {
            "COMMIT" => holdable.committed(),
            "ROLLBACK" => holdable.rolled_back(),
            "CLOSE CURSOR ALL" | "DISCARD ALL" => {
                holdable.closed_all();
                portal_totals.clear();
            }
            _ => {}
        }
    }
}

/// A cursor that a statement runs.
struct CursorMove<'r> {
    name: &'r str,
    way: CursorMovement,
    run: FetchRun<'r>,
    /// Whether it is the portal that is executed.
    is_itself: bool,
}

impl InFlight {
    /// The name of the cursor that its statement at hand fetches from.
    fn fetched_from(&self) -> Option<&str> {
        let mut steps = self.facts.cursor_steps.iter();
        let at_hand = self.statements_done;
        let found = steps
            .find(|step| step.statement == at_hand && matches!(step.action, CursorAction::Runs(_)));
        found.map(|step| &*step.name)
    }

    /// Where its statement at hand takes a cursor that is counted.
    pub(super) fn way_of_cursor(&self) -> Option<CursorMovement> {
        self.cursor().map(|run| run.way)
    }

    /// The cursor that its statement at hand runs, where its rows are counted.
    fn cursor(&self) -> Option<CursorMove<'_>> {
        self.cursor_of(self.statements_done)
    }

    fn cursor_of(&self, statement: u32) -> Option<CursorMove<'_>> {
        let bounds = self.allowance.bounds.as_ref()?;
        match &bounds.run {
            CursorRun::None => None,
            CursorRun::Cursor { name, rows } => Some(CursorMove {
                name,
                way: CursorMovement::Forward(*rows),
                run: FetchRun::First(""),
                is_itself: true,
            }),
            CursorRun::Statements { portal, before } => {
                let run = match before {
                    RunBefore::Never => FetchRun::First(portal),
                    RunBefore::Yes => FetchRun::Again(portal),
                };
                let mut steps = self.facts.cursor_steps.iter();
                steps.find_map(|step| match step.action {
                    CursorAction::Runs(way) if step.statement == statement => Some(CursorMove {
                        name: &step.name,
                        way,
                        run,
                        is_itself: false,
                    }),
                    _ => None,
                })
            }
        }
    }
}

/// The cursors that a statement declares WITH HOLD.
fn held_by(facts: &Facts) -> usize {
    let steps = facts.cursor_steps.iter();
    steps.filter(|step| step.holds()).count()
}
