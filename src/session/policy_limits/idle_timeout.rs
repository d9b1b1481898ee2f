//! Sessions that do nothing for longer than the policy allows.
//!
//! A statement only leaves the moment of its end behind. One timer looks at that when it fires, and
//! is set anew for what is left; where the policy has no such limit there is no timer.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::time::{Sleep, sleep_until};

use super::result_limit::{CutUntil, ResultStage};
use crate::gate::Rule;
use crate::policy::{PolicyRule, RuleMode};
use crate::session::pending::ExpectedReply;
use crate::session::protocol::{ClientState, SessionProtocol};

/// The timer of one session.
#[derive(Default)]
pub struct IdleTimeout {
    timer: Option<Pin<Box<Sleep>>>,
    /// What it was set for.
    most: Duration,
    /// The end of the statement behind which it was noted that the session does nothing.
    noted: Option<Instant>,
}

/// How long a session has done nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IdleState {
    /// Something is under way.
    Busy,
    /// For less than it may.
    Until(Instant),
    /// For as long as it may, since then.
    Over(Instant),
}

impl IdleTimeout {
    /// Ready when the session is to be ended. To be asked whenever the session has nothing to do;
    /// wakes it in time.
    pub fn poll(&mut self, context: &mut Context<'_>, protocol: &mut SessionProtocol) -> Poll<()> {
        let Some(most) = protocol.idle_time() else {
            self.timer = None;
            return Poll::Pending;
        };
        if self.most != most {
            self.timer = None;
            self.most = most;
        }
        // After it has fired it is set once more, and asked whether it has fired since.
        for _ in 0..2 {
            let timer = self.timer.get_or_insert_with(|| {
                let at = match protocol.idleness(most) {
                    IdleState::Until(at) => at,
                    IdleState::Busy | IdleState::Over(_) => after(most),
                };
                Box::pin(sleep_until(at.into()))
            });
            if timer.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            let next = match protocol.idleness(most) {
                IdleState::Until(at) => at,
                IdleState::Busy => {
                    if protocol.asks_how_far() {
                        context.waker().wake_by_ref();
                    }
                    after(most)
                }
                IdleState::Over(since) => {
                    let mode = protocol.idle_mode();
                    if self.noted != Some(since) {
                        self.noted = Some(since);
                        protocol.witness.note_limit(Rule::IdleTime, mode, None);
                    }
                    if mode == RuleMode::Enforce {
                        return Poll::Ready(());
                    }
                    after(most)
                }
            };
            timer.as_mut().reset(next.into());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl SessionProtocol {
    fn idle_time(&self) -> Option<Duration> {
        self.judge.gate.policy().limits().idle_time
    }

    fn idle_mode(&self) -> RuleMode {
        self.judge.gate.policy().mode_of(PolicyRule::IdleTime)
    }

    fn idleness(&self, most: Duration) -> IdleState {
        if self.pending.is_working() || !self.client.reply.is_empty() || self.waits_for_audit() {
            return IdleState::Busy;
        }
        let since = self.limits.rested;
        match since.checked_add(most) {
            Some(at) if at > Instant::now() => IdleState::Until(at),
            Some(_) => IdleState::Over(since),
            None => IdleState::Busy,
        }
    }

    /// What was sent without a Sync may be done long since, and nothing makes the upstream tell: it
    /// is asked to. Says whether it was.
    fn asks_how_far(&mut self) -> bool {
        let is_open = self.upstream.transaction.unsynced && self.client.state == ClientState::Open;
        if is_open {
            self.upstream.outbox.flush_message();
        }
        is_open
    }

    /// A statement has ended in a batch whose Sync may not have been sent: unless others run, the
    /// session has nothing to do from now on.
    pub(in crate::session) fn note_pause(&mut self) {
        if self.idle_time().is_some() && !self.pending.is_working() {
            self.limits.rested = Instant::now();
        }
    }

    /// The session has nothing to do from now on.
    pub(in crate::session) fn note_rest(&mut self) {
        if self.idle_time().is_some() {
            self.limits.rested = Instant::now();
        }
    }
}

/// A moment to look again.
fn after(most: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(most.min(LOOK_AGAIN_MAX)).unwrap_or(now)
}

/// A day: no clock counts for ever.
const LOOK_AGAIN_MAX: Duration = Duration::from_secs(86_400);

impl ExpectedReply {
    /// Whether the upstream, or a repair, is at work for it.
    pub(in crate::session) fn is_work(&self) -> bool {
        match self {
            Self::Query(_) | Self::Execute(_) | Self::HeldForRepair(_) => true,
            // The client has its error, and has yet to send the end of its batch.
            Self::Cut(running) => {
                running.allowance.stage() != Some(ResultStage::Cut(CutUntil::Sync))
            }
            Self::Sync | Self::RefusedQuery(_) | Self::ReadOnlyCheck | Self::Plan(_) => true,
            Self::Parse(_) | Self::Bind(_) | Self::Close(_) => false,
            Self::DescribeStatement | Self::DescribePortal | Self::RefusedMessage { .. } => false,
        }
    }
}
