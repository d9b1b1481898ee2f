//! What may run goes on its way: written to the upstream, and put down as owed.

use std::sync::Arc;

use super::arrival::Arrival;
use super::client::UNSENDABLE;
use super::context::client_min_messages::Change;
use super::lowered_settings::Lowered;
use super::pending::{Owed, Running};
use super::policy_limits::result_limit::Allowance;
use super::protocol::{Conversation, Ending, Intake, SelfReport};
use super::repair::apply_repair::Manner;
use super::server::error_rewrite::Substituted;
use crate::gate::{Depth, Effect, Facts, ReadPermit, SearchPaths};
use crate::limits;
use crate::telemetry::events::{SettingsClamped, StatementJudgedWithoutCatalog};
use crate::telemetry::labels::Path;
use crate::wire::frame::Frame;
use crate::wire::frontend::Oids;

impl Conversation {
    /// A pipeline as long as the journal allows, without a Sync, would wait for ever: the upstream
    /// holds its answers back until it is told to flush.
    pub(super) fn press_long_pipeline(&mut self) {
        if self.journal.len() == limits::JOURNAL_LENGTH_MAX && self.standing.unsynced {
            self.outbox.flush_message();
        }
    }

    /// What may run is sent.
    pub(super) fn send_query(
        &mut self,
        frame: &Frame<'_>,
        permit: &ReadPermit<'_>,
        lowered: Option<Lowered>,
        (manner, allowance): (Manner, Allowance),
    ) -> Result<(), Ending> {
        let mut running = self.permitted(permit, Path::Query, manner.arrived);
        running.allowance = allowance;
        running.plan = self.plan_took.take();
        running.gate = running
            .gate
            .saturating_sub(running.plan.unwrap_or_default());
        self.note_clamp(&mut running, lowered);
        let stake = self.stake_query(frame, &running.facts, &manner);
        manner.mark(&mut running, stake);
        running.loudness = Change::of(permit.original(), &running.facts);
        running.role_answer = self.answer_to(&running.facts);
        self.outbox.query(permit).map_err(|_| UNSENDABLE)?;
        self.ask_queryid(permit, Oids::default());
        self.standing.unsynced = false;
        self.names.sync();
        self.quotas.sync();
        self.expect_settings_change(&running.facts);
        self.expect_settings(&running.facts);
        self.journal.push(Owed::Query(Box::new(running)));
        self.hold_for_check();
        Ok(())
    }

    /// Has the server asked, on connections of pgsieve's own, what it calls the statement.
    pub(super) fn ask_queryid(&self, permit: &ReadPermit<'_>, types: Oids<'_>) {
        let (Some(_), Some(side)) = (permit.facts().shape, &self.side) else {
            return;
        };
        let SearchPaths::Known(paths) = self.names.paths() else {
            return;
        };
        if let [path] = &**paths {
            side.ask_queryid(permit, types, path);
        }
    }

    /// A setting in the statement was lowered: that is counted, and the client will hear of it.
    pub(super) fn note_clamp(&self, running: &mut Running, lowered: Option<Lowered>) {
        if lowered.is_some() && running.facts.signal.get().is_none() {
            self.telemetry.emit(&SettingsClamped {
                session: &self.info,
                path: running.path,
                fingerprint: running.facts.fingerprint,
            });
        }
        running.clamped(lowered);
    }

    pub(super) fn permitted(
        &mut self,
        permit: &ReadPermit<'_>,
        path: Path,
        arrived: Arrival,
    ) -> Running {
        let facts = Arc::clone(permit.facts());
        if facts.depth == Depth::Tree {
            self.telemetry.emit(&StatementJudgedWithoutCatalog);
        }
        self.expect_names(&facts);
        let another = Substituted::of(&facts, permit.original());
        Running {
            another,
            trace: self.trace_sent(),
            ..Running::new(facts, path, arrived, arrived.begun.elapsed())
        }
    }

    /// An upstream that does not report its read-only default has to be asked after this statement.
    pub(super) fn expect_settings_change(&mut self, facts: &Facts) {
        let touched = facts
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::SettingsTouched));
        if touched && self.self_report == SelfReport::AskWhenTouched {
            self.self_report = SelfReport::AskNow;
        }
    }

    /// Nothing more is taken from the client until the question has been asked and answered.
    pub(super) fn hold_for_check(&mut self) {
        if self.self_report == SelfReport::AskNow {
            self.intake = Intake::Checking;
        }
    }
}
