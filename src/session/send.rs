//! What may run goes on its way: written to the upstream, and put down as owed.

use std::sync::Arc;

use super::arrival::StatementArrival;
use super::client::UNSENDABLE;
use super::context::client_min_messages::NoticeLevelChange;
use super::lowered_settings::LoweredText;
use super::pending::{ExpectedReply, InFlight};
use super::policy_limits::result_limit::ResultAllowance;
use super::protocol::{ClientState, SelfReport, SessionEnd, SessionProtocol};
use super::repair::apply_repair::SendOptions;
use super::server::error_rewrite::SubstitutedText;
use crate::gate::{Facts, ReadPermit, SearchPaths, SessionEffect, VerdictDepth};
use crate::limits;
use crate::telemetry::events::{SettingsClamped, StatementJudgedWithoutCatalog};
use crate::telemetry::labels::ProtocolPath;
use crate::wire::frame::ClientFrame;
use crate::wire::frontend::ParameterOids;

impl SessionProtocol {
    /// A pipeline as long as the pending replies allow, without a Sync, would wait for ever: the
    /// upstream holds its answers back until it is told to flush.
    pub(super) fn flush_long_pipeline(&mut self) {
        if self.pending.len() == limits::JOURNAL_LENGTH_MAX && self.transaction.unsynced {
            self.outbox.flush_message();
        }
    }

    /// What may run is sent.
    pub(super) fn send_query(
        &mut self,
        frame: &ClientFrame<'_>,
        permit: &ReadPermit<'_>,
        lowered: Option<LoweredText>,
        (options, allowance): (SendOptions, ResultAllowance),
    ) -> Result<(), SessionEnd> {
        let mut running = self.permitted(permit, ProtocolPath::Query, options.arrived);
        running.allowance = allowance;
        running.plan = self.plan_took.take();
        running.gate = running
            .gate
            .saturating_sub(running.plan.unwrap_or_default());
        self.note_lowered(&mut running, lowered);
        let text_retained = self.retain_query(frame, &running.facts, &options);
        options.mark(&mut running, text_retained);
        running.client_min_messages = NoticeLevelChange::of(permit.original(), &running.facts);
        running.role_answer = self.answer_to(&running.facts);
        self.outbox.query(permit).map_err(|_| UNSENDABLE)?;
        self.ask_queryid(permit, ParameterOids::default());
        self.transaction.unsynced = false;
        self.names.sync_sent();
        self.session_limits.sync();
        self.expect_settings_change(&running.facts);
        self.expect_settings(&running.facts);
        self.pending.push(ExpectedReply::Query(Box::new(running)));
        self.hold_for_check();
        Ok(())
    }

    /// Has the server asked, on connections of pgsieve's own, what it calls the statement.
    pub(super) fn ask_queryid(&self, permit: &ReadPermit<'_>, types: ParameterOids<'_>) {
        let (Some(_), Some(compile_pool)) = (permit.facts().shape, &self.compile_pool) else {
            return;
        };
        let SearchPaths::Known(paths) = self.names.paths() else {
            return;
        };
        if let [path] = &**paths {
            compile_pool.ask_queryid(permit, types, path);
        }
    }

    /// A setting in the statement was lowered: that is counted, and the client will hear of it.
    pub(super) fn note_lowered(&self, running: &mut InFlight, lowered: Option<LoweredText>) {
        if lowered.is_some() && running.facts.signal.get().is_none() {
            self.telemetry.emit(&SettingsClamped {
                session: &self.info,
                path: running.path,
                fingerprint: running.facts.fingerprint,
            });
        }
        running.notice_lowered(lowered);
    }

    pub(super) fn permitted(
        &mut self,
        permit: &ReadPermit<'_>,
        path: ProtocolPath,
        arrived: StatementArrival,
    ) -> InFlight {
        let facts = Arc::clone(permit.facts());
        if facts.depth == VerdictDepth::Tree {
            self.telemetry.emit(&StatementJudgedWithoutCatalog);
        }
        self.expect_names(&facts);
        let another = SubstitutedText::of(&facts, permit.original());
        InFlight {
            another,
            trace: self.trace_sent(),
            ..InFlight::new(facts, path, arrived, arrived.begun.elapsed())
        }
    }

    /// An upstream that does not report its read-only default has to be asked after this statement.
    pub(super) fn expect_settings_change(&mut self, facts: &Facts) {
        let touched = facts
            .effects
            .iter()
            .any(|effect| matches!(effect, SessionEffect::SettingsTouched));
        if touched && self.self_report == SelfReport::AskWhenTouched {
            self.self_report = SelfReport::AskNow;
        }
    }

    /// Nothing more is taken from the client until the question has been asked and answered.
    pub(super) fn hold_for_check(&mut self) {
        if self.self_report == SelfReport::AskNow {
            self.intake = ClientState::Checking;
        }
    }
}
