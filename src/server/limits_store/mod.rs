//! Counts of users that hold over all copies of pgsieve, in a Valkey or Redis.
//!
//! Once in a window a copy tells the store what it has counted and hears what all have: one round
//! trip, whatever statements do meanwhile, and none of them waits for it. A store that is away
//! keeps nobody from starting; the settings say what holds until it answers. What was counted
//! meanwhile is told when it is back, since a copy tells what it has counted in all.
//!
//! * `connection`: the way there, and one exchange

pub mod connection;

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use self::connection::{StoreConnection, StoreFault, StoreLink};
use crate::limits::shared_counts::{
    ENTRIES_MAX, EXCHANGE_TIME_MAX, LAST_EXCHANGE, LAST_ROUND_TRIPS_MAX, PAUSE, PAUSE_MAX,
};
use crate::policy::{LivePolicies, Policy};
use crate::session::policy_limits::limits_store::StoreLoss;
use crate::session::policy_limits::per_user::UserAccounts;
use crate::session::policy_limits::per_user::exchange::CountReport;
use crate::telemetry::Telemetry;
use crate::telemetry::events::{LimitsStoreAsked, LimitsStoreLost, LimitsStoreReached};

/// What exchanges counts for this copy.
pub struct CountExchange {
    link: StoreLink,
    /// The name of this copy in the store: another one after each start.
    copy: String,
    connection: Option<StoreConnection>,
    accounts: UserAccounts,
    live: Arc<LivePolicies>,
    telemetry: Telemetry,
    heard: LastHeard,
    /// The pause before a store that does not answer is tried again.
    pause: Duration,
}

/// When the store has answered last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastHeard {
    /// Not yet, since this moment.
    Never(Instant),
    /// Then.
    At(Instant),
    /// So long ago that it is taken to be away.
    Lost,
}

/// An exchange that goes on by itself.
#[derive(Debug)]
pub struct RunningExchange {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl CountExchange {
    /// Nothing is exchanged yet. Where it is wanted, statements that a limit concerns are refused
    /// from now on, until the store has answered.
    pub fn new(
        (link, copy): (StoreLink, String),
        accounts: UserAccounts,
        live: Arc<LivePolicies>,
        telemetry: Telemetry,
    ) -> Self {
        accounts.refuse_uncounted(link.settings().on_loss == StoreLoss::Refuse);
        Self {
            link,
            copy,
            connection: None,
            accounts,
            live,
            telemetry,
            heard: LastHeard::Never(Instant::now()),
            pause: PAUSE,
        }
    }

    /// Exchanges for as long as the process runs. Where nothing is counted without the store, it
    /// is asked once before this returns: so whoever comes first is not refused for coming early.
    pub async fn start(mut self) -> RunningExchange {
        let first = match self.link.settings().on_loss {
            StoreLoss::Local => Duration::ZERO,
            StoreLoss::Refuse => self.turn().await,
        };
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(self.run(first, stopped));
        RunningExchange { stop, task }
    }

    async fn run(mut self, first: Duration, mut stopped: oneshot::Receiver<()>) {
        let mut pause = first;
        loop {
            tokio::select! {
                biased;
                _ = &mut stopped => break,
                () = sleep(pause) => {}
            }
            pause = self.turn().await;
        }
        // Every session is over: what is told now is all that there is.
        let told = timeout(LAST_EXCHANGE, self.tell_all()).await;
        if let Ok(Err(fault)) = told {
            self.note_silence(&fault);
        }
    }

    /// Exchanges once, and says when that is to be done again. Must not be cancelled: the store
    /// would be asked once more over a connection that still owes an answer.
    async fn turn(&mut self) -> Duration {
        let began = Instant::now();
        let exchanged = match timeout(EXCHANGE_TIME_MAX, self.exchange()).await {
            Ok(exchanged) => exchanged,
            Err(_elapsed) => Err(StoreFault::TimedOut),
        };
        self.telemetry.emit(&LimitsStoreAsked {
            has_answered: exchanged.is_ok(),
            took: began.elapsed(),
        });
        match exchanged {
            Ok(()) => {
                self.note_answer();
                self.link.settings().window
            }
            Err(fault) => {
                self.connection = None;
                self.note_silence(&fault);
                let most = match self.heard {
                    LastHeard::Lost => PAUSE_MAX,
                    // So that the silence has an end, or is found.
                    LastHeard::Never(_) | LastHeard::At(_) => self.link.settings().window,
                };
                let pause = self.pause.min(most);
                self.pause = pause.saturating_mul(2).min(PAUSE_MAX);
                jittered(pause)
            }
        }
    }

