//! Sessions that do nothing for longer than the policy allows.
//!
//! A statement only leaves the moment of its end behind. One timer looks at that when it fires, and
//! is set anew for what is left; where the policy has no such limit there is no timer.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::time::{Sleep, sleep_until};

use crate::gate::Rule;
use crate::policy::{PolicyRule, RuleMode};
use crate::session::client_side::ClientState;
use crate::session::protocol::SessionProtocol;

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
    /// The timer is with the thread that the session leaves; it is set anew where one is needed.
    pub fn drop_timer(&mut self) {
        self.timer = None;
    }

    /// Ready when the session is to be ended. To be asked whenever the session has nothing to do;
    /// wakes it in time.
    pub fn poll(&mut self, context: &mut Context<'_>, protocol: &mut SessionProtocol) -> Poll<()> {
        let Some(most) = protocol.judge.gate.policy().limits().idle_time else {
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
                let at = match idleness(protocol, most) {
                    IdleState::Until(at) => at,
                    IdleState::Busy | IdleState::Over(_) => after(most),
                };
                Box::pin(sleep_until(at.into()))
            });
            if timer.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            let next = match idleness(protocol, most) {
                IdleState::Until(at) => at,
                IdleState::Busy => {
                    if asks_how_far(protocol) {
                        context.waker().wake_by_ref();
                    }
                    after(most)
                }
                IdleState::Over(since) => {
                    let mode = protocol.judge.gate.policy().mode_of(PolicyRule::IdleTime);
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

fn idleness(protocol: &SessionProtocol, most: Duration) -> IdleState {
    if protocol.pending.is_working()
        || !protocol.client.reply.is_empty()
        || protocol.witness.waits_for_audit()
    {
        return IdleState::Busy;
    }
    let since = protocol.limits.rested;
    match since.checked_add(most) {
        Some(at) if at > Instant::now() => IdleState::Until(at),
        Some(_) => IdleState::Over(since),
        None => IdleState::Busy,
    }
}

/// What was sent without a Sync may be done long since, and nothing makes the upstream tell: it is
/// asked to. Says whether it was.
fn asks_how_far(protocol: &mut SessionProtocol) -> bool {
    let is_unsynced = protocol.pending.transaction.unsynced;
    let is_open = is_unsynced && protocol.client.state == ClientState::Open;
    if is_open {
        protocol.upstream.outbox.flush_message();
    }
    is_open
}

/// A moment to look again.
fn after(most: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(most.min(LOOK_AGAIN_MAX)).unwrap_or(now)
}

/// A day: no clock counts for ever.
const LOOK_AGAIN_MAX: Duration = Duration::from_secs(86_400);
