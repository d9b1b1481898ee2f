//! Sessions that do nothing for longer than the policy gives.
//!
//! A statement only leaves the moment of its end behind. One timer looks at that when it fires, and
//! is set anew for what is left; where the policy has no such limit there is no timer.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::time::{Sleep, sleep_until};

use super::result_limit::{Stage, Until};
use crate::gate::Rule;
use crate::policy::{Mode, PolicyRule};
use crate::session::pending::Owed;
use crate::session::protocol::{Conversation, Intake};

/// The timer of one session.
#[derive(Default)]
pub struct IdleWatch {
    timer: Option<Pin<Box<Sleep>>>,
    /// What it was set for.
    most: Duration,
    /// The end of the statement behind which it was noted that the session does nothing.
    noted: Option<Instant>,
}

/// How long a session has done nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Idleness {
    /// Something is under way.
    Busy,
    /// For less than it may.
    Until(Instant),
    /// For as long as it may, since then.
    Over(Instant),
}

impl IdleWatch {
    /// Ready when the session is to be ended. To be asked whenever the session has nothing to do;
    /// wakes it in time.
    pub fn poll(&mut self, context: &mut Context<'_>, conversation: &mut Conversation) -> Poll<()> {
        let Some(most) = conversation.idle_time() else {
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
                let at = match conversation.idleness(most) {
                    Idleness::Until(at) => at,
                    Idleness::Busy | Idleness::Over(_) => after(most),
                };
                Box::pin(sleep_until(at.into()))
            });
            if timer.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            let next = match conversation.idleness(most) {
                Idleness::Until(at) => at,
                Idleness::Busy => {
                    if conversation.asks_how_far() {
                        context.waker().wake_by_ref();
                    }
                    after(most)
                }
                Idleness::Over(since) => {
                    let mode = conversation.idle_mode();
                    if self.noted != Some(since) {
                        self.noted = Some(since);
                        conversation.note_limit(Rule::IdleTime, mode, None);
                    }
                    if mode == Mode::Enforce {
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

impl Conversation {
    fn idle_time(&self) -> Option<Duration> {
        self.gate.policy().limits().idle_time
    }

    fn idle_mode(&self) -> Mode {
        self.gate.policy().mode_of(PolicyRule::IdleTime)
    }

    fn idleness(&self, most: Duration) -> Idleness {
        if self.journal.is_working() || !self.reply.is_empty() || self.waits_for_audit() {
            return Idleness::Busy;
        }
        let since = self.quotas.rested;
        match since.checked_add(most) {
            Some(at) if at > Instant::now() => Idleness::Until(at),
            Some(_) => Idleness::Over(since),
            None => Idleness::Busy,
        }
    }

    /// What was sent without a Sync may be done long since, and nothing makes the upstream tell: it
    /// is asked to. Says whether it was.
    fn asks_how_far(&mut self) -> bool {
        let is_open = self.standing.unsynced && self.intake == Intake::Open;
        if is_open {
            self.outbox.flush_message();
        }
        is_open
    }

    /// A statement has ended in a batch whose Sync may not have been sent: unless others run, the
    /// session has nothing to do from now on.
    pub(in crate::session) fn note_pause(&mut self) {
        if self.idle_time().is_some() && !self.journal.is_working() {
            self.quotas.rested = Instant::now();
        }
    }

    /// The session has nothing to do from now on.
    pub(in crate::session) fn note_rest(&mut self) {
        if self.idle_time().is_some() {
            self.quotas.rested = Instant::now();
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

impl Owed {
    /// Whether the upstream, or a rescue, is at work for it.
    pub(in crate::session) fn is_work(&self) -> bool {
        match self {
            Self::Query(_) | Self::Execute(_) | Self::Rescue(_) => true,
            // The client has its error, and has yet to send the end of its batch.
            Self::Cut(running) => running.allowance.stage() != Some(Stage::Cut(Until::Sync)),
            Self::Sync | Self::RefusedQuery(_) | Self::ReadOnlyCheck | Self::Plan(_) => true,
            Self::Parse(_) | Self::Bind(_) | Self::Close(_) => false,
            Self::DescribeStatement | Self::DescribePortal | Self::RefusedMessage { .. } => false,
        }
    }
}
