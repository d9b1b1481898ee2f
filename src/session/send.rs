//! What may run goes on its way: written to the upstream, and put down as owed.

use std::sync::Arc;
use std::time::Duration;

use super::arrival::StatementArrival;
use super::client::UNSENDABLE;
use super::context::client_min_messages::NoticeLevelChange;
use super::lowered_settings::LoweredText;
use super::pending::portal_names::PortalBinding;
use super::pending::{ExpectedReply, InFlight};
use super::policy_limits::result_limit::ResultAllowance;
use super::protocol::{ClientState, SelfReport, SessionEnd, SessionProtocol};
use super::server::error_rewrite::SubstitutedText;
use super::statement::{AdmittedQuery, BoundPortal, PermittedText};
use crate::gate::{
    Cursor, Facts, ParameterTypes, ReadPermit, SearchPaths, SessionEffect, VerdictDepth,
};
use crate::limits;
use crate::telemetry::events::{SettingsClamped, StatementJudgedWithoutCatalog};
use crate::telemetry::labels::{ProtocolPath, StatementOutcome};
use crate::wire::frame::ClientFrame;
use crate::wire::frontend::{Bind, Execute, ParameterOids, Parse};

impl SessionProtocol {
    /// A pipeline as long as the pending replies allow, without a Sync, would wait for ever: the
    /// upstream holds its answers back until it is told to flush.
    pub(super) fn flush_long_pipeline(&mut self) {
        if self.pending.len() == limits::PENDING_REPLIES_MAX && self.upstream.transaction.unsynced {
            self.upstream.outbox.flush_message();
        }
    }

    /// Writes a Query, which is then owed.
    pub(super) fn send_query(
        &mut self,
        frame: &ClientFrame<'_>,
        query: AdmittedQuery<'_>,
    ) -> Result<(), SessionEnd> {
        let AdmittedQuery { text, allowance } = query;
        let PermittedText {
            permit,
            lowered,
            options,
            ..
        } = text;
        let mut running = self.permitted(&permit, ProtocolPath::Query, options.arrived);
        running.allowance = allowance;
        running.plan = self.plan.took.take();
        running.gate = running
            .gate
            .saturating_sub(running.plan.unwrap_or_default());
        self.note_lowered(&mut running, lowered);
        let text_retained = self.retain_query(frame, &running.facts, &options);
        options.mark(&mut running, text_retained);
        running.client_min_messages = NoticeLevelChange::of(permit.original(), &running.facts);
        running.role_answer = self.answer_to(&running.facts);
        self.upstream
            .outbox
            .query(&permit)
            .map_err(|_| UNSENDABLE)?;
        self.ask_queryid(&permit, ParameterOids::default());
        self.upstream.transaction.unsynced = false;
        self.context.names.sync_sent();
        self.limits.sync();
        self.expect_settings_change(&running.facts);
        self.expect_settings(&running.facts);
        self.pending.push(ExpectedReply::Query(Box::new(running)));
        self.hold_for_check();
        Ok(())
    }

    /// Writes a Parse, which is then owed; its name stands for the statement from now on.
    pub(super) fn send_parse(
        &mut self,
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
        let mut running = self.permitted(&permit, ProtocolPath::Parse, options.arrived);
        self.note_lowered(&mut running, lowered);
        let text_retained = self.retain_parse(frame, parse, &running.facts, &options);
        options.mark(&mut running, text_retained);
        self.context.names.add_prepared(
            parse.name,
            Arc::clone(&running.facts),
            permit.original().into(),
        );
        self.context.names.set_parameters(parse.name, parameters);
        self.upstream
            .outbox
            .parse(parse.name, &permit, parse.parameter_types)
            .map_err(|_| UNSENDABLE)?;
        self.ask_queryid(&permit, parse.parameter_types);
        self.upstream.transaction.open_batch();
        self.pending.push(ExpectedReply::Parse(Box::new(running)));
        Ok(())
    }

