//! What statements do to the names and settings of a session: what is expected of them when they
//! are sent, what holds once they are answered, and what an error takes back.

use super::SessionContext;
use super::model_values::ValuesChange;
use super::names::NameContext;
use super::tracked_setting::{
    EarlierStatements, StatementEnd, TrackedChange, TransactionEnd, TransactionPosition,
};
use crate::gate::{Certainty, Facts, SessionEffect, StatementKind};
use crate::repair::dialect_history::DialectHistory;
use crate::session::pending::in_flight::InFlight;
use crate::session::pending::portal_names::ClosedName;
use crate::session::pending::{ExpectedReply, PendingReplies, SkipExtent};
use crate::session::pooling::pool_side::PoolSide;
use crate::telemetry::labels::StatementOutcome;
use crate::wire::backend::TransactionStatus;

impl SessionContext {
    /// What a statement is about to make is known from now on: a Bind or Execute of it may already
    /// be on its way. If the statement fails, the name costs an error of the upstream's own.
    pub(in crate::session) fn expect_names(&mut self, facts: &Facts) {
        for effect in &facts.effects {
            if matches!(
                effect,
                SessionEffect::Prepare { .. } | SessionEffect::DeclareCursor { .. }
            ) {
                self.names.apply(effect);
            }
        }
    }

    /// A statement is on its way: what it does to settings may hold from now on.
    pub(in crate::session) fn expect_settings(&mut self, facts: &Facts, pending: &PendingReplies) {
        let mut changed = ValuesChange::Nothing;
        for effect in &facts.effects {
            if let Some(change) = TrackedChange::of_path(effect) {
                self.name_context.paths.sent(&change);
                changed = ValuesChange::Perhaps;
            }
            self.name_context.statement_time.sent(effect);
            if self.name_context.values.sent(effect) == ValuesChange::Perhaps {
                changed = ValuesChange::Perhaps;
            }
        }
        if changed == ValuesChange::Perhaps {
            self.take_over_settings(pending);
        }
    }

    /// A statement has ended.
    pub(in crate::session) fn settings_after_statement(
        &mut self,
        running: &InFlight,
        pending: &PendingReplies,
    ) {
        let facts = &running.facts;
        match running.sqlstate {
            None => self
                .client_settings
                .succeeded(facts.kind, running.client_settings),
            Some(_) => self.client_settings.failed(),
        }
        if running.sqlstate.is_none() && facts.discards_all() {
            self.dialect_history = DialectHistory::default();
        }
        let NameContext {
            paths,
            values,
            statement_time,
            ..
        } = &mut self.name_context;
        // Of several statements in one message nobody says which of them ended a transaction.
        let alone = facts.statements <= 1;
        let has_run = running.runs == Certainty::Certain || runs_once(facts.kind);
        // What was cut may have come to its end before it was cancelled.
        let was_cut = running.outcome == StatementOutcome::Cut;
        let ran = if alone && has_run && !was_cut {
            Certainty::Certain
        } else {
            Certainty::Possible
        };
        if running.sqlstate.is_none() || was_cut || !alone {
            for effect in &facts.effects {
                match (TrackedChange::of_path(effect), ran) {
                    (Some(change), Certainty::Certain) => paths.applied(&change),
                    (Some(change), Certainty::Possible) => paths.applied(&change.possibly()),
                    (None, _) => {
                        values.applied(effect, ran);
                        statement_time.applied(effect, ran);
                    }
                }
            }
        }
        let ended = match (facts.kind, running.sqlstate) {
            _ if !alone => StatementEnd::Scrambled,
            (_, Some(_)) => StatementEnd::Failed,
            (StatementKind::Commit, None) => StatementEnd::With(TransactionEnd::Commit),
            (StatementKind::Rollback, None) => StatementEnd::With(TransactionEnd::Rollback),
            _ if facts.discards_all() => StatementEnd::With(TransactionEnd::AtOnce),
            _ => StatementEnd::Well,
        };
        if !self.name_context.is_moving() {
            return;
        }
        self.name_context.paths.ended(ended);
        self.name_context.values.ended(ended);
        self.name_context.statement_time.ended(ended);
        self.take_over_settings(pending);
    }

