//! What a session knows of its upstream: whether it still only reads, which frame is half-way, and
//! the bytes that wait for it.

use std::sync::Arc;
use std::task::Poll;

use super::pooling::pool_side::PoolSide;
use super::pooling::server_place::ServerPlace;
use super::reply::CloseReason;
use super::session_end::SessionEnd;
use crate::gate::{Facts, SessionEffect};
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::upstream::backend_signals::SessionSignals;
use crate::upstream::outbox::Outbox;

/// What a session knows of its upstream.
pub struct UpstreamSide {
    pub(super) self_report: SelfReport,
    /// How often in a row it did not say whether it is read-only.
    pub(super) checks_in_vain: u32,
    /// What others want of the session: its statement to end, or itself.
    pub(super) signals: Option<Arc<SessionSignals>>,
    /// The code of its last words, when it ended the session itself.
    pub(super) ended_by_itself: Option<SqlstateCode>,
    /// Bytes of its current frame that still pass unseen.
    pub(super) passing: usize,
    /// Whether the client has the beginning of a frame of which the rest was held back.
    pub(super) torn: bool,
    /// Bytes of its current frame that are still dropped.
    pub(super) dropping: usize,
    /// Bytes that wait for its socket.
    pub(super) outbox: Outbox,
    /// The server that it is at.
    pub(super) place: ServerPlace,
    /// What is known of its connections, where the session shares them with others.
    pub(super) pool: Option<Box<PoolSide>>,
}

impl UpstreamSide {
    /// Of an upstream that is logged in and idle.
    pub(super) fn new(self_report: SelfReport, signals: Option<Arc<SessionSignals>>) -> Self {
        Self {
            self_report,
            checks_in_vain: 0,
            signals,
            ended_by_itself: None,
            passing: 0,
            torn: false,
            dropping: 0,
            outbox: Outbox::default(),
            place: ServerPlace::default(),
            pool: None,
        }
    }

    /// Whether it has said itself why it ends the session.
    pub(super) fn has_closed(&self) -> bool {
        self.ended_by_itself.is_some()
    }

    /// Whether the client has part of a frame of which the rest has not come yet, or will not.
    pub(super) fn is_mid_frame(&self) -> bool {
        self.passing > 0 || self.torn
    }

    /// One that does not report its read-only default has to be asked after this statement.
    pub(super) fn expect_settings_change(&mut self, facts: &Facts) {
        let touched = facts
            .effects
            .iter()
            .any(|effect| matches!(effect, SessionEffect::SettingsTouched));
        if touched && self.self_report == SelfReport::AskWhenTouched {
            self.self_report = SelfReport::AskNow;
        }
    }

    /// Looks whether another session of the same owner has ended this one, or its time.
    ///
    /// # Errors
    /// It has.
    pub(super) fn goes_on(&self) -> Result<(), SessionEnd> {
        match &self.signals {
            Some(signals) if signals.ends() => Err(SessionEnd::Ended(match signals.has_lapsed() {
                true => CloseReason::Lapsed,
                false => CloseReason::Terminated,
            })),
            Some(_) | None => Ok(()),
        }
    }

    /// Has the task that this is called in woken when another session ends this one. May be
    /// cancelled.
    pub(super) async fn is_woken_to_end(&self) {
        std::future::poll_fn(|context| {
            if let Some(signals) = &self.signals {
                signals.wake(context.waker());
            }
            Poll::Ready(())
        })
        .await;
    }
}

/// Whether the upstream tells by itself when its read-only default changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelfReport {
    /// It reports `default_transaction_read_only` (PostgreSQL 14 and later).
    Reported,
    /// It does not; pgsieve asks after statements that touch settings.
    AskWhenTouched,
    /// Such a statement is under way or done, and the question is due.
    AskNow,
}