    async fn exchange(&mut self) -> Result<(), StoreFault> {
        let reports = self.reports();
        self.tell(&reports).await
    }

    async fn tell(&mut self, reports: &[CountReport]) -> Result<(), StoreFault> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(self.link.connect().await?),
        };
        let prefix = &self.link.settings().prefix;
        let shared = connection.exchange((prefix, &self.copy), reports).await?;
        for (report, shared) in reports.iter().zip(shared) {
            self.accounts.learn(report, shared);
        }
        Ok(())
    }

    /// Tells of every user that the store does not know everything of.
    async fn tell_all(&mut self) -> Result<(), StoreFault> {
        for _ in 0..LAST_ROUND_TRIPS_MAX {
            let reports = self.reports();
            self.tell(&reports).await?;
            if reports.len() < ENTRIES_MAX {
                break;
            }
        }
        Ok(())
    }

    fn reports(&self) -> Vec<CountReport> {
        let set = self.live.current();
        let limited: HashSet<&str> = (set.all().iter())
            .filter(|policy| has_limits(policy))
            .map(|policy| policy.name())
            .collect();
        let window = self.link.settings().window;
        let is_limited = |policy: &str| limited.contains(policy);
        self.accounts.reports(is_limited, window, ENTRIES_MAX)
    }

    fn note_answer(&mut self) {
        if self.heard == LastHeard::Lost {
            self.telemetry.emit(&LimitsStoreReached);
        }
        self.heard = LastHeard::At(Instant::now());
        self.pause = PAUSE;
        self.accounts.refuse_uncounted(false);
    }

    fn note_silence(&mut self, failure: &StoreFault) {
        let since = match self.heard {
            LastHeard::Never(since) | LastHeard::At(since) => since,
            LastHeard::Lost => return,
        };
        if since.elapsed() < self.link.settings().silence_max() {
            return;
        }
        self.heard = LastHeard::Lost;
        let refuses = self.link.settings().on_loss == StoreLoss::Refuse;
        self.telemetry.emit(&LimitsStoreLost { failure, refuses });
        self.accounts.refuse_uncounted(refuses);
        self.accounts.forget_elsewhere();
    }
}

impl RunningExchange {
    /// Every session is over: tells the store what was counted last.
    pub async fn close(self) {
        // Should it be gone, nobody waits for it.
        let _ = self.stop.send(());
        let time = EXCHANGE_TIME_MAX.saturating_add(LAST_EXCHANGE);
        let _ = timeout(time, self.task).await;
    }
}

/// Whether a policy limits what is counted of a user.
fn has_limits(policy: &Policy) -> bool {
    let limits = policy.limits();
    limits.statements_per_second.is_some()
        || limits.statements_per_day.is_some()
        || limits.rows_per_day.is_some()
        || limits.bytes_per_day.is_some()
        || limits.concurrency_per_user.is_some()
        || limits.connections_per_user.is_some()
}

/// Between half of a pause and all of it, so that copies do not come at the same moment.
fn jittered(pause: Duration) -> Duration {
    let half = pause / 2;
    let mut random = [0; 2];
    // Without randomness all come at once, which the store will survive.
    let _ = getrandom::fill(&mut random);
    half.saturating_add(half * u32::from(u16::from_be_bytes(random)) / u32::from(u16::MAX))
}

impl fmt::Debug for CountExchange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "CountExchange({:?})", self.link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_halved_at_most() {
        for _ in 0..100 {
            let pause = jittered(PAUSE_MAX);
            assert!((PAUSE_MAX / 2..=PAUSE_MAX).contains(&pause), "{pause:?}");
        }
    }
}