    /// Something has failed: what was done in the same transaction may be undone.
    pub(in crate::session) fn doubt_settings(&mut self) {
        self.client_settings.failed();
        self.name_context.paths.doubted();
        self.name_context.values.doubted();
        self.name_context.statement_time.doubted();
    }

    /// The upstream is ready for the next statement.
    pub(in crate::session) fn settings_at_ready(&mut self, pending: &PendingReplies) {
        let status = pending.transaction.status;
        if status == TransactionStatus::Idle {
            self.client_settings.idle();
        }
        if !self.name_context.is_moving() {
            return;
        }
        let place = match status {
            TransactionStatus::Idle => TransactionPosition::Outside,
            TransactionStatus::InBlock | TransactionStatus::Failed => TransactionPosition::Within,
        };
        let under_way = if pending.is_empty() {
            EarlierStatements::Nothing
        } else {
            EarlierStatements::Others
        };
        self.name_context.paths.ready(place, under_way);
        self.name_context.values.ready(place, under_way);
        self.name_context.statement_time.ready(place, under_way);
        self.take_over_settings(pending);
    }

    /// The upstream skips to the next Sync: so do the pending replies, and what was taken back or
    /// never made is put right.
    pub(in crate::session) fn skip_pipeline(
        &mut self,
        (pending, mut side): (&mut PendingReplies, Option<&mut PoolSide>),
        mut is_portal_lost: bool,
    ) -> SkipExtent {
        let mut is_statement_lost = false;
        let (skipped, dropped) = pending.skip_to_sync();
        for owed in dropped {
            is_portal_lost |= matches!(owed, ExpectedReply::Bind(_));
            is_statement_lost |= matches!(owed, ExpectedReply::Parse(_));
            if let Some(side) = &mut side {
                owed.note_skipped(side);
            }
            self.restore_name(owed);
        }
        if is_statement_lost && !pending.makes_statements() {
            self.names.forget_unnamed_prepared();
        }
        if is_portal_lost && !pending.makes_portals() {
            self.names.forget_unnamed_cursor();
        }
        skipped
    }

    /// The upstream skipped a message that would have taken a name away: it is still there.
    fn restore_name(&mut self, owed: ExpectedReply) {
        match owed {
            ExpectedReply::Close(ClosedName::Statement {
                name,
                prepared: Some(prepared),
                older,
                ..
            }) => self.names.restore_prepared(&name, prepared, older),
            ExpectedReply::RefusedMessage {
                unnamed: Some(prepared),
                ..
            } if self.names.prepared("").is_none() => {
                self.names.restore_prepared("", prepared, None);
            }
            ExpectedReply::Close(ClosedName::Portal { name }) if !name.is_empty() => {
                self.names.invalidate_cursor(&name);
            }
            _ => {}
        }
    }

    /// A statement has succeeded: what it made was known since it was sent, what it removed goes
    /// now. What was sent since may have made the same names anew: those stay.
    pub(in crate::session) fn apply_effects(
        &mut self,
        running: &InFlight,
        pending: &PendingReplies,
    ) {
        let removes = |effect: &&SessionEffect| match effect {
            SessionEffect::Prepare { .. }
            | SessionEffect::DeclareCursor { .. }
            | SessionEffect::SettingsTouched
            | SessionEffect::SearchPathSet { .. }
            | SessionEffect::SettingSet { .. } => false,
            SessionEffect::Deallocate { .. }
            | SessionEffect::DeallocateAll
            | SessionEffect::CloseCursor { .. }
            | SessionEffect::CloseAllCursors
            | SessionEffect::DiscardAll => true,
        };
        let mut removed = running.facts.effects.iter().filter(removes).peekable();
        // A name that is kept though it is gone costs an error of the upstream's own.
        if removed.peek().is_none() || pending.makes_statements() || pending.makes_portals() {
            return;
        }
        removed.for_each(|effect| self.names.apply(effect));
        self.expect_names(&running.facts);
        for facts in pending.facts() {
            self.expect_names(&facts);
        }
    }
}

/// Whether a portal of such a statement cannot be run a second time.
fn runs_once(kind: StatementKind) -> bool {
    matches!(
        kind,
        StatementKind::Set | StatementKind::Reset | StatementKind::Discard
    )
}
