//! When and how a pool opens connections that nobody has asked for: as the last one was opened that
//! a session has asked for, and ever less often where that fails.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::Instant;

use super::source::{ConnectionSource, OpenError};
use crate::limits;
use crate::upstream::login_retry::jittered;

/// How connections are opened that nobody has asked for.
#[derive(Default)]
pub(super) struct Refill {
    example: Option<RefillExample>,
    state: RefillState,
}

/// How the last connection was opened that a session has asked for.
#[derive(Clone)]
pub(super) struct RefillExample {
    /// How.
    pub(super) source: Arc<ConnectionSource>,
    /// Where that was done: what wakes its session is near it.
    pub(super) runtime: Handle,
}

#[derive(Default)]
enum RefillState {
    /// It may begin.
    #[default]
    Ready,
    /// It is under way.
    Running,
    /// It has failed, and may begin again then.
    Failed { pause: Duration, until: Instant },
}

impl Refill {
    /// A session had a connection opened so: the server lets it in.
    pub(super) fn note_opened(&mut self, source: &Arc<ConnectionSource>) {
        if let Ok(runtime) = Handle::try_current() {
            let source = Arc::clone(source);
            self.example = Some(RefillExample { source, runtime });
        }
        if let RefillState::Failed { .. } = self.state {
            self.state = RefillState::Ready;
        }
    }

    /// Begins, unless it is under way or has failed a moment ago: how, and the pause behind the
    /// next failure.
    pub(super) fn begin(&mut self, now: Instant) -> Option<(RefillExample, Duration)> {
        let pause = match self.state {
            RefillState::Ready => limits::pools::REFILL_PAUSE,
            RefillState::Failed { pause, until } if until <= now => {
                limits::pools::REFILL_PAUSE_MAX.min(pause * 2)
            }
            RefillState::Running | RefillState::Failed { .. } => return None,
        };
        let example = self.example.clone()?;
        self.state = RefillState::Running;
        Some((example, pause))
    }

    /// It is over; after a failure nothing is begun for the pause.
    pub(super) fn end(&mut self, outcome: &Result<(), OpenError>, pause: Duration) {
        self.state = match outcome {
            Ok(()) => RefillState::Ready,
            Err(_) => RefillState::Failed {
                pause,
                until: Instant::now() + jittered(pause),
            },
        };
    }
}