    /// Forwards a Bind, which is then owed; its portal is known from now on.
    pub(super) fn send_bind(
        &mut self,
        frame: &ClientFrame<'_>,
        bind: &Bind<'_>,
        portal: Cursor,
    ) -> Result<(), SessionEnd> {
        let another = SubstitutedText::of(&portal.facts, &portal.text);
        self.context.names.add_cursor(bind.portal, portal);
        self.limits.forget_portal(bind.portal);
        self.forward(frame)?;
        self.pending.push(PortalBinding::owed(bind.portal, another));
        Ok(())
    }

    /// Forwards an Execute, which is then owed.
    pub(super) fn send_execute(
        &mut self,
        frame: &ClientFrame<'_>,
        execute: &Execute<'_>,
        BoundPortal { facts, text }: BoundPortal,
        (arrived, allowance): (StatementArrival, ResultAllowance),
    ) -> Result<(), SessionEnd> {
        self.forward(frame)?;
        self.expect_names(&facts);
        self.expect_settings_change(&facts);
        self.expect_settings(&facts);
        let client_min_messages = NoticeLevelChange::of(&text, &facts);
        let another = SubstitutedText::of(&facts, &text);
        let mut running = InFlight::new(facts, ProtocolPath::Execute, arrived, Duration::ZERO);
        running.allowance = allowance;
        running.client_min_messages = client_min_messages;
        running.role_answer = self.answer_to(&running.facts);
        running.plan = self.plan.took.take();
        if running.plan.is_some() {
            self.witness.trace_asked();
        }
        running.trace = self.witness.trace_sent(&self.pending);
        running.another = another;
        if running.facts.stands_in.get().is_some() {
            running.outcome = StatementOutcome::Repaired;
        }
        running.runs = self.context.names.run_cursor(execute.portal);
        self.pending.push(ExpectedReply::Execute(Box::new(running)));
        Ok(())
    }

    /// Has the server asked, on connections of pgsieve's own, what it calls the statement.
    fn ask_queryid(&self, permit: &ReadPermit<'_>, types: ParameterOids<'_>) {
        let (Some(_), Some(compile_pool)) = (permit.facts().shape, &self.repair.compile_pool)
        else {
            return;
        };
        let SearchPaths::Known(paths) = self.context.names.paths() else {
            return;
        };
        if let [path] = &**paths {
            compile_pool.ask_queryid(permit, types, path);
        }
    }

    /// A setting in the statement was lowered: that is counted, and the client will hear of it.
    fn note_lowered(&self, running: &mut InFlight, lowered: Option<LoweredText>) {
        if lowered.is_some() && running.facts.signal.get().is_none() {
            self.witness.telemetry.emit(&SettingsClamped {
                session: &self.witness.info,
                path: running.path,
                fingerprint: running.facts.fingerprint,
            });
        }
        running.notice_lowered(lowered);
    }

    fn permitted(
        &mut self,
        permit: &ReadPermit<'_>,
        path: ProtocolPath,
        arrived: StatementArrival,
    ) -> InFlight {
        let facts = Arc::clone(permit.facts());
        if facts.depth == VerdictDepth::Tree {
            self.witness.telemetry.emit(&StatementJudgedWithoutCatalog);
        }
        self.expect_names(&facts);
        let another = SubstitutedText::of(&facts, permit.original());
        InFlight {
            another,
            trace: self.witness.trace_sent(&self.pending),
            ..InFlight::new(facts, path, arrived, arrived.begun.elapsed())
        }
    }

    /// An upstream that does not report its read-only default has to be asked after this statement.
    fn expect_settings_change(&mut self, facts: &Facts) {
        let touched = facts
            .effects
            .iter()
            .any(|effect| matches!(effect, SessionEffect::SettingsTouched));
        if touched && self.upstream.self_report == SelfReport::AskWhenTouched {
            self.upstream.self_report = SelfReport::AskNow;
        }
    }

    /// Nothing more is taken from the client until the question has been asked and answered.
    pub(super) fn hold_for_check(&mut self) {
        if self.upstream.self_report == SelfReport::AskNow {
            self.client.state = ClientState::Checking;
        }
    }
}
